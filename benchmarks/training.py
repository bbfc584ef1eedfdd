"""Speed of training, in one run on one machine: ``python -m eightsenv.benchmarks.training``.

Decisions learned from per second by the native algorithm, beside (a) what its net alone allows, timed on the same decisions: the
forward passes that choose actions and value positions, and the updates; and (b) Stable-Baselines3's MaskablePPO with the same net,
epochs and batch. All take turns, once in each round, in one thread each. Seconds are those of the processor, so that what else runs
on the machine counts as little as can be.

With ``--strength``: how long the native algorithm and Stable-Baselines3 train until their bot beats ``greedy`` by a fixed margin
on duplicate deals. The head start counts, evaluations do not. Started by ``torchrun`` it trains natively on all processes::

    torchrun --nproc_per_node 2 -m eightsenv.benchmarks.training --strength
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from eightsenv import engine
from eightsenv.adapters.versus import played_greedily
from eightsenv.agents import GreedyAgent, PolicyAgent, RandomAgent
from eightsenv.agents.evaluation import evaluate
from eightsenv.benchmarks import command
from eightsenv.benchmarks.measure import PER_SECOND, Case, Measured, Run, machine, measure, ratio, steady, versions
from eightsenv.train import ppo, runs, sb3_ppo
from eightsenv.train.config import ALGORITHMS, PPOConfig, SB3Config
from eightsenv.train.hardware import Hardware
from eightsenv.train.processes import Processes
from eightsenv.variants import get

MARGINS = {"crazy_eights_v0": 0.2, "eight_ball_v0": 0.2, "house_eights_v0": 0.1}
"""By how many points a hand ``greedy`` is to be beaten, in a game of four."""
HEAD_STARTS = {"eight_ball_v0": 400_000, "house_eights_v0": 400_000}
"""How many decisions of ``greedy`` a short run learns from first, where the default is too little to play its game."""
DISTRIBUTIONS = ("eightsenv", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
SB3 = "Stable-Baselines3"


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    rounds: int
    seconds: float
    """The length of one measurement in processor time; at least one iteration."""
    n_envs: int
    """Games side by side: each algorithm's own default, if not quick."""
    sb3_n_envs: int
    samples: int
    batch_size: int
    deals: int
    """Of one evaluation of ``--strength``."""
    every: int
    """Decisions from one evaluation to the next."""
    steps: int
    """Decisions after which a training is given up; learning rates fall until then."""
    short_steps: int
    """The same of the native algorithm."""


FULL = Scale(
    rounds=5,
    seconds=2.0,
    n_envs=4096,
    sb3_n_envs=2048,
    samples=32_768,
    batch_size=4096,
    deals=5_000,
    every=65_536,
    steps=3_000_000,
    short_steps=1_000_000,
)
QUICK = Scale(
    rounds=1, seconds=0.1, n_envs=64, sb3_n_envs=64, samples=512, batch_size=256, deals=20, every=1024, steps=2048, short_steps=2048
)


# Throughput


