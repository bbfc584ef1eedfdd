"""House Rules: the richest game of the family.

Read it like a rule book: ``state`` (records, phases, what can wait), ``options``, ``deal`` (dealer, deal, starter), ``play``
(decisions and transitions), ``effects`` (the pending stack, special cards, turns), ``table`` (what is done with cards), ``known``
(what that tells whom), ``scoring``, ``scenarios`` (accidents), ``view`` (observation), ``text`` (actions, state in words, audit),
``heuristic`` (the greedy policy), ``determinize`` (states that agree with what a seat knows).
"""

from __future__ import annotations

from eightsenv.game import Game, RuleSet
from eightsenv.variants import knowledge, matches, sampling, shedding, tables, writers
from eightsenv.variants.house import (
    audit,
    deal,
    determinize,
    effects,
    heuristic,
    known,
    log,
    options,
    play,
    scenarios,
    scoring,
    state,
    table,
    text,
    view,
)

RULE_SET = RuleSet(
    name="house",
    seats=state.SEATS,
    state_dtype=state.STATE,
    rules_dtype=state.RULES,
    scratch_dtype=determinize.SCRATCH,
    functions={
        "fill": deal.fill,
        "choose_dealer": deal.choose_dealer,
        "deal": deal.deal,
        "legal": play.legal,
        "accepted": play.accepted,
        "apply": play.apply,
        "winners": scoring.winners,
        "observe": view.observe,
        "state_vector": view.state_vector,
        "greedy": heuristic.greedy,
        "determinize": determinize.determinize,
    },
    modules=(
        shedding,
        knowledge,
        sampling,
        tables,
        matches,
        writers,
        state,
        known,
        table,
        effects,
        deal,
        scoring,
        play,
        view,
        heuristic,
        determinize,
    ),
    words=2,
)


HOUSE_EIGHTS: Game = Game(
    name="house_eights_v0",
    version=0,
    title="House Rules Eights",
    rule_set=RULE_SET,
    players=(2, state.SEATS),
    default_players=4,
    max_decisions=(5_000, 100_000),
    options=options.OPTIONS,
    defaults=options.DEFAULTS,
    presets=options.PRESETS,
    check=options.check,
    write_rules=options.write_rules,
    actions=lambda setting: text.ACTIONS,
    sections=tables.of_rules(lambda: HOUSE_EIGHTS, view.observation_sections),
    state_sections=tables.of_rules(lambda: HOUSE_EIGHTS, view.state_vector_sections),
    reveal=text.reveal,
    view=text.view,
    ledgers=("ledger",),
    audit=audit.audit,
    table=text.table,
    told=log.told,
    dealt=log.dealt,
    happened=log.happened,
    noted=log.noted,
    scenarios=scenarios.SCENARIOS,
    summary="""\
Two to six players with one pack of 52 cards and two Jokers, up to twelve with two packs. The rules of a house that grew over years:
Jokers that undo, hands that are swapped, laid open and plucked, and penalties for what goes wrong at a table.

Deal: each cuts a card, the lowest deals; the dealer chooses seven or eight cards each. The next card is the starter; a Joker is
covered by another card, of an eight the dealer names the suit, and any other acts as if the dealer had played it.

Turn: discard a card or draw one, after which a discard is still allowed; nobody ever has to discard. A discard follows suit or
rank; eights and Jokers go on anything. When the stock is exhausted the discards are shuffled. Who comes down to one card says so
with the discard ("one"), or draws a card if called; who goes out unannounced and uncaught has the next card of the stock counted
against all others. Who discards the third card of a rank in a row, or a later one, draws a card.

Eight: names a suit. Ace: the next player loses the turn. Two: draws two and loses the turn. King: reverses; with two players the
other one is plucked of a random card, which lies before it until it can be discarded, unless it answers with a Joker or a King.
Jack of clubs: the next player draws five. Jack of spades: swaps hands with the next player. Jack of diamonds: anything may follow.
Jack of hearts: the next hand lies open for a round. Queen of hearts: all others draw three. Joker: undoes the card under it and
what it would do, so it may answer any of these; what lay under that card is to be followed again.

Fumbles: who shows a card draws a penalty card, to be discarded only after another one. Accidents, accusations and loans are
scenario calls; with `illegal="fumble"` a wrong card is a fumble.

End of a hand: all others add what they hold: 2 to 9 their number, T J Q K 10, ace 20, but the Jack of clubs 50 and the Jack
of diamonds minus 5. Each Joker doubles the other cards, though never beyond a total of 99. When a total has reached 100 or is
below 0, the lowest wins; if it is shared, whoever goes out first in one more hand.""",
    departures=(
        "Much of it is this house's own, and can be turned off: no Jokers "
        '(`jokers=0`), no announcement (`one_card="off"`), starters without effect (`starter_effects="none"`), seven cards always '
        "(`deal_choice=False`).",
        "A two cannot be answered with a two, where many rules add them up: `stack_twos=True`.",
        "The last card has no effect, where many tables let the next player draw first: `last_card_effects=True`.",
    ),
    rewards="""\
`reward="score"`: minus the points that the hand added to one's total; with `scoring="chips"` the chips won or lost, which add up
to 0. A sudden-death hand pays 0. `reward="win"`: at the end of the episode the winners share +1 and the losers −1; of one hand the
best result wins.""",
    match_end="""\
With `match=True` hands are played, the deal passing left, until a total is 100 or more or (`end_on_negative`) below 0; in chips
until somebody cannot cover a loss. The lowest total or the most chips win. If that is shared, all play a sudden-death hand, and
whoever goes out first wins.""",
    history=(("0.1.0", "The first release."),),
    training={"imitate": 200_000, "foresee": 400_000},  # many kinds of cards, each of them rare
)
