"""The core against independent plain models: random settings, random play, every decision compared."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import settings
from reference.compare import HABITS, choose, equal
from reference.eight_ball import EightBallModel
from reference.eights import Model, model_for
from reference.settings import VARIANTS, random_openspiel, random_setting

import eightsenv

SLOW_DECISIONS = 200_000
SLOW_PARTS = 20
ALL_VARIANTS = (*VARIANTS, "eight_ball_v0")

AnyModel = Model | EightBallModel


def play_episode(rng: random.Random, variant: str, setting: dict[str, Any], decisions: int) -> int:
    """One episode, or its first ``decisions``, through the AEC environment and the model; returns the decisions made."""
    env = eightsenv.make(variant, **setting).unwrapped
    model = new_model(variant, setting, env.reveal)
    deck, dealer = list(model.pack), rng.randrange(model.n)
    rng.shuffle(deck)
    env.reset(seed=rng.getrandbits(32), options={"deck": deck, "dealer": dealer})
    model.start(deck, dealer)
    habit = rng.choice(HABITS if isinstance(model, Model) else EIGHT_BALL_HABITS)
    phases: dict[str, str] = {}
    while not (model.over or model.truncated) and model.decisions < decisions:
        if isinstance(model, Model) and rng.random() < 0.3:
            deal_wrongly(rng, env, model)
        compare_state(env, model)
        if isinstance(model, EightBallModel):
            # The names of the phases are the environment's own; what is decided in one is always the same.
            assert phases.setdefault(env.reveal()["phase"], model.stage) == model.stage
        action = choose(rng, model.legal(), habit)
        number = model.hand_number
        env.step(env.action_id(action))
        gained = model.act(action)
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
    compare_zones(env.reveal(), model)
    compare_payoffs(env, model)
    return model.decisions


def new_model(variant: str, setting: dict[str, Any], oracle: Callable[[], dict[str, Any]]) -> AnyModel:
    kind = EightBallModel if variant == "eight_ball_v0" else model_for
    return kind(variant, setting, oracle)


EIGHT_BALL_HABITS: list[tuple[str, ...]] = [
    (),
    ("pass",),
    ("pass", "bid 2", "bid 3"),
    ("bid 2", "bid 3", "pass"),
    ("bid 3", "bid 4", "bid 5", "alone", "bid 6"),
    ("alone", "bid 6", "bid 5"),
    ("bid 5", "alone", "bid 6", "play 8C"),
]


def deal_wrongly(rng: random.Random, env: Any, model: Model) -> None:
    """Before the first turn: a scenario of RE-26 that is allowed, if there is one, in both."""
    if model.turn_made or model.phase == "CUT" or model.o.get("rules") == "openspiel":
        return
    seat = rng.randrange(model.n)
    other = (seat + rng.randint(1, model.n - 1)) % model.n
    if model.excess[seat]:
        idx = rng.sample(range(len(model.hands[seat])), rng.randint(1, model.excess[seat]))
        env.scenario("reclaim", by=other, frm=seat, idx=idx)
        model.reclaim(other, seat, idx)
    elif not model.missing[seat]:
        most = min(3, len(model.stock) - 1 - sum(model.missing))
        least = -min(3, len(model.hands[seat]) - 1)
        k = rng.choice([0, *range(least, most + 1)])
        if k:
            env.scenario("misdeal", seat=seat, k=k)
            model.misdeal(seat, k)


def compare_state(env: Any, model: AnyModel) -> None:
    mask = env.observe(env.agent_selection)["action_mask"]
    assert {env.action_name(int(a)) for a in np.flatnonzero(mask)} == model.legal()
    assert env.agent_selection == f"agent_{model.seat}"
    true = env.reveal()
    assert true["seat"] == model.seat
    assert true["dealer"] == model.dealer and true["hand_number"] == model.hand_number
    if isinstance(model, Model):
        compare_table(true, model)
    compare_zones(true, model)


def compare_table(true: dict[str, Any], model: Model) -> None:
    assert true["phase"] == model.phase
    assert [Counter(hand) for hand in true["hands"]] == [Counter(hand) for hand in model.hands]
    assert true["stock"] == model.stock
    assert true["discard"] == model.discard
    if any(model.missing):
        # The starter's effect waits until the deal is put right.
        assert true["pending"] == model.missing[model.seat]
    else:
        assert true["direction"] == model.direction and true["pending"] == model.pending
    assert true["out"] == sorted(model.out)
    if model.phase == "TURN":
        assert true["suit"] == model.suit and true["drawn"] == len(model.drawn)


def compare_zones(true: dict[str, Any], model: AnyModel) -> None:
    """What is compared after the end too: the scores; of 8-ball everything that is revealed."""
    assert equal(true["scores"], model.scores)
    if isinstance(model, Model):
        assert equal(true["collected"], model.collected)
        return
    shown = model.reveal()
    assert true | shown == true | {"hands": [sorted(hand) for hand in true["hands"]]}
    assert true["stock"] == model.hidden and true["discard"] == []
    places = [*true["hands"], *(true[zone] for zone in ("hidden", "ghost", "discards", "dead", "played"))]
    cards = [card for place in places for card in place] + [card for _, card in true["trick"]]
    up = [true["flip"][0]] if true["flip"] and true["flip"][1] else []
    assert Counter(cards + up) == Counter(model.pack), "every card is in one place"


def compare_payoffs(env: Any, model: AnyModel) -> None:
    if model.payoffs is None:
        with pytest.raises(ValueError, match="no hand has ended"):
            env.payoffs()
    else:
        assert equal(env.payoffs(), model.payoffs)


def fuzz(seed: int, variant: str, decisions: int) -> None:
    rng = random.Random(seed)
    left = decisions
    while left > 0:
        own = variant == "crazy_eights_v0" and rng.random() < 0.15
        setting = random_openspiel(rng) if own else random_setting(rng, variant)
        try:
            left -= play_episode(rng, variant, setting, 1500)
        except AssertionError as error:
            raise AssertionError(f"with {setting}") from error


@pytest.mark.parametrize("variant", ALL_VARIANTS)
@pytest.mark.parametrize("seed", range(2))
def test_random_settings_and_play(seed: int, variant: str):
    fuzz(seed, variant, 4_000)


@pytest.mark.parametrize(("variant", "players"), [(v, n) for v in ALL_VARIANTS for n in range(2, 5 if v == "eight_ball_v0" else 9)])
def test_the_defaults_with_every_number_of_players(variant: str, players: int):
    rng = random.Random(players)
    for _ in range(4):
        play_episode(rng, variant, {"num_players": players}, 600)
    play_episode(rng, variant, {"num_players": players, "match": True}, 600)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preset", [*settings.PRESETS, "openspiel"])
def test_the_presets(preset: str, variant: str):
    """Each preset is the same game whichever environment is asked; ``openspiel`` belongs to one."""
    if preset == "openspiel" and variant == "eights_v0":
        with pytest.raises(ValueError, match="preset"):
            eightsenv.make(variant, rules=preset)
        return
    rng = random.Random(preset)
    for _ in range(5):
        players = 2 if preset == "mini" else rng.randint(2, 8)
        play_episode(rng, variant, {"rules": preset, "num_players": players}, 600)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(SLOW_PARTS))
@pytest.mark.parametrize("variants", [VARIANTS, ("eight_ball_v0",)], ids="-".join)
def test_many_random_settings_and_much_play(variants: tuple[str, ...], part: int):
    fuzz(100 + part, variants[part % len(variants)], SLOW_DECISIONS // SLOW_PARTS)
