"""The rules of 8-ball, B4-1 … B4-39, B3-1 … B3-25 and B2-1 … B2-26, and their examples, by scripted deals through the AEC
environment.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing. The values of every
option are in ``test_eight_ball_options.py``, what is hidden from whom in ``test_eight_ball_hidden.py``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from reference.deals import fresh
from reference.eight_ball_tables import (
    ALONE,
    EightBallTable,
    at_play,
    bids,
    discards_of,
    four,
    passed_out,
    play_hand,
    play_random,
    plays,
    put_aside,
    table_of,
    texts_in,
    three,
    two,
)
from reference.naming import named_rules
from reference.settings import EIGHT_BALL_PACK

ORDER = {"C": "8C JC JS AC KC QC TC", "D": "8C JD JH AD KD QD TD", "H": "8C JH JD AH KH QH TH", "S": "8C JS JC AS KS QS TS"}
TOP_HEARTS = "8C JH JD AH KH"

STRONG, WEAK, EVEN = "strong", "weak", "even"
"""Of whoever bids hearts: all five top trumps, none of them, or some."""


def chi2(count: Counter[int], expected: list[float]) -> float:
    return sum((count[k] - mean) ** 2 / mean for k, mean in enumerate(expected))


# Four players: setup


def test_b4_1_sides_and_one_score_each():
    """B4-1: {0,2} against {1,3}; the side's points are given to both partners."""
    table = four(*hands_for(EVEN, 0, 4))
    assert table.env.game.sides(table.env.setting) == ((0, 2), (1, 3))
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[6, 2, 6, 2])
    assert table.scores == [6, 2, 6, 2]


def test_b4_1_partners_do_not_see_each_others_cards():
    """B4-1: nor does anybody else."""
    env = four().env
    hands = env.reveal()["hands"]
    for seat in range(4):
        shown = set(texts_in(env.view(f"agent_{seat}")))
        assert set(hands[seat]) <= shown
        for other in range(4):
            assert other == seat or not shown & set(hands[other])


@pytest.mark.parametrize("n", [4, 3, 2])
def test_b4_2_the_pack(n: int):
    """B4-2, B3-1, B2-1: A K Q J T of each suit and 8C; with two players a third hand, which nobody owns."""
    shown = fresh(variant="eight_ball_v0", num_players=n).reveal()
    cards = [*(card for hand in shown["hands"] for card in hand), *shown["hidden"], shown["flip"][0]]
    if n == 2:
        assert len(shown["ghost"]) == 6
        cards += shown["ghost"]
    assert sorted(cards) == sorted([*(rank + suit for rank in "AKQJT" for suit in "CDHS"), "8C"])
    with pytest.raises(ValueError, match="9C"):
        fresh(script={"deck": ["9C"]}, variant="eight_ball_v0", num_players=n)


@pytest.mark.parametrize("n", [4, 3, 2])
def test_b4_3_thirty_points_win_the_match(n: int):
    """B4-3, B3-2, B2-2: 30 by default, from tricks and bids alone; each plays for self when there are no partners."""
    table = table_of(n, match=True)
    assert table.scores == [0] * n and table.env.setting.options["target"] == 30
    if n < 4:
        assert table.env.game.sides(table.env.setting) == tuple((seat,) for seat in range(n))
    table.set_scores(*[28, *[0] * (n - 1)] if n < 4 else [28, 0, 28, 0])
    table.do("bid 4 S", *["pass"] * (n - 1))
    play_random(table.env, 1, lambda env: env.reveal()["hand_number"] == 1)
    assert table.over == (table.scores[0] >= 30) == (table.payoffs[0] > 0)
    if not table.over:
        assert table.hand_number == 1


@pytest.mark.parametrize(("points", "over"), [(20, False), (21, True)])
def test_b4_3_the_match_ends_when_thirty_are_reached(points: int, over: bool):
    """B4-3, B4-39: 29 are not enough, 30 are; negative totals of the others do not matter."""
    table = four(*hands_for(STRONG, 1, 4), match=True)
    table.set_scores(-3, points, -3, points)
    table.do("pass", "bid 4 H", "pass", "pass", "discard QH")
    table.finish(payoffs=[0, 9, 0, 9])
    assert table.over == over and table.scores == [-3, points + 9, -3, points + 9]
    assert (table.seat is None) == over and table.hand_number == (0 if over else 1)


def first_jack_chances(n: int) -> list[float]:
    chances, none_yet = [0.0] * n, 1.0
    for k in range(18):
        chances[k % n] += none_yet * 4 / (21 - k)
        none_yet *= (17 - k) / (21 - k)
    return chances


@pytest.mark.parametrize("n", [4, 3, 2])
def test_b4_4_the_first_jack_deals(n: int):
    """B4-4, B3-3, B2-3: cards are turned from seat 0 on; how often each seat deals is that of the first of four Jacks."""
    env = fresh(3, variant="eight_ball_v0", num_players=n)
    count: Counter[int] = Counter()
    total = 6000
    for _ in range(total):
        count[env.reveal()["dealer"]] += 1
        env.reset()
    assert chi2(count, [total * chance for chance in first_jack_chances(n)]) < 20
    assert chi2(count, [total / n] * n) > 40, "it is not a random seat"


@pytest.mark.parametrize("n", [4, 3, 2])
def test_b4_5_the_deal_passes_left(n: int):
    """B4-5, B3-3, B2-4: after each hand; with two players it alternates."""
    env = fresh(3, variant="eight_ball_v0", num_players=n, match=True, max_decisions=300)
    dealers: list[int] = []

    def note(env: Any) -> bool:
        shown = env.reveal()
        if shown["hand_number"] == len(dealers):
            dealers.append(shown["dealer"])
            assert shown["seat"] == (shown["dealer"] + 1) % n
        return False

    play_random(env, 3, note)
    assert len(dealers) > 5 and all(b == (a + 1) % n for a, b in pairwise(dealers))


@pytest.mark.parametrize("dealer", range(4))
def test_b4_6_five_each_in_packets_of_two_and_three(dealer: int):
    """B4-6, B4-7: from left(dealer) two to each, then three to each; the last card is the flip, face up."""
    deck = random.Random(dealer).sample(EIGHT_BALL_PACK, 21)
    shown = fresh(script={"deck": deck, "dealer": dealer}, variant="eight_ball_v0").reveal()
    for k in range(4):
        hand = shown["hands"][(dealer + 1 + k) % 4]
        assert Counter(hand) == Counter([*deck[2 * k : 2 * k + 2], *deck[8 + 3 * k : 11 + 3 * k]])
    assert shown["flip"] == [deck[20], True] and not shown["hidden"]
    assert all(deck[20] in texts_in(fresh(script={"deck": deck}, variant="eight_ball_v0").view(f"agent_{k}")) for k in range(4))


# Four players: cards


@pytest.mark.parametrize("first_is_higher", [True, False])
@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("trump", "CDHS")
@pytest.mark.parametrize("n", [4, 3, 2])
def test_b4_9_the_order_of_trumps(n: int, trump: str, k: int, first_is_higher: bool):
    """B4-9, B4-31, B3-1, B2-21, T-B4-15: 8C, right bower, left bower, A, K, Q, T, in every suit; clubs: 8C JC JS AC KC QC TC."""
    if n < 4 and trump != "D":
        trump = "C"
    order = ORDER[trump].split()
    high, low = order[k], order[k + 1]
    led, other = (high, low) if first_is_higher else (low, high)
    flip, *plain = [card for card in EIGHT_BALL_PACK if card not in order]
    hands = [led, other, " ".join(plain[:5]), " ".join(plain[5:10])][:n]
    table = at_play(n, hands, trump, flip, **({"ghost": " ".join(plain[:6])} if n == 2 else {}))
    table.do(f"play {led}", f"play {other}", *[f"play {hand.split()[0]}" for hand in hands[2:]])
    winner = 0 if first_is_higher else 1
    assert table.seat == winner and table.caught[winner] == 1 and table.trick == []


