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
from eightsenv import testing

ROOT = Path(__file__).resolve().parent.parent
NAME = "crazy_eights_v0"


@pytest.mark.parametrize(
    ("settings", "games", "steps"), [(2, 2, 40), pytest.param(4, 4, 80, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_plain_python_gives_the_same_bytes(settings: int, games: int, steps: int):
    """The same source without the compiler, integer overflow being an error: states, masks, observations, rewards."""
    sizes = [settings, games, steps]
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    script = ROOT / "tests" / "reference" / "trace.py"
    command = [sys.executable, str(script), *map(str, sizes)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=1400, check=False)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    compiled = trace.fingerprints(*sizes)
    assert list(plain) == list(compiled)
    for name in compiled:
        assert plain[name] == compiled[name], name
        assert len(set(compiled[name])) == len(compiled[name]), "different games differ"


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_doors_threads_and_sizes_of_batches_agree(variant: str):
    testing.check_agreement(variant, settings=4)


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


def test_threads_share_large_batches():
    """Steps and random choices of thousands of games by two threads are those of one."""
    one, two = (eightsenv.make_vec("crazy_eights_v0", num_envs=10_000, seed=4, num_threads=threads) for threads in (1, 2))
    one.reset()
    two.reset()
    for _ in range(6):
        actions = one.sample()
        np.testing.assert_array_equal(actions, two.sample())
        a, b = one.step(actions), two.step(actions)
        for name in ("seat", "observation", "action_mask", "reward", "terminated"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
