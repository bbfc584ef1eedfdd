"""Native self-play PPO: whose decisions are learned from, their traces and advantages, the nets, checkpoints, several processes."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("safetensors")

import torch
import torch._inductor
from reference.stopping import StopError, stop_after

from eightsenv import engine
from eightsenv.agents import PolicyAgent, RandomAgent
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.evaluation import evaluate
from eightsenv.search import outlook
from eightsenv.train import ppo, runs
from eightsenv.train.config import ALGORITHMS, Mixture, PPOConfig
from eightsenv.train.hardware import Hardware
from eightsenv.train.pool import PRESENT
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"
EVEN = Mixture(greedy=0.25, random=0.25, present=0.25, past=0.25)
SMALL = PPOConfig(
    n_envs=16,
    samples=128,
    batch_size=64,
    hidden=(16,),
    value_hidden=(16,),
    imitate=0,
    foresee=0,
    mixture=EVEN,
    pool_every=2,
    checkpoint_every=3,
)
PLAIN = Hardware(device="cpu", precision="float32")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def training(out, iterations=4, config=SMALL, variant=CRAZY, hardware=PLAIN, **given):
    plan = runs.plan(variant, out=out, steps=iterations * config.samples, config=config, given=given)
    return ppo.Training(plan, hardware)


def small_run(out, iterations=4, **how):
    run = training(out, iterations, **how)
    run.run()
    return run


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("runs") / "run")


# Whose decisions, and what follows them


class Watched:
    """Games played at random, and an account of them in plain Python: one list of decisions for each seat and episode."""

    def __init__(self, variant, config, **given):
        game = get(variant)
        self.setting = engine.resolve(game, auto_forced=True, **given)
        self.games = ppo.Games(self.setting, config, np.arange(config.n_envs, dtype=np.uint64))
        self.generator = np.random.default_rng(3)
        shares = [config.mixture.greedy, config.mixture.random, config.mixture.present, config.mixture.past]
        self.games.begin(5, ["greedy", "random", None, self.first_legal], shares, np.random.default_rng(4))
        # (game, episode, seat) -> {"decisions": [key, ...], "rewards": [[...], ...], "ahead": [...], "over", "cut"}
        self.traces = {}
        self.early = {}  # the same key -> what came before the first decision
        self.order = []  # keys of decisions as they are made
        self.asked = 0
        self.played = {k: 0 for k in range(4)}
        self.original = self.games.core.step
        self.games.core.step = self.step

    def first_legal(self, observations, masks):
        return masks.argmax(1)

    def act(self, observations, masks):
        self.asked += len(observations)
        uniform = self.generator.random(masks.shape) * masks
        return uniform.argmax(1), np.full(len(masks), -1.5, np.float32)

    def ahead(self, i, seat):
        """What greedy play would bring to the seat in game ``i`` until the end of the hand."""
        return float(outlook(self.games.core, np.array([i]))[0] @ self.games.gains[:, seat])

    def step(self, actions):
        games, batch = self.games, self.games.core.batch
        for i in range(len(actions)):
            seat = int(batch.seat[i])
            self.played[int(games.who[i, seat])] += 1
            if games.who[i, seat] == PRESENT:
                key = (i, int(games.episode[i]), seat)
                trace = self.traces.setdefault(key, {"decisions": [], "rewards": [], "ahead": [], "over": False, "cut": False})
                trace["decisions"].append((*key, len(trace["decisions"])))
                trace["ahead"].append(self.ahead(i, seat))
                trace["rewards"].append(self.early.pop(key, []) if not trace["rewards"] else [])
                self.order.append(trace["decisions"][-1])
        result = self.original(actions)
        sides = get(self.setting.variant).sides(self.setting)
        for i in range(len(actions)):
            for seat in range(self.setting.num_players):
                if games.who[i, seat] != PRESENT:
                    continue
                (mine,) = [side for side in sides if seat in side]
                own = np.mean([batch.reward[i, s] for s in mine])
                others = np.mean([batch.reward[i, s] for s in range(self.setting.num_players) if s not in mine])
                key = (i, int(games.episode[i]), seat)
                trace = self.traces.get(key)
                gain = float(own - others) if games.config.margin else float(own)
                (trace["rewards"][-1] if trace else self.early.setdefault(key, [])).append(gain)
                if trace and (batch.terminated[i] or batch.truncated[i]):
                    trace["over"], trace["cut"] = True, bool(batch.truncated[i])
                    trace["ahead"].append(self.ahead(i, seat) if trace["cut"] else 0.0)
        return result


def slow_advantages(trace, values, end_value, gamma, decay):
    """By the definition: the sum of discounted errors, over one seat's decisions in one episode. None: nothing follows yet."""
    rewards = [sum(part) for part in trace["rewards"]]
    known = len(values) if trace["over"] else len(values) - 1
    nexts = [*values[1:], end_value]
    errors = [rewards[k] + gamma * nexts[k] - values[k] for k in range(known)]
    result = [sum((gamma * decay) ** (j - k) * errors[j] for j in range(k, known)) for k in range(known)]
    return result + [None] * (len(values) - known)


