"""What holds for all tests: the header says how the kernel runs, and no test has a deadline."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from raidsim.validate.claims import Claim

# Whatever runs beside the tests, or compiles in the first of them, is no failure.
settings.register_profile("raidsim", settings.get_profile("default"), deadline=None)
settings.load_profile("raidsim")


INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
compiled_only = pytest.mark.skipif(INTERPRETED, reason="needs more I/Os than one can wait for")
"""What takes more than a few seconds when the kernel runs interpreted."""
CHECKED = os.environ.get("RAIDSIM_CHECKED", "0") not in ("", "0")


NOBODY = 65534
"""The user that owns nothing, as Linux numbers it."""


@pytest.fixture
def without_root(tmp_path: Path) -> Iterator[Path]:
    """A folder, used with the rights of a user: root acts for another one, who owns it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, NOBODY, -1)
    os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        os.seteuid(0)
        shutil.rmtree(folder)


@cache
def own_claims() -> tuple[Claim, ...]:
    from raidsim.validate import schema

    return tuple(schema.load())


@pytest.fixture
def claims_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """raidsim's own claims are read for the first test that asks; to read them takes 0.4 s."""
    from raidsim.validate import schema

    own, read = own_claims(), schema.load
    monkeypatch.setattr(
        schema, "load", lambda folder=None: list(own) if folder is None else read(folder)
    )


def pytest_report_header() -> str:
    how = "interpreted" if INTERPRETED else "compiled"
    return f"raidsim's kernel: {how}{', indices checked' if CHECKED else ''}"


@pytest.fixture(autouse=True)
def small_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpreted, half a million units would take longer to fill than the test takes."""
    if INTERPRETED:
        monkeypatch.setattr("raidsim.assembly.ftl.TARGET_UNITS", 2**13)
