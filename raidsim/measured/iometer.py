"""Results of Iometer: for each test its access specifications, and rows of what was measured.

    'Access specification name,default assignment
    Database,0
    'size,% of size,% reads,% random,delay,burst,align,reply
    8192,100,67,100,0,1,0,0
    'End access specifications
    'Results
    'Target Type,Target Name,Access Specification Name,# Managers,...
    ALL,All,Database,1,1,1,...

A file has many tests, one after the other. The row ALL has the sums of a test; of the rows below it
only the names of the targets are needed. Columns are recognised by their names: throughput is
`MBps` of 2**20 bytes (2006), then `MBps (Binary)` and `MBps (Decimal)` (2008), then
`MiBps (Binary)` (1.1.0). Response times are ms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike

from raidsim.errors import InputError, Problem, quote, refuse
from raidsim.measured.job import NOTHING, Direction, Distribution, Measured, MeasuredJob
from raidsim.measured.said import Remark, Said, Size
from raidsim.measured.text_file import lines_of, read_text
from raidsim.units import MIB, NS_PER_MS

NAME = "iometer"
WORDS = "results of Iometer (CSV)"
PROGRAM = "Iometer"
MOST_BYTES = 32 * 2**20
MOST_TESTS = 10_000
MOST_REMARKS = 20
MB = 10**6
SECTOR = 512
_ROWS = "'Target Type,Target Name,Access Specification Name"
_TEST = "'Test Type,Test Description"
_SPECIFICATION = "'Access specification name,default assignment"
_LINES = "'size,% of size,% reads,% random"
_KNOWN = ("'version", "'time stamp", "'access specifications", "'end access", "'results")
_BEHIND = {"'version": "version", "'time stamp": "time"}
_TYPES = {"ALL", "MANAGER", "WORKER", "DISK"}
_SPECIFICATION_CELLS = 8
_BIN = re.compile(r"([\d.]{1,12}) to ([\d.]{1,12}) ([um]?)s", re.IGNORECASE)
_LAST_BIN = re.compile(r">= ?[\d.]{1,12} s", re.IGNORECASE)
_NS = {"u": 1e3, "m": 1e6, "": 1e9}
_RATES = (  # the newest first: what binary megabytes are called
    ("mibps (binary)", MIB), ("mbps (binary)", MIB), ("mbps (decimal)", MB), ("mbps", MIB),
)  # fmt: skip
_REMEDY = "give the results as Iometer wrote them"
_DELAY = "pauses between bursts are not simulated"


def recognises(head: str, name: str) -> bool:
    """Return whether a text begins as results of Iometer do."""
    del name
    return any(_starts(line, _ROWS) or _starts(line, _TEST) for line in head.split("\n"))


def read(name: str | PathLike[str]) -> Measured:
    """The tests of a file of results.

    Raises
    ------
    InputError
        It cannot be read, is larger than 32 MiB, or holds no row of type ALL.
    """
    return parse(read_text(name, MOST_BYTES, "file of results of Iometer"), str(name))


def parse(text: str, name: str) -> Measured:
    """The tests in a text; `name` is what messages call it."""
    return _Reader(name).read(text)


def _starts(line: str, beginning: str) -> bool:
    return line.strip().strip('"').lower().startswith(beginning.lower())


@dataclass(frozen=True)
class _Row:
    """A row with its place; cells by the names of columns, in lower case."""

    line: int
    cells: Mapping[str, str]

    def number(self, name: str) -> float | None:
        """A cell as a number; what is ambiguous is negative there, and None here."""
        try:
            found = float(self.cells.get(name, "") or "nan")
        except ValueError:
            return None
        return found if math.isfinite(found) and 0 <= found < 1e18 else None


@dataclass
class _Test:
    """A test while it is read: its specifications, and its rows."""

    line: int
    specifications: dict[str, list[tuple[int, list[float]]]] = field(default_factory=dict)
    whole: _Row | None = None
    targets: list[str] = field(default_factory=list)
    workers: int = 0


class _Reader:
    """One file of results while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.remarks: list[Problem] = []
        self.tests: list[_Test] = []
        self.columns: list[str] = []
        self.version = ""
        self.specification: str | None = None
        self.expected = ""
        self.passed = 0

    def read(self, text: str) -> Measured:
        for number, one in lines_of(text):
            line = one.strip()
            if line:
                self._line(number, line)
        if self.passed > MOST_REMARKS:
            more = self.passed - MOST_REMARKS
            self.remarks.append(Problem(self.name, None, None, f"{more:,} more lines like these"))
        jobs: list[MeasuredJob] = []
        for test in self.tests:
            if test.whole is None:
                cause = "a test without a row ALL is left out: the file ends before it, or it was"
                self.remarks.append(
                    Problem(self.name, test.line, None, f"{cause} stopped while it was measured")
                )
            else:
                jobs.append(self._job(test, test.whole, len(jobs)))
        if not jobs:
            cause = "is empty" if not text.strip() else "holds no row of type ALL"
            raise InputError([*self.remarks, Problem(self.name, None, None, cause, _REMEDY)])
        return Measured(
            self.name,
            f"Iometer {self.version}".strip(),
            tuple(jobs),
            program=PROGRAM,
            remarks=tuple(self.remarks),
        )

    def _line(self, number: int, line: str) -> None:
        expected, self.expected = self.expected, ""
        if line.startswith(("'", "\"'")):
            self._heading(number, line.strip('"').rstrip(","))
        elif expected == "version":
            self.version = line.rstrip(", ")[:40]
        elif expected == "specification":
            name, comma, after = line.rstrip(",").rpartition(",")
            is_code = comma and after.strip().lstrip("-").isdecimal()
            self.specification = (name if is_code else line).strip()
            self._test(number).specifications.setdefault(self.specification, [])
        elif expected == "lines":
            self.expected = "lines"
            self._specification_line(number, line)
        elif expected not in ("time", "test"):
            self._row(number, line)

    def _heading(self, number: int, line: str) -> None:
        lower = line.lower()
        if lower.startswith(_ROWS.lower()):
            self.columns = [cell.strip().lower() for cell in line[1:].split(",")]
            if not self.tests or self.tests[-1].whole is not None:
                self._begin(number)
        elif lower.startswith(_TEST.lower()):
            self._begin(number)
            self.expected = "test"
        elif lower.startswith(_SPECIFICATION.lower()):
            if not self.tests or self.tests[-1].whole is not None:
                self._begin(number)
            self.expected = "specification"
        elif lower.startswith(_LINES.lower()):
            self.expected = "lines"
        elif not lower.startswith(_KNOWN):
            self._passed(number, f"is left out, because it is not known: {quote(line)}")
        for beginning, what in _BEHIND.items():
            if lower.startswith(beginning):
                self.expected = what

    def _begin(self, number: int) -> None:
        if len(self.tests) >= MOST_TESTS:
            refuse(self.name, f"holds more than {MOST_TESTS} tests")
        self.tests.append(_Test(number))
        self.specification = None

    def _test(self, number: int) -> _Test:
        if not self.tests:
            self._begin(number)
        return self.tests[-1]

    def _specification_line(self, number: int, line: str) -> None:
        cells = [cell.strip() for cell in line.rstrip(",").split(",")]
        try:
            values = [float(cell) for cell in cells]
        except ValueError:
            values = []
        right = len(values) >= _SPECIFICATION_CELLS and all(map(math.isfinite, values))
        if not right or self.specification is None or min(values[:4]) < 0:
            self._passed(number, f"is not a line of an access specification: {quote(line)}")
            return
        self._test(number).specifications[self.specification].append((number, values))

    def _row(self, number: int, line: str) -> None:
        cells = line.strip('"').split(",")
        kind = cells[0].strip().upper()
        if kind not in _TYPES or not self.columns:
            self._passed(number, f"is left out, because it is not a row of results: {quote(line)}")
            return
        if kind == "DISK":
            self._test(number).targets.append(cells[1].strip() if len(cells) > 1 else "")
        elif kind == "WORKER":
            self._test(number).workers += 1
        elif kind == "ALL":
            self._whole(number, cells)

    def _whole(self, number: int, cells: list[str]) -> None:
        """The row with the sums; commas in the name of a specification make it longer."""
        columns = self.columns
        while len(cells) > len(columns) and not cells[-1].strip():
            cells.pop()
        extra = len(cells) - len(columns)
        if extra > 0:
            cells = [*cells[:2], ",".join(cells[2 : 3 + extra]), *cells[3 + extra :]]
        if len(cells) < len(columns):
            cause = f"is cut off: {len(cells)} cells, where {len(columns)} have names"
            self._passed(number, cause)
            return
        test = self._test(number)
        if test.whole is not None:
            self._begin(number)
            self.tests[-1].specifications = test.specifications
            test = self.tests[-1]
        values = (cell.strip() for cell in cells)
        test.whole = _Row(number, dict(zip(columns, values, strict=True)))

    def _passed(self, number: int, cause: str) -> None:
        self.passed += 1
        if self.passed <= MOST_REMARKS:
            self.remarks.append(Problem(self.name, number, None, cause))

    def _job(self, test: _Test, row: _Row, group: int) -> MeasuredJob:
        name = row.cells.get("access specification name", "") or f"test {group + 1}"
        lines = [values for _, values in test.specifications.get(name, [])]
        depth, disks = row.number("queue depth"), row.number("# disks")
        shown = _described(lines)
        if depth:
            shown["outstanding"] = f"{depth:.0f}"
        if disks and disks > 1:
            shown["targets"] = f"{disks:.0f}"
        errors = row.number("errors") or 0
        notes = (f"{errors:,.0f} I/Os ended in errors",) if errors else ()
        return MeasuredJob(
            name,
            group,
            0,
            shown,
            _directions(row),
            said=_said(test, row, name, lines),
            together=_together(row),
            remarks=notes,
        )


