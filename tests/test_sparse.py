"""Nets over rows of zeros and ones give what matrix products give: values and gradients."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from eightsenv.train import sparse  # noqa: E402
from eightsenv.train.hardware import Hardware  # noqa: E402
from eightsenv.train.sparse import SparseRows  # noqa: E402


@pytest.fixture(autouse=True, params=["compiled", "plain Python"])
def mode(request, monkeypatch):
    """Every test, in both modes."""
    if request.param == "plain Python":
        for name in ("_find", "_take", "_transpose"):
            function = getattr(sparse, name)
            monkeypatch.setattr(sparse, name, getattr(function, "py_func", function))


def some_rows(count: int, features: int = 70, share: float = 0.2) -> torch.Tensor:
    rows = (np.random.default_rng(count).random((count, features)) < share).astype(np.int8)
    rows[::5], rows[1::5] = 0, 1
    return torch.from_numpy(rows)


def some_layers(sizes: tuple[int, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(1)
    shapes = [((above, below), (above,)) for below, above in itertools.pairwise(sizes)]
    return [
        tuple(torch.randn(shape, generator=generator, dtype=torch.float32).requires_grad_() for shape in both) for both in shapes
    ]


def dense(rows: torch.Tensor, layers: list[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    x = rows.float()
    for k, (weight, bias) in enumerate(layers):
        x = functional.linear(x.relu() if k else x, weight, bias)
    return x


@pytest.mark.parametrize("count", [0, 1, 64, 150])
@pytest.mark.parametrize("sizes", [(70, 3), (70, 16, 3), (70, 24, 8, 1)])
@pytest.mark.parametrize("in_cache", [1, 1 << 17])
def test_values_and_gradients_are_those_of_matrix_products(count, sizes, in_cache, monkeypatch):
    monkeypatch.setattr(sparse, "IN_CACHE", in_cache)  # 1: gradients are added up in several blocks
    rows, layers = some_rows(count), some_layers(sizes)
    parameters = [part for layer in layers for part in layer]
    slope = torch.from_numpy(np.random.default_rng(0).normal(size=(count, sizes[-1])).astype(np.float32))
    found, wanted = sparse.sparse_net(SparseRows.of(rows), layers), dense(rows, layers)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-3)
    for ours, theirs in zip(*(torch.autograd.grad(x, parameters, slope) for x in (found, wanted)), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-3)


def told(rows: SparseRows) -> list[list[int]]:
    columns, begins = (part.tolist() for part in rows.lists)
    assert len(begins) == len(rows) + 1
    return [columns[begin:end] for begin, end in itertools.pairwise(begins)]


def test_rows_are_chosen_and_split_as_those_of_tensors():
    rows = some_rows(23)
    whole = SparseRows.of(rows)
    assert told(whole) == [[*np.flatnonzero(row).tolist(), 70] for row in rows.numpy()]
    at = torch.from_numpy(np.random.default_rng(3).integers(23, size=40))
    assert told(whole.index_select(0, at)) == told(SparseRows.of(rows.index_select(0, at)))
    for size in (1, 7, 23, 50):
        for ours, theirs in zip(whole.split(size), rows.split(size), strict=True):
            assert told(ours) == told(SparseRows.of(theirs))
            assert told(ours.index_select(0, torch.tensor([0]))) == told(ours)[:1]
    assert [len(part) for part in SparseRows.of(rows[:0]).split(4)] == [len(part) for part in rows[:0].split(4)] == [0]
    apart = torch.cat([rows, rows], 1)[:, 35:105]
    assert not apart.is_contiguous() and told(SparseRows.of(apart)) == told(SparseRows.of(apart.contiguous()))


@pytest.mark.parametrize("block", [1, 64, 1000])
def test_a_transpose_names_the_rows_of_each_column_block_by_block(block):
    dense_rows = some_rows(150).numpy()
    places, begins = (part.tolist() for part in SparseRows.of(torch.from_numpy(dense_rows)).transposed(block))
    lists = [places[begin:end] for begin, end in itertools.pairwise(begins)]
    wanted = []
    for first in range(0, 150, block):
        part = dense_rows[first : first + block]
        wanted += [(first + np.flatnonzero(column)).tolist() for column in part.T] + [list(range(first, first + len(part)))]
    assert lists == wanted


def test_where_there_are_units_for_matrices_all_is_multiplied():
    assert Hardware(device="cpu", precision="float32").sparse()
    assert not Hardware(device="cpu", precision="bfloat16").sparse()
