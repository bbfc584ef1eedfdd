"""The random streams: splitmix64 (Steele, Lea, Flood 2014), one ``uint64`` of state each.

*Chance* (shuffles, a random dealer) lives in the game's record and is seeded by (seed, game, episode).
*Policy* randomness (random play, bots) lives outside the record, is seeded by (seed, game, seat) and never touches
chance: the same actions give the same game through every door.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, add64, compiled, hot, mul64

_GOLDEN = U(0x9E3779B97F4A7C15)
_CHANCE = U(0x632BE59BD9B4E019)
_POLICY = U(0xD1342543DE82EF95)


@hot
def mix64(x):
    """The splitmix64 finaliser: a bijection of 64-bit words without visible structure."""
    x = mul64(x ^ (x >> U(30)), U(0xBF58476D1CE4E5B9))
    x = mul64(x ^ (x >> U(27)), U(0x94D049BB133111EB))
    return x ^ (x >> U(31))


@compiled
def _keyed(domain, seed, a, b):
    """A hash of three 64-bit words in the given domain."""
    x = mix64(add64(seed, domain))
    x = mix64(add64(x, mul64(add64(a, U(1)), _GOLDEN)))
    return mix64(add64(x, mul64(add64(b, U(1)), _GOLDEN)))


@compiled
def chance_seed(seed, game, episode):
    """The chance stream of one episode: a hash of (seed, game, episode), all uint64."""
    return _keyed(_CHANCE, seed, game, episode)


@compiled
def policy_seed(seed, game, seat):
    """The policy stream of one seat of one game: a hash of (seed, game, seat), all uint64."""
    return _keyed(_POLICY, seed, game, seat)


@hot
def bounded(half, n):
    """32 random bits (a uint64 below 2**32) as an int in 0 … n-1; n < 2**31, the bias is below n / 2**32."""
    return np.int64((half * U(n)) >> U(32))


@hot
def chance_word(s):
    """64 random bits from the chance stream of the record ``s``."""
    s.chance = add64(s.chance, _GOLDEN)
    return mix64(s.chance)


@hot
def chance_below(s, n):
    """A uniform int in 0 … n-1 from the chance stream of the record ``s``."""
    return bounded(chance_word(s) >> U(32), n)


@hot
def chance_uniform(s):
    """A uniform float64 in [0, 1) from the chance stream of the record ``s``."""
    return np.float64(chance_word(s) >> U(11)) * 2.0**-53


@hot
def policy_below(streams, seat, n):
    """A uniform int in 0 … n-1 from the policy stream ``streams[seat]`` (uint64[:])."""
    streams[seat] = add64(streams[seat], _GOLDEN)
    return bounded(mix64(streams[seat]) >> U(32), n)


def check_seed(seed: int) -> int:
    """``seed`` itself. Raises ``TypeError`` unless it is an int, ``ValueError`` unless 0 <= seed < 2**64."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed is an int, not {seed!r}")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"a seed is an int from 0 to 2**64 - 1, not {seed}")
    return int(seed)
