"""Scripted deals of House Rules: hands that are filled up to seven cards, and late positions that are reached by plain play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import eightsenv
from reference.deals import Table, deck_for
from reference.house_settings import VARIANT
from reference.settings import STANDARD

PLAIN = tuple(card for card in STANDARD if card[0] in "345679TQ" and card != "QH")
"""Cards without any effect."""


class HouseTable(Table):
    """A scripted game, seven cards each without the dealer's choice. ``dealer`` is the last seat unless given: seat 0 begins.

    Hands that are shorter are filled up with plain cards that are named nowhere else.
    """

    def __init__(self, hands: Sequence[str], after: str = "", dealer: int | None = None, seed: int = 0, **options: Any):
        n = len(hands)
        self.dealer = n - 1 if dealer is None else dealer
        self.env = eightsenv.make(VARIANT, **({"num_players": n, "deal_choice": False} | options)).unwrapped
        self.env.reset(seed=seed, options={"deck": deck_for(filled(hands, after), after, self.dealer), "dealer": self.dealer})

    def plays(self) -> set[str]:
        """The cards that the seat to move may play."""
        return {action.split()[1] for action in self.legal() if action.startswith("play")}

    def cards(self, seat: int) -> int:
        """How many cards a seat has."""
        return len(self.hands[seat]) + len(self.penalty[seat]) + len(self.plucked[seat])


def filled(hands: Sequence[str], after: str, size: int = 7) -> list[str]:
    """The hands with plain cards added, and others when there are no more."""
    used = {card for text in (*hands, after) for card in text.split()}
    blanks = iter([card for card in (*PLAIN, *STANDARD) if card not in used])
    taken: set[str] = set()
    full = []
    for hand in hands:
        cards = hand.split()
        while len(cards) < size:
            card = next(blanks)
            if card not in taken:
                taken.add(card)
                cards.append(card)
        full.append(" ".join(cards))
    return full


def late(
    hands: Sequence[str], top: str, after: str = "", announce: bool = True, dealer: int | None = None, **options: Any
) -> HouseTable:
    """A table at which plain cards have been played until the seats hold exactly these; the dealer's left is to move.

    The card under the top one has another rank. ``dealer`` is the last seat unless given.

    Args:
        hands: by seat, one to seven cards.
        top: the plain card on the pile.
        after: the next cards of the draw pile.
        announce: whether a seat that comes down to one card says so.
    """
    n = len(hands)
    first = (n - 1 if dealer is None else dealer) + 1
    seats = [(first + k) % n for k in range(n)]
    kept = [hand.split() for hand in hands]
    rounds = 7 - min(map(len, kept))
    used = {*(card for hand in kept for card in hand), *after.split()}
    order = chain([card for card in PLAIN if card not in used], top, n * rounds + 1)
    starter, fillers = order[0], order[1:]
    dealt = [fillers[seats.index(seat) :: n] + kept[seat][: 7 - rounds] for seat in range(n)]
    stock: list[str] = []
    drawn = [hand[7 - rounds :] for hand in kept]
    for k in range(rounds):
        stock += [drawn[seat][k] for seat in seats if k < len(drawn[seat])]
    table = HouseTable([" ".join(hand) for hand in dealt], " ".join([starter, *stock, *after.split()]), dealer, **options)
    for k, card in enumerate(fillers):
        seat, turn = seats[k % n], k // n
        assert table.seat == seat and table.phase == "TURN"
        if turn < len(drawn[seat]):
            table.do("draw")
        said = announce and f"play {card} one" in table.legal()
        table.do(f"play {card} one" if said else f"play {card}")
        while not announce and "silent" in table.legal():
            table.do("silent")
    assert table.seat == seats[0] and [sorted(hand) for hand in table.hands] == [sorted(hand) for hand in kept]
    return table


def chain(cards: Sequence[str], top: str, length: int) -> list[str]:
    """So many cards that can be played one on another, ``top`` last with another rank under it, no three of a rank in a row."""
    result = _chain([top], [card for card in cards if card != top], length)
    assert result is not None, "there are too few plain cards"
    return result[::-1]


def _chain(path: list[str], rest: list[str], length: int) -> list[str] | None:
    if len(path) == length:
        return path
    for card in sorted(_next(path, rest), key=lambda card: sum(1 for _ in _next([card], rest))):
        found = _chain([*path, card], [other for other in rest if other != card], length)
        if found is not None:
            return found
    return None


def _next(path: list[str], rest: list[str]) -> Iterable[str]:
    top = path[-1]
    for card in rest:
        row = card[0] == top[0] and (len(path) == 1 or top[0] == path[-2][0])
        if card != top and (card[0] == top[0] or card[1] == top[1]) and not row:
            yield card
