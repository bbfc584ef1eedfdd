"""Speed of eightsenv beside its peers, in one run on one machine: ``python -m eightsenv.benchmarks.throughput``.

What is compared is measured in turns, once in each round, and given as the median over the rounds; a ratio is the median of the
rounds' ratios. One core is used unless a line says otherwise. Peers that are not installed are listed as such.
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pettingzoo import AECEnv
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import eightsenv
from eightsenv import crazy_eights_v0
from eightsenv.benchmarks import command, endgame, peers
from eightsenv.benchmarks.idle import IdleEnv
from eightsenv.benchmarks.measure import (
    MICROSECONDS,
    PER_SECOND,
    POSITIONS,
    SECONDS,
    Case,
    Measured,
    Missing,
    Run,
    machine,
    measure,
    ratio,
    steady,
    versions,
)
from eightsenv.variants import get

VARIANT = "crazy_eights_v0"
GROUPS = {
    "fused": "whole games by random play, without observations",
    "batched": "the vector loop at several batch sizes",
    "variants": "every variant, as it is practised: whole games, and the vector loop",
    "aec": "the AEC loops against an environment that does nothing",
    "threads": "two threads against one",
    "endgame": "the exact endgame solver of 8-ball, per random deal",
    "import": "importing eightsenv against importing what it stands on",
    "start": "the first reset in a fresh process",
    "peers": "OpenSpiel, PettingZoo and RLCard, where installed",
}
DISTRIBUTIONS = ("eightsenv", "numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "shimmy", "rlcard")

FUSED = "fused rollout"
RAW, CHECKED, IDLE = "AEC raw_env()", "AEC env()", "AEC that does nothing"
FUSED_TWO = "fused rollout, 2 threads"
THREADS_SIZE = 8192
VARIANTS_SIZE = 1024
IMPORT, IMPORT_BASE = "import eightsenv", "import pettingzoo, numba"
ENDGAME, POSITIONS_SEARCHED = "endgame of 8-ball, per deal", "endgame of 8-ball, positions searched"
WARM, COLD = "first reset(), warm cache", "first reset(), cold cache"
COLD_LIMITS = {VARIANT: 25, "house_eights_v0": 60}
"""Seconds in which the first reset must be done with nothing compiled."""


def batched_name(size: int, threads: int = 1) -> str:
    return f"batched step, {size} games" + (f", {threads} threads" if threads > 1 else "")


def cold_variant(variant: str) -> str:
    return COLD if variant == VARIANT else f"{variant}, {COLD}"


def fused_variant(variant: str) -> str:
    return f"{variant}, fused rollout"


def batched_variant(variant: str) -> str:
    return f"{variant}, batched step, {VARIANTS_SIZE} games"


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    rounds: int
    seconds: float
    """The length of one measurement."""
    games: int
    """Games of one call of ``rollout``."""
    sizes: tuple[int, ...]
    """Batch sizes."""


FULL = Scale(rounds=11, seconds=0.4, games=100_000, sizes=(256, 1024, 2048, 4096, 16384))
QUICK = Scale(rounds=1, seconds=0.05, games=1_000, sizes=(256, 1024))


# What is measured


def fused(games: int, threads: int = 1, variant: str = VARIANT) -> Run:
    """Random play in compiled code by ``eightsenv.rollout``, new seeds in each call."""
    seeds, options = count(), get(variant).practice
    return steady(lambda: eightsenv.rollout(variant, num_games=games, seed=next(seeds), num_threads=threads, **options).decisions)


def batched(size: int, threads: int = 1, variant: str = VARIANT) -> Run:
    """``vec.step(vec.sample())``: observation, mask, reward and restart of every game, random actions."""
    vec = eightsenv.make_vec(variant, num_envs=size, num_threads=threads, **get(variant).practice)
    vec.reset()

    def step() -> int:
        vec.step(vec.sample())
        return size

    return steady(step)


def aec(make: Callable[[], AECEnv]) -> Run:
    """PettingZoo's loop, each agent taking its first legal action; steps of agents that are done cost time and count nothing."""
    env = make()

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter(max_iter=1000):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(int(observation["action_mask"].argmax()))
            decisions += 1
        return decisions

    return steady(play)


def idle() -> AECEnv:
    """The environment that does nothing, with the agents and spaces of Crazy Eights."""
    env = crazy_eights_v0.raw_env()
    space: Any = env.observation_space("agent_0")
    return IdleEnv(env.num_players, space["observation"].shape[0], space["action_mask"].shape[0])


