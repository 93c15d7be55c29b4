"""The average activity of devices over the reports of a file of iostat, sar or nmon."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from raidsim.importing import words
from raidsim.importing.model import Activity, Place

_NO_DISK = re.compile(r"(loop|ram|zram|sr|scd|fd|dm-|md|drbd|bcache|nbd|cd)\d*|.*-part\d+$")


@dataclass
class _Sum:
    place: Place
    reads: float = 0.0
    writes: float = 0.0
    read_bytes: float = 0.0
    written_bytes: float = 0.0
    flushes: float = 0.0
    trims: float = 0.0
    reports: int = 0


@dataclass
class Averages:
    """The activity of devices in each report, summed up.

    Attributes
    ----------
    note : what the averages are over, for people.
    """

    note: str = ""
    sums: dict[str, _Sum] = field(default_factory=dict)

    def add(
        self,
        name: str,
        place: Place,
        reads: float,
        writes: float,
        read_bytes: float,
        written: float,
        flushes: float = 0.0,
        trims: float = 0.0,
    ) -> None:
        """Add a report: I/Os and bytes a second of a device; nonsense is passed over."""
        values = (reads, writes, read_bytes, written, flushes, trims)
        if not name or any(not 0 <= one < 1e15 for one in values):
            return
        one = self.sums.setdefault(words.device(name), _Sum(place))
        one.reads += reads
        one.writes += writes
        one.read_bytes += read_bytes
        one.written_bytes += written
        one.flushes += flushes
        one.trims += trims
        one.reports += 1

    def activities(self) -> list[Activity]:
        """The mean of each device."""
        made = []
        for name, one in self.sums.items():
            total = one.reads + one.writes
            made.append(Activity(
                name, one.place,
                total / max(one.reports, 1),
                one.reads / total if total > 0 else 0.0,
                one.read_bytes / one.reads if one.reads > 0 else 0.0,
                one.written_bytes / one.writes if one.writes > 0 else 0.0,
                is_whole=words.whole_device(name) == name and _NO_DISK.fullmatch(name) is None,
                note=self.note,
                flushes=one.flushes / max(one.reports, 1),
                trims=one.trims / max(one.reports, 1),
            ))  # fmt: skip
        return made


def decimal(text: object) -> float | None:
    """A number, with a comma where some languages have one."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    plain = str(text).strip().replace(",", ".")
    return float(plain) if re.fullmatch(r"-?\d{1,18}(\.\d{1,9})?", plain) else None
