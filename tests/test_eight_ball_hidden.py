"""What is hidden in 8-ball stays hidden: hands, face-down discards, the cards not flipped, the ghost's packet; and the worlds drawn
for a seat are all those, and only those, that it could be in. What a seat knows is worked out here from the rules alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from reference import settings
from reference.eight_ball import GHOST, EightBallModel
from reference.eight_ball_tables import at_play, eight_ball_deck
from reference.settings import EIGHT_BALL_PACK

import eightsenv

History = list[tuple[int, str]]
"""Who did what, from the deal on."""


class Game:
    """One hand in the environment and in the model, side by side."""

    def __init__(self, setting: dict[str, Any], deck: list[str], dealer: int, seed: int):
        self.env = eightsenv.make("eight_ball_v0", **setting).unwrapped
        self.model = EightBallModel("eight_ball_v0", setting, self.env.reveal)
        self.env.reset(seed=seed, options={"deck": deck, "dealer": dealer})
        self.model.start(deck, dealer)
        self.history: History = []
        self.ghosts: list[str] = []
        self.taken_flip: tuple[int, str] | None = None
        self.taken_hidden: tuple[int, list[str]] | None = None

    @property
    def ended(self) -> bool:
        return self.model.over or self.model.truncated

    def do(self, action: str) -> None:
        assert self.model.seat is not None
        seat, before = self.model.seat, self.model.reveal()
        self.history.append((seat, action))
        self.env.step(self.env.action_id(action))
        self.model.act(action)
        after = self.model.reveal()
        fallen = [card for card in before["ghost"] if card not in after["ghost"]]
        # The card that filled a trick fell before the one that leads to the next.
        self.ghosts += sorted(fallen, key=lambda card: [GHOST, card] in after["trick"])
        if before["flip"] and not after["flip"]:
            card = before["flip"][0]
            self.taken_flip = next(k for k in range(self.model.n) if card in after["hands"][k]), card
        if action.startswith("discard") and before["hidden"] != after["hidden"]:
            self.taken_hidden = seat, before["hidden"][: len(before["hidden"]) - len(after["hidden"])]

    def discarders(self) -> list[int]:
        return [seat for seat, action in self.history if action.startswith("discard")]

    def known_to(self, seat: int) -> dict[str, Any]:
        """What a seat may know of the moment: what lies open, its own cards, and how many others are where."""
        shown = self.model.reveal()
        shown["hands"] = [hand if k == seat else len(hand) for k, hand in enumerate(shown["hands"])]
        shown["discards"] = [
            card if owner == seat else owner for card, owner in zip(shown["discards"], self.discarders(), strict=True)
        ]
        shown["hidden"], shown["ghost"] = len(shown["hidden"]), len(shown["ghost"])
        shown["legal"] = sorted(self.model.legal()) if seat == self.model.seat else None
        return shown


def one_hand(rng: random.Random, **fixed: Any) -> dict[str, Any]:
    """A random setting of a hand that is dealt once."""
    return settings.random_setting(rng, "eight_ball_v0", match=False, max_decisions=None, passout="bot_lead_is_trump", **fixed) | {
        "eight_flip_all_pass": "turn_down"
    }


# Games that look alike


def swapped(rng: random.Random, deck: list[str], places: list[int]) -> list[str]:
    """The deck with two or three of these places exchanged."""
    chosen = rng.sample(places, rng.choice([2, 3]))
    other = deck[:]
    for a, b in zip(chosen, chosen[1:] + chosen[:1], strict=True):
        other[a] = deck[b]
    return other


def same_for_all(rng: random.Random, one: Game, two: Game, watcher: int) -> bool:
    """Make an action in both games that looks the same to the watcher; False if there is none."""
    seat = one.model.seat
    if seat != two.model.seat:
        return False
    mine, other = sorted(one.model.legal()), sorted(two.model.legal())
    if seat != watcher and one.model.stage == "discard" == two.model.stage:
        # Nobody else sees which card it is: any two.
        one.do(rng.choice(mine))
        two.do(rng.choice(other))
        return True
    both = [action for action in mine if action in other]
    if not both or (seat == watcher and mine != other):
        return False
    action = rng.choice(["pass"] if "pass" in both and rng.random() < 0.4 else both)
    one.do(action)
    two.do(action)
    return True


@pytest.mark.parametrize("n", [4, 3, 2])
def test_games_that_look_alike_are_shown_alike(n: int):
    """Observation, mask, view and log of a seat are equal, byte for byte, in two games that it cannot tell apart."""
    rng = random.Random(n)
    compared = late = 0
    for game in range(60):
        setting = one_hand(rng, num_players=n)
        deck, dealer, watcher = rng.sample(EIGHT_BALL_PACK, 21), rng.randrange(n), rng.randrange(n)
        agent = f"agent_{watcher}"
        one = Game(setting, deck, dealer, game)
        own = [k for k, card in enumerate(deck) if card in one.model.hands[watcher]]
        # What the watcher has not been dealt, nor seen flipped.
        places = [k for k in range(21) if k not in own and deck[k] != one.model.flip]
        two = Game(setting, swapped(rng, deck, places), dealer, game)
        while not one.ended and not two.ended and one.known_to(watcher) == two.known_to(watcher):
            assert one.env.view(agent) == two.env.view(agent)
            seen, same = one.env.observe(agent), two.env.observe(agent)
            assert all(seen[key].tobytes() == same[key].tobytes() for key in seen), (setting, one.history)
            compared += 1
            late += one.model.stage == "play" and one.model.reveal() != two.model.reveal()
            if rng.random() < 0.03:
                assert one.env.log(agent) == two.env.log(agent)
            if not same_for_all(rng, one, two, watcher):
                break
    assert compared > 300 and late > 30


# Worlds


def dealt_as(game: Game, world: dict[str, Any], watcher: int) -> EightBallModel:
    """The hand of a game as it has gone in a world, played again in the model.

    Raises:
        AssertionError, ValueError: the world cannot have come about so.
    """
    hands = [list(hand) for hand in world["hands"]]
    for seat, action in game.history:
        if action.startswith("play"):
            hands[seat].append(action.split()[1])
    exchanged: list[str] = []
    if game.taken_hidden is not None:
        seat, cards = game.taken_hidden
        # Only the taker knows which; any that it has not put aside will do.
        exchanged = cards if seat == watcher else hands[seat][: len(cards)]
        hands[seat] = [card for card in hands[seat] if card not in exchanged]
    for seat, card in zip(game.discarders(), world["discards"], strict=True):
        hands[seat].append(card)
    flips = list(world["dead"])
    if game.taken_flip is not None:
        seat, card = game.taken_flip
        hands[seat].remove(card)
        flips.append(card)
    elif world["flip"][1]:
        flips.append(world["flip"][0])
    ghost = [*game.ghosts, *world["ghost"]]
    after = " ".join([*flips, *exchanged, *world["hidden"]])
    dealer = game.model.dealer
    deck = eight_ball_deck([" ".join(hand) for hand in hands], after, dealer, " ".join(ghost))
    replayed = EightBallModel("eight_ball_v0", game.model.o, lambda: {})
    replayed.start(deck, dealer)
    put_aside = iter(world["discards"])
    for seat, action in game.history:
        assert replayed.seat == seat
        replayed.act(f"discard {next(put_aside)}" if action.startswith("discard") else action)
    return replayed


def play_some(rng: random.Random, game: Game, stop: Any) -> None:
    """Play at random, bids and passes about as often, until a condition holds or the hand has ended."""
    while not game.ended and not stop(game):
        actions = sorted(game.model.legal())
        game.do("pass" if "pass" in actions and rng.random() < 0.4 else rng.choice(actions))


@pytest.mark.parametrize(
    ("n", "fixed"), [(4, {}), (3, {}), (2, {"bot_policy": "top_card"}), (2, {"bot_policy": "follow_if_able"})], ids=repr
)
def test_drawn_worlds_can_have_come_about(n: int, fixed: dict[str, Any]):
    """In each world drawn for a seat the whole hand up to now can be played by the rules, and what the seat knows is the same."""
    rng = random.Random(10 + n)
    drawn = different = 0
    for number in range(40):
        game = Game(one_hand(rng, num_players=n, **fixed), rng.sample(EIGHT_BALL_PACK, 21), rng.randrange(n), number)
        world = eightsenv.make("eight_ball_v0", **game.model.o).unwrapped
        length = rng.randrange(30)
        play_some(rng, game, lambda game, length=length: len(game.history) == length)
        if game.ended:
            continue
        watcher = rng.randrange(n)
        for seed in range(3):
            world.restore(game.env.determinize(f"agent_{watcher}", seed))
            shown = world.reveal()
            replayed = dealt_as(game, shown, watcher)
            again = replayed.reveal()
            assert shown | again == shown | {"hands": [sorted(hand) for hand in shown["hands"]]}
            now, then = Counter(shown["hands"][watcher]), Counter(game.model.hands[watcher])
            assert now == then
            own = [k for k, seat in enumerate(game.discarders()) if seat == watcher]
            assert [shown["discards"][k] for k in own] == [game.model.discards[k] for k in own]
            drawn += 1
            different += shown["hands"] != game.env.reveal()["hands"]
    assert drawn > 50 and different > drawn // 3


def test_a_ghost_that_follows_if_it_can_has_shown_what_it_lacks():
    """AD of the whole packet on a club led: no club lies in it, in no world."""
    hands, ghost = ["TC KD AH KH QH", "8C AC QC TD KS"], "AD JD JS AS TS QS"
    table = at_play(2, hands, "S", "JH", ghost=ghost, bot_policy="follow_if_able")
    table.do("play TC", "play QC")
    assert "AD" in table.played
    world = at_play(2, hands, "S", "JH", ghost=ghost, bot_policy="follow_if_able")
    for agent in ("agent_0", "agent_1"):
        for seed in range(30):
            world.env.restore(table.env.determinize(agent, seed))
            assert not {"KC", "AC"} & set(world.ghost)


Places = list[tuple[Any, int]]
"""Where cards lie hidden from a seat, and how many."""


def hidden_places(game: Game, watcher: int) -> Places:
    owners = Counter(game.discarders())
    places: Places = []
    for seat in range(game.model.n):
        if seat != watcher:
            places += [(("hand", seat), len(game.model.hands[seat])), (("discards", seat), owners[seat])]
    places += [("hidden", len(game.model.hidden)), ("ghost", len(game.model.ghost))]
    return [(place, size) for place, size in places if size]


def splits(cards: list[str], places: Places) -> Iterator[dict[Any, tuple[str, ...]]]:
    """All ways to lay these cards into the places, the order within a place aside."""
    if not places:
        yield {}
        return
    (place, size), *others = places
    for chosen in combinations(cards, size):
        for rest in splits([card for card in cards if card not in chosen], others):
            yield {place: chosen, **rest}


def laid_out(game: Game, watcher: int, split: dict[Any, tuple[str, ...]]) -> dict[str, Any]:
    """The true state in words with the hidden cards laid so."""
    world = game.model.reveal()
    piles = {place: list(cards) for place, cards in split.items()}
    for seat in range(game.model.n):
        if seat != watcher:
            world["hands"][seat] = piles.get(("hand", seat), [])
    world["discards"] = [
        card if owner == watcher else piles["discards", owner].pop(0)
        for card, owner in zip(world["discards"], game.discarders(), strict=True)
    ]
    world["hidden"], world["ghost"] = piles.get("hidden", []), piles.get("ghost", [])
    return world


def split_of(game: Game, watcher: int, world: dict[str, Any], places: Places) -> tuple:
    """The reverse: what lies where, sorted."""
    cards = {("hand", seat): hand for seat, hand in enumerate(world["hands"])}
    for card, owner in zip(world["discards"], game.discarders(), strict=True):
        cards.setdefault(("discards", owner), []).append(card)
    cards |= {"hidden": world["hidden"], "ghost": world["ghost"]}
    return tuple(tuple(sorted(cards[place])) for place, _ in places)


def possible(game: Game, watcher: int, places: Places) -> set[tuple]:
    """Every way in which the hidden cards can lie after what has happened, found by playing each."""
    unseen = [card for place, _ in places for card in pile_of(game, place)]
    found = set()
    for split in splits(sorted(unseen), places):
        world = laid_out(game, watcher, split)
        try:
            dealt_as(game, world, watcher)
        except (AssertionError, ValueError):
            continue
        found.add(tuple(tuple(sorted(split[place])) for place, _ in places))
    return found


def pile_of(game: Game, place: Any) -> list[str]:
    if place in ("hidden", "ghost"):
        return game.model.hidden if place == "hidden" else game.model.ghost
    kind, seat = place
    if kind == "hand":
        return game.model.hands[seat]
    return [card for card, owner in zip(game.model.discards, game.discarders(), strict=True) if owner == seat]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("n", "tricks"), [(4, 3), (3, 4), (2, 3)])
def test_drawn_worlds_are_all_that_are_possible_and_equally_likely(n: int, tricks: int, seed: int):
    """Late in a hand, where the worlds can be counted: each is drawn, no other is, and none more often than the others (chi²)."""
    rng = random.Random(100 * n + seed)
    while True:
        setting = one_hand(rng, num_players=n, **({"bot_policy": "top_card"} if n == 2 else {}))
        game = Game(setting, rng.sample(EIGHT_BALL_PACK, 21), rng.randrange(n), seed)
        play_some(rng, game, lambda game: sum(game.model.tricks.values()) == tricks)
        watcher = rng.randrange(n)
        if game.ended or game.model.resting == watcher:
            continue
        places = hidden_places(game, watcher)
        expected = possible(game, watcher, places)
        if 20 <= len(expected) <= 400:
            break
    core, world = game.env.core, eightsenv.make("eight_ball_v0", **game.model.o).unwrapped.core
    count: Counter[tuple] = Counter()
    total = 12 * len(expected)
    for number in range(total):
        world.restore(0, core.determinize(0, watcher, number))
        count[split_of(game, watcher, world.reveal(0), places)] += 1
    assert set(count) <= expected, "a world that cannot have come about"
    chi2 = sum((count[split] - 12) ** 2 / 12 for split in expected)
    free = len(expected) - 1
    assert (chi2 - free) / np.sqrt(2 * free) < 5
