"""Every door to the same games agrees byte for byte: AEC, batches of any size and thread count, rollouts, plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference import trace

import eightsenv

ROOT = Path(__file__).resolve().parent.parent
NAME = "crazy_eights_v0"
settings = pytest.mark.parametrize("options", trace.SETTINGS.values(), ids=trace.SETTINGS.keys())


def test_plain_python_gives_the_same_bytes():
    """The same source without the compiler, integer overflow being an error: states, masks, observations, rewards."""
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    script = ROOT / "tests" / "reference" / "trace.py"
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    compiled = trace.fingerprints()
    assert list(plain) == list(compiled)
    for name in compiled:
        assert plain[name] == compiled[name], name
        assert len(set(compiled[name])) == len(compiled[name]), "different games differ"


@settings
def test_threads_and_batch_sizes_do_not_matter(options: dict):
    one = trace.by_game(options, 260, 50)
    assert len(set(one)) == 260
    assert trace.by_game(options, 260, 50, num_threads=2) == one
    assert trace.by_game(options, 260, 50, num_threads=4) == one
    for size in (1, 7, 64, 129):
        assert trace.by_game(options, size, 50, num_threads=2) == one[:size]
    assert trace.by_game(options, 7, 50, seed=12) != one[:7]


@settings
@pytest.mark.parametrize("make", [eightsenv.crazy_eights_v0.env, eightsenv.crazy_eights_v0.raw_env])
def test_the_aec_environment_is_game_0(options: dict, make):
    """AEC ``reset(seed=s)`` is game 0, episode 0 of ``make_vec(seed=s)``, an unseeded reset the next episode."""
    vec = eightsenv.make_vec(NAME, num_envs=3, seed=5, state=True, **options)
    env = make(**options).unwrapped
    batch = vec.reset()
    env.reset(seed=5)
    episodes = 0
    for _ in range(400):
        agent = f"agent_{batch.seat[0]}"
        assert env.agent_selection == agent
        seen = env.observe(agent)
        assert seen["observation"].tobytes() == batch.observation[0].tobytes()
        assert seen["action_mask"].tobytes() == batch.action_mask[0].tobytes()
        assert env.state().tobytes() == batch.state[0].tobytes()
        assert env.reveal() == vec.reveal(0)
        actions = vec.sample()
        batch = vec.step(actions)
        env.step(int(actions[0]))
        assert np.array([env.rewards[a] for a in env.possible_agents], np.float32).tobytes() == batch.reward[0].tobytes()
        assert env.terminations[agent] == batch.terminated[0] and env.truncations[agent] == batch.truncated[0]
        if batch.terminated[0] or batch.truncated[0]:
            last = env.observe(f"agent_{batch.final_seat[0]}")["observation"]
            assert last.tobytes() == batch.final_observation[0].tobytes()
            episodes += 1
            env.reset()
    assert episodes > 1


def first_episodes(options: dict, games: int, policies: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Episode totals, lengths (without auto_forced) and truncations of the first episode of each game of a batch."""
    vec = eightsenv.make_vec(NAME, num_envs=games, seed=3, **options)
    batch = vec.reset()
    totals = np.zeros((games, vec.num_players))
    steps, truncated, live = np.zeros(games, int), np.zeros(games, bool), np.ones(games, bool)
    by_seat = np.array([policy == "greedy" for policy in policies])
    while live.any():
        actions = vec.sample()
        if by_seat.any():
            actions = np.where(by_seat[batch.seat], vec.choose("greedy"), actions)
        batch = vec.step(actions)
        totals[live] += batch.reward[live]
        steps += live
        truncated |= live & batch.truncated
        live &= ~(batch.terminated | batch.truncated)
    return totals, steps, truncated


