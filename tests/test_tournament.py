"""Tournaments: who meets whom, what is counted, and that nothing of it depends on processes or interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from eightsenv import cli, engine
from eightsenv.agents import bootstrap, pairing, processes, standings, tournament
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents import load as load_agent
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.evaluation import Played, evaluate, play
from eightsenv.agents.net import Layout
from eightsenv.commands.tournament import spread
from eightsenv.variants import get

pytest.importorskip("openskill")

CRAZY = "crazy_eights_v0"


def setting(variant=CRAZY, **options):
    return engine.resolve(get(variant), **options)


@pytest.fixture(autouse=True, scope="module")
def few_are_rated():
    """The library takes its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standings, "RATED", 2000)
        yield


def planned(number, form="pairs", deals=10, **options):
    """A plan of ``number`` agents that are never loaded."""
    entrants = tuple(pairing.Entrant(f"agent {k}", f"agent {k}", f"agent {k}", 64) for k in range(number))
    return pairing.Plan(setting(**options), entrants, deals, 0, form)


def write_net(path, seed=0, variant=CRAZY, **options):
    """A checkpoint of random weights."""
    s = setting(variant, **options)
    layout = Layout(sum(section.size for section in get(variant).sections(s)), (16,), len(get(variant).actions(s)))
    rng = np.random.default_rng(seed)
    tensors = {f"policy.{name}": rng.normal(size=shape).astype(np.float32) for name, shape in layout.shapes().items()}
    checkpoints.save(path, Checkpoint(s, layout, tensors))
    return str(path)


# Who meets whom

SHAPES = [
    {"num_players": 2},
    {"num_players": 3},
    {"num_players": 5},
    {"variant": "eight_ball_v0", "num_players": 4},
    {"variant": "eights_v0", "num_players": 4, "partnership": True},
]


