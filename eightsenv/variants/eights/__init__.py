"""The eights family: one shedding kernel, and the variants that are columns of defaults on it.

Read it like a rule book: ``state`` (records, phases), ``options``, ``play`` (deal, decisions, transitions, scoring),
``view`` (observation), ``text`` (actions and state in words), ``heuristic`` (the greedy policy), ``determinize``
(states that agree with what a seat knows).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eightsenv.game import Game, RuleSet, Setting, rules_row
from eightsenv.variants import knowledge, sampling, shedding
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
    modules=(shedding, knowledge, sampling, state, public, play, view, heuristic, determinize),
)


def _rules(setting: Setting) -> np.record:
    return rules_row(GAMES[setting.variant], setting)[0]


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
    "actions": lambda setting: text.actions(_rules(setting)),
    "sections": lambda setting: view.observation_sections(_rules(setting)),
    "state_sections": lambda setting: view.state_vector_sections(_rules(setting)),
    "reveal": text.reveal,
    "view": text.view,
    "ledgers": ("collected",),
    "sides": options.sides,
    "scenarios": scenarios.SCENARIOS,
}
"""What the variants of the family have in common: they differ in their defaults."""

EIGHTS = Game(
    name="eights_v0",
    title="Eights",
    defaults=options.RUSSIAN,
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
)

CRAZY_EIGHTS = Game(
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
)

GAMES = {game.name: game for game in (CRAZY_EIGHTS, EIGHTS)}
