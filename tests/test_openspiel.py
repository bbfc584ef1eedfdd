"""The preset ``openspiel`` against OpenSpiel's own ``crazy_eights``: the same deals and actions, compared at every decision.

Chance is explicit in OpenSpiel: cards are dealt and drawn as chance outcomes. Ours deals, and OpenSpiel is told the outcomes: the
hands, the starter, and for each draw the cards that arrived. Action ids are the same on both sides.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import product

import numpy as np
import pytest

import eightsenv
from eightsenv.cards import CARDS

pyspiel = pytest.importorskip("pyspiel")

DRAW, PASS, DEALER = 52, 53, 52
"""The ids of draw and pass; OpenSpiel's chance outcome that makes seat 0 the dealer, seat 1 is the next."""

NAMES = {
    "max_draw_cards": "max_draw_cards",
    "max_turns": "max_plays",
    "use_special_cards": "use_special_cards",
    "reshuffle": "reshuffle",
}
"""OpenSpiel's parameters and ours."""

EVENTS = {
    "an eight as starter", "a special starter", "a pass while able to play",
    "twos drawn", "twos answered with a two", "twos waived", "twos that took the last card",
    "a refill by a draw", "a refill by a play",
    "an end by going out", "an end by passes", "an end by plays", "an end with an eight",
}  # fmt: skip
"""What a run of all settings must have met."""


class Pair:
    """One game on both sides, with the same actions."""

    def __init__(self, players: int, max_draw: int, max_plays: int, special: bool, reshuffle: bool):
        values = dict(zip(NAMES, (max_draw, max_plays, special, reshuffle), strict=True))
        options = {NAMES[name]: value for name, value in values.items()}
        self.game = pyspiel.load_game("crazy_eights", {"players": players, **values})
        self.env = eightsenv.make("crazy_eights_v0", num_players=players, rules="openspiel", card_values="openspiel", **options)
        self.players, self.max_plays, self.special = players, max_plays, special

    def reveal(self) -> dict:
        return self.env.unwrapped.reveal()

    def play(self, seed: int, pick: random.Random, events: Counter, hoarding: bool) -> None:
        """A whole game from a seed. A hoarding player mostly draws or passes: stocks run out, and passes follow each other."""
        self.deal(seed, pick, events)
        state, plays, self.left = self.state, 0, stock_size(self.state)
        while not state.is_terminal():
            seat = state.current_player()
            assert self.env.agent_selection == f"agent_{seat}"
            legal = state.legal_actions()
            mask = self.env.observe(self.env.agent_selection)["action_mask"]
            assert np.flatnonzero(mask).tolist() == legal
            action = pick.choice(legal)
            if hoarding and pick.random() < 0.85:
                action = next((other for other in (DRAW, PASS) if other in legal), action)
            events["a pass while able to play"] += PASS in legal and legal[0] < DRAW
            before = self.left
            if action == DRAW:
                self.draw(seat, events)
            else:
                state.apply_action(action)
                self.env.step(action)
                self.left = stock_size(state)
            if action < DRAW:
                plays += 1
                events["twos answered with a two"] += self.due > 0
                events["a refill by a play"] += self.left > before
                self.due = self.due + 2 if self.special and action < 4 and self.left else 0
            assert all(self.env.terminations.values()) == state.is_terminal()
        assert self.env.unwrapped.payoffs() == state.returns() == [self.env.rewards[agent] for agent in self.env.possible_agents]
        out = not all(self.reveal()["hands"])
        events["an end by going out"] += out
        events["an end by passes"] += action == PASS
        events["an end by plays"] += plays == self.max_plays and not out
        events["an end with an eight"] += action < DRAW and CARDS[action][0] == "8"

    def deal(self, seed: int, pick: random.Random, events: Counter) -> None:
        """Deal on our side, every fourth time with an eight as the first starter, and tell OpenSpiel."""
        script = []
        if seed % 4 == 0:
            size = 7 if self.players == 2 else 5
            script = [card for card in pick.sample(CARDS, 52) if card[0] != "8"][: self.players * size]
            script.append(pick.choice([card for card in CARDS if card[0] == "8"]))
        self.env.reset(seed=seed, options={"deck": script})
        dealt = self.reveal()
        self.state = self.game.new_initial_state()
        self.state.apply_action(DEALER + dealt["dealer"])
        for k, turn in product(range(len(dealt["hands"][0])), range(1, self.players + 1)):
            self.tell(dealt["hands"][(dealt["dealer"] + turn) % self.players][k])
        if script:
            self.tell(script[-1])  # put back, and the next one turned
            events["an eight as starter"] += 1
        (starter,) = dealt["discard"]
        self.tell(starter)
        events["a special starter"] += self.special and starter[0] in "2QA"
        self.due = 2 if self.special and starter[0] == "2" else 0

    def draw(self, seat: int, events: Counter) -> None:
        """Draw on our side, and tell OpenSpiel which cards came: first the rest of the stock, then those of a refilled one."""
        before = self.reveal()
        self.env.step(DRAW)
        after = self.reveal()
        drawn = Counter(after["hands"][seat]) - Counter(before["hands"][seat])
        first = before["stock"][: drawn.total()]
        refilled = drawn - Counter(first)
        assert not Counter(first) - drawn
        self.state.apply_action(DRAW)
        for card in (*first, *refilled.elements()):
            self.tell(card)
        self.left = stock_size(self.state)
        assert self.left == len(after["stock"])
        events["a refill by a draw"] += len(after["stock"]) > len(before["stock"]) - drawn.total()
        if self.due:
            events["twos drawn"] += 1
            events["twos waived"] += drawn.total() < self.due
            events["twos that took the last card"] += drawn.total() == self.due and not after["stock"]
        self.due = 0

    def tell(self, card: str) -> None:
        """Let OpenSpiel's chance node give a card."""
        assert self.state.is_chance_node()
        self.state.apply_action(CARDS.index(card))


