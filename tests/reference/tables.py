"""Every variant with every number of players, and what more has to be set for it."""

from __future__ import annotations

from typing import Any

import eightsenv
from eightsenv.engine import resolve
from eightsenv.variants import get


def playable(variant: str, **options: Any) -> bool:
    try:
        resolve(get(variant), **options)
    except ValueError:
        return False
    return True


def table(variant: str, players: int) -> dict[str, Any]:
    """The arguments for so many players: with a second pack if one is too small."""
    plain = {"num_players": players}
    return plain if playable(variant, **plain) else plain | {"decks": 2}


TABLES = [
    (variant, table(variant, players))
    for variant in eightsenv.variants()
    for players in range(get(variant).players[0], get(variant).players[1] + 1)
]
"""Variants, and arguments for each number of players."""
