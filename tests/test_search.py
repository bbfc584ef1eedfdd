"""Search bots: what they find, what they see, and on what their choices depend."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference.deals import Table

import eightsenv
from eightsenv import agents as bots
from eightsenv import rng, search
from eightsenv.agents import Agent, CompiledAgent, IsmctsAgent, PimcAgent
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.benchmarks import readme
from eightsenv.benchmarks import search as benchmark
from eightsenv.engine import VectorCore
from eightsenv.game import practised, resolve
from eightsenv.search import METHODS, foresee, outlook
from eightsenv.testing.settings import sample_settings
from eightsenv.variants import get

ROOT = Path(__file__).resolve().parent.parent
PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
CRAZY = "crazy_eights_v0"


def started(variant: str, games: int, seed: int = 1, **given) -> VectorCore:
    """Games of a variant that stay over when they end, by default as it is practised."""
    game = get(variant)
    core = VectorCore(game, resolve(game, **practised(game, given)), np.arange(games, dtype=np.uint64), seed=seed, autoreset=False)
    core.reset()
    return core


def open_rows(core: VectorCore) -> np.ndarray:
    """The games that are not over."""
    return np.flatnonzero(~(core.batch.terminated | core.batch.truncated))


def searched(core: VectorCore) -> np.ndarray:
    """The games that wait for a decision that is not forced."""
    return np.flatnonzero(core.batch.action_mask.sum(1) > 1)


def agents(budget: int = 12, **arguments) -> list[Agent]:
    return [PimcAgent(budget, **arguments), IsmctsAgent(budget, **arguments)]


# What they find


@pytest.mark.parametrize("agent", agents(20 if PLAIN else 200), ids=METHODS)
def test_they_go_out_when_they_can(agent):
    """The last card wins the hand; a card may be drawn instead, and nothing can be better than a win."""
    table = Table(["9C", "KD"], "6C 2H 3H 4H", variant="eights_v0", hand_size=1, voluntary_draw="one", reward="win")
    assert table.legal() == {"draw", "play 9C"}
    assert table.env.action_name(agent.act(table.env)) == "play 9C"


class _Lines:
    """Plays a world of a core out, action by action, through ``step`` and ``restore`` alone."""

    def __init__(self, like: VectorCore):
        self.core = VectorCore(like.game, like.setting, np.zeros(1, np.uint64), autoreset=False)
        self.core.reset()
        self.sides = like.game.sides(like.setting)

    def gap(self, rewards: np.ndarray, seat: int) -> float:
        """What the seat's side gained above the mean of all others."""
        own = next(side for side in self.sides if seat in side)
        others = [p for p in range(len(rewards)) if p not in own]
        return float(rewards[list(own)].mean() - rewards[others].mean())

    def after(self, world: bytes, action: int) -> tuple[bytes, np.ndarray, bool]:
        """The state after an action, the rewards of the step, and whether the hand has ended."""
        self.core.restore(0, world)
        hand = self.core._games[0].hand_number
        self.core.step(np.array([action]))
        batch = self.core.batch
        over = batch.terminated[0] or batch.truncated[0]
        over = over or (self.core.setting.reward == "score" and self.core._games[0].hand_number != hand)
        return self.core.snapshot(0), batch.reward[0].astype(float), bool(over)

    def legal(self, world: bytes) -> list[int]:
        self.core.restore(0, world)
        return np.flatnonzero(self.core.batch.action_mask[0]).tolist()

    def greedy(self, world: bytes) -> int:
        self.core.restore(0, world)
        return int(self.core.choose("greedy")[0])

    def played_on(self, world: bytes, action: int) -> np.ndarray:
        """The rewards until the end, when all play greedily after the action."""
        world, total, over = self.after(world, action)
        while not over:
            world, rewards, over = self.after(world, self.greedy(world))
            total += rewards
        return total

    def perfect(self, world: bytes, action: int) -> np.ndarray:
        """The rewards until the end, when both sides know all cards and nobody errs after the action."""
        world, total, over = self.after(world, action)
        if over:
            return total
        self.core.restore(0, world)
        seat = int(self.core.batch.seat[0])
        return total + max((self.perfect(world, a) for a in self.legal(world)), key=lambda rewards: self.gap(rewards, seat))


