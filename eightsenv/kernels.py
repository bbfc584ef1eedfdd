"""Templates of the kernels over many games; :mod:`eightsenv.engine` specialises them for one rule set.

None of these functions runs as it stands: the names of the rule functions (``deal``, ``legal``, ``apply`` …, see
:mod:`eightsenv.game`) and of the other templates are put into their globals for each rule set. Arguments, by name:

===============  ==================  ======================================================================
``games``        record[N]           the states
``words``        uint64[N, W]        the legal actions, as bit strings
``streams``      uint64[N, P]        the policy streams
``lanes``        record[N]           what else a game has beside its state, see :func:`lane_dtype`
``rules``        record[1]           the rules
``spare``        record[2]           a blank state, and a scratch one
``work``         record[1]           scratch, see :func:`work_dtype`
``scratch``      record[1]           scratch of ``determinize``
``rows``         int64[R]            which games a call is about (read as ``U(rows[k])``: an unsigned index is not asked
                                     whether it counts from the end, a twentieth of a step); ``actions`` (int32[R]) has their order
``obs``          uint8[N, …]         observations in padded rows; ``mask`` and ``full`` (state vector) likewise
``seat``         int8[N]             who is to move
``reward``       float32[N, P]       what each seat gained by the step
===============  ==================  ======================================================================

``FROZEN`` and ``RULES`` (record[1]) are constants: the rules that a kernel was compiled for, if only for them.
Helpers take records (``s``, ``r``, ``lane``, ``w``) where they can: a record is one pointer, an array seven words.
"""

# ruff: noqa: F821
# mypy: disable-error-code="name-defined"

from __future__ import annotations

import numpy as np

from eightsenv.atomics import add, exchange, load, replace, store, wait
from eightsenv.bits import U, lowest, nth, popcount, put
from eightsenv.game import UNIT, record_dtype
from eightsenv.rng import chance_seed, policy_below, policy_seed

RANDOM, GREEDY = 0, 1
"""The compiled policies by number."""
SCORED, TERMINATED, TRUNCATED = 1, 2, 4
"""What a step did."""
SAMPLE, CHECKED_STEP, STEP = 0, 1, 2
"""What threads are ordered to do."""

# The words of ``orders`` (int64[PARTS + T, atomics.ROW]) for T threads: an order, how far it is done, and a row for each thread,
# which begins with the part of that number and helps the others then.
ORDER, PROGRESS, PARTS = 0, 1, 2
NUMBER, WHAT, SIZE, SEED, TOTAL = 0, 1, 2, 3, 4
CHECKED, DONE, REFUSED, FAILED = 0, 1, 2, 3
CHECKS, WORKS, BEGIN, END, CHUNKS, SERVED, ASLEEP = 0, 1, 2, 3, 4, 5, 6
CLAIMS = 1 << 20
"""More than there are chunks of a part: a claim is the number of its order times this, and chunks claimed."""


def lane_dtype(seats: int) -> np.dtype:
    """``id`` and ``episode``, the chance seed; ``owed`` (if ``owes``): what forced actions at the start scored, paid with the first
    step. What every decision needs has arrays of its own: random choices take half the time.
    """
    return record_dtype(
        [
            ("id", "u8"),
            ("episode", "u8"),
            ("owes", "i8"),
            ("owed", "i8", (seats,)),
        ]
    )


def work_dtype(seats: int) -> np.dtype:
    """Scratch of one thread: ``gain`` of the step, and as it was before an action that may be taken back."""
    return record_dtype([("gain", "i8", (seats,)), ("kept_gain", "i8", (seats,))])


def open_episode(s, r, lane, seed, dealer):
    """Begin the lane's episode on a blank state: chance seeded, dealer chosen unless given (>= 0), nothing dealt."""
    s.chance = chance_seed(seed, lane.id, lane.episode)
    if dealer >= 0:
        s.dealer = dealer
    else:
        choose_dealer(s, r)
    fill(s, r)


