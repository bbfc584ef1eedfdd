"""Speed of training, in one run on one machine: ``python -m eightsenv.benchmarks.training``.

Decisions learned from per second by the native algorithm, beside (a) what its net alone allows, timed on the same decisions: the
forward passes that choose actions and value positions, and the updates; and (b) Stable-Baselines3's MaskablePPO with the same net,
epochs and batch; for several nets. All take turns, once in each round, in one thread each. Seconds are those of the processor, so
that what else runs on the machine counts as little as can be. In both, ReLU nets also see how many cards of each suit and rank
the sets of an observation hold (:mod:`eightsenv.train.features`); the native one absorbs these counts, the other multiplies by them
(without them it would be about a tenth faster). The native one plays a hand on greedily at every decision, the other once a deal.

With ``--strength``: how long the native algorithm and Stable-Baselines3 train, as ``eights train`` does, until their bot beats
``greedy`` by fixed margins on duplicate deals, for several seeds. The head start counts and is looked into, evaluations do not
count. Started by ``torchrun`` it trains natively on all processes; Stable-Baselines3 then has the first of them for itself, and
as many threads as there are processes::

    torchrun --nproc_per_node 2 -m eightsenv.benchmarks.training --strength
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from eightsenv import engine
from eightsenv.adapters.versus import played_greedily
from eightsenv.agents import GreedyAgent, PolicyAgent, RandomAgent
from eightsenv.agents.evaluation import evaluate
from eightsenv.benchmarks import command, readme
from eightsenv.benchmarks.measure import PER_SECOND, Case, Measured, Run, machine, measure, ratio, steady, versions
from eightsenv.rng import check_seed
from eightsenv.search import outlook
from eightsenv.train import headstart, ppo, runs, sb3_ppo
from eightsenv.train.config import ALGORITHMS, Config, PPOConfig, SB3Config, config_class
from eightsenv.train.hardware import Hardware
from eightsenv.train.processes import Processes
from eightsenv.train.sparse import SparseRows
from eightsenv.variants import get

MARGINS = {"crazy_eights_v0": (0.2, 0.3), "eight_ball_v0": (0.2, 0.8), "house_eights_v0": (0.2, 0.3)}
"""By how many points a hand ``greedy`` is to be beaten in a game of four: a small margin, the same for all, and half of what the
variant's shipped baseline wins by, to a tenth."""
DEALS = {"crazy_eights_v0": 10_000, "eight_ball_v0": 10_000, "house_eights_v0": 30_000}
"""Of one evaluation: so many that an interval is half as wide as the small margin, or little more."""
JUDGED = 3
"""The seed of these deals, on which nothing was tuned."""
DISTRIBUTIONS = ("eightsenv", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
N_EPOCHS = 2
Trained = TypeVar("Trained", bound=Config)


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    rounds: int
    seconds: float
    """The length of one measurement in processor time; at least one iteration."""
    n_envs: int
    """Games side by side: each algorithm's own default, if not quick."""
    sb3_n_envs: int
    nets: tuple[tuple[int, ...], ...]
    """The hidden layers of policy and critic. Of :data:`FULL` the first are Stable-Baselines3's own default, the second that of
    ``eights train``."""
    samples: int
    batch_size: int
    every: int
    """Decisions from one evaluation of ``--strength`` to the next."""
    steps: int
    """Decisions after which a training is given up; learning rates fall until then."""
    head_start: int | None = None
    """Decisions of each part of the head start of ``--strength``; None: as many as ``eights train`` takes."""
    deals: int | None = None
    """Of one evaluation of ``--strength``; None: :data:`DEALS`."""


FULL = Scale(
    rounds=5,
    seconds=2.0,
    n_envs=4096,
    sb3_n_envs=2048,
    nets=((64, 64), (128, 128), (256, 256)),
    samples=32_768,
    batch_size=4096,
    every=65_536,
    steps=runs.DEFAULT_STEPS,
)
QUICK = Scale(
    rounds=1,
    seconds=0.1,
    n_envs=64,
    sb3_n_envs=64,
    nets=((16,),),
    samples=512,
    batch_size=256,
    every=1024,
    steps=2048,
    head_start=2048,
    deals=20,
)


# Throughput


def folder() -> Path:
    """A folder of a run that nobody will look at; it goes with the process."""
    _folders.append(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    return Path(_folders[-1].name)


_folders: list[tempfile.TemporaryDirectory] = []


def of_net(config: type[Trained], net: tuple[int, ...], scale: Scale, **given: Any) -> Trained:
    """The parameters of an algorithm that learns from its first decision on, with what is equal for all."""
    return config(hidden=net, value_hidden=net, n_epochs=N_EPOCHS, batch_size=scale.batch_size, imitate=0, **given)


def native_training(variant: str, net: tuple[int, ...], scale: Scale, precision: str) -> ppo.Training:
    config = of_net(PPOConfig, net, scale, n_envs=scale.n_envs, samples=scale.samples, foresee=0)
    plan = runs.plan(variant, out=folder(), steps=10**12, config=config, given={"num_players": 4})
    return ppo.Training(plan, Hardware(device="cpu", precision=precision))


def native(variant: str, net: tuple[int, ...], scale: Scale, precision: str) -> Run:
    """Whole iterations: collecting and learning."""
    run, fresh = native_training(variant, net, scale, precision), itertools.chain([True], itertools.repeat(False))

    def work() -> int:
        run.iterate(next(fresh))
        return scale.samples

    return steady(work, of_processor=True)


def net_alone(variant: str, net: tuple[int, ...], scale: Scale, precision: str) -> Run:
    """Forward passes and updates on decisions that were collected before, in parts of the sizes in which they come."""
    run = native_training(variant, net, scale, precision)
    run.iterate(True)
    rollout = run.games.collect(run.act)
    made, config = rollout.decisions, run.config
    steps = [(made.observation[a:b], made.mask[a:b]) for a, b in itertools.pairwise(rollout.bounds)][1:]  # the first: carried over
    observation, mask, action, log_prob = (
        torch.from_numpy(part[: scale.samples]) for part in (made.observation, made.mask, made.action, made.log_prob)
    )
    noise = torch.randn(scale.samples)
    learned = (run.net.actor.taken(observation), mask, action, log_prob, noise, noise)
    for group in run.optimizer.param_groups:
        group["lr"] = 0.0  # the same work again and again

    def work() -> int:
        for step in steps:
            run.act(*step)
        run.values(learned[0])
        for _ in range(config.n_epochs):
            for seen, *others in zip(*(part.split(config.batch_size) for part in learned), strict=True):
                run.improve([seen, None, *others])
        return scale.samples

    return steady(work, of_processor=True)


def stable_baselines(variant: str, net: tuple[int, ...], scale: Scale) -> Run:
    """Whole iterations of MaskablePPO in the project's own self-play on the batch core."""
    steps = scale.samples // scale.sb3_n_envs
    config = of_net(SB3Config, net, scale, n_envs=scale.sb3_n_envs, n_steps=steps, checkpoint_every=10**9)
    plan = runs.plan(variant, out=folder(), steps=10**12, config=config, algorithm=sb3_ppo.ALGORITHM, given={"num_players": 4})
    run = sb3_ppo.Training(plan)

    def work() -> int:
        run.model.learn(scale.samples, callback=sb3_ppo.SelfPlay(run, None), reset_num_timesteps=False)
        return scale.samples

    return steady(work, of_processor=True)


def cases(variant: str, net: tuple[int, ...], scale: Scale) -> list[Case]:
    precisions = ["float32"] if Hardware(device="cpu").dtype() == torch.float32 else ["float32", "bfloat16"]
    made = [
        Case(f"{name}, {precision}", variant, PER_SECOND, partial(prepare, variant, net, scale, precision))
        for precision in precisions
        for name, prepare in (("native", native), ("net alone", net_alone))
    ]
    return [*made, Case(readme.SB3, variant, PER_SECOND, partial(stable_baselines, variant, net, scale))]


def throughput(variant: str, net: tuple[int, ...], scale: Scale, told: Callable[[str], None]) -> dict[str, Any]:
    """The speeds of one variant and net, and the ratios that matter."""
    where = f"{variant}, {readme.net_text(net)}"
    measured, _ = measure(cases(variant, net, scale), scale.rounds, scale.seconds, lambda name: told(f"{where}: {name}"))
    by_name: dict[str, Measured] = {entry.case.name: entry for entry in measured}
    ratios = {}
    for name, entry in by_name.items():
        if name.startswith("native"):
            ratios[f"{name} / {name.replace('native', 'net alone')}"] = ratio(entry, by_name[name.replace("native", "net alone")])
            ratios[f"{name} / {readme.SB3}"] = ratio(entry, by_name[readme.SB3])
    return {
        "variant": variant,
        "net": net,
        "decisions_per_second": {name: entry.median for name, entry in by_name.items()},
        "ratios": ratios,
    }


# Time to strength


def config_of(variant: str, algorithm: str, scale: Scale, processes: int) -> Config:
    """The parameters with which ``eights train`` trains, iterations and batches shared by several processes: the same updates by
    any number of them. Raises ``ValueError`` if they cannot be shared so."""
    config = config_class(algorithm).of(get(variant).training)
    if scale.head_start is not None:
        config = replace(config, imitate=scale.head_start)
    if not isinstance(config, PPOConfig):
        return config
    if config.batch_size % processes:
        raise ValueError(f"{processes} processes cannot share batches of {config.batch_size} decisions")
    return replace(
        config,
        foresee=config.foresee if scale.head_start is None else scale.head_start,
        n_envs=config.n_envs // processes,
        samples=config.samples // processes,
        batch_size=config.batch_size // processes,
    )


class _EnoughError(Exception):
    """The greatest margin is reached."""


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
    """Train until the bot beats ``greedy`` by the variant's greatest margin.

    All evaluations are on the same deals: after each lesson of the head start, and then about every ``scale.every`` decisions.
    """
    native = algorithm == ppo.ALGORITHM
    config = config_of(variant, algorithm, scale, processes.count)
    plan = processes.shared(
        lambda: runs.plan(
            variant, out=folder(), steps=scale.steps, seed=seed, algorithm=algorithm, config=config, given={"num_players": 4}
        )
    )
    path: list[Strength] = []
    wall, cpu, following = time.perf_counter(), time.process_time(), 0

    def look(run: Any, done: int = 0) -> None:
        nonlocal wall, cpu, following
        if done < following:
            return
        following = done + scale.every if done else 0
        wall_now, cpu_now = time.perf_counter(), time.process_time()

        def evaluated() -> Strength:
            deals = DEALS[variant] if scale.deals is None else scale.deals
            found = evaluate([PolicyAgent(run.bot()), GreedyAgent()], plan.setting, deals=deals, seed=JUDGED).advantage
            assert found is not None and found.half_width is not None
            return Strength(wall_now - wall, cpu_now - cpu, done, found.mean, found.half_width)

        path.append(processes.shared(evaluated))
        wall += time.perf_counter() - wall_now
        cpu += time.process_time() - cpu_now
        if path[-1].advantage >= max(MARGINS[variant]):
            raise _EnoughError

    with suppress(_EnoughError):
        training: Any
        if native:
            training = ppo.Training(plan, Hardware(threads=threads), processes, told=look)
        else:
            training = sb3_ppo.Training(plan, threads=threads, told=look)
        training.run(partial(look, training))
    return {
        "variant": variant,
        "algorithm": algorithm,
        "processes": processes.count,
        "threads": threads,
        "seed": seed,
        "margins": MARGINS[variant],
        "path": [asdict(entry) for entry in path],
    }


# The report


def show(console: Console, found: dict[str, Any]) -> None:
    """The report as tables."""
    if found["benchmark"] == readme.STRENGTH:
        table = Table(title="Seconds of training until greedy is beaten by a margin", title_justify="left", header_style="bold")
        for column in readme.STRENGTH_HEADS:
            table.add_column(column)
        for row in readme.strength_cells(found["results"]):
            table.add_row(*row)
        console.print(table)
        return
    for entry in found["results"]:
        table = Table(
            title=f"{entry['variant']}, {readme.net_text(entry['net'])}: decisions learned from per second of one core",
            title_justify="left",
            header_style="bold",
        )
        table.add_column("what")
        table.add_column("median", justify="right")
        for name, value in entry["decisions_per_second"].items():
            table.add_row(name, f"{value:,.0f}")
        for name, value in entry["ratios"].items():
            table.add_row(name, f"{value:.2f}")
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
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="SEED", help="of the trainings of --strength")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables and write the JSON file. Returns 0, or 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    processes, scale, console = Processes(), QUICK if chosen.quick else FULL, Console(stderr=True)
    try:
        for seed in chosen.seeds:
            check_seed(seed)
        config_of(chosen.variants[0], ppo.ALGORITHM, scale, processes.count)
    except ValueError as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    torch.set_num_threads(1)

    def told(text: str) -> None:
        if processes.first and console.is_terminal:
            console.print(text, highlight=False)

    found: dict[str, Any] = {
        "benchmark": readme.STRENGTH if chosen.strength else readme.LEARNING,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(DISTRIBUTIONS),
        "results": [],
    }
    if chosen.strength:
        found["every"] = scale.every
    else:
        found |= {"n_epochs": N_EPOCHS, "batch_size": scale.batch_size, "rounds": scale.rounds}
    for variant in dict.fromkeys(chosen.variants):
        _warm_up(variant)
        if not chosen.strength:
            found["results"] += [throughput(variant, net, scale, told) for net in scale.nets]
            continue
        for seed, algorithm in itertools.product(*map(dict.fromkeys, (chosen.seeds, chosen.algorithms))):
            told(f"{variant}: {algorithm}, seed {seed}, until greedy is beaten")
            if algorithm == ppo.ALGORITHM:
                found["results"].append(strength(variant, algorithm, scale, seed, processes, 1))
            elif processes.first:
                found["results"].append(strength(variant, algorithm, scale, seed, Processes.single(), processes.count))
            processes.shared(lambda: None)  # the others wait for the first
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
    outlook(core, np.arange(1))
    headstart.watch(core, 64, np.random.default_rng(0), foreseeing=True)
    SparseRows.of(torch.zeros((1, 1), dtype=torch.int8)).index_select(0, torch.zeros(1, dtype=torch.int64)).transposed(1)


if __name__ == "__main__":
    sys.exit(main())
