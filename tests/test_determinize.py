"""States sampled for one seat: they agree with what it knows, tell nothing else, and vary in the rest."""

from __future__ import annotations

import functools
import json
import random
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import eightsenv
from eightsenv import engine, snapshots
from eightsenv.cards import card_text, set_texts
from eightsenv.variants import get, knowledge

ITALIAN, RUSSIAN = "crazy_eights_v0", "eights_v0"


def random_options(rng: random.Random, name: str) -> dict[str, Any]:
    """A few options of a variant at random, of all that its table allows; defaults where they are refused together."""
    game = get(name)
    while True:
        given: dict[str, Any] = {"num_players": rng.randint(2, 8), "match": rng.random() < 0.3}
        for option in rng.sample(game.options, 5):
            given[option.name] = rng.choice(option.check.samples(given["num_players"]))
        try:
            engine.resolve(game, **given)
        except ValueError:
            continue
        return given


@functools.cache
def settings() -> list[tuple[str, dict[str, Any]]]:
    rng = random.Random(3)
    chosen = [(name, random_options(rng, name)) for name in (ITALIAN, RUSSIAN) * 5]
    chosen += [
        (ITALIAN, {}),
        (ITALIAN, {"rules": "openspiel", "num_players": 5, "use_special_cards": True, "reshuffle": True}),
        (RUSSIAN, {"rules": "crazy_eights_specials", "num_players": 3}),
        (RUSSIAN, {"rules": "mini", "num_players": 2}),
        (RUSSIAN, {"partnership": True, "holdback": True, "cut_as_action": True, "voluntary_draw": "none"}),
        (RUSSIAN, {"num_players": 7, "voluntary_draw": "none", "starter_wild": "bury", "play_on": True}),
        (RUSSIAN, {"num_players": 3, "voluntary_draw": "one", "play_after_draw": "drawn_only", "hand_size": 3}),
        (RUSSIAN, {"num_players": 3, "stock_end": "on_failed_draw", "voluntary_draw": "none", "hand_size": 13}),
        (RUSSIAN, {"num_players": 2, "block": "immediate", "voluntary_draw": "none", "hand_size": 13}),
    ]
    return chosen


def moments(name: str, options: dict[str, Any], games: int = 3, steps: int = 50, every: int = 5):
    """A batch that plays at random, every few steps of it."""
    vec = eightsenv.make_vec(name, num_envs=games, seed=8, **options)
    vec.reset()
    for step in range(steps):
        if step % every == 0:
            yield vec, step
        vec.step(vec.sample())


def record(vec: eightsenv.VectorCore, snapshot: bytes) -> np.record:
    """The state in a snapshot."""
    parts = snapshots.unpack(snapshot, vec.setting, vec.record_size)
    return np.frombuffer(parts.record, vec.game.rule_set.state_dtype)[0]


def true_record(vec: eightsenv.VectorCore, i: int) -> np.record:
    return record(vec, vec.snapshot(i))


def hand(s: np.record, seat: int) -> Counter:
    return Counter(set_texts(*s.hands[seat]))


def known(s: np.record, seat: int) -> Counter:
    return Counter(set_texts(*s.known[seat]))


def known_places(s: np.record) -> dict[int, str]:
    """The cards of the stock that everybody knows, by place in the array."""
    places = int(s.known_stock[0]) | int(s.known_stock[1]) << 64
    return {i: card_text(s.stock[i]) for i in range(128) if places >> i & 1}


def require_true_knowledge(s: np.record, n: int) -> None:
    """The hands keep within the caps, the known cards are there, and known places are places of the stock."""
    for seat in range(n):
        cards = hand(s, seat)
        assert known(s, seat) <= cards
        for k in range(knowledge.CLASSES):
            bound = knowledge.cap_of(s.caps[seat], np.int64(k))
            held = sum(("CDHS".index(card[1]), 4 + "23456789TJQKA".index(card[0]))[k > 3] == k for card in cards.elements())
            assert bound == knowledge.NO_CAP or held <= bound, (seat, k, held, int(bound))
    assert all(s.top <= i < s.end for i in known_places(s))


