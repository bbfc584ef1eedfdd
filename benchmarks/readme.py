"""What benchmarks measured, as the tables of the README: ``python -m eightsenv.benchmarks.readme speed.json``.

Each JSON file that a benchmark wrote replaces what stands between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``, where NAME
is the benchmark's own. No figure is typed by hand.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eightsenv.agents import baselines
from eightsenv.agents.checkpoint import write_atomically
from eightsenv.benchmarks import leaderboard, search, throughput
from eightsenv.train.config import ALGORITHMS
from eightsenv.variants import get

STRENGTH = "strength"
"""The name of the report on how soon trainings beat greedy."""
LEARNING = "training"
"""The name of the report on what trainings learn from per second."""
SB3 = "Stable-Baselines3"
"""Its name in that report."""
WEIGHTS = "agents/weights"
"""Where the model cards lie, seen from the README."""


def throughput_tables(found: Mapping[str, Any]) -> str:
    """The report of the throughput benchmark in Markdown."""
    facts, versions = found["machine"], found["versions"]
    peer = f", OpenSpiel {versions['open_spiel']}" if "open_spiel" in versions else ""
    about = (
        f"Four players, `{throughput.VARIANT}` unless a line names another, random play, decisions a second on one core unless the "
        f"line says otherwise; medians of {found['scale']['rounds']} interleaved rounds, measured {found['date'][:10]} on "
        f"{facts['cpu']}, {facts['cores']} cores, Python {facts['python']}, Numba {versions['numba']}{peer}."
    )
    cases = ((case["name"], throughput.quantity(case["median"], case["unit"])) for case in found["measured"])
    values = table(("", ""), cases, "-r")
    limits = table(("ratio", "measured", "aim", ""), map(throughput.verdict, found["bounds"]), "-rr-")
    return "\n\n".join((_filled(about), values, limits))


def search_tables(found: Mapping[str, Any]) -> str:
    """The report of the benchmark of search bots in Markdown: a row for each bot, two columns for each variant."""
    results = search.pooled([search.Result.of(piece) for piece in found["pieces"]])
    columns: dict[tuple[str, int, bool], dict[str, str]] = {}
    for r in results:
        cells = columns.setdefault((r.piece.variant, r.piece.players, r.piece.opponent == "greedy"), {})
        cells[r.piece.bot] = f"{r.advantage.text()} ({r.piece.deals:,})".replace("-", "−")
    heads = [f"{get(name).title}, {players} players: over {'greedy' if greedy else 'a tenth'}" for name, players, greedy in columns]
    bots = dict.fromkeys(r.piece.bot for r in sorted(results, key=lambda r: search.place(r.piece)[2:4]))
    rows = ((f"`{bot}`", *(cells.get(bot, "") for cells in columns.values())) for bot in bots)
    about = (
        "Points a hand above the others in the same games, one seat or side against greedy, or against the same bot with a tenth "
        f"of its budget, with 95 % intervals (and the number of duplicate deals); measured {found['date']}."
    )
    return "\n\n".join((textwrap.fill(about, 132, break_on_hyphens=False), table(("bot", *heads), rows, "-" + "r" * len(heads))))


def leaderboard_table(found: Mapping[str, Any]) -> str:
    """The report of the leaderboard in Markdown."""
    facts = found["machine"]
    about = (
        "Points a hand that a bot on one seat (or side) gets beyond others on all others, on duplicate deals, with 95 % intervals. "
        f"In brackets: what equals would win, had every game a winner. Measured {found['date'][:10]} on {facts['cpu']}, "
        f"{facts['cores']} cores."
    )
    rows = [leaderboard.cells(row) for row in found["rows"]]
    linked = (
        (name, f"[{bot}]({WEIGHTS}/{baselines.card(name).name})" if bot == leaderboard.BASELINE else bot, *rest)
        for name, bot, *rest in rows
    )
    return "\n\n".join(
        (_filled(about), table(leaderboard.HEADS, linked, "--rrrr"), *map(_filled, leaderboard.verdicts(found["rows"])))
    )


STRENGTH_HEADS = ("variant", "margin", "`ppo`", "`sb3-maskable-ppo`", "ratio")


def strength_cells(results: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """When the trainings reached each margin: the median of the seeds, and the least and most."""
    rows: list[tuple[str, ...]] = []
    for variant, margins in {entry["variant"]: entry["margins"] for entry in results}.items():
        for margin in margins:
            taken = [
                [_reached(entry, margin) for entry in results if (entry["variant"], entry["algorithm"]) == (variant, algorithm)]
                for algorithm in ALGORITHMS
            ]
            ratio = _times(*taken)
            rows.append((variant, f"{margin:+.1f}", *map(_seconds, taken), ratio))
    return rows


def _reached(entry: Mapping[str, Any], margin: float) -> float:
    """After how many seconds a training reached a margin; infinity: it did not."""
    return next((look["seconds"] for look in entry["path"] if look["advantage"] >= margin), math.inf)


def _seconds(taken: Sequence[float]) -> str:
    if not taken:
        return ""
    median, least, most = (
        f"{value:.1f}" if value < math.inf else "never" for value in (statistics.median(taken), min(taken), max(taken))
    )
    return median if least == most else f"{median} ({least} … {most})"


def _times(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """How many times as long theirs takes: nothing to tell if there are none, or if ours never comes there."""
    if not ours or not theirs or statistics.median(ours) == math.inf:
        return ""
    ratio = statistics.median(theirs) / statistics.median(ours)
    return f"{ratio:.1f} ×" if ratio < math.inf else "∞"


def strength_table(found: Mapping[str, Any]) -> str:
    """How soon trainings beat greedy, in Markdown."""
    facts, results = found["machine"], found["results"]
    if not results:
        raise ValueError("nothing was measured")
    seeds = len({entry["seed"] for entry in results})
    half = {entry["variant"]: entry["path"][-1]["half_width"] for entry in results}
    shared = {entry["algorithm"]: f"{entry['processes']} × {entry['threads']}" for entry in results}
    about = (
        "Games of four. Seconds of training by the clock, head start included, until the bot beats greedy by the margin, points a "
        f"hand, on duplicate deals: medians of {seeds} seeds (least … most). Looked at during the head start and about every "
        f"{found['every']:,} decisions, with 95 % intervals of "
        f"{', '.join(f'± {value:.2f} ({get(name).title})' for name, value in half.items())}. Processes × threads: "
        f"{', '.join(f'{value} (`{name}`)' for name, value in shared.items())}. Measured {found['date'][:10]} on {facts['cpu']}, "
        f"{facts['cores']} cores."
    )
    return "\n\n".join((_filled(about), table(STRENGTH_HEADS, strength_cells(results), "-rrrr")))


def net_text(net: Sequence[int]) -> str:
    """The hidden layers of a net."""
    return " × ".join(map(str, net))


def learning_table(found: Mapping[str, Any]) -> str:
    """What trainings learn from per second, in Markdown."""
    facts, rows = found["machine"], []
    for entry in found["results"]:
        speeds, ratios = entry["decisions_per_second"], entry["ratios"]
        for native in (name for name in speeds if name.startswith("native")):
            precision = native.removeprefix("native, ")
            cells = f"{speeds[native]:,.0f}", f"{speeds[SB3]:,.0f}", f"{ratios[f'{native} / {SB3}']:.2f}"
            of_net = ratios[f"{native} / net alone, {precision}"]
            rows.append((entry["variant"], net_text(entry["net"]), precision, *cells, f"{of_net:.2f}"))
    about = (
        f"Games of four. Decisions learned from per second of one core, {found['n_epochs']} epochs, batches of "
        f"{found['batch_size']:,}, medians of {found['rounds']} rounds, measured {found['date'][:10]} on {facts['cpu']}. The last "
        "column: the speed of `ppo` as a share of what its net alone allows, were games played and scored in no time."
    )
    heads = ("variant", "hidden layers", "precision", "`ppo`", "`sb3-maskable-ppo`", "ratio", "of the net alone")
    return "\n\n".join((_filled(about), table(heads, rows, "---rrrr")))


def _filled(text: str) -> str:
    return textwrap.fill(text, 132, break_on_hyphens=False, break_long_words=False)


TABLES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "throughput": throughput_tables,
    search.BENCHMARK: search_tables,
    "leaderboard": leaderboard_table,
    STRENGTH: strength_table,
    LEARNING: learning_table,
}
"""What writes the report of each benchmark in Markdown."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """A Markdown table; ``sides`` has an ``r`` for each column that is set to the right."""
    lines = [heads, ["---:" if side == "r" else "---" for side in sides], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def put(text: str, name: str, block: str) -> str:
    """``text`` with ``block`` between the marks of ``name``. Raises ``ValueError`` unless it has both, once, in order."""
    begin, end = f"<!-- {name}: begin -->\n", f"\n<!-- {name}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"the text has no place for {name}: it needs a line {begin.strip()} and a later line {end.strip()}")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return before + begin + block + end + after


def main(argv: Sequence[str] | None = None) -> int:
    """Rewrite the tables. Returns 0, or 2 for files that are no reports of a benchmark; then nothing is changed."""
    parser = argparse.ArgumentParser(prog="readme", description="Write what benchmarks measured into the README.")
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE", help="JSON files that benchmarks wrote")
    parser.add_argument("--readme", type=Path, default=Path("README.md"), metavar="FILE", help="the text to change")
    chosen = parser.parse_args(argv)
    try:
        text = chosen.readme.read_text()
        for path in chosen.reports:
            found = json.loads(path.read_text())
            name = found.get("benchmark") if isinstance(found, dict) else None
            if not isinstance(name, str) or name not in TABLES:
                raise ValueError(f"{path} is not the report of a benchmark among {', '.join(TABLES)}")
            try:
                block = TABLES[name](found)
            except (KeyError, TypeError, IndexError, AttributeError, ValueError, ArithmeticError) as error:
                raise ValueError(f"{path} lacks what a report of {name} has") from error
            text = put(text, name, block)
        write_atomically(chosen.readme, text.encode())
    except (OSError, ValueError) as error:
        print(f"readme: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
