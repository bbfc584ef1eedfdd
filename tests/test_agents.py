"""Agents for single games and batches, and the checkpoints of learned ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("safetensors")

import safetensors.numpy

import eightsenv
from eightsenv import agents as bots
from eightsenv import engine
from eightsenv.agents import GreedyAgent, PolicyAgent, RandomAgent
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.net import Layout, PolicyNet
from eightsenv.engine import VectorCore
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"


def random_checkpoint(seed=0, hidden=(32,), spread=1.0, **options):
    """A net with random weights for a setting."""
    setting = engine.resolve(get(CRAZY), **options)
    core = VectorCore(get(CRAZY), setting, np.zeros(1, np.uint64))
    layout = Layout(core.num_features, hidden, core.num_actions)
    generator = np.random.default_rng(seed)
    tensors = {
        f"policy.{name}": (spread * generator.standard_normal(shape)).astype(np.float32) for name, shape in layout.shapes().items()
    }
    return Checkpoint(setting, layout, tensors, {"steps": 3})


@pytest.fixture
def path(tmp_path):
    checkpoints.save(tmp_path / "bot.safetensors", random_checkpoint())
    return tmp_path / "bot.safetensors"


def all_agents():
    return [RandomAgent(), GreedyAgent(), PolicyAgent(random_checkpoint()), PolicyAgent(random_checkpoint(), deterministic=False)]


@pytest.mark.parametrize("which", range(4), ids=["random", "greedy", "argmax", "sampled"])
def test_no_agent_ever_plays_an_illegal_action(which):
    """100 000 decisions in a batch: the core refuses any illegal one."""
    agent = all_agents()[which]
    core = VectorCore(get(CRAZY), engine.resolve(get(CRAZY)), np.arange(1_000, dtype=np.uint64), seed=3)
    batch, rows = core.reset(), np.arange(1_000)
    for _ in range(100):
        actions = agent.act_batch(core, rows)
        assert actions.dtype == np.int32 and actions.shape == (1_000,)
        assert batch.action_mask[rows, actions].all()
        core.step(actions)


@pytest.mark.parametrize("which", range(4), ids=["random", "greedy", "argmax", "sampled"])
def test_single_decisions_are_those_of_a_batch(which):
    """An AEC game played by ``act`` equals game 0 of a batch played by ``act_batch``; the log has the same actions."""
    single, batched = all_agents()[which], all_agents()[which]
    env = eightsenv.make(CRAZY, num_players=3 if which < 2 else 4)
    env.reset(seed=5)
    core = VectorCore(get(CRAZY), env.unwrapped.setting, np.zeros(1, np.uint64), seed=5, autoreset=False)
    core.reset()
    while not (core.batch.terminated[0] or core.batch.truncated[0]):
        action = single.act(env)
        assert type(action) is int and env.observe(env.agent_selection)["action_mask"][action] == 1
        assert action == batched.act_batch(core, np.zeros(1, np.int64))[0]
        env.step(action)
        core.step(np.array([action]))
    with pytest.raises(ValueError, match="over"):
        single.act(env)


def test_a_wrapped_environment_is_unwrapped():
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    env = OrderEnforcingWrapper(eightsenv.make(CRAZY))
    env.reset(seed=1)
    assert GreedyAgent().act(env) == GreedyAgent().act(env.unwrapped)


def test_a_policy_sees_its_seat_only():
    """All that its net is given are the observation and the mask of the agent to move; forced decisions need no net."""
    env = eightsenv.make(CRAZY)
    env.reset(seed=2)
    agent = PolicyAgent(random_checkpoint())
    seen = []
    agent.net.choose = lambda observations, masks, generator=None: seen.append((observations, masks)) or masks.argmax(1)
    while not env.terminations[env.agent_selection]:
        shown = env.observe(env.agent_selection)
        action = agent.act(env)
        if shown["action_mask"].sum() > 1:
            observations, masks = seen.pop()
            assert np.array_equal(observations, shown["observation"][None]) and np.array_equal(masks, shown["action_mask"][None])
        assert not seen
        env.step(action)


def test_sampling_is_seeded_and_follows_the_policy():
    """The frequencies of sampled actions are the softmax over the legal ones (chi-square, fixed seed)."""
    from scipy.stats import chisquare

    net = random_checkpoint(spread=0.05).net()
    generator = np.random.default_rng(1)
    observation = generator.integers(0, 2, (1, net.layout.features), np.int8)
    mask = np.zeros((1, net.layout.actions), np.int8)
    mask[0, [3, 20, 52, 57]] = 1
    many = 20_000
    drawn = net.choose(np.repeat(observation, many, 0), np.repeat(mask, many, 0), generator)
    logits = net.logits(observation)[0, mask[0] == 1].astype(float)
    share = np.exp(logits - logits.max())
    counts = np.bincount(drawn, minlength=net.layout.actions)
    assert counts[mask[0] == 0].sum() == 0
    assert chisquare(counts[mask[0] == 1], many * share / share.sum()).pvalue > 1e-3
    agent = PolicyAgent(random_checkpoint(), deterministic=False)
    core = VectorCore(get(CRAZY), agent.setting, np.arange(200, dtype=np.uint64))
    core.reset()
    runs = []
    for seed in (4, 4, 5):
        agent.seed(seed)
        runs.append(agent.act_batch(core, np.arange(200)))
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


def test_extreme_logits_stay_legal():
    net = random_checkpoint(spread=1e3).net()
    generator = np.random.default_rng(0)
    observations = generator.integers(0, 2, (500, net.layout.features), np.int8)
    masks = (generator.random((500, net.layout.actions)) < 0.05).astype(np.int8)
    masks[np.arange(500), generator.integers(0, net.layout.actions, 500)] = 1
    for drawing in (None, generator):
        assert masks[np.arange(500), net.choose(observations, masks, drawing)].all()


# Specs


def test_agents_by_name(path):
    assert isinstance(bots.load("random"), bots.CompiledAgent) and bots.load("greedy").policy == "greedy"
    for spec in str(path), f"ckpt:{path}":
        assert isinstance(bots.load(spec), PolicyAgent)
    for spec in "gredy", "ckpt:", "", "/no/such/file", "ckpt:/no/such/file":
        with pytest.raises(ValueError):
            bots.load(spec)
    with pytest.raises(ValueError, match="num_players=4, not for num_players=2"):
        bots.load(str(path), engine.resolve(get(CRAZY), num_players=2))


# Checkpoints


def test_a_checkpoint_comes_back_as_it_was(path):
    saved, loaded = random_checkpoint(), checkpoints.load(path)
    assert loaded.setting == saved.setting and loaded.layout == saved.layout and loaded.counters == {"steps": 3}
    assert loaded.tensors.keys() == saved.tensors.keys()
    assert all(np.array_equal(loaded.tensors[name], saved.tensors[name]) for name in saved.tensors)


def test_every_truncated_or_damaged_file_is_refused(path):
    data = path.read_bytes()
    bad = path.with_name("bad.safetensors")
    generator = np.random.default_rng(0)
    cut = [0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1]
    for length in [*cut, *generator.integers(0, len(data), 20).tolist()]:
        bad.write_bytes(data[:length])
        with pytest.raises(ValueError, match=r"bad\.safetensors"):
            checkpoints.load(bad)
    for at in [0, 8, 9, *generator.integers(0, len(data), 60).tolist()]:
        changed = bytearray(data)
        changed[at] ^= 1 << int(generator.integers(8))
        bad.write_bytes(changed)
        try:
            loaded = checkpoints.load(bad)
        except ValueError:
            continue
        # A flipped bit of the JSON text that leaves a valid description (a counter, say) cannot be told; tensors always can.
        assert at < 8 + int.from_bytes(data[:8], "little")
        assert all(np.array_equal(loaded.tensors[name], value) for name, value in random_checkpoint().tensors.items())


def rewritten(path, change):
    """The checkpoint with its description changed, as another program might have written it."""
    with safetensors.safe_open(path, framework="numpy") as file:
        about = json.loads(file.metadata()["eightsenv"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    change(about, tensors)
    path.write_bytes(safetensors.numpy.save(tensors, {"eightsenv": json.dumps(about)}))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda about, tensors: about.update(variant="eights_v9"), "no variant"),
        (lambda about, tensors: about.update(version=99), "version 99"),
        (lambda about, tensors: about.update(format=99), "format 99"),
        (lambda about, tensors: about["setting"].update(num_players=2), "inputs"),
        (lambda about, tensors: about["setting"].update(hand_size=99), "hand_size"),
        (lambda about, tensors: about["net"].update(hidden=[31]), "shape"),
        (lambda about, tensors: about["net"].update(activation="exec"), "net"),
        (lambda about, tensors: about.pop("setting"), "damaged"),
        (lambda about, tensors: tensors.pop("policy.0.bias"), "damaged"),
        (lambda about, tensors: tensors.update({"policy.0.bias": np.full(32, np.nan, np.float32)}), "damaged"),
    ],
)
def test_foreign_checkpoints_are_refused(path, change, says):
    rewritten(path, change)
    with pytest.raises(ValueError, match=says):
        checkpoints.load(path)


def test_files_of_other_kinds_are_refused_without_running_them(tmp_path):
    import pickle

    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "executed"),))

    (tmp_path / "evil.pt").write_bytes(pickle.dumps(Evil()))
    (tmp_path / "other.safetensors").write_bytes(safetensors.numpy.save({"x": np.zeros(3)}))
    for name in "evil.pt", "other.safetensors", "missing", ".":
        with pytest.raises(ValueError):
            checkpoints.load(tmp_path / name)
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "options", [{"num_players": 2}, {"match": True}, {"hand_size": 7}, {"score_mode": "collect_high_wins"}], ids=str
)
def test_a_bot_refuses_games_that_it_was_not_trained_for(path, options):
    env = eightsenv.make(CRAZY, **options)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="cannot play this game"):
        PolicyAgent(path).act(env)


def test_a_bot_plays_for_other_rewards(path):
    env = eightsenv.make(CRAZY, reward="win", max_decisions=50)
    env.reset(seed=1)
    env.step(PolicyAgent(path).act(env))


def test_writing_is_atomic(path, monkeypatch):
    """An error at any point of writing leaves the old file and nothing beside it."""
    before = path.read_bytes()
    for name in "fsync", "replace":
        with monkeypatch.context() as patched:
            patched.setattr(os, name, lambda *args: (_ for _ in ()).throw(OSError("disk full")))
            with pytest.raises(OSError, match="disk full"):
                checkpoints.save(path, random_checkpoint(seed=1))
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]
    checkpoints.save(path, random_checkpoint(seed=1))
    assert path.read_bytes() != before


def test_a_policy_is_loaded_and_played_without_torch(path):
    code = (
        "import sys, eightsenv.agents as bots, eightsenv\n"
        f"agent = bots.load({str(path)!r}); env = eightsenv.make('crazy_eights_v0'); env.reset(seed=1); env.step(agent.act(env))\n"
        "assert 'torch' not in sys.modules and 'stable_baselines3' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_a_net_that_does_not_fit_is_refused():
    checkpoint = random_checkpoint()
    net = checkpoint.net()
    assert np.array_equal(
        PolicyNet(net.layout, net.tensors()).logits(np.ones((2, net.layout.features))),
        net.logits(np.ones((2, net.layout.features))),
    )
    with pytest.raises(ValueError, match="missing"):
        PolicyNet(net.layout, {})
