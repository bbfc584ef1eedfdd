"""The auctions of 8-ball: which calls are legal, and when an auction is over (B4-13 … B4-29, B3-6 … B3-16, B2-7 … B2-16).

A bid has a *level*: 2 … 5 tricks, and above them ``TOP``: five tricks alone with four players, six with fewer.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled
from eightsenv.variants.eight_ball.state import (
    ALL_PASS_FORCED,
    ALONE_ANY_5,
    ALONE_NONE,
    AUCTION,
    BID_FIRST,
    EIGHT_AUCTION,
    EIGHT_FLIP,
    FLIP_SUIT,
    NOBODY,
    OPEN_AUCTION,
    OTHER_SUIT,
    PASS,
    TOP,
)
from eightsenv.variants.eight_ball.trumps import EIGHT
from eightsenv.variants.shedding import left_of

_LEAST_OPEN = np.int64(3)
"""The lowest bid in an open auction (B4-20, B3-14)."""
_NEVER = TOP + 1
_THIRD = 3


@compiled
def begin_auction(s, r):
    """The auction on the flip, or the open one when it lies face down; the dealer's left calls first."""
    s.phase = OPEN_AUCTION
    if s.flip_up:
        s.phase = EIGHT_AUCTION if s.flip == EIGHT else AUCTION
    s.bid_level = 0
    s.bid_seat = NOBODY
    s.passed = 0
    s.called = 0
    for seat in range(r.num_players):
        s.calls[seat] = U(0)
    s.seat = left_of(s.dealer, r.num_players)


@compiled
def bid_action(r, level, suit):
    """The action of a bid."""
    return BID_FIRST + 4 * (level - r.low) + suit


# What may be called


@compiled
def legal_calls(s, r):
    """The legal calls of the seat to move, as a set of actions."""
    found = U(0) if _must_bid(s, r) else bit(PASS)
    if not _partner_stands(s, r):
        top = _top_is_open(s, r)
        for suit in range(4):
            least = _least_bid(s, r, suit)
            lowest = max(least, s.bid_level + 1)
            if least <= s.bid_level and s.bid_level > 0 and (r.higher_suits[s.bid_suit] >> U(suit)) & U(1) == U(1):
                lowest = s.bid_level
            for level in range(lowest, TOP):
                found |= bit(bid_action(r, level, suit))
            if top and least < _NEVER:
                found |= bit(bid_action(r, TOP, suit))
    return found


@compiled
def _least_bid(s, r, suit):
    """The lowest level that may be bid in a suit, whatever stands (B4-14, B4-20, B4-26, B3-7, B2-8, B2-14)."""
    if s.phase == OPEN_AUCTION:
        turned = s.flip != EIGHT and s.flip & 3 == suit
        return _NEVER if turned and r.turned_suit_biddable == 0 else _LEAST_OPEN
    row = OTHER_SUIT
    if s.phase == EIGHT_AUCTION:
        row = EIGHT_FLIP
    elif s.flip & 3 == suit:
        row = FLIP_SUIT
    return r.least[row, 1 if s.flips == _THIRD else 0]


@compiled
def _top_is_open(s, r):
    """Whether the highest bid may be made: alone over an opponent's five (B4-16), six over another's five (B3-8, B2-10)."""
    if r.num_players == 4:
        if r.alone_requires == ALONE_NONE:
            return s.bid_level < TOP
        return s.bid_level == TOP - 1 and (r.alone_requires == ALONE_ANY_5 or (s.bid_seat ^ s.seat) & 1 == 1)
    return s.bid_level == TOP - 1 and s.bid_seat != s.seat and (r.six_any_flip == 1 or s.phase == EIGHT_AUCTION)


@compiled
def _partner_stands(s, r):
    """Whether the standing bid is the partner's and may not be outbid (AMB-B4-4)."""
    return r.num_players == 4 and r.partner_overbid == 0 and s.bid_level > 0 and s.bid_seat == s.seat ^ 2


@compiled
def _must_bid(s, r):
    """Whether the dealer may not pass: all others have, in an open auction (B4-21, B3-15) or when 8C is turned up (AMB-B4-20)."""
    forced = s.phase == OPEN_AUCTION or (s.phase == EIGHT_AUCTION and r.eight_all_pass == ALL_PASS_FORCED)
    return forced and s.seat == s.dealer and s.passed == _everybody(r) ^ 1 << s.seat


# Calling


@compiled
def _everybody(r):
    return (1 << r.num_players) - 1


@compiled
def make_call(s, r, action):
    """Note a call. Returns whether the auction is over; if not, the next seat calls."""
    s.called += 1
    if action == PASS:
        s.passed |= 1 << s.seat
    else:
        s.bid_level = r.low + (action - BID_FIRST) // 4
        s.bid_suit = (action - BID_FIRST) & 3
        s.bid_seat = s.seat
        s.calls[s.seat] |= bit(action - BID_FIRST)
        if r.passes_final == 0:
            s.passed = 0
    if _is_over(s, r):
        return True
    s.seat = left_of(s.seat, r.num_players)
    while (s.passed >> s.seat) & 1:
        s.seat = left_of(s.seat, r.num_players)
    return False


@compiled
def _is_over(s, r):
    """Whether everyone has called once, or in an auction that goes round all others have passed (B4-13, B4-27, B3-16, B2-9)."""
    if r.single[s.phase]:
        return s.called == r.num_players or (r.first_bid_ends == 1 and s.phase == OPEN_AUCTION and s.bid_level > 0)
    passed = s.passed if s.bid_level == 0 else s.passed | 1 << s.bid_seat
    return passed == _everybody(r)
