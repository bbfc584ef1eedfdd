"""Speculation in words: the state for logs, renderers and tests, and what a log tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import card_text, set_texts
from eightsenv.game import Setting
from eightsenv.variants.speculation.state import BID, PACKET, Phase
from eightsenv.variants.tables import points


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md).

    Beside the common zones: ``packets``, the unfaced cards of each seat, top first; ``faced`` cards by seat; ``turn_up``;
    ``trump``, the best trump and its owner; whether it was ``bought``; ``bids`` of this sale by seat (None: not yet);
    ``balance`` of each seat in the sales of this hand; ``looked``, whether everybody has seen the own cards; ``pot`` in chips;
    ``facings``, each card faced in this hand with its seat, in order; ``last_facings``, those of the hand before. ``hands`` are the
    cards dealt to each seat; nothing is discarded.
    """
    n = setting.num_players
    packets = [[card_text(card) for card in s.packets[seat]] for seat in range(n)]
    return {
        "hands": packets,
        "stock": [card_text(card) for card in s.stock[s.top : s.end]],
        "discard": [],
        "packets": [packets[seat][PACKET - s.unfaced[seat] :] for seat in range(n)],
        "faced": [packets[seat][: PACKET - s.unfaced[seat]] for seat in range(n)],
        "turn_up": card_text(s.turn_up),
        "trump": [card_text(s.best), int(s.owner)],
        "bought": bool(s.bought),
        "bids": [int(s.bids[seat]) if s.bids[seat] >= 0 else None for seat in range(n)],
        "balance": [int(s.balance[seat]) for seat in range(n)],
        "looked": bool(s.looked),
        "pot": int(s.pot),
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [points(s.scores[seat]) for seat in range(n)],
        "hand_number": int(s.hand_number),
        "facings": _in_order(s.order[: s.facings], s.faced),
        "last_facings": _in_order(s.last_order[: s.last_facings], s.last_faced),
    }


def _in_order(order: np.ndarray, faced: np.ndarray) -> list[list[Any]]:
    """Cards with the seats that have faced them."""
    seats = {card: seat for seat, cards in enumerate(faced) for card in set_texts(cards)}
    return [[seats[card_text(card)], card_text(card)] for card in order]


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: cards that it has not seen are numbers of cards, the own ones among them until everybody looks."""
    shown = reveal(s, setting)
    for zone in ("hands", "packets"):
        shown[zone] = [cards if s.looked and k == seat else len(cards) for k, cards in enumerate(shown[zone])]
    shown["stock"] = len(shown["stock"])
    if setting.options["sale"] == "sealed" and s.phase == BID:
        shown["bids"] = [bid if bid is None or k == seat else "sealed" for k, bid in enumerate(shown["bids"])]
    return shown


def table(zones: dict[str, Any]) -> dict[str, str]:
    """What lies on the table, for a person who plays."""
    best, owner = zones["trump"]
    lines = {
        "best trump": f"{best} of agent_{owner}{', bought' if zones['bought'] else ''}",
        "turn-up": zones["turn_up"],
        "pot": str(zones["pot"]),
        "phase": zones["phase"].lower(),
        "dealer": f"agent_{zones['dealer']}",
        "scores": " ".join(map(str, zones["scores"])),
        "bids": _by_seat([None if bid is None else str(bid) for bid in zones["bids"]]),
        "prices": _by_seat([f"{chips:+}" if chips else None for chips in zones["balance"]]),
        "faced": _by_seat([" ".join(cards) or None for cards in zones["faced"]]),
    }
    return {label: text for label, text in lines.items() if text}


def _by_seat(texts: list[str | None]) -> str:
    """What there is of each seat."""
    return ", ".join(f"agent_{seat} {text}" for seat, text in enumerate(texts) if text is not None)


def told(text: str, setting: Setting) -> str:
    """A sealed bid is not told."""
    return "bid" if text.startswith("bid") and setting.options["sale"] == "sealed" else text


def dealt(shown: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """Of a deal: all see the turn-up; nobody the own cards, unless everybody looks at them."""
    notes = {seat: " ".join(cards) for seat, cards in enumerate(shown["hands"])} if shown["looked"] else {}
    return f", turn-up {shown['turn_up']}", notes


def happened(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The best bid once it is put to the owner, and each card that was faced."""
    if before["phase"] == "BID" and after["phase"] == "SELL":
        best = max(bid or 0 for bid in after["bids"])
        return [f"the best bid is {best} by agent_{_bidder(after, best)}"]
    faced = after["facings" if after["hand_number"] == before["hand_number"] else "last_facings"]
    return [f"{card} is faced by agent_{seat}" for seat, card in faced[len(before["facings"]) :]]


def _bidder(shown: dict[str, Any], best: int) -> int:
    """The first seat with the best bid, from the owner's left on."""
    bids, owner = shown["bids"], shown["trump"][1]
    return next(seat % len(bids) for seat in range(owner + 1, owner + len(bids)) if bids[seat % len(bids)] == best)
