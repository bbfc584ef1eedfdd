"""House Rules, HR-1 … HR-80, and the examples T-HR-1 … T-HR-24, by scripted deals through the AEC environment.

Each test names the rule ids that it shows in its docstring; the last one asserts that none is missing. The values of every
option are in ``test_house_options.py``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest
from reference.deals import deck_for, fresh, legal
from reference.house_chance import turned
from reference.house_deals import HouseTable, filled, late
from reference.house_scores import value
from reference.house_settings import DEFAULTS, VARIANT
from reference.naming import named_rules
from reference.settings import STANDARD

import eightsenv

TRIO = ["", "", ""]


def new(seed: int = 0, script: dict[str, Any] | None = None, **options: Any) -> Any:
    return fresh(seed, script, variant=VARIANT, **options)


def everything(shown: dict[str, Any]) -> list[str]:
    """All cards of a state in words."""
    zones = [*shown["hands"], *shown["penalty"], *shown["plucked"], shown["stock"], shown["discard"]]
    return [card for zone in zones for card in zone]


def use_up(table: HouseTable, leave: int = 0) -> None:
    """Everybody draws and ends until so many cards are left in the draw pile."""
    while len(table.stock) > leave:
        table.do("draw", "end")


def use_up_without_1(table: HouseTable, leave: int) -> None:
    """Seats 0 and 2 of three use up the draw pile, and 1 misses its turns, until 0 is to move with so many cards left."""
    if (len(table.stock) - leave) % 2:
        table.env.scenario("draw_out_of_turn", seat=2)
    while len(table.stock) > leave:
        table.env.scenario("grab", offender=1, victim=0)
        table.do("draw", "end")
        assert table.seat == 2
        table.do("draw", "end")
    assert table.seat == 0 and len(table.stock) == leave


def run_game(env: Any, seed: int, until: Any = lambda env: False) -> None:
    """Play at random, cards first, to the end or until a condition holds."""
    rng = random.Random(seed)
    while not (env.terminations["agent_0"] or env.truncations["agent_0"] or until(env)):
        actions = legal(env)
        env.step(env.action_id(rng.choice([a for a in actions if a.startswith("play")] or actions)))


# Dealer, scorekeeper, deal


@pytest.mark.parametrize("players", [2, 3, 6])
def test_hr_1_t_hr_1_the_lowest_cut_deals(players: int):
    """HR-1, T-HR-1: each cuts a card, the lowest deals, equal lowest cut again: every seat deals equally often."""
    env = eightsenv.make(VARIANT, num_players=players).unwrapped
    count: Counter[int] = Counter()
    total = 1500
    env.reset(seed=3)
    for _ in range(total):
        count[env.reveal()["dealer"]] += 1
        env.reset()
    mean = total / players
    assert sum((count[seat] - mean) ** 2 / mean for seat in range(players)) < 20


def test_hr_1_the_cut_takes_nothing_of_the_deck():
    """HR-1: the cut has a pack of its own; a scripted dealer skips it."""
    deck = random.Random(1).sample(STANDARD, 52)
    env = eightsenv.make(VARIANT, deal_choice=False).unwrapped
    dealers = set()
    for seed in range(12):
        env.reset(seed=seed, options={"deck": deck})
        shown = env.reveal()
        dealers.add(shown["dealer"])
        assert Counter(shown["hands"][(shown["dealer"] + 1) % 4]) == Counter(deck[0:28:4])
        env.reset(seed=seed, options={"deck": deck, "dealer": seed % 4})
        assert env.reveal()["dealer"] == seed % 4
    assert len(dealers) > 1


def test_hr_2_the_highest_total_after_the_first_hand_keeps_score():
    """HR-2: nobody before; then for the rest of play, whatever the later totals; the deal passes left."""
    table = late(["5C", "KS", "AH"], "TC", match=True)
    assert table.scorekeeper is None
    table.do("play 5C")
    assert table.scores == [0, 10, 20] and table.scorekeeper == 2 and table.hand_number == 1
    assert table.env.reveal()["dealer"] == 0
    run_game(table.env, 1, lambda env: env.reveal()["hand_number"] > 2)
    assert table.scorekeeper == 2


@pytest.mark.parametrize(
    ("dealer", "hands", "keeper"), [(2, ["5C", "KD", "KH"], 1), (1, ["KD", "KH", "5C"], 0), (0, ["KD", "5C", "KH"], 2)]
)
def test_hr_2_a_tie_goes_to_the_first_from_the_dealers_left(dealer: int, hands: list[str], keeper: int):
    """HR-2: equal totals: the first clockwise from the left of the dealer."""
    table = late(hands, "TC", dealer=dealer, match=True)
    table.do("play 5C")
    assert sorted(table.scores) == [0, 10, 10] and table.scorekeeper == keeper


@pytest.mark.parametrize("scoring", ["points", "chips"])
def test_hr_3_every_total_can_be_audited(scoring: str):
    """HR-3: the ledger has a row for each seat and hand; the audit recomputes every total from the recorded cards and agrees."""
    env = new(5, match=True, scoring=scoring)
    run_game(env, 5)
    shown = env.reveal()
    assert list(env.audit()) == shown["scores"]
    rows = [row for entry in env.ledger() for row in entry["ledger"]]
    hands = shown["hand_number"] + 1
    assert len(rows) == hands * 4 and [row["seat"] for row in rows] == [0, 1, 2, 3] * hands
    assert rows[-4:] == shown["ledger"] and [row["total"] for row in rows[-4:]] == shown["scores"]
    for hand in range(hands):
        assert sum(not row["cards"] for row in rows[4 * hand : 4 * hand + 4]) <= 1
    if scoring == "chips":
        assert sum(row["total"] for row in rows[:4]) == 400
    else:
        assert [row["total"] for row in rows[:4]] == [min_99(row["cards"]) for row in rows[:4]]
        assert all(row["value"] == row["total"] for row in rows[:4] if row["total"] < 99)


def test_hr_4_the_dealer_chooses_seven_or_eight():
    """HR-4: before anyone sees a card the dealer decides how many everybody gets."""
    deck = [*random.Random(2).sample([c for c in STANDARD if c[0] in "345679T"], 28), "QC"]
    for size in (7, 8):
        env = new(script={"deck": deck, "dealer": 1}, num_players=3)
        shown = env.reveal()
        assert shown["seat"] == 1 and shown["hands"] == [[], [], []] and shown["stock"][:29] == deck and len(shown["stock"]) == 54
        assert legal(env) == ["deal 7", "deal 8"]
        env.step(env.action_id(f"deal {size}"))
        shown = env.reveal()
        for k in range(3):
            assert Counter(shown["hands"][(2 + k) % 3]) == Counter(deck[k : 3 * size : 3])
        assert shown["discard"] == [deck[3 * size]] and len(shown["stock"]) == 54 - 3 * size - 1


def test_hr_4_without_the_choice_seven():
    """HR-4: deal_choice=False: seven, and nobody is asked."""
    table = HouseTable(TRIO, "QC")
    assert [len(hand) for hand in table.hands] == [7, 7, 7] and table.phase == "TURN"


def test_hr_5_mojo_seats_get_eight():
    """HR-5: the extra card comes last, from the dealer's left; with eight for everybody nobody gets a ninth."""
    hands = filled(TRIO, "QC 3S 4S")
    env = new(script={"deck": deck_for(hands, "3S 4S QC", 2), "dealer": 2}, num_players=3, mojo_seats=(2, 0))
    env.step(env.action_id("deal 7"))
    shown = env.reveal()
    assert Counter(shown["hands"][0]) == Counter([*hands[0].split(), "3S"]) and len(shown["hands"][1]) == 7
    assert Counter(shown["hands"][2]) == Counter([*hands[2].split(), "4S"]) and shown["discard"] == ["QC"]
    env = new(script={"dealer": 2}, num_players=3, mojo_seats=(2, 0))
    env.step(env.action_id("deal 8"))
    assert [len(hand) for hand in env.reveal()["hands"]] == [8, 8, 8]


def test_hr_6_the_next_card_is_the_starter():
    """HR-6: it lies alone on the pile, is to be followed, and begins the row of M's rule."""
    table = HouseTable(TRIO, "QC 9D")
    assert table.discard == ["QC"] and table.stock[0] == "9D"
    assert tuple(table.to_follow) == ("Q", "C") and tuple(table.run) == ("Q", 1)


@pytest.mark.parametrize(
    ("options", "size", "jokers"),
    [
        ({}, 54, 2), ({"jokers": 0}, 52, 0), ({"jokers": 1}, 53, 1), ({"decks": 2}, 108, 4), ({"decks": 2, "jokers": 1}, 106, 2),
        ({"extra_cards": ("8C", "KD", "2S")}, 57, 2),
    ],
)  # fmt: skip
def test_hr_7_the_pack(options: dict[str, Any], size: int, jokers: int):
    """HR-7: one pack with two Jokers; some of a second one, or all of it."""
    cards = Counter(everything(new(**options).reveal()))
    assert cards.total() == size and cards["X1"] + cards["X2"] == jokers
    packs = options.get("decks", 1)
    assert all(cards[card] == packs + (card in options.get("extra_cards", ())) for card in STANDARD)


def test_hr_8_two_to_six_players_and_twelve_with_two_packs():
    """HR-8: the numbers of players; the first turn is left of the dealer, clockwise."""
    for players in range(2, 13):
        env = new(num_players=players, decks=1 if players < 7 else 2)
        assert env.num_players == players
    for wrong in ({"num_players": 1}, {"num_players": 7}, {"num_players": 13, "decks": 2}):
        with pytest.raises(ValueError, match="player"):
            new(**wrong)
    for dealer in range(4):
        table = HouseTable(["", "", "", ""], "QC", dealer=dealer)
        assert table.seat == (dealer + 1) % 4 and table.direction == 1
        table.do("draw", "end")
        assert table.seat == (dealer + 2) % 4


