"""A hard disk: the path of a command through controller, link, buffer and arm.

    read    controller -> buffer, if the data is there or on its way
                       -> or the arm (seek, rotation, transfer) -> link -> answered
    write   controller -> link -> the arm -> answered              (write cache off)
            controller -> room in the cache -> link -> answered    (write cache on)
            afterwards the arm writes it, in the order that its discipline finds best
    flush   controller -> the write cache is empty, or survives a power cut -> answered

The write cache holds a number of writes and of bytes; further writes wait until the arm has made
room. A write that overwrites another one before it is on the medium takes its place. A write that
continues another one is joined with it. A power cut loses the content of the cache:
:mod:`~raidsim.kernel.reply` counts it. Cached writes wait for the arm beside the commands of the
queue, so a drive with its cache on has more to choose from.

:mod:`~raidsim.kernel.shingles` describes the differences of a shingled disk.

Verbs: :func:`command_arrived`, :func:`decode`, :func:`written_in` (data has come over the link),
:func:`risen`, :func:`arm_free` and :func:`chosen` (the arm).
"""

from __future__ import annotations

from raidsim.kernel import arm, band_rewrites, deferred, disk_buffer, queue, shingles, streaming
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.mechanics import span
from raidsim.kernel.reply import delay, promise, reached_medium, reply
from raidsim.kernel.shingle_tables import FOR_HOST, PIECE
from raidsim.kernel.station import account, arrive, round_ns
from raidsim.kernel.streaming import FRAME
from raidsim.kernel.tables import (
    FAILED,
    FLUSH,
    FUA_ASKED,
    NONE,
    READ,
    STAGE_DISK_DECODED,
    STAGE_DISK_LINK_READ,
    STAGE_DISK_LINK_WRITE,
    STAGE_WAITING,
    TO_HOST,
    TO_MEDIUM,
    UNREADABLE,
    WRITE,
)


@part("disks")
@handler
def command_arrived(w, index):
    """The drive has the command: its controller decodes it."""
    job = w.jobs[index]
    disk = w.disks[job["row"]]
    job["stage"] = STAGE_DISK_DECODED
    time = command_time(w, disk, job) + delay(w, job)
    if disk["shingles"] != NONE:
        band_rewrites.heard(w, disk)
    arrive(w, disk["controller"], index, time)


@handler
def command_time(w, disk, job):
    """ns of the controller for a command: what it does, whether it hits, what came before."""
    row = disk["last_op"]
    if job["op"] == WRITE:
        row += 4
    disk["last_op"] = WRITE if job["op"] == WRITE else READ
    if disk["by_hit"] == 1:
        if job["op"] == WRITE:
            hit = is_cached(w, disk, job)
        else:
            disk_buffer.catch_up(w, disk)
            start = job["offset"]
            hit = disk_buffer.has_begun(w, disk, start) or holds(w, disk, start, start + 1)
        if hit:
            row += 2
    return disk["command_time"][row]


@part("disks")
@handler
def decode(w, index):
    """Send a command on its path; a failed drive answers with an error."""
    job = w.jobs[index]
    disk = w.disks[job["row"]]
    if w.drives[job["drive"]]["failed"] == 1:
        job["status"] = FAILED
        reply(w, index)
    elif job["status"] == UNREADABLE:
        reply(w, index)
    elif job["op"] == READ:
        read(w, disk, index)
    elif job["op"] == WRITE:
        write(w, disk, index)
    elif w.drives[job["drive"]]["protected"] == 1:
        reply(w, index)
    else:
        job["stage"] = STAGE_WAITING
        queue.append(w, disk, index)
        admit(w, disk)


