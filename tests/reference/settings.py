"""The tables of options of the variants, and random settings drawn from them; nothing here asks the package.

``DEFAULTS`` are the columns of defaults, ``PRESETS`` the presets; ``REFUSED`` (the eights family) and ``EIGHT_BALL_REFUSED`` are
the combinations that are refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

RANKS = "23456789TJQKA"
SUITS = "CDHS"
STANDARD = tuple(rank + suit for rank in RANKS for suit in SUITS)
MINI = ("7C", "7D", "8C", "8D", "9C", "9D")
EIGHT_BALL_PACK = (*(rank + suit for rank in "TJQKA" for suit in SUITS), "8C")
VARIANTS = ("eights_v0", "crazy_eights_v0")
"""The eights family: one kernel with two columns of defaults."""

EIGHTS: dict[str, Any] = {
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
CRAZY_EIGHTS: dict[str, Any] = EIGHTS | {
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
EIGHT_BALL: dict[str, Any] = {
    "target": 30,
    "auction": "single",
    "eight_auction": "continuous",
    "auction2": "single",
    "pass_is_final": True,
    "partner_overbid": True,
    "suit_order": None,
    "flip_disposition": "final_contract",
    "turned_suit_biddable": True,
    "eight_flip_all_pass": "turn_down",
    "alone_requires": "opponent_5",
    "alone_leader": "left_of_dealer",
    "six_bid_when": "eight_flip_only",
    "six_shortfall_base": 5,
    "b2_suit_rule": "any",
    "third_flip_min": 2,
    "third_flip_other_min": 3,
    "b2_hidden": "all",
    "passout": "bot_lead_is_trump",
    "bot_policy": "top_card",
    "bot_lead_next": "nondealer",
    "eight_suit": "trump",
    "eight_forced_on_trump_lead": True,
    "left_bower_follows": "trump",
    "set_penalty": "4_plus_missed",
    "both_reach": "bidder",
    "tie_at_target": "play_on",
    "first_dealer": "first_jack",
}
DEFAULTS = {"eights_v0": EIGHTS, "crazy_eights_v0": CRAZY_EIGHTS, "eight_ball_v0": EIGHT_BALL}

PRESETS: dict[str, dict[str, Any]] = {
    "russian_eights": EIGHTS,
    "italian_eights": CRAZY_EIGHTS,
    "hoyle_eights": EIGHTS | {"target": 100},
    "eights_draw_one": EIGHTS | {"draw_limit": 1},
    "crazy_eights_specials": EIGHTS
    | {
        "effects": {"2": "draw 2 stack", "Q": "skip", "A": "reverse"},
        "starter_effects": "all",
        "voluntary_draw": "none",
        "stock_end": "reshuffle",
    },
    "mini": EIGHTS
    | {
        "pack": "mini",
        "hand_size": 2,
        "starter_wild": "printed_suit",
        "card_values": "count",
        "first_dealer": "random",
    },
}
"""Every preset but ``openspiel``; each may be asked of either environment."""

OPENSPIEL_PARAMETERS: dict[str, Any] = {"max_draw_cards": 5, "max_plays": 100, "use_special_cards": False, "reshuffle": False}
OPENSPIEL: dict[str, Any] = CRAZY_EIGHTS | {
    "decks": "auto",
    "hand_size": "auto",
    "bury": "random",
    "draw_mode": "optional",
    "voluntary_draw": "unlimited",
    "stock_end": "pass_then_block",
    "card_values": "openspiel_doc",
}

COMMON: dict[str, Any] = {"num_players": 4, "match": False, "reward": "score", "auto_forced": False, "max_decisions": None}


def complete(variant: str, given: dict[str, Any]) -> dict[str, Any]:
    """Every option of the setting that these keyword arguments ask for."""
    rules = given.get("rules")
    if rules == "openspiel":
        o = COMMON | OPENSPIEL | OPENSPIEL_PARAMETERS | given
        o["draw_limit"] = o["max_draw_cards"]
        if o["use_special_cards"]:
            o |= {"effects": {"Q": "skip", "A": "reverse", "2": "draw 2 stack"}, "starter_effects": "all"}
        if o["reshuffle"]:
            o["stock_end"] = "reshuffle"
        return o
    return COMMON | (PRESETS[rules] if rules else DEFAULTS[variant]) | given


def hand_size(o: dict[str, Any]) -> int:
    size = o.get("hand_size", 5)
    return size if size != "auto" else 7 if o["num_players"] == 2 else 5


def decks(o: dict[str, Any]) -> int:
    packs = o.get("decks", 1)
    return packs if packs != "auto" else 2 if o["num_players"] >= 6 else 1


def pack(o: dict[str, Any]) -> tuple[str, ...]:
    """All cards of the setting."""
    return (MINI if o.get("pack") == "mini" else STANDARD) * decks(o)


def fits(o: dict[str, Any]) -> bool:
    """Whether the deal has cards enough: those dealt, and a starter that is always found, or one and a stock of one."""
    cards = pack(o)
    wild = sum(card[0] == o["wild_rank"] for card in cards)
    needed = [o["num_players"] * hand_size(o) + 2]
    if o["starter_wild"] == "bury":
        needed.append(o["num_players"] * hand_size(o) + 1 + wild)
    return max(needed) <= len(cards)


def good_effects(o: dict[str, Any]) -> bool:
    """Whether every key is a rank or a card of the pack other than wild, and every value an effect."""
    keys = {*(card[0] for card in pack(o)), *pack(o)}
    values = {"skip", "reverse", *(f"draw {n}{tail}" for n in range(1, 11) for tail in ("", " stack"))}
    return all(key in keys and key[0] != o["wild_rank"] and value in values for key, value in o["effects"].items())


class Refused(NamedTuple):
    """A combination that is refused: what it is called, when it is met, and which options at their defaults avoid it."""

    name: str
    met: Callable[[dict[str, Any]], bool]
    avoid: tuple[str, ...]


def _mini_misfit(o: dict[str, Any]) -> bool:
    misfit = o["num_players"] != 2 or o["decks"] == 2 or o["wild_rank"] not in "789"
    return misfit or o["cut_as_action"] or o["first_dealer"] == "first_spade"


REFUSED = (
    Refused("pack='mini' with what it has no cards for", lambda o: o["pack"] == "mini" and _mini_misfit(o), ("pack",)),
    Refused("partnership without four players", lambda o: o["partnership"] and o["num_players"] != 4, ("partnership",)),
    Refused(
        "partnership with another score_mode",
        lambda o: o["partnership"] and o["score_mode"] != "collect_high_wins",
        ("partnership",),
    ),
    Refused("partnership with play_on", lambda o: o["partnership"] and o["play_on"], ("play_on",)),
    Refused(
        "partner_payment without partnership",
        lambda o: o["partner_payment"] != "side_total" and not o["partnership"],
        ("partner_payment",),
    ),
    Refused("play_on with two players", lambda o: o["play_on"] and o["num_players"] == 2, ("play_on",)),
    Refused(
        "holdback without a stock that ends in a circle of passes",
        lambda o: o["holdback"] and (o["stock_end"], o["block"], o["draw_mode"]) != ("pass_then_block", "circle", "until_playable"),
        ("holdback",),
    ),
    Refused(
        "block='immediate' without a block",
        lambda o: o["block"] == "immediate" and o["stock_end"] not in ("pass_then_block", "reshuffle"),
        ("block",),
    ),
    Refused("bury without burying", lambda o: o["bury"] != "middle" and o["starter_wild"] != "bury", ("bury",)),
    Refused("starter_effects without effects", lambda o: o["starter_effects"] != "none" and not o["effects"], ("starter_effects",)),
    Refused(
        "draw_mode='optional' with a voluntary_draw or play_after_draw that contradicts it",
        lambda o: o["draw_mode"] == "optional" and (o["voluntary_draw"], o["play_after_draw"]) != ("unlimited", "any"),
        ("draw_mode",),
    ),
    Refused(
        "play_after_draw='none' without draw_limit=1",
        lambda o: o["play_after_draw"] == "none" and o["draw_limit"] != 1,
        ("play_after_draw",),
    ),
    Refused(
        "another wild_rank with a table of values that knows the eight",
        lambda o: o["wild_rank"] != "8" and o["card_values"] in ("openspiel", "openspiel_doc"),
        ("card_values",),
    ),
    Refused("rounds and target", lambda o: (o["rounds"] is None) == (o["target"] is None), ("rounds", "target")),
    Refused("effects that are none", lambda o: not good_effects(o), ("effects",)),
    Refused("a deal that does not fit", lambda o: not fits(o), ("hand_size", "decks")),
)


BAD_VALUES: dict[str, list[Any]] = {
    "pack": ["euchre", None, 52],
    "partnership": ["yes", 1, None],
    "partner_payment": ["all", None, 0.5],
    "cut_as_action": ["yes", 1, None],
    "effects": [None, "skip"],
    "starter_effects": ["some", None, True],
    "draw_mode": ["always", None],
    "holdback": ["yes", 1, None],
    "block": ["never", None],
    "play_on": ["yes", 1, None],
    "card_values": ["official", None, {}],
    "excess_to": ["top", None, "middle"],
}
"""Values that are refused, for the options that are new with ``eights_v0``."""


EIGHT_BALL_VALUES: dict[str, tuple[set[int], tuple[Any, ...]]] = {
    "target": ({2, 3, 4}, (30, 1, 2, 3, 5, 12)),
    "auction": ({3, 4}, ("single", "continuous")),
    "eight_auction": ({3, 4}, ("continuous", "single")),
    "auction2": ({3, 4}, ("single", "first_bid_ends")),
    "pass_is_final": ({3, 4}, (True, False)),
    "partner_overbid": ({4}, (True, False)),
    "suit_order": ({2, 3, 4}, (None, "CDHS", "SHDC", "HCSD")),
    "flip_disposition": ({3, 4}, ("final_contract", "immediate")),
    "turned_suit_biddable": ({4}, (True, False)),
    "eight_flip_all_pass": ({2, 3, 4}, ("turn_down", "dealer_forced", "redeal")),
    "alone_requires": ({4}, ("opponent_5", "any_5", "none")),
    "alone_leader": ({4}, ("left_of_dealer", "bidder", "left_of_bidder")),
    "six_bid_when": ({2, 3}, ("eight_flip_only", "any_flip")),
    "six_shortfall_base": ({2, 3}, (5, 6)),
    "b2_suit_rule": ({2}, ("any", "as_three_handed", "flip_only")),
    "third_flip_min": ({2}, (2, 3)),
    "third_flip_other_min": ({2}, (2, 3, 4)),
    "b2_hidden": ({2}, ("all", "choose", "none")),
    "passout": ({2}, ("bot_lead_is_trump", "redeal")),
    "bot_policy": ({2}, ("top_card", "follow_if_able")),
    "bot_lead_next": ({2}, ("nondealer", "left_of_bot")),
    "eight_suit": ({2, 3, 4}, ("trump", "club_and_trump")),
    "eight_forced_on_trump_lead": ({2, 3, 4}, (True, False)),
    "left_bower_follows": ({2, 3, 4}, ("trump", "printed_suit")),
    "set_penalty": ({2, 3, 4}, ("4_plus_missed", "4_covers_first", "4_plus_bid")),
    "both_reach": ({4}, ("bidder", "higher", "play_on")),
    "tie_at_target": ({2, 3}, ("play_on", "share")),
    "first_dealer": ({2, 3, 4}, ("first_jack", "random", 0, 1)),
}
"""8-ball: by option, for which numbers of players it is, and its values (of ``target`` and ``suit_order`` some)."""


def _for_other_numbers(option: str) -> Refused:
    players = EIGHT_BALL_VALUES[option][0]
    numbers = " or ".join(map(str, sorted(players)))
    return Refused(
        f"{option} with other than {numbers} players",
        lambda o: o["num_players"] not in players and o[option] != EIGHT_BALL[option],
        (option,),
    )


EIGHT_BALL_REFUSED = (
    *(_for_other_numbers(option) for option in EIGHT_BALL_VALUES),
    Refused(
        "eight_flip_all_pass='redeal' without four players",
        lambda o: o["eight_flip_all_pass"] == "redeal" and o["num_players"] != 4,
        ("eight_flip_all_pass",),
    ),
    Refused(
        "third_flip_other_min without as_three_handed",
        lambda o: o["third_flip_other_min"] != 3 and o["b2_suit_rule"] != "as_three_handed",
        ("third_flip_other_min",),
    ),
    Refused(
        "third_flip_other_min below third_flip_min",
        lambda o: o["third_flip_other_min"] < o["third_flip_min"],
        ("third_flip_other_min",),
    ),
    Refused(
        "pass_is_final=False without a continuous auction",
        lambda o: not o["pass_is_final"] and o["auction"] == o["eight_auction"] == "single",
        ("pass_is_final",),
    ),
)


def refused_by(variant: str) -> tuple[Refused, ...]:
    """The combinations that a variant refuses."""
    return EIGHT_BALL_REFUSED if variant == "eight_ball_v0" else REFUSED


def refusals(variant: str, given: dict[str, Any]) -> list[str]:
    """The names of the combinations of a setting that are refused; empty when it can be played."""
    o = complete(variant, given)
    return [refused.name for refused in refused_by(variant) if refused.met(o)]


def random_effects(rng: random.Random, ranks: str = RANKS, suits: str = SUITS) -> dict[str, str]:
    """A few ranks and cards with effects; often those of the preset."""
    if rng.random() < 0.3:
        return dict(PRESETS["crazy_eights_specials"]["effects"])
    values = ["skip", "skip", "reverse", "reverse", *(f"draw {n}" for n in (1, 2, 3, 10)), *(f"draw {n} stack" for n in (1, 2, 5))]
    keys = [rng.choice(ranks) + rng.choice(["", "", rng.choice(suits)]) for _ in range(rng.choice([1, 2, 4, 10]))]
    return {key: rng.choice(values) for key in keys}


def random_options(rng: random.Random) -> dict[str, Any]:
    """Keyword arguments drawn from all values of all options, each by itself: the setting may be one that is refused."""
    mini = rng.random() < 0.06
    o: dict[str, Any] = {
        "num_players": 2 if mini else rng.randint(2, 8),
        "match": rng.random() < 0.4,
        "reward": rng.choice(["score", "score", "win"]),
        "auto_forced": False,
        "max_decisions": rng.choice([None, None, rng.randint(1, 300)]),
        "pack": "mini" if mini else "standard",
        "decks": rng.choice(["auto", 1, 1 if mini else 2]),
        "hand_size": rng.randint(1, 2) if mini else rng.choice(["auto", 5, rng.randint(1, 13)]),
        "partnership": rng.random() < 0.4,
        "partner_payment": rng.choice(["side_total", "half"]),
        "cut_as_action": rng.random() < 0.2,
        "wild_rank": rng.choice("789" if mini else ["8", "8", rng.choice(RANKS)]),
        "starter_wild": rng.choice(["bury", "bury", "printed_suit", "first_player_names", "dealer_names"]),
        "bury": rng.choice(["middle", "random", "bottom", "reshuffle"]),
        "match_rule": rng.choice(["either", "either", "both"]),
        "effects": rng.choice([{}, random_effects(rng, *(("789", "CD") if mini else (RANKS, SUITS)))]),
        "starter_effects": rng.choice(["none", "all"]),
        "draw_mode": rng.choice(["until_playable", "until_playable", "optional"]),
        "draw_limit": rng.choice([None, 3, 1, 2, rng.randint(1, 52)]),
        "voluntary_draw": rng.choice(["unlimited", "unlimited", "one", "none"]),
        "play_after_draw": rng.choice(["any", "any", "drawn_only", "none"]),
        "holdback": rng.random() < 0.4,
        "stock_end": rng.choice(["pass_then_block", "pass_then_block", "reshuffle", "end_of_turn", "immediate", "on_failed_draw"]),
        "block": rng.choice(["circle", "circle", "immediate"]),
        "play_on": rng.random() < 0.4,
        "card_values": rng.choice(["hoyle", "openspiel_doc", "openspiel", "count"]),
        "score_mode": rng.choice(["collect_high_wins", "collect_high_wins", "collect_low_wins", "penalty"]),
        "stock_end_payment": rng.choice(["difference", "none"]),
        "target": None,
        "rounds": rng.choice([1, 2, 3, 5]),
        "final_tie": rng.choice(["share", "extra_round"]),
        "excess_to": rng.choice(["random", "bottom"]),
        "first_dealer": rng.choice(["random", "random", "first_spade", 0, 1]),
        "deal_rotation": rng.choice(["left", "winner", "loser", "random"]),
    }
    if rng.random() < 0.3:
        o |= {"rounds": None, "target": rng.choice(["auto", 1, 60])}
    if rng.random() < 0.15:
        o |= {"num_players": 4, "partnership": True, "score_mode": "collect_high_wins"}
    if rng.random() < 0.15:
        o |= {"holdback": True, "stock_end": "pass_then_block", "block": "circle", "draw_mode": "until_playable"}
    if rng.random() < 0.3:
        # Where the stock runs out at the first turns much more happens on an empty one.
        o["hand_size"] = 2 if mini else (len(pack(o)) - rng.randint(2, 9)) // o["num_players"]
        o["hand_size"] = max(1, min(13, o["hand_size"]))
    return o


def random_eight_ball(rng: random.Random) -> dict[str, Any]:
    """The same for ``eight_ball_v0``."""
    o: dict[str, Any] = {
        "num_players": rng.randint(2, 4),
        "match": rng.random() < 0.5,
        "reward": rng.choice(["score", "score", "win"]),
        "auto_forced": False,
        "max_decisions": rng.choice([None, None, rng.randint(1, 300)]),
    }
    return o | {option: rng.choice(values) for option, (_, values) in EIGHT_BALL_VALUES.items()}


def random_setting(rng: random.Random, variant: str = "crazy_eights_v0", **fixed: Any) -> dict[str, Any]:
    """Keyword arguments of one valid setting; ``fixed`` ones stay as they are, refused values of others go back to the default."""
    while True:
        o = (random_eight_ball(rng) if variant == "eight_ball_v0" else random_options(rng)) | fixed
        if o.get("play_after_draw") == "none" and "draw_limit" not in fixed:
            o["draw_limit"] = 1
        for refused in refused_by(variant):
            if refused.met(o):
                o |= {name: DEFAULTS[variant][name] for name in refused.avoid if name not in fixed}
        if not refusals(variant, o):
            return o


def random_openspiel(rng: random.Random) -> dict[str, Any]:
    """Keyword arguments of ``crazy_eights_v0`` with the preset ``openspiel``."""
    return {
        "rules": "openspiel",
        "num_players": rng.randint(2, 8),
        "reward": rng.choice(["score", "win"]),
        "max_decisions": rng.choice([None, None, rng.randint(1, 200)]),
        "max_draw_cards": rng.choice([5, 1, rng.randint(1, 52)]),
        "max_plays": rng.choice([100, 1, rng.randint(1, 1000)]),
        "use_special_cards": rng.random() < 0.6,
        "reshuffle": rng.random() < 0.5,
        "card_values": rng.choice(["openspiel_doc", "openspiel"]),
    }
