"""Scripted deals for tests: hands as lists of card texts, and a table that is played by action text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eightsenv
from eightsenv import snapshots
from reference.settings import EIGHT_BALL_PACK


def deck_for(hands: Sequence[str], after: str, dealer: int) -> list[str]:
    """The deck that deals the given hands (texts such as ``"2C 3D"``) one card at a time from the dealer's left, then ``after``."""
    n = len(hands)
    split = [hand.split() for hand in hands]
    deck = []
    for k in range(len(split[0])):
        deck += [split[(dealer + 1 + i) % n][k] for i in range(n)]
    return deck + after.split()


def eight_ball_deck(hands: Sequence[str], after: str, dealer: int, ghost: str = "") -> list[str]:
    """The whole 8-ball deck that deals these hands in packets, then ``after``: the flip, and what lies hidden under it.

    Hands that are given in part (and the ghost's packet, the hidden cards) are filled from the cards that nobody was given, in the
    order of the pack. ``ghost`` is the packet of the hand of nobody with two players, its top first.
    """
    n = len(hands)
    order = [(dealer + 1 + k) % n for k in range(n)]
    sizes = {seat: 5 if n == 4 else 6 for seat in order}
    given = {seat: hands[seat].split() for seat in order}
    packets = [2, 3] if n == 4 else [2, 2, 2]
    if n == 2:
        # What is dealt last lies on top.
        order.insert(1, 2)
        sizes[2], given[2] = 6, ghost.split()[::-1]
    named = [card for cards in given.values() for card in cards] + after.split()
    rest = [card for card in EIGHT_BALL_PACK if card not in named]
    for seat in order:
        missing = sizes[seat] - len(given[seat])
        # The ghost's unnamed cards lie at the bottom of its packet.
        given[seat] = rest[:missing] + given[seat] if seat == 2 and n == 2 else given[seat] + rest[:missing]
        rest = rest[missing:]
    deck = []
    for size in packets:
        for seat in order:
            deck += given[seat][:size]
            given[seat] = given[seat][size:]
    return [*deck, *after.split(), *rest]


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

    def ask(self, *actions: str) -> list[int]:
        """Make these actions, one after another; returns which seats were asked."""
        asked = []
        for action in actions:
            asked.append(self.env.reveal()["seat"])
            self.do(action)
        return asked

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


class EightBallTable(Table):
    """A scripted hand of 8-ball, with hands filled as :func:`eight_ball_deck` says; the last seat deals unless said otherwise."""

    def __init__(self, hands: Sequence[str], after: str, dealer: int | None = None, ghost: str = "", seed: int = 0, **options: Any):
        n = len(hands)
        self.env = eightsenv.make("eight_ball_v0", num_players=n, **options).unwrapped
        self.dealer = n - 1 if dealer is None else dealer
        self.deck = eight_ball_deck(hands, after, self.dealer, ghost)
        self.env.reset(seed=seed, options={"deck": self.deck, "dealer": self.dealer})

    @property
    def contract(self) -> list[Any] | None:
        """The standing bid or the contract: seat, tricks, suit, alone."""
        bid = self.env.reveal()["bid"]
        return list(bid.values()) if isinstance(bid, dict) else bid and list(bid)

    @property
    def caught(self) -> list[int]:
        """The tricks won, by seat; with two players the ghost's last."""
        tricks = self.env.reveal()["tricks"]
        return [*tricks.values()] if isinstance(tricks, dict) else list(tricks)