def place(s, script, length):
    """Bring the scripted cards to the top of the undealt pack, in order."""
    for k in range(length):
        j = s.top + k
        while s.stock[j] != script[k]:
            j += 1
        s.stock[j] = s.stock[s.top + k]
        s.stock[s.top + k] = script[k]


def random_action(words, size, streams, seat):
    """A uniformly random element of the bit string ``words[:size]`` from the seat's policy stream."""
    total = popcount(words[0])
    for k in range(1, size):
        total += popcount(words[k])
    left = policy_below(streams, seat, total)
    k = np.int64(0)
    count = popcount(words[0])
    while left >= count:
        left -= count
        k += 1
        count = popcount(words[k])
    return 64 * k + nth(words[k], left)


def choose(s, r, words, streams, policy):
    """The action of a compiled policy for the seat to move."""
    if policy == GREEDY:
        return greedy(s, r, words)
    return random_action(words, r.words, streams, s.seat)


def only_action(words):
    """The single element of the bit string ``words``, or -1 if it has several."""
    found = np.int64(-1)
    for k in range(words.shape[0]):
        if words[k] != U(0):
            if found >= 0 or popcount(words[k]) > 1:
                return np.int64(-1)
            found = 64 * k + lowest(words[k])
    return found


def make_forced(games, i, r, words, spare, w):
    """Make the only legal action of the unfinished game ``i`` as long as it has just one (``auto_forced``).

    One that would end the episode is taken back. Leaves the legal actions in ``words`` (uint64[W]). Returns True when one scored.
    """
    scored = False
    while games[i].decisions + 1 < r.max_decisions:
        action = only_action(words)
        if action < 0:
            break
        spare[1] = games[i]
        for p in range(w.gain.shape[0]):
            w.kept_gain[p] = w.gain[p]
        scores = apply(games[i], r, action, w.gain)
        if games[i].over:
            games[i] = spare[1]
            for p in range(w.gain.shape[0]):
                w.gain[p] = w.kept_gain[p]
            break
        scored |= scores
        legal(games[i], r, words)
    return scored


def force_start(games, i, r, words, lane, spare, w):
    """Make the forced actions with which an episode begins; what they score is owed."""
    lane.owes = 1 if make_forced(games, i, r, words, spare, w) else 0
    for p in range(w.gain.shape[0]):
        lane.owed[p] = w.gain[p]
        w.gain[p] = 0


def pay(s, r, gain, reward):
    """Write the rewards of a step that scored (float32[P]) and clear ``gain``."""
    n = r.num_players
    if r.win == 0:
        for seat in range(n):
            reward[seat] = gain[seat] / UNIT
    elif s.over:
        won = winners(s, r)
        number = popcount(U(won))
        for seat in range(n):
            if number == 0 or number == n:
                reward[seat] = 0.0
            elif (won >> seat) & 1:
                reward[seat] = 1.0 / number
            else:
                reward[seat] = -1.0 / (n - number)
    for seat in range(gain.shape[0]):
        gain[seat] = 0


def advance(games, i, r, words, lane, spare, w, action, reward):
    """Make one legal action and the forced ones after it, and pay (``reward``: float32[P]); returns a sum of the flags above."""
    s = games[i]
    for p in range(r.num_players):
        reward[p] = 0.0
    scored = apply(s, r, action, w.gain)
    if not s.over:
        legal(s, r, words)
        if r.auto_forced:
            scored |= make_forced(games, i, r, words, spare, w)
    if r.auto_forced and lane.owes:
        scored = True
        lane.owes = 0
        for p in range(w.gain.shape[0]):
            w.gain[p] += lane.owed[p]
            lane.owed[p] = 0
    flags = np.int64(0)
    if scored:
        flags += SCORED
        pay(s, r, w.gain, reward)
    if s.over:
        flags += TERMINATED
    elif s.decisions >= r.max_decisions:
        flags += TRUNCATED
    return flags