# The starter


def test_hr_9_t_hr_23_the_dealer_names_the_suit_of_an_eight():
    """HR-9, T-HR-23: after the deal, whatever its printed suit; then the first player follows it."""
    for suit in "CDHS":
        table = HouseTable(["3C 4D 5H 6S", "", ""], "8D", dealer=2)
        assert table.seat == 2 and table.phase == "SUIT" and table.legal() == {f"suit {s}" for s in "CDHS"}
        assert all(len(hand) == 7 for hand in table.hands)
        table.do(f"suit {suit}")
        assert table.seat == 0 and table.phase == "TURN" and tuple(table.to_follow) == ("8", suit)
        wanted = {"C": "3C", "D": "4D", "H": "5H", "S": "6S"}[suit]
        assert table.plays() & {"3C", "4D", "5H", "6S"} == {wanted}


def test_hr_10_t_hr_14_a_joker_as_starter():
    """HR-10, HR-11, T-HR-14, [S4.87]: X1 then 2C: the first player draws two and is skipped."""
    table = HouseTable(TRIO, "X1 2C KS QS")
    assert table.discard == ["2C", "X1"] and table.seat == 0 and table.legal() == {"accept"}
    table.do("accept")
    assert table.seat == 1 and {"KS", "QS"} <= set(table.hands[0]) and len(table.hands[0]) == 9


def test_hr_10_jokers_are_turned_until_another_card_comes():
    """HR-10: both Jokers, then an eight that the dealer names."""
    table = HouseTable(TRIO, "X2 X1 8C")
    assert table.discard == ["8C", "X1", "X2"] and table.phase == "SUIT" and table.seat == 2


def test_hr_11_a_starter_acts_as_the_dealers_card():
    """HR-11: the first player is hit by what the dealer has turned."""
    after = "3S 4S 5S 6S 7S 9S TS QS"
    table = HouseTable(TRIO, f"AC {after}")
    assert table.legal() == {"accept"} and table.seat == 0
    table.do("accept")
    assert table.seat == 1 and table.phase == "TURN"

    table = HouseTable(TRIO, f"KC {after}")
    assert table.seat == 0 and table.legal() == {"accept"}
    table.do("accept")
    assert table.direction == -1 and table.seat == 1, "play starts to the dealer's right"

    table = HouseTable(TRIO, f"JC {after}")
    table.do("accept")
    assert table.seat == 0 and len(table.hands[0]) == 12 and table.phase == "TURN"

    table = HouseTable(["", "", "KH"], f"JS {after}")
    before = table.hands
    table.do("accept")
    assert table.seat == 0 and table.hands == [before[2], before[1], before[0]]

    table = HouseTable(["9D", "", ""], f"JD {after}")
    assert table.seat == 0 and table.phase == "TURN" and table.plays() == set(table.hands[0])

    table = HouseTable(TRIO, f"JH {after}")
    table.do("accept")
    assert table.seat == 0 and table.exposed == [0]

    table = HouseTable(TRIO, f"QH {after}")
    table.do("accept")
    assert [len(hand) for hand in table.hands] == [10, 10, 7] and table.seat == 0


def test_hr_11_a_king_as_starter_with_two_players():
    """HR-11, AMB-HR-7: the dealer plucks."""
    table = HouseTable(["3D 4D 5D 6D 7D 9D TD", ""], "KC")
    assert table.seat == 0 and table.legal() == {"submit"}
    table.do("submit")
    assert len(table.plucked[0]) == 1 and len(table.hands[0]) == 6 and table.seat == 0 and table.phase == "TURN"


def test_hr_12_t_hr_15_a_joker_on_the_starter():
    """HR-12, T-HR-15, [S4.88]: starter 2C answered by X1: AD is turned, without effect; the second player follows it."""
    table = HouseTable(["X1", "4D 5S", ""], "2C AD")
    assert table.legal() == {"accept", "play X1"}
    table.do("play X1")
    assert table.discard == ["AD", "X1", "2C"] and table.seat == 1 and table.phase == "TURN" and len(table.hands[0]) == 6
    assert tuple(table.to_follow) == ("A", "D") and table.plays() & {"4D", "5S"} == {"4D"}


def test_hr_12_in_the_ordinary_turn():
    """HR-12: on a starter without effect; an 8 stands as its printed suit, a Joker is turned over again; the row counts them."""
    table = HouseTable(["X1", "4D 5S 4H", ""], "9C X2 8H")
    table.do("play X1")
    assert table.discard == ["8H", "X2", "X1", "9C"] and table.phase == "TURN" and table.seat == 1
    assert tuple(table.to_follow) == ("8", "H") and table.plays() & {"4D", "5S", "4H"} == {"4H"}
    assert tuple(table.run) == ("8", 1)


@pytest.mark.parametrize("card", ["AD", "2D", "KD", "JC", "JS", "JD", "JH", "QH"])
def test_hr_12_the_card_turned_has_no_effect(card: str):
    """HR-12, [S4.89]: nothing happens to the second player."""
    table = HouseTable(["X1", "4D 5S 4H", ""], f"9C {card}")
    table.do("play X1")
    assert table.seat == 1 and table.phase == "TURN" and table.direction == 1 and [len(h) for h in table.hands] == [6, 7, 7]
    assert table.exposed == [] and table.plays() != set(table.hands[1])


def test_hr_13_a_joker_on_the_only_card_after_a_reshuffle():
    """HR-13: there is no earlier card: another is turned from the draw pile."""
    table = HouseTable(["4C", "5C", "6C X1"], "9C")
    table.do("play 4C", "play 5C")
    use_up(table)
    assert table.discard == ["5C", "4C", "9C"] and table.seat == 1
    table.do("draw", "end")
    assert table.discard == ["5C"] and len(table.stock) == 1
    turned = table.stock[0]
    table.do("play X1")
    assert table.discard == [turned, "X1", "5C"] and tuple(table.to_follow) == tuple(turned) and table.seat == 0


# A turn


def test_hr_14_discard_one_card_or_draw_one():
    """HR-14: a discard ends the turn; so does nothing else at its beginning but a draw: no `end`, one `draw`."""
    table = HouseTable(["4C 5D", "", ""], "9C 3S")
    assert "draw" in table.legal() and "end" not in table.legal()
    table.do("play 4C")
    assert table.seat == 1 and table.discard[0] == "4C"


def test_hr_15_a_discard_after_the_draw():
    """HR-15: any card that fits, the one drawn or another; only one draw."""
    for card in ("4C", "3C"):
        table = HouseTable(["4C 5D", "", ""], "9C 3C")
        table.do("draw")
        assert table.seat == 0 and "draw" not in table.legal() and {"play 4C", "play 3C", "end"} <= table.legal()
        table.do(f"play {card}")
        assert table.seat == 1


def test_hr_16_discarding_is_never_compulsory():
    """HR-16: draw and end, holding a card that fits."""
    table = HouseTable(["4C", "", ""], "9C 3C")
    table.do("draw", "end")
    assert table.seat == 1 and {"4C", "3C"} <= set(table.hands[0])


@pytest.mark.parametrize("starter", ["5C", "TH"])
def test_hr_17_suit_or_rank_or_an_eight_or_a_joker(starter: str):
    """HR-17: each of the other 53 cards."""
    others = [card for card in [*STANDARD, "X1", "X2"] if card != starter]
    for k in range(0, 53, 7):
        hand = others[k : k + 7]
        table = HouseTable([" ".join(hand), "", ""], starter)
        fits = {card for card in table.hands[0] if card[0] in (starter[0], "8", "X") or card[1] == starter[1]}
        assert table.plays() == fits


def test_hr_18_the_discards_but_the_top_one_are_a_new_draw_pile():
    """HR-18: when a card must be drawn, not before; the suit that was named stays in force."""
    table = HouseTable(["8D", "4S", "5H"], "9C")
    table.do("play 8D", "suit H")
    use_up(table)
    assert table.discard == ["8D", "9C"] and table.stock == []
    seat = table.seat
    table.do("draw")
    assert table.discard == ["8D"] and table.stock == [] and "9C" in table.hands[seat]
    assert tuple(table.to_follow) == ("8", "H") and all(card[0] in "8X" or card[1] == "H" for card in table.plays())


def test_hr_18_the_requirement_is_kept_over_a_reshuffle():
    """HR-18, HR-58: also that which a Joker left, until the next discard."""
    table = HouseTable(["4C", "5C", "6C X1", "7C TD"], "9C")
    table.do("play 4C", "play 5C", "play X1")
    assert tuple(table.to_follow) == ("4", "C") and table.discard[0] == "X1"
    use_up(table)
    seat = table.seat
    table.do("draw")
    assert table.discard == ["X1"] and tuple(table.to_follow) == ("4", "C") and table.seat == seat
    assert all(card[0] in "48X" or card[1] == "C" for card in table.plays())


def test_hr_18_draws_that_cannot_be_made_are_waived():
    """HR-18: five are due, two are there, one under the top card: three are drawn."""
    table = HouseTable(["JC", "", ""], "9C")
    use_up(table, leave=2)
    while table.seat != 0:
        table.do("draw", "end")
    # Whose turn it is decides how many are left.
    left = len(table.stock) + len(table.discard)
    held = table.cards(1)
    table.do("play JC", "accept")
    assert table.cards(1) == held + left and table.stock == [] and table.discard == ["JC"]


