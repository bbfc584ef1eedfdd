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
    public record (:mod:`eightsenv.variants.sampling` says how, and when that is not exact), and in which a seat that must be
    able to play can. Before the deal the whole pack is shuffled; after the end all hands are known. Then the draws of this turn
    by another seat are sampled as far as they matter, among those that the rules allowed with this hand. ``w`` is a
    :data:`SCRATCH` record. Returns False when no assignment satisfies the record.
    """
    reseed(s, seed)
    found = resample(s, r.num_players, seat, w)
    tries = 1
    while found and tries < _TRIES and not _agrees(s, r, seat):
        found = resample(s, r.num_players, seat, w)
        tries += 1
    turn = s.passer if s.phase == DEMAND_PHASE else s.seat
    if turn != seat or s.over:
        _sample_draws(s, r, turn, w)
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
def _sample_draws(s, r, turn, w):
    """Sample which cards the seat whose turn it is has drawn in it, or forget that where it does not matter."""
    drawn = s.drawn
    s.drawn_set = U(0)
    s.drawn_able = 0
    matters = r.play_after_draw == AFTER_DRAWN_ONLY or r.voluntary_draw == VOLUNTARY_ONE
    if s.over or drawn == 0 or not matters or (s.phase != TURN and s.phase != DEMAND_PHASE):
        return
    mover = s.seat
    s.seat = turn
    for _ in range(_TRIES):
        _take_back(s, w, drawn)
        if _draw_again(s, r, w, drawn):
            break
    s.seat = mover


@compiled
def _take_back(s, w, drawn):
    """List random cards of the hand in ``w.card`` as those drawn: hidden ones if there are so many."""
    hand, hidden = s.hands[s.seat], w.left[:]
    for plane in range(2):
        hidden[plane] = w.held[s.seat, plane]
    if count_cards(hidden) < drawn:
        for plane in range(2):
            hidden[plane] = hand[plane]
    for k in range(drawn):
        w.card[k] = take(s, hidden, ~U(0))
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
