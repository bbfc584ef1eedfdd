"""The variants, one room each. What is listed here exists everywhere: environments, command line, documentation, tests."""

from __future__ import annotations

import re

from eightsenv.game import Game
from eightsenv.variants.eight_ball import EIGHT_BALL
from eightsenv.variants.eights import CRAZY_EIGHTS, EIGHTS
from eightsenv.variants.high_low import HIGH_LOW_EIGHTS
from eightsenv.variants.house import HOUSE_EIGHTS
from eightsenv.variants.speculation import SPECULATION

_GAMES: dict[str, Game] = {
    game.name: game for game in (CRAZY_EIGHTS, EIGHTS, HOUSE_EIGHTS, HIGH_LOW_EIGHTS, EIGHT_BALL, SPECULATION)
}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*_v(0|[1-9][0-9]*)")
_LONGEST_NAME = 32
"""As many as a snapshot has room for."""


def names() -> tuple[str, ...]:
    """The names of all variants."""
    return tuple(_GAMES)


def get(name: str) -> Game:
    """The variant of that name. Raises ``ValueError`` for an unknown one."""
    if not isinstance(name, str) or name not in _GAMES:
        raise ValueError(f"there is no variant {name!r}; the variants are {', '.join(_GAMES)}")
    return _GAMES[name]


def register(game: Game) -> None:
    """Add a variant from outside.

    Raises:
        TypeError: no :class:`eightsenv.game.Game`.
        ValueError: a name that is taken, or not written like ``crazy_eights_v0`` with the game's version at its end, or too long.
    """
    if not isinstance(game, Game):
        raise TypeError(f"a variant is an eightsenv.game.Game, not {game!r}")
    name, example = game.name, f"crazy_eights_v{game.version}"
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not name.endswith(f"_v{game.version}"):
        raise ValueError(f"a variant's name is lower-case words and its version, such as {example!r}, not {name!r}")
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"a variant's name has at most {_LONGEST_NAME} characters, not {len(name)} as {name!r}")
    if name in _GAMES:
        raise ValueError(f"there is a variant {name!r} already; a new one needs a name of its own")
    _GAMES[name] = game
