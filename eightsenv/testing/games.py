"""What holds in every game: random settings, random and greedy play, nothing but public calls."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np

from eightsenv.adapters.aec import RawEightsEnv
from eightsenv.cards import card_text
from eightsenv.engine import VectorCore
from eightsenv.game import UNIT
from eightsenv.testing.common import (
    check_shapes,
    decide,
    each_setting,
    ended,
    legal,
    named,
    new_core,
    new_env,
    play,
    reached,
    refusal,
    require,
    seat_of,
)

REVEALED = ("hands", "stock", "discard", "dealer", "seat", "phase", "scores", "hand_number")
"""What ``reveal`` tells of every variant (ACTIONS.md)."""
_CENT = 1e-2
"""How far sums of float32 rewards may be from the exact payoffs."""


def check_games(variant: str, *, settings: int = 6, seed: int = 0, episodes: int = 2, decisions: int = 300, **fixed: Any) -> None:
    """Single games: masks, observations, the state in words, no card in two places, and rewards that add up.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        episodes: how many are played in each setting.
        decisions: the most that are made in one episode.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        with named(variant, setting):
            env = new_env(variant, setting)
            env.reset(seed=seed)
            for _ in range(episodes):
                _play_episode(env, rng, decisions)
                env.reset()
                require(not ended(env) and env.agents == env.possible_agents, "a reset returns a finished game")


def _play_episode(env: RawEightsEnv, rng: random.Random, decisions: int) -> None:
    sums = np.zeros(env.num_players)
    pack = Counter(card_text(card) for card in env.core.pack)
    observations, states = [], []
    for _ in range(decisions):
        _check_words(env, pack, rng.randrange(env.num_players))
        observations += _observed(env)
        states.append(env.state())
        if ended(env):
            break
        env.step(decide(env, rng))
        sums += reached(env)
    check_shapes(np.stack(observations), env.game.sections(env.setting), "an observation")
    check_shapes(np.stack(states), env.game.state_sections(env.setting), "a full-information vector")
    _check_payoffs(env, sums)


def _observed(env: RawEightsEnv) -> list[np.ndarray]:
    """The observations of all seats; only the agent to move has legal actions."""
    mover = None if ended(env) else env.agent_selection
    observations = []
    for agent in env.possible_agents:
        seen = env.observe(agent)
        mask = seen["action_mask"]
        require(mask.dtype == np.int8 and mask.shape == (env.core.num_actions,), f"the mask of {agent} is {mask.dtype}{mask.shape}")
        require(mask.any() == (agent == mover), f"{agent} has {mask.sum()} legal actions and {mover} is to move")
        observations.append(seen["observation"])
    return observations


def _check_words(env: RawEightsEnv, pack: Counter[str], seat: int) -> None:
    """The state in words, and the view of a seat, which has the same entries."""
    shown, view = env.reveal(), env.view(f"agent_{seat}")
    missing = [key for key in REVEALED if key not in shown]
    require(not missing, f"reveal has no {', '.join(missing)}")
    n, terminated = env.num_players, env.terminations[env.agent_selection]
    require(len(shown["hands"]) == len(shown["scores"]) == n, f"reveal has hands or scores of other than {n} seats")
    mover = None if terminated else seat_of(env.agent_selection)
    require(shown["seat"] == mover, f"reveal says that seat {shown['seat']} is to move, not {mover}")
    held = Counter([*shown["stock"], *shown["discard"], *(card for hand in shown["hands"] for card in hand)])
    require(held <= pack, f"of the pack's cards there are too many of {sorted((held - pack).elements())}")
    require(set(view) == set(shown), f"view and reveal have different entries: {sorted(set(view) ^ set(shown))}")
    require(
        view["seat"] == shown["seat"] and len(view["hands"]) == n, f"the view of seat {seat} has another mover or number of hands"
    )


def _check_payoffs(env: RawEightsEnv, sums: np.ndarray) -> None:
    """What the rewards of an episode add up to is what its ledger says."""
    rows, shown = env.ledger(), env.reveal()
    n, truncated = env.num_players, env.truncations[env.agent_selection]
    totals = np.sum([row["payoffs"] for row in rows], axis=0) if rows else np.zeros(n)
    if rows:
        require(env.payoffs() == rows[-1]["payoffs"], "payoffs are not those of the last hand")
        require(
            [row["hand_number"] for row in rows] == sorted({row["hand_number"] for row in rows}), "a hand is twice in the ledger"
        )
        if not env.setting.auto_forced:
            require(rows[-1]["scores"] == shown["scores"], "scores changed after the last hand ended")
        _check_scores(rows)
    else:
        refusal("payoffs before a hand has ended", env.payoffs)
    if not ended(env):
        return
    require(env.setting.match or truncated or len(rows) == 1, f"an episode of one hand has {len(rows)}")
    if env.setting.reward == "score":
        require(np.abs(sums - totals).max() < _CENT, f"the rewards add up to {sums.tolist()} and the payoffs to {totals.tolist()}")
    elif truncated:
        require(not sums.any(), f"reward='win' pays {sums.tolist()} for a truncated game")
    else:
        _check_win(env, sums)


