"""The kernel's tables: every piece of state is a row of one of these record arrays.

A :class:`World` is the set of tables of one environment. Rows refer to each other by
index; ``NONE`` (-1) stands for "no row". Times are int64 nanoseconds, sizes and
addresses bytes, shares floats from 0 to 1. The dtypes are fixed: a larger problem has
more rows, never another layout, so the compiled kernel serves every problem.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NONE = -1
NEVER = 2**62  # a time beyond every run, ns
UNLIMITED = 2**30  # servers of a pure delay
LAST = 7  # priority of an event that comes after all others of its instant

# What an event means to the engine.
EVENT_FINISH = 0  # a job's service at a station ends
EVENT_ISSUE = 1  # a stream issues its next I/O
EVENT_TIMEOUT = 2  # a request's patience ends
EVENT_HEAT = 3  # temperatures are brought up to date

# What a job asks for.
READ = 0
WRITE = 1

# Direction of a transfer, for half-duplex stations. None yet: the first one pays no turnaround.
TO_HOST = 0
TO_FLASH = 1
NO_DIRECTION = -1

# How far a drive protects itself from heat.
COOL = 0
THROTTLED_LIGHTLY = 1
THROTTLED_HEAVILY = 2

# How a request ended.
DONE = 0
FAILED = 1
TIMED_OUT = 2
RETRY = 3  # not ended: a drive has failed meanwhile, and the task is planned anew
UNREADABLE = 4  # a drive could not read a sector: the array restores it, and plans anew

# What a drive is, and so what its row of details is a row of.
DRIVE_SSD = 0
DRIVE_DISK = 1

# Order of service at a station.
FIFO = 0
LIFO = 1
PRIORITY = 2  # lowest number first, first come first served among equals; not pre-emptive

# Where a request of a volume goes.
VOLUME_SINGLE = 0  # one drive
VOLUME_ROUTE = 1  # a plain network of stations
VOLUME_ARRAY = 2  # drives under a RAID level, or behind a controller

# How a stream decides when to issue.
CLOSED = 0  # a fixed number of I/Os outstanding
POISSON = 1
GIVEN = 2  # arrival times of a table
MANUAL = 3  # only what the control plane hands in

# Which access the arm of a disk takes next.
DISCIPLINE_FIFO = 0
DISCIPLINE_SSTF = 1
DISCIPLINE_LOOK = 2
DISCIPLINE_SPTF = 3

# Distributions of service and think times.
LAW_CONSTANT = 0
LAW_EXPONENTIAL = 1
LAW_UNIFORM = 2  # on (0, 2 mean)
LAW_GIVEN = 3  # the n-th visit takes the n-th entry of a table

# What a job does next when its present service ends: one number per step of the road.
STAGE_FREE = 0
STAGE_SUBMITTED = 1
STAGE_ROUTE = 2
STAGE_BRANCH = 3
STAGE_COMMAND_ARRIVED = 4
STAGE_COMMAND_DECODED = 5
STAGE_SENSED = 6
STAGE_CHANNEL_READ = 7
STAGE_PATH_READ = 8
STAGE_LINK_READ = 9
STAGE_LINK_WRITE = 10
STAGE_PATH_WRITE = 11
STAGE_FLUSH_PATH = 12
STAGE_FLUSH_CHANNEL = 13
STAGE_PROGRAMMED = 14
STAGE_RETURNED = 15
STAGE_COMPLETED = 16
STAGE_AHEAD_SENSED = 17
STAGE_AHEAD_READ = 18
STAGE_MAPPED = 19
STAGE_WAITING = 20  # in a list of its own: for buffer space, for the arm, or for read-ahead data
STAGE_SLOT = 21  # waits in the host for one of the drive's command slots
STAGE_DISK_DECODED = 22
STAGE_DISK_LINK_WRITE = 23
STAGE_DISK_ARM = 24
STAGE_DISK_RISING = 25  # its first bytes are off the medium, the link not yet due
STAGE_DISK_LINK_READ = 26
STAGE_MOVE_SENSED = 27  # garbage collection: a die has read what is still valid
STAGE_MOVE_CHANNEL = 28
STAGE_ERASED = 29
STAGE_PLAN = 30  # on the agenda: a task is to be carried out
STAGE_ENDED = 31  # on the agenda: a task has ended
STAGE_SPREAD = 32
STAGE_PARITY = 33
STAGE_CONTROLLER_COMMAND = 34
STAGE_CONTROLLER_LINK = 35
STAGE_CONTROLLER_ANSWERED = 36
STAGE_LOOKUP = 37  # on the agenda: a read looks for its data in the cache
STAGE_INSERT = 38  # on the agenda: a write goes into the cache
STAGE_CACHE_COPY = 39  # its data passes the memory of the cache
STAGE_CACHE_FLUSH = 40
STAGE_SWEEP = 41  # on the agenda: a worker of a sweep takes its next rows
STAGE_SWEEP_PAUSED = 42

# Why the engine came back.
RETURN_HORIZON = 0
RETURN_AWAITED = 1  # a completion that the control plane waits for
RETURN_IDLE = 2  # nothing is left to happen
RETURN_ROOM = 3  # a table needs more rows
RETURN_BUDGET = 4  # the asked number of I/Os has completed
RETURN_BREATH = 5  # the outside has not been looked at for a while: enter again

STATE = np.dtype(
    [
        ("now", "i8"),
        ("sequence", "i8"),
        ("events", "i8"),  # in the heap
        ("vacant", "i8"),  # 1 while the place of the event being handled is free at its root
        ("handled", "i8"),  # events handled so far
        ("free_job", "i4"),
        ("free_jobs", "i4"),
        ("margin", "i4"),  # most jobs, events and completions that one event may bring about
        ("awaited", "i4"),  # completion records in `completions` not yet collected
        ("told", "i4"),  # where the first of them is
        ("completed", "i8"),  # requests of all streams
        ("slice_origin", "i8"),
        ("slice_width", "i8"),
        ("requests", "i8"),  # made so far, by all streams
        ("heats", "i4"),  # drives whose temperature is simulated
        ("ticking", "i4"),  # 1 while EVENT_HEAT is in the heap
        ("resting", "i4"),  # 1 if no such drive had anything to do in the last step
        ("heated", "i8"),  # time up to which temperatures are integrated
        ("samples", "i8"),  # readings kept
        ("stride", "i8"),  # ticks from one of them to the next
        ("first_tick", "i8"),  # tick at which they begin
        ("agenda", "i4"),  # first job on it
        ("agenda_end", "i4"),
        ("defects", "i8"),  # rows of `defects` in use
        ("leaves", "i8"),  # leaves in use
        ("leaf_margin", "i8"),  # most leaves that one event may need
    ],
    align=True,
)

EVENT = np.dtype(
    [
        ("time", "i8"),
        ("order", "i8"),  # priority, sequence, kind: see heap.py
        ("subject", "i4"),  # job or stream
        ("mark", "i4"),  # must equal the subject's, else the event is void
    ],
    align=True,
)

JOB = np.dtype(
    [
        ("next", "i4"),  # in a queue or in the free list
        ("parent", "i4"),
        ("pending", "i4"),  # children of the present phase still under way
        ("phase", "i4"),
        ("stage", "i4"),
        ("mark", "i4"),
        ("station", "i4"),
        ("serving", "i4"),  # 1 while a server works on it
        ("stream", "i4"),
        ("volume", "i4"),
        ("drive", "i4"),
        ("row", "i4"),  # of the drive, in the table of its kind
        ("op", "i4"),
        ("direction", "i4"),
        ("priority", "i4"),
        ("status", "i4"),
        ("abandoned", "i4"),  # timed out: nobody waits for it any more
        ("slot", "i4"),  # segment of prefetched pages, and of the command that continues it
        ("waiters", "i4"),
        ("ticket", "i8"),  # NONE, or the number by which the control plane awaits it
        ("offset", "i8"),
        ("length", "i8"),
        ("begun", "i8"),  # a command split in parts: address up to which they have begun
        ("issued", "i8"),
        ("queued", "i8"),
        ("service", "i8"),
        ("finish", "i8"),
        ("held", "i8"),  # since when it holds a command slot
        ("serial", "i4"),  # tells this request from others in the same row
        ("errand", "i4"),  # of a task: what it is for
        ("parts", "i4"),  # of a task: commands to drives
        ("later", "i4"),  # of a task: commands of phases to come
        ("member", "i4"),  # of a command of an array: which of its drives
        ("hop", "i4"),  # of a command: shared links that its data has crossed
        ("xor", "i8"),  # of a task: bytes that parity is still to be computed from
    ],
    align=True,
)

STATION = np.dtype(
    [
        ("servers", "i4"),
        ("busy", "i4"),
        ("discipline", "i4"),
        ("direction", "i4"),  # of the last transfer
        ("head", "i4"),
        ("tail", "i4"),
        ("waiting", "i4"),
        ("kind", "i4"),  # index of the kind's name, for reports
        ("turnaround", "i8"),
        ("speed", "f8"),
        ("changed", "i8"),  # when the two areas were last brought up to date
        ("busy_area", "i8"),  # integral of busy servers, server ns
        ("queue_area", "i8"),  # integral of jobs waiting, job ns
        ("waited", "i8"),  # sum of waiting times of the jobs started, ns
        ("served", "i8"),  # sum of service times of the jobs finished, ns
        ("arrivals", "i8"),
        ("starts", "i8"),
        ("finishes", "i8"),
    ],
    align=True,
)

STREAM = np.dtype(
    [
        ("volume", "i4"),
        ("process", "i4"),
        ("mode", "i4"),
        ("outstanding", "i4"),
        ("priority", "i4"),
        ("ended", "i4"),
        ("mark", "i4"),
        ("think_law", "i4"),
        ("first_size", "i4"),
        ("sizes", "i4"),
        ("in_flight", "i4"),
        ("scheduled", "i4"),  # issues that are in the heap
        ("account", "i4"),  # row of latencies and slices that its I/Os are counted in
        ("area_offset", "i8"),
        ("area_size", "i8"),
        ("align", "i8"),
        ("position", "i8"),  # where the next sequential access starts, relative to the area
        ("read_share", "f8"),
        ("random_share", "f8"),
        ("hot_area", "f8"),
        ("hot_accesses", "f8"),
        ("zipf", "f8"),
        ("think", "i8"),
        ("gap", "f8"),  # mean ns between Poisson arrivals
        ("clock", "f8"),  # Poisson time so far, in ns of the on-parts
        ("start", "i8"),
        ("burst_on", "i8"),
        ("burst_off", "i8"),
        ("first_arrival", "i8"),
        ("arrivals", "i8"),
        ("timeout", "i8"),
        ("last", "i8"),  # time of the last completion
        ("stop_time", "i8"),
        ("stop_ios", "i8"),
        ("stop_bytes", "i8"),
        ("issued", "i8"),
        ("issued_bytes", "i8"),
        ("completed", "i8"),
        ("failed", "i8"),
        ("timed_out", "i8"),
        ("ticket", "i8"),  # awaited end of the whole load
        ("key_where", "u8"),
        ("key_random", "u8"),
        ("key_op", "u8"),
        ("key_size", "u8"),
        ("key_gap", "u8"),
        ("key_think", "u8"),
        ("window_ios", "i8", (2,)),
        ("window_bytes", "i8", (2,)),
        ("window_ns", "i8", (2,)),  # sum of latencies
    ],
    align=True,
)

SIZE = np.dtype([("bytes", "i8"), ("up_to", "f8")], align=True)  # cumulated share

PROCESS = np.dtype(
    [
        ("submit", "i4"),
        ("complete", "i4"),
        ("submit_core", "i4"),  # in the table of cores; NONE: always awake, at one clock rate
        ("complete_core", "i4"),
        ("page", "i8"),
        ("submit_io", "f8"),  # the rest in ns
        ("submit_device_io", "f8"),
        ("submit_page", "f8"),
        ("submit_write", "f8"),
        ("complete_io", "f8"),
        ("complete_device_io", "f8"),
        ("complete_page", "f8"),
        ("complete_write", "f8"),
    ],
    align=True,
)

CORE = np.dtype(  # a host's station whose CPU saves power
    [
        ("station", "i4"),
        ("lowest", "f8"),  # speeds; 1 is the clock rate at which the card's times hold
        ("highest", "f8"),
        ("target", "f8"),  # utilisation that the governor aims at
        ("interval", "i8"),  # between its looks, ns
        ("looked", "i8"),  # when it did so last
        ("work", "f8"),  # asked for since then, ns at speed 1
        ("sleeper", "i4"),  # core with which it sleeps: that of the interrupts, or itself
        ("busy_until", "i8"),  # when those that sleep with it have done all they were asked
        ("sleep_after", "i8"),  # idle time after which it sleeps, ns
        ("wake", "i8"),  # what waking takes, ns
    ],
    align=True,
)

VOLUME = np.dtype(
    [
        ("kind", "i4"),
        ("drive", "i4"),
        ("array", "i4"),
        ("controller", "i4"),  # NONE: the host itself
        ("first_step", "i4"),
        ("steps", "i4"),
        ("size", "i8"),
    ],
    align=True,
)

STEP = np.dtype(  # of a route through a plain network
    [
        ("station", "i4"),
        ("branches", "i4"),  # 1, or fork to so many stations from `station` on, and join
        ("law", "i4"),
        ("first_given", "i4"),
        ("mean", "f8"),  # ns
        ("visits", "i8"),
        ("key", "u8"),
    ],
    align=True,
)

DRIVE = np.dtype(  # what all drives have towards their host
    [
        ("kind", "i4"),
        ("row", "i4"),  # in the table of its kind
        ("failed", "i4"),
        ("slots", "i4"),  # station of the command slots; NONE: more than ever needed
        ("latency_station", "i4"),
        ("protected", "i4"),  # its write buffer survives a power cut
        ("heated", "i4"),  # 1: its temperature is simulated
        ("first_hop", "i4"),  # shared links on its way up, from the drive on
        ("hops", "i4"),
        ("defects", "i4"),  # sectors that it can't read
        ("recovery", "i8"),  # ns that it tries before it says so
        ("delay", "i8"),  # what a slow drive takes more per command, ns
        ("idle_power", "f8"),  # W
        ("active_power", "f8"),
        ("size", "i8"),
        ("grain", "i8"),  # a command may become a job for each so many bytes
        ("max_transfer", "i8"),  # longest command
        ("latency", "i8"),  # each way, ns
        ("driver_read", "f8"),  # CPU time of its driver on the host per command, ns
        ("driver_write", "f8"),
        ("driver_read_ns", "f8"),  # the same per byte
        ("driver_write_ns", "f8"),
        ("host_read", "i8"),  # bytes
        ("host_written", "i8"),
        ("unsafe", "i8"),  # bytes acknowledged, and not on the medium yet
        ("unsafe_peak", "i8"),
        ("unsafe_area", "f8"),  # integral over time, byte ns
        ("unsafe_changed", "i8"),
    ],
    align=True,
)

SSD = np.dtype(
    [
        ("drive", "i4"),
        ("in_hand", "i4"),  # host commands between arrival and completion entry
        ("front_end", "i4"),
        ("link_to_host", "i4"),
        ("link_to_drive", "i4"),
        ("path", "i4"),
        ("first_channel", "i4"),
        ("first_die", "i4"),
        ("channels", "i4"),
        ("dies", "i4"),  # per channel: those that work as one count as one
        ("planes", "i4"),
        ("page", "i8"),
        ("frame", "i8"),
        ("stripe", "i8"),
        ("split", "i8"),  # a read is split at multiples of so many bytes
        ("unit", "i8"),  # mapping unit
        ("size", "i8"),
        ("command_time", "i8"),
        ("command_write_time", "i8"),  # for the map, after a write is acknowledged
        ("link_ns", "f8"),  # per byte
        ("path_read_ns", "f8"),
        ("path_write_ns", "f8"),
        ("path_flush_ns", "f8"),
        ("channel_read_ns", "f8"),
        ("channel_write_ns", "f8"),
        ("read_time", "i8"),
        ("sequential_read_time", "i8"),
        ("program_time", "i8"),
        ("buffer", "i8"),
        ("buffered", "i8"),  # bytes reserved in the write buffer
        ("gathered", "i8"),  # bytes of the host in it, not yet in a program unit
        ("blocked_head", "i4"),  # pages that wait for buffer space
        ("blocked_tail", "i4"),
        ("next_unit", "i8"),  # program units so far: the next goes round robin
        ("held_unit", "i8"),  # mapping unit still in the sector buffer
        ("ahead_depth", "i8"),
        ("ahead_threshold", "i4"),
        ("first_segment", "i4"),
        ("segments", "i4"),
        ("slots", "i4"),  # per segment
        ("first_slot", "i4"),
        ("tick", "i8"),  # read commands so far, for least recently used
        ("ftl", "i4"),
        ("pages_per_block", "i8"),
        ("erase_time", "i8"),
        ("moving_unit", "i8"),  # program unit that garbage collection is at
        ("moving_units", "i8"),  # mapping units of it that are to be moved
        ("gathered_moved", "i8"),  # the same of what garbage collection moves
        ("covered", "i8"),  # bytes of the mapping unit written last that have come
        ("rest", "i8"),  # program unit where the rest of it lies, or NONE
        ("filled", "i8"),  # bytes that complete units which the host wrote in part
        ("stored", "i8"),  # bytes that the host has put into the buffer
        ("moved", "i8"),  # bytes that garbage collection has put there
        ("programmed", "i8"),  # bytes
        ("erased", "i8"),  # blocks, all planes of a die together
        ("flash_read", "i8"),  # bytes, read-ahead included
        ("prefetched", "i8"),
    ],
    align=True,
)

SEGMENT = np.dtype(  # one detected stream of sequential reads
    [
        ("last_unit", "i8"),
        ("next_unit", "i8"),
        ("frontier", "i8"),  # first page not yet asked for
        ("used", "i8"),  # tick of the last command
        ("run", "i4"),  # sequential commands in a row
        ("in_flight", "i4"),  # pages on their way
    ],
    align=True,
)

SLOT = np.dtype([("page", "i8"), ("state", "i4"), ("waiters", "i4")], align=True)
SLOT_EMPTY = 0
SLOT_IN_FLIGHT = 1
SLOT_READY = 2

COMPLETION = np.dtype(
    [("ticket", "i8"), ("time", "i8"), ("issued", "i8"), ("status", "i8")], align=True
)

SLICES = 4096  # time slices of the throughput series of each stream


class World(NamedTuple):
    """All tables of one environment, in the order in which the kernel takes them."""

    state: Any  # STATE, 1 row
    heap: Any  # EVENT
    jobs: Any  # JOB
    stations: Any  # STATION
    streams: Any  # STREAM
    sizes: Any  # SIZE
    arrivals: Any  # int64, ns
    processes: Any  # PROCESS
    cores: Any  # CORE
    volumes: Any  # VOLUME
    steps: Any  # STEP
    given: Any  # int64, ns
    arrays: Any  # ARRAY of array_tables
    layouts: Any  # LAYOUT of raidsim.layout.tables, one for each array
    members: Any  # MEMBER of array_tables
    good: Any  # int64: bytes of each member that can be relied on
    locks: Any  # LOCK of array_tables
    marks: Any  # int64, ns: when each chunk of an array's drives was last written to
    accesses: Any  # ACCESS of raidsim.layout.tables: what the present plan lists
    controllers: Any  # CONTROLLER of array_tables
    caches: Any  # CACHE of cache_tables
    lines: Any  # LINE of cache_tables
    buckets_of_lines: Any  # int32: the first line of each bucket of a cache's index
    histories: Any  # HISTORY of raidsim.kernel.replacement.tables
    ghosts: Any  # GHOST of the same
    towers: Any  # int32: pointers of the lists of dirty lines
    trails: Any  # TRAIL of cache_tables
    hybrids: Any  # HYBRID of hybrid_tables
    traces: Any  # int32: what hybrids remember of blocks: missed before, or heat and interval
    hops: Any  # HOP of array_tables
    sweeps: Any  # SWEEP of sweep_tables
    workers: Any  # int64: jobs of each sweep, that go through its rows
    defects: Any  # DEFECT of sweep_tables
    drives: Any  # DRIVE
    ssds: Any  # SSD
    disks: Any  # DISK of disk_tables
    zones: Any  # ZONE of disk_tables
    tasks: Any  # TASK of disk_tables
    extents: Any  # EXTENT of disk_tables
    ftls: Any  # FTL of ftl_tables
    pages: Any  # int32: leaf of each part of a map or of owners; ~leaf if others share it
    leaves: Any  # int32: places of logical units, or NONE; logical units last written to places
    blocks: Any  # BLOCK of ftl_tables
    buckets: Any  # int32: for each number of valid units, first and last closed block with so many
    segments: Any  # SEGMENT
    slots: Any  # SLOT
    heats: Any  # HEAT of heat_tables
    samples: Any  # SAMPLE (heats, SAMPLES)
    moments: Any  # int64 (SAMPLES,), ns: when the samples were taken
    progress: Any  # int64 (streams, SAMPLES, 2): I/Os and bytes completed in the window till then
    latencies: Any  # int64 (accounts, 2, BINS)
    slices: Any  # int64 (accounts, SLICES): completions
    completions: Any  # COMPLETION, a list that the control plane empties
