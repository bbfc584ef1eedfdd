"""The record of a game, as JSON: variant, setting, how the episode began, and what was done. It can be played again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eightsenv.adapters.log import Event, Replay
from eightsenv.game import Setting, resolve
from eightsenv.snapshots import from_json
from eightsenv.variants import get

FORMAT = 1


def written(setting: Setting, origin: dict[str, Any], entries: list[Any]) -> str:
    """The record of an episode; ``origin`` and ``entries`` are those of :class:`eightsenv.adapters.log.Replay`."""
    about = {"format": FORMAT, "variant": setting.variant, "version": setting.version, "setting": setting.as_dict()}
    return json.dumps(about | {"origin": origin, "entries": entries}, indent=1)


class Record:
    """A record that was read from a file."""

    def __init__(self, path: Path):
        """Raises ``ValueError`` for a file that is no record, or one of a variant, version or setting that there is not here."""
        try:
            about = json.loads(path.read_text())
            self.origin, self.entries, given = dict(about["origin"]), list(about["entries"]), dict(about["setting"])
            kind, variant, version = about["format"], about["variant"], about["version"]
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is not the record of a game") from error
        self.path, self.game = path, get(variant)
        if (kind, version) != (FORMAT, self.game.version):
            raise ValueError(
                f"{path} is a record of format {kind} and version {version} of {variant}, which this version cannot play"
            )
        self.setting = resolve(self.game, **from_json(given))

    def steps(self) -> Iterator[tuple[list[Event], Replay]]:
        """The events from decision to decision, each time with the game as it then stands.

        Raises:
            ValueError: the record tells of something that the rules do not allow.
        """
        played: list[Any] = []
        try:
            replay = Replay(self.game, self.setting, self.origin, played)
            told = 0
            for entry in (None, *self.entries):
                if entry is not None:
                    played.append(entry)
                events = replay.events()
                yield events[told:], replay
                told = len(events)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} is damaged: after {max(0, len(played) - 1)} entries, {error}") from error