def test_hr_18_a_circle_without_draw_or_discard_blocks_the_hand():
    """HR-18, HR-26: nothing to draw: `end` is legal; when all have ended so, everybody scores own cards."""
    table = HouseTable(TRIO, "9C", end_on_negative=False)
    use_up(table)
    first = table.seat
    for k in range(3):
        assert not table.over and table.seat == (first + k) % 3 and "end" in table.legal() and "draw" not in table.legal()
        table.do("end")
    assert table.over and table.payoffs == [-min_99(hand) for hand in table.hands]


def min_99(cards: list[str]) -> int:
    """What a hand adds to a total of 0."""
    h, d = value(DEFAULTS, cards)
    return 99 if any(card[0] == "X" for card in cards) and h <= 99 < d else d


def test_hr_18_a_discard_begins_the_circle_anew():
    """HR-18: the circle is counted from the last discard."""
    table = HouseTable(["4C", "5C", "6C"], "9C 3H 3S")
    use_up(table)
    start = table.seat
    table.do("end", "end")
    card = next(card for card in sorted(table.plays()) if card[0] in "34567T" or card[0] == "9")
    table.do(f"play {card}")
    # The card played before lies under it: it can be drawn.
    assert not table.over and table.seat == start and "draw" in table.legal()


# ONE CARD

TWO_CARDS = ["5C 9C", "4D 6D", "3H 7H"]


def test_hr_19_the_announcement_before_the_last_card_but_one():
    """HR-19: at two cards each play also in a version with the announcement; at three none."""
    table = late(TWO_CARDS, "TC")
    assert table.legal() == {"play 5C", "play 5C one", "play 9C", "play 9C one", "draw"}
    table.do("play 5C one")
    assert table.seat == 1 and table.phase == "TURN" and table.liable == []
    table.do("draw")
    assert not any(action.endswith("one") for action in table.legal())


def test_hr_19_without_it_the_player_is_liable():
    """HR-19: `play` alone."""
    table = late(TWO_CARDS, "TC")
    table.do("play 5C")
    assert table.liable == [0] and table.seat == 1 and table.legal() == {"call", "silent"}


def test_hr_19_penalty_and_plucked_cards_count():
    """HR-19, HR-73: one card in the hand and a penalty card are two cards."""
    table = late(["5C", "4D 6D", "3H 7H"], "TC", "9S")
    table.env.scenario("fumble", seat=0, card="5C")
    assert table.penalty[0] == ["9S"] and table.legal() == {"play 5C", "play 5C one", "draw"}
    table.do("play 5C")
    assert table.liable == [0] and table.hands[0] == ["9S"] and table.penalty[0] == []


def test_the_log_of_an_accident_has_the_projects_own_card_texts():
    """However a card was written."""
    table = late(["TC", "4D 6D", "3H 7H"], "9C", "9S")
    table.env.scenario("fumble", seat=0, card=" 10c")
    assert any("card=TC" in line for line in table.env.log()) and "10c" not in " ".join(table.env.log())


def test_hr_20_each_opponent_is_asked_in_turn_order():
    """HR-20: the first call closes the window."""
    table = late([*TWO_CARDS, "JH QC"], "TC")
    table.do("play 5C")
    for seat in (1, 2, 3):
        assert table.seat == seat and table.legal() == {"call", "silent"}
        table.do("silent")
    assert table.seat == 1 and table.phase == "TURN" and table.liable == [0]
    table = late([*TWO_CARDS, "JH QC"], "TC")
    table.do("play 5C", "silent", "call")
    assert table.seat == 1 and table.phase == "TURN" and table.liable == [] and len(table.hands[0]) == 2


def test_hr_20_in_the_direction_of_play():
    """HR-20: anticlockwise when play runs so; before the effect of a King that is the card played."""
    table = late(["KC 9C", "4D 6D", "3H 7H", "7C 3S"], "TC")
    table.do("play KC")
    for seat in (1, 2, 3):
        assert table.seat == seat and table.phase == "CALL"
        table.do("silent")
    assert table.seat == 1 and table.phase == "RESPOND"
    table.do("accept", "play 7C")
    for seat in (2, 1, 0):
        assert table.seat == seat and table.phase == "CALL"
        table.do("silent")
    assert table.seat == 2 and table.phase == "TURN"


def test_hr_20_a_late_announcement():
    """HR-20: at any own decision before the last discard; the decision goes on; it cannot be called then."""
    table = late(TWO_CARDS, "TC", "KD QS 3S 4S")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end")
    assert table.seat == 0 and "announce" in table.legal()
    table.do("announce")
    assert table.seat == 0 and table.liable == [] and table.legal() == {"play 9C", "draw"}


def test_hr_20_a_late_call():
    """HR-20: as the first action of an opponent's own turn; its turn goes on; not after a draw."""
    table = late(TWO_CARDS, "TC", "KD QS 3S 4S")
    table.do("play 5C", "silent", "silent")
    assert table.seat == 1 and "call" in table.legal()
    table.do("draw")
    assert "call" not in table.legal()
    table.do("end", "call")
    assert table.seat == 2 and table.phase == "TURN" and table.liable == [] and Counter(table.hands[0]) == Counter(["9C", "QS"])
    assert "draw" in table.legal() and "call" not in table.legal()


def test_hr_20_liability_survives_drawing():
    """HR-20: who has drawn since is liable still, and `play c one` ends it."""
    table = late(TWO_CARDS, "TC", "KD QS 3C 4S")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "draw")
    assert table.liable == [0] and table.seat == 0 and "announce" in table.legal()
    table.do("play 3C one")
    assert table.liable == [] and table.seat == 1


def test_hr_21_the_penalty_is_one_card():
    """HR-21: one card of the draw pile, once."""
    table = late(TWO_CARDS, "TC", "KD QS")
    table.do("play 5C", "call")
    assert Counter(table.hands[0]) == Counter(["9C", "KD"]) and table.stock[0] == "QS" and table.liable == []
    assert table.seat == 1 and "call" not in table.legal()


def test_hr_22_a_false_accusation_is_no_action():
    """HR-22: it costs nothing, so it is not offered while nobody is liable."""
    table = late(TWO_CARDS, "TC")
    table.do("play 5C one")
    assert "call" not in table.legal()


def test_hr_23_t_hr_21_going_out_uncaught():
    """HR-23, T-HR-21, [S4.34]: TD is turned over: each other hand +10."""
    table = late(TWO_CARDS, "TC", "KD QS TD")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "play 9C")
    assert table.over and turned(table.env.reveal()) == ["TD"]
    assert table.payoffs == [0, -(4 + 6 + 10 + 10), -(3 + 7 + 10 + 10)]
    assert table.discard[0] == "9C"


@pytest.mark.parametrize(("card", "added"), [("X1", 20), ("JD", -5), ("AD", 20), ("JC", 50)])
def test_hr_23_a_joker_doubles_each_and_the_jack_of_diamonds_subtracts(card: str, added: int):
    """HR-23: the turned card is part of each other hand."""
    table = late(TWO_CARDS, "TC", f"TD TS {card}")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "play 9C")
    assert table.payoffs == [0, -(20 + added), -(20 + added)]


def test_hr_23_not_when_it_was_announced_or_called():
    """HR-23: the next card stays where it is."""
    table = late(TWO_CARDS, "TC", "KD QS TD")
    table.do("play 5C one", "draw", "end", "draw", "end", "play 9C")
    assert table.over and not table.turned and table.payoffs == [0, -20, -20]


def test_hr_24_announcing_is_an_action_by_default():
    """HR-24: one_card="action"; nothing is forgotten unless forget_prob says so."""
    table = late(TWO_CARDS, "TC")
    assert {"play 5C", "play 5C one"} <= table.legal()
    table.do("play 5C one")
    assert table.liable == []


# The end of a hand, values


@pytest.mark.parametrize("card", ["2C", "AC", "KC", "JC", "JS", "JH", "QH", "JD", "8D"])
def test_hr_25_t_hr_24_the_hand_ends_with_the_last_card(card: str):
    """HR-25, T-HR-24: its effect does not happen: nobody draws or swaps, no suit is named, M's rule is silent."""
    top = {"S": "TS", "H": "TH", "D": "TD"}.get(card[1], "TC")
    table = late([card, "4D", "3C"], top)
    before = table.hands[1:], table.stock
    table.do(f"play {card}")
    assert table.over and table.seat is None and (table.hands[1:], table.stock) == before
    assert table.payoffs == [0, -4, -3]


def test_hr_26_the_others_add_what_they_hold():
    """HR-26: penalty and plucked cards included."""
    table = late(["5C", "4D 6D", "3H"], "TC", "KS")
    table.env.scenario("fumble", seat=1, card="4D")
    assert table.penalty[1] == ["KS"]
    table.do("play 5C")
    assert table.payoffs == [0, -20, -3]


def cost(*cards: str, **options: Any) -> float:
    """What these cards cost the loser of two, who has nothing yet."""
    mine = next(card for card in ("5C", "6C", "7C") if card not in cards)
    top = next(card for card in ("TC", "9C", "QC") if card not in cards)
    table = late([mine, " ".join(cards)], top, **options)
    table.do(f"play {mine}")
    return -table.payoffs[1]


@pytest.mark.parametrize("card", [*STANDARD, "X1"])
def test_hr_27_the_value_of_every_card(card: str):
    """HR-27, HR-28: 2-9 face; 10, J, Q, K 10; ace 20; JC 50; JD -5; a Joker alone nothing."""
    named = {"JC": 50, "JD": -5, "X1": 0}
    ranks = {**dict.fromkeys("TJQK", 10), "A": 20, **{r: int(r) for r in "23456789"}}
    assert cost(card) == (named[card] if card in named else ranks[card[0]])


