"""A training run and its folder: planned afresh or resumed, checked before anything is trained or written.

A run's folder holds ``checkpoint.safetensors`` (everything that resuming needs), and at the end ``bot.safetensors`` (the
policy net alone) and ``report.json``; TensorBoard's events lie in ``tensorboard/``.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightsenv import engine
from eightsenv.agents import GreedyAgent, PolicyAgent, RandomAgent
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.evaluation import Evaluation, evaluate
from eightsenv.game import Setting, practised
from eightsenv.rng import check_seed
from eightsenv.train.config import DEFAULT, Config, config_class
from eightsenv.variants import get

CHECKPOINT, BOT, REPORT = "checkpoint.safetensors", "bot.safetensors", "report.json"
DEFAULT_STEPS = 3_000_000
REPORT_DEALS = 20_000


@dataclass(frozen=True)
class Plan:
    """What is to be trained, where, and from what on."""

    setting: Setting
    config: Config
    steps: int
    """Decisions of the learner in all, those before a resumed checkpoint included."""
    out: Path
    algorithm: str = DEFAULT
    saved: Checkpoint | None = None
    """The checkpoint to go on from."""


def plan(
    variant: str,
    *,
    out: Path | None = None,
    resume: bool = False,
    steps: int | None = None,
    seed: int | None = None,
    config: Config | None = None,
    algorithm: str | None = None,
    given: Mapping[str, Any] | None = None,
) -> Plan:
    """Plan a run.

    Args:
        variant: the variant's name.
        out: the run's folder; None: the first free one of ``runs/VARIANT-1``, ``-2`` and so on.
        resume: go on from the checkpoint in ``out``; what is not given is then as it was.
        steps: decisions of the learner in all; None: :data:`DEFAULT_STEPS`, or as before.
        seed: of everything; None: 0, or as before.
        config: the other parameters of a fresh run; None: the defaults, with what the variant has of its own.
        algorithm: the name of the training algorithm (:data:`eightsenv.train.config.ALGORITHMS`); None: the default, or as before.
        given: the setting: common arguments and the variant's options. Options that are not given are as the variant is practised
            (``Game.practice``), else as by default.

    Raises:
        ValueError: a bad value, a folder that holds another run, nothing to resume, or a checkpoint of another variant, setting,
            seed or algorithm.
    """
    game, given = get(variant), dict(given or {})
    if algorithm is not None:
        config_class(algorithm)
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise ValueError(f"steps is an int from 1 on, not {steps!r}")
    if seed is not None:
        check_seed(seed)
    if not resume:
        setting = engine.resolve(game, **practised(game, given))
        if setting.auto_forced:
            raise ValueError("training makes every decision: auto_forced must be False")
        out = checkpoints.free_folder(variant) if out is None else out
        if (out / CHECKPOINT).exists():
            raise ValueError(f"{out} already holds a run: go on with --resume, or choose another folder")
        algorithm = algorithm or DEFAULT
        parameters = config_class(algorithm)
        config = config or parameters.of(game.training)
        if not isinstance(config, parameters):
            raise ValueError(f"the parameters of {algorithm} are a {parameters.__name__}, not a {type(config).__name__}")
        if seed is not None:
            config = dataclasses.replace(config, seed=seed)
        _make_folder(out)
        return Plan(setting, config, steps or DEFAULT_STEPS, out, algorithm)

    if out is None:
        raise ValueError("resuming needs the run's folder")
    saved = checkpoints.load(out / CHECKPOINT)
    as_before = {} if "rules" in given or variant != saved.setting.variant else saved.setting.as_dict()
    differs = checkpoints.difference(saved.setting, engine.resolve(game, **(as_before | given)))
    if differs:
        raise ValueError(f"the run in {out} cannot be resumed so: {differs}")
    before = str(saved.extra.get("algorithm"))
    if algorithm is not None and before != algorithm:
        raise ValueError(f"the run in {out} cannot be resumed so: it is one of {before}, not {algorithm}")
    try:
        config = config_class(before).from_dict(saved.extra["config"])
        target = int(saved.extra["target_steps"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the run in {out} cannot be resumed: its checkpoint does not tell its parameters") from error
    if seed is not None and seed != config.seed:
        raise ValueError(f"the run in {out} cannot be resumed so: its seed is {config.seed}, not {seed}")
    return Plan(saved.setting, config, steps or target, out, before, saved)


def _make_folder(out: Path) -> None:
    """Make the run's folder. Raises ``ValueError`` if it cannot be made or written to."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise ValueError(f"{out} cannot be the folder of a run: {error.strerror}") from error


def report(
    out: Path, *, deals: int | None = None, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, Evaluation]:
    """Evaluate the bot of a finished run against the fixed bots on duplicate deals, and write ``report.json``.

    The bot plays its likeliest actions, on :data:`REPORT_DEALS` deals unless told otherwise.
    ``progress`` gets the deals played so far and their number in all.
    """
    deals = REPORT_DEALS if deals is None else deals
    bot = PolicyAgent(out / BOT)
    result: dict[str, Evaluation] = {}
    for k, opponent in enumerate((GreedyAgent(), RandomAgent())):

        def advance(done: int, before: int = k * deals) -> None:
            if progress is not None:
                progress(before + done, 2 * deals)

        result[opponent.name] = evaluate([bot, opponent], bot.setting, deals=deals, seed=seed, progress=advance)
    text = json.dumps({f"against_{name}": e.as_dict() for name, e in result.items()}, indent=2)
    checkpoints.write_atomically(out / REPORT, text.encode() + b"\n")
    return result
