"""The rules of Speculation, SP-1 … SP-14 and its sale, and the examples T-SP-1 … T-SP-6, by scripted deals.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.deals import fresh, legal
from reference.naming import named_rules
from reference.speculation import PACK

import eightsenv
from eightsenv import speculation_v0

NAME = "speculation_v0"


def table(packets: list[str], turn_up: str, dealer: int = 0, **options: Any) -> Any:
    """A scripted game: the packets by seat, the card to be faced first first."""
    n = len(packets)
    split = [packet.split() for packet in packets]
    deck = [split[(dealer + 1 + k) % n][place] for place in (2, 1, 0) for k in range(n)]
    return fresh(script={"deck": [*deck, turn_up], "dealer": dealer}, variant=NAME, num_players=n, **options)


def do(env: Any, *actions: str) -> None:
    for action in actions:
        env.step(env.action_id(action))


def no_sale(env: Any) -> None:
    """Everybody bids 0 until the next sale or the end."""
    best = env.reveal()["trump"]
    while not env.terminations["agent_0"] and env.reveal()["trump"] == best:
        do(env, "bid 0")


PLAIN = ["2C 3C 4C", "2H 3H 4H", "2S 3S 4S", "5C 6C 7C", "5H 6H 7H"]
"""Packets without diamonds."""


# Cards, dealer, deal


@pytest.mark.parametrize("players", range(2, 10))
def test_sp_1_players_and_pack(players: int):
    """SP-1: two to nine players, one pack of 52, each card once."""
    env = fresh(variant=NAME, num_players=players)
    shown = env.reveal()
    assert env.possible_agents == [f"agent_{k}" for k in range(players)]
    assert sorted([*(c for hand in shown["hands"] for c in hand), shown["turn_up"], *shown["stock"]]) == sorted(PACK)


def test_sp_1_never_one_or_ten():
    """SP-1: four is the default, two to nine are allowed."""
    assert fresh(variant=NAME).num_players == 4
    for players in (0, 1, 10, 4.0, "4", None, True):
        with pytest.raises(ValueError, match="2 to 9 players"):
            speculation_v0.env(num_players=players)


def test_t_sp_4_nine_players_use_28_cards():
    """SP-1, SP-5, T-SP-4: nine packets of three and the turn-up."""
    shown = fresh(variant=NAME, num_players=9).reveal()
    assert len(shown["stock"]) == 52 - 28 and [len(hand) for hand in shown["hands"]] == [3] * 9


def test_sp_2_ranks_from_ace_to_two():
    """SP-2: A is high, then K, Q, J, 10 … 2: each trump beats the one before it, and no lower one does."""
    for low, high in itertools.pairwise("23456789TJQKA"):
        env = table(["2C 3C 4C", "2H 3H 4H", f"{high}D 3S 4S"], f"{low}D", dealer=1)
        no_sale(env)
        assert env.reveal()["trump"] == [f"{high}D", 2]
        env = table(["2C 3C 4C", "2H 3H 4H", f"{low}D 3S 4S"], f"{high}D", dealer=1)
        if high != "A":
            no_sale(env)
            assert env.terminations["agent_0"] and env.reveal()["trump"] == [f"{high}D", 1]


@pytest.mark.parametrize(("players", "ante"), [(2, 1), (4, 4), (9, 28)])
def test_sp_3_everybody_puts_the_ante_into_the_pot(players: int, ante: int):
    """SP-3: the pot is one ante of each; the default is four chips."""
    env = fresh(variant=NAME, num_players=players, ante=ante)
    assert env.reveal()["pot"] == players * ante and env.reveal()["scores"] == [0] * players
    assert fresh(variant=NAME).reveal()["pot"] == 16


def cut(cards: list[list[str]]) -> int:
    """Who deals by cutting these cards, round by round: the lowest, the ace being low."""
    tied = list(range(len(cards[0])))
    for round_ in cards:
        values = {seat: "A23456789TJQK".index(round_[seat][0]) for seat in tied}
        tied = [seat for seat in tied if values[seat] == min(values.values())]
    assert len(tied) == 1
    return tied[0]


@pytest.mark.parametrize("players", [2, 4, 9])
def test_sp_4_cutting_for_deal_is_fair(players: int):
    """SP-4: each seat cuts lowest as often as any other; ties cut again, so that there is always one dealer."""
    vec = eightsenv.make_vec(NAME, num_envs=3_000, seed=5, num_players=players)
    vec.reset()
    dealers = np.bincount([vec.reveal(i)["dealer"] for i in range(3_000)], minlength=players)
    expected = 3_000 / players
    assert ((dealers - expected) ** 2 / expected).sum() < 3 * (players + 4)


def test_sp_4_the_lowest_card_deals_with_the_ace_low():
    """SP-4: the cards cut, drawn from the chance stream one by one without going back, and who deals by them."""
    from eightsenv import rng
    from eightsenv.bits import nth
    from eightsenv.game import record_dtype

    again = 0
    for seed in range(60):
        env = fresh(seed, variant=NAME, num_players=9)
        stream = np.zeros(1, record_dtype([("chance", "u8")]))[0]
        stream.chance = rng.chance_seed(np.uint64(seed), np.uint64(0), np.uint64(0))
        tied, rounds = list(range(9)), []
        while len(tied) > 1:
            pack, cards = (1 << 52) - 1, [""] * 9
            for seat in tied:
                card = nth(np.uint64(pack), rng.bounded(rng.chance_word(stream) >> np.uint64(32), pack.bit_count()))
                pack &= ~(1 << int(card))
                cards[seat] = PACK[int(card)]
            rounds.append(cards)
            order = {seat: "A23456789TJQK".index(cards[seat][0]) for seat in tied}
            tied = [seat for seat in tied if order[seat] == min(order.values())]
        again += len(rounds) > 1
        assert env.reveal()["dealer"] == cut(rounds)
    assert again > 10


def test_sp_4_then_the_deal_passes_left():
    """SP-4: in a match the next dealer is the dealer's left."""
    env = fresh(variant=NAME, match=True, num_players=3)
    dealers = [env.reveal()["dealer"]]
    while not env.terminations["agent_0"]:
        do(env, legal(env)[0])
        if env.reveal()["dealer"] != dealers[-1]:
            dealers.append(env.reveal()["dealer"])
    assert dealers == [(dealers[0] + k) % 3 for k in range(3)]


