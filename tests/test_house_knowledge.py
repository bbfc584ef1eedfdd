"""What House Rules keep of knowledge: the record of known cards against a plain memory, and states sampled from it."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.deals import fresh
from reference.house_deals import HouseTable
from reference.house_settings import VARIANT
from scipy import stats

FIRST = "3C 4C 5C 6C 7C 9C JS"
SECOND = "3D 4D 5D 6D 7D 9D TD"
THIRD = "3S 4S 5S 6S 7S 9S QS"


class Memory:
    """What each seat (first index) knows of the cards of each other, and what everybody knows, from what all see of a game."""

    def __init__(self, n: int):
        self.n = n
        self.known = [[Counter[str]() for _ in range(n)] for _ in range(n)]

    def forget_all(self) -> None:
        self.__init__(self.n)  # type: ignore[misc]

    def learn(self, seat: int, cards: Counter[str], viewers: list[int]) -> None:
        for viewer in viewers:
            self.known[viewer][seat] |= cards

    def follow(self, before: dict[str, Any], after: dict[str, Any], action: str) -> None:
        if (after["hand_number"], after["redeals"]) != (before["hand_number"], before["redeals"]):
            self.forget_all()
            return
        everybody = list(range(self.n))
        seat = before["seat"]
        if action.startswith("play"):
            card = action.split()[1]
            fumbled = after["fumbles"][0] > before["fumbles"][0] and after["discard"] == before["discard"]
            if not fumbled:
                for viewer in everybody:
                    self.known[viewer][seat] -= Counter([card])
        top = before["discard"][0] if before["discard"] else ""
        if action == "accept" and top == "JS" and before["phase"] == "RESPOND":
            player = before["pending"][0][2]
            for known in self.known:
                known[seat], known[player] = known[player], known[seat]
            self.learn(seat, Counter(before["hands"][player] + before["penalty"][player]), [player])
            self.learn(player, Counter(before["hands"][seat] + before["penalty"][seat]), [seat])
        if after["fumbles"][0] > before["fumbles"][0]:
            _, fumbler, shown = after["fumbles"]
            self.learn(fumbler, Counter([shown]), everybody)
        for other in {*before["exposed"], *after["exposed"]}:  # a hand is taken up after all draws of a step
            self.learn(other, Counter(after["hands"][other]), everybody)


def told(text: str) -> Counter[str]:
    """Cards as ``reveal`` writes what is known."""
    return Counter(text.strip("{}").split())


@pytest.mark.parametrize("seed", range(6))
def test_what_is_known_is_what_a_plain_memory_knows(seed: int):
    """Swaps, open hands and fumbles with three to five players, one pack and two; a hand that closes again is remembered."""
    rng = random.Random(seed)
    options: dict[str, Any] = {"num_players": rng.randint(3, 5), "match": True, "decks": 1 + seed % 2, "illegal": "fumble"}
    env = fresh(seed, variant=VARIANT, max_decisions=10_000, jh_duration="n_slots", end_on_negative=False, **options)
    memory = Memory(options["num_players"])
    swaps = opened = 0
    for _ in range(1_200):
        if env.terminations["agent_0"]:
            env.reset()
            memory.forget_all()
        before = env.reveal()
        legal = [env.action_name(int(a)) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]
        specials = [text for text in legal if text[5:7] in ("JS", "JH")] if rng.random() < 0.7 else []
        action = rng.choice(specials or legal)
        if before["phase"] == "TURN" and rng.random() < 0.05 and before["hands"][before["seat"]]:
            action = f"play {rng.choice(before['hands'][before['seat']])}"
            if action in legal:
                action = rng.choice(legal)
        swaps += action == "accept" and before["discard"][0] == "JS"
        env.step(env.action_id(action))
        after = env.reveal()
        opened += len(after["exposed"])
        memory.follow(before, after, action)
        for viewer in range(memory.n):
            for seat in range(memory.n):
                if viewer != seat:
                    held = Counter([*after["hands"][seat], *after["penalty"][seat]])
                    known = told(after["known"][viewer][seat])
                    assert known <= held
                    assert known == memory.known[viewer][seat] & held, (action, viewer, seat)
    assert swaps > 3 and opened > 20


def test_a_swap_tells_each_of_the_two_what_the_other_holds():
    first = FIRST.replace("9C", "8C")
    table = HouseTable([first, SECOND, THIRD], "TS KD KH 2C")
    table.do("play JS", "accept")
    known = table.env.reveal()["known"]
    assert told(known[0][1]) == Counter(first.split()) - Counter(["JS"]) and told(known[1][0]) == Counter(SECOND.split())
    assert known[2] == ["", "", ""] and known[0][2] == ""
    table.do("draw", "play 8C", "suit C")
    known = table.env.reveal()["known"]
    assert told(known[0][1]) == Counter(["3C", "4C", "5C", "6C", "7C"]), "what was played is gone, what was drawn is not known"


def test_known_cards_are_in_the_observation():
    table = HouseTable([FIRST, SECOND, THIRD], "TS KD KH")
    table.do("play JS", "accept")
    seen = table.env.observe("agent_0")["observation"][table.env.fields["known_1"]]
    assert [k for k in np.flatnonzero(seen)] == sorted(table.env.action_id(f"play {card}") for card in FIRST.split()[:-1])
    assert not table.env.observe("agent_2")["observation"][table.env.fields["known_1"]].any()


# Plucked cards


def test_the_plucker_of_a_known_hand_knows_the_card():
    """By elimination: the hand lies open; it is still known when the hand is taken up."""
    table = HouseTable(["KC JH KH 3C", SECOND], "QH 2H", dealer=1, starter_effects="none")
    table.do("play JH", "accept", "draw", "end", "play KH", "submit")
    shown = table.env.reveal()
    assert shown["plucked_surely"][1] == "{" + shown["plucked"][1][0] + "}" and shown["plucked_maybe"][1] == ""
    assert table.env.view("agent_0")["plucked"][1] == shown["plucked"][1]


def test_a_pluck_leaves_open_which_of_the_known_cards_it_was():
    """Of a hand in part known any known card may be the plucked one, until it is seen elsewhere."""
    table = HouseTable(["KC 3C", SECOND], "QC 2H", dealer=1)
    table.env.scenario("furble", seat=1, card="4D")
    table.env.scenario("furble", seat=1, card="5D")
    table.do("play KC", "submit")
    shown = table.env.reveal()
    assert told(shown["plucked_maybe"][1]) == Counter(["4D", "5D"]) and shown["plucked_surely"][1] == ""
    elsewhere = next(card for card in ("4D", "5D") if card in shown["hands"][1])
    table.env.scenario("furble", seat=1, card=elsewhere)
    assert told(table.env.reveal()["plucked_maybe"][1]) == Counter({"4D", "5D"} - {elsewhere})
    table.env.scenario("furble", seat=1, card=shown["plucked"][1][0])
    assert told(table.env.reveal()["plucked_surely"][1]) == Counter(shown["plucked"][1])


# Sampled states


def worlds(table: HouseTable, agent: str, number: int) -> list[dict[str, Any]]:
    """The states in words that are drawn for an agent."""
    world = fresh(0, variant=VARIANT, **table.env.setting.as_dict())
    drawn = []
    for seed in range(number):
        world.restore(table.env.determinize(agent, seed))
        drawn.append(world.reveal())
    return drawn


def uniform(counts: Counter, cells: int) -> bool:
    """Whether counts are plausible for so many equally likely cells (fixed seeds: this does not fail at times)."""
    observed = [*counts.values(), *[0] * (cells - len(counts))]
    return stats.chisquare(observed).pvalue > 0.001


def test_a_world_keeps_what_the_swap_has_told():
    table = HouseTable([FIRST, SECOND, THIRD], "TS KD KH")
    table.do("play JS", "accept", "draw", "end")
    given = set(FIRST.split()) - {"JS"}
    others = Counter[str]()
    for shown in worlds(table, "agent_0", 300):
        assert given < set(shown["hands"][1]) and Counter(shown["hands"][0]) == Counter(SECOND.split())
        (drawn,) = set(shown["hands"][1]) - given
        others[drawn] += 1
        assert told(shown["known"][0][1]) == Counter(given)
    unseen = 54 - 7 - 2 - 6
    assert uniform(others, unseen), others
    spread = Counter(card for shown in worlds(table, "agent_2", 60) for card in shown["hands"][1])
    assert len(spread) > 30, "a third seat knows nothing of it"


def test_a_world_keeps_an_open_hand_and_hides_penalty_cards():
    table = HouseTable(["JH 3C 4C", SECOND, THIRD], "6H KD KH 2H 3H")
    table.do("play JH", "accept")
    table.env.scenario("draw_out_of_turn", seat=2)
    table.env.scenario("draw_out_of_turn", seat=0)
    penalty = Counter[str]()
    for shown in worlds(table, "agent_0", 400):
        assert Counter(shown["hands"][1]) == Counter(SECOND.split())
        assert shown["penalty"][0] == table.penalty[0]
        penalty[shown["penalty"][2][0]] += 1
        assert penalty.total() and shown["penalty"][2][0] not in SECOND.split()
    assert uniform(penalty, 54 - 6 - 7 - 2 - 1), penalty


def test_worlds_of_a_pluck():
    """The plucked card is each of the hidden ones and of those known to be held equally often."""
    table = HouseTable(["KC 3C", "3D 4D 5D"], "QC 2H", dealer=1)
    table.env.scenario("furble", seat=1, card="4D")
    table.do("play KC", "submit")
    known = hidden = 0
    for shown in worlds(table, "agent_0", 600):
        card = shown["plucked"][1][0]
        assert "4D" in [*shown["hands"][1], card] and len(shown["penalty"][1]) == 1
        known += card == "4D"
        hidden += card != "4D"
    assert stats.binomtest(known, known + hidden, 1 / 7).pvalue > 0.001


def test_worlds_of_buried_eights():
    """Everybody knows where a buried starter lies."""
    table = HouseTable([FIRST, SECOND, THIRD], "8D TC", starter_wild="bury")
    (buried,) = table.env.reveal()["buried"]
    assert buried[0] == "8D"
    for shown in worlds(table, "agent_1", 30):
        assert shown["stock"][buried[1]] == "8D" and shown["buried"] == [buried]


def test_the_card_drawn_is_hidden():
    """play_after_draw="drawn_only": which card was drawn is sampled with the hand, for all but who drew it."""
    table = HouseTable([FIRST, SECOND, THIRD], "TC KD KH", play_after_draw="drawn_only")
    table.do("draw")
    assert {shown["drawn_card"] for shown in worlds(table, "agent_0", 20)} == {"{KD}"}
    drawn = Counter(shown["drawn_card"] for shown in worlds(table, "agent_1", 200))
    assert len(drawn) > 20
    assert all(shown["drawn_card"].strip("{}") in shown["hands"][0] for shown in worlds(table, "agent_1", 40))
