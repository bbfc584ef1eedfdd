"""The options of Speculation, each value shown by scripted deals; refusals; the appraiser against simulation.

What ``test_speculation_rules.py`` shows is not repeated here.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.deals import fresh, legal
from reference.speculation import DEFAULTS, PACK, Model
from test_speculation_rules import NAME, PLAIN, do, no_sale, table

import eightsenv
from eightsenv import engine
from eightsenv.variants import get
from eightsenv.variants.speculation.appraisal import stands


def test_the_defaults_are_those_of_the_table():
    assert engine.resolve(get(NAME)).as_dict() == DEFAULTS | {"max_decisions": 2_000}
    assert engine.resolve(get(NAME), match=True).max_decisions == 20_000
    assert get(NAME).presets == {} and get(NAME).practice == {}
    with pytest.raises(ValueError, match="no preset"):
        engine.resolve(get(NAME), rules="strategic_high_low")


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("ante", (0, 101, -1, 2.0, "2", None, True)),
        ("sale", ("english", None, 1)),
        ("max_bid", (0, 256, -1, 1.5, None, "pots", True)),
        ("holder_exempt", ("holder", None, True)),
        ("resume", ("left", None)),
        ("look_on_court", (1, "yes", None)),
        ("later_court", ("all", None)),
        ("ace_midplay", ("end", None)),
        ("max_hands", (0, -1, 1.5, "auto", True)),
        ("first_dealer", (4, -1, "first_jack", None, True)),
        ("deal_rotation", ("right", None, 0)),
        ("voluntary_pass", (True,)),
    ],
)
def test_bad_values_are_refused(option: str, values: tuple):
    for value in values:
        with pytest.raises(ValueError, match=option):
            eightsenv.make(NAME, **{option: value})


def test_a_pot_above_255_cannot_be_the_ceiling():
    """OPTIONS.md 2.5: the bids are actions."""
    for players, ante in ((9, 29), (4, 64), (3, 86)):
        with pytest.raises(ValueError, match="max_bid='pot' needs"):
            eightsenv.make(NAME, num_players=players, ante=ante)
        assert eightsenv.make(NAME, num_players=players, ante=ante, max_bid=255).core.num_actions == 258
    assert eightsenv.make(NAME, num_players=5, ante=51).core.num_actions == 258


# The sale


@pytest.mark.parametrize(("ceiling", "most"), [("pot", 12), (1, 1), (5, 5), (255, 255)])
def test_max_bid(ceiling: Any, most: int):
    """AMB-SP-1: bids go up to the pot, or to a number; when it has been bid the seats after it still say 0."""
    env = table(PLAIN[:3], "7D", max_bid=ceiling)
    assert legal(env) == [f"bid {k}" for k in range(most + 1)]
    do(env, f"bid {most}")
    assert legal(env) == ["bid 0"]
    do(env, "bid 0")
    assert env.reveal()["phase"] == "SELL"
    do(env, "accept")
    assert env.reveal()["balance"] == [most, -most, 0]


def sealed_view(env: Any, agent: str) -> tuple:
    """All that an agent is shown of a sale."""
    seen = env.observe(agent)
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), str(env.view(agent)), str(env.log(agent))


def test_sealed_bids_are_unseen_until_the_best_is_put_to_the_owner():
    """SALE: any bid is legal whatever was bid; nobody but the bidder is shown it, in observation, mask, view, picture or log."""
    one, two = (table(PLAIN[:4], "7D", sale="sealed", render_mode="ansi") for _ in range(2))
    do(one, "bid 9")
    do(two, "bid 2")
    for agent in ("agent_0", "agent_2", "agent_3"):
        assert sealed_view(one, agent) == sealed_view(two, agent)
    assert sealed_view(one, "agent_1") != sealed_view(two, "agent_1")
    assert one.render() == two.render() and legal(one) == [f"bid {k}" for k in range(17)]
    assert one.view("agent_2")["bids"] == [None, "sealed", None, None] and one.log()[-1] == "agent_1 bid"
    assert one.log("agent_1")[-1] == "agent_1 bid [bid 9]"
    do(one, "bid 3", "bid 9")
    assert one.reveal()["phase"] == "SELL" and one.view("agent_0")["bids"] == [None, 9, None, None]
    assert one.log()[-1] == "the best bid is 9 by agent_1", "the earliest of equal bids"
    do(one, "accept")
    assert one.reveal()["balance"] == [9, -9, 0, 0]


def test_losing_sealed_bids_are_never_opened():
    """SALE: two games that differ in a losing bid look alike to everybody but its bidder, also afterwards."""
    one, two = (table(PLAIN[:4], "7D", sale="sealed") for _ in range(2))
    do(one, "bid 1", "bid 8", "bid 0")
    do(two, "bid 7", "bid 8", "bid 0")
    for agent in ("agent_0", "agent_2", "agent_3"):
        assert sealed_view(one, agent) == sealed_view(two, agent)
    assert one.reveal() == two.reveal()


def test_sealed_bids_are_sampled():
    """In worlds drawn for a seat the others' bids of the sale in progress are any amounts; its own is kept."""
    env = table(PLAIN[:4], "7D", sale="sealed", ante=1)
    do(env, "bid 4", "bid 2")
    other = fresh(variant=NAME, **env.setting.as_dict())
    found: Counter = Counter()
    for seed in range(1_000):
        other.restore(env.determinize("agent_2", seed))
        bids = other.reveal()["bids"]
        assert bids[2] == 2 and bids[0] is bids[3] is None
        found[bids[1]] += 1
    assert set(found) == set(range(5)) and min(found.values()) > 150


