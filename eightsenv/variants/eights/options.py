"""The options of the eights family: values, defaults, presets, refusals, and their codes in the rules record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eightsenv.cards import CARDS as CARD_TEXTS
from eightsenv.cards import RANKS, card_id
from eightsenv.game import UNIT, ClosedPreset, Option, Setting, int_range, one_of, seat_or
from eightsenv.variants.eights import state, text, view
from eightsenv.variants.eights.state import SUIT_FIRST
from eightsenv.variants.matches import ROTATION, rotation_option
from eightsenv.variants.tables import choice, flag

_BURY = ("middle", "random", "bottom", "reshuffle")
_STARTER_WILD = ("bury", "printed_suit", "first_player_names", "dealer_names")
_DRAW_MODE = ("until_playable", "optional")
_VOLUNTARY = ("unlimited", "one", "none")
_AFTER_DRAW = ("any", "drawn_only", "none")
_STOCK_END = ("pass_then_block", "reshuffle", "end_of_turn", "immediate", "on_failed_draw")
_SCORE_MODE = ("collect_high_wins", "collect_low_wins", "penalty")
_CARD_VALUES = ("hoyle", "openspiel_doc", "openspiel", "count")

MINI = ("7C", "7D", "8C", "8D", "9C", "9D")
"""The pack of the preset ``mini``."""
MOST_DUE = 10
"""The largest n of the effect "draw n"."""
_KEYS = (*RANKS, *CARD_TEXTS)
_EFFECTS = ("skip", "reverse", *(f"draw {n}{stack}" for n in range(1, MOST_DUE + 1) for stack in ("", " stack")))


class _Effects:
    """A check: a mapping of ranks and cards to effects; in normal form a dict in the order of ranks, then cards."""

    def __call__(self, value: Any, num_players: int) -> dict[str, str]:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise ValueError
        if not all(key in _KEYS and isinstance(effect, str) and effect in _EFFECTS for key, effect in value.items()):
            raise ValueError
        return {key: value[key] for key in _KEYS if key in value}

    def samples(self, num_players: int) -> tuple[dict[str, str], ...]:
        return (
            {},
            {"2": "draw 2 stack", "Q": "skip", "A": "reverse"},
            {"Q": "skip"},
            {"2": "draw 2", "QS": "draw 5 stack", "K": "reverse", "KH": "skip"},
            {"7": "draw 1 stack", "J": "draw 10"},
        )


OPTIONS = (
    choice("pack", ("standard", "mini"), "RE-2", "52 cards, or the six cards " + " ".join(MINI)),
    Option("decks", "'auto', 1 or 2", "packs; auto: two from six players on, else one", one_of("auto", 1, 2), "RE-3, AMB-RE-2"),
    Option("hand_size", "'auto' or 1 to 13", "cards dealt to each; auto: seven for two players, else five",
           int_range(1, 13, ("auto",)), "RE-7, IT-3, AMB-IT-6"),
    flag("partnership", "RE-1, RE-23 to RE-25", "four players, two against two: seats 0 and 2, seats 1 and 3"),
    choice("partner_payment", ("side_total", "half"), "AMB-RE-7", "each partner is credited the side's result, or half of it"),
    flag("cut_as_action", "RE-6", "the dealer's right decides where the pack is cut before the deal"),
    Option("wild_rank", "a rank, one of A K Q J T 9 to 2", "the wild rank", one_of(*RANKS), "RE-18, AMB-RE-20"),
    choice("starter_wild", _STARTER_WILD, "RE-10, IT-6",
            "wild card as starter: buried and the next turned; stands as its suit; the dealer's left or the dealer names its suit"),
    choice("bury", _BURY, "AMB-G-2", "where it is buried: the middle, a random place, the bottom, or the stock is shuffled anew"),
    choice("match_rule", ("either", "both"), "AMB-IT-1", "a plain card must match suit or rank, or suit and rank"),
    Option("effects", "a dict of ranks or cards to 'skip', 'reverse', 'draw n' or 'draw n stack', n 1 to 10; not the wild rank",
           "special cards: the next seat loses its turn; the direction changes; the next seat draws n and loses its turn, or "
           "(stack) adds such a card", _Effects(), "OPTIONS.md 2.1"),
    choice("starter_effects", ("none", "all"), "OPTIONS.md 2.1",
            "a starter has no effect, or acts as if the dealer had played it"),
    choice("draw_mode", _DRAW_MODE, "RE-15, IT-10",
            "draw until a card can be played; or draw at will up to the limit, and pass exactly when no draw is possible"),
    Option("draw_limit", "None or 1 to 52", "most cards drawn in one turn", int_range(1, 52, (None,)), "AMB-IT-3"),
    choice("voluntary_draw", _VOLUNTARY, "RE-16, IT-11, AMB-RE-4",
            "draws allowed in a turn while holding a playable card: any number, one, none"),
    choice("play_after_draw", _AFTER_DRAW, "RE-15, IT-10",
            "after a draw of this turn: any playable card, only cards drawn this turn, or nothing"),
    flag("holdback", "RE-27, RE-28", "who can play may pass on an empty stock; after a pass the others may demand a play"),
    choice("stock_end", _STOCK_END, "RE-17, RE-21, IT-12, AMB-RE-3, AMB-IT-4",
            "the stock exhausted: who cannot play passes, and a circle of passes blocks; the discards are reshuffled when a "
            "card is needed; "
            "the hand ends after the turn whose draw emptied it; with that draw; or when the seat to act must draw and cannot"),
    choice("block", ("circle", "immediate"), "AMB-RE-10",
            "a deal is blocked after a circle of passes, or as soon as nobody can play or draw"),
    flag("play_on", "AMB-RE-6", "play for oneself goes on after the first seat is out, until one seat holds cards"),
    choice("card_values", _CARD_VALUES, "RE-20, IT-13, AMB-RE-1",
            "wild 50, K Q J 10 10, ace 1, others their number; eight 50, A K Q J 10 10, others their number; eight 50, A K Q J 10, "
            "others the card's id + 2; every card 1"),
    choice("score_mode", _SCORE_MODE, "RE-19, IT-13 to IT-15, AMB-IT-2",
            "the winner collects and most or fewest points win, or each is charged what it holds and fewest win"),
    choice("stock_end_payment", ("difference", "none"), "RE-21, AMB-IT-5",
            "a hand that ends without a player out: the lowest count collects the differences, or nobody collects"),
    Option("target", "None, 'auto' or an int from 1 to 10**9", "match: ends after the hand in which a total reaches it; "
           "auto: 100 for two players, 50 more for each further one", int_range(1, 10**9, (None, "auto")), "RE-29"),
    Option("rounds", "None or an int from 1 to 10**9", "match: number of hands", int_range(1, 10**9, (None,)), "IT-15"),
    choice("final_tie", ("share", "extra_round"), "AMB-IT-7", "match: an equal best total is shared, or further hands are played"),
    choice("excess_to", ("random", "bottom"), "RE-26, AMB-RE-15", "where reclaimed cards of a wrong deal go in the stock"),
    Option("first_dealer", "'random', 'first_spade' or a seat", "who deals the first hand",
           seat_or("random", "first_spade"), "RE-5, AMB-IT-8"),
    rotation_option(),
)  # fmt: skip

RUSSIAN: dict[str, Any] = {
    "pack": "standard",
    "decks": "auto",
    "hand_size": "auto",
    "partnership": False,
    "partner_payment": "side_total",
    "cut_as_action": False,
    "wild_rank": "8",
    "starter_wild": "bury",
    "bury": "middle",
    "match_rule": "either",
    "effects": {},
    "starter_effects": "none",
    "draw_mode": "until_playable",
    "draw_limit": None,
    "voluntary_draw": "unlimited",
    "play_after_draw": "any",
    "holdback": False,
    "stock_end": "pass_then_block",
    "block": "circle",
    "play_on": False,
    "card_values": "hoyle",
    "score_mode": "collect_high_wins",
    "stock_end_payment": "difference",
    "target": "auto",
    "rounds": None,
    "final_tie": "share",
    "excess_to": "random",
    "first_dealer": "first_spade",
    "deal_rotation": "left",
}
"""The defaults of ``eights_v0``."""

ITALIAN: dict[str, Any] = RUSSIAN | {
    "decks": 1,
    "hand_size": 5,
    "draw_limit": 3,
    "voluntary_draw": "none",
    "stock_end": "end_of_turn",
    "score_mode": "penalty",
    "stock_end_payment": "none",
    "target": None,
    "rounds": 5,
    "first_dealer": "random",
}
"""The defaults of ``crazy_eights_v0``."""

SPECIALS = {"2": "draw 2 stack", "Q": "skip", "A": "reverse"}

PRESETS: dict[str, dict[str, Any]] = {
    "russian_eights": RUSSIAN,
    "italian_eights": ITALIAN,
    "hoyle_eights": RUSSIAN | {"target": 100},
    "eights_draw_one": RUSSIAN | {"draw_limit": 1},
    "crazy_eights_specials": RUSSIAN
    | {"effects": SPECIALS, "starter_effects": "all", "voluntary_draw": "none", "stock_end": "reshuffle"},
    "mini": RUSSIAN
    | {
        "num_players": 2,
        "pack": "mini",
        "hand_size": 2,
        "starter_wild": "printed_suit",
        "card_values": "count",
        "first_dealer": "random",
    },
}
"""The presets of either environment (OPTIONS.md part 3)."""


def _openspiel(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that stand for the parameters of OpenSpiel's ``crazy_eights`` (OPTIONS.md part 4)."""
    options: dict[str, Any] = RUSSIAN | {
        "bury": "random",
        "draw_mode": "optional",
        "draw_limit": given["max_draw_cards"],
        "card_values": given["card_values"],
        "score_mode": "penalty",
        "stock_end_payment": "none",
        "first_dealer": "random",
        "max_plays": given["max_plays"],
    }
    if given["use_special_cards"]:
        options |= {"effects": SPECIALS, "starter_effects": "all"}
    if given["reshuffle"]:
        options |= {"stock_end": "reshuffle"}
    return options


