"""OpenSpiel: one hand of any variant as a game in extensive form, for the solvers and learners that take ``pyspiel`` games.

Importing this module registers the game ``eightsenv``::

    from eightsenv.adapters import openspiel

    game = openspiel.load("eights_v0", rules="mini", max_decisions=9)
    game = pyspiel.load_game("eightsenv(variant=eights_v0,rules=mini,options=max_decisions: 9)")  # the same

A game begins with chance nodes: one for the dealer, unless ``first_dealer`` is a seat, and one for each position of the deck, whose
outcomes are the different cards that are left. Then the hand is dealt from that deck, and all that follows are decisions; outcomes
and actions are those of the core, which alone knows the rules. So nothing may happen by chance later: settings in which it does are
refused where the variant tells (:mod:`eightsenv.variants.extensive`), and a decision that moves the chance stream all the same
raises ``ValueError``. Ways of choosing the dealer other than by lot are not played: where one is the default, ``"random"`` takes
its place.

What a player sees: the observation tensor is that of the environment, the observation string its view in words. The information
state string, with perfect recall, is the log of what the player was told from the deal on, and the view. The information state
tensor, only for ``max_decisions`` up to :data:`MOST_RECALLED`, is a row for the deal and one for each decision since: what was
told of the decision (who made it, and the action, unless it was made in secret), and the observation after it.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from eightsenv import rng, snapshots
from eightsenv.adapters import log
from eightsenv.cards import card_text
from eightsenv.engine import VectorCore, resolve
from eightsenv.game import UNIT, Game, Setting
from eightsenv.variants import extensive, get

try:
    import pyspiel
except ModuleNotFoundError as error:
    if error.name != "pyspiel":
        raise
    raise ModuleNotFoundError('the adapter for OpenSpiel needs pyspiel: pip install "eightsenv[bench]"', name="pyspiel") from error

NAME = "eightsenv"
"""The game's name in OpenSpiel's registry."""
MOST_RECALLED = 64
"""The largest ``max_decisions`` with which there is an information state tensor: its size grows with it."""

_DEFAULTS: dict[str, Any] = {"variant": "crazy_eights_v0", "num_players": 0, "rules": "", "options": ""}
_LAYING = "the deck is laid"


# Parameters


def load(variant: str = _DEFAULTS["variant"], **options: Any) -> EightsGame:
    """The ``pyspiel`` game of a variant.

    Args:
        variant: the variant's name.
        options: ``num_players``, ``reward``, ``max_decisions``, ``rules`` and the variant's options.

    Raises:
        ValueError: an unknown variant, option or value, or a setting in which chance acts after the deal.
    """
    check_setting(variant, options)
    parameters = {name: options.pop(name) for name in ("num_players", "rules") if options.get(name) is not None}
    return pyspiel.load_game(NAME, {"variant": variant, **parameters, "options": write_options(options)})


def write_options(options: Mapping[str, Any]) -> str:
    """Options as OpenSpiel's parameter: ``name: value; name: value`` with Python literals.

    The parameter may not hold commas, equal signs or round brackets: commas are written as semicolons, tuples as lists.
    """
    return "; ".join(f"{name}: {_listed(value)!r}".replace(",", ";") for name, value in options.items())


def _listed(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_listed(item) for item in value]
    return {key: _listed(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def read_options(text: str) -> dict[str, Any]:
    """The options of :func:`write_options`; a value that is no literal is a bare word.

    Raises:
        ValueError: a part that is not ``name: value``, or a name given twice.
    """
    result: dict[str, Any] = {}
    for part in filter(None, map(str.strip, _split(text))):
        name, colon, value = (word.strip() for word in part.partition(":"))
        if not colon or not name.isidentifier():
            raise ValueError(f"options are written 'name: value; name: value', not {part!r}")
        if name in result:
            raise ValueError(f"the option {name} is given twice")
        try:
            result[name] = _tupled(ast.literal_eval(value.replace(";", ",")))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            result[name] = value
    return result


def _split(text: str) -> list[str]:
    """The parts between the semicolons that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == ";" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def _setting(parameters: Mapping[str, Any]) -> Setting:
    """The setting that OpenSpiel's parameters describe."""
    options = read_options(parameters["options"])
    for name in ("num_players", "rules"):
        if parameters[name] != _DEFAULTS[name]:
            if name in options:
                raise ValueError(f"{name} is given twice")
            options[name] = parameters[name]
    return check_setting(parameters["variant"], options)


