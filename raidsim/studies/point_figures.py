"""The figures of a point by name, as draws and comparisons tell them: unit, kind and direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.result import Highest, Point
from raidsim.unknowns.spread import LeftOut

TIME = ", time"
"""End of the name of the time that an operation takes, such as a rebuild."""

RATE_FROM = "iops from "
"""Begin of the name of the rate of a phase, before the event that the phase begins with."""


@dataclass(frozen=True)
class Row:
    """The figures of one run.

    ``points`` has those of every point by name, or, of a search, of what it came to.
    """

    points: tuple[dict[str, float], ...]
    saturated: tuple[bool, ...]


def row_of(points: Sequence[Point], highest: Highest | None) -> Row:
    """The figures of points, or of what a search came to."""
    if highest is not None:
        return Row((figures_of_search(highest),), (highest.iops is None,))
    return Row(
        tuple(figures_of(point) for point in points), tuple(point.saturated for point in points)
    )


def figures_of(point: Point, *, of_course: bool = True) -> dict[str, float]:
    """The figures of a point by name; what was not measured is left out.

    Those of its course are left out unless ``of_course``.
    """
    found: dict[str, float | None] = {"iops": point.iops.mean, "mbps": point.mbps}
    for kind, latency in point.latency_ms.items():
        if latency is None or point.saturated:  # then it is whatever the length of the run makes
            continue
        found[f"{kind} latency"] = latency.mean
        for quantile in ("p50", "p95", "p99", "p999"):
            found[f"{kind} latency {quantile}"] = getattr(latency, quantile)
    if point.course is not None and of_course:
        for use in point.course.operations:
            found.setdefault(f"{use.kind} of {use.volume}{TIME}", use.seconds)
        for phase in point.course.phases:
            found.setdefault(f"{RATE_FROM}{phase.name}", phase.iops.mean)
    if point.machines is not None:
        found["ready, mean"] = point.machines.mean_s
        found["ready, last"] = point.machines.last_s
    return {name: value for name, value in found.items() if value is not None and value > 0}


def figures_of_search(highest: Highest) -> dict[str, float]:
    """The figures that a search came to."""
    if highest.iops is None:
        return {}
    found = {
        "iops": highest.iops.mean,
        "mbps": highest.mbps,
        "outstanding": highest.outstanding,
        "rate": highest.rate,
    }
    return {name: value for name, value in found.items() if value}


def is_throughput(name: str) -> bool:
    """Return whether a figure is one of throughput, of all of a run or of a phase of it."""
    return name in ("iops", "mbps") or name.startswith(RATE_FROM)


def is_time_of_operation(name: str) -> bool:
    """Return whether a figure is the time that an operation takes, such as a rebuild."""
    return name.endswith(TIME) and not name.startswith(RATE_FROM)


def is_of_course(name: str) -> bool:
    """Return whether a figure is one of the course of events: of a phase, or of an operation."""
    return name.startswith(RATE_FROM) or is_time_of_operation(name)


def grows(name: str) -> bool:
    """Return whether a figure is larger for a faster system; times and risks are smaller."""
    return unit_of(name) not in ("ms", "s", "share")


def is_percentile(name: str) -> bool:
    """Whether a figure is a latency that a share of the I/Os does not exceed."""
    return name.endswith((" p50", " p95", " p99", " p999"))


def is_tail(name: str) -> bool:
    """Return whether a figure is a latency that few I/Os exceed."""
    return name.endswith((" p95", " p99", " p999"))


def sides(left_out: LeftOut, name: str) -> tuple[float, float]:
    """Standard deviations, of logarithms, of what models leave out below and above a figure."""
    return left_out.sides(grows=grows(name), is_tail=is_tail(name))


def unit_of(name: str) -> str:
    """The unit of a figure by its name."""
    if name.startswith("iops") or name == "rate":
        return "IO/s"
    if name == "mbps":
        return "MB/s"
    if is_time_of_operation(name):
        return "s"
    if "latency" in name:
        return "ms"
    if name.startswith("loss of"):
        return "share"
    return {"outstanding": "I/Os", "mttdl": "years"}.get(name, "s")
