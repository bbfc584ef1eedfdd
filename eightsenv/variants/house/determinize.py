"""States that agree with what one seat knows, for search: all that the seat cannot know is sampled.

No decision of House Rules proves what a seat does not hold, for nobody is forced to discard. So the hidden cards are those of
the stock and of the other seats that the seat does not know, and every assignment of them to the hidden places is as likely as
any other: the samples are exactly uniform, without rejection or repair, over the assignments that agree with the record of
``known.py``. That record forgets three things: that a card drawn after a pluck is not the plucked one; which of a seat's known
cards are penalty cards once an unknown one lies among them (``swap_penalty="travel_restricted"``); and with two packs which of
two equal cards was meant, where a swap parts them (``swap_penalty="stay"``).
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, hot, lowest, without_lowest
from eightsenv.game import record_dtype
from eightsenv.variants.house.known import clear_rows, everybody, knows, learn, one_seat
from eightsenv.variants.house.state import CARDS, EIGHT, SEATS
from eightsenv.variants.house.table import NO_CARD, in_hand, pick
from eightsenv.variants.knowledge import known_place
from eightsenv.variants.sampling import add_unknown, lay_stock, reseed, take
from eightsenv.variants.shedding import add_card, count_cards

SCRATCH = record_dtype(
    [
        ("left", "u8", (2,)),  # planes of all hidden cards, less those that are placed
        ("keep", "u8", (SEATS, 2)),  # cards of each seat that the observer knows
        ("common", "u8", (SEATS, 2)),  # those that everybody knows
        ("back", "u8", (2,)),  # with two players: what the other one knows of the observer's cards
        ("hidden", "u8", (2,)),  # the cards that were placed in one seat's hand
        ("card", "i1", (CARDS,)),
    ]
)
"""Scratch of one thread."""
_ANY = U(0xFFFFFFFFFFFFFFFF)


@compiled
def determinize(s, r, seat, seed, w):
    """Sample anew all that ``seat`` cannot know, and seed the chance stream with ``seed`` (uint64).

    ``w`` is a :data:`SCRATCH` record. Always returns True: there is always an assignment. What the others know in the sampled
    state is what everybody knows, with two players all that the other one knows: what several others know of each other is not
    for ``seat`` to know; what others are charged for grabbed cards is not either, and counts nothing in the sample. After the end
    all hands are known.
    """
    reseed(s, seed)
    for plane in range(2):
        w.left[plane] = U(0)
    for i in range(s.top, s.end):
        if not known_place(s, i):
            add_card(w.left[:], np.int64(s.stock[i]))
    _gather(s, r, seat, w)
    for other in range(r.num_players):
        if other != seat and s.over == 0:
            _sample_seat(s, r, seat, np.int64(other), w)
            s.grabbed[other] = 0
    _write_known(s, r, seat, w)
    lay_stock(s, w)
    for i in range(CARDS):
        if i >= s.pile_n or s.stock[i] >> 2 != EIGHT:
            s.named[i] = 0
    return True


@compiled
def _gather(s, r, seat, w):
    """List what is known of the cards of each seat, and put the rest with the hidden ones."""
    for other in range(r.num_players):
        w.common[other, 0], w.common[other, 1] = knows(s, r, np.int64(0), np.int64(other))
        w.keep[other, 0], w.keep[other, 1] = knows(s, r, 1 + seat, np.int64(other))
        if s.over:
            w.keep[other, 0], w.keep[other, 1] = s.hands[other, 0], s.hands[other, 1]
    if r.num_players == 2:
        w.back[0], w.back[1] = knows(s, r, 2 - seat, seat)
    for other in range(r.num_players):
        if other != seat:
            add_unknown(w.left[:], s.hands[other], w.keep[other])


@hot
def _knows_penalty(s, seat, other):
    """Whether the seat knows all penalty cards of another one."""
    return (int(s.penalty_seen[other]) >> (1 + seat)) & 1 == 1


@compiled
def _sample_seat(s, r, seat, other, w):
    """Place hidden cards in a hand, and choose which of them are penalty and plucked cards."""
    number = count_cards(s.hands[other]) - count_cards(w.keep[other])
    penalties = 0 if _knows_penalty(s, seat, other) else count_cards(s.penalty[other])
    for plane in range(2):
        w.hidden[plane] = U(0)
        s.hands[other, plane] = w.keep[other, plane]
        if penalties > 0:
            s.penalty[other, plane] = U(0)
    for _ in range(number):
        card = take(s, w.left[:], _ANY)
        add_card(s.hands[other], card)
        if penalties > 0:
            penalties -= 1
            add_card(s.penalty[other], card)
        else:
            add_card(w.hidden[:], card)
    if s.turn == other and s.drawn_card != NO_CARD and s.drawn_seen == 0:
        _sample_draw(s, r, other, w)
    if r.num_players == 2:
        _sample_plucked(s, other, w)


@compiled
def _sample_draw(s, r, other, w):
    """Which card the seat whose turn it is has drawn in it: a hidden one of the hand, and so not a plucked one."""
    if w.hidden[0] != U(0):
        s.drawn_card = take(s, w.hidden[:], _ANY)
    else:
        once, twice = in_hand(s, r, other)
        s.drawn_card = pick(s, once, twice)


@compiled
def _sample_plucked(s, other, w):
    """Which cards lie plucked: those that the observer knows, and any of those that may be."""
    number = count_cards(s.plucked[other]) - count_cards(s.sure[other])
    for plane in range(2):
        s.plucked[other, plane] = s.sure[other, plane]
        cards = s.maybe[other, plane]
        while cards != U(0):
            card = lowest(cards)
            cards = without_lowest(cards)
            add_card(w.hidden[:], card)
    for _ in range(number):
        add_card(s.plucked[other], take(s, w.hidden[:], _ANY))


@compiled
def _write_known(s, r, seat, w):
    """Record anew who knows what, as far as the observer knows it."""
    for other in range(r.num_players):
        if (int(s.penalty_seen[other]) & 1) == 0:
            s.penalty_seen[other] = int(s.penalty_seen[other]) & one_seat(seat)
    clear_rows(s, r)
    for other in range(r.num_players):
        learn(s, r, np.int64(other), w.common[other, 0], w.common[other, 1], everybody(r))
        if other != seat:
            learn(s, r, np.int64(other), w.keep[other, 0], w.keep[other, 1], one_seat(seat))
    if r.num_players == 2:
        learn(s, r, seat, w.back[0], w.back[1], one_seat(1 - seat))
