"""A drive as its host sees it: command slots, a fixed latency each way, completions.

A command takes one of the drive's slots (NCQ, TCQ). Without a free slot it waits in the host, first
come first served, or in the order of its :mod:`~raidsim.kernel.elevator`. It reaches the drive
after half of the fixed latency, the drive works on it, and its completion takes the other half.

Between drive and controller or host, data crosses the links that the drive shares with other drives
(expanders, switches, networks), see :mod:`~raidsim.kernel.streaming`.

During a flush a SATA drive does nothing else, and a host may send flushes one at a time
(:mod:`~raidsim.kernel.flush_queue`). To a SATA drive on its own ports Linux sends a forced write as
a write and then a flush (libata, whose parameter `fua` is 0).

Verbs: :func:`send` a command, :func:`start`, :func:`arrived`; :func:`comes_up` over shared links;
:func:`returned` frees the slot; :func:`flush_ended` releases the commands that waited for a flush;
:func:`flush_follows` sends the flush of a forced write.
"""

from __future__ import annotations

from raidsim.kernel import defects, disk, elevator, flush_queue, heat, ssd, streaming
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.reply import end_withholding
from raidsim.kernel.station import account, arrive, give_back, hold_first, leave, round_ns, seize
from raidsim.kernel.streaming import FRAME
from raidsim.kernel.tables import (
    DONE,
    DRIVE_SSD,
    FLUSH,
    FUA_ASKED,
    FUA_BEFORE_FLUSH,
    FUA_WITH_FLUSH,
    NONE,
    READ,
    STAGE_COMMAND_ARRIVED,
    STAGE_FLUSHED,
    STAGE_RETURNED,
    STAGE_SLOT,
    TRIM,
    WRITE,
)


@handler
def send(w, index):
    """Send command ``index`` to its drive, as soon as a command slot is free."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    job["row"] = drive["row"]
    if job["op"] == WRITE and drive["forces"] == 1:
        job["fua"] = FUA_ASKED
    elif job["fua"] == FUA_ASKED and drive["no_fua"] == 1 and job["op"] == WRITE:
        job["fua"] = FUA_WITH_FLUSH
    if job["op"] == FLUSH and drive["flush_queue"] != NONE and flush_queue.holds(w, drive, index):
        return
    take_slot(w, drive, index)


@handler
def take_slot(w, drive, index):
    """Start command ``index`` as soon as a command slot is free, and no flush is in its way."""
    w.jobs[index]["stage"] = STAGE_SLOT
    if drive["flush_queue"] != NONE and flush_queue.stands_aside(w, drive, index):
        return
    if drive["slots"] == NONE or seize(w, drive["slots"], index):
        start(w, drive, index)


@handler
def driver_time(drive, op, commands, length):
    """CPU time of the drive's driver for ``commands`` that carry ``length`` bytes, ns."""
    if op == TRIM:
        return drive["driver_write"] * commands
    if op == WRITE:
        return drive["driver_write"] * commands + drive["driver_write_ns"] * length
    return drive["driver_read"] * commands + drive["driver_read_ns"] * length


@handler
def start(w, drive, index):
    """Ring the doorbell, or send the frame: it reaches the drive after the latency.

    A flush ends here if the drive has nothing to flush; one that has failed is asked for it.
    """
    job = w.jobs[index]
    if job["op"] == FLUSH and drive["no_flush"] == 1 and drive["failed"] == 0:
        job["stage"] = STAGE_RETURNED
        arrive(w, drive["latency_station"], index, 0)
        return
    job["stage"] = STAGE_COMMAND_ARRIVED
    arrive(w, drive["latency_station"], index, drive["latency"])


