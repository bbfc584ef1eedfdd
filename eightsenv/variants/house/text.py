"""House Rules in words: action texts, the state for logs, renderers and tests, and the picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.cards import RANKS, SUITS, card_text, set_texts
from eightsenv.game import Setting, rules_row
from eightsenv.variants.house import effects, known
from eightsenv.variants.house.audit import ledger
from eightsenv.variants.house.state import FACES, Phase
from eightsenv.variants.house.table import in_hand

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
    record, r = s, _rules(setting)
    s = _read_once(record)
    zones = [_zones(record, r, seat) for seat in range(n)]
    dealt = s.phase != Phase.ELECT
    run = [_RANK_TEXTS[s.run_rank], int(s.run_length)] if s.run_length else [None, 0]
    return {
        "hands": [hand for hand, _, _ in zones],
        "penalty": [penalty for _, penalty, _ in zones],
        "plucked": [plucked for _, _, plucked in zones],
        "stock": [card_text(card) for card in s.stock[s.top : s.end].tolist()],
        "discard": [card_text(card) for card in s.stock[: s.pile_n][::-1].tolist()],
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
        "drawn_card": None if s.drawn_card < 0 else _words([card_text(s.drawn_card)]),
        "acted": bool(s.acted),
        "idle": int(s.idle),
        "announced": int(s.announced),
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
        "redeals": int(s.redeals),
        "fumbles": [int(s.fumbles), int(s.fumbler), card_text(s.fumbled)] if s.fumbles else [0, None, None],
        "ledger": ledger(s, setting) if s.scored else [],
        "buried": [[card_text(s.stock[i]), int(i - s.top)] for i in _known_places(s)] if dealt else [],
        "known": [_known_by(record, r, viewer) for viewer in range(n)],
        "penalty_known": [[bool(int(s.penalty_seen[seat]) >> 1 + v & 1 and v != seat) for seat in range(n)] for v in range(n)],
        "plucked_surely": [_words(set_texts(*s.sure[seat])) if n == 2 else "" for seat in range(n)],
        "plucked_maybe": [_words(set_texts(*s.maybe[seat])) if n == 2 else "" for seat in range(n)],
    }


def view(s: np.record, setting: Setting, seat: int) -> dict[str, Any]:
    """The same for one seat: other hands, penalty and plucked cards and the stock are numbers of cards, but for those that all lie
    open to it."""
    shown = reveal(s, setting)
    for k in range(setting.num_players):
        if k != seat:
            if k not in shown["exposed"]:
                shown["hands"][k] = len(shown["hands"][k])
            if not shown["penalty_known"][seat][k]:
                shown["penalty"][k] = len(shown["penalty"][k])
            if shown["plucked_surely"][k] != _words(shown["plucked"][k]):
                shown["plucked"][k] = len(shown["plucked"][k])
            shown["plucked_surely"][seat] = shown["plucked_maybe"][seat] = ""  # what another one knows
            shown["grabbed"][k] = None  # the value of cards that it alone has seen
    shown["stock"] = len(shown["stock"])
    shown["known"] = shown["known"][seat]
    shown["penalty_known"] = shown["penalty_known"][seat]
    if s.turn != seat and not s.drawn_seen:
        shown["drawn_card"] = None
    return shown


class _Fields:
    """The fields of a record, each read once: ``np.record`` searches long for every one, every time."""

    def __init__(self, record: np.record):
        self._record = record

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = self._record[name]
        return value


def _read_once(record: np.record) -> Any:
    return _Fields(record)


def _rules(setting: Setting) -> np.record:
    from eightsenv.variants.house import HOUSE_EIGHTS

    return rules_row(HOUSE_EIGHTS, setting)[0]


def _zones(s: np.record, r: np.record, seat: int) -> tuple[list[str], list[str], list[str]]:
    """The hand, the penalty cards and the plucked cards of a seat."""
    plucked = set_texts(*s.plucked[seat]) if r.num_players == 2 else []
    return set_texts(*in_hand(s, r, seat)), set_texts(*s.penalty[seat]), plucked


def _known_by(s: np.record, r: np.record, viewer: int) -> list[str]:
    """What a seat knows of each hand; mostly nothing."""
    if not s.known[1 + viewer].any():
        return [""] * int(r.num_players)
    return [_words(set_texts(*known.knows(s, r, 1 + viewer, seat))) if seat != viewer else "" for seat in range(r.num_players)]


def _words(cards: list[str]) -> str:
    """Cards that lie elsewhere, as one text: they are no zone."""
    return "{" + " ".join(cards) + "}" if cards else ""


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
    places = int(s.known_stock[0]) | int(s.known_stock[1]) << 64
    return [i for i in range(s.top, s.end) if places >> i & 1] if places else []


# The picture


def table(zones: dict[str, Any]) -> dict[str, str]:
    """What lies on the table, for a person who plays."""
    suits = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades", None: "a suit to be named"}
    rank, suit = zones["to_follow"]
    pile, run = zones["discard"], zones["run"]
    lines = {
        "phase": zones["phase"].lower(),
        "dealer": f"agent_{zones['dealer']}",
        "scores": " ".join(map(str, zones["scores"])),
        "pile": f"{pile[0]} ({len(pile)} cards)" if pile else "empty",
        "follow": "anything" if zones["anything"] else f"{rank} or {suits[suit]}" if rank else "nothing yet",
        "stock": f"{zones['stock'] if isinstance(zones['stock'], int) else len(zones['stock'])} cards",
        "direction": "clockwise" if zones["direction"] > 0 else "counter-clockwise",
    }
    if run[1] > 1:
        lines["row"] = f"{run[1]} of {run[0]}"
    if zones["pending"]:
        lines["pending"] = ", ".join(_told_entry(entry) for entry in zones["pending"])
    for zone in ("liable", "exposed"):
        if zones[zone]:
            lines[zone] = _agents(zones[zone])
    for zone in ("penalty", "plucked", "known", "missing", "grabbed"):
        by_seat = {f"agent_{seat}": _told(value) for seat, value in enumerate(zones[zone]) if value and any(_listed(value))}
        if by_seat:
            lines[zone] = ", ".join(f"{agent} {told}" for agent, told in by_seat.items())
    if zones["turned"]:
        lines["turned"] = zones["turned"][0]
    if zones["sudden_death"]:
        lines["sudden death"] = "yes"
    return lines


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _told(value: Any) -> str:
    return " ".join(str(item) for item in _listed(value) if item)


def _agents(seats: list[int]) -> str:
    return " ".join(f"agent_{seat}" for seat in seats)


def _told_entry(entry: list[Any]) -> str:
    kind, seat, player, about, due = entry
    words = {
        "SUIT": f"agent_{seat} names a suit",
        "RESPOND": f"agent_{seat} answers {about}" + (f" or draws {due}" if due > 1 else ""),
        "PLUCK": f"agent_{seat} is to be plucked by agent_{player}",
        "CALL": f"agent_{seat} may call agent_{player}",
        "ANNOUNCE": f"agent_{seat} may announce",
        "VOTE": f"agent_{seat} votes about agent_{player}" + (f" and agent_{about}" if about != player else ""),
        "NEXT": f"agent_{seat} is next",
        "ROW_DRAW": f"agent_{seat} draws for the row",
        "EFFECT": f"{about} for agent_{seat}",
        "TURN_UP": "a card is turned",
    }
    return words[kind]
