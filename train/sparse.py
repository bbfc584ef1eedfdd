"""Plain nets over rows of zeros and ones of which most are zeros, on a processor without units for matrices.

An observation of Crazy Eights for four has about 50 ones among its 337 bytes. Adding up 50 rows of weights takes a third of the
time of a matrix product, and the gradient of the weights is the same kind of sum over the transposed rows. Both are Torch's
``embedding_bag``; what is here are the lists that it goes by. Only the first layer has such an input, but that is where most
weights of a small net are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

from eightsenv.bits import kernel

IN_CACHE = 1 << 17
"""How many numbers float32 the rows may have that a gradient adds up at a time: a quarter of a core's second cache."""
WIDEST = 512
"""Units of a first layer up to which this is faster than a matrix product, and takes little more memory."""

Lists = tuple[Tensor, Tensor]
"""Lists of numbers, one after the other (int32), and where each begins (int32): one more than there are lists."""


class SparseRows:
    """Where the ones are in R rows of F bytes that are 0 or 1. Each row has one more in column F: what the bias is added by.

    There is room for 2^31 ones in all.
    """

    def __init__(self, columns: np.ndarray, begins: np.ndarray, features: int):
        """``columns``: int32 of all rows, of which row ``r`` has those from ``begins[r]`` to ``begins[r + 1]`` (int32[R + 1])."""
        self.columns, self.begins, self.features = columns, begins, features
        self._transposed: dict[int, Lists] = {}

    @classmethod
    def of(cls, rows: Tensor) -> SparseRows:
        """From int8[R, F]."""
        dense = rows.contiguous().numpy()
        count, features = dense.shape
        begins = np.zeros(count + 1, np.int32)
        columns = np.empty(np.count_nonzero(dense) + count + 1, np.int32)  # one more: the loop writes before it knows
        _find(dense, columns, begins)
        return cls(columns[:-1], begins, features)

    def __len__(self) -> int:
        return len(self.begins) - 1

    def index_select(self, dim: int, at: Tensor) -> SparseRows:
        """Some of the rows, as of a tensor; ``dim``: 0."""
        rows = at.numpy()
        begins = np.zeros(len(rows) + 1, np.int32)
        columns = np.empty((self.begins[rows + 1] - self.begins[rows]).sum(), np.int32)
        _take(self.columns, self.begins, rows, columns, begins)
        return SparseRows(columns, begins, self.features)

    def split(self, size: int) -> list[SparseRows]:
        """Parts of so many rows, at least one, as of a tensor."""
        parts = [self.begins[at : at + size + 1] for at in range(0, max(1, len(self)), size)]
        return [SparseRows(self.columns[part[0] : part[-1]], part - part[0], self.features) for part in parts]

    @cached_property
    def lists(self) -> Lists:
        """The columns of each row."""
        return torch.from_numpy(self.columns), torch.from_numpy(self.begins)

    def transposed(self, block: int) -> Lists:
        """The rows of each column among the first ``block`` rows, then among the next ones, and so on."""
        if block not in self._transposed:
            begins = np.zeros(-(-len(self) // block) * (self.features + 1) + 1, np.int32)
            rows = np.empty(len(self.columns), np.int32)
            _transpose(self.columns, self.begins, self.features + 1, block, rows, begins)
            self._transposed[block] = torch.from_numpy(rows), torch.from_numpy(begins)
        return self._transposed[block]


def sparse_net(rows: SparseRows, layers: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    """What a plain net with ReLU makes of the rows, float32[R, …]; ``layers``: weight float32[H, F] and bias float32[H] of each."""
    return _SparseNet.apply(rows, *itertools.chain.from_iterable(layers))


class _SparseNet(torch.autograd.Function):
    """The slopes of hidden layers are cut off in place, where Torch's own functions would take new memory."""

    @staticmethod
    def forward(ctx: Any, rows: SparseRows, *layers: Tensor) -> Tensor:
        (weight, bias), *others = zip(layers[::2], layers[1::2], strict=True)
        x = _sums(rows.lists, torch.cat([weight.t(), bias[None]]))
        hidden = []
        for weight, bias in others:
            hidden.append(x.relu_())
            x = torch.addmm(bias, x, weight.t())
        ctx.rows = rows
        ctx.save_for_backward(*hidden, *layers[2::2])
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (slope,), count = gradients, len(ctx.saved_tensors) // 2
        found: list[Tensor | None] = []
        for x, weight in reversed(list(zip(ctx.saved_tensors[:count], ctx.saved_tensors[count:], strict=True))):
            found += [slope.sum(0), slope.t() @ x]
            slope = slope @ weight
            torch.ops.aten.threshold_backward.grad_input(slope, x, 0, grad_input=slope)
        width = slope.shape[1]
        lists = ctx.rows.transposed(max(64, IN_CACHE // width))
        table = _sums(lists, slope.contiguous()).view(-1, ctx.rows.features + 1, width).sum(0)
        return None, *reversed([*found, table[-1], table[:-1].t()])


def _sums(lists: Lists, table: Tensor) -> Tensor:
    """For each list the sum of the rows of a table that it names."""
    return functional.embedding_bag(lists[0], table, lists[1], mode="sum", include_last_offset=True)


@kernel
def _find(dense, columns, begins):
    """Write down the columns of all ones, and where each row's begin."""
    n = 0
    for r in range(dense.shape[0]):
        for f in range(dense.shape[1]):
            columns[n] = f
            n += int(dense[r, f] != 0)
        columns[n] = dense.shape[1]
        n += 1
        begins[r + 1] = n


@kernel
def _take(columns, begins, rows, new_columns, new_begins):
    """Write down the columns of some rows, and where each row's begin."""
    for k in range(len(rows)):
        begin, end, to = np.int64(begins[rows[k]]), np.int64(begins[rows[k] + 1]), np.int64(new_begins[k])
        for j in range(end - begin):
            new_columns[to + j] = columns[begin + j]
        new_begins[k + 1] = to + end - begin


@kernel
def _transpose(columns, begins, features, block, rows, new_begins):
    """Write down the rows of all columns of each block, and where each column's begin; a sort by counting.

    ``new_begins`` is zeros. Counts come one place late, so that what was a list's beginning has become its end when all is done.
    """
    for r in range(len(begins) - 1):
        first = r // block * features + 1
        for n in range(begins[r], begins[r + 1]):
            new_begins[first + columns[n]] += 1
    total = 0
    for k in range(1, len(new_begins)):
        count = new_begins[k]
        new_begins[k] = total
        total += count
    for r in range(len(begins) - 1):
        first = r // block * features + 1
        for n in range(begins[r], begins[r + 1]):
            k = first + columns[n]
            rows[new_begins[k]] = r
            new_begins[k] += 1