OPENSPIEL = ClosedPreset(
    parameters=(
        Option("max_draw_cards", "an int from 1 to 10**9", "draws in a turn, after which pass is legal", int_range(1, 10**9)),
        Option("max_plays", "an int from 1 to 10**9", "cards played after which the hand ends and is scored", int_range(1, 10**9)),
        flag("use_special_cards", "OPTIONS.md part 4", "Q skip, A reverse, 2 draw two, stackable"),
        flag("reshuffle", "OPTIONS.md part 4", "the discards form a new stock as soon as it is empty"),
        choice("card_values", ("openspiel_doc", "openspiel"), "OPTIONS.md part 4",
                "values as OpenSpiel documents them, or as its release 2.0.2 counts them"),
    ),
    defaults={
        "max_draw_cards": 5, "max_plays": 100, "use_special_cards": False, "reshuffle": False, "card_values": "openspiel_doc"
    },
    expand=_openspiel,
)  # fmt: skip
"""The rules of OpenSpiel's ``crazy_eights``; for ``crazy_eights_v0`` only."""


def decks(setting: Setting) -> int:
    """How many packs are played with."""
    value = setting.options["decks"]
    return value if value != "auto" else 2 if setting.num_players >= 6 and setting.options["pack"] == "standard" else 1


def hand_size(setting: Setting) -> int:
    """How many cards each seat is dealt."""
    value = setting.options["hand_size"]
    return value if value != "auto" else 7 if setting.num_players == 2 else 5


