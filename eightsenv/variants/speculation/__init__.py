"""Speculation: trumps that nobody has looked at yet are bought and sold.

Read it like a rule book: ``state`` (records, phases), ``options``, ``play`` (dealer, deal, sale, facing, pot), ``appraisal`` (what
the best trump is worth), ``view`` (observation), ``text`` (the state in words), ``heuristic`` (the greedy policy), ``determinize``
(states that agree with what a seat knows).
"""

from __future__ import annotations

from eightsenv.game import Game, RuleSet
from eightsenv.variants import chips, matches, sampling, shedding, tables, writers
from eightsenv.variants.speculation import appraisal, determinize, heuristic, options, play, state, text, view

RULE_SET = RuleSet(
    name="speculation",
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
    modules=(shedding, tables, matches, writers, sampling, chips, state, play, appraisal, view, heuristic, determinize),
    words=(state.HIGHEST_BID + 1 + 2 + 63) // 64,
)


SPECULATION: Game = Game(
    name="speculation_v0",
    version=0,
    title="Speculation",
    rule_set=RULE_SET,
    players=(2, state.SEATS),
    default_players=4,
    max_decisions=(2_000, 20_000),
    options=options.OPTIONS,
    defaults=options.DEFAULTS,
    presets={},
    training={"reward_scale": 0.1},  # the pot of sixteen goes to one
    check=options.check,
    write_rules=options.write_rules,
    actions=options.actions,
    sections=tables.of_rules(lambda: SPECULATION, view.observation_sections),
    state_sections=tables.of_rules(lambda: SPECULATION, view.state_vector_sections),
    reveal=text.reveal,
    view=text.view,
    counted=("trump", "balance"),
    table=text.table,
    told=text.told,
    dealt=text.dealt,
    happened=text.happened,
    summary="""\
Two to nine players, one pack of 52 cards, ace high, a pot of antes: four chips from each.

Deal: the lowest card cut deals first, the ace being low here. Three cards each, face down, one at a time from the dealer's left;
nobody looks at them. The next card is turned: its suit is trump, and it is the dealer's. With an ace the dealer takes the pot at
once.

Sale: each other seat in turn from the owner's left bids more than the best bid so far, up to the pot, or 0; then the owner accepts
the best bid, and the card passes for the price, or keeps it. Of a K, Q or J turned up everybody sees the own cards first, and after
the sale all hands are faced together.

Facing: after any other card, from the dealer's left on, each player in turn faces the top card of the packet, until a better trump
shows. The owner of the best trump faces nothing until it is beaten. A better trump is its facer's, and is offered for sale in the
same way; then facing goes on at the left of who faced it. The trump ace ends the hand. In the end the owner of the best trump takes
the pot. A match is one deal each; the most chips win.""",
    departures=(
        "Who owns the best trump faces no cards, bought or not; where only a purchaser is excused: "
        '`holder_exempt="purchaser_only"`, and `holder_exempt="none"` where nobody is.',
        'After a sale facing goes on at the left of who faced last; elsewhere at the owner\'s left: `resume="left_of_owner"`.',
        "Bids go round once and each must beat the last, where many tables shout freely; sealed bids come near to it: "
        '`sale="sealed"`.',
        "Own cards are seen before a K, Q or J turned up is sold, where stricter tables forbid it: `look_on_court=False`.",
        "Everybody puts the same ante into the pot, where the dealer often pays double; the amount is an option: `ante=6`.",
    ),
    rewards="""\
`reward="score"`: the chips won less the ante, plus and minus the prices of sales, when a hand ends; they add up to 0.
`reward="win"`: at the end of the episode the winners share +1 and the losers −1.""",
    match_end="""\
With `match=True` the match ends after `max_hands` hands, by default one deal each. The most chips win, and equal best totals share
the win.""",
    history=(("0.1.0", "The first release."),),
)
