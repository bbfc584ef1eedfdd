"""The public knowledge of hidden cards, and sampling of states that agree with what a seat knows."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled
from eightsenv.variants import knowledge

# Caps against a plain table


class PlainCaps:
    """Bounds by class as a dict; 15 is none."""

    def __init__(self):
        self.bound = dict.fromkeys(range(knowledge.CLASSES), 15)

    def prove(self, classes, most):
        for k in classes:
            self.bound[k] = min(self.bound[k], most)

    def draw(self):
        self.bound = {k: min(15, bound + 1) for k, bound in self.bound.items()}

    def play(self, card):
        for k in (card & 3, 4 + (card >> 2)):
            if self.bound[k] != 15:
                self.bound[k] = max(0, self.bound[k] - 1)


@compiled
def one_change(caps, what, argument):
    if what == 0:
        knowledge.clear_caps(caps)
    elif what == 1:
        knowledge.prove_none(caps, U(argument))
    elif what == 2:
        knowledge.prove_at_most(caps, U(argument), np.int64(1))
    elif what == 3:
        knowledge.caps_draw(caps)
    else:
        knowledge.caps_play(caps, argument)


@compiled
def read_caps(caps, bounds):
    for k in range(17):
        bounds[k] = knowledge.cap_of(caps, np.int64(k))
    return knowledge.capped(caps, np.int64(0)), knowledge.capped(caps, np.int64(1))


def set_of(elements):
    return sum(1 << k for k in elements)


def test_caps_are_those_of_a_plain_table():
    rng = np.random.default_rng(5)
    caps, bounds = np.zeros(2, np.uint64), np.zeros(17, np.int64)
    for _ in range(30):
        plain = PlainCaps()
        one_change(caps, 0, 0)
        for _ in range(200):
            classes = [int(k) for k in np.flatnonzero(rng.random(17) < 0.2)]
            what = int(rng.choice([1, 2, 3, 4], p=[0.06, 0.06, 0.5, 0.38]))
            card = int(rng.integers(52))
            one_change(caps, what, card if what == 4 else set_of(classes))
            if what <= 2:
                plain.prove(classes, what - 1)
            elif what == 3:
                plain.draw()
            else:
                plain.play(card)
            none, one = read_caps(caps, bounds)
            assert bounds.tolist() == list(plain.bound.values())
            assert int(none) == set_of(k for k, bound in plain.bound.items() if bound == 0)
            assert int(one) == set_of(k for k, bound in plain.bound.items() if bound <= 1)
