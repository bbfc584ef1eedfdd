"""Self-play training: runs, their folders and reports, the pool, training with Stable-Baselines3; trained bots beat greedy.

The native algorithm has its own tests in ``test_ppo.py``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("safetensors")

import torch
from reference.stopping import StopError, stop_after

from eightsenv import engine
from eightsenv.agents import GreedyAgent, PolicyAgent
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.evaluation import evaluate
from eightsenv.agents.net import Layout, PolicyNet
from eightsenv.train import ppo, runs
from eightsenv.train.config import Mixture, SB3Config
from eightsenv.train.pool import opponents
from eightsenv.train.sb3_ppo import ALGORITHM, Training
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"
SMALL = SB3Config(
    n_envs=8, n_steps=16, hidden=(16,), value_hidden=(16,), batch_size=64, n_epochs=2, pool_every=2, checkpoint_every=2, imitate=0
)
ITERATION = SMALL.n_envs * SMALL.n_steps

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def plan(**arguments):
    return runs.plan(CRAZY, **({"algorithm": ALGORITHM} | arguments))


def small_run(out, iterations=4, config=SMALL, **given):
    training = Training(plan(out=out, steps=iterations * ITERATION, config=config, given=given))
    training.run()
    return training


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "run"
    return small_run(out)


# What is learned from


def test_the_buffer_holds_what_was_played(finished):
    """Masks belong to their observations, actions are legal, stored log-probabilities are those of the net that acted."""
    model = finished.model
    training = Training(plan(out=finished.out.parent / "other", steps=ITERATION, config=SMALL))
    weights = {name: value.clone() for name, value in training.model.policy.state_dict().items()}
    training.run()
    buffer = training.model.rollout_buffer
    training.model.policy.load_state_dict(weights)
    # `train` has flattened the buffer, all tensors alike.
    observations = torch.as_tensor(buffer.observations).reshape(-1, buffer.observations.shape[-1])
    masks = buffer.action_masks.reshape(len(observations), -1)
    actions = torch.as_tensor(buffer.actions).long().flatten()
    assert masks[np.arange(len(actions)), actions.numpy()].all()
    hand = finished.env.core.fields["hand"]
    played = actions < 52
    assert observations[:, hand][played, actions[played]].all()  # a card that is played is in the hand observed with it
    with torch.no_grad():
        _, log_prob, _ = training.model.policy.evaluate_actions(observations, actions, action_masks=masks)
        probabilities = training.model.policy.get_distribution(observations, action_masks=masks).distribution.probs.numpy()
    assert np.allclose(log_prob, np.asarray(buffer.log_probs).flatten(), atol=1e-4)
    assert (probabilities[masks == 0] < 1e-12).all()
    assert (masks.sum(1) > 1).any()
    assert model.policy is not training.model.policy


def test_advantages_are_those_of_each_game_alone(tmp_path):
    """GAE from the stored rewards, values and starts, game by game in plain Python."""
    training = Training(plan(out=tmp_path / "run", steps=ITERATION, config=SMALL))
    kept = {}
    original = training.model.train

    def keep():
        buffer = training.model.rollout_buffer
        names = ("rewards", "values", "episode_starts", "advantages", "returns")
        kept.update({name: getattr(buffer, name).copy() for name in names})
        kept["last"] = training.model.policy.predict_values(torch.as_tensor(training.model._last_obs)).detach().numpy().flatten()
        kept["done"] = training.model._last_episode_starts.copy()
        original()

    training.model.train = keep
    training.run()
    gamma, decay = SMALL.gamma, SMALL.gae_lambda
    steps, games = kept["rewards"].shape
    for i in range(games):
        running = 0.0
        for t in reversed(range(steps)):
            ended = kept["done"][i] if t == steps - 1 else kept["episode_starts"][t + 1, i]
            after = kept["last"][i] if t == steps - 1 else kept["values"][t + 1, i]
            going = 0.0 if ended else 1.0
            error = kept["rewards"][t, i] + gamma * after * going - kept["values"][t, i]
            running = error + gamma * decay * going * running
            assert kept["advantages"][t, i] == pytest.approx(running, abs=1e-4)
    assert kept["episode_starts"][1:].any()


def test_the_bot_plays_as_the_trained_policy(finished):
    """The net in NumPy, read from the file, chooses what Stable-Baselines3 chooses."""
    agent = PolicyAgent(finished.out / runs.BOT)
    env = finished.env
    env.set_opponents("random")
    observation = env.reset()
    for _ in range(20):
        masks = env.action_masks()
        expected, _ = finished.model.predict(observation, deterministic=True, action_masks=masks)
        chosen = agent.act_batch(env.core, np.arange(env.num_envs))
        logits = agent.net.logits(observation)
        same = chosen == expected
        gap = np.abs(logits[np.arange(len(chosen)), chosen] - logits[np.arange(len(chosen)), expected])
        assert (same | (gap < 1e-5)).all()
        observation, *_ = env.step(expected)


def test_a_head_start_plays_like_greedy(tmp_path):
    """After imitation alone the net agrees with the greedy policy in nearly all free decisions; the same seed, the same net."""
    config = dataclasses.replace(SMALL, hidden=(64,), imitate=60_000)
    bots = [Training(plan(out=tmp_path / name, steps=1, config=config)).bot() for name in "ab"]
    assert all(np.array_equal(bots[0].tensors[name], bots[1].tensors[name]) for name in bots[0].tensors)
    agent, greedy = PolicyAgent(bots[0]), GreedyAgent()
    core = engine.VectorCore(get(CRAZY), bots[0].setting, np.arange(500, dtype=np.uint64), seed=77)
    batch, rows, same = core.reset(), np.arange(500), []
    for _ in range(60):
        chosen = greedy.act_batch(core, rows)
        free = batch.action_mask.sum(1) > 1
        same += (agent.act_batch(core, rows) == chosen)[free].tolist()
        core.step(chosen)
    assert len(same) > 5_000 and np.mean(same) > 0.9


# The pool


def test_opponents_are_mixed_as_documented():
    layout = Layout(4, (), 3)
    nets = [PolicyNet(layout, {"0.weight": np.zeros((3, 4), np.float32), "0.bias": np.full(3, k, np.float32)}) for k in range(6)]
    mixture = Mixture(greedy=0.2, random=0.1, present=0.3, past=0.4, past_at_once=2)
    listed, weights = opponents(mixture, nets[0], [], np.random.default_rng(0))
    assert listed[:2] == ["greedy", "random"] and len(listed) == 3
    assert weights == pytest.approx([0.2, 0.1, 0.7])
    listed, weights = opponents(mixture, nets[0], nets[1:], np.random.default_rng(0))
    assert len(listed) == 5 and weights == pytest.approx([0.2, 0.1, 0.3, 0.2, 0.2])
    masks = np.array([[0, 1, 0], [1, 0, 1]], np.int8)
    for play in listed[2:]:
        assert masks[[0, 1], play(np.zeros((2, 4), np.int8), masks)].all()


def test_the_pool_grows_and_keeps_what_was(finished):
    """A version every two iterations, each as it was then; nothing in the pool changes afterwards."""
    saved = checkpoints.load(finished.out / runs.CHECKPOINT)
    assert saved.counters == {"steps": 4 * ITERATION, "iterations": 4, "updates": 8, "pool": 1}
    assert len(finished.pool) == 1
    now, then = finished.net().tensors(), finished.pool[0].tensors()
    assert not np.array_equal(now["0.weight"], then["0.weight"])
    assert np.array_equal(saved.tensors["pool.0.0.weight"], then["0.weight"])


# Checkpoints and resuming


def assert_equal_files(one, other):
    a, b = checkpoints.load(one), checkpoints.load(other)
    assert a.counters == b.counters and a.extra == b.extra and a.tensors.keys() == b.tensors.keys()
    for name in a.tensors:
        assert np.array_equal(a.tensors[name], b.tensors[name]), name


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path):
    """Stopped in the middle of an iteration and resumed: counters, pool, optimizer, random states and weights end up equal."""
    small_run(tmp_path / "whole", iterations=9)
    with pytest.raises(StopError):
        Training(plan(out=tmp_path / "cut", steps=9 * ITERATION, config=SMALL)).run(stop_after(5 * ITERATION))
    at = checkpoints.load(tmp_path / "cut" / runs.CHECKPOINT).counters
    assert at["iterations"] == 4 and at["pool"] == 2
    np.random.seed(123)  # whatever else used the global generators
    torch.manual_seed(99)
    resuming = runs.plan(CRAZY, out=tmp_path / "cut", resume=True)
    assert (resuming.steps, resuming.config, resuming.algorithm) == (9 * ITERATION, SMALL, ALGORITHM)
    resumed = Training(resuming)
    assert len(resumed.pool) == 2 and resumed.model.num_timesteps == 4 * ITERATION
    resumed.run()
    assert_equal_files(tmp_path / "whole" / runs.CHECKPOINT, tmp_path / "cut" / runs.CHECKPOINT)
    assert_equal_files(tmp_path / "whole" / runs.BOT, tmp_path / "cut" / runs.BOT)


def test_an_iteration_beyond_the_end_learns_at_the_last_rate(tmp_path):
    """A run is asked for a single decision, and an iteration has a hundred: its rate is no negative one."""
    training = Training(plan(out=tmp_path / "run", steps=1, config=SMALL))
    training.run()
    assert training.iteration == 1
    assert training.model.policy.optimizer.param_groups[0]["lr"] == pytest.approx(0.1 * SMALL.learning_rate)


def test_the_same_seed_trains_the_same_bot(tmp_path):
    a, b = small_run(tmp_path / "a", 2), small_run(tmp_path / "b", 2)
    c = small_run(tmp_path / "c", 2, dataclasses.replace(SMALL, seed=1))
    assert_equal_files(a.out / runs.BOT, b.out / runs.BOT)
    assert not np.array_equal(a.net().tensors()["0.weight"], c.net().tensors()["0.weight"])


def test_a_finished_run_can_be_extended(tmp_path):
    small_run(tmp_path / "run", iterations=2)
    Training(plan(out=tmp_path / "run", resume=True, steps=4 * ITERATION)).run()
    assert checkpoints.load(tmp_path / "run" / runs.CHECKPOINT).counters["iterations"] == 4
    Training(plan(out=tmp_path / "run", resume=True, steps=ITERATION)).run()  # nothing left to do
    assert checkpoints.load(tmp_path / "run" / runs.CHECKPOINT).counters["iterations"] == 4


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"given": {"num_players": 2}}, "num_players=4, not for num_players=2"),
        ({"given": {"hand_size": 7}}, "hand_size"),
        ({"given": {"reward": "win"}}, "reward"),
        ({"given": {"match": True}}, "match"),
        ({"seed": 5}, "seed is 0, not 5"),
        ({"algorithm": "ppo"}, "it is one of sb3-maskable-ppo, not ppo"),
        ({"algorithm": "dqn"}, "there is no training algorithm 'dqn'"),
        ({"resume": False}, "already holds a run"),
        ({"steps": 0}, "steps"),
    ],
)
def test_another_run_is_not_resumed(finished, how, says):
    before = (finished.out / runs.CHECKPOINT).read_bytes()
    with pytest.raises(ValueError, match=says):
        plan(**({"out": finished.out, "resume": True} | how))
    assert (finished.out / runs.CHECKPOINT).read_bytes() == before


def test_the_same_setting_may_be_said_again(finished):
    assert plan(out=finished.out, resume=True, seed=0, given={"num_players": 4, "hand_size": 5}).saved is not None


def test_what_cannot_be_resumed_is_refused(tmp_path, finished):
    with pytest.raises(ValueError, match="no checkpoint"):
        plan(out=tmp_path, resume=True)
    with pytest.raises(ValueError, match="folder"):
        plan(resume=True)
    data = (finished.out / runs.CHECKPOINT).read_bytes()
    (tmp_path / runs.CHECKPOINT).write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="truncated or damaged"):
        plan(out=tmp_path, resume=True)
    (tmp_path / runs.CHECKPOINT).write_bytes((finished.out / runs.BOT).read_bytes())  # a bot has no optimizer
    with pytest.raises(ValueError, match="cannot be resumed"):
        plan(out=tmp_path, resume=True)


def test_a_fresh_run_takes_the_first_free_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runs.plan(CRAZY).out.as_posix() == "runs/crazy_eights_v0-1"
    assert runs.plan(CRAZY).out.as_posix() == "runs/crazy_eights_v0-2"


def test_a_variant_is_trained_as_it_is_practised(tmp_path):
    """Where the defaults leave nothing to decide, other options are taken unless they are given; a preset leaves none open."""
    for given, voluntary in (
        ({}, True),
        ({"ante": 5, "rules": None}, True),
        ({"voluntary_pass": False}, False),
        ({"rules": "strategic_high_low"}, True),
    ):
        made = runs.plan("high_low_eights_v0", out=tmp_path / str(given), given=given)
        assert made.setting.options["voluntary_pass"] is voluntary, given
        assert made.setting.options["ante"] == given.get("ante", 2)
    assert plan(out=tmp_path / "other").setting == engine.resolve(get(CRAZY))


def test_tensorboard_events_are_written(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished.out / "tensorboard"))
    events.Reload()
    assert {"rollout/ep_rew_mean", "self_play/pool", "train/entropy_loss"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("self_play/pool")] == [ITERATION * k for k in range(1, 5)]


def test_the_report_compares_with_the_fixed_bots(finished):
    told = []
    results = runs.report(finished.out, deals=50, progress=lambda done, total: told.append((done, total)))
    assert list(results) == ["greedy", "random"] and told[-1] == (100, 100)
    written = json.loads((finished.out / runs.REPORT).read_text())
    assert written["against_greedy"]["advantage"]["mean"] == results["greedy"].advantage.mean
    assert written["against_random"]["deals"] == 50


@pytest.mark.parametrize("given", [{"num_players": 2, "match": True}, {"reward": "win", "num_players": 3}], ids=str)
def test_other_settings_train_too(tmp_path, given):
    training = small_run(tmp_path / "run", 2, **given)
    assert evaluate([PolicyAgent(training.bot()), GreedyAgent()], training.setting, deals=20).games == 20 * given["num_players"]


# Slow


RUN = """
import json, sys
from pathlib import Path
from eightsenv.train import runs
from eightsenv.train.config import SB3Config
from eightsenv.train.sb3_ppo import Training
config = SB3Config.from_dict(json.loads(sys.argv[2]))
Training(runs.plan("crazy_eights_v0", out=Path(sys.argv[1]), steps=int(sys.argv[3]), config=config,
    algorithm="sb3-maskable-ppo")).run()
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_killed_run_is_resumed(tmp_path):
    """``kill -9`` at three random moments: the checkpoint is whole each time, and the run ends as an uninterrupted one."""
    iterations = 40
    small_run(tmp_path / "whole", iterations)
    out = tmp_path / "killed"
    generator = np.random.default_rng(int(time.time()))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = RUN
    kills = 0
    out.mkdir()
    (out / f".{runs.CHECKPOINT}.x.tmp").write_bytes(b"half")
    for attempt in range(3):
        arguments = [sys.executable, "-c", code, str(out), json.dumps(SMALL.as_dict()), str(iterations * ITERATION)]
        process = subprocess.Popen(arguments, env=environment, stderr=subprocess.DEVNULL)
        before = checkpoints.load(out / runs.CHECKPOINT).counters["iterations"] if attempt else 0
        while process.poll() is None:
            if (out / runs.CHECKPOINT).exists() and checkpoints.load(out / runs.CHECKPOINT).counters["iterations"] > before:
                time.sleep(float(generator.uniform(0, 0.3)))
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
        kills += process.wait() == -signal.SIGKILL
        saved = checkpoints.load(out / runs.CHECKPOINT)
        assert saved.counters["pool"] == (saved.counters["iterations"] - (saved.counters["iterations"] == iterations)) // 2
        code = RUN.replace("steps=int(sys.argv[3]), config=config", "resume=True")
    assert kills >= 1
    Training(plan(out=out, resume=True)).run()
    assert_equal_files(tmp_path / "whole" / runs.CHECKPOINT, out / runs.CHECKPOINT)
    assert not list(out.glob(".*"))  # nothing half-written is left


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("algorithm", "training"), [("ppo", ppo.Training), (ALGORITHM, Training)], ids=["ppo", ALGORITHM])
def test_the_default_training_beats_greedy(tmp_path, algorithm, training):
    """The README's first command, and the same with Stable-Baselines3: the advantage over the bots on duplicate deals, its 95 %
    interval clear of zero."""
    run = training(runs.plan(CRAZY, out=tmp_path / "run", seed=1, algorithm=algorithm))
    run.run()
    results = runs.report(run.out, seed=12345)
    for name in "greedy", "random":
        advantage = results[name].advantage
        assert advantage.mean - advantage.half_width > 0, (name, advantage.text())


