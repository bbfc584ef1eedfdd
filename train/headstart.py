"""A head start: the policy net first learns to play like the variant's compiled heuristic, then better than it; after that it
improves by self-play.

In card games luck drowns what a single decision is worth; finding out by reward alone what the heuristic knows takes far more
games than a few minutes hold. The compiled core shows it sooner: where a game stands, it tries *every* legal action, each with the
same cards to come and ``greedy`` in all seats after it (*rollouts*, Tesauro and Galperin 1996; as a teacher of a policy, Lagoudakis
and Parr 2003). What that brings depends on cards that nobody sees, but the net sees only what its seat may know, so what it
learns is the mean over them: the first step of policy iteration, from ``greedy`` on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from eightsenv.engine import VectorCore
from eightsenv.game import Setting
from eightsenv.search import foresee
from eightsenv.train.processes import Processes
from eightsenv.variants import get

GAMES = 2048
STEPS = 16
"""Decisions of a game that are watched before they are learned from, mixed with those of the other games."""
STRAYING = 0.2
"""The share of random actions in the games that are watched, so that the net also sees what greedy play would never reach."""

SOFTNESS = 0.5
"""Of imitation: the weight of the entropy: a net that is sure of everything would have nothing left to try out."""
CURIOSITY = 0.2
"""Of foresight: the same. There worths are in units of their spread among the actions of a decision."""
RATE = 4e-3
"""The learning rate of Adam at the start; it falls linearly."""
TRUST = 0.06
"""Of foresight: the weight of what ``greedy`` would do: where no action proves better, it is right as often as not."""

Likelihood = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""From observations int8[R, F], masks int8[R, A] and actions int64[R] to the actions' log-probabilities and the policy's entropies,
float32[R] each."""
Policy = Callable[[Tensor, Tensor], Tensor]
"""From observations int8[R, F] and masks int8[R, A] to the log-probabilities of all actions, float32[R, A]."""


@dataclass(frozen=True)
class Watched:
    """Decisions of games that the ``greedy`` policy plays, some of them by chance otherwise."""

    observation: Tensor
    """int8[R, F]."""
    mask: Tensor
    """int8[R, A]."""
    action: Tensor
    """int64[R]: the choice of ``greedy``."""
    worth: Tensor | None
    """float32[R, A]: see :func:`eightsenv.search.foresee`."""


