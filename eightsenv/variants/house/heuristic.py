"""The greedy policy of House Rules."""

from __future__ import annotations

from eightsenv.bits import compiled, lowest


@compiled
def greedy(s, r, words):
    """The first legal action."""
    k = lowest(words[0])
    return k if k < 64 else 64 + lowest(words[1])
