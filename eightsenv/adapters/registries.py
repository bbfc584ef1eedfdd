"""The variants in the registries of Gymnasium and PettingZoo."""

from __future__ import annotations

import gymnasium
import pettingzoo

NAMESPACE = "eightsenv"


def gymnasium_id(name: str) -> str:
    """The id of a variant in Gymnasium: ``crazy_eights_v0`` is ``eightsenv/CrazyEights-v0``."""
    words, _, version = name.rpartition("_v")
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in words.split('_'))}-v{version}"


def pettingzoo_id(name: str) -> str:
    """The id of a variant in PettingZoo, which also reads it with ``_v0``: ``eightsenv/crazy_eights-v0``."""
    words, _, version = name.rpartition("_v")
    return f"{NAMESPACE}/{words}-v{version}"


def register(name: str) -> None:
    """Enter a variant under its ids, unless it is there already."""
    own = {"variant": name}
    if gymnasium_id(name) not in gymnasium.registry:
        single, vector = "eightsenv.adapters.gym:EightsGymEnv", "eightsenv.adapters.gym:EightsGymVectorEnv"
        gymnasium.register(gymnasium_id(name), entry_point=single, vector_entry_point=vector, kwargs=own)
    # Releases of PettingZoo before 1.27 have no registry.
    if hasattr(pettingzoo, "aec_registry") and pettingzoo_id(name) not in pettingzoo.aec_registry:
        pettingzoo.register("aec", pettingzoo_id(name), entry_point="eightsenv:make", kwargs=own)
