"""Read-ahead of a solid state drive: finding sequential streams, and fetching their next data.

A segment follows one stream. It counts in mapping units, or in 4 KiB if these are larger. A command
that begins in the unit after the last one of the segment is sequential. So is a command that begins
with the byte after its last one and continues into the next unit, as with a partition that is not
aligned. Any other command that begins in this last unit is a repetition, and starts the count
again. After ``threshold`` sequential commands in a row the segment reads ahead, up to ``depth``
bytes beyond the last command.

Read-ahead is idle work: it starts when a command has been answered and the drive holds no other
one. Two interleaved commands therefore leave it no time, while single commands find their data
ready or on the way.

Prefetched pages wait in slots, direct mapped by page number. The drive also keeps the last mapping
unit of the last read (the sector buffer). Commands smaller than a unit find the rest of it there,
or wait for it if it is on its way.

Verbs: :func:`serve` takes what it can from the buffers, :func:`run` fetches ahead, :func:`sensed`
and :func:`arrived` follow a prefetched page, :func:`share` passes on a unit.
"""

from __future__ import annotations

from raidsim.kernel.flash import die_of, sense, sense_time, transfer_frames
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child, take_internal
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    NONE,
    READ,
    SLOT_EMPTY,
    SLOT_IN_FLIGHT,
    SLOT_READY,
    STAGE_AHEAD_READ,
    STAGE_AHEAD_SENSED,
    STAGE_PATH_READ,
    STAGE_WAITING,
    TO_HOST,
)

STREAM_UNIT = 4096
"""Bytes in which a segment counts at most: a coarser map saves memory, and is no reason to see
streams of pages of 4 KiB as repetitions."""


@handler
def counted_in(drive):
    """Bytes of the units in which the segments of a drive count."""
    return min(drive["unit"], STREAM_UNIT)


@routine
def serve(w, drive, index):
    """Serve read ``index`` from the drive's buffers; False if all of it must come from flash."""
    job = w.jobs[index]
    first = job["offset"] // drive["unit"]
    last = (job["offset"] + job["length"] - 1) // drive["unit"]
    held = first == last and first == drive["held_unit"]
    segment = NONE
    if drive["segments"] > 0:
        segment = follow(w, drive, job["offset"], job["offset"] + job["length"])
    job["segment"] = segment
    if held:
        page_from_buffer(w, drive, index, job["offset"], job["offset"] + job["length"])
        return True
    is_part = job["length"] < drive["unit"]
    if is_part:
        job["waiters"] = NONE
        if first == last and drive["fetching"] != NONE and drive["fetched_unit"] == first:
            wait_for_unit(w, index, drive["fetching"])
            return True
    if segment == NONE or w.segments[segment]["frontier"] < 0:
        if is_part and first == last:
            drive["fetching"] = index
            drive["fetched_unit"] = first
        return False
    serve_from_slots(w, drive, index, segment)
    return True


@routine
def wait_for_unit(w, index, fetching):
    """Read ``index`` waits for the mapping unit that command ``fetching`` brings."""
    child = take_child(w, STAGE_WAITING, index)
    job = w.jobs[index]
    job["pending"] += 1
    part = w.jobs[child]
    part["offset"] = job["offset"]
    part["length"] = job["length"]
    part["direction"] = TO_HOST
    part["next"] = w.jobs[fetching]["waiters"]
    w.jobs[fetching]["waiters"] = child


@routine
def share(w, drive, fetching):
    """The data of ``fetching`` is there, and commands that wait for its mapping unit continue."""
    if drive["fetching"] == fetching:
        drive["fetching"] = NONE
    waiter = w.jobs[fetching]["waiters"]
    w.jobs[fetching]["waiters"] = NONE
    send_all(w, drive, waiter)


@routine
def send_all(w, drive, waiter):
    """Send the pages of a list of waiting commands over the data path."""
    while waiter != NONE:
        following = w.jobs[waiter]["next"]
        w.jobs[waiter]["next"] = NONE
        w.jobs[waiter]["stage"] = STAGE_PATH_READ
        arrive(w, drive["path"], waiter, round_ns(w.jobs[waiter]["length"] * drive["path_read_ns"]))
        waiter = following


@routine
def follow(w, drive, start, end):
    """The segment that the command over bytes start..end belongs to, brought up to date."""
    unit = counted_in(drive)
    first = start // unit
    last = (end - 1) // unit
    drive["tick"] += 1
    oldest = NONE
    oldest_used = drive["tick"]
    begin = drive["first_segment"]
    for s in range(begin, begin + drive["segments"]):
        segment = w.segments[s]
        if segment["next_unit"] == first or segment["last_unit"] == first:
            goes_on = segment["end"] == start and last > first
            is_next = segment["next_unit"] == first
            touch(drive, segment, end, last, segment["run"] + 1 if is_next or goes_on else 0)
            return s
        if segment["in_flight"] == 0 and segment["used"] < oldest_used:
            oldest_used = segment["used"]
            oldest = s
    if oldest != NONE:
        if w.segments[oldest]["frontier"] >= 0:
            forget(w, drive, oldest)
        touch(drive, w.segments[oldest], end, last, 0)
    return NONE


