"""Run notebooks and keep what they print: ``python notebooks/execute.py NOTEBOOK…``; without arguments all of this folder."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def executed(file: Path, seconds: int = 500) -> nbformat.NotebookNode:
    """The notebook as a new run leaves it, without times, versions and what was said on standard error.

    It runs in an empty folder. Raises ``CellExecutionError`` when a cell does, and ``RuntimeError`` when files are left behind.
    """
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=seconds, kernel_name="python3", resources=resources)
        client.record_timing, client.coalesce_streams = False, True
        client.execute(env=_environment())
        if list(Path(folder).iterdir()):
            raise RuntimeError(f"{file} leaves files behind")
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def _environment() -> dict[str, str]:
    """What the notebook's process gets: ours, with the folders of ``PYTHONPATH`` as they are seen from here."""
    folders = os.environ.get("PYTHONPATH", "")
    absolute = os.pathsep.join(map(os.path.abspath, folders.split(os.pathsep)))
    return {**os.environ, **({"PYTHONPATH": absolute} if folders else {})}


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(map(str, Path(__file__).parent.glob("*.ipynb"))):
        nbformat.write(executed(Path(name)), name)