def check_setting(variant: str, options: Mapping[str, Any]) -> Setting:
    """The setting of a variant's game in extensive form.

    Raises:
        ValueError: an unknown variant, option or value, or a setting in which chance acts after the deal.
    """
    game = get(variant)
    setting = resolve(game, **options)
    if setting.options.get("first_dealer", "random") != "random" and not isinstance(setting.options["first_dealer"], int):
        if "first_dealer" in options:
            method = setting.options["first_dealer"]
            raise ValueError(f"in OpenSpiel first_dealer of {variant} is 'random' or a seat, not {method!r}")
        setting = resolve(game, **options, first_dealer="random")
    if setting.match:
        raise ValueError("in OpenSpiel match is False: later hands are dealt by chance, and chance comes first there")
    if setting.auto_forced:
        raise ValueError("in OpenSpiel auto_forced is False: every decision is a node there")
    cause = extensive.later_chance(setting)
    if cause is not None:
        raise ValueError(f"{variant} with {cause} cannot be played in OpenSpiel: chance would act after the deal")
    if setting.reward == "score" and extensive.bound(setting) is None:
        raise ValueError(f"in OpenSpiel {variant} needs reward='win': it is not known how much can be won by score")
    return setting


# Positions


class _Immutable:
    """What copies of states share: OpenSpiel clones a state by a deep copy of its attributes, and writes it by pickling them."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


class _Laying(_Immutable):
    """The deck is being laid: the dealer, if it is known, and the cards so far."""

    def __init__(self, dealer: int | None, deck: tuple[int, ...]):
        self.dealer, self.deck = dealer, deck


class _Dealt(_Immutable):
    """A moment after the deal: its snapshot, what a node needs of it, and how it came about."""

    def __init__(self, snapshot: bytes, chance: int, seat: int, legal: list[int], over: bool, totals: list[float]):
        self.snapshot, self.chance, self.seat = snapshot, chance, seat
        self.legal, self.over, self.totals = legal, over, totals
        self.deal: tuple[Table, int, tuple[int, ...]]
        """The table, the dealer and the deck."""
        self.before: _Dealt | None = None
        """The position before; None after the deal."""
        self.action = -1
        """The action that led from there to here."""
        self.shown: dict[str, Any] | None = None
        """The whole state in words; None: not asked for yet."""
        self.events: tuple[log.Event, ...] | None = None
        """What happened since the position before; None: not worked out yet."""

    def line(self) -> list[_Dealt]:
        """The positions from the deal to this one."""
        line = [self]
        while line[-1].before is not None:
            line.append(line[-1].before)
        return line[::-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _replayed, (*self.deal, [position.action for position in self.line()[1:]])


def _replayed(table: Table, dealer: int, deck: tuple[int, ...], actions: list[int]) -> _Dealt:
    """The position after a deal and actions."""
    at = table.deal(dealer, deck)
    for action in actions:
        at = table.make(at, action)
    return at


class Table(_Immutable):
    """One game of the core, which is brought to whatever position is asked about. Not for several threads at once."""

    def __init__(self, setting: Setting):
        self.game: Game = get(setting.variant)
        self.setting = setting
        self.core = VectorCore(self.game, setting, np.zeros(1, np.uint64), autoreset=False)
        self.core.reset(0, {"dealer": 0})
        self._at: _Dealt | None = None
        self._look = self.core.looker()
        self._pack = Counter(self.core.pack)
        self.faces = sorted(self._pack)
        """The different cards of the pack: the chance outcome k lays ``faces[k]``; the outcomes after them are dealers."""
        first = setting.options.get("first_dealer", "random")
        self.dealers = setting.num_players if first == "random" else 0
        """How many outcomes the chance node of the dealer has; 0: there is none."""
        self.beginning = _Laying(None if self.dealers else first, ())
        self._secret = np.array([self.game.told(text, setting) != text for text in self.core.actions])

    def __reduce__(self) -> tuple[Any, ...]:
        return _table_again, (self.setting.variant, self.setting.as_dict())

    # Chance

    def outcomes(self, at: _Laying) -> list[tuple[int, float]]:
        """The outcomes of a chance node and their probabilities: dealers, or the cards that are left."""
        if at.dealer is None:
            return [(len(self.faces) + seat, 1 / self.dealers) for seat in range(self.dealers)]
        left = self._pack - Counter(at.deck)
        return [(k, left[card] / left.total()) for k, card in enumerate(self.faces) if left[card]]

    def outcome_text(self, outcome: int) -> str:
        """The text of a chance outcome."""
        dealer = outcome - len(self.faces)
        return f"dealer agent_{dealer}" if dealer >= 0 else f"card {card_text(self.faces[outcome])}"

    def lay(self, at: _Laying, outcome: int) -> _Laying | _Dealt:
        """The position after a chance outcome; the last card is followed by the deal."""
        if all(outcome != k for k, _ in self.outcomes(at)):
            raise ValueError(f"{outcome} is no outcome of this chance node")
        if at.dealer is None:
            return _Laying(outcome - len(self.faces), ())
        deck = (*at.deck, self.faces[outcome])
        return self.deal(at.dealer, deck) if len(deck) == self._pack.total() else _Laying(at.dealer, deck)

    def deal(self, dealer: int, deck: tuple[int, ...]) -> _Dealt:
        """The position after the deal from a whole deck of card ids. Raises ``ValueError`` if chance decides more."""
        self.core.reset(0, {"deck": [card_text(card) for card in deck], "dealer": dealer})
        zero = np.uint64(0)
        # All that chance decides has been told: the stream must be as it was seeded.
        dealt = self._reached(int(rng.chance_seed(zero, zero, zero)), [0.0] * self.setting.num_players, "the deal")
        dealt.deal = (self, dealer, deck)
        return dealt

    # Decisions

    def seek(self, at: _Dealt) -> VectorCore:
        """The core with its game in a position: for agents and others that read it."""
        if self._at is not at:
            self._at = None
            self.core.restore(0, at.snapshot)
            self._at = at
        return self.core

    def make(self, at: _Dealt, action: int) -> _Dealt:
        """The position after an action. Raises ``ValueError`` for an illegal one, and if chance has acted."""
        core = self.seek(at)
        core.step(np.array([action]))
        gained = core.batch.reward[0].tolist()
        if self.setting.reward == "score":
            gained = [round(amount * UNIT) / UNIT for amount in gained]  # what was paid, exactly
        totals = [total + amount for total, amount in zip(at.totals, gained, strict=True)]
        reached = self._reached(at.chance, totals, f"the action {core.actions[action]!r}")
        reached.deal, reached.before, reached.action = at.deal, at, action
        return reached

    def _reached(self, chance: int, totals: list[float], what: str) -> _Dealt:
        """The position that the core has come to by ``what``, which was not to move the chance stream."""
        core, batch = self.core, self.core.batch
        self._at = None
        snapshot = core.snapshot(0)
        record = snapshots.unpack(snapshot, self.setting, core.record_size).record
        if int(np.frombuffer(record, self.game.rule_set.state_dtype)[0].chance) != chance:
            raise ValueError(
                f"chance has acted within {what}: a game of {self.game.name} as it is set cannot be played in OpenSpiel"
            )
        over = bool(batch.terminated[0] or batch.truncated[0])
        legal = [] if over else np.flatnonzero(batch.action_mask[0]).tolist()
        self._at = _Dealt(snapshot, chance, int(batch.seat[0]), legal, over, totals)
        return self._at

    # What players see

    def observe(self, at: _Dealt, player: int) -> np.ndarray:
        """The environment's observation, int8[F]."""
        self.seek(at)
        return self._look(player)

    def view_text(self, at: _Dealt, player: int) -> str:
        """What a player may know of a position, in words."""
        view = self.seek(at).view(0, player)
        return "; ".join(f"{key} {_words(value)}" for key, value in view.items())

    def log_text(self, at: _Dealt, player: int) -> str:
        """What a player was told since the deal, a line for each event."""
        return "\n".join(event.text(player) for position in at.line() for event in self._events(position))

    def told(self, at: _Dealt, player: int) -> tuple[int, int | None]:
        """Who made the decision that led to a position, and the action as far as a player was told it (None: not)."""
        assert at.before is not None, "the deal is no decision"
        seat = at.before.seat
        return seat, None if seat != player and self._secret[at.action] else at.action

    def shown(self, at: _Dealt) -> dict[str, Any]:
        """The whole state in words."""
        if at.shown is None:
            at.shown = self.seek(at).reveal(0)
        return at.shown

    def _events(self, at: _Dealt) -> tuple[log.Event, ...]:
        if at.events is None:
            before, after = at.before, self.shown(at)
            if before is None:
                at.events = (log.deal(self.seek(at), after),)
            else:
                shown = self.shown(before)  # before the core goes to the position itself
                at.events = tuple(log.tell(self.seek(at), shown, after, before.snapshot, at.action))
        return at.events


