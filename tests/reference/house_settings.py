"""The table of options of House Rules, what is refused, and random settings; nothing here asks the package."""

from __future__ import annotations

import random
from typing import Any

from reference.settings import COMMON, STANDARD, Refused

VARIANT = "house_eights_v0"
ANSWERED = ("A", "2", "JC", "JS", "JH", "QH")

CHOICES: dict[str, tuple[Any, ...]] = {
    "decks": (1, 2),
    "jokers": (2, 0, 1),
    "deal_choice": (True, False),
    "starter_wild": ("dealer_names", "first_player_names", "printed_suit", "bury"),
    "starter_effects": ("all", "none", "twos_only"),
    "play_after_draw": ("any", "drawn_only", "none"),
    "one_card": ("action", "auto", "off"),
    "one_card_race": ("callers_first", "owner_first", "random"),
    "stack_twos": (False, True),
    "last_card_effects": (False, True),
    "joker_on_joker": ("revive", "forbidden", "skip_two"),
    "king_joker": ("old_next", "both", "new_next"),
    "plucker_sees": (False, True),
    "jh_duration": ("until_own_next_turn", "through_own_next_turn", "until_players_turn", "n_slots"),
    "swap_penalty": ("travel_free", "stay", "travel_restricted"),
    "M_counts_starter": (True, False),
    "M_reset_on_reshuffle": (True, False),
    "joker_stack": ("multiply", "add", "once"),
    "scoring": ("points", "chips"),
    "end_on_negative": (True, False),
    "debt": ("credited", "capped"),
    "blocked_hand": ("score_all", "redeal"),
    "house_policy": ("not_guilty", "guilty", "random"),
    "illegal": ("error", "fumble"),
}
"""The options with a few values each, the default first."""

DEFAULTS: dict[str, Any] = {name: values[0] for name, values in CHOICES.items()} | {
    "extra_cards": (),
    "mojo_seats": (),
    "joker_response": ANSWERED,
    "forget_prob": 0,
    "drop_prob": 0,
    "first_dealer": "cut",
}

PRESETS: dict[str, dict[str, Any]] = {"house_rules_2008": {}, "house_rules_chips": {"scoring": "chips"}}


def complete(given: dict[str, Any]) -> dict[str, Any]:
    """Every option of the setting that these keyword arguments ask for."""
    return COMMON | DEFAULTS | PRESETS[given.get("rules") or "house_rules_2008"] | given


def pack(o: dict[str, Any]) -> list[str]:
    """All cards of the setting."""
    one = [*STANDARD, *("X1", "X2")[: o["jokers"]]]
    return [*(one * o["decks"]), *o["extra_cards"]]


def has_jokers(o: dict[str, Any]) -> bool:
    return any(card[0] == "X" for card in pack(o))


def fits(o: dict[str, Any]) -> bool:
    """Whether eight cards for everybody and a starter are there, whatever lies where."""
    starters = [card for card in pack(o) if card[0] != "X" and not (card[0] == "8" and o["starter_wild"] == "bury")]
    return len(starters) >= o["num_players"] * 8 + 1


def changed(o: dict[str, Any], *names: str) -> bool:
    return any(o[name] != DEFAULTS[name] for name in names)


JOKER_OPTIONS = ("joker_stack", "joker_on_joker", "joker_response", "king_joker")

REFUSED = (
    Refused("extra_cards with two packs", lambda o: bool(o["extra_cards"]) and o["decks"] == 2, ("extra_cards",)),
    Refused("an extra card twice", lambda o: len(set(o["extra_cards"])) < len(o["extra_cards"]), ("extra_cards",)),
    Refused("more than six players with one pack", lambda o: o["num_players"] > 6 and o["decks"] == 1, ("num_players",)),
    Refused("a pack that is too small", lambda o: not fits(o), ("starter_wild", "num_players")),
    Refused(
        "mojo_seats that are no seats, or twice",
        lambda o: (
            len(set(o["mojo_seats"])) < len(o["mojo_seats"]) or any(not 0 <= seat < o["num_players"] for seat in o["mojo_seats"])
        ),
        ("mojo_seats",),
    ),
    Refused("king_joker with two players", lambda o: o["num_players"] == 2 and changed(o, "king_joker"), ("king_joker",)),
    Refused("plucker_sees with more than two", lambda o: o["num_players"] > 2 and o["plucker_sees"], ("plucker_sees",)),
    *(
        Refused(f"{name} without Jokers", lambda o, name=name: not has_jokers(o) and changed(o, name), (name,))
        for name in JOKER_OPTIONS
    ),
    *(
        Refused(f"{name} with one_card='off'", lambda o, name=name: o["one_card"] == "off" and changed(o, name), (name,))
        for name in ("one_card_race", "forget_prob")
    ),
    Refused("debt with points", lambda o: o["scoring"] == "points" and changed(o, "debt"), ("debt",)),
    Refused(
        "end_on_negative with chips", lambda o: o["scoring"] == "chips" and changed(o, "end_on_negative"), ("end_on_negative",)
    ),
)

