"""What the observations of all games are written with: seats, counts, hands played and totals of a match."""

from __future__ import annotations

from eightsenv.bits import U, bit, compiled, hot, put
from eightsenv.game import Section
from eightsenv.variants.shedding import left_of
from eightsenv.variants.tables import at_least, thermometer

HANDS_PLAYED_BINS = (1, 2, 3, 4, 6, 8, 12, 16)
_HANDS_PLAYED = thermometer(HANDS_PLAYED_BINS, HANDS_PLAYED_BINS[-1])
_HANDS_PLAYED_N, _HANDS_PLAYED_TOP = len(HANDS_PLAYED_BINS), HANDS_PLAYED_BINS[-1]


def hands_played_section() -> Section:
    """The first section that :func:`put_match` writes."""
    return Section("hands_played", at_least(HANDS_PLAYED_BINS, "hands"), "thermometer", "finished hands of the match")


@compiled
def put_match(s, r, first, seats, row, at):
    """Write the hands played, and the totals of ``seats`` seats from ``first`` on as thermometers of ``r.score_bins``."""
    at = put(row, at, _HANDS_PLAYED[min(s.hand_number, _HANDS_PLAYED_TOP)], _HANDS_PLAYED_N)
    bins = r.score_bins
    seat = first
    for _ in range(seats):
        level = 0
        while level < bins.shape[0] and s.scores[seat] >= bins[level]:
            level += 1
        at = put(row, at, bit(level) - U(1), bins.shape[0])
        seat = left_of(seat, r.num_players)
    return at


@hot
def seat_bit(seat, first, n):
    """One-hot of a seat, counted from the seat ``first`` on."""
    return bit(seat - first if seat >= first else seat - first + n)


@hot
def count_bits(count, most):
    """Thermometer of a count with the bins 1, 2 … most, at most 63."""
    return bit(min(count, most)) - U(1)
