"""The card play of 8-ball with all hands known: an exact search over bit sets, compiled.

One player or side takes as many tricks as it can, all others together leave it as few as they can. Whether it reaches a number of
tricks is one search (:func:`reaches`); a few of them give the value. A search works on a scratch record: :func:`set_deal` and
:func:`set_position` fill it, :func:`value` and :func:`move_values` answer; :func:`solve_state` does it all for a game.

Cards stand here at *spots*: the strongest trump first, suit by suit, so that the strongest card of a set is its lowest bit. A spot
between two cards stays empty where one may be playable and the other not. So cards of one hand with nothing alive between them are
worth the same, and one of them is tried.
"""

from __future__ import annotations

import itertools

import numpy as np

from eightsenv.bits import U, bit, compiled, highest, hot, lowest, mul64, popcount, without_lowest
from eightsenv.game import record_dtype
from eightsenv.variants.eight_ball.state import GHOST, HAND, NOBODY, PACK_SIZE, SEATS, card_at
from eightsenv.variants.eight_ball.trumps import (
    BETTER,
    CARDS,
    FOLLOWS,
    MEMBERS,
    OBLIGED,
    PACK,
    PRINTED,
    RANKS,
    TRUMPS,
    ghost_following,
    ghost_place,
)

TRICK = SEATS + 1
"""Places of a list of a trick's cards, with one for the -1 at its end."""

# Who plays after whom

ALL_FOUR, WITHOUT, ALL_THREE, WITH_GHOST = np.int64(0), np.int64(1), np.int64(5), np.int64(6)
"""Orders of play: four players; four without a resting one (+ its seat); three; two and the ghost, who plays last unless it leads,
and whose lead a player follows first (+ its seat)."""
_TRICKS: list[list[tuple[int, ...]]] = [
    [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)],
    [(1, 2, 3), (2, 3, 1), (3, 1, 2)],
    [(0, 2, 3), (2, 3, 0), (3, 0, 2)],
    [(0, 1, 3), (1, 3, 0), (3, 0, 1)],
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)],
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)],
    [(0, 1, 2), (1, 0, 2), (2, 0, 1)],
    [(0, 1, 2), (1, 0, 2), (2, 1, 0)],
]
"""By order of play, the seats of a trick for each that may lead."""
NEXT = np.full((len(_TRICKS), SEATS, SEATS), NOBODY, np.int8)
for _order, _tricks in enumerate(_TRICKS):
    for _seats in _tricks:
        for _seat, _after in itertools.pairwise(_seats):
            NEXT[_order, _seats[0], _seat] = _after
"""int8[orders, leaders, seats]: who plays after a seat in a trick; -1 after the last."""

# Spots

SPOTS = np.full((4, 64), -1, np.int8)
"""int8[4, 64]: by trump suit the spot of each card; -1 for one that the pack has not."""
_ROW = 32
"""Spots of one trump suit, in tables."""
_EIGHT = U(1)
"""8C at its spot, 0."""
_BOWER_GAPS = U(1 << 3 | 1 << 5)
"""The empty spots after the bowers; there is one after 8C, and after each suit."""
for _trump in range(4):
    _spot = 0
    _last = 0
    for _k, _card in enumerate(RANKS[_trump, ::-1].tolist()):
        if _k in (1, 2, 3, TRUMPS) or (_k > TRUMPS and _card & 3 != _last & 3):
            _spot += 1
        SPOTS[_trump, _card] = _spot
        _spot += 1
        _last = _card
_TRUMP_SPOTS = U(0b1111010101)
"""The same for all trump suits."""


def _at_spots(cards: int, trump: int) -> int:
    """A set of card ids as a set of spots."""
    return sum(1 << int(SPOTS[trump, card]) for card in CARDS if int(cards) >> card & 1)


