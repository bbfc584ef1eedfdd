"""The rules of Speculation, in the order of the rule book: dealer, deal, sale, facing, the pot."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, nth, popcount
from eightsenv.game import UNIT
from eightsenv.rng import chance_below
from eightsenv.variants import chips
from eightsenv.variants.chips import collect_antes, end_hand
from eightsenv.variants.shedding import lay_pack, left_of, shuffle_stock, take_top
from eightsenv.variants.speculation.state import ANY_HOLDER, BID, NOBODY, PACKET, SELL, TAKE

JACK, KING, ACE = 9, 11, 12
_PACK = U((1 << 52) - 1)
_ALL = ~U(0)
_NONE = np.int64(-1)
_WHOLE = np.arange(52, dtype=np.int8)


# The dealer and the deal


@compiled
def fill(s, r):
    """The pack of SP-1."""
    lay_pack(s, _WHOLE, np.int64(52))


@compiled
def choose_dealer(s, r):
    """The first dealer: a given seat, a random one, or by cutting (SP-4)."""
    if r.first_dealer >= 0:
        s.dealer = r.first_dealer
    elif r.first_dealer == chips.RANDOM_DEALER:
        s.dealer = chance_below(s, r.num_players)
    else:
        s.dealer = _cut(s, r)


@compiled
def _cut(s, r):
    """Each seat cuts a card of one pack; the lowest deals, the ace being low; those who tie cut again (SP-4)."""
    cutting = (1 << r.num_players) - 1
    while cutting & (cutting - 1) != 0:
        pack = _PACK
        lowest_rank = np.int64(13)
        tied = 0
        for seat in range(r.num_players):
            if (cutting >> seat) & 1:
                card = nth(pack, chance_below(s, popcount(pack)))
                pack &= ~bit(card)
                rank = ((card >> 2) + 1) % 13
                if rank < lowest_rank:
                    lowest_rank = rank
                    tied = 0
                if rank == lowest_rank:
                    tied |= 1 << seat
        cutting = tied
    return popcount(U(cutting - 1))


@compiled
def deal(s, r, fixed):
    """Three cards each from the dealer's left; the next is turned, is trump and the dealer's (SP-3, SP-5 … SP-8, SP-10).

    The card dealt last to a seat lies on top of its packet.
    """
    n = r.num_players
    shuffle_stock(s, fixed)
    collect_antes(s, r)
    _keep_order(s, r)
    seat = s.dealer
    for place in range(PACKET - 1, -1, -1):
        for _ in range(n):
            seat = left_of(seat, n)
            s.packets[seat, place] = take_top(s)
    for seat in range(n):
        s.unfaced[seat] = PACKET
        s.faced[seat] = U(0)
        note_balance(s, r, np.int64(seat), np.int64(0))
    s.turn_up = take_top(s)
    s.seen = bit(s.turn_up)
    s.trumps_seen = bit(s.turn_up >> 2)
    s.best = s.turn_up
    s.owner = s.dealer
    s.bought = 0
    s.facer = _NONE
    s.looked = 1 if r.look_on_court and is_court(s.turn_up) else 0
    _clear_bids(s, r)
    _offer(s, r)
    if s.turn_up >> 2 == ACE:
        s.phase = TAKE
        s.seat = s.dealer


@compiled
def _keep_order(s, r):
    """Remember for the log what was faced in the hand before: its last cards fall in the step that deals anew."""
    if r.unseen == 0:
        for k in range(s.facings):
            s.last_order[k] = s.order[k]
        for seat in range(r.num_players):
            s.last_faced[seat] = s.faced[seat]
        s.last_facings = s.facings
    s.facings = 0


@hot
def is_court(card):
    """Whether it is a king, queen or jack."""
    return card >> 2 >= JACK and card >> 2 <= KING


# Decisions


@hot
def _span(low, high, k):
    """The elements low … high of a bit string, in its word ``k``."""
    low = max(low - 64 * k, 0)
    high = min(high - 64 * k, 63)
    return (_ALL >> U(63 - high)) & (_ALL << U(low)) if low <= high else U(0)


@hot
def legal(s, r, words):
    """Bids above the best so far (any, in a sealed sale) or 0; then the owner accepts or keeps; with an ace the dealer keeps."""
    if s.phase == BID:
        least = 1 if r.sealed else s.best_bid + 1
        for k in range(r.words):
            words[k] = _span(least, r.max_bid, k)
        words[0] |= U(1)
    else:
        least = r.max_bid + 1 if s.phase == SELL else r.max_bid + 2
        for k in range(r.words):
            words[k] = _span(least, r.max_bid + 2, k)


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one legal action. Returns True when it ended a hand, after adding the payoffs to ``gain``."""
    s.decisions += 1
    ended = False
    if s.phase == TAKE:
        ended = True
    elif s.phase == SELL or _bid(s, r, action):
        if action == r.max_bid + 1:
            _sell(s, r)
        _clear_bids(s, r)
        ended = _after_sale(s, r)
    if not ended:
        return False
    for seat in range(r.num_players):
        s.last_payoff[seat] = s.balance[seat] * UNIT
    s.last_payoff[s.owner] += s.pot * UNIT  # SP-14, SP-7
    if end_hand(s, r, gain):
        fill(s, r)
        deal(s, r, np.int64(0))
    return True


