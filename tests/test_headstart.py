"""The head start of training: what is watched, and how well a net plays that has learned from nothing else."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("safetensors")

from eightsenv import engine
from eightsenv.agents import GreedyAgent, PolicyAgent
from eightsenv.agents.evaluation import evaluate
from eightsenv.search import foresee
from eightsenv.train import headstart, ppo, runs
from eightsenv.train.config import PPOConfig
from eightsenv.train.hardware import Hardware
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"
PLAIN = Hardware(device="cpu", precision="float32")


def begun(out, variant=CRAZY, given=None, **parameters) -> ppo.Training:
    """A training that has had its head start, and nothing more."""
    config = PPOConfig(n_envs=16, samples=128, batch_size=64, hidden=(64,), value_hidden=(16,), **parameters)
    plan = runs.plan(variant, out=out, steps=128, config=config, given=given)
    return ppo.Training(plan, PLAIN)


def test_what_is_watched_belongs_together():
    """Decisions of all games by turns: what is seen, the choice of greedy, and what each action is worth there, by any threads."""
    setting, ids = engine.resolve(get(CRAZY), auto_forced=True), np.arange(8, dtype=np.uint64)
    core, twin = (engine.VectorCore(get(CRAZY), setting, ids, seed=5, num_threads=threads) for threads in (3, 1))
    core.reset()
    twin.reset()
    seen = headstart.watch(core, 30, np.random.default_rng(0), foreseeing=True)
    assert [len(part) for part in dataclasses.astuple(seen)] == [32] * 4, "of each game as many"
    generator, strayed = np.random.default_rng(0), 0
    for begin in range(0, 32, 8):
        here, greedy = slice(begin, begin + 8), twin.choose("greedy")
        assert np.array_equal(seen.observation[here], twin.batch.observation)
        assert np.array_equal(seen.mask[here], twin.batch.action_mask)
        assert np.array_equal(seen.action[here], greedy)
        assert np.array_equal(seen.worth[here], foresee(twin, np.arange(8)))
        astray = generator.random(8) < headstart.STRAYING
        strayed += astray.sum()
        twin.step(np.where(astray, twin.sample(), greedy))
    assert strayed and headstart.watch(core, 8, generator).worth is None


@pytest.mark.parametrize(("variant", "players"), [(CRAZY, 4), ("eight_ball_v0", 2)])
def test_foresight_alone_beats_greedy(tmp_path, variant, players):
    """Without any self-play, and for certain; and it beats imitation alone."""
    parameters = {"imitate": 100_000, "foresee": 300_000}
    bot = PolicyAgent(begun(tmp_path / "run", variant, {"num_players": players}, **parameters).bot())
    found = evaluate([bot, GreedyAgent()], bot.setting, deals=5_000).advantage
    assert found.mean > found.half_width, found.text()
    copy = PolicyAgent(begun(tmp_path / "copy", variant, {"num_players": players}, **(parameters | {"foresee": 0})).bot())
    found = evaluate([bot, copy], bot.setting, deals=5_000).advantage
    assert found.mean > found.half_width, found.text()


def test_the_same_seed_gives_the_same_head_start(tmp_path):
    nets = [begun(tmp_path / str(k), imitate=500, foresee=500, seed=seed).policy().tensors() for k, seed in enumerate([1, 1, 2])]
    assert all(np.array_equal(nets[0][name], nets[1][name]) for name in nets[0])
    assert not np.array_equal(nets[0]["0.weight"], nets[2]["0.weight"])


def test_whoever_looks_on_changes_nothing(tmp_path):
    seen = []
    config = PPOConfig(n_envs=16, samples=128, batch_size=64, hidden=(16,), value_hidden=(16,), imitate=40_000, foresee=33_000)
    plans = [runs.plan(CRAZY, out=tmp_path / name, steps=128, config=config) for name in ("watched", "alone")]
    watched = ppo.Training(plans[0], PLAIN, told=lambda training: seen.append(training.bot().tensors["policy.0.bias"].copy()))
    assert len(seen) == 4 and not any(np.array_equal(*pair) for pair in itertools.pairwise(seen)), "two lessons of each part"
    alone = ppo.Training(plans[1], PLAIN).bot().tensors
    assert all(np.array_equal(part, alone[name]) for name, part in watched.bot().tensors.items())


def test_a_setting_in_which_nothing_is_to_be_decided(tmp_path):
    """No action is worth more than another: units of worth are no division by zero."""
    run = begun(tmp_path / "run", "high_low_eights_v0", {"voluntary_pass": False}, imitate=300, foresee=300)
    assert all(np.isfinite(part).all() for part in run.policy().tensors().values())
