"""What PettingZoo expects of an AEC environment: its own tests with warnings as errors, and the cycle in detail."""

from __future__ import annotations

import contextlib
import importlib
import io
import random
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded

from eightsenv.adapters.aec import EightsEnv, RawEightsEnv
from eightsenv.testing.common import each_setting, ended, failures_name, legal, named, new_env, play, refusal, require, seat_of
from eightsenv.variants import get


def check_pettingzoo(variant: str, *, settings: int = 3, seed: int = 0, cycles: int = 60, **fixed: Any) -> None:
    """PettingZoo's api_test, seed_test, state_test and render_test, and what they leave open of the AEC cycle.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        cycles: how long PettingZoo's tests play.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    # Random play reaches the end of a match late or never.
    for setting, rng in each_setting(variant, settings, seed, **{"max_decisions": 200} | fixed):
        with named(variant, setting):
            _run_their_tests(variant, setting, cycles)
            for raw in (False, True):
                env = new_env(variant, setting, raw=raw)
                _check_before_reset(env, raw)
                _check_spaces(env)
                _check_cycle(env, rng)
                _check_copies(env)
                _check_order(env, rng)
            _check_random_numbers(variant, setting, rng)


def _run_their_tests(variant: str, setting: dict[str, Any], cycles: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # releases of PettingZoo warn of their own imports
        from pettingzoo.test import api_test, render_test, seed_test

        # The package's attribute of this name is the function, not the module.
        states = importlib.import_module("pettingzoo.test.state_test")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        # Said to every environment with a mask beside its observation, but for PettingZoo's own, which it knows by name.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        for raw in (False, True):
            with failures_name(f"PettingZoo's api_test of {'raw_env' if raw else 'env'}"):
                api_test(new_env(variant, setting, raw=raw), num_cycles=cycles, verbose_progress=False)
        with failures_name("PettingZoo's seed_test"):
            seed_test(lambda: new_env(variant, setting), num_cycles=cycles // 3)
        with failures_name("PettingZoo's render_test"):
            render_test(lambda render_mode: new_env(variant, setting, render_mode=render_mode))
        with failures_name("PettingZoo's state_test"):
            env = _LegalSamples(get(variant), **setting)
            states.test_state_space(env)
            states.test_state(env, max(1, cycles // env.num_players), 1)


class _LegalSamples(EightsEnv):
    """PettingZoo's state test samples without a mask, so the space that it is given samples legal actions."""

    def action_space(self, agent: str) -> Any:
        return SimpleNamespace(sample=lambda: random.Random(0).choice(legal(self)))


def _check_before_reset(env: Any, raw: bool) -> None:
    """Nothing can be asked before the first reset, but for spaces and texts."""
    calls = [env.reveal, env.payoffs, env.log, env.ledger, env.snapshot, lambda: env.view("agent_0")]
    if not raw:
        calls += [lambda: env.step(0), lambda: env.observe("agent_0"), env.state]
    for call in calls:
        refusal("a call before the first reset", call, errors=ResetNeeded)


def _check_spaces(env: RawEightsEnv) -> None:
    n, actions = env.setting.num_players, len(env.game.actions(env.setting))
    require(env.metadata["name"] == env.game.name, "its metadata has another name")
    require(env.metadata["is_parallelizable"] is False, "it calls itself parallelizable, and seats move in turn")
    require(env.possible_agents == [f"agent_{k}" for k in range(n)], f"its agents are {env.possible_agents}")
    require(env.unwrapped is env, "it is wrapped")
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        require(
            space is env.observation_space(agent) and env.action_space(agent) is env.action_space(agent), "a space is made anew"
        )
        require(set(space.keys()) == {"observation", "action_mask"}, f"an observation has the keys {sorted(space.keys())}")
        require(space["observation"].dtype == space["action_mask"].dtype == np.int8, "a space is not int8")
        require(
            env.action_space(agent).n == actions and space["action_mask"].shape == (actions,),
            "a space has another number of actions",
        )
    refusal("the space of an agent that does not exist", env.observation_space, f"agent_{n}", errors=KeyError)


