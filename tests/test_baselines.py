"""The policies that come with the package: whole, small, described, and loaded by name; how they are made, and the leaderboard."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors")

import eightsenv
from eightsenv import agents, cli
from eightsenv.agents import baselines
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.benchmarks import leaderboard, matches, readme

named = pytest.mark.parametrize("name", baselines.names())
CRAZY, FOUR, TWO = "crazy_eights_v0", "crazy_eights_v0/4p", "crazy_eights_v0/2p"
ROOT = Path(__file__).resolve().parent.parent
ALL_TOGETHER = 5_000_000
"""Bytes of all policies and cards."""


def shipped(name: str) -> tuple[bytes, bytes]:
    return baselines.path(name).read_bytes(), baselines.card(name).read_bytes()


# What is shipped


def test_every_variant_has_one():
    assert {name.partition("/")[0] for name in baselines.names()} == set(eightsenv.variants())


def test_nothing_else_is_shipped_and_all_is_small():
    files = {*map(baselines.path, baselines.names()), *map(baselines.card, baselines.names())}
    assert set(baselines.FOLDER.iterdir()) == files
    assert sum(file.stat().st_size for file in files) < ALL_TOGETHER
    assert max(file.stat().st_size for file in files) <= 1_000_000


@named
def test_it_is_for_its_setting(name: str):
    saved, setting = checkpoints.load(baselines.path(name)), baselines.setting(name)
    assert checkpoints.difference(saved.setting, setting) is None
    assert setting.variant == name.partition("/")[0] and not setting.match
    assert {key: setting.as_dict()[key] for key in baselines.GIVEN[name]} == baselines.GIVEN[name]


@named
def test_its_model_card_tells_how_it_was_made_and_that_it_beats_greedy(name: str):
    text, data = baselines.card(name).read_text(encoding="utf-8"), baselines.path(name).read_bytes()
    assert text.startswith(f"# {name}\n")
    for part in (" s on ", "torch ", f"{len(data):,} bytes", hashlib.sha256(data).hexdigest()):
        assert part in text, part
    (steps,) = re.findall(rf"`eights train {name.partition('/')[0]} --players \d .*--steps (\d+) --seed \d+`", text)
    trained = checkpoints.load(baselines.path(name)).counters["steps"]
    assert int(steps) <= trained < 1.1 * int(steps)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if " ± " in line and "|" in line]
    table = {(one, others): (points, deals) for one, others, points, _, deals in rows}
    policy = "this policy"
    for others in ("`greedy`", "`random`"):
        mean, half = (float(number) for number in table[policy, others][0].split("±"))
        assert mean > half > 0, others
    searches = {one for one, others in table if others == policy}
    assert len(searches) >= 2 and len(table) == 2 + len(searches)
    for search in searches:  # and a sentence says what that means
        mean, half = (float(number) for number in table[search, policy][0].split("±"))
        word = "cannot be told apart" if abs(mean) <= half else "better" if mean > 0 else "worse"
        assert any(line.startswith(f"- {search}") and word in line for line in text.splitlines()), search


@named
def test_it_plays_by_name(name: str):
    setting = baselines.setting(name)
    agent = agents.load(name, setting)
    assert agent.name == name
    env = eightsenv.make(setting.variant, **setting.as_dict())
    env.reset(seed=3)
    first = env.agent_selection
    action = agent.act(env)
    assert env.observe(first)["action_mask"][action] == 1
    result = evaluate([agent, agents.load("random")], setting, deals=40, seed=3)
    assert result.advantage.mean > 0 and np.isfinite(result.advantage.half_width)


@pytest.mark.slow
@named
def test_it_beats_greedy_on_other_deals(name: str):
    """With an interval clear of zero, on deals that neither its training nor its card has seen."""
    result = evaluate([agents.load(name), agents.load("greedy")], baselines.setting(name), deals=20_000, seed=77)
    assert result.advantage.mean > result.advantage.half_width


# Names


def test_what_there_is_not_is_refused_in_one_short_sentence():
    for name in (f"{CRAZY}/9p", f"{CRAZY}/", CRAZY):
        with pytest.raises(ValueError, match=f"there is no agent '{name}'.*{TWO}, {FOUR}, and the paths of checkpoints") as refused:
            agents.load(name)
        assert "eight_ball" not in str(refused.value)  # others would not help
    with pytest.raises(ValueError, match="there is no agent 'gredy'") as refused:
        agents.load("gredy")
    assert all(name in str(refused.value) for name in baselines.names()) and len(str(refused.value)) < 500
    for ask in (baselines.path, baselines.card, baselines.setting):
        with pytest.raises(ValueError, match=f"there is no baseline '{CRAZY}/9p'; there are {TWO}, {FOUR}$"):
            ask(f"{CRAZY}/9p")
    with pytest.raises(ValueError, match="cannot play this game: it is for num_players=4, not for num_players=2"):
        agents.load(FOUR, baselines.setting(TWO))


def test_a_name_is_no_path(tmp_path, monkeypatch):
    """A file of the same name is a checkpoint by ckpt: only, for single agents and in tournaments."""
    from eightsenv.agents.pairing import plan

    (tmp_path / CRAZY).mkdir()
    (tmp_path / TWO).write_bytes(b"nothing")
    monkeypatch.chdir(tmp_path)
    assert agents.load(TWO).name == TWO
    planned = plan(baselines.setting(TWO), ["greedy", TWO], deals=1)
    assert [entrant.spec for entrant in planned.entrants] == ["greedy", TWO]
    assert planned.entrants[1].identity == f"sha256:{hashlib.sha256(baselines.path(TWO).read_bytes()).hexdigest()}"
    with pytest.raises(ValueError, match="is not a checkpoint"):
        agents.load(f"ckpt:{TWO}")


# The command line


def run(capsys, *arguments) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_it_is_evaluated_by_name_in_its_own_setting(capsys):
    code, out, err = run(capsys, "evaluate", "eights_v0/partners", "greedy", "--deals", 4, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert found["variant"] == "eights_v0" and found["setting"]["partnership"] is True
    assert [row["agent"] for row in found["agents"]] == ["eights_v0/partners", "greedy"]
    code, out, err = run(capsys, "evaluate", FOUR, "greedy", "--players", 2)
    assert code == 2 and out == "" and err.count("\n") == 1 and "num_players=4" in err
    code, out, err = run(capsys, "evaluate", f"{CRAZY}/9p", "greedy")
    assert code == 2 and out == "" and err.count("\n") == 1 and TWO in err


def test_it_plays_tournaments_by_name(capsys, tmp_path):
    pytest.importorskip("openskill")
    arguments = ("tournament", CRAZY, "--agents", "random", "greedy", TWO, "--deals", 4, "--workers", 1)
    code, out, err = run(capsys, *arguments, "--out", tmp_path / "run", "--json")
    found = json.loads(out)
    assert code == 0, err
    assert found["setting"]["num_players"] == 2
    assert [standing["agent"] for standing in found["agents"]] == ["random", "greedy", TWO]


def test_it_is_an_opponent_by_name(capsys, monkeypatch):
    def leave(*_):
        raise EOFError

    monkeypatch.setattr("builtins.input", leave)
    _, out, _ = run(capsys, "play", CRAZY, "--opponents", TWO, "--seed", 1)
    assert "agent_0 of 2" in out


# How they are made


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A place of their own for those that a test makes: the package's are only read."""
    shutil.copytree(baselines.FOLDER, tmp_path / "weights")
    monkeypatch.setattr(baselines, "FOLDER", tmp_path / "weights")
    return baselines.FOLDER


