"""The event log of an episode, replayed from how it began and the actions made: nothing is written twice."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from eightsenv.cards import card_id, card_text
from eightsenv.engine import VectorCore
from eightsenv.game import Game, Setting


@dataclasses.dataclass(frozen=True)
class Event:
    """A deal, an action, or the end of a hand."""

    public: str
    """What everybody sees, in action text."""
    private: dict[int, str]
    """By seat: cards that this seat alone saw."""
    ledger: dict[str, Any] | None = None
    """At the end of a hand: its number, payoffs, the totals after it, and what was ``counted``."""

    def text(self, seat: int | None) -> str:
        """The event as a line for a seat, or for the public."""
        own = "" if seat is None else self.private.get(seat, "")
        return f"{self.public} [{own}]" if own else self.public

    def noted(self, seat: int) -> list:
        """The event as one seat knows it, for JSON; :func:`read` makes it an event again."""
        return [self.public, {str(k): own for k, own in self.private.items() if k == seat}, self.ledger]


def read(note: list) -> Event:
    """The event that :meth:`Event.noted` wrote down."""
    public, private, ledger = note
    return Event(public, {int(seat): own for seat, own in private.items()}, ledger)


def plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a scenario as JSON can hold them, cards in the project's own notation however they were written."""
    return {key: _written(np.asarray(value).tolist()) for key, value in arguments.items()}


def _written(value: Any) -> Any:
    try:
        return card_text(card_id(value))
    except ValueError:
        return value


class Replay:
    """The events of the episode that began as ``origin`` says and took ``entries``: actions, or ``[name, arguments]`` of scenarios.

    An origin is a seed, game, episode and script; or a snapshot, with the ``history`` of events before it if they were noted.
    ``entries`` may grow: only what is new is then played.
    """

    def __init__(self, game: Game, setting: Setting, origin: dict[str, Any], entries: list[Any]):
        # Forced actions are stepped one by one here, so that each is logged (G-6).
        plain_setting = dataclasses.replace(setting, auto_forced=False)
        self.core = core = VectorCore(game, plain_setting, np.zeros(1, np.uint64), autoreset=False)
        self.auto_forced = setting.auto_forced
        self.entries, self._played = entries, 0
        self._events = [read(note) for note in origin.get("history", ())]
        if "snapshot" in origin:  # taken when a decision was due, even if a sampled hand leaves it no choice
            core.restore(0, bytes.fromhex(origin["snapshot"]), written_for=setting)
            self._shown = core.reveal(0)
        else:
            core.start(origin["seed"], origin["episode"], origin["options"], origin["game"])
            self._shown = core.reveal(0)
            self._events.append(deal(core, self._shown))
            self._make_forced()

    def events(self) -> list[Event]:
        """All events up to the last entry."""
        for entry in self.entries[self._played :]:
            self._events.extend(self._act(entry) if isinstance(entry, int) else self._happen(*entry))
            self._make_forced()
            self._played += 1
        return self._events

    def _make_forced(self) -> None:
        """Log what ``auto_forced`` has stepped through: lone legal actions that did not end the episode."""
        core = self.core
        while self.auto_forced:
            legal = np.flatnonzero(core.batch.action_mask[0])
            if len(legal) != 1:
                return
            before, shown = core.snapshot(0), self._shown
            made = self._act(int(legal[0]))
            if core.batch.terminated[0] or core.batch.truncated[0]:
                core.restore(0, before)
                self._shown = shown
                return
            self._events.extend(made)

    def _act(self, action: int) -> list[Event]:
        """Make an action and tell what happened."""
        before, kept = self._shown, self.core.snapshot(0)
        self.core.step(np.array([action], np.int32))
        self._shown = self.core.reveal(0)
        return tell(self.core, before, self._shown, kept, action)

    def _happen(self, name: str, arguments: dict[str, Any]) -> list[Event]:
        """Make a scenario call and tell of it."""
        before, game = self._shown, self.core.game
        self.core.scenario(0, name, **arguments)
        after = self._shown = self.core.reveal(0)
        told = " ".join(f"{key}={value}" for key, value in arguments.items())
        lines = game.happened(before, after)
        return [Event(f"scenario {name} {told}", game.noted(before, after)), *(Event(line, {}) for line in lines)]


def tell(core: VectorCore, before: dict[str, Any], after: dict[str, Any], kept: bytes, action: int) -> list[Event]:
    """What happened in the step that an action has made in the one game of a core.

    ``before`` and ``after`` are ``reveal`` at both ends of the step, and ``kept`` is a snapshot before it. The core's setting
    forces no actions.
    """
    game, seat = core.game, before["seat"]
    same_hand = after["hand_number"] == before["hand_number"]
    dealt = not same_hand or after.get("redeals") != before.get("redeals")
    private = {} if dealt else game.noted(before, after)
    text = core.actions[action]
    told = game.told(text, core.setting)
    if told != text:
        private[seat] = f"{text}, then {private[seat]}" if seat in private else text
    events = [Event(f"agent_{seat} {told}", private)]
    events += [Event(line, {}) for line in game.happened(before, after)]
    if core.batch.terminated[0] or not same_hand:
        ledger = {"hand_number": before["hand_number"], "payoffs": core.payoffs(0), "scores": after["scores"]}
        ledger |= {key: after[key] for key in game.ledgers}
        if game.counted:
            end = after if core.batch.terminated[0] else _end_of_hand(core, kept, action)
            ledger["counted"] = {key: end[key] for key in game.counted}
        paid = " ".join(f"agent_{k} {amount:+g}" for k, amount in enumerate(ledger["payoffs"]))
        events.append(Event(f"hand {before['hand_number']} ends: {paid}", {}, ledger))
    if dealt:
        events.append(deal(core, after))
    return events


def _end_of_hand(core: VectorCore, kept: bytes, action: int) -> dict[str, Any]:
    """The state in words after the last action of a hand, before the next is dealt: as if the hand had been all."""
    alone = VectorCore(core.game, dataclasses.replace(core.setting, match=False), np.zeros(1, np.uint64), autoreset=False)
    alone.restore(0, kept, written_for=core.setting)
    alone.step(np.array([action], np.int32))
    return alone.reveal(0)


def deal(core: VectorCore, shown: dict[str, Any]) -> Event:
    """Tell of a deal, given ``reveal`` after it."""
    remark, notes = core.game.dealt(shown)
    return Event(f"hand {shown['hand_number']}: agent_{shown['dealer']} deals{remark}", notes)
