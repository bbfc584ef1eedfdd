"""The Stable-Baselines3 environment: masks, credited rewards, ends of episodes, opponents."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env

import eightsenv
from eightsenv import engine
from eightsenv.adapters.sb3 import EightsVecEnv
from eightsenv.agents import GreedyAgent
from eightsenv.engine import VectorCore
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"


def highest(observations, masks):
    """A deterministic player: the legal action with the highest number. Asserts that it is asked properly."""
    assert observations.dtype == np.int8 and masks.dtype == np.int8 and masks.any(1).all()
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def lowest(observations, masks):
    return masks.argmax(1)


def single_game(setting, seed, game, episodes, learner_of_episode, learner_policy, opponent_policy):
    """The learner's (observation, reward since its last decision) of the episodes of one game, played one decision at a time.

    Written without the environment: a core of one game, plain bookkeeping by seat. Episodes without a decision are left out.
    """
    core = VectorCore(get(setting.variant), setting, np.array([game], np.uint64), seed=seed, autoreset=False)
    row = np.zeros(1, np.int64)
    for episode in range(episodes):
        batch = core.reset()
        learner = learner_of_episode(episode)
        decisions, rewards, due = [], [], 0.0
        while not (batch.terminated[0] or batch.truncated[0]):
            seat = int(batch.seat[0])
            if seat == learner:
                if decisions:
                    rewards.append(due)
                    due = 0.0
                decisions.append(batch.observation[0].copy())
            policy = learner_policy if seat == learner else opponent_policy
            core.step(np.asarray(policy(batch.observation, batch.action_mask), np.int32))
            due += float(batch.reward[0, learner])
        if decisions:
            rewards.append(due)
            end = core.look(row, np.array([learner], np.int8))[0].copy()
            yield {"decisions": decisions, "rewards": rewards, "end": end, "truncated": bool(batch.truncated[0])}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_players": 2, "score_mode": "collect_high_wins"},
        {"num_players": 3, "match": True, "rounds": 3, "score_mode": "collect_high_wins"},
        {"num_players": 3, "hand_size": 1},
        {"num_players": 5, "max_decisions": 17},
        {"num_players": 4, "reward": "win"},
    ],
    ids=["default", "two", "match", "one-card", "truncated", "win"],
)
def test_every_game_is_credited_as_when_played_alone(options):
    """Brute force: observations, rewards, ends and truncations of each game equal those of a single game, decision by decision."""
    setting = engine.resolve(get(CRAZY), **options)
    n, seed, steps = 6, 11, 250
    env = EightsVecEnv(CRAZY, n, opponents=lowest, seed=seed, **options)
    observation = env.reset()
    seen = [[] for _ in range(n)]
    for _ in range(steps):
        for i in range(n):
            seen[i].append([observation[i].copy(), None, None, None])
        observation, rewards, dones, infos = env.step(highest(observation, env.action_masks()))
        for i in range(n):
            seen[i][-1][1] = float(rewards[i])
            if dones[i]:
                seen[i][-1][2] = (infos[i]["terminal_observation"], infos[i]["TimeLimit.truncated"])
                seen[i][-1][3] = infos[i]["episode"]
            else:
                assert infos[i] == {}
    finished = 0
    for i in range(n):
        # Rotating: game i begins with seat i and moves on by one each episode.
        alone = single_game(setting, seed, i, steps, lambda e, i=i: (i + e) % setting.num_players, highest, lowest)
        at = 0
        for episode in alone:
            if at + len(episode["decisions"]) > steps:
                break
            for k, (decision, reward) in enumerate(zip(episode["decisions"], episode["rewards"], strict=True)):
                got = seen[i][at + k]
                assert np.array_equal(got[0], decision)
                assert got[1] == pytest.approx(reward, abs=1e-4)
                last = k == len(episode["decisions"]) - 1
                assert (got[2] is not None) == last
            assert np.array_equal(got[2][0], episode["end"])
            assert got[2][1] == episode["truncated"]
            assert got[3]["r"] == pytest.approx(sum(episode["rewards"]), abs=1e-3)
            assert got[3]["l"] == len(episode["decisions"])
            at += len(episode["decisions"])
            finished += 1
    assert finished > 5
    if options.get("hand_size") == 1:
        assert env.skipped_episodes > 0
    if "max_decisions" in options:
        assert any(end is not None and end[1] for game in seen for _, _, end, _ in game)


def test_masks_belong_to_the_observation_and_nothing_illegal_is_ever_made():
    """The mask equals a slow reading of the observation itself: the rules from the observed hand, table and phase."""
    env = EightsVecEnv(CRAZY, 64, opponents=["greedy", "random", highest], seed=3)
    fields, names = env.core.fields, env.core.actions
    generator = np.random.default_rng(0)
    observation = env.reset()
    for _ in range(150):
        masks = env.action_masks()
        assert masks.shape == (64, env.action_space.n) and masks.dtype == np.int8 and masks.any(1).all()
        assert np.array_equal(np.stack(env.env_method("action_masks")), masks)
        for i in range(64):
            o = observation[i]
            assert o[fields["turn"]][0] == 1  # the learner's own seat is to move
            assert np.array_equal(masks[i], slow_mask(o, fields, names)), i
        observation, *_ = env.step((generator.random(masks.shape) * masks).argmax(1))


def slow_mask(observation, fields, names):
    """Crazy Eights' legal actions (draw up to three) from the texts of cards: independent of the kernels."""
    ranks, suits = "23456789TJQKA", "CDHS"
    top = ranks[int(observation[fields["top_rank"]].argmax())]
    in_force = observation[fields["suit_in_force"]]
    mask = np.zeros(len(names), np.int8)
    if not in_force.any():
        for suit in suits:
            mask[names.index(f"suit {suit}")] = 1
        return mask
    suit = suits[int(in_force.argmax())]
    hand = [r + s for k, (r, s) in enumerate((r, s) for r in ranks for s in suits) if observation[fields["hand"]][k]]
    for card in hand:
        # On an eight the named suit alone decides, but an eight goes on anything.
        if card[0] == "8" or card[1] == suit or (card[0] == top and top != "8"):
            mask[names.index(f"play {card}")] = 1
    if not mask.any():
        more = observation[fields["drawn"]].sum() < 3 and observation[fields["stock_size"]].any()
        mask[names.index("draw" if more else "pass")] = 1
    return mask