def _check_scores(rows: list[dict[str, Any]]) -> None:
    """Totals move by the payoffs, all with the same sign: points may be good or bad to have."""
    signs = set()
    for last, row in itertools.pairwise(rows):
        moved = np.subtract(row["scores"], last["scores"])
        paid = np.asarray(row["payoffs"])
        signs |= {sign for sign in (1, -1) if np.abs(moved - sign * paid).max() < 1e-9 and paid.any()}
        require(not paid.any() or signs, f"after payoffs {paid.tolist()} the scores moved by {moved.tolist()}")
    require(len(signs) < 2, "scores move with the payoffs at one time and against them at another")


def _check_win(env: RawEightsEnv, sums: np.ndarray) -> None:
    """``reward="win"``: the winners share +1, the losers -1; without either, all is 0. Partners win together."""
    won, lost = sums > 0, sums < 0
    shares = np.where(won, 1 / max(1, won.sum()), np.where(lost, -1 / max(1, lost.sum()), 0))
    require(won.any() == lost.any() and (won | lost).all() in (won.any(), True), f"the rewards for winning are {sums.tolist()}")
    require(np.abs(sums - shares).max() < 1e-5, f"the rewards for winning are {sums.tolist()}, not equal shares")
    for side in env.game.sides(env.setting):
        require(len({bool(won[seat]) for seat in side}) == 1, f"of the side {side} one seat has won and another not")
    if won.any() and not env.setting.match:
        payoffs = np.asarray(env.payoffs())
        require(
            np.array_equal(won, payoffs == payoffs.max()),
            f"seats {np.flatnonzero(won).tolist()} win with payoffs {payoffs.tolist()}",
        )


# Actions


def check_legality(variant: str, *, settings: int = 6, seed: int = 0, positions: int = 12, **fixed: Any) -> None:
    """Each legal action is accepted; each other one is refused with a sentence and changes nothing, but for those that the rules
    accept as infractions.

    Arguments as in ``check_games``; ``positions`` of a game are tried in each setting.
    """
    for setting, rng in each_setting(variant, settings, seed, max_decisions=None, **fixed):
        with named(variant, setting):
            env = new_env(variant, setting)
            env.reset(seed=seed)
            for _ in range(positions):
                _check_actions(env)
                play(env, rng.randint(1, 12), rng)
                if ended(env):
                    env.reset()


def _check_actions(env: RawEightsEnv) -> None:
    before, actions = env.snapshot(), legal(env)
    for action in range(-2, env.core.num_actions + 3):
        if action in actions or env.core.accepts(0, action):
            env.step(action)
            require(env.snapshot() != before, f"the accepted action {env.action_name(action)!r} changes nothing")
            env.restore(before)
        else:
            refusal(f"the illegal action {action}", env.step, action)
            require(env.snapshot() == before, f"the refused action {action} changed the game")


def check_truncation(variant: str, *, settings: int = 6, seed: int = 0, **fixed: Any) -> None:
    """An episode that reaches ``max_decisions`` is truncated with exactly that decision, and is never said to be terminated.

    Arguments as in ``check_games``.
    """
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        limit = rng.randint(1, 12)
        with named(variant, setting | {"max_decisions": limit}):
            env = new_env(variant, setting | {"max_decisions": limit})
            env.reset(seed=seed)
            made = play(env, limit, rng)
            require(ended(env), f"after {made} decisions of {limit} the game goes on")
            made = sum(line.startswith("agent_") for line in env.log())
            truncated, terminated = set(env.truncations.values()), set(env.terminations.values())
            require(len(truncated) == len(terminated) == 1 and truncated != terminated, "a game is both terminated and truncated")
            require(
                made <= limit and (True not in truncated or made == limit), f"it was truncated after {made} decisions of {limit}"
            )
            shown = env.reveal()
            require(
                (shown["seat"] is None) == (True in terminated),
                "reveal names the seat to move exactly while the rules' end is not reached",
            )
            for agent in env.possible_agents:
                require(not env.observe(agent)["action_mask"].any(), f"{agent} has legal actions after the end")


