"""The greedy policy of Speculation: an exact, risk-neutral appraiser."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import compiled
from eightsenv.variants.speculation.appraisal import stands
from eightsenv.variants.speculation.state import SELL, TAKE


@compiled
def greedy(s, r, words):
    """It takes the best trump to be worth the pot times the probability that it is never beaten (``appraisal.stands``).

    It sells for more than that is with itself as owner. It bids the least that such an owner would accept, if it beats the best
    bid and is less than what the trump is worth to itself. Uses nothing but what the seat to move may know.
    """
    seat = s.seat
    if s.phase == TAKE:
        return r.max_bid + 2
    to_owner = s.pot * stands(s, r, seat, s.owner)
    if s.phase == SELL:
        return r.max_bid + 1 if s.best_bid > to_owner else r.max_bid + 2
    price = np.int64(to_owner) + 1
    if r.sealed == 0:
        price = max(price, s.best_bid + 1)
    return price if price <= r.max_bid and price < s.pot * stands(s, r, seat, seat) else np.int64(0)
