"""The course of a scenario with events as text: its phases, its operations, what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.report import numbers
from raidsim.report.curves import KINDS, Curve, offered
from raidsim.report.hardware import some
from raidsim.report.ruled import ruled
from raidsim.result import Course, Latency, OperationUse, Phase, Point, Result
from raidsim.result.cuts import VolumeCut

MINUTES_FROM = 600.0  # s, from which a table counts minutes
HOURS_FROM = 36_000.0
SHOWN = ("mean", "p99")


@dataclass(frozen=True)
class Row:
    """A phase as the cells of a table."""

    start: str
    end: str
    iops: str
    interval: str
    mbps: str
    latencies: dict[str, list[str]]  # by kind of I/O: mean and p99
    failed: int
    health: str
    name: str


def unit_of(end: float) -> tuple[str, float]:
    """The unit in which a time axis up to ``end`` s counts, and its length in s."""
    if end >= HOURS_FROM:
        return "h", 3600.0
    return ("min", 60.0) if end >= MINUTES_FROM else ("s", 1.0)


def kinds_of(course: Course) -> list[str]:
    """The kinds of I/O, "read" and "write", that any phase measured."""
    return [kind for kind in KINDS if any(one.latency_ms.get(kind) for one in course.phases)]


def latency_unit(course: Course) -> tuple[str, float]:
    """Unit of the latencies of all phases, and its factor from ms."""
    found = [
        value
        for phase in course.phases
        for latency in phase.latency_ms.values()
        for value in _figures(latency)
        if value is not None
    ]
    return ("us", 1000.0) if max(found, default=1.0) < 1.0 else ("ms", 1.0)


def rows(course: Course) -> list[Row]:
    """The phases of a course, in order."""
    scale = latency_unit(course)[1]
    length = unit_of(course.phases[-1].end_s)[1] if course.phases else 1.0
    several = any(len(phase.health) > 1 for phase in course.phases)
    return [_row(phase, scale, length, several) for phase in course.phases]


def _row(phase: Phase, scale: float, length: float, several: bool) -> Row:
    low, high, mean = phase.iops.low, phase.iops.high, phase.iops.mean
    known = low is not None and high is not None and mean > 0
    half = (high - low) / 2 / mean if known and low is not None and high is not None else None
    return Row(
        start=_clock(phase.start_s / length),
        end=_clock(phase.end_s / length),
        iops=numbers.count(mean),
        interval=numbers.NOT_MEASURED if half is None else f"{100 * half:.1f} %",
        mbps=numbers.mbps(phase.mbps),
        latencies={
            kind: [
                numbers.figure(None if value is None else value * scale)
                for value in _figures(phase.latency_ms.get(kind))
            ]
            for kind in KINDS
        },
        failed=phase.failed + phase.timed_out,
        health=health_words(phase, several),
        name=phase.name,
    )


def _figures(latency: Latency | None) -> list[float | None]:
    return [None if latency is None else getattr(latency, field) for field in SHOWN]


def _clock(value: float) -> str:
    """A time on the axis of a table: 0, 10, 12.35."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def health_words(phase: Phase, several: bool) -> str:
    """Return the health of the volumes: "degraded"; "data degraded, log optimal"."""
    if not several:
        return next(iter(phase.health.values()), "")
    return ", ".join(f"{name} {health}" for name, health in phase.health.items())


def print_phases(curve: Curve, console: Console) -> None:
    """Print the phases of each point of a load; nothing for a scenario without events."""
    for point in curve.points:
        if point.course is None or not point.course.phases:
            continue
        console.print()
        what = point.load if point.workers == 0 else f"{point.load}, {offered(point)}"
        console.print(Text(f"{what}, from event to event:"))
        console.print()
        console.print(_table(point.course))


def _table(course: Course) -> Table:
    table = ruled()
    unit = unit_of(course.phases[-1].end_s)[0]
    for header in (f"from,\n{unit}", f"to,\n{unit}", "\nIO/s", "\n±", "\nMB/s"):
        table.add_column(header, justify="right", no_wrap=True)
    time = latency_unit(course)[0]
    kinds = kinds_of(course)
    for kind in kinds:
        table.add_column(f"{kind}, {time}\nmean", justify="right", no_wrap=True)
        table.add_column("\np99", justify="right", no_wrap=True)
    found = rows(course)
    failing = any(row.failed for row in found)
    if failing:
        table.add_column("\nfailed", justify="right", no_wrap=True)
    table.add_column("\nhealth", no_wrap=True)
    table.add_column("\nbegins with", overflow="fold")
    for row in found:
        cells = [row.start, row.end, row.iops, row.interval, row.mbps]
        cells += [cell for kind in kinds for cell in row.latencies[kind]]
        cells += [f"{row.failed:,}"] if failing else []
        table.add_row(*cells, row.health, Text(row.name))
    return table


