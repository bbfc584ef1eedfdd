"""8-ball: bidding for trump, bowers, and the 8 of clubs above them, for four, three and two.

Read it like a rule book: ``state`` (records, phases), ``options``, ``trumps`` (suits, following, strength), ``auction``, ``play``
(deal, discards, tricks, scoring), ``view`` (observation), ``text`` (actions and state in words), ``heuristic`` (the greedy
policy), ``determinize`` (states that agree with what a seat knows), ``endgame`` and ``solver`` (perfect play of a known
deal), ``evaluation`` (what it says of each card, for search).
"""

from __future__ import annotations

from eightsenv.game import Game, RuleSet
from eightsenv.variants import knowledge, matches, sampling, shedding, tables, writers
from eightsenv.variants.eight_ball import (
    auction,
    determinize,
    endgame,
    evaluation,
    heuristic,
    options,
    play,
    state,
    text,
    trumps,
    view,
)

RULE_SET = RuleSet(
    name="eight_ball",
    seats=state.SEATS,
    state_dtype=state.STATE,
    rules_dtype=state.RULES,
    scratch_dtype=evaluation.SCRATCH,
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
        "evaluate": evaluation.evaluate,
    },
    modules=(
        shedding,
        tables,
        matches,
        writers,
        knowledge,
        sampling,
        state,
        trumps,
        auction,
        play,
        view,
        heuristic,
        determinize,
        endgame,
        evaluation,
    ),
    words=2,
)


EIGHT_BALL: Game = Game(
    name="eight_ball_v0",
    version=0,
    title="8-ball",
    rule_set=RULE_SET,
    players=(2, state.SEATS),
    default_players=4,
    max_decisions=(2_000, 20_000),
    options=options.OPTIONS,
    defaults=options.DEFAULTS,
    presets={},
    check=options.check,
    write_rules=options.write_rules,
    actions=text.actions,
    sections=tables.of_rules(lambda: EIGHT_BALL, view.observation_sections),
    state_sections=tables.of_rules(lambda: EIGHT_BALL, view.state_vector_sections),
    reveal=text.reveal,
    view=text.view,
    counted=("bid", "tricks"),
    sides=options.sides,
    training={
        "reward_scale": 0.1,  # a contract made or set differs by some twelve points
        "imitate": 400_000,  # it takes more to play a trick as greedy does than to shed a card
    },
    table=text.table,
    told=text.told,
    dealt=text.dealt,
    happened=text.happened,
    summary="""\
A trick-taking game with 21 cards: A K Q J T of each suit, and the 8 of clubs. Four players in partnership (seats 0 and 2 against 1
and 3), three each alone, or two with a third hand, the ghost, that nobody owns.

Cards: the 8 of clubs is the highest trump whatever the trump suit is, and never a club. Below it come the Jack of trump (the right
bower), the Jack of the other suit of that colour (the left bower, a trump as well), then A K Q T. Plain suits: A K Q J T.

Deal: five cards each (2, then 3) for four players, six each (in twos) for three and two; the next card is turned up, the flip.

Auction: from the dealer's left each seat once passes or bids a number of tricks and a suit: 3 to 5 in the suit of the flip, 4 or 5
in another; each bid names more tricks than the last. Over an opponent's 5 a player may bid to play alone. If the flip's
suit is bid, the dealer takes the flip and discards a card face down. If all pass, the flip is turned down and any suit
may be bid from 3; the dealer may not pass if all others have. On a turned-up 8 of clubs any suit may be bid, the auction goes
round until all others have passed, and the winner takes the 8 and discards. Three players: three flips in turn, everyone
discards down to five, a bid of 6 (all five tricks) over another's 5 when the 8 is up. Two players: calls alternate, any suit
from 3 (from 2 on the third flip); the bidder takes the flip and discards two, the other discards and takes the cards not yet
turned; if three flips are passed, the suit of the ghost's first card is trump.

Play: the dealer's left leads. Follow the suit led if you can; the 8 of clubs may be played at any time. The highest trump wins
the trick, else the highest card of the suit led; the winner leads. The partner of a lone bidder rests. The ghost turns
its top card last in each trick, and leads when it has won.

Scores: a bid made earns 2 for each trick bid and 1 for each more; five bid and made 12, alone or six 15. A bid that fails costs 4
and 1 for each trick missing. All others score 1 for each trick they caught. A match goes to 30.""",
    departures=(
        'The auction on a flip is one call each, where some tables go round until all have passed: `auction="continuous"`.',
        "The suit of a flip that was turned down may be bid later, which Euchre forbids: `turned_suit_biddable=False`.",
        'A set contract costs 4 and 1 for each trick missing; elsewhere less (`set_penalty="4_covers_first"`) or the bid '
        '(`set_penalty="4_plus_bid"`).',
        'Playing alone needs an opponent\'s bid of five first: `alone_requires="none"` allows it at any time, as in Euchre.',
        "With two players any suit may be bid from three: "
        '`num_players=2, b2_suit_rule="as_three_handed"` asks for four in suits other than that of the flip.',
    ),
    rewards="""\
`reward="score"`: the points of the hand, with four players those of the side, given to both partners. They do not add up to 0.
`reward="win"`: at the end of the episode the winners share +1 and the losers −1; of one hand the best result wins.""",
    match_end="""\
With `match=True` hands are played until somebody has `target` points, the deal passing left. If several reach it in one hand the
bidding side wins (`both_reach`, `tie_at_target`).""",
    history=(("0.1.0", "The first release."),),
)
