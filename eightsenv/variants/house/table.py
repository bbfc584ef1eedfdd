"""What is done with cards: drawing, penalty cards, plucking, swapping, open hands; each with what it tells whom."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, nth, popcount
from eightsenv.rng import chance_below
from eightsenv.variants.house.known import (
    everybody,
    gain,
    knows,
    learn,
    learn_not_plucked,
    learn_pluck,
    lose,
    one_seat,
    swap_known,
    tidy_plucked,
)
from eightsenv.variants.house.state import (
    N_SLOTS,
    STAY,
    THROUGH_OWN_NEXT,
    TRAVEL_FREE,
    UNTIL_PLAYERS,
)
from eightsenv.variants.knowledge import forget_place, known_place
from eightsenv.variants.shedding import add_card, beside, discard, remove_card, reshuffle, take_top, without

NO_CARD = np.int64(-1)


@hot
def next_seat(s, r, seat):
    """The next seat in the current direction."""
    return beside(seat, s.direction, r.num_players)


@hot
def playable_zone(s, seat):
    """All cards of a seat but penalty cards, which may not be discarded yet (HR-72): planes."""
    return without(s.hands[seat, 0], s.hands[seat, 1], s.penalty[seat, 0], s.penalty[seat, 1])


@hot
def in_hand(s, r, seat):
    """The cards of a seat but penalty and plucked ones, which lie on the table: planes."""
    once, twice = playable_zone(s, seat)
    if r.num_players == 2:
        once, twice = without(once, twice, s.plucked[seat, 0], s.plucked[seat, 1])
    return once, twice


@hot
def pick(s, once, twice):
    """A uniformly random card of a set that is not empty (planes)."""
    first = popcount(once)
    k = chance_below(s, first + popcount(twice))
    return nth(once, k) if k < first else nth(twice, k - first)


# The pile and the stock


@hot
def put_on_pile(s, card):
    """A card on the pile; an eight stands as its printed suit until one is named."""
    s.named[s.pile_n] = card & 3
    discard(s, card)


@compiled
def count_run(s, card):
    """The row of cards of one rank on the pile that M's rule counts (HR-63); Jokers are a rank."""
    rank = card >> 2
    if s.run_length > 0 and s.run_rank == rank:
        s.run_length += 1
    else:
        s.run_rank = rank
        s.run_length = 1


@hot
def can_draw(s):
    """Whether there is a card to draw, after a reshuffle if need be (HR-18)."""
    return s.top < s.end or s.pile_n > 1


@compiled
def reshuffle_pile(s, r):
    """All discards but the top one become the stock; what is to be followed stays (HR-18). The row ends (HR-66)."""
    suit = s.named[s.pile_n - 1]
    reshuffle(s)
    s.named[0] = suit
    if r.ms_resets:
        s.run_length = 0


@compiled
def next_card(s, r):
    """Take the top card of the stock, after a reshuffle if need be; -1 when there is none."""
    if s.top == s.end:
        if s.pile_n <= 1:
            return NO_CARD
        reshuffle_pile(s, r)
    return take_top(s)


@hot
def _came_known(s, r):
    """Whether everybody knew the card that was just taken from the stock; its place is free then."""
    place = s.top - 1
    if r.unseen == 1 or not known_place(s, place):
        return False
    forget_place(s, place)
    return True


@compiled
def turn_up(s, r):
    """Turn the next card of the stock onto the pile, where it counts in M's row, and return it; -1 when there is none."""
    card = next_card(s, r)
    if card != NO_CARD:
        _came_known(s, r)
        put_on_pile(s, card)
    return card


@compiled
def draw(s, r, seat):
    """One card from the stock into the hand, seen by all if that lies open (HR-55); returns it, or -1 when there is none."""
    card = next_card(s, r)
    if card == NO_CARD:
        return NO_CARD
    add_card(s.hands[seat], card)
    s.idle = 0
    if r.unseen == 0:
        buried = _came_known(s, r)
        if r.double:
            gain(s, r, seat, card)
        if (s.exposed >> seat) & 1:
            show_hand(s, r, seat)
        elif buried:
            face = bit(card)
            learn(s, r, seat, face, s.hands[seat, 1] & s.known[0, 0] & face, everybody(r))
    return card


