"""The kernel's tables: every piece of state is a row of one of these record arrays.

Here are the tables that all parts use; loads, hosts and kinds of hardware have separate modules.
:mod:`raidsim.kernel.world` puts all together. Rows refer to each other by index; ``NONE`` (-1) is
"no row". Times are in ns, sizes and addresses in bytes, shares from 0 to 1; layouts never change.
"""

from __future__ import annotations

from raidsim.records import Column, Memory, Table, configuration, counter, state, volatile, window
from raidsim.stats.histogram import BINS

NONE = -1
NEVER = 2**62  # a time beyond every run, ns
UNLIMITED = 2**30  # servers of a pure delay
LAST = 7  # priority of an event that comes after all others of its instant

# What an event means to the engine.
EVENT_FINISH = 0  # a job's service at a station ends
EVENT_ISSUE = 1  # a stream issues its next I/O
EVENT_TIMEOUT = 2  # a request's patience ends
EVENT_HEAT = 3  # temperatures are brought up to date

SOON = 64  # events that are kept sorted
NO_EVENT = 2**63 - 1  # key of a row without an event: behind all others

# What a job asks for.
READ = 0
WRITE = 1
FLUSH = 2  # that all writes which were answered before are on the medium, or as safe as there
TRIM = 3  # the data there need not be kept

# Direction of a transfer, for half-duplex stations. None yet: the first one pays no turnaround.
TO_HOST = 0
TO_MEDIUM = 1  # towards the drives, and in a drive towards flash or platters
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

# Force unit access: a *forced write* is answered from the medium. Its state in `fua`:
FUA_NONE = 0  # no forced write, and no write at all
FUA_ASKED = 1
FUA_WAITS = 2  # it is in the buffer of a flash drive, and waits until it is on the medium
FUA_WITH_FLUSH = 3  # it is sent as a write and a flush behind it
FUA_BEFORE_FLUSH = 4  # the same, and the drive has acknowledged the write from its buffer

# Order of service at a station.
FIFO = 0
LIFO = 1
PRIORITY = 2  # lowest number first, first come first served among equals; not pre-emptive
SUBMISSIONS_LAST = 3  # I/Os under way before new submissions; not pre-emptive

# Where a request of a volume goes.
VOLUME_SINGLE = 0  # one drive
VOLUME_ROUTE = 1  # a plain network of stations
VOLUME_ARRAY = 2  # drives under a RAID level, or behind a controller

# Which access the arm of a disk takes next.
DISCIPLINE_FIFO = 0
DISCIPLINE_SSTF = 1
DISCIPLINE_LOOK = 2
DISCIPLINE_SPTF = 3

# How far a disk reads ahead of a read.
AHEAD_DEPTH = 0  # so many bytes
AHEAD_TRACK = 1  # to the end of the track, and no more than these
AHEAD_CYLINDER = 2  # the same of the cylinder
AHEAD_NEXT_TRACK = 3  # to the end of the track, and of the next one for a stream that came over it
AHEAD_STREAM = 4  # so many bytes of a stream; the minimum if it may be no stream

# Distributions of service and think times.
LAW_CONSTANT = 0
LAW_EXPONENTIAL = 1
LAW_UNIFORM = 2  # on (0, 2 mean)
LAW_GIVEN = 3  # the n-th visit takes the n-th entry of a table

# What a job does next when its present service ends: one number per step of its path.
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
STAGE_OPERATION = 41  # on the agenda: a worker of an operation takes its next rows
STAGE_OPERATION_PAUSED = 42
STAGE_DISK_TIMED = 43  # a shingled disk may have been idle for long enough
STAGE_SLC_IDLE = 44  # no commands: the SLC cache is folded soon
STAGE_DISK_CHOOSING = 45  # its firmware settles which access comes next
STAGE_SHARED_LINES = 46  # software RAID: its core fetches lines that another one has written
STAGE_FLUSHED = 47  # a flush that another one has served
STAGE_CACHE_LINES = 48  # firmware puts lines that it has made dirty where destages find them
STAGE_REST = 49  # of a transfer, behind its first frame
STAGE_MAP_SENSED = 50  # a die reads a page of the map of its drive
STAGE_MAP_READ = 51  # which crosses the channel

