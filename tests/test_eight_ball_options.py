"""The options of 8-ball: the effect of each value by scripted deals, and each refusal. What the defaults do is in
``test_eight_ball_rules.py``.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from reference import settings
from reference.deals import fresh
from reference.eight_ball_tables import (
    ALONE,
    EightBallTable,
    at_play,
    bids,
    four,
    passed_out,
    play_hand,
    plays,
    put_aside,
    table_of,
    three,
    two,
)
from reference.settings import EIGHT_BALL, EIGHT_BALL_PACK, EIGHT_BALL_REFUSED, EIGHT_BALL_VALUES

import eightsenv

# The auction: how long it is


def test_auction_continuous_with_four():
    """Round and round on an ordinary flip, as on 8C: who has passed stays out, and all passing leads to the open auction."""
    table = four(auction="continuous")
    assert table.legal() == {"pass"} | bids("345", "H") | bids("45", "CDS")
    assert table.ask("bid 3 H", "pass", "bid 4 C", "pass", "bid 5 H", "pass") == [0, 1, 2, 3, 0, 2]
    assert table.contract == [0, 5, "H", False] and table.seat == 3 and "discard QH" in table.legal()
    table = four(auction="continuous")
    table.do(*["pass"] * 4)
    assert table.dead == ["QH"] and table.seat == 0
    assert table.ask("bid 3 C", "bid 4 C", "pass", "pass") == [0, 1, 2, 3]
    assert table.contract == [1, 4, "C", False], "the open auction is one call each"


def test_auction_continuous_with_three():
    table = three(auction="continuous")
    assert table.ask("bid 3 H", "bid 4 C", "pass", "bid 5 D", "pass") == [0, 1, 2, 0, 1]
    assert table.contract == [0, 5, "D", False] and table.seat == 0


@pytest.mark.parametrize("n", [4, 3])
def test_auction_single_ends_with_the_dealers_call(n: int):
    """The first bidder does not come in again."""
    table = table_of(n)
    table.do("bid 3 H", *["pass"] * (n - 2), "bid 4 C")
    assert table.contract == [n - 1, 4, "C", False]


@pytest.mark.parametrize("n", [4, 3])
@pytest.mark.parametrize("auction", ["single", "continuous"])
def test_eight_auction_single(auction: str, n: int):
    """One call each on 8C too, whatever holds for other flips."""
    after = "8C" if n == 4 else "8C AS KS"
    table = table_of(n, after=after, eight_auction="single", auction=auction)
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 3 H", *["pass"] * (n - 2), "bid 4 C")
    assert table.contract == [n - 1, 4, "C", False] and table.seat == (n - 1 if n == 4 else 0)
    table = table_of(n, after=after, eight_auction="single", auction=auction)
    table.do("pass", *["pass"] * (n - 2))
    assert table.seat == n - 1 and "pass" in table.legal()


@pytest.mark.parametrize("n", [4, 3])
def test_auction2_first_bid_ends(n: int):
    """In the open auction the first bid has it; the dealer must bid all the same; other auctions are as ever."""
    flips = 1 if n == 4 else 3
    table = table_of(n, auction2="first_bid_ends")
    table.do(*["pass"] * n * flips, "pass")
    assert table.seat == 1
    table.do("bid 3 D")
    assert table.contract == [1, 3, "D", False] and not any(action.startswith("bid") for action in table.legal())
    table = table_of(n, auction2="first_bid_ends")
    table.do(*["pass"] * n * flips, *["pass"] * (n - 1))
    assert table.legal() == bids("345")
    table = table_of(n, auction2="first_bid_ends")
    table.do("bid 3 H")
    assert table.legal() == {"pass"} | bids("45")


def test_pass_is_final_false_on_the_eight():
    """Who has passed may come in again; it ends when all others have passed since the last bid."""
    table = four(after="8C", pass_is_final=False)
    assert table.ask("pass", "pass", "bid 3 C", "pass", "bid 4 D", "pass", "pass") == [0, 1, 2, 3, 0, 1, 2]
    assert table.seat == 3 and table.legal() == {"pass"} | bids("5")
    table.do("pass")
    assert table.contract == [0, 4, "D", False] and "discard 8C" in table.legal()
    table = four(after="8C", pass_is_final=False)
    table.do(*["pass"] * 4)
    assert table.dead == ["8C"], "all have passed"
    table = four(after="8C", pass_is_final=False)
    table.do(*["pass"] * 3, "bid 3 C")
    assert table.seat == 0 and table.legal() == {"pass"} | bids("45"), "not over with the dealer's bid"


@pytest.mark.parametrize("n", [4, 3])
def test_pass_is_final_false_in_a_continuous_auction(n: int):
    table = table_of(n, auction="continuous", pass_is_final=False)
    table.do("pass", "bid 3 H", *["pass"] * (n - 2))
    assert table.seat == 0 and table.legal() == {"pass"} | bids("45")
    table.do("bid 4 S", *["pass"] * (n - 1))
    assert table.contract == [0, 4, "S", False]


def test_pass_is_final_false_means_nothing_in_one_call_each():
    table = four(pass_is_final=False)
    table.do("pass", "bid 3 H", "pass", "pass")
    assert table.contract == [1, 3, "H", False] and "discard QH" in table.legal()


# The auction: what may be bid


def test_partner_overbid_false():
    """Over the partner's bid only `pass`; over an opponent's as ever; then no lone hand over the partner's 5 either."""
    table = four(partner_overbid=False)
    table.do("bid 3 H", "pass")
    assert table.legal() == {"pass"}
    table = four(partner_overbid=False)
    table.do("bid 3 H")
    assert table.legal() == {"pass"} | bids("45")
    table = four(partner_overbid=False, alone_requires="none")
    table.do("bid 3 H", "pass")
    assert table.legal() == {"pass"}
    table = four(partner_overbid=False, after="8C")
    table.do("bid 3 H", "bid 4 H")
    assert table.legal() == {"pass"} | bids("5")


