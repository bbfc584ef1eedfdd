"""The command line that the benchmarks share: bad arguments get one line and exit code 2, and ``--json`` writes the report."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser with ``--json FILE`` whose complaints are one line."""

    def __init__(self, **given: Any):
        super().__init__(allow_abbrev=False, **given)
        self.add_argument("--json", type=Path, metavar="FILE", help="write everything that was found to FILE")

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def parse(parser: Parser, argv: Sequence[str] | None) -> argparse.Namespace | int:
    """The arguments; or the exit code with which to end at once: 0 after ``--help``, 2 for arguments that make no sense."""
    try:
        chosen = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    complaint = None if chosen.json is None else _unwritable(chosen.json)
    if complaint is not None:
        print(f"{parser.prog}: {complaint}", file=sys.stderr)
        return 2
    return chosen


def _unwritable(path: Path) -> str | None:
    """Why a report cannot be written there, if it cannot: said before anything is measured."""
    if not path.resolve().parent.is_dir():
        return f"the folder of {path} does not exist"
    if path.is_dir():
        return f"{path} is a folder"
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        return f"{path} cannot be written"
    return None


def write(path: Path | None, found: Mapping[str, Any]) -> None:
    """Write a report, if there is a file for it."""
    if path is not None:
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
