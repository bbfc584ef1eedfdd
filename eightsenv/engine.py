"""The vectorized core: one rule set specialised into kernels, and many games of one setting advanced together.

The states of a batch are one NumPy array of records, and a turn-based batch advances each game by one decision a step.
Games are independent, so threads share a batch by rows; the results are the same bit for bit whatever their number.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from eightsenv import atomics, bits, cards, game, kernels, rng, search_kernels, snapshots
from eightsenv.crew import Crew, orders
from eightsenv.game import Game, RuleSet, Setting, aligned_zeros, fields, resolve, rules_row

POLICIES = {"random": kernels.RANDOM, "greedy": kernels.GREEDY}
"""The compiled policies by name."""


def policy_number(name: str) -> int:
    """The number of a compiled policy. Raises ``ValueError`` for an unknown name."""
    if name not in POLICIES:
        raise ValueError(f"there is no compiled policy {name!r}; there are {', '.join(map(repr, POLICIES))}")
    return POLICIES[name]


# Specialisation


def fingerprint(rule_set: RuleSet, *more: ModuleType) -> str:
    """A name for everything that the kernels of a rule set depend on, and the modules ``more``."""
    return bits.fingerprint(bits, atomics, rng, game, kernels, *more, *rule_set.modules)


@functools.cache
def specialise(rule_set: RuleSet, frozen: bytes = b"") -> SimpleNamespace:
    """The kernels of a rule set, compiled at their first call or loaded from the disk cache.

    ``frozen`` is a rules record that a kernel is compiled for alone, as a constant, and with what it shows written in line: a step
    takes a sixth less time. Of those there are only the kernels that it pays for.
    """
    names = _specialised(kernels, rule_set)
    mark = fingerprint(rule_set)
    names["FROZEN"], names["RULES"] = bool(frozen), np.zeros(1, rule_set.rules_dtype)
    if frozen:
        names["RULES"] = np.frombuffer(frozen, rule_set.rules_dtype).copy()
        names["observe"] = bits.hot(getattr(names["observe"], "py_func", names["observe"]))
        names["show"] = bits.hot(_copy(kernels.show, names))
        mark += hashlib.sha256(frozen).hexdigest()[:8]
    lenient = (kernels.kernel_refused,) if "accepted" in rule_set.functions else ()
    return _kernels(kernels.FREEZABLE if frozen else (*kernels.KERNELS, *lenient), names, rule_set, mark)


@functools.cache
def specialise_search(rule_set: RuleSet) -> SimpleNamespace:
    """The kernels of the search bots for a rule set, likewise."""
    return _kernels(search_kernels.KERNELS, _specialised(search_kernels, rule_set), rule_set, fingerprint(rule_set, search_kernels))


def _copy(template: Callable, names: dict[str, Any]) -> FunctionType:
    """A template with other globals. A closure over dispatchers would never be found again in the cache; this is."""
    return FunctionType(template.__code__, names, template.__name__)


def _specialised(module: ModuleType, rule_set: RuleSet) -> dict[str, Any]:
    """The globals of a module of templates, which may use what ``kernels`` has: its helpers compiled, and the rule functions."""
    names: dict[str, Any] = {**vars(kernels), **vars(module)}
    for helper in (*module.HELPERS, *module.HOT_HELPERS):
        decorate = bits.hot if helper in module.HOT_HELPERS else bits.compiled
        names[helper.__name__] = decorate(_copy(helper, names))
    names.update(rule_set.functions)  # in the place of what a template module has for a rule set without one
    return names


def _kernels(templates: Sequence[Callable], names: dict[str, Any], rule_set: RuleSet, mark: str) -> SimpleNamespace:
    """The outer functions, under names that hold the fingerprint ``mark``."""
    result = SimpleNamespace()
    for outer in templates:
        kernel = _copy(outer, names)
        kernel.__qualname__ = f"{outer.__name__}_{rule_set.name}_{mark}"
        _put_kernel(result, outer.__name__.removeprefix("kernel_"), bits.kernel(kernel), rule_set.name)
    return result


def _put_kernel(space: SimpleNamespace, name: str, kernel: Callable, rule_set: str) -> None:
    """Put a kernel into a namespace. Its first call says so when it takes long because it compiles.

    Then compiled code itself takes its place: to find out the types of a dozen arrays again takes longer than a step of one
    game. The engine makes all arrays itself, of one type each.
    """

    @functools.wraps(kernel)
    def first_call(*args):
        with _first:  # the other threads of a first call wait, instead of compiling the same
            if getattr(space, name) is first_call:
                with bits.compiling(rule_set):
                    result = kernel(*args)
                if hasattr(kernel, "overloads"):  # not plain Python
                    setattr(space, name, next(iter(kernel.overloads.values())).entry_point)
                return result
        return getattr(space, name)(*args)

    setattr(space, name, first_call)


_first = threading.Lock()


def _fastest(game: Game, setting: Setting, rules: np.ndarray) -> SimpleNamespace:
    """The kernels to step and to roll out with: for a variant's default setting those that are compiled for it alone."""
    rule_set = game.rule_set
    return specialise(rule_set, rules.tobytes()) if setting == resolve(game) else specialise(rule_set)