@pytest.mark.parametrize("dealer", range(4))
def test_sp_5_three_cards_each_one_at_a_time_the_last_on_top(dealer: int):
    """SP-5: deck[0] goes to left(dealer), and so on; the card dealt last lies on top of the packet."""
    deck = random.Random(dealer).sample(PACK, 52)
    env = fresh(variant=NAME, script={"deck": deck, "dealer": dealer})
    for k in range(4):
        seat = (dealer + 1 + k) % 4
        assert env.reveal()["packets"][seat] == deck[k:12:4][::-1]
        assert Counter(env.reveal()["hands"][seat]) == Counter(deck[k:12:4])


def test_sp_5_nobody_knows_the_own_packet():
    """SP-5: with a numeral turned up, own cards are numbers in the view, absent from the log, and change no observation."""
    one, two = table(PLAIN[:3], "7D"), table([PLAIN[2], PLAIN[1], PLAIN[0]], "7D")
    for agent in one.possible_agents:
        assert one.view(agent)["hands"] == one.view(agent)["packets"] == [3, 3, 3]
        assert one.log(agent) == ["hand 0: agent_0 deals, turn-up 7D"]
        assert np.array_equal(one.observe(agent)["observation"], two.observe(agent)["observation"])


def test_sp_6_the_next_card_is_trump_and_the_dealers():
    """SP-6: the card after the packets is turned up; it is the best trump, and the dealer's."""
    deck = random.Random(1).sample(PACK, 52)
    env = fresh(variant=NAME, script={"deck": deck, "dealer": 2})
    assert env.reveal()["turn_up"] == deck[12] and env.reveal()["trump"] == [deck[12], 2] and env.reveal()["stock"] == deck[13:]


# The turn-up


