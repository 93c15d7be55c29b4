"""Short runs: the figures of a scenario, measured just long enough to be compared with others.

Compared are runs of the same seed, so what chance does to one it mostly does to the other as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.result import Highest, Point
from raidsim.running import measure_points
from raidsim.scenario import Scenario
from raidsim.unknowns.spread import LeftOut

PER_OUTSTANDING = 20
"""I/Os of a short run for each that is outstanding at a time."""

WARM_UP = 200
"""The I/Os that a short run may take in all until its buffers have settled, over those measured.

A cache, or a drive with a large buffer in a draw, answers writes from memory until the memory is
full. A run that ends before this shows drives that are many times too fast.
"""

ANY = 1.0
"""Relative precision that any window reaches: a short run does not go on for a better one."""


@dataclass(frozen=True)
class Row:
    """The figures of one run.

    ``points`` has those of every point by name, or, of a search, of what it came to.
    """

    points: tuple[dict[str, float], ...]
    saturated: tuple[bool, ...]


def shortened(scenario: Scenario, ios: int) -> Scenario:
    """A scenario whose points measure so many I/Os, or more where many are outstanding.

    Never more than it asks for itself. Loads with an end, events and machines take as long as ever.
    What comes before the window takes as long as buffers and caches do to settle, within bounds.
    """
    measure = scenario.measure
    wanted = min(max(ios, PER_OUTSTANDING * most_outstanding(scenario)), measure.min_ios)
    bounds: dict[str, float] = {"min_ios": wanted, "max_ios": wanted}
    if scenario.searched is None:  # its precision is also how near the border it comes
        most = max(min(WARM_UP * wanted, measure.max_ios), wanted)
        bounds |= {"max_ios": most, "precision": ANY}
    return scenario.model_copy(update={"measure": measure.model_copy(update=bounds)})


def most_outstanding(scenario: Scenario) -> int:
    """The most I/Os that its closed loads have outstanding at a time."""
    return sum(
        load.workers * int(max(load.outstanding)) for load in scenario.loads if load.outstanding
    )


def measured(scenario: Scenario) -> Row:
    """Run a scenario, and keep its figures."""
    points, highest = measure_points(scenario)
    return row_of(points, highest)


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
            found.setdefault(f"{use.kind} of {use.volume}, time", use.seconds)
        for phase in point.course.phases:
            found.setdefault(f"iops from {phase.name}", phase.iops.mean)
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
    """Whether a figure is one of throughput, of all of a run or of a phase of it."""
    return name in ("iops", "mbps") or name.startswith("iops from ")


def grows(name: str) -> bool:
    """Whether a figure is the larger the faster a system is; times and risks become smaller."""
    return unit_of(name) not in ("ms", "s", "share")


def is_tail(name: str) -> bool:
    """Whether a figure is a latency that few I/Os exceed."""
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
    if "latency" in name:
        return "ms"
    if name.startswith("loss of"):
        return "share"
    return {"outstanding": "I/Os", "mttdl": "years"}.get(name, "s")
