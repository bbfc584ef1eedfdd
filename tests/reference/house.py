"""An independent model of House Rules in lists and dicts, written from the rule book and the tables of options.

It is slow and plain on purpose, knows nothing of the package, and is right by being readable. Piles have the top first; hands
are lists in no order; cards and actions are text. Chance is asked of ``house_chance``: either the model's own dice, or the true
game, watched. Cards whose order only the true game knows are tokens (``"?7"``) until the end of the step, which names them.

The order of what follows a discard is that of RULES.md 8.10: ``play`` (1, 2, 3), ``after_suit`` (4), ``after_window`` (5, 6),
``happen`` (7) and ``begin_turn`` (8).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from reference import house_settings as settings
from reference.compare import best, win_shares
from reference.house_chance import Dice, Watched
from reference.house_scores import is_joker, settle_chips, settle_points, value

ALL_SUITS = "CDHS"
Exposure = dict[str, Any]


class Model:
    """One episode.

    Args:
        options: keyword arguments of the environment.
        chance: answers what chance decides.
    """

    def __init__(self, options: dict[str, Any], chance: Dice | Watched):
        self.o = settings.complete(options)
        self.chance = chance
        self.n: int = self.o["num_players"]
        self.pack = settings.pack(self.o)
        self.chips = self.o["scoring"] == "chips"
        self.scores = [100 if self.chips else 0] * self.n
        self.mojo = set(self.o["mojo_seats"])
        self.payoffs: list[int] | None = None
        self.scorekeeper: int | None = None
        self.sudden_death = self.over = False
        self.winner: int | None = None
        self.hand_number = self.decisions = 0
        self.limit = self.o["max_decisions"] or (100_000 if self.o["match"] else 5_000)
        self.gained = [0] * self.n

    # The deal

    def start(self, deck: list[str], dealer: int) -> None:
        """Begin the episode with a whole deck, its first card first."""
        self.dealer = dealer
        self.new_hand(deck)

    def new_hand(self, deck: list[str]) -> None:
        n = self.n
        self.hands: list[list[str]] = [[] for _ in range(n)]
        self.penalty: list[list[str]] = [[] for _ in range(n)]
        self.plucked: list[list[str]] = [[] for _ in range(n)]
        self.stock, self.discard = list(deck), []
        self.named: list[str] = []  # for each card of the pile, the suit that it stands for
        self.follow: tuple[str, str] | None = None
        self.run: tuple[str | None, int] = (None, 0)
        self.direction = 1
        self.liable: set[int] = set()
        self.exposed: dict[int, Exposure] = {}
        self.missing: list[int] = [0] * n
        self.grabbed: list[int] = [0] * n
        self.turned: list[str] = []
        self.idle = 0
        self.sum = 0  # of twos that are due
        self.actor = self.dealer
        self.free_next: int | None = None
        self.card_due = False
        self.new_turn()
        if self.o["deal_choice"]:
            self.phase, self.seat = "ELECT", self.dealer
        else:
            self.deal(7)

    def deal(self, size: int) -> None:
        """HR-4 … HR-6, HR-10: one card at a time from the dealer's left, extra cards last, then the starter."""
        order = [(self.dealer + 1 + k) % self.n for k in range(self.n)]
        for _ in range(size):
            for seat in order:
                self.hands[seat].append(self.stock.pop(0))
        for seat in order:
            if seat in self.mojo and size == 7:
                self.hands[seat].append(self.stock.pop(0))
        self.turn_starter()

    def turn_starter(self) -> None:
        while True:
            card = self.chance.turn_starter(self)
            if card[0] == "8" and self.o["starter_wild"] == "bury":
                self.stock.insert(len(self.stock) // 2, card)
                continue
            self.put_down(card, counts=self.o["M_counts_starter"])
            if not is_joker(card):
                break
        self.follow = (card[0], card[1])
        first = self.next(self.dealer)
        if card[0] == "8" and self.o["starter_wild"] in ("dealer_names", "first_player_names"):
            self.phase, self.naming_starter = "SUIT", True
            self.seat = self.dealer if self.o["starter_wild"] == "dealer_names" else first
        elif self.o["starter_effects"] == "all" or (self.o["starter_effects"] == "twos_only" and card[0] == "2"):
            self.actor = self.dealer
            self.ask_or_happen(card)
        else:
            self.begin_turn(first)

    # Seats and cards

    def next(self, seat: int, steps: int = 1) -> int:
        return (seat + steps * self.direction) % self.n

    def others(self, seat: int) -> list[int]:
        """The other seats in turn order."""
        return [self.next(seat, k) for k in range(1, self.n)]

    def own(self, seat: int) -> list[str]:
        """What may be played: the hand and plucked cards, not penalty cards."""
        return self.hands[seat] + self.plucked[seat]

    def count(self, seat: int) -> int:
        return len(self.hands[seat]) + len(self.penalty[seat]) + len(self.plucked[seat])

    def can_draw(self) -> bool:
        return bool(self.stock) or len(self.discard) > 1

    def put_down(self, card: str, counts: bool = True) -> None:
        """On the pile, and into the row of M's rule."""
        self.discard.insert(0, card)
        self.named.insert(0, card[1])
        if counts:
            self.run = (card[0], self.run[1] + 1 if self.run[0] == card[0] else 1)

    def reshuffle(self) -> None:
        """HR-18: all discards but the top one; the requirement to follow is kept."""
        under, self.discard, self.named = self.discard[1:], self.discard[:1], self.named[:1]
        self.stock = self.chance.reshuffled(self, under)
        if self.o["M_reset_on_reshuffle"]:
            self.run = (None, 0)

    def take(self) -> str | None:
        """The next card of the draw pile; None when there is none at all."""
        if not self.stock and len(self.discard) > 1:
            self.reshuffle()
        if not self.stock:
            return None
        self.idle = 0
        return self.stock.pop(0)

    def draw(self, seat: int, number: int, zone: list[list[str]] | None = None) -> list[str]:
        """A seat draws; what cannot be drawn is waived."""
        cards = [card for card in (self.take() for _ in range(number)) if card is not None]
        (self.hands if zone is None else zone)[seat] += cards
        return cards

    def earlier(self) -> int | None:
        """HR-58: where in the pile lies the card to follow; None if there is none."""
        at = 0
        while at < len(self.discard):
            if not is_joker(self.discard[at]):
                return at
            if self.o["joker_on_joker"] == "skip_two":
                while at + 1 < len(self.discard) and is_joker(self.discard[at + 1]):
                    at += 1
            at += 2
        return None

    def fits(self, card: str) -> bool:
        """HR-17, HR-54, HR-58."""
        if is_joker(card):
            return not (is_joker(self.discard[0]) and self.o["joker_on_joker"] == "forbidden")
        assert self.follow is not None
        return card[0] == "8" or self.free or card[0] == self.follow[0] or card[1] == self.follow[1]

    # Legal actions

    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        if self.over:
            return set()
        if self.phase == "ELECT":
            return {"deal 7", "deal 8"}
        if self.phase == "SUIT":
            return {f"suit {suit}" for suit in ALL_SUITS}
        if self.phase == "CALL":
            return {"call", "silent"}
        if self.phase == "OWNER":
            return {"announce", "silent"}
        if self.phase == "VOTE":
            return {"guilty", "innocent"}
        actions = {"announce"} if self.seat in self.liable else set()
        if self.phase == "RESPOND":
            return actions | {"accept"} | self.play_texts(self.answers())
        if self.phase == "PLUCK":
            return actions | {"submit"} | self.play_texts({c for c in self.own(self.seat) if c[0] in "KX"})
        return actions | self.turn_actions()

    def answers(self) -> set[str]:
        """What may be played in answer to the effect on top of the pile."""
        cards = self.own(self.seat)
        effect = self.effect(self.discard[0])
        jokers = {c for c in cards if is_joker(c) and (effect == "K" or effect in self.o["joker_response"])}
        twos = {c for c in cards if c[0] == "2" and effect == "2" and self.o["stack_twos"]}
        return jokers | twos

    def turn_actions(self) -> set[str]:
        cards = {card for card in self.own(self.seat) if self.fits(card)}
        if self.drawn is not None and self.o["play_after_draw"] != "any":
            cards &= set(self.drawn) if self.o["play_after_draw"] == "drawn_only" else set()
        actions = self.play_texts(cards)
        if self.drawn is None and self.can_draw():
            actions.add("draw")
        else:
            actions.add("end")
        if not self.acted and self.liable - {self.seat}:
            actions.add("call")
        return actions

    def play_texts(self, cards: set[str]) -> set[str]:
        texts = {f"play {card}" for card in cards}
        if self.o["one_card"] == "action" and self.count(self.seat) == 2:
            texts |= {f"play {card} one" for card in cards if not self.would_be_third(card)}
        return texts

    def would_be_third(self, card: str) -> bool:
        return self.run[0] == card[0] and self.run[1] >= 2

    def fumbles(self) -> set[str]:
        """With ``illegal="fumble"``: what is accepted besides the legal actions."""
        if self.over or self.phase != "TURN" or self.o["illegal"] == "error":
            return set()
        named = {f"play {card}{tail}" for card in self.hands[self.seat] for tail in ("", " one")}
        return named - self.legal()

    # Decisions

    def act(self, action: str) -> list[int]:
        """Make an accepted action; returns what each seat gained by it under ``reward="score"``."""
        fumble = action in self.fumbles()
        assert fumble or action in self.legal(), (action, self.legal())
        self.decisions += 1
        self.gained = [0] * self.n
        word, _, what = action.partition(" ")
        if fumble:
            self.acted = True
            self.fumble(self.seat)
        elif word == "deal":
            self.deal(int(what))
        elif word == "play":
            self.play(what.split()[0], announced=what.endswith("one"))
        else:
            {
                "suit": self.name_suit, "draw": self.draw_one, "end": self.end_turn, "announce": self.announce, "call": self.call,
                "silent": self.silent, "accept": self.accept, "submit": self.submit, "guilty": self.vote, "innocent": self.vote,
            }[word](*([what] if word == "suit" else [word == "guilty"] if self.phase == "VOTE" else []))  # fmt: skip
        self.chance.step_ends(self)
        return self.gained

    def draw_one(self) -> None:
        self.acted = True
        self.drawn = self.draw(self.seat, 1)

    def end_turn(self) -> None:
        if self.drawn is None:
            self.idle += 1
        if self.idle == self.n:
            self.end_hand(None)
        else:
            self.turn_over(self.seat)
            self.begin_turn(self.next(self.seat))

    def name_suit(self, suit: str) -> None:
        self.named[0] = suit
        self.follow = ("8", suit)
        if self.naming_starter:
            self.naming_starter = False
            self.begin_turn(self.next(self.dealer))
        else:
            self.after_suit()

    # A discard and what follows it

    def play(self, card: str, announced: bool) -> None:
        """8.10, steps 1 to 3; ``actor`` is who discards."""
        asker, p = self.actor, self.seat
        self.actor = p
        answering = self.phase in ("RESPOND", "PLUCK")
        due = self.o["one_card"] != "off" and self.count(p) == 2 and not self.would_be_third(card)
        (self.hands if card in self.hands[p] else self.plucked)[p].remove(card)
        self.put_down(card)
        self.idle = 0
        if answering:
            self.turn_over(asker)
            self.turn_begins(p)
        self.drawn, self.acted, self.free = None, True, False
        if card[0] != "2":
            self.sum = 0
        self.third = self.run[1] >= 3
        self.card_due = False
        if is_joker(card):
            self.follow_earlier()
        else:
            self.follow = (card[0], card[1])
        if self.count(p) == 0:
            self.go_out(p)
            return
        announced = due and (announced or self.o["one_card"] == "auto") and not self.chance.forgot(self, p)
        if announced:
            self.liable.discard(p)
        self.window = due and not announced
        if self.window:
            self.liable.add(p)
        self.hands[p] += self.penalty[p]
        self.penalty[p] = []
        if card[0] == "8":
            self.phase, self.naming_starter = "SUIT", False
        else:
            self.after_suit()

    def follow_earlier(self) -> None:
        """HR-58, HR-61, HR-12, HR-13: the card to follow once a Joker lies on the pile."""
        if self.o["joker_on_joker"] == "skip_two" and is_joker(self.discard[1]):
            return
        at = self.earlier()
        if at is None:
            self.card_due = True
        else:
            self.follow = (self.discard[at][0], self.named[at])

    def after_suit(self) -> None:
        """Step 4."""
        p = self.actor
        if not self.window:
            self.after_window()
            return
        self.queue = self.others(p)
        race = self.o["one_card_race"]
        if race == "owner_first" or (race == "random" and self.chance.owner_first(self)):
            self.phase, self.seat = "OWNER", p
        else:
            self.ask_callers()

    def ask_callers(self) -> None:
        if self.queue:
            self.phase, self.seat = "CALL", self.queue.pop(0)
        else:
            self.after_window()

    def silent(self) -> None:
        self.ask_callers()

    def call(self) -> None:
        if self.phase == "CALL":
            self.caught(self.actor)
            self.after_window()
        else:
            self.acted = True
            for seat in self.others(self.seat):
                if seat in self.liable:
                    self.caught(seat)

    def caught(self, seat: int) -> None:
        self.liable.discard(seat)
        self.draw(seat, 1)

    def announce(self) -> None:
        self.liable.discard(self.seat)
        self.acted = True
        if self.phase == "OWNER":
            self.after_window()

    def after_window(self) -> None:
        """Steps 5 and 6."""
        p, card = self.actor, self.discard[0]
        if self.third:
            self.draw(p, 1)
        if is_joker(card):
            if self.card_due:
                self.turn_a_card()
            self.pass_turn(p)
        else:
            self.ask_or_happen(card)

    def turn_a_card(self) -> None:
        """HR-12, HR-13: another card, without effect; Jokers are turned over again."""
        if all(is_joker(card) for card in self.stock + self.discard[1:]):
            return
        while True:
            if not self.stock:
                self.reshuffle()
            card = self.chance.named(self, self.stock.pop(0))
            self.put_down(card)
            if not is_joker(card):
                break
        self.follow = (card[0], card[1])

    def effect(self, card: str) -> str:
        """The key of a card's effect, empty without one."""
        return card[0] if card[0] in "A2K" else card if card in ("JC", "JS", "JD", "JH", "QH") else ""

    def ask_or_happen(self, card: str) -> None:
        """Step 6, or 7 at once where nobody is asked."""
        effect, p = self.effect(card), self.actor
        victim = self.next(p)
        if effect == "2":
            self.sum += 2
        if effect == "K":
            if self.n == 2:
                self.phase, self.seat = "PLUCK", victim
                return
            old, new = victim, self.next(p, -1)
            self.queue = {"old_next": [old], "both": [old, new], "new_next": [new]}[self.o["king_joker"]]
            self.phase, self.seat = "RESPOND", self.queue.pop(0)
        elif effect in self.o["joker_response"] or (effect == "2" and self.o["stack_twos"]):
            self.phase, self.seat = "RESPOND", victim
        else:
            self.happen(effect)

    def accept(self) -> None:
        effect = self.effect(self.discard[0])
        if effect == "K" and self.queue:
            self.seat = self.queue.pop(0)
        else:
            self.happen(effect)

    def happen(self, effect: str) -> None:
        """Step 7."""
        p = self.actor
        victim = self.next(p)
        if effect == "K":
            self.direction = -self.direction
            self.pass_turn(p)
            return
        if effect == "A" or effect == "2":
            if effect == "2":
                self.draw(victim, self.sum)
                self.sum = 0
            self.turn_over(p)
            self.turn_begins(victim)
            self.turn_over(victim)
            self.begin_turn(self.next(victim))
            return
        if effect == "JC":
            self.draw(victim, 5)
        elif effect == "JS":
            self.exchange(p, victim)
        elif effect == "JD":
            self.free_next = victim
        elif effect == "JH":
            self.exposed[victim] = {"player": p, "first": True, "slots": 0}
        elif effect == "QH":
            for seat in self.others(p):
                self.draw(seat, 3)
        self.pass_turn(p)

    def exchange(self, p: int, q: int) -> None:
        """HR-52, HR-53."""
        how = self.o["swap_penalty"]
        if how == "travel_free":
            for seat in (p, q):
                self.hands[seat] += self.penalty[seat] + self.plucked[seat]
                self.penalty[seat], self.plucked[seat] = [], []
        zones = [self.hands] if how == "stay" else [self.hands, self.penalty, self.plucked]
        for zone in zones:
            zone[p], zone[q] = zone[q], zone[p]
        self.liable -= {p, q}

    def submit(self) -> None:
        """HR-44, HR-46, HR-47."""
        q = self.seat
        if self.hands[q]:
            card = self.chance.pluck(self, q)
            self.hands[q].remove(card)
            self.plucked[q].append(card)
        self.turn_over(self.actor)
        self.begin_turn(q)

    # Turns

    def pass_turn(self, p: int) -> None:
        """Step 8."""
        self.turn_over(p)
        self.begin_turn(self.next(p))

    def new_turn(self) -> None:
        self.drawn: list[str] | None = None
        self.acted = self.free = False

    def begin_turn(self, seat: int) -> None:
        while self.missing[seat]:  # HR-78
            self.missing[seat] -= 1
            self.free_next = None
            self.turn_begins(seat)
            self.turn_over(seat)
            seat = self.next(seat)
        self.phase, self.seat = "TURN", seat
        self.new_turn()
        self.free, self.free_next = self.free_next == seat, None
        self.turn_begins(seat)
        if self.hands[seat] and self.chance.dropped(self, seat):
            self.fumble(seat)

    def turn_begins(self, seat: int) -> None:
        """HR-55: open hands end when a turn begins, is skipped, or is used up by an answer."""
        how = self.o["jh_duration"]
        for victim, open_hand in list(self.exposed.items()):
            open_hand["slots"] += 1
            first = victim == seat and open_hand["first"]
            ends = {
                "until_own_next_turn": victim == seat and not first,
                "through_own_next_turn": False,
                "until_players_turn": seat == open_hand["player"],
                "n_slots": open_hand["slots"] > self.n,
            }[how]
            if ends:
                del self.exposed[victim]

    def turn_over(self, seat: int) -> None:
        open_hand = self.exposed.get(seat)
        if open_hand is None:
            return
        if self.o["jh_duration"] == "through_own_next_turn" and not open_hand["first"]:
            del self.exposed[seat]
        open_hand["first"] = False

    # The end of a hand

    def go_out(self, p: int) -> None:
        """HR-25, HR-23."""
        if self.o["last_card_effects"]:
            effect = self.effect(self.discard[0])
            if effect == "2":
                self.draw(self.next(p), self.sum + 2)
            elif effect == "JC":
                self.draw(self.next(p), 5)
            elif effect == "QH":
                for seat in self.others(p):
                    self.draw(seat, 3)
        if p in self.liable:
            card = self.take()
            if card is not None:
                self.turned = [card]
        self.end_hand(p)

    def held(self, seat: int, winner: int | None) -> list[str]:
        """The cards that count for a seat."""
        if seat == winner:
            return []
        return [*self.hands[seat], *self.penalty[seat], *self.plucked[seat], *self.turned]

    def end_hand(self, winner: int | None) -> None:
        if winner is None and (self.sudden_death or self.o["blocked_hand"] == "redeal"):
            self.new_hand(self.chance.deck(self))
            return
        ended = True
        if self.sudden_death:
            self.payoffs = [0] * self.n
            self.winner = winner
        else:
            ended = self.settle(winner)
        if not self.o["match"] or (ended and (self.sudden_death or not self.shared_best())):
            self.over = True
            return
        self.sudden_death = ended
        self.hand_number += 1
        self.dealer = (self.dealer + 1) % self.n
        self.new_hand(self.chance.deck(self))

    def settle(self, winner: int | None) -> bool:
        """Score the hand; whether the game is complete by it."""
        self.chance.name_all(self)
        held = [self.held(seat, winner) for seat in range(self.n)]
        if self.chips:
            new, complete = settle_chips(self.o, self.scores, held, self.grabbed, winner)
        else:
            new, complete = settle_points(self.o, self.scores, held, self.grabbed)
        change = [b - a for a, b in zip(self.scores, new, strict=True)]
        self.payoffs = change if self.chips else [-c for c in change]
        self.gained = list(self.payoffs)
        self.scores = new
        if self.scorekeeper is None:  # HR-2
            order = [(self.dealer + k) % self.n for k in range(1, self.n + 1)]
            self.scorekeeper = max(order, key=lambda seat: new[seat])
        return complete

    def best(self) -> list[int]:
        best = max(self.scores) if self.chips else min(self.scores)
        return [seat for seat in range(self.n) if self.scores[seat] == best]

    def shared_best(self) -> bool:
        return len(self.best()) > 1

    @property
    def truncated(self) -> bool:
        return not self.over and self.decisions >= self.limit

    def win_shares(self) -> list[Fraction]:
        """The rewards of ``reward="win"`` after the end."""
        assert self.payoffs is not None
        if self.winner is not None:
            won = [self.winner]
        elif self.o["match"]:
            won = self.best()
        else:
            won = best(self.payoffs)
        return win_shares(won, self.n)

    # Accidents

    def fumble(self, seat: int) -> None:
        """HR-70, HR-74, HR-75: one penalty card."""
        self.draw(seat, 1, self.penalty)

    def grab(self, offender: int, victim: int) -> None:
        """HR-77, HR-78."""
        cards = self.hands[victim] + self.penalty[victim] + self.plucked[victim]
        self.grabbed[offender] += value(self.o, cards)[1]
        self.missing[offender] += 1

    def deface(self, seat: int) -> None:
        self.mojo.add(seat)

    def loan(self, frm: int, to: int, k: int) -> None:
        self.scores[frm] -= k
        self.scores[to] += k

    def accuse(self, a: int, b: int) -> None:
        """HR-67 … HR-69: the others vote in turn order; then what was due is due."""
        self.accused = list(dict.fromkeys((a, b)))
        self.voters = [seat for seat in [a, *self.others(a)] if seat not in (a, b)]
        self.votes: list[bool] = []
        self.due = self.phase, self.seat
        self.ask_voters()

    def vote(self, guilty: bool) -> None:
        self.votes.append(guilty)
        self.ask_voters()

    def ask_voters(self) -> None:
        if self.voters:
            self.phase, self.seat = "VOTE", self.voters.pop(0)
            return
        self.phase, self.seat = self.due
        margin = 2 * sum(self.votes) - len(self.votes)
        policy = self.o["house_policy"]
        if margin == 0:
            guilty = self.chance.house(self) if policy == "random" else policy == "guilty"
        else:
            guilty = margin > 0
        if guilty:
            for seat in self.accused:
                self.draw(seat, 3)

    # For tests of the model itself

    def cards(self) -> Counter[str]:
        """All cards, wherever they are."""
        zones = [*self.hands, *self.penalty, *self.plucked, self.stock, self.discard, self.turned]
        return Counter(card for zone in zones for card in zone)
