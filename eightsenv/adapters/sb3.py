"""The Stable-Baselines3 ``VecEnv``: one learner against bots in many games at once, in one process.

Every game waits for a decision of its learner's seat; the other seats are played inside. Each opponent is asked once per
sub-step for all games that wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from eightsenv import engine
from eightsenv.engine import VectorCore
from eightsenv.rng import check_seed
from eightsenv.variants import get

Opponent = str | Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A compiled policy by name, or a function of (observations int8[R, F], masks int8[R, A]) to legal actions, int[R]."""


class EightsVecEnv(VecEnv):
    """A batch of games as a masked single-agent ``VecEnv``: ``Box(0, 1, (F,), int8)`` observations and ``action_masks()``.

    The learner's seat differs between the games and moves one to the left from episode to episode of a game; the opponents
    of an episode are drawn seat by seat. The reward of a step is all that the learner's seat gained since the last one,
    whoever's action brought it, times ``reward_scale``. What it gained before its first decision of an episode comes with
    the reward of that decision; an episode that ends before the learner has decided anything is passed over (counted in
    ``skipped_episodes``).

    A finished game begins its next episode in the same step: ``infos[i]["terminal_observation"]`` is then what the learner's
    seat sees of the end, ``infos[i]["TimeLimit.truncated"]`` tells truncation from an end by the rules, and
    ``infos[i]["episode"]`` has the unscaled total ``r`` of these rewards, the number of decisions ``l`` and the time ``t``.
    """

    def __init__(
        self,
        variant: str,
        num_envs: int = 128,
        *,
        opponents: Opponent | Sequence[Opponent] = "greedy",
        weights: Sequence[float] | None = None,
        seat: int | str = "rotate",
        seed: int = 0,
        reward_scale: float = 1.0,
        margin: bool = False,
        duplicate: bool = False,
        num_threads: int = 1,
        **options: Any,
    ):
        """Make the games; call ``reset`` first.

        Args:
            variant: the variant's name.
            num_envs: the number of games.
            opponents: one opponent, or several of which each other seat of each episode draws one.
            weights: how often each opponent is drawn; None: equally.
            seat: the learner's seat, or ``"rotate"``.
            seed: of the chance and policy streams, and of the draw of opponents.
            reward_scale: the factor of the rewards.
            margin: rewards are the learner's gain less the mean gain of the other seats, instead of its gain alone.
            duplicate: the last reward of an episode is less what the learner's seat would have gained in it if everybody had
                played the compiled ``greedy`` policy: a baseline that takes out much of the luck of the cards, and leaves
                unchanged which actions are best.
            num_threads: threads that share the games of a step; the results do not depend on it.
            options: ``num_players``, ``match``, ``reward``, ``max_decisions``, ``rules`` and the variant's options.

        Raises:
            ValueError: an unknown variant, option or opponent, or a value outside its range.
        """
        game = get(variant)
        setting = engine.resolve(game, **options)
        if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)) or num_envs < 1:
            raise ValueError(f"num_envs is an int from 1 on, not {num_envs!r}")
        if seat != "rotate" and (isinstance(seat, (bool, str)) or not 0 <= seat < setting.num_players):
            raise ValueError(f"seat is 'rotate' or a seat from 0 to {setting.num_players - 1}, not {seat!r}")
        ids = np.arange(num_envs, dtype=np.uint64)
        self.core = core = VectorCore(game, setting, ids, seed=seed, num_threads=num_threads, autoreset=False)
        self.setting = setting
        self.reward_scale = float(reward_scale)
        self.margin = bool(margin)
        self._shadow = VectorCore(game, setting, ids, num_threads=num_threads, autoreset=False) if duplicate else None
        self._par: dict[int, np.ndarray] = {}
        self._seed_due: int | None = None
        self._next_seed: int | None = None
        self._episode = np.zeros(num_envs, np.int64)
        self._fixed_seat = None if seat == "rotate" else int(seat)
        self.learner = np.zeros(num_envs, np.int64)
        """int64[N]: the learner's seat of each game."""
        self.skipped_episodes = 0
        self._due = np.zeros(num_envs)
        self._total = np.zeros(num_envs)
        self._length = np.zeros(num_envs, np.int64)
        self._assigned = np.zeros((num_envs, core.num_players), np.int64)
        self._actions: np.ndarray | None = None
        self._began = time.time()
        self.render_mode = None
        super().__init__(int(num_envs), spaces.Box(0, 1, (core.num_features,), np.int8), spaces.Discrete(core.num_actions))
        self._generator = np.random.default_rng(seed)
        self.set_opponents(opponents, weights)
        self._restart(seed)

    def set_opponents(self, opponents: Opponent | Sequence[Opponent], weights: Sequence[float] | None = None) -> None:
        """Play against other opponents from now on; games in progress draw theirs anew.

        Raises:
            ValueError: no opponent, an unknown compiled policy, or weights that do not fit; nothing is changed.
        """
        listed = [opponents] if isinstance(opponents, str) or callable(opponents) else list(opponents)
        if not listed:
            raise ValueError("at least one opponent is needed")
        for opponent in listed:
            if isinstance(opponent, str):
                engine.policy_number(opponent)
            elif not callable(opponent):
                raise ValueError(f"an opponent is a compiled policy's name or a function, not {opponent!r}")
        share = np.ones(len(listed)) if weights is None else np.asarray(weights, float)
        if share.shape != (len(listed),) or not np.isfinite(share).all() or (share < 0).any() or share.sum() <= 0:
            raise ValueError(f"the weights are {len(listed)} numbers from 0 on, not all zero")
        self._opponents, self._bounds = listed, np.cumsum(share / share.sum())
        self._draw_opponents(np.arange(self.num_envs))

    def action_masks(self) -> np.ndarray:
        """The legal actions for the observations returned last, int8[N, A]."""
        return self.core.batch.action_mask.copy()

    # VecEnv

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The next ``reset`` begins the episodes of this seed; None: goes on with the next ones."""
        self._next_seed = None if seed is None else check_seed(seed)
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Begin new episodes of all games; observations int8[N, F]."""
        if self._next_seed is not None:
            self._restart(self._next_seed)
        everyone = np.arange(self.num_envs)
        self._due[:] = 0
        self._begin(everyone)
        self._advance(everyone, [])
        return self.core.batch.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Make the learner's actions and play on to its next decisions.

        Returns:
            Observations int8[N, F], rewards float32[N], dones bool[N], infos.

        Raises:
            ValueError: an action that is not legal, of the learner (no game is changed) or of an opponent.
        """
        assert self._actions is not None, "call step_async first"
        everyone = np.arange(self.num_envs)
        self.core.step(self._actions, everyone)
        self._actions = None
        self._length += 1
        self._due += self._gains(everyone)
        ends: list[tuple[np.ndarray, ...]] = []
        self._advance(everyone, ends)

        rewards = self._due.copy()
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        # What a game that ended has due already belongs to its next episode; its last reward was put aside at the end.
        for rows, last, views, truncated, lengths in ends:
            rewards[rows], dones[rows] = last, True
            totals = self._total[rows] + last
            now = round(time.time() - self._began, 6)
            for k, row in enumerate(rows.tolist()):
                infos[row] = {
                    "terminal_observation": views[k],
                    "TimeLimit.truncated": bool(truncated[k]),
                    "episode": {"r": float(totals[k]), "l": int(lengths[k]), "t": now},
                }
        going = ~dones
        self._total[going] += rewards[going]
        self._total[dones] = 0
        self._due[going] = 0
        return self.core.batch.observation.copy(), (rewards * self.reward_scale).astype(np.float32), dones, infos

    def close(self) -> None:
        """Nothing to release."""

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError("the games share one environment: set its attributes directly, or use set_opponents")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """``action_masks`` of the games ``indices``, one array each. No other method belongs to a single game."""
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"a single game has the method action_masks(), not {method_name}")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    # Inside

    def _restart(self, seed: int) -> None:
        """Begin the streams of a seed: the next episode of every game is its first."""
        self._seed_due = check_seed(seed)
        self._streams_seed = self._seed_due
        self._par.clear()
        self._episode[:] = -1
        self._next_seed = None
        self._generator = np.random.default_rng(seed)
        # The seats are one ahead of the first episode's: beginning an episode moves them on.
        self.learner[:] = (np.arange(self.num_envs) - 1) % self.core.num_players

    def _begin(self, rows: np.ndarray) -> None:
        """Begin the next episode of the games ``rows``: seats move on, opponents are drawn, cards are dealt."""
        if self._seed_due is None:
            self.core.reset(rows=rows)
        else:  # a seed is for all games, and no game has begun since it was given
            self.core.reset(self._seed_due)
            self._seed_due = None
        if self._fixed_seat is None:
            self.learner[rows] = (self.learner[rows] + 1) % self.core.num_players
        else:
            self.learner[rows] = self._fixed_seat
        self._length[rows] = 0
        self._episode[rows] += 1
        self._draw_opponents(rows)

    def _draw_opponents(self, rows: np.ndarray) -> None:
        shape = (len(rows), self.core.num_players)
        if len(self._opponents) == 1:
            self._assigned[rows] = 0
        else:
            drawn = np.searchsorted(self._bounds, self._generator.random(shape), side="right")
            self._assigned[rows] = np.minimum(drawn, len(self._opponents) - 1)

    def _advance(self, rows: np.ndarray, ends: list[tuple[np.ndarray, ...]]) -> None:
        """Play the games ``rows`` on until each waits for its learner; put aside the ends of episodes with a learner's decision."""
        core, batch = self.core, self.core.batch
        while True:
            over = rows[batch.terminated[rows] | batch.truncated[rows]]
            if len(over):
                decided = over[self._length[over] > 0]
                if len(decided):
                    views = core.look(decided, self.learner[decided])
                    last = self._due[decided].copy()
                    if self._shadow is not None:
                        last -= self._greedy_gains(decided)
                    ends.append((decided, last, views, batch.truncated[decided], self._length[decided]))
                self.skipped_episodes += len(over) - len(decided)
                self._due[over] = 0
                self._begin(over)
            rows = rows[batch.seat[rows] != self.learner[rows]]
            if not len(rows):
                return
            core.step(self._opponents_actions(rows), rows)
            self._due[rows] += self._gains(rows)

    def _greedy_gains(self, rows: np.ndarray) -> np.ndarray:
        """What the learners of the games ``rows`` would have gained in their episodes if everybody had played greedily."""
        assert self._shadow is not None
        gains = np.empty((len(rows), self.core.num_players))
        for episode in np.unique(self._episode[rows]).tolist():
            if episode not in self._par:
                self._par[episode] = _played_greedily(self._shadow, self._streams_seed, episode)
            at = self._episode[rows] == episode
            gains[at] = self._par[episode][rows[at]]
        for episode in [episode for episode in self._par if episode < self._episode.min()]:
            del self._par[episode]
        return self._own(gains, rows)

    def _gains(self, rows: np.ndarray) -> np.ndarray:
        """What the last step brought the learners of the games ``rows``."""
        return self._own(self.core.batch.reward[rows], rows)

    def _own(self, rewards: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The learners' part, or margin, of the rewards [R, P] of the games ``rows``."""
        own = rewards[np.arange(len(rows)), self.learner[rows]]
        return own - (rewards.sum(1) - own) / (self.core.num_players - 1) if self.margin else own

    def _opponents_actions(self, rows: np.ndarray) -> np.ndarray:
        """The actions of the opponents that the games ``rows`` wait for: each of them asked once."""
        batch = self.core.batch
        whose = self._assigned[rows, batch.seat[rows]]
        actions = np.empty(len(rows), np.int32)
        for index in _distinct(whose, len(self._opponents)):
            at = np.flatnonzero(whose == index)
            opponent, asked = self._opponents[index], rows[at]
            if isinstance(opponent, str):
                actions[at] = self.core.choose(opponent, asked)
            else:
                actions[at] = opponent(batch.observation[asked], batch.action_mask[asked])
        return actions


def _distinct(numbers: np.ndarray, below: int) -> Iterable[int]:
    return np.flatnonzero(np.bincount(numbers, minlength=below)).tolist()


def _played_greedily(core: VectorCore, seed: int, episode: int) -> np.ndarray:
    """The total rewards float64[N, P] of an episode of each game of a core, played by the ``greedy`` policy alone."""
    batch = core.start(seed, episode)
    totals = np.zeros((core.num_envs, core.num_players))
    rows = np.arange(core.num_envs)
    while len(rows):
        core.step(core.choose("greedy", rows), rows)
        totals[rows] += batch.reward[rows]
        rows = rows[~(batch.terminated[rows] | batch.truncated[rows])]
    return totals