def test_t_sp_1_an_ace_turned_up():
    """SP-7, T-SP-1: five players, ante 1, AH turned up: the dealer has one decision, keep, and takes the pot: +4, others -1."""
    env = table(PLAIN, "AH", dealer=3, ante=1)
    assert env.agent_selection == "agent_3" and legal(env) == ["keep"] and env.reveal()["phase"] == "TAKE"
    do(env, "keep")
    assert env.terminations["agent_0"] and env.payoffs() == [-1, -1, -1, 4, -1] and env.reveal()["pot"] == 0


@pytest.mark.parametrize("card", ["KD", "QD", "JD"])
def test_sp_8_a_court_card_is_offered_and_may_be_kept(card: str):
    """SP-8: K, Q or J turned up: the dealer need not accept the best bid."""
    env = table(PLAIN[:3], card)
    assert env.reveal()["phase"] == "BID" and env.agent_selection == "agent_1"
    do(env, "bid 2", "bid 5")
    assert env.agent_selection == "agent_0" and legal(env) == ["accept", "keep"]
    do(env, "keep")
    assert env.reveal()["trump"] == [card, 0] and env.payoffs() == [8, -4, -4]


def test_t_sp_2_a_queen_is_sold_and_beaten():
    """SP-8, SP-9, T-SP-2: QS sold by the dealer to seat 2 for 3; seat 4 has KS: +4; seat 2 -1-3; dealer -1+3; others -1."""
    packets = ["2C 3C 4C", "2H 3H 4H", "2D 3D 4D", "5C 6C 7C", "5H 6H KS"]
    env = table(packets, "QS", ante=1)
    do(env, "bid 0", "bid 3", "bid 0", "bid 0", "accept")
    assert env.payoffs() == [2, -1, -4, -1, 4]
    assert env.reveal()["packets"] == [[]] * 5 and env.reveal()["trump"] == ["KS", 4]


def test_sp_9_all_hands_are_faced_together_and_a_card_kept_or_bought_counts():
    """SP-9: after the sale of a court card every hand lies open, the holder's too; the top trump takes the pot."""
    env = table(["AD 3C 4C", "KD 3H 4H", "2S 3S 4S"], "QD")
    no_sale(env)
    assert env.reveal()["faced"] == env.reveal()["hands"] and env.payoffs() == [8, -4, -4]
    env = table(["2C 3C 4C", "JD 3H 4H", "2S 3S 4S"], "QD")
    do(env, "bid 0", "bid 1", "accept")
    assert env.payoffs() == [-3, -4, 7]


def test_sp_10_everybody_looks_before_a_court_card_is_sold():
    """SP-10: with K, Q or J turned up the own cards are in the view, the observation and the log; with a numeral they are not."""
    env = table(PLAIN[:3], "KD")
    assert env.view("agent_1")["hands"] == [3, ["2H", "3H", "4H"], 3] and env.log("agent_1")[0].endswith("[2H 3H 4H]")
    own = env.unwrapped.fields["own_cards"]
    assert [PACK[k] for k in np.flatnonzero(env.observe("agent_1")["observation"][own])] == ["2H", "3H", "4H"]
    assert env.log()[0] == "hand 0: agent_0 deals, turn-up KD"
    numeral = table(PLAIN[:3], "TD")
    assert not numeral.observe("agent_1")["observation"][own].any() and numeral.view("agent_1")["hands"] == [3, 3, 3]


def test_sp_10_a_numeral_stays_on_the_table_sold_or_not():
    """SP-10: sold or kept, the numeral stays the best trump and only its owner changes; no hand is faced yet beyond the turns."""
    for answer, owner in (("accept", 2), ("keep", 0)):
        env = table(["2C 3C 4C", "8D 3H 4H", "2S 3S 4S"], "7D")
        assert env.reveal()["faced"] == [[], [], []]
        do(env, "bid 0", "bid 6")
        assert env.reveal()["faced"] == [[], [], []]
        env.step(env.action_id(answer))
        assert env.reveal()["turn_up"] == "7D" and env.reveal()["balance"] == ([6, 0, -6] if owner else [0, 0, 0])
        assert env.reveal()["trump"] == ["8D", 1]


# The sale


