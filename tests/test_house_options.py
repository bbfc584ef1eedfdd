"""The options of House Rules: what each value does, shown by scripted deals; the presets and the refusals.

What ``test_house_rules.py`` shows of the defaults is not repeated here.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest
from reference import house_settings as settings
from reference.deals import fresh, legal
from reference.house_chance import turned
from reference.house_deals import HouseTable, late
from reference.house_settings import BAD_VALUES, CHOICES, DEFAULTS, VARIANT
from reference.settings import STANDARD

import eightsenv

TRIO = ["", "", ""]


def new(seed: int = 0, script: dict[str, Any] | None = None, **options: Any) -> Any:
    return fresh(seed, script, variant=VARIANT, **options)


def use_up(table: HouseTable, leave: int = 0) -> None:
    """Everybody draws and ends until so many cards are left in the draw pile."""
    while len(table.stock) > leave:
        table.do("draw", "end")


# The pack and the deal


def test_extra_cards_are_second_copies():
    table = HouseTable(["KD KD", "", ""], "9D", extra_cards=("KD", "8C"))
    assert Counter(table.hands[0])["KD"] == 2
    table.do("play KD")
    assert Counter(table.hands[0])["KD"] == 1


def test_two_packs_have_four_jokers_and_two_of_each_card():
    table = HouseTable(["X1 X1 X2 X2", "4C 4C", ""], "9C", decks=2)
    assert Counter(table.hands[0]) >= Counter({"X1": 2, "X2": 2}) and Counter(table.hands[1])["4C"] == 2


def test_without_jokers_an_effect_is_asked_about_all_the_same():
    """ACTIONS: a decision with one legal action is still a decision."""
    table = HouseTable(["AC", "", ""], "9C", jokers=0)
    table.do("play AC")
    assert table.seat == 1 and table.phase == "RESPOND" and table.legal() == {"accept"}


def test_mojo_seats_hold_in_every_hand():
    env = new(num_players=3, mojo_seats=(1,), match=True, deal_choice=False, starter_effects="none", end_on_negative=False)
    rng = random.Random(1)
    sizes = [[len(hand) for hand in env.reveal()["hands"]]]
    number = 0
    while number < 2 and not env.terminations["agent_0"]:
        actions = legal(env)
        env.step(env.action_id(rng.choice([a for a in actions if a.startswith("play")] or actions)))
        if env.reveal()["hand_number"] > number:
            number += 1
            sizes.append([len(hand) for hand in env.reveal()["hands"]])
    assert len(sizes) > 1 and all(size == [7, 8, 7] for size in sizes)


# The starter


@pytest.mark.parametrize(("value", "seat"), [("dealer_names", 2), ("first_player_names", 0)])
def test_starter_wild_who_names(value: str, seat: int):
    table = HouseTable(TRIO, "8D", starter_wild=value)
    assert table.seat == seat and table.phase == "SUIT"
    table.do("suit S")
    assert table.seat == 0 and table.phase == "TURN" and tuple(table.to_follow) == ("8", "S")


def test_starter_wild_printed_suit():
    table = HouseTable(TRIO, "8D", starter_wild="printed_suit")
    assert table.seat == 0 and table.phase == "TURN" and tuple(table.to_follow) == ("8", "D") and table.discard == ["8D"]


def test_starter_wild_bury():
    """In the middle of the pile without it; a Joker turned before stays."""
    table = HouseTable(TRIO, "X1 8D 9C", starter_wild="bury")
    assert table.discard == ["9C", "X1"] and tuple(table.run) == ("9", 1)
    assert table.stock.index("8D") == (54 - 21 - 2) // 2 - 1, "inserted at len // 2 of the rest, of which the starter was the top"


def test_starter_effects_none():
    for card in ("AC", "2C", "KC", "JC", "JS", "JH", "QH", "JD"):
        table = HouseTable(["3H 4D 5S", "", ""], card, starter_effects="none")
        assert table.seat == 0 and table.phase == "TURN" and table.direction == 1 and [len(h) for h in table.hands] == [7, 7, 7]
        assert table.exposed == [] and table.plays() != set(table.hands[0])


def test_starter_effects_twos_only():
    table = HouseTable(TRIO, "2C", starter_effects="twos_only")
    assert table.seat == 0 and table.phase == "RESPOND"
    for card in ("AC", "KC", "JC", "QH"):
        table = HouseTable(TRIO, card, starter_effects="twos_only")
        assert table.seat == 0 and table.phase == "TURN" and table.direction == 1


def test_starter_effects_none_an_eight_is_named_all_the_same():
    """ACTIONS 2."""
    table = HouseTable(TRIO, "8D", starter_effects="none")
    assert table.seat == 2 and table.phase == "SUIT"


# After the draw


def test_play_after_draw_drawn_only():
    table = HouseTable(["4C 5D", "", ""], "9C 3C", play_after_draw="drawn_only")
    assert "4C" in table.plays()
    table.do("draw")
    assert table.legal() == {"play 3C", "end"}
    table = HouseTable(["4C 5D", "", ""], "9C 3H", play_after_draw="drawn_only")
    table.do("draw")
    assert table.legal() == {"end"}


def test_play_after_draw_none():
    table = HouseTable(["4C 5D", "", ""], "9C 3C", play_after_draw="none")
    table.do("draw")
    assert table.legal() == {"end"}


# ONE CARD

TWO_CARDS = ["5C 9C", "4D 6D", "3H 7H"]


def test_one_card_auto():
    """Always announced: no such actions, nobody is asked."""
    table = late(TWO_CARDS, "TC", one_card="auto")
    assert table.legal() == {"play 5C", "play 9C", "draw"}
    table.do("play 5C")
    assert table.liable == [] and table.seat == 1 and table.phase == "TURN"


def test_one_card_off():
    """No such rule: HR-23 neither."""
    table = late(TWO_CARDS, "TC", "KD QS TD", one_card="off")
    assert table.legal() == {"play 5C", "play 9C", "draw"}
    table.do("play 5C", "draw", "end", "draw", "end", "play 9C")
    assert table.over and turned(table.env.reveal()) == [] and table.payoffs == [0, -20, -20]


def test_one_card_race_owner_first():
    table = late(TWO_CARDS, "TC", one_card_race="owner_first")
    table.do("play 5C")
    assert table.seat == 0 and table.legal() == {"announce", "silent"} and table.liable == [0]
    table.do("announce")
    assert table.seat == 1 and table.phase == "TURN" and table.liable == []
    table = late(TWO_CARDS, "TC", one_card_race="owner_first")
    table.do("play 5C", "silent")
    assert table.seat == 1 and table.legal() == {"call", "silent"}
    table.do("silent", "call")
    assert table.liable == [] and table.cards(0) == 2


def test_one_card_race_random():
    """A coin decides who is asked first."""
    first = Counter()
    for seed in range(60):
        table = late(TWO_CARDS, "TC", seed=seed, one_card_race="random")
        table.do("play 5C")
        first[table.seat] += 1
        assert table.legal() == ({"announce", "silent"} if table.seat == 0 else {"call", "silent"})
    assert set(first) == {0, 1} and min(first.values()) > 12


@pytest.mark.parametrize(("one_card", "action"), [("action", "play 5C one"), ("auto", "play 5C")])
def test_forget_prob(one_card: str, action: str):
    """A due announcement, chosen or automatic, is forgotten; then all are asked, and it may be made late."""
    table = late(TWO_CARDS, "TC", "KD QS 3S", one_card=one_card, forget_prob=1.0, announce=False)
    before = table.liable
    assert before == []
    table.do(action)
    assert table.liable == [0] and table.seat == 1 and table.legal() == {"call", "silent"}
    table.do("silent", "silent", "draw", "end", "draw", "end")
    assert "announce" in table.legal()
    table.do("announce")
    assert table.liable == []


def test_forget_prob_is_a_chance():
    forgotten = 0
    for seed in range(80):
        table = late(TWO_CARDS, "TC", seed=seed, forget_prob=0.5)
        table.do("play 5C one")
        forgotten += table.liable == [0]
    assert 20 < forgotten < 60


# Responses


def test_stack_twos():
    """A two may be answered with a two; the numbers add up."""
    table = HouseTable(["2C", "2D", "2H X1", "3C"], "9C", stack_twos=True)
    table.do("play 2C")
    assert table.seat == 1 and table.legal() == {"accept", "play 2D"}
    table.do("play 2D")
    assert table.seat == 2 and table.legal() == {"accept", "play 2H", "play X1"}
    table.do("accept")
    assert len(table.hands[2]) == 11 and table.seat == 3 and table.phase == "TURN"


def test_stack_twos_a_joker_cancels_the_sum():
    """The card before the last two is to be followed, a two, without effect."""
    table = HouseTable(["2C", "2D", "X1", "3C"], "9C", stack_twos=True)
    table.do("play 2C", "play 2D", "play X1")
    assert [len(hand) for hand in table.hands] == [6, 6, 6, 7] and table.seat == 3 and tuple(table.to_follow) == ("2", "C")
    table.do("draw", "end", "draw", "end")
    assert table.phase == "TURN"


def test_stack_twos_with_m_rule():
    """The third two draws one card before the next seat is asked for six."""
    table = HouseTable(["2C", "2D", "2H", "3C"], "9C 3S 4S", stack_twos=True)
    table.do("play 2C", "play 2D", "play 2H")
    assert "3S" in table.hands[2] and table.seat == 3
    table.do("accept")
    assert len(table.hands[3]) == 13 and table.seat == 0


def test_stack_twos_without_a_joker_answer():
    """joker_response without "2": asked for a two only."""
    table = HouseTable(["2C", "2D X1", "X2", ""], "9C", stack_twos=True, joker_response=("A",))
    table.do("play 2C")
    assert table.legal() == {"accept", "play 2D"}
    table.do("play 2D")
    assert table.legal() == {"accept"} and table.seat == 2


@pytest.mark.parametrize("card", ["AC", "2C", "JC", "JS", "JH", "QH"])
def test_joker_response_without_a_card_nobody_is_asked(card: str):
    name = card if card[0] in "JQ" else card[0]
    others = tuple(other for other in settings.ANSWERED if other != name)
    table = HouseTable([card, "X1", "", ""], f"9{card[1]}", joker_response=others)
    table.do(f"play {card}")
    assert table.phase == "TURN" and table.seat == (2 if card[0] in "A2" else 1)
    sizes = [len(hand) for hand in table.hands]
    assert sizes == {"2": [6, 9, 7, 7], "JC": [6, 12, 7, 7], "QH": [6, 10, 10, 10], "JS": [7, 6, 7, 7]}.get(name, [6, 7, 7, 7])
    assert table.exposed == ([1] if name == "JH" else [])


def test_joker_response_is_asked_for_the_others():
    table = HouseTable(["AC", "X1", ""], "9C", joker_response=("A",))
    table.do("play AC")
    assert table.phase == "RESPOND" and table.legal() == {"accept", "play X1"}
    table = HouseTable(["KC", "X1", "", ""], "9C", joker_response=())
    table.do("play KC")
    assert table.phase == "RESPOND" and table.legal() == {"accept", "play X1"}, "a King is none of them"


def test_joker_on_joker_forbidden():
    table = HouseTable(["4C", "X1", "X2", ""], "9C", joker_on_joker="forbidden")
    table.do("play 4C", "play X1")
    assert table.seat == 2 and "X2" not in table.plays() and tuple(table.to_follow) == ("9", "C")


def test_joker_on_joker_skip_two():
    table = HouseTable(["4C", "X1", "X2", ""], "9C", joker_on_joker="skip_two")
    table.do("play 4C", "play X1", "play X2")
    assert tuple(table.to_follow) == ("9", "C"), "what the first Joker left"
    table = HouseTable(["4C", "5C", "X1", "X2", "6C", "X1"], "9C", joker_on_joker="skip_two", decks=2)
    table.do("play 4C", "play 5C", "play X1", "play X2", "play 6C", "play X1")
    assert tuple(table.to_follow) == ("4", "C"), "under the six lies what the two Jokers left"


def test_joker_on_joker_revive():
    table = HouseTable(["4C", "X1", "X2", ""], "9C")
    table.do("play 4C", "play X1", "play X2")
    assert tuple(table.to_follow) == ("4", "C")


def test_king_joker_both():
    """The old next, then the new next; each Joker restores the direction; play goes on from the answerer."""
    table = HouseTable(["KC", "X1", "", "X2"], "9C", king_joker="both")
    table.do("play KC")
    assert table.seat == 1 and table.phase == "RESPOND"
    table.do("accept")
    assert table.seat == 3 and table.phase == "RESPOND" and table.legal() == {"accept", "play X2"}
    table.do("play X2")
    assert table.direction == 1 and table.seat == 0 and table.phase == "TURN" and tuple(table.to_follow) == ("9", "C")
    table = HouseTable(["KC", "X1", "", "X2"], "9C", king_joker="both")
    table.do("play KC", "accept", "accept")
    assert table.direction == -1 and table.seat == 3 and table.phase == "TURN"
    table = HouseTable(["KC", "X1", "", "X2"], "9C", king_joker="both")
    table.do("play KC", "play X1")
    assert table.direction == 1 and table.seat == 2


def test_king_joker_new_next():
    table = HouseTable(["KC", "X1", "", "X2"], "9C", king_joker="new_next")
    table.do("play KC")
    assert table.seat == 3 and table.phase == "RESPOND" and table.legal() == {"accept", "play X2"}
    table.do("play X2")
    assert table.direction == 1 and table.seat == 0


# The pluck


def test_plucker_sees():
    """The Plucker is told the card, nobody else before it is played."""
    for sees in (False, True):
        known = 0
        for seed in range(10):
            table = HouseTable(["KC", "3D 4D 5D 6D 7D 9D TD"], "9C", seed=seed, plucker_sees=sees)
            table.do("play KC", "submit")
            card = table.plucked[1][0]
            told = card in re.findall(r"'(\w\w)'", str(table.env.view("agent_0")))
            noted = any(card in line for line in table.env.log("agent_0")[2:])
            assert told == noted == sees
            known += told
        assert known == (10 if sees else 0)


# Open hands


def hearts(duration: str, hands: list[str] | None = None) -> HouseTable:
    """Seat 1 of three has just laid its hand open."""
    table = HouseTable(hands or ["JH", "", ""], "9H 3S 4S 5S 6S 7S 9S TS QS", jh_duration=duration)
    table.do("play JH", "accept")
    assert table.exposed == [1] and table.seat == 1
    return table


def slots(table: HouseTable, most: int = 12) -> int:
    """How many more turns begin with the hand open."""
    count = 0
    while table.exposed and count < most:
        table.do("draw", "end")
        count += 1
    return count


@pytest.mark.parametrize(
    ("duration", "turns"),
    [("until_own_next_turn", 3), ("through_own_next_turn", 4), ("until_players_turn", 2), ("n_slots", 3)],
)
def test_jh_duration(duration: str, turns: int):
    """Until the victim's next turn begins; until it has ended; until the Jack's player is to move; for three turns."""
    assert slots(hearts(duration)) == turns


def test_jh_duration_with_a_reversal():
    """A King changes who comes when: n_slots counts turns, the others wait for theirs."""
    counted = {}
    for duration in CHOICES["jh_duration"]:
        table = HouseTable(["JH", "KH", "", ""], "9H 3S 4S 5S 6S 7S 9S TS QS", jh_duration=duration)
        table.do("play JH", "accept", "play KH", "accept")
        assert table.direction == -1 and table.seat == 0
        counted[duration] = slots(table)
    # Turns after the King: 0, 3, 2, 1.
    assert counted == {"until_own_next_turn": 3, "through_own_next_turn": 4, "until_players_turn": 0, "n_slots": 3}


def test_jh_duration_counts_skipped_turns():
    """An ace costs the Jack's player a turn: it counts as begun, and as a turn."""
    counted = {}
    for duration in CHOICES["jh_duration"]:
        table = HouseTable(["JH", "", "AH"], "9H 3S 4S 5S 6S 7S 9S TS QS", jh_duration=duration)
        table.do("play JH", "accept", "draw", "end", "play AH", "accept")
        assert table.seat == 1
        counted[duration] = slots(table)
    assert counted == {"until_own_next_turn": 0, "through_own_next_turn": 1, "until_players_turn": 0, "n_slots": 0}


