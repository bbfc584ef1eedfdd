"""Compiled code checks no bounds, so nothing illegal may reach it: bad input raises, and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.engine import VectorCore
from eightsenv.testing.common import each_setting, named, new_core, new_env, refusal, require


def check_memory_safety(variant: str, *, settings: int = 2, seed: int = 0, games: int = 130, **fixed: Any) -> None:
    """Wrong, stale, far and ill-typed actions, rows and seats: a sentence that names the game, and nothing is changed.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        games: of a batch; two threads share it from 128 on.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        with named(variant, setting):
            _check_before_reset(variant, setting)
            for threads, number in ((1, 9), (2, games)):
                core = new_core(variant, setting, number, seed, num_threads=threads)
                core.reset()
                for _ in range(rng.randint(0, 6)):
                    core.step(core.sample())
                _check_wrong_actions(core, rng.randrange(number))
            _check_ill_typed(core)
            _check_stale(core)
            _check_environment(variant, setting, seed)


def everything(core: VectorCore) -> list[bytes]:
    """All bytes of a batch: the games, and what it shows."""
    b = core.batch
    arrays = [b.seat, b.observation, b.action_mask, b.reward, b.terminated, b.truncated, b.final_observation, b.final_seat]
    return [*(core.snapshot(i) for i in range(core.num_envs)), *(array.tobytes() for array in arrays)]


def _check_before_reset(variant: str, setting: dict[str, Any]) -> None:
    core = new_core(variant, setting, 3, 1)
    refusal("a step before the first reset", core.step, np.zeros(3, np.int32))
    refusal("sampling before the first reset", core.sample)
    refusal("a look before the first reset", core.look, np.zeros(1, np.int64), np.zeros(1, np.int8))
    refusal("a first reset of one game", core.reset, rows=np.zeros(1, np.int64))


def _check_wrong_actions(core: VectorCore, game: int) -> None:
    """One wrong action stops the whole step, whatever its type."""
    before = everything(core)
    illegal = [int(action) for action in np.flatnonzero(core.batch.action_mask[game] == 0) if not core.accepts(game, int(action))]
    words = 64 * ((core.num_actions + 63) // 64)
    far = (-1, -2, core.num_actions, words - 1, words, 2 * words, 10**6, 2**31, 2**32, 2**32 + 1, 2**40, -(2**40), 2**62, -(2**63))
    for bad in illegal[:: max(1, len(illegal) // 4)] + [k for k in far if not 0 <= k < core.num_actions]:
        actions = core.sample().astype(np.int64)
        before = everything(core)
        actions[game] = bad
        given: list[Any] = [actions, actions.tolist()]
        low, high = actions.min(), actions.max()
        narrow = [dtype for dtype in (np.int8, np.int16, np.int32) if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max]
        given += [actions.astype(dtype) for dtype in narrow]
        for form in given:
            sentence = refusal(f"the action {bad} in game {game}", core.step, form)
            require(
                sentence.startswith(f"game {game}: "),
                f"the refusal of an action in game {game} does not begin with it: {sentence!r}",
            )
        require(everything(core) == before, f"the refused action {bad} changed the batch")
    unsigned = core.sample().astype(np.uint64)
    unsigned[game] = 2**64 - 1
    refusal("an action beyond int64", core.step, unsigned)


def _check_ill_typed(core: VectorCore) -> None:
    """Actions, rows and seats that are no integers, or of another number."""
    actions = core.sample()
    before = everything(core)
    bad_actions: list[Any] = [actions.astype(kind) for kind in (np.float64, bool, str, object, complex)]
    bad_actions += [actions[:-1], np.append(actions, actions[0]), actions[:, None], actions[:0], actions[0], int(actions[0]), None]
    bad_actions += [[None] * len(actions), [[1], [2, 3]], {"actions": actions}]
    for bad in bad_actions:
        refusal(f"actions such as {type(bad).__name__}", core.step, bad, errors=(ValueError, TypeError))
    for rows in ([0.7], [True, False], [10**30], [None], ["1"], 0, [-1], [core.num_envs], [2, 2]):
        refusal(f"the rows {rows}", core.step, actions[:1], rows=rows)
    for seats in ([256], [-255], [-1], [core.num_players], [1.9], ["0"], [True]):
        refusal(f"the seats {seats}", core.look, [0], np.array(seats))
    for i in (-1, core.num_envs, 10**9):
        for call in (core.reveal, core.snapshot, core.payoffs):
            refusal(f"game {i}", call, i, errors=IndexError)
    for seed in (-1, 2**64, 1.5, "7", True):
        refusal(f"the seed {seed!r}", core.reset, seed=seed, errors=(ValueError, TypeError))
    bad_options: list[Any] = [5, "text", [{}], {"no such key": 1}, {"dealer": core.num_players}, {"dealer": True}, {"deck": ["?"]}]
    for options in bad_options:
        refusal(f"reset with options={options!r}", core.reset, options=options)
    require(everything(core) == before, "something refused changed the batch")
    core.step(actions)


def _check_stale(core: VectorCore) -> None:
    """Actions for the last masks are refused as soon as one is no longer legal, and then nothing happens at all."""
    for _ in range(4):
        stale = core.sample()
        core.step(stale)
        legal = np.array([core.accepts(i, int(action)) for i, action in enumerate(stale)])
        if legal.all():
            continue
        before = everything(core)
        sentence = refusal("a stale action", core.step, stale)
        require(
            sentence.startswith(f"game {int(np.argmin(legal))}: "),
            f"the refusal of a stale action names another game: {sentence!r}",
        )
        require(everything(core) == before, "a refused stale action changed the batch")


def _check_environment(variant: str, setting: dict[str, Any], seed: int) -> None:
    """Actions that do not exist and what is no action, in the environment with and without its own checks."""
    for raw in (False, True):
        env = new_env(variant, setting, raw=raw)
        env.reset(seed=seed)
        before = env.snapshot()
        a = env.core.num_actions
        far = [-1, a, 64 * ((a + 63) // 64), 10**6, 2**31, 2**32, 2**40, 2**63, 2**70, -(2**40), np.int64(2**40), np.int8(-1)]
        for bad in [*far, None, "draw", [1], np.array([1, 2]), {}] + ([] if raw else [True, 1.0, np.float32(3)]):
            refusal(f"the action {bad!r}", env.step, bad)
        bad_options: list[Any] = [[{}], 5, "text", {"dealer": -1}, {"deck": "2C"}]
        for options in bad_options:
            refusal(f"reset with options={options!r}", env.reset, options=options)
        for bad_seed in (-1, 2**64, 1.5, "7", True):
            refusal(f"the seed {bad_seed!r}", env.reset, seed=bad_seed, errors=(ValueError, TypeError))
        require(env.snapshot() == before, "something refused changed the game")
