"""The map of a flash drive: units of the host's addresses to places on flash.

Flash is written unit by unit in blocks that must be erased as a whole. So a rewritten unit goes to
a new place, and its old place holds garbage until its block is collected: the units that are still
valid there are moved, and the block is erased. Write amplification is (written + moved) / written.

    map      logical unit -> place, or NONE if it was never written or was trimmed
    owner    place -> the logical unit that was last written there
    valid    a place whose owner maps to it

Written units go to one open block, moved units to another (the two frontiers). The reason: a moved
unit has stayed valid for long, and should not be mixed with new units, many of which soon become
invalid. A full frontier is closed and a free block opened. When fewer than RESERVE are free, the
closed block with the fewest valid units is collected (greedy; of equal blocks the one that has been
equal for longest). This is done a little with each write: a block of n units of which v are valid
gives room for n - v, so v / (n - v) units are moved for each that is written. Then the block is
empty when a new one is needed. The two frontiers fill at different speeds, and may both need a
block when only one is free. The host gets it if the remaining valid units of the collected block
fit into the rest of the other frontier: then the collected block is the next free one. Closed
blocks are in doubly linked lists, one for each number of valid units, so every step takes the same
time for drives of any size.

The map is scaled: for a large drive a logical unit stands for ``scale`` units. The low bits of the
unit number are kept (``group`` of them are neighbours, so the units of one request stay distinct).
The middle bits are dropped. The high bits are kept: a hot area keeps its share of the drive.
Garbage collection depends on shares and on the units of a block. It does not depend on the number
of blocks, if there are many.

When the drive collects garbage, each written unit counts in full: then the shares are right, and a
window need not last for days. Before that, while there are free blocks, the time until they are
used up must be right. So of the units that share a logical one, only the middle one changes the map
when it is written, and the others do not (:func:`is_beside`). Then free blocks last as long as
those of a map of true size.

Drives with the same past share it. Map and owners are lists of leaves of LEAF entries each, and
``pages`` names the leaf of each part of a list. A shared leaf has a name below 0 (~leaf), and the
first change makes a copy of it. So a thousand drives take the memory of one, and that of their
changes.

Verbs: :func:`logical` finds the unit of an address; while it :func:`is_blocked` :func:`clear`,
:func:`write` a unit, then while one :func:`is_due` :func:`move` it; :func:`discard` a unit.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel.ftl_tables import RESERVE
from raidsim.kernel.jit import at_once, handler, routine
from raidsim.kernel.tables import NONE

WRITTEN = 0  # sides: units that the host writes
MOVED = 1  # and those that collection moves

LEAF_BITS = 6
LEAF = 1 << LEAF_BITS  # entries of a map or of owners that are copied together

AHEAD = 8  # places between the unit that moves and the one whose entry of the map is fetched


@handler
def logical(ftl, unit):
    """The logical unit that stands for ``unit`` of the drive."""
    if ftl["scale"] == 1:
        return unit
    group = ftl["group"]
    return unit // (ftl["scale"] * group) * group + unit % group


@handler
def is_beside(w, ftl, unit, number):
    """Return whether a write to ``number`` leaves the map as it is: another unit represents it.

    This is so while there are free blocks (a map that collects has no more than RESERVE), and if
    the place was written before.
    """
    scale = ftl["scale"]
    if scale == 1 or ftl["free"] <= RESERVE:
        return False
    if number // ftl["group"] % scale == scale // 2:
        return False
    return place_of(w, ftl, unit) != NONE


@handler
def entry_of(w, first, i):
    """Return where entry ``i`` of the list whose pages begin with row ``first`` is, to be read."""
    leaf = w.pages[first + (i >> LEAF_BITS)]
    if leaf < 0:
        leaf = ~leaf
    return (leaf << LEAF_BITS) + (i & (LEAF - 1))


@handler
def own_entry(w, first, i):
    """Return the place of entry ``i``, to be changed, of the list with pages from ``first`` on."""
    page = first + (i >> LEAF_BITS)
    if w.pages[page] < 0:
        copy_leaf(w, page)
    return (w.pages[page] << LEAF_BITS) + (i & (LEAF - 1))


@handler
def place_of(w, ftl, unit):
    """Return the place of logical ``unit``; NONE if it was never written or was trimmed."""
    return w.leaves[entry_of(w, ftl["first_map"], unit)]


@handler
def owner_of(w, ftl, place):
    """The logical unit that was last written to ``place``."""
    return w.leaves[entry_of(w, ftl["first_owner"], place)]


@handler
def unit_at(w, ftl, place):
    """A unit of the drive that may lie at ``place``, if its logical unit stands for several.

    Each block that is collected takes another one of these; neighbours in a group stay neighbours.
    """
    unit = owner_of(w, ftl, place)
    group = ftl["group"]
    scale = ftl["scale"]
    turn = (unit // group + ftl["erased"]) % scale
    return (unit // group * scale + turn) * group + unit % group


@handler
def fetch(entries, entry):
    """Let an entry come into the processor's cache, before it is read; nothing changes by it."""


