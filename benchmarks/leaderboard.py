"""How the bots play: ``python -m eightsenv.benchmarks.leaderboard``. Every setting that has a baseline is a part of the table.

A bot takes one seat (a side where seats play together), another bot all others; every deal is replayed with the seats rotated. All
meet greedy players, and the baseline: who gains on it plays better than it. With ``--json`` each row is kept as soon as it is
there, and the same command goes on after an interruption. ``python -m eightsenv.benchmarks.readme leaderboard.json`` writes the
table into the README.
"""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import eightsenv
from eightsenv import agents
from eightsenv.agents import baselines, processes, search
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.agents.pairing import identity
from eightsenv.benchmarks import command
from eightsenv.benchmarks.matches import SEARCHES, advantage, certain, equal_share, wins
from eightsenv.benchmarks.measure import machine, versions

BENCHMARK = "leaderboard"
FAST_GAMES, SEARCH_GAMES = 40_000, 2_000
"""Of a row. A deal is as many games as there are players. A search takes milliseconds for what others do in microseconds."""
FEWER: Mapping[str, int] = MappingProxyType(dict.fromkeys(("eights_v0/partners", "house_eights_v0/2p", "house_eights_v0/4p"), 600))
"""Where searches take long: they play no more games than this."""
DEALT = 2
"""The seed of the deals: others than those that the baselines were trained and first judged on."""
GREEDY, BASELINE = "greedy", "baseline"
FIXED = ("random", GREEDY, BASELINE)
"""The bots of every setting; those that search come to them."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A row that is wanted."""

    setting: str
    """The name of the setting's baseline."""
    bot: str
    """What :func:`eightsenv.agents.load` takes, or :data:`BASELINE`."""
    deals: int

    def about(self) -> Row:
        """What the row depends on."""
        policy = identity(self.setting)
        return {"setting": self.setting, "bot": self.bot, "deals": self.deals, "seed": DEALT, "policy": policy}

    def play(self) -> Row:
        """The row: ``over_greedy`` and ``over_baseline`` are means and half widths of intervals, None against itself."""
        setting, begin = baselines.setting(self.setting), time.perf_counter()
        row = self.about()
        for opponent in (GREEDY, BASELINE):
            if opponent == self.bot:
                row |= {f"over_{opponent}": None, f"wins_{opponent}": None}
                continue
            pair = [agents.load(self.setting if bot == BASELINE else bot, setting) for bot in (self.bot, opponent)]
            result = evaluate(pair, setting, deals=self.deals, seed=DEALT, num_threads=processes.default_workers())
            gap, won = advantage(result), wins(result)
            row |= {f"over_{opponent}": [gap.mean, gap.half_width], f"wins_{opponent}": [won.mean, won.half_width]}
            row["wins_equal"] = equal_share(result)
        return row | {"seconds": round(time.perf_counter() - begin, 1)}


