"""G-8: every hand's payoffs follow from what its row of the ledger counted, worked out here from the rule book."""

from __future__ import annotations

import random
from typing import Any

import pytest
from reference.deals import fresh, legal

HANDS = 4


def points(card: str, eight: int = 50, ace: int = 1) -> int:
    return {"8": eight, "A": ace, **dict.fromkeys("TJQK", 10)}.get(card[0]) or int(card[0])


def rows_of(variant: str, seed: int, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    """A match by random play, until it is over or has had several hands."""
    env, rng = fresh(seed, variant=variant, match=True, **options), random.Random(seed)
    while not env.terminations["agent_0"] and env.reveal()["hand_number"] < HANDS:
        env.step(env.action_id(rng.choice(legal(env))))
    rows = env.ledger()
    assert len(rows) >= 2 and [row["hand_number"] for row in rows] == list(range(len(rows)))
    return env, rows


def totals_follow(rows: list[dict[str, Any]], sign: int = 1) -> None:
    total = [0.0] * len(rows[0]["payoffs"])
    for row in rows:
        total = [t + sign * p for t, p in zip(total, row["payoffs"], strict=True)]
        assert row["scores"] == total


@pytest.mark.parametrize("seed", range(3))
def test_crazy_eights_counts_the_cards_left(seed: int):
    """G-8, IT-13: minus what the cards left in each hand count."""
    _, rows = rows_of("crazy_eights_v0", seed)
    for row in rows:
        assert row["payoffs"] == [-sum(map(points, hand)) for hand in row["counted"]["hands"]]
    totals_follow(rows, -1)


@pytest.mark.parametrize("seed", range(3))
def test_eights_pays_the_one_who_is_out(seed: int):
    """G-8, RE-18: who is out collects what the others hold; a hand that nobody won is left to other tests."""
    _, rows = rows_of("eights_v0", seed)
    decided = [row for row in rows if [] in row["counted"]["hands"]]
    assert decided
    for row in decided:
        held = [sum(map(points, hand)) for hand in row["counted"]["hands"]]
        assert row["payoffs"] == [-value if hand else sum(held) for value, hand in zip(held, row["counted"]["hands"], strict=True)]
    totals_follow(rows)


@pytest.mark.parametrize("seed", range(3))
def test_8_ball_counts_the_tricks_against_the_bid(seed: int):
    """G-8, B4-34 to B4-38: the bidding side's points for its contract, and one a trick for the other side."""
    _, rows = rows_of("eight_ball_v0", seed)
    for row in rows:
        bid, tricks = row["counted"]["bid"], row["counted"]["tricks"]
        own, other = (tricks[k] + tricks[k + 2] for k in (bid["seat"] % 2, 1 - bid["seat"] % 2))
        wanted = 5 if bid["alone"] else bid["n"]
        made = wanted + own + (2 if wanted == 5 else 0) + (3 if bid["alone"] else 0)
        assert sum(tricks) == 5 and row["payoffs"][1 - bid["seat"] % 2] == other
        assert row["payoffs"][bid["seat"]] == (made if own >= wanted else -4 - (wanted - own))
    totals_follow(rows)


@pytest.mark.parametrize("seed", range(3))
def test_high_low_pays_the_highest_and_the_lowest(seed: int):
    """G-8, HL-10, HL-11: those without a share lose the ante; those with one hold no cards, or most or least."""
    _, rows = rows_of("high_low_eights_v0", seed)
    for row in rows:
        held = [sum(points(card, eight=8, ace=15) for card in hand) for hand in row["counted"]["hands"]]
        gained = {seat for seat, paid in enumerate(row["payoffs"]) if paid != -2}
        best = {seat for seat, value in enumerate(held) if value in (min(held), max(held))}
        out = {seat for seat, hand in enumerate(row["counted"]["hands"]) if not hand}
        assert gained <= (out or best) and sum(row["payoffs"]) == 0
    totals_follow(rows)


@pytest.mark.parametrize("seed", range(3))
def test_speculation_pays_the_pot_to_the_best_trump(seed: int):
    """G-8, SP-15: the pot to who owns the best trump, less the antes, and prices from hand to hand."""
    _, rows = rows_of("speculation_v0", seed)
    for row in rows:
        _, owner = row["counted"]["trump"]
        assert row["payoffs"] == [b - 4 + 16 * (seat == owner) for seat, b in enumerate(row["counted"]["balance"])]
    totals_follow(rows)


def test_the_last_hand_of_a_match_counts_too():
    """The row of the hand that ends a match is made from the state as it stays."""
    env, rows = rows_of("high_low_eights_v0", 1, max_hands=2)
    assert env.terminations["agent_0"] and rows[-1]["counted"]["hands"] == env.reveal()["hands"]
