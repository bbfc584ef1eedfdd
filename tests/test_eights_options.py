"""The options of the Eights family, each value shown by scripted deals; the presets, the refusals and ``rules="openspiel"``.

What ``test_crazy_eights_rules.py`` and ``test_eights_rules.py`` show is not repeated here.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference import settings
from reference.blocks import played_out
from reference.deals import Table, all_cards, fresh, legal
from reference.settings import BAD_VALUES, MINI, STANDARD, VARIANTS

import eightsenv


def table_of(hands: list[str], after: str, **options: Any) -> Table:
    return Table(hands, after, **({"variant": "eights_v0"} | options))


def play_random(env: Any, seed: int, until: Any = lambda env: False) -> None:
    """Play at random, cards first, to the end or until a condition holds."""
    rng = random.Random(seed)
    while not (env.terminations["agent_0"] or env.truncations["agent_0"] or until(env)):
        actions = legal(env)
        env.step(env.action_id(rng.choice([a for a in actions if a.startswith("play")] or actions)))


# Effects: skip and reverse


def test_skip_the_next_seat_loses_its_turn():
    table = table_of(["QC 2C", "3C 4C", "5C 6C", "7C 9C"], "JC", effects={"Q": "skip"})
    table.do("play QC")
    assert table.seat == 2 and table.direction == 1


def test_skip_with_two_players_is_another_turn():
    table = table_of(["QC 2C", "3C 4C"], "JC", effects={"Q": "skip"})
    table.do("draw", "play QC")
    assert table.seat == 0 and table.drawn == 0 and {"play 2C", "draw"} <= table.legal()


def test_reverse_changes_the_direction_and_changes_it_back():
    table = table_of(["AC 2C", "3C 4C", "5C 6C", "AD 9C"], "JC", effects={"A": "reverse"})
    table.do("play AC")
    assert table.direction == -1 and table.seat == 3
    table.do("play AD")
    assert table.direction == 1 and table.seat == 0


def test_reverse_holds_for_later_turns():
    table = table_of(["AC 2C 7C", "3C 4C 9C", "5C 6C TC"], "JC", effects={"A": "reverse"})
    seats = []
    for action in ("play AC", "play 5C", "play 3C", "play 2C"):
        seats.append(table.seat)
        table.do(action)
    assert [*seats, table.seat] == [0, 2, 1, 0, 2]


def test_reverse_with_two_players_nothing_happens():
    table = table_of(["AC 2C", "3C 4C"], "JC", effects={"A": "reverse"})
    table.do("play AC")
    assert table.seat == 1 and table.direction == 1


def test_the_direction_begins_anew_with_each_hand():
    table = table_of(["AC 3C", "3H 4H", "5H 6H"], "JC", effects={"AC": "reverse"}, match=True, target=1000)
    table.do("play AC")
    last = []
    play_random(table.env, 1, lambda env: last.append(env.reveal()) or env.reveal()["hand_number"] == 1)
    assert [shown["direction"] for shown in last[-2:]] == [-1, 1] and table.dealer == 2
    assert table.env.reveal()["dealer"] == 0 and table.seat == 1


# Effects: draw


def test_draw_n_is_one_action_and_costs_the_turn():
    """The next seat is asked even when `draw` is its only action; it takes all that is due; its own cards do not help."""
    table = table_of(["QC 2C", "3C 8C", "5C 6C", "7C 9C"], "JC KH AS 2D 4S", effects={"Q": "draw 3"})
    table.do("play QC")
    assert table.seat == 1 and table.phase == "TURN" and table.pending == 3 and table.legal() == {"draw"}
    table.do("draw")
    assert table.seat == 2 and table.pending == 0 and Counter(table.hands[1]) == Counter(["3C", "8C", "KH", "AS", "2D"])
    assert table.stock[0] == "4S" and table.legal() == {"play 5C", "play 6C", "draw"}


@pytest.mark.parametrize("n", range(1, 11))
@pytest.mark.parametrize("stack", ["", " stack"])
def test_draw_one_to_ten(n: int, stack: str):
    table = table_of(["QC 2C", "3C 8C"], "JC", effects={"Q": f"draw {n}{stack}"})
    table.do("play QC")
    assert table.pending == n
    table.do("draw")
    assert len(table.hands[1]) == 2 + n and table.seat == 0


def test_draws_of_an_effect_do_not_count_for_the_limit():
    """The limit counts all draws of a turn but those of an effect."""
    table = table_of(["QC 2C", "3H 9H"], "JC KH AS 2D 4S", effects={"Q": "draw 3"}, draw_limit=1)
    table.do("play QC", "draw")
    assert table.seat == 0 and table.drawn == 0 and len(table.hands[1]) == 5


STACK = {"2": "draw 2 stack", "3": "draw 3 stack", "4": "draw 4"}


def test_a_stackable_card_answers_and_adds_its_number():
    """Only playable cards with a stackable draw effect: no wild card, no plain draw effect, nothing that does not match."""
    table = table_of(["2C 9C 9D 9S TH", "2D 3C 3H 4C 8C", "3D 2H 5C 6C 7C"], "JC", effects=STACK)
    table.do("play 2C")
    assert table.pending == 2 and table.legal() == {"draw", "play 2D", "play 3C"}
    table.do("play 3C")
    assert table.pending == 5 and table.seat == 2 and table.legal() == {"draw", "play 3D"}
    table.do("play 3D")
    assert table.pending == 8 and table.seat == 0 and table.legal() == {"draw"}
    table.do("draw")
    assert table.pending == 0 and table.seat == 1 and len(table.hands[0]) == 4 + 8
    assert table.legal() == {"play 3H", "play 2D", "play 8C", "draw"}, "an ordinary turn"


def test_a_plain_draw_effect_can_be_answered_by_a_stackable_card():
    """What is due says nothing: with a draw effect pending each playable card with a stackable draw effect is legal."""
    table = table_of(["4C 9C", "3C 4D"], "JC", effects=STACK)
    table.do("play 4C")
    assert table.pending == 4 and table.legal() == {"draw", "play 3C"}


def test_the_answer_may_be_the_last_card():
    """Going out with the answer ends the hand: nobody draws."""
    table = table_of(["9C 2D", "9D 2H"], "JC 5H", effects=STACK)
    table.do("draw", "play 9C", "play 9D", "play 2D")
    assert table.pending == 2 and table.legal() == {"draw", "play 2H"}
    table.do("play 2H")
    assert table.over and table.hands == [["5H"], []] and table.payoffs == [-5, 5]


def test_a_card_wins_over_its_rank():
    effects = {"Q": "skip", "QS": "draw 5", "QH": "reverse"}
    for card, seat, pending, direction in [("QC", 2, 0, 1), ("QD", 2, 0, 1), ("QS", 1, 5, 1), ("QH", 3, 0, -1)]:
        table = table_of([f"{card} 2C", "3C 4C", "5C 6C", "7C 9C"], f"J{card[1]}", effects=effects)
        table.do(f"play {card}")
        assert (table.seat, table.pending, table.direction) == (seat, pending, direction)


# Effects: the last card, the end of the stock

PARTNERS_PLAY = ("draw", "play 2C", "play 3C", "draw", "play 5C", "draw", "play 7C", "play 4C", "play 9C", "play 6C", "play TC")


@pytest.mark.parametrize(("effect", "seat", "pending"), [("skip", 3, 0), ("draw 2", 2, 2), ("reverse", 3, 0)])
def test_an_effect_of_the_last_card_happens_when_the_hand_goes_on(effect: str, seat: int, pending: int):
    """Partners play on: seat 1 is out, and seat 0 goes out with QC. The next seat *in play* is 2, or 3 after a reverse."""
    table = table_of(["2C 4C", "3C 9C", "5C 6C", "7C TC"], "JC QC KH AS", partnership=True, effects={"Q": effect})
    table.do(*PARTNERS_PLAY)
    assert table.out == [1] and table.seat == 0 and table.hands[0] == ["QC"]
    table.do("play QC")
    assert not table.over and table.out == [0, 1] and table.seat == seat and table.pending == pending


@pytest.mark.parametrize("effect", ["skip", "reverse", "draw 2", "draw 3 stack"])
def test_an_effect_of_the_last_card_does_not_happen_when_the_hand_ends(effect: str):
    table = table_of(["QC", "2H", "3H"], "JC", effects={"Q": effect})
    table.do("play QC")
    assert table.over and table.direction == 1 and table.pending == 0
    assert table.hands == [[], ["2H"], ["3H"]] and table.payoffs == [5, -2, -3]


@pytest.mark.parametrize("effect", ["draw 2", "draw 2 stack"])
def test_no_draw_effect_on_a_stock_from_which_nothing_can_be_drawn(effect: str):
    table = played_out(["KS", "7D", "2C 4H", "2S"], effects={"2C": effect, "2S": "draw 2 stack"})
    assert table.seat == 2
    table.do("play 2C")
    assert table.pending == 0 and table.seat == 3 and table.legal() == {"play 2S"}, "an ordinary turn"


def test_a_draw_effect_reshuffles_when_the_stock_is_empty():
    table = played_out(["KS", "7D", "2C 4H", "9S"], effects={"2C": "draw 2"}, stock_end="reshuffle")
    table.do("play 2C")
    assert table.pending == 2 and table.seat == 3
    under = Counter(table.discard[1:])
    table.do("draw")
    assert table.seat == 0 and len(table.hands[3]) == 3 and table.discard == ["2C"]
    assert Counter(table.stock) + Counter(table.hands[3]) - Counter(["9S"]) == under


def small(hands: list[str], after: str, **options: Any) -> Table:
    """Two hands of two from the six cards, a starter, and a stock of one."""
    fixed = {"pack": "mini", "starter_wild": "printed_suit", "first_dealer": "random"}
    return table_of(hands, after, **(fixed | options))


def test_cards_that_cannot_be_drawn_are_waived():
    table = small(["9C 7C", "7D 9D"], "8C 8D", effects={"9": "draw 2"})
    table.do("play 9C")
    assert table.pending == 2 and table.legal() == {"draw"}
    table.do("draw")
    assert table.pending == 0 and table.seat == 0 and table.stock == [] and len(table.hands[1]) == 3


@pytest.mark.parametrize("n", [2, 5])
def test_a_draw_effect_goes_on_through_a_reshuffle(n: int):
    """8D from the stock, then 8C, which lay under the top card; the rest is waived."""
    table = small(["9C 7C", "7D 9D"], "8C 8D", effects={"9": f"draw {n}"}, stock_end="reshuffle")
    table.do("play 9C", "draw")
    assert Counter(table.hands[1]) == Counter(["7D", "9D", "8D", "8C"]) and table.discard == ["9C"] and table.stock == []
    assert table.seat == 0 and table.suit == "C" and table.legal() == {"play 7C"}


@pytest.mark.parametrize("end", ["immediate", "end_of_turn"])
def test_a_draw_effect_that_empties_the_stock_can_end_the_hand(end: str):
    table = small(["9C 7C", "7D 9D"], "8C 8D", effects={"9": "draw 1"}, stock_end=end)
    table.do("play 9C", "draw")
    assert table.over and table.payoffs == [59, -59]


@pytest.mark.parametrize(("hand", "over"), [("9C 7C", False), ("9C 7D", True)])
def test_a_failed_draw_after_a_draw_effect(hand: str, over: bool):
    """on_failed_draw: the hand goes on while the next seat can play."""
    other = "7D 9D" if hand == "9C 7C" else "7C 9D"
    table = small([hand, other], "8C 8D", effects={"9": "draw 1"}, stock_end="on_failed_draw")
    table.do("play 9C", "draw")
    assert table.over == over


def test_no_effect_of_a_card_that_finishes_the_last_turn():
    """end_of_turn: who emptied the stock finishes the turn, then the hand ends, whatever the card."""
    table = small(["7D 9D", "7C 8D"], "8C 9C", effects={"9": "draw 2"}, stock_end="end_of_turn")
    table.do("draw")
    assert table.stock == [] and table.legal() == {"play 9C"}
    table.do("play 9C")
    assert table.over and table.pending == 0 and table.payoffs == [41, -41]


# Starter effects


@pytest.mark.parametrize(
    ("effect", "players", "seat", "direction", "pending"),
    [
        ("skip", 4, 1, 1, 0),
        ("skip", 2, 1, 1, 0),
        ("reverse", 4, 2, -1, 0),
        ("reverse", 2, 0, 1, 0),
        ("draw 3", 4, 0, 1, 3),
        ("draw 2 stack", 2, 0, 1, 2),
    ],
)
def test_starter_effects(effect: str, players: int, seat: int, direction: int, pending: int):
    """As if the dealer, the last seat, had played the starter; without the option nothing happens."""
    hands = ["2C 3C", "4C 5C", "6C 7C", "9C TC"][:players]
    table = table_of(hands, "QC", effects={"Q": effect}, starter_effects="all")
    assert (table.seat, table.direction, table.pending) == (seat, direction, pending)
    table = table_of(hands, "QC", effects={"Q": effect}, starter_effects="none")
    assert (table.seat, table.direction, table.pending) == (0, 1, 0)


def test_a_starters_draw_effect_can_be_answered():
    table = table_of(["2C 3C", "4C 5C"], "2D", effects={"2": "draw 2 stack"}, starter_effects="all")
    assert table.legal() == {"draw", "play 2C"}
    table.do("play 2C")
    assert table.pending == 4 and table.seat == 1


def test_the_effect_is_that_of_the_card_turned_after_a_buried_eight():
    table = table_of(["2C 3C", "4C 5C", "6C 7C"], "8D QC", effects={"Q": "skip"}, starter_effects="all")
    assert table.discard == ["QC"] and table.seat == 1


@pytest.mark.parametrize(("starter_wild", "seat"), [("dealer_names", 2), ("first_player_names", 0)])
def test_a_wild_starter_has_no_effect(starter_wild: str, seat: int):
    table = table_of(["2C 3C", "4C 5C", "6C 7C"], "8D", effects={"Q": "skip"}, starter_effects="all", starter_wild=starter_wild)
    assert table.phase == "SUIT" and table.seat == seat
    table.do("suit C")
    assert table.seat == 0 and table.direction == 1


# Burying


def test_burying_in_the_middle_always_finds_a_starter():
    """With wild cards alone above the middle a card goes right under the first plain one: else turning would not end."""
    mini = {"pack": "mini", "wild_rank": "7", "first_dealer": "random"}
    table = table_of(["9C", "8C"], "7C 8D 7D 9D", **mini)
    assert table.discard == ["8D"] and table.stock == ["7C", "7D", "9D"], "the middle of 8D 7D 9D is under 8D"
    table = table_of(["9C", "8C"], "7C 7D 8D 9D", **mini)
    assert table.discard == ["8D"] and table.stock == ["7D", "7C", "9D"], "the middle of 7D 8D 9D would be under 7D"
    plain = [card for card in STANDARD if card[0] != "8"]
    hands = [" ".join(plain[11 * k : 11 * k + 11]) for k in range(4)]
    table = table_of(hands, " ".join(["8C", "8D", "8H", "8S", *plain[44:]]))
    assert table.discard == [plain[44]] and table.stock == ["8D", "8H", "8S", "8C", *plain[45:]]


# The draw


def test_draw_mode_optional():
    """`draw` is legal up to the limit whatever the hand, `pass` exactly when it is not, also for a seat that could play."""
    table = table_of(["2D 3C", "4C 5C"], "KD 9H 9S 9C", draw_mode="optional", draw_limit=2)
    assert table.legal() == {"play 2D", "draw"}
    table.do("draw")
    assert table.legal() == {"play 2D", "draw"}
    table.do("draw")
    assert table.legal() == {"play 2D", "pass"}
    table.do("pass")
    assert table.seat == 1 and table.legal() == {"draw"}, "4C and 5C do not fit"
    table.do("draw", "draw")
    assert table.legal() == {"pass"}


def test_draw_mode_optional_on_an_empty_stock():
    """A seat that could play may pass; a circle of passes blocks."""
    table = played_out(["KS", "7D", "9C 4H", "6S"], draw_mode="optional")
    assert table.legal() == {"play 9C", "pass"}
    table.do(*["pass"] * 4)
    assert table.over and table.payoffs == [-4, -1, -7, 12]


def test_draw_mode_until_playable_never_passes_while_able():
    table = table_of(["2D 3C", "4C 5C"], "KD 9H 9S 9C", draw_mode="until_playable", draw_limit=2)
    table.do("draw", "draw")
    assert table.legal() == {"play 2D"}


# Holdback


def test_holdback_only_on_an_empty_stock():
    table = table_of(["2D 3C", "4C 5C"], "KD 9H 9S 9C", holdback=True)
    assert table.legal() == {"play 2D", "draw"}


@pytest.mark.parametrize("answer", ["demand", "silent"])
def test_holdback_every_pass_opens_the_window(answer: str):
    """Also a forced pass while there is stock; a demand of one who cannot play changes nothing: the pass stands."""
    table = table_of(["2C 3C", "4D 5C", "6D 7C"], "KD 9H", holdback=True, draw_limit=1)
    table.do("draw", "pass")
    assert table.phase == "DEMAND" and table.seat == 1 and table.legal() == {"demand", "silent"}
    table.do(answer)
    if answer == "silent":
        assert table.phase == "DEMAND" and table.seat == 2
        table.do("silent")
    assert table.phase == "TURN" and table.seat == 1 and "play 4D" in table.legal()


def test_holdback_the_window_follows_the_direction_and_leaves_out_who_is_out():
    table = played_out(["KS", "7D", "AC 4H", "9S"], holdback=True, effects={"AC": "reverse"})
    table.do("play AC", "pass")
    seats = []
    for _ in range(3):
        seats.append(table.seat)
        table.do("silent")
    assert seats == [0, 3, 2] and table.seat == 0 and table.phase == "TURN"
    table = played_out(["", "7D", "9C 5H", "9S"], holdback=True, partnership=True)
    assert table.seat == 3
    table.do("pass")
    assert table.seat == 1
    table.do("silent")
    assert table.seat == 2
    table.do("silent")
    assert table.seat == 1 and table.phase == "TURN"


def test_holdback_a_demanded_play_begins_the_circle_anew():
    table = played_out(["KS", "7D", "9C 4H", "6S"], holdback=True)
    table.do("pass", "demand")
    assert table.phase == "TURN" and table.seat == 2 and table.legal() == {"play 9C"}
    table.do("play 9C")
    for seat in (3, 0, 1, 2):
        assert not table.over and table.seat == seat
        table.do("pass", "demand")
    assert table.over and table.payoffs == [-6, -3, 2 * 1 + 9, -2]


def test_holdback_a_demand_asks_for_what_the_turn_allows():
    """drawn_only: after a blank from the stock nothing may be played in this turn: the pass stands although 9C would fit."""
    table = small(["9C 7C", "7D 8D"], "8C 9D", holdback=True, play_after_draw="drawn_only")
    table.do("draw")
    assert table.stock == [] and table.legal() == {"pass"}
    table.do("pass", "demand")
    assert table.seat == 1 and table.phase == "TURN"


def test_without_holdback_there_are_no_such_actions():
    env = fresh()
    for text in ("demand", "silent"):
        with pytest.raises(ValueError, match="no action"):
            env.action_id(text)
    env = fresh(holdback=True)
    assert (env.action_id("demand"), env.action_id("silent")) == (58, 59)
    env = fresh(holdback=True, cut_as_action=True)
    assert (env.action_id("cut 5"), env.action_id("cut 47")) == (60, 102)
    assert fresh(cut_as_action=True).action_id("cut 5") == 58


# Blocks


def test_block_immediate_ends_as_soon_as_nobody_can_play_or_draw():
    """The same result as the circle of passes, without a pass."""
    table = played_out(["KS", "7D", "7S", "9S TD"], block="immediate")
    assert table.over and table.payoffs == [-3, 7.5, 7.5, -12]


@pytest.mark.parametrize(("suit", "over"), [("C", True), ("H", False)])
def test_block_immediate_waits_for_the_suit(suit: str, over: bool):
    table = played_out(["KS", "7D", "8C 4H", "9S"], block="immediate")
    table.do("play 8C")
    assert not table.over and table.phase == "SUIT"
    table.do(f"suit {suit}")
    assert table.over == over
    if over:
        assert table.payoffs == [-6, -3, 14, -5]
    else:
        assert table.seat == 3 and table.legal() == {"pass"}


# Going on after the first is out

THREE = ["QC 2C", "3C 4C", "5C 6C"]


def test_play_on_until_one_seat_still_holds_cards():
    """Seats that are out are skipped; the first one out collects from all who still hold cards."""
    table = table_of(THREE, "JC TC", play_on=True)
    table.do("play QC", "play 3C", "draw", "play 5C", "play 2C")
    assert not table.over and table.out == [0] and table.seat == 1
    table.do("play 4C")
    assert table.over and table.out == [0, 1] and table.hands[2] == ["6C", "TC"] and table.payoffs == [16, 0, -16]


def test_play_on_is_off_by_default():
    table = table_of(THREE, "JC")
    table.do("play QC", "play 3C", "play 5C", "play 2C")
    assert table.over and table.payoffs == [10, -4, -6]


def test_play_on_an_eight_as_last_card_names_a_suit():
    table = table_of(["8C", "3C", "5D"], "JC", play_on=True)
    table.do("play 8C")
    assert table.phase == "SUIT" and table.seat == 0 and table.out == [0]
    table.do("suit D")
    assert table.seat == 1 and table.suit == "D"


def test_play_on_a_block_pays_the_first_one_out():
    """The circle is one of those still in play; no differences: the winner collects what all hold."""
    table = played_out(["", "7D", "7S", "9S"], play_on=True)
    assert table.out == [0] and table.seat == 1
    table.do("pass", "pass")
    assert not table.over
    table.do("pass")
    assert table.over and table.payoffs == [23, -7, -7, -9]


@pytest.mark.parametrize(("mode", "payoffs"), [("collect_low_wins", [-16, 0, 16]), ("penalty", [0, 0, -16])])
def test_play_on_in_other_scores(mode: str, payoffs: list[float]):
    table = table_of(THREE, "JC TC", play_on=True, score_mode=mode)
    table.do("play QC", "play 3C", "draw", "play 5C", "play 2C", "play 4C")
    assert table.over and table.payoffs == payoffs and table.collected == [16, 0, -16]


def test_play_on_the_stock_can_end_it():
    """end_of_turn: the first one out is the winner all the same, also where nobody would be paid without one."""
    for payment in ("difference", "none"):
        table = table_of(["2C", "3H", "4H", "5H"], "JC", play_on=True, stock_end="end_of_turn", stock_end_payment=payment)
        table.do("play 2C")
        while not table.over:
            blank = table.phase == "TURN" and "draw" in table.legal()
            table.do("draw" if blank else sorted(table.legal())[0])
        held = [sum(VALUES[card[0]] for card in hand) for hand in table.hands]
        assert table.out[0] == 0 and table.payoffs == [sum(held), *(-v for v in held[1:])]


VALUES = {**dict.fromkeys("KQJT", 10), "A": 1, "8": 50, **{r: int(r) for r in "2345679"}}


# Partnership


def test_partner_payment_half():
    """Each partner gets half of the side's result, of a win and of a block; fractions are exact."""
    table = table_of(["2C", "KD", "3C", "9S"], "JC QC", partnership=True, partner_payment="half")
    table.do("play 2C", "draw", "play QC", "play 3C")
    assert table.over and table.payoffs == [9.5, -9.5, 9.5, -9.5]
    table = played_out(["KS", "7D", "2S", "9S TD"], partnership=True, partner_payment="half")
    table.do(*["pass"] * 4)
    assert table.payoffs == [7, -7, 7, -7] and table.scores == [7, -7, 7, -7]