@pytest.mark.parametrize("number", range(19))
def test_what_is_known_is_true_and_samples_agree_with_it(number: int):
    """In any setting, for any seat, at any time: the seat sees the same, the pack is the same, and the knowledge is true.

    Of a sample, sampled again: it looks alike, so the same seed gives the same bytes.
    """
    name, options = settings()[number]
    other = eightsenv.make_vec(name, num_envs=1, seed=1, **options)
    rng = random.Random(number)
    for vec, step in moments(name, options):
        n = vec.num_players
        for i in range(vec.num_envs):
            s = true_record(vec, i)
            require_true_knowledge(s, n)
            seat = rng.randrange(n)
            snapshot = vec.determinize(i, seat, seed=step)
            assert vec.determinize(i, seat, seed=step) == snapshot
            t = record(vec, snapshot)
            require_true_knowledge(t, n)
            assert hand(t, seat) == hand(s, seat)
            assert [hand(t, k).total() for k in range(n)] == [hand(s, k).total() for k in range(n)]
            assert known_places(t) == known_places(s)
            assert list(t.stock[: t.pile_n]) == list(s.stock[: s.pile_n])
            everything = [sum((hand(x, k) for k in range(n)), Counter(map(int, x.stock[x.top : x.end]))) for x in (s, t)]
            texts = [Counter(c if isinstance(c, str) else card_text(c) for c in cards.elements()) for cards in everything]
            assert texts[0] == texts[1]
            other.restore(0, snapshot)
            assert other.look([0], [seat]).tobytes() == vec.look([i], [seat]).tobytes()
            assert other.view(0, seat) == vec.view(i, seat)
            assert other.batch.action_mask[0].any()
            if seat == s.seat:
                assert other.batch.action_mask[0].tobytes() == vec.batch.action_mask[i].tobytes()
            assert other.determinize(0, seat, seed=step) == snapshot
            assert other.determinize(0, seat, seed=step + 1) == vec.determinize(i, seat, seed=step + 1)
            for _ in range(5):
                other.step(other.sample())


def test_hidden_cards_vary_with_the_seed_and_nothing_else_does():
    vec = eightsenv.make_vec(ITALIAN, num_envs=1, seed=8)
    vec.reset()
    states = [record(vec, vec.determinize(0, 1, seed)) for seed in range(200)]
    assert len({tuple(s.hands[0]) for s in states}) > 150 and len({int(s.stock[s.top]) for s in states}) > 30
    assert len({int(s.chance) for s in states}) == 200
    for field in vec.game.rule_set.state_dtype.names:
        if field not in ("hands", "stock", "chance"):
            assert len({s[field].tobytes() for s in states}) == 1, field


def test_a_snapshot_tells_no_seed_and_no_stream():
    """The header has the given seed; policy streams and chance come from it."""
    vec = eightsenv.make_vec(ITALIAN, num_envs=3, seed=0x1122334455667788)
    vec.reset()
    vec.reset()
    snapshot = vec.determinize(2, 1, seed=5)
    parts = snapshots.unpack(snapshot, vec.setting, vec.record_size)
    assert (parts.seed, parts.game_id, parts.episode) == (5, 0, 0)
    assert bytes.fromhex("8877665544332211") not in snapshot
    same = eightsenv.make_vec(ITALIAN, num_envs=3, seed=1)
    same.reset()
    same.restore(2, vec.snapshot(2))
    same.sample()
    assert same.determinize(2, 1, seed=5) == snapshot


def test_bad_arguments_are_refused():
    vec = eightsenv.make_vec(ITALIAN, num_envs=2)
    with pytest.raises(ValueError, match="call reset before determinize"):
        vec.determinize(0, 0, 1)
    vec.reset()
    with pytest.raises(ValueError, match="seats are a list or array of integers from 0 to 3"):
        vec.determinize(0, 4, 1)
    with pytest.raises(ValueError, match="a seed is an int from 0"):
        vec.determinize(0, 0, -1)
    with pytest.raises(TypeError, match="a seed is an int"):
        vec.determinize(0, 0, 1.5)
    with pytest.raises(IndexError, match="games 0 to 1"):
        vec.determinize(2, 0, 1)
    env = eightsenv.crazy_eights_v0.raw_env()
    env.reset(seed=1)
    for agent in ("agent_4", 0, None, []):
        with pytest.raises(ValueError, match="there is no agent"):
            env.determinize(agent, 1)


# What the rules let everybody know