@pytest.mark.parametrize("n", [4, 3, 2])
def test_suit_order(n: int):
    """An equal number in a higher suit outbids; in a lower or the same one it does not."""
    table = table_of(n, suit_order="CDHS")
    table.do("bid 4 D")
    assert table.legal() == {"pass"} | bids("4", "HS") | bids("5")
    table.do("bid 4 S")
    assert table.legal() == {"pass"} | bids("5") and table.contract == [1, 4, "S", False]
    table = table_of(n, suit_order="SHDC")
    table.do("bid 4 D")
    assert table.legal() == {"pass"} | bids("4", "C") | bids("5")
    table = table_of(n, suit_order="CDHS")
    table.do("bid 3 H")
    # With more than two players 3 may be bid in the flip's suit alone.
    assert table.legal() == {"pass"} | (bids("3", "S") if n == 2 else set()) | bids("45")


def test_suit_order_and_the_highest_bids():
    """5 over 5; nothing over a lone hand; 6 over a 5 only."""
    table = four(suit_order="CDHS")
    table.do("bid 5 H")
    assert table.legal() == {"pass"} | bids("5", "S") | ALONE
    table.do("alone C")
    assert table.legal() == {"pass"}
    table = three(after="8C AS KS", suit_order="CDHS")
    table.do("bid 5 H")
    assert table.legal() == {"pass"} | bids("5", "S") | bids("6")
    table.do("bid 6 C")
    assert table.legal() == {"pass"}


def test_flip_disposition_immediate_with_four():
    """The first bid in another suit kills the flip: a later bid in its suit does not bring it back, and nobody discards."""
    table = four(flip_disposition="immediate")
    table.do("bid 4 S")
    assert table.flip == ["QH", False] and table.dead == ["QH"]
    table.do("bid 5 H", "pass", "pass")
    assert table.contract == [1, 5, "H", False] and table.trump == "H" and table.discards == []
    assert table.seat == 0 and plays(table) == set(table.hands[0]) and table.dead == ["QH"]
    table = four(flip_disposition="immediate")
    table.do("bid 3 H")
    assert table.flip == ["QH", True]
    table.do("bid 4 H", "pass", "pass")
    assert table.seat == 3 and "discard QH" in table.legal()
    table = four(flip_disposition="immediate", after="8C")
    table.do("bid 3 H", "bid 4 S", "pass", "pass", "pass")
    assert table.seat == 1 and "discard 8C" in table.legal(), "8C has no suit"


def test_flip_disposition_immediate_with_three():
    """Then everybody discards one."""
    table = three(flip_disposition="immediate")
    table.do("bid 4 S", "bid 5 H", "pass")
    asked = []
    for _ in range(3):
        asked.append(table.seat)
        put_aside(table)
    assert asked == [0, 1, 2] and table.dead == ["QH"] and [len(hand) for hand in table.hands] == [5, 5, 5]
    assert table.seat == 0 and plays(table) == set(table.hands[0])


def test_turned_suit_biddable_false():
    """The turned-down suit may not be bid in the open auction, nor alone; the others may."""
    table = four(turned_suit_biddable=False)
    table.do(*["pass"] * 4)
    assert table.legal() == {"pass"} | bids("345", "CDS")
    table.do("bid 5 C")
    assert table.legal() == {"pass"} | ALONE - {"alone H"}
    table = four(turned_suit_biddable=False)
    table.do(*["pass"] * 7)
    assert table.legal() == bids("345", "CDS")
    table = four(turned_suit_biddable=False)
    assert table.legal() == {"pass"} | bids("345", "H") | bids("45", "CDS")


def test_eight_flip_all_pass_dealer_forced_with_four():
    """When all others have passed, the dealer must bid."""
    table = four(after="8C", eight_flip_all_pass="dealer_forced")
    table.do("pass", "pass")
    assert "pass" in table.legal()
    table.do("pass")
    assert table.seat == 3 and table.legal() == bids("345")
    table.do("bid 3 C")
    assert table.contract == [3, 3, "C", False] and "discard 8C" in table.legal()
    table = four(after="8C", eight_flip_all_pass="dealer_forced")
    table.do("bid 3 C", "pass", "pass")
    assert table.legal() == {"pass"} | bids("45"), "there is a bid"
    table = four(eight_flip_all_pass="dealer_forced")
    table.do(*["pass"] * 3)
    assert "pass" in table.legal(), "an ordinary flip"


@pytest.mark.parametrize(("flips", "before", "numbers"), [("8C AS KS", 0, "345"), ("QH 8C KS", 1, "345"), ("QH AS 8C", 2, "345")])
def test_eight_flip_all_pass_dealer_forced_with_three(flips: str, before: int, numbers: str):
    table = three(after=flips, eight_flip_all_pass="dealer_forced")
    table.do(*["pass"] * (3 * before + 2))
    assert table.seat == 2 and table.legal() == bids(numbers)


@pytest.mark.parametrize(("flips", "before", "numbers"), [("8C AS KS", 0, "345"), ("QH 8C KS", 1, "345"), ("QH AS 8C", 2, "2345")])
def test_eight_flip_all_pass_dealer_forced_with_two(flips: str, before: int, numbers: str):
    table = two(after=flips, eight_flip_all_pass="dealer_forced")
    table.do(*["pass"] * (2 * before + 1))
    assert table.seat == 1 and table.legal() == bids(numbers)
    table.do("bid 3 D")
    assert table.contract == [1, 3, "D", False] and table.seat == 1