BAD_VALUES: dict[str, list[Any]] = {
    "decks": [0, 3, "auto", True, None],
    "jokers": [-1, 3, "2", True, None],
    "extra_cards": [("1C",), ("XX",), (5,), 3, "QQ", None],
    "deal_choice": ["yes", 1, None],
    "mojo_seats": [("0",), (True,), 1, None, (0.5,)],
    "starter_wild": ["burn", None, True],
    "starter_effects": ["some", None, True],
    "play_after_draw": ["all", None],
    "one_card": ["on", None, True],
    "one_card_race": ["coin", None],
    "stack_twos": ["yes", 1, None],
    "last_card_effects": ["yes", 1, None],
    "joker_response": [("K",), ("A", "3"), ("JD",), "all", 3, None],
    "joker_on_joker": ["allowed", None, True],
    "king_joker": ["next", None],
    "plucker_sees": ["yes", 1, None],
    "jh_duration": ["for_ever", None, 4],
    "swap_penalty": ["lost", None],
    "M_counts_starter": ["yes", 1, None],
    "M_reset_on_reshuffle": ["yes", 1, None],
    "joker_stack": ["square", None, 2],
    "scoring": ["money", None],
    "end_on_negative": ["yes", 1, None],
    "debt": ["paid", None],
    "blocked_hand": ["draw", None],
    "house_policy": ["maybe", None, 0.5],
    "illegal": ["repair", None],
    "forget_prob": [-0.1, 1.5, "0.5", None, True],
    "drop_prob": [-0.1, 1.01, float("nan"), "0", None, True],
    "first_dealer": ["first_spade", "first_jack", 12, -1, None],
}
"""Values that are refused, whatever the rest."""


def refusals(given: dict[str, Any]) -> list[str]:
    """The names of the combinations of a setting that are refused; empty when it can be played."""
    o = complete(given)
    return [refused.name for refused in REFUSED if refused.met(o)]


def random_options(rng: random.Random) -> dict[str, Any]:
    """Keyword arguments drawn from all values of all options, each by itself: the setting may be one that is refused."""
    decks = rng.choice([1, 1, 1, 2])
    n = rng.choice([2, 2, 3, 4, 5, 6] if decks == 1 or rng.random() < 0.5 else [7, 8, 9, 10, 11, 12])
    o: dict[str, Any] = {name: rng.choice([values[0], rng.choice(values)]) for name, values in CHOICES.items()}
    return o | {
        "num_players": n,
        "match": rng.random() < 0.4,
        "reward": rng.choice(["score", "score", "win"]),
        "max_decisions": rng.choice([None, None, rng.randint(1, 300)]),
        "decks": decks,
        "extra_cards": rng.choice([(), (), tuple(rng.sample(STANDARD, rng.randint(1, 20)))]),
        "mojo_seats": rng.choice([(), (), tuple(rng.sample(range(n), rng.randint(1, n)))]),
        "joker_response": rng.choice([ANSWERED, ANSWERED, tuple(rng.sample(ANSWERED, rng.randint(0, 5)))]),
        "forget_prob": rng.choice([0, 0, 0.5, rng.random(), 1]),
        "drop_prob": rng.choice([0, 0, 0, 0.1, 1]),
        "first_dealer": rng.choice(["cut", "cut", "random", rng.randrange(n)]),
    }


def random_setting(rng: random.Random, **fixed: Any) -> dict[str, Any]:
    """Keyword arguments of one valid setting; ``fixed`` ones stay as they are, refused values of others go back to the default."""
    while True:
        o = random_options(rng) | fixed
        for refused in REFUSED:
            if refused.met(o):
                o |= {name: DEFAULTS[name] for name in refused.avoid if name not in fixed and name in DEFAULTS}
        if not refusals(o):
            return o
