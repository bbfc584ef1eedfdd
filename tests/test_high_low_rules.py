"""The rules of the high-low layout game, HL-1 … HL-13, and the examples T-HL-1 … T-HL-7, by scripted deals.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.deals import all_cards, deck_for, edit_record, fresh, legal
from reference.high_low import PACK
from reference.naming import named_rules

import eightsenv
from eightsenv import high_low_eights_v0
from eightsenv.cards import card_id
from eightsenv.variants.high_low.play import count

NAME = "high_low_eights_v0"


def table(hands: list[str], layout: str, dealer: int | None = None, **options: Any) -> Any:
    """A scripted game; the dealer is the last seat unless given, so that seat 0 begins."""
    dealer = len(hands) - 1 if dealer is None else dealer
    script = {"deck": deck_for(hands, layout, dealer), "dealer": dealer}
    return fresh(script=script, variant=NAME, num_players=len(hands), **options)


def do(env: Any, *actions: str) -> None:
    for action in actions:
        env.step(env.action_id(action))


def everybody_passes(env: Any) -> Any:
    """Let all pass in one circle; returns the environment."""
    while not env.terminations["agent_0"]:
        do(env, "pass")
    return env


HIGH_LAYOUT = "KC KD KH KS QC QD QH QS"
"""Two ranks only: hands without kings and queens can lay nothing."""


# Cards, deal


@pytest.mark.parametrize("players", range(2, 9))
def test_hl_2_players_and_pack(players: int):
    """HL-2: two to eight players, one pack of 52, each card once."""
    env = fresh(variant=NAME, num_players=players)
    shown = env.reveal()
    assert env.possible_agents == [f"agent_{k}" for k in range(players)]
    assert sorted([*all_cards(shown), *(pile[0] for pile in shown["layout"])]) == sorted(PACK)


def test_hl_2_never_one_or_nine():
    """HL-2: four is the default, two to eight are allowed."""
    assert fresh(variant=NAME).num_players == 4
    for players in (0, 1, 9, 4.0, "4", None, True):
        with pytest.raises(ValueError, match="2 to 8 players"):
            high_low_eights_v0.env(num_players=players)


def test_hl_1_nothing_of_the_shedding_game():
    """HL-1: no wild eights, no suits, no stock to draw from: an eight goes on an eight only, and nothing on its suit."""
    env = table(["8C 8D KC 2C 3C", "2D 3D 4D 5D 6D"], "8H KD 9C TC JC QC AC 7C")
    assert set(legal(env)) == {"play 8C", "play 8D", "play KC"}
    assert {env.action_name(a).split()[0] for a in range(env.action_space("agent_0").n)} == {"play", "pass"}
    do(env, "play 8C")
    assert env.agent_selection == "agent_1" and legal(env) == ["pass"]


def test_hl_3_the_first_dealer_is_random_and_the_deal_passes_left():
    """HL-3: each seat deals first in about a quarter of the games; in a match the deal moves on to the left."""
    vec = eightsenv.make_vec(NAME, num_envs=2_000, seed=3)
    vec.reset()
    dealers = Counter(vec.reveal(i)["dealer"] for i in range(2_000))
    assert set(dealers) == {0, 1, 2, 3} and max(dealers.values()) < 580
    env = fresh(variant=NAME, match=True, first_dealer=2)
    seen = [env.reveal()["dealer"]]
    rng = random.Random(1)
    while not env.terminations["agent_0"]:
        do(env, rng.choice(legal(env)))
        if env.reveal()["dealer"] != seen[-1]:
            seen.append(env.reveal()["dealer"])
    assert seen == [2, 3, 0, 1]


@pytest.mark.parametrize(("players", "ante"), [(2, 1), (4, 2), (8, 100)])
def test_hl_4_everybody_puts_the_ante_into_the_pot(players: int, ante: int):
    """HL-4: the pot is one ante of each; the default is two chips. It is in the pot until the hand ends."""
    env = fresh(variant=NAME, num_players=players, ante=ante)
    assert env.reveal()["pot"] == players * ante
    assert fresh(variant=NAME).reveal()["pot"] == 8
    while not env.terminations["agent_0"]:
        assert env.reveal()["pot"] == players * ante and env.reveal()["scores"] == [0] * players
        do(env, legal(env)[0])
    assert env.reveal()["pot"] == 0


@pytest.mark.parametrize("dealer", range(4))
def test_hl_5_five_cards_each_one_at_a_time(dealer: int):
    """HL-5: deck[0] goes to left(dealer), and so on round the table; five each."""
    deck = random.Random(dealer).sample(PACK, 52)
    env = fresh(variant=NAME, script={"deck": deck, "dealer": dealer})
    for k in range(4):
        assert Counter(env.reveal()["hands"][(dealer + 1 + k) % 4]) == Counter(deck[k:20:4])


def test_hl_6_eight_cards_face_up_and_the_rest_is_dead():
    """HL-6: the next eight cards are slots 0 to 7; what is left takes no part, and nobody sees it."""
    deck = random.Random(7).sample(PACK, 52)
    env = fresh(variant=NAME, script={"deck": deck, "dealer": 0})
    assert env.reveal()["layout"] == [[card] for card in deck[20:28]]
    assert env.reveal()["stock"] == deck[28:] and env.reveal()["discard"] == []
    view = env.view("agent_1")
    assert view["layout"] == env.reveal()["layout"] and view["stock"] == 24 and view["hands"][0] == 5


# Play


@pytest.mark.parametrize("dealer", range(3))
def test_hl_7_clockwise_from_the_dealers_left(dealer: int):
    """HL-7: the first turn is left(dealer)'s, the next that seat's left."""
    env = fresh(variant=NAME, num_players=3, first_dealer=dealer, voluntary_pass=True)
    turns = []
    for _ in range(3):
        turns.append(env.reveal()["seat"])
        do(env, "pass")
    assert turns == [(dealer + 1 + k) % 3 for k in range(3)]


def test_t_hl_6_what_can_be_laid():
    """HL-8, T-HL-6: layout ranks {2,2,5,9,J,K,A,A}: the hand 8C 8D 3S 5H KD has exactly 5H and KD playable."""
    env = table(["8C 8D 3S 5H KD", "3C 3D 4C 4D 6C"], "2C 2D 5C 9C JC KC AC AD")
    assert legal(env) == ["play 5H", "play KD"]
    free = table(["8C 8D 3S 5H KD", "3C 3D 4C 4D 6C"], "2C 2D 5C 9C JC KC AC AD", voluntary_pass=True)
    assert legal(free) == ["play 5H", "play KD", "pass"]


def test_hl_8_the_lowest_numbered_slot_of_the_rank():
    """HL-8: of slots of equal rank the card goes on the lowest-numbered; a pile may be covered again and again."""
    env = table(["9D 2C 2D 2H 2S", "9S 3C 3D 3H 3S"], "KC 9C 9H QC QD QH QS KD")
    do(env, "play 9D", "play 9S")
    assert env.reveal()["layout"][:3] == [["KC"], ["9S", "9D", "9C"], ["9H"]]


def test_hl_9_who_cannot_lay_passes_and_nobody_else():
    """HL-9: a pass is the only action without a card to lay, and none with one unless it is voluntary."""
    env = table(["9D 2C 2D 2H 2S", "4C 3C 3D 3H 3S"], "KC 9C 9H QC QD QH QS KD")
    assert legal(env) == ["play 9D"]
    with pytest.raises(ValueError, match="not legal"):
        do(env, "pass")
    do(env, "play 9D")
    assert legal(env) == ["pass"]


def test_hl_9_with_forced_play_no_choice_matters():
    """HL-9: the ranks of the layout never change, so every way to play the same deal ends in the same payoffs."""
    for seed in range(60):
        results = []
        for way in range(4):
            env = fresh(seed, variant=NAME, num_players=2 + seed % 7)
            rng = random.Random(way)
            while not env.terminations["agent_0"]:
                do(env, rng.choice(legal(env)))
            results.append(env.payoffs())
        # Who goes out first is settled too: everybody lays a card at each turn, whichever it is.
        assert results[1:] == results[:-1]


def test_hl_9_a_voluntary_pass_bars_no_later_turn():
    """HL-9: with voluntary_pass a player who has passed may lay a card later."""
    env = table(["9D 2C 2D 2H 2S", "9S 3C 3D 3H 3S"], "KC 9C 9H QC QD QH QS KD", voluntary_pass=True)
    do(env, "pass", "play 9S", "play 9D", "pass")
    assert env.reveal()["hands"][0] == ["2C", "2D", "2H", "2S"] and not env.terminations["agent_0"]


# The end


def test_t_hl_5_who_is_out_takes_the_pot_at_once():
    """HL-10, T-HL-5: the seat that lays its fifth card receives the whole pot of 12, and play ends at once."""
    hands = ["KC QC JC TC 9C", *(f"2{s} 3{s} 4{s} 5{s} 6{s}" for s in "CDHS"), "7C 7D 7H 8C 8D"]
    env = table(hands, "KD QD JD TD 9D AC AD AH", dealer=5)
    for card in ("KC", "QC", "JC", "TC"):
        do(env, f"play {card}", *["pass"] * 5)
    assert env.reveal()["pot"] == 12
    do(env, "play 9C")
    assert env.terminations["agent_0"] and env.reveal()["seat"] is None
    assert env.payoffs() == [10, -2, -2, -2, -2, -2] == env.reveal()["scores"]
    assert [env.rewards[agent] for agent in env.possible_agents] == env.payoffs()


def test_hl_10_high_and_low_go_to_who_is_out_whatever_the_counts():
    """HL-10: also when other hands count most and least."""
    env = table(["KC QC JC TC 9C", "AS AD AH 2C 2D", "2H 2S 3C 3D 4C"], "KD QD JD TD 9D 8C 8D 8H")
    do(env, *[a for card in ("KC", "QC", "JC", "TC") for a in (f"play {card}", "pass", "pass")], "play 9C")
    assert env.payoffs() == [4, -2, -2]


def test_hl_11_a_full_circle_of_passes_ends_the_hand():
    """HL-11: n passes in succession and no fewer; a card laid in between begins the count anew."""
    env = table(["KC 2C 2D 2H 2S", "4C 3C 3D 3H 3S", "5C 5D 5H 5S 6C"], HIGH_LAYOUT.replace("KC", "AC"), voluntary_pass=True)
    do(env, "pass", "pass", "pass")
    assert env.terminations["agent_0"]
    env = table(["KC 2C 2D 2H 2S", "4C 3C 3D 3H 3S", "5C 5D 5H 5S 6C"], HIGH_LAYOUT.replace("KC", "AC"))
    do(env, "play KC", "pass", "pass", "pass")
    assert env.terminations["agent_0"] and env.reveal()["passes"] == 3
    assert env.payoffs() == [1, -2, 1]  # counts 8, 16, 26


@pytest.mark.parametrize(
    ("cards", "points"),
    [("2C 3D", 5), ("AS KD 7H", 32), ("QC", 10), ("JC", 10), ("TC", 10), ("9C", 9), ("", 0), ("AC AD AH AS KC", 70)],
)
def test_t_hl_1_and_2_counts(cards: str, points: int):
    """HL-12, T-HL-1, T-HL-2: ace 15; K, Q, J 10; others face value: 2C 3D is 5, AS KD 7H is 32."""
    assert count(np.uint64(sum(1 << card_id(card) for card in cards.split()))) == points


def test_hl_12_every_card():
    """HL-12: each rank's value."""
    values = [count(np.uint64(1 << card)) for card in range(0, 52, 4)]
    assert values == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15]


