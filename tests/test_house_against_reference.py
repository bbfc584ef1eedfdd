"""House Rules against an independent plain model: random settings, random play, every decision compared."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import house_settings as settings
from reference.compare import choose, equal
from reference.house import Model
from reference.house_chance import Unjudged, Watched, turned

import eightsenv

VARIANT = settings.VARIANT
SLOW_DECISIONS = 60_000
SLOW_PARTS = 20

HABITS: list[tuple[str, ...]] = [
    (), ("play",), ("draw",), ("play", "draw"), ("play X", "play"), ("accept", "submit", "draw"), ("call", "play"),
    ("silent", "announce", "play"), ("play J", "play K", "play A", "play"),
]  # fmt: skip
"""Kinds of actions that a random player prefers: some reach what the uniform one rarely sees."""


def play_episode(rng: random.Random, setting: dict[str, Any], decisions: int, accidents: float = 0.0) -> int:
    """One episode, or its first ``decisions``, through the AEC environment and the model; returns the decisions made."""
    env = eightsenv.make(VARIANT, **setting).unwrapped
    model = Model(setting, Watched(env.reveal))
    deck, dealer = rng.sample(model.pack, len(model.pack)), rng.randrange(model.n)
    seed = rng.getrandbits(32)
    env.reset(seed=seed, options={"deck": deck, "dealer": dealer})
    habit = rng.choice(HABITS)
    made: list[str] = []
    try:
        model.start(deck, dealer)
        model.chance.step_ends(model)
        while not (model.over or model.truncated) and model.decisions < decisions:
            if rng.random() < accidents:
                accident(rng, env, model, made)
            compare_state(env, model)
            action = choose(rng, model.legal() if rng.random() < 0.9 else model.legal() | model.fumbles(), habit)
            made.append(f"{action}")
            number = model.hand_number
            env.step(env.action_id(action))
            gained: list[Any] = list(model.act(action))
            if number == 0 or number < model.hand_number:
                compare_payoffs(env, model)
            if model.o["reward"] == "win":
                gained = model.win_shares() if model.over else [Fraction(0)] * model.n
            assert equal([env.rewards[agent] for agent in env.possible_agents], gained)
        ended = model.over or model.truncated
        assert all(env.terminations[a] == model.over for a in env.agents)
        assert all(env.truncations[a] == model.truncated for a in env.agents)
        if ended:
            assert len(env.agents) == model.n
            assert (env.reveal()["seat"] is None) == model.over
        assert equal(env.reveal()["scores"], model.scores)
        compare_payoffs(env, model)
    except Unjudged:
        pass
    except AssertionError as error:
        plain = {name: value for name, value in setting.items() if value != (settings.COMMON | settings.DEFAULTS).get(name)}
        raise AssertionError(f"with {plain}, deck {deck}, dealer {dealer}, seed {seed}, {made}") from error
    return model.decisions


def accident(rng: random.Random, env: Any, model: Model, made: list[str]) -> None:
    """A scenario call that is allowed, in both; it is noted as made."""
    a, b = rng.sample(range(model.n), 2)
    kinds = ["fumble", "draw_out_of_turn", "furble", "accuse_collaboration", "grab", "deface", "loan"]
    kind = rng.choice(kinds)
    if model.phase in ("ELECT", "VOTE"):
        kind = "deface"
    if kind == "loan" and not (model.chips and model.scores[a] > 0):
        kind = "grab"
    if kind == "draw_out_of_turn" and a == model.seat:
        a, b = b, a
    if kind == "draw_out_of_turn" and not model.can_draw():
        kind = "fumble"
    if kind in ("fumble", "furble") and not model.hands[a]:
        kind = "deface"
    given: dict[str, Any] = {"seat": a}
    if kind in ("fumble", "furble"):
        given["card"] = "random" if kind == "fumble" and rng.random() < 0.3 else rng.choice(model.hands[a])
    elif kind == "accuse_collaboration":
        given = {"a": a, "b": b}
    elif kind == "grab":
        given = {"offender": a, "victim": b}
    elif kind == "loan":
        given = {"frm": a, "to": b, "k": rng.randint(1, model.scores[a])}
    made.append(f"{kind} {given}")
    env.scenario(kind, **given)
    {
        "fumble": model.fumble, "furble": model.fumble, "draw_out_of_turn": model.fumble, "deface": model.deface,
        "accuse_collaboration": model.accuse, "grab": model.grab, "loan": model.loan,
    }[kind](*[value for key, value in given.items() if key != "card"])  # fmt: skip
    model.chance.step_ends(model)


def compare_state(env: Any, model: Model) -> None:
    true = env.reveal()
    mask = env.observe(env.agent_selection)["action_mask"]
    assert env.agent_selection == f"agent_{model.seat}" and true["seat"] == model.seat
    actions = {env.action_name(int(a)) for a in np.flatnonzero(mask)}
    assert actions == model.legal(), actions ^ model.legal()
    for zone in ("hands", "penalty", "plucked"):
        assert [Counter(cards) for cards in true[zone]] == [Counter(cards) for cards in getattr(model, zone)], zone
    assert true["stock"] == model.stock and true["discard"] == model.discard and turned(true) == model.turned
    assert true["dealer"] == model.dealer and true["hand_number"] == model.hand_number
    assert set(true["liable"]) == model.liable and set(true["exposed"]) == set(model.exposed)
    assert true["scorekeeper"] == model.scorekeeper
    assert equal(true["scores"], model.scores)
    if model.phase == "ELECT":
        return
    assert tuple(true["run"]) == model.run
    if model.phase == "TURN":
        assert true["direction"] == model.direction and tuple(true["to_follow"]) == model.follow


def compare_payoffs(env: Any, model: Model) -> None:
    if model.payoffs is None:
        with pytest.raises(ValueError, match="no hand has ended"):
            env.payoffs()
    else:
        assert equal(env.payoffs(), model.payoffs)


def fuzz(seed: int, decisions: int) -> None:
    rng = random.Random(seed)
    left = decisions
    while left > 0:
        left -= play_episode(rng, settings.random_setting(rng), 800, rng.choice([0, 0, 0.05]))


@pytest.mark.parametrize("seed", range(2))
def test_random_settings_and_play(seed: int):
    fuzz(seed, 4_000)


@pytest.mark.parametrize("players", range(2, 7))
def test_the_defaults_with_every_number_of_players(players: int):
    rng = random.Random(players)
    for match in (False, False, True):
        play_episode(rng, {"num_players": players, "match": match}, 600)


@pytest.mark.parametrize("players", range(2, 13))
def test_two_packs_with_every_number_of_players(players: int):
    play_episode(random.Random(players), {"num_players": players, "decks": 2}, 600)


@pytest.mark.parametrize("preset", settings.PRESETS)
def test_the_presets(preset: str):
    rng = random.Random(preset)
    for _ in range(4):
        play_episode(rng, {"rules": preset, "num_players": rng.randint(2, 6), "match": rng.random() < 0.5}, 600)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(SLOW_PARTS))
def test_many_random_settings_and_much_play(part: int):
    fuzz(100 + part, SLOW_DECISIONS // SLOW_PARTS)
