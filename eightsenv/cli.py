"""The command line: ``eights``.

What is slow to import besides the package itself (Torch) is imported inside the commands that need it. Results go to standard
output, progress to standard error. Bad input is one line on standard error and exit code 2; Ctrl-C is exit code 130.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import secrets
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import TextColumn
from rich.table import Table

from eightsenv.commands import common
from eightsenv.commands.common import Interrupted, Match, Options, Players, Reward, Rules, Variant
from eightsenv.commands.exploit import exploit
from eightsenv.commands.replay import replay
from eightsenv.commands.tournament import TournamentCommand, tournament
from eightsenv.rng import check_seed

if TYPE_CHECKING:
    from eightsenv.agents.evaluation import Evaluation
    from eightsenv.train import runs
    from eightsenv.train.hardware import Hardware
    from eightsenv.train.processes import Processes

app = typer.Typer(
    name="eights",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        import eightsenv

        print(f"eightsenv {eightsenv.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Environments, bots and training for the eights family of card games.

    Examples:

      eights play crazy_eights_v0

      eights train crazy_eights_v0

      eights evaluate greedy random --deals 5000

      eights rules crazy_eights_v0
    """


# Commands


@app.command()
def variants() -> None:
    """List the variants that exist.

    Example:

      eights variants
    """
    from eightsenv.variants import get, names

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("variant", "title", "players", "in brief"):
        table.add_column(column, no_wrap=column == "variant")
    for name in names():
        game = get(name)
        table.add_row(name, game.title, f"{game.players[0]} to {game.players[1]}", _first_sentence(game.summary))
    common.stdout().print(table)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()))[0]


@app.command()
def rules(
    variant: Variant,
    players: Players = None,
    match: Match = None,
    rules: Rules = None,
    options: Options = None,
) -> None:
    """Describe a variant: its rules in brief, actions, observation, options, presets, rewards, usage.

    Examples:

      eights rules crazy_eights_v0

      eights rules crazy_eights_v0 --players 2 --match
    """
    from eightsenv import docs, engine
    from eightsenv.variants import get

    game = get(variant)
    setting = engine.resolve(game, **common.arguments(players, match, None, rules, options))
    console = common.stdout()
    console.print(f"[bold]{game.title}[/bold]  ({game.name})")
    for part in docs.parts(game, setting):
        console.print(f"\n[bold]{common.plain(part.title)}[/bold]")
        for text in filter(None, (part.text, part.program.rstrip())):
            console.print(text, markup=False, highlight=False, soft_wrap=True)
        if part.rows:
            table = Table(header_style="bold", expand=False)
            for column in part.columns:
                table.add_column(column, overflow="fold")
            for row in part.rows:
                table.add_row(*map(common.plain, row))
            console.print(table)


@app.command()
def warmup() -> None:
    """Compile every kernel of every variant once for this machine; later processes load them from the cache.

    Example:

      eights warmup
    """
    from eightsenv.variants import get, names

    games = [get(name) for name in names()]
    calls: dict[str, list[Any]] = {game.rule_set.name: _kernel_calls(game) for game in games}
    calls |= {game.name: _default_calls(game) for game in games}
    calls["8-ball solver"] = _solver_calls()
    with common.progress() as progress:
        for what, steps in calls.items():
            task = progress.add_task(f"{what} kernels", total=len(steps))
            for step in steps:
                step()
                progress.advance(task)
    common.stdout().print(f"All kernels are compiled: {', '.join(calls)}.", highlight=False)


def _kernel_calls(game: Any) -> list[Any]:
    """Calls that together run every kernel of a rule set once."""
    import numpy as np

    from eightsenv import engine, search

    setting = engine.resolve(game, auto_forced=True)  # not the default: that has kernels of its own
    one = np.zeros(1, np.uint64)
    core = engine.VectorCore(game, setting, one)
    row, seat = np.zeros(1, np.int64), np.zeros(1, np.int8)
    return [
        lambda: core.reset(options={"dealer": 0}),
        lambda: core.step(core.sample()),
        *_shared_calls(game, setting),
        lambda: core.stepper()(int(core.sample()[0])),
        lambda: core.step(core.choose("greedy")),
        lambda: _try_illegal_action(core),
        lambda: core.look(row, seat),
        lambda: core.restore(0, core.determinize(0, 0, seed=0)),
        lambda: engine.play_out(game, setting, one, engine.seat_policies("greedy", setting.num_players)),
        *(partial(search.Search(core, method, simulations=1).choose, row) for method in search.METHODS),
        lambda: search.foresee(core, row),
        lambda: search.outlook(core, row),
    ]


