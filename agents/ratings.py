"""Ratings from the results of games, by OpenSkill.

The model is Plackett and Luce's in the Bayesian approximation of Weng and Lin, *A Bayesian Approximation Method for Online
Ranking* (JMLR 12, 2011). Everybody begins at 25 ± 25/3; bots do not change, so nothing is added to the uncertainty over time
(``tau=0``). Only differences mean something: of two agents whose ratings differ by d, the better one ends a game ahead of the
other with a probability of about 1 / (1 + exp(−d / 5.9)). Luck decides much in a single game of cards, so ratings lie close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rating:
    """A rating: its mean and standard deviation, as the library believes."""

    mu: float
    sigma: float

    def text(self) -> str:
        return f"{self.mu:.2f} ± {1.96 * self.sigma:.2f}"


def check() -> None:
    """See before a long tournament that :func:`rate` will work. Raises ``ModuleNotFoundError`` if openskill is not installed."""
    import openskill  # noqa: F401


def rate(games: Iterable[tuple[Sequence[int], Sequence[int]]], agents: int) -> list[Rating]:
    """The ratings of ``agents`` agents after ``games``: who took part, and the rank of each (0 is best, ties are equal).

    The order matters a little, as later games are seen in the light of earlier ones.

    Raises:
        ModuleNotFoundError: openskill is not installed.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    ratings = [model.rating() for _ in range(agents)]
    for players, ranks in games:
        for player, (new,) in zip(players, model.rate([[ratings[k]] for k in players], ranks=list(ranks)), strict=True):
            ratings[player] = new
    return [Rating(rating.mu, rating.sigma) for rating in ratings]
