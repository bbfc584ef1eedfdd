"""The state and rules records of the high-low layout game, its phase and action ids."""

from __future__ import annotations

from enum import IntEnum

from eightsenv.game import RULES_HEADER, header, record_dtype
from eightsenv.variants import chips

SEATS = 8
HAND = 5
SLOTS = 8
"""Cards dealt to each seat (HL-5) and laid in the middle (HL-6)."""
PASS = 52
"""Action ids 0 … 51 lay the card of that id."""


class Phase(IntEnum):
    """What the seat to move decides."""

    TURN = 0
    """Lay a card or pass."""


STATE = record_dtype(
    [
        *header(SEATS),
        ("passes", "i8"),  # passes in succession
        ("passed", "i8"),  # the seats that have passed in this hand, as bits
        ("matching", "u8"),  # the 52 cards less those of ranks that the layout lacks
        ("hands", "u8", (SEATS,)),
        ("laid", "u8", (SEATS,)),  # the cards that each seat has laid
        ("top", "i8"),  # the dead cards are stock[top:end]
        ("end", "i8"),
        ("laid_n", "i8"),
        ("layout", "i1", (SLOTS,)),  # the cards first laid in the middle, by slot
        ("order", "i1", (SEATS * HAND,)),  # all cards that were laid, in order
        ("stock", "i1", (52,)),
        *chips.state_fields(SEATS),
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        ("voluntary_pass", "i8"),
        ("fraction", "i8"),  # 1: odd chips are divided (odd_chip="fraction")
        *chips.RULES_FIELDS,
    ]
)
SCRATCH = record_dtype([("unused", "i8")])
"""Sampling hidden cards needs none."""
