"""Every variant as a game of OpenSpiel: the same game as the environment's, what its players know, and what is refused."""

from __future__ import annotations

import pickle
import random
from collections import defaultdict
from itertools import pairwise, permutations

import numpy as np
import pytest

import eightsenv
from eightsenv.adapters.aec import RawEightsEnv
from eightsenv.cards import CARDS
from eightsenv.testing.settings import sample_settings
from eightsenv.variants import get

pytest.importorskip("pyspiel")

import pyspiel

from eightsenv.adapters import openspiel

MINI = {"rules": "mini", "max_decisions": 9}
TINY = {"rules": "mini", "hand_size": 1, "voluntary_draw": "none", "first_dealer": 1, "max_decisions": 10}
GAMES = [
    ("crazy_eights_v0", {}),
    ("crazy_eights_v0", {"num_players": 2, "reward": "win", "effects": {"2": "draw 2 stack", "Q": "skip"}}),
    ("crazy_eights_v0", {"num_players": 3, "max_decisions": 12}),
    ("eights_v0", {"num_players": 4, "partnership": True, "cut_as_action": True, "first_dealer": 2}),
    ("eights_v0", MINI),
    ("high_low_eights_v0", {"voluntary_pass": True}),
    ("eight_ball_v0", {}),
    ("eight_ball_v0", {"num_players": 2, "b2_hidden": "choose"}),
    ("speculation_v0", {"num_players": 3, "sale": "sealed"}),
]


def ids(case):
    return f"{case[0]} {case[1]}"


def random_line(game, seed):
    """The states of a random game after the deal, the dealer and the deck."""
    pick, state = random.Random(seed), game.new_initial_state()
    dealer, deck = game.setting.options["first_dealer"], []
    while state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        assert sum(chances) == pytest.approx(1)
        action = pick.choices(actions, chances)[0]
        what, text = state.action_to_string(action).split()
        if what == "dealer":
            dealer = int(text.removeprefix("agent_"))
        else:
            deck.append(text)
        state.apply_action(action)
    states = [state.clone()]
    while not state.is_terminal():
        state.apply_action(pick.choice(state.legal_actions()))
        states.append(state.clone())
    return states, dealer, deck


def replayed(game, dealer, deck):
    """The environment with the same deal."""
    env = RawEightsEnv(get(game.setting.variant), **game.setting.as_dict())
    env.reset(seed=5, options={"dealer": dealer, "deck": deck})
    return env


@pytest.mark.parametrize("case", GAMES, ids=ids)
def test_the_game_is_the_environments(case):
    """Seats, legal actions, observations, texts, rewards and the log agree at every decision of random games."""
    game = openspiel.load(case[0], **case[1])
    for seed in range(2):
        states, dealer, deck = random_line(game, seed)
        env = replayed(game, dealer, deck)
        assert env.reveal()["dealer"] == dealer
        totals = np.zeros(game.num_players())
        for state, after in zip(states, [*states[1:], states[-1]], strict=True):
            for seat in range(game.num_players()):
                seen = env.observe(f"agent_{seat}")["observation"]
                assert np.array_equal(state.observation_tensor(seat), seen)
                if len(state.history()) % 8 == 0 or state.is_terminal():
                    *told, _ = state.information_state_string(seat).splitlines()
                    assert told == env.log(f"agent_{seat}")
                assert state.rewards() == state.returns()
            if state.is_terminal():
                break
            assert state.current_player() == env.possible_agents.index(env.agent_selection)
            assert state.returns() == [0.0] * game.num_players()
            mask = env.observe(env.agent_selection)["action_mask"]
            assert state.legal_actions() == np.flatnonzero(mask).tolist()
            assert [state.action_to_string(a) for a in state.legal_actions()] == [env.action_name(a) for a in state.legal_actions()]
            env.step(after.history()[-1])
            totals += [env.rewards[agent] for agent in env.possible_agents]
        assert env.terminations["agent_0"] or env.truncations["agent_0"]
        assert states[-1].returns() == pytest.approx(totals.tolist(), abs=1e-4)
        assert states[-1].current_player() == pyspiel.PlayerId.TERMINAL and states[-1].legal_actions() == []
        assert game.min_utility() <= min(states[-1].returns()) <= max(states[-1].returns()) <= game.max_utility()


