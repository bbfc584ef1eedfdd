"""What a seat may not know at House Rules changes nothing that it is shown: pairs of scripted games that look alike to it.

Each pair also has a seat to which they do not look alike, so that the tests can fail.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from reference.house_deals import HouseTable, filled, late
from reference.settings import STANDARD

from eightsenv.testing.information import check_no_leak


def shown(table: HouseTable, seat: int) -> dict[str, Any]:
    """Everything that a seat is shown."""
    env = table.env
    seen = env.observe(f"agent_{seat}")
    return {
        "observation": seen["observation"].tobytes(),
        "mask": seen["action_mask"].tobytes(),
        "view": env.view(f"agent_{seat}"),
        "log": env.log(f"agent_{seat}"),
        "infos": env.infos[f"agent_{seat}"],
        "to move": env.agent_selection,
    }


def pair(
    hands: list[str], others: list[str], after: str, after_other: str | None = None, **options: Any
) -> tuple[HouseTable, HouseTable]:
    """Two tables with the same seed, whose deals differ as given; the rest of the pack lies in one order in both."""
    tables = []
    for dealt, rest in ((hands, after), (others, after if after_other is None else after_other)):
        used = " ".join([*dealt, rest]).split()
        ordered = [card for card in [*STANDARD, "X1", "X2"] if card not in used]
        tables.append(HouseTable(dealt, " ".join([*rest.split(), *ordered]), seed=5, **options))
    one, two = tables
    assert one.env.reveal() != two.env.reveal()
    return one, two


def both(tables: tuple[HouseTable, HouseTable], *actions: str) -> None:
    for table in tables:
        table.do(*actions)


def happen(tables: tuple[HouseTable, HouseTable], name: str, **given: Any) -> None:
    for table in tables:
        table.env.scenario(name, **given)


def look_alike(tables: tuple[HouseTable, HouseTable], alike: set[int]) -> None:
    """The two games differ, and exactly these seats cannot tell."""
    one, two = tables
    assert one.env.reveal() != two.env.reveal()
    for seat in range(one.env.num_players):
        a, b = shown(one, seat), shown(two, seat)
        if seat in alike:
            for key in a:
                assert a[key] == b[key], (seat, key)
        else:
            for key in ("observation", "view", "log"):
                assert a[key] != b[key], (seat, key)


FIRST = "3C 4C 5C 6C 7C 9C KC"
SECOND = "3D 4D 5D 6D 7D 9D TD"
THIRD = "3S 4S 5S 6S 7S 9S QS"


def with_card(hand: str, old: str, new: str) -> str:
    return hand.replace(old, new)


def test_the_hands_of_others_and_the_stock():
    other = with_card(SECOND, "TD", "TH")
    tables = pair([FIRST, SECOND, THIRD], [FIRST, other, THIRD], "QC TH", "QC TD")
    look_alike(tables, {0, 2})
    both(tables, "play 3C")
    look_alike(tables, {0, 2})


def test_the_order_of_the_stock():
    tables = pair([FIRST, SECOND, THIRD], [FIRST, SECOND, THIRD], "QC TH JH", "QC JH TH")
    look_alike(tables, {0, 1, 2})
    both(tables, "draw")
    look_alike(tables, {1, 2})


def test_a_response_says_nothing_of_jokers():
    """With and without a Joker in the hand of who is asked."""
    tables = pair(
        [with_card(FIRST, "KC", "AC"), SECOND, THIRD],
        [with_card(FIRST, "KC", "AC"), with_card(SECOND, "TD", "X1"), THIRD],
        "QC X1",
        "QC TD",
    )
    both(tables, "play AC")
    assert tables[0].phase == tables[1].phase == "RESPOND" and tables[0].legal() != tables[1].legal()
    look_alike(tables, {0, 2})
    both(tables, "accept")
    look_alike(tables, {0, 2})


@pytest.mark.parametrize("scenario", ["fumble", "draw_out_of_turn"])
def test_a_penalty_card_is_seen_by_its_owner_alone(scenario: str):
    tables = pair([FIRST, SECOND, THIRD], [FIRST, SECOND, THIRD], "QC TH JH", "QC JH TH")
    happen(tables, scenario, seat=1, **({"card": "TD"} if scenario == "fumble" else {}))
    assert tables[0].penalty[1] == ["TH"] and tables[1].penalty[1] == ["JH"]
    look_alike(tables, {0, 2})


def test_a_fumbled_card_is_seen_by_all():
    """A control: the same game with another card shown."""
    one = HouseTable([FIRST, SECOND, THIRD], "QC TH JH", seed=5)
    two = HouseTable([FIRST, SECOND, THIRD], "QC TH JH", seed=5)
    one.env.scenario("fumble", seat=1, card="TD")
    two.env.scenario("fumble", seat=1, card="9D")
    for seat in (0, 2):
        a, b = shown(one, seat), shown(two, seat)
        for key in ("observation", "view", "log"):
            assert a[key] != b[key], (seat, key)


@pytest.mark.parametrize("sees", [False, True])
def test_the_plucked_card(sees: bool):
    """The hands differ in one card, and chance takes the same place of both; the Plucker sees it with plucker_sees alone."""
    told = set()
    for hand in SECOND.split():
        other = " ".join(sorted((set(SECOND.split()) - {hand}) | {"TH"}, key=STANDARD.index))
        tables = pair([FIRST, SECOND], [FIRST, other], "QC TH", f"QC {hand}", plucker_sees=sees)
        both(tables, "play KC", "submit")
        one, two = (table.plucked[1] for table in tables)
        if one == two:
            look_alike(tables, {0})
        elif sees:
            look_alike(tables, set())
            told.add(hand)
        else:
            look_alike(tables, {0})
            told.add(hand)
    assert told, "at least one of the hands has lost another card"


def test_an_open_hand_is_seen_by_all():
    """Before it is laid open, nobody can tell; afterwards everybody can, also what is drawn; until it is taken up again."""
    first = with_card(FIRST, "KC", "JH")
    other = with_card(SECOND, "TD", "TC")
    tables = pair([first, SECOND, THIRD], [first, other, THIRD], "6H TC 8S", "6H TD 8S")
    both(tables, "play JH")
    look_alike(tables, {0, 2})
    both(tables, "accept")
    look_alike(tables, set())


def test_cards_drawn_to_an_open_hand_are_seen():
    first = with_card(FIRST, "KC", "JH")
    tables = pair([first, SECOND, THIRD], [first, SECOND, THIRD], "6H TC 8S", "6H 8S TC")
    both(tables, "play JH", "accept")
    look_alike(tables, {0, 1, 2})
    both(tables, "draw")
    look_alike(tables, set())


def test_an_exchange_tells_the_two_what_each_has():
    """Seats 0 and 1 know each other's hands after it; seat 2 does not."""
    first = with_card(FIRST, "KC", "JS")
    other = with_card(SECOND, "TD", "TH")
    tables = pair([first, SECOND, THIRD], [first, other, THIRD], "TS TH", "TS TD")
    both(tables, "play JS")
    look_alike(tables, {0, 2})
    both(tables, "accept")
    look_alike(tables, {2})


