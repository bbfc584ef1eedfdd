"""What the best trump is worth: the probability that it stands, given all that a seat has seen."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, popcount
from eightsenv.variants.shedding import suit_cards
from eightsenv.variants.speculation.play import faces_all, is_exempt
from eightsenv.variants.speculation.state import PACKET

_PACK = U((1 << 52) - 1)


@hot
def own_cards(s, seat):
    """The three cards dealt to a seat."""
    cards = U(0)
    for place in range(PACKET):
        cards |= bit(int(s.packets[seat, place]))
    return cards


@hot
def seen_by(s, seat):
    """The cards that a seat has seen: the turn-up, all faced ones, and its own if everybody has looked (SP-10)."""
    return s.seen | own_cards(s, seat) if s.looked else s.seen


@hot
def higher_trumps(s):
    """The cards that beat the best trump."""
    return suit_cards(s.best & 3) & _PACK & ~(bit(s.best + 1) - U(1))


@compiled
def stands(s, r, seat, owner):
    """The probability, to the eye of ``seat``, that the best trump is never beaten if it comes to be ``owner``'s in this sale.

    Exact, a float64: each of the ``u`` cards that the seat has not seen is as likely to be any of the ``m`` that will be faced, so
    that all ``h`` higher trumps lie elsewhere with the probability (u - m over h) / (u over h). Which cards will be faced
    depends on the owner, who is exempt or not (SP-12), and on whether all hands are faced together (SP-9).
    """
    seen = seen_by(s, seat)
    higher = higher_trumps(s) & ~s.seen
    if higher & seen != U(0):
        return 0.0  # in the own hand, which will be faced
    unseen = 52 - popcount(seen)
    together = faces_all(s, r)
    faced = np.int64(0)
    for k in range(r.num_players):
        if together:
            faced += 0 if s.looked and k == seat else s.unfaced[k]
        elif k != owner or not is_exempt(r, 1 if owner != s.owner else s.bought):
            faced += s.unfaced[k]
    chance = 1.0
    for k in range(popcount(higher)):
        chance *= max(unseen - faced - k, 0) / (unseen - k)
    return chance