@handler
def read(w, disk, index):
    """Find the data in the buffer, or let the arm fetch it."""
    job = w.jobs[index]
    start = job["offset"]
    end = start + job["length"]
    disk_buffer.catch_up(w, disk)
    e = disk_buffer.find(w, disk, start)
    if disk["shingles"] != NONE and shingles.is_scattered(w, disk, start, end):
        e = NONE  # segments hold data of bands
    if e != NONE and end <= w.extents[e]["end"]:
        disk_buffer.take(w, disk, e, end)
        send(w, disk, index)
        return
    if holds(w, disk, start, end):
        if disk["dirty_hits"] == 1:
            send(w, disk, index)
        else:
            job["stage"] = STAGE_WAITING
            queue.append(w, disk, index)
        return
    job["stage"] = STAGE_WAITING
    if e != NONE and disk["moving"] == 0 and disk_buffer.is_reading(w, disk, e):
        follow(w, disk, index, end)
        return
    if e != NONE:
        start = max(start, w.extents[e]["end"])
        disk_buffer.ask(w, disk, e, w.extents[e]["end"])
    arm.enqueue(w, disk, index, READ, start, end - start)


@handler
def follow(w, disk, index, end):
    """Read-ahead is about to read the data: it goes on, as a read that needs no positioning."""
    disk_buffer.ask(w, disk, disk["active"], w.extents[disk["active"]]["end"])
    lead = disk_buffer.due(w, disk, w.extents[disk["active"]]["end"])
    disk["command"] = index
    disk["op"] = READ
    disk["offset"] = w.extents[disk["active"]]["end"]
    disk["length"] = end - disk["offset"]
    disk["ahead"] = 0
    arm.access(w, disk, lead)


@handler
def holds(w, disk, start, end):
    """Return whether the write cache holds all of bytes [start, end)."""
    if disk["taken"] == 0:
        return False
    if disk["moving"] == 1 and disk["op"] == WRITE and disk["command"] == NONE:
        if disk["offset"] <= start and end <= disk["offset"] + disk["length"]:
            return True
    return covered(w, disk, start, end) != NONE


@handler
def write(w, disk, index):
    """Fetch the data of a write, once the cache has room for it if there is one."""
    job = w.jobs[index]
    disk_buffer.forget(w, disk, job["offset"], job["offset"] + job["length"])
    if not is_cached(w, disk, job) and disk["shingles"] == NONE:
        fetch(w, disk, index)
    elif disk["first_waiting"] == NONE and has_room(w, disk, job):
        reserve(w, disk, index)
    else:
        job["stage"] = STAGE_WAITING
        queue.append(w, disk, index)
        if disk["shingles"] != NONE and disk["moving"] == 0:
            band_rewrites.takes_turn(w, disk)


@handler
def is_cached(w, disk, job):
    """Return whether a write is answered from the buffer: not one that is larger than all of it."""
    if job["fua"] == FUA_ASKED and w.drives[disk["drive"]]["protected"] == 0:
        return False
    return disk["cached"] == 1 and job["length"] <= disk["cache"]


@handler
def has_room(w, disk, job):
    """Return whether the write cache, and the media cache of a shingled disk, can take a write."""
    if disk["shingles"] != NONE and not shingles.has_room(w, disk, job):
        return False
    if not is_cached(w, disk, job):
        return True
    return disk["taken"] < disk["entries"] and disk["dirty"] + job["length"] <= disk["cache"]


@handler
def reserve(w, disk, index):
    """Reserve room in the write cache for a write that goes there, and fetch it."""
    job = w.jobs[index]
    if disk["shingles"] != NONE:
        shingles.follow(w, disk, job)
    if is_cached(w, disk, job):
        disk["taken"] += 1
        disk["dirty"] += job["length"]
    fetch(w, disk, index)


