"""Writes to a drive before it is measured: they take no time. Also TRIM.

The map and the garbage collection are the same as in the timed run. Stations and clock are not
used.

Entries: :func:`fill` writes units in sequence, :func:`overwrite` lets a stream write, and
:func:`trim` forgets units.
"""

from __future__ import annotations

from raidsim.kernel import ftl
from raidsim.kernel.jit import by_reference, entry, handler
from raidsim.kernel.load import draw_offset, draw_size
from raidsim.kernel.random import uniform
from raidsim.kernel.tables import NONE


@handler
def put(w, row, unit):
    """Write logical ``unit``, collecting garbage if need be."""
    while ftl.is_blocked(w, row):
        ftl.clear(w, row)
    ftl.write(w, row, unit)
    while ftl.is_due(w, row):
        ftl.move(w, row)


@entry
def fill(w, which, first, end):
    """Write the logical units from ``first`` up to ``end`` of map ``which`` once, in sequence."""
    w = by_reference(w)
    row = w.ftls[which]
    for unit in range(first, end):
        put(w, row, unit)


@entry
def overwrite(w, which, unit_size, s, first, count):
    """Write where the I/Os number ``first`` to ``first + count`` of stream ``s`` go, at least one.

    ``unit_size`` is the mapping unit in bytes. None of them reads, whatever the stream's
    share of reads; those that trim forget whole units.
    """
    w = by_reference(w)
    row = w.ftls[which]
    stream = w.streams[s]
    size = draw_size(w, stream, first)
    offset = draw_offset(w, stream, first, size)
    for n in range(first, first + count - 1):
        # The next place is drawn early, so that its entry of the map is there when it is needed.
        next_size = draw_size(w, stream, n + 1)
        next_offset = draw_offset(w, stream, n + 1, next_size)
        ftl.fetch_unit(w, row, ftl.logical(row, next_offset // unit_size))
        write_one(w, row, unit_size, stream, n, size, offset)
        size, offset = next_size, next_offset
    write_one(w, row, unit_size, stream, first + count - 1, size, offset)


@handler
def write_one(w, row, unit_size, stream, n, size, offset):
    """Write what the I/O number ``n`` of a stream writes, or trim what it trims."""
    if size["trim_share"] > 0.0 and uniform(stream["key_op"], n) < size["trim_share"]:
        end = (offset + size["bytes"]) // unit_size
        for unit in range((offset + unit_size - 1) // unit_size, end):
            ftl.discard(w, row, ftl.logical(row, unit))
        return
    last = (offset + size["bytes"] - 1) // unit_size
    for unit in range(offset // unit_size, last + 1):
        put(w, row, ftl.logical(row, unit))


@entry
def trim(w, which, first, end):
    """Forget the units from ``first`` up to ``end`` of the drive.

    A logical unit is forgotten if the middle one of the units that it represents is.
    """
    w = by_reference(w)
    row = w.ftls[which]
    group = row["group"]
    scale = row["scale"]
    row["last_unit"] = NONE
    for unit in range(row["units"]):
        middle = (unit // group * scale + scale // 2) * group + unit % group
        if first <= middle < end:
            ftl.discard(w, row, unit)
