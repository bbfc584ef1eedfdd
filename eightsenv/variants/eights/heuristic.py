"""The greedy policy of the eights family: sheds expensive cards, keeps its eights, names its longest suit."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, lowest, popcount, without_lowest
from eightsenv.variants.eights.state import DRAW, PASS, SUIT, SUIT_FIRST
from eightsenv.variants.shedding import suit_cards


@compiled
def greedy(s, r, words):
    """The most valuable playable card that is not wild (of equals the one of the longest suit); a wild card when it must.

    Uses nothing but the hand of the seat to move. ``words`` holds the legal actions.
    """
    hand = s.hands[s.seat, 0]
    if s.phase == SUIT:
        return SUIT_FIRST + _longest_suit(hand & ~r.wild)
    plays = words[0] & ((U(1) << U(DRAW)) - U(1))
    if plays == U(0):
        return DRAW if words[0] >> U(DRAW) & U(1) != U(0) else PASS
    plain = plays & ~r.wild
    if plain == U(0):
        return lowest(plays)
    best = -1
    best_worth = -1
    while plain != U(0):
        card = lowest(plain)
        plain = without_lowest(plain)
        worth = 64 * r.values[card] + popcount(hand & suit_cards(card & 3))
        if worth > best_worth:
            best_worth = worth
            best = card
    return best


@compiled
def _longest_suit(cards):
    """The suit with most of the cards; of equals the first."""
    best = np.int64(0)
    for suit in range(1, 4):
        if popcount(cards & suit_cards(suit)) > popcount(cards & suit_cards(best)):
            best = suit
    return best
