"""What holds in every setting and every game of every variant: the battery of ``eightsenv.testing``; much of it when slow."""

from __future__ import annotations

import random

import pytest

import eightsenv
from eightsenv import testing

variants = pytest.mark.parametrize("variant", eightsenv.variants())


@variants
def test_tables(variant: str):
    testing.check_contract(variant, settings=3)


@variants
def test_games(variant: str):
    """Masks, observations, the state in words, no card in two places, and rewards that add up."""
    testing.check_games(variant, settings=6)


@variants
def test_legal_is_accepted_and_nothing_else(variant: str):
    testing.check_legality(variant, settings=5)


@variants
def test_truncation_is_reported_as_truncation(variant: str):
    testing.check_truncation(variant, settings=10)


@variants
def test_auto_forced_is_the_plain_game(variant: str):
    testing.check_auto_forced(variant, settings=5)


@variants
def test_nothing_hidden_leaks(variant: str):
    testing.check_no_leak(variant, settings=4)


@variants
def test_drawn_worlds_fit_what_a_seat_knows(variant: str):
    testing.check_determinize(variant, settings=4, positions=5)


@variants
def test_batches_of_random_settings(variant: str):
    testing.check_batches(variant, settings=20, num_envs=200, decisions=6_000)


@pytest.mark.slow
@variants
def test_two_million_decisions(variant: str):
    testing.check_batches(variant, settings=99, seed=2, num_envs=500, decisions=20_000)


@pytest.mark.slow
@variants
def test_many_random_settings(variant: str):
    """Each check with many more settings than on every day."""
    for check in testing.CHECKS:
        check(variant, settings=15, seed=3)


@pytest.mark.slow
@variants
def test_no_endless_game(variant: str):
    """Random play always comes to an end by the rules or is reported as truncated, whatever the setting."""
    for seed in range(60):
        setting = testing.random_setting(random.Random(seed), variant)
        result = eightsenv.rollout(variant, num_games=200, seed=seed, **setting)
        limit = setting["max_decisions"]
        assert (result.lengths <= limit).all() and (result.lengths[result.truncated] == limit).all()
