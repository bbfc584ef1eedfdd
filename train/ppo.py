"""Self-play with PPO on the batch core, natively: ``eights train VARIANT``.

One file holds the whole algorithm (Schulman et al. 2017, in the manner of CleanRL). What differs from the usual loop:

- **Seats, not environments.** All games advance in lockstep. In each episode one side, in turn, is the learner's; every other
  side draws the present policy, a past one or a bot. Every decision of every seat that plays the present policy is learned from.
  Partners always share a policy.
- **Traces.** A decision is followed by the next one of the same seat in the same episode. What the seat gains between them,
  whoever's action brings it, is the earlier one's reward; what it gains before its first decision is added to that one's.
  Generalised advantages (Schulman et al. 2016) run along these traces. At the end of an iteration a seat's last decision has no
  successor yet: it bootstraps those before it, and is itself carried over into the next iteration and learned from there. The end
  of an episode by the rules has the value 0, a truncated one that of what the seat sees of the end.
- **Rewards.** A seat's gain (with partners: its side's mean) less the mean of the others' (``margin``). To what it gains between
  two decisions comes what ``greedy`` play of all seats would bring from the later one to the end of the hand (times ``gamma``),
  less what it would bring from the earlier one, on the cards as they lie (``duplicate``; :func:`eightsenv.search.outlook`). This
  is shaping by a potential (Ng, Harada, Russell 1999), which changes no policy's order: of a hand, all that it takes away in sum is
  what ``greedy`` would have made of it from the seat's first decision on. But each decision answers for what itself has
  changed, luck aside. In a match the luck of the next deal counts for the last decision before it.
- **Values** are learned in units of their own running mean and spread (Pop-Art, van Hasselt et al. 2016), advantages are
  normalised over the iteration. The critic may see the full state (``central_critic``, as in MAPPO, Yu et al. 2022).

Several processes, on one machine or more, each play their own games and average their gradients; the first alone writes::

    torchrun --nproc_per_node 2 -m eightsenv.cli train crazy_eights_v0

Every ``checkpoint_every`` iterations the games begin anew from (seed, iteration), which also seed all random numbers of an
iteration: there are no other random states, and a resumed run goes on exactly as the uninterrupted one would have.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter

from eightsenv.adapters.versus import game_ids
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.base import Agent
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.net import Layout, PolicyNet
from eightsenv.engine import VectorCore, resolve
from eightsenv.game import Section, Setting
from eightsenv.search import outlook
from eightsenv.train.config import PPOConfig
from eightsenv.train.features import absorbed, counts
from eightsenv.train.hardware import Hardware
from eightsenv.train.headstart import imitate, improve
from eightsenv.train.pool import PRESENT, alone, opponents
from eightsenv.train.processes import Processes
from eightsenv.train.runs import BOT, CHECKPOINT, Plan
from eightsenv.train.sparse import WIDEST, SparseRows, sparse_net
from eightsenv.variants import get

ALGORITHM = "ppo"

# Nets


Layers = list[tuple[Tensor, Tensor]]
"""Weight and bias of each layer of a plain net."""
Rows = Tensor | SparseRows
"""The input of R decisions: zeros and ones int8[R, F], or where the ones are."""


class Tower(nn.Module):
    """A fully connected net whose first layer also sees how many cards of each suit and rank the sets of its input hold."""

    def __init__(
        self, matrix: np.ndarray, hidden: tuple[int, ...], outputs: int, last_gain: float, dtype: torch.dtype, sparse: bool
    ):
        """``matrix``: see :func:`eightsenv.train.features.counts`. ``dtype``: in which it multiplies. ``sparse``: whether its first
        layer goes by where the ones are."""
        super().__init__()
        self.dtype, self.sparse = dtype, sparse
        self.matrix: Tensor
        self.register_buffer("matrix", torch.from_numpy(matrix), persistent=False)
        sizes = (sum(matrix.shape), *hidden, outputs)
        self.linear = [nn.Linear(below, above) for below, above in itertools.pairwise(sizes)]
        for k, layer in enumerate(self.linear):
            nn.init.orthogonal_(layer.weight, math.sqrt(2) if k < len(hidden) else last_gain)
            nn.init.zeros_(layer.bias)
        self.layers = nn.ModuleList(self.linear)

    def plain(self) -> Layers:
        """The plain net that gives the same as this one: counts absorbed."""
        return [(layer.weight if k else absorbed(layer.weight, self.matrix), layer.bias) for k, layer in enumerate(self.linear)]

    def taken(self, rows: Rows) -> Rows:
        """Rows as the net goes by them; who gives them to it again and again should take this form."""
        return SparseRows.of(rows) if self.sparse and isinstance(rows, Tensor) else rows

    def forward(self, rows: Rows, layers: Layers | None = None) -> Tensor:
        """To float32[R, outputs]; ``layers``: the plain net if it is known already."""
        layers, rows = layers or self.plain(), self.taken(rows)
        if isinstance(rows, SparseRows):
            return sparse_net(rows, layers)
        x = rows.to(self.dtype)
        for k, (weight, bias) in enumerate(layers):
            x = functional.linear(x.relu_() if k else x, weight.to(self.dtype), bias.to(self.dtype))
        return x.float()


LEAST = -40.0
"""The least log-probability: e^-40 is nothing, and exponentials of far smaller numbers are slow."""


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits float32[R, A] of which those of illegal actions are so low that their probability is 0."""
    return torch.add(logits, (mask ^ 1).float(), alpha=-1e9)


