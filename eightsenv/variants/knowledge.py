"""What everybody knows of hidden cards: a record of holders, and caps on what a seat may hold.

The record ``s`` of a shedding game has, besides the fields of :mod:`eightsenv.variants.shedding`,

- ``caps`` (uint64[P, 2]): for each seat, upper bounds on its cards of each of 17 *classes*: class 0 … 3 are the suits (the
  wild cards of a suit among them), class 4 + rank the ranks (the wild cards are the wild rank's);
- ``known`` (uint64[P, 2], planes as in ``hands``): the faces that the seat is known to hold;
- ``known_stock`` (uint64[2], a set of 128 bits): bit i says that everybody knows the card ``stock[i]`` of the stock.

Caps are bit-sliced counters of four bits: bit k of plane p is bit p of the bound of class k. Word 0 has the planes 0 and 1 in
its low and high half, word 1 the planes 2 and 3, so that all bounds are raised at once. A bound of 15 is none: it stays, and
a bound that is raised to it is no longer kept.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot
from eightsenv.variants.shedding import insert_stock

CLASSES = 17
"""Four suits and thirteen ranks."""
NO_CAP = 15

_EVERY = U((1 << CLASSES) - 1)
_LOW = U(0xFFFFFFFF)
_BOTH = U((1 << CLASSES) - 1 | ((1 << CLASSES) - 1) << 32)


@hot
def suit_class(suit):
    """The set of the one class of a suit."""
    return U(1) << U(suit)


@hot
def rank_class(rank):
    """The set of the one class of a rank."""
    return U(1) << U(4 + rank)


@hot
def clear_caps(caps):
    """Forget all bounds of a seat (uint64[2])."""
    caps[0] = _BOTH
    caps[1] = _BOTH


@hot
def prove_none(caps, classes):
    """The seat holds no card of any of the classes (a set)."""
    kept = ~(classes | classes << U(32))
    caps[0] &= kept
    caps[1] &= kept


@hot
def prove_at_most(caps, classes, most):
    """The seat holds at most ``most`` (0 or 1) cards of each of the classes (a set); lower bounds stay."""
    capped_already = capped(caps, most)
    classes &= ~capped_already
    prove_none(caps, classes)
    if most == 1:
        caps[0] |= classes


@hot
def capped(caps, most):
    """The set of the classes of which the seat holds at most ``most`` (0 or 1) cards for certain."""
    above = caps[1] | caps[1] >> U(32) | caps[0] >> U(32)
    if most == 0:
        above |= caps[0]
    return _EVERY & ~above


@hot
def bounded_classes(caps):
    """The set of the classes that have a bound."""
    low, high = caps[0], caps[1]
    return _EVERY & ~(low & low >> U(32) & high & high >> U(32))


@hot
def caps_draw(caps):
    """The seat has taken a card that nobody else knows: every bound rises by one."""
    low, high = caps[0], caps[1]
    carry = bounded_classes(caps)
    caps[0] = low ^ carry ^ (low & carry) << U(32)
    carry &= low & low >> U(32)
    caps[1] = high ^ carry ^ (high & carry) << U(32)


@hot
def caps_play(caps, card):
    """The seat has shown a card and given it away: the bounds of its suit and rank fall by one."""
    low, high = caps[0], caps[1]
    nothing = ~(low | low >> U(32) | high | high >> U(32))
    borrow = (suit_class(card & 3) | rank_class(card >> 2)) & bounded_classes(caps) & ~nothing
    caps[0] = low ^ borrow ^ (~low & borrow) << U(32)
    borrow &= ~(low | low >> U(32))
    caps[1] = high ^ borrow ^ (~high & borrow) << U(32)


@hot
def cap_of(caps, k):
    """The bound of class ``k``; 15: none."""
    at = U(k)
    low, high = caps[0] >> at, caps[1] >> at
    word = low & U(1) | (low >> U(32) & U(1)) << U(1) | (high & U(1)) << U(2) | (high >> U(32) & U(1)) << U(3)
    return np.int64(word)


@hot
def known_place(s, i):
    """Whether everybody knows the card ``stock[i]``."""
    return (s.known_stock[i >> 6] >> U(i & 63)) & U(1) != U(0)


@hot
def learn_place(s, i):
    """Everybody knows the card ``stock[i]`` from now on."""
    s.known_stock[i >> 6] |= bit(i & 63)


@hot
def forget_place(s, i):
    """``stock[i]`` is no longer a card that everybody knows."""
    s.known_stock[i >> 6] &= ~bit(i & 63)


@compiled
def bury_in_sight(s, index, card):
    """Put a card that has just left the stock back at ``index`` from the top, and everybody knows where it lies."""
    insert_stock(s, index, card)
    # The cards above the place, known ones among them, have moved up by one.
    for i in range(s.top, s.top + index):
        if known_place(s, i + 1):
            learn_place(s, i)
        else:
            forget_place(s, i)
    learn_place(s, s.top + index)
