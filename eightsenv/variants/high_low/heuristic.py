"""The greedy policy of the high-low layout game: it weighs the low half of the pot against the high half."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, lowest, popcount, without_lowest
from eightsenv.variants.high_low.play import VALUES, count
from eightsenv.variants.high_low.state import PASS

_PACK = U((1 << 52) - 1)


@compiled
def greedy(s, r, words):
    """Lays cards when it can get rid of all, or when its count comes nearer to the lowest that way than to the highest by holding.

    How near, it measures in standard deviations of what a rival with the most cards would count who keeps them all, and of what one
    with the fewest would count who lays all that the layout takes; it takes every unseen card to be as likely. Of the cards
    to lay it takes the most valuable. Uses nothing but the hand of the seat to move and what lies open.
    """
    seat = s.seat
    hand = s.hands[seat]
    plays = hand & s.matching
    if plays == U(0):
        return np.int64(PASS)
    if r.voluntary_pass and plays != hand and _holds(s, r, hand, plays):
        return np.int64(PASS)
    return _dearest(plays)


@compiled
def _holds(s, r, hand, plays):
    """Whether to go for the high half."""
    unseen = _PACK & ~hand
    most = np.int64(0)
    fewest = np.int64(64)
    for k in range(r.num_players):
        unseen &= ~s.laid[k]
        if k != s.seat:
            cards = popcount(s.hands[k])
            most = max(most, cards)
            fewest = min(fewest, cards)
    for slot in range(s.layout.shape[0]):
        unseen &= ~(U(1) << U(int(s.layout[slot])))
    number = popcount(unseen)
    high_mean, high_spread = _moments(unseen, number, most)
    low_mean, low_spread = _moments(unseen & ~s.matching, number, fewest)
    return (count(hand) - high_mean) * low_spread > (low_mean - count(hand & ~plays)) * high_spread


@compiled
def _moments(cards, number, drawn):
    """Mean and standard deviation of what so many cards ``drawn`` of ``number`` count if only those of the set ``cards`` do."""
    total = 0.0
    squares = 0.0
    while cards != U(0):
        value = VALUES[lowest(cards)]
        cards = without_lowest(cards)
        total += value
        squares += value * value
    mean = total / number
    return mean * drawn, np.sqrt(max(squares / number - mean * mean, 1.0) * drawn)


@compiled
def _dearest(cards):
    """The most valuable card of a set."""
    best = lowest(cards)
    while cards != U(0):
        card = lowest(cards)
        cards = without_lowest(cards)
        if VALUES[card] > VALUES[best]:
            best = card
    return best