def test_partners_win_and_lose_together():
    """reward="win": the side shares +1, the other -1."""
    table = table_of(["2C", "KD", "3C", "9S"], "JC QC", partnership=True, reward="win")
    table.do("play 2C", "draw", "play QC", "play 3C")
    assert [table.env.rewards[a] for a in table.env.agents] == [0.5, -0.5, 0.5, -0.5]


def test_partnership_a_stock_end_that_pays_nobody():
    """stock_end_payment="none": without a side out nobody collects, also when one player is out."""
    table = played_out(["", "7D", "9H", "9S TD"], partnership=True, stock_end_payment="none")
    table.do(*["pass"] * 3)
    assert table.over and table.out == [0] and table.payoffs == [0, 0, 0, 0]


def test_partnership_one_out_in_the_last_turn_is_no_win():
    """end_of_turn: a partner who goes out with the last stock card ends the hand by the stock: the sides' counts decide."""
    table = table_of(["2C", "KD", "3H", "9S"], "JC", partnership=True, stock_end="end_of_turn")
    table.do("play 2C")
    assert table.out == [0]
    while not table.over:
        table.do("draw" if "draw" in table.legal() else sorted(table.legal())[0])
    held = [sum(VALUES[card[0]] for card in hand) for hand in table.hands]
    assert table.out == [0] and table.payoffs == [d := held[1] + held[3] - held[2], -d, d, -d]


