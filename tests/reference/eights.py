"""An independent model of the eights family in lists and dicts, written from the rule book and the tables of options.

It is slow and plain on purpose, knows nothing of the package, and is right by being readable. Chance after the deal (a wild
starter put back at random, a reshuffle, the later deals of a match) is taken from an oracle, checked, and adopted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference import settings

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [rank + suit for rank in RANKS for suit in SUITS]


class Model:
    """One episode. Piles are lists with the top first; hands are lists in no order; actions and cards are text.

    Args:
        options: a complete or partial setting (keyword arguments of the environment).
        oracle: returns the true state in words; asked only when chance has acted.
    """

    def __init__(self, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]):
        o = {
            "num_players": 4, "match": False, "reward": "score", "max_decisions": None, "decks": 1, "hand_size": 5,
            "wild_rank": "8", "starter_wild": "bury", "bury": "middle", "match_rule": "either", "draw_limit": 3,
            "voluntary_draw": "none", "play_after_draw": "any", "stock_end": "end_of_turn", "score_mode": "penalty",
            "stock_end_payment": "none", "target": None, "rounds": 5, "final_tie": "share", "deal_rotation": "left",
        } | options  # fmt: skip
        self.o = o
        self.oracle = oracle
        self.n: int = o["num_players"]
        self.pack = PACK * settings.decks(o)
        self.scores = [Fraction(0)] * self.n
        self.collected = [Fraction(0)] * self.n
        self.payoffs: list[Fraction] | None = None
        self.hand_number = 0
        self.decisions = 0
        self.over = False
        self.limit = o["max_decisions"] or (20_000 if o["match"] else 2_000)

    # The deal

    def deal(self, deck: list[str], dealer: int) -> None:
        """Deal the first hand from a whole deck, its first card first."""
        assert Counter(deck) == Counter(self.pack)
        self.dealer = dealer
        deck = list(deck)
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        seat = dealer
        for _ in range(self.n * settings.hand_size(self.o)):
            seat = self.left(seat)
            self.hands[seat].append(deck.pop(0))
        self.stock = deck
        starter = self.stock.pop(0)
        while self.is_wild(starter) and self.o["starter_wild"] == "bury":
            self.bury(starter)
            if self.discard_known:
                break
            starter = self.stock.pop(0)
        if not self.discard_known:
            self.discard = [starter]
        self.begin()

    discard_known = False

    def bury(self, card: str) -> None:
        how = self.o["bury"]
        if how == "middle":
            self.stock.insert(len(self.stock) // 2, card)
        elif how == "bottom":
            self.stock.append(card)
        else:
            # Random: the true stock and starter are adopted, if no rule is broken.
            true = self.oracle()
            rest = self.stock
            assert Counter(true["stock"] + true["discard"]) == Counter([*rest, card])
            assert len(true["discard"]) == 1 and not self.is_wild(true["discard"][0])
            if how == "random":
                plain = [c for c in true["discard"] + true["stock"] if not self.is_wild(c)]
                assert plain == [c for c in rest if not self.is_wild(c)], "burying moved a card that was not buried"
            self.stock, self.discard = list(true["stock"]), list(true["discard"])
            self.discard_known = True

    def begin(self) -> None:
        """The first turn, or the naming of a wild starter's suit."""
        starter = self.discard[0]
        self.suit: str | None = starter[1]
        self.phase, self.seat = "TURN", self.left(self.dealer)
        self.naming_starter = False
        if self.is_wild(starter) and self.o["starter_wild"] in ("first_player_names", "dealer_names"):
            self.phase, self.naming_starter = "SUIT", True
            if self.o["starter_wild"] == "dealer_names":
                self.seat = self.dealer
        self.passes = 0
        self.closing = False
        self.new_turn()

    def new_turn(self) -> None:
        self.drawn: list[str] = []
        self.drawn_holding_playable = 0

    def left(self, seat: int) -> int:
        return (seat + 1) % self.n

    def is_wild(self, card: str) -> bool:
        return card[0] == self.o["wild_rank"]

    # Decisions

    def fits(self, card: str) -> bool:
        top = self.discard[0]
        if self.is_wild(card):
            return True
        if self.is_wild(top):
            return card[1] == self.suit
        same = [card[1] == self.suit, card[0] == top[0]]
        return all(same) if self.o["match_rule"] == "both" else any(same)

    def plays(self) -> set[str]:
        cards = {card for card in self.hands[self.seat] if self.fits(card)}
        if self.drawn and self.o["play_after_draw"] == "none":
            return set()
        if self.drawn and self.o["play_after_draw"] == "drawn_only":
            return cards & set(self.drawn)
        return cards

    def can_draw(self) -> bool:
        return bool(self.stock) or (self.o["stock_end"] == "reshuffle" and len(self.discard) > 1)

    def below_limit(self) -> bool:
        return self.o["draw_limit"] is None or len(self.drawn) < self.o["draw_limit"]

    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        if self.over:
            return set()
        if self.phase == "SUIT":
            return {f"suit {suit}" for suit in SUITS}
        plays = self.plays()
        actions = {f"play {card}" for card in plays}
        allowed = {"unlimited": True, "one": self.drawn_holding_playable < 1, "none": False}[self.o["voluntary_draw"]]
        if self.can_draw() and self.below_limit() and (not plays or allowed):
            actions.add("draw")
        return actions or {"pass"}

    # Transitions

    def act(self, action: str) -> list[Fraction]:
        """Make a legal action; returns what each seat gained by it under ``reward="score"``."""
        assert action in self.legal(), (action, self.legal())
        self.decisions += 1
        self.gained = [Fraction(0)] * self.n
        word, _, what = action.partition(" ")
        if word == "play":
            self.hands[self.seat].remove(what)
            self.discard.insert(0, what)
            self.suit = what[1]
            self.passes = 0
            if not self.hands[self.seat]:
                self.end_hand(self.seat)
            elif self.closing:
                self.end_hand(None)
            elif self.is_wild(what):
                self.phase = "SUIT"
            else:
                self.next_turn()
        elif word == "suit":
            self.suit = what
            self.phase = "TURN"
            if self.naming_starter:
                self.naming_starter = False
                self.seat = self.left(self.dealer)
            else:
                self.next_turn()
        elif word == "draw":
            self.draw()
        elif self.closing:
            self.end_hand(None)
        else:
            self.passes = 0 if self.can_draw() else self.passes + 1
            if self.passes == self.n:
                self.end_hand(None)
            else:
                self.next_turn()
        return self.gained

    def draw(self) -> None:
        if any(self.fits(card) for card in self.hands[self.seat]):
            self.drawn_holding_playable += 1
        if not self.stock:
            true = self.oracle()
            card = (Counter(true["hands"][self.seat]) - Counter(self.hands[self.seat])).popitem()[0]
            new = [card, *true["stock"]]
            assert Counter(new) == Counter(self.discard[1:]), "a reshuffle takes all discards but the top one"
            self.stock, self.discard = new, self.discard[:1]
        card = self.stock.pop(0)
        self.hands[self.seat].append(card)
        self.drawn.append(card)
        if not self.stock and self.o["stock_end"] == "immediate":
            self.end_hand(None)
            return
        if not self.stock and self.o["stock_end"] == "end_of_turn":
            self.closing = True
        self.check_failed_draw()

    def next_turn(self) -> None:
        self.seat = self.left(self.seat)
        self.new_turn()
        self.check_failed_draw()

    def check_failed_draw(self) -> None:
        must_draw = self.phase == "TURN" and not self.plays() and self.below_limit()
        if self.o["stock_end"] == "on_failed_draw" and must_draw and not self.stock:
            self.end_hand(None)

    # Scoring

    def value(self, card: str) -> int:
        if self.is_wild(card):
            return 50
        if card[0] in "TJQK":
            return 10
        return 1 if card[0] == "A" else int(card[0])

    def end_hand(self, out: int | None) -> None:
        held = [Fraction(sum(self.value(card) for card in hand)) for hand in self.hands]
        collects = out is not None or self.o["stock_end_payment"] == "difference"
        paid = [Fraction(0)] * self.n
        charge = held
        if collects:
            least = min(held)
            receivers = [seat for seat in range(self.n) if held[seat] == least]
            if out is not None:
                receivers, least = [out], Fraction(0)
            total = sum(value - least for value in held)
            paid = [total / len(receivers) if seat in receivers else least - held[seat] for seat in range(self.n)]
            charge = [value - least for value in held]
        mode = self.o["score_mode"]
        points = charge if mode == "penalty" else paid
        payoff = points if mode == "collect_high_wins" else [-p for p in points]
        self.payoffs = payoff
        for seat in range(self.n):
            self.scores[seat] += points[seat]
            self.collected[seat] += paid[seat]
            self.gained[seat] += payoff[seat]
        if not self.o["match"] or self.match_is_over():
            self.over = True
            return
        self.next_hand(payoff)

    def best_total(self) -> list[int]:
        best = max(self.scores) if self.o["score_mode"] == "collect_high_wins" else min(self.scores)
        return [seat for seat in range(self.n) if self.scores[seat] == best]

    def match_is_over(self) -> bool:
        target = self.o["target"]
        if target == "auto":
            target = 100 + 50 * (self.n - 2)
        ended = max(self.scores) >= target if target is not None else self.hand_number + 1 >= self.o["rounds"]
        return ended and not (self.o["final_tie"] == "extra_round" and len(self.best_total()) > 1)

    def next_hand(self, payoff: list[Fraction]) -> None:
        """The next deal is chance: adopted after a check of what the rules fix."""
        true = self.oracle()
        self.hand_number += 1
        rotation = self.o["deal_rotation"]
        if rotation == "left":
            self.dealer = self.left(self.dealer)
        elif rotation == "random":
            self.dealer = true["dealer"]
        else:
            wanted = max(payoff) if rotation == "winner" else min(payoff)
            order = [(self.dealer + k) % self.n for k in range(1, self.n + 1)]
            self.dealer = next(seat for seat in order if payoff[seat] == wanted)
        self.hands = [list(hand) for hand in true["hands"]]
        self.stock, self.discard = list(true["stock"]), list(true["discard"])
        assert all(len(hand) == settings.hand_size(self.o) for hand in self.hands) and len(self.discard) == 1
        assert Counter(self.pack) == Counter([*self.stock, *self.discard, *(c for hand in self.hands for c in hand)])
        assert not (self.o["starter_wild"] == "bury" and self.is_wild(self.discard[0]))
        self.begin()

    # The end

    @property
    def truncated(self) -> bool:
        return not self.over and self.decisions >= self.limit

    def win_shares(self) -> list[Fraction]:
        """The rewards of ``reward="win"`` after the end: winners share +1, losers -1; without either all 0."""
        assert self.payoffs is not None
        if self.o["match"]:
            won = self.best_total()
        else:
            won = [seat for seat in range(self.n) if self.payoffs[seat] == max(self.payoffs)]
        lost = self.n - len(won)
        if not lost:
            return [Fraction(0)] * self.n
        return [Fraction(1, len(won)) if seat in won else Fraction(-1, lost) for seat in range(self.n)]
