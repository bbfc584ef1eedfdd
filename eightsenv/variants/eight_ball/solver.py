"""The card play of 8-ball solved exactly: how many tricks a player or side takes when all hands are known and nobody errs.

Four players play side against side, also with a partner resting; with three, the player whose tricks are counted plays against
both others; with two, the ghost's packet is known and its cards fall in their order. Any moment will do, also within a trick.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType
from typing import Any

import numba
import numpy as np

from eightsenv import bits, game
from eightsenv.variants.eight_ball import endgame, state, trumps
from eightsenv.variants.eight_ball.endgame import (
    ALL_FOUR,
    ALL_THREE,
    NEXT,
    SCRATCH,
    TRICK,
    WITH_GHOST,
    WITHOUT,
)
from eightsenv.variants.eight_ball.state import GHOST, HAND, PACK_SIZE, PLAY, RULES, SEATS, STATE, TRICKS


def solve_deals(hands: Any, trump: Any, leader: Any, **known: Any) -> np.ndarray:
    """The tricks that a seat, or its side, still takes in each of N deals, as int8[N]; that of the trick in progress is among them.

    Args:
        hands: uint64[N, P], the cards not yet played of P = 4, 3 or 2 players as sets of card ids (bit ``4 * rank + suit``).
            At most five tricks are left; all hands are of one size, less one for those that have played to the trick in progress.
        trump: the trump suit, 0 … 3 for C D H S: an int, or int[N].
        leader: the seat that leads, or has led to the trick in progress: an int, or int[N]. The ghost is seat 2 of two players.

    Keyword args:
        seat: whose tricks are counted: an int, or int[N] (default 0). Of four players the partner's count as well.
        trick: int[N, K], the cards of the trick in progress in the order in which they were played, then -1 (default: none).
        resting: a seat of four players that takes no part, -1 for none: an int, or int[N] (default -1). Its hand does not matter.
        packet: int[N, K], what is left of the ghost's packet, top first, then -1; for two players. Six cards at most.
        after_ghost: which of two players follows a lead of the ghost: an int, or int[N] (default 0).
        eight_suit, eight_forced_on_trump_lead, left_bower_follows, bot_policy: the options of ``eight_ball_v0``.
        num_threads: threads that share the deals (default 1).
        nodes: int64[N] to be filled with the positions that each search visited.

    Raises:
        TypeError, ValueError: arrays of another shape or kind, foreign or double cards, hands of unequal size, seats that there are
            not, unknown options.
    """
    deals = _Deals(hands, trump, leader, **known)
    values = np.zeros((len(deals.hands), 1), np.int8)
    deals.run(endgame.kernel_deals, values)
    return values[:, 0]


def solve_moves(hands: Any, trump: Any, leader: Any, **known: Any) -> np.ndarray:
    """The same after each card that the player to move may play, as int8[N, 52] by card id; -1 for all other cards.

    The arguments are those of :func:`solve_deals`; ``seat`` need not be the player to move. Where the ghost is to move, all is -1.
    """
    deals = _Deals(hands, trump, leader, **known)
    values = np.full((len(deals.hands), 64), -1, np.int8)
    deals.run(endgame.kernel_moves, values)
    return values[:, :52]


def solve_states(games: np.ndarray, rules: np.ndarray, seats: Any) -> np.ndarray:
    """The same for N games that stand at the play of a card, as int8[N, 21] by action id (``play`` of each card).

    Args:
        games: the state records, record[N], all of one setting.
        rules: its rules record, record[1].
        seats: whose tricks are counted: an int, or int[N].

    Raises:
        TypeError, ValueError: other records, a game in which no card is to be played, seats that there are not.
    """
    if getattr(games, "dtype", None) != STATE or getattr(rules, "dtype", None) != RULES:
        raise TypeError("games and rules are arrays of the records of 8-ball")
    if games.ndim != 1 or rules.shape != (1,):
        raise ValueError(f"games are a list of records and rules is one, not arrays of shapes {games.shape} and {rules.shape}")
    if ((games["phase"] != PLAY) | (games["over"] != 0)).any():
        raise ValueError("a game is solved when it stands at the play of a card")
    counted = _numbers("seats", seats, len(games), 0, int(rules["num_players"][0]) - 1)
    values = np.full((len(games), PACK_SIZE), -1, np.int8)
    _call(endgame.kernel_states, np.zeros(1, SCRATCH), np.ascontiguousarray(games), rules, counted, values)
    return values


@functools.cache
def _kernel(template: Callable[..., None]) -> Any:
    """A kernel of ``endgame``, by a name that holds a fingerprint of the sources: see ``engine.specialise``."""
    copy = FunctionType(template.__code__, vars(endgame), template.__name__)
    copy.__qualname__ = f"{template.__name__}_{bits.fingerprint(bits, game, state, trumps, endgame)}"
    return bits.kernel(copy)


def _call(template: Callable[..., None], *arguments: Any) -> None:
    """Run a kernel, compiled before or loaded from the disk cache at its first call."""
    kernel = _kernel(template)
    if not getattr(kernel, "signatures", True):
        with bits.compiling("8-ball solver"):
            kernel.compile(tuple(map(numba.typeof, arguments)))
    kernel(*arguments)


class _Deals:
    """Checked deals, as the kernels take them."""

    def __init__(
        self,
        hands: Any,
        trump: Any,
        leader: Any,
        *,
        seat: Any = 0,
        trick: Any = None,
        resting: Any = -1,
        packet: Any = None,
        after_ghost: Any = 0,
        eight_suit: str = "trump",
        eight_forced_on_trump_lead: bool = True,
        left_bower_follows: str = "trump",
        bot_policy: str = "top_card",
        num_threads: int = 1,
        nodes: np.ndarray | None = None,
    ):
        given = _integers("hands", hands)
        if given.ndim != 2 or given.shape[1] not in (2, 3, 4):
            raise ValueError(f"hands are an array of N deals by 2, 3 or 4 players, not of shape {given.shape}")
        count, players = given.shape
        options = {
            "eight_suit": (eight_suit, ("trump", "club_and_trump")),
            "eight_forced_on_trump_lead": (eight_forced_on_trump_lead, (True, False)),
            "left_bower_follows": (left_bower_follows, ("trump", "printed_suit")),
            "bot_policy": (bot_policy, ("top_card", "follow_if_able")),
        }
        for name, (value, allowed) in options.items():
            if value not in allowed:
                raise ValueError(f"{name} is {allowed[0]!r} or {allowed[1]!r}, not {value!r}")
        if isinstance(num_threads, bool) or not isinstance(num_threads, int) or num_threads < 1:
            raise ValueError(f"num_threads is an int from 1 on, not {num_threads!r}")
        if (packet is None) == (players == 2):
            raise ValueError("the ghost's packet is given for two players, and for two only")
        self.follow = trumps.follow_number(eight_suit, eight_forced_on_trump_lead, left_bower_follows)
        self.able = int(bot_policy == "follow_if_able")
        self.threads = num_threads
        self.nodes = np.zeros(count, np.int64) if nodes is None else nodes
        if not isinstance(self.nodes, np.ndarray) or self.nodes.shape != (count,) or self.nodes.dtype != np.int64:
            raise ValueError(f"nodes is an array of int64 to be filled, one for each of the {count} deals")

        chairs = 3 if players == 2 else players  # with the ghost's
        counted = _numbers("seat", seat, count, 0, players - 1)
        leads = _numbers("leader", leader, count, 0, chairs - 1)
        rests = _numbers("resting", resting, count, -1, players - 1)
        if players != 4 and (rests >= 0).any():
            raise ValueError("a seat rests at a table of four players only")
        if ((rests == leads) & (rests >= 0)).any():
            raise ValueError("a resting seat does not lead")
        first = _numbers("after_ghost", after_ghost, count, 0, 1)
        order = {4: np.where(rests < 0, ALL_FOUR, WITHOUT + rests), 3: np.full(count, ALL_THREE), 2: WITH_GHOST + first}[players]
        side = np.where(counted & 1, 0b1010, 0b0101) if players == 4 else 1 << counted
        suit = _numbers("trump", trump, count, 0, 3)
        self.places = np.ascontiguousarray(np.stack([suit, leads, order, side], axis=1), np.int64)
        self.hands = np.zeros((count, SEATS), np.uint64)
        self.hands[:, :players] = given.astype(np.uint64)
        self.tricks = _cards("trick", trick, count, TRICK)
        self.packets = _cards("packet", packet, count, HAND)
        self._check(rests, players)

    def _check(self, rests: np.ndarray, players: int) -> None:
        """Refuse foreign and double cards and hands of unequal size; resting hands are left out."""
        if (self.hands & ~trumps.PACK).any():
            raise ValueError("hands hold the 21 cards of the pack only: A K Q J T of each suit, and 8C")
        listed = np.concatenate([self.tricks, self.packets], axis=1)
        sets = np.concatenate([self.hands, np.where(listed >= 0, np.uint64(1) << listed.astype(np.uint64), np.uint64(0))], axis=1)
        cards = np.bitwise_count(sets).astype(np.int64)
        if (cards.sum(axis=1) != np.bitwise_count(np.bitwise_or.reduce(sets, axis=1))).any():
            raise ValueError("a deal has a card twice")
        rows = np.arange(len(self.hands))
        sizes, seat = cards[:, :SEATS], self.places[:, 1]
        sizes[:, GHOST] += 0 if players > 2 else cards[:, SEATS + TRICK :].sum(axis=1)
        for k in range(TRICK):
            played = self.tricks[:, k] >= 0
            after = np.where(seat >= 0, NEXT[self.places[:, 2], self.places[:, 1], seat], -1)
            if (played & (after < 0)).any():
                raise ValueError("the trick in progress is a complete one")
            sizes[rows, seat] += played
            seat = np.where(played, after, seat)
        seats, rests = np.arange(SEATS), rests[:, None]
        plays = (seats < players) & (seats != rests)
        tricks = np.max(sizes, axis=1, where=plays, initial=0)[:, None]
        if (tricks < 1).any() or (tricks > TRICKS).any():
            raise ValueError(f"one to {TRICKS} tricks are left to solve")
        if (plays & (sizes != tricks)).any() or (players == 2 and (sizes[:, GHOST] < tricks[:, 0]).any()):
            raise ValueError("a player's hand, or the ghost's packet, has not a card for each trick that is left")
        self.hands[seats == rests] = 0

    def run(self, template: Callable[..., None], values: np.ndarray) -> None:
        """Fill ``values`` by a kernel."""
        nodes = np.zeros(len(values), np.int64)
        arrays = (self.hands, self.packets, self.tricks, self.places, nodes, values)

        def share(k: int) -> None:
            rows = slice(len(values) * k // self.threads, len(values) * (k + 1) // self.threads)
            _call(template, np.zeros(1, SCRATCH), self.follow, self.able, *(array[rows] for array in arrays))

        if self.threads == 1:
            share(0)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(share, range(self.threads)))
        self.nodes[:] = nodes


def _integers(name: str, values: Any) -> np.ndarray:
    given = np.asarray(values)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"{name} are integers, not {given.dtype}")
    return given if given.size else given.astype(np.int64)


def _numbers(name: str, values: Any, count: int, low: int, high: int) -> np.ndarray:
    """One integer for all deals, or one for each, as int64[N]."""
    given = _integers(name, values)
    if given.shape not in ((), (count,)):
        raise ValueError(f"{name} is one integer, or one for each of the {count} deals, not of shape {given.shape}")
    if given.size and (given.min() < low or given.max() > high):
        raise ValueError(f"{name} is from {low} to {high}")
    return np.broadcast_to(given, (count,)).astype(np.int64)


def _cards(name: str, values: Any, count: int, most: int) -> np.ndarray:
    """Lists of card ids, then -1, as int8[N, most]."""
    found = np.full((count, most), -1, np.int8)
    if values is None:
        return found
    given = _integers(name, values)
    if given.ndim != 2 or len(given) != count or given.shape[1] > most:
        raise ValueError(f"{name} is an array of {count} lists of at most {most} cards, not of shape {given.shape}")
    if not np.isin(given, (-1, *trumps.CARDS)).all():
        raise ValueError(f"{name} lists ids of the pack's cards, then -1")
    if ((given[:, 1:] >= 0) & (given[:, :-1] < 0)).any():
        raise ValueError(f"{name} lists its cards first, then -1")
    found[:, : given.shape[1]] = given
    return found
