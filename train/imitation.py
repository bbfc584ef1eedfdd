"""A head start: the policy net first learns to play like the variant's compiled heuristic, then improves on it by self-play.

In card games luck drowns what a single decision is worth; finding out by reward alone what the heuristic knows takes far more
games than a few minutes hold.
"""

from __future__ import annotations

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from eightsenv.engine import VectorCore
from eightsenv.game import Setting
from eightsenv.variants import get

GAMES = 2048
STRAYING = 0.2
"""The share of random actions in the games that are watched, so that the net also sees what greedy play would never reach."""

SOFTNESS = 0.5
"""The weight of the entropy: a net that is sure of everything would have nothing left to try out."""


def imitate(model: MaskablePPO, setting: Setting, decisions: int, seed: int, batch_size: int = 1024, epochs: int = 2) -> float:
    """Teach the policy of a fresh model the ``greedy`` policy; returns the share of decisions in which it then agrees.

    Args:
        model: the model; its own optimizer is not used.
        setting: the setting; forced decisions should be passed over (``auto_forced``).
        decisions: the number of decisions to learn from, each seen ``epochs`` times.
        seed: of the games, and of the order of learning.
    """
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
    optimizer = torch.optim.Adam(model.policy.parameters(), lr=1e-3)
    model.policy.set_training_mode(True)
    for _ in range(epochs):
        for rows in np.array_split(generator.permutation(len(x)), max(1, len(x) // batch_size)):
            at = torch.from_numpy(rows)
            _, log_prob, entropy = model.policy.evaluate_actions(x[at], y[at].long(), action_masks=m[at])
            assert entropy is not None
            optimizer.zero_grad()
            (-log_prob.mean() - SOFTNESS * entropy.mean()).backward()
            optimizer.step()
    with torch.no_grad():
        chosen = model.policy.get_distribution(x[-games:], action_masks=m[-games:].numpy()).get_actions(deterministic=True)
    return float((chosen == y[-games:]).float().mean())
