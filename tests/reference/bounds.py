"""A script for a bounds-checked process: a planted overrun must raise, then random games of all variants must not."""

from __future__ import annotations

import os

import numba
import numpy as np

assert os.environ["NUMBA_BOUNDSCHECK"] == "1"


@numba.njit
def overrun(array, at):
    array[at] = 1


try:
    overrun(np.zeros(4, np.int8), 4)
except IndexError:
    print("the planted overrun raised")

import eightsenv  # noqa: E402
from eightsenv import search, testing  # noqa: E402


def searched(vec) -> None:
    """Search a few decisions of a batch, and look ahead from them."""
    vec.reset()
    rows = np.arange(vec.num_envs)
    for _ in range(10):
        search.foresee(vec, rows)
        search.outlook(vec, rows)
        for method in search.METHODS:
            search.Search(vec, method, simulations=20).choose(rows)
        vec.step(vec.sample())


for variant in eightsenv.variants():
    for setting in testing.sample_settings(variant, 12, seed=1):
        digests = testing.fingerprints(variant, setting, 8, 400)
        assert len(set(digests)) == 8
        eightsenv.rollout(variant, num_games=50, policies="greedy", **setting)
        searched(eightsenv.make_vec(variant, num_envs=8, seed=1, **setting))
print("all games played")
