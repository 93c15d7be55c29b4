"""The stripe cache of software RAID: writes that wait in it together need fewer reads.

Linux md (``drivers/md/raid5.c``) carries a write out stripe head by stripe head
(:mod:`raidsim.kernel.stripe_heads`). Two of its rules determine how many reads a stream of small
writes needs:

- A page that was read or written stays in its stripe head until ``stripe_cache_size`` other heads
  were needed, and is not read again. So if md has computed the parity of a stripe once, it still
  has its pages.
- While a stripe is being written, further writes to it gather in its heads, and are carried out
  together. Here this applies to writes of which one begins where the other ends. If the stripe is
  full by then, it reads nothing. A write that was first in its stripe includes the writes that came
  while it read: md checks again what there is to write when its reads have ended
  (``handle_stripe_dirtying``), and takes the data only then (``ops_run_biodrain``). Here it does so
  if no further reads are needed. Writes of the same bytes are not joined: the later one waits until
  the data of the earlier one has been taken (``R5_Overlap`` in ``add_stripe_bio``).

md also lets a stripe that has to read wait a while for further writes (``STRIPE_DELAYED``), but not
for requests that a process waits for (``REQ_SYNC``). All requests that bypass the page cache are
such requests, and so are those of raidsim's loads.

A stripe here consists of strips, a head of pages: of each strip one run of bytes is remembered. A
stripe is forgotten when, since its last use, other stripes have needed as many new heads as the
cache has. md removes the least recently used head, which gives nearly the same.

Verbs: :func:`join` a write that waits; :func:`take_in` those that wait for one; :func:`choose` the
plan with the fewest reads, :func:`remember` what a plan moves, :func:`forget` all.
"""

from __future__ import annotations

from raidsim.kernel import queue
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.plans import copied, pieces
from raidsim.kernel.stripe_heads import PAGE
from raidsim.kernel.tables import NONE, READ, STAGE_WAITING, WRITE
from raidsim.layout.tables import FEWEST, LOST, NO_MODIFY, NO_RECONSTRUCT

PLACES = 512
"""Stripes that an array remembers at most: two whose numbers differ by it share a place."""

# -- writes that wait -----------------------------------------------------------------------------


@routine
def join(w, array, row, index):
    """Let a write join one that waits for the same stripe; False if there is none.

    One has to go on where the other ends, so that they are one run of bytes, of which none is
    written twice; ``row`` is that of the stripe's lock.
    """
    lock = w.locks[row]
    first = lock["gathering"]
    if first == NONE:
        lock["gathering"] = index
        return False
    job = w.jobs[index]
    other = w.jobs[first]
    start = other["offset"]
    end = start + other["length"]
    if not _go_together(array, job, other):
        lock["gathering"] = index
        return False
    end = max(end, job["offset"] + job["length"])
    other["offset"] = min(start, job["offset"])
    other["length"] = end - other["offset"]
    job["stage"] = STAGE_WAITING
    job["next"] = other["waiters"]
    other["waiters"] = index
    return True


@handler
def _go_together(array, one, other):
    """Return whether two writes are of one stripe, and one goes on where the other ends."""
    width = array["width"]
    follows = one["offset"] == other["offset"] + other["length"]
    precedes = one["offset"] + one["length"] == other["offset"]
    same = one["offset"] // width == other["offset"] // width and one["fua"] == other["fua"]
    return same and (follows or precedes)


@routine
def take_in(w, row, good, lock_row, index):
    """Let write ``index``, which has read, take along those that wait for its stripe next.

    They have to be one run of bytes with it, and nothing more may have to be read for them.
    True if it takes some along: it has to be planned anew then.
    """
    array = w.arrays[row]
    lock = w.locks[lock_row]
    other = lock["gathering"]
    if other == NONE or lock["first_waiting"] != other:
        return False
    job = w.jobs[index]
    waiting = w.jobs[other]
    if not _go_together(array, job, waiting):
        return False
    offset = job["offset"]
    length = job["length"]
    job["offset"] = min(offset, waiting["offset"])
    job["length"] = length + waiting["length"]
    count = pieces(
        w.layouts[row], good, array["policy"], 0, WRITE, job["offset"], job["length"], w.accesses
    )
    count = choose(w, row, good, index, count)
    if count == LOST or count > len(w.accesses) or to_read(w, row, count) > 0:
        job["offset"] = offset
        job["length"] = length
        return False
    queue.take_first(w, lock)
    lock["gathering"] = NONE
    first = waiting["waiters"]
    waiting["next"] = job["waiters"]
    job["waiters"] = other
    while first != NONE:
        following = w.jobs[first]["next"]
        w.jobs[first]["next"] = job["waiters"]
        job["waiters"] = first
        first = following
    return True


# -- what the heads hold --------------------------------------------------------------------------


