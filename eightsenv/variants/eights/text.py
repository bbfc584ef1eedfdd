"""The eights family in words: action texts, and the state for logs, renderers and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import CARDS, SUITS, card_text, set_texts
from eightsenv.game import Setting
from eightsenv.variants.eights.state import CUT, FEWEST_CUT, Phase
from eightsenv.variants.tables import points

_FIXED = (*(f"play {card}" for card in CARDS), "draw", "pass", *(f"suit {suit}" for suit in SUITS))
_ANSWERS = ("demand", "silent")


def first_cut(holdback: bool) -> int:
    """The id of the smallest cut: after all other actions."""
    return len(_FIXED) + (len(_ANSWERS) if holdback else 0)


def actions(holdback: bool, to_cut: int) -> tuple[str, ...]:
    """The texts of all actions by id (ACTIONS.md): those of optional rules follow. ``to_cut``: the cards to cut, or 0."""
    cuts = range(FEWEST_CUT, to_cut - FEWEST_CUT + 1)
    return (*_FIXED, *(_ANSWERS if holdback else ()), *(f"cut {size}" for size in cuts))


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md).

    Beside the common zones: ``suit`` in force; cards ``drawn`` in this turn; cards ``pending`` for an effect; ``direction``;
    the seats ``out``; ``collected``, the second ledger of IT-14; ``buried``, the cards of the stock whose place all know.
    """
    n, out = setting.num_players, int(s.out)
    return {
        "hands": [set_texts(*hand) for hand in s.hands[:n].tolist()],
        "stock": [card_text(card) for card in s.stock[s.top : s.end].tolist()],
        "discard": [card_text(card) for card in s.stock[: s.pile_n][::-1].tolist()],
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [points(score) for score in s.scores[:n].tolist()],
        "hand_number": int(s.hand_number),
        "suit": None if s.phase in (Phase.SUIT, CUT) else SUITS[s.suit],
        "drawn": int(s.drawn),
        "pending": int(s.pending),
        "direction": int(s.direction),
        "out": [seat for seat in range(n) if out >> seat & 1],
        "collected": [points(score) for score in s.collected[:n].tolist()],
        "buried": [] if s.phase == CUT else _buried(s),
    }


def _buried(s: np.record) -> list[list[Any]]:
    """The wild starters that were buried and still lie in the stock: card and place, 0 being the top."""
    places = int(s.known_stock[0]) | int(s.known_stock[1]) << 64
    known = [i for i in range(s.top, s.end) if places >> i & 1] if places else []
    return [[card_text(s.stock[i]), int(i - s.top)] for i in known]


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands and the stock are numbers of cards."""
    shown = reveal(s, setting)
    shown["hands"] = [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])]
    shown["stock"] = len(shown["stock"])
    return shown