def test_eight_flip_all_pass_redeal():
    """Reshuffled and dealt again by the same dealer within the step; the hand keeps its number; an ordinary flip is turned down."""
    table = four(after="8C", dealer=1, eight_flip_all_pass="redeal", match=True)
    before = table.hands
    table.do(*["pass"] * 4)
    assert table.hands != before and [len(hand) for hand in table.hands] == [5] * 4
    assert table.dealer == 1 and table.seat == 2 and table.hand_number == 0 and table.contract is None and table.dead == []
    assert table.flip[1] is True and table.scores == [0] * 4 and not table.over
    assert Counter([table.flip[0], *(card for hand in table.hands for card in hand)]) == Counter(EIGHT_BALL_PACK)
    assert "pass" in table.legal() and "bid 4 C" in table.legal()
    table = four(eight_flip_all_pass="redeal")
    table.do(*["pass"] * 4)
    assert table.dead == ["QH"]


def test_alone_requires_any_5():
    """Also over the partner's 5; without any 5 not at all."""
    table = four(alone_requires="any_5")
    assert not table.legal() & ALONE
    table.do("bid 5 H", "pass")
    assert table.seat == 2 and table.legal() == {"pass"} | ALONE
    table = four(alone_requires="any_5")
    table.do("bid 4 H")
    assert not table.legal() & ALONE
    table.do("bid 5 H")
    assert table.legal() >= ALONE


def test_alone_requires_none():
    """From the first call on, in every auction; nothing outbids it."""
    for after, calls in (("QH", 0), ("QH", 4), ("QH", 7), ("8C", 0)):
        table = four(after=after, alone_requires="none")
        table.do(*["pass"] * calls)
        assert table.legal() >= ALONE
        table.do("alone D")
        assert table.contract == [calls % 4, 5, "D", True]
        if calls < 7:
            assert table.legal() == {"pass"}


@pytest.mark.parametrize(
    ("leader", "bidder", "seat"),
    [
        ("left_of_dealer", 1, 0),
        ("left_of_dealer", 2, 1),
        ("left_of_dealer", 3, 0),
        ("bidder", 1, 1),
        ("bidder", 2, 2),
        ("bidder", 3, 3),
        ("left_of_bidder", 1, 2),
        ("left_of_bidder", 2, 3),
        ("left_of_bidder", 3, 0),
    ],
)
def test_alone_leader(leader: str, bidder: int, seat: int):
    """Seat 0 is left of the dealer; with bidder 2 it sits out."""
    table = four(alone_leader=leader)
    table.do(*["pass"] * (bidder - 1), "bid 5 C", "alone S", *["pass"] * (3 - bidder))
    assert table.seat == seat and all(action.startswith("play") for action in table.legal())


def test_alone_leader_is_for_lone_hands():
    table = four(alone_leader="bidder")
    table.do("pass", "bid 4 S", "pass", "pass")
    assert table.seat == 0


def test_six_bid_when_any_flip_with_three():
    """In every auction, over another's 5: ordinary flips, 8C, and the open auction."""
    for after, passes in (("QH AS KS", 0), ("QH AS KS", 3), ("QH AS KS", 9), ("8C AS KS", 0), ("QH AS 8C", 9)):
        table = three(after=after, six_bid_when="any_flip")
        table.do(*["pass"] * passes)
        assert not table.legal() & bids("6")
        table.do("bid 5 D")
        assert table.legal() == {"pass"} | bids("6")
        table.do("bid 6 S")
        assert table.legal() == {"pass"}


@pytest.mark.parametrize("after", ["QH AS KS", "QH AS 8C"])
def test_six_bid_when_eight_flip_only_with_three(after: str):
    """No six in an open auction, even when the last flip was 8C."""
    table = three(after=after)
    table.do(*["pass"] * 9, "bid 5 D")
    assert table.legal() == {"pass"}


def test_six_bid_when_any_flip_with_two():
    for after, passes in (("QH AS KS", 0), ("QH AS KS", 2), ("QH AS KS", 4), ("8C AS KS", 0)):
        table = two(after=after, six_bid_when="any_flip")
        table.do(*["pass"] * passes)
        assert not table.legal() & bids("6")
        table.do("bid 5 D")
        assert table.legal() == {"pass"} | bids("6")


@pytest.mark.parametrize(
    ("rule", "first", "six"),
    [
        ("any", bids("345"), bids("6")),
        ("as_three_handed", bids("345", "H") | bids("45", "CDS"), bids("6")),
        ("flip_only", bids("345", "H"), bids("6", "H")),
    ],
)
def test_b2_suit_rule(rule: str, first: set[str], six: set[str]):
    """The suits open to bids; under flip_only a six too must name the flip suit."""
    table = two(b2_suit_rule=rule, six_bid_when="any_flip")
    assert table.legal() == {"pass"} | first
    table.do("bid 3 H")
    assert table.legal() == {"pass"} | {bid for bid in first if bid[4] > "3"}
    table.do("bid 5 H")
    assert table.legal() == {"pass"} | six


