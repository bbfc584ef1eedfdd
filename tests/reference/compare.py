"""What comparisons of an environment with a plain model share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

HABITS: list[tuple[str, ...]] = [(), ("play",), ("draw",), ("draw", "play"), ("play", "draw"), ("draw", "pass"), ("silent", "pass")]
"""Kinds of actions that a random player prefers: some reach ends that the uniform one rarely sees."""


def choose(rng: random.Random, legal: Iterable[str], habit: tuple[str, ...]) -> str:
    """A legal action, mostly of the first kind of the habit that there is."""
    legal = sorted(legal)
    for kind in habit:
        liked = [action for action in legal if action.startswith(kind)]
        if liked and rng.random() < 0.8:
            return rng.choice(liked)
    return rng.choice(legal)


def equal(amounts: Sequence[float], exact: Sequence[Fraction | int]) -> bool:
    """Whether amounts are the exact ones, rounded to float32 at most."""
    return len(amounts) == len(exact) and all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(amounts, exact, strict=True))


def win_shares(won: Sequence[int], n: int) -> list[Fraction]:
    """The rewards of ``reward="win"``: the winners share +1, the losers -1; without either all 0."""
    lost = n - len(won)
    if not won or not lost:
        return [Fraction(0)] * n
    return [Fraction(1, len(won)) if seat in won else Fraction(-1, lost) for seat in range(n)]


def best(totals: Sequence[Fraction]) -> list[int]:
    """The seats with the most."""
    return [seat for seat, total in enumerate(totals) if total == max(totals)]
