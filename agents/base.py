"""What every bot is: something that chooses actions for the seats to move, for one game or for a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from eightsenv.engine import VectorCore
from eightsenv.game import Setting

_FIRST = np.zeros(1, np.int64)


class Agent(ABC):
    """A bot. It implements :meth:`act_batch`; a single AEC environment is a batch of one game."""

    name: str = "agent"
    """How tables call it."""
    policy: str | None = None
    """The name of the compiled policy that it is, if it is one: rollouts then need no Python."""

    @abstractmethod
    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        """The actions for the seats to move of the unfinished games ``rows`` (int64[R]) of a core: int32[R], each legal.

        Raises:
            ValueError: a core of a setting that the agent cannot play.
        """

    def act(self, env: Any) -> int:
        """The action for ``agent_selection`` of an AEC environment of this package, wrapped or not.

        Raises:
            ValueError: the game is over, or is of a setting that the agent cannot play.
        """
        return int(self.act_batch(env.unwrapped.core, _FIRST)[0])

    def seed(self, seed: int) -> None:  # noqa: B027 (most agents have none)
        """Begin the agent's own random numbers anew. Agents without any ignore it."""

    def check(self, setting: Setting) -> None:  # noqa: B027 (most agents play anything)
        """Raise ``ValueError`` with a sentence if the agent cannot play a setting."""
