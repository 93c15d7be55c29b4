# ruff: noqa: E501
"""Ranges for a fit that are narrower than those of all parts, if the class of a drive is known.

:mod:`raidsim.cards.fit_ranges` has the ranges of parts of any maker and year. If the class is
known, ``raidsim card new`` writes these narrower ranges into a card. The class is the interface of
a solid state drive, or the speed of a disk.
"""

from __future__ import annotations

from raidsim import units
from raidsim.cards import channel_classes
from raidsim.cards.attributes import KINDS
from raidsim.cards.card import Card
from raidsim.cards.fit_ranges import FIT_RANGES, FitRange

# fmt: off
_NVME = {
    "command.latency":               FitRange("1 us", "40 us", "NVMe: a doorbell, a fetch and an interrupt over PCIe, and what the drive does for a command beside"),
    "front_end.command_time":        FitRange("0.2 us", "10 us", "NVMe: 100,000 to 5 million commands a second"),
    "front_end.read_time":           FitRange("0.01 us", "5 us", "NVMe: a look into the map and a command to the flash must keep pace with the commands"),
    "front_end.write_time":          FitRange("0.1 us", "10 us", "NVMe: updating the map must keep pace with the commands"),
    "front_end.move_time":           FitRange("0.01 us", "10 us", "NVMe: choosing a unit to be moved and updating the map must not hold the commands up"),
    "data_path.read_time_per_byte":  FitRange("0.05 us/KiB", "1 us/KiB", "NVMe: 1 GB/s to 20 GB/s, PCIe 2.0 x2 to 5.0 x4 with room"),
    "data_path.write_time_per_byte": FitRange("0.025 us/KiB", "2 us/KiB", "NVMe: 0.5 GB/s to 40 GB/s, of which a write takes two passes: PCIe 5.0 x4 with room"),
}
_SERIAL = {
    "command.latency":               FitRange("5 us", "120 us", "SATA and SAS: frames both ways, and a host bus adapter in between"),
    "front_end.command_time":        FitRange("1 us", "50 us", "SATA and SAS: 20,000 to 1 million commands a second"),
    "data_path.read_time_per_byte":  FitRange("0.2 us/KiB", "5 us/KiB", "SATA and SAS: 200 MB/s to 5 GB/s"),
    "data_path.write_time_per_byte": FitRange("0.2 us/KiB", "5 us/KiB", "SATA and SAS: 200 MB/s to 5 GB/s"),
}
_NEAR_LINE = {
    "seek.read_average":  FitRange("6 ms", "12 ms", "3.5 inch at 5400 to 7200 rpm"),
    "seek.write_average": FitRange("6 ms", "13 ms", "3.5 inch at 5400 to 7200 rpm"),
    "seek.read_full":     FitRange("12 ms", "25 ms", "3.5 inch at 5400 to 7200 rpm: twice the average"),
    "seek.write_full":    FitRange("12 ms", "26 ms", "3.5 inch at 5400 to 7200 rpm: twice the average"),
    "queue.window":       FitRange("16", "128", "a disk sorts what it has taken: SATA queues 32, SAS up to 128"),
    "queue.choose_time":  FitRange("0.25 ms", "0.8 ms", "0.46 ms as measured of a SAS disk of 7,200 rpm"),
}
_FAST = {
    "seek.read_average":  FitRange("2.3 ms", "6 ms", "10k and 15k rpm"),
    "seek.write_average": FitRange("2.5 ms", "7 ms", "10k and 15k rpm"),
    "seek.read_full":     FitRange("4.5 ms", "14 ms", "10k and 15k rpm: twice the average"),
    "seek.write_full":    FitRange("5 ms", "15 ms", "10k and 15k rpm: twice the average"),
    "queue.window":       FitRange("16", "128", "a disk sorts what it has taken: SAS queues up to 128"),
    "queue.choose_time":  FitRange("0.1 ms", "0.5 ms", "disks of 10k and 15k rpm; manuals print up to 0.4 ms from a command to its seek"),
}
_CONTROLLER = {
    "command.time":           FitRange("0.1 us", "200 us", "10 million commands a second of the hardware queues of today to 5,000 of firmware"),
    "command.device_io_time": FitRange("0.05 us", "100 us", "hardware of today, which starts most commands without firmware, to 10,000 a second of an early chip"),
}
BUFFER = FitRange("1 MiB", "1024 MiB", "room for several program units of each die")
DIE_COUNT = FitRange("1", "128", "as many as the capacity needs; raidsim card fit counts them")
# fmt: on

