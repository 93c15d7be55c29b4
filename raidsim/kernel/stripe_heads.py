"""Stripe heads: the page-by-page work of software RAID with parity.

Linux md handles everything that involves parity in its stripe cache. An entry of it, a *stripe
head*, is one page of every member at the same offset (``STRIPE_SIZE`` is a page of memory, see
``drivers/md/raid5.c``). It is looked up, its members' pages are read or written each by a separate
request, and parity is computed in it. The threads hold a plug of the block layer meanwhile:
adjacent pages of a member become one command. For a task the threads take

    heads * stripe_ns + pages * stripe_io_ns + commands * device_io_ns

in addition to the time of computing parity. ``heads`` are the rows of pages that the task uses in
the strips, ``pages`` the pages that it reads or writes on all members together, and ``commands``
the commands to the members (added in :func:`raidsim.kernel.array_phases.spend`). If workers handle
the stripes, the thread of the array does a part of the work before them, which is not shared:
``heads * serial_ns``. It releases stripe heads and gives them to the workers. Rebuilds, checks and
resyncs have no data of a host to copy: ``stripe_io_ns - stripe_copy_ns``.

The work of reading is kept separately (``read_work``). A write that others join is planned again
when it has read (:func:`raidsim.kernel.stripe_cache.take_in`), and this work must be done in both
cases.

Verbs: :func:`note` the work of a task.

Writes are handled in this way, and so are reads of lost data. Other reads are not: md sends them to
the member that has the data (``raid5_read_one_chunk``). The zeros of an initialisation are not
handled in this way either: all members get the same, as ``mdadm --write-zeroes`` writes them.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import ERRAND_OPERATION
from raidsim.kernel.jit import handler
from raidsim.kernel.operation_tables import REBUILD, WRITE_ALL
from raidsim.kernel.tables import NONE, WRITE
from raidsim.layout.tables import DIRECT, P, Q

PAGE = 4096
"""Bytes of a member that a stripe head holds."""


@handler
def note(w, row, index, count):
    """Note what ``count`` accesses of task ``index`` take of the threads of array ``row``.

    The accesses are those of a plan, not yet merged: all of a stripe come one after the other. A
    rebuild alone reads all its stripes before it writes them: its writes belong to the heads
    that its reads have taken.
    """
    array = w.arrays[row]
    job = w.jobs[index]
    if array["stripe_ns"] == 0.0 and array["stripe_io_ns"] == 0.0 and array["serial_ns"] == 0.0:
        return
    rebuilds = False
    if job["errand"] == ERRAND_OPERATION:
        if w.operations[job["row"]]["kind"] == WRITE_ALL:
            return
        rebuilds = w.operations[job["row"]]["kind"] == REBUILD
    layout = w.layouts[row]
    heads = 0
    pages = 0
    pages_read = 0
    stripe = NONE
    low = 0
    high = 0
    p = 0
    q = 0
    for i in range(count):
        access = w.accesses[i]
        if access["method"] == DIRECT and access["op"] != WRITE:
            continue
        first = access["offset"] // PAGE
        end = (access["offset"] + access["length"] - 1) // PAGE + 1
        pages += end - first
        pages_read += (end - first) * int(access["op"] != WRITE)
        if rebuilds and access["op"] == WRITE:
            continue
        span = access["drive"] // layout["span_drives"]
        number = span * layout["rows"] + access["offset"] // layout["strip"]
        if number != stripe:
            heads += max(p, q) if max(p, q) > 0 else high - low
            stripe = number
            low = first
            high = end
            p = 0
            q = 0
        low = min(low, first)
        high = max(high, end)
        if access["op"] == WRITE:  # each head has a page for the parity that it writes
            p += (end - first) * int(access["role"] == P)
            q += (end - first) * int(access["role"] == Q)
    heads += max(p, q) if max(p, q) > 0 else high - low
    page = array["stripe_io_ns"]
    if job["errand"] == ERRAND_OPERATION:
        page -= array["stripe_copy_ns"]
    job["stripe_work"] = heads * array["stripe_ns"] + (pages - pages_read) * page
    job["read_work"] += pages_read * page
    job["serial_work"] = heads * array["serial_ns"]
