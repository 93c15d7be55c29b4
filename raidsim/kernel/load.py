"""Streams: which I/Os are issued, and when.

Closed streams keep a number of I/Os outstanding, with think time between completion and next issue.
Streams with a rate or given arrivals issue independently of the system. Bursts restrict both to the
on-part of a period. The n-th I/O of a stream has the same kind, size and place whatever happens
before it: each property is drawn from a separate key by the number of the I/O. A think time begins
when an I/O ends. It is drawn by the number of I/Os of the stream that have ended so far, with or
without an error, and not by the number of this I/O. After a number of writes a stream may ask for a
flush, in the place of an I/O; a flush has no number. Its worker waits for the flush, as a process
does in fsync: I/Os under way continue, and no other begins until the flush is back.

A stream may also replay a trace: its n-th I/O is the n-th of `requests`. These rows are a ring that
is refilled while the stream goes through it, so a trace may have any length.

Verbs: :func:`begin` starts a stream, :func:`next_request` makes its next request, :func:`waits`
holds back an issue that comes during a flush, :func:`flush_returned` schedules it then,
:func:`follow_up` decides what comes after a completion.
"""

from __future__ import annotations

from raidsim.kernel import permutation, zipf
from raidsim.kernel.event_list import schedule
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import take
from raidsim.kernel.load_tables import CLOSED, GIVEN, MANUAL, RATE
from raidsim.kernel.random import exponential, uniform
from raidsim.kernel.station import round_ns
from raidsim.kernel.tables import (
    EVENT_ISSUE,
    EVENT_TIMEOUT,
    FLUSH,
    LAW_EXPONENTIAL,
    NEVER,
    NONE,
    READ,
    STAGE_SUBMITTED,
    TRIM,
    WRITE,
)

SERIAL_MASK = 0x7FFFFFFF
FEW = 2
"""Requests of a trace, the one being made included: with no more left, more are asked for."""


@routine
def begin(w, s):
    """Start stream ``s`` now: schedule the first issue of each of its slots."""
    stream = w.streams[s]
    now = w.state[0]["now"]
    stream["start"] = now
    stream["clock"] = 0.0
    stream["mark"] += 1
    if stream["mode"] == CLOSED:
        for _ in range(stream["outstanding"]):
            schedule_issue(w, s, next_on(stream, now))
    elif stream["mode"] == RATE or stream["mode"] == GIVEN:
        schedule_arrival(w, s)


@handler
def schedule_issue(w, s, time):
    """Issue at ``time``, unless the stream ends before."""
    stream = w.streams[s]
    if time < stream["stop_time"]:
        stream["scheduled"] += 1
        schedule(w, time, stream["priority"], EVENT_ISSUE, s, stream["mark"])


@routine
def schedule_arrival(w, s):
    """Schedule the next arrival of an open stream."""
    stream = w.streams[s]
    n = stream["issued"]
    if stream["mode"] == GIVEN:
        if stream["traced"] == 1:
            if n < stream["given"]:
                schedule_issue(w, s, stream["start"] + request_of_trace(w, stream, n)["time"])
        elif n < stream["arrivals"]:
            schedule_issue(w, s, stream["start"] + w.arrivals[stream["first_arrival"] + n])
        return
    gap = stream["gap"]
    if stream["gap_law"] == LAW_EXPONENTIAL:
        gap *= exponential(stream["key_gap"], n)
    stream["clock"] += gap
    schedule_issue(w, s, stream["start"] + on_time(stream, stream["clock"]))


@handler
def next_on(stream, time):
    """``time`` if it falls into the on-part of a burst period, else the next on-part's start."""
    if stream["burst_off"] == 0:
        return time
    period = stream["burst_on"] + stream["burst_off"]
    into = (time - stream["start"]) % period
    if into < stream["burst_on"]:
        return time
    return time + period - into


@handler
def on_time(stream, clock):
    """ns since the start when ``clock`` ns of on-parts have passed."""
    if stream["burst_off"] == 0:
        return round_ns(clock)
    # Rounded down: rounding up might lead into the pause.
    now = int(clock)
    return now + now // stream["burst_on"] * stream["burst_off"]


@handler
def may_issue(w, stream):
    """Return whether none of the stream's limits is reached."""
    return (
        stream["ended"] == 0
        and stream["issued"] - stream["flushes"] < stream["stop_ios"]
        and stream["issued_bytes"] < stream["stop_bytes"]
        and w.state[0]["now"] < stream["stop_time"]
    )


@handler
def waits(stream):
    """Return whether an issue waits for a flush of its worker; count it if so."""
    stream["held"] += stream["flushing"]
    return stream["flushing"] == 1


@handler
def flush_returned(w, s):
    """The flush that a worker waits for is back: what waited is issued."""
    stream = w.streams[s]
    stream["flushing"] = 0
    for _ in range(stream["held"]):
        schedule_issue(w, s, next_on(stream, w.state[0]["now"]))
    stream["held"] = 0


@handler
def next_request(w, s):
    """Make the next request of stream ``s``; its index, or NONE at the stream's end."""
    stream = w.streams[s]
    if not may_issue(w, stream):
        stream["ended"] = 1
        return NONE
    if stream["traced"] == 1:
        return replay(w, s)
    if stream["flush_every"] > 0 and stream["unflushed"] >= stream["flush_every"]:
        stream["unflushed"] = 0
        stream["flushes"] += 1
        stream["flushing"] = 1
        return request(w, s, stream, FLUSH, stream["area_offset"], 0)
    n = stream["issued"] - stream["flushes"]
    size = draw_size(w, stream, n)
    length = size["bytes"]
    op = READ
    u = uniform(stream["key_op"], n)
    if u >= size["read_share"]:
        if u < size["read_share"] + size["trim_share"]:
            op = TRIM
        else:
            op = WRITE
            stream["unflushed"] += 1
    offset = draw_offset(w, stream, n, size)
    index = request(w, s, stream, op, offset, length)
    if stream["mode"] != CLOSED:
        schedule_arrival(w, s)
    return index


