"""The rules of Crazy Eights, IT-1 … IT-15, and the examples T-IT-1 … T-IT-7, by scripted deals through the AEC environment.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from reference.deals import Table, all_cards, edit_record
from reference.naming import named_rules
from reference.settings import BAD_VALUES

import eightsenv
from eightsenv import crazy_eights_v0

CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]


def fresh(seed: int = 0, **options):
    env = crazy_eights_v0.env(**options).unwrapped
    env.reset(seed=seed)
    return env


# Players, deal, starter


@pytest.mark.parametrize("players", range(2, 9))
def test_it_1_52_cards_and_two_to_eight_players(players: int):
    """IT-1: one pack of 52, each card once; as many agents as players."""
    env = fresh(num_players=players)
    assert sorted(all_cards(env.reveal())) == sorted(CARDS)
    assert env.possible_agents == [f"agent_{k}" for k in range(players)]


def test_it_1_four_players_unless_said_and_never_one_or_nine():
    """IT-1: four is the default, two to eight are allowed."""
    assert fresh().num_players == 4
    for players in (0, 1, 9, -4, 4.0, "4", None, True):
        with pytest.raises(ValueError, match="2 to 8 players"):
            crazy_eights_v0.env(num_players=players)


def test_it_2_first_without_cards_wins_the_round():
    """IT-2: the round ends with the first empty hand, and its seat has the best payoff."""
    table = Table(["2C 3C", "4D KD", "5H AH"], "2D QS QC QH 9S")
    table.do("play 2C", "draw")
    assert table.seat == 1 and table.legal() == {"draw"}  # KD and 4D do not fit the club or the two
    table = Table(["2C 3C", "4C KD", "5C AH"], "2D QS")
    table.do("play 2C", "play 4C", "play 5C", "play 3C")
    assert table.over and table.seat is None
    assert table.hands[0] == [] and table.payoffs == [0, -10, -1]


@pytest.mark.parametrize("dealer", range(4))
def test_it_3_five_cards_each_one_at_a_time_from_the_dealers_left(dealer: int):
    """IT-3: deck[0] goes to left(dealer), and so on round the table; five each."""
    deck = random.Random(dealer).sample(CARDS, 52)
    while deck[20][0] == "8":
        deck = deck[1:] + deck[:1]
    env = crazy_eights_v0.env().unwrapped
    env.reset(seed=1, options={"deck": deck, "dealer": dealer})
    shown = env.reveal()
    for k in range(4):
        assert Counter(shown["hands"][(dealer + 1 + k) % 4]) == Counter(deck[k:20:4])
    assert shown["dealer"] == dealer and [len(hand) for hand in shown["hands"]] == [5] * 4


def test_it_3_hands_are_hidden():
    """IT-3: an opponent's hand is a number of cards in the view, and no other card changes what a seat sees."""
    table = Table(["2C 3C", "4D KD"], "2D QS QC QH 9S")
    other = Table(["2C 3C", "QC 9S"], "2D QS 4D KD QH")
    assert table.env.view("agent_0")["hands"] == [["2C", "3C"], 2]
    assert np.array_equal(table.env.observe("agent_0")["observation"], other.env.observe("agent_0")["observation"])


def test_it_4_the_rest_is_the_stock():
    """IT-4: what is left after the deal and the starter is the stock, in the order of the deck."""
    deck = ["2C", "3C", "4C", "5C", *[c for c in CARDS if c not in ("2C", "3C", "4C", "5C")]]
    env = crazy_eights_v0.env(num_players=2, hand_size=2).unwrapped
    env.reset(seed=1, options={"deck": deck, "dealer": 1})
    assert env.reveal()["stock"] == deck[5:]


@pytest.mark.parametrize("card", [c for c in CARDS if c[0] != "8"])
def test_it_5_the_next_card_is_the_starter(card: str):
    """IT-5: the card after the deal lies alone on the pile, and its suit is in force; every plain starter."""
    hands = [c for c in CARDS if c != card and c[0] != "8"][:10]
    table = Table([" ".join(hands[:5]), " ".join(hands[5:])], card)
    assert table.discard == [card] and table.suit == card[1] and len(table.stock) == 41


