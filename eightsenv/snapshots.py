"""One game as bytes: a header that names its variant and options, the record, its random streams, and what an adapter adds."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightsenv.game import Setting

_MAGIC = b"8ENVSNP1"
_HEADER = struct.Struct("<8s32s16sQQQIII")  # magic, variant, setting, seed, game, episode; lengths of record, streams, extra
_CHECK = 8


@dataclass(frozen=True)
class Snapshot:
    """The parts of a snapshot. ``record`` is the state; ``extra`` belongs to the adapter that wrote it."""

    record: bytes
    seed: int
    game_id: int
    episode: int
    streams: np.ndarray
    extra: bytes


def pack(setting: Setting, record: bytes, seed: int, game_id: int, episode: int, streams: np.ndarray, extra: bytes = b"") -> bytes:
    """The bytes of a snapshot; the last eight are a checksum."""
    tail = streams.tobytes()
    name = setting.variant.encode().ljust(32, b"\0")
    header = _HEADER.pack(_MAGIC, name, setting.digest(), seed, game_id, episode, len(record), len(tail), len(extra))
    body = header + record + tail + extra
    return body + hashlib.sha256(body).digest()[:_CHECK]


def unpack(data: bytes, setting: Setting, record_size: int) -> Snapshot:
    """The parts of a snapshot of exactly this variant, version and options.

    Raises:
        ValueError: foreign, damaged or truncated bytes.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ValueError(f"a snapshot is bytes, not {type(data).__name__}")
    data = bytes(data)
    if len(data) < _HEADER.size + _CHECK or data[:8] != _MAGIC:
        raise ValueError("these bytes are not a snapshot of eightsenv")
    if hashlib.sha256(data[:-_CHECK]).digest()[:_CHECK] != data[-_CHECK:]:
        raise ValueError("the snapshot is damaged or truncated")
    _, name, digest, seed, game_id, episode, n_record, n_streams, n_extra = _HEADER.unpack_from(data)
    variant = name.rstrip(b"\0").decode()
    if variant != setting.variant:
        raise ValueError(f"the snapshot is of {variant}, not of {setting.variant}")
    if digest != setting.digest() or n_record != record_size:
        raise ValueError(f"the snapshot is of {variant} with other options or of another version")
    at = _HEADER.size
    record = data[at : at + n_record]
    streams = np.frombuffer(data, np.uint64, n_streams // 8, at + n_record)
    extra = data[at + n_record + n_streams : at + n_record + n_streams + n_extra]
    return Snapshot(record, seed, game_id, episode, streams, extra)


def from_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a setting as they were before JSON, which knows lists only: the options that are sequences are tuples."""

    def tupled(value: Any) -> Any:
        return tuple(map(tupled, value)) if isinstance(value, list) else value

    return {name: tupled(value) for name, value in arguments.items()}
