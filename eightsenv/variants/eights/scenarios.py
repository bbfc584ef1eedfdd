"""Wrong deals and how they are put right (RE-26, RE-26b): changes of a paused game that are no decisions.

Both are accepted from the deal to the first turn of a hand: until then nothing but a cut, a starter's suit and the draws of
seats that are short of cards may have been decided (AMB-RE-15).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eightsenv.bits import U
from eightsenv.cards import card_id, set_texts
from eightsenv.rng import chance_below
from eightsenv.variants.eights.play import begin_play, take
from eightsenv.variants.eights.public import note, note_known
from eightsenv.variants.eights.state import CUT, DEMAND_PHASE
from eightsenv.variants.shedding import count_cards, insert_stock, remove_card, stock_size


def misdeal(s: np.record, r: np.record, *, seat: int, k: int) -> None:
    """A seat was dealt ``k`` cards too many (the top cards of the stock), or ``-k`` too few.

    Too many: any other seat may :func:`reclaim` them before the first turn (RE-26). Too few: ``-k`` cards of the hand, taken
    blindly, lie on top of the stock again, and before anything else the seat draws as many, one ``draw`` for each (RE-26b); its
    mask and the view say so.
    """
    _require_no_turn(s, r)
    seat = _seat("seat", seat, r)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k == 0:
        raise ValueError(f"k is how many cards too many (or, below 0, too few) were dealt: an int but 0, not {k!r}")
    if s.misdealt[seat]:
        raise ValueError(f"the deal of seat {seat} is wrong already: it must be put right first")
    if k > 0:
        left = stock_size(s) - sum(max(0, -int(short)) for short in s.misdealt)
        if k >= left:
            raise ValueError(f"a card must stay in the stock: k is at most {left - 1}, not {k}")
        to_move, s.seat = int(s.seat), seat
        for _ in range(k):
            take(s, r)
        s.seat = to_move
        s.misdealt[seat] = k
        return
    size = count_cards(s.hands[seat])
    if -k >= size:
        raise ValueError(f"a card must stay in the hand of {size}: k is at least {1 - size}, not {k}")
    for card in _blindly(s, seat)[:-k]:
        remove_card(s.hands[seat], np.int64(card))
        s.top -= 1
        s.stock[s.top] = card
    s.misdealt[seat] = k
    _forget(s, r, seat)
    begin_play(s, r)


def reclaim(s: np.record, r: np.record, *, by: int, frm: int, idx: Sequence[int]) -> None:
    """Seat ``by`` draws cards dealt too many from the hand of seat ``frm``, unseen, and restores them to the pack (RE-26).

    ``idx`` are places in the hand, which lies in random order; the cards go where ``excess_to`` says (AMB-RE-15).
    """
    _require_no_turn(s, r)
    by, frm = _seat("by", by, r), _seat("frm", frm, r)
    excess, size = max(0, int(s.misdealt[frm])), count_cards(s.hands[frm])
    if by == frm:
        raise ValueError(f"another seat reclaims the cards of seat {frm}: by is not {by}")
    if excess == 0:
        raise ValueError(f"seat {frm} has no card too many")
    places = list(idx) if isinstance(idx, (Sequence, np.ndarray)) and not isinstance(idx, str) else []
    whole = all(isinstance(place, (int, np.integer)) and not isinstance(place, bool) and 0 <= place < size for place in places)
    if not whole or not 1 <= len(places) <= excess or len(set(places)) < len(places):
        raise ValueError(f"idx is a list of 1 to {excess} different places from 0 to {size - 1}, not {idx!r}")
    hand = _blindly(s, frm)
    for place in places:
        _restore(s, r, frm, hand[place])
    s.misdealt[frm] = excess - len(places)
    _forget(s, r, frm)


def _restore(s: np.record, r: np.record, seat: int, card: int) -> None:
    """Put a card of a hand back into the stock. What was known of places that shift unseen is forgotten."""
    remove_card(s.hands[seat], np.int64(card))
    size = stock_size(s)
    if r.excess_to_bottom:
        places = int(s.known_stock[0]) | int(s.known_stock[1]) << 64
        for k in range(2):  # all other cards move up by one
            s.known_stock[k] = U(places >> 1 + 64 * k & (1 << 64) - 1)
        insert_stock(s, np.int64(size), np.int64(card))
    else:
        s.known_stock[:] = 0
        insert_stock(s, chance_below(s, np.int64(size + 1)), np.int64(card))


def _forget(s: np.record, r: np.record, seat: int) -> None:
    """Cards have left the hand unseen: none is known to be there any more."""
    s.known[seat] = 0
    note_known(s, r, np.int64(seat))
    note(s, np.int64(seat))


def _blindly(s: np.record, seat: int) -> list[int]:
    """The cards of a hand in uniformly random order (chance stream)."""
    cards = [card_id(text) for text in set_texts(*s.hands[seat])]
    return [cards.pop(int(chance_below(s, np.int64(len(cards))))) for _ in range(len(cards))]


def _require_no_turn(s: np.record, r: np.record) -> None:
    """Raise ``ValueError`` unless the hand is dealt and no turn of it was begun."""
    if s.phase == CUT:
        raise ValueError("nothing is dealt yet: the pack is to be cut first")
    dealt = all(count_cards(s.hands[seat]) == int(r.hand_size) + int(s.misdealt[seat]) for seat in range(int(r.num_players)))
    if s.over or s.phase == DEMAND_PHASE or s.pile_n != 1 or s.reshuffled or not dealt:
        raise ValueError("a wrong deal is put right before the first turn only")


def _seat(name: str, seat: Any, r: np.record) -> int:
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < r.num_players:
        raise ValueError(f"{name} is a seat from 0 to {r.num_players - 1}, not {seat!r}")
    return int(seat)


SCENARIOS = {"misdeal": misdeal, "reclaim": reclaim}
"""The scenario calls of the family (RULES.md, A-3)."""
