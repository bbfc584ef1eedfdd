"""What the checks share: sentences for failures, and playing one game or many."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eightsenv import snapshots
from eightsenv.adapters.aec import EightsEnv, RawEightsEnv
from eightsenv.engine import VectorCore
from eightsenv.game import Section, resolve
from eightsenv.testing.settings import describe, sample_settings
from eightsenv.variants import get


def require(holds: Any, sentence: str) -> None:
    """Raise ``AssertionError`` with the sentence unless it holds. (Plain ``assert`` is gone under ``python -O``.)"""
    if not holds:
        raise AssertionError(sentence)


@contextlib.contextmanager
def failures_name(where: str) -> Iterator[None]:
    """Turn whatever is raised inside into an ``AssertionError`` whose sentence begins with where it happened."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{where}: {error or 'an assertion failed'}") from error
    except Exception as error:
        said = str(error).partition("\n")[0]
        raise AssertionError(f"{where}: {type(error).__name__}: {said}") from error


def each_setting(variant: str, settings: int, seed: int, **fixed: Any) -> Iterator[tuple[dict[str, Any], random.Random]]:
    """The defaults and some random settings, each with a random generator of its own; use inside ``named``."""
    with failures_name(variant):
        sampled = list(sample_settings(variant, settings, seed, **fixed))
    for k, setting in enumerate(sampled):
        yield setting, random.Random(f"{variant} {seed} {k}")


def named(variant: str, setting: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """``failures_name`` with a variant and what is not as by default in a setting."""
    return failures_name(f"{variant} with {describe(variant, setting)}")


def refusal(
    what: str, call: Callable, *arguments: Any, errors: type[Exception] | tuple[type[Exception], ...] = ValueError, **named: Any
) -> str:
    """The one sentence with which a call is refused, that is, with one of the ``errors``. ``what`` it is about, for the failure."""
    try:
        call(*arguments, **named)
    except errors as error:
        sentence = str(error).strip()
        require(sentence and "\n" not in sentence, f"{what} is refused with {sentence!r}, which is not one sentence")
        return sentence
    except Exception as error:
        raise AssertionError(f"{what} raises {type(error).__name__} instead of being refused: {error}") from error
    raise AssertionError(f"{what} is not refused")


# Games


def new_env(variant: str, setting: dict[str, Any], *, raw: bool = False, render_mode: str | None = None) -> RawEightsEnv:
    """An AEC environment that has not been reset."""
    return (RawEightsEnv if raw else EightsEnv)(get(variant), render_mode=render_mode, **setting)


def new_core(variant: str, setting: dict[str, Any], num_envs: int, seed: int, **arguments: Any) -> VectorCore:
    """A batch of games that has not been reset."""
    game = get(variant)
    return VectorCore(game, resolve(game, **setting), np.arange(num_envs, dtype=np.uint64), seed=seed, **arguments)


def record_of(core: VectorCore, i: int) -> np.ndarray:
    """A copy of the state of a game of a batch: an array of one record."""
    record = snapshots.unpack(core.snapshot(i), core.setting, core.record_size).record
    return np.frombuffer(bytearray(record), core.game.rule_set.state_dtype)


def mask_of(env: RawEightsEnv) -> np.ndarray:
    """The mask of the agent to move."""
    return env.observe(env.agent_selection)["action_mask"]


def legal(env: RawEightsEnv) -> list[int]:
    """The legal actions of the agent to move."""
    return [int(action) for action in np.flatnonzero(mask_of(env))]


def ended(env: RawEightsEnv) -> bool:
    """Whether the episode is over."""
    return bool(env.terminations[env.agent_selection] or env.truncations[env.agent_selection])


def decide(env: RawEightsEnv, rng: random.Random) -> int:
    """A legal action: what the greedy policy does, or a random one. Half of each brings most games to their ends."""
    if rng.random() < 0.5:
        return int(env.core.choose("greedy")[0])
    return rng.choice(legal(env))


def play(env: RawEightsEnv, decisions: int, rng: random.Random) -> int:
    """Make up to so many decisions of the running episode; returns how many were made."""
    made = 0
    while made < decisions and not ended(env):
        env.step(decide(env, rng))
        made += 1
    return made


def reached(env: RawEightsEnv) -> list[float]:
    """The rewards of the last step by seat."""
    return [env.rewards.get(agent, 0.0) for agent in env.possible_agents]


def seat_of(agent: str) -> int:
    return int(agent.removeprefix("agent_"))


# Vectors


def check_shapes(rows: np.ndarray, sections: tuple[Section, ...], whose: str) -> None:
    """Rows of 0/1 bytes (int8[R, F]) have the shapes that their sections' kinds say."""
    require(rows.dtype == np.int8, f"{whose} is {rows.dtype}, not int8")
    size = sum(section.size for section in sections)
    require(rows.shape[1] == size, f"{whose} has {rows.shape[1]} features and its sections {size}")
    require(((rows == 0) | (rows == 1)).all(), f"{whose} has other values than 0 and 1")
    at = 0
    for section in sections:
        part = rows[:, at : at + section.size]
        at += section.size
        if section.kind == "one-hot":
            require((part.sum(axis=1) <= 1).all(), f"the one-hot section {section.name!r} of {whose} has several ones")
        elif section.kind == "thermometer":
            require((np.diff(part, axis=1) <= 0).all(), f"the thermometer {section.name!r} of {whose} has a one after a zero")
