"""The options of the high-low layout game: values, defaults, preset, refusals; and what training and benchmarks take by default.

What ``test_high_low_rules.py`` shows is not repeated here.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from reference.deals import fresh, legal
from reference.high_low import DEFAULTS, PRESETS

import eightsenv
from eightsenv import engine
from eightsenv.variants import get

NAME = "high_low_eights_v0"


def test_the_defaults_are_those_of_the_table():
    found = engine.resolve(get(NAME)).as_dict()
    assert found == DEFAULTS | {"max_decisions": 2_000}
    assert engine.resolve(get(NAME), match=True).max_decisions == 20_000


def test_the_preset_is_its_row():
    assert set(get(NAME).presets) == set(PRESETS)
    setting = engine.resolve(get(NAME), rules="strategic_high_low")
    assert setting == engine.resolve(get(NAME), voluntary_pass=True)
    assert engine.resolve(get(NAME), rules="strategic_high_low", ante=5).options["ante"] == 5
    for preset in ("russian_eights", "openspiel", "house_rules_2008"):
        with pytest.raises(ValueError, match="no preset"):
            engine.resolve(get(NAME), rules=preset)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("ante", (0, 101, -1, 2.0, "2", None, True)),
        ("voluntary_pass", (1, "yes", None)),
        ("odd_chip", ("left", None, 1)),
        ("max_hands", (0, -1, 1.5, "auto", True)),
        ("first_dealer", (4, -1, "cut", "first_spade", None, True)),
        ("deal_rotation", ("right", None, 0)),
        ("hand_size", (5,)),
        ("max_bid", (5,)),
    ],
)
def test_bad_values_are_refused(option: str, values: tuple):
    for value in values:
        with pytest.raises(ValueError, match=option):
            eightsenv.make(NAME, **{option: value})


def test_every_combination_of_good_values_can_be_played():
    rng = random.Random(4)
    for seed in range(60):
        given = {
            "num_players": rng.randint(2, 8),
            "ante": rng.choice([1, 100]),
            "voluntary_pass": rng.choice([False, True]),
            "odd_chip": rng.choice(["high_then_left", "fraction"]),
            "max_hands": rng.choice([None, 1, 2]),
            "deal_rotation": rng.choice(["left", "winner", "loser", "random"]),
            "match": True,
        }
        env = fresh(seed, variant=NAME, **given)
        while not env.terminations["agent_0"]:
            env.step(env.action_id(rng.choice(legal(env))))
        assert len(env.ledger()) == (given["max_hands"] or given["num_players"])
        assert all(abs(sum(row["payoffs"])) < 1e-9 for row in env.ledger())


@pytest.mark.parametrize("rotation", ["left", "winner", "loser", "random"])
def test_deal_rotation(rotation: str):
    """AMB-G-3: the dealer's left, the best or worst payoff (of equals the first from the dealer's left), or anybody."""
    drawn: Counter[int] = Counter()
    for seed in range(40):
        env = fresh(seed, variant=NAME, match=True, max_hands=2, deal_rotation=rotation, voluntary_pass=True)
        rng, dealer = random.Random(seed), env.reveal()["dealer"]
        while env.reveal()["hand_number"] == 0:
            env.step(env.action_id(rng.choice(legal(env))))
        paid, following = env.payoffs(), env.reveal()["dealer"]
        order = [(dealer + 1 + k) % 4 for k in range(4)]
        drawn[order.index(following)] += 1
        if rotation == "left":
            assert following == order[0]
        elif rotation != "random":
            wanted = (max if rotation == "winner" else min)(paid)
            assert following == next(seat for seat in order if paid[seat] == wanted)
    assert len(drawn) == {"left": 1, "winner": 4, "loser": 3, "random": 4}[rotation]  # the last in order is never the first to lose


@pytest.mark.parametrize("voluntary", [False, True])
def test_voluntary_pass_adds_an_action_and_nothing_else(voluntary: bool):
    """HL-9: without it a pass is legal only without a card to lay."""
    rng, seen = random.Random(5), set()
    for seed in range(20):
        env = fresh(seed, variant=NAME, voluntary_pass=voluntary)
        while not env.terminations["agent_0"]:
            actions = legal(env)
            seen.add(("pass" in actions, len(actions) > ("pass" in actions)))
            env.step(env.action_id(rng.choice(actions)))
    assert seen == ({(True, True), (True, False)} if voluntary else {(True, False), (False, True)})


def test_training_and_benchmarks_play_the_strategic_game():
    """AMB-HL-1: the literal game leaves nothing to decide."""
    assert engine.resolve(get(NAME), **get(NAME).practice) == engine.resolve(get(NAME), rules="strategic_high_low")
    assert "no choice" in get(NAME).summary and "voluntary_pass=True" in get(NAME).summary


def means(policies: list[str], **options: Any) -> list[float]:
    return eightsenv.rollout(NAME, num_games=20_000, policies=policies, seed=6, **options).payoffs.mean(axis=0).tolist()


@pytest.mark.parametrize("players", [2, 4, 8])
def test_greedy_beats_random_where_decisions_matter(players: int):
    payoffs = means(["greedy", *["random"] * (players - 1)], num_players=players, voluntary_pass=True)
    # With two players only going out wins anything, and few hands can.
    assert payoffs[0] > (0.01 if players == 2 else 0.5) and payoffs[0] > max(payoffs[1:])


def test_forced_play_is_worth_the_same_for_everybody():
    assert max(map(abs, means(["greedy", "random", "random", "random"]))) < 0.1


def test_greedy_weighs_high_against_low():
    """It keeps a hand that counts much, empties one that counts little when the rest is laid, and goes out when it can."""
    from test_high_low_rules import table

    others = ["4C 4D 4H 4S 5C", "5D 5H 5S 6C 6D", "6H 6S 7C 7D 7H"]
    layout = "KD AD 2D 2H 3H 8C 8D 8H"
    for hand, action in (
        ("AC AH AS KC QC", "pass"),
        ("AC KC 2C 2S 3C", "play AC"),
        ("2C 3C 3D KC 9C", "play KC"),
    ):
        env = table([hand, *others], layout, voluntary_pass=True)
        assert env.action_name(int(env.core.choose("greedy")[0])) == action, hand
