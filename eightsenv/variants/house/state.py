"""The state and rules records of House Rules, its phases, pending consequences, and action ids."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from eightsenv.bits import U
from eightsenv.game import RULES_HEADER, header, record_dtype

SEATS = 12
CARDS = 108
"""Two packs with two Jokers each."""
FACES = 54
"""52 cards and the Jokers X1, X2: 52 and 53."""
SCORE_BINS = 12
DEPTH = 8
"""More than ever wait: one discard brings at most a suit, two questions about ONE CARD, a draw by M's rule, a card to turn, and an
effect or the next turn; a vote may lie on top."""


class Phase(IntEnum):
    """What the seat to move decides. All but the first two wait on the pending stack."""

    TURN = 0
    """Discard, draw, end the turn; announce or call (HR-14 to HR-20)."""
    ELECT = 1
    """How many cards are dealt (HR-4)."""
    SUIT = 2
    """Name the suit of an eight (HR-9, HR-40)."""
    RESPOND = 3
    """Suffer the effect of a card, or answer it (HR-59)."""
    PLUCK = 4
    """Two players, after a King: a Joker, a King, or submit (HR-44)."""
    CALL = 5
    """Call a seat that has not announced, or be silent (HR-20)."""
    ANNOUNCE = 6
    """Announce before the others are asked, or be silent (one_card_race)."""
    VOTE = 7
    """Whether the accused have collaborated (HR-68)."""


TURN, ELECT, SUIT, RESPOND, PLUCK, CALL, ANNOUNCE, VOTE = (np.int64(phase) for phase in Phase)

# What else waits on the pending stack: no decisions, they happen as soon as they are on top.
NEXT, MS_DRAW, EFFECT, TURN_UP = np.int64(8), np.int64(9), np.int64(10), np.int64(11)
"""The turn of a seat; the draw of M's rule; the effect of a card; a card turned because nothing is left to follow (HR-12)."""

# Action ids: 0 … 53 play the card of that id, ONE_FIRST + card the same with "ONE CARD".
SUIT_FIRST, DRAW, END, ACCEPT, SUBMIT, CALLING, SILENT = (np.int64(k) for k in (54, 58, 59, 60, 61, 62, 63))
ONE_FIRST = np.int64(64)
ANNOUNCING, DEAL_FIRST, GUILTY, INNOCENT = (np.int64(k) for k in (118, 119, 121, 122))
FEWEST = np.int64(7)
"""Cards dealt; the dealer may choose one more (HR-4)."""

# Effects of cards, by the order of the option joker_response.
NO_EFFECT, ACE, TWO, JACK_C, JACK_S, JACK_H, QUEEN_H, KING, JACK_D = (np.int64(k) for k in range(9))

ALL = U((1 << FACES) - 1)
JOKERS = U(0b11 << 52)
EIGHT = np.int64(6)
"""The rank of the eights."""
EIGHTS = U(0xF << 24)
KINGS = U(0xF << 44)
TWOS = U(0xF)
JOKER_RANK = np.int64(13)
NOBODY = np.int64(-1)

