"""The decisions of House Rules and what they do (RULES.md 8.3, 8.4, 8.8 to 8.11)."""

from __future__ import annotations

import numpy as np

from eightsenv.bits import U, bit, compiled, hot
from eightsenv.rng import chance_uniform
from eightsenv.variants.house.deal import deal_cards
from eightsenv.variants.house.effects import (
    DUE,
    EFFECTS,
    accept,
    all_draw,
    answer_is_turn,
    ask_callers,
    begin_turn,
    card_of,
    catch,
    coin,
    consequence,
    drop_entry,
    due_of,
    follow,
    player_of,
    push,
    seat_of,
    settle,
    to_follow,
    waiting,
)
from eightsenv.variants.house.scoring import end_hand
from eightsenv.variants.house.state import (
    ACCEPT,
    AFTER_ANY,
    AFTER_DRAWN_ONLY,
    AFTER_NONE,
    ALL,
    ANNOUNCE,
    ANNOUNCING,
    CALL,
    CALLERS_FIRST,
    CALLING,
    DEAL_FIRST,
    DRAW,
    EIGHT,
    EIGHTS,
    ELECT,
    END,
    FACES,
    FEWEST,
    GUILTY,
    HOUSE_GUILTY,
    HOUSE_RANDOM,
    INNOCENT,
    JACK_C,
    JOKER_RANK,
    JOKERS,
    KINGS,
    MS_DRAW,
    NEXT,
    NOBODY,
    ONE_ACTION,
    ONE_AUTO,
    ONE_FIRST,
    ONE_OFF,
    PLUCK,
    QUEEN_H,
    RACE_RANDOM,
    RESPOND,
    SILENT,
    SUBMIT,
    SUIT,
    SUIT_FIRST,
    TURN,
    TURN_UP,
    TWO,
    TWOS,
    VOTE,
)
from eightsenv.variants.house.table import (
    NO_CARD,
    can_draw,
    count_run,
    draw,
    draw_cards,
    free_penalty,
    fumble,
    in_hand,
    next_card,
    next_seat,
    playable_zone,
    pluck,
    put_down,
)
from eightsenv.variants.knowledge import known_place
from eightsenv.variants.shedding import count_cards, rank_cards, suit_cards

_SUITS = U(0xF << 54)
_DRAW, _END, _ACCEPT, _SUBMIT, _CALL, _SILENT = (U(1 << k) for k in (DRAW, END, ACCEPT, SUBMIT, CALLING, SILENT))
_ANNOUNCE, _GUILTY, _INNOCENT = (U(1 << k - 64) for k in (ANNOUNCING, GUILTY, INNOCENT))
_DEALS = U(0b11) << U(DEAL_FIRST - 64)
_FEW = 2
"""With so many cards a discard is the last but one."""


# Decisions


@hot
def fitting(s, r):
    """What may follow (HR-17): suit or rank of the card to follow, eights, Jokers; anything on a Jack of diamonds (HR-54)."""
    fits = suit_cards(s.suit) | rank_cards(s.rank) | EIGHTS | JOKERS
    if s.free:
        fits = ALL
    if r.joker_forbidden and s.stock[s.pile_n - 1] >> 2 == JOKER_RANK:
        fits &= ~JOKERS
    return fits


@hot
def playable(s, r, seat):
    """The cards that a seat may discard in its turn now."""
    cards, _ = playable_zone(s, seat)
    cards &= fitting(s, r)
    if s.drawn and r.play_after_draw != AFTER_ANY:
        if r.play_after_draw == AFTER_NONE or s.drawn_card == NO_CARD:
            return U(0)
        return cards & bit(np.int64(s.drawn_card))
    return cards


@hot
def _put_plays(s, r, plays, words):
    """The ways to play these cards: the last but one also with the announcement, unless M's rule waives it (HR-66)."""
    words[0] = plays
    words[1] = U(0)
    if r.one_card == ONE_ACTION and count_cards(s.hands[s.seat]) == _FEW:
        words[1] = plays & ~rank_cards(s.run_rank) if s.run_length >= _FEW else plays
    if (s.liable >> s.seat) & 1:
        words[1] |= _ANNOUNCE


@hot
def legal(s, r, words):
    """The legal actions of the seat to move (ACTIONS.md)."""
    if s.phase == TURN:
        _put_plays(s, r, playable(s, r, s.seat), words)
        drawable = can_draw(s)
        if s.drawn == 0 and drawable:
            words[0] |= _DRAW
        else:
            words[0] |= _END
        if s.acted == 0 and s.liable & ~(np.int64(1) << s.seat) != 0:
            words[0] |= _CALL
    else:
        _legal_answers(s, r, words)