def show(s, r, words, obs, mask, full):
    """Write what the seat to move sees, its mask, and the full-information vector if ``full`` has columns; returns its length."""
    observe(s, r, s.seat, obs)
    at = np.int64(0)
    for k in range(r.words):
        at = put(mask, at, words[k], 64)
    if full.shape[0] > 0:
        return state_vector(s, r, full)
    return np.int64(0)


def step_rows(
    games,
    words,
    lanes,
    rules,
    spare,
    work,
    seed,
    rows,
    actions,
    seat,
    obs,
    mask,
    full,
    reward,
    terminated,
    truncated,
    final_seat,
    final_obs,
):
    """Make the checked action of each game in ``rows``; one that ends restarts if ``final_obs`` has columns, else it stays over."""
    r = RULES[0] if FROZEN else rules[0]
    w = work[0]
    for k in range(rows.shape[0]):
        i = U(rows[k])
        s = games[i]
        lane = lanes[i]
        flags = advance(games, i, r, words[i], lane, spare, w, np.int64(actions[k]), reward[i])
        terminated[i] = flags & TERMINATED != 0
        truncated[i] = flags & TRUNCATED != 0
        if flags >= TERMINATED:
            if final_obs.shape[1] > 0:
                final_seat[i] = s.seat
                observe(s, r, s.seat, final_obs[i])
                games[i] = spare[0]
                lane.episode += U(1)
                open_episode(s, r, lane, seed, np.int64(-1))
                deal(s, r, np.int64(0))
                legal(s, r, words[i])
                if r.auto_forced:
                    force_start(games, i, r, words[i], lane, spare, w)
            else:
                for p in range(words.shape[1]):
                    words[i, p] = U(0)
        seat[i] = s.seat
        show(s, r, words[i], obs[i], mask[i], full[i])


def sample_rows(words, streams, rules, seat, rows, actions):
    """A uniformly random legal action for the seat to move of each game in ``rows``; the states themselves are not touched."""
    r = RULES[0] if FROZEN else rules[0]
    for k in range(rows.shape[0]):
        i = U(rows[k])
        actions[k] = random_action(words[i], r.words, streams[i], np.int64(seat[i]))


def first_illegal(words, rows, actions):
    """The first k whose action is not legal in its game (wrong, stale, out of range, or the game is over); -1 if there is none."""
    for k in range(rows.shape[0]):
        action = np.int64(actions[k])
        if action < 0 or action >= 64 * words.shape[1]:
            return k
        if (words[U(rows[k]), U(action >> 6)] >> U(action & 63)) & U(1) == U(0):
            return k
    return -1


def claim(orders, part, kind, number):
    """The number of the next chunk of a part of order ``number`` that nobody has begun with; -1 if there is none.

    ``kind``: :data:`CHECKS` or :data:`WORKS`. A claim holds the number of its order, so nobody claims for one that is over.
    """
    while True:
        word = load(orders, part, kind)
        k = word & (CLAIMS - 1)
        if word // CLAIMS != number or k >= load(orders, part, CHUNKS):
            return np.int64(-1)
        if replace(orders, part, kind, word, word + 1):
            return k


def next_rows(orders, member, kind, number):
    """The first row of a chunk of order ``number`` that nobody has begun with, and the row after its last; -1 and -1 for none.

    A thread begins with its own part, then takes what is left of the others'.
    """
    parts = orders.shape[0] - PARTS
    for d in range(parts):
        part = PARTS + (member + d) % parts
        k = claim(orders, part, kind, number)
        if k >= 0:
            begin = orders[part, BEGIN] + k * orders[ORDER, SIZE]
            return begin, min(begin + orders[ORDER, SIZE], orders[part, END])
    return np.int64(-1), np.int64(-1)


def wait_for(orders, kind, number):
    """Wait until all chunks of order ``number`` are :data:`CHECKED` or :data:`DONE`, or it is over, or a thread has failed."""
    times = np.int64(0)
    while (
        load(orders, PROGRESS, kind) < load(orders, ORDER, TOTAL)
        and load(orders, ORDER, NUMBER) == number
        and load(orders, PROGRESS, FAILED) == 0
    ):
        wait(times)
        times += 1


