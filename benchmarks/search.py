"""How strong the search bots are for what they may spend: ``python -m eightsenv.benchmarks.search``.

Every bot plays against greedy, and against the same bot with a tenth of its budget: the latter shows best whether strength still
grows. It sits in one seat (or on one side), its opponent in all others, on duplicate deals: every deal is played once from each
seat. Both search the same worlds as far as both budgets reach, so that they often choose alike and less is left to luck. Given are
the advantage, the bot's mean payoff less that of the others in the same games, with its 95 % confidence interval over deals; the
share of games won; and simulations for each second of searching, on one core: iterations of IS-MCTS, worlds of PIMC, each of which
plays every legal action on.

Matches are played in pieces, of other deals each, on all cores: first one piece of every match, then the second ones. The JSON file
has all pieces that are done at any moment, and ``--resume`` goes on from there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from eightsenv import agents
from eightsenv.agents import Agent, processes
from eightsenv.agents.evaluation import Estimate, evaluate
from eightsenv.benchmarks import command
from eightsenv.benchmarks.measure import machine, versions
from eightsenv.engine import VectorCore
from eightsenv.game import practised, resolve
from eightsenv.search import METHODS
from eightsenv.variants import get, names

BENCHMARK = "search"
BUDGETS = (10, 100, 1_000, 10_000)
GAMES = {10: 8_000, 100: 4_000, 1_000: 1_000, 10_000: 100}
"""Games of one piece, by the budget of the bot."""
PIECES = {10: (2, 0), 100: (2, 2), 1_000: (4, 8), 10_000: (4, 60)}
"""Pieces against greedy, and against the next smaller budget, by the budget of the bot."""
QUICK = {10: 8, 100: 4}
"""Games of a run that shows that everything works, in one piece for each match."""
VARIANTS = ("crazy_eights_v0", "eight_ball_v0")
TABLES = {"crazy_eights_v0": (2,), "house_eights_v0": (4,), "speculation_v0": (4,)}
"""Numbers of players by variant, where they are not the variant's default alone."""


@dataclass(frozen=True)
class Piece:
    """Some deals of a match."""

    variant: str
    players: int
    bot: str
    opponent: str
    deals: int
    seed: int
    """Of the deals and of all searches: the number of the piece."""

    @property
    def match(self) -> tuple[str, int, str, str]:
        """What all pieces of a match have in common."""
        return self.variant, self.players, self.bot, self.opponent


@dataclass(frozen=True)
class Result:
    """What a bot reached in a piece, or in a whole match."""

    piece: Piece
    advantage: Estimate
    win_rate: Estimate
    per_second: float
    """Simulations for each second of searching."""

    @staticmethod
    def of(data: Mapping[str, Any]) -> Result:
        """The result that ``dataclasses.asdict`` wrote. Raises ``KeyError`` or ``TypeError`` for anything else."""
        advantage, win_rate = (Estimate(**data[name]) for name in ("advantage", "win_rate"))
        return Result(Piece(**data["piece"]), advantage, win_rate, data["per_second"])


class Timed(Agent):
    """A search agent with worlds of a seed of its own that counts its decisions and their time; forced ones are left out."""

    def __init__(self, agent: Agent, seed: int):
        self.agent, self.name = agent, agent.name
        self.agent.seed(seed)
        self.decisions, self.seconds = 0, 0.0

    def act_batch(self, core: VectorCore, rows: np.ndarray) -> np.ndarray:
        self.decisions += int((core.batch.action_mask[rows].sum(1) > 1).sum())
        began = time.perf_counter()
        actions = self.agent.act_batch(core, rows)
        self.seconds += time.perf_counter() - began
        return actions


def measure(piece: Piece) -> Result:
    """Play a piece. Raises ``ValueError`` for a number of players that the variant does not take, or an unknown bot."""
    game = get(piece.variant)
    setting = resolve(game, **practised(game, {"num_players": piece.players}))
    core = VectorCore(game, setting, np.zeros(1, np.uint64))
    core.reset()
    bot, opponent = agents.load(piece.bot), agents.load(piece.opponent)
    bot.act_batch(core, np.zeros(1, np.int64))  # compiled before time is taken
    timed = Timed(bot, piece.seed)
    result = evaluate(
        [timed, opponent if opponent.policy else Timed(opponent, piece.seed)], setting, deals=piece.deals, seed=piece.seed
    )
    assert result.advantage is not None
    speed = budget(piece.bot) * timed.decisions / max(timed.seconds, 1e-9)
    return Result(piece, result.advantage, result.agents[0].win_rate, speed)


def budget(bot: str) -> int:
    """Of a bot by name, such as ``ismcts:100``."""
    return int(bot.partition(":")[2])


def place(piece: Piece) -> tuple[str, int, str, int, bool]:
    """What orders matches: variant, players, method, budget; against greedy first."""
    return piece.variant, piece.players, piece.bot.partition(":")[0], budget(piece.bot), piece.opponent != "greedy"


