"""Whether a job of fio was run as its job file asks, option by option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raidsim.acceptance.expected import ExpectedJob
from raidsim.acceptance.jobs import COMPARED, ENTIRE
from raidsim.fio import values
from raidsim.fio.option_words import ALIASES, SYNCHRONOUS
from raidsim.fio.playing import ENGINE
from raidsim.measured.job import MeasuredJob

DEFAULTS = {
    "rw": "read",
    "bs": "4k",
    "rwmixread": "50",
    "iodepth": "1",
    "numjobs": "1",
    "size": ENTIRE,
    "offset": "0",
}
"""What fio takes where an option is left out (its HOWTO); of a device `size` is all of it."""

MIXED = ("rw", "readwrite", "randrw")
NEARLY_ENTIRE = 0.99
"""Share of the scenario's volume from which a size counts as all: disks sold as alike differ."""

NO_OPTIONS = "the result does not say with which options it was measured, so they are not compared"


def different(job: ExpectedJob, measured: MeasuredJob) -> Iterator[str]:
    """Options with which something else was measured than was asked for, in words.

    What a result leaves out is what fio takes for it. A result without any options differs in
    nothing: `NO_OPTIONS` says so.
    """
    given = {
        ALIASES.get(name.strip().lower(), name.strip().lower()): str(value).strip().lower()
        for name, value in measured.options.items()
    }
    if not given:
        return
    writes = given.get("rwmixwrite", "")
    if "rwmixread" not in given and writes.isdecimal() and len(writes) < 4:
        given["rwmixread"] = str(100 - int(writes))
    engine = given.get("ioengine", ENGINE).split(":")[0]
    for name in COMPARED:
        asked = job.options.get(name, DEFAULTS.get(name, "")).lower()
        has = given.get(name, DEFAULTS.get(name, ""))
        if name == "rwmixread" and given.get("rw", DEFAULTS["rw"]) not in MIXED:
            continue
        if name == "iodepth" and engine in {*SYNCHRONOUS, "mmap"}:
            if not _same(name, "1", asked, None):
                yield f"ioengine={engine} has one I/O at a time, and iodepth={asked} was asked for"
        elif not _same(name, has, asked, job.capacity):
            yield f"{_words(name, has, given)}, and {_wanted(name, asked)} was asked for"
    if given.get("direct", "0") in ("0", "false", "no"):
        yield "without direct=1 the host's page cache was measured"


def _same(name: str, has: str, asked: str, capacity: int | None) -> bool:
    """Whether two values of an option are the same, however they are written."""
    if has == asked:
        return True
    try:
        if name == "size" and asked == ENTIRE:
            if capacity is None or has.endswith("%"):
                return has.rstrip("%") == "100"
            return values.size(has) >= NEARLY_ENTIRE * capacity
        read: Any = values.size if name in ("bs", "size", "offset") else values.number
        return bool(read(has) == read(asked))
    except values.Unreadable:
        return False


def _words(name: str, has: str, given: Mapping[str, str]) -> str:
    """An option as the result has it."""
    if name in given or not has:
        return f"{name}={has}" if has else f"there is no {name}"
    return f"{name} is left out, for which fio takes {has}"


def _wanted(name: str, asked: str) -> str:
    if name == "size" and asked == ENTIRE:
        return f"all of the device ({name}={asked})"
    return f"{name}={asked}" if asked else f"no {name}"