def in_fresh_process(before: str, timed: str, cache: Callable[[], Any] | None = None) -> Run:
    """The seconds that ``timed`` takes in a new Python after ``before``; ``cache`` makes a folder for compiled code."""
    program = f"import time\n{before}\nbegin = time.perf_counter()\n{timed}\nprint(time.perf_counter() - begin)"
    root = str(Path(eightsenv.__file__).resolve().parent.parent)
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])

    def start(**variables: str) -> float:
        environment = {**os.environ, "PYTHONPATH": path, **variables}
        done = subprocess.run([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return float(done.stdout.split()[-1])

    def run(seconds: float) -> float:
        if cache is None:
            return start()
        with cache() as folder:
            return start(NUMBA_CACHE_DIR=folder)

    return run


def first_reset(variant: str = VARIANT, cache: Callable[[], Any] | None = None) -> Run:
    return in_fresh_process(f"from eightsenv import {variant}", f"{variant}.env().reset(seed=0)", cache)


def own_cases(scale: Scale, cold: bool) -> list[Case]:
    """Everything of eightsenv's own that this benchmark knows."""
    cases = [Case(FUSED, "fused", PER_SECOND, lambda: fused(scale.games))]
    cases += [Case(batched_name(size), "batched", PER_SECOND, partial(batched, size)) for size in scale.sizes]
    for variant in eightsenv.variants():
        cases.append(Case(fused_variant(variant), "variants", PER_SECOND, partial(fused, scale.games, variant=variant)))
        cases.append(Case(batched_variant(variant), "variants", PER_SECOND, partial(batched, VARIANTS_SIZE, variant=variant)))
    cases += [
        Case(RAW, "aec", PER_SECOND, lambda: aec(crazy_eights_v0.raw_env)),
        Case(CHECKED, "aec", PER_SECOND, lambda: aec(crazy_eights_v0.env)),
        Case(IDLE, "aec", PER_SECOND, lambda: aec(idle)),
        Case(FUSED + ", 1 thread", "threads", PER_SECOND, lambda: fused(scale.games)),
        Case(FUSED_TWO, "threads", PER_SECOND, lambda: fused(scale.games, threads=2)),
        Case(batched_name(THREADS_SIZE) + ", 1 thread", "threads", PER_SECOND, lambda: batched(THREADS_SIZE)),
        Case(batched_name(THREADS_SIZE, 2), "threads", PER_SECOND, lambda: batched(THREADS_SIZE, threads=2)),
        Case(ENDGAME, "endgame", MICROSECONDS, endgame.time_per_deal),
        Case(POSITIONS_SEARCHED, "endgame", POSITIONS, endgame.positions_per_deal),
        Case(IMPORT, "import", SECONDS, lambda: in_fresh_process("", "import eightsenv")),
        Case(IMPORT_BASE, "import", SECONDS, lambda: in_fresh_process("", "import pettingzoo, numba")),
        Case(WARM, "start", SECONDS, first_reset),
    ]
    if cold:
        for variant in COLD_LIMITS:
            run = partial(first_reset, variant, tempfile.TemporaryDirectory)
            cases.append(Case(cold_variant(variant), "start", SECONDS, run, once=True))
    return cases


def side_by_side(cases: list[Case]) -> list[Case]:
    """The cases with those first that are compared with another library, next to their counterparts: machines drift."""
    pairs = (FUSED, peers.OPENSPIEL_BOTS, batched_name(1024), peers.OPENSPIEL_LEAN, batched_name(2048))
    return sorted(cases, key=lambda case: pairs.index(case.name) if case.name in pairs else len(pairs))


# What must be reached


@dataclass(frozen=True)
class Bound:
    """A claim: the value over that of ``under`` (None: the value itself) is at least, or at most, ``limit``."""

    what: str
    over: str
    under: str | None
    limit: float
    at_most: bool = False


@dataclass(frozen=True)
class Verdict:
    """A bound with what was measured."""

    bound: Bound
    value: float
    reached: bool


def bounds(best_batch: str | None) -> list[Bound]:
    """The bounds that this benchmark checks; ``best_batch`` is the case of the fastest batch size."""
    found = [
        Bound("fused rollout against OpenSpiel in C++", FUSED, peers.OPENSPIEL_BOTS, 15),
        Bound("raw_env() against an AEC that does nothing", RAW, IDLE, 0.326),
        Bound("env() against an AEC that does nothing", CHECKED, IDLE, 0.217),
        Bound("fused rollout, 2 threads against 1", FUSED_TWO, FUSED + ", 1 thread", 1.8),
        Bound("batched step, 2 threads against 1", batched_name(THREADS_SIZE, 2), batched_name(THREADS_SIZE) + ", 1 thread", 1.5),
        Bound("endgame of 8-ball per random deal, microseconds", ENDGAME, None, 100, at_most=True),
        Bound("import against pettingzoo and numba", IMPORT, IMPORT_BASE, 2, at_most=True),
        Bound("first reset() with a warm cache, seconds", WARM, None, 1, at_most=True),
    ]
    for variant, seconds in COLD_LIMITS.items():
        what = f"first reset() of {variant} with a cold cache, seconds"
        found.append(Bound(what, cold_variant(variant), None, seconds, at_most=True))
    for variant in eightsenv.variants():
        if variant != VARIANT:
            found.append(Bound(f"{variant} against {VARIANT}, fused", fused_variant(variant), fused_variant(VARIANT), 6 / 24))
            found.append(Bound(f"{variant} against {VARIANT}, batched", batched_variant(variant), batched_variant(VARIANT), 3 / 11))
    if best_batch is not None:
        found.insert(1, Bound("batched step against OpenSpiel from Python", best_batch, peers.OPENSPIEL_LEAN, 60))
    return found


def judge(measured: Sequence[Measured]) -> list[Verdict]:
    """The verdicts on those bounds for which everything was measured."""
    by_name = {m.case.name: m for m in measured}
    batches = [m for m in measured if m.case.group == "batched"]
    best = max(batches, key=lambda m: m.median).case.name if batches else None
    verdicts = []
    for bound in bounds(best):
        if bound.over not in by_name or (bound.under is not None and bound.under not in by_name):
            continue
        over = by_name[bound.over]
        value = over.median if bound.under is None else ratio(over, by_name[bound.under])
        verdicts.append(Verdict(bound, value, value <= bound.limit if bound.at_most else value >= bound.limit))
    return verdicts


# The report


def report(scale: Scale, measured: Sequence[Measured], missing: Sequence[Missing], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Everything that was found, as plain values for JSON."""
    return {
        "benchmark": "throughput",
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": {**versions(DISTRIBUTIONS), "eightsenv": eightsenv.__version__},
        "scale": asdict(scale),
        "measured": [
            {"name": m.case.name, "group": m.case.group, "unit": m.case.unit, "median": m.median, "rounds": list(m.values)}
            for m in measured
        ],
        "missing": [{"name": m.case.name, "reason": m.reason} for m in missing],
        "bounds": [{**asdict(v.bound), "value": v.value, "reached": v.reached} for v in verdicts],
    }


def show(console: Console, found: dict[str, Any]) -> None:
    """Print the report as two tables."""
    facts = found["machine"]
    scale = found["scale"]
    title = f"{VARIANT} unless named, four players, median of {scale['rounds']} rounds"
    values = Table("what", "median", "lowest", "highest", title=title)
    for column in values.columns[1:]:
        column.justify = "right"
    for case in found["measured"]:
        low, high = min(case["rounds"]), max(case["rounds"])
        values.add_row(case["name"], *(quantity(value, case["unit"]) for value in (case["median"], low, high)))
    for case in found["missing"]:
        values.add_row(case["name"], "not installed", "", "")
    console.print(values)
    for case in found["missing"]:
        console.print(f"{case['name']}: {case['reason']}", highlight=False, markup=False)
    if found["bounds"]:
        limits = Table("ratio", "measured", "must be", "", title="Bounds")
        for bound in found["bounds"]:
            limits.add_row(*verdict(bound))
        console.print(limits)
    names = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    console.print(f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}; {names}", highlight=False)


def verdict(bound: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """A bound of the report in words: what, the value, the limit, and whether it was reached."""
    sign, word = "≤" if bound["at_most"] else "≥", "reached" if bound["reached"] else "not reached"
    return bound["what"], f"{bound['value']:.3g}", f"{sign} {bound['limit']:.3g}", word


def quantity(value: float, unit: str) -> str:
    """A measured value with its unit, three digits."""
    if unit == SECONDS:
        return f"{value:.2f} s"
    if unit == MICROSECONDS:
        return f"{value:.1f} µs"
    if unit == POSITIONS:
        return f"{value:.0f}"
    if value >= 1e6:
        return f"{value / 1e6:.3g} M/s"
    return f"{value / 1e3:.3g} k/s"


# The command line


def _parser() -> command.Parser:
    groups = "\n".join(f"  {name:8} {meaning}" for name, meaning in GROUPS.items())
    parser = command.Parser(
        prog="throughput",
        description="Speed of eightsenv beside its peers.",
        epilog=f"groups:\n{groups}\n\nexamples:\n  throughput --quick\n  throughput --only fused,peers --json speed.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="one short round: shows that everything runs, measures little")
    parser.add_argument("--only", type=_groups, metavar="GROUP,…", default=set(GROUPS), help="measure these groups only")
    parser.add_argument("--cold", action="store_true", help="also the first reset with nothing compiled")
    return parser


def _groups(text: str) -> set[str]:
    chosen = set(text.split(","))
    for name in chosen - set(GROUPS):
        raise argparse.ArgumentTypeError(f"there is no group {name!r}; the groups are {', '.join(GROUPS)}")
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    scale = QUICK if chosen.quick else FULL
    cases = side_by_side([case for case in (*own_cases(scale, chosen.cold), *peers.CASES) if case.group in chosen.only])
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("")
        measured, missing = measure(cases, scale.rounds, scale.seconds, lambda name: progress.update(task, description=name))
    found = report(scale, measured, missing, judge(measured))
    show(Console(), found)
    command.write(chosen.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
