"""The eights family: one shedding kernel, and the variants that are columns of defaults on it.

Read it like a rule book: ``state`` (records, phases), ``options``, ``play`` (deal, decisions, transitions, scoring),
``view`` (observation), ``text`` (actions and state in words), ``heuristic`` (the greedy policy), ``determinize``
(states that agree with what a seat knows).
"""

from __future__ import annotations

from typing import Any

from eightsenv.game import Game, RuleSet
from eightsenv.variants import knowledge, matches, sampling, shedding, tables, writers
from eightsenv.variants.eights import determinize, heuristic, options, play, public, scenarios, state, text, view

RULE_SET = RuleSet(
    name="eights",
    seats=state.SEATS,
    state_dtype=state.STATE,
    rules_dtype=state.RULES,
    scratch_dtype=determinize.SCRATCH,
    functions={
        "fill": play.fill,
        "choose_dealer": play.choose_dealer,
        "deal": play.deal,
        "legal": play.legal,
        "apply": play.apply,
        "winners": play.winners,
        "observe": view.observe,
        "state_vector": view.state_vector,
        "greedy": heuristic.greedy,
        "determinize": determinize.determinize,
    },
    modules=(shedding, tables, matches, writers, knowledge, sampling, state, public, play, view, heuristic, determinize),
    words=3,
)


_SHARED: dict[str, Any] = {
    "version": 0,
    "rule_set": RULE_SET,
    "players": (2, state.SEATS),
    "default_players": 4,
    "max_decisions": (2_000, 20_000),
    "options": options.OPTIONS,
    "presets": options.PRESETS,
    "check": options.check,
    "write_rules": options.write_rules,
    "actions": options.actions,
    "sections": tables.of_rules(lambda: CRAZY_EIGHTS, view.observation_sections),
    "state_sections": tables.of_rules(lambda: CRAZY_EIGHTS, view.state_vector_sections),
    "reveal": text.reveal,
    "view": text.view,
    "ledgers": ("collected",),
    "counted": ("hands",),
    "sides": options.sides,
    "scenarios": scenarios.SCENARIOS,
}
"""What the variants of the family have in common: they differ in their defaults."""

EIGHTS = Game(
    name="eights_v0",
    title="Eights",
    defaults=options.RUSSIAN,
    training={"reward_scale": 0.02},  # payments of all to one spread three times as wide as own points
    **_SHARED,
    summary="""\
Two to eight players, or four in partnership; one pack of 52 cards, two packs from six players on.

Deal: seven cards each for two players, five for more, one at a time from the dealer's left; the rest is the stock. Its top
card is turned as the starter; an eight is buried in the middle of the stock and the next card turned.

Turn: play a card that matches the top card in suit or rank, or an eight. Who plays an eight names the suit that must
follow. Who cannot play draws until a card can be played; who can play may draw as well, but must play in the end. With
the stock empty, who cannot play passes.

End of a deal: the player who is out of cards is paid by each other player the value of the cards still held: an eight 50;
K, Q, J, 10: 10; an ace 1; any other card its number. When all pass in succession the deal is blocked: the lowest count
receives from each other player the difference, and equal lowest counts share. Partners play on until both of a side are
out; that side receives the value of the opponents' cards. A match adds payments until a total reaches the target: 100 for
two players, 50 more for each further one.""",
    departures=(
        'A player able to play may draw as many cards as wanted first, where many rules forbid it: `voluntary_draw="none"`.',
        'The stock is not made anew from the discards, where many rules do: `stock_end="reshuffle"`.',
        "No card but the eight is special, where many rules have cards that skip, reverse or draw: "
        '`effects={"2": "draw 2 stack", "Q": "skip", "A": "reverse"}`.',
        'The first deal falls to whoever is dealt the first spade, where many rules draw for it: `first_dealer="random"`.',
        "A match is played to more points with more players, where many rules play to 100: `target=100`.",
    ),
    rewards="""\
`reward="score"`: what one receives or pays when a deal ends; the payments of a deal add up to 0, and partners each get the
result of their side (`partner_payment`). Where everyone is charged the cards left in hand (`score_mode`), minus that charge.
`reward="win"`: at the end of the episode the winners share +1 and the losers −1.""",
    match_end="""\
With `match=True` deals are played until a total reaches `target`, or `rounds` of them. The best total wins: the most collected,
or the fewest points charged. Equal best totals share the win, or play further deals (`final_tie`).""",
    history=(("0.1.0", "The first release."),),
)

CRAZY_EIGHTS: Game = Game(
    name="crazy_eights_v0",
    title="Crazy Eights",
    defaults=options.ITALIAN,
    **_SHARED,
    closed_presets={"openspiel": options.OPENSPIEL},
    summary="""\
Two to eight players, one pack of 52 cards, five rounds; the fewest points win.

Deal: five cards each, one at a time from the dealer's left; the rest is the stock. Its top card is turned as the
starter; an eight is buried in the middle of the stock and the next card turned.

Turn: play a card that matches the top card in suit or rank, or an eight. Who plays an eight names the suit that
must follow. Who cannot play draws until a card can be played, at most three cards a turn, and passes after three.
A player able to play may not draw.

End of a round: a player is out of cards, or the stock is exhausted: the player whose draw emptied it finishes the
turn, then the round ends. Everyone is charged the value of the cards still held: an eight 50; K, Q, J, 10: 10; an
ace 1; any other card its number. After five rounds the fewest points win; equal fewest share the win.""",
    departures=(
        'Two players are dealt five cards, where most rules deal seven: `hand_size="auto"`.',
        'Six and more players play with one pack, where most take two: `decks="auto"`.',
        "At most three cards are drawn in a turn, where most draw until a card can be played: `draw_limit=None`.",
        'A player able to play may not draw: `voluntary_draw="unlimited"` lets everyone.',
        'An exhausted stock ends the round. Elsewhere play goes on without one (`stock_end="pass_then_block"`) or with the '
        'reshuffled discards (`stock_end="reshuffle"`).',
        "Everyone is charged the cards left in hand, and the fewest points after five rounds win. Elsewhere the winner of each "
        'hand collects them, up to a total: `score_mode="collect_high_wins", rounds=None, target="auto"`.',
        "No card but the eight is special, where many rules have cards that skip, reverse or draw: "
        '`effects={"2": "draw 2 stack", "Q": "skip", "A": "reverse"}`.',
    ),
    rewards="""\
`reward="score"`: minus the points that the round added to one's total (0 for the player who went out); where the winner collects
(`score_mode`), what one receives or pays. `reward="win"`: at the end of the episode the winners share +1 and the losers −1.""",
    match_end="""\
With `match=True` the match ends after `rounds` rounds, or after the one in which a total reaches `target`. The best total wins: the
fewest points charged, or the most collected. Equal best totals share the win, or play further rounds (`final_tie`).""",
    history=(("0.1.0", "The first release."),),
)