# What `trumps` has by card ids, here by spots: by trump suit and spot, with ``follow`` before them, or the suit for the spot.
_PACK = np.array([_at_spots(int(PACK), trump) for trump in range(4)], np.uint64)
_BETTER = np.zeros(4 * _ROW, np.uint64)
_SUIT = np.zeros(FOLLOWS * 4 * _ROW, np.int8)
_CARD = np.full(4 * _ROW, -1, np.int8)
for _trump in range(4):
    for _card in CARDS:
        _at = _trump * _ROW + int(SPOTS[_trump, _card])
        _CARD[_at] = _card
        _BETTER[_at] = _at_spots(BETTER[_trump << 6 | _card], _trump)
        for _key in range(FOLLOWS * 4 * 4):
            if _key >> 2 & 3 == _trump and int(MEMBERS[_key]) >> _card & 1:
                _SUIT[(_key >> 4) * 4 * _ROW + _at] = _key & 3
_OBLIGED = np.array([_at_spots(cards, k >> 2 & 3) for k, cards in enumerate(OBLIGED)], np.uint64)

# The record of a search

_TABLE_BITS = 8
SCRATCH = record_dtype(
    [
        ("hands", "u8", (SEATS,)),  # by spots; a resting partner's is empty
        ("side", "i8"),  # bit mask of the seats whose tricks count
        ("deal", "u8"),  # number of the deal, from 1
        ("order", "i8"),  # the order of play
        ("trump", "i8"),
        ("follow", "i8"),
        ("ghost", "i8"),  # its seat, or -1
        ("places", "u8"),  # what is left of its packet, by place
        ("following", "u8", (4,)),  # the places of its cards that follow each suit, under follow_if_able
        ("packet", "i8", (HAND,)),  # its cards, by spots, top first
        # The position to be solved
        ("seat", "i8"),  # who is to play
        ("leader", "i8"),
        ("led", "i8"),  # the suit led, and
        ("best", "i8"),  # the best card of the trick, each -1 before a lead
        ("taker", "i8"),  # who played it
        ("trick", "u8"),  # the cards of the trick
        ("gone", "u8"),  # spots of no further account
        ("left", "i8"),  # tricks not yet finished
        ("won", "i8"),  # what the side took with the last card that completed a trick
        ("nodes", "i8"),  # positions visited, of all searches
        # What solve_state takes from a game
        ("given", "u8", (SEATS,)),
        ("given_packet", "i1", (HAND,)),
        ("given_trick", "i1", (TRICK,)),
        ("values", "i1", (64,)),
        ("table", "u8", (1 << _TABLE_BITS,)),
    ]
)
"""What a search works on; one for each thread. The table keeps bounds for positions at the start of a trick: bits 0-27 the cards
left, 28-29 the leader, 30-32 and 33-35 the fewest and most tricks of the side, from 36 on the number of the deal."""
_LEADER, _LOW, _HIGH, _DEAL = U(28), U(30), U(33), U(36)
_KEY = U(((1 << 64) - 1) ^ (0b111111 << 30))
_DEALS = U(1 << 28)
_ODD = U(0x9E3779B97F4A7C15)
_BEYOND = U(1 << 40)
"""Beyond all spots."""


@compiled
def set_deal(w, trump, follow, order, side):
    """Begin with another deal, trump suit, ``follow`` (see ``trumps``), order of play, or side (a bit mask of seats)."""
    w.deal += U(1)
    if w.deal == _DEALS:  # its number would not fit, and old entries would be taken for new ones
        w.deal = U(1)
        for k in range(w.table.shape[0]):
            w.table[k] = U(0)
    w.side = side
    w.order = order
    w.trump = trump
    w.follow = follow
    w.ghost = GHOST if order >= WITH_GHOST else NOBODY


