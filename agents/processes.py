"""A function over many tasks on several processes, which can be stopped at any moment and notice when one of them dies.

The processes are spawned: nothing is inherited but the function, which is pickled once for each. They take one task after the
other, and end when the parent does, whatever ends it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing import connection, get_context
from typing import Generic, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What keeps the matrix products of a process on its own core: more threads would only get into each other's way."""


def default_workers() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(function: Callable[[Task], Answer], tasks: Iterable[Task], workers: int) -> Generator[tuple[Task, Answer], None, None]:
    """Every task with its answer, in the order in which they are done.

    Args:
        function: what is done with a task. It and the tasks and answers are picklable, and it lives in an importable module.
        tasks: what is to be done, begun in this order.
        workers: the number of processes; 0: all is done in this one. Closing the iterator kills them.

    Raises:
        ChildProcessError: a process died; one sentence.
        Exception: whatever the function raises.
    """
    if not workers:
        for task in tasks:
            yield task, function(task)
        return
    waiting = iter(tasks)
    staff: list[_Worker] = []
    try:
        for task in itertools.islice(waiting, workers):
            staff.append(_Worker(function))
            staff[-1].give(task)
        busy = {worker.pipe: worker for worker in staff}
        while busy:
            for pipe in connection.wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]  # it waits for these pipes only
                done = worker.take()
                try:
                    worker.give(next(waiting))
                except StopIteration:
                    del busy[worker.pipe]
                yield done
    finally:
        for worker in staff:
            worker.stop()


class _Worker(Generic[Task, Answer]):
    """A process with one task at a time."""

    def __init__(self, function: Callable[[Task], Answer]):
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(function, theirs), daemon=True)
        with _one_thread(), _no_interrupts():
            self.process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.task = task
        with self._alive():
            self.pipe.send(task)

    def take(self) -> tuple[Task, Answer]:
        """The task that it was given, with the answer."""
        with self._alive():
            answer, error = self.pipe.recv()
        if error is not None:
            raise error
        return self.task, answer

    def stop(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()

    @contextlib.contextmanager
    def _alive(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, ConnectionError) as gone:
            self.process.join()
            code = self.process.exitcode
            raise ChildProcessError(f"a worker process ended with exit code {code}, maybe for want of memory") from gone


def _serve(function: Callable, pipe: connection.Connection) -> None:
    """What a worker process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent decides
    with contextlib.suppress(EOFError, ConnectionError):  # the parent is gone or wants no more
        while True:
            task = pipe.recv()
            answer, failure = None, None
            try:
                answer = function(task)
            except Exception as error:
                error.add_note("".join(traceback.format_exception(error)))  # a pickled error has no traceback
                failure = error
            pipe.send((answer, failure))


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that are started within have one thread each for matrix products, unless the user has chosen another number."""
    added = [name for name in _ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that are started within never get Ctrl-C, not even while they start; for this one it waits."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
