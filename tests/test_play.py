"""A person against bots in the terminal: what is shown, what is understood, and how it ends."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

import eightsenv
from eightsenv import cli
from eightsenv.agents import GreedyAgent, RandomAgent
from eightsenv.play import Game, choice
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"
variants = pytest.mark.parametrize("variant", eightsenv.variants())


def run(capsys, monkeypatch, typed: str, *arguments) -> tuple[int, str, str]:
    """The exit code, output and errors of ``eights play`` with lines of input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setenv("COLUMNS", "200")
    code = cli.main(["play", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def session(monkeypatch, typed: str, seat: int = 0, **options) -> tuple[bool, str, eightsenv.EightsEnv]:
    """Whether a game came to its end, its output, and its environment afterwards."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    env = eightsenv.make(options.pop("variant", CRAZY), **options)
    out = io.StringIO()
    bots = {k: GreedyAgent() for k in range(env.num_players) if k != seat}
    ended = Game(env, seat, bots, Console(file=out, width=200)).play(seed=5)
    return ended, out.getvalue(), env


# Playing


@variants
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_by_numbers(variant, seat, monkeypatch):
    """The first legal action again and again: every decision of the log was made by whom it says, and the result is the game's."""
    ended, out, env = session(monkeypatch, "1\n" * 3000, seat, variant=variant)
    assert ended
    assert " ends: " in out or "was stopped after" in out
    rows = re.findall(r"^agent_(\d) +(\w+) +([+-][\d.]+)", out, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(env.num_players))
    assert [row[1] for row in rows] == ["you" if k == seat else "greedy" for k in range(env.num_players)]
    if not any(env.truncations.values()):
        assert np.allclose([float(row[2]) for row in rows], env.payoffs(), atol=1e-3)
    for hand in env.reveal()["hands"]:
        if hand:
            assert " ".join(hand) in out  # open at the end


@variants
def test_everything_public_is_told_once_and_nothing_else(variant, monkeypatch):
    """The lines between the tables are the agent's log, line by line."""
    _, out, env = session(monkeypatch, "1\n" * 3000, 1, variant=variant)
    log = env.log("agent_1")
    told = [line for line in out.splitlines() if line in log or re.match(r"agent_\d |hand \d", line)]
    told = told[: -env.num_players]  # the table of the result
    assert told == log


@variants
def test_no_hidden_card_is_shown_before_the_end(variant, monkeypatch):
    """Each screen has no hand but the own one: rows of the others are numbers of cards."""
    _, out, _ = session(monkeypatch, "1\n" * 3000, 0, variant=variant, max_decisions=200)
    screens = out.split("\n\n")[1:-2]
    assert screens
    for screen in screens:
        for row in re.findall(r"^[> ] agent_(\d+).*: (.*)$", screen, re.MULTILINE):
            assert row[0] == "0" or re.fullmatch(r"\d+ cards", row[1]), screen
    # What another one plays, calls or suffers may bring the person cards.
    others = [line for line in out.splitlines() if re.match(r"agent_[1-9] (?!accept|call|deal|play)", line)]
    assert not any(re.findall(r"\[(.*?)\]", line) for line in others), "the cards that others drew are not told"


def test_a_match_tells_the_totals_after_each_hand(monkeypatch):
    ended, out, env = session(monkeypatch, "1\n" * 3000, num_players=2, match=True, rounds=3)
    assert ended and out.count("totals: ") == 3
    last = out.rpartition("totals: ")[2].splitlines()[0]
    assert last == " ".join(f"agent_{k} {score:g}" for k, score in enumerate(env.reveal()["scores"]))


def test_the_same_seed_gives_the_same_game(capsys, monkeypatch):
    typed = "1\n" * 3000
    first = run(capsys, monkeypatch, typed, CRAZY, "--seed", 3, "--opponents", "random")
    assert first[0] == 0 and run(capsys, monkeypatch, typed, CRAZY, "--seed", 3, "--opponents", "random") == first
    assert run(capsys, monkeypatch, typed, CRAZY, "--seed", 4, "--opponents", "random") != first


def test_options_and_opponents_reach_the_game(capsys, monkeypatch):
    arguments = ("--players", 3, "--seat", 2, "--set", "hand_size=2", "--opponents", "greedy", "--opponents", "random", "--seed", 1)
    code, out, _ = run(capsys, monkeypatch, "1\n" * 3000, CRAZY, *arguments)
    assert code == 0 and "agent_2 of 3" in out
    rows = re.findall(r"^agent_(\d) +(\w+) ", out, re.MULTILINE)[-3:]
    assert rows == [("0", "greedy"), ("1", "random"), ("2", "you")]  # from the left: agent_0, then agent_1


@pytest.mark.parametrize(
    ("variant", "preset"),
    [(name, preset) for name in eightsenv.variants() for preset in (*get(name).presets, *get(name).closed_presets)],
)
def test_every_preset_can_be_played(variant, preset, capsys, monkeypatch):
    code, out, err = run(capsys, monkeypatch, "1\nq\n", variant, "--rules", preset, "--seed", 1)
    assert code == 0 and err == "" and "agent_0> " in out


# Input


NAMES = ["play 8C", "play 8D", "play TC", "play 2C", "draw", "suit H"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", 0), ("6", 5), ("draw", 4), ("DRAW", 4), ("d", 4), ("play 8c", 0), ("8D", 1), ("10c", 2), ("play 10", 2), ("tc", 2),
        ("play t", 2), ("h", 5), ("s", 5), ("2", 3 - 2),
    ],
)  # fmt: skip
def test_what_a_typed_line_means(typed, meant):
    assert choice(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "1 to 6"), ("0", "none of the legal"), ("7", "none of the legal"), ("play", "may be play 8C, play 8D"),
        ("8", "may be play 8C, play 8D"), ("fold", "none of the legal"), ("-1", "none of the legal"), ("²", "none of the legal"),
    ],
)  # fmt: skip
def test_what_no_line_may_mean(typed, says):
    with pytest.raises(ValueError, match=says):
        choice(typed, NAMES)


