"""What holds for all tests: the header says how the kernel runs, and no test has a deadline."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Whatever runs beside the tests, or compiles in the first of them, is no failure.
settings.register_profile("raidsim", settings.get_profile("default"), deadline=None)
settings.load_profile("raidsim")


INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
compiled_only = pytest.mark.skipif(INTERPRETED, reason="needs more I/Os than one can wait for")
"""What takes more than a few seconds when the kernel runs interpreted."""
CHECKED = os.environ.get("RAIDSIM_CHECKED", "0") not in ("", "0")


def pytest_report_header() -> str:
    how = "interpreted" if INTERPRETED else "compiled"
    return f"raidsim's kernel: {how}{', indices checked' if CHECKED else ''}"


@pytest.fixture(autouse=True)
def small_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreted, half a million units would take longer to fill than the test takes."""
    if INTERPRETED:
        monkeypatch.setattr("raidsim.assembly.ftl.TARGET_UNITS", 2**13)
