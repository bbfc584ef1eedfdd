"""Words of memory that threads of compiled code talk through: int64 arrays of one row for each thread.

A row takes a whole line of the processor's cache (:data:`ROW` words), so that threads do not wait for each other's words. What a
thread wrote before it stored a word is seen by one that loads the word. In plain Python there are no such threads, and these
are plain reads and writes.
"""

from __future__ import annotations

import os
import platform

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

AT_ONCE = not (numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)
"""Whether threads may talk like this: not in plain Python, nor where compiled code may raise in the midst of it."""
ROW = 16
"""Words of a row: two lines of 64 bytes, for processors that fetch lines in pairs."""

_WORDS = types.Array(types.int64, 2, "C")
_HAS_PAUSE = platform.machine().lower() in ("x86_64", "amd64")
_HAS_YIELD = hasattr(os, "sched_yield")
_sched_yield = types.ExternalFunction("sched_yield", types.int32())


def _place(context, builder, signature, args):
    """A pointer to ``args[0][args[1], args[2]]``."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer2(
        context, builder, array.data, cgutils.unpack_tuple(builder, array.shape), [], "C", [args[1], args[2]]
    )


@intrinsic
def _load(typingctx, words, row, k):
    def codegen(context, builder, signature, args):
        return builder.load_atomic(_place(context, builder, signature, args), "acquire", 8)

    return types.int64(_WORDS, types.int64, types.int64), codegen


def _writing(write):
    """``write(builder, place, value)`` as a Numba intrinsic that changes the word ``words[row, k]``."""

    @intrinsic
    def written(typingctx, words, row, k, value):
        def codegen(context, builder, signature, args):
            write(builder, _place(context, builder, signature, args), args[3])
            return context.get_dummy_value()

        return types.void(_WORDS, types.int64, types.int64, types.int64), codegen

    return written


_store = _writing(lambda builder, place, value: builder.store_atomic(value, place, "release", 8))
_exchange = _writing(lambda builder, place, value: builder.atomic_rmw("xchg", place, value, "seq_cst"))
_add = _writing(lambda builder, place, value: builder.atomic_rmw("add", place, value, "acq_rel"))


@intrinsic
def _replace(typingctx, words, row, k, old, new):
    def codegen(context, builder, signature, args):
        place = _place(context, builder, signature, args)
        return builder.extract_value(builder.cmpxchg(place, args[3], args[4], "seq_cst", "seq_cst"), 1)

    return types.boolean(_WORDS, *(types.int64,) * 4), codegen


@intrinsic
def _pause(typingctx):
    def codegen(context, builder, signature, args):
        if _HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), codegen


def load(words: np.ndarray, row: int, k: int) -> int:
    """The word ``words[row, k]`` (int64[R, ROW])."""
    return int(words[row, k])


@overload(load)
def _load_overload(words, row, k):
    def compiled(words, row, k):
        return _load(words, row, k)

    return compiled


def store(words: np.ndarray, row: int, k: int, value: int) -> None:
    """Write the word ``words[row, k]``."""
    words[row, k] = value


@overload(store)
def _store_overload(words, row, k, value):
    def compiled(words, row, k, value):
        return _store(words, row, k, value)

    return compiled


def exchange(words: np.ndarray, row: int, k: int, value: int) -> None:
    """Write the word ``words[row, k]`` before anything that this thread writes afterwards."""
    words[row, k] = value


@overload(exchange)
def _exchange_overload(words, row, k, value):
    def compiled(words, row, k, value):
        return _exchange(words, row, k, value)

    return compiled


def add(words: np.ndarray, row: int, k: int, value: int) -> None:
    """Add ``value`` to the word ``words[row, k]``, at one stroke."""
    words[row, k] += value


@overload(add)
def _add_overload(words, row, k, value):
    def compiled(words, row, k, value):
        return _add(words, row, k, value)

    return compiled


def replace(words: np.ndarray, row: int, k: int, old: int, new: int) -> bool:
    """Write ``new`` into the word ``words[row, k]`` if it is ``old``; tells whether it was, at one stroke."""
    found = bool(words[row, k] == old)
    if found:
        words[row, k] = new
    return found


@overload(replace)
def _replace_overload(words, row, k, old, new):
    def compiled(words, row, k, old, new):
        return _replace(words, row, k, old, new)

    return compiled


def wait(times: int) -> None:
    """Pass the time before the ``times``-th look at a word; now and then give way, for who is waited for may need this core."""


@overload(wait)
def _wait_overload(times):
    def passing(times):
        _pause()
        if _HAS_YIELD and times & 1023 == 1023:
            _sched_yield()

    return passing
