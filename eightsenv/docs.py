"""A variant described from its tables: what ``eights rules`` prints, and the pages of ``docs/``.

``python -m eightsenv.docs [FOLDER]`` writes a page for every variant and an index into FOLDER (by default ``docs``).
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightsenv import engine
from eightsenv.adapters.registries import gymnasium_id
from eightsenv.adapters.rendering import RENDER_MODES
from eightsenv.game import Game, Option, Section, Setting, fields
from eightsenv.variants import get, names

ARGUMENTS = (
    ("num_players", "4", "seats"),
    ("match", "False", "one hand, or the whole game as its rules describe it"),
    ("reward", '"score"', "points as they are scored, or `\"win\"`: the winners share +1, the losers −1, at the end"),
    ("render_mode", "None", "single games only: " + " or ".join(f'`"{mode}"`' for mode in RENDER_MODES)),
    ("auto_forced", "False", "step through decisions that have exactly one legal action"),
    ("max_decisions", "None", "decisions after which an episode is truncated; `None`: the environment's own number"),
    ("rules", "None", "a preset by name, which other options then modify"),
)  # fmt: skip
"""The arguments that all environments take: name, default, meaning."""

CODE = {"argument", "default", "ids", "option", "preset", "section", "slice", "text", "variant"}
"""The columns whose cells are code."""


@dataclass(frozen=True)
class Part:
    """A titled part of a description: paragraphs, a table, a program; any of them may be absent."""

    title: str
    text: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    program: str = ""


def parts(game: Game, setting: Setting) -> Iterator[Part]:
    """The description of a variant in order; actions, sections and sizes are those of ``setting``."""
    how = f"{setting.num_players} players, {'match' if setting.match else 'one hand'}"
    sections, state, actions = game.sections(setting), game.state_sections(setting), game.actions(setting)
    yield Part("Rules in brief", game.summary)
    yield Part("Departures from commonly printed rules", "\n".join(f"- {text}" for text in game.departures))
    low, high = game.players
    yield Part(
        "Players and sizes",
        f"{low} to {high} players, by default {game.default_players}. An episode is truncated after "
        f"{game.max_decisions[0]} decisions of a hand, {game.max_decisions[1]} of a match, unless `max_decisions` says otherwise. "
        f"Options can change the tables: `eights rules {game.name} --set OPTION=VALUE` shows those of a setting.",
        ("players", "episode", "actions", "observation", "state vector"),
        tuple(_sizes(game, setting)),
    )
    yield Part(f"Actions ({how}): {len(actions)}", "", ("ids", "text"), tuple(_groups(actions)))
    yield _vector("Observation", how, sections, "Seats are counted from the observer on, own seat first.")
    yield _vector("State vector", how, state, "The full information, `env.state()`; seats are absolute.")
    yield Part("Options", "", OPTION_COLUMNS, _options(game.options, game.defaults))
    if game.presets:
        yield Part("Presets", "", ("preset", "differs from the defaults in"), tuple(_presets(game)))
    for name, preset in game.closed_presets.items():
        text = f'`rules="{name}"` takes these parameters in place of the options, and is one hand: `match` is `False`.'
        yield Part(f"The preset {name}", text, OPTION_COLUMNS, _options(preset.parameters, preset.defaults))
    yield Part("Rewards", game.rewards)
    yield Part("End of a match", game.match_end)
    yield Part("Usage", program=_usage(game))
    yield Part("Version history", "", ("version", "what changed"), game.history)


OPTION_COLUMNS = ("option", "default", "values", "meaning", "rules")


def _options(options: Sequence[Option], defaults: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple((option.name, repr(defaults[option.name]), option.values, option.meaning, option.rule) for option in options)


def _sizes(game: Game, setting: Setting) -> Iterator[tuple[str, ...]]:
    """The sizes for every number of players that can play with the options of ``setting``."""
    for num_players, match in itertools.product(range(game.players[0], game.players[1] + 1), (False, True)):
        try:
            other = engine.resolve(game, **{**setting.as_dict(), "num_players": num_players, "match": match})
        except ValueError:
            continue
        sizes = len(game.actions(other)), _size(game.sections(other)), _size(game.state_sections(other))
        yield str(num_players), "match" if match else "hand", *map(str, sizes)


def _size(sections: Sequence[Section]) -> int:
    return sum(section.size for section in sections)


def _groups(actions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The actions, neighbours of one kind in one row."""
    at = 0
    for _, group in itertools.groupby(actions, key=lambda text: (text.split()[0], len(text.split()))):
        texts = list(group)
        last = at + len(texts) - 1
        yield (str(at), texts[0]) if at == last else (f"{at} to {last}", f"{texts[0]} … {texts[-1]}")
        at = last + 1