def sides(setting: Setting) -> tuple[tuple[int, ...], ...]:
    """The seats of each side (RE-1)."""
    if setting.options["partnership"]:
        return ((0, 2), (1, 3))
    return tuple((seat,) for seat in range(setting.num_players))


def pack_of(setting: Setting) -> list[int]:
    """All cards by id, in canonical order."""
    one = [card_id(name) for name in MINI] if setting.options["pack"] == "mini" else list(range(52))
    return one * decks(setting)


def actions(setting: Setting) -> tuple[str, ...]:
    """The texts of all actions by id."""
    return text.actions(setting.options["holdback"], len(pack_of(setting)) if setting.options["cut_as_action"] else 0)


def check(setting: Setting) -> None:
    """Refuse combinations that cannot be played, or in which an option cannot matter (OPTIONS.md 2.1)."""
    o, n = setting.options, setting.num_players

    def need(option: str, default: Any, fulfilled: bool, what: str) -> None:
        if o[option] != default and not fulfilled:
            raise ValueError(f"{option}={o[option]!r} needs {what}")

    if o["partnership"]:
        if n != 4:
            raise ValueError(f"partnership=True needs num_players=4, not {n}")
        if o["score_mode"] != "collect_high_wins":
            raise ValueError(f"partnership=True needs score_mode='collect_high_wins', not {o['score_mode']!r}")
        if o["play_on"]:
            raise ValueError("partnership=True needs play_on=False: partners play on anyway")
    need("partner_payment", "side_total", o["partnership"], "partnership=True")
    need("play_on", False, n > 2, "num_players from 3 on")
    need("holdback", False, o["stock_end"] == "pass_then_block", f"stock_end='pass_then_block', not {o['stock_end']!r}")
    need("holdback", False, o["block"] == "circle", f"block='circle', not {o['block']!r}")
    need("holdback", False, o["draw_mode"] == "until_playable", f"draw_mode='until_playable', not {o['draw_mode']!r}")
    blocks = ("pass_then_block", "reshuffle")
    need("block", "circle", o["stock_end"] in blocks, f"stock_end='pass_then_block' or 'reshuffle', not {o['stock_end']!r}")
    need("bury", "middle", o["starter_wild"] == "bury", f"starter_wild='bury', not {o['starter_wild']!r}")
    need("starter_effects", "none", bool(o["effects"]), "effects")
    need("draw_mode", "until_playable", o["voluntary_draw"] == "unlimited",
         f"voluntary_draw='unlimited', not {o['voluntary_draw']!r}")  # fmt: skip
    need("draw_mode", "until_playable", o["play_after_draw"] == "any", f"play_after_draw='any', not {o['play_after_draw']!r}")
    if o["play_after_draw"] == "none" and o["draw_limit"] != 1:
        raise ValueError(f"play_after_draw='none' needs draw_limit=1, not {o['draw_limit']!r}")
    if o["wild_rank"] != "8" and o["card_values"] in ("openspiel", "openspiel_doc"):
        raise ValueError(f"wild_rank={o['wild_rank']!r} needs card_values='hoyle' or 'count', not {o['card_values']!r}")
    if (o["rounds"] is None) == (o["target"] is None):
        raise ValueError("exactly one of rounds and target is None: a match ends after so many hands or at a total")
    _check_pack(setting)
    _check_effects(setting)