@pytest.mark.parametrize(
    ("cards", "points"), [("9S JC", 59), ("8D AH", 28), ("JD 3S", -2), ("JD X1", -10), ("KH 5D X1 X2", 60), ("X1 X2", 0)]
)
def test_hr_28_t_hr_2_values(cards: str, points: int):
    """HR-28, T-HR-2: each Joker doubles the rest."""
    assert cost(*cards.split()) == points


# The end of the game


def with_total(total_of: str, cards: str, **options: Any) -> HouseTable:
    """Seat 1 holds ``cards`` on a total that is the value of ``total_of``, which it has grabbed; seat 0 may go out."""
    table = late(["5C", cards, total_of or "3H"], "TC", **options)
    if total_of:
        table.env.scenario("grab", offender=1, victim=2)
    return table


@pytest.mark.parametrize(
    ("before", "cards", "total"),
    [
        ("JC KS KD KH", "7C 8D X1", 99), ("JC KS KD KH", "JS 7C 8D X1", 130), ("KS KD KH QS", "JC 9S X1", 99),
        ("JC 9S KD KH KS TD", "X1", 99), ("KS", "JD 3S", 8), ("", "JD", -5), ("JC KS KD KH", "7C 2D X1", 98),
        ("JC KS KD KH", "7C 3D X1", 99), ("JC KS KD KH", "TD AH", 110),
    ],
    ids=["T-HR-3", "T-HR-4", "T-HR-5", "T-HR-6", "T-HR-7", "T-HR-8", "below", "doubled to 100", "no Joker"],
)  # fmt: skip
def test_hr_32_hr_33_the_99_rule(before: str, cards: str, total: int):
    """HR-32, HR-33, T-HR-3, T-HR-4, T-HR-5, T-HR-6, T-HR-7, T-HR-8: S + h ≤ 99 < S + d with a Joker: 99."""
    table = with_total(before, cards)
    table.do("play 5C")
    assert table.scores[1] == total and table.payoffs[1] == -total


def test_hr_29_a_hundred_points_end_the_game():
    """HR-29: 100 exactly do."""
    table = with_total("JC KS KD KH", "AD", match=True)
    table.do("play 5C")
    assert table.over and table.scores == [0, 100, 80]


def test_hr_29_t_hr_6_ninety_nine_do_not():
    """HR-29, T-HR-6: S=99, `X1`: 99, not complete."""
    table = with_total("JC 9S KD KH KS TD", "X1", match=True)
    table.do("play 5C")
    assert not table.over and table.scores == [0, 99, 99] and table.hand_number == 1


def test_hr_29_t_hr_8_a_total_below_zero_ends_the_game():
    """HR-29, HR-30, T-HR-8: the provisional clause; the lowest total wins."""
    table = with_total("", "JD", match=True, reward="win")
    table.do("play 5C")
    assert table.over and table.scores == [0, -5, 3]
    assert [table.env.rewards[a] for a in table.env.agents] == [-0.5, 1, -0.5]


def test_hr_30_the_lowest_total_wins():
    """HR-30: the winners share +1, the losers -1."""
    table = with_total("JC KS KD KH", "AD", match=True, reward="win")
    table.do("play 5C")
    assert [table.env.rewards[a] for a in table.env.agents] == [1, -0.5, -0.5]


def tied(**options: Any) -> HouseTable:
    """Totals 100, 20, 20 after the first hand."""
    table = late(["5C", "AH", "AS"], "TC", match=True, **options)
    for _ in range(5):
        table.env.scenario("grab", offender=0, victim=1)
    table.do("play 5C")
    return table


def test_hr_31_t_hr_9_sudden_death_with_all_players():
    """HR-31, T-HR-9: totals 100, 20, 20: one more hand; the seat with 100 may win it; points are not added."""
    winners = set()
    for seed in range(12):
        table = tied(seed=seed, reward="win")
        assert not table.over and table.scores == [100, 20, 20] and table.hand_number == 1
        assert [len(hand) for hand in table.hands] == [7, 7, 7] and table.env.reveal()["dealer"] == 0
        assert table.env.payoffs() == [-100, -20, -20]
        run_game(table.env, seed)
        if not table.over:
            continue
        won = table.hands.index([])
        winners.add(won)
        assert table.scores == [100, 20, 20] and table.env.payoffs() == [0, 0, 0]
        assert [table.env.rewards[a] for a in table.env.agents] == [1 if seat == won else -0.5 for seat in range(3)]
    assert 0 in winners and len(winners) > 1


def test_hr_31_sudden_death_pays_nothing_as_score():
    """HR-31: the reward of its last step is 0."""
    table = tied(seed=1)
    assert [table.env.rewards[a] for a in table.env.agents] == [-100, -20, -20]
    run_game(table.env, 1)
    assert table.over and [table.env.rewards[a] for a in table.env.agents] == [0, 0, 0]


def test_hr_31_only_a_tie_for_the_lowest_total():
    """HR-31, AMB-HR-28: equal totals above the lowest are no tie."""
    table = late(["5C", "AH", "AS"], "TC", match=True)
    for _ in range(4):
        table.env.scenario("grab", offender=1, victim=2)
        table.env.scenario("grab", offender=2, victim=1)
    table.do("play 5C")
    assert table.over and table.scores == [0, 100, 100]


# Chips


def test_hr_34_hr_35_the_winner_collects():
    """HR-34, HR-35: everyone has 100; each pays the winner the value of the hand; zero-sum."""
    table = late(["5C", "KS 9D", "AH X1"], "TC", scoring="chips")
    assert table.scores == [100, 100, 100]
    table.do("play 5C")
    assert table.payoffs == [59, -19, -40] and table.scores == [159, 81, 60]


def test_hr_35_the_winner_pays_a_negative_value():
    """HR-35: JD alone: five chips from the winner."""
    table = late(["5C", "JD", "4H"], "TC", scoring="chips")
    table.do("play 5C")
    assert table.payoffs == [-1, 5, -4]


def chips_of(chips: int, cards: str, **options: Any) -> HouseTable:
    """Seat 1 has so many chips, having lent the others to seat 2."""
    table = late(["5C", cards, "3H"], "TC", scoring="chips", **({"match": True} | options))
    table.env.scenario("loan", frm=1, to=2, k=100 - chips)
    assert table.scores == [100, chips, 200 - chips]
    return table


def test_hr_36_t_hr_22_who_cannot_pay_ends_the_game():
    """HR-36, T-HR-22: chips 20, h=30: the game ends; the shortfall is a debt, credited to the winner."""
    table = chips_of(20, "KS KD TH")
    table.do("play 5C")
    assert table.over and table.scores == [133, -10, 177] and table.payoffs == [33, -30, -3]


def test_hr_37_t_hr_22_a_joker_cannot_end_it():
    """HR-37, T-HR-22: chips 40, h=30, d=60: pays 40, keeps 0, the game goes on."""
    table = chips_of(40, "KS KD TH X1")
    table.do("play 5C")
    assert not table.over and table.scores == [143, 0, 157] and table.hand_number == 1


def test_hr_37_chips_that_just_suffice():
    """HR-36, HR-37: h = chips is covered."""
    table = chips_of(30, "KS KD TH")
    table.do("play 5C")
    assert not table.over and table.scores == [133, 0, 167]


def test_hr_38_the_winner_against_all_others():
    """HR-38: most chips win, which need not be the hand's winner; the losers are not ranked, in debt or not."""
    table = chips_of(20, "KS KD TH", reward="win")
    table.do("play 5C")
    assert table.scores == [133, -10, 177] and [table.env.rewards[a] for a in table.env.agents] == [-0.5, -0.5, 1]


def test_hr_38_a_tie_is_broken_by_sudden_death():
    """HR-38, HR-31: equal most chips when the game ends."""
    table = late(["5C", "KS KD TH", "3H"], "TC", scoring="chips", match=True)
    table.env.scenario("loan", frm=1, to=2, k=85)  # 100, 15, 185
    table.env.scenario("loan", frm=2, to=0, k=26)  # 126, 15, 159
    table.do("play 5C")  # 33 to seat 0: 159, -15, 156
    assert table.over and table.scores == [159, -15, 156]
    table = late(["5C", "KS KD TH", "4H"], "TC", scoring="chips", match=True)
    table.env.scenario("loan", frm=1, to=2, k=80)  # 100, 20, 180
    table.env.scenario("loan", frm=2, to=0, k=21)  # 121, 20, 159
    table.do("play 5C")  # 34 to seat 0: 155, -10, 155
    assert not table.over and table.scores == [155, -10, 155] and table.hand_number == 1


def test_hr_39_loans():
    """HR-39: before the settlement they keep a player in the game; only chips that are there; only in a chips game."""
    table = chips_of(20, "KS KD TH")
    table.env.scenario("loan", frm=0, to=1, k=10)
    table.do("play 5C")
    assert not table.over and table.scores == [123, 0, 177]
    for wrong in (
        {"frm": 1, "to": 2, "k": 21},
        {"frm": 1, "to": 1, "k": 1},
        {"frm": 1, "to": 2, "k": 0},
        {"frm": 5, "to": 2, "k": 1},
    ):
        table = chips_of(20, "KS KD TH")
        with pytest.raises(ValueError):
            table.env.scenario("loan", **wrong)
        assert table.scores == [100, 20, 180]
    with pytest.raises(ValueError, match="chips"):
        HouseTable(TRIO, "9C").env.scenario("loan", frm=0, to=1, k=1)