@functools.lru_cache(maxsize=64)
def _table(setting: Setting) -> Table:
    """The table of a setting: all its games share one."""
    return Table(setting)


def _table_again(variant: str, arguments: dict[str, Any]) -> Table:
    return _table(resolve(get(variant), **arguments))


def _words(value: Any) -> str:
    return (
        " ".join(map(str, value)) or "-" if isinstance(value, list) and all(isinstance(item, str) for item in value) else str(value)
    )


# OpenSpiel's classes

_TYPE = {
    "short_name": NAME,
    "dynamics": pyspiel.GameType.Dynamics.SEQUENTIAL,
    "chance_mode": pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    "information": pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
    "parameter_specification": _DEFAULTS,
    "default_loadable": True,
}


def _utility(zero_sum: bool) -> Any:
    return pyspiel.GameType.Utility.ZERO_SUM if zero_sum else pyspiel.GameType.Utility.GENERAL_SUM


class EightsGame(pyspiel.Game):
    """One hand of a variant (see the module's text)."""

    def __init__(self, params: Mapping[str, Any] | None = None):
        """Raises ``ValueError`` as :func:`load` does."""
        given = {**_DEFAULTS, **(params or {})}
        setting = _setting(given)
        table = _table(setting)
        n, win = setting.num_players, setting.reward == "win"
        zero_sum = win or extensive.is_zero_sum(setting)
        bound = 1.0 if win else extensive.bound(setting)
        assert bound is not None, "check_setting refuses what is not known"
        kind = pyspiel.GameType(
            **_TYPE,
            long_name=table.game.title,
            utility=_utility(zero_sum),
            max_num_players=n,
            min_num_players=n,
            provides_information_state_tensor=setting.max_decisions <= MOST_RECALLED,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=table.core.num_actions,
            max_chance_outcomes=len(table.faces) + table.dealers,
            num_players=n,
            min_utility=-bound,
            max_utility=bound,
            utility_sum=0.0 if zero_sum else None,
            max_game_length=setting.max_decisions,
        )
        super().__init__(kind, info, given)
        self._table = table

    @property
    def table(self) -> Table:
        """The game of the core underneath."""
        # A game that OpenSpiel has read from text keeps its parameters only, not the attributes of the object that was made.
        table = self.__dict__.get("_table")
        if table is None:
            table = self._table = _table(_setting(self.get_parameters()))
        return table

    @property
    def setting(self) -> Setting:
        """The setting that is played."""
        return self.table.setting

    def new_initial_state(self) -> EightsState:
        """The first chance node."""
        return EightsState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> EightsObserver:
        """What a player sees: with perfect recall the information state, without it (the default) the observation.

        Raises:
            ValueError: parameters, or an observation of less or more than what a player sees.
        """
        if params:
            raise ValueError(f"an observer of {NAME} takes no parameters, not {params!r}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"an observer of {NAME} sees what is public and what is one player's own")
        return EightsObserver(self.table, bool(wanted.perfect_recall))


class EightsState(pyspiel.State):
    """A node of the game."""

    def __init__(self, game: EightsGame):
        super().__init__(game)
        self._table = game.table
        self._at: _Laying | _Dealt = game.table.beginning

    @property
    def position(self) -> _Dealt | None:
        """Where the game stands after the deal; None while the deck is laid."""
        return self._at if isinstance(self._at, _Dealt) else None

    def core(self) -> VectorCore:
        """The batch of one game that stands where this node is, for agents; it is the game's only one, and moves on with others.

        Raises:
            ValueError: the deck is still being laid.
        """
        if not isinstance(self._at, _Dealt):
            raise ValueError("there is no game yet: the deck is being laid")
        return self._table.seek(self._at)

    def observe(self, player: int) -> np.ndarray:
        """The environment's observation, int8[F]; zeros while the deck is laid."""
        table = self._table
        return np.zeros(table.core.num_features, np.int8) if self.position is None else table.observe(self.position, player)

    def current_player(self) -> int:
        if not isinstance(self._at, _Dealt):
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self._at.over else self._at.seat

    def is_terminal(self) -> bool:
        return isinstance(self._at, _Dealt) and self._at.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if not isinstance(self._at, _Laying):
            raise ValueError("this is no chance node")
        return self._table.outcomes(self._at)

    def _legal_actions(self, player: int) -> list[int]:
        return self._at.legal if isinstance(self._at, _Dealt) else []

    def _apply_action(self, action: int) -> None:
        at, table = self._at, self._table
        self._at = table.make(at, action) if isinstance(at, _Dealt) else table.lay(at, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._table.outcome_text(action) if player == pyspiel.PlayerId.CHANCE else self._table.core.actions[action]

    def returns(self) -> list[float]:
        """What each player has won, paid at the end of the hand; a truncated one keeps what was scored."""
        return self._at.totals if isinstance(self._at, _Dealt) and self._at.over else [0.0] * self._table.setting.num_players

    def rewards(self) -> list[float]:
        """The same: all comes with the last action."""
        return self.returns()

    def __str__(self) -> str:
        if isinstance(self._at, _Dealt):
            return "; ".join(f"{key} {_words(value)}" for key, value in self._table.shown(self._at).items())
        dealer = "" if self._at.dealer is None else f", dealer agent_{self._at.dealer}"
        return f"{_LAYING}{dealer}: {' '.join(map(card_text, self._at.deck))}"


class EightsObserver:
    """What a player sees of a state, as text and as ``tensor`` with named parts in ``dict`` (float32, 0 or 1).

    Without perfect recall ``observation`` [F]; with it ``observations`` [max_decisions + 1, F], ``seats`` [max_decisions, P] and
    ``actions`` [max_decisions, A], empty where :data:`MOST_RECALLED` is exceeded.
    """

    def __init__(self, table: Table, perfect_recall: bool):
        self._table, self._recalls = table, perfect_recall
        core, most = table.core, table.setting.max_decisions
        shapes: dict[str, tuple[int, ...]] = {"observation": (core.num_features,)}
        if perfect_recall:
            rows = {"observations": most + 1, "seats": most, "actions": most}
            columns = (core.num_features, core.num_players, core.num_actions)
            shapes = dict(zip(rows, zip(rows.values(), columns, strict=True), strict=True)) if most <= MOST_RECALLED else {}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1]) if sizes else []
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def set_from(self, state: EightsState, player: int) -> None:
        """Write what a player sees of a state; zeros while the deck is laid."""
        self.tensor.fill(0)
        at = state.position
        if at is None or not self.dict:
            return
        if not self._recalls:
            self.dict["observation"][:] = self._table.observe(at, player)
            return
        for k, position in enumerate(at.line()):
            self.dict["observations"][k] = self._table.observe(position, player)
            if k > 0:
                seat, action = self._table.told(position, player)
                self.dict["seats"][k - 1, seat] = 1
                if action is not None:
                    self.dict["actions"][k - 1, action] = 1

    def string_from(self, state: EightsState, player: int) -> str:
        """The same in words."""
        at = state.position
        if at is None:
            return _LAYING
        view = f"agent_{player}: {self._table.view_text(at, player)}"
        return f"{self._table.log_text(at, player)}\n{view}" if self._recalls else view


pyspiel.register_game(
    pyspiel.GameType(
        **_TYPE,
        long_name="Games of the eights family",
        utility=_utility(False),
        max_num_players=12,
        min_num_players=2,
        provides_information_state_tensor=False,
    ),
    EightsGame,
)
