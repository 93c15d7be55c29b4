"""Results of fio in JSON, of fio 2 and 3, as :class:`~raidsim.measured.job.Measured`.

The keys tell the units: ``clat_ns`` is in ns and ``clat`` in us; where ``io_kbytes`` stands beside
``io_bytes``, that is in bytes, else in KiB. `bw` is KiB/s and `runtime` ms in all versions.
Options that all jobs have stand in ``global options`` only. Text before the JSON (fio's warnings,
where standard output was kept) and behind it is passed over, and listed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import groupby
from os import PathLike
from typing import Any, NoReturn

from raidsim.errors import InputError, Problem, quote, refuse
from raidsim.fio import bins as histogram
from raidsim.measured.job import (
    DIRECTIONS,
    LATENCIES,
    Direction,
    Distribution,
    Measured,
    MeasuredJob,
    add_jobs,
)
from raidsim.measured.text_file import read_text
from raidsim.units import KIB

MOST_BYTES = 128 * 2**20
MOST_JOBS = 10_000
MOST_PROBLEMS = 20
ALL_CLIENTS = "All clients"
_NOT_FIO = "give what fio --output-format=json (or json+) wrote"
_NS_PER_US = 1000
_MS_PER_S = 1000
_MOST = 1e30  # no figure of fio is larger


def read_result(name: str | PathLike[str]) -> Measured:
    """Read what fio wrote with ``--output-format=json`` or ``json+``.

    Raises
    ------
    InputError
        There is no such file, it is larger than 128 MiB, cut off, or no result of fio: every
        reason, with the key that it is about.
    """
    return parse_result(read_text(name, MOST_BYTES, "result of fio"), str(name))


def parse_result(text: str, name: str) -> Measured:
    """Read the text of a result; `name` is what messages call it."""
    data, remarks = _json(text, name)
    return _Reader(name, remarks).read(data)


def _json(text: str, name: str) -> tuple[dict[str, Any], list[Problem]]:
    """Return the JSON object in a text, and remarks on the lines before and after it."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.lstrip().startswith("{")), None)
    if first is None:
        cause = "is empty" if not text.strip() else "holds no JSON"
        refuse(name, cause, _NOT_FIO)
    remarks = [
        Problem(name, number + 1, None, f"is left out, because it is not JSON: {quote(line)}")
        for number, line in enumerate(lines[:first])
        if line.strip()
    ]
    body = "\n".join(lines[first:])
    start = len(body) - len(body.lstrip())
    try:
        data, end = json.JSONDecoder(parse_constant=_no_number).raw_decode(body, start)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(body.rstrip()) - 1 or error.msg.startswith("Unterminated")
        cause = "the JSON is cut off here" if cut else f"is not JSON: {error.msg.lower()}"
        refuse(name, cause, "give the file as fio wrote it", line=first + error.lineno)
    except (ValueError, RecursionError):
        refuse(name, "is not JSON that fio writes", _NOT_FIO)
    line = first + body.count("\n", 0, end)
    after = [
        (line + 1 + number, one) for number, one in enumerate(body[end:].split("\n")) if one.strip()
    ]
    if second := next((number for number, one in after if one.lstrip().startswith("{")), None):
        cause = "a second result begins here, and nothing tells which jobs ran at the same time"
        refuse(name, cause, "give each result of fio in a file of its own", line=second)
    remarks += [
        Problem(name, number, None, f"is left out, because it comes after the JSON: {quote(one)}")
        for number, one in after
    ]
    if not isinstance(data, dict):
        refuse(name, "holds no result of fio", _NOT_FIO)
    return data, remarks


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"JSON knows no {word}")


