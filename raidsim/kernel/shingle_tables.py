"""Tables of shingled disks: the log of the media cache, its map, and streams that fill bands."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Table, configuration, counter, state, volatile

# What the arm of a shingled disk does.
FOR_HOST = 0  # an access for a command, or a write of the buffer
PIECE = 1  # one piece of a read whose data is in several places
REWRITE = 2  # a step of a band rewrite

# How far a band rewrite has come.
RESTING = 0
GATHERING = 1  # reads what the media cache holds of the band
READING = 2  # reads the band
WRITING = 3  # writes it

SHINGLES = Table(
    "shingles",
    "a shingled disk: its media cache, and the band that it rewrites",
    disk=configuration("i4", "row of what all disks have"),
    timer=configuration("i4", "station: how long nothing has been asked"),
    timer_job=configuration("i4", "the job that waits there"),
    band=configuration("i8", "of a band, and of where bands begin", "B"),
    media_cache=configuration("i8", "of the log; it lies in front of byte 0", "B"),
    idle_after=configuration("i8", "without a command until bands are rewritten", "ns"),
    first_band=configuration("i4", "first of its rows in `bands`"),
    first_record=configuration("i4", "first of its rows in `records`"),
    records=configuration("i4", "how many there are"),
    most_records=configuration("i4", "from how many on the media cache is full"),
    first_frontier=configuration("i4", "first of its rows in `frontiers`"),
    frontiers=configuration("i4", "how many there are"),
    head=state("i8", "appended to the log so far", "B"),
    next=state("i8", "records so far: number of the one to come"),
    oldest=state("i8", "number of the oldest record that is kept"),
    kept=state("i4", "records from there on"),
    used=state("i8", "of the log, from the oldest record on", "B"),
    tick=state("i8", "streams followed so far"),
    doing=volatile("i4", "FOR_HOST, PIECE or REWRITE: what the arm does or did last"),
    place=volatile("i8", "where the write under way lands", "B"),
    direct=volatile("i4", "the stream that it continues in its band; or NONE: it goes to the log",
                    start=NONE),
    part=volatile("i8", "of it that is written there; the rest comes next", "B"),
    heard=volatile("i8", "when a command came, or was carried out, last", "ns"),
    timing=volatile("i4", "1: its timer runs"),
    cleaning=volatile("i4", "1: it has been idle long enough, and rewrites bands"),
    phase=volatile("i4", "of the rewrite: RESTING, GATHERING, READING or WRITING"),
    target=volatile("i8", "number of the band that is rewritten", start=NONE),
    until=volatile("i8", "records from this one on came after the rewrite began"),
    gather=volatile("i8", "the next record to read; or NONE", start=NONE),
    rewrites=counter("i8", "bands rewritten so far"),
    logged=counter("i8", "written to the media cache so far", "B"),
    streamed=counter("i8", "written straight to bands so far", "B"),
)  # fmt: skip

BANDS = Table(
    "bands",
    "a band of a shingled disk: the records of its data in the media cache, oldest first",
    first=state("i8", "number of the oldest; or NONE", start=NONE),
    last=state("i8", "number of the newest; or NONE", start=NONE),
)

RECORDS = Table(
    "records",
    "what the log of a media cache holds, in the order in which it was written",
    offset=state("i8", "first byte, as the host counts", "B"),
    length=state("i8", "bytes from there on; 0: the band was left half written by a stream", "B"),
    place=state("i8", "in the log, counted from its first beginning on", "B"),
    next=state("i8", "number of the next newer one of the band; or NONE"),
    live=state("i4", "0: written anew, or rewritten with its band"),
)

FRONTIERS = Table(
    "frontiers",
    "a stream of writes that fills the bands of a shingled disk",
    written=state("i8", "byte up to which it has filled them; or NONE", "B", start=NONE),
    coming=volatile("i8", "byte up to which its writes have come", "B"),
    used=state("i8", "tick of its last write"),
)
