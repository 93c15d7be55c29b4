"""The map of a flash drive: units of the host's addresses to places on flash.

Flash is written unit by unit in blocks that must be erased whole. So a rewritten unit
goes to a new place, and its old one holds garbage until its block is collected: the
units still valid there are moved, and the block is erased. Write amplification is
(written + moved) / written.

    map      logical unit -> place, or NONE if it was never written or was trimmed
    owner    place -> the logical unit that was last written there
    valid    a place whose owner maps to it

Written and moved units go to the same open block, the frontier. When it is full it is
closed, a free block is opened, and if that was the last one, the closed block with the
fewest valid units is collected (greedy). So of all blocks one is open and one, while a
collection is under way, is free: there is no other reserve. Closed blocks hang in doubly
linked lists, one for each number of valid units, so every step takes the same time
however large the drive is.

The map is scaled: for a large drive a logical unit stands for ``scale`` units. The low
bits of the unit number are kept (``group`` of them make neighbours, so the units of one
request stay distinct), the middle is dropped, and the high bits are kept: a hot area keeps
its share of the drive. What counts for garbage collection are shares and the units of
a block, not how many blocks there are, as long as they are many.

Verbs: :func:`logical` finds the unit of an address; :func:`open_block` when there is no
:func:`has_room`, then :func:`relocate` the block that it chose; :func:`write` a unit;
:func:`discard` one.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE


@handler
def logical(ftl, unit):
    """The logical unit that stands for ``unit`` of the drive."""
    if ftl["scale"] == 1:
        return unit
    group = ftl["group"]
    return unit // (ftl["scale"] * group) * group + unit % group


@handler
def has_room(ftl):
    """Whether the open block takes another unit."""
    return ftl["room"] > 0


@handler
def write(w, ftl, unit):
    """Write logical ``unit`` to the open block, which has room."""
    discard(w, ftl, unit)
    append(w, ftl, unit)
    ftl["written"] += 1


@handler
def discard(w, ftl, unit):
    """Forget where logical ``unit`` was, if anywhere: its place holds garbage from now on."""
    at = ftl["first_map"] + unit
    place = w.maps[at]
    if place == NONE:
        return
    w.maps[at] = NONE
    index = place // ftl["block_units"]
    block = w.blocks[ftl["first_block"] + index]
    if index == ftl["frontier"]:
        block["valid"] -= 1
    else:
        unlink(w, ftl, index)
        block["valid"] -= 1
        link(w, ftl, index)


@handler
def append(w, ftl, unit):
    """The next place of the open block belongs to ``unit``."""
    place = ftl["place"]
    w.maps[ftl["first_map"] + unit] = place
    w.owners[ftl["first_owner"] + place] = unit
    w.blocks[ftl["first_block"] + ftl["frontier"]]["valid"] += 1
    ftl["place"] = place + 1
    ftl["room"] -= 1
    ftl["appended"] += 1


@handler
def open_block(w, ftl):
    """Close the full frontier and open a free block; the closed block to collect, or NONE.

    The caller then moves what is valid in that block, see :func:`relocate`.
    """
    link(w, ftl, ftl["frontier"])
    index = ftl["free_head"]
    block = w.blocks[ftl["first_block"] + index]
    ftl["free_head"] = block["after"]
    ftl["free"] -= 1
    ftl["frontier"] = index
    ftl["place"] = index * ftl["block_units"]
    ftl["room"] = ftl["block_units"]
    block["begun"] = ftl["appended"]
    if ftl["free"] > 0:
        return NONE
    victim = lowest_block(w, ftl)
    unlink(w, ftl, victim)
    return victim


@handler
def lowest_block(w, ftl):
    """The closed block with the fewest valid units."""
    while w.buckets[ftl["first_bucket"] + ftl["lowest"]] == NONE:
        ftl["lowest"] += 1
    return w.buckets[ftl["first_bucket"] + ftl["lowest"]]


@handler
def is_valid(w, ftl, place):
    """Whether a unit of the host lies at ``place``."""
    return w.maps[ftl["first_map"] + w.owners[ftl["first_owner"] + place]] == place


@handler
def relocate(w, ftl, victim):
    """Move what is valid in block ``victim`` to the open block, and erase it."""
    block = w.blocks[ftl["first_block"] + victim]
    left = block["valid"]
    ftl["moved"] += left
    place = victim * ftl["block_units"]
    while left > 0:
        if is_valid(w, ftl, place):
            append(w, ftl, w.owners[ftl["first_owner"] + place])
            left -= 1
        place += 1
    block["valid"] = 0
    block["erases"] += 1
    block["after"] = ftl["free_head"]
    ftl["free_head"] = victim
    ftl["free"] += 1
    ftl["erased"] += 1


@handler
def make_room(w, ftl):
    """Open blocks and collect others until the frontier takes another unit."""
    while not has_room(ftl):
        victim = open_block(w, ftl)
        if victim != NONE:
            relocate(w, ftl, victim)


@handler
def link(w, ftl, index):
    """Hang closed block ``index`` in front of those with as many valid units."""
    block = w.blocks[ftl["first_block"] + index]
    valid = block["valid"]
    at = ftl["first_bucket"] + valid
    after = w.buckets[at]
    block["before"] = NONE
    block["after"] = after
    if after != NONE:
        w.blocks[ftl["first_block"] + after]["before"] = index
    w.buckets[at] = index
    if valid < ftl["lowest"]:
        ftl["lowest"] = valid


@handler
def unlink(w, ftl, index):
    """Take closed block ``index`` out of its list."""
    block = w.blocks[ftl["first_block"] + index]
    before = block["before"]
    after = block["after"]
    if before == NONE:
        w.buckets[ftl["first_bucket"] + block["valid"]] = after
    else:
        w.blocks[ftl["first_block"] + before]["after"] = after
    if after != NONE:
        w.blocks[ftl["first_block"] + after]["before"] = before