# The exchange


def swapped(how: str) -> HouseTable:
    """Seat 0 trades with seat 1, which has a penalty card."""
    table = late(["JS 3D 9D", "4D 6D", "3H 7H"], "TS", "5S", swap_penalty=how)
    table.env.scenario("fumble", seat=1, card="4D")
    assert table.penalty == [[], ["5S"], []]
    table.do("play JS", "accept")
    assert table.seat == 1
    return table


def test_swap_penalty_travel_free():
    table = swapped("travel_free")
    assert Counter(table.hands[0]) == Counter(["4D", "6D", "5S"]) and table.penalty == [[], [], []]


def test_swap_penalty_stay():
    table = swapped("stay")
    assert Counter(table.hands[0]) == Counter(["4D", "6D"]) and table.penalty == [[], ["5S"], []]
    assert Counter(table.hands[1]) == Counter(["3D", "9D"])


def test_swap_penalty_travel_restricted():
    table = swapped("travel_restricted")
    assert Counter(table.hands[0]) == Counter(["4D", "6D"]) and table.penalty == [["5S"], [], []]


@pytest.mark.parametrize(
    ("how", "plucked", "hands"),
    [("travel_free", [[], []], [3, 1]), ("stay", [[], ["P"]], [2, 1]), ("travel_restricted", [["P"], []], [2, 1])],
)
def test_swap_penalty_of_plucked_cards(how: str, plucked: list[list[str]], hands: list[int]):
    table = late(["KS JS 3D", "4H 6H 7H"], "TS", "5S 9S", swap_penalty=how)
    table.do("play KS", "submit")
    card = table.plucked[1][0]
    table.do("draw", "end", "play JS one", "accept")
    assert table.plucked == [[card if c == "P" else c for c in zone] for zone in plucked]
    assert table.hands[1] == ["3D"] and len(table.hands[0]) == hands[0] + 1, "5S was drawn"


