"""The card play of 8-ball by brute force: every line of play is played out, card by card, by the rules as they are written.

Seats are those of the table; at a table of two players the ghost is ``"ghost"``. Cards are texts. Slow, and simple.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

SUITS = "CDHS"
PACK = ("8C", *(rank + suit for suit in SUITS for rank in "AKQJT"))
TWIN = {"C": "S", "S": "C", "D": "H", "H": "D"}
OPTIONS = {
    "eight_suit": "trump",
    "eight_forced_on_trump_lead": True,
    "left_bower_follows": "trump",
    "bot_policy": "top_card",
}
"""At their defaults."""


@dataclass(frozen=True)
class Ending:
    """A moment of the card play. ``hands`` by seat; ``trick``: (seat, card) in the order of play."""

    players: int
    trump: str
    hands: tuple[tuple[str, ...], ...]
    leader: Any
    trick: tuple[tuple[Any, str], ...] = ()
    packet: tuple[str, ...] = ()
    resting: int | None = None
    after_ghost: int = 0
    options: dict[str, Any] = field(default_factory=lambda: dict(OPTIONS), hash=False)

    def turn_order(self) -> list:
        """B4-2, B4-33; B2-20, B2-22."""
        if self.players == 2:
            if self.leader == "ghost":
                return ["ghost", self.after_ghost, 1 - self.after_ghost]
            return [self.leader, 1 - self.leader, "ghost"]
        seats = [(self.leader + k) % self.players for k in range(self.players)]
        return [seat for seat in seats if seat != self.resting]

    def to_play(self) -> Any:
        return self.turn_order()[len(self.trick)]

    def suit(self, card: str) -> str:
        """B4-8, B4-9."""
        if card == "8C":
            return self.trump
        if card == "J" + TWIN[self.trump] and self.options["left_bower_follows"] == "trump":
            return self.trump
        return card[1]

    def legal(self) -> list[str]:
        """B4-10 … B4-12 for a player; for the ghost the one card that it turns (B2-20, AMB-B2-9)."""
        seat = self.to_play()
        if seat == "ghost":
            if self.trick and self.options["bot_policy"] == "follow_if_able":
                for card in self.packet:
                    if self.suit(card) == self.suit(self.trick[0][1]):
                        return [card]
            return [self.packet[0]]
        hand = list(self.hands[seat])
        if not self.trick:
            return hand
        led = self.suit(self.trick[0][1])
        of_suit = [card for card in hand if self.suit(card) == led]
        if led == "C" and self.options["eight_suit"] == "club_and_trump" and "8C" in hand and "8C" not in of_suit:
            of_suit.append("8C")
        if not of_suit:
            return hand
        if of_suit == ["8C"] and led == self.trump and not self.options["eight_forced_on_trump_lead"]:
            return hand
        if "8C" in hand and "8C" not in of_suit:
            of_suit.append("8C")
        return of_suit

    def winner(self) -> Any:
        """B4-31, B4-9, of a complete trick."""
        order = ["8C", "J" + self.trump, "J" + TWIN[self.trump], *(rank + self.trump for rank in "AKQT")]
        for card in order:
            for seat, played in self.trick:
                if played == card:
                    return seat
        led = self.trick[0][1][1]
        return min((pair for pair in self.trick if pair[1][1] == led), key=lambda pair: "AKQJT".index(pair[1][0]))[0]

    def after(self, card: str) -> tuple[Ending, Any]:
        """The moment after a card, and who took the trick if it is complete."""
        seat = self.to_play()
        hands = tuple(tuple(c for c in hand if c != card) if k == seat else hand for k, hand in enumerate(self.hands))
        packet = tuple(c for c in self.packet if c != card) if seat == "ghost" else self.packet
        same = (self.resting, self.after_ghost, self.options)
        after = Ending(self.players, self.trump, hands, self.leader, (*self.trick, (seat, card)), packet, *same)
        if len(after.trick) < len(self.turn_order()):
            return after, None
        taker = after.winner()
        return Ending(self.players, self.trump, hands, taker, (), packet, *same), taker

    def over(self) -> bool:
        return not self.trick and not any(hand for seat, hand in enumerate(self.hands) if seat != self.resting)

    def counts(self, seat: int, other: Any) -> bool:
        """Whether a trick of ``other`` counts for ``seat``: its own, and of four players its partner's (B4-1)."""
        return other == seat or (self.players == 4 and other in range(4) and (other - seat) % 2 == 0)


def tricks(ending: Ending, seat: int, known: dict[Any, int] | None = None) -> int:
    """The tricks that ``seat`` or its side takes when it does its best, and all others do theirs against it."""
    known = {} if known is None else known
    if ending.over():
        return 0
    key = (ending.hands, ending.leader, ending.trick, ending.packet)
    if key not in known:
        values = [tricks_after(ending, card, seat, known) for card in ending.legal()]
        known[key] = max(values) if ending.counts(seat, ending.to_play()) else min(values)
    return known[key]


def tricks_after(ending: Ending, card: str, seat: int, known: dict[Any, int] | None = None) -> int:
    """The same after a card."""
    after, taker = ending.after(card)
    return int(taker is not None and ending.counts(seat, taker)) + tricks(after, seat, known)


def random_ending(rng: random.Random, players: int, size: int, alone: bool = False, cards: int | None = None) -> Ending:
    """A random deal of ``size`` cards each, random options, and ``cards`` random cards played (None: part of a trick)."""
    pack = list(PACK)
    rng.shuffle(pack)
    hands = tuple(tuple(pack.pop() for _ in range(size)) for _ in range(players))
    options = {
        "eight_suit": rng.choice(["trump", "trump", "club_and_trump"]),
        "eight_forced_on_trump_lead": rng.random() < 0.7,
        "left_bower_follows": rng.choice(["trump", "trump", "printed_suit"]),
        "bot_policy": rng.choice(["top_card", "follow_if_able"]) if players == 2 else "top_card",
    }
    resting = rng.randrange(4) if alone else None
    seats = [seat for seat in range(players) if seat != resting]
    packet = tuple(pack.pop() for _ in range(size + rng.randrange(2))) if players == 2 else ()
    leader = rng.choice([*seats, "ghost"] if players == 2 else seats)
    ending = Ending(players, rng.choice(SUITS), hands, leader, (), packet, resting, rng.randrange(2), options)
    for _ in range(rng.randrange(len(ending.turn_order())) if cards is None else cards):
        ending, _ = ending.after(rng.choice(ending.legal()))
    return ending