# Why the engine came back.
RETURN_HORIZON = 0
RETURN_AWAITED = 1  # a completion that the control plane waits for
RETURN_IDLE = 2  # nothing is left to happen
RETURN_ROOM = 3  # a table needs more rows
RETURN_BUDGET = 4  # the asked number of I/Os has completed
RETURN_TICK = 5  # a tick of the clock on the wall has passed: enter again

FIRST_SLICE = 1_000  # ns: slices of the throughput series start this fine, and widen as needed
SLICES = 4096  # of the throughput series of each account

SLOT_EMPTY = 0
SLOT_IN_FLIGHT = 1
SLOT_READY = 2

STATE = Table(
    "state",
    "the engine: clock, pool of jobs, agenda, and how far tables are used",
    now=state("i8", "present time", "ns"),
    sequence=state("i8", "events put into `heap` so far: orders those of one key"),
    events=volatile("i8", "events that are scheduled"),
    soon=volatile("i8", "of these, how many are in `soon_keys`; all others are in `heap`"),
    vacant=volatile("i8", "1: the row of the event being handled, the first one, is free"),
    handled=counter("i8", "events handled"),
    free_job=state("i4", "first row of the list of free jobs, or NONE", start=NONE),
    free_jobs=state("i4", "rows in that list"),
    margin=configuration("i4", "most jobs, events and completions that one event may bring about"),
    awaited=state("i4", "rows of `completions` not yet collected"),
    told=state("i4", "the first of these rows"),
    completed=counter("i8", "requests of all streams that have ended"),
    slice_origin=state("i8", "when the first slice of the throughput series began", "ns"),
    slice_width=state("i8", "length of a slice", "ns", start=FIRST_SLICE),
    requests=counter("i8", "requests that streams have made"),
    heats=configuration("i4", "drives whose temperature is simulated"),
    ticking=volatile("i4", "1: EVENT_HEAT is scheduled"),
    resting=state("i4", "1: no such drive had anything to do in the last step"),
    heated=state("i8", "time up to which temperatures are integrated", "ns"),
    samples=state("i8", "readings of temperatures that are kept"),
    stride=state("i8", "ticks from one of these readings to the next", start=1),
    first_tick=state("i8", "tick of the first reading"),
    first_waiting=volatile("i4", "first job on the agenda, or NONE", start=NONE),
    last_waiting=volatile("i4", "last job on the agenda"),
    defects=state("i8", "rows of `defects` in use"),
    leaves=state("i8", "leaves of the maps of flash drives in use", start=1),
    leaf_margin=configuration("i8", "most leaves that one event may need"),
    logged=window("i8", "rows of `ios` in use"),
    hungry=state("i4", "1: a stream has made nearly all `requests` that it was given"),
)

SOON_KEYS = Column(
    "soon_keys",
    "an event that is scheduled, the next one first",
    volatile("i8", "time and priority in one number: see event_list.py", start=NO_EVENT),
    Memory(rows=SOON),
)

SOON_EVENTS = Column(
    "soon_events",
    "kind, subject and mark of the event of the same row of `soon_keys`",
    volatile("i8", "kind, subject and mark in one number: see event_list.py"),
    Memory(rows=SOON),
)

HEAP = Table(
    "heap",
    "an event that comes after all of `soon_keys`; the rows are a heap, the first one first",
    Memory(rows=512, apart=True),
    key=volatile("i8", "as in `soon_keys`"),
    order=volatile("i8", "orders those of one key"),
    event=volatile("i8", "as in `soon_events`"),
)

