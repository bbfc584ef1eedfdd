"""The high-low layout game in words: action texts, and the state for logs, renderers and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import CARDS, card_text, set_texts
from eightsenv.game import Setting
from eightsenv.variants.high_low.state import Phase
from eightsenv.variants.tables import points

ACTIONS = (*(f"play {card}" for card in CARDS), "pass")


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md).

    Beside the common zones: ``layout``, eight piles, top first; ``pot`` in chips; ``passes`` in succession; ``passed``, the seats
    that have passed in this hand. ``stock`` are the dead cards; nothing is discarded.
    """
    n = setting.num_players
    return {
        "hands": [set_texts(s.hands[seat]) for seat in range(n)],
        "stock": [card_text(card) for card in s.stock[s.top : s.end]],
        "discard": [],
        "layout": layout(s),
        "pot": int(s.pot),
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [points(s.scores[seat]) for seat in range(n)],
        "hand_number": int(s.hand_number),
        "passes": int(s.passes),
        "passed": [seat for seat in range(n) if int(s.passed) >> seat & 1],
    }


def layout(s: np.record) -> list[list[str]]:
    """The eight piles, top first: a card lies on the lowest-numbered slot of its rank (HL-8)."""
    piles = [[card_text(card)] for card in s.layout]
    for card in s.order[: s.laid_n]:
        next(pile for pile in piles if pile[0][0] == card_text(card)[0]).insert(0, card_text(card))
    return piles


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands and the dead cards are numbers of cards."""
    shown = reveal(s, setting)
    shown["hands"] = [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])]
    shown["stock"] = len(shown["stock"])
    return shown


def table(zones: dict[str, Any]) -> dict[str, str]:
    """What lies on the table, for a person who plays: each slot's top card, and how many lie on it."""
    piles = [pile[0] if len(pile) == 1 else f"{pile[0]}({len(pile)})" for pile in zones["layout"]]
    return {
        "layout": " ".join(piles),
        "pot": str(zones["pot"]),
        "dealer": f"agent_{zones['dealer']}",
        "scores": " ".join(map(str, zones["scores"])),
        "passes in a row": str(zones["passes"]),
    }


def dealt(shown: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """Of a deal: all see the layout, each seat its hand."""
    cards = " ".join(pile[-1] for pile in shown["layout"])
    return f", layout {cards}", {seat: " ".join(hand) for seat, hand in enumerate(shown["hands"])}
