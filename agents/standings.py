"""What comes out of a tournament (see :mod:`eightsenv.agents.tournament`): payoffs, wins and differences by deal, and ratings."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightsenv.agents.bootstrap import Interval, intervals
from eightsenv.agents.evaluation import TIED, Played, by_agent
from eightsenv.agents.pairing import Plan, Unit
from eightsenv.agents.ratings import Rating, rate
from eightsenv.variants import get

RATED = 20_000
"""About how many games are rated: those of the first deals. The library takes them one by one."""


@dataclass(frozen=True)
class Standing:
    """What one agent reached."""

    agent: str
    payoff: Interval
    """Mean reward of an episode and seat: the mean of its row in ``payoffs``, or at mixed tables of all its tables."""
    win_rate: Interval
    """Wins for each game and seat in the same games, shared wins counted in parts; among equals one by the number of players."""
    advantage: Interval
    """Its mean payoff less that of the others in the same games: the mean of its row in ``differences``."""
    rating: Rating
    """From single games, see :mod:`eightsenv.agents.ratings`."""


Matrix = tuple[tuple[Interval | None, ...], ...]
"""By row's agent and column's agent, in the order in which they were listed; None on the diagonal."""


@dataclass(frozen=True)
class Result:
    """The result of a tournament."""

    variant: str
    setting: dict[str, Any]
    seed: int
    deals: int
    tables: str
    """The form."""
    games: int
    truncated: int
    """Games that reached ``max_decisions``."""
    sides: int
    """How many sides play: seats, or pairs of partners."""
    agents: tuple[Standing, ...]
    """In the order in which they were listed."""
    payoffs: Matrix
    """The mean payoff of the row's agent for each seat. At tables of pairs: where it has one side, and the column's agent has
    all others. At mixed tables: where the column's agent sits at the table too."""
    win_rates: Matrix
    """Its wins for each game and seat in the same games."""
    differences: Matrix
    """The mean payoff of the row's agent less that of the column's agent, in all games where both play: antisymmetric."""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able values."""
        return dataclasses.asdict(self)

    def headline(self) -> tuple[Matrix, str]:
        """The matrix that tells most, and what a cell of it is: the payoffs, or at mixed tables, where they hardly depend on the
        column's agent, the differences."""
        if self.tables == "mixed":
            return self.differences, "mean payoff of the row's agent less that of the column's agent, in the same games"
        if self.sides == 2:
            return self.payoffs, "mean payoff of the row's agent against the column's agent"
        alone = "seat" if self.sides == self.setting["num_players"] else "side"
        return self.payoffs, f"mean payoff of the row's agent on one {alone}, the column's agent on all others"

    def ranking(self) -> list[int]:
        """The numbers of the agents, the greatest advantage first."""
        return sorted(range(len(self.agents)), key=lambda k: -self.agents[k].advantage.mean)


