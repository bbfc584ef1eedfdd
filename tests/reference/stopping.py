"""A training that is stopped by what watches its progress."""

from __future__ import annotations

from collections.abc import Callable


class StopError(Exception):
    pass


def stop_after(steps: int) -> Callable[[int], None]:
    """A progress function that raises :class:`StopError` once so many decisions are made."""

    def progress(done: int) -> None:
        if done >= steps:
            raise StopError

    return progress
