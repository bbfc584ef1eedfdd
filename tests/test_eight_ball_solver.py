"""The endgame solver of 8-ball against brute force, which plays every line out (``reference/eight_ball_endgame.py``)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference.eight_ball_endgame import OPTIONS, PACK, SUITS, Ending, random_ending, tricks, tricks_after

import eightsenv
from eightsenv.cards import card_id
from eightsenv.variants.eight_ball import endgame, solver
from eightsenv.variants.eight_ball.state import PLAY

ROOT = Path(__file__).resolve().parent.parent
TABLES = [(4, False), (4, True), (3, False), (2, False)]
PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
SCALE = 40 if PLAIN else 1
"""Plain Python takes fewer endings."""


def card_set(cards) -> int:
    return sum(1 << card_id(card) for card in cards)


def arguments(ending: Ending, seat: int) -> dict:
    """The ending as the solver takes it."""
    given = {
        "hands": np.array([[card_set(hand) for hand in ending.hands]], np.uint64),
        "trump": SUITS.index(ending.trump),
        "leader": 2 if ending.leader == "ghost" else ending.leader,
        "seat": seat,
        **ending.options,
    }
    if ending.trick:
        given["trick"] = [[card_id(card) for _, card in ending.trick]]
    if ending.players == 2:
        given |= {"packet": [[card_id(card) for card in ending.packet]], "after_ghost": ending.after_ghost}
    if ending.resting is not None:
        given["resting"] = ending.resting
    return given


def value(ending: Ending, seat: int) -> int:
    return int(solver.solve_deals(**arguments(ending, seat))[0])


def move_values(ending: Ending, seat: int) -> dict[str, int]:
    values = solver.solve_moves(**arguments(ending, seat))
    assert values.shape == (1, 52) and values.dtype == np.int8
    found = {card: int(values[0, card_id(card)]) for card in PACK if values[0, card_id(card)] >= 0}
    assert len(found) == (values >= 0).sum()
    return found


def shuffled(count: int, players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Full deals: hands, trump suits, and the ghost's packets that are left over for them."""
    rng = random.Random(count)
    decks = [rng.sample([card_id(card) for card in PACK], 21) for _ in range(count)]
    hands = [[sum(1 << card for card in deck[5 * seat : 5 * seat + 5]) for seat in range(players)] for deck in decks]
    return np.array(hands, np.uint64), np.array([rng.randrange(4) for _ in decks]), np.array(decks)[:, 15:]


# Against brute force