def _default_calls(game: Any) -> list[Any]:
    """Calls that run the kernels of a variant's default setting once."""
    import numpy as np

    from eightsenv import engine

    setting = engine.resolve(game)
    one = np.zeros(1, np.uint64)
    return [
        *_shared_calls(game, setting),
        lambda: engine.play_out(game, setting, one, engine.seat_policies("greedy", setting.num_players)),
    ]


def _try_illegal_action(core: Any) -> None:
    with contextlib.suppress(ValueError):
        core.step(core.batch.action_mask.argmin(axis=1))


def _shared_calls(game: Any, setting: Any) -> list[Any]:
    """Calls that run the kernels of a batch that two threads share."""
    import numpy as np

    from eightsenv import engine

    core = engine.VectorCore(game, setting, np.arange(128, dtype=np.uint64), num_threads=2)
    return [core.reset, lambda: core.step(core.sample())]


def _solver_calls() -> list[Any]:
    """Calls that run the kernels of the endgame solver on no deal at all."""
    import numpy as np

    from eightsenv.variants.eight_ball import solver
    from eightsenv.variants.eight_ball.state import RULES, STATE

    hands, seats = np.zeros((0, 4), np.uint64), np.zeros(0, np.int64)
    return [
        lambda: solver.solve_deals(hands, 0, 0),
        lambda: solver.solve_moves(hands, 0, 0),
        lambda: solver.solve_states(np.zeros(0, STATE), np.zeros(1, RULES), seats),
    ]


@app.command()
def play(
    variant: Variant,
    players: Players = None,
    seat: Annotated[int, typer.Option("--seat", help="Your seat, from 0 on.")] = 0,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            "--opponents",
            metavar="AGENT",
            help="random, greedy (the default), pimc:200, ismcts:1000, ismcts:50ms, crazy_eights_v0/4p (trained, comes with the "
            "package), a checkpoint; or one for each from your left.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="The same seed gives the same deals; by default a random one.")] = None,
    match: Match = None,
    rules: Rules = None,
    options: Options = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write what was played, for [bold]eights replay[/bold].")
    ] = None,
) -> None:
    """Play against bots in the terminal.

    Choose actions by number or text; ? in the game tells more.

    Examples:

      eights play crazy_eights_v0

      eights play eight_ball_v0 --opponents eight_ball_v0/4p

      eights play crazy_eights_v0 --players 2 --match --opponents runs/crazy_eights_v0-1/bot.safetensors

      eights play crazy_eights_v0 --players 3 --opponents greedy --opponents random --set hand_size=7 --seed 4
    """
    import eightsenv
    from eightsenv import agents as bots
    from eightsenv.play import Game

    loaded = [bots.load(spec) for spec in opponents or ["greedy"]]
    env = eightsenv.make(variant, **common.as_trained(variant, loaded, common.arguments(players, match, None, rules, options)))
    others = [(seat + k) % env.num_players for k in range(1, env.num_players)]
    if not 0 <= seat < env.num_players:
        raise ValueError(f"--seat is a seat from 0 to {env.num_players - 1}, not {seat}")
    if len(loaded) not in (1, len(others)):
        raise ValueError(f"--opponents is given once for all or once for each of the {len(others)} others, not {len(loaded)} times")
    for agent in loaded:
        agent.check(env.setting)
    seed = secrets.randbits(32) if seed is None else check_seed(seed)
    seated = {other: loaded[min(k, len(loaded) - 1)] for k, other in enumerate(others)}
    console = common.stdout()
    console.print(f"{env.game.title}: you are agent_{seat} of {env.num_players}, seed {seed}. ? is for help.\n", highlight=False)
    if record is not None and not record.resolve().parent.is_dir():
        raise ValueError(f"the folder of {record} does not exist")
    try:
        Game(env, seat, seated, console).play(seed)
    finally:
        if record is not None:
            record.write_text(env.record())