CASES = [
    (CRAZY, {"num_players": 3, "hand_size": 3}, {}),
    (CRAZY, {"num_players": 3, "match": True, "max_decisions": 60, "hand_size": 2}, {}),
    (CRAZY, {"max_decisions": 9}, {"margin": False, "duplicate": False}),
    ("eights_v0", {"partnership": True, "hand_size": 3}, {}),
    ("eights_v0", {"partnership": True, "hand_size": 3}, {"margin": False}),
    ("eight_ball_v0", {}, {}),
]


@pytest.mark.parametrize(("variant", "given", "how"), CASES, ids=str)
def test_advantages_run_along_the_decisions_of_each_seat(variant, given, how):
    """Two iterations against an account in plain Python: rewards between decisions, ends, truncation, what is carried over."""
    config = dataclasses.replace(SMALL, gamma=0.9, gae_lambda=0.8, samples=512, batch_size=64, **how)
    watched = Watched(variant, config, **given)
    games, p = watched.games, watched.setting.num_players
    waiting, checked = [], {"over": 0, "cut": 0, "open": 0, "between": 0}
    value_of, end_value = {}, {}
    generator = np.random.default_rng(0)
    for _ in range(2):
        watched.order.clear()
        rollout = games.collect(watched.act)
        keys = waiting + watched.order
        assert len(keys) == rollout.count
        made = rollout.decisions
        values = generator.normal(size=rollout.count).astype(np.float32)
        cut_values = generator.normal(size=len(rollout.cut)).astype(np.float32)
        value_of |= dict(zip(keys, values.tolist(), strict=True))
        end_value |= {keys[i][:3]: float(v) for i, v in zip(rollout.cut.tolist(), cut_values, strict=True)}
        got = dict(zip(keys, ppo.advantages(rollout, values, cut_values, 0.9, 0.8).tolist(), strict=True))
        place = {key: i for i, key in enumerate(keys)}
        for trace_key in {key[:3] for key in keys}:
            trace = watched.traces[trace_key]
            here = [key for key in trace["decisions"] if key in place]
            part = trace | {"rewards": [list(r) for r in trace["rewards"][-len(here) :]]}
            if config.duplicate:
                ahead = trace["ahead"][-len(here) - trace["over"] :]
                for k, (value, next_value) in enumerate(itertools.pairwise(ahead)):
                    part["rewards"][k].append(0.9 * next_value - value)
            end = end_value[trace_key] if trace["cut"] else 0.0
            expected = slow_advantages(part, [value_of[key] for key in here], end, 0.9, 0.8)
            for key, advantage in zip(here, expected, strict=True):
                assert made.open[place[key]] == (advantage is None)
                assert got[key] == pytest.approx(0.0 if advantage is None else advantage, abs=2e-3)
            checked["over"] += trace["over"] and not trace["cut"]
            checked["cut"] += trace["cut"]
            checked["open"] += not trace["over"]
            checked["between"] += sum(bool(sum(map(abs, r))) for r in trace["rewards"][:-1])
        waiting = [key for key in keys if made.open[place[key]]]
        assert (~made.open[: rollout.count]).sum() >= config.samples
    assert checked["open"] and (checked["cut"] if "max_decisions" in given else checked["over"])
    assert checked["between"] or not given.get("match")
    assert p == games.core.num_players


