"""What the commands share: arguments of a setting, consoles, progress, words of a table."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from eightsenv.agents import Agent

Variant = Annotated[str, typer.Argument(metavar="VARIANT", help="The variant's name, see [bold]eights variants[/bold].")]
Players = Annotated[int | None, typer.Option("--players", help="Number of players; by default the variant's.")]
Match = Annotated[bool | None, typer.Option("--match/--hand", help="The whole match, or one hand (the default).")]
Reward = Annotated[str | None, typer.Option("--reward", help="'score' (the default) or 'win'.")]
Rules = Annotated[str | None, typer.Option("--rules", help="A preset of the variant.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "--option", metavar="NAME=VALUE", help="An option of the variant, as a Python literal or a bare word; repeatable."
    ),
]


class Interrupted(Exception):  # noqa: N818 (not an error)
    """Ctrl-C, and in words what is kept and how to go on."""


def stdout() -> Console:
    return Console()


def stderr() -> Console:
    return Console(stderr=True)


def parse_options(texts: list[str] | None) -> dict[str, Any]:
    """Options from ``name=value`` texts: values are Python literals, bare words are text.

    Raises:
        ValueError: text without ``=`` or name, or a name given twice.
    """
    result: dict[str, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise ValueError(f"an option is given as name=value, not {text!r}")
        if name in result:
            raise ValueError(f"the option {name} is given twice")
        try:
            result[name] = ast.literal_eval(value.strip())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            result[name] = value.strip()
    return result


def arguments(
    players: int | None, match: bool | None, reward: str | None, rules: str | None, options: list[str] | None
) -> dict[str, Any]:
    """The arguments of a setting that the user gave."""
    result = parse_options(options)
    for name, value in (("num_players", players), ("match", match), ("reward", reward), ("rules", rules)):
        if value is not None:
            if name in result:
                raise ValueError(f"{name} is given twice")
            result[name] = value
    return result


@contextlib.contextmanager
def progress(*columns: Any) -> Iterator[Progress]:
    """A progress bar on standard error that leaves nothing behind; none where nobody would see it move."""
    columns, console = columns or (MofNCompleteColumn(),), stderr()
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), *columns, TimeElapsedColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    ) as shown:  # fmt: skip
        yield shown


def plain(text: str) -> str:
    """Text for a table cell: brackets are no markup."""
    return escape(text)


def as_trained(variant: str, agents: Sequence[Agent], given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a setting: what is not given is as the first checkpoint of the variant among the agents was trained."""
    from eightsenv.agents import PolicyAgent

    trained = [agent.setting for agent in agents if isinstance(agent, PolicyAgent) and agent.setting.variant == variant]
    return given if "rules" in given or not trained else trained[0].as_dict() | given


def named(variant: str, options: Mapping[str, Any]) -> str:
    """A variant by name, and what its options are where it is practised by others than its defaults."""
    from eightsenv.variants import get

    chosen = [f"{name}={options[name]!r}" for name in get(variant).practice]
    return f"{variant} with {', '.join(chosen)}" if chosen else variant
