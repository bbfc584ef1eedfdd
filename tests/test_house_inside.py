"""The inside of House Rules: what waits on the pending stack, the audit, the greedy policy, and observation against words."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.deals import fresh
from reference.house_deals import HouseTable, late
from reference.house_settings import VARIANT, random_setting

import eightsenv
from eightsenv import game as contract
from eightsenv.variants.house import audit, state


def legal(env: Any) -> list[int]:
    return [int(a) for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]


def ended(env: Any) -> bool:
    return env.terminations[env.agent_selection] or env.truncations[env.agent_selection]


def waiting(table: HouseTable) -> list[str]:
    return [entry[0] for entry in table.env.reveal()["pending"]]


# The pending stack


def test_consequences_nest():
    """An eight, the announcement, and below them what the discard brings; each is answered in its turn."""
    table = late(["8C 9C", "4D 6D", "3H 7H"], "TC", one_card_race="owner_first")
    table.do("play 8C")
    assert waiting(table) == ["SUIT", "ANNOUNCE", "CALL", "NEXT"]
    table.do("suit C")
    assert waiting(table) == ["ANNOUNCE", "CALL", "NEXT"]
    table.do("silent")
    assert waiting(table) == ["CALL", "NEXT"] and table.seat == 1
    table.env.scenario("accuse_collaboration", a=1, b=2)
    assert waiting(table) == ["VOTE", "CALL", "NEXT"] and table.seat == 0
    table.do("guilty")
    assert waiting(table) == ["CALL", "NEXT"] and table.seat == 1 and table.cards(1) == 5
    table.do("silent", "call")
    assert waiting(table) == [] and table.phase == "TURN" and table.seat == 1


def test_the_draw_of_a_row_waits_for_the_question_about_nobody_else():
    """M's rule draws below a suit to be named: three eights in a row."""
    table = HouseTable(["8D", "8H", ""], "8C KD", starter_wild="printed_suit")
    table.do("play 8D", "suit D", "play 8H")
    assert waiting(table) == ["SUIT", "ROW_DRAW", "NEXT"] and table.cards(1) == 6
    table.do("suit S")
    assert waiting(table) == [] and "KD" in table.hands[1]


def test_an_answer_takes_the_place_of_the_effect():
    """A Joker in answer brings a window of its own, then the next turn; the two is forgotten."""
    table = late(["2C 9C 3S", "X1 6D", "3H 7H"], "TC", "KD KS")
    table.do("play 2C")
    assert waiting(table) == ["RESPOND"]
    table.do("play X1")
    assert waiting(table) == ["CALL", "NEXT"] and table.liable == [1]
    table.do("silent", "silent")
    assert table.phase == "TURN" and table.seat == 2 and table.cards(1) == 1


@pytest.mark.parametrize("seed", range(8))
def test_the_stack_is_never_full(seed: int):
    """Random settings and accidents: fewer entries than there is room for, and none while a turn is decided."""
    rng = random.Random(seed)
    env = fresh(seed, variant=VARIANT, **random_setting(rng, max_decisions=None))
    deepest = 0
    for _ in range(500):
        if ended(env):
            env.reset()
        shown = env.reveal()
        deepest = max(deepest, len(shown["pending"]))
        assert (shown["pending"] == []) == (shown["phase"] in ("TURN", "ELECT"))
        if shown["pending"]:
            assert shown["pending"][0][0] == shown["phase"] and shown["pending"][0][1] == shown["seat"]
        if rng.random() < 0.1 and shown["phase"] not in ("ELECT", "VOTE") and not ended(env):
            a, b = rng.sample(range(env.num_players), 2)
            env.scenario("accuse_collaboration", a=a, b=b)
        actions = legal(env)
        plays = [a for a in actions if env.action_name(a).startswith("play")]
        env.step(rng.choice(plays if plays and rng.random() < 0.8 else actions))
    assert 0 < deepest < state.DEPTH


# The audit


