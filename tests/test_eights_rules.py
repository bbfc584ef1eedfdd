"""The rules of Russian Eights, RE-1 … RE-29, and the examples T-RE-1 … T-RE-8, by scripted deals through the AEC environment.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing. The values of every
option are in ``test_eights_options.py``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from reference.blocks import played_out
from reference.deals import Table, all_cards, fresh, legal
from reference.naming import named_rules

import eightsenv

CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
VALUES = {**dict.fromkeys("KQJT", 10), "A": 1, "8": 50, **{r: int(r) for r in "2345679"}}


def table_of(hands: list[str], after: str, **options: Any) -> Table:
    return Table(hands, after, variant="eights_v0", **options)


# Setup


@pytest.mark.parametrize("players", range(2, 9))
def test_re_1_two_to_eight_players(players: int):
    """RE-1: two to eight seats, four unless said, and no other number."""
    assert fresh(num_players=players).possible_agents == [f"agent_{k}" for k in range(players)]
    assert fresh().num_players == 4
    for wrong in (1, 9):
        with pytest.raises(ValueError, match="2 to 8 players"):
            fresh(num_players=wrong)


def test_re_1_partnership_is_for_four():
    """RE-1: sides {0,2} and {1,3}, which exist with four players only; by default each plays alone."""
    env = fresh(partnership=True)
    assert env.game.sides(env.setting) == ((0, 2), (1, 3))
    assert fresh().game.sides(fresh().setting) == ((0,), (1,), (2,), (3,))
    for players in (2, 3, 5, 6, 7, 8):
        with pytest.raises(ValueError, match="partnership"):
            fresh(num_players=players, partnership=True)


@pytest.mark.parametrize("players", range(2, 6))
def test_re_2_one_pack(players: int):
    """RE-2: 52 cards for two to five players."""
    assert sorted(all_cards(fresh(num_players=players).reveal())) == sorted(CARDS)


@pytest.mark.parametrize("players", range(6, 9))
def test_re_3_two_packs_from_six_players_on(players: int):
    """RE-3: 104 cards for six to eight players."""
    assert sorted(all_cards(fresh(num_players=players).reveal())) == sorted(CARDS * 2)


def test_re_4_seats_are_the_callers():
    """RE-4: a scripted deal reaches the seats in the caller's order, whoever deals."""
    for dealer in range(4):
        table = table_of(["2C", "3C", "4C", "5C"], "9H", dealer=dealer)
        assert table.hands == [["2C"], ["3C"], ["4C"], ["5C"]]


def chi2(count: Counter[int], expected: list[float]) -> float:
    return sum((count[k] - mean) ** 2 / mean for k, mean in enumerate(expected))


@pytest.mark.parametrize("players", [2, 4, 6])
def test_re_5_the_first_spade_deals(players: int):
    """RE-5: cards are turned from seat 0 round the table; how often each seat deals is that of the first spade."""
    packs = 2 if players >= 6 else 1
    cards, spades = 52 * packs, 13 * packs
    chances = [0.0] * players
    none_yet = 1.0
    for k in range(cards - spades + 1):
        chances[k % players] += none_yet * spades / (cards - k)
        none_yet *= (cards - spades - k) / (cards - k)
    env = eightsenv.make("eights_v0", num_players=players).unwrapped
    count: Counter[int] = Counter()
    total = 3000
    env.reset(seed=3)
    for _ in range(total):
        count[env.reveal()["dealer"]] += 1
        env.reset()
    assert chi2(count, [total * chance for chance in chances]) < 25
    assert chi2(count, [total / players] * players) > 50, "it is not a random seat"


def test_re_5_later_deals_pass_left():
    """RE-5: in a match each hand is dealt by the seat to the left of the last dealer."""
    env = fresh(3, match=True, target=200, max_decisions=3000)
    rng = random.Random(3)
    while not (env.terminations["agent_0"] or env.truncations["agent_0"]):
        plays = [action for action in legal(env) if action != "draw"]
        env.step(env.action_id(rng.choice(plays or ["draw"])))
    dealers = [int(m[1]) for line in env.log() if (m := re.search(r"agent_(\d) deals", line))]
    assert len(dealers) > 2 and all(b == (a + 1) % 4 for a, b in pairwise(dealers))