def _described(lines: Sequence[Sequence[float]]) -> dict[str, str]:
    """An access specification for the heading; of a mix only how many sizes it has."""
    if not lines:
        return {}
    if len(lines) > 1:
        return {"lines": str(len(lines))}
    size, _, reads, random = lines[0][:4]
    return {"size": f"{size:.0f}", "reads": f"{reads:g} %", "random": f"{random:g} %"}


def _directions(row: _Row) -> dict[str, Direction]:
    """Reads and writes of a test."""
    names = (("read", "read", "bytes read"), ("write", "write", "bytes written"))
    found = {"trim": NOTHING}
    for name, word, moved in names:
        ios, iops = row.number(f"{word} i/os"), row.number(f"{word} iops") or 0.0
        rate = next(
            (value * unit for column, unit in _RATES
             if (value := row.number(f"{word} {column}")) is not None),
            0.0,
        )  # fmt: skip
        mean = row.number(f"average {word} response time")
        most = row.number(f"maximum {word} response time")
        latencies = {}
        if mean is not None and iops > 0:
            latencies["lat"] = Distribution(
                mean * NS_PER_MS,
                most=None if most is None else most * NS_PER_MS,
                samples=None if ios is None else int(ios),
            )
        size = row.number(moved)
        found[name] = Direction(
            None if ios is None else int(ios),
            None if size is None else int(size),
            iops,
            rate,
            ios / iops if ios and iops else None,
            latencies,
        )
    alone = [name for name, _, _ in names if found[name].iops > 0]
    within = _within(row)
    if within and len(alone) == 1 and found[alone[0]].latencies:  # all of the I/Os are of a kind
        one = found[alone[0]]
        latency = one.latencies["lat"]
        bins = Distribution(latency.mean, most=latency.most, samples=within[0], within=within[1])
        found[alone[0]] = Direction(
            one.ios, one.bytes, one.iops, one.bytes_per_s, one.seconds, {"lat": bins}
        )
    return found


