"""The options of House Rules: values, defaults, presets, refusals, and their codes in the rules record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eightsenv.cards import card_id, card_text
from eightsenv.game import Option, Setting, int_range, one_of, seat_or
from eightsenv.variants.house import state, view
from eightsenv.variants.tables import choice, flag

_STARTER_WILD = ("dealer_names", "first_player_names", "printed_suit", "bury")
_STARTER_EFFECTS = ("all", "none", "twos_only")
_AFTER_DRAW = ("any", "drawn_only", "none")
_ONE_CARD = ("action", "auto", "off")
_RACE = ("callers_first", "owner_first", "random")
_ON_JOKER = ("revive", "forbidden", "skip_two")
_KING_JOKER = ("old_next", "both", "new_next")
_DURATION = ("until_own_next_turn", "through_own_next_turn", "until_players_turn", "n_slots")
_SWAP_PENALTY = ("travel_free", "stay", "travel_restricted")
_JOKER_STACK = ("multiply", "add", "once")
_HOUSE_POLICY = ("not_guilty", "guilty", "random")
_ANSWERED = ("A", "2", "JC", "JS", "JH", "QH")
"""What a Joker can answer; the place of each is its effect's number less one."""


class _Tuple:
    """A check: a tuple or list of different values, each allowed; in normal form a tuple in ``order``."""

    def __init__(self, read: Callable[[Any, int], Any], order: Callable[[Any], Any], *samples: tuple):
        self.read, self.order, self._samples = read, order, samples

    def __call__(self, value: Any, num_players: int) -> tuple:
        if not isinstance(value, (tuple, list)):
            raise ValueError
        return tuple(sorted((self.read(item, num_players) for item in value), key=self.order))

    def samples(self, num_players: int) -> tuple[tuple, ...]:
        return self._samples


def _seat(value: Any, num_players: int) -> int:
    return int_range(0, num_players - 1)(value, num_players)


def _card(value: Any, num_players: int) -> str:
    return card_text(card_id(value))


class _Probability:
    """A check: a number from 0 to 1."""

    def __call__(self, value: Any, num_players: int) -> float:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise ValueError
        if not 0 <= value <= 1:
            raise ValueError
        return float(value)

    def samples(self, num_players: int) -> tuple[float, ...]:
        return (0.0, 0.1, 1.0)