def mini_worlds(actions: list[int], dealer: int, seat: int, seen: list[bytes]) -> set[tuple]:
    """All positions that can have come from some order of the pack by these actions, with this seat seeing what it saw."""
    env = eightsenv.make(RUSSIAN, rules="mini", num_players=2).unwrapped
    worlds = set()
    for deck in permutations(["7C", "7D", "8C", "8D", "9C", "9D"]):
        env.reset(seed=0, options={"deck": list(deck), "dealer": dealer})
        possible = env.observe(f"agent_{seat}")["observation"].tobytes() == seen[0]
        for action, sight in zip(actions, seen[1:], strict=True):
            possible = possible and bool(env.observe(env.agent_selection)["action_mask"][action])
            if not possible:
                break
            env.step(action)
            possible = env.observe(f"agent_{seat}")["observation"].tobytes() == sight
        if possible:
            worlds.add(world(env.reveal()))
    return worlds


def world(shown: dict[str, Any]) -> tuple:
    return (*(tuple(sorted(cards)) for cards in shown["hands"]), tuple(shown["stock"]))


@pytest.mark.parametrize("seed", range(4))
def test_the_small_pack_against_all_its_deals(seed: int):
    """Played at random: samples for the seat to move are uniform over the positions of all deals that fit what it has seen."""
    env = eightsenv.make(RUSSIAN, rules="mini", num_players=2).unwrapped
    env.reset(seed=seed)
    other = eightsenv.make(RUSSIAN, rules="mini", num_players=2).unwrapped
    rng = random.Random(seed)
    dealer = env.reveal()["dealer"]
    actions: list[int] = []
    seen: dict[int, list[bytes]] = {0: [], 1: []}
    several = 0
    while True:
        for seat in (0, 1):
            seen[seat].append(env.observe(f"agent_{seat}")["observation"].tobytes())
        if env.terminations["agent_0"]:
            break
        seat = int(env.agent_selection[-1])
        worlds = mini_worlds(actions, dealer, seat, seen[seat])
        found: Counter = Counter()
        for k in range(40 * len(worlds)):
            other.restore(env.determinize(f"agent_{seat}", k))
            found[world(other.reveal())] += 1
        assert set(found) == worlds
        if len(worlds) > 1:
            several += 1
            assert stats.chisquare(list(found.values())).pvalue > 1e-4
        action = rng.choice([int(a) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])])
        actions.append(action)
        env.step(action)
    assert several > 0


def sampled_hands(env: Any, observer: str, seat: int, number: int = 200) -> list[Counter]:
    other = type(env)(env.game, **env.setting.as_dict())
    hands = []
    for seed in range(number):
        other.restore(env.determinize(observer, seed))
        hands.append(Counter(other.reveal()["hands"][seat]))
    return hands


def make_moves(env: Any, *texts: str) -> None:
    for text in texts:
        env.step(env.action_id(text))


def test_forced_draws_and_passes_show_voids():
    """Crazy eights: who draws has nothing that fits but the cards drawn since; who passes has nothing at all."""
    env = eightsenv.crazy_eights_v0.raw_env(num_players=3)
    deck = "2C 4D 4H  2S 5D 5H  3C 6D 6H  3S 7D 7H  TC 9D 9H  KC  AD AH AS"
    env.reset(seed=4, options={"deck": deck.split(), "dealer": 2})
    make_moves(env, "play TC", "draw")  # seat 1 has no club, no ten and no eight
    for cards in sampled_hands(env, "agent_0", 1):
        assert sum(number for card, number in cards.items() if card[1] == "C") <= 1
        assert sum(number for card, number in cards.items() if card[0] == "8") <= 1
    make_moves(env, "draw", "draw", "pass")
    hands = sampled_hands(env, "agent_0", 1)
    assert all(card[1] != "C" and card[0] not in "T8" for cards in hands for card in cards)
    assert len({frozenset(cards.items()) for cards in hands}) > 150
    assert any(card[0] == "8" for cards in sampled_hands(env, "agent_0", 2) for card in cards)


