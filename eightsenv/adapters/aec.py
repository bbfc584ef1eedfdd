"""The PettingZoo AEC environment of any variant: one game, thin around the kernels of the core."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from eightsenv import snapshots
from eightsenv.adapters.log import Event, Replay, plain
from eightsenv.adapters.rendering import RENDER_MODES, check_render_mode, show
from eightsenv.engine import VectorCore
from eightsenv.game import Game, resolve
from eightsenv.kernels import SCORED, TERMINATED, TRUNCATED


class RawEightsEnv(AECEnv):
    """One game of a variant as a PettingZoo AEC environment; checks only that actions are legal.

    Agents are ``agent_0 … agent_{P-1}`` in clockwise order of seats. Observations are dicts of ``observation`` (int8[F], 0/1,
    own seat first) and ``action_mask`` (int8[A]: the legal actions of the agent to move, zeros for everyone else).
    """

    def __init__(self, game: Game, *, render_mode: str | None = None, **options: Any):
        """Arguments and options as in the variant's table.

        Raises:
            ValueError: an unknown option, a value outside its range, or an impossible combination.
        """
        super().__init__()
        setting = resolve(game, **options)
        self.metadata = {"name": game.name, "render_modes": RENDER_MODES, "is_parallelizable": False, "render_fps": 1}
        self.render_mode = check_render_mode(render_mode)
        self.game, self.setting = game, setting
        self._core = core = VectorCore(game, setting, np.zeros(1, np.uint64), state=True, autoreset=False)
        self._seeded = False

        self.possible_agents = [f"agent_{seat}" for seat in range(setting.num_players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (core.num_features,), np.int8),
                "action_mask": spaces.Box(0, 1, (core.num_actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: observation for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(core.num_actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 1, (sum(section.size for section in game.state_sections(setting)),), np.int8)
        self.fields = core.fields
        """Where each section of the observation lies: name -> slice."""
        self._action_ids = {_normal(name): action for action, name in enumerate(core.actions)}
        self._over = True

        # Views of the single row, bound once: what a decision costs is mostly Python.
        assert core.batch.state is not None
        self._observation, self._mask, self._state = core.batch.observation[0], core.batch.action_mask[0], core.batch.state[0]
        self._no_mask = np.zeros(core.num_actions, np.int8)
        self._num_actions = core.num_actions
        self._batch = core.batch
        self._step, self._look = core.stepper(), core.looker()
        self._seat = 0

    # Spaces

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def action_name(self, action: int) -> str:
        """The text of an action id, such as ``"play 8C"``. Raises ``ValueError`` for an id that does not exist."""
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)) or not 0 <= action < self._core.num_actions:
            raise ValueError(f"action ids are 0 to {self._core.num_actions - 1}, not {action!r}")
        return self._core.actions[action]

    def action_id(self, text: str) -> int:
        """The id of an action text; case does not matter and ``10C`` is read as ``TC``. Raises ``ValueError`` for unknown text."""
        if isinstance(text, str):
            action = self._action_ids.get(_normal(text))
            if action is not None:
                return action
        raise ValueError(f"{self.game.name} has no action {text!r}; actions are written such as {self._core.actions[0]!r}")

    # The AEC cycle

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: begins episode 0 of that seed, the same game as game 0 of ``make_vec(seed=seed)``; None: the next episode of the
                seed in use, or of a random one.
            options: ``{"deck": [...], "dealer": d}``, both optional: a scripted deal (ACTIONS.md).
        """
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(f"the options of reset are a dict, not {options!r}")
        if seed is None and not self._seeded:
            seed = secrets.randbits(63)
        self._core.reset(seed, options)
        self._seat = int(self._core.batch.seat[0])
        self._seeded = True
        deck, dealer = (options or {}).get("deck"), (options or {}).get("dealer")
        script = {"deck": list(deck or ()), "dealer": None if dealer is None else int(dealer)}
        core = self._core
        self._origin: dict[str, Any] = {
            "seed": core.seed, "game": core.game_id(0), "episode": core.episode(0), "options": script
        }  # fmt: skip
        self._log: list[Any] = []
        self._replayed: Replay | None = None
        self._skip_agent_selection = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self._rewarded = self._over = False
        self.agent_selection = self.possible_agents[self._seat]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now; the mask of an agent that is not to move is all zeros. The arrays are the caller's own."""
        seat = self._seat_of(agent)
        if seat == self._seat:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        return {"observation": self._look(seat), "action_mask": self._no_mask.copy()}

    def state(self) -> np.ndarray:
        """The full-information vector, int8[S], 0/1."""
        return self._state.copy()

    def step(self, action: int | None) -> None:
        """Make the action of ``agent_selection``; None for an agent whose game is over.

        Raises:
            ValueError: an illegal action; nothing is changed.
        """
        agent = self.agent_selection
        if self._over:
            self._was_dead_step(action)
            return
        try:
            accepted = action is not None and 0 <= action < self._num_actions and bool(self._mask[action])
        except (TypeError, IndexError, ValueError):  # no integer at all
            accepted = False
        if action is None or not (accepted or self._accepts_illegal(action)):
            raise ValueError(self._refusal(action))
        action = int(action)
        self._log.append(action)
        done = self._step(action)
        self._seat = self._batch.seat[0] = done >> 3
        cumulative = self._cumulative_rewards
        cumulative[agent] = 0.0
        if done & SCORED or self._rewarded:
            self._pay(cumulative)
        if done & (TERMINATED | TRUNCATED):
            self._finish(bool(done & TERMINATED))
        self.agent_selection = self.possible_agents[self._seat]
        if self.render_mode == "human":
            self.render()

    def _accepts_illegal(self, action: Any) -> bool:
        """Whether an action that the mask does not show is accepted: the rules may count it as an infraction."""
        integer = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
        return integer and self._core.accepts(0, int(action))

    def _refusal(self, action: Any) -> str:
        if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
            return f"an action of {self.agent_selection} is an int, not {action!r}"
        return self._core.refusal(0, int(action)).removeprefix("game 0: ")

    def _pay(self, cumulative: dict[str, float]) -> None:
        """Hand out the rewards of the step; the next step without any clears them."""
        rewards = self._batch.reward[0].tolist()
        self._rewarded = any(rewards)
        for agent, reward in zip(self.possible_agents, rewards, strict=True):
            self.rewards[agent] = reward
            cumulative[agent] += reward

    def _finish(self, terminated: bool) -> None:
        self._over = True
        self._batch.terminated[0], self._batch.truncated[0] = terminated, not terminated
        ended = self.terminations if terminated else self.truncations
        for agent in self.agents:
            ended[agent] = True

    # Beyond PettingZoo

    @property
    def core(self) -> VectorCore:
        """The batch of one game underneath: for agents and tools that read it; playing goes through ``step``."""
        return self._core

    @property
    def num_players(self) -> int:
        return self.setting.num_players

    def reveal(self) -> dict[str, Any]:
        """The whole state in words (ACTIONS.md): for logs, debugging and tests, never for a player."""
        self._require_reset()
        return self._core.reveal(0)

    def payoffs(self) -> list[float]:
        """The points or chips of the hand that ended last, by seat. Raises ``ValueError`` before any hand has ended."""
        self._require_reset()
        return self._core.payoffs(0)

    def view(self, agent: str) -> dict[str, Any]:
        """The state in words as far as the agent may know it."""
        self._require_reset()
        return self._core.view(0, self._seat_of(agent))

    def log(self, agent: str | None = None) -> list[str]:
        """The events of this episode in action text, one line each; the hands ended so far with their payoffs.

        Args:
            agent: adds in brackets what this agent alone saw (its cards dealt and drawn); None: the public log.
        """
        self._require_reset()
        seat = None if agent is None else self._seat_of(agent)
        return [event.text(seat) for event in self._replay()]

    def ledger(self) -> list[dict[str, Any]]:
        """One row for each finished hand: its number, payoffs, the running totals after it, and what was ``counted``: the parts of
        ``reveal`` at its end that the payoffs follow from. All of it is recomputed from the log (G-8)."""
        self._require_reset()
        return [event.ledger for event in self._replay() if event.ledger is not None]

    def audit(self) -> list[int]:
        """The running totals, recomputed from the cards recorded in the ledger, hand by hand.

        Raises:
            ValueError: a recorded total is another one, or the variant records no cards.
        """
        if self.game.audit is None:
            raise ValueError(f"{self.game.name} has no audit: its ledger holds payoffs and totals, no cards")
        return self.game.audit(self.ledger(), self.setting)

    def _replay(self) -> list[Event]:
        if self._replayed is None:
            self._replayed = Replay(self.game, self.setting, self._origin, self._log)
        return self._replayed.events()

    def snapshot(self) -> bytes:
        """The game as bytes: state, random streams, rewards due and log."""
        self._require_reset()
        return self._core.snapshot(0, self._written(self._log, self._origin))

    def determinize(self, agent: str, seed: int) -> bytes:
        """A snapshot of a state that agrees with what an agent knows: all that it cannot know is sampled.

        It depends on what the agent knows and on ``seed`` alone: the chance stream is seeded anew, and neither the record nor the
        log, which keeps the agent's own notes only, tells of the true hidden cards. See :meth:`VectorCore.determinize`.

        Raises:
            ValueError: an unknown agent, or a seed that is out of range.
            TypeError: a seed that is not an int.
        """
        self._require_reset()
        seat = self._seat_of(agent)
        history = [event.noted(seat) for event in self._replay()]
        return self._core.determinize(0, seat, seed, self._written([], {"history": history}))

    def scenario(self, name: str, **arguments: Any) -> None:
        """Change the game as the rules' account of an accident says: ``scenario("misdeal", seat=1, k=2)``; it is no decision.

        Raises:
            ValueError: an unknown scenario, arguments that it does not take, or not at this moment; nothing is changed.
        """
        self._require_reset()
        self._core.scenario(0, name, **arguments)
        self._log.append([name, plain(arguments)])
        self._seat = int(self._core.batch.seat[0])
        self.agent_selection = self.possible_agents[self._seat]

    def _written(self, log: list[Any], origin: dict[str, Any]) -> bytes:
        """What a snapshot holds beside the state."""
        due = {
            "agents": self.agents,
            "rewards": self.rewards,
            "cumulative": self._cumulative_rewards,
            "selection": self.agent_selection,
            "skip": self._skip_agent_selection,
            "log": log,
            "origin": origin,
        }
        return json.dumps(due).encode()

    def restore(self, snapshot: bytes) -> None:
        """Go on from a snapshot of the same variant and options. Raises ``ValueError`` for any other bytes; nothing is changed.

        A snapshot of a game in a batch has no log: the log begins there.
        """
        due = _due(snapshots.unpack(snapshot, self.setting, self._core.record_size).extra, self.possible_agents)
        self._core.restore(0, snapshot)
        batch = self._core.batch
        terminated, truncated = bool(batch.terminated[0]), bool(batch.truncated[0])
        self._seat = int(batch.seat[0])
        self._seeded = True
        self._over = terminated or truncated
        everyone = self.possible_agents
        self.agents = due.get("agents", everyone[:])
        self.rewards = due.get("rewards", dict.fromkeys(everyone, 0.0))
        self._cumulative_rewards = due.get("cumulative", dict.fromkeys(everyone, 0.0))
        self.agent_selection = due.get("selection", everyone[self._seat])
        self._skip_agent_selection = due.get("skip")
        self._log, self._replayed = due.get("log", []), None
        self._origin = due.get("origin", {})
        if "seed" not in self._origin and "snapshot" not in self._origin:
            self._origin["snapshot"] = bytes(snapshot).hex()
        self._rewarded = any(self.rewards.values())
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {agent: {} for agent in self.agents}

    def render(self) -> str | None:
        """The table as the agent to move sees it, all hands open after the end: returned (``ansi``) or printed (``human``).

        Raises:
            ValueError: there is no render mode.
        """
        self._require_reset()
        return show(self._core, None if self._over else self._seat, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""

    def _seat_of(self, agent: str) -> int:
        """The seat of an agent. Raises ``ValueError`` for an unknown one."""
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(f"there is no agent {agent!r}; the agents are {', '.join(self.possible_agents)}") from None

    def _require_reset(self) -> None:
        if not self._seeded:
            raise ResetNeeded("call reset first: there is no game yet")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.name}, num_players={self.num_players})"