def check_share(orders, member, number, words, rows, actions):
    """Check the actions of chunks that nobody has begun with, until none is left; then wait for the others.

    Returns whether all actions of order ``number`` are legal, and the order is not over.
    """
    begin, end = next_rows(orders, member, CHECKS, number)
    while begin >= 0:
        if first_illegal(words, rows[begin:end], actions[begin:end]) >= 0:
            store(orders, PROGRESS, REFUSED, np.int64(1))
        add(orders, PROGRESS, CHECKED, np.int64(1))
        begin, end = next_rows(orders, member, CHECKS, number)
    wait_for(orders, CHECKED, number)
    return load(orders, PROGRESS, REFUSED) == 0


def do_share(
    orders, member, number, games, words, streams, lanes, rules, spare, work, rows, actions, seat, obs, mask, full,
    reward, terminated, truncated, final_seat, final_obs,
):  # fmt: skip
    """Do a thread's share of order ``number``, in chunks that nobody has begun with."""
    what = load(orders, ORDER, WHAT)
    if what == CHECKED_STEP and not check_share(orders, member, number, words, rows, actions):
        return
    begin, end = next_rows(orders, member, WORKS, number)
    while begin >= 0:
        if what == SAMPLE:
            sample_rows(words, streams, rules, seat, rows[begin:end], actions[begin:end])
        else:
            step_rows(
                games, words, lanes, rules, spare, work, U(orders[ORDER, SEED]), rows[begin:end], actions[begin:end],
                seat, obs, mask, full, reward, terminated, truncated, final_seat, final_obs,
            )  # fmt: skip
        add(orders, PROGRESS, DONE, np.int64(1))
        begin, end = next_rows(orders, member, WORKS, number)


def kernel_pack(games, rules):
    """Lay the undealt pack into the first of ``games``."""
    fill(games[0], rules[0])


def kernel_reset(games, words, lanes, rules, spare, seed, rows, scripts, lengths, dealers, seat, obs, mask, full):
    """Begin the current episode of the games ``rows``.

    Script k, or the only one, is for the k-th row: ``scripts`` (int8[M, K]), of which ``lengths`` (int64[M]) cards count, and
    ``dealers`` (int64[M], -1: as the rules say). Forced actions are left to ``kernel_force``: this way the first ``reset`` of
    all has little to compile.
    """
    r = rules[0]
    for k in range(rows.shape[0]):
        i = U(rows[k])
        m = k if lengths.shape[0] > 1 else 0
        games[i] = spare[0]
        s = games[i]
        lane = lanes[i]
        open_episode(s, r, lane, seed, dealers[m])
        place(s, scripts[m], lengths[m])
        deal(s, r, lengths[m])
        legal(s, r, words[i])
        seat[i] = s.seat
        show(s, r, words[i], obs[i], mask[i], full[i])


def kernel_force(games, words, lanes, rules, spare, work, rows, seat, obs, mask, full):
    """Make the forced actions with which the episodes of ``rows`` begin (``auto_forced``)."""
    r = rules[0]
    w = work[0]
    for k in range(rows.shape[0]):
        i = U(rows[k])
        s = games[i]
        lane = lanes[i]
        force_start(games, i, r, words[i], lane, spare, w)
        seat[i] = s.seat
        show(s, r, words[i], obs[i], mask[i], full[i])