# Facing


@pytest.mark.parametrize(
    ("exempt", "answer", "faces"),
    [
        ("any_holder", "keep", False),
        ("any_holder", "accept", False),
        ("purchaser_only", "keep", True),
        ("purchaser_only", "accept", False),
        ("none", "keep", True),
        ("none", "accept", True),
    ],
)
def test_holder_exempt(exempt: str, answer: str, faces: bool):
    """AMB-SP-3: who owns the best trump faces nothing: anyhow, or only having bought it, or it does."""
    env = table(PLAIN[:3], "7D", holder_exempt=exempt)
    do(env, "bid 0", "bid 1", answer)
    owner = env.reveal()["trump"][1]
    assert owner == (2 if answer == "accept" else 0)
    order = [seat for seat, _ in env.reveal()["facings"]]
    assert order == [1, 2, 0] * 3 if faces else sorted(order[:2]) == sorted({0, 1, 2} - {owner})
    assert env.terminations["agent_0"]


def test_a_purchase_is_no_excuse_once_the_card_is_beaten():
    """SP-12: the purchaser is exempt only while owning the best trump, with ``purchaser_only`` too."""
    env = table(["2C 3C 4C", "2H 3H 4H", "9D 3S 4S"], "7D", holder_exempt="purchaser_only")
    do(env, "bid 1", "bid 0", "accept")
    assert env.reveal()["trump"] == ["9D", 2]
    no_sale(env)
    assert [1, "2H"] in env.reveal()["facings"] and env.reveal()["facings"][-1][0] in (0, 1, 2)


def test_the_holder_may_beat_the_own_trump():
    """With ``holder_exempt="none"`` the dealer's own packet is faced, and its better trump is offered again."""
    env = table(["9D 3C 4C", "2H 3H 4H"], "7D", holder_exempt="none")
    do(env, "bid 0")
    assert env.reveal()["trump"] == ["9D", 0] and env.reveal()["phase"] == "BID" and env.agent_selection == "agent_1"


@pytest.mark.parametrize(("resume", "first"), [("left_of_facer", 3), ("left_of_owner", 2)])
def test_resume(resume: str, first: int):
    """AMB-SP-4: seat 2 has faced the better trump and seat 1 bought it: facing goes on at the left of one or the other."""
    env = table([*PLAIN[:2], "9D 3S 4S", PLAIN[3]], "7D", resume=resume)
    no_sale(env)
    assert env.reveal()["trump"] == ["9D", 2]
    do(env, "bid 0", "bid 0", "bid 5", "accept")
    assert env.reveal()["facings"][2][0] == first


