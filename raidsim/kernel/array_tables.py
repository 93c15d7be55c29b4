"""Tables of arrays and controllers: rows of one volume, of its drives, of its stripe locks.

The layouts themselves, and the accesses that a plan lists, are records of
:mod:`raidsim.layout.tables`: LAYOUT rows stand beside ARRAY rows, under the same number.
"""

from __future__ import annotations

from raidsim.kernel.tables import NEVER, NONE
from raidsim.records import Column, Table, configuration, counter, state, volatile

# Which copy a read of mirrored data takes, unless it continues a sequential stream; the last one
# in any case.
SHORTEST_QUEUE = 0
NEAREST_HEAD = 1
ROUND_ROBIN = 2
LOWEST_ADDRESS = 3
LINUX_RAID1 = 4  # as Linux md balances reads of RAID 1
LINUX_RAID10 = 5  # the same of RAID 10

# What a task is for: this decides who learns that it has ended.
ERRAND_HOST = 0  # a request of a host
ERRAND_PART = 1  # one stripe of a write to parity, or several whole ones of a destage
ERRAND_DESTAGE = 2  # dirty data of a cache goes to the drives
ERRAND_FETCH = 3  # a cache reads ahead
ERRAND_OPERATION = 4  # some rows of an array in the background, see raidsim.kernel.operation
ERRAND_REPAIR = 5  # a strip with a sector that could not be read, see raidsim.kernel.repair
ERRAND_BELOW = 8  # what a hybrid asks of its front or back
ERRAND_WRITE_BACK = 9  # a hybrid copies from front to back
ERRAND_FILL = 10  # a hybrid copies from back to front
ERRAND_BITMAP = 11  # the bitmap of write intents goes to the drives
ERRAND_LOG = 12  # an entry of a log of partial parity goes to its member

# Family of an array that is a hybrid: the others are those of layouts.
HYBRID = 8

# For whom a command to a drive is.
FOR_HOST = 0
FOR_DESTAGE = 1
FOR_READ_AHEAD = 2
BACKGROUND = 3  # rebuilds, checks and the like, and repairs of single strips
ORIGINS = 4

# What it carries.
READ_DATA = 0
READ_FOR_MODIFY = 1  # old data and parity, for a read-modify-write
READ_FOR_RECONSTRUCT_WRITE = 2  # the rest of a stripe that is written in part
READ_TO_RECONSTRUCT = 3  # surviving data, instead of lost data
WRITE_DATA = 4
WRITE_PARITY = 5  # of a stripe that is written in part
WRITE_FULL_STRIPE = 6  # data and parity
TRIM_DATA = 7
WRITE_BITMAP = 8  # a page of write intents
WRITE_LOG = 9  # an entry of a log of partial parity
TRANSFERS = 10

COPYING = 5  # method of a write, beside those of raidsim.layout: to the drive that gets a copy

