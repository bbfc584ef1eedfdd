"""What a seat sees (the observation), and the full-information vector: named sections of 0/1 bytes.

Cards are shown twice where a learner gains by it: by their place in the pack, and *by trump*, in the order of their strength as
seen from the trump suit (:data:`BY_TRUMP`), which makes the four trump suits one. While trump is not fixed, the suit of the
flip stands for it. The lists of sections and the compiled writers have the same order.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, lowest, put
from eightsenv.cards import SUITS, card_text
from eightsenv.game import Section
from eightsenv.variants.eight_ball.options import SCORE_GAPS
from eightsenv.variants.eight_ball.state import (
    DISCARD,
    GHOST,
    HAND,
    LOWEST_BID,
    NOBODY,
    PACK_SIZE,
    TOP,
    TRICKS,
    Phase,
    by_place,
)
from eightsenv.variants.eight_ball.trumps import CARDS, EIGHT, JACK, members
from eightsenv.variants.shedding import left_of
from eightsenv.variants.tables import seats
from eightsenv.variants.writers import hands_played_section, put_match, seat_bit

PACK_TEXTS = tuple(card_text(card) for card in CARDS)
BY_TRUMP = (
    "8C", "right bower", "left bower", "A of trump", "K of trump", "Q of trump", "T of trump",
    *(f"{rank} of the other suit of that colour" for rank in "AKQT"),
    *(f"{rank} of the {which} suit of the other colour" for which in ("first", "second") for rank in "AKQJT"),
)  # fmt: skip
"""The cards in the order in which sections by trump have them."""
FLIPS = 3


def _order(trump: int) -> list[int]:
    """The cards in the order of BY_TRUMP."""
    same = 3 - trump
    others = [suit for suit in range(4) if suit not in (trump, same)]
    card = lambda rank, suit: 4 * rank + suit  # noqa: E731 - a line of notation
    return [
        int(EIGHT), int(JACK) + trump, int(JACK) + same,
        *(card(rank, trump) for rank in (12, 11, 10, 8)),
        *(card(rank, same) for rank in (12, 11, 10, 8)),
        *(card(rank, suit) for suit in others for rank in (12, 11, 10, 9, 8)),
    ]  # fmt: skip


def _turned_sets() -> np.ndarray:
    """By trump suit, and by each seven places in the pack: where a set of them lies in the order of BY_TRUMP."""
    table = np.zeros((4, 3, 128), np.uint64)
    for trump in range(4):
        order = _order(trump)
        for part in range(3):
            for chosen in range(128):
                cards = [CARDS[7 * part + k] for k in range(7) if chosen >> k & 1]
                table[trump, part, chosen] = sum(1 << order.index(card) for card in cards)
    return table


_TURNED = _turned_sets()
_SUIT_ORDER = np.array([[t, 3 - t, *(s for s in range(4) if s not in (t, 3 - t))] for t in range(4)])
_LOW7 = U(0x7F)
_DUE = 3


# The sections


def _whose(k: int, n: int) -> str:
    if n == 2 and k == GHOST:
        return "the ghost"
    return "own seat" if k == 0 else f"the seat {k} to the left"


def _cards(name: str, meaning: str, kind: str = "set") -> Section:
    return Section(name, PACK_TEXTS, kind, meaning)


def _by_trump(name: str, meaning: str, kind: str = "set") -> Section:
    return Section(name, BY_TRUMP, kind, f"{meaning}, by trump")


def _void(k: int, n: int, suits: tuple[str, ...]) -> list[Section]:
    whose = _whose(k, n)
    return [
        Section(f"void_{k}", tuple(SUITS), "set", f"suits of which {whose} has shown to hold nothing"),
        Section(f"void_by_trump_{k}", suits, "set", f"the same of {whose}, as seen from trump"),
    ]


def levels(n: int) -> tuple[str, ...]:
    """The words for the levels of a bid."""
    return (*(str(k) for k in range(LOWEST_BID[n], TRICKS + 1)), "alone" if n == 4 else "6")


def players(n: int) -> int:
    """How many hands take part in a trick, resting partners among them."""
    return 3 if n == 2 else n


def _table_sections(r: np.record) -> list[Section]:
    """What lies open to everybody; seats relative to the first."""
    n = int(r.num_players)
    bids = tuple(f"{level} {suit}" for level in levels(n) for suit in SUITS)
    suits = ("trump", "other suit of that colour", "first suit of the other colour", "second suit of the other colour")
    sections = [
        Section("phase", tuple(phase.name.lower() for phase in Phase), "one-hot", "what the seat to move decides"),
        Section("turn", seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", seats(n, "dealer"), "one-hot", "who dealt"),
        Section("trump", tuple(SUITS), "one-hot", "trump suit; none before the auction is won"),
        Section("flips", tuple(f"{k + 1} flips or more" for k in range(FLIPS)), "thermometer", "cards turned in this hand"),
        Section("due", tuple(f"{k + 1} or more" for k in range(_DUE)), "thermometer", "cards that the seat to move must discard"),
        Section("hidden_taken", tuple(f"{k} taken" for k in range(FLIPS)), "one-hot", "hidden cards asked for (two players)"),
        Section("led", tuple(SUITS), "one-hot", "suit led"),
        Section("led_by_trump", suits, "one-hot", "suit led, as seen from trump"),
        _cards("flip", "the flip while it lies face up", "one-hot"),
        _cards("flip_taken", "the flip that a seat took, as long as it is not played", "one-hot"),
        _cards("dead", "flips turned down"),
        Section("flip_taker", seats(n, "taker"), "one-hot", "who took the flip"),
        _cards("played", "cards of finished tricks"),
        _by_trump("played_by_trump", "cards of finished tricks"),
        _cards("trick", "cards of the trick on the table"),
        *(
            _by_trump(f"trick_{k}", f"card of {_whose(k, n)} in the trick on the table", "one-hot") for k in range(players(n))
        ),
        _by_trump("best", "the card that wins the trick so far", "one-hot"),
    ]  # fmt: skip
    for k in range(n):
        whose = _whose(k, n)
        sections += [
            Section(f"bids_{k}", bids, "set", f"bids of {whose} in this auction, or in the one that was won"),
            Section(f"passed_{k}", ("passed",), "one-hot", f"{whose} has passed (where passes are not final: since the last bid)"),
            *_void(k, n, suits),
        ]
    if n == 2:
        sections += _void(int(GHOST), n, suits)
    sections += [
        Section("bidder", seats(n, "bidder"), "one-hot", "whose bid stands"),
        Section("bid", levels(n), "one-hot", "the standing bid, or the contract"),
        Section("bid_suit", tuple(SUITS), "one-hot", "its suit"),
        *(
            Section(f"tricks_{k}", tuple(f"{t + 1} or more" for t in range(TRICKS)), "thermometer", f"tricks won by {_whose(k, n)}")
            for k in range(players(n))
        ),
    ]  # fmt: skip
    if r.match:
        sections.append(hands_played_section())
        bins = tuple(f"at most {gap} points below the target" for gap in SCORE_GAPS)
        for k in range(2 if n == 4 else n):
            whose = ("own side", "the other side")[k] if n == 4 else _whose(k, n)
            sections.append(Section(f"score_{k}", bins, "thermometer", f"total of {whose}"))
    return sections


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    return (
        _cards("hand", "own hand"),
        _by_trump("hand_by_trump", "own hand"),
        _cards("discarded", "own discards"),
        *_table_sections(r),
    )


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    sections: list[Section] = []
    for k in range(int(r.num_players)):
        sections += [_cards(f"hand_{k}", f"hand of seat {k}"), _cards(f"discarded_{k}", f"discards of seat {k}")]
    if r.num_players == 2:
        sections += [_cards("ghost", "cards of the ghost"), _cards("ghost_next", "its top card", "one-hot")]
    if r.num_players < 4:
        sections += [_cards("hidden", "cards not yet turned"), _cards("next_card", "the top one", "one-hot")]
    return (*sections, *_table_sections(r))


# The writers


@hot
def turned(cards, trump):
    """A set of card ids in the order of BY_TRUMP."""
    places = by_place(cards)
    turn = _TURNED[trump]
    return turn[0, places & _LOW7] | turn[1, (places >> U(7)) & _LOW7] | turn[2, places >> U(14)]


@hot
def _one(card):
    """One-hot of a card by its place in the pack; none for -1."""
    return by_place(bit(card)) if card >= 0 else U(0)


@hot
def _thermometer(count):
    return bit(count) - U(1)


@hot
def _reference(s):
    """The suit from which cards are seen: trump, or the flip's while there is none."""
    if s.trump >= 0:
        return s.trump
    return s.flip & 3