def pieces(variants: Sequence[str], methods: Sequence[str], quick: bool) -> list[Piece]:
    """All that is to be played, the first piece of every match first."""
    games = QUICK if quick else GAMES
    matches = list(_matches(variants, methods, tuple(games)))
    result = []
    for seed in range(1 if quick else max(map(max, PIECES.values()))):
        for match in matches:
            _, players, bot, opponent = match
            if seed < PIECES[budget(bot)][opponent != "greedy"]:
                result.append(Piece(*match, max(1, games[budget(bot)] // players), seed))
    return result


def _matches(variants: Sequence[str], methods: Sequence[str], budgets: Sequence[int]) -> Iterator[tuple[str, int, str, str]]:
    """Variant, players, bot and opponent of each match.

    PIMC goes without the last budget, for a world costs as much as several iterations, or, solved exactly, as very many: then
    without the last two.
    """
    for variant, method in itertools.product(variants, methods):
        left_out = 0 if method == "ismcts" else 2 if "evaluate" in get(variant).rule_set.functions else 1
        bots = [f"{method}:{size}" for size in budgets if size in BUDGETS[: len(BUDGETS) - left_out]]
        for players in TABLES.get(variant, (get(variant).default_players,)):
            yield from ((variant, players, bot, "greedy") for bot in bots)
            yield from ((variant, players, bot, less) for less, bot in itertools.pairwise(bots))


def pooled(results: Sequence[Result]) -> list[Result]:
    """The pieces of each match together, ordered by :func:`place`."""
    matches: dict[tuple[str, int, str, str], list[Result]] = {}
    for result in sorted(results, key=lambda result: place(result.piece)):
        matches.setdefault(result.piece.match, []).append(result)
    return [_together(parts) for parts in matches.values()]


def _together(parts: Sequence[Result]) -> Result:
    """One result of the pieces of a match: the deals of each are independent of those of the others."""
    shares = [part.piece.deals for part in parts]
    whole = Piece(*parts[0].piece.match, sum(shares), parts[0].piece.seed)
    advantage, win_rate = (_mean([getattr(part, name) for part in parts], shares) for name in ("advantage", "win_rate"))
    return Result(whole, advantage, win_rate, float(np.average([part.per_second for part in parts], weights=shares)))


def _mean(estimates: Sequence[Estimate], shares: Sequence[int]) -> Estimate:
    weights = np.array(shares) / sum(shares)
    mean = float(np.dot(weights, [estimate.mean for estimate in estimates]))
    halves = [estimate.half_width for estimate in estimates if estimate.half_width is not None]
    if len(halves) < len(estimates):  # a piece of one deal has no interval, nor then has the whole
        return Estimate(mean, None)
    return Estimate(mean, float(np.sqrt(np.sum((weights * halves) ** 2))))


def show(console: Console, results: Sequence[Result]) -> None:
    """Print the results as one table."""
    table = Table("variant", "players", "bot", "against", "deals", "advantage", "games won", "simulations/s")
    for column in table.columns[4:]:
        column.justify = "right"
    for r in results:
        variant, players, bot, opponent = r.piece.match
        won, speed = r.win_rate.percent(), f"{r.per_second / 1e3:,.0f} k"
        table.add_row(variant, str(players), bot, opponent, f"{r.piece.deals:,}", r.advantage.text(), won, speed)
    console.print(table)


def _parser() -> command.Parser:
    parser = command.Parser(prog=BENCHMARK, description="Strength of the search bots by budget, on duplicate deals.")
    parser.add_argument("--quick", action="store_true", help="few deals, small budgets: shows that it runs, measures little")
    parser.add_argument("--variants", type=_listed(names()), default=VARIANTS, metavar="NAME,…", help="these variants only")
    parser.add_argument("--methods", type=_listed(METHODS), default=METHODS, metavar="NAME,…", help="ismcts, pimc")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="begin no piece later than that")
    parser.add_argument("--resume", action="store_true", help="keep the pieces that the JSON file has already")
    parser.add_argument("--workers", type=int, default=processes.default_workers(), metavar="N", help="processes; 0: this one")
    return parser


def _listed(known: tuple[str, ...]) -> Any:
    def parse(text: str) -> tuple[str, ...]:
        for name in text.split(","):
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return tuple(text.split(","))

    return parse


def kept(path: Path) -> list[Result]:
    """The pieces in a JSON file. Raises ``ValueError`` for a file that is no report of this benchmark."""
    try:
        return [Result.of(piece) for piece in json.loads(path.read_text(encoding="utf-8"))["pieces"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a report of this benchmark") from error


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table and write the JSON file. Returns 0; 2 for arguments that make no sense; 130 when interrupted."""
    chosen = command.parse(_parser(), argv)
    if isinstance(chosen, int):
        return chosen
    try:
        if chosen.resume and chosen.json is None:
            raise ValueError("--resume needs the file to go on from: --json FILE")
        if not chosen.minutes >= 0:
            raise ValueError(f"--minutes is a number from 0 on, not {chosen.minutes}")
        if chosen.workers < 0:
            raise ValueError(f"--workers is a number from 0 on, not {chosen.workers}")
        results = kept(chosen.json) if chosen.resume and chosen.json.exists() else []
    except ValueError as error:
        print(f"{BENCHMARK}: {error}", file=sys.stderr)
        return 2
    done = {result.piece for result in results}
    missing = [piece for piece in pieces(chosen.variants, chosen.methods, chosen.quick) if piece not in done]
    deadline = time.monotonic() + 60 * chosen.minutes
    in_time = itertools.takewhile(lambda piece: time.monotonic() < deadline, missing)
    try:
        for piece, result in processes.each(measure, in_time, chosen.workers):
            results.append(result)
            print(f"{', '.join(map(str, piece.match))}, {piece.seed}: {result.advantage.text()}", file=sys.stderr, flush=True)
            found = {"pieces": [asdict(r) for r in results], "machine": machine(), "versions": versions(("eightsenv", "numba"))}
            command.write(chosen.json, {"benchmark": BENCHMARK, "date": time.strftime("%Y-%m-%d"), **found})
    except KeyboardInterrupt:
        where = f"; what is done is in {chosen.json}, --resume goes on from there" if chosen.json else ""
        print(f"{BENCHMARK}: interrupted{where}", file=sys.stderr)
        return 130
    show(Console(width=120), pooled(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
