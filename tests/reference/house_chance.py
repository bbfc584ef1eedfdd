"""What chance decides in the model of House Rules: by its own dice, or as the game under test has it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reference.house import Model


class Unjudged(Exception):  # noqa: N818 - no error: the model cannot tell what chance has done
    """The state in words no longer shows what chance did within a step."""


class Dice:
    """Chance of its own."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def turn_starter(self, model: Model) -> str:
        return model.stock.pop(0)

    def reshuffled(self, model: Model, cards: list[str]) -> list[str]:
        return self.rng.sample(cards, len(cards))

    def deck(self, model: Model) -> list[str]:
        return self.rng.sample(model.pack, len(model.pack))

    def named(self, model: Model, card: str) -> str:
        return card

    def name_all(self, model: Model) -> None:
        pass

    def step_ends(self, model: Model) -> None:
        pass

    def pluck(self, model: Model, seat: int) -> str:
        return self.rng.choice(model.hands[seat])

    def dropped(self, model: Model, seat: int) -> bool:
        return self.rng.random() < model.o["drop_prob"]

    def forgot(self, model: Model, seat: int) -> bool:
        return self.rng.random() < model.o["forget_prob"]

    def owner_first(self, model: Model) -> bool:
        return self.rng.random() < 0.5

    def house(self, model: Model) -> bool:
        return self.rng.random() < 0.5


class Watched:
    """Chance as the true game had it, read from its state in words after the step and checked.

    Cards of an unknown order are tokens, all of which have names again when the step ends. The random numbers of a step are told
    apart by what they lead to.
    """

    def __init__(self, oracle: Callable[[], dict[str, Any]]):
        self.oracle = oracle
        self.hidden: Counter[str] = Counter()  # the cards that tokens stand for
        self.tokens = 0
        self.new_deal = False

    def blank(self, cards: list[str]) -> list[str]:
        self.hidden.update(card for card in cards if card[0] != "?")
        self.tokens += len(cards)
        return [f"?{self.tokens - k}" for k in range(len(cards))]

    def reshuffled(self, model: Model, cards: list[str]) -> list[str]:
        if len(cards) == 1:
            return cards
        assert not any(card[0] == "?" for card in cards)
        return self.blank(cards)

    def deck(self, model: Model) -> list[str]:
        """The next hand's deck, if the dealer decides before it is dealt; otherwise tokens."""
        self.hidden.clear()
        if model.o["deal_choice"]:
            deck = list(self.oracle()["stock"])
            assert Counter(deck) == Counter(model.pack)
            return deck
        self.new_deal = True
        return self.blank(model.pack)

    def turn_starter(self, model: Model) -> str:
        if not self.new_deal:
            return model.stock.pop(0)
        card = self.named(model, model.stock.pop(0))
        assert not (card[0] == "8" and model.o["starter_wild"] == "bury")
        self.new_deal = card[0] == "X"
        return card

    def named(self, model: Model, card: str) -> str:
        """The name of a card that is put on the pile, which shows it."""
        if card[0] != "?":
            return card
        true = self.oracle()["discard"]
        if len(true) <= len(model.discard):
            raise Unjudged
        name = true[len(true) - len(model.discard) - 1]
        self.reveal(name)
        return name

    def reveal(self, name: str) -> None:
        self.hidden -= Counter([name])

    def name_all(self, model: Model) -> None:
        """Before scoring: the hands are still to be seen unless the next hand was dealt in the same step."""
        if not any(card[0] == "?" for card in model.cards()):
            return
        true = self.oracle()
        if true["hand_number"] != model.hand_number:
            raise Unjudged
        self.step_ends(model)

    def step_ends(self, model: Model) -> None:
        """Give every token the name that the true state shows in its place."""
        if not any(card[0] == "?" for card in model.cards()):
            self.hidden.clear()
            return
        true = self.oracle()
        found: Counter[str] = Counter()
        for zone in ZONES:
            for seat, hand in enumerate(getattr(model, zone)):
                known = [card for card in hand if card[0] != "?"]
                rest = Counter(true[zone][seat]) - Counter(known)
                assert rest.total() == len(hand) - len(known), f"{zone} of seat {seat}: {hand}, true {true[zone][seat]}"
                hand[:] = known + list(rest.elements())
                found += rest
                if zone == "hands" and seat == model.seat and model.drawn and model.drawn[0][0] == "?":
                    model.drawn = list(rest.elements())  # a draw gives one card, and nothing else in the same step
        for pile, shown in ((model.stock, true["stock"]), (model.discard, true["discard"]), (model.turned, turned(true))):
            assert len(pile) == len(shown), (pile, shown)
            found.update(name for card, name in zip(pile, shown, strict=True) if card[0] == "?")
            pile[:] = [name if card[0] == "?" else card for card, name in zip(pile, shown, strict=True)]
        assert found == self.hidden, f"the cards {self.hidden} were shuffled, but {found} have come out"
        self.hidden.clear()

    def pluck(self, model: Model, seat: int) -> str:
        new = Counter(self.oracle()["plucked"][seat]) - Counter(model.plucked[seat])
        assert new.total() == 1 and not new - Counter(model.hands[seat]), "one card of the hand"
        return next(iter(new))

    def dropped(self, model: Model, seat: int) -> bool:
        if not model.o["drop_prob"] or not model.can_draw():
            return False
        true = self.oracle()
        if model.over or true["hand_number"] != model.hand_number:
            return False
        return len(true["penalty"][seat]) > len(model.penalty[seat])

    def forgot(self, model: Model, seat: int) -> bool:
        return bool(model.o["forget_prob"]) and seat in self.oracle()["liable"]

    def owner_first(self, model: Model) -> bool:
        return self.oracle()["seat"] == model.actor

    def house(self, model: Model) -> bool:
        seat = model.accused[0]
        return len(self.oracle()["hands"][seat]) > len(model.hands[seat])


ZONES = ("hands", "penalty", "plucked")


def turned(true: dict[str, Any]) -> list[str]:
    """The zone of HR-23 as a list."""
    card = true["turned"]
    return [] if card is None else [card] if isinstance(card, str) else list(card)