@pytest.mark.parametrize("case", GAMES, ids=ids)
def test_openspiels_own_checks_pass(case):
    """Random games with copies, written and read again; zero-sum games that say so."""
    game = openspiel.load(case[0], **case[1])
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    again = pickle.loads(pickle.dumps(game))
    assert str(again) == str(game) and again.setting == game.setting
    assert again.new_initial_state().chance_outcomes() == game.new_initial_state().chance_outcomes()
    states, *_ = random_line(game, 1)
    copy = pickle.loads(pickle.dumps(states[-2]))
    assert copy.history() == states[-2].history() and str(copy) == str(states[-2])
    assert copy.observation_tensor(0) == states[-2].observation_tensor(0)


def test_utilities_are_declared_as_they_are():
    """Payments add up to 0, points charged do not; a win does."""
    zero, general = pyspiel.GameType.Utility.ZERO_SUM, pyspiel.GameType.Utility.GENERAL_SUM
    cases = {
        ("eights_v0", "score"): zero, ("crazy_eights_v0", "score"): general, ("crazy_eights_v0", "win"): zero,
        ("eight_ball_v0", "score"): general, ("speculation_v0", "score"): zero, ("high_low_eights_v0", "score"): zero,
    }  # fmt: skip
    for (variant, reward), utility in cases.items():
        game = openspiel.load(variant, reward=reward)
        assert game.get_type().utility == utility
        assert game.utility_sum() == (0 if utility == zero else None)
        options = {**game.setting.as_dict(), "auto_forced": False}
        paid = eightsenv.rollout(variant, num_games=2_000, policies="random", **options).payoffs
        assert game.min_utility() <= paid.min() and paid.max() <= game.max_utility()
        assert (np.abs(paid.sum(1)).max() < 1e-3) == (utility == zero)


def test_chance_lays_the_deck_card_by_card():
    """A node for the dealer, one for each position, the cards that are left; with two packs twice as likely while two are left."""
    state = openspiel.load("eights_v0", **MINI).new_initial_state()
    assert [state.action_to_string(k) for k, _ in state.chance_outcomes()] == ["dealer agent_0", "dealer agent_1"]
    for left in range(6, 0, -1):
        state.apply_action(state.chance_outcomes()[0][0])
        assert state.is_chance_node() and [p for _, p in state.chance_outcomes()] == [1 / left] * left
        assert state.information_state_string(0) == state.information_state_string(1) and not any(state.observation_tensor(0))
    state.apply_action(state.chance_outcomes()[0][0])
    assert not state.is_chance_node() and len(state.history()) == 7

    two = openspiel.load("eights_v0", num_players=6, first_dealer=3).new_initial_state()
    assert two.chance_outcomes() == [(k, 1 / 52) for k in range(52)]
    two.apply_action(7)
    assert dict(two.chance_outcomes())[7] == 1 / 103 and dict(two.chance_outcomes())[8] == 2 / 103
    assert two.action_to_string(7) == f"card {CARDS[7]}"


# What players know


def test_what_looks_alike_is_one_information_state():
    """Two deals that differ in hidden cards alone look alike to a seat, until it sees a difference; own cards tell them apart."""
    game = openspiel.load("eights_v0", **MINI)

    def dealt(*deck):
        state = game.new_initial_state()
        state.apply_action(6)  # agent_0 deals, agent_1 is dealt the first card
        for card in deck:
            state.apply_action({state.action_to_string(k): k for k, _ in state.chance_outcomes()}[f"card {card}"])
        return state

    one = dealt("7C", "9C", "7D", "8D", "9D", "8C")
    other_hand = dealt("7C", "8C", "7D", "8D", "9D", "9C")
    swapped = dealt("7D", "9C", "7C", "8D", "9D", "8C")
    assert one.information_state_string(1) == other_hand.information_state_string(1) == swapped.information_state_string(1)
    assert one.information_state_string(0) != other_hand.information_state_string(0)
    assert one.information_state_tensor(1) == other_hand.information_state_tensor(1)
    assert one.information_state_tensor(0) != other_hand.information_state_tensor(0)
    draw = next(k for k in one.legal_actions() if one.action_to_string(k) == "draw")
    for state in (one, other_hand):
        state.apply_action(draw)
    assert one.information_state_string(1) != other_hand.information_state_string(1), "the cards drawn differ"