TRAININGS = [
    ("eights_v0", {"num_players": 2}, 1),
    ("eights_v0", {"num_players": 4}, 1),
    ("eights_v0", {"partnership": True}, 3),
    ("eight_ball_v0", {"num_players": 4}, 1),
    ("eight_ball_v0", {"num_players": 3}, 1),
    ("eight_ball_v0", {"num_players": 2}, 1),
    ("house_eights_v0", {"num_players": 4}, 1),
    ("house_eights_v0", {"num_players": 2}, 1),
    ("high_low_eights_v0", {}, 1),
    ("speculation_v0", {}, 1),
]
"""Variant, setting, and how many millions of decisions: with partners luck hides for longer what has been learned."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("variant", "given", "millions"), TRAININGS, ids=str)
def test_training_beats_greedy(tmp_path, variant, given, millions):
    """The advantage over greedy, its interval clear of zero, after at most what ``eights train`` plays; partners share a bot."""
    training = ppo.Training(runs.plan(variant, out=tmp_path / "run", steps=millions * 1_000_000, given=given))
    training.run()
    bot = PolicyAgent(training.out / runs.BOT)
    advantage = evaluate([bot, GreedyAgent()], training.setting, deals=30_000, seed=12345).advantage
    assert advantage.mean - advantage.half_width > 0, advantage.text()
