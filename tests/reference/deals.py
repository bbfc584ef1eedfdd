"""Scripted deals for tests: hands as lists of card texts, and a table that is played by action text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eightsenv


def deck_for(hands: Sequence[str], after: str, dealer: int) -> list[str]:
    """The deck that deals the given hands (texts such as ``"2C 3D"``) one card at a time from the dealer's left, then ``after``."""
    n = len(hands)
    split = [hand.split() for hand in hands]
    deck = []
    for k in range(len(split[0])):
        deck += [split[(dealer + 1 + i) % n][k] for i in range(n)]
    return deck + after.split()


class Table:
    """A scripted game of the AEC environment. ``dealer`` is the last seat unless given, so that seat 0 begins."""

    def __init__(self, hands: Sequence[str], after: str, dealer: int | None = None, seed: int = 0, **options: Any):
        n = len(hands)
        options.setdefault("hand_size", len(hands[0].split()))
        self.env = eightsenv.make("crazy_eights_v0", num_players=n, **options).unwrapped
        self.dealer = n - 1 if dealer is None else dealer
        self.env.reset(seed=seed, options={"deck": deck_for(hands, after, self.dealer), "dealer": self.dealer})

    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return {self.env.action_name(a) for a in range(len(mask)) if mask[a]}

    def do(self, *actions: str) -> None:
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
