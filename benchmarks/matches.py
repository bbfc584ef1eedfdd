"""One bot on one seat or side against another on all others: which bots search, and what came out in the words of tables."""

from __future__ import annotations

from eightsenv.agents.evaluation import Estimate, Evaluation

SEARCHES = ("pimc:100", "ismcts:1000")
"""The search bots that others are compared with."""


def advantage(result: Evaluation) -> Estimate:
    """What the first agent gets beyond the others in the same games."""
    assert result.advantage is not None  # nobody plays alone here
    return result.advantage


def certain(gap: Estimate) -> int:
    """1 or −1 if an advantage lies above or below zero with its whole interval, else 0."""
    if gap.half_width is None or abs(gap.mean) <= gap.half_width:
        return 0
    return 1 if gap.mean > 0 else -1


def wins(result: Evaluation) -> Estimate:
    """The share of games that the first agent's seat or side won; partners win together."""
    first = result.agents[0]
    half = first.win_rate.half_width
    return Estimate(first.seats * first.win_rate.mean, None if half is None else first.seats * half)


def equal_share(result: Evaluation) -> float:
    """The share of games that the first agent would win among equals, if somebody won every game."""
    return result.agents[0].seats / result.setting["num_players"]
