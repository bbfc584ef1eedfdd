"""What happens at a table and not in a program: accidents, accusations, loans (RULES.md, Appendix A-3).

Each is a change of a paused game that is no decision of the seat to move, which goes on with its decision afterwards. The votes
that an accusation brings are decisions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.bits import U
from eightsenv.cards import card_id
from eightsenv.variants.house.effects import settle
from eightsenv.variants.house.known import everybody, learn, one_seat
from eightsenv.variants.house.play import ask_voters
from eightsenv.variants.house.scoring import hand_value
from eightsenv.variants.house.state import ELECT, TURN, VOTE
from eightsenv.variants.house.table import draw_penalty, in_hand, next_seat, note_fumble, pick, show_card
from eightsenv.variants.house.text import RULINGS
from eightsenv.variants.shedding import add_card


def fumble(s: np.record, r: np.record, *, seat: int, card: str | None = "random") -> None:
    """A seat exposes a card of its hand, or a plucked one (HR-49), and draws a penalty card (HR-70, HR-71).

    ``card``: its text, ``"random"``, or None when nothing is exposed: a dealer who forgets L's rule (HR-62).
    """
    _require_dealt(s)
    seat = _seat("seat", seat, r)
    if card is None:
        draw_penalty(s, r, np.int64(seat))
        return
    once, twice = _hand(s, r, seat)
    if isinstance(card, str) and card == "random":
        if once == U(0):
            raise ValueError(f"seat {seat} has no card in the hand to expose")
        _expose(s, r, seat, int(pick(s, once, twice)))
    else:
        _expose(s, r, seat, _held(s, r, seat, card))


def furble(s: np.record, r: np.record, *, seat: int, card: str) -> None:
    """A seat says which card it holds, which is a fumble (HR-75)."""
    _require_dealt(s)
    seat = _seat("seat", seat, r)
    _expose(s, r, seat, _held(s, r, seat, card))


def draw_out_of_turn(s: np.record, r: np.record, *, seat: int) -> None:
    """A seat draws a card when it is not its turn: the card is its penalty card (HR-74)."""
    _require_dealt(s)
    seat = _seat("seat", seat, r)
    if s.phase == TURN and s.turn == seat:
        raise ValueError(f"it is the turn of seat {seat}: it cannot draw out of turn")
    draw_penalty(s, r, np.int64(seat))


def accuse_collaboration(s: np.record, r: np.record, *, a: int, b: int | None = None) -> None:
    """Seat ``a`` is accused of collaborating, with seat ``b`` if it is named too: the others vote, in turn order from ``a`` on
    (HR-68), the House decides a tie (HR-69), and who is guilty draws three cards (HR-67)."""
    _require_dealt(s)
    a = _seat("a", a, r)
    b = a if b is None else _other("b", b, a, r)
    if s.phase == VOTE:
        raise ValueError("a vote is being taken: it must end first")
    accused, partner = np.int64(a), np.int64(b)
    ask_voters(s, r, accused, partner, next_seat(s, r, accused), np.int64(0))
    settle(s, r)


def grab(s: np.record, r: np.record, *, offender: int, victim: int) -> None:
    """A seat picks up the cards of another one: it is charged their value, misses a turn (HR-77, HR-78), and has seen them."""
    _require_dealt(s)
    offender = _seat("offender", offender, r)
    victim = _other("victim", victim, offender, r)
    s.grabbed[offender] += hand_value(s, r, np.int64(victim))
    s.missing[offender] += 1
    learn(s, r, np.int64(victim), s.hands[victim, 0], s.hands[victim, 1], one_seat(np.int64(offender)))
    if s.penalty[victim, 0]:
        s.penalty_seen[victim] |= one_seat(np.int64(offender))
    if r.num_players == 2:
        s.sure[victim] = s.plucked[victim]
        s.maybe[victim] = 0


def deface(s: np.record, r: np.record, *, seat: int) -> None:
    """A seat damages the rules: it is dealt eight cards from the next deal of the episode on (HR-79).

    For later episodes name it in the option ``mojo_seats``.
    """
    _require_going_on(s)
    s.mojo |= 1 << _seat("seat", seat, r)


def loan(s: np.record, r: np.record, *, frm: int, to: int, k: int) -> None:
    """Seat ``frm`` lends ``k`` of its chips to seat ``to`` (HR-39); a repayment is a loan the other way round."""
    _require_going_on(s)
    if not r.chips:
        raise ValueError("chips are lent in the chips game only: scoring='chips'")
    frm = _seat("frm", frm, r)
    to = _other("to", to, frm, r)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= s.scores[frm]:
        raise ValueError(f"k is a number of chips from 1 to the {max(0, int(s.scores[frm]))} of seat {frm}, not {k!r}")
    for seat, chips in ((frm, -k), (to, k)):
        s.scores[seat] += chips
        s.lent[seat] += chips


def cut(s: np.record, r: np.record, *, pos: int) -> None:
    """The pack is cut before the deal: its top ``pos`` cards go under the rest."""
    _require_going_on(s)
    if s.phase != ELECT:
        raise ValueError("the pack is cut before the deal only, while the dealer chooses how many cards to deal")
    size = int(s.end - s.top)
    if isinstance(pos, bool) or not isinstance(pos, (int, np.integer)) or not 1 <= pos < size:
        raise ValueError(f"pos is a number of cards from 1 to {size - 1}, not {pos!r}")
    s.stock[s.top : s.end] = np.roll(s.stock[s.top : s.end], -int(pos))


def house_ruling(s: np.record, r: np.record, *, question: str, answer: str) -> None:
    """The House answers a question (HR-80), which the log records. To ``"collaboration"`` the answer is ``"guilty"``,
    ``"not_guilty"`` or ``"random"``: how tied votes are decided from now on (HR-69)."""
    _require_going_on(s)
    if not isinstance(question, str) or not isinstance(answer, str):
        raise ValueError("question and answer are texts")
    if question == "collaboration":
        if answer not in RULINGS:
            raise ValueError(f"the answer about collaboration is one of {', '.join(map(repr, RULINGS))}, not {answer!r}")
        s.ruling = RULINGS.index(answer)


def _expose(s: np.record, r: np.record, seat: int, card: int) -> None:
    """Everybody sees a card of the hand or a plucked one, and the seat draws a penalty card."""
    note_fumble(s, np.int64(seat), np.int64(card))
    face = U(1 << card)
    if _hand(s, r, seat)[0] & face:
        show_card(s, r, np.int64(seat), np.int64(card))
    else:
        learn(s, r, np.int64(seat), face, U(0), np.int64(everybody(r)))
        if not s.sure[seat, 0] & face:
            add_card(s.sure[seat], np.int64(card))
            s.maybe[seat] &= ~face
    draw_penalty(s, r, np.int64(seat))


def _held(s: np.record, r: np.record, seat: int, card: Any) -> int:
    """The id of a card that lies in a hand or plucked."""
    number = card_id(card)
    plucked = s.plucked[seat, 0] if r.num_players == 2 else U(0)
    if not (_hand(s, r, seat)[0] | plucked) & U(1 << number):
        raise ValueError(f"card is one that seat {seat} holds, no penalty card, not {card!r}")
    return number


def _hand(s: np.record, r: np.record, seat: int) -> tuple[np.uint64, np.uint64]:
    """The cards in the hand of a seat (planes)."""
    once, twice = in_hand(s, r, np.int64(seat))
    return U(once), U(twice)


def _require_going_on(s: np.record) -> None:
    if s.over:
        raise ValueError("the game is over")


def _require_dealt(s: np.record) -> None:
    """Raise ``ValueError`` unless a hand is being played."""
    _require_going_on(s)
    if s.phase == ELECT:
        raise ValueError("nothing is dealt yet")


def _seat(name: str, seat: Any, r: np.record) -> int:
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < r.num_players:
        raise ValueError(f"{name} is a seat from 0 to {r.num_players - 1}, not {seat!r}")
    return int(seat)


def _other(name: str, seat: Any, one: int, r: np.record) -> int:
    other = _seat(name, seat, r)
    if other == one:
        raise ValueError(f"{name} is another seat than {one}")
    return other


SCENARIOS = {
    function.__name__: function
    for function in (fumble, furble, draw_out_of_turn, accuse_collaboration, grab, deface, loan, cut, house_ruling)
}
"""The scenario calls of House Rules (RULES.md, A-3)."""
