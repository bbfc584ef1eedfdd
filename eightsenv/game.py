"""The contract that every variant fulfils.

A variant is a :class:`Game`: options and presets, tables of actions and observation sections, its state in words, and a
:class:`RuleSet` of functions on one game's records that the engine specialises into kernels over many games.

A rule function takes ``s``, the game's state record, and ``r``, the record of its rules. Every scalar argument and result is
an int64, every bit set a uint64, so that each function has exactly one compiled signature:

======================================  ============================================================================
``fill(s, r)``                          lay the whole pack into ``s.stock`` in canonical order
``choose_dealer(s, r)``                 set ``s.dealer`` for the first hand, from the chance stream
``deal(s, r, fixed)``                   shuffle all but the first ``fixed`` cards of the stock, deal, begin the hand
``legal(s, r, words)``                  write the legal actions of the seat to move into ``words[:r.words]``, a bit string
``accepted(s, r, action) -> bool``      whether an action that is not legal is accepted all the same, such as a wrong card that
                                        counts as a fumble. A rule set without this function accepts what is legal
``apply(s, r, action, gain) -> bool``   make one accepted action; True when it scored, after adding to ``gain``
``observe(s, r, seat, row) -> int``     write the observation of ``seat`` into ``row`` (uint8[:]); returns its length
``state_vector(s, r, row) -> int``      the same for the full-information vector
``winners(s, r) -> int``                after the end: the winning seats as a bit mask (0: nobody)
``greedy(s, r, words) -> int``          the action of the compiled heuristic, from what the seat to move may know
``determinize(s, r, seat, seed, w)``    sample anew all that ``seat`` cannot know, and seed the chance stream; the result
                                        depends on (what the seat knows, ``seed``) alone. ``w``: a scratch record. Returns
                                        False when the record of public knowledge contradicts itself
``evaluate(s, r, w, values) -> bool``   where perfect play is known when all cards are: write for each legal action of the seat to
                                        move what its side then gains in the rest of the hand above the mean of all others,
                                        in points (under ``reward="win"`` in wins), into ``values`` (float64[:]) at its id, and
                                        return True. A rule set without this function has bots play such states on instead
======================================  ============================================================================

``gain`` (int64[P]) counts in units of 1/:data:`UNIT` point, so that shared payments stay exact.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol

import numpy as np

UNIT = 840
"""Points and chips are counted inside in units of 1/840: divisible by 2 … 8, so equal shares are exact. Nine share whole chips."""

CACHE_LINE = 64
"""Bytes."""


def record_dtype(fields: list[tuple]) -> np.dtype:
    """An aligned record dtype whose scalars have attribute access, in compiled code and in plain Python.

    Records of more than a cache line fill whole ones: that made a step of a batch a tenth faster. They fill an odd number:
    with a power of two the same fields of all games would compete for the same few places of the cache. What lies between the
    fields and after them are fields too: NumPy copies fields alone and leaves other bytes undefined, and states are compared, and
    kernels compiled for rules, byte for byte.
    """
    aligned = np.dtype(fields, align=True)
    size = aligned.itemsize
    if size > CACHE_LINE:
        size = (-(-size // CACHE_LINE) | 1) * CACHE_LINE
    assert aligned.fields is not None
    filled: list[tuple] = []
    at = 0
    for entry in fields:
        dtype, offset = aligned.fields[entry[0]][:2]
        filled += [*_padding(at, offset), entry]
        at = offset + dtype.itemsize
    return np.dtype((np.record, np.dtype([*filled, *_padding(at, size)], align=True)))


def _padding(start: int, end: int) -> list[tuple]:
    """A field for the bytes ``start`` to ``end`` of a record, if there are any."""
    return [(f"padding_{start}", "u1", (end - start,))] if end > start else []


def aligned_zeros(count: int, dtype: np.dtype) -> np.ndarray:
    """A zeroed one-dimensional array that begins with a cache line."""
    octets = np.zeros(count * dtype.itemsize + CACHE_LINE, np.uint8)
    start = -octets.ctypes.data % CACHE_LINE
    return octets[start : start + count * dtype.itemsize].view(dtype)


def header(seats: int) -> list[tuple]:
    """The fields with which every state dtype begins; ``seats`` is the largest number of seats of the rule set.

    Those that every decision touches come last, next to the variant's own.
    """
    return [
        ("last_payoff", "i8", (seats,)),  # payoffs of the hand that ended last, in 1/840
        ("chance", "u8"),  # the chance stream
        ("seat", "i8"),  # whose turn it is
        ("phase", "i8"),  # the variant's phase enum
        ("decisions", "i8"),  # decisions made in this episode
        ("hand_number", "i8"),  # from 0
        ("dealer", "i8"),
        ("over", "i8"),  # 1 when the episode has ended by the rules
    ]


RULES_HEADER: list[tuple] = [
    ("num_players", "i8"),
    ("match", "i8"),
    ("win", "i8"),  # reward="win"
    ("auto_forced", "i8"),
    ("max_decisions", "i8"),
    ("words", "i8"),  # 64-bit words of the bit strings of actions
    ("unseen", "i8"),  # 1 in rollouts: nobody will look at a state, so what is known of hidden cards need not be kept
]
"""The fields with which every rules dtype begins."""


class Check(Protocol):
    """What an option may be."""

    def __call__(self, value: Any, num_players: int) -> Any:
        """The value in normal form. Raises ``ValueError`` with any message for a bad one."""

    def samples(self, num_players: int) -> tuple[Any, ...]:
        """Some valid values, for tests that draw settings at random: all if they are few."""


@dataclass(frozen=True)
class Option:
    """One rule option: its name, its allowed values in words, what it means, and a check of a given value."""

    name: str
    values: str
    meaning: str
    check: Check
    rule: str = ""
    """Where the specification has it."""


class one_of:  # noqa: N801 - read as a word in the tables of options
    """A check: the value equals one of ``values`` and is of its type (``True`` is not 1)."""

    def __init__(self, *values: Any):
        self.values = values

    def __call__(self, value: Any, num_players: int) -> Any:
        for allowed in self.values:
            if type(value) is type(allowed) and value == allowed:
                return allowed
        raise ValueError

    def samples(self, num_players: int) -> tuple[Any, ...]:
        return self.values


class int_range:  # noqa: N801
    """A check: an int from ``low`` to ``high`` (None: without bound), or one of the values ``also``."""

    def __init__(self, low: int, high: int | None = None, also: tuple = ()):
        self.low, self.high, self.also = low, high, one_of(*also)

    def __call__(self, value: Any, num_players: int) -> Any:
        with contextlib.suppress(ValueError):
            return self.also(value, num_players)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ValueError
        if value < self.low or (self.high is not None and value > self.high):
            raise ValueError
        return int(value)

    def samples(self, num_players: int) -> tuple[Any, ...]:
        numbers = [self.low + k for k in (0, 1, 2, 4, 9, 39)]
        return (*self.also.values, *(k for k in numbers if self.high is None or k <= self.high))


class seat_or:  # noqa: N801
    """A check: a seat of the game, or one of the named methods."""

    def __init__(self, *methods: str):
        self.methods = methods

    def __call__(self, value: Any, num_players: int) -> Any:
        return int_range(0, num_players - 1, also=self.methods)(value, num_players)

    def samples(self, num_players: int) -> tuple[Any, ...]:
        return (*self.methods, *range(num_players))


@dataclass(frozen=True)
class ClosedPreset:
    """A preset that takes parameters of its own in place of the variant's options, for one hand only."""

    parameters: tuple[Option, ...]
    defaults: Mapping[str, Any]
    expand: Callable[[Mapping[str, Any]], dict[str, Any]]
    """The variant's options (and what else its ``write_rules`` reads) that stand for the parameters."""