def play_on(env: Any, rng: random.Random, hands: int) -> None:
    for _ in range(20_000):
        if ended(env) or env.reveal()["hand_number"] >= hands:
            return
        action = int(env.core.choose("greedy")[0]) if rng.random() < 0.8 else rng.choice(legal(env))
        env.step(action)
        shown = env.reveal()
        if not ended(env) and shown["phase"] != "ELECT" and rng.random() < 0.01:
            a, b = rng.sample(range(env.num_players), 2)
            if env.setting.options["scoring"] == "chips" and rng.random() < 0.5:
                if shown["scores"][a] > 0:
                    env.scenario("loan", frm=a, to=b, k=1)
            else:
                env.scenario("grab", offender=a, victim=b)


@pytest.mark.parametrize("seed", range(8))
def test_the_audit_agrees_with_the_scores(seed: int):
    """Any setting, with loans and grabbed hands; and it finds a single point that is wrong."""
    rng = random.Random(seed)
    setting = random_setting(
        rng, match=True, max_decisions=None, num_players=rng.randint(2, 5), decks=1, drop_prob=0, forget_prob=0, first_dealer="cut"
    )
    env = fresh(seed, variant=VARIANT, **setting)
    play_on(env, rng, 4)
    rows = env.ledger()
    assert rows
    assert env.audit() == rows[-1]["scores"]
    for key in ("total", "before", "grabbed", "value"):
        wrong = [{**row, "ledger": [dict(entry) for entry in row["ledger"]]} for row in rows]
        wrong[-1]["ledger"][0][key] += 1
        if key != "grabbed" or not (wrong[-1]["ledger"][0]["sudden_death"] or setting["scoring"] == "chips"):
            with pytest.raises(ValueError, match="recorded"):
                audit.audit(wrong, env.setting)


def test_other_variants_have_no_audit():
    with pytest.raises(ValueError, match="no audit"):
        fresh(1).audit()


# The greedy policy


def greedy(table: HouseTable) -> str:
    return table.env.action_name(int(table.env.core.choose("greedy")[0]))


def test_greedy_keeps_eights_and_jokers():
    table = HouseTable(["8D X1 4C", "", ""], "9C")
    assert greedy(table) not in ("play 8D", "play X1")


def test_greedy_announces_and_calls():
    table = late(["5C 9C", "4D 6D", "3H 7H"], "TC")
    assert greedy(table) == "play 9C one"
    table.do("play 9C")
    assert greedy(table) == "call"
    table.do("silent", "silent")
    assert greedy(table) == "call"
    table = late(["5C 9C", "4D 6D", "3H 7H"], "TC", one_card_race="owner_first")
    table.do("play 9C")
    assert greedy(table) == "announce"


def test_greedy_throws_what_hurts_at_a_player_who_is_about_to_go_out():
    table = late(["2C 9C KD 7D", "4D 6D", "3H 7H 5D 6S"], "TC")
    assert greedy(table) == "play 2C"


def test_greedy_takes_no_bigger_hand():
    table = late(["JS 9S 4D", "4H 6D 7D 9H QD QC QS", "3H 7H"], "TS")
    assert greedy(table) == "play 9S"
    table = late(["JS 9S 4D 5D 7C", "4H 6D", "3H 7H 5S"], "TS")
    assert greedy(table) == "play JS"


def test_greedy_sheds_jokers_before_the_end():
    table = late(["X1 9C KD 7D", "4D 6D", "3H 7H 5D 6S"], "TC")
    assert greedy(table) == "play X1"


def test_greedy_answers_what_costs_many_cards():
    table = HouseTable(["JC 2C", "X1", "", ""], "9C")
    table.do("play 2C")
    assert greedy(table) == "accept"
    table = HouseTable(["JC 2C", "X1", "", ""], "9C")
    table.do("play JC")
    assert greedy(table) == "play X1"
    table = HouseTable(["2C", "2D", "", ""], "9C", stack_twos=True)
    table.do("play 2C")
    assert greedy(table) == "play 2D"


def test_greedy_beats_random_play():
    for players in (2, 4):
        result = eightsenv.rollout(VARIANT, 200, ["greedy"] + ["random"] * (players - 1), seed=3, num_players=players)
        mean = result.payoffs.mean(axis=0)
        assert mean[0] > mean[1:].max() + 10


# Observation and words


