"""The rules of the eights family, in the order of the rule book: deal, decisions, transitions, scoring."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, popcount, without_lowest
from eightsenv.game import UNIT
from eightsenv.rng import chance_below
from eightsenv.variants.eights.public import note, note_known
from eightsenv.variants.eights.state import (
    AFTER_DRAWN_ONLY,
    AFTER_NONE,
    BURY_BOTTOM,
    BURY_MIDDLE,
    BURY_RANDOM,
    COLLECT_HIGH,
    CUT,
    DEALER_FIRST_SPADE,
    DEALER_RANDOM,
    DEMAND,
    DEMAND_PHASE,
    DRAW,
    END_IMMEDIATE,
    END_OF_TURN,
    END_ON_FAILED_DRAW,
    END_RESHUFFLE,
    FEWEST_CUT,
    PASS,
    PENALTY,
    PROVES_NONE,
    PROVES_PARTLY,
    SILENT,
    STARTER_BURY,
    STARTER_DEALER,
    STARTER_PRINTED,
    SUIT,
    SUIT_FIRST,
    TURN,
    VOLUNTARY_ONE,
    VOLUNTARY_UNLIMITED,
)
from eightsenv.variants.knowledge import (
    bury_in_sight,
    caps_draw,
    caps_play,
    clear_caps,
    forget_place,
    known_place,
    prove_at_most,
    prove_none,
    rank_class,
    suit_class,
)
from eightsenv.variants.matches import best_seats, next_dealer
from eightsenv.variants.shedding import (
    add_card,
    beside,
    discard,
    fill_stock,
    insert_stock,
    left_of,
    middle_of_stock,
    rank_cards,
    remove_card,
    reshuffle,
    shuffle_stock,
    stock_size,
    suit_cards,
    take_top,
)

_DRAW = U(1 << DRAW)
_PASS = U(1 << PASS)
_ANSWERS = U(1 << DEMAND | 1 << SILENT)
_NOBODY = np.int64(-1)
_SPADES = 3


# Seats


@hot
def next_seat(s, r):
    """The next seat in play, in the direction of play (RE-11); who is out is skipped (RE-23)."""
    seat = s.seat
    while True:
        seat = beside(seat, s.direction, r.num_players)
        if (s.out >> seat) & 1 == 0:
            return seat


@hot
def in_play(s, r):
    """How many seats are not out."""
    return r.num_players - popcount(U(s.out))


# The deal


@compiled
def fill(s, r):
    """The pack of IT-1, RE-2 and RE-3, or the small one."""
    fill_stock(s, r.pack, r.pack_n)


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
    """Shuffle, clear the table, and deal, or ask for the cut first (RE-6)."""
    shuffle_stock(s, fixed)
    for seat in range(r.num_players):
        for plane in range(2):
            s.hands[seat, plane] = U(0)
            s.known[seat, plane] = U(0)
        clear_caps(s.caps[seat])
        s.misdealt[seat] = 0
        s.shown[seat] = U(0)
    for k in range(2):
        s.pile_set[k] = U(0)
        s.known_stock[k] = U(0)
    s.naming_starter = 0
    s.pending = 0
    s.direction = 1
    s.out = 0
    s.first_out = _NOBODY
    s.passes = 0
    s.must_play = 0
    s.reshuffled = 0
    s.plays = 0
    s.closing = 0
    _begin_turn(s)
    if r.cut:
        s.phase = CUT
        s.seat = s.dealer - 1 if s.dealer > 0 else r.num_players - 1
    else:
        _deal_cards(s, r)


@compiled
def _cut(s, r, size):
    """The top ``size`` cards go under the rest, then the cards are dealt."""
    _reverse(s, np.int64(0), size)
    _reverse(s, size, r.pack_n)
    _reverse(s, np.int64(0), r.pack_n)
    _deal_cards(s, r)
    return False


@compiled
def _reverse(s, first, end):
    """Reverse ``stock[first:end]``."""
    for k in range((end - first) // 2):
        card = s.stock[first + k]
        s.stock[first + k] = s.stock[end - 1 - k]
        s.stock[end - 1 - k] = card


@compiled
def _deal_cards(s, r):
    """Deal one at a time from the dealer's left, turn the starter (IT-3 … IT-6; RE-7 … RE-10)."""
    n = r.num_players
    seat = s.dealer
    for _ in range(n * r.hand_size):
        seat = left_of(seat, n)
        add_card(s.hands[seat], take_top(s))
    for seat in range(n):
        note(s, np.int64(seat))
    _turn_starter(s, r)
    begin_play(s, r)


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
    """Bury a wild starter in the stock (AMB-G-2). In the middle and at the bottom everybody knows where it lies."""
    size = stock_size(s)
    if r.bury == BURY_RANDOM:
        insert_stock(s, chance_below(s, size + 1), card)
        return
    if r.bury == BURY_MIDDLE:
        bury_in_sight(s, middle_of_stock(s, r.wild_rank), card)
    elif r.bury == BURY_BOTTOM:
        bury_in_sight(s, size, card)
    else:
        insert_stock(s, size, card)
        shuffle_stock(s, np.int64(0))