def _check_cycle(env: RawEightsEnv, rng: random.Random) -> None:
    """An episode by ``agent_iter`` and ``last``: every seat gets all its rewards once, then steps None, then is gone."""
    setting = env.setting
    env.reset(seed=rng.getrandbits(32))
    got = dict.fromkeys(env.possible_agents, 0.0)
    gone: list[str] = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        require(info == {}, f"the info of {agent} is {info}")
        require(env.observation_space(agent).contains(observation), f"the space of {agent} does not contain what it observes")
        got[agent] += reward
        if terminated or truncated:
            require(not observation["action_mask"].any(), f"{agent} has legal actions after the end")
            if not gone and isinstance(env, EightsEnv):
                refusal("an action after the end", env.step, 0)
            env.step(None)
            gone.append(agent)
            require(agent not in env.agents and agent not in env.rewards, f"{agent} has not left after its last step")
        else:
            refusal("a step None of an agent that is to move", env.step, None)
            env.step(rng.choice(legal(env)))
    require(sorted(gone) == sorted(env.possible_agents), "not every agent steps once after the end")
    for agent in env.possible_agents:
        seen = env.observe(agent)
        require(
            env.observation_space(agent).contains(seen) and not seen["action_mask"].any(),
            f"{agent} cannot be observed after it has left",
        )
    if isinstance(env, EightsEnv):
        refusal("a step after every agent has left", env.step, None, errors=ResetNeeded)
    rows = env.ledger()
    if setting.reward == "score":
        totals = np.sum([row["payoffs"] for row in rows], axis=0) if rows else np.zeros(setting.num_players)
        require(
            np.allclose(list(got.values()), totals, atol=1e-2),
            f"last gives {list(got.values())} and the payoffs are {totals.tolist()}",
        )
    else:
        require(abs(sum(got.values())) < 1e-5, f"last gives rewards for winning that do not cancel: {list(got.values())}")


def _check_copies(env: RawEightsEnv) -> None:
    """What the environment hands out is the caller's own: writing into it changes nothing."""
    env.reset(seed=2)
    before, waiting = env.snapshot(), next(agent for agent in env.possible_agents if agent != env.agent_selection)
    for agent in (env.agent_selection, waiting):
        kept = {key: value.copy() for key, value in env.observe(agent).items()}
        for value in env.observe(agent).values():
            value[:] = 7
        again = env.observe(agent)
        require(
            all(np.array_equal(again[key], kept[key]) for key in kept),
            f"writing into what {agent} observed changes what it observes",
        )
    env.state()[:] = 7
    require(env.state().max() <= 1 and env.snapshot() == before, "writing into the state changes the game")
    refusal("an illegal action", env.step, next(a for a in range(env.core.num_actions + 1) if not env.core.accepts(0, a)))


def _check_order(env: RawEightsEnv, rng: random.Random) -> None:
    """After an illegal action and a reset, the game is that of a fresh environment; a reset keeps every option."""
    setting = env.setting
    fresh = type(env)(env.game, **setting.as_dict())
    for seed in range(10):
        env.reset(seed=seed)
        refusal("an illegal action", env.step, env.core.num_actions)
        play(env, rng.randrange(4), rng)
        env.reset(seed=seed)
        fresh.reset(seed=seed)
        require(
            env.reveal() == fresh.reveal() and env.agent_selection == fresh.agent_selection,
            "a reset after a game is not a fresh one",
        )
    env.reset()
    fresh.reset()
    require(env.reveal() == fresh.reveal(), "unseeded resets of two equal environments give different games")
    require(env.setting is setting, "a reset changed the setting")
    require(seat_of(env.agent_selection) in range(setting.num_players) and not ended(env), "a reset returns a finished game")


def _check_random_numbers(variant: str, setting: dict[str, Any], rng: random.Random) -> None:
    """Nothing depends on the global generators, nothing touches them, and a first reset without a seed is random."""
    traces = []
    for noise in range(2):
        np.random.seed(noise)
        random.seed(noise)
        before = np.random.get_state()[1].tobytes(), random.getstate()  # type: ignore[index]
        env = new_env(variant, setting)
        env.reset(seed=7)
        play(env, 30, random.Random(1))
        traces.append(env.snapshot())
        after = np.random.get_state()[1].tobytes(), random.getstate()  # type: ignore[index]
        require(before == after, "it touches a global random generator")
    require(traces[0] == traces[1], "it depends on a global random generator")
    deals = set()
    for _ in range(6):
        env = new_env(variant, setting)
        env.reset()
        deals.add(str(env.reveal()))
    require(len(deals) > 1, "first resets without a seed all give the same game")
