"""What PettingZoo expects of an AEC environment: its own tests with warnings as errors, and the cycle in detail."""

from __future__ import annotations

import importlib
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, render_test, seed_test

import eightsenv
from eightsenv import crazy_eights_v0

# The package's attribute of this name is the function, not the module.
pettingzoo_state_test = importlib.import_module("pettingzoo.test.state_test")

ENVS = [
    pytest.param({"num_players": n} | extra, id=f"{n} players{', match' * bool(extra)}")
    for n in range(2, 9)
    for extra in ({}, {"match": True, "rounds": 2})
]
both = pytest.mark.parametrize("make", [crazy_eights_v0.env, crazy_eights_v0.raw_env])


def legal(env) -> list[int]:
    return [int(a) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]


def run(env, rng: random.Random) -> dict[str, list[float]]:
    """One episode by ``agent_iter`` and ``last``: every reward that ``last`` gave, by agent."""
    rewards: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter(max_iter=100_000):
        _, reward, terminated, truncated, info = env.last()
        assert info == {}
        rewards[agent].append(reward)
        env.step(None if terminated or truncated else rng.choice(legal(env)))
    return rewards


# PettingZoo's own tests


@both
@pytest.mark.parametrize("options", ENVS)
def test_api(make, options: dict, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Said to every environment with a mask beside its observation, but for PettingZoo's own, which it knows by name.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        api_test(make(**options), num_cycles=150, verbose_progress=False)


@pytest.mark.parametrize("options", ENVS)
@pytest.mark.filterwarnings("error")
def test_seed(options: dict):
    seed_test(lambda: crazy_eights_v0.env(**options), num_cycles=30)


@pytest.mark.parametrize("options", [{}, {"num_players": 8, "match": True}])
@pytest.mark.filterwarnings("error")
def test_state(options: dict):
    """PettingZoo's test samples without a mask, so the space that it is given samples legal actions."""

    class Legal(type(crazy_eights_v0.env())):
        def action_space(self, agent):
            return SimpleNamespace(sample=lambda: random.Random(0).choice(legal(self)))

    env = Legal(crazy_eights_v0.env().game, **options)
    pettingzoo_state_test.test_state_space(env)
    for seed in range(3):
        pettingzoo_state_test.test_state(env, 60, seed)


@pytest.mark.parametrize("options", [{}, {"num_players": 8, "match": True}])
@pytest.mark.filterwarnings("error")
def test_render(options: dict, capsys):
    render_test(
        lambda **kwargs: crazy_eights_v0.env(**options, **kwargs),
        custom_tests={"ansi": lambda picture: isinstance(picture, str), "human": lambda picture: picture is None},
    )


# Spaces and names


@both
@pytest.mark.parametrize("options", ENVS)
def test_spaces(make, options: dict):
    env = make(**options)
    env.reset(seed=1)
    assert env.metadata["name"] == "crazy_eights_v0" and env.metadata["is_parallelizable"] is False
    assert env.possible_agents == [f"agent_{k}" for k in range(options["num_players"])]
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent) and env.action_space(agent) is env.action_space(agent)
        assert set(space.keys()) == {"observation", "action_mask"}
        assert space["observation"].dtype == space["action_mask"].dtype == np.int8
        assert env.action_space(agent).n == 58 and space["action_mask"].shape == (58,)
        assert space.contains(env.observe(agent))
    assert env.state_space.contains(env.state())
    assert env.unwrapped is env


def test_action_texts():
    env = crazy_eights_v0.env()
    names = [env.action_name(a) for a in range(58)]
    ranks, suits = "23456789TJQKA", "CDHS"
    assert names == [*(f"play {r}{s}" for r in ranks for s in suits), "draw", "pass", *(f"suit {s}" for s in suits)]
    assert [env.action_id(name) for name in names] == list(range(58))
    assert [env.action_id(name.upper()) for name in names] == list(range(58))
    assert env.action_id("play 10C") == env.action_id("PLAY tc") == env.action_id("  Play   10c ") == 32
    for text in ("play", "play 1C", "play 11C", "suit X", "fold", "", "10C", "play 8C 8D", "play 100C", None, 3, b"draw", ["draw"]):
        with pytest.raises(ValueError, match="no action"):
            env.action_id(text)
    for action in (-1, 58, 2**40, 1.0, "3", None, True):
        with pytest.raises(ValueError, match="0 to 57"):
            env.action_name(action)


# Order and checks


def test_everything_needs_a_reset_first():
    env = crazy_eights_v0.env()
    for call in (
        lambda: env.step(0),
        lambda: env.observe("agent_0"),
        env.state,
        env.reveal,
        env.payoffs,
        env.log,
        env.ledger,
        env.snapshot,
        lambda: env.view("agent_0"),
    ):
        with pytest.raises(ResetNeeded):
            call()
    ansi = crazy_eights_v0.env(render_mode="ansi")
    with pytest.raises(ResetNeeded):
        ansi.render()