def stock_size(state) -> int:
    return int(re.search(r"cards left in deck: (\d+)", str(state))[1])


SETTINGS = [
    (players, *rest)
    for players in range(2, 9)
    for rest in [(5, 100, False, False), (5, 100, True, False), (5, 100, False, True), (5, 100, True, True),
                 (1, 7, True, False), (2, 400, True, True), (60, 400, True, False)]
]  # fmt: skip
"""players, max_draw_cards, max_plays, use_special_cards, reshuffle"""


def compare(settings: list[tuple], seeds: range) -> Counter:
    """Play every setting with every seed; returns the events that were met."""
    events: Counter = Counter()
    for setting in settings:
        pair = Pair(*setting)
        for seed in seeds:
            pair.play(seed, random.Random(repr((setting, seed))), events, hoarding=seed % 2 == 1)
    return events


def test_some_hundred_games():
    events = compare(SETTINGS, range(4))
    assert all(events[event] for event in EVENTS), events


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 9))
def test_thousands_of_games(players):
    compare([setting for setting in SETTINGS if setting[0] == players], range(1000, 1060))


def test_the_documented_values():
    """What OpenSpiel's header says: eight 50, the ace, court cards and tens 10, other cards their number."""
    env = eightsenv.make("crazy_eights_v0", num_players=2, rules="openspiel", max_plays=1)
    hands = [["TC", "AC", "8D", "2C", "9H", "JS", "7D"], ["QC", "KC", "3C", "TD", "TH", "TS", "4D"]]
    env.reset(seed=0, options={"deck": [card for both in zip(*hands, strict=True) for card in both] + ["5C"], "dealer": 1})
    env.step(env.action_id("play TC"))
    assert env.unwrapped.payoffs() == [-(10 + 50 + 2 + 9 + 10 + 7), -(10 + 10 + 3 + 30 + 4)]
