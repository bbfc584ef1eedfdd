"""What PettingZoo expects of an AEC environment: the cycle in general, and pictures, logs and texts of Crazy Eights."""

from __future__ import annotations

import random

import numpy as np
import pytest

import eightsenv
from eightsenv import crazy_eights_v0, testing
from eightsenv.variants import get

TABLES = [
    (variant, players)
    for variant in eightsenv.variants()
    for low, high in [get(variant).players]
    for players in range(low, high + 1)
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


# PettingZoo's own tests, and the cycle in general


@pytest.mark.parametrize(("variant", "players"), TABLES)
def test_every_variant_with_every_number_of_players(variant: str, players: int):
    testing.check_pettingzoo(variant, settings=1, num_players=players)


# Spaces and names


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


def test_numpy_integers_are_actions():
    env = crazy_eights_v0.env()
    env.reset(seed=4)
    env.step(np.int64(legal(env)[0]))
    env.step(np.int8(legal(env)[0]))
    assert sum(line.startswith("agent_") for line in env.log()) == 2 and env.snapshot()


# Rewards


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
    with pytest.raises(ValueError, match="there is no agent 'agent_5'; the agents are agent_0"):
        env.observe("agent_5")


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
    assert "crazy_eights_v0" in eightsenv.variants()
    env = eightsenv.make("crazy_eights_v0", num_players=3)
    assert type(env) is type(crazy_eights_v0.env()) and env.num_players == 3
    with pytest.raises(ValueError, match="no variant 'crazy_eights_v1'"):
        eightsenv.make("crazy_eights_v1")
