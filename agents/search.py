"""Bots that search: they sample what their seat cannot know, and play on from there (:mod:`eightsenv.search`)."""

from __future__ import annotations

import math
import re

import numpy as np

from eightsenv.agents.base import Agent
from eightsenv.engine import VectorCore, check_threads
from eightsenv.rng import check_seed
from eightsenv.search import METHODS, Search


class SearchAgent(Agent):
    """A search with a budget for each decision. See :class:`PimcAgent` and :class:`IsmctsAgent`."""

    method: str
    unit: str
    """What the budget counts, if not time."""

    def __init__(self, simulations: int | None, milliseconds: float | None, seed: int, num_threads: int | None):
        if (simulations is None) == (milliseconds is None):
            raise ValueError(f"the budget of {self.method} is a number of {self.unit} or of milliseconds: one of them")
        if simulations is not None:
            if isinstance(simulations, bool) or not isinstance(simulations, (int, np.integer)):
                raise TypeError(f"a number of {self.unit} is an int, not {simulations!r}")
            if not 1 <= simulations <= MOST:
                raise ValueError(f"a number of {self.unit} is an int from 1 to {MOST:,}, not {simulations}")
            simulations = int(simulations)
        if milliseconds is not None:
            if isinstance(milliseconds, bool) or not isinstance(milliseconds, (int, float, np.integer, np.floating)):
                raise TypeError(f"milliseconds are a number, not {milliseconds!r}")
            if not (milliseconds > 0 and math.isfinite(milliseconds)):
                raise ValueError(f"milliseconds are a number above 0, not {milliseconds}")
        if num_threads is not None:
            check_threads(num_threads)
        self.simulations, self.milliseconds, self.num_threads = simulations, milliseconds, num_threads
        self.name = f"{self.method}:{simulations}" if milliseconds is None else f"{self.method}:{milliseconds:g}ms"
        self._seed = check_seed(seed)
        self._search: Search | None = None

    def seed(self, seed: int) -> None:
        self._seed = check_seed(seed)

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        if self._search is None or self._search.core is not core:
            self._search = Search(core, self.method, simulations=self.simulations, milliseconds=self.milliseconds)
        return self._search.choose(rows, self._seed, self.num_threads)


class PimcAgent(SearchAgent):
    """Perfect-information Monte Carlo: the action that is best on average over worlds that agree with what the seat knows.

    In each world every legal action is tried once, and the rest played by the greedy policy, or perfectly where the variant can
    tell (the card play of 8-ball).
    """

    method, unit = "pimc", "worlds"

    def __init__(
        self, worlds: int | None = None, *, milliseconds: float | None = None, seed: int = 0, num_threads: int | None = None
    ):
        """The budget of a decision: ``worlds``, the same choices for the same ``seed``, or ``milliseconds`` of wall time.

        ``num_threads`` share the games of a batch; None: as many as the core has.

        Raises:
            ValueError: no budget or two, or one that is not above 0; a bad seed or number of threads.
            TypeError: a budget that is not a number, a seed that is not an int.
        """
        super().__init__(worlds, milliseconds, seed, num_threads)


class IsmctsAgent(SearchAgent):
    """Information-set Monte Carlo tree search with one observer (Cowling, Powley, Whitehouse 2012)."""

    method, unit = "ismcts", "iterations"

    def __init__(
        self, iterations: int | None = None, *, milliseconds: float | None = None, seed: int = 0, num_threads: int | None = None
    ):
        """The budget of a decision: ``iterations`` of one simulation each, or ``milliseconds``; all else as :class:`PimcAgent`."""
        super().__init__(iterations, milliseconds, seed, num_threads)


MOST = 1_000_000
"""The greatest budget of simulations: a tree has a node for each, of some hundred bytes."""

SPECS = "pimc:WORLDS, pimc:NUMBERms, ismcts:ITERATIONS, ismcts:NUMBERms"
"""The texts that name search agents."""


def load(spec: str) -> SearchAgent | None:
    """The agent of a text such as ``pimc:200`` (worlds), ``ismcts:1000`` (iterations) or ``ismcts:50ms``; None if it names none.

    Raises:
        ValueError: a search without a budget, or with one that is not a number above 0.
    """
    method, _, budget = spec.partition(":")
    if method not in METHODS:
        return None
    agent = PimcAgent if method == "pimc" else IsmctsAgent
    found = re.fullmatch(r"(\d{1,12})(ms)?", budget)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"the budget of {method} is a number of {agent.unit} or of milliseconds above 0, "
                         f"as in '{method}:200' or '{method}:50ms', not {budget!r}")  # fmt: skip
    return agent(milliseconds=int(found[1])) if found[2] else agent(int(found[1]))
