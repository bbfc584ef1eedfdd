"""How strong the search bots are for what they may spend: ``python -m eightsenv.benchmarks.search``.

A bot of each method and budget plays in one seat (or on one side) against greedy in all others, on duplicate deals: every deal is
played once from each seat. Given are the advantage, the bot's mean payoff less that of the others in the same games, with its
95 % confidence interval over deals; the share of games won; and simulations for each second of searching, on one thread: iterations
of IS-MCTS, worlds of PIMC, each of which plays every legal action on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from eightsenv.agents import Agent, GreedyAgent, IsmctsAgent, PimcAgent
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.benchmarks import command
from eightsenv.benchmarks.measure import machine, versions
from eightsenv.engine import VectorCore
from eightsenv.game import practised, resolve
from eightsenv.variants import get, names

METHODS = {"ismcts": IsmctsAgent, "pimc": PimcAgent}
BUDGETS = (10, 100, 1_000, 10_000)
DEALS = {10: 8_000, 100: 4_000, 1_000: 800, 10_000: 80}
"""Deals by budget: about as much time for each."""
QUICK = {10: 4, 100: 2}
TABLES = {"crazy_eights_v0": (2, 4), "house_eights_v0": (4,), "speculation_v0": (4,)}
"""Numbers of players by variant, where they are not the variant's default alone."""


@dataclass(frozen=True)
class Result:
    """What one bot reached at one table."""

    variant: str
    players: int
    bot: str
    deals: int
    advantage: Estimate
    win_rate: Estimate
    per_second: float
    """Simulations for each second of searching."""


class Timed(Agent):
    """A search agent that counts its decisions and their time; forced ones are left out of the count."""

    def __init__(self, agent: Agent):
        self.agent, self.name = agent, agent.name
        self.decisions, self.seconds = 0, 0.0

    def seed(self, seed: int) -> None:
        self.agent.seed(seed)

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        self.decisions += int((core.batch.action_mask[rows].sum(1) > 1).sum())
        began = time.perf_counter()
        actions = self.agent.act_batch(core, rows)
        self.seconds += time.perf_counter() - began
        return actions


def measure(variant: str, players: int, method: str, budget: int, deals: int, seed: int = 0) -> Result:
    """Play one bot against greedy. Raises ``ValueError`` for a number of players that the variant does not take."""
    game = get(variant)
    setting = resolve(game, **practised(game, {"num_players": players}))
    agent = METHODS[method](budget)
    core = VectorCore(game, setting, np.zeros(1, np.uint64))
    core.reset()
    agent.act_batch(core, np.zeros(1, np.int64))  # compiled before time is taken
    bot = Timed(agent)
    result = evaluate([bot, GreedyAgent()], setting, deals=deals, seed=seed)
    assert result.advantage is not None
    row, speed = result.agents[0], budget * bot.decisions / max(bot.seconds, 1e-9)
    return Result(variant, players, bot.name, deals, result.advantage, row.win_rate, speed)


def show(console: Console, results: Sequence[Result]) -> None:
    """Print the results as one table."""
    table = Table("variant", "players", "bot", "deals", "advantage over greedy", "games won", "simulations/s")
    for column in table.columns[3:]:
        column.justify = "right"
    for r in results:
        won, speed = r.win_rate.percent(), f"{r.per_second / 1e3:,.0f} k"
        table.add_row(r.variant, str(r.players), r.bot, f"{r.deals:,}", r.advantage.text(), won, speed)
    console.print(table)


def _cases(variants: Sequence[str], methods: Sequence[str], budgets: Sequence[int]) -> Iterator[tuple[str, int, str, int]]:
    """Variant, players, method and budget of each line. PIMC goes without the last: a world costs as much as several iterations."""
    for variant in variants:
        for players in TABLES.get(variant, (get(variant).default_players,)):
            for method in methods:
                for budget in budgets if method == "ismcts" else budgets[:-1]:
                    yield variant, players, method, budget


def _parser() -> command.Parser:
    parser = command.Parser(prog="search", description="Strength of the search bots by budget, against greedy on duplicate deals.")
    parser.add_argument(
        "--quick", action="store_true", help="few deals, small budgets: shows that everything runs, measures little"
    )
    parser.add_argument("--variants", type=_listed(names()), default=names(), metavar="NAME,…", help="these variants only")
    parser.add_argument("--methods", type=_listed(tuple(METHODS)), default=tuple(METHODS), metavar="NAME,…", help="ismcts, pimc")
    return parser


def _listed(known: tuple[str, ...]) -> Any:
    def parse(text: str) -> tuple[str, ...]:
        for name in text.split(","):
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return tuple(text.split(","))

    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    deals = QUICK if chosen.quick else DEALS
    results: list[Result] = []
    for variant, players, method, budget in _cases(chosen.variants, chosen.methods, tuple(deals)):
        results.append(measure(variant, players, method, budget, deals[budget]))
        print(f"{variant}, {players} players, {results[-1].bot}: {results[-1].advantage.text()}", file=sys.stderr, flush=True)
        found = {"results": [asdict(r) for r in results], "machine": machine(), "versions": versions(("eightsenv", "numba"))}
        command.write(chosen.json, found)  # after each: the whole takes long
    show(Console(width=120), results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
