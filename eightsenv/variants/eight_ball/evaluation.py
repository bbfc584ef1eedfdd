"""What each card is worth when all hands are known, for search: by the exact solver."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import compiled
from eightsenv.game import record_dtype
from eightsenv.variants.eight_ball import determinize, endgame
from eightsenv.variants.eight_ball.endgame import solve_state
from eightsenv.variants.eight_ball.play import contract_points, partner
from eightsenv.variants.eight_ball.state import NOBODY, PACK_SIZE, PLAY, TRICKS

_FIELDS = determinize.SCRATCH.fields or {}
SCRATCH = record_dtype(
    [
        *((name, field[0]) for name, field in _FIELDS.items() if not name.startswith("padding")),
        ("solver", endgame.SCRATCH),
        ("own", "i1", (PACK_SIZE,)),  # tricks that the seat to move, or its side, takes after each card,
        ("theirs", "i1", (PACK_SIZE,)),  # and that the bidder takes, where that is an opponent of two
    ]
)
"""The scratch record of ``determinize`` and ``evaluate``."""


@compiled
def evaluate(s, r, w, values):
    """Write for each card that may be played what its side then gains above the mean of all others, in points or wins.

    Exact with four players, where side plays against side: points rise with tricks. With fewer it takes what the seat to move
    and the bidder can each force against all others; the tricks left over are shared equally by the rest, the ghost among them.
    Returns False, and writes nothing, where no card is to be played, and where a hand does not tell who wins the match.
    """
    if s.phase != PLAY or (r.win and r.match):
        return False
    seat = s.seat
    bidder = s.bid_seat if s.bid_level > 0 else NOBODY
    apart = r.num_players < 4 and bidder != NOBODY and bidder != seat
    solve_state(s, r, w.solver, seat, w.own[:])
    if apart:
        solve_state(s, r, w.solver, bidder, w.theirs[:])
    for action in range(PACK_SIZE):
        own = np.int64(w.own[action])
        if own >= 0:
            own += _caught(s, r, seat)
            if apart:
                theirs = np.int64(w.theirs[action]) + _caught(s, r, bidder)
                values[action] = _against_bidder(s, r, own, theirs)
            else:
                values[action] = _against_all(s, r, own)
    return True


@compiled
def _caught(s, r, seat):
    """The tricks that a seat, or its side, has won so far."""
    caught = np.int64(s.tricks[seat])
    if r.num_players == 4:
        caught += np.int64(s.tricks[partner(seat)])
    return caught


@compiled
def _against_all(s, r, own):
    """What ``own`` tricks of the seat to move are worth, where it or nobody has bid, or where side plays against side."""
    ours = s.bid_level > 0 and (s.bid_seat == s.seat or (r.num_players == 4 and s.bid_seat == partner(s.seat)))
    mine = np.float64(contract_points(s, r, own) if ours else own)
    rest = np.float64(TRICKS - own)
    if r.num_players < 4:
        rest /= 2.0
    elif s.bid_level > 0 and not ours:
        rest = np.float64(contract_points(s, r, TRICKS - own))
    return _gap(r, mine, rest, rest)


@compiled
def _against_bidder(s, r, own, theirs):
    """The same where an opponent has bid and takes ``theirs``, with two or three players."""
    bid = np.float64(contract_points(s, r, theirs))
    return _gap(r, np.float64(own), bid, np.float64(TRICKS - own - theirs) if r.num_players == 3 else bid)


@compiled
def _gap(r, mine, one, other):
    """The points above the mean of two opponents; for the win of a hand only whether they are the most counts."""
    if r.win == 0:
        return mine - (one + other) / 2.0
    best = max(one, other)
    return 1.0 if mine > best else -1.0 if mine < best else 0.0
