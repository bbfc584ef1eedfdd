"""The spaces of the Gymnasium environments. Sampling an action without a mask draws a legal one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from eightsenv.engine import VectorCore


def observation_space(core: VectorCore) -> spaces.Dict:
    """What one game shows: ``observation`` and ``action_mask``, as in the AEC environment."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (core.num_features,), np.int8),
            "action_mask": spaces.Box(0, 1, (core.num_actions,), np.int8),
        }
    )


class LegalActions(spaces.Discrete):
    """``Discrete(A)`` whose ``sample`` without a mask draws a legal action of the decision that the environment waits for.

    Some tools (Gymnasium's ``check_env`` is one) seed the space, sample, and only then reset the environment with that seed.
    So a space that is seeded before the first reset, or in the midst of an episode, samples what is legal at the first decision
    of its seed, until the environment's next ``reset`` or ``step``. Pickled or copied it is a plain ``Discrete``.
    """

    def __init__(self, num_actions: int, legal: Callable[[int | None], np.ndarray | None]):
        """``legal(seed)`` gives the mask (int8[A]) to sample from, None for any action; ``seed`` is the space's, if it counts."""
        super().__init__(num_actions)
        self._legal = legal
        self.pending_seed: int | None = None
        """The seed given since the environment's last ``reset`` or ``step``."""

    def seed(self, seed: int | None = None) -> int:
        used = super().seed(seed)
        self.pending_seed = seed
        return used

    def sample(self, mask: np.ndarray | None = None, probability: np.ndarray | None = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._legal(self.pending_seed)
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[type, tuple]:
        return spaces.Discrete, (int(self.n), self.np_random)


class LegalActionsBatch(spaces.MultiDiscrete):
    """The batch of ``Discrete(A)`` whose ``sample`` without a mask draws a legal action of each game.

    Pickled or copied it is a plain ``MultiDiscrete``.
    """

    def __init__(self, num_envs: int, num_actions: int, legal: Callable[[], np.ndarray | None]):
        """``legal()`` gives the masks (int8[N, A]) to sample from, None for any actions."""
        super().__init__(np.full(num_envs, num_actions))
        self._legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        masks = self._legal() if mask is None and probability is None else None
        if masks is None:
            return super().sample(mask, probability)
        return (self.np_random.random(masks.shape) + masks).argmax(1)

    def __reduce__(self) -> tuple[type, tuple]:
        return spaces.MultiDiscrete, (self.nvec, self.dtype, self.np_random)
