"""A script that plays through every door and prints, as JSON, what has been compiled for it or loaded from the disk cache."""

from __future__ import annotations

import importlib
import json

import numpy as np
from numba.core.dispatcher import Dispatcher

from eightsenv import bits

kernels: list[Dispatcher] = []
true_kernel = bits.kernel


def kept(function):
    """The engine lets go of a kernel's dispatcher once it is compiled; here it is kept."""
    kernels.append(true_kernel(function))
    return kernels[-1]


bits.kernel = kept

import eightsenv  # noqa: E402
from eightsenv.variants import get  # noqa: E402


def play(variant: str, **options) -> None:
    """Through every door of a variant."""
    vec = eightsenv.make_vec(variant, num_envs=200, num_threads=2, state=True, **options)
    vec.reset()
    vec.reset(options=[{"dealer": 1}] * 200)
    for _ in range(30):
        vec.step(vec.sample())
        vec.step(vec.choose("greedy"))
    vec.restore(1, vec.snapshot(0))
    vec.determinize(2, 1, seed=3)
    vec.look(np.arange(3), np.zeros(3, np.int8))
    eightsenv.rollout(variant, num_games=50, policies="greedy", num_threads=2, **options)
    env = eightsenv.make(variant, **options).unwrapped
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


for name in eightsenv.variants():
    play(name)
    play(name, match=True, reward="win", auto_forced=True)

rule_sets = {get(name).rule_set for name in eightsenv.variants()}
scopes = [vars(importlib.import_module(f"eightsenv.{name}")) for name in ("bits", "rng")]
scopes += [vars(module) for rule_set in rule_sets for module in rule_set.modules]
scopes += [kernel.py_func.__globals__ for kernel in kernels]
functions = {
    f"{value.py_func.__module__}.{name}": len(value.signatures)
    for scope in scopes
    for name, value in scope.items()
    if isinstance(value, Dispatcher)
}
report = {}
for kernel in kernels:
    hits, misses = (sum(counts.values()) for counts in (kernel.stats.cache_hits, kernel.stats.cache_misses))
    name = kernel.py_func.__name__
    report[name if name not in report else kernel.py_func.__qualname__] = [len(kernel.signatures), hits, misses]
print(json.dumps({"kernels": report, "functions": functions}))