# Special cards


def test_hr_40_an_eight_on_anything_names_any_suit():
    """HR-40: also the suit that was in force."""
    for suit in "CDHS":
        table = HouseTable(["8H", "3C 4D 5H 6S", ""], "9C")
        table.do("play 8H")
        assert table.seat == 0 and table.phase == "SUIT" and table.legal() == {f"suit {s}" for s in "CDHS"}
        table.do(f"suit {suit}")
        assert table.seat == 1 and tuple(table.to_follow) == ("8", suit)
        assert table.plays() & {"3C", "4D", "5H", "6S"} == {{"C": "3C", "D": "4D", "H": "5H", "S": "6S"}[suit]}


def test_hr_41_an_ace_costs_the_next_player_the_turn():
    """HR-41: asked first; the one after must follow the ace."""
    table = HouseTable(["AC", "", ""], "9C")
    table.do("play AC")
    assert table.seat == 1 and table.phase == "RESPOND" and table.legal() == {"accept"}
    table.do("accept")
    assert table.seat == 2 and table.phase == "TURN" and [len(h) for h in table.hands] == [6, 7, 7]
    table = HouseTable(["AC", ""], "9C")
    table.do("play AC", "accept")
    assert table.seat == 0, "two players: another turn"


def test_hr_42_a_two_costs_two_cards_and_the_turn():
    """HR-42: twos do not stack: a two is no answer."""
    table = HouseTable(["2C", "2D", ""], "9C 3H 4H 5H")
    table.do("play 2C")
    assert table.seat == 1 and table.legal() == {"accept"}
    table.do("accept")
    assert table.seat == 2 and {"3H", "4H"} <= set(table.hands[1]) and len(table.hands[1]) == 9 and table.stock[0] == "5H"


def test_hr_43_a_king_reverses():
    """HR-43: and another one changes it back."""
    table = HouseTable(["KC", "", "", "KD"], "9C")
    table.do("play KC", "accept")
    assert table.direction == -1 and table.seat == 3
    table.do("play KD", "accept")
    assert table.direction == 1 and table.seat == 0


def test_hr_44_two_players_a_king_plucks():
    """HR-44, HR-47: Joker, King or submit; one card of the hand at random; then the Pluckee's regular turn."""
    hand = "3C 4C 5C 6C KD X1 9S"
    plucked = Counter()
    for seed in range(40):
        table = HouseTable(["KC", hand], "9C", seed=seed)
        table.do("play KC")
        assert table.seat == 1 and table.phase == "PLUCK" and table.legal() == {"submit", "play KD", "play X1"}
        table.do("submit")
        assert table.seat == 1 and table.phase == "TURN" and len(table.plucked[1]) == 1 and len(table.hands[1]) == 6
        assert Counter(table.hands[1] + table.plucked[1]) == Counter(hand.split())
        plucked[table.plucked[1][0]] += 1
    assert len(plucked) >= 6, "each card may be plucked"


def test_hr_45_the_direction_stays_with_two_players():
    """HR-45: no reversal."""
    table = HouseTable(["KC", "3C"], "9C")
    table.do("play KC", "submit")
    assert table.direction == 1


def test_hr_46_the_plucked_card_remains_the_pluckees():
    """HR-46: playable from there, counted, out of reach of later plucks; with nothing left to pluck a pluck is void."""
    table = late(["KC KD 5S", "9C 9D"], "TC", "3H 4H")
    table.do("play KC", "submit")
    plucked = table.plucked[1][0]
    other = table.hands[1][0]
    assert {plucked, other} == {"9C", "9D"}
    table.do("draw", "end", "play KD one", "submit")
    assert len(table.plucked[1]) == 2 and len(table.hands[1]) == 1
    # Both kings are gone: the plucked cards may be played and count for the announcement.
    assert table.cards(1) == 3 and "9D" in table.plays()
    table.do("play 9D")
    assert table.cards(1) == 2


def test_hr_46_nothing_to_pluck():
    """HR-46: with an empty hand `submit` is asked and has no effect."""
    table = late(["KC KD 5S 6S", "9C"], "TC", "3H 4H")
    table.do("play KC", "submit")
    assert table.plucked[1] == ["9C"] and table.hands[1] == []
    table.do("draw")
    drawn = table.hands[1][0]
    table.do("end", "play KD", "submit")
    assert Counter(table.plucked[1]) == Counter(["9C", drawn]) and table.hands[1] == [] and table.seat == 1
    assert table.phase == "TURN" and table.cards(1) == 2


def test_hr_47_the_regular_turn_after_the_pluck():
    """HR-47: a card of the hand, or the plucked one, or a draw."""
    table = HouseTable(["KC", "3C 4C 5C 6C 7C 9C TC"], "QC 3S")
    table.do("play KC", "submit")
    assert table.plays() == {"3C", "4C", "5C", "6C", "7C", "9C", "TC"} and "draw" in table.legal()
    table.do(f"play {table.plucked[1][0]}")
    assert table.plucked[1] == [] and table.seat == 0


def test_hr_48_a_king_turns_the_tables():
    """HR-48: the answerer is Plucker now, the other has the same three choices."""
    table = HouseTable(["KC KH 3D", "KD 4S"], "9C 5S")
    table.do("play KC", "play KD")
    assert table.seat == 0 and table.phase == "PLUCK" and table.legal() == {"submit", "play KH"}
    table.do("submit")
    assert len(table.plucked[0]) == 1 and table.plucked[1] == [] and table.seat == 0 and table.phase == "TURN"
    assert tuple(table.to_follow) == ("K", "D")


def test_hr_49_picking_up_the_plucked_card():
    """HR-49: a fumble: one penalty card."""
    table = HouseTable(["KC", "3C 4C"], "9C 5S")
    table.do("play KC", "submit")
    table.env.scenario("fumble", seat=1, card=table.hands[1][0])
    assert table.penalty[1] == ["5S"] and len(table.plucked[1]) == 1 and table.seat == 1


def test_hr_50_the_jack_of_clubs():
    """HR-50: the next player draws five, then takes the turn."""
    table = HouseTable(["JC", "", ""], "9C 3S 4S 5S 6S 7S 9S")
    table.do("play JC", "accept")
    assert table.seat == 1 and table.phase == "TURN" and {"3S", "4S", "5S", "6S", "7S"} <= set(table.hands[1])
    assert len(table.hands[1]) == 12 and "draw" in table.legal() and "end" not in table.legal()


def test_hr_51_t_hr_16_a_sixth_card():
    """HR-51, T-HR-16, [S4.74]: without a discard one more."""
    table = HouseTable(["JC", "", ""], "9C 3S 4S 5S 6S 7S 9S")
    table.do("play JC", "accept", "draw", "end")
    assert len(table.hands[1]) == 13 and "9S" in table.hands[1] and table.seat == 2


def test_hr_52_the_jack_of_spades_trades_hands():
    """HR-52: the whole hands; then the next player's turn."""
    table = HouseTable(["JS 3D", "4D 5D", ""], "9S")
    mine, yours = table.hands[0], table.hands[1]
    table.do("play JS", "accept")
    assert table.hands[0] == yours and Counter(table.hands[1]) == Counter(mine) - Counter(["JS"])
    assert table.seat == 1 and table.phase == "TURN"


def test_hr_53_t_hr_20_nothing_is_inherited():
    """HR-53, T-HR-20: JS with one card left, next has seven with a penalty card: seven free cards against one, unannounced."""
    table = late(["JS 3D", "4D 5D 6D 7D 9D TD", "3H 7H"], "TS", "5S")
    table.env.scenario("fumble", seat=1, card="4D")
    assert table.penalty[1] == ["5S"]
    table.do("play JS one", "accept")
    assert Counter(table.hands[0]) == Counter(["4D", "5D", "6D", "7D", "9D", "TD", "5S"]) and table.penalty == [[], [], []]
    assert table.hands[1] == ["3D"] and table.liable == [] and table.seat == 1 and "announce" not in table.legal()
    assert "call" not in table.legal()


def test_hr_53_liability_is_cleared():
    """HR-53: of who played JS unannounced, and of who was liable before; not of others."""
    table = late(["JS 9S", "4D 5D", "3H 7H"], "TS")
    table.do("play JS", "silent", "silent", "accept")
    assert table.liable == [] and table.hands[0] == ["4D", "5D"] and table.hands[1] == ["9S"]
    hands = ["5S 9D", "JS 3D 6D", "3H 7H"]
    table = late(hands, "TS", "QD 4D")
    table.do("play 5S", "silent", "silent", "play JS", "accept")
    assert table.liable == [0], "1 has traded with 2"
    table = late(["5S 9D", "3H 7H", "JS 3D 6D"], "TS", "QD 4D")
    table.do("play 5S", "silent", "silent", "draw", "end", "play JS")
    assert table.seat == 0 and table.legal() == {"accept", "announce"}
    table.do("accept")
    assert table.liable == [] and Counter(table.hands[0]) == Counter(["3D", "6D"]) and table.hands[2] == ["9D"]


def test_hr_54_the_jack_of_diamonds():
    """HR-54: any card may be played on it, in that turn only, also after the draw."""
    table = HouseTable(["JD", "3C 4H 5S", "6C"], "9D TS")
    table.do("play JD")
    assert table.seat == 1 and table.phase == "TURN" and table.plays() == set(table.hands[1])
    table.do("draw")
    assert table.plays() == set(table.hands[1])
    table.do("end")
    assert table.seat == 2 and all(card[0] in "J8X" or card[1] == "D" for card in table.plays())