@pytest.mark.parametrize("given", [{"num_players": 3}, {"num_players": 4, "partnership": True}], ids=str)
def test_only_the_present_self_is_learned_from(given):
    """Bots and past versions play, and none of their decisions is learned from; partners share a policy; sides take turns."""
    watched = Watched("eights_v0", SMALL, **given)
    games = watched.games
    seen = []
    for _ in range(3):
        rollout = games.collect(watched.act)
        seen.append(games.who.copy())
        assert rollout.count == (rollout.decisions.action[: rollout.count] >= 0).sum()
    assert watched.asked == watched.played[PRESENT] == sum(len(trace["decisions"]) for trace in watched.traces.values())
    assert all(watched.played.values())
    for side in games.sides:
        assert all((who[:, list(side)] == who[:, side[:1]]).all() for who in seen)
    assert all((who == PRESENT).any(1).all() for who in seen)
    side = (games.first_side + games.episode) % len(games.sides)
    assert all((games.who[i, list(games.sides[k])] == PRESENT).all() for i, k in enumerate(side.tolist()))
    assert len(np.unique(side)) == len(games.sides)


def test_what_is_remembered_of_a_decision_belongs_together(finished):
    """Actions are legal, cards played are in the hand that was seen, log-probabilities are those of the net that acted."""
    run = training(finished.out.parent / "other")
    made = {}
    original = run.learn

    def keep(rollout, generator):
        made["rollout"] = rollout
        with torch.no_grad():
            parts = (rollout.decisions.observation, rollout.decisions.mask, rollout.decisions.action)
            made["log_prob"], _ = run.net.likelihood(*(torch.from_numpy(part[: rollout.count]) for part in parts))
        return original(rollout, generator)

    run.learn = keep
    run.iterate(True)
    rollout, here = made["rollout"], np.arange(made["rollout"].count)
    decisions = rollout.decisions
    actions = decisions.action[here]
    assert decisions.mask[here, actions].all() and (decisions.mask[here].sum(1) > 1).any()
    hand = decisions.observation[here][:, run.games.core.fields["hand"]]
    assert hand[actions < 52, actions[actions < 52]].all()
    assert np.allclose(decisions.log_prob[here], made["log_prob"], atol=1e-5)


# Nets


def test_decisions_are_drawn_from_the_policy(finished):
    """Frequencies agree with probabilities; nothing illegal has any; the bot's plain net in NumPy has the same probabilities."""
    run = finished
    core = engine.VectorCore(get(CRAZY), run.setting, np.arange(256, dtype=np.uint64), seed=3)
    core.reset()
    for _ in range(6):
        core.step(core.sample())
    row, batch = int(core.batch.action_mask.sum(1).argmax()), core.batch
    observation, mask = (np.repeat(part[row : row + 1], 20_000, axis=0) for part in (batch.observation, batch.action_mask))
    run.sampler = torch.Generator().manual_seed(1)
    with torch.no_grad():
        run.acting = run.net.actor.plain()
    actions, log_prob = run.act(observation, mask)
    logits = PolicyAgent(run.out / runs.BOT).net.logits(observation[:1])[0].astype(float)
    expected = np.where(mask[0], np.exp(logits - logits[mask[0] != 0].max()), 0)
    expected /= expected.sum()
    counted = np.bincount(actions, minlength=len(expected)) / len(actions)
    assert (counted[mask[0] == 0] == 0).all()
    assert np.allclose(np.exp(log_prob[:100]), expected[actions[:100]], atol=1e-4)
    assert (np.abs(counted - expected) < 5 * np.sqrt(expected * (1 - expected) / len(actions)) + 1e-9).all()
    assert (counted > 0).sum() > 1


