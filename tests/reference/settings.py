"""Random settings of the eights family that exist, drawn from the tables of options; nothing here asks the package."""

from __future__ import annotations

import random
from typing import Any


def hand_size(options: dict[str, Any]) -> int:
    size = options.get("hand_size", 5)
    return size if size != "auto" else 7 if options["num_players"] == 2 else 5


def decks(options: dict[str, Any]) -> int:
    packs = options.get("decks", 1)
    return packs if packs != "auto" else 2 if options["num_players"] >= 6 else 1


def fits(options: dict[str, Any]) -> bool:
    """Whether the deal has cards enough: those dealt, and a starter that is always found, or one and a stock of one."""
    spare = 1 + 4 * decks(options) if options.get("starter_wild", "bury") == "bury" else 2
    return options["num_players"] * hand_size(options) + spare <= 52 * decks(options)


def random_setting(rng: random.Random, **fixed: Any) -> dict[str, Any]:
    """Keyword arguments of one valid setting of ``crazy_eights_v0``; ``fixed`` ones stay as they are."""
    while True:
        o: dict[str, Any] = {
            "num_players": rng.randint(2, 8),
            "match": rng.random() < 0.4,
            "reward": rng.choice(["score", "score", "win"]),
            "auto_forced": False,
            "max_decisions": rng.choice([None, None, rng.randint(1, 300)]),
            "decks": rng.choice(["auto", 1, 2]),
            "hand_size": rng.choice(["auto", 5, rng.randint(1, 13)]),
            "wild_rank": rng.choice(["8", "8", rng.choice("23456789TJQKA")]),
            "starter_wild": rng.choice(["bury", "bury", "printed_suit", "first_player_names", "dealer_names"]),
            "bury": rng.choice(["middle", "random", "bottom", "reshuffle"]),
            "match_rule": rng.choice(["either", "either", "both"]),
            "draw_limit": rng.choice([None, 3, 1, 2, rng.randint(1, 52)]),
            "voluntary_draw": rng.choice(["unlimited", "one", "none"]),
            "play_after_draw": rng.choice(["any", "any", "drawn_only", "none"]),
            "stock_end": rng.choice(["pass_then_block", "reshuffle", "end_of_turn", "immediate", "on_failed_draw"]),
            "score_mode": rng.choice(["collect_high_wins", "collect_low_wins", "penalty"]),
            "stock_end_payment": rng.choice(["difference", "none"]),
            "target": None,
            "rounds": rng.choice([1, 2, 3, 5]),
            "final_tie": rng.choice(["share", "extra_round"]),
            "first_dealer": rng.choice(["random", "first_spade", 0, 1]),
            "deal_rotation": rng.choice(["left", "winner", "loser", "random"]),
        }
        if rng.random() < 0.3:
            o |= {"rounds": None, "target": rng.choice(["auto", 1, 60])}
        o |= fixed
        if o["starter_wild"] != "bury":
            o["bury"] = "middle"
        if o["play_after_draw"] == "none":
            o["draw_limit"] = 1
        if fits(o):
            return o
