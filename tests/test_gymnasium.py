"""The Gymnasium environments: one seat against bots, singly and in batches; registries; variants from outside."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from reference.tables import TABLES

import eightsenv
from eightsenv.adapters import gym, registries, versus
from eightsenv.agents import GreedyAgent
from eightsenv.game import Setting
from eightsenv.variants import get

ROOT = Path(__file__).resolve().parent.parent
CRAZY = "crazy_eights_v0"
IDS = {
    "crazy_eights_v0": "eightsenv/CrazyEights-v0",
    "eights_v0": "eightsenv/Eights-v0",
    "house_eights_v0": "eightsenv/HouseEights-v0",
    "high_low_eights_v0": "eightsenv/HighLowEights-v0",
    "eight_ball_v0": "eightsenv/EightBall-v0",
    "speculation_v0": "eightsenv/Speculation-v0",
}
CRAZY_ID = IDS[CRAZY]
SETTINGS = [
    *((name, {}) for name in eightsenv.variants()),
    *((name, {"match": True, "max_decisions": 150}) for name in eightsenv.variants()),
    *((name, {"reward": "win", "auto_forced": True}) for name in eightsenv.variants()),
    *((name, {**table, "max_decisions": 2 * table["num_players"] + 3}) for name, table in TABLES),
    (CRAZY, {"num_players": 3, "hand_size": 1}),
    (CRAZY, {"num_players": 2, "score_mode": "collect_high_wins", "match": True, "rounds": 2}),
]


def lowest(observations, masks):
    """A deterministic player: the legal action with the lowest number. Asserts that it is asked properly."""
    assert observations.dtype == np.int8 and masks.dtype == np.int8 and masks.any(1).all()
    return masks.argmax(1)


def single(variant=CRAZY, **arguments):
    return gymnasium.make(registries.gymnasium_id(variant), **arguments).unwrapped


def batch(variant=CRAZY, **arguments):
    return gymnasium.make_vec(registries.gymnasium_id(variant), **arguments)


def same(a, b):
    """Two observations are equal byte for byte."""
    return a.keys() == b.keys() and all(a[k].dtype == b[k].dtype and np.array_equal(a[k], b[k]) for k in a)


def python(code: str, *path: Path) -> str:
    """The output of a fresh process that runs ``code``, with warnings as errors; ``path`` is imported from, too."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, *path)))}
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# The checks of Gymnasium


@pytest.mark.parametrize(("variant", "table"), TABLES, ids=str)
def test_check_env(variant, table, capsys):
    check_env(single(variant, **table))
    check_env(single(variant, **table, seat="rotate", opponents=["random"] * (table["num_players"] - 1)))


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_check_env_whatever_was_played_before(variant):
    """Its samples come from a space seeded in the midst of an episode: legal at the first decision of that seed."""
    for seed in range(30):
        env = single(variant, opponents="random")
        env.reset(seed=seed)
        for _ in range(seed % 3):
            if env.step(env.action_space.sample())[2]:
                env.reset()  # a hand may have a single decision
        check_env(env, skip_render_check=True, skip_close_check=True)


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_spaces(variant):
    env, vec = single(variant), batch(variant, num_envs=3)
    assert vec.single_observation_space == env.observation_space and vec.single_action_space == env.action_space
    assert vec.observation_space == batch_space(env.observation_space, 3)
    assert vec.action_space == batch_space(env.action_space, 3)
    assert list(env.observation_space) == ["action_mask", "observation"]  # in the order of Gymnasium's Dict
    observation, _ = env.reset(seed=0)
    many, _ = vec.reset(seed=0)
    aec = eightsenv.make(variant)
    assert env.observation_space == aec.observation_space("agent_0")
    for _ in range(30):
        assert observation in env.observation_space and many in vec.observation_space
        action = vec.action_space.sample()
        assert action in vec.action_space
        many, rewards, terminations, truncations, _ = vec.step(action)
        assert rewards.shape == terminations.shape == truncations.shape == (3,)
        assert terminations.dtype == truncations.dtype == np.bool_


# The same games as elsewhere