OPTIONS = (
    Option("decks", "1 or 2", "packs", one_of(1, 2), "HR-7"),
    Option("jokers", "0, 1 or 2", "Jokers in each pack", one_of(0, 1, 2), "HR-7, AMB-HR-3"),
    Option("extra_cards", "a tuple of card texts, each card once", "part of a second pack",
           _Tuple(_card, card_id, (), ("8C", "8D", "8H", "8S"), ("X1", "X2", "JC")), "HR-7, AMB-HR-33"),
    flag("deal_choice", "HR-4", "the dealer decides whether seven or eight cards are dealt, before seeing any; else seven"),
    Option("mojo_seats", "a tuple of seats, each once", "seats that get eight cards at every deal",
           _Tuple(_seat, int, (), (0,), (0, 1)), "HR-5, HR-79"),
    choice("starter_wild", _STARTER_WILD, "HR-9, AMB-HR-49",
            "eight as starter: the dealer or the dealer's left names its suit; it stands as its suit; it is buried in the middle "
            "and the next card turned"),
    choice("starter_effects", _STARTER_EFFECTS, "HR-11, AMB-HR-7", "which starters act as if the dealer had played them"),
    choice("play_after_draw", _AFTER_DRAW, "HR-15, AMB-HR-6",
            "after the draw of a turn: any playable card, only the card drawn, or nothing"),
    choice("one_card", _ONE_CARD, "HR-24", "ONE CARD is announced by choice, always, or there is no such rule"),
    choice("one_card_race", _RACE, "HR-20, AMB-HR-23",
            "who is asked first after an unannounced play: the opponents; the seat itself, to announce late; a coin decides"),
    flag("stack_twos", "HR-42, AMB-HR-9", "a two may be answered with a two; the numbers add up"),
    flag("last_card_effects", "HR-25, AMB-HR-21", "draws caused by the last card happen before the count"),
    Option("joker_response", "a tuple of some of " + ", ".join(map(repr, _ANSWERED)),
           "cards that a Joker can answer; for the others no response is asked",
           _Tuple(lambda value, n: one_of(*_ANSWERED)(value, n), _ANSWERED.index, _ANSWERED, (), ("2",), ("A", "JS", "QH")),
           "HR-59, AMB-HR-12"),
    choice("joker_on_joker", _ON_JOKER, "HR-61, AMB-HR-10",
            "a Joker on a Joker: the card under the first is to be followed again; it is not allowed; what the first left stays"),
    choice("king_joker", _KING_JOKER, "HR-60, AMB-HR-13",
            "who may answer a King with a Joker, three or more players: the next seat without the King, that one and then the next "
            "with it, or only the latter"),
    flag("plucker_sees", "AMB-HR-48", "two players: the plucker sees the card plucked"),
    choice("jh_duration", _DURATION, "HR-55, AMB-HR-16",
            "an open hand lies until the victim's next turn but the one at once begins, or ends; until the next turn of the Jack's "
            "player begins; for as many turns as there are players"),
    choice("swap_penalty", _SWAP_PENALTY, "HR-53, AMB-HR-17",
            "penalty and plucked cards at a swap of hands: they move and become free, stay, or move and stay bound"),
    flag("M_counts_starter", "HR-66, AMB-HR-22", "the starter begins a row of M's rule"),
    flag("M_reset_on_reshuffle", "HR-66, AMB-HR-22", "a reshuffle ends the row"),
    choice("joker_stack", _JOKER_STACK, "HR-28, AMB-HR-25", "k Jokers multiply the other cards by 2^k, by 1 + k, or by 2"),
    choice("scoring", ("points", "chips"), "HR-34", "points up to 100, or 100 chips each"),
    flag("end_on_negative", "HR-29, AMB-HR-27", "match: a total below 0 ends the game too"),
    choice("debt", ("credited", "capped"), "HR-36, AMB-HR-29",
            "a loss that chips do not cover is paid in full and leaves a debt, or as far as chips go"),
    choice("blocked_hand", ("score_all", "redeal"), "HR-18, AMB-HR-50",
            "after a circle of turns without draw and discard everyone scores the own cards (in chips nobody pays), or the same "
            "dealer deals again"),
    choice("house_policy", _HOUSE_POLICY, "HR-69, AMB-HR-38", "how the House decides about collaboration when the vote is tied"),
    choice("illegal", ("error", "fumble"), "HR-71",
            "an illegal play of a card of one's own hand in one's turn is refused, or is a fumble"),
    Option("forget_prob", "a number from 0 to 1", "chance that a due announcement is forgotten", _Probability(), "HR-24"),
    Option("drop_prob", "a number from 0 to 1", "chance, before each turn, of dropping a random card of the hand (a fumble)",
           _Probability(), "HR-71"),
    Option("first_dealer", "'cut', 'random' or a seat", "who deals the first hand; cut: the lowest of a card cut by each",
           seat_or("cut", "random"), "HR-1"),
)  # fmt: skip

DEFAULTS: dict[str, Any] = {
    "decks": 1,
    "jokers": 2,
    "extra_cards": (),
    "deal_choice": True,
    "mojo_seats": (),
    "starter_wild": "dealer_names",
    "starter_effects": "all",
    "play_after_draw": "any",
    "one_card": "action",
    "one_card_race": "callers_first",
    "stack_twos": False,
    "last_card_effects": False,
    "joker_response": _ANSWERED,
    "joker_on_joker": "revive",
    "king_joker": "old_next",
    "plucker_sees": False,
    "jh_duration": "until_own_next_turn",
    "swap_penalty": "travel_free",
    "M_counts_starter": True,
    "M_reset_on_reshuffle": True,
    "joker_stack": "multiply",
    "scoring": "points",
    "end_on_negative": True,
    "debt": "credited",
    "blocked_hand": "score_all",
    "house_policy": "not_guilty",
    "illegal": "error",
    "forget_prob": 0.0,
    "drop_prob": 0.0,
    "first_dealer": "cut",
}

PRESETS: dict[str, dict[str, Any]] = {
    "house_rules_2008": DEFAULTS,
    "house_rules_chips": DEFAULTS | {"scoring": "chips"},
}
"""The presets (OPTIONS.md part 3)."""


def pack_of(setting: Setting) -> list[int]:
    """All cards by id, in canonical order (HR-7)."""
    o = setting.options
    one = list(range(52 + o["jokers"]))
    return one * o["decks"] + [card_id(text) for text in o["extra_cards"]]