def test_hr_55_the_jack_of_hearts_opens_a_hand():
    """HR-55: until that player's next turn begins; cards drawn meanwhile are open too."""
    table = HouseTable(["JH", "", ""], "9H 3S 4S 5S 6S")
    table.do("play JH")
    assert table.exposed == []
    table.do("accept")
    assert table.exposed == [1] and table.seat == 1
    table.do("draw", "end")
    assert table.exposed == [1] and sees(table, 0, 1) and sees(table, 2, 1) and not sees(table, 0, 2)
    table.do("draw", "end", "draw")
    assert table.exposed == [1]
    table.do("end")
    assert table.seat == 1 and table.exposed == []


def sees(table: HouseTable, seat: int, other: int) -> bool:
    """Whether what a seat is told in words has all cards of another one's hand."""
    told = re.findall(r"'(\w\w)'", str(table.env.view(f"agent_{seat}")))
    return not Counter(table.hands[other]) - Counter(told)


def test_hr_55_a_turn_that_is_skipped_or_an_answer_ends_it():
    """HR-55: a turn that is lost counts as begun; so does a response that is the whole turn."""
    for answer, cards in (("accept", 8), ("play X1", 7)):
        table = HouseTable(["JH AH", "X1", ""], "9H 4C 5S 6S")
        table.do("play JH", "accept", "draw", "end", "draw", "end", "play AH")
        assert table.exposed == [1] and table.seat == 1 and table.phase == "RESPOND"
        table.do(answer)
        assert table.exposed == [] and table.seat == 2 and table.cards(1) == cards


@pytest.mark.parametrize("answer", ["play X1", "play KD", "submit"])
def test_hr_55_an_answer_to_a_pluck_ends_it(answer: str):
    """HR-55: two players: the answer is the whole turn; who submits has a regular turn, which begins."""
    table = HouseTable(["JH KH", "X1 KD"], "9H 4C")
    table.do("play JH", "accept", "draw", "end", "play KH")
    assert table.exposed == [1] and table.phase == "PLUCK"
    table.do(answer)
    assert table.exposed == []


def test_hr_56_t_hr_17_the_queen_of_hearts():
    """HR-56, T-HR-17: with four players three seats draw three each, next first; then next has a regular turn."""
    table = HouseTable(["QH", "", "", ""], "9H 3S 4S 5S 6S 7S 9S TS QS 3C")
    table.do("play QH", "accept")
    assert [len(hand) for hand in table.hands] == [6, 10, 10, 10] and table.seat == 1 and table.phase == "TURN"
    assert {"3S", "4S", "5S"} <= set(table.hands[1]) and {"6S", "7S", "9S"} <= set(table.hands[2])
    assert {"TS", "QS", "3C"} <= set(table.hands[3])


def test_hr_57_t_hr_17_only_next_may_nullify_it():
    """HR-57, T-HR-17: a Joker by next: nobody draws; the Joker of another is of no use."""
    table = HouseTable(["QH", "X1", "", "X2"], "9H")
    table.do("play QH")
    assert table.seat == 1 and table.legal() == {"accept", "play X1"}
    table.do("play X1")
    assert [len(hand) for hand in table.hands] == [6, 6, 7, 7] and table.seat == 2 and tuple(table.to_follow) == ("9", "H")
    table = HouseTable(["QH", "", "", "X2"], "9H")
    table.do("play QH")
    assert table.legal() == {"accept"}
    table.do("accept")
    assert len(table.hands[3]) == 10


def test_hr_58_a_joker_on_any_card():
    """HR-58: the following player follows the card before the nullified one."""
    for card in ("3C", "8C", "JD", "AC", "2C", "JC", "KC"):
        table = HouseTable([card, "X1", "4D 5S", ""], "9C" if card != "JD" else "9D")
        table.do(f"play {card}")
        if card == "8C":
            table.do("suit S")
        table.do("play X1")
        assert tuple(table.to_follow) == ("9", "D" if card == "JD" else "C") and table.seat == 2 and table.phase == "TURN", card
        assert table.discard[:2] == ["X1", card] and table.direction == 1


def test_hr_58_t_hr_19_two_players_a_joker_on_a_king():
    """HR-58, HR-44, T-HR-19: no pluck; the King's player follows the card under the King."""
    table = HouseTable(["KC 4D 5C", "X1"], "9C")
    table.do("play KC", "play X1")
    assert table.seat == 0 and table.phase == "TURN" and table.plucked == [[], []] and tuple(table.to_follow) == ("9", "C")
    assert table.plays() & {"4D", "5C"} == {"5C"}


def test_hr_59_t_hr_10_a_joker_instead_of_two_cards():
    """HR-59, T-HR-10, [S4.83]: top 9H, A plays 2H, B plays X1: B draws nothing, C must follow 9H."""
    table = HouseTable(["2H", "X1", "4H 5S"], "9H")
    table.do("play 2H")
    assert table.seat == 1 and table.legal() == {"accept", "play X1"}
    table.do("play X1")
    assert table.seat == 2 and len(table.hands[1]) == 6 and tuple(table.to_follow) == ("9", "H")
    assert table.plays() & {"4H", "5S"} == {"4H"}


@pytest.mark.parametrize("card", ["AC", "2C", "JC", "JS", "JH", "QH"])
def test_hr_59_by_analogy(card: str):
    """HR-59: A, 2, JC, JS, JH, QH: no effect, and the answer is the whole turn."""
    table = HouseTable([card, "X1", ""], f"9{card[1]}")
    table.do(f"play {card}")
    hands = table.hands
    table.do("play X1")
    assert table.seat == 2 and table.phase == "TURN" and table.exposed == []
    assert table.hands[0] == hands[0] and table.hands[2] == hands[2] and len(table.hands[1]) == 6


def test_hr_60_t_hr_11_a_joker_on_a_king():
    """HR-60, T-HR-11, [S4.84]: A plays KD on 4D, B answers X1: clockwise still, C must follow 4D."""
    table = HouseTable(["KD", "X1", "5D 6S", ""], "4D")
    table.do("play KD")
    assert table.seat == 1 and table.legal() == {"accept", "play X1"}
    table.do("play X1")
    assert table.direction == 1 and table.seat == 2 and tuple(table.to_follow) == ("4", "D")
    assert table.plays() & {"5D", "6S"} == {"5D"}


def test_hr_60_a_joker_of_the_new_next_does_not_restore_the_direction():
    """HR-60: played in the ordinary turn it changes the card to follow only."""
    table = HouseTable(["KD", "", "5D", "X1"], "4D")
    table.do("play KD", "accept")
    assert table.seat == 3 and table.direction == -1
    table.do("play X1")
    assert table.direction == -1 and table.seat == 2 and tuple(table.to_follow) == ("4", "D")


def test_hr_61_t_hr_12_the_card_that_is_followed_again_has_no_effect():
    """HR-61, T-HR-12, [S4.85]: pile 2S 5S, Joker on 5S: next follows 2S, draws nothing, loses nothing."""
    table = HouseTable(["2S", "", "5S", "X1", "4S 5D"], "9S 3H 4H", num_players=5)
    table.do("play 2S", "accept", "play 5S", "play X1")
    assert table.seat == 4 and table.phase == "TURN" and len(table.hands[4]) == 7 and tuple(table.to_follow) == ("2", "S")
    assert table.plays() & {"4S", "5D"} == {"4S"}


def test_hr_61_t_hr_13_joker_on_joker():
    """HR-61, T-HR-13: on 5S (under it 2S): 5S is to be followed, without effect."""
    table = HouseTable(["2S", "", "5S", "X1", "X2", "4S"], "9S 3H 4H")
    table.do("play 2S", "accept", "play 5S", "play X1", "play X2")
    assert table.seat == 5 and tuple(table.to_follow) == ("5", "S") and table.discard[:3] == ["X2", "X1", "5S"]


def test_hr_61_the_suit_that_an_eight_named_holds():
    """HR-61: a Joker on the card played on an eight."""
    table = HouseTable(["8C", "5H", "X1", "4H 6C"], "9C")
    table.do("play 8C", "suit H", "play 5H", "play X1")
    assert tuple(table.to_follow) == ("8", "H") and table.plays() & {"4H", "6C"} == {"4H"}


def test_hr_61_a_jack_of_diamonds_followed_again_frees_nobody():
    """HR-61, HR-54: JD, then 5D, then a Joker: the next player follows JD as any card."""
    table = HouseTable(["JD", "5D", "X1", "4S 6D"], "9D")
    table.do("play JD", "play 5D", "play X1")
    assert table.plays() & {"4S", "6D"} == {"6D"}


# Other rules


def test_hr_62_ls_rule():
    """HR-62: a dealer who put the deck down too early draws one card, from the top, before play."""
    table = HouseTable(TRIO, "9C 3S 4S", dealer=2)
    table.env.scenario("fumble", seat=2, card="random")
    assert table.penalty[2] == ["3S"] and table.stock[0] == "4S" and table.seat == 0


def test_hr_63_t_hr_18_three_of_a_kind():
    """HR-63, T-HR-18, [S4.117]: K K K on the pile, or three nines with the starter: the third one's player draws one."""
    table = HouseTable(["KC KS", "", "KH"], "9C 3S 4S")
    table.do("play KC", "accept", "play KH", "accept")
    assert tuple(table.run) == ("K", 2) and table.seat == 0
    table.do("play KS")
    assert tuple(table.run) == ("K", 3) and "3S" in table.hands[0] and len(table.hands[0]) == 6
    table = HouseTable(["9D", "9H", "9S"], "9C 3S")
    table.do("play 9D")
    assert len(table.hands[0]) == 6
    table.do("play 9H")
    assert tuple(table.run) == ("9", 3) and "3S" in table.hands[1] and len(table.hands[1]) == 7


