"""Lines of a comparison: figures of runs, or of results that were read, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raidsim import units
from raidsim.result import Point, Result
from raidsim.studies.comparison import Comparison, Line
from raidsim.studies.differences import settings
from raidsim.studies.facts import facts_of_results
from raidsim.studies.paired import Difference, independent, paired
from raidsim.studies.point_figures import figures_of, unit_of


def points_of(result: Result) -> dict[tuple[int, str, int], tuple[int, Point]]:
    """Points by number of the load, place, and how many stood at that place before."""
    loads = list(dict.fromkeys(point.load for point in result.points))
    found: dict[tuple[int, str, int], tuple[int, Point]] = {}
    for number, point in enumerate(result.points):
        key = (loads.index(point.load), _at(point), 0)
        while key in found:
            key = (*key[:2], key[2] + 1)
        found[key] = (number, point)
    return found


def _at(point: Point) -> str:
    if point.outstanding is not None:
        return f"{point.outstanding} outstanding"
    if point.rate is not None:
        return f"{units.plain(point.rate, 6)} IO/s offered"
    return "as given"


def x_of(point: Point) -> float | None:
    """Return the position of a point on the axis of its sweep: its rate or its outstanding I/Os."""
    return point.rate if point.outstanding is None else float(point.outstanding)


def figure_lines(
    load: str, at: str, x: float | None, found: Sequence[Sequence[Mapping[str, float]]]
) -> Iterator[Line]:
    """A line for each figure that the first system has, or another one.

    ``found`` has for each system the figures of each run.
    """
    names = dict.fromkeys(name for runs in found for one in runs for name in one)
    for name in names:
        series = [[one.get(name) for one in runs] for runs in found]
        ends = [_mean(one) for one in series]
        yield Line(
            load=load, at=at, x=x, name=name, unit=unit_of(name),
            values=tuple(mean for mean, _, _ in ends),
            lows=tuple(low for _, low, _ in ends),
            highs=tuple(high for _, _, high in ends),
            against=(None, *(paired(one, series[0]) for one in series[1:])),
        )  # fmt: skip


def _mean(values: Sequence[float | None]) -> tuple[float | None, float | None, float | None]:
    """A mean over runs with its interval."""
    known = [value for value in values if value is not None]
    if not known:
        return None, None, None
    alone = paired(known, [1.0] * len(known))
    mean = sum(known) / len(known)
    if alone is None or alone.change_low is None or alone.change_high is None:
        return mean, None, None
    return mean, alone.change_low + 1, alone.change_high + 1


def of_results(results: Sequence[Result], names: Sequence[str]) -> Comparison:
    """Results side by side: of one run each, so differences rest on the intervals of the runs."""
    tables = [points_of(result) for result in results]
    shared = [key for key in tables[0] if all(key in table for table in tables)]
    lines = [
        line for key in shared for line in _lines_of(key[1], [table[key][1] for table in tables])
    ]
    resolved = [result.scenario for result in results]
    remarks = ["results were read: runs are not paired, and of one seed each"]
    left = {key[1] for table in tables for key in table} - {key[1] for key in shared}
    if left:
        remarks.append(f"not in all results, and left out: {', '.join(sorted(left))}")
    return Comparison(
        names=tuple(names),
        titles=tuple(str(one.get("title", "")) for one in resolved),
        seeds=(),
        keys=tuple(settings(resolved)),
        cards=(),
        lines=tuple(lines),
        within=(),
        within_words="",
        states=(),
        facts=tuple(facts_of_results(results)),
        draws=0,
        remarks=tuple(remarks),
        results=tuple(results),
    )


def _lines_of(at: str, points: Sequence[Point]) -> Iterator[Line]:
    """The figures of one point of each result; only throughput has an interval there."""
    found = [figures_of(point) for point in points]
    for name in dict.fromkeys(name for one in found for name in one):
        ends = [
            (one.get(name), point.iops.low, point.iops.high)
            if name == "iops"
            else (one.get(name), None, None)
            for one, point in zip(found, points, strict=True)
        ]
        yield Line(
            load=points[0].load, at=at, x=x_of(points[0]), name=name, unit=unit_of(name),
            values=tuple(value for value, _, _ in ends),
            lows=tuple(low for _, low, _ in ends),
            highs=tuple(high for _, _, high in ends),
            against=(None, *(_alone(one, ends[0]) for one in ends[1:])),
        )  # fmt: skip


_Ends = tuple[float | None, float | None, float | None]


def _alone(one: _Ends, first: _Ends) -> Difference | None:
    if one[0] is None or first[0] is None:
        return None
    return independent((one[0], one[1], one[2]), (first[0], first[1], first[2]))