@dataclass(frozen=True)
class Section:
    """A named piece of an observation: one 0/1 feature for each of ``bins``."""

    name: str
    bins: tuple[str, ...]
    """What each feature stands for."""
    kind: str
    """``"set"`` (any number of ones), ``"one-hot"`` (at most one) or ``"thermometer"`` (ones, then zeros)."""
    meaning: str

    @property
    def size(self) -> int:
        return len(self.bins)


@dataclass(frozen=True, eq=False)
class Setting:
    """One complete, checked setting of a variant: everything that its rules depend on."""

    variant: str
    version: int
    num_players: int
    match: bool
    reward: str
    auto_forced: bool
    max_decisions: int
    options: Mapping[str, Any]
    closed: Mapping[str, Any] | None = None
    """With a closed preset its name (``rules``) and parameters, from which the options follow."""

    def as_dict(self) -> dict[str, Any]:
        """The keyword arguments that give this setting again (plain Python values)."""
        common = {key: getattr(self, key) for key in ("num_players", "match", "reward", "auto_forced", "max_decisions")}
        return common | dict(self.options if self.closed is None else self.closed)

    def digest(self) -> bytes:
        """16 bytes that differ between settings of different variants, versions or options."""
        text = repr((self.variant, self.version, sorted(self.as_dict().items())))
        return hashlib.sha256(text.encode()).digest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setting) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())


