"""What a seat sees (the observation), and the full-information vector: named sections of 0/1 bytes.

The lists of sections below and the compiled writers have the same order; a test holds every section against the
state in words.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, put
from eightsenv.cards import CARDS as CARD_TEXTS
from eightsenv.cards import RANKS, SUITS
from eightsenv.game import Section
from eightsenv.variants.eights.play import fitting
from eightsenv.variants.eights.state import CARDS, CUT, DEMAND_PHASE, PENALTY, SCORE_BINS, SUIT, TURN, Phase
from eightsenv.variants.knowledge import CLASSES, capped
from eightsenv.variants.shedding import count_cards, left_of, stock_size

HAND_BINS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20)
STOCK_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
PENDING_BINS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30)
PLAYS_LEFT_BINS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
HANDS_PLAYED_BINS = (1, 2, 3, 4, 6, 8, 12, 16)
POINT_BINS = (1, 10, 20, 35, 50, 75, 100, 125, 150, 200, 250, 300)
BALANCE_BINS = (-200, -100, -50, -25, -10, 0, 1, 10, 25, 50, 100, 200)
DRAWN_BINS, MOST_DRAWN = 8, 52
"""How many draws of a turn are told apart: these when there is no limit, and as many as the rules allow up to a pack."""


def _thermometer(bins: tuple[int, ...], highest: int) -> np.ndarray:
    """The thermometer of each count in 0 … highest, as bit strings."""
    return np.array([sum(1 << k for k, least in enumerate(bins) if count >= least) for count in range(highest + 1)], np.uint64)


_HAND = _thermometer(HAND_BINS, CARDS)
_STOCK = _thermometer(STOCK_BINS, CARDS)
_PENDING = _thermometer(PENDING_BINS, PENDING_BINS[-1])
_PLAYS_LEFT = _thermometer(PLAYS_LEFT_BINS, PLAYS_LEFT_BINS[-1])
_HANDS_PLAYED = _thermometer(HANDS_PLAYED_BINS, HANDS_PLAYED_BINS[-1])
_HAND_N, _STOCK_N, _PENDING_N, _PLAYS_LEFT_N = len(HAND_BINS), len(STOCK_BINS), len(PENDING_BINS), len(PLAYS_LEFT_BINS)
_PENDING_TOP, _PLAYS_LEFT_TOP = PENDING_BINS[-1], PLAYS_LEFT_BINS[-1]
_HANDS_PLAYED_N, _HANDS_PLAYED_TOP = len(HANDS_PLAYED_BINS), HANDS_PLAYED_BINS[-1]


def score_bins(score_mode: int) -> tuple[int, ...]:
    """The thresholds of the score thermometers: points charged are never negative, balances are."""
    return POINT_BINS if score_mode == PENALTY else BALANCE_BINS


def _at_least(bins: tuple[int, ...], what: str) -> tuple[str, ...]:
    return tuple(f"{least} {what} or more" for least in bins)


def _seats(n: int, whose: str) -> tuple[str, ...]:
    return tuple(f"{whose} is {'own seat' if k == 0 else f'{k} to the left'}" for k in range(n))


def _table_sections(r: np.record) -> list[Section]:
    """What lies open to everybody, after the cards; seats relative to the first."""
    n = int(r.num_players)
    phases = list(Phase)[: r.phases]
    sections = [
        Section("top_rank", tuple(RANKS), "one-hot", "rank of the top discard"),
        Section("suit_in_force", tuple(SUITS), "one-hot", "suit in force; none while one is to be named"),
        Section("phase", tuple(phase.name.lower() for phase in phases), "one-hot", "what the seat to move decides"),
        Section("turn", _seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", _seats(n, "dealer"), "one-hot", "who dealt"),
        Section("stock_size", _at_least(STOCK_BINS, "cards"), "thermometer", "cards left in the stock"),
        Section("drawn", _at_least(tuple(range(1, r.drawn_bins + 1)), "cards"), "thermometer", "cards drawn in this turn"),
        Section(
            "passes", _at_least(tuple(range(1, r.pass_bins + 1)), "passes"), "thermometer",
            "passes in succession with nothing left to draw",
        ),
    ]  # fmt: skip
    if r.rare:
        sections += _rare_sections(n)
    for k in range(n):
        whose = "own hand" if k == 0 else f"the hand {k} to the left"
        sections.append(Section(f"hand_size_{k}", _at_least(HAND_BINS, "cards"), "thermometer", f"cards in {whose}"))
    if r.match:
        sections.append(
            Section("hands_played", _at_least(HANDS_PLAYED_BINS, "hands"), "thermometer", "finished hands of the match")
        )
        for k in range(n):
            whose = "own total" if k == 0 else f"the total {k} to the left"
            sections.append(
                Section(f"score_{k}", _at_least(score_bins(int(r.score_mode)), "points"), "thermometer", whose)
            )  # fmt: skip
    return sections


def _rare_sections(n: int) -> list[Section]:
    """What only some settings have: effects, seats that are out, demands, a limit of plays."""
    return [
        Section("reversed", ("counter-clockwise",), "one-hot", "the direction of play is reversed"),
        Section("pending", _at_least(PENDING_BINS, "cards"), "thermometer", "cards that the seat to move must draw"),
        Section("out", _seats(n, "out"), "set", "who has no cards left"),
        Section("passer", _seats(n, "passed"), "one-hot", "who has passed, while the others may demand a play"),
        Section("must_play", ("must play",), "one-hot", "a play was demanded of the seat to move"),
        Section("plays_left", _at_least(PLAYS_LEFT_BINS, "plays"), "thermometer", "plays until the hand ends, if it is limited"),
    ]


def _knowledge_sections(r: np.record) -> list[Section]:
    """What everybody knows of the other hands and of the stock."""
    classes = (*(f"suit {suit}" for suit in SUITS), *(f"rank {rank}" for rank in RANKS))
    wild = RANKS[r.wild_rank]
    sections = []
    for k in range(1, int(r.num_players)):
        whose = f"the hand {k} to the left"
        sections += [
            Section(f"none_{k}", classes, "set", f"no such card is in {whose}: its draws and passes prove it"),
            Section(f"at_most_one_{k}", classes, "set", f"at most one such card is in {whose}"),
            *_cards(f"known_{k}", r, f"wild cards, once buried, known to be in {whose}", tuple(wild + suit for suit in SUITS)),
        ]
    if r.burials:
        for k in range(r.burials):
            sections.append(
                Section(f"buried_{k}", tuple(wild + suit for suit in SUITS), "one-hot", f"buried card number {k} from the top")
            )
        sections.append(
            Section("above_buried", _at_least(STOCK_BINS, "cards"), "thermometer", "cards of the stock above the first buried one")
        )
    return sections


def _cards(name: str, r: np.record, meaning: str, texts: tuple[str, ...] = CARD_TEXTS) -> list[Section]:
    """A set of cards: one section, and one more for second copies when there are two packs."""
    sections = [Section(name, texts, "set", meaning)]
    if r.decks == 2:
        sections.append(Section(f"{name}_twice", texts, "set", f"{meaning}: both copies"))
    return sections


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    return (
        *_cards("hand", r, "own hand"),
        Section("playable", CARD_TEXTS, "set", "own cards that fit the table; none while a suit is to be named"),
        *_cards("pile", r, "cards in the discard pile"),
        *_table_sections(r),
        *_knowledge_sections(r),
    )


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    hands = [s for k in range(int(r.num_players)) for s in _cards(f"hand_{k}", r, f"hand of seat {k}")]
    return (
        *hands,
        *_cards("stock", r, "cards in the stock"),
        Section("next_card", CARD_TEXTS, "one-hot", "top card of the stock"),
        *_cards("pile", r, "cards in the discard pile"),
        *_table_sections(r),
    )


@compiled
def _put_cards(row, at, planes, decks):
    at = put(row, at, planes[0], 52)
    if decks == 2:
        at = put(row, at, planes[1], 52)
    return at


@compiled
def _seat_bit(seat, first, n):
    """One-hot of a seat, counted from the seat ``first`` on."""
    return bit(seat - first if seat >= first else seat - first + n)


@compiled
def _count_bits(count, most):
    """Thermometer of a count with the bins 1, 2 … most."""
    return bit(min(count, most)) - U(1)


@compiled
def _put_score(row, at, r, score):
    level = 0
    while level < SCORE_BINS and score >= r.score_bins[level]:
        level += 1
    return put(row, at, bit(level) - U(1), SCORE_BINS)


@compiled
def _put_table(s, r, first, row, at):
    """The open table, with seats counted from ``first`` on. Sections are joined in words first: each ``put`` costs."""
    n = r.num_players
    word = bit(17 + s.phase)
    if s.phase != CUT:
        word |= bit(s.rank)
        if s.phase != SUIT:
            word |= bit(13 + s.suit)
    size = 17 + r.phases
    if not s.over:
        word |= _seat_bit(s.seat, first, n) << U(size)
    word |= _seat_bit(s.dealer, first, n) << U(size + n)
    word |= _STOCK[stock_size(s)] << U(size + 2 * n)
    at = put(row, at, word, size + 2 * n + _STOCK_N)
    word = _count_bits(s.drawn, r.drawn_bins) | _count_bits(s.passes, r.pass_bins) << U(r.drawn_bins)
    at = put(row, at, word, r.drawn_bins + r.pass_bins)
    if r.rare:
        at = _put_rare(s, r, first, row, at)
    seat = first
    word = U(0)
    size = 0
    for _ in range(n):
        word |= _HAND[count_cards(s.hands[seat])] << U(size)
        size += _HAND_N
        if size + _HAND_N > 64:
            at = put(row, at, word, size)
            word = U(0)
            size = 0
        seat = left_of(seat, n)
    at = put(row, at, word, size)
    if r.match:
        at = put(row, at, _HANDS_PLAYED[min(s.hand_number, _HANDS_PLAYED_TOP)], _HANDS_PLAYED_N)
        for _ in range(n):
            at = _put_score(row, at, r, s.scores[seat])
            seat = left_of(seat, n)
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
            word |= _seat_bit(seat, first, n) << U(size)
    size += n
    if s.phase == DEMAND_PHASE:
        word |= _seat_bit(s.passer, first, n) << U(size)
    size += n
    word |= U(s.must_play) << U(size)
    at = put(row, at, word, size + 1)
    left = min(r.max_plays - s.plays, _PLAYS_LEFT_TOP) if r.max_plays > 0 else 0
    return put(row, at, _PLAYS_LEFT[left], _PLAYS_LEFT_N)


@compiled
def _put_knowledge(s, r, seat, row, at):
    """The sections of :func:`_knowledge_sections`."""
    n = r.num_players
    wild = U(4 * r.wild_rank)
    for _ in range(n - 1):
        seat = left_of(seat, n)
        caps = s.caps[seat]
        word = capped(caps, np.int64(0)) | capped(caps, np.int64(1)) << U(CLASSES)
        size = 2 * CLASSES
        for plane in range(r.decks):
            word |= (s.known[seat, plane] >> wild & U(0xF)) << U(size)
            size += 4
        at = put(row, at, word, size)
    return _put_buried(s, r, row, at) if r.burials else at


@compiled
def _put_buried(s, r, row, at):
    """The wild cards whose place in the stock everybody knows, from the top on, and how deep the first lies."""
    word = U(0)
    depth = np.int64(0)
    if s.known_stock[0] | s.known_stock[1] != U(0):
        found = 0
        for i in range(s.top, s.end):
            if (s.known_stock[i >> 6] >> U(i & 63)) & U(1) != U(0):
                if found == 0:
                    depth = i - s.top
                word |= bit(4 * found + (int(s.stock[i]) & 3))
                found += 1
    at = put(row, at, word, 4 * r.burials)
    return put(row, at, _STOCK[depth], _STOCK_N)


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    hand = s.hands[seat]
    at = _put_cards(row, np.int64(0), hand, r.decks)
    at = put(row, at, hand[0] & fitting(s, r) if s.phase == TURN or s.phase == DEMAND_PHASE else U(0), 52)
    at = _put_cards(row, at, s.pile_set[:], r.decks)
    at = _put_table(s, r, seat, row, at)
    return _put_knowledge(s, r, seat, row, at)


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        at = _put_cards(row, at, s.hands[seat], r.decks)
    once, twice = U(0), U(0)
    for i in range(s.top, s.end):
        card = bit(np.int64(s.stock[i]))
        twice |= once & card
        once |= card
    at = put(row, at, once, 52)
    if r.decks == 2:
        at = put(row, at, twice, 52)
    at = put(row, at, bit(np.int64(s.stock[s.top])) if s.top < s.end else U(0), 52)
    at = _put_cards(row, at, s.pile_set[:], r.decks)
    return _put_table(s, r, np.int64(0), row, at)
