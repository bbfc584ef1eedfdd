"""The pages of docs/ are what the tables of the variants give; the programs in Markdown run and print what is written there."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reference.tables import playable

import eightsenv
from eightsenv import docs, engine, game
from eightsenv.variants import get

ROOT = Path(__file__).resolve().parent.parent
VARIANTS = eightsenv.variants()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return docs.pages()


BY_HAND = {"openspiel.md"}
"""Pages of docs/ that no table gives."""


def test_the_committed_pages_are_those_that_the_tables_give(pages):
    found = (ROOT / "docs").glob("*.md")
    committed = {file.name: file.read_text(encoding="utf-8") for file in found if file.name not in BY_HAND}
    assert set(committed) == set(pages) == {"index.md", *(f"{name}.md" for name in VARIANTS)}
    for name, text in pages.items():
        assert committed[name] == text, f"docs/{name} is old: run python -m eightsenv.docs"


@pytest.mark.slow
def test_the_command_writes_the_same_pages_in_another_process(pages, tmp_path):
    """What the programs print depends on their seeds alone."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-m", "eightsenv.docs", str(tmp_path / "new")], check=True, env=environment)
    assert {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "new").iterdir()} == pages


@pytest.mark.parametrize("name", VARIANTS)
def test_a_page_says_everything(name):
    variant = get(name)
    setting = engine.resolve(variant)
    parts = {part.title.partition(" (")[0]: part for part in docs.parts(variant, setting)}
    for title, part in parts.items():
        assert part.text or part.rows or part.program, f"{title} is empty"
    assert variant.departures and variant.rewards and variant.match_end and variant.history
    assert [row[0] for row in parts["Options"].rows] == list(variant.defaults)
    assert ("Presets" in parts) == bool(variant.presets)
    if variant.presets:
        assert [row[0] for row in parts["Presets"].rows] == list(variant.presets)
    for preset, closed in variant.closed_presets.items():
        assert [row[0] for row in parts[f"The preset {preset}"].rows] == list(closed.defaults)
    counts = {row[0] for row in parts["Players and sizes"].rows}
    low, high = variant.players
    assert counts == {str(n) for n in range(low, high + 1) if playable(name, num_players=n)}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("match", [False, True])
def test_actions_and_slices_are_those_of_the_environment(name, match):
    env = eightsenv.make(name, num_players=2, match=match)
    variant = get(name)
    parts = {part.title.partition(" (")[0]: part for part in docs.parts(variant, env.setting)}
    said = {section: slice(*map(int, where.split(":"))) for section, where, *_ in parts["Observation"].rows}
    assert said == env.fields
    for ids, text in parts["Actions"].rows:
        numbers, texts = ids.split(" to "), text.split(" … ")
        assert [env.action_name(int(number)) for number in numbers] == texts
    env.reset(seed=1)
    sizes = str(env.action_space("agent_0").n), str(len(env.observe("agent_0")["observation"])), str(len(env.state()))
    assert ("2", "match" if match else "hand", *sizes) in parts["Players and sizes"].rows


@pytest.mark.parametrize("name", VARIANTS)
def test_the_options_of_the_departures_can_be_chosen(name):
    """Every piece of code in a departure that sets options gives a setting that differs from the default."""
    variant = get(name)
    default = engine.resolve(variant)
    for text in variant.departures:
        codes = [code for code in re.findall(r"`(.+?)`", text) if "=" in code]
        assert codes, text
        for code in codes:
            call = ast.parse(f"f({code})", mode="eval").body
            given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            assert engine.resolve(variant, **given) != default, code


def test_arguments_of_all_environments():
    assert {name for name, _, _ in docs.ARGUMENTS} == {*game.COMMON, "render_mode"}
    given = {name: ast.literal_eval(default) for name, default, _ in docs.ARGUMENTS}
    for name in VARIANTS:
        assert eightsenv.make(name, **given).setting == eightsenv.make(name).setting
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert docs.table(("argument", "default", "meaning"), docs.ARGUMENTS) in readme


def test_features_in_brief():
    assert docs._bins(("1 cards or more", "2 cards or more", "4 cards or more")) == "1, 2, 4 cards or more"
    assert docs._bins(("dealer is own seat", "dealer is 1 to the left")) == "dealer is own seat, 1 to the left"
    assert docs._bins(("a", "b")) == "a, b" and docs._bins(("alone",)) == "alone"
    assert docs._bins(tuple(f"{k} points" for k in range(40))) == "0 … 39 points"


def test_cells_are_code_where_the_column_is():
    assert docs.table(("option", "meaning"), [("a|b", "c|d")]) == "| option | meaning |\n| --- | --- |\n| `a\\|b` | c\\|d |\n"


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_the_values_of_an_option_name_its_bounds(variant: str):
    """What refuses a number says which would do."""
    game = get(variant)
    closed = (parameter for preset in game.closed_presets.values() for parameter in preset.parameters)
    for option in (*game.options, *closed):
        bounds = [getattr(option.check, side, None) for side in ("low", "high")]
        for bound in (b for b in bounds if b is not None):
            assert str(bound) in option.values.replace("10**9", str(10**9)), option.name