class _Reader:
    """One file while it is read, with what was found wrong so far."""

    def __init__(self, name: str, remarks: list[Problem]) -> None:
        self.name = name
        self.remarks = remarks
        self.problems: list[Problem] = []

    def read(self, data: dict[str, Any]) -> Measured:
        key = "client_stats" if "client_stats" in data else "jobs"
        records = data.get(key)
        version = data.get("fio version")
        if not isinstance(records, list) or not isinstance(version, str):
            refuse(self.name, "holds no result of fio", _NOT_FIO)
        if len(records) > MOST_JOBS:
            refuse(self.name, f"holds more than {MOST_JOBS} jobs", key=key)
        shared = self._options(data.get("global options"), "global options")
        jobs = [
            self._job(record, f"{key}[{number}]", shared)
            for number, record in enumerate(records)
            if not self._is_sum(record, f"{key}[{number}]")
        ]
        if self.problems:
            raise InputError(self.problems[:MOST_PROBLEMS])
        if not jobs:
            refuse(self.name, "holds no job", _NOT_FIO, key=key)
        return Measured(
            self.name,
            version,
            tuple(self._added(jobs)),
            is_simulated="raidsim" in data,
            remarks=tuple(self.remarks),
        )

    def _is_sum(self, record: Any, where: str) -> bool:
        """Return whether it is the sum of all clients, whose parts stand beside it."""
        is_sum = isinstance(record, dict) and record.get("jobname") == ALL_CLIENTS
        if is_sum:
            cause = 'the sum of "All clients" is left out: its clients are read one by one'
            self.remarks.append(Problem(self.name, None, where, cause))
        return is_sum

    def _added(self, jobs: list[MeasuredJob]) -> list[MeasuredJob]:
        """Processes of one job, which stand one behind the other, as one."""
        found = []
        for _, same in groupby(jobs, lambda job: (job.name, job.group, job.host, job.options)):
            job, lost = add_jobs(list(same))
            found.append(job)
            if lost:
                self.remarks.append(Problem(self.name, None, job.name, lost))
        return found

    def _job(self, record: Any, where: str, shared: Mapping[str, str]) -> MeasuredJob:
        if not isinstance(record, dict):
            self._problem(where, "is not an object")
            record = {}
        options = dict(shared) | self._options(record.get("job options"), f"{where}.job options")
        host = record.get("hostname")
        grouped = options.get("group_reporting", "0").strip().lower() not in ("0", "false", "no")
        return MeasuredJob(
            name=str(record.get("jobname", "")),
            group=int(self._number(record, "groupid", where) or 0),
            error=int(self._number(record, "error", where) or 0),
            options=options,
            directions={
                name: self._direction(record.get(name), f"{where}.{name}") for name in DIRECTIONS
            },
            host=host if isinstance(host, str) else None,
            grouped=grouped,
        )

    def _options(self, given: Any, where: str) -> dict[str, str]:
        """Options by name; what clients sent is a list of one object."""
        if isinstance(given, list) and len(given) == 1:
            given = given[0]
        if given is None:
            return {}
        if not isinstance(given, dict):
            self._problem(where, "is not an object")
            return {}
        for name, value in given.items():
            if isinstance(value, dict | list):
                self._problem(f"{where}.{name}", "is not a value of an option")
        return {name: "1" if value is None else str(value) for name, value in given.items()}

    def _direction(self, given: Any, where: str) -> Direction:
        if given is None:  # fio leaves out what it did not do, if asked to (unified_rw_reporting)
            return Direction(0, 0, 0.0, 0.0, 0.0)
        if not isinstance(given, dict):
            self._problem(where, "is not an object")
            return Direction(0, 0, 0.0, 0.0, 0.0)
        unit = 1 if "io_kbytes" in given else KIB
        rate = self._number(given, "bw_bytes", where)
        if rate is None:
            rate = KIB * (self._number(given, "bw", where) or 0.0)
        ios = self._number(given, "total_ios", where)
        return Direction(
            ios=None if ios is None else int(ios),
            bytes=int((self._number(given, "io_bytes", where) or 0) * unit),
            iops=self._number(given, "iops", where) or 0.0,
            bytes_per_s=rate,
            seconds=(self._number(given, "runtime", where) or 0.0) / _MS_PER_S,
            latencies=self._latencies(given, where),
        )

    def _latencies(self, given: Mapping[str, Any], where: str) -> dict[str, Distribution]:
        found = {}
        for name in LATENCIES:
            for key, unit in ((f"{name}_ns", 1), (name, _NS_PER_US)):
                if key in given:
                    one = self._distribution(given[key], unit, f"{where}.{key}")
                    if one is not None:
                        found[name] = one
                    break
        return found

    def _distribution(self, given: Any, unit: int, where: str) -> Distribution | None:
        """Latencies in ns; None if there is none: fio writes zeros for what it did not measure."""
        if not isinstance(given, dict):
            self._problem(where, "is not an object")
            return None
        figures = {
            key: self._number(given, key, where) for key in ("min", "max", "mean", "stddev", "N")
        }
        counts = self._bins(given.get("bins"), f"{where}.bins", unit)
        if not figures["N"] and not figures["max"]:
            return None
        least, most, mean, deviation = (
            None if (figure := figures[key]) is None else figure * unit
            for key in ("min", "max", "mean", "stddev")
        )
        samples = figures["N"]
        return Distribution(
            mean,
            least,
            most,
            deviation,
            None if samples is None else int(samples),
            self._percentiles(given.get("percentile"), unit, f"{where}.percentile"),
            counts,
        )

    def _percentiles(self, given: Any, unit: int, where: str) -> dict[float, float]:
        found = {}
        for percent, value in self._pairs(given, where):
            if 0 < percent <= 100:  # fio 2 fills up its list with zeros
                found[percent] = value * unit
        return dict(sorted(found.items()))

    def _bins(self, given: Any, where: str, unit: int) -> dict[int, int] | None:
        if given is None:
            return None
        found = {int(middle * unit): int(count) for middle, count in self._pairs(given, where)}
        return dict(sorted((middle, count) for middle, count in found.items() if count > 0))

    def _pairs(self, given: Any, where: str) -> list[tuple[float, float]]:
        """Numbers by numbers; keys of JSON are texts."""
        if given is None:
            return []
        if not isinstance(given, dict) or len(given) > histogram.BINS_NS:
            self._problem(where, "is not a table of numbers")
            return []
        found = []
        for key, value in given.items():
            both = _number_of(key), _number_of(value)
            if both[0] is None or both[1] is None:
                self._problem(f"{where}.{key[:40]}", f"{quote(value)} is not a number")
            else:
                found.append((both[0], both[1]))
        return found

    def _number(self, given: Mapping[str, Any], key: str, where: str) -> float | None:
        """A number that is not negative; texts that are numbers count."""
        if key not in given:
            return None
        number = _number_of(given[key])
        if number is None:
            self._problem(f"{where}.{key}", f"{quote(given[key])} is not a number that fio writes")
        return number

    def _problem(self, key: str, cause: str) -> None:
        self.problems.append(Problem(self.name, None, key, cause))


def _number_of(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number < _MOST else None