@pytest.mark.parametrize("rule", ["any", "as_three_handed", "flip_only"])
def test_b2_suit_rule_and_the_eight(rule: str):
    """On 8C any suit from 3, from 2 as the third flip, and 6 in any suit, under every rule."""
    table = two(after="8C AS KS", b2_suit_rule=rule)
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 5 D")
    assert table.legal() == {"pass"} | bids("6")
    table = two(after="QH AS 8C", b2_suit_rule=rule)
    table.do(*["pass"] * 4)
    assert table.legal() == {"pass"} | bids("2345")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, bids("2345")),
        ({"third_flip_min": 3}, bids("345")),
        ({"b2_suit_rule": "flip_only"}, bids("2345", "S")),
        ({"b2_suit_rule": "flip_only", "third_flip_min": 3}, bids("345", "S")),
        ({"b2_suit_rule": "as_three_handed"}, bids("2345", "S") | bids("345", "CDH")),
        ({"b2_suit_rule": "as_three_handed", "third_flip_other_min": 2}, bids("2345")),
        ({"b2_suit_rule": "as_three_handed", "third_flip_other_min": 4}, bids("2345", "S") | bids("45", "CDH")),
        ({"b2_suit_rule": "as_three_handed", "third_flip_min": 3}, bids("345")),
        (
            {"b2_suit_rule": "as_three_handed", "third_flip_min": 3, "third_flip_other_min": 4},
            bids("345", "S") | bids("45", "CDH"),
        ),
    ],
    ids=lambda value: repr(sorted(value) if isinstance(value, set) else value),
)
def test_third_flip_min_and_other_min(options: dict[str, Any], expected: set[str]):
    """The lowest bids on the third flip, KS; on the second, AS, they are not yet in force."""
    table = two(**options)
    table.do("pass", "pass")
    assert not table.legal() & bids("2")
    table.do("pass", "pass")
    assert table.legal() == {"pass"} | expected


def test_third_flip_min_and_the_eight():
    table = two(after="QH AS 8C", third_flip_min=3)
    table.do(*["pass"] * 4)
    assert table.legal() == {"pass"} | bids("345")


# The hidden cards and the ghost


@pytest.mark.parametrize("flip", [1, 2, 3])
def test_b2_hidden_choose(flip: int):
    """0 … u; 1 + k discards, then the k top hidden cards; the rest stay hidden."""
    hidden = ["QH", "AS", "KS"][flip:]
    for k in range(len(hidden) + 1):
        table = two(b2_hidden="choose")
        table.do(*["pass"] * 2 * (flip - 1), "bid 3 C", "pass")
        put_aside(table)
        put_aside(table)
        assert table.seat == 1 and table.legal() == {f"take {j}" for j in range(len(hidden) + 1)}
        table.do(f"take {k}")
        for _ in range(1 + k):
            assert table.seat == 1 and table.hidden == hidden
            put_aside(table, *hidden)
        assert table.hidden == hidden[k:] and set(hidden[:k]) <= set(table.hands[1]) and len(table.hands[1]) == 5
        assert table.seat == 0 and all(action.startswith("play") for action in table.legal())


def test_b2_hidden_none():
    """Only `take 0`, which is asked all the same; one discard."""
    table = two(b2_hidden="none")
    table.do("bid 3 C", "pass")
    put_aside(table)
    put_aside(table)
    assert table.seat == 1 and table.legal() == {"take 0"}
    table.do("take 0")
    put_aside(table)
    assert table.hidden == ["AS", "KS"] and table.seat == 0 and all(action.startswith("play") for action in table.legal())


def test_passout_redeal():
    """Three passed flips: the same dealer deals again within the step; the hand keeps its number."""
    table = two(dealer=0, passout="redeal", match=True)
    before = table.hands
    table.do(*["pass"] * 6)
    assert table.hands != before and table.dealer == 0 and table.seat == 1 and table.hand_number == 0
    assert table.dead == [] and len(table.hidden) == 2 and len(table.ghost) == 6 and table.flip[1] is True
    cards = [table.flip[0], *table.hidden, *table.ghost, *(card for hand in table.hands for card in hand)]
    assert Counter(cards) == Counter(EIGHT_BALL_PACK)
    assert "pass" in table.legal() and "bid 3 C" in table.legal()


GHOSTS = ["TC KD AH KH QH", "8C AC QC TD KS"]


def test_bot_policy_follow_if_able():
    """The topmost card of the suit led; the left bower, JC, follows spades, not clubs; else the top card."""
    table = at_play(2, GHOSTS, "S", "JH", ghost="AD JC KC AS TS QS", bot_policy="follow_if_able")
    table.do("play TC", "play QC")
    assert table.ghost == ["JC", "AS", "TS", "QS"] and "KC" in table.played
    assert table.caught == [0, 0, 1] and table.trick == [["ghost", "AD"]], "it leads its top card"
    table.do("play KD", "play TD")
    assert table.caught == [0, 0, 2] and table.trick == [["ghost", "JC"]]
    table.do("play AH", "play 8C")
    assert table.seat == 1 and table.caught == [0, 1, 2]
    table.do("play AC", "play KH")
    assert table.caught == [0, 1, 3] and table.trick == [["ghost", "TS"]] and "AS" in table.played, "without a club the top card"


def test_bot_policy_follow_if_able_looks_at_the_sixth_card():
    table = at_play(2, GHOSTS, "S", "JH", ghost="AD JD QD JC TS KC", bot_policy="follow_if_able")
    table.do("play TC", "play QC")
    assert "KC" in table.played and table.ghost[0] == "JD"


def test_bot_policy_follow_if_able_and_the_eight():
    """8C is a trump only: played to a trump lead when it is topmost, never to clubs, also under ``club_and_trump``."""
    hands = ["TC TS AH KH QH", "AC QC TD KS KD"]
    for options in ({}, {"eight_suit": "club_and_trump"}):
        table = at_play(2, hands, "S", "JH", ghost="AD 8C KC JC QS JS", bot_policy="follow_if_able", **options)
        table.do("play TC", "play QC")
        assert "KC" in table.played and "8C" in table.ghost
    table = at_play(2, hands, "S", "JH", ghost="AD 8C KC JC QS JS", bot_policy="follow_if_able")
    table.do("play TS", "play KS")
    assert "8C" in table.played and table.caught == [0, 0, 1] and table.trick == [["ghost", "AD"]]