class _Likelihood(torch.autograd.Function):
    """From logits float32[R, A] and actions int64[R] to the actions' log-probabilities and the entropies, float32[R] each.

    Of many actions few are legal, and so many small steps over all of them would cost as much as a layer of the net. The gradient
    is that of the exact log-probabilities, also of those that are told as :data:`LEAST`.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        logs = torch.log_softmax(logits, 1).clamp_(min=LEAST)
        chances = logs.exp()
        entropy = -(chances * logs).sum(1)
        ctx.save_for_backward(logs, chances, entropy, action)
        return logs.gather(1, action[:, None]).flatten(), entropy

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        of_log_prob, of_entropy = (gradient[:, None] for gradient in gradients)
        logs, chances, entropy, action = ctx.saved_tensors
        slope = (logs + entropy[:, None]).mul_(of_entropy).add_(of_log_prob).mul_(chances).neg_()
        return slope.scatter_add_(1, action[:, None], of_log_prob), None


class Net(nn.Module):
    """Policy and critic, two separate towers; the critic's values are normalised."""

    def __init__(self, core: VectorCore, config: PPOConfig, hardware: Hardware):
        super().__init__()
        sections = core.sections
        widest = max((*config.hidden[:1], *config.value_hidden[:1]), default=1)
        how = hardware.dtype(), hardware.sparse() and widest <= WIDEST
        self.actor = Tower(counts(sections), config.hidden, core.num_actions, 0.01, *how)
        if config.central_critic:
            seats = Section("seat", tuple(f"agent_{k}" for k in range(core.num_players)), "one-hot", "whose value it is")
            sections = (*sections, *core.game.state_sections(core.setting), seats)
        self.critic = Tower(counts(sections), config.value_hidden, 1, 1.0, *how)
        self.mean: Tensor
        self.spread: Tensor
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("spread", torch.zeros(()))  # 0: no return seen yet

    def policy(self, observation: Rows, mask: Tensor, layers: Layers | None = None) -> Tensor:
        """The log-probabilities of all actions, float32[R, A]; those of illegal ones are at most :data:`LEAST`."""
        return torch.log_softmax(masked(self.actor(observation, layers), mask), 1).clamp(min=LEAST)

    def normalised(self, seen: Rows, layers: Layers | None = None) -> Tensor:
        """The critic's values, float32[R], in units of the returns' spread."""
        return self.critic(seen, layers).flatten()

    def likelihood(self, observation: Rows, mask: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        """The log-probability of each action, and the entropy of each policy: float32[R]."""
        return _Likelihood.apply(masked(self.actor(observation), mask), action)

    @torch.no_grad()
    def renormalise(self, mean: Tensor, spread: Tensor, momentum: float) -> None:
        """Move the units of the values towards those of new returns; the values themselves stay what they are."""
        if self.spread == 0:
            momentum = 0.0
        new_mean = momentum * self.mean + (1 - momentum) * mean
        new_spread = (momentum * self.spread + (1 - momentum) * spread).clamp(min=1e-6)
        if self.spread > 0:
            head = self.critic.linear[-1]
            head.weight *= self.spread / new_spread
            head.bias.copy_((self.spread * head.bias + self.mean - new_mean) / new_spread)
        self.mean.copy_(new_mean)
        self.spread.copy_(new_spread)


# Games


@dataclass
class Decisions:
    """Decisions of the learner in the order in which they were made; B of them at most."""

    observation: np.ndarray
    """int8[B, F]."""
    seen: np.ndarray
    """int8[B, G]: what the critic sees, if it is more."""
    mask: np.ndarray
    """int8[B, A]."""
    action: np.ndarray
    """int64[B]."""
    log_prob: np.ndarray
    """float32[B]: of the action, when it was made."""
    reward: np.ndarray
    """float32[B]: what the seat gained until its next decision or the end."""
    after: np.ndarray
    """int64[B]: the place of the seat's next decision in the episode; -1: none."""
    open: np.ndarray
    """bool[B]: neither a next decision nor the end has come yet."""

    @staticmethod
    def room(count: int, features: int, seen: int, actions: int) -> Decisions:
        return Decisions(
            np.zeros((count, features), np.int8),
            np.zeros((count, seen), np.int8),
            np.zeros((count, actions), np.int8),
            np.zeros(count, np.int64),
            np.zeros(count, np.float32),
            np.zeros(count, np.float32),
            np.full(count, -1),
            np.zeros(count, np.bool_),
        )

    def move(self, places: np.ndarray) -> None:
        """The decisions at ``places`` become the first ones."""
        for name in ("observation", "seen", "mask", "action", "log_prob", "reward", "after", "open"):
            values = getattr(self, name)
            values[: len(places)] = values[places]


@dataclass
class Rollout:
    """What one iteration learns from: the first ``count`` of ``decisions``."""

    decisions: Decisions
    count: int
    bounds: list[int]
    """Where the decisions of each step begin, and ``count``: those between two bounds are of different traces."""
    cut: np.ndarray
    """int64[C]: the last decisions of traces whose episodes were truncated."""
    cut_seen: np.ndarray
    """int8[C, …]: what the critic sees of those ends."""
    gain: float
    """What the learner's seats were rewarded with in all of an episode, on average over those that ended."""


Act = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From observations int8[R, F] and masks int8[R, A] to actions int64[R] and their log-probabilities float32[R]."""


class Games:
    """N games of P seats in lockstep, and the learner's decisions in them."""

    def __init__(self, setting: Setting, config: PPOConfig, ids: np.ndarray, threads: int = 1):
        """``ids`` (uint64[N]) number the games of a seed."""
        game = get(setting.variant)
        self.config = config
        self.core = VectorCore(game, setting, ids, num_threads=threads, state=config.central_critic, autoreset=False)
        n, p = len(ids), setting.num_players
        self.sides = game.sides(setting)
        self.side_of = game.side_of(setting)
        self.gains = _gains(self.side_of, config.margin)
        self.first_side = (ids % np.uint64(len(self.sides))).astype(np.int64)
        self.all = np.arange(n)
        self.who = np.zeros((n, p), np.int64)
        """int64[N, P]: which of the opponents plays each seat; number :data:`PRESENT` is the learner."""
        self.last = np.full((n, p), -1)
        """int64[N, P]: the place of the last decision of each of the learner's seats in this episode; -1: none yet."""
        self.total = np.zeros((n, p), np.float32)
        """float32[N, P]: what seats have gained in this episode."""
        self.episode = np.zeros(n, np.int64)
        self.ahead = np.zeros((n, p), np.float32)
        """float32[N, P]: what greedy play would have brought from the seat's last decision to the end of the hand."""
        seen = self.core.num_features + self.core.batch.state.shape[1] + p if self.core.batch.state is not None else 0
        most = config.samples + n * (2 * p + 1)  # what is carried over, what is asked for, and a step more
        self.decisions = Decisions.room(most, self.core.num_features, seen, self.core.num_actions)

    def begin(self, seed: int, players: list[Any], shares: list[float], generator: np.random.Generator) -> None:
        """Begin all games anew; nothing is carried over."""
        self.core.reset(seed)
        self.episode[:] = 0
        self._forget(self.all)
        self.meet(players, shares, generator)
        self.who[:] = self._drawn(self.all)

    def meet(self, players: list[Any], shares: list[float], generator: np.random.Generator) -> None:
        """From now on episodes draw these opponents: compiled policies by name, agents, or functions of observations and masks."""
        self.players, self.generator = players, generator
        self.bounds = np.cumsum(np.asarray(shares) / np.sum(shares))[:-1]

    def collect(self, act: Act) -> Rollout:
        """Play until ``samples`` decisions of the learner have a successor or an end; ``act`` makes its decisions."""
        core, batch = self.core, self.core.batch
        count, closed, episodes, gain = self._carry_over(), 0, 0, 0.0
        bounds = [0, count] if count else [0]
        nothing = np.zeros(0, np.int64)
        cut, cut_seen = [nothing], [self._seen(nothing, nothing)]
        actions = np.empty(core.num_envs, np.int32)
        while closed < self.config.samples:
            whose = self.who[self.all, batch.seat]
            for k in np.flatnonzero(np.bincount(whose)).tolist():
                rows = np.flatnonzero(whose == k)
                if k == PRESENT:
                    closed += self._decide(rows, count, act)
                    actions[rows] = self.decisions.action[count : count + len(rows)]
                    count += len(rows)
                    bounds.append(count)
                else:
                    actions[rows] = self._ask(self.players[k], rows)
            core.step(actions)
            self._reward()
            over = np.flatnonzero(batch.terminated | batch.truncated)
            if len(over):
                at, seats = np.nonzero(self.last[over] >= 0)
                rows, last = over[at], self.last[over[at], seats]
                gain += self._settle(rows, seats, last)
                closed += len(last)
                episodes += len(last)
                by_force = batch.truncated[rows]
                if by_force.any():
                    cut.append(last[by_force])
                    cut_seen.append(self._seen(rows[by_force], seats[by_force]))
                self._begin_next(over)
        return Rollout(self.decisions, count, bounds, np.concatenate(cut), np.concatenate(cut_seen), gain / max(1, episodes))

    # Inside

    def _carry_over(self) -> int:
        """The decisions that still wait for what follows become the first ones; returns their number."""
        waiting = self.last >= 0
        places = self.last[waiting]
        order = np.argsort(places)
        self.decisions.move(places[order])
        new = np.empty(len(places), np.int64)
        new[order] = np.arange(len(places))
        self.last[waiting] = new
        return len(places)

    def _ask(self, player: Any, rows: np.ndarray) -> np.ndarray:
        if isinstance(player, str):
            return self.core.choose(player, rows)
        if isinstance(player, Agent):
            return player.act_batch(self.core, rows)
        return player(self.core.batch.observation[rows], self.core.batch.action_mask[rows])

    def _seen(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What the critic sees of games ``rows`` for ``seats``."""
        observation, state = self.core.look(rows, seats), self.core.batch.state
        if state is None:
            return observation
        return np.concatenate([observation, state[rows], np.eye(self.core.num_players, dtype=np.int8)[seats]], axis=1)

    def _decide(self, rows: np.ndarray, begin: int, act: Act) -> int:
        """Make the learner's decisions in the games ``rows``, from place ``begin`` on; returns how many traces went on."""
        batch, made, here = self.core.batch, self.decisions, slice(begin, begin + len(rows))
        places, seats = np.arange(begin, begin + len(rows)), batch.seat[rows].astype(np.int64)
        made.observation[here], made.mask[here] = batch.observation[rows], batch.action_mask[rows]
        if batch.state is not None:
            made.seen[here] = self._seen(rows, seats)
        made.action[here], made.log_prob[here] = act(made.observation[here], made.mask[here])
        if self.config.duplicate:
            self._compare(rows, seats, self._outlook(rows)[self.all[: len(rows)], seats])
        before = self.last[rows, seats]
        goes_on = before >= 0
        made.after[before[goes_on]], made.open[before[goes_on]] = places[goes_on], False
        made.after[here], made.open[here] = -1, True
        made.reward[here] = np.where(goes_on, 0, self.total[rows, seats])
        self.last[rows, seats] = places
        return int(goes_on.sum())

    def _reward(self) -> None:
        """Book what the step brought, to the last decisions of the seats."""
        rows = np.flatnonzero(self.core.batch.reward.any(1))
        if len(rows):
            gains, last = self.core.batch.reward[rows] @ self.gains, self.last[rows]
            self.total[rows] += gains
            self.decisions.reward[last[last >= 0]] += gains[last >= 0]

    def _outlook(self, games: np.ndarray) -> np.ndarray:
        """What greedy play would bring to each seat from here to the end of the hand, as rewards: float32[R, P]."""
        return outlook(self.core, games) @ self.gains

    def _compare(self, rows: np.ndarray, seats: np.ndarray, ahead: np.ndarray) -> None:
        """Book for the last decisions of the seats how the outlook has changed since: it is ``ahead`` now (float32[R])."""
        last = self.last[rows, seats]
        decided = last >= 0
        change = np.where(decided, self.config.gamma * ahead - self.ahead[rows, seats], 0)
        self.decisions.reward[last[decided]] += change[decided]
        self.total[rows, seats] += change
        self.ahead[rows, seats] = ahead

    def _settle(self, rows: np.ndarray, seats: np.ndarray, last: np.ndarray) -> float:
        """Close the traces of seats whose episodes are over; returns the sum of their total rewards."""
        self.decisions.open[last] = False
        if self.config.duplicate:
            ahead, cut = np.zeros(len(rows), np.float32), self.core.batch.truncated[rows]
            if cut.any():
                games, at = np.unique(rows[cut], return_inverse=True)
                ahead[cut] = self._outlook(games)[at, seats[cut]]
            self._compare(rows, seats, ahead)
        return float(self.total[rows, seats].sum())

    def _forget(self, rows: np.ndarray) -> None:
        """Episodes begin: nobody has decided or gained anything."""
        self.last[rows] = -1
        self.total[rows] = 0

    def _begin_next(self, over: np.ndarray) -> None:
        self.core.reset(rows=over)
        self.episode[over] += 1
        self._forget(over)
        self.who[over] = self._drawn(over)

    def _drawn(self, rows: np.ndarray) -> np.ndarray:
        """Who plays each seat of episodes that begin: the learner one side in turn, the other sides whom they draw."""
        drawn = np.searchsorted(self.bounds, self.generator.random((len(rows), len(self.sides))), side="right")
        drawn[np.arange(len(rows)), (self.first_side[rows] + self.episode[rows]) % len(self.sides)] = PRESENT
        return drawn[:, self.side_of]


def _gains(side_of: np.ndarray, margin: bool) -> np.ndarray:
    """The matrix float32[P, P] that turns the rewards of all seats into what each is to learn from."""
    same = side_of[:, None] == side_of[None, :]
    if not margin:
        return (same / same.sum(0)).astype(np.float32)
    return (same / same.sum(0) - ~same / np.maximum(1, (~same).sum(0))).astype(np.float32)


# Advantages


def advantages(rollout: Rollout, values: np.ndarray, cut_values: np.ndarray, gamma: float, decay: float) -> np.ndarray:
    """Generalised advantages along the traces, float32[count]; of open decisions, which nothing follows yet, 0.

    Args:
        rollout: the decisions.
        values: float32[count]: their values.
        cut_values: float32[C]: the values of the ends of truncated traces.
        gamma: the discount.
        decay: lambda.
    """
    made, count = rollout.decisions, rollout.count
    beyond, result = np.zeros(count, np.float32), np.zeros(count, np.float32)
    beyond[rollout.cut] = cut_values
    for begin, end in zip(rollout.bounds[-2::-1], rollout.bounds[:0:-1], strict=True):
        after = made.after[begin:end]
        has = after >= 0
        next_value = np.where(has, values[after], beyond[begin:end])
        error = made.reward[begin:end] + gamma * next_value - values[begin:end]
        trace = np.where(has, error + gamma * decay * result[after], error)
        result[begin:end] = np.where(made.open[begin:end], 0, trace)
    return result


# Training


class Training:
    """A run in progress: the net, its optimizer, the games, the pool and the folder that it writes to."""

    def __init__(
        self,
        plan: Plan,
        hardware: Hardware | None = None,
        processes: Processes | None = None,
        opponent: Agent | None = None,
        told: Callable[[Training], None] | None = None,
    ):
        """A fresh run that has had its head start, or one that goes on from ``plan.saved``.

        Args:
            opponent: plays all other sides, in place of the mixture.
            told: called with the training some times during the head start.
        """
        hardware = hardware or Hardware()
        self.device = device = hardware.where()
        self.processes = processes or Processes()
        torch.set_num_threads(hardware.threads)
        assert isinstance(plan.config, PPOConfig)
        self.setting, self.config, self.target, self.out = plan.setting, plan.config, plan.steps, plan.out
        self.opponent = opponent
        config, count = plan.config, plan.config.n_envs
        # Most decisions of a card game are forced: passing over them leaves the learner several times the games to learn from.
        made = resolve(get(plan.setting.variant), **(plan.setting.as_dict() | {"auto_forced": True}))
        ids = game_ids(count) + np.uint64(count * self.processes.rank)
        self.games = Games(made, config, ids, hardware.threads)
        core = self.games.core
        self.layout = Layout(core.num_features, config.hidden, core.num_actions)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.net = Net(core, config, hardware).to(device)
        self.parameters = list(self.net.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, config.learning_rate, eps=1e-5, fused=True)
        self.loss = torch.compile(self._loss) if hardware.compiled else self._loss
        self.pool: list[PolicyNet] = []
        self.steps = self.iteration = self.updates = 0
        if self.processes.first:
            for left in plan.out.glob(f".{CHECKPOINT}.*.tmp"):  # of a run that was killed while it wrote
                left.unlink(missing_ok=True)
        if plan.saved is not None:
            self._restore(plan.saved)
        self.processes.spread(self.net)
        if plan.saved is None:
            head_start = made, list(self.net.actor.parameters()), config.seed, device, self.processes
            how: dict[str, Any] = {"threads": hardware.threads, "told": partial(told, self) if told else None}
            if config.imitate:
                imitate(self.net.likelihood, config.imitate, *head_start, **how)
            if config.foresee:
                improve(self.net.policy, config.foresee, *head_start, **how)

    def run(self, progress: Callable[[int], None] | None = None) -> None:
        """Train until ``target`` decisions are learned from; ``progress`` gets the number so far, after each iteration."""
        if self.steps < self.target:
            folder = str(self.out / "tensorboard")
            opened = SummaryWriter(folder, purge_step=self.steps + 1) if self.processes.first else nullcontext()
            with opened as writer:
                self._iterations(writer, progress)
        if self.processes.first:
            checkpoints.save(self.out / BOT, self.bot())

    def _iterations(self, writer: SummaryWriter | None, progress: Callable[[int], None] | None) -> None:
        fresh = True
        while self.steps < self.target:
            begin = time.perf_counter()
            told = self.iterate(fresh)
            fresh = self.iteration % self.config.checkpoint_every == 0
            if self.opponent is None and self.iteration % self.config.pool_every == 0:
                self.pool.append(self.policy())
            if fresh or self.steps >= self.target:
                self.save()
            told["time/samples_per_second"] = self.config.samples * self.processes.count / (time.perf_counter() - begin)
            if writer is not None:
                for name, value in told.items():
                    writer.add_scalar(name, value, self.steps)
            if progress is not None:
                progress(self.steps)

    def iterate(self, fresh: bool) -> dict[str, float]:
        """Collect and learn once; with ``fresh`` games begin anew. Returns what happened, by TensorBoard's names."""
        where = [self.config.seed, self.iteration, self.processes.rank]
        self.sampler = torch.Generator(self.device).manual_seed(_number([*where, 0]))
        generator = np.random.default_rng([*where, 1])
        self._schedule(self.steps / self.target)
        players, shares = self.meeting(generator)
        if fresh:
            self.games.begin(_number([self.config.seed, self.iteration]), players, shares, generator)
        else:
            self.games.meet(players, shares, generator)
        with torch.no_grad():
            dtype = self.net.actor.dtype
            self.acting = [(weight.to(dtype), bias.to(dtype)) for weight, bias in self.net.actor.plain()]
        rollout = self.games.collect(self.act)
        told = self.learn(rollout, generator)
        self.steps += self.config.samples * self.processes.count
        self.iteration += 1
        return told | {"self_play/gain": rollout.gain, "self_play/pool": len(self.pool)}

    def meeting(self, generator: np.random.Generator) -> tuple[list[Any], list[float]]:
        """The opponents of an iteration and their weights."""
        if self.opponent is not None:
            return alone(self.opponent)
        return opponents(self.config.mixture, self.policy(), self.pool, generator)

    @torch.inference_mode()
    def act(self, observation: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Decisions drawn from the present policy: actions int64[R] and their log-probabilities float32[R]."""
        legal = self._there(mask)
        logs = self.net.policy(self._there(observation), legal, self.acting)
        upto = logs.exp().cumsum(1)
        drawn = torch.rand((len(logs), 1), generator=self.sampler, device=logs.device) * upto[:, -1:]
        action = ((upto > drawn) & legal.view(torch.bool)).view(torch.int8).argmax(1)
        return action.cpu().numpy(), logs.gather(1, action[:, None]).flatten().cpu().numpy()

    def learn(self, rollout: Rollout, generator: np.random.Generator) -> dict[str, float]:
        """Improve policy and critic by ``n_epochs`` passes over a rollout; each learns from ``samples`` of its closed decisions."""
        config, made, count = self.config, rollout.decisions, rollout.count
        mask, action, log_prob = (self._there(part[:count]) for part in (made.mask, made.action, made.log_prob))
        observation = self.net.actor.taken(self._there(made.observation[:count]))
        seen = self.net.critic.taken(self._there(made.seen[:count])) if config.central_critic else observation
        values = self.values(seen)
        advantage = advantages(rollout, values, self.values(self._there(rollout.cut_seen)), config.gamma, config.gae_lambda)
        closed = np.flatnonzero(~made.open[:count])
        returns = torch.from_numpy(advantage + values).to(self.device)
        self._renormalise(returns[closed])
        target = (returns - self.net.mean) / self.net.spread
        scaled = self._there(advantage)
        mean, spread = self._moments(scaled[closed])
        scaled = (scaled - mean) / spread
        learned = (observation, seen if config.central_critic else None, mask, action, log_prob, scaled, target)
        losses: list[Tensor] = []
        for _ in range(config.n_epochs):
            order = torch.from_numpy(generator.permutation(closed)[: config.samples]).to(self.device)
            for at in order.split(config.batch_size):
                losses += [self.improve([part if part is None else part.index_select(0, at) for part in learned])]
        spent = values[closed] - returns[closed].cpu().numpy()
        told = dict(zip(LOSSES, torch.stack(losses).mean(0).tolist(), strict=True))
        told["train/explained_variance"] = float(1 - spent.var() / max(1e-12, returns[closed].var().item()))
        told["train/learning_rate"] = self.optimizer.param_groups[0]["lr"]
        return told

    def improve(self, decisions: Sequence[Any]) -> Tensor:
        """One step of the optimizer on a minibatch, given as the arguments of the loss; returns the parts of the loss."""
        loss, parts = self.loss(*decisions)
        self.optimizer.zero_grad()
        loss.backward()
        self.processes.average_gradients(self.parameters)
        nn.utils.clip_grad_norm_(self.parameters, self.config.max_grad_norm)
        self.optimizer.step()
        self.updates += 1
        return parts

    def policy(self) -> PolicyNet:
        """The present policy net, a copy."""
        return PolicyNet(self.layout, self._policy_tensors())

    # Checkpoints

    def save(self) -> None:
        """Write the state of the training to the checkpoint of the run's folder; the first process alone does."""
        if not self.processes.first:
            return
        tensors = {f"policy.{name}": value for name, value in self._policy_tensors().items()}
        tensors |= {f"net.{name}": value.cpu().numpy() for name, value in self.net.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{index}.{name}": value.cpu().numpy() for name, value in moments.items()}
        for k, net in enumerate(self.pool):
            tensors |= {f"pool.{k}.{name}": value for name, value in net.tensors().items()}
        counters = {"steps": self.steps, "iterations": self.iteration, "updates": self.updates, "pool": len(self.pool)}
        extra = {"algorithm": ALGORITHM, "config": self.config.as_dict(), "target_steps": self.target}
        checkpoints.save(self.out / CHECKPOINT, Checkpoint(self.setting, self.layout, tensors, counters, extra))

    def bot(self) -> Checkpoint:
        """The policy net alone: what a player needs."""
        tensors = {f"policy.{name}": value for name, value in self._policy_tensors().items()}
        return Checkpoint(self.setting, self.layout, tensors, {"steps": self.steps}, {"algorithm": ALGORITHM})

    def _restore(self, saved: Checkpoint) -> None:
        """Take over the state of a checkpoint. Raises ``ValueError`` if a part is missing or misshapen."""
        try:
            self.net.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in saved.part("net.").items()})
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in saved.part("adam.").items():
                index, part = name.split(".")
                moments.setdefault(int(index), {})[part] = torch.from_numpy(value.copy())
            if set(moments) != set(range(len(self.parameters))):
                raise KeyError("adam")
            self.optimizer.load_state_dict({"state": moments, "param_groups": self.optimizer.state_dict()["param_groups"]})
            self.pool = [saved.net(f"pool.{k}.") for k in range(saved.counters["pool"])]
            self.steps, self.iteration = saved.counters["steps"], saved.counters["iterations"]
            self.updates = saved.counters["updates"]
        except (KeyError, RuntimeError, TypeError) as error:
            raise ValueError("the checkpoint lacks what a training needs to go on") from error

    def _policy_tensors(self) -> dict[str, np.ndarray]:
        return {
            f"{k}.{part}": tensor.detach().cpu().numpy()
            for k, layer in enumerate(self.net.actor.plain())
            for part, tensor in zip(("weight", "bias"), layer, strict=True)
        }

    # Inside

    def _loss(
        self,
        observation: Rows,
        seen: Rows | None,
        mask: Tensor,
        action: Tensor,
        log_prob: Tensor,
        advantage: Tensor,
        target: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """The loss of a minibatch of decisions, and its parts as :data:`LOSSES` lists them. ``seen``: None if the critic
        sees the observation."""
        config = self.config
        if isinstance(observation, Tensor):
            observation = observation.to(self.net.actor.dtype)  # once for both nets
        new_log_prob, entropies = self.net.likelihood(observation, mask, action)
        change = new_log_prob - log_prob
        ratio = change.exp()
        clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
        policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
        value_loss = functional.mse_loss(self.net.normalised(observation if seen is None else seen), target)
        entropy = entropies.mean()
        loss = policy_loss + config.vf_coef * value_loss - self.ent_coef * entropy
        with torch.no_grad():
            beyond = ((ratio - 1).abs() > config.clip_range).float().mean()
            parts = torch.stack([policy_loss, value_loss, entropy, (ratio - 1 - change).mean(), beyond])
        return loss, parts

    @torch.inference_mode()
    def values(self, seen: Rows) -> np.ndarray:
        """The values of positions, float32[R]."""
        layers = self.net.critic.plain()
        parts = self.net.critic.taken(seen).split(self.config.batch_size)
        values = torch.cat([self.net.normalised(part, layers) for part in parts])
        if self.net.spread > 0:
            values = self.net.mean + self.net.spread * values
        return values.cpu().numpy()

    def _renormalise(self, returns: Tensor) -> None:
        """Express values in the units of new returns of all processes."""
        self.net.renormalise(*self._moments(returns), self.config.value_momentum)

    def _moments(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and spread over all processes."""
        moments = self.processes.mean(torch.stack([values.mean(), values.square().mean()]).double())
        return moments[0].float(), (moments[1] - moments[0].square()).clamp(min=1e-12).sqrt().float()

    def _schedule(self, done: float) -> None:
        """Set what changes with the share of the training that is done."""
        config, left = self.config, max(0.0, 1 - done)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (0.1 + 0.9 * left)
        self.ent_coef = torch.tensor(config.ent_coef_end + (config.ent_coef - config.ent_coef_end) * left)

    def _there(self, array: np.ndarray) -> Tensor:
        """An array on the device; bits become numbers where they are."""
        return torch.from_numpy(array).to(self.device)


LOSSES = ("train/policy_loss", "train/value_loss", "train/entropy", "train/approx_kl", "train/clip_fraction")


def _number(words: list[int]) -> int:
    """A seed from several."""
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0]) >> 1
