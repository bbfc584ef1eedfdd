"""An independent model of the high-low layout game in lists and dicts, written from its rule text and its table of options.

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

PACK = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
DEFAULTS: dict[str, Any] = {
    "num_players": 4, "match": False, "reward": "score", "auto_forced": False, "max_decisions": None,
    "ante": 2, "voluntary_pass": False, "odd_chip": "high_then_left", "max_hands": None, "first_dealer": "random",
    "deal_rotation": "left",
}  # fmt: skip
PRESETS = {"strategic_high_low": {"voluntary_pass": True}}


def complete(given: dict[str, Any]) -> dict[str, Any]:
    """Every option of the setting that these keyword arguments ask for."""
    return DEFAULTS | PRESETS.get(given.get("rules", ""), {}) | given


def random_setting(rng: random.Random) -> dict[str, Any]:
    """Keyword arguments drawn from all values of all options."""
    players = rng.randint(2, 8)
    return {
        "num_players": players,
        "match": rng.random() < 0.4,
        "reward": rng.choice(["score", "score", "win"]),
        "max_decisions": rng.choice([None, None, rng.randint(1, 60)]),
        "ante": rng.choice([2, 1, 3, rng.randint(1, 100)]),
        "voluntary_pass": rng.random() < 0.7,
        "odd_chip": rng.choice(["high_then_left", "fraction"]),
        "max_hands": rng.choice([None, 1, 3]),
        "first_dealer": rng.choice(["random", 0, players - 1]),
        "deal_rotation": rng.choice(["left", "winner", "loser", "random"]),
    }


def count(cards: list[str]) -> int:
    """What remaining cards count: ace 15, court cards 10, others their face value."""
    return sum({"A": 15, "K": 10, "Q": 10, "J": 10, "T": 10}.get(card[0]) or int(card[0]) for card in cards)


class Model:
    """One episode. Piles are lists with the top first; hands are lists in no order; actions and cards are text.

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

    @property
    def truncated(self) -> bool:
        return not self.over and self.decisions >= self.limit

    def start(self, deck: list[str], dealer: int) -> None:
        """Begin the episode with a whole deck, its first card first."""
        self.dealer = dealer
        self.deal(list(deck))

    def deal(self, deck: list[str]) -> None:
        """Antes; five cards each, one at a time from the dealer's left; eight cards face up in the middle."""
        assert Counter(deck) == Counter(PACK)
        self.pot = self.n * self.o["ante"]
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        for k in range(5 * self.n):
            self.hands[(self.dealer + 1 + k) % self.n].append(deck.pop(0))
        self.layout = [[deck.pop(0)] for _ in range(8)]
        self.stock = deck
        self.passes = 0
        self.seat: int | None = (self.dealer + 1) % self.n

    def playable(self) -> list[str]:
        assert self.seat is not None
        tops = {pile[0][0] for pile in self.layout}
        return [card for card in self.hands[self.seat] if card[0] in tops]

    def legal(self) -> set[str]:
        actions = {f"play {card}" for card in self.playable()}
        if not actions or self.o["voluntary_pass"]:
            actions.add("pass")
        return actions

    def act(self, action: str) -> list[Fraction]:
        """Make an action; what each seat gained by it."""
        assert action in self.legal() and self.seat is not None
        self.decisions += 1
        seat = self.seat
        if action == "pass":
            self.passes += 1
        else:
            card = action.split()[1]
            self.hands[seat].remove(card)
            next(pile for pile in self.layout if pile[0][0] == card[0]).insert(0, card)
            self.passes = 0
        if self.hands[seat] and self.passes < self.n:
            self.seat = (seat + 1) % self.n
            return [Fraction(0)] * self.n
        return self.end()

    def end(self) -> list[Fraction]:
        """Pay the pot and go on to the next deal, or end."""
        won = self.shares()
        self.payoffs = [chips - self.o["ante"] for chips in won]
        assert sum(self.payoffs) == 0
        self.scores = [score + chips for score, chips in zip(self.scores, self.payoffs, strict=True)]
        if self.o["match"] and self.hand_number + 1 < (self.o["max_hands"] or self.n):
            self.hand_number += 1
            true = self.oracle()
            self.dealer = self.next_dealer(true["dealer"])
            dealt = list(map(list, true["hands"]))
            assert [len(hand) for hand in dealt] == [5] * self.n and [len(pile) for pile in true["layout"]] == [1] * 8
            # Within a hand the order of dealing is lost, and does not matter.
            order = [dealt[(self.dealer + 1 + k) % self.n].pop() for k in range(5 * self.n)]
            self.deal([*order, *(pile[0] for pile in true["layout"]), *true["stock"]])
        else:
            self.over, self.seat, self.pot = True, None, 0
        return self.payoffs

    def shares(self) -> list[Fraction]:
        """The chips that each seat takes out of the pot."""
        out = [seat for seat in range(self.n) if not self.hands[seat]]
        if out:
            return [Fraction(self.pot if seat == out[0] else 0) for seat in range(self.n)]
        counts = [count(hand) for hand in self.hands]
        if len(set(counts)) == 1:
            return [Fraction(self.o["ante"])] * self.n
        low = self.pot // 2
        halves = {max(counts): Fraction(self.pot - low), min(counts): Fraction(low)}
        if self.o["odd_chip"] == "fraction":
            halves = dict.fromkeys(halves, Fraction(self.pot, 2))
        won = [Fraction(0)] * self.n
        for wanted, half in halves.items():
            order = [(self.dealer + 1 + k) % self.n for k in range(self.n)]
            tied = [seat for seat in order if counts[seat] == wanted]
            each = half / len(tied) if self.o["odd_chip"] == "fraction" else Fraction(half // len(tied))
            for seat in tied:
                won[seat] += each
            for seat in tied[: int(half - each * len(tied))]:
                won[seat] += 1
        return won

    def next_dealer(self, true: int) -> int:
        order = [(self.dealer + 1 + k) % self.n for k in range(self.n)]
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
