"""Cache lines that all cores write: data that software RAID keeps once for an array.

A core that writes to a cache line must first fetch it from the core that wrote it last, and the
line is with one core at a time. So the requests of all processes pass one by one, with any number
of cores. Linux md counts the requests under way of an array in one number (``active_io`` of
``drivers/md/md.c`` before Linux 6.3). It takes a lock of the array for each of them in RAID 10
(``resync_lock``, before 6.1) and for reads of RAID 5 and 6 (``device_lock``, before 5.14).

A request of another process than the last one, or one that finds others waiting, takes

    transfers of the line that most wait for * time of a transfer

on a station of the array. Other lines have separate queues beside it. A process stands for the core
that it runs on. As long as one process uses the lines alone, they cost nothing. A core waits for
one line at a time, so a request that finds others waiting gets the lines from another core.

Verbs: :func:`pass_by` takes a request through, if there is something to wait for.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import NONE, STAGE_SHARED_LINES, WRITE


@handler
def pass_by(w, array, index):
    """Let request ``index`` wait for the lines of its array; False if its core has them."""
    if array["shared"] == NONE:
        return False
    job = w.jobs[index]
    process = w.streams[job["stream"]]["process"]
    owner = array["line_owner"]
    array["line_owner"] = process
    time = 0.0
    busy = w.stations[array["shared"]]["busy"] > 0
    if owner != NONE and (owner != process or busy):
        time = array["write_lines_ns"] if job["op"] == WRITE else array["read_lines_ns"]
    if time == 0.0 and not busy:
        return False
    job["stage"] = STAGE_SHARED_LINES
    arrive(w, array["shared"], index, round_ns(time))
    return True