def test_illegal_actions_are_refused_and_change_nothing():
    env = EightsVecEnv(CRAZY, 4, seed=5)
    before = env.reset()
    wrong = env.action_masks().argmax(1)
    wrong[2] = env.action_masks()[2].argmin()
    with pytest.raises(ValueError, match=r"game 2: action .* is not legal"):
        env.step(wrong)
    assert np.array_equal(env.core.batch.observation, before)
    env.step(env.action_masks().argmax(1))  # and the games go on


def test_an_opponent_that_plays_illegally_is_reported():
    env = EightsVecEnv(CRAZY, 8, opponents=lambda observations, masks: masks.argmin(1), seed=5)
    with pytest.raises(ValueError, match="not legal"):
        env.reset()


def test_maskable_ppo_finds_the_masks():
    env = EightsVecEnv(CRAZY, 4)
    env.reset()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), env.action_masks())
    assert env.get_attr("render_mode") == [None] * 4
    assert not env.has_attr("no_such_thing")


def test_the_learners_seat_rotates_or_stays():
    env = EightsVecEnv(CRAZY, 8, num_players=4, seed=1)
    observation = env.reset()
    assert env.learner.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    expected = env.learner.copy()
    for _ in range(60):
        observation, _, dones, _ = env.step(highest(observation, env.action_masks()))
        expected[dones] = (expected[dones] + 1) % 4
        assert np.array_equal(env.learner, expected)
    fixed = EightsVecEnv(CRAZY, 8, seat=2)
    observation = fixed.reset()
    for _ in range(60):
        observation, *_ = fixed.step(highest(observation, fixed.action_masks()))
    assert (fixed.learner == 2).all()


