"""What the rooms of all variants write their tables with: options, bins of sections, thermometers, amounts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eightsenv.game import UNIT, Game, Option, Setting, one_of, rules_row


def choice(name: str, values: Sequence[str], rule: str, meaning: str) -> Option:
    """An option whose values are texts; the place of a value in ``values`` is its code."""
    return Option(name, " or ".join(repr(value) for value in values), meaning, one_of(*values), rule)


def flag(name: str, rule: str, meaning: str) -> Option:
    """An option that is True or False."""
    return Option(name, "True or False", meaning, one_of(False, True), rule)


def at_least(bins: Sequence[int], what: str) -> tuple[str, ...]:
    """The words for the bins of a thermometer."""
    return tuple(f"{least} {what} or more" for least in bins)


def seats(n: int, whose: str) -> tuple[str, ...]:
    """The words for the bins of a one-hot or set of seats, own seat first."""
    return tuple(f"{whose} is {'own seat' if k == 0 else f'{k} to the left'}" for k in range(n))


def thermometer(bins: Sequence[int], highest: int) -> np.ndarray:
    """The thermometer of each count in 0 … highest, as bit strings (uint64[highest + 1])."""
    return np.array([sum(1 << k for k, least in enumerate(bins) if count >= least) for count in range(highest + 1)], np.uint64)


def of_rules(game: Callable[[], Game], table: Callable[[np.record], Any]) -> Callable[[Setting], Any]:
    """A table of a setting's rules record, made once for each setting.

    A short rollout would else take longer for it than for the games. ``game`` gives a variant whose rule set writes the record; it
    is asked when the table is.
    """
    return functools.lru_cache(maxsize=256)(lambda setting: table(rules_row(game(), setting)[0]))


def points(units: int) -> int | float:
    """An amount in 1/840 as a number: an int where it is whole."""
    return int(units) // UNIT if units % UNIT == 0 else float(units) / UNIT
