"""The state and rules records of Speculation, and its phases."""

from __future__ import annotations

from enum import IntEnum

from eightsenv.game import RULES_HEADER, header, record_dtype
from eightsenv.variants import chips

SEATS = 9
PACKET = 3
"""Cards dealt to each seat (SP-5)."""
HIGHEST_BID = 255
BID_BINS = 24
"""The most features that show an amount bid."""
BALANCE_STEPS = (-8, -4, -2, -1, 0, 1, 2, 4, 8)
"""Thresholds of what a seat has received less paid for trumps, in antes."""


class Phase(IntEnum):
    """What the seat to move decides."""

    BID = 0
    """Bid for the best trump, or 0."""
    SELL = 1
    """Its owner accepts the best bid or keeps it."""
    TAKE = 2
    """The dealer takes the pot with an ace turned up."""


BID, SELL, TAKE = (int(phase) for phase in Phase)

# In the order of use: what every decision touches fills as few cache lines as can be.
STATE = record_dtype(
    [
        *header(SEATS),
        ("best", "i8"),  # the best trump that lies open
        ("owner", "i8"),  # whose it is
        ("bought", "i8"),  # 1 when the owner has bought it
        ("facer", "i8"),  # the seat that faced the best trump, -1: it is the turn-up
        ("best_bid", "i8"),  # of this sale, 0: none
        ("bidder", "i8"),  # whose it is
        ("turn_up", "i8"),
        ("looked", "i8"),  # 1 when every seat has seen its own cards (SP-10)
        ("seen", "u8"),  # the turn-up and all faced cards
        ("facings", "i8"),  # how many cards were faced in this hand
        ("unfaced", "i8", (SEATS,)),  # how many cards of each packet are not
        ("balance", "i8", (SEATS,)),  # chips received less chips paid in the sales of this hand
        ("faced", "u8", (SEATS,)),  # the cards that each seat has faced
        ("bids", "i2", (SEATS,)),  # of this sale, -1: none
        ("packets", "i1", (SEATS, PACKET)),  # the cards dealt to each seat, those to be faced first first
        ("top", "i8"),  # the undealt cards are stock[top:end]
        ("end", "i8"),
        ("stock", "i1", (52,)),
        ("order", "i1", (SEATS * PACKET,)),  # the cards faced in this hand, in order
        ("last_order", "i1", (SEATS * PACKET,)),  # and in the one before, for the log
        ("last_faced", "u8", (SEATS,)),
        ("last_facings", "i8"),
        *chips.state_fields(SEATS),
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        ("sealed", "i8"),
        ("max_bid", "i8"),  # bids are the actions 0 … max_bid, then come "accept" and "keep"
        ("holder_exempt", "i8"),
        ("resume_at_owner", "i8"),
        ("look_on_court", "i8"),
        ("later_court_faces_all", "i8"),
        ("offer_ace", "i8"),
        ("bid_bins", "i8"),  # how many features show a bid
        ("pot_shown", "u8"),  # the antes as features
        ("balance_bins_of_sales", "i8", (len(BALANCE_STEPS),)),
        ("bid_level", "u1", (HIGHEST_BID + 1,)),  # how many of the features of a bid are on
        *chips.RULES_FIELDS,
    ]
)
SCRATCH = record_dtype([("unused", "i8")])
"""Sampling hidden cards needs none."""

ANY_HOLDER, PURCHASER_ONLY, NOBODY = range(3)
"""Who faces nothing while owning the best trump, in the order of OPTIONS.md."""