def set_hands(env: Any, hands: list[str], dealer: int) -> Any:
    """Put hands of any number of cards in place; then nobody can lay a card. Returns the environment."""

    def change(s: Any) -> None:
        s.dealer = dealer
        for seat, hand in enumerate(hands):
            s.hands[seat] = sum(1 << card_id(card) for card in hand.split())
        s.matching = 0

    edit_record(env, change)
    return env


def settled(hands: list[str], ante: int = 2, dealer: int | None = None, **options: Any) -> list[float]:
    """The payoffs when all pass with these hands."""
    env = fresh(variant=NAME, num_players=len(hands), ante=ante, **options)
    return everybody_passes(set_hands(env, hands, len(hands) - 1 if dealer is None else dealer)).payoffs()


def test_t_hl_3_high_and_low_share_the_pot():
    """HL-11, HL-13, T-HL-3: six players, ante 2, pot 12; counts 32, 5, 18, 18, 27, 9: seats 0 and 1 win 6 each."""
    hands = ["AS KD 7H", "2C 3D", "KC 8C", "QC 8D", "AC JC 2D", "9C"]
    assert settled(hands) == [4, 4, -2, -2, -2, -2]


def test_t_hl_4_a_tie_for_low():
    """HL-13, T-HL-4: two share the low half of 6 in a pot of 12: 3 each."""
    assert settled(["AS KD", "2C 3D", "5C", "QC 8D", "AC JC 2D 3H", "9C"]) == [-2, 1, 1, -2, 4, -2]


