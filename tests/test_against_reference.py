"""The core against an independent plain model: random settings, random play, every decision compared."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from reference.eights import Model
from reference.settings import random_setting

import eightsenv


def play_episode(rng: random.Random, setting: dict, decisions: int) -> int:
    """One episode, or its first ``decisions``, through the AEC environment and the model; returns the decisions made."""
    env = eightsenv.make("crazy_eights_v0", **setting).unwrapped
    model = Model(setting, env.reveal)
    deck, dealer = list(model.pack), rng.randrange(model.n)
    rng.shuffle(deck)
    env.reset(seed=rng.getrandbits(32), options={"deck": deck, "dealer": dealer})
    model.deal(deck, dealer)
    while not (model.over or model.truncated) and model.decisions < decisions:
        compare_state(env, model)
        action = rng.choice(sorted(model.legal()))
        env.step(env.action_id(action))
        gained = model.act(action)
        if setting["reward"] == "win":
            gained = model.win_shares() if model.over else [Fraction(0)] * model.n
        rewards = [env.rewards[agent] for agent in env.possible_agents]
        assert rewards == pytest.approx([float(g) for g in gained], abs=1e-6)
    ended = model.over or model.truncated
    assert all(env.terminations[a] == model.over for a in env.agents)
    assert all(env.truncations[a] == model.truncated for a in env.agents)
    if ended:
        assert len(env.agents) == model.n
    compare_scores(env, model)
    return model.decisions


def compare_state(env, model: Model) -> None:
    true = env.reveal()
    mask = env.observe(env.agent_selection)["action_mask"]
    assert {env.action_name(a) for a in range(len(mask)) if mask[a]} == model.legal()
    assert env.agent_selection == f"agent_{model.seat}"
    assert true["seat"] == model.seat and true["phase"] == model.phase
    assert [Counter(hand) for hand in true["hands"]] == [Counter(hand) for hand in model.hands]
    assert true["stock"] == model.stock
    assert true["discard"] == model.discard
    assert true["dealer"] == model.dealer and true["hand_number"] == model.hand_number
    assert true["drawn"] == len(model.drawn)
    if model.phase == "TURN":
        assert true["suit"] == model.suit
    compare_scores(env, model)


def compare_scores(env, model: Model) -> None:
    true = env.reveal()
    assert true["scores"] == pytest.approx([float(score) for score in model.scores])
    assert true["collected"] == pytest.approx([float(amount) for amount in model.collected])
    if model.payoffs is None:
        with pytest.raises(ValueError, match="no hand has ended"):
            env.payoffs()
    else:
        assert env.payoffs() == pytest.approx([float(p) for p in model.payoffs])


def fuzz(seed: int, decisions: int) -> None:
    rng = random.Random(seed)
    left = decisions
    while left > 0:
        setting = random_setting(rng)
        try:
            left -= play_episode(rng, setting, 1500)
        except AssertionError as error:
            raise AssertionError(f"with {setting}") from error


@pytest.mark.parametrize("seed", range(3))
def test_random_settings_and_play(seed: int):
    fuzz(seed, 5_000)


@pytest.mark.parametrize("players", range(2, 9))
def test_the_defaults_with_every_number_of_players(players: int):
    rng = random.Random(players)
    for _ in range(8):
        play_episode(rng, {"num_players": players, "reward": "score", "match": False}, 10_000)
    play_episode(rng, {"num_players": players, "reward": "score", "match": True}, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 106))
def test_many_random_settings_and_much_play(seed: int):
    fuzz(seed, 60_000)
