"""The parameters of self-play training; everything that a run depends on besides the game's setting."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Mixture:
    """How often each kind of opponent sits in a seat; each other seat (with ``ppo``: each other side) of each episode draws one.

    Past versions are kept for ever, so that what beat them once is not forgotten; each iteration plays against a few of
    them, every other one from the newer half of the pool. While there is none, their share goes to the present self.
    """

    greedy: float = 0.7
    random: float = 0.02
    present: float = 0.14
    past: float = 0.14
    past_at_once: int = 2
    """How many past versions one iteration plays against: each costs a forward pass per step."""


@dataclass(frozen=True)
class Config:
    """What all algorithms have in common. Stored in the checkpoint; resuming keeps it."""

    seed: int = 0
    n_envs: int = 2048
    """Games side by side."""
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
    margin: bool = True
    """Learn from the own score less the mean of the others': a game is won by points compared, not by points alone."""
    duplicate: bool = True
    """Compare with what greedy play would have reached on the same cards: ``ppo`` at every decision, else once a deal."""
    imitate: int = 100_000
    """Decisions of the greedy policy from which a fresh net learns first; 0: none."""
    mixture: Mixture = field(default_factory=Mixture)
    pool_every: int = 10
    """Iterations from one version in the pool to the next."""
    checkpoint_every: int = 5
    """Iterations from one checkpoint to the next."""

    @classmethod
    def of(cls, training: Mapping[str, Any]) -> Self:
        """The defaults with those of a variant's ``training`` parameters that the algorithm has."""
        known = {entry.name for entry in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in training.items() if name in known})

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The config that :meth:`as_dict` wrote. Raises ``ValueError`` for anything else."""
        try:
            data = dict(data)
            data["mixture"] = Mixture(**data["mixture"])
            data["hidden"], data["value_hidden"] = tuple(data["hidden"]), tuple(data["value_hidden"])
            return cls(**data)
        except (KeyError, TypeError) as error:
            raise ValueError("its training parameters are not those that this version knows") from error


@dataclass(frozen=True)
class SB3Config(Config):
    """The parameters of ``sb3-maskable-ppo``."""

    n_steps: int = 16
    """Many games and few steps: the cost of a step hardly depends on the number of games, and luck asks for many samples."""
    reward_scale: float = 0.05
    """Brings rewards to about unit size: a hand of Crazy Eights costs 16 points, give or take 15."""


@dataclass(frozen=True)
class PPOConfig(Config):
    """The parameters of ``ppo``. Rewards need no scale: the critic learns values in units of their own spread."""

    n_envs: int = 4096
    learning_rate: float = 1e-3
    batch_size: int = 2048
    foresee: int = 300_000
    """Decisions, all of whose actions are tried out, from which it then learns to play better than the greedy policy; 0: none."""
    samples: int = 32_768
    """Decisions of the learner that one process learns from in an iteration."""
    ent_coef_end: float = 0.001
    """``ent_coef`` goes linearly there."""
    value_momentum: float = 0.9
    """Of the running mean and spread of the returns, in which values are expressed."""
    central_critic: bool = False
    """The critic also sees the full state, all hands included; the policy never does."""
    checkpoint_every: int = 20

    def __post_init__(self) -> None:
        for name in ("imitate", "foresee"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 0:
                raise ValueError(f"{name} is an int from 0 on, not {getattr(self, name)!r}")
        if self.batch_size < 1 or self.samples % self.batch_size or self.samples < 1:
            raise ValueError(f"samples is a multiple of batch_size, not {self.samples} with batches of {self.batch_size}")


ALGORITHMS: Mapping[str, type[Config]] = {"ppo": PPOConfig, "sb3-maskable-ppo": SB3Config}
"""The algorithms' names and their parameters; the first is the default."""
DEFAULT = next(iter(ALGORITHMS))


def config_class(algorithm: str) -> type[Config]:
    """The parameters of an algorithm. Raises ``ValueError`` for an unknown name."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"there is no training algorithm {algorithm!r}; there are {', '.join(map(repr, ALGORITHMS))}")
    return ALGORITHMS[algorithm]
