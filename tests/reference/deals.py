"""Scripted deals for tests: hands as lists of card texts, and a table that is played by action text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eightsenv
from eightsenv import snapshots


def deck_for(hands: Sequence[str], after: str, dealer: int) -> list[str]:
    """The deck that deals the given hands (texts such as ``"2C 3D"``) one card at a time from the dealer's left, then ``after``."""
    n = len(hands)
    split = [hand.split() for hand in hands]
    deck = []
    for k in range(len(split[0])):
        deck += [split[(dealer + 1 + i) % n][k] for i in range(n)]
    return deck + after.split()


def edit_record(env: Any, change: Callable[[Any], None]) -> None:
    """Change the state record of an AEC environment in place, through a snapshot; its log stays what it was."""
    record_type = env.game.rule_set.state_dtype
    parts = snapshots.unpack(env.snapshot(), env.setting, record_type.itemsize)
    record = np.frombuffer(parts.record, record_type).copy()
    change(record[0])
    changed = (record.tobytes(), parts.seed, parts.game_id, parts.episode, parts.streams, parts.extra)
    env.restore(snapshots.pack(env.setting, *changed))


def fresh(seed: int = 0, script: dict[str, Any] | None = None, variant: str = "eights_v0", **options: Any) -> Any:
    """An AEC environment, after its reset."""
    env = eightsenv.make(variant, **options).unwrapped
    env.reset(seed=seed, options=script)
    return env


def legal(env: Any) -> list[str]:
    """The texts of the legal actions of the seat to move, by ascending id."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return [env.action_name(int(a)) for a in np.flatnonzero(mask)]


def all_cards(shown: dict[str, Any]) -> list[str]:
    """Every card of a state in words: hands, stock, discard pile."""
    return [*(card for hand in shown["hands"] for card in hand), *shown["stock"], *shown["discard"]]


class Table:
    """A scripted game of an AEC environment. ``dealer`` is the last seat unless given, so that seat 0 begins."""

    def __init__(
        self,
        hands: Sequence[str],
        after: str,
        dealer: int | None = None,
        seed: int = 0,
        variant: str = "crazy_eights_v0",
        **options: Any,
    ):
        n = len(hands)
        if "rules" not in options:
            options.setdefault("hand_size", len(hands[0].split()))
        self.env = eightsenv.make(variant, num_players=n, **options).unwrapped
        self.dealer = n - 1 if dealer is None else dealer
        self.env.reset(seed=seed, options={"deck": deck_for(hands, after, self.dealer), "dealer": self.dealer})

    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        return set(legal(self.env))

    def do(self, *actions: str) -> None:
        """Make these actions, one after another."""
        for action in actions:
            self.env.step(self.env.action_id(action))

    def __getattr__(self, key: str) -> Any:
        """An entry of ``reveal()``: seat, phase, stock, discard, suit, scores …"""
        return self.env.reveal()[key]

    @property
    def over(self) -> bool:
        return all(self.env.terminations.values())

    @property
    def payoffs(self) -> list[float]:
        return self.env.payoffs()
