"""The figures of a result as rows of a tidy table: one for each point, a column for each figure.

The names hold the units: ``_ms``, ``_s``, ``_w``; ``iops`` is IO/s, ``mbps`` MB/s of 2**20 bytes.
A search (``within``) has one row, of the highest load that it found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from raidsim.result import Highest, Latency, Point, Result

Cell = str | int | float | bool | None

KINDS = ("read", "write")
QUANTILES = ("p50", "p95", "p99", "p999")


@dataclass(frozen=True)
class Column:
    """One figure.

    Attributes
    ----------
    kind : of its values: "text", "integer", "real" or "flag".
    words : what it is, with its unit, as an axis or a head shows it.
    of : how it is read off a point.
    """

    name: str
    kind: str
    words: str
    of: Callable[[Result, Point], Cell]


def rows_of(result: Result) -> list[dict[str, Cell]]:
    """A row for each point of a result, by the names of :data:`COLUMNS`."""
    if result.highest is not None:
        return [_of_search(result, result.highest)]
    return [_row(result, point) for point in result.points]


def _row(result: Result, point: Point) -> dict[str, Cell]:
    return {column.name: column.of(result, point) for column in COLUMNS}


def _of_search(result: Result, found: Highest) -> dict[str, Cell]:
    """The row of what a search came to; without figures if it came to nothing."""
    for point in result.points:
        at = (point.load, point.outstanding, point.rate)
        if found.iops is not None and at == (found.load, found.outstanding, found.rate):
            return _row(result, point)
    nothing: dict[str, Cell] = dict.fromkeys(COLUMN)
    return nothing | {"load": found.load, "within": False}


def _latency(kind: str, field: str) -> Callable[[Result, Point], Cell]:
    def read(_: Result, point: Point) -> Cell:
        latency: Latency | None = point.latency_ms.get(kind)
        return None if latency is None else getattr(latency, field)

    return read


def _mean(_: Result, point: Point) -> float | None:
    """Mean response time of all completed I/Os, ms."""
    known = [one for one in point.latency_ms.values() if one is not None]
    samples = sum(one.samples for one in known)
    return sum(one.mean * one.samples for one in known) / samples if samples else None


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _highest(values: Iterable[float | None]) -> float | None:
    return max(_known(values), default=None)


def _sum(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return sum(known) if known else None


def _hit_share(_: Result, point: Point) -> float | None:
    reads = sum(one.reads for one in point.controllers)
    return sum(one.hits for one in point.controllers) / reads if reads else None


COLUMNS = (
    Column("load", "text", "load", lambda _, p: p.load),
    Column("outstanding", "integer", "outstanding per worker", lambda _, p: p.outstanding),
    Column("offered", "real", "offered, IO/s", lambda _, p: p.rate),
    Column("workers", "integer", "workers", lambda _, p: p.workers),
    Column("iops", "real", "throughput, IO/s", lambda _, p: p.iops.mean),
    Column("iops_low", "real", "throughput, low end, IO/s", lambda _, p: p.iops.low),
    Column("iops_high", "real", "throughput, high end, IO/s", lambda _, p: p.iops.high),
    Column("mbps", "real", "throughput, MB/s of 2^20 B", lambda _, p: p.mbps),
    Column("latency_ms", "real", "latency of all, mean, ms", _mean),
    *(
        Column(f"{kind}_ms", "real", f"{kind} latency, mean, ms", _latency(kind, "mean"))
        for kind in KINDS
    ),
    *(
        Column(f"{kind}_{q}_ms", "real", f"{kind} latency, {q}, ms", _latency(kind, q))
        for kind in KINDS
        for q in QUANTILES
    ),
    Column(
        "limited_by", "text", "limited by",
        lambda _, p: p.limited_by.station if p.limited_by else None,
    ),
    Column(
        "limited_kind", "text", "limited by, kind",
        lambda _, p: p.limited_by.kind if p.limited_by else None,
    ),
    Column(
        "utilisation", "real", "utilisation of what limits",
        lambda _, p: p.limited_by.utilisation if p.limited_by else None,
    ),
    Column("within", "flag", "within the latency", lambda _, p: p.within),
    Column("within_ms", "real", "latency for within, ms", lambda _, p: p.within_ms),
    Column("converged", "flag", "converged", lambda _, p: p.converged),
    Column("saturated", "flag", "saturated", lambda _, p: p.saturated),
    Column(
        "carried", "real", "carried, IO/s per worker",
        lambda _, p: p.carried.rate if p.carried else None,
    ),
    Column("hit_share", "real", "share of reads found in controllers' caches", _hit_share),
    Column(
        "power_w", "real", "power of drives, W", lambda _, p: _sum(d.power_w for d in p.drives)
    ),
    Column(
        "throttled", "real", "share of time throttled",
        lambda _, p: _highest(d.throttled for d in p.drives),
    ),
    Column(
        "write_amplification", "real", "write amplification",
        lambda _, p: _highest(d.write_amplification for d in p.drives),
    ),
    Column(
        "drive_writes_per_day", "real", "drive writes per day",
        lambda _, p: _highest(d.drive_writes_per_day for d in p.drives),
    ),
    Column(
        "years_to_rated", "real", "years until the rated writes",
        lambda _, p: min(_known(d.years_to_rated for d in p.drives), default=None),
    ),
    Column(
        "usable_bytes", "integer", "usable, bytes",
        lambda r, _: sum(volume.usable_bytes for volume in r.volumes),
    ),
    Column(
        "drives", "integer", "drives", lambda r, _: sum(volume.drives for volume in r.volumes)
    ),
    Column("window_s", "real", "simulated time measured, s", lambda _, p: p.window_s),
    Column("measured", "integer", "I/Os measured", lambda _, p: p.counts.measured),
    Column("failed", "integer", "I/Os that failed", lambda _, p: p.counts.failed),
)  # fmt: skip
"""Every figure of a row, in order."""

COLUMN = {column.name: column for column in COLUMNS}
