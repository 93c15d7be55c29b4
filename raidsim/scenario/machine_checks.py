"""Conditions between the keys of a group of machines, and the volumes they are on.

Like the checks of a load, :func:`check_machines` yields (key, cause, remedy).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from raidsim import units
from raidsim.errors import nearest_name, quote, quoted
from raidsim.scenario.finding import Finding
from raidsim.scenario.machine_spec import Image
from raidsim.scenario.part import Area


class Room(NamedTuple):
    """The facts of a volume that a check needs; None where the volume itself is wrong."""

    capacity: int | None
    access: str | None


def check_machines(values: Mapping[str, Any], volumes: Mapping[str, Room]) -> Iterator[Finding]:
    """Everything that can be said of one group of machines."""
    yield from _check_volumes(values, volumes)
    yield from _check_work(values)
    work = ("reads", "own_reads", "read_size", "writes", "write_size")
    if all(key in values for key in (*work, "area", "image", "count", "volume")):
        yield from _check_disks(values, volumes)


def _check_volumes(values: Mapping[str, Any], volumes: Mapping[str, Room]) -> Iterator[Finding]:
    if not volumes:
        return
    name, image = values.get("volume"), values.get("image")
    if "volume" in values and name is None:
        cause = f"is missing, and there are {len(volumes)} volumes"
        yield "volume", cause, f"give one of {quoted(volumes)}"
    for key, one in (("volume", name), ("image", image.volume if image else None)):
        if one is not None and one not in volumes:
            cause = f"{quote(one)} is not a volume of this scenario"
            yield key, cause, nearest_name(one, volumes)
    room = volumes.get(name) if name else None
    if room is None:
        return
    if room.access == "read-only" and values.get("writes", 0) > 0:
        yield "writes", f"{name} is read-only", 'give writes = 0, or access = "read-write" there'
    if room.access == "blocked":
        yield "volume", f"{name} is blocked", 'give access = "read-write" there'


def _check_work(values: Mapping[str, Any]) -> Iterator[Finding]:
    work = ("reads", "own_reads", "writes", "compute", "wait")
    if all(values.get(key, 1) == 0 for key in work):
        yield "reads", "the machines have nothing to do", f"give {', '.join(work[:-1])} or wait"
    if values.get("own_reads") and values.get("image", "") is None:
        cause = "without an image all reads are of the machine's own disk"
        yield "own_reads", cause, "give an image, or count these among reads"


def _check_disks(values: Mapping[str, Any], volumes: Mapping[str, Room]) -> Iterator[Finding]:
    """An I/O fits into a disk of its own, and a read into the image."""
    own = [values["write_size"]] if values["writes"] else []
    if values["own_reads"]:
        own.append(values["read_size"])
    if values["reads"]:
        if values["image"] is None:
            own.append(values["read_size"])
        else:
            image: Image = values["image"]
            room = volumes.get(image.volume)
            capacity = room.capacity if room else None
            yield from _check_size("image", image, capacity, values["read_size"], "a read")
    room = volumes.get(values["volume"])
    if room is None or room.capacity is None:
        return
    area: Area = values["area"]
    if own:
        least = max(own) * values["count"]
        what = f"an I/O on each of {values['count']} disks"
        yield from _check_size("area", area, room.capacity, least, what)


def _check_size(
    key: str, part: Area | Image, capacity: int | None, least: int, what: str
) -> Iterator[Finding]:
    if capacity is None:
        return
    rest = capacity - part.offset
    size = rest if part.size is None else part.size
    if size > rest:
        its, room = units.sizes_to_compare(part.offset + size, capacity)
        cause = f"ends at {its}, beyond the volume of {room}"
        yield key, cause, "make it smaller, or let it begin earlier"
    elif size < least:
        cause = f"{units.text(max(size, 0), 'size')} are too small for {what}"
        yield key, cause, f"give at least {units.text(least, 'size')}"
