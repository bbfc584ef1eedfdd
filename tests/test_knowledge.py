"""The public knowledge of hidden cards, and sampling of states that agree with what a seat knows."""

from __future__ import annotations

import functools
import math
from collections import Counter

import numpy as np
import pytest
from reference import hidden
from scipy import stats

from eightsenv.bits import U, compiled
from eightsenv.variants import knowledge, sampling

# Caps against a plain table


class PlainCaps:
    """Bounds by class as a dict; 15 is none."""

    def __init__(self):
        self.bound = dict.fromkeys(range(knowledge.CLASSES), 15)

    def prove(self, classes, most):
        for k in classes:
            self.bound[k] = min(self.bound[k], most)

    def draw(self):
        self.bound = {k: min(15, bound + 1) for k, bound in self.bound.items()}

    def play(self, card):
        for k in (card & 3, 4 + (card >> 2)):
            if self.bound[k] != 15:
                self.bound[k] = max(0, self.bound[k] - 1)


@compiled
def one_change(caps, what, argument):
    if what == 0:
        knowledge.clear_caps(caps)
    elif what == 1:
        knowledge.prove_none(caps, U(argument))
    elif what == 2:
        knowledge.prove_at_most(caps, U(argument), np.int64(1))
    elif what == 3:
        knowledge.caps_draw(caps)
    else:
        knowledge.caps_play(caps, argument)


@compiled
def read_caps(caps, bounds):
    for k in range(17):
        bounds[k] = knowledge.cap_of(caps, np.int64(k))
    return knowledge.capped(caps, np.int64(0)), knowledge.capped(caps, np.int64(1))


def set_of(elements):
    return sum(1 << k for k in elements)


def test_caps_are_those_of_a_plain_table():
    rng = np.random.default_rng(5)
    caps, bounds = np.zeros(2, np.uint64), np.zeros(17, np.int64)
    for _ in range(30):
        plain = PlainCaps()
        one_change(caps, 0, 0)
        for _ in range(200):
            classes = [int(k) for k in np.flatnonzero(rng.random(17) < 0.2)]
            what = int(rng.choice([1, 2, 3, 4], p=[0.06, 0.06, 0.5, 0.38]))
            card = int(rng.integers(52))
            one_change(caps, what, card if what == 4 else set_of(classes))
            if what <= 2:
                plain.prove(classes, what - 1)
            elif what == 3:
                plain.draw()
            else:
                plain.play(card)
            none, one = read_caps(caps, bounds)
            assert bounds.tolist() == list(plain.bound.values())
            assert int(none) == set_of(k for k, bound in plain.bound.items() if bound == 0)
            assert int(one) == set_of(k for k, bound in plain.bound.items() if bound <= 1)


# Sampling against enumeration

POSITIONS = {
    "voids": dict(hands=["2C 3C", "4D 5D 9H", "6H 7H"], stock="8S 9S TS", caps={1: {"S": 0, "8": 0}, 2: {"D": 0, "9": 0}}),
    "room for one": dict(hands=["2C", "4D 5D", "6H 7D 2D"], stock="8D 2S", caps={1: {"D": 2, "8": 0}, 2: {"D": 2, "2": 1}}),
    "no stock": dict(
        hands=["4H 5H 6S", "2C 3D", "AS 2H 9D", "8C KC"], stock="", caps={0: {"D": 0, "C": 0}, 1: {"S": 0, "8": 0}, 3: {"H": 0}}
    ),
    "two packs": dict(
        hands=["2C 2C", "4D 9D 9H", "6H 6S"], stock="4D 6H 9H", caps={1: {"S": 0, "6": 1}, 2: {"4": 1}}, known={1: "9H"}
    ),
    "both copies known": dict(hands=["2C", "8D 8D 9H", "6H 6S 8C"], stock="4D 8C", caps={2: {"9": 0}}, known={1: "8D 8D", 2: "8C"}),
    "known places": dict(hands=["2C", "4D 9H", "6H"], stock="8S 4S 8H 5D", caps={1: {"S": 0}}, known_places=(0, 2), at=62),
    "same voids": dict(hands=["2C", "4D 9H", "6H 7H", "JC 5S"], stock="QS", caps={1: {"S": 0}, 2: {"S": 0}, 3: {"H": 0, "4": 0}}),
    "nothing known": dict(hands=["2C", "4D 9H", "6H"], stock="4S 5D"),
}  # fmt: skip


def chi_square(expected: Counter, samples: list[tuple]) -> float:
    """The probability of a worse fit to frequencies in the proportions ``expected``."""
    found = Counter(samples)
    assert set(found) <= set(expected), "a sample that contradicts what is known"
    total = sum(expected.values())
    assert len(samples) >= 8 * len(expected)
    return stats.chisquare([found[k] for k in expected], [len(samples) * v / total for v in expected.values()]).pvalue