@handler
def fetch(w, disk, index):
    """The data of a write comes over the link; the arm may be on its way meanwhile.

    A write that goes straight to the medium waits for the arm from its first frame on, since drives
    fetch the rest while they write.
    """
    job = w.jobs[index]
    if disk["early_seek"] == 1 and disk["moving"] == 0 and disk["coming"] == NONE:
        disk_buffer.stop(w, disk)
        disk["coming"] = index
        disk["coming_since"] = w.state[0]["now"]
    job["stage"] = STAGE_DISK_LINK_WRITE
    job["direction"] = TO_MEDIUM
    length = job["length"]
    if is_cached(w, disk, job) or disk["shingles"] != NONE:
        arrive(w, disk["link_to_drive"], index, round_ns(length * disk["link_ns"]))
        return
    medium = round_ns(span(w, disk, job["offset"], job["offset"] + length))
    streaming.head(w, disk["link_to_drive"], index, length, disk["link_ns"], medium, FRAME)


@part("disks")
@handler
def written_in(w, index):
    """The data of a write is in the buffer, or the first part of one that is not cached."""
    job = w.jobs[index]
    disk = w.disks[job["row"]]
    if disk["coming"] == index:
        disk["head_start"] = w.state[0]["now"] - disk["coming_since"]
        disk["coming"] = NONE
    if disk["shares"] == 1:
        disk_buffer.hold(w, disk, job["offset"], job["offset"] + job["length"])
    if is_cached(w, disk, job):
        cache(w, disk, index)
        reply(w, index)
    else:
        job["stage"] = STAGE_WAITING
        arm.enqueue(w, disk, index, WRITE, job["offset"], job["length"])
    disk["head_start"] = 0


@routine
def cache(w, disk, index):
    """A write is answered from the buffer: alone, or as part of one that waits already."""
    job = w.jobs[index]
    start = job["offset"]
    end = start + job["length"]
    drive = w.drives[job["drive"]]
    if covered(w, disk, start, end) != NONE:  # written anew before it was on the medium
        disk["dirty"] -= job["length"]
        disk["taken"] -= 1
        admit(w, disk)
        return
    before = continued(w, disk, start, end)
    if before != NONE:
        w.tasks[before]["length"] += job["length"]
        promise(w, drive, job)
        disk["taken"] -= 1
        admit(w, disk)
        return
    promise(w, drive, job)
    arm.enqueue(w, disk, NONE, WRITE, start, job["length"])


@handler
def covered(w, disk, start, end):
    """The row of a cached write that holds all of bytes [start, end); NONE if there is none."""
    if disk["defers"] != NONE:
        return deferred.covering(w, disk, start, end)
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        task = w.tasks[row]
        if task["op"] == WRITE and task["command"] == NONE:
            if task["offset"] <= start and end <= task["offset"] + task["length"]:
                return row
    return NONE


@handler
def continued(w, disk, start, end):
    """The row of a cached write that ends where bytes [start, end) begin, if they may join it."""
    if disk["defers"] != NONE:
        return deferred.ending_at(w, disk, start, end)
    found = NONE
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        task = w.tasks[row]
        if task["op"] == WRITE and task["command"] == NONE:
            if task["offset"] + task["length"] == start:
                if end - task["offset"] <= disk["longest_write"]:
                    found = row
    return found


@handler
def send(w, disk, index):
    """The data of a read goes to the host."""
    job = w.jobs[index]
    job["stage"] = STAGE_DISK_LINK_READ
    job["direction"] = TO_HOST
    time = round_ns(job["length"] * disk["link_ns"]) + disk["completion_time"]
    arrive(w, disk["link_to_host"], index, time)


@part("disks")
@handler
def risen(w, index):
    """A read under way leaves the drive as it comes off the medium."""
    disk = w.disks[w.jobs[index]["row"]]
    send(w, disk, arm.risen(w, disk))