@compiled
def begin_play(s, r):
    """Who acts first after the deal, and after each step that puts a wrong deal right (RE-26b).

    Seats that are short of cards draw; then a wild starter's suit is named (``starter_wild``); then the starter's effect
    happens as if the dealer had played it, and the first turn is the next seat's (RE-11).
    """
    n = r.num_players
    s.direction = 1
    s.phase = TURN
    seat = s.dealer
    s.short = 0
    for _ in range(n):
        seat = left_of(seat, n)
        if s.misdealt[seat] < 0:
            s.short = 1
            s.seat = seat
            s.pending = -int(s.misdealt[seat])
            return
    s.pending = 0
    s.seat = s.dealer
    if s.naming_starter:
        s.phase = SUIT
        if r.starter_wild == STARTER_DEALER:
            return
    elif r.starter_effects:
        starter = np.int64(s.stock[s.pile_n - 1])
        if r.effects & bit(starter) != U(0):
            _make_effect(s, r, starter)
    s.seat = next_seat(s, r)


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
    for k in range(1, r.words):
        words[k] = U(0)
    if s.phase == TURN:
        words[0] = _turn_actions(s, r)
    elif s.phase == SUIT:
        words[0] = r.suits
    elif s.phase == DEMAND_PHASE:
        words[0] = _ANSWERS
    else:
        words[0] = U(0)
        for action in range(r.cut_first, r.cut_first + r.pack_n - 2 * FEWEST_CUT + 1):
            words[action >> 6] |= bit(action & 63)


