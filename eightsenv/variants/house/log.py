"""What the log of House Rules tells besides the actions: what all see, and what single seats alone see."""

from __future__ import annotations

from collections import Counter
from typing import Any

from eightsenv.game import Setting

_ZONES = {"hands": "", "penalty": "penalty card ", "plucked": "plucked "}


def told(text: str, setting: Setting) -> str:
    """What others are told of an action: an announcement that may be forgotten (HR-24) only when it is made."""
    return text.removesuffix(" one") if setting.options["forget_prob"] else text


def dealt(shown: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """Of a deal all see the starter with the Jokers turned before it, a hand that it lays open or exchanges, and a card dropped
    before the first turn."""
    told = f", starter {' '.join(reversed(shown['discard']))}" if shown["discard"] else ""
    n = len(shown["hands"])
    nobody = [["" for _ in range(n)] for _ in range(n)]
    nothing: dict[str, Any] = {zone: [[] for _ in range(n)] for zone in _ZONES} | {"known": nobody}
    for seat in shown["exposed"]:
        told += f"; open hand of agent_{seat}: {' '.join(shown['hands'][seat])}"
    exchanged = [f"agent_{seat}" for seat in range(n) if _knows_a_hand(shown, seat)]
    if exchanged:
        told += f"; hands exchanged: {' and '.join(exchanged)}"
    if shown["fumbles"][0]:
        told += f"; {_fumble(shown)}"
    return told, {seat: "" for seat in range(n)} | _own(nothing, shown)


def happened(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What all see of a step: the starter, cards turned, a reshuffle, open hands, cards shown, penalty and plucked cards."""
    if after["redeals"] != before["redeals"]:
        return ["a circle without draw or discard: the cards are dealt again"]
    if after["hand_number"] != before["hand_number"]:
        return []
    if not before["discard"]:
        return [dealt(after)[0].removeprefix(", ")]
    lines = []
    if after["announced"] > before["announced"]:
        lines.append(f"ONE CARD, says agent_{before['seat']}")
    if _reshuffled(before, after):
        lines.append("the discards are shuffled into a new stock")
    turned = _turned(before, after)
    if turned:
        lines.append(f"turned: {' '.join(reversed(turned))}")
    if after["fumbles"][0] > before["fumbles"][0]:
        lines.append(_fumble(after))
    for seat in range(len(after["hands"])):
        if _came(before, after, "penalty", seat):
            lines.append(f"a penalty card for agent_{seat}")
        if len(after["plucked"][seat]) > len(before["plucked"][seat]):
            lines.append(f"a card of agent_{seat} is plucked")
        if seat in after["exposed"]:
            opened = seat not in before["exposed"]
            shown = after["hands"][seat] if opened else _came(before, after, "hands", seat)
            if shown:
                lines.append(f"{'open hand of' if opened else 'in the open to'} agent_{seat}: {' '.join(shown)}")
    if after["turned"] != before["turned"]:
        lines.append(f"{after['turned'][0]} is turned and counts for all others")
    return lines


def noted(before: dict[str, Any], after: dict[str, Any]) -> dict[int, str]:
    """What single seats alone saw: their new cards, those of others (exchanged, grabbed), a plucked card with ``plucker_sees``."""
    notes = _own(before, after)
    for seat in range(len(after["hands"])):
        new = _came(before, after, "plucked", seat)
        if new and len(after["hands"]) == 2 and after["plucked_surely"][seat] != before["plucked_surely"][seat]:
            own = notes.get(1 - seat)
            notes[1 - seat] = f"{own}; plucked {new[0]}" if own else f"plucked {new[0]}"
    return notes


def _own(before: dict[str, Any], after: dict[str, Any]) -> dict[int, str]:
    """By seat: its new cards, zone by zone, and cards of others that it has come to know."""
    notes = {}
    for seat in range(len(after["hands"])):
        told = [f"{word}{' '.join(new)}" for zone, word in _ZONES.items() if (new := _came(before, after, zone, seat))]
        told += [f"agent_{k} has {' '.join(new)}" for k, new in enumerate(_learned(before, after, seat)) if new]
        if told:
            notes[seat] = "; ".join(told)
    return notes


def _came(before: dict[str, Any], after: dict[str, Any], zone: str, seat: int) -> list[str]:
    """The cards that came into a zone of a seat."""
    return list((Counter(after[zone][seat]) - Counter(before[zone][seat])).elements())


def _learned(before: dict[str, Any], after: dict[str, Any], viewer: int) -> list[list[str]]:
    """By seat: the cards in its closed hand of which a viewer has come to know."""
    known = zip(before["known"][viewer], after["known"][viewer], strict=True)
    learned = [list((_cards(new) - _cards(old)).elements()) for old, new in known]
    return [[] if seat in after["exposed"] else new for seat, new in enumerate(learned)]


def _knows_a_hand(shown: dict[str, Any], viewer: int) -> bool:
    """Whether a viewer knows the whole closed hand of another seat."""
    known = zip(shown["known"][viewer], shown["hands"], strict=True)
    return any(hand and seat not in shown["exposed"] and _cards(words) == Counter(hand) for seat, (words, hand) in enumerate(known))


def _cards(words: str) -> Counter[str]:
    """The cards that a text of ``known`` names."""
    return Counter(words.strip("{}").split())


def _fumble(shown: dict[str, Any]) -> str:
    _, seat, card = shown["fumbles"]
    return f"shown by agent_{seat}: {card}"


def _turned(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The cards turned to be followed after a Joker (HR-12), the last first: those above what was played or is left of the pile."""
    pile = after["discard"]
    if _reshuffled(before, after):
        return pile[:-1]
    played = before["phase"] in ("TURN", "RESPOND", "PLUCK")
    return pile[: max(0, len(pile) - len(before["discard"]) - played)]


def _reshuffled(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether the pile is another one than before, with or without cards on it."""
    pile = before["discard"]
    return after["discard"][-len(pile) :] != pile
