"""The formats that can be imported: one module for each, with recognition and reading.

A new format is a new module in this list, with `NAME`, `recognises` and `read`. A
file that no module recognises, or more than one, is refused; then `--format NAME` gives its format.
"""

from __future__ import annotations

from typing import Protocol

from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.importing import (
    fio_jobs,
    iometer,
    iostat,
    lsblk,
    mdadm,
    mdstat,
    megacli,
    nmon,
    nvme,
    redfish,
    refused,
    sar,
    smartctl,
    ssacli,
    storcli,
    vdbench,
)
from raidsim.importing.model import Found
from raidsim.importing.source import Source


class Format(Protocol):
    """The interface of a module of a format."""

    NAME: str
    """What `--format` calls it."""

    def recognises(self, source: Source) -> bool:
        """Return whether a file can be nothing else."""
        ...

    def read(self, source: Source) -> Found:
        """Read the source; raise an InputError if it cannot be used."""
        ...


FORMATS: tuple[Format, ...] = (
    storcli, megacli, ssacli, redfish, mdadm, mdstat, smartctl, nvme, lsblk,
    fio_jobs, vdbench, iometer, iostat, sar, nmon, refused,
)  # fmt: skip
"""In the order in which they are believed where they differ."""

DISKSIM = "disksim"
"""Parameter files of a disk, which become its card and no scenario: not among the others."""

OF_LOADS: tuple[Format, ...] = (fio_jobs, vdbench, iometer)
"""Files that describe loads, whose sizes may be shares of a volume."""


OF_STATISTICS: tuple[Format, ...] = (iostat, sar, nmon)
"""Files that tell what was done, and neither at what depth nor how much at random."""


def named(name: str) -> Format:
    """The format of a name.

    Raises
    ------
    InputError
        There is none; with all names.
    """
    for one in FORMATS:
        if name == one.NAME:
            return one
    known = [one.NAME for one in FORMATS if one is not refused] + [DISKSIM]
    remedy = suggest(name, known) or f"give one of {', '.join(known)}"
    raise InputError([Problem(None, None, "--format", f"{quote(name)} is not a format", remedy)])


def format_of(source: Source) -> Format:
    """The only format that a file can be.

    Raises
    ------
    InputError
        No format is recognised, or several are.
    """
    fitting = [one for one in FORMATS if one.recognises(source)]
    if len(fitting) == 1:
        return fitting[0]
    place = source.at(None)
    if fitting:
        names = " or ".join(one.NAME for one in fitting)
        raise place.refusal(None, f"may be {names}", "say which one with --format")
    known = ", ".join([one.NAME for one in FORMATS if one is not refused] + [DISKSIM])
    cause = "has no known format"
    others = "results and logs of measurements are for raidsim judge, traces for raidsim trace"
    raise place.refusal(None, cause, f"say which one with --format: {known}; {others}")