def test_an_empty_line_takes_the_only_action():
    assert choice("", ["pass"]) == 0


def test_bad_input_asks_again_and_changes_nothing(monkeypatch):
    _, out, env = session(monkeypatch, "what\n\n99\nplay ZZ\n-1\n[bold]\n", num_players=2, hand_size=13)
    assert out.count("agent_0> ") == 7 and out.count("none of the legal actions") == 5
    assert out.count("Choose one of") == 1
    assert not any(line.startswith("agent_0 ") for line in env.log())


def test_help_and_hint(monkeypatch):
    _, out, env = session(monkeypatch, "?\nhint\n")
    assert "Choose an action by its number" in out
    assert f"greedy: {env.action_name(int(env.core.choose('greedy')[0]))}" in out


def test_a_hint_is_legal_and_can_be_followed(monkeypatch):
    _, out, _ = session(monkeypatch, "hint\n")
    hint = re.search(r"greedy: (.*)", out)[1]
    _, out, env = session(monkeypatch, f"{hint}\n")
    assert f"agent_0 {hint}" in env.log()


# Leaving


@pytest.mark.parametrize("typed", ["q\n", "1\nquit\n", "Q\n"])
def test_q_leaves(capsys, monkeypatch, typed):
    code, out, err = run(capsys, monkeypatch, typed, CRAZY, "--seed", 1)
    assert code == 0 and err == "" and out.endswith("The game is left.\n")


@pytest.mark.parametrize("typed", ["", "1\n", "nonsense"])
def test_the_end_of_the_input_leaves(capsys, monkeypatch, typed):
    code, out, err = run(capsys, monkeypatch, typed, CRAZY, "--seed", 1)
    assert code == 0 and err == "" and out.endswith("The input has ended: the game is left.\n")


def test_control_c_is_one_line_and_exit_code_130():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", "eightsenv.cli", "play", CRAZY, "--seed", "1"],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        shown = b""
        while b"agent_0> " not in shown:
            part = child.stdout.read1(4096)
            assert part, child.stderr.read()
            shown += part
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130 and err.decode().splitlines()[-1] == "eights: interrupted" and b"Traceback" not in err


# Refusals


@pytest.mark.parametrize(
    "arguments",
    [
        ["no_such_variant_v0"],
        [CRAZY, "--seat", 4],
        [CRAZY, "--seat", -1],
        [CRAZY, "--players", 9],
        [CRAZY, "--opponents", "gredy"],
        [CRAZY, "--opponents", "greedy", "--opponents", "random"],
        [CRAZY, "--seed", -1],
        [CRAZY, "--set", "hand_sise=3"],
        [CRAZY, "--rules", "no such preset"],
    ],
)
def test_bad_arguments_are_one_line(capsys, monkeypatch, arguments):
    code, out, err = run(capsys, monkeypatch, "1\n", *arguments)
    assert code == 2 and out == "" and err.startswith("eights: ") and err.count("\n") == 1


def test_a_checkpoint_plays_as_it_was_trained(capsys, monkeypatch, tmp_path):
    pytest.importorskip("safetensors")
    from eightsenv import engine
    from eightsenv.agents import checkpoint as checkpoints
    from eightsenv.agents.net import Layout
    from eightsenv.variants import get

    setting = engine.resolve(get(CRAZY), num_players=2, hand_size=3)
    core = engine.VectorCore(get(CRAZY), setting, np.zeros(1, np.uint64))
    layout = Layout(core.num_features, (8,), core.num_actions)
    tensors = {f"policy.{name}": np.zeros(shape, np.float32) for name, shape in layout.shapes().items()}
    path = tmp_path / "bot.safetensors"
    checkpoints.save(path, checkpoints.Checkpoint(setting, layout, tensors, {}))
    code, out, err = run(capsys, monkeypatch, "1\n" * 3000, CRAZY, "--opponents", path, "--seed", 1)
    assert code == 0, err
    assert "agent_0 of 2" in out
    code, _, err = run(capsys, monkeypatch, "1\n", CRAZY, "--opponents", path, "--players", 3)
    assert code == 2 and "num_players=2" in err


def test_every_seat_needs_a_bot():
    env = eightsenv.make(CRAZY, num_players=3)
    game = Game(env, 1, {0: RandomAgent(), 2: GreedyAgent()}, Console(file=io.StringIO()))
    assert game.agent == "agent_1"