_SHARED_OUT = (
    "front_end.command_time",
    "front_end.read_time",
    "front_end.write_time",
    "front_end.move_time",
)
"""What each core of the front end takes: ranges are those of one core, or of all cores together."""

FAST = 8000 / 60
"""Revolutions per second from which on a disk is a fast one."""

DIES = ((2011, 8), (2015, 16), (2017, 32), (2022, 64), (9999, 128))
"""Up to which year of launch a die usually has so many GiB."""

TWO_BITS_SINCE = 2016
"""From which year on dies have three bits a cell as a rule, and those with two hold half as much:
as Samsung's dies of 64 layers, 512 and 256 Gbit."""

FOUR_BITS = 128
"""GiB of a die with four bits a cell: 1 Tbit since the first ones, of 2018 with 64 layers (Intel and
Micron), up to those of 144 and 176 layers. So a small drive has few dies."""

DIE_WHY = (
    "usual of drives of {year}: 8 GiB up to 2011, 16 to 2015, 32 to 2017, 64 to 2022, then 128;"
    " from 2016 on half of it with two bits a cell, and 128 with four"
)


_COUNTED = {"buffer.size": BUFFER, "flash.dies_per_channel": DIE_COUNT}


_ASYNCHRONOUS = "ONFI: 2400 MT/s down to 33 MB/s of asynchronous flash"
_EARLIER = {channel_classes.READ: _ASYNCHRONOUS, channel_classes.WRITE: _ASYNCHRONOUS}
"""Reasons of ranges that fits had before, as cards that were written then still say."""


def is_for_fits(name: str, because: str) -> bool:
    """Return whether this reason of a range is that a fit may search there, and no other.

    Such a range holds what parts of any maker and year have, and says nothing of one drive. Those
    of this module are of a class, and do. Beside a channel that writes as fast as those of its year
    read, the class is the reason of the value: a fit looks for slower ones (``new_flash.py``).
    """
    if name == channel_classes.WRITE and channel_classes.class_with(because) is not None:
        return True
    tables = (*FIT_RANGES.values(), _COUNTED)
    reasons = [table[name].why for table in tables if name in table]
    return because.startswith((*reasons, *([_EARLIER[name]] if name in _EARLIER else [])))


def is_of_all_seeks(name: str, because: str) -> bool:
    """Return whether a range is that of the seeks of all disks of a class, as a fit looks there.

    It says nothing more of a disk whose sheet prints its own average seek.
    """
    return any(name in table and because.startswith(table[name].why)
               for table in (_NEAR_LINE, _FAST) if name.startswith("seek."))  # fmt: skip


def narrow_ranges(like: Card, rpm: int | None = None) -> dict[str, FitRange]:
    """Return the ranges of a fit, by value, for a card that was made from another one.

    ``rpm`` is the speed of a disk, if its base turns at another one: seeks are of a class of speed.
    """
    found = dict(FIT_RANGES[like.kind])
    if like.has("flash.channels"):
        own = _NVME if like.word("link.interface") in ("nvme", "pcie") else _SERIAL
        if (cores := like.integer("front_end.cores")) > 1:
            own = own | {name: _of_cores(own.get(name, found[name]), cores) for name in _SHARED_OUT}
    elif like.has("spindle.speed"):
        speed = like.number("spindle.speed") if rpm is None else rpm / 60
        own = _FAST if speed >= FAST else _NEAR_LINE
    else:
        own = _CONTROLLER if like.kind == "controller" else {}
    return found | own


def _of_cores(one: FitRange, cores: int) -> FitRange:
    """Return the range of what a core takes where cores share the commands out."""
    (low, unit), (high, _) = one.low.split(), one.high.split()
    why = f"{one.why}; times {cores} cores that share them"
    return FitRange(f"{float(low) * cores:g} {unit}", f"{float(high) * cores:g} {unit}", why)


def ends(kind: str, name: str, span: FitRange) -> tuple[float, float]:
    """Return a range in base units."""
    dimension = KINDS[kind].by_name[name].dimension
    return units.parse(span.low, dimension), units.parse(span.high, dimension)


def usual_die(year: int, bits: int | None) -> int:
    """Return the GiB that a die of a drive of a year usually has, with so many bits a cell."""
    size = next(size for last, size in DIES if year <= last)
    if bits == 4:
        return FOUR_BITS
    return size // 2 if bits == 2 and year >= TWO_BITS_SINCE else size
