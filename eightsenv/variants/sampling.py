"""Hidden cards sampled anew: uniformly over the assignments that agree with public knowledge.

The *places* are the hidden cards in the hands of the seats, as sets, and one pool of all other hidden places, which takes any
card. Physical cards are distinct: with two packs, both copies of a face. A seat takes no card of a class of which it holds as
many as its cap allows (it is *barred* from those faces), and some classes have *room* for a few.

1. *Seat by seat.* Each seat in turn, those barred from most first, takes uniformly from the faces not barred. That prefers
   assignments in which earlier seats leave little to later ones, so it is accepted with the probability that makes up for it
   (exactly: a number of possible hands, divided by a bound on it), and only if no class has more cards than room.
2. *Counting*, when many such tries were in vain. Seats barred from the same faces are one group. A table of the number of ways
   to place the cards that some groups may take and others not, by the places left in each group, gives uniform assignments;
   again only those in which no class has more cards than room are accepted. Too many groups for the table: more tries of the
   first kind.
3. *Repair*, when all that was in vain. Exchanges of two cards lead from a random assignment to one that agrees, and from there
   by further exchanges towards the uniform distribution. This alone is not exact.

Each of the first two gives uniform assignments or none, so that a sample is exactly uniform unless it needs the third. In random
and in greedy play of the Eights family with up to five players, of 1 000 positions fewer than ten need the second and fewer
than one the third, after one to three tries on average; with eight players and two packs up to three in 1 000 need the third.
"""

from __future__ import annotations

import math

import numpy as np

from eightsenv.bits import U, add64, bit, compiled, hot, lowest, nth, popcount, without_lowest
from eightsenv.game import record_dtype
from eightsenv.rng import bounded, chance_below, chance_uniform, chance_word, mix64
from eightsenv.variants.knowledge import CLASSES, bounded_classes, cap_of, known_place
from eightsenv.variants.shedding import add_card, count_cards, rank_cards, remove_card, suit_cards

FIRST_TRIES, MORE_TRIES = 48, 2_000
WAYS = 1 << 15
"""The largest table of the second stage, in numbers."""
REPAIR_STEPS, MIXING_STEPS = 1 << 20, 16
BY_SEAT, BY_COUNT, BY_REPAIR = 1, 2, 3
"""The stage that gave a sample."""

_DETERMINIZE = U(0x8CB92BA72F3D8DD7)
_ANY = U(0xFFFFFFFFFFFFFFFF)
_INVERSE_FACTORIALS = np.array([1 / math.factorial(k) for k in range(128)])
_WORSE = np.int64(64)  # one of so many exchanges that make things worse is made all the same


def scratch_dtype(seats: int, cards: int) -> np.dtype:
    """Scratch of one thread for :func:`assign`, for so many seats and cards."""
    return record_dtype(
        [
            ("need", "i8", (seats,)),  # hidden cards of each seat
            ("pool", "u8", (2,)),  # planes of all hidden cards
            ("barred", "u8", (seats,)),  # faces of the pool that the seat cannot hold
            ("rooms", "i8", (seats,)),  # classes with room for a few
            ("room_cards", "u8", (seats, CLASSES)),
            ("room", "i8", (seats, CLASSES)),
            ("order", "i8", (seats,)),  # seats with hidden cards, those barred from most first
            ("most_left", "i8", (seats,)),  # by place in the order: a bound on the cards that the seat finds to choose from
            ("held", "u8", (seats, 2)),  # result: planes of the hidden cards of each seat
            ("left", "u8", (2,)),  # result: planes of the rest
            ("groups", "i8"),
            ("group", "i8", (seats,)),  # of each seat; -1: barred from nothing
            ("group_barred", "u8", (seats,)),
            ("places", "i8", (seats,)),  # of each group
            ("stride", "i8", (seats,)),  # of a place of the group in the table
            ("open", "i8", (seats,)),  # places left in each group
            ("group_held", "u8", (seats, 2)),
            ("card", "i1", (cards,)),  # a list of cards
            ("ways", "f8", (WAYS,)),
            ("stage", "i8"),  # result: which stage gave the sample
            ("tries", "i8"),  # result: samples looked at in all stages
        ]
    )