def watch(core: VectorCore, decisions: int, generator: np.random.Generator, foreseeing: bool = False) -> Watched:
    """So many decisions, of all games of a core by turns: at least one of each. The core goes on from where it stands."""
    observations, masks, actions, worths = [], [], [], []
    batch, rows = core.batch, np.arange(core.num_envs)
    for _ in range(-(-decisions // core.num_envs)):
        greedy = core.choose("greedy")
        observations.append(batch.observation.copy())
        masks.append(batch.action_mask.copy())
        actions.append(greedy)
        if foreseeing:
            worths.append(foresee(core, rows))
        core.step(np.where(generator.random(core.num_envs) < STRAYING, core.sample(), greedy))
    x, m, y = (torch.from_numpy(np.concatenate(part)) for part in (observations, masks, actions))
    return Watched(x, m, y.long(), torch.from_numpy(np.concatenate(worths)) if foreseeing else None)


def imitate(
    likelihood: Likelihood,
    decisions: int,
    setting: Setting,
    parameters: Iterable[nn.Parameter],
    seed: int,
    device: torch.device | str = "cpu",
    processes: Processes | None = None,
    *,
    batch_size: int = 1024,
    threads: int = 1,
    told: Callable[[], None] | None = None,
) -> None:
    """Teach a fresh policy the ``greedy`` policy.

    Args:
        likelihood: what the policy thinks of decisions.
        decisions: the number of decisions to learn from, each seen once; all processes have their share of them.
        setting: the setting; forced decisions should be passed over (``auto_forced``).
        parameters: what is to be learned; the optimizer is one of this function's own.
        seed: of the games, and of the order of learning.
        device: where the policy computes.
        processes: those that learn together; None: this one alone.
        batch_size: decisions of one step of the optimizer, of all processes.
        threads: of this process, that play; the result is the same by any number of them.
        told: called some times on the way, at the same places in all processes, and at the end.
    """
    learner = _Learner(decisions, setting, parameters, seed, 1, processes, threads, told)
    for seen in learner.lessons():
        for at in learner.batches(len(seen.action), batch_size):
            batch = (of.index_select(0, at).to(device) for of in (seen.observation, seen.mask, seen.action))
            log_prob, entropy = likelihood(*batch)
            learner.step(-log_prob.mean() - SOFTNESS * entropy.mean())


def improve(
    policy: Policy,
    decisions: int,
    setting: Setting,
    parameters: Iterable[nn.Parameter],
    seed: int,
    device: torch.device | str = "cpu",
    processes: Processes | None = None,
    *,
    batch_size: int = 1024,
    threads: int = 1,
    told: Callable[[], None] | None = None,
) -> None:
    """Teach a policy that plays like ``greedy`` which of the other actions are better: it learns to choose what was worth most.

    Args:
        policy: what the policy thinks of decisions.
        decisions: the number of decisions to learn from.

    The other arguments are those of :func:`imitate`.
    """
    learner = _Learner(decisions, setting, parameters, seed, 2, processes, threads, told)
    unit: Tensor | None = None
    for seen in learner.lessons(foreseeing=True):
        assert seen.worth is not None
        legal = seen.mask.float()
        worth = (seen.worth - (seen.worth * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)) * legal
        if unit is None:
            unit = learner.processes.mean(worth.square().sum() / legal.sum()).sqrt().clamp(min=1e-6)
        worth /= unit
        for at in learner.batches(len(worth), batch_size):
            logs = policy(seen.observation.index_select(0, at).to(device), seen.mask.index_select(0, at).to(device))
            chances = logs.exp()
            gain = (chances * worth.index_select(0, at).to(device)).sum(1)
            entropy = -(chances * logs).sum(1)
            trust = logs.gather(1, seen.action[at, None].to(device))
            learner.step(-gain.mean() - CURIOSITY * entropy.mean() - TRUST * trust.mean())


class _Learner:
    """Parameters, and this process's share of the decisions from which several processes learn together."""

    def __init__(
        self,
        decisions: int,
        setting: Setting,
        parameters: Iterable[nn.Parameter],
        seed: int,
        stage: int,
        processes: Processes | None,
        threads: int,
        told: Callable[[], None] | None,
    ):
        """``stage``: of the head start; each has random numbers of its own."""
        self.parameters, self.processes = list(parameters), processes or Processes.single()
        self.told = told or (lambda: None)
        self.share = -(-decisions // self.processes.count)
        games = min(GAMES, self.share)
        ids = np.arange(games, dtype=np.uint64) + np.uint64(games * self.processes.rank)
        self.core = VectorCore(get(setting.variant), setting, ids, seed=seed, num_threads=threads)
        self.core.reset()
        self.generator = np.random.default_rng([seed, stage, self.processes.rank])
        self.optimizer = torch.optim.Adam(self.parameters, lr=RATE, fused=True)

    def lessons(self, foreseeing: bool = False) -> Iterator[Watched]:
        """The decisions, some at a time; the learning rate falls to what is left of them."""
        size = self.core.num_envs * STEPS
        for begin in range(0, self.share, size):
            for group in self.optimizer.param_groups:
                group["lr"] = RATE * (1 - begin / self.share)
            yield watch(self.core, min(size, self.share - begin), self.generator, foreseeing)
            self.told()

    def batches(self, count: int, size: int) -> Iterator[Tensor]:
        """Batches of the numbers int64 below ``count``, each of which is in one of them, of about ``size`` in all processes."""
        own = max(1, size // self.processes.count)
        for rows in np.array_split(self.generator.permutation(count), max(1, count // own)):
            yield torch.from_numpy(rows)

    def step(self, loss: Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        self.processes.average_gradients(self.parameters)
        self.optimizer.step()
