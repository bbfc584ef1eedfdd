"""Threads that help with one batch: they wait inside compiled code, where an order reaches them in less than a microsecond.

To wake a sleeping thread takes longer than a step of a thousand games, and to pass through Python, which a step has driven out of
the processor's caches, as long as a step of a few hundred. So a thread that has done its share looks for the next order for a
short while (:data:`PATIENCE`) before it sleeps. Whoever gives an order never waits for a sleeper: what nobody has begun with is
done by whoever is free (:func:`eightsenv.kernels.kernel_lead`).
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np

from eightsenv import atomics, kernels
from eightsenv.game import aligned_zeros

PATIENCE = 4_000
"""How often a thread looks for the next order before it sleeps: about 100 µs."""


class Crew:
    """The orders of one batch, and the threads that help with them, which end with it."""

    def __init__(self, threads: int, serve: Callable[[np.ndarray, int, int], None]):
        """``threads``: how many share an order, with the one that gives it. ``serve``: takes part in ``orders`` as thread number
        k, from 1 on, as long as the third argument says (:func:`eightsenv.kernels.kernel_serve`)."""
        self.threads = threads if atomics.AT_ONCE else 1
        self._serve = serve
        self._begin()

    def _begin(self) -> None:
        self._orders = orders(self.threads)
        self._asleep = self._orders[kernels.PARTS + 1 :, kernels.ASLEEP]
        self._bells: list[SimpleQueue] = []
        self._errors: list[BaseException] = []
        self._process = os.getpid()

    def wake(self) -> np.ndarray:
        """Call the threads that sleep, to take part in what is ordered next; returns the orders, int64[PARTS + T, atomics.ROW]."""
        if self._process != os.getpid():  # a fork has none of its parent's threads
            self._begin()
        if not self._bells:
            self._hire()
        for k in np.flatnonzero(self._asleep):
            self._asleep[k] = 0
            self._bells[k].put(True)
        return self._orders

    def check(self) -> None:
        """Raises the error with which a thread has failed: what was ordered is half done then."""
        for error in self._errors:
            raise RuntimeError("a thread failed in the midst of a step: these games cannot go on") from error

    def _hire(self) -> None:
        self._serve(self._orders, 1, 0)  # compiled or loaded here, where nobody waits for it
        bells: list[SimpleQueue] = [SimpleQueue() for _ in range(1, self.threads)]
        self._asleep[:] = 1
        for k, bell in enumerate(bells, 1):
            weakref.finalize(self, bell.put, False)
            call = (bell, self._serve, self._orders, k, self._errors)
            threading.Thread(target=_help, args=call, name=f"eightsenv_crew_{k}", daemon=True).start()
        self._bells = bells  # only now: after an interrupt all are hired anew, and those of before sleep until the end


def _help(bell: SimpleQueue, serve: Callable, order: np.ndarray, k: int, errors: list[BaseException]) -> None:
    """Take part in orders whenever the bell rings."""
    try:
        while bell.get():
            serve(order, k, PATIENCE)
    except BaseException as error:  # raised where the order was given, which waits for this thread
        errors.append(error)
        order[kernels.PROGRESS, kernels.FAILED] = 1


def orders(threads: int) -> np.ndarray:
    """Room for the orders of so many threads."""
    rows = kernels.PARTS + threads
    return aligned_zeros(rows * atomics.ROW, np.dtype(np.int64)).reshape(rows, atomics.ROW)
