"""An independent model of Speculation in lists and dicts, written from its rule text and its table of options.

Slow and plain on purpose; it knows nothing of the package. The later deals of a match are chance: they are taken from an oracle,
checked, and adopted.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference.compare import best, win_shares

RANKS = "23456789TJQKA"
PACK = [rank + suit for rank in RANKS for suit in "CDHS"]
DEFAULTS: dict[str, Any] = {
    "num_players": 4, "match": False, "reward": "score", "auto_forced": False, "max_decisions": None,
    "ante": 4, "sale": "one_round", "max_bid": "pot", "holder_exempt": "any_holder", "resume": "left_of_facer",
    "look_on_court": True, "later_court": "one_by_one", "ace_midplay": "immediate", "max_hands": None, "first_dealer": "cut",
    "deal_rotation": "left",
}  # fmt: skip


def complete(given: dict[str, Any]) -> dict[str, Any]:
    """Every option of the setting that these keyword arguments ask for."""
    return DEFAULTS | given


def random_setting(rng: random.Random) -> dict[str, Any]:
    """Keyword arguments drawn from all values of all options."""
    players = rng.randint(2, 9)
    ante = rng.choice([4, 1, 2, rng.randint(1, min(100, 255 // players))])
    return {
        "num_players": players,
        "match": rng.random() < 0.4,
        "reward": rng.choice(["score", "score", "win"]),
        "max_decisions": rng.choice([None, None, rng.randint(1, 60)]),
        "ante": ante,
        "sale": rng.choice(["one_round", "one_round", "sealed"]),
        "max_bid": rng.choice(["pot", "pot", 1, 5, 255]),
        "holder_exempt": rng.choice(["any_holder", "any_holder", "purchaser_only", "none"]),
        "resume": rng.choice(["left_of_facer", "left_of_owner"]),
        "look_on_court": rng.random() < 0.6,
        "later_court": rng.choice(["one_by_one", "one_by_one", "face_all"]),
        "ace_midplay": rng.choice(["immediate", "immediate", "offer"]),
        "max_hands": rng.choice([None, 1, 3]),
        "first_dealer": rng.choice(["cut", "random", 0, players - 1]),
        "deal_rotation": rng.choice(["left", "winner", "loser", "random"]),
    }


class Model:
    """One episode. ``packets`` are the unfaced cards of each seat, top first; actions and cards are text.

    Args:
        options: a complete or partial setting (keyword arguments of the environment).
        oracle: returns the true state in words; asked only when chance has acted.
    """

    def __init__(self, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]):
        self.o = complete(options)
        self.oracle = oracle
        self.n: int = self.o["num_players"]
        self.pack = list(PACK)
        self.scores = [Fraction(0)] * self.n
        self.payoffs: list[Fraction] | None = None
        self.hand_number = self.decisions = 0
        self.over = False
        self.limit = self.o["max_decisions"] or (20_000 if self.o["match"] else 2_000)
        self.most = self.n * self.o["ante"] if self.o["max_bid"] == "pot" else self.o["max_bid"]

    @property
    def truncated(self) -> bool:
        return not self.over and self.decisions >= self.limit

    def round_from(self, seat: int) -> list[int]:
        """All seats, clockwise from one on."""
        return [(seat + k) % self.n for k in range(self.n)]

    # The deal

    def start(self, deck: list[str], dealer: int) -> None:
        """Begin the episode with a whole deck, its first card first."""
        self.dealer = dealer
        self.deal(list(deck))

    def deal(self, deck: list[str]) -> None:
        """Three cards each, face down, one at a time, the last on top; the next card is turned and is the dealer's."""
        assert Counter(deck) == Counter(PACK)
        self.pot = self.n * self.o["ante"]
        self.balance = [0] * self.n
        self.packets: list[list[str]] = [[] for _ in range(self.n)]
        for _ in range(3):
            for seat in self.round_from(self.dealer + 1):
                self.packets[seat].insert(0, deck.pop(0))
        self.dealt = [list(packet) for packet in self.packets]
        self.faced: list[list[str]] = [[] for _ in range(self.n)]
        self.turn_up = self.best = deck.pop(0)
        self.stock = deck
        self.owner, self.bought = self.dealer, False
        self.facer: int | None = None
        if self.turn_up[0] == "A":
            self.phase, self.seat = "TAKE", self.dealer
        else:
            self.offer()

    def looks(self) -> bool:
        """Whether everybody sees the own cards."""
        return self.o["look_on_court"] and self.turn_up[0] in "KQJ"

    # The sale

    def offer(self) -> None:
        """Each other seat, from the owner's left, will bid."""
        self.phase = "BID"
        self.bids: dict[int, int] = {}
        self.to_bid = self.round_from(self.owner + 1)[:-1]
        self.seat = self.to_bid[0]

    def legal(self) -> set[str]:
        if self.phase == "TAKE":
            return {"keep"}
        if self.phase == "SELL":
            return {"accept", "keep"}
        if self.o["sale"] == "sealed":
            return {f"bid {k}" for k in range(self.most + 1)}
        best = max(self.bids.values(), default=0)
        return {"bid 0", *(f"bid {k}" for k in range(best + 1, self.most + 1))}

    def act(self, action: str) -> list[Fraction]:
        """Make an action; what each seat gained by it."""
        assert action in self.legal()
        self.decisions += 1
        if self.phase == "TAKE":
            return self.end()
        if self.phase == "BID":
            self.bids[self.seat] = int(action.split()[1])
            self.to_bid.pop(0)
            if self.to_bid:
                self.seat = self.to_bid[0]
                return [Fraction(0)] * self.n
            if max(self.bids.values()) > 0:
                self.phase, self.seat = "SELL", self.owner
                return [Fraction(0)] * self.n
        elif action == "accept":
            price = max(self.bids.values())
            buyer = next(seat for seat in self.round_from(self.owner + 1) if self.bids.get(seat) == price)
            self.balance[buyer] -= price
            self.balance[self.owner] += price
            self.owner, self.bought = buyer, True
        return self.after_sale()

    def after_sale(self) -> list[Fraction]:
        """What follows a sale depends on the card that was offered."""
        rank = self.best[0]
        if rank == "A":
            return self.end()
        if rank in "KQJ" and (self.facer is None or self.o["later_court"] == "face_all"):
            self.face_all()
            return self.end()
        if self.facer is None:
            start = self.dealer + 1
        else:
            start = (self.facer if self.o["resume"] == "left_of_facer" else self.owner) + 1
        return self.face(start % self.n)

    # Facing

    def exempt(self, seat: int) -> bool:
        if seat != self.owner or self.o["holder_exempt"] == "none":
            return False
        return self.o["holder_exempt"] == "any_holder" or self.bought

    def beats(self, card: str) -> bool:
        return card[1] == self.turn_up[1] and RANKS.index(card[0]) > RANKS.index(self.best[0])

    def face(self, start: int) -> list[Fraction]:
        """Round and round, one card each, until a better trump shows or all are faced."""
        while any(self.packets[seat] and not self.exempt(seat) for seat in range(self.n)):
            for seat in self.round_from(start):
                if not self.packets[seat] or self.exempt(seat):
                    continue
                card = self.packets[seat].pop(0)
                self.faced[seat].append(card)
                if self.beats(card):
                    self.best, self.owner, self.bought, self.facer = card, seat, False, seat
                    if card[0] == "A" and self.o["ace_midplay"] == "immediate":
                        return self.end()
                    self.offer()
                    return [Fraction(0)] * self.n
        # What an exempt owner has left is shown, and changes nothing.
        self.faced[self.owner] += self.packets[self.owner]
        self.packets[self.owner] = []
        return self.end()

    def face_all(self) -> None:
        for seat in self.round_from(self.dealer + 1):
            while self.packets[seat]:
                card = self.packets[seat].pop(0)
                self.faced[seat].append(card)
                if self.beats(card):
                    self.best, self.owner, self.bought = card, seat, False

    # The end

    def end(self) -> list[Fraction]:
        """The owner of the best trump takes the pot; then the next deal, or the end."""
        self.payoffs = [
            Fraction(self.balance[seat] - self.o["ante"] + (self.pot if seat == self.owner else 0)) for seat in range(self.n)
        ]
        assert sum(self.payoffs) == 0
        self.scores = [score + chips for score, chips in zip(self.scores, self.payoffs, strict=True)]
        if self.o["match"] and self.hand_number + 1 < (self.o["max_hands"] or self.n):
            self.hand_number += 1
            true = self.oracle()
            self.dealer = self.next_dealer(true["dealer"])
            packets = [list(packet) for packet in true["packets"]]
            assert [len(packet) for packet in packets] == [3] * self.n
            order = [packets[seat].pop() for _ in range(3) for seat in self.round_from(self.dealer + 1)]
            self.deal([*order, true["turn_up"], *true["stock"]])
        else:
            self.over, self.pot = True, 0
        return self.payoffs

    def next_dealer(self, true: int) -> int:
        order = self.round_from(self.dealer + 1)
        how = self.o["deal_rotation"]
        assert self.payoffs is not None
        if how == "random":
            return true
        if how == "left":
            return order[0]
        wanted = (max if how == "winner" else min)(self.payoffs)
        return next(seat for seat in order if self.payoffs[seat] == wanted)

    def win_shares(self) -> list[Fraction]:
        """The rewards of the end when only winning counts."""
        assert self.payoffs is not None
        return win_shares(best(self.scores if self.o["match"] else self.payoffs), self.n)