@compiled
def draw_cards(s, r, seat, number):
    """So many cards into the hand; what cannot be drawn is waived (HR-18)."""
    for _ in range(number):
        if draw(s, r, seat) == NO_CARD:
            return


@compiled
def put_down(s, r, seat, card):
    """Discard a card of a seat: a face that it holds both in the hand and plucked is taken from the hand."""
    once, _ = in_hand(s, r, seat)
    plucked = once & bit(card) == U(0)
    if r.unseen == 0:
        lose(s, r, seat, card, everybody(r))
    remove_card(s.hands[seat], card)
    if plucked:
        remove_card(s.plucked[seat], card)
    if r.unseen == 0 and r.num_players == 2:
        tidy_plucked(s, r, seat)
    put_on_pile(s, card)


# Open hands (HR-55)


@compiled
def show_hand(s, r, seat):
    """Everybody sees the cards in the hand of a seat."""
    once, twice = in_hand(s, r, seat)
    learn(s, r, seat, once, twice, everybody(r))
    if r.num_players == 2:
        learn_not_plucked(s, seat, once, twice)


@compiled
def open_hand(s, r, seat, player):
    """A seat lays its hand open for the Jack of hearts of another one."""
    s.exposed |= 1 << seat
    s.open_by[seat] = player
    if r.jh_duration == N_SLOTS:
        s.open_left[seat] = r.num_players + 1
    else:
        s.open_left[seat] = 1 if r.jh_duration == UNTIL_PLAYERS else 2
    if r.unseen == 0:
        show_hand(s, r, seat)


@compiled
def count_turn(s, r, seat):
    """A turn of a seat has begun, was skipped, or was an answer; with ``through_own_next_turn`` it has ended. Open hands whose
    time is over are taken up."""
    for other in range(r.num_players):
        if (s.exposed >> other) & 1:
            counts = other == seat
            if r.jh_duration == N_SLOTS:
                counts = True
            elif r.jh_duration == UNTIL_PLAYERS:
                counts = s.open_by[other] == seat
            if counts:
                s.open_left[other] = int(s.open_left[other]) - 1
                if s.open_left[other] == 0:
                    s.exposed &= ~(np.int64(1) << other)


@hot
def turn_begins(s, r, seat):
    if s.exposed != 0 and r.jh_duration != THROUGH_OWN_NEXT:
        count_turn(s, r, seat)


@hot
def turn_ends(s, r, seat):
    if s.exposed != 0 and r.jh_duration == THROUGH_OWN_NEXT and seat >= 0:
        count_turn(s, r, seat)


# Penalty cards (HR-70 to HR-73)


@compiled
def draw_penalty(s, r, seat):
    """A penalty card: it lies face down until another card is discarded."""
    card = next_card(s, r)
    if card == NO_CARD:
        return
    s.idle = 0
    first = s.penalty[seat, 0] == U(0)
    if r.unseen == 0:
        buried = _came_known(s, r)
        if not first and s.penalty_seen[seat] != 0:
            _mix_penalty(s, r, seat)
        add_card(s.hands[seat], card)
        if r.double:
            gain(s, r, seat, card)
        if buried and first:
            learn(s, r, seat, bit(card), U(0), everybody(r))
            s.penalty_seen[seat] = everybody(r)
    else:
        add_card(s.hands[seat], card)
    add_card(s.penalty[seat], card)


@compiled
def _mix_penalty(s, r, seat):
    """A penalty card that nobody knows is to lie with some that are known: those are known no more."""
    for plane in range(2):
        cards = s.penalty[seat, plane]
        while cards != U(0):
            card = lowest(cards)
            lose(s, r, seat, card, np.int64(s.penalty_seen[seat]))
            cards &= ~bit(card)
    s.penalty_seen[seat] = 0


@compiled
def free_penalty(s, r, seat):
    """After another card was discarded the penalty cards join the hand (HR-73)."""
    s.penalty[seat, 0] = U(0)
    s.penalty[seat, 1] = U(0)
    s.penalty_seen[seat] = 0
    if (s.exposed >> seat) & 1 and r.unseen == 0:
        show_hand(s, r, seat)


