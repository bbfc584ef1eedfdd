"""Which rules the tests of a file name."""

from __future__ import annotations

import re
from pathlib import Path


def named_rules(file: str, rule: str) -> set[str]:
    """What matches the regular expression ``rule`` in the docstrings of the tests of a file."""
    named: set[str] = set()
    for found in re.finditer(r'^def test_\w+\(.*?\).*?:\n    """(.*?)"""', Path(file).read_text(), re.M | re.S):
        named |= set(re.findall(rule, found[1]))
    return named
