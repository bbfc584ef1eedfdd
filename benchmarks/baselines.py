"""The policies that the package ships, trained and described anew: ``python -m eightsenv.benchmarks.baselines [NAME ...]``.

Each is trained by the default algorithm, evaluated on duplicate deals, and written with its model card only if it beats the
greedy player with an interval clear of zero. The card also tells how bots that search fare against it.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import eightsenv
from eightsenv import agents
from eightsenv.agents import Agent, GreedyAgent, PolicyAgent, RandomAgent, baselines, processes
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.evaluation import Evaluation, check_deals, evaluate
from eightsenv.benchmarks import command
from eightsenv.benchmarks.matches import SEARCHES, advantage, certain, equal_share, wins
from eightsenv.benchmarks.measure import machine, versions
from eightsenv.benchmarks.readme import table
from eightsenv.train import ppo, runs
from eightsenv.train.hardware import Hardware
from eightsenv.train.processes import Processes
from eightsenv.variants import get

LARGEST = 1_000_000
"""Bytes of a file that is shipped."""
STEPS: Mapping[str, int] = MappingProxyType(
    {
        "crazy_eights_v0/2p": 10_000_000,
        "crazy_eights_v0/4p": 5_000_000,
        "eights_v0/4p": 5_000_000,
        "eights_v0/partners": 5_000_000,
        "house_eights_v0/4p": 5_000_000,
    }
)
"""Decisions of the learner where they are not :data:`eightsenv.train.runs.DEFAULT_STEPS`."""
DEALT = 1
"""The seed of the deals on which they are judged: others than those of the training."""
DISTRIBUTIONS = ("torch", "numpy", "numba")


class NotShippedError(Exception):
    """What was trained is not good enough, and why; what is shipped stays as it was."""


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    steps: int | None = None
    """Decisions of the learner; None: as many as the policy that is shipped had."""
    seed: int = 0
    deals: int = runs.REPORT_DEALS
    searches: Sequence[str] = SEARCHES
    """Bots that search, each in one seat against the policy in all others."""
    search_deals: int = 300
    """Of their matches: a search takes milliseconds for what other bots do in microseconds."""


@dataclass(frozen=True)
class Made:
    """A baseline that was trained."""

    name: str
    plan: runs.Plan
    bot: Checkpoint
    data: bytes
    """Its file."""
    seconds: float
    """Of training."""
    results: tuple[Evaluation, ...]
    """The policy against greedy and against random players; then each search against the policy."""


def make(name: str, scale: Scale, told: Callable[[str, int, int], None] = lambda what, done, total: None) -> Made:
    """Train a baseline and put it and its model card in their places.

    Args:
        name: which one.
        scale: how much is trained and played.
        told: gets what is being done, how much of it is done, and of how much in all.

    Raises:
        ValueError: a name that there is not, or numbers that make no sense.
        NotShippedError: the file grew too large, or the policy does not beat the greedy player for certain.
    """
    check_deals(scale.deals)
    check_deals(scale.search_deals)
    target, searchers = baselines.path(name), [agents.load(spec) for spec in scale.searches]
    steps = STEPS.get(name, runs.DEFAULT_STEPS) if scale.steps is None else scale.steps
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        plan = runs.plan(name.partition("/")[0], out=out, steps=steps, seed=scale.seed, given=baselines.GIVEN[name])
        begin = time.perf_counter()
        ppo.Training(plan, Hardware(), Processes()).run(lambda done: told("training", done, steps))
        seconds = time.perf_counter() - begin
        bot, data = checkpoints.load(out / runs.BOT), (out / runs.BOT).read_bytes()
    if len(data) > LARGEST:
        raise NotShippedError(f"{name} takes {len(data)} bytes, more than {LARGEST}")
    policy = PolicyAgent(bot, name=name)
    matches: list[tuple[Agent, Agent, int]] = [(policy, GreedyAgent(), scale.deals), (policy, RandomAgent(), scale.deals)]
    matches += [(searcher, policy, scale.search_deals) for searcher in searchers]
    results: list[Evaluation] = []
    threads = processes.default_workers()
    for one, other, deals in matches:
        told(f"{one.name} against {other.name}", 0, deals)
        results.append(evaluate([one, other], bot.setting, deals=deals, seed=DEALT, num_threads=threads))
        if len(results) == 1 and certain(advantage(results[0])) <= 0:
            raise NotShippedError(f"{name} does not beat the greedy player for certain: {advantage(results[0]).text()}")
    made = Made(name, plan, bot, data, seconds, tuple(results))
    checkpoints.write_atomically(target, data)
    checkpoints.write_atomically(baselines.card(name), card(made).encode())
    return made


def training_command(made: Made) -> str:
    """The command that trains the same policy."""
    given = dict(baselines.GIVEN[made.name])
    players, setting = given.pop("num_players"), made.plan.setting
    options = "".join(f" --set {key}={value}" for key, value in given.items())
    return f"eights train {setting.variant} --players {players}{options} --steps {made.plan.steps} --seed {made.plan.config.seed}"


def card(made: Made) -> str:
    """The model card, Markdown."""
    facts, setting, layout = machine(), made.plan.setting, made.bot.layout
    used = ", ".join(f"{key} {value}" for key, value in versions(DISTRIBUTIONS).items())
    chosen = {**get(setting.variant).practice, **baselines.GIVEN[made.name]}
    options = ", ".join(f"`{key}={value!r}`" for key, value in chosen.items() if key != "num_players")
    hardware = Hardware()
    where = f"one core of {facts['cores']}" if hardware.where().type == "cpu" else torch.cuda.get_device_name()
    units = f"{' + '.join(map(str, layout.hidden))} units ({layout.activation})"
    about = {
        "game": f"`{setting.variant}`, {setting.num_players} players, one hand, {options or 'default options'}",
        "plays": f'`eightsenv.agents.load("{made.name}")`: its likeliest action, from what its seat sees',
        "net": f"{layout.features} features, {units}, {layout.actions} actions",
        "trained by": f"`{training_command(made)}`",
        "algorithm": f"{made.plan.algorithm}, {made.plan.steps:,} decisions of the learner, seed {made.plan.config.seed}",
        "time": f"{made.seconds:.0f} s on {facts['cpu']}, {where}, {str(hardware.dtype()).removeprefix('torch.')}",
        "versions": f"eightsenv {eightsenv.__version__}, Python {facts['python']}, {used}",
        "file": f"{len(made.data):,} bytes, SHA-256 `{hashlib.sha256(made.data).hexdigest()}`",
    }
    first = made.results[0]
    one = "side" if first.agents[0].seats > 1 else "seat"
    lines = (_line(made.name, result) for result in made.results)
    return "\n\n".join(
        (
            f"# {made.name}",
            table(("", ""), about.items(), "--"),
            f"One bot on one {one}, another on all others, on duplicate deals that are not those of the training; 95 % confidence. "
            f"Among equals a {one} wins {100 * equal_share(first):.0f} % of the games, less what nobody wins.",
            table((f"on one {one}", "against", "points over them", "wins", "deals"), lines, "--rrr"),
            "\n".join(f"- {sentence}" for sentence in map(_verdict, made.results[2:])),
            "It learned from self-play with the built-in bots among its opponents, and plays this setting only.\n",
        )
    )


def _line(name: str, result: Evaluation) -> tuple[str, ...]:
    one, others = ("this policy" if row.agent == name else f"`{row.agent}`" for row in result.agents)
    return one, others, advantage(result).text(), wins(result).percent(), f"{result.deals:,}"


def _verdict(result: Evaluation) -> str:
    """What a search's result means, in a sentence."""
    searcher, gap = f"`{result.agents[0].agent}`", advantage(result)
    return {
        1: f"{searcher} plays better than this policy: {gap.text()} points a hand.",
        0: f"{searcher} and this policy cannot be told apart on so many deals: {gap.text()} points a hand for the search.",
        -1: f"{searcher} plays worse than this policy: {gap.text()} points a hand.",
    }[certain(gap)]