JOBS = Table(
    "jobs",
    "a request of a host, a command to a drive, a page of it, a task of an array, or a worker",
    Memory(rows=0, apart=True),
    # Of every job, and of its visits to stations: one line of the processor's cache.
    next=volatile("i4", "the job behind it in a queue, or in the list of free jobs"),
    parent=volatile("i4", "job that it is a part of, or NONE"),
    pending=volatile("i4", "its children that are still under way"),
    mark=volatile("i4", "events of it that are not void carry this number"),
    stage=volatile("i2", "what happens to it next: STAGE_..."),
    op=volatile("i1", "READ, WRITE, FLUSH or TRIM"),
    priority=volatile("i1", "0 is the most urgent"),
    status=volatile("i1", "DONE, FAILED, TIMED_OUT, RETRY or UNREADABLE"),
    direction=volatile("i1", "TO_HOST or TO_MEDIUM, for stations that are half duplex"),
    serving=volatile("i1", "1: a server works on it"),
    fua=volatile("i1", "whether it is a forced write, and the state of that: FUA_..."),
    abandoned=volatile("i1", "1: its request timed out, and nobody waits for it any more"),
    carries=volatile("i1", "of a command of an array: what it is counted as, or NONE"),
    station=volatile("i4", "where it is served or waits, or NONE"),
    next_station=volatile("i4", "channel or die that it goes to next, within a drive"),
    suspensions=volatile("i4", "of a program or erase: how often its die has put it off"),
    queued=volatile("i8", "when it came to its station", "ns"),
    service=volatile("i8", "time that it asks of its station", "ns"),
    finish=volatile("i8", "when its service ends", "ns"),
    drive=volatile("i4", "that it is for"),
    row=volatile("i4", "of that drive in the table of its kind; of a worker: its operation"),
    # What it asks for.
    stream=volatile("i4", "that of its request; NONE if no host asked for it"),
    volume=volatile("i4", "that it is for"),
    offset=volatile("i8", "first byte, in its volume or drive", "B"),
    length=volatile("i8", "bytes from there on; of a program unit: those of the host", "B"),
    issued=volatile("i8", "when the host issued it; of a worker: when it began its rows", "ns"),
    ticket=volatile("i8", "of a request: by which the control plane awaits its end, or NONE"),
    serial=volatile(
        "i4",
        "of a request: tells it from others in the same row; of a command of an array: that of the"
        " drive that it is for",
    ),
    phase=volatile("i2", "of a command of an array: which of its task's phases"),
    step=volatile("i2", "of a request to a plain network: steps of its route that it has done"),
    held=volatile(
        "i8",
        "of a command, or an access to a map: since when it holds its slot or place; of a request:"
        " when it was submitted",
        "ns",
    ),
    begun=volatile("i8", "of a read of flash: address up to which it has been split", "B"),
    forced_length=volatile("i8", "of a forced write whose flush is under way: its length", "B"),
    segment=volatile("i4", "of a read of flash: stream that it continues or is ahead of, or NONE"),
    member=volatile(
        "i4",
        "of a command: which drive of its array; of a task: that to be mended, or that of the log",
    ),
    # Of a task of an array or a hybrid.
    errand=volatile("i1", "what it is for, ERRAND_...; NONE if it is no task"),
    fills=volatile("i1", "1: what a hybrid read from the back, or wrote, is to be in the front"),
    worker=volatile("i1", "of a worker of an operation: WORKING, ENDED, RESTING or QUEUED"),
    rest=volatile("i1", "of work inside a flash drive: what it is for, as in slc.py"),
    hop=volatile("i2", "of a command: shared links that its data has crossed"),
    waited=volatile("i1", "1: a hybrid has let it wait, and does not count it anew"),
    half=volatile("i1", "of a copy within a hybrid: TO_READ or TO_WRITE"),
    since=volatile("i8", "of a read: since when its data is coming, or is there", "ns"),
    locked=volatile(
        "i2",
        "of a worker: locks of its rows that it has taken; of a repair or a write: 1 if it has",
    ),
    parts=volatile("i4", "commands to drives that it took"),
    span=volatile("i4", "span of the array that it is about"),
    later=volatile("i4", "first command of the phases to come, or NONE"),
    waiters=volatile(
        "i4",
        "of a write: first of those that it carries to the drives; of a read of flash: of those"
        " that wait for its mapping unit; or NONE",
    ),
    other=volatile(
        "i4",
        "of a repair: another drive that cannot read its strip, or NONE; of a stripe of a write:"
        " lock of the log of partial parity that it is in, or NONE",
    ),
    chunk=volatile("i4", "of a worker: number of the rows that it goes through"),
    rows=volatile("i4", "of a worker: how many rows of strips these are"),
    first_row=volatile("i8", "of a worker: the first of these; of a repair: the one it restores"),
    bad_row=volatile("i8", "row of strips of which a sector could not be read"),
    xor=volatile("i8", "what parity is still to be computed from", "B"),
    stripe_work=volatile(
        "f8", "CPU time of its stripe heads, or requests of copies, still to be spent", "ns"
    ),
    serial_work=volatile(
        "f8", "CPU time of the one thread that gives out its stripe heads, still to be spent", "ns"
    ),
    read_work=volatile(
        "f8",
        "CPU time of what its stripe heads read, still to be spent; below zero: what was spent of"
        " writing, if it is planned anew because others join it",
        "ns",
    ),
    unit=volatile("i8", "of a program unit: its number"),
)

