"""The ledger of the scores, and its audit (HR-3): any player can recompute every total from the recorded cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eightsenv.cards import card_id, card_text, set_texts
from eightsenv.game import UNIT, Setting


def ledger(s: np.record, setting: Setting) -> list[dict[str, Any]]:
    """A row for each seat of the hand that was scored last: what its new total was made of (G-8). ``value`` is what the cards
    count with their Jokers, whether they were charged or not."""
    chips = setting.options["scoring"] == "chips"
    rows = []
    for seat in range(setting.num_players):
        before = int(s.last_before[seat])
        change = int(s.last_payoff[seat]) // UNIT * (1 if chips else -1)
        row = {
            "seat": seat,
            "cards": set_texts(*s.last_hands[seat]),
            "turned": None if s.last_turned < 0 else card_text(s.last_turned),
            "out": bool(s.last_winner == seat),
            "sudden_death": bool(s.last_sudden),
            "before": before,
            "borrowed": int(s.last_lent[seat]),
            "grabbed": int(s.last_grabbed[seat]),
            "total": before + change,
        }
        rows.append(row | {"value": _audited_values(row, setting)[1]})
    return rows


def audit(hands: Sequence[dict[str, Any]], setting: Setting) -> list[int]:
    """Recompute the totals after each hand of an environment's ledger from the recorded cards, and return the last ones.

    Independent of the engine's own arithmetic: card by card, in plain Python (HR-26 to HR-37, HR-77).

    Raises:
        ValueError: a recorded total is another one.
    """
    n, chips = setting.num_players, setting.options["scoring"] == "chips"
    totals = [100 if chips else 0] * n
    for number, hand in enumerate(hands):
        rows = hand["ledger"]
        totals = [total + row["borrowed"] for total, row in zip(totals, rows, strict=True)]
        for row in rows:
            if row["value"] != (value := _audited_values(row, setting)[1]):
                raise ValueError(f"in hand {number} the cards of seat {row['seat']} count {value}, not {row['value']} as recorded")
        if totals != [row["before"] for row in rows]:
            raise ValueError(f"before hand {number} the totals are recorded as {[row['before'] for row in rows]}, not {totals}")
        if not rows[0]["sudden_death"]:
            totals = (_audit_chips if chips else _audit_points)(rows, totals, setting)
        if totals != [row["total"] for row in rows]:
            raise ValueError(f"after hand {number} the totals are recorded as {[row['total'] for row in rows]}, not {totals}")
    return totals


def _audit_points(rows: Sequence[dict[str, Any]], totals: list[int], setting: Setting) -> list[int]:
    result = []
    for row, old in zip(rows, totals, strict=True):
        start = old + row["grabbed"]
        plain, full = (0, 0) if row["out"] else _audited_values(row, setting)
        jokers = not row["out"] and any(card[0] == "X" for card in (*row["cards"], row["turned"] or "none"))
        result.append(99 if jokers and start + plain <= 99 < start + full else start + full)
    return result


def _audit_chips(rows: Sequence[dict[str, Any]], totals: list[int], setting: Setting) -> list[int]:
    result = list(totals)
    winner = next((row["seat"] for row in rows if row["out"]), None)
    for row in rows:
        if winner is None or row["out"]:
            continue
        plain, full = (value + row["grabbed"] for value in _audited_values(row, setting))
        held = totals[row["seat"]]
        if held >= plain:
            paid = min(full, held)
        else:
            paid = min(full, max(held, 0)) if setting.options["debt"] == "capped" else full
        result[row["seat"]] -= paid
        result[winner] += paid
    return result


def _audited_values(row: dict[str, Any], setting: Setting) -> tuple[int, int]:
    """The points of a row's cards without and with its Jokers."""
    cards = [*row["cards"], *([row["turned"]] if row["turned"] else [])]
    plain = sum(_audited_value(card) for card in cards)
    jokers = sum(card[0] == "X" for card in cards)
    factor = {"multiply": 2**jokers, "add": 1 + jokers, "once": 2 if jokers else 1}[setting.options["joker_stack"]]
    return plain, plain * factor


def _audited_value(card: str) -> int:
    special = {"JC": 50, "JD": -5, "X1": 0, "X2": 0}
    if card in special:
        return special[card]
    return 20 if card[0] == "A" else 10 if card[0] in "TJQK" else card_id(card) // 4 + 2