def _check_pack(setting: Setting) -> None:
    """The pack must fit the other options and hold the cards of a deal."""
    o, n = setting.options, setting.num_players
    if o["pack"] == "mini":
        if n != 2:
            raise ValueError(f"pack='mini' needs num_players=2, not {n}")
        if o["decks"] == 2:
            raise ValueError("pack='mini' needs decks=1 or 'auto', not 2")
        if o["wild_rank"] not in "789":
            raise ValueError(f"pack='mini' needs a wild_rank that it holds, '7', '8' or '9', not {o['wild_rank']!r}")
        if o["cut_as_action"]:
            raise ValueError("pack='mini' needs cut_as_action=False: it cannot be cut into two parts of five")
        if o["first_dealer"] == "first_spade":
            raise ValueError("pack='mini' needs first_dealer='random' or a seat: it holds no spades")
    pack = pack_of(setting)
    wild = sum(card >> 2 == RANKS.index(o["wild_rank"]) for card in pack)
    size = hand_size(setting)
    needed = n * size + (1 + wild if o["starter_wild"] == "bury" else 2)
    if needed > len(pack):
        raise ValueError(
            f"{n} players with hand_size={size} need {needed} cards and the deck has {len(pack)}: "
            "take fewer cards, fewer players or decks=2"
        )


def _check_effects(setting: Setting) -> None:
    """No effect for a wild card, or for one that the pack does not hold."""
    held = {RANKS[card >> 2] for card in pack_of(setting)} | {CARD_TEXTS[card] for card in pack_of(setting)}
    for key in setting.options["effects"]:
        if key[0] == setting.options["wild_rank"]:
            raise ValueError(f"effects cannot name {key!r}: cards of the wild rank have no other effect")
        if key not in held:
            raise ValueError(f"effects cannot name {key!r}: the pack does not hold it")


def _value_of(card: int, table: str, wild_rank: int) -> int:
    """The points of a card by a table of OPTIONS.md (*Values*); Hoyle's is that of IT-13 and RE-20."""
    rank = RANKS[card >> 2]
    if table == "count":
        return 1
    if card >> 2 == wild_rank:
        return 50
    if rank in "JQK":
        return 10
    if rank == "A":
        return 1 if table == "hoyle" else 10
    if table == "openspiel":
        return card + 2
    return 10 if rank == "T" else int(rank)


def _cards_with(effects: Mapping[str, str], test: str) -> np.uint64:
    """The cards whose effect begins or ends with a word; a card's own entry wins over its rank's."""
    cards = 0
    for card, name in enumerate(CARD_TEXTS):
        effect = effects.get(name, effects.get(name[0], ""))
        if effect.startswith(test) or effect.endswith(test):
            cards |= 1 << card
    return np.uint64(cards)


