"""Policy nets in NumPy: what a learned bot needs at the table, without the library that trained it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class Layout:
    """The shape of a fully connected policy net: ``features`` inputs, ``hidden`` layers, ``actions`` logits."""

    features: int
    hidden: tuple[int, ...]
    actions: int
    activation: str = "relu"

    def as_dict(self) -> dict[str, Any]:
        return {"features": self.features, "hidden": list(self.hidden), "actions": self.actions, "activation": self.activation}

    @staticmethod
    def from_dict(data: Any) -> Layout:
        """The layout that :meth:`as_dict` wrote. Raises ``ValueError`` for anything else."""
        try:
            layout = Layout(int(data["features"]), tuple(int(n) for n in data["hidden"]), int(data["actions"]), data["activation"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("the description of the net cannot be read") from error
        if layout.activation not in ACTIVATIONS or min(layout.features, layout.actions, *layout.hidden) < 1:
            raise ValueError("the description of the net is not one that this version knows")
        return layout

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The tensors by name: ``"0.weight"`` (out, in), ``"0.bias"`` (out,), and so on; the last layer gives the logits."""
        sizes = (self.features, *self.hidden, self.actions)
        result: dict[str, tuple[int, ...]] = {}
        for k, (below, above) in enumerate(itertools.pairwise(sizes)):
            result[f"{k}.weight"] = (above, below)
            result[f"{k}.bias"] = (above,)
        return result


class PolicyNet:
    """A fully connected policy net: observations to masked actions."""

    def __init__(self, layout: Layout, tensors: Mapping[str, np.ndarray]):
        """``tensors`` as :meth:`Layout.shapes` lists them. Raises ``ValueError`` for missing, misshapen or non-finite ones."""
        self.layout = layout
        for name, shape in layout.shapes().items():
            if name not in tensors or tensors[name].shape != shape:
                raise ValueError(f"the net's tensor {name} is missing or not of shape {shape}")
            if not np.isfinite(tensors[name]).all():
                raise ValueError(f"the net's tensor {name} has values that are not finite")
        # Copies: the caller may go on training its own.
        self._layers = [
            (np.array(tensors[f"{k}.weight"].T, np.float32, order="C"), np.array(tensors[f"{k}.bias"], np.float32))
            for k in range(len(layout.hidden) + 1)
        ]

    def tensors(self) -> dict[str, np.ndarray]:
        """The tensors by name, as the constructor takes them."""
        result = {}
        for k, (weight, bias) in enumerate(self._layers):
            result[f"{k}.weight"], result[f"{k}.bias"] = np.ascontiguousarray(weight.T), bias
        return result

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """The logits of all actions, float32[R, A], for observations [R, F]."""
        x = np.ascontiguousarray(observations, np.float32)
        for weight, bias in self._layers[:-1]:
            x = x @ weight
            x += bias
            if self.layout.activation == "relu":
                np.maximum(x, 0, out=x)
            else:
                np.tanh(x, out=x)
        weight, bias = self._layers[-1]
        return x @ weight + bias

    def choose(self, observations: np.ndarray, masks: np.ndarray, generator: np.random.Generator | None = None) -> np.ndarray:
        """Actions, int32[R]: the likeliest legal ones, or drawn from the policy if a generator is given."""
        return self.pick(self.logits(observations), masks, generator)

    @staticmethod
    def pick(logits: np.ndarray, masks: np.ndarray, generator: np.random.Generator | None = None) -> np.ndarray:
        """The same from the logits, float32[R, A]."""
        if generator is not None:  # Gumbel noise turns the argmax into a draw from the softmax
            uniform = generator.random(logits.shape, np.float32)
            logits = logits - np.log(-np.log(np.maximum(uniform, np.float32(1e-20))))
        return np.where(masks != 0, logits, -np.inf).argmax(1).astype(np.int32)