@pytest.mark.parametrize("eight", ["8C", "8D", "8H", "8S"])
def test_it_6_an_eight_turned_is_buried_in_the_middle(eight: str):
    """IT-6, G-3: it goes to index len(stock)//2 of the stock without it; the next card is turned. Every eight."""
    hands = ["2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D"]
    rest = [c for c in CARDS if c not in " ".join(hands).split() and c != eight]
    rest = [c for c in rest if c[0] != "8"] + [c for c in rest if c[0] == "8"]
    table = Table(hands, " ".join([eight, *rest]))
    stock = rest.copy()
    stock.insert(len(stock) // 2, eight)
    assert table.discard == [stock[0]] and table.stock == stock[1:]


def test_it_6_several_eights_in_a_row_are_buried():
    """IT-6: repeated until a plain card turns up."""
    hands = ["2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D"]
    rest = [c for c in CARDS if c not in " ".join(hands).split() and c[0] != "8"]
    table = Table(hands, " ".join(["8C", "8D", "8H", "8S", *rest]))
    stock = ["8D", "8H", "8S", *rest]
    stock.insert(len(stock) // 2, "8C")
    for card in ("8D", "8H", "8S"):
        assert stock.pop(0) == card
        stock.insert(len(stock) // 2, card)
    assert table.discard == [stock[0]] and table.stock == stock[1:]


# The turn


@pytest.mark.parametrize("dealer", range(3))
def test_it_7_play_begins_at_the_dealers_left_and_goes_clockwise(dealer: int):
    """IT-7: in turn from left(dealer)."""
    table = Table(["2C 3C 4C", "5C 6C 7C", "9C TC JC"], "QC", dealer=dealer)
    seats = []
    for _ in range(4):
        seats.append(table.seat)
        table.do(sorted(table.legal())[0])
    assert seats == [(dealer + 1 + k) % 3 for k in range(4)]


def test_it_7_a_plain_card_matches_suit_or_rank():
    """IT-7, T-IT-1: on a starter JD any diamond, any jack and any eight may be played, and nothing else."""
    hand = "2D AD JC JH 8S 2C KH TS"
    table = Table([hand, "3C 4C 5C 6C 7C 9C TC QC"], "JD")
    assert table.legal() == {"play 2D", "play AD", "play JC", "play JH", "play 8S"}


@pytest.mark.parametrize("starter", ["JD", "2S", "AC", "7H"])
def test_t_it_1_every_card_on_a_starter(starter: str):
    """T-IT-1, IT-7, IT-8: each of the other 51 cards alone in hand: playable exactly when suit, rank or an eight."""
    others = [c for c in CARDS if c != starter]
    for card in others:
        blanks = [c for c in others if c != card]
        table = Table([card, blanks[0]], " ".join([starter]), hand_size=1)
        expected = card[0] == starter[0] or card[1] == starter[1] or card[0] == "8"
        assert (table.legal() == {f"play {card}"}) == expected, card
        assert (table.legal() == {"draw"}) == (not expected), card


@pytest.mark.parametrize("eight", ["8C", "8D", "8H", "8S"])
@pytest.mark.parametrize("suit", "CDHS")
def test_it_8_eights_are_wild_and_name_any_suit(eight: str, suit: str):
    """IT-8: playable on anything, and its player (the same seat) names any of the four suits, its own included."""
    table = Table([f"{eight} 2C 3C", "4H 5H 6H"], "KS")
    assert f"play {eight}" in table.legal()
    table.do(f"play {eight}")
    assert table.seat == 0 and table.phase == "SUIT"
    assert table.legal() == {"suit C", "suit D", "suit H", "suit S"}
    table.do(f"suit {suit}")
    assert table.suit == suit and table.seat == 1 and table.phase == "TURN"


def test_it_9_the_named_suit_or_an_eight_must_follow():
    """IT-9: after 8C with spades named: spades and eights, but no clubs; the suit stays until another card is played."""
    table = Table(["8C 2D 3D", "KS 8H 2C", "4S 5C 6H"], "7D 9C TC JC")
    table.do("play 8C", "suit S")
    assert table.legal() == {"play KS", "play 8H"}
    table.do("play 8H", "suit S")
    assert table.legal() == {"play 4S"}
    table.do("play 4S")
    assert table.suit == "S" and table.legal() == {"draw"}


def test_it_9_a_named_suit_survives_draws_and_passes():
    """IT-9: drawing and passing do not change the suit in force."""
    table = Table(["8C 2D 3D", "KD QD 2H", "4S 5C 6H"], "7D 9C TC JC")
    table.do("play 8C", "suit S", "draw", "draw", "draw", "pass")
    assert table.suit == "S" and table.seat == 2 and table.legal() == {"play 4S"}


def test_it_10_draws_until_playable_at_most_three():
    """IT-10, T-IT-3: two blanks, then a playable card: after two draws with blanks the third must be played."""
    table = Table(["2C 3C", "4H 5H"], "KD 4C 5C 6D 7D")
    for _ in range(2):
        assert table.legal() == {"draw"}
        table.do("draw")
        assert table.seat == 0
    assert table.legal() == {"draw"}
    table.do("draw")
    assert table.legal() == {"play 6D"}, "a playable card drawn must be played"


def test_t_it_3_two_draws_then_the_turn_must_be_played():
    """T-IT-3: a blank, then a playable card: drawing stops, playing is compulsory."""
    table = Table(["2C 3C", "4H 5H"], "KD 4C 6D 7D")
    table.do("draw", "draw")
    assert table.legal() == {"play 6D"} and len(table.hands[0]) == 4


def test_it_10_some_playable_card_must_be_played_not_the_drawn_one():
    """IT-10: after drawing an eight beside nothing else only the eight is legal; with two playables either is."""
    table = Table(["2C 3C", "4H 5H"], "KD 8S 6D")
    table.do("draw")
    assert table.legal() == {"play 8S"}


def test_it_11_three_blanks_and_the_turn_passes():
    """IT-11, T-IT-4: three blanks: pass is the only action, the hand has grown by three, the next seat is to move."""
    table = Table(["2C 3C", "4D 5H"], "KD 4C 5C 6C 7D")
    table.do("draw", "draw", "draw")
    assert table.legal() == {"pass"}
    table.do("pass")
    assert len(table.hands[0]) == 5 and table.seat == 1 and table.discard == ["KD"]


def test_it_11_a_player_able_to_play_may_not_draw_or_pass():
    """IT-11: with a playable card there are only plays."""
    table = Table(["2D 3C", "4H 5H"], "KD")
    assert table.legal() == {"play 2D"}
    for action in ("draw", "pass"):
        with pytest.raises(ValueError, match="not legal"):
            table.do(action)


# The end of a round


def one_left(last: str, hold: dict[int, str] | None = None, starter: str = "KD", **options) -> Table:
    """Five players with ten cards each, a starter, and a stock of the one card ``last``; seat 0 begins and can play nothing.

    ``hold`` names cards that a seat has; seat 0 gets blanks, the others the rest.
    """
    hands = {seat: (hold or {}).get(seat, "").split() for seat in range(5)}
    left = [c for c in CARDS if c not in (last, starter) and not any(c in hand for hand in hands.values())]
    blanks = [c for c in left if c[0] not in ("8", starter[0]) and c[1] != starter[1]]
    hands[0] += blanks[: 10 - len(hands[0])]
    left = [c for c in left if c not in hands[0]]
    for seat in range(1, 5):
        room = 10 - len(hands[seat])
        hands[seat] += left[:room]
        left = left[room:]
    return Table([" ".join(hands[seat]) for seat in range(5)], f"{starter} {last}", **({"starter_wild": "printed_suit"} | options))


VALUES = {**{r: 10 for r in "KQJT"}, "A": 1, "8": 50, **{r: int(r) for r in "2345679"}}


def held(table: Table) -> list[int]:
    return [sum(VALUES[card[0]] for card in hand) for hand in table.hands]


def test_it_12_who_empties_the_stock_finishes_the_turn_by_a_pass():
    """IT-12, T-IT-7: the last stock card is no help: the player passes, then the round ends, and all score their own cards."""
    table = one_left("2C", {0: "3C"})
    assert table.legal() == {"draw"}
    table.do("draw")
    assert table.stock == [] and not table.over and table.legal() == {"pass"}
    table.do("pass")
    assert table.over and table.seat is None
    assert table.scores == held(table) and table.payoffs == [-v for v in held(table)]
    assert table.collected == [0] * 5, "nobody collects (AMB-IT-5)"


def test_it_12_who_empties_the_stock_finishes_the_turn_by_a_play():
    """IT-12: with the last card playable it is played, then the round ends."""
    table = one_left("2D")
    table.do("draw")
    assert table.legal() == {"play 2D"}
    table.do("play 2D")
    assert table.over and table.discard == ["2D", "KD"] and table.scores == held(table)


def test_it_12_a_wild_card_that_ends_the_round_asks_no_suit():
    """IT-12, IT-8: the eight drawn last is played, and the round ends without a suit."""
    table = one_left("8S")
    table.do("draw", "play 8S")
    assert table.over and table.phase != "SUIT" and len(table.env.log()) == 4


def test_it_8_the_last_card_asks_no_suit():
    """IT-8, IT-2, AMB-IT-10: going out with an eight names no suit."""
    table = Table(["8C", "2H"], "KD", hand_size=1)
    table.do("play 8C")
    assert table.over and table.payoffs == [0, -2]


# Scoring


def test_t_it_2_values():
    """IT-13, T-IT-2: 8C KD TH AS 7C = 50 + 10 + 10 + 1 + 7 = 78."""
    table = Table(["2C 3C", "8C KD"], "4C TH AS 7C 5C", voluntary_draw="unlimited", draw_limit=None)
    table.do("play 2C", "draw", "draw", "draw", "draw", "play 5C", "play 3C")
    assert sorted(table.hands[1]) == sorted(["8C", "KD", "TH", "AS", "7C"])
    assert table.payoffs == [0, -78] and table.scores == [0, 78]


@pytest.mark.parametrize("card", CARDS)
def test_it_13_the_value_of_every_card(card: str):
    """IT-13: 8 = 50; K, Q, J, 10 = 10; A = 1; others face: each card left alone in the loser's hand."""
    mine = "3C" if card != "3C" else "5C"
    table = Table([mine, card], "4C" if card != "4C" else "9C", hand_size=1)
    table.do(f"play {mine}")
    assert table.over and table.payoffs == [0, -VALUES[card[0]]]


def example_5(**options) -> Table:
    """Played to the end of T-IT-5: seat 0 is out, the others hold KS 4D AC, 8H 9C, 7D 2S."""
    table = Table(["5C 6C", "KS 4D", "8H 9C", "7D 2S"], "TC AC JC QC 3C", voluntary_draw="unlimited", **options)
    table.do("play 5C", "draw", "draw", "play JC", "draw", "play QC", "draw", "play 3C", "play 6C")
    return table


def test_t_it_5_penalties_and_the_collection_ledger():
    """IT-13, IT-14, T-IT-5: others hold 15, 59, 9: penalties 0/15/59/9, collected +83/-15/-59/-9."""
    table = example_5()
    assert table.over and [len(hand) for hand in table.hands] == [0, 3, 2, 2]
    assert table.scores == [0, 15, 59, 9]
    assert table.collected == [83, -15, -59, -9]
    assert table.payoffs == [0, -15, -59, -9]
    assert [table.env.rewards[a] for a in table.env.agents] == [0, -15, -59, -9]
    ledger = table.env.ledger()
    (row,) = ledger
    assert row.pop("counted") == {"hands": table.env.reveal()["hands"]}
    assert row == {"hand_number": 0, "payoffs": [0, -15, -59, -9], "scores": [0, 15, 59, 9], "collected": [83, -15, -59, -9]}


def test_it_14_a_running_total_by_rounds_and_both_ledgers_from_the_log():
    """IT-14: every round adds to the totals; the collected ledger is kept beside it and sums to zero."""
    env = crazy_eights_v0.env(match=True).unwrapped
    for seed in range(5):
        env.reset(seed=seed)
        rng = random.Random(seed)
        while env.agents and not env.terminations["agent_0"]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(rng.choice([int(a) for a in np.flatnonzero(mask)]))
        rows = env.ledger()
        totals = [0.0] * 4
        for number, row in enumerate(rows):
            assert row["hand_number"] == number and sum(row["collected"]) == 0
            totals = [t - p for t, p in zip(totals, row["payoffs"], strict=True)]
            assert row["scores"] == totals
        assert env.reveal()["scores"] == totals and len(rows) == 5


# The match


def random_match(seed: int, **options) -> tuple[list[dict], list[float], object]:
    """A random match: its ledger, the sum of the rewards by seat, and the environment at its end."""
    env = crazy_eights_v0.env(match=True, **options).unwrapped
    env.reset(seed=seed)
    rng = random.Random(seed)
    sums = [0.0] * env.num_players
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(rng.choice([int(a) for a in np.flatnonzero(mask)]))
        sums = [s + env.rewards[a] for s, a in zip(sums, env.possible_agents, strict=True)]
    return env.ledger(), sums, env


def test_it_15_five_rounds_fewest_points_win():
    """IT-15: a match is five rounds; under reward="win" the fewest points get +1 and the others share -1."""
    for seed in range(20):
        rows, sums, _ = random_match(seed, reward="win")
        assert len(rows) == 5
        totals = rows[-1]["scores"]
        best = [k for k in range(4) if totals[k] == min(totals)]
        expected = [1 / len(best) if k in best else -1 / (4 - len(best)) for k in range(4)]
        assert sums == pytest.approx(expected, abs=1e-6)


def test_it_15_the_deal_passes_left():
    """IT-15: each round is dealt by the seat to the left of the last dealer."""
    _, _, env = random_match(3)
    dealers = [int(m[1]) for line in env.log() if (m := re.search(r"agent_(\d) deals", line))]
    assert len(dealers) == 5 and all(b == (a + 1) % 4 for a, b in pairwise(dealers))


def before_the_last_round(totals: list[int], hand_number: int, **options) -> Table:
    """The round of T-IT-5, begun with the given totals in the given round of a match (put into the record)."""
    table = Table(["5C 6C", "KS 4D", "8H 9C", "7D 2S"], "TC AC JC QC 3C", voluntary_draw="unlimited", match=True, **options)

    def put(record) -> None:
        record["hand_number"] = hand_number
        record["scores"][:4] = [840 * total for total in totals]

    edit_record(table.env, put)
    assert table.scores == totals and table.hand_number == hand_number
    return table


PLAY_EXAMPLE_5 = ("play 5C", "draw", "draw", "play JC", "draw", "play QC", "draw", "play 3C", "play 6C")


def test_t_it_6_equal_fewest_share_the_win():
    """IT-15, T-IT-6: totals 40, 12, 77, 12 after five rounds: seats 1 and 3 share."""
    # The last round charges 0, 15, 59, 9, so one more round is put before it: 40, -3, 18, 3.
    table = before_the_last_round([40, -3, 18, 3], 4, reward="win")
    table.do(*PLAY_EXAMPLE_5)
    assert table.over and table.scores == [40, 12, 77, 12]
    assert [table.env.rewards[a] for a in table.env.agents] == [-0.5, 0.5, -0.5, 0.5]


def test_t_it_7_the_last_stock_card():
    """T-IT-7, IT-12: drawing the last stock card, unplayable: the turn ends, the round ends, all score their own cards."""
    table = one_left("2C", {0: "3C"})
    table.do("draw", "pass")
    assert table.over and table.payoffs == [-v for v in held(table)]
    assert sum(held(table)) == sum(VALUES[c[0]] for c in CARDS) - VALUES["K"]


# Options (each value at least once)


def test_decks_auto_is_two_packs_from_six_players_on():
    for players in range(2, 9):
        cards = Counter(all_cards(fresh(num_players=players, decks="auto").reveal()))
        assert set(cards.values()) == {2 if players >= 6 else 1} and len(cards) == 52


@pytest.mark.parametrize("decks", [1, 2])
def test_decks(decks: int):
    assert Counter(all_cards(fresh(decks=decks).reveal())) == Counter(CARDS * decks)


def test_two_copies_of_a_card_are_two_cards():
    table = Table(["5C 5C 6D", "7D 9H TH"], "QC", decks=2)
    assert table.hands[0] == ["5C", "5C", "6D"]
    table.do("play 5C")
    assert table.hands[0] == ["5C", "6D"] and table.discard == ["5C", "QC"]


@pytest.mark.parametrize("size", range(1, 14))
def test_hand_size(size: int):
    assert [len(hand) for hand in fresh(num_players=3, hand_size=size).reveal()["hands"]] == [size] * 3


def test_hand_size_auto_is_seven_for_two_and_five_for_more():
    for players in range(2, 9):
        sizes = {len(hand) for hand in fresh(num_players=players, hand_size="auto").reveal()["hands"]}
        assert sizes == {7 if players == 2 else 5}


@pytest.mark.parametrize("rank", "23456789TJQKA")
def test_wild_rank_takes_over_starter_rule_play_and_value(rank: str):
    """IT-6, IT-8 and IT-13 for another rank; with it an eight is worth 8 (AMB-RE-20)."""
    blanks = [c for c in CARDS if c[0] not in (rank, "8") and c[1] == "H"]
    table = Table([f"{rank}C {blanks[0]}", f"{rank}D {blanks[1]}"], f"{rank}H 9S QS", wild_rank=rank)
    assert table.discard == [f"{'Q' if rank == '9' else '9'}S"], "the wild starter is buried"
    table.do(f"play {rank}C", "suit D")
    assert table.legal() >= {f"play {rank}D"}
    mine = "4S" if rank == "3" else "3S"
    table = Table([mine, f"{rank}D"], "6S 5S", wild_rank=rank, hand_size=1)
    table.do(f"play {mine}")
    assert table.payoffs == [0, -50]
    table = Table(["3S", "8D"], "7S", wild_rank=rank, hand_size=1, starter_wild="printed_suit")
    table.do("play 3S")
    assert table.payoffs == [0, -50 if rank == "8" else -8]


def test_starter_wild_printed_suit():
    table = Table(["2C 3H", "4C 5C"], "8H", starter_wild="printed_suit")
    assert table.discard == ["8H"] and table.phase == "TURN" and table.suit == "H" and table.legal() == {"play 3H"}


@pytest.mark.parametrize(("option", "seat"), [("first_player_names", 0), ("dealer_names", 2)])
def test_starter_wild_named(option: str, seat: int):
    """The dealer's left or the dealer names the suit; then left(dealer) has the first turn."""
    table = Table(["2C 3H", "4C 5C", "6C 7C"], "8H", starter_wild=option)
    assert table.discard == ["8H"] and table.phase == "SUIT" and table.seat == seat
    table.do("suit C")
    assert table.seat == 0 and table.phase == "TURN" and table.suit == "C" and table.legal() == {"play 2C"}


def test_bury_bottom():
    table = Table(["2C 3H", "4C 5C"], "8H QS", bury="bottom")
    assert table.discard == ["QS"] and table.stock[-1] == "8H"


def test_bury_random_moves_only_the_eight():
    rest = [c for c in CARDS if c not in ("2C", "3H", "4C", "5C", "8H") and c[0] != "8"]
    places = set()
    for seed in range(60):
        table = Table(["2C 3H", "4C 5C"], " ".join(["8H", *rest, "8C", "8D", "8S"]), seed=seed, bury="random")
        stock = table.discard + table.stock
        places.add(stock.index("8H"))
        assert [c for c in stock if c != "8H"] == [*rest, "8C", "8D", "8S"]
    assert len(places) > 25 and min(places) >= 1


def test_bury_reshuffle_shuffles_the_stock():
    rest = [c for c in CARDS if c not in ("2C", "3H", "4C", "5C", "8H")]
    orders = {tuple(Table(["2C 3H", "4C 5C"], " ".join(["8H", *rest]), seed=s, bury="reshuffle").stock) for s in range(10)}
    assert len(orders) == 10
    table = Table(["2C 3H", "4C 5C"], " ".join(["8H", *rest]), bury="reshuffle")
    assert sorted(table.stock + table.discard) == sorted(["8H", *rest]) and table.discard[0][0] != "8"


def test_match_rule_both():
    """A plain card must match in suit and rank; on a wild card the suit in force alone decides."""
    table = Table(["KD QD KH 8C", "2S 3S 4D 5H"], "KD", match_rule="both", decks=2)
    assert table.legal() == {"play KD", "play 8C"}
    table.do("play 8C", "suit S")
    assert table.legal() == {"play 2S", "play 3S"}


@pytest.mark.parametrize("limit", [None, 1, 2, 3, 52])
def test_draw_limit(limit: int | None):
    blanks = [c for c in CARDS if c[1] in "HS" and c[0] not in "8K"]
    stock, mine, others = blanks[:20], "2C 3C", "4C 5C"
    table = Table([mine, others], " ".join(["KD", *stock, "6D"]), draw_limit=limit)
    for _ in range(min(limit or 20, 20)):
        assert table.legal() == {"draw"}
        table.do("draw")
    if limit is not None and limit < 20:
        assert table.legal() == {"pass"}
    else:
        table.do("draw")
        assert table.legal() == {"play 6D"}


def test_voluntary_draw_unlimited_never_passes_while_able():
    table = Table(["2D 3C", "4C 5C"], "KD 9H 9S 9C", voluntary_draw="unlimited")
    for _ in range(3):
        assert table.legal() == {"play 2D", "draw"}
        table.do("draw")
    assert table.legal() == {"play 2D"}, "draw_limit counts these draws too"


def test_voluntary_draw_one_counts_only_draws_made_while_able():
    table = Table(["2D 3C", "4C 5C"], "KD 9H 9S 9C", voluntary_draw="one")
    assert table.legal() == {"play 2D", "draw"}
    table.do("draw")
    assert table.legal() == {"play 2D"}
    table = Table(["2C 3C", "4C 5C"], "KD 9H 6D 9C", voluntary_draw="one")
    assert table.legal() == {"draw"}
    table.do("draw", "draw")
    assert table.legal() == {"play 6D", "draw"}, "the draws before were forced"
    table.do("draw")
    assert table.legal() == {"play 6D"}


def test_voluntary_draw_counts_anew_each_turn():
    table = Table(["2D 3D 4D", "5D 6D 7D"], "KD 9H 9S 9C 9D", voluntary_draw="one")
    table.do("draw", "play 2D", "draw", "play 5D")
    assert "draw" in table.legal()


def test_play_after_draw_drawn_only():
    table = Table(["2D 3C", "4C 5C"], "KD 9H 6D 7D", play_after_draw="drawn_only", voluntary_draw="unlimited")
    assert table.legal() == {"play 2D", "draw"}
    table.do("draw")
    assert table.legal() == {"draw"}, "2D was not drawn in this turn"
    table.do("draw")
    assert table.legal() == {"play 6D", "draw"}
    table.do("draw")
    assert table.legal() == {"play 6D", "play 7D"}


def test_play_after_draw_drawn_only_forgets_with_the_turn():
    table = Table(["2D 3C", "4D 5C"], "KD 9H 9S 9C", play_after_draw="drawn_only", voluntary_draw="unlimited")
    table.do("draw", "draw", "draw")
    assert table.legal() == {"pass"}
    table.do("pass", "play 4D")
    assert table.legal() == {"play 2D", "draw"}


def test_play_after_draw_none_costs_the_turn():
    table = Table(["2C 3C", "4D 5C"], "KD 6D", play_after_draw="none", draw_limit=1)
    table.do("draw")
    assert table.legal() == {"pass"}
    table.do("pass")
    assert table.seat == 1 and "6D" in table.hands[0]


def test_play_after_draw_any():
    table = Table(["2D 3C", "4C 5C"], "KD 6D 9H", play_after_draw="any", voluntary_draw="unlimited")
    table.do("draw")
    assert table.legal() == {"play 2D", "play 6D", "draw"}


def test_stock_end_immediate():
    """The hand ends with the draw that empties the stock, playable or not."""
    table = one_left("2D", stock_end="immediate")
    table.do("draw")
    assert table.over and "2D" in table.hands[0] and table.scores == held(table)


def test_stock_end_on_failed_draw():
    """It ends when the seat to act must draw and cannot; not when the stock becomes empty."""
    table = one_left("2D", {1: "3D 4S", 2: "3S"}, stock_end="on_failed_draw")
    table.do("draw")
    assert not table.over and table.legal() == {"play 2D"}
    table.do("play 2D")
    assert not table.over and table.seat == 1
    table = one_left("2C", {0: "3C"}, stock_end="on_failed_draw")
    table.do("draw")
    assert table.over and table.scores == held(table), "seat 0 may draw two more and cannot"
    table = one_left("2C", {0: "3C"}, stock_end="on_failed_draw", draw_limit=1)
    table.do("draw")
    assert not table.over and table.legal() == {"pass"}, "with its one draw made it does not have to draw"


def test_stock_end_pass_then_block():
    """An empty stock stays empty; who cannot play passes; a circle of passes blocks."""
    table = one_left("2C", {0: "3C"}, stock_end="pass_then_block")
    table.do("draw")
    assert table.legal() == {"pass"}
    table.do("pass")
    assert not table.over and table.seat == 1
    blocks = 0
    for seed in range(30):
        env = crazy_eights_v0.env(num_players=3, hand_size=13, stock_end="pass_then_block", match_rule="both").unwrapped
        env.reset(seed=seed)
        rng = random.Random(seed)
        made = []
        while not env.terminations["agent_0"]:
            mask = env.observe(env.agent_selection)["action_mask"]
            action = rng.choice([int(a) for a in np.flatnonzero(mask)])
            made.append((env.action_name(action), len(env.reveal()["stock"])))
            env.step(action)
        if all(env.reveal()["hands"]):
            blocks += 1
            assert made[-3:] == [("pass", 0)] * 3
            circle = "".join("p" if m == ("pass", 0) else "." for m in made)
            assert circle.index("ppp") == len(circle) - 3
    assert blocks > 5


def test_stock_end_reshuffle():
    """All discards but the top one become a new stock when a card is to be drawn; suit and rank in force stay."""
    table = one_left("6D", {1: "2D", 2: "3D", 3: "4D", 4: "5D 5C 5H 5S"}, stock_end="reshuffle")
    table.do("draw", "play 6D", "play 2D", "play 3D", "play 4D", "play 5D")
    under = ["2D", "3D", "4D", "6D", "KD"]
    assert table.stock == [] and table.seat == 0 and sorted(table.discard[1:]) == under
    assert table.legal() == {"draw"}
    before = table.hands[0]
    table.do("draw")
    assert table.discard == ["5D"] and table.suit == "D" and len(table.stock) == 4
    drawn = Counter(table.hands[0]) - Counter(before)
    assert sorted([*table.stock, *drawn]) == under and table.legal() == {f"play {card}" for card in drawn}


def test_a_reshuffled_stock_is_not_overwritten_by_later_plays():
    """After a reshuffle more cards are played than were drawn: every card stays in exactly one place."""
    hold = {1: "2D 9D TD", 2: "3D AD", 3: "4D JD", 4: "5D QD"}
    for seed in range(30):
        table = one_left("6D", hold, seed=seed, stock_end="reshuffle", starter="KD")
        rng = random.Random(seed)
        while not table.over and not table.env.truncations["agent_0"]:
            plays = sorted(a for a in table.legal() if a != "draw")
            table.do(rng.choice(plays or ["draw"]))
            assert sorted(all_cards(table.env.reveal())) == sorted(CARDS)


def test_stock_end_reshuffle_with_nothing_under_the_top_card():
    table = one_left("2C", {0: "3C"}, stock_end="reshuffle")
    table.do("draw")
    assert table.stock == [] and len(table.discard) == 1 and table.legal() == {"pass"}


def test_stock_end_payment_difference_charges_the_difference_to_the_lowest():
    table = one_left("2C", {0: "3C"}, stock_end_payment="difference")
    table.do("draw", "pass")
    values = held(table)
    assert table.scores == [v - min(values) for v in values]
    assert sum(table.collected) == 0 and min(table.collected) == min(values) - max(values)


@pytest.mark.parametrize("mode", ["collect_high_wins", "collect_low_wins", "penalty"])
def test_equal_lowest_counts_share_in_exact_fractions(mode: str):
    """RE-22: three share what the others pay: thirds are exact, payments sum to zero."""
    sums: list[int] = []
    table = shared_lowest(mode)
    values = held(table)
    low = [k for k in range(5) if values[k] == min(values)]
    assert len(low) == 3
    pot = sum(v - min(values) for v in values)
    assert pot % 3 != 0, "a share that is no whole number"
    collected = [pot / 3 if k in low else min(values) - values[k] for k in range(5)]
    assert table.collected == collected
    edit_record(table.env, lambda record: sums.append(record["collected"].sum()))
    assert sums == [0], "exact inside"
    points = [v - min(values) for v in values] if mode == "penalty" else collected
    assert table.scores == points
    assert table.payoffs == [p if mode == "collect_high_wins" else -p for p in points]


def shared_lowest(mode: str) -> Table:
    """Five hands of ten of which three count the same lowest, with a pot that three do not divide; ended by the stock."""
    rng = random.Random(5)
    while True:
        cards = [c for c in CARDS if c not in ("KD", "2C")]
        rng.shuffle(cards)
        hands = [cards[10 * k : 10 * k + 10] for k in range(5)]
        values = [sum(VALUES[c[0]] for c in hand) for hand in hands]
        values[0] += VALUES["2"]
        pot = sum(v - min(values) for v in values)
        blank = not any(c[0] in "8K" or c[1] == "D" for c in hands[0])
        if not blank:
            # Seat 0 must be unable to play: swap its playable cards with blanks of equal value.
            for i, card in enumerate(hands[0]):
                if card[0] in "8K" or card[1] == "D":
                    for other in hands[1:]:
                        for j, new in enumerate(other):
                            same = VALUES[new[0]] == VALUES[card[0]]
                            if same and new[0] not in "8K" and new[1] != "D" and hands[0][i] == card:
                                hands[0][i], other[j] = new, card
            blank = not any(c[0] in "8K" or c[1] == "D" for c in hands[0])
        if blank and values.count(min(values)) == 3 and pot % 3:
            break
    table = Table(
        [" ".join(hand) for hand in hands], "KD 2C", starter_wild="printed_suit", score_mode=mode, stock_end_payment="difference"
    )
    table.do("draw", "pass")
    assert table.over
    return table


@pytest.mark.parametrize(
    ("mode", "scores", "payoffs"),
    [
        ("penalty", [0, 15, 59, 9], [0, -15, -59, -9]),
        ("collect_high_wins", [83, -15, -59, -9], [83, -15, -59, -9]),
        ("collect_low_wins", [83, -15, -59, -9], [-83, 15, 59, 9]),
    ],
)
def test_score_mode(mode: str, scores: list[int], payoffs: list[int]):
    table = example_5(score_mode=mode)
    assert table.scores == scores and table.payoffs == payoffs and table.collected == [83, -15, -59, -9]


@pytest.mark.parametrize("mode", ["collect_high_wins", "collect_low_wins"])
def test_a_stock_end_that_pays_nobody(mode: str):
    table = one_left("2C", {0: "3C"}, score_mode=mode, stock_end_payment="none")
    table.do("draw", "pass")
    assert table.over and table.scores == [0] * 5 and table.payoffs == [0] * 5


@pytest.mark.parametrize(("rounds", "number"), [(1, 1), (2, 2), (7, 7)])
def test_rounds(rounds: int, number: int):
    rows, _, _ = random_match(rounds, rounds=rounds)
    assert len(rows) == number


@pytest.mark.parametrize(
    ("target", "players", "value"), [("auto", 2, 100), ("auto", 3, 150), ("auto", 4, 200), (60, 4, 60), (1, 3, 1)]
)
def test_target(target: int | str, players: int, value: int):
    """A match ends after the hand in which a total reaches it; auto: 100 for two, 50 more for each further player."""
    for seed in range(3):
        rows, _, env = random_match(seed, num_players=players, rounds=None, target=target)
        assert all(max(row["scores"]) < value for row in rows[:-1]) and max(rows[-1]["scores"]) >= value
        assert env.terminations["agent_0"]


def test_final_tie_share_ends_the_match():
    table = before_the_last_round([40, -3, 18, 3], 4, final_tie="share")
    table.do(*PLAY_EXAMPLE_5)
    assert table.over


def test_final_tie_extra_round_plays_on():
    """AMB-IT-7: with an equal best total another round is played; without one, or for others' ties, it ends."""
    table = before_the_last_round([40, -3, 18, 3], 4, final_tie="extra_round")
    table.do(*PLAY_EXAMPLE_5)
    assert not table.over and table.hand_number == 5 and table.scores == [40, 12, 77, 12]
    table = before_the_last_round([0, -3, 18, 3], 4, final_tie="extra_round")
    table.do(*PLAY_EXAMPLE_5)
    assert table.over and table.scores == [0, 12, 77, 12]
    table = before_the_last_round([40, -3, 18, 3], 3, final_tie="extra_round")
    table.do(*PLAY_EXAMPLE_5)
    assert not table.over and table.hand_number == 4


def test_first_dealer_a_seat():
    for seat in range(4):
        assert fresh(first_dealer=seat).reveal()["dealer"] == seat


def test_first_dealer_random_and_first_spade_vary_and_do_not_touch_the_scripted_deck():
    for method in ("random", "first_spade"):
        assert {fresh(seed, first_dealer=method).reveal()["dealer"] for seed in range(60)} >= {0, 1, 2, 3}
        env = fresh(first_dealer=method)
        env.reset(seed=4, options={"deck": CARDS})
        shown = env.reveal()
        dealt = CARDS[:20]
        for k in range(4):
            assert Counter(shown["hands"][(shown["dealer"] + 1 + k) % 4]) == Counter(dealt[k::4])


@pytest.mark.parametrize("rotation", ["winner", "loser"])
def test_deal_rotation_winner_and_loser(rotation: str):
    """The seat with the best or worst payoff deals next; among equals the first from left(dealer)."""
    for seed in range(10):
        rows, _, env = random_match(seed, deal_rotation=rotation, rounds=6, stock_end="immediate", hand_size=9)
        dealers = [int(m[1]) for line in env.log() if (m := re.search(r"agent_(\d) deals", line))]
        for row, dealer, following in zip(rows, dealers, dealers[1:], strict=False):
            wanted = (max if rotation == "winner" else min)(row["payoffs"])
            order = [(dealer + k) % 4 for k in range(1, 5)]
            assert following == next(k for k in order if row["payoffs"][k] == wanted)


def test_deal_rotation_equal_payoffs_first_from_left_of_dealer():
    for rotation, expected in [("winner", 0), ("loser", 0), ("left", 0)]:
        table = one_left("2C", {0: "3C"}, score_mode="collect_high_wins", match=True, deal_rotation=rotation)
        table.do("draw", "pass")
        assert table.hand_number == 1 and table.dealer == 4 and table.env.reveal()["dealer"] == expected


def test_deal_rotation_random():
    dealers = {random_match(seed, deal_rotation="random", rounds=2)[2].reveal()["dealer"] for seed in range(40)}
    assert dealers == {0, 1, 2, 3}


def test_preset_and_overrides():
    """A preset is the complete setting; options beside it override single values."""
    env = crazy_eights_v0.env(rules="italian_eights")
    assert env.unwrapped.setting == crazy_eights_v0.env().unwrapped.setting
    assert crazy_eights_v0.env(rules="italian_eights", draw_limit=1).unwrapped.setting.options["draw_limit"] == 1


# Refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bury": "random", "starter_wild": "printed_suit"}, "bury='random' needs starter_wild='bury'"),
        ({"bury": "bottom", "starter_wild": "dealer_names"}, "needs starter_wild='bury'"),
        ({"bury": "reshuffle", "starter_wild": "first_player_names"}, "needs starter_wild='bury'"),
        ({"play_after_draw": "none"}, "needs draw_limit=1, not 3"),
        ({"play_after_draw": "none", "draw_limit": None}, "needs draw_limit=1, not None"),
        ({"rounds": None}, "exactly one of rounds and target is None"),
        ({"target": 100}, "exactly one of rounds and target is None"),
        ({"num_players": 8, "hand_size": 6}, "the deck has 52"),
        ({"num_players": 4, "hand_size": 12}, "need 53 cards"),
        ({"num_players": 4, "hand_size": 13, "starter_wild": "printed_suit"}, "need 54 cards"),
        ({"num_players": 8, "hand_size": 13, "decks": 2}, "the deck has 104"),
    ],
)
def test_refused_combinations(options: dict, words: str):
    with pytest.raises(ValueError, match=re.escape(words)):
        crazy_eights_v0.env(**options)
    with pytest.raises(ValueError, match=re.escape(words)):
        eightsenv.make_vec("crazy_eights_v0", num_envs=2, **options)
    with pytest.raises(ValueError, match=re.escape(words)):
        eightsenv.rollout("crazy_eights_v0", num_games=2, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 4, "hand_size": 11, "starter_wild": "bury"},
        {"num_players": 4, "hand_size": 12, "starter_wild": "printed_suit"},
        {"num_players": 5, "hand_size": 10, "starter_wild": "dealer_names"},
        {"num_players": 8, "hand_size": 12, "decks": 2, "starter_wild": "printed_suit"},
        {"num_players": 8, "hand_size": 11, "decks": 2},
    ],
)
def test_the_largest_deals_that_fit(options: dict):
    env = fresh(**options)
    assert env.reveal()["discard"][0][0] != "8" or options["starter_wild"] != "bury"


