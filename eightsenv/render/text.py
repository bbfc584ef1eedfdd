"""The state of a game as lines of text, the same for every variant."""

from __future__ import annotations

from typing import Any

from eightsenv.game import Game


def render(game: Game, shown: dict[str, Any], seat: int | None = None) -> str:
    """A state in words (``reveal`` or ``view``) as text: the table as the variant lays it, then a line for each seat.

    Args:
        game: the variant.
        shown: a dict with at least the keys of ``reveal``; a hand is a list of card texts, or a number of cards when hidden.
        seat: whose view it is; None for all hands open.
    """
    zones = game.table({key: value for key, value in shown.items() if key not in ("hands", "seat")})
    table = [f"{key.replace('_', ' ')}: {_words(key, value)}" for key, value in zones.items()]
    lines = ["  ".join(table[i : i + 4]) for i in range(0, len(table), 4)]
    for k, hand in enumerate(shown["hands"]):
        marks = ("> " if k == shown["seat"] else "  ") + f"agent_{k}" + (" (you)" if k == seat else "")
        lines.append(f"{marks}: {' '.join(hand) if isinstance(hand, list) else f'{hand} cards'}")
    return "\n".join(lines)


def _words(key: str, value: Any) -> str:
    if key == "discard":
        return f"{value[0]} ({len(value)} cards)" if value else "empty"
    if key == "stock":
        return f"{value if isinstance(value, int) else len(value)} cards"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)