def _together(row: _Row) -> dict[str, Distribution]:
    """Return the bins, which are known of reads and writes together only."""
    within = _within(row)
    both = all((row.number(f"{word} iops") or 0.0) > 0 for word in ("read", "write"))
    apart = row.number("average read response time") is not None
    if not both or (within is None and apart):
        return {}
    mean = None if apart else row.number("average response time")
    most = None if apart else row.number("maximum response time")
    return {
        "lat": Distribution(
            None if mean is None else mean * NS_PER_MS,
            most=None if most is None else most * NS_PER_MS,
            samples=within[0] if within else None,
            within=within[1] if within else {},
        )
    }


def _within(row: _Row) -> tuple[int, dict[float, float]] | None:
    """Return the I/Os in the bins, and shares by the end of each bin in ns; None without bins."""
    bins: list[tuple[float, float]] = []
    total = 0.0
    for name in row.cells:
        match = _BIN.fullmatch(name)
        count = row.number(name)
        if match and count is not None:
            bins.append((float(match[2]) * _NS[match[3].lower()], count))
        if count is not None and (match or _LAST_BIN.fullmatch(name)):
            total += count
    if not bins or not total:
        return None
    done, found = 0.0, {}
    for end, count in sorted(bins):
        done += count
        found[end] = done / total
    return int(total), found