@hot
def reseed(s, seed):
    """Begin a chance stream that depends on ``seed`` (uint64) alone."""
    s.chance = mix64(add64(seed, _DETERMINIZE))


@compiled
def resample(s, n, seat, w):
    """Sample anew all that ``seat``, one of ``n``, cannot know of the hands and the stock of a shedding state.

    The seat knows its own hand, the discard pile in order, how many cards everybody holds, and the record of
    :mod:`eightsenv.variants.knowledge`; after the end all hands, which are shown. The result depends on that and on the chance
    stream alone: places of the array outside both piles are cleared. Returns False when no assignment agrees with the record.
    """
    _gather(s, n, seat, w)
    found = assign(s, w, n)
    _deal_out(s, n, w)
    return found


@compiled
def _gather(s, n, seat, w):
    """Take the hidden cards together, and work out what each seat may hold of them."""
    w.pool[0] = U(0)
    w.pool[1] = U(0)
    for i in range(s.top, s.end):
        if not known_place(s, i):
            add_card(w.pool[:], np.int64(s.stock[i]))
    for other in range(n):
        w.need[other] = 0
        if other != seat and not s.over:
            w.need[other] = count_cards(s.hands[other]) - count_cards(s.known[other])
            add_unknown(w.pool[:], s.hands[other], s.known[other])
    for other in range(n):
        if w.need[other] > 0:
            bound(w, other, s.known[other], s.caps[other])


@compiled
def _deal_out(s, n, w):
    """Put the cards of a sample into the hands and the stock."""
    for other in range(n):
        if w.need[other] > 0:
            for plane in range(2):
                s.hands[other, plane] = s.known[other, plane]
            for plane in range(2):
                _add_cards(s.hands[other], w.held[other, plane])
    lay_stock(s, w)


@hot
def _add_cards(planes, cards):
    """Put one card of each face of a set into a set of two planes."""
    planes[1] |= planes[0] & cards
    planes[0] |= cards


@compiled
def add_unknown(pool, hand, known):
    """Put the cards of a hand that are not known to be there into the pool (all of them planes)."""
    twice = hand[1] & ~known[0]
    _add_cards(pool, twice)
    _add_cards(pool, twice | (hand[0] & ~known[0]) | (hand[1] & ~known[1]))


@compiled
def lay_stock(s, w):
    """Lay ``w.left`` in random order into the places of the stock that are not known, and clear the rest of the array."""
    left = np.int64(0)
    for plane in range(2):
        cards = w.left[plane]
        while cards != U(0):
            w.card[left] = lowest(cards)
            cards = without_lowest(cards)
            left += 1
    for i in range(s.pile_n, s.top):
        s.stock[i] = 0
    for i in range(s.top, s.end):
        if not known_place(s, i):
            k = chance_below(s, left)
            left -= 1
            s.stock[i] = w.card[k]
            w.card[k] = w.card[left]
    for i in range(s.end, s.stock.shape[0]):
        s.stock[i] = 0


@compiled
def assign(s, w, n):
    """Sample the hands of the hidden cards: ``w.held`` of the seats 0 … n-1, and ``w.left``, from the chance stream of ``s``.

    The scratch record ``w`` holds ``need``, ``pool``, and what :func:`bound` made of the caps. Returns False when no
    assignment was found: none agrees with the caps.
    """
    seats = _order(w, n)
    w.tries = 0
    w.stage = BY_SEAT
    for _ in range(FIRST_TRIES):
        w.tries += 1
        if _by_seat(s, w, seats):
            return True
    cards = _count_ways(w, seats)
    w.stage = BY_COUNT if cards >= 0 else BY_SEAT
    for _ in range(MORE_TRIES):
        w.tries += 1
        if _by_count(s, w, seats, cards) if cards >= 0 else _by_seat(s, w, seats):
            return True
    w.stage = BY_REPAIR
    return _by_repair(s, w, seats)