def test_t_hl_7_the_high_half_is_the_larger():
    """HL-13, T-HL-7: a pot of 7 (ante 1, seven players): high 4, low 3."""
    hands = ["AS KD", "2C", "3C", "4C", "5C", "6C", "7C"]
    assert settled(hands, ante=1) == [3, 2, -1, -1, -1, -1, -1]


def test_hl_13_odd_chips_go_to_the_first_from_the_dealers_left():
    """HL-13: what a half leaves over goes one each to the first tied seats from left(dealer) on, for each half by itself."""
    hands = ["AS", "AD", "AH", "2C", "2D", "2H", "9C"]  # a pot of 14: three share 7 high, three share 7 low
    assert settled(hands, dealer=6) == [1, 0, 0, 1, 0, 0, -2]
    assert settled(hands, dealer=0) == [0, 1, 0, 1, 0, 0, -2]
    assert settled(hands, dealer=4) == [1, 0, 0, 0, 0, 1, -2]


def test_hl_13_fractions():
    """HL-13: odd_chip="fraction" divides both halves exactly."""
    hands = ["AS", "AD", "AH", "2C", "2D", "2H", "9C"]
    assert settled(hands, odd_chip="fraction") == pytest.approx([1 / 3] * 6 + [-2])
    assert settled(["AS KD", "2C", "3C"], ante=1, odd_chip="fraction") == [0.5, 0.5, -1]


