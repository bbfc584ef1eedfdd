"""A head start: the policy net first learns to play like the variant's compiled heuristic, then improves on it by self-play.

In card games luck drowns what a single decision is worth; finding out by reward alone what the heuristic knows takes far more
games than a few minutes hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import torch

from eightsenv.engine import VectorCore
from eightsenv.game import Setting
from eightsenv.variants import get

GAMES = 2048
STRAYING = 0.2
"""The share of random actions in the games that are watched, so that the net also sees what greedy play would never reach."""

SOFTNESS = 0.5
"""The weight of the entropy: a net that is sure of everything would have nothing left to try out."""

Likelihood = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""From observations int8[R, F], masks int8[R, A] and actions int64[R] to the actions' log-probabilities and the policy's entropies,
float32[R] each."""


def watch(setting: Setting, decisions: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """At least so many decisions of the ``greedy`` policy: observations int8[R, F], masks int8[R, A] and actions int64[R]."""
    game, generator = get(setting.variant), np.random.default_rng(seed)
    games = min(GAMES, decisions)
    core = VectorCore(game, setting, np.arange(games, dtype=np.uint64), seed=seed)
    batch = core.reset()
    observations, masks, actions = [], [], []
    for _ in range(-(-decisions // games)):
        greedy = core.choose("greedy")
        observations.append(batch.observation.copy())
        masks.append(batch.action_mask.copy())
        actions.append(greedy)
        core.step(np.where(generator.random(games) < STRAYING, core.sample(), greedy))
    x, m, y = (torch.from_numpy(np.concatenate(part)) for part in (observations, masks, actions))
    return x, m, y.long()


def imitate(
    likelihood: Likelihood,
    parameters: Iterable[torch.nn.Parameter],
    setting: Setting,
    decisions: int,
    seed: int,
    batch_size: int = 1024,
    epochs: int = 2,
    device: torch.device | str = "cpu",
) -> None:
    """Teach a fresh policy the ``greedy`` policy.

    Args:
        likelihood: what the policy thinks of decisions.
        parameters: what is to be learned; the optimizer is one of this function's own.
        setting: the setting; forced decisions should be passed over (``auto_forced``).
        decisions: the number of decisions to learn from, each seen ``epochs`` times.
        seed: of the games, and of the order of learning.
        batch_size: decisions of one step of the optimizer.
        epochs: how often each decision is seen.
        device: where the policy computes.
    """
    seen, generator = watch(setting, decisions, seed), np.random.default_rng([seed, 1])
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    for _ in range(epochs):
        for rows in np.array_split(generator.permutation(len(seen[0])), max(1, len(seen[0]) // batch_size)):
            at = torch.from_numpy(rows)
            log_prob, entropy = likelihood(*(part.index_select(0, at).to(device) for part in seen))
            optimizer.zero_grad()
            (-log_prob.mean() - SOFTNESS * entropy.mean()).backward()
            optimizer.step()