# What the caps leave


@hot
def _class_cards(k):
    """The faces of a class of :mod:`eightsenv.variants.knowledge`."""
    return suit_cards(k) if k < 4 else rank_cards(k - 4)


@hot
def _count_in(planes, faces):
    """How many cards of two planes are of the given faces."""
    return popcount(planes[0] & faces) + popcount(planes[1] & faces)


@compiled
def bound(w, seat, known, caps):
    """Work out from the caps of a seat, and the cards that it is known to hold (planes), what else it may hold of ``w.pool``."""
    barred = U(0)
    rooms = 0
    classes = bounded_classes(caps)
    while classes != U(0):
        k = lowest(classes)
        classes = without_lowest(classes)
        faces = _class_cards(k)
        room = cap_of(caps, k) - _count_in(known, faces)
        if room <= 0:
            barred |= faces
        elif room < w.need[seat] and room < _count_in(w.pool[:], faces):
            w.room_cards[seat, rooms] = faces
            w.room[seat, rooms] = room
            rooms += 1
    w.barred[seat] = barred & w.pool[0]
    w.rooms[seat] = rooms


@compiled
def _fits(w, seat):
    """Whether no class has more cards in the seat's hidden hand than it has room for."""
    fits = True
    for k in range(w.rooms[seat]):
        fits &= _count_in(w.held[seat], w.room_cards[seat, k]) <= w.room[seat, k]
    return fits


# Seat by seat


@compiled
def _order(w, n):
    """Put the seats with hidden cards in order, those barred from most first; returns their number."""
    seats = 0
    for seat in range(n):
        w.held[seat, 0] = U(0)
        w.held[seat, 1] = U(0)
        if w.need[seat] > 0:
            k = seats
            while k > 0 and _count_in(w.pool[:], w.barred[w.order[k - 1]]) < _count_in(w.pool[:], w.barred[seat]):
                w.order[k] = w.order[k - 1]
                k -= 1
            w.order[k] = seat
            seats += 1
    taken = 0
    for k in range(seats):
        # At most so many of the cards taken before this seat are cards that it could not take anyway.
        barred = w.barred[w.order[k]]
        elsewhere = 0
        takers = U(0)
        for j in range(k):
            other = w.order[j]
            elsewhere += min(w.need[other], _count_in(w.pool[:], barred & ~w.barred[other]))
            takers |= barred & ~w.barred[other]
        elsewhere = min(elsewhere, _count_in(w.pool[:], takers))
        w.most_left[k] = _count_in(w.pool[:], ~barred) - taken + elsewhere
        taken += w.need[w.order[k]]
    return seats


@hot
def take(s, planes, faces):
    """Take a uniformly random card of the given faces, of which there are some, out of two planes, and return it."""
    first, second = planes[0] & faces, planes[1] & faces
    once = popcount(first)
    k = chance_below(s, once + popcount(second))
    card = nth(first, k) if k < once else nth(second, k - once)
    remove_card(planes, card)
    return card


@compiled
def _take_many(s, planes, faces, number, hand):
    """Deal so many random cards of the given faces from one pair of planes into another, which is empty before."""
    hand[0] = U(0)
    hand[1] = U(0)
    for _ in range(number):
        add_card(hand, take(s, planes, faces))


@compiled
def _by_seat(s, w, seats):
    """One try of the first stage; False when it is not accepted."""
    w.left[0] = w.pool[0]
    w.left[1] = w.pool[1]
    for k in range(seats):
        seat = w.order[k]
        need = w.need[seat]
        choice = _count_in(w.left[:], ~w.barred[seat])
        most = w.most_left[k]
        if choice < need:
            return False
        if choice < most:
            accepted = 1.0
            for j in range(need):
                accepted *= (choice - j) / (most - j)
            if chance_uniform(s) >= accepted:
                return False
        _take_many(s, w.left[:], ~w.barred[seat], need, w.held[seat])
        if not _fits(w, seat):
            return False
    return True