class Mirror:
    """What the single environment must show, played in the AEC environment with plain bookkeeping."""

    def __init__(self, variant, learner_of_episode, opponent, **options):
        self.env = eightsenv.make(variant, **options)
        self.learner_of_episode, self.opponent, self.episode, self.skipped = learner_of_episode, opponent, -1, 0

    def reset(self, seed=None):
        while True:
            self.env.reset(seed=seed)
            self.episode, seed = (0 if seed is not None else self.episode + 1), None
            self.learner = f"agent_{self.learner_of_episode(self.episode)}"
            self.due = 0.0
            self._play_on()
            if not self._over():
                return self.env.observe(self.learner)
            self.skipped += 1

    def step(self, action):
        self._step(int(action))
        self._play_on()
        reward, self.due = self.due, 0.0
        return self.env.observe(self.learner), reward, *self._flags(), {}

    def _flags(self):
        return self.env.terminations[self.learner], self.env.truncations[self.learner]

    def _over(self):
        return any(self._flags())

    def _step(self, action):
        self.env.step(action)
        self.due += self.env.rewards[self.learner]

    def _play_on(self):
        while not self._over() and self.env.agent_selection != self.learner:
            observation = self.env.observe(self.env.agent_selection)
            self._step(int(self.opponent(observation["observation"][None], observation["action_mask"][None])[0]))


@pytest.mark.parametrize("seat", [0, 1, "rotate"])
@pytest.mark.parametrize(("variant", "options"), SETTINGS, ids=str)
def test_as_in_the_aec_environment(variant, options, seat):
    """Observations, masks, rewards, ends and truncations, episode after episode, byte for byte."""
    env = single(variant, opponents=lowest, seat=seat, **options)
    n = env.core.num_players
    mirror = Mirror(variant, lambda episode: episode % n if seat == "rotate" else seat, lowest, **options)
    generator = np.random.default_rng(5)
    ended = 0
    for seed in (7, None, None, 8, None):
        observation, info = env.reset(seed=seed)
        assert same(observation, mirror.reset(seed=seed)) and info == {}
        for _ in range(400):
            assert np.array_equal(env.action_masks(), observation["action_mask"])
            assert f"agent_{env.seat}" == mirror.learner
            action = generator.choice(np.flatnonzero(observation["action_mask"]))
            observation, reward, terminated, truncated, info = env.step(action)
            expected = mirror.step(action)
            assert same(observation, expected[0]) and info == {}
            assert type(reward) is float and type(terminated) is type(truncated) is bool
            assert reward == pytest.approx(expected[1], abs=1e-6) and (terminated, truncated) == expected[2:4]
            if terminated or truncated:
                assert not observation["action_mask"].any()
                ended += 1
                break
    assert ended >= 3
    if options.get("hand_size") == 1:
        assert mirror.skipped > 0


@pytest.mark.parametrize(("variant", "options"), SETTINGS, ids=str)
def test_lanes_as_when_played_singly(variant, options):
    """Game k of a batch: nothing of an episode's end is mixed with the next deal. Random opponents have streams of their own."""
    n, seed = 5, 21
    vec = batch(variant, num_envs=n, opponents="random", seat="rotate", **options)
    lanes = []
    for k in range(n):
        env = single(variant, opponents="random", seat="rotate", **options)
        ids = np.array([k], np.uint64)
        env._games = gym._sit_down(get(variant), env.setting, "random", "rotate", ids, autoreset=False)
        lanes.append(env)
    many, infos = vec.reset(seed=seed)
    assert infos == {}
    alone = [env.reset(seed=seed)[0] for env in lanes]
    generator = np.random.default_rng(1)
    ended = 0
    for _ in range(120):
        for k in range(n):
            assert same({key: many[key][k] for key in many}, alone[k])
        assert vec.seat.tolist() == [env.seat for env in lanes]
        actions = (many["action_mask"] * (1 + generator.random(many["action_mask"].shape))).argmax(1)
        many, rewards, terminations, truncations, infos = vec.step(actions)
        done = terminations | truncations
        for k, env in enumerate(lanes):
            alone[k], *results, _ = env.step(actions[k])
            assert results == [rewards[k], terminations[k], truncations[k]]
            if done[k]:
                assert infos["_final_obs"][k] and same(infos["final_obs"][k], alone[k])
                assert not alone[k]["action_mask"].any()
                alone[k] = env.reset()[0]
                ended += 1
        assert np.array_equal(infos.get("_final_obs", np.zeros(n, bool)), done)
        assert bool(infos) == done.any()
    assert ended > 2