def lines(result: Result) -> Iterator[str]:
    """Power cuts and operations of a scenario with events, at every point of a curve."""
    first = result.points[0].load if result.points else ""
    points = [point for point in result.points if point.load == first and point.course]
    for point in points:
        assert point.course is not None
        where = f"{offered(point)}: " if len(points) > 1 else ""
        for cut in point.course.power_cuts:
            for volume in cut.volumes:
                yield f"{where}power cut at {duration(cut.time_s)}, {cut_words(volume)}"
        for operation in point.course.operations:
            yield where + operation_words(operation)
        for name, since in lost_since(point.course).items():
            yield (
                f"{where}{name}: data is lost from {duration(since)} on, and figures after that"
                " are of the I/Os that need none of it; a controller takes an array offline once"
                " more drives are missing than it survives"
            )


def lost_since(course: Course) -> dict[str, float]:
    """Return the start, s, of the first phase in which a volume loses data, by volume."""
    found: dict[str, float] = {}
    for phase in course.phases:
        for volume, health in phase.health.items():
            if health == "failed":
                found.setdefault(volume, phase.start_s)
    return found


def cut_words(cut: VolumeCut) -> str:
    """Return the effect of a power cut on a volume, in a sentence without its end."""
    parts = [f"{cut.volume}: {cut.in_flight:,} I/Os under way"]
    lost = _size(cut.lost_bytes) if cut.lost_bytes else "nothing"
    parts.append(f"{lost} lost that was acknowledged")
    if cut.kept_bytes:
        parts.append(f"{_size(cut.kept_bytes)} kept in the controller's cache")
    if cut.finished:
        parts.append(f"{some(cut.finished, 'stripe')} under update finished after power-on")
    if cut.inconsistent:
        parts.append(f"{some(len(cut.inconsistent), 'stripe')} inconsistent")
    if cut.write_hole:
        worst = max({hole.drive for hole in cut.write_hole}, key=cut.hole_of)
        parts.append(
            f"the loss of drive {worst} before a resync would corrupt"
            f" {_size(cut.hole_of(worst))} that nobody wrote then"
        )
    return ", ".join(parts)


def _size(number: int) -> str:
    if number >= 2**20:
        return f"{units.plain(number / 2**20, 3)} MiB"
    return f"{number / 2**10:.4g} KiB"


def operation_words(operation: OperationUse) -> str:
    """Return the result of an operation, in a sentence without its end."""
    parts = [f"{operation.title}: {_state(operation)}"]
    if operation.mbps is not None and operation.progress > 0:
        parts.append(f"{numbers.mbps(operation.mbps)} MB/s of each drive (2^20 bytes)")
    if _is_extrapolated(operation):
        parts.append(f"extrapolated from {duration(operation.simulated_seconds)} simulated")
    if operation.found:
        parts.append(f"{operation.found:,} errors found, {operation.repaired:,} repaired")
    if operation.punctured:
        rows = "row" if operation.punctured == 1 else "rows"
        parts.append(f"{operation.punctured:,} {rows} punctured")
    if _is_extrapolated(operation) and (operation.found or operation.punctured):
        parts[-1] += " in what was simulated"
    return ", ".join(parts)


def _is_extrapolated(operation: OperationUse) -> bool:
    """Return whether less was simulated than it says."""
    took = operation.seconds
    return took is not None and operation.simulated_seconds < 0.99 * took


def _state(operation: OperationUse) -> str:
    why = f", since {operation.why}" if operation.why else ""
    if operation.seconds is None:
        return operation.state + why
    took = duration(operation.seconds)
    if operation.state == "done":
        return f"done after {took}"
    done = numbers.percent(operation.progress)
    return f"{operation.state} at {done}{why}, {took} for the whole at this pace"


def duration(seconds: float) -> str:
    """A length of time for people: 12.3 s, 4.5 min, 7.2 h, 3.1 days."""
    for unit, length in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{units.plain(seconds / length, 3)} {unit}"
    return f"{seconds:.3g} s"


def courses(points: Sequence[Point]) -> list[Point]:
    """The points that have a course."""
    return [point for point in points if point.course and point.course.timeline]
