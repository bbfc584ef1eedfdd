"""The endgame solver of 8-ball against brute force, which plays the rules out card by card (``reference/eight_ball_endgame.py``)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reference.eight_ball_endgame import DEFAULTS, PACK, SUITS, Ending, random_ending, tricks, tricks_after

from eightsenv.cards import card_id
from eightsenv.variants.eight_ball import endgame, solver, trumps

ROOT = Path(__file__).resolve().parent.parent
TABLES = [(4, False), (4, True), (3, False), (2, False)]


def card_set(cards) -> int:
    return sum(1 << card_id(card) for card in cards)


def arguments(ending: Ending, seat: int) -> dict:
    """The ending as the solver takes it."""
    ghost = {"ghost": 2}
    given = {
        "hands": np.array([[card_set(hand) for hand in ending.hands]], np.uint64),
        "trump": SUITS.index(ending.trump),
        "leader": ghost.get(ending.leader, ending.leader),
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


def check(ending: Ending, seat: int, moves: bool = True) -> None:
    """The value, and the value of each move, are those of brute force."""
    known: dict = {}
    given = arguments(ending, seat)
    assert solver.solve_deals(**given).tolist() == [tricks(ending, seat, known)], ending
    if moves:
        expected = np.full((1, 52), -1)
        if ending.to_play() != "ghost":
            for card in ending.legal():
                expected[0, card_id(card)] = tricks_after(ending, card, seat, known)
        assert np.array_equal(solver.solve_moves(**given), expected), ending


@pytest.mark.parametrize(("players", "alone"), TABLES)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_small_endings(players, alone, size):
    """At any moment of the trick, under random options, for each seat."""
    rng = random.Random(f"{players} {alone} {size}")
    for _ in range(600 if size < 3 else 300):
        ending = random_ending(rng, players, size, alone)
        check(ending, rng.randrange(players))


@pytest.mark.parametrize(("players", "alone"), TABLES)
def test_four_tricks(players, alone):
    rng = random.Random(f"{players} {alone}")
    for _ in range(25 if players == 4 and not alone else 50):
        ending = random_ending(rng, players, 4, alone)
        check(ending, rng.randrange(players), moves=False)
