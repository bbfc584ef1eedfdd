"""The eights family in words: action texts, and the state for logs, renderers and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import CARDS, SUITS, card_text, set_texts
from eightsenv.game import UNIT, Setting
from eightsenv.variants.eights.state import NUM_ACTIONS, Phase

ACTIONS = (*(f"play {card}" for card in CARDS), "draw", "pass", *(f"suit {suit}" for suit in SUITS))
assert len(ACTIONS) == NUM_ACTIONS


def points(units: int) -> int | float:
    """An amount in 1/840 as a number: an int where it is whole."""
    return int(units) // UNIT if units % UNIT == 0 else float(units) / UNIT


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md); ``collected`` is the second ledger of IT-14."""
    n = setting.num_players
    return {
        "hands": [set_texts(*s.hands[seat]) for seat in range(n)],
        "stock": [card_text(card) for card in s.stock[s.top : s.end]],
        "discard": [card_text(card) for card in s.stock[: s.pile_n][::-1]],
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [points(s.scores[seat]) for seat in range(n)],
        "hand_number": int(s.hand_number),
        "suit": None if s.phase == Phase.SUIT else SUITS[s.suit],
        "drawn": int(s.drawn),
        "collected": [points(s.collected[seat]) for seat in range(n)],
    }


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands and the stock are numbers of cards."""
    shown = reveal(s, setting)
    shown["hands"] = [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])]
    shown["stock"] = len(shown["stock"])
    return shown
