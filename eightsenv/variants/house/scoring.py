"""The values of cards, the end of a hand, and the end of the game (RULES.md 8.5 to 8.7)."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, hot, lowest, popcount, without_lowest
from eightsenv.game import UNIT
from eightsenv.variants.house.deal import deal, fill
from eightsenv.variants.house.state import ADD, JOKERS, MULTIPLY, NOBODY, TURN
from eightsenv.variants.matches import best_seats
from eightsenv.variants.shedding import left_of

LIMIT = 100
"""The game is complete when a total has reached it (HR-29)."""

VALUES = np.array([10 if 8 <= c >> 2 <= 11 else 20 if c >> 2 == 12 else c // 4 + 2 for c in range(52)] + [0, 0], np.int64)
"""Points of each card (HR-27); a Joker alone is worth nothing (HR-28)."""
VALUES[36], VALUES[37] = 50, -5


@compiled
def plain_value(once, twice, turned):
    """The points of cards (planes) and of a turned one (-1: none) without regard to Jokers."""
    total = np.int64(0) if turned < 0 else VALUES[turned]
    while once != U(0):
        total += VALUES[lowest(once)]
        once = without_lowest(once)
    while twice != U(0):
        total += VALUES[lowest(twice)]
        twice = without_lowest(twice)
    return total


@compiled
def joker_factor(r, once, twice, turned):
    """What the Jokers among cards multiply the others by (HR-28)."""
    jokers = popcount(once & JOKERS) + popcount(twice & JOKERS)
    if turned >= 52:
        jokers += 1
    if jokers == 0:
        return np.int64(1)
    if r.joker_stack == MULTIPLY:
        return np.int64(1) << jokers
    return 1 + jokers if r.joker_stack == ADD else np.int64(2)


@compiled
def hand_value(s, r, seat):
    """The points of all cards that a seat holds, doubled by Jokers."""
    once, twice = s.hands[seat, 0], s.hands[seat, 1]
    return plain_value(once, twice, NOBODY) * joker_factor(r, once, twice, NOBODY)


@compiled
def end_hand(s, r, gain):
    """Settle the hand that has ended, then deal the next one or end the episode. Returns whether it was scored.

    A blocked hand is dealt again by the same dealer if the rules say so, and always in sudden death.
    """
    if s.winner == NOBODY and (r.redeal == 1 or s.sudden == 1):
        s.redeals += 1
        fill(s, r)
        deal(s, r, np.int64(0))
        return False
    _write_ledger(s, r)
    if s.sudden == 0:
        if r.chips:
            _settle_chips(s, r)
        else:
            _settle_points(s, r)
    if s.hand_number == 0:
        _appoint_scorekeeper(s, r)
    for seat in range(r.num_players):
        s.last_payoff[seat] = (np.int64(s.scores[seat]) - np.int64(s.last_before[seat])) * (UNIT if r.chips else -UNIT)
        gain[seat] += s.last_payoff[seat]
    if r.match == 1 and not _game_is_over(s, r):
        s.dealer = left_of(s.dealer, r.num_players)
        s.hand_number += 1
        fill(s, r)
        deal(s, r, np.int64(0))
    else:
        s.over = 1
        s.phase = TURN  # nobody is asked any more
        s.depth = 0
    return True


@compiled
def _write_ledger(s, r):
    """Record what the totals can be recomputed from (HR-3)."""
    s.scored = 1
    s.last_turned = s.turned
    s.last_winner = s.winner
    s.last_sudden = s.sudden
    for seat in range(r.num_players):
        for plane in range(2):
            s.last_hands[seat, plane] = s.hands[seat, plane]
        s.last_before[seat] = s.scores[seat]
        s.last_grabbed[seat] = s.grabbed[seat]
        s.last_lent[seat] = s.lent[seat]
        s.lent[seat] = 0


@compiled
def _settle_points(s, r):
    """Everybody but the winner adds the cards held (HR-26), with the rule of 99 (HR-32, HR-33), and the cards grabbed (HR-77)."""
    for seat in range(r.num_players):
        total = np.int64(s.scores[seat]) + np.int64(s.grabbed[seat])
        if seat != s.winner:
            plain, full = _worth(s, r, seat)
            if plain != full and total + plain < LIMIT and total + full >= LIMIT:
                total = np.int64(LIMIT - 1)
            else:
                total += full
        s.scores[seat] = total


@hot
def _worth(s, r, seat):
    """The points of a hand at its end without and with Jokers, the card turned for all (HR-23) among them."""
    once, twice, turned = s.hands[seat, 0], s.hands[seat, 1], np.int64(s.turned)
    plain = plain_value(once, twice, turned)
    return plain, plain * joker_factor(r, once, twice, turned)


@compiled
def _settle_chips(s, r):
    """The winner collects the value of each other hand (HR-35), as far as chips go when only a Joker makes it more (HR-37);
    an uncovered loss ends the game (HR-36). Of a blocked hand nothing is paid."""
    winner = np.int64(s.winner)
    if winner == NOBODY:
        return
    seat = winner
    for _ in range(r.num_players - 1):
        seat = left_of(seat, r.num_players)
        plain, full = _worth(s, r, seat)
        held = np.int64(s.scores[seat])
        paid = full + np.int64(s.grabbed[seat])
        if held < plain + np.int64(s.grabbed[seat]):
            s.bankrupt = 1
            paid = min(paid, max(held, 0)) if r.capped else paid
        elif paid > held:
            paid = held
        s.scores[seat] -= paid
        s.scores[winner] += paid
    if s.scores[winner] < 0:
        s.bankrupt = 1


@compiled
def _appoint_scorekeeper(s, r):
    """After the first hand the highest total keeps the score; of equals the first from the dealer's left (HR-2)."""
    seat = left_of(s.dealer, r.num_players)
    s.scorekeeper = seat
    for _ in range(r.num_players - 1):
        seat = left_of(seat, r.num_players)
        if s.scores[seat] > s.scores[s.scorekeeper]:
            s.scorekeeper = seat


@compiled
def _game_is_over(s, r):
    """Whether the game is complete and has one winner (HR-29 to HR-31, HR-36); a shared best total brings a sudden-death hand."""
    if s.sudden:
        return True
    complete = s.bankrupt == 1
    if r.chips == 0:
        for seat in range(r.num_players):
            complete |= s.scores[seat] >= LIMIT or (r.end_on_negative == 1 and s.scores[seat] < 0)
    if complete:
        best = best_seats(s.scores[:], r.num_players, np.int64(1) if r.chips else np.int64(-1))
        if best & (best - 1) == 0:
            return True
        s.sudden = 1
    return False


@compiled
def winners(s, r):
    """The winning seats as a bit mask, after the end: who went out in sudden death (HR-31), the best total of a game, the best
    payoff of one hand (AMB-G-1)."""
    if s.sudden:
        return np.int64(1) << np.int64(s.winner)
    if r.match:
        return best_seats(s.scores[:], r.num_players, np.int64(1) if r.chips else np.int64(-1))
    return best_seats(s.last_payoff[:], r.num_players, np.int64(1))