@pytest.mark.parametrize("cut", [5, 20, 47])
def test_re_6_the_dealers_right_cuts(cut: int):
    """RE-6: cut_as_action: right(dealer) decides; at least five cards stay in each part; the top part goes under the rest."""
    deck = random.Random(7).sample(CARDS, 52)
    env = fresh(script={"deck": deck, "dealer": 2}, cut_as_action=True, starter_wild="printed_suit")
    shown = env.reveal()
    assert shown["phase"] == "CUT" and shown["seat"] == 1 and shown["stock"] == deck and shown["hands"] == [[], [], [], []]
    assert legal(env) == [f"cut {k}" for k in range(5, 48)]
    for wrong in ("cut 4", "cut 48"):
        with pytest.raises(ValueError, match="no action"):
            env.action_id(wrong)
    with pytest.raises(ValueError, match="not legal"):
        env.step(env.action_id("draw"))
    env.step(env.action_id(f"cut {cut}"))
    cards = deck[cut:] + deck[:cut]
    shown = env.reveal()
    for k in range(4):
        assert Counter(shown["hands"][(3 + k) % 4]) == Counter(cards[k:20:4])
    assert shown["discard"] == [cards[20]] and shown["stock"] == cards[21:] and shown["seat"] == 3


def test_re_6_by_default_the_cut_is_part_of_the_shuffle():
    """RE-6: without cut_as_action nobody is asked, and there is no such action."""
    env = fresh()
    assert env.reveal()["phase"] == "TURN"
    with pytest.raises(ValueError, match="no action"):
        env.action_id("cut 20")


@pytest.mark.parametrize("dealer", range(3))
def test_re_7_five_each_one_at_a_time_from_eldest(dealer: int):
    """RE-7: deck[0] goes to left(dealer), and so on round the table."""
    deck = random.Random(dealer).sample([c for c in CARDS if c[0] != "8"], 16)
    shown = fresh(script={"deck": deck, "dealer": dealer}, num_players=3).reveal()
    for k in range(3):
        assert Counter(shown["hands"][(dealer + 1 + k) % 3]) == Counter(deck[k:15:3])
    assert shown["discard"] == [deck[15]]


@pytest.mark.parametrize(("players", "size", "stock"), [(2, 7, 37), (3, 5, 36), (4, 5, 31), (5, 5, 26), (6, 5, 73), (8, 5, 63)])
def test_t_re_5_the_size_of_the_deal(players: int, size: int, stock: int):
    """RE-7, T-RE-5: two players seven each, more five each; a starter; the rest is the stock."""
    shown = fresh(num_players=players).reveal()
    assert [len(hand) for hand in shown["hands"]] == [size] * players
    assert len(shown["stock"]) == stock and len(shown["discard"]) == 1


def test_re_8_the_rest_is_the_stock_face_down():
    """RE-8: in the order of the deck; a seat sees only how many cards it has."""
    deck = ["2C", "3C", "4C", "5C", *[c for c in CARDS if c not in ("2C", "3C", "4C", "5C")]]
    env = fresh(script={"deck": deck, "dealer": 1}, num_players=2, hand_size=2)
    assert env.reveal()["stock"] == deck[5:] and env.view("agent_0")["stock"] == 47


@pytest.mark.parametrize("card", [c for c in CARDS if c[0] != "8"])
def test_re_9_the_top_card_is_the_starter(card: str):
    """RE-9: the card after the deal lies alone on the pile and its suit is in force."""
    hands = [c for c in CARDS if c != card and c[0] != "8"][:4]
    table = table_of([" ".join(hands[:2]), " ".join(hands[2:])], card)
    assert table.discard == [card] and table.suit == card[1] and len(table.stock) == 47


