"""Job files of fio, as :mod:`raidsim.fio.job_file` reads them."""

from __future__ import annotations

import re

from raidsim.fio.job_file import FileJob, loads_of, read_jobs
from raidsim.importing import words
from raidsim.importing.model import Fact, Found, Place, Work
from raidsim.importing.source import Source

NAME = "fio"

_SECTION = re.compile(r"\[[^\]\[{}\"]*\]\s*(?:[;#].*)?$")
_OPTION = re.compile(
    r"\s*(rw|readwrite|bs|blocksize|bssplit|ioengine|iodepth|numjobs|direct|filename|size|runtime"
    r"|rwmixread|stonewall|group_reporting|time_based|norandommap|filesize|directory)\s*(=|$)"
)
_FROM = {
    "read": ("rwmixread", "rwmixwrite", "rw"), "random": ("percentage_random", "rw"),
    "size": ("bs",), "sizes": ("bssplit", "bs"), "align": ("blockalign",),
    "area": ("size", "offset", "io_size"), "workers": ("numjobs",), "outstanding": ("iodepth",),
    "zipf": ("random_distribution",), "hot": ("random_distribution",),
    "zones": ("random_distribution",), "rate": ("rate_iops", "rate"),
    "rate_distribution": ("rate_process",), "think": ("thinktime",), "once": ("norandommap",),
    "flush_every": ("fsync", "fdatasync"), "limit": ("runtime", "io_size", "number_ios"),
    "within": ("latency_target",), "within_percentile": ("latency_percentile",),
    "partitions": ("offset_increment",), "after": ("stonewall",), "trim": ("rw",),
}  # fmt: skip
"""Options that a key of a load is of, the likeliest first."""

_SAID_BY = {"limit": ("runtime", "time_based"), "after": ("stonewall", "wait_for_previous")}
"""Options that change no I/O, and are there in a key of the load all the same."""


def recognises(source: Source) -> bool:
    """Sections in brackets, and options that only fio has together."""
    if source.is_json:
        return False
    has_section = any(_SECTION.match(line.strip()) for line in source.head)
    options = {match[1] for line in source.head if (match := _OPTION.match(line))}
    return has_section and bool(options)


def read(source: Source) -> Found:
    """Read the jobs of all groups, or of the one that is meant.

    Raises
    ------
    InputError
        It is no job file, or a job cannot be played.
    """
    wishes = source.wishes

    def capacity(job: FileJob) -> int | None:
        device = _device(job)
        return wishes.room(None if device is None else device.value)

    jobs = read_jobs(source.name)
    made = loads_of(jobs, wishes.group, capacity)
    found = Found(remarks=list(made.remarks))
    chosen = [job for job in jobs if wishes.group in (None, job.group)]
    for job, table in zip(chosen, made.tables, strict=True):
        place = Place(job.place.file, job.place.line)
        sources = {key: at for key in table if (at := _source(job, key)) is not None}
        device = _device(job)
        found.works.append(Work(table, place, sources, device))
        used = {option for key in table for option in _SAID_BY.get(key, ())}
        used |= {"filename"} if device is not None else set()
        options = [one for one in made.without_effect.get(job.name, []) if one not in used]
        if options:
            cause = f"without effect on the I/Os: {', '.join(options)}"
            found.remark(place, job.name, cause)
    return found


def _device(job: FileJob) -> Fact[str] | None:
    """The device that a job runs on, if it names one."""
    name, place = job.options.get("filename", ""), job.places.get("filename")
    if place is None or not name.startswith("/dev/"):
        return None
    return Fact(words.device(name.partition(":")[0]), Place(place.file, place.line))


def _source(job: FileJob, key: str) -> Place | None:
    """The line of the option that a key is of."""
    for option in _FROM.get(key, ()):
        if (place := job.places.get(option)) is not None:
            return Place(place.file, place.line)
    return None
