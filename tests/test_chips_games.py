"""The games of chips against independent plain models, their observations against the state in words, and sampled worlds."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import high_low, speculation
from reference.deals import edit_record, fresh, legal
from scipy import stats

import eightsenv
from eightsenv import game as contract
from eightsenv import snapshots
from eightsenv.cards import card_id, card_text
from eightsenv.testing import random_setting

MODELS: dict[str, Any] = {"high_low_eights_v0": high_low, "speculation_v0": speculation}
variants = pytest.mark.parametrize("variant", MODELS)

SLOW_DECISIONS = 50_000


# Against the plain models


def play_episode(rng: random.Random, variant: str, setting: dict[str, Any]) -> int:
    """One episode through the AEC environment and the model; returns the decisions made."""
    env = eightsenv.make(variant, **setting).unwrapped
    model = MODELS[variant].Model(setting, env.reveal)
    deck, dealer = rng.sample(model.pack, 52), rng.randrange(model.n)
    env.reset(seed=rng.getrandbits(32), options={"deck": deck, "dealer": dealer})
    model.start(deck, dealer)
    habit = rng.choice(["", "pass", "play", "keep", "accept", "bid 0"])
    while not (model.over or model.truncated):
        compare(env, model)
        actions = sorted(model.legal())
        liked = [action for action in actions if habit and action.startswith(habit)]
        action = rng.choice(liked if liked and rng.random() < 0.7 else actions)
        env.step(env.action_id(action))
        gained = model.act(action)
        if model.o["reward"] == "win":
            gained = model.win_shares() if model.over else [Fraction(0)] * model.n
        assert equal([env.rewards[agent] for agent in env.possible_agents], gained)
    assert all(env.terminations[agent] == model.over for agent in env.agents) and len(env.agents) == model.n
    assert all(env.truncations[agent] == model.truncated for agent in env.agents)
    compare(env, model)
    return model.decisions


def compare(env: Any, model: Any) -> None:
    """Everything that the state in words and the mask tell."""
    true, going = env.reveal(), not (model.over or model.truncated)
    assert set(legal(env)) == (model.legal() if going else set())
    assert true["seat"] == (None if model.over else model.seat)
    for key in ("dealer", "hand_number", "pot", "stock"):
        assert true[key] == getattr(model, key), key
    assert equal(true["scores"], model.scores)
    if model.payoffs is not None:
        assert equal(env.payoffs(), model.payoffs)
    if isinstance(model, high_low.Model):
        assert [Counter(hand) for hand in true["hands"]] == [Counter(hand) for hand in model.hands]
        assert true["layout"] == model.layout and true["passes"] == model.passes
    else:
        for key in ("packets", "faced", "turn_up", "bought", "balance", "phase"):
            assert true[key] == getattr(model, key), key
        assert true["hands"] == model.dealt and true["trump"] == [model.best, model.owner]
        assert true["looked"] == model.looks()


def equal(amounts: list[float], exact: list[Fraction]) -> bool:
    """Whether amounts are the exact ones, rounded to float32 at most."""
    return len(amounts) == len(exact) and all(abs(a - b) <= 1e-6 * max(1, abs(b)) for a, b in zip(amounts, exact, strict=True))


def fuzz(seed: int, variant: str, decisions: int) -> None:
    rng = random.Random(seed)
    while decisions > 0:
        setting = MODELS[variant].random_setting(rng)
        try:
            for _ in range(3):
                decisions -= play_episode(rng, variant, setting)
        except AssertionError as error:
            raise AssertionError(f"with {setting}") from error


@variants
@pytest.mark.parametrize("seed", range(2))
def test_random_settings_and_play(seed: int, variant: str):
    fuzz(seed, variant, 2_500)


@variants
def test_the_defaults_with_every_number_of_players(variant: str):
    rng = random.Random(7)
    low, high = eightsenv.make(variant).game.players
    for players in range(low, high + 1):
        for _ in range(3):
            play_episode(rng, variant, {"num_players": players})
        play_episode(rng, variant, {"num_players": players, "match": True})


@pytest.mark.slow
@variants
@pytest.mark.parametrize("part", range(4))
def test_many_random_settings_and_much_play(part: int, variant: str):
    fuzz(100 + part, variant, SLOW_DECISIONS // 4)


# Observations


class Sections:
    """What the sections of a vector must say, from the state in words and the actions ``made`` in this hand.

    Seats are counted from ``first`` on, and the hand is that of ``own``.
    """

    def __init__(self, env: Any, made: list[tuple[int, str]], first: int, own: int | None):
        self.first, self.own, self.made, self.setting = first, own, made, env.setting
        self.shown, self.n = env.reveal(), env.num_players

    def check(self, vector: np.ndarray, sections: tuple[contract.Section, ...]) -> None:
        assert len(vector) == sum(section.size for section in sections)
        for section, place in zip(sections, contract.fields(sections).values(), strict=True):
            name = re.sub(r"_?\d+$", "", section.name)
            number = re.search(r"(\d+)$", section.name)
            seat = (self.first + int(number[1])) % self.n if number else self.own
            if name in ELSEWHERE:
                continue
            if name == "packet":
                of, at = divmod(int(number[1]), 3)
                expected = self.cards(section, [self.shown["hands"][of][at]])
            else:
                expected = getattr(self, name)(section, seat)
            assert vector[place].tolist() == expected, (section.name, self.first, self.shown)

    def cards(self, section: contract.Section, held: list[str]) -> list[int]:
        assert len(set(held)) == len(held)
        return [int(text in held) for text in section.bins]

    def at_least(self, section: contract.Section, value: float) -> list[int]:
        return [int(value >= int(re.match(r"-?\d+", text)[0])) for text in section.bins]

    def seats(self, section: contract.Section, chosen: list[int]) -> list[int]:
        assert section.size == self.n
        return [int((self.first + k) % self.n in chosen) for k in range(self.n)]

    # Sections of every game of chips

    def turn(self, section, seat):
        return self.seats(section, [] if self.shown["seat"] is None else [self.shown["seat"]])

    def dealer(self, section, seat):
        return self.seats(section, [self.shown["dealer"]])

    def hands_played(self, section, seat):
        return self.at_least(section, self.shown["hand_number"])

    def score(self, section, seat):
        return self.at_least(section, self.shown["scores"][seat])


class HighLow(Sections):
    def hand(self, section, seat):
        return self.cards(section, self.shown["hands"][seat])

    def count(self, section, seat):
        return self.at_least(section, high_low.count(self.shown["hands"][seat]))

    def laid_ranks(self):
        return {pile[0][0] for pile in self.shown["layout"]}

    def least(self, section, seat):
        kept = [card for card in self.shown["hands"][seat] if card[0] not in self.laid_ranks()]
        return self.at_least(section, high_low.count(kept))

    def playable(self, section, seat):
        return self.cards(section, [card for card in self.shown["hands"][seat] if card[0] in self.laid_ranks()])

    def layout(self, section, seat):
        return self.cards(section, [pile[-1] for pile in self.shown["layout"]])

    def ranks(self, section, seat):
        return self.cards(section, sorted(self.laid_ranks()))

    def passes(self, section, seat):
        return self.at_least(section, self.shown["passes"])

    def passed(self, section, seat):
        return self.seats(section, self.shown["passed"])

    def laid(self, section, seat):
        return self.cards(section, [text.split()[1] for by, text in self.made if by == seat and text.startswith("play")])

    def hand_size(self, section, seat):
        return self.at_least(section, len(self.shown["hands"][seat]))

    def dead(self, section, seat):
        return self.cards(section, self.shown["stock"])


class Speculation(Sections):
    """The appraisal (``stands``, ``stands_own``) has tests of its own."""

    def opened(self) -> bool:
        return self.own is None or self.setting.options["sale"] == "one_round" or self.shown["phase"] != "BID"

    def bids(self) -> dict[int, int]:
        return {seat: bid for seat, bid in enumerate(self.shown["bids"]) if bid is not None}

    def best(self, section, seat):
        return self.cards(section, [self.shown["trump"][0][0]])

    def phase(self, section, seat):
        return self.cards(section, [self.shown["phase"].lower()])

    def trump(self, section, seat):
        return self.cards(section, [self.shown["turn_up"][1]])

    def turn_up(self, section, seat):
        return self.cards(section, [self.shown["turn_up"]])

    def trumps_seen(self, section, seat):
        seen = [self.shown["turn_up"], *(card for cards in self.shown["faced"] for card in cards)]
        return self.cards(section, [card[0] for card in seen if card[1] == self.shown["turn_up"][1]])

    def pot(self, section, seat):
        return self.at_least(section, self.shown["pot"])

    def bought(self, section, seat):
        return [int(self.shown["bought"])]

    def owner(self, section, seat):
        return self.seats(section, [self.shown["trump"][1]])

    def facer(self, section, seat):
        return self.seats(section, [by for by, card in self.shown["facings"] if card == self.shown["trump"][0]])

    def bidder(self, section, seat):
        bids, owner = self.bids(), self.shown["trump"][1]
        best = max(bids.values(), default=0) if self.opened() else 0
        order = [(owner + 1 + k) % self.n for k in range(self.n - 1)]
        return self.seats(section, [by for by in order if best and bids.get(by) == best][:1])

    def has_bid(self, section, seat):
        return self.seats(section, list(self.bids()))

    def best_bid(self, section, seat):
        return self.at_least(section, max(self.bids().values(), default=0) if self.opened() else 0)

    def bid(self, section, seat):
        return self.at_least(section, self.bids().get(seat, 0))

    def faced(self, section, seat):
        return self.cards(section, self.shown["faced"][seat])

    def unfaced(self, section, seat):
        return self.at_least(section, len(self.shown["packets"][seat]))

    def balance(self, section, seat):
        return self.at_least(section, self.shown["balance"][seat])

    def own_cards(self, section, seat):
        return self.cards(section, self.shown["hands"][seat] if self.shown["looked"] else [])


EXPECTED: dict[str, Any] = {"high_low_eights_v0": HighLow, "speculation_v0": Speculation}
ELSEWHERE = ("stands", "stands_own")
"""Sections with tests of their own: the appraisal."""


@variants
@pytest.mark.parametrize("seed", range(4))
def test_every_section_says_what_the_state_in_words_says(variant: str, seed: int):
    """What each seat observes and the full-information vector, also after the end."""
    rng = random.Random(40 + seed)
    env = eightsenv.make(variant, **random_setting(rng, variant, auto_forced=False, max_decisions=None)).unwrapped
    sections, full = env.game.sections(env.setting), env.game.state_sections(env.setting)
    env.reset(seed=seed)
    made: list[tuple[int, str]] = []
    for _ in range(60):
        EXPECTED[variant](env, made, 0, None).check(env.state(), full)
        for seat, agent in enumerate(env.possible_agents):
            EXPECTED[variant](env, made, seat, seat).check(env.observe(agent)["observation"], sections)
        if env.terminations["agent_0"]:
            env.reset()
            made = []
        else:
            number, action = env.reveal()["hand_number"], rng.choice(legal(env))
            made.append((env.reveal()["seat"], action))
            env.step(env.action_id(action))
            made = made if env.reveal()["hand_number"] == number else []


# Sampled worlds


def sampled(env: Any, agent: str, number: int) -> list[dict[str, Any]]:
    """So many worlds for an agent, in words."""
    world = fresh(variant=env.game.name, **env.setting.as_dict())
    worlds = []
    for seed in range(number):
        world.restore(env.determinize(agent, seed))
        worlds.append(world.reveal())
    return worlds


def uniform(found: Counter, worlds: set) -> bool:
    """Whether all worlds were found, and none other, about equally often."""
    return set(found) == worlds and stats.chisquare(list(found.values())).pvalue > 1e-4


@pytest.mark.parametrize(("voluntary", "passes", "number"), [(False, 0, 90), (False, 1, 36), (False, 2, 6), (True, 2, 90)])
def test_high_low_worlds_are_uniform(voluntary: bool, passes: int, number: int):
    """All assignments of the cards that a seat has not seen, to two hands of two cards and two dead ones.

    With forced play a pass shows that the hand holds nothing that the layout takes (HL-9).
    """
    env = fresh(variant="high_low_eights_v0", num_players=3, voluntary_pass=voluntary)
    hidden = ["9C", "9D", "2C", "3C", "4C", "5C"]

    def change(s: Any) -> None:
        s.layout[:] = [card_id(card) for card in ("9H", "9S", "KC", "KD", "KH", "KS", "QC", "QD")]
        s.matching = sum(0xF << 4 * rank for rank in (7, 10, 11))
        rest = [card for card in range(52) if card not in [*map(card_id, hidden), *s.layout]]
        s.hands[0], s.laid[0] = 1 << rest[0], sum(1 << card for card in rest[1:])
        for seat, held in ((1, "2C 3C"), (2, "4C 5C")):
            s.hands[seat] = sum(1 << card_id(card) for card in held.split())
        s.top, s.stock[50:] = 50, [card_id("9C"), card_id("9D")]
        s.passed = (0, 0b010, 0b110)[passes]

    edit_record(env, change)
    found: Counter = Counter()
    worlds = set()
    for seed in range(40 * number):
        world = env.core.determinize(0, 0, seed)
        parts = snapshots.unpack(world, env.setting, env.core.record_size)
        s = np.frombuffer(parts.record, env.game.rule_set.state_dtype)[0]
        found[int(s.hands[1]), int(s.hands[2])] += 1
    for one in itertools.combinations(hidden, 2):
        for two in itertools.combinations([card for card in hidden if card not in one], 2):
            takes = [any(card[0] == "9" for card in hand) for hand in (one, two)]
            if voluntary or not any(takes[:passes]):
                worlds.add(tuple(sum(1 << card_id(card) for card in hand) for hand in (one, two)))
    assert len(worlds) == number and uniform(found, worlds)


def test_high_low_dead_cards_are_sampled_too():
    env = fresh(1, variant="high_low_eights_v0", num_players=8)
    worlds = sampled(env, "agent_0", 300)
    assert len({world["stock"][0] for world in worlds}) > 25
    assert {card for world in worlds for card in world["hands"][3]} == {
        card for card in high_low.PACK if card not in env.reveal()["hands"][0] and [card] not in env.reveal()["layout"]
    }


@pytest.mark.parametrize("looked", [False, True])
def test_speculation_worlds_are_uniform(looked: bool):
    """All orders of the cards that a seat has not seen over the unfaced and undealt ones; its own too unless it has looked."""
    env = fresh(variant="speculation_v0", num_players=2)
    hidden = ["9C", "2C", "3C", "4C"] if looked else ["9C", "2C", "3C"]

    def change(s: Any) -> None:
        ids = [card_id(card) for card in hidden]
        rest = [card for card in range(52) if card not in ids]
        s.turn_up = s.best = rest[0]
        s.seen, s.faced[:] = sum(1 << card for card in rest if not looked or card != rest[1]), 0
        s.looked = looked
        if looked:  # the other seat has two unfaced cards, and two are dead
            s.unfaced[:2] = 1, 2
            s.packets[0], s.packets[1], s.stock[50:] = (rest[3], rest[4], rest[1]), (rest[5], *ids[:2]), ids[2:]
            s.top = 50
        else:  # each seat has one unfaced card, and one is dead
            s.unfaced[:2] = 1, 1
            s.packets[0], s.packets[1], s.stock[51:] = (rest[3], rest[4], ids[0]), (rest[5], rest[6], ids[1]), ids[2:]
            s.top = 51

    edit_record(env, change)
    found: Counter = Counter()
    for seed in range(40 * (24 if looked else 6)):
        parts = snapshots.unpack(env.core.determinize(0, 0, seed), env.setting, env.core.record_size)
        s = np.frombuffer(parts.record, env.game.rule_set.state_dtype)[0]
        places = [*s.packets[0, 2:], *s.packets[1, 3 - s.unfaced[1] :], *s.stock[s.top :]]
        found[tuple(card_text(card) for card in places)] += 1
    own = [card_text(env.core._games[0].packets[0, 2])] if looked else []
    assert uniform(found, {(*own, *order) for order in itertools.permutations(hidden)})