def first_world(core: VectorCore, i: int, seed: int) -> bytes:
    """The first world of a search."""
    s = core._games[i]
    seat = np.uint64(s.seat)
    begin = rng.policy_seed(np.uint64(seed), np.uint64(core.game_id(i)), np.uint64(core.episode(i)))
    key = np.uint64(rng.policy_seed(np.uint64(begin), np.uint64(s.decisions), seat))
    return core.determinize(i, int(s.seat), seed=int(rng.policy_seed(key, np.uint64(0), np.uint64(0))))


def check_one_world(core: VectorCore, rows: np.ndarray, line: str) -> int:
    """PIMC of one world against every action of that world, played out by ``line`` of :class:`_Lines`; returns how many told."""
    lines, told = _Lines(core), 0
    chosen = PimcAgent(1, seed=7).act_batch(core, rows)
    for i, action in zip(rows.tolist(), chosen.tolist(), strict=True):
        world, seat = first_world(core, i, 7), int(core.batch.seat[i])
        values = {a: lines.gap(getattr(lines, line)(world, a), seat) for a in lines.legal(world)}
        assert values[action] > max(values.values()) - 1e-3, (core.game.name, core.view(i, seat), values)
        told += max(values.values()) - min(values.values()) > 1e-3
    return told


SETTINGS = [
    *((variant, {}) for variant in eightsenv.variants()),
    (CRAZY, {"num_players": 2, "reward": "win"}),
    (CRAZY, {"num_players": 3, "match": True}),
    ("eights_v0", {"partnership": True, "num_players": 4, "auto_forced": True}),
    ("high_low_eights_v0", {"num_players": 3, "match": True, "auto_forced": True}),
    ("speculation_v0", {"num_players": 3, "sale": "sealed"}),
]


@pytest.mark.parametrize(("variant", "given"), SETTINGS)
def test_pimc_is_greedy_play_after_each_action(variant, given):
    """One world: the choice is the best of all actions, each played on by ``step`` and greedy; partners count as own."""
    core = started(variant, 3 if PLAIN else 12, **given)
    told = 0
    for _ in range(3 if PLAIN else 6):
        rows = searched(core)
        if variant == "eight_ball_v0":
            rows = rows[[core._games[i].phase != 5 for i in rows]]  # the cards are for the solver, below
        told += check_one_world(core, rows, "played_on")
        core.step(core.choose("greedy", open_rows(core)), open_rows(core))
    assert told >= (0 if PLAIN else 3)


@pytest.mark.parametrize(("variant", "given"), SETTINGS)
def test_foresight_is_greedy_play_with_the_cards_as_they_lie(variant, given):
    """What each action is worth, and what greedy play brings: each played on by ``step``, in the game itself."""
    core = started(variant, 3 if PLAIN else 12, **given)
    lines, told = _Lines(core), 0
    for _ in range(3 if PLAIN else 6):
        rows = open_rows(core)
        before = [core.snapshot(i) for i in rows]
        worth, ahead = foresee(core, rows), outlook(core, rows)
        assert worth.shape == (len(rows), core.num_actions) and ahead.shape == (len(rows), core.num_players)
        assert [core.snapshot(i) for i in rows] == before
        for k, i in enumerate(rows.tolist()):
            seat, expected = int(core.batch.seat[i]), np.zeros(core.num_actions)
            for action in lines.legal(before[k]):
                gains = lines.played_on(before[k], action)
                expected[action] = lines.gap(gains, seat)
                if action == lines.greedy(before[k]):
                    assert np.allclose(ahead[k], gains, atol=1e-3)
            assert np.allclose(worth[k], expected, atol=1e-3)
            told += np.ptp(expected[lines.legal(before[k])]) > 1e-3
        core.step(core.sample(rows), rows)
    assert told >= (0 if PLAIN else 3)