@pytest.mark.parametrize("first_is_higher", [True, False])
@pytest.mark.parametrize(
    ("high", "low"), [*pairwise(r + "S" for r in "AKQJT"), *pairwise(r + "D" for r in "AKQT"), *pairwise(r + "C" for r in "AKQJT")]
)
def test_b4_9_the_order_of_plain_suits(high: str, low: str, first_is_higher: bool):
    """B4-9, B4-31: A, K, Q, J, T; hearts being trump, the Jack of diamonds is none."""
    led, other = (high, low) if first_is_higher else (low, high)
    suit = high[1]
    spare = [card for card in EIGHT_BALL_PACK if card not in ORDER["H"].split()]
    flip = next(card for card in spare if card[1] == suit and card not in (high, low))
    others = [*[card for card in spare if card[1] != suit][:9], "TH"]
    table = at_play(4, [led, other, " ".join(others[:5]), " ".join(others[5:])], "H", flip)
    table.do(f"play {led}", f"play {other}", f"play {others[0]}", f"play {others[5]}")
    assert table.seat == (0 if first_is_higher else 1) and table.caught[table.seat] == 1


def test_b4_8_the_left_bower_belongs_to_trump():
    """B4-8: trump H: JD is no diamond and need not follow diamonds; it must follow hearts; led, it asks for hearts."""
    table = at_play(4, ["TD", "JD TC QC KC TS", "", ""], "H", "QS")
    table.do("play TD")
    assert plays(table) == {"JD", "TC", "QC", "KC", "TS"}
    table = at_play(4, ["TD", "JD QD QC KC TS", "", ""], "H", "QS")
    table.do("play TD")
    assert plays(table) == {"QD"}
    table = at_play(4, ["TH", "JD TC QC KC TS", "", ""], "H", "QS")
    table.do("play TH")
    assert plays(table) == {"JD"}
    table = at_play(4, ["JD", "AH AD KD QD TD", "", ""], "H", "QS")
    table.do("play JD")
    assert plays(table) == {"AH"}


def test_b4_9_the_eight_is_a_trump_never_a_club():
    """B4-9: clubs led does not ask for it, nor does it keep its holder from being void in clubs."""
    table = at_play(4, ["TC", "8C TD QD KD AD", "", ""], "S", "QH")
    table.do("play TC")
    assert plays(table) == {"8C", "TD", "QD", "KD", "AD"}


def test_t_b4_13_the_eight_at_any_time():
    """B4-10, T-B4-13: trump S, clubs led: with 8C and a club either; with 8C and no club anything; on any other suit too."""
    table = at_play(4, ["TC", "8C KC TD AD QD", "", ""], "S", "QH")
    assert "8C" not in plays(table)
    table.do("play TC")
    assert plays(table) == {"KC", "8C"}
    table = at_play(4, ["TD", "8C KC TS AD QD", "", ""], "S", "QH")
    table.do("play TD")
    assert plays(table) == {"AD", "QD", "8C"}
    table = at_play(4, ["8C TD", "", "", ""], "S", "QH")
    assert "8C" in plays(table), "led to the first trick"


def test_b4_11_the_eight_led_asks_for_trumps():
    """B4-11: who holds a trump plays one, the left bower too; who holds none plays anything."""
    table = at_play(4, ["8C", "AC KC AS JC TD", "AD KD QD TC QC", "TS JS KS TH AH"], "S", "QH")
    table.do("play 8C")
    assert plays(table) == {"AS", "JC"}
    table.do("play AS")
    assert plays(table) == {"AD", "KD", "QD", "TC", "QC"}
    table.do("play TC")
    assert plays(table) == {"TS", "JS", "KS"}


def test_b4_12_follow_suit():
    """B4-12: a card of the suit led if one is held, else anything."""
    table = at_play(4, ["TC", "AC KC AS JS TD", "AD KD QD JD JH", "AH KH TH QC TS"], "S", "QH")
    table.do("play TC")
    assert plays(table) == {"AC", "KC"}
    table.do("play AC")
    assert plays(table) == {"AD", "KD", "QD", "JD", "JH"}
    table.do("play AD")
    assert plays(table) == {"QC"}


def test_b4_12_the_eight_as_the_only_trump():
    """B4-12: it must be played when trump is led."""
    table = at_play(4, ["TS", "8C AD KD QD TD", "", ""], "S", "QH")
    table.do("play TS")
    assert plays(table) == {"8C"}


def test_t_b4_12_the_left_bower_led():
    """B4-8, B4-12, T-B4-12: trump D, JH led: the suit led is diamonds: a diamond, JD or 8C."""
    table = at_play(4, ["JH", "TD AH KH TC AC", "AD JD TH 8C KC", ""], "D", "QS")
    table.do("play JH")
    assert plays(table) == {"TD"}
    table.do("play TD")
    assert plays(table) == {"AD", "JD", "8C"}


def test_t_b4_14_the_eight_wins():
    """B4-31, T-B4-14: trump H: AC, 8C, JH, JD: 8C takes the trick."""
    table = at_play(4, ["AC", "8C AD KD QD TD", "JH AS KS JS TS", "JD AH KH QH TH"], "H", "QS")
    table.do("play AC", "play 8C", "play JH", "play JD")
    assert table.seat == 1 and table.caught == [0, 1, 0, 0]


# Four players: the auction with an ordinary flip


def test_t_b4_9_the_first_call():
    """B4-13, B4-14, T-B4-9: flip QH, dealer 0: seat 1 passes, bids 3 to 5 hearts, or 4 or 5 of another suit: ten calls."""
    table = four(dealer=0)
    assert table.seat == 1 and len(table.legal()) == 10
    assert table.legal() == {"pass"} | bids("345", "H") | bids("45", "CDS")


@pytest.mark.parametrize("dealer", range(4))
def test_b4_13_one_call_each_from_left_to_the_dealer(dealer: int):
    """B4-13: clockwise from left(dealer), the dealer last, then it is over; a pass that is the only legal call is asked too."""
    table = four(dealer=dealer)
    asked = table.ask("bid 3 H", "pass", "bid 5 H", "pass")
    assert asked == [(dealer + 1 + k) % 4 for k in range(4)]
    assert table.contract == [(dealer + 3) % 4, 5, "H", False] and table.legal() >= {f"discard {c}" for c in table.hands[dealer]}


def test_t_b4_10_a_later_bid_is_higher():
    """B4-15, T-B4-10: over 4S: pass and 5 of any suit; over 3H of the partner: 4 and 5 of any suit, equal numbers never."""
    table = four(dealer=0)
    table.do("bid 4 S")
    assert table.contract == [1, 4, "S", False]
    assert table.legal() == {"pass"} | bids("5")
    table = four(dealer=0)
    table.do("bid 3 H", "pass")
    assert table.seat == 3 and table.legal() == {"pass"} | bids("45"), "the partner may be outbid"


def test_t_b4_11_five_alone():
    """B4-16, T-B4-11: over an opponent's 5 pass or alone in any suit; the partner may only pass; nothing outbids alone."""
    table = four(dealer=0)
    table.do("bid 5 S")
    assert table.seat == 2 and table.legal() == {"pass"} | ALONE
    table.do("pass")
    assert table.seat == 3 and table.legal() == {"pass"}
    table.do("pass")
    assert table.seat == 0 and table.legal() == {"pass"} | ALONE
    table = four(dealer=0)
    table.do("bid 5 S", "alone C")
    assert table.contract == [2, 5, "C", True]
    for _ in range(2):
        assert table.legal() == {"pass"}
        table.do("pass")
    assert table.trump == "C" and table.contract == [2, 5, "C", True]


