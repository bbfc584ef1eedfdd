"""A script for a bounds-checked process: a planted overrun must raise, then random games of several settings must not."""

from __future__ import annotations

import os

import numba
import numpy as np

from reference import trace

assert os.environ["NUMBA_BOUNDSCHECK"] == "1"


@numba.njit
def overrun(array, at):
    array[at] = 1


try:
    overrun(np.zeros(4, np.int8), 4)
except IndexError:
    print("the planted overrun raised")

import eightsenv  # noqa: E402

for options in trace.SETTINGS.values():
    digests = trace.by_game(options, 8, 400)
    assert len(set(digests)) == 8
    eightsenv.rollout("crazy_eights_v0", num_games=50, policies="greedy", **options)
print("all games played")
