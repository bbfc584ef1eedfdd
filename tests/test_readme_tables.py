"""The README's tables are what a benchmark wrote, and nothing else of the README changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eightsenv.benchmarks import readme

ROOT = Path(__file__).resolve().parent.parent
REPORT = {
    "benchmark": "throughput",
    "date": "2030-01-02T03:04:05+00:00",
    "machine": {"cpu": "a processor", "cores": 3, "system": "Linux", "python": "3.99.1"},
    "versions": {"numba": "9.8.7"},
    "scale": {"rounds": 5},
    "measured": [{"name": "one thing", "unit": "decisions/s", "median": 12_345_678.0}],
    "bounds": [{"what": "a ratio", "value": 0.51234, "limit": 0.5, "at_most": True, "reached": False}],
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    text, report = tmp_path / "README.md", tmp_path / "speed.json"
    text.write_text("before\n<!-- throughput: begin -->\nold\n<!-- throughput: end -->\nafter\n")
    report.write_text(json.dumps(REPORT))
    return text, report


def test_a_report_replaces_what_stands_between_its_marks(files):
    text, report = files
    assert readme.main([str(report), "--readme", str(text)]) == 0
    written = text.read_text()
    assert written.startswith("before\n<!-- throughput: begin -->\n") and written.endswith("\n<!-- throughput: end -->\nafter\n")
    assert "| one thing | 12.3 M/s |" in written and "| a ratio | 0.512 | ≤ 0.5 | not reached |" in written
    assert "2030-01-02" in written and "3 cores" in written and "old" not in written
    assert readme.main([str(report), "--readme", str(text)]) == 0
    assert text.read_text() == written


@pytest.mark.parametrize(
    ("readme_text", "report_text", "says"),
    [
        ("no marks", json.dumps(REPORT), "has no place for throughput"),
        (None, "{", "readme:"),
        (None, json.dumps({"benchmark": "another"}), "not the report of a benchmark"),
        (None, json.dumps({"benchmark": ["throughput"]}), "not the report of a benchmark"),
        (None, json.dumps({"benchmark": "throughput"}), "lacks what a report of throughput has"),
        (None, "[]", "not the report of a benchmark"),
        (None, json.dumps(REPORT | {"date": 3}), "lacks what a report of throughput has"),
        (None, json.dumps(REPORT | {"measured": [{"name": "x", "unit": "decisions/s", "median": "much"}]}), "lacks what a report"),
    ],
)
def test_what_does_not_fit_changes_nothing(files, capsys, readme_text: str | None, report_text: str, says: str):
    text, report = files
    if readme_text is not None:
        text.write_text(readme_text)
    before = text.read_text()
    report.write_text(report_text)
    assert readme.main([str(report), "--readme", str(text)]) == 2
    assert says in capsys.readouterr().err and text.read_text() == before


def test_the_readme_has_a_place_for_each_benchmark():
    text = (ROOT / "README.md").read_text()
    for name in readme.TABLES:
        assert readme.put(text, name, "x") != text
