"""The parameters of self-play training; everything that a run depends on besides the game's setting."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mixture:
    """How often each kind of opponent sits in a seat; each other seat of each episode draws one anew.

    Past versions are kept for ever, so that what beat them once is not forgotten; each iteration plays against a few of
    them, every other one from the newer half of the pool. While there is none, their share goes to the present self.
    """

    greedy: float = 0.7
    random: float = 0.02
    present: float = 0.14
    past: float = 0.14
    past_at_once: int = 2
    """How many past versions one iteration plays against: each costs a forward pass per sub-step."""


@dataclass(frozen=True)
class Config:
    """The parameters of a run. Stored in the checkpoint; resuming keeps them."""

    seed: int = 0
    n_envs: int = 2048
    n_steps: int = 16
    """Many games and few steps: the cost of a step hardly depends on the number of games, and luck asks for many samples."""
    hidden: tuple[int, ...] = (128, 128)
    value_hidden: tuple[int, ...] = (128, 128)
    learning_rate: float = 2e-3
    """At the start; falls linearly to a tenth at the end."""
    n_epochs: int = 2
    batch_size: int = 4096
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    ent_coef: float = 0.001
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: float = 0.05
    """Brings rewards to about unit size: a hand of Crazy Eights costs 16 points, give or take 15."""
    margin: bool = True
    """Learn from the own score less the mean of the others': a game is won by points compared, not by points alone."""
    duplicate: bool = True
    """Compare with what greedy play would have reached on the same deal."""
    imitate: int = 100_000
    """Decisions of the greedy policy from which a fresh net learns first; 0: none."""
    mixture: Mixture = field(default_factory=Mixture)
    pool_every: int = 10
    """Iterations from one version in the pool to the next."""
    checkpoint_every: int = 5
    """Iterations from one checkpoint to the next."""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_dict(data: Any) -> Config:
        """The config that :meth:`as_dict` wrote. Raises ``ValueError`` for anything else."""
        try:
            data = dict(data)
            data["mixture"] = Mixture(**data["mixture"])
            data["hidden"], data["value_hidden"] = tuple(data["hidden"]), tuple(data["value_hidden"])
            return Config(**data)
        except (KeyError, TypeError) as error:
            raise ValueError("its training parameters are not those that this version knows") from error