def double(setting: Setting) -> bool:
    """Whether the pack holds a face twice."""
    pack = pack_of(setting)
    return len(set(pack)) < len(pack)


def check(setting: Setting) -> None:
    """Refuse combinations that cannot be played, or in which an option cannot matter (OPTIONS.md 2.2)."""
    o, n = setting.options, setting.num_players

    def need(option: str, fulfilled: bool, what: str) -> None:
        if o[option] != DEFAULTS[option] and not fulfilled:
            raise ValueError(f"{option}={o[option]!r} needs {what}")

    for option in ("extra_cards", "mojo_seats", "joker_response"):
        if len(set(o[option])) < len(o[option]):
            raise ValueError(f"{option} names something twice: each may be in it once, not {o[option]!r}")
    if n > 6 and o["decks"] == 1:
        raise ValueError(f"{n} players need decks=2: one pack is for 2 to 6")
    need("extra_cards", o["decks"] == 1, "decks=1: decks=2 has all of the second pack")
    need("king_joker", n > 2, "num_players from 3 on")
    need("plucker_sees", n == 2, "num_players=2")
    jokers = sum(card >= 52 for card in pack_of(setting))
    for option in ("joker_stack", "joker_on_joker", "joker_response", "king_joker"):
        need(option, jokers > 0, "a Joker in the pack: jokers from 1 on")
    for option in ("one_card_race", "forget_prob"):
        need(option, o["one_card"] != "off", "one_card='action' or 'auto', not 'off'")
    need("debt", o["scoring"] == "chips", "scoring='chips', not 'points'")
    need("end_on_negative", o["scoring"] == "points", "scoring='points', not 'chips'")
    buried = sum(card >> 2 == state.EIGHT for card in pack_of(setting)) if o["starter_wild"] == "bury" else 0
    usable, needed = len(pack_of(setting)) - jokers - buried, 8 * n + 1
    if usable < needed:
        raise ValueError(
            f"{n} players need {needed} cards besides the Jokers{' and the eights that are buried' if buried else ''} and the deck "
            f"has {usable}: take fewer players or more cards"
        )


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the part of a rules record that is House Rules' own."""
    o = setting.options
    pack = pack_of(setting)
    r.pack[: len(pack)] = pack
    r.pack_n = len(pack)
    r.double = double(setting)
    r.deal_choice = o["deal_choice"]
    r.mojo = sum(1 << seat for seat in o["mojo_seats"])
    r.starter_wild = _STARTER_WILD.index(o["starter_wild"])
    r.starter_effects = _STARTER_EFFECTS.index(o["starter_effects"])
    r.play_after_draw = _AFTER_DRAW.index(o["play_after_draw"])
    r.one_card = _ONE_CARD.index(o["one_card"])
    r.race = _RACE.index(o["one_card_race"])
    r.stack_twos = o["stack_twos"]
    r.last_card_effects = o["last_card_effects"]
    r.answerable = sum(1 << _ANSWERED.index(name) + 1 for name in o["joker_response"])
    r.joker_forbidden = o["joker_on_joker"] == "forbidden"
    r.joker_skips_two = o["joker_on_joker"] == "skip_two"
    r.king_joker = _KING_JOKER.index(o["king_joker"])
    r.plucker_sees = o["plucker_sees"]
    r.jh_duration = _DURATION.index(o["jh_duration"])
    r.swap_penalty = _SWAP_PENALTY.index(o["swap_penalty"])
    r.ms_counts_starter = o["M_counts_starter"]
    r.ms_resets = o["M_reset_on_reshuffle"]
    r.joker_stack = _JOKER_STACK.index(o["joker_stack"])
    r.chips = o["scoring"] == "chips"
    r.end_on_negative = o["end_on_negative"] and not r.chips
    r.capped = o["debt"] == "capped"
    r.redeal = o["blocked_hand"] == "redeal"
    r.house_policy = _HOUSE_POLICY.index(o["house_policy"])
    r.fumbles = o["illegal"] == "fumble"
    r.forget_prob = o["forget_prob"]
    r.drop_prob = o["drop_prob"]
    r.random_dealer = o["first_dealer"] == "random"
    r.first_dealer = o["first_dealer"] if isinstance(o["first_dealer"], int) else -1
    r.score_bins[:] = view.CHIP_BINS if r.chips else view.POINT_BINS