def test_values_stay_what_they_are_in_other_units(finished):
    run = training(finished.out.parent / "units", config=dataclasses.replace(SMALL, value_momentum=0.5))
    seen = torch.from_numpy(np.random.default_rng(0).integers(0, 2, (8, run.layout.features)).astype(np.int8))
    assert run.values(seen) == pytest.approx(run.net.normalised(seen).detach().numpy())
    run._renormalise(torch.tensor([3.0, 5.0]))
    assert (run.net.mean.item(), run.net.spread.item()) == pytest.approx((4.0, 1.0))
    before = run.values(seen)
    run._renormalise(torch.tensor([0.0, 20.0]))
    assert (run.net.mean.item(), run.net.spread.item()) == pytest.approx((7.0, 5.5))
    assert run.values(seen) == pytest.approx(before, rel=1e-4)


def test_probabilities_and_entropies_have_the_gradients_that_torch_would_find():
    """The policy's own backward step, against what automatic differentiation makes of the definition."""
    generator = np.random.default_rng(4)
    logits = torch.from_numpy(generator.normal(0, 3, (50, 12)))
    mask = torch.from_numpy((generator.random((50, 12)) < 0.3).astype(np.int8))
    mask[:, 5] = 1
    mask[::7] = 0
    mask[::7, 2] = 1  # a decision without a choice
    action = torch.multinomial(mask.double(), 1).flatten()
    slopes = [torch.from_numpy(part) for part in generator.normal(size=(2, 50))]

    def defined(x):
        logs = torch.log_softmax(x.masked_fill(mask == 0, -1e9), 1)
        return logs.gather(1, action[:, None]).flatten(), -(logs.exp() * logs).sum(1)

    def ours(x):
        return ppo._Likelihood.apply(ppo.masked(x, mask), action)

    logits.requires_grad_()
    found, wanted = ours(logits), defined(logits)
    gradients = [torch.autograd.grad(values, logits, slopes)[0] for values in (found, wanted)]
    for one, other in zip((*found, gradients[0]), (*wanted, gradients[1]), strict=True):
        torch.testing.assert_close(one, other)


def test_sums_over_ones_learn_what_matrix_products_learn(tmp_path, monkeypatch):
    config = dataclasses.replace(SMALL, central_critic=True, imitate=200, foresee=200)
    nets = []
    for sums in (True, False):
        monkeypatch.setattr(Hardware, "sparse", lambda self, sums=sums: sums)
        nets.append(small_run(tmp_path / str(sums), 1, config=config).net.state_dict())
    for ours, theirs in zip(*(net.values() for net in nets), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-3)


@pytest.mark.parametrize("hidden", [((600,), (16,)), ((16,), (600,)), ((600,), (600,)), ((), ())])
def test_wide_nets_are_multiplied_and_nets_without_hidden_layers_train(tmp_path, hidden):
    run = small_run(tmp_path / "run", 1, config=dataclasses.replace(SMALL, hidden=hidden[0], value_hidden=hidden[1]))
    assert run.net.actor.sparse == run.net.critic.sparse == (hidden == ((), ()))
    assert all(part.isfinite().all() for part in run.net.state_dict().values())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="Torch compiles with a C++ compiler")
