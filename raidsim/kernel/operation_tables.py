"""Tables of work that goes through a whole array in the background, and of unreadable sectors."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Column, Table, configuration, counter, state

# What is done with each row.
REBUILD = 0  # a drive's strip is restored from the others
COPY = 1  # a drive is copied to another one, which then takes its place
CHECK = 2  # copies, or data and parity, are read and compared
READ_ALL = 3  # every drive is read: patrol
WRITE_ALL = 4  # every drive is written: initialisation
RESYNC = 5  # copies are written anew from the first one; parity is checked

# What becomes of a sector that nothing restores.
STOP = 0  # a rebuild ends
PUNCTURE = 1  # its row is left out, and marked as unreadable on the new drive

# What a worker is at.
WORKING = 0
ENDED = 1  # has done its rows, and waits for those before them
RESTING = 2  # the operation is paused
QUEUED = 3  # waits until those before it have their locks

OPERATIONS = Table(
    "operations",
    "work that goes through an array in the background",
    volume=configuration("i8", "that it goes through"),
    kind=configuration("i8", "what is done with each row"),
    member=configuration("i8", "row in `members` that is copied; the first that is rebuilt"),
    first_target=configuration("i8", "of a rebuild: first of its rows in `targets`"),
    targets=configuration("i8", "how many there are"),
    first=configuration("i8", "first row of strips"),
    next=state("i8", "row that is begun next"),
    end=configuration("i8", "row behind the last"),
    chunk=configuration("i8", "rows that a worker takes at a time"),
    block=configuration("i8", "rows in sequence; then it skips to the next multiple"),
    stride=configuration("i8", "of so many rows"),
    first_worker=configuration("i8", "first of its rows in `workers`"),
    workers=configuration("i8", "how many there are"),
    working=state("i8", "workers that have not come to the end"),
    begun=state("i8", "chunks that were begun"),
    locked=state("i8", "chunks that have had all their locks, in order"),
    retired=state("i8", "chunks that are done, in order"),
    rows=state("i8", "rows of those"),
    frontier=state("i8", "row up to which all is done"),
    share=state("f8", "of its time that a worker works while there is other work"),
    least=state("i8", "time that a chunk takes at least: a limit of the throughput", "ns"),
    due=state("i8", "until when the rows so far take at least: of all workers together", "ns"),
    clock=configuration("i8", "station where it waits"),
    puncture=configuration("i8", "what becomes of a sector that nothing restores"),
    paused=state("i8", "1: it rests"),
    stopped=state("i8", "1: it begins no more rows"),
    lost=state("i8", "1: it could not go on"),
    found=counter("i8", "unreadable sectors"),
    repaired=counter("i8", "of these, restored"),
    punctured=counter("i8", "rows that are lost"),
    started=state("i8", "when it began", "ns"),
    ended=state("i8", "when it ended, or NONE", "ns", start=NONE),
    ticket=configuration("i8", "by which the control plane awaits its end, or NONE"),
)

WORKERS = Column(
    "workers",
    "one that goes through the rows of an operation",
    state("i8", "its job, or NONE when it has come to the end"),
)

TARGETS = Table(
    "targets",
    "a drive that a rebuild fills: one pass may fill several",
    member=configuration("i8", "row in `members`"),
    first=configuration("i8", "row of strips from which on it is written: it has those before"),
    lost=state("i8", "1: it has failed, or nothing restores it"),
)

DEFECTS = Table(
    "defects",
    "a range of sectors that a drive cannot read",
    drive=state("i8", "row of the drive; NONE: it is none any more"),
    offset=state("i8", "first byte", "B"),
    length=state("i8", "bytes from there on", "B"),
    punctured=state("i8", "1: marked by a rebuild, whose own writes do not make it good"),
    passed=state("i8", "1: no operation stops at it any more"),
)
