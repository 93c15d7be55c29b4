"""With RAIDSIM_CHECKED=1 no row of a table is taken that is not there, NONE (-1) least of all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import planted
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str | None]]:
    """What comes of each planted fault, compiled with checks, in an empty cache."""
    folder = str(tmp_path_factory.mktemp("cache"))
    return outcomes_with(NUMBA_DISABLE_JIT="0", NUMBA_CACHE_DIR=folder, RAIDSIM_CACHE=folder)


def outcomes_with(**environment: str) -> dict[str, dict[str, str | None]]:
    done = subprocess.run(
        [sys.executable, planted.__file__],
        cwd=ROOT,
        env=os.environ | {"RAIDSIM_CHECKED": "1", "PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, dict[str, str | None]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("way", planted.WAYS)
def test_a_row_that_is_there_is_taken(outcomes, way):
    assert outcomes[way]["first"] is None


@pytest.mark.parametrize("way", planted.WAYS)
@pytest.mark.parametrize("row", ["none", "beyond"])
def test_a_row_that_is_not_there_is_refused_and_the_line_is_named(outcomes, way, row):
    assert outcomes[way][row].startswith("planted.py:")
    line = int(outcomes[way][row].split(":")[1])
    assert "row" in Path(planted.__file__).read_text().splitlines()[line - 1]


def test_interpreted_such_rows_are_refused_too():
    interpreted = outcomes_with(NUMBA_DISABLE_JIT="1")
    for way in planted.WAYS[:-1]:  # a field of a row is no table
        assert interpreted[way]["first"] is None
        assert "no such row" in interpreted[way]["none"]
        assert "no such row" in interpreted[way]["beyond"]
