"""Comparing agents on duplicate deals: every deal is replayed with the seats rotated, so that luck of the cards cancels.

A deal gives one sample: the mean over its rotations. Confidence intervals are over deals, never over games, which share
their cards. Agents are listed by seat in the first rotation; the last one listed fills the remaining seats.

A game's winners are the seats with the best episode total (with ``reward="win"``: those that gained); they share one win, and
nobody wins a game in which all totals are equal or that was truncated, as in the rewards of ``reward="win"``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightsenv import engine
from eightsenv.agents.base import Agent
from eightsenv.game import Game, Setting
from eightsenv.rng import check_seed
from eightsenv.variants import get

CHUNK = 8192
"""Games that are played side by side (rounded down to whole deals). Fixed, so that the same seed gives the same table."""

TIED = 1e-4
"""Totals that differ by less are equal: they are multiples of 1/840."""

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A mean over deals and half the width of its 95 % confidence interval (None with a single deal)."""

    mean: float
    half_width: float | None

    def text(self, digits: int = 2) -> str:
        if self.half_width is None:
            return f"{self.mean:+.{digits}f}"
        return f"{self.mean:+.{digits}f} ± {self.half_width:.{digits}f}"

    def percent(self) -> str:
        """The same of a rate."""
        half = "" if self.half_width is None else f" ± {100 * self.half_width:.1f}"
        return f"{100 * self.mean:.1f}{half} %"


@dataclass(frozen=True)
class Row:
    """What one listed agent reached."""

    agent: str
    seats: int
    """How many seats it fills."""
    payoff: Estimate
    """Mean reward of an episode."""
    win_rate: Estimate
    """Wins for each game and seat, shared wins counted in parts."""


@dataclass(frozen=True)
class Evaluation:
    """The result of :func:`evaluate`."""

    variant: str
    setting: dict[str, Any]
    seed: int
    deals: int
    games: int
    truncated: int
    """Games that reached ``max_decisions``."""
    agents: tuple[Row, ...]
    advantage: Estimate | None
    """The first agent's mean payoff less the mean payoff of the other seats in the same games; None if it plays alone."""

    def as_dict(self) -> dict[str, Any]:
        """The same as plain JSON-able values."""
        return dataclasses.asdict(self)


