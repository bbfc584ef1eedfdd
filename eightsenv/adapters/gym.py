"""Gymnasium: one seat learns, the others are played by bots. A single environment, and a native batch of many."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from eightsenv import engine
from eightsenv.adapters.gym_spaces import LegalActions, LegalActionsBatch, observation_space
from eightsenv.adapters.rendering import RENDER_MODES, check_render_mode, show
from eightsenv.adapters.versus import Ends, Opponent, Versus, game_ids, is_opponent, listed
from eightsenv.engine import VectorCore
from eightsenv.game import Game, Setting
from eightsenv.variants import get


class EightsGymEnv(gymnasium.Env[Any, Any]):
    """One seat of a game as a Gymnasium environment; made by ``gymnasium.make("eightsenv/CrazyEights-v0")`` and its like.

    Observations are dicts of ``observation`` (int8[F], 0/1, own seat first) and ``action_mask`` (int8[A], zeros after the end), as
    in the AEC environment. The reward is all that the learner's seat gained since its last decision, whoever's action brought it,
    to the very end of the episode; what it gained before its first decision comes with the first reward. An episode that ends
    before the learner has a decision is passed over by ``reset``. Infos are empty dicts.

    ``action_space.sample()`` draws a legal action; any other is refused.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        variant: str,
        *,
        opponents: Opponent | Sequence[Opponent] = "greedy",
        seat: int | str = 0,
        render_mode: str | None = None,
        **options: Any,
    ):
        """Make the game; call ``reset`` first.

        Args:
            variant: the variant's name; ``gymnasium.make`` gives it.
            opponents: the others: a compiled policy's name (``"random"``, ``"greedy"``), an agent of ``eightsenv.agents`` or any
                object with its ``act_batch``, a function of (observations int8[R, F], masks int8[R, A]) to actions int[R], or a
                list of these with one for each other seat, beginning on the learner's left.
            seat: the learner's seat, or ``"rotate"``: seat 0 in the first episode of a seed, and one to the left from each
                episode to the next.
            render_mode: ``"human"``, ``"ansi"`` or None.
            options: ``num_players``, ``match``, ``reward``, ``auto_forced``, ``max_decisions``, ``rules`` and the variant's own.

        Raises:
            ValueError: an unknown variant, option, opponent or render mode, or a value outside its range.
        """
        game = get(variant)
        self.setting = engine.resolve(game, **options)
        self.render_mode = check_render_mode(render_mode)
        self._table = (game, self.setting, opponents, seat)
        self._games = _sit_down(*self._table, game_ids(1), autoreset=False)
        self._preview: Versus | None = None
        self._started = self._over = False
        self.observation_space = observation_space(self.core)
        self._actions = LegalActions(self.core.num_actions, self._to_sample_from)
        self.action_space = self._actions

    @property
    def core(self) -> VectorCore:
        """The batch of one game underneath, for agents and tools that read it; playing goes through ``step``."""
        return self._games.core

    @property
    def fields(self) -> dict[str, slice]:
        """Where each section of the observation lies: name -> slice."""
        return self.core.fields

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self._games.learner[0])

    def action_masks(self) -> np.ndarray:
        """The legal actions now, int8[A]: the form in which sb3-contrib asks for them."""
        return self.core.batch.action_mask[0].copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin an episode and play to the learner's first decision.

        Args:
            seed: begins episode 0 of that seed, the same game as game 0 of ``make_vec(seed=seed)``; None: the next episode of the
                seed in use, or of a random one.
            options: ``{"deck": [...], "dealer": d}``, both optional: a scripted deal.

        Raises:
            ValueError: a bad seed or script; nothing is changed. Options of the environment that leave the learner no decision.
        """
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(f"the options of reset are a dict, not {options!r}")
        if seed is None and not self._started:
            seed = secrets.randbits(63)
        self._games.reset(seed, options)
        if seed is not None:
            super().reset(seed=int(seed))
        self._started, self._over = True, False
        self._actions.pending_seed = None
        if self.render_mode == "human":
            self.render()
        return self._observation(), {}

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Make the learner's action and play on to its next decision or the end.

        Returns:
            Observation, reward, whether the rules ended the episode, whether ``max_decisions`` did, and an empty dict.

        Raises:
            ResetNeeded: there is no game, or it is over.
            ValueError: an action that is not an int or not legal; nothing is changed.
        """
        if not self._started or self._over:
            raise ResetNeeded("the episode is over: call reset" if self._over else "call reset before step: there is no game yet")
        gains, ends = self._games.step(np.array([self._legal_action(action)], np.int32))
        self._actions.pending_seed = None
        truncated = bool(ends and ends[0].truncated[0])
        self._over = bool(ends)
        observation = _final_observation(ends[0], 0, self.core.num_actions) if ends else self._observation()
        if self.render_mode == "human":
            self.render()
        return observation, float(gains[0]), self._over and not truncated, truncated, {}

    def render(self) -> str | None:
        """The table as the learner sees it, all hands open after the end: returned (``ansi``) or printed (``human``).

        Raises:
            ValueError: there is no render mode.
        """
        if not self._started:
            raise ResetNeeded("call reset before render: there is no game yet")
        return show(self.core, None if self._over else self.seat, self.render_mode)

    def _observation(self) -> dict[str, np.ndarray]:
        batch = self.core.batch
        return {"observation": batch.observation[0].copy(), "action_mask": batch.action_mask[0].copy()}

    def _legal_action(self, action: Any) -> int:
        """The action as an int. Raises ``ValueError`` if it is none, or not legal."""
        try:
            number = operator.index(action)
        except TypeError:
            number = None
        if number is None or isinstance(action, (bool, np.bool_)):
            raise ValueError(f"an action is an int, not {action!r}")
        if not self.core.accepts(0, number):
            raise ValueError(self.core.refusal(0, number).removeprefix("game 0: "))
        return number

    def _to_sample_from(self, seed: int | None) -> np.ndarray | None:
        """What the action space samples from; see there. A preview of another seed asks, and seeds, the opponents."""
        at_first_decision = self._started and not self._over and not self._games.length[0]
        if seed is not None and seed < 1 << 64 and not at_first_decision:
            if self._preview is None:
                self._preview = _sit_down(*self._table, game_ids(1), autoreset=False)
            self._preview.reset(int(seed))
            return self._preview.core.batch.action_mask[0].copy()
        return self.action_masks() if self._started and not self._over else None