@hot
def _turn_actions(s, r):
    """The legal actions in a turn (OPTIONS.md 2.1, *A turn*)."""
    plays = playable(s, r)
    if s.pending > 0:
        return _DRAW if s.short else _DRAW | (plays & r.stack)
    drawable = s.drawn < r.draw_limit and can_draw(s, r)
    if r.optional_draw:
        return plays | (_DRAW if drawable else _PASS)
    if r.holdback and plays != U(0) and s.top == s.end:
        return plays if s.must_play else plays | _PASS
    if drawable and (plays == U(0) or may_draw_able(s, r)):
        return plays | _DRAW
    return plays if plays != U(0) else _PASS


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one legal action. Returns True when it ended a hand, after adding the payoffs to ``gain``.

    The transitions below return whether the hand has ended; only here it is settled: what many compiled functions reach is
    compiled again with each of them.
    """
    s.decisions += 1
    if action < DRAW:
        ended = _play(s, r, action)
    elif action == DRAW:
        ended = _draw(s, r) if s.pending == 0 else _draw_due(s, r)
    elif action == PASS:
        ended = _pass(s, r)
    elif s.phase == SUIT:
        ended = _name_suit(s, r, action - SUIT_FIRST)
    elif s.phase == DEMAND_PHASE:
        ended = _answer(s, r, action)
    else:
        ended = _cut(s, r, action - r.cut_first + FEWEST_CUT)
    if ended:
        _end_hand(s, r, gain)
    return ended


@hot
def _play(s, r, card):
    """A card on the pile. A wild card asks for a suit, and an effect happens, exactly when the hand goes on (AMB-IT-10)."""
    seat = s.seat
    remove_card(s.hands[seat], card)
    discard(s, card)
    s.rank = card >> 2
    s.suit = card & 3
    _learn_from_play(s, r, card)
    s.passes = 0
    if r.holdback:
        s.must_play = 0
    if s.hands[seat, 0] == U(0) and _goes_out(s, r):
        return True
    if s.closing:
        return True
    if r.openspiel:
        s.plays += 1
        if s.plays == r.max_plays:
            return True
        _refill(s, r)
    if s.rank == r.wild_rank:
        s.phase = SUIT
        return False
    if r.effects & bit(card) != U(0):
        _make_effect(s, r, card)
    return _next_turn(s, r)


@compiled
def _goes_out(s, r):
    """The seat has no cards left. Returns whether this ends the hand: with partners when both are out (RE-23), with
    ``play_on`` when one seat is left (AMB-RE-6), else at once (IT-2, RE-19)."""
    s.out |= 1 << s.seat
    if s.first_out == _NOBODY:
        s.first_out = s.seat
    if r.partnership:
        return (s.out >> ((s.seat + 2) & 3)) & 1 == 1
    return r.play_on == 0 or in_play(s, r) == 1


@compiled
def _make_effect(s, r, card):
    """The effect of a card just played by the seat to move (OPTIONS.md, *effects*)."""
    b = bit(card)
    if r.skip & b != U(0):
        s.seat = next_seat(s, r)
    elif r.reverse & b != U(0):
        if r.num_players > 2:
            s.direction = -s.direction
    elif can_draw(s, r):
        s.pending += int(r.draw[card])


@hot
def _name_suit(s, r, suit):
    """The suit of the wild card on top (IT-8, RE-13); the suit of a wild starter is named before the first turn."""
    s.suit = suit
    if s.naming_starter:
        s.naming_starter = 0
        begin_play(s, r)
        return False
    return _next_turn(s, r)


@hot
def _draw(s, r):
    """The top card of the stock into the hand; the turn goes on (IT-10, RE-15), unless the stock's end ends the hand (IT-12)."""
    count_draw_able(s, r)
    if r.draw_proves and r.unseen == 0:
        learn_from_draw(s, r)
    if s.top == s.end:
        _reshuffle(s)
    card = take(s, r)
    s.drawn += 1
    s.drawn_set |= bit(card)
    return _stock_ended(s, r) if s.top == s.end else False


@hot
def count_draw_able(s, r):
    """Count a draw that is made while holding a playable card, if the rules limit those (ACTIONS.md, Eights 6)."""
    if r.voluntary_draw == VOLUNTARY_ONE and s.hands[s.seat, 0] & fitting(s, r) != U(0):
        s.drawn_able += 1


@hot
def take(s, r):
    """The top card of the stock into the hand of the seat to move; a buried card is seen by all when it comes up."""
    seat = s.seat
    place = s.top
    card = take_top(s)
    add_card(s.hands[seat], card)
    if r.unseen == 0:
        if known_place(s, place):
            forget_place(s, place)
            add_card(s.known[seat], card)
            note_known(s, r, seat)
        caps_draw(s.caps[seat])
        note(s, seat)
    return card


@compiled
def _stock_ended(s, r):
    """A draw has emptied the stock (IT-12, AMB-IT-4)."""
    _refill(s, r)
    if r.stock_end == END_IMMEDIATE:
        return True
    if r.stock_end == END_OF_TURN:
        s.closing = 1
    return _check_end(s, r)


@compiled
def _reshuffle(s):
    """All discards but the top one become the stock."""
    reshuffle(s)
    s.reshuffled = 1


@compiled
def _refill(s, r):
    """The preset ``openspiel`` reshuffles as soon as the stock is empty and a card lies under the top one."""
    if r.openspiel and r.stock_end == END_RESHUFFLE and s.top == s.end and s.pile_n > 1:
        _reshuffle(s)


