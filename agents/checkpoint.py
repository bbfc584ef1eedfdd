"""Checkpoints: one safetensors file each, read without executing anything, written atomically.

The tensors of the policy net are called ``policy.0.weight`` and so on; training adds its own beside them. The metadata
is one JSON text under the key ``eightsenv``: format version, variant, variant version, the whole setting, the layout
of the net, counters, what the training needs to go on (``extra``), and a SHA-256 of the tensors.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from eightsenv import engine
from eightsenv.agents.net import Layout, PolicyNet
from eightsenv.game import Setting
from eightsenv.snapshots import from_json
from eightsenv.variants import get

FORMAT = 1
"""Raised when files of the format before cannot be read as they are."""

_KEY = "eightsenv"
_POLICY = "policy."


@dataclass(frozen=True)
class Checkpoint:
    """A policy net, the setting that it was trained for, and what else the training keeps."""

    setting: Setting
    layout: Layout
    tensors: Mapping[str, np.ndarray]
    counters: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    """JSON-able."""

    def net(self, prefix: str = _POLICY) -> PolicyNet:
        """The net whose tensors begin with ``prefix``. Raises ``ValueError`` for missing or misshapen tensors."""
        return PolicyNet(self.layout, self.part(prefix))

    def part(self, prefix: str) -> dict[str, np.ndarray]:
        """The tensors whose names begin with ``prefix``, by the rest of their names."""
        return {name.removeprefix(prefix): value for name, value in self.tensors.items() if name.startswith(prefix)}


def difference(trained: Setting, wanted: Setting, names: tuple[str, ...] | None = None) -> str | None:
    """In words, the first thing in which two settings differ, or None.

    ``names``: compare these common arguments only; None: all. Variant, version and the variant's options always count.
    """
    if trained.variant != wanted.variant:
        return f"it is for {trained.variant}, not for {wanted.variant}"
    if trained.version != wanted.version:
        return f"it is for version {trained.version} of {trained.variant}, not for version {wanted.version}"
    ours, theirs = trained.as_dict(), wanted.as_dict()
    common = ("num_players", "match", "reward", "auto_forced", "max_decisions")
    for name in ours:
        if names is not None and name in common and name not in names:
            continue
        if ours[name] != theirs[name]:
            return f"it is for {name}={ours[name]!r}, not for {name}={theirs[name]!r}"
    return None


def save(path: str | os.PathLike, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; at any moment ``path`` holds the old file or the new one, whole."""
    safetensors = _safetensors()
    path = Path(path)
    tensors = {name: np.ascontiguousarray(value) for name, value in checkpoint.tensors.items()}
    setting = checkpoint.setting
    about = {
        "format": FORMAT,
        "variant": setting.variant,
        "version": setting.version,
        "setting": setting.as_dict(),
        "net": checkpoint.layout.as_dict(),
        "counters": dict(checkpoint.counters),
        "extra": dict(checkpoint.extra),
        "sha256": _digest(tensors),
    }
    data = safetensors.numpy.save(tensors, {_KEY: json.dumps(about)})
    write_atomically(path, data)


def write_atomically(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of the file ``path``, or leave it as it was: never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.umask(umask := os.umask(0))
        os.chmod(temporary, 0o666 & ~umask)  # as any other file: temporary ones are private
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    with contextlib.suppress(OSError):  # the name itself must last too; some file systems cannot promise it
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def free_folder(name: str) -> Path:
    """The first of ``runs/NAME-1``, ``-2`` and so on that does not exist."""
    numbered = (Path("runs") / f"{name}-{k}" for k in itertools.count(1))
    return next(folder for folder in numbered if not folder.exists())


def load(path: str | os.PathLike) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        ValueError: no such file, one that is not a checkpoint of this package, a truncated or damaged one, or one of a variant,
            version or format that this installation does not have.
        ModuleNotFoundError: safetensors is not installed.
    """
    safetensors = _safetensors()
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no checkpoint {path}")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(_KEY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except (safetensors.SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a checkpoint, or is truncated or damaged") from error
    if text is None:
        raise ValueError(f"{path} is not a checkpoint of eightsenv")
    try:
        return _understood(json.loads(text), tensors)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is a damaged checkpoint: its description cannot be read") from error
    except ValueError as error:
        raise ValueError(f"{path} cannot be used: {error}") from error


def _understood(about: dict[str, Any], tensors: dict[str, np.ndarray]) -> Checkpoint:
    if about["format"] != FORMAT:
        raise ValueError(f"it has format {about['format']}, this version reads format {FORMAT}")
    if about["sha256"] != _digest(tensors):
        raise ValueError("it is damaged: the tensors are not those that were written")
    game = get(about["variant"])
    if about["version"] != game.version:
        raise ValueError(f"it is for version {about['version']} of {game.name}, not for version {game.version}")
    setting = engine.resolve(game, **from_json(about["setting"]))
    layout = Layout.from_dict(about["net"])
    features = sum(section.size for section in game.sections(setting))
    actions = len(game.actions(setting))
    if (layout.features, layout.actions) != (features, actions):
        raise ValueError(
            f"its net has {layout.features} inputs and {layout.actions} actions; {game.name} has {features} and {actions} there"
        )
    checkpoint = Checkpoint(setting, layout, tensors, about["counters"], about["extra"])
    checkpoint.net()  # complete, of the right shapes, finite
    return checkpoint


def _digest(tensors: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        value = tensors[name]
        digest.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def _safetensors() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('checkpoints need safetensors: pip install "eightsenv[train]"', name="safetensors") from error
    return safetensors