def test_opponents_can_be_changed_and_are_drawn_by_weight():
    asked = []

    def note(observations, masks):
        asked.append(len(masks))
        return masks.argmax(1)

    env = EightsVecEnv(CRAZY, 64, opponents="greedy", seed=2)
    observation = env.reset()
    env.set_opponents([note, "greedy"], [0.0, 1.0])
    for _ in range(20):
        observation, *_ = env.step(highest(observation, env.action_masks()))
    assert not asked
    env.set_opponents([note, "greedy"], [1.0, 1.0])
    calls = 0
    for _ in range(20):
        before = len(asked)
        observation, *_ = env.step(highest(observation, env.action_masks()))
        calls = max(calls, len(asked) - before)
    share = np.bincount(env._games.assigned.ravel()) / env._games.assigned.size
    assert abs(share[0] - 0.5) < 0.15
    assert 0 < calls < 60  # one call a sub-step, not one a game
    for bad, weights in ([], None), ("nobody", None), (["greedy"], [0.0]), (["greedy"], [1.0, 1.0]), ([3], None):
        with pytest.raises(ValueError):
            env.set_opponents(bad, weights)
    assert len(env._games.opponents) == 2  # refused changes leave it as it was


def test_the_same_seed_gives_the_same_games():
    def play(seed, reseed=None):
        env = EightsVecEnv(CRAZY, 16, opponents=["greedy", "random"], seed=seed)
        observation = env.reset()
        if reseed is not None:
            for _ in range(10):
                observation, *_ = env.step(highest(observation, env.action_masks()))
            env.seed(reseed)
            observation = env.reset()
        trace = [observation]
        for _ in range(80):
            observation, rewards, dones, _ = env.step(highest(observation, env.action_masks()))
            trace += [observation, rewards, dones]
        return np.concatenate([part.ravel() for part in trace])

    assert np.array_equal(play(7), play(7))
    assert not np.array_equal(play(7), play(8))
    assert np.array_equal(play(7), play(1, reseed=7))


def test_rewards_are_scaled():
    def rewards(scale):
        env = EightsVecEnv(CRAZY, 16, seed=4, reward_scale=scale)
        observation, result = env.reset(), []
        for _ in range(40):
            observation, got, _, _ = env.step(highest(observation, env.action_masks()))
            result.append(got)
        return np.array(result)

    assert rewards(1.0).any()
    assert np.allclose(rewards(0.05), 0.05 * rewards(1.0))


def test_margins_are_own_gains_less_the_mean_of_the_others():
    """With margins every reward differs from the plain one by the others' mean: replayed with the same actions."""

    def play(**options):
        env = EightsVecEnv(CRAZY, 16, seed=4, num_players=3, score_mode="collect_high_wins", **options)
        observation, result = env.reset(), []
        for _ in range(60):
            observation, got, _, _ = env.step(highest(observation, env.action_masks()))
            result.append(got)
        return np.array(result)

    plain = play()
    assert plain.any()
    assert np.allclose(play(margin=True), 1.5 * plain, atol=1e-3)  # zero-sum: the others lose together what one gains


