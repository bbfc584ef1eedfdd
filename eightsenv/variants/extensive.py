"""What solvers of games in extensive form ask of a setting: where chance acts after the deal, and what can be won and lost.

One hand is meant, with ``reward="score"``. Variants are told by their rule sets; of one from outside nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eightsenv.game import Setting, rules_row
from eightsenv.variants import get
from eightsenv.variants.speculation import options as speculation
from eightsenv.variants.speculation.state import PACKET


def later_chance(setting: Setting) -> str | None:
    """In words, what lets chance act when all cards are laid and the dealer is known; None: nothing that is known of."""
    return _LATER_CHANCE.get(_rule_set(setting), lambda setting: None)(setting)


def is_zero_sum(setting: Setting) -> bool:
    """Whether the payoffs of a hand are known to add up to 0 always."""
    return _ZERO_SUM.get(_rule_set(setting), lambda setting: False)(setting)


def bound(setting: Setting) -> float | None:
    """Points or chips that no seat wins or loses more than in a hand; None: not known."""
    known = _BOUND.get(_rule_set(setting))
    return None if known is None else known(setting)


def _rule_set(setting: Setting) -> str:
    return get(setting.variant).rule_set.name


def _option_among(setting: Setting, options: Mapping[str, tuple[str, ...]]) -> str | None:
    """The first option that has one of the values listed, as code."""
    for name, values in options.items():
        value = setting.options[name]
        if value in values:
            # The options that stand for a closed preset were not given by name.
            return f"{name}={value!r}" if setting.closed is None else f"rules={setting.closed['rules']!r} ({name}={value!r})"
    return None


def _pack_value(setting: Setting) -> float:
    """All cards of the pack: hands never hold more."""
    r = rules_row(get(setting.variant), setting)[0]
    return float(sum(int(r.values[card]) for card in r.pack[: r.pack_n]))


def _speculation_bound(setting: Setting) -> float:
    """The pot, and a highest bid for the turn-up and for every card that is faced."""
    return float(speculation.pot(setting) + speculation.max_bid(setting) * (1 + PACKET * setting.num_players))


_Known = Mapping[str, Callable[[Setting], str | None]]
_LATER_CHANCE: _Known = {
    "eights": lambda setting: _option_among(setting, {"stock_end": ("reshuffle",), "bury": ("random", "reshuffle")}),
    "eight_ball": lambda setting: _option_among(setting, {"eight_flip_all_pass": ("redeal",), "passout": ("redeal",)}),
    "house": lambda setting: "its rules, which reshuffle the discards when the stock runs out (HR-18)",
}
_ZERO_SUM: Mapping[str, Callable[[Setting], bool]] = {
    "eights": lambda setting: setting.options["score_mode"] != "penalty",
    "high_low": lambda setting: True,
    "speculation": lambda setting: True,
}
_BOUND: Mapping[str, Callable[[Setting], float]] = {
    "eights": _pack_value,
    "eight_ball": lambda setting: 15.0,  # five tricks alone, made (B4-36); what is lost is less
    "high_low": lambda setting: float(setting.num_players * setting.options["ante"]),
    "speculation": _speculation_bound,
}