def test_bot_policy_top_card_never_follows():
    table = at_play(2, GHOSTS, "S", "JH", ghost="AD JC KC AS TS QS")
    table.do("play TC", "play QC")
    assert "AD" in table.played and table.ghost == ["JC", "KC", "AS", "TS", "QS"]


@pytest.mark.parametrize(("rule", "order"), [("nondealer", [0, 1]), ("left_of_bot", [1, 0])])
def test_bot_lead_next(rule: str, order: list[int]):
    """Who plays second after a lead of the ghost: on a pass-out hand, and after a trick of its own."""
    table = passed_out("", "", ghost="JD TH", after="QH AS KS", bot_lead_next=rule)
    put_aside(table)
    put_aside(table)
    assert table.seat == order[0]
    table.do(sorted(table.legal())[0])
    assert table.seat == order[1]
    table = at_play(2, GHOSTS, "S", "JH", ghost="JC AD AS QS TS JS", bot_lead_next=rule)
    table.do("play TC")
    assert table.seat == 1, "a player's lead"
    table.do("play QC")
    assert table.trick == [["ghost", "AD"]] and table.seat == order[0]
    table.do(sorted(table.legal())[0])
    assert table.seat == order[1]


# Following suit


@pytest.mark.parametrize("n", [4, 3, 2])
def test_eight_suit_club_and_trump(n: int):
    """8C follows clubs as well: it must be played as the only club, may be as one of several; it still wins as a trump."""

    def led(hand: str, card: str = "TC", **options: Any) -> EightBallTable:
        table = at_play(n, [card, hand, *["TH", "QH"][: n - 2]], "S", "JH", **options)
        table.do(f"play {card}")
        return table

    option = {"eight_suit": "club_and_trump"}
    assert plays(led("8C TD QD KD AD", **option)) == {"8C"}
    assert plays(led("8C TD QD KD AD")) == {"8C", "TD", "QD", "KD", "AD"}
    assert plays(led("8C KC QD KD AD", **option)) == {"8C", "KC"}
    assert plays(led("8C QD KD AH KH", "TD", **option)) == {"8C", "QD", "KD"}
    assert plays(led("8C QD KD AD KH", "TS", **option)) == {"8C"}
    assert plays(led("TC AC TS AD KH", "8C", **option)) == {"TS"}, "8C led asks for trumps, not for clubs"


@pytest.mark.parametrize("n", [4, 3, 2])
def test_eight_forced_on_trump_lead_false(n: int):
    """8C as the only trump need not follow a trump lead; with another trump one of the two must."""
    option = {"eight_forced_on_trump_lead": False}
    table = at_play(n, ["TS", "8C AD KD QD TD", *["TH", "QH"][: n - 2]], "S", "JH", **option)
    table.do("play TS")
    assert plays(table) == {"8C", "AD", "KD", "QD", "TD"}
    table = at_play(n, ["TS", "8C JC KD QD TD", *["TH", "QH"][: n - 2]], "S", "JH", **option)
    table.do("play TS")
    assert plays(table) == {"8C", "JC"}


@pytest.mark.parametrize("n", [4, 3, 2])
def test_left_bower_follows_printed_suit(n: int):
    """JC with spades as trump follows clubs, not spades; it takes the trick as the left bower all the same."""
    option = {"left_bower_follows": "printed_suit"}
    rest = ["TH", "QH"][: n - 2]
    table = at_play(n, ["TC", "JC AD KD QD TD", *rest], "S", "JH", **option)
    table.do("play TC")
    assert plays(table) == {"JC"}
    table = at_play(n, ["TS", "JC AD KD QD TD", *rest], "S", "JH", **option)
    table.do("play TS")
    assert plays(table) == {"JC", "AD", "KD", "QD", "TD"}
    table = at_play(n, ["TS", "JC QS KD QD TD", *rest], "S", "JH", **option)
    table.do("play TS")
    assert plays(table) == {"QS"}
    hands = ["AC TD TH QH KH", "JC AD KD QD AH", "TC QC KC JD KS", "QS TS AS JS 8C"]
    table = at_play(n, hands[:n], "S", "JH", **option, **({"ghost": "TC"} if n == 2 else {}))
    table.do("play AC", "play JC", *["play TC", "play QS"][: n - 2])
    assert table.seat == 1 and table.caught[1] == 1


def test_left_bower_led():
    """Under ``printed_suit`` the left bower led asks for its printed suit."""
    for rule, expected in (("printed_suit", {"KC", "QC"}), ("trump", {"AS", "TS"})):
        table = at_play(4, ["JC", "KC QC AS TS AD", "", ""], "S", "JH", left_bower_follows=rule)
        table.do("play JC")
        assert plays(table) == expected


# Scoring


PENALTIES = [
    # rule, bid, caught, points
    ("4_plus_missed", 3, 2, -5),
    ("4_plus_missed", 3, 1, -6),
    ("4_covers_first", 3, 2, -4),
    ("4_covers_first", 3, 1, -5),
    ("4_covers_first", 4, 1, -6),
    ("4_plus_bid", 3, 2, -7),
    ("4_plus_bid", 3, 1, -7),
    ("4_plus_bid", 4, 1, -8),
    ("4_plus_bid", 5, 4, -9),
]


