"""The deal and the starter (RULES.md 8.1 and 8.2)."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, lowest
from eightsenv.rng import chance_below
from eightsenv.variants.house.effects import DUE, EFFECTS, consequence, follow, push, settle
from eightsenv.variants.house.known import clear_known
from eightsenv.variants.house.state import (
    EIGHT,
    ELECT,
    FEWEST,
    JOKER_RANK,
    NEXT,
    NOBODY,
    STARTER_BURY,
    STARTER_DEALER,
    STARTER_EFFECTS_ALL,
    STARTER_EFFECTS_TWOS,
    STARTER_FIRST_PLAYER,
    SUIT,
    TWO,
)
from eightsenv.variants.house.table import count_run, put_on_pile
from eightsenv.variants.knowledge import bury_in_sight, forget_place
from eightsenv.variants.shedding import add_card, fill_stock, left_of, middle_of_stock, shuffle_stock, take_top

CHIPS = 100
"""What everyone starts with in the chips game (HR-34)."""


@compiled
def fill(s, r):
    """The pack of HR-7."""
    fill_stock(s, r.pack, r.pack_n)


@compiled
def choose_dealer(s, r):
    """The first dealer: a given seat, a random one, or the lowest of a card cut by each (HR-1)."""
    if r.first_dealer >= 0:
        s.dealer = r.first_dealer
    elif r.random_dealer:
        s.dealer = chance_below(s, r.num_players)
    else:
        s.dealer = _cut(s, r)


@compiled
def _cut(s, r):
    """Each cuts a card; the lowest deals, and equal lowest cut again. Aces are high and Jokers above them (HR-1)."""
    cutting = (np.int64(1) << r.num_players) - 1
    while cutting & (cutting - 1) != 0:
        fill(s, r)
        shuffle_stock(s, np.int64(0))
        lowest_rank = JOKER_RANK + 1
        lowest_seats = np.int64(0)
        for seat in range(r.num_players):
            if (cutting >> seat) & 1:
                rank = take_top(s) >> 2
                if rank < lowest_rank:
                    lowest_rank = rank
                    lowest_seats = np.int64(0)
                if rank == lowest_rank:
                    lowest_seats |= np.int64(1) << seat
        cutting = lowest_seats
    return lowest(U(cutting))


@compiled
def deal(s, r, fixed):
    """Shuffle, clear the table, and let the dealer choose how many cards are dealt (HR-4), or deal."""
    shuffle_stock(s, fixed)
    if s.dealt == 0:  # the first deal of the episode
        s.scorekeeper = NOBODY
        s.ruling = NOBODY
        for seat in range(r.num_players):
            s.scores[seat] = CHIPS if r.chips else 0
    _clear_table(s, r)
    s.dealt = FEWEST
    s.seat = s.dealer
    if r.deal_choice:
        s.phase = ELECT
    else:
        deal_cards(s, r, FEWEST)


@compiled
def _clear_table(s, r):
    for seat in range(r.num_players):
        for plane in range(2):
            s.hands[seat, plane] = U(0)
            s.penalty[seat, plane] = U(0)
        s.missing[seat] = 0
        s.open_left[seat] = 0
        s.grabbed[seat] = 0
    for k in range(2):
        for plane in range(2):
            s.plucked[k, plane] = U(0)
        s.pile_set[k] = U(0)
        s.known_stock[k] = U(0)
    clear_known(s, r)
    s.turn = NOBODY
    s.rank = NOBODY
    s.suit = 0
    s.direction = 1
    s.free = 0
    s.drawn = 0
    s.acted = 0
    s.drawn_card = NOBODY
    s.drawn_seen = 0
    s.idle = 0
    s.liable = 0
    s.exposed = 0
    s.run_length = 0
    s.depth = 0
    s.fumbles = 0
    s.announced = 0
    s.winner = NOBODY
    s.turned = NOBODY


@compiled
def deal_cards(s, r, size):
    """Deal one at a time from the dealer's left, the extra card of mojo seats last (HR-5), turn the starter and begin."""
    n = r.num_players
    s.dealt = size
    seat = s.dealer
    for _ in range(n * size):
        seat = left_of(seat, n)
        add_card(s.hands[seat], take_top(s))
    if size == FEWEST:
        for _ in range(n):
            seat = left_of(seat, n)
            if ((r.mojo | s.mojo) >> seat) & 1:
                add_card(s.hands[seat], take_top(s))
    _turn_starter(s, r)
    _begin(s, r)
    settle(s, r)


@compiled
def _turn_starter(s, r):
    """Turn the next card, and another one after a Joker (HR-6, HR-10), or after an eight that is buried."""
    while True:
        card = take_top(s)
        forget_place(s, s.top - 1)
        if card >> 2 == EIGHT and r.starter_wild == STARTER_BURY:
            bury_in_sight(s, middle_of_stock(s, EIGHT), card)
        else:
            put_on_pile(s, card)
            if r.ms_counts_starter:
                count_run(s, card)
            if card >> 2 != JOKER_RANK:
                follow(s, s.pile_n - 1)
                return


@compiled
def _begin(s, r):
    """The suit of an eight is named (HR-9); another starter acts as if the dealer had played it (HR-11); then the first turn."""
    dealer = s.dealer
    first = left_of(dealer, r.num_players)
    card = np.int64(s.stock[s.pile_n - 1])
    acts = r.starter_effects == STARTER_EFFECTS_ALL or (r.starter_effects == STARTER_EFFECTS_TWOS and EFFECTS[card] == TWO)
    if card >> 2 != EIGHT and acts:
        consequence(s, r, dealer, card, DUE[card])
        return
    push(s, NEXT, first, dealer, card, np.int64(0))
    if card >> 2 == EIGHT and r.starter_wild == STARTER_DEALER:
        push(s, SUIT, dealer, dealer, card, np.int64(0))
    elif card >> 2 == EIGHT and r.starter_wild == STARTER_FIRST_PLAYER:
        push(s, SUIT, first, dealer, card, np.int64(0))
