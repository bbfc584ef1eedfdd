"""Exact answers for games small enough to be walked through whole, such as the preset ``mini``: CFR+ and NashConv by OpenSpiel.

The tree is read once through the adapter (:mod:`eightsenv.adapters.openspiel`), and handed to OpenSpiel's compiled solvers in
Gambit's format of extensive-form games: on a game written in Python they would take a thousand times as long. Deals that no player
can tell apart, and that go on alike, are one.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel

from eightsenv.adapters import openspiel
from eightsenv.agents.base import Agent
from eightsenv.agents.learned import PolicyAgent
from eightsenv.game import Setting

MOST_DEALS = 5_000
"""Orders of the deck, times dealers, that are still walked through: ``mini`` has 1440."""

SETTLED = 1e-3
"""The NashConv, in points, at which a solution is taken for one."""
MOST_ITERATIONS = 20_000


@dataclass(frozen=True)
class Tree:
    """A whole game for two: I information sets, A actions, F features."""

    setting: Setting
    game: Any
    """The ``pyspiel`` game that OpenSpiel solves."""
    keys: list[str]
    """By information set: the player and what it was told."""
    observations: np.ndarray
    """int8[I, F]: what the player to move sees."""
    masks: np.ndarray
    """int8[I, A]: its legal actions."""
    heuristic: np.ndarray
    """int64[I]: the action of the compiled ``greedy`` policy."""
    decisions: int
    """Decision nodes."""
    ends: int
    """Leaves."""
    names: dict[str, tuple[int, dict[int, int]]]
    """What ``game`` calls an information set: its number here, and by the actions there those here."""

    def nash_conv(self, policy: np.ndarray) -> float:
        """What best responders gain against a policy, both players' gains added up; twice the policy's exploitability.

        Args:
            policy: float[I, A], the probabilities of the legal actions.
        """
        table = {
            name: [(there, float(policy[index, here])) for there, here in actions.items()]
            for name, (index, actions) in self.names.items()
        }
        return float(pyspiel.nash_conv(self.game, table))

    def uniform(self) -> np.ndarray:
        """The policy that draws any legal action, float64[I, A]."""
        return self.masks / self.masks.sum(1, keepdims=True)

    def pure(self, actions: np.ndarray) -> np.ndarray:
        """The policy that plays one action (int[I]) in each information set, float64[I, A]."""
        return np.eye(self.masks.shape[1])[actions]

    def softmax(self, logits: np.ndarray) -> np.ndarray:
        """The policy of a net's logits (float[I, A]), drawn from among the legal actions, float64[I, A]."""
        raised = np.where(self.masks != 0, logits.astype(float), -np.inf)
        raised = np.exp(raised - raised.max(1, keepdims=True))
        return raised / raised.sum(1, keepdims=True)

    def from_table(self, table: Mapping[str, Sequence[tuple[int, float]]]) -> np.ndarray:
        """The policy of a table of OpenSpiel's solvers for ``game``, float64[I, A]."""
        policy = np.zeros(self.masks.shape)
        for name, entries in table.items():
            index, actions = self.names[name]
            for there, probability in entries:
                policy[index, actions[there]] = probability
        return policy


def read(setting: Setting, progress: Callable[[int, int], None] | None = None) -> Tree:
    """The whole tree of a setting.

    Args:
        setting: for two players, with payoffs that add up to 0, small enough.
        progress: gets the number of deals walked through so far, and of all.

    Raises:
        ValueError: a setting that is too large or of another kind, or one in which chance acts after the deal.
    """
    game = openspiel.load(setting.variant, **setting.as_dict() | {"auto_forced": False})
    if setting.num_players != 2 or game.get_type().utility != pyspiel.GameType.Utility.ZERO_SUM:
        raise ValueError("an exact solution needs num_players=2 and payoffs that add up to 0")
    pack = Counter(game.table.core.pack)
    orders = math.factorial(pack.total()) // math.prod(map(math.factorial, pack.values())) * max(1, game.table.dealers)
    if orders > MOST_DEALS:
        raise ValueError(
            f"{setting.variant} as it is set is too large to be solved exactly: its deck can be laid in more than {MOST_DEALS} "
            "orders; rules='mini' of eights_v0 or crazy_eights_v0 is small enough"
        )
    walk = _Walk(game, progress)
    solved = pyspiel.load_efg_game(walk.write())
    return Tree(
        setting, solved, list(walk.sets), np.array(walk.observations), np.array(walk.masks), np.array(walk.heuristic),
        walk.decisions, walk.ends, _names(solved, {text: k for k, text in enumerate(walk.actions)}),
    )  # fmt: skip


