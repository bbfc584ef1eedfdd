"""eightsenv: environments for the eights family of card games.

Each variant is a PettingZoo AEC environment with action masks (:func:`make`), a turn-based batch of many games
(:func:`make_vec`) and a fused rollout of compiled policies (:func:`rollout`); all of them run the same compiled rules. Importing
the package also enters the variants in Gymnasium's registry, as environments of one seat against bots:
``gymnasium.make("eightsenv/CrazyEights-v0")`` and ``gymnasium.make_vec``.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# agents/, train/ and benchmarks/ stand beside this folder in a checkout and are installed inside it.
_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "pyproject.toml").is_file() and str(_checkout) not in __path__:
    __path__.append(str(_checkout))

from eightsenv import (  # noqa: E402
    crazy_eights_v0,
    eight_ball_v0,
    eights_v0,
    engine,
    high_low_eights_v0,
    house_eights_v0,
    rng,
    speculation_v0,
)
from eightsenv.adapters import registries as _registries  # noqa: E402
from eightsenv.adapters.aec import EightsEnv  # noqa: E402
from eightsenv.adapters.versus import game_ids as _game_ids  # noqa: E402
from eightsenv.engine import RolloutResult, VectorCore  # noqa: E402
from eightsenv.game import Game  # noqa: E402
from eightsenv.variants import get as _get  # noqa: E402
from eightsenv.variants import names as _names  # noqa: E402
from eightsenv.variants import register as _add  # noqa: E402

__version__ = "0.1.0"


def variants() -> tuple[str, ...]:
    """The names of the variants that exist."""
    return _names()


def register(game: Game) -> None:
    """Add a variant from outside: ``variants()`` lists it then, and every door opens to it by its name.

    Gymnasium and PettingZoo know it too: a variant called ``toy_eights_v0`` is ``eightsenv/ToyEights-v0`` for ``gymnasium.make``
    and ``gymnasium.make_vec``, and ``eightsenv/toy_eights_v0`` for ``pettingzoo.make("aec", …)``. A package that registers its
    variant when it is imported can be named before the id: ``gymnasium.make("my_package:eightsenv/ToyEights-v0")``. One that is
    also named in its distribution's entry points, group ``eightsenv.variants``, is imported with ``eightsenv``.

    Args:
        game: the variant; :mod:`eightsenv.game` describes what it consists of.

    Raises:
        TypeError: not a ``Game``.
        ValueError: a name that is taken, too long, or not written like ``toy_eights_v0`` with the game's version at its end.
    """
    _add(game)
    _registries.register(game.name)


def make(variant: str, **options: Any) -> EightsEnv:
    """The AEC environment of a variant by name; arguments as for ``crazy_eights_v0.env`` and its like.

    Raises:
        ValueError: an unknown variant or option, a value outside its range, an impossible combination.
    """
    return EightsEnv(_get(variant), **options)


def make_vec(
    variant: str, num_envs: int = 4096, seed: int = 0, num_threads: int = 1, *, state: bool = False, **options: Any
) -> VectorCore:
    """A turn-based batch of ``num_envs`` games of a variant; game g is game g of the seed, here and in :func:`rollout`.

    Args:
        variant: the variant's name.
        num_envs: the number of games.
        seed: the seed of the chance and policy streams, 0 … 2**64 - 1.
        num_threads: threads that share the games of a step; the results do not depend on it.
        state: also give the full-information vector, ``batch.state``.
        options: ``num_players``, ``match``, ``reward``, ``auto_forced``, ``max_decisions``, ``rules`` and the variant's options.

    Raises:
        ValueError: an unknown variant or option, a value outside its range, an impossible combination.
    """
    game = _get(variant)
    ids = _game_ids(num_envs)
    return VectorCore(game, engine.resolve(game, **options), ids, seed=seed, num_threads=num_threads, state=state)


def rollout(
    variant: str,
    num_games: int = 100_000,
    policies: str | Sequence[str] = "random",
    seed: int = 0,
    num_threads: int = 1,
    **options: Any,
) -> RolloutResult:
    """Play ``num_games`` episodes by compiled policies, without observations, as fast as the core goes.

    Args:
        variant: the variant's name.
        num_games: the number of episodes; game g is episode 0 of game g of the seed.
        policies: the name of a compiled policy (``"random"``, ``"greedy"``), or one for each seat.
        seed: the seed of the chance and policy streams, 0 … 2**64 - 1.
        num_threads: threads that share the games; the results do not depend on it.
        options: as for :func:`make_vec`.

    Raises:
        ValueError: an unknown variant, policy or option, a value outside its range, an impossible combination.
    """
    game = _get(variant)
    setting = engine.resolve(game, **options)
    numbers = engine.seat_policies(policies, setting.num_players)
    ids = _game_ids(num_games, "num_games")
    return engine.play_out(game, setting, ids, numbers, seed=rng.check_seed(seed), num_threads=engine.check_threads(num_threads))


def _import_plugins() -> None:
    """Import the modules of the entry points ``eightsenv.variants``, which register variants; one that fails is passed over."""
    for entry in importlib.metadata.entry_points(group="eightsenv.variants"):
        try:
            entry.load()
        except Exception as error:
            text = f"the variant {entry.name!r} of another package could not be imported ({entry.value}): {error!r}"
            warnings.warn(text, RuntimeWarning, stacklevel=3)


for _name in variants():
    _registries.register(_name)
_import_plugins()

__all__ = [
    "EightsEnv",
    "Game",
    "RolloutResult",
    "VectorCore",
    "crazy_eights_v0",
    "eight_ball_v0",
    "eights_v0",
    "high_low_eights_v0",
    "house_eights_v0",
    "make",
    "make_vec",
    "register",
    "rollout",
    "speculation_v0",
    "variants",
]