@compiled
def set_position(w, hands, packet, able, trick, leader):
    """Set up a position of the deal, by card ids.

    Args:
        hands: uint64[4], the cards not yet played by seat; empty for seats that take no part, and for the ghost.
        packet: int8[HAND], what is left of the ghost's packet, top first, then -1.
        able: 1 under ``follow_if_able``.
        trick: int8[TRICK], the cards of the trick in the order of play, then -1. A complete one counts (``won``).
        leader: who has led to it, or is to lead.
    """
    for seat in range(SEATS):
        w.hands[seat] = U(0)
        cards = hands[seat]
        while cards != U(0):
            w.hands[seat] |= bit(np.int64(SPOTS[w.trump, lowest(cards)]))
            cards = without_lowest(cards)
    size = np.int64(0)
    if w.ghost >= 0:
        while size < HAND and packet[size] >= 0:
            w.packet[size] = SPOTS[w.trump, packet[size]]
            w.hands[GHOST] |= bit(w.packet[size])
            size += 1
        for led in range(4):
            w.following[led] = ghost_following(packet, size, led, w.trump, w.follow) if able else U(0)
    w.places = bit(size) - U(1)
    # The trick is played out from where it began.
    w.seat = leader
    count = np.int64(0)
    while trick[count] >= 0:
        w.hands[w.seat] |= bit(np.int64(SPOTS[w.trump, trick[count]]))
        w.seat = _next(w, leader, w.seat)
        count += 1
    w.left = popcount(w.hands[leader if leader != w.ghost else 0])
    w.gone = _PACK[w.trump] & ~(w.hands[0] | w.hands[1] | w.hands[2] | w.hands[3])
    if w.follow & PRINTED == 0:
        w.gone |= _BOWER_GAPS
    w.won = 0
    _lead(w, leader)
    for k in range(count):
        _play(w, np.int64(SPOTS[w.trump, trick[k]]))


@hot
def _next(w, leader, seat):
    """Who plays after a seat, or -1."""
    return np.int64(NEXT[w.order, leader, seat])


@compiled
def _lead(w, leader):
    """Begin a trick of the position."""
    w.seat = leader
    w.leader = leader
    w.taker = leader
    w.led = -1
    w.best = -1
    w.trick = U(0)


@compiled
def _play(w, card):
    """The seat to move of the position plays a card."""
    w.hands[w.seat] ^= bit(card)
    for place in range(HAND):
        if w.seat == w.ghost and w.packet[place] == card:
            w.places &= ~bit(np.int64(place))
    w.trick |= bit(card)
    if w.best < 0:
        w.led = _SUIT[(w.follow * 4 + w.trump) * _ROW + card]
    if w.best < 0 or _BETTER[w.trump * _ROW + w.best] & bit(card) != U(0):
        w.best = card
        w.taker = w.seat
    w.seat = _next(w, w.leader, w.seat)
    if w.seat < 0:
        w.won = w.side >> w.taker & 1
        w.left -= 1
        w.gone |= w.trick
        _lead(w, w.taker)


# Answers


@compiled
def value(w):
    """The tricks that the side takes of the position's: of a trick just completed, the one in progress, and all later ones."""
    low = np.int64(0)
    high = w.left
    need = (high + 1) >> 1
    while low < high:
        if reaches(w, w.seat, w.leader, w.led, w.best, w.taker, w.gone, w.trick, w.left, need):
            low = need
        else:
            high = need - 1
        need = min(low + 1, high)
    return w.won + low


@compiled
def move_values(w, hands, packet, able, trick, leader, values):
    """Write for each card that the seat to move may play, by id, the value after it; ``values`` is int8[64], else left as it is.

    The other arguments are those of :func:`set_position`; ``hands`` and ``trick`` are changed during the call only.
    """
    set_position(w, hands, packet, able, trick, leader)
    seat = w.seat
    if seat == w.ghost or w.left == 0:
        return
    count = popcount(w.trick)
    cards = _playable(w, w.hands[seat], w.led)
    tried = _one_each(cards, w.gone)
    found = np.int64(0)
    while cards != U(0):
        spot = lowest(cards)
        cards = without_lowest(cards)
        card = np.int64(_CARD[w.trump * _ROW + spot])
        if tried & bit(spot) != U(0):
            hands[seat] ^= bit(card)
            trick[count] = card
            set_position(w, hands, packet, able, trick, leader)
            found = value(w)
            trick[count] = -1
            hands[seat] ^= bit(card)
        values[card] = found