@dataclass(frozen=True, eq=False)
class RuleSet:
    """The functions of one kernel family (see the module text) and the layout of its records."""

    name: str
    seats: int
    """The largest number of seats: the length of ``gain`` and of ``last_payoff``."""
    state_dtype: np.dtype
    rules_dtype: np.dtype
    scratch_dtype: np.dtype
    """The scratch record of ``determinize`` and ``evaluate``, one for each thread, zeroed at first; nothing else writes it."""
    functions: Mapping[str, Callable]
    modules: tuple[ModuleType, ...]
    """The modules whose sources the compiled kernels depend on, besides the core's."""
    words: int = 1
    """The 64-bit words of a bit string of actions in the setting with the most."""


def starter_and_hands(shown: dict[str, Any]) -> tuple[str, dict[int, str]]:
    """A deal of which all see the starter, if there is one, and each seat its hand (see ``Game.dealt``)."""
    starter = f", starter {shown['discard'][0]}" if shown["discard"] else ""
    return starter, {seat: " ".join(hand) for seat, hand in enumerate(shown["hands"])}


def new_cards(before: dict[str, Any], after: dict[str, Any]) -> dict[int, str]:
    """By seat: the cards that came into its hand within a step (see ``Game.noted``)."""
    gained = {k: Counter(new) - Counter(old) for k, (old, new) in enumerate(zip(before["hands"], after["hands"], strict=True))}
    return {k: " ".join(cards.elements()) for k, cards in gained.items() if cards}