def test_b4_16_alone_in_every_phase():
    """B4-16: also in the open auction and on 8C, in any suit, over an opponent's 5 only."""
    table = four()
    table.do(*["pass"] * 4, "bid 5 H")
    assert table.legal() == {"pass"} | ALONE
    table = four(after="8C")
    table.do("bid 4 C")
    assert not table.legal() & ALONE
    table.do("bid 5 C")
    assert table.legal() == {"pass"} | ALONE
    table.do("pass")
    assert table.seat == 3 and table.legal() == {"pass"}


@pytest.mark.parametrize("bidder", range(4))
def test_b4_17_the_dealer_takes_the_flip(bidder: int):
    """B4-17: whoever won in the flip's suit; the dealer then discards any one of six, face down."""
    table = four("AC KC QC TC JC", "AD KD QD TD JD", "AS KS QS TS JS", "AH KH TH JH 8C")
    table.do(*["pass"] * bidder, "bid 3 H", *["pass"] * (3 - bidder))
    assert table.seat == 3 and table.flip is None and table.trump == "H" and "QH" in table.hands[3]
    assert table.legal() == discards_of("AH KH TH JH 8C QH")
    table.do("discard QH" if bidder else "discard 8C")
    assert table.discards == (["QH"] if bidder else ["8C"]) and len(table.hands[3]) == 5 and table.dead == []
    assert table.seat == 0 and plays(table) == {"AC", "KC", "QC", "TC", "JC"}


def test_b4_18_another_suit_turns_the_flip_down():
    """B4-18: face down and out of play; nobody discards; what decides is the final bid."""
    table = four()
    table.do("bid 3 H", "bid 4 S", "pass")
    assert table.flip == ["QH", True] and table.dead == []
    table.do("pass")
    assert table.flip == ["QH", False] and table.dead == ["QH"] and table.discards == []
    assert table.seat == 0 and plays(table) == set(table.hands[0])
    table = four()
    table.do("bid 4 S", "bid 5 H", "pass", "pass")
    assert table.seat == 3 and table.flip is None and "discard QH" in table.legal()


def test_b4_19_all_pass():
    """B4-19: the flip is turned down, dead, and the open auction begins at left(dealer)."""
    table = four()
    table.do("pass", "pass", "pass")
    assert table.seat == 3 and "pass" in table.legal() and table.flip == ["QH", True]
    table.do("pass")
    assert table.seat == 0 and table.flip == ["QH", False] and table.dead == ["QH"] and table.contract is None


def test_b4_20_the_open_auction():
    """B4-20: 3 to 5 in any suit, the turned-down one included; one call each, each bid higher; then no discard."""
    table = four()
    table.do(*["pass"] * 4)
    assert table.legal() == {"pass"} | bids("345")
    asked = table.ask("bid 3 H", "bid 4 C", "pass", "pass")
    assert asked == [0, 1, 2, 3] and table.contract == [1, 4, "C", False]
    assert table.seat == 0 and table.discards == [] and plays(table) == set(table.hands[0])
    table = four()
    table.do(*["pass"] * 4, "bid 3 H")
    assert table.legal() == {"pass"} | bids("45")


def test_b4_21_the_dealer_must_bid():
    """B4-21: if the first three pass in the open auction: at least 3 in any suit; not if there is a bid."""
    table = four()
    table.do(*["pass"] * 7)
    assert table.seat == 3 and table.legal() == bids("345")
    table.do("bid 3 D")
    assert table.contract == [3, 3, "D", False] and table.seat == 0
    table = four()
    table.do(*["pass"] * 6, "bid 3 D")
    assert table.legal() == {"pass"} | bids("45")


# Four players: 8C turned up


def test_b4_26_any_suit_from_three():
    """B4-26: 3 to 5 in any suit, clubs no more than others."""
    table = four(after="8C")
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 3 D")
    assert table.legal() == {"pass"} | bids("45")


def test_b4_27_round_and_round():
    """B4-27: a bidder may come in again with more tricks and another suit; a pass is final; the last one left has it."""
    table = four(after="8C")
    asked = table.ask("bid 3 C", "pass", "bid 4 D", "pass", "bid 5 S")
    assert asked == [0, 1, 2, 3, 0]
    assert table.seat == 2 and table.legal() == {"pass"}, "a 5 of the partner"
    table.do("pass")
    assert table.contract == [0, 5, "S", False] and table.seat == 0 and "discard 8C" in table.legal()


def test_b4_27_it_ends_when_every_other_seat_has_passed():
    """B4-27: also at once with a bid, when the others have passed before."""
    table = four(after="8C")
    table.do("pass", "pass", "pass", "bid 3 D")
    assert table.contract == [3, 3, "D", False] and table.seat == 3 and "discard 8C" in table.legal()
    table = four(after="8C")
    table.do("bid 3 D", "pass", "pass", "bid 4 D", "pass")
    assert table.contract == [3, 4, "D", False] and table.trump == "D"


def test_b4_28_the_winner_takes_the_eight():
    """B4-28: not the dealer, whatever the suit; any one of six goes, 8C too."""
    table = four("AC KC QC TC JC", "", "", "", after="8C")
    table.do("bid 3 D", "pass", "pass", "pass")
    assert table.seat == 0 and table.flip is None
    assert table.legal() == discards_of("AC KC QC TC JC 8C")
    table.do("discard 8C")
    assert table.discards == ["8C"] and table.dead == [] and table.seat == 0 and "8C" not in table.hands[0]


def test_b4_29_all_pass_the_eight():
    """B4-29: it is turned down, dead, and the open auction follows, one call each."""
    table = four(after="8C")
    table.do(*["pass"] * 4)
    assert table.dead == ["8C"] and table.flip == ["8C", False] and table.seat == 0 and table.legal() == {"pass"} | bids("345")
    assert table.ask("bid 3 C", "bid 4 C", "pass", "pass") == [0, 1, 2, 3]
    assert table.contract == [1, 4, "C", False] and table.seat == 0 and table.discards == []


# Four players: play


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("bidder", range(4))
def test_b4_30_left_of_the_dealer_leads(dealer: int, bidder: int):
    """B4-30: whoever won the auction."""
    table = four(dealer=dealer)
    table.do(*["pass"] * bidder, "bid 4 S", *["pass"] * (3 - bidder))
    assert table.seat == (dealer + 1) % 4 and all(action.startswith("play") for action in table.legal())


def test_b4_31_the_winner_leads():
    """B4-31: the highest trump, or the highest card of the suit led, takes the trick; its winner leads next."""
    hands = ["TC AS QC QS TH", "KC QH JH JD KS", "AC KH JS TS QD", "AD TD 8C JC AH"]
    table = at_play(4, hands, "S", "KD")
    table.do("play TC", "play KC", "play AC")
    assert table.trick == [[0, "TC"], [1, "KC"], [2, "AC"]] and plays(table) == {"AD", "TD", "8C", "JC", "AH"}
    table.do("play AD")
    assert table.seat == 2 and table.caught == [0, 0, 1, 0] and sorted(table.played) == ["AC", "AD", "KC", "TC"]
    table.do("play KH", "play AH", "play TH", "play QH")
    assert table.seat == 3 and table.caught == [0, 0, 1, 1]
    table.do("play TD", "play QS", "play JD", "play QD")
    assert table.seat == 0 and table.caught == [1, 0, 1, 1], "a trump takes it"


def test_b4_32_five_tricks_then_the_score():
    """B4-32: the hand is scored after the fifth trick, not before."""
    table = at_play(4, ["", "", "", ""], "S", "QD")
    for k in range(20):
        assert not table.over and sum(table.caught) == k // 4 and table.scores == [0, 0, 0, 0]
        table.do(sorted(table.legal())[0])
    assert table.over and table.hands == [[], [], [], []] and len(table.played) == 20 and sum(table.caught) == 5
    assert table.payoffs == table.scores and table.payoffs[0] == table.payoffs[2] != 0