class Tally:
    """Collects finished units, in any order."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.games = self.truncated = 0
        self._payoffs = [np.zeros((plan.deals, len(table.present))) for table in plan.tables]
        self._wins = [np.zeros_like(samples) for samples in self._payoffs]
        self._rated_deals = min(plan.deals, max(1, RATED * plan.deals // plan.games))
        sides = len(get(plan.setting.variant).sides(plan.setting))
        self._rated = [np.zeros((self._rated_deals, len(table.lineups), sides)) for table in plan.tables]

    def add(self, unit: Unit, played: Played) -> None:
        table = self.plan.tables[unit.table]
        rows, lineups = slice(unit.first, unit.stop), np.searchsorted(table.present, table.lineups)
        self._payoffs[unit.table][rows] = by_agent(played.totals, lineups, len(table.present))
        self._wins[unit.table][rows] = by_agent(played.wins(self.plan.setting), lineups, len(table.present))
        self.games += played.truncated.size
        self.truncated += int(played.truncated.sum())
        rated = self._rated[unit.table][rows]
        if len(rated):
            side_of = get(self.plan.setting.variant).side_of(self.plan.setting)
            # As nobody wins a truncated game, it is a draw.
            totals = np.where(played.truncated[:, :, None], 0.0, played.totals)[: len(rated)]
            rated[:] = np.stack([totals[:, :, side_of == k].mean(2) for k in range(rated.shape[2])], axis=2)

    def result(self) -> Result:
        plan, setting = self.plan, self.plan.setting
        number = len(plan.entrants)
        pairs = list(itertools.permutations(range(number), 2))
        samples: dict[Any, np.ndarray] = {}
        for what, values in (("payoff", self._payoffs), ("win", self._wins)):
            for pair in pairs:
                samples[what, *pair] = self._mean(values, pair[0], self._cell(*pair))
            for k in range(number):
                if plan.form == "pairs":
                    samples[what, k] = np.mean([samples[what, k, other] for other in range(number) if other != k], axis=0)
                else:
                    samples[what, k] = self._mean(values, k, self._with({k}))
        for a, b in pairs:
            both = self._with({a, b})
            samples["difference", a, b] = self._mean(self._payoffs, a, both) - self._mean(self._payoffs, b, both)
        for k in range(number):
            samples["difference", k] = np.mean([samples["difference", k, other] for other in range(number) if other != k], axis=0)
        found = dict(zip(samples, intervals(np.stack(list(samples.values()), axis=1), plan.seed), strict=True))

        def matrix(what: str) -> Matrix:
            return tuple(tuple(found.get((what, a, b)) for b in range(number)) for a in range(number))

        ratings = rate(self._matches(), number)
        standings = tuple(
            Standing(entrant.name, found["payoff", k], found["win", k], found["difference", k], ratings[k])
            for k, entrant in enumerate(plan.entrants)
        )
        return Result(
            setting.variant, setting.as_dict(), plan.seed, plan.deals, plan.form, self.games, self.truncated,
            len(get(setting.variant).sides(setting)), standings, matrix("payoff"), matrix("win"), matrix("difference"),
        )  # fmt: skip

    def _with(self, agents: set[int]) -> list[int]:
        """The tables at which all these agents sit."""
        return [k for k, table in enumerate(self.plan.tables) if agents <= set(table.agents)]

    def _cell(self, a: int, b: int) -> list[int]:
        """The tables that a cell of the payoff matrix speaks of."""
        both = self._with({a, b})
        return [k for k in both if self.plan.tables[k].agents.count(a) == 1] if self.plan.form == "pairs" else both

    def _mean(self, values: list[np.ndarray], agent: int, tables: list[int]) -> np.ndarray:
        """The mean of an agent's samples over some tables, float64[D]."""
        return np.mean([values[k][:, self.plan.tables[k].present.index(agent)] for k in tables], axis=0)

    def _matches(self) -> Iterator[tuple[list[int], list[int]]]:
        """The games that are rated, in an order that the seed gives: each of the game's agents is seen on one of its sides, which
        the seed draws, and ranked by what that side got."""
        rng = np.random.default_rng(self.plan.seed)
        side_of = get(self.plan.setting.variant).side_of(self.plan.setting)
        first_seat = [int(np.flatnonzero(side_of == k)[0]) for k in range(side_of.max() + 1)]
        games = [(k, *game) for k, totals in enumerate(self._rated) for game in np.ndindex(*totals.shape[:2])]
        sides_of = [
            [[np.flatnonzero(lineup[first_seat] == agent) for agent in table.present] for lineup in table.lineups]
            for table in self.plan.tables
        ]
        for number in rng.permutation(len(games)):
            k, deal, lineup = games[number]
            drawn = [sides[int(rng.random() * len(sides))] for sides in sides_of[k][lineup]]
            totals = self._rated[k][deal, lineup, drawn].tolist()
            yield self.plan.tables[k].present, [sum(other > total + TIED for other in totals) for total in totals]