def _parser() -> command.Parser:
    parser = command.Parser(prog="baselines", description="Train the policies that the package ships, and write their model cards.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(baselines.names())}; all by default")
    parser.add_argument("--steps", type=int, help="decisions of the learner; as the policy that is shipped by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--deals", type=int, default=Scale.deals, help="deals against greedy and random players")
    parser.add_argument("--searches", nargs="*", default=SEARCHES, metavar="AGENT", help="bots that search, such as ismcts:1000")
    parser.add_argument("--search-deals", type=int, default=Scale.search_deals, help="deals against those")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Make the named baselines, or all. Returns 0; 1 when one was not good enough; 2 for arguments that make no sense."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    scale = Scale(chosen.steps, chosen.seed, chosen.deals, chosen.searches, chosen.search_deals)
    found: dict[str, Any] = {
        "machine": machine(),
        "versions": {"eightsenv": eightsenv.__version__, **versions(DISTRIBUTIONS)},
        "baselines": {},
    }
    failed = 0
    try:
        for name in chosen.names:
            baselines.path(name)
        for name in chosen.names or baselines.names():
            try:
                made = _watched(name, scale)
            except NotShippedError as error:
                print(error)
                failed = 1
                continue
            print(f"{name}: {advantage(made.results[0]).text()} points over the greedy player", flush=True)
            found["baselines"][name] = [result.as_dict() for result in made.results]
            command.write(chosen.json, found)  # after each: the whole takes long
    except ValueError as error:
        print(f"baselines: {error}", file=sys.stderr)
        return 2
    return failed


def _watched(name: str, scale: Scale) -> Made:
    """Make a baseline behind a progress bar."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(name)

        def told(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"{name}: {what}", completed=done, total=total)

        return make(name, scale, told)


if __name__ == "__main__":
    sys.exit(main())
