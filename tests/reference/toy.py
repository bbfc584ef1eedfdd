"""A small variant from outside the package: *High Card*. All that a variant must bring, on two pages.

Each seat in turn plays a card, or folds if the rules allow it. The highest card (ace high, spades over hearts, diamonds, clubs)
wins one point from every other seat, half a point from those that folded. If all fold, nobody pays.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Any

import numpy as np

from eightsenv.bits import U, bit, compiled, lowest, put
from eightsenv.cards import CARDS, card_text, set_texts
from eightsenv.game import RULES_HEADER, UNIT, Game, Option, RuleSet, Section, Setting, header, int_range, one_of, record_dtype
from eightsenv.rng import chance_below
from eightsenv.variants.sampling import reseed
from eightsenv.variants.shedding import add_card, count_cards, discard, left_of, remove_card, shuffle_stock, take_top

SEATS, FOLD, NOBODY = 4, np.int64(52), np.int64(-1)
SCORE_BINS, HANDS_BINS = (-4, -2, -1, 0, 1, 2, 4, 8), 8


class Phase(IntEnum):
    TURN = 0


STATE = record_dtype(
    [
        *header(SEATS),
        ("turns", "i8"),  # turns taken in this hand
        ("best", "i8"),  # the highest card played, -1: none
        ("best_seat", "i8"),
        ("folded", "i8"),  # the seats that folded, as bits
        ("top", "i8"),
        ("end", "i8"),
        ("pile_n", "i8"),
        ("pile_set", "u8", (2,)),
        ("hands", "u8", (SEATS, 2)),
        ("stock", "i1", (52,)),
        ("scores", "i8", (SEATS,)),
    ]
)
SCRATCH = record_dtype([("unused", "i8")])
RULES = record_dtype([*RULES_HEADER, ("hand_size", "i8"), ("fold", "i8"), ("hands", "i8")])


@compiled
def fill(s, r):
    for card in range(52):
        s.stock[card] = card
    s.top = 0
    s.end = 52
    s.pile_n = 0


@compiled
def choose_dealer(s, r):
    s.dealer = chance_below(s, r.num_players)


@compiled
def deal(s, r, fixed):
    shuffle_stock(s, fixed)
    seat = s.dealer
    for k in range(2 * r.num_players):
        s.hands[k // 2, k % 2] = U(0)
    for _ in range(r.num_players * r.hand_size):
        seat = left_of(seat, r.num_players)
        add_card(s.hands[seat], take_top(s))
    s.pile_set[0] = U(0)
    s.turns = 0
    s.best = NOBODY
    s.folded = 0
    s.seat = left_of(s.dealer, r.num_players)


@compiled
def legal(s, r, words):
    words[0] = s.hands[s.seat, 0] | (bit(FOLD) if r.fold else U(0))


@compiled
def apply(s, r, action, gain):
    s.decisions += 1
    s.turns += 1
    if action == FOLD:
        s.folded |= 1 << s.seat
    else:
        remove_card(s.hands[s.seat], action)
        discard(s, action)
        if action > s.best:
            s.best = action
            s.best_seat = s.seat
    s.seat = left_of(s.seat, r.num_players)
    if s.turns < r.num_players:
        return False
    _score(s, r, gain)
    s.hand_number += 1
    if r.match and s.hand_number < r.hands:
        s.dealer = left_of(s.dealer, r.num_players)
        fill(s, r)
        deal(s, r, np.int64(0))
    else:
        s.hand_number -= 1
        s.over = 1
    return True


@compiled
def _score(s, r, gain):
    for seat in range(r.num_players):
        s.last_payoff[seat] = 0
    if s.best >= 0:
        for seat in range(r.num_players):
            if seat != s.best_seat:
                share = UNIT // 2 if s.folded >> seat & 1 else UNIT
                s.last_payoff[seat] -= share
                s.last_payoff[s.best_seat] += share
    for seat in range(r.num_players):
        s.scores[seat] += s.last_payoff[seat]
        gain[seat] += s.last_payoff[seat]


@compiled
def winners(s, r):
    best = 1
    for seat in range(1, r.num_players):
        ahead = s.scores[seat] - s.scores[lowest(U(best))]
        if ahead >= 0:
            best = (0 if ahead > 0 else best) | 1 << seat
    return best


@compiled
def _put_table(s, r, first, row, at):
    n = r.num_players
    at = put(row, at, bit(s.best) if s.best >= 0 else U(0), 52)
    at = put(row, at, bit((s.seat - first + n) % n) if not s.over else U(0), n)
    at = put(row, at, bit((s.dealer - first + n) % n), n)
    if r.match:
        at = put(row, at, bit(min(s.hand_number, HANDS_BINS)) - U(1), HANDS_BINS)
        for k in range(n):
            level = 0
            while level < len(SCORE_BINS) and s.scores[(first + k) % n] >= SCORE_BINS[level] * UNIT:
                level += 1
            at = put(row, at, bit(level) - U(1), len(SCORE_BINS))
    return at


@compiled
def observe(s, r, seat, row):
    return _put_table(s, r, seat, row, put(row, np.int64(0), s.hands[seat, 0], 52))


@compiled
def state_vector(s, r, row):
    at = np.int64(0)
    for seat in range(r.num_players):
        at = put(row, at, s.hands[seat, 0], 52)
    return _put_table(s, r, np.int64(0), row, at)


@compiled
def greedy(s, r, words):
    """The lowest card that is ahead; else fold, or throw the lowest card away."""
    hand = s.hands[s.seat, 0]
    ahead = hand & ~(bit(s.best + 1) - U(1))
    if ahead != U(0):
        return lowest(ahead)
    return FOLD if r.fold else lowest(hand)


@compiled
def determinize(s, r, seat, seed, w):
    """Shuffle all but the pile and the hand of ``seat``, and deal the others as many cards as they hold."""
    reseed(s, seed)
    known = s.hands[seat, 0] | s.pile_set[0]
    s.top = s.end
    for card in range(52):
        if known & bit(card) == U(0):
            s.top -= 1
            s.stock[s.top] = card
    shuffle_stock(s, np.int64(0))
    for other in range(r.num_players):
        if other != seat:
            number = count_cards(s.hands[other])
            s.hands[other, 0] = U(0)
            for _ in range(number):
                add_card(s.hands[other], take_top(s))
    return True


RULE_SET = RuleSet(
    name="high_card", seats=SEATS, state_dtype=STATE, rules_dtype=RULES, scratch_dtype=SCRATCH,
    modules=(sys.modules[__name__],),
    functions={
        f.__name__: f
        for f in (fill, choose_dealer, deal, legal, apply, winners, observe, state_vector, greedy, determinize)
    },
)  # fmt: skip


def write_rules(r: np.record, setting: Setting) -> None:
    r.hand_size, r.fold, r.hands = (setting.options[name] for name in ("hand_size", "fold", "hands"))


def check(setting: Setting) -> None:
    if setting.options["hand_size"] == 1 and setting.num_players > 3:
        raise ValueError("hand_size=1 is for up to three players")


def _sections(setting: Setting, hands: list[Section]) -> tuple[Section, ...]:
    n = setting.num_players
    seats = tuple(f"{k} to the left" for k in range(n))
    sections = [
        *hands,
        Section("best", CARDS, "one-hot", "highest card played in this hand"),
        Section("turn", seats, "one-hot", "who is to move; none after the end"),
        Section("dealer", seats, "one-hot", "who dealt"),
    ]
    if setting.match:
        bins = tuple(f"{k + 1} hands or more" for k in range(HANDS_BINS))
        sections.append(Section("hands_played", bins, "thermometer", "finished hands"))
        bins = tuple(f"{least} points or more" for least in SCORE_BINS)
        sections += [Section(f"score_{k}", bins, "thermometer", f"total {k} to the left") for k in range(n)]
    return tuple(sections)


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    n = setting.num_players
    return {
        "hands": [set_texts(*s.hands[seat]) for seat in range(n)],
        "stock": [card_text(card) for card in s.stock[s.top : s.end]],
        "discard": [card_text(card) for card in s.stock[: s.pile_n][::-1]],
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [float(s.scores[seat]) / UNIT for seat in range(n)],
        "hand_number": int(s.hand_number),
        "folded": [seat for seat in range(n) if s.folded >> seat & 1],
    }


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    shown = reveal(s, setting)
    hidden = {"hands": [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])], "stock": len(shown["stock"])}
    return shown | hidden


HIGH_CARD = Game(
    name="high_card_v0", version=0, title="High Card", rule_set=RULE_SET, players=(2, SEATS), default_players=3,
    max_decisions=(100, 1_000),
    options=(
        Option("hand_size", "an int from 1 to 5", "cards dealt to each seat", int_range(1, 5), "TOY-1"),
        Option("fold", "True or False", "a seat may fold for half a point", one_of(False, True), "TOY-2"),
        Option("hands", "an int from 1 on", "match: number of hands", int_range(1), "TOY-3"),
    ),
    defaults={"hand_size": 3, "fold": False, "hands": 3},
    presets={"cautious": {"hand_size": 5, "fold": True, "hands": 2}},
    check=check, write_rules=write_rules, reveal=reveal, view=view,
    actions=lambda setting: (*(f"play {card}" for card in CARDS), *(["fold"] if setting.options["fold"] else [])),
    sections=lambda setting: _sections(setting, [Section("hand", CARDS, "set", "own hand")]),
    state_sections=lambda setting: _sections(
        setting, [Section(f"hand_{k}", CARDS, "set", f"hand of seat {k}") for k in range(setting.num_players)]
    ),
    summary="Each seat plays one card and the highest wins.\n\nA seat may fold if the rules allow it.",
)  # fmt: skip
