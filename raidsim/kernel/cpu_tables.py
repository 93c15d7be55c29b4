"""The records of a host's cores: see :mod:`~raidsim.kernel.cpu` for what they are for."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Table, configuration, state

CPUS = Table(
    "cpus",
    "the cores of a host, which its processes and threads share",
    cores=configuration("f8", "how many there are"),
    gain=configuration("f8", "what the second hardware thread of a core adds to its work"),
    interval=configuration("i8", "from one look at who is busy to the next", "ns"),
    looked=state("i8", "when it was looked last", "ns"),
    speed=state("f8", "of each thread, against one that has a core to itself", start=1.0),
    first=configuration("i4", "first of its rows of `cpu_users`, or NONE", start=NONE),
)

CPU_USERS = Table(
    "cpu_users",
    "a process or thread that runs on the cores of a host",
    station=configuration("i4", "that it is"),
    area=state("f8", "`busy_area` of that station at the last look", "ns"),
    next=configuration("i4", "next one of this host, or NONE", start=NONE),
)