def test_a_truncated_game_has_an_outlook():
    """It is played on for as many decisions again; what has ended by the rules brings nothing more."""
    short, long = (started(CRAZY, 40, num_players=4, hand_size=4, max_decisions=most) for most in (12, 24))
    for _ in range(12):
        rows = open_rows(short)
        actions = short.choose("greedy", rows)
        short.step(actions, rows)
        long.step(actions, rows)
    cut = np.flatnonzero(short.batch.truncated)
    found, expected = outlook(short, cut), np.zeros((40, 4))
    while len(rows := open_rows(long)):
        long.step(long.choose("greedy", rows), rows)
        expected[rows] += long.batch.reward[rows]
    assert np.allclose(found, expected[cut], atol=1e-3)
    assert found.any() and long.batch.truncated[cut].any(), "some ended within as many decisions, some did not"


@pytest.mark.parametrize("reward", ["score", "win"])
def test_a_game_that_is_over_has_nothing_ahead(reward):
    core = started(CRAZY, 20, hand_size=1, reward=reward, max_decisions=2**62)
    assert outlook(core, np.arange(20)).any(), "twice as many decisions are no number that the rules could hold"
    while len(rows := open_rows(core)):
        core.step(core.choose("greedy", rows), rows)
    assert core.batch.terminated.all() and not outlook(core, np.arange(20)).any()


@pytest.mark.parametrize("reward", ["score", "win"])
def test_pimc_plays_the_cards_of_8_ball_perfectly(reward):
    """One world of the last two or three tricks: the solver's choice is the best of all lines that both sides may play."""
    core = started("eight_ball_v0", 3 if PLAIN else 60, reward=reward)
    told = 0
    for _ in range(40):
        rows = searched(core)
        late = [
            i for i in rows if core._games[i].phase == 5 and 5 * 4 - core._games[i].tricks_played * 4 - core._games[i].trick_n <= 9
        ]
        told += check_one_world(core, np.array(late, np.int64), "perfect")
        if not len(open_rows(core)):
            break
        core.step(core.choose("greedy", open_rows(core)), open_rows(core))
    assert told >= (0 if PLAIN else 10)


@pytest.mark.parametrize("players", [2, 3])
def test_8_ball_alone_is_evaluated_by_the_solver(players):
    """With two and three players the last two cards of a bidder are played as the bidder's best lines are."""
    core = started("eight_ball_v0", 4 if PLAIN else 60, num_players=players)
    agent, lines, told = PimcAgent(1, seed=7), _Lines(core), 0
    while len(open_rows(core)):
        rows = searched(core)
        late = [i for i in rows if core._games[i].phase == 5 and core._games[i].tricks_played == 3 and core._games[i].trick_n == 0]
        for i in late:
            seat = int(core.batch.seat[i])
            if players == 3 and core._games[i].bid_seat == seat:
                world = first_world(core, i, 7)
                action = int(agent.act_batch(core, np.array([i]))[0])
                values = {a: bidders_best(lines, world, a, seat) for a in lines.legal(world)}
                assert values[action] == max(values.values())
                told += 1
            else:
                assert core.batch.action_mask[i, agent.act_batch(core, np.array([i]))[0]]
        core.step(core.choose("greedy", open_rows(core)), open_rows(core))
    assert told or players == 2


def bidders_best(lines: _Lines, world: bytes, action: int, bidder: int) -> float:
    """What the bidder reaches against all others together."""
    world, total, over = lines.after(world, action)
    if over:
        return float(total[bidder])
    lines.core.restore(0, world)
    best = max if int(lines.core.batch.seat[0]) == bidder else min
    return best(bidders_best(lines, world, a, bidder) for a in lines.legal(world))


# What they see


def differing(core: VectorCore, other: VectorCore) -> int:
    """Put worlds that look alike to the seats to move in the place of the games; returns in how many something is hidden."""
    different = 0
    for i in range(core.num_envs):
        seat = int(core.batch.seat[i])
        other.restore(i, core.determinize(i, seat, seed=100 + i))
        different += core._games[i].tobytes() != other._games[i].tobytes()
    return different


