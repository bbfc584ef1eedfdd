"""The variants, one room each. What is listed here exists everywhere: environments, command line, documentation, tests."""

from __future__ import annotations

from eightsenv.game import Game
from eightsenv.variants.eights import CRAZY_EIGHTS, EIGHTS

_GAMES: dict[str, Game] = {game.name: game for game in (CRAZY_EIGHTS, EIGHTS)}


def names() -> tuple[str, ...]:
    """The names of all variants."""
    return tuple(_GAMES)


def get(name: str) -> Game:
    """The variant of that name. Raises ``ValueError`` for an unknown one."""
    if name not in _GAMES:
        raise ValueError(f"there is no variant {name!r}; the variants are {', '.join(_GAMES)}")
    return _GAMES[name]