@pytest.mark.parametrize(("players", "alone"), TABLES)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_endings(players, alone, size):
    """At any moment of a trick, under random options, for each seat: the value, and the value after each legal card."""
    rng = random.Random(f"{players} {alone} {size}")
    for _ in range({1: 300, 2: 500, 3: 250}[size] // SCALE):
        ending, seat, known = random_ending(rng, players, size, alone), rng.randrange(players), {}
        assert value(ending, seat) == tricks(ending, seat, known), ending
        legal = ending.legal() if ending.to_play() != "ghost" else []
        assert move_values(ending, seat) == {card: tricks_after(ending, card, seat, known) for card in legal}, ending


@pytest.mark.skipif(PLAIN, reason="compiled only: it takes long")
@pytest.mark.parametrize(("players", "alone", "count"), [(4, False, 60), (4, True, 100), (3, False, 100), (2, False, 100)])
def test_four_tricks(players, alone, count):
    rng = random.Random(f"{players} {alone}")
    for _ in range(count):
        ending, seat = random_ending(rng, players, 4, alone), rng.randrange(players)
        assert value(ending, seat) == tricks(ending, seat), ending


@pytest.mark.skipif(PLAIN, reason="compiled only: it takes long")
@pytest.mark.parametrize(("players", "alone"), [(4, True), (3, False), (2, False)])
def test_five_tricks(players, alone):
    rng = random.Random(f"{players} {alone}")
    for _ in range(4):
        ending, seat = random_ending(rng, players, 5, alone), rng.randrange(players)
        assert value(ending, seat) == tricks(ending, seat), ending


@pytest.mark.parametrize(("players", "alone"), TABLES)
def test_whole_hands_card_by_card(players, alone):
    """A value is that of the best card, and a card's value the trick that it takes and the value of the moment after it."""
    rng = random.Random(f"{players} {alone}")
    for _ in range(40 // SCALE):
        ending, seat = random_ending(rng, players, 5, alone, cards=0), rng.randrange(players)
        while not ending.over():
            best = max if ending.counts(seat, ending.to_play()) else min
            card = rng.choice(ending.legal())
            after, taker = ending.after(card)
            gained = int(taker is not None and ending.counts(seat, taker))
            expected = gained + (0 if after.over() else value(after, seat))
            if ending.to_play() == "ghost":
                assert value(ending, seat) == expected
            else:
                values = move_values(ending, seat)
                assert value(ending, seat) == best(values.values())
                assert values[card] == expected
            ending = after


# Examples


def test_three_sure_trumps_and_no_more():
    """Trump H: seat 0 holds 8C JH JD and two losers; the others hold the rest of hearts and the aces."""
    hands = (
        ("8C", "JH", "JD", "TC", "TS"),
        ("AH", "KH", "QH", "TH", "AC"),
        ("TD", "QD", "KC", "QC", "JC"),
        ("AS", "KS", "QS", "AD", "KD"),
    )
    ending = Ending(4, "H", hands, 0)
    assert value(ending, 0) == 3 and value(ending, 2) == 3
    assert value(ending, 1) == value(ending, 3) == 2


def test_the_ghost_takes_tricks_from_both():
    """B2-22: the ghost wins with the top of its packet, and leads."""
    ending = Ending(2, "S", (("TD", "TH"), ("QD", "QH")), 0, packet=("8C", "JS"))
    assert value(ending, 0) == value(ending, 1) == 0
    ending = Ending(2, "S", (("TD", "TH"), ("QD", "QH")), 0, packet=("AC", "KC"))
    assert value(ending, 1) == 2


def test_a_resting_hand_does_not_matter():
    hands, suits, _ = shuffled(60 // SCALE, 4)
    other = hands.copy()
    other[:, 2] = 0
    assert np.array_equal(solver.solve_deals(hands, suits, 1, resting=2), solver.solve_deals(other, suits, 1, resting=2))


def test_the_two_sides_share_the_tricks():
    hands, suits, _ = shuffled(200 // SCALE, 4)
    ours = solver.solve_deals(hands, suits, 3, seat=0)
    assert np.array_equal(ours, solver.solve_deals(hands, suits, 3, seat=2))
    assert np.array_equal(5 - ours, solver.solve_deals(hands, suits, 3, seat=1))


# Batches


@pytest.mark.parametrize("players", [4, 3, 2])
def test_batches_threads_and_single_deals_agree(players):
    """One deal after another leaves nothing behind that changes the next; nothing that was given is changed."""
    count = 200 // SCALE
    hands, suits, packets = shuffled(count, players)
    rng = np.random.default_rng(1)
    given = {"leader": rng.integers(0, players, count), "seat": rng.integers(0, players, count)}
    if players == 2:
        given |= {"packet": packets, "after_ghost": rng.integers(0, 2, count), "bot_policy": "follow_if_able"}
    kept, nodes = hands.copy(), np.zeros((2, count), np.int64)
    values = solver.solve_deals(hands, suits, **given, nodes=nodes[0])
    moves = solver.solve_moves(hands, suits, **given)
    assert np.array_equal(values, solver.solve_deals(hands, suits, **given, num_threads=3, nodes=nodes[1]))
    assert np.array_equal(moves, solver.solve_moves(hands, suits, **given, num_threads=2))
    assert np.array_equal(nodes[0], nodes[1]) and (nodes > 0).all()
    assert np.array_equal(hands, kept)
    for k in range(count):
        one = {name: part[k : k + 1] if isinstance(part, np.ndarray) else part for name, part in given.items()}
        assert solver.solve_deals(hands[k : k + 1], suits[k], **one) == values[k]
    assert solver.solve_deals(np.zeros((0, 4), np.uint64), 0, 0).shape == (0,)
    assert solver.solve_moves(np.zeros((0, 4), np.uint64), 0, 0).shape == (0, 52)


def test_the_numbers_of_the_deals_begin_anew():
    """Of two deals of the same cards with the same number the second does not find what was kept of the first."""
    hands, suits, _ = shuffled(20, 4)
    scratch, found, nodes = np.zeros(1, endgame.SCRATCH), np.zeros((1, 64), np.int8), np.zeros(1, np.int64)
    packets, cards = np.full((1, endgame.HAND), -1, np.int8), np.full((1, endgame.TRICK), -1, np.int8)
    for deal, suit in zip(hands[: 20 if SCALE == 1 else 2], suits, strict=False):
        for turn in range(4):
            given = np.roll(deal, turn)[None]
            scratch["deal"] = (1 << 28) - 1
            places = np.array([[suit, 0, endgame.ALL_FOUR, 0b0101]])
            solver._kernel(endgame.kernel_deals)(scratch, 0, 0, given, packets, cards, places, nodes, found)
            assert scratch["deal"][0] == 1
            assert found[0, 0] == solver.solve_deals(given, suit, 0)[0]


# Games


def ending_of(shown: dict, players: int, options: dict) -> Ending:
    """The moment that ``reveal`` tells of."""
    ghost = shown["ghost"] if players == 2 else []
    trick = tuple((seat, card) for seat, card in shown["trick"])
    resting = None
    if players == 4 and shown["bid"]["alone"]:
        resting = (shown["bid"]["seat"] + 2) % 4
    second = shown["dealer"] if options.get("bot_lead_next") == "left_of_bot" else 1 - shown["dealer"]
    hands = tuple(tuple(hand) for hand in shown["hands"])
    leader = trick[0][0] if trick else shown["seat"]
    known = {name: options.get(name, value) for name, value in OPTIONS.items()}
    return Ending(players, shown["trump"], hands, leader, trick, tuple(ghost), resting, second, known)


@pytest.mark.parametrize("players", [4, 3, 2])
def test_states_that_are_reached_by_play(players):
    """``solve_state`` reads a game as it stands: any phase of a trick, alone, the ghost's packet, pass-out hands, all options."""
    rng = random.Random(players)
    lone, led_by_ghost, solved = 0, 0, 0
    for turn in range(16 if not PLAIN else 2):
        options = {
            "eight_suit": rng.choice(["trump", "club_and_trump"]),
            "eight_forced_on_trump_lead": rng.random() < 0.5,
            "left_bower_follows": rng.choice(["trump", "printed_suit"]),
        }
        if players == 2:
            options |= {"bot_policy": rng.choice(["top_card", "follow_if_able"])}
            options |= {"bot_lead_next": rng.choice(["nondealer", "left_of_bot"])}
        if players == 4:
            options |= {"alone_requires": "none", "alone_leader": rng.choice(["left_of_dealer", "bidder", "left_of_bidder"])}
        vec = eightsenv.make_vec("eight_ball_v0", num_envs=40, seed=turn, num_players=players, **options)
        vec.reset()
        for _ in range(60):
            vec.step(vec.sample())
            ripe = np.flatnonzero((vec._games["phase"] == PLAY) & (vec._games["tricks_played"] >= 2))
            if len(ripe) < 5:
                continue
            seats = np.array([rng.randrange(players) for _ in ripe])
            values = solver.solve_states(vec._games[ripe], vec._rules, seats)
            for i, seat, row in zip(ripe, seats, values, strict=True):
                ending, known = ending_of(vec.reveal(int(i)), players, options), {}
                expected = {f"play {card}": tricks_after(ending, card, int(seat), known) for card in ending.legal()}
                assert {vec.actions[a]: v for a, v in enumerate(row.tolist()) if v >= 0} == expected, ending
                solved += 1
                lone += ending.resting is not None
                led_by_ghost += bool(ending.trick) and ending.trick[0][0] == "ghost"
            break
    assert solved > (5 if PLAIN else 100)
    if not PLAIN:
        assert (lone > 20) == (players == 4) and (led_by_ghost > 20) == (players == 2)


def test_states_that_cannot_be_solved():
    vec = eightsenv.make_vec("eight_ball_v0", num_envs=2)
    vec.reset()
    with pytest.raises(ValueError, match="the play of a card"):
        solver.solve_states(vec._games, vec._rules, 0)
    with pytest.raises(TypeError, match="records of 8-ball"):
        solver.solve_states(vec._rules, vec._rules, 0)
    with pytest.raises(ValueError, match="shapes"):
        solver.solve_states(vec._games[:, None], vec._rules, 0)
    while (vec._games["phase"] != PLAY).any():
        vec.step(vec.choose("greedy"))
    assert (solver.solve_states(vec._games, vec._rules, 0).max(axis=1) >= 0).all()
    with pytest.raises(ValueError, match="seats is from 0 to 3"):
        solver.solve_states(vec._games, vec._rules, 4)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_compiled_functions_have_one_signature():
    hands, suits, packets = shuffled(2, 2)
    vec = eightsenv.make_vec("eight_ball_v0", num_envs=1)
    vec.reset()
    while vec._games["phase"][0] != PLAY:
        vec.step(vec.choose("greedy"))
    solver.solve_deals(hands, suits, 2, packet=packets)
    solver.solve_moves(hands, suits, 1, packet=packets)
    solver.solve_states(vec._games, vec._rules, 0)
    counts = {name: len(value.signatures) for name, value in vars(endgame).items() if hasattr(value, "signatures")}
    own = {name for name, value in vars(endgame).items() if getattr(value, "__module__", "") == endgame.__name__}
    # None at all where the kernels come from the cache.
    assert {name: count for name, count in counts.items() if name in own and count > 1} == {}
    assert {"reaches", "move_values", "solve_state"} <= own & set(counts)


# Bad input

FULL = shuffled(2, 4)[0]
PAIR, _, PACKETS = shuffled(2, 2)
EIGHT = card_set(["8C"])


@pytest.mark.parametrize(
    ("error", "word", "given"),
    [
        (ValueError, "2, 3 or 4 players", {"hands": FULL[0]}),
        (ValueError, "2, 3 or 4 players", {"hands": np.zeros((1, 5), np.int64)}),
        (TypeError, "hands are integers", {"hands": np.zeros((1, 4))}),
        (ValueError, "the 21 cards of the pack", {"hands": [[1, 2, 4, 8]]}),
        (ValueError, "the 21 cards of the pack", {"hands": [[-1, 2, 4, 8]]}),
        (ValueError, "a card twice", {"hands": [[EIGHT, EIGHT, EIGHT, EIGHT]]}),
        (ValueError, "a card twice", {"trick": [[card_id("8C"), card_id("8C")], [-1, -1]], "hands": FULL}),
        (ValueError, "a card for each trick", {"hands": FULL & np.array([0, -1, -1, -1]).astype(np.uint64)}),
        (ValueError, "tricks are left", {"hands": np.zeros((1, 4), np.uint64)}),
        (ValueError, "tricks are left", {"hands": np.array([[card_set(PACK[:7]), card_set(PACK[7:14]), card_set(PACK[14:])]])}),
        (ValueError, "trump is from 0 to 3", {"trump": 4}),
        (TypeError, "trump are integers", {"trump": "H"}),
        (ValueError, "trump is one integer", {"trump": [1, 2, 3]}),
        (ValueError, "leader is from 0 to 3", {"leader": 4}),
        (ValueError, "leader is from 0 to 2", {"leader": 3, "hands": FULL[:, :3]}),
        (ValueError, "seat is from 0 to 1", {"seat": 2, "hands": PAIR, "packet": PACKETS}),
        (ValueError, "resting is from -1 to 3", {"resting": 4}),
        (ValueError, "does not lead", {"resting": 0}),
        (ValueError, "four players only", {"resting": 1, "hands": FULL[:, :3]}),
        (ValueError, "the ghost's packet", {"hands": PAIR}),
        (ValueError, "the ghost's packet", {"packet": PACKETS}),
        (ValueError, "a card for each trick", {"hands": PAIR, "packet": PACKETS[:, :4]}),
        (ValueError, "packet is an array of 2 lists", {"hands": PAIR, "packet": PACKETS[0]}),
        (ValueError, "packet is an array of 2 lists", {"hands": PAIR, "packet": np.full((2, 7), -1)}),
        (ValueError, "packet lists ids", {"hands": PAIR, "packet": np.zeros((2, 6), int)}),
        (ValueError, "trick lists its cards first", {"trick": [[-1, card_id("8C")]] * 2}),
        (ValueError, "a complete one", {"trick": [[card_id(c) for c in ("AC", "KC", "QC", "TC")]],
                                        "hands": [[card_set([c]) for c in ("AD", "KD", "QD", "TD")]]}),
        (ValueError, "eight_suit is 'trump' or", {"eight_suit": "club"}),
        (ValueError, "eight_forced_on_trump_lead is True or", {"eight_forced_on_trump_lead": "yes"}),
        (ValueError, "left_bower_follows is 'trump' or", {"left_bower_follows": None}),
        (ValueError, "bot_policy is 'top_card' or", {"bot_policy": "random"}),
        (ValueError, "after_ghost is from 0 to 1", {"after_ghost": 2}),
        (ValueError, "num_threads is an int", {"num_threads": 0}),
        (ValueError, "nodes is an array", {"nodes": np.zeros(3, np.int64)}),
        (TypeError, "unexpected keyword", {"options": 1}),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(error, word, given):
    for solve in (solver.solve_deals, solver.solve_moves):
        with pytest.raises(error, match=word):
            solve(**{"hands": FULL, "trump": 0, "leader": 0} | given)


def test_plain_python_does_the_same():
    if PLAIN:
        return
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=1400, check=False)
    assert done.returncode == 0, done.stdout
