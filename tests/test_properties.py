"""What holds in every setting and every game: random options, random play, nothing but public calls."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.settings import decks, random_setting

import eightsenv
from eightsenv import game as contract
from eightsenv import snapshots

NAME = "crazy_eights_v0"
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
SEEDS = range(10)


def make(setting: dict[str, Any], seed: int):
    env = eightsenv.make(NAME, **setting).unwrapped
    env.reset(seed=seed)
    return env


def legal(env) -> list[int]:
    return [int(a) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]


def ended(env) -> bool:
    return env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def choice(env, rng: random.Random) -> int:
    """A random legal action, plays and passes rather than draws, so that games come to their ends."""
    actions = legal(env)
    others = [a for a in actions if env.action_name(a) != "draw"]
    return rng.choice(others if others and rng.random() < 0.6 else actions)


# Games


@pytest.mark.parametrize("seed", SEEDS)
def test_cards_masks_scores_and_ends(seed: int):
    """Every card in exactly one place, no empty mask, zero masks for those who wait, scores and both ledgers that add up."""
    rng = random.Random(seed)
    setting = random_setting(rng, auto_forced=rng.random() < 0.3)
    env = make(setting, seed)
    pack = Counter(CARDS * decks(setting))
    n, sign = env.num_players, 1 if setting["score_mode"] == "collect_high_wins" else -1
    sums, made = np.zeros(n), 0
    for _ in range(3):
        assert not ended(env) and set(env.agents) == set(env.possible_agents)
        while not ended(env) and made < 1500:
            shown = env.reveal()
            assert Counter([*shown["stock"], *shown["discard"], *(c for hand in shown["hands"] for c in hand)]) == pack
            assert shown["discard"] and all(shown["hands"]) and shown["seat"] == int(env.agent_selection[-1])
            for agent in env.possible_agents:
                assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
            assert sum(shown["collected"]) == pytest.approx(0, abs=1e-9)
            if setting["score_mode"] != "penalty":
                assert shown["scores"] == shown["collected"]
            env.step(choice(env, rng))
            made += 1
            sums += [env.rewards[agent] for agent in env.possible_agents]
        shown, rows = env.reveal(), env.ledger()
        totals = np.sum([row["payoffs"] for row in rows], axis=0) if rows else np.zeros(n)
        assert shown["scores"] == pytest.approx(list(sign * totals))
        if rows:
            assert rows[-1]["scores"] == shown["scores"] and rows[-1]["collected"] == shown["collected"]
            assert env.payoffs() == rows[-1]["payoffs"]
        if setting["reward"] == "score":
            assert sums == pytest.approx(totals, abs=1e-2)
        elif not env.terminations[env.agent_selection]:
            assert not sums.any()
        else:
            best = shown["scores"] if setting["match"] else [sign * p for p in env.payoffs()]
            top = (max if sign > 0 else min)(best)
            won = [k for k in range(n) if best[k] == top]
            shares = [0 if len(won) == n else 1 / len(won) if k in won else -1 / (n - len(won)) for k in range(n)]
            assert sums == pytest.approx(shares, abs=1e-6) and abs(sums.sum()) < 1e-5
        if env.truncations[env.agent_selection]:
            assert shown["seat"] is not None and not env.terminations[env.agent_selection]
        if env.terminations[env.agent_selection]:
            assert shown["seat"] is None
        sums[:] = 0
        env.reset()


@pytest.mark.parametrize("seed", SEEDS)
def test_legal_is_accepted_and_nothing_else(seed: int):
    """Each legal id is accepted; each other one raises a sentence and leaves every byte as it was."""
    rng = random.Random(1000 + seed)
    env = make(random_setting(rng, max_decisions=None, auto_forced=rng.random() < 0.3), seed)
    for _ in range(12):
        before, actions = env.snapshot(), legal(env)
        for action in range(-2, 60):
            if action in actions:
                env.step(action)
                assert env.snapshot() != before
                env.restore(before)
            else:
                with pytest.raises(ValueError, match="not legal for agent_"):
                    env.step(action)
                assert env.snapshot() == before
        for _ in range(rng.randint(1, 12)):
            env.step(choice(env, rng))
            if ended(env):
                env.reset()


@pytest.mark.parametrize("seed", SEEDS)
def test_truncation_is_reported_as_truncation(seed: int):
    """An episode that reaches max_decisions is truncated, at exactly that decision, and pays nothing for it."""
    rng = random.Random(2000 + seed)
    limit = rng.randint(1, 12)
    setting = random_setting(rng, match=True, rounds=50, target=None, max_decisions=limit, reward="win", hand_size=5)
    for auto_forced in (False, True):
        env = make(setting | {"auto_forced": auto_forced}, seed)
        made = 0
        while not ended(env):
            env.step(choice(env, rng))
            made += 1
        assert made <= limit and (auto_forced or made == limit)
        assert all(env.truncations.values()) and not any(env.terminations.values())
        assert set(env.rewards.values()) == {0.0}
        actions = [line for line in env.log() if line.startswith("agent_")]
        assert len(actions) == limit


@pytest.mark.parametrize("seed", SEEDS)
def test_auto_forced_is_the_plain_game(seed: int):
    """It makes lone legal actions and no others, never the one that ends the episode; rewards and records are the plain game's."""
    rng = random.Random(3000 + seed)
    setting = random_setting(rng, auto_forced=False, max_decisions=rng.choice([300, 40]))
    plain, auto = make(setting, seed), make(setting | {"auto_forced": True}, seed)
    for _ in range(2):
        due = np.zeros(plain.num_players)
        while True:
            gained = np.zeros(plain.num_players)
            while not ended(plain) and len(legal(plain)) == 1:
                before = plain.snapshot()
                plain.step(legal(plain)[0])
                if ended(plain):
                    plain.restore(before)
                    break
                gained += [plain.rewards[agent] for agent in plain.possible_agents]
            # The rewards of forced steps come with the step before them; a reset has none to give.
            due += gained
            assert auto.reveal() == plain.reveal()
            assert auto.agent_selection == plain.agent_selection and legal(auto) == legal(plain)
            if ended(plain):
                break
            action = choice(plain, rng)
            plain.step(action)
            due = np.array([plain.rewards[agent] for agent in plain.possible_agents])
            auto.step(action)
            assert ended(auto) == ended(plain)
            if ended(plain):
                assert auto.terminations == plain.terminations and auto.rewards == pytest.approx(plain.rewards)
                assert auto.log() == plain.log() and auto.ledger() == plain.ledger()
                break
        plain.reset()
        auto.reset()


