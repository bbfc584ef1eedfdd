"""Search over the compiled core: many games side by side, by the kernels of :mod:`eightsenv.search_kernels`.

*PIMC*, perfect-information Monte Carlo (Ginsberg 2001): each of its worlds gives every legal action one simulation, the same deal
and chance for all of them; the best mean is chosen. Where a rule set offers ``evaluate``, perfect play takes the place of the
simulation. It takes it that all cards are known once they are played (*strategy fusion*), and never pays to learn something.

*IS-MCTS*, information-set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012), of a single observer: one tree, whose nodes
are the sequences of actions since the decision; each iteration walks down with a world of its own, chooses among the actions that
are legal in it (UCB1 over the times that each was available), adds one node, and simulates the rest. Every seat maximises what its
own side gains above the mean of all others, so any number of seats and partnerships will do. What chance does between two
actions, and what another seat does unseen (a discard face down, a sealed bid), does not tell nodes apart as what the seat sees
would: the former is averaged over, the latter is taken as if the observer could answer it.

Only actions and what ``determinize`` lets through reach the choice: see :class:`Search`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial

import numpy as np

from eightsenv import engine, search_kernels
from eightsenv.engine import Roots, VectorCore, check_threads
from eightsenv.game import aligned_zeros
from eightsenv.rng import check_seed

METHODS = ("pimc", "ismcts")

_CHUNK = 8
"""The most games of one call of a kernel: an interrupt waits no longer, and threads end at about the same time."""


def foresee(core: VectorCore, rows: np.ndarray) -> np.ndarray:
    """What each legal action would be worth to the seat to move if everybody played by the ``greedy`` policy after it.

    It depends on all cards, the hidden ones and those to come too: what is made of it may teach a player, not advise one.

    Args:
        core: the games, which are not touched.
        rows: int64[R], unfinished ones.

    Returns:
        float32[R, A]: what the seat's side gains to the end of the hand (``reward="win"``: of the episode) above the mean of all
        other seats; 0 for what is not legal.

    Raises:
        ValueError: a game that is over.
    """
    rule_set, roots, sides = core.game.rule_set, core.roots(rows), core.game.side_of(core.setting)
    kernel, worth = engine.specialise_search(rule_set).foresee, np.zeros((len(roots.rows), 64 * rule_set.words), np.float32)

    def run(part: slice) -> None:
        kernel(roots.games, roots.words, roots.rules, roots.rows[part], sides, *_table(core, 2), worth[part])

    engine.run_threads([partial(run, part) for part in engine.parts(len(roots.rows), core.num_threads)])
    return worth[:, : core.num_actions]


def outlook(core: VectorCore, rows: np.ndarray) -> np.ndarray:
    """What each seat would gain from here on if everybody played by the ``greedy`` policy.

    Args:
        core: the games, which are not touched.
        rows: int64[R]. A game that was truncated is played on, too: no game ends before twice ``max_decisions``.

    Returns:
        float32[R, P]: gains to the end of the hand (``reward="win"``: of the episode); zeros for a game that is over. They depend
        on all cards, as those of :func:`foresee` do.
    """
    rule_set, roots = core.game.rule_set, core.roots(rows, over=True)
    most = np.iinfo(roots.rules["max_decisions"].dtype).max
    roots.rules["max_decisions"] = min(2 * int(roots.rules["max_decisions"][0]), most)
    kernel, paid = engine.specialise_search(rule_set).outlook, np.zeros((len(roots.rows), core.num_players), np.float32)

    def run(part: slice) -> None:
        kernel(roots.games, roots.rules, roots.rows[part], *_table(core, 1), paid[part])

    engine.run_threads([partial(run, part) for part in engine.parts(len(roots.rows), core.num_threads)])
    return paid


def _table(core: VectorCore, games: int) -> tuple[np.ndarray, ...]:
    """Scratch of one thread: games, ``work`` and ``spare``."""
    rule_set = core.game.rule_set
    return (
        aligned_zeros(games, rule_set.state_dtype),
        aligned_zeros(1, search_kernels.work_dtype(rule_set.seats)),
        aligned_zeros(rule_set.words, np.dtype(np.uint64)),
    )


class Search:
    """A search method with a budget, for the games of one core."""

    def __init__(self, core: VectorCore, method: str, *, simulations: int | None = None, milliseconds: float | None = None):
        """``simulations``: worlds of PIMC, iterations of IS-MCTS; or ``milliseconds`` of wall time for each decision."""
        self.core, self.method = core, method
        self.simulations, self.milliseconds = simulations, milliseconds
        self._space = engine.specialise_search(core.game.rule_set)
        self.sides = core.game.side_of(core.setting)
        self._benches: list[_Bench] = []

    @property
    def kernel(self) -> Callable[..., int]:
        return getattr(self._space, self.method)

    def choose(self, rows: np.ndarray, seed: int = 0, num_threads: int | None = None) -> np.ndarray:
        """The actions for the seats to move of the unfinished games ``rows`` (int64[R]): int32[R].

        The choice depends on what the seat to move knows, the budget, and (seed, game, episode, decision, seat), from which all
        worlds are drawn: not on the other rows, nor on the number of threads (None: the core's). A budget of time is the same
        for each game, so that a batch takes it once for each game and thread. Forced decisions are made at once.

        Raises:
            ValueError: a game that is over, or one whose public knowledge contradicts itself.
        """
        check_seed(seed)
        roots = self.core.roots(rows)
        count = len(roots.rows)
        actions = np.full(count, -1, np.int32)
        threads = check_threads(self.core.num_threads if num_threads is None else num_threads)
        size = 1 if self.milliseconds is not None else max(1, min(_CHUNK, count // threads))
        parts = deque(slice(k, k + size) for k in range(0, count, size))
        while len(self._benches) < threads:
            self._benches.append(_Bench(self))
        benches = self._benches[: max(1, min(threads, len(parts)))]
        engine.run_threads([partial(bench.work, parts, roots, actions, np.uint64(seed)) for bench in benches])
        return actions


class _Bench:
    """The arrays with which one thread searches."""

    def __init__(self, search: Search):
        rule_set = search.core.game.rule_set
        self._search = search
        self._scratch = (
            aligned_zeros(2, rule_set.state_dtype),
            aligned_zeros(1, rule_set.scratch_dtype),
            aligned_zeros(1, search_kernels.work_dtype(rule_set.seats)),
            aligned_zeros(rule_set.words, np.dtype(np.uint64)),
        )
        if search.method == "pimc":
            self._memory = np.zeros((2, 64 * rule_set.words))
        else:
            self._memory = np.zeros((search.simulations or 1024) + 1, search_kernels.node_dtype(rule_set.seats))

    def work(self, parts: deque[slice], roots: Roots, actions: np.ndarray, seed: np.uint64) -> None:
        """Search parts of the games until none is left, and write the actions. After an error nobody begins with another part."""
        while True:
            try:
                part = parts.popleft()
            except IndexError:
                return
            try:
                if self._search.simulations is not None:
                    self._simulate(part, roots, actions, seed, 0, self._search.simulations)
                else:
                    self._simulate_for(part, roots, actions, seed)
            except BaseException:
                parts.clear()
                raise

    def _simulate_for(self, part: slice, roots: Roots, actions: np.ndarray, seed: np.uint64) -> None:
        """Search one game until its time is up: at least one simulation."""
        assert self._search.milliseconds is not None
        self._simulate(part, roots, actions, seed, 0, 0)  # a forced decision is made by now; and compiling is not counted
        if int(np.bitwise_count(roots.words[roots.rows[part]]).sum()) == 1:
            return
        deadline = time.perf_counter() + self._search.milliseconds / 1000
        done, count, now = 0, 1, time.perf_counter()
        while done == 0 or now < deadline:
            if self._search.method == "ismcts" and len(self._memory) <= done + count:
                self._memory = np.concatenate([self._memory, np.zeros_like(self._memory)])
                continue
            began = now
            self._simulate(part, roots, actions, seed, done, done + count)
            done += count
            now = time.perf_counter()
            count = max(1, min(2 * count, int(count * (deadline - now) / (now - began) / 2)))  # half of the time that is left

    def _simulate(self, part: slice, roots: Roots, actions: np.ndarray, seed: np.uint64, first: int, last: int) -> None:
        search = self._search
        failed = search.kernel(
            roots.games, roots.words, roots.lanes, roots.rules, roots.rows[part], search.sides,
            *self._scratch, self._memory, seed, first, last, actions[part],
        )  # fmt: skip
        if failed >= 0:
            game = roots.lanes["id"][roots.rows[part][failed]]
            raise ValueError(f"what everybody knows of game {game} contradicts itself: it is no position of a real game")