def test_sale_bids_go_round_once_and_each_beats_the_best():
    """SALE: from the owner's left each other seat bids 0 or more than the best so far, up to the pot; then the owner decides."""
    env = table(PLAIN[:4], "7D", dealer=2, ante=1)
    assert env.agent_selection == "agent_3" and legal(env) == ["bid 0", "bid 1", "bid 2", "bid 3", "bid 4"]
    do(env, "bid 2")
    assert env.agent_selection == "agent_0" and legal(env) == ["bid 0", "bid 3", "bid 4"]
    do(env, "bid 4")
    assert env.agent_selection == "agent_1" and legal(env) == ["bid 0"]
    do(env, "bid 0")
    assert env.agent_selection == "agent_2" and legal(env) == ["accept", "keep"] and env.reveal()["bids"] == [4, 0, None, 2]
    do(env, "accept")
    assert env.reveal()["trump"][1] == 0 and env.reveal()["balance"] == [-4, 0, 4, 0]


def test_sale_without_a_bid_the_owner_is_not_asked():
    """SALE: no bid, no owner decision."""
    env = table(["2C 3C 4C", "8D 3H 4H", "2S 3S 4S"], "7D")
    do(env, "bid 0", "bid 0")
    assert env.reveal()["trump"] == ["8D", 1] and env.agent_selection == "agent_2"


# Facing


def test_t_sp_3_facing_until_a_better_trump_shows():
    """SP-11, SP-13, T-SP-3: 7D unsold; seat 1 faces 2C, seat 2 faces 5D (not better), seat 3 faces 9D: it offers it for sale."""
    env = table(["2H 3H 4H", "2C 3C 4C", "5D 3S 4S", "9D 6C 7C"], "7D", ante=1)
    do(env, "bid 0", "bid 0", "bid 0")
    shown = env.reveal()
    assert shown["facings"] == [[1, "2C"], [2, "5D"], [3, "9D"]] and shown["trump"] == ["9D", 3]
    assert shown["phase"] == "BID" and env.agent_selection == "agent_0"
    assert env.log()[-3:] == ["2C is faced by agent_1", "5D is faced by agent_2", "9D is faced by agent_3"]


def test_sp_11_round_and_round_from_the_dealers_left():
    """SP-11: each player in turn faces the top card, one a round, from left(dealer) on, also when the turn-up was sold."""
    for answer, skipped in (("keep", 1), ("accept", 0)):
        env = table(["2H 3H 4H", "2C 3C 4C", "2S 3S 9D"], "7D", dealer=1)
        do(env, "bid 0", "bid 1", answer)
        order = [seat for seat in (2, 0, 1) if seat != skipped]
        facings = [(seat, place) for place in range(3) for seat in order]
        shown = [[seat, env.reveal()["hands"][seat][place]] for seat, place in facings]
        assert env.reveal()["facings"] == shown[: len(env.reveal()["facings"])] and env.reveal()["facings"][-1] == [2, "9D"]


def test_sp_12_the_holder_faces_nothing_until_beaten():
    """SP-12: the dealer with an unsold turn-up faces nothing; once beaten, it does; seats without cards are skipped."""
    env = table(["KD 3H 4H", "2C 3C 4C", "9D 3S 4S"], "7D")
    no_sale(env)
    assert env.reveal()["faced"] == [[], ["2C"], ["9D"]]
    no_sale(env)
    assert env.reveal()["trump"] == ["KD", 0] and env.reveal()["faced"][2] == ["9D"]


def test_t_sp_6_the_purchaser_is_skipped_and_the_beaten_dealer_faces():
    """SP-12, T-SP-6: after the sale of seat 3's card to seat 1, seat 1 is skipped in facing; the dealer (beaten) now faces."""
    env = table(["2H 3H 4H", "2C KD 4C", "5D 3S 4S", "9D 6C 7C"], "7D")
    do(env, "bid 0", "bid 0", "bid 0", "bid 0", "bid 5", "bid 0", "accept")
    assert env.terminations["agent_0"] and env.reveal()["trump"] == ["9D", 1]
    assert env.reveal()["facings"][3:5] == [[0, "2H"], [2, "3S"]]
    assert all(seat != 1 for seat, _ in env.reveal()["facings"][3:-2])
    assert env.payoffs() == [-4, 7, -4, 1]


