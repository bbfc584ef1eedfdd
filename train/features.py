"""What the nets see besides the observation while they are trained: how many cards of each suit and rank a set holds.

Naming a suit is a rare decision, and a plain net needs very many games to find out that cards of one suit belong together.
The counts are linear in the observation, so the first layer of a trained net absorbs them: :func:`absorbed` gives the
plain net over the observation alone, which plays exactly as it was trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from eightsenv.cards import CARDS
from eightsenv.game import Section

Weight = TypeVar("Weight", bound=Any)

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


def absorbed(weight: Weight, matrix: Weight) -> Weight:
    """The first layer's weight over the observation alone, [H, F], from the one over observation and counts (arrays or tensors)."""
    features = matrix.shape[0]
    return weight[:, :features] + weight[:, features:] @ matrix.T
