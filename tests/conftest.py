"""What holds for all tests: the header says how the kernel runs, and no test has a deadline."""

from __future__ import annotations

import os

from hypothesis import settings

# Whatever runs beside the tests, or compiles in the first of them, is no failure.
settings.register_profile("raidsim", settings.get_profile("default"), deadline=None)
settings.load_profile("raidsim")


def pytest_report_header() -> str:
    interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return f"raidsim's kernel: {'interpreted' if interpreted else 'compiled'}"
