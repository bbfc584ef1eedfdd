"""The learner's seat against others: the turn loop that all single-agent environments share.

Every game of a core waits for a decision of its learner's seat; the other seats are played inside. Each opponent is asked once
per sub-step for all games that wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from eightsenv import engine
from eightsenv.engine import VectorCore
from eightsenv.game import Game, Setting


class BatchPlayer(Protocol):
    """An object that chooses the actions of the games ``rows`` of a core, as the agents of :mod:`eightsenv.agents` do.

    Its ``check(setting)``, if it has one, refuses settings that it cannot play; ``seed(seed)`` begins its random numbers anew.
    """

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray: ...


Opponent = str | BatchPlayer | Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A compiled policy by name, an object with ``act_batch``, or a function of (observations int8[R, F], masks int8[R, A]) to legal
actions, int[R]."""

MOST_SKIPPED = 1000
"""So many episodes in a row without a decision of the learner are taken for a setting in which it never has one."""


def game_ids(count: int = 1, name: str = "num_envs") -> np.ndarray:
    """The numbers uint64[N] of so many games of a seed. Raises ``ValueError`` unless ``count`` is an int from 1 on."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"{name} is an int from 1 on, not {count!r}")
    return np.arange(count, dtype=np.uint64)


def is_opponent(given: Any) -> bool:
    """Whether ``given`` is written like one opponent (not like a list of them)."""
    return isinstance(given, str) or hasattr(given, "act_batch") or callable(given)


def listed(opponents: Any) -> list[Opponent]:
    """One opponent or a sequence of them as a list. Raises ``ValueError`` for anything else."""
    if is_opponent(opponents):
        return [opponents]
    if not isinstance(opponents, Sequence) or not opponents:
        raise ValueError(f"opponents are one opponent or a list of at least one, not {opponents!r}")
    return list(opponents)


def check_opponent(opponent: Any, setting: Setting) -> None:
    """Raise ``ValueError`` unless ``opponent`` is one that can play the setting."""
    if isinstance(opponent, str):
        engine.policy_number(opponent)
    elif hasattr(opponent, "act_batch"):
        if hasattr(opponent, "check"):
            opponent.check(setting)
    elif not callable(opponent):
        raise ValueError(
            f"an opponent is a compiled policy's name, an object with act_batch(core, rows), or a function, not {opponent!r}"
        )


def check_seat(seat: Any, num_players: int) -> int | None:
    """The learner's seat; None for ``"rotate"``. Raises ``ValueError`` for anything else."""
    if isinstance(seat, str) and seat == "rotate":
        return None
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < num_players:
        raise ValueError(f"seat is 'rotate' or a seat from 0 to {num_players - 1}, not {seat!r}")
    return int(seat)


@dataclass(frozen=True)
class Ends:
    """Episodes that ended in a step, after at least one decision of the learner: E games. The arrays are the caller's own."""

    rows: np.ndarray
    """int64[E]: which games."""
    gain: np.ndarray
    """float64[E]: what the learner gained since its last decision, to the very end."""
    observation: np.ndarray
    """int8[E, F]: what the learner's seat sees of the end."""
    truncated: np.ndarray
    """bool[E]: truncated, not ended by the rules."""
    length: np.ndarray
    """int64[E]: the learner's decisions in the episode."""
    episode: np.ndarray
    """int64[E]: the number of the episode in its game."""
    learner: np.ndarray
    """int64[E]: the learner's seat in it."""


