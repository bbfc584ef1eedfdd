"""Small positions with hidden cards: a record of what sampling needs, and all assignments by enumeration."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

from eightsenv.bits import U, compiled
from eightsenv.cards import card_id, card_text
from eightsenv.game import record_dtype
from eightsenv.variants import knowledge, sampling

SEATS, CARDS = 8, 104
POSITION = record_dtype(
    [
        ("chance", "u8"),
        ("over", "i8"),
        ("top", "i8"),
        ("end", "i8"),
        ("pile_n", "i8"),
        ("hands", "u8", (SEATS, 2)),
        ("caps", "u8", (SEATS, 2)),
        ("known", "u8", (SEATS, 2)),
        ("known_stock", "u8", (2,)),
        ("stock", "i1", (CARDS,)),
    ]
)
SCRATCH = sampling.scratch_dtype(SEATS, CARDS)


def classes(text: str) -> list[int]:
    """The classes of suits and ranks such as ``"H 8"``."""
    return ["CDHS".index(c) if c in "CDHS" else 4 + "23456789TJQKA".index(c) for c in text.split()]


def planes(cards: list[str]) -> list[int]:
    """Two planes of a hand."""
    ids = [card_id(card) for card in cards]
    return [sum(1 << c for c in set(ids)), sum(1 << c for c in set(ids) if ids.count(c) == 2)]


def texts(once: int, twice: int) -> list[str]:
    once, twice = int(once), int(twice)
    return [card_text(c) for c in range(52) for plane in (once, twice) if plane >> c & 1] if once else []


def position(
    hands: list[str],
    stock: str,
    caps: dict[int, dict[str, int]] | None = None,
    known: dict[int, str] | None = None,
    known_places: tuple[int, ...] = (),
    at: int = 20,
) -> np.ndarray:
    """An array of one position. ``caps``: by seat, class text -> bound; ``known_places``: from the top of the stock."""
    games = np.zeros(1, POSITION)
    s = games[0]
    for seat, hand in enumerate(hands):
        s.hands[seat] = planes(hand.split())
        s.known[seat] = planes((known or {}).get(seat, "").split())
        knowledge.clear_caps(s.caps[seat])
        for text, bound in (caps or {}).get(seat, {}).items():
            set_cap(s.caps[seat], classes(text)[0], bound)
    s.stock[:] = 51  # what lies outside the piles is garbage
    s.top, s.end = at, at + len(stock.split())
    s.stock[s.top : s.end] = [card_id(card) for card in stock.split()]
    s.pile_n = 2
    for place in known_places:
        i = at + place
        s.known_stock[i // 64] |= np.uint64(1 << i % 64)
    return games


def set_cap(caps: np.ndarray, k: int, bound: int) -> None:
    for plane in range(4):
        word, b = plane // 2, np.uint64(1 << k + 32 * (plane % 2))
        caps[word] = caps[word] | b if bound >> plane & 1 else caps[word] & ~b


def assignments(games: np.ndarray, n: int, seat: int, order: bool) -> Iterator[tuple]:
    """All assignments of physical cards that agree with the record: the faces of each hand, and of the stock.

    An assignment comes as often as copies of faces can be told apart in it. With ``order`` the stock is in order, else sorted.
    """
    s = games[0]
    hands = [texts(*s.hands[k]) for k in range(n)]
    known = [hands[k] if k == seat else texts(*s.known[k]) for k in range(n)]
    stock = [card_text(c) for c in s.stock[s.top : s.end]]
    fixed = {k for k in range(len(stock)) if int(s.known_stock[(s.top + k) // 64]) >> (s.top + k) % 64 & 1}
    pool = [card for k, card in enumerate(stock) if k not in fixed]
    for hand, shown in zip(hands, known, strict=True):
        rest = list(hand)
        for card in shown:
            rest.remove(card)
        pool += rest
    needs = [len(hands[k]) - len(known[k]) for k in range(n)]
    bounds = [bounds_of(s.caps[k]) for k in range(n)]
    for dealt, rest in deals(list(range(len(pool))), needs):
        new = [sorted(known[k] + [pool[i] for i in dealt[k]]) for k in range(n)]
        if all(k == seat or agrees(new[k], bounds[k]) for k in range(n)):
            for places in permutations(rest) if order else [sorted(rest)]:
                left = [pool[i] for i in places]
                full = [stock[k] if k in fixed else left.pop(0) for k in range(len(stock))]
                yield tuple(map(tuple, new)), tuple(full if order else sorted(full))


def deals(cards: list[int], needs: list[int]) -> Iterator[tuple[list[tuple], list[int]]]:
    if not needs:
        yield [], cards
        return
    for hand in combinations(cards, needs[0]):
        for others, rest in deals([c for c in cards if c not in hand], needs[1:]):
            yield [hand, *others], rest


def bounds_of(caps: np.ndarray) -> dict[int, int]:
    """The classes that are bounded, with their bounds."""
    bounds = {k: int(knowledge.cap_of(caps, np.int64(k))) for k in range(knowledge.CLASSES)}
    return {k: bound for k, bound in bounds.items() if bound < 15}


def agrees(hand: list[str], bounds: dict[int, int]) -> bool:
    """Whether a hand keeps within its bounds."""
    return all(sum(card in card_set(k) for card in hand) <= bound for k, bound in bounds.items())


@functools.cache
def card_set(k: int) -> frozenset[str]:
    return frozenset(card_text(c) for c in range(52) if (c & 3 == k if k < 4 else c >> 2 == k - 4))


@compiled
def sample(games, n, seat, scratch, results, stages):
    """Fill ``results`` with samples of the one position; counts in ``stages`` which stage gave each, 0 for none that was found."""
    w = scratch[0]
    for i in range(results.shape[0]):
        results[i] = games[0]
        sampling.reseed(results[i], U(i))
        found = sampling.resample(results[i], n, seat, w)
        stages[w.stage if found else 0] += 1


def samples(games: np.ndarray, n: int, number: int, stages: np.ndarray | None = None) -> np.ndarray:
    """So many samples of what seat 0 cannot know of the one position."""
    results = np.zeros(number, POSITION)
    sample(games, n, 0, np.zeros(1, SCRATCH), results, np.zeros(4, np.int64) if stages is None else stages)
    return results


@compiled
def sample_by(games, n, seat, scratch, stage, results):
    """The same by one stage alone; returns the tries that it took, -1 when the table of the second would be too large."""
    w = scratch[0]
    tries = 0
    for i in range(results.shape[0]):
        s = results[i]
        results[i] = games[0]
        sampling.reseed(s, U(i))
        sampling._gather(s, n, seat, w)
        seats = sampling._order(w, n)
        cards = sampling._count_ways(w, seats) if stage == sampling.BY_COUNT else np.int64(0)
        if cards < 0:
            return np.int64(-1)
        done = False
        while not done:
            tries += 1
            if stage == sampling.BY_SEAT:
                done = sampling._by_seat(s, w, seats)
            elif stage == sampling.BY_COUNT:
                done = sampling._by_count(s, w, seats, cards)
            else:
                done = sampling._by_repair(s, w, seats)
        sampling._deal_out(s, n, w)
    return tries


def held(s: np.record, n: int, order: bool) -> tuple:
    """A sample in the form of :func:`assignments`."""
    stock = [card_text(c) for c in s.stock[s.top : s.end]]
    hands = tuple(tuple(sorted(texts(*s.hands[k]))) for k in range(n))
    return hands, tuple(stock if order else sorted(stock))