def alone_table(bidder: int, suit: str = "S", flip: str = "QH", **options: Any) -> EightBallTable:
    """The seat before ``bidder`` has bid 5 in another suit, ``bidder`` goes alone, all others have passed."""
    table = four(after=flip, **options)
    table.do(*["pass"] * (bidder - 1), "bid 5 C", f"alone {suit}", *["pass"] * (3 - bidder))
    return table


def test_b4_33_the_partner_takes_no_part():
    """B4-33, B4-30: tricks have three cards; the partner is never asked and keeps the hand; the next active seat leads."""
    table = alone_table(2)
    assert table.contract == [2, 5, "S", True] and table.seat == 1, "seat 0, left of the dealer, sits out"
    resting = table.hands[0]
    for k in range(15):
        assert table.seat != 0 and sum(table.caught) == k // 3
        table.do(sorted(table.legal())[0])
    assert table.over and table.hands == [resting, [], [], []] and len(table.played) == 15


@pytest.mark.parametrize("bidder", [1, 2, 3])
def test_b4_33_the_flip_with_a_lone_hand(bidder: int):
    """B4-33: in the flip's suit the dealer (3) takes it, but for a dealer who rests: then it is turned down."""
    table = alone_table(bidder, "H")
    if bidder == 1:
        assert table.dead == ["QH"] and table.flip == ["QH", False] and table.discards == []
        assert table.seat == 0 and len(table.hands[3]) == 5
    else:
        assert table.seat == 3 and "discard QH" in table.legal() and table.dead == []


@pytest.mark.parametrize("bidder", [1, 2])
def test_b4_28_a_lone_bidder_takes_the_eight(bidder: int):
    """B4-28, B4-33: 8C goes to the lone bidder, also when the dealer rests."""
    table = four(after="8C")
    table.do(*["pass"] * (bidder - 1), "bid 5 C", "alone H", *["pass"] * (4 - bidder))
    assert table.contract == [bidder, 5, "H", True] and table.seat == bidder and "discard 8C" in table.legal()


# Four players: scoring


def hands_for(strength: str, bidder: int, n: int) -> list[str]:
    """Hands with which the bidder of hearts can catch all tricks, none, or some; QH is elsewhere."""
    bidders, next_one = bidder, (bidder + 1) % n
    hands = [""] * n
    if strength == STRONG:
        hands[bidders] = TOP_HEARTS
    elif strength == WEAK:
        hands[next_one] = TOP_HEARTS
    else:
        hands[bidders], hands[next_one] = "8C JD AS KS TH", "JH AH KH AD AC"
    return hands


SCORES = [
    # bid, alone, caught, bidding side, other side
    (3, False, 3, 6, 2),
    (3, False, 4, 7, 1),
    (3, False, 5, 8, 0),
    (4, False, 4, 8, 1),
    (4, False, 5, 9, 0),
    (5, False, 5, 12, 0),
    (5, True, 5, 15, 0),
    (3, False, 2, -5, 3),
    (3, False, 1, -6, 4),
    (3, False, 0, -7, 5),
    (4, False, 3, -5, 2),
    (4, False, 2, -6, 3),
    (4, False, 1, -7, 4),
    (4, False, 0, -8, 5),
    (5, False, 4, -5, 1),
    (5, False, 0, -9, 5),
    (5, True, 4, -5, 1),
    (5, True, 0, -9, 5),
]


def split_between(table: EightBallTable, bidder: int, number: int) -> None:
    """Play on so that the bidder's side catches so many tricks."""
    start = table.env.snapshot()
    for seed in range(4000):
        table.env.restore(start)
        play_hand(table.env, seed)
        if sum(table.caught[seat] for seat in (bidder, (bidder + 2) % 4)) == number:
            return
    raise AssertionError("no random line ended so")


@pytest.mark.parametrize(("bid", "alone", "caught", "side", "others"), SCORES)
def test_b4_34_scores(bid: int, alone: bool, caught: int, side: int, others: int):
    """B4-34, B4-35, B4-36, B4-37, B4-38, T-B4-1 … T-B4-8: made 2b + (t - b), 5 made 12, alone 15; set -4 - (b - t); others 1 each.

    T-B4-1, T-B4-2, T-B4-3, T-B4-4, T-B4-5, T-B4-6, T-B4-7, T-B4-8.
    """
    strength = STRONG if caught == 5 else WEAK if caught == 0 else EVEN
    bidder = 1 if alone else 0
    table = four(*hands_for(strength, bidder, 4), after="QH")
    if alone:
        table.do("bid 5 C", "alone H", "pass", "pass")
    else:
        table.do(f"bid {bid} H", "pass", "pass", "pass", "discard QH")
    split_between(table, bidder, caught)
    expected = [side if seat % 2 == bidder % 2 else others for seat in range(4)]
    assert table.payoffs == expected and table.scores == expected
    assert [table.env.rewards[f"agent_{seat}"] for seat in range(4)] == expected


def test_b4_37_totals_may_go_below_zero():
    """B4-37: and the other side's points are its tricks."""
    table = four(*hands_for(WEAK, 0, 4), match=True)
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[-7, 5, -7, 5])
    assert table.scores == [-7, 5, -7, 5] and not table.over and table.hand_number == 1


def test_t_b4_16_both_sides_reach_the_target():
    """B4-39, T-B4-16: 27-29, the side with 27 bids 3 and catches 3: 33 against 31: the bidding side wins."""
    table = four(*hands_for(EVEN, 0, 4), match=True, reward="win")
    table.set_scores(27, 29, 27, 29)
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[6, 2, 6, 2])
    assert table.over and table.scores == [33, 31, 33, 31]
    assert table.env.rewards == {"agent_0": 0.5, "agent_1": -0.5, "agent_2": 0.5, "agent_3": -0.5}


def test_b4_39_the_other_side_may_win():
    """B4-39: a side at the target wins, whoever bid."""
    table = four(*hands_for(WEAK, 0, 4), match=True, reward="win")
    table.set_scores(29, 25, 29, 25)
    table.do("bid 3 H", "pass", "pass", "pass", "discard QH")
    table.finish(payoffs=[-7, 5, -7, 5])
    assert table.over and table.scores == [22, 30, 22, 30]
    assert table.env.rewards == {"agent_0": -0.5, "agent_1": 0.5, "agent_2": -0.5, "agent_3": 0.5}


# Three players: the deal


@pytest.mark.parametrize("dealer", range(3))
def test_b3_4_six_each_two_at_a_time(dealer: int):
    """B3-4, B3-5: three rounds of two from left(dealer); three cards stay, the top one is flipped."""
    deck = random.Random(dealer).sample(EIGHT_BALL_PACK, 21)
    shown = fresh(script={"deck": deck, "dealer": dealer}, variant="eight_ball_v0", num_players=3).reveal()
    for k in range(3):
        dealt = [card for i in range(3) for card in deck[6 * i + 2 * k : 6 * i + 2 * k + 2]]
        assert Counter(shown["hands"][(dealer + 1 + k) % 3]) == Counter(dealt)
    assert shown["flip"] == [deck[18], True] and shown["hidden"] == deck[19:]


def test_b3_1_following_and_the_eight():
    """B3-1, B3-19: as with four: follow suit, or play 8C; the left bower is a trump."""
    table = at_play(3, ["TC", "8C KC TD AD QD", "JC AC QS AH KH"], "S", "QH")
    table.do("play TC")
    assert plays(table) == {"KC", "8C"}
    table.do("play KC")
    assert plays(table) == {"AC"}


# Three players: the auction