# Observations


def expected_section(section: contract.Section, shown: dict, setting: dict, first: int, own: int | None, passes: int) -> list[int]:
    """The features that a section must have, from the state in words. ``first`` is the seat from which seats are counted."""
    n = setting["num_players"]
    name, twice = (section.name.removesuffix("_twice"), section.name.endswith("_twice"))
    relative = lambda seat: (seat - first) % n  # noqa: E731

    def cards(held: list[str]) -> list[int]:
        counts = Counter(held)
        return [int(counts[text] >= (2 if twice else 1)) for text in section.bins]

    def thermometer(value: float) -> list[int]:
        return [int(value >= int(re.match(r"-?\d+", text)[0])) for text in section.bins]

    def one(index: int | None) -> list[int]:
        return [int(k == index) for k in range(section.size)]

    number = re.search(r"_(\d+)$", name)
    k = (first + int(number[1])) % n if number else -1
    top = shown["discard"][0]
    if name == "hand":
        return cards(shown["hands"][own])
    if name == "playable":
        return cards([] if shown["phase"] == "SUIT" else [c for c in shown["hands"][own] if fits(c, top, shown["suit"], setting)])
    if name == "pile":
        return cards(shown["discard"])
    if name == "stock":
        return cards(shown["stock"])
    if name == "next_card":
        return cards(shown["stock"][:1])
    if name == "top_rank":
        return one(section.bins.index(top[0]))
    if name == "suit_in_force":
        return one(None if shown["phase"] == "SUIT" else section.bins.index(shown["suit"]))
    if name == "phase":
        return one(section.bins.index(shown["phase"].lower()))
    if name == "turn":
        return one(None if shown["seat"] is None else relative(shown["seat"]))
    if name == "dealer":
        return one(relative(shown["dealer"]))
    if name == "stock_size":
        return thermometer(len(shown["stock"]))
    if name == "drawn":
        return thermometer(shown["drawn"])
    if name == "passes":
        return thermometer(passes)
    if name == "hands_played":
        return thermometer(shown["hand_number"])
    if name.startswith("hand_size_"):
        return thermometer(len(shown["hands"][k]))
    if name.startswith("score_"):
        return thermometer(shown["scores"][k])
    if name.startswith("hand_"):
        return cards(shown["hands"][k])
    raise AssertionError(f"no expectation for the section {section.name}")


