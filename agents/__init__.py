"""Bots: everything that chooses actions for a seat."""

from __future__ import annotations

from pathlib import Path

from eightsenv.agents.base import Agent
from eightsenv.agents.compiled import CompiledAgent, GreedyAgent, RandomAgent
from eightsenv.agents.learned import PolicyAgent
from eightsenv.engine import POLICIES
from eightsenv.game import Setting


def load(spec: str, setting: Setting | None = None) -> Agent:
    """The agent that a text names: ``random``, ``greedy``, ``ckpt:PATH``, or the bare path of a checkpoint.

    Args:
        spec: the text.
        setting: the setting that the agent is to play; None: not known yet.

    Raises:
        ValueError: text that names no agent, or a checkpoint that is damaged or for another setting.
    """
    if spec in POLICIES:
        return CompiledAgent(spec)
    path = spec.removeprefix("ckpt:")
    if not spec.startswith("ckpt:") and not Path(path).is_file():
        known = ", ".join(map(repr, POLICIES))
        raise ValueError(f"there is no agent {spec!r}: it is neither {known} nor the path of a checkpoint")
    agent = PolicyAgent(path)
    if setting is not None:
        agent.check(setting)
    return agent


__all__ = ["Agent", "CompiledAgent", "GreedyAgent", "PolicyAgent", "RandomAgent", "load"]
