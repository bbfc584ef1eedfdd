"""What cards cost at House Rules, and how a hand is settled: HR-26 … HR-37."""

from __future__ import annotations

from typing import Any


def is_joker(card: str) -> bool:
    return card[0] == "X"


def face_value(card: str) -> int:
    """HR-27."""
    if card in ("JC", "JD"):
        return 50 if card == "JC" else -5
    return 20 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def value(o: dict[str, Any], cards: list[str]) -> tuple[int, int]:
    """The value without Jokers and with their doubling: h and d of HR-32."""
    h = sum(face_value(card) for card in cards if not is_joker(card))
    jokers = sum(map(is_joker, cards))
    if jokers == 0:
        return h, h
    return h, h * {"multiply": 2**jokers, "add": 1 + jokers, "once": 2}[o["joker_stack"]]


def settle_points(o: dict[str, Any], scores: list[int], held: list[list[str]], grabbed: list[int]) -> tuple[list[int], bool]:
    """The new totals, and whether the game is complete (HR-26, HR-29, HR-32, HR-33, HR-77)."""
    new = []
    for total, cards, extra in zip(scores, held, grabbed, strict=True):
        h, d = value(o, cards)
        before = total + extra
        new.append(99 if any(map(is_joker, cards)) and before + h <= 99 < before + d else before + d)
    return new, max(new) >= 100 or (o["end_on_negative"] and min(new) < 0)


def settle_chips(
    o: dict[str, Any], scores: list[int], held: list[list[str]], grabbed: list[int], winner: int | None
) -> tuple[list[int], bool]:
    """The new chips, and whether the game is complete (HR-35 … HR-37); a blocked hand pays nothing."""
    new = list(scores)
    if winner is None:
        return new, False
    complete = False
    for seat, chips in enumerate(scores):
        if seat == winner:
            continue
        h, d = (amount + grabbed[seat] for amount in value(o, held[seat]))
        paid = d
        if chips < h:
            complete = True
            paid = chips if o["debt"] == "capped" else d
        elif chips < d:
            paid = chips
        new[seat] -= paid
        new[winner] += paid
    return new, complete or new[winner] < 0