def test_a_buried_eight_is_known_wherever_it_goes():
    """At the bottom of the stock, then in the hand of who draws it, until it is played (AMB-G-2)."""
    env = eightsenv.make(RUSSIAN, num_players=2, hand_size=2, bury="bottom").unwrapped
    env.reset(seed=4, options={"deck": ["3C", "4C", "5C", "6C", "8D", "2C"], "dealer": 1})
    shown = stocks(env, "agent_0", 50)
    assert {stock[-1] for stock in shown} == {"8D"} and len({stock[0] for stock in shown}) > 10
    make_moves(env, "play 4C" if "4C" in env.reveal()["hands"][0] else "play 3C")
    while env.reveal()["stock"]:
        make_moves(env, "draw")
    others = [cards for cards in sampled_hands(env, "agent_0", 1, 30) if cards["8D"] != 1]
    assert others == [] and "8D" in env.reveal()["hands"][1]
    make_moves(env, "play 8D", "suit C")
    assert all(cards["8D"] == 0 for cards in sampled_hands(env, "agent_0", 1, 30))


def stocks(env: Any, observer: str, number: int) -> list[list[str]]:
    other = type(env)(env.game, **env.setting.as_dict())
    shown = []
    for seed in range(number):
        other.restore(env.determinize(observer, seed))
        shown.append(other.reveal()["stock"])
    return shown


def test_who_must_play_on_demand_can():
    """With ``holdback`` a passer gets the turn back only with a playable card (RE-27)."""
    options = {"num_players": 3, "holdback": True, "voluntary_draw": "unlimited", "hand_size": 2, "decks": 1}
    found = 0
    for seed in range(40):
        env = eightsenv.make(RUSSIAN, **options).unwrapped
        env.reset(seed=seed)
        rng = random.Random(seed)
        while not env.terminations["agent_0"] and not found:
            mask = env.observe(env.agent_selection)["action_mask"]
            names = {env.action_name(int(a)): int(a) for a in np.flatnonzero(mask)}
            wanted = next((names[name] for name in ("draw", "demand", "pass") if name in names), None)
            demanded = wanted is not None and wanted == names.get("demand")
            env.step(rng.choice(list(names.values())) if wanted is None else wanted)
            mask = env.observe(env.agent_selection)["action_mask"]
            if demanded and not env.terminations["agent_0"] and mask[:52].any() and not mask[52:].any():
                found += 1
                seat = int(env.agent_selection[-1])
                other = eightsenv.make(RUSSIAN, **options).unwrapped
                for k in range(100):
                    other.restore(env.determinize(f"agent_{(seat + 1) % 3}", k))
                    mask = other.observe(other.agent_selection)["action_mask"]
                    assert mask[:52].any() and not mask[52:].any()
        if found:
            return
    raise AssertionError("no demand that could be met")


def test_who_would_have_ended_the_hand_otherwise_can_play():
    """``stock_end="on_failed_draw"``: with the stock empty and the hand going on, the seat to move can play (AMB-IT-4)."""
    options = {"num_players": 3, "stock_end": "on_failed_draw", "voluntary_draw": "none", "hand_size": 13}
    other = eightsenv.make_vec(RUSSIAN, num_envs=1, seed=1, **options)
    seen = 0
    for vec, step in moments(RUSSIAN, options, games=100, steps=60, every=1):
        for i in range(vec.num_envs):
            s = true_record(vec, i)
            if s.top == s.end and s.phase == 0:
                seen += 1
                other.restore(0, vec.determinize(i, (int(s.seat) + 1) % 3, step))
                assert other.batch.action_mask[0, :52].any()
    assert seen > 20


def test_before_the_deal_the_whole_pack_is_hidden():
    vec = eightsenv.make_vec(RUSSIAN, num_envs=1, seed=2, cut_as_action=True)
    vec.reset()
    assert vec.reveal(0)["phase"] == "CUT"
    packs = [tuple(record(vec, vec.determinize(0, 3, seed)).stock[:52]) for seed in range(300)]
    assert all(sorted(pack) == list(range(52)) for pack in packs)
    assert len({pack[0] for pack in packs}) > 45 and len({pack[51] for pack in packs}) > 45


def test_after_the_end_the_hands_are_shown():
    env = eightsenv.crazy_eights_v0.raw_env(num_players=3)
    env.reset(seed=1)
    while not env.terminations["agent_0"]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    other = eightsenv.crazy_eights_v0.raw_env(num_players=3)
    other.restore(env.determinize("agent_1", 5))
    assert other.reveal()["hands"] == env.reveal()["hands"] and other.payoffs() == env.payoffs()
    assert other.terminations == env.terminations and other.rewards == env.rewards
    assert sorted(other.reveal()["stock"]) == sorted(env.reveal()["stock"])


