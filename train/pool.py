"""Whom the learner plays against: the bots, its own present self, and a growing pool of its past versions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from eightsenv.agents.base import Agent
from eightsenv.agents.net import PolicyNet
from eightsenv.train.config import Mixture

PRESENT = 2
"""The place of the present self among the opponents that :func:`opponents` gives."""


def opponents(
    mixture: Mixture, present: PolicyNet, past: list[PolicyNet], generator: np.random.Generator
) -> tuple[list[str | Callable[[np.ndarray, np.ndarray], np.ndarray]], list[float]]:
    """The opponents of one iteration and their weights; number :data:`PRESENT` is the present self.

    Versions play as they were trained: drawing from their policies.
    """
    newer = len(past) // 2
    at_once = min(mixture.past_at_once, len(past))
    chosen = [past[int(generator.integers(newer if k % 2 == 0 else 0, len(past)))] for k in range(at_once)]
    share = mixture.past / len(chosen) if chosen else 0.0
    present_share = mixture.present + (0.0 if chosen else mixture.past)
    nets, shares = [present, *chosen], [present_share, *([share] * len(chosen))]
    players = [_player(net, np.random.default_rng(generator.integers(2**63))) for net in nets]
    return ["greedy", "random", *players], [mixture.greedy, mixture.random, *shares]


def alone(opponent: Agent) -> tuple[list[Agent], list[float]]:
    """One opponent for whoever is not the learner, in the form of :func:`opponents`; the places of the others are never drawn."""
    return [opponent] * (PRESENT + 1), [1.0, *([0.0] * PRESENT)]


def _player(net: PolicyNet, generator: np.random.Generator) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A net that plays by Torch: NumPy's own threads would get in the way of those that train."""
    tensors = {name: torch.from_numpy(value) for name, value in net.tensors().items()}
    layers = [(tensors[f"{k}.weight"], tensors[f"{k}.bias"]) for k in range(len(net.layout.hidden) + 1)]
    activation = torch.relu if net.layout.activation == "relu" else torch.tanh

    @torch.inference_mode()
    def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        x = torch.from_numpy(np.ascontiguousarray(observations)).float()
        for weight, bias in layers[:-1]:
            x = activation(torch.nn.functional.linear(x, weight, bias))
        return net.pick(torch.nn.functional.linear(x, *layers[-1]).numpy(), masks, generator)

    return play