BAD = {
    "decks": [0, 3, True, "one", None, 1.0],
    "hand_size": [0, 14, -1, None, "five", 5.0, True],
    "wild_rank": ["10", "X", 8, None, "eight", ""],
    "starter_wild": ["burry", None, True],
    "bury": ["top", None, 0],
    "match_rule": ["suit", None, 1],
    "draw_limit": [0, 53, -1, "3", True, 2.5],
    "voluntary_draw": ["two", True, None],
    "play_after_draw": ["all", None],
    "stock_end": ["block", None, "Reshuffle"],
    "score_mode": ["high", None],
    "stock_end_payment": ["all", None],
    "target": [0, -1, "best", True, 1.5],
    "rounds": [0, -3, "five", True, 5.0],
    "final_tie": ["split", None],
    "first_dealer": [4, -1, "cut", None, True],
    "deal_rotation": ["right", None],
    "reward": ["points", None, 1],
    "match": [1, "yes", None],
    "auto_forced": [1, "no", None],
    "max_decisions": [0, -5, "many", 1.5, True],
    "rules": ["hoyle", 3],
    "render_mode": ["rgb", 1],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_values_are_refused(name: str):
    for value in BAD[name]:
        with pytest.raises(ValueError, match=f"{name}|preset"):
            crazy_eights_v0.env(**{name: value})


def test_unhashable_values_are_refused_too():
    for name in BAD:
        with pytest.raises(ValueError, match=f"{name}|preset"):
            crazy_eights_v0.env(**{name: [1, 2]})


def test_every_option_has_bad_values_here():
    """A new option must come with its refusals, here or in the table that both environments are tried with."""
    assert set(BAD) | set(BAD_VALUES) >= {option.name for option in crazy_eights_v0.env().unwrapped.game.options}


def test_unknown_options_are_refused_with_a_hint():
    with pytest.raises(ValueError, match="did you mean 'draw_limit'"):
        crazy_eights_v0.env(draw_limits=3)
    with pytest.raises(ValueError, match="no option"):
        crazy_eights_v0.env(jokers=2)


def test_a_complete_setting_can_be_passed_back():
    for options in ({}, {"num_players": 6, "decks": 2, "match": True}, {"starter_wild": "printed_suit"}):
        setting = crazy_eights_v0.env(**options).unwrapped.setting
        assert crazy_eights_v0.env(**setting.as_dict()).unwrapped.setting == setting


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ({"deck": ["2C", "2C"]}, "the deck holds 1 2C, and the script lists 2"),
        ({"deck": ["X1"]}, "the deck holds no X1"),
        ({"deck": ["1C"]}, "'1C' is not a card"),
        ({"deck": [12]}, "is not a card"),
        ({"deck": "2C 3C"}, "list of card texts"),
        ({"deck": 5}, "list of card texts"),
        ({"deck": [f"{r}{s}" for r in "23456789TJQKA" for s in "CDHS"] * 2}, "the deck holds"),
        ({"dealer": 4}, "seat from 0 to 3"),
        ({"dealer": -1}, "seat from 0 to 3"),
        ({"dealer": 1.0}, "seat from 0 to 3"),
        ({"dealer": True}, "seat from 0 to 3"),
        ({"decks": []}, "'deck' and 'dealer'"),
    ],
)
def test_bad_scripts_change_nothing(script: dict, words: str):
    env = fresh(seed=5)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    before = env.snapshot()
    with pytest.raises(ValueError, match=re.escape(words)):
        env.reset(seed=1, options=script)
    assert env.snapshot() == before
    with pytest.raises(ValueError, match=re.escape(words)):
        env.reset(options=script)
    assert env.snapshot() == before