# M's rule


def test_m_counts_starter():
    table = HouseTable(["9D", "9H", "9S"], "9C 3S 4S", M_counts_starter=False)
    assert table.run[1] == 0
    table.do("play 9D", "play 9H")
    assert tuple(table.run) == ("9", 2) and len(table.hands[1]) == 6
    table.do("play 9S")
    assert len(table.hands[2]) == 7


def test_m_reset_on_reshuffle():
    counts = {}
    for resets in (True, False):
        table = HouseTable(["9D", "9H", "9S"], "9C", M_reset_on_reshuffle=resets)
        table.do("play 9D")
        use_up(table)
        assert table.seat == 0
        table.do("draw", "end")
        before = table.cards(1)
        table.do("play 9H")
        counts[resets] = table.cards(1) - before
        assert tuple(table.run) == ("9", 1 if resets else 3)
    assert counts == {True: -1, False: 0}


# The end of a hand


def test_last_card_effects_a_two():
    """Next draws two, without being asked, before the count."""
    table = late(["2C", "4D X1", "3H"], "TC", "KD QS", last_card_effects=True)
    table.do("play 2C")
    assert table.over and Counter(table.hands[1]) == Counter(["4D", "X1", "KD", "QS"]) and table.payoffs == [0, -48, -3]


def test_last_card_effects_jc_and_qh():
    table = late(["JC", "4D", "3H"], "TC", "KD QS 3S 4S 5S", last_card_effects=True)
    table.do("play JC")
    assert table.over and table.payoffs == [0, -(4 + 10 + 10 + 3 + 4 + 5), -3]
    table = late(["QH", "4D", "3C"], "TH", "KD QS 3S 4S 5S 6S", last_card_effects=True)
    table.do("play QH")
    assert table.over and table.payoffs == [0, -(4 + 23), -(3 + 15)]


