"""What the nets see besides the observation while they are trained: how many cards of each suit and rank a set holds.

Naming a suit is a rare decision, and a plain net needs very many games to find out that cards of one suit belong together.
The counts are linear in the observation, so the first layer of a trained net absorbs them: :func:`absorbed` gives the
plain net over the observation alone, which plays exactly as it was trained.
"""

from __future__ import annotations

from collections.abc import Sequence

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from eightsenv.cards import CARDS
from eightsenv.game import Section

SCALE = 0.5
"""Brings counts of a few cards to about the size of the other inputs."""


def counts(sections: Sequence[Section]) -> np.ndarray:
    """The matrix float32[F, K] that turns an observation into its counts: by suit and by rank of each set of cards."""
    columns: list[np.ndarray] = []
    at, features = 0, sum(section.size for section in sections)
    for section in sections:
        if section.kind == "set" and set(section.bins) <= set(CARDS):
            # Suit is the last letter of a card's text, rank the first.
            for place in (-1, 0):
                for group in dict.fromkeys(text[place] for text in section.bins):
                    column = np.zeros(features, np.float32)
                    column[at : at + section.size] = [SCALE * (text[place] == group) for text in section.bins]
                    columns.append(column)
        at += section.size
    return np.stack(columns, axis=1) if columns else np.zeros((features, 0), np.float32)


class WithCounts(BaseFeaturesExtractor):
    """The observation and its counts: [R, F] to [R, F + K]."""

    def __init__(self, observation_space: gymnasium.Space, matrix: np.ndarray):
        super().__init__(observation_space, sum(matrix.shape))
        self.matrix: torch.Tensor
        self.register_buffer("matrix", torch.from_numpy(matrix), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.cat([observations, observations @ self.matrix], dim=1)


def absorbed(weight: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The first layer's weight over the observation alone, float32[H, F], from the one over observation and counts."""
    features = matrix.shape[0]
    return weight[:, :features] + weight[:, features:] @ matrix.T
