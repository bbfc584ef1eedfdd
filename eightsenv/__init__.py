"""eightsenv: environments for the eights family of card games.

Each variant is a PettingZoo AEC environment with action masks (:func:`make`), a turn-based batch of many games
(:func:`make_vec`) and a fused rollout of compiled policies (:func:`rollout`); all of them run the same compiled rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

# agents/, train/ and benchmarks/ stand beside this folder in a checkout and are installed inside it.
_checkout = Path(__file__).resolve().parent.parent
if (_checkout / "pyproject.toml").is_file() and str(_checkout) not in __path__:
    __path__.append(str(_checkout))

from eightsenv import crazy_eights_v0, eights_v0, engine, rng  # noqa: E402
from eightsenv import variants as _variants  # noqa: E402
from eightsenv.adapters.aec import EightsEnv  # noqa: E402
from eightsenv.engine import RolloutResult, VectorCore  # noqa: E402

__version__ = "0.1.0"


def variants() -> tuple[str, ...]:
    """The names of the variants that exist."""
    return _variants.names()


def make(variant: str, **options: Any) -> EightsEnv:
    """The AEC environment of a variant by name; arguments as for ``crazy_eights_v0.env`` and its like.

    Raises:
        ValueError: an unknown variant or option, a value outside its range, an impossible combination.
    """
    return EightsEnv(_variants.get(variant), **options)


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
    game = _variants.get(variant)
    ids = _game_ids(num_envs, "num_envs")
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
    game = _variants.get(variant)
    setting = engine.resolve(game, **options)
    numbers = engine.seat_policies(policies, setting.num_players)
    ids = _game_ids(num_games, "num_games")
    return engine.play_out(game, setting, ids, numbers, seed=rng.check_seed(seed), num_threads=engine.check_threads(num_threads))


def _game_ids(count: int, name: str) -> np.ndarray:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"{name} is an int from 1 on, not {count!r}")
    return np.arange(count, dtype=np.uint64)


__all__ = ["EightsEnv", "RolloutResult", "VectorCore", "crazy_eights_v0", "eights_v0", "make", "make_vec", "rollout", "variants"]