def test_a_forgotten_announcement_looks_like_one_never_made():
    """forget_prob: what was chosen is not told to the others."""
    tables = []
    for action in ("play 5C", "play 5C one"):
        table = late(["5C 9C", "4D 6D", "3H 7H"], "TC", forget_prob=1.0, announce=False, one_card_race="callers_first")
        table.do(action)
        assert table.liable == [0] and table.phase == "CALL"
        tables.append(table)
    for seat in (1, 2):
        assert shown(tables[0], seat) == shown(tables[1], seat), seat


def test_the_next_cards_do_not_show_in_the_deal():
    """Many random decks: seats other than those whose cards differ see the same."""
    rng = random.Random(3)
    for _ in range(10):
        deck = rng.sample([*STANDARD, "X1", "X2"], 54)
        hands = [" ".join(deck[k:21:3]) for k in range(3)]
        rest = deck[22:]
        shuffled = rng.sample(rest, len(rest))
        starter = next(card for card in deck[21:] if card[0] in "345679T")
        rest = [card for card in deck[21:] if card != starter]
        shuffled = rng.sample(rest, len(rest))
        one, two = (HouseTable(hands, " ".join([starter, *cards]), seed=1) for cards in (rest, shuffled))
        look_alike((one, two), {0, 1, 2})


# What all see is in the public log


def told(table: HouseTable, card: str) -> bool:
    """Whether the last lines name the card."""
    return any(re.search(rf"\b{card}\b", line) for line in table.env.log()[-4:])