def test_infos_as_gymnasium_writes_them():
    """Gymnasium's own batch of one game with the same way of restarting gives the same, infos included."""
    theirs = SyncVectorEnv([lambda: gymnasium.make(CRAZY_ID, opponents="random")], autoreset_mode=AutoresetMode.SAME_STEP)
    ours = batch(num_envs=1, opponents="random")
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    results = [theirs.reset(seed=4), ours.reset(seed=4)]
    ends = 0
    for _ in range(80):
        (a, *b, info), (c, *d, own) = results
        assert same(a, c)
        assert all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(b, d, strict=True))
        assert info.keys() == own.keys()
        if info:
            ends += 1
            assert same(info["final_obs"][0], own["final_obs"][0])
            assert info["final_obs"].dtype == own["final_obs"].dtype == object
            assert info["final_info"] == own["final_info"] == {}
            assert all(info[key].dtype == own[key].dtype == bool and own[key].all() for key in ("_final_obs", "_final_info"))
        actions = ours.action_space.sample()
        results = [theirs.step(actions), ours.step(actions)]
    assert ends > 3
    theirs.close()


def test_gymnasiums_statistics_count_the_episodes():
    vec = RecordEpisodeStatistics(batch(num_envs=8, opponents="random"))
    vec.reset(seed=1)
    totals, lengths, ends = np.zeros(8), np.zeros(8, int), 0
    for _ in range(60):
        _, rewards, terminations, truncations, infos = vec.step(vec.action_space.sample())
        totals += rewards
        lengths += 1
        for k in np.flatnonzero(terminations | truncations):
            assert infos["episode"]["r"][k] == pytest.approx(totals[k]) and infos["episode"]["l"][k] == lengths[k]
            totals[k] = lengths[k] = 0
            ends += 1
    assert ends > 10


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_seeds_are_those_of_make_vec(variant):
    """Game g of reset(seed=s) is game g of make_vec(seed=s): where the learner begins, it sees the untouched deal."""
    vec, plain = batch(variant, num_envs=40), eightsenv.make_vec(variant, num_envs=40, seed=9)
    many, _ = vec.reset(seed=9)
    deal = plain.reset()
    first = deal.seat == 0
    assert 0 < first.sum() < 40
    assert np.array_equal(many["observation"][first], deal.observation[first])
    assert same(vec.reset(seed=9)[0], many)
    assert not same(vec.reset()[0], many)  # the next episodes
    assert not same(vec.reset(seed=10)[0], many)


def test_resets_without_a_seed():
    """The first begins a random seed's episodes, which the environment tells; the others go on. Global generators do not matter."""
    assert not same(single().reset()[0], single().reset()[0])
    for make in (single, lambda: batch(num_envs=2)):
        env, again = make(), make()
        observation, _ = env.reset()
        np.random.seed(3)
        assert same(again.reset(seed=env.np_random_seed)[0], observation)
        np.random.seed(4)
        assert same(env.reset()[0], again.reset()[0])


def test_a_batch_plays_the_same_with_any_number_of_threads():
    one, two = (batch(num_envs=200, num_threads=threads, opponents="random") for threads in (1, 2))
    results = [one.reset(seed=1), two.reset(seed=1)]
    for _ in range(30):
        assert same(results[0][0], results[1][0])
        actions = one.action_space.sample()
        results = [one.step(actions), two.step(actions)]
        assert all(np.array_equal(a, b) for a, b in zip(results[0][1:4], results[1][1:4], strict=True))


def test_what_is_returned_is_the_callers_own():
    vec = batch(num_envs=4)
    kept = vec.reset(seed=0)[0]
    before = copy.deepcopy(kept)
    for _ in range(5):
        vec.step(vec.action_space.sample())
    assert same(kept, before)