def tiny(**changed):
    training = pytest.importorskip("eightsenv.benchmarks.baselines")
    return training, training.Scale(**{"steps": 1, "deals": 2, "searches": (), "search_deals": 1} | changed)


def test_one_that_does_not_beat_greedy_for_certain_is_not_shipped(folder, capsys, monkeypatch):
    training, scale = tiny()
    monkeypatch.setattr(training, "certain", lambda gap: 0)  # by so little training and so few deals it is a matter of luck
    before = shipped(TWO)
    with pytest.raises(training.NotShippedError, match="does not beat the greedy player for certain"):
        training.make(TWO, scale)
    assert training.main([TWO, "--steps", "1", "--deals", "2"]) == 1
    assert "does not beat" in capsys.readouterr().out
    assert shipped(TWO) == before


def test_what_is_certain():
    """That an interval is clear of zero: a comparison that decides nothing is not one in anybody's favour."""
    gaps = (0.5, 0.4), (-0.5, 0.4), (0.4, 0.4), (-0.3, 0.4), (0.0, 0.0), (0.4, None)
    assert [matches.certain(Estimate(*gap)) for gap in gaps] == [1, -1, 0, 0, 0, 0]


def test_one_that_is_too_large_is_not_shipped(folder, monkeypatch):
    training, scale = tiny()
    monkeypatch.setattr(training, "LARGEST", 1_000)
    before = shipped(TWO)
    with pytest.raises(training.NotShippedError, match="bytes, more than 1000"):
        training.make(TWO, scale)
    assert shipped(TWO) == before


def test_one_that_does_is_written_with_its_card(folder, monkeypatch):
    """Judged by others: what counts here is what is written."""
    training, scale = tiny(searches=("pimc:1",))
    monkeypatch.setattr(training, "certain", lambda gap: 1)
    told = []
    made = training.make("eights_v0/partners", scale, lambda what, done, total: told.append(what))
    data, text = (part for part in shipped("eights_v0/partners"))
    assert data == made.data and hashlib.sha256(data).hexdigest() in text.decode()
    assert "`eights train eights_v0 --players 4 --set partnership=True --steps 1 --seed 0`" in text.decode()
    assert "| `pimc:1` | this policy |" in text.decode() and "- `pimc:1` plays better" in text.decode()
    assert "on one side" in text.decode() and "a side wins 50 % of the games" in text.decode()
    assert told[0] == "training" and told[-1] == "pimc:1 against eights_v0/partners"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([f"{CRAZY}/9p"], TWO),
        ([TWO, "--searches", "mcts:5"], "mcts:5"),
        ([TWO, "--deals", "0"], "deals"),
        ([TWO, "--steps", "-1"], "steps"),
        ([TWO, "--quack"], "--quack"),
        ([TWO, "--json", "/no/such/folder/a.json"], "/no/such/folder"),
    ],
)
def test_bad_arguments_exit_2_with_one_line(folder, arguments, word, capsys):
    training, _ = tiny()
    before = shipped(TWO)
    assert training.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1 and word in printed.err
    assert shipped(TWO) == before