def evaluate(
    agents: Sequence[Agent],
    setting: Setting,
    *,
    deals: int = 2_000,
    seed: int = 0,
    num_threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Play ``deals * num_players`` episodes and compare the agents.

    Args:
        agents: by seat in the first rotation, by side where seats play together; the last one fills what remains.
        setting: the variant and its options.
        deals: the number of different deals.
        seed: of the deals and of all agents' random numbers; the same seed gives the same result.
        num_threads: threads of the core; the result does not depend on it.
        progress: gets the number of deals played so far.

    Raises:
        ValueError: no agent, more agents than seats or sides, a number of deals below 1, or an agent that cannot play the setting.
    """
    n, sides = setting.num_players, get(setting.variant).sides(setting)
    if not 1 <= len(agents) <= len(sides):
        raise ValueError(f"one to {len(sides)} agents can be listed for {n} players{_in_sides(sides)}, not {len(agents)}")
    check_deals(deals)
    check_seed(seed)
    for k, agent in enumerate(agents):
        agent.check(setting)
        agent.seed((seed + 1000003 * k) % 2**64)

    seated = np.minimum(get(setting.variant).side_of(setting), len(agents) - 1)
    # In rotation k the agent of place p sits in seat (p + k) mod n: row k of `lineups` names the agents by seat.
    lineups = np.stack([np.roll(seated, k) for k in range(n)])
    at_once = max(1, CHUNK // n)
    payoffs, wins, advantages = [], [], []
    truncated = 0
    for first in range(0, deals, at_once):
        played = play(agents, setting, np.arange(first, min(deals, first + at_once)), lineups, seed=seed, num_threads=num_threads)
        truncated += int(played.truncated.sum())
        payoffs.append(by_agent(played.totals, lineups, len(agents)))
        wins.append(by_agent(played.wins(setting), lineups, len(agents)))
        if len(agents) > 1:
            first_or_other = np.minimum(lineups, 1)
            mean = by_agent(played.totals, first_or_other, 2)
            advantages.append(mean[:, 0] - mean[:, 1])
        if progress is not None:
            progress(min(deals, first + at_once))

    payoff, win = np.concatenate(payoffs), np.concatenate(wins)
    rows = tuple(
        Row(agent.name, int((seated == k).sum()), estimate(payoff[:, k]), estimate(win[:, k])) for k, agent in enumerate(agents)
    )
    advantage = estimate(np.concatenate(advantages)) if advantages else None
    return Evaluation(setting.variant, setting.as_dict(), seed, int(deals), int(deals) * n, truncated, rows, advantage)


def _in_sides(sides: tuple[tuple[int, ...], ...]) -> str:
    return "" if all(len(side) == 1 for side in sides) else f" on {len(sides)} sides"


# Duplicate games: what every comparison of agents plays and counts


def check_deals(deals: int) -> int:
    """A number of deals, itself. Raises ``ValueError`` unless it is an int from 1 on."""
    if isinstance(deals, bool) or not isinstance(deals, (int, np.integer)) or deals < 1:
        raise ValueError(f"deals is an int from 1 on, not {deals!r}")
    return int(deals)


@dataclass(frozen=True)
class Played:
    """D deals, each played once with each of L line-ups, by P seats."""

    totals: np.ndarray
    """float64[D, L, P]: the reward of the episode of each seat."""
    truncated: np.ndarray
    """bool[D, L]: which games reached ``max_decisions``."""

    def wins(self, setting: Setting) -> np.ndarray:
        """The share of the win of each seat, float64[D, L, P]."""
        totals = self.totals
        best = totals > 0 if setting.reward == "win" else totals > totals.max(2, keepdims=True) - TIED
        number = best.sum(2, keepdims=True)
        nobody = (number == 0) | (number == totals.shape[2]) | self.truncated[:, :, None]
        return np.where(nobody, 0.0, best / np.maximum(number, 1))


def play(
    agents: Sequence[Agent], setting: Setting, deals: np.ndarray, lineups: np.ndarray, *, seed: int, num_threads: int = 1
) -> Played:
    """Play duplicate games, all side by side.

    Args:
        agents: those that the line-ups name; they are seeded by the caller.
        setting: the variant and its options.
        deals: the numbers of the deals, int[D]; with the same seed, equal numbers are equal deals.
        lineups: for each seat the index of its agent, int[L, P].
        seed: of the deals and of the policies' streams.
        num_threads: threads of the core; the result does not depend on it.
    """
    game, (number, seats) = get(setting.variant), lineups.shape
    ids = np.repeat(np.asarray(deals, np.uint64), number)
    who = np.tile(lineups, (len(deals), 1))
    way = _play_compiled if all(agent.policy for agent in agents) else _play
    totals, truncated = way(game, setting, ids, agents, who, seed, num_threads)
    return Played(totals.reshape(-1, number, seats), truncated.reshape(-1, number))


def by_agent(values: np.ndarray, lineups: np.ndarray, agents: int) -> np.ndarray:
    """The mean of ``values`` (float64[D, L, P]) over the seats and line-ups of each deal, by agent: float64[D, agents].

    Every agent sits in every line-up.
    """
    seats = [lineups == k for k in range(agents)]
    return np.stack([((values * where).sum(2) / where.sum(1)).mean(1) for where in seats], axis=1)


def _play_compiled(
    game: Game, setting: Setting, ids: np.ndarray, agents: Sequence[Agent], who: np.ndarray, seed: int, num_threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """The totals float64[G, P] of one episode of each game, and which were truncated: compiled policies, no Python inside."""
    numbers = np.array([engine.policy_number(agent.policy or "") for agent in agents])
    result = engine.play_out(game, setting, ids, numbers[who], seed=seed, num_threads=engine.check_threads(num_threads))
    return result.payoffs.astype(float), result.truncated


def _play(
    game: Game, setting: Setting, ids: np.ndarray, agents: Sequence[Agent], who: np.ndarray, seed: int, num_threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """The same, each agent asked once a step for all games that wait for it."""
    core = engine.VectorCore(game, setting, ids, seed=seed, num_threads=num_threads, autoreset=False)
    batch = core.reset()
    totals = np.zeros((len(ids), setting.num_players))
    rows = np.arange(len(ids))
    while len(rows):
        turn = who[rows, batch.seat[rows]]
        actions = np.empty(len(rows), np.int32)
        for k, agent in enumerate(agents):
            at = np.flatnonzero(turn == k)
            if len(at):
                actions[at] = agent.act_batch(core, rows[at])
        core.step(actions, rows)
        totals[rows] += batch.reward[rows]
        rows = rows[~(batch.terminated[rows] | batch.truncated[rows])]
    return totals, batch.truncated.copy()


def estimate(samples: np.ndarray) -> Estimate:
    """The mean of independent samples float64[D], one for each deal."""
    if len(samples) < 2:
        return Estimate(float(samples.mean()), None)
    return Estimate(float(samples.mean()), float(_Z95 * samples.std(ddof=1) / math.sqrt(len(samples))))
