"""Garbage collection in time: the decisions of the page map, as work for dies and channels.

The map is written when data comes into the write buffer, so it is ahead of the flash by the content
of the buffer. For each unit written it may name units to move. This work is done in the background,
between the commands of the host, first come first served:

    move    die (read) -> channel -> write buffer -> channel -> die (program)

Moved data stays on the flash side of the drive: it does not cross the data path, which leads to the
host interface. It has room in the write buffer from the start of its read until it is programmed.
By this room and by the queues at channels and dies, collection slows down the host. The effect
comes at once, and not only when reads behind programs have returned. The valid units of a program
unit are read together and cross the channel in pieces of up to a page. Whole program units go to
the dies round robin, as those of the host do. Each unit that moves changes the map. On drives whose
firmware does this, commands wait for the same cores: there the cost of a random write is
proportional to its bytes, and a sequential write costs nothing.

A write that ends within a mapping unit leaves the rest of the unit as it was, and a program unit
holds whole mapping units. If the next write is elsewhere, and not the missing bytes, the drive
reads the rest from the old place of the unit, as if it moved it, and programs both together. If the
unit was never written, it is filled up.

The place of a unit on flash: the ``appended``-th unit of the map is assumed to be in program unit
``appended`` / (units of one), and these are distributed over channels and dies round robin.

Verbs: :func:`store` host data, :func:`forget` trimmed data, :func:`follow` a unit that leaves its
place; :func:`sensed` and :func:`moved` follow a piece.
"""

from __future__ import annotations

from raidsim.kernel import ftl, mapping, slc
from raidsim.kernel.flash import sense_to_move
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child, take_internal
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    NONE,
    STAGE_MAPPED,
    STAGE_MOVE_CHANNEL,
    TO_HOST,
    WRITE,
)


