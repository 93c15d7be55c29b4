"""Firmware: which commands of a controller do not go straight through its hardware.

A chip hands a request on in hardware if that is one command to one drive and nothing else has to
be known or kept: a read, or a write without copies and parity, while the cache may hold nothing of
its volume. So the manuals of MegaRAID have it: write-through, direct I/O and no read-ahead
(FastPath). All else is the work of firmware, a pass of it for each command to a drive, or one for
what the cache answers. What the cache may answer has its first pass when the command is taken
(:func:`raidsim.kernel.controller.command`), with the search.

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
    """Passes of firmware for a task that is so many commands to drives."""
    if job["errand"] != ERRAND_HOST:
        return commands
    controller = w.controllers[w.volumes[job["volume"]]["controller"]]
    if is_caching(w, controller["cache"], array):
        return commands - int(job["op"] == READ)  # its first pass was counted with its search
    is_plain = array["family"] != PARITY and array["family"] != MIRRORED
    return 0 if commands == 1 and (job["op"] == READ or is_plain) else commands
