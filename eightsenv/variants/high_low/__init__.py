"""The high-low layout game, "Crazy Eights" by another set of rules: cards are laid on eight piles of the same rank.

Read it like a rule book: ``state`` (records, phase), ``options``, ``play`` (deal, decisions, transitions, scoring), ``view``
(observation), ``text`` (actions and state in words), ``heuristic`` (the greedy policy), ``determinize`` (states that agree with
what a seat knows).
"""

from __future__ import annotations

from eightsenv.game import Game, RuleSet
from eightsenv.variants import chips, matches, sampling, shedding, tables, writers
from eightsenv.variants.high_low import determinize, heuristic, options, play, state, text, view

RULE_SET = RuleSet(
    name="high_low",
    seats=state.SEATS,
    state_dtype=state.STATE,
    rules_dtype=state.RULES,
    scratch_dtype=state.SCRATCH,
    functions={
        "fill": play.fill,
        "choose_dealer": play.choose_dealer,
        "deal": play.deal,
        "legal": play.legal,
        "apply": play.apply,
        "winners": chips.winners,
        "observe": view.observe,
        "state_vector": view.state_vector,
        "greedy": heuristic.greedy,
        "determinize": determinize.determinize,
    },
    modules=(shedding, tables, matches, writers, sampling, chips, state, play, view, heuristic, determinize),
)


HIGH_LOW_EIGHTS: Game = Game(
    name="high_low_eights_v0",
    version=0,
    title="High-low Eights",
    rule_set=RULE_SET,
    players=(2, state.SEATS),
    default_players=4,
    max_decisions=(2_000, 20_000),
    options=options.OPTIONS,
    defaults=options.DEFAULTS,
    presets=options.PRESETS,
    practice=options.STRATEGIC,
    training={"reward_scale": 0.25},  # a few chips change hands
    check=options.check,
    write_rules=options.write_rules,
    actions=lambda setting: text.ACTIONS,
    sections=tables.of_rules(lambda: HIGH_LOW_EIGHTS, view.observation_sections),
    state_sections=tables.of_rules(lambda: HIGH_LOW_EIGHTS, view.state_vector_sections),
    reveal=text.reveal,
    view=text.view,
    counted=("hands",),
    table=text.table,
    dealt=text.dealt,
    summary="""\
Two to eight players, one pack of 52 cards, a pot of antes: two chips from each.

Deal: five cards each, one at a time from the dealer's left; then eight cards face up in the middle, in two rows of four. The
other cards are dead.

Turn: lay one card on a card of the middle of the same rank; who cannot, passes. By default a player who can lay a card must: then
no choice affects the result, for the ranks of the middle never change, and the game is one of chance alone. With
`voluntary_pass=True` (the preset `strategic_high_low`) a player may pass with a card to lay, and decisions matter: it is what
training and benchmarks use unless told otherwise.

End of a hand: the first player without cards wins the whole pot. When all pass in succession, the highest and the lowest count of
the cards left win half of it each: an ace counts 15; K, Q, J, 10: 10; any other card its number. Equal counts share their half, odd
chips go to the high half, then one each from the dealer's left on. If all counts are equal, the antes go back. A match is one deal
each; the most chips win.""",
    departures=(
        "A player who can lay a card must, and so nobody decides anything. Many tables let a player pass at will: "
        "`voluntary_pass=True`.",
        'Odd chips stay whole, and go to the high half and to the dealer\'s left first; `odd_chip="fraction"` divides them.',
        "The first deal falls to a random player, where many rules let the first jack decide; `first_dealer=0` names a seat.",
    ),
    rewards="""\
`reward="score"`: the chips won less the ante, when a hand ends; they add up to 0 (shares of odd chips by `odd_chip="fraction"` are
rounded to float32). `reward="win"`: at the end of the episode the winners share +1 and the losers −1.""",
    match_end="""\
With `match=True` the match ends after `max_hands` hands, by default one deal each. The most chips win, and equal best totals share
the win.""",
    history=(("0.1.0", "The first release."),),
)
