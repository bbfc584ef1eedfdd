"""What a seat sees of Speculation, and the full-information vector: named sections of 0/1 bytes.

The lists of sections and the compiled writers have the same order.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot, put
from eightsenv.cards import CARDS, RANKS, SUITS
from eightsenv.game import Section
from eightsenv.variants.chips import match_sections
from eightsenv.variants.shedding import left_of
from eightsenv.variants.speculation.appraisal import odds, own_cards
from eightsenv.variants.speculation.options import POT_BINS
from eightsenv.variants.speculation.state import BALANCE_STEPS, BID, PACKET, Phase
from eightsenv.variants.tables import at_least, seats
from eightsenv.variants.writers import count_bits, put_match, seat_bit

ODDS = 16
"""Probabilities are shown in sixteenths."""
_POT_N, _BALANCE_N, _PHASES = len(POT_BINS), len(BALANCE_STEPS), len(Phase)


def _bins(r: np.record) -> tuple[str, ...]:
    """The texts of the features of a bid."""
    levels = [int(level) for level in r.bid_level]
    return at_least([levels.index(k + 1) for k in range(int(r.bid_bins))], "chips")


def _table_sections(r: np.record, all_bids: bool) -> list[Section]:
    """What lies open to everybody; seats relative to the first. ``all_bids``: sealed ones too."""
    n = int(r.num_players)
    balances = at_least([int(least) for least in r.balance_bins_of_sales], "chips")
    sections = [
        Section("phase", tuple(phase.name.lower() for phase in Phase), "one-hot", "what the seat to move decides"),
        Section("trump", tuple(SUITS), "one-hot", "suit of the turn-up"),
        Section("best", tuple(RANKS), "one-hot", "rank of the best trump"),
        Section("trumps_seen", tuple(RANKS), "set", "ranks of the trumps that were turned up or faced"),
        Section("pot", at_least(POT_BINS, "chips"), "thermometer", "chips in the pot"),
        Section("bought", ("bought",), "one-hot", "the owner has bought the best trump"),
        Section("turn_up", CARDS, "one-hot", "card that was turned up"),
        Section("turn", seats(n, "to move"), "one-hot", "who is to move; none after the end"),
        Section("dealer", seats(n, "dealer"), "one-hot", "who dealt"),
        Section("owner", seats(n, "owner"), "one-hot", "whose the best trump is"),
        Section("facer", seats(n, "facer"), "one-hot", "who faced the best trump; none for the turn-up"),
        Section("bidder", seats(n, "bidder"), "one-hot", "whose the best bid of this sale is, if it is not sealed"),
        Section("has_bid", seats(n, "has bid"), "set", "who has bid in this sale, or said 0"),
        Section("best_bid", _bins(r), "thermometer", "best bid of this sale, if it is not sealed"),
    ]
    for k in range(n):
        whose = "own seat" if k == 0 else f"the seat {k} to the left"
        sections += [
            Section(f"faced_{k}", CARDS, "set", f"cards that {whose} has faced"),
            Section(f"unfaced_{k}", at_least(range(1, PACKET + 1), "cards"), "thermometer", f"cards that {whose} has not faced"),
            Section(f"balance_{k}", balances, "thermometer", f"prices received less prices paid in this hand, of {whose}"),
        ]
    for k in range(n if all_bids or not r.sealed else 1):
        whose = "own bid" if k == 0 else f"bid {k} to the left"
        sections.append(Section(f"bid_{k}", _bins(r), "thermometer", f"{whose} in this sale"))
    return [*sections, *match_sections(r)]


def observation_sections(r: np.record) -> tuple[Section, ...]:
    """The observation of a seat under the rules ``r``, in order; own seat first."""
    sixteenths = tuple(f"{k} sixteenths or more" for k in range(1, ODDS + 1))
    own = [Section("own_cards", CARDS, "set", "own cards, once everybody has looked at theirs")] if r.look_on_court else []
    return (
        *own,
        Section("stands", sixteenths, "thermometer", "probability that the best trump is never beaten if its owner keeps it"),
        Section("stands_own", sixteenths, "thermometer", "the same if it is the own seat's"),
        *_table_sections(r, False),
    )


def state_vector_sections(r: np.record) -> tuple[Section, ...]:
    """The full-information vector under the rules ``r``, in order; seats are absolute, seat 0 first."""
    places = [
        Section(f"packet_{3 * k + place}", CARDS, "one-hot", f"card number {place + 1} to be faced of seat {k}, faced or not")
        for k in range(int(r.num_players))
        for place in range(PACKET)
    ]
    return (*places, *_table_sections(r, True))


@hot
def _bid_bits(r, amount):
    """The thermometer of a bid; none for no bid."""
    return bit(int(r.bid_level[max(amount, 0)])) - U(1)


@compiled
def _put_table(s, r, first, row, at, full):
    """The open table, with seats counted from ``first`` on; if ``full`` also sealed bids, else only that of ``first``."""
    n = r.num_players
    word = bit(s.phase) | bit(_PHASES + (s.best & 3)) | bit(_PHASES + 4 + (s.best >> 2))
    word |= s.trumps_seen << U(_PHASES + 17)
    size = _PHASES + 30
    if s.pot > 0:
        word |= r.pot_shown << U(size)
    size += _POT_N
    word |= U(s.bought) << U(size)
    at = put(row, at, word, size + 1)
    at = put(row, at, bit(s.turn_up), 52)
    word = seat_bit(s.dealer, first, n) << U(n) | seat_bit(s.owner, first, n) << U(2 * n)
    if not s.over:
        word |= seat_bit(s.seat, first, n)
    if s.facer >= 0:
        word |= seat_bit(s.facer, first, n) << U(3 * n)
    opened = full == 1 or r.sealed == 0 or s.phase != BID
    if opened and s.best_bid > 0:
        word |= seat_bit(s.bidder, first, n) << U(4 * n)
    for seat in range(n):
        if s.bids[seat] >= 0:
            word |= seat_bit(np.int64(seat), first, n) << U(5 * n)
    at = put(row, at, word, 6 * n)
    at = put(row, at, _bid_bits(r, s.best_bid if opened else np.int64(0)), r.bid_bins)
    seat = first
    for _ in range(n):
        word = s.faced[seat] | count_bits(s.unfaced[seat], np.int64(PACKET)) << U(52)
        word |= s.balance_shown[seat] << U(52 + PACKET)
        at = put(row, at, word, 52 + PACKET + _BALANCE_N)
        seat = left_of(seat, n)
    word = U(0)
    used = np.int64(0)
    for _ in range(n if full == 1 or r.sealed == 0 else 1):
        if used + r.bid_bins > 64:  # as many as fit are put at once: each put costs as much as ten other operations
            at = put(row, at, word, used)
            word = U(0)
            used = np.int64(0)
        word |= _bid_bits(r, np.int64(s.bids[seat])) << U(used)
        used += r.bid_bins
        seat = left_of(seat, n)
    at = put(row, at, word, used)
    return put_match(s, r, first, n, row, at) if r.match else at


@compiled
def observe(s, r, seat, row):
    """Write the observation of ``seat`` into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    if r.look_on_court:
        at = put(row, at, own_cards(s, seat) if s.looked else U(0), 52)
    kept, ways = odds(s, r, seat, s.owner)
    owned, _ = odds(s, r, seat, seat)
    at = put(row, at, bit(ODDS * kept // ways) - U(1) | (bit(ODDS * owned // ways) - U(1)) << U(ODDS), 2 * ODDS)
    return _put_table(s, r, seat, row, at, np.int64(0))


@compiled
def state_vector(s, r, row):
    """Write the full-information vector into ``row`` (uint8[:], padded); returns its length."""
    at = np.int64(0)
    for seat in range(r.num_players):
        for place in range(PACKET):
            at = put(row, at, bit(int(s.packets[seat, place])), 52)
    return _put_table(s, r, np.int64(0), row, at, np.int64(1))