class Versus:
    """The games ``ids`` of a setting, each waiting for a decision of its learner (N games, P seats).

    An episode that ends before the learner has decided anything is passed over (counted in ``skipped_episodes``). What the
    learner gains before its first decision of an episode comes with what that decision brings.
    """

    def __init__(
        self,
        game: Game,
        setting: Setting,
        ids: np.ndarray,
        *,
        seat: int | str = "rotate",
        seed: int = 0,
        num_threads: int = 1,
        autoreset: bool = True,
        margin: bool = False,
    ):
        """Make the games; then call ``set_opponents`` and ``reset``.

        Args:
            ids: uint64[N]: the games' numbers in the seed.
            seat: the learner's seat, or ``"rotate"``: (game + episode) modulo the number of seats.
            seed: of the chance and policy streams, for a first ``reset`` without one.
            autoreset: a game whose episode ended begins the next one in the same step; otherwise it waits for ``reset``.
            margin: the learner's gains are less the mean of the other seats'.

        Raises:
            ValueError: a bad seat, seed or number of threads.
        """
        self._fixed_seat = check_seat(seat, setting.num_players)
        self.core = VectorCore(game, setting, ids, seed=seed, num_threads=num_threads, autoreset=False)
        self.setting, self.margin, self._autoreset = setting, margin, autoreset
        n = len(ids)
        self._all = np.arange(n)
        self._first_seat = (ids % np.uint64(setting.num_players)).astype(np.int64)
        self.learner = self._seats(np.zeros(n, np.int64))
        """int64[N]: the learner's seat of each game."""
        self.episode = np.full(n, -1)
        """int64[N]: the number of the episode that each game is in."""
        self.length = np.zeros(n, np.int64)
        """int64[N]: the learner's decisions in that episode."""
        self.skipped_episodes = 0
        self._skipped_in_a_row = np.zeros(n, np.int64)
        self._due = np.zeros(n)
        self.opponents: list[Opponent] = []
        self.assigned = np.zeros((n, setting.num_players), np.int64)
        """int64[N, P]: which of the opponents plays each seat."""

    def set_opponents(self, opponents: Sequence[Opponent], assign: Callable[[np.ndarray], np.ndarray]) -> None:
        """Play against other opponents from now on, also in games in progress.

        Args:
            opponents: at least one.
            assign: tells which of them plays each seat of episodes that begin, int64[R, P], from the learner's seats int64[R].

        Raises:
            ValueError: an opponent that is none, or cannot play the setting; nothing is changed.
        """
        for opponent in opponents:
            check_opponent(opponent, self.setting)
        self.opponents = list(opponents)
        self._assign = assign
        self.assigned[:] = self._assign(self.learner)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begin new episodes of all games and play to the learner's first decisions; arguments as for ``VectorCore.reset``.

        A seed also reaches the opponents that have a ``seed`` method.

        Raises:
            ValueError: a bad seed or script; nothing is changed. A setting in which the learner has no decisions.
        """
        self._begin(self._all, seed, options)
        self._skipped_in_a_row[:] = 0
        self._play_on(self._all)

    def step(self, actions: Any) -> tuple[np.ndarray, list[Ends]]:
        """Make the learner's actions, one in each game, and play on to its next decisions.

        Returns:
            What the learner gained since the decisions before, float64[N], and the episodes that ended: each game at most once.

        Raises:
            ValueError: an action that is not legal, of the learner (nothing is changed) or of an opponent.
            TypeError: actions that are not integers.
        """
        self.core.step(actions)
        self._skipped_in_a_row[:] = 0
        self.length += 1
        self._due += self._gains(self._all)
        ends = self._play_on(self._all)
        gains = self._due.copy()
        going = np.ones(len(gains), np.bool_)
        # What a game that ended has due already belongs to its next episode; its last gain was put aside at the end.
        for end in ends:
            gains[end.rows] = end.gain
            going[end.rows] = False
        self._due[going] = 0
        return gains, ends

    def own(self, rewards: np.ndarray, learner: np.ndarray) -> np.ndarray:
        """The learners' part, or margin, of rewards [R, P]."""
        own = rewards[np.arange(len(learner)), learner]
        return own - (rewards.sum(1) - own) / (self.core.num_players - 1) if self.margin else own

    # Inside

    def _gains(self, rows: np.ndarray) -> np.ndarray:
        return self.own(self.core.batch.reward[rows], self.learner[rows])

    def _seats(self, episode: np.ndarray, rows: slice | np.ndarray = slice(None)) -> np.ndarray:
        """The learner's seats of the games ``rows`` in their episodes."""
        if self._fixed_seat is not None:
            return np.full(len(episode), self._fixed_seat)
        return (self._first_seat[rows] + episode) % self.setting.num_players

    def _begin(self, rows: np.ndarray, seed: int | None = None, options: Any = None) -> None:
        """Begin the next episode of the games ``rows``, or of all: cards are dealt, seats move on, opponents are assigned."""
        if rows is self._all:
            self.core.reset(seed, options)
        else:
            self.core.reset(rows=rows)
        if seed is None:
            self.episode[rows] += 1
        else:
            self.episode[:] = 0
            self._seed_opponents(int(seed))
        self._due[rows] = 0
        self.length[rows] = 0
        self.learner[rows] = self._seats(self.episode[rows], rows)
        self.assigned[rows] = self._assign(self.learner[rows])

    def _seed_opponents(self, seed: int) -> None:
        for k, opponent in enumerate(self.opponents):
            begin = getattr(opponent, "seed", None)
            if callable(begin):
                begin((seed + 1000003 * k) % 2**64)

    def _play_on(self, rows: np.ndarray) -> list[Ends]:
        """Play the games ``rows`` on until each waits for its learner, or is over; returns the episodes that ended."""
        core, batch = self.core, self.core.batch
        ends: list[Ends] = []
        while True:
            over = batch.terminated[rows] | batch.truncated[rows]
            if over.any():
                self._finish(rows[over], ends)
                over = batch.terminated[rows] | batch.truncated[rows]
            rows = rows[(batch.seat[rows] != self.learner[rows]) & ~over]
            if not len(rows):
                return ends
            core.step(self._opponents_actions(rows), rows)
            self._due[rows] += self._gains(rows)

    def _finish(self, over: np.ndarray, ends: list[Ends]) -> None:
        """Put aside the ends of the games ``over`` and begin the next episodes."""
        has_decided = self.length[over] > 0
        decided, skipped = over[has_decided], over[~has_decided]
        if len(decided):
            learner, truncated = self.learner[decided], self.core.batch.truncated[decided]
            ends.append(
                Ends(
                    decided,
                    self._due[decided],
                    self.core.look(decided, learner),
                    truncated,
                    self.length[decided],
                    self.episode[decided],
                    learner,
                )
            )
            self._due[decided] = 0
        if len(skipped):
            self.skipped_episodes += len(skipped)
            self._skipped_in_a_row[skipped] += 1
            if self._skipped_in_a_row[skipped].max() > MOST_SKIPPED:
                raise ValueError(f"with these options the learner's seat had no decision in {MOST_SKIPPED} episodes in a row")
        again = over if self._autoreset else skipped
        if len(again):
            self._begin(again)

    def _opponents_actions(self, rows: np.ndarray) -> np.ndarray:
        """The actions of the opponents that the games ``rows`` wait for: each of them asked once."""
        whose = self.assigned[rows, self.core.batch.seat[rows]]
        asked = np.flatnonzero(np.bincount(whose)).tolist()
        if len(asked) == 1:
            return self._ask(self.opponents[asked[0]], rows)
        actions = np.empty(len(rows), np.int64)
        for index in asked:
            at = np.flatnonzero(whose == index)
            actions[at] = self._ask(self.opponents[index], rows[at])
        return actions

    def _ask(self, opponent: Opponent, rows: np.ndarray) -> np.ndarray:
        if isinstance(opponent, str):
            return self.core.choose(opponent, rows)
        if hasattr(opponent, "act_batch"):
            actions = np.asarray(opponent.act_batch(self.core, rows))
        else:
            actions = np.asarray(opponent(self.core.batch.observation[rows], self.core.batch.action_mask[rows]))
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            given = f"{actions.dtype} of shape {actions.shape}"
            raise ValueError(f"an opponent gives one integer for each of the {len(rows)} games that it is asked about, not {given}")
        return actions


def played_greedily(core: VectorCore, seed: int, episode: int) -> np.ndarray:
    """The total rewards float64[N, P] of an episode of each game of a core, played by the ``greedy`` policy alone."""
    batch = core.start(seed, episode)
    totals = np.zeros((core.num_envs, core.num_players))
    rows = np.arange(core.num_envs)
    while len(rows):
        core.step(core.choose("greedy", rows), rows)
        totals[rows] += batch.reward[rows]
        rows = rows[~(batch.terminated[rows] | batch.truncated[rows])]
    return totals
