"""The options of the high-low layout game: values, defaults, presets, and their codes in the rules record."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.game import Setting
from eightsenv.variants import chips
from eightsenv.variants.tables import choice, flag

OPTIONS = (
    chips.ante_option("HL-4, AMB-HL-3"),
    flag("voluntary_pass", "HL-9, AMB-HL-1",
         "a player who could lay a card may pass; False leaves no choice that affects the result"),
    choice("odd_chip", ("high_then_left", "fraction"), "HL-13, AMB-HL-4",
           "odd chips: one more for the high half, then one each from the dealer's left on; or every share exact"),
    *chips.options(),
)  # fmt: skip

DEFAULTS: dict[str, Any] = {
    "ante": 2,
    "voluntary_pass": False,
    "odd_chip": "high_then_left",
    "max_hands": None,
    "first_dealer": "random",
    "deal_rotation": "left",
}

STRATEGIC = {"voluntary_pass": True}
"""The game in which decisions matter."""

PRESETS: dict[str, dict[str, Any]] = {"strategic_high_low": DEFAULTS | STRATEGIC}


def check(setting: Setting) -> None:
    """Nothing is refused: every option can be combined with every other (OPTIONS.md 2.4)."""


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the rules record."""
    r.voluntary_pass = setting.options["voluntary_pass"]
    r.fraction = setting.options["odd_chip"] == "fraction"
    chips.write_rules(r, setting)