@pytest.mark.parametrize("dealer", range(3))
def test_b3_6_one_call_each(dealer: int):
    """B3-6, B3-7: clockwise from left(dealer), each bid higher; 3 to 5 in the flip's suit, 4 and 5 in another."""
    table = three(dealer=dealer)
    assert table.legal() == {"pass"} | bids("345", "H") | bids("45", "CDS")
    first = table.seat
    table.do("bid 3 H")
    assert table.legal() == {"pass"} | bids("45")
    table.do("bid 4 C")
    assert table.legal() == {"pass"} | bids("5")
    assert [first, table.seat] == [(dealer + 1) % 3, dealer]
    table.do("bid 5 D")
    assert table.contract == [dealer, 5, "D", False] and table.trump == "D"


def test_b3_8_six():
    """B3-8: only while the flip is 8C, over a standing 5 of another player; it outranks 5, and nothing outranks it."""
    table = three()
    table.do("bid 5 H")
    assert table.legal() == {"pass"}, "an ordinary flip"
    table = three(after="8C AS KS")
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 4 H")
    assert table.legal() == {"pass"} | bids("5")
    table.do("bid 5 H")
    assert table.legal() == {"pass"} | bids("6")
    table.do("pass")
    assert table.seat == 0 and table.legal() == {"pass"} | bids("6")
    table.do("bid 6 D")
    assert table.seat == 1 and table.legal() == {"pass"} and table.contract == [0, 6, "D", False]
    table.do("pass")
    assert table.contract == [0, 6, "D", False] and table.seat == 0 and "discard 8C" in table.legal()


@pytest.mark.parametrize("dealer", range(3))
def test_b3_9_the_dealer_takes_the_flip(dealer: int):
    """B3-9, B3-18: in the flip's suit the dealer discards two of seven, each other player one, in seat order, the dealer last."""
    table = three(dealer=dealer)
    table.do("pass", "bid 3 H", "pass")
    assert table.flip is None and "QH" in table.hands[dealer] and len(table.hands[dealer]) == 7
    asked = []
    for _ in range(4):
        asked.append(table.seat)
        assert table.legal() == {f"discard {card}" for card in table.hands[table.seat]}
        put_aside(table)
    assert asked == [(dealer + 1) % 3, (dealer + 2) % 3, dealer, dealer]
    assert [len(hand) for hand in table.hands] == [5, 5, 5] and len(table.discards) == 4
    assert table.seat == (dealer + 1) % 3 and plays(table) == set(table.hands[table.seat])


def test_b3_10_another_suit():
    """B3-10: the flip is turned face down; each player, the dealer included, discards one."""
    table = three()
    table.do("bid 3 H", "bid 4 S", "pass")
    assert table.flip == ["QH", False] and table.dead == ["QH"]
    asked = []
    for _ in range(3):
        asked.append(table.seat)
        put_aside(table)
    assert asked == [0, 1, 2] and [len(hand) for hand in table.hands] == [5, 5, 5]
    assert table.seat == 0 and plays(table) == set(table.hands[0])


def test_b3_11_all_pass():
    """B3-11: the flip is turned down, the next card flipped; a new auction at left(dealer), in the new flip's suit."""
    table = three(after="QH AS KD", dealer=1)
    table.do("pass", "pass", "pass")
    assert table.dead == ["QH"] and table.flip == ["AS", True] and table.hidden == ["KD"] and table.seat == 2
    assert table.legal() == {"pass"} | bids("345", "S") | bids("45", "CDH")
    table.do("pass", "pass", "pass")
    assert table.dead == ["QH", "AS"] and table.flip == ["KD", True] and table.hidden == [] and table.seat == 2


def test_t_b3_6_the_next_flip_clears_the_passes():
    """B3-12, T-B3-6: who has passed may not bid again until another card is flipped."""
    table = three(auction="continuous")
    table.do("pass", "bid 3 H", "bid 4 H")
    assert table.seat == 1, "seat 0 has passed"
    table = three(auction="continuous")
    table.do("pass", "pass", "pass")
    assert table.flip == ["AS", True] and table.seat == 0 and table.legal() > {"pass"}
    table = three(after="8C AS KS")
    table.do("pass", "bid 3 H", "bid 4 H")
    assert table.seat == 1
    table.do("bid 5 C")
    assert table.seat == 2


def test_b3_13_the_third_flip_too():
    """B3-13, B3-14: it is turned down and the open auction follows: one call each, 3 to 5 in any suit."""
    table = three()
    table.do(*["pass"] * 9)
    assert table.dead == ["QH", "AS", "KS"] and table.flip == ["KS", False] and table.hidden == [] and table.seat == 0
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 3 S")
    assert table.legal() == {"pass"} | bids("45")
    table.do("bid 4 H", "pass")
    assert table.contract == [1, 4, "H", False]


def test_b3_15_the_dealer_must_bid():
    """B3-15: when the other two pass in the open auction; then everyone discards one."""
    table = three()
    table.do(*["pass"] * 11)
    assert table.seat == 2 and table.legal() == bids("345")
    table.do("bid 3 S")
    asked = []
    for _ in range(3):
        asked.append(table.seat)
        put_aside(table)
    assert asked == [0, 1, 2] and table.seat == 0 and [len(hand) for hand in table.hands] == [5, 5, 5]


def test_t_b3_5_the_second_flip_is_the_eight():
    """B3-16, B3-17, T-B3-5: any suit from 3; round and round; the winner takes 8C and discards two of seven, also 8C itself."""
    table = three("", "AC KC QC TC JC AS", "", after="AD 8C KS")
    table.do("pass", "pass", "pass")
    assert table.flip == ["8C", True] and table.legal() == {"pass"} | bids("345")
    assert table.ask("bid 3 H", "bid 4 C", "pass", "bid 5 H", "pass") == [0, 1, 2, 0, 1]
    assert table.contract == [0, 5, "H", False]
    assert len(table.hands[0]) == 7 and "8C" in table.hands[0] and table.dead == ["AD"]
    seats = []
    for _ in range(4):
        seats.append(table.seat)
        table.do("discard 8C") if "discard 8C" in table.legal() else put_aside(table)
    assert seats == [0, 0, 1, 2] and [len(hand) for hand in table.hands] == [5, 5, 5] and "8C" in table.discards


@pytest.mark.parametrize(("flips", "place"), [("8C AS KS", 1), ("AS 8C KS", 2), ("AS KS 8C", 3)])
def test_b3_17_all_pass_the_eight(flips: str, place: int):
    """B3-17: it is dead; the next flip, or the open auction after the third."""
    table = three(after=flips)
    table.do(*["pass"] * 3 * place)
    assert table.dead[-1] == "8C" and table.seat == 0
    if place == 3:
        assert table.legal() == {"pass"} | bids("345") and table.flip == ["8C", False]
    else:
        suit = flips.split()[place][1]
        assert table.flip == [flips.split()[place], True]
        if table.flip[0] != "8C":
            assert table.legal() == {"pass"} | bids("345", suit) | bids("45", "CDHS".replace(suit, ""))


def test_b3_18_discards_and_undealt_cards_are_hidden():
    """B3-18: others are told that a card was put aside, not which; cards that are not flipped are never seen."""
    table = three("", "", "", after="QH AS KS")
    table.do("bid 4 C", "pass", "pass")
    mine = sorted(table.hands[0])[0]
    table.do(f"discard {mine}")
    for other in ("agent_1", "agent_2", None):
        assert not any(mine in line.split() for line in re_split(table.env.log(other)))
        if other:
            assert not {mine, "AS", "KS"} & set(texts_in(table.env.view(other)))
    assert any(mine in line.split() for line in re_split(table.env.log("agent_0")[-1:]))
    put_aside(table)
    put_aside(table)
    play_random(table.env, 1)
    for agent in ("agent_0", "agent_1", "agent_2", None):
        assert not any({"AS", "KS"} & set(line.split()) for line in re_split(table.env.log(agent)))