@handler
def touch(drive, segment, end, last, run):
    """A command that ends at byte ``end``, in unit ``last``, is the last one of a segment."""
    segment["run"] = run
    segment["end"] = end
    segment["last_unit"] = last
    segment["next_unit"] = last + 1
    segment["used"] = drive["tick"]


@handler
def forget(w, drive, s):
    """Empty the slots of a segment."""
    w.segments[s]["frontier"] = -1
    begin = slot_of(drive, s, 0)
    for index in range(begin, begin + drive["slots"]):
        w.slots[index]["state"] = SLOT_EMPTY
        w.slots[index]["page"] = -1


@handler
def slot_of(drive, s, page):
    """Index of the slot in which segment ``s`` keeps ``page``."""
    return (
        drive["first_slot"] + (s - drive["first_segment"]) * drive["slots"] + page % drive["slots"]
    )


@routine
def page_from_buffer(w, drive, index, start, end):
    """A page that is in the drive's memory: on to the data path at once."""
    child = take_child(w, STAGE_PATH_READ, index)
    w.jobs[index]["pending"] += 1
    job = w.jobs[child]
    job["offset"] = start
    job["length"] = end - start
    job["direction"] = TO_HOST
    arrive(w, drive["path"], child, round_ns(job["length"] * drive["path_read_ns"]))


@routine
def serve_from_slots(w, drive, index, s):
    """Each page of the command: ready, on its way, or to be read from flash."""
    job = w.jobs[index]
    page = drive["page"]
    start = job["offset"]
    end = start + job["length"]
    missing = NONE  # start of a run of pages that are not prefetched
    while start < end:
        number = start // page
        stop = min((number + 1) * page, end)
        slot = w.slots[slot_of(drive, s, number)]
        if slot["page"] != number or slot["state"] == SLOT_EMPTY:
            if missing == NONE:
                missing = start
            start = stop
            continue
        if missing != NONE:
            sense(w, drive, index, missing, start)
            missing = NONE
        if slot["state"] == SLOT_READY:
            page_from_buffer(w, drive, index, start, stop)
        else:
            child = take_child(w, STAGE_WAITING, index)
            job["pending"] += 1
            part = w.jobs[child]
            part["offset"] = start
            part["length"] = stop - start
            part["direction"] = TO_HOST
            part["next"] = slot["waiters"]
            slot["waiters"] = child
        start = stop
    if missing != NONE:
        sense(w, drive, index, missing, end)


@handler
def run(w, row, drive):
    """The drive is idle: extend each detected stream to its depth."""
    begin = drive["first_segment"]
    for s in range(begin, begin + drive["segments"]):
        segment = w.segments[s]
        if segment["run"] >= drive["ahead_threshold"]:
            extend(w, row, drive, s)


@routine
def extend(w, row, drive, s):
    """Fetch the pages of segment ``s`` from its frontier to ``depth`` beyond the last command."""
    segment = w.segments[s]
    page = drive["page"]
    unit = page * drive["planes"]
    position = segment["next_unit"] * counted_in(drive)
    target = min(position + drive["ahead_depth"], drive["size"]) // page
    if segment["frontier"] < position // page:
        segment["frontier"] = position // page
    time = sense_time(w, drive, s)
    while segment["frontier"] < target:
        number = segment["frontier"]
        stop = min((number * page // unit + 1) * drive["planes"], target)
        if w.slots[slot_of(drive, s, stop - 1)]["state"] == SLOT_IN_FLIGHT:
            return
        sensing = take_internal(w, STAGE_AHEAD_SENSED, row, drive, READ)
        job = w.jobs[sensing]
        job["offset"] = number * page
        job["length"] = (stop - number) * page
        job["segment"] = s
        for ahead in range(number, stop):
            slot = w.slots[slot_of(drive, s, ahead)]
            slot["page"] = ahead
            slot["state"] = SLOT_IN_FLIGHT
            slot["waiters"] = NONE
            segment["in_flight"] += 1
        segment["frontier"] = stop
        drive["prefetched"] += job["length"]
        arrive(w, die_of(drive, job["offset"]), sensing, time)


@routine
def sensed(w, index):
    """A die has read prefetched pages: each crosses the channel."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    page = drive["page"]
    start = job["offset"]
    end = start + job["length"]
    s = job["segment"]
    channel = drive["first_channel"] + (job["station"] - drive["first_die"]) // drive["dies"]
    drive["flash_read"] += job["length"]
    first = True
    while start < end:
        piece = index
        if not first:
            piece = take_internal(w, STAGE_AHEAD_READ, job["row"], drive, READ)
        part = w.jobs[piece]
        part["stage"] = STAGE_AHEAD_READ
        part["priority"] = job["priority"]
        part["direction"] = TO_HOST
        part["offset"] = start
        part["length"] = page
        part["segment"] = s
        arrive(w, channel, piece, transfer_frames(drive, start, start + page))
        first = False
        start += page


@routine
def arrived(w, index):
    """A prefetched page is in its slot; reads that waited for it go on."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    s = job["segment"]
    slot = w.slots[slot_of(drive, s, job["offset"] // drive["page"])]
    w.segments[s]["in_flight"] -= 1
    release(w, index)
    slot["state"] = SLOT_READY
    waiter = slot["waiters"]
    slot["waiters"] = NONE
    send_all(w, drive, waiter)
