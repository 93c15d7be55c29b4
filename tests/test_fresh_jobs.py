"""A job that is taken begins anew: nothing depends on what was in its row before.

Rows of the table of jobs are used again and again. Here those that nobody has used yet hold
arbitrary numbers: a field that some handler forgets to set changes what a run finds.
"""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from conftest import compiled_only
from shipped import NAMES, shortened

from raidsim.kernel.tables import JOBS
from raidsim.running import run
from raidsim.scenario import load_text
from raidsim.system.system import System

OF_FREE_ROWS = {"next", "mark", "stage", "serving", "station"}
"""Fields that say of a row that is free what it is: in no queue, at no station, its events void."""

pytestmark = compiled_only


def found(name: str) -> str:
    """What a run of a scenario finds, as JSON."""
    if name == "suspended programs":
        return run(load_text(SUSPENDED)).to_json()
    return run(shortened(name)).to_json()


SUSPENDED = """
[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "samsung-pm983-960gb"
set = { "front_end.move_time" = "5 us" }

[[load]]
read = "50 %"
size = "4 KiB"
outstanding = 32
limit = { ios = 3000 }
"""
"""Collection on a drive whose firmware maps what moves, and whose programs give way to reads."""


@pytest.mark.parametrize("name", [*NAMES, "suspended programs"])
def test_what_was_in_the_row_of_a_job_before_changes_nothing(name, monkeypatch):
    monkeypatch.setattr("raidsim.assembly.ftl.TARGET_UNITS", 2**13)
    expected = found(name)
    seed = zlib.crc32(name.encode())
    print("seed", seed)
    numbers = np.random.default_rng(seed)
    more_jobs = System._more_jobs

    def used_before(system: System, rows: int) -> None:
        more_jobs(system, rows)
        fresh = system.world.jobs[-rows:]
        for field in sorted(set(JOBS.type.names) - OF_FREE_ROWS):
            fresh[field] = numbers.integers(1, 100, rows)

    monkeypatch.setattr(System, "_more_jobs", used_before)
    assert found(name) == expected