# Seats and opponents


def test_the_seat_rotates_and_a_seed_determines_it():
    env, vec = single(seat="rotate", num_players=5), batch(seat="rotate", num_players=5, num_envs=7)
    for seed in (3, 4):
        assert [env.reset(seed=seed) and env.seat, *(env.reset() and env.seat for _ in range(6))] == [0, 1, 2, 3, 4, 0, 1]
        vec.reset(seed=seed)
        expected = np.arange(7)
        for _ in range(40):
            assert np.array_equal(vec.seat, expected % 5)
            _, _, terminations, truncations, _ = vec.step(vec.action_space.sample())
            expected += terminations | truncations
        assert (expected > np.arange(7) + 1).all()
    assert all(single(seat=3).reset(seed=s) for s in range(3))


class Asked:
    """An opponent that notes for which seats it is asked."""

    def __init__(self):
        self.seats, self.seeds, self.checked = set(), [], []

    def act_batch(self, core, rows):
        self.seats |= {(int(core.game_id(i)), int(core.batch.seat[i])) for i in rows}
        return core.choose("greedy", rows)

    def seed(self, seed):
        self.seeds.append(seed)

    def check(self, setting):
        self.checked.append(setting)


def test_opponents_sit_in_order_from_the_learners_left():
    three = [Asked(), Asked(), Asked()]
    env = single(opponents=three, seat=2)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.action_space.sample())
    assert [asked.seats for asked in three] == [{(0, 3)}, {(0, 0)}, {(0, 1)}]
    assert all(asked.checked[0] == env.setting for asked in three)
    assert len({asked.seeds[0] for asked in three}) == 3  # a seed reaches them all, and not the same one
    three = [Asked(), Asked(), Asked()]
    vec = batch(opponents=three, seat="rotate", num_envs=4, hand_size=7)
    vec.reset(seed=0)
    for _ in range(4):  # too few for the first episodes to end
        assert not any(vec.step(vec.action_space.sample())[2])
    for offset, asked in enumerate(three, 1):
        assert asked.seats == {(k, (k + offset) % 4) for k in range(4)}


def test_agents_and_functions_play_like_the_compiled_policies():
    def play(opponents):
        vec = batch(num_envs=20, opponents=opponents)
        trace = [vec.reset(seed=6)[0]]
        for _ in range(6):
            trace.append(vec.step(trace[-1]["action_mask"].argmax(1))[0])
        return trace

    greedy = play("greedy")
    for others in (GreedyAgent(), ["greedy"] * 3, [GreedyAgent(), "greedy", GreedyAgent()]):
        assert all(same(a, b) for a, b in zip(greedy, play(others), strict=True))
    assert not all(same(a, b) for a, b in zip(greedy, play("random"), strict=True))
    assert not all(same(a, b) for a, b in zip(greedy, play(lowest), strict=True))


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        (lambda observations, masks: masks.argmin(1), "not legal"),
        (lambda observations, masks: masks.argmax(1) + 0.5, "one integer for each"),
        (lambda observations, masks: int(masks[0].argmax()), "one integer for each"),
    ],
)
def test_an_opponent_that_plays_wrongly_is_reported(opponent, message):
    with pytest.raises(ValueError, match=message):
        for seed in range(10):
            single(opponents=opponent).reset(seed=seed)


@pytest.mark.parametrize(
    "bad",
    [
        {"opponents": "nobody"},
        {"opponents": ["greedy"]},
        {"opponents": ["greedy"] * 4},
        {"opponents": []},
        {"opponents": 3},
        {"opponents": ["greedy", 3, "greedy"]},
        {"seat": 4},
        {"seat": -1},
        {"seat": "left"},
        {"seat": True},
        {"seat": 1.0},
        {"hand_sise": 3},
        {"num_players": 9},
        {"rules": "nothing"},
        {"reward": "money"},
    ],
    ids=str,
)
def test_bad_arguments_are_refused(bad):
    with pytest.raises(ValueError):
        gymnasium.make(CRAZY_ID, **bad)
    with pytest.raises(ValueError):
        gymnasium.make_vec(CRAZY_ID, num_envs=2, **bad)