fetch_at_once = at_once(fetch)


@handler
def fetch_unit(w, ftl, unit):
    """Let the entry of ``unit`` in the map come into the processor's cache.

    Entries that are needed one after the other lie anywhere in the map, which is larger than the
    cache. Without this, more than half of the time of garbage collection is spent waiting for them.
    """
    fetch_at_once(w.leaves, entry_of(w, ftl["first_map"], unit))


@routine
def copy_leaf(w, page):
    """A part of a list that was shared gets a leaf of its own.

    Before each event the engine makes sure that there are enough for all parts of a drive.
    """
    state = w.state[0]
    leaf = state["leaves"]
    if (leaf + 1) << LEAF_BITS > len(w.leaves):
        raise TableOverflowError("leaves")
    state["leaves"] += 1
    source = ~w.pages[page] << LEAF_BITS
    target = leaf << LEAF_BITS
    for i in range(LEAF):
        w.leaves[target + i] = w.leaves[source + i]
    w.pages[page] = leaf


@routine
def write(w, ftl, unit):
    """Write logical ``unit``; not while it :func:`is_blocked`."""
    if ftl["room"][WRITTEN] == 0:
        open_block(w, ftl, WRITTEN)
    entry = own_entry(w, ftl["first_map"], unit)
    if w.leaves[entry] != NONE:
        spoil(w, ftl, w.leaves[entry])
    append(w, ftl, WRITTEN, unit, entry)
    ftl["written"] += 1
    if ftl["victim"] == NONE and ftl["free"] < RESERVE:
        choose(w, ftl)
    ftl["owed"] += ftl["pace"]


@routine
def discard(w, ftl, unit):
    """Forget where logical ``unit`` was, if anywhere: its place holds garbage from now on."""
    place = place_of(w, ftl, unit)
    if place != NONE:
        w.leaves[own_entry(w, ftl["first_map"], unit)] = NONE
        spoil(w, ftl, place)


@routine
def spoil(w, ftl, place):
    """A unit that was valid is garbage from now on."""
    index = place // ftl["block_units"]
    block = w.blocks[ftl["first_block"] + index]
    if is_open(ftl, index):
        block["valid"] -= 1
    else:
        unlink(w, ftl, index)
        block["valid"] -= 1
        link(w, ftl, index)


@routine
def append(w, ftl, side, unit, entry):
    """The next place of the open block of a side (WRITTEN, MOVED) belongs to ``unit``.

    The drive's own ``entry`` of its map says so.
    """
    place = ftl["place"][side]
    w.leaves[entry] = place
    w.leaves[own_entry(w, ftl["first_owner"], place)] = unit
    w.blocks[ftl["first_block"] + ftl["frontier"][side]]["valid"] += 1
    ftl["place"][side] = place + 1
    ftl["room"][side] -= 1
    ftl["appended"] += 1


@routine
def open_block(w, ftl, side):
    """Close the full open block of a side, and open a free one in its place."""
    if ftl["frontier"][side] != NONE:
        link(w, ftl, ftl["frontier"][side])
    index = ftl["free_head"]
    block = w.blocks[ftl["first_block"] + index]
    ftl["free_head"] = block["after"]
    ftl["free"] -= 1
    ftl["frontier"][side] = index
    ftl["place"][side] = index * ftl["block_units"]
    ftl["room"][side] = ftl["block_units"]
    block["begun"] = ftl["appended"]


@handler
def is_open(ftl, index):
    """Return whether a block is in no list: open, or being collected."""
    return (
        index == ftl["frontier"][WRITTEN]
        or index == ftl["frontier"][MOVED]
        or index == ftl["victim"]
    )


