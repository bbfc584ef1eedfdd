"""The cards of 8-ball, against the rules written out for one card at a time: suits, following, beating, the ghost's card."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from eightsenv.cards import card_id, card_text
from eightsenv.variants.eight_ball import trumps

ROOT = Path(__file__).resolve().parent.parent
SUITS = "CDHS"
TWIN = {"C": "S", "S": "C", "D": "H", "H": "D"}
PACK = ["8C", *(rank + suit for suit in SUITS for rank in "AKQJT")]
OPTIONS = list(itertools.product(("trump", "club_and_trump"), (True, False), ("trump", "printed_suit")))
DEFAULTS = ("trump", True, "trump")


def cards(text: str) -> np.uint64:
    return np.uint64(sum(1 << card_id(card) for card in text.split()))


def texts(cards: np.uint64) -> set[str]:
    return {card_text(k) for k in range(64) if int(cards) >> k & 1}


@numba.njit
def suit_of(card, trump, follow):
    return trumps.suit_of(card, trump, follow)


@numba.njit
def playable(hand, led, trump, follow):
    return trumps.playable(hand, led, trump, follow)


@numba.njit
def members(suit, trump, follow):
    return trumps.members(suit, trump, follow)


@numba.njit
def beats(card, best, trump):
    return trumps.beats(card, best, trump)


@numba.njit
def ghost(packet, size, places, led, trump, follow):
    return trumps.ghost_place(places, trumps.ghost_following(packet, size, led, trump, follow))


# The rules, one card at a time


def belongs(card: str, trump: str, left_bower: str = "trump") -> str:
    if card == "8C" or (card == "J" + TWIN[trump] and left_bower == "trump"):
        return trump
    return card[1]


def order(trump: str) -> list[str]:
    """The trumps from the strongest down (B4-9)."""
    return ["8C", "J" + trump, "J" + TWIN[trump], *(rank + trump for rank in "AKQT")]


def may_play(hand: set[str], led: str, trump: str, options: tuple) -> set[str]:
    eight_suit, forced, left_bower = options
    follows = {card for card in hand if belongs(card, trump, left_bower) == led}
    if led == "C" and eight_suit == "club_and_trump":
        follows |= hand & {"8C"}
    if led == trump and not forced and follows == {"8C"}:
        return hand
    return follows | (hand & {"8C"}) if follows else hand


def winner(trick: list[str], trump: str) -> str:
    for card in order(trump):
        if card in trick:
            return card
    return min((card for card in trick if card[1] == trick[0][1]), key=lambda card: "AKQJT".index(card[0]))


def test_the_pack():
    """B4-2: A K Q J T of each suit and 8C."""
    assert texts(trumps.PACK) == set(PACK) == {card_text(card) for card in trumps.CARDS}
    assert list(trumps.CARDS) == sorted(trumps.CARDS) and len(trumps.CARDS) == 21


def test_the_order_of_the_trumps():
    """B4-9, T-B4-15."""
    for trump, suit in enumerate(SUITS):
        ranks = [card_text(card) for card in trumps.RANKS[trump]]
        assert sorted(ranks) == sorted(PACK)
        assert ranks[: -trumps.TRUMPS - 1 : -1] == order(suit)
        assert [trumps.PLACES[trump, card_id(card)] for card in ranks] == list(range(21))
        assert (trumps.PLACES[trump] < 0).sum() == 64 - 21
    assert [card_text(card) for card in trumps.RANKS[0][::-1]][:7] == ["8C", "JC", "JS", "AC", "KC", "QC", "TC"]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_following(options):
    """B4-8 … B4-12 and their options, in hands of one to six cards."""
    generator = random.Random(str(options))
    follow = trumps.follow_number(*options)
    for trump, led in itertools.product(range(4), range(4)):
        for card in PACK:
            assert SUITS[suit_of(card_id(card), trump, follow)] == belongs(card, SUITS[trump], options[2])
        assert texts(members(led, trump, follow)) == {c for c in PACK if belongs(c, SUITS[trump], options[2]) == SUITS[led]}
        for _ in range(300):
            hand = set(generator.sample(PACK, generator.randint(1, 6)))
            expected = may_play(hand, SUITS[led], SUITS[trump], options)
            assert texts(playable(cards(" ".join(hand)), led, trump, follow)) == expected


def test_options_have_numbers_of_their_own():
    assert trumps.follow_number(*DEFAULTS) == 0
    assert sorted(trumps.follow_number(*options) for options in OPTIONS) == list(range(trumps.FOLLOWS))


@pytest.mark.parametrize(
    ("options", "trump", "lead", "hand", "expected"),
    [
        (DEFAULTS, "D", "JH", "TD AS KC", "TD"),  # T-B4-12
        (DEFAULTS, "S", "AC", "8C KC TD", "8C KC"),  # T-B4-13
        (DEFAULTS, "S", "AC", "8C KH TD", "8C KH TD"),  # T-B4-13
        (DEFAULTS, "H", "8C", "JD AD AC", "JD"),  # B4-11
        (DEFAULTS, "H", "AH", "8C AD AC", "8C"),  # B4-12: 8C is the only trump
        (DEFAULTS, "H", "AD", "JD AC KC", "JD AC KC"),  # the left bower is no diamond
        (("trump", False, "trump"), "H", "AH", "8C AD AC", "8C AD AC"),
        (("trump", False, "trump"), "H", "AH", "8C JD AC", "8C JD"),
        (("club_and_trump", True, "trump"), "H", "AC", "8C AD AS", "8C"),
        (("club_and_trump", False, "trump"), "C", "AC", "8C AD AS", "8C AD AS"),
        (("trump", True, "printed_suit"), "H", "AD", "JD AC KC", "JD"),
        (("trump", True, "printed_suit"), "H", "8C", "JD AC KC", "JD AC KC"),
        (("trump", True, "printed_suit"), "H", "JD", "AD AH KC", "AD"),
    ],
)
def test_examples_of_following(options, trump, lead, hand, expected):
    follow, suit = trumps.follow_number(*options), SUITS.index(trump)
    led = suit_of(card_id(lead), suit, follow)
    assert texts(playable(cards(hand), led, suit, follow)) == set(expected.split())


def test_the_winner_of_a_trick():
    """B4-31, T-B4-14: the highest trump, or the highest card of the suit led, in tricks of two to four cards."""
    generator = random.Random(5)
    for trump, suit in enumerate(SUITS):
        for _ in range(3000):
            trick = generator.sample(PACK, generator.randint(2, 4))
            best = trick[0]
            for card in trick[1:]:
                if beats(card_id(card), card_id(best), trump):
                    best = card
            assert best == winner(trick, suit), (trick, suit)
    assert winner(["AC", "8C", "JH", "JD"], "H") == "8C"


@pytest.mark.parametrize("left_bower", ["trump", "printed_suit"])
def test_the_ghosts_card(left_bower):
    """AMB-B2-9: the topmost card that belongs to the suit led, 8C as a trump only; else the top card left."""
    generator = random.Random(left_bower)
    for eight_suit in ("trump", "club_and_trump"):
        follow = trumps.follow_number(eight_suit, True, left_bower)
        for _ in range(1000):
            packet = generator.sample(PACK, 6)
            left = sorted(generator.sample(range(6), generator.randint(1, 6)))
            led, trump = generator.randrange(4), generator.randrange(4)
            able = [k for k in left if belongs(packet[k], SUITS[trump], left_bower) == SUITS[led]]
            ids = np.array([card_id(card) for card in packet], np.int8)
            found = ghost(ids, 6, np.uint64(sum(1 << k for k in left)), led, trump, follow)
            assert found == (able or left)[0]
            assert trumps.ghost_place(np.uint64(sum(1 << k for k in left)), np.uint64(0)) == left[0]


def test_plain_python_does_the_same():
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
