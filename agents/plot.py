"""The picture of a tournament: the matrix of payoffs as a heat map, and the ratings with their intervals."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eightsenv.agents.checkpoint import write_atomically
from eightsenv.agents.standings import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")


def check(path: Path) -> None:
    """See before a long tournament that :func:`draw` will work.

    Raises:
        ValueError: a file of another kind, or a folder that is not there or cannot be written to.
        ModuleNotFoundError: matplotlib is not installed.
    """
    import matplotlib  # noqa: F401

    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"a plot is a file that ends in {', '.join(SUFFIXES)}, not {path}")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK) or path.is_dir():
        raise ValueError(f"the plot cannot be written to {path}")


def draw(result: Result, path: Path) -> None:
    """Draw a tournament into a file.

    Raises:
        ValueError: as :func:`check`.
    """
    check(path)
    import matplotlib

    drawn, data, kind = figure(result), io.BytesIO(), path.suffix.lower().removeprefix(".")
    # Without the date and with fixed ids the same result is the same file.
    with matplotlib.rc_context({"svg.hashsalt": "eightsenv"}):
        drawn.savefig(data, format=kind, dpi=150, metadata={"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind))
    write_atomically(path, data.getvalue())


def figure(result: Result) -> Figure:
    """The picture of a tournament, as a figure of matplotlib: what a notebook shows."""
    from matplotlib.figure import Figure

    number = len(result.agents)
    drawn = Figure(figsize=(5.5 + 1.7 * number, 2.6 + 0.75 * number), layout="constrained")
    matrix, ratings = drawn.subplots(1, 2, width_ratios=(max(1.2, number / 3), 1))
    title = f"{result.variant}, {result.setting['num_players']} players: {result.deals:,} deals, {result.games:,} games"
    drawn.suptitle(title, fontsize=12)
    _matrix(result, matrix)
    _ratings(result, ratings)
    return drawn


def _matrix(result: Result, axes: Axes) -> None:
    ranking = result.ranking()
    names = [result.agents[k].agent for k in ranking]
    matrix, meaning = result.headline()
    cells = [[matrix[k][other] for other in ranking] for k in ranking]
    means = np.array([[np.nan if cell is None else cell.mean for cell in row] for row in cells])
    image = axes.imshow(means, cmap="RdBu", aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(meaning, fontsize=9, wrap=True)
    for (row, column), mean in np.ndenumerate(means):
        cell = cells[row][column]
        if cell is None:
            continue
        dark = np.dot(image.cmap(image.norm(mean))[:3], (0.299, 0.587, 0.114)) < 0.5  # what the eye takes for brightness
        text = cell.text().replace(" [", "\n[")
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def _ratings(result: Result, axes: Axes) -> None:
    ranking = result.ranking()
    ratings = [result.agents[k].rating for k in ranking]
    at = range(len(ranking))
    axes.errorbar([rating.mu for rating in ratings], at, xerr=[1.96 * rating.sigma for rating in ratings], fmt="o", capsize=4)
    axes.set_yticks(at, [result.agents[k].agent for k in ranking])
    axes.set_ylim(len(ranking) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    axes.set_title("rating (OpenSkill, with 95 % intervals)", fontsize=9)
