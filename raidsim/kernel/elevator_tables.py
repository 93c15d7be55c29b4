"""The records of the host's elevator, see :mod:`~raidsim.kernel.elevator`."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Table, configuration, volatile

ELEVATORS = Table(
    "elevators",
    "in which order a host sends what waits for the command slots of a drive",
    requests=configuration("i8", "of a drive that it knows at a time, those in slots included"),
    batch=configuration("i8", "requests of one direction, in order of address, at most"),
    starved=configuration("i8", "batches of reads that writes let pass, at most"),
    expire=configuration("i8", "a read, a write is overdue after so long", "ns", shape=(2,)),
    direction=volatile("i8", "READ or WRITE: of the present batch, or NONE", start=NONE),
    sent=volatile("i8", "requests of the present batch so far"),
    passed=volatile("i8", "batches of reads since the last one of writes, while some waited"),
    end=volatile("i8", "behind the last read, the last write that was sent", "B", shape=(2,)),
)