@pytest.mark.parametrize(("left", "over"), [(["KS", "7D", "2S", "9S TD"], True), (["KS", "9H", "9S", "KD"], False)])
def test_partnership_final_tie_is_one_of_sides(left: list[str], over: bool):
    """extra_round: partners always share their total; only equal sides play on."""
    table = played_out(left, partnership=True, match=True, rounds=1, target=None, final_tie="extra_round")
    table.do(*["pass"] * 4)
    assert table.over == over and table.hand_number == int(not over)


# Values


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["hoyle", "openspiel_doc", "openspiel", "count"])
def test_card_values(name: str, variant: str):
    """Every card left alone in the loser's hand; the whole pack's sums are those that are documented."""
    expected = {
        "hoyle": lambda card: VALUES[card[0]],
        "openspiel_doc": lambda card: 10 if card[0] == "A" else VALUES[card[0]],
        "openspiel": lambda card: 50 if card[0] == "8" else 10 if card[0] in "JQKA" else STANDARD.index(card) + 2,
        "count": lambda card: 1,
    }[name]
    total = 0.0
    for card in STANDARD:
        mine, starter = next((a, b) for a, b in (("3S", "6S"), ("4S", "7S")) if card not in (a, b))
        table = table_of([mine, card], starter, variant=variant, card_values=name)
        table.do(f"play {mine}")
        assert table.payoffs[1] == -expected(card), card
        total -= table.payoffs[1]
    assert total == {"hoyle": 508, "openspiel_doc": 544, "openspiel": 952, "count": 52}[name]


