"""Bit sets and 64-bit arithmetic, written once for two modes.

Each primitive is plain Python, and has a compiled overload of the same meaning, so that the rules
run under Numba and, with ``NUMBA_DISABLE_JIT=1``, as ordinary Python with the same results.
A set is one ``numpy.uint64``: bit ``k`` stands for element ``k`` (a card id or an action id).
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

U = np.uint64
"""64-bit unsigned: both sides of every bit operation are of this type (``uint64 - 1`` is not)."""

_MASK64 = (1 << 64) - 1

compiled = njit(_nrt=False, forceinline=False)
"""Decorator of every rule function: compiled on first use, cached only inside the kernels.

Nothing is allocated in compiled code, so it goes without Numba's reference counts (``_nrt``): passing an array on would
cost two atomic operations at every call, and made a decision five times dearer. Unless it says otherwise a function is
inlined wherever the one is that happens to call it first: that made a step of House Rules compile for minutes.
"""
hot = njit(_nrt=False, forceinline=True)
"""The same for the small functions of every decision, which LLVM puts into their callers.

Measured: a rollout is half as fast again. Inlining everything takes five times as long to compile.
"""
kernel = njit(_nrt=False, cache=True, nogil=True)
"""Decorator of the outer functions, which Python calls: kept in the disk cache, and run without the interpreter's lock."""


def fingerprint(*modules: ModuleType) -> str:
    """A name for all that kernels compiled from these modules depend on: Numba does not notice an edit in a callee's file."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(inspect.getsource(module).encode())
    digest.update(numba.__version__.encode())
    for flag in ("NUMBA_BOUNDSCHECK", "NUMBA_OPT"):
        digest.update(f"{flag}={os.environ.get(flag)}".encode())
    return digest.hexdigest()[:12]


_told: set[str] = set()


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Tell on stderr, once for each name, if what runs inside takes longer than loading from the cache."""

    def tell() -> None:
        if name not in _told:
            _told.add(name)
            print(f"eightsenv: compiling the {name} kernels, once for this machine …", file=sys.stderr, flush=True)

    timer = threading.Timer(1.5, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _bit_intrinsic(name: str):
    """An LLVM bit-counting instruction ``uint64 -> int64`` as a Numba intrinsic."""

    @intrinsic
    def counted(typingctx, x):
        def codegen(context, builder, signature, args):
            if name == "ctpop":
                return builder.ctpop(args[0])
            zeros = builder.cttz if name == "cttz" else builder.ctlz
            return zeros(args[0], context.get_constant(types.boolean, False))

        return types.int64(types.uint64), codegen

    return counted


_ctpop = _bit_intrinsic("ctpop")
_cttz = _bit_intrinsic("cttz")
_ctlz = _bit_intrinsic("ctlz")


def popcount(x: np.uint64) -> int:
    """The number of elements of the set ``x``."""
    return int(x).bit_count()


@overload(popcount)
def _popcount_overload(x):
    return lambda x: _ctpop(x)


def lowest(x: np.uint64) -> int:
    """The smallest element of the set ``x``; 64 for the empty set."""
    value = int(x)
    return (value & -value).bit_length() - 1 if value else 64


@overload(lowest)
def _lowest_overload(x):
    return lambda x: _cttz(x)


def highest(x: np.uint64) -> int:
    """The greatest element of the set ``x``; -1 for the empty set."""
    return int(x).bit_length() - 1


@overload(highest)
def _highest_overload(x):
    return lambda x: 63 - _ctlz(x)


def add64(a: np.uint64, b: np.uint64) -> np.uint64:
    """``a + b`` modulo 2**64."""
    return U((int(a) + int(b)) & _MASK64)


@overload(add64)
def _add64_overload(a, b):
    return lambda a, b: a + b


def mul64(a: np.uint64, b: np.uint64) -> np.uint64:
    """``a * b`` modulo 2**64."""
    return U((int(a) * int(b)) & _MASK64)


@overload(mul64)
def _mul64_overload(a, b):
    return lambda a, b: a * b


@hot
def bit(k):
    """The set ``{k}``, 0 <= k < 64."""
    return U(1) << U(k)


def without_lowest(x: np.uint64) -> np.uint64:
    """The non-empty set ``x`` less its smallest element."""
    return x & (x - U(1))


@overload(without_lowest)
def _without_lowest_overload(x):
    return lambda x: x & (x - U(1))


def nth(x: np.uint64, k: int) -> int:
    """The element of the set ``x`` that has exactly ``k`` smaller ones; 0 <= k < popcount(x)."""
    for _ in range(k):
        x = without_lowest(x)
    return lowest(x)


_SELECT_IN_BYTE = np.array(
    [[nth(U(byte), k) if k < popcount(byte) else 0 for byte in range(256)] for k in range(8)], dtype=np.uint8
).ravel()


@overload(nth)
def _nth_overload(x, k):
    """Broadword selection (Vigna 2008): no branch, for random sets make a loop mispredict at almost every call."""

    def select(x, k):
        counts = x - ((x >> U(1)) & U(0x5555555555555555))
        counts = (counts & U(0x3333333333333333)) + ((counts >> U(2)) & U(0x3333333333333333))
        sums = ((counts + (counts >> U(4))) & U(0x0F0F0F0F0F0F0F0F)) * U(0x0101010101010101)
        # Bytes whose running count is at most k lie wholly below the element.
        below = ((U(k) * U(0x0101010101010101) | U(0x8080808080808080)) - sums) & U(0x8080808080808080)
        at = _ctpop(below) * 8
        rest = U(k) - ((sums << U(8)) >> U(at) & U(0xFF))
        return at + np.int64(_SELECT_IN_BYTE[(rest << U(8)) | ((x >> U(at)) & U(0xFF))])

    return select


@intrinsic
def _spread(typingctx, row, at, word):
    """Store the 64 bits of ``word`` as 64 bytes at ``row[at]``: one or two vector instructions."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        flags = builder.bitcast(args[2], ir.VectorType(ir.IntType(1), 64))
        octets = builder.zext(flags, ir.VectorType(ir.IntType(8), 64))
        place = builder.bitcast(builder.gep(data, [args[1]]), octets.type.as_pointer())
        builder.store(octets, place).align = 1
        return context.get_dummy_value()

    return types.void(types.Array(types.uint8, 1, "C"), types.int64, types.uint64), codegen


def put(row: np.ndarray, at: int, word: np.uint64, size: int) -> int:
    """Write the low ``size`` <= 64 bits of ``word``, which has no higher ones, as 0/1 bytes ``row[at : at + size]`` (uint8[:]).

    The rest of the 64 bytes from ``at`` on is cleared, so a row is written from left to right and has 64 bytes to spare
    (:func:`padded`). Returns ``at + size``: where the next section begins.
    """
    row[at : at + 64] = np.unpackbits(np.array([word], "<u8").view(np.uint8), bitorder="little")
    return at + size


@overload(put)
def _put_overload(row, at, word, size):
    def write(row, at, word, size):
        _spread(row, at, word)
        return at + size

    return write


def padded(columns: int) -> int:
    """The bytes of a row of ``columns`` 0/1 bytes that :func:`put` may write."""
    return (columns + 7) // 8 * 8 + 64
