"""Chance is fair: χ² tests at fixed seeds, so that they give the same p-values every time."""

from __future__ import annotations

import numpy as np
import pytest
from reference.deals import deck_for
from scipy import stats

import eightsenv

NAME = "crazy_eights_v0"
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
ALPHA = 1e-3
"""With a few dozen tests at fixed seeds none is below this by chance; a biased shuffle is below it by far."""


def uniform(counts: np.ndarray) -> float:
    """The p-value of equal frequencies."""
    assert counts.sum() >= 5 * counts.size, "enough samples for χ²"
    return stats.chisquare(np.ravel(counts)).pvalue


def deals(num: int, seed: int, **options):
    """The states in words of ``num`` dealt games."""
    vec = eightsenv.make_vec(NAME, num_envs=num, seed=seed, **options)
    vec.reset()
    return (vec.reveal(i) for i in range(num))


def test_the_measure_itself_notices_a_biased_shuffle():
    """The naive shuffle (each place swapped with any other) of six cards fails at the size of sample used here."""
    rng = np.random.default_rng(0)
    counts = np.zeros((6, 6), int)
    for _ in range(6_000):
        deck = list(range(6))
        for i in range(6):
            j = rng.integers(6)
            deck[i], deck[j] = deck[j], deck[i]
        for place, card in enumerate(deck):
            counts[place, card] += 1
    assert uniform(counts) < ALPHA


def test_every_card_is_equally_likely_in_every_place():
    """Position × card over the stock, the starter and one seat's hand, with nothing buried."""
    counts = np.zeros((42, 52), int)
    hands = np.zeros((2, 52), int)
    for shown in deals(8_000, 1, num_players=2, starter_wild="printed_suit", first_dealer=0):
        for place, card in enumerate(shown["discard"] + shown["stock"]):
            counts[place, CARDS.index(card)] += 1
        for seat in range(2):
            for card in shown["hands"][seat]:
                hands[seat, CARDS.index(card)] += 1
    for place in range(42):
        assert uniform(counts[place]) > ALPHA / 42
    for card in range(52):
        assert uniform(counts[:, card]) > ALPHA / 52
    assert uniform(counts) > ALPHA
    assert uniform(hands) > ALPHA


def test_neighbours_are_independent():
    """Of two neighbours in the stock, each ordered pair of suits and of ranks appears as often as drawing without return gives."""
    suits, ranks = np.zeros((4, 4)), np.zeros((13, 13))
    games = list(deals(6_000, 2, num_players=2, starter_wild="printed_suit"))
    for shown in games:
        for place in range(0, 40, 2):  # disjoint pairs: the two halves of a random word
            a, b = (CARDS.index(card) for card in shown["stock"][place : place + 2])
            suits[a & 3, b & 3] += 1
            ranks[a >> 2, b >> 2] += 1
    for table, size in ((suits, 13), (ranks, 4)):
        kinds = len(table)
        expected = np.full((kinds, kinds), size * size / (52 * 51))
        np.fill_diagonal(expected, size * (size - 1) / (52 * 51))
        assert stats.chisquare(table.ravel(), expected.ravel() * table.sum()).pvalue > ALPHA


def test_the_composition_of_the_first_hand():
    """The number of hearts in a hand of five is hypergeometric, and so is the number of eights."""
    hearts, eights = np.zeros(6), np.zeros(5)
    for shown in deals(12_000, 3):
        hand = shown["hands"][(shown["dealer"] + 1) % 4]
        hearts[sum(card[1] == "H" for card in hand)] += 1
        eights[sum(card[0] == "8" for card in hand)] += 1
    expected = stats.hypergeom(52, 13, 5).pmf(np.arange(6)) * hearts.sum()
    assert stats.chisquare([*hearts[:4], hearts[4:].sum()], [*expected[:4], expected[4:].sum()]).pvalue > ALPHA
    expected = stats.hypergeom(52, 4, 5).pmf(np.arange(5)) * eights.sum()
    assert stats.chisquare([*eights[:2], eights[2:].sum()], [*expected[:2], expected[2:].sum()]).pvalue > ALPHA


@pytest.mark.parametrize("players", range(2, 9))
def test_the_first_dealer_is_random(players: int):
    counts = np.bincount([shown["dealer"] for shown in deals(3_000, 4, num_players=players)], minlength=players)
    assert uniform(counts) > ALPHA


def test_the_first_dealer_by_the_first_spade():
    """The first spade falls at place k with probability 13/52 · …: the k-th card turned from seat 0 on."""
    players, packs = 3, 1
    counts = np.bincount([s["dealer"] for s in deals(6_000, 5, num_players=3, first_dealer="first_spade")], minlength=players)
    first = np.zeros(players)
    none = 1.0
    for place in range(39 * packs + 1):
        left = 52 * packs - place
        first[place % players] += none * 13 * packs / left
        none *= (left - 13 * packs) / left
    assert first.sum() == pytest.approx(1)
    assert stats.chisquare(counts, first * counts.sum()).pvalue > ALPHA


def test_successive_episodes_are_independent_deals():
    """The starter of an episode says nothing about that of the next."""
    vec = eightsenv.make_vec(NAME, num_envs=4_000, seed=6)
    table = np.zeros((4, 4))
    vec.reset()
    before = [vec.reveal(i)["discard"][0] for i in range(4_000)]
    vec.reset()
    for i, card in enumerate(before):
        table["CDHS".index(card[1]), "CDHS".index(vec.reveal(i)["discard"][0][1])] += 1
    assert stats.chi2_contingency(table).pvalue > ALPHA


