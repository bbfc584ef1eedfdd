"""Compiled code checks no bounds, so nothing illegal may reach it: bad actions raise, name their game, and change nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eightsenv
from eightsenv import testing
from eightsenv.testing.safety import everything

ROOT = Path(__file__).resolve().parent.parent
NAME = "crazy_eights_v0"
N = 150


def playing(num_threads: int = 1, steps: int = 7, **options):
    vec = eightsenv.make_vec(NAME, num_envs=N, seed=2, num_threads=num_threads, **options)
    vec.reset()
    for _ in range(steps):
        vec.step(vec.sample())
    return vec


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_bad_input_raises_and_changes_nothing(variant: str):
    """Wrong, stale, far and ill-typed actions, rows, seats, seeds and options, in batches and environments."""
    testing.check_memory_safety(variant, settings=2)


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
    with pytest.raises(ValueError, match="num_threads is an int from 1 to 1024"):
        eightsenv.make_vec(NAME, num_envs=1, num_threads=number)
    with pytest.raises(ValueError, match="num_threads is an int from 1 to 1024"):
        eightsenv.rollout(NAME, num_games=1, num_threads=number)


def test_an_illegal_action_of_any_thread_changes_nothing():
    """Also while the other threads are in the midst of checking theirs; and the games go on together afterwards."""
    alone, shared = (eightsenv.make_vec(NAME, num_envs=3000, seed=8, num_threads=threads) for threads in (1, 3))
    for vec in (alone, shared):
        vec.reset()
    for i in (0, 999, 1000, 2999, 1500):
        actions = shared.sample()
        before = everything(shared)
        wrong = actions.copy()
        wrong[i] = shared.batch.action_mask[i].argmin()
        with pytest.raises(ValueError, match=f"^game {i}: action"):
            shared.step(wrong)
        assert everything(shared) == before
        alone.step(alone.sample())
        shared.step(actions)
        assert everything(shared) == everything(alone)


@pytest.mark.slow
def test_random_games_under_bounds_checks():
    """First a planted overrun raises, so that the check is on; then no game overruns anything."""
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}  # it plays little, and compiles as much as ever
    env = os.environ | checked | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    script = ROOT / "tests" / "reference" / "bounds.py"
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=1400, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["the planted overrun raised", "all games played"]


INTERRUPTED = """
import signal, sys, threading, time
from eightsenv import engine

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where who started this ignores it
ended, begun = threading.Event(), threading.Event()

def other():
    begun.set()
    time.sleep(0.5)
    ended.set()

def own():
    begun.wait()
    if sys.argv[1] == "waiting":
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
    else:
        signal.raise_signal(signal.SIGINT)

try:
    engine.run_threads([own, other])
except KeyboardInterrupt:
    assert ended.is_set()
    assert engine.run_threads([lambda: 1, lambda: 1]) == [1, 1]
    print("interrupted")
"""


@pytest.mark.parametrize("when", ["working", "waiting"])
def test_an_interrupt_comes_when_no_thread_is_at_work_any_more(when: str):
    """Whether it meets the main thread at its own part, or while it waits for the other: nobody else reads what is then changed."""
    command = [sys.executable, "-c", INTERRUPTED, when]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.stdout == "interrupted\n", done.stderr


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
