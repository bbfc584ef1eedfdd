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
from eightsenv import testing  # noqa: E402

for variant in eightsenv.variants():
    for setting in testing.sample_settings(variant, 12, seed=1):
        digests = testing.fingerprints(variant, setting, 8, 400)
        assert len(set(digests)) == 8
        eightsenv.rollout(variant, num_games=50, policies="greedy", **setting)
print("all games played")