class EightsEnv(RawEightsEnv):
    """The environment with PettingZoo's checks made inside, once: reset first, an action that is an int, in bounds, and legal."""

    def step(self, action: int | None) -> None:
        """Make the action of ``agent_selection``; None for an agent whose game is over.

        Raises:
            ResetNeeded: there is no game yet.
            ValueError: an action that is not an int, out of bounds or illegal, or any but None after the end; nothing is changed.
        """
        if not self._seeded:
            raise ResetNeeded("call reset before step: there is no game yet")
        if not self.agents:
            raise ResetNeeded("the episode is over and every agent has left: call reset")
        if self._over:
            if action is not None:
                raise ValueError(f"the game is over: the only step of {self.agent_selection} is None, not {action!r}")
        elif type(action) is not int and (isinstance(action, bool) or not isinstance(action, (int, np.integer))):
            raise ValueError(f"an action of {self.agent_selection} is an int, not {action!r}")
        super().step(action)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        if not self._seeded:
            raise ResetNeeded("call reset before observe: there is no game yet")
        return super().observe(agent)

    def state(self) -> np.ndarray:
        if not self._seeded:
            raise ResetNeeded("call reset before state: there is no game yet")
        return super().state()


def _due(extra: bytes, agents: list[str]) -> dict[str, Any]:
    """What ``snapshot`` added; nothing for a game of a batch. Raises ``ValueError`` for anything else."""
    if not extra:
        return {}
    try:
        due = json.loads(extra)
        known = set(due) == {"agents", "rewards", "cumulative", "selection", "skip", "log", "origin"}
        if known and due["selection"] in agents and all(isinstance(entry, (int, list)) for entry in due["log"]):
            return due
    except (ValueError, TypeError):
        pass
    raise ValueError("the snapshot was not written by an AEC environment or a batch")


def _normal(text: str) -> str:
    """Action text in lower case with single spaces, the ten written T."""
    return " ".join(
        word.replace("10", "t", 1) if len(word) == 3 and word.startswith("10") else word for word in text.lower().split()
    )


def pettingzoo_module(game: Game) -> tuple[Callable[..., EightsEnv], Callable[..., RawEightsEnv]]:
    """The functions ``env`` and ``raw_env`` of a variant's module."""

    def env(**options: Any) -> EightsEnv:
        return EightsEnv(game, **options)

    def raw_env(**options: Any) -> RawEightsEnv:
        return RawEightsEnv(game, **options)

    for function in (env, raw_env):
        function.__qualname__ = function.__name__
    lines = "\n".join(f"    {o.name}: {o.values} (default {game.defaults[o.name]!r}): {o.meaning}." for o in game.options)
    common = f"num_players ({game.players[0]} to {game.players[1]}), match, reward, render_mode, auto_forced, max_decisions, rules"
    env.__doc__ = f"{game.title} as a PettingZoo AEC environment.\n\nKeyword arguments: {common}, and\n\n{lines}\n"
    raw_env.__doc__ = f"{game.title} without the checks of order and bounds; arguments as for ``env``."
    return env, raw_env
