"""Exact answers for games small enough to be walked through whole, such as the preset ``mini``: CFR+ and NashConv by OpenSpiel.

The tree is read once through the adapter (:mod:`eightsenv.adapters.openspiel`), and handed to OpenSpiel's compiled solvers in
Gambit's format of extensive-form games: on a game written in Python they would take a thousand times as long. Deals that no player
can tell apart, and that go on alike, are one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel

from eightsenv.adapters import openspiel
from eightsenv.agents.learned import PolicyAgent
from eightsenv.game import Setting

MOST_DEALS = 5_000
"""Orders of the deck, times dealers, that are still walked through: ``mini`` has 1440."""

SETTLED = 1e-3
"""The NashConv, in points, at which a solution is taken for one."""
MOST_ITERATIONS = 20_000


@dataclass(frozen=True)
class Tree:
    """A whole game: I information sets, A actions, F features."""

    setting: Setting
    game: Any
    """The ``pyspiel`` game that OpenSpiel solves."""
    keys: list[str]
    """The information state of each set: the player and what it was told."""
    observations: np.ndarray
    """int8[I, F]: what the player to move sees."""
    masks: np.ndarray
    """int8[I, A]: its legal actions."""
    greedy: np.ndarray
    """int64[I]: the action of the compiled heuristic."""
    decisions: int
    """Decision nodes."""
    ends: int
    labels: list[str]
    """By information set: how ``game`` calls it."""


class _Walk:
    """Writes a game down in Gambit's format, and gathers its information sets."""

    def __init__(self, game: openspiel.EightsGame, progress: Callable[[int, int], None] | None):
        self.game, self.progress = game, progress
        self.actions = game.table.core.actions
        self.sets: dict[str, int] = {}
        self.of_player = [0] * game.num_players()
        """How many sets of each player are met so far."""
        self.numbers: list[int] = []
        """By set: its number among those of its player, from 1 on."""
        self.observations: list[np.ndarray] = []
        self.masks: list[np.ndarray] = []
        self.greedy: list[int] = []
        self.decisions = self.ends = 0
        self.lines: list[str] = []

    def deals(self) -> list[tuple[Any, Fraction]]:
        """The different positions after the deal with their probabilities."""
        found: dict[tuple[str, ...], tuple[Any, Fraction]] = {}
        waiting = [(self.game.new_initial_state(), Fraction(1))]
        while waiting:
            state, chance = waiting.pop()
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                waiting += [(state.child(k), chance * Fraction(p).limit_denominator(10_000)) for k, p in outcomes]
            else:
                players = range(self.game.num_players())
                key = (str(state), *(state.information_state_string(player) for player in players))
                found[key] = state, chance + (found[key][1] if key in found else 0)
        return list(found.values())

    def write(self) -> str:
        """The game in Gambit's format."""
        players = " ".join(f'"{player}"' for player in range(self.game.num_players()))
        deals = self.deals()
        outcomes = " ".join(f'"deal {k}" {chance}' for k, (_, chance) in enumerate(deals))
        self.lines = [f'EFG 2 R "{self.game.setting.variant}" {{ {players} }} ""', f'c "" 1 "" {{ {outcomes} }} 0']
        for k, (state, _) in enumerate(deals):
            self.node(state)
            if self.progress is not None:
                self.progress(k + 1, len(deals))
        return "\n".join(self.lines) + "\n"

    def node(self, state: Any) -> None:
        """Write a node and all below it."""
        if state.is_terminal():
            self.ends += 1
            self.lines.append(f't "" {self.ends} "" {{ {" ".join(map(repr, state.returns()))} }}')
            return
        self.decisions += 1
        player, legal = state.current_player(), state.legal_actions()
        key = f"{player} {state.information_state_string()}"
        if key not in self.sets:
            self.sets[key] = len(self.sets)
            self.of_player[player] += 1
            self.numbers.append(self.of_player[player])
            core = state.core()
            self.observations.append(core.batch.observation[0].copy())
            self.masks.append(core.batch.action_mask[0].copy())
            self.greedy.append(int(core.choose("greedy")[0]))
        index = self.sets[key]
        actions = " ".join(f'"{self.actions[action]}"' for action in legal)
        self.lines.append(f'p "" {player + 1} {self.numbers[index]} "{index}" {{ {actions} }} 0')
        for action in legal:
            self.node(state.child(action))
