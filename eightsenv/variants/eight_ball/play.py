"""The rules of 8-ball in the order of the rule book: deal, auction, discards, play, scoring (RULES.md, sections 1 to 3)."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest
from eightsenv.game import UNIT
from eightsenv.rng import chance_below
from eightsenv.variants.eight_ball.auction import begin_auction, legal_calls, make_call
from eightsenv.variants.eight_ball.state import (
    ALL_PASS_REDEAL,
    AUCTION,
    DEALER_FIRST_JACK,
    DEALER_RANDOM,
    DISCARD,
    DISCARD_FIRST,
    EIGHT_AUCTION,
    GHOST,
    HAND,
    HIDDEN_ALL,
    HIDDEN_NONE,
    LEADS_BIDDER,
    LEADS_LEFT,
    NOBODY,
    PACK_SIZE,
    PASS,
    PENALTY_COVERS_FIRST,
    PENALTY_MISSED,
    PLAY,
    REACH_BIDDER,
    REACH_PLAY_ON,
    TAKE,
    TAKE_FIRST,
    TOP,
    TRICKS,
    by_place,
    card_at,
)
from eightsenv.variants.eight_ball.trumps import (
    CARDS,
    EIGHT,
    beats,
    ghost_following,
    ghost_place,
    members,
    obliged,
    playable,
    suit_of,
)
from eightsenv.variants.matches import best_seats
from eightsenv.variants.shedding import lay_pack, left_of, shuffle_stock, take_top

_PACK = np.array(CARDS, np.int8)
_JACK = 9
"""The rank of a Jack."""
_MOST_REDEALS = 100

GOES_ON, ENDED, REDEAL = (np.int64(k) for k in range(3))
"""What a step leads to: a decision of the same hand, its scoring, or the same hand dealt again."""


@hot
def partner(seat):
    """The seat across the table (B4-1)."""
    return seat ^ 2


@compiled
def bid_tricks(s):
    """The tricks that the standing bid names; alone is a bid of five, and a six takes all five (B4-16, B3-8)."""
    return min(s.bid_level, TRICKS)


@compiled
def hidden_size(s):
    """How many cards have not been turned."""
    return s.end - s.top


# The deal


@compiled
def fill(s, r):
    """The pack of B4-2."""
    lay_pack(s, _PACK, np.int64(PACK_SIZE))


@compiled
def choose_dealer(s, r):
    """The first dealer: a given seat, a random one, or who is dealt the first Jack (B4-4, B3-3, B2-3)."""
    if r.first_dealer >= 0:
        s.dealer = r.first_dealer
    elif r.first_dealer == DEALER_RANDOM:
        s.dealer = chance_below(s, r.num_players)
    elif r.first_dealer == DEALER_FIRST_JACK:
        fill(s, r)
        shuffle_stock(s, np.int64(0))
        s.dealer = 0
        while take_top(s) >> 2 != _JACK:
            s.dealer = left_of(s.dealer, r.num_players)


@compiled
def deal(s, r, fixed):
    """Shuffle, clear the table, deal in packets, turn the flip, and begin the auction (B4-6, B4-7, B3-4, B3-5, B2-5, B2-6)."""
    shuffle_stock(s, fixed)
    _clear(s)
    if r.num_players == 4:
        _deal_packets(s, r, np.int64(2))
        _deal_packets(s, r, np.int64(3))
    else:
        for _ in range(3):
            _deal_packets(s, r, np.int64(2))
    _turn_flip(s, r)


@compiled
def _clear(s):
    """An empty table."""
    for seat in range(4):
        s.hands[seat] = U(0)
        s.barred[seat] = U(0)
        s.thrown[seat] = U(0)
        s.tricks[seat] = 0
        s.dues[seat] = 0
    for k in range(HAND):
        s.discards[k] = 0
        s.ghost[k] = 0
    s.ghost_left = U(0)
    s.seen = U(0)
    s.trump = NOBODY
    s.bid_suit = NOBODY
    s.led = NOBODY
    s.best = NOBODY
    s.resting = NOBODY
    s.taken = NOBODY
    s.taker = NOBODY
    s.trick_n = 0
    s.tricks_played = 0
    s.played_n = 0
    s.discards_n = 0
    s.dead_n = 0
    s.flips = 0
    s.hidden_taken = -1


@compiled
def _deal_packets(s, r, size):
    """A packet of ``size`` cards to each from the dealer's left; with two players to the other, the ghost and the dealer."""
    seat = s.dealer
    for _ in range(r.num_players):
        seat = left_of(seat, r.num_players)
        if r.num_players == 2 and seat == s.dealer:
            _deal_ghost(s, size)
        for _ in range(size):
            s.hands[seat] |= bit(take_top(s))