@compiled
def _draw_due(s, r):
    """Draw what is due: the cards of an effect, all at once, which ends the turn; or one of those dealt too few (RE-26b)."""
    if s.short:
        take(s, r)
        s.misdealt[s.seat] = int(s.misdealt[s.seat]) + 1
        begin_play(s, r)
        return False
    while s.pending > 0 and can_draw(s, r):
        if s.top == s.end:
            _reshuffle(s)
        take(s, r)
        s.pending -= 1
        _refill(s, r)
    # The preset ``openspiel`` counts it as a pass when the last due card was the last of the stock.
    s.passes = 1 if r.openspiel and s.pending == 0 and s.top == s.end else 0
    s.pending = 0
    if s.top == s.end and (r.stock_end == END_IMMEDIATE or r.stock_end == END_OF_TURN):
        return True
    return _next_turn(s, r)


@hot
def _pass(s, r):
    """Nothing to play and nothing to draw (IT-11, RE-17); with ``holdback`` the others may demand a play (RE-27)."""
    if r.holdback:
        return _open_window(s, r)
    learn_from_pass(s, r)
    return _let_pass(s, r)


@hot
def _let_pass(s, r):
    """The turn moves on; a circle of passes with nothing to draw is a block (RE-21, RE-28)."""
    if s.closing:
        return True
    if not can_draw(s, r):
        s.passes += 1
        if s.passes == in_play(s, r) + r.openspiel:
            return True
    return _next_turn(s, r)


@compiled
def _open_window(s, r):
    """Each other seat in play is asked whether it demands a play (RE-27)."""
    if s.top < s.end:
        learn_from_pass(s, r)  # drew up to the limit: nobody who can play may pass then
    s.passer = s.seat
    s.phase = DEMAND_PHASE
    s.seat = next_seat(s, r)
    return False


@compiled
def _answer(s, r, action):
    """``silent`` asks the next seat, and after the last the pass stands; a ``demand`` gives the turn back to who can play."""
    if action == SILENT:
        s.seat = next_seat(s, r)
        if s.seat != s.passer:
            return False
        s.phase = TURN
        return _let_pass(s, r)
    s.seat = np.int64(s.passer)
    s.phase = TURN
    if playable(s, r) != U(0):
        s.must_play = 1
        return False
    learn_from_pass(s, r)
    return _let_pass(s, r)


@hot
def _begin_turn(s):
    s.phase = TURN
    s.drawn = 0
    s.drawn_able = 0
    s.drawn_set = U(0)


@hot
def _next_turn(s, r):
    """The turn of the next seat."""
    s.seat = next_seat(s, r)
    _begin_turn(s)
    return _check_end(s, r) if s.top == s.end else False


@compiled
def _check_end(s, r):
    """With the stock empty: ``stock_end="on_failed_draw"`` ends the hand when the seat to act must draw and cannot (AMB-IT-4),
    ``block="immediate"`` when nobody can play or draw (AMB-RE-10)."""
    if r.stock_end == END_ON_FAILED_DRAW and s.drawn < r.draw_limit and playable(s, r) == U(0):
        return True
    if r.block_at_once and not can_draw(s, r):
        held = U(0)
        for seat in range(r.num_players):
            held |= s.hands[seat, 0]
        return held & fitting(s, r) == U(0)
    return False


# What everybody learns of a hand


@hot
def _fitting_classes(s, r):
    """The suits and ranks all of whose cards fit the pile."""
    wild = rank_class(r.wild_rank)
    if s.rank == r.wild_rank:
        return suit_class(s.suit) | wild
    return wild if r.match_both else suit_class(s.suit) | rank_class(s.rank) | wild


@hot
def _learn_from_play(s, r, card):
    """A card that was shown and is gone. Of known cards it can only be a wild one: no others are buried."""
    if r.unseen == 0:
        caps_play(s.caps[s.seat], card)
        if card >> 2 == r.wild_rank:
            remove_card(s.known[s.seat], card)
            note_known(s, r, s.seat)
        note(s, s.seat)


@hot
def learn_from_draw(s, r):
    """A forced draw proves that no card of the hand fits.

    With ``voluntary_draw="one"`` (``PROVES_PARTLY``) this holds from the second draw of a turn on, and but for the card drawn last:
    who could play before it, had its one draw then.
    """
    if r.draw_proves == PROVES_NONE:
        prove_none(s.caps[s.seat], _fitting_classes(s, r))
    elif r.draw_proves == PROVES_PARTLY and s.drawn > 0:
        prove_at_most(s.caps[s.seat], _fitting_classes(s, r), np.int64(1))