# The sale


@compiled
def _offer(s, r):
    """The best trump is offered for sale: each other seat will bid, from the owner's left on (SALE)."""
    s.phase = BID
    s.seat = left_of(s.owner, r.num_players)


@hot
def _clear_bids(s, r):
    """Nobody has bid yet, or the sale is over."""
    s.best_bid = 0
    s.bidder = _NONE
    for seat in range(r.num_players):
        s.bids[seat] = -1


@hot
def _bid(s, r, amount):
    """A bid, or 0. Returns whether the sale is over because nobody has bid; a positive best bid is put to the owner.

    Of sealed bids only the best one is opened then; the earliest of equal ones is best.
    """
    s.bids[s.seat] = amount
    if amount > s.best_bid:
        s.best_bid = amount
        s.bidder = s.seat
    s.seat = left_of(s.seat, r.num_players)
    if s.seat != s.owner:
        return False
    if s.best_bid == 0:
        return True
    s.phase = SELL
    if r.sealed:
        for seat in range(r.num_players):
            if seat != s.bidder:
                s.bids[seat] = -1
    return False


@hot
def _sell(s, r):
    """The card passes to the bidder and the price to the owner (SP-8)."""
    note_balance(s, r, s.bidder, s.balance[s.bidder] - s.best_bid)
    note_balance(s, r, s.owner, s.balance[s.owner] + s.best_bid)
    s.owner = s.bidder
    s.bought = 1


@compiled
def note_balance(s, r, seat, chips):
    """What a seat has received less paid in this hand, and the same as the thermometer of an observation."""
    level = 0
    while level < r.balance_bins_of_sales.shape[0] and chips >= r.balance_bins_of_sales[level]:
        level += 1
    s.balance[seat] = chips
    s.balance_shown[seat] = bit(level) - U(1)


@hot
def _after_sale(s, r):
    """Sold or not: a court card turned up is followed by all hands together (SP-9), others by facing in turn (SP-11, SP-13).

    Returns whether the hand has ended.
    """
    if s.best >> 2 == ACE:
        return True
    if faces_all(s, r):
        _face_all(s, r)
        return True
    if s.facer < 0:
        return _face_on(s, r, left_of(s.dealer, r.num_players))
    return _face_on(s, r, left_of(s.owner if r.resume_at_owner else s.facer, r.num_players))


# Facing


@hot
def faces_all(s, r):
    """Whether all hands are faced together after the sale of the best trump (SP-9, AMB-SP-6)."""
    return is_court(s.best) and (s.facer < 0 or r.later_court_faces_all == 1)


@hot
def is_exempt(r, bought):
    """Whether the owner of the best trump faces nothing until it is beaten, ``bought`` or not (SP-12, AMB-SP-3)."""
    return r.holder_exempt == ANY_HOLDER or (r.holder_exempt != NOBODY and bought == 1)


@hot
def _face(s, seat):
    """Face the top card of a packet; returns whether it is a better trump, which is then its facer's (SP-13)."""
    card = np.int64(s.packets[seat, PACKET - s.unfaced[seat]])
    s.unfaced[seat] -= 1
    s.faced[seat] |= bit(card)
    s.seen |= bit(card)
    s.order[s.facings] = card
    s.facings += 1
    if card & 3 != s.best & 3:
        return False
    s.trumps_seen |= bit(card >> 2)
    if card < s.best:
        return False
    s.best = card
    s.owner = seat
    s.bought = 0
    s.facer = seat
    return True


@compiled
def _face_on(s, r, seat):
    """Face cards in turn from ``seat`` on, until a better trump shows or all are faced (SP-11 … SP-14).

    Returns whether the hand has ended: all are faced, or it is the ace (``ace_midplay``).
    """
    n = r.num_players
    skipped = 0
    while skipped < n:
        if s.unfaced[seat] == 0 or (seat == s.owner and is_exempt(r, s.bought)):
            skipped += 1
        else:
            skipped = 0
            if _face(s, seat):
                if s.best >> 2 == ACE and r.offer_ace == 0:
                    return True
                _offer(s, r)
                return False
        seat = left_of(seat, n)
    _show_rest(s)
    return True


@compiled
def _show_rest(s):
    """What an exempt owner has left is shown at the end and changes nothing (AMB-SP-14)."""
    owner = s.owner
    best = s.best
    bought = s.bought
    facer = s.facer
    while s.unfaced[owner] > 0:
        _face(s, owner)
    s.best = best
    s.bought = bought
    s.facer = facer


@compiled
def _face_all(s, r):
    """All hands are faced together; the top trump is its holder's (SP-9)."""
    seat = s.dealer
    for _ in range(r.num_players):
        seat = left_of(seat, r.num_players)
        while s.unfaced[seat] > 0:
            _face(s, seat)