@pytest.mark.parametrize("options", SHAPES, ids=str)
@pytest.mark.parametrize("form", pairing.FORMS)
@pytest.mark.parametrize("number", [2, 3, 5])
def test_seatings_are_complete_and_balanced(options, form, number):
    """At every table every agent sits in every seat equally often, on every deal, and partners are one agent."""
    plan = planned(number, form, **options)
    sides = get(plan.setting.variant).sides(plan.setting)
    for table in plan.tables:
        assert len({tuple(lineup) for lineup in table.lineups}) == len(table.lineups)
        for side in sides:
            assert all(len({lineup[seat] for seat in side}) == 1 for lineup in table.lineups)
        for agent in table.present:
            times = (table.lineups == agent).sum(0)
            assert set(times.tolist()) == {table.agents.count(agent) * len(table.lineups) // len(sides)}
    assert sum(plan.games_of(unit) for unit in plan.units) == plan.games
    played = Counter((unit.table, deal) for unit in plan.units for deal in range(unit.first, unit.stop))
    assert played == {(table, deal): 1 for table in range(len(plan.tables)) for deal in range(plan.deals)}


@pytest.mark.parametrize("options", SHAPES, ids=str)
def test_every_pair_meets_both_ways(options):
    plan = planned(4, **options)
    sides = len(get(plan.setting.variant).sides(plan.setting))
    tables = Counter(table.agents for table in plan.tables)
    wanted = {tuple(sorted([a] + [b] * (sides - 1))) for a in range(4) for b in range(4) if a != b}
    assert tables == dict.fromkeys(wanted, 1) and len(wanted) == (6 if sides == 2 else 12)
    assert all(len(table.lineups) == sides for table in plan.tables)


def test_mixed_tables_have_all_seatings():
    plan = planned(5, "mixed", num_players=3)
    assert sorted(table.agents for table in plan.tables) == [
        (a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)
    ]  # fmt: skip
    assert all(len(table.lineups) == 6 for table in plan.tables)
    few = planned(2, "mixed", num_players=4)
    assert {table.agents: len(table.lineups) for table in few.tables} == {(0, 0, 0, 1): 4, (0, 0, 1, 1): 6, (0, 1, 1, 1): 4}
    with pytest.raises(ValueError, match="mixed tables of 8 agents on 12 sides have"):
        _ = planned(8, "mixed", variant="house_eights_v0", num_players=12, decks=2).tables


# What is counted


def test_payoffs_are_those_of_evaluate():
    """A cell is what ``evaluate`` says of the row's agent among the column's on the same deals."""
    s = setting(num_players=4)
    result = tournament.run(tournament.plan(s, ["random", "greedy"], deals=150, seed=3))
    for row, column in ((0, 1), (1, 0)):
        agents = [load_agent(result.agents[k].agent, s) for k in (row, column)]
        wanted = evaluate(agents, s, deals=150, seed=3)
        assert result.payoffs[row][column].mean == pytest.approx(wanted.agents[0].payoff.mean)
        assert result.win_rates[row][column].mean == pytest.approx(wanted.agents[0].win_rate.mean)
        width = result.payoffs[row][column].high - result.payoffs[row][column].low
        assert width == pytest.approx(2 * wanted.agents[0].payoff.half_width, rel=0.1)
        assert result.agents[row].payoff == result.payoffs[row][column]  # there is only one opponent
    gaps = [
        evaluate([load_agent(a), load_agent(b)], s, deals=150, seed=3).advantage.mean
        for a, b in (("random", "greedy"), ("greedy", "random"))
    ]
    assert result.differences[0][1].mean == pytest.approx((gaps[0] - gaps[1]) / 2)


@pytest.mark.parametrize(
    "options", [{"num_players": 2, "reward": "win"}, {"variant": "eights_v0", "num_players": 4, "partnership": True}]
)
def test_zero_sum_between_two_sides_is_antisymmetric(options, tmp_path):
    net = write_net(tmp_path / "net.safetensors", **options)
    result = tournament.run(tournament.plan(setting(**options), ["random", "greedy", net], deals=60, seed=1))
    assert [standing.agent for standing in result.agents] == ["random", "greedy", "net"]
    for a in range(3):
        assert result.payoffs[a][a] is None
        for b in set(range(3)) - {a}:
            cell, other, gap = result.payoffs[a][b], result.payoffs[b][a], result.differences[a][b]
            assert (cell.mean, cell.low, cell.high) == pytest.approx((-other.mean, -other.high, -other.low), abs=1e-9)
            assert gap.mean == pytest.approx(2 * cell.mean)


def test_by_hand():
    """Three agents at a mixed table and its deals, recounted with plain loops from single games."""
    plan = planned(3, "mixed", deals=4, num_players=3)
    tally = standings.Tally(plan)
    rng = np.random.default_rng(0)
    payoffs, wins = ([[] for _ in range(3)] for _ in range(2))
    table = plan.tables[0]
    totals = rng.integers(-3, 4, (4, 6, 3)).astype(float)
    cut = rng.random((4, 6)) < 0.2
    for deal in range(4):
        mine = [[] for _ in range(3)]
        won = [[] for _ in range(3)]
        for lineup, got, stopped in zip(table.lineups, totals[deal], cut[deal], strict=True):
            best = [seat for seat in range(3) if got[seat] == max(got)]
            for seat in range(3):
                mine[lineup[seat]].append(got[seat])
                won[lineup[seat]].append(1 / len(best) if seat in best and len(best) < 3 and not stopped else 0)
        for k in range(3):
            payoffs[k].append(np.mean(mine[k]))
            wins[k].append(np.mean(won[k]))
    tally.add(pairing.Unit(0, 0, 4), Played(totals, cut))
    result = tally.result()
    for k in range(3):
        assert result.agents[k].payoff.mean == pytest.approx(np.mean(payoffs[k]))
        assert result.agents[k].win_rate.mean == pytest.approx(np.mean(wins[k]))
        gaps = [np.mean(payoffs[k]) - np.mean(payoffs[other]) for other in range(3) if other != k]
        assert result.agents[k].advantage.mean == pytest.approx(np.mean(gaps))
    assert result.games == 24 and result.truncated == cut.sum()


def test_duplicate_games_share_their_cards():
    """With one and the same agent everywhere, all seatings of a deal are the same game."""
    lineups = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    greedy = load_agent("greedy")
    played = play([greedy, greedy], setting(num_players=3), np.arange(20), lineups, seed=1)
    assert played.totals.shape == (20, 3, 3) and (played.totals == played.totals[:, :1]).all()
    assert len(np.unique(played.totals[:, 0], axis=0)) > 10


def test_the_interval_covers_and_is_reproducible():
    """Of 300 simulated tournaments of skewed payoffs about 95 % contain the mean."""
    rng = np.random.default_rng(1)
    samples = rng.exponential(2.0, (80, 300))
    found = bootstrap.intervals(samples, seed=5)
    inside = sum(interval.low <= 2.0 <= interval.high for interval in found)
    assert 265 <= inside <= 297
    assert bootstrap.intervals(samples, seed=5) == found != bootstrap.intervals(samples, seed=6)
    assert [interval.mean for interval in found] == pytest.approx(samples.mean(0).tolist())
    one = bootstrap.intervals(samples[:1], seed=0)[0]
    assert (one.low, one.high) == (None, None) and one.text() == f"{samples[0, 0]:+.2f}"


def test_ratings_order_the_agents(tmp_path):
    net = write_net(tmp_path / "net.safetensors", num_players=3)
    result = tournament.run(tournament.plan(setting(num_players=3), ["random", net, "greedy"], deals=200, seed=2))
    ratings = {standing.agent: standing.rating for standing in result.agents}
    assert ratings["greedy"].mu - 1.96 * ratings["greedy"].sigma > ratings["random"].mu
    assert max(ratings, key=lambda name: ratings[name].mu) == "greedy" == result.agents[result.ranking()[0]].agent


def test_ratings_of_known_strengths():
    """Winning chances of the model itself: the ratings' differences come out as they went in."""
    from eightsenv.agents.ratings import rate

    rng = np.random.default_rng(3)
    strengths = np.array([21.0, 25.0, 29.0])
    games = []
    for _ in range(6000):
        pair = rng.choice(3, 2, replace=False)
        ahead = rng.random() < 1 / (1 + np.exp(-(strengths[pair[0]] - strengths[pair[1]]) / 5.9))
        games.append((pair.tolist(), [0, 1] if ahead else [1, 0]))
    assert [rating.mu for rating in rate(games, 3)] == pytest.approx(strengths, abs=1.0)


# Processes and interruptions


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    return ["random", "greedy", write_net(tmp_path_factory.mktemp("bots") / "net.safetensors", num_players=3)]


@pytest.fixture(scope="module")
def plan(agents):
    return tournament.plan(setting(num_players=3), agents, deals=700, seed=9)


@pytest.fixture(scope="module")
def straight(plan):
    """The result that nothing may change."""
    return tournament.run(plan)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_table_is_the_same_with_workers(plan, straight, workers):
    told = []
    assert len(plan.units) > 6  # some tables are cut
    assert tournament.run(plan, workers=workers, progress=told.append) == straight
    assert told == sorted(told) and told[-1] == plan.games == straight.games


def test_another_seed_gives_another_table(agents, straight):
    assert tournament.run(tournament.plan(setting(num_players=3), agents, deals=700, seed=10)).payoffs != straight.payoffs


class StopError(Exception):
    """Stands for whatever ends a tournament."""


def test_the_table_is_the_same_after_an_interruption(plan, straight, tmp_path, monkeypatch):
    out = tmp_path / "tournament"

    def stop(games, at):
        if games >= at:
            raise StopError

    with pytest.raises(StopError):
        tournament.run(plan, out=out, progress=lambda games: stop(games, plan.games // 2))
    kept = sorted(os.listdir(out / tournament.UNITS))
    assert 0 < len(kept) < len(plan.units) and not (out / tournament.RESULT).exists()
    (out / tournament.UNITS / kept[0]).write_bytes(b"damaged")
    times = {name: (out / tournament.UNITS / name).stat().st_mtime_ns for name in kept}
    with pytest.raises(ValueError, match="already holds a tournament"):
        tournament.run(plan, out=out)
    assert tournament.run(plan, out=out, resume=True) == straight
    assert {name for name in kept if (out / tournament.UNITS / name).stat().st_mtime_ns != times[name]} == {kept[0]}
    assert json.loads((out / tournament.RESULT).read_text()) == json.loads(json.dumps(straight.as_dict()))
    # What is finished is not played again.
    monkeypatch.setattr(tournament, "Player", lambda plan: None)
    assert tournament.run(plan, out=out, resume=True) == straight


OTHERS = {
    "deals": ({"deals": 701}, "it has 700 deals, not 701"),
    "seed": ({"seed": 1}, "its seed is 9, not 1"),
    "form": ({"form": "mixed"}, "its tables is 'pairs', not 'mixed'"),
    "agents": ({"agents": ["random", "greedy"]}, "its agents are random greedy"),
    "players": ({"given": {"num_players": 2}, "agents": ["random", "greedy"]}, "num_players=3"),
    "option": ({"given": {"hand_size": 4}, "agents": ["random", "greedy"]}, "hand_size"),
    "variant": ({"variant": "eights_v0"}, "it is of crazy_eights_v0, not of eights_v0"),
}


@pytest.mark.parametrize(("change", "sentence"), OTHERS.values(), ids=OTHERS.keys())
def test_another_tournament_is_refused(plan, tmp_path, change, sentence):
    tournament._open(plan, tmp_path, resume=False)
    assert tournament.plan_resumed(tmp_path, CRAZY) == plan
    with pytest.raises(ValueError, match=sentence):
        tournament.run(tournament.plan_resumed(tmp_path, **{"variant": CRAZY, **change}), out=tmp_path, resume=True)
    assert os.listdir(tmp_path / tournament.UNITS) == []


def test_a_checkpoint_that_was_written_anew_is_refused(tmp_path):
    net = write_net(tmp_path / "net.safetensors", num_players=2)
    plan = tournament.plan(setting(num_players=2), ["random", net], deals=5)
    tournament.run(plan, out=tmp_path / "run")
    os.unlink(tmp_path / "run" / tournament.UNITS / plan.units[0].file)
    write_net(tmp_path / "net.safetensors", seed=1, num_players=2)
    with pytest.raises(ValueError, match="has been written anew since the tournament began"):
        tournament.run(plan, out=tmp_path / "run", resume=True)
    with pytest.raises(ValueError, match="a checkpoint has been written anew since it began"):
        tournament.run(tournament.plan_resumed(tmp_path / "run", CRAZY), out=tmp_path / "run", resume=True)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"format": 0}'])
def test_a_damaged_folder_is_refused(plan, tmp_path, damage):
    (tmp_path / tournament.MANIFEST).write_text(damage)
    with pytest.raises(ValueError, match="is damaged"):
        tournament.plan_resumed(tmp_path, CRAZY)
    manifest = {**plan.manifest(), "eightsenv": "0.0.1"}
    (tmp_path / tournament.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=r"begun with eightsenv 0\.0\.1"):
        tournament.plan_resumed(tmp_path, CRAZY)


def test_processes_pass_on_errors_and_notice_deaths():
    with pytest.raises(ValueError, match="invalid literal"):
        list(processes.each(int, ["1", "x", "2"], 1))
    assert sorted(processes.each(int, ["3", "1", "2"], 2)) == [("1", 1), ("2", 2), ("3", 3)]
    with pytest.raises(ChildProcessError, match="a worker process ended with exit code 3"):
        list(processes.each(os._exit, [3], 1))
    assert list(processes.each(int, [], 2)) == []


def started(folder, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-m", "eightsenv.cli", "tournament", CRAZY, *map(str, arguments)],
        env=environment, text=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options,
    )  # fmt: skip


def interrupted(folder, number, *arguments):
    """Begin a tournament as a program of its own and send it a signal when it has finished some units."""
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 (background jobs ignore it)
    child = started(folder, *arguments, preexec_fn=heed)
    units = Path(folder) / "run" / tournament.UNITS
    try:
        end = time.monotonic() + 300
        while child.poll() is None and time.monotonic() < end and not (units.is_dir() and any(units.glob("*.npz"))):
            time.sleep(0.02)
        assert child.poll() is None, child.communicate()
        if number == signal.SIGINT:
            os.killpg(child.pid, number)  # as a terminal does
        else:
            child.kill()
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    return child.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill -9"])
def test_an_interrupted_program_goes_on(capsys, tmp_path, monkeypatch, number, agents):
    how = ["--agents", *agents, "--players", 3, "--deals", 3000, "--seed", 4, "--workers", 1]
    code, out, err = interrupted(tmp_path, number, *how, "--out", "run")
    if number == signal.SIGINT:
        assert code == 130 and out == ""
        lines = [line for line in err.splitlines() if "compiling" not in line]
        assert lines == [f"eights: interrupted; finished games are kept, go on with: eights tournament {CRAZY} --resume --out run"]
    else:
        assert code == -number
    kept = os.listdir(tmp_path / "run" / tournament.UNITS)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["tournament", CRAZY, "--resume", "--out", "run", "--json"]) == 0
    resumed = capsys.readouterr().out
    plan = tournament.plan(setting(num_players=3), agents, deals=3000, seed=4)
    assert 0 < len(kept) < len(plan.units)
    assert json.loads(resumed) == json.loads(json.dumps(tournament.run(plan).as_dict()))


# The command


def command(capsys, *arguments):
    code = cli.main(["tournament", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_words_after_agents():
    assert spread(["v", "--agents", "a", "b", "--deals", "3"], "--agents") == [
        "v",
        "--agents",
        "a",
        "--agents",
        "b",
        "--deals",
        "3",
    ]
    assert spread(["--agents", "a", "--agents", "b", "c"], "--agents") == ["--agents", "a", "--agents", "b", "--agents", "c"]
    assert spread(["--agents=a", "b", "--json", "c"], "--agents") == ["--agents=a", "--agents", "b", "--json", "c"]
    assert spread(["v", "--agents"], "--agents") == ["v", "--agents"]
    assert spread(["--agents", "--json"], "--agents") == ["--agents", "--json"]


def test_a_tournament_from_the_command_line(capsys, tmp_path, monkeypatch, agents):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    how = ("--players", 3, "--deals", 40, "--seed", 2, "--workers", 1)
    code, out, err = command(capsys, CRAZY, "--agents", *agents, *how, "--plot", "table.png")
    assert code == 0, err
    plan = tournament.plan(setting(num_players=3), agents, deals=40, seed=2)
    result = tournament.run(plan)
    for standing in result.agents:
        assert standing.agent in out and f"{standing.payoff.mean:+.2f}" in out and standing.rating.text() in out
    assert f"{result.payoffs[0][1].mean:+.2f}" in out and result.headline()[1][1:] in out
    assert f"runs/tournament-{CRAZY}-1" in out
    again = command(capsys, CRAZY, "--agents", "random", "--agents", "greedy", f"--agents={agents[2]}", *how, "--json")
    assert again[0] == 0 and json.loads(again[1]) == json.loads(json.dumps(result.as_dict()))
    assert sorted(os.listdir("runs")) == [f"tournament-{CRAZY}-1", f"tournament-{CRAZY}-2"]
    plt = pytest.importorskip("matplotlib.image")
    picture = plt.imread("table.png")
    assert picture.ndim == 3 and min(picture.shape[:2]) > 300 and len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) > 20


@pytest.mark.parametrize("form", pairing.FORMS)
@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_plots_are_pictures_and_the_same_each_time(tmp_path, kind, form):
    pytest.importorskip("matplotlib")
    from eightsenv.agents import plot

    result = tournament.run(tournament.plan(setting(num_players=3), ["random", "greedy"], deals=1, form=form))
    first, second = (tmp_path / f"{k}.{kind}" for k in range(2))
    plot.draw(result, first)
    plot.draw(result, second)
    begin = {"svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert first.read_bytes().startswith(begin) and first.read_bytes() == second.read_bytes()


def test_what_is_trained_for_gives_the_setting(capsys, tmp_path, monkeypatch):
    """Options that are not given are as the first checkpoint was trained, and names that clash are told apart."""
    monkeypatch.chdir(tmp_path)
    for k, folder in enumerate(("one", "two")):
        write_net(tmp_path / folder / "bot.safetensors", seed=k, num_players=2, hand_size=4)
    how = ("--agents", "greedy", "one/bot.safetensors", "ckpt:two/bot.safetensors", "--deals", 5, "--workers", 1, "--json")
    code, out, err = command(capsys, CRAZY, *how)
    assert code == 0, err
    result = json.loads(out)
    assert result["setting"]["num_players"] == 2 and result["setting"]["hand_size"] == 4
    assert [row["agent"] for row in result["agents"]] == ["greedy", "one/bot.safetensors", "ckpt:two/bot.safetensors"]


REFUSED = {
    "alone": ["--agents", "greedy"],
    "nobody": [],
    "agents-of-what": ["--agents"],
    "twice": ["--agents", "greedy", "greedy"],
    "twice-by-path": ["--agents", "net.safetensors", "greedy", "ckpt:./net.safetensors"],
    "unknown": ["--agents", "greedy", "gredy"],
    "no-file": ["--agents", "greedy", "ckpt:none.safetensors"],
    "no-checkpoint": ["--agents", "greedy", "rubbish.safetensors"],
    "of-another-variant": ["--agents", "greedy", "eights.safetensors"],
    "of-another-setting": ["--agents", "greedy", "net.safetensors", "--players", 4],
    "deals": ["--agents", "greedy", "random", "--deals", 0],
    "seed": ["--agents", "greedy", "random", "--seed", -1],
    "workers": ["--agents", "greedy", "random", "--workers", 0],
    "tables": ["--agents", "greedy", "random", "--tables", "round"],
    "plot-of-what": ["--agents", "greedy", "random", "--plot", "plot.gif"],
    "plot-where": ["--agents", "greedy", "random", "--plot", "none/plot.png"],
    "resume-what": ["--resume"],
    "resume-nothing": ["--resume", "--out", "none"],
    "out-is-a-file": ["--agents", "greedy", "random", "--out", "net.safetensors"],
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_one_line_and_nothing_is_begun(capsys, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_net("net.safetensors", num_players=2)
    write_net("eights.safetensors", variant="eights_v0")
    Path("rubbish.safetensors").write_bytes(b"PK\x03\x04")
    before = sorted(os.listdir())
    code, out, err = command(capsys, CRAZY, *arguments)
    assert code == 2 and out == "" and sorted(os.listdir()) == before
    assert err.startswith("eights: ") and err.count("\n") == 1


def test_torch_stays_out(tmp_path):
    code = (
        "import sys; from eightsenv import cli\n"
        "arguments = ['--agents', 'random', 'greedy', '--deals', '2', '--workers', '1']\n"
        "assert cli.main(['tournament', 'crazy_eights_v0', *arguments]) == 0\n"
        "assert not {'torch', 'stable_baselines3', 'matplotlib'} & set(sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)


def test_a_missing_library_is_known_before_anything_is_played(tmp_path):
    for missing, arguments in (("openskill", []), ("matplotlib", ["--plot", "plot.png"])):
        code = (
            f"import sys; sys.modules[{missing!r}] = None; from eightsenv import cli\n"
            f"sys.exit(cli.main(['tournament', 'crazy_eights_v0', '--agents', 'random', 'greedy', *{arguments}]))\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 2 and 'pip install "eightsenv[tournament]"' in done.stderr and done.stderr.count("\n") == 1
        assert os.listdir(tmp_path) == []