ARRAYS = Table(
    "arrays",
    "drives under a RAID level or behind a controller, or a hybrid",
    family=configuration("i8", "of its layout, or HYBRID"),
    drives=configuration("i8", "how many it has"),
    first_member=configuration("i8", "first of its rows in `members` and in `good`"),
    policy=configuration("i8", "of parity updates, see raidsim.layout.tables"),
    mirror_policy=configuration("i8", "which copy is read"),
    arms=configuration("i8", "1: of equal copies that with the nearest arm, 0: the first"),
    stream_depth=configuration("i8", "commands that a sequential stream keeps on one copy"),
    turn=volatile("i8", "mirrored reads so far: where the search for a copy begins"),
    width=configuration("i8", "data of a stripe", "B"),
    first_lock=configuration("i8", "first of its locks"),
    locks=configuration("i8", "how many there are"),
    engine=configuration("i8", "station that computes parity, the first of several"),
    engines=configuration("i8", "how many: one, or of software RAID one for each span", start=1),
    parity_ns=configuration("f8", "of that", "ns/B"),
    stripe_ns=configuration("f8", "software RAID: CPU time there of a stripe head", "ns"),
    stripe_io_ns=configuration(
        "f8", "software RAID: CPU time there of each page of a member that a stripe head uses", "ns"
    ),
    stripe_copy_ns=configuration(
        "f8", "part of `stripe_io_ns` in which data of hosts is copied", "ns"
    ),
    copy_io_ns=configuration(
        "f8", "software RAID with copies: CPU time there of a command of background work", "ns"
    ),
    compare_ns=configuration(
        "f8",
        "software RAID with copies: CPU time there to compare data with the first copy",
        "ns/B",
    ),
    serial=configuration("i8", "station of the thread that gives stripe heads to workers, or NONE"),
    serial_ns=configuration("f8", "CPU time of a stripe head at that station", "ns"),
    cpu=configuration("i8", "station that issues commands; NONE: the process that asked"),
    spread_ns=configuration("f8", "CPU time of a task", "ns"),
    device_io_ns=configuration(
        "f8",
        "for each command to a drive beyond the first; for each one where threads handle stripes",
        "ns",
    ),
    mirror_ns=configuration("f8", "more for each write of a copy", "ns"),
    firmware_ns=configuration(
        "f8", "more for each command that is firmware's work, see raidsim.kernel.firmware", "ns"
    ),
    shared=configuration("i8", "station of the lines that its cores share, or NONE", start=NONE),
    read_lines_ns=configuration(
        "f8", "time until a core has the lines of a read from another core", "ns"
    ),
    write_lines_ns=configuration(
        "f8", "time until a core has the lines of a write from another core", "ns"
    ),
    line_owner=volatile("i4", "process that asked for them last, or NONE", start=NONE),
    commands=counter("i8", "commands to its drives"),
    device_ios=counter(
        "i8",
        "commands to its drives as they are made, by origin and transfer",
        shape=(ORIGINS * TRANSFERS,),
    ),
    line=configuration("i8", "line of the cache: a strip, a part of a long one, or more", "B"),
    write_back=configuration("i8", "1: writes are answered from the cache of its controller"),
    dirty=state("i8", "dirty lines of it in the cache of its controller", "B"),
    most_destages=configuration("i8", "destages of them that its drives take at a time"),
    first_lane=configuration("i8", "first of its rows in `lanes`"),
    lanes=configuration("i8", "how many: one, or of a JBOD one for each drive"),
    lane_size=configuration("i8", "bytes of one of several lanes", "B"),
    cached=configuration("i8", "1: what is read from the drives is kept there"),
    read_ahead=configuration("i8", "read mode, see cache_tables"),
    first_trail=configuration("i8", "first of the streams that its read-ahead follows"),
    tick=volatile("i8", "reads that the read-ahead has followed"),
    offline=state("i8", "1: it is lost as a whole, what its cache holds included"),
    touched=state("i8", "when it last began something else than an operation", "ns"),
    others=volatile("i8", "commands planned that are no operation's, and are not back yet"),
    repaired=counter("i8", "sectors that could not be read, and were restored from redundancy"),
    chunk=configuration("i8", "of each drive, for which there is a mark; 0: none are kept", "B"),
    first_mark=configuration("i8", "first of these marks"),
    clear_after=configuration("i8", "time after the last write when a mark is taken off", "ns"),
    marked=counter("i8", "marks set"),
    missing_since=state(
        "i8",
        "of an array with a bitmap: when a write first found a member missing, or NEVER",
        "ns",
        start=NEVER,
    ),
    bitmap=configuration("i8", "lock under which the bitmap is written, or NONE", start=NONE),
    partial_parity=configuration(
        "i8", "first of the locks of its members' logs of partial parity, or NONE", start=NONE
    ),
    log_flush=configuration("i8", "1: members are flushed before an entry is written over"),
    hybrid=configuration("i8", "row of `hybrids`, in the family HYBRID"),
    stripe_cache=configuration("i8", "software RAID: stripe heads that are kept; 0: none are"),
    first_known=configuration("i8", "first of the rows of what they hold"),
    heads=volatile("i8", "stripe heads that were needed so far for the first time"),
)

