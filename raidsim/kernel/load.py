"""Streams: who issues which I/O when.

Closed streams keep a number of I/Os outstanding, with think time between completion
and next issue; Poisson and given-arrival streams issue whatever the system does.
Bursts restrict both to the on-part of a period. The n-th I/O of a stream has the same
kind, size and place whatever happens before it: each property is drawn from a key of
its own by the number of the I/O.

Verbs: :func:`begin` starts a stream, :func:`issue` makes its next request,
:func:`follow_up` decides what comes after an issue or a completion.
"""

from __future__ import annotations

from raidsim.kernel import zipf
from raidsim.kernel.heap import schedule
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import take
from raidsim.kernel.random import exponential, uniform
from raidsim.kernel.station import round_ns
from raidsim.kernel.tables import (
    CLOSED,
    EVENT_ISSUE,
    EVENT_TIMEOUT,
    GIVEN,
    LAW_EXPONENTIAL,
    MANUAL,
    NEVER,
    NONE,
    POISSON,
    READ,
    STAGE_SUBMITTED,
    WRITE,
)

SERIAL_MASK = 0x7FFFFFFF


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
    elif stream["mode"] == POISSON or stream["mode"] == GIVEN:
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
        if n < stream["arrivals"]:
            schedule_issue(w, s, stream["start"] + w.arrivals[stream["first_arrival"] + n])
        return
    stream["clock"] += stream["gap"] * exponential(stream["key_gap"], n)
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
    """Whether none of the stream's limits is reached."""
    return (
        stream["ended"] == 0
        and stream["issued"] < stream["stop_ios"]
        and stream["issued_bytes"] < stream["stop_bytes"]
        and w.state[0]["now"] < stream["stop_time"]
    )


@handler
def issue(w, s):
    """Make the next request of stream ``s``; its index, or NONE at the stream's end."""
    stream = w.streams[s]
    if not may_issue(w, stream):
        stream["ended"] = 1
        return NONE
    n = stream["issued"]
    length = draw_length(w, stream, n)
    op = READ if uniform(stream["key_op"], n) < stream["read_share"] else WRITE
    offset = draw_offset(stream, n, length)
    index = request(w, s, stream, op, offset, length)
    if stream["mode"] != CLOSED:
        schedule_arrival(w, s)
    return index


@handler
def request(w, s, stream, op, offset, length):
    """A fresh request of stream ``s``, counted and with its patience running."""
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
def draw_length(w, stream, n):
    """Bytes of the n-th I/O."""
    row = stream["first_size"]
    if stream["sizes"] > 1:
        u = uniform(stream["key_size"], n)
        while w.sizes[row]["up_to"] <= u:
            row += 1
    return w.sizes[row]["bytes"]


@handler
def draw_offset(stream, n, length):
    """Byte address of the n-th I/O, inside the stream's area."""
    align = stream["align"]
    blocks = (stream["area_size"] - length) // align + 1
    if stream["random_share"] >= 1.0 or (
        stream["random_share"] > 0.0 and uniform(stream["key_random"], n) < stream["random_share"]
    ):
        place = draw_block(stream, n, blocks) * align
    else:
        place = stream["position"]
        if place + length > stream["area_size"]:
            place = 0
        stream["position"] = (place + length + align - 1) // align * align
    return stream["area_offset"] + place


@handler
def draw_block(stream, n, blocks):
    """Which of ``blocks`` aligned places a random access goes to."""
    if stream["zipf"] > 0.0:
        return zipf.scatter(zipf.rank(stream["key_where"], n, blocks, stream["zipf"]), blocks)
    u = uniform(stream["key_where"], n)
    if stream["hot_area"] > 0.0:
        hot = max(int(blocks * stream["hot_area"]), 1)
        if hot >= blocks:
            return int(u * blocks)
        if u < stream["hot_accesses"]:
            return min(int(u / stream["hot_accesses"] * hot), hot - 1)
        u = (u - stream["hot_accesses"]) / (1.0 - stream["hot_accesses"])
        return hot + min(int(u * (blocks - hot)), blocks - hot - 1)
    return int(u * blocks)


@handler
def follow_up(w, s):
    """When the slot of a closed stream issues next: NEVER, or a time (now included)."""
    stream = w.streams[s]
    if stream["mode"] != CLOSED or stream["ended"] == 1:
        return NEVER
    time = w.state[0]["now"]
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
    """Whether nothing more will come of the stream."""
    return stream["in_flight"] == 0 and stream["scheduled"] == 0 and stream["mode"] != MANUAL
