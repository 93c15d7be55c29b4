"""The records of loads: the sources of I/Os, and their sizes, places and times.

See :mod:`~raidsim.kernel.load`.
"""

from __future__ import annotations

from raidsim.kernel.tables import NEVER, NONE
from raidsim.records import Column, Table, configuration, counter, state, volatile, window

# How a stream decides when to issue.
CLOSED = 0  # a fixed number of I/Os outstanding
RATE = 1  # at a rate, by a law of the times between arrivals
GIVEN = 2  # arrival times of a table
MANUAL = 3  # only what the control plane hands in

STREAMS = Table(
    "streams",
    "what one worker of a load does",
    volume=configuration("i4", "that it is on"),
    process=configuration("i4", "row of what its I/Os cost the host"),
    mode=configuration("i4", "how it decides when to issue: CLOSED, RATE, GIVEN or MANUAL"),
    outstanding=configuration("i4", "I/Os that a closed one has under way"),
    priority=state("i4", "of its I/Os, 0 is the most urgent; a manual one is told each time"),
    ended=state("i4", "1: it issues no more"),
    mark=state("i4", "its scheduled issues carry this number, else they are void"),
    think_law=configuration("i4", "distribution of the think time: LAW_..."),
    first_size=configuration("i4", "first row of its sizes"),
    sizes=configuration("i4", "how many there are"),
    first_zone=configuration("i4", "first row of the zones of its area"),
    zones=configuration("i4", "how many there are; 0: all places are equal"),
    once=configuration("i4", "1: it comes to no place again before it was at all of them"),
    flush_every=configuration("i4", "it asks for a flush after so many writes; 0: never"),
    unflushed=state("i4", "writes since the last one"),
    fua=configuration("i4", "1: its writes are forced: answered once they are on the medium"),
    gap_law=configuration("i4", "distribution of the times between arrivals at a rate: LAW_..."),
    in_flight=volatile("i4", "I/Os under way"),
    scheduled=volatile("i4", "issues that are scheduled"),
    flushing=volatile("i4", "1: its worker waits for a flush"),
    held=volatile("i4", "issues that wait for the same flush"),
    account=configuration("i4", "row of latencies and slices in which its I/Os are counted"),
    area_offset=configuration("i8", "first byte of its area of the volume", "B"),
    area_size=configuration("i8", "size of the area", "B"),
    align=configuration("i8", "addresses are multiples of it", "B", start=1),
    position=state("i8", "where the next sequential access begins, in the area", "B"),
    zipf=configuration("f8", "exponent of a Zipf distribution of addresses; 0 for none"),
    think=configuration("i8", "mean time from the end of an I/O to the next issue", "ns"),
    gap=configuration("f8", "mean time between arrivals at a rate", "ns", start=1),
    clock=state("f8", "time of the last of these, without the pauses between bursts", "ns"),
    start=state("i8", "when it began", "ns"),
    burst_on=configuration("i8", "length of a burst; 0: no bursts", "ns"),
    burst_off=configuration("i8", "length of a pause", "ns"),
    traced=configuration("i4", "1: its I/Os are those of `requests`, one behind the other"),
    first_request=configuration("i8", "first of its rows there, which are a ring"),
    requests=configuration("i8", "how many there are"),
    given=state("i8", "requests that were ever put into them"),
    complete=state("i4", "1: no more will come"),
    first_arrival=configuration("i8", "first row of its arrival times"),
    arrivals=configuration("i8", "how many there are"),
    timeout=state("i8", "patience of the host; a manual one is told each time", "ns", start=NEVER),
    last=state("i8", "time of the last completion", "ns"),
    stop_time=configuration("i8", "when it ends", "ns", start=NEVER),
    stop_ios=configuration("i8", "I/Os after which it ends", start=NEVER),
    stop_bytes=configuration("i8", "bytes after which it ends", "B", start=NEVER),
    issued=counter("i8", "I/Os and flushes issued"),
    flushes=counter("i8", "flushes among these"),
    issued_bytes=counter("i8", "bytes that these ask for", "B"),
    completed=counter("i8", "I/Os that ended well"),
    failed=counter("i8", "I/Os that ended with an error"),
    timed_out=counter("i8", "I/Os that ended with the host's patience"),
    ticket=state("i8", "by which the control plane awaits its end, or NONE", start=NONE),
    key_where=configuration("u8", "key of the random numbers for addresses"),
    key_random=configuration("u8", "key of the random numbers for whether an access is random"),
    key_op=configuration("u8", "key of the random numbers for read or write"),
    key_size=configuration("u8", "key of the random numbers for sizes"),
    key_gap=configuration("u8", "key of the random numbers for times between arrivals"),
    key_think=configuration("u8", "key of the random numbers for think times"),
    window_ios=window("i8", "I/Os completed, reads and writes", shape=(2,)),
    window_bytes=window("i8", "bytes of these", "B", shape=(2,)),
    window_ns=window("i8", "sum of their latencies", "ns", shape=(2,)),
    window_others=window("i8", "flushes and trims completed", shape=(2,)),
    window_others_ns=window("i8", "sum of their latencies", "ns", shape=(2,)),
)

SIZES = Table(
    "sizes",
    "a size of the I/Os of a stream",
    bytes=configuration("i8", "the size", "B"),
    up_to=configuration("f8", "share of the I/Os that are of this size or one before it"),
    read_share=configuration("f8", "share of reads among those of this size", start=1),
    trim_share=configuration("f8", "share of trims among those of this size"),
    random_share=configuration(
        "f8", "share of accesses of this size that do not follow the last", start=1
    ),
)

LOAD_ZONES = Table(
    "load_zones",
    "a part of a stream's area that gets its own share of the random accesses",
    area_up_to=configuration("f8", "share of the area that is this zone or one before it"),
    up_to=configuration("f8", "share of the random accesses that go to these"),
)

REQUESTS = Table(
    "requests",
    "an I/O that a stream is to make, as a trace has it",
    time=configuration(
        "i8", "of an open stream: since its start; of a closed one: since an I/O ended", "ns"
    ),
    offset=configuration("i8", "first byte, in the volume", "B"),
    length=configuration("i8", "bytes from there on", "B"),
    op=configuration("i4", "READ, WRITE, FLUSH or TRIM"),
)

ARRIVALS = Column(
    "arrivals",
    "arrival times of open loads that have a table of them",
    configuration("i8", "since the start of the load", "ns"),
)