@compiled
def _legal_answers(s, r, words):
    """What may be decided outside a turn."""
    words[0] = U(0)
    words[1] = U(0)
    phase = s.phase
    if phase == RESPOND or phase == PLUCK:
        cards, _ = playable_zone(s, s.seat)
        _put_plays(s, r, cards & answers(s, r), words)
        words[0] |= _SUBMIT if phase == PLUCK else _ACCEPT
    elif phase == CALL:
        words[0] = _CALL | _SILENT
    elif phase == ANNOUNCE:
        words[0] = _SILENT
        words[1] = _ANNOUNCE
    elif phase == SUIT:
        words[0] = _SUITS
    elif phase == ELECT:
        words[1] = _DEALS
    else:
        words[1] = _GUILTY | _INNOCENT


@hot
def answers(s, r):
    """The cards that answer the card in question (HR-44, HR-59)."""
    if s.phase == PLUCK:
        return JOKERS | KINGS
    effect = EFFECTS[card_of(waiting(s))]
    cards = JOKERS if effect > QUEEN_H or (r.answerable >> effect) & 1 else U(0)
    return cards | TWOS if effect == TWO and r.stack_twos else cards


@hot
def accepted(s, r, action):
    """Whether an action that is not legal is accepted all the same: in one's turn a card of the hand, which is a fumble (HR-71)."""
    if r.fumbles == 0 or s.phase != TURN or action < 0:
        return False
    card = action if action < ONE_FIRST else action - ONE_FIRST
    once, _ = in_hand(s, r, s.seat)
    return card < FACES and once & bit(card) != U(0)


# Transitions


@hot
def apply(s, r, action, gain):
    """Make one accepted action. Returns True when it ended a hand that was scored, after adding the payoffs to ``gain``.

    The transitions below return whether the hand has ended; only here it is settled.
    """
    s.decisions += 1
    card = action if action < ONE_FIRST else action - ONE_FIRST
    if card < FACES:
        if r.fumbles == 1 and s.phase == TURN and _is_wrong(s, r, card, action >= ONE_FIRST):
            fumble(s, r, s.seat, card)
            s.acted = 1
            return False
        ended = _play(s, r, card, action >= ONE_FIRST)
    elif action == DRAW:
        _draw(s, r)
        ended = False
    elif action == END:
        ended = _end_turn(s, r)
    else:
        _decide(s, r, action)
        ended = False
    return end_hand(s, r, gain) if ended else False


@compiled
def _is_wrong(s, r, card, announced):
    """Whether playing this card, or announcing with it, is not legal in a turn."""
    plays = playable(s, r, s.seat)
    if announced:
        waived = s.run_length >= _FEW and s.run_rank == card >> 2
        if r.one_card != ONE_ACTION or count_cards(s.hands[s.seat]) != _FEW or waived:
            return True
    return plays & bit(card) == U(0)


@hot
def _draw(s, r):
    """The draw of a turn (HR-14); a discard may follow (HR-15)."""
    s.drawn = 1
    s.acted = 1
    if r.play_after_draw == AFTER_DRAWN_ONLY:
        seen = (s.exposed >> s.seat) & 1 == 1 or (s.top < s.end and known_place(s, s.top))
        s.drawn_seen = 1 if seen else 0
        s.drawn_card = draw(s, r, s.seat)
    else:
        draw(s, r, s.seat)


@hot
def _end_turn(s, r):
    """The turn ends without a discard (HR-16). Returns whether a circle without draw or discard blocks the hand (AMB-HR-50)."""
    if s.drawn == 0:
        s.idle += 1
        if s.idle >= r.num_players:
            return True
    begin_turn(s, r, next_seat(s, r, s.seat), np.int64(0))
    return False


@hot
def _play(s, r, card, announced):
    """A discard in a turn or as an answer, and all that follows in the order of RULES.md 8.10. Returns whether the hand ends."""
    seat = s.seat
    due = DUE[card]
    if s.phase != TURN:
        if card >> 2 != JOKER_RANK:
            due += due_of(waiting(s))  # a two on a two: the numbers add up (HR-42)
        drop_entry(s)
        answer_is_turn(s, r, seat)
    put_down(s, r, seat, card)
    count_run(s, card)
    s.idle = 0
    if s.hands[seat, 0] == U(0):
        _go_out(s, r, seat, card, due)
        return True
    if s.penalty[seat, 0] != U(0):
        free_penalty(s, r, seat)
    if card >> 2 == JOKER_RANK:
        _nullify(s, r, seat, card)
    else:
        s.rank = card >> 2
        s.suit = card & 3
        consequence(s, r, seat, card, due)
    if s.run_length > _FEW:
        push(s, MS_DRAW, seat, seat, card, np.int64(0))
    elif count_cards(s.hands[seat]) == 1 and r.one_card != ONE_OFF:
        _announce_or_not(s, r, seat, announced)
    if card >> 2 == EIGHT:
        push(s, SUIT, seat, seat, card, np.int64(0))
    settle(s, r)
    return False