@compiled
def _suits_turned(suits, trump):
    """A set of suits as seen from trump."""
    word = U(0)
    for k in range(4):
        word |= ((suits >> U(_SUIT_ORDER[trump, k])) & U(1)) << U(k)
    return word


@compiled
def _put_decision(s, r, first, row, at):
    """The sections ``phase`` to ``led_by_trump``."""
    n = r.num_players
    word = bit(s.phase)
    size = 6
    if not s.over:
        word |= seat_bit(s.seat, first, n) << U(size)
    size += n
    word |= seat_bit(s.dealer, first, n) << U(size)
    size += n
    if s.trump >= 0:
        word |= bit(size + s.trump)
    size += 4
    word |= _thermometer(np.int64(s.flips)) << U(size)
    size += FLIPS
    if s.phase == DISCARD:
        word |= _thermometer(np.int64(s.dues[s.seat])) << U(size)
    size += _DUE
    if s.hidden_taken >= 0:
        word |= bit(size + int(s.hidden_taken))
    size += FLIPS
    if s.led >= 0 and not s.over:
        word |= bit(size + s.led)
        word |= _suits_turned(bit(s.led), s.trump) << U(size + 4)
    return put(row, at, word, size + 8)


@hot
def _card_of(s, seat):
    """The card of a seat in the trick on the table, -1 for none."""
    found = NOBODY
    for k in range(s.trick_n):
        if s.trick_seats[k] == seat:
            found = np.int64(s.trick_cards[k])
    return found