def test_look_on_court_off():
    """AMB-SP-5: nobody sees the own cards, and there is no section for them; hands are faced all the same."""
    env = table(PLAIN[:3], "KD", look_on_court=False)
    assert "own_cards" not in env.fields and env.view("agent_1")["hands"] == [3, 3, 3]
    assert env.log("agent_1") == ["hand 0: agent_0 deals, turn-up KD"]
    no_sale(env)
    assert env.reveal()["faced"] == env.reveal()["hands"]


@pytest.mark.parametrize(("later", "order"), [("one_by_one", [2, 0, 2]), ("face_all", [1, 1, 2])])
def test_later_court(later: str, order: list[int]):
    """AMB-SP-6: after a trump queen faced in play facing goes on card by card, or all hands are faced, the owner's too."""
    env = table(["2C 3C 4C", "QD KD 4H", "2S 3S 4S"], "7D", later_court=later)
    no_sale(env)
    assert env.reveal()["trump"] == ["QD", 1] and env.reveal()["phase"] == "BID"
    assert env.view("agent_1")["hands"] == [3, 3, 3], "nobody looks: that is for a turn-up"
    no_sale(env)
    assert [seat for seat, _ in env.reveal()["facings"][1:4]] == order
    assert env.reveal()["trump"] == (["KD", 1] if later == "face_all" else ["QD", 1])


def test_later_court_face_all_gives_the_pot_to_the_top_trump():
    env = table(["2C KD 4C", "QD 3H 4H", "2S 3S 4S"], "7D", later_court="face_all")
    no_sale(env)
    do(env, "bid 3", "bid 0", "accept")
    assert env.reveal()["trump"] == ["KD", 0] and env.payoffs() == [8, -1, -7]


@pytest.mark.parametrize("sold", [False, True])
def test_an_ace_offered(sold: bool):
    """AMB-SP-7: ``ace_midplay="offer"``: an ordinary sale, then the hand ends."""
    env = table(["2C 3C 4C", "AD 3H 4H", "2S 3S 4S"], "7D", ace_midplay="offer")
    do(env, "bid 0", "bid 0")
    assert env.reveal()["trump"] == ["AD", 1] and env.agent_selection == "agent_2"
    do(env, "bid 9", "bid 0", "accept" if sold else "keep")
    assert env.terminations["agent_0"] and env.reveal()["facings"] == [[1, "AD"]]
    assert env.payoffs() == ([-4, 5, -1] if sold else [-4, 8, -4])


# The appraiser


def appraised(env: Any, agent: int, owner: int) -> float:
    """The appraisal of the best trump by a seat, if it comes to be the owner's."""
    core = env.core
    return float(stands(core._games[0], core._rules[0], np.int64(agent), np.int64(owner)))


def played_on(env: Any, agent: int, owner: int, number: int) -> float:
    """How often the best trump stands when the plain model plays on with cards dealt at random: it comes to be the owner's."""
    shown, setting = env.reveal(), env.setting.as_dict()
    best, seller = shown["trump"]
    seen = {shown["turn_up"], *(card for cards in shown["faced"] for card in cards)}
    if shown["looked"]:
        seen |= set(shown["hands"][agent])
    unseen = [card for card in PACK if card not in seen]
    rng = random.Random(8)
    stood = 0
    for _ in range(number):
        model = Model(setting, env.reveal)
        rng.shuffle(unseen)
        cards = iter(unseen)
        model.dealer, model.pot, model.balance = shown["dealer"], shown["pot"], list(shown["balance"])
        model.packets = [[card if card in seen else next(cards) for card in packet] for packet in shown["packets"]]
        model.faced, model.stock = [list(faced) for faced in shown["faced"]], list(cards)
        model.turn_up, model.best, model.owner, model.bought = shown["turn_up"], best, owner, owner != seller
        model.facer = seller if shown["facings"] else None
        model.after_sale()
        stood += model.best == best
    return stood / number


