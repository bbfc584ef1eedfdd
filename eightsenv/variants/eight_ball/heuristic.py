"""The greedy policy of 8-ball: bids what it expects to win, leads trump when it has the best, throws off low, wins cheaply."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, popcount, without_lowest
from eightsenv.variants.eight_ball.auction import bid_action
from eightsenv.variants.eight_ball.play import hidden_size, legal_cards, partner
from eightsenv.variants.eight_ball.state import (
    AUCTION,
    BID_FIRST,
    DISCARD,
    DISCARD_FIRST,
    EIGHT_AUCTION,
    HIDDEN_ALL,
    HIDDEN_CHOOSE,
    NOBODY,
    PASS,
    PLAY,
    TAKE,
    TAKE_FIRST,
    TOP,
    by_place,
)
from eightsenv.variants.eight_ball.trumps import EIGHT, PACK, PLACES, TRUMPS, better, members

_FOLLOW = np.int64(0)
"""Suits as the default options have them: near enough to judge a hand."""
_MOST, _LEAST = np.int64(1), np.int64(-1)
_CARDS = 21
_FIRST_TRUMP = _CARDS - TRUMPS
"""The place of the weakest trump among the cards by strength."""

# What a hand is worth as the bidder's with a suit as trump, in hundredths of a trick, by number of players: fitted by least squares
# to the tricks that this policy caught in 16 384 contracts of three or four against itself. In order: a constant; each trump from
# 8C to T; three trumps, four; plain suits with the ace, with the king alone, empty ones; a flip that the partner takes, another
# takes; (a guess:) a bid of the partner in the suit.
_WORTH = np.zeros((5, 16), np.int64)
_CONST, _LENGTH, _LONG, _ACES, _KINGS, _VOIDS, _TO_PARTNER, _TO_OTHERS, _RAISE = 0, 8, 9, 10, 11, 12, 13, 14, 15
for _players, _worths in {
    4: (132, 96, 78, 60, 49, 38, 29, 26, 16, 20, 25, 1, 12, 49, -37, 100),
    3: (-56, 156, 122, 90, 70, 58, 51, 46, 31, 29, 44, 5, 9, 0, -25, 0),
    2: (-62, 156, 134, 105, 81, 62, 48, 44, 0, 17, 31, 3, 3, 0, 0, 0),
}.items():
    _WORTH[_players] = _worths
_NEEDED = np.array([0, 0, 185, 265, 385, 465, 480])
"""By level: the worth from which a bid that must outbid others is made; it comes off two times in three."""
_FREELY = np.array([0, 0, 185, 265, 430, 470, 480])
"""By level: the worth from which it is made where a lower one would do."""


@compiled
def greedy(s, r, words):
    """The call, discard or card of a sound player, from what the seat to move may know."""
    if s.phase == PLAY:
        return _choose_card(s, r)
    if s.phase == DISCARD:
        return DISCARD_FIRST + _place(_worst(s.hands[s.seat], s.trump))
    if s.phase == TAKE:
        return _choose_hidden(s, r)
    return _choose_call(s, r, words)


@hot
def _place(card):
    """The place of a card in the pack."""
    return lowest(by_place(bit(card)))


# Calls


@compiled
def _choose_call(s, r, words):
    """A bid in the best suit if the hand is worth it: the lowest one, unless it is worth much more.

    A dealer who must bid bids the least.
    """
    best, best_suit = np.int64(-1000), np.int64(0)
    for suit in range(4):
        worth = _worth(s, r, np.int64(suit))
        if worth > best and words[0] & _bids_in(r, np.int64(suit)) != U(0):
            best = worth
            best_suit = np.int64(suit)
    bids = words[0] & _bids_in(r, best_suit)
    if bids == U(0):
        return np.int64(PASS)
    least = lowest(bids)
    if best < _NEEDED[r.low + (least - BID_FIRST) // 4]:
        return least if words[0] & bit(PASS) == U(0) else np.int64(PASS)
    chosen = least
    while bids != U(0):
        action = lowest(bids)
        bids = without_lowest(bids)
        if best >= _FREELY[r.low + (action - BID_FIRST) // 4]:
            chosen = action
    return chosen


@hot
def _bids_in(r, suit):
    """The actions that bid a suit."""
    found = U(0)
    for level in range(r.low, TOP + 1):
        found |= bit(bid_action(r, np.int64(level), suit))
    return found


@compiled
def _worth(s, r, suit):
    """The tricks to expect as the bidder with a suit as trump, in hundredths."""
    n = r.num_players
    worths = _WORTH[n]
    hand = s.hands[s.seat]
    worth = worths[_CONST]
    if s.flip_up:
        in_suit = s.phase == AUCTION and s.flip & 3 == suit
        if n == 2 or s.phase == EIGHT_AUCTION or (in_suit and s.seat == s.dealer):
            hand |= bit(s.flip)
        elif in_suit:
            worth += worths[_TO_PARTNER] if n == 4 and s.dealer == partner(s.seat) else worths[_TO_OTHERS]
    if n == 4 and s.bid_level > 0 and s.bid_seat == partner(s.seat) and s.bid_suit == suit:
        worth += worths[_RAISE]
    trumps = hand & members(suit, suit, _FOLLOW)
    length = popcount(trumps)
    worth += worths[_LENGTH] * (length >= 3) + worths[_LONG] * (length >= 4)
    while trumps != U(0):
        card = lowest(trumps)
        trumps = without_lowest(trumps)
        worth += worths[_CARDS - np.int64(PLACES[suit, card])]
    for other in range(4):
        if other != suit:
            cards = hand & members(np.int64(other), suit, _FOLLOW)
            ace, king = bit(48 + other), bit(44 + other)
            if cards == U(0):
                worth += worths[_VOIDS]
            elif cards & ace != U(0):
                worth += worths[_ACES]
            elif cards & king != U(0):
                worth += worths[_KINGS]
    return worth


# Discards


@hot
def _strength(card, trump):
    """How much a card is worth keeping: trumps by rank above all plain cards, these by rank."""
    if trump == NOBODY:
        return np.int64(100) if card == EIGHT else card >> 2
    place = np.int64(PLACES[trump, card])
    return 100 + place if place >= _FIRST_TRUMP else card >> 2


@compiled
def _worst(hand, trump):
    """The card to throw away: the weakest, and of equals the one that leaves its suit empty or short."""
    best = np.int64(-1)
    least = np.int64(1 << 30)
    cards = hand
    while cards != U(0):
        card = lowest(cards)
        cards = without_lowest(cards)
        length = popcount(hand & members(card & 3, card & 3 if trump == NOBODY else trump, _FOLLOW))
        keep = 8 * _strength(card, trump) + length
        if keep < least:
            least = keep
            best = card
    return best


@compiled
def _choose_hidden(s, r):
    """As many hidden cards as there are weak ones in the hand beside the one that must go, if there is a choice."""
    if r.hidden != HIDDEN_CHOOSE:
        return TAKE_FIRST + (hidden_size(s) if r.hidden == HIDDEN_ALL else np.int64(0))
    weak = np.int64(0)
    cards = s.hands[s.seat]
    while cards != U(0):
        weak += _strength(lowest(cards), s.trump) < 11
        cards = without_lowest(cards)
    return TAKE_FIRST + max(np.int64(0), min(weak - 1, hidden_size(s)))


# Cards


@compiled
def _unseen(s):
    """The cards that the seat to move has not seen."""
    known = s.hands[s.seat] | s.thrown[s.seat] | s.seen
    for k in range(s.trick_n):
        known |= bit(np.int64(s.trick_cards[k]))
    for k in range(s.dead_n):
        known |= bit(np.int64(s.dead[k]))
    return PACK & ~known


@compiled
def _choose_card(s, r):
    cards = legal_cards(s, r)
    if s.led == NOBODY:
        return _place(_choose_lead(s, r, cards))
    return _place(_choose_reply(s, r, cards))


@compiled
def _choose_lead(s, r, cards):
    """The card to lead.

    The best trump while others may hold trumps, if the own side bid or trumps are many; else a plain card that nobody can beat
    in its suit; else the weakest card.
    """
    unseen = _unseen(s)
    trumps = cards & members(s.trump, s.trump, _FOLLOW)
    theirs = unseen & members(s.trump, s.trump, _FOLLOW)
    if trumps != U(0) and theirs != U(0):
        best = _strongest(trumps, s.trump, _MOST)
        bids = s.bid_level > 0 and (s.bid_seat == s.seat or (r.num_players == 4 and s.bid_seat == partner(s.seat)))
        sure = better(best, s.trump) & unseen == U(0)
        if (sure and (bids or popcount(trumps) > 1)) or (bids and popcount(trumps) >= 3):
            return best
    plain = cards & ~trumps
    boss = _unbeaten(plain, unseen & ~theirs, s.trump)
    if boss != U(0):
        return _strongest(boss, s.trump, _MOST)
    return _worst(plain if plain != U(0) else cards, s.trump)


@compiled
def _unbeaten(cards, others, trump):
    """Those of the cards that none of the others takes a trick from."""
    found = U(0)
    while cards != U(0):
        card = lowest(cards)
        cards = without_lowest(cards)
        if better(card, trump) & others == U(0):
            found |= bit(card)
    return found


@compiled
def _strongest(cards, trump, sign):
    """The strongest of some cards; with ``sign`` -1 the weakest."""
    best = lowest(cards)
    while cards != U(0):
        card = lowest(cards)
        cards = without_lowest(cards)
        if sign * _strength(card, trump) > sign * _strength(best, trump):
            best = card
    return best


@compiled
def _choose_reply(s, r, cards):
    """The card to play on a trick.

    The weakest card that wins for certain, or one that wins as far as the trick has gone; nothing over a partner who is sure to
    win; else the weakest card.
    """
    wins = cards & better(s.best, s.trump)
    unseen = _unseen(s)
    last = s.trick_n + 1 == (3 if r.num_players < 4 or s.resting != NOBODY else 4) and r.num_players > 2
    if r.num_players == 4 and s.best_seat == partner(s.seat) and (last or better(s.best, s.trump) & unseen & ~wins == U(0)):
        return _worst(cards, s.trump)
    if wins == U(0):
        return _worst(cards, s.trump)
    cheapest = _strongest(wins, s.trump, _LEAST)
    if last:
        return cheapest
    sure = _unbeaten(wins, unseen, s.trump)
    if sure != U(0):
        return _strongest(sure, s.trump, _LEAST)
    return _strongest(wins, s.trump, _MOST) if s.led != s.trump and wins & members(s.led, s.trump, _FOLLOW) != U(0) else cheapest
