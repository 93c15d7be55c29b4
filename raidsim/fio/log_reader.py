"""Logs of fio: latencies and histograms as distributions, and the rates that any log gives.

A log does not say what it contains, so only unambiguous logs are read. A row with as many counts as
a histogram of fio 3 (1,856, or half of it and so on) or fio 2 (1,216) is a histogram. Rows of six
columns and more are from fio 3, in ns. For fewer columns the caller must give the version. The
measured quantity is in the file's name (``x_clat.1.log``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import quote, refuse
from raidsim.fio import bins
from raidsim.measured.job import DIRECTIONS, LATENCIES, Direction, Distribution
from raidsim.measured.text_file import read_text
from raidsim.units import KIB

MOST_BYTES = 512 * 2**20
LEAST_COLUMNS = 4
MOST_COLUMNS = 8
COARSEST = 6
LATENCY_COLUMNS_OF_3 = 6
_NAME = re.compile(r"_(clat_hist|clat|slat|lat|bw|iops)(\.\d+)?\.log(?=$|\.)")
_HISTOGRAMS = {
    bins_there >> coarseness: (bins_there, coarseness, unit)
    for bins_there, unit in ((bins.BINS_NS, 1), (bins.BINS_US, 1000))
    for coarseness in range(COARSEST + 1)
}
"""Counts of a row, by which the histogram is known: its bins, its coarseness, ns of its unit."""

MS_PER_S = 1000
MOST_OF_A_ROW = 2**50  # 13 days in ns, for one I/O
_EPOCH_MS = 10**11  # times are of the clock (log_unix_epoch), not since the start
_HEAD = 3  # columns before the counts: ms, direction, block size


@dataclass(frozen=True)
class MeasuredLog:
    """The latencies of a log.

    Attributes
    ----------
    file : as messages name it.
    latency : "lat", "clat" or "slat".
    directions : by "read", "write" and "trim", those that occur.
    """

    file: str
    latency: str
    directions: dict[str, Distribution]


@dataclass(frozen=True)
class LogName:
    """The information in the name of a log.

    Attributes
    ----------
    prefix : what `write_lat_log` and the like were given.
    what : "lat", "clat", "slat", "clat_hist", "bw" or "iops".
    thread : number of the process among those of all jobs, from 1; None if one log is for all.
    """

    prefix: str
    what: str
    thread: int | None


@dataclass(frozen=True)
class Logged:
    """All that a log says: of a bandwidth log the rates only.

    Attributes
    ----------
    directions : rates by "read", "write" and "trim", with latencies if it has any.
    sizes : I/Os by direction and size, where the rows are I/Os.
    is_averages : whether its rows are averages over intervals (`log_avg_msec`).
    is_histogram : whether it counts I/Os in bins, and so lacks those of the last interval.
    """

    file: str
    name: LogName
    directions: dict[str, Direction]
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)
    is_averages: bool = False
    is_histogram: bool = False


def log_name(name: str | PathLike[str]) -> LogName | None:
    """Return the kind of a log by its file name; None if fio does not name logs so."""
    path = Path(name)
    match = _NAME.search(path.name)
    if match is None:
        return None
    thread = match[2]
    return LogName(path.name[: match.start()], match[1], int(thread[1:9]) if thread else None)


def read_any(name: str | PathLike[str], *, version: int | None = None) -> Logged:
    """Read a log of latencies, of a histogram, of bandwidth or of IO/s.

    Parameters
    ----------
    version
        2 or 3: of the fio that wrote it, where latencies have four or five columns.

    Raises
    ------
    InputError
        It cannot be read, is no such log, or could be more than one thing.
    """
    shown = str(name)
    rows = _rows(name)
    columns = _count(rows)
    found = log_name(name)
    if columns - _HEAD in _HISTOGRAMS:
        return _of_histogram(shown, found, _table(shown, rows, columns))
    if found is None or found.what == "clat_hist":
        remedy = "give a log called ..._lat.log, ..._clat.log, ..._bw.log and so on"
        refuse(shown, "has a name that does not show that it is a log of fio", remedy)
    _check_columns(shown, "log of fio", rows, columns)
    table = _table(shown, rows, columns)
    _check_kinds(shown, table)
    unit = _unit(shown, rows, columns, version) if found.what in LATENCIES else 1
    if bool((table[:, 3] == 0).all()):
        return Logged(shown, found, _averaged(table, found.what, unit), is_averages=True)
    return _of_ios(shown, found, table, unit)


def _check_columns(shown: str, what: str, rows: list[tuple[int, str]], columns: int) -> None:
    """Refuse a log whose rows are of no I/O, nor of an interval."""
    if not LEAST_COLUMNS <= columns < MOST_COLUMNS:
        cause = f"has {columns} columns; no {what} has so many or so few"
        refuse(shown, cause, line=rows[0][0])


def _of_histogram(shown: str, found: LogName | None, table: NDArray[np.int64]) -> Logged:
    """A log whose rows are histograms of latencies, in intervals."""
    distributions = _histograms(shown, table)
    named = LogName(found.prefix if found else "", "clat_hist", found.thread if found else None)
    sizes = {
        (kind, int(each[0])): one.samples or 0
        for op, kind in enumerate(DIRECTIONS)
        if (one := distributions.get(kind)) is not None
        and len(each := np.unique(table[table[:, 1] == op, 2])) == 1
        and each[0] > 0  # rows have the size of one I/O: if it is always the same, of all
    }
    counts = {kind: (ios, ios * size) for (kind, size), ios in sizes.items()}
    directions = _counted(distributions, table[:, 0], counts, "clat")
    return Logged(shown, named, directions, sizes, is_histogram=True)


def _of_ios(shown: str, found: LogName, table: NDArray[np.int64], unit: int) -> Logged:
    """A log with a row for each I/O; ``unit`` is that of its latencies, in ns."""
    sizes = {
        (kind, int(size)): int(number)
        for op, kind in enumerate(DIRECTIONS)
        for size, number in zip(
            *np.unique(table[table[:, 2] == op, 3], return_counts=True), strict=True
        )
    }
    moved = {
        kind: (int((table[:, 2] == op).sum()), int(table[table[:, 2] == op, 3].sum()))
        for op, kind in enumerate(DIRECTIONS)
    }
    distributions = _samples(table, unit) if found.what in LATENCIES else {}
    return Logged(shown, found, _counted(distributions, table[:, 0], moved, found.what), sizes)


def _counted(
    distributions: dict[str, Distribution],
    times: NDArray[np.int64],
    moved: dict[str, tuple[int, int]],
    what: str,
) -> dict[str, Direction]:
    """Rates of I/Os that are counted until the time of the last row."""
    begin = int(times.min()) if times.min() > _EPOCH_MS else 0
    seconds = (int(times.max()) - begin) / MS_PER_S
    found = {}
    for kind in DIRECTIONS:
        one = distributions.get(kind)
        ios, size = moved.get(kind, ((one.samples or 0) if one else 0, 0))
        rates = (ios / seconds, size / seconds) if seconds else (0.0, 0.0)
        latencies = {what: one} if one else {}
        found[kind] = Direction(ios, size, *rates, seconds, latencies)
    return found


def _averaged(table: NDArray[np.int64], what: str, unit: int) -> dict[str, Direction]:
    """Means over intervals, each by its length; of latencies by nothing else than that."""
    found = {}
    begin = int(table[:, 0].min()) if table[:, 0].min() > _EPOCH_MS else 0
    seconds = (int(table[:, 0].max()) - begin) / MS_PER_S
    for op, kind in enumerate(DIRECTIONS):
        mine = table[table[:, 2] == op]
        lengths = np.diff(mine[:, 0], prepend=begin)
        total = int(lengths.sum())
        mean = float((mine[:, 1] * lengths).sum() / total) if total > 0 else 0.0
        latencies = {}
        if what in LATENCIES and total > 0:
            latencies[what] = Distribution(mean * unit)
        iops = mean if what == "iops" else 0.0
        rate = mean * KIB if what == "bw" else 0.0
        found[kind] = Direction(None, None, iops, rate, seconds, latencies)
    return found


def read_log(name: str | PathLike[str], *, version: int | None = None) -> MeasuredLog:
    """Read a latency or histogram log of fio.

    Parameters
    ----------
    version
        2 or 3: of the fio that wrote it. It is needed where rows have four or five columns, for
        fio 2 has us there and fio 3 ns, and nothing tells them apart.

    Raises
    ------
    InputError
        It cannot be read, is no such log, or could be more than one thing.
    """
    shown = str(name)
    rows = _rows(name)
    found = log_name(name)
    what = found.what if found else None
    columns = _count(rows)
    if columns - _HEAD in _HISTOGRAMS:
        return MeasuredLog(shown, "clat", _histograms(shown, _table(shown, rows, columns)))
    if what not in LATENCIES:
        remedy = "give a log of latencies, called ..._lat.log, ..._clat.log or ..._slat.log"
        refuse(shown, "has a name that does not show that it is a log of latencies", remedy)
    _check_columns(shown, "log of latencies of fio", rows, columns)
    table = _table(shown, rows, columns)
    _check(shown, table)
    unit = _unit(shown, rows, columns, version)
    return MeasuredLog(shown, what, _samples(table, unit))


def _rows(name: str | PathLike[str]) -> list[tuple[int, str]]:
    """The lines of a log that are not empty, with their numbers."""
    text = read_text(name, MOST_BYTES, "log of fio")
    rows = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not rows:
        refuse(str(name), "is empty")
    return rows


def _count(rows: list[tuple[int, str]]) -> int:
    """Return the number of columns of the first row."""
    return rows[0][1].rstrip().rstrip(",").count(",") + 1


def _table(shown: str, rows: list[tuple[int, str]], columns: int) -> NDArray[np.int64]:
    """The numbers of all rows, which have the same columns each."""
    found = []
    for number, line in rows:
        cells = line.strip().rstrip(",").split(",")
        try:
            row = [int(cell, 0) if "x" in cell else int(cell) for cell in cells]
        except ValueError:
            refuse(shown, f"is not a row of a log of fio: {quote(line)}", line=number)
        if len(row) != columns:
            cause = f"has {len(row)} columns, where the first row has {columns}"
            refuse(shown, cause, "give the log as fio wrote it", line=number)
        if min(row) < 0 or max(row) >= 2**63:
            refuse(shown, "has a number that cannot be in a log of fio", line=number)
        found.append(row)
    return np.array(found, np.int64)


def _unit(shown: str, rows: list[tuple[int, str]], columns: int, version: int | None) -> int:
    """Return the number of ns in the unit of the latencies."""
    if columns >= LATENCY_COLUMNS_OF_3 or "0x" in rows[0][1]:
        return 1
    if version is None:
        cause = "it does not show whether its latencies are in ns (fio 3) or us (fio 2)"
        refuse(shown, cause, "say which version of fio wrote it (--format fio-2-log or fio-3-log)")
    return 1 if version >= 3 else 1000


def _check(shown: str, table: NDArray[np.int64]) -> None:
    """Refuse rows that are no I/Os."""
    _check_kinds(shown, table)
    if (table[:, 3] == 0).all():
        cause = "its rows are averages over intervals (log_avg_msec), not I/Os"
        refuse(shown, cause, "run fio without log_avg_msec, or give its histogram log")


def _check_kinds(shown: str, table: NDArray[np.int64]) -> None:
    """Refuse rows whose kind of I/O is not known, or that would not add up in 64 bits."""
    if table[:, :LEAST_COLUMNS].max() >= MOST_OF_A_ROW:
        refuse(shown, "has a number that cannot be in a log of fio")
    if not np.isin(table[:, 2], (0, 1, 2)).all():
        cause = "its third column is not always 0, 1 or 2 (read, write, trim)"
        refuse(shown, cause, "write it without log_window_value=both")


def _samples(table: NDArray[np.int64], unit: int) -> dict[str, Distribution]:
    found = {}
    for number, name in enumerate(DIRECTIONS):
        times = table[table[:, 2] == number, 1] * unit
        if len(times):
            counts = bins.counts_of(times)
            found[name] = Distribution(
                mean=float(times.mean()),
                least=float(times.min()),
                most=float(times.max()),
                deviation=float(times.std(ddof=1)) if len(times) > 1 else 0.0,
                samples=len(times),
                percentiles=bins.percentiles(counts, bins.PERCENTILES),
                bins=counts,
            )
    return found


def _histograms(shown: str, table: NDArray[np.int64]) -> dict[str, Distribution]:
    """Distributions of the counts of all rows; means are those of the middles of bins."""
    if not np.isin(table[:, 1], (0, 1, 2)).all():
        refuse(shown, "its second column is not always 0, 1 or 2 (read, write, trim)")
    there, coarseness, unit = _HISTOGRAMS[table.shape[1] - _HEAD]
    step = 1 << coarseness
    middles = [
        bins.middle_of(number) if step == 1
        else (bins.low_of(number) + bins.low_of(number + step)) // 2
        for number in range(0, there, step)
    ]  # fmt: skip
    found = {}
    for number, name in enumerate(DIRECTIONS):
        counts = table[table[:, 1] == number, _HEAD:].sum(axis=0)
        total = int(counts.sum())
        if total:
            values = np.array(middles, float) * unit
            mean = float((values * counts).sum() / total)
            by_middle = {
                middle * unit: count
                for middle, count in zip(middles, counts.tolist(), strict=True)
                if count
            }
            found[name] = Distribution(
                mean=mean,
                least=float(min(by_middle)),
                most=float(max(by_middle)),
                deviation=float(np.sqrt((counts * (values - mean) ** 2).sum() / total)),
                samples=total,
                percentiles=bins.percentiles(by_middle, bins.PERCENTILES),
                bins=by_middle,
            )
    return found
