"""What everybody sees and knows of each seat, as one word of observation bits.

Only the seat that acts changes, and each observation shows all seats: so the word is made when a hand changes, not when it is
looked at (with it, an observation costs half).
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, hot
from eightsenv.variants.eights.state import CARDS
from eightsenv.variants.knowledge import CLASSES, capped
from eightsenv.variants.shedding import count_cards
from eightsenv.variants.tables import thermometer

HAND_BINS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17)
WILDS = 4
"""Wild cards of one pack."""


_HAND = thermometer(HAND_BINS, CARDS)
_NONE = len(HAND_BINS)
_KNOWN = _NONE + CLASSES
_TWICE = _KNOWN + WILDS
SIZE = (0, _TWICE, _TWICE + WILDS)
"""The bits of the word, by the number of packs."""
OF_HAND = (1 << len(HAND_BINS)) - 1
"""Those of them that are the size of the hand."""
_OF_KNOWN = U((1 << SIZE[2]) - (1 << _KNOWN))


@hot
def note(s, seat):
    """Make the word of a seat anew: the size of its hand and the classes of which it holds none; its known cards stay."""
    word = _HAND[count_cards(s.hands[seat])] | capped(s.caps[seat], np.int64(0)) << U(_NONE)
    s.shown[seat] = word | (s.shown[seat] & _OF_KNOWN)


@compiled
def note_known(s, r, seat):
    """Make the known wild cards in the word of a seat anew."""
    wild = U(4 * r.wild_rank)
    word = (s.known[seat, 0] >> wild & U(0xF)) << U(_KNOWN)
    if r.decks == 2:
        word |= (s.known[seat, 1] >> wild & U(0xF)) << U(_TWICE)
    s.shown[seat] = word | (s.shown[seat] & ~_OF_KNOWN)
