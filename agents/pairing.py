"""What a tournament plays: who sits where, on which deals, cut into units (see :mod:`eightsenv.agents.tournament`)."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import eightsenv
from eightsenv import agents as bots
from eightsenv.agents import baselines
from eightsenv.agents.base import Agent
from eightsenv.agents.evaluation import check_deals
from eightsenv.game import Setting
from eightsenv.rng import check_seed
from eightsenv.variants import get

FORMS = ("pairs", "mixed")
MOST_SEATINGS = 50_000
"""Of all tables together: eight agents on eight sides have 40,320."""
FORMAT = 1
"""Raised when folders of the format before cannot be gone on with."""


@dataclass(frozen=True)
class Entrant:
    """An agent that takes part."""

    spec: str
    """What :func:`eightsenv.agents.load` makes it from."""
    name: str
    """How tables call it: the spec, or the name of a checkpoint's file."""
    identity: str
    """What it is: the spec, or the digest of a checkpoint's bytes."""
    games: int
    """About how many of its games are a unit: compiled policies need many to be worth a call, search needs minutes for few."""


@dataclass(frozen=True)
class Table:
    """Who plays: the agent of each side, in ascending order, and all seatings."""

    agents: tuple[int, ...]
    lineups: np.ndarray
    """int[L, P]: the agent of each seat."""

    @property
    def present(self) -> list[int]:
        """The different agents, in ascending order."""
        return sorted(set(self.agents))


@dataclass(frozen=True)
class Unit:
    """The deals ``first`` to ``stop`` − 1 at a table."""

    table: int
    first: int
    stop: int

    @property
    def file(self) -> str:
        return f"{self.table:04d}-{self.first:08d}-{self.stop:08d}.npz"


@dataclass(frozen=True)
class Plan:
    """A whole tournament, before it is played: made by :func:`plan` or :func:`plan_resumed`."""

    setting: Setting
    entrants: tuple[Entrant, ...]
    deals: int
    seed: int
    form: str

    @functools.cached_property
    def tables(self) -> list[Table]:
        return _tables(self.setting, len(self.entrants), self.form)

    @functools.cached_property
    def units(self) -> list[Unit]:
        result = []
        for k, table in enumerate(self.tables):
            games = min(self.entrants[agent].games for agent in table.present)
            step = max(1, games // len(table.lineups))
            result += [Unit(k, first, min(self.deals, first + step)) for first in range(0, self.deals, step)]
        return result

    @property
    def games(self) -> int:
        return self.deals * sum(len(table.lineups) for table in self.tables)

    def games_of(self, unit: Unit) -> int:
        return (unit.stop - unit.first) * len(self.tables[unit.table].lineups)

    def manifest(self) -> dict[str, Any]:
        """What a folder says of the tournament that it holds, as JSON-able values."""
        return {
            "format": FORMAT,
            "eightsenv": eightsenv.__version__,
            "variant": self.setting.variant,
            "version": self.setting.version,
            "setting": self.setting.as_dict(),
            "agents": [{"spec": entrant.spec, "identity": entrant.identity} for entrant in self.entrants],
            "deals": self.deals,
            "seed": self.seed,
            "tables": self.form,
        }


def plan(setting: Setting, agents: Sequence[str], *, deals: int = 1_000, seed: int = 0, form: str = "pairs") -> Plan:
    """Plan a tournament; all agents are loaded once and checked.

    Args:
        setting: the variant and its options.
        agents: two or more, as :func:`eightsenv.agents.load` takes them, each once.
        deals: the number of different deals.
        seed: of the deals, all agents' random numbers, the resampling and the order of rated games.
        form: which tables there are, ``"pairs"`` or ``"mixed"``.

    Raises:
        ValueError: fewer than two agents, an agent that is listed twice, is unknown, damaged or cannot play the setting, a bad
            number of deals, seed or form, or more seatings than :data:`MOST_SEATINGS`.
    """
    check_deals(deals)
    check_seed(seed)
    if form not in FORMS:
        raise ValueError(f"the tables of a tournament are {' or '.join(map(repr, FORMS))}, not {form!r}")
    if len(agents) < 2:
        raise ValueError(f"a tournament needs two agents or more, not {len(agents)}")
    specs = [_absolute(spec) for spec in agents]
    for k, spec in enumerate(specs):
        if spec in specs[:k]:
            raise ValueError(f"the agent {agents[k]} is listed twice: each plays on all seats anyway")
    loaded = [bots.load(spec, setting) for spec in specs]
    for agent in loaded:
        agent.check(setting)
    names = [agent.name if isinstance(agent, bots.PolicyAgent) else spec for spec, agent in zip(agents, loaded, strict=True)]
    clear = [name if names.count(name) == 1 else spec for name, spec in zip(names, agents, strict=True)]
    entrants = [
        Entrant(spec, name, identity(spec), _unit_games(agent)) for spec, name, agent in zip(specs, clear, loaded, strict=True)
    ]
    result = Plan(setting, tuple(entrants), int(deals), int(seed), form)
    _ = result.tables  # refuses too many
    return result


def _absolute(spec: str) -> str:
    """The spec, a checkpoint's with the whole path: the worker processes and a resumed tournament may stand elsewhere."""
    path = Path(spec.removeprefix("ckpt:"))
    own = spec.startswith("ckpt:") or (path.is_file() and spec not in baselines.names())
    return f"ckpt:{path.resolve()}" if own else spec


def identity(spec: str) -> str:
    """What an agent is: its spec, or the digest of a checkpoint's bytes."""
    if spec in baselines.names():
        path = baselines.path(spec)
    elif spec.startswith("ckpt:"):
        path = Path(spec.removeprefix("ckpt:"))
    else:
        return spec
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def _unit_games(agent: Agent) -> int:
    if agent.policy:
        return 8192
    return 1024 if isinstance(agent, bots.PolicyAgent) else 32


def _tables(setting: Setting, agents: int, form: str) -> list[Table]:
    sides = len(get(setting.variant).sides(setting))
    if form == "pairs":
        # On two sides (a, b) is also (b, a): the set keeps one.
        pairs = itertools.permutations(range(agents), 2)
        seated = sorted({tuple(sorted((lone, *[other] * (sides - 1)))) for lone, other in pairs}, key=lambda t: (t[0], t[-1], t))
    else:
        together = min(agents, sides)
        number = math.comb(agents, together) * _surjections(sides, together)
        if number > MOST_SEATINGS:
            raise ValueError(
                f"mixed tables of {agents} agents on {sides} sides have {number:,} seatings for each deal, more than "
                f"{MOST_SEATINGS:,}: take fewer agents or players, or tables of pairs"
            )
        every = itertools.combinations_with_replacement(range(agents), sides)
        seated = [table for table in every if len(set(table)) == together]
    side_of = get(setting.variant).side_of(setting)
    return [Table(table, np.array(list(_arrangements(table)))[:, side_of]) for table in seated]


def _surjections(sides: int, agents: int) -> int:
    """In how many ways ``agents`` agents fill ``sides`` sides, each at least one."""
    return sum((-1) ** k * math.comb(agents, k) * (agents - k) ** sides for k in range(agents))


def _arrangements(table: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The different orders of the agents of a table."""
    if not table:
        yield ()
    for agent in sorted(set(table)):
        rest = list(table)
        rest.remove(agent)
        for order in _arrangements(rest):
            yield agent, *order