@compiled
def _deal_ghost(s, size):
    """Cards for the ghost's packet: the one dealt last lies on top."""
    for _ in range(size):
        place = np.int64(HAND - 1)
        while (s.ghost_left >> U(place)) & U(1) == U(1):
            place -= 1
        s.ghost[place] = take_top(s)
        s.ghost_left |= bit(place)


@compiled
def _turn_flip(s, r):
    """Turn the next card up, and begin the auction on it."""
    s.flip = take_top(s)
    s.flip_up = 1
    s.flips += 1
    begin_auction(s, r)


@compiled
def _turn_down(s):
    """The flip is turned face down and is dead, if it still lies face up (B4-18, B4-19, B3-10, B3-11)."""
    if s.flip_up:
        s.flip_up = 0
        s.dead[s.dead_n] = s.flip
        s.dead_n += 1


# Decisions


@hot
def legal(s, r, words):
    """The legal actions of the seat to move."""
    for k in range(1, r.words):
        words[k] = U(0)
    if s.phase == PLAY:
        words[0] = by_place(legal_cards(s, r))
    elif s.phase == DISCARD:
        words[0] = by_place(s.hands[s.seat]) << U(DISCARD_FIRST)
    elif s.phase == TAKE:
        words[0] = U(0)
        first = hidden_size(s) if r.hidden == HIDDEN_ALL else np.int64(0)
        last = np.int64(0) if r.hidden == HIDDEN_NONE else hidden_size(s)
        for action in range(TAKE_FIRST + first, TAKE_FIRST + last + 1):
            words[action >> 6] |= bit(action & 63)
    else:
        words[0] = legal_calls(s, r)


