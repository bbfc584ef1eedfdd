"""Deals that are played out to an empty stock: four players with twelve cards, every card played but those that are to be left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference.deals import Table
from reference.settings import RANKS, STANDARD

ORDER = "DHSC"


def chain(left: set[str], top: str) -> list[tuple[str, str | None]]:
    """All other cards in an order in which each may be played on the one before it, with the suit named after an eight.

    It begins with a diamond and ends with ``top``, a club.
    """
    eights = [card for card in STANDARD if card[0] == "8" and card not in left]
    order: list[tuple[str, str | None]] = []
    for suit in ORDER:
        if order:
            order.append((eights.pop(), suit))
        order += [(rank + suit, None) for rank in RANKS if rank != "8" and rank + suit not in {*left, top}]
    spare = [(eight, order[1][0][1]) for eight in eights]
    return [order[0], *spare, *order[1:], (top, None)]


def played_out(left: Sequence[str], top: str = "QC", variant: str = "eights_v0", **options: Any) -> Table:
    """A table whose stock is empty and whose seats hold these cards; the next seat in play is to act.

    Args:
        left: by seat, the cards that are left at the end: no eights, in about equal numbers. A seat without any is out.
        top: the card that lies on the pile.
    """
    kept = [hand.split() for hand in left]
    order = chain({card for hand in kept for card in hand}, top)
    starter, plays = order[0][0], order[1:]
    hands = [[card for card, _ in plays[seat::4]] + kept[seat] for seat in range(4)]
    drawn = [hand[12:] for hand in hands]
    assert all(len(hand) >= 12 for hand in hands) and sum(map(len, drawn)) == 3, "these numbers cannot be left"
    stock = [card for cards in drawn for card in cards]
    dealt = [" ".join(hand[:12]) for hand in hands]
    table = Table(dealt, " ".join([starter, *stock]), variant=variant, starter_wild="printed_suit", **options)
    for k, (card, suit) in enumerate(plays):
        if k < 4:
            table.do(*["draw"] * len(drawn[k]))
        table.do(f"play {card}")
        if suit is not None:
            table.do(f"suit {suit}")
    assert table.stock == [] and [sorted(hand) for hand in table.hands] == [sorted(hand) for hand in kept]
    return table
