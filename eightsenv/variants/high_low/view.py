"""What a seat sees of the high-low layout game, and the full-information vector: named sections of 0/1 bytes.

The lists of sections and the compiled writers have the same order.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, popcount, put
from eightsenv.cards import CARDS, RANKS
from eightsenv.game import Section
from eightsenv.variants.chips import match_sections
from eightsenv.variants.high_low.play import count
from eightsenv.variants.high_low.state import HAND
from eightsenv.variants.shedding import left_of
from eightsenv.variants.tables import at_least, seats, thermometer
from eightsenv.variants.writers import count_bits, put_match, seat_bit

COUNT_BINS = (1, 5, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 55, 60)
"""Thresholds of what a hand counts: five cards count 36 on the average."""
HIGHEST_COUNT = 75
_COUNT = thermometer(COUNT_BINS, HIGHEST_COUNT)
_COUNT_N = len(COUNT_BINS)


def _table_sections(r: np.record) -> list[Section]:
    """What lies open to everybody; seats relative to the first."""
    n = int(r.num_players)
    sections = [
        Section("layout", CARDS, "set", "cards that were dealt to the middle"),
        Section("ranks", tuple(RANKS), "set", "ranks of the layout: what can be laid"),
        Section("turn", seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", seats(n, "dealer"), "one-hot", "who dealt"),
        Section("passes", at_least(range(1, n), "passes"), "thermometer", "passes in succession"),
        Section("passed", seats(n, "passed"), "set", "who has passed in this hand"),
    ]
    for k in range(n):
        whose = "by own seat" if k == 0 else f"{k} to the left"
        sections.append(Section(f"laid_{k}", CARDS, "set", f"cards laid {whose}"))
        sections.append(Section(f"hand_size_{k}", at_least(range(1, HAND + 1), "cards"), "thermometer", f"cards left {whose}"))
    return [*sections, *match_sections(r)]


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    return (
        Section("hand", CARDS, "set", "own hand"),
        Section("count", at_least(COUNT_BINS, "points"), "thermometer", "what the own hand counts"),
        Section("least", at_least(COUNT_BINS, "points"), "thermometer", "what of it counts that can never be laid"),
        Section("playable", CARDS, "set", "own cards of a rank in the layout"),
        *_table_sections(r),
    )


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    hands = [Section(f"hand_{k}", CARDS, "set", f"hand of seat {k}") for k in range(int(r.num_players))]
    return (*hands, Section("dead", CARDS, "set", "cards out of play"), *_table_sections(r))


@compiled
def _put_table(s, r, first, row, at):
    """The open table, with seats counted from ``first`` on."""
    n = r.num_players
    layout = U(0)
    ranks = U(0)
    for slot in range(s.layout.shape[0]):
        card = int(s.layout[slot])
        layout |= bit(card)
        ranks |= bit(card >> 2)
    at = put(row, at, layout, 52)
    word = ranks
    if not s.over:
        word |= seat_bit(s.seat, first, n) << U(13)
    word |= seat_bit(s.dealer, first, n) << U(13 + n)
    word |= count_bits(s.passes, n - 1) << U(13 + 2 * n)
    for seat in range(n):
        if (s.passed >> seat) & 1:
            word |= seat_bit(np.int64(seat), first, n) << U(12 + 3 * n)
    at = put(row, at, word, 12 + 4 * n)
    seat = first
    for _ in range(n):
        size = count_bits(popcount(s.hands[seat]), np.int64(HAND))
        at = put(row, at, s.laid[seat] | size << U(52), 52 + HAND)
        seat = left_of(seat, n)
    return put_match(s, r, first, n, row, at) if r.match else at


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    hand = s.hands[seat]
    plays = hand & s.matching
    at = put(row, np.int64(0), hand, 52)
    at = put(row, at, _COUNT[count(hand)] | _COUNT[count(hand & ~plays)] << U(_COUNT_N), 2 * _COUNT_N)
    at = put(row, at, plays, 52)
    return _put_table(s, r, seat, row, at)


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        at = put(row, at, s.hands[seat], 52)
    dead = U(0)
    for place in range(s.top, s.end):
        dead |= bit(int(s.stock[place]))
    at = put(row, at, dead, 52)
    return _put_table(s, r, np.int64(0), row, at)
