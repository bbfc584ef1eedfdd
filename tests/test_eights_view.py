"""The observation and the full-information vector of the eights family, section by section, against the state in words."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.settings import VARIANTS

import eightsenv
from eightsenv import game as contract
from eightsenv.testing import random_setting

HELD_ELSEWHERE = ("none", "known", "buried", "above_buried", "must_play", "plays_left")
"""Sections that the state in words does not tell: of knowledge (tests of determinize), and of the two rarest rules."""


class Told:
    """What the state in words and the actions since the deal tell of a game."""

    def __init__(self, env: Any):
        self.env, self.setting, self.options = env, env.setting, env.setting.options
        self.passes, self.passer = 0, None
        self.shown = env.reveal()

    def step(self, action: int) -> None:
        before, text = self.shown, self.env.action_name(action)
        self.env.step(action)
        self.shown = self.env.reveal()
        can_draw = before["stock"] or (self.options["stock_end"] == "reshuffle" and len(before["discard"]) > 1)
        if text == "pass":
            self.passer = before["seat"]
            self.passes += not can_draw and self.options["stock_end"] != "end_of_turn"
        elif text.startswith("play"):
            self.passes = 0
        if self.shown["hand_number"] != before["hand_number"]:
            self.passes = 0

    def section(self, section: contract.Section, first: int, own: int | None) -> list[int]:
        """The features that a section must have; seats are counted from ``first`` on, the hand is that of ``own``."""
        shown, n = self.shown, self.setting.num_players
        name, twice = section.name.removesuffix("_twice"), section.name.endswith("_twice")
        number = re.search(r"_(\d+)$", name)
        seat = (first + int(number[1])) % n if number else -1
        top = shown["discard"][0] if shown["discard"] else None

        def cards(held: list[str]) -> list[int]:
            counts = Counter(held)
            return [int(counts[text] > twice) for text in section.bins]

        def at_least(value: float) -> list[int]:
            return [int(value >= int(re.match(r"-?\d+", text)[0])) for text in section.bins]

        def one(index: int | None) -> list[int]:
            return [int(k == index) for k in range(section.size)]

        def seats(chosen: list[int]) -> list[int]:
            return [int((first + k) % n in chosen) for k in range(n)]

        naming, demanding = shown["suit"] is None, shown["phase"] == "DEMAND"
        expected = {
            "playable": lambda: cards([c for c in shown["hands"][own] if not naming and self.fits(c, top, shown["suit"])]),
            "pile": lambda: cards(shown["discard"]),
            "stock": lambda: cards(shown["stock"]),
            "next_card": lambda: cards(shown["stock"][:1]),
            "top_rank": lambda: one(section.bins.index(top[0]) if top else None),
            "suit_in_force": lambda: one(None if naming else section.bins.index(shown["suit"])),
            "phase": lambda: one(section.bins.index(shown["phase"].lower())),
            "turn": lambda: seats([] if shown["seat"] is None else [shown["seat"]]),
            "dealer": lambda: seats([shown["dealer"]]),
            "stock_size": lambda: at_least(len(shown["stock"])),
            "drawn": lambda: at_least(shown["drawn"]),
            "passes": lambda: at_least(self.passes),
            "pending": lambda: at_least(shown["pending"]),
            "reversed": lambda: one(0 if shown["direction"] < 0 else None),
            "out": lambda: seats(shown["out"]),
            "passer": lambda: seats([self.passer] if demanding else []),
            "hands_played": lambda: at_least(shown["hand_number"]),
        }
        if name in expected:
            return expected[name]()
        if name == "hand":
            return cards(shown["hands"][own])
        if name.startswith("hand_size_"):
            return at_least(len(shown["hands"][seat]))
        if name.startswith("hand_"):
            return cards(shown["hands"][seat])
        if name.startswith("score_"):
            return at_least(shown["scores"][seat])
        raise AssertionError(f"no expectation for the section {section.name}")

    def fits(self, card: str, top: str, suit: str) -> bool:
        """Whether a card may follow (RE-12 to RE-14, IT-7 to IT-9), but for effects that are pending."""
        wild = self.options["wild_rank"]
        if card[0] == wild or top[0] == wild:
            return card[0] == wild or card[1] == suit
        same = [card[1] == suit, card[0] == top[0]]
        return all(same) if self.options["match_rule"] == "both" else any(same)


def check(vector: np.ndarray, sections: tuple, told: Told, first: int, own: int | None) -> None:
    slices = contract.fields(sections)
    assert len(vector) == sum(section.size for section in sections)
    for section in sections:
        if section.name.rstrip("_0123456789").removesuffix("_twice").rstrip("_0123456789") in HELD_ELSEWHERE:
            continue
        if section.name == "passes" and told.setting.closed:  # OpenSpiel's draws count as passes at times
            continue
        expected = told.section(section, first, own)
        assert vector[slices[section.name]].tolist() == expected, (section.name, first, told.shown)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(6))
def test_every_section_says_what_the_state_in_words_says(variant: str, seed: int):
    """What each seat observes and the full-information vector, also after the end."""
    rng = random.Random(4000 + seed)
    env = eightsenv.make(variant, **random_setting(rng, variant, auto_forced=False)).unwrapped
    sections, full = env.game.sections(env.setting), env.game.state_sections(env.setting)
    assert env.fields == contract.fields(sections)
    env.reset(seed=seed)
    told = Told(env)
    for _ in range(200):
        check(env.state(), full, told, 0, None)
        for seat, agent in enumerate(env.possible_agents):
            check(env.observe(agent)["observation"], sections, told, seat, seat)
        if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.reset()
            told = Told(env)
            continue
        actions = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        others = [a for a in actions if env.action_name(a) != "draw"]
        told.step(int(rng.choice(others if others and rng.random() < 0.6 else list(actions))))
