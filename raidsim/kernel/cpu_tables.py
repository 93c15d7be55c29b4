"""The records of a host: the cost of its processes, and its cores.

:mod:`~raidsim.kernel.host` and :mod:`~raidsim.kernel.cpu` use them.
"""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Table, configuration, state, volatile

PROCESSES = Table(
    "processes",
    "what the I/Os of a process cost the CPUs of its host",
    submit=configuration("i4", "station that issues"),
    complete=configuration("i4", "station that handles interrupts"),
    submit_core=configuration(
        "i4", "row of the core that issues; NONE: always awake, at one clock rate"
    ),
    complete_core=configuration("i4", "row of the core that handles interrupts, as `submit_core`"),
    cpu=configuration("i4", "row of `cpus`, or NONE: each has a core to itself", start=NONE),
    page=configuration("i8", "page of the host's memory", "B"),
    submit_io=configuration("f8", "issue of an I/O", "ns"),
    submit_device_io=configuration("f8", "for each command to a drive", "ns"),
    submit_page=configuration("f8", "for each page", "ns"),
    submit_write=configuration("f8", "more for a write", "ns"),
    submit_wake=configuration("f8", "more, if nothing is being issued: the process waited", "ns"),
    complete_io=configuration("f8", "completion of an I/O", "ns"),
    complete_device_io=configuration("f8", "for each command to a drive", "ns"),
    complete_page=configuration("f8", "for each page", "ns"),
    complete_write=configuration("f8", "more for a write", "ns"),
)

CORES = Table(
    "cores",
    "a station of a host whose CPU saves power",
    station=configuration("i4", "that it is"),
    lowest=configuration("f8", "speed of an idle one; 1 is the clock rate of the card's times"),
    highest=configuration("f8", "speed of a busy one"),
    target=configuration("f8", "utilisation that the governor aims at"),
    interval=configuration("i8", "from one look of the governor to the next", "ns"),
    looked=state("i8", "when it looked last", "ns"),
    work=volatile("f8", "asked for since then, at speed 1", "ns"),
    sleeper=configuration("i4", "core with which it sleeps: that of the interrupts, or itself"),
    busy_until=state("i8", "when those that sleep with it have done all they were asked", "ns"),
    sleep_after=configuration("i8", "idle time after which it sleeps", "ns"),
    wake=configuration("i8", "what waking takes", "ns"),
)

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
