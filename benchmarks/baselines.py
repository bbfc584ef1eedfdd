"""The policies that the package ships, trained and described anew: ``python -m eightsenv.benchmarks.baselines [NAME ...]``.

Each is trained by the default algorithm, evaluated on duplicate deals, and written with its model card only if it beats the
greedy player with an interval clear of zero.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from eightsenv.agents import baselines
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.evaluation import Evaluation
from eightsenv.benchmarks.measure import machine, versions
from eightsenv.benchmarks.readme import table
from eightsenv.train import ppo, runs
from eightsenv.train.hardware import Hardware
from eightsenv.train.processes import Processes
from eightsenv.variants import get

LARGEST = 1_000_000
"""Bytes of a file that is shipped."""


def make(
    name: str, *, steps: int, seed: int, deals: int = runs.REPORT_DEALS, progress: Callable[[int], None] | None = None
) -> dict[str, Evaluation]:
    """Train a baseline and put it and its model card in their places; returns its evaluation by opponent.

    Raises:
        ValueError: a name that there is not, a file that grew too large, or a policy that does not beat the greedy player for
            certain; the policy that is shipped stays as it was.
    """
    target = baselines.path(name)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        plan = runs.plan(name.partition("/")[0], out=out, steps=steps, seed=seed, given=baselines.GIVEN[name])
        begin = time.perf_counter()
        ppo.Training(plan, Hardware(), Processes()).run(progress)
        seconds = time.perf_counter() - begin
        results = runs.report(out, deals=deals)
        bot = checkpoints.load(out / runs.BOT)
        size = (out / runs.BOT).stat().st_size
    gap = results["greedy"].advantage
    assert gap is not None and gap.half_width is not None
    if gap.mean <= gap.half_width:
        raise ValueError(f"{name} does not beat the greedy player: {gap.text()}")
    if size > LARGEST:
        raise ValueError(f"{name} takes {size} bytes, more than {LARGEST}")
    checkpoints.save(target, bot)
    checkpoints.write_atomically(baselines.card(name), card(name, plan, bot, results, seconds, size).encode())
    return results


def command(name: str, plan: runs.Plan) -> str:
    """The command that trains the same policy."""
    given = dict(baselines.GIVEN[name])
    players = given.pop("num_players")
    options = "".join(f" --set {key}={value}" for key, value in given.items())
    return f"eights train {plan.setting.variant} --players {players}{options} --steps {plan.steps} --seed {plan.config.seed}"


def card(name: str, plan: runs.Plan, bot: Checkpoint, results: Mapping[str, Evaluation], seconds: float, size: int) -> str:
    """The model card, Markdown."""
    facts = machine()
    used = ", ".join(f"{key} {value}" for key, value in versions(("eightsenv", "torch", "numpy", "numba")).items())
    layout, chosen = bot.layout, {**get(plan.setting.variant).practice, **baselines.GIVEN[name]}
    hidden = " + ".join(map(str, layout.hidden))
    options = ", ".join(f"`{key}={value!r}`" for key, value in chosen.items() if key != "num_players")
    about = {
        "game": f"`{plan.setting.variant}`, {plan.setting.num_players} players, one hand, {options or 'default options'}",
        "plays": f'`eightsenv.agents.load("{name}")`: its likeliest action, from what its seat sees',
        "net": f"{layout.features} features, {hidden} units ({layout.activation}), {layout.actions} actions",
        "trained by": f"`{command(name, plan)}`",
        "algorithm": f"{plan.algorithm}, {plan.steps:,} decisions of the learner, seed {plan.config.seed}",
        "time": f"{seconds:.0f} s on {facts['cpu']}, {facts['cores']} cores",
        "versions": f"Python {facts['python']}, {used}",
        "file": f"{size:,} bytes",
    }
    lines = [_line(opponent, result) for opponent, result in results.items()]
    return "\n\n".join(
        (
            f"# {name}",
            table(("", ""), about.items(), "--"),
            "On duplicate deals, one such bot (with partners: one side) against others, 95 % confidence:",
            table(("against", "points over them", "wins", "deals"), lines, "-rrr"),
            "It learned from self-play with the built-in bots among its opponents, and plays this setting only. The README's table "
            "of strategies shows where search plays better.\n",
        )
    )


def _line(opponent: str, result: Evaluation) -> tuple[str, ...]:
    assert result.advantage is not None
    win = result.agents[0].win_rate
    return opponent, result.advantage.text(), f"{100 * win.mean:.1f} ± {100 * (win.half_width or 0):.1f} %", f"{result.deals:,}"


def main(argv: Sequence[str] | None = None) -> int:
    """Make the named baselines, or all. Returns 0; 1 when one was not good enough; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(prog="baselines", description="Train the policies that the package ships.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(baselines.names()))
    parser.add_argument("--steps", type=int, default=runs.DEFAULT_STEPS, help="decisions of the learner")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deals", type=int, default=runs.REPORT_DEALS, help="deals of the evaluation")
    chosen = parser.parse_args(argv)
    try:
        for name in chosen.names:
            baselines.path(name)
    except ValueError as error:
        print(f"baselines: {error}", file=sys.stderr)
        return 2
    console, failed = Console(), 0
    for name in chosen.names or baselines.names():
        try:
            gap = _watched(name, chosen.steps, chosen.seed, chosen.deals)["greedy"].advantage
        except ValueError as error:
            console.print(str(error), highlight=False)
            failed = 1
        else:
            assert gap is not None
            console.print(f"{name}: {gap.text()} points over the greedy player", highlight=False)
    return failed


def _watched(name: str, steps: int, seed: int, deals: int) -> dict[str, Evaluation]:
    """Make a baseline behind a progress bar."""
    columns = (TextColumn(name), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=steps)
        return make(name, steps=steps, seed=seed, deals=deals, progress=lambda done: progress.update(task, completed=done))


if __name__ == "__main__":
    sys.exit(main())
