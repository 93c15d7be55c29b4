"""The write-intent bitmap of software RAID: a bit is on the drives before the writes to its chunk.

Linux md (``drivers/md/md-bitmap.c``) keeps a bit for each chunk of the members. A write into a
chunk whose bit is not set waits until the page of the bitmap is on all members. These writes of a
page bypass the caches of the drives: a flush, then a write that is answered from the medium
(``md_super_write``: ``REQ_PREFLUSH | REQ_FUA``). While one is under way, later writes wait for the
next one, which serves all of them. A daemon clears bits at intervals; this costs hardly anything
and is left out. The bitmap is at the beginning of the members; in the simulation their first bytes
are used for it.

A mark is kept as the time of the last write, and is set until ``clear_after`` has passed. While a
member is missing, or is not rebuilt yet, a bit that a write sets stays set: the member needs the
data that it missed (``bitmap_endwrite``, which sets ``NEEDED_MASK`` if ``mddev->degraded``; before
Linux 6.14 each level said so of a write itself, by ``R1BIO_Degraded`` and similar flags). So marks
since ``missing_since`` stay for as long.

Verbs: :func:`look_for_missing` members, :func:`mark` chunks, :func:`announce` a write,
:func:`begin` to write the bitmap, :func:`written`.
"""

from __future__ import annotations

from raidsim.kernel import agenda, queue
from raidsim.kernel.array_tables import ERRAND_BITMAP
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.stripe_heads import PAGE
from raidsim.kernel.tables import FUA_ASKED, NEVER, NONE, STAGE_PLAN, STAGE_WAITING, WRITE
from raidsim.kernel.tasks import add_task


@routine
def look_for_missing(w, row):
    """Note since when a member of array ``row``, which has a bitmap, is missing or not rebuilt."""
    array = w.arrays[row]
    whole = w.layouts[row]["rows"] * w.layouts[row]["strip"]
    first = array["first_member"]
    for member in range(first, first + array["drives"]):
        if w.good[member] < whole:
            array["missing_since"] = min(array["missing_since"], w.state[0]["now"])
            return
    array["missing_since"] = NEVER


@routine
def mark(w, array, start, end):
    """Mark the chunks of bytes [start, end) of a drive; whether one of them had no mark."""
    now = w.state[0]["now"]
    first = array["first_mark"]
    oldest = min(now - array["clear_after"], array["missing_since"])
    fresh = False
    for chunk in range(start // array["chunk"], (end - 1) // array["chunk"] + 1):
        if w.marks[first + chunk] < oldest:
            array["marked"] += 1
            fresh = True
        w.marks[first + chunk] = now
    return fresh


@routine
def announce(w, row, index, count):
    """Let a write of ``count`` accesses wait for the bitmap; False if all its bits are set."""
    array = w.arrays[row]
    look_for_missing(w, row)
    fresh = False
    for i in range(count):
        access = w.accesses[i]
        if access["op"] == WRITE:
            one = mark(w, array, access["offset"], access["offset"] + access["length"])
            fresh = fresh or one
    if not fresh:
        return False
    lock = w.locks[array["bitmap"]]
    w.jobs[index]["stage"] = STAGE_WAITING
    queue.append(w, lock, index)
    if lock["held"] == 0:
        begin(w, array, w.jobs[index]["volume"])
    return True


@handler
def begin(w, array, volume):
    """Write the bitmap for all who wait for it now."""
    lock = w.locks[array["bitmap"]]
    lock["held"] = 1
    index = add_task(w, ERRAND_BITMAP, volume, WRITE, 0, PAGE)
    job = w.jobs[index]
    job["fua"] = FUA_ASKED
    job["waiters"] = lock["first_waiting"]
    lock["first_waiting"] = NONE
    lock["last_waiting"] = NONE


@part("arrays")
@handler
def written(w, index):
    """The bitmap is on the drives: jobs that waited for it continue, and later ones begin anew."""
    job = w.jobs[index]
    volume = job["volume"]
    array = w.arrays[w.volumes[volume]["array"]]
    other = job["waiters"]
    release(w, index)
    while other != NONE:
        following = w.jobs[other]["next"]
        agenda.put(w, other, STAGE_PLAN)
        other = following
    lock = w.locks[array["bitmap"]]
    lock["held"] = 0
    if lock["first_waiting"] != NONE:
        begin(w, array, volume)
