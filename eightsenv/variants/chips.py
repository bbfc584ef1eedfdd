"""What the games of chips share: antes and the pot, the dealer, a match of a number of hands, its winners, and how they are shown.

The state record ends with :func:`state_fields` and the rules record with :data:`RULES_FIELDS`. Chips are counted in 1/840
(``UNIT``) in ``last_payoff`` and ``scores``, and whole in ``pot``.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import compiled
from eightsenv.game import UNIT, Option, Section, Setting, int_range, seat_or
from eightsenv.variants.matches import ROTATION, best_seats, next_dealer, rotation_option
from eightsenv.variants.tables import at_least
from eightsenv.variants.writers import hands_played_section

RANDOM_DEALER, OWN_METHOD = -1, -2
"""Codes of ``first_dealer`` below the seats: a random seat, and the variant's own method if it has one."""
BALANCE_BINS = (-16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32)
"""Thresholds of a total, in antes."""

RULES_FIELDS: list[tuple] = [
    ("ante", "i8"),
    ("hands", "i8"),  # hands of a match
    ("first_dealer", "i8"),
    ("rotation", "i8"),
    ("score_bins", "i8", (len(BALANCE_BINS),)),  # thresholds of the thermometers of totals, in 1/840
]


def state_fields(seats: int) -> list[tuple]:
    """The fields with which the state record of a game of chips ends."""
    return [("pot", "i8"), ("scores", "i8", (seats,))]


# Options


def options(*own_methods: str) -> tuple[Option, ...]:
    """The options that every game of chips has. ``own_methods``: its ways to choose the first dealer besides a random seat."""
    methods = (*own_methods, "random")
    listed = ", ".join(f"'{method}'" for method in methods)
    return (
        Option("max_hands", "None or an int from 1 to 10**9", "match: hands played; None: one deal each",
               int_range(1, 10**9, (None,)), "G-12"),
        Option("first_dealer", f"{listed} or a seat", "who deals the first hand", seat_or(*methods), "AMB-HL-10, SP-4"),
        rotation_option(),
    )  # fmt: skip


def ante_option(rule: str) -> Option:
    return Option("ante", "an int from 1 to 100", "chips from each into the pot", int_range(1, 100), rule)


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the fields of :data:`RULES_FIELDS`."""
    o = setting.options
    r.ante = o["ante"]
    r.hands = o["max_hands"] or setting.num_players
    chosen = o["first_dealer"]
    r.first_dealer = chosen if isinstance(chosen, int) else RANDOM_DEALER if chosen == "random" else OWN_METHOD
    r.rotation = ROTATION.index(o["deal_rotation"])
    r.score_bins[:] = [least * o["ante"] * UNIT for least in BALANCE_BINS]


# The deal


@compiled
def collect_antes(s, r):
    """Everybody puts the ante into the pot (HL-4, SP-3)."""
    s.pot = r.ante * r.num_players


# The end


@compiled
def end_hand(s, r, gain):
    """Take the antes off what each seat has won (in ``last_payoff``), book the payoffs, and see whether the episode is over.

    Returns whether another hand follows; then the dealer and ``hand_number`` are already its own.
    """
    for seat in range(r.num_players):
        s.last_payoff[seat] -= r.ante * UNIT
        s.scores[seat] += s.last_payoff[seat]
        gain[seat] += s.last_payoff[seat]
    s.pot = 0
    if r.match and s.hand_number + 1 < r.hands:
        s.dealer = next_dealer(s, r)
        s.hand_number += 1
        return True
    s.over = 1
    return False


@compiled
def winners(s, r):
    """The winning seats as a bit mask, after the end: the most chips (AMB-G-1). Of one hand the total is its payoff."""
    return best_seats(s.scores[:], r.num_players, np.int64(1))


# What is shown


def match_sections(r: np.record) -> list[Section]:
    """The hands played and the totals, in a match."""
    if not r.match:
        return []
    bins = at_least([int(least) // UNIT for least in r.score_bins], "chips")
    return [
        hands_played_section(),
        *(
            Section(f"score_{k}", bins, "thermometer", "own total" if k == 0 else f"the total {k} to the left")
            for k in range(int(r.num_players))
        ),
    ]
