"""The greedy policy of the eights family: sheds expensive cards, keeps its eights, names its longest suit."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, lowest, popcount, without_lowest
from eightsenv.variants.eights.state import CUT, DEMAND, DEMAND_PHASE, DRAW, FEWEST_CUT, PASS, SILENT, SUIT, SUIT_FIRST
from eightsenv.variants.shedding import suit_cards


@compiled
def greedy(s, r, words):
    """The most valuable playable card that is not wild (of equals the one of the longest suit); a wild card when it must.

    It never draws or passes when it can play, demands a play of everybody but its partner, and cuts in the middle. Uses
    nothing but the hand of the seat to move and what lies open. ``words`` holds the legal actions.
    """
    hand = s.hands[s.seat, 0]
    if s.phase == SUIT:
        return SUIT_FIRST + _longest_suit(hand & ~r.wild, r.suits)
    if s.phase == DEMAND_PHASE:
        return SILENT if r.partnership and (int(s.passer) - s.seat) & 1 == 0 else DEMAND
    if s.phase == CUT:
        return r.cut_first + r.pack_n // 2 - FEWEST_CUT
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
def _longest_suit(cards, allowed):
    """The suit with most of the cards among those that may be named; of equals the first."""
    best = np.int64(0)
    most = -1
    for suit in range(4):
        count = popcount(cards & suit_cards(suit))
        if count > most and allowed & bit(SUIT_FIRST + suit) != U(0):
            best = suit
            most = count
    return best