def test_hr_63_jokers_are_a_rank():
    """HR-63, [S4.117]: the third Joker in a row."""
    table = HouseTable(["4C", "X1", "X2", "X1"], "9C 3S 4S", decks=2)
    table.do("play 4C", "play X1", "play X2")
    assert table.run[1] == 2 and len(table.hands[2]) == 6
    table.do("play X1")
    assert table.run[1] == 3 and "3S" in table.hands[3] and len(table.hands[3]) == 7


def test_hr_64_the_fourth_and_later():
    """HR-64: each draws one."""
    table = HouseTable(["9D", "9H", "9S"], "9C 3S 4S 5S")
    table.do("play 9D", "play 9H", "play 9S")
    assert tuple(table.run) == ("9", 4) and "4S" in table.hands[2] and len(table.hands[2]) == 7


def test_hr_65_t_hr_18_not_with_the_last_card():
    """HR-65, T-HR-18: the hand is over at the moment of discard."""
    table = late(["9D 3S", "9H", "4S"], "9C", "KS")
    table.do("play 9D one", "play 9H")
    assert table.over and table.hands[1] == [] and table.stock[0] == "KS"


def test_hr_66_no_announcement_with_the_last_card_but_one():
    """HR-66: the third of a kind with two cards: only the plain play, nobody is asked, one card is drawn."""
    table = late(["9D 3S 4S", "9H 4H", "7S 6S"], "9C", "KS")
    table.do("play 9D")
    assert "play 9H" in table.legal() and "play 9H one" not in table.legal()
    table.do("play 9H")
    assert table.seat == 2 and table.phase == "TURN" and table.liable == [] and Counter(table.hands[1]) == Counter(["4H", "KS"])


def test_hr_66_t_hr_18_a_reshuffle_cancels_the_count():
    """HR-66, T-HR-18: before the third card: nothing is drawn, and the top card does not count."""
    table = HouseTable(["9D", "9H", "9S"], "9C")
    table.do("play 9D")
    assert tuple(table.run) == ("9", 2)
    use_up(table)
    assert table.seat == 0
    table.do("draw", "end")
    assert table.discard == ["9D"] and table.run[1] == 0 and table.seat == 1
    before = table.cards(1)
    table.do("play 9H")
    assert tuple(table.run) == ("9", 1) and table.cards(1) == before - 1


def test_hr_67_collaboration_costs_three_cards():
    """HR-67, HR-68: drawn at once by both; the players not involved vote; the majority decides."""
    table = HouseTable([""] * 5, "9C 3S 4S 5S 6S 7S 9S")
    table.env.scenario("accuse_collaboration", a=1, b=3)
    voters = []
    for vote in ("guilty", "innocent", "guilty"):
        assert table.legal() == {"guilty", "innocent"}
        voters.append(table.seat)
        table.do(vote)
    assert sorted(voters) == [0, 2, 4] and table.seat == 0 and table.phase == "TURN"
    assert {"3S", "4S", "5S"} <= set(table.hands[1]) and {"6S", "7S", "9S"} <= set(table.hands[3])
    assert [len(hand) for hand in table.hands] == [7, 10, 7, 10, 7]


def test_hr_68_a_majority_may_acquit():
    """HR-68: nobody draws."""
    table = HouseTable([""] * 5, "9C")
    table.env.scenario("accuse_collaboration", a=1, b=3)
    table.do("guilty", "innocent", "innocent")
    assert [len(hand) for hand in table.hands] == [7] * 5 and table.seat == 0


def test_hr_69_the_house_decides_a_tie():
    """HR-69: a tied vote, or none who could vote; not guilty by default."""
    table = HouseTable([""] * 4, "9C")
    table.env.scenario("accuse_collaboration", a=1, b=3)
    table.do("guilty", "innocent")
    assert [len(hand) for hand in table.hands] == [7] * 4
    table = HouseTable(["", ""], "9C")
    table.env.scenario("accuse_collaboration", a=0, b=1)
    assert table.seat == 0 and table.phase == "TURN" and [len(hand) for hand in table.hands] == [7, 7]


def test_hr_70_a_fumble_costs_a_penalty_card():
    """HR-70: one card of the draw pile, kept apart."""
    table = HouseTable(TRIO, "9C 3S 4S")
    card = table.hands[1][0]
    table.env.scenario("fumble", seat=1, card=card)
    assert table.penalty == [[], ["3S"], []] and len(table.hands[1]) == 7 and table.seat == 0
    assert any("scenario" in line and card in line for line in table.env.log()), "all have seen it"


def test_hr_71_an_illegal_play_is_an_error_by_default():
    """HR-71: refused, and nothing changes."""
    table = HouseTable(["4D", "", ""], "9C")
    before = table.env.reveal()
    with pytest.raises(ValueError, match="not legal"):
        table.do("play 4D")
    assert table.env.reveal() == before


def test_hr_71_an_illegal_play_as_a_fumble():
    """HR-71: illegal="fumble": the card is shown to all and returned, a penalty card is drawn, the turn stays."""
    table = HouseTable(["4D 5C", "", ""], "9C 3C 4S", illegal="fumble")
    assert "play 4D" not in table.legal()
    table.do("play 4D")
    assert table.seat == 0 and table.phase == "TURN" and "4D" in table.hands[0] and table.penalty[0] == ["3C"]
    assert table.discard == ["9C"] and any("4D" in line for line in table.env.log())
    assert "4D" in str(table.env.view("agent_1"))
    table.do("play 5C")
    assert table.seat == 1


def test_hr_72_a_penalty_card_may_not_be_played_before_another_discard():
    """HR-72: although it would fit."""
    table = HouseTable(["4D 5C", "", ""], "9C 3C 4S")
    table.env.scenario("fumble", seat=0, card="4D")
    assert "play 3C" not in table.legal() and "play 5C" in table.legal()
    table.do("draw")
    assert "play 3C" not in table.legal() and table.penalty[0] == ["3C"]


def test_hr_73_it_joins_the_hand_after_the_other_discard():
    """HR-73: one discard frees all earlier ones; the Fumbler may look at it, the others not."""
    table = HouseTable(["4D 5C", "", ""], "9C 3C 4C TS")
    table.env.scenario("fumble", seat=0, card="4D")
    table.env.scenario("fumble", seat=0, card="4D")
    assert Counter(table.penalty[0]) == Counter(["3C", "4C"])
    assert "3C" in str(table.env.view("agent_0")) and "3C" not in str(table.env.view("agent_1"))
    table.do("play 5C")
    assert table.penalty[0] == [] and {"3C", "4C"} <= set(table.hands[0])


def test_hr_74_drawing_out_of_turn():
    """HR-74: the card so drawn is the penalty card; there is no second one; who is to act cannot do it."""
    table = HouseTable(TRIO, "9C 3S 4S")
    table.env.scenario("draw_out_of_turn", seat=1)
    assert table.penalty[1] == ["3S"] and table.stock[0] == "4S" and len(table.hands[1]) == 7
    with pytest.raises(ValueError):
        table.env.scenario("draw_out_of_turn", seat=0)


def test_hr_75_a_furble_is_a_fumble():
    """HR-75: saying which card one holds."""
    table = HouseTable(["", "KD", ""], "9C 3S 4S")
    table.env.scenario("furble", seat=1, card="KD")
    assert table.penalty[1] == ["3S"] and "KD" in table.hands[1]
    assert "KD" in str(table.env.view("agent_0"))
    with pytest.raises(ValueError):
        table.env.scenario("furble", seat=1, card="KS" if "KS" not in table.hands[1] else "AS")


def test_hr_76_both_penalties_apply():
    """HR-76: a furble in a collaboration: three cards and a penalty card."""
    table = HouseTable(["", "KD", ""], "9C 3S 4S 5S 6S", house_policy="guilty")
    table.env.scenario("furble", seat=1, card="KD")
    table.env.scenario("accuse_collaboration", a=1, b=2)
    table.do("guilty")
    assert table.penalty[1] == ["3S"] and len(table.hands[1]) == 10 and len(table.hands[2]) == 10


def test_hr_77_a_grabbed_hand_is_added():
    """HR-77: its value at that moment, not doubled by the offender's Joker; the cards go back."""
    table = late(["5C", "4D X1", "AH KS"], "TC")
    table.env.scenario("grab", offender=1, victim=2)
    assert Counter(table.hands[2]) == Counter(["AH", "KS"])
    table.do("play 5C")
    assert table.payoffs == [0, -(30 + 8), -30]


def test_hr_77_in_chips_it_is_paid_to_the_winner():
    """HR-77: on top of the own cards."""
    table = late(["5C", "4D", "AH KS"], "TC", scoring="chips")
    table.env.scenario("grab", offender=1, victim=2)
    table.do("play 5C")
    assert table.payoffs == [64, -34, -30]


def test_hr_78_and_misses_the_next_turn():
    """HR-78: one turn."""
    table = HouseTable(TRIO, "9C")
    table.env.scenario("grab", offender=1, victim=2)
    table.do("draw", "end")
    assert table.seat == 2
    table.do("draw", "end", "draw", "end")
    assert table.seat == 1


