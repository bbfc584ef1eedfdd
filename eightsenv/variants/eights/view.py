"""What a seat sees (the observation), and the full-information vector: named sections of 0/1 bytes.

The lists of sections below and the compiled writers have the same order; a test holds every section against the
state in words.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, put
from eightsenv.cards import CARDS as CARD_TEXTS
from eightsenv.cards import RANKS, SUITS
from eightsenv.game import Section, Setting
from eightsenv.variants.eights.play import fitting
from eightsenv.variants.eights.state import CARDS, PENALTY, SCORE_BINS, SUIT, Phase
from eightsenv.variants.shedding import count_cards, left_of, stock_size

HAND_BINS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20)
STOCK_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
HANDS_PLAYED_BINS = (1, 2, 3, 4, 6, 8, 12, 16)
POINT_BINS = (1, 10, 20, 35, 50, 75, 100, 125, 150, 200, 250, 300)
BALANCE_BINS = (-200, -100, -50, -25, -10, 0, 1, 10, 25, 50, 100, 200)


def _thermometer(bins: tuple[int, ...], highest: int) -> np.ndarray:
    """The thermometer of each count in 0 … highest, as bit strings."""
    return np.array([sum(1 << k for k, least in enumerate(bins) if count >= least) for count in range(highest + 1)], np.uint64)


_HAND = _thermometer(HAND_BINS, CARDS)
_STOCK = _thermometer(STOCK_BINS, CARDS)
_HANDS_PLAYED = _thermometer(HANDS_PLAYED_BINS, HANDS_PLAYED_BINS[-1])
_HAND_N, _STOCK_N = len(HAND_BINS), len(STOCK_BINS)
_HANDS_PLAYED_N, _HANDS_PLAYED_TOP = len(HANDS_PLAYED_BINS), HANDS_PLAYED_BINS[-1]
_PHASES = len(Phase)


def score_bins(score_mode: int) -> tuple[int, ...]:
    """The thresholds of the score thermometers: points charged are never negative, balances are."""
    return POINT_BINS if score_mode == PENALTY else BALANCE_BINS


def drawn_bins(setting: Setting) -> int:
    """How many draws of a turn are told apart: as many as the rules allow, eight when there is no limit."""
    return setting.options["draw_limit"] or 8


def _at_least(bins: tuple[int, ...], what: str) -> tuple[str, ...]:
    return tuple(f"{least} {what} or more" for least in bins)


def _seats(n: int, whose: str) -> tuple[str, ...]:
    return tuple(f"{whose} is {'own seat' if k == 0 else f'{k} to the left'}" for k in range(n))


def _table_sections(setting: Setting, score_mode: int) -> list[Section]:
    """What lies open to everybody, after the cards; seats relative to the first."""
    n = setting.num_players
    sections = [
        Section("top_rank", tuple(RANKS), "one-hot", "rank of the top discard"),
        Section("suit_in_force", tuple(SUITS), "one-hot", "suit in force; none while one is to be named"),
        Section("phase", tuple(phase.name.lower() for phase in Phase), "one-hot", "what the seat to move decides"),
        Section("turn", _seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", _seats(n, "dealer"), "one-hot", "who dealt"),
        Section("stock_size", _at_least(STOCK_BINS, "cards"), "thermometer", "cards left in the stock"),
        Section(
            "drawn",
            _at_least(tuple(range(1, drawn_bins(setting) + 1)), "cards"),
            "thermometer",
            "cards drawn in this turn by the seat to move",
        ),
        Section("passes", _at_least(tuple(range(1, n)), "passes"), "thermometer", "passes in succession with nothing left to draw"),
    ]
    for k in range(n):
        whose = "own hand" if k == 0 else f"the hand {k} to the left"
        sections.append(Section(f"hand_size_{k}", _at_least(HAND_BINS, "cards"), "thermometer", f"cards in {whose}"))
    if setting.match:
        sections.append(
            Section("hands_played", _at_least(HANDS_PLAYED_BINS, "hands"), "thermometer", "finished hands of the match")
        )
        for k in range(n):
            whose = "own total" if k == 0 else f"the total {k} to the left"
            sections.append(Section(f"score_{k}", _at_least(score_bins(score_mode), "points"), "thermometer", whose))
    return sections


def _cards(name: str, decks: int, meaning: str) -> list[Section]:
    """A set of cards: one section, and one more for second copies when there are two packs."""
    sections = [Section(name, CARD_TEXTS, "set", meaning)]
    if decks == 2:
        sections.append(Section(f"{name}_twice", CARD_TEXTS, "set", f"{meaning}: both copies"))
    return sections


def observation_sections(setting: Setting, decks: int, score_mode: int) -> tuple[Section, ...]:
    """The observation of a seat, in order; own seat first."""
    return (
        *_cards("hand", decks, "own hand"),
        Section("playable", CARD_TEXTS, "set", "own cards that fit the table; none while a suit is to be named"),
        *_cards("pile", decks, "cards in the discard pile"),
        *_table_sections(setting, score_mode),
    )


def state_vector_sections(setting: Setting, decks: int, score_mode: int) -> tuple[Section, ...]:
    """The full-information vector, in order; seats are absolute, seat 0 first."""
    hands = [s for k in range(setting.num_players) for s in _cards(f"hand_{k}", decks, f"hand of seat {k}")]
    return (
        *hands,
        *_cards("stock", decks, "cards in the stock"),
        Section("next_card", CARD_TEXTS, "one-hot", "top card of the stock"),
        *_cards("pile", decks, "cards in the discard pile"),
        *_table_sections(setting, score_mode),
    )


@compiled
def _put_cards(row, at, planes, decks):
    at = put(row, at, planes[0], 52)
    if decks == 2:
        at = put(row, at, planes[1], 52)
    return at


@compiled
def _seat_bit(seat, first, n):
    """One-hot of a seat, counted from the seat ``first`` on."""
    return bit(seat - first if seat >= first else seat - first + n)


@compiled
def _count_bits(count, most):
    """Thermometer of a count with the bins 1, 2 … most."""
    return bit(min(count, most)) - U(1)


@compiled
def _put_score(row, at, r, score):
    level = 0
    while level < SCORE_BINS and score >= r.score_bins[level]:
        level += 1
    return put(row, at, bit(level) - U(1), SCORE_BINS)


@compiled
def _put_table(s, r, first, row, at):
    """The open table, with seats counted from ``first`` on. Sections are joined in words first: each ``put`` costs."""
    n = r.num_players
    word = bit(s.rank)
    if s.phase != SUIT:
        word |= bit(13 + s.suit)
    word |= bit(17 + s.phase)
    size = 17 + _PHASES
    if not s.over:
        word |= _seat_bit(s.seat, first, n) << U(size)
    word |= _seat_bit(s.dealer, first, n) << U(size + n)
    word |= _STOCK[stock_size(s)] << U(size + 2 * n)
    at = put(row, at, word, size + 2 * n + _STOCK_N)
    word = _count_bits(s.drawn, r.drawn_bins) | _count_bits(s.passes, n - 1) << U(r.drawn_bins)
    at = put(row, at, word, r.drawn_bins + n - 1)
    seat = first
    word = U(0)
    size = 0
    for _ in range(n):
        word |= _HAND[count_cards(s.hands[seat])] << U(size)
        size += _HAND_N
        if size + _HAND_N > 64:
            at = put(row, at, word, size)
            word = U(0)
            size = 0
        seat = left_of(seat, n)
    at = put(row, at, word, size)
    if r.match:
        at = put(row, at, _HANDS_PLAYED[min(s.hand_number, _HANDS_PLAYED_TOP)], _HANDS_PLAYED_N)
        for _ in range(n):
            at = _put_score(row, at, r, s.scores[seat])
            seat = left_of(seat, n)
    return at


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    hand = s.hands[seat]
    at = _put_cards(row, np.int64(0), hand, r.decks)
    at = put(row, at, hand[0] & fitting(s, r) if s.phase != SUIT else U(0), 52)
    at = _put_cards(row, at, s.pile_set[:], r.decks)
    return _put_table(s, r, seat, row, at)


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        at = _put_cards(row, at, s.hands[seat], r.decks)
    once, twice = U(0), U(0)
    for i in range(s.top, s.end):
        card = bit(np.int64(s.stock[i]))
        twice |= once & card
        once |= card
    at = put(row, at, once, 52)
    if r.decks == 2:
        at = put(row, at, twice, 52)
    at = put(row, at, bit(np.int64(s.stock[s.top])) if s.top < s.end else U(0), 52)
    at = _put_cards(row, at, s.pile_set[:], r.decks)
    return _put_table(s, r, np.int64(0), row, at)