def _names(game: Any, actions: Mapping[str, int]) -> dict[str, tuple[int, dict[int, int]]]:
    """How a game in Gambit's format calls the information sets, whose labels are their numbers."""
    result: dict[str, tuple[int, dict[int, int]]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_player_node():
            name, player = state.information_state_string(), state.current_player()
            if name not in result:
                texts = {k: state.action_to_string(player, k) for k in state.legal_actions()}
                result[name] = int(name.rsplit("-", 1)[1]), {k: actions[text] for k, text in texts.items()}
        waiting += [state.child(k) for k in state.legal_actions()]
    return result


def solve(
    tree: Tree, settled: float = SETTLED, most: int = MOST_ITERATIONS, progress: Callable[[int, float], None] | None = None
) -> tuple[np.ndarray, int]:
    """A solution by CFR+ (Tammelin 2014): the average policy, float64[I, A], and the iterations that were made.

    Args:
        tree: the game.
        settled: stops at this NashConv, looked at ever more rarely.
        most: stops after so many iterations whatever was reached.
        progress: gets the iterations made and the NashConv reached.
    """
    solver = pyspiel.CFRPlusSolver(tree.game)
    made, look = 0, 8
    while True:
        while made < min(look, most):
            solver.evaluate_and_update_policy()
            made += 1
        policy = tree.from_table(solver.tabular_average_policy().policy_table())
        reached = tree.nash_conv(policy)
        if progress is not None:
            progress(made, reached)
        if reached <= settled or made >= most:
            return policy, made
        look = made + made // 2


@dataclass(frozen=True)
class Solved:
    """How far policies are from a solution of their game, which is known exactly."""

    variant: str
    setting: dict[str, Any]
    policy: str
    """The name of the policy in question."""
    information_sets: int
    decisions: int
    ends: int
    iterations: int
    """Of CFR+."""
    nash_conv: dict[str, float]
    """By policy, in points of a hand: that in question (for a net as it plays, by its likeliest actions, and ``drawn`` from its
    probabilities), ``greedy``, ``random`` and the ``solution``."""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able values."""
        return dataclasses.asdict(self)


def compare(agent: Agent, setting: Setting, progress: Callable[[int, int], None] | None = None) -> Solved:
    """The NashConv of an agent, of the compiled policies and of a solution.

    Args:
        agent: a net, or a compiled policy.
        setting: what is played; see :func:`read`.
        progress: gets the number of deals walked through so far, and of all.

    Raises:
        ValueError: a setting that cannot be solved, or that the agent cannot play.
    """
    agent.check(setting)
    tree = read(setting, progress)
    policies = {"greedy": tree.pure(tree.heuristic), "random": tree.uniform()}
    if isinstance(agent, PolicyAgent):
        logits = agent.net.logits(tree.observations)
        likeliest = tree.pure(agent.net.pick(logits, tree.masks))
        policies = {agent.name: likeliest, f"{agent.name}, drawn": tree.softmax(logits)} | policies
    elif agent.policy not in policies:
        raise ValueError(f"the policy of {agent.name} in every information set is not known: it is neither a net nor compiled")
    solution, iterations = solve(tree)
    values = {name: tree.nash_conv(policy) for name, policy in (policies | {"solution": solution}).items()}
    return Solved(setting.variant, setting.as_dict(), agent.name, len(tree.keys), tree.decisions, tree.ends, iterations, values)


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
        self.heuristic: list[int] = []
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
            self.heuristic.append(int(core.choose("greedy")[0]))
        index = self.sets[key]
        actions = " ".join(f'"{self.actions[action]}"' for action in legal)
        self.lines.append(f'p "" {player + 1} {self.numbers[index]} "{index}" {{ {actions} }} 0')
        for action in legal:
            self.node(state.child(action))