# Scripted deals


def parse_script(options: Mapping[str, Any] | None, pack: Sequence[int], num_players: int) -> tuple[list[int], int]:
    """The card ids and the dealer (-1: none) of ``reset(options=…)``.

    Raises:
        ValueError: an unknown key, an unknown card, more cards than the deck holds, or a dealer who is not a seat.
    """
    options = dict(options or {})
    deck = options.pop("deck", None)
    dealer = options.pop("dealer", None)
    if options == {"options": 1}:  # what PettingZoo's api_test passes, to any environment
        options.clear()
    if options:
        raise ValueError(f"reset takes the options 'deck' and 'dealer', not {next(iter(options))!r}")
    script = [cards.card_id(text) for text in ([] if deck is None else _card_list(deck))]
    for card in set(script):
        if script.count(card) > pack.count(card):
            held = pack.count(card) or "no"
            raise ValueError(f"the deck holds {held} {cards.card_text(card)}, and the script lists {script.count(card)}")
    if dealer is None:
        return script, -1
    if isinstance(dealer, bool) or not isinstance(dealer, (int, np.integer)) or not 0 <= dealer < num_players:
        raise ValueError(f"the dealer is a seat from 0 to {num_players - 1}, not {dealer!r}")
    return script, int(dealer)


def _card_list(deck: Any) -> Sequence[str]:
    if isinstance(deck, str) or not isinstance(deck, Sequence):
        raise ValueError(f"the deck is a list of card texts, not {deck!r}")
    return deck


# The core

_ACTION = np.dtype(np.int32)
_CHUNKS = 8
"""The pieces in which a thread does its share: what it has not begun with, others can take."""
_LEAST_STEPS, _LEAST_SAMPLES, _LEAST_CHOICES = 64, 2048, 8192
"""The fewest games that a thread is given. A choice is done in a tenth of the time of a step, soon less than a hand-over."""


@dataclass(frozen=True)
class Batch:
    """What a turn-based batch shows after ``reset`` or ``step``: N games, P seats, F features, A actions.

    The arrays are written in place by the next step; copy what must last.
    """

    seat: np.ndarray
    """int8[N]: whose turn it is."""
    observation: np.ndarray
    """int8[N, F]: what that seat sees."""
    action_mask: np.ndarray
    """int8[N, A]: its legal actions."""
    reward: np.ndarray
    """float32[N, P]: what each seat gained by the step."""
    terminated: np.ndarray
    """bool[N]: the step ended the episode by the rules; the game has restarted."""
    truncated: np.ndarray
    """bool[N]: the step reached ``max_decisions``; the game has restarted."""
    final_observation: np.ndarray
    """int8[N, F]: for games that ended in this step, the last observation of ``final_seat``."""
    final_seat: np.ndarray
    """int8[N]: for games that ended in this step, the seat that was to move or moved last."""
    state: np.ndarray | None
    """int8[N, S]: the full-information vector, if asked for."""


@dataclass(frozen=True)
class Roots:
    """R games of a core, as the kernels of :mod:`eightsenv.search_kernels` take them, which read the core's own arrays."""

    games: np.ndarray
    """record[N]: the states."""
    words: np.ndarray
    """uint64[N, W]: the legal actions, as bit strings."""
    lanes: np.ndarray
    """record[N]: see :func:`eightsenv.kernels.lane_dtype`."""
    rules: np.ndarray
    """record[1]"""
    rows: np.ndarray
    """int64[R]: which games they are."""