def re_split(lines: list[str]) -> list[str]:
    """Lines of a log with nothing but words in them."""
    return [re.sub(r"[^\w]+", " ", line) for line in lines]


def test_t_b3_7_every_card_is_somewhere():
    """T-B3-7: after the discards 15 in hands, 3 undealt or turned down and 3 discards; flip taken: 15, 2 and 4."""
    for bid, counts in (("bid 4 S", (15, 3, 3)), ("bid 3 H", (15, 2, 4))):
        table = three(after="QH KS AD")
        table.do(bid, "pass", "pass")
        while table.legal() and sorted(table.legal())[0].startswith("discard"):
            put_aside(table)
        cards = [card for hand in table.hands for card in hand], [*table.hidden, *table.dead], table.discards
        assert tuple(map(len, cards)) == counts
        assert Counter([card for part in cards for card in part]) == Counter(EIGHT_BALL_PACK)


# Three players: play and scoring


@pytest.mark.parametrize("dealer", range(3))
def test_b3_19_left_of_the_dealer_leads_and_then_the_winner(dealer: int):
    """B3-19, B3-20: tricks of three cards, five of them, then the score."""
    table = three(dealer=dealer)
    table.do("pass", "pass", "bid 4 C")
    for _ in range(3):
        put_aside(table)
    assert table.seat == (dealer + 1) % 3
    leader = table.seat
    for k in range(15):
        if k % 3 == 0:
            before, leader = table.caught, table.seat
        assert table.seat == (leader + k % 3) % 3 and not table.over and sum(table.caught) == k // 3
        table.do(sorted(table.legal())[0])
        if k % 3 == 2 and k < 14:
            assert table.seat == next(seat for seat in range(3) if table.caught[seat] > before[seat])
    assert table.over and sum(table.caught) == 5 and len(table.played) == 15


EIGHT_UP = "8C AS KS"
THREE_SCORES = [
    # flips, calls, bidder, tricks caught, payoffs
    ("QH AS KS", ["bid 3 H", "pass", "pass"], 0, [4, 1, 0], [7, 1, 0]),
    ("QH AS KS", ["bid 3 H", "pass", "pass"], 0, [3, 0, 2], [6, 0, 2]),
    ("QH AS KS", ["bid 3 H", "pass", "pass"], 0, [5, 0, 0], [8, 0, 0]),
    ("QH AS KS", ["bid 4 H", "pass", "pass"], 0, [4, 0, 1], [8, 0, 1]),
    ("QH AS KS", ["bid 4 H", "pass", "pass"], 0, [5, 0, 0], [9, 0, 0]),
    ("QH AS KS", ["bid 5 H", "pass", "pass"], 0, [5, 0, 0], [12, 0, 0]),
    ("QH AS KS", ["bid 4 H", "pass", "pass"], 0, [3, 1, 1], [-5, 1, 1]),
    ("QH AS KS", ["bid 3 H", "pass", "pass"], 0, [0, 5, 0], [-7, 5, 0]),
    ("QH AS KS", ["bid 5 H", "pass", "pass"], 0, [4, 1, 0], [-5, 1, 0]),
    (EIGHT_UP, ["pass", "bid 5 C", "bid 6 H", "pass"], 2, [0, 0, 5], [0, 0, 15]),
    (EIGHT_UP, ["pass", "bid 5 C", "bid 6 H", "pass"], 2, [1, 0, 4], [1, 0, -5]),
    (EIGHT_UP, ["pass", "bid 5 C", "bid 6 H", "pass"], 2, [2, 0, 3], [2, 0, -6]),
]


@pytest.mark.parametrize(("flips", "calls", "bidder", "caught", "payoffs"), THREE_SCORES)
def test_b3_21_scores(flips: str, calls: list[str], bidder: int, caught: list[int], payoffs: list[int]):
    """B3-21, B3-22, B3-23, B3-24, T-B3-1, T-B3-2, T-B3-3, T-B3-4: as with four; 6 made 15; the others 1 for each own trick."""
    hands = ["", "", ""]
    if caught[bidder] == 0:
        hands[(bidder + 1) % 3] = TOP_HEARTS
    elif caught[bidder] == 5:
        hands[bidder] = "JH JD AH KH TH"
    else:
        hands = [("8C " if flips != EIGHT_UP and seat == bidder else "") + hand for seat, hand in enumerate(hands)]
        hands[bidder] += "JD TH AD KC"
        hands[(bidder + 1) % 3] = "JH AC KH QC"
    table = three(*hands, after=flips)
    table.do(*calls)
    table.finish(caught=caught)
    assert table.payoffs == payoffs and table.scores == payoffs


def three_match(*scores: int, caught: int, **options: Any) -> EightBallTable:
    """A match at these totals; seat 0 has bid 3 H. ``caught``: how many tricks it should be able to catch."""
    hands = [TOP_HEARTS, "", ""] if caught == 5 else ["", TOP_HEARTS, ""] if not caught else ["8C JD AS KC TH", "JH AH KH AD", ""]
    table = three(*hands, after="QH QS QC", match=True, reward="win", **options)
    table.set_scores(*scores)
    table.do("bid 3 H", "pass", "pass")
    return table


def test_b3_25_several_reach_the_target():
    """B3-25: the bidder if among them; otherwise the highest total; an exact tie is played on."""
    table = three_match(22, 29, 29, caught=3)
    table.finish(payoffs=[6, 1, 1])
    # 28, 30, 30: a tie of two that did not bid.
    assert not table.over and table.scores == [28, 30, 30] and table.hand_number == 1
    table = three_match(24, 30 - 1, 29, caught=3)
    table.finish(payoffs=[6, 2, 0])
    assert table.over and table.scores == [30, 31, 29]
    assert table.env.rewards == {"agent_0": 1.0, "agent_1": -0.5, "agent_2": -0.5}, "the bidder, with less"
    table = three_match(10, 29, 29, caught=2)
    table.finish(payoffs=[-5, 2, 1])
    assert table.over and table.env.rewards == {"agent_0": -0.5, "agent_1": 1.0, "agent_2": -0.5}, "the highest total"


# Two players: the deal


@pytest.mark.parametrize("dealer", range(2))
def test_b2_5_six_each_in_twos(dealer: int):
    """B2-5, B2-6, B2-1: opponent, ghost, dealer; the top one of three is flipped; of the ghost's the last dealt lies on top."""
    deck = random.Random(dealer).sample(EIGHT_BALL_PACK, 21)
    shown = fresh(script={"deck": deck, "dealer": dealer}, variant="eight_ball_v0", num_players=2).reveal()
    dealt = [[card for i in range(3) for card in deck[6 * i + 2 * k : 6 * i + 2 * k + 2]] for k in range(3)]
    assert Counter(shown["hands"][1 - dealer]) == Counter(dealt[0]) and Counter(shown["hands"][dealer]) == Counter(dealt[2])
    assert shown["ghost"] == dealt[1][::-1]
    assert shown["flip"] == [deck[18], True] and shown["hidden"] == deck[19:]


# Two players: the auction


@pytest.mark.parametrize("dealer", range(2))
def test_b2_7_the_non_dealer_calls_first(dealer: int):
    """B2-7, B2-8: pass or 3 to 5 in any suit; the dealer may then outbid."""
    table = two(dealer=dealer)
    assert table.seat == 1 - dealer and table.legal() == {"pass"} | bids("345")
    table.do("bid 3 C")
    assert table.seat == dealer and table.legal() == {"pass"} | bids("45")


