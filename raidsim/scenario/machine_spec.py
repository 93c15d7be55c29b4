"""The keys of virtual machines that boot: one table for each group."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from raidsim.scenario.fields import Count, Line, Quantity, key
from raidsim.scenario.part import Area, Name, Part, Size, Table


class Image(NamedTuple):
    """The part of a volume that all machines of a group read, such as a golden image."""

    volume: Annotated[str, Line(), Field(description="volume that holds it")]
    offset: Annotated[int, Quantity("size", sectors=True), Field(description="first byte")] = 0
    size: Annotated[
        int | None,
        Quantity("size", above="0 B", sectors=True, word="rest"),
        Field(description="bytes from there"),
    ] = None


class MachineSpec(Part):
    """Virtual machines that boot: each one computes, waits, reads and writes, until it is idle."""

    name: Name = key("name of the group", "machines")
    count: Annotated[int, Count(1, 10_000)] = key("machines, all of one kind", 1)
    volume: Name = key("volume that their own disks are on", None, "the only volume")
    area: Annotated[Area, Table] = key(
        "part of the volume that their disks share, each an equal piece",
        {"offset": "0 B", "size": "rest"},
    )
    image: Annotated[Image | None, Table] = key(
        "part that all of them read, as linked clones do; their writes go to their own disks",
        None, "none: each reads its own disk",
    )  # fmt: skip
    reads: Annotated[int, Count(0, 10**8)] = key(
        "reads of a machine, from its image or its disk", 0
    )
    own_reads: Annotated[int, Count(0, 10**8)] = key(
        "reads of a machine from its own disk, beside those of its image: data that earlier boots"
        " wrote",
        0,
    )
    read_size: Annotated[int, Size] = key("size of a read", "32 KiB")
    writes: Annotated[int, Count(0, 10**8)] = key("writes of a machine, to its own disk", 0)
    write_size: Annotated[int, Size] = key("size of a write", "32 KiB")
    random: Annotated[float, Quantity("share")] = key(
        "share of random accesses; the others continue where the last one of the machine ended",
        "100 %",
    )
    outstanding: Annotated[int, Count(1, 1024)] = key(
        "I/Os that a machine has outstanding at a time: reads, reads of its own disk, and writes", 1
    )
    bursts: Annotated[int, Count(1, 10_000)] = key(
        "number of bursts of its work: in each it computes, waits, then reads and writes", 50
    )
    compute: Annotated[float, Quantity("time", high="24 h")] = key(
        "CPU time of a machine, of one core; all machines share the cores of the host", "0 s"
    )
    wait: Annotated[float, Quantity("time", high="24 h")] = key(
        "time in which a machine waits for neither CPU nor storage: timers, the network", "0 s"
    )
    spread: Annotated[float, Quantity("share")] = key(
        "differences of computing and waiting between machines: standard deviation over mean,"
        " log-normal",
        "0 %",
    )
    every: Annotated[float, Quantity("time", high="1 h")] = key(
        "time between the starts of two machines: they are switched on one after the other", "0 s"
    )
    idle_after: Annotated[float, Quantity("time", high="24 h")] = key(
        "a machine counts as ready after it has been idle for this time", "0 s"
    )


def disk_of(area: Area, capacity: int, count: int, number: int, grain: int) -> tuple[int, int]:
    """First byte and bytes of the disk of one of ``count`` machines, in whole ``grain``."""
    size = capacity - area.offset if area.size is None else area.size
    piece = size // count // grain * grain
    return area.offset + number * piece, piece