class Sections:
    """What each section of a vector must show, by the state in words."""

    def __init__(self, env: Any):
        self.env, self.shown, self.n = env, env.reveal(), env.num_players
        self.legal = [env.action_name(a) for a in legal(env)]

    def expected(self, section: contract.Section, first: int, own: int | None) -> list[int] | None:
        """The features of a section; seats are counted from ``first`` on. None: the words do not tell."""
        shown, n, names = self.shown, self.n, section.bins
        name, twice = section.name.removesuffix("_twice"), section.name.endswith("_twice")
        number = re.search(r"_(\d+)$", name)
        seat = (first + int(number[1])) % n if number else -1
        kind = name[: number.start()] if number else name
        entry = shown["pending"][0] if shown["pending"] else None
        dealt = shown["phase"] != "ELECT"

        def cards(held: Any) -> list[int]:
            counts = Counter(held.strip("{}").split() if isinstance(held, str) else held)
            return [int(counts[text] > twice) for text in names]

        def at_least(value: float) -> list[int]:
            return [int(value >= int(re.match(r"-?\d+", text)[0])) for text in names]  # type: ignore[index]

        def one(text: Any) -> list[int]:
            return [int(item == text) for item in names]

        def flag(value: Any) -> list[int]:
            return [int(bool(value))]

        def seats(chosen: list[int]) -> list[int]:
            return [int((first + k) % n in chosen) for k in range(n)]

        zones = lambda s: [*shown["hands"][s], *shown["penalty"][s], *shown["plucked"][s]]  # noqa: E731
        asked = entry and entry[0] in ("RESPOND", "PLUCK")
        question = entry and entry[0] == "RESPOND" and entry[3][0] == "K"
        by_name: dict[str, Any] = {
            "hand": lambda: cards(zones(seat) if own is None else shown["hands"][own]),
            "penalty": lambda: cards(shown["penalty"][seat if own is None else own]),
            "plucked": lambda: cards(shown["plucked"][seat if own is None else own]),
            "stock": lambda: cards(shown["stock"]),
            "next_card": lambda: cards(shown["stock"][:1]),
            "pile": lambda: cards(shown["discard"]),
            "top_card": lambda: cards(shown["discard"][:1]),
            "suit_to_follow": lambda: one(shown["to_follow"][1]),
            "rank_to_follow": lambda: one(shown["to_follow"][0]),
            "anything": lambda: flag(shown["anything"]),
            "phase": lambda: one(shown["phase"].lower()),
            "to_move": lambda: seats([] if shown["seat"] is None else [shown["seat"]]),
            "dealer": lambda: seats([shown["dealer"]]),
            "reversed": lambda: flag(shown["direction"] < 0),
            "drawn": lambda: flag(shown["drawn"]),
            "acted": lambda: flag(shown["acted"]),
            "sudden_death": lambda: flag(shown["sudden_death"]),
            "stock_size": lambda: at_least(len(shown["stock"])),
            "run_rank": lambda: one(shown["run"][0]),
            "run_length": lambda: at_least(shown["run"][1]),
            "turn": lambda: seats([] if shown["turn"] is None else [shown["turn"]]),
            "idle": lambda: at_least(shown["idle"]),
            "in_question": lambda: one((entry[3] if entry[3] in names else entry[3][0]) if asked else None),
            "due": lambda: at_least(0 if not asked or question else entry[4]),
            "concerns": lambda: seats([entry[2]] if entry and dealt else []),
            "partner": lambda: seats([entry[3]] if entry and entry[0] == "VOTE" else []),
            "asked_second": lambda: flag(question and entry[4]),
            "row_due": lambda: flag(any(item[0] == "ROW_DRAW" for item in shown["pending"])),
            "turn_due": lambda: flag(any(item[0] == "TURN_UP" for item in shown["pending"])),
            "guilty_votes": lambda: at_least(entry[4] & 15 if entry and entry[0] == "VOTE" else 0),
            "innocent_votes": lambda: at_least(entry[4] >> 4 if entry and entry[0] == "VOTE" else 0),
            "hands_played": lambda: at_least(shown["hand_number"]),
            "score": lambda: at_least(shown["scores"][seat]),
            "size": lambda: at_least(len(zones(seat))),
            "penalties": lambda: at_least(len(shown["penalty"][seat])),
            "plucks": lambda: at_least(len(shown["plucked"][seat])),
            "liable": lambda: flag(seat in shown["liable"]),
            "exposed": lambda: flag(seat in shown["exposed"]),
            "open_left": lambda: at_least(shown["open_left"][seat] if seat in shown["exposed"] else 0),
            "missing": lambda: flag(shown["missing"][seat]),
            "grabbed": lambda: at_least(shown["grabbed"][seat]),
            "mojo": lambda: flag(seat in shown["mojo"]),
            "known": lambda: cards(shown["known"][own][seat]),
            "penalty_known": lambda: flag(shown["penalty_known"][own][seat]),
            "plucked_surely": lambda: cards(shown["plucked_surely"][1 - own]),
            "plucked_maybe": lambda: cards(shown["plucked_maybe"][1 - own]),
            "ruling": lambda: one(shown["ruling"] and shown["ruling"].replace("_", " ")),
            "playable": lambda: cards({text.split()[1] for text in self.legal if text.startswith("play")}),
            "buried": lambda: [int(names[k] == self._buried(int(number[1]))) for k in range(4)],  # type: ignore[index]
            "above_buried": lambda: at_least(shown["buried"][0][1] if shown["buried"] else 0),
        }
        if kind == "playable" and own != shown["seat"]:
            return None
        return by_name[kind]()

    def _buried(self, k: int) -> str | None:
        buried = self.shown["buried"]
        return buried[k][0] if k < len(buried) else None

    def check(self, vector: np.ndarray, sections: tuple, first: int, own: int | None) -> None:
        for section in sections:
            expected = self.expected(section, first, own)
            if expected is not None:
                found = vector[contract.fields(sections)[section.name]].tolist()
                assert found == expected, (section.name, first, self.shown)


