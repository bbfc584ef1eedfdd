"""The greedy policy of House Rules."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, lowest, popcount, without_lowest
from eightsenv.variants.house.effects import EFFECTS, card_of, player_of, waiting
from eightsenv.variants.house.scoring import VALUES
from eightsenv.variants.house.state import (
    ACCEPT,
    ALL,
    ANNOUNCING,
    CALLING,
    CARDS,
    DEAL_FIRST,
    DRAW,
    EIGHTS,
    END,
    INNOCENT,
    JACK_C,
    JACK_D,
    JACK_S,
    JOKERS,
    NO_EFFECT,
    ONE_FIRST,
    QUEEN_H,
    SUBMIT,
    SUIT,
    SUIT_FIRST,
    TURN,
)
from eightsenv.variants.house.table import next_seat
from eightsenv.variants.shedding import count_cards, suit_cards

_FEW = 2
"""With so few cards a seat is about to go out."""


@compiled
def greedy(s, r, words):
    """Announces and calls whenever it can, deals seven, votes for innocence, and names its longest suit.

    In its turn it discards the dearest card that fits, but keeps eights and Jokers while others will do; the Jokers go first once
    somebody is about to go out, for they double what is left. It throws what hurts at a next player who is about to go out, does
    not take a bigger hand by a Jack of spades, and avoids the third card of a row. A Joker answers what costs many cards, or
    anything when it is about to go out itself; a two answers a two, a King a King. It uses nothing but its own hand and what lies
    open. ``words`` holds the legal actions.
    """
    if words[1] & bit(ANNOUNCING - 64) != U(0):
        return ANNOUNCING
    if s.phase == SUIT:
        return SUIT_FIRST + _longest_suit(s.hands[s.seat, 0] & ~EIGHTS)
    plays = words[0] & ALL
    if s.phase == TURN:
        if words[0] & bit(CALLING) != U(0):
            return CALLING
        card = _best_discard(s, r, plays)
    elif words[0] & (bit(ACCEPT) | bit(SUBMIT)) != U(0):
        card = _best_answer(s, r, plays)
    elif words[0] & bit(CALLING) != U(0):
        return CALLING
    else:
        return DEAL_FIRST if words[1] & bit(DEAL_FIRST - 64) != U(0) else INNOCENT
    if card >= 0:
        return card + ONE_FIRST if words[1] & bit(card) != U(0) else card
    for action in (DRAW, END, ACCEPT):
        if words[0] & bit(action) != U(0):
            return action
    return SUBMIT


@compiled
def _best_discard(s, r, plays):
    """The card to discard; -1 for none."""
    best = np.int64(-1)
    best_worth = np.int64(-(10**6))
    while plays != U(0):
        card = lowest(plays)
        plays = without_lowest(plays)
        worth = _worth(s, r, card)
        if worth > best_worth:
            best_worth = worth
            best = card
    return best


@compiled
def _worth(s, r, card):
    """How much the discard of a card is worth now."""
    seat = s.seat
    size = count_cards(s.hands[seat])
    if size == 1:
        return np.int64(10**6)
    face = bit(card)
    following = next_seat(s, r, seat)
    next_size = count_cards(s.hands[following])
    effect = EFFECTS[card]
    worth = 8 * VALUES[card]
    if face & JOKERS != U(0):
        worth = np.int64(2_000) if _somebody_is_about_to_go_out(s, r) else np.int64(-300)
    elif face & EIGHTS != U(0):
        worth -= 250
    else:
        worth += 4 * popcount(s.hands[seat, 0] & suit_cards(card & 3))
    if effect == JACK_S:
        worth += 60 * (size - 1 - next_size)
    elif effect == JACK_D:
        worth -= 60
    elif effect != NO_EFFECT and next_size <= _FEW:
        worth += 400
    if s.run_length >= _FEW and s.run_rank == card >> 2:
        worth -= 150
    return worth


@compiled
def _somebody_is_about_to_go_out(s, r):
    fewest = np.int64(CARDS)
    for seat in range(r.num_players):
        if seat != s.seat:
            fewest = min(fewest, count_cards(s.hands[seat]))
    return fewest <= _FEW


@compiled
def _best_answer(s, r, plays):
    """The card to answer with; -1 for none: it accepts or submits."""
    others = plays & ~JOKERS
    if others != U(0):
        return lowest(others)
    if plays == U(0):
        return np.int64(-1)
    entry = waiting(s)
    effect = EFFECTS[card_of(entry)]
    size = count_cards(s.hands[s.seat])
    harm = effect == JACK_C or effect == QUEEN_H
    if effect == JACK_S:
        harm = size < count_cards(s.hands[player_of(entry)])
    if harm or size <= 1 + _FEW or _somebody_is_about_to_go_out(s, r):
        return lowest(plays)
    return np.int64(-1)


@compiled
def _longest_suit(cards):
    """The suit with most of the cards; of equals the first."""
    best = np.int64(0)
    most = np.int64(-1)
    for suit in range(4):
        count = popcount(cards & suit_cards(suit))
        if count > most:
            best = np.int64(suit)
            most = count
    return best
