"""Templates of the search bots; :mod:`eightsenv.engine` specialises them for one rule set, like those of :mod:`eightsenv.kernels`.

Both searches look at *worlds*: states that agree with what the seat to move knows, each sampled by ``determinize``, which seeds
the world's chance stream as well. A *simulation* plays a world on to the end of the hand at hand with the greedy policy in every
seat; under ``reward="win"`` it plays to the end of the episode. What it was worth to a seat is what the seat's side gained in it
above the mean of all other seats: points or chips, or shares of the win. Arguments, by name:

===============  ==================  ======================================================================
``roots``        record[N]           games, which are not touched
``words``        uint64[N, W]        their legal actions, as bit strings
``lanes``        record[N]           what names a search besides ``seed`` (:func:`eightsenv.kernels.lane_dtype`)
``rules``        record[1]           the rules
``rows``         int64[R]            the games to be searched
``sides``        int64[P]            the side of each seat
``games``        record[2]           scratch: a world, and one that is played on
``scratch``      record[1]           scratch of ``determinize`` and ``evaluate``
``work``         record[1]           scratch, see :func:`work_dtype`
``spare``        uint64[W]           scratch: a bit string of actions
``values``       float64[2, A]       PIMC's, by action: its worth in one world, and the sum over all worlds
``tree``         record[M]           the nodes of IS-MCTS, see :func:`node_dtype`: one more than there are iterations
``first, last``  int                 which simulations to make; those before ``first`` are in ``values`` or ``tree``
``actions``      int32[R]            result
===============  ==================  ======================================================================

A search returns -1, or the place in ``rows`` of a game that no world agrees with.
"""

# ruff: noqa: F821
# mypy: disable-error-code="name-defined"

from __future__ import annotations

import functools
import math

import numpy as np

from eightsenv import kernels
from eightsenv.bits import U, bit, lowest, without_lowest
from eightsenv.game import record_dtype
from eightsenv.rng import policy_seed

EXPLORATION = 1.0
"""The constant of UCB1, in standard deviations of what the simulations were worth: points and chips need no other scale."""
BREADTH = 0.5
"""A node tries another action only when it has tried fewer than ``BREADTH`` times the root of its visits (progressive widening,
Coulom 2007), greedy's own first. Trying all at once, 100 iterations played 8-ball almost three points a hand worse."""


@functools.cache
def work_dtype(seats: int) -> np.dtype:
    """Scratch of one thread. ``gain``, ``paid`` and ``worth`` are of one simulation, by seat; the rest of one tree."""
    return record_dtype(
        [
            ("gain", "i8", (seats,)),  # in 1/840
            ("paid", "f4", (seats,)),  # the reward
            ("worth", "f8", (seats,)),
            ("stream", "u8", (1,)),  # random choices of actions to try
            ("nodes", "i8"),
            ("total", "f8"),  # of what the simulations were worth to the searching seat,
            ("squares", "f8"),  # and of its squares
            ("tried", "i8"),  # children of the node that were available
            ("scale", "f8"),  # EXPLORATION standard deviations
        ]
    )


def node_dtype(seats: int) -> np.dtype:
    """A node of the tree: an information set as it arises from its parent by ``action``. Nodes are numbered; -1 is none."""
    return record_dtype(
        [
            ("action", "i8"),
            ("parent", "i8"),
            ("child", "i8"),  # the youngest
            ("sibling", "i8"),  # the next older
            ("visits", "i8"),
            ("available", "i8"),  # visits of the parent in which the action was legal
            ("worth", "f8", (seats,)),  # sum over the visits
        ]
    )


def evaluate(s, r, w, values):
    """What a rule set without an exact evaluation has in its place."""
    return False


def search_key(s, seed, game, episode):
    """The random numbers of a search: a hash of nothing but (seed, game, episode, decision, seat)."""
    return policy_seed(policy_seed(seed, game, episode), U(s.decisions), U(s.seat))


def hand_is_over(s, r, hand):
    """Whether a simulation that began in hand number ``hand`` ends here."""
    return s.over != 0 or s.decisions >= r.max_decisions or (r.win == 0 and s.hand_number != hand)


def begin_simulation(w):
    """Nobody has gained anything yet."""
    for p in range(w.gain.shape[0]):
        w.gain[p] = 0
        w.paid[p] = 0.0


