"""The tables of a variant: options, presets, actions, sections, records."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eightsenv.game import (
    COMMON,
    RULES_HEADER,
    Game,
    Option,
    Section,
    Setting,
    fields,
    header,
    resolve,
)
from eightsenv.testing.common import (
    check_shapes,
    each_setting,
    failures_name,
    named,
    new_core,
    new_env,
    refusal,
    require,
)
from eightsenv.testing.settings import random_setting
from eightsenv.variants import get, names

KINDS = ("set", "one-hot", "thermometer")
FUNCTIONS = ("fill", "choose_dealer", "deal", "legal", "apply", "observe", "state_vector", "winners", "greedy", "determinize")


def check_contract(variant: str, *, settings: int = 3, seed: int = 0, **fixed: Any) -> None:
    """The tables are complete and agree with each other and with what the kernels write.

    Args:
        variant: the name of a registered variant.
        settings: how many random settings are tried beside the defaults, the presets and each number of players.
        seed: of everything that is drawn.
        fixed: arguments and options that every setting has.

    Raises:
        AssertionError: something does not hold; the sentence says what, and in which setting.
    """
    with failures_name(variant):
        game = get(variant)
        _check_description(game)
        _check_records(game)
        _check_options(game)
        _check_refusals(game)
        _check_presets(game)
        rng = random.Random(f"{variant} {seed}")
        players = [fixed["num_players"]] if "num_players" in fixed else range(game.players[0], game.players[1] + 1)
        tried = [random_setting(rng, variant, **{**fixed, "num_players": n}) for n in players]
    tried += [setting for setting, _ in each_setting(variant, settings, seed, **fixed)]
    for setting in tried:
        with named(variant, setting):
            _check_setting(game, resolve(game, **setting))


def _check_description(game: Game) -> None:
    require(game.name in names(), "it is not registered")
    require(game.name.endswith(f"_v{game.version}"), f"its name does not end with its version {game.version}")
    require(game.title.strip() and game.summary.strip(), "it has no title or no summary")
    low, high = game.players
    require(
        1 < low <= game.default_players <= high <= game.rule_set.seats, f"it takes {low} to {high} players of {game.rule_set.seats}"
    )
    require(len(game.max_decisions) == 2 and min(game.max_decisions) > 0, f"max_decisions is {game.max_decisions}")


def _check_records(game: Game) -> None:
    """The records begin with the headers of the contract, and all its functions are there."""
    rule_set = game.rule_set
    missing = [name for name in FUNCTIONS if name not in rule_set.functions]
    require(not missing, f"the rule set has no function {', '.join(missing)}")
    for dtype, expected, what in (
        (rule_set.state_dtype, header(rule_set.seats), "state"),
        (rule_set.rules_dtype, RULES_HEADER, "rules"),
    ):
        found = (dtype.names or ())[: len(expected)]
        require(found == tuple(field[0] for field in expected), f"the {what} record does not begin with the common header")


def _check_options(game: Game) -> None:
    _check_option_table(game, game.options, game.defaults, {})
    for name, preset in game.closed_presets.items():
        with failures_name(f"the preset {name!r}"):
            _check_option_table(game, preset.parameters, preset.defaults, {"rules": name})


def _check_option_table(game: Game, table: tuple[Option, ...], defaults: Mapping[str, Any], arguments: dict[str, Any]) -> None:
    """The options, and their defaults in the setting that the ``arguments`` give."""
    options = [option.name for option in table]
    require(len(set(options)) == len(options), "two options have the same name")
    require(not set(options) & set(COMMON), "an option has the name of a common argument")
    require(set(options) == set(defaults), "the defaults are not those of exactly the options")
    for option in table:
        require(option.name.isidentifier() and option.values and option.meaning, f"the option {option.name} is not described")
        for n in range(game.players[0], game.players[1] + 1):
            for value in option.check.samples(n):
                with failures_name(f"{option.name}={value!r} with {n} players"):
                    once = option.check(value, n)
                    require(option.check(once, n) == once, "the normal form of a value is not its own")
    plain = resolve(game, **arguments).as_dict()
    for option in table:
        normal = option.check(defaults[option.name], game.default_players)
        require(plain[option.name] == normal, f"the default of {option.name} is not its normal form")


def _check_refusals(game: Game) -> None:
    """What no variant may take: unknown names, and values of no type that any option has."""
    bad: dict[str, tuple] = {
        "num_players": (game.players[0] - 1, game.players[1] + 1, "2", 2.0, True, None),
        "match": (1, "yes", None),
        "auto_forced": (1, "yes", None),
        "reward": ("points", None, 1),
        "max_decisions": (0, -1, 1.5, True, "10"),
        "rules": ("no such preset", 3),
        "no_such_option": (1,),
    }
    for option in game.options:
        bad[option.name] = (object(), -(10**6), "no such value", 0.5j)
    for name, values in bad.items():
        for value in values:
            sentence = refusal(f"{name}={value!r}", resolve, game, **{name: value})
            asked = "preset" if name == "rules" else "players" if name == "num_players" else name
            require(asked in sentence, f"the refusal of {name}={value!r} does not name it: {sentence!r}")


def _check_presets(game: Game) -> None:
    for name in (*game.presets, *game.closed_presets):
        with failures_name(f"the preset {name!r}"):
            setting = resolve(game, rules=name)
            for key, value in game.presets.get(name, {}).items():
                common = getattr(setting, key) if key in COMMON else value
                require(key in setting.options or common == value, f"it does not set {key}")
            require(resolve(game, rules=name, max_decisions=7).max_decisions == 7, "what is given beside it does not override it")
            _check_setting(game, setting)


def _check_setting(game: Game, setting: Setting) -> None:
    again = resolve(game, **setting.as_dict())
    require(again == setting and again.digest() == setting.digest(), "its as_dict does not give the same setting again")
    other = resolve(game, **(setting.as_dict() | {"max_decisions": setting.max_decisions + 1}))
    require(other.digest() != setting.digest(), "another setting has the same digest")
    _check_texts(game, setting)
    for sections in (game.sections(setting), game.state_sections(setting)):
        _check_sections(sections)
    _check_sides(game, setting)
    _check_what_tables_depend_on(game, setting)
    _check_lengths(game, setting)


def _check_texts(game: Game, setting: Setting) -> None:
    """Action texts are unique, in whatever case, and ids come back from them."""
    texts = game.actions(setting)
    require(
        texts and all(isinstance(text, str) and text == " ".join(text.split()) and text for text in texts),
        "an action has no plain text",
    )
    require(len({text.lower() for text in texts}) == len(texts), "two actions have the same text")
    env = new_env(game.name, setting.as_dict())
    for action, text in enumerate(texts):
        require(env.action_name(action) == text, f"action {action} is called {env.action_name(action)!r}, not {text!r}")
        # Unusual spelling takes the environment long to read: some of it is enough.
        for spelled in (text, text.upper(), f" {text.lower()} ")[: 3 if action % 7 == 0 else 1]:
            require(env.action_id(spelled) == action, f"{spelled!r} is read as action {env.action_id(spelled)}, not {action}")
    for bad in ("", "no such action", f"{texts[0]} {texts[0]}", None, 3):
        refusal(f"the action text {bad!r}", env.action_id, bad)
    for number in (-1, len(texts), 2**40, "0", None, True, 1.0):
        refusal(f"the action id {number!r}", env.action_name, number)


def _check_sections(sections: tuple[Section, ...]) -> None:
    called = [section.name for section in sections]
    require(len(set(called)) == len(called), "two sections have the same name")
    for section in sections:
        require(section.kind in KINDS, f"the section {section.name!r} is of the unknown kind {section.kind!r}")
        require(
            section.size > 0 and all(isinstance(text, str) and text for text in section.bins),
            f"{section.name!r} does not name its bins",
        )
        require(section.meaning.strip(), f"the section {section.name!r} has no meaning")
    at = 0
    for name, part in fields(sections).items():
        require(part.start == at and part.stop > at, f"the section {name!r} does not follow the one before it")
        at = part.stop


def _check_sides(game: Game, setting: Setting) -> None:
    seats = [seat for side in game.sides(setting) for seat in side]
    require(sorted(seats) == list(range(setting.num_players)), f"the sides {game.sides(setting)} are not a partition of the seats")


def _check_what_tables_depend_on(game: Game, setting: Setting) -> None:
    """Neither F nor A depends on rewards, forced steps or truncation; asked twice, a table is the same."""
    tables: tuple[Callable[[Setting], tuple], ...] = (game.actions, game.sections, game.state_sections)
    for change in ({}, {"reward": "win"}, {"reward": "score"}, {"auto_forced": not setting.auto_forced}, {"max_decisions": 1}):
        other = resolve(game, **(setting.as_dict() | change))
        require(all(table(other) == table(setting) for table in tables), f"a table depends on {change or 'when it is asked'}")
    if setting.closed is not None:  # of one hand only
        return
    other = resolve(game, **(setting.as_dict() | {"match": not setting.match}))
    require(game.actions(other) == game.actions(setting), "the actions depend on whether a match is played")


def _check_lengths(game: Game, setting: Setting) -> None:
    """``observe`` and ``state_vector`` write as many features as the sections have, in the shapes that these have."""
    core = new_core(game.name, setting.as_dict(), 1, seed=1, state=True)
    batch = core.reset()
    assert batch.state is not None
    core.restore(0, core.snapshot(0))
    check_shapes(core.look(np.zeros(1, np.int64), np.zeros(1, np.int8)), core.sections, "observe")
    check_shapes(batch.state, game.state_sections(setting), "state_vector")