class EightsGymVectorEnv(VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """Many games of :class:`EightsGymEnv` in one process: ``gymnasium.make_vec("eightsenv/CrazyEights-v0", num_envs=1024)``.

    A finished game begins its next episode in the same step (``metadata["autoreset_mode"]`` is ``SAME_STEP``): its reward and its
    ``terminations`` or ``truncations`` are those of the episode that ended, its observation and mask already those of the new one.
    What it showed at the end is in ``infos["final_obs"][i]`` for the games i that ``infos["_final_obs"]`` marks, and
    ``infos["final_info"]`` is an empty dict; infos are empty when no game ended. The same actions give in each game the same
    observations and rewards, byte for byte, as in a single environment.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        variant: str,
        num_envs: int = 1,
        *,
        opponents: Opponent | Sequence[Opponent] = "greedy",
        seat: int | str = 0,
        num_threads: int = 1,
        **options: Any,
    ):
        """Make the games; call ``reset`` first.

        Args:
            variant: the variant's name; ``gymnasium.make_vec`` gives it.
            num_envs: the number of games.
            opponents: as for the single environment.
            seat: the learner's seat, or ``"rotate"``: (game + episode) modulo the number of seats.
            num_threads: threads that share the games of a step; the results do not depend on it.
            options: ``num_players``, ``match``, ``reward``, ``auto_forced``, ``max_decisions``, ``rules`` and the variant's own.

        Raises:
            ValueError: an unknown variant, option or opponent, or a value outside its range.
        """
        game = get(variant)
        self.setting = engine.resolve(game, **options)
        ids = game_ids(num_envs)
        self._games = _sit_down(game, self.setting, opponents, seat, ids, num_threads=num_threads)
        self._started = False
        self.num_envs = len(ids)
        self.single_observation_space = observation_space(self.core)
        self.single_action_space = gymnasium.spaces.Discrete(self.core.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = LegalActionsBatch(
            self.num_envs, self.core.num_actions, lambda: self.core.batch.action_mask if self._started else None
        )

    @property
    def core(self) -> VectorCore:
        """The batch of games underneath, for agents and tools that read it; playing goes through ``step``."""
        return self._games.core

    @property
    def fields(self) -> dict[str, slice]:
        """Where each section of the observation lies: name -> slice."""
        return self.core.fields

    @property
    def seat(self) -> np.ndarray:
        """int64[N]: the learner's seat in each game."""
        return self._games.learner.copy()

    def action_masks(self) -> np.ndarray:
        """The legal actions now, int8[N, A]."""
        return self.core.batch.action_mask.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin an episode of every game and play to the learners' first decisions.

        Args:
            seed: game i begins episode 0 of game i of that seed, as in ``eightsenv.make_vec(seed=seed)``; None: the next episodes
                of the seed in use, or of a random one.
            options: ``{"deck": [...], "dealer": d}``, both optional: a scripted deal for all games; or a list, one for each.

        Raises:
            ValueError: a bad seed or script; nothing is changed. Options of the environment that leave the learner no decision.
        """
        if seed is None and not self._started:
            seed = secrets.randbits(63)
        self._games.reset(seed, options)
        if seed is not None:
            super().reset(seed=int(seed))
        self._started = True
        return self._observation(), {}

    def step(self, actions: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Make the learners' actions (integers [N]) and play on to their next decisions.

        Returns:
            Observations (``observation`` int8[N, F], ``action_mask`` int8[N, A]), rewards float64[N], terminations and truncations
            bool[N], infos.

        Raises:
            ResetNeeded: there are no games yet.
            ValueError: an action that is not legal, or a wrong number of them; no game is changed.
            TypeError: actions that are not integers.
        """
        if not self._started:
            raise ResetNeeded("call reset before step: there are no games yet")
        rewards, ends = self._games.step(actions)
        terminations, truncations = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        for end in ends:
            truncations[end.rows] = end.truncated
            terminations[end.rows] = ~end.truncated
        return self._observation(), rewards, terminations, truncations, self._infos(ends)

    def _observation(self) -> dict[str, np.ndarray]:
        batch = self.core.batch
        return {"observation": batch.observation.copy(), "action_mask": batch.action_mask.copy()}

    def _infos(self, ends: list[Ends]) -> dict[str, Any]:
        if not ends:
            return {}
        final, ended = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        for end in ends:
            ended[end.rows] = True
            for k, row in enumerate(end.rows.tolist()):
                final[row] = _final_observation(end, k, self.core.num_actions)
        return {"final_obs": final, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}


def _sit_down(
    game: Game,
    setting: Setting,
    opponents: Any,
    seat: int | str,
    ids: np.ndarray,
    *,
    num_threads: int = 1,
    autoreset: bool = True,
) -> Versus:
    """The games with the opponents in their seats, counted from the learner's left. Raises ``ValueError`` for a bad argument."""
    chosen, seats = listed(opponents), np.arange(setting.num_players)
    if not is_opponent(opponents) and len(chosen) != len(seats) - 1:
        raise ValueError(f"one opponent for all other seats or one for each of the {len(seats) - 1} is needed, not {len(chosen)}")
    games = Versus(game, setting, ids, seat=seat, num_threads=num_threads, autoreset=autoreset)

    def assign(learner: np.ndarray) -> np.ndarray:
        return np.minimum((seats - learner[:, None] - 1) % len(seats), len(chosen) - 1)

    games.set_opponents(chosen, assign)
    return games


def _final_observation(end: Ends, k: int, num_actions: int) -> dict[str, np.ndarray]:
    """What the k-th of the games that ended shows: nothing is legal any more."""
    return {"observation": end.observation[k].copy(), "action_mask": np.zeros(num_actions, np.int8)}