def test_a_compiled_loss_learns_what_a_plain_one_learns(tmp_path):
    runs_made = [small_run(tmp_path / str(on), 1, hardware=dataclasses.replace(PLAIN, compiled=on)) for on in (False, True)]
    assert [run.net.actor.sparse for run in runs_made] == [True, False], "Torch does not compile the sums"
    nets = [run.net.state_dict() for run in runs_made]
    for ours, theirs in zip(*(net.values() for net in nets), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-3)


def test_a_central_critic_sees_all_hands_and_the_policy_does_not(tmp_path):
    config = dataclasses.replace(SMALL, central_critic=True)
    run = small_run(tmp_path / "run", 3, config=config, num_players=3, max_decisions=9)
    core = run.games.core
    assert run.net.critic.linear[0].in_features > run.net.actor.linear[0].in_features
    rows, seats = np.array([0, 1, 2]), np.array([2, 0, 1])
    seen = run.games._seen(rows, seats)
    features, state = core.num_features, core.batch.state.shape[1]
    assert np.array_equal(seen[:, :features], core.look(rows, seats))
    assert np.array_equal(seen[:, features : features + state], core.batch.state[:3])
    assert np.array_equal(seen[:, features + state :].argmax(1), seats)
    assert evaluate([PolicyAgent(run.out / runs.BOT), RandomAgent()], run.setting, deals=5).games == 15


def test_schedules_end_where_they_should(tmp_path):
    run = training(tmp_path / "run", config=dataclasses.replace(SMALL, learning_rate=0.01, ent_coef=0.1, ent_coef_end=0.02))
    for done, rate, entropy in ((0.0, 0.01, 0.1), (0.5, 0.0055, 0.06), (1.0, 0.001, 0.02), (1.2, 0.001, 0.02)):
        run._schedule(done)
        assert run.optimizer.param_groups[0]["lr"] == pytest.approx(rate)
        assert run.ent_coef.item() == pytest.approx(entropy)


@pytest.mark.parametrize("given", [{"num_players": 2, "match": True}, {"reward": "win", "num_players": 3}], ids=str)
def test_other_settings_train_too(tmp_path, given):
    run = small_run(tmp_path / "run", 2, hardware=Hardware(device="cpu", precision="bfloat16"), **given)
    assert evaluate([PolicyAgent(run.bot()), RandomAgent()], run.setting, deals=20).games == 20 * given["num_players"]


def test_a_short_training_beats_random(tmp_path):
    """From nothing, without a head start."""
    config = PPOConfig(
        n_envs=512, samples=8192, batch_size=1024, hidden=(64,), value_hidden=(64,), imitate=0, foresee=0, mixture=EVEN
    )
    run = small_run(tmp_path / "run", 20, config=config)
    advantage = evaluate([PolicyAgent(run.bot()), RandomAgent()], run.setting, deals=2_000).advantage
    assert advantage.mean - 2 * advantage.half_width > 0, advantage.text()


# Checkpoints


def assert_equal_files(one, other):
    a, b = checkpoints.load(one), checkpoints.load(other)
    assert a.counters == b.counters and a.extra == b.extra and a.tensors.keys() == b.tensors.keys()
    for name in a.tensors:
        assert np.array_equal(a.tensors[name], b.tensors[name]), name


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path):
    """Stopped and resumed: counters, pool, optimizer, units of values and weights end up equal, bit for bit."""
    config = dataclasses.replace(SMALL, imitate=300, foresee=300)
    small_run(tmp_path / "whole", 10, config=config)
    with pytest.raises(StopError):
        training(tmp_path / "cut", 10, config=config).run(stop_after(8 * config.samples))
    assert checkpoints.load(tmp_path / "cut" / runs.CHECKPOINT).counters == {
        "steps": 768,
        "iterations": 6,
        "updates": 24,
        "pool": 3,
    }
    torch.manual_seed(99)  # whatever else used the global generators
    np.random.seed(123)
    plan = runs.plan(CRAZY, out=tmp_path / "cut", resume=True)
    assert (plan.algorithm, plan.config, plan.steps) == ("ppo", config, 10 * config.samples)
    ppo.Training(plan, PLAIN).run()
    assert_equal_files(tmp_path / "whole" / runs.CHECKPOINT, tmp_path / "cut" / runs.CHECKPOINT)
    assert_equal_files(tmp_path / "whole" / runs.BOT, tmp_path / "cut" / runs.BOT)


