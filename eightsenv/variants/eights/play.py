"""The rules of the eights family, in the order of the rule book: deal, decisions, transitions, scoring."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, without_lowest
from eightsenv.game import UNIT
from eightsenv.rng import chance_below
from eightsenv.variants.eights.state import (
    AFTER_DRAWN_ONLY,
    AFTER_NONE,
    BURY_BOTTOM,
    BURY_MIDDLE,
    BURY_RANDOM,
    COLLECT_HIGH,
    DEALER_FIRST_SPADE,
    DEALER_RANDOM,
    DRAW,
    END_IMMEDIATE,
    END_OF_TURN,
    END_ON_FAILED_DRAW,
    END_RESHUFFLE,
    PASS,
    PENALTY,
    ROTATE_LEFT,
    ROTATE_LOSER,
    ROTATE_RANDOM,
    STARTER_BURY,
    STARTER_DEALER,
    STARTER_PRINTED,
    SUIT,
    SUIT_FIRST,
    TURN,
    VOLUNTARY_ONE,
    VOLUNTARY_UNLIMITED,
)
from eightsenv.variants.shedding import (
    add_card,
    discard,
    fill_stock,
    insert_stock,
    left_of,
    rank_cards,
    remove_card,
    reshuffle,
    shuffle_stock,
    stock_size,
    suit_cards,
    take_top,
)

_FOUR_SUITS = U(0b1111 << SUIT_FIRST)
_DRAW = U(1 << DRAW)
_PASS = U(1 << PASS)
_NOBODY = np.int64(-1)
_SPADES = 3


# The deal


@compiled
def fill(s, r):
    """The pack of IT-1, RE-2 and RE-3."""
    fill_stock(s, r.decks)


@compiled
def choose_dealer(s, r):
    """The first dealer: a given seat, a random one (AMB-IT-8), or who is dealt the first spade (RE-5)."""
    if r.first_dealer >= 0:
        s.dealer = r.first_dealer
    elif r.first_dealer == DEALER_RANDOM:
        s.dealer = chance_below(s, r.num_players)
    elif r.first_dealer == DEALER_FIRST_SPADE:
        fill(s, r)
        shuffle_stock(s, np.int64(0))
        s.dealer = 0
        while take_top(s) & 3 != _SPADES:
            s.dealer = left_of(s.dealer, r.num_players)


@compiled
def deal(s, r, fixed):
    """Shuffle, deal one at a time from the dealer's left, turn the starter (IT-3 … IT-6; RE-7 … RE-10)."""
    shuffle_stock(s, fixed)
    n = r.num_players
    for seat in range(n):
        s.hands[seat, 0] = U(0)
        s.hands[seat, 1] = U(0)
    s.pile_set[0] = U(0)
    s.pile_set[1] = U(0)
    s.passes = 0
    s.closing = 0
    seat = s.dealer
    for _ in range(n * r.hand_size):
        seat = left_of(seat, n)
        add_card(s.hands[seat], take_top(s))
    _turn_starter(s, r)
    s.seat = s.dealer if s.naming_starter and r.starter_wild == STARTER_DEALER else left_of(s.dealer, n)
    s.phase = SUIT if s.naming_starter else TURN
    s.drawn = 0
    s.drawn_able = 0
    s.drawn_set = U(0)


@compiled
def _turn_starter(s, r):
    """Turn the starter; a wild one is buried and the next turned, or stands, as the option says (IT-6, RE-10)."""
    card = take_top(s)
    while r.starter_wild == STARTER_BURY and card >> 2 == r.wild_rank:
        _bury(s, r, card)
        card = take_top(s)
    discard(s, card)
    s.rank = card >> 2
    s.suit = card & 3
    s.naming_starter = 1 if s.rank == r.wild_rank and r.starter_wild != STARTER_PRINTED else 0


