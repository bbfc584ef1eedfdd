"""States that agree with what one seat knows of a high-low hand, for search."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, lowest, nth, popcount, without_lowest
from eightsenv.rng import chance_below
from eightsenv.variants.sampling import reseed
from eightsenv.variants.shedding import shuffle_stock

_PACK = U((1 << 52) - 1)


@compiled
def determinize(s, r, seat, seed, w):
    """Sample anew all that ``seat`` cannot know, and seed the chance stream with ``seed`` (uint64).

    It knows its own hand, the layout, all cards laid, and how many cards everybody holds; and, when passing is not voluntary, that
    who has passed holds no card that the layout takes, for its ranks never change. The sample is uniform over the assignments of
    the other cards to the other hands and the dead cards: whatever those who have passed draw from the cards that the layout does
    not take, the rest can be dealt out in equally many ways. Returns False when there are too few such cards, in no position of a
    real game. ``w`` is not used.
    """
    reseed(s, seed)
    hidden = _PACK & ~s.hands[seat]
    for k in range(r.num_players):
        hidden &= ~s.laid[k]
    for slot in range(s.layout.shape[0]):
        hidden &= ~bit(int(s.layout[slot]))
    for has_passed in range(1, -1, -1):
        for k in range(r.num_players):
            if k != seat and (s.passed >> k & 1 if r.voluntary_pass == 0 else 0) == has_passed:
                number = popcount(s.hands[k])
                allowed = hidden & ~s.matching if has_passed else hidden
                if popcount(allowed) < number:
                    return False
                s.hands[k] = _draw(s, allowed, number)
                hidden &= ~s.hands[k]
    for place in range(s.top):
        s.stock[place] = 0  # the cards as they were dealt
    for place in range(s.top, s.end):
        s.stock[place] = lowest(hidden)
        hidden = without_lowest(hidden)
    shuffle_stock(s, np.int64(0))
    return True


@compiled
def _draw(s, cards, number):
    """So many random cards of a set, as a set."""
    drawn = U(0)
    for _ in range(number):
        card = bit(nth(cards, chance_below(s, popcount(cards))))
        drawn |= card
        cards &= ~card
    return drawn