def test_another_seed_trains_another_bot(tmp_path, finished):
    same, other = small_run(tmp_path / "a"), small_run(tmp_path / "b", config=dataclasses.replace(SMALL, seed=1))
    assert_equal_files(same.out / runs.CHECKPOINT, finished.out / runs.CHECKPOINT)
    assert not np.array_equal(same.policy().tensors()["0.weight"], other.policy().tensors()["0.weight"])


def test_the_pool_keeps_what_was(finished):
    saved = checkpoints.load(finished.out / runs.CHECKPOINT)
    assert saved.counters == {"steps": 512, "iterations": 4, "updates": 16, "pool": 2}
    first, last = (net.tensors()["0.weight"] for net in finished.pool)
    assert np.array_equal(saved.tensors["pool.0.0.weight"], first) and not np.array_equal(first, last)
    assert np.array_equal(last, finished.policy().tensors()["0.weight"])


def test_a_finished_run_can_be_extended(tmp_path):
    small_run(tmp_path / "run", 2)
    for steps, iterations in ((4 * SMALL.samples, 4), (SMALL.samples, 4)):
        ppo.Training(runs.plan(CRAZY, out=tmp_path / "run", resume=True, steps=steps), PLAIN).run()
        assert checkpoints.load(tmp_path / "run" / runs.CHECKPOINT).counters["iterations"] == iterations


@pytest.mark.parametrize(
    ("variant", "how", "says"),
    [
        ("eights_v0", {}, "it is for crazy_eights_v0, not for eights_v0"),
        (CRAZY, {"given": {"num_players": 3}}, "num_players=4, not for num_players=3"),
        (CRAZY, {"algorithm": "sb3-maskable-ppo"}, "it is one of ppo, not sb3-maskable-ppo"),
        (CRAZY, {"seed": 8}, "its seed is 0, not 8"),
    ],
)
def test_another_run_is_not_resumed(finished, variant, how, says):
    before = (finished.out / runs.CHECKPOINT).read_bytes()
    with pytest.raises(ValueError, match=says):
        runs.plan(variant, out=finished.out, resume=True, **how)
    assert (finished.out / runs.CHECKPOINT).read_bytes() == before


def test_a_checkpoint_that_lacks_something_is_refused(finished, tmp_path):
    saved = checkpoints.load(finished.out / runs.CHECKPOINT)
    for missing in ("net.", "adam.3.", "pool.1."):
        tensors = {name: value for name, value in saved.tensors.items() if not name.startswith(missing)}
        checkpoints.save(tmp_path / runs.CHECKPOINT, dataclasses.replace(saved, tensors=tensors))
        with pytest.raises(ValueError, match=r"lacks what a training needs|missing"):
            ppo.Training(runs.plan(CRAZY, out=tmp_path, resume=True), PLAIN)


def test_bad_parameters_are_refused():
    for how, says in (
        ({"device": "tpu"}, "the device is one of 'auto', 'cpu', 'cuda', not 'tpu'"),
        ({"precision": "float16"}, "the precision is one of"),
        ({"threads": 0}, "num_threads is an int from 1 to"),
        ({"threads": 100_000}, "num_threads is an int from 1 to"),
    ):
        with pytest.raises(ValueError, match=says):
            Hardware(**how)
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="no GPU"):
            Hardware(device="cuda")
        with (
            torch._inductor.config.patch({"cpp.cxx": ("no-such-compiler",)}),
            pytest.raises(ValueError, match=r"needs a C\+\+ compiler"),
        ):
            Hardware(compiled=True)
    with pytest.raises(ValueError, match="multiple of batch_size"):
        PPOConfig(samples=1000, batch_size=300)
    with pytest.raises(ValueError, match="PPOConfig"):
        runs.plan(CRAZY, config=PPOConfig(), algorithm="sb3-maskable-ppo")