@compiled
def solve_state(s, r, w, seat, values):
    """The same for a game in its play, where a card is to be played: by action id, -1 for what is not legal (int8[PACK_SIZE]).

    ``seat``: whose tricks are counted; of four players the partner's count as well. Tricks won before do not.
    """
    n = r.num_players
    side = np.int64(1) << seat
    order = ALL_THREE
    if n == 4:
        side = np.int64(0b0101) << (seat & 1)
        order = ALL_FOUR if s.resting == NOBODY else WITHOUT + s.resting
    elif n == 2:
        order = WITH_GHOST + (s.dealer if r.dealer_second else 1 - s.dealer)
    for k in range(SEATS):
        w.given[k] = s.hands[k] if k < n and k != s.resting else U(0)
    for k in range(HAND):
        w.given_packet[k] = -1
    places = s.ghost_left
    size = np.int64(0)
    while places != U(0):
        w.given_packet[size] = s.ghost[lowest(places)]
        places = without_lowest(places)
        size += 1
    for k in range(TRICK):
        w.given_trick[k] = s.trick_cards[k] if k < s.trick_n else -1
    for card in range(64):
        w.values[card] = -1
    set_deal(w, s.trump, r.follow, order, side)
    leader = np.int64(s.trick_seats[0]) if s.trick_n > 0 else s.seat
    move_values(w, w.given[:], w.given_packet[:], r.ghost_follows, w.given_trick[:], leader, w.values[:])
    for action in range(PACK_SIZE):
        values[action] = w.values[card_at(action)]


# The search


@hot
def _playable(w, hand, led):
    """The cards of a hand that may be played on a lead of suit ``led``, or led (-1); see ``trumps.playable``."""
    if led < 0:
        return hand
    obliged = _OBLIGED[(w.follow * 4 + w.trump) * 4 + led]
    if hand & obliged == U(0):
        return hand
    return hand & (obliged | _EIGHT)


@hot
def _one_each(cards, gone):
    """The first card of each run of ``cards`` with only ``gone`` spots between them."""
    run = cards | gone
    starts = run & ~(run << U(1))
    return cards & (starts | (gone + (starts & gone)))  # the sum carries a start over spots that are gone


@compiled
def _last_trick(w, leader):
    """1 if the side takes the trick of everybody's last card, else 0."""
    better = w.trump * _ROW
    taker = leader
    best = w.packet[ghost_place(w.places, U(0))] if leader == w.ghost else lowest(w.hands[leader])
    led = np.int64(_SUIT[(w.follow * 4 + w.trump) * _ROW + best])
    seat = _next(w, leader, leader)
    while seat >= 0:
        card = w.packet[ghost_place(w.places, w.following[led])] if seat == w.ghost else lowest(w.hands[seat])
        if _BETTER[better + best] & bit(card) != U(0):
            best = card
            taker = seat
        seat = _next(w, leader, seat)
    return w.side >> taker & 1


@hot
def _sure(w, alive):
    """Tricks that the holder of the highest trump wins for certain, with it and those right below: minus them if not of the side.

    The ghost's do not count, since one of its cards may never be played.
    """
    held = alive & _TRUMP_SPOTS
    if held == U(0):
        return np.int64(0)
    top = held & ~(held - U(1))
    holder = np.int64(0)
    while w.hands[holder] & top == U(0):
        holder += 1
    if holder == w.ghost:
        return np.int64(0)
    others = (held & ~w.hands[holder]) | _BEYOND
    count = popcount(held & ~others & (others - U(1)))
    return count if w.side >> holder & 1 else -count


