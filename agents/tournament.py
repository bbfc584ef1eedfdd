"""Tournaments: every agent meets every other one on the same duplicate deals.

Agents are seated by *side* (``Game.sides``): partners are one agent; where everybody plays alone, a side is a seat. A *table* says
how many sides each of its agents has, and every deal is played at every table in all its different seatings. So each agent plays
the same cards from the same seats as all others, and luck of the cards cancels.

Which tables there are is the tournament's ``form``:

- ``"pairs"``: for every two agents one table where the first has one side and the second all others, and one where it is the other
  way round (with two sides both are the same table). The seatings are the rotations of the seats.
- ``"mixed"``: as many different agents at a table as there are sides. With fewer agents than sides all are at every table, which
  differ in how many sides each has. The seatings are all arrangements.

All tables play the same deals. A deal gives one sample of everything that is reported, and confidence intervals are over deals.

What a tournament plays is cut into *units*, some deals at one table, which depend on nothing but the tournament: the result is the
same whatever the number of processes, and whether it was interrupted or not. A folder keeps every finished unit, whole:
``tournament.json`` says which tournament it is, ``units/`` has the games of each unit (``totals``, float64[deals, seatings, seats],
and ``truncated``), ``result.json`` is what came out.
"""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import eightsenv
from eightsenv import agents as bots
from eightsenv import engine
from eightsenv.agents import processes, ratings
from eightsenv.agents.base import Agent
from eightsenv.agents.checkpoint import write_atomically
from eightsenv.agents.evaluation import Played, play
from eightsenv.agents.pairing import FORMAT, Plan, Unit, identity, plan
from eightsenv.agents.standings import Result, Tally
from eightsenv.snapshots import from_json
from eightsenv.variants import get

MANIFEST, RESULT, UNITS = "tournament.json", "result.json", "units"


class Player:
    """Plays units; what a worker process holds. Agents are loaded when they are first needed.

    Raises:
        ValueError: a checkpoint is another than when the tournament was planned.
    """

    def __init__(self, plan: Plan):
        self.plan = plan
        self._agents: dict[int, Agent] = {}

    def __call__(self, unit: Unit) -> Played:
        plan, table = self.plan, self.plan.tables[unit.table]
        agents = [self.agent(k) for k in table.present]
        for k, agent in zip(table.present, agents, strict=True):
            agent.seed(int(np.random.SeedSequence([plan.seed, unit.table, unit.first, k]).generate_state(1, np.uint64)[0]))
        # Only those at the table: compiled policies among themselves need no Python.
        lineups = np.searchsorted(table.present, table.lineups)
        return play(agents, plan.setting, np.arange(unit.first, unit.stop), lineups, seed=plan.seed)

    def agent(self, k: int) -> Agent:
        """The agent with a number."""
        if k not in self._agents:
            entrant = self.plan.entrants[k]
            self._agents[k] = bots.load(entrant.spec, self.plan.setting)
            if identity(entrant.spec) != entrant.identity:
                raise ValueError(f"the checkpoint {entrant.spec} has been written anew since the tournament began")
        return self._agents[k]


def _compile(plan: Plan) -> None:
    """Have compiled what the agents need, so that not every process compiles it."""
    player, one = Player(plan), np.zeros(1, np.int64)
    agents = [player.agent(k) for k in range(len(plan.entrants))]
    alone = [k for k, table in enumerate(plan.tables) if all(agents[agent].policy for agent in table.present)]
    if alone:  # compiled policies among themselves
        player(Unit(alone[0], 0, 1))
    if len(alone) < len(plan.tables):
        core = engine.VectorCore(get(plan.setting.variant), plan.setting, np.zeros(1, np.uint64))
        core.reset()
        for agent in agents:
            core.step(agent.act_batch(core, one))