# The cut


def test_the_cut_comes_before_every_hand_of_a_match():
    env = fresh(3, cut_as_action=True, match=True, target=1000, num_players=3)
    seen = 0
    for number in range(3):
        shown = env.reveal()
        assert shown["phase"] == "CUT" and shown["hand_number"] == number and shown["seat"] == (shown["dealer"] - 1) % 3
        assert shown["hands"] == [[], [], []] and shown["discard"] == [] and Counter(shown["stock"]) == Counter(STANDARD)
        env.step(env.action_id("cut 26"))
        assert env.reveal()["phase"] == "TURN"
        play_random(env, number, lambda env, number=number: env.reveal()["hand_number"] > number)
        seen += 1
    assert seen == 3


def test_the_cut_of_two_packs():
    env = fresh(num_players=6, cut_as_action=True)
    assert legal(env) == [f"cut {k}" for k in range(5, 100)]


# Misdeals


def dealt(variant: str = "eights_v0", seed: int = 0, **options: Any) -> Table:
    return table_of(["2C 3C 4C", "4H KD 9H", "5C 6C 7C"], "JC QC TH TS TD", variant=variant, seed=seed, **options)


def refused(table: Table, name: str, **arguments: Any) -> None:
    """The call is refused with a sentence, and nothing is changed."""
    before = table.env.snapshot()
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        table.env.scenario(name, **arguments)
    assert table.env.snapshot() == before


@pytest.mark.parametrize("variant", VARIANTS)
def test_misdeal_and_reclaim(variant: str):
    table = dealt(variant)
    everything = Counter(all_cards(table.env.reveal()))
    table.env.scenario("misdeal", seat=1, k=3)
    assert [len(hand) for hand in table.hands] == [3, 6, 3] and {"QC", "TH", "TS"} <= set(table.hands[1])
    assert table.stock[0] == "TD" and table.seat == 0
    table.env.scenario("reclaim", by=0, frm=1, idx=[5])
    table.env.scenario("reclaim", by=2, frm=1, idx=[0, 4])
    assert [len(hand) for hand in table.hands] == [3, 3, 3] and Counter(all_cards(table.env.reveal())) == everything
    refused(table, "reclaim", by=2, frm=1, idx=[0])
    table.do("play 2C")
    assert table.seat == 1


def test_reclaim_is_blind():
    """The same index takes any card of the hand: it is no place in a sorted one."""
    gone = set()
    for seed in range(80):
        table = dealt(seed=seed)
        table.env.scenario("misdeal", seat=1, k=1)
        before = Counter(table.hands[1])
        table.env.scenario("reclaim", by=2, frm=1, idx=[0])
        gone |= set(before - Counter(table.hands[1]))
    assert gone == {"4H", "KD", "9H", "QC"}


def test_excess_to_bottom():
    table = dealt(excess_to="bottom")
    table.env.scenario("misdeal", seat=1, k=2)
    rest, before = table.stock, Counter(table.hands[1])
    table.env.scenario("reclaim", by=0, frm=1, idx=[1, 2])
    assert table.stock[:-2] == rest and Counter(table.stock[-2:]) == before - Counter(table.hands[1])


