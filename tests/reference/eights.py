"""An independent model of the eights family in lists and dicts, written from the rule book and the tables of options.

It is slow and plain on purpose, knows nothing of the package, and is right by being readable. Chance after the deal (a wild
starter put back at random, a reshuffle, the later deals of a match, cards restored to the stock) is taken from an oracle,
checked, and adopted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from reference import settings
from reference.compare import best, win_shares

SIDES = ((0, 2), (1, 3))


class Model:
    """One episode. Piles are lists with the top first; hands are lists in no order; actions and cards are text.

    Args:
        variant: the name of the environment, which gives the defaults.
        options: a complete or partial setting (keyword arguments of the environment).
        oracle: returns the true state in words; asked only when chance has acted.
    """

    def __init__(self, variant: str, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]):
        self.o = settings.complete(variant, options)
        self.oracle = oracle
        self.n: int = self.o["num_players"]
        self.pack = list(settings.pack(self.o))
        self.suits = sorted({card[1] for card in self.pack})
        self.scores = [Fraction(0)] * self.n
        self.collected = [Fraction(0)] * self.n
        self.payoffs: list[Fraction] | None = None
        self.hand_number = 0
        self.decisions = 0
        self.over = False
        self.limit = self.o["max_decisions"] or (20_000 if self.o["match"] else 2_000)

    # The deal

    def start(self, deck: list[str], dealer: int) -> None:
        """Begin the episode with a whole deck, its first card first."""
        self.dealer = dealer
        self.new_hand(deck)

    def new_hand(self, deck: list[str]) -> None:
        assert Counter(deck) == Counter(self.pack)
        self.clear_table()
        self.stock = list(deck)
        if self.o["cut_as_action"]:
            self.phase, self.seat = "CUT", (self.dealer - 1) % self.n
        else:
            self.deal()

    def clear_table(self) -> None:
        self.hands: list[list[str]] = [[] for _ in range(self.n)]
        self.stock: list[str] = []
        self.discard: list[str] = []
        self.suit: str | None = None
        self.direction = 1
        self.pending = 0
        self.passes = 0
        self.closing = False
        self.out: list[int] = []
        self.turn_made = False
        self.excess = [0] * self.n
        self.missing = [0] * self.n
        self.new_turn()

    def deal(self) -> None:
        """Cards go one at a time from the dealer's left; then the starter is turned."""
        seat = self.dealer
        for _ in range(self.n * settings.hand_size(self.o)):
            seat = (seat + 1) % self.n
            self.hands[seat].append(self.stock.pop(0))
        while not self.discard:
            starter = self.stock.pop(0)
            if self.is_wild(starter) and self.o["starter_wild"] == "bury":
                self.bury(starter)
            else:
                self.discard = [starter]
        self.begin()

    def bury(self, card: str) -> None:
        how = self.o["bury"]
        if how == "middle":
            # Never above the first plain card: with wild cards alone above the middle, turning and burying would not end.
            plain = next(k for k, c in enumerate(self.stock) if not self.is_wild(c))
            self.stock.insert(max(len(self.stock) // 2, plain + 1), card)
        elif how == "bottom":
            self.stock.append(card)
        else:
            # Random: the true stock and starter are adopted, if no rule is broken.
            true = self.oracle()
            assert Counter(true["stock"] + true["discard"]) == Counter([*self.stock, card])
            assert len(true["discard"]) == 1 and not self.is_wild(true["discard"][0])
            if how == "random":
                plain = [c for c in true["discard"] + true["stock"] if not self.is_wild(c)]
                assert plain == [c for c in self.stock if not self.is_wild(c)], "burying moved a card that was not buried"
            self.stock, self.discard = list(true["stock"]), list(true["discard"])

    def begin(self) -> None:
        """The first turn, or the naming of a wild starter's suit."""
        starter = self.discard[0]
        self.suit = starter[1]
        self.seat = self.dealer
        self.naming_starter = self.is_wild(starter) and self.o["starter_wild"] in ("first_player_names", "dealer_names")
        if self.naming_starter:
            self.phase = "SUIT"
            if self.o["starter_wild"] == "first_player_names":
                self.seat = self.next_in_play(self.dealer)
        elif self.o["starter_effects"] == "all":
            self.go_on_after(starter)
        else:
            self.next_turn()

    # Seats

    def next_in_play(self, seat: int) -> int:
        """The next seat with cards, in the direction of play."""
        while True:
            seat = (seat + self.direction) % self.n
            if self.hands[seat]:
                return seat

    def in_play(self) -> int:
        return sum(bool(hand) for hand in self.hands)

    def new_turn(self) -> None:
        self.drawn: list[str] = []
        self.drawn_holding_playable = 0
        self.must_play = False

    def next_turn(self, skipped: int = 0) -> None:
        for _ in range(1 + skipped):
            self.seat = self.next_in_play(self.seat)
        self.phase = "TURN"
        self.new_turn()
        self.check_stuck()

    # Cards

    def is_wild(self, card: str) -> bool:
        return card[0] == self.o["wild_rank"]

    def fits(self, card: str) -> bool:
        top = self.discard[0]
        if self.is_wild(card):
            return True
        if self.is_wild(top):
            return card[1] == self.suit
        same = [card[1] == self.suit, card[0] == top[0]]
        return all(same) if self.o["match_rule"] == "both" else any(same)

    def effect(self, card: str) -> str:
        """The text of a card's effect, empty without one; a card's own entry wins over that of its rank."""
        if self.is_wild(card):
            return ""
        return self.o["effects"].get(card, self.o["effects"].get(card[0], ""))

    def value(self, card: str) -> int:
        rank, table = card[0], self.o["card_values"]
        if table == "count":
            return 1
        if table == "hoyle":
            return 50 if self.is_wild(card) else 10 if rank in "TJQK" else 1 if rank == "A" else int(rank)
        if rank == "8":
            return 50
        if rank in "JQKA":
            return 10
        if table == "openspiel":
            return settings.STANDARD.index(card) + 2
        return 10 if rank == "T" else int(rank)

    # Decisions

    def plays(self) -> set[str]:
        """What the seat whose turn it is may play, no draw effect pending."""
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
        if self.phase == "CUT":
            return {f"cut {k}" for k in range(5, len(self.pack) - 4)}
        if self.phase == "SUIT":
            return {f"suit {suit}" for suit in self.suits}
        if self.phase == "DEMAND":
            return {"demand", "silent"}
        return self.turn_actions()

    def turn_actions(self) -> set[str]:
        if any(self.missing):
            return {"draw"}
        if self.pending:
            hand = self.hands[self.seat]
            return {"draw"} | {f"play {c}" for c in hand if self.fits(c) and self.effect(c).endswith("stack")}
        plays = self.plays()
        actions = {f"play {card}" for card in plays}
        if self.must_play:
            return actions
        if self.o["draw_mode"] == "optional":
            return actions | ({"draw"} if self.can_draw() and self.below_limit() else {"pass"})
        allowed = {"unlimited": True, "one": self.drawn_holding_playable < 1, "none": False}[self.o["voluntary_draw"]]
        if self.can_draw() and self.below_limit() and (not plays or allowed):
            actions.add("draw")
        if not actions or (self.o["holdback"] and not self.stock):
            actions.add("pass")
        return actions

    # Transitions

    def act(self, action: str) -> list[Fraction]:
        """Make a legal action; returns what each seat gained by it under ``reward="score"``."""
        assert action in self.legal(), (action, self.legal())
        self.decisions += 1
        self.gained = [Fraction(0)] * self.n
        word, _, what = action.partition(" ")
        if self.phase == "TURN" and not any(self.missing):
            self.turn_made = True
        if word == "cut":
            self.stock = self.stock[int(what) :] + self.stock[: int(what)]
            self.deal()
        elif word == "play":
            self.play(what)
        elif word == "suit":
            self.name_suit(what)
        elif word == "draw":
            self.draw()
        elif word == "pass":
            self.pass_turn()
        else:
            self.answer(demanded=word == "demand")
        return self.gained

    def play(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        self.put_down(card)
        self.suit = card[1]
        self.passes = 0
        if not self.hands[self.seat]:
            self.out.append(self.seat)
        if self.closing or self.somebody_won():
            self.end_hand()
        elif self.is_wild(card):
            self.phase = "SUIT"
        else:
            self.go_on_after(card)

    def put_down(self, card: str) -> None:
        self.discard.insert(0, card)

    def somebody_won(self) -> bool:
        """Whether those who are out end the hand."""
        if self.o["partnership"]:
            return self.side_out() is not None
        return self.in_play() == 1 if self.o["play_on"] else bool(self.out)

    def side_out(self) -> tuple[int, int] | None:
        return next((side for side in SIDES if set(side) <= set(self.out)), None)

    def go_on_after(self, card: str) -> None:
        """The hand goes on: the card's effect happens, and the turn passes."""
        effect = self.effect(card)
        if effect == "reverse" and self.n > 2:
            self.direction = -self.direction
        if effect.startswith("draw") and self.can_draw():
            self.pending += int(effect.split()[1])
        self.next_turn(skipped=int(effect == "skip"))

    def name_suit(self, suit: str) -> None:
        self.suit = suit
        if self.naming_starter:
            self.naming_starter = False
            self.seat = self.dealer
        self.next_turn()

    def draw(self) -> None:
        if any(self.missing):
            self.draw_missing()
        elif self.pending:
            due, self.pending = self.pending, 0
            self.take(due)
            if not self.stock and self.o["stock_end"] in ("immediate", "end_of_turn"):
                self.end_hand()
            else:
                self.next_turn()
        else:
            if any(self.fits(card) for card in self.hands[self.seat]):
                self.drawn_holding_playable += 1
            self.drawn += self.take(1)
            if not self.stock and self.o["stock_end"] == "immediate":
                self.end_hand()
                return
            self.closing = not self.stock and self.o["stock_end"] == "end_of_turn"
            self.check_stuck()

    def take(self, due: int) -> list[str]:
        """The seat to move draws up to so many cards; what cannot be drawn is waived. Returns the cards."""
        hand = self.hands[self.seat]
        taken = self.stock[:due]
        del self.stock[:due]
        hand += taken
        if len(taken) == due or self.o["stock_end"] != "reshuffle":
            return taken
        # The discards under the top card are a new stock: the true outcome of the shuffle is adopted.
        under, self.discard = self.discard[1:], self.discard[:1]
        rest = due - len(taken)
        if rest >= len(under):
            new, self.stock = under, []
        else:
            true = self.oracle()
            new = list((Counter(true["hands"][self.seat]) - Counter(hand)).elements())
            self.stock = list(true["stock"])
            assert len(new) == rest and Counter(new + self.stock) == Counter(under), "all discards but the top one"
        hand += new
        return taken + new

    def pass_turn(self) -> None:
        if self.closing:
            self.end_hand()
        elif self.o["holdback"]:
            self.phase, self.passer = "DEMAND", self.seat
            self.seat = self.next_in_play(self.passer)
        else:
            self.pass_stands()

    def answer(self, demanded: bool) -> None:
        """A seat demands that the passer plays, or keeps silent; the first demand closes the window."""
        if not demanded:
            self.seat = self.next_in_play(self.seat)
        if demanded or self.seat == self.passer:
            self.phase, self.seat = "TURN", self.passer
            self.must_play = demanded and bool(self.plays())
            if not self.must_play:
                self.pass_stands()

    def pass_stands(self) -> None:
        self.passes = 0 if self.can_draw() else self.passes + 1
        if self.passes == self.in_play():
            # Also with block="immediate", where all may pass who could play (draw_mode="optional"): RE-21.
            self.end_hand()
        else:
            self.next_turn()

    def check_stuck(self) -> None:
        """The ends that come before a decision: a draw that must be made and cannot, and a block at once."""
        if self.can_draw() or self.phase != "TURN":
            return
        if self.o["stock_end"] == "on_failed_draw":
            if not self.plays() and self.below_limit():
                self.end_hand()
        elif self.o["block"] == "immediate" and not any(self.fits(card) for hand in self.hands for card in hand):
            self.end_hand()

    # Irregularities

    def misdeal(self, seat: int, k: int) -> None:
        """A seat was dealt so many cards too many, or too few (k < 0), which it must draw before play begins."""
        if k > 0:
            self.hands[seat] += self.stock[:k]
            del self.stock[:k]
            self.excess[seat] = k
            return
        true = self.oracle()
        back = true["stock"][:-k]
        assert true["stock"][-k:] == self.stock and Counter(true["hands"][seat]) + Counter(back) == Counter(self.hands[seat])
        self.hands[seat], self.stock = list(true["hands"][seat]), list(true["stock"])
        if not any(self.missing):
            self.due = self.phase, self.seat
        self.missing[seat] = -k
        self.ask_for_missing()

    def ask_for_missing(self) -> None:
        """Seats that are short draw in turn order from the dealer's left; then what was due is due."""
        order = [(self.dealer + k) % self.n for k in range(1, self.n + 1)]
        short = [seat for seat in order if self.missing[seat]]
        self.phase, self.seat = ("TURN", short[0]) if short else self.due

    def draw_missing(self) -> None:
        self.hands[self.seat].append(self.stock.pop(0))
        self.missing[self.seat] -= 1
        self.ask_for_missing()

    def reclaim(self, by: int, frm: int, idx: list[int]) -> None:
        """Another seat takes cards of the excess unseen and restores them to the stock."""
        assert by != frm and len(idx) <= self.excess[frm]
        self.excess[frm] -= len(idx)
        true = self.oracle()
        back = Counter(self.hands[frm]) - Counter(true["hands"][frm])
        assert back.total() == len(idx) == len(self.hands[frm]) - len(true["hands"][frm])
        assert Counter(true["stock"]) == Counter(self.stock) + back
        if self.o["excess_to"] == "bottom":
            assert true["stock"][: len(self.stock)] == self.stock
        else:
            rest = iter(true["stock"])
            assert all(card in rest for card in self.stock), "restoring moved a card that was not restored"
        self.hands[frm], self.stock = list(true["hands"][frm]), list(true["stock"])

    # Scoring

    def end_hand(self) -> None:
        paid, charge = self.settlement()
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

    def settlement(self) -> tuple[list[Fraction], list[Fraction]]:
        """What each seat collects (zero-sum), and what each is charged where points are penalties."""
        held = [Fraction(sum(self.value(card) for card in hand)) for hand in self.hands]
        if self.o["partnership"]:
            return self.side_payments(held), held
        if not self.out and self.o["stock_end_payment"] == "none":
            return [Fraction(0)] * self.n, held
        if self.out:
            least, receivers = Fraction(0), [self.out[0]]
        else:
            least = min(held)
            receivers = [seat for seat in range(self.n) if held[seat] == least]
        total = sum(value - least for value in held)
        paid = [total / len(receivers) if seat in receivers else least - held[seat] for seat in range(self.n)]
        return paid, [value - least for value in held]

    def side_payments(self, held: list[Fraction]) -> list[Fraction]:
        """The side's result, or half of it, for each partner."""
        counts = [sum(held[seat] for seat in side) for side in SIDES]
        won = self.side_out()
        if won is None and self.o["stock_end_payment"] == "none":
            return [Fraction(0)] * self.n
        # The side that is out holds nothing, so that it gets what the others hold: a difference too.
        result = counts[1] - counts[0]
        assert won is None or counts[SIDES.index(won)] == 0
        if self.o["partner_payment"] == "half":
            result /= 2
        return [result if seat in SIDES[0] else -result for seat in range(self.n)]

    # The match

    def best_total(self) -> list[int]:
        best = max(self.scores) if self.o["score_mode"] == "collect_high_wins" else min(self.scores)
        return [seat for seat in range(self.n) if self.scores[seat] == best]

    def match_is_over(self) -> bool:
        target = self.o["target"]
        if target == "auto":
            target = 100 + 50 * (self.n - 2)
        ended = max(self.scores) >= target if target is not None else self.hand_number + 1 >= self.o["rounds"]
        return ended and not (self.o["final_tie"] == "extra_round" and self.is_tied())

    def is_tied(self) -> bool:
        """Whether the best total is shared, by players or by sides."""
        return len(self.best_total()) > (2 if self.o["partnership"] else 1)

    def next_hand(self, payoff: list[Fraction]) -> None:
        """The next deal is chance: adopted after a check of what the rules fix."""
        true = self.oracle()
        self.hand_number += 1
        rotation = self.o["deal_rotation"]
        if rotation == "left":
            self.dealer = (self.dealer + 1) % self.n
        elif rotation == "random":
            self.dealer = true["dealer"]
        else:
            wanted = max(payoff) if rotation == "winner" else min(payoff)
            order = [(self.dealer + k) % self.n for k in range(1, self.n + 1)]
            self.dealer = next(seat for seat in order if payoff[seat] == wanted)
        if self.o["cut_as_action"]:
            self.new_hand(true["stock"])
            return
        self.clear_table()
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
            won = best(self.payoffs)
        return win_shares(won, self.n)


class OpenSpielModel(Model):
    """What ``rules="openspiel"`` has of its own, beside its words in the table of options."""

    def __init__(self, variant: str, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]):
        super().__init__(variant, options, oracle)
        self.card_plays = 0

    def can_draw(self) -> bool:
        return bool(self.stock)

    def somebody_won(self) -> bool:
        return super().somebody_won() or self.card_plays == self.o["max_plays"]

    def play(self, card: str) -> None:
        self.card_plays += 1
        super().play(card)

    def put_down(self, card: str) -> None:
        super().put_down(card)
        self.reshuffle()

    def take(self, due: int) -> list[str]:
        taken = super().take(due)
        self.reshuffle()
        return taken

    def reshuffle(self) -> None:
        """At once when the last stock card leaves, or on the next play."""
        if self.stock or not self.o["reshuffle"] or len(self.discard) == 1:
            return
        under, self.discard = self.discard[1:], self.discard[:1]
        self.stock = under if len(under) == 1 else list(self.oracle()["stock"])
        assert Counter(self.stock) == Counter(under)

    def draw(self) -> None:
        due, drawer = self.pending, self.hands[self.seat]
        held = len(drawer)
        super().draw()
        if due and not self.stock and len(drawer) == held + due:
            self.passes = 1

    def pass_stands(self) -> None:
        self.passes = 0 if self.stock else self.passes + 1
        if self.passes == self.n + 1:
            self.end_hand()
        else:
            self.next_turn()


def model_for(variant: str, options: dict[str, Any], oracle: Callable[[], dict[str, Any]]) -> Model:
    kind = OpenSpielModel if options.get("rules") == "openspiel" else Model
    return kind(variant, options, oracle)