def test_last_card_effects_a_stacked_sum():
    table = late(["2C 3S", "2D", "3H"], "TC", "KD QS 4S 5S", last_card_effects=True, stack_twos=True)
    table.do("play 2C one", "play 2D")
    assert table.over and table.payoffs == [-3, 0, -(3 + 10 + 10 + 4 + 5)]


@pytest.mark.parametrize("card", ["AC", "KC", "JS", "JH"])
def test_last_card_effects_are_draws_only(card: str):
    table = late([card, "4D", "3C"], "T" + card[1], last_card_effects=True)
    before = table.hands[1:]
    table.do(f"play {card}")
    assert table.over and table.hands[1:] == before


def test_last_card_effects_come_before_the_turned_card():
    """ACTIONS 8: the draws, then HR-23."""
    table = late(["5C 2C", "4D", "3H"], "TC", "6S 7S KD QS TD", last_card_effects=True)
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "play 2C")
    assert turned(table.env.reveal()) == ["TD"] and Counter(table.hands[1]) == Counter(["4D", "6S", "KD", "QS"])
    assert table.payoffs == [0, -(4 + 6 + 10 + 10 + 10), -(3 + 7 + 10)]


def blocked(**options: Any) -> HouseTable:
    """Three players have used up the draw pile and ended two turns of the last circle."""
    table = HouseTable(TRIO, "9C", **options)
    use_up(table)
    table.do("end", "end")
    return table