# Counting


@compiled
def _group(w, seats):
    """Put seats barred from the same faces into groups; returns the size of one layer of the table."""
    w.groups = 0
    for k in range(seats):
        seat = w.order[k]
        w.group[seat] = -1
        if w.barred[seat] == U(0):
            continue
        g = 0
        while g < w.groups and w.group_barred[g] != w.barred[seat]:
            g += 1
        if g == w.groups:
            w.groups += 1
            w.group_barred[g] = w.barred[seat]
            w.places[g] = 0
        w.group[seat] = g
        w.places[g] += w.need[seat]
    size = 1
    for g in range(w.groups):
        w.stride[g] = size
        size *= w.places[g] + 1
        if size > WAYS:
            break
    return size


@hot
def _barred_from_some(w):
    """The faces from which some group is barred."""
    some = U(0)
    for g in range(w.groups):
        some |= w.group_barred[g]
    return some


@compiled
def _count_ways(w, seats):
    """Count the ways to place the cards that some groups may take and others not, listed in ``w.card``.

    ``w.ways`` has a layer for each of these cards: the ways to place it and all later ones by the places left in each group.
    Returns the number of these cards; -1 when the table would be too large.
    """
    size = _group(w, seats)
    some = _barred_from_some(w)
    every = some
    for g in range(w.groups):
        every &= w.group_barred[g]
    cards = 0
    for plane in range(2):
        faces = w.pool[plane] & some & ~every
        while faces != U(0):
            w.card[cards] = lowest(faces)
            faces = without_lowest(faces)
            cards += 1
    if size * (cards + 1) > WAYS:
        return np.int64(-1)
    _last_layer(w, size, cards * size, _count_in(w.pool[:], ~some))
    for c in range(cards - 1, -1, -1):
        _layer(w, size, c * size, bit(np.int64(w.card[c])))
    return cards


@hot
def _next_places(w):
    """Step ``w.open`` to the next row of a layer."""
    g = 0
    while g < w.groups and w.open[g] == w.places[g]:
        w.open[g] = 0
        g += 1
    if g < w.groups:
        w.open[g] += 1


@compiled
def _last_layer(w, size, at, cards):
    """The ways to fill the places left with some of ``cards`` cards that all groups take, but for a common factor."""
    for g in range(w.groups):
        w.open[g] = 0
    for row in range(size):
        rest = cards
        ways = 1.0
        for g in range(w.groups):
            rest -= w.open[g]
            ways *= _INVERSE_FACTORIALS[w.open[g]]
        w.ways[at + row] = ways * _INVERSE_FACTORIALS[rest] if rest >= 0 else 0.0
        _next_places(w)


@compiled
def _layer(w, size, at, face):
    """The ways with a card of this face before those of the next layer: it goes to no group, or to one that takes it."""
    for g in range(w.groups):
        w.open[g] = 0
    for row in range(size):
        ways = w.ways[at + size + row]
        for g in range(w.groups):
            if w.open[g] > 0 and w.group_barred[g] & face == U(0):
                ways += w.ways[at + size + row - w.stride[g]]
        w.ways[at + row] = ways
        _next_places(w)