@pytest.mark.parametrize("seed", range(10))
def test_every_section_says_what_the_state_in_words_says(seed: int):
    """What each seat observes and the full-information vector, with accidents, also after the end."""
    rng = random.Random(seed)
    setting = random_setting(rng, num_players=rng.choice([2, 2, 3, 4]), max_decisions=None, first_dealer="cut")
    env = fresh(seed, variant=VARIANT, **setting)
    sections, full = env.game.sections(env.setting), env.game.state_sections(env.setting)
    for _ in range(150):
        words = Sections(env)
        words.check(env.state(), full, 0, None)
        for seat, agent in enumerate(env.possible_agents):
            words.check(env.observe(agent)["observation"], sections, seat, seat)
        if ended(env):
            env.reset()
            continue
        if rng.random() < 0.1 and words.shown["phase"] not in ("ELECT", "VOTE"):
            a, b = rng.sample(range(env.num_players), 2)
            name = rng.choice(["accuse_collaboration", "grab", "fumble"])
            if name == "fumble" and words.shown["hands"][a]:
                env.scenario(name, seat=a)
            elif name == "grab":
                env.scenario(name, offender=a, victim=b)
            elif name == "accuse_collaboration":
                env.scenario(name, a=a, b=b)
            continue
        plays = [a for a in legal(env) if env.action_name(a).startswith("play")]
        env.step(rng.choice(plays if plays and rng.random() < 0.7 else legal(env)))


# Endless play


def test_play_without_discards_is_truncated():
    """Discards are optional: a game in which nobody discards goes round until the stock is gone, then is blocked."""
    table = HouseTable(["", "", ""], "9C")
    while not table.over:
        table.do("draw" if "draw" in table.legal() else "end")
    assert table.payoffs is not None and min(table.payoffs) < 0 and len(table.discard) == 1


def test_the_row_of_twelve_seats():
    """Everything holds that many seats: a swap, an open hand, a vote of ten."""
    env = fresh(5, variant=VARIANT, num_players=12, decks=2, deal_choice=False)
    env.scenario("accuse_collaboration", a=3, b=9)
    votes = 0
    while env.reveal()["phase"] == "VOTE":
        env.step(env.action_id("guilty"))
        votes += 1
    assert votes == 10 and len(env.reveal()["hands"][3]) >= 10
