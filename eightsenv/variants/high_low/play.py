"""The rules of the high-low layout game, in the order of the rule book: deal, decisions, transitions, scoring."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, popcount, without_lowest
from eightsenv.game import UNIT
from eightsenv.rng import chance_below
from eightsenv.variants import chips
from eightsenv.variants.chips import collect_antes, end_hand
from eightsenv.variants.high_low.state import HAND, PASS, SLOTS
from eightsenv.variants.shedding import lay_pack, left_of, rank_cards, shuffle_stock, take_top

_PASS = U(1 << PASS)
VALUES = np.array([*range(2, 11), 10, 10, 10, 15]).repeat(4)
"""What each card counts (HL-12)."""
_WHOLE = np.arange(52, dtype=np.int8)


# The deal


@compiled
def fill(s, r):
    """The pack of HL-2."""
    lay_pack(s, _WHOLE, np.int64(52))


@compiled
def choose_dealer(s, r):
    """The first dealer: a given seat, or a random one (HL-3)."""
    s.dealer = chance_below(s, r.num_players) if r.first_dealer == chips.RANDOM_DEALER else r.first_dealer


@compiled
def deal(s, r, fixed):
    """Antes, five cards each from the dealer's left, eight face up in the middle; the rest is dead (HL-4 … HL-7)."""
    n = r.num_players
    shuffle_stock(s, fixed)
    collect_antes(s, r)
    for seat in range(n):
        s.hands[seat] = U(0)
        s.laid[seat] = U(0)
    seat = s.dealer
    for _ in range(n * HAND):
        seat = left_of(seat, n)
        s.hands[seat] |= bit(take_top(s))
    s.matching = U(0)
    for slot in range(SLOTS):
        card = take_top(s)
        s.layout[slot] = card
        s.matching |= rank_cards(card >> 2)
    s.laid_n = 0
    s.passes = 0
    s.passed = 0
    s.seat = left_of(s.dealer, n)


# Decisions


@hot
def playable(s):
    """The cards that the seat to move may lay: those of a rank in the layout (HL-8). Covering changes no rank."""
    return s.hands[s.seat] & s.matching


@hot
def legal(s, r, words):
    """Lay a card; pass when there is none to lay, or as wanted with ``voluntary_pass`` (HL-8, HL-9)."""
    plays = playable(s)
    words[0] = plays | _PASS if plays == U(0) or r.voluntary_pass else plays


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one legal action. Returns True when it ended a hand, after adding the payoffs to ``gain``."""
    s.decisions += 1
    seat = s.seat
    if action == PASS:
        s.passes += 1
        s.passed |= 1 << seat
        ended = s.passes == r.num_players
    else:
        s.passes = 0
        s.hands[seat] &= ~bit(action)
        s.laid[seat] |= bit(action)
        s.order[s.laid_n] = action
        s.laid_n += 1
        ended = s.hands[seat] == U(0)
    if not ended:
        s.seat = left_of(seat, r.num_players)
        return False
    if action == PASS:
        _share_pot(s, r)
    else:
        _take_pot(s, r)
    if end_hand(s, r, gain):
        fill(s, r)
        deal(s, r, np.int64(0))
    return True


# Scoring


@hot
def count(cards):
    """What a set of cards counts (HL-12)."""
    total = np.int64(0)
    while cards != U(0):
        total += VALUES[lowest(cards)]
        cards = without_lowest(cards)
    return total


@compiled
def _take_pot(s, r):
    """The seat to move is out: it calls "Crazy Eights" and wins high and low, the whole pot (HL-10)."""
    for seat in range(r.num_players):
        s.last_payoff[seat] = s.pot * UNIT if seat == s.seat else 0


@compiled
def _share_pot(s, r):
    """Nobody is out: the highest and the lowest count share the pot (HL-11, HL-13); if all are equal, the antes go back."""
    n = r.num_players
    most = np.int64(0)
    least = np.int64(1000)
    for seat in range(n):
        s.last_payoff[seat] = count(s.hands[seat])  # for the moment
        most = max(most, s.last_payoff[seat])
        least = min(least, s.last_payoff[seat])
    high = low = np.int64(0)
    for seat in range(n):
        if s.last_payoff[seat] == most:
            high |= 1 << seat
        if s.last_payoff[seat] == least:
            low |= 1 << seat
        s.last_payoff[seat] = 0
    if most == least:
        for seat in range(n):
            s.last_payoff[seat] = r.ante * UNIT
        return
    small = s.pot * UNIT // 2 if r.fraction else s.pot // 2 * UNIT
    _share_half(s, r, s.pot * UNIT - small, high)
    _share_half(s, r, small, low)


@compiled
def _share_half(s, r, half, tied):
    """Divide a half (in 1/840) among the seats ``tied``; whole chips left over go one each from the dealer's left on (HL-13)."""
    number = popcount(U(tied))
    each = half // number if r.fraction else half // UNIT // number * UNIT
    left = half - each * number
    seat = s.dealer
    for _ in range(r.num_players):
        seat = left_of(seat, r.num_players)
        if (tied >> seat) & 1:
            s.last_payoff[seat] += each
            if left > 0:
                s.last_payoff[seat] += UNIT
                left -= UNIT
