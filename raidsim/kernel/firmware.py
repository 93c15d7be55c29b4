"""Firmware: which commands of a controller have no direct path through its hardware.

A chip passes a request on in hardware if this is one command to one drive and no other state is
needed: a read, or a write without copies and parity, while the cache can hold no data of its
volume. The manuals of MegaRAID say the same: write-through, direct I/O and no read-ahead
(FastPath). Everything else is the work of firmware: one pass for each command to a drive, or one
pass if the cache answers. If the cache might answer, the first pass is when the command is accepted
(:func:`raidsim.kernel.controller.command`), together with the search.

Verbs: :func:`passes` counts those of the commands to drives.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import ERRAND_HOST
from raidsim.kernel.cache import is_caching
from raidsim.kernel.jit import handler
from raidsim.kernel.tables import READ
from raidsim.layout.tables import MIRRORED, PARITY


@handler
def passes(w, array, job, commands):
    """Return how often firmware works on a task that sends so many commands to drives."""
    if job["errand"] != ERRAND_HOST:
        return commands
    controller = w.controllers[w.volumes[job["volume"]]["controller"]]
    if is_caching(w, controller["cache"], array):
        return commands - int(job["op"] == READ)  # its first pass was counted with its search
    is_plain = array["family"] != PARITY and array["family"] != MIRRORED
    return 0 if commands == 1 and (job["op"] == READ or is_plain) else commands
