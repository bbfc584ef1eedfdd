"""The state and rules records of 8-ball, its phases and action ids."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from eightsenv.bits import U, hot
from eightsenv.game import RULES_HEADER, header, record_dtype
from eightsenv.variants.eight_ball.trumps import CARDS, EIGHT

SEATS = 4
PACK_SIZE = len(CARDS)
TRICKS = 5
"""Tricks of a hand (B4-32, B3-20, B2-23)."""
HAND = 6
"""Cards dealt to each hand by three and two players."""
SCORE_BINS = 12


class Phase(IntEnum):
    """What the seat to move decides."""

    AUCTION = 0
    """A call on an ordinary flip."""
    EIGHT_AUCTION = 1
    """A call on a turned-up 8C."""
    OPEN_AUCTION = 2
    """A call after all flips have been turned down."""
    DISCARD = 3
    """A card to discard face down."""
    TAKE = 4
    """How many hidden cards to take (two players)."""
    PLAY = 5
    """A card to play."""


AUCTION, EIGHT_AUCTION, OPEN_AUCTION, DISCARD, TAKE, PLAY = (int(phase) for phase in Phase)

# Action ids: play and discard by the card's place in the pack, pass, bids, and with two players ``take k``.
DISCARD_FIRST = PACK_SIZE
PASS = 2 * PACK_SIZE
BID_FIRST = PASS + 1
LOWEST_BID = (0, 0, 2, 3, 3)
"""By number of players: the lowest number of tricks that can be bid."""
TOP = np.int64(6)
"""The *level* above a bid of five: ``alone`` with four players, a bid of six with fewer."""
TAKE_FIRST = BID_FIRST + 4 * (6 - 2 + 1)

NOBODY = np.int64(-1)
GHOST = np.int64(2)
"""The ghost's place among the players of a trick (two players)."""

STATE = record_dtype(
    [
        *header(SEATS),
        ("trump", "i8"),  # -1: not yet
        ("led", "i8"),  # the suit led, -1: none
        ("best", "i8"),  # the card that wins the trick so far
        ("best_seat", "i8"),
        ("trick_n", "i8"),  # cards in the trick
        ("tricks_played", "i8"),
        ("resting", "i8"),  # the seat whose partner plays alone, or -1
        ("hands", "u8", (SEATS,)),
        ("barred", "u8", (SEATS,)),  # cards that the seat, or the ghost at GHOST, has shown not to hold by not following
        ("seen", "u8"),  # cards of finished tricks, as a set
        ("bid_level", "i8"),  # of the standing bid or the contract: 2 … 5 or TOP; 0: none
        ("bid_suit", "i8"),
        ("bid_seat", "i8"),
        ("passed", "i8"),  # seats that have passed in this auction, as a bit mask (see play.call)
        ("called", "i8"),  # calls made in this auction
        ("flip", "i8"),  # the card turned last, -1 once it is in a hand
        ("flip_up", "i8"),  # 1 while it lies face up
        ("taken", "i8"),  # the flip that went into a hand, or -1
        ("taker", "i8"),
        ("top", "i8"),  # the undealt cards are stock[top:end], top first
        ("end", "i8"),
        ("calls", "u8", (SEATS,)),  # bids made in this auction, as bits from BID_FIRST on
        ("thrown", "u8", (SEATS,)),  # own discards
        ("ghost_left", "u8"),  # places of ``ghost`` that have a card, as a set: the first ones
        ("trick_seats", "i1", (SEATS,)),
        ("trick_cards", "i1", (SEATS,)),
        ("tricks", "i1", (SEATS,)),  # won, by seat; the ghost's at GHOST
        ("dues", "i1", (SEATS,)),  # discards still due
        ("flips", "i1"),  # cards turned in this hand
        ("hidden_taken", "i1"),  # cards asked for by ``take k``, -1: not asked yet
        ("discards_n", "i1"),
        ("last_n", "i1"),  # the trick finished last, also of the hand before
        ("last_winner", "i1"),
        ("redeals", "i1"),  # times that this hand was dealt again (counted to 100)
        ("won", "i8"),  # the winners of a match, as a bit mask
        ("ghost", "i1", (HAND,)),  # the ghost's packet, top first
        ("dead", "i1", (3,)),  # flips turned down
        ("dead_n", "i1"),
        ("discards", "i1", (HAND,)),  # in order
        ("discarders", "i1", (HAND,)),
        ("played", "i1", (PACK_SIZE,)),  # cards of finished tricks, in order
        ("played_n", "i1"),
        ("last_seats", "i1", (SEATS,)),
        ("last_cards", "i1", (SEATS,)),
        ("stock", "i1", (PACK_SIZE,)),
        ("scores", "i8", (SEATS,)),  # in 1/840
    ]
)

RULES = record_dtype(
    [
        *RULES_HEADER,
        ("follow", "i8"),  # trumps.follow_number
        ("ghost_follows", "i8"),
        ("dealer_second", "i8"),  # after a lead of the ghost the dealer plays before the non-dealer
        ("alone_leader", "i8"),
        # The auctions.
        ("low", "i8"),  # LOWEST_BID
        ("least", "i8", (3, 2)),  # by flip in suit, other suit, 8C: the lowest bid on earlier flips and on the third
        ("single", "i8", (3,)),  # by auction phase: each seat calls once
        ("first_bid_ends", "i8"),
        ("passes_final", "i8"),
        ("partner_overbid", "i8"),
        ("higher_suits", "u8", (4,)),  # by suit: the suits that outbid it at an equal number
        ("flip_immediate", "i8"),
        ("turned_suit_biddable", "i8"),
        ("eight_all_pass", "i8"),
        ("alone_requires", "i8"),
        ("six_any_flip", "i8"),
        ("hidden", "i8"),
        ("passout_redeal", "i8"),
        # The deal, scoring, the match.
        ("first_dealer", "i8"),
        ("set_penalty", "i8"),
        ("six_base", "i8"),
        ("target", "i8"),
        ("both_reach", "i8"),
        ("tie_share", "i8"),
        ("score_bins", "i8", (SCORE_BINS,)),  # thresholds of the score thermometers, in 1/840
    ]
)

# The coded values of the options, in the order in which they are listed in OPTIONS.md.
ALL_PASS_DOWN, ALL_PASS_FORCED, ALL_PASS_REDEAL = range(3)
ALONE_OPPONENT_5, ALONE_ANY_5, ALONE_NONE = range(3)
LEADS_LEFT, LEADS_BIDDER, LEADS_LEFT_OF_BIDDER = range(3)
HIDDEN_ALL, HIDDEN_CHOOSE, HIDDEN_NONE = range(3)
PENALTY_MISSED, PENALTY_COVERS_FIRST, PENALTY_PLUS_BID = range(3)
REACH_BIDDER, REACH_HIGHER, REACH_PLAY_ON = range(3)
DEALER_RANDOM, DEALER_FIRST_JACK = -1, -2
FLIP_SUIT, OTHER_SUIT, EIGHT_FLIP = range(3)
"""The rows of ``least``."""

_FACES = U(0x1FFFFE)


@hot
def by_place(cards):
    """A set of card ids as a set of places in the pack: 8C, then T to A."""
    return (cards >> U(31)) & _FACES | (cards >> U(EIGHT)) & U(1)


@hot
def card_at(place):
    """The card id at a place in the pack."""
    return place + 31 if place > 0 else EIGHT