@pytest.mark.parametrize("options", [{"play_after_draw": "drawn_only"}, {"play_after_draw": "drawn_only", "voluntary_draw": "none"},
                                     {"voluntary_draw": "one"}, {}])  # fmt: skip
def test_the_draws_of_another_seats_turn(options: dict[str, Any]):
    """They are cards of the sampled hand, as many as were drawn, and none where it does not matter; the own ones are kept."""
    given = {"num_players": 3, "voluntary_draw": "one", "draw_limit": None} | options
    matters = given["voluntary_draw"] == "one" or "play_after_draw" in given
    checked = set()
    for vec, step in moments(RUSSIAN, given, games=20, steps=40, every=1):
        for i in range(vec.num_envs):
            s = true_record(vec, i)
            if s.drawn == 0 or s.phase != 0:
                continue
            checked.add(int(s.drawn))
            own = record(vec, vec.determinize(i, int(s.seat), step))
            assert (own.drawn_set, own.drawn_able, own.drawn) == (s.drawn_set, s.drawn_able, s.drawn)
            t = record(vec, vec.determinize(i, int(s.seat + 1) % 3, step))
            assert t.drawn == s.drawn and int(t.drawn_set) & ~int(t.hands[t.seat, 0]) == 0
            assert int(t.drawn_set).bit_count() == (t.drawn if matters else 0)
            assert t.drawn_able <= 1 or "play_after_draw" in given
    assert checked >= {1, 2, 3}


# Through the AEC environment


@pytest.mark.parametrize(
    "options", [{}, {"match": True, "hand_size": 1, "num_players": 3}, {"auto_forced": True, "num_players": 2}]
)
def test_a_restored_sample_has_the_agents_own_log(options: dict[str, Any]):
    """The public history, with this agent's notes and nobody else's; it goes on from there, and can be saved again."""
    env = eightsenv.crazy_eights_v0.raw_env(**options)
    env.reset(seed=77777777777)
    rng = random.Random(5)
    rounds = 0
    while env.agents and not any(env.terminations.values()):
        for agent in env.possible_agents:
            snapshot = env.determinize(agent, 9)
            other = eightsenv.crazy_eights_v0.raw_env(**options)
            other.restore(snapshot)
            assert other.log(agent) == env.log(agent) and other.ledger() == env.ledger()
            for somebody in (None, *env.possible_agents):
                if somebody != agent:
                    assert other.log(somebody) == env.log()
            assert other.observe(agent)["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
            assert (other.agent_selection, other.rewards, other._cumulative_rewards, other.terminations) == (
                env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations)  # fmt: skip
            assert other.determinize(agent, 9) == snapshot, "a state that looks alike to the agent"
            assert b"77777777777" not in snapshot and (77777777777).to_bytes(8, "little") not in snapshot
            before = len(other.log())
            for _ in range(4):
                if any(other.terminations.values()):
                    break
                mask = other.observe(other.agent_selection)["action_mask"]
                other.step(rng.choice([int(a) for a in np.flatnonzero(mask)]))
            assert len(other.log()) >= before + 4 or any(other.terminations.values())
            again = eightsenv.crazy_eights_v0.raw_env(**options)
            again.restore(other.snapshot())
            assert again.log(agent) == other.log(agent) and again.snapshot() == other.snapshot()
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(rng.choice([int(a) for a in np.flatnonzero(mask)]))
        rounds += 1
        if rounds > 9:
            return


def test_notes_of_others_are_in_no_byte():
    """The text of the log in the snapshot names the agent's own cards and those on the table only."""
    env = eightsenv.crazy_eights_v0.raw_env()
    env.reset(seed=3)
    for _ in range(6):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
    snapshot = env.determinize("agent_2", 1)
    extra = json.loads(snapshots.unpack(snapshot, env.setting, env.core.record_size).extra)
    assert extra["log"] == [] and list(extra["origin"]) == ["history"]
    assert all(set(private) <= {"2"} for _, private, _ in extra["origin"]["history"])