def test_excess_to_random():
    """Everywhere in the stock, which keeps its order."""
    places = set()
    for seed in range(150):
        table = dealt(seed=seed)
        table.env.scenario("misdeal", seat=1, k=1)
        rest, before = table.stock, Counter(table.hands[1])
        table.env.scenario("reclaim", by=0, frm=1, idx=[2])
        (card,) = before - Counter(table.hands[1])
        places.add(table.stock.index(card))
        assert [c for c in table.stock if c != card] == rest
    assert len(places) > 30 and {0, len(rest)} & places


def test_an_excess_that_nobody_reclaims_is_kept():
    table = dealt()
    table.env.scenario("misdeal", seat=0, k=1)
    table.do("play QC")
    assert len(table.hands[0]) == 3
    refused(table, "reclaim", by=1, frm=0, idx=[0])


def test_missing_cards_are_drawn_from_left_of_the_dealer_on_before_the_first_turn():
    """Seats in turn order, the dealer last; each draw is one card and no part of a turn."""
    table = dealt(draw_limit=1)
    table.env.scenario("misdeal", seat=2, k=-1)
    table.env.scenario("misdeal", seat=0, k=-2)
    for seat in (0, 0, 2):
        assert table.seat == seat and table.phase == "TURN" and table.legal() == {"draw"} and table.drawn == 0
        table.do("draw")
    assert table.seat == 0 and table.drawn == 0 and "draw" in table.legal() and [len(hand) for hand in table.hands] == [3, 3, 3]


def test_missing_cards_come_before_the_starters_suit_and_effect():
    table = table_of(["2C 3C", "4C 5C", "6C 7C"], "8D TH", starter_wild="dealer_names")
    table.env.scenario("misdeal", seat=1, k=-1)
    assert table.seat == 1 and table.legal() == {"draw"}
    table.do("draw")
    assert table.seat == 2 and table.phase == "SUIT"
    table.do("suit C")
    assert table.seat == 0
    table = table_of(["2C 3C", "4C 5C", "6C 7C"], "QD TH", effects={"Q": "draw 2"}, starter_effects="all")
    table.env.scenario("misdeal", seat=1, k=-1)
    table.do("draw")
    assert table.seat == 0 and table.pending == 2 and len(table.hands[1]) == 2
    table.do("draw")
    assert len(table.hands[0]) == 4 and table.seat == 1


def test_misdeals_are_accepted_after_the_starters_suit_and_in_later_hands():
    table = table_of(["2C 3C", "4C 5C", "6C 7C"], "8D TH", starter_wild="dealer_names")
    table.do("suit C")
    table.env.scenario("misdeal", seat=1, k=1)
    assert len(table.hands[1]) == 3
    env = fresh(3, match=True, target=1000, num_players=3)
    play_random(env, 3, lambda env: env.reveal()["hand_number"] == 1)
    env.scenario("misdeal", seat=1, k=1)
    assert len(env.reveal()["hands"][1]) == 6


def test_forced_draws_are_stepped_through_with_auto_forced():
    table = dealt(auto_forced=True)
    table.env.scenario("misdeal", seat=1, k=-2)
    assert table.seat == 0 and [len(hand) for hand in table.hands] == [3, 3, 3]


def test_forced_draws_are_decisions_and_the_calls_are_none():
    table = dealt(max_decisions=2)
    table.env.scenario("misdeal", seat=1, k=-2)
    table.do("draw")
    assert not table.env.truncations["agent_0"]
    table.do("draw")
    assert table.env.truncations["agent_0"]
    table = dealt(max_decisions=1)
    table.env.scenario("misdeal", seat=1, k=1)
    table.env.scenario("reclaim", by=0, frm=1, idx=[0])
    assert not table.env.truncations["agent_0"]


def test_scenarios_are_in_the_log():
    table = dealt()
    lines = len(table.env.log())
    table.env.scenario("misdeal", seat=1, k=1)
    table.env.scenario("reclaim", by=0, frm=1, idx=[0])
    new = table.env.log()[lines:]
    assert len(new) == 2 and "misdeal" in new[0] and "reclaim" in new[1]
    table.do("play 2C")
    assert table.env.log()[lines : lines + 2] == new


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("misdeal", {"seat": 3, "k": 1}),
        ("misdeal", {"seat": -1, "k": 1}),
        ("misdeal", {"seat": True, "k": 1}),
        ("misdeal", {"seat": 0, "k": 0}),
        ("misdeal", {"seat": 0, "k": True}),
        ("misdeal", {"seat": 0, "k": 1.0}),
        ("misdeal", {"seat": 0, "k": -3}),
        ("misdeal", {"seat": 0, "k": 42}),
        ("misdeal", {"seat": 0, "k": 10**30}),
        ("misdeal", {"seat": 0}),
        ("misdeal", {"seat": 0, "k": 1, "card": "2C"}),
        ("misdeal", {"seat": 1, "k": 1}),
        ("misdeal", {"seat": 1, "k": -1}),
        ("reclaim", {"by": 1, "frm": 1, "idx": [0]}),
        ("reclaim", {"by": 3, "frm": 1, "idx": [0]}),
        ("reclaim", {"by": 0, "frm": 2, "idx": [0]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": []}),
        ("reclaim", {"by": 0, "frm": 1, "idx": [0, 0]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": [0, 1, 2]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": [5]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": [-1]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": ["2C"]}),
        ("reclaim", {"by": 0, "frm": 1, "idx": 0}),
        ("reclaim", {"by": 0, "frm": 1}),
        ("fumble", {"seat": 0, "card": "2C"}),
        ("no such thing", {}),
    ],
)
def test_refused_scenarios(name: str, arguments: dict[str, Any]):
    table = dealt()
    table.env.scenario("misdeal", seat=1, k=2)
    refused(table, name, **arguments)


def test_scenarios_are_refused_when_play_has_begun_and_before_the_deal():
    for action in ("play 2C", "draw"):
        table = dealt()
        table.do(action)
        refused(table, "misdeal", seat=1, k=1)
        refused(table, "misdeal", seat=1, k=-1)
    env = fresh(cut_as_action=True)
    with pytest.raises(ValueError, match="dealt"):
        env.scenario("misdeal", seat=1, k=1)


def test_a_misdeal_leaves_a_stock():
    table = small(["9C 7C", "7D 9D"], "8C 8D")
    refused(table, "misdeal", seat=0, k=1)
    table.env.scenario("misdeal", seat=0, k=-1)
    refused(table, "misdeal", seat=1, k=1)
    table.do("draw")
    assert len(table.hands[0]) == 2 and table.stock == ["8D"]


# Presets


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preset", settings.PRESETS)
def test_a_preset_is_its_row(preset: str, variant: str):
    """A complete setting, the same for both environments."""
    players = {"num_players": 2} if preset == "mini" else {}
    options = fresh(variant=variant, rules=preset, **players).setting.options
    row = settings.PRESETS[preset]
    assert {name: options[name] for name in row} == row


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_defaults_are_those_of_the_column(variant: str):
    options = fresh(variant=variant).setting.options
    column = settings.DEFAULTS[variant]
    assert {name: options[name] for name in column} == column


def test_options_beside_a_preset_override_single_values():
    options = fresh(rules="crazy_eights_specials", hand_size=3, effects={"K": "skip"}).setting.options
    assert options["hand_size"] == 3 and options["effects"] == {"K": "skip"} and options["stock_end"] == "reshuffle"
    with pytest.raises(ValueError, match="starter_effects"):
        fresh(rules="crazy_eights_specials", effects={})


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preset", ["house_rules_2008", "strategic_high_low", "no_such"])
def test_presets_of_other_environments_are_refused(preset: str, variant: str):
    with pytest.raises(ValueError, match="preset"):
        fresh(variant=variant, rules=preset)


