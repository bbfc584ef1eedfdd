"""What follows a discard: the pending stack, the effects of special cards, and whose turn it is next (RULES.md 8.8 and 8.10).

Consequences that wait are entries of a stack in the state, the next one last. Those that are decisions (the first eight kinds,
numbered as the phases) wait there for their seat; the others happen as soon as they are on top. With an empty stack the turn
goes on.
"""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, compiled, hot
from eightsenv.rng import chance_below, chance_uniform
from eightsenv.variants.house.state import (
    ACE,
    CALL,
    EFFECT,
    FACES,
    JACK_C,
    JACK_D,
    JACK_H,
    JACK_S,
    JOKER_RANK,
    KING,
    KING_BOTH,
    KING_NEW_NEXT,
    MS_DRAW,
    NEXT,
    NO_EFFECT,
    PLUCK,
    QUEEN_H,
    RESPOND,
    TURN,
    TWO,
    VOTE,
)
from eightsenv.variants.house.table import (
    NO_CARD,
    count_run,
    draw_cards,
    fumble,
    in_hand,
    next_seat,
    open_hand,
    pick,
    swap,
    turn_begins,
    turn_ends,
    turn_up,
)
from eightsenv.variants.shedding import beside

_RANK_EFFECTS = {0: TWO, 11: KING, 12: ACE}
_CARD_EFFECTS = {36: JACK_C, 37: JACK_D, 38: JACK_H, 39: JACK_S, 42: QUEEN_H}
EFFECTS = np.array([_CARD_EFFECTS.get(card, _RANK_EFFECTS.get(card >> 2, NO_EFFECT)) for card in range(FACES)], np.int64)
"""The effect of each card."""
DUE = np.array([{TWO: 2, JACK_C: 5, QUEEN_H: 3}.get(effect, 0) for effect in EFFECTS.tolist()], np.int64)
"""The cards to be drawn for each card."""

# The pending stack


@hot
def push(s, kind, seat, player, card, due):
    """Put a consequence on the stack: its kind, the seat concerned, who played which card, and a number."""
    s.stack[s.depth] = kind | (seat << 4) | (player << 8) | (card << 12) | (due << 20)
    s.depth += 1


@hot
def kind_of(entry):
    return entry & 15


@hot
def seat_of(entry):
    return (entry >> 4) & 15


@hot
def player_of(entry):
    return (entry >> 8) & 15


@hot
def card_of(entry):
    return (entry >> 12) & 255


@hot
def due_of(entry):
    return entry >> 20


@hot
def waiting(s):
    """The entry on top of the stack, which is not empty."""
    return s.stack[s.depth - 1]


@hot
def drop_entry(s):
    s.depth -= 1


@compiled
def settle(s, r):
    """Let happen what waits until somebody has to decide."""
    while s.depth > 0:
        entry = waiting(s)
        kind, seat = kind_of(entry), seat_of(entry)
        if kind <= VOTE:
            s.phase = kind
            s.seat = seat
            return
        drop_entry(s)
        if kind == NEXT:
            begin_turn(s, r, seat, due_of(entry))
        elif kind == MS_DRAW:
            draw_cards(s, r, seat, np.int64(1))
        elif kind == EFFECT:
            _happen(s, r, entry)
        else:
            _turn_new_card(s, r)
    s.phase = TURN
    s.seat = s.turn


# Turns


@compiled
def begin_turn(s, r, seat, free):
    """The turn of a seat, or of the next ones if it is to miss this one (HR-78); in a ``free`` one any card may be discarded."""
    turn_ends(s, r, s.turn)
    while s.missing[seat] > 0:
        s.missing[seat] = int(s.missing[seat]) - 1
        _skip(s, r, seat)
        seat = next_seat(s, r, seat)
        free = np.int64(0)
    turn_begins(s, r, seat)
    s.turn = seat
    s.seat = seat
    s.phase = TURN
    s.free = free
    s.drawn = 0
    s.acted = 0
    s.drawn_card = NO_CARD
    s.drawn_seen = 0
    if r.drop_prob > 0.0:
        _drop_card(s, r, seat)


@hot
def _skip(s, r, seat):
    """A seat loses its turn: it counts as one that has begun and ended."""
    turn_begins(s, r, seat)
    turn_ends(s, r, seat)


@hot
def answer_is_turn(s, r, seat):
    """An answer to a card is the seat's whole turn (HR-59): the one before is over."""
    turn_ends(s, r, s.turn)
    turn_begins(s, r, seat)
    s.turn = seat


