"""Agents that wrap the compiled policies of the core."""

from __future__ import annotations

import numpy as np

from eightsenv.agents.base import Agent
from eightsenv.engine import VectorCore, policy_number


class CompiledAgent(Agent):
    """A compiled policy by name; its random numbers are the policy streams of the core."""

    def __init__(self, policy: str):
        """Raises ``ValueError`` for a policy that does not exist."""
        policy_number(policy)
        self.name = self.policy = policy

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        assert self.policy is not None
        return core.choose(self.policy, rows)


class RandomAgent(CompiledAgent):
    """Plays a uniformly random legal action."""

    def __init__(self) -> None:
        super().__init__("random")


class GreedyAgent(CompiledAgent):
    """Plays the variant's compiled heuristic."""

    def __init__(self) -> None:
        super().__init__("greedy")
