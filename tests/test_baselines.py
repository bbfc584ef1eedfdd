"""The policies that come with the package: whole, small, described, and loaded by name."""

from __future__ import annotations

import json

import pytest

import eightsenv
from eightsenv import agents
from eightsenv.agents import baselines
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.benchmarks import baselines as training
from eightsenv.benchmarks import leaderboard

named = pytest.mark.parametrize("name", baselines.names())


def test_every_variant_has_one():
    assert {name.partition("/")[0] for name in baselines.names()} == set(eightsenv.variants())


@named
def test_it_is_whole_small_and_for_its_setting(name: str):
    file = baselines.path(name)
    assert file.stat().st_size <= training.LARGEST
    saved, setting = checkpoints.load(file), baselines.setting(name)
    assert checkpoints.difference(saved.setting, setting) is None
    assert saved.setting.num_players == baselines.GIVEN[name]["num_players"]


@named
def test_its_model_card_tells_how_it_was_made_and_that_it_beats_greedy(name: str):
    text = baselines.card(name).read_text()
    assert text.startswith(f"# {name}\n")
    for part in ("`eights train ", "--seed ", "--steps ", " s on ", "torch ", f"{baselines.path(name).stat().st_size:,} bytes"):
        assert part in text, part
    (row,) = (line for line in text.splitlines() if line.startswith("| greedy |"))
    mean, half = (float(number) for number in row.split("|")[2].split("±"))
    assert mean > half > 0


@named
def test_it_plays_by_name(name: str):
    setting = baselines.setting(name)
    agent = agents.load(name, setting)
    assert agent.name == name
    env = eightsenv.make(**{"variant": setting.variant, **setting.as_dict()}).unwrapped
    env.reset(seed=3)
    for _ in range(40):
        if env.terminations[env.agents[0]] or env.truncations[env.agents[0]]:
            break
        env.step(agent.act(env))


def test_what_there_is_not_is_refused():
    with pytest.raises(ValueError, match="there is no agent 'crazy_eights_v0/9p'"):
        agents.load("crazy_eights_v0/9p")
    with pytest.raises(ValueError, match="there is no baseline"):
        baselines.path("crazy_eights_v0/9p")
    with pytest.raises(ValueError, match="cannot play this game"):
        agents.load("crazy_eights_v0/4p", baselines.setting("crazy_eights_v0/2p"))


def test_one_that_does_not_beat_greedy_is_not_shipped():
    name = "crazy_eights_v0/2p"
    before = baselines.path(name).read_bytes(), baselines.card(name).read_bytes()
    with pytest.raises(ValueError, match="does not beat the greedy player"):
        training.make(name, steps=1, seed=0, deals=2)
    assert (baselines.path(name).read_bytes(), baselines.card(name).read_bytes()) == before


def test_the_leaderboard_compares_with_greedy(tmp_path, capsys):
    file = tmp_path / "board.json"
    arguments = [
        "--only",
        "crazy_eights_v0/2p",
        "--searches",
        "pimc:1",
        "--deals",
        "20",
        "--search-deals",
        "2",
        "--json",
        str(file),
    ]
    assert leaderboard.main(arguments) == 0
    rows = json.loads(file.read_text())["rows"]
    assert [(row["setting"], row["bot"]) for row in rows] == [
        ("crazy_eights_v0/2p", bot) for bot in ("random", "baseline", "pimc:1")
    ]
    assert rows[0]["advantage"][0] < 0 and rows[0]["deals"] == 20 and rows[2]["games"] == 4
    assert "baseline" in capsys.readouterr().out
    assert leaderboard.main(["--only", "nothing"]) == 2
