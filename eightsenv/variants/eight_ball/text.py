"""8-ball in words: action texts, the state for logs, renderers and tests, and what the log tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import SUITS, card_text, set_texts
from eightsenv.game import UNIT, Setting
from eightsenv.variants.eight_ball.state import GHOST, LOWEST_BID, NOBODY, TOP, TRICKS, Phase
from eightsenv.variants.eight_ball.trumps import CARDS

_PACK = tuple(card_text(card) for card in CARDS)
_GHOST = "ghost"
_UNSEEN = "?"
"""Stands for a card that a seat has not seen."""


def actions(setting: Setting) -> tuple[str, ...]:
    """The texts of all actions by id (ACTIONS.md)."""
    n = setting.num_players
    bids = [f"bid {level} {suit}" for level in range(LOWEST_BID[n], TRICKS + 1) for suit in SUITS]
    bids += [f"{'alone' if n == 4 else 'bid 6'} {suit}" for suit in SUITS]
    takes = [f"take {k}" for k in range(3)] if n == 2 else []
    return (*(f"play {card}" for card in _PACK), *(f"discard {card}" for card in _PACK), "pass", *bids, *takes)


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md).

    Beside the zones named there: ``passed``, who has passed in this auction; ``last_trick``, the trick finished last, also of the
    hand before, with who won it; ``redeals`` of this hand.
    """
    n = setting.num_players
    hidden = [card_text(card) for card in s.stock[s.top : s.end]]
    return {
        "hands": [set_texts(s.hands[seat]) for seat in range(n)],
        "stock": hidden,
        "discard": [],
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "phase": Phase(s.phase).name,
        "scores": [int(s.scores[seat]) // UNIT for seat in range(n)],
        "hand_number": int(s.hand_number),
        "flip": None if s.flip == NOBODY else [card_text(s.flip), bool(s.flip_up)],
        "hidden": list(hidden),
        "ghost": [card_text(card) for k, card in enumerate(s.ghost) if int(s.ghost_left) >> k & 1],
        "discards": [card_text(card) for card in s.discards[: s.discards_n]],
        "dead": [card_text(card) for card in s.dead[: s.dead_n]],
        "played": [card_text(card) for card in s.played[: s.played_n]],
        "trump": None if s.trump == NOBODY else SUITS[s.trump],
        "bid": _bid(s, n),
        "trick": _cards_of_trick(s.trick_seats, s.trick_cards, s.trick_n, n),
        "tricks": _tricks(s, n),
        "passed": [seat for seat in range(n) if int(s.passed) >> seat & 1],
        "last_trick": _last_trick(s, n),
        "redeals": int(s.redeals),
    }


def _bid(s: np.record, n: int) -> dict[str, Any] | None:
    if s.bid_level == 0:
        return None
    alone = bool(n == 4 and s.bid_level == TOP)
    tricks = TRICKS if alone else int(s.bid_level)
    return {"seat": int(s.bid_seat), "n": tricks, "suit": SUITS[s.bid_suit], "alone": alone}


def _player(seat: int, n: int) -> int | str:
    return _GHOST if n == 2 and seat == GHOST else int(seat)


def _cards_of_trick(seats: np.ndarray, cards: np.ndarray, size: int, n: int) -> list[list[Any]]:
    return [[_player(seats[k], n), card_text(cards[k])] for k in range(size)]


def _tricks(s: np.record, n: int) -> list[int] | dict[Any, int]:
    if n == 2:
        return {_player(k, n): int(s.tricks[k]) for k in range(3)}
    return [int(s.tricks[seat]) for seat in range(n)]


def _last_trick(s: np.record, n: int) -> dict[str, Any] | None:
    if s.last_n == 0:
        return None
    return {"cards": _cards_of_trick(s.last_seats, s.last_cards, s.last_n, n), "winner": _player(s.last_winner, n)}


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands, the hidden cards and the ghost's are numbers; of the discards only its own are named."""
    shown = reveal(s, setting)
    shown["hands"] = [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])]
    for zone in ("stock", "hidden", "ghost"):
        shown[zone] = len(shown[zone])
    shown["discards"] = [
        card if s.discarders[k] == seat else _UNSEEN for k, card in enumerate(shown["discards"])
    ]  # fmt: skip
    return shown


def table(zones: dict[str, Any]) -> dict[str, str]:
    """What lies on the table, for a person who plays."""
    bid, flip, last = zones["bid"], zones["flip"], zones["last_trick"]
    tricks = zones["tricks"]
    lines = {
        "phase": zones["phase"].lower().replace("_", " "),
        "dealer": _name(zones["dealer"]),
        "scores": " ".join(map(str, zones["scores"])),
        "flip": "taken" if flip is None else f"{flip[0]} {'face up' if flip[1] else 'turned down'}",
        "bid": "none" if bid is None else f"{'alone' if bid['alone'] else bid['n']} {bid['suit']} by {_name(bid['seat'])}",
        "trump": zones["trump"] or "none yet",
        "tricks": " ".join(
            f"{_name(seat)} {won}" for seat, won in (tricks.items() if isinstance(tricks, dict) else enumerate(tricks))
        ),
        "trick": _played(zones["trick"]) or "none",
        "last trick": f"{_played(last['cards'])}, won by {_name(last['winner'])}" if last else "none",
    }
    if zones["discards"]:
        lines["discards"] = " ".join(zones["discards"])
    return lines


def _played(cards: list[list[Any]]) -> str:
    return ", ".join(f"{_name(seat)} {card}" for seat, card in cards)


def _name(seat: int | str) -> str:
    return "the ghost" if seat == _GHOST else f"agent_{seat}"


# The log


def told(text: str, setting: Setting) -> str:
    """What others are told of an action: discards are made face down (B4-17, B3-18)."""
    return "discard" if text.startswith("discard ") else text


def dealt(shown: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """Of a deal all see the flip, and each seat its hand."""
    return f", flip {shown['flip'][0]}", {seat: " ".join(hand) for seat, hand in enumerate(shown["hands"])}


def happened(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What all see beside the action: who takes the flip, flips turned, the ghost's leads, and finished tricks."""
    lines = []
    if after["last_trick"] != before["last_trick"]:
        trick = after["last_trick"]
        lines.append(f"trick won by {_name(trick['winner'])}: {_played(trick['cards'])}")
    if after["redeals"] != before["redeals"]:
        lines.append("all have passed: the cards are dealt again")
    elif after["hand_number"] == before["hand_number"]:
        if len(after["dead"]) > len(before["dead"]):
            lines.append(f"the flip {after['dead'][-1]} is turned down")
        if before["flip"] and not after["flip"]:
            lines.append(f"the flip {before['flip'][0]} is taken")
        elif after["flip"] and after["flip"][0] != before["flip"][0]:
            lines.append(f"flip {after['flip'][0]}")
        if after["trick"] and after["trick"] != before["trick"] and after["trick"][-1][0] == _GHOST:
            lines.append(f"the ghost leads {after['trick'][-1][1]}")
    return lines