@pytest.mark.parametrize("odd_chip", ["high_then_left", "fraction"])
def test_hl_13_all_equal(odd_chip: str):
    """HL-13: if all counts are equal, everyone gets the ante back, also of an odd pot."""
    assert settled(["9C", "9D", "9H"], ante=1, odd_chip=odd_chip) == [0, 0, 0]
    assert settled(["KC QC", "KD QD"], odd_chip=odd_chip) == [0, 0]


def test_hl_13_two_players_get_their_antes_back_unless_one_is_out():
    """HL-13: one has the high half and the other the low one."""
    assert settled(["AC KC", "2D"]) == [0, 0]


def test_g_12_a_match_is_one_deal_each_and_most_chips_win():
    """G-12: ``num_players`` hands, or ``max_hands``; scores add up the payoffs; equal best totals share the win."""
    for hands in (None, 2):
        env = fresh(variant=NAME, match=True, num_players=3, max_hands=hands, reward="win", voluntary_pass=True)
        rng = random.Random(2)
        while not env.terminations["agent_0"]:
            do(env, rng.choice(legal(env)))
        assert len(env.ledger()) == (hands or 3)
        scores = np.array(env.reveal()["scores"])
        assert scores.tolist() == np.sum([row["payoffs"] for row in env.ledger()], axis=0).tolist() and scores.sum() == 0
        won = scores == scores.max()
        assert [env.rewards[a] > 0 for a in env.possible_agents] == (won & ~won.all()).tolist()


def test_the_log_tells_the_layout_and_each_seat_its_hand():
    env = table(["9D 2C 2D 2H 2S", "9S 3C 3D 3H 3S"], "KC 9C 9H QC QD QH QS KD")
    assert env.log() == ["hand 0: agent_1 deals, layout KC 9C 9H QC QD QH QS KD"]
    assert env.log("agent_0") == [f"{env.log()[0]} [2C 2D 2H 2S 9D]"]
    do(env, "play 9D")
    assert env.log("agent_1")[1] == "agent_0 play 9D"


RULES = [*(f"HL-{k}" for k in range(1, 14)), *(f"T-HL-{k}" for k in range(1, 8))]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"\b(?<!-)(T-HL-\d+|HL-\d+)\b")
    assert set(RULES) <= named, sorted(set(RULES) - named)