@app.command()
def train(
    variant: Variant,
    algo: Annotated[
        str | None, typer.Option("--algo", help="The training algorithm: ppo (the default) or sb3-maskable-ppo.")
    ] = None,
    players: Players = None,
    match: Match = None,
    reward: Reward = None,
    rules: Rules = None,
    options: Options = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Decisions of the learner in all.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of everything; 0 by default.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The run's folder; by default runs/VARIANT-1, -2 …")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of the run in --out.")] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Torch threads; more than one rarely pays.")] = 1,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, or auto: a GPU if there is one.")] = "auto",
    precision: Annotated[
        str, typer.Option("--precision", help="float32, bfloat16, or auto: bfloat16 where the hardware multiplies it faster.")
    ] = "auto",
    compiled: Annotated[bool, typer.Option("--compile", help="Compile the loss with torch.compile.")] = False,
) -> None:
    """Train a bot by self-play and compare it with the built-in bots.

    Checkpoints are written while it trains: after an interruption --resume goes on from the last one. Several processes, started
    by torchrun, train one bot together.

    Examples:

      eights train crazy_eights_v0

      eights train crazy_eights_v0 --players 2 --set hand_size=7 --seed 1 --out runs/two

      eights train crazy_eights_v0 --resume --out runs/two

      torchrun --nproc_per_node 2 -m eightsenv.cli train crazy_eights_v0
    """
    from eightsenv.train import runs
    from eightsenv.train.hardware import Hardware
    from eightsenv.train.processes import Processes

    given = common.arguments(players, match, reward, rules, options)
    hardware = Hardware(device, precision, compiled, threads)
    processes = Processes()

    _suits(algo, hardware, processes)
    plan = processes.shared(lambda: runs.plan(variant, out=out, resume=resume, steps=steps, seed=seed, algorithm=algo, given=given))
    with common.stderr().status("loading Torch …"):
        trainer = _trainer(plan, hardware, processes)

    console = common.stdout() if processes.first else Console(quiet=True)
    done = plan.saved.counters["steps"] if plan.saved else 0
    begin = f"resumed at {done:,} of {plan.steps:,}" if plan.saved else f"{plan.steps:,}"
    setting = plan.setting
    console.print(
        f"Training {common.named(setting.variant, setting.options)}, {setting.num_players} players, {begin} decisions, "
        f"seed {plan.config.seed}, in {plan.out}",
        markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip
    with common.stderr().status("taking up the run …" if plan.saved else "a head start: learning from the greedy player …"):
        run = trainer()
    with common.progress(TextColumn("{task.completed:,.0f}/{task.total:,.0f}"), TextColumn("pool {task.fields[pool]}")) as progress:
        task = progress.add_task("self-play", total=max(plan.steps, done), completed=done, pool=len(run.pool))
        run.run(lambda steps: progress.update(task, completed=steps, pool=len(run.pool)))
    processes.leave()
    if not processes.first:
        return
    with common.progress() as progress:
        task = progress.add_task("evaluating on duplicate deals", total=None)
        results = runs.report(plan.out, progress=lambda done, total: progress.update(task, completed=done, total=total))

    table = Table(title="The trained bot on duplicate deals (95 % confidence)", title_justify="left", header_style="bold")
    for column in ("against", "mean payoff", "win rate", "advantage"):
        table.add_column(column)
    for name, result in results.items():
        bot = result.agents[0]
        assert result.advantage is not None
        table.add_row(name, bot.payoff.text(), bot.win_rate.percent(), result.advantage.text())
    console.print(table)
    gap = results["greedy"].advantage
    if gap is not None and gap.mean + (gap.half_width or 0) < 0:
        console.print(
            "The bot does not play as well as the greedy player yet: go on with --resume and more --steps.", highlight=False
        )
    console.print(f"Bot: {plan.out / runs.BOT}   report: {plan.out / runs.REPORT}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Next: eights evaluate {plan.out / runs.BOT} greedy", markup=False, highlight=False, soft_wrap=True)


def _suits(algorithm: str | None, hardware: Hardware, processes: Processes) -> None:
    """Raise ``ValueError`` for what only the native algorithm can do."""
    if algorithm == "sb3-maskable-ppo":
        if processes.count > 1:
            raise ValueError(f"{algorithm} trains in one process: start it without torchrun")
        if dataclasses.replace(hardware, threads=1) != type(hardware)():
            raise ValueError(f"{algorithm} trains in float32 on the CPU: --device, --precision and --compile are for ppo")


def _trainer(plan: runs.Plan, hardware: Hardware, processes: Processes) -> Callable[[], Any]:
    """What begins the training of a plan."""
    _suits(plan.algorithm, hardware, processes)
    if plan.algorithm == "sb3-maskable-ppo":
        from eightsenv.train import sb3_ppo

        return lambda: sb3_ppo.Training(plan, threads=hardware.threads)
    from eightsenv.train import ppo

    return lambda: ppo.Training(plan, hardware, processes)


@app.command()
def evaluate(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="Agents by seat: random, greedy, pimc:200, ismcts:1000, ismcts:50ms, crazy_eights_v0/4p (trained, comes with the "
            "package), or a checkpoint; the last fills the rest.",
        ),
    ],
    variant: Annotated[
        str | None, typer.Option("--variant", help="By default the first checkpoint's, else crazy_eights_v0.")
    ] = None,
    players: Players = None,
    match: Match = None,
    reward: Reward = None,
    rules: Rules = None,
    options: Options = None,
    deals: Annotated[
        int, typer.Option("--deals", min=1, help="Different deals; each is played once for each rotation of the seats.")
    ] = 2_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same table.")] = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads of the core.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compare agents on duplicate deals: every deal is replayed with the seats rotated.

    Examples:

      eights evaluate greedy random

      eights evaluate runs/crazy_eights_v0-1/bot.safetensors greedy --deals 10000

      eights evaluate pimc:100 crazy_eights_v0/4p --deals 500

      eights evaluate greedy random --players 2 --match --json

      eights evaluate ismcts:1000 greedy --players 2 --deals 200
    """
    from eightsenv import agents as bots
    from eightsenv import engine
    from eightsenv.agents.evaluation import evaluate as compare
    from eightsenv.game import practised
    from eightsenv.variants import get

    loaded = [bots.load(spec) for spec in agents]
    trained = [agent.setting.variant for agent in loaded if isinstance(agent, bots.PolicyAgent)]
    name = variant or (trained[0] if trained else "crazy_eights_v0")
    given = common.as_trained(name, loaded, common.arguments(players, match, reward, rules, options))
    setting = engine.resolve(get(name), **practised(get(name), given))
    with common.progress() as progress:
        task = progress.add_task("deals", total=deals)
        result = compare(
            loaded, setting, deals=deals, seed=seed, num_threads=threads, progress=lambda n: progress.update(task, completed=n)
        )
    if as_json:
        print(json.dumps(result.as_dict(), indent=2))
        return
    _show(result)


def _show(result: Evaluation) -> None:
    console = common.stdout()
    players = result.setting["num_players"]
    title = (
        f"{common.named(result.variant, result.setting)}, {players} players: {result.deals:,} deals × {players} rotations, "
        f"seed {result.seed} (95 % confidence)"
    )
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in ("agent", "seats", "mean payoff", "win rate"):
        table.add_column(column)
    for row in result.agents:
        table.add_row(common.plain(row.agent), str(row.seats), row.payoff.text(), row.win_rate.percent())
    console.print(table)
    if result.advantage is not None:
        text = f"Advantage of {result.agents[0].agent} over the other seats: {result.advantage.text()}"
        console.print(text, markup=False, highlight=False)
    if result.truncated:
        console.print(f"{result.truncated} of {result.games} games were truncated.", highlight=False)


app.command()(replay)
app.command(cls=TournamentCommand)(tournament)
app.command()(exploit)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
def bench(context: typer.Context) -> None:
    """Measure throughput against other libraries; all arguments go to the benchmark (try --help).

    Example:

      eights bench --help
    """
    from eightsenv.benchmarks import throughput

    raise typer.Exit(throughput.main(list(context.args)))


# The entry point


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0, 2 for bad input, 130 for Ctrl-C, 1 for a reader that went away."""
    try:
        code = app(sys.argv[1:] if argv is None else argv, standalone_mode=False)
    except Interrupted as interruption:
        print(f"eights: {interruption}", file=sys.stderr)
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _EXTRAS:
            raise
        extra = _EXTRAS[error.name.split(".")[0]]
        return _refuse(f'this needs {error.name.split(".")[0]}, which is not installed: pip install "eightsenv[{extra}]"')
    except (ValueError, OSError) as error:
        return _refuse(str(error))
    except Exception as error:  # usage errors of the command-line library, whichever of its versions
        if not hasattr(error, "format_message"):
            raise
        return _refuse(error.format_message() or "say a command: eights --help lists them")
    if code == INTERRUPTED:  # some versions of the command-line library return it instead of raising
        print("eights: interrupted", file=sys.stderr)
    return code if isinstance(code, int) else 0


INTERRUPTED = 130

_EXTRAS = {
    "torch": "train", "stable_baselines3": "train", "sb3_contrib": "train", "tensorboard": "train", "safetensors": "train",
    "openskill": "tournament", "matplotlib": "tournament",
    "pyspiel": "bench", "open_spiel": "bench", "shimmy": "bench", "rlcard": "bench",
}  # fmt: skip
"""Which extra installs an optional package."""


def _refuse(sentence: str) -> int:
    print(f"eights: {' '.join(sentence.split())}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