@pytest.mark.parametrize("n", [4, 3, 2])
@pytest.mark.parametrize(("rule", "bid", "caught", "points"), PENALTIES)
def test_set_penalty(rule: str, bid: int, caught: int, points: int, n: int):
    """Bid 3, caught 2: -5, -4 or -7; the last is -4 and -1 for every trick bid."""
    hands = ["8C JD AC KC" if caught > 2 else "JD TH AC", "JH AH KH AD"]
    table = table_of(n, hands, "QH" if n == 4 else "QH QS TS", set_penalty=rule)
    table.do(f"bid {bid} H", *["pass"] * (n - 1))
    others = 5 - caught
    start = table.env.snapshot()
    for seed in range(4000):
        table.env.restore(start)
        play_hand(table.env, seed)
        if sum(table.caught[::2] if n == 4 else table.caught[:1]) == caught:
            break
    assert table.payoffs[0] == points
    if n == 4:
        assert table.payoffs == [points, others, points, others]
    else:
        assert table.payoffs[1:] == table.caught[1:n]


@pytest.mark.parametrize(("rule", "points"), [("4_plus_missed", -5), ("4_covers_first", -4), ("4_plus_bid", -9)])
def test_set_penalty_of_a_lone_hand(rule: str, points: int):
    """``alone`` counts five tricks bid."""
    table = four("JH AH", "8C JD AS KS KH", after="QH", set_penalty=rule)
    table.do("bid 5 C", "alone H", "pass", "pass")
    table.finish(payoffs=[1, points, 1, points])


SIXES = [
    # base, rule, caught, points
    (5, "4_plus_missed", 4, -5),
    (6, "4_plus_missed", 4, -6),
    (6, "4_plus_missed", 3, -7),
    (5, "4_covers_first", 4, -4),
    (6, "4_covers_first", 4, -5),
    (5, "4_plus_bid", 4, -9),
    (6, "4_plus_bid", 4, -10),
]


@pytest.mark.parametrize("n", [3, 2])
@pytest.mark.parametrize(("base", "rule", "caught", "points"), SIXES)
def test_six_shortfall_base(base: int, rule: str, caught: int, points: int, n: int):
    """What a failed 6 is short of; a made one is made with five tricks all the same."""
    hands = ["JH AC KH QC", "JD TH AD KC AH", ""][:n]
    table = table_of(n, hands, "8C AS KS", six_shortfall_base=base, set_penalty=rule)
    table.do("bid 5 C", "bid 6 H", *["pass"] * (n - 1))
    table.finish(caught=[5 - caught, caught, 0])
    assert table.payoffs == [5 - caught, points, 0][:n]
    table = table_of(n, ["", "JH JD AH KH TH", ""][:n], "8C AS KS", six_shortfall_base=base, set_penalty=rule)
    table.do("bid 5 C", "bid 6 H", *["pass"] * (n - 1))
    table.finish(caught=[0, 5, 0])
    assert table.payoffs == [0, 15, 0][:n]


# The match


@pytest.mark.parametrize("n", [4, 3, 2])
@pytest.mark.parametrize("target", [1, 6, 100])
def test_target(target: int, n: int):
    """The points that win; without a match they mean nothing."""
    hands = ["8C JH JD AH KH", *[""] * (n - 1)]
    table = table_of(n, hands, "QH" if n == 4 else "QH QS TS", target=target, match=True)
    table.do("bid 5 H", *["pass"] * (n - 1))
    table.finish(payoffs=[12, 0, 12, 0] if n == 4 else [12, *[0] * (n - 1)])
    assert table.over == (target <= 12) and table.hand_number == (0 if target <= 12 else 1)
    assert fresh(variant="eight_ball_v0", num_players=n, target=target).reveal()["scores"] == [0] * n


def both_there(ours: int, theirs: int, **options: Any) -> EightBallTable:
    """A match in which seat 0 bids 3 and catches 3: +6 and +2."""
    table = four("8C JD AS KS TH", "JH AH KH AD AC", match=True, reward="win", **options)
    table.set_scores(ours, theirs, ours, theirs)
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[6, 2, 6, 2])
    assert table.scores == [ours + 6, theirs + 2, ours + 6, theirs + 2]
    return table


def rewards(table: EightBallTable) -> list[float]:
    return list(table.env.rewards.values())


@pytest.mark.parametrize(
    ("rule", "ours", "theirs", "winner"),
    [
        ("bidder", 24, 29, 0),
        ("bidder", 26, 28, 0),
        ("higher", 24, 29, 1),
        ("higher", 26, 28, 0),
        ("higher", 25, 29, None),
        ("play_on", 24, 29, None),
        ("play_on", 26, 28, None),
        ("play_on", 24, 27, 0),
        ("play_on", 23, 28, 1),
    ],
)
def test_both_reach(rule: str, ours: int, theirs: int, winner: int | None):
    """Both sides at the target after one hand: the bidding side, the higher total (a tie is played on), or further hands."""
    table = both_there(ours, theirs, both_reach=rule)
    assert table.over == (winner is not None)
    if winner is None:
        assert rewards(table) == [0, 0, 0, 0] and table.hand_number == 1
    else:
        assert rewards(table) == [0.5 if seat % 2 == winner else -0.5 for seat in range(4)]


@pytest.mark.parametrize(("ours", "theirs", "winner"), [(31, 35, None), (35, 30, None), (31, 27, 0), (27, 31, 1)])
def test_both_reach_play_on_until_one_side_is_there(ours: int, theirs: int, winner: int | None):
    """Played on until exactly one side is at the target or above: also by the other's being set below it."""
    table = four("8C JD AS KS TH", "JH AH KH AD AC", match=True, reward="win", both_reach="play_on")
    table.set_scores(ours + 5, theirs - 3, ours + 5, theirs - 3)
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[-5, 3, -5, 3])
    assert table.over == (winner is not None) and table.scores == [ours, theirs, ours, theirs]
    if winner is not None:
        assert rewards(table) == [0.5 if seat % 2 == winner else -0.5 for seat in range(4)]