@compiled
def _nullify(s, r, seat, card):
    """A Joker nullifies the card under it: what is to be followed is settled now; a new card is turned later (HR-58, HR-12).

    With ``joker_on_joker="skip_two"`` what the first Joker left stays.
    """
    push(s, NEXT, next_seat(s, r, seat), seat, card, np.int64(0))
    if r.joker_skips_two and s.pile_n > 1 and s.stock[s.pile_n - 2] >> 2 == JOKER_RANK:
        return
    i = to_follow(s, r)
    if i >= 0:
        follow(s, i)
    else:
        push(s, TURN_UP, seat, seat, card, np.int64(0))


@compiled
def _announce_or_not(s, r, seat, announced):
    """One card is left: announced (and not forgotten), or the seat is liable and the others are asked (HR-19, HR-20)."""
    announced |= r.one_card == ONE_AUTO
    if announced and r.forget_prob > 0.0:
        announced = chance_uniform(s) >= r.forget_prob
    if announced:
        s.announced += 1
        s.liable &= ~(np.int64(1) << seat)
        return
    s.liable |= np.int64(1) << seat
    ask_callers(s, r, seat)
    if r.race != CALLERS_FIRST and (r.race != RACE_RANDOM or coin(s)):
        push(s, ANNOUNCE, seat, seat, np.int64(0), np.int64(0))


@compiled
def _go_out(s, r, seat, card, due):
    """The last card is discarded: the hand is over (HR-25). With ``last_card_effects`` draws happen first; then another card
    counts for all others if the winner had not announced (HR-23)."""
    s.winner = seat
    if r.last_card_effects:
        effect = EFFECTS[card]
        if effect == TWO or effect == JACK_C:
            draw_cards(s, r, next_seat(s, r, seat), due)
        elif effect == QUEEN_H:
            all_draw(s, r, seat, due)
    if (s.liable >> seat) & 1:
        s.turned = next_card(s, r)


@compiled
def _decide(s, r, action):
    """All other actions: announcements and calls, suits, answers, votes, and how many cards are dealt."""
    phase, seat = s.phase, s.seat
    if action == ANNOUNCING:
        s.liable &= ~(np.int64(1) << seat)
        s.acted = 1 if phase == TURN else s.acted
        if phase == ANNOUNCE:
            drop_entry(s)
            drop_entry(s)  # nobody is asked any more whether it calls
    elif phase == TURN:
        _call_all(s, r, seat)
    elif phase == ELECT:
        deal_cards(s, r, action - DEAL_FIRST + FEWEST)
        return
    elif phase == RESPOND:
        accept(s, r)
        return
    elif phase == PLUCK:
        player = player_of(waiting(s))
        drop_entry(s)
        pluck(s, r, seat)
        push(s, NEXT, seat, player, np.int64(0), np.int64(0))
    elif phase == SUIT:
        drop_entry(s)
        s.suit = action - SUIT_FIRST
        s.named[s.pile_n - 1] = s.suit
    elif phase == VOTE:
        _vote(s, r, action)
    else:
        _answer_call(s, r, action)
    settle(s, r)


@compiled
def _call_all(s, r, seat):
    """As the first act of a turn every liable opponent is called, in turn order (HR-20)."""
    s.acted = 1
    other = next_seat(s, r, seat)
    while other != seat:
        if (s.liable >> other) & 1:
            catch(s, r, other)
        other = next_seat(s, r, other)


@compiled
def _answer_call(s, r, action):
    """``call`` catches the seat that has not announced; after ``silent`` the next one is asked."""
    entry = waiting(s)
    drop_entry(s)
    seat, player = seat_of(entry), player_of(entry)
    if s.phase == ANNOUNCE:
        return
    if action == CALLING:
        catch(s, r, player)
        return
    following = next_seat(s, r, seat)
    if following != player:
        push(s, CALL, following, player, np.int64(0), np.int64(0))


# Votes (HR-67 to HR-69)


@compiled
def ask_voters(s, r, accused, partner, voter, tally):
    """Ask the next player who is not involved, from the seat ``voter`` on; after the last the vote is counted.

    ``partner`` is the other one accused, or the accused seat itself; ``tally`` votes for guilty, and 16 for each innocent.
    """
    while voter == partner and voter != accused:
        voter = next_seat(s, r, voter)
    if voter != accused:
        push(s, VOTE, voter, accused, partner, tally)
        return
    guilty, innocent = tally & 15, tally >> 4
    if guilty > innocent or (guilty == innocent and _house_says_guilty(s, r)):
        draw_cards(s, r, accused, np.int64(3))
        if partner != accused:
            draw_cards(s, r, partner, np.int64(3))


@compiled
def _house_says_guilty(s, r):
    """The House decides a tied vote (HR-69)."""
    policy = r.house_policy if s.ruling == NOBODY else np.int64(s.ruling)
    return policy == HOUSE_GUILTY or (policy == HOUSE_RANDOM and coin(s))


@compiled
def _vote(s, r, action):
    entry = waiting(s)
    drop_entry(s)
    tally = due_of(entry) + (1 if action == GUILTY else 16)
    ask_voters(s, r, player_of(entry), card_of(entry), next_seat(s, r, seat_of(entry)), tally)
