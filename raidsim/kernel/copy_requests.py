"""Copy requests: the CPU time of software RAID without parity for background work on its copies.

Linux md goes through copies in requests of at most 64 KiB (``RESYNC_BLOCK_SIZE`` in raid1.c and
raid10.c). In RAID 10 a request is at most a strip, since the next one has other drives. A request
has a command for each copy that it reads or writes. Threads of the array begin requests and end
them. A check, and the resync of RAID 10, also compare the data with the first copy. The total time
on the station "NAME: parity" is

    commands * copy_io_ns + bytes compared * compare_ns

The threads of one array that begin and end requests are simulated as one. An initialisation and a
patrol, which md does not have, take none of this time.

Verbs: :func:`note` the work of a task.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.operation_tables import CHECK, READ_ALL, RESYNC, WRITE_ALL
from raidsim.kernel.tables import READ

MOST = 65536
"""Bytes of a member that one request of background work reads or writes at most."""


@handler
def note(w, row, index, count):
    """Note what ``count`` accesses of background work take of the thread of array ``row``."""
    array = w.arrays[row]
    job = w.jobs[index]
    layout = w.layouts[row]
    kind = w.operations[job["row"]]["kind"]
    takes_none = array["copy_io_ns"] == 0.0 and array["compare_ns"] == 0.0
    if takes_none or kind == READ_ALL or kind == WRITE_ALL:
        return
    read = 0
    written = 0
    for i in range(count):
        access = w.accesses[i]
        if access["op"] == READ:
            read += access["length"]
        else:
            written += access["length"]
    commands = (read + written) / MOST
    if layout["copies"] < layout["drives"]:
        commands = (read + written) / layout["strip"] * ((layout["strip"] - 1) // MOST + 1)
    compared = 0.0
    if (kind == CHECK or kind == RESYNC) and written == 0:
        compared = read * (layout["copies"] - 1) / layout["copies"]
    job["stripe_work"] = commands * array["copy_io_ns"] + compared * array["compare_ns"]
