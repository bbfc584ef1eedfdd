"""The policies that come with the package: one for every variant and its main numbers of players.

``agents.load("crazy_eights_v0/4p")`` plays one. Beside each file ``crazy_eights_v0-4p.safetensors`` lies its model card,
``crazy_eights_v0-4p.md``, written by the run that trained it (``python -m eightsenv.benchmarks.baselines``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from eightsenv import engine
from eightsenv.game import Setting, practised
from eightsenv.variants import get

FOLDER = Path(__file__).resolve().parent / "weights"
GIVEN: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "crazy_eights_v0/2p": {"num_players": 2},
        "crazy_eights_v0/4p": {"num_players": 4},
        "eights_v0/2p": {"num_players": 2},
        "eights_v0/4p": {"num_players": 4},
        "eights_v0/partners": {"num_players": 4, "partnership": True},
        "house_eights_v0/2p": {"num_players": 2},
        "house_eights_v0/4p": {"num_players": 4},
        "high_low_eights_v0/4p": {"num_players": 4},
        "eight_ball_v0/2p": {"num_players": 2},
        "eight_ball_v0/3p": {"num_players": 3},
        "eight_ball_v0/4p": {"num_players": 4},
        "speculation_v0/4p": {"num_players": 4},
    }
)
"""The arguments of the setting that each baseline was trained for; the rest is as the variant is practised."""


def names() -> tuple[str, ...]:
    """The names of all baselines."""
    return tuple(GIVEN)


def alike(name: str) -> tuple[str, ...]:
    """The names of the baselines of the variant with which ``name`` begins; of all if it begins with none."""
    variant = name.partition("/")[0]
    return tuple(known for known in GIVEN if known.partition("/")[0] == variant) or names()


def path(name: str) -> Path:
    """The checkpoint of a baseline. Raises ``ValueError`` for a name that there is not."""
    if name not in GIVEN:
        raise ValueError(f"there is no baseline {name!r}; there are {', '.join(alike(name))}")
    return FOLDER / f"{name.replace('/', '-')}.safetensors"


def card(name: str) -> Path:
    """The model card of a baseline, Markdown. Raises ``ValueError`` for a name that there is not."""
    return path(name).with_suffix(".md")


def setting(name: str) -> Setting:
    """The setting that a baseline plays. Raises ``ValueError`` for a name that there is not."""
    path(name)
    game = get(name.partition("/")[0])
    return engine.resolve(game, **practised(game, GIVEN[name]))