def play_greedily(s, r, w, words, hand):
    """Play on with the greedy policy, and note in ``w.paid`` what it brought to each seat."""
    while not hand_is_over(s, r, hand):
        legal(s, r, words)
        apply(s, r, greedy(s, r, words), w.gain)
    pay(s, r, w.gain, w.paid)


def play_to_end(s, r, sides, w, words, hand):
    """Play a world on, and note in ``w.worth`` what the simulation was worth to each seat."""
    play_greedily(s, r, w, words, hand)
    for p in range(r.num_players):
        own, others, partners = 0.0, 0.0, np.int64(0)
        for q in range(r.num_players):
            if sides[q] == sides[p]:
                own += w.paid[q]
                partners += 1
            else:
                others += w.paid[q]
        w.worth[p] = own / partners - others / (r.num_players - partners)


# Foresight


def kernel_foresee(roots, words, rules, rows, sides, games, work, spare, worth):
    """What each legal action is worth if greedy play follows, with all cards as they lie (``worth``: float32[R, A])."""
    for i in range(rows.shape[0]):
        games[0] = roots[rows[i]]
        try_actions(games, rules[0], sides, work[0], words[rows[i]], spare, worth[i : i + 1])


def kernel_outlook(roots, rules, rows, games, work, spare, paid):
    """What greedy play brings to each seat from here on, with all cards as they lie (``paid``: float32[R, P], zeros before)."""
    r = rules[0]
    w = work[0]
    s = games[0]
    for i in range(rows.shape[0]):
        games[0] = roots[rows[i]]
        if s.over:
            continue  # what it has paid is not to come
        begin_simulation(w)
        play_greedily(s, r, w, spare, s.hand_number)
        for p in range(r.num_players):
            paid[i, p] = w.paid[p]


# PIMC


def try_actions(games, r, sides, w, words, spare, values):
    """Simulate each of the actions ``words`` in the world ``games[0]``: the same deal and chance for all of them."""
    world, s = games[0], games[1]
    for p in range(r.words):
        left = words[p]
        while left != U(0):
            action = 64 * p + lowest(left)
            left = without_lowest(left)
            games[1] = games[0]
            begin_simulation(w)
            apply(s, r, action, w.gain)
            play_to_end(s, r, sides, w, spare, world.hand_number)
            values[0, action] = w.worth[world.seat]


def best_sum(s, r, words, values):
    """The action with the greatest sum of values; among equals greedy's own choice, then the lowest."""
    best = greedy(s, r, words)
    for p in range(r.words):
        left = words[p]
        while left != U(0):
            action = 64 * p + lowest(left)
            left = without_lowest(left)
            if values[1, action] > values[1, best]:
                best = action
    return best


def kernel_pimc(roots, words, lanes, rules, rows, sides, games, scratch, work, spare, values, seed, first, last, actions):
    """Perfect-information Monte Carlo: the action that is best on average over worlds ``first`` to ``last``."""
    r = rules[0]
    for i in range(rows.shape[0]):
        row = rows[i]
        actions[i] = only_action(words[row])
        if actions[i] >= 0:
            continue
        s = roots[row]
        key = search_key(s, seed, lanes[row].id, lanes[row].episode)
        if first == 0:
            for action in range(values.shape[1]):
                values[1, action] = 0.0
        for k in range(first, last):
            games[0] = roots[row]
            if not determinize(games[0], r, s.seat, policy_seed(key, U(k), U(0)), scratch[0]):
                return i
            if not evaluate(games[0], r, scratch[0], values[0]):
                try_actions(games, r, sides, work[0], words[row], spare, values)
            for p in range(r.words):
                left = words[row, p]
                while left != U(0):
                    action = 64 * p + lowest(left)
                    left = without_lowest(left)
                    values[1, action] += values[0, action]
        actions[i] = best_sum(s, r, words[row], values)
    return -1


# IS-MCTS


def grow(tree, w, parent, action):
    """A new node; returns its number."""
    number = w.nodes
    w.nodes += 1
    node = tree[number]
    node.action = action
    node.parent = parent
    node.child = -1
    node.sibling = -1
    node.visits = 0
    node.available = 1
    for p in range(node.worth.shape[0]):
        node.worth[p] = 0.0
    if parent >= 0:
        node.sibling = tree[parent].child
        tree[parent].child = number
    return number