@handler
def arrived(w, index):
    """The drive has the command, once the data of a write has come over the shared links."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    # Commands of reads and trims pass by the data on shared links. A flush does not: there it is a
    # write of no bytes, which takes no time of a link but waits for what came before it.
    crosses = job["op"] == WRITE or job["op"] == FLUSH
    if crosses and job["hop"] < drive["hops"]:
        below = drive["hops"] - 1 - job["hop"]
        row = w.hops[drive["first_hop"] + below]
        ns = w.hops[drive["first_hop"] + below - 1]["ns"] if below > 0 else link_ns(w, drive)
        job["hop"] += 1
        following = round_ns(job["length"] * ns)
        streaming.head(w, row["down"], index, job["length"], row["ns"], following, FRAME)
        return
    if drive["heated"] == 1:
        heat.wake(w)
    if drive["failed"] == 0:
        if job["op"] == READ and drive["defects"] > 0:
            defects.meet(w, index)
        if job["op"] == READ:
            drive["host_read"] += job["length"]
        elif job["op"] == WRITE:
            drive["host_written"] += job["length"]
    if drive["kind"] == DRIVE_SSD:
        ssd.command_arrived(w, index)
    else:
        disk.command_arrived(w, index)


@handler
def link_ns(w, drive):
    """Return the ns that the drive's own link takes for a byte."""
    if drive["kind"] == DRIVE_SSD:
        return w.ssds[drive["row"]]["link_ns"]
    return w.disks[drive["row"]]["link_ns"]


@handler
def comes_up(w, index):
    """Return whether the data of a read has another shared link to cross; then it does."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    if job["op"] != READ:
        return False
    if job["hop"] == 0:
        crossing = round_ns(job["length"] * link_ns(w, drive))
        job["since"] = w.state[0]["now"] - drive["latency"] - crossing
    if job["hop"] >= drive["hops"]:
        return False
    row = w.hops[drive["first_hop"] + job["hop"]]
    job["hop"] += 1
    streaming.tail(w, row["up"], index, job["length"], row["ns"], job["since"], FRAME)
    return True


@handler
def returned(w, index):
    """The host has the completion: the slot serves the next command."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    if drive["defects"] > 0 and job["op"] == WRITE and job["status"] == DONE:
        defects.cure(w, index)
    if drive["slots"] != NONE:
        if drive["flush_queue"] != NONE and flush_queue.is_alone(w, drive):
            go_on_alone(w, drive, index)
        else:
            if drive["elevator"] != NONE:
                elevator.bring_forward(w, drive)
            following = leave(w, drive["slots"], index)
            if following != NONE:
                start(w, drive, following)
    if job["op"] == FLUSH and drive["flush_queue"] != NONE:
        flush_ended(w, drive, index)


@handler
def flush_follows(w, index):
    """Return whether ``index`` is a write with a flush to come; the flush then takes its place."""
    job = w.jobs[index]
    if job["fua"] != FUA_WITH_FLUSH and job["fua"] != FUA_BEFORE_FLUSH:
        return False
    if job["op"] == FLUSH:
        job["op"] = WRITE
        job["length"] = job["forced_length"]
        if job["fua"] == FUA_BEFORE_FLUSH:
            job["fua"] = FUA_WITH_FLUSH
            end_withholding(w, w.drives[job["drive"]], job["length"])
        return False
    if job["status"] != DONE:
        return False
    job["op"] = FLUSH
    job["forced_length"] = job["length"]
    job["length"] = 0
    send(w, index)
    return True


@routine
def go_on_alone(w, drive, index):
    """A slot is free. Only a flush that waits until all slots are free may take it."""
    give_back(w, drive["slots"], index)
    following = flush_queue.take_next(w, drive)
    if following != NONE and seize(w, drive["slots"], following):
        start(w, drive, following)


@routine
def flush_ended(w, drive, index):
    """A flush has ended: so have those that it served; if it was a command, others go on."""
    flush_queue.answer(w, drive, index)
    if w.jobs[index]["stage"] == STAGE_FLUSHED:
        return
    following = flush_queue.gather(w, drive)
    if drive["slots"] != NONE:
        fill_slots(w, drive)
    if following != NONE:
        take_slot(w, drive, following)


@routine
def fill_slots(w, drive):
    """Commands that had to wait because of a flush take the free slots."""
    station = w.stations[drive["slots"]]
    account(station, w.state[0]["now"])
    while station["first_waiting"] != NONE and station["busy"] < station["servers"]:
        if drive["elevator"] != NONE:
            elevator.bring_forward(w, drive)
        start(w, drive, hold_first(w, station))
