"""A conformance battery for variants: whoever writes one calls :func:`check_variant` in a test.

>>> import eightsenv.testing
>>> eightsenv.testing.check_variant("crazy_eights_v0", settings=1)

Each check runs on what the contract gives (tables, environments, batches), knows no variant's rules, and raises
``AssertionError`` with a sentence that names the variant, the setting and what does not hold. Settings are drawn at random from
the table of options (:func:`random_setting`). All that is needed is NumPy, Gymnasium and PettingZoo, as for the package itself.
"""

from __future__ import annotations

from typing import Any

from eightsenv.testing.agreement import check_agreement, fingerprints
from eightsenv.testing.contract import check_contract
from eightsenv.testing.games import check_auto_forced, check_batches, check_games, check_legality, check_truncation
from eightsenv.testing.gymnasium_api import check_gymnasium
from eightsenv.testing.information import check_determinize, check_no_leak
from eightsenv.testing.pettingzoo_api import check_pettingzoo
from eightsenv.testing.safety import check_memory_safety
from eightsenv.testing.saving import check_snapshots
from eightsenv.testing.settings import random_setting, sample_settings

CHECKS = (
    check_contract,
    check_games,
    check_legality,
    check_truncation,
    check_auto_forced,
    check_batches,
    check_no_leak,
    check_determinize,
    check_agreement,
    check_snapshots,
    check_memory_safety,
    check_pettingzoo,
    check_gymnasium,
)
"""All checks, the cheap and telling ones first."""


def check_properties(variant: str, *, settings: int = 4, seed: int = 0, **fixed: Any) -> None:
    """What holds in every game: the checks of games, legality, truncation, forced actions and batches."""
    for check in (check_games, check_legality, check_truncation, check_auto_forced, check_batches):
        check(variant, settings=settings, seed=seed, **fixed)


def check_variant(variant: str, *, settings: int = 3, seed: int = 0, **fixed: Any) -> None:
    """Run every check on a variant.

    Args:
        variant: the name of a variant, registered by :func:`eightsenv.register` if it is not the package's own.
        settings: how many random settings each check tries beside the defaults.
        seed: of everything that is drawn; the same seed gives the same settings and games.
        fixed: arguments and options that every setting has, such as ``num_players=2``.

    Raises:
        AssertionError: a check failed; the sentence says in which setting, and what does not hold.
    """
    for check in CHECKS:
        check(variant, settings=settings, seed=seed, **fixed)


__all__ = [
    "CHECKS",
    "check_agreement",
    "check_auto_forced",
    "check_batches",
    "check_contract",
    "check_determinize",
    "check_games",
    "check_gymnasium",
    "check_legality",
    "check_memory_safety",
    "check_no_leak",
    "check_pettingzoo",
    "check_properties",
    "check_snapshots",
    "check_truncation",
    "check_variant",
    "fingerprints",
    "random_setting",
    "sample_settings",
]
