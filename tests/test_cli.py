"""The command line: results, refusals in one line, exit codes, and what it does not import."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys

import pytest

import eightsenv
from eightsenv import cli
from eightsenv.commands import common
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"


def run(capsys, *arguments):
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def process(*arguments, program=("-m", "eightsenv.cli"), **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    return subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"eightsenv {eightsenv.__version__}\n", "")


@pytest.mark.parametrize("command", ["variants", "rules", "warmup", "play", "train", "evaluate", "tournament"])
def test_every_command_has_help_with_an_example(capsys, command):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0 and f"eights {command}" in out and "Example" in out


def test_variants(capsys):
    code, out, _ = run(capsys, "variants")
    assert code == 0
    for name in eightsenv.variants():
        assert name in out


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_rules_come_from_the_tables(variant, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    code, out, _ = run(capsys, "rules", variant, "--players", "3", "--match")
    game = get(variant)
    setting = eightsenv.engine.resolve(game, num_players=3, match=True)
    assert code == 0
    assert game.summary in out
    for option in game.options:
        assert option.name in out and option.meaning in out
    for section in game.sections(setting):
        assert section.name in out and section.meaning in out
    assert game.actions(setting)[0] in out and f"{sum(s.size for s in game.sections(setting))} features" in out
    assert variant != CRAZY or ("0 to 51" in out and "play 2C … play AS" in out)


def test_evaluate_and_train_say_how_a_variant_is_practised(capsys):
    """High-low Eights leaves nothing to decide by default: agents are compared where it does, unless they are asked not to."""
    assert common.named("high_low_eights_v0", {"voluntary_pass": True}) == "high_low_eights_v0 with voluntary_pass=True"
    assert common.named(CRAZY, {}) == CRAZY
    arguments = ("evaluate", "greedy", "random", "--variant", "high_low_eights_v0", "--deals", "50", "--json")
    assert json.loads(run(capsys, *arguments)[1])["setting"]["voluntary_pass"] is True
    literal = json.loads(run(capsys, *arguments, "--set", "voluntary_pass=False")[1])
    assert literal["setting"]["voluntary_pass"] is False and abs(literal["advantage"]["mean"]) < 1e-9


def test_evaluate_prints_a_table_or_json(capsys):
    code, out, _ = run(capsys, "evaluate", "greedy", "random", "--deals", "200", "--seed", "3", "--json")
    assert code == 0
    result = json.loads(out)
    assert result["deals"] == 200 and result["games"] == 800 and result["advantage"]["mean"] > 0
    assert run(capsys, "evaluate", "greedy", "random", "--deals", "200", "--seed", "3", "--json")[1] == out
    code, out, _ = run(capsys, "evaluate", "greedy", "random", "--deals", "200", "--seed", "3")
    assert code == 0 and "Advantage of greedy" in out and f"{result['advantage']['mean']:+.2f}" in out


def test_options_reach_the_game(capsys):
    arguments = ("--players", 2, "--match", "--reward", "win", "--set", "rounds=2", "--set", "score_mode=collect_high_wins")
    code, out, _ = run(capsys, "evaluate", "greedy", "random", "--deals", 5, "--json", *arguments)
    setting = json.loads(out)["setting"]
    assert code == 0
    assert (setting["num_players"], setting["match"], setting["reward"]) == (2, True, "win")
    assert (setting["rounds"], setting["score_mode"]) == (2, "collect_high_wins")


def test_option_texts():
    parsed = common.parse_options(["a=3", "b=auto", "c=None", "d='x'", "e={'Q': 'skip'}", "f=True", "g=a=b", "h=", "wild_rank='8'"])
    assert parsed == {
        "a": 3, "b": "auto", "c": None, "d": "x", "e": {"Q": "skip"}, "f": True, "g": "a=b", "h": "", "wild_rank": "8",
    }  # fmt: skip
    assert common.parse_options(["x=__import__('os').getcwd()"]) == {"x": "__import__('os').getcwd()"}  # text, never run
    for bad in ["a"], ["=3"], ["a b=3"], ["a=1", "a=2"]:
        with pytest.raises(ValueError):
            common.parse_options(bad)


REFUSED = {
    "no-such-command": ["shuffle"],
    "no-such-flag": ["evaluate", "greedy", "--dealz", 3],
    "no-agents": ["evaluate"],
    "no-such-agent": ["evaluate", "greedy", "gredy"],
    "no-search": ["evaluate", "ismcts:0", "greedy"],
    "not-a-number": ["evaluate", "greedy", "random", "--deals", "many"],
    "no-deals": ["evaluate", "greedy", "random", "--deals", 0],
    "bad-seed": ["evaluate", "greedy", "random", "--seed", -1],
    "too-many-agents": ["evaluate", "greedy", "random", "random", "--players", 2],
    "too-many-players": ["evaluate", "greedy", "random", "--players", 9],
    "no-such-option": ["evaluate", "greedy", "random", "--set", "hand_sise=3"],
    "bad-option": ["evaluate", "greedy", "random", "--set", "hand_size=99"],
    "option-without-value": ["evaluate", "greedy", "random", "--set", "hand_size"],
    "given-twice": ["evaluate", "greedy", "random", "--players", 2, "--set", "num_players=3"],
    "no-such-variant": ["rules", "crazy_nines_v0"],
    "variant-of-evaluate": ["evaluate", "greedy", "--variant", "crazy_nines_v0"],
    "no-such-algorithm": ["train", CRAZY, "--algo", "dqn"],
    "nothing-to-resume": ["train", CRAZY, "--resume", "--out", "no/such/run"],
    "resume-what": ["train", CRAZY, "--resume"],
    "no-steps": ["train", CRAZY, "--steps", 0, "--out", "never"],
    "negative-seed": ["train", CRAZY, "--seed", -1, "--out", "never"],
    "train-no-such-variant": ["train", "crazy_nines_v0"],
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_one_line_and_exit_code_2(capsys, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2 and out == ""
    assert err.startswith("eights: ") and err.count("\n") == 1 and "Traceback" not in err
    assert os.listdir(tmp_path) == []  # nothing was begun


def test_a_file_that_is_no_checkpoint_is_refused(capsys, tmp_path):
    pytest.importorskip("safetensors")
    (tmp_path / "bot.safetensors").write_bytes(b"PK\x03\x04 not a checkpoint")
    code, out, err = run(capsys, "evaluate", tmp_path / "bot.safetensors", "greedy")
    assert (code, out) == (2, "") and "not a checkpoint" in err and err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.timeout(1500)  # with an empty cache it compiles everything that there is
def test_warmup_compiles_every_kernel(capsys):
    code, out, _ = run(capsys, "warmup")
    assert code == 0 and "compiled" in out
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    for name in eightsenv.variants():
        game = get(name)
        rule_set = game.rule_set
        kernels = dict(vars(eightsenv.engine.specialise(rule_set)))
        assert len(kernels) == len(eightsenv.kernels.KERNELS) + ("accepted" in rule_set.functions)
        kernels |= vars(eightsenv.engine.specialise_search(rule_set))
        stepping = eightsenv.make_vec(name, num_envs=1)._stepping
        kernels |= {"default lead": stepping.lead, "default serve": stepping.serve}
        kernels["default rollout"] = eightsenv.engine._unseen(game, eightsenv.engine.resolve(game))[1]
        for name, kernel in kernels.items():
            assert not hasattr(kernel, "__wrapped__"), f"{name} has not been called, which puts compiled code in its place"


@pytest.mark.slow
def test_warmup_alone_runs_every_kernel():
    """In a process of its own: nothing else has called the kernels before."""
    code = (
        "import eightsenv; from eightsenv import cli; from eightsenv.variants import get\n"
        "assert cli.main(['warmup']) == 0\n"
        "for name in eightsenv.variants():\n"
        "    for specialise in eightsenv.engine.specialise, eightsenv.engine.specialise_search:\n"
        "        for kernel in vars(specialise(get(name).rule_set)).values():\n"
        "            assert not hasattr(kernel, '__wrapped__'), kernel.__name__\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_torch_stays_out_until_it_is_needed():
    code = (
        "import sys; from eightsenv import cli\n"
        "for line in (['variants'], ['rules', 'crazy_eights_v0'], ['evaluate', 'greedy', 'random', '--deals', '5'],\n"
        "             ['--version'], ['train', 'crazy_eights_v0', '--players', '9']):\n"
        "    cli.main(line)\n"
        "    assert not {'torch', 'stable_baselines3', 'matplotlib', 'tensorboard'} & set(sys.modules), line\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, stdout=subprocess.DEVNULL)


def test_a_missing_extra_says_how_to_install_it(tmp_path):
    code = (
        "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None\n"
        "from eightsenv import cli\n"
        f"sys.exit(cli.main(['train', 'crazy_eights_v0', '--out', {str(tmp_path / 'run')!r}]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and 'pip install "eightsenv[train]"' in done.stderr


WATCHED = """
import sys
from eightsenv import cli
from eightsenv.agents import evaluation

