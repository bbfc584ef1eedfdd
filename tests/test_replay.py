"""Records of games, and ``eights replay``, which tells them again."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from reference.deals import fresh, legal

import eightsenv
from eightsenv import cli
from eightsenv.adapters.record import Record


def recorded(path: Path, variant: str, seed: int, moves: int = 40):
    """An environment after some random decisions, and its record in a file."""
    env, rng = fresh(seed, variant=variant, match=True), random.Random(seed)
    for _ in range(moves):
        if env.terminations["agent_0"] or env.truncations["agent_0"]:
            break
        env.step(env.action_id(rng.choice(legal(env))))
    path.write_text(env.record())
    return env


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_a_record_tells_what_the_log_told(variant: str, tmp_path: Path, capsys):
    env = recorded(tmp_path / "game.json", variant, 5)
    for seat in (None, 1):
        chosen = [] if seat is None else ["--seat", str(seat)]
        assert cli.main(["replay", str(tmp_path / "game.json"), *chosen]) == 0
        assert capsys.readouterr().out.splitlines() == env.log(None if seat is None else f"agent_{seat}")


def test_tables_are_shown_as_a_seat_saw_them(tmp_path: Path, capsys):
    env = recorded(tmp_path / "game.json", "crazy_eights_v0", 2, moves=6)
    assert cli.main(["replay", str(tmp_path / "game.json"), "--seat", "2", "--tables"]) == 0
    shown = capsys.readouterr().out
    hands = env.reveal()["hands"]
    assert f"agent_2 (you): {' '.join(sorted(hands[2]))}" in shown or all(card in shown for card in hands[2])
    assert shown.count("agent_0:") == 7 and "agent_1: " in shown


def test_what_a_person_plays_is_recorded(tmp_path: Path, capsys, monkeypatch):
    lines = iter(["1"] * 3)
    monkeypatch.setattr("rich.console.Console.input", lambda *given, **more: next(lines, "q"))
    file = tmp_path / "game.json"
    assert cli.main(["play", "crazy_eights_v0", "--seed", "3", "--record", str(file)]) == 0
    record = Record(file)
    events = [event for told, _ in record.steps() for event in told]
    assert len(record.entries) >= 3 and len(events) > len(record.entries)
    assert cli.main(["play", "crazy_eights_v0", "--record", str(tmp_path / "none" / "game.json")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda about: about.pop("entries"), "is not the record of a game"),
        (lambda about: about.update(version=9), "version 9 of crazy_eights_v0"),
        (lambda about: about.update(variant="bridge_v0"), "there is no variant 'bridge_v0'"),
        (lambda about: about["setting"].update(num_players=40), "takes 2 to 8 players"),
        (lambda about: about["entries"].insert(0, 9999), "is damaged"),
        (lambda about: about["origin"].pop("seed"), "is damaged"),
    ],
)
def test_a_bad_record_is_refused_in_a_sentence(change, says: str, tmp_path: Path, capsys):
    file = tmp_path / "game.json"
    recorded(file, "crazy_eights_v0", 1, moves=5)
    about = json.loads(file.read_text())
    change(about)
    file.write_text(json.dumps(about))
    assert cli.main(["replay", str(file)]) == 2
    assert says in capsys.readouterr().err


def test_other_files_and_seats_are_refused(tmp_path: Path, capsys):
    file = tmp_path / "game.json"
    for text in ("", "[]", "{", '{"format": 1}'):
        file.write_text(text)
        assert cli.main(["replay", str(file)]) == 2
        assert "is not the record of a game" in capsys.readouterr().err
    assert cli.main(["replay", str(tmp_path / "nothing.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    recorded(file, "crazy_eights_v0", 1, moves=1)
    assert cli.main(["replay", str(file), "--seat", "4"]) == 2
    assert "--seat is a seat from 0 to 3" in capsys.readouterr().err