@hot
def learn_from_pass(s, r):
    """A forced pass proves the same; after a draw that limits what may be played (``PROVES_PARTLY``), nothing."""
    if r.pass_proves == PROVES_NONE or (r.pass_proves == PROVES_PARTLY and s.drawn == 0):
        prove_none(s.caps[s.seat], _fitting_classes(s, r))
        note(s, s.seat)


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
def _end_hand(s, r, gain):
    """Settle the hand, then deal the next one or end the episode."""
    for seat in range(r.num_players):
        s.last_payoff[seat] = hand_value(s, r, seat)
    if r.partnership:
        _settle_sides(s, r)
    else:
        _settle(s, r)
    for seat in range(r.num_players):
        gain[seat] += s.last_payoff[seat]
    if r.match and not _match_is_over(s, r):
        s.dealer = next_dealer(s, r)
        s.hand_number += 1
        fill(s, r)
        deal(s, r, np.int64(0))
    else:
        s.over = 1


@compiled
def _settle(s, r):
    """Turn the values in ``last_payoff`` into payoffs; both ledgers of IT-13 and IT-14; RE-19 … RE-22.

    The first seat out collects all; without one the lowest counts share the differences.
    """
    n = r.num_players
    winner = np.int64(s.first_out)
    least = s.last_payoff[0]
    for seat in range(1, n):
        least = min(least, s.last_payoff[seat])
    holders = 0
    pot = 0
    for seat in range(n):
        if winner == seat or (winner == _NOBODY and s.last_payoff[seat] == least):
            holders += 1
        pot += s.last_payoff[seat] - least
    paid = winner != _NOBODY or r.difference == 1
    for seat in range(n):
        value = s.last_payoff[seat]
        collected = 0
        if paid:
            collects = seat == winner or (winner == _NOBODY and value == least)
            collected = pot // holders if collects else least - value
        if r.score_mode == PENALTY:
            points = value - least if paid else value
        else:
            points = collected
        s.collected[seat] += collected
        s.scores[seat] += points
        s.last_payoff[seat] = points if r.score_mode == COLLECT_HIGH else -points


@compiled
def _settle_sides(s, r):
    """The side that is out, or has the lower count, receives what the other holds more (RE-24, RE-25); each partner is credited
    the side's result or half of it (AMB-RE-7)."""
    result = s.last_payoff[1] + s.last_payoff[3] - s.last_payoff[0] - s.last_payoff[2]
    side_out = s.out & 0b0101 == 0b0101 or s.out & 0b1010 == 0b1010
    if not side_out and r.difference == 0:
        result = 0
    if r.half_payment:
        result //= 2
    for seat in range(4):
        s.last_payoff[seat] = result if seat & 1 == 0 else -result
        s.collected[seat] += s.last_payoff[seat]
        s.scores[seat] += s.last_payoff[seat]


@compiled
def _match_is_over(s, r):
    """After the last round (IT-15), or when a total has reached the target (RE-29); a tie may ask for more (AMB-IT-7)."""
    reached = r.rounds > 0 and s.hand_number + 1 >= r.rounds
    for seat in range(r.num_players):
        if r.target > 0 and s.scores[seat] >= r.target * UNIT:
            reached = True
    if reached and r.extra_round:
        best = _best_scores(s, r)
        return best & (best - 1) == 0 or (r.partnership == 1 and (best == 0b0101 or best == 0b1010))
    return reached


@compiled
def _best_scores(s, r):
    """The seats with the best total as a bit mask: the most points when collecting high, else the fewest."""
    return best_seats(s.scores[:], r.num_players, np.int64(1 if r.score_mode == COLLECT_HIGH else -1))


@compiled
def winners(s, r):
    """The winning seats as a bit mask, after the end: of a match the best total, of one hand the best payoff (AMB-G-1)."""
    if r.match:
        return _best_scores(s, r)
    return best_seats(s.last_payoff[:], r.num_players, np.int64(1))