@routine
def choose(w, row, good, index, count):
    """Plan a write anew if its stripe is known in part; how many accesses there are then.

    The way of a plan is chosen by what it would have to read. What is known it need not.
    """
    array = w.arrays[row]
    job = w.jobs[index]
    if count <= 0 or not reads(w, count):
        return count
    layout = w.layouts[row]
    access = w.accesses[0]
    number = stripe_of(layout, access)
    head = head_of(array, layout, number)
    if not is_known(w, array, head, number):
        return count
    if array["policy"] != FEWEST:
        return count
    offset = job["offset"]
    length = job["length"]
    op = job["op"]
    count = pieces(layout, good, NO_RECONSTRUCT, 0, op, offset, length, w.accesses)
    modify = to_read(w, row, count)
    count = pieces(layout, good, NO_MODIFY, 0, op, offset, length, w.accesses)
    if count == LOST or count > len(w.accesses) or to_read(w, row, count) <= modify:
        return count
    return pieces(layout, good, NO_RECONSTRUCT, 0, op, offset, length, w.accesses)


@handler
def reads(w, count):
    """Return whether a plan begins with reads; they come before its writes."""
    return count > 0 and w.accesses[0]["op"] == READ


@routine
def to_read(w, row, count):
    """Bytes that a plan has to read of what is not known."""
    array = w.arrays[row]
    layout = w.layouts[row]
    total = 0
    for i in range(min(count, len(w.accesses))):
        access = w.accesses[i]
        if access["op"] == READ:
            start, end = missing(w, array, layout, access)
            total += end - start
    return total


@routine
def remember(w, row, count):
    """Remove known data from a plan, record all that it moves, return how many accesses stay.

    The accesses are those of one write, not yet merged.
    """
    array = w.arrays[row]
    layout = w.layouts[row]
    for i in range(count):  # first take the heads: data that they push out must be read
        access = w.accesses[i]
        number = stripe_of(layout, access)
        head = head_of(array, layout, number)
        start = access["offset"] // PAGE * PAGE
        end = (access["offset"] + access["length"] + PAGE - 1) // PAGE * PAGE
        if not is_known(w, array, head, number):
            for member in range(layout["span_drives"] + 1):
                w.known[head + member]["low"] = 0
                w.known[head + member]["high"] = 0
            w.known[head]["stripe"] = number
            w.known[head]["used"] = array["heads"]
        array["heads"] += extend(w.known[head], start, end) // PAGE
        w.known[head]["used"] = array["heads"]
    kept = 0
    for i in range(count):
        access = w.accesses[i]
        start = access["offset"]
        end = start + access["length"]
        if access["op"] == READ:
            start, end = missing(w, array, layout, access)
        if start == end:
            continue
        if kept < i:
            copied(w.accesses, i, kept)
        access = w.accesses[kept]
        access["address"] += start - access["offset"]
        access["offset"] = start
        access["length"] = end - start
        head = head_of(array, layout, stripe_of(layout, access))
        extend(w.known[head + 1 + access["drive"] % layout["span_drives"]], start, end)
        kept += 1
    return kept


@handler
def extend(run, start, end):
    """Let a run of bytes hold [start, end), too, if they touch; how many it did not hold before."""
    low = run["low"]
    high = run["high"]
    if low == high or start > high or end < low:
        run["low"] = start
        run["high"] = end
        return end - start
    run["low"] = min(low, start)
    run["high"] = max(high, end)
    return run["high"] - run["low"] - (high - low)


@handler
def missing(w, array, layout, access):
    """Return the bytes of a read that its member's page of the stripe heads lacks: from, to."""
    start = access["offset"]
    end = start + access["length"]
    number = stripe_of(layout, access)
    head = head_of(array, layout, number)
    if not is_known(w, array, head, number):
        return start, end
    run = w.known[head + 1 + access["drive"] % layout["span_drives"]]
    if run["low"] <= start < run["high"]:
        start = min(run["high"], end)
    elif run["low"] < end <= run["high"]:
        end = max(run["low"], start)
    return start, end


@handler
def stripe_of(layout, access):
    """Number of the stripe of strips that an access is about, over all spans."""
    span = access["drive"] // layout["span_drives"]
    return span * layout["rows"] + access["offset"] // layout["strip"]


@handler
def head_of(array, layout, number):
    """Row in `known` of the heads of a stripe; those of its members follow."""
    return array["first_known"] + number % PLACES * (layout["span_drives"] + 1)


@handler
def is_known(w, array, head, number):
    """Return whether the heads of a stripe are still in the cache."""
    run = w.known[head]
    return run["stripe"] == number and array["heads"] - run["used"] < array["stripe_cache"]


@routine
def forget(w, row):
    """Forget all stripes of an array, when a plan that counted on what it would read goes wrong."""
    array = w.arrays[row]
    first = array["first_known"]
    members = w.layouts[row]["span_drives"] + 1
    for place in range(PLACES):
        w.known[first + place * members]["stripe"] = NONE