# The small game


def test_mini_names_only_the_suits_of_its_pack():
    table = small(["8C 9D", "7C 9C"], "7D 8D")
    table.do("play 8C")
    assert table.legal() == {"suit C", "suit D"}
    assert table.env.action_id("suit S") == 57, "ids as ever"


def test_mini_in_full():
    """The counts that are published with the rules: deals, decisions, ends, information sets, the longest line."""
    env = eightsenv.make("eights_v0", rules="mini", num_players=2).unwrapped
    counts: Counter[str] = Counter()
    views: list[dict[tuple, list[str]]] = [{}, {}]
    for first, second in itertools.permutations(itertools.combinations(MINI, 2), 2):
        rest = [card for card in MINI if card not in first + second]
        if len(rest) == 2:
            for starter, stock in itertools.permutations(rest):
                env.reset(seed=0, options={"deck": [first[0], second[0], first[1], second[1], starter, stock], "dealer": 1})
                counts["deals"] += 1
                walk(env, [(*first, starter), (*second, starter)], 0, counts, views)
    assert counts == {"deals": 180, "decisions": 13_544, "ends": 5_344, "longest": 9}
    with_choice = [sum(len(actions) > 1 for actions in seen.values()) for seen in views]
    assert [len(seen) for seen in views] == [5_288, 3_504] and with_choice == [2_236, 1_484], "the dealer is seat 1"


def walk(env: Any, seen: list[tuple], depth: int, counts: Counter[str], views: list[dict[tuple, list[str]]]) -> None:
    """Count what follows; ``seen`` is what each seat has seen so far: its cards, the starter, all actions."""
    if env.terminations["agent_0"]:
        counts["ends"] += 1
        counts["longest"] = max(counts["longest"], depth)
        return
    counts["decisions"] += 1
    seat, actions = env.possible_agents.index(env.agent_selection), legal(env)
    assert views[seat].setdefault(seen[seat], actions) == actions
    before = env.snapshot()
    for action in actions:
        drawn = env.reveal()["stock"][:1] if action == "draw" else []
        env.step(env.action_id(action))
        walk(env, [(*view, action, *(drawn if k == seat else ())) for k, view in enumerate(seen)], depth + 1, counts, views)
        if action != actions[-1]:
            env.restore(before)


def test_mini_counts_cards_and_blocks():
    """Out: one for each card the other holds; block: the difference of the counts."""
    table = Table(["8D 9D", "7D 9C"], "8C 7C", variant="eights_v0", rules="mini")
    table.do("play 8D", "suit C", "play 9C", "play 9D")
    assert table.over and table.payoffs == [1, -1]
    with pytest.raises(ValueError, match="mini"):
        fresh(rules="mini", num_players=3)


# Refusals

TWELVE = {"num_players": 4, "hand_size": 12}
BAD_COMBINATIONS: list[tuple[str, dict[str, Any], str]] = [
    ("eights_v0", {"partnership": True, "num_players": 2}, "partnership"),
    ("eights_v0", {"partnership": True, "score_mode": "penalty"}, "score_mode"),
    ("eights_v0", {"partnership": True, "score_mode": "collect_low_wins"}, "score_mode"),
    ("crazy_eights_v0", {"partnership": True}, "score_mode"),
    ("eights_v0", {"partnership": True, "play_on": True}, "play_on"),
    ("eights_v0", {"partner_payment": "half"}, "partner_payment"),
    ("eights_v0", {"play_on": True, "num_players": 2}, "play_on"),
    ("eights_v0", {"holdback": True, "stock_end": "reshuffle"}, "holdback"),
    ("crazy_eights_v0", {"holdback": True}, "holdback"),
    ("eights_v0", {"holdback": True, "block": "immediate"}, "holdback"),
    ("eights_v0", {"holdback": True, "draw_mode": "optional"}, "holdback"),
    ("eights_v0", {"block": "immediate", "stock_end": "immediate"}, "block"),
    ("eights_v0", {"block": "immediate", "stock_end": "end_of_turn"}, "block"),
    ("eights_v0", {"block": "immediate", "stock_end": "on_failed_draw"}, "block"),
    ("eights_v0", {"bury": "random", "starter_wild": "printed_suit"}, "bury"),
    ("eights_v0", {"starter_effects": "all"}, "starter_effects"),
    ("crazy_eights_v0", {"draw_mode": "optional"}, "draw_mode"),
    ("eights_v0", {"draw_mode": "optional", "voluntary_draw": "one"}, "draw_mode"),
    ("eights_v0", {"draw_mode": "optional", "play_after_draw": "drawn_only"}, "draw_mode"),
    ("eights_v0", {"play_after_draw": "none"}, "play_after_draw"),
    ("eights_v0", {"play_after_draw": "none", "draw_limit": 2}, "draw_limit"),
    ("eights_v0", {"wild_rank": "J", "card_values": "openspiel"}, "wild_rank"),
    ("eights_v0", {"wild_rank": "J", "card_values": "openspiel_doc"}, "card_values"),
    ("eights_v0", {"rounds": 5}, "rounds"),
    ("eights_v0", {"target": None}, "target"),
    ("eights_v0", {"pack": "mini", "hand_size": 2, "starter_wild": "printed_suit", "first_dealer": 0}, "mini"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "decks": 2}, "mini"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "wild_rank": "J"}, "mini"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "cut_as_action": True}, "mini"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "first_dealer": "first_spade"}, "mini"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "hand_size": 3}, "cards"),
    ("eights_v0", {"rules": "mini", "num_players": 2, "starter_wild": "bury"}, "cards"),
    ("eights_v0", TWELVE, "cards"),
    ("eights_v0", TWELVE | {"hand_size": 13, "starter_wild": "printed_suit"}, "cards"),
    ("eights_v0", {"num_players": 8, "hand_size": 13}, "cards"),
]


@pytest.mark.parametrize(("variant", "options", "word"), BAD_COMBINATIONS)
def test_refused_combinations(variant: str, options: dict[str, Any], word: str):
    """One sentence that names the option, at every door."""
    assert settings.refusals(variant, options)
    with pytest.raises(ValueError, match=word) as refusal:
        eightsenv.make(variant, **options)
    sentence = str(refusal.value)
    assert len(sentence.split()) > 2 and "\n" not in sentence
    for door in (eightsenv.make_vec, eightsenv.rollout):
        size = {"num_envs": 2} if door is eightsenv.make_vec else {"num_games": 2}
        with pytest.raises(ValueError, match=re.escape(sentence)):
            door(variant, **size, **options)


