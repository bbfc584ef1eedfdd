"""Bots: everything that chooses actions for a seat."""

from __future__ import annotations

from pathlib import Path

from eightsenv.agents import baselines, search
from eightsenv.agents.base import Agent
from eightsenv.agents.compiled import CompiledAgent, GreedyAgent, RandomAgent
from eightsenv.agents.learned import PolicyAgent
from eightsenv.agents.search import IsmctsAgent, PimcAgent
from eightsenv.engine import POLICIES
from eightsenv.game import Setting


def load(spec: str, setting: Setting | None = None) -> Agent:
    """The agent that a text names: ``random``, ``greedy``, ``pimc:200`` (worlds for each decision), ``ismcts:1000``
    (iterations), ``ismcts:50ms`` or ``pimc:50ms`` (milliseconds), ``ckpt:PATH``, the bare path of a checkpoint, or a policy that
    comes with the package by its name, such as ``crazy_eights_v0/4p`` (:mod:`eightsenv.agents.baselines`).

    Args:
        spec: the text.
        setting: the setting that the agent is to play; None: not known yet.

    Raises:
        ValueError: text that names no agent, a search budget that is not a number above 0, or a checkpoint that is damaged or
            for another setting.
    """
    if spec in POLICIES:
        return CompiledAgent(spec)
    searching = search.load(spec)
    if searching is not None:
        return searching
    path = spec.removeprefix("ckpt:")
    if spec in baselines.names():
        agent = PolicyAgent(baselines.path(spec), name=spec)
    elif spec.startswith("ckpt:") or Path(path).is_file():
        agent = PolicyAgent(path)
    else:
        known = ", ".join([*POLICIES, search.SPECS, *baselines.alike(spec)])
        raise ValueError(f"there is no agent {spec!r}: there are {known}, and the paths of checkpoints")
    if setting is not None:
        agent.check(setting)
    return agent


__all__ = ["Agent", "CompiledAgent", "GreedyAgent", "IsmctsAgent", "PimcAgent", "PolicyAgent", "RandomAgent", "load"]
