"""The options of Speculation: values, defaults, refusals, and their codes in the rules record."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.game import Option, Setting, int_range
from eightsenv.variants import chips
from eightsenv.variants.speculation.state import BALANCE_STEPS, BID_BINS, HIGHEST_BID
from eightsenv.variants.tables import choice, flag

POT_BINS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_EXEMPT = ("any_holder", "purchaser_only", "none")


OPTIONS = (
    chips.ante_option("SP-3, AMB-SP-11"),
    choice("sale", ("one_round", "sealed"), "SALE, AMB-SP-1",
            "each bid beats the best so far, or is any bid, unseen by the others: the earliest of equal bids is best"),
    Option("max_bid", "'pot' or an int from 1 to 255", "the highest bid; pot: the sum of the antes",
           int_range(1, HIGHEST_BID, ("pot",)), "AMB-SP-1"),
    choice("holder_exempt", _EXEMPT, "SP-12, AMB-SP-3", "who faces nothing while owning the best trump: whoever owns it, only who "
            "has bought it, nobody"),
    choice("resume", ("left_of_facer", "left_of_owner"), "SP-13, AMB-SP-4",
            "where facing goes on after a sale: at the left of who faced last, or of the owner"),
    flag("look_on_court", "SP-10, AMB-SP-5", "own cards are seen before the sale of a K, Q or J turned up"),
    choice("later_court", ("one_by_one", "face_all"), "SP-9, SP-13, AMB-SP-6",
            "after a K, Q or J of trumps faced in play: on card by card, or all hands at once"),
    choice("ace_midplay", ("immediate", "offer"), "SP-13, AMB-SP-7",
            "a trump ace faced in play ends the hand, or is offered for sale first"),
    *chips.options("cut"),
)  # fmt: skip

DEFAULTS: dict[str, Any] = {
    "ante": 4,
    "sale": "one_round",
    "max_bid": "pot",
    "holder_exempt": "any_holder",
    "resume": "left_of_facer",
    "look_on_court": True,
    "later_court": "one_by_one",
    "ace_midplay": "immediate",
    "max_hands": None,
    "first_dealer": "cut",
    "deal_rotation": "left",
}


def pot(setting: Setting) -> int:
    """The sum of the antes."""
    return setting.num_players * int(setting.options["ante"])


def max_bid(setting: Setting) -> int:
    """The highest bid."""
    highest = setting.options["max_bid"]
    return pot(setting) if highest == "pot" else int(highest)


def bid_bins(setting: Setting) -> list[int]:
    """The thresholds of the features of a bid: every amount if they are few."""
    most = max_bid(setting)
    number = min(most, BID_BINS)
    return [-(-most * (k + 1) // number) for k in range(number)]


def actions(setting: Setting) -> tuple[str, ...]:
    """The texts of all actions by id."""
    return (*(f"bid {k}" for k in range(max_bid(setting) + 1)), "accept", "keep")


def check(setting: Setting) -> None:
    """A pot that cannot be bid is refused (OPTIONS.md 2.5): bids are actions."""
    if setting.options["max_bid"] == "pot" and pot(setting) > HIGHEST_BID:
        raise ValueError(
            f"max_bid='pot' needs antes of {HIGHEST_BID} chips at most in all, not num_players={setting.num_players} times "
            f"ante={setting.options['ante']}: set max_bid to an int"
        )


def write_rules(r: np.record, setting: Setting) -> None:
    """Fill the rules record."""
    o = setting.options
    r.sealed = o["sale"] == "sealed"
    r.max_bid = max_bid(setting)
    r.holder_exempt = _EXEMPT.index(o["holder_exempt"])
    r.resume_at_owner = o["resume"] == "left_of_owner"
    r.look_on_court = o["look_on_court"]
    r.later_court_faces_all = o["later_court"] == "face_all"
    r.offer_ace = o["ace_midplay"] == "offer"
    bins = bid_bins(setting)
    r.bid_bins = len(bins)
    r.bid_level[:] = [sum(amount >= least for least in bins) for amount in range(HIGHEST_BID + 1)]
    r.pot_shown = np.uint64(sum(1 << k for k, least in enumerate(POT_BINS) if pot(setting) >= least))
    r.balance_bins_of_sales[:] = [step * o["ante"] for step in BALANCE_STEPS]
    chips.write_rules(r, setting)
