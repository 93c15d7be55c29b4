"""The records of the page map: see :mod:`~raidsim.kernel.ftl` for what they do."""

from __future__ import annotations

import numpy as np

FTL = np.dtype(  # a page map, and where it writes; see ftl.py
    [
        ("scale", "i8"),  # units of the drive that one logical unit stands for
        ("group", "i8"),  # neighbouring units that the scaled map keeps apart
        ("units", "i4"),  # logical ones
        ("first_map", "i4"),  # rows of `pages`
        ("block_units", "i4"),
        ("blocks", "i4"),
        ("first_block", "i4"),
        ("first_owner", "i4"),  # the same
        ("first_bucket", "i4"),
        ("lowest", "i4"),  # no closed block has fewer valid units
        ("free_head", "i4"),
        ("free", "i4"),  # blocks
        ("frontier", "i4", (2,)),  # the open block for what is written, and for what is moved
        ("place", "i4", (2,)),  # where the next unit goes
        ("room", "i4", (2,)),  # units that still fit into the open block
        ("victim", "i4"),  # the block that is being collected, or NONE
        ("scan", "i4"),  # up to which of its places units were moved
        ("pace", "i4"),  # its valid units when it was chosen
        ("owed", "i8"),  # pace for each unit written, less what was moved for it
        ("last_unit", "i4"),  # written last
        ("appended", "i8"),  # units so far: written and moved
        ("written", "i8"),  # units, by the host
        ("moved", "i8"),  # units, by garbage collection
        ("erased", "i8"),  # blocks
    ],
    align=True,
)

BLOCK = np.dtype(
    [
        ("valid", "i4"),  # units
        ("before", "i4"),  # neighbours among the closed blocks with as many valid units
        ("after", "i4"),  # the same; or the next free block
        ("erases", "i4"),
        ("begun", "i8"),  # units appended to the drive before its first one
    ],
    align=True,
)