def test_hr_79_who_defaces_the_rules_gets_eight_from_then_on():
    """HR-79: at every deal of the rest of play."""
    table = late(["5C", "KS", "AH"], "TC", match=True, starter_effects="none", end_on_negative=False)
    table.env.scenario("deface", seat=1)
    table.do("play 5C")
    assert [len(hand) for hand in table.hands] == [7, 8, 7]
    run_game(table.env, 1, lambda env: env.reveal()["hand_number"] == 2)
    assert table.hand_number == 2 and [len(hand) for hand in table.hands] == [7, 8, 7]


def test_hr_80_the_house_decides():
    """HR-80: a ruling is recorded and changes nothing."""
    table = HouseTable(TRIO, "9C")
    before = table.env.reveal()
    table.env.scenario("house_ruling", question="May I deal?", answer="No.")
    assert table.env.reveal() == before and any("May I deal?" in line for line in table.env.log())


# The order of what follows a discard, 8.10: hands in which two consequences meet


def test_order_the_end_comes_before_ms_rule():
    """8.10, 2 before 5: the third nine as last card: no card is drawn, HR-65."""
    table = late(["9D 3S", "9H"], "9C", "KS")
    table.do("play 9D one")
    stock = table.stock
    table.do("play 9H")
    assert table.over and table.stock == stock and table.payoffs == [-3, 0]


def test_order_the_turned_card_comes_before_the_count():
    """8.10, 2: HR-23 if liable, then score; the 99 rule counts the turned card."""
    table = late(["5C 9C", "JC TD 4D", "3H"], "TC", "KD QS X1")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "play 9C")
    assert turned(table.env.reveal()) == ["X1"] and table.payoffs == [0, -99, -(3 + 10) * 2]


def test_order_penalty_cards_keep_the_hand_alive():
    """8.10, 2 and 3: the last card of the hand is no last card while a penalty card lies there; it is freed at once."""
    table = late(["5C", "4D 6D", "3H 7H"], "TC", "9S")
    table.env.scenario("fumble", seat=0, card="5C")
    table.do("play 5C one")
    assert not table.over and table.hands[0] == ["9S"] and table.penalty[0] == [] and table.seat == 1


def test_order_penalty_cards_are_freed_before_the_window():
    """8.10, 3 before 4: who is called has a free card and draws another."""
    table = late(["5C", "4D 6D", "3H 7H"], "TC", "9S KD")
    table.env.scenario("fumble", seat=0, card="5C")
    table.do("play 5C")
    assert table.phase == "CALL" and table.hands[0] == ["9S"] and table.penalty[0] == []
    table.do("call")
    assert Counter(table.hands[0]) == Counter(["9S", "KD"])


def test_order_the_suit_is_named_before_the_window():
    """8.10 and ACTIONS 2: an eight that leaves one card."""
    table = late(["8C 9C", "4D 6D", "3H 7H"], "TC")
    table.do("play 8C")
    assert table.seat == 0 and table.phase == "SUIT"
    table.do("suit H")
    assert table.seat == 1 and table.legal() == {"call", "silent"} and table.liable == [0]


def test_order_the_window_comes_before_the_response():
    """8.10, 4 before 6: first all are asked about the announcement, then next about the two."""
    table = late(["2C 9C", "4D X1", "3H 7H"], "TC", "KD QS 3S")
    table.do("play 2C")
    assert table.seat == 1 and table.legal() == {"call", "silent"}
    table.do("silent")
    assert table.seat == 2 and table.legal() == {"call", "silent"}
    table.do("silent")
    assert table.seat == 1 and table.legal() == {"accept", "play X1", "play X1 one"}


def test_order_the_call_draws_before_the_effect():
    """8.10, 4 before 7: the caught player takes the top card, the victim of the two the next ones."""
    table = late(["2C 9C", "4D 6D", "3H 7H"], "TC", "KD QS 3S")
    table.do("play 2C", "call", "accept")
    assert Counter(table.hands[0]) == Counter(["9C", "KD"]) and {"QS", "3S"} <= set(table.hands[1])


def test_order_the_window_comes_before_the_exchange():
    """8.10, 4 before 7: the card drawn for the call goes along with the hand."""
    table = late(["JS 9C", "4D 6D", "3H 7H"], "TS", "KD")
    table.do("play JS", "call", "accept")
    assert Counter(table.hands[1]) == Counter(["9C", "KD"]) and Counter(table.hands[0]) == Counter(["4D", "6D"])


def test_order_ms_draw_comes_before_the_response():
    """8.10, 5 before 6 and 7: the third two: its player draws first, then next is asked."""
    table = HouseTable(["2D", "2H", "2S"], "2C 3C 4C 5C 6C 7C", starter_effects="none")
    table.do("play 2D", "accept")
    assert table.seat == 2 and {"3C", "4C"} <= set(table.hands[1])
    table.do("play 2S")
    assert "5C" in table.hands[2] and table.seat == 0 and table.phase == "RESPOND"
    table.do("accept")
    assert {"6C", "7C"} <= set(table.hands[0]) and table.seat == 1


def test_order_ms_draw_goes_along_with_the_exchange():
    """8.10, 5 before 7: the third jack is JS."""
    table = HouseTable(["JD", "JH", "JS 3D"], "9D 3C 4C 5C", starter_effects="none")
    table.do("play JD", "play JH", "accept", "play JS")
    assert tuple(table.run) == ("J", 3) and "3C" in table.hands[2] and table.seat == 0
    table.do("accept")
    assert "3C" in table.hands[0] and "3D" in table.hands[0]


def test_order_penalty_cards_are_freed_before_ms_draw():
    """8.10, 3 before 5: both come into the hand, the older first."""
    table = HouseTable(["9D", "9H", ""], "9C 3S 4S")
    table.env.scenario("fumble", seat=1, card="9H")
    table.do("play 9D", "play 9H")
    assert table.penalty[1] == [] and {"3S", "4S"} <= set(table.hands[1]) and len(table.hands[1]) == 8


def test_order_the_response_comes_before_the_reversal():
    """8.10, 6 before 7: the old next is asked before the direction changes."""
    table = HouseTable(["KC", "", "", ""], "9C")
    table.do("play KC")
    assert table.seat == 1 and table.phase == "RESPOND"
    table.do("accept")
    assert table.seat == 3


def test_order_a_joker_is_settled_when_it_is_put_down():
    """8.10, 1 before 4: a reshuffle by the call does not change the card to follow."""
    table = late(["4D 6D", "X1 3S", "3H 7H"], "TC")
    use_up_without_1(table, leave=1)
    table.do("draw", "end")
    below = table.discard[1]
    assert table.stock == [] and len(table.discard) > 2
    table.do("play X1")
    assert table.phase == "CALL" and table.seat == 2
    table.do("call")
    assert table.discard == ["X1"] and tuple(table.to_follow) == tuple(below) and table.seat == 2 and table.run[1] == 0


def test_order_the_card_of_hr_12_is_turned_after_the_call():
    """8.10, 4 before 7: on the only card of the pile: the call takes the top card, the next one is turned."""
    table = late(["4D 6D", "X1 3S", "3H 7H"], "TC")
    use_up_without_1(table, leave=0)
    table.do("draw", "end")
    assert table.discard == ["TC"] and table.seat == 1
    first, second = table.stock[:2]
    table.do("play X1")
    assert table.phase == "CALL" and table.discard == ["X1", "TC"]
    table.do("call")
    assert Counter(table.hands[1]) == Counter(["3S", first]) and table.discard == [second, "X1", "TC"]
    assert tuple(table.to_follow) == tuple(second)


def test_order_a_seat_that_misses_its_turn_suffers_effects():
    """8.10: the Jack of clubs hits it all the same; the turn goes to the one after."""
    table = HouseTable(["JC", "", ""], "9C 3S 4S 5S 6S 7S")
    table.env.scenario("grab", offender=1, victim=2)
    table.do("play JC")
    assert table.seat == 1 and table.legal() == {"accept"}
    table.do("accept")
    assert len(table.hands[1]) == 12 and table.seat == 2 and table.phase == "TURN"


def test_order_the_late_call_comes_after_forced_draws():
    """ACTIONS 4: the victim of the Jack of clubs draws five, then may call as the first action of its turn."""
    table = late(["JC 6D", "3H 7H", "5C 9C"], "TC", "KD QS 3S 4S 5S 6S 7S 9S TS QD")
    table.do("draw", "end", "draw", "end", "play 5C", "silent", "silent")
    assert table.liable == [2]
    table.do("play JC")
    assert table.seat == 1 and table.legal() == {"accept"}, "no call in a response"
    table.do("accept")
    assert "call" in table.legal() and {"3S", "4S", "5S", "6S", "7S"} <= set(table.hands[1])
    table.do("call")
    assert table.liable == [] and "9S" in table.hands[2] and table.seat == 1 and "draw" in table.legal()


def test_order_an_announcement_in_a_response():
    """ACTIONS 4: the decision goes on."""
    table = late(["5C 9C", "4D 6D", "JC 7C QS"], "TC", "KD 3S 4S 5S 6S 7S 9S TS QD")
    table.do("play 5C", "silent", "silent", "draw", "end", "play JC")
    assert table.seat == 0 and table.phase == "RESPOND" and table.legal() == {"accept", "announce"}
    table.do("announce")
    assert table.seat == 0 and table.phase == "RESPOND" and table.legal() == {"accept"} and table.liable == []


# Completeness

RULES = [*(f"HR-{k}" for k in range(1, 81)), *(f"T-HR-{k}" for k in range(1, 25))]


def test_every_rule_and_every_example_has_a_test_that_names_it():
    named = named_rules(__file__, r"\b(?<!-)(T-HR-\d+|HR-\d+)\b")
    assert set(RULES) <= named, sorted(set(RULES) - named)
