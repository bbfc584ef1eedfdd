"""What the shedding games share: hands, stock and discard pile of a state record.

The record ``s`` has ``hands`` (uint64[P, 2]: plane 0 held at least once, plane 1 held twice, so that equal hands are
equal bytes) and ``stock`` (int8[N]) for both piles: the stock is ``stock[top:end]``, top first, and the discard pile
``stock[:pile_n]``, top last: there is always room, since its cards have left the stock. ``pile_set`` (uint64[2]) has the
planes of the discard pile.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, popcount
from eightsenv.rng import bounded, chance_word

_SUIT = U(0x1111111111111)
_RANK = U(0xF)


@hot
def suit_cards(suit):
    """The set of the 13 cards of a suit."""
    return _SUIT << U(suit)


@hot
def rank_cards(rank):
    """The set of the 4 cards of a rank."""
    return _RANK << U(4 * rank)


@hot
def left_of(seat, n):
    """The next seat clockwise (G-2)."""
    return seat + 1 if seat + 1 < n else 0


@hot
def beside(seat, direction, n):
    """The next seat in the direction of play: 1 clockwise, -1 the other way round."""
    seat += direction
    if seat == n:
        return np.int64(0)
    return seat if seat >= 0 else n - 1


@hot
def add_card(planes, card):
    """Put a card into a set of two planes (uint64[2])."""
    b = bit(card)
    planes[1] |= planes[0] & b
    planes[0] |= b


@hot
def remove_card(planes, card):
    """Take one copy of a card that is there out of a set of two planes (uint64[2])."""
    b = bit(card)
    planes[0] &= ~b | planes[1]
    planes[1] &= ~b


@hot
def count_cards(planes):
    """The number of cards in a set of two planes (uint64[2])."""
    return popcount(planes[0]) + popcount(planes[1])


@hot
def without(cards, twice, less, less_twice):
    """The planes of a set of cards less some of its own: all of them planes."""
    return (cards & ~less) | (twice & ~less_twice), twice & ~less


@hot
def stock_size(s):
    return s.end - s.top


@compiled
def lay_pack(s, pack, size):
    """Lay the first ``size`` cards of ``pack`` (int8[:]) into the stock."""
    for k in range(size):
        s.stock[k] = pack[k]
    s.top = 0
    s.end = size


@compiled
def fill_stock(s, pack, size):
    """The same in a game with a discard pile, which is empty."""
    lay_pack(s, pack, size)
    s.pile_n = 0


@compiled
def shuffle_stock(s, fixed):
    """Shuffle the stock uniformly (Fisher-Yates, chance stream), all but its first ``fixed`` cards."""
    stock = s.stock
    end = s.end
    first = s.top + fixed
    word = U(0)
    for i in range(first, end - 1):
        # Two places from each word: half the cost of a deal.
        word = word >> U(32) if (i - first) & 1 else chance_word(s)
        j = i + bounded(word & U(0xFFFFFFFF), end - i)
        card = stock[i]
        stock[i] = stock[j]
        stock[j] = card


@hot
def take_top(s):
    """Remove the top card of a stock that has one, and return it."""
    card = np.int64(s.stock[s.top])
    s.top += 1
    return card


@compiled
def insert_stock(s, index, card):
    """Put a card that has just left the stock back at ``index`` from the top (0 … size)."""
    top = s.top - 1
    for i in range(top, top + index):
        s.stock[i] = s.stock[i + 1]
    s.stock[top + index] = card
    s.top = top


@compiled
def middle_of_stock(s, rank):
    """The place in the stock (0: the top) for a card of a rank that is buried in its middle (AMB-G-2)."""
    plain = 0
    while s.stock[s.top + plain] >> 2 == rank:
        plain += 1
    # With cards of this rank alone above the middle, turning and burying would go on for ever.
    return max(stock_size(s) // 2, plain + 1)


@hot
def discard(s, card):
    """Put a card on the discard pile."""
    s.stock[s.pile_n] = card
    s.pile_n += 1
    add_card(s.pile_set[:], card)  # sliced: one signature for hands and pile


@compiled
def reshuffle(s):
    """Shuffle all discards but the top one into a new stock; the stock was empty."""
    card = np.int64(s.stock[s.pile_n - 1])
    size = s.pile_n - 1
    s.top = 0
    s.end = size
    shuffle_stock(s, np.int64(0))
    # The new stock moves to the end of the array: the cards that are in hands now must all find room on the pile before it.
    s.end = s.stock.shape[0]
    s.top = s.end - size
    for i in range(size - 1, -1, -1):
        s.stock[s.top + i] = s.stock[i]
    s.pile_n = 0
    s.pile_set[0] = U(0)
    s.pile_set[1] = U(0)
    discard(s, card)