def select(tree, w, node, seat, words):
    """The child of a node with the highest upper confidence bound for ``seat`` among those whose action is legal, -1 if none is.

    Counts for each of them that it was available, all of them in ``w.tried``, and takes their actions out of ``words``: what is
    left is untried.
    """
    best, most = np.int64(-1), -np.inf
    w.tried = 0
    number = tree[node].child
    while number >= 0:
        child = tree[number]
        place, element = child.action >> 6, bit(child.action & 63)
        if words[place] & element != U(0):
            words[place] ^= element
            child.available += 1
            w.tried += 1
            bound = child.worth[seat] / child.visits + w.scale * math.sqrt(math.log(child.available) / child.visits)
            if bound > most:
                best = number
                most = bound
        number = child.sibling
    return best


def descend(s, r, tree, w, words, hand):
    """Play a world on as the tree says, until it has grown by a node, or to the end; returns the last node.

    The first action tried at a node is greedy's, the others follow in random order.
    """
    node = np.int64(0)
    while not hand_is_over(s, r, hand):
        legal(s, r, words)
        child = select(tree, w, node, s.seat, words)
        untried = U(0)
        for p in range(r.words):
            untried |= words[p]
        if untried != U(0) and (child < 0 or w.tried < BREADTH * math.sqrt(tree[node].visits)):
            action = greedy(s, r, words) if child < 0 else random_action(words, r.words, w.stream, np.int64(0))
            apply(s, r, action, w.gain)
            return grow(tree, w, node, action)
        apply(s, r, tree[child].action, w.gain)
        node = child
    return node


def back_up(tree, w, node, seat, visits):
    """Tell all nodes from ``node`` up to the root what the simulation was worth, the ``visits``-th of the tree."""
    while node >= 0:
        place = tree[node]
        place.visits += 1
        for p in range(place.worth.shape[0]):
            place.worth[p] += w.worth[p]
        node = place.parent
    w.total += w.worth[seat]
    w.squares += w.worth[seat] * w.worth[seat]
    mean = w.total / visits
    w.scale = EXPLORATION * math.sqrt(max(w.squares / visits - mean * mean, 0.0))


def most_visited(s, r, tree, words):
    """The action most visited at the root; among equals the one with the better mean, then the one tried first."""
    best = np.int64(-1)
    number = tree[0].child
    while number >= 0:
        child = tree[number]
        more = child.visits - tree[best].visits if best >= 0 else np.int64(1)
        if more > 0 or (more == 0 and child.worth[s.seat] >= tree[best].worth[s.seat]):
            best = number
        number = child.sibling
    return tree[best].action if best >= 0 else greedy(s, r, words)


def kernel_ismcts(roots, words, lanes, rules, rows, sides, games, scratch, work, spare, tree, seed, first, last, actions):
    """Information-set Monte Carlo tree search: iterations ``first`` to ``last`` of single-observer IS-MCTS."""
    r, w = rules[0], work[0]
    world = games[0]
    for i in range(rows.shape[0]):
        row = rows[i]
        actions[i] = only_action(words[row])
        if actions[i] >= 0:
            continue
        s = roots[row]
        key = search_key(s, seed, lanes[row].id, lanes[row].episode)
        if first == 0:
            w.nodes = 0
            w.total = 0.0
            w.squares = 0.0
            w.scale = 0.0
            grow(tree, w, np.int64(-1), np.int64(-1))
        for k in range(first, last):
            games[0] = roots[row]
            if not determinize(games[0], r, s.seat, policy_seed(key, U(k), U(0)), scratch[0]):
                return i
            w.stream[0] = policy_seed(key, U(k), U(1))
            begin_simulation(w)
            node = descend(world, r, tree, w, spare, s.hand_number)
            play_to_end(world, r, sides, w, spare, s.hand_number)
            back_up(tree, w, node, s.seat, k + 1)
        actions[i] = most_visited(s, r, tree, words[row])
    return -1


HOT_HELPERS = (kernels.random_action,)
HELPERS = (
    kernels.only_action,
    kernels.pay,
    evaluate,
    search_key,
    hand_is_over,
    begin_simulation,
    play_greedily,
    play_to_end,
    try_actions,
    best_sum,
    grow,
    select,
    descend,
    back_up,
    most_visited,
)
KERNELS = (kernel_foresee, kernel_outlook, kernel_pimc, kernel_ismcts)