@settings
@pytest.mark.parametrize("policy", ["random", "greedy", "mixed"])
def test_rollouts_are_the_same_games(options: dict, policy: str):
    """Payoffs, lengths and truncations of a rollout are those of a batch whose actions are sampled and chosen."""
    n = options.get("num_players", 4)
    policies = [("greedy", "random")[k % 2] for k in range(n)] if policy == "mixed" else [policy] * n
    games = 150
    totals, steps, truncated = first_episodes(options, games, policies)
    result = eightsenv.rollout(NAME, num_games=games, seed=3, policies=policies if policy == "mixed" else policy, **options)
    assert result.payoffs.dtype == np.float32 and result.lengths.dtype == np.int32 and result.truncated.dtype == np.bool_
    np.testing.assert_allclose(result.payoffs, totals, atol=1e-4)
    assert np.array_equal(result.truncated, truncated)
    if options.get("auto_forced"):
        assert np.all(result.lengths >= steps)
    else:
        assert np.array_equal(result.lengths, steps)
    assert result.decisions == result.lengths.sum()
    for threads in (2, 3):
        again = eightsenv.rollout(NAME, num_games=games, seed=3, policies=policies, num_threads=threads, **options)
        assert again.payoffs.tobytes() == result.payoffs.tobytes() and again.decisions == result.decisions
        assert np.array_equal(again.lengths, result.lengths) and np.array_equal(again.truncated, result.truncated)


def test_a_script_for_each_game_or_one_for_all():
    scripts = [{"deck": [card], "dealer": k % 4} for k, card in enumerate(["2C", "3D", "4H", "5S"])]
    vec = eightsenv.make_vec(NAME, num_envs=4, seed=1)
    vec.reset(options=scripts)
    for k, script in enumerate(scripts):
        env = eightsenv.make(NAME).unwrapped
        vec_game = vec.reveal(k)
        assert vec_game["dealer"] == k and script["deck"][0] in vec_game["hands"][(k + 1) % 4]
        if k == 0:
            env.reset(seed=1, options=script)
            assert env.reveal() == vec_game
    vec.reset(options=scripts[2])
    assert all(vec.reveal(k)["dealer"] == 2 and "4H" in vec.reveal(k)["hands"][3] for k in range(4))
    with pytest.raises(ValueError, match="each of the 4"):
        vec.reset(options=scripts[:3])


def test_resetting_again_and_episodes():
    """``reset(seed)`` begins episode 0 anew; an unseeded reset goes on; the first unseeded one is episode 0 of the seed."""
    vec = eightsenv.make_vec(NAME, num_envs=5, seed=9)
    vec.reset()
    first = [vec.reveal(i) for i in range(5)]
    vec.reset()
    second = [vec.reveal(i) for i in range(5)]
    assert first != second
    vec.reset(seed=9)
    assert [vec.reveal(i) for i in range(5)] == first
    vec.reset()
    assert [vec.reveal(i) for i in range(5)] == second
    vec.reset(seed=10)
    assert [vec.reveal(i) for i in range(5)] != first
    assert vec.metadata["autoreset_mode"] == "same_step"


def test_what_forced_actions_score_before_the_first_decision_is_paid():
    """``auto_forced`` may end a hand before anybody decides anything: env, batch and rollout pay it all the same."""
    options = {"num_players": 2, "hand_size": 1, "match": True, "auto_forced": True}
    games = 50
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=games, seed=3, **options)
    vec.reset()
    begun_late = sum(vec.reveal(i)["hand_number"] > 0 for i in range(games))
    assert begun_late > 0
    totals, done = np.zeros((games, 2)), np.zeros(games, bool)
    while not done.all():
        batch = vec.step(vec.sample())
        totals[~done] += batch.reward[~done]
        done |= batch.terminated | batch.truncated
    np.testing.assert_allclose(totals, eightsenv.rollout("crazy_eights_v0", num_games=games, seed=3, **options).payoffs)
    for seed in range(20):
        env = eightsenv.make("crazy_eights_v0", **options)
        env.reset(seed=seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            paid[agent] += reward
            env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
        assert [-total for total in paid.values()] == env.unwrapped.reveal()["scores"]
