"""States that agree with what one seat knows of a hand of Speculation, for search."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, lowest, popcount, without_lowest
from eightsenv.rng import chance_below
from eightsenv.variants.sampling import reseed
from eightsenv.variants.shedding import left_of, shuffle_stock, take_top
from eightsenv.variants.speculation.appraisal import seen_by
from eightsenv.variants.speculation.state import BID, PACKET

_PACK = U((1 << 52) - 1)


@compiled
def determinize(s, r, seat, seed, w):
    """Sample anew all that ``seat`` cannot know, and seed the chance stream with ``seed`` (uint64).

    It knows the turn-up, all faced cards and, if everybody has looked (SP-10), its own; nobody knows other cards, its own among
    them, and no decision tells of them: every order of the cards not seen over the unfaced and undealt ones is equally likely. Of
    a sealed sale in progress the other bids are sampled too, any amount being as likely. ``w`` is not used. Always True.
    """
    reseed(s, seed)
    hidden = _PACK & ~seen_by(s, seat)
    dead = s.end - s.top
    s.top = s.end - popcount(hidden)
    for place in range(s.top, s.end):
        s.stock[place] = lowest(hidden)
        hidden = without_lowest(hidden)
    shuffle_stock(s, np.int64(0))
    for k in range(r.num_players):
        if s.looked == 0 or k != seat:
            for place in range(PACKET - s.unfaced[k], PACKET):
                s.packets[k, place] = take_top(s)
    for place in range(s.end - dead):
        s.stock[place] = 0  # the cards as they were dealt
    if r.sealed and s.phase == BID:
        _sample_bids(s, r, seat)
    return True


@compiled
def _sample_bids(s, r, seat):
    """Sample the sealed bids of the others, and find the best bid."""
    s.best_bid = 0
    s.bidder = -1
    other = s.owner
    for _ in range(r.num_players - 1):
        other = left_of(other, r.num_players)
        if s.bids[other] >= 0:
            if other != seat:
                s.bids[other] = chance_below(s, r.max_bid + 1)
            amount = int(s.bids[other])
            if amount > s.best_bid:
                s.best_bid = amount
                s.bidder = other