@compiled
def reaches(w, seat, leader, led, best, taker, gone, trick, left, need):
    """1 if the side takes ``need`` of the ``left`` tricks not yet finished, 1 <= need <= left, else 0.

    The position is that of the record's fields of these names; the hands and the ghost's places are as before after the call.
    """
    w.nodes += 1
    key = U(0)
    slot = np.int64(0)
    low = np.int64(0)
    high = left
    if best < 0:
        if left == 1:
            return _last_trick(w, leader)
        alive = w.hands[0] | w.hands[1] | w.hands[2] | w.hands[3]
        sure = _sure(w, alive)
        if sure >= need:
            return np.int64(1)
        if left + sure < need:
            return np.int64(0)
        key = alive | U(leader) << _LEADER
        slot = np.int64(mul64(key, _ODD) >> U(64 - _TABLE_BITS))
        key |= w.deal << _DEAL
        entry = w.table[slot]
        if entry & _KEY == key:
            low = np.int64(entry >> _LOW & U(7))
            high = np.int64(entry >> _HIGH & U(7))
            if low >= need:
                return np.int64(1)
            if high < need:
                return np.int64(0)
    hand = w.hands[seat]
    places = w.places
    if seat == w.ghost:
        place = ghost_place(places, w.following[led] if led >= 0 else U(0))
        w.places = places ^ bit(place)
        moves = bit(w.packet[place])
    else:
        moves = _one_each(_playable(w, hand, led), gone)
    ours = w.side >> seat & 1
    # Tried first: the strongest lead; the cheapest card that takes the trick, or, if it is won as it stands, that does not.
    better = _BETTER[w.trump * _ROW + best] if best >= 0 else moves
    first = better
    if best >= 0 and w.side >> taker & 1 == ours:
        first = ~better
    after = _next(w, leader, seat)
    result = 1 - ours
    while moves != U(0) and result != ours:
        choice = moves & first if moves & first != U(0) else moves
        card = lowest(choice) if best < 0 else highest(choice)
        b = bit(card)
        moves ^= b
        w.hands[seat] = hand ^ b
        takes = better & b != U(0)
        new_taker = seat if takes else taker
        if after >= 0:
            new_led = led if best >= 0 else np.int64(_SUIT[(w.follow * 4 + w.trump) * _ROW + card])
            result = reaches(w, after, leader, new_led, card if takes else best, new_taker, gone, trick | b, left, need)
        else:
            rest = need - (w.side >> new_taker & 1)
            if rest == 0 or rest == left:
                result = np.int64(rest == 0)
            else:
                result = reaches(w, new_taker, new_taker, NOBODY, NOBODY, new_taker, gone | trick | b, U(0), left - 1, rest)
    w.hands[seat] = hand
    w.places = places
    if best < 0:
        if result:
            low = need
        else:
            high = need - 1
        w.table[slot] = key | U(low) << _LOW | U(high) << _HIGH
    return result


# Kernels, for :mod:`solver`


def kernel_deals(scratch, follow, able, hands, packets, tricks, places, nodes, values):
    """Solve all deals.

    ``scratch`` is record[1]; ``places`` (int64[N, 4]) has trump suit, leader, order and side by deal; ``values`` is int8[N, 1].
    """
    w = scratch[0]
    for i in range(hands.shape[0]):
        w.nodes = 0
        set_deal(w, places[i, 0], follow, places[i, 2], places[i, 3])
        set_position(w, hands[i], packets[i], able, tricks[i], places[i, 1])
        values[i, 0] = value(w)
        nodes[i] = w.nodes


def kernel_moves(scratch, follow, able, hands, packets, tricks, places, nodes, values):
    """The same for all moves; ``values`` is int8[N, 64]."""
    w = scratch[0]
    for i in range(hands.shape[0]):
        w.nodes = 0
        set_deal(w, places[i, 0], follow, places[i, 2], places[i, 3])
        move_values(w, hands[i], packets[i], able, tricks[i], places[i, 1], values[i])
        nodes[i] = w.nodes


def kernel_states(scratch, games, rules, seats, values):
    """``solve_state`` for every game; ``values`` is int8[N, PACK_SIZE]."""
    for i in range(games.shape[0]):
        solve_state(games[i], rules[0], scratch[0], seats[i], values[i])