@hot
def legal_cards(s, r):
    """The cards that the seat to move may play (B4-10 … B4-12)."""
    hand = s.hands[s.seat]
    return hand if s.led == NOBODY else playable(hand, s.led, s.trump, r.follow)


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one legal action. Returns True when it ended a hand, after adding the payoffs to ``gain``.

    The transitions below return what they lead to; only here a hand is settled or dealt: what many compiled functions reach
    is compiled again with each of them.
    """
    s.decisions += 1
    if s.phase == PLAY:
        result = _play(s, r, card_at(action))
    elif s.phase == DISCARD:
        result = _discard(s, r, card_at(action - DISCARD_FIRST))
    elif s.phase == TAKE:
        result = _ask_for_hidden(s, action - TAKE_FIRST)
    else:
        result = _call(s, r, action)
    if result != GOES_ON:
        _close_hand(s, r, result, gain)
    return result == ENDED


@compiled
def _call(s, r, action):
    """A pass or a bid; the last one of an auction decides what follows."""
    over = make_call(s, r, action)
    if action != PASS and r.flip_immediate and s.phase == AUCTION and s.bid_suit != s.flip & 3:
        _turn_down(s)
    if not over:
        return GOES_ON
    if s.bid_level == 0:
        return _all_passed(s, r)
    s.trump = s.bid_suit
    if r.num_players == 4 and s.bid_level == TOP:
        s.resting = partner(s.bid_seat)
    return _take_up(s, r)


@compiled
def _all_passed(s, r):
    """The flip is turned down: the next one follows, an open auction, or a hand without a contract (B4-19, B3-11, B2-13)."""
    if r.num_players == 4 and s.phase == EIGHT_AUCTION and r.eight_all_pass == ALL_PASS_REDEAL:
        return REDEAL
    _turn_down(s)
    if hidden_size(s) > 0:
        _turn_flip(s, r)
        return GOES_ON
    if r.num_players > 2:
        begin_auction(s, r)
        return GOES_ON
    if r.passout_redeal:
        return REDEAL
    for seat in range(2):
        s.dues[seat] = 1
    return _next_discard(s, r)


@compiled
def _take_up(s, r):
    """Who takes the flip, and who must discard how many (B4-17, B4-18, B4-28, B4-33; B3-9, B3-10, B3-17; B2-11)."""
    n = r.num_players
    taker = NOBODY
    if s.flip_up and (n == 2 or s.phase == EIGHT_AUCTION):
        taker = s.bid_seat
    elif s.flip_up and s.bid_suit == s.flip & 3 and s.resting != s.dealer:
        taker = s.dealer
    if n == 3:
        for seat in range(3):
            s.dues[seat] = 1
    if taker == NOBODY:
        _turn_down(s)
    else:
        s.hands[taker] |= bit(s.flip)
        s.dues[taker] = 1 if n == 4 else 2
        s.taken = s.flip
        s.taker = taker
        s.flip = NOBODY
        s.flip_up = 0
    return _next_discard(s, r)


@compiled
def _next_discard(s, r):
    """The next seat from the dealer's left that has cards to discard (B3-18, B2-17); after the last the play begins.

    With two players and a contract the other player takes hidden cards after the bidder's discards, and discards before it
    gets them (B2-12).
    """
    seat = s.dealer
    for _ in range(r.num_players):
        seat = left_of(seat, r.num_players)
        if s.dues[seat] > 0:
            s.seat = seat
            s.phase = DISCARD
            return GOES_ON
    if r.num_players == 2 and s.trump != NOBODY:
        other = 1 - s.bid_seat
        if s.hidden_taken < 0:
            s.seat = other
            s.phase = TAKE
            return GOES_ON
        for _ in range(s.hidden_taken):
            s.hands[other] |= bit(take_top(s))
    return _begin_play(s, r)


@compiled
def _ask_for_hidden(s, number):
    """``take k``: 1 + k discards, then the k top hidden cards (B2-12)."""
    s.hidden_taken = number
    s.dues[s.seat] = 1 + number
    s.phase = DISCARD
    return GOES_ON


@compiled
def _discard(s, r, card):
    """A card face down out of the hand."""
    seat = s.seat
    s.hands[seat] &= ~bit(card)
    s.thrown[seat] |= bit(card)
    s.discards[s.discards_n] = card
    s.discarders[s.discards_n] = seat
    s.discards_n += 1
    s.dues[seat] = int(s.dues[seat]) - 1
    return GOES_ON if s.dues[seat] > 0 else _next_discard(s, r)


# Play


@compiled
def _begin_play(s, r):
    """The first lead: the dealer's left (B4-30, B3-19, B2-19), another when a bidder is alone (AMB-B4-7), the ghost on a pass-out
    hand (B2-17)."""
    s.phase = PLAY
    leader = left_of(s.dealer, r.num_players)
    if s.trump == NOBODY:
        leader = GHOST
    elif s.resting != NOBODY and r.alone_leader != LEADS_LEFT:
        leader = s.bid_seat if r.alone_leader == LEADS_BIDDER else left_of(s.bid_seat, r.num_players)
    if leader == s.resting:
        leader = left_of(leader, r.num_players)
    _lead(s, r, leader)
    return GOES_ON


@hot
def _lead(s, r, leader):
    """A new trick. The ghost leads at once; the non-dealer or the dealer plays after it (B2-22)."""
    s.trick_n = 0
    s.led = NOBODY
    s.best = NOBODY
    s.seat = leader
    if r.num_players == 2 and leader == GHOST:
        _turn_ghost_card(s, r)
        s.seat = s.dealer if r.dealer_second else 1 - s.dealer


@compiled
def _turn_ghost_card(s, r):
    """The ghost's card: the top one, or the topmost of the suit led; without a contract its first lead makes trump (B2-17)."""
    following = U(0)
    if r.ghost_follows and s.led != NOBODY:
        following = ghost_following(s.ghost[:], HAND, s.led, s.trump, r.follow)
        if following & s.ghost_left == U(0):
            s.barred[GHOST] |= members(s.led, s.trump, r.follow)
    place = ghost_place(s.ghost_left, following)
    card = np.int64(s.ghost[place])
    # The packet closes up: nobody is told from where in it the card came.
    for k in range(place, HAND - 1):
        s.ghost[k] = s.ghost[k + 1]
    s.ghost[HAND - 1] = 0
    s.ghost_left >>= U(1)
    if s.trump == NOBODY:
        s.trump = card & 3
    _put_on_trick(s, r, GHOST, card)


@hot
def _put_on_trick(s, r, seat, card):
    """A card on the trick; the best so far wins it (B4-31, B2-21)."""
    if s.led == NOBODY:
        s.led = suit_of(card, s.trump, r.follow)
        s.best = card
        s.best_seat = seat
    elif beats(card, s.best, s.trump):
        s.best = card
        s.best_seat = seat
    s.trick_seats[s.trick_n] = seat
    s.trick_cards[s.trick_n] = card
    s.trick_n += 1


@hot
def _play(s, r, card):
    """A card from the hand; the last of a trick ends it, with the ghost's turned first if it plays last (B2-20)."""
    seat = s.seat
    if s.led != NOBODY:
        due = obliged(s.led, s.trump, r.follow)
        if bit(card) & (due | bit(EIGHT)) == U(0):
            s.barred[seat] |= due
    s.hands[seat] &= ~bit(card)
    _put_on_trick(s, r, seat, card)
    n = r.num_players
    size = n
    if n == 2:
        size = np.int64(3)
        if s.trick_n == 2 and s.trick_seats[0] != GHOST:
            _turn_ghost_card(s, r)
    elif s.resting != NOBODY:
        size = np.int64(3)
    if s.trick_n == size:
        return _end_trick(s, r)
    s.seat = left_of(seat, n)
    if s.seat == s.resting:
        s.seat = left_of(s.seat, n)
    return GOES_ON