def test_after_the_end_only_dead_steps_are_taken():
    """Every seat has its final reward once by ``last()``, then steps None, then is gone; then a reset is needed."""
    env = crazy_eights_v0.env()
    env.reset(seed=4)
    while not env.terminations[env.agent_selection]:
        env.step(random.Random(0).choice(legal(env)))
    assert all(env.terminations.values()) and not any(env.truncations.values())
    with pytest.raises(ValueError, match=r"only step of agent_. is None"):
        env.step(0)
    gone = []
    while env.agents:
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        assert terminated and not truncated and reward == env.payoffs()[int(agent[-1])]
        assert not observation["action_mask"].any()
        env.step(None)
        gone.append(agent)
        assert agent not in env.agents and agent not in env.rewards
    assert sorted(gone) == env.possible_agents
    with pytest.raises(ResetNeeded):
        env.step(None)
    env.reset()
    assert env.agents == env.possible_agents


@both
def test_a_none_step_of_a_living_agent_is_refused(make):
    env = make()
    env.reset(seed=4)
    before = env.snapshot()
    with pytest.raises(ValueError, match="is an int, not None"):
        env.step(None)
    assert env.snapshot() == before


def test_numpy_integers_are_actions():
    env = crazy_eights_v0.env()
    env.reset(seed=4)
    env.step(np.int64(legal(env)[0]))
    env.step(np.int8(legal(env)[0]))
    assert sum(line.startswith("agent_") for line in env.log()) == 2 and env.snapshot()


def test_an_illegal_move_does_not_disturb_what_follows():
    """After an illegal move and a reset, first mover and order are those of a fresh environment, for 100 seeds."""
    env = crazy_eights_v0.env()
    for seed in range(100):
        env.reset(seed=seed)
        bad = next(a for a in range(58) if a not in legal(env))
        with pytest.raises(ValueError, match="not legal"):
            env.step(bad)
        order = [env.agent_selection]
        fresh = crazy_eights_v0.env()
        fresh.reset(seed=seed)
        assert fresh.agent_selection == order[0] and fresh.reveal() == env.reveal()


# Rewards


@both
@pytest.mark.parametrize("reward", ["score", "win"])
@pytest.mark.parametrize("options", ENVS)
def test_rewards_by_last_add_up(make, options: dict, reward: str):
    """The rewards that ``last`` gives a seat are what it won: the sum of the ledger's payoffs, or its share of ±1."""
    env = make(**options, reward=reward)
    for seed in range(3):
        env.reset(seed=seed)
        sums = [sum(got) for got in run(env, random.Random(seed)).values()]
        rows = env.ledger()
        assert rows[-1]["payoffs"] == env.payoffs()
        totals = np.sum([row["payoffs"] for row in rows], axis=0)
        if reward == "score":
            assert sums == pytest.approx(list(totals))
        else:
            won = totals == totals.max()
            lost = len(won) - won.sum()
            assert sums == pytest.approx([1 / won.sum() if w else -1 / lost for w in won] if lost else [0] * len(won), abs=1e-6)
            assert abs(sum(sums)) < 1e-6


def test_truncation_is_truncation():
    env = crazy_eights_v0.env(max_decisions=3)
    env.reset(seed=1)
    for _ in range(3):
        assert not any(env.truncations.values())
        env.step(legal(env)[0])
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.rewards == dict.fromkeys(env.agents, 0.0) and env.reveal()["scores"] == [0] * 4
    with pytest.raises(ValueError, match="no hand has ended"):
        env.payoffs()


# Seeds


def outline(env, seed: int | None, rng: random.Random) -> list:
    env.reset(seed=seed)
    seen = []
    for agent in env.agent_iter(max_iter=10_000):
        observation, reward, terminated, truncated, _ = env.last()
        seen.append((agent, observation["observation"].tobytes(), reward))
        env.step(None if terminated or truncated else rng.choice(legal(env)))
    return seen


def test_the_same_seed_after_noise_on_the_global_generators():
    traces = []
    for noise in (0, 1, 2):
        np.random.seed(noise)
        random.seed(noise)
        np.random.rand(noise + 3)
        traces.append(outline(crazy_eights_v0.env(), 7, random.Random(1)))
    assert traces[0] == traces[1] == traces[2]
    assert outline(crazy_eights_v0.env(), 8, random.Random(1)) != traces[0]
    state = np.random.get_state()[1].tobytes(), random.getstate()
    outline(crazy_eights_v0.env(), 7, random.Random(1))
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == state