def _said(test: _Test, row: _Row, name: str, lines: Sequence[Sequence[float]]) -> Said:
    """The load of a test."""
    why: dict[str, str] = {}
    remarks: list[Remark] = []
    refused: list[Remark] = []
    total = math.fsum(one[1] for one in lines)
    if not lines:
        why["sizes"] = why["random"] = why["read"] = (
            f"the access specification {quote(name)} is not in the file"
            if row.cells.get("access specification name")
            else "workers had access specifications of their own"
        )
    elif abs(total - 100) > 1:
        meaning = f"its lines add up to {total:g} %"
        refused.append(Remark("access specification", meaning))
    kept = [one for one in lines if one[1] > 0]
    if any(one[0] < SECTOR or one[0] % SECTOR for one in kept):
        refused.append(Remark("size", "is not a multiple of 512 bytes"))
    if any(one[4] > 0 for one in kept):
        refused.append(Remark("delay", _DELAY))
    if any(one[7] > 0 for one in kept):
        remarks.append(Remark("reply", "replies are for networks: not simulated"))
    aligns = {int(one[6]) or 1 for one in kept}
    sizes = tuple(
        Size(int(one[0]), one[1] / total, one[2] / 100, one[3] / 100) for one in kept if total
    )
    assumed: list[str] = []
    outstanding, workers = _outstanding(test, row, why, assumed)
    offset = (row.number("starting sector") or 0.0) * SECTOR
    extent = (row.number("maximum size") or 0.0) * SECTOR
    moved = [row.number(column) for column in ("bytes read", "bytes written")]
    counts = [row.number(column) for column in ("read i/os", "write i/os")]
    ios = sum(one or 0.0 for one in counts)
    reads = row.number("read iops") or 0.0
    all_ios = row.number("iops") or 0.0
    return Said(
        read=math.fsum(one.share * (one.read or 0.0) for one in sizes) if sizes
        else (reads / all_ios if all_ios else None),
        random=math.fsum(one.share * (one.random or 0.0) for one in sizes) if sizes else None,
        sizes=sizes,
        mean_size=sum(one or 0.0 for one in moved) / ios if ios else None,
        outstanding=outstanding,
        workers=workers,
        align=None if not aligns else math.gcd(*aligns) if 1 not in aligns else 1,
        offset=int(offset),
        extent=int(extent) or None,
        why=why,
        assumed=tuple(assumed),
        remarks=tuple(remarks),
        refused=tuple(refused),
    )  # fmt: skip


def _outstanding(
    test: _Test, row: _Row, why: dict[str, str], assumed: list[str]
) -> tuple[int | None, int]:
    """I/Os outstanding of each worker on its target, and how many workers there were."""
    depth, disks = row.number("queue depth"), int(row.number("# disks") or 1)
    workers, managers = row.number("# workers") or 1, row.number("# managers") or 1
    names = sorted(set(test.targets))
    each = f"{depth or 0:g} I/Os were outstanding on each"
    if len(names) > 1:
        shown = ", ".join(names[:4]) + (" ..." if len(names) > 4 else "")
        measured = f"{len(names)} targets were measured at the same time ({shown[:100]})"
        why["outstanding"] = f"{measured}, of which the volume is one, or all: {each}"
        return None, 1
    if not names and disks > workers:
        measured = f"{workers:g} workers had {disks} targets, whose names are not in the file"
        why["outstanding"] = f"{measured}: {each}"
        return None, 1
    if not depth or depth % 1:
        why["outstanding"] = "the number of outstanding I/Os is not in the file, or differed"
        return None, max(disks, 1)
    if managers > 1 or (not names and disks > 1):
        count = f"{managers:g} managers" if managers > 1 else f"{disks} workers"
        assumed.append(f"all {count} were on this volume: the file does not say it")
    return int(depth), max(disks, 1)