class VectorCore:
    """Many games of one setting in one array, each waiting for one seat's decision.

    Built by :func:`eightsenv.make_vec`. ``reset`` and ``step`` return the same :class:`Batch`, written in place. A finished
    game restarts in the same step (``metadata["autoreset_mode"]`` is ``"same_step"``) as the next episode of its chance stream.
    """

    def __init__(
        self,
        game: Game,
        setting: Setting,
        ids: np.ndarray,
        *,
        seed: int = 0,
        num_threads: int = 1,
        state: bool = False,
        autoreset: bool = True,
    ):
        """``ids`` (uint64[N]) number the games of the seed: equal ids get equal deals. Without ``autoreset`` a finished game
        stays over (no legal actions) until ``reset(rows=…)``."""
        self.game, self.setting = game, setting
        self.seed = rng.check_seed(seed)
        self.num_envs, self.num_players = len(ids), setting.num_players
        self.num_threads = check_threads(num_threads)
        self.actions, self.sections = game.actions(setting), game.sections(setting)
        self.num_actions = len(self.actions)
        self.fields = fields(self.sections)
        self.num_features = sum(section.size for section in self.sections)
        self._autoreset = autoreset
        self.metadata = {"autoreset_mode": "same_step" if autoreset else "disabled"}

        rule_set, n = game.rule_set, self.num_envs
        self._kernels = specialise(rule_set)
        self._lenient = "accepted" in rule_set.functions
        self._rules = rules_row(game, setting)
        self._stepping = _fastest(game, setting, self._rules)
        self._games = aligned_zeros(n, rule_set.state_dtype)
        self._lanes = aligned_zeros(n, kernels.lane_dtype(rule_set.seats))
        self._words = aligned_zeros(n * rule_set.words, np.dtype(np.uint64)).reshape(n, -1)
        self._streams = aligned_zeros(n * self.num_players, np.dtype(np.uint64)).reshape(n, -1)
        self._ids = ids
        self._lanes["id"] = ids
        self._spare = [aligned_zeros(2, rule_set.state_dtype) for _ in range(num_threads)]
        self._work = [aligned_zeros(1, kernels.work_dtype(rule_set.seats)) for _ in range(num_threads)]
        self._all, self._marks = np.arange(n), np.zeros(n, np.bool_)
        self._started = False
        self._alone = orders(1)

        obs, observation = _bytes(n, self.num_features)
        mask, action_mask = _bytes(n, self.num_actions, 64 * int(self._rules[0].words))
        final_obs, final_observation = _bytes(n, self.num_features if autoreset else 0, None if autoreset else 0)
        size = sum(section.size for section in game.state_sections(setting)) if state else 0
        full, state_rows = _bytes(n, size, None if state else 0)
        seat, final_seat = np.zeros(n, np.int8), np.zeros(n, np.int8)
        reward = np.zeros((n, self.num_players), np.float32)
        terminated, truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._shown = (seat, obs, mask, full)
        self._ended = (reward, terminated, truncated, final_seat, final_obs)
        self._shared = self._all.copy(), np.zeros(n, _ACTION)
        self._arrays = [self._at_work(thread) for thread in range(num_threads)]
        self._crew = Crew(max(1, min(num_threads, n // _LEAST_STEPS)), self._server())
        self.batch = Batch(
            seat,
            observation,
            action_mask,
            reward,
            terminated,
            truncated,
            final_observation,
            final_seat,
            state_rows if state else None,
        )

    # Playing

    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        rows: np.ndarray | None = None,
    ) -> Batch:
        """Begin an episode of every game, or of the games ``rows`` (int64[R]).

        Args:
            seed: begins episode 0 of that seed; None: the next episode of the seed in use (at first episode 0).
            options: one scripted deal for all games, or a list with one for each: ``{"deck": [...], "dealer": d}``.

        Raises:
            ValueError: a bad seed or script; nothing is changed.
        """
        if seed is not None and rows is not None:
            raise ValueError("a seed is for all games: reset(seed=…) takes no rows")
        rows = self._rows(rows)
        if not self._started and len(rows) < self.num_envs:
            raise ValueError("the first reset is of all games: it takes no rows")
        script = self._scripts(options, len(rows))
        if seed is not None:
            self.seed = rng.check_seed(seed)
            self._lanes["id"] = self._ids
            self._lanes["episode"] = 0
        elif self._started:
            self._lanes["episode"][rows] += np.uint64(1)
        if seed is not None or not self._started:
            self._kernels.seed_policies(self._streams, self._lanes, np.uint64(self.seed))
        self._started = True
        if len(script[1]) > 1:
            self._run(_LEAST_STEPS, self._reset_rows, rows, *script)
        else:
            self._run(_LEAST_STEPS, lambda thread, part: self._reset_rows(thread, part, *script), rows)
        for array in (self.batch.reward, self.batch.terminated, self.batch.truncated):
            if rows is self._all:
                array.fill(0)
            else:
                array[rows] = 0
        return self.batch

    def start(self, seed: int, episode: int, options: Mapping[str, Any] | None = None, game_id: int | None = None) -> Batch:
        """Begin the given episode of a seed in every game, or of game ``game_id``; otherwise as ``reset``."""
        self._started = True
        self.seed = rng.check_seed(seed)
        self._lanes["id"] = self._ids if game_id is None else game_id
        self._lanes["episode"] = (episode - 1) % 2**64  # reset goes on to the next
        self._kernels.seed_policies(self._streams, self._lanes, np.uint64(self.seed))
        return self.reset(None, options)

    def step(self, actions: Any, rows: np.ndarray | None = None) -> Batch:
        """Make one action in every game, or in the games ``rows``: ``actions`` is an integer array of that length.

        Raises:
            ValueError: an action that is not legal in its game, or a wrong number of them; no game is changed.
            TypeError: actions that are not integers.
        """
        if not self._started:
            raise ValueError("call reset before step")
        rows = self._rows(rows)
        chosen = self._converted(actions, rows)
        if not self._order(kernels.CHECKED_STEP, rows, chosen):
            self._check(actions, chosen, rows)
            self._order(kernels.STEP, rows, chosen)
        return self.batch

    def sample(self, rows: np.ndarray | None = None) -> np.ndarray:
        """One uniformly random legal action for each game, int32[N], from the policy stream of the seat to move."""
        return self._chosen(kernels.RANDOM, rows)

    def choose(self, policy: str, rows: np.ndarray | None = None) -> np.ndarray:
        """The actions of a compiled policy (``"random"``, ``"greedy"``) for the seats to move, int32[R]."""
        return self._chosen(policy_number(policy), rows)

    def _chosen(self, policy: int, rows: np.ndarray | None) -> np.ndarray:
        rows = self._rows(rows)
        if not self._started:
            raise ValueError("call reset before choosing actions")
        if not self._autoreset and not self._words[rows].any(axis=1).all():
            raise ValueError("a game that is over has no actions to choose from")
        actions = np.empty(len(rows), _ACTION)
        if policy == kernels.RANDOM:
            self._order(kernels.SAMPLE, rows, actions)
        else:
            self._run(_LEAST_CHOICES, lambda thread, *part: self._choose_rows(policy, *part), rows, actions)
        return actions

    def look(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """The observations of any seats, int8[R, F]: row k is what ``seats[k]`` of game ``rows[k]`` sees."""
        if not self._started:
            raise ValueError("call reset before looking")
        rows, seats = _integers("rows", rows, self.num_envs), _integers("seats", seats, self.num_players).astype(np.int8)
        if rows.shape != seats.shape:
            raise ValueError(f"one seat for each row is needed, not {len(seats)} for {len(rows)}")
        obs, observation = _bytes(len(rows), self.num_features)
        written = self._kernels.look(self._games, self._rules, rows, seats, obs)
        if len(rows):
            self._check_size("observe", written, self.num_features)
        return observation

    def roots(self, rows: np.ndarray, over: bool = False) -> Roots:
        """What a search begins with, for the seats to move of the games ``rows`` (int64[R]): unfinished ones, unless ``over``."""
        rows = self._rows(rows)
        if not self._started:
            raise ValueError("call reset before searching or looking ahead")
        if not over and not self._words[rows].any(axis=1).all():
            raise ValueError("a game that is over has no actions to choose from")
        rules = self._rules.copy()
        rules["unseen"] = 1
        return Roots(self._games, self._words, self._lanes, rules, rows)

    # Games one by one

    def reveal(self, i: int) -> dict[str, Any]:
        """The whole state of game ``i`` in words (ACTIONS.md)."""
        return self.game.reveal(self._games[self._index(i)], self.setting)

    def view(self, i: int, seat: int) -> dict[str, Any]:
        """The state of game ``i`` in words, as far as a seat may know it."""
        _integers("seats", [seat], self.num_players)
        return self.game.view(self._games[self._index(i)], self.setting, seat)

    def payoffs(self, i: int) -> list[float]:
        """The points or chips of the hand of game ``i`` that ended last, by seat. Raises ``ValueError`` before any has ended."""
        s = self._games[self._index(i)]
        if s.hand_number == 0 and not s.over:
            raise ValueError("no hand has ended yet, so there are no payoffs")
        return [float(s.last_payoff[seat]) / game.UNIT for seat in range(self.num_players)]

    def episode(self, i: int) -> int:
        """The number of the episode that game ``i`` is in, from 0."""
        return int(self._lanes["episode"][self._index(i)])

    @property
    def record_size(self) -> int:
        """Bytes of one game's state."""
        return self._games.dtype.itemsize

    def game_id(self, i: int) -> int:
        """The number of game ``i`` in its seed."""
        return int(self._lanes["id"][self._index(i)])

    def scenario(self, i: int, name: str, **arguments: Any) -> None:
        """Change game ``i`` as the rules' account of an accident says, such as ``scenario(0, "misdeal", seat=1, k=2)``.

        No decision is made; with ``auto_forced`` forced ones that follow are.

        Raises:
            ValueError: an unknown scenario, arguments that it does not take, or not at this moment; nothing is changed.
        """
        i = self._index(i)
        if not self._started:
            raise ValueError("call reset before a scenario")
        if name not in self.game.scenarios:
            known = ", ".join(map(repr, self.game.scenarios)) or "none"
            raise ValueError(f"{self.game.name} has no scenario {name!r}; its scenarios are {known}")
        change = self.game.scenarios[name]
        try:
            inspect.signature(change).bind(None, None, **arguments)
        except TypeError:
            takes = ", ".join(list(inspect.signature(change).parameters)[2:])
            raise ValueError(f"the scenario {name!r} takes {takes}, not {', '.join(arguments) or 'nothing'}") from None
        changed = self._games[i : i + 1].copy()
        change(changed[0], self._rules[0], **arguments)
        self._games[i : i + 1] = changed
        row, k = self._all[i : i + 1], self._kernels
        k.refresh(self._games, self._words, self._rules, row, *self._shown)
        if self.setting.auto_forced:
            lane = self._lanes[i]
            owed = lane.owed.copy()
            k.force(self._games, self._words, self._lanes, self._rules, self._spare[0], self._work[0], row, *self._shown)
            lane.owed += owed
            lane.owes = bool(lane.owed.any())

    def snapshot(self, i: int, extra: bytes = b"") -> bytes:
        """Game ``i`` as bytes: state, chance and policy streams, and what the caller adds."""
        i = self._index(i)
        return self._packed(self._games[i], self._streams[i], self._lanes[i], self.seed, extra)

    def determinize(self, i: int, seat: int, seed: int, extra: bytes = b"") -> bytes:
        """A snapshot of a state that agrees with what a seat of game ``i`` knows: all that it cannot know is sampled.

        The bytes depend on what the seat knows and on ``seed`` alone: the snapshot is of game 0, episode 0 of that seed, its
        chance and policy streams are seeded anew, and no trace of the true hidden cards is in it. The sample is uniform
        over the assignments of hidden cards that agree with public knowledge (:mod:`eightsenv.variants.sampling`).

        Raises:
            ValueError: a seat that does not exist, a seed that is out of range, or no game yet.
            TypeError: a seed that is not an int.
        """
        i = self._index(i)
        seed = rng.check_seed(seed)
        seat = int(_integers("seats", [seat], self.num_players)[0])
        if not self._started:
            raise ValueError("call reset before determinize")
        sampled, streams, lanes = self._games[i : i + 1].copy(), self._streams[i : i + 1].copy(), np.zeros(1, self._lanes.dtype)
        if not self._kernels.determinize(sampled, self._rules, self._scratch, seat, np.uint64(seed)):
            raise ValueError(f"what everybody knows of game {i} contradicts itself: it is no position of a real game")
        lanes["owed"] = self._lanes["owed"][i]
        self._kernels.seed_policies(streams, lanes, np.uint64(seed))
        return self._packed(sampled[0], streams[0], lanes[0], seed, extra)

    def _packed(self, state: np.record, streams: np.ndarray, lane: np.record, seed: int, extra: bytes) -> bytes:
        beside = np.concatenate([streams, lane.owed.view(np.uint64)])
        return snapshots.pack(self.setting, state.tobytes(), seed, int(lane.id), int(lane.episode), beside, extra)

    def restore(self, i: int, snapshot: bytes, written_for: Setting | None = None) -> bytes:
        """Put a snapshot of the same variant and options in the place of game ``i``; returns what its writer had added.

        The game goes on as it would have gone on; after its end, a batch of several games restarts it as an episode of its own
        seed, and a single game as an episode of the snapshot's. ``written_for`` is the setting of the snapshot if that is not this
        core's own: it may differ in ``auto_forced`` only.

        Raises:
            ValueError: bytes that are not such a snapshot; nothing is changed.
        """
        i = self._index(i)
        s = snapshots.unpack(snapshot, written_for or self.setting, self.record_size)
        placed = np.frombuffer(s.record, self._games.dtype)
        if self._autoreset and (placed[0].over or placed[0].decisions >= self.setting.max_decisions):
            raise ValueError("the snapshot is of a game that is over, and games of this batch restart at once")
        if not self._started:
            self.reset()
        lane = self._lanes[i]
        if self.num_envs == 1:
            self.seed = s.seed
            lane.id = s.game_id
            lane.episode = s.episode
        self._streams[i] = s.streams[: self.num_players]
        lane.owed[:] = s.streams[self.num_players :].view(np.int64)
        lane.owes = bool(lane.owed.any())
        self._games[i : i + 1] = placed
        written = self._kernels.refresh(self._games, self._words, self._rules, self._all[i : i + 1], *self._shown)
        if self.batch.state is not None:
            self._check_size("state_vector", written, self.batch.state.shape[1])
        record, b = self._games[i], self.batch
        b.reward[i] = 0
        b.terminated[i] = bool(record.over)
        b.truncated[i] = not record.over and record.decisions >= self.setting.max_decisions
        return s.extra

    # Inside

    def stepper(self) -> Callable[[int], int]:
        """A fast step for the one game of a core without autoreset: takes a legal action, returns what ``kernel_one`` does.

        It writes the arrays of ``batch`` but for ``seat``, ``terminated`` and ``truncated``, which the result tells.
        """
        space, (obs, mask, full), reward = self._kernels, self._shown[1:], self.batch.reward
        games, words, lanes, rules = self._games, self._words, self._lanes, self._rules
        spare, work = self._spare[0], self._work[0]
        return lambda action: space.one(games, words, lanes, rules, spare, work, action, reward, obs, mask, full)

    def looker(self) -> Callable[[int], np.ndarray]:
        """A fast ``look`` at the one game of a core: takes a seat, returns its observation, int8[F], the caller's own."""
        space, rows, seats = self._kernels, self._all, np.zeros(1, np.int8)
        obs, observation = _bytes(1, self.num_features)

        def look(seat: int) -> np.ndarray:
            seats[0] = seat
            space.look(self._games, self._rules, rows, seats, obs)
            return observation[0].copy()

        return look

    def _check_size(self, function: str, written: int, size: int) -> None:
        """Tell the author of a variant whose function writes another number of features than its sections have."""
        if written != size:
            raise RuntimeError(f"{function} of {self.game.name} writes {written} features and its sections have {size}")

    def _index(self, i: int) -> int:
        if not 0 <= i < self.num_envs:
            raise IndexError(f"there are games 0 to {self.num_envs - 1}, not {i}")
        return int(i)

    def _scripts(self, options: Any, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arrays of scripted deals that ``kernel_reset`` takes: one for all rows, or one for each."""
        if options is None:
            return _NO_SCRIPT
        if isinstance(options, Mapping):
            listed: list = [options]
        else:
            if (
                isinstance(options, str)
                or not isinstance(options, Sequence)
                or not all(script is None or isinstance(script, Mapping) for script in options)
            ):
                raise ValueError("the options of reset are a dict, or a list with one for each game")
            listed = list(options)
            if len(listed) != rows:
                raise ValueError(f"one script for all games or one for each of the {rows} is needed, not {len(listed)}")
        pack = self.pack if any(listed) else []
        parsed = [parse_script(script, pack, self.num_players) for script in listed]
        scripts = np.zeros((len(parsed), max(1, len(pack))), np.int8)
        for row, (script, _) in zip(scripts, parsed, strict=True):
            row[: len(script)] = script
        return scripts, np.array([len(s) for s, _ in parsed], np.int64), np.array([dealer for _, dealer in parsed], np.int64)

    @functools.cached_property
    def _scratch(self) -> np.ndarray:
        """The scratch record of ``determinize``."""
        return np.zeros(1, self.game.rule_set.scratch_dtype)

    @functools.cached_property
    def pack(self) -> list[int]:
        """The ids of all cards of the undealt pack."""
        blank = np.zeros(1, self._games.dtype)
        self._kernels.pack(blank, self._rules)
        return [int(card) for card in blank[0].stock[: blank[0].end]]

    def _rows(self, rows: Any) -> np.ndarray:
        """The rows as int64[R], each of them a game and none twice: compiled code checks nothing."""
        if rows is None:
            return self._all
        rows = _integers("rows", rows, self.num_envs)
        self._marks[:] = False
        self._marks[rows] = True
        if np.count_nonzero(self._marks) != len(rows):
            raise ValueError("rows name a game twice")
        return rows

    def _converted(self, actions: Any, rows: np.ndarray) -> np.ndarray:
        """The actions as int32[R], one for each row; one that there cannot be as -1."""
        given = np.ascontiguousarray(actions)
        if given.shape != rows.shape:
            raise ValueError(f"actions are an array of {len(rows)} integers, not of shape {np.shape(actions)}")
        if given.dtype != _ACTION:
            if given.dtype.kind not in "iu":
                raise TypeError(f"actions are integers, not {given.dtype}")
            given = np.where((given < 0) | (given >= self.num_actions), -1, given).astype(_ACTION)
        return given

    def _check(self, actions: Any, converted: np.ndarray, rows: np.ndarray) -> None:
        """Refuse actions of which one is not legal, unless the rules accept it nevertheless."""
        k = self._kernels.illegal(self._words, rows, converted)
        if k >= 0 and self._lenient:
            k = self._kernels.refused(self._games, self._words, self._rules, rows, converted)
        if k >= 0:
            raise ValueError(self.refusal(int(rows[k]), np.asarray(actions)[k]))

    def accepts(self, i: int, action: int) -> bool:
        """Whether game ``i`` accepts an action: a legal one, or what its rules count as an infraction (``illegal="fumble"``)."""
        i = self._index(i)
        if not self._started or not 0 <= action < self.num_actions:
            return False
        if self.batch.action_mask[i, action]:
            return True
        row, actions = self._all[i : i + 1], np.array([action], _ACTION)
        return self._lenient and self._kernels.refused(self._games, self._words, self._rules, row, actions) < 0

    def refusal(self, i: int, action: Any) -> str:
        """The sentence that refuses an action of game ``i``, naming what would be legal."""
        if not self._words[i].any():
            return f"game {i} is over: no action can be made"
        text = f"{action} ({self.actions[action]})" if 0 <= action < self.num_actions else str(action)
        legal = ", ".join(self.actions[a] for a in np.flatnonzero(self.batch.action_mask[i]))
        return f"game {i}: action {text} is not legal for agent_{self._games[i].seat}; legal are: {legal}"

    def _run(self, least: int, run: Callable[..., None], *arrays: np.ndarray) -> None:
        """Call ``run`` with the number of a thread and slices of the arrays, of at least ``least`` each, once for each thread."""
        count = len(arrays[0])
        if self.num_threads == 1 or count < 2 * least:
            run(0, *arrays)
            return
        threads = min(self.num_threads, count // least)
        run_threads([functools.partial(run, t, *(array[part] for array in arrays)) for t, part in enumerate(parts(count, threads))])

    def _reset_rows(self, thread: int, rows: np.ndarray, *script: np.ndarray) -> None:
        games = (self._games, self._words, self._lanes, self._rules, self._spare[thread])
        self._kernels.reset(*games, np.uint64(self.seed), rows, *script, *self._shown)
        if self.setting.auto_forced:
            self._kernels.force(*games, self._work[thread], rows, *self._shown)

    def _at_work(self, thread: int) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        """The arrays that ``kernel_lead`` takes, before ``rows`` and after ``actions``."""
        own = (self._spare[thread], self._work[thread])
        return (self._games, self._words, self._streams, self._lanes, self._rules, *own), (*self._shown, *self._ended)

    def _server(self) -> Callable[[np.ndarray, int, int], None]:
        """What threads of the crew run. It does not hold this core, which could not end otherwise."""
        space, shared, arrays = self._stepping, self._shared, self._arrays

        def serve(order: np.ndarray, thread: int, patience: int) -> None:
            before, after = arrays[thread]
            space.serve(order, thread, patience, *before, *shared, *after)

        return serve

    def _order(self, what: int, rows: np.ndarray, actions: np.ndarray) -> bool:
        """Have all threads do ``what`` (``kernel_lead``) for the games ``rows``; False if an action was not legal."""
        count, (before, after) = len(rows), self._arrays[0]
        parts = min(self._crew.threads, count // (_LEAST_SAMPLES if what == kernels.SAMPLE else _LEAST_STEPS))
        lead, seed = self._stepping.lead, np.uint64(self.seed)
        if parts < 2:
            return lead(self._alone, what, count, 1, max(count, 1), seed, *before, rows, actions, *after)
        shared_rows, shared_actions = self._shared
        shared_rows[:count], shared_actions[:count] = rows, actions
        size = max(_LEAST_STEPS, -(-count // (parts * _CHUNKS)))
        done = lead(self._crew.wake(), what, count, parts, size, seed, *before, *self._shared, *after)
        self._crew.check()
        if what == kernels.SAMPLE:
            actions[:] = shared_actions[:count]
        return done

    def _choose_rows(self, policy: int, rows: np.ndarray, actions: np.ndarray) -> None:
        self._kernels.choose(self._games, self._words, self._streams, self._rules, rows, policy, actions)


_NO_SCRIPT = (np.zeros((1, 1), np.int8), np.zeros(1, np.int64), np.full(1, -1))


def _integers(name: str, values: Any, count: int) -> np.ndarray:
    """The values as int64[R], each in 0 … count-1. Raises ``ValueError`` for anything but a list or array of such integers."""
    given = np.asarray(values)
    if given.ndim == 1 and not len(given):
        return np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= count:
        raise ValueError(f"{name} are a list or array of integers from 0 to {count - 1}")
    return np.ascontiguousarray(given, np.int64)


MOST_THREADS = 1024
"""More than any machine has use for; far more and libraries crash instead of refusing."""


def check_threads(num_threads: int) -> int:
    """``num_threads`` itself. Raises ``ValueError`` unless it is an int from 1 to :data:`MOST_THREADS`."""
    if isinstance(num_threads, bool) or not isinstance(num_threads, (int, np.integer)) or not 1 <= num_threads <= MOST_THREADS:
        raise ValueError(f"num_threads is an int from 1 to {MOST_THREADS}, not {num_threads!r}")
    return int(num_threads)


class _Threads:
    """Threads that wait for calls. A step of two threads spends 10 µs on handing over; with an executor's futures it is 30."""

    def __init__(self) -> None:
        self._calls: SimpleQueue = SimpleQueue()
        self._count = 0
        self._starting = threading.Lock()

    def run(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Make the calls side by side, the first of them in this thread; returns their results in any order."""
        with self._starting:
            while self._count < min(len(calls) - 1, os.cpu_count() or 1):
                self._count += 1
                threading.Thread(target=self._serve, name=f"eightsenv_{self._count}", daemon=True).start()
        outcomes: list[tuple[Any, BaseException | None]] = []
        done: SimpleQueue = SimpleQueue()
        for call in calls[1:]:
            self._calls.put((call, outcomes, done))
        _make_call(calls[0], outcomes, done)
        interrupts: list[BaseException] = []
        while len(outcomes) < len(calls):
            try:
                done.get()
            except KeyboardInterrupt as interrupt:  # the others still read and write what the caller will go on with
                interrupts.append(interrupt)
        for error in (*interrupts, *(error for _, error in outcomes)):
            if error is not None:
                raise error
        return [result for result, _ in outcomes]

    def _serve(self) -> None:
        while True:
            _make_call(*self._calls.get())


def _make_call(call: Callable[[], Any], outcomes: list[tuple[Any, BaseException | None]], done: SimpleQueue) -> None:
    """Make a call, report (result, None) or (None, error), and wake whoever waits for it."""
    try:
        result = call()
    except BaseException as error:  # raised again where it was called from
        outcomes.append((None, error))
    else:
        outcomes.append((result, None))
    done.put(None)


@functools.cache
def _threads() -> _Threads:
    """The threads that all batches share."""
    return _Threads()


def parts(count: int, num_threads: int) -> list[slice]:
    """The numbers below ``count`` in as many parts as there are threads."""
    return [slice(count * t // num_threads, count * (t + 1) // num_threads) for t in range(num_threads)]


def run_threads(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Make the calls side by side, the first of them in this thread; returns their results in any order."""
    return _threads().run(calls)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a child has none of its parent's threads


def _bytes(rows: int, columns: int, stride: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of 0/1 bytes: padded as the kernels write them (uint8), and as they are handed out (int8)."""
    width = bits.padded(columns) if stride is None else stride
    octets = aligned_zeros(rows * width, np.dtype(np.uint8)).reshape(rows, width)
    return octets, octets.view(np.int8)[:, :columns]


# Rollouts


@dataclass(frozen=True)
class RolloutResult:
    """The episodes of a rollout: G games, P seats."""

    decisions: int
    """All decisions made."""
    payoffs: np.ndarray
    """float32[G, P]: the total reward of each seat."""
    lengths: np.ndarray
    """int32[G]: decisions of each episode."""
    truncated: np.ndarray
    """bool[G]: which episodes reached ``max_decisions``."""


def play_out(
    game: Game, setting: Setting, ids: np.ndarray, policies: np.ndarray, *, seed: int = 0, num_threads: int = 1
) -> RolloutResult:
    """Play episode 0 of each game ``ids`` (uint64[G]) by compiled policies (int64[1 or G, P], numbers of :data:`POLICIES`)."""
    rule_set, n = game.rule_set, len(ids)
    rules, kernel = _unseen(game, setting)
    payoffs = np.zeros((n, setting.num_players), np.float32)
    lengths, truncated = np.zeros(n, np.int32), np.zeros(n, np.bool_)
    policies = np.ascontiguousarray(policies, np.int64)

    def run(part: slice) -> int:
        # Cache lines of their own: threads that write into one line wait for each other.
        state, word = rule_set.state_dtype, np.dtype(np.uint64)
        return kernel(
            aligned_zeros(1, state), aligned_zeros(rule_set.words, word)[None], aligned_zeros(setting.num_players, word)[None],
            aligned_zeros(1, kernels.lane_dtype(rule_set.seats)), rules, aligned_zeros(2, state),
            aligned_zeros(1, kernels.work_dtype(rule_set.seats)), np.uint64(seed), ids[part],
            policies[part] if len(policies) > 1 else policies, payoffs[part], lengths[part], truncated[part],
        )  # fmt: skip

    decisions = sum(run_threads([functools.partial(run, part) for part in parts(n, num_threads)]))
    return RolloutResult(int(decisions), payoffs, lengths, truncated)


def _unseen(game: Game, setting: Setting) -> tuple[np.ndarray, Callable]:
    """The rules record of games that nobody looks at, which keep no record of what is known, and the kernel that plays them out."""
    rules = rules_row(game, setting)
    rules["unseen"] = 1
    return rules, _fastest(game, setting, rules).rollout


def seat_policies(policies: str | Sequence[str], num_players: int) -> np.ndarray:
    """The numbers of compiled policies by seat, int64[1, P]. Raises ``ValueError`` for a wrong name or number of them."""
    names = [policies] * num_players if isinstance(policies, str) else list(policies)
    if len(names) != num_players:
        raise ValueError(f"one policy for all seats or one for each of the {num_players} is needed, not {len(names)}")
    return np.array([[policy_number(name) for name in names]])


__all__ = [
    "POLICIES",
    "Batch",
    "RolloutResult",
    "VectorCore",
    "play_out",
    "resolve",
    "run_threads",
    "seat_policies",
    "specialise",
    "specialise_search",
]
