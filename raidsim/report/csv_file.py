"""A run as CSV: one row per point, units in the header, an empty cell for "not measured".

A point of a scenario with events is followed by a row for each phase of its course.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from raidsim.report.curves import KINDS, QUANTILES, station_kinds
from raidsim.report.phases import health_words
from raidsim.result import DriveUse, Phase, Point, Result, Temperature
from raidsim.studies.figures import COLUMN, Cell


def render(result: Result) -> bytes:
    """Encode the points of a result.

    The columns are the same for every run, but for the two per kind of station
    at the end, which are there for the kinds that took any time.
    """
    columns = columns_of(result)
    return encoded(columns, (row for point in result.points for row in _rows(columns, point)))


def encoded(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> bytes:
    """Encode a table as UTF-8 CSV with line feeds between rows; what is None is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_written(value) for value in row])
    return text.getvalue().encode("utf-8")


def _written(value: Cell) -> str | int | float:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else value


Columns = dict[str, Callable[[Point], Cell]]


def _rows(columns: Columns, point: Point) -> Iterator[list[Cell]]:
    """A point, then its phases, which fill only the columns that they know."""
    yield [read(point) for read in columns.values()]
    for phase in point.course.phases if point.course else ():
        part = replace(
            point, iops=phase.iops, mbps=phase.mbps, latency_ms=phase.latency_ms,
            window_s=phase.end_s - phase.start_s,
            counts=replace(point.counts, failed=phase.failed, timed_out=phase.timed_out),
        )  # fmt: skip
        own = {header: read(phase) for header, read in PHASE_COLUMNS.items()}
        yield [
            own[header] if header in own else read(part) if _is_of_phases(header) else None
            for header, read in columns.items()
        ]


def _is_of_phases(header: str) -> bool:
    """Return whether a column is known of a single phase."""
    words = header.split(" ")
    named = ("load", "workers", "window [s]", "failed", "timed out")
    return header in named or words[0] in ("outstanding", "offered", "throughput", *KINDS)


PHASE_COLUMNS: dict[str, Callable[[Phase], Cell]] = {
    "phase": lambda one: one.name,
    "phase from [s]": lambda one: one.start_s,
    "phase to [s]": lambda one: one.end_s,
    "health": lambda one: health_words(one, len(one.health) > 1),
}


def columns_of(result: Result) -> Columns:
    """Header cell -> how to read that cell off a point."""

    def figure(name: str) -> Callable[[Point], Cell]:
        """How to read a figure that the tables of sweeps have too."""
        return lambda point: COLUMN[name].of(result, point)

    columns: Columns = {
        "load": figure("load"),
        "outstanding per worker": figure("outstanding"),
        "offered [IO/s]": figure("offered"),
        "workers": figure("workers"),
        **dict.fromkeys(PHASE_COLUMNS, lambda _: None),
        "throughput [IO/s]": figure("iops"),
        "throughput low [IO/s]": figure("iops_low"),
        "throughput high [IO/s]": figure("iops_high"),
        "throughput [MB/s of 2^20 B]": figure("mbps"),
    }
    for kind in KINDS:
        columns[f"{kind} mean [ms]"] = figure(f"{kind}_ms")
        for quantile in QUANTILES:
            columns[f"{kind} {quantile} [ms]"] = figure(f"{kind}_{quantile}_ms")
        columns[f"{kind} samples"] = _samples(kind)
    columns |= {
        "limited by": figure("limited_by"),
        "limited by kind": figure("limited_kind"),
        "utilisation [1]": figure("utilisation"),
        "within": figure("within"),
        "latency for within [ms]": figure("within_ms"),
        "converged": figure("converged"),
        "saturated": figure("saturated"),
        "carried [IO/s]": figure("carried"),
        "carried low [IO/s]": lambda p: p.carried.low if p.carried else None,
        "carried high [IO/s]": lambda p: p.carried.high if p.carried else None,
        "interrupted": lambda _: result.interrupted,
        "window [s]": figure("window_s"),
        "warm-up [s]": lambda p: p.warmup_s,
        "issued": lambda p: p.counts.issued,
        "completed": lambda p: p.counts.completed,
        "failed": figure("failed"),
        "timed out": lambda p: p.counts.timed_out,
        "in flight": lambda p: p.counts.in_flight,
        "measured": figure("measured"),
        "power [W]": figure("power_w"),
        "temperature start [C]": _hottest(lambda t: t.start),
        "temperature end [C]": _hottest(lambda t: t.end),
        "temperature highest [C]": _hottest(lambda t: t.highest),
        "temperature steady [C]": _hottest(lambda t: t.steady),
        "throttled [1]": figure("throttled"),
        "write amplification [1]": figure("write_amplification"),
        "written per day [TB]": _over_drives(sum, lambda d: d.written_per_day_tb),
        "drive writes per day [1/day]": figure("drive_writes_per_day"),
        "rated writes per day [1/day]": _over_drives(min, lambda d: d.rated_writes_per_day),
        "cycles per year [1/year]": _over_drives(max, lambda d: d.cycles_per_year),
        "years to rated [years]": figure("years_to_rated"),
        "unsafe mean [B]": _over_drives(sum, lambda d: d.unsafe_mean),
        "unsafe peak [B]": _over_drives(sum, lambda d: d.unsafe_peak),
        "protected": _protected,
        "machines": lambda p: p.machines.count if p.machines else None,
        "ready mean [s]": lambda p: p.machines.mean_s if p.machines else None,
        "ready last [s]": lambda p: p.machines.last_s if p.machines else None,
        "warnings": lambda p: "; ".join(p.warnings),
    }
    for kind in station_kinds(result.points):
        for field in ("waiting", "served"):
            columns[f"{kind} {field} [ms]"] = _stage(kind, field)
    return columns


def _samples(kind: str) -> Callable[[Point], Cell]:
    def read(point: Point) -> Cell:
        latency = point.latency_ms.get(kind)
        return None if latency is None else latency.samples

    return read


def _over_drives(
    reduce: Callable[[list[float]], float], of: Callable[[DriveUse], float | None]
) -> Callable[[Point], Cell]:
    """One figure of all drives of a point: their sum, or that of the drive that is worst off."""

    def read(point: Point) -> Cell:
        found = [value for drive in point.drives if (value := of(drive)) is not None]
        return reduce(found) if found else None

    return read


def _hottest(of: Callable[[Temperature], float]) -> Callable[[Point], Cell]:
    """A temperature of the drive that became hottest."""

    def read(point: Point) -> Cell:
        known = [drive.temperature_c for drive in point.drives if drive.temperature_c is not None]
        return of(max(known, key=lambda one: one.highest)) if known else None

    return read


def _protected(point: Point) -> Cell:
    """Return whether what all drives hold unsafely survives a power cut."""
    if not point.drives:
        return None
    return all(drive.protected for drive in point.drives)


def _stage(kind: str, field: str) -> Callable[[Point], Cell]:
    def read(point: Point) -> Cell:
        stage = point.stages.get(kind)
        return None if stage is None else getattr(stage, field)

    return read