def test_every_refused_combination_is_tried():
    named = {name for variant, options, _ in BAD_COMBINATIONS for name in settings.refusals(variant, options)}
    assert named == {refused.name for refused in settings.REFUSED} - {"effects that are none"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_refused_is_what_the_table_refuses(variant: str):
    """Options drawn each by itself: a setting exists exactly when no refused combination is met."""
    rng = random.Random(4)
    outcomes: Counter[bool] = Counter()
    for _ in range(300):
        options = settings.random_options(rng)
        if rng.random() < 0.7:
            # Mostly defaults, so that many of these settings exist.
            options = {name: options[name] for name in rng.sample(sorted(options), 6)}
            options.pop("num_players", None) if options.get("pack") != "mini" else None
        wanted = not settings.refusals(variant, options)
        try:
            eightsenv.make(variant, **options)
            made = True
        except ValueError:
            made = False
        assert made == wanted, (options, settings.refusals(variant, options))
        outcomes[made] += 1
    assert min(outcomes[True], outcomes[False]) > 40


BAD_EFFECTS = [
    {"8": "skip"}, {"8C": "skip"}, {"1": "skip"}, {"X1": "skip"}, {"QQ": "skip"}, {"": "skip"}, {5: "skip"}, {"QX": "skip"},
    {"Q": "jump"}, {"Q": ""}, {"Q": None}, {"Q": 2}, {"Q": ["skip"]}, {"Q": "draw"}, {"Q": "draw 0"}, {"Q": "draw 11"},
    {"Q": "draw -1"}, {"Q": "draw two"}, {"Q": "draw 2 stacked"}, {"Q": "skip stack"}, {"Q": "skip", "8": "reverse"},
    "skip", ["Q", "skip"], None, 3, [("Q", "skip")],
]  # fmt: skip


@pytest.mark.parametrize("effects", BAD_EFFECTS, ids=repr)
def test_refused_effects(effects: Any):
    with pytest.raises(ValueError, match="effects"):
        fresh(effects=effects)


@pytest.mark.parametrize(
    ("options", "effects"),
    [({"wild_rank": "Q"}, {"Q": "skip"}), ({"wild_rank": "Q"}, {"QS": "skip"})]
    + [({"rules": "mini", "num_players": 2}, {key: "skip"}) for key in ("Q", "7H", "8", "8D")],
)
def test_effects_of_the_wild_rank_or_of_cards_that_the_pack_lacks_are_refused(options: dict[str, Any], effects: dict[str, str]):
    with pytest.raises(ValueError, match="effects"):
        fresh(**options, effects=effects)


def test_effects_that_are_accepted():
    assert fresh(effects={"8": "skip"}, wild_rank="J").setting.options["effects"] == {"8": "skip"}
    assert fresh(effects={"7": "skip", "9D": "draw 1"}, rules="mini", num_players=2).setting.options["effects"]["9D"] == "draw 1"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BAD_VALUES)
def test_bad_values_are_refused(name: str, variant: str):
    for value in [*BAD_VALUES[name], [1, 2]]:
        with pytest.raises(ValueError, match=name):
            fresh(variant=variant, **{name: value})


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_complete_setting_can_be_passed_back(variant: str):
    rng = random.Random(2)
    for _ in range(30):
        setting = fresh(variant=variant, **settings.random_setting(rng, variant)).setting
        assert fresh(variant=variant, **setting.as_dict()).setting == setting
    for preset in [*settings.PRESETS, "openspiel"][: 7 if variant == "crazy_eights_v0" else 6]:
        setting = fresh(variant=variant, rules=preset, num_players=2).setting
        assert fresh(variant=variant, **setting.as_dict()).setting == setting


# OpenSpiel's game


def spiel(hands: list[str], after: str, **options: Any) -> Table:
    return Table(hands, after, rules="openspiel", **options)


TWO = ["2C 3C 4C 5C 6C 7C 9C", "2D 3D 4D 5D 6D 7D 9D"]
OTHERS = [card for card in STANDARD if card not in " ".join(TWO).split() and card != "JC"]


def emptied(**options: Any) -> Table:
    """Two players, and seat 0 has drawn the whole stock: all cards but the starter JC and seat 1's low diamonds."""
    table = spiel(TWO, " ".join(["JC", *OTHERS]), max_draw_cards=52, **options)
    table.do(*["draw"] * 37)
    assert table.stock == [] and table.seat == 0
    return table


def test_openspiel_defaults():
    env = fresh(variant="crazy_eights_v0", rules="openspiel")
    shown = env.reveal()
    assert env.num_players == 4 and [len(hand) for hand in shown["hands"]] == [5] * 4 and len(shown["stock"]) == 31
    sizes = {n: len(fresh(variant="crazy_eights_v0", rules="openspiel", num_players=n).reveal()["hands"][0]) for n in range(2, 9)}
    assert sizes == {2: 7, **dict.fromkeys(range(3, 9), 5)}
    packs = {n: len(all_cards(fresh(variant="crazy_eights_v0", rules="openspiel", num_players=n).reveal())) for n in (5, 6)}
    assert packs == {5: 52, 6: 104}


def test_openspiel_draw_or_pass_never_both():
    """Up to the limit `draw` beside the plays, then `pass`, also for a seat that could play."""
    table = spiel(TWO, "JC TH TS TD KH KS KD")
    plays = {f"play {card}" for card in TWO[0].split()}
    for _ in range(5):
        assert table.legal() == plays | {"draw"}
        table.do("draw")
    assert table.legal() == plays | {"pass"}
    table.do("pass")
    assert table.seat == 1 and table.legal() == {"draw"}


@pytest.mark.parametrize("limit", [1, 3])
def test_openspiel_max_draw_cards(limit: int):
    table = spiel(TWO, "JC TH TS TD KH KS KD", max_draw_cards=limit)
    table.do(*["draw"] * limit)
    assert "pass" in table.legal() and "draw" not in table.legal()


def test_openspiel_passes_on_an_empty_stock():
    """`pass` is legal on an empty stock even if a card could be played; players + 1 passes in succession end the hand."""
    table = emptied()
    assert {"play 2C", "pass"} <= table.legal()
    table.do("pass", "pass")
    assert not table.over and table.seat == 0
    table.do("play KC", "pass", "pass")
    assert not table.over, "a play begins the count anew"
    table.do("pass")
    assert table.over and table.env.terminations["agent_0"] and not table.env.truncations["agent_0"]


def test_openspiel_max_plays_ends_and_scores():
    """Plays are counted, not suits; it is an end, not a truncation; the values are those of the hands."""
    table = spiel(["2C 3C 4C 5C 8C 7C 9C", TWO[1]], "JC", max_plays=3)
    table.do("play 8C", "suit D", "play 9D")
    assert not table.over
    table.do("play 9C")
    assert table.over and table.env.terminations["agent_0"] and not table.env.truncations["agent_0"]
    assert table.payoffs == [-(2 + 3 + 4 + 5 + 7), -(2 + 3 + 4 + 5 + 6 + 7)]


def test_openspiel_an_eight_as_last_counted_play_asks_no_suit():
    table = spiel(["2C 3C 4C 5C 8C 7C 9C", TWO[1]], "JC", max_plays=1)
    table.do("play 8C")
    assert table.over and table.payoffs == [-30, -36]


@pytest.mark.parametrize(("name", "value"), [("openspiel", 36 + 1), ("openspiel_doc", 10)])
def test_openspiel_values(name: str, value: int):
    """TS costs 37 as shipped, ten as documented; minus the value of the hand, 0 for who is out."""
    table = spiel(["2C 3C 4C 5C 6C 7C 9C", "TS 8D AC JD QD KD 9D"], "JC", max_plays=1, card_values=name)
    table.do("play 2C")
    nine = 9 if name == "openspiel_doc" else STANDARD.index("9D") + 2
    assert table.payoffs[1] == -(value + 50 + 10 + 10 + 10 + 10 + nine)


def test_openspiel_twos():
    """With twos pending only `draw` and twos; one `draw` takes all and ends the turn: a two just drawn cannot be played."""
    table = spiel(["2C 3C 4C 5C 6C 7C 9C", "2D 3D 8D 5D 6D 7C 9D".replace("7C", "TC")], "JC 2H 2S TH TS", use_special_cards=True)
    table.do("play 2C")
    assert table.pending == 2 and table.legal() == {"draw", "play 2D"}
    table.do("play 2D")
    assert table.pending == 4 and table.legal() == {"draw"}
    table.do("draw")
    assert table.pending == 0 and table.seat == 1 and len(table.hands[0]) == 10 and {"2H", "2S"} <= set(table.hands[0])