@pytest.mark.parametrize("rule", ["play_on", "share"])
def test_tie_at_target_with_three(rule: str):
    """Equal best totals, the bidder not among them."""
    table = three("8C JD AS KC TH", "JH AH KH AD", after="QH QS QC", match=True, reward="win", tie_at_target=rule)
    table.set_scores(10, 29, 29)
    table.do("bid 3 H", "pass", "pass")
    table.finish(payoffs=[6, 1, 1])
    assert table.scores == [16, 30, 30] and table.over == (rule == "share")
    assert rewards(table) == ([-1.0, 0.5, 0.5] if rule == "share" else [0, 0, 0])


@pytest.mark.parametrize("rule", ["play_on", "share"])
def test_tie_at_target_with_the_bidder_among_them(rule: str):
    """Then the bidder has won."""
    table = three("8C JD AS KC TH", "JH AH KH AD", after="QH QS QC", match=True, reward="win", tie_at_target=rule)
    table.set_scores(24, 29, 29)
    table.do("bid 3 H", "pass", "pass")
    table.finish(payoffs=[6, 1, 1])
    assert table.over and rewards(table) == [1.0, -0.5, -0.5]


@pytest.mark.parametrize("rule", ["play_on", "share"])
def test_tie_at_target_with_two(rule: str):
    """On a pass-out hand: played on, or a shared win: nobody has lost, so all rewards are 0."""
    hands = "8C JD AD KC AC AH", "JH JC AS QC KH KD"
    table = passed_out(*hands, ghost="QD TD", after="TS TH TC", match=True, reward="win", tie_at_target=rule)
    table.set_scores(29, 29)
    table.finish(payoffs=[2, 2])
    assert table.over == (rule == "share") and table.scores == [31, 31] and rewards(table) == [0, 0]
    assert table.hand_number == (0 if rule == "share" else 1)


# Rewards of one hand


def test_win_of_one_hand():
    """The best payoff wins; partners share; equal payoffs of all are no win."""
    table = four("8C JH JD AH KH", "", "", "", reward="win")
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[8, 0, 8, 0])
    assert rewards(table) == [0.5, -0.5, 0.5, -0.5]
    table = three("JD TH AC", "JH AH KH AD", after="QH QS TS", reward="win")
    table.do("bid 3 H", "pass", "pass")
    table.finish(caught=[1, 2, 2])
    assert table.payoffs == [-6, 2, 2] and rewards(table) == [-1.0, 0.5, 0.5]
    hands = "8C JD AD KC AC AH", "JH JC AS QC KH KD"
    table = passed_out(*hands, ghost="QD TD", after="TS TH TC", reward="win")
    table.finish(payoffs=[2, 2])
    assert rewards(table) == [0, 0]


# First dealer


@pytest.mark.parametrize("n", [4, 3, 2])
def test_first_dealer_is_a_seat(n: int):
    for seat in range(n):
        dealers = {fresh(seed, variant="eight_ball_v0", num_players=n, first_dealer=seat).reveal()["dealer"] for seed in range(5)}
        assert dealers == {seat}
        script = {"dealer": (seat + 1) % n}
        env = fresh(1, script, variant="eight_ball_v0", num_players=n, first_dealer=seat)
        assert env.reveal()["dealer"] == (seat + 1) % n, "a script overrides it"


@pytest.mark.parametrize("n", [4, 3, 2])
def test_first_dealer_random(n: int):
    env = fresh(5, variant="eight_ball_v0", num_players=n, first_dealer="random")
    count: Counter[int] = Counter()
    for _ in range(3000):
        count[env.reveal()["dealer"]] += 1
        env.reset()
    assert sum((count[seat] - 3000 / n) ** 2 / (3000 / n) for seat in range(n)) < 18


# Refusals

MET: dict[str, dict[str, Any]] = {
    "eight_flip_all_pass='redeal' without four players": {"eight_flip_all_pass": "redeal", "num_players": 3},
    "third_flip_other_min without as_three_handed": {"third_flip_other_min": 4, "num_players": 2},
    "third_flip_other_min below third_flip_min": {
        "third_flip_other_min": 2,
        "third_flip_min": 3,
        "b2_suit_rule": "as_three_handed",
        "num_players": 2,
    },
    "pass_is_final=False without a continuous auction": {"pass_is_final": False, "eight_auction": "single"},
}