STATIONS = Table(
    "stations",
    "a queue with its servers: a core, a link, a channel, a die, an arm",
    Memory(rows=4),
    servers=configuration("i4", "jobs that it serves at a time"),
    busy=volatile("i4", "servers that work"),
    discipline=configuration("i4", "order of service: FIFO, LIFO, PRIORITY or SUBMISSIONS_LAST"),
    direction=volatile("i4", "of the last transfer", start=NO_DIRECTION),
    first_waiting=volatile("i4", "first job of the queue, or NONE", start=NONE),
    last_waiting=volatile("i4", "last job of the queue", start=NONE),
    waiting=volatile("i4", "jobs in the queue"),
    kind=configuration("i4", "index of the name of its kind, for reports"),
    latest=volatile("i4", "job whose service began last"),
    turnaround=configuration("i8", "what a change of direction takes", "ns"),
    speed=state("f8", "1 as built; set by models, governors and throttling"),
    changed=state("i8", "when the two areas were last brought up to date", "ns"),
    idle=state("i8", "of a link: idle time before `idle_until` that no data has taken yet", "ns"),
    idle_until=state("i8", "of a link: when data came to it that had been coming", "ns"),
    busy_area=window("i8", "integral of busy servers over time", "ns"),
    queue_area=window("i8", "integral of waiting jobs over time", "ns"),
    unasked=window(
        "i8", "of an arm's busy time, reading ahead that nobody has asked for so far", "ns"
    ),
    waited=window("i8", "sum of the waiting times of jobs that were started", "ns"),
    served=window("i8", "sum of the service times of jobs that were finished", "ns"),
    arrivals=window("i8", "jobs that came"),
    starts=window("i8", "jobs whose service began"),
    finishes=window("i8", "jobs whose service ended"),
    held_since=volatile("i8", "sum, over the jobs that hold a server, of when they got it", "ns"),
)

VOLUMES = Table(
    "volumes",
    "what loads see: a drive, an array, a hybrid, or a network of stations",
    kind=configuration("i4", "where its requests go: VOLUME_..."),
    drive=configuration("i4", "of a single drive"),
    array=configuration("i4", "row of `arrays` and of `layouts`"),
    controller=configuration("i4", "that it is behind; NONE: the host itself"),
    first_step=configuration("i4", "first row of the route through a network"),
    steps=configuration("i4", "how many there are"),
    size=configuration("i8", "usable bytes", "B"),
)

STEPS = Table(
    "steps",
    "a step of a route through a plain network of stations",
    station=configuration("i4", "that is visited"),
    branches=configuration("i4", "1, or fork to so many stations from that one on, and join"),
    law=configuration("i4", "distribution of the service time: LAW_..."),
    first_given=configuration("i4", "first row of given times"),
    mean=configuration("f8", "service time", "ns"),
    visits=state("i8", "so far"),
    key=configuration("u8", "of its random numbers"),
)

GIVEN_TIMES = Column(
    "given",
    "service times of steps that have a table of them",
    configuration("i8", "of the n-th visit", "ns"),
)

