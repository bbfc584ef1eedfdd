"""Scripted hands of 8-ball: decks that deal given hands in packets, and tables that are played by action text."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import eightsenv
from eightsenv.game import UNIT
from reference.deals import Table, edit_record, legal
from reference.settings import EIGHT_BALL_PACK


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


def texts_in(value: Any, wanted: Sequence[str] = EIGHT_BALL_PACK) -> Iterator[str]:
    """Every card text in a state in words, wherever it is."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item, wanted)
    elif isinstance(value, str) and value in wanted:
        yield value


class EightBallTable(Table):
    """A scripted hand of 8-ball, with hands filled as :func:`eight_ball_deck` says; the last seat deals unless said otherwise."""

    def __init__(self, hands: Sequence[str], after: str, dealer: int | None = None, ghost: str = "", seed: int = 0, **options: Any):
        n = len(hands)
        self.env = eightsenv.make("eight_ball_v0", num_players=n, **options).unwrapped
        self.dealer = n - 1 if dealer is None else dealer
        self.deck = eight_ball_deck(hands, after, self.dealer, ghost)
        self.env.reset(seed=seed, options={"deck": self.deck, "dealer": self.dealer})

    def ask(self, *actions: str) -> list[int]:
        """Make these actions, one after another; returns which seats were asked."""
        asked = []
        for action in actions:
            asked.append(self.env.reveal()["seat"])
            self.do(action)
        return asked

    def finish(self, caught: Sequence[int] | None = None, payoffs: Sequence[float] | None = None, tries: int = 4000) -> None:
        """Play to the end of the hand, so that it has these tricks or these payoffs: the first line of random ones that has."""
        start = self.env.snapshot()
        for seed in range(tries):
            self.env.restore(start)
            play_hand(self.env, seed)
            if (caught is None or self.caught == list(caught)) and (payoffs is None or self.payoffs == list(payoffs)):
                return
        raise AssertionError(f"none of {tries} random lines ended so")

    def set_scores(self, *scores: int) -> None:
        """Make the running totals of a match these."""

        def change(record: Any) -> None:
            record.scores[: len(scores)] = [total * UNIT for total in scores]

        edit_record(self.env, change)
        assert self.scores == list(scores)

    @property
    def contract(self) -> list[Any] | None:
        """The standing bid or the contract: seat, tricks, suit, alone."""
        bid = self.env.reveal()["bid"]
        return None if bid is None else [bid["seat"], bid["n"], bid["suit"], bid["alone"]]

    @property
    def caught(self) -> list[int]:
        """The tricks won, by seat; with two players the ghost's last."""
        tricks = self.env.reveal()["tricks"]
        return [*tricks.values()] if isinstance(tricks, dict) else list(tricks)


def table_of(n: int, hands: list[str] | None = None, after: str = "QH", **options: Any) -> EightBallTable:
    """Seat 0 is left of the dealer, the last seat; seats without a hand given get what is left."""
    given = hands or []
    return EightBallTable([*given, *[""] * (n - len(given))], after, **options)


def four(*hands: str, after: str = "QH", **options: Any) -> EightBallTable:
    return table_of(4, list(hands), after, **options)


def three(*hands: str, after: str = "QH AS KS", **options: Any) -> EightBallTable:
    return table_of(3, list(hands), after, **options)


def two(*hands: str, after: str = "QH AS KS", **options: Any) -> EightBallTable:
    return table_of(2, list(hands), after, **options)


def bids(numbers: str, suits: str = "CDHS") -> set[str]:
    """Such as ``bids("345", "H")``."""
    return {f"bid {number} {suit}" for number in numbers for suit in suits}


def discards_of(hand: str) -> set[str]:
    return {f"discard {card}" for card in hand.split()}


ALONE = {f"alone {suit}" for suit in "CDHS"}


def put_aside(table: EightBallTable, *kept: str) -> None:
    """The seat to discard puts aside a card that is none of these."""
    table.do(f"discard {next(card for card in table.hands[table.seat] if card not in kept)}")


def at_play(n: int, hands: list[str], trump: str, flip: str, **options: Any) -> EightBallTable:
    """Seat 0 has the contract in a suit that is not the flip's, and leads; each seat has kept the cards that it was given."""
    if n == 2:
        options["b2_hidden"] = "none"
    table = table_of(n, hands, flip, **options)
    table.do(f"bid 4 {trump}", *["pass"] * (n - 1))
    if n == 3:
        for seat in range(3):
            put_aside(table, *hands[seat].split())
    if n == 2:
        table.do(f"discard {flip}")
        put_aside(table, *hands[0].split())
        table.do("take 0")
        put_aside(table, *hands[1].split())
    return table


def plays(table: EightBallTable) -> set[str]:
    """The cards that the seat to move may play."""
    return {action.removeprefix("play ") for action in table.legal()}


def play_random(env: Any, seed: int, until: Any = lambda env: False) -> None:
    """Play at random, to the end or until a condition holds."""
    rng = random.Random(seed)
    while not (env.terminations["agent_0"] or env.truncations["agent_0"] or until(env)):
        env.step(env.action_id(rng.choice(legal(env))))


def play_hand(env: Any, seed: int) -> None:
    """Play at random to the end of the hand: of the episode, or to the first decision after a play that is none."""
    rng = random.Random(seed)
    playing = False
    while not env.terminations["agent_0"]:
        actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        is_play = env.action_name(actions[0]).startswith("play")
        if playing and not is_play:
            return
        playing = is_play
        env.step(int(rng.choice(actions)))


def passed_out(*hands: str, ghost: str, after: str = "QH AS KS", **options: Any) -> EightBallTable:
    """Both have passed three times; both are yet to discard."""
    table = two(*hands, after=after, ghost=ghost, **options)
    table.do(*["pass"] * 6)
    return table
