"""The partial parity log of software RAID: data to repair a stripe, written before the stripe.

Before the data and the parity of a stripe of RAID 5, Linux md (``drivers/md/raid5-ppl.c``,
Documentation/driver-api/md/raid5-ppl.rst) writes the XOR of all data of the stripe that does not
change. This *partial parity* goes to the log of the member that holds the parity. After a power cut
the parity is repaired from it and from the data on the drives, for any progress of the write. An
entry takes

    a page for the header, and a page for each stripe head that is not wholly written

and is answered from the medium (``REQ_FUA``). A member writes one entry at a time. It writes no
further one until all stripes of the entry are on the drives, and out of their volatile caches.
Stripes that come meanwhile gather, and share the next entry, as many as there is room for. Entries
are one behind the other and begin again at the end of the log. The log is before the data of a
member; in the simulation the member's first bytes are used for it.

Verbs: :func:`enter` a stripe into the log, :func:`written` an entry, :func:`leave` it.
"""

from __future__ import annotations

from raidsim.kernel import agenda, queue
from raidsim.kernel.array_tables import ERRAND_LOG
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.plans import parity_place
from raidsim.kernel.stripe_heads import PAGE
from raidsim.kernel.tables import FLUSH, FUA_ASKED, NONE, STAGE_PARITY, STAGE_WAITING, WRITE
from raidsim.kernel.tasks import add_task
from raidsim.layout.tables import P

SPACE = 128 * 1024
"""Bytes of partial parity that an entry holds at most (``PPL_SPACE_SIZE``)."""

AREA = 1024 * 1024
"""Bytes of the log of a member (``MULTIPLE_PPL_AREA_SIZE_SUPER1`` of mdadm)."""


@routine
def enter(w, row, index):
    """Let a stripe that is about to be written wait for its entry; False if it needs none.

    It needs none if it has been entered, or if the drive that would hold it has failed.
    """
    job = w.jobs[index]
    if job["other"] != NONE:
        return False
    array = w.arrays[row]
    member, _ = parity_place(w.layouts[row], job["offset"], P)
    if w.drives[w.members[array["first_member"] + member]["drive"]]["failed"] == 1:
        return False
    job["stage"] = STAGE_WAITING
    job["other"] = array["partial_parity"] + member
    lock = w.locks[job["other"]]
    queue.append(w, lock, index)
    if lock["held"] == 0:
        begin(w, array, job["volume"], member)
    return True


@routine
def begin(w, array, volume, member):
    """Write an entry for those that wait for it now, as many as there is room for."""
    lock = w.locks[array["partial_parity"] + member]
    lock["held"] = 1
    row = array["first_member"] + member
    space = 0
    first = NONE
    last = NONE
    while lock["first_waiting"] != NONE:
        size = partial_parity(w, array, row, lock["first_waiting"])
        if space > 0 and space + size > SPACE:
            break
        space += size
        index = queue.take_first(w, lock)
        if first == NONE:
            first = index
        else:
            w.jobs[last]["next"] = index
        last = index
        lock["writes"] += 1
    length = PAGE + space
    log = w.members[row]
    if log["log_end"] + length > AREA:
        log["log_end"] = 0
    index = add_task(w, ERRAND_LOG, volume, WRITE, log["log_end"], length)
    log["log_end"] += length
    job = w.jobs[index]
    job["member"] = row
    job["fua"] = FUA_ASKED
    job["waiters"] = first


@handler
def partial_parity(w, array, member, index):
    """Bytes of partial parity of a stripe: as many as of parity it writes; none if it is full."""
    if w.jobs[index]["length"] == array["width"]:
        return 0
    total = 0
    child = w.jobs[index]["later"]
    while child != NONE:
        below = w.jobs[child]
        if below["member"] == member:
            total += below["length"]
        child = below["next"]
    return (total + PAGE - 1) // PAGE * PAGE


@part("arrays")
@handler
def written(w, index):
    """An entry is in the log, and its stripes are written; or what was written is flushed."""
    job = w.jobs[index]
    if job["op"] == FLUSH:
        array = w.arrays[w.volumes[job["volume"]]["array"]]
        make_room(w, array, job["volume"], job["member"] - array["first_member"])
        release(w, index)
        return
    other = job["waiters"]
    release(w, index)
    while other != NONE:
        following = w.jobs[other]["next"]
        w.jobs[other]["next"] = NONE
        agenda.put(w, other, STAGE_PARITY)
        other = following


@routine
def leave(w, row, index):
    """A stripe is on the drives; with the last one of an entry the log is free for the next."""
    job = w.jobs[index]
    if job["other"] == NONE:
        return
    lock = w.locks[job["other"]]
    lock["writes"] -= 1
    if lock["writes"] == 0:
        array = w.arrays[row]
        member = job["other"] - array["partial_parity"]
        if array["log_flush"] == 1:
            index = add_task(w, ERRAND_LOG, job["volume"], FLUSH, 0, 0)
            w.jobs[index]["member"] = array["first_member"] + member
        else:
            make_room(w, array, job["volume"], member)


@handler
def make_room(w, array, volume, member):
    """An entry is needed no more: the next one is written if stripes wait for it."""
    lock = w.locks[array["partial_parity"] + member]
    lock["held"] = 0
    if lock["first_waiting"] != NONE:
        begin(w, array, volume, member)