@part("disks")
@handler
def arm_free(w, index):
    """The arm has done an access: a write is on the medium, a segment is filled."""
    disk = w.disks[w.jobs[index]["row"]]
    if disk["shingles"] != NONE and w.shingles[disk["shingles"]]["doing"] != FOR_HOST:
        arm_free_within(w, disk)
        return
    command = disk["command"]
    if disk["shingles"] != NONE and disk["op"] == WRITE:
        shingles.landed(w, disk)
        if w.shingles[disk["shingles"]]["part"] < disk["length"]:
            write_rest(w, disk)
            return
        admit(w, disk)
    if disk["op"] == READ:
        disk_buffer.end_read(w, disk)
        if disk["stop"] > disk["offset"] + disk["length"]:
            serve_waiting(w, disk)
    elif command != NONE:
        reply(w, command)
    else:
        disk["taken"] -= 1
        disk["dirty"] -= disk["length"]
        reached_medium(w, w.drives[disk["drive"]], disk["length"])
        admit(w, disk)
    arm.go_on(w, disk)


@handler
def write_rest(w, disk):
    """Part of a write went to the log; the arm goes on with the rest, which is a stream."""
    part = w.shingles[disk["shingles"]]["part"]
    if disk["command"] == NONE:
        disk["dirty"] -= part
        reached_medium(w, w.drives[disk["drive"]], part)
    disk["offset"] += part
    disk["length"] -= part
    arm.write_on(w, disk)


@part("disks")
@handler
def chosen(w, index):
    """The firmware has had its time to choose: the access that is best now begins.

    What has come under the head meanwhile is in the buffer: some may need the arm no more.
    """
    disk = w.disks[w.jobs[index]["row"]]
    disk_buffer.catch_up(w, disk)
    disk["moving"] = 0
    if disk["ahead"] == 1:
        serve_waiting(w, disk)
    if arm.is_waited_for(disk):
        # The arm chose during that time, for this access: it counts as work and not as waiting.
        station = w.stations[disk["arm"]]
        account(station, w.state[0]["now"])
        station["queue_area"] -= disk["choosing"]
        station["waited"] -= disk["choosing"]
        arm.start_next(w, disk)


@handler
def arm_free_within(w, disk):
    """The arm of a shingled disk has read a piece, or done a step of a band rewrite."""
    if w.shingles[disk["shingles"]]["doing"] == PIECE:
        if shingles.next_piece(w, disk):
            return
        send(w, disk, disk["command"])
    else:
        band_rewrites.step_done(w, disk)
        admit(w, disk)
    arm.go_on(w, disk)


@routine
def serve_waiting(w, disk):
    """The arm has read on behind a read: what others wait for may be in the buffer now."""
    if disk["active"] == NONE:
        return
    extent = w.extents[disk["active"]]
    row = disk["first_task"] + disk["waiting"]
    while row > disk["first_task"]:
        row -= 1
        task = w.tasks[row]
        place = task["offset"]
        is_there = (extent["start"] <= place) & (place < extent["end"])
        if not is_there & (task["op"] == READ):
            continue
        last = task["offset"] + task["length"]
        if disk["shingles"] != NONE and shingles.is_scattered(w, disk, task["offset"], last):
            continue
        disk_buffer.ask(w, disk, disk["active"], min(last, extent["end"]))
        if task["offset"] + task["length"] <= extent["end"]:
            command = task["command"]
            arm.give_up(w, disk, row)
            send(w, disk, command)
        else:
            arm.shorten(w, disk, row, extent["end"])


@handler
def admit(w, disk):
    """The write cache has room: writes that wait for it are fetched.

    A flush is answered once it is empty; writes that come behind it wait too.
    """
    while disk["first_waiting"] != NONE:
        job = w.jobs[disk["first_waiting"]]
        if job["op"] == FLUSH:
            if disk["taken"] > 0:
                return
            reply(w, queue.take_first(w, disk))
        elif job["op"] == READ:  # of data that is not on the medium yet
            if holds(w, disk, job["offset"], job["offset"] + job["length"]):
                return
            read(w, disk, queue.take_first(w, disk))
        elif has_room(w, disk, job):
            reserve(w, disk, queue.take_first(w, disk))
        else:
            return
