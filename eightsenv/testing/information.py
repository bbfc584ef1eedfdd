"""What a seat may not know changes nothing that it is shown; worlds that are drawn for it fit what it knows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from eightsenv import snapshots
from eightsenv.adapters.aec import RawEightsEnv
from eightsenv.cards import CARDS, card_text
from eightsenv.testing.common import each_setting, ended, legal, named, new_env, play, require, seat_of

_TEXTS = {*CARDS, "X1", "X2"}
_REPEATED = ("packets",)
"""Zones of ``reveal`` with hidden cards that are among the ``hands`` too (ACTIONS.md)."""


def check_no_leak(variant: str, *, settings: int = 4, seed: int = 0, pairs: int = 25, **fixed: Any) -> None:
    """Games that look alike to a seat show it the same bytes.

    Pairs of games are dealt from packs that differ in two or three places, and play the same actions. As long as everything
    that a seat was told in words (``view``) is the same in both games, so must be its observation, mask, log, picture and
    infos, and what the greedy policy does in its place.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        pairs: how many pairs of games are played in each setting.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold, or no pair of different games looked alike to any seat; the sentence says
            what, and in which setting.
    """
    alike = 0
    # Every decision by itself: what happens in forced steps is public, but shows in no view between them.
    for setting, rng in each_setting(variant, settings, seed, **fixed | {"auto_forced": False}):
        with named(variant, setting):
            one, two = (new_env(variant, setting, render_mode="ansi") for _ in range(2))
            alike += sum(_play_pair(one, two, rng) for _ in range(pairs))
    require(alike > 0, f"{variant}: no two different games look alike to a seat, so either its view or the check is wrong")


def _play_pair(one: RawEightsEnv, two: RawEightsEnv, rng: random.Random) -> int:
    """Play one pair; returns how often games that differed looked alike to a seat."""
    deck, swapped = _two_decks([card_text(card) for card in one.core.pack], rng)
    seed = rng.getrandbits(32)
    one.reset(seed=seed, options={"deck": deck})
    two.reset(seed=seed, options={"deck": swapped})
    watching = set(rng.sample(one.possible_agents, 2))
    alike, logged = 0, rng.randrange(20)
    for step in range(rng.randint(1, 15)):
        watching = {agent for agent in watching if one.view(agent) == two.view(agent)}
        if not watching:
            break
        alike += one.reveal() != two.reveal()
        for agent in sorted(watching):
            _compare(one, two, agent, logs=step == logged)
        if ended(one) or ended(two):
            break
        both = [action for action in legal(one) if action in legal(two)]
        if one.agent_selection != two.agent_selection or not both:
            break
        action = int(one.core.choose("greedy")[0])
        if action not in both or rng.random() < 0.5:
            action = rng.choice(both)
        one.step(action)
        two.step(action)
    return alike


def _two_decks(pack: list[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """The pack in a random order, and the same with two or three cards in each other's places."""
    deck = rng.sample(pack, len(pack))
    swapped = deck[:]
    places = rng.sample(range(len(deck)), min(len(deck), rng.choice((2, 3))))
    for place, source in zip(places, [*places[1:], places[0]], strict=True):
        swapped[place] = deck[source]
    return deck, swapped


def _compare(one: RawEightsEnv, two: RawEightsEnv, agent: str, logs: bool) -> None:
    """What an agent is shown in two games that look alike to it."""
    seen, same = one.observe(agent), two.observe(agent)
    what = f"two games with the same view of {agent} have a different"
    for key in seen:
        if seen[key].tobytes() != same[key].tobytes():
            raise AssertionError(f"{what} {key}{_where(one, seen[key] != same[key]) if key == 'observation' else ''}")
    require(one.agent_selection == two.agent_selection, f"{what} agent to move")
    require(one.infos == two.infos, f"{what} info")
    over = ended(one)
    require(over == ended(two), f"{what} end")
    if not over and agent == one.agent_selection:
        require(one.core.choose("greedy")[0] == two.core.choose("greedy")[0], f"{what} greedy action")
        require(one.render() == two.render(), f"{what} picture")
    if logs:
        require(one.log(agent) == two.log(agent), f"{what} log")


def _where(env: RawEightsEnv, differs: np.ndarray) -> str:
    """The sections of the features that differ, as text."""
    return f" in {', '.join(name for name, part in env.fields.items() if differs[part].any())}"


# Determinize


def check_determinize(variant: str, *, settings: int = 4, seed: int = 0, positions: int = 10, **fixed: Any) -> None:
    """Worlds drawn for a seat look to it as the true one, have the same cards, depend on nothing hidden, and can be played out.

    Arguments as in ``check_no_leak``; ``positions`` are tried in each setting.
    """
    different = tried = 0
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        with named(variant, setting):
            env, world = new_env(variant, setting), new_env(variant, setting)
            env.reset(seed=seed)
            for _ in range(positions):
                for agent in rng.sample(env.possible_agents, 2):
                    different += _check_worlds(env, world, agent, rng)
                    tried += 1
                play(env, rng.randint(1, 9), rng)
                if ended(env):
                    env.reset()
    require(
        different > tried // 4, f"{variant}: of {tried} worlds {different} differ from the true one: they should be drawn at random"
    )


def _check_worlds(env: Any, world: Any, agent: str, rng: random.Random) -> bool:
    """Two worlds for an agent in the position of ``env``; returns whether the first differs from the truth."""
    number = rng.getrandbits(32)
    before = env.snapshot()
    drawn = env.determinize(agent, number)
    require(isinstance(drawn, bytes), f"determinize gives {type(drawn).__name__}, not the bytes of a snapshot")
    require(env.snapshot() == before, "determinize changes the game")
    require(env.determinize(agent, number) == drawn, "the same game and seed give different worlds")
    require(env.determinize(agent, number + 1) != drawn, "another seed gives the same world")
    of_batch = env.core.determinize(0, seat_of(agent), number)
    require(_state(env, of_batch) == _state(env, drawn), "the batch's determinize draws another world than the environment's")

    world.restore(drawn)
    _compare_world(env, world, agent)
    different = bool(world.reveal() != env.reveal())
    play(world, 150, rng)

    # What is drawn from a drawn world knows of the truth only what the agent knows.
    world.restore(env.determinize(agent, number + 1))
    again = world.determinize(agent, number)
    require(_state(env, again) == _state(env, drawn), f"a world drawn for {agent} depends on what it does not know")
    return different


def _compare_world(env: RawEightsEnv, world: RawEightsEnv, agent: str) -> None:
    seen, same = env.observe(agent), world.observe(agent)
    what = f"in a world drawn for {agent}"
    for key in seen:
        if seen[key].tobytes() != same[key].tobytes():
            where = _where(env, seen[key] != same[key]) if key == "observation" else ""
            raise AssertionError(f"{what} its {key} is another one{where}")
    require(world.view(agent) == env.view(agent), f"{what} its view is another one")
    require(world.agent_selection == env.agent_selection, f"{what} another agent is to move")
    require(_cards(world.reveal()) == _cards(env.reveal()), f"{what} there are other cards")


def _state(env: RawEightsEnv, snapshot: bytes) -> bytes:
    """The state record in a snapshot."""
    return snapshots.unpack(snapshot, env.setting, env.core.record_size).record


def _cards(shown: dict[str, Any]) -> Counter[str]:
    """All card texts in a state in words, wherever they are; hidden cards, and zones that show the same cards, count once."""
    zones: list[Any] = []
    for name, zone in shown.items():
        if zone not in zones and name not in _REPEATED:
            zones.append(zone)
    return Counter(_texts(zones))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str) and value in _TEXTS:
        yield value
