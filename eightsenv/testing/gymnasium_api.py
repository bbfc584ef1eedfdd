"""What Gymnasium expects of an environment: its own test with warnings as errors, and a batch that plays the same games."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from typing import Any

import gymnasium
import numpy as np

from eightsenv.adapters.registries import gymnasium_id
from eightsenv.testing.common import each_setting, failures_name, named, require


def check_gymnasium(variant: str, *, settings: int = 2, seed: int = 0, steps: int = 40, **fixed: Any) -> None:
    """Gymnasium's check_env, and the same observations, rewards and ends from a single environment and from a batch.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        steps: how many decisions of the learner are compared.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    # Random play reaches the end of a match late or never.
    for setting, rng in each_setting(variant, settings, seed, **{"max_decisions": 200} | fixed):
        arguments = {"opponents": rng.choice(["random", "greedy"]), "seat": rng.choice([0, "rotate"])}
        with named(variant, setting):
            _run_their_test(variant, setting | arguments)
            _compare(variant, setting | arguments, steps, rng)


def _run_their_test(variant: str, arguments: dict[str, Any]) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), failures_name("Gymnasium's check_env"):
        warnings.simplefilter("error")
        check_env(gymnasium.make(gymnasium_id(variant), **arguments).unwrapped)


def _compare(variant: str, arguments: dict[str, Any], steps: int, rng: random.Random) -> None:
    """Game 0 of a batch is the single environment's, episode after episode."""
    seed = rng.getrandbits(32)
    single, batch = gymnasium.make(gymnasium_id(variant), **arguments), gymnasium.make_vec(gymnasium_id(variant), 3, **arguments)
    seen, info = single.reset(seed=seed)
    many, _ = batch.reset(seed=seed)
    require(info == {}, f"the info of a reset is {info}")
    for _ in range(steps):
        for key in seen:
            require(np.array_equal(seen[key], many[key][0]), f"{key} is another one in a batch than in a single environment")
        actions = np.array([rng.choice(np.flatnonzero(mask).tolist()) for mask in many["action_mask"]])
        seen, reward, terminated, truncated, info = single.step(int(actions[0]))
        many, rewards, terminations, truncations, infos = batch.step(actions)
        require(reward == rewards[0] and info == {}, "a reward is another one in a batch than in a single environment")
        same = (terminated, truncated) == (terminations[0], truncations[0])
        require(same, "an episode ends otherwise in a batch than in a single environment")
        if terminated or truncated:
            for key in seen:
                require(np.array_equal(seen[key], infos["final_obs"][0][key]), f"the final {key} is another one in a batch")
            seen, _ = single.reset()
