"""Machines that booted: when they were ready, as a line under the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from raidsim.report import numbers
from raidsim.report.curves import Curve
from raidsim.result import Point, Result

SHARES = (0.5, 0.9, 0.99)


def lines(curve: Curve) -> Iterator[str]:
    """Yield when half of a group, most of it and the last machine were ready."""
    for number, point in enumerate(curve.points):
        if point.machines is not None:
            where = f"step {number + 1}: " if len(curve.points) > 1 else ""
            yield where + ready_words(point.machines.ready_s)


def summary(result: Result) -> Iterator[str]:
    """Yield the same of all groups together, if there are several."""
    groups = [point.machines for point in groups_of(result) if point.machines is not None]
    if len(groups) > 1:
        together = [time for group in groups for time in group.ready_s]
        yield f"all {len(together)} machines: {ready_words(together)}"


def ready_words(ready: Sequence[float | None]) -> str:
    """Mean, quantiles and the last of the times at which machines were ready."""
    times = sorted(time for time in ready if time is not None)
    if not times:
        return "no machine was ready"
    parts = [f"mean {seconds(sum(times) / len(times))}"] if len(times) == len(ready) else []
    for share in SHARES:
        place = math.ceil(share * len(ready)) - 1
        if len(ready) > 1 and place < len(times):
            parts.append(f"{100 * share:g} % after {seconds(times[place])}")
    parts.append(f"the last after {seconds(times[-1])}")
    if len(times) < len(ready):
        parts.append(f"{len(ready) - len(times)} of {len(ready)} never")
    return f"ready: {', '.join(parts)}"


def seconds(value: float) -> str:
    """A time in s for people: one decimal from 10 s on."""
    return f"{value:.1f} s" if value >= 9.995 else f"{numbers.figure(value)} s"


def groups_of(result: Result) -> list[Point]:
    """The points of the groups at the first intensity that has any."""
    found: dict[str, Point] = {}
    for point in result.points:
        if point.machines is not None:
            found.setdefault(point.load, point)
    return list(found.values())
