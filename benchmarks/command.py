"""The command line that the benchmarks share: bad arguments get one line and exit code 2, and ``--json`` writes the report."""

from __future__ import annotations

import argparse
import json
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
    if chosen.json is not None and not chosen.json.resolve().parent.is_dir():
        print(f"{parser.prog}: the folder of {chosen.json} does not exist", file=sys.stderr)
        return 2
    return chosen


def write(path: Path | None, found: Mapping[str, Any]) -> None:
    """Write a report, if there is a file for it."""
    if path is not None:
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
