"""What a seat sees (the observation), and the full-information vector: named sections of 0/1 bytes.

The lists of sections below and the compiled writers have the same order; a test holds every section against the
state in words.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, put, without_lowest
from eightsenv.cards import CARDS as CARD_TEXTS
from eightsenv.cards import RANKS, SUITS
from eightsenv.game import Section
from eightsenv.variants.eights.play import fitting
from eightsenv.variants.eights.public import HAND_BINS, OF_HAND, SIZE
from eightsenv.variants.eights.state import CARDS, CUT, DEMAND_PHASE, PENALTY, TURN, Phase
from eightsenv.variants.shedding import left_of, stock_size
from eightsenv.variants.tables import at_least, seats, thermometer
from eightsenv.variants.writers import count_bits, hands_played_section, put_match, seat_bit

STOCK_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
PENDING_BINS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30)
PLAYS_LEFT_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
POINT_BINS = (1, 10, 20, 35, 50, 75, 100, 125, 150, 200, 250, 300)
BALANCE_BINS = (-200, -100, -50, -25, -10, 0, 1, 10, 25, 50, 100, 200)
DRAWN_BINS = 8
"""How many draws of a turn are told apart: so many that the open table fits into one word."""

_SIZES = np.array(SIZE)
_OF_HAND, _HAND_N = U(OF_HAND), len(HAND_BINS)
_STOCK = thermometer(STOCK_BINS, CARDS)
_PENDING = thermometer(PENDING_BINS, PENDING_BINS[-1])
_PLAYS_LEFT = thermometer(PLAYS_LEFT_BINS, PLAYS_LEFT_BINS[-1])
_STOCK_N, _PENDING_N, _PLAYS_LEFT_N = len(STOCK_BINS), len(PENDING_BINS), len(PLAYS_LEFT_BINS)
_PENDING_TOP, _PLAYS_LEFT_TOP = PENDING_BINS[-1], PLAYS_LEFT_BINS[-1]


def score_bins(score_mode: int) -> tuple[int, ...]:
    """The thresholds of the score thermometers: points charged are never negative, balances are."""
    return POINT_BINS if score_mode == PENALTY else BALANCE_BINS


def _table_sections(r: np.record) -> list[Section]:
    """What lies open to everybody, after the cards; seats relative to the first."""
    n = int(r.num_players)
    phases = list(Phase)[: r.phases]
    sections = [
        Section("suit_in_force", tuple(SUITS), "one-hot", "suit in force; none while one is to be named"),
        Section("phase", tuple(phase.name.lower() for phase in phases), "one-hot", "what the seat to move decides"),
        *_cards("pile", r, "cards in the discard pile"),
        Section("top_rank", tuple(RANKS), "one-hot", "rank of the top discard"),
        Section("turn", seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", seats(n, "dealer"), "one-hot", "who dealt"),
        Section("stock_size", at_least(STOCK_BINS, "cards"), "thermometer", "cards left in the stock"),
        Section("drawn", at_least(tuple(range(1, DRAWN_BINS + 1)), "cards"), "thermometer", "cards drawn in this turn"),
        Section(
            "passes", at_least(tuple(range(1, r.pass_bins + 1)), "passes"), "thermometer",
            "passes in succession with nothing left to draw",
        ),
    ]  # fmt: skip
    if r.rare:
        sections += _rare_sections(n)
    if r.match:
        sections.append(hands_played_section())
        for k in range(n):
            whose = "own total" if k == 0 else f"the total {k} to the left"
            sections.append(
                Section(f"score_{k}", at_least(score_bins(int(r.score_mode)), "points"), "thermometer", whose)
            )  # fmt: skip
    return sections


def _rare_sections(n: int) -> list[Section]:
    """What only some settings have: effects, seats that are out, demands, a limit of plays."""
    return [
        Section("reversed", ("counter-clockwise",), "one-hot", "the direction of play is reversed"),
        Section("pending", at_least(PENDING_BINS, "cards"), "thermometer", "cards that the seat to move must draw"),
        Section("out", seats(n, "out"), "set", "who has no cards left"),
        Section("passer", seats(n, "passed"), "one-hot", "who has passed, while the others may demand a play"),
        Section("must_play", ("must play",), "one-hot", "a play was demanded of the seat to move"),
        Section("plays_left", at_least(PLAYS_LEFT_BINS, "plays"), "thermometer", "plays until the hand ends, if it is limited"),
    ]


def _hand_size(k: int) -> Section:
    whose = "own hand" if k == 0 else f"the hand {k} to the left"
    return Section(f"hand_size_{k}", at_least(HAND_BINS, "cards"), "thermometer", f"cards in {whose}")


def _seat_sections(k: int, r: np.record) -> list[Section]:
    """What everybody sees and knows of another hand (public.note)."""
    whose = f"the hand {k} to the left"
    classes = (*(f"suit {suit}" for suit in SUITS), *(f"rank {rank}" for rank in RANKS))
    return [
        _hand_size(k),
        Section(f"none_{k}", classes, "set", f"no such card is in {whose}, as its draws and passes prove to all"),
        *_cards(f"known_{k}", r, f"wild cards, once buried, that all know to be in {whose}", _wilds(r)),
    ]


def _buried_sections(r: np.record) -> list[Section]:
    """The places of the stock that everybody knows."""
    return [
        *(
            Section(f"buried_{k}", _wilds(r), "one-hot", f"the buried wild card number {k}, from the top of the stock")
            for k in range(r.burials)
        ),
        Section("above_buried", at_least(STOCK_BINS, "cards"), "thermometer", "cards of the stock above the first buried one"),
    ]


def _wilds(r: np.record) -> tuple[str, ...]:
    return tuple(RANKS[r.wild_rank] + suit for suit in SUITS)


def _cards(name: str, r: np.record, meaning: str, texts: tuple[str, ...] = CARD_TEXTS) -> list[Section]:
    """A set of cards: one section, and one more for second copies when there are two packs."""
    sections = [Section(name, texts, "set", meaning)]
    if r.decks == 2:
        sections.append(Section(f"{name}_twice", texts, "set", f"{meaning}: both copies"))
    return sections


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    others = [section for k in range(1, int(r.num_players)) for section in _seat_sections(k, r)]
    return (
        *_cards("hand", r, "own hand"),
        _hand_size(0),
        Section("playable", CARD_TEXTS, "set", "own cards that fit the table; none while a suit is to be named"),
        *_table_sections(r),
        *others,
        *(_buried_sections(r) if r.burials else ()),
    )


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    hands = [s for k in range(int(r.num_players)) for s in _cards(f"hand_{k}", r, f"hand of seat {k}")]
    return (
        *hands,
        *_cards("stock", r, "cards in the stock"),
        Section("next_card", CARD_TEXTS, "one-hot", "top card of the stock"),
        *_table_sections(r),
    )


@hot
def _put_table(s, r, first, row, at, word):
    """The open table, with seats counted from ``first`` on, after the cards of ``word``.

    Sections are joined in words first: each ``put`` costs as much as ten other operations.
    """
    n = r.num_players
    if s.phase == TURN or s.phase == DEMAND_PHASE:
        word |= bit(52 + s.suit)
    word |= bit(56 + s.phase)
    at = put(row, at, word, 56 + r.phases)
    at = put(row, at, s.pile_set[0], 52)
    if r.decks == 2:
        at = put(row, at, s.pile_set[1], 52)
    word = bit(s.rank) if s.phase != CUT else U(0)
    size = np.int64(13)
    if not s.over:
        word |= seat_bit(s.seat, first, n) << U(size)
    size += n
    word |= seat_bit(s.dealer, first, n) << U(size)
    size += n
    word |= _STOCK[stock_size(s)] << U(size)
    size += _STOCK_N
    word |= count_bits(s.drawn, np.int64(DRAWN_BINS)) << U(size)
    size += DRAWN_BINS
    word |= count_bits(s.passes, r.pass_bins) << U(size)
    at = put(row, at, word, size + r.pass_bins)
    if r.rare:
        at = _put_rare(s, r, first, row, at)
    if r.match:
        at = put_match(s, r, first, n, row, at)
    return at


@compiled
def _put_rare(s, r, first, row, at):
    """The sections of :func:`_rare_sections`."""
    n = r.num_players
    word = U(1) if s.direction < 0 else U(0)
    size = 1
    word |= _PENDING[min(s.pending, _PENDING_TOP)] << U(size)
    size += _PENDING_N
    for seat in range(n):
        if (s.out >> seat) & 1:
            word |= seat_bit(seat, first, n) << U(size)
    size += n
    if s.phase == DEMAND_PHASE:
        word |= seat_bit(np.int64(s.passer), first, n) << U(size)
    size += n
    word |= U(s.must_play) << U(size)
    at = put(row, at, word, size + 1)
    left = min(r.max_plays - int(s.plays), _PLAYS_LEFT_TOP) if r.max_plays > 0 else 0
    return put(row, at, _PLAYS_LEFT[left], _PLAYS_LEFT_N)


@hot
def _put_others(s, r, first, row, at):
    """What everybody sees and knows of the other seats, as many as fit into a word at once."""
    size = _SIZES[r.decks]
    seat = first
    word = U(0)
    used = np.int64(0)
    for _ in range(r.num_players - 1):
        seat = left_of(seat, r.num_players)
        if used + size > 64:
            at = put(row, at, word, used)
            word = U(0)
            used = np.int64(0)
        word |= s.shown[seat] << U(used)
        used += size
    return put(row, at, word, used)


@compiled
def _buried(s, r):
    """The wild cards whose place in the stock everybody knows, from the top on, and how deep the first lies."""
    word = U(0)
    found = 0
    for k in range(2):
        places = s.known_stock[k]
        while places != U(0):
            i = 64 * k + lowest(places)
            places = without_lowest(places)
            if found == 0:
                word = _STOCK[i - s.top] << U(4 * r.burials)
            word |= bit(4 * found + (int(s.stock[i]) & 3))
            found += 1
    return word


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    hand = s.hands[seat]
    own = (s.shown[seat] & _OF_HAND) << U(52)
    at = np.int64(0)
    if r.decks == 1:
        at = put(row, at, hand[0] | own, 52 + _HAND_N)
    else:
        at = put(row, at, hand[0], 52)
        at = put(row, at, hand[1] | own, 52 + _HAND_N)
    fits = hand[0] & fitting(s, r) if s.phase == TURN or s.phase == DEMAND_PHASE else U(0)
    at = _put_table(s, r, seat, row, at, fits)
    at = _put_others(s, r, seat, row, at)
    if r.burials:
        hidden = s.known_stock[0] | s.known_stock[1] == U(0)
        at = put(row, at, U(0) if hidden else _buried(s, r), 4 * r.burials + _STOCK_N)
    return at


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        for plane in range(r.decks):
            at = put(row, at, s.hands[seat, plane], 52)
    once, twice = U(0), U(0)
    for i in range(s.top, s.end):
        card = bit(np.int64(s.stock[i]))
        twice |= once & card
        once |= card
    at = put(row, at, once, 52)
    if r.decks == 2:
        at = put(row, at, twice, 52)
    next_card = bit(np.int64(s.stock[s.top])) if s.top < s.end else U(0)
    return _put_table(s, r, np.int64(0), row, at, next_card)