def test_openspiel_a_two_on_an_empty_stock_has_no_effect():
    table = emptied(use_special_cards=True)
    table.do("play 2C")
    assert table.pending == 0 and table.seat == 1 and table.legal() == {"play 2D", "pass"}


def almost_emptied(left: int, **options: Any) -> Table:
    """As ``emptied``, but so many cards are left in the stock; then seat 0 has played 2C."""
    table = spiel(TWO, " ".join(["JC", *OTHERS]), max_draw_cards=52, use_special_cards=True, **options)
    table.do(*["draw"] * (37 - left), "play 2C")
    assert table.pending == 2 and len(table.stock) == left
    return table


def test_openspiel_a_draw_that_takes_the_last_card_with_the_last_due_counts_as_a_pass():
    table = almost_emptied(2)
    table.do("draw")
    assert table.stock == [] and table.seat == 0 and len(table.hands[1]) == 9
    table.do("pass")
    assert not table.over
    table.do("pass")
    assert table.over, "one draw and two passes are players + 1"


def test_openspiel_what_the_stock_lacks_is_waived_and_counts_as_no_pass():
    table = almost_emptied(1)
    table.do("draw")
    assert table.stock == [] and table.seat == 0 and table.pending == 0 and len(table.hands[1]) == 8
    table.do("pass", "pass")
    assert not table.over
    table.do("pass")
    assert table.over


def test_openspiel_reshuffles_at_once_or_on_the_next_play():
    table = spiel(TWO, " ".join(["JC", *OTHERS]), max_draw_cards=52, reshuffle=True)
    table.do("play 2C", "draw")
    assert table.discard == ["2C", "JC"] and len(table.stock) == 36
    table.do(*["draw"] * 36)
    assert table.stock == ["JC"] and table.discard == ["2C"] and "draw" in table.legal(), "at once"
    table.do("draw")
    assert table.stock == [] and table.discard == ["2C"] and "pass" in table.legal(), "nothing lies under the top card"
    table.do("pass")
    assert table.stock == []
    table.do("play 3C")
    assert table.stock == ["2C"] and table.discard == ["3C"], "on the next play"


def test_openspiel_skip_and_reverse():
    hands = ["QC 3C 4C 5C AC", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H", "2S 3S 4S 5S 6S"]
    table = spiel(hands, "JC", use_special_cards=True)
    table.do("play QC")
    assert table.seat == 2
    table = spiel(hands, "JC", use_special_cards=True)
    table.do("play AC")
    assert table.seat == 3 and table.direction == -1
    table = spiel(hands, "JC")
    table.do("play AC")
    assert table.seat == 1 and table.direction == 1, "without special cards"


def test_openspiel_with_two_players():
    """A skip is another turn, a reverse simply passes the turn."""
    for card, seat in (("QC", 0), ("AC", 1)):
        table = spiel([f"{card} 3C 4C 5C 6C 7C 9C", TWO[1]], "JC", use_special_cards=True)
        table.do(f"play {card}")
        assert table.seat == seat


@pytest.mark.parametrize(("starter", "seat", "pending"), [("QC", 1, 0), ("AC", 2, 0), ("2C", 0, 2), ("JC", 0, 0)])
def test_openspiel_a_special_starter_acts_as_the_dealers_play(starter: str, seat: int, pending: int):
    hands = ["3C 4C 5C 6C 7C", "2D 3D 4D 5D 6D", "2H 3H 4H 5H 6H", "2S 3S 4S 5S 6S"]
    table = spiel(hands, starter, use_special_cards=True)
    assert table.seat == seat and table.pending == pending
    assert spiel(hands, starter).seat == 0


def test_openspiel_an_eight_as_starter_goes_back_at_a_random_place():
    rest = [card for card in STANDARD if card not in [*" ".join(TWO).split(), "8C"]]
    rest.sort(key=lambda card: card[0] == "8")
    places = set()
    for seed in range(60):
        table = spiel(TWO, " ".join(["8C", *rest]), seed=seed)
        cards = table.discard + table.stock
        assert [card for card in cards if card != "8C"] == rest
        places.add(cards.index("8C"))
    assert len(places) > 20 and min(places) >= 1


@pytest.mark.parametrize(
    "options",
    [
        {"match": True},
        {"card_values": "hoyle"},
        {"card_values": "count"},
        {"draw_limit": 2},
        {"hand_size": 5},
        {"decks": 1},
        {"wild_rank": "J"},
        {"effects": {"Q": "skip"}},
        {"stock_end": "immediate"},
        {"partnership": True},
        {"holdback": True},
        {"voluntary_draw": "none"},
        {"score_mode": "collect_high_wins"},
        {"max_draw_cards": 0},
        {"max_draw_cards": None},
        {"max_draw_cards": True},
        {"max_plays": 0},
        {"max_plays": None},
        {"use_special_cards": "yes"},
        {"use_special_cards": 1},
        {"reshuffle": None},
        {"num_players": 9},
    ],
    ids=repr,
)
def test_openspiel_takes_its_parameters_alone(options: dict[str, Any]):
    (name,) = options
    with pytest.raises(ValueError, match="players" if name == "num_players" else name):
        fresh(variant="crazy_eights_v0", rules="openspiel", **options)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "options", [{"max_draw_cards": 3}, {"max_plays": 9}, {"use_special_cards": True}, {"reshuffle": True}], ids=repr
)
def test_openspiels_parameters_are_refused_without_it(options: dict[str, Any], variant: str):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        fresh(variant=variant, **options)


def test_openspiel_belongs_to_crazy_eights():
    with pytest.raises(ValueError, match="preset"):
        fresh(rules="openspiel")


def test_a_card_known_to_be_held_is_forgotten_when_it_may_have_left_the_hand():
    """A buried eight that seat 1 drew before all eyes may go back with a second misdeal: nobody knows it to be there then."""
    for seed in range(12):
        env = eightsenv.make("eights_v0", first_dealer=0).unwrapped
        plain = [card for card in STANDARD if card[0] != "8"]
        env.reset(seed=seed, options={"deck": [*plain[:20], "8C", "AS"], "dealer": 0})
        above = env.reveal()["stock"].index("8C")
        env.scenario("misdeal", seat=1, k=-1)
        env.scenario("misdeal", seat=2, k=above + 1)
        env.step(env.action_id("draw"))
        assert "8C" in env.reveal()["hands"][1]
        env.scenario("misdeal", seat=1, k=-1)
        fields = env.fields
        seen = env.observe("agent_0")["observation"]
        assert not seen[fields["known_1"]].any()
        env.restore(env.determinize("agent_0", seed=seed))
        shown = env.reveal()
        assert Counter(c for hand in shown["hands"] for c in hand) + Counter(shown["stock"] + shown["discard"]) == Counter(STANDARD)


def test_a_reshuffle_does_not_bring_the_first_turn_back():
    """Hands of the first size and a pile of one card also come about in mid-game: no misdeal then."""
    met = 0
    for seed in range(80):
        env = eightsenv.make("eights_v0", rules="mini", stock_end="reshuffle").unwrapped
        env.reset(seed=seed)
        generator = np.random.default_rng(seed)
        for _ in range(40):
            if not env.agents or env.terminations["agent_0"]:
                break
            env.step(int(generator.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
            shown = env.reveal()
            sizes = [len(hand) for hand in shown["hands"]]
            if shown["seat"] is not None and len(shown["discard"]) == 1 and sizes == [2, 2]:
                met += 1
                with pytest.raises(ValueError, match="before the first turn only"):
                    env.scenario("misdeal", seat=0, k=-1)
    assert met