def _vector(what: str, how: str, sections: tuple[Section, ...], text: str) -> Part:
    rows = []
    for section, place in zip(sections, fields(sections).values(), strict=True):
        where = f"{place.start}:{place.stop}"
        rows.append((section.name, where, str(section.size), section.kind, section.meaning, _bins(section.bins)))
    columns = ("section", "slice", "size", "kind", "meaning", "features")
    return Part(f"{what} ({how}): {_size(sections)} features", text, columns, tuple(rows))


MANY_BINS = 16


def _bins(bins: tuple[str, ...]) -> str:
    """What the features of a section stand for, in brief: common first and last words once, the middle of a long list left out."""
    if len(bins) == 1:
        return bins[0]
    words = [text.split() for text in bins]
    before = _begin(words)
    after = _begin([text[len(before) :][::-1] for text in words])[::-1]
    rest = [" ".join(text[len(before) : len(text) - len(after)]) for text in words]
    listed = ", ".join(rest) if len(rest) <= MANY_BINS else f"{rest[0]} … {rest[-1]}"
    return " ".join([*before, listed, *after])


def _begin(lists: list[list[str]]) -> list[str]:
    """The items with which all lists begin."""
    return [items[0] for items in itertools.takewhile(lambda items: len(set(items)) == 1, zip(*lists, strict=False))]


def _presets(game: Game) -> Iterator[tuple[str, str]]:
    for name, preset in game.presets.items():
        differs = [f"{key}={value!r}" for key, value in preset.items() if game.defaults.get(key) != value]
        yield name, ", ".join(differs) or "nothing"


def _usage(game: Game) -> str:
    name = game.name
    return f"""\
import gymnasium
import numpy as np

import eightsenv
from eightsenv import {name}

env = {name}.env()  # a PettingZoo AEC environment; eightsenv.make("{name}") is the same
env.reset(seed=7)
observation, reward, terminated, truncated, info = env.last()
print(env.agent_selection, "may", [env.action_name(action) for action in np.flatnonzero(observation["action_mask"])])

vec = eightsenv.make_vec("{name}", num_envs=256, seed=7)  # a batch of games; the first of them is the one above
batch = vec.reset()
batch = vec.step(vec.sample())
print(batch.observation.shape, batch.action_mask.shape, batch.reward.shape)

single = gymnasium.make("{gymnasium_id(name)}", opponents="greedy", seat=0)  # one agent against bots
observation, info = single.reset(seed=7)
print(observation["observation"].shape, observation["action_mask"].sum(), "legal actions")

result = eightsenv.rollout("{name}", num_games=1000, policies="greedy", seed=7)  # whole games
print(result.decisions, "decisions, mean payoffs", result.payoffs.mean(axis=0).round(1))
"""


# Pages


def page(game: Game) -> str:
    """The page of a variant in Markdown, for its default setting."""
    text = f"# {game.title}: `{game.name}`\n\n{_WRITTEN}"
    for part in parts(game, engine.resolve(game)):
        text += f"\n## {part.title}\n"
        text += f"\n{part.text}\n" if part.text else ""
        text += f"\n{table(part.columns, part.rows)}" if part.rows else ""
        text += f"\n```python\n{part.program}```\n\nprints\n\n```text\n{_output(part.program)}```\n" if part.program else ""
    return text


def _output(program: str) -> str:
    """What a program prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "usage", "exec"), {"__name__": "usage"})
    return printed.getvalue()


def index() -> str:
    """The first page: the variants and what they have in common."""
    variants = []
    for name in names():
        game = get(name)
        low, high = game.players
        ids = f"`{gymnasium_id(name)}`"
        variants.append((f"[`{name}`]({name}.md)", ids, game.title, f"{low} to {high}", game.summary.splitlines()[0]))
    return (
        f"# The environments\n\n{_WRITTEN}\n{table(('environment', 'in Gymnasium', 'game', 'players', 'in brief'), variants)}"
        f"\n## Arguments of all environments\n\n{table(('argument', 'default', 'meaning'), ARGUMENTS)}"
    )


_WRITTEN = "Written by `python -m eightsenv.docs` from the tables that the environment itself runs on.\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns)]
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]
        lines.append([f"`{cell}`" if column in CODE else cell for column, cell in zip(columns, cells, strict=True)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {"index.md": index()} | {f"{name}.md": page(get(name)) for name in names()}


def main(argv: Sequence[str]) -> int:
    """Write all pages into a folder."""
    folder = Path(*argv) if argv else Path("docs")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