def test_b2_9_calls_alternate():
    """B2-9: each bid above the last, until one passes; a dealer who bids after a pass has it at once."""
    table = two()
    assert table.ask("bid 3 C", "bid 4 H", "bid 5 S") == [0, 1, 0]
    assert table.seat == 1 and table.legal() == {"pass"}
    table.do("pass")
    assert table.contract == [0, 5, "S", False] and table.trump == "S" and table.seat == 0
    table = two()
    table.do("pass", "bid 3 C")
    assert table.contract == [1, 3, "C", False] and table.seat == 1 and "discard QH" in table.legal()


def test_b2_10_six():
    """B2-10, B2-15: only while the flip is 8C, over the other player's 5; suits may change."""
    table = two(after="8C AS KS")
    assert table.legal() == {"pass"} | bids("345")
    table.do("bid 4 D", "bid 5 C")
    assert table.legal() == {"pass"} | bids("6")
    table.do("bid 6 H")
    assert table.legal() == {"pass"}
    table.do("pass")
    assert table.contract == [0, 6, "H", False] and table.seat == 0
    table = two()
    table.do("bid 5 C")
    assert table.legal() == {"pass"}


def test_b2_11_the_winner_takes_the_flip():
    """B2-11: whatever the suit of the bid, dealer or not; discards two of seven, the flip too if wanted."""
    table = two("AC KC QC TC JC AD", "", after="QH AS KS")
    table.do("bid 3 C", "pass")
    assert table.seat == 0 and table.flip is None
    assert table.legal() == discards_of("AC KC QC TC JC AD QH")
    table.do("discard QH")
    assert table.seat == 0 and table.legal() == discards_of("AC KC QC TC JC AD")
    table.do("discard AD")
    assert table.discards == ["QH", "AD"] and table.dead == [] and set(table.hands[0]) == {"AC", "KC", "QC", "TC", "JC"}
    assert table.seat == 1


@pytest.mark.parametrize("flip", [1, 2, 3])
@pytest.mark.parametrize("bidder", [0, 1])
def test_b2_12_the_other_takes_the_hidden_cards(flip: int, bidder: int):
    """B2-12: all that were not flipped, 2, 1 or 0: asked always; 1 + k discards come first, then the cards."""
    table = two(after="QH AS KS")
    table.do(*["pass"] * 2 * (flip - 1), *(["bid 3 C", "pass"] if bidder == 0 else ["pass", "bid 3 C"]))
    put_aside(table)
    put_aside(table)
    other, hidden = 1 - bidder, ["QH", "AS", "KS"][flip:]
    assert table.seat == other and table.legal() == {f"take {3 - flip}"}
    table.do(f"take {3 - flip}")
    kept = sorted(table.hands[other])[: 5 - len(hidden)]
    for k in range(1 + len(hidden)):
        assert table.seat == other and len(table.hands[other]) == 6 - k and table.hidden == hidden
        assert all(action.startswith("discard") for action in table.legal())
        put_aside(table, *kept)
    assert sorted(table.hands[other]) == sorted([*kept, *hidden]) and table.hidden == []
    assert all(action.startswith("play") for action in table.legal())


def test_b2_12_the_cards_taken_are_seen_by_nobody_else():
    """B2-12: neither in the view nor in the log of the other player."""
    table = two(after="QH AS KS")
    table.do("bid 3 C", "pass")
    put_aside(table)
    put_aside(table)
    table.do("take 2", *[f"discard {card}" for card in sorted(table.hands[1])[:3]])
    assert {"AS", "KS"} <= set(table.hands[1]) and {"AS", "KS"} <= set(texts_in(table.env.view("agent_1")))
    assert not {"AS", "KS"} & set(texts_in(table.env.view("agent_0")))
    assert not any({"AS", "KS"} & set(line.split()) for line in re_split(table.env.log("agent_0")))


def test_b2_13_both_pass():
    """B2-13: the flip is turned down, the second card flipped, the same again."""
    table = two(after="QH AS KS")
    table.do("pass", "pass")
    assert table.dead == ["QH"] and table.flip == ["AS", True] and table.hidden == ["KS"]
    assert table.seat == 0 and table.legal() == {"pass"} | bids("345")


def test_b2_14_the_third_flip():
    """B2-14: both pass again: the range becomes 2 to 5."""
    table = two(after="QH AS KS")
    table.do(*["pass"] * 4)
    assert table.dead == ["QH", "AS"] and table.flip == ["KS", True] and table.hidden == []
    assert table.legal() == {"pass"} | bids("2345")
    table.do("bid 2 D")
    assert table.legal() == {"pass"} | bids("345")


@pytest.mark.parametrize(("flips", "place", "numbers"), [("8C AS KS", 0, "345"), ("QH 8C KS", 1, "345"), ("QH AS 8C", 2, "2345")])
def test_b2_15_the_eight_is_flipped(flips: str, place: int, numbers: str):
    """B2-15, B2-16: bids up to 6 over a 5, from 2 on the third flip; the high bidder takes 8C and discards two."""
    table = two(after=flips)
    table.do(*["pass"] * 2 * place)
    assert table.flip == ["8C", True] and table.legal() == {"pass"} | bids(numbers)
    table.do("bid 5 D", "bid 6 D", "pass")
    assert table.contract == [1, 6, "D", False] and table.seat == 1 and "8C" in table.hands[1]
    table.do("discard 8C")
    put_aside(table)
    assert table.seat == 0 and "8C" in table.discards and len(table.hands[1]) == 5


def test_b2_16_both_pass_the_eight():
    """B2-16: the next flip; 8C is dead."""
    table = two(after="8C AS KS")
    table.do("pass", "pass")
    assert table.dead == ["8C"] and table.flip == ["AS", True]
    table.do("bid 5 C")
    assert table.legal() == {"pass"}, "no six any more"


def test_b2_17_a_pass_out_hand():
    """B2-17, B2-22: each discards one, non-dealer first; the ghost leads its top card, whose suit is trump."""
    table = passed_out("", "", ghost="JD TH", after="QH AS KS")
    assert table.contract is None and table.trump is None and table.dead == ["QH", "AS", "KS"] and table.hidden == []
    assert table.seat == 0 and all(action.startswith("discard") for action in table.legal())
    put_aside(table)
    assert table.seat == 1 and table.trump is None and table.trick == []
    put_aside(table)
    assert table.trump == "D" and table.trick == [["ghost", "JD"]] and table.seat == 0 and len(table.ghost) == 5
    assert [len(hand) for hand in table.hands] == [5, 5] and table.contract is None


def test_b2_17_the_ghost_leads_the_eight():
    """B2-17: trump is clubs."""
    table = passed_out("JS TD AD KD QD JD", "JC TC KC QC AC JH", ghost="8C TH KH AH QS TS", after="QH AS KS")
    put_aside(table, "JS")
    put_aside(table, "JC", "TC")
    assert table.trump == "C" and table.trick == [["ghost", "8C"]]
    assert plays(table) == {"JS"}, "the left bower is a trump"


def test_b2_18_one_point_for_each_trick():
    """B2-18, T-B2-4: no bid, no set: 3-1 with one of the ghost's: +3, +1."""
    table = passed_out("8C JD AD KC AC AH", "JH JC AS QC KH KD", ghost="QD TD", after="TS TH TC")
    table.finish(caught=[3, 1, 1])
    assert table.payoffs == [3, 1] and table.scores == [3, 1]
    table = passed_out("", "", ghost="8C JC JS AC KC QC", after="TS TH TC")
    table.finish(caught=[0, 0, 5])
    assert table.payoffs == [0, 0]


# Two players: play