def test_bad_arguments_of_one_form_are_refused():
    for num_envs in (0, -1, 2.0, True):
        with pytest.raises(ValueError, match="num_envs"):
            gymnasium.make_vec(CRAZY_ID, num_envs=num_envs)
    with pytest.raises(ValueError, match="num_threads"):
        gymnasium.make_vec(CRAZY_ID, num_envs=2, num_threads=0)
    with pytest.raises(ValueError, match="render_mode"):
        gym.EightsGymEnv(CRAZY, render_mode="picture")
    with pytest.raises(ValueError, match="no variant"):
        gym.EightsGymEnv("bridge_v0")


def test_a_learner_without_decisions_is_reported():
    env = single(num_players=4, first_dealer=3, seat=2, max_decisions=1)
    with pytest.raises(ValueError, match="no decision"):
        env.reset(seed=0)
    assert env._games.skipped_episodes == versus.MOST_SKIPPED + 1


def test_every_option_survives_a_reset():
    env = single(num_players=3, reward="win", hand_size=2, match=True, rounds=2)
    before = env.setting
    env.reset(seed=1)
    env.reset()
    assert env.setting == before and env.core.setting == before
    assert [len(hand) for hand in env.core.reveal(0)["hands"]] != [5, 5, 5]


# Resets, actions and their refusal


def test_scripted_deals():
    deck = ["9C", "TD", "8H"]
    env, vec = single(first_dealer=3), batch(num_envs=2, first_dealer=3)
    env.reset(seed=0, options={"deck": deck, "dealer": 3})
    vec.reset(seed=0, options=[{"deck": deck}, {}])
    assert "9C" in env.core.reveal(0)["hands"][0] and "9C" in vec.core.reveal(0)["hands"][0]
    for bad in ({"deck": ["1C"]}, {"dealer": 9}, {"cards": []}, ["deck"], 3):
        for environment in (env, vec):
            before = environment.core.snapshot(0)
            with pytest.raises(ValueError):
                environment.reset(options=bad)
            assert environment.core.snapshot(0) == before
    for bad in (-1, 2**64):
        with pytest.raises(ValueError):
            env.reset(seed=bad)
    for environment in (env, vec):
        with pytest.raises(TypeError):
            environment.reset(seed="7")
        with pytest.raises(TypeError):
            environment.reset(seed=[1, 2])


def test_what_is_not_legal_is_refused_and_changes_nothing():
    env = single()
    observation, _ = env.reset(seed=5)
    before = env.core.snapshot(0)
    wrong = int(observation["action_mask"].argmin())
    for bad in (wrong, -1, env.core.num_actions, 2**40, np.int64(wrong)):
        with pytest.raises(ValueError, match=r"^action .* is not legal for agent_0; legal are"):
            env.step(bad)
    for bad in (None, 1.0, "draw", True, np.array([1, 2])):
        with pytest.raises(ValueError, match="an action is an int"):
            env.step(bad)
    assert env.core.snapshot(0) == before
    env.step(np.array(observation["action_mask"].argmax()))

    vec = batch(num_envs=3)
    many, _ = vec.reset(seed=5)
    actions = many["action_mask"].argmax(1)
    actions[1] = many["action_mask"][1].argmin()
    with pytest.raises(ValueError, match=r"game 1: action .* is not legal"):
        vec.step(actions)
    with pytest.raises(ValueError, match="array of 3 integers"):
        vec.step(actions[:2])
    with pytest.raises(TypeError):
        vec.step(actions.astype(float))
    assert np.array_equal(vec.action_masks(), many["action_mask"])
    vec.step(many["action_mask"].argmax(1))