def test_blocked_hand_score_all():
    table = blocked(scoring="chips")
    table.do("end")
    assert table.over and table.payoffs == [0, 0, 0] and table.scores == [100, 100, 100]


def test_blocked_hand_redeal():
    """The same dealer deals again within the step; it is the same hand of the match."""
    table = blocked(blocked_hand="redeal", starter_effects="none", starter_wild="printed_suit")
    table.do("end")
    assert not table.over and table.phase == "TURN" and table.hand_number == 0 and [len(h) for h in table.hands] == [7, 7, 7]
    assert table.env.reveal()["dealer"] == 2 and table.seat == 0 and table.scores == [0, 0, 0]
    with pytest.raises(ValueError, match="no hand has ended"):
        table.env.payoffs()
    table = blocked(blocked_hand="redeal", match=True)
    table.do("end")
    assert not table.over and table.hand_number == 0


@pytest.mark.parametrize(("value", "points"), [("multiply", 60), ("add", 45), ("once", 30)])
def test_joker_stack(value: str, points: int):
    table = late(["5C", "KH 5D X1 X2"], "TC", joker_stack=value)
    table.do("play 5C")
    assert table.payoffs == [0, -points]


@pytest.mark.parametrize("value", ["multiply", "add", "once"])
def test_joker_stack_one_joker_doubles(value: str):
    table = late(["5C", "KH 5D X1"], "TC", joker_stack=value)
    table.do("play 5C")
    assert table.payoffs == [0, -30]


def test_end_on_negative_false():
    table = late(["5C", "JD", "3H"], "TC", match=True, end_on_negative=False)
    table.do("play 5C")
    assert not table.over and table.scores == [0, -5, 3] and table.hand_number == 1


