"""The options of 8-ball: values, defaults, refusals, and their codes in the rules record."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import SUITS
from eightsenv.game import UNIT, Option, Setting, int_range, one_of, seat_or
from eightsenv.variants.eight_ball import state
from eightsenv.variants.eight_ball.trumps import follow_number
from eightsenv.variants.tables import choice, flag

_CALLS = ("single", "continuous")
_AUCTION2 = ("single", "first_bid_ends")
_FLIP_DISPOSITION = ("final_contract", "immediate")
_ALL_PASS = ("turn_down", "dealer_forced", "redeal")
_ALONE_REQUIRES = ("opponent_5", "any_5", "none")
_ALONE_LEADER = ("left_of_dealer", "bidder", "left_of_bidder")
_SIX_WHEN = ("eight_flip_only", "any_flip")
_SUIT_RULE = ("any", "as_three_handed", "flip_only")
_HIDDEN = ("all", "choose", "none")
_PASSOUT = ("bot_lead_is_trump", "redeal")
_BOT_POLICY = ("top_card", "follow_if_able")
_LEAD_NEXT = ("nondealer", "left_of_bot")
_PENALTY = ("4_plus_missed", "4_covers_first", "4_plus_bid")
_BOTH_REACH = ("bidder", "higher", "play_on")
_TIE = ("play_on", "share")

_NEVER = 7
"""Above every bid."""
SCORE_GAPS = (60, 45, 38, 30, 25, 20, 15, 12, 9, 6, 4, 2)
"""The thresholds of the score thermometers, in points below the target."""


class _SuitOrder:
    """A check: None, or the four suit letters, lowest first."""

    def __call__(self, value: Any, num_players: int) -> str | None:
        if value is None:
            return None
        letters = "".join(value) if isinstance(value, (list, tuple)) and all(isinstance(suit, str) for suit in value) else value
        if not isinstance(letters, str) or sorted(letters) != sorted(SUITS):
            raise ValueError
        return letters

    def samples(self, num_players: int) -> tuple[str | None, ...]:
        return (None, "CDHS", "SHDC", "DSCH")


OPTIONS = (
    Option("target", "an int from 1 to 10**9", "match: points that win", int_range(1, 10**9), "B4-3, B3-2, B2-2"),
    choice("auction", _CALLS, "B4-13, B3-6, AMB-B4-2, AMB-B3-8",
            "three and four players: one call each on an ordinary flip, or round and round"),
    choice("eight_auction", _CALLS, "B4-27, B3-16, AMB-B4-2", "three and four players: the same when 8C is turned up"),
    choice("auction2", _AUCTION2, "B4-20, B3-14, AMB-B4-19",
            "three and four players: in the open auction each may outbid, or the first bid has it"),
    flag("pass_is_final", "B4-27, B3-12, AMB-B4-3",
          "three and four players: who has passed stays out of this auction; else the auction ends when all others have passed "
          "since the last bid"),
    flag("partner_overbid", "B4-15, AMB-B4-4", "four players: the partner may be outbid"),
    Option("suit_order", "None or the four suit letters, lowest first, such as 'CDHS'",
           "an equal number in a higher suit outbids", _SuitOrder(), "B4-15, AMB-B4-5"),
    choice("flip_disposition", _FLIP_DISPOSITION, "B4-18, AMB-B4-17",
            "three and four players: the flip is dead by the final bid, or from the first bid in another suit"),
    flag("turned_suit_biddable", "B4-20, AMB-B4-18", "four players: the turned-down suit may be bid in the open auction"),
    choice("eight_flip_all_pass", _ALL_PASS, "B4-29, AMB-B4-20, AMB-B3-7",
            "all pass an 8C flip: it is turned down; the dealer may not pass; the cards are dealt again (four players)"),
    choice("alone_requires", _ALONE_REQUIRES, "B4-16, AMB-B4-8",
            "four players: what must stand before a bid to play alone: a five of an opponent, any five, nothing"),
    choice("alone_leader", _ALONE_LEADER, "B4-30, AMB-B4-7", "four players: who leads first when a bidder plays alone"),
    choice("six_bid_when", _SIX_WHEN, "B3-8, B2-10, AMB-B3-2, AMB-B2-15",
            "two and three players: six may be bid over another's five while 8C is turned up, or in every auction"),
    Option("six_shortfall_base", "5 or 6", "two and three players: the tricks that a failed six is short of", one_of(5, 6),
           "B3-23, AMB-B3-3"),
    choice("b2_suit_rule", _SUIT_RULE, "B2-8, AMB-B2-1",
            "two players: any suit may be bid; the flip's suit from three, others from four; the flip's suit alone"),
    Option("third_flip_min", "2 or 3", "two players: the lowest bid on the third flip", one_of(2, 3), "B2-14, AMB-B2-3"),
    Option("third_flip_other_min", "2, 3 or 4", "two players, as_three_handed: the lowest bid there in another suit",
           one_of(2, 3, 4), "AMB-B2-3"),
    choice("b2_hidden", _HIDDEN, "B2-12, AMB-B2-5",
            "two players: the player without the contract takes all cards not yet turned, as many as wanted, or none"),
    choice("passout", _PASSOUT, "B2-17, AMB-B2-7",
            "two players, three flips passed: the suit that the ghost leads is trump, or the cards are dealt again"),
    choice("bot_policy", _BOT_POLICY, "B2-20, AMB-B2-9",
            "two players: the ghost turns its top card, or its topmost card of the suit led if it has one"),
    choice("bot_lead_next", _LEAD_NEXT, "B2-22, AMB-B2-10",
            "two players: after a lead of the ghost the non-dealer plays second, or the dealer"),
    choice("eight_suit", ("trump", "club_and_trump"), "B4-9, AMB-B4-11", "8C is a trump only, or must follow a lead of clubs too"),
    flag("eight_forced_on_trump_lead", "B4-12, AMB-B4-12", "8C as the only trump must follow a lead of trump"),
    choice("left_bower_follows", ("trump", "printed_suit"), "B4-8, AMB-B4-15", "the suit of the left bower when following"),
    choice("set_penalty", _PENALTY, "B4-37, AMB-B4-22",
            "a contract set: 4 and 1 for each trick missing; 4, and 1 for each missing after the first; 4 and 1 for each bid"),
    choice("both_reach", _BOTH_REACH, "B4-39, AMB-B4-24",
            "match, four players: both sides reach the target together: the bidding side wins, the higher total wins, or play "
            "goes on until one side alone is there"),
    choice("tie_at_target", _TIE, "B3-25, B2-26, AMB-B3-10",
            "match, two and three players: equal best totals, the bidder not among them: play goes on, or the win is shared"),
    Option("first_dealer", "'first_jack', 'random' or a seat", "who deals the first hand",
           seat_or("first_jack", "random"), "B4-4, B3-3, B2-3"),
)  # fmt: skip

DEFAULTS: dict[str, Any] = {
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

_PLAYERS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("auction", "eight_auction", "auction2", "pass_is_final", "flip_disposition"), (3, 4)),
    **dict.fromkeys(("partner_overbid", "turned_suit_biddable", "alone_requires", "alone_leader", "both_reach"), (4,)),
    **dict.fromkeys(("six_bid_when", "six_shortfall_base", "tie_at_target"), (2, 3)),
    **dict.fromkeys(("b2_suit_rule", "third_flip_min", "third_flip_other_min", "b2_hidden"), (2,)),
    **dict.fromkeys(("passout", "bot_policy", "bot_lead_next"), (2,)),
}
"""The numbers of players that an option is for, where it is not for all (OPTIONS.md 2.3)."""


def check(setting: Setting) -> None:
    """Refuse what cannot be played (OPTIONS.md 2.3)."""
    n, options = setting.num_players, setting.options
    for name, players in _PLAYERS.items():
        if n not in players and options[name] != DEFAULTS[name]:
            allowed = " or ".join(map(str, players))
            raise ValueError(f"{name} is for {allowed} players: with {n} it is {DEFAULTS[name]!r}, not {options[name]!r}")
    if options["eight_flip_all_pass"] == "redeal" and n != 4:
        raise ValueError("eight_flip_all_pass='redeal' is for 4 players: with fewer it is 'turn_down' or 'dealer_forced'")
    other_min = options["third_flip_other_min"]
    if other_min != DEFAULTS["third_flip_other_min"] and options["b2_suit_rule"] != "as_three_handed":
        raise ValueError("third_flip_other_min needs b2_suit_rule='as_three_handed'")
    if options["b2_suit_rule"] == "as_three_handed" and other_min < options["third_flip_min"]:
        raise ValueError(f"third_flip_other_min is at least third_flip_min, not {other_min} with {options['third_flip_min']}")
    if not options["pass_is_final"] and options["auction"] == options["eight_auction"] == "single":
        raise ValueError("pass_is_final=False needs an auction that goes round: auction or eight_auction 'continuous'")


def sides(setting: Setting) -> tuple[tuple[int, ...], ...]:
    """The seats of each side (B4-1)."""
    return ((0, 2), (1, 3)) if setting.num_players == 4 else tuple((seat,) for seat in range(setting.num_players))


def _least(setting: Setting) -> tuple[tuple[int, int], ...]:
    """The lowest bids in the flip's suit, in other suits, and on 8C: on earlier flips, on the third (B4-14, B3-7, B2-8, B2-14)."""
    if setting.num_players > 2:
        return ((3, 3), (4, 4), (3, 3))
    third = setting.options["third_flip_min"]
    other = {
        "any": (3, third),
        "as_three_handed": (4, setting.options["third_flip_other_min"]),
        "flip_only": (_NEVER, _NEVER),
    }[setting.options["b2_suit_rule"]]
    return ((3, third), other, (3, third))


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the variant's part of a rules record."""
    options = setting.options
    r.follow = follow_number(options["eight_suit"], options["eight_forced_on_trump_lead"], options["left_bower_follows"])
    r.ghost_follows = options["bot_policy"] == "follow_if_able"
    r.dealer_second = options["bot_lead_next"] == "left_of_bot"
    r.alone_leader = _ALONE_LEADER.index(options["alone_leader"])
    r.low = state.LOWEST_BID[setting.num_players]
    r.least[:] = _least(setting)
    alternating = setting.num_players == 2
    r.single[state.AUCTION] = options["auction"] == "single" and not alternating
    r.single[state.EIGHT_AUCTION] = options["eight_auction"] == "single" and not alternating
    r.single[state.OPEN_AUCTION] = 1
    r.first_bid_ends = options["auction2"] == "first_bid_ends"
    r.passes_final = options["pass_is_final"]
    r.partner_overbid = options["partner_overbid"]
    order = options["suit_order"]
    for k, suit in enumerate(SUITS):
        higher = order[order.index(suit) + 1 :] if order else ""
        r.higher_suits[k] = sum(1 << SUITS.index(other) for other in higher)
    r.flip_immediate = options["flip_disposition"] == "immediate"
    r.turned_suit_biddable = options["turned_suit_biddable"]
    r.eight_all_pass = _ALL_PASS.index(options["eight_flip_all_pass"])
    r.alone_requires = _ALONE_REQUIRES.index(options["alone_requires"])
    r.six_any_flip = options["six_bid_when"] == "any_flip"
    r.hidden = _HIDDEN.index(options["b2_hidden"])
    r.passout_redeal = options["passout"] == "redeal"
    first = options["first_dealer"]
    r.first_dealer = {"random": state.DEALER_RANDOM, "first_jack": state.DEALER_FIRST_JACK}.get(first, first)
    r.set_penalty = _PENALTY.index(options["set_penalty"])
    r.six_base = options["six_shortfall_base"]
    r.target = options["target"]
    r.both_reach = _BOTH_REACH.index(options["both_reach"])
    r.tie_share = options["tie_at_target"] == "share"
    r.score_bins[:] = [(options["target"] - gap) * UNIT for gap in SCORE_GAPS]