@dataclass(frozen=True, eq=False)
class Game:
    """A variant: one rule set with its options, tables and texts. ``fields`` below marked *setting* take a :class:`Setting`."""

    name: str
    version: int
    title: str
    rule_set: RuleSet
    players: tuple[int, int]
    default_players: int
    max_decisions: tuple[int, int]
    """The default truncation of one hand and of a match."""
    options: tuple[Option, ...]
    defaults: Mapping[str, Any]
    """The default of every option, by name."""
    presets: Mapping[str, Mapping[str, Any]]
    check: Callable[[Setting], None]
    """Refuses impossible combinations: raises ``ValueError`` with a sentence."""
    write_rules: Callable[[np.record, Setting], None]
    """Fills the variant's part of a zeroed rules record."""
    actions: Callable[[Setting], tuple[str, ...]]
    """The texts of all actions by id."""
    sections: Callable[[Setting], tuple[Section, ...]]
    """The observation, in order."""
    state_sections: Callable[[Setting], tuple[Section, ...]]
    """The full-information vector, in order."""
    reveal: Callable[[np.record, Setting], dict[str, Any]]
    """The whole state in words (ACTIONS.md)."""
    view: Callable[[np.record, Setting, int], dict[str, Any]]
    """The same with everything hidden that the seat may not know."""
    summary: str
    """The rules in brief, for the rule sheet and the documentation."""
    sides: Callable[[Setting], tuple[tuple[int, ...], ...]] = lambda setting: tuple((k,) for k in range(setting.num_players))
    """Who plays together: the seats of each side; by default everybody plays alone."""
    closed_presets: Mapping[str, ClosedPreset] = field(default_factory=dict)
    practice: Mapping[str, Any] = field(default_factory=dict)
    """Options that training, evaluation and benchmarks take unless told otherwise (:func:`practised`), where the defaults leave
    nothing to decide."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of training (``eightsenv.train.config.Config``) that serve this variant better than the defaults."""
    scenarios: Mapping[str, Callable[..., None]] = field(default_factory=dict)
    """Changes of a paused game by name (RULES.md, A-3): plain functions of the state and rules records and keyword arguments,
    which raise ``ValueError`` for what the moment does not allow."""
    table: Callable[[dict[str, Any]], dict[str, Any]] = lambda zones: zones
    """What a picture shows above the hands, given the zones of ``reveal`` or ``view`` besides them: labels and values, in order."""
    told: Callable[[str, Setting], str] = lambda text, setting: text
    """What the other seats are told of an action, given its text: a card discarded face down is not named."""
    dealt: Callable[[dict[str, Any]], tuple[str, dict[int, str]]] = starter_and_hands
    """Of a deal, given ``reveal`` after it: what all see of it, as the end of a sentence, and by seat what it alone sees."""
    happened: Callable[[dict[str, Any], dict[str, Any]], list[str]] = lambda before, after: []
    """What chance did within a step for all to see, in lines, given ``reveal`` before and after it; the step may have ended a hand
    and dealt the next."""
    noted: Callable[[dict[str, Any], dict[str, Any]], dict[int, str]] = new_cards
    """What single seats alone saw of a step within a hand, by seat, given ``reveal`` before and after it."""
    audit: Callable[[list[dict[str, Any]], Setting], list[int]] | None = None
    """Recomputes the totals from the rows of an environment's ledger, whose entries ``ledgers`` hold the cards counted, and raises
    ``ValueError`` where a recorded total is another; None: the variant records no cards."""
    ledgers: tuple[str, ...] = ()
    """Keys of ``reveal`` that are running totals of their own, beside ``scores``."""
    counted: tuple[str, ...] = ()
    """Keys of ``reveal`` that, at the end of a hand, hold what its payoffs follow from (G-8): cards left, tricks, the contract."""
    departures: tuple[str, ...] = ()
    """Where the defaults depart from commonly printed rules, and which options (as code) follow those."""
    rewards: str = ""
    """What ``reward="score"`` pays, and who wins under ``reward="win"``."""
    match_end: str = ""
    """How ``match=True`` ends, and who wins then."""
    history: tuple[tuple[str, str], ...] = ()
    """Releases that changed the environment, and what they changed."""

    def side_of(self, setting: Setting) -> np.ndarray:
        """The number of each seat's side, int64[P]."""
        number = {seat: k for k, side in enumerate(self.sides(setting)) for seat in side}
        return np.array([number[seat] for seat in range(setting.num_players)])

    def option(self, name: str, closed: str | None = None) -> Option:
        """The option called ``name``, or the parameter of a closed preset. Raises ``ValueError`` for an unknown name."""
        options = self.options if closed is None else self.closed_presets[closed].parameters
        for option in options:
            if option.name == name:
                return option
        names = [option.name for option in options]
        near = difflib.get_close_matches(name, [*names, *COMMON], n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        whose = self.name if closed is None else f"{self.name} with rules={closed!r}"
        others = [key for key, preset in self.closed_presets.items() if any(option.name == name for option in preset.parameters)]
        if closed is None and others:
            hint = f" without rules={others[0]!r}"
        raise ValueError(f"{whose} has no option {name!r}{hint}; its options are {', '.join(names)}")


COMMON = ("num_players", "match", "reward", "auto_forced", "max_decisions", "rules")
"""The arguments that every variant takes; all others are the variant's own options."""

REWARDS = ("score", "win")


def _checked_bool(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is True or False, not {value!r}")
    return bool(value)


def resolve(game: Game, **given: Any) -> Setting:
    """Check the given arguments and options of a variant and fill in the rest.

    Raises:
        ValueError: an unknown option, a value outside its range, or a combination that cannot be played.
    """
    preset_name = given.pop("rules", None)
    closed = None
    preset: Mapping[str, Any] = {}
    if preset_name is not None:
        if not isinstance(preset_name, str) or preset_name not in (*game.presets, *game.closed_presets):
            known = ", ".join(repr(name) for name in (*game.presets, *game.closed_presets)) or "none"
            raise ValueError(f"{game.name} has no preset {preset_name!r}; its presets are {known}")
        if preset_name in game.closed_presets:
            closed = preset_name
        else:
            preset = game.presets[preset_name]
    given = {**preset, **given}

    low, high = game.players
    num_players = given.pop("num_players", game.default_players)
    try:
        num_players = int_range(low, high)(num_players, 0)
    except ValueError:
        raise ValueError(f"{game.name} takes {low} to {high} players, not {num_players!r}") from None
    match = _checked_bool("match", given.pop("match", False))
    auto_forced = _checked_bool("auto_forced", given.pop("auto_forced", False))
    reward = given.pop("reward", "score")
    if reward not in REWARDS:
        raise ValueError(f"reward is 'score' or 'win', not {reward!r}")
    max_decisions = given.pop("max_decisions", None)
    if max_decisions is None:
        max_decisions = game.max_decisions[match]
    try:
        max_decisions = int_range(1, 2**62)(max_decisions, 0)
    except ValueError:
        raise ValueError(f"max_decisions is None or an int from 1 on, not {max_decisions!r}") from None

    options = dict(game.defaults if closed is None else game.closed_presets[closed].defaults)
    for name, value in given.items():
        option = game.option(name, closed)
        try:
            options[name] = option.check(value, num_players)
        except ValueError:
            raise ValueError(f"{name} of {game.name} is {option.values}, not {value!r}") from None
    common = (game.name, game.version, num_players, match, reward, auto_forced, max_decisions)
    if closed is None:
        setting = Setting(*common, options)
    else:
        if match:
            raise ValueError(f"rules={closed!r} is a game of one hand: match is False")
        setting = Setting(*common, game.closed_presets[closed].expand(options), {"rules": closed, **options})
    game.check(setting)
    return setting


def practised(game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments ``given``, with the variant's ``practice`` in place of what they leave open; a preset leaves nothing open."""
    return dict(given) if given.get("rules") is not None else {**game.practice, **given}


def rules_row(game: Game, setting: Setting) -> np.ndarray:
    """The rules of a setting as an array of one record, which the kernels take."""
    return _rules(game, setting).copy()


@functools.lru_cache(maxsize=256)
def _rules(game: Game, setting: Setting) -> np.ndarray:
    rules = np.zeros(1, game.rule_set.rules_dtype)
    r = rules[0]
    r.words = (len(game.actions(setting)) + 63) // 64
    assert r.words <= game.rule_set.words, f"{game.name} has {len(game.actions(setting))} actions, more than its rule set holds"
    r.num_players = setting.num_players
    r.match = setting.match
    r.win = setting.reward == "win"
    r.auto_forced = setting.auto_forced
    r.max_decisions = setting.max_decisions
    game.write_rules(r, setting)
    return rules


def fields(sections: tuple[Section, ...]) -> dict[str, slice]:
    """Where each section lies in the vector, in order."""
    at, result = 0, {}
    for section in sections:
        result[section.name] = slice(at, at + section.size)
        at += section.size
    return result
