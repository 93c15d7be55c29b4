"""Points at which the cores of a load's workers are busy, while other cores of the host are idle.

A worker of a load is one process, and submits all of its I/Os on one core. So a fast drive may be
idle half of the time because one core is busy. In the table this looks like a limit of the server,
but it is one of the load: with more workers more cores submit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidsim.observe.station_use import HOST_KIND
from raidsim.result import Point
from raidsim.scenario import Scenario

BUSY = 0.99  # utilisation from which on a core has no time for another I/O
OF_PROCESS = (": CPU", ": submission")
"""Ends of the names of stations that belong to one process (`raidsim.assembly.host`)."""


def with_more_workers(points: Sequence[Point], scenario: Scenario) -> list[Point]:
    """Return the points, with a warning on those that the cores of a load's workers limit."""
    return [_told(point, scenario) for point in points]


def _told(point: Point, scenario: Scenario) -> Point:
    limit = point.limited_by
    load = next((one for one in scenario.loads if one.name == point.load), None)
    if limit is None or load is None or point.course is not None:
        return point
    is_busy = limit.kind == HOST_KIND and limit.utilisation >= BUSY
    if not is_busy or not limit.station.endswith(OF_PROCESS):
        return point
    if not scenario.host.card.has("cpu.cores"):
        return point
    cores = scenario.host.card.integer("cpu.cores")
    if load.workers >= cores:
        return point
    those = "the worker keeps" if load.workers == 1 else f"each of {load.workers} workers keeps"
    told = (
        f"{those} one core busy, and the host has {cores}: more workers (load.workers) may"
        " carry more"
    )
    return replace(point, warnings=[*point.warnings, told])
