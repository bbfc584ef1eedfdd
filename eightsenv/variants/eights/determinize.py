"""States that agree with what one seat knows, for search: all that the seat cannot know is sampled."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled
from eightsenv.variants.eights.play import can_draw, count_draw_able, fitting, may_draw_able, playable
from eightsenv.variants.eights.state import AFTER_DRAWN_ONLY, CARDS, DEMAND_PHASE, END_ON_FAILED_DRAW, SEATS, TURN, VOLUNTARY_ONE
from eightsenv.variants.sampling import resample, reseed, scratch_dtype, take
from eightsenv.variants.shedding import add_card, count_cards, remove_card

SCRATCH = scratch_dtype(SEATS, CARDS)
_TRIES = 64


@compiled
def determinize(s, r, seat, seed, w):
    """Sample anew all that ``seat`` cannot know, and seed the chance stream with ``seed`` (uint64).

    The hands of the others and the order of the stock are uniform over the assignments of physical cards that satisfy the
    public record (:mod:`eightsenv.variants.sampling` says how, and when that is not exact), less those that a position tells
    to be wrong otherwise: a seat can play that must be able to, and the draws of this turn were allowed, where it still
    matters what was drawn. Before the deal the whole pack is shuffled; after the end all hands are known. ``w`` is a
    :data:`SCRATCH` record. Returns False when no assignment satisfies the record.
    """
    reseed(s, seed)
    turn = int(s.passer) if s.phase == DEMAND_PHASE else s.seat
    drawn = s.drawn
    found = True
    agrees = False
    tries = 0
    while found and not agrees and tries < _TRIES:
        found = resample(s, r.num_players, seat, w)
        agrees = _agrees(s, r, seat) and (turn == seat or _sample_draws(s, r, turn, drawn, w))
        tries += 1
    return found


@compiled
def _agrees(s, r, seat):
    """Whether somebody can play where the game would have ended or gone on otherwise."""
    if s.over or s.phase != TURN or s.top < s.end:
        return True
    if s.seat != seat and (s.must_play == 1 or (r.stock_end == END_ON_FAILED_DRAW and s.drawn < r.draw_limit)):
        return playable(s, r) != U(0)
    if r.block_at_once == 1 and not can_draw(s, r):
        held = U(0)
        for k in range(r.num_players):
            held |= s.hands[k, 0]
        return held & fitting(s, r) != U(0)
    return True


@compiled
def _sample_draws(s, r, turn, drawn, w):
    """Sample which cards the seat whose turn it is has drawn in it; forget that where it does not matter.

    Returns False when no order of draws was found that the rules allowed with this hand.
    """
    s.drawn_set = U(0)
    s.drawn_able = 0
    matters = r.play_after_draw == AFTER_DRAWN_ONLY or r.voluntary_draw == VOLUNTARY_ONE
    if s.over or drawn == 0 or not matters or (s.phase != TURN and s.phase != DEMAND_PHASE):
        return True
    mover = s.seat
    s.seat = turn
    allowed = False
    tries = 0
    while not allowed and tries < _TRIES:
        _take_back(s, w, drawn, 2 * tries < _TRIES)
        allowed = _draw_again(s, r, w, drawn)
        tries += 1
    s.seat = mover
    return allowed


@compiled
def _take_back(s, w, drawn, hidden):
    """List random cards of the hand in ``w.card`` as those drawn: ``hidden`` ones if there are so many."""
    hand, cards = s.hands[s.seat], w.left[:]
    for plane in range(2):
        cards[plane] = w.held[s.seat, plane] if hidden else hand[plane]
    if count_cards(cards) < drawn:
        for plane in range(2):
            cards[plane] = hand[plane]
    for k in range(drawn):
        w.card[k] = take(s, cards, ~U(0))
        remove_card(hand, np.int64(w.card[k]))


@compiled
def _draw_again(s, r, w, drawn):
    """Draw the listed cards one by one; returns whether each draw was allowed."""
    allowed = True
    s.drawn = 0
    s.drawn_able = 0
    s.drawn_set = U(0)
    for k in range(drawn):
        allowed &= playable(s, r) == U(0) or may_draw_able(s, r)
        count_draw_able(s, r)
        card = np.int64(w.card[k])
        add_card(s.hands[s.seat], card)
        s.drawn += 1
        s.drawn_set |= bit(card)
    return allowed