APPRAISALS: list[tuple[dict[str, Any], str]] = [
    ({}, "7D"),
    ({"num_players": 9, "ante": 1}, "TD"),
    ({"num_players": 2, "holder_exempt": "none"}, "5D"),
    ({"holder_exempt": "purchaser_only"}, "8D"),
    ({}, "QD"),
    ({"look_on_court": False}, "JD"),
    ({"num_players": 3, "later_court": "face_all", "sale": "sealed"}, "6D"),
]


@pytest.mark.parametrize(("options", "turn_up"), APPRAISALS, ids=str)
def test_the_appraisal_is_what_simulation_finds(options: dict[str, Any], turn_up: str):
    """To each seat's eye and for each owner: at the first sale and, if the game has one, at the second."""
    rng = random.Random(3)
    number = 2_000
    for later in (False, True):
        for attempt in range(20):
            n = options.get("num_players", 4)
            rest = [card for card in PACK if card != turn_up]
            rng.shuffle(rest)
            deck = [*rest[: 3 * n], turn_up]
            env = fresh(attempt, script={"deck": deck, "dealer": 0}, variant=NAME, **options)
            if later:
                no_sale(env)
            if not env.terminations["agent_0"] and env.reveal()["trump"][0][0] != "A":
                break
        else:
            assert turn_up[0] in "JQ", "no second sale"
            return
        agent = env.reveal()["seat"]
        for owner in {env.reveal()["trump"][1], agent}:
            exact, found = appraised(env, agent, owner), played_on(env, agent, owner, number)
            assert abs(found - exact) <= 4 * np.sqrt(max(exact * (1 - exact), 0.002) / number), (later, owner, exact, found)


def test_the_appraisal_knows_the_own_cards():
    """A higher trump in the own hand: the card cannot stand, and greedy does not bid; without one it is worth more than unseen."""
    with_king = table(["2C 3C 4C", "2H KD 4H", "2S 3S 4S"], "QD")
    assert appraised(with_king, 1, 0) == appraised(with_king, 1, 1) == 0
    assert with_king.action_name(int(with_king.core.choose("greedy")[0])) == "bid 0"
    without = table(PLAIN[:3], "QD")
    assert appraised(without, 1, 1) > appraised(table(PLAIN[:3], "QD", look_on_court=False), 1, 1)
    assert appraised(table(PLAIN[:3], "AD"), 0, 0) == 1


def test_greedy_sells_above_and_buys_below_the_value():
    """The owner accepts what is more than the pot times the probability that the trump stands, and nothing less."""
    for price in range(1, 13):
        env = table(PLAIN[:3], "7D")
        value = 12 * appraised(env, 0, 0)
        do(env, f"bid {price}", "bid 0")
        assert env.action_name(int(env.core.choose("greedy")[0])) == ("accept" if price > value else "keep"), (price, value)
    env = table(["2H 3H 4H", "9D 3C 4C", "2S 3S 4S"], "7D")
    no_sale(env)  # seat 1 has two cards left and seat 2 three: as its own the trump meets fewer cards
    mine, theirs = 12 * appraised(env, 2, 2), 12 * appraised(env, 2, 1)
    assert mine > theirs
    bid = env.action_name(int(env.core.choose("greedy")[0]))
    assert bid == (f"bid {int(theirs) + 1}" if int(theirs) + 1 < mine else "bid 0")


@pytest.mark.parametrize("options", [{}, {"num_players": 2}, {"num_players": 9, "ante": 2}, {"sale": "sealed"}], ids=str)
def test_greedy_beats_random(options: dict[str, Any]):
    n = options.get("num_players", 4)
    result = eightsenv.rollout(NAME, num_games=4_000, policies=["greedy", *["random"] * (n - 1)], seed=6, **options)
    payoffs = result.payoffs.mean(axis=0)
    assert payoffs[0] > 0.5 and payoffs[0] > payoffs[1:].max()