def test_before_a_reset_and_after_the_end():
    env, vec = single(render_mode="ansi"), batch(num_envs=2)
    for call in (lambda: env.step(0), env.render, lambda: vec.step([0, 0])):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=1)
    while not any(env.step(env.action_space.sample())[2:4]):
        pass
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)
    env.reset()
    env.step(env.action_space.sample())


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_sampling_draws_legal_actions(variant):
    env, vec = single(variant, opponents="random"), batch(variant, num_envs=6, opponents="random")
    assert env.action_space.sample() in env.action_space and vec.action_space.sample() in vec.action_space

    def play(seed):
        env.action_space.seed(seed)
        vec.action_space.seed(seed)
        env.reset(seed=0)
        vec.reset(seed=0)
        trace = []
        for _ in range(60):
            trace.append(env.action_space.sample())
            if any(env.step(trace[-1])[2:4]):
                env.reset()
            trace += list(vec.action_space.sample())
            vec.step(np.array(trace[-6:]))
        return trace

    assert play(1) == play(1) != play(2)
    env.reset(seed=3)
    env.action_space.seed(4)  # after the reset: legal in the game that is there
    drawn = {int(env.action_space.sample()) for _ in range(400)}
    assert drawn == set(np.flatnonzero(env.action_masks()).tolist())
    mask = np.zeros(env.core.num_actions, np.int8)
    mask[7] = 1
    assert env.action_space.sample(mask) == 7


def test_spaces_can_be_copied_and_sent():
    env, vec = single(), batch(num_envs=2)
    env.reset(seed=0)
    for space in (env.action_space, vec.action_space):
        for other in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
            assert other == space and type(other) in (gymnasium.spaces.Discrete, gymnasium.spaces.MultiDiscrete)
            assert other.sample() in space


# Rendering


def test_rendering_shows_what_the_learner_sees(capsys):
    env = single(render_mode="ansi", seat=1)
    env.reset(seed=2)
    picture = env.render()
    assert "agent_1 (you)" in picture and picture.count("cards\n") + picture.endswith("cards") == 3
    while not any(env.step(env.action_space.sample())[2:4]):
        pass
    assert "(you)" not in env.render() and capsys.readouterr().out == ""
    human = single(render_mode="human", seat=1)
    human.reset(seed=2)
    assert capsys.readouterr().out == picture + "\n"
    assert human.render() is None
    with pytest.raises(ValueError, match="render_mode"):
        single_without = single()
        single_without.reset(seed=0)
        single_without.render()


# Registries


def test_ids():
    for name in eightsenv.variants():
        assert registries.gymnasium_id(name) == IDS[name]
        spec = gymnasium.spec(IDS[name])
        assert spec.kwargs == {"variant": name}
        assert json.loads(spec.to_json())["id"] == IDS[name]
        assert gymnasium.make(spec).unwrapped.setting.variant == name
        for text in (f"eightsenv/{name}", f"eightsenv/{name.replace('_v0', '-v0')}", f"eightsenv/{name.removesuffix('_v0')}"):
            assert pettingzoo.make("aec", text, num_players=3).setting.variant == name
        with pytest.raises(ValueError):
            pettingzoo.make("aec", f"eightsenv/{name}", hand_sise=3)


def test_gymnasium_imports_the_package_that_the_id_names():
    made = f"gymnasium.make('eightsenv:{CRAZY_ID}'), gymnasium.make_vec('eightsenv:{CRAZY_ID}', num_envs=2)"
    assert python(f"import gymnasium; print(*(env.spec.id for env in ({made})))") == f"{CRAZY_ID} {CRAZY_ID}"


def test_pettingzoo_without_a_registry():
    """Its releases before 1.27 have none."""
    code = "import pettingzoo; del pettingzoo.aec_registry, pettingzoo.register; import eightsenv; print(eightsenv.variants()[0])"
    assert python(code) == eightsenv.variants()[0]


def test_importing_twice_registers_once():
    python("import importlib, eightsenv; importlib.reload(eightsenv)")


# Variants from outside


def toy_game(name="toy_variant_v0"):
    """Crazy Eights under another name: its functions are given settings under its own."""
    crazy = get("crazy_eights_v0")

    def known(function):
        def with_known_settings(*args):
            return function(*(dataclasses.replace(a, variant=crazy.name) if isinstance(a, Setting) else a for a in args))

        return with_known_settings

    fields = {field.name: getattr(crazy, field.name) for field in dataclasses.fields(crazy)}
    functions = {key: known(value) for key, value in fields.items() if inspect.isroutine(value)}
    return dataclasses.replace(crazy, name=name, **functions)


