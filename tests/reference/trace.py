"""Fingerprints of batches of every variant that play at random, for comparing compiled code and plain Python.

As a script, given the numbers of settings, games and steps, it prints them as one JSON object. Seeds and actions never change.
"""

from __future__ import annotations

import json
import sys

import numpy as np

import eightsenv
from eightsenv import testing


def fingerprints(settings: int, num_envs: int, steps: int) -> dict[str, list[str]]:
    """One digest for each game, by variant and setting: the defaults, and random ones."""
    return {
        f"{variant} with {setting}": testing.fingerprints(variant, setting, num_envs, steps)
        for variant in eightsenv.variants()
        for setting in testing.sample_settings(variant, settings, seed=1)
    }


if __name__ == "__main__":
    np.seterr(over="raise")
    json.dump(fingerprints(*map(int, sys.argv[1:])), sys.stdout)