@pytest.mark.parametrize("variant", eightsenv.variants())
@pytest.mark.parametrize(("settings", "simulations"), [(2, 8), pytest.param(6, 30, marks=pytest.mark.slow)], ids=["few", "many"])
def test_hidden_cards_change_no_choice(variant, settings, simulations):
    """Two states that look alike to the seat to move: the same choices for the same seed, in several settings."""
    for k, setting in enumerate(sample_settings(variant, 1 if PLAIN else settings, seed=5)):
        games = 3 if PLAIN else 12
        core, other = (started(variant, games, seed=2, **setting) for _ in range(2))
        for step in range(3):
            for _ in range(1 + 3 * step):
                rows = open_rows(core)
                core.step(core.sample(rows), rows)
            rows = open_rows(core)
            if len(rows) < games:
                core.reset()
                rows = open_rows(core)
            if len(rows) < games:
                continue
            if k == 0 and variant != "high_low_eights_v0":
                assert differing(core, other)
            differing(core, other)
            other._lanes["episode"] = core._lanes["episode"]
            for agent in agents(4 if PLAIN else simulations, seed=3):
                assert np.array_equal(agent.act_batch(core, rows), agent.act_batch(other, rows)), (agent.name, setting)


def test_searching_changes_nothing():
    for variant in eightsenv.variants():
        core = started(variant, 3)
        before = [core.snapshot(i) for i in range(3)]
        for agent in agents(5):
            agent.act_batch(core, np.arange(3))
        assert [core.snapshot(i) for i in range(3)] == before


# On what the choices depend