play, calls = evaluation.play, []


def watched(*given, **named):
    calls.append(given)
    if len(calls) == 2:
        print("under way", file=sys.stderr, flush=True)
    return play(*given, **named)


evaluation.play = watched
sys.exit(cli.main(sys.argv[1:]))
"""


def test_control_c_is_exit_code_130_without_a_traceback():
    # A shell's background jobs ignore the signal, and so would their children.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    child = process("evaluate", "greedy", "random", "--deals", 100_000_000, program=("-c", WATCHED), preexec_fn=heed)
    try:
        begun = iter(child.stderr.readline, "")
        assert "under way\n" in begun
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert "Traceback" not in err and "interrupted" in err and out == ""


def test_a_reader_that_goes_away_is_no_traceback():
    child = process("rules", CRAZY)
    child.stdout.close()
    with child.stderr:
        err = child.stderr.read()
    child.wait(timeout=60)
    assert "Traceback" not in err


def test_train_and_evaluate_from_the_command_line(capsys, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    from eightsenv.train import runs

    monkeypatch.setattr(runs, "REPORT_DEALS", 100)
    out = tmp_path / "run"
    code, text, err = run(capsys, "train", CRAZY, "--players", 3, "--steps", 1, "--seed", 4, "--set", "hand_size=4", "--out", out)
    assert code == 0, err
    assert "advantage" in text and "greedy" in text
    names = {"checkpoint.safetensors", "bot.safetensors", "report.json", "tensorboard"}
    assert set(os.listdir(out)) == names
    code, text, _ = run(capsys, "evaluate", out / "bot.safetensors", "greedy", "--deals", 50, "--json")
    setting = json.loads(text)["setting"]
    assert code == 0 and setting["num_players"] == 3 and setting["hand_size"] == 4
    code, _, err = run(capsys, "evaluate", out / "bot.safetensors", "greedy", "--players", 2)
    assert code == 2 and "num_players=3" in err
    code, _, err = run(capsys, "train", CRAZY, "--players", 3, "--out", out)
    assert code == 2 and "already holds a run" in err
    code, _, err = run(capsys, "train", CRAZY, "--resume", "--players", 2, "--out", out)
    assert code == 2 and "num_players" in err
    code, text, err = run(capsys, "train", CRAZY, "--resume", "--out", out)
    assert code == 0 and "resumed" in text, err