STATE = record_dtype(
    [
        *header(SEATS),
        ("turn", "i8"),  # whose turn it is, also while others are asked; -1 before the first
        ("rank", "i8"),  # of the card to follow
        ("suit", "i8"),  # to follow
        ("direction", "i8"),  # 1 clockwise, -1 after a King
        ("free", "i8"),  # 1 in a turn in which any card may be discarded (HR-54)
        ("drawn", "i8"),  # 1 when the draw of this turn was made
        ("acted", "i8"),  # 1 when the turn has begun: no call any more
        ("idle", "i8"),  # turns in succession without draw or discard
        ("liable", "i8"),  # seats that did not announce ONE CARD, as a bit mask
        ("exposed", "i8"),  # seats whose hands lie open (HR-55), as a bit mask
        ("run_rank", "i8"),  # the row of M's rule (HR-63): its rank (13: Jokers), and its length
        ("run_length", "i8"),
        ("top", "i8"),  # the stock is stock[top:end], top first
        ("end", "i8"),
        ("pile_n", "i8"),  # the discard pile is stock[:pile_n], top last
        ("depth", "i8"),  # of the pending stack
        ("stack", "i8", (DEPTH,)),  # what waits, the next last: see effects.entry
        ("pile_set", "u8", (2,)),  # planes of the discard pile
        ("hands", "u8", (SEATS, 2)),  # planes of all cards that a seat holds, penalty and plucked cards among them
        ("penalty", "u8", (SEATS, 2)),  # those of them that are penalty cards (HR-72)
        ("plucked", "u8", (2, 2)),  # those of them that lie plucked on the table (HR-46): two players only
        ("stock", "i1", (CARDS,)),
        ("named", "i1", (CARDS,)),  # beside each eight of the pile: the suit that was named for it
        ("drawn_card", "i1"),  # the card drawn in this turn (play_after_draw="drawn_only"), or -1
        ("drawn_seen", "i1"),  # 1 when all know which it was
        ("missing", "i1", (SEATS,)),  # turns that a seat is still to miss (HR-78)
        ("open_left", "i1", (SEATS,)),  # after so many more turns, of whom jh_duration says, an open hand is taken up again
        ("open_by", "i1", (SEATS,)),  # who played the Jack of hearts
        ("announced", "i8"),  # announcements with a discard in this hand
        ("fumbles", "i8"),  # fumbles of this hand in which a card was shown; the last of them: the card, and whose it is
        ("fumbled", "i1"),
        ("fumbler", "i1"),
        ("winner", "i1"),  # who has discarded the last card, or -1
        ("turned", "i1"),  # the card turned for all others when the winner had not announced (HR-23), or -1
        ("redeals", "i8"),  # blocked hands that were dealt again, in this episode
        ("sudden", "i1"),  # 1 in a sudden-death hand (HR-31)
        ("dealt", "i1"),  # cards dealt to each, before mojo; 0 before the first deal
        ("scorekeeper", "i1"),  # HR-2; -1 before the first hand has ended
        ("ruling", "i1"),  # the House on tied votes, if it has ruled: a value of house_policy, or -1
        ("bankrupt", "i1"),  # 1 when somebody could not cover a loss (HR-36)
        ("scored", "i1"),  # 1 when the ledger below has a hand
        ("mojo", "i8"),  # seats that have defaced the rules (HR-79), as a bit mask
        # What is known of hidden cards (known.py).
        ("known_stock", "u8", (2,)),  # bit by bit, the places of ``stock`` that everybody knows (variants.knowledge)
        ("known", "u8", (1 + SEATS, 2)),  # cards of hands that everybody knows; then by seat, what each knows of other hands
        ("sure", "u8", (2, 2)),  # of a seat's plucked cards, those that the other seat knows to be these
        ("maybe", "u8", (2, 2)),  # cards that the other seat knows to be held, in the hand or plucked
        ("penalty_seen", "i2", (SEATS,)),  # who knows all penalty cards of a seat, as a bit mask
        # Points.
        ("scores", "i8", (SEATS,)),  # totals: points added up, chips held
        ("grabbed", "i4", (SEATS,)),  # points of cards grabbed in this hand (HR-77)
        ("lent", "i4", (SEATS,)),  # chips borrowed (below 0: lent) since the last hand (HR-39)
        # The ledger of the hand that was scored last (HR-3).
        ("last_hands", "u8", (SEATS, 2)),
        ("last_before", "i4", (SEATS,)),  # totals before it
        ("last_grabbed", "i4", (SEATS,)),
        ("last_lent", "i4", (SEATS,)),
        ("last_turned", "i1"),
        ("last_winner", "i1"),
        ("last_sudden", "i1"),
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        # Asked at every decision.
        ("play_after_draw", "i8"),
        ("one_card", "i8"),
        ("fumbles", "i8"),  # illegal="fumble"
        ("joker_forbidden", "i8"),  # no Joker on a Joker
        ("double", "i8"),  # 1 when the pack holds a face twice
        ("drop_prob", "f8"),
        # Asked when a card has an effect.
        ("answerable", "i8"),  # effects that a Joker can answer, as a bit mask
        ("stack_twos", "i8"),
        ("joker_skips_two", "i8"),
        ("king_joker", "i8"),
        ("race", "i8"),
        ("forget_prob", "f8"),
        ("last_card_effects", "i8"),
        ("plucker_sees", "i8"),
        ("jh_duration", "i8"),
        ("swap_penalty", "i8"),
        ("ms_counts_starter", "i8"),
        ("ms_resets", "i8"),
        # The deal.
        ("pack", "i1", (CARDS,)),
        ("pack_n", "i8"),
        ("deal_choice", "i8"),
        ("mojo", "i8"),  # seats as a bit mask
        ("starter_wild", "i8"),
        ("starter_effects", "i8"),
        ("first_dealer", "i8"),  # a seat, or -1 for the cut
        ("random_dealer", "i8"),
        # The end and the payment.
        ("chips", "i8"),
        ("joker_stack", "i8"),
        ("end_on_negative", "i8"),
        ("capped", "i8"),
        ("redeal", "i8"),
        ("house_policy", "i8"),
        ("score_bins", "i8", (SCORE_BINS,)),  # thresholds of the score thermometers
    ]
)

# The coded values of the options, in the order in which they are listed in OPTIONS.md.
STARTER_DEALER, STARTER_FIRST_PLAYER, STARTER_PRINTED, STARTER_BURY = range(4)
STARTER_EFFECTS_ALL, STARTER_EFFECTS_NONE, STARTER_EFFECTS_TWOS = range(3)
AFTER_ANY, AFTER_DRAWN_ONLY, AFTER_NONE = range(3)
ONE_ACTION, ONE_AUTO, ONE_OFF = range(3)
CALLERS_FIRST, OWNER_FIRST, RACE_RANDOM = range(3)
KING_OLD_NEXT, KING_BOTH, KING_NEW_NEXT = range(3)
UNTIL_OWN_NEXT, THROUGH_OWN_NEXT, UNTIL_PLAYERS, N_SLOTS = range(4)
TRAVEL_FREE, STAY, TRAVEL_RESTRICTED = range(3)
MULTIPLY, ADD, ONCE = range(3)
NOT_GUILTY, HOUSE_GUILTY, HOUSE_RANDOM = range(3)