@compiled
def _put_cards(s, r, first, row, at, trump):
    """The sections ``flip`` to ``best``."""
    n = r.num_players
    trick = U(0)
    for k in range(s.trick_n):
        trick |= bit(np.int64(s.trick_cards[k]))
    dead = U(0)
    for k in range(s.dead_n):
        dead |= bit(np.int64(s.dead[k]))
    word = _one(s.flip) if s.flip_up else U(0)
    if s.taken >= 0 and (s.seen | trick) & bit(s.taken) == U(0):
        word |= _one(s.taken) << U(PACK_SIZE)
    at = put(row, at, word | by_place(dead) << U(2 * PACK_SIZE), 3 * PACK_SIZE)
    word = (seat_bit(s.taker, first, n) if s.taker >= 0 else U(0)) | by_place(s.seen) << U(n)
    at = put(row, at, word | turned(s.seen, trump) << U(n + PACK_SIZE), n + 2 * PACK_SIZE)
    at = put(row, at, by_place(trick), PACK_SIZE)
    for k in range(max(n, 3)):
        seat = GHOST if n == 2 and k == GHOST else (first + k) % n
        card = _card_of(s, seat)
        at = put(row, at, turned(bit(card), trump) if card >= 0 else U(0), PACK_SIZE)
    return put(row, at, turned(bit(s.best), trump) if s.trick_n > 0 else U(0), PACK_SIZE)


@compiled
def _put_seats(s, r, first, row, at, trump):
    """The sections ``bids_k`` to ``void_by_trump_k`` of each seat."""
    bids = 4 * (TOP - r.low + 1)
    seat = first
    for _ in range(r.num_players):
        word = s.calls[seat] | U((s.passed >> seat) & 1) << U(bids)
        at = put(row, at, word | _voids(s, r, seat, trump) << U(bids + 1), bids + 9)
        seat = left_of(seat, r.num_players)
    return put(row, at, _voids(s, r, GHOST, trump), 8) if r.num_players == 2 else at


@compiled
def _voids(s, r, seat, trump):
    """The suits of which a seat has shown to hold nothing, and the same as seen from trump."""
    barred = s.barred[seat]
    void = U(0)
    if barred != U(0):
        for suit in range(4):
            # 8C is a trump that need not always follow: the other cards of the suit tell.
            if barred & members(np.int64(suit), s.trump, r.follow) & ~bit(EIGHT) != U(0):
                void |= bit(suit)
    return void | _suits_turned(void, trump) << U(4)


@compiled
def _put_contract(s, r, first, row, at):
    """The sections ``bidder`` to ``tricks_k``."""
    n = r.num_players
    word = U(0)
    if s.bid_level > 0:
        word = seat_bit(s.bid_seat, first, n) | bit(n + s.bid_level - r.low) | bit(n + TOP - r.low + 1 + s.bid_suit)
    size = n + TOP - r.low + 5
    for k in range(max(n, 3)):
        seat = GHOST if n == 2 and k == GHOST else (first + k) % n
        word |= _thermometer(np.int64(s.tricks[seat])) << U(size)
        size += TRICKS
    return put(row, at, word, size)


@compiled
def _put_table(s, r, first, row, at):
    """The open table, with seats counted from ``first`` on."""
    trump = _reference(s)
    at = _put_decision(s, r, first, row, at)
    at = _put_cards(s, r, first, row, at, trump)
    at = _put_seats(s, r, first, row, at, trump)
    at = _put_contract(s, r, first, row, at)
    if r.match:
        at = put_match(s, r, first, np.int64(2) if r.num_players == 4 else r.num_players, row, at)
    return at


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    hand = s.hands[seat]
    word = by_place(hand) | turned(hand, _reference(s)) << U(PACK_SIZE) | by_place(s.thrown[seat]) << U(2 * PACK_SIZE)
    return _put_table(s, r, seat, row, put(row, np.int64(0), word, 3 * PACK_SIZE))


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        at = put(row, at, by_place(s.hands[seat]) | by_place(s.thrown[seat]) << U(PACK_SIZE), 2 * PACK_SIZE)
    if r.num_players == 2:
        left = U(0)
        for place in range(HAND):
            if s.ghost_left & bit(place) != U(0):
                left |= bit(np.int64(s.ghost[place]))
        top = _one(np.int64(s.ghost[lowest(s.ghost_left)])) if s.ghost_left != U(0) else U(0)
        at = put(row, at, by_place(left) | top << U(PACK_SIZE), 2 * PACK_SIZE)
    if r.num_players < 4:
        hidden = U(0)
        for k in range(s.top, s.end):
            hidden |= bit(np.int64(s.stock[k]))
        top = _one(np.int64(s.stock[s.top])) if s.top < s.end else U(0)
        at = put(row, at, by_place(hidden) | top << U(PACK_SIZE), 2 * PACK_SIZE)
    return _put_table(s, r, np.int64(0), row, at)