KNOWN = Table(
    "known",
    "what the stripe cache of an array holds of a stripe: a row for its heads, one for each member",
    stripe=volatile("i8", "of the first row: number of the stripe, or NONE", start=NONE),
    used=volatile("i8", "of the first row: `heads` of the array when it was last used"),
    low=volatile("i8", "from this byte of the member on it is known", "B"),
    high=volatile("i8", "up to this one; equal: nothing is", "B"),
)

MEMBERS = Table(
    "members",
    "a drive of an array",
    drive=state("i8", "row of the drive"),
    in_flight=volatile("i8", "commands planned that are not back yet"),
    end=volatile("i8", "address behind the last command planned", "B"),
    head=volatile("i8", "address behind the last command that came back", "B"),
    copy=state("i8", "drive that it is being copied to, or NONE", start=NONE),
    copied=state("i8", "from the start of the drive, what is: it is written there too", "B"),
    log_end=state("i8", "of its log of partial parity: where the next entry goes", "B"),
)

LANES = Table(
    "lanes",
    "an array, or a drive of a JBOD, to which a cache destages beside others",
    elevator=volatile("i8", "key of the line that the elevator has come to there"),
    destages=volatile("i8", "destages to it under way"),
    volume=state("i4", "that it is of, once something is dirty"),
    next=state("i4", "of those that may take a destage, or NONE", start=NONE),
    ready=state("i8", "1: it is one of these"),
    destaged=counter("i8", "on the way to it or there", "B"),
    pass_begun=state("i8", "`destaged` when the elevator last began again at the start", "B"),
    last_pass=state("i8", "bytes of its last whole pass over all its lines", "B"),
)

GOOD = Column(
    "good",
    "what can be relied on of a drive of an array",
    state("i8", "from the start of the drive", "B"),
)

LOCKS = Table(
    "locks",
    "stripes that are written one after the other",
    held=volatile(
        "i8",
        "1: one of them is being written; of copies: background work that has it; of a log: 1 while"
        " its entry is needed",
    ),
    writes=volatile(
        "i8", "of copies: writes of hosts under way; of a log: stripes of its entry under way"
    ),
    gathering=volatile("i4", "part that waits and that others may join, or NONE", start=NONE),
    first_waiting=volatile("i4", "first job that waits, or NONE", start=NONE),
    last_waiting=volatile("i4", "last job that waits", start=NONE),
)

MARKS = Column(
    "marks",
    "a chunk of the drives of an array, in the bitmap of its intents",
    state("i8", "when it was last written to", "ns"),
)

CONTROLLERS = Table(
    "controllers",
    "a RAID controller or host bus adapter",
    commands=configuration("i8", "station: its cores"),
    to_host=configuration("i8", "station: its link to the host"),
    to_controller=configuration("i8", "station: that link, the other way"),
    replies=configuration("i8", "station of the fixed latency"),
    command_time=configuration("i8", "of a core for a command", "ns"),
    write_time=configuration("i8", "more for a write", "ns"),
    command_ns=configuration("f8", "of a core for its data", "ns/B"),
    write_ns=configuration("f8", "more for that of a write", "ns/B"),
    latency=configuration("i8", "of an answer", "ns"),
    link_ns=configuration("f8", "of the link", "ns/B"),
    cache=configuration("i8", "row of its cache, or NONE"),
)

HOPS = Table(
    "hops",
    "a shared link on the way from a drive up to its controller or host",
    up=configuration("i8", "station towards the host"),
    down=configuration("i8", "station towards the drive"),
    ns=configuration("f8", "of the link", "ns/B"),
)