@compiled
def show_card(s, r, seat, card):
    """Everybody sees a card in the hand of a seat."""
    learn(s, r, seat, bit(card), U(0), everybody(r))
    if r.num_players == 2:
        learn_not_plucked(s, seat, bit(card), U(0))


@compiled
def note_fumble(s, seat, card):
    """For the log: a seat has shown a card."""
    s.fumbles += 1
    s.fumbled = card
    s.fumbler = seat


@compiled
def fumble(s, r, seat, card):
    """A card of the hand is shown to all and taken back, and the seat draws a penalty card (HR-70, HR-71)."""
    note_fumble(s, seat, card)
    if r.unseen == 0:
        show_card(s, r, seat, card)
    draw_penalty(s, r, seat)


# Plucked cards and swaps


@compiled
def pluck(s, r, seat):
    """The other player takes a random card of the hand, and it lies on the table (HR-44, HR-46); without a hand nothing happens."""
    once, twice = in_hand(s, r, seat)
    if once == U(0):
        return
    card = pick(s, once, twice)
    add_card(s.plucked[seat], card)
    if r.unseen == 0:
        learn_pluck(s, r, seat, card, once, twice)


@compiled
def swap(s, r, one, two):
    """Two seats exchange their hands (HR-52), penalty and plucked cards by ``swap_penalty``; nobody is liable any more (HR-53)."""
    s.liable &= ~((np.int64(1) << one) | (np.int64(1) << two))
    low, high = min(one, two), max(one, two)
    stay = r.swap_penalty == STAY
    given, given_twice = s.hands[low, 0], s.hands[low, 1]
    taken, taken_twice = s.hands[high, 0], s.hands[high, 1]
    if stay:
        given, given_twice = in_hand(s, r, low)
        taken, taken_twice = in_hand(s, r, high)
    kept, kept_twice = without(s.hands[low, 0], s.hands[low, 1], given, given_twice)
    kept_high, kept_high_twice = without(s.hands[high, 0], s.hands[high, 1], taken, taken_twice)
    if r.unseen == 0 and r.double:
        swap_known(s, r, low, high, given, taken, kept, kept_high)
    s.hands[low, 0] = kept | taken
    s.hands[low, 1] = kept_twice | taken_twice | (kept & taken)
    s.hands[high, 0] = kept_high | given
    s.hands[high, 1] = kept_high_twice | given_twice | (kept_high & given)
    if r.unseen == 0:
        learn(s, r, high, given, given_twice, one_seat(low))
        learn(s, r, low, taken, taken_twice, one_seat(high))
    if not stay:
        _swap_table_cards(s, r, low, high)
    if r.num_players == 2 and r.unseen == 0:
        for seat in range(2):
            _know_plucked_after_swap(s, r, np.int64(seat))
    if r.unseen == 0:
        for seat in (low, high):
            if (s.exposed >> seat) & 1:
                show_hand(s, r, seat)


@compiled
def _swap_table_cards(s, r, low, high):
    """Penalty and plucked cards move with the hands: freed, or bound as before."""
    free = r.swap_penalty == TRAVEL_FREE
    for plane in range(2):
        one, two = s.penalty[low, plane], s.penalty[high, plane]
        s.penalty[low, plane] = U(0) if free else two
        s.penalty[high, plane] = U(0) if free else one
        if r.num_players == 2:
            one, two = s.plucked[low, plane], s.plucked[high, plane]
            s.plucked[low, plane] = U(0) if free else two
            s.plucked[high, plane] = U(0) if free else one
    seen, seen_high = np.int64(s.penalty_seen[low]), np.int64(s.penalty_seen[high])
    s.penalty_seen[low] = 0 if s.penalty[low, 0] == U(0) else seen_high | one_seat(high)
    s.penalty_seen[high] = 0 if s.penalty[high, 0] == U(0) else seen | one_seat(low)


@compiled
def _know_plucked_after_swap(s, r, seat):
    """Of this seat's plucked cards the other player knows those that it knows at all: it has seen the rest of the hand."""
    once, twice = knows(s, r, 2 - seat, seat)
    for plane in range(2):
        s.maybe[seat, plane] = U(0)
        s.sure[seat, plane] = s.plucked[seat, plane] & (once if plane == 0 else twice)
