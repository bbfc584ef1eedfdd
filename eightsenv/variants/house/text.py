"""House Rules in words: action texts, the state for logs, renderers and tests, and the audit of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eightsenv.cards import RANKS, SUITS, card_id, card_text, set_texts
from eightsenv.game import Setting, rules_row
from eightsenv.variants.house import effects, known, scoring, table
from eightsenv.variants.house.state import FACES, Phase

_FACES = tuple(card_text(card) for card in range(FACES))
ACTIONS = (
    *(f"play {card}" for card in _FACES),
    *(f"suit {suit}" for suit in SUITS),
    "draw",
    "end",
    "accept",
    "submit",
    "call",
    "silent",
    *(f"play {card} one" for card in _FACES),
    "announce",
    "deal 7",
    "deal 8",
    "guilty",
    "innocent",
)
"""The texts of all actions by id (ACTIONS.md)."""
_RANK_TEXTS = (*RANKS, "X")
_WAITING = (*(phase.name for phase in Phase), "NEXT", "ROW_DRAW", "EFFECT", "TURN_UP")
RULINGS = ("not_guilty", "guilty", "random")


def reveal(s: np.record, setting: Setting) -> dict[str, Any]:
    """The whole state in words (ACTIONS.md).

    Beside the zones named there: ``turn`` (whose turn it is); ``pending`` (what waits, the next first: kind, seat concerned, who
    played, card, number); the cards ``known`` by each seat (first index) to be held by each; ``drawn`` and ``drawn_card`` of this
    turn; ``anything`` may be played; ``missing`` turns and points ``grabbed`` by seat; seats with ``mojo``; ``sudden_death``;
    ``buried`` eights and their places in the stock.
    """
    n = setting.num_players
    r = _rules(setting)
    zones = [_zones(s, r, seat) for seat in range(n)]
    dealt = s.phase != Phase.ELECT
    run = [_RANK_TEXTS[s.run_rank], int(s.run_length)] if s.run_length else [None, 0]
    return {
        "hands": [hand for hand, _, _ in zones],
        "penalty": [penalty for _, penalty, _ in zones],
        "plucked": [plucked for _, _, plucked in zones],
        "stock": [card_text(card) for card in s.stock[s.top : s.end]],
        "discard": [card_text(card) for card in s.stock[: s.pile_n][::-1]],
        "turned": [] if s.turned < 0 else [card_text(s.turned)],
        "dealer": int(s.dealer),
        "seat": None if s.over else int(s.seat),
        "turn": None if s.turn < 0 else int(s.turn),
        "phase": Phase(s.phase).name,
        "pending": [_entry(int(s.stack[k])) for k in range(int(s.depth) - 1, -1, -1)],
        "direction": int(s.direction),
        "to_follow": [RANKS[s.rank], None if s.phase == Phase.SUIT else SUITS[s.suit]] if dealt else [None, None],
        "anything": bool(s.free and s.phase == Phase.TURN),
        "run": run,
        "drawn": bool(s.drawn),
        "drawn_card": _card_or_none(s.drawn_card),
        "acted": bool(s.acted),
        "idle": int(s.idle),
        "liable": _members(s.liable, n),
        "exposed": _members(s.exposed, n),
        "open_left": [int(s.open_left[seat]) for seat in range(n)],
        "missing": [int(s.missing[seat]) for seat in range(n)],
        "grabbed": [int(s.grabbed[seat]) for seat in range(n)],
        "mojo": _members(int(r.mojo) | int(s.mojo), n),
        "scores": [int(s.scores[seat]) for seat in range(n)],
        "scorekeeper": None if s.scorekeeper < 0 or not s.scored else int(s.scorekeeper),
        "sudden_death": bool(s.sudden),
        "ruling": None if s.ruling < 0 else RULINGS[s.ruling],
        "hand_number": int(s.hand_number),
        "ledger": ledger(s, setting) if s.scored else [],
        "buried": [[card_text(s.stock[i]), int(i - s.top)] for i in _known_places(s)] if dealt else [],
        "known": [[_known(s, r, viewer, seat) for seat in range(n)] for viewer in range(n)],
        "penalty_known": [[bool(int(s.penalty_seen[seat]) >> 1 + v & 1 and v != seat) for seat in range(n)] for v in range(n)],
        "plucked_surely": [set_texts(*s.sure[seat]) for seat in range(2)] if n == 2 else [[] for _ in range(n)],
        "plucked_maybe": [set_texts(*s.maybe[seat]) for seat in range(2)] if n == 2 else [[] for _ in range(n)],
    }


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands, penalty and plucked cards and the stock are numbers of cards, but for open hands."""
    shown = reveal(s, setting)
    for k in range(setting.num_players):
        if k != seat:
            if k not in shown["exposed"]:
                shown["hands"][k] = len(shown["hands"][k])
            shown["penalty"][k] = len(shown["penalty"][k])
            shown["plucked"][k] = len(shown["plucked"][k])
            shown["plucked_surely"][seat] = shown["plucked_maybe"][seat] = []  # what another one knows
    shown["stock"] = len(shown["stock"])
    shown["known"] = shown["known"][seat]
    shown["penalty_known"] = shown["penalty_known"][seat]
    if s.turn != seat and not s.drawn_seen:
        shown["drawn_card"] = None
    return shown


def _rules(setting: Setting) -> np.record:
    from eightsenv.variants.house import HOUSE_EIGHTS

    return rules_row(HOUSE_EIGHTS, setting)[0]


def _zones(s: np.record, r: np.record, seat: int) -> tuple[list[str], list[str], list[str]]:
    """The hand, the penalty cards and the plucked cards of a seat."""
    plucked = set_texts(*s.plucked[seat]) if r.num_players == 2 else []
    return set_texts(*table.in_hand(s, r, seat)), set_texts(*s.penalty[seat]), plucked


def _known(s: np.record, r: np.record, viewer: int, seat: int) -> list[str]:
    return set_texts(*known.knows(s, r, 1 + viewer, seat)) if viewer != seat else []


def _card_or_none(card: int) -> str | None:
    return None if card < 0 else card_text(card)


def _members(seats: int, n: int) -> list[int]:
    return [seat for seat in range(n) if int(seats) >> seat & 1]


def _entry(entry: int) -> list[Any]:
    """An entry of the pending stack."""
    kind = _WAITING[effects.kind_of(entry)]
    about = effects.card_of(entry) if kind == "VOTE" else card_text(effects.card_of(entry))
    return [kind, effects.seat_of(entry), effects.player_of(entry), about, effects.due_of(entry)]


def _known_places(s: np.record) -> list[int]:
    return [i for i in range(s.top, s.end) if int(s.known_stock[i >> 6]) >> (i & 63) & 1]


# The ledger (HR-3)


def ledger(s: np.record, setting: Setting) -> list[dict[str, Any]]:
    """A row for each seat of the hand that was scored last: what its new total was made of."""
    chips = setting.options["scoring"] == "chips"
    rows = []
    for seat in range(setting.num_players):
        before = int(s.last_before[seat])
        change = int(s.last_payoff[seat]) // scoring.UNIT * (1 if chips else -1)
        rows.append(
            {
                "seat": seat,
                "cards": set_texts(*s.last_hands[seat]),
                "turned": _card_or_none(s.last_turned),
                "out": bool(s.last_winner == seat),
                "sudden_death": bool(s.last_sudden),
                "before": before,
                "borrowed": int(s.last_lent[seat]),
                "grabbed": int(s.last_grabbed[seat]),
                "total": before + change,
            }
        )
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
