"""The battery itself: it passes what fulfils the contract, notices what does not, and one small room opens every door."""

from __future__ import annotations

import importlib
import io
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from reference.toy import HIGH_CARD

import eightsenv
from eightsenv import agents, cli, engine, testing
from eightsenv.agents.evaluation import evaluate
from eightsenv.variants import get

ROOT = Path(__file__).resolve().parent.parent
TOY = HIGH_CARD.name


@pytest.fixture
def toy():
    """The toy variant, registered by the public hook for one test."""
    eightsenv.register(HIGH_CARD)
    yield TOY
    del importlib.import_module("eightsenv.variants")._GAMES[TOY]


# What it passes, and what it notices


def test_a_variant_from_outside_passes_the_whole_battery(toy):
    testing.check_variant(toy, settings=3)


def test_fixed_arguments_reach_every_setting(toy):
    testing.check_games(toy, settings=2, num_players=2, fold=True)
    with pytest.raises(AssertionError, match="no setting of high_card_v0 was found"):
        testing.check_games(toy, settings=1, hand_size=1, num_players=4)


NOTICED = {
    "two actions with one text": "same text",
    "a section that nobody writes": "observe of .* writes 110 features and its sections have 112",
    "another version": "version 1",
    "no default": "defaults",
    "a sample that is refused": "hand_size=99",
    "an impossible preset": "'huge'",
    "features by reward": "a table depends on .*reward",
    "sides that share a seat": "partition",
    "no phase": "seat 0 is to move",
    "a card twice": "too many of",
    "rewards that are not the payoffs": "the rewards add up to",
    "the dealer wins": "win with payoffs",
    "two seats to move": "one-hot section 'turn'",
    "a hole in a thermometer": "thermometer 'score_",
    "an empty mask": "a mask is empty",
    "endless": "the game goes on",
    "legal by mood": "not legal|is not refused|changed",
    "chance from outside": "other|differently|different",
    "chance from a global generator": "seed|global|legal",
    "memory outside the state": "differently|legal|another",
    "the next hand is seen": "different observation in extra",
    "the top of the stock is seen": "different observation in extra",
    "a policy that peeks": "different greedy action",
    "a view of everything": "no two different games look alike",
    "actions unchecked": "is not refused",
    "nothing is forced": "another position than the plain game",
}


def test_what_breaks_the_contract_is_noticed():
    """Each of these variants breaks it in one place, and the sentence names what."""
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    script = ROOT / "tests" / "reference" / "broken.py"
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=1400, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.keys() == NOTICED.keys()
    for what, pattern in NOTICED.items():
        assert said[what] is not None, f"{what} passes"
        assert re.search(pattern, said[what]), (what, said[what])


def test_it_needs_no_test_framework():
    code = "import sys, eightsenv.testing; print(sorted({'pytest', 'hypothesis', 'torch'} & set(sys.modules)))"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout == "[]\n"


# Random settings


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_random_settings_are_valid_varied_and_seeded(variant):
    """Each is complete and accepted, the same generator gives the same ones, and most samples of most options occur."""
    game = get(variant)
    drawn = [testing.random_setting(random.Random(seed), variant) for seed in range(150)]
    assert drawn[:9] == [testing.random_setting(random.Random(seed), variant) for seed in range(9)]
    for setting in drawn:
        assert engine.resolve(game, **setting).as_dict() == setting
    assert {setting["num_players"] for setting in drawn} >= {game.players[0], game.default_players}
    for name in ("match", "reward", "auto_forced"):
        assert len({setting[name] for setting in drawn}) == 2
    for option in game.options:
        values = {repr(setting[option.name]) for setting in drawn if option.name in setting}
        assert len(values) >= min(2, len(option.check.samples(game.default_players))), f"{option.name} is always {values}"


def test_fixed_options_stay_and_others_give_way():
    for seed in range(20):
        setting = testing.random_setting(random.Random(seed), "crazy_eights_v0", play_after_draw="none", num_players=3)
        assert (setting["play_after_draw"], setting["draw_limit"], setting["num_players"]) == ("none", 1, 3)
    with pytest.raises(ValueError, match="no setting of crazy_eights_v0 was found"):
        testing.random_setting(random.Random(0), "crazy_eights_v0", hand_size=99)
    with pytest.raises(ValueError, match="no option 'hand_sise'"):
        testing.random_setting(random.Random(0), "crazy_eights_v0", hand_sise=5)


# One room, all doors


def test_the_toy_through_every_door(toy, capsys):
    """AEC, batch, rollout, Gymnasium, command line: what is registered is everywhere."""
    assert toy in eightsenv.variants()
    env = eightsenv.make(toy, num_players=3, rules="cautious")
    env.reset(seed=1)
    env.step(env.action_id("FOLD"))
    assert env.log()[-1].endswith("fold")
    vec = eightsenv.make_vec(toy, num_envs=7, match=True, state=True)
    vec.reset()
    vec.step(vec.choose("greedy"))
    result = eightsenv.rollout(toy, num_games=500, policies=["greedy", "random"], num_players=2)
    assert result.payoffs[:, 0].sum() > 0 and np.allclose(result.payoffs.sum(axis=1), 0)
    single = gymnasium.make("eightsenv/HighCard-v0", opponents="random", num_players=2)
    observation, _ = single.reset(seed=1)
    _, _, terminated, truncated, _ = single.step(int(observation["action_mask"].argmax()))
    assert terminated and not truncated
    many = gymnasium.make_vec("eightsenv/HighCard-v0", num_envs=4)
    many.reset(seed=1)
    many.step(many.action_space.sample())
    assert cli.main(["variants"]) == 0 and toy in capsys.readouterr().out
    assert cli.main(["rules", toy]) == 0
    sheet = capsys.readouterr().out
    for text in ("High Card", "hand_size", "TOY-2", "play 2C", "best"):
        assert text in sheet


def test_bots_play_the_toy_on_duplicate_deals(toy):
    setting = engine.resolve(get(toy), num_players=3)
    result = evaluate([agents.GreedyAgent(), agents.RandomAgent()], setting, deals=400)
    assert result.advantage.mean > result.advantage.half_width > 0


def test_the_toy_through_the_training_door(toy):
    pytest.importorskip("sb3_contrib")
    from eightsenv.adapters.sb3 import EightsVecEnv

    vec = EightsVecEnv(toy, 8, opponents="random", seed=1, match=True)
    observation = vec.reset()
    assert observation.shape == (8, vec.core.num_features)
    for _ in range(10):
        masks = vec.action_masks()
        observation, rewards, dones, _ = vec.step(masks.argmax(axis=1))
        assert observation.shape[0] == rewards.shape[0] == dones.shape[0] == 8


def test_the_toy_in_the_terminal(toy, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\n1\n1\n1\n"))
    assert cli.main(["play", toy, "--match", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert "greedy: play" in out and out.count("totals: ") == 3
