"""States that agree with what one seat knows, for search: all that the seat cannot know is sampled."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, lowest, popcount, without_lowest
from eightsenv.rng import chance_below
from eightsenv.variants.eight_ball.state import GHOST, NOBODY, PACK_SIZE, SEATS
from eightsenv.variants.eight_ball.trumps import PACK
from eightsenv.variants.sampling import assign, reseed, scratch_dtype

SCRATCH = scratch_dtype(SEATS, PACK_SIZE)
_TRIES = 1_000


@compiled
def determinize(s, r, seat, seed, w):
    """Sample anew all that ``seat`` cannot know, and seed the chance stream with ``seed`` (uint64).

    Uniform over the assignments of the unseen cards to the hands and discards of the others, the ghost's packet and the hidden
    cards in which nobody has a card that it has shown not to hold by not following (nor the ghost, where it follows if it can),
    and the flip that a seat took is in its hand or among its discards. Exact: samples that break the last condition are drawn
    again, fewer than ten on average.
    ``w`` is a :data:`SCRATCH` record. Returns False when no assignment was found.
    """
    reseed(s, seed)
    _gather(s, r, seat, w)
    hidden_flip = w.pool[0] & bit(s.taken) if s.taken != NOBODY else U(0)
    players = max(r.num_players, GHOST + 1)  # with the ghost
    for _ in range(_TRIES):
        if not assign(s, w, players):
            return False
        if _lay_rest(s, seat, w, hidden_flip):
            for other in range(r.num_players):
                if other != seat:
                    s.hands[other] = w.held[other, 0]
            if r.num_players == 2:
                _lay_packet(s, w)
            return True
    return False


@compiled
def _gather(s, r, seat, w):
    """Take the unseen cards together, and note what each hand cannot hold."""
    pool = PACK & ~(s.hands[seat] | s.thrown[seat] | s.seen)
    for k in range(s.trick_n):
        pool &= ~bit(np.int64(s.trick_cards[k]))
    for k in range(s.dead_n):
        pool &= ~bit(np.int64(s.dead[k]))
    if s.flip_up:
        pool &= ~bit(s.flip)
    w.pool[0] = pool
    w.pool[1] = U(0)
    for other in range(SEATS):
        w.need[other] = popcount(s.hands[other]) if other != seat else 0
        if r.num_players == 2 and other == GHOST:
            w.need[other] = popcount(s.ghost_left)
        w.barred[other] = s.barred[other] & pool
        if s.taken != NOBODY and other != s.taker:
            w.barred[other] |= bit(s.taken) & pool
        w.rooms[other] = 0
    for k in range(s.top):  # where dealt cards lay
        s.stock[k] = 0


@compiled
def _lay_rest(s, seat, w, hidden_flip):
    """Lay what no hand got in random order into the others' discards and the hidden cards.

    Returns whether a hidden flip is where it can be: in the hand or among the discards of who took it.
    """
    left = _list(w, w.left[0])
    for other in range(SEATS):
        if other != seat:
            s.thrown[other] = U(0)
    for k in range(s.discards_n):
        owner = np.int64(s.discarders[k])
        if owner != seat:
            s.discards[k] = _take(s, w, left)
            left -= 1
            s.thrown[owner] |= bit(np.int64(s.discards[k]))
    for k in range(s.top, s.end):
        s.stock[k] = _take(s, w, left)
        left -= 1
    return hidden_flip == U(0) or (w.held[s.taker, 0] | s.thrown[s.taker]) & hidden_flip != U(0)


@compiled
def _lay_packet(s, w):
    """Lay the ghost's cards in random order."""
    left = _list(w, w.held[GHOST, 0])
    for k in range(left):
        s.ghost[k] = _take(s, w, left - k)


@compiled
def _list(w, cards):
    """List the cards of a set in ``w.card``; returns how many they are."""
    left = np.int64(0)
    while cards != U(0):
        w.card[left] = lowest(cards)
        cards = without_lowest(cards)
        left += 1
    return left


@compiled
def _take(s, w, left):
    """A random one of the first ``left`` cards of the list; the last takes its place."""
    k = chance_below(s, left)
    card = np.int64(w.card[k])
    w.card[k] = w.card[left - 1]
    return card
