"""Fingerprints of batches that play at random, for comparing doors and modes; also a script for other processes.

As a script it prints one JSON object of the fingerprints of :data:`SETTINGS`. The games, seeds and actions are always the same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "two players, match": {"num_players": 2, "match": True, "rounds": 3, "draw_limit": 1},
    "two packs, eight players": {"num_players": 8, "decks": 2, "voluntary_draw": "unlimited", "draw_limit": None,
                                 "stock_end": "reshuffle", "bury": "random", "max_decisions": 90},
    "forced steps, win": {"num_players": 3, "auto_forced": True, "reward": "win", "stock_end": "pass_then_block",
                          "starter_wild": "dealer_names", "first_dealer": "first_spade"},
    "match, payments, win": {"num_players": 5, "match": True, "rounds": None, "target": 60, "reward": "win", "hand_size": 3,
                             "score_mode": "collect_high_wins", "stock_end_payment": "difference", "stock_end": "reshuffle",
                             "deal_rotation": "random", "match_rule": "both", "max_decisions": 60},
    "drawn cards only": {"num_players": 4, "play_after_draw": "drawn_only", "voluntary_draw": "one", "bury": "reshuffle",
                         "wild_rank": "J", "match": True, "rounds": 1, "final_tie": "extra_round", "auto_forced": True},
}  # fmt: skip


def shown(batch: Any) -> list[np.ndarray]:
    """Everything that a step shows, with the rows that are not valid blanked."""
    ended = batch.terminated | batch.truncated
    parts = [batch.seat, batch.observation, batch.action_mask, batch.reward, batch.terminated, batch.truncated]
    parts += [batch.final_observation * ended[:, None], batch.final_seat * ended]
    if batch.state is not None:
        parts.append(batch.state)
    return [np.ascontiguousarray(part) for part in parts]


def by_game(options: dict[str, Any], num_envs: int, steps: int, *, seed: int = 11, num_threads: int = 1) -> list[str]:
    """One digest for each game of a batch that plays at random: all it shows, its snapshot at the end, and one sampled for a seat."""
    import eightsenv

    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=num_envs, seed=seed, num_threads=num_threads, state=True, **options)
    digests = [hashlib.sha256() for _ in range(num_envs)]
    batch = vec.reset()
    for step in range(steps):
        if step:
            batch = vec.step(vec.sample())
        parts = shown(batch)
        for i, digest in enumerate(digests):
            for part in parts:
                digest.update(part[i].tobytes())
    for i, digest in enumerate(digests):
        digest.update(vec.snapshot(i) + vec.determinize(i, i % vec.num_players, seed=i))
    return [digest.hexdigest() for digest in digests]


def fingerprints(num_envs: int = 6, steps: int = 120) -> dict[str, list[str]]:
    return {name: by_game(options, num_envs, steps) for name, options in SETTINGS.items()}


if __name__ == "__main__":
    np.seterr(over="raise")
    json.dump(fingerprints(), sys.stdout)
