"""Confidence intervals by resampling deals: the percentile bootstrap.

Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000

_AT_ONCE = 1 << 22
"""Weights that are held in memory at once."""


@dataclass(frozen=True)
class Interval:
    """A mean over deals and its 95 % bootstrap interval (None with a single deal)."""

    mean: float
    low: float | None
    high: float | None

    def text(self, digits: int = 2) -> str:
        return f"{self.mean:+.{digits}f}{self.bounds(digits)}"

    def percent(self) -> str:
        """The same of a rate."""
        limits = "" if self.low is None or self.high is None else f" [{100 * self.low:.1f}, {100 * self.high:.1f}]"
        return f"{100 * self.mean:.1f} %{limits}"

    def bounds(self, digits: int = 2) -> str:
        """The interval alone, after a space."""
        return "" if self.low is None or self.high is None else f" [{self.low:+.{digits}f}, {self.high:+.{digits}f}]"


def intervals(samples: np.ndarray, seed: int) -> list[Interval]:
    """The mean of each column of ``samples`` (float64[D, Q]: a row for each deal) with its interval.

    All columns are resampled together, so that what they share is kept. ``seed``: of the resampling.
    """
    deals = len(samples)
    means = samples.mean(0)
    if deals < 2:
        return [Interval(float(mean), None, None) for mean in means]
    rng = np.random.default_rng(seed)
    resampled = np.empty((RESAMPLES, samples.shape[1]))
    at_once = max(1, _AT_ONCE // deals)
    for first in range(0, RESAMPLES, at_once):
        rows = range(first, min(RESAMPLES, first + at_once))
        times = np.stack([np.bincount(rng.integers(0, deals, deals), minlength=deals) for _ in rows])
        resampled[rows.start : rows.stop] = times @ samples / deals
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    return [Interval(*map(float, column)) for column in zip(means, low, high, strict=True)]
