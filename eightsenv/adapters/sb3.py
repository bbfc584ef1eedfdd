"""The Stable-Baselines3 ``VecEnv``: one learner against bots in many games at once, in one process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from eightsenv import engine
from eightsenv.adapters.versus import Ends, Opponent, Versus, game_ids, listed, played_greedily
from eightsenv.engine import VectorCore
from eightsenv.rng import check_seed
from eightsenv.variants import get


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
        ids = game_ids(num_envs)
        self._games = Versus(game, setting, ids, seat=seat, seed=seed, num_threads=num_threads, margin=bool(margin))
        self.core = core = self._games.core
        self.setting = setting
        self.reward_scale = float(reward_scale)
        self._shadow = VectorCore(game, setting, ids, num_threads=num_threads, autoreset=False) if duplicate else None
        sides = game.sides(setting)
        together = [[any(a in side and b in side for side in sides) for b in range(setting.num_players)]
                    for a in range(setting.num_players)]  # fmt: skip
        self._same_side = np.array(together)
        self._par: dict[int, np.ndarray] = {}
        self._next_seed: int | None = core.seed
        self._total = np.zeros(num_envs)
        self._actions: np.ndarray | None = None
        self._began = time.time()
        self.render_mode = None
        super().__init__(int(num_envs), spaces.Box(0, 1, (core.num_features,), np.int8), spaces.Discrete(core.num_actions))
        self._generator = np.random.default_rng(core.seed)
        self.set_opponents(opponents, weights)

    def set_opponents(
        self, opponents: Opponent | Sequence[Opponent], weights: Sequence[float] | None = None, partner: int | None = None
    ) -> None:
        """Play against other opponents from now on; games in progress draw theirs anew.

        Args:
            opponents: one, or several of which each other seat draws one.
            weights: how often each is drawn; None: equally.
            partner: the place among them of who plays the other seats of the learner's side, such as the learner itself as it is
                now; None: they draw as all others.

        Raises:
            ValueError: no opponent, an unknown compiled policy, weights or a place that do not fit; nothing is changed.
        """
        chosen = listed(opponents)
        if partner is not None and not 0 <= partner < len(chosen):
            raise ValueError(f"partner is None or a place from 0 to {len(chosen) - 1}, not {partner!r}")
        share = np.ones(len(chosen)) if weights is None else np.asarray(weights, float)
        if share.shape != (len(chosen),) or not np.isfinite(share).all() or (share < 0).any() or share.sum() <= 0:
            raise ValueError(f"the weights are {len(chosen)} numbers from 0 on, not all zero")
        bounds = np.cumsum(share / share.sum())

        def draw(learner: np.ndarray) -> np.ndarray:
            shape = (len(learner), self.core.num_players)
            if len(chosen) == 1:
                return np.zeros(shape, np.int64)
            drawn = np.minimum(np.searchsorted(bounds, self._generator.random(shape), side="right"), len(chosen) - 1)
            return drawn if partner is None else np.where(self._same_side[learner], partner, drawn)

        self._games.set_opponents(chosen, draw)

    @property
    def learner(self) -> np.ndarray:
        """int64[N]: the learner's seat of each game."""
        return self._games.learner

    @property
    def skipped_episodes(self) -> int:
        """How many episodes ended before the learner had decided anything."""
        return self._games.skipped_episodes

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
        seed, self._next_seed = self._next_seed, None
        if seed is not None:
            self._streams_seed = seed
            self._par.clear()
            self._generator = np.random.default_rng(seed)
        self._games.reset(seed)
        self._total[:] = 0
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
        rewards, ends = self._games.step(self._actions)
        self._actions = None
        dones = np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for end in ends:
            if self._shadow is not None:
                rewards[end.rows] -= self._greedy_gains(end)
            dones[end.rows] = True
        for episode in [episode for episode in self._par if episode < self._games.episode.min()]:
            del self._par[episode]
        self._total += rewards
        now = round(time.time() - self._began, 6)
        for end in ends:
            for k, row in enumerate(end.rows.tolist()):
                infos[row] = {
                    "terminal_observation": end.observation[k],
                    "TimeLimit.truncated": bool(end.truncated[k]),
                    "episode": {"r": float(self._total[row]), "l": int(end.length[k]), "t": now},
                }
        self._total[dones] = 0
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

    def _greedy_gains(self, end: Ends) -> np.ndarray:
        """What the learners would have gained in the episodes that ended if everybody had played greedily."""
        assert self._shadow is not None
        gains = np.empty((len(end.rows), self.core.num_players))
        for episode in np.unique(end.episode).tolist():
            if episode not in self._par:
                self._par[episode] = played_greedily(self._shadow, self._streams_seed, episode)
            at = end.episode == episode
            gains[at] = self._par[episode][end.rows[at]]
        return self._games.own(gains, end.learner)
