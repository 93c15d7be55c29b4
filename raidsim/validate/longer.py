"""Runs of claims that ended at a bound before they were precise are repeated with a wider bound.

A scenario limits the time of its measurements, because a user waits for it. A claim should not rest
on a figure that is less precise than requested, so the intensities at which a run did not converge
are run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from raidsim.result import Point, Result
from raidsim.scenario import Scenario
from raidsim.validate.jobs import Job
from raidsim.validate.systems import MergedJob, Systems
from raidsim.validate.verdict import points_of

MORE = 4
"""How many times as much may be measured: four times as many I/Os halve an interval."""


def longer(
    runs: Iterable[MergedJob], results: Mapping[Job, Result], systems: Systems
) -> list[MergedJob]:
    """Return the runs to do again with higher limits of their measurement.

    Parameters
    ----------
    runs
        What was run.
    results
        What came of each of its jobs.
    systems
        The scenarios behind them.
    """
    found = []
    for run in runs:
        members = {
            job: None
            for job in run.members
            if job in results and any(map(_could_converge, points_of(results[job])))
        }
        if not members:
            continue
        scenario = systems.of(run.job.scenario, run.job.overrides)
        if scenario.events or scenario.machines or any(load.has_end for load in scenario.loads):
            continue  # a wider bound does not help them: their results say that they did not end
        overrides = (*run.job.overrides, *_wider(scenario))
        job = replace(run.job, overrides=overrides)
        if run.has_intensities:
            numbers = sorted({n for one in members for n in one.numbers})
            job = replace(job, outstanding=tuple(numbers))
        found.append(MergedJob(job, members, run.cost))
    return found


def widened(runs: Iterable[MergedJob], systems: Systems) -> dict[Job, tuple[str, ...]]:
    """Return the overrides that widen the bounds of each job that was run again."""
    return {
        job: _wider(systems.of(job.scenario, job.overrides)) for run in runs for job in run.members
    }


def _could_converge(point: Point) -> bool:
    return not (point.converged or point.saturated)


def _wider(scenario: Scenario) -> tuple[str, ...]:
    measure = scenario.measure
    return (
        f"measure.max_ios={min(MORE * measure.max_ios, 10**10)}",
        f"measure.max_time={min(MORE * measure.max_time, 24 * 3600.0):g} s",
    )