def run(
    plan: Plan,
    *,
    out: Path | None = None,
    resume: bool = False,
    workers: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play a tournament.

    Args:
        plan: the tournament.
        out: a folder that keeps what is finished, and in the end the result; None: nothing is kept.
        resume: go on with the tournament that ``out`` holds.
        workers: the number of processes; 0: all is played in this one. The result does not depend on it.
        progress: gets the number of games that are finished, of ``plan.games``.

    Raises:
        ValueError: a folder that holds a tournament already, holds none to resume or another one, or cannot be written to.
        ChildProcessError: a process died.
        ModuleNotFoundError: openskill is not installed.
    """
    ratings.check()
    if out is not None:
        _open(plan, out, resume)
    tally = Tally(plan)
    missing = []
    for unit in plan.units:
        played = None if out is None else _read(plan, unit, out)
        if played is None:
            missing.append(unit)
        else:
            tally.add(unit, played)
    if progress is not None:
        progress(tally.games)
    if workers and missing:
        _compile(plan)
    with contextlib.closing(processes.each(Player(plan), missing, workers)) as answers:
        for unit, played in answers:
            if out is not None:
                _write(unit, played, out)
            tally.add(unit, played)
            if progress is not None:
                progress(tally.games)
    result = tally.result()
    if out is not None:
        write_atomically(out / RESULT, (json.dumps(result.as_dict(), indent=2) + "\n").encode())
    return result


# The folder


def plan_resumed(
    out: Path,
    variant: str,
    agents: Sequence[str] | None = None,
    *,
    deals: int | None = None,
    seed: int | None = None,
    form: str | None = None,
    given: Mapping[str, Any] | None = None,
) -> Plan:
    """The plan of the tournament in the folder ``out``. What is given otherwise than it was is refused when it is run.

    Args:
        out: the folder.
        variant: the variant's name.
        agents, deals, seed, form: as in :func:`plan`; None: as before.
        given: the setting: common arguments and the variant's options; what is not given is as before.

    Raises:
        ValueError: no tournament in the folder, or one of another variant or another version of the package; or as :func:`plan`.
    """
    saved = _manifest(out)
    given = dict(given or {})
    if variant != saved["variant"]:
        raise ValueError(f"{_cannot(out)}: it is of {saved['variant']}, not of {variant}")
    before = {} if "rules" in given else from_json(saved["setting"])
    return plan(
        engine.resolve(get(variant), **(before | given)),
        agents or [agent["spec"] for agent in saved["agents"]],
        deals=saved["deals"] if deals is None else deals,
        seed=saved["seed"] if seed is None else seed,
        form=saved["tables"] if form is None else form,
    )


def _open(plan: Plan, out: Path, resume: bool) -> None:
    """Make the folder of a new tournament, or see that it holds this one."""
    if resume:
        differs = _other(_manifest(out), plan)
        if differs:
            raise ValueError(f"{_cannot(out)}: {differs}")
        return
    if (out / MANIFEST).exists():
        raise ValueError(f"{out} already holds a tournament: go on with --resume, or choose another folder")
    try:
        (out / UNITS).mkdir(parents=True, exist_ok=True)
        write_atomically(out / MANIFEST, (json.dumps(plan.manifest(), indent=2) + "\n").encode())
    except OSError as error:
        raise ValueError(f"{out} cannot be the folder of a tournament: {error.strerror}") from error


def _manifest(out: Path) -> dict[str, Any]:
    try:
        saved = json.loads((out / MANIFEST).read_text())
        missing = {"format", "eightsenv", "variant", "version", "setting", "agents", "deals", "seed", "tables"} - set(saved)
    except OSError as error:
        raise ValueError(f"there is no tournament in {out}") from error
    except (ValueError, TypeError) as error:
        raise ValueError(f"{out / MANIFEST} is damaged") from error
    if missing:
        raise ValueError(f"{out / MANIFEST} is damaged")
    for what, ours in (("format", FORMAT), ("eightsenv", eightsenv.__version__)):
        if saved[what] != ours:
            raise ValueError(f"{_cannot(out)}: it was begun with {what} {saved[what]}, and this is {ours}")
    return saved


def _cannot(out: Path) -> str:
    return f"the tournament in {out} cannot be gone on with so"


def _other(saved: Mapping[str, Any], plan: Plan) -> str | None:
    """In words, the first thing in which a plan differs from a saved tournament, or None."""
    ours = json.loads(json.dumps(plan.manifest()))
    for what in ("variant", "version", "deals", "seed", "tables"):
        if saved[what] != ours[what]:
            return (
                f"its {what} is {saved[what]!r}, not {ours[what]!r}"
                if what != "deals"
                else f"it has {saved[what]} deals, not {ours[what]}"
            )
    for name, value in ours["setting"].items():
        if saved["setting"].get(name) != value:
            return f"it is for {name}={saved['setting'].get(name)!r}, not for {name}={value!r}"
    if [agent["identity"] for agent in saved["agents"]] != [agent["identity"] for agent in ours["agents"]]:
        before, now = ([agent["spec"] for agent in agents["agents"]] for agents in (saved, ours))
        if before == now:
            return "a checkpoint has been written anew since it began"
        return f"its agents are {' '.join(before)}, not {' '.join(now)}"
    return None


def _write(unit: Unit, played: Played, out: Path) -> None:
    data = io.BytesIO()
    np.savez_compressed(data, totals=played.totals, truncated=played.truncated)
    write_atomically(out / UNITS / unit.file, data.getvalue())


def _read(plan: Plan, unit: Unit, out: Path) -> Played | None:
    """A finished unit; None if it is not there or damaged: then it is played again."""
    try:
        with np.load(out / UNITS / unit.file) as file:
            played = Played(file["totals"], file["truncated"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    games = (unit.stop - unit.first, len(plan.tables[unit.table].lineups))
    whole = played.totals.shape == (*games, plan.setting.num_players) and played.truncated.shape == games
    return played if whole else None


__all__ = ["Plan", "Result", "plan", "plan_resumed", "run"]