@compiled
def _bury(s, r, card):
    """Bury a wild starter in the stock (AMB-G-2)."""
    size = stock_size(s)
    if r.bury == BURY_MIDDLE:
        insert_stock(s, size // 2, card)
    elif r.bury == BURY_RANDOM:
        insert_stock(s, chance_below(s, size + 1), card)
    else:
        insert_stock(s, size, card)
        if r.bury != BURY_BOTTOM:
            shuffle_stock(s, np.int64(0))


# Decisions


@hot
def fitting(s, r):
    """What may follow on the pile: the suit in force, the rank of the top card, the wild rank (IT-7 … IT-9; RE-12 … RE-14)."""
    of_suit = suit_cards(s.suit)
    if s.rank == r.wild_rank:
        return of_suit | r.wild
    if r.match_both:
        return (of_suit & rank_cards(s.rank)) | r.wild
    return of_suit | rank_cards(s.rank) | r.wild


@hot
def playable(s, r):
    """The cards that the seat to move may play now, given what it drew in this turn."""
    plays = s.hands[s.seat, 0] & fitting(s, r)
    if s.drawn > 0 and r.play_after_draw >= AFTER_DRAWN_ONLY:
        return U(0) if r.play_after_draw == AFTER_NONE else plays & s.drawn_set
    return plays


@hot
def can_draw(s, r):
    """Whether there is a card to draw, reshuffling if the rules allow it."""
    return s.top < s.end or (r.stock_end == END_RESHUFFLE and s.pile_n > 1)


@hot
def may_draw_able(s, r):
    """Whether a seat that could play may draw all the same (RE-16, IT-11)."""
    return r.voluntary_draw == VOLUNTARY_UNLIMITED or (r.voluntary_draw == VOLUNTARY_ONE and s.drawn_able == 0)


@hot
def legal(s, r, words):
    """The legal actions of the seat to move (RULES.md sections 4 and 7, state machines)."""
    if s.phase == SUIT:
        words[0] = _FOUR_SUITS
        return
    actions = playable(s, r)
    if (actions == U(0) or may_draw_able(s, r)) and s.drawn < r.draw_limit and can_draw(s, r):
        actions |= _DRAW
    words[0] = actions if actions != U(0) else _PASS


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one legal action. Returns True when it ended a hand, after adding the payoffs to ``gain``."""
    s.decisions += 1
    if action < DRAW:
        return _play(s, r, action, gain)
    if action == DRAW:
        return _draw(s, r, gain)
    if action == PASS:
        return _pass(s, r, gain)
    return _name_suit(s, r, action - SUIT_FIRST, gain)


@hot
def _play(s, r, card, gain):
    """A card on the pile. A wild card asks for a suit exactly when the hand goes on (AMB-IT-10)."""
    remove_card(s.hands[s.seat], card)
    discard(s, card)
    s.rank = card >> 2
    s.suit = card & 3
    s.passes = 0
    if s.hands[s.seat, 0] == U(0):
        return _end_hand(s, r, s.seat, gain)
    if s.closing:
        return _end_hand(s, r, _NOBODY, gain)
    if s.rank == r.wild_rank:
        s.phase = SUIT
        return False
    return _next_turn(s, r, gain)


@hot
def _name_suit(s, r, suit, gain):
    """The suit of the wild card on top (IT-8, RE-13); the suit of a wild starter is named before the first turn."""
    s.suit = suit
    s.phase = TURN
    if s.naming_starter:
        s.naming_starter = 0
        s.seat = left_of(s.dealer, r.num_players)
        return False
    return _next_turn(s, r, gain)


@hot
def _draw(s, r, gain):
    """The top card of the stock into the hand; the turn goes on (IT-10, RE-15), unless the stock's end ends the hand (IT-12)."""
    if r.voluntary_draw == VOLUNTARY_ONE and s.hands[s.seat, 0] & fitting(s, r) != U(0):
        s.drawn_able += 1
    if s.top == s.end:
        reshuffle(s)
    card = take_top(s)
    add_card(s.hands[s.seat], card)
    s.drawn += 1
    s.drawn_set |= bit(card)
    if s.top == s.end:
        if r.stock_end == END_IMMEDIATE:
            return _end_hand(s, r, _NOBODY, gain)
        if r.stock_end == END_OF_TURN:
            s.closing = 1
    return _check_failed_draw(s, r, gain)


@hot
def _pass(s, r, gain):
    """The turn moves on (IT-11, RE-17); a circle of passes with nothing to draw is a block (RE-21)."""
    if s.closing:
        return _end_hand(s, r, _NOBODY, gain)
    if not can_draw(s, r):
        s.passes += 1
        if s.passes == r.num_players:
            return _end_hand(s, r, _NOBODY, gain)
    return _next_turn(s, r, gain)


@hot
def _next_turn(s, r, gain):
    """The turn of the next seat."""
    s.seat = left_of(s.seat, r.num_players)
    s.phase = TURN
    s.drawn = 0
    s.drawn_able = 0
    s.drawn_set = U(0)
    return _check_failed_draw(s, r, gain)


@hot
def _check_failed_draw(s, r, gain):
    """``stock_end="on_failed_draw"``: the hand ends when the seat to act must draw and cannot (AMB-IT-4)."""
    if r.stock_end == END_ON_FAILED_DRAW and s.top == s.end and s.drawn < r.draw_limit and playable(s, r) == U(0):
        return _end_hand(s, r, _NOBODY, gain)
    return False


# Scoring


@compiled
def hand_value(s, r, seat):
    """The points of a hand (IT-13, RE-20), in 1/840."""
    total = 0
    for plane in range(2):
        cards = s.hands[seat, plane]
        while cards != U(0):
            total += r.values[lowest(cards)]
            cards = without_lowest(cards)
    return total * UNIT


@compiled
def _end_hand(s, r, winner, gain):
    """Settle the hand (both ledgers of IT-13 and IT-14; RE-19 … RE-22), then deal the next one or end the episode."""
    n = r.num_players
    lowest_value = hand_value(s, r, np.int64(0))
    holders = 0
    pot = 0
    for seat in range(n):
        value = hand_value(s, r, seat)
        s.last_payoff[seat] = value
        if value < lowest_value:
            lowest_value = value
            holders = 0
        if value == lowest_value:
            holders += 1
    paid = winner != _NOBODY or r.difference == 1
    for seat in range(n):
        pot += s.last_payoff[seat] - lowest_value
    for seat in range(n):
        value = s.last_payoff[seat]
        collected = 0
        if paid:
            collected = pot // holders if value == lowest_value else lowest_value - value
        if r.score_mode == PENALTY:
            points = value - lowest_value if paid else value
        else:
            points = collected
        payoff = points if r.score_mode == COLLECT_HIGH else -points
        s.collected[seat] += collected
        s.scores[seat] += points
        s.last_payoff[seat] = payoff
        gain[seat] += payoff
    if r.match and not _match_is_over(s, r):
        s.dealer = _next_dealer(s, r)
        s.hand_number += 1
        fill(s, r)
        deal(s, r, np.int64(0))
    else:
        s.over = 1
    return True


@compiled
def _match_is_over(s, r):
    """After the last round (IT-15), or when a total has reached the target (RE-29); a tie may ask for more (AMB-IT-7)."""
    reached = r.rounds > 0 and s.hand_number + 1 >= r.rounds
    for seat in range(r.num_players):
        if r.target > 0 and s.scores[seat] >= r.target * UNIT:
            reached = True
    if reached and r.extra_round:
        best = _best_scores(s, r)
        return best & (best - 1) == 0
    return reached


@compiled
def _best_scores(s, r):
    """The seats with the best total as a bit mask: the most points when collecting high, else the fewest."""
    sign = 1 if r.score_mode == COLLECT_HIGH else -1
    best = 1
    top = sign * s.scores[0]
    for seat in range(1, r.num_players):
        score = sign * s.scores[seat]
        if score > top:
            top = score
            best = 0
        if score == top:
            best |= 1 << seat
    return best


@compiled
def _next_dealer(s, r):
    """The deal moves left, or to the winner, the loser or a random seat (AMB-G-3)."""
    n = r.num_players
    if r.rotation == ROTATE_LEFT:
        return left_of(s.dealer, n)
    if r.rotation == ROTATE_RANDOM:
        return chance_below(s, n)
    sign = -1 if r.rotation == ROTATE_LOSER else 1
    seat = left_of(s.dealer, n)
    chosen = seat
    for _ in range(n - 1):
        seat = left_of(seat, n)
        if sign * s.last_payoff[seat] > sign * s.last_payoff[chosen]:
            chosen = seat
    return chosen


@compiled
def winners(s, r):
    """The winning seats as a bit mask, after the end: of a match the best total, of one hand the best payoff (AMB-G-1)."""
    if r.match:
        return _best_scores(s, r)
    best = 1
    for seat in range(1, r.num_players):
        if s.last_payoff[seat] > s.last_payoff[lowest(U(best))]:
            best = 1 << seat
        elif s.last_payoff[seat] == s.last_payoff[lowest(U(best))]:
            best |= 1 << seat
    return best