def test_tensorboard_events_are_written(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished.out / "tensorboard"))
    events.Reload()
    names = {*ppo.LOSSES, "train/explained_variance", "self_play/gain", "self_play/pool", "time/samples_per_second"}
    assert names <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("self_play/pool")] == [SMALL.samples * k for k in range(1, 5)]


def test_the_benchmark_compares_with_the_net_alone_and_stable_baselines(tmp_path, capsys):
    pytest.importorskip("sb3_contrib")
    from eightsenv.benchmarks import readme
    from eightsenv.benchmarks import training as benchmark

    file, text = tmp_path / "found.json", tmp_path / "README.md"
    assert benchmark.main(["--quick", "--variants", CRAZY, "--json", str(file)]) == 0
    (found,) = json.loads(file.read_text())["results"]
    assert {"native, float32 / net alone, float32", "native, float32 / Stable-Baselines3"} <= set(found["ratios"])
    assert all(value > 0 for value in (*found["ratios"].values(), *found["decisions_per_second"].values()))
    assert "Stable-Baselines3" in capsys.readouterr().out
    text.write_text("<!-- training: begin -->\n\n<!-- training: end -->\n")
    assert readme.main([str(file), "--readme", str(text)]) == 0
    assert f"| {CRAZY} | 16 | float32 |" in text.read_text()
    for bad in (["--json", str(tmp_path / "no" / "file")], ["--json", str(tmp_path)], ["--strength", "--seeds", "0", "-1"]):
        assert benchmark.main(bad) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_benchmark_tells_how_soon_greedy_is_beaten(tmp_path, capsys):
    pytest.importorskip("sb3_contrib")
    from eightsenv.benchmarks import readme
    from eightsenv.benchmarks import training as benchmark

    file, text = tmp_path / "found.json", tmp_path / "README.md"
    assert benchmark.main(["--quick", "--strength", "--seeds", "1", "2", "--variants", CRAZY, "--json", str(file)]) == 0
    found = json.loads(file.read_text())["results"]
    assert [(entry["seed"], entry["algorithm"]) for entry in found] == [(k, name) for k in (1, 2) for name in ALGORITHMS]
    for entry in found:
        seconds = [look["seconds"] for look in entry["path"]]
        assert entry["path"][0]["decisions"] == 0 < seconds[0] and seconds == sorted(seconds), "within the head start, and on"
        reached = [look["advantage"] >= max(entry["margins"]) for look in entry["path"]]
        assert not any(reached[:-1]) and (reached[-1] or entry["path"][-1]["decisions"] >= 1024)
    assert "until greedy is beaten" in capsys.readouterr().out
    text.write_text("<!-- strength: begin -->\n\n<!-- strength: end -->\n")
    assert readme.main([str(file), "--readme", str(text)]) == 0
    assert text.read_text().count("| crazy_eights_v0 |") == len(benchmark.MARGINS[CRAZY])