@handler
def is_blocked(w, ftl):
    """Return whether no block may be opened for the next unit: units to be moved would not fit."""
    if ftl["room"][WRITTEN] > 0 or ftl["free"] >= RESERVE:
        return False
    if ftl["free"] == 0 or ftl["victim"] == NONE:
        return True
    return w.blocks[ftl["first_block"] + ftl["victim"]]["valid"] > ftl["room"][MOVED]


@routine
def clear(w, ftl):
    """Continue collecting; return the place that a unit has left, or NONE if a block was erased.

    The remaining units of the block being collected always fit into the open block.
    """
    if ftl["victim"] == NONE:
        choose(w, ftl)
    if w.blocks[ftl["first_block"] + ftl["victim"]]["valid"] == 0:
        erase(w, ftl)
        return NONE
    return move(w, ftl)


@routine
def is_due(w, ftl):
    """Return whether a unit must be moved for the units written so far; call until it says no."""
    if ftl["victim"] == NONE:
        return False
    if w.blocks[ftl["first_block"] + ftl["victim"]]["valid"] == 0:
        erase(w, ftl)
        return False
    gain = ftl["block_units"] - ftl["pace"]
    if ftl["owed"] < gain:
        return False
    ftl["owed"] -= gain
    return True


@routine
def choose(w, ftl):
    """Collect the closed block with the fewest valid units: it leaves its list."""
    while w.buckets[ftl["first_bucket"] + ftl["lowest"]] == NONE:
        ftl["lowest"] += 1
    victim = w.buckets[ftl["first_bucket"] + ftl["lowest"]]
    unlink(w, ftl, victim)
    ftl["victim"] = victim
    ftl["scan"] = victim * ftl["block_units"]
    ftl["pace"] = w.blocks[ftl["first_block"] + victim]["valid"]
    ftl["owed"] = 0


@handler
def is_valid(w, ftl, place):
    """Return whether a unit of the host lies at ``place``."""
    return place_of(w, ftl, owner_of(w, ftl, place)) == place


@routine
def move(w, ftl):
    """Move the next valid unit of the block being collected, which has one; its old place."""
    place = ftl["scan"]
    last = (ftl["victim"] + 1) * ftl["block_units"] - 1
    fetch_unit(w, ftl, owner_of(w, ftl, min(place + AHEAD, last)))
    while not is_valid(w, ftl, place):
        place += 1
        fetch_unit(w, ftl, owner_of(w, ftl, min(place + AHEAD, last)))
    ftl["scan"] = place + 1
    if ftl["room"][MOVED] == 0:
        open_block(w, ftl, MOVED)
    w.blocks[ftl["first_block"] + ftl["victim"]]["valid"] -= 1
    unit = owner_of(w, ftl, place)
    append(w, ftl, MOVED, unit, own_entry(w, ftl["first_map"], unit))
    ftl["moved"] += 1
    return place


@routine
def erase(w, ftl):
    """The block being collected holds nothing any more: it is free."""
    victim = ftl["victim"]
    block = w.blocks[ftl["first_block"] + victim]
    block["erases"] += 1
    block["after"] = ftl["free_head"]
    ftl["free_head"] = victim
    ftl["free"] += 1
    ftl["erased"] += 1
    ftl["victim"] = NONE


@routine
def link(w, ftl, index):
    """Hang closed block ``index`` behind those with as many valid units."""
    block = w.blocks[ftl["first_block"] + index]
    valid = block["valid"]
    first = ftl["first_bucket"] + valid
    last = first + ftl["block_units"] + 1
    before = w.buckets[last]
    block["before"] = before
    block["after"] = NONE
    if before == NONE:
        w.buckets[first] = index
    else:
        w.blocks[ftl["first_block"] + before]["after"] = index
    w.buckets[last] = index
    if valid < ftl["lowest"]:
        ftl["lowest"] = valid


@routine
def unlink(w, ftl, index):
    """Take closed block ``index`` out of its list."""
    block = w.blocks[ftl["first_block"] + index]
    first = ftl["first_bucket"] + block["valid"]
    before = block["before"]
    after = block["after"]
    if before == NONE:
        w.buckets[first] = after
    else:
        w.blocks[ftl["first_block"] + before]["after"] = after
    if after == NONE:
        w.buckets[first + ftl["block_units"] + 1] = before
    else:
        w.blocks[ftl["first_block"] + after]["before"] = before
