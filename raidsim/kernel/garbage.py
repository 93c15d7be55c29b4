"""Garbage collection in time: what the page map decides, as work for dies and channels.

The map is written when data comes into the write buffer; it runs ahead of the flash by
what the buffer holds. For each unit written it may name units to move, and the work
follows in the background, behind and between what the host asks for, first come first
served:

    move    die (sense) -> channel -> write buffer -> channel -> die (program)

Moved data stays on the flash side of the drive: it does not cross the data path, which leads to
the host interface. It takes room in the write buffer until it is programmed: together
with the queues at channels and dies that is how collection slows the host down. The
valid units of a program unit are sensed together and cross the channel in pieces of up
to a page; whole program units go to the dies round robin, as those of the host do.

Where a unit lies on flash: the ``appended``-th unit of the map is taken to be in program
unit ``appended`` / (units of one), and those go over channels and dies round robin.

Verbs: :func:`store` host data, :func:`follow` a unit that leaves its place; :func:`sensed`
and :func:`moved` follow a piece.
"""

from __future__ import annotations

from raidsim.kernel import ftl
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take, take_child
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    NONE,
    READ,
    STAGE_MOVE_CHANNEL,
    STAGE_MOVE_SENSED,
    TO_HOST,
)


@routine
def store(w, row, drive, start, end):
    """Bytes [start, end) of the host are in the buffer: their units get new places."""
    table = w.ftls[drive["ftl"]]
    for number in range(start // drive["unit"], (end - 1) // drive["unit"] + 1):
        unit = ftl.logical(table, number)
        if unit == table["last_unit"]:
            continue  # more of the unit that came last: it is still in the buffer
        table["last_unit"] = unit
        while ftl.is_blocked(table):
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
def follow(w, row, drive, table, place):
    """A unit has left ``place``: it is sensed with the others of its program unit."""
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
    """Sense what is to be moved out of one program unit."""
    if drive["moving_units"] > 0:
        sense(w, row, drive, drive["moving_unit"], drive["moving_units"])
        drive["moving_units"] = 0


@routine
def sense(w, row, drive, number, valid):
    """A die senses the ``valid`` units in program unit ``number``."""
    index = take(w, STAGE_MOVE_SENSED, NONE)
    job = w.jobs[index]
    job["drive"] = drive["drive"]
    job["row"] = row
    job["op"] = READ
    job["priority"] = 0
    job["length"] = valid * drive["unit"]
    channel = number % drive["channels"]
    die = number // drive["channels"] % drive["dies"]
    job["offset"] = drive["first_channel"] + channel
    arrive(w, drive["first_die"] + channel * drive["dies"] + die, index, drive["read_time"])


@routine
def sensed(w, index):
    """The valid units of a program unit are in the die's registers: they cross the channel."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    drive["flash_read"] += job["length"]
    channel = job["offset"]
    left = job["length"]
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
    """A piece is in the write buffer."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    drive["moved"] += job["length"]
    drive["buffered"] += job["length"]
    drive["gathered_moved"] += job["length"]
    release(w, index)