@pytest.mark.parametrize("method", METHODS)
def test_choices_depend_on_seed_and_game_alone(method):
    """Not on the threads, the other rows, their order, or what was searched before; another seed searches otherwise."""
    core = started(CRAZY, 6 if PLAIN else 40)
    core.step(core.sample())
    rows, load = (
        np.arange(core.num_envs),
        lambda **arguments: (PimcAgent if method == "pimc" else IsmctsAgent)(8 if PLAIN else 40, **arguments),
    )
    agent = load(seed=4)
    chosen = agent.act_batch(core, rows)
    assert chosen.dtype == np.int32 and core.batch.action_mask[rows, chosen].all()
    assert np.array_equal(load(seed=4, num_threads=3).act_batch(core, rows), chosen)
    some = random.Random(1).sample(rows.tolist(), len(rows) // 2)
    assert np.array_equal(agent.act_batch(core, np.array(some)), chosen[some])
    assert [int(agent.act_batch(core, np.array([i]))[0]) for i in some[:3]] == chosen[some[:3]].tolist()
    others = [load(seed=seed).act_batch(core, rows) for seed in range(10, 20)]
    assert PLAIN or any(not np.array_equal(other, chosen) for other in others)
    agent.seed(10)
    assert np.array_equal(agent.act_batch(core, rows), others[0])
    assert len(agent.act_batch(core, np.zeros(0, np.int64))) == 0


@pytest.mark.parametrize(("games", "rounds"), [(2, 2), pytest.param(4, 3, marks=pytest.mark.slow)], ids=["few", "more"])
def test_plain_python_makes_the_same_choices(games, rounds):
    """The same source, not compiled."""
    code = (
        "import sys; sys.path.insert(0, 'tests'); import eightsenv, test_search as t\n"
        f"print([t.few_choices(variant, {games}, {rounds}) for variant in eightsenv.variants()])"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0" if PLAIN else "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([few_choices(variant, games, rounds) for variant in eightsenv.variants()])


def few_choices(variant: str, games: int, rounds: int) -> list[list[int]]:
    core = started(variant, games)
    found = []
    for _ in range(rounds):
        rows = searched(core)
        found += [agent.act_batch(core, rows).tolist() for agent in agents(8)] if len(rows) else []
        rows = open_rows(core)
        core.step(core.choose("greedy", rows), rows)
    return found


# Budgets and refusals


def test_after_an_interrupt_no_other_part_is_searched(monkeypatch):
    core, seen = started(CRAZY, 128), []

    def simulate(bench, part, *_):
        seen.append(part)
        if len(seen) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(search._Bench, "_simulate", simulate)
    agent = search.Search(core, "pimc", simulations=1)
    with pytest.raises(KeyboardInterrupt):
        agent.choose(searched(core), num_threads=1)
    assert len(seen) == 1
    agent.choose(searched(core), num_threads=1)
    assert len(seen) > 2


@pytest.mark.parametrize("method", METHODS)
def test_a_budget_of_time(method):
    """Legal choices; the tree grows with the time there is; forced decisions take none."""
    core = started(CRAZY, 4)
    agent = bots.load(f"{method}:30ms")
    assert agent.name == f"{method}:30ms"
    chosen = agent.act_batch(core, np.arange(4))
    assert core.batch.action_mask[np.arange(4), chosen].all()
    if method == "ismcts" and not PLAIN:
        agent = IsmctsAgent(milliseconds=400)
        agent.act_batch(core, searched(core)[:1])
        assert len(agent._search._benches[0]._memory) > 1025


def test_agents_by_name():
    for spec, kind, simulations in (
        ("pimc:200", PimcAgent, 200),
        ("ismcts:1000", IsmctsAgent, 1000),
        ("pimc:5ms", PimcAgent, None),
    ):
        agent = bots.load(spec)
        assert isinstance(agent, kind) and agent.name == spec and agent.simulations == simulations
    assert bots.load("ismcts:50ms").milliseconds == 50


BAD_SPECS = ["ismcts:0", "ismcts:x", "pimc:-3", "pimc", "ismcts:", "pimc:1.5", "pimc:0ms", "ismcts:5s", "pimc:99999999999"]


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_bad_budgets_are_refused_in_one_sentence(spec):
    with pytest.raises(ValueError, match=r"^(the budget of|a number of) .* (above 0|from 1 to)") as refused:
        bots.load(spec)
    assert "\n" not in str(refused.value)


def test_an_unknown_agent_names_those_that_exist():
    with pytest.raises(ValueError, match=r"no agent 'mcts:100': there are random, greedy, pimc:.*ismcts:.*checkpoint"):
        bots.load("mcts:100")


def test_bad_arguments_are_refused():
    for kind in (PimcAgent, IsmctsAgent):
        for bad in (0, -1, 10**9):
            with pytest.raises(ValueError):
                kind(bad)
        for bad in (0, -5, float("nan"), float("inf")):
            with pytest.raises(ValueError):
                kind(milliseconds=bad)
        for arguments in ({}, {"milliseconds": 3, "seed": -1}, {"milliseconds": 3, "num_threads": 0}):
            with pytest.raises(ValueError):
                kind(**arguments)
        with pytest.raises(ValueError):
            kind(5, milliseconds=5)
        for bad in ({"milliseconds": "5"}, {"milliseconds": True}, {"milliseconds": 5, "seed": 1.5}):
            with pytest.raises(TypeError):
                kind(**bad)
        for bad in (True, 2.5, "7"):
            with pytest.raises(TypeError):
                kind(bad)


@pytest.mark.parametrize("agent", agents(3), ids=METHODS)
def test_finished_games_are_refused(agent):
    env = eightsenv.make(CRAZY, num_players=2, hand_size=1)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(agent.act(env))
    with pytest.raises(ValueError, match="over"):
        agent.act(env)
    fresh = VectorCore(get(CRAZY), resolve(get(CRAZY)), np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match="reset"):
        agent.act_batch(fresh, np.zeros(1, np.int64))


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_whole_games(variant):
    """Search bots play games of every variant to their ends, among others; some are truncated."""
    setting = resolve(get(variant), **practised(get(variant), {"match": True, "max_decisions": 40}))
    result = evaluate([IsmctsAgent(3), PimcAgent(2), CompiledAgent("random")][: len(get(variant).sides(setting))], setting, deals=1)
    assert result.games == setting.num_players


# Strength


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="compiled only: it takes long")
def test_strength_grows_with_the_budget():
    """At 8-ball and at Crazy Eights for two; intervals of 95 % are above zero."""
    for variant, given, deals in (("eight_ball_v0", {}, 600), (CRAZY, {"num_players": 2}, 6_000)):
        setting = resolve(get(variant), **given)
        result = evaluate([IsmctsAgent(300), IsmctsAgent(10)], setting, deals=deals)
        assert result.advantage.mean > result.advantage.half_width, variant
    result = evaluate([PimcAgent(100), CompiledAgent("greedy")], resolve(get("eight_ball_v0")), deals=500)
    assert result.advantage.mean > result.advantage.half_width


def test_the_benchmark_runs(tmp_path, capsys):
    """Every budget meets greedy and the budget below; what is in the file already is not played again."""
    file = tmp_path / "strength.json"
    quick = ["--quick", "--workers", "0", "--json", str(file)]
    assert benchmark.main([*quick, "--variants", "crazy_eights_v0", "--methods", "ismcts"]) == 0
    first = benchmark.kept(file)
    assert [r.piece.match[1:] for r in first] == [
        (2, "ismcts:10", "greedy"), (2, "ismcts:100", "greedy"), (2, "ismcts:100", "ismcts:10")
    ]  # fmt: skip
    assert all(r.per_second > 0 and r.advantage.half_width > 0 for r in first)
    printed = capsys.readouterr()
    assert "advantage" in printed.out and printed.err.count("\n") == len(first)
    assert benchmark.main([*quick, "--resume"]) == 0
    found = benchmark.kept(file)
    assert found[:3] == first and len(found) == len(set(r.piece for r in found)) == 12
    assert benchmark.main([*quick, "--resume", "--minutes", "0"]) == 0 and benchmark.kept(file) == found
    for bad in (["--minutes", "-1"], ["--minutes", "nan"], ["--workers", "-3"]):
        assert benchmark.main([*quick, *bad]) == 2
    capsys.readouterr()
    file.write_text("[]")
    bad_folder, no_file = ["--json", str(tmp_path / "no" / "file")], ["--resume"]
    for bad in (["--variants", "crazy_nines_v0"], ["--methods", "mcts"], bad_folder, no_file, [*quick, "--resume"], ["--slow"]):
        assert benchmark.main(bad) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_pieces_of_a_match_are_pooled():
    """Weighted by their deals; the interval is that of the sum of independent parts."""
    piece = benchmark.Piece("crazy_eights_v0", 2, "ismcts:100", "greedy", 30, 0)
    parts = [
        benchmark.Result(dataclasses.replace(piece, deals=deals, seed=seed), Estimate(mean, half), Estimate(0.5, 0.1), 10.0)
        for seed, (deals, mean, half) in enumerate([(30, 2.0, 0.4), (10, -2.0, 1.2)])
    ]
    other = dataclasses.replace(parts[0], piece=dataclasses.replace(piece, opponent="ismcts:10"))
    whole, alone = benchmark.pooled([parts[0], other, parts[1]])
    assert alone == other and whole.piece.deals == 40 and whole.per_second == 10
    assert whole.advantage.mean == pytest.approx(1.0)
    assert whole.advantage.half_width == pytest.approx(math.hypot(0.75 * 0.4, 0.25 * 1.2))
    text = readme.search_tables({"pieces": [dataclasses.asdict(r) for r in (parts[0], other, parts[1])], "date": "2026-01-02"})
    assert text.splitlines()[-1] == "| `ismcts:100` | +1.00 ± 0.42 (40) | +2.00 ± 0.40 (30) |" and "2026-01-02" in text


def test_bots_of_a_match_search_the_same_worlds():
    """The same budget on both sides chooses alike: all rotations of a deal are one game, and nothing is gained."""
    piece = benchmark.Piece("crazy_eights_v0", 2, "ismcts:5", "ismcts:5", 10, 3)
    assert benchmark.measure(piece).advantage == Estimate(0.0, 0.0)
