"""Rendering a game of a core, for every environment that shows one."""

from __future__ import annotations

from typing import Any

from eightsenv.engine import VectorCore
from eightsenv.render import text

RENDER_MODES = ["human", "ansi"]


def check_render_mode(render_mode: Any) -> str | None:
    """``render_mode`` itself. Raises ``ValueError`` for one that does not exist."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode is None, 'human' or 'ansi', not {render_mode!r}")
    return render_mode


def show(core: VectorCore, seat: int | None, render_mode: str | None) -> str | None:
    """The one game of a core as a seat sees it, all hands open if that is None: returned (``ansi``) or printed (``human``).

    Raises:
        ValueError: there is no render mode.
    """
    if render_mode is None:
        raise ValueError("render needs a render_mode: make the environment with render_mode='ansi' or 'human'")
    picture = text.render(core.game, core.reveal(0) if seat is None else core.view(0, seat), seat)
    if render_mode == "ansi":
        return picture
    print(picture, flush=True)
    return None