def jobs(names: Sequence[str], searches: Sequence[str], games: int, search_games: int) -> list[Job]:
    """The rows of these settings, in order, of about so many games each.

    Raises:
        ValueError: a setting or a search that there is not, or a number of games that makes no deal.
    """
    for spec in searches:
        if search.load(spec) is None:
            raise ValueError(f"there is no search {spec!r}: there are {search.SPECS}")
    players = {name: baselines.setting(name).num_players for name in names}
    if min(games, search_games) < max(players.values()):
        raise ValueError(
            f"a deal is as many games as there are players, here up to {max(players.values())}: play that many or more"
        )
    fast = [Job(name, bot, games // players[name]) for name in names for bot in FIXED]
    slow = [Job(name, bot, min(search_games, FEWER.get(name, search_games)) // players[name]) for name in names for bot in searches]
    return sorted(fast + slow, key=lambda job: names.index(job.setting))


def collect(wanted: Sequence[Job], path: Path | None, told: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """The report of these rows and of those of other settings in the file ``path``, where each row is kept as soon as it is there.

    Raises:
        ValueError: a file that is not the report of a leaderboard.
    """
    rows = saved(path)
    settings, keys = {job.setting for job in wanted}, {(job.setting, job.bot) for job in wanted}
    rows = {key: row for key, row in rows.items() if key in keys or key[0] not in settings}
    for job in wanted:
        told(f"{job.setting}: {job.bot}")
        known = rows.get((job.setting, job.bot), {})
        about = job.about()
        if {name: known.get(name) for name in about} != about:
            rows[job.setting, job.bot] = job.play()
            command.write(path, report(rows))
    return report(rows)


def saved(path: Path | None) -> dict[tuple[str, str], Row]:
    """The rows of a report by setting and bot; none where there is no file. Raises ``ValueError`` for a file of another kind."""
    if path is None or not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["benchmark"] != BENCHMARK:
            raise ValueError
        return {(row["setting"], row["bot"]): row for row in found["rows"]}
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"{path} is not the report of a leaderboard: choose another file") from None


def report(rows: Mapping[tuple[str, str], Row]) -> dict[str, Any]:
    """Everything that was found, as plain values for JSON, by setting."""
    order = {name: k for k, name in enumerate(baselines.names())}
    return {
        "benchmark": BENCHMARK,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": {"eightsenv": eightsenv.__version__, **versions(("numba", "numpy"))},
        "rows": sorted(rows.values(), key=lambda row: order.get(row["setting"], len(order))),
    }


def verdicts(rows: Sequence[Row]) -> list[str]:
    """Where each bot that searches plays better than the baseline, where worse, where the deals do not tell: a sentence each."""
    found: dict[str, dict[int, list[str]]] = {}
    for row in rows:
        if row["bot"] not in FIXED:
            sign = certain(Estimate(*row[f"over_{BASELINE}"]))
            found.setdefault(row["bot"], {1: [], -1: [], 0: []})[sign].append(f"`{row['setting']}`")
    words = {1: "better than the baseline", -1: "worse", 0: "neither for certain"}

    def told(by_sign: Mapping[int, Sequence[str]]) -> str:
        return "; ".join(f"{words[sign]}: {', '.join(names)}" for sign, names in by_sign.items() if names)

    return [f"`{bot}` plays {told(by_sign)}." for bot, by_sign in found.items()]


HEADS = ("setting", "bot", "points over greedy", "wins against greedy", "points over the baseline", "deals")


def cells(row: Row) -> tuple[str, ...]:
    """A row in words; among equals the share of wins would be that in brackets."""
    over = {rival: Estimate(*row[f"over_{rival}"]).text() if row[f"over_{rival}"] else "" for rival in (GREEDY, BASELINE)}
    won = f"{Estimate(*row['wins_greedy']).percent()} ({100 * row['wins_equal']:.0f})" if row["wins_greedy"] else ""
    return row["setting"], row["bot"], over[GREEDY], won, over[BASELINE], f"{row['deals']:,}"


def _parser() -> command.Parser:
    parser = command.Parser(prog=BENCHMARK, description="How the bots play against greedy players and the baselines.")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"these settings: {', '.join(baselines.names())}")
    parser.add_argument("--searches", nargs="*", default=SEARCHES, metavar="AGENT", help="search bots, such as ismcts:1000")
    parser.add_argument("--games", type=int, default=FAST_GAMES, help="games of bots that do not search")
    parser.add_argument("--search-games", type=int, default=SEARCH_GAMES, help="games of those that do")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Play, print the table and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        wanted = jobs(chosen.only or baselines.names(), chosen.searches, chosen.games, chosen.search_games)
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("")
            found = collect(wanted, chosen.json, lambda text: progress.update(task, description=text))
    except ValueError as error:
        print(f"{BENCHMARK}: {error}", file=sys.stderr)
        return 2
    table = Table(*HEADS, title="One bot on one seat or side (95 % confidence)", title_justify="left", header_style="bold")
    for row in found["rows"]:
        table.add_row(*cells(row))
    Console(width=132).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
