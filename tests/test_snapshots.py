"""Snapshots: a game goes on from one exactly as it would have gone on; anything else than a snapshot of this setting is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

import eightsenv
from eightsenv import testing

NAME = "crazy_eights_v0"


@pytest.mark.parametrize("variant", eightsenv.variants())
def test_games_go_on_from_snapshots_and_nothing_else(variant: str):
    testing.check_snapshots(variant, settings=4)


def test_every_moment_of_an_episode_can_be_saved_the_dead_steps_too():
    env, other = (eightsenv.make(NAME, num_players=3).unwrapped for _ in range(2))
    env.reset(seed=3)
    rng = random.Random(0)
    while env.agents:
        snapshot = env.snapshot()
        other.restore(snapshot)
        assert other.snapshot() == snapshot
        assert (other.agents, other.rewards, other._cumulative_rewards) == (env.agents, env.rewards, env._cumulative_rewards)
        assert (other.terminations, other.truncations) == (env.terminations, env.truncations)
        assert other.agent_selection == env.agent_selection
        over = env.terminations[env.agent_selection]
        env.step(None if over else int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    other.restore(env.snapshot())
    assert other.agents == []


def test_the_log_of_a_game_of_a_batch_begins_where_it_was_saved():
    vec = eightsenv.make_vec(NAME, num_envs=6, seed=8)
    vec.reset()
    for _ in range(11):
        vec.step(vec.sample())
    env = eightsenv.make(NAME).unwrapped
    for i in range(6):
        env.restore(vec.snapshot(i))
        assert env.log() == []
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1]))
        assert len(env.log()) >= 1


OTHERS = [{"num_players": 3}, {"match": True}, {"draw_limit": 2}, {"reward": "win"}, {"max_decisions": 1999}, {"auto_forced": True}]


@pytest.mark.parametrize("options", OTHERS)
def test_snapshots_of_other_settings_are_refused(options: dict):
    ours, theirs = eightsenv.make(NAME).unwrapped, eightsenv.make(NAME, **options).unwrapped
    ours.reset(seed=1)
    theirs.reset(seed=1)
    before = ours.snapshot()
    with pytest.raises(ValueError, match="other options"):
        ours.restore(theirs.snapshot())
    vec = eightsenv.make_vec(NAME, num_envs=2)
    with pytest.raises(ValueError, match="other options"):
        vec.restore(0, theirs.snapshot())
    assert ours.snapshot() == before


def test_a_snapshot_needs_a_game():
    from gymnasium.error import ResetNeeded

    env = eightsenv.make(NAME).unwrapped
    with pytest.raises(ResetNeeded):
        env.snapshot()
    source = eightsenv.make(NAME).unwrapped
    source.reset(seed=2)
    env.restore(source.snapshot())
    assert env.reveal() == source.reveal() and env.agents == source.agents


def test_after_a_snapshot_of_a_batch_seeds_and_log_are_right():
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=8, seed=3)
    vec.reset()
    env, fresh = (eightsenv.make("crazy_eights_v0") for _ in range(2))
    env.reset(seed=1)
    env.restore(vec.snapshot(5))
    assert env.reveal() == vec.reveal(5)
    env.reset()  # the next episode of the snapshot's game
    deal = env.reveal()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert env.log("agent_0")[0].endswith(f"[{' '.join(deal['hands'][0])}]")
    env.reset(seed=7)
    fresh.reset(seed=7)
    assert env.reveal() == fresh.reveal()


@pytest.mark.parametrize("extra", [b"junk", b"[]", b'{"log": 5}', b'{"selection": "nobody"}'])
def test_a_snapshot_with_foreign_additions_changes_nothing(extra):
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=2)
    vec.reset()
    env = eightsenv.make("crazy_eights_v0")
    env.reset(seed=1)
    before = env.snapshot()
    with pytest.raises(ValueError, match="not written by"):
        env.restore(vec.snapshot(1, extra))
    assert env.snapshot() == before