def fits(card: str, top: str, suit: str, setting: dict) -> bool:
    wild = setting["wild_rank"]
    if card[0] == wild or top[0] == wild:
        return card[0] == wild or card[1] == suit
    same = [card[1] == suit, card[0] == top[0]]
    return all(same) if setting["match_rule"] == "both" else any(same)


def check_vector(vector: np.ndarray, sections, shown, setting, first: int, own: int | None, passes: int) -> None:
    slices = contract.fields(sections)
    assert len(vector) == sum(section.size for section in sections) and vector.dtype == np.int8
    for section in sections:
        got = vector[slices[section.name]].tolist()
        assert got == expected_section(section, shown, setting, first, own, passes), (section.name, first, shown)
        if section.kind == "one-hot":
            assert sum(got) <= 1
        elif section.kind == "thermometer":
            assert got == sorted(got, reverse=True)


def next_passes(passes: int, before: dict, action: str, setting: dict) -> int:
    """Passes in succession with nothing left to draw, after an action."""
    can_draw = before["stock"] or (setting["stock_end"] == "reshuffle" and len(before["discard"]) > 1)
    if action == "pass":
        return passes if can_draw else passes + 1
    return 0 if action.startswith("play") else passes


@pytest.mark.parametrize("seed", SEEDS)
def test_every_section_says_what_the_state_in_words_says(seed: int):
    """Observation of every seat and the full-information vector, section by section, also after the end."""
    rng = random.Random(4000 + seed)
    setting = random_setting(rng)
    env = make(setting, seed)
    sections, full = env.game.sections(env.setting), env.game.state_sections(env.setting)
    assert env.fields == contract.fields(sections)
    passes, made = 0, 0
    while made < 250:
        shown = env.reveal()
        check_vector(env.state(), full, shown, setting, 0, None, passes)
        for seat, agent in enumerate(env.possible_agents):
            check_vector(env.observe(agent)["observation"], sections, shown, setting, seat, seat, passes)
        if ended(env):
            env.reset()
            passes = 0
            continue
        action = choice(env, rng)
        env.step(action)
        made += 1
        passes = next_passes(passes, shown, env.action_name(action), setting)
        if env.reveal()["hand_number"] != shown["hand_number"]:
            passes = 0


def redeal_hidden(env, seat: int, rng: random.Random) -> tuple[bytes, bytes]:
    """Two snapshots without a log: the state, and one that differs only in the cards that ``seat`` does not see."""
    record_type = env.game.rule_set.state_dtype
    parts = snapshots.unpack(env.snapshot(), env.setting, record_type.itemsize)
    record = np.frombuffer(parts.record, record_type).copy()
    s, shown = record[0], env.reveal()
    hidden = [CARDS.index(c) for k, hand in enumerate(shown["hands"]) if k != seat for c in hand]
    hidden += [CARDS.index(c) for c in shown["stock"]]
    rng.shuffle(hidden)
    for k, hand in enumerate(shown["hands"]):
        if k != seat:
            mine, hidden = Counter(hidden[: len(hand)]), hidden[len(hand) :]
            for plane in range(2):
                s["hands"][k, plane] = np.uint64(sum(1 << card for card, count in mine.items() if count > plane))
    s["stock"][int(s["top"]) : int(s["end"])] = hidden
    s["chance"] = np.uint64(rng.getrandbits(64))

    def pack(data: bytes) -> bytes:
        return snapshots.pack(env.setting, data, parts.seed, parts.game_id, parts.episode, parts.streams)

    return pack(parts.record), pack(record.tobytes())


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_hidden_leaks(seed: int):
    """States that differ only in hidden cards give a seat the same observation, mask, view, picture, log and info bytes."""
    rng = random.Random(5000 + seed)
    setting = random_setting(rng, max_decisions=None)
    env, one, two = (make(setting | {"render_mode": "ansi"}, seed) for _ in range(3))
    different = 0
    for _ in range(15):
        if ended(env):
            env.reset()
        for seat, agent in enumerate(env.possible_agents):
            true, other = redeal_hidden(env, seat, rng)
            one.restore(true)
            two.restore(other)
            assert one.reveal() == env.reveal()
            different += two.reveal() != one.reveal()
            seen, same = one.observe(agent), two.observe(agent)
            assert seen["observation"].tobytes() == same["observation"].tobytes()
            assert seen["action_mask"].tobytes() == same["action_mask"].tobytes()
            assert one.view(agent) == two.view(agent) and one.log(agent) == two.log(agent) and one.infos == two.infos
            if one.agent_selection == agent:
                assert one.render() == two.render()
                plays = [a for a in legal(one) if env.action_name(a).startswith("play")]
                if plays and len(env.reveal()["hands"][seat]) > 1:
                    one.step(plays[0])
                    two.step(plays[0])
                    if not (ended(one) or ended(two)) and one.reveal()["hand_number"] == two.reveal()["hand_number"]:
                        seen, same = one.observe(agent), two.observe(agent)
                        assert seen["observation"].tobytes() == same["observation"].tobytes()
                        assert one.log(agent) == two.log(agent)
        for _ in range(rng.randint(1, 8)):
            if not ended(env):
                env.step(choice(env, rng))
    assert different > 15


