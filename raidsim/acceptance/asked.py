"""Whether a job of fio was run as its job file asks, option by option."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from raidsim.acceptance.expected import Expected, ExpectedJob
from raidsim.acceptance.jobs import COMPARED, COMPARED_FIRST, ENTIRE
from raidsim.fio import values
from raidsim.fio.option_words import ALIASES, SYNCHRONOUS
from raidsim.fio.playing import ENGINE
from raidsim.measured.job import MeasuredJob

NEVER_ASKED = {
    "filesize": "",
    "bsrange": "",
    "bs_unaligned": "0",
    "random_generator": "tausworthe",
    "rate": "0",
    "thinktime_blocks": "1",
    "iodepth_batch_submit": "1",
    "iodepth_batch_complete_min": "1",
    "iodepth_low": "",
    "io_submit_mode": "inline",
    "serialize_overlap": "0",
    "latency_target": "0",
    "flow": "0",
    "fdatasync": "0",
    "zero_buffers": "0",
    "buffer_pattern": "",
    "buffer_compress_percentage": "0",
    "dedupe_percentage": "0",
    "scramble_buffers": "1",
    "verify": "0",
    "zonemode": "none",
    "zonesize": "0",
    "zoneskip": "0",
    "read_iolog": "",
}
"""Options that no job file has and that change what drives see, with what fio takes for them."""

DEFAULTS = {
    "rw": "read",
    "bs": "4k",
    "rwmixread": "50",
    "iodepth": "1",
    "numjobs": "1",
    "size": ENTIRE,
    "offset": "0",
    "percentage_random": "100",
    "random_distribution": "random",
    "offset_increment": "0",
    "rate_process": "linear",
    "thinktime": "0",
    "fsync": "0",
    "sync": "none",
    "number_ios": "0",
    **NEVER_ASKED,
}
"""What fio takes where an option is left out (its HOWTO); of a device `size` is all of it."""

MIXED = ("rw", "readwrite", "randrw")
NEARLY_ENTIRE = 0.99
"""Share of the scenario's volume from which a size counts as all: disks sold as alike differ."""

NO_OPTIONS = "the result does not say with which options it was measured, so they are not compared"