@pytest.mark.parametrize("name", POSITIONS)
def test_samples_are_uniform_over_what_agrees_with_the_record(name: str):
    """χ² against the list of all assignments of physical cards, the order of the stock included."""
    games = hidden.position(**POSITIONS[name])
    n = len(POSITIONS[name]["hands"])
    expected = Counter(hidden.assignments(games, n, 0, order=True))
    stages = np.zeros(4, np.int64)
    results = hidden.samples(games, n, max(2_000, 10 * len(expected)), stages)
    assert chi_square(expected, [hidden.held(s, n, order=True) for s in results]) > 0.001
    assert len(expected) > 1
    assert stages[0] == stages[sampling.BY_REPAIR] == 0


@functools.cache
def random_positions() -> list[tuple[np.ndarray, Counter]]:
    """Random small positions of four hands, with caps that the true hands keep, and what agrees with them."""
    rng = np.random.default_rng(11)
    positions = [random_position(rng) for _ in range(15)]
    return [(games, Counter(hidden.assignments(games, 4, 0, order=False))) for games in positions]


@pytest.mark.parametrize("stage", [sampling.BY_SEAT, sampling.BY_COUNT, sampling.BY_REPAIR])
def test_each_stage_by_itself(stage: int):
    """The first two stages are uniform, the third agrees with what is known."""
    scratch = np.zeros(1, hidden.SCRATCH)
    for games, expected in random_positions():
        results = np.zeros(max(200, 10 * len(expected)), hidden.POSITION)
        assert hidden.sample_by(games, 4, 0, scratch, stage, results) >= len(results)
        fit = chi_square(expected, [hidden.held(s, 4, order=False) for s in results])
        assert stage == sampling.BY_REPAIR or fit > 1e-4
    sizes = [len(expected) for _, expected in random_positions()]
    assert min(sizes) < 20 and max(sizes) > 150


def random_position(rng: np.random.Generator) -> np.ndarray:
    """A few cards of two packs, four hands, and for each of the others caps that are the true counts or a little more."""
    faces = [hidden.card_text(int(c)) for c in rng.choice(52, 6, replace=False)]
    cards = [str(c) for c in rng.permutation(faces + faces)[:9]]
    hands = [" ".join(cards[k : k + size]) for k, size in ((0, 1), (1, 2), (3, 2), (5, 2))]
    caps: dict[int, dict[str, int]] = {}
    for seat in (1, 2, 3):
        own = hands[seat].split()
        classes = [text for text in "CDHS23456789TJQKA" if rng.random() < 0.4]
        caps[seat] = {text: sum(text in card for card in own) + int(rng.random() < 0.3) for text in classes}
    known = {1: hands[1].split()[0]} if rng.random() < 0.5 else {}
    return hidden.position(hands, " ".join(cards[7:]), caps, known)


def test_a_crowded_position_is_sampled_by_counting():
    """Eight cards in each of three hands, each void in another suit, and no stock: deals seat by seat seldom agree.

    If seat 1 holds k clubs, seat 3 has the other 8 - k, then seat 2 k hearts, seat 1 8 - k, … : comb(8, k) ways three times.
    """
    clubs, diamonds, hearts = (" ".join(rank + suit for rank in "234567JQ") for suit in "CDH")
    games = hidden.position(["AS", clubs, diamonds, hearts], "", {1: {"H": 0}, 2: {"C": 0}, 3: {"D": 0}})
    stages = np.zeros(4, np.int64)
    results = hidden.samples(games, 4, 4_000, stages)
    assert stages[sampling.BY_COUNT] > 200 and stages[0] == stages[sampling.BY_REPAIR] == 0
    expected = Counter({k: math.comb(8, k) ** 3 for k in range(9)})
    in_clubs = [sum("C" in card for card in hidden.held(s, 4, order=False)[0][1]) for s in results]
    assert chi_square(expected, in_clubs) > 0.001


def test_a_record_that_contradicts_itself_is_noticed():
    games = hidden.position(["2C", "4D 9D", "6D 7S"], "8S", {1: {"D": 0}, 2: {"D": 0}})
    stages = np.zeros(4, np.int64)
    hidden.samples(games, 3, 1, stages)
    assert stages.tolist() == [1, 0, 0, 0]


def test_states_that_look_alike_give_the_same_bytes():
    """Hidden cards exchanged, garbage outside the piles, another chance stream, a used scratch record: nothing shows."""
    scratch, stages = np.zeros(1, hidden.SCRATCH), np.zeros(4, np.int64)
    for name, setting in POSITIONS.items():
        n = len(setting["hands"])
        games = hidden.position(**setting)
        first, again = hidden.samples(games, n, 30), np.zeros(30, hidden.POSITION)
        assert len({s.tobytes() for s in first}) > 1, name
        for other in hidden.samples(games, n, 50):
            other.stock[other.pile_n : other.top] = 17
            other.stock[other.end :] = 3
            other.chance = 5
            hidden.sample(np.array([other]), n, 0, scratch, again, stages)
            assert again.tobytes() == first.tobytes(), name


def test_after_the_end_all_hands_are_known():
    games = hidden.position(**POSITIONS["voids"])
    games["over"] = 1
    results = hidden.samples(games, 3, 200)
    assert all(s.hands.tobytes() == games[0].hands.tobytes() for s in results)
    assert len({tuple(s.stock[s.top : s.end]) for s in results}) == 6
