"""What a seat sees (the observation), and the full-information vector: named sections of 0/1 bytes.

The lists of sections below and the compiled writers have the same order; a test holds every section against the
state in words.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, put
from eightsenv.cards import RANKS, SUITS, card_text
from eightsenv.game import Section
from eightsenv.variants.house.effects import EFFECTS, card_of, due_of, kind_of, player_of, waiting
from eightsenv.variants.house.known import knows
from eightsenv.variants.house.play import answers, fitting, playable
from eightsenv.variants.house.state import (
    CARDS,
    ELECT,
    FACES,
    MS_DRAW,
    PLUCK,
    RESPOND,
    STARTER_BURY,
    SUIT,
    TURN,
    TURN_UP,
    VOTE,
    Phase,
)
from eightsenv.variants.house.table import in_hand, playable_zone
from eightsenv.variants.knowledge import known_place
from eightsenv.variants.shedding import count_cards, left_of, stock_size
from eightsenv.variants.tables import at_least, seats, thermometer
from eightsenv.variants.writers import hands_played_section, put_match, seat_bit

HAND_BINS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17)
FEW_BINS = (1, 2, 3)
RUN_BINS = (1, 2, 3, 4)
OPEN_BINS = (1, 2, 4, 8)
GRABBED_BINS = (1, 10, 20, 50, 100)
STOCK_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
DUE_BINS = (1, 2, 3, 4, 5, 6, 8, 10)
VOTE_BINS = (1, 2, 3, 4, 5)
POINT_BINS = (0, 1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
CHIP_BINS = (1, 10, 20, 40, 60, 80, 100, 120, 150, 200, 250, 300)
FACE_TEXTS = tuple(card_text(card) for card in range(FACES))
EFFECT_TEXTS = ("A", "2", "JC", "JS", "JH", "QH", "K")

_HAND = thermometer(HAND_BINS, CARDS)
_STOCK = thermometer(STOCK_BINS, CARDS)
_FEW = thermometer(FEW_BINS, CARDS)
_RUN = thermometer(RUN_BINS, RUN_BINS[-1])
_OPEN = thermometer(OPEN_BINS, CARDS)
_DUE = thermometer(DUE_BINS, 64)
_VOTES = thermometer(VOTE_BINS, 16)
_GRABBED = thermometer(GRABBED_BINS, GRABBED_BINS[-1])
_HAND_N, _STOCK_N, _FEW_N, _RUN_N, _OPEN_N = (len(bins) for bins in (HAND_BINS, STOCK_BINS, FEW_BINS, RUN_BINS, OPEN_BINS))
_DUE_N, _VOTE_N, _GRABBED_N = (len(bins) for bins in (DUE_BINS, VOTE_BINS, GRABBED_BINS))
_RUN_TOP, _GRABBED_TOP = RUN_BINS[-1], GRABBED_BINS[-1]
_EFFECT_N = len(EFFECT_TEXTS)
_PHASES = len(Phase)
_RANK_N, _RUN_RANKS = 13, 14
_EIGHTS_SHIFT = U(24)


def _cards(name: str, r: np.record, meaning: str) -> list[Section]:
    """A set of cards: one section, and one more for second copies when the pack has any."""
    sections = [Section(name, FACE_TEXTS, "set", meaning)]
    if r.double:
        sections.append(Section(f"{name}_twice", FACE_TEXTS, "set", f"{meaning}: both copies"))
    return sections


def _flag(name: str, text: str, meaning: str) -> Section:
    return Section(name, (text,), "one-hot", meaning)


def _table_sections(r: np.record) -> list[Section]:
    """What lies open to everybody; seats relative to the first."""
    n = int(r.num_players)
    sections = [
        Section("suit_to_follow", tuple(SUITS), "one-hot", "suit to follow; none while one is to be named, or before the deal"),
        Section("rank_to_follow", tuple(RANKS), "one-hot", "rank to follow, also under Jokers; none before the deal"),
        _flag("anything", "any card", "any card may be discarded in this turn: it follows a Jack of diamonds"),
        Section("phase", tuple(phase.name.lower() for phase in Phase), "one-hot", "what the seat to move decides"),
        Section("to_move", seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", seats(n, "dealer"), "one-hot", "who deals"),
        _flag("reversed", "counter-clockwise", "the direction of play is reversed"),
        Section("top_card", FACE_TEXTS, "one-hot", "card on top of the discard pile"),
        _flag("drawn", "drawn", "the draw of this turn was made"),
        _flag("acted", "acted", "the turn has begun: too late to call"),
        _flag("sudden_death", "sudden death", "who goes out first wins the game"),
        Section("ruling", ("not guilty", "guilty", "random"), "one-hot", "how the House has ruled on tied votes, if it has"),
        *_cards("pile", r, "cards in the discard pile"),
        Section("stock_size", at_least(STOCK_BINS, "cards"), "thermometer", "cards left in the stock"),
        Section("run_rank", (*RANKS, "X"), "one-hot", "rank of the row that M's rule counts"),
        Section("run_length", at_least(RUN_BINS, "cards"), "thermometer", "its length"),
        Section("turn", seats(n, "turn"), "one-hot", "whose turn it is, also while others are asked; none before the first"),
        Section("idle", at_least(tuple(range(1, n + 1)), "turns"), "thermometer", "turns in succession without draw or discard"),
        Section("in_question", EFFECT_TEXTS, "one-hot", "the card whose effect the seat to move suffers or answers"),
        Section("due", at_least(DUE_BINS, "cards"), "thermometer", "cards that it would draw"),
        Section("concerns", seats(n, "concerned"), "one-hot",
                "who played the card in question or the eight, did not announce, or is accused"),
        Section("partner", seats(n, "also accused"), "one-hot", "who is accused with it"),
        _flag("asked_second", "second", "the King's second question (king_joker)"),
        _flag("row_due", "a card due", "a draw by M's rule follows"),
        _flag("turn_due", "a card to turn", "a card to follow will be turned"),
        Section("guilty_votes", at_least(VOTE_BINS, "votes"), "thermometer", "votes for guilty so far"),
        Section("innocent_votes", at_least(VOTE_BINS, "votes"), "thermometer", "votes for innocent so far"),
    ]  # fmt: skip
    if r.match:
        sections.append(hands_played_section())
        for k in range(n):
            whose = "own total" if k == 0 else f"the total {k} to the left"
            bins = CHIP_BINS if r.chips else POINT_BINS
            sections.append(Section(f"score_{k}", at_least(bins, "chips" if r.chips else "points"), "thermometer", whose))
    for k in range(n):
        sections += _seat_sections(k)
    return sections


def _seat_sections(k: int) -> list[Section]:
    """What everybody sees of a seat."""
    whose = "the first seat" if k == 0 else f"the seat {k} to the left"
    return [
        Section(f"size_{k}", at_least(HAND_BINS, "cards"), "thermometer", f"all cards of {whose}"),
        Section(f"penalties_{k}", at_least(FEW_BINS, "cards"), "thermometer", f"penalty cards of {whose}"),
        Section(f"plucks_{k}", at_least(FEW_BINS, "cards"), "thermometer", f"plucked cards of {whose}"),
        _flag(f"liable_{k}", "liable", f"{whose} has not announced ONE CARD"),
        _flag(f"exposed_{k}", "open", f"the hand of {whose} lies open"),
        Section(f"open_left_{k}", at_least(OPEN_BINS, "turns"), "thermometer", f"turns until {whose} takes it up (jh_duration)"),
        _flag(f"missing_{k}", "misses a turn", f"{whose} is to miss a turn"),
        _flag(f"mojo_{k}", "mojo", f"{whose} has defaced the rules"),
    ]


_SEAT_N = _HAND_N + 2 * _FEW_N + _OPEN_N + 4


def _grabbed_section(k: int, whose: str) -> Section:
    """What a seat is charged for the cards of another that it picked up: only who has seen them knows."""
    return Section(f"grabbed_{k}", at_least(GRABBED_BINS, "points"), "thermometer", f"points charged to {whose} for cards grabbed")


def _buried_sections(r: np.record) -> list[Section]:
    """The places of the stock that everybody knows: eights that were turned as the starter."""
    eights = tuple(f"8{suit}" for suit in SUITS)
    return [
        *(
            Section(f"buried_{k}", eights, "one-hot", f"the buried eight number {k}, from the top of the stock")
            for k in range(burials(r))
        ),
        Section("above_buried", at_least(STOCK_BINS, "cards"), "thermometer", "cards of the stock above the first buried one"),
    ]


@hot
def burials(r):
    """How many buried eights are told apart."""
    return 8 if r.double else 4


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    n = int(r.num_players)
    sections = [*_cards("hand", r, "own hand"), *_cards("penalty", r, "own penalty cards")]
    if n == 2:
        sections += _cards("plucked", r, "own plucked cards")
    sections.append(Section("playable", FACE_TEXTS, "set", "own cards that may be discarded on the table, or answer what is asked"))
    sections += _table_sections(r)
    sections.append(_grabbed_section(0, "the own seat"))
    for k in range(1, n):
        sections += _cards(f"known_{k}", r, f"cards that are known to this seat among those of the seat {k} to the left")
        sections.append(_flag(f"penalty_known_{k}", "known", "this seat knows which of them are penalty cards"))
    if n == 2:
        sections += _cards("plucked_surely", r, "known cards of the other seat that lie plucked")
        sections += _cards("plucked_maybe", r, "known cards of the other seat that may lie plucked")
    return (*sections, *(_buried_sections(r) if r.starter_wild == STARTER_BURY else ()))


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    n = int(r.num_players)
    hands = [s for k in range(n) for s in _cards(f"hand_{k}", r, f"all cards of seat {k}")]
    penalties = [s for k in range(n) for s in _cards(f"penalty_{k}", r, f"penalty cards of seat {k}")]
    plucked = [s for k in range(n) for s in _cards(f"plucked_{k}", r, f"plucked cards of seat {k}")] if n == 2 else []
    return (
        *hands,
        *penalties,
        *plucked,
        *_cards("stock", r, "cards in the stock"),
        Section("next_card", FACE_TEXTS, "one-hot", "top card of the stock"),
        *_table_sections(r),
        *(_grabbed_section(k, f"seat {k}") for k in range(n)),
    )


@hot
def _put_cards(row, at, r, once, twice):
    """A set of cards (planes)."""
    at = put(row, at, once, FACES)
    if r.double:
        at = put(row, at, twice, FACES)
    return at


@hot
def _put_table(s, r, first, row, at):
    """The open table, with seats counted from ``first`` on. Sections are joined in words: each ``put`` costs."""
    n = r.num_players
    word = U(0)
    if s.phase != ELECT:
        word = bit(4 + s.rank)
        if s.phase != SUIT:
            word |= bit(s.suit)
        if s.free == 1 and s.phase == TURN:
            word |= bit(17)
    word |= bit(18 + s.phase)
    size = np.int64(18 + _PHASES)
    if not s.over:
        word |= seat_bit(s.seat, first, n) << U(size)
    size += n
    word |= seat_bit(s.dealer, first, n) << U(size)
    size += n
    if s.direction < 0:
        word |= bit(size)
    at = put(row, at, word, size + 1)
    word = bit(np.int64(s.stock[s.pile_n - 1])) if s.pile_n > 0 else U(0)
    word |= U(s.drawn | s.acted << 1 | np.int64(s.sudden) << 2) << U(FACES)
    if s.ruling >= 0:
        word |= bit(FACES + 3 + np.int64(s.ruling))
    at = put(row, at, word, FACES + 6)
    at = _put_cards(row, at, r, s.pile_set[0], s.pile_set[1])
    word = _STOCK[stock_size(s)]
    if s.run_length > 0:
        word |= bit(_STOCK_N + s.run_rank) | _RUN[min(s.run_length, _RUN_TOP)] << U(_STOCK_N + _RUN_RANKS)
    size = np.int64(_STOCK_N + _RUN_RANKS + _RUN_N)
    if s.turn >= 0:
        word |= seat_bit(s.turn, first, n) << U(size)
    size += n
    word |= (bit(s.idle) - U(1)) << U(size)
    at = put(row, at, word, size + n)
    size = np.int64(_EFFECT_N + _DUE_N + 2 * n + 3 + 2 * _VOTE_N)
    at = put(row, at, U(0) if s.phase == TURN else _waiting_word(s, r, first), size)
    if r.match:
        at = put_match(s, r, first, n, row, at)
    return _put_seats(s, r, first, row, at)


@compiled
def _waiting_word(s, r, first):
    """The sections about what waits on the pending stack."""
    n = r.num_players
    if s.phase == ELECT:
        return U(0)
    entry = waiting(s)
    phase, card, due = kind_of(entry), card_of(entry), due_of(entry)
    word = U(0)
    if phase == RESPOND or phase == PLUCK:
        word |= bit(EFFECTS[card] - 1)
        if n == 2 or EFFECTS[card] != _EFFECT_N:
            word |= _DUE[due] << U(_EFFECT_N)
    size = np.int64(_EFFECT_N + _DUE_N)
    word |= seat_bit(player_of(entry), first, n) << U(size)
    size += n
    if phase == VOTE:
        word |= seat_bit(card, first, n) << U(size)
        word |= (_VOTES[due & 15] | _VOTES[due >> 4] << U(_VOTE_N)) << U(size + n + 3)
    size += n
    if phase == RESPOND and EFFECTS[card] == _EFFECT_N:
        word |= U(due) << U(size)
    for k in range(s.depth - 1):
        kind = kind_of(s.stack[k])
        if kind == MS_DRAW:
            word |= bit(size + 1)
        elif kind == TURN_UP:
            word |= bit(size + 2)
    return word


@hot
def _put_seats(s, r, first, row, at):
    """What everybody sees of the seats, as many as fit into a word at once."""
    seat = first
    word = U(0)
    used = np.int64(0)
    for _ in range(r.num_players):
        if used + _SEAT_N > 64:
            at = put(row, at, word, used)
            word = U(0)
            used = np.int64(0)
        word |= _seat_word(s, r, seat) << U(used)
        used += _SEAT_N
        seat = left_of(seat, r.num_players)
    return put(row, at, word, used)


@hot
def _seat_word(s, r, seat):
    word = _HAND[count_cards(s.hands[seat])]
    if s.penalty[seat, 0] != U(0):
        word |= _FEW[count_cards(s.penalty[seat])] << U(_HAND_N)
    if r.num_players == 2:
        word |= _FEW[count_cards(s.plucked[seat])] << U(_HAND_N + _FEW_N)
    size = _HAND_N + 2 * _FEW_N
    word |= U((s.liable >> seat) & 1) << U(size)
    if (s.exposed >> seat) & 1:
        word |= bit(size + 1) | _OPEN[s.open_left[seat]] << U(size + 2)
    size += 2 + _OPEN_N
    if s.missing[seat] > 0:
        word |= bit(size)
    return word | U(((r.mojo | s.mojo) >> seat) & 1) << U(size + 1)


@hot
def _put_grabbed(s, seat, row, at):
    return put(row, at, _GRABBED[max(np.int64(0), min(np.int64(s.grabbed[seat]), _GRABBED_TOP))], _GRABBED_N)


@hot
def _put_known(s, r, seat, row, at):
    """What the seat knows of the cards of the others."""
    n = r.num_players
    other = seat
    for _ in range(n - 1):
        other = left_of(other, n)
        once, twice = knows(s, r, 1 + seat, other)
        seen = U((int(s.penalty_seen[other]) >> (1 + seat)) & 1) << U(FACES)
        if r.double:
            at = put(row, at, once, FACES)
            at = put(row, at, twice | seen, FACES + 1)
        else:
            at = put(row, at, once | seen, FACES + 1)
    if n == 2:
        at = _put_cards(row, at, r, s.sure[other, 0], s.sure[other, 1])
        at = _put_cards(row, at, r, s.maybe[other, 0], s.maybe[other, 1])
    return at


@compiled
def _put_buried(s, r, row, at):
    """The eights whose place in the stock everybody knows, from the top on, and how deep the first lies."""
    most = burials(r)
    word = U(0)
    found = 0
    if s.known_stock[0] | s.known_stock[1] != U(0):
        for i in range(s.top, s.end):
            if known_place(s, i):
                if found == 0:
                    word = _STOCK[i - s.top] << U(4 * most)
                word |= bit(4 * found + (int(s.stock[i]) & 3))
                found += 1
    return put(row, at, word, 4 * most + _STOCK_N)


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    once, twice = in_hand(s, r, seat)
    at = _put_cards(row, np.int64(0), r, once, twice)
    at = _put_cards(row, at, r, s.penalty[seat, 0], s.penalty[seat, 1])
    if r.num_players == 2:
        at = _put_cards(row, at, r, s.plucked[seat, 0], s.plucked[seat, 1])
    at = put(row, at, _playable(s, r, seat), FACES)
    at = _put_table(s, r, seat, row, at)
    at = _put_grabbed(s, seat, row, at)
    at = _put_known(s, r, seat, row, at)
    if r.starter_wild == STARTER_BURY:
        at = _put_buried(s, r, row, at)
    return at


@hot
def _playable(s, r, seat):
    """Cards of a seat that may be discarded now, or could be if it were its turn."""
    if s.phase == TURN:
        if seat == s.seat:
            return playable(s, r, seat)
        cards, _ = playable_zone(s, seat)
        return cards & fitting(s, r)
    if seat == s.seat and (s.phase == RESPOND or s.phase == PLUCK):
        cards, _ = playable_zone(s, seat)
        return cards & answers(s, r)
    return U(0)


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    n = r.num_players
    for seat in range(n):
        at = _put_cards(row, at, r, s.hands[seat, 0], s.hands[seat, 1])
    for seat in range(n):
        at = _put_cards(row, at, r, s.penalty[seat, 0], s.penalty[seat, 1])
    if n == 2:
        for seat in range(n):
            at = _put_cards(row, at, r, s.plucked[seat, 0], s.plucked[seat, 1])
    once, twice = U(0), U(0)
    for i in range(s.top, s.end):
        card = bit(np.int64(s.stock[i]))
        twice |= once & card
        once |= card
    at = _put_cards(row, at, r, once, twice)
    at = put(row, at, bit(np.int64(s.stock[s.top])) if s.top < s.end else U(0), FACES)
    at = _put_table(s, r, np.int64(0), row, at)
    for seat in range(n):
        at = _put_grabbed(s, np.int64(seat), row, at)
    return at
