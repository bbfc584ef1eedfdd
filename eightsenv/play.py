"""A person against bots in the terminal, the same for every variant: tables, texts and pictures are the variant's own.

Input is a line on standard input, which may be a pipe; output is text. Another seat's cards are never shown before the end.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np
from rich.console import Console
from rich.table import Table

from eightsenv.adapters.aec import EightsEnv
from eightsenv.adapters.log import Event, Replay
from eightsenv.agents import Agent
from eightsenv.render import text

HELP = """\
Choose an action by its number, by its text, or by as much of the text as tells it from the others.
An empty line takes the only legal action. hint: what the greedy player would do. q: leave the game. ?: this help."""


class Game:
    """One episode with a person in one seat."""

    def __init__(self, env: EightsEnv, seat: int, bots: Mapping[int, Agent], console: Console):
        """``bots`` has an agent for every other seat."""
        self.env, self.seat, self.bots, self.console = env, seat, bots, console
        self.agent = env.possible_agents[seat]
        self._totals = np.zeros(env.num_players)

    def play(self, seed: int) -> bool:
        """Play the episode; returns whether it came to its end: not if the person left or the input ended."""
        env = self.env
        env.reset(seed=seed)
        for line in env.log(self.agent):
            self._say(line)
        self._mark()
        while not self._over:
            own = env.agent_selection == self.agent
            if own:
                self._tell()
            action = self._ask() if own else self.bots[int(env.core.batch.seat[0])].act(env)
            if action is None:
                return False
            self._made.append(action)
            env.step(action)
            self._totals += [env.rewards[agent] for agent in env.possible_agents]
        self._tell()
        self._show_result()
        return True

    @property
    def _over(self) -> bool:
        return bool(self.env.terminations[self.agent] or self.env.truncations[self.agent])

    # What happened

    def _mark(self) -> None:
        """What follows is told from here on."""
        self._since, self._made = self.env.core.snapshot(0), list[int]()

    def _tell(self) -> None:
        """What happened since the last time, as far as the person may know it: the own action is known already."""
        events = Replay(self.env.game, self.env.setting, {"snapshot": self._since.hex()}, self._made).events()
        for event in events:
            self._say(event.text(self.seat))
            if event.ledger is not None and self.env.setting.match:
                self._say(f"totals: {self._by_agent(event)}")
        self._mark()

    def _by_agent(self, event: Event) -> str:
        assert event.ledger is not None
        return " ".join(f"{agent} {score:g}" for agent, score in zip(self.env.possible_agents, event.ledger["scores"], strict=True))

    def _say(self, line: str = "", style: str | None = None) -> None:
        self.console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)

    # The person's decision

    def _ask(self) -> int | None:
        """The person's action; None to leave."""
        env = self.env
        self._say(f"\n{text.render(env.game, env.view(self.agent), self.seat)}")
        legal = [int(action) for action in np.flatnonzero(env.observe(self.agent)["action_mask"])]
        names = [env.action_name(action) for action in legal]
        self._say("  ".join(f"{k}: {name}" for k, name in enumerate(names, 1)), style="bold")
        while True:
            try:
                typed = " ".join(self.console.input(f"{self.agent}> ", markup=False).split())
            except EOFError:
                self._say("\nThe input has ended: the game is left.")
                return None
            if not sys.stdin.isatty():
                self._say(typed)  # nobody has seen it typed
            if typed.lower() in ("q", "quit"):
                self._say("The game is left.")
                return None
            if typed == "?":
                self._say(HELP)
            elif typed.lower() == "hint":
                self._say(f"greedy: {env.action_name(int(env.core.choose('greedy')[0]))}")
            else:
                try:
                    return legal[choice(typed, names)]
                except ValueError as error:
                    self._say(str(error))

    # The end

    def _show_result(self) -> None:
        env = self.env
        self._say(f"\n{text.render(env.game, env.reveal())}\n")
        if env.truncations[self.agent]:
            self._say(f"The game was stopped after {env.setting.max_decisions} decisions.")
        table = Table("agent", "player", "reward", "won", header_style="bold", box=None, pad_edge=False)
        for seat, agent in enumerate(env.possible_agents):
            player = "you" if seat == self.seat else self.bots[seat].name
            table.add_row(agent, player, f"{self._totals[seat]:+g}", "yes" if seat in self._winners() else "")
        self.console.print(table)

    def _winners(self) -> list[int]:
        """The seats with the best total, unless all are equal or the game was truncated."""
        best = np.flatnonzero(self._totals > self._totals.max() - 1e-4).tolist()
        return [] if len(best) == self.env.num_players or self.env.truncations[self.agent] else best


def choice(typed: str, names: list[str]) -> int:
    """Which of the action texts ``names`` a typed line means: its number from 1 on, the text, its beginning or a later part.

    Raises:
        ValueError: none of them, or several.
    """
    if typed.isdecimal() and 1 <= int(typed) <= len(names):
        return int(typed) - 1
    if not typed:
        if len(names) == 1:
            return 0
        raise ValueError(f"Choose one of 1 to {len(names)} (? for help).")
    wanted, texts = _plain(typed), [_plain(name) for name in names]
    ways = (
        [k for k, name in enumerate(texts) if name == wanted],
        [k for k, name in enumerate(texts) if name.startswith(wanted)],
        [k for k, name in enumerate(texts) if f" {wanted}" in name],
    )
    found = next((hits for hits in ways if hits), [])
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{typed!r} may be {', '.join(names[k] for k in found)}: type more of it.")
    raise ValueError(f"{typed!r} is none of the legal actions (? for help).")


def _plain(words: str) -> str:
    """Text in lower case, the ten written T, as action texts are read."""
    return " ".join(f"t{word[2:]}" if word.startswith("10") else word for word in words.lower().split())