def kernel_lead(
    orders, what, count, parts, size, seed, games, words, streams, lanes, rules, spare, work, rows, actions, seat, obs, mask, full,
    reward, terminated, truncated, final_seat, final_obs,
):  # fmt: skip
    """Give the order to do ``what`` with the first ``count`` of ``rows`` and ``actions``, in ``parts`` parts of chunks of ``size``.

    Does all of it that other threads (:func:`kernel_serve`) do not, and returns when it is done: True. When an action is not
    legal, nothing is done: False.
    """
    number = orders[ORDER, NUMBER] + 1
    # A thread may still be about to look for more of the last order. From here on it finds nothing: else it might take a chunk of
    # this one for it, from words that are about to change.
    for part in range(PARTS, orders.shape[0]):
        exchange(orders, part, CHECKS, number * CLAIMS)
        exchange(orders, part, WORKS, number * CLAIMS)
    store(orders, ORDER, WHAT, what)
    store(orders, PROGRESS, CHECKED, np.int64(0))
    store(orders, PROGRESS, REFUSED, np.int64(0))
    store(orders, PROGRESS, DONE, np.int64(0))
    orders[ORDER, SIZE] = size
    orders[ORDER, SEED] = np.int64(seed)
    total = np.int64(0)
    for m in range(orders.shape[0] - PARTS):
        part = PARTS + m
        orders[part, BEGIN] = count * min(m, parts) // parts
        orders[part, END] = count * min(m + 1, parts) // parts
        store(orders, part, CHUNKS, (orders[part, END] - orders[part, BEGIN] + size - 1) // size)
        total += orders[part, CHUNKS]
    store(orders, ORDER, TOTAL, total)
    store(orders, ORDER, NUMBER, number)
    do_share(
        orders, np.int64(0), number, games, words, streams, lanes, rules, spare, work, rows, actions, seat, obs, mask, full,
        reward, terminated, truncated, final_seat, final_obs,
    )  # fmt: skip
    if load(orders, PROGRESS, REFUSED) != 0:
        return False
    wait_for(orders, DONE, number)
    return True


def kernel_serve(
    orders, member, patience, games, words, streams, lanes, rules, spare, work, rows, actions, seat, obs, mask, full,
    reward, terminated, truncated, final_seat, final_obs,
):  # fmt: skip
    """Take part in orders as thread ``member`` (from 1 on), until none came while it looked ``patience`` times."""
    served = orders[PARTS + member, SERVED]
    times = np.int64(0)
    while times < patience:
        number = load(orders, ORDER, NUMBER)
        if number == served:
            wait(times)
            times += 1
        else:
            do_share(
                orders, member, number, games, words, streams, lanes, rules, spare, work, rows, actions, seat, obs, mask, full,
                reward, terminated, truncated, final_seat, final_obs,
            )  # fmt: skip
            served = number
            times = np.int64(0)
    orders[PARTS + member, SERVED] = served
    store(orders, PARTS + member, ASLEEP, np.int64(1))


def kernel_one(games, words, lanes, rules, spare, work, action, reward, obs, mask, full):
    """``kernel_step`` for the one game of an AEC environment, with few arguments: each costs. Returns flags + 8 * seat."""
    s = games[0]
    r = rules[0]
    lane = lanes[0]
    flags = advance(games, U(0), r, words[0], lane, spare, work[0], action, reward[0])
    if flags >= TERMINATED:
        for p in range(words.shape[1]):
            words[0, p] = U(0)
    show(s, r, words[0], obs[0], mask[0], full[0])
    return flags + 8 * s.seat


def kernel_refresh(games, words, rules, rows, seat, obs, mask, full):
    """Work out anew what the states of ``rows`` show, after records were put in place from outside.

    Returns the length of the full-information vector.
    """
    r = rules[0]
    size = np.int64(0)
    for k in range(rows.shape[0]):
        i = U(rows[k])
        s = games[i]
        for p in range(words.shape[1]):
            words[i, p] = U(0)
        if not s.over and s.decisions < r.max_decisions:
            legal(s, r, words[i])
        seat[i] = s.seat
        size = show(s, r, words[i], obs[i], mask[i], full[i])
    return size


def kernel_illegal(words, rows, actions):
    """:func:`first_illegal`"""
    return first_illegal(words, rows, actions)


def kernel_refused(games, words, rules, rows, actions):
    """The same for a rule set that accepts more than what is legal: the first k whose action its game does not accept."""
    for k in range(rows.shape[0]):
        action = np.int64(actions[k])
        if action < 0 or action >= 64 * words.shape[1]:
            return k
        over = True
        for p in range(words.shape[1]):
            over &= words[rows[k], p] == U(0)
        is_legal = (words[rows[k], action >> 6] >> U(action & 63)) & U(1) != U(0)
        if over or not (is_legal or accepted(games[rows[k]], rules[0], action)):
            return k
    return -1


def kernel_seed_policies(streams, lanes, seed):
    """Seed the policy streams of all games: a hash of (seed, game, seat) each."""
    for i in range(lanes.shape[0]):
        for p in range(streams.shape[1]):
            streams[i, p] = policy_seed(seed, lanes[i].id, U(p))


def kernel_choose(games, words, streams, rules, rows, policy, actions):
    """The action of a compiled policy for the seat to move of each game in ``rows``."""
    r = rules[0]
    for k in range(rows.shape[0]):
        i = U(rows[k])
        actions[k] = choose(games[i], r, words[i], streams[i], policy)


def kernel_look(games, rules, rows, seats, obs):
    """The observations of any seats: row k of ``obs`` (uint8[R, …]) is what ``seats[k]`` of game ``rows[k]`` sees.

    Returns the length of an observation.
    """
    size = np.int64(0)
    for k in range(rows.shape[0]):
        size = observe(games[rows[k]], rules[0], np.int64(seats[k]), obs[k])
    return size


def kernel_determinize(games, rules, scratch, seat, seed):
    """Sample anew what ``seat`` cannot know of the first of ``games``; False when what is known contradicts itself."""
    return determinize(games[0], rules[0], seat, seed, scratch[0])


def kernel_rollout(games, words, streams, lanes, rules, spare, work, seed, ids, policies, payoffs, lengths, truncated):
    """Play one episode of each game ``ids`` (uint64[G]) by compiled policies; returns the decisions made.

    ``policies`` (int64[1 or G, P]) by seat; ``payoffs`` (float32[G, P]) episode totals of the rewards. One game and one
    lane are enough: they are used again and again.
    """
    r = RULES[0] if FROZEN else rules[0]
    w = work[0]
    s = games[0]
    lane = lanes[0]
    decisions = 0
    for g in range(ids.shape[0]):
        lane.id = ids[g]
        lane.episode = U(0)
        for p in range(r.num_players):
            streams[0, p] = policy_seed(seed, ids[g], U(p))
        games[0] = spare[0]
        open_episode(s, r, lane, seed, np.int64(-1))
        deal(s, r, np.int64(0))
        m = g if policies.shape[0] > 1 else 0
        while True:
            legal(s, r, words[0])
            if r.auto_forced:
                make_forced(games, U(0), r, words[0], spare, w)
            apply(s, r, choose(s, r, words[0], streams[0], policies[m, s.seat]), w.gain)
            if s.over or s.decisions >= r.max_decisions:
                break
        decisions += s.decisions
        lengths[g] = s.decisions
        truncated[g] = s.over == 0
        for p in range(r.num_players):
            payoffs[g, p] = 0.0
        pay(s, r, w.gain, payoffs[g])
    return decisions


HOT_HELPERS = (random_action, choose, advance)
HELPERS = (
    open_episode,
    place,
    only_action,
    make_forced,
    force_start,
    pay,
    show,
    step_rows,
    sample_rows,
    first_illegal,
    claim,
    next_rows,
    wait_for,
    check_share,
    do_share,
)
FREEZABLE = (kernel_lead, kernel_serve, kernel_rollout)
KERNELS = (
    kernel_pack,
    kernel_reset,
    kernel_force,
    kernel_lead,
    kernel_serve,
    kernel_one,
    kernel_refresh,
    kernel_illegal,
    kernel_seed_policies,
    kernel_choose,
    kernel_look,
    kernel_determinize,
    kernel_rollout,
)
