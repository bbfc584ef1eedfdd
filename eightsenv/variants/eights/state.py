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
    DEMAND = 2
    """After a pass of another seat: demand that it plays if it can, or be silent (holdback)."""
    CUT = 3
    """Cut the pack before the deal (cut_as_action)."""


TURN, SUIT, DEMAND_PHASE, CUT = (int(phase) for phase in Phase)

DRAW, PASS, SUIT_FIRST = 52, 53, 54
"""Action ids 0 … 51 play the card of that id; four suits follow from SUIT_FIRST on (ACTIONS.md)."""
DEMAND, SILENT = 58, 59
"""With ``holdback`` only."""
FEWEST_CUT = 5
"""The least number of cards in each part of a cut pack (RE-6)."""

# In the order of use: what every decision touches fills as few cache lines as can be.
STATE = record_dtype(
    [
        *header(SEATS),
        ("suit", "i8"),  # the suit in force
        ("rank", "i8"),  # the rank of the top discard
        ("drawn", "i8"),  # cards drawn in this turn
        ("passes", "i8"),  # passes in succession with nothing left to draw
        ("pending", "i8"),  # cards that the seat to move must draw for the effect of a card
        ("direction", "i8"),  # 1 clockwise, -1 after a reverse
        ("out", "i8"),  # seats that are out, as a bit mask
        ("top", "i8"),  # the stock is stock[top:end], top first
        ("end", "i8"),
        ("pile_n", "i8"),  # the discard pile is stock[:pile_n], top last
        ("closing", "i8"),  # 1 when the hand ends with this turn (stock_end="end_of_turn")
        ("drawn_able", "i8"),  # cards drawn in this turn while holding a playable card (voluntary_draw="one")
        ("drawn_set", "u8"),  # faces drawn in this turn (play_after_draw="drawn_only")
        ("known_stock", "u8", (2,)),  # bit by bit, the places of ``stock`` that everybody knows (variants.knowledge)
        ("pile_set", "u8", (2,)),  # planes of the discard pile
        ("hands", "u8", (SEATS, 2)),  # planes of each hand
        ("shown", "u8", (SEATS,)),  # what all see and know of each hand, as bits of the observation (public.note)
        ("caps", "u8", (SEATS, 2)),  # the most cards of each suit and rank in each hand, as all know (variants.knowledge)
        ("stock", "i1", (CARDS,)),
        ("misdealt", "i1", (SEATS,)),  # cards dealt too many or, below 0, too few, until they are put right (RE-26, RE-26b)
        ("short", "i1"),  # 1 while ``pending`` are cards that the seat was dealt too few
        ("reshuffled", "i1"),  # 1 when discards have become a stock in this hand
        ("naming_starter", "i1"),  # 1 while the suit of a wild starter is named, before the first turn
        ("first_out", "i1"),  # the first seat that went out, or -1
        ("passer", "i1"),  # who has passed, while the others may demand a play
        ("must_play", "i1"),  # 1 when the seat to move passed and a play was demanded
        ("plays", "i4"),  # cards played in this hand (max_plays)
        ("known", "u8", (SEATS, 2)),  # planes of the cards that everybody knows to be in each hand
        ("scores", "i8", (SEATS,)),  # totals as the rules count them, in 1/840
        ("collected", "i8", (SEATS,)),  # the second ledger of IT-14: amounts collected, in 1/840
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        # Asked at every decision.
        ("wild_rank", "i8"),
        ("wild", "u8"),  # the wild cards as a set
        ("effects", "u8"),  # cards with an effect when they are played
        ("match_both", "i8"),
        ("draw_limit", "i8"),
        ("voluntary_draw", "i8"),
        ("play_after_draw", "i8"),
        ("optional_draw", "i8"),
        ("holdback", "i8"),
        ("stock_end", "i8"),
        ("block_at_once", "i8"),
        ("pass_proves", "i8"),  # what a pass and a draw tell of a hand: see play.learn_from_draw
        ("draw_proves", "i8"),
        ("openspiel", "i8"),  # what is the preset's own (OPTIONS.md part 4)
        ("max_plays", "i8"),  # 0: none
        ("decks", "i8"),
        ("pass_bins", "i8"),  # bins of the section "passes"
        ("phases", "i8"),  # how many of the phases can occur
        ("rare", "i8"),  # 1 when there are sections for effects, seats out, demands or a limit of plays
        ("burials", "i8"),  # how many buried cards are told apart
        # The deal.
        ("pack", "i1", (CARDS,)),
        ("pack_n", "i8"),
        ("suits", "u8"),  # the actions that name a suit of the pack
        ("hand_size", "i8"),
        ("starter_wild", "i8"),
        ("bury", "i8"),
        ("starter_effects", "i8"),
        ("first_dealer", "i8"),  # a seat, or one of the methods below
        ("rotation", "i8"),
        ("excess_to_bottom", "i8"),
        ("cut", "i8"),  # 1: the cut is a decision
        ("cut_first", "i8"),  # the action of the smallest cut
        # Effects of cards.
        ("skip", "u8"),
        ("reverse", "u8"),
        ("stack", "u8"),
        ("draw", "i1", (52,)),
        # The end and the payment.
        ("partnership", "i8"),
        ("half_payment", "i8"),
        ("play_on", "i8"),
        ("score_mode", "i8"),
        ("difference", "i8"),
        ("target", "i8"),  # 0: none
        ("rounds", "i8"),  # 0: none
        ("extra_round", "i8"),
        ("values", "i8", (52,)),  # points of each card
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
DEALER_RANDOM, DEALER_FIRST_SPADE = -1, -2
PROVES_NOTHING, PROVES_NONE, PROVES_PARTLY = range(3)
"""What a draw or a pass proves of the hand before it: nothing, that no card fits, or that at certain times only (``play``)."""
