"""Fingerprints of batches of every variant that play at random, for comparing compiled code and plain Python.

As a script it prints them as one JSON object. The games, seeds and actions are always the same.
"""

from __future__ import annotations

import json
import sys

import numpy as np

import eightsenv
from eightsenv import testing


def fingerprints(num_envs: int = 4, steps: int = 80) -> dict[str, list[str]]:
    """One digest for each game, by variant and setting: the defaults, and random ones."""
    return {
        f"{variant} with {setting}": testing.fingerprints(variant, setting, num_envs, steps)
        for variant in eightsenv.variants()
        for setting in testing.sample_settings(variant, 4, seed=1)
    }


if __name__ == "__main__":
    np.seterr(over="raise")
    json.dump(fingerprints(), sys.stdout)
