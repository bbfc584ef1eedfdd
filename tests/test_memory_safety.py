"""Compiled code checks no bounds, so nothing illegal may reach it: bad actions raise, name their game, and change nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eightsenv

ROOT = Path(__file__).resolve().parent.parent
NAME = "crazy_eights_v0"
N = 150


def playing(num_threads: int = 1, steps: int = 7, **options):
    vec = eightsenv.make_vec(NAME, num_envs=N, seed=2, num_threads=num_threads, **options)
    vec.reset()
    for _ in range(steps):
        vec.step(vec.sample())
    return vec


def everything(vec) -> list[bytes]:
    b = vec.batch
    arrays = [b.seat, b.observation, b.action_mask, b.reward, b.terminated, b.truncated, b.final_observation, b.final_seat]
    return [*(vec.snapshot(i) for i in range(vec.num_envs)), *(array.tobytes() for array in arrays)]


def illegal_id(vec, i: int) -> int:
    return int(np.flatnonzero(vec.batch.action_mask[i] == 0)[i % 5])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("game", [0, 70, N - 1])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_one_wrong_action_stops_the_whole_step(threads: int, game: int, dtype):
    vec = playing(threads)
    actions = vec.sample().astype(dtype)
    actions[game] = illegal_id(vec, game)
    before = everything(vec)
    with pytest.raises(ValueError, match=f"^game {game}: action .* is not legal for agent_"):
        vec.step(actions)
    assert everything(vec) == before


@pytest.mark.parametrize("bad", [-1, -2, 58, 63, 64, 127, 128, 10**6, 2**31, 2**32, 2**32 + 1, 2**40, -(2**40), 2**62, -(2**63)])
def test_actions_far_out_of_range(bad: int):
    vec = playing()
    actions = vec.sample().astype(np.int64)
    actions[33] = bad
    before = everything(vec)
    with pytest.raises(ValueError, match=r"^game 33: action"):
        vec.step(actions)
    with pytest.raises(ValueError, match=r"^game 33: action"):
        vec.step(actions.tolist())
    assert everything(vec) == before


def test_unsigned_actions_beyond_int64():
    vec = playing()
    actions = vec.sample().astype(np.uint64)
    before = everything(vec)
    actions[4] = 2**64 - 1
    with pytest.raises(ValueError, match=r"^game 4: action"):
        vec.step(actions)
    actions[4] = 2**32 + 3
    with pytest.raises(ValueError, match=r"^game 4: action"):
        vec.step(actions)
    assert everything(vec) == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a: a.astype(np.float64),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(bool),
        lambda a: a.astype(str),
        lambda a: a.astype(object),
        lambda a: a.astype(complex),
        lambda a: a[:-1],
        lambda a: np.append(a, a[0]),
        lambda a: a[:, None],
        lambda a: a[:0],
        lambda a: a[0],
        lambda a: int(a[0]),
        lambda a: None,
        lambda a: [None] * len(a),
        lambda a: [[1], [2, 3]],
        lambda a: {"actions": a},
    ],
)
def test_actions_of_the_wrong_kind_or_length(spoil):
    vec = playing()
    actions = vec.sample()
    before = everything(vec)
    with pytest.raises((ValueError, TypeError)):
        vec.step(spoil(actions))
    assert everything(vec) == before


def test_stale_actions():
    """Actions sampled for the last masks: refused as soon as one is no longer legal, and then nothing happens at all."""
    vec = playing()
    for _ in range(6):
        stale = vec.sample()
        vec.step(stale)
        legal = vec.batch.action_mask[np.arange(N), stale] == 1
        before = everything(vec)
        assert not legal.all()
        with pytest.raises(ValueError, match=f"^game {int(np.argmin(legal))}: "):
            vec.step(stale)
        assert everything(vec) == before


def test_every_illegal_id_is_refused_and_every_legal_one_accepted():
    """Legal is accepted and accepted is legal, for each id, in the batch and in the AEC environment."""
    vec = eightsenv.make_vec(NAME, num_envs=1, seed=4, voluntary_draw="one")
    aec = eightsenv.make(NAME, voluntary_draw="one").unwrapped
    vec.reset()
    for _ in range(40):
        snapshot = vec.snapshot(0)
        mask = vec.batch.action_mask[0].copy()
        for action in range(vec.num_actions):
            aec.restore(snapshot)
            before = aec.snapshot()
            if mask[action]:
                aec.step(action)
                assert aec.snapshot() != before
                continue
            with pytest.raises(ValueError, match="not legal"):
                aec.step(action)
            with pytest.raises(ValueError, match=r"^game 0: action"):
                vec.step(np.array([action]))
            assert aec.snapshot() == before and vec.snapshot(0) == snapshot
        vec.step(vec.sample())


@pytest.mark.parametrize("make", [eightsenv.crazy_eights_v0.env, eightsenv.crazy_eights_v0.raw_env])
@pytest.mark.parametrize("bad", [-1, 58, 64, 10**6, 2**31, 2**32, 2**40, 2**63, 2**70, -(2**40), np.int64(2**40), np.int8(-1)])
def test_aec_actions_out_of_range(make, bad):
    env = make().unwrapped
    env.reset(seed=1)
    before = env.snapshot()
    with pytest.raises(ValueError, match="action"):
        env.step(bad)
    assert env.snapshot() == before


@pytest.mark.parametrize("bad", [None, 1.0, "draw", True, [1], np.array([1, 2]), np.float32(3), {}])
def test_aec_actions_that_are_no_ints(bad):
    env = eightsenv.make(NAME)
    env.reset(seed=1)
    before = env.unwrapped.snapshot()
    with pytest.raises(ValueError, match="is an int, not"):
        env.step(bad)
    assert env.unwrapped.snapshot() == before


def test_a_step_before_reset_and_bad_games():
    vec = eightsenv.make_vec(NAME, num_envs=3)
    with pytest.raises(ValueError, match="reset before step"):
        vec.step(np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="reset before"):
        vec.sample()
    vec.reset()
    for i in (-1, 3, 10**9):
        for call in (vec.reveal, vec.snapshot, vec.payoffs):
            with pytest.raises(IndexError, match="games 0 to 2"):
                call(i)
    for name in ("bold", "", None, 0):
        with pytest.raises(ValueError, match="no compiled policy"):
            vec.choose(name)


@pytest.mark.parametrize("number", [0, -1, 2.0, "4", None, True])
def test_bad_numbers_of_games_and_threads(number):
    with pytest.raises(ValueError, match="num_envs is an int from 1 on"):
        eightsenv.make_vec(NAME, num_envs=number)
    with pytest.raises(ValueError, match="num_games is an int from 1 on"):
        eightsenv.rollout(NAME, num_games=number)
    with pytest.raises(ValueError, match="num_threads is an int from 1 on"):
        eightsenv.make_vec(NAME, num_envs=1, num_threads=number)
    with pytest.raises(ValueError, match="num_threads is an int from 1 on"):
        eightsenv.rollout(NAME, num_games=1, num_threads=number)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seeds_change_nothing(seed):
    vec = playing()
    before = everything(vec)
    with pytest.raises((ValueError, TypeError), match="seed is an int"):
        vec.reset(seed=seed)
    assert everything(vec) == before
    env = eightsenv.make(NAME).unwrapped
    env.reset(seed=1)
    with pytest.raises((ValueError, TypeError), match="seed is an int"):
        env.reset(seed=seed)
    with pytest.raises((ValueError, TypeError), match="seed is an int"):
        eightsenv.rollout(NAME, num_games=1, seed=seed)


@pytest.mark.slow
def test_random_games_under_bounds_checks():
    """First a planted overrun raises, so that the check is on; then no game overruns anything."""
    env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    script = ROOT / "tests" / "reference" / "bounds.py"
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["the planted overrun raised", "all games played"]


def test_the_first_reset_deals_every_game():
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=3)
    with pytest.raises(ValueError, match="first reset"):
        vec.reset(rows=[0])
    with pytest.raises(ValueError, match="reset"):
        vec.look([0], [0])


@pytest.mark.parametrize("rows", [[0.7], [True, False], [10**30], [None], ["1"], 0, [-1], [8], [2, 2]], ids=repr)
def test_rows_that_are_no_games(rows):
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=8)
    vec.reset()
    actions = vec.sample()
    with pytest.raises(ValueError, match="rows"):
        vec.step(actions[:1], rows=rows)
    vec.step(actions)


@pytest.mark.parametrize("seats", [[256], [-255], [4], [1.9], ["0"], [True]], ids=repr)
def test_seats_that_are_none(seats):
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=2)
    vec.reset()
    with pytest.raises(ValueError, match="seats"):
        vec.look([0], np.array(seats))


@pytest.mark.parametrize("options", [[{}], 5, "abcd", ["deck"]], ids=repr)
def test_reset_options_that_are_no_dict(options):
    env = eightsenv.make("crazy_eights_v0")
    env.reset(seed=1)
    before = env.snapshot()
    with pytest.raises(ValueError, match="options of reset"):
        env.reset(options=options)
    assert env.snapshot() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_threads_of_its_own():
    code = (
        "import os, eightsenv\n"
        "vec = eightsenv.make_vec('crazy_eights_v0', num_envs=512, num_threads=2)\n"
        "vec.reset(); vec.step(vec.sample())\n"
        "if os.fork() == 0:\n"
        "    vec.step(vec.sample()); os._exit(0)\n"
        "assert os.wait()[1] == 0\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, env=environment)
