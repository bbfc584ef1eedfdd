"""The peers that are measured beside eightsenv, each only where it is installed.

Every ``prepare`` function builds one peer's random play and returns its run. Decisions are decisions of players: chance nodes
are worked off inside the measured time, as they are in eightsenv, but are not counted.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from eightsenv.benchmarks.measure import PER_SECOND, Case, NotInstalledError, Run, steady

OPENSPIEL_BOTS = "OpenSpiel crazy_eights, C++ evaluate_bots"
OPENSPIEL_LEAN = "OpenSpiel crazy_eights, Python, lean loop"
OPENSPIEL_DOCUMENTED = "OpenSpiel crazy_eights, Python, documented loop"
OPENSPIEL_SHIMMY = "OpenSpiel crazy_eights, AEC by Shimmy"
LEDUC = "PettingZoo leduc_holdem_v4, AEC"
RLCARD = "RLCard UNO"


def _peer(module: str) -> Any:
    """A peer's module. Raises :class:`NotInstalledError` when it, or something that it needs, is not there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise NotInstalledError(str(error)) from None


def openspiel_bots() -> Run:
    """Whole games in C++ by OpenSpiel's uniform random bots; decisions are counted from the histories, outside the clock."""
    pyspiel = _peer("pyspiel")
    game = pyspiel.load_game("crazy_eights(players=4)")
    bots = [pyspiel.make_uniform_random_bot(seat, seat + 1) for seat in range(4)]
    seeds = iter(range(1, 2**31))

    def run(seconds: float) -> float:
        decisions, passed = 0, 0.0
        while passed < seconds:
            states = []
            begin = time.perf_counter()
            for _ in range(100):
                state = game.new_initial_state()
                pyspiel.evaluate_bots(state, bots, next(seeds))
                states.append(state)
            passed += time.perf_counter() - begin
            decisions += sum(step.player >= 0 for state in states for step in state.full_history())
        return decisions / passed

    return run


def openspiel_lean() -> Run:
    """One game at a time from Python, with observation tensor and mask of the player to move at every decision.

    Kind to OpenSpiel: actions and chance outcomes are picked by ``random.random``, which is much faster than the documented
    ``np.random.choice`` and right here only because a single pack makes every chance outcome equally likely.
    """
    pick = random.Random(1).random

    def outcome(state: Any) -> int:
        outcomes = state.chance_outcomes()
        return outcomes[int(pick() * len(outcomes))][0]

    def action(legal: list[int]) -> int:
        return legal[int(pick() * len(legal))]

    return _openspiel_python(outcome, action)


def openspiel_documented() -> Run:
    """The same loop as OpenSpiel's documentation writes it: ``np.random.choice``, for chance outcomes with their probabilities."""
    generator = np.random.RandomState(1)

    def outcome(state: Any) -> int:
        outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
        return generator.choice(outcomes, p=probabilities)

    return _openspiel_python(outcome, generator.choice)


def _openspiel_python(outcome: Callable[[Any], int], action: Callable[[list[int]], int]) -> Run:
    pyspiel = _peer("pyspiel")
    game = pyspiel.load_game("crazy_eights(players=4)")
    observation = _peer("open_spiel.python.observation").make_observation(game)

    def play() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(outcome(state))
                continue
            player = state.current_player()
            observation.set_from(state, player)
            state.legal_actions_mask(player)
            state.apply_action(action(state.legal_actions(player)))
            decisions += 1
        return decisions

    return steady(play)


def openspiel_shimmy() -> Run:
    """Shimmy's AEC environment, made by name: one made from a game object forgets the number of players at its first reset."""
    shimmy = _peer("shimmy")
    _peer("pyspiel")
    env = shimmy.OpenSpielCompatibilityV0(game_name="crazy_eights", config={"players": 4})
    return _aec_loop(env, lambda observation, info: info["action_mask"])


def leduc() -> Run:
    """PettingZoo's own Leduc hold'em, a smaller game, through its wrapped environment."""
    env = _peer("pettingzoo.classic.leduc_holdem_v4").env()
    return _aec_loop(env, lambda observation, info: observation["action_mask"])


def _aec_loop(env: Any, mask: Callable[[Any, Any], Any]) -> Run:
    """Random play of an AEC environment whose mask is ``mask(observation, info)``."""
    pick = random.Random(1).random

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = mask(observation, info).nonzero()[0]
            env.step(int(legal[int(pick() * len(legal))]))
            decisions += 1
        return decisions

    return steady(play)


def rlcard_uno() -> Run:
    """RLCard's UNO, two players, its own random agents and its own loop."""
    rlcard = _peer("rlcard")
    env = rlcard.make("uno", config={"seed": 1})
    agent = _peer("rlcard.agents").RandomAgent(num_actions=env.num_actions)
    env.set_agents([agent] * env.num_players)

    def play() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum(len(trajectory) // 2 for trajectory in trajectories)  # states and actions by turns, then the last state

    return steady(play)


CASES = (
    Case(OPENSPIEL_BOTS, "peers", PER_SECOND, openspiel_bots),
    Case(OPENSPIEL_LEAN, "peers", PER_SECOND, openspiel_lean),
    Case(OPENSPIEL_DOCUMENTED, "peers", PER_SECOND, openspiel_documented),
    Case(OPENSPIEL_SHIMMY, "peers", PER_SECOND, openspiel_shimmy),
    Case(LEDUC, "peers", PER_SECOND, leduc),
    Case(RLCARD, "peers", PER_SECOND, rlcard_uno),
)