def buried(bury: str, games: int):
    """The stocks under the starter after 8H was turned first and buried; the rest of the deck is fixed and holds no other eight."""
    rest = [c for c in CARDS if c[0] != "8" and c not in ("2C", "3C", "4C", "5C")]
    deck = deck_for(["2C 3C", "4C 5C"], " ".join(["8H", *rest, "8C", "8D", "8S"]), 1)
    vec = eightsenv.make_vec(NAME, num_envs=games, seed=7, num_players=2, hand_size=2, bury=bury)
    vec.reset(options={"deck": deck, "dealer": 1})
    for i in range(games):
        shown = vec.reveal(i)
        yield shown["discard"] + shown["stock"]


def test_burying_at_random_is_uniform():
    """Index 0 … 47 of the stock without it: at index 0 it is turned again at once, so the others share its part equally."""
    counts = np.zeros(48, int)
    for pile in buried("random", 10_000):
        counts[pile.index("8H")] += 1
    assert counts[0] == 0 and uniform(counts[1:]) > ALPHA


def test_burying_with_a_new_shuffle_is_uniform():
    """Each plain card is equally likely the new starter, and each place but the top equally likely for the eight."""
    starters, places = np.zeros(52, int), np.zeros(48, int)
    for pile in buried("reshuffle", 10_000):
        starters[CARDS.index(pile[0])] += 1
        places[pile.index("8H")] += 1
    plain = [CARDS.index(c) for c in CARDS if c[0] != "8" and c not in ("2C", "3C", "4C", "5C")]
    assert starters.sum() == starters[plain].sum() and uniform(starters[plain]) > ALPHA
    assert places[0] == 0 and uniform(places[1:]) > ALPHA


def test_a_reshuffle_is_uniform():
    """Position × card of the new stock, the card drawn from it first, over many chance streams of one played pile."""
    hands = [
        "2C 3C 4C 5C 6C 7C 9C TC JC QC", "2D 2H 2S 3H 3S 4H 4S 6H 6S 7H", "3D 5H 5S 7S 9H 9S TH TS JH JS",
        "4D QH QS KH KS KC AC AH AS 8C", "5D 7D 9D TD JD QD AD 8D 8H 8S",
    ]  # fmt: skip
    games = 5_000
    vec = eightsenv.make_vec(
        NAME, num_envs=games, seed=8, num_players=5, hand_size=10, starter_wild="printed_suit", stock_end="reshuffle"
    )
    vec.reset(options={"deck": deck_for(hands, "KD 6D", 4), "dealer": 4})
    env = eightsenv.make(NAME)
    # Seat 4 plays QD, seat 0 QC on it; seat 1 has neither clubs nor queens and is the first to draw.
    for action in ("draw", "play 6D", "play 2D", "play 3D", "play 4D", "play QD", "play QC", "draw"):
        vec.step(np.full(games, env.action_id(action)))
    cards = ["6D", "2D", "3D", "4D", "KD", "QD"]
    counts = np.zeros((len(cards), len(cards)), int)
    for i in range(games):
        shown = vec.reveal(i)
        drawn = [c for c in shown["hands"][1] if c in cards]
        for place, card in enumerate(drawn + shown["stock"]):
            counts[place, cards.index(card)] += 1
    assert (counts.sum(axis=1) == games).all() and uniform(counts) > ALPHA


def test_random_actions_are_uniform():
    """``sample`` in one position of many games, for masks of two to ten actions and for the four suits."""
    env = eightsenv.make(NAME)
    hands = ["2C 3C 4C 5C 6C 7C 8C 9C TC JC", "2D 3D 4D 5D 6D 7D 8D 9D TD JD"]
    games = 12_000
    vec = eightsenv.make_vec(NAME, num_envs=games, seed=9, num_players=2, hand_size=10)
    for starter, number in (("QC", 10), ("9S", 2), ("8S QC", 10), ("TS", 2)):
        vec.reset(options={"deck": deck_for(hands, starter, 1), "dealer": 1})
        legal = np.flatnonzero(vec.batch.action_mask[0])
        assert len(legal) == number
        for _ in range(2):
            counts = np.bincount(vec.sample(), minlength=58)
            assert counts.sum() == counts[legal].sum() == games and uniform(counts[legal]) > ALPHA
    vec.step(np.full(games, env.action_id("play 8C")))
    assert uniform(np.bincount(vec.sample(), minlength=58)[54:]) > ALPHA


def test_random_actions_of_seats_and_games_are_independent():
    """Two draws in a row from one stream, and draws of neighbouring games, are independent."""
    hands = ["2C 3C 4C 5C", "2D 3D 4D 5D"]
    vec = eightsenv.make_vec(NAME, num_envs=16_000, seed=10, num_players=2, hand_size=4)
    vec.reset(options={"deck": deck_for(hands, "QC", 1), "dealer": 1})
    first, second = vec.sample() // 4, vec.sample() // 4
    for a, b in ((first, second), (first[:-1:2], first[1::2])):
        table = np.zeros((4, 4))
        np.add.at(table, (a, b), 1)
        assert stats.chi2_contingency(table).pvalue > ALPHA