def walked(game, each):
    """Call ``each`` for every state that is no chance node, with what the player to move has met before."""
    waiting = [(game.new_initial_state(), ((), ()))]
    while waiting:
        state, met = waiting.pop()
        if state.is_chance_node():
            waiting += [(state.child(k), met) for k, _ in state.chance_outcomes()]
            continue
        each(state, met)
        if not state.is_terminal():
            player = state.current_player()
            for action in state.legal_actions():
                now = (*met[player], (state.information_state_string(), action))
                waiting.append((state.child(action), (now, met[1]) if player == 0 else (met[0], now)))


def test_recall_is_perfect():
    """On a whole small game: an information state fixes the player's past, legal actions, observation and tensor."""
    past, seen, tensors = {}, {}, defaultdict(set)

    def each(state, met):
        if state.is_terminal():
            return
        player = state.current_player()
        key = player, state.information_state_string()
        assert past.setdefault(key, met[player]) == met[player]
        shown = state.legal_actions(), state.observation_tensor(), state.information_state_tensor()
        assert seen.setdefault(key, shown) == shown
        tensors[player, tuple(shown[2])].add(key)

    walked(openspiel.load("eights_v0", **TINY), each)
    assert len(past) == 630
    assert all(len(keys) == 1 for keys in tensors.values()), "the tensor tells apart what the string does"


@pytest.mark.slow
def test_the_tree_of_mini_is_as_its_rules_say():
    """OPTIONS.md, *mini, in full*: 180 deals of 13 544 decisions and 5 344 ends, and with perfect recall 3 504 information sets of
    the dealer and 5 288 of the other seat."""
    table = openspiel.load("eights_v0", first_dealer=1, **MINI).table
    keys: tuple[set, set] = (set(), set())
    counts = {"deals": 0, "decisions": 0, "ends": 0}
    for deck in permutations(table.core.pack):
        if deck[0] < deck[2] and deck[1] < deck[3]:  # hands as sets
            counts["deals"] += 1
            waiting = [table.deal(1, deck)]
            while waiting:
                at = waiting.pop()
                counts["ends" if at.over else "decisions"] += 1
                if not at.over:
                    keys[at.seat].add(f"{table.log_text(at, at.seat)} {table.view_text(at, at.seat)}")
                    waiting += [table.make(at, action) for action in at.legal]
    assert counts == {"deals": 180, "decisions": 13_544, "ends": 5_344}
    assert [len(told) for told in keys] == [5_288, 3_504]


def test_secret_actions_are_not_told():
    """A sealed bid is in the tensor of who made it, and not in the others'."""
    game = openspiel.load("speculation_v0", num_players=3, sale="sealed", max_decisions=20, ante=1)
    for seed in range(20):
        for state, after in pairwise(random_line(game, seed)[0]):
            if state.action_to_string(after.history()[-1]).startswith("bid"):
                seat = state.current_player()
                position = after.position
                assert game.table.told(position, seat) == (seat, after.history()[-1])
                assert game.table.told(position, (seat + 1) % 3) == (seat, None)
                return
    raise AssertionError("no bid was met")


# Settings


def test_options_are_written_as_openspiel_can_read_them():
    """Dicts and tuples survive the game's own text; bare words are values."""
    options = {"hand_size": 3, "effects": {"2": "draw 2 stack", "Q": "skip"}, "reward": "win", "stock_end": "immediate"}
    game = openspiel.load("crazy_eights_v0", num_players=3, **options)
    assert game.setting == eightsenv.make("crazy_eights_v0", num_players=3, **options).setting
    assert pyspiel.load_game(str(game)).setting == game.setting
    assert openspiel.read_options("stock_end: immediate; a: [1; 2]; b: {'x': 'y z'; 'q': None}") == {
        "stock_end": "immediate", "a": (1, 2), "b": {"x": "y z", "q": None}
    }  # fmt: skip


def test_a_dealer_who_is_not_found_by_lot_is_drawn_by_lot():
    """The default of eights_v0, the first spade, is replaced; asked for by name it is refused."""
    assert openspiel.load("eights_v0").setting.options["first_dealer"] == "random"
    with pytest.raises(ValueError, match=r"first_dealer of eights_v0 is 'random' or a seat, not 'first_spade'"):
        openspiel.load("eights_v0", first_dealer="first_spade")


