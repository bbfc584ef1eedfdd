"""The options of the eights family: values, defaults, refusals, and their codes in the rules record."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import RANKS
from eightsenv.game import UNIT, Option, Setting, int_range, one_of, seat_or
from eightsenv.variants.eights import state
from eightsenv.variants.eights.view import drawn_bins, score_bins

_BURY = ("middle", "random", "bottom", "reshuffle")
_STARTER_WILD = ("bury", "printed_suit", "first_player_names", "dealer_names")
_VOLUNTARY = ("unlimited", "one", "none")
_AFTER_DRAW = ("any", "drawn_only", "none")
_STOCK_END = ("pass_then_block", "reshuffle", "end_of_turn", "immediate", "on_failed_draw")
_SCORE_MODE = ("collect_high_wins", "collect_low_wins", "penalty")
_ROTATION = ("left", "winner", "loser", "random")


def _choice(name: str, values: tuple[str, ...], rule: str, meaning: str) -> Option:
    """An option whose values are texts; the place of a value in ``values`` is its code."""
    return Option(name, " or ".join(repr(value) for value in values), meaning, one_of(*values), rule)


OPTIONS = (
    Option("decks", "'auto', 1 or 2", "packs; auto: two from six players on, else one", one_of("auto", 1, 2), "RE-3, AMB-RE-2"),
    Option("hand_size", "'auto' or 1 to 13", "cards dealt to each; auto: seven for two players, else five",
           int_range(1, 13, ("auto",)), "RE-7, IT-3, AMB-IT-6"),
    Option("wild_rank", "a rank, one of A K Q J T 9 to 2", "the wild rank", one_of(*RANKS), "RE-18, AMB-RE-20"),
    _choice("starter_wild", _STARTER_WILD, "RE-10, IT-6",
            "wild card as starter: buried and the next turned; stands as its suit; the dealer's left or the dealer names its suit"),
    _choice("bury", _BURY, "AMB-G-2", "where it is buried: the middle, a random place, the bottom, or the stock is shuffled anew"),
    _choice("match_rule", ("either", "both"), "AMB-IT-1", "a plain card must match suit or rank, or suit and rank"),
    Option("draw_limit", "None or 1 to 52", "most cards drawn in one turn", int_range(1, 52, (None,)), "AMB-IT-3"),
    _choice("voluntary_draw", _VOLUNTARY, "RE-16, IT-11, AMB-RE-4",
            "draws allowed in a turn while holding a playable card: any number, one, none"),
    _choice("play_after_draw", _AFTER_DRAW, "RE-15, IT-10",
            "after a draw of this turn: any playable card, only cards drawn this turn, or nothing"),
    _choice("stock_end", _STOCK_END, "RE-17, RE-21, IT-12, AMB-RE-3, AMB-IT-4",
            "the stock exhausted: who cannot play passes, and a circle of passes blocks; the discards are reshuffled when a "
            "card is needed; "
            "the hand ends after the turn whose draw emptied it; with that draw; or when the seat to act must draw and cannot"),
    _choice("score_mode", _SCORE_MODE, "RE-19, IT-13 to IT-15, AMB-IT-2",
            "the winner collects and most or fewest points win, or each is charged what it holds and fewest win"),
    _choice("stock_end_payment", ("difference", "none"), "RE-21, AMB-IT-5",
            "a hand that ends without a player out: the lowest count collects the differences, or nobody collects"),
    Option("target", "None, 'auto' or an int from 1 on", "match: ends after the hand in which a total reaches it; "
           "auto: 100 for two players, 50 more for each further one", int_range(1, 10**9, (None, "auto")), "RE-29"),
    Option("rounds", "None or an int from 1 on", "match: number of hands", int_range(1, 10**9, (None,)), "IT-15"),
    _choice("final_tie", ("share", "extra_round"), "AMB-IT-7", "match: an equal best total is shared, or further hands are played"),
    Option("first_dealer", "'random', 'first_spade' or a seat", "who deals the first hand",
           seat_or("random", "first_spade"), "RE-5, AMB-IT-8"),
    _choice("deal_rotation", _ROTATION, "AMB-G-3",
            "match: who deals next: the dealer's left, the seat with the best or worst payoff, a random seat"),
)  # fmt: skip

ITALIAN: dict[str, Any] = {
    "decks": 1,
    "hand_size": 5,
    "wild_rank": "8",
    "starter_wild": "bury",
    "bury": "middle",
    "match_rule": "either",
    "draw_limit": 3,
    "voluntary_draw": "none",
    "play_after_draw": "any",
    "stock_end": "end_of_turn",
    "score_mode": "penalty",
    "stock_end_payment": "none",
    "target": None,
    "rounds": 5,
    "final_tie": "share",
    "first_dealer": "random",
    "deal_rotation": "left",
}
"""The defaults of ``crazy_eights_v0``."""


def decks(setting: Setting) -> int:
    value = setting.options["decks"]
    return value if value != "auto" else 2 if setting.num_players >= 6 else 1


def hand_size(setting: Setting) -> int:
    value = setting.options["hand_size"]
    return value if value != "auto" else 7 if setting.num_players == 2 else 5


def score_mode(setting: Setting) -> int:
    return _SCORE_MODE.index(setting.options["score_mode"])


def check(setting: Setting) -> None:
    """Refuse combinations that cannot be played, or in which an option cannot matter (OPTIONS.md 2.1)."""
    o = setting.options
    if o["bury"] != "middle" and o["starter_wild"] != "bury":
        raise ValueError(f"bury={o['bury']!r} needs starter_wild='bury', not {o['starter_wild']!r}")
    if o["play_after_draw"] == "none" and o["draw_limit"] != 1:
        raise ValueError(f"play_after_draw='none' needs draw_limit=1, not {o['draw_limit']!r}")
    if (o["rounds"] is None) == (o["target"] is None):
        raise ValueError("exactly one of rounds and target is None: a match ends after so many hands or at a total")
    size, packs = hand_size(setting), decks(setting)
    needed = setting.num_players * size + (1 + 4 * packs if o["starter_wild"] == "bury" else 2)
    if needed > 52 * packs:
        raise ValueError(
            f"{setting.num_players} players with hand_size={size} need {needed} cards and the deck has {52 * packs}: "
            "take fewer cards, fewer players or decks=2"
        )


def _value_of(rank: int, wild_rank: int) -> int:
    """Hoyle's values (IT-13, RE-20): wild 50; K Q J T 10; ace 1; others their number."""
    if rank == wild_rank:
        return 50
    return 1 if RANKS[rank] == "A" else 10 if RANKS[rank] in "TJQK" else rank + 2


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the eights part of a rules record."""
    o = setting.options
    r.decks = decks(setting)
    r.hand_size = hand_size(setting)
    r.wild_rank = RANKS.index(o["wild_rank"])
    r.wild = np.uint64(0xF << 4 * int(r.wild_rank))
    r.starter_wild = _STARTER_WILD.index(o["starter_wild"])
    r.bury = _BURY.index(o["bury"])
    r.match_both = o["match_rule"] == "both"
    r.draw_limit = o["draw_limit"] or state.CARDS
    r.voluntary_draw = _VOLUNTARY.index(o["voluntary_draw"])
    r.play_after_draw = _AFTER_DRAW.index(o["play_after_draw"])
    r.stock_end = _STOCK_END.index(o["stock_end"])
    r.score_mode = score_mode(setting)
    r.difference = o["stock_end_payment"] == "difference"
    r.target = 50 * setting.num_players if o["target"] == "auto" else o["target"] or 0
    r.rounds = o["rounds"] or 0
    r.extra_round = o["final_tie"] == "extra_round"
    r.first_dealer = {"random": state.DEALER_RANDOM, "first_spade": state.DEALER_FIRST_SPADE}.get(
        o["first_dealer"], o["first_dealer"]
    )
    r.rotation = _ROTATION.index(o["deal_rotation"])
    r.values[:] = [_value_of(card >> 2, int(r.wild_rank)) for card in range(52)]
    r.drawn_bins = drawn_bins(setting)
    r.score_bins[:] = [least * UNIT for least in score_bins(int(r.score_mode))]