def test_the_log_tells_of_the_card_turned_after_a_joker():
    table = HouseTable(["X1", "", ""], "9C X2 AD")
    table.do("play X1")
    assert told(table, "AD") and told(table, "X2")


def test_the_log_tells_of_the_whole_starter():
    table = HouseTable(["", "", ""], "X1 2C")
    assert told(table, "2C") and told(table, "X1")


def test_the_log_tells_of_the_card_turned_for_an_uncaught_winner():
    table = late(["5C 9C", "4D 6D", "3H 7H"], "TC", "KD QS TD")
    table.do("play 5C", "silent", "silent", "draw", "end", "draw", "end", "play 9C")
    assert told(table, "TD")


def test_the_log_tells_of_a_dropped_card_but_not_of_the_penalty_card():
    table = HouseTable(["", "", ""], "9C AD", drop_prob=1.0)
    assert any(told(table, card) for card in table.hands[0]) and not told(table, "AD")
    assert any("AD" in line for line in table.env.log("agent_0"))
    assert not any("AD" in line for line in table.env.log("agent_1"))


def test_the_log_tells_of_an_open_hand():
    table = HouseTable(["JH", "3D 4D 5D 6D 7D 9D TD", ""], "6H KS")
    table.do("play JH", "accept")
    assert all(told(table, card) for card in table.hands[1])
    table.do("draw")
    assert told(table, "KS")


def test_the_log_does_not_tell_what_is_drawn_for_an_effect():
    table = HouseTable(["2C", "", ""], "9C KD KS")
    table.do("play 2C", "accept")
    assert not told(table, "KD")
    assert "KD" in table.env.log("agent_1")[-1] and "KS" in table.env.log("agent_1")[-1]


@pytest.mark.parametrize("players", [2, 4])
def test_no_leak(players: int):
    check_no_leak("house_eights_v0", settings=3, seed=players, pairs=15, num_players=players)


def test_filled_hands_are_what_they_should_be():
    """The helper of these tests: nothing is dealt twice."""
    cards = " ".join(filled([FIRST, "", ""], "QC")).split()
    assert len(cards) == len(set(cards)) == 21 and "QC" not in cards


# What the deal itself and a grabby hand tell

DEALT = ["3C 4C 5C 6C 7C 9C KC", "3D 4D 5D 6D 7D 9D TD", "3S 4S 5S 6S 7S 9S QS"]


def test_a_hand_that_the_starter_lays_open_is_told():
    """HR-9, HR-55: without a response the Jack of hearts opens the hand of who goes first at once, for all to see."""
    table = HouseTable(DEALT, "JH", dealer=2, joker_response=("A",))
    assert table.env.reveal()["exposed"] == [0]
    assert f"open hand of agent_0: {DEALT[0]}" in table.env.log()[0]


def test_hands_that_the_starter_exchanges_are_told():
    """HR-9, HR-52: all see the exchange, and each of the two remembers what it gave."""
    table = HouseTable(DEALT, "JS", dealer=2, joker_response=("A",))
    assert table.hands[0] == DEALT[2].split()
    assert table.env.log()[0].endswith("hands exchanged: agent_0 and agent_2")
    assert f"[{DEALT[2]}; agent_2 has {DEALT[0]}]" in table.env.log("agent_0")[0]
    assert "has" not in table.env.log("agent_1")[0]


def test_who_grabs_a_hand_remembers_it():
    """HR-77: the offender has seen the cards, and nobody else."""
    table = HouseTable(DEALT, "2H", dealer=2, starter_effects="none")
    table.env.scenario("grab", offender=1, victim=2)
    assert table.env.log("agent_1")[-1] == f"scenario grab offender=1 victim=2 [agent_2 has {DEALT[2]}]"
    assert all("has" not in table.env.log(agent)[-1] for agent in ("agent_0", "agent_2"))


def test_what_a_grabbed_hand_counts_is_known_to_who_has_seen_it():
    """HR-77: its value is added at the end of the hand; until then the number would tell of the cards."""
    tables = pair([FIRST, SECOND, THIRD], [FIRST, SECOND, with_card(THIRD, "QS", "AH")], "2H AH", "2H QS", starter_effects="none")
    happen(tables, "grab", offender=1, victim=2)
    look_alike(tables, {0})
    assert tables[0].env.view("agent_1")["grabbed"] == [None, 44, None]