_NAMES = ALIASES | {
    "iodepth_batch": "iodepth_batch_submit",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
}
_OF_RANDOM = {"percentage_random", "random_distribution", "random_generator", "blockalign"}
_OF_WRITES = {
    "fsync", "fdatasync", "sync", "zero_buffers", "buffer_pattern", "buffer_compress_percentage",
    "dedupe_percentage", "scramble_buffers", "verify",
}  # fmt: skip
_OF_DEPTH = {"iodepth_batch_submit", "iodepth_batch_complete_min", "iodepth_low"}
_AS_ANOTHER = {"blockalign", "iodepth_low"}
"""Options that are as another one where they are left out."""
_BY_DIRECTION = {"bs", "blockalign", "percentage_random"}
_PARTS = ("size", "filesize", "io_size")
_SAME_WORDS = {
    "rw": {"readwrite": "rw"},
    "sync": {"0": "none", "1": "dsync", "sync": "dsync", "2": "dsync"},  # a device has no metadata
    "random_generator": {"tausworthe64": "tausworthe"},
    "iodepth_batch_complete_min": {"0": "1"},
    "io_size": {"0": ""},
    "filesize": {"0": ""},
    "verify": {"none": "0"},
    "zonemode": {"0": "none"},
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def not_told(expected: Expected) -> Iterator[str]:
    """Yield in words what a file of expectations of an earlier version leaves out."""
    if any(not job.complete for job in expected.jobs):
        names = ", ".join(name for name in COMPARED if name not in COMPARED_FIRST)
        yield (
            "the expectations are of an earlier version, which did not keep all options of its"
            f" jobs: {names} are not compared (write them anew with raidsim accept)"
        )


def different(job: ExpectedJob, measured: MeasuredJob) -> Iterator[str]:
    """Options with which something else was measured than was asked for, in words.

    What a result leaves out is what fio takes for it. A result without any options differs in
    nothing: `NO_OPTIONS` says so.
    """
    given = {
        _NAMES.get(name.strip().lower(), name.strip().lower()): str(value).strip().lower()
        for name, value in measured.options.items()
    }
    if not given:
        return
    writes = given.get("rwmixwrite", "")
    if "rwmixread" not in given and writes.isdecimal() and len(writes) < 4:
        given["rwmixread"] = str(100 - int(writes))
    engine = given.get("ioengine", ENGINE).split(":")[0]
    for name in (*(COMPARED if job.complete else COMPARED_FIRST), *NEVER_ASKED):
        if _has_no_effect(name, job, given):
            continue
        asked = job.options.get(name, _default(name, job.options)).lower()
        has = given.get(name, _default(name, given))
        if name == "iodepth" and engine in {*SYNCHRONOUS, "mmap"}:
            if not _same(name, "1", asked, job):
                yield f"ioengine={engine} has one I/O at a time, and iodepth={asked} was asked for"
        elif not _same(name, has, asked, job):
            yield f"{_words(name, has, given)}, and {_wanted(name, asked, job)} was asked for"
    if given.get("direct", "0") in ("0", "false", "no"):
        yield "without direct=1 the host's page cache was measured"


def _default(name: str, options: Mapping[str, str]) -> str:
    """Return the value that fio takes for an option that a job leaves out."""
    if name == "blockalign":
        return options.get("bs", DEFAULTS["bs"]).lower()
    if name == "iodepth_low":
        return options.get("iodepth", DEFAULTS["iodepth"])
    return DEFAULTS.get(name, "")


def _has_no_effect(name: str, job: ExpectedJob, given: Mapping[str, str]) -> bool:
    """Return whether an option changes nothing in a job that does what this one is to do."""
    asked = job.options
    if name in _AS_ANOTHER and name not in asked and name not in given:
        return True
    does = asked.get("rw", DEFAULTS["rw"])
    if name == "rwmixread":
        return given.get("rw", DEFAULTS["rw"]) not in MIXED
    if name in _OF_RANDOM and not does.startswith("rand"):
        return True
    if name in _OF_WRITES and does in ("read", "randread"):
        return True
    if name in _OF_DEPTH and asked.get("iodepth", "1") == "1":
        return True
    if name == "rate_process":
        return name not in asked and not {"rate_iops", "rate"} & set(given)
    if name == "thinktime_blocks":
        return "thinktime" not in given
    if name == "offset_increment":
        return asked.get("numjobs", "1") == "1"
    if name == "scramble_buffers":
        return given.get("refill_buffers", "0") not in ("0", "false", "no")
    return False


def _same(name: str, has: str, asked: str, job: ExpectedJob) -> bool:
    """Return whether two values of an option are the same, however they are written."""
    words = _SAME_WORDS.get(name, {})
    has, asked = words.get(has, has), words.get(asked, asked)
    if has == asked:
        return True
    try:
        if name in _PARTS and (asked == ENTIRE or (name != "size" and not asked)):
            return _is_all(name, has, job)
        if name in _BY_DIRECTION:
            return _halves(name, has, job) == _halves(name, asked, job)
        read = _READERS.get(name, values.number)
        return bool(read(has) == read(asked))
    except values.Unreadable:
        return False


def _is_all(name: str, has: str, job: ExpectedJob) -> bool:
    """Return whether a size takes nothing away from the part of the device that was asked for."""
    if has.endswith("%"):
        share = values.number(has.rstrip("%"))
        return share == 100 or (name == "io_size" and share > 100)
    asked = job.options.get("size", ENTIRE).lower()
    least = values.size(has.split("-", maxsplit=1)[0])
    if asked != ENTIRE:
        return least >= values.size(asked)
    return job.capacity is not None and least >= NEARLY_ENTIRE * job.capacity


def _halves(name: str, text: str, job: ExpectedJob) -> list[int]:
    """An option of reads and of writes, of those that the job has; one value is for both."""
    parts = [part.strip() for part in text.split(",")]
    default = _default(name, job.options)
    read, write = (parts * 2)[:2] if len(parts) == 1 else (one or default for one in parts[:2])
    does = job.options.get("rw", DEFAULTS["rw"]).removeprefix("rand")
    used = {"read": [read], "write": [write]}.get(does, [read, write])
    return [values.size(part) for part in used]


def _numbers(text: str) -> str:
    """A text whose numbers are all written alike: ``zipf:1.20`` as ``zipf:1.2``."""
    return _NUMBER.sub(lambda found: f"{float(found[0]):g}", text)


_READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("size", "offset", "offset_increment", "io_size", "rate"), values.size),
    **dict.fromkeys(("zonesize", "zoneskip"), values.size),
    **dict.fromkeys(("thinktime", "latency_target"), lambda text: values.seconds(text, 1e-6)),
    **dict.fromkeys(
        ("zero_buffers", "scramble_buffers", "serialize_overlap", "bs_unaligned"), values.flag
    ),
    **dict.fromkeys(("random_distribution", "bssplit", "rate_iops"), _numbers),
}
"""What a value means, of options that are no plain numbers."""


def _words(name: str, has: str, given: Mapping[str, str]) -> str:
    """An option as the result has it."""
    if name in given or not has:
        return f"{name}={has}" if has else f"there is no {name}"
    return f"{name} is left out, for which fio takes {has}"


def _wanted(name: str, asked: str, job: ExpectedJob) -> str:
    """An option as it should be."""
    if name == "filesize":
        name, asked = "size", job.options.get("size", ENTIRE)
    if name == "size" and asked == ENTIRE:
        return f"all of the device ({name}={asked})"
    return f"{name}={asked}" if asked else f"no {name}"
