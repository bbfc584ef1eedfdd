"""Self-play with MaskablePPO of sb3-contrib on the batch core: ``eights train VARIANT --algo sb3-maskable-ppo``.

An iteration is ``n_envs * n_steps`` decisions of the learner and one update. The opponents are drawn anew each iteration
(:mod:`eightsenv.train.pool`). Every ``checkpoint_every`` iterations the whole state of the training goes into one file,
``checkpoint.safetensors``: net, value net, optimizer, random states, counters and pool. There the games begin anew from a
seed that depends on (seed, iteration) only, so that a resumed run goes on exactly as the uninterrupted one would have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from eightsenv.adapters.sb3 import EightsVecEnv
from eightsenv.agents import checkpoint as checkpoints
from eightsenv.agents.checkpoint import Checkpoint
from eightsenv.agents.net import Layout, PolicyNet
from eightsenv.train.config import SB3Config
from eightsenv.train.features import absorbed, counts
from eightsenv.train.headstart import imitate
from eightsenv.train.pool import PRESENT, opponents
from eightsenv.train.runs import BOT, CHECKPOINT, Plan

ALGORITHM = "sb3-maskable-ppo"


class WithCounts(BaseFeaturesExtractor):
    """The observation and its counts: [R, F] to [R, F + K]."""

    def __init__(self, observation_space: gymnasium.Space, matrix: np.ndarray):
        super().__init__(observation_space, sum(matrix.shape))
        self.matrix: torch.Tensor
        self.register_buffer("matrix", torch.from_numpy(matrix), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.cat([observations, observations @ self.matrix], dim=1)


class Training:
    """A run in progress: the model, its environment, the pool and the folder that it writes to."""

    def __init__(self, plan: Plan, *, threads: int = 1, told: Callable[[Training], None] | None = None):
        """A fresh run that has had its head start, or one that goes on from ``plan.saved``.

        Args:
            threads: Torch's, and the core's. Two are a third faster on a machine that does nothing else; threads that wait for each
                other come to a crawl as soon as it does.
            told: called with the training some times during the head start.
        """
        torch.set_num_threads(threads)
        assert isinstance(plan.config, SB3Config)
        setting, config = plan.setting, plan.config
        self.setting, self.config, self.steps, self.out = setting, config, plan.steps, plan.out
        self.pool: list[PolicyNet] = []
        self.start = 0
        # Most decisions of a card game are forced: passing over them leaves the learner several times the games to learn from.
        made = setting.as_dict() | {"auto_forced": True}
        self.env = EightsVecEnv(
            setting.variant,
            config.n_envs,
            seed=config.seed,
            reward_scale=config.reward_scale,
            margin=config.margin,
            duplicate=config.duplicate,
            num_threads=threads,
            **made,
        )
        core = self.env.core
        self.layout = Layout(core.num_features, config.hidden, core.num_actions)
        self.counts = counts(core.sections)
        rate = config.learning_rate
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=lambda left: rate * (0.1 + 0.9 * max(0.0, left)),  # an iteration may go beyond the end
            n_steps=config.n_steps,
            batch_size=config.batch_size,
            n_epochs=config.n_epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            ent_coef=config.ent_coef,
            vf_coef=config.vf_coef,
            max_grad_norm=config.max_grad_norm,
            seed=config.seed % 2**32,
            device="cpu",
            policy_kwargs={
                "net_arch": {"pi": list(config.hidden), "vf": list(config.value_hidden)},
                "activation_fn": torch.nn.ReLU,
                "features_extractor_class": WithCounts,
                "features_extractor_kwargs": {"matrix": self.counts},
            },
        )
        for left in plan.out.glob(f".{CHECKPOINT}.*.tmp"):  # of a run that was killed while it wrote
            left.unlink(missing_ok=True)
        if plan.saved is not None:
            self._restore(plan.saved)
        elif config.imitate:
            self.model.policy.set_training_mode(True)
            parameters, after = self.model.policy.parameters(), partial(told, self) if told else None
            imitate(self._likelihood, config.imitate, self.env.setting, parameters, config.seed, threads=threads, told=after)
        self.model.set_logger(configure(str(plan.out / "tensorboard"), ["tensorboard"]))

    @property
    def iteration(self) -> int:
        """Finished iterations: updates of the net."""
        return self.model.num_timesteps // (self.config.n_envs * self.config.n_steps)

    def run(self, progress: Callable[[int], None] | None = None) -> None:
        """Train until ``steps`` decisions of the learner are made; ``progress`` gets the number so far, after each iteration."""
        left = self.steps - self.model.num_timesteps
        if left > 0:
            self.model.learn(left, callback=SelfPlay(self, progress), reset_num_timesteps=False)
            self.save()
        checkpoints.save(self.out / BOT, self.bot())

    def _likelihood(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The log-probabilities of actions, and the entropies of the policy: float32[R] each."""
        _, log_prob, entropy = self.model.policy.evaluate_actions(observations, actions, action_masks=masks)
        assert entropy is not None
        return log_prob, entropy

    # Opponents

    def net(self) -> PolicyNet:
        """The present policy net, a copy."""
        return PolicyNet(self.layout, self._policy_tensors())

    def draw_opponents(self) -> None:
        """Choose the opponents of the coming iteration. Partners share a policy: the learner's is its present self."""
        generator = np.random.default_rng([self.config.seed, self.iteration, 1])
        self.env.set_opponents(*opponents(self.config.mixture, self.net(), self.pool, generator), partner=PRESENT)

    def begin_games(self) -> None:
        """Begin all games anew, from a seed that depends on the seed and the iteration only."""
        seed = int(np.random.SeedSequence([self.config.seed, self.iteration]).generate_state(1, np.uint64)[0])
        self.env.seed(seed)
        self.model._last_obs = self.env.reset()
        self.model._last_episode_starts = np.ones(self.config.n_envs, np.bool_)

    # Checkpoints

    def save(self) -> None:
        """Write the state of the training to the checkpoint of the run's folder."""
        tensors = {f"policy.{name}": value for name, value in self._policy_tensors().items()}
        tensors |= {f"sb3.{name}": value.numpy() for name, value in self.model.policy.state_dict().items()}
        for index, moments in self.model.policy.optimizer.state_dict()["state"].items():
            tensors |= {f"adam.{index}.{name}": value.numpy() for name, value in moments.items()}
        for k, net in enumerate(self.pool):
            tensors |= {f"pool.{k}.{name}": value for name, value in net.tensors().items()}
        kind, keys, *rest = np.random.get_state()
        tensors |= {"rng.torch": torch.get_rng_state().numpy(), "rng.numpy": np.asarray(keys)}
        counters = {
            "steps": self.model.num_timesteps,
            "iterations": self.iteration,
            "updates": self.model._n_updates,
            "pool": len(self.pool),
        }
        extra = {
            "algorithm": ALGORITHM,
            "config": self.config.as_dict(),
            "target_steps": self.steps,
            "numpy_rng": [kind, *rest],
        }
        checkpoints.save(self.out / CHECKPOINT, Checkpoint(self.setting, self.layout, tensors, counters, extra))

    def bot(self) -> Checkpoint:
        """The policy net alone: what a player needs."""
        tensors = {f"policy.{name}": value for name, value in self._policy_tensors().items()}
        return Checkpoint(self.setting, self.layout, tensors, {"steps": self.model.num_timesteps}, {"algorithm": ALGORITHM})

    def _policy_tensors(self) -> dict[str, np.ndarray]:
        state = self.model.policy.state_dict()
        names = [f"mlp_extractor.policy_net.{2 * k}" for k in range(len(self.config.hidden))] + ["action_net"]
        tensors = {f"{k}.{part}": state[f"{name}.{part}"].numpy() for k, name in enumerate(names) for part in ("weight", "bias")}
        tensors["0.weight"] = absorbed(tensors["0.weight"], self.counts)
        return tensors

    def _restore(self, saved: Checkpoint) -> None:
        """Take over the state of a checkpoint. Raises ``ValueError`` if a part is missing or misshapen."""
        policy, optimizer = self.model.policy, self.model.policy.optimizer
        try:
            policy.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in saved.part("sb3.").items()})
            state = optimizer.state_dict()
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for name, value in saved.part("adam.").items():
                index, part = name.split(".")
                moments.setdefault(int(index), {})[part] = torch.from_numpy(value.copy())
            optimizer.load_state_dict({"state": moments, "param_groups": state["param_groups"]})
            self.pool = [saved.net(f"pool.{k}.") for k in range(saved.counters["pool"])]
            self.model.num_timesteps = saved.counters["steps"]
            self.model._n_updates = saved.counters["updates"]
            kind, *rest = saved.extra["numpy_rng"]
            torch.set_rng_state(torch.from_numpy(saved.tensors["rng.torch"].copy()))
            np.random.set_state((kind, saved.tensors["rng.numpy"], *rest))
        except (KeyError, RuntimeError, TypeError) as error:
            raise ValueError("the checkpoint lacks what a training needs to go on") from error
        self.start = self.iteration


class SelfPlay(BaseCallback):
    """What happens between an update and the next collection: pool, checkpoint, opponents."""

    def __init__(self, training: Training, progress: Callable[[int], None] | None):
        super().__init__()
        self.run, self.progress = training, progress

    def _on_rollout_start(self) -> None:
        run, k = self.run, self.run.iteration
        if k > run.start:
            if k % run.config.pool_every == 0:
                run.pool.append(run.net())
            if k % run.config.checkpoint_every == 0:
                run.save()
            self._tell()
        run.draw_opponents()
        if k == run.start or k % run.config.checkpoint_every == 0:
            run.begin_games()
        self.logger.record("self_play/pool", len(run.pool))
        self.logger.record("self_play/skipped_episodes", run.env.skipped_episodes)

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._tell()

    def _tell(self) -> None:
        """The net has learned from all decisions so far."""
        if self.progress is not None:
            self.progress(self.num_timesteps)
