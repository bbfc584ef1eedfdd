"""What is known of hidden cards through swaps, open hands and fumbles.

Nobody is ever forced to discard, so nothing is proved by what a seat does not do; what there is to know is which cards a seat
holds. ``s.known`` has one row (planes of cards) for what everybody knows, row 0, and one for each seat, row 1 + seat. A bit
means that the card, wherever it is held, is known to be held there: where that is need not be kept, it is where the card truly
is. With a second pack plane 0 is about the copy in the hand of the lower seat and plane 1 about the other one; of two copies in
one hand plane 0 says that one is known, and plane 1 that both are. Copies that are known move with a swap.

Where in the zones of a seat a known card lies is told by ``penalty_seen`` (who knows all penalty cards of a seat: for all
others its known cards are no penalty cards) and, for two players, ``sure`` and ``maybe`` (known to be plucked, or held or plucked).
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot
from eightsenv.variants.shedding import add_card, without

_NONE = U(0)


@hot
def everybody(r):
    """All rows of ``known``, as a bit mask."""
    return (np.int64(2) << r.num_players) - 1


@hot
def one_seat(seat):
    """The row of one seat, as a bit mask."""
    return np.int64(2) << seat


@compiled
def below(s, seat):
    """The faces in the hands of lower seats of which this one holds no two copies."""
    faces = U(0)
    for other in range(seat):
        faces |= s.hands[other, 0]
    return faces & ~s.hands[seat, 1]


@compiled
def clear_rows(s, r):
    """Nothing is known of who holds what."""
    for row in range(1 + r.num_players):
        for plane in range(2):
            s.known[row, plane] = U(0)


@compiled
def clear_known(s, r):
    """Nothing is known: a new deal."""
    clear_rows(s, r)
    for seat in range(2):
        for plane in range(2):
            s.sure[seat, plane] = U(0)
            s.maybe[seat, plane] = U(0)
    for seat in range(r.num_players):
        s.penalty_seen[seat] = 0


@compiled
def gain(s, r, seat, card):
    """A card that nobody knows has come into the cards of a seat: its copy in a higher hand becomes the second one."""
    face = bit(card)
    if s.hands[seat, 1] & face != U(0):
        return
    for other in range(seat + 1, r.num_players):
        if s.hands[other, 0] & face != U(0):
            for row in range(1 + r.num_players):
                s.known[row, 1] |= s.known[row, 0] & face
                s.known[row, 0] &= ~face
            return


@compiled
def lose(s, r, seat, card, who):
    """The rows ``who`` know of one copy less at a seat: it is about to be shown and given away, or to be mixed with others."""
    face = bit(card)
    second = r.double == 1 and below(s, seat) & face != U(0)
    for row in range(1 + r.num_players):
        if (who >> row) & 1:
            if not second:
                s.known[row, 0] = (s.known[row, 0] & ~face) | (s.known[row, 1] & face)
            s.known[row, 1] &= ~face


@compiled
def learn(s, r, seat, cards, twice, who):
    """The rows ``who`` know that a seat holds at least these cards (planes)."""
    second = below(s, seat) & cards if r.double else U(0)
    for row in range(1 + r.num_players):
        if (who >> row) & 1:
            s.known[row, 0] |= cards & ~second
            s.known[row, 1] |= twice | second


@hot
def knows(s, r, row, seat):
    """The cards that a row of ``known`` knows at a seat (two planes)."""
    once, twice = s.hands[seat, 0], s.hands[seat, 1]
    if r.double == 0:
        return once & s.known[row, 0], _NONE
    second = below(s, seat)
    return once & ((s.known[row, 0] & ~second) | (s.known[row, 1] & second)), twice & s.known[row, 1]


@compiled
def swap_known(s, r, low, high, given, taken, kept, kept_high):
    """The seat ``low`` is about to give the faces ``given`` to the higher seat ``high`` for ``taken``; the faces ``kept`` stay at
    ``low`` and ``kept_high`` at ``high``. Known copies stay known: only their order among the holders changes."""
    between = U(0)
    for other in range(low + 1, high):
        between |= s.hands[other, 0]
    turned = (given & taken) | ((given | taken) & between)
    parted = (given & kept) | (taken & kept_high)
    joined = (given & kept_high) | (taken & kept)
    for row in range(1 + r.num_players):
        first, second = s.known[row, 0], s.known[row, 1]
        both, some = first & second, first | second
        s.known[row, 0] = (first & ~(turned | parted)) | (second & turned) | (both & parted) | (some & joined)
        s.known[row, 1] = (second & ~(turned | joined)) | (first & turned) | (both & joined)


# Plucked cards: two players, so what is known of one seat's is what the other knows.


@compiled
def tidy_plucked(s, r, seat):
    """After a card of a seat is gone: what is no longer there is no longer known to be."""
    once, twice = knows(s, r, 2 - seat, seat)
    for plane in range(2):
        s.sure[seat, plane] &= s.plucked[seat, plane]
    once, twice = without(once, twice, s.sure[seat, 0], s.sure[seat, 1])
    if s.plucked[seat, 0] == U(0):
        once = U(0)
    s.maybe[seat, 0] &= once
    s.maybe[seat, 1] &= twice & once


@compiled
def learn_not_plucked(s, seat, cards, twice):
    """These cards (planes) are in the hand, so they are not the plucked ones."""
    once, more = without(s.maybe[seat, 0], s.maybe[seat, 1], cards, twice)
    s.maybe[seat, 0] = once
    s.maybe[seat, 1] = more


@compiled
def learn_pluck(s, r, seat, card, in_hand, twice):
    """A card of the hand (planes, before it was taken) lies plucked now: known to be this one if the plucker sees it or knew the
    whole hand; else each card that the plucker knows may be it. The pluck has been made."""
    plucker = 1 - seat
    once, more = knows(s, r, 1 + plucker, seat)
    unknown, _ = without(in_hand, twice, once, more)
    if r.plucker_sees == 1 or unknown == U(0):
        learn(s, r, seat, bit(card), U(0), one_seat(plucker))
        add_card(s.sure[seat], card)
    else:
        once, more = without(once, more, s.sure[seat, 0], s.sure[seat, 1])
        if (int(s.penalty_seen[seat]) >> (1 + plucker)) & 1:
            once, more = without(once, more, s.penalty[seat, 0], s.penalty[seat, 1])
        s.maybe[seat, 0] = once
        s.maybe[seat, 1] = more
