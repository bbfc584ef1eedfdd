"""The endgame solver of 8-ball on random deals: five tricks, all four hands known."""

from __future__ import annotations

import numpy as np

from eightsenv.benchmarks.measure import Run, steady
from eightsenv.variants.eight_ball.solver import solve_deals
from eightsenv.variants.eight_ball.trumps import CARDS

DEALS = 2000
"""Deals of one call of the solver."""


def deals(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random deals: the four hands (uint64[N, 4], sets of cards) and the trump suits (int64[N])."""
    rng = np.random.default_rng(seed)
    packs = rng.permuted(np.tile(np.array(CARDS, np.uint64), (count, 1)), axis=1)
    hands = np.bitwise_or.reduce(np.uint64(1) << packs[:, :20].reshape(count, 4, 5), axis=2)
    return hands, rng.integers(0, 4, count)


def time_per_deal(seed: int = 0) -> Run:
    """Microseconds a deal, in batches on one core; seat 0 leads, and the tricks of its side are counted."""
    hands, trumps = deals(DEALS, seed)
    solved = steady(lambda: len(solve_deals(hands, trumps, 0)))
    return lambda seconds: 1e6 / solved(seconds)


def positions_per_deal(seed: int = 0) -> Run:
    """The positions that a search visits on the same deals, on average."""
    hands, trumps = deals(DEALS, seed)

    def run(seconds: float) -> float:
        nodes = np.zeros(DEALS, np.int64)
        solve_deals(hands, trumps, 0, nodes=nodes)
        return float(nodes.mean())

    return run