@pytest.fixture
def toy():
    """A variant registered from outside, and taken out again."""
    game = toy_game()
    eightsenv.register(game)
    yield game
    del sys.modules["eightsenv.variants"]._GAMES[game.name]
    del gymnasium.registry["eightsenv/ToyVariant-v0"]
    del pettingzoo.aec_registry["eightsenv/toy_variant-v0"]


def test_a_registered_variant_exists_everywhere(toy):
    assert eightsenv.variants()[-1] == toy.name
    env = eightsenv.make(toy.name, num_players=3)
    env.reset(seed=1)
    assert env.metadata["name"] == toy.name
    vec = eightsenv.make_vec(toy.name, num_envs=2)
    vec.reset()
    vec.step(vec.sample())
    assert eightsenv.rollout(toy.name, num_games=5).decisions > 0
    check_env(gymnasium.make("eightsenv/ToyVariant-v0", num_players=3, opponents="random").unwrapped, skip_render_check=True)
    assert gymnasium.make_vec("eightsenv/ToyVariant-v0", num_envs=3).reset(seed=0)[0]["action_mask"].any(1).all()
    assert pettingzoo.make("aec", "eightsenv/toy_variant_v0").game is toy
    with pytest.raises(ValueError, match="toy_variant_v0"):
        eightsenv.make("crazy_eights_v0").restore(env.snapshot())


@pytest.mark.parametrize(
    "name",
    [
        "toy",
        "Toy_v0",
        "toy v0",
        "toy_v00",
        "toy_v1",
        "toy-v0",
        "_toy_v0",
        "toy__eights_v0",
        "8_ball_v0",
        "toy_2_v0",
        "",
        "x" * 40 + "_v0",
        3,
    ],
)
def test_ill_formed_names_are_refused(name):
    before = eightsenv.variants(), set(gymnasium.registry), set(pettingzoo.aec_registry)
    with pytest.raises(ValueError, match="name"):
        eightsenv.register(toy_game(name))
    assert (eightsenv.variants(), set(gymnasium.registry), set(pettingzoo.aec_registry)) == before


def test_a_name_that_is_taken_is_refused(toy):
    for name in (CRAZY, toy.name):
        with pytest.raises(ValueError, match="already"):
            eightsenv.register(toy_game(name))
    assert get(toy.name) is toy


@pytest.mark.parametrize("thing", [None, "crazy_eights_v0", eightsenv.make, eightsenv.Game])
def test_only_games_are_registered(thing):
    with pytest.raises(TypeError, match="Game"):
        eightsenv.register(thing)


@pytest.fixture
def installed(tmp_path):
    """A folder with two installed distributions that bring variants; one of them cannot be imported."""
    for name, code in {
        "toy_plugin": "import dataclasses, inspect, eightsenv\n"
        "from eightsenv.game import Setting\n"
        "from eightsenv.variants import get\n"
        f"{inspect.getsource(toy_game)}\n"
        "eightsenv.register(toy_game())\n",
        "bad_plugin": "raise ImportError('a library is missing')",
    }.items():
        (tmp_path / f"{name}.py").write_text(code)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[eightsenv.variants]\ntoys = {name}\n")
    return tmp_path


@pytest.mark.parametrize("first", ["eightsenv", "toy_plugin"])
def test_installed_variants_are_there_at_once(installed, first):
    """Whichever of the two packages is imported first; one that fails costs a warning and no more."""
    code = f"""
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import {first}
        import eightsenv, gymnasium
        assert [w.category for w in caught] == [RuntimeWarning], caught
        assert "bad_plugin" in str(caught[0].message) and "a library is missing" in str(caught[0].message)
        print(eightsenv.variants()[-1], gymnasium.make("eightsenv/ToyVariant-v0").unwrapped.setting.variant)
    """
    assert python(textwrap.dedent(code), installed) == "toy_variant_v0 toy_variant_v0"
