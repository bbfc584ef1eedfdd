"""Measuring several things in one run: interleaved rounds, medians, and the facts of the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Run = Callable[[float], float]
"""``run(seconds)`` measures once, for about that long where the length is free, and returns the value."""

PER_SECOND = "decisions/s"
SECONDS = "s"
MICROSECONDS = "µs"
POSITIONS = "positions"


class NotInstalledError(Exception):
    """A peer, or something that it needs, is not installed; the message says what."""


@dataclass(frozen=True)
class Case:
    """One thing to measure."""

    name: str
    group: str
    """What ``--only`` selects."""
    unit: str
    prepare: Callable[[], Run]
    """Builds what is measured. Raises :class:`NotInstalledError` when a peer is not there."""
    once: bool = False
    """Measured in the first round only, and not warmed up: too long to repeat."""


@dataclass(frozen=True)
class Measured:
    """The values of a case, one for each round that measured it."""

    case: Case
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


@dataclass(frozen=True)
class Missing:
    """A case that could not be measured, and why."""

    case: Case
    reason: str


def measure(
    cases: Sequence[Case], rounds: int, seconds: float, told: Callable[[str], None] = lambda text: None
) -> tuple[list[Measured], list[Missing]]:
    """Measure every case once in each round, so that all of them meet the same moods of the machine.

    Each case has run once, unmeasured, before the first round: compiled kernels are loaded and files are in memory.

    Args:
        cases: what to measure, in this order within a round.
        rounds: measurements of each case, from 1 on.
        seconds: the length of one measurement.
        told: called with the name of what is measured next.
    """
    ready: list[tuple[Case, Run]] = []
    missing: list[Missing] = []
    for case in cases:
        told(case.name)
        try:
            run = case.prepare()
            if not case.once:
                run(min(seconds, 0.1))
        except NotInstalledError as reason:
            missing.append(Missing(case, str(reason)))
            continue
        ready.append((case, run))
    values: dict[str, list[float]] = {case.name: [] for case, _ in ready}
    for number in range(rounds):
        for case, run in ready:
            if case.once and number > 0:
                continue
            told(case.name)
            values[case.name].append(run(seconds))
    return [Measured(case, tuple(values[case.name])) for case, _ in ready], missing


def steady(work: Callable[[], int], *, of_processor: bool = False) -> Run:
    """A run that repeats ``work``, which returns the number of decisions made, and gives decisions per second.

    ``of_processor``: of the processor's time for this process, which other load on the machine does not lengthen.
    """

    def clock() -> float:
        return time.process_time() if of_processor else time.perf_counter()

    def run(seconds: float) -> float:
        decisions, begin = 0, clock()
        while True:
            decisions += work()
            passed = clock() - begin
            if passed >= seconds:
                return decisions / passed

    return run


def ratio(over: Measured, under: Measured) -> float:
    """The median over rounds of ``over / under``: a slow round slows both."""
    return statistics.median(a / b for a, b in zip(over.values, under.values, strict=True))


def machine() -> dict[str, Any]:
    """The processor, the number of cores this process may use, the system and the Python."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """The installed versions of those distributions that are installed."""
    found = {}
    for name in distributions:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