@hot
def _end_trick(s, r):
    """The trick is won, and its winner leads to the next (B4-31, B3-19, B2-21); five tricks are a hand (B4-32)."""
    for k in range(s.trick_n):
        card = np.int64(s.trick_cards[k])
        s.last_cards[k] = card
        s.last_seats[k] = s.trick_seats[k]
        s.played[s.played_n] = card
        s.played_n += 1
        s.seen |= bit(card)
    s.last_n = s.trick_n
    s.last_winner = s.best_seat
    s.tricks[s.best_seat] = int(s.tricks[s.best_seat]) + 1
    s.tricks_played += 1
    if s.tricks_played == TRICKS:
        return ENDED
    _lead(s, r, s.best_seat)
    return GOES_ON


# Scoring


@compiled
def _close_hand(s, r, result, gain):
    """Settle a hand that has ended; then deal the next one, or the same again, or end the episode."""
    if result == ENDED:
        _settle(s, r)
        for seat in range(r.num_players):
            s.scores[seat] += s.last_payoff[seat]
            gain[seat] += s.last_payoff[seat]
        if r.match == 0 or _match_is_over(s, r):
            s.over = 1
            s.trick_n = 0
            return
        s.dealer = left_of(s.dealer, r.num_players)
        s.hand_number += 1
        s.redeals = 0
    elif s.redeals < _MOST_REDEALS:
        s.redeals = int(s.redeals) + 1
    fill(s, r)
    deal(s, r, np.int64(0))


@compiled
def _settle(s, r):
    """The points of the hand: the contract's to the bidding side, to everyone else one for each trick.

    (B4-34 … B4-38, B3-21 … B3-24, B2-18, B2-24, B2-25.)
    """
    for seat in range(r.num_players):
        caught = int(s.tricks[seat])
        if r.num_players == 4:
            caught += int(s.tricks[partner(seat)])
        bids = s.bid_level > 0 and (seat == s.bid_seat or (r.num_players == 4 and seat == partner(s.bid_seat)))
        s.last_payoff[seat] = UNIT * (contract_points(s, r, np.int64(caught)) if bids else caught)


@compiled
def contract_points(s, r, caught):
    """The points of the bidding side for the tricks it caught."""
    bid = bid_tricks(s)
    if caught >= bid:
        if s.bid_level == TOP:
            return np.int64(15)
        return np.int64(12) if bid == TRICKS else bid + caught
    if s.bid_level == TOP and r.num_players < 4:
        bid = r.six_base
    if r.set_penalty == PENALTY_MISSED:
        return -4 - (bid - caught)
    if r.set_penalty == PENALTY_COVERS_FIRST:
        return -3 - (bid - caught)
    return -4 - bid


@compiled
def _match_is_over(s, r):
    """Whether somebody has won: the seats that have are noted in ``won`` (B4-39, B3-25, B2-26)."""
    reached = best = np.int64(0)
    for seat in range(r.num_players):
        if s.scores[seat] >= r.target * UNIT:
            reached |= 1 << seat
            if best == 0 or s.scores[seat] >= s.scores[lowest(U(best))]:
                tied = best != 0 and s.scores[seat] == s.scores[lowest(U(best))]
                best = (best if tied else 0) | 1 << seat
    s.won = _winning_sides(s, r, reached, best) if r.num_players == 4 else _winning_seats(s, r, reached, best)
    return s.won != 0


@compiled
def _winning_sides(s, r, reached, best):
    """Of the seats that reached the target the side that wins, 0 when play goes on (B4-39, AMB-B4-24)."""
    if reached != 0b1111:
        return reached
    if r.both_reach == REACH_BIDDER:
        return 0b0101 << (s.bid_seat & 1)
    if r.both_reach == REACH_PLAY_ON or best == 0b1111:
        return 0
    return best


@compiled
def _winning_seats(s, r, reached, best):
    """The same where each plays alone: the bidder if it is there, else the highest total; equals play on or share (AMB-B3-10)."""
    if s.bid_level > 0 and (reached >> s.bid_seat) & 1:
        return 1 << s.bid_seat
    if best & (best - 1) == 0 or r.tie_share:
        return best
    return 0


@compiled
def winners(s, r):
    """The winning seats as a bit mask, after the end: of a match who won it, of one hand the best payoff (AMB-G-1)."""
    if r.match:
        return s.won
    return best_seats(s.last_payoff[:], r.num_players, np.int64(1))