@pytest.mark.parametrize("eights", ["8C", "8D 8S", "8H 8C 8S 8D"])
def test_re_10_an_eight_turned_is_buried_in_the_middle(eights: str):
    """RE-10, T-RE-7: it goes to index len(stock)//2 of the stock without it; the next card is turned; repeated."""
    hands = ["2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D"]
    rest = [c for c in CARDS if c not in " ".join([*hands, eights]).split()]
    rest.sort(key=lambda card: card[0] == "8")
    stock = [*eights.split(), *rest]
    table = table_of(hands, " ".join(stock))
    while stock[0][0] == "8":
        eight = stock.pop(0)
        stock.insert(len(stock) // 2, eight)
    assert table.discard == [stock[0]] and table.stock == stock[1:]


# Play


@pytest.mark.parametrize("dealer", range(4))
def test_re_11_in_turn_from_eldest(dealer: int):
    """RE-11: left(dealer) begins, then clockwise, one card each face up on the pile."""
    table = table_of(["2C 3C", "4C 5C", "6C 7C", "9C TC"], "JC", dealer=dealer)
    for k in range(4):
        assert table.seat == (dealer + 1 + k) % 4 and table.phase == "TURN"
        card = table.hands[table.seat][0]
        table.do(f"play {card}")
        assert table.discard[0] == card and len(table.discard) == k + 2


@pytest.mark.parametrize("starter", ["5C", "QH"])
def test_t_re_1_suit_or_rank(starter: str):
    """RE-12, T-RE-1: on 5C every club, every five and every eight is legal; on QH any queen: each of the other 51 cards."""
    others = [c for c in CARDS if c != starter]
    for card in others:
        blank = next(c for c in others if c != card)
        table = table_of([card, blank], starter)
        fits = card[0] in (starter[0], "8") or card[1] == starter[1]
        assert (f"play {card}" in table.legal()) == fits, card


@pytest.mark.parametrize("eight", ["8C", "8D", "8H", "8S"])
@pytest.mark.parametrize("suit", "CDHS")
def test_re_13_an_eight_at_any_turn_and_its_player_names_a_suit(eight: str, suit: str):
    """RE-13: on anything; the same seat names one of the four suits, also the old one, and no rank."""
    table = table_of([f"{eight} 2C 3C", "4H 5H 6H"], "KS")
    assert f"play {eight}" in table.legal()
    table.do(f"play {eight}")
    assert table.seat == 0 and table.phase == "SUIT" and table.legal() == {"suit C", "suit D", "suit H", "suit S"}
    table.do(f"suit {suit}")
    assert table.suit == suit and table.seat == 1 and table.phase == "TURN"


def test_t_re_2_the_named_suit_or_an_eight():
    """RE-14, T-RE-2: spades named: spades and eights only, also an eight that is no spade; it holds until a card is played."""
    table = table_of(["8C 2D 3D", "KS 8H 2C", "4S 5C 6H"], "7D 9C TC JC", voluntary_draw="none")
    table.do("play 8C", "suit S")
    assert table.legal() == {"play KS", "play 8H"}
    table.do("play KS")
    assert table.suit == "S" and table.legal() == {"play 4S"}


def test_re_14_the_named_suit_stays_in_force():
    """RE-14: draws and passes do not change it."""
    table = table_of(["8C 2D 3D", "KD QD 2H", "4S 5C 6H"], "7D 9C TC JC", draw_limit=3)
    table.do("play 8C", "suit S", "draw", "draw", "draw", "pass")
    assert table.suit == "S" and table.seat == 2 and "play 4S" in table.legal()


def test_re_15_draws_one_at_a_time_until_playable():
    """RE-15: no playable card: `draw` alone is legal, until one is playable, however many that takes."""
    table = table_of(["2C 3C", "4H 5H"], "KD 4C 5C 6C 7C 9C TC 6D 7H")
    for k in range(7):
        assert table.legal() == {"draw"} and len(table.hands[0]) == 2 + k
        table.do("draw")
        assert table.seat == 0
    assert "play 6D" in table.legal() and "pass" not in table.legal()


def test_re_15_until_the_stock_is_empty():
    """RE-15, RE-17: the whole stock without a playable card: then the player passes."""
    blanks = [c for c in CARDS if c[1] != "D" and c[0] not in "8K"]
    mine, stock = blanks[:13], blanks[13:25]
    rest = [c for c in CARDS if c not in [*mine, *stock, "KD"]]
    table = table_of(
        [" ".join(mine), " ".join(rest[:13]), " ".join(rest[13:])], " ".join(["KD", *stock]), starter_wild="printed_suit"
    )
    for _ in range(12):
        assert table.legal() == {"draw"}
        table.do("draw")
    assert table.stock == [] and table.seat == 0 and table.legal() == {"pass"}
    table.do("pass")
    assert table.seat == 1 and len(table.hands[0]) == 25


def test_re_16_a_player_may_draw_also_while_able_but_must_play_in_the_end():
    """RE-16: any number of voluntary draws; `pass` is never offered to a seat that can play."""
    table = table_of(["2D 3C", "4H 5H"], "KD 9H 9S 9C TH")
    for _ in range(4):
        assert {"play 2D", "draw"} <= table.legal() and "pass" not in table.legal()
        table.do("draw")
        assert table.seat == 0
    table.do("play 2D")
    assert table.seat == 1


def test_re_17_an_empty_stock_and_nothing_playable_is_a_pass():
    """RE-17: with the stock empty who cannot play passes, one after another."""
    table = played_out(["KS", "7D", "7S", "9S TD"])
    for _ in range(3):
        assert table.legal() == {"pass"}
        seat = table.seat
        table.do("pass")
        assert table.seat == (seat + 1) % 4


def test_t_re_8_an_empty_stock_and_something_playable_is_a_play():
    """RE-17, T-RE-8: play is compulsory: no `pass` and no `draw`."""
    table = played_out(["KS", "7D", "9H", "9C TC"])
    seen = {}
    for _ in range(4):
        seen[table.seat] = table.legal()
        table.do(sorted(seen[table.seat])[-1])
    assert seen == {0: {"pass"}, 1: {"pass"}, 2: {"pass"}, 3: {"play 9C", "play TC"}}


@pytest.mark.parametrize("rank", ["J", "2", "A"])
def test_re_18_another_wild_rank(rank: str):
    """RE-18: the wild rank takes over play, the starter rule and the 50 points; an eight is then worth 8."""
    table = table_of([f"{rank}C 3H", f"{rank}D 4H"], f"{rank}H 9S QS", wild_rank=rank)
    assert table.discard == ["9S"] and table.stock.count(f"{rank}H") == 1, "buried"
    table.do(f"play {rank}C", "suit D")
    assert table.legal() == {f"play {rank}D", "draw"}
    assert value_left(f"{rank}D", wild_rank=rank) == 50 and value_left("8D", wild_rank=rank) == 8


def value_left(card: str, **options: Any) -> float:
    """What a card alone in the loser's hand costs."""
    mine = "3S" if card != "3S" else "4S"
    table = table_of([mine, card], "6S" if card != "6S" else "7S", **options)
    table.do(f"play {mine}")
    return -table.payoffs[1]


# End and payment


def test_t_re_3_the_winner_is_paid_by_each_other_player():
    """RE-19, T-RE-3: others hold KS 4D AC (15), 8H 9C (59), 7D 2S (9): +83, -15, -59, -9."""
    table = table_of(["5C 6C", "KS 4D", "8H 9C", "7D 2S"], "TC AC JC QC 3C")
    table.do("play 5C", "draw", "draw", "play JC", "draw", "play QC", "draw", "play 3C", "play 6C")
    assert table.over and table.seat is None and table.hands[0] == []
    assert [sorted(hand) for hand in table.hands[1:]] == [["4D", "AC", "KS"], ["8H", "9C"], ["2S", "7D"]]
    assert table.payoffs == [83, -15, -59, -9] and table.scores == [83, -15, -59, -9]
    assert [table.env.rewards[a] for a in table.env.agents] == [83, -15, -59, -9]


@pytest.mark.parametrize("card", CARDS)
def test_re_20_the_value_of_every_card(card: str):
    """RE-20: eight 50; K, Q, J, 10: 10; ace 1; others face."""
    assert value_left(card) == VALUES[card[0]]


def test_t_re_4_a_block_pays_the_lowest_count():
    """RE-21, RE-22, T-RE-4: counts 10, 7, 7, 19: the pot is 3 + 12; the two sevens get 7½ each."""
    table = played_out(["KS", "7D", "7S", "9S TD"])
    table.do("pass", "pass", "pass")
    assert not table.over
    table.do("pass")
    assert table.over and table.payoffs == [-3, 7.5, 7.5, -12] and table.scores == [-3, 7.5, 7.5, -12]


def test_re_21_one_lowest_count_gets_each_difference():
    """RE-21: counts 10, 7, 6, 19: the six gets 4 + 1 + 13."""
    table = played_out(["KS", "7D", "6S", "9S TD"])
    table.do(*["pass"] * 4)
    assert table.payoffs == [-4, -1, 18, -13]


def test_re_21_passes_in_succession():
    """RE-21: a play between the passes begins the count anew; each of the four has passed in succession when it ends."""
    table = played_out(["KS", "7D 6C", "9H", "JS"])
    made = []
    while not table.over:
        assert len(table.legal()) == 1
        made += table.legal()
        table.do(made[-1])
    assert made == ["pass", "pass", "pass", "play 6C", "pass", "pass", "pass", "pass"]
    assert table.payoffs == [-3, 3 + 2 + 3, -2, -3]


def test_re_22_three_share_in_exact_fractions():
    """RE-22: counts 7, 7, 7 and 14: seven points divided by three."""
    table = played_out(["7H", "7D", "7S", "KD 4S"])
    table.do(*["pass"] * 4)
    assert table.payoffs == pytest.approx([7 / 3, 7 / 3, 7 / 3, -7])


# Partnership

HANDS = ["2C 3C", "4C KD", "5C 6C", "7C 9C"]
UNTIL_SEAT_0_IS_OUT = ("play 2C", "play 4C", "play 5C", "play 7C", "play 3C")


def test_re_23_without_partnership_the_first_out_ends_it():
    """RE-23: each for oneself: the deal ends at the first player out."""
    table = table_of(HANDS, "JC")
    table.do(*UNTIL_SEAT_0_IS_OUT)
    assert table.over and table.payoffs == [25, -10, -6, -9]


def test_t_re_6_partners_play_until_both_are_out():
    """RE-23, RE-25, T-RE-6: seat 0 out, seats 1, 2, 3 continue; seat 2 out: side {0,2} receives the value of 1 and 3."""
    table = table_of(HANDS, "JC QC", partnership=True)
    table.do(*UNTIL_SEAT_0_IS_OUT)
    assert not table.over and table.out == [0] and table.seat == 1
    table.do("draw", "play QC", "play 6C")
    assert table.over and table.out == [0, 2]
    assert table.payoffs == [19, -19, 19, -19], "KD and 9C"


def test_re_23_the_turn_skips_who_is_out():
    """RE-23, AMB-RE-8: seats that are out have no turn; a suit named by one who goes out persists through the skip."""
    table = table_of(["2C 3C", "4C KD", "5C 6C", "7C 8H"], "JC TS QC 3S", partnership=True)
    table.do("play 2C", "play 4C", "draw", "play 5C", "play 7C", "play 3C")
    assert table.out == [0] and table.seat == 1
    table.do("draw", "play QC", "play 6C", "play 8H")
    assert table.out == [0, 3] and table.phase == "SUIT" and table.seat == 3, "one of each side is out: the deal goes on"
    table.do("suit S")
    assert table.seat == 1 and table.suit == "S" and table.legal() == {"draw"}
    table.do("draw", "play 3S", "play TS")
    assert table.over and table.out == [0, 2, 3] and table.payoffs == [10, -10, 10, -10]


def test_re_24_a_partnership_block_compares_the_sides():
    """RE-24: combined counts 10 + 2 and 7 + 19: the lower side receives the difference."""
    table = played_out(["KS", "7D", "2S", "9S TD"], partnership=True)
    table.do(*["pass"] * 4)
    assert table.payoffs == [14, -14, 14, -14]


def test_re_24_equal_sides_receive_nothing():
    """RE-24: 10 + 9 and 10 + 9."""
    table = played_out(["KS", "9H", "9S", "KD"], partnership=True)
    table.do(*["pass"] * 4)
    assert table.over and table.payoffs == [0, 0, 0, 0]


def test_re_24_a_player_who_is_out_counts_nothing():
    """RE-24: seat 0 is out; 0 + 9 and 7 + 19; a circle of passes is one of the three who play."""
    table = played_out(["", "7D", "9H", "9S TD"], partnership=True)
    assert table.out == [0] and table.seat == 3
    table.do("pass", "pass")
    assert not table.over and table.seat == 2
    table.do("pass")
    assert table.over and table.payoffs == [17, -17, 17, -17]


def test_re_25_each_partner_is_credited_the_sides_result():
    """RE-25: the side that is out receives all that its opponents hold, both partners the whole of it."""
    table = table_of(["2C", "KD", "3C", "8S"], "JC QC", partnership=True)
    table.do("play 2C", "draw", "play QC", "play 3C")
    assert table.over and table.payoffs == [60, -60, 60, -60] and sum(table.payoffs) == 0


# Irregularities


def test_re_26_too_many_cards_are_drawn_unseen_and_restored():
    """RE-26: any other player draws the excess from the hand; it goes back to the pack."""
    table = table_of(["2C 3C", "4C KD", "5C 6C"], "JC QC TH TS TD")
    before = table.stock
    table.env.scenario("misdeal", seat=1, k=2)
    assert table.hands == [["2C", "3C"], ["4C", "TH", "QC", "KD"], ["5C", "6C"]] and table.stock == before[2:] and table.seat == 0
    table.env.scenario("reclaim", by=2, frm=1, idx=[0, 3])
    after = table.hands
    assert after[0] == ["2C", "3C"] and after[2] == ["5C", "6C"] and len(after[1]) == 2
    back = Counter(["4C", "TH", "QC", "KD"]) - Counter(after[1])
    assert Counter(table.stock) == Counter(before[2:]) + back and table.seat == 0


def test_re_26b_too_few_cards_are_drawn_from_the_stock():
    """RE-26b: the seat draws the missing cards, by `draw`s that are its only actions, before anybody plays."""
    table = table_of(["2C 3C 4C", "4H KD 9H", "5C 6C 7C"], "JC QC TH TS TD")
    before = table.hands, table.stock
    table.env.scenario("misdeal", seat=1, k=-2)
    assert [len(hand) for hand in table.hands] == [3, 1, 3] and len(table.stock) == len(before[1]) + 2
    for _ in range(2):
        assert table.seat == 1 and table.phase == "TURN" and table.legal() == {"draw"}
        table.do("draw")
    assert table.seat == 0 and [len(hand) for hand in table.hands] == [3, 3, 3] and table.stock == before[1]
    assert "play 2C" in table.legal()


def test_re_27_a_player_holding_a_playable_card_must_play_on_demand():
    """RE-27: holdback: `pass` is legal on the empty stock; each other seat in order may demand; then only plays are legal."""
    table = played_out(["KS", "7D", "9C 4H", "9S"], holdback=True)
    assert table.seat == 2 and table.legal() == {"play 9C", "pass"}
    table.do("pass")
    for seat in (3, 0, 1):
        assert table.phase == "DEMAND" and table.seat == seat and table.legal() == {"demand", "silent"}
        table.do("silent" if seat != 1 else "demand")
    assert table.phase == "TURN" and table.seat == 2 and table.legal() == {"play 9C"}


def test_re_28_an_agreed_block_stands():
    """RE-28: a circle of passes that stand is an agreement: scored as a block although someone could have played."""
    table = played_out(["KS", "7D", "9C 4H", "9S"], holdback=True)
    for seat in (2, 3, 0, 1):
        assert not table.over and table.seat == seat
        table.do("pass", "silent", "silent", "silent")
    assert table.over and table.hands[2] == ["4H", "9C"]
    assert table.payoffs == [-3, 3 + 6 + 2, -6, -2]


# The match


@pytest.mark.parametrize(("players", "target"), [(2, 100), (3, 150), (4, 200), (8, 400)])
def test_re_29_a_match_adds_payments_up_to_the_target(players: int, target: int):
    """RE-29: 100 for two players, 50 more for each further one; the totals are the payments added up."""
    env = fresh(1, num_players=players, match=True)
    rng = random.Random(1)
    totals, number = [0.0] * players, 0
    while not (env.terminations["agent_0"] or env.truncations["agent_0"]):
        assert max(totals) < target
        plays = [action for action in legal(env) if action != "draw"]
        env.step(env.action_id(rng.choice(plays or ["draw"])))
        shown = env.reveal()
        if shown["hand_number"] > number or env.terminations["agent_0"]:
            number += 1
            totals = [total + paid for total, paid in zip(totals, env.payoffs(), strict=True)]
            assert shown["scores"] == pytest.approx(totals, abs=1e-3)
    assert env.terminations["agent_0"] and max(totals) >= target and number > 1


def test_re_29_by_default_one_deal():
    """RE-29: match=False is one deal."""
    env = fresh(2)
    rng = random.Random(2)
    while not env.terminations["agent_0"]:
        plays = [action for action in legal(env) if action != "draw"]
        env.step(env.action_id(rng.choice(plays or ["draw"])))
    assert env.reveal()["hand_number"] == 0 and env.reveal()["scores"] == env.payoffs()


# Completeness

RULES = [*(f"RE-{k}" for k in range(1, 30)), "RE-26b", *(f"T-RE-{k}" for k in range(1, 9))]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"\b(?<!-)(T-RE-\d+|RE-\d+b?)\b")
    assert set(RULES) <= named, sorted(set(RULES) - named)