def test_a_partial_script_fixes_the_top_and_shuffles_the_rest():
    orders = set()
    for seed in range(5):
        env = fresh()
        env.reset(seed=seed, options={"deck": ["10c", "tD", "2h"], "dealer": 0})
        hands = env.reveal()["hands"]
        assert "TC" in hands[1] and "TD" in hands[2] and "2H" in hands[3]
        assert sorted(all_cards(env.reveal())) == sorted(CARDS)
        orders.add(tuple(env.reveal()["stock"]))
    assert len(orders) == 5


def test_a_script_is_the_first_hand_only():
    """ACTIONS.md: in a match later hands are shuffled; so is the next episode."""
    seen = set()
    for seed in range(3):
        env = fresh(match=True)
        env.reset(seed=seed, options={"deck": CARDS, "dealer": 2})
        assert env.reveal()["dealer"] == 2
        rng = random.Random(seed)
        while env.reveal()["hand_number"] == 0:
            env.step(rng.choice([int(a) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]))
        seen.add(tuple(env.reveal()["stock"]))
        assert env.reveal()["dealer"] == 3
    assert len(seen) == 3


# Completeness

RULES = [*(f"IT-{k}" for k in range(1, 16)), *(f"T-IT-{k}" for k in range(1, 8))]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"\b(?<!-)(T-IT-\d+|IT-\d+)\b")
    assert set(RULES) <= named, sorted(set(RULES) - named)