def test_sp_13_a_better_trump_is_its_facers_and_offered_in_the_same_way():
    """SP-13: it is sold as before, and facing goes on at the left of who faced last; a lower trump changes nothing."""
    env = table(["2H 3H 4H", "8D 3C 4C", "9D 3S 4S"], "7D")
    no_sale(env)
    assert env.reveal()["trump"] == ["8D", 1] and env.agent_selection == "agent_2"
    do(env, "bid 1", "bid 0", "keep")
    assert env.reveal()["facings"] == [[1, "8D"], [2, "9D"]] and env.reveal()["trump"] == ["9D", 2]
    no_sale(env)
    assert env.reveal()["facings"][2:4] == [[0, "2H"], [1, "3C"]]


def test_sp_13_a_trump_ace_faced_ends_the_hand():
    """SP-13: its facer takes the pot at once, and no other card is faced."""
    env = table(["2H 3H 4H", "AD 3C 4C", "9D 3S 4S"], "7D")
    do(env, "bid 0", "bid 0")
    assert env.terminations["agent_0"] and env.payoffs() == [-4, 8, -4]
    assert env.reveal()["faced"] == [[], ["AD"], []] and env.reveal()["packets"][1] == ["3C", "4C"]


def test_t_sp_5_without_a_higher_trump_the_turn_up_wins():
    """SP-14, T-SP-5: no higher trump anywhere: the owner of the turn-up wins; all cards are exposed at the end."""
    for bids, owner in ((["bid 0"] * 3, 0), (["bid 0", "bid 3", "bid 0", "accept"], 2)):
        env = table(PLAIN[:4], "7D")
        do(env, *bids)
        assert env.terminations["agent_0"] and env.reveal()["trump"] == ["7D", owner]
        assert env.reveal()["packets"] == [[]] * 4
        assert env.payoffs() == ([12, -4, -4, -4] if owner == 0 else [-1, -4, 9, -4])
        assert [env.rewards[agent] for agent in env.possible_agents] == env.payoffs()


def test_sp_14_what_the_exempt_owner_has_left_changes_nothing():
    """SP-14: the owner's own better trump, never faced, is shown at the end and is not the best trump."""
    env = table(["KD AD 4H", "2C 3C 4C", "2S 3S 4S"], "7D")
    no_sale(env)
    assert env.reveal()["trump"] == ["7D", 0] and env.payoffs() == [8, -4, -4]
    assert env.reveal()["faced"][0] == ["KD", "AD", "4H"]


def test_g_12_a_match_is_one_deal_each_and_most_chips_win():
    """G-12: ``num_players`` hands, or ``max_hands``; scores add up the payoffs; the log has the last cards of each hand."""
    for hands in (None, 2):
        env = fresh(variant=NAME, match=True, num_players=3, max_hands=hands, reward="win")
        rng = random.Random(2)
        while not env.terminations["agent_0"]:
            do(env, rng.choice(legal(env)))
        assert len(env.ledger()) == (hands or 3)
        scores = np.array(env.reveal()["scores"])
        assert scores.tolist() == np.sum([row["payoffs"] for row in env.ledger()], axis=0).tolist() and scores.sum() == 0
        won = scores == scores.max()
        assert [env.rewards[a] > 0 for a in env.possible_agents] == (won & ~won.all()).tolist()
        lines = env.log()
        for k, line in enumerate(lines):
            if line.startswith("hand") and "ends" in line:
                told = [text for text in lines[:k] if "is faced by" in text or "deals" in text]
                begin = max(i for i, text in enumerate(told) if "deals" in text)
                ended_early = "turn-up A" in told[begin] or told[-1].startswith("A")
                assert ended_early or len(told) - begin - 1 == 9


RULES = [*(f"SP-{k}" for k in range(1, 15)), *(f"T-SP-{k}" for k in range(1, 7))]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"\b(?<!-)(T-SP-\d+|SP-\d+)\b")
    assert set(RULES) <= named, sorted(set(RULES) - named)