def test_duplicates_compare_with_greedy_play_on_the_same_deal():
    """Greedy play is worth exactly nothing then; other play is its own result less that of a fused greedy rollout of the game."""
    env = EightsVecEnv(CRAZY, 32, opponents="greedy", seed=8, duplicate=True, margin=True)
    env.reset()
    ended = 0
    for _ in range(80):
        _, rewards, dones, _ = env.step(env.core.choose("greedy"))
        assert np.abs(rewards).max() < 1e-4
        ended += dones.sum()
    assert ended > 100

    def first_ends(**options):
        env = EightsVecEnv(CRAZY, 32, opponents=lowest, seed=8, **options)
        observation, total, open_ = env.reset(), np.zeros(32), np.ones(32, bool)
        while open_.any():
            observation, rewards, dones, _ = env.step(highest(observation, env.action_masks()))
            total += rewards * open_
            open_ &= ~dones
        return total

    par = engine.play_out(get(CRAZY), env.setting, np.arange(32, dtype=np.uint64), engine.seat_policies("greedy", 4), seed=8)
    expected = first_ends() - par.payoffs[np.arange(32), np.arange(32) % 4]
    assert np.allclose(first_ends(duplicate=True), expected, atol=1e-3)


def test_greedy_as_the_learner_does_as_well_as_its_opponents():
    """A learner that plays like the opponents must reach their mean payoff: a wrong seat or sign would show."""
    env = EightsVecEnv(CRAZY, 512, opponents="greedy", seed=9)
    env.reset()
    rows, totals = np.arange(512), []
    agent = GreedyAgent()
    for _ in range(150):
        _, _, _, infos = env.step(agent.act_batch(env.core, rows))
        totals += [info["episode"]["r"] for info in infos if info]
    expected = engine.play_out(
        get(CRAZY), env.setting, np.arange(20_000, dtype=np.uint64), engine.seat_policies("greedy", 4), seed=1
    ).payoffs.mean()
    error = np.std(totals) / np.sqrt(len(totals))
    assert len(totals) > 3_000
    assert abs(np.mean(totals) - expected) < 4 * error


@pytest.mark.parametrize(
    "bad",
    [
        {"num_envs": 0},
        {"seat": 4},
        {"seat": "left"},
        {"seat": 1.5},
        {"opponents": "nobody"},
        {"opponents": 3},
        {"num_players": 9},
        {"hand_sise": 3},
        {"seed": -1},
    ],
)
def test_bad_arguments_are_refused(bad):
    with pytest.raises(ValueError):
        EightsVecEnv(CRAZY, **bad)


# The Gymnasium environment


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_check_env_of_the_gymnasium_environment(variant):
    words, version = variant.split("_v")
    env = gymnasium.make(f"eightsenv/{words.title().replace('_', '')}-v{version}", opponents="random", render_mode="ansi")
    check_env(env.unwrapped, skip_render_check=False)


def test_maskable_ppo_learns_in_the_gymnasium_environment(tmp_path):
    env = gymnasium.make("eightsenv/CrazyEights-v0", seat="rotate")
    assert is_masking_supported(env)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0, device="cpu")
    model.learn(64)
    model.save(tmp_path / "model")  # with its action space
    loaded = MaskablePPO.load(tmp_path / "model", device="cpu")
    observation, _ = env.reset(seed=0)
    action, _ = loaded.predict(observation, action_masks=get_action_masks(env), deterministic=True)
    assert observation["action_mask"][action]
    env.step(action)


def test_the_learner_shares_its_policy_with_its_partner():
    """The seats of the learner's side are played by the named opponent, whatever the others draw."""
    asked: list[int] = []

    def partner(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        asked.extend(env.core.batch.seat[env.core.batch.seat != env.learner])
        return masks.argmax(1)

    env = EightsVecEnv("eights_v0", 4, seat=1, num_players=4, partnership=True, seed=3)
    env.set_opponents(["greedy", partner], [1.0, 0.0], partner=1)
    env.reset()
    for _ in range(30):
        env.step(env.action_masks().argmax(1))
    assert (env._games.assigned[:, 3] == 1).all() and (env._games.assigned[:, [0, 2]] == 0).all() and asked
    with pytest.raises(ValueError, match="a place from 0 to 1, not 2"):
        env.set_opponents(["greedy", partner], partner=2)
