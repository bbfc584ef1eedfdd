"""What all tests share: deterministic hypothesis profiles, and the import path of the plain helpers in ``reference``."""

from __future__ import annotations

import sys
from pathlib import Path

import hypothesis
import pytest

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


@pytest.fixture(autouse=True, scope="session")
def _compiling_goes_untold():
    """Which test is the first to need a kernel depends on the cache and on how tests are shared out: nothing is said about it."""
    from eightsenv import bits
    from eightsenv.variants import get, names

    bits._told.update(get(name).rule_set.name for name in names())
