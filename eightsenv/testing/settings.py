"""Random settings of any variant, drawn from its table of options."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from eightsenv.game import Game, resolve
from eightsenv.variants import get

_TRIES, _REPAIRS = 1_000, 10


def random_setting(rng: random.Random, variant: str, **fixed: Any) -> dict[str, Any]:
    """The keyword arguments of one random valid setting of a variant; the ``fixed`` ones stay as they are.

    It begins with the defaults or a preset and redraws a random number of options from their samples. What is refused for
    what the other options are is kept only if redrawing some of them helps. ``max_decisions`` is small at times, so that
    games are truncated too.

    Raises:
        ValueError: no setting with the ``fixed`` arguments was found; the sentence has the last refusal.
    """
    game = get(variant)
    setting = _start(rng, game, fixed)
    for _ in range(rng.randint(0, 2 * len(game.options))):
        changed = setting | _redrawn(rng, game, setting, fixed)
        for _ in range(_REPAIRS):
            if _refusal(game, changed) is None:
                setting = changed
                break
            changed |= _redrawn(rng, game, setting, fixed)
    return resolve(game, **setting).as_dict()


def sample_settings(variant: str, count: int, seed: int, **fixed: Any) -> Iterator[dict[str, Any]]:
    """The defaults (with what is ``fixed``; left out if they do not go with it) and ``count`` random settings."""
    game = get(variant)
    if _refusal(game, fixed) is None:
        yield resolve(game, **fixed).as_dict()
    for k in range(count):
        yield random_setting(random.Random(f"{seed} {k}"), variant, **fixed)


def describe(variant: str, setting: dict[str, Any]) -> str:
    """What is not as by default in a complete setting, as text."""
    game = get(variant)
    plain = resolve(game).as_dict() | {"max_decisions": game.max_decisions[setting["match"]]}
    changed = ", ".join(f"{name}={value!r}" for name, value in setting.items() if name not in plain or plain[name] != value)
    return changed or "the defaults"


def _start(rng: random.Random, game: Game, fixed: dict[str, Any]) -> dict[str, Any]:
    """Random common arguments with the options of the defaults or of a preset, redrawn as far as the fixed ones need it."""
    bases: list[dict[str, Any]] = [{**game.defaults, **preset} for preset in ({}, *game.presets.values())]
    bases += [{"rules": name} for name in game.closed_presets]
    refusal = None
    for attempt in range(_TRIES):
        common = {
            "num_players": rng.randint(*game.players),
            "match": rng.random() < 0.4,
            "reward": rng.choice(["score", "score", "win"]),
            "auto_forced": rng.random() < 0.3,
            "max_decisions": rng.choice([None, None, rng.randint(1, 300)]),
        }
        # A fixed preset sets all options: none of them may be given beside it.
        setting = {**common, **({} if "rules" in fixed else rng.choice(bases)), **fixed}
        if attempt:
            setting |= _redrawn(rng, game, setting, fixed)
        refusal = _refusal(game, setting)
        if refusal is None:
            return setting
    raise ValueError(f"no setting of {game.name} was found with {fixed}: {refusal}")


def _redrawn(rng: random.Random, game: Game, setting: dict[str, Any], fixed: dict[str, Any]) -> dict[str, Any]:
    """New random values of one or two options that are not fixed."""
    closed = game.closed_presets.get(setting.get("rules", ""))
    free = [option for option in (closed.parameters if closed else game.options) if option.name not in fixed]
    num_players = setting["num_players"] if isinstance(setting["num_players"], int) else game.default_players
    chosen = rng.sample(free, min(len(free), rng.choice((1, 2))))
    return {option.name: rng.choice(option.check.samples(num_players)) for option in chosen}


def _refusal(game: Game, setting: dict[str, Any]) -> str | None:
    """Why a setting is refused; None if it is not."""
    try:
        resolve(game, **setting)
    except ValueError as error:
        return str(error)
    return None