REFUSED = [
    ("eights_v0", {"stock_end": "reshuffle"}, "stock_end='reshuffle'"),
    ("eights_v0", {"rules": "crazy_eights_specials"}, "stock_end='reshuffle'"),
    ("eights_v0", {"bury": "random"}, "bury='random'"),
    ("eights_v0", {"bury": "reshuffle"}, "bury='reshuffle'"),
    ("crazy_eights_v0", {"rules": "openspiel"}, "rules='openspiel'"),
    ("eight_ball_v0", {"eight_flip_all_pass": "redeal"}, "eight_flip_all_pass='redeal'"),
    ("eight_ball_v0", {"num_players": 2, "passout": "redeal"}, "passout='redeal'"),
    ("house_eights_v0", {}, "reshuffle"),
    ("crazy_eights_v0", {"match": True}, "match is False"),
    ("crazy_eights_v0", {"auto_forced": True}, "auto_forced is False"),
    ("no_eights_v0", {}, "there is no variant 'no_eights_v0'"),
    ("crazy_eights_v0", {"hand": 3}, "no option 'hand'"),
]


@pytest.mark.parametrize("case", REFUSED, ids=ids)
def test_later_chance_and_bad_settings_are_refused(case):
    variant, options, sentence = case
    with pytest.raises(ValueError, match=sentence):
        openspiel.load(variant, **options)
    with pytest.raises(ValueError, match=sentence):
        pyspiel.load_game("eightsenv", {"variant": variant, "options": openspiel.write_options(options)})


@pytest.mark.parametrize(
    "text",
    ["hand_size", "hand_size: 3; hand_size: 4", "3: 4"],
)
def test_bad_parameters_are_refused(text):
    with pytest.raises(ValueError, match=r"name: value|twice"):
        pyspiel.load_game("eightsenv", {"options": text})
    with pytest.raises(ValueError, match="num_players is given twice"):
        pyspiel.load_game("eightsenv", {"num_players": 3, "options": "num_players: 3"})


def test_illegal_actions_and_outcomes_are_refused_and_change_nothing():
    game = openspiel.load("eights_v0", **MINI)
    state = game.new_initial_state()
    with pytest.raises(ValueError, match="no outcome"):
        state.apply_action(0)
    assert str(state) == str(game.new_initial_state())
    state = random_line(game, 3)[0][0]
    before, illegal = str(state), next(k for k in range(58) if k not in state.legal_actions())
    with pytest.raises(ValueError, match="is not legal"):
        state.apply_action(illegal)
    assert str(state) == before and state.history() == state.clone().history()


def test_chance_that_acts_all_the_same_is_noticed(monkeypatch):
    """The guard behind the list: with the list emptied, a reshuffle and a random place for a buried eight are caught."""
    monkeypatch.setattr(openspiel.extensive, "later_chance", lambda setting: None)
    buried = openspiel.load("eights_v0", num_players=2, bury="random", first_dealer=0)
    deck = [8 + k for k in range(14)]
    deck.append(24)  # 8C is the starter
    deck += [card for card in range(52) if card not in deck]
    with pytest.raises(ValueError, match="chance has acted within the deal"):
        buried.table.deal(0, tuple(deck))
    reshuffled = openspiel.load("eights_v0", num_players=6, decks=1, stock_end="reshuffle", first_dealer=0)
    with pytest.raises(ValueError, match="chance has acted within the action"):
        for seed in range(50):
            random_line(reshuffled, seed)


def test_settings_that_pass_have_no_later_chance():
    """Random settings of all variants: what is not refused is played to its end, and the guard finds nothing."""
    played = defaultdict(int)
    for variant in eightsenv.variants():
        for setting in sample_settings(variant, 12, 7, match=False, auto_forced=False):
            try:
                game = openspiel.load(variant, **setting)
            except ValueError:
                continue
            random_line(game, 0)
            played[variant] += 1
    assert set(played) == set(eightsenv.variants()) - {"house_eights_v0"}


def test_observers_of_more_or_less_are_refused():
    game = openspiel.load("eights_v0", **MINI)
    with pytest.raises(ValueError, match="takes no parameters"):
        game.make_py_observer(None, {"x": 1})
    with pytest.raises(ValueError, match="one player's own"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE))
    assert not openspiel.load("crazy_eights_v0").get_type().provides_information_state_tensor
