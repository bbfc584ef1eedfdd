"""Snapshots: a game goes on from one exactly as it would have gone on; anything else than a snapshot of this setting is refused."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from eightsenv import snapshots
from eightsenv.adapters.aec import RawEightsEnv
from eightsenv.engine import VectorCore
from eightsenv.game import resolve
from eightsenv.testing.common import each_setting, legal, named, new_core, new_env, record_of, refusal, require
from eightsenv.variants import get


def check_snapshots(variant: str, *, settings: int = 3, seed: int = 0, **fixed: Any) -> None:
    """Saving and restoring games of environments and batches, from each to the other, and the refusal of other bytes.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        with named(variant, setting):
            for steps in (0, 1, rng.randint(2, 80)):
                _check_environment(variant, setting, steps, seed)
            _check_batch(variant, setting, seed)
            _check_between_doors(variant, setting, seed)
            _check_refusals(variant, setting, seed)


def _go_on(env: RawEightsEnv, steps: int, rng: random.Random) -> list:
    """Random steps, dead steps included, an unseeded reset after the end; returns everything that was seen."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else rng.choice(legal(env))
        raw = {key: value.tobytes() for key, value in observation.items()}
        seen.append((agent, raw, reward, terminated, truncated, env.state().tobytes(), dict(env.rewards), action))
        env.step(action)
    return seen


def _check_environment(variant: str, setting: dict[str, Any], steps: int, seed: int) -> None:
    """The same chance, rewards due, log and ledger, into the following episodes; in the same and in another environment."""
    env = new_env(variant, setting)
    env.reset(seed=seed)
    _go_on(env, steps, random.Random(1))
    saved, log, ledger = env.snapshot(), env.log("agent_1"), env.ledger()
    expected = _go_on(env, 100, random.Random(2))
    after = f"restored after {steps} steps,"
    for again in (env, new_env(variant, setting)):
        again.restore(saved)
        require(again.snapshot() == saved, f"{after} an environment gives another snapshot")
        require(again.log("agent_1") == log and again.ledger() == ledger, f"{after} an environment has another log or ledger")
        require(_go_on(again, 100, random.Random(2)) == expected, f"{after} an environment goes on differently")


def _check_batch(variant: str, setting: dict[str, Any], seed: int) -> None:
    """The same deals and the same sampled actions, until the episode ends; one game's restoring touches no other."""
    core = new_core(variant, setting, 4, seed, state=True)
    core.reset()
    for _ in range(9):
        core.step(core.sample())
    saved = [core.snapshot(i) for i in range(4)]
    expected = _traces(core)
    for again in (core, new_core(variant, setting, 4, seed + 1, state=True)):
        for i in range(4):
            again.restore(i, saved[i])
        require(_traces(again) == expected, "a restored batch goes on differently")
    others = [core.snapshot(i) for i in (0, 1, 3)]
    core.restore(2, saved[2])
    back = snapshots.unpack(saved[2], core.setting, core.record_size)
    require(record_of(core, 2).tobytes() == back.record, "a restored game of a batch has another state")
    require([core.snapshot(i) for i in (0, 1, 3)] == others, "restoring one game of a batch changes another")


def _traces(core: VectorCore) -> list[list[bytes]]:
    """What each game shows until its episode ends, played at random from its own policy streams."""
    batch = core.batch
    live, traces = np.ones(core.num_envs, bool), [[] for _ in range(core.num_envs)]  # type: tuple[np.ndarray, list[list[bytes]]]
    for _ in range(40):
        for i in np.flatnonzero(live):
            traces[i] += [batch.observation[i].tobytes(), batch.action_mask[i].tobytes(), batch.state[i].tobytes()]  # type: ignore[index]
        core.step(core.sample())
        for i in np.flatnonzero(live):
            traces[i].append(batch.reward[i].tobytes())
        live &= ~(batch.terminated | batch.truncated)
    return traces


def _check_between_doors(variant: str, setting: dict[str, Any], seed: int) -> None:
    """From a batch to an environment, one decision, and back into another batch."""
    core = new_core(variant, setting, 3, seed, state=True)
    batch = core.reset()
    for _ in range(5):
        core.step(core.sample())
    env = new_env(variant, setting)
    for i in range(3):
        env.restore(core.snapshot(i))
        assert batch.state is not None
        require(env.reveal() == core.reveal(i), "an environment restored from a batch reveals another game")
        require(env.state().tobytes() == batch.state[i].tobytes(), "an environment restored from a batch has another state")
        seen = env.observe(env.agent_selection)
        require(
            seen["observation"].tobytes() == batch.observation[i].tobytes(),
            "an environment restored from a batch observes differently",
        )
        env.step(legal(env)[-1])
        if any(env.terminations.values()) or any(env.truncations.values()):
            refusal("a game that is over, for a batch,", core.restore, i, env.snapshot())
            continue
        twin = new_core(variant, setting, 3, seed + 1)
        twin.restore(i, env.snapshot())
        require(twin.reveal(i) == env.reveal(), "a batch restored from an environment reveals another game")


def _check_refusals(variant: str, setting: dict[str, Any], seed: int) -> None:
    """Snapshots of other settings, variants and versions, damaged bytes, and what is no bytes; nothing is changed."""
    env, core = new_env(variant, setting), new_core(variant, setting, 2, seed)
    env.reset(seed=seed)
    core.reset()
    good, in_batch = env.snapshot(), core.snapshot(0)
    bad: dict[str, Any] = {"nothing": b"", "text": "text", "a number": 5, "foreign bytes": b"8ENVSNP1"}
    bad |= {f"a snapshot cut to {k} bytes": good[:k] for k in range(0, len(good), max(1, len(good) // 12))}
    bad["a snapshot with a byte more"] = good + b"\0"
    for at in range(0, len(good), max(1, len(good) // 40)):
        bad[f"a snapshot with a flipped bit of byte {at}"] = good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1 :]
    bad |= _foreign(variant, setting, good)
    for what, data in bad.items():
        doors: tuple[Callable[[Any], Any], ...] = (env.restore, lambda data: core.restore(0, data))
        for restore in doors:
            refusal(what, restore, data)
    require(env.snapshot() == good and core.snapshot(0) == in_batch, "a refused snapshot changed the game")
    same: tuple[Any, ...] = (bytearray(good), memoryview(good))
    for data in same:
        env.restore(data)
        require(env.snapshot() == good, "a snapshot as bytearray or memoryview gives another game")


def _foreign(variant: str, setting: dict[str, Any], good: bytes) -> dict[str, bytes]:
    """The same game, as another setting, variant or version would have written it."""
    game = get(variant)
    own = resolve(game, **setting)
    parts = snapshots.unpack(good, own, game.rule_set.state_dtype.itemsize)
    others = {
        "a snapshot of another setting": dataclasses.replace(own, max_decisions=own.max_decisions + 1),
        "a snapshot of another variant": dataclasses.replace(own, variant="no_such_variant_v0"),
        "a snapshot of another version": dataclasses.replace(own, version=own.version + 1),
    }
    rest = (parts.record, parts.seed, parts.game_id, parts.episode, parts.streams, parts.extra)
    return {what: snapshots.pack(other, *rest) for what, other in others.items()}
