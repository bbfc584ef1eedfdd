"""``eights tournament``: agents against each other, on duplicate deals."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperCommand

from eightsenv.commands import common
from eightsenv.commands.common import Match, Options, Players, Reward, Rules, Variant, plain

if TYPE_CHECKING:
    from eightsenv.agents.standings import Result
    from eightsenv.agents.tournament import Plan


class TournamentCommand(TyperCommand):
    """A command whose option ``--agents`` takes all words up to the next option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, "--agents"))


def spread(words: list[str], option: str) -> list[str]:
    """The words of a command line, with ``option`` repeated before each of its values: ``--o a b`` becomes ``--o a --o b``."""
    result: list[str] = []
    inside = False
    for k, word in enumerate(words):
        if word.startswith("-"):
            inside = word == option or word.startswith(f"{option}=")
            if word == option and k + 1 < len(words) and not words[k + 1].startswith("-"):
                continue
            result.append(word)
        else:
            result += [option, word] if inside else [word]
    return result


def tournament(
    variant: Variant,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agents", metavar="AGENT...", help="Two or more, as for [bold]eights evaluate[/bold]."),
    ] = None,
    tables: Annotated[
        str | None, typer.Option("--tables", help="'pairs' (the default): one against all others; 'mixed': all together.")
    ] = None,
    players: Players = None,
    match: Match = None,
    reward: Reward = None,
    rules: Rules = None,
    options: Options = None,
    deals: Annotated[int | None, typer.Option("--deals", min=1, help="Different deals at every table; 1000 by default.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="The same seed gives the same table; 0 by default.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; by default one for each core.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The folder; by default runs/tournament-VARIANT-1, -2 …")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the tournament in --out.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the result into this file: .png, .svg or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Play a round robin on duplicate deals: every deal is replayed with all rotations of the seats.

    The payoff matrix says what the row's agent gets on one seat when the column's agent has all others; partners are one agent.
    Finished games are kept in a folder: after an interruption --resume goes on, and gives the same table.

    Examples:

      eights tournament crazy_eights_v0 --agents random greedy crazy_eights_v0/4p pimc:100

      eights tournament eights_v0 --agents random greedy runs/eights_v0-1/bot.safetensors --deals 5000 --plot table.png

      eights tournament crazy_eights_v0 --players 3 --agents random greedy bot.safetensors --tables mixed --json

      eights tournament crazy_eights_v0 --resume --out runs/tournament-crazy_eights_v0-1
    """
    from eightsenv.agents import checkpoint as checkpoints
    from eightsenv.agents import plot as plots
    from eightsenv.agents import processes
    from eightsenv.agents import tournament as tournaments

    given = common.arguments(players, match, reward, rules, options)
    if plot is not None:
        plots.check(plot)
    if resume:
        if out is None:
            raise ValueError("resuming needs the tournament's folder: --out")
        plan = tournaments.plan_resumed(out, variant, agents, deals=deals, seed=seed, form=tables, given=given)
    else:
        plan = _planned(variant, agents, given, deals=deals, seed=seed, form=tables)
        out = out or checkpoints.free_folder(f"tournament-{variant}")
    workers = workers or processes.default_workers()
    with common.progress() as bar:
        task = bar.add_task("games", total=plan.games)
        try:
            result = tournaments.run(
                plan, out=out, resume=resume, workers=workers, progress=lambda games: bar.update(task, completed=games)
            )
        except KeyboardInterrupt:
            how = f"eights tournament {variant} --resume --out {shlex.quote(str(out))}"
            raise common.Interrupted(f"interrupted; finished games are kept, go on with: {how}") from None
    if plot is not None:
        plots.draw(result, plot)
    if as_json:
        print(json.dumps(result.as_dict(), indent=2))
        return
    _show(result)
    common.stdout().print(f"Games and result: {out}", markup=False, highlight=False, soft_wrap=True)


def _planned(variant: str, agents: list[str] | None, given: dict[str, Any], **how: Any) -> Plan:
    """A new tournament; what of its setting is not given is as for ``eights evaluate``."""
    from eightsenv import agents as bots
    from eightsenv import engine
    from eightsenv.agents import tournament as tournaments
    from eightsenv.game import practised
    from eightsenv.variants import get

    game = get(variant)
    agents = agents or []
    trained = [bot for bot in map(bots.load, agents) if isinstance(bot, bots.PolicyAgent)]
    setting = engine.resolve(game, **practised(game, common.as_trained(variant, trained, given)))
    return tournaments.plan(setting, agents, **{name: value for name, value in how.items() if value is not None})


def _show(result: Result) -> None:
    console, players = common.stdout(), result.setting["num_players"]
    console.print(
        f"{common.named(result.variant, result.setting)}, {players} players, tables: {result.tables}, {result.deals:,} deals, "
        f"{result.games:,} games, seed {result.seed} (95 % bootstrap intervals over deals). Among equals everybody wins "
        f"{100 / players:.1f} %.",
        markup=False, highlight=False,
    )  # fmt: skip
    names = [plain(standing.agent) for standing in result.agents]
    table = Table(header_style="bold", show_lines=True)
    for column in ("agent", "mean payoff", "win rate", "advantage", "rating"):
        table.add_column(column)
    for k in result.ranking():
        row = result.agents[k]
        intervals = (row.payoff.text(), row.win_rate.percent(), row.advantage.text())
        table.add_row(names[k], *map(_two_lines, intervals), row.rating.text())
    console.print(table)
    cells, meaning = result.headline()
    matrix = Table(header_style="bold", show_lines=True)
    for column in ("", *(names[k] for k in result.ranking())):
        matrix.add_column(column)
    for k in result.ranking():
        row_cells = (cells[k][other] for other in result.ranking())
        matrix.add_row(f"[bold]{names[k]}[/bold]", *("" if cell is None else _two_lines(cell.text()) for cell in row_cells))
    console.print(f"\n{meaning.capitalize()}.", markup=False, highlight=False)
    console.print(matrix)
    if result.truncated:
        console.print(f"{result.truncated} of {result.games} games were truncated.", highlight=False)


def _two_lines(interval: str) -> str:
    """A mean, and its interval below."""
    mean, bracket, limits = interval.partition(" [")
    return mean + (f"\n[dim]{plain('[' + limits)}[/dim]" if bracket else "")
