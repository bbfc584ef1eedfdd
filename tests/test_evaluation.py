"""Evaluation on duplicate deals."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eightsenv import engine
from eightsenv.agents import Agent, CompiledAgent, GreedyAgent, RandomAgent, evaluation
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.engine import VectorCore
from eightsenv.variants import get

CRAZY = "crazy_eights_v0"


class Slow(Agent):
    """A compiled policy that does not say so: goes the way of all other agents."""

    def __init__(self, policy):
        self.name, self.inner = policy, CompiledAgent(policy)

    def act_batch(self, core, rows):
        return self.inner.act_batch(core, rows)


def setting(**options):
    return engine.resolve(get(CRAZY), **options)


def test_deals_are_duplicates_with_seats_rotated(monkeypatch):
    """Each deal is played once with the first agent in each seat, and all rotations begin with the same cards."""
    seen = []
    original = evaluation._play

    def spy(game, setting, ids, agents, who, seed, threads):
        core = VectorCore(game, setting, ids, seed=seed, autoreset=False)
        core.reset()
        seen.append((ids.copy(), who.copy(), [core.reveal(i) for i in range(len(ids))]))
        return original(game, setting, ids, agents, who, seed, threads)

    monkeypatch.setattr(evaluation, "_play", spy)
    evaluate([Slow("greedy"), Slow("random")], setting(num_players=3), deals=5, seed=4)
    ids, who, states = seen[0]
    assert ids.tolist() == [d for d in range(5) for _ in range(3)]
    for deal in range(5):
        rows = slice(3 * deal, 3 * deal + 3)
        assert who[rows].tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
        assert states[3 * deal] == states[3 * deal + 1] == states[3 * deal + 2]
    assert states[0] != states[3]


@pytest.mark.parametrize("options", [{}, {"num_players": 2, "match": True}, {"num_players": 5, "reward": "win"}], ids=str)
def test_the_fused_way_and_the_batched_way_give_the_same_table(options):
    fast = evaluate([GreedyAgent(), RandomAgent()], setting(**options), deals=300, seed=2)
    slow = evaluate([Slow("greedy"), Slow("random")], setting(**options), deals=300, seed=2)
    assert fast == slow


def test_by_hand():
    """Means, advantage, win rates and intervals equal a plain computation from single games."""
    s = setting(num_players=3)
    deals, seed = 40, 6
    result = evaluate([GreedyAgent(), RandomAgent()], s, deals=deals, seed=seed)
    payoffs, gaps, wins = [], [], []
    for deal in range(deals):
        mine, gap, won = [], [], []
        for k in range(3):
            names = ["random"] * 3
            names[k] = "greedy"
            numbers = engine.seat_policies(names, 3)
            total = engine.play_out(get(CRAZY), s, np.array([deal], np.uint64), numbers, seed=seed).payoffs[0]
            mine.append(total[k])
            gap.append(total[k] - np.delete(total, k).mean())
            best = [seat for seat in range(3) if total[seat] == max(total)]
            won.append(1 / len(best) if k in best and len(best) < 3 else 0.0)
        payoffs.append(np.mean(mine))
        gaps.append(np.mean(gap))
        wins.append(np.mean(won))
    for estimate, samples in (
        (result.agents[0].payoff, payoffs),
        (result.advantage, gaps),
        (result.agents[0].win_rate, wins),
    ):
        assert estimate.mean == pytest.approx(np.mean(samples), abs=1e-5)
        assert estimate.half_width == pytest.approx(1.96 * np.std(samples, ddof=1) / np.sqrt(deals), rel=1e-3)
    assert result.games == 3 * deals


def test_win_rates_add_up_and_the_win_reward_agrees():
    """Wins counted from the totals are the wins that ``reward="win"`` pays: the same games, in both settings."""
    by_score = evaluate([GreedyAgent(), RandomAgent()], setting(num_players=4, match=True), deals=60, seed=1)
    by_win = evaluate([GreedyAgent(), RandomAgent()], setting(num_players=4, match=True, reward="win"), deals=60, seed=1)
    assert [row.win_rate for row in by_score.agents] == [row.win_rate for row in by_win.agents]
    total = sum(row.seats * row.win_rate.mean for row in by_score.agents)
    assert total == pytest.approx(1.0)
    assert by_win.advantage.mean > 0


def test_truncated_games_are_counted_and_won_by_nobody():
    result = evaluate([GreedyAgent(), RandomAgent()], setting(max_decisions=3), deals=20)
    assert result.truncated == result.games == 80
    assert all(row.win_rate.mean == 0 for row in result.agents)


def test_same_agents_have_no_advantage_and_one_agent_none():
    result = evaluate([GreedyAgent(), GreedyAgent()], setting(), deals=50, seed=3)
    assert result.advantage.mean == pytest.approx(0, abs=1e-9)  # exactly: rotations are the same games
    alone = evaluate([GreedyAgent()], setting(), deals=50, seed=3)
    assert alone.advantage is None and alone.agents[0].seats == 4
    assert alone.agents[0].win_rate.mean == pytest.approx(0.25)


def test_the_interval_covers():
    """Of 60 independent evaluations about 95 % contain the mean of a long one."""
    truth = evaluate([GreedyAgent(), RandomAgent()], setting(num_players=2), deals=40_000, seed=99).advantage.mean
    inside = 0
    for seed in range(60):
        estimate = evaluate([GreedyAgent(), RandomAgent()], setting(num_players=2), deals=150, seed=seed).advantage
        inside += abs(estimate.mean - truth) <= estimate.half_width
    assert inside >= 51


def test_the_same_seed_gives_the_same_table_whatever_the_threads():
    agents = [GreedyAgent(), RandomAgent()]
    first = evaluate(agents, setting(), deals=400, seed=5)
    assert evaluate(agents, setting(), deals=400, seed=5, num_threads=2) == first
    assert evaluate(agents, setting(), deals=400, seed=6) != first


def test_it_is_told_how_far_it_is_and_is_json():
    told = []
    result = evaluate([RandomAgent()], setting(), deals=5_000, progress=told.append)
    assert told == sorted(told) and told[-1] == 5_000 and len(told) > 1
    again = json.loads(json.dumps(result.as_dict()))
    assert again["agents"][0]["payoff"]["mean"] == result.agents[0].payoff.mean
    assert evaluate([RandomAgent()], setting(), deals=1).agents[0].payoff.half_width is None
    assert Estimate(1.5, 0.25).text() == "+1.50 ± 0.25"


@pytest.mark.parametrize(
    ("agents", "deals", "seed"), [([], 5, 0), ([RandomAgent()] * 5, 5, 0), ([RandomAgent()], 0, 0), ([RandomAgent()], 5, -1)]
)
def test_bad_arguments_are_refused(agents, deals, seed):
    with pytest.raises(ValueError):
        evaluate(agents, setting(), deals=deals, seed=seed)


def test_partners_are_one_agent():
    """Where seats play together, agents are listed by side: both seats count for its agent, and the sides' gains cancel."""
    setting = engine.resolve(get("eights_v0"), num_players=4, partnership=True)
    found = evaluate([GreedyAgent(), RandomAgent()], setting, deals=300, seed=1)
    assert [row.seats for row in found.agents] == [2, 2]
    assert found.agents[0].payoff.mean == pytest.approx(-found.agents[1].payoff.mean)
    assert found.advantage is not None and found.advantage.mean == pytest.approx(2 * found.agents[0].payoff.mean)
    assert found.advantage.mean > found.advantage.half_width > 0
    with pytest.raises(ValueError, match="one to 2 agents can be listed for 4 players on 2 sides, not 3"):
        evaluate([GreedyAgent(), RandomAgent(), GreedyAgent()], setting, deals=2)