@compiled
def _drop_card(s, r, seat):
    """Before its turn a seat may drop a random card of its hand (A-2)."""
    once, twice = in_hand(s, r, seat)
    if once != U(0) and chance_uniform(s) < r.drop_prob:
        fumble(s, r, seat, pick(s, once, twice))


# What must be followed


@compiled
def to_follow(s, r):
    """The place in the pile of the card to follow (HR-58): a Joker nullifies the card under it; -1 or less: nothing is left."""
    i = s.pile_n - 1
    while i >= 0 and s.stock[i] >> 2 == JOKER_RANK:
        stays = r.joker_skips_two == 1 and i > 0 and s.stock[i - 1] >> 2 == JOKER_RANK
        i -= 1 if stays else 2
    return i


@hot
def follow(s, i):
    """The card at a place of the pile is to be followed; an eight by its named suit."""
    s.rank = np.int64(s.stock[i]) >> 2
    s.suit = np.int64(s.named[i])


@compiled
def _turn_new_card(s, r):
    """A Joker has left nothing to follow: another card is turned, and another one after a Joker; none has an effect (HR-12, HR-13).

    With nothing but Jokers to turn nothing is turned, and what was to be followed still is.
    """
    plain = False
    for i in range(s.top, s.end):
        plain |= s.stock[i] >> 2 != JOKER_RANK
    for i in range(s.pile_n):
        plain |= s.stock[i] >> 2 != JOKER_RANK
    while plain:
        card = turn_up(s, r)
        count_run(s, card)
        if card >> 2 != JOKER_RANK:
            follow(s, s.pile_n - 1)
            return


# Effects


@compiled
def consequence(s, r, player, card, due):
    """Put what a card brings upon the next seat on the stack: a question, an effect, or just its turn. No Joker."""
    effect = EFFECTS[card]
    victim = next_seat(s, r, player)
    if effect == NO_EFFECT or effect == JACK_D:
        push(s, NEXT, victim, player, card, np.int64(1) if effect == JACK_D else np.int64(0))
    elif effect == KING:
        if r.num_players == 2:
            push(s, PLUCK, victim, player, card, due)
        else:
            asked = beside(player, -s.direction, r.num_players) if r.king_joker == KING_NEW_NEXT else victim
            push(s, RESPOND, asked, player, card, due)
    else:
        asked = (r.answerable >> effect) & 1 == 1 or (effect == TWO and r.stack_twos == 1)
        push(s, RESPOND if asked else EFFECT, victim, player, card, due)


@compiled
def accept(s, r):
    """The effect in question happens; a King's after the second seat was asked too, if the rules say so (HR-60)."""
    entry = waiting(s)
    drop_entry(s)
    player, card = player_of(entry), card_of(entry)
    if EFFECTS[card] == KING and r.king_joker == KING_BOTH and due_of(entry) == 0:
        push(s, RESPOND, beside(player, -s.direction, r.num_players), player, card, np.int64(1))
    else:
        push(s, EFFECT, seat_of(entry), player, card, due_of(entry))
    settle(s, r)


@compiled
def _happen(s, r, entry):
    """The effect of a card on the next seat (HR-41 to HR-56), and whose turn follows."""
    victim, player, due = seat_of(entry), player_of(entry), due_of(entry)
    effect = EFFECTS[card_of(entry)]
    following = victim
    if effect == ACE or effect == TWO:
        draw_cards(s, r, victim, due)
        _skip(s, r, victim)
        following = next_seat(s, r, victim)
    elif effect == KING:
        s.direction = -s.direction
        following = next_seat(s, r, player)
    elif effect == JACK_C:
        draw_cards(s, r, victim, due)
    elif effect == JACK_S:
        swap(s, r, player, victim)
    elif effect == JACK_H:
        open_hand(s, r, victim, player)
    else:
        all_draw(s, r, player, due)
    push(s, NEXT, following, player, np.int64(0), np.int64(0))


@compiled
def all_draw(s, r, player, number):
    """Everybody but the player draws, the next seat first (HR-56)."""
    seat = next_seat(s, r, player)
    while seat != player:
        draw_cards(s, r, seat, number)
        seat = next_seat(s, r, seat)


# ONE CARD


@compiled
def catch(s, r, seat):
    """A seat is called that has not announced: it draws a card, and is liable no more (HR-21)."""
    s.liable &= ~(np.int64(1) << seat)
    draw_cards(s, r, seat, np.int64(1))


@compiled
def ask_callers(s, r, seat):
    """Each opponent is asked in turn order whether it calls (HR-20)."""
    push(s, CALL, next_seat(s, r, seat), seat, np.int64(0), np.int64(0))


@compiled
def coin(s):
    return chance_below(s, np.int64(2)) == 1