def refused(match: str, **options: Any) -> None:
    """These options are refused with a sentence that has this word."""
    assert settings.refusals("eight_ball_v0", options)
    with pytest.raises(ValueError, match=match) as caught:
        eightsenv.make("eight_ball_v0", **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", EIGHT_BALL_VALUES)
def test_an_option_for_other_numbers_of_players_is_refused(name: str):
    """Any value but the default; the default is accepted, so that a complete setting can always be passed back."""
    players, values = EIGHT_BALL_VALUES[name]
    for n in {2, 3, 4} - players:
        eightsenv.make("eight_ball_v0", num_players=n, **{name: EIGHT_BALL[name]})
        for value in values:
            if value != EIGHT_BALL[name]:
                extra = {"b2_suit_rule": "as_three_handed"} if name == "third_flip_other_min" and n == 2 else {}
                refused(name, num_players=n, **{name: value}, **extra)


@pytest.mark.parametrize("name", EIGHT_BALL_VALUES)
def test_every_value_is_accepted(name: str):
    players, values = EIGHT_BALL_VALUES[name]
    for n in players:
        for value in values:
            if name == "eight_flip_all_pass" and value == "redeal" and n != 4:
                continue
            extra = {"b2_suit_rule": "as_three_handed"} if name == "third_flip_other_min" else {}
            env = eightsenv.make("eight_ball_v0", num_players=n, **{name: value}, **extra).unwrapped
            env.reset(seed=1)
            assert env.reveal()["hand_number"] == 0


@pytest.mark.parametrize("name", MET)
def test_refused_combinations(name: str):
    options = MET[name]
    assert settings.refusals("eight_ball_v0", options) == [name]
    refused(name.split("=")[0].split()[0], **options)


def test_every_refusal_is_tried():
    assert set(MET) == {refusal.name for refusal in EIGHT_BALL_REFUSED if "with other than" not in refusal.name}


@pytest.mark.parametrize("n", [2, 3])
def test_redeal_of_a_passed_eight_is_for_four(n: int):
    refused("eight_flip_all_pass", eight_flip_all_pass="redeal", num_players=n)


@pytest.mark.parametrize("n", [3, 4])
def test_pass_is_final_needs_a_continuous_auction(n: int):
    """One of the two is enough."""
    refused("pass_is_final", pass_is_final=False, auction="single", eight_auction="single", num_players=n)
    for options in ({"auction": "continuous", "eight_auction": "single"}, {"auction": "single", "eight_auction": "continuous"}):
        eightsenv.make("eight_ball_v0", num_players=n, pass_is_final=False, **options)


@pytest.mark.parametrize("rule", ["any", "flip_only"])
def test_third_flip_other_min_is_for_as_three_handed(rule: str):
    for least in (2, 4):
        refused("third_flip_other_min", num_players=2, third_flip_other_min=least, b2_suit_rule=rule)
    eightsenv.make("eight_ball_v0", num_players=2, third_flip_other_min=3, b2_suit_rule=rule, third_flip_min=3)


BAD_VALUES: dict[str, list[Any]] = {
    "target": [0, -3, None, "30", 1.5, True],
    "auction": ["double", None, True],
    "eight_auction": ["double", None],
    "auction2": ["continuous", None],
    "pass_is_final": ["yes", 1, None],
    "partner_overbid": ["yes", 0, None],
    "suit_order": ["CDH", "CDHH", "CDHSC", "XDHS", "", 4, True],
    "flip_disposition": ["never", None],
    "turned_suit_biddable": ["no", 0, None],
    "eight_flip_all_pass": ["pass", None],
    "alone_requires": [None, "5", 5],
    "alone_leader": ["dealer", None, 0],
    "six_bid_when": ["never", None],
    "six_shortfall_base": [4, 7, "5", None, True],
    "b2_suit_rule": ["all", None],
    "third_flip_min": [1, 4, "2", None],
    "third_flip_other_min": [1, 5, None],
    "b2_hidden": ["some", None, 1],
    "passout": ["bot", None],
    "bot_policy": ["random", None],
    "bot_lead_next": ["dealer", None],
    "eight_suit": ["club", None],
    "eight_forced_on_trump_lead": ["yes", 1, None],
    "left_bower_follows": ["suit", None],
    "set_penalty": ["4", None, -4],
    "both_reach": ["share", None],
    "tie_at_target": ["bidder", None],
    "first_dealer": ["first_spade", "cut", 2, 4, -1, None],
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_bad_values_are_refused(name: str):
    """With a sentence that names the option and says what is allowed."""
    n = max(EIGHT_BALL_VALUES[name][0])
    for value in BAD_VALUES[name]:
        if name == "first_dealer" and value == 2:
            n = 2
        with pytest.raises(ValueError, match=name):
            eightsenv.make("eight_ball_v0", num_players=n, **{name: value})


def test_bad_values_are_listed_for_every_option():
    assert set(BAD_VALUES) == set(EIGHT_BALL_VALUES) == set(EIGHT_BALL)


@pytest.mark.parametrize("n", [1, 5])
def test_two_to_four_players(n: int):
    with pytest.raises(ValueError, match="2 to 4 players"):
        eightsenv.make("eight_ball_v0", num_players=n)


def test_what_is_no_option():
    """The deal moves left; there are no presets."""
    for name, value in (("deal_rotation", "left"), ("rounds", 5), ("max_hands", 3), ("decks", 1)):
        with pytest.raises(ValueError, match=name):
            eightsenv.make("eight_ball_v0", **{name: value})
    with pytest.raises(ValueError, match="preset"):
        eightsenv.make("eight_ball_v0", rules="russian_eights")


def test_the_options_and_their_defaults_are_those_of_the_table():
    for n in (2, 3, 4):
        env = eightsenv.make("eight_ball_v0", num_players=n).unwrapped
        assert dict(env.setting.options) == EIGHT_BALL
        assert env.setting.max_decisions == 2_000 and not env.setting.match
        assert eightsenv.make("eight_ball_v0", num_players=n, match=True).unwrapped.setting.max_decisions == 20_000
    assert eightsenv.make("eight_ball_v0").unwrapped.num_players == 4


def test_random_settings_are_refused_exactly_when_the_table_says_so():
    rng = random.Random(4)
    seen: Counter[bool] = Counter()
    for _ in range(1500):
        options = settings.random_eight_ball(rng)
        for name in rng.sample(sorted(EIGHT_BALL_VALUES), rng.choice([24, 26, 27])):
            options[name] = EIGHT_BALL[name]
        bad = settings.refusals("eight_ball_v0", options)
        seen[bool(bad)] += 1
        if bad:
            with pytest.raises(ValueError):
                eightsenv.make("eight_ball_v0", **options)
        else:
            eightsenv.make("eight_ball_v0", **options)
    assert min(seen.values()) > 200
