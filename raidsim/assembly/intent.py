"""What software RAID records about writes before it does them, and what a resync reads afterwards.

Linux md marks an array as dirty before the first write to it. It marks it as clean when nothing was
written during its safe-mode delay of 200 ms (``safe_mode_delay``,
Documentation/admin-guide/md.rst). After a power cut a dirty array is read from end to end. A
write-intent bitmap does the same for each chunk of the drives. Its bit is on the drives before a
write to the chunk begins. A daemon that wakes every 5 s clears it (``mdadm --delay``, mdadm(8)).
Here both are stored as the time of the last write to each chunk; an array without a bitmap is one
chunk. Bits that are set while a member is missing stay until the member is rebuilt
(:mod:`raidsim.kernel.bitmap`).
"""

from __future__ import annotations

import numpy as np

from raidsim.assembly.drives import kind_of
from raidsim.kernel import tables as t
from raidsim.layout.address import whole_drive
from raidsim.layout.health import failures_tolerated
from raidsim.scenario import VolumeSpec
from raidsim.system.system import System

SAFE_MODE_DELAY = 200_000_000  # ns
BITMAP_DELAY = 5_000_000_000  # ns
LONG_AGO = -(2**61)  # ns
EVER_SINCE = LONG_AGO + 1  # ns; a member is missing from the beginning


def marks(system: System, volume: VolumeSpec, controller: int) -> dict[str, int]:
    """Return the fields of ARRAY for the record of writes to a volume; none on a controller."""
    layout = volume.layout
    if layout is None or controller != t.NONE or not failures_tolerated(layout):
        return {}
    used = whole_drive(layout)
    chunk, delay, bitmap, logs = used, SAFE_MODE_DELAY, t.NONE, t.NONE
    if volume.intent == "bitmap":
        chunk, delay, bitmap = volume.bitmap_chunk, BITMAP_DELAY, system.append("locks")
    elif volume.intent == "ppl":
        logs = system.append("locks", volume.drives)
    count = -(-used // chunk)
    first = system.append("marks", count)
    system.world.marks[first : first + count] = LONG_AGO
    is_missing = bitmap != t.NONE and bool(volume.failed)
    return {
        "chunk": chunk,
        "first_mark": first,
        "clear_after": delay,
        "bitmap": bitmap,
        "missing_since": EVER_SINCE if is_missing else t.NEVER,
        "partial_parity": logs,
        "log_flush": int(bool(kind_of(volume.card).lost_by_name(volume.card, volume.name))),
    }


def marked_rows(system: System, array: int) -> list[tuple[int, int]]:
    """Rows of the chunks of an array that have a mark now: the first, and that behind the last."""
    row = system.world.arrays[array]
    chunk, first = int(row["chunk"]), int(row["first_mark"])
    if chunk == 0:
        return []
    layout = system.world.layouts[array]
    strip, rows = int(layout["strip"]), int(layout["rows"])
    count = -(-rows * strip // chunk)
    times = system.world.marks[first : first + count]
    oldest = system.now - int(row["clear_after"])
    member = int(row["first_member"])
    if (system.world.good[member : member + int(row["drives"])] < rows * strip).any():
        oldest = min(oldest, int(row["missing_since"]))
    found = np.flatnonzero(times >= oldest)
    return [(int(c) * chunk // strip, min((int(c) + 1) * chunk // strip, rows)) for c in found]