def test_debt_capped():
    """The winner gets only what is there; the game ends all the same."""
    table = late(["5C", "KS KD TH", "3H"], "TC", scoring="chips", match=True, debt="capped")
    table.env.scenario("loan", frm=1, to=2, k=80)
    table.do("play 5C")
    assert table.over and table.scores == [123, 0, 177] and table.payoffs == [23, -20, -3]


def test_a_winner_who_cannot_pay_ends_the_game():
    """HR-35, HR-36: the winner pays for JD what the others do not bring in."""
    for card, over, scores in (("3H", True, [-2, 205, 97]), ("9H", False, [4, 205, 91])):
        table = late(["5C", "JD", card], "TC", scoring="chips", match=True)
        table.env.scenario("loan", frm=0, to=1, k=100)
        table.do("play 5C")
        assert table.over == over and table.scores == scores


def test_scoring_chips_rewards_are_the_chips_won_or_lost():
    table = late(["5C", "KS", "3H"], "TC", scoring="chips")
    table.do("play 5C")
    assert [table.env.rewards[a] for a in table.env.agents] == [13, -10, -3]


# Accidents


@pytest.mark.parametrize(("policy", "sizes"), [("not_guilty", [7] * 4), ("guilty", [7, 10, 7, 10])])
def test_house_policy(policy: str, sizes: list[int]):
    """On a tied vote, and without voters."""
    table = HouseTable([""] * 4, "9C", house_policy=policy)
    table.env.scenario("accuse_collaboration", a=1, b=3)
    table.do("guilty", "innocent")
    assert [len(hand) for hand in table.hands] == sizes
    table = HouseTable(["", ""], "9C", house_policy=policy)
    table.env.scenario("accuse_collaboration", a=0, b=1)
    assert [len(hand) for hand in table.hands] == [sizes[1]] * 2


def test_house_policy_random():
    outcomes: Counter[int] = Counter()
    for seed in range(60):
        table = HouseTable(["", ""], "9C", seed=seed, house_policy="random")
        table.env.scenario("accuse_collaboration", a=0, b=1)
        outcomes[len(table.hands[0])] += 1
    assert set(outcomes) == {7, 10} and min(outcomes.values()) > 12


def test_illegal_fumble():
    """Every action that names a card of one's own hand is accepted at one's turn; nothing else; the mask shows what is legal."""
    table = HouseTable(["4D 5C", "", ""], "9C 3C 4S 6S", illegal="fumble")
    table.do("play 5C one")
    assert table.discard == ["9C"] and table.penalty[0] == ["3C"] and table.seat == 0, "an announcement with seven cards"
    other = next(card for card in STANDARD if card not in table.hands[0] and card != "3C")
    for wrong in (f"play {other}", "end", "accept"):
        with pytest.raises(ValueError):
            table.do(wrong)
    table.do("draw", "play 4D")
    assert Counter(table.penalty[0]) == Counter(["3C", "6S"]) and "end" in table.legal() and "draw" not in table.legal()


def test_illegal_fumble_only_at_ones_turn():
    table = HouseTable(["2C", "4D", ""], "9C", illegal="fumble")
    table.do("play 2C")
    with pytest.raises(ValueError):
        table.do("play 4D")


def test_drop_prob():
    """Before each turn the seat drops a card: all see it, and one penalty card is drawn."""
    table = HouseTable(TRIO, "9C 3S 4S 5S 6S", drop_prob=1.0)
    assert table.penalty == [["3S"], [], []] and table.seat == 0 and len(table.hands[0]) == 7
    shown = re.findall(r"'(\w\w)'", str(table.env.view("agent_1")))
    assert any(card in shown for card in table.hands[0] if card not in table.hands[1]), "the card is known"
    table.do("draw", "end")
    assert table.penalty == [["3S"], ["5S"], []]


def test_drop_prob_is_a_chance():
    dropped = 0
    for seed in range(80):
        dropped += bool(HouseTable(TRIO, "9C", seed=seed, drop_prob=0.5).penalty[0])
    assert 20 < dropped < 60


def test_drop_prob_not_in_a_response():
    """A response is no turn; the turn after it is one."""
    table = HouseTable(["JC", "", ""], "9C 3S 4S", drop_prob=1.0)
    table.do("play JC")
    assert table.penalty[1] == []
    table.do("accept")
    assert len(table.penalty[1]) == 1


# Scenario calls

