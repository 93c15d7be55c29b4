"""Flushes of a drive that accepts, or gets, one at a time.

A SATA drive takes no other command during a flush: FLUSH CACHE EXT is no queued command, and a
drive never has queued commands and others at the same time. So the sender (``ata_std_qc_defer`` of
Linux' ``drivers/ata/libata-core.c``) lets the commands in the drive end, sends the flush, and then
the other commands.

Linux (``block/blk-flush.c``) sends one flush at a time to a device with one hardware queue, and
gathers the flushes that are requested meanwhile. When the first is back, one more is sent for all
of them. It begins after each of them was requested, so all data that was acknowledged before is
safe.

Verbs: :func:`holds` back a flush while another one is under way, :func:`stands_aside` a command
that may not go with it; :func:`is_alone` while a flush excludes other commands; :func:`take_next`,
the flush that waited until the drive was empty; :func:`answer` those that a flush has served;
:func:`gather` those that wait into the next one.
"""

from __future__ import annotations

from raidsim.kernel import queue
from raidsim.kernel.jit import handler
from raidsim.kernel.station import arrive, wait
from raidsim.kernel.tables import FLUSH, NONE, STAGE_FLUSHED, STAGE_WAITING


@handler
def holds(w, drive, index):
    """Return whether flush ``index`` has to wait for the next one; else it is the one under way."""
    row = w.flush_queues[drive["flush_queue"]]
    job = w.jobs[index]
    if row["under_way"] == 1:
        job["stage"] = STAGE_WAITING
        queue.append(w, row, index)
        return True
    row["under_way"] = 1
    job["waiters"] = NONE
    return False


@handler
def is_alone(w, drive):
    """Return whether the drive has a flush, under way or coming, that excludes other commands."""
    row = w.flush_queues[drive["flush_queue"]]
    return row["alone"] == 1 and row["under_way"] == 1


@handler
def stands_aside(w, drive, index):
    """Return whether ``index`` waits: a command during a flush, or a flush during commands."""
    if not is_alone(w, drive):
        return False
    if w.jobs[index]["op"] != FLUSH:
        wait(w, drive["slots"], index)
        return True
    if w.stations[drive["slots"]]["busy"] == 0:
        return False
    w.flush_queues[drive["flush_queue"]]["next"] = index
    return True


@handler
def take_next(w, drive):
    """The flush that waited until the drive is empty, once it is; its index, or NONE."""
    row = w.flush_queues[drive["flush_queue"]]
    index = row["next"]
    if w.stations[drive["slots"]]["busy"] > 0:
        return NONE
    row["next"] = NONE
    return index


@handler
def answer(w, drive, index):
    """Flush ``index`` has ended: the next one of those that the same command served does too.

    One after the other at the same instant, so that an event never brings about many of them.
    """
    job = w.jobs[index]
    following = job["waiters"]
    if following != NONE:
        served = w.jobs[following]
        served["waiters"] = served["next"]
        served["status"] = job["status"]
        served["stage"] = STAGE_FLUSHED
        arrive(w, drive["latency_station"], following, 0)


@handler
def gather(w, drive):
    """The next flush to be sent, which serves all that wait if the host gathers them, or NONE."""
    row = w.flush_queues[drive["flush_queue"]]
    row["under_way"] = 0
    if row["first_waiting"] == NONE:
        return NONE
    row["under_way"] = 1
    first = queue.take_first(w, row)
    w.jobs[first]["waiters"] = NONE
    if row["gathers"] == 1:
        w.jobs[first]["waiters"] = row["first_waiting"]
        row["first_waiting"] = NONE
    return first
