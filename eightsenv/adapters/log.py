"""The event log of an episode, replayed from how it began and the actions made: nothing is written twice."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

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
    """The arguments of a scenario as JSON can hold them."""
    return {key: np.asarray(value).tolist() for key, value in arguments.items()}


def replay(game: Game, setting: Setting, origin: dict[str, Any], entries: list[Any]) -> list[Event]:
    """The events of the episode that began as ``origin`` says and took ``entries``: actions, or ``[name, arguments]`` of scenarios.

    An origin is a seed, game, episode and script; or a snapshot, with the ``history`` of events before it if they were noted.
    """
    # Forced actions are stepped one by one here, so that each is logged (G-6).
    core = VectorCore(game, dataclasses.replace(setting, auto_forced=False), np.zeros(1, np.uint64), autoreset=False)
    events = [read(note) for note in origin.get("history", ())]
    if "snapshot" in origin:  # taken when a decision was due, even if a sampled hand leaves it no choice
        core.restore(0, bytes.fromhex(origin["snapshot"]), written_for=setting)
    else:
        core.start(origin["seed"], origin["episode"], origin["options"], origin["game"])
        events.append(_deal(core))
        _make_forced(core, setting, events)
    for entry in entries:
        events.extend(_act(core, entry) if isinstance(entry, int) else _happen(core, *entry))
        _make_forced(core, setting, events)
    return events


def _make_forced(core: VectorCore, setting: Setting, events: list[Event]) -> None:
    """Log what ``auto_forced`` has stepped through: lone legal actions that did not end the episode."""
    while setting.auto_forced:
        legal = np.flatnonzero(core.batch.action_mask[0])
        if len(legal) != 1:
            return
        before = core.snapshot(0)
        made = _act(core, int(legal[0]))
        if core.batch.terminated[0] or core.batch.truncated[0]:
            core.restore(0, before)
            return
        events.extend(made)


def _act(core: VectorCore, action: int) -> list[Event]:
    """Make an action and tell what happened."""
    before, kept = core.reveal(0), core.snapshot(0)
    core.step(np.array([action], np.int32))
    after = core.reveal(0)
    seat = before["seat"]
    same_hand = after["hand_number"] == before["hand_number"]
    dealt = not same_hand or after.get("redeals") != before.get("redeals")
    private = {} if dealt else core.game.noted(before, after)
    text = core.actions[action]
    told = core.game.told(text, core.setting)
    if told != text:
        private[seat] = f"{text}, then {private[seat]}" if seat in private else text
    events = [Event(f"agent_{seat} {told}", private)]
    events += [Event(line, {}) for line in core.game.happened(before, after)]
    if core.batch.terminated[0] or not same_hand:
        ledger = {"hand_number": before["hand_number"], "payoffs": core.payoffs(0), "scores": after["scores"]}
        ledger |= {key: after[key] for key in core.game.ledgers}
        if core.game.counted:
            end = after if core.batch.terminated[0] else _end_of_hand(core, kept, action)
            ledger["counted"] = {key: end[key] for key in core.game.counted}
        paid = " ".join(f"agent_{k} {amount:+g}" for k, amount in enumerate(ledger["payoffs"]))
        events.append(Event(f"hand {before['hand_number']} ends: {paid}", {}, ledger))
    if dealt:
        events.append(_deal(core))
    return events


def _end_of_hand(core: VectorCore, kept: bytes, action: int) -> dict[str, Any]:
    """The state in words after the last action of a hand, before the next is dealt: as if the hand had been all."""
    alone = VectorCore(core.game, dataclasses.replace(core.setting, match=False), np.zeros(1, np.uint64), autoreset=False)
    alone.restore(0, kept, written_for=core.setting)
    alone.step(np.array([action], np.int32))
    return alone.reveal(0)


def _happen(core: VectorCore, name: str, arguments: dict[str, Any]) -> list[Event]:
    """Make a scenario call and tell of it."""
    before = core.reveal(0)
    core.scenario(0, name, **arguments)
    after = core.reveal(0)
    told = " ".join(f"{key}={value}" for key, value in arguments.items())
    lines = core.game.happened(before, after)
    return [Event(f"scenario {name} {told}", core.game.noted(before, after)), *(Event(line, {}) for line in lines)]


def _deal(core: VectorCore) -> Event:
    shown = core.reveal(0)
    remark, notes = core.game.dealt(shown)
    return Event(f"hand {shown['hand_number']}: agent_{shown['dealer']} deals{remark}", notes)
