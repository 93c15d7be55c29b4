"""Firmware: which commands of a controller do not go straight through its hardware.

A chip hands a request on in hardware if that is one command to one drive and nothing else has to
be known or kept: a read, or a write without copies and parity, while the cache may hold nothing of
its volume. All else is the work of firmware, a pass of it for each command to a drive, and one for
a write that the cache answers (:mod:`raidsim.kernel.controller`). So the manuals of MegaRAID have
it: write-through, direct I/O and no read-ahead (FastPath).

Verbs: :func:`passes` counts them.
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
    if commands != 1 or job["errand"] != ERRAND_HOST:
        return commands
    if job["op"] != READ and (array["family"] == PARITY or array["family"] == MIRRORED):
        return commands
    controller = w.controllers[w.volumes[job["volume"]]["controller"]]
    return int(is_caching(w, controller["cache"], array))