@pytest.mark.parametrize("dealer", range(2))
@pytest.mark.parametrize("bidder", range(2))
def test_b2_19_the_non_dealer_leads(dealer: int, bidder: int):
    """B2-19: with a contract, whoever has it."""
    table = two(dealer=dealer)
    table.do(*(["bid 3 C", "pass"] if bidder != dealer else ["pass", "bid 3 C"]))
    while not any(action.startswith("play") for action in table.legal()):
        table.do(sorted(table.legal())[0])
    assert table.seat == 1 - dealer


def test_b2_20_the_ghost_turns_its_top_card():
    """B2-20, T-B2-7: the dealer follows or plays 8C; the ghost need not follow, and a plain card off suit cannot win."""
    table = at_play(2, ["TC KD AH KH QH", "8C AC QC TD KS"], "S", "JH", ghost="AD JC AS QS TS JS")
    assert table.trump == "S" and table.seat == 0
    table.do("play TC")
    assert table.seat == 1 and plays(table) == {"AC", "QC", "8C"}
    table.do("play QC")
    assert table.seat == 1 and table.caught == [0, 1, 0] and table.trick == []
    assert Counter(table.played) == Counter(["TC", "QC", "AD"]) and table.ghost == ["JC", "AS", "QS", "TS", "JS"]


def test_b2_21_the_best_of_three_cards():
    """B2-21, B2-22, B2-23: JC of the ghost, the left bower, takes the trick: it leads its next card, then the non-dealer plays."""
    table = at_play(2, ["TC KD AH KH QH", "8C AC QC TD KS"], "S", "JH", ghost="JC AD AS QS TS JS")
    table.do("play TC", "play QC")
    assert table.caught == [0, 0, 1] and table.trick == [["ghost", "AD"]]
    assert table.seat == 0 and plays(table) == {"KD"}
    table.do("play KD")
    assert table.seat == 1 and plays(table) == {"TD", "8C"}
    table.do("play TD")
    assert table.caught == [0, 0, 2] and table.trick == [["ghost", "AS"]] and table.ghost == ["QS", "TS", "JS"]


def test_b2_22_the_ghost_plays_last_unless_it_leads():
    """B2-22: when a player leads, the other plays second, the ghost third."""
    table = at_play(2, ["TC KD AH KH QH", "8C AC QC TD KS"], "S", "JH", ghost="AD JC AS QS TS JS")
    table.do("play TC", "play QC")
    assert table.seat == 1, "the dealer leads"
    table.do("play TD")
    assert table.seat == 0 and table.trick == [[1, "TD"]]
    table.do("play KD")
    assert table.caught == [0, 1, 1] and table.trick == [["ghost", "AS"]]


def test_b2_23_five_tricks_and_the_ghosts_are_nobodys():
    """B2-23: then the score; one card of the ghost stays unseen."""
    table = at_play(2, ["TC KD AH KH QH", "8C AC QC TD KS"], "S", "JH", ghost="JC AD AS QS TS JS")
    play_random(table.env, 1)
    assert table.over and sum(table.caught) == 5 and table.ghost == ["JS"] and len(table.played) == 15
    for agent in ("agent_0", "agent_1"):
        assert "JS" not in set(texts_in(table.env.view(agent)))


TWO_SCORES = [
    # flips, calls, bidder, tricks caught (the ghost's last), payoffs
    ("QH AS KS", ["bid 3 H", "pass"], 0, [4, 1, 0], [7, 1]),
    ("QH AS KS", ["bid 3 H", "pass"], 0, [4, 0, 1], [7, 0]),
    ("QH AS KS", ["bid 3 H", "pass"], 0, [3, 1, 1], [6, 1]),
    ("QH AS KS", ["pass", "bid 4 H"], 1, [0, 4, 1], [0, 8]),
    ("QH AS KS", ["pass", "bid 5 H"], 1, [0, 5, 0], [0, 12]),
    ("QH AS KS", ["bid 4 H", "pass"], 0, [2, 1, 2], [-6, 1]),
    ("QS AS QH", [*["pass"] * 4, "bid 2 H", "pass"], 0, [2, 2, 1], [4, 2]),
    ("QS AS QH", [*["pass"] * 4, "bid 2 H", "pass"], 0, [4, 1, 0], [6, 1]),
    ("QS AS QH", [*["pass"] * 4, "bid 2 H", "pass"], 0, [1, 3, 1], [-5, 3]),
    ("QS AS QH", [*["pass"] * 4, "bid 2 H", "pass"], 0, [0, 5, 0], [-6, 5]),
    ("8C AS KS", ["bid 5 C", "bid 6 H", "pass"], 1, [0, 5, 0], [0, 15]),
    ("8C AS KS", ["bid 5 C", "bid 6 H", "pass"], 1, [1, 4, 0], [1, -5]),
]


@pytest.mark.parametrize(("flips", "calls", "bidder", "caught", "payoffs"), TWO_SCORES)
def test_b2_24_scores(flips: str, calls: list[str], bidder: int, caught: list[int], payoffs: list[int]):
    """B2-24, B2-25, T-B2-1, T-B2-2, T-B2-3, T-B2-5: tricks lost to the ghost count as not caught; the other gets 1 for each own."""
    hands = ["", ""]
    if caught[bidder] == 0:
        hands[1 - bidder] = TOP_HEARTS
    elif caught[bidder] == 5:
        hands[bidder] = "JH JD AH KH TH"
    elif caught[bidder] < 3:
        hands[bidder], hands[1 - bidder] = "JD AH", "JH KH"
    else:
        hands[bidder] = "JD AH TH AD" + ("" if flips[:2] == "8C" else " 8C")
        hands[1 - bidder] = "JH AC KH"
    table = two(*hands, after=flips)
    table.do(*calls)
    table.finish(caught=caught)
    assert table.payoffs == payoffs and table.scores == payoffs


@pytest.mark.parametrize("hidden", ["all", "choose"])
def test_t_b2_6_a_contract_on_the_second_flip(hidden: str):
    """B2-12, T-B2-6: the other takes one; with choose none or one."""
    table = two(b2_hidden=hidden)
    table.do("pass", "pass", "bid 3 C", "pass")
    put_aside(table)
    put_aside(table)
    assert table.legal() == ({"take 1"} if hidden == "all" else {"take 0", "take 1"})


def test_b2_26_both_reach_the_target():
    """B2-26: the bidder wins, also with less."""
    table = two("8C JH AH TH KC", "JD KH QH AC QC", after="QS AS QD", match=True, reward="win")
    table.set_scores(24, 29)
    table.do("bid 3 H", "pass")
    table.finish(payoffs=[6, 2])
    assert table.over and table.scores == [30, 31] and table.env.rewards == {"agent_0": 1.0, "agent_1": -1.0}


@pytest.mark.parametrize(("first", "over"), [(29, False), (28, True)])
def test_b2_26_on_a_pass_out_hand(first: int, over: bool):
    """B2-26: the higher total wins; an exact tie is played on."""
    hands = "8C JD AD KC AC AH", "JH JC AS QC KH KD"
    table = passed_out(*hands, ghost="QD TD", after="TS TH TC", match=True, reward="win")
    table.set_scores(first, 29)
    table.finish(payoffs=[2, 2])
    assert table.over == over and table.scores == [first + 2, 31]
    if over:
        assert table.env.rewards == {"agent_0": -1.0, "agent_1": 1.0}
    else:
        assert table.hand_number == 1 and table.seat is not None


# Completeness

RULES = [
    *(f"B4-{k}" for k in range(1, 40) if not 22 <= k <= 25),
    *(f"B3-{k}" for k in range(1, 26)),
    *(f"B2-{k}" for k in range(1, 27)),
    *(f"T-B4-{k}" for k in range(1, 17)),
    *(f"T-B3-{k}" for k in range(1, 8)),
    *(f"T-B2-{k}" for k in range(1, 8)),
]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"(?<![-\w])(?:T-)?B[234]-\d+")
    assert set(RULES) <= named, sorted(set(RULES) - named)