BAD_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("misfortune", {}),
    ("fumble", {}),
    ("fumble", {"seat": 3, "card": "random"}),
    ("fumble", {"seat": -1, "card": "random"}),
    ("fumble", {"seat": "0", "card": "random"}),
    ("fumble", {"seat": True, "card": "random"}),
    ("fumble", {"seat": 0, "card": "KS"}),
    ("fumble", {"seat": 0, "card": "1C"}),
    ("furble", {"seat": 0}),
    ("furble", {"seat": 0, "card": "KS"}),
    ("furble", {"seat": 0, "card": None}),
    ("draw_out_of_turn", {"seat": 0}),
    ("draw_out_of_turn", {"seat": 3}),
    ("accuse_collaboration", {"a": 1, "b": 1}),
    ("accuse_collaboration", {"a": 1, "b": 3}),
    ("grab", {"offender": 1, "victim": 1}),
    ("grab", {"offender": 1, "victim": 3}),
    ("deface", {"seat": 3}),
    ("loan", {"frm": 0, "to": 1, "k": 1}),
    ("house_ruling", {}),
]


@pytest.mark.parametrize(("name", "arguments"), BAD_CALLS)
def test_refused_scenarios(name: str, arguments: dict[str, Any]):
    """A sentence, and nothing is changed."""
    table = HouseTable(["3C", "4C", "5C"], "9C KS")
    before = table.env.snapshot(), table.env.log()
    with pytest.raises(ValueError) as refusal:
        table.env.scenario(name, **arguments)
    assert len(str(refusal.value).split()) > 2
    assert (table.env.snapshot(), table.env.log()) == before


def test_scenarios_are_refused_after_the_end():
    table = late(["5C", "KS", "3H"], "TC")
    table.do("play 5C")
    for name, arguments in (("grab", {"offender": 1, "victim": 2}), ("fumble", {"seat": 1, "card": "random"})):
        with pytest.raises(ValueError):
            table.env.scenario(name, **arguments)


def test_scenarios_before_the_deal():
    """Nobody holds a card yet: only the rules can be defaced, and it counts for this deal."""
    env = new(script={"dealer": 2}, num_players=3)
    for name, arguments in (("fumble", {"seat": 1, "card": "random"}), ("furble", {"seat": 1, "card": "KS"})):
        with pytest.raises(ValueError):
            env.scenario(name, **arguments)
    env.scenario("deface", seat=1)
    env.step(env.action_id("deal 7"))
    assert [len(hand) for hand in env.reveal()["hands"]] == [7, 8, 7]


def test_the_cut_moves_the_top_of_the_pack_under_the_rest():
    """Before the deal: the top cards go under the rest."""
    env = new(3, {"dealer": 2}, num_players=3)
    pack = env.reveal()["stock"]
    env.scenario("cut", pos=20)
    assert env.reveal()["stock"] == pack[20:] + pack[:20]
    for wrong in (0, 54, -1, "20", None):
        with pytest.raises(ValueError):
            env.scenario("cut", pos=wrong)
    with pytest.raises(ValueError):
        HouseTable(TRIO, "9C").env.scenario("cut", pos=20)


def test_scenarios_pause_any_decision():
    """In the middle of a window and of a response the same decision is due afterwards."""
    table = late(["2C 9C", "4D X1", "3H 7H"], "TC", "KD QS 3S 4S")
    table.do("play 2C")
    for phase, seat in (("CALL", 1), ("CALL", 2), ("RESPOND", 1)):
        assert (table.phase, table.seat) == (phase, seat)
        held = table.cards(2)
        table.env.scenario("fumble", seat=2, card="random")
        table.env.scenario("accuse_collaboration", a=2, b=0)
        table.do("innocent")
        assert (table.phase, table.seat) == (phase, seat) and table.cards(2) == held + 1
        table.do("silent" if phase == "CALL" else "accept")
    assert table.seat == 2 and table.phase == "TURN"


def test_scenarios_are_in_the_log():
    table = HouseTable(["3C", "4C", "5C"], "9C KS")
    table.env.scenario("grab", offender=1, victim=2)
    table.env.scenario("deface", seat=0)
    log = table.env.log()
    assert "scenario grab offender=1 victim=2" in log and "scenario deface seat=0" in log


def test_scenarios_survive_a_snapshot():
    """Missed turns, grabbed points and penalty cards are part of the game."""
    table = HouseTable(["3C", "4C", "5C"], "9C KS")
    table.env.scenario("grab", offender=1, victim=2)
    table.env.scenario("fumble", seat=2, card="random")
    before, snapshot = table.env.reveal(), table.env.snapshot()
    table.do("draw", "end")
    assert table.seat == 2
    table.env.restore(snapshot)
    assert table.env.reveal() == before


# Presets


def test_presets():
    assert new(rules="house_rules_2008").setting == new().setting
    assert new(rules="house_rules_chips").setting == new(scoring="chips").setting
    assert new(rules="house_rules_chips", jokers=1).setting.options["jokers"] == 1
    for other in ("russian_eights", "openspiel", "strategic_high_low"):
        with pytest.raises(ValueError, match="preset"):
            new(rules=other)


