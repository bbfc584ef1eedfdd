"""What the matches of all games share: who deals next, and who has the best result."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import compiled
from eightsenv.game import Option
from eightsenv.rng import chance_below
from eightsenv.variants.shedding import left_of
from eightsenv.variants.tables import choice

ROTATION = ("left", "winner", "loser", "random")
"""The values of the option ``deal_rotation``; the rules record has the place of the chosen one in ``rotation``."""
_LEFT, _WINNER, _LOSER, _RANDOM = range(4)


def rotation_option() -> Option:
    """The option ``deal_rotation``."""
    return choice("deal_rotation", ROTATION, "AMB-G-3",
                  "match: who deals next: the dealer's left, the seat with the best or worst payoff, a random seat")  # fmt: skip


@compiled
def next_dealer(s, r):
    """The deal moves left, or to the winner, the loser or a random seat (AMB-G-3)."""
    n = r.num_players
    if r.rotation == _LEFT:
        return left_of(s.dealer, n)
    if r.rotation == _RANDOM:
        return chance_below(s, n)
    sign = -1 if r.rotation == _LOSER else 1
    seat = left_of(s.dealer, n)
    chosen = seat
    for _ in range(n - 1):
        seat = left_of(seat, n)
        if sign * s.last_payoff[seat] > sign * s.last_payoff[chosen]:
            chosen = seat
    return chosen


@compiled
def best_seats(values, n, sign):
    """The first ``n`` seats with the most, by ``values`` (int64[:]), as a bit mask; with ``sign`` -1 those with the fewest."""
    best = np.int64(1)
    top = sign * values[0]
    for seat in range(1, n):
        value = sign * values[seat]
        if value > top:
            top = value
            best = np.int64(0)
        if value == top:
            best |= np.int64(1) << seat
    return best