# The leaderboard

QUICK = ["--searches", "pimc:1", "--games", "40", "--search-games", "4"]


def test_the_leaderboard_compares_with_greedy_and_with_the_baseline(tmp_path, capsys):
    file = tmp_path / "board.json"
    assert leaderboard.main([*QUICK, "--only", TWO, "eights_v0/partners", "--json", str(file)]) == 0
    rows = json.loads(file.read_text())["rows"]
    bots = ["random", "greedy", "baseline", "pimc:1"]
    assert [(row["setting"], row["bot"]) for row in rows] == [(name, bot) for name in (TWO, "eights_v0/partners") for bot in bots]
    random, greedy, baseline, search = rows[:4]
    assert (
        random["over_greedy"][0] < 0
        and random["over_baseline"][0] < 0
        and random["deals"] == 20
        and search["deals"] == 2
        and rows[4]["deals"] == 10
    )
    assert greedy["over_greedy"] is None and baseline["over_baseline"] is None
    # Two on equal deals: what one gains the other loses.
    assert greedy["over_baseline"][0] == pytest.approx(-baseline["over_greedy"][0])
    assert all(row["wins_equal"] == 0.5 for row in rows)
    assert all(0 <= row["wins_greedy"][0] <= 1 for row in rows if row["wins_greedy"])
    printed = capsys.readouterr().out
    assert "points over the baseline" in printed and "pimc:1" in printed
    table = readme.TABLES["leaderboard"](json.loads(file.read_text()))
    assert table.count("\n| ") >= len(rows) and f"| {TWO} | pimc:1 |" in table and "(agents/weights/crazy_eights_v0-2p.md)" in table


def test_the_leaderboard_goes_on_where_it_was_interrupted(tmp_path, monkeypatch):
    file, played = tmp_path / "board.json", []
    play = leaderboard.Job.play

    def watched(job):
        if len(played) == 3:
            raise KeyboardInterrupt
        played.append(job.bot)
        return play(job)

    monkeypatch.setattr(leaderboard.Job, "play", watched)
    with pytest.raises(KeyboardInterrupt):
        leaderboard.main([*QUICK, "--only", TWO, "--json", str(file)])
    assert [row["bot"] for row in json.loads(file.read_text())["rows"]] == played == ["random", "greedy", "baseline"]
    played.clear()
    assert leaderboard.main([*QUICK, "--only", TWO, "--json", str(file)]) == 0
    assert played == ["pimc:1"]
    # Other settings are added; rows that depend on something else are played anew, and bots that are not asked for go.
    played.clear()
    assert leaderboard.main(["--searches", "--games", "40", "--only", FOUR, "--json", str(file)]) == 0
    assert len(json.loads(file.read_text())["rows"]) == 7
    played.clear()
    assert leaderboard.main(["--searches", "--games", "42", "--only", TWO, "--json", str(file)]) == 0
    rows = json.loads(file.read_text())["rows"]
    assert [(row["setting"], row["deals"]) for row in rows] == [(TWO, 21)] * 3 + [(FOUR, 10)] * 3


def test_the_readme_shows_every_bot_in_every_setting():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text[text.index("<!-- leaderboard: begin -->") : text.index("<!-- leaderboard: end -->")]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines() if " ± " in line and line.startswith("|")
    ]
    for name in baselines.names():
        shown = {bot.partition("]")[0].lstrip("["): over_greedy for setting, bot, over_greedy, *_ in rows if setting == name}
        assert list(shown) == [*leaderboard.FIXED, *leaderboard.SEARCHES], name
        mean, half = (float(number) for number in shown["baseline"].split("±"))
        assert mean > half > 0, name
    for path in re.findall(r"\((agents/weights/.*?)\)", text):
        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--only", "nothing"], "there is no baseline 'nothing'"),
        (["--searches", "mcts:5", "--only", TWO], "mcts:5"),
        (["--only", TWO, "--games", "1"], "as many games as there are players"),
        (["--quack"], "--quack"),
        (["--json", "FILE"], "is not the report of a leaderboard"),
    ],
)
def test_bad_arguments_of_the_leaderboard_exit_2_with_one_line(arguments, word, capsys, tmp_path):
    file = tmp_path / "other.json"
    file.write_text("{}")
    assert leaderboard.main([str(file) if argument == "FILE" else argument for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1 and word in printed.err
    assert file.read_text() == "{}"
