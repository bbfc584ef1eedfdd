"""The threads of a batch: they come late or not at all, end with it, and never change what it computes."""

from __future__ import annotations

import gc
import os
import threading
import time
from types import FunctionType

import numpy as np
import pytest

import eightsenv
from eightsenv import atomics, crew, kernels
from eightsenv.testing.safety import everything

NAME = "crazy_eights_v0"
shared_memory = pytest.mark.skipif(not atomics.AT_ONCE, reason="in plain Python and under bounds checks one thread does all")


def batch(threads: int, games: int = 5000, **options):
    vec = eightsenv.make_vec(NAME, num_envs=games, seed=3, num_threads=threads, **options)
    vec.reset()
    return vec


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("eightsenv_crew_")]


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_that_sleep_and_wake_change_nothing(threads: int):
    """More threads than cores, steps at once and after a pause, all games and some of them."""
    alone, shared = batch(1), batch(threads)
    some = np.random.default_rng(1).permutation(5000)[:333]
    for number in range(40):
        if number % 7 == 0:
            time.sleep(0.003)  # the threads fall asleep
        for vec in (alone, shared):
            if number % 3 == 0:
                vec.step(vec.sample(some), some)
            else:
                vec.step(vec.sample())
        assert alone._games.tobytes() == shared._games.tobytes(), number
    assert everything(alone) == everything(shared)


@pytest.mark.parametrize("games", [1, 63, 127, 128, 129, 200, 6145])
def test_any_number_of_games(games: int):
    alone, shared = batch(1, games), batch(3, games)
    for _ in range(20):
        for vec in (alone, shared):
            vec.step(vec.sample())
    assert everything(alone) == everything(shared)


@shared_memory
def test_whoever_is_free_does_what_nobody_has_begun_with(monkeypatch: pytest.MonkeyPatch):
    """A batch whose helpers never come is done by the one who asked."""
    alone, deserted = batch(1), batch(3)
    monkeypatch.setattr(crew.Crew, "_hire", lambda self: None)
    for _ in range(10):
        for vec in (alone, deserted):
            vec.step(vec.sample())
    assert everything(alone) == everything(deserted)


@shared_memory
def test_the_threads_end_with_the_batch():
    gc.collect()
    before = len(helpers())
    vec = batch(3)
    vec.step(vec.sample())
    assert len(helpers()) == before + 2
    del vec
    gc.collect()
    deadline = time.monotonic() + 20
    while len(helpers()) > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(helpers()) == before


@shared_memory
def test_an_interrupt_while_threads_are_hired_loses_none(monkeypatch: pytest.MonkeyPatch):
    """The next order hires all that are missing, and nothing has happened to the games."""
    alone, shared = batch(1), batch(3)
    start, begun = threading.Thread.start, []

    def interrupted(thread: threading.Thread) -> None:
        if thread.name.startswith("eightsenv_crew_"):
            begun.append(thread.name)
            if len(begun) == 2:
                raise KeyboardInterrupt
        start(thread)

    shared._crew._begin()  # as before the first order
    actions = alone.choose("greedy")
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shared.step(actions)
    shared.step(actions)
    alone.step(actions)
    assert begun == ["eightsenv_crew_1", "eightsenv_crew_2"] * 2
    for vec in (alone, shared):
        vec.step(vec.sample())
    assert everything(alone) == everything(shared)


@shared_memory
def test_a_thread_that_fails_is_heard_of():
    """Whoever waits for it gets the error, at every further step too."""

    def serve(order: np.ndarray, k: int, patience: int) -> None:
        if patience:
            raise MemoryError("no room")

    threads = crew.Crew(2, serve)
    order = threads.wake()
    deadline = time.monotonic() + 20
    while not order[kernels.PROGRESS, kernels.FAILED] and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="these games cannot go on") as raised:
            threads.check()
        assert isinstance(raised.value.__cause__, MemoryError)


@shared_memory
def test_orders_of_changing_sizes_one_after_another():
    """A thread that comes late for one order takes nothing of the next: more threads than cores, few games and all in turn."""
    alone, shared = batch(1, 1024), batch(16, 1024)
    few = np.arange(128)
    for _ in range(1500):
        for vec in (alone, shared):
            vec.step(vec.sample(few), few)
            vec.step(vec.sample())
        counts = shared._crew._orders[kernels.PROGRESS], shared._crew._orders[kernels.ORDER]
        assert counts[0][kernels.DONE] == counts[1][kernels.TOTAL]
    assert everything(alone) == everything(shared)


@pytest.mark.parametrize("refused", [False, True])
def test_no_claim_of_an_order_that_is_over_succeeds(refused: bool):
    """Whenever a late thread looks, also between any two words that the next order writes (the templates run as plain Python)."""
    order, parts, number = crew.orders(3), range(kernels.PARTS, kernels.PARTS + 3), 1
    looked = 0

    def late() -> None:
        nonlocal looked
        if order[kernels.PROGRESS, kernels.REFUSED]:
            return  # a thread that sees this does not look for work
        looked += 1
        for part in parts:
            for kind in (kernels.CHECKS, kernels.WORKS):
                assert kernels.claim(order, part, kind, number) == -1

    def watched(write):
        def written(*words):
            write(*words)
            late()

        return written

    def lead(count: int, size: int, **names) -> bool:
        names = {**vars(kernels), "wait_for": lambda *_: None, "do_share": lambda *_: None, **names}
        code = FunctionType(kernels.kernel_lead.__code__, names)
        return code(order, kernels.CHECKED_STEP, count, 3, size, 0, *[None] * 18)

    lead(300, 100)
    for part in parts:
        while kernels.claim(order, part, kernels.CHECKS, number) >= 0:
            pass
        while not refused and kernels.claim(order, part, kernels.WORKS, number) >= 0:
            pass
    order[kernels.PROGRESS, kernels.REFUSED] = refused
    late()
    lead(3000, 100, store=watched(atomics.store), exchange=watched(atomics.exchange))
    assert looked > 5 and order[kernels.ORDER, kernels.NUMBER] == 2
    assert kernels.claim(order, kernels.PARTS, kernels.WORKS, 2) == 0


def test_actions_that_cannot_be_written_to():
    shared = batch(2)
    actions = shared.sample()
    actions.flags.writeable = False
    shared.step(actions)


def test_several_batches_from_several_threads():
    """Each batch has threads of its own: none waits for those of another."""
    expected = everything_after(batch(1))
    found: list = []
    callers = [threading.Thread(target=lambda: found.append(everything_after(batch(3)))) for _ in range(2 * (os.cpu_count() or 1))]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [expected] * len(callers)


def everything_after(vec, steps: int = 40):
    for _ in range(steps):
        vec.step(vec.sample())
    return everything(vec)


def test_words_that_threads_share_are_words_of_the_array():
    """The same in plain Python as compiled."""
    words = np.zeros((3, atomics.ROW), np.int64)
    atomics.store(words, 1, 2, 40)
    atomics.add(words, 1, 2, 2)
    assert atomics.load(words, 1, 2) == words[1, 2] == 42
    assert not atomics.replace(words, 1, 2, 41, 7) and words[1, 2] == 42
    assert atomics.replace(words, 1, 2, 42, 7) and words[1, 2] == 7
    assert words.sum() == 7