def check_auto_forced(variant: str, *, settings: int = 6, seed: int = 0, decisions: int = 150, **fixed: Any) -> None:
    """``auto_forced`` makes lone legal actions and no others, never the one that ends the episode; the game is the plain one.

    Arguments as in ``check_games``.
    """
    for setting, rng in each_setting(variant, settings, seed, **{"auto_forced": False} | fixed):
        with named(variant, setting | {"auto_forced": True}):
            plain, auto = new_env(variant, setting), new_env(variant, setting | {"auto_forced": True})
            plain.reset(seed=seed)
            auto.reset(seed=seed)
            compared = False
            for _ in range(decisions):
                _make_forced(plain)
                same = legal(auto) == legal(plain) and np.array_equal(auto.state(), plain.state())
                require(same and auto.agent_selection == plain.agent_selection, "it reaches another position than the plain game")
                if ended(plain):
                    plain.reset()
                    auto.reset()
                    continue
                action = decide(plain, rng)
                plain.step(action)
                auto.step(action)
                require(ended(auto) == ended(plain), "one game is over and the other not")
                if ended(plain) and not compared:  # a log takes as long as the game
                    require(auto.log() == plain.log() and auto.ledger() == plain.ledger(), "its log or ledger is another")
                    compared = True


def _make_forced(env: RawEightsEnv) -> None:
    """Make lone legal actions, but for one that ends the episode."""
    while not ended(env) and len(legal(env)) == 1:
        before = env.snapshot()
        env.step(legal(env)[0])
        if ended(env):
            env.restore(before)
            return


# Many games at once


def check_batches(
    variant: str, *, settings: int = 6, seed: int = 0, num_envs: int = 100, decisions: int = 4_000, **fixed: Any
) -> None:
    """Batches of random settings: every mask has an action, every vector its shapes, every reward its place.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults.
        seed: of everything that is drawn.
        num_envs: games of a batch.
        decisions: made in each setting, all games together.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    for setting, rng in each_setting(variant, settings, seed, **fixed):
        with named(variant, setting):
            core = new_core(variant, setting, num_envs, seed, num_threads=rng.choice([1, 2]), state=True)
            batch = core.reset()
            require(not (batch.terminated | batch.truncated).any(), "a reset returns a finished game")
            for _ in range(max(1, decisions // num_envs)):
                check_batch(core)
                actions = core.choose("greedy") if rng.random() < 0.4 else core.sample()
                require((actions >= 0).all() and (actions < core.num_actions).all(), "a policy chose an action that does not exist")
                rows = np.arange(num_envs)
                require(batch.action_mask[rows, actions].all(), "a policy chose an illegal action")
                core.step(actions)


def check_batch(core: VectorCore) -> None:
    """All that must hold of what a batch shows now."""
    batch, setting = core.batch, core.setting
    require(((batch.seat >= 0) & (batch.seat < core.num_players)).all(), "a seat to move does not exist")
    require(batch.action_mask.any(axis=1).all(), "a mask is empty")
    require(((batch.action_mask == 0) | (batch.action_mask == 1)).all(), "a mask has other values than 0 and 1")
    check_shapes(batch.observation, core.sections, "an observation")
    if batch.state is not None:
        check_shapes(batch.state, core.game.state_sections(setting), "a full-information vector")
    ended_rows = batch.terminated | batch.truncated
    require(not (batch.terminated & batch.truncated).any(), "a game is both terminated and truncated")
    if batch.final_observation.shape[1] and ended_rows.any():
        check_shapes(batch.final_observation[ended_rows], core.sections, "a final observation")
    reward = batch.reward.astype(float)
    require(np.isfinite(reward).all(), "a reward is not finite")
    if setting.reward == "win":
        require(not reward[~batch.terminated].any(), "reward='win' pays before the end")
        require((np.abs(reward.sum(axis=1)) < 1e-5).all() and (np.abs(reward) <= 1).all(), "rewards for winning do not cancel")
    else:
        units = reward * UNIT
        require(
            (np.abs(units - np.round(units)) < _CENT + np.abs(units) * 1e-6).all(), "a reward is no multiple of 1/840 of a point"
        )


__all__ = ["check_auto_forced", "check_batches", "check_games", "check_legality", "check_truncation"]
