"""Bots: everything that chooses actions for a seat."""

from __future__ import annotations

from pathlib import Path

from eightsenv.agents import search
from eightsenv.agents.base import Agent
from eightsenv.agents.compiled import CompiledAgent, GreedyAgent, RandomAgent
from eightsenv.agents.learned import PolicyAgent
from eightsenv.agents.search import IsmctsAgent, PimcAgent
from eightsenv.engine import POLICIES
from eightsenv.game import Setting


def load(spec: str, setting: Setting | None = None) -> Agent:
    """The agent that a text names: ``random``, ``greedy``, ``pimc:200`` (worlds for each decision), ``ismcts:1000``
    (iterations), ``ismcts:50ms`` or ``pimc:50ms`` (milliseconds), ``ckpt:PATH``, or the bare path of a checkpoint.

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
    if not spec.startswith("ckpt:") and not Path(path).is_file():
        known = ", ".join([*POLICIES, search.SPECS])
        raise ValueError(f"there is no agent {spec!r}: there are {known}, and the paths of checkpoints")
    agent = PolicyAgent(path)
    if setting is not None:
        agent.check(setting)
    return agent


__all__ = ["Agent", "CompiledAgent", "GreedyAgent", "IsmctsAgent", "PimcAgent", "PolicyAgent", "RandomAgent", "load"]
