"""An AEC environment that does nothing: what PettingZoo's own interface costs, written as its documentation's template."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import AgentSelector


class IdleEnv(AECEnv):
    """``num_players`` agents in turn, never over: a step goes on to the next agent and accumulates rewards of zero.

    The same arrays are handed out again and again.
    """

    def __init__(self, num_players: int, num_features: int, num_actions: int):
        super().__init__()
        self.metadata = {"name": "idle_v0", "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self.possible_agents = [f"agent_{seat}" for seat in range(num_players)]
        self._selector = AgentSelector(self.possible_agents)
        space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (num_features,), np.int8),
                "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(num_actions) for agent in self.possible_agents}
        self._seen = {"observation": np.zeros(num_features, np.int8), "action_mask": np.ones(num_actions, np.int8)}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self.agent_selection = self._selector.reset()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return self._seen

    def step(self, action: int | None) -> None:
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.agent_selection = self._selector.next()
        self._accumulate_rewards()