def test_the_defaults_are_those_of_the_table():
    given = new().setting.options
    assert set(given) == set(DEFAULTS)
    for name, value in DEFAULTS.items():
        assert given[name] == value and (isinstance(value, (int, float)) or type(given[name]) is type(value)), name


def test_the_deal_rotation_is_no_option():
    with pytest.raises(ValueError, match="deal_rotation"):
        new(deal_rotation="left")


# Refusals

BAD_COMBINATIONS: list[tuple[dict[str, Any], str]] = [
    ({"extra_cards": ("8C",), "decks": 2}, "extra_cards"),
    ({"extra_cards": ("8C", "8C")}, "extra_cards"),
    ({"num_players": 7}, "players"),
    ({"num_players": 12}, "players"),
    ({"num_players": 7, "extra_cards": tuple(STANDARD)}, "players"),
    ({"num_players": 6, "starter_wild": "bury"}, "cards"),
    ({"num_players": 6, "starter_wild": "bury", "jokers": 0, "deal_choice": False}, "cards"),
    ({"num_players": 12, "decks": 2, "starter_wild": "bury"}, "cards"),
    ({"mojo_seats": (4,)}, "mojo_seats"),
    ({"mojo_seats": (-1,)}, "mojo_seats"),
    ({"mojo_seats": (1, 1)}, "mojo_seats"),
    ({"num_players": 2, "king_joker": "both"}, "king_joker"),
    ({"num_players": 2, "king_joker": "new_next"}, "king_joker"),
    ({"plucker_sees": True}, "plucker_sees"),
    ({"jokers": 0, "joker_stack": "add"}, "joker_stack"),
    ({"jokers": 0, "joker_on_joker": "forbidden"}, "joker_on_joker"),
    ({"jokers": 0, "joker_response": ("A",)}, "joker_response"),
    ({"jokers": 0, "king_joker": "both"}, "king_joker"),
    ({"one_card": "off", "one_card_race": "random"}, "one_card_race"),
    ({"one_card": "off", "forget_prob": 0.1}, "forget_prob"),
    ({"debt": "capped"}, "debt"),
    ({"scoring": "chips", "end_on_negative": False}, "end_on_negative"),
]


@pytest.mark.parametrize(("options", "word"), BAD_COMBINATIONS)
def test_refused_combinations(options: dict[str, Any], word: str):
    """One sentence that names the option, at every door."""
    assert settings.refusals(options)
    with pytest.raises(ValueError, match=word) as refusal:
        eightsenv.make(VARIANT, **options)
    sentence = str(refusal.value)
    assert len(sentence.split()) > 2 and "\n" not in sentence
    for door in (eightsenv.make_vec, eightsenv.rollout):
        size = {"num_envs": 2} if door is eightsenv.make_vec else {"num_games": 2}
        with pytest.raises(ValueError, match=re.escape(sentence)):
            door(VARIANT, **size, **options)


def test_every_refused_combination_is_tried():
    named = {name for options, _ in BAD_COMBINATIONS for name in settings.refusals(options)}
    assert named == {refused.name for refused in settings.REFUSED}


def test_what_is_refused_is_what_the_table_refuses():
    """Options drawn each by itself: a setting exists exactly when no refused combination is met."""
    rng = random.Random(4)
    outcomes: Counter[bool] = Counter()
    for _ in range(300):
        options = settings.random_options(rng)
        if rng.random() < 0.7:
            # Mostly defaults, so that many of these settings exist.
            options = {name: options[name] for name in rng.sample(sorted(options), 6)}
        wanted = not settings.refusals(options)
        try:
            eightsenv.make(VARIANT, **options)
            made = True
        except ValueError:
            made = False
        assert made == wanted, (options, settings.refusals(options))
        outcomes[made] += 1
    assert min(outcomes[True], outcomes[False]) > 40


@pytest.mark.parametrize("name", BAD_VALUES)
def test_bad_values_are_refused(name: str):
    for value in [*BAD_VALUES[name], [[1, 2]]]:
        with pytest.raises(ValueError, match=name):
            new(**{name: value})


def test_every_option_has_bad_values():
    assert set(BAD_VALUES) == set(DEFAULTS)


def test_lists_are_as_good_as_tuples():
    setting = new(extra_cards=["8C"], mojo_seats=[1], joker_response=["2", "A"]).setting
    assert setting.options["extra_cards"] == ("8C",) and setting.options["mojo_seats"] == (1,)
    assert set(setting.options["joker_response"]) == {"A", "2"}


def test_a_complete_setting_can_be_passed_back():
    rng = random.Random(2)
    for _ in range(30):
        setting = new(**settings.random_setting(rng)).setting
        assert new(**setting.as_dict()).setting == setting