DRIVES = Table(
    "drives",
    "what all drives have towards their host",
    kind=configuration("i4", "DRIVE_SSD or DRIVE_DISK"),
    row=configuration("i4", "in the table of its kind"),
    failed=state("i4", "1: it answers no more"),
    serial=state("i4", "tells it from those that were in its place before; below NONE", start=-2),
    slots=configuration("i4", "station of the command slots; NONE: more than ever needed"),
    elevator=configuration("i4", "row of the host's elevator, or NONE", start=NONE),
    flush_queue=configuration("i4", "row of the host's queue of flushes, or NONE", start=NONE),
    latency_station=configuration("i4", "where the fixed latency passes"),
    protected=configuration("i4", "1: its write buffer survives a power cut"),
    no_flush=configuration("i4", "1: its host knows of no volatile cache, and sends no flush"),
    forces=configuration("i4", "1: its write cache is off, and all of its writes are forced"),
    no_fua=configuration("i4", "1: its host sends a forced write as a write and a flush"),
    heated=configuration("i4", "1: its temperature is simulated"),
    first_hop=configuration("i4", "first of the shared links on its way up, from the drive on"),
    hops=configuration("i4", "how many there are"),
    defects=state("i4", "sectors that it cannot read"),
    recovery=configuration("i8", "how long it tries before it says so", "ns"),
    delay=state("i8", "what a slow drive takes more for each command", "ns"),
    idle_power=configuration("f8", "when idle", "W"),
    active_power=configuration("f8", "under load", "W"),
    powered=state("i4", "1: it has power, but for power cuts", start=1),
    powered_time=counter("i8", "time with power", "ns"),
    powered_since=state("i8", "up to when that is counted", "ns"),
    size=configuration("i8", "usable bytes", "B"),
    grain=configuration("i8", "a command may become a job for each so many bytes", "B"),
    max_transfer=configuration("i8", "longest command", "B"),
    latency=configuration("i8", "each way", "ns"),
    driver_read=configuration("f8", "CPU time of its driver on the host for a read", "ns"),
    driver_write=configuration("f8", "CPU time of its driver on the host for a write", "ns"),
    driver_read_ns=configuration(
        "f8", "CPU time of its driver on the host for each byte read", "ns/B"
    ),
    driver_write_ns=configuration(
        "f8", "CPU time of its driver on the host for each byte written", "ns/B"
    ),
    host_read=counter("i8", "bytes that were read from it", "B"),
    host_written=counter("i8", "bytes that were written to it", "B"),
    unsafe=volatile("i8", "acknowledged or withheld, and not on the medium yet", "B"),
    withheld=volatile("i8", "of forced writes that came into the buffer, not answered yet", "B"),
    unsafe_peak=window("i8", "the most that was acknowledged of it in the window", "B"),
    unsafe_area=counter("f8", "integral of that over time", "B ns"),
    unsafe_changed=state("i8", "up to when that is counted", "ns"),
)

FLUSH_QUEUES = Table(
    "flush_queues",
    "flushes of a drive that wait in the host: it sends one at a time",
    alone=configuration("i4", "1: the drive takes no other command during a flush (ATA)"),
    gathers=configuration("i4", "1: the next flush serves all that wait; 0: each is a command"),
    under_way=volatile("i4", "1: one is under way, or waits until the drive is empty"),
    next=volatile("i4", "the one that waits for that, or NONE", start=NONE),
    first_waiting=volatile("i4", "first of those that wait for it to end, or NONE", start=NONE),
    last_waiting=volatile("i4", "last of them"),
)

LATENCIES = Column(
    "latencies",
    "histograms of an account: reads, writes, flushes and trims",
    window("i8", "I/Os whose latency lies in the bin", shape=(4, BINS)),
)

COMPLETED_SLICES = Column(
    "slices",
    "throughput series of an account",
    window("i8", "I/Os that completed in the slice", shape=(SLICES,)),
)

IOS = Table(
    "ios",
    "an I/O of a host that completed, one after the other, as long as there is room; none by"
    " default",
    Memory(rows=0),
    issued=window("i8", "when it was issued", "ns"),
    submitted=window("i8", "when its process had submitted it", "ns"),
    completed=window("i8", "when it was completed", "ns"),
    offset=window("i8", "first byte, in its volume", "B"),
    length=window("i8", "bytes from there on", "B"),
    stream=window("i4", "whose it is"),
    op=window("i4", "READ or WRITE"),
)

COMPLETIONS = Table(
    "completions",
    "an end that the control plane awaits, until it collects it",
    Memory(rows=1024),
    ticket=state("i8", "of the request, load or operation"),
    time=state("i8", "when it ended", "ns"),
    issued=state("i8", "when it was issued", "ns"),
    status=state("i8", "how it ended"),
)
