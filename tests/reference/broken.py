"""Variants that break the contract, each in one place, and what the battery says of them. A script; prints JSON.

It runs as plain Python (``NUMBA_DISABLE_JIT=1``), so that nothing is compiled for variants that are thrown away.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from eightsenv import kernels, testing
from eightsenv.engine import VectorCore
from eightsenv.game import Game, Section
from reference import toy

assert os.environ["NUMBA_DISABLE_JIT"] == "1"
variants = importlib.import_module("eightsenv.variants")  # the package's attribute of this name is the function
TOY = toy.HIGH_CARD


def tables(**changes: Any) -> Game:
    return dataclasses.replace(TOY, **changes)


def rules(**functions: Callable) -> Game:
    """The toy with some of its rule functions replaced."""
    return tables(rule_set=dataclasses.replace(TOY.rule_set, functions={**TOY.rule_set.functions, **functions}))


def more_sections(section: Section) -> Callable:
    return lambda setting: (*TOY.sections(setting), section)


def observe_and(*bits: Callable) -> Game:
    """The toy with further features at the end of the observation: each a function of (s, r, seat)."""

    def observe(s, r, seat, row):
        at = toy.observe(s, r, seat, row)
        for k, value in enumerate(bits):
            row[at + k] = value(s, r, seat)
        return at + len(bits)

    extra = Section("extra", tuple(f"bit {k}" for k in range(len(bits))), "set", "what it should not tell")
    return dataclasses.replace(rules(observe=observe), sections=more_sections(extra))


def keeps_the_card(s, r, action, gain):
    hand = s.hands[s.seat, 0]
    seat = s.seat
    scored = toy.apply(s, r, action, gain)
    if not scored:
        s.hands[seat, 0] = hand
    return scored


def pays_double(s, r, action, gain):
    scored = toy.apply(s, r, action, gain)
    gain *= 2
    return scored


def counts_no_decisions(s, r, action, gain):
    scored = toy.apply(s, r, action, gain)
    s.decisions -= 1
    return scored


def two_to_move(s, r, seat, row):
    size = toy.observe(s, r, seat, row)
    row[104 : 104 + 2] = 1
    return size


def hole_in_the_thermometer(s, r, seat, row):
    size = toy.observe(s, r, seat, row)
    if r.match:
        row[size - 1] = 1
        row[size - 2] = 0
    return size


def nothing_for_seat_1(s, r, words):
    toy.legal(s, r, words)
    if s.seat == 1:
        words[0] = np.uint64(0)


def global_chance(s, r, fixed):
    s.chance = np.uint64(np.random.randint(2**31))
    toy.deal(s, r, fixed)


calls = 0


def remembers_outside(s, r, words):
    """The legal actions depend on how often they were asked for."""
    global calls
    calls += 1
    toy.legal(s, r, words)
    if calls % 5 == 0:
        hand = int(words[0])
        words[0] = np.uint64(hand & -hand)


def peeks(s, r, words):
    """The greedy policy that looks into the next hand."""
    other = int(s.hands[(s.seat + 1) % r.num_players, 0])
    hand = int(s.hands[s.seat, 0])
    return hand.bit_length() - 1 if other > hand else (hand & -hand).bit_length() - 1


def never_forced(words):
    return np.int64(-1)


never_forced.__name__ = "only_action"


def dealer_wins(s, r):
    return 1 << s.dealer


def option(name: str, **changes: Any) -> tuple:
    return tuple(dataclasses.replace(o, **changes) if o.name == name else o for o in TOY.options)


class Overstated:
    """A check whose samples are not all valid."""

    def __call__(self, value, num_players):
        return toy.HIGH_CARD.option("hand_size").check(value, num_players)

    def samples(self, num_players):
        return (1, 2, 99)


BROKEN: dict[str, tuple[Game, Callable]] = {
    "two actions with one text": (tables(actions=lambda setting: (*TOY.actions(setting)[1:], "play 3c")), testing.check_contract),
    "a section that nobody writes": (
        tables(sections=more_sections(Section("more", ("a", "b"), "set", "nothing"))), testing.check_contract,
    ),
    "another version": (tables(version=1), testing.check_contract),
    "no default": (tables(defaults={"hand_size": 3, "fold": False}), testing.check_contract),
    "a sample that is refused": (tables(options=option("hand_size", check=Overstated())), testing.check_contract),
    "an impossible preset": (tables(presets={"huge": {"hand_size": 6}}), testing.check_contract),
    "features by reward": (
        tables(sections=lambda setting: TOY.sections(setting)[: 3 if setting.reward == "win" else 9]), testing.check_contract,
    ),
    "sides that share a seat": (tables(sides=lambda setting: ((0, 1), (1,))), testing.check_contract),
    "no phase": (tables(reveal=lambda s, setting: toy.reveal(s, setting) | {"phase": None, "seat": 0}), testing.check_games),
    "a card twice": (rules(apply=keeps_the_card), testing.check_games),
    "rewards that are not the payoffs": (rules(apply=pays_double), testing.check_games),
    "the dealer wins": (rules(winners=dealer_wins), testing.check_games),
    "two seats to move": (rules(observe=two_to_move), testing.check_games),
    "a hole in a thermometer": (
        rules(observe=hole_in_the_thermometer), functools.partial(testing.check_batches, num_envs=20, decisions=800),
    ),
    "an empty mask": (rules(legal=nothing_for_seat_1), testing.check_batches),
    "endless": (rules(apply=counts_no_decisions), testing.check_truncation),
    "legal by mood": (rules(legal=remembers_outside), testing.check_legality),
    "chance from outside": (rules(deal=global_chance), functools.partial(testing.check_agreement, games=20)),
    "chance from a global generator": (rules(deal=global_chance), testing.check_pettingzoo),
    "memory outside the state": (rules(legal=remembers_outside), testing.check_snapshots),
    "the next hand is seen": (
        observe_and(lambda s, r, seat: int(s.hands[(seat + 1) % r.num_players, 0]) & 1), testing.check_no_leak,
    ),
    "the top of the stock is seen": (observe_and(lambda s, r, seat: s.stock[s.top] & 1), testing.check_no_leak),
    "a policy that peeks": (rules(greedy=peeks), testing.check_no_leak),
    "a view of everything": (tables(view=lambda s, setting, seat: toy.reveal(s, setting)), testing.check_no_leak),
}  # fmt: skip


def verdict(number: int, game: Game, check: Callable) -> str | None:
    """What the check says of a variant; None when it passes."""
    name = f"broken{number}_v0"
    variants._GAMES[name] = dataclasses.replace(game, name=name)  # past the checks of ``register``
    try:
        check(name, settings=4)
    except AssertionError as error:
        return str(error)
    return None


def broken_core() -> dict[str, str | None]:
    """What the battery says of a core that checks no actions, and of one that makes no forced ones."""
    found = {}
    order, unchecked = VectorCore._order, {kernels.CHECKED_STEP: kernels.STEP}
    VectorCore._order = lambda self, what, *rest: order(self, unchecked.get(what, what), *rest)  # type: ignore[method-assign]
    found["actions unchecked"] = verdict(100, rules(), testing.check_memory_safety)
    VectorCore._order = order  # type: ignore[method-assign]
    kernels.HELPERS = tuple(never_forced if f.__name__ == "only_action" else f for f in kernels.HELPERS)
    found["nothing is forced"] = verdict(101, rules(), functools.partial(testing.check_auto_forced, hand_size=1))
    return found


if __name__ == "__main__":
    report = {what: verdict(k, game, check) for k, (what, (game, check)) in enumerate(BROKEN.items())}
    print(json.dumps(report | broken_core()))
