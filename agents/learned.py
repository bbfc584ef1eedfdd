"""The agent that plays a trained policy net."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.base import Agent
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.engine import VectorCore
from eightsenv.game import Setting


class PolicyAgent(Agent):
    """Plays the policy net of a checkpoint; sees the observation and the mask of its seat and nothing else."""

    def __init__(
        self, checkpoint: Checkpoint | str | os.PathLike, *, deterministic: bool = True, seed: int = 0, name: str | None = None
    ):
        """``deterministic``: the likeliest action; otherwise drawn from the policy, the same for the same seed.

        Raises:
            ValueError: a file that is not a whole checkpoint.
        """
        if not isinstance(checkpoint, Checkpoint):
            name = name or Path(checkpoint).stem
            checkpoint = checkpoints.load(checkpoint)
        self.name = name or "policy"
        self.setting = checkpoint.setting
        self.net = checkpoint.net()
        self.deterministic = deterministic
        self._generator = np.random.default_rng(seed)
        self._checked: VectorCore | None = None

    def seed(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def check(self, setting: Setting) -> None:
        # Rewards and truncation change nothing in what is seen and may be done; the rest must be as it was trained.
        differs = checkpoints.difference(self.setting, setting, ("num_players", "match"))
        if differs:
            raise ValueError(f"the checkpoint {self.name} cannot play this game: {differs}")

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        if core is not self._checked:
            self.check(core.setting)
            self._checked = core
        masks = core.batch.action_mask[rows]
        number = masks.sum(1)
        if not number.all():
            raise ValueError("a game that is over has no actions to choose from")
        actions = masks.argmax(1).astype(np.int32)
        free = np.flatnonzero(number > 1)  # most decisions are forced, and need no net
        if len(free):
            generator = None if self.deterministic else self._generator
            actions[free] = self.net.choose(core.batch.observation[rows[free]], masks[free], generator)
        return actions
