"""The state and rules records of the eights kernel, its phases and action ids."""

from __future__ import annotations

from enum import IntEnum

from eightsenv.game import RULES_HEADER, header, record_dtype

SEATS = 8
CARDS = 104
"""Two packs."""
SCORE_BINS = 12


class Phase(IntEnum):
    """What the seat to move decides."""

    TURN = 0
    """Play, draw or pass."""
    SUIT = 1
    """Name the suit of the wild card on top of the pile."""


TURN, SUIT = int(Phase.TURN), int(Phase.SUIT)

DRAW, PASS, SUIT_FIRST = 52, 53, 54
"""Action ids 0 … 51 play the card of that id; four suits follow from SUIT_FIRST on (ACTIONS.md)."""
NUM_ACTIONS = 58

STATE = record_dtype(
    [
        *header(SEATS),
        ("suit", "i8"),  # the suit in force
        ("rank", "i8"),  # the rank of the top discard
        ("naming_starter", "i8"),  # 1 while the suit of a wild starter is named, before the first turn
        ("drawn", "i8"),  # cards drawn in this turn
        ("drawn_able", "i8"),  # those drawn while holding a playable card (voluntary_draw="one")
        ("passes", "i8"),  # passes in succession with nothing left to draw
        ("closing", "i8"),  # 1 when the hand ends with this turn (stock_end="end_of_turn")
        ("top", "i8"),  # the stock is stock[top:end], top first
        ("end", "i8"),
        ("pile_n", "i8"),  # the discard pile is stock[:pile_n], top last
        ("drawn_set", "u8"),  # faces drawn in this turn (play_after_draw="drawn_only")
        ("pile_set", "u8", (2,)),  # planes of the discard pile
        ("hands", "u8", (SEATS, 2)),  # planes of each hand
        ("stock", "i1", (CARDS,)),
        ("scores", "i8", (SEATS,)),  # totals as the rules count them, in 1/840
        ("collected", "i8", (SEATS,)),  # the second ledger of IT-14: amounts collected, in 1/840
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        ("decks", "i8"),
        ("hand_size", "i8"),
        ("wild_rank", "i8"),
        ("wild", "u8"),  # the wild cards as a set
        ("starter_wild", "i8"),
        ("bury", "i8"),
        ("match_both", "i8"),
        ("draw_limit", "i8"),
        ("voluntary_draw", "i8"),
        ("play_after_draw", "i8"),
        ("stock_end", "i8"),
        ("score_mode", "i8"),
        ("difference", "i8"),
        ("target", "i8"),  # 0: none
        ("rounds", "i8"),  # 0: none
        ("extra_round", "i8"),
        ("first_dealer", "i8"),  # a seat, or one of the methods below
        ("rotation", "i8"),
        ("values", "i8", (52,)),  # points of each card
        ("drawn_bins", "i8"),  # bins of the section "drawn"
        ("score_bins", "i8", (SCORE_BINS,)),  # thresholds of the score thermometers, in 1/840
    ]
)

# The coded values of the options, in the order in which they are listed in OPTIONS.md.
BURY_MIDDLE, BURY_RANDOM, BURY_BOTTOM, BURY_RESHUFFLE = range(4)
STARTER_BURY, STARTER_PRINTED, STARTER_FIRST_PLAYER, STARTER_DEALER = range(4)
VOLUNTARY_UNLIMITED, VOLUNTARY_ONE, VOLUNTARY_NONE = range(3)
AFTER_ANY, AFTER_DRAWN_ONLY, AFTER_NONE = range(3)
END_PASS_THEN_BLOCK, END_RESHUFFLE, END_OF_TURN, END_IMMEDIATE, END_ON_FAILED_DRAW = range(5)
COLLECT_HIGH, COLLECT_LOW, PENALTY = range(3)
ROTATE_LEFT, ROTATE_WINNER, ROTATE_LOSER, ROTATE_RANDOM = range(4)
DEALER_RANDOM, DEALER_FIRST_SPADE = -1, -2
