"""The cards of 8-ball: suits, who must follow what, which card beats which, what the ghost turns (B4-2, B4-8 … B4-12, B2-20).

Cards are ids, sets of cards are bit sets. How suits are followed depends on three options; their combination is one small number
``follow`` (:func:`follow_number`), by which, with the trump suit and the suit led, a table of card sets is indexed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest
from eightsenv.cards import card_id

EIGHT = np.int64(card_id("8C"))
"""The top trump, whatever the trump suit is."""
JACK = np.int64(card_id("JC"))
"""The first of the four Jacks: that of suit ``s`` is ``JACK + s``, and the suit of the same colour is ``3 - s``."""
CARDS = (int(EIGHT), *(card_id(rank + suit) for rank in "TJQKA" for suit in "CDHS"))
"""The 21 cards of the pack by ascending id (B4-2)."""
PACK = U(sum(1 << card for card in CARDS))
"""The same as a set."""

PRINTED, UNFORCED, CLUB = np.int64(1), np.int64(2), np.int64(4)
"""What adds up to ``follow``: the left bower is of its printed suit; 8C need not follow a trump lead; 8C follows clubs as well."""
FOLLOWS = 8
"""Values of ``follow``: 0 … 7; 0 stands for the options' defaults."""


def follow_number(eight_suit: str, eight_forced_on_trump_lead: bool, left_bower_follows: str) -> int:
    """The number ``follow`` of three valid options (AMB-B4-11, -12, -15)."""
    club, printed = eight_suit == "club_and_trump", left_bower_follows == "printed_suit"
    return int(CLUB * club + UNFORCED * (not eight_forced_on_trump_lead) + PRINTED * printed)


# Suits


def _suit_of(card, trump, follow):
    """The suit to which a card belongs, when led and when following (B4-8, B4-9, B4-11)."""
    if card == EIGHT or (card == JACK + 3 - trump and follow & PRINTED == 0):
        return trump
    return card & 3


suit_of = hot(_suit_of)


def _members(suit: int, trump: int, follow: int) -> int:
    return sum(1 << card for card in CARDS if _suit_of(card, trump, follow) == suit)


def _obliged_cards(led: int, trump: int, follow: int) -> int:
    """The cards of which a holder must play one when ``led`` is led, or 8C."""
    found, eight = _members(led, trump, follow), 1 << int(EIGHT)
    if led == trump:
        return found & ~eight if follow & UNFORCED else found
    return found | eight if led == 0 and follow & CLUB else found


def _table(function: Callable[[int, int, int], int]) -> np.ndarray:
    """The sets of a function of (suit, trump, follow), found at ``follow << 4 | trump << 2 | suit``."""
    sets = [function(suit, trump, follow) for follow in range(FOLLOWS) for trump in range(4) for suit in range(4)]
    return np.array(sets, np.uint64)


MEMBERS = _table(_members)
OBLIGED = _table(_obliged_cards)
"""The sets of :func:`members` and :func:`obliged`, for tables that are made from them."""


@hot
def members(suit, trump, follow):
    """The set of the cards that belong to a suit; 8C is a trump only."""
    return MEMBERS[follow << 4 | trump << 2 | suit]


@hot
def obliged(led, trump, follow):
    """The cards of which a holder must play one when suit ``led`` is led, or 8C (B4-11, B4-12)."""
    return OBLIGED[follow << 4 | trump << 2 | led]


@hot
def playable(hand, led, trump, follow):
    """The cards of ``hand`` that may be played on a lead of suit ``led`` (B4-10 … B4-12); a leader may play any."""
    due = obliged(led, trump, follow)
    if hand & due == U(0):
        return hand
    return hand & (due | bit(EIGHT))


# Strength


def _ranks(trump: int) -> list[int]:
    """The cards from the weakest up: the plain suits, then the trumps; of two of one suit, or of two trumps, the later wins."""
    plain = [card for suit in range(4) if suit != trump for card in CARDS if card & 3 == suit]
    bowers = [int(JACK) + 3 - trump, int(JACK) + trump, int(EIGHT)]
    trumps = [card for card in CARDS if card & 3 == trump and card not in bowers]
    return [card for card in plain if card not in bowers] + trumps + bowers


TRUMPS = 7
"""Cards that win as trumps, whatever the options: 8C, the bowers, A, K, Q, T (B4-9)."""
RANKS = np.array([_ranks(trump) for trump in range(4)], np.int8)
"""int8[4, 21]: by trump suit the cards from the weakest up, suit by suit, the trumps last."""
PLACES = np.full((4, 64), -1, np.int8)
"""int8[4, 64]: by trump suit the place of each card in ``RANKS``; -1 for a card that the pack has not."""
for _trump in range(4):
    PLACES[_trump, RANKS[_trump]] = np.arange(len(CARDS))


def _stronger(trump: int, card: int) -> int:
    """The cards that win over ``card`` while it wins the trick."""
    ranks = _ranks(trump)
    trumps = ranks[-TRUMPS:]
    own = trumps if card in trumps else [other for other in ranks if other not in trumps and other & 3 == card & 3]
    beaten_by = own[own.index(card) + 1 :] + (trumps if card not in trumps else [])
    return sum(1 << other for other in beaten_by)


BETTER = np.zeros(4 * 64, np.uint64)
"""The sets of :func:`better`, found at ``trump << 6 | card``."""
for _trump in range(4):
    for _card in CARDS:
        BETTER[_trump << 6 | _card] = _stronger(_trump, _card)


@hot
def better(card, trump):
    """The cards that take the trick from a card that wins it so far (B4-31): stronger ones of its suit, and trumps."""
    return BETTER[trump << 6 | card]


@hot
def beats(card, best, trump):
    """Whether a card takes the trick from ``best``, the best card so far: a trump or of the suit led (B4-31)."""
    return better(best, trump) & bit(card) != U(0)


# The ghost


@compiled
def ghost_following(packet, size, led, trump, follow):
    """The places in ``packet[:size]`` (int8[:], top first) of cards that belong to the suit led, as a set."""
    found = U(0)
    cards = members(led, trump, follow)
    for place in range(size):
        found |= ((cards >> U(packet[place])) & U(1)) << U(place)
    return found


@hot
def ghost_place(places, following):
    """The place of the card that the ghost turns next, of a set of places left that has one (B2-20, AMB-B2-9).

    ``following`` are the places of cards of the suit led under ``follow_if_able``; the empty set on a lead, and under ``top_card``.
    """
    able = places & following
    return lowest(able if able != U(0) else places)
