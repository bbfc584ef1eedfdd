"""Every door leads to the same games, byte for byte: AEC environments, batches of any size and thread count, rollouts."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

import eightsenv
from eightsenv.engine import Batch
from eightsenv.testing.common import each_setting, named, new_core, new_env, reached, require


def shown(batch: Batch) -> list[np.ndarray]:
    """Everything that a step shows, with the rows that are not valid blanked."""
    ended = batch.terminated | batch.truncated
    parts = [batch.seat, batch.observation, batch.action_mask, batch.reward, batch.terminated, batch.truncated]
    parts += [batch.final_observation * ended[:, None], batch.final_seat * ended]
    if batch.state is not None:
        parts.append(batch.state)
    return [np.ascontiguousarray(part) for part in parts]


def fingerprints(
    variant: str, setting: dict[str, Any], num_envs: int, steps: int, *, seed: int = 11, num_threads: int = 1
) -> list[str]:
    """One digest for each game of a batch that plays at random: all that it shows, and its snapshot at the end."""
    core = eightsenv.make_vec(variant, num_envs, seed, num_threads, state=True, **setting)
    digests = [hashlib.sha256() for _ in range(num_envs)]
    batch = core.reset()
    for step in range(steps):
        if step:
            batch = core.step(core.sample())
        rows = np.concatenate([part.view(np.uint8).reshape(num_envs, -1) for part in shown(batch)], axis=1)
        for digest, row in zip(digests, rows, strict=True):
            digest.update(row)
    for i, digest in enumerate(digests):
        digest.update(core.snapshot(i))
    return [digest.hexdigest() for digest in digests]


def check_agreement(variant: str, *, settings: int = 3, seed: int = 0, games: int = 140, **fixed: Any) -> None:
    """Threads, sizes of batches, the AEC environments and rollouts all give the same games.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        games: of a batch; threads share a batch from 128 games on.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    # Rollouts play episodes to their ends, which random play reaches late or never.
    for setting, _ in each_setting(variant, settings, seed, **{"max_decisions": 150} | fixed):
        with named(variant, setting):
            _check_batches(variant, setting, games, seed)
            _check_aec(variant, setting, seed)
            _check_episodes(variant, setting, seed)
            for policies in ("random", "greedy", "mixed"):
                _check_rollout(variant, setting, games, policies, seed)


def _check_batches(variant: str, setting: dict[str, Any], games: int, seed: int) -> None:
    """Threads and the size of the batch do not matter; other games and other seeds are other games."""
    one = fingerprints(variant, setting, games, 30, seed=seed)
    require(len(set(one)) == games, "two games of a batch are the same")
    require(fingerprints(variant, setting, games, 30, seed=seed, num_threads=2) == one, "two threads give other games than one")
    require(fingerprints(variant, setting, 7, 30, seed=seed) == one[:7], "a smaller batch has other games")
    require(fingerprints(variant, setting, 7, 30, seed=seed + 1) != one[:7], "another seed gives the same games")


def _check_aec(variant: str, setting: dict[str, Any], seed: int) -> None:
    """``reset(seed=s)`` is game 0, episode 0 of ``make_vec(seed=s)``; an unseeded reset is the next episode."""
    for raw in (False, True):
        core = new_core(variant, setting, 3, seed, state=True)
        env = new_env(variant, setting, raw=raw)
        batch = core.reset()
        env.reset(seed=seed)
        assert batch.state is not None
        for _ in range(120):
            agent = f"agent_{batch.seat[0]}"
            require(env.agent_selection == agent, f"{env.agent_selection} is to move in the environment and {agent} in the batch")
            seen = env.observe(agent)
            require(seen["observation"].tobytes() == batch.observation[0].tobytes(), "environment and batch observe differently")
            require(seen["action_mask"].tobytes() == batch.action_mask[0].tobytes(), "environment and batch have different masks")
            require(env.state().tobytes() == batch.state[0].tobytes(), "environment and batch have different states")
            actions = core.sample()
            core.step(actions)
            env.step(int(actions[0]))
            require(
                np.array_equal(np.array(reached(env), np.float32), batch.reward[0]), "environment and batch give different rewards"
            )
            ends = (env.terminations[agent], env.truncations[agent])
            require(ends == (batch.terminated[0], batch.truncated[0]), "environment and batch end differently")
            if any(ends):
                last = env.observe(f"agent_{batch.final_seat[0]}")["observation"]
                require(last.tobytes() == batch.final_observation[0].tobytes(), "the final observation is another one")
                env.reset()
            require(env.reveal() == core.reveal(0), "environment and batch reveal different games")


def _check_episodes(variant: str, setting: dict[str, Any], seed: int) -> None:
    """``reset(seed)`` begins episode 0 anew; an unseeded reset goes on, however the last episode went."""
    core = new_core(variant, setting, 3, seed)

    def dealt(of_seed: int | None = None) -> list[dict]:
        core.reset(of_seed)
        return [core.reveal(i) for i in range(3)]

    first, second = dealt(), dealt()
    require(first != second, "the next episode has the same deals")
    require(dealt(seed) == first, "the same seed gives other deals")
    batch = core.step(core.sample())
    ended = (batch.terminated | batch.truncated).tolist()  # those are an episode further
    again = dealt()
    same = all(again[i] == second[i] for i in range(3) if not ended[i])
    require(same, "how an episode went changes the next deal")
    require(dealt(seed + 1) != first, "another seed gives the same deals")


def _check_rollout(variant: str, setting: dict[str, Any], games: int, policies: str, seed: int) -> None:
    """Payoffs, lengths and truncations of a rollout are those of a batch whose actions are sampled and chosen."""
    n = setting["num_players"]
    by_seat = [("greedy", "random")[k % 2] for k in range(n)] if policies == "mixed" else [policies] * n
    totals, steps, truncated = _first_episodes(variant, setting, games, by_seat, seed)
    result = eightsenv.rollout(variant, games, policies if policies != "mixed" else by_seat, seed, **setting)
    what = f"a rollout of {policies} policies"
    require(np.allclose(result.payoffs, totals, atol=1e-3), f"{what} has other payoffs than a batch")
    require(np.array_equal(result.truncated, truncated), f"{what} has other truncations than a batch")
    same = result.lengths >= steps if setting["auto_forced"] else result.lengths == steps
    require(same.all() and result.decisions == result.lengths.sum(), f"{what} counts other decisions than a batch")
    require((result.lengths <= setting["max_decisions"]).all(), f"{what} goes on after max_decisions")
    again = eightsenv.rollout(variant, games, by_seat, seed, 3, **setting)
    same = again.payoffs.tobytes() == result.payoffs.tobytes() and np.array_equal(again.lengths, result.lengths)
    require(same, f"{what} depends on the number of threads")


def _first_episodes(
    variant: str, setting: dict[str, Any], games: int, policies: list[str], seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reward totals, steps and truncations of the first episode of each game of a batch."""
    core = new_core(variant, setting, games, seed)
    batch = core.reset()
    totals = np.zeros((games, core.num_players))
    steps, truncated, live = np.zeros(games, int), np.zeros(games, bool), np.ones(games, bool)
    greedy = np.array([policy == "greedy" for policy in policies])
    while live.any():
        core.step(np.where(greedy[batch.seat], core.choose("greedy"), core.sample()))
        totals[live] += batch.reward[live]
        steps += live
        truncated |= live & batch.truncated
        live &= ~(batch.terminated | batch.truncated)
    return totals, steps, truncated