def test_unseeded_resets_go_on_with_the_next_episode_and_keep_every_option():
    options = {"num_players": 3, "reward": "win", "draw_limit": 2, "wild_rank": "J", "match": True, "rounds": 2}
    env, twin = crazy_eights_v0.env(**options), crazy_eights_v0.env(**options)
    setting = env.setting
    deals = []
    for k in range(6):
        env.reset(seed=5 if k == 0 else None)
        twin.reset(seed=5 if k == 0 else None)
        if k % 2:
            run(env, random.Random(k))  # how an episode went does not change the next deal
        else:
            deals.append(env.reveal())
            assert env.reveal() == twin.reveal()
        assert env.setting is setting and env.setting.options["wild_rank"] == "J"
    assert len({str(d) for d in deals}) == 3


def test_a_first_reset_without_a_seed_is_random():
    deals = set()
    for _ in range(4):
        env = crazy_eights_v0.env()
        env.reset()
        deals.add(str(env.reveal()))
    assert len(deals) == 4


# Observing


@both
def test_waiting_and_finished_agents_can_be_observed(make):
    env = make(num_players=5)
    env.reset(seed=2)
    rng = random.Random(0)
    while not env.terminations[env.agent_selection]:
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert seen["action_mask"].any() == (agent == env.agent_selection)
            hand = {c for c, has in enumerate(seen["observation"][env.fields["hand"]]) if has}
            assert {env.action_name(c)[5:] for c in hand} == set(env.reveal()["hands"][int(agent[-1])])
        env.step(rng.choice(legal(env)))
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen) and not seen["action_mask"].any()
    while env.agents:
        env.step(None)
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(env.observe(agent))
    with pytest.raises(KeyError):
        env.observe("agent_5")


@both
def test_observations_are_the_callers_own(make):
    env = make()
    env.reset(seed=2)
    before = env.snapshot()
    seen, state = env.observe(env.agent_selection), env.state()
    kept = seen["observation"].copy()
    seen["observation"][:] = 9
    seen["action_mask"][:] = 1
    state[:] = 9
    assert env.observe(env.agent_selection)["observation"].tobytes() == kept.tobytes()
    assert env.snapshot() == before and env.state().max() <= 1
    with pytest.raises(ValueError, match="not legal"):
        env.step(next(a for a in range(58) if a not in legal(env)))


# Pictures and logs


def test_ansi_shows_what_the_seat_to_move_may_know_and_everything_after_the_end():
    env = crazy_eights_v0.env(render_mode="ansi")
    env.reset(seed=3)
    rng = random.Random(0)
    while not env.terminations[env.agent_selection]:
        picture, shown, seat = env.render(), env.reveal(), int(env.agent_selection[-1])
        lines = [line for line in picture.splitlines() if "agent_" in line]
        for k in range(4):
            cards = " ".join(shown["hands"][k]) if k == seat else f"{len(shown['hands'][k])} cards"
            assert lines[k].endswith(f": {cards}") and lines[k].startswith(">") == (k == seat)
        assert shown["discard"][0] in picture
        for hidden in (c for k in range(4) if k != seat for c in shown["hands"][k]):
            assert hidden not in picture.split()
        env.step(rng.choice(legal(env)))
    assert all(" ".join(hand) in env.render() for hand in env.reveal()["hands"])


def test_human_prints_at_reset_and_after_each_step(capsys):
    env = crazy_eights_v0.env(render_mode="human")
    env.reset(seed=3)
    assert "agent_0" in capsys.readouterr().out
    env.step(legal(env)[0])
    assert "agent_0" in capsys.readouterr().out
    assert env.render() is None
    assert "agent_0" in capsys.readouterr().out


def test_render_without_a_mode():
    env = crazy_eights_v0.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


@pytest.mark.parametrize("auto_forced", [False, True])
def test_the_log_tells_every_action_and_hides_what_others_drew(auto_forced: bool):
    env = crazy_eights_v0.env(auto_forced=auto_forced, match=True, rounds=2)
    env.reset(seed=3)
    rng = random.Random(0)
    made = []
    while not env.terminations[env.agent_selection]:
        action = rng.choice(legal(env))
        made.append(f"{env.agent_selection} {env.action_name(action)}")
        env.step(action)
    log = env.log()
    acts = [line for line in log if line.startswith("agent_")]
    rest = iter(acts)
    assert all(line in rest for line in made), "the actions made are among the logged ones, in order"
    assert auto_forced or acts == made
    assert sum(" deals" in line for line in log) == 2 and sum(" ends: " in line for line in log) == 2
    assert not any("[" in line for line in log)
    for agent in env.possible_agents:
        private = env.log(agent)
        assert [line.split(" [")[0] for line in private] == log
        for line in private:
            if " draw [" in line:
                assert line.startswith(agent)


def test_the_long_name_and_the_modules_agree():
    assert eightsenv.variants() == ("crazy_eights_v0",)
    env = eightsenv.make("crazy_eights_v0", num_players=3)
    assert type(env) is type(crazy_eights_v0.env()) and env.num_players == 3
    with pytest.raises(ValueError, match="no variant 'crazy_eights_v1'"):
        eightsenv.make("crazy_eights_v1")
