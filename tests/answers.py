"""Commands that drives have answered since somebody looked last, for tests that follow bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from raidsim.kernel import tables as t
from raidsim.system.system import System

Mark = tuple[int, int]
"""Row of a job, and how often the row was taken before: no two jobs have the same."""


def answers(system: System, known: set[Mark]) -> Iterator[tuple[Any, Any, Mark]]:
    """Rows of commands that were carried out, with the rows and the marks of what they are of.

    ``known`` are marks of commands that came out before: those of this time are added.
    """
    jobs = system.world.jobs
    for index in np.flatnonzero(jobs["stage"] == t.STAGE_RETURNED):
        job = jobs[index]
        mark = (int(index), int(job["mark"]))
        if mark in known or job["parent"] == t.NONE or job["status"] != t.DONE:
            continue
        known.add(mark)
        above = jobs[job["parent"]]
        yield job, above, (int(job["parent"]), int(above["mark"]))
