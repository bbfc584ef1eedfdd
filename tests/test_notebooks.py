"""The notebooks run, and print what they are committed with."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
by_name = pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell) -> str:
    """What a cell printed and showed, as text; of a picture only that it was shown. In how many pieces it came is chance."""
    texts = [output.text if output.output_type == "stream" else output.data["text/plain"] for output in cell.outputs]
    return "".join(texts)


@by_name
def test_it_is_committed_as_one_run_from_top_to_bottom(file):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert all(output.output_type != "error" and output.get("name", "stdout") == "stdout" for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.slow
@by_name
def test_a_new_run_prints_the_same(file, monkeypatch):
    pytest.importorskip("nbclient")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", ".")  # the kernel runs in another folder
    spec = importlib.util.spec_from_file_location("execute", ROOT / "notebooks" / "execute.py")
    execute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(execute)
    committed, again = nbformat.read(file, as_version=4), execute.executed(file)
    for before, after in zip(code_cells(committed), code_cells(again), strict=True):
        assert printed(after) == printed(before), after.source
