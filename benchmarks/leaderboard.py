"""How the bots play: ``python -m eightsenv.benchmarks.leaderboard``. Each plays against greedy players at every baseline's setting.

A bot takes one seat (a side where seats play together), greedy players the others; every deal is replayed with the seats rotated.
``python -m eightsenv.benchmarks.readme leaderboard.json`` writes the table into the README.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import eightsenv
from eightsenv import agents, engine
from eightsenv.agents import baselines
from eightsenv.agents.evaluation import Evaluation, evaluate
from eightsenv.benchmarks.measure import machine
from eightsenv.variants import get

FAST_DEALS = 20_000
SEARCH_DEALS = 400
"""A search takes seconds for what other bots do in microseconds."""
SEARCHES = ("pimc:30", "ismcts:1000")


def rows(
    names: Sequence[str], searches: Sequence[str], deals: int, search_deals: int, progress: Any = None
) -> list[dict[str, Any]]:
    """The results of random, the shipped policy and the search bots at each of the named baselines' settings."""
    found = []
    for name in names:
        setting = baselines.setting(name)
        for spec in ("random", name, *searches):
            if progress is not None:
                progress(f"{name}: {spec}")
            number = search_deals if spec in searches else deals
            begin = time.perf_counter()
            result = evaluate([agents.load(spec, setting), agents.load("greedy")], setting, deals=number)
            found.append(_row(name, "baseline" if spec == name else spec, result, time.perf_counter() - begin))
    return found


def _row(name: str, bot: str, result: Evaluation, seconds: float) -> dict[str, Any]:
    assert result.advantage is not None
    mine = result.agents[0]
    return {
        "setting": name,
        "bot": bot,
        "deals": result.deals,
        "games": result.games,
        "advantage": [result.advantage.mean, result.advantage.half_width],
        "win_rate": [mine.win_rate.mean, mine.win_rate.half_width],
        "even_win_rate": 1 / len(get(result.variant).sides(engine.resolve(get(result.variant), **result.setting))),
        "seconds": seconds,
    }


def report(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Everything that was found, as plain values for JSON."""
    return {
        "benchmark": "leaderboard",
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": {"eightsenv": eightsenv.__version__},
        "rows": list(found),
    }


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row in words: setting, bot, advantage over greedy, win rate with what an equal player would win, deals."""
    gap, half = row["advantage"]
    win, win_half = row["win_rate"]
    wins = f"{100 * win:.1f} ± {100 * win_half:.1f} % ({100 * row['even_win_rate']:.0f})"
    return row["setting"], row["bot"], f"{gap:+.2f} ± {half:.2f}", wins, f"{row['deals']:,}"


HEADS = ("setting", "bot", "points over greedy", "wins (equal: %)", "deals")


def main(argv: Sequence[str] | None = None) -> int:
    """Play, print the table and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(prog="leaderboard", description="How the bots play against greedy players.")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"these settings: {', '.join(baselines.names())}")
    parser.add_argument("--searches", nargs="*", default=SEARCHES, metavar="AGENT", help="search bots, such as ismcts:1000")
    parser.add_argument("--deals", type=int, default=FAST_DEALS, help="deals for bots that do not search")
    parser.add_argument("--search-deals", type=int, default=SEARCH_DEALS, help="deals for those that do")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was found to FILE")
    chosen = parser.parse_args(argv)
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task("")
            found = rows(
                chosen.only or baselines.names(), chosen.searches, chosen.deals, chosen.search_deals,
                lambda text: progress.update(task, description=text),
            )  # fmt: skip
    except ValueError as error:
        print(f"leaderboard: {error}", file=sys.stderr)
        return 2
    table = Table(*HEADS, title="Against greedy players (95 % confidence)")
    for row in found:
        table.add_row(*cells(row))
    Console().print(table)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(report(found), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
