"""``eights replay``: a recorded game, told again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eightsenv.commands.common import stdout


def replay(
    record: Annotated[Path, typer.Argument(metavar="FILE", help="A record that [bold]eights play --record FILE[/bold] wrote.")],
    seat: Annotated[int | None, typer.Option("--seat", help="Tell what this seat saw, from 0 on; by default what all saw.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Show the table before every decision.")] = False,
) -> None:
    """Tell a recorded game again, event by event.

    Examples:

      eights play crazy_eights_v0 --record game.json

      eights replay game.json

      eights replay game.json --seat 2 --tables
    """
    from eightsenv.adapters.record import Record
    from eightsenv.adapters.rendering import show

    game = Record(record)
    if seat is not None and not 0 <= seat < game.setting.num_players:
        raise ValueError(f"--seat is a seat from 0 to {game.setting.num_players - 1}, not {seat}")
    console = stdout()
    for events, replayed in game.steps():
        for event in events:
            console.print(event.text(seat), markup=False, highlight=False, soft_wrap=True)
        if tables:
            console.print(f"\n{show(replayed.core, seat, 'ansi')}\n", markup=False, highlight=False, soft_wrap=True)