def test_how_soon_greedy_is_beaten_is_a_median_over_seeds():
    from eightsenv.benchmarks import readme

    def entry(algorithm, seed, *looks):
        path = [{"seconds": seconds, "advantage": advantage} for seconds, advantage in looks]
        return {"variant": CRAZY, "algorithm": algorithm, "seed": seed, "margins": [0.2, 0.5], "path": path}

    results = [
        entry("ppo", 0, (1.0, 0.1), (2.0, 0.3), (3.0, 0.1), (4.0, 0.5)),
        entry("ppo", 1, (1.0, 0.2), (3.0, 0.4), (5.0, 0.6)),
        entry("ppo", 2, (1.5, 0.4), (6.0, 0.5)),
        *(entry("sb3-maskable-ppo", seed, (9.0, 0.1), (15.0 + seed, 0.3)) for seed in range(3)),
    ]
    assert readme.strength_cells(results) == [
        (CRAZY, "+0.2", "1.5 (1.0 … 2.0)", "16.0 (15.0 … 17.0)", "10.7 ×"),
        (CRAZY, "+0.5", "5.0 (4.0 … 6.0)", "never", "∞"),
    ]
    assert readme.strength_cells(results[:3])[0][2:] == ("1.5 (1.0 … 2.0)", "", "")
    never = [entry("ppo", 0, (1.0, 0.1)), entry("sb3-maskable-ppo", 0, (2.0, 0.3))]
    assert readme.strength_cells(never)[0][2:] == ("never", "2.0", ""), "no ratio, and none that flatters"
    for damaged in ([], [entry("ppo", 0)], results):
        with pytest.raises((KeyError, IndexError, ValueError)):
            readme.strength_table({"machine": {}, "results": damaged})


# Processes

RUN = """
import json, sys
from pathlib import Path
import numpy as np
from eightsenv.train import ppo, runs
from eightsenv.train.config import PPOConfig
from eightsenv.train.hardware import Hardware
from eightsenv.train.processes import Processes
out, config, steps = Path(sys.argv[1]), PPOConfig.from_dict(json.loads(sys.argv[2])), int(sys.argv[3])
processes = Processes()
plan = processes.shared(lambda: runs.plan("crazy_eights_v0", out=out, steps=steps, config=config))
run = ppo.Training(plan, Hardware(device="cpu", precision="float32"), processes)
run.run()
np.savez(out / f"rank-{processes.rank}.npz", games=run.games.core.batch.observation, **run.policy().tensors())
processes.leave()
"""


def command(tmp_path, steps, *before, config=SMALL):
    (tmp_path / "run.py").write_text(RUN)
    return [sys.executable, *before, str(tmp_path / "run.py"), str(tmp_path / "out"), json.dumps(config.as_dict()), str(steps)]


ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}


def test_two_processes_train_one_bot(tmp_path):
    """Each plays games of its own; both end with the same weights, which are not those of one process; the first alone writes."""
    config = dataclasses.replace(SMALL, imitate=300, foresee=300)
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    done = subprocess.run(
        command(tmp_path, 8 * config.samples, *torchrun, config=config),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    first, second = (np.load(tmp_path / "out" / f"rank-{rank}.npz") for rank in (0, 1))
    assert all(np.array_equal(first[name], second[name]) for name in first if name != "games")
    assert not np.array_equal(first["games"], second["games"])
    saved = checkpoints.load(tmp_path / "out" / runs.CHECKPOINT)
    assert saved.counters == {"steps": 8 * SMALL.samples, "iterations": 4, "updates": 16, "pool": 2}
    assert np.array_equal(saved.tensors["policy.0.weight"], first["0.weight"])
    alone = small_run(tmp_path / "alone", 4, config=config)
    assert not np.array_equal(alone.policy().tensors()["0.weight"], first["0.weight"])


def test_a_killed_run_is_resumed(tmp_path):
    """``kill -9``: the checkpoint is whole, and the resumed run ends as an uninterrupted one."""
    iterations = 12
    process = subprocess.Popen(command(tmp_path, iterations * SMALL.samples), env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / "out" / runs.CHECKPOINT
    while process.poll() is None and not checkpoint.exists():
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert checkpoints.load(checkpoint).extra["algorithm"] == "ppo"
    ppo.Training(runs.plan(CRAZY, out=tmp_path / "out", resume=True), PLAIN).run()
    small_run(tmp_path / "whole", iterations)
    assert_equal_files(checkpoint, tmp_path / "whole" / runs.CHECKPOINT)
    assert not list((tmp_path / "out").glob(".*"))
