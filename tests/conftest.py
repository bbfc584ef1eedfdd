"""What all tests share: deterministic hypothesis profiles, and the import path of the plain helpers in ``reference``."""

from __future__ import annotations

import sys
from pathlib import Path

import hypothesis

HERE = Path(__file__).resolve().parent

# Tests are imported by file (importlib mode), so that helpers need a path of their own.
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

hypothesis.settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
hypothesis.settings.load_profile("deterministic")