def _draws(effects: Mapping[str, str]) -> list[int]:
    """By card: how many the next seat draws."""
    found = [effects.get(name, effects.get(name[0], "")).split() for name in CARD_TEXTS]
    return [int(words[1]) if words[:1] == ["draw"] else 0 for words in found]


def _write_proofs(r: np.record, o: Mapping[str, Any]) -> None:
    """What draws and passes tell everybody of a hand (``play.learn_from_draw``, ``play.learn_from_pass``)."""
    r.draw_proves = r.pass_proves = state.PROVES_NOTHING
    if o["draw_mode"] == "optional":
        return
    if o["voluntary_draw"] == "none":
        r.draw_proves = state.PROVES_NONE
    elif o["voluntary_draw"] == "one" and o["play_after_draw"] == "any":
        r.draw_proves = state.PROVES_PARTLY
    forced = o["voluntary_draw"] == "none" and o["play_after_draw"] == "drawn_only"
    r.pass_proves = state.PROVES_NONE if o["play_after_draw"] == "any" or forced else state.PROVES_PARTLY


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the eights part of a rules record."""
    o = setting.options
    pack = pack_of(setting)
    r.decks = decks(setting)
    r.pack[: len(pack)] = pack
    r.pack_n = len(pack)
    r.suits = np.uint64(sum(1 << SUIT_FIRST + suit for suit in range(4) if any(card & 3 == suit for card in pack)))
    r.hand_size = hand_size(setting)
    r.partnership = o["partnership"]
    r.half_payment = o["partner_payment"] == "half"
    r.excess_to_bottom = o["excess_to"] == "bottom"
    r.cut = o["cut_as_action"]
    r.cut_first = text.first_cut(o["holdback"])
    r.wild_rank = RANKS.index(o["wild_rank"])
    r.wild = np.uint64(0xF << 4 * int(r.wild_rank))
    r.starter_wild = _STARTER_WILD.index(o["starter_wild"])
    r.bury = _BURY.index(o["bury"])
    r.match_both = o["match_rule"] == "both"
    effects = o["effects"]
    r.skip, r.reverse, r.stack = (_cards_with(effects, word) for word in ("skip", "reverse", "stack"))
    r.effects = r.skip | r.reverse | _cards_with(effects, "draw")
    r.draw[:] = _draws(effects)
    r.starter_effects = o["starter_effects"] == "all"
    r.optional_draw = o["draw_mode"] == "optional"
    r.draw_limit = min(o["draw_limit"] or state.CARDS, state.CARDS)
    r.voluntary_draw = _VOLUNTARY.index(o["voluntary_draw"])
    r.play_after_draw = _AFTER_DRAW.index(o["play_after_draw"])
    r.holdback = o["holdback"]
    r.stock_end = _STOCK_END.index(o["stock_end"])
    r.block_at_once = o["block"] == "immediate"
    r.play_on = o["play_on"]
    _write_proofs(r, o)
    r.openspiel = "max_plays" in o
    r.max_plays = o.get("max_plays", 0)
    r.score_mode = _SCORE_MODE.index(o["score_mode"])
    r.difference = o["stock_end_payment"] == "difference"
    r.target = 50 * setting.num_players if o["target"] == "auto" else o["target"] or 0
    r.rounds = o["rounds"] or 0
    r.extra_round = o["final_tie"] == "extra_round"
    r.first_dealer = {"random": state.DEALER_RANDOM, "first_spade": state.DEALER_FIRST_SPADE}.get(
        o["first_dealer"], o["first_dealer"]
    )
    r.rotation = ROTATION.index(o["deal_rotation"])
    r.values[:] = [_value_of(card, o["card_values"], int(r.wild_rank)) for card in range(52)]
    _write_sections(r, setting)


def _write_sections(r: np.record, setting: Setting) -> None:
    """What the observation depends on, besides the rules themselves."""
    r.pass_bins = setting.num_players - 1 + int(r.openspiel)
    r.phases = 4 if r.cut else 3 if r.holdback else 2
    r.rare = bool(r.effects or r.partnership or r.play_on or r.holdback or r.openspiel)
    known = r.starter_wild == state.STARTER_BURY and r.bury in (state.BURY_MIDDLE, state.BURY_BOTTOM)
    r.burials = 4 * r.decks if known else 0
    r.score_bins[:] = [least * UNIT for least in view.score_bins(int(r.score_mode))]