@routine
def store(w, row, drive, start, end):
    """Bytes [start, end) of the host are in the buffer: their units get new places."""
    table = w.ftls[drive["ftl"]]
    size = drive["unit"]
    for number in range(start // size, (end - 1) // size + 1):
        unit = ftl.logical(table, number)
        part = min(end, (number + 1) * size) - max(start, number * size)
        if unit == table["last_unit"]:
            drive["covered"] += part  # more bytes of the unit before, which is still in the buffer
            continue
        complete(w, row, drive)
        table["last_unit"] = unit
        drive["covered"] = part
        if part < size:
            drive["rest"] = lies_in(w, drive, table, unit)
        if drive["slc"] == NONE or not slc.taken(w, row, drive, number):
            put(w, row, drive, table, number)
        elif drive["map"] != NONE:
            mapping.change(w, row, drive, number)


@routine
def forget(w, drive, start, end):
    """The host need not have bytes [start, end) kept: mapping units that lie there are garbage.

    Those that it names in part stay.
    """
    table = w.ftls[drive["ftl"]]
    size = drive["unit"]
    for number in range((start + size - 1) // size, end // size):
        unit = ftl.logical(table, number)
        ftl.discard(w, table, unit)
        if drive["slc"] != NONE:
            slc.forgotten(w, drive, number)
        if unit == table["last_unit"]:
            table["last_unit"] = NONE


@routine
def put(w, row, drive, table, number):
    """Give a unit a new place in the map, with the collection that this asks for."""
    unit = ftl.logical(table, number)
    if drive["map"] != NONE:
        mapping.change(w, row, drive, number)
    if ftl.is_beside(w, table, unit, number):
        table["written"] += 1
        return
    while ftl.is_blocked(w, table):
        place = ftl.clear(w, table)
        if place != NONE:
            follow(w, row, drive, table, place)
        else:
            sense_gathered(w, row, drive)
    ftl.write(w, table, unit)
    while ftl.is_due(w, table):
        follow(w, row, drive, table, ftl.move(w, table))
    if table["victim"] == NONE:
        sense_gathered(w, row, drive)


@routine
def leave_cache(w, row, drive):
    """A program unit was folded: its mapping units get their places behind the SLC cache."""
    table = w.ftls[drive["ftl"]]
    for _ in range(slc.folded(w, row, drive)):
        number = slc.next_unit(w, drive)
        if number != NONE:
            put(w, row, drive, table, number)


@routine
def complete(w, row, drive):
    """The unit that came last stays as it is: what it lacks is read, or filled up."""
    rest = drive["unit"] - drive["covered"]
    if rest <= 0 or drive["covered"] == 0:
        return
    if drive["rest"] == NONE:
        drive["filled"] += rest
        drive["buffered"] += rest
        drive["gathered_moved"] += rest
    else:
        sense_to_move(w, row, drive, drive["rest"], rest, slc.REST, drive["read_time"])


@handler
def lies_in(w, drive, table, unit):
    """The program unit that logical ``unit`` lies in, or NONE if it was never written."""
    place = ftl.place_of(w, table, unit)
    if place == NONE:
        return NONE
    index = place // table["block_units"]
    begun = w.blocks[table["first_block"] + index]["begun"]
    together = max(drive["page"] * drive["planes"] // drive["unit"], 1)
    return (begun + place - index * table["block_units"]) // together


@routine
def follow(w, row, drive, table, place):
    """A unit has left ``place``: it is sensed with the others of its program unit."""
    if drive["map"] != NONE:
        last = (drive["size"] - 1) // drive["unit"]
        mapping.change(w, row, drive, min(ftl.unit_at(w, table, place), last))
    together = max(drive["page"] * drive["planes"] // drive["unit"], 1)
    first = table["victim"] * table["block_units"]
    begun = w.blocks[table["first_block"] + table["victim"]]["begun"]
    number = (begun + place - first) // together
    if number != drive["moving_unit"]:
        sense_gathered(w, row, drive)
        drive["moving_unit"] = number
    drive["moving_units"] += 1


@handler
def sense_gathered(w, row, drive):
    """Sense the units that are moved out of one program unit."""
    if drive["moving_units"] > 0:
        length = drive["moving_units"] * drive["unit"]
        number, time = drive["moving_unit"], drive["read_time"]
        sense_to_move(w, row, drive, number, length, slc.MOVE, time)
        drive["moving_units"] = 0


@routine
def sensed(w, index):
    """The valid units of a program unit are in the die's registers: they cross the channel."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    drive["flash_read"] += job["length"]
    channel = job["next_station"]
    left = job["length"]
    rest = job["rest"]
    first = True
    while left > 0:
        piece = index
        if not first:
            piece = take_child(w, STAGE_MOVE_CHANNEL, index)
        first = False
        part = w.jobs[piece]
        part["parent"] = NONE
        part["stage"] = STAGE_MOVE_CHANNEL
        part["direction"] = TO_HOST
        part["length"] = min(left, drive["page"])
        part["rest"] = rest
        left -= part["length"]
        arrive(w, channel, piece, transfer(drive, part["length"]))


@handler
def transfer(drive, length):
    """ns that the frames of ``length`` valid bytes, scattered over a page, take on the channel."""
    frame = drive["frame"]
    units = (length + drive["unit"] - 1) // drive["unit"]
    frames = units * ((drive["unit"] + frame - 1) // frame)
    size = max(min(frames * frame, drive["page"]), length)
    return round_ns(size * drive["channel_read_ns"])


@handler
def moved(w, index):
    """A piece is in the write buffer, where it has its room since it was sensed."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    if job["rest"] == slc.FOLD:
        w.slcs[drive["slc"]]["gathered"] += job["length"]
        release(w, index)
        return
    if job["rest"] == slc.REST:
        drive["filled"] += job["length"]
    else:
        drive["moved"] += job["length"]
    drive["gathered_moved"] += job["length"]
    if drive["move_update_time"] > 0:
        update_map(w, drive, index)
    release(w, index)


@handler
def update_map(w, drive, index):
    """Firmware enters the new places of moved units into the map: commands wait for its core."""
    job = w.jobs[index]
    update = take_internal(w, STAGE_MAPPED, job["row"], drive, WRITE)
    units = (job["length"] + drive["unit"] - 1) // drive["unit"]
    arrive(w, drive["front_end"], update, units * drive["move_update_time"])