@routine
def replay(w, s):
    """Make the next request of a trace; its index, or NONE at the end of the trace."""
    stream = w.streams[s]
    n = stream["issued"]
    if n >= stream["given"]:
        stream["ended"] = 1
        return NONE
    row = request_of_trace(w, stream, n)
    op = row["op"]
    if op == FLUSH:
        stream["flushes"] += 1
    index = request(w, s, stream, op, row["offset"], row["length"])
    if stream["given"] - n <= FEW and stream["complete"] == 0:
        w.state[0]["hungry"] = 1
    if stream["mode"] != CLOSED:
        schedule_arrival(w, s)
    return index


@handler
def request_of_trace(w, stream, n):
    """Row of `requests` that is the n-th of a stream."""
    return w.requests[stream["first_request"] + n % stream["requests"]]


@handler
def request(w, s, stream, op, offset, length):
    """Make a new request of stream ``s``: it is counted, and its I/O timeout begins."""
    state = w.state[0]
    n = stream["issued"]
    stream["issued"] = n + 1
    stream["issued_bytes"] += length
    stream["in_flight"] += 1
    index = take(w, STAGE_SUBMITTED, NONE)
    job = w.jobs[index]
    job["stream"] = s
    job["volume"] = stream["volume"]
    job["op"] = op
    job["priority"] = stream["priority"]
    job["ticket"] = NONE
    job["abandoned"] = 0
    if op == WRITE:
        job["fua"] = stream["fua"]
    job["offset"] = offset
    job["length"] = length
    job["issued"] = state["now"]
    state["requests"] += 1
    job["serial"] = state["requests"] & SERIAL_MASK
    if stream["timeout"] < NEVER:
        time = state["now"] + stream["timeout"]
        schedule(w, time, 0, EVENT_TIMEOUT, index, job["serial"])
    return index


@handler
def draw_size(w, stream, n):
    """Row of `sizes` that the n-th I/O is of."""
    row = stream["first_size"]
    if stream["sizes"] > 1:
        u = uniform(stream["key_size"], n)
        while w.sizes[row]["up_to"] <= u:
            row += 1
    return w.sizes[row]


@handler
def draw_offset(w, stream, n, size):
    """Byte address of the n-th I/O, which is of a row of `sizes`, inside the stream's area."""
    align = stream["align"]
    length = size["bytes"]
    share = size["random_share"]
    blocks = (stream["area_size"] - length) // align + 1
    if share >= 1.0 or (share > 0.0 and uniform(stream["key_random"], n) < share):
        place = draw_block(w, stream, n, blocks) * align
    else:
        place = stream["position"]
        if place + length > stream["area_size"]:
            place = 0
        stream["position"] = (place + length + align - 1) // align * align
    return stream["area_offset"] + place


@handler
def draw_block(w, stream, n, blocks):
    """Return the number of the place, 0 to ``blocks`` - 1, that a random access goes to."""
    if stream["zipf"] > 0.0:
        return zipf.scatter(zipf.rank(stream["key_where"], n, blocks, stream["zipf"]), blocks)
    if stream["once"] == 1:
        return permutation.place(stream["key_where"], n, blocks)
    u = uniform(stream["key_where"], n)
    if stream["zones"] > 0 and stream["zones"] <= blocks:
        return draw_in_zone(w, stream, u, blocks)
    return int(u * blocks)


@handler
def draw_in_zone(w, stream, u, blocks):
    """Return the place of a random access with zones; each zone has at least one place."""
    first = 0
    passed = 0.0
    zone = stream["first_zone"]
    left = stream["zones"] - 1  # zones behind this one
    while True:
        up_to = w.load_zones[zone]["up_to"]
        end = min(max(int(blocks * w.load_zones[zone]["area_up_to"]), first + 1), blocks - left)
        if u < up_to or left == 0:
            within = (u - passed) / (up_to - passed)
            return first + min(int(within * (end - first)), end - first - 1)
        first = end
        passed = up_to
        zone += 1
        left -= 1


@handler
def follow_up(w, s):
    """Return the time, ns, at which the slot of a closed stream issues next, or NEVER."""
    stream = w.streams[s]
    if stream["mode"] != CLOSED or stream["ended"] == 1:
        return NEVER
    time = w.state[0]["now"]
    if stream["traced"] == 1:
        n = stream["issued"]
        if n >= stream["given"]:
            return NEVER
        time += request_of_trace(w, stream, n)["time"]
    if stream["think"] > 0:
        wait = float(stream["think"])
        if stream["think_law"] == LAW_EXPONENTIAL:
            wait *= exponential(
                stream["key_think"], stream["completed"] + stream["failed"] + stream["timed_out"]
            )
        time += round_ns(wait)
    return next_on(stream, time)


@handler
def is_over(stream):
    """Return whether nothing more will come of the stream."""
    waiting = stream["scheduled"] + stream["held"]
    return stream["in_flight"] == 0 and waiting == 0 and stream["mode"] != MANUAL