@compiled
def _by_count(s, w, seats, cards):
    """One try of the second stage; False when a class has more cards than room."""
    row = 0
    size = 1
    for g in range(w.groups):
        w.open[g] = w.places[g]
        row += w.places[g] * w.stride[g]
        size *= w.places[g] + 1
    if w.ways[row] == 0.0:
        return False
    for g in range(w.groups):
        w.group_held[g, 0] = U(0)
        w.group_held[g, 1] = U(0)
    w.left[0] = w.pool[0]
    w.left[1] = w.pool[1]
    for c in range(cards):
        card = np.int64(w.card[c])
        chosen = _choose_group(s, w, (c + 1) * size + row, w.ways[c * size + row], bit(card))
        if chosen >= 0:
            remove_card(w.left[:], card)
            add_card(w.group_held[chosen], card)
            w.open[chosen] -= 1
            row -= w.stride[chosen]
    free = ~_barred_from_some(w)
    for g in range(w.groups):
        for _ in range(w.open[g]):
            add_card(w.group_held[g], take(s, w.left[:], free))
    for k in range(seats):
        seat = w.order[k]
        planes = w.left[:] if w.group[seat] < 0 else w.group_held[w.group[seat]]
        _take_many(s, planes, _ANY, w.need[seat], w.held[seat])
        if not _fits(w, seat):
            return False
    return True


@compiled
def _choose_group(s, w, at, ways, face):
    """The group that takes a card of this face, -1 for none: each as often as ways follow, by the row ``at`` of the next layer."""
    chosen = np.int64(-1)
    left = chance_uniform(s) * ways - w.ways[at]
    if left < 0.0:
        return chosen
    for g in range(w.groups):
        if w.open[g] > 0 and w.group_barred[g] & face == U(0) and w.ways[at - w.stride[g]] > 0.0:
            chosen = np.int64(g)  # also when rounding leaves nothing to choose
            left -= w.ways[at - w.stride[g]]
            if left < 0.0:
                break
    return chosen


# Repair


@compiled
def _excess(w, seat):
    """By how many cards the hidden hand of a seat breaks its caps."""
    over = _count_in(w.held[seat], w.barred[seat])
    for k in range(w.rooms[seat]):
        over += max(0, _count_in(w.held[seat], w.room_cards[seat, k]) - w.room[seat, k])
    return over


@compiled
def _by_repair(s, w, seats):
    """The third stage: exchanges of a random card of a hand with one of another hand or of the rest."""
    w.left[0] = w.pool[0]
    w.left[1] = w.pool[1]
    total = np.int64(0)
    for k in range(seats):
        _take_many(s, w.left[:], _ANY, w.need[w.order[k]], w.held[w.order[k]])
        total += w.need[w.order[k]]
    excess = np.int64(0)
    for k in range(seats):
        excess += _excess(w, w.order[k])
    steps = REPAIR_STEPS
    cards = count_cards(w.pool[:])
    while steps > 0:
        if excess == 0 and steps > MIXING_STEPS * cards:
            steps = MIXING_STEPS * cards
        excess += _exchange(s, w, seats, total, cards, excess == 0)
        steps -= 1
        w.tries += 1
    return excess == 0


@hot
def _holder(w, seats, k, without):
    """The seat that has the k-th hidden card, counting through all seats but ``without``; -1: it is in the rest."""
    for j in range(seats):
        seat = w.order[j]
        if seat != without:
            if k < w.need[seat]:
                return seat
            k -= w.need[seat]
    return np.int64(-1)


@compiled
def _exchange(s, w, seats, total, cards, mixing):
    """Propose one exchange and make or leave it; returns the change of excess. While mixing none is made that adds any."""
    seat = _holder(w, seats, chance_below(s, total), np.int64(-1))
    if cards == w.need[seat]:
        return np.int64(0)
    other = _holder(w, seats, chance_below(s, cards - w.need[seat]), seat)
    mine = w.held[seat]
    theirs = w.left[:] if other < 0 else w.held[other]
    before = _excess(w, seat)
    if other >= 0:
        before += _excess(w, other)
    given = take(s, mine, _ANY)
    taken = take(s, theirs, _ANY)
    add_card(mine, taken)
    add_card(theirs, given)
    after = _excess(w, seat)
    if other >= 0:
        after += _excess(w, other)
    if after > before and (mixing or bounded(chance_word(s) >> U(32), _WORSE) > 0):
        remove_card(mine, taken)
        remove_card(theirs, given)
        add_card(mine, given)
        add_card(theirs, taken)
        return np.int64(0)
    return np.int64(after - before)
