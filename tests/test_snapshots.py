"""Snapshots: a game goes on from one exactly as it would have gone on; anything else than a snapshot of this setting is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from reference import trace

import eightsenv

NAME = "crazy_eights_v0"
settings = pytest.mark.parametrize("options", trace.SETTINGS.values(), ids=trace.SETTINGS.keys())


def play(env, steps: int, rng: random.Random) -> list:
    """Random steps, dead steps included, an unseeded reset after the end; returns everything that was seen."""
    seen = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        agent = env.agent_selection
        observation, reward, terminated, truncated, _ = env.last()
        action = None
        if not (terminated or truncated):
            action = rng.choice([int(a) for a in np.flatnonzero(observation["action_mask"])])
        raw = {key: value.tobytes() for key, value in observation.items()}
        seen.append((agent, raw, reward, terminated, truncated, env.reveal(), env.state().tobytes(), dict(env.rewards), action))
        env.step(action)
    return seen


@settings
@pytest.mark.parametrize("steps", [0, 1, 17, 80])
def test_aec_goes_on_identically(options: dict, steps: int):
    """The same chance, rewards due, log and ledger, also into the following episodes; in the same and in another environment."""
    env = eightsenv.make(NAME, **options).unwrapped
    env.reset(seed=6)
    play(env, steps, random.Random(1))
    snapshot, log, ledger = env.snapshot(), env.log("agent_1"), env.ledger()
    expected = play(env, 150, random.Random(2))
    other = eightsenv.make(NAME, **options).unwrapped
    for again in (env, other):
        again.restore(snapshot)
        assert again.snapshot() == snapshot
        assert again.log("agent_1") == log and again.ledger() == ledger
        assert play(again, 150, random.Random(2)) == expected


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
        play(env, 1, rng)
    other.restore(env.snapshot())
    assert other.agents == []


@settings
def test_a_batch_goes_on_identically(options: dict):
    """The same deals and the same sampled actions until the episode ends."""
    vec = eightsenv.make_vec(NAME, num_envs=5, seed=8, state=True, **options)
    vec.reset()
    for _ in range(9):
        vec.step(vec.sample())
    saved = [vec.snapshot(i) for i in range(5)]

    def go_on(core) -> list[list]:
        live, traces = np.ones(5, bool), [[] for _ in range(5)]
        for _ in range(60):
            for i in np.flatnonzero(live):
                traces[i] += [core.reveal(i), core.batch.observation[i].tobytes(), core.batch.action_mask[i].tobytes()]
            core.step(core.sample())
            for i in np.flatnonzero(live):
                traces[i].append(core.batch.reward[i].tobytes())
            live &= ~(core.batch.terminated | core.batch.truncated)
        return traces

    expected = go_on(vec)
    for i in range(5):
        vec.restore(i, saved[i])
    assert go_on(vec) == expected
    fresh = eightsenv.make_vec(NAME, num_envs=5, seed=8, **options)
    for i in range(5):
        fresh.restore(i, saved[i])
    assert go_on(fresh) == expected


def test_restoring_one_game_touches_no_other():
    vec = eightsenv.make_vec(NAME, num_envs=4, seed=8)
    vec.reset()
    saved = vec.snapshot(2)
    for _ in range(6):
        vec.step(vec.sample())
    others = [vec.snapshot(i) for i in (0, 1, 3)]
    vec.restore(2, saved)
    assert vec.snapshot(2) == saved and [vec.snapshot(i) for i in (0, 1, 3)] == others


def test_from_a_batch_to_aec_and_back():
    vec = eightsenv.make_vec(NAME, num_envs=6, seed=8, state=True)
    vec.reset()
    for _ in range(11):
        vec.step(vec.sample())
    env = eightsenv.make(NAME).unwrapped
    for i in range(6):
        saved = vec.snapshot(i)
        env.restore(saved)
        assert env.reveal() == vec.reveal(i)
        assert env.observe(env.agent_selection)["observation"].tobytes() == vec.batch.observation[i].tobytes()
        assert env.state().tobytes() == vec.batch.state[i].tobytes()
        assert env.log() == [], "the log of a game of a batch begins where it was saved"
        action = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1])
        env.step(action)
        assert len(env.log()) >= 1
        back = env.snapshot()
        twin = eightsenv.make_vec(NAME, num_envs=6, seed=1)
        twin.reset()
        twin.restore(i, back)
        assert twin.reveal(i) == env.reveal()
        assert twin.batch.action_mask[i].tobytes() == env.observe(env.agent_selection)["action_mask"].tobytes()


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


def test_a_snapshot_of_another_variant_is_refused():
    from eightsenv import snapshots

    env = eightsenv.make(NAME).unwrapped
    env.reset(seed=1)
    data = env.snapshot()
    parts = snapshots.unpack(data, env.setting, env.game.rule_set.state_dtype.itemsize)
    import dataclasses

    setting = dataclasses.replace(env.setting, variant="eights_v0")
    foreign = snapshots.pack(setting, parts.record, parts.seed, parts.game_id, parts.episode, parts.streams, parts.extra)
    with pytest.raises(ValueError, match="the snapshot is of eights_v0, not of crazy_eights_v0"):
        env.restore(foreign)
    older = dataclasses.replace(env.setting, version=env.setting.version + 1)
    other = snapshots.pack(older, parts.record, parts.seed, parts.game_id, parts.episode, parts.streams, parts.extra)
    with pytest.raises(ValueError, match="another version"):
        env.restore(other)
    assert env.snapshot() == data


def test_damaged_bytes_change_nothing():
    """Every truncation (a sample of them) and every flipped byte is noticed, in both doors."""
    env = eightsenv.make(NAME).unwrapped
    env.reset(seed=1)
    play(env, 5, random.Random(0))
    vec = eightsenv.make_vec(NAME, num_envs=2)
    vec.reset()
    good = env.snapshot()
    before, batch_before = env.snapshot(), vec.snapshot(0)
    bad = [good[:k] for k in range(0, len(good), 37)] + [good + b"\0", good[1:], b"", b"8ENVSNP1"]
    for at in range(0, len(good), 5):
        flipped = bytearray(good)
        flipped[at] ^= 0x10
        bad.append(bytes(flipped))
    for data in bad:
        with pytest.raises(ValueError, match="snapshot"):
            env.restore(data)
        with pytest.raises(ValueError, match="snapshot"):
            vec.restore(0, data)
    for data in (None, "text", 5, [1, 2]):
        with pytest.raises(ValueError, match="a snapshot is bytes"):
            env.restore(data)
    assert env.snapshot() == before and vec.snapshot(0) == batch_before
    env.restore(bytearray(good))
    env.restore(memoryview(good))
    assert env.snapshot() == before


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


def test_a_batch_refuses_a_game_that_is_over():
    env = eightsenv.make("crazy_eights_v0")
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    vec = eightsenv.make_vec("crazy_eights_v0", num_envs=2)
    vec.reset()
    before = vec.snapshot(1)
    with pytest.raises(ValueError, match="over"):
        vec.restore(1, env.snapshot())
    assert vec.snapshot(1) == before


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
