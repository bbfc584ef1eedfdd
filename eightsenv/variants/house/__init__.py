"""House Rules: the richest game of the family.

Read it like a rule book: ``state`` (records, phases, what can wait), ``options``, ``deal`` (dealer, deal, starter), ``play``
(decisions and transitions), ``effects`` (the pending stack, special cards, turns), ``table`` (what is done with cards), ``known``
(what that tells whom), ``scoring``, ``scenarios`` (accidents), ``view`` (observation), ``text`` (actions, state in words, audit),
``heuristic`` (the greedy policy), ``determinize`` (states that agree with what a seat knows).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eightsenv.game import Game, RuleSet, Setting, rules_row
from eightsenv.variants import knowledge, sampling, shedding
from eightsenv.variants.house import (
    deal,
    determinize,
    effects,
    heuristic,
    known,
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
    modules=(shedding, knowledge, sampling, state, known, table, effects, deal, scoring, play, view, heuristic, determinize),
    words=2,
)


def _once(sections: Callable[[np.record], Any]) -> Callable[[Setting], Any]:
    """A table of a setting's rules, made once for each."""
    return functools.lru_cache(maxsize=256)(lambda setting: sections(rules_row(HOUSE_EIGHTS, setting)[0]))


HOUSE_EIGHTS = Game(
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
    sections=_once(view.observation_sections),
    state_sections=_once(view.state_vector_sections),
    reveal=text.reveal,
    view=text.view,
    ledgers=("ledger",),
    audit=text.audit,
    scenarios=scenarios.SCENARIOS,
    summary="""\
Two to six players with one pack of 52 cards and two Jokers, up to twelve with two; lowest total wins.""",
    history=(("0.2.0", "The first release."),),
)