def test_no_reset_returns_a_finished_game():
    for seed in range(120):
        rng = random.Random(6000 + seed)
        setting = random_setting(rng, auto_forced=seed % 2 == 0, hand_size=1 if seed % 3 == 0 else 5)
        vec = eightsenv.make_vec(NAME, num_envs=30, seed=seed, **setting)
        batch = vec.reset()
        assert not batch.terminated.any() and not batch.truncated.any() and batch.action_mask.any(axis=1).all()


# Many decisions


def check_batch(vec, setting: dict[str, Any]) -> None:
    """All games of a batch at once, from its arrays."""
    batch, n = vec.batch, vec.num_players
    at = contract.fields(vec.game.state_sections(vec.setting))
    packs = decks(setting)
    suffixes = ["", "_twice"][:packs]
    state = batch.state
    counts = sum(
        state[:, at[name + suffix]].astype(int)
        for name in [*(f"hand_{k}" for k in range(n)), "stock", "pile"]
        for suffix in suffixes
    )
    assert (counts == packs).all(), "a card is not in exactly one place"
    assert batch.action_mask.any(axis=1).all()
    assert ((batch.observation == 0) | (batch.observation == 1)).all()
    rows = np.arange(vec.num_envs)
    for suffix in suffixes:
        hands = np.stack([state[:, at[f"hand_{k}{suffix}"]] for k in range(n)], axis=1)
        assert (batch.observation[:, vec.fields[f"hand{suffix}"]] == hands[rows, batch.seat]).all()
        assert (batch.observation[:, vec.fields[f"pile{suffix}"]] == state[:, at[f"pile{suffix}"]]).all()
    plays = batch.action_mask[:, :52]
    assert (plays <= batch.observation[:, vec.fields["playable"]]).all()
    assert (batch.action_mask[:, 52:54].sum(axis=1) <= 1).all()
    reward = batch.reward.astype(float)
    over = batch.terminated | batch.truncated
    assert not (batch.terminated & batch.truncated).any()
    if setting["reward"] == "win":
        assert not reward[~batch.terminated].any() and (np.abs(reward.sum(axis=1)) < 1e-5).all()
    elif setting["score_mode"] == "penalty":
        assert (reward <= 0).all()
    else:
        assert (np.abs(reward.sum(axis=1)) < 1e-2).all()
    assert over.shape == (vec.num_envs,)


def fuzz(decisions: int, seed: int, num_envs: int) -> None:
    rng = random.Random(seed)
    made = 0
    while made < decisions:
        setting = random_setting(rng, auto_forced=rng.random() < 0.3)
        vec = eightsenv.make_vec(NAME, num_envs=num_envs, seed=seed, num_threads=rng.choice([1, 2]), state=True, **setting)
        vec.reset()
        finished = np.zeros(num_envs, bool)
        try:
            for _ in range(rng.choice([60, 250])):
                check_batch(vec, setting)
                greedy = rng.random() < 0.4
                vec.step(vec.choose("greedy") if greedy else vec.sample())
                finished |= vec.batch.terminated | vec.batch.truncated
                made += num_envs
        except AssertionError as error:
            raise AssertionError(f"with {setting}") from error


def test_batches_of_random_settings():
    fuzz(200_000, 1, 200)


@pytest.mark.slow
def test_a_million_decisions():
    fuzz(2_000_000, 2, 500)


@pytest.mark.slow
def test_no_endless_game():
    """Random play of one hand always comes to an end by the rules or is reported as truncated, whatever the setting."""
    rng = random.Random(7)
    for seed in range(60):
        setting = random_setting(rng)
        result = eightsenv.rollout(NAME, num_games=200, seed=seed, **setting)
        limit = setting["max_decisions"] or (20_000 if setting["match"] else 2_000)
        assert (result.lengths <= limit).all() and (result.lengths[result.truncated] == limit).all()