def folder() -> Path:
    """A folder of a run that nobody will look at; it goes with the process."""
    _folders.append(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    return Path(_folders[-1].name)


_folders: list[tempfile.TemporaryDirectory] = []


def native_training(variant: str, scale: Scale, precision: str) -> ppo.Training:
    config = PPOConfig(n_envs=scale.n_envs, samples=scale.samples, batch_size=scale.batch_size, imitate=0)
    plan = runs.plan(variant, out=folder(), steps=10**12, config=config, given={"num_players": 4})
    return ppo.Training(plan, Hardware(device="cpu", precision=precision))


def native(variant: str, scale: Scale, precision: str) -> Run:
    """Whole iterations: collecting and learning."""
    run, fresh = native_training(variant, scale, precision), itertools.chain([True], itertools.repeat(False))

    def work() -> int:
        run.iterate(next(fresh))
        return scale.samples

    return steady(work, of_processor=True)


def net_alone(variant: str, scale: Scale, precision: str) -> Run:
    """Forward passes and updates on decisions that were collected before, in parts of the sizes in which they come."""
    run = native_training(variant, scale, precision)
    run.iterate(True)
    rollout = run.games.collect(run.act)
    made, config = rollout.decisions, run.config
    steps = [(made.observation[a:b], made.mask[a:b]) for a, b in itertools.pairwise(rollout.bounds)][1:]  # the first: carried over
    observation, mask, action, log_prob = (
        torch.from_numpy(part[: scale.samples]) for part in (made.observation, made.mask, made.action, made.log_prob)
    )
    noise = torch.randn(scale.samples)
    learned = (observation, mask, action, log_prob, noise, noise)
    batches = list(zip(*(part.split(config.batch_size) for part in learned), strict=True))
    for group in run.optimizer.param_groups:
        group["lr"] = 0.0  # the same work again and again

    def work() -> int:
        for step in steps:
            run.act(*step)
        run.values(observation)
        for _ in range(config.n_epochs):
            for seen, *others in batches:
                run.improve([seen, None, *others])
        return scale.samples

    return steady(work, of_processor=True)


def stable_baselines(variant: str, scale: Scale) -> Run:
    """Whole iterations of MaskablePPO in the project's own self-play on the batch core."""
    config = SB3Config(
        n_envs=scale.sb3_n_envs,
        n_steps=scale.samples // scale.sb3_n_envs,
        batch_size=scale.batch_size,
        imitate=0,
        checkpoint_every=10**9,
    )
    plan = runs.plan(variant, out=folder(), steps=10**12, config=config, algorithm=sb3_ppo.ALGORITHM, given={"num_players": 4})
    run = sb3_ppo.Training(plan)

    def work() -> int:
        run.model.learn(scale.samples, callback=sb3_ppo.SelfPlay(run, None), reset_num_timesteps=False)
        return scale.samples

    return steady(work, of_processor=True)


def cases(variant: str, scale: Scale) -> list[Case]:
    precisions = ["float32"] if Hardware(device="cpu").dtype() == torch.float32 else ["float32", "bfloat16"]
    made = [
        Case(f"{name}, {precision}", variant, PER_SECOND, partial(prepare, variant, scale, precision))
        for precision in precisions
        for name, prepare in (("native", native), ("net alone", net_alone))
    ]
    return [*made, Case(SB3, variant, PER_SECOND, partial(stable_baselines, variant, scale))]


def throughput(variant: str, scale: Scale, told: Callable[[str], None]) -> dict[str, Any]:
    """The speeds of one variant, and the ratios that matter."""
    measured, _ = measure(cases(variant, scale), scale.rounds, scale.seconds, lambda name: told(f"{variant}: {name}"))
    by_name: dict[str, Measured] = {entry.case.name: entry for entry in measured}
    ratios = {}
    for name, entry in by_name.items():
        if name.startswith("native"):
            ratios[f"{name} / {name.replace('native', 'net alone')}"] = ratio(entry, by_name[name.replace("native", "net alone")])
            ratios[f"{name} / {SB3}"] = ratio(entry, by_name[SB3])
    return {
        "variant": variant,
        "decisions_per_second": {name: entry.median for name, entry in by_name.items()},
        "ratios": ratios,
    }


# Time to strength


def short_run(variant: str, processes: int) -> PPOConfig:
    """The parameters with which the native algorithm soon plays well, the same updates by any number of processes: small batches,
    a small critic, and a longer head start where it is needed. Stable-Baselines3 trains with its defaults."""
    parameters = {**get(variant).training, "imitate": HEAD_STARTS.get(variant, PPOConfig.imitate), "value_hidden": (64, 64)}
    share = {"n_envs": 4096 // processes, "samples": 32_768 // processes, "batch_size": 2048 // processes}
    return PPOConfig.of({**parameters, **share})


class _EnoughError(Exception):
    """The margin is reached."""


@dataclass(frozen=True)
class Strength:
    """How far a bot was after some training."""

    seconds: float
    """Of training, by the clock, without evaluations."""
    cpu_seconds: float
    """The same as processor time of the first process: what an idle core would have needed."""
    decisions: int
    advantage: float
    """Over ``greedy``, points a hand."""
    half_width: float


def strength(variant: str, algorithm: str, scale: Scale, seed: int, processes: Processes, threads: int) -> dict[str, Any]:
    """Train until the bot beats ``greedy`` by the variant's margin; all evaluations are on the same deals."""
    native = algorithm == ppo.ALGORITHM
    config, steps = (short_run(variant, processes.count), scale.short_steps) if native else (None, scale.steps)
    plan = processes.shared(
        lambda: runs.plan(
            variant, out=folder(), steps=steps, seed=seed, algorithm=algorithm, config=config, given={"num_players": 4}
        )
    )
    path: list[Strength] = []
    wall, cpu, following = time.perf_counter(), time.process_time(), scale.every
    run: Any = ppo.Training(plan, Hardware(threads=threads), processes) if native else sb3_ppo.Training(plan, threads=threads)

    def look(done: int) -> None:
        nonlocal wall, cpu, following
        if done < following:
            return
        following += scale.every
        wall_now, cpu_now = time.perf_counter(), time.process_time()

        def evaluated() -> Strength:
            found = evaluate([PolicyAgent(run.bot()), GreedyAgent()], plan.setting, deals=scale.deals, seed=1).advantage
            assert found is not None and found.half_width is not None
            return Strength(wall_now - wall, cpu_now - cpu, done, found.mean, found.half_width)

        path.append(processes.shared(evaluated))
        wall += time.perf_counter() - wall_now
        cpu += time.process_time() - cpu_now
        if path[-1].advantage >= MARGINS[variant]:
            raise _EnoughError

    reached = False
    try:
        run.run(look)
    except _EnoughError:
        reached = True
    return {
        "variant": variant,
        "algorithm": algorithm,
        "processes": processes.count,
        "threads": threads,
        "seed": seed,
        "margin": MARGINS[variant],
        "reached": reached,
        "path": [asdict(entry) for entry in path],
    }


# The report


def show(console: Console, found: dict[str, Any]) -> None:
    """The report as tables."""
    for entry in found["throughput"]:
        table = Table(
            title=f"{entry['variant']}: decisions learned from per second of one core", title_justify="left", header_style="bold"
        )
        table.add_column("what")
        table.add_column("median", justify="right")
        for name, value in entry["decisions_per_second"].items():
            table.add_row(name, f"{value:,.0f}")
        for name, value in entry["ratios"].items():
            table.add_row(name, f"{value:.2f}")
        console.print(table)
    if found["strength"]:
        table = Table(title="Training until greedy is beaten by a margin", title_justify="left", header_style="bold")
        for column in (
            "variant",
            "margin",
            "algorithm",
            "processes",
            "threads",
            "seconds",
            "CPU seconds",
            "decisions",
            "advantage",
        ):
            table.add_column(column)
        for entry in found["strength"]:
            last = entry["path"][-1] if entry["path"] else None
            told = ["-"] * 4
            if last is not None:
                told = [f"{last['seconds']:.1f}", f"{last['cpu_seconds']:.1f}", f"{last['decisions']:,}"]
                told.append(f"{last['advantage']:+.2f} ± {last['half_width']:.2f}{'' if entry['reached'] else ', not reached'}")
            table.add_row(
                entry["variant"], f"{entry['margin']}", entry["algorithm"], str(entry["processes"]), str(entry["threads"]), *told
            )
        console.print(table)


def _parser() -> command.Parser:
    parser = command.Parser(prog="training", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny measurements, to see that all of it runs")
    parser.add_argument("--strength", action="store_true", help="time until greedy is beaten, instead of throughput")
    parser.add_argument("--variants", nargs="+", choices=MARGINS, default=list(MARGINS), metavar="VARIANT", help="which variants")
    parser.add_argument(
        "--algorithms",
        nargs="+",
        choices=ALGORITHMS,
        default=list(ALGORITHMS),
        metavar="ALGO",
        help="which are trained for --strength",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the trainings of --strength")
    parser.add_argument("--threads", type=int, default=1, choices=range(1, 65), metavar="N", help="in each process of --strength")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    processes, scale, console = Processes(), QUICK if chosen.quick else FULL, Console(stderr=True)
    torch.set_num_threads(1)

    def told(text: str) -> None:
        if processes.first and console.is_terminal:
            console.print(text, highlight=False)

    found: dict[str, Any] = {"machine": machine(), "versions": versions(DISTRIBUTIONS), "throughput": [], "strength": []}
    for variant in chosen.variants:
        _warm_up(variant)
        if not chosen.strength:
            found["throughput"].append(throughput(variant, scale, told))
            continue
        for algorithm in chosen.algorithms if processes.count == 1 else [ppo.ALGORITHM]:
            told(f"{variant}: {algorithm} until greedy is beaten")
            found["strength"].append(strength(variant, algorithm, scale, chosen.seed, processes, chosen.threads))
    processes.leave()
    if processes.first:
        show(Console(), found)
        command.write(chosen.json, found)
    return 0


def _warm_up(variant: str) -> None:
    """Load or compile the kernels, and load the parts of PyTorch that its optimizers are made of: that is no part of training."""
    torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    game = get(variant)
    setting = engine.resolve(game, num_players=4, auto_forced=True)
    evaluate([GreedyAgent(), RandomAgent()], engine.resolve(game, num_players=4), deals=1)
    core = engine.VectorCore(game, setting, np.arange(64, dtype=np.uint64), autoreset=False)
    played_greedily(core, 0, 0)
    core.reset()
    core.step(core.sample())
    core.look(np.arange(1), np.arange(1))


if __name__ == "__main__":
    sys.exit(main())
