"""Flash geometry: where an address is, and how its pages are read.

``stripe`` bytes in a row stay on one channel, and the next stripe is on the next channel. Each
round over the channels begins one channel further, as parity within a drive causes it. So accesses
that an array makes every so many strips are not all on one channel. Within a channel, program units
(``planes`` pages) go to the dies in turn.

A die reads a page in ``read_time``, or as :mod:`raidsim.kernel.sensing` says. With cache reads it
has a second register per plane. While one page crosses the channel, the die reads the next page of
its block into this register, so the next data of a sequential stream is already there
(``sequential_read_time``). A read of a page that its die is already reading for another command
waits for this read, and takes its bytes from the same register.

Some drives *interleave*: neighbouring mapping units lie on ``interleave`` stripes in turn, and so
on as many channels, or dies if there are fewer channels. A read of a few of them then needs several
dies, where one would do. A *place* is a byte's address before that: see :func:`place_of`.
"""

from __future__ import annotations

from raidsim.kernel import sensing
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import take_child, take_internal
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import NONE, READ, STAGE_MOVE_SENSED, STAGE_SENSED


@handler
def die_of(drive, offset):
    """Station of the die that holds byte ``offset``."""
    stripe = offset // drive["stripe"]
    unit = drive["page"] * drive["planes"]
    row = stripe // drive["channels"]
    channel = (stripe + row) % drive["channels"]
    place = row * (drive["stripe"] // unit) + offset % drive["stripe"] // unit
    return drive["first_die"] + channel * drive["dies"] + place % drive["dies"]


@handler
def channel_of(drive, number):
    """Station of the channel of program unit ``number``: these go round all channels first."""
    return drive["first_channel"] + number % drive["channels"]


@handler
def die_of_unit(drive, number):
    """Station of its die: of each channel they go round too."""
    die = number // drive["channels"] % drive["dies"]
    return drive["first_die"] + number % drive["channels"] * drive["dies"] + die


@handler
def transfer_frames(drive, start, end):
    """ns that the ECC frames touched by bytes [start, end) take on their channel."""
    frame = drive["frame"]
    first = start // frame
    last = (end + frame - 1) // frame
    return round_ns((last - first) * frame * drive["channel_read_ns"])


@handler
def sense_time(w, drive, segment):
    """ns of a die for what segment ``segment`` (or NONE) asks for next."""
    if segment != NONE and w.segments[segment]["run"] > drive["ahead_threshold"]:
        return drive["sequential_read_time"]
    return drive["read_time"]


@handler
def sense(w, drive, index, start, end):
    """Start the senses that bytes [start, end) of command ``index`` need, one a program unit."""
    time = sense_time(w, drive, w.jobs[index]["segment"])
    if drive["interleave"] == 1:
        sense_units(w, drive, index, start, end, time)
    else:
        sense_interleaved(w, drive, index, start, end, time)


@routine
def sense_units(w, drive, index, start, end, time):
    """The same for places [start, end) on the flash: see :func:`place_of`."""
    unit = drive["page"] * drive["planes"]
    while start < end:
        stop = min((start // unit + 1) * unit, end)
        child = take_child(w, STAGE_SENSED, index)
        w.jobs[index]["pending"] += 1
        job = w.jobs[child]
        job["offset"] = start
        job["length"] = stop - start
        die = die_of(drive, start)
        sensing.begin(
            w, drive, die, child, start, 0 if is_sensed(w, drive, die, start, stop) else time
        )
        start = stop


@routine
def sense_interleaved(w, drive, index, start, end, time):
    """The same where mapping units lie on several stripes in turn.

    Of each group of stripes, those mapping units that lie on the same one are read at once.
    """
    size = drive["unit"]
    ways = drive["interleave"]
    in_group = drive["stripe"] // size * ways
    first = start // size
    behind = (end - 1) // size + 1
    while first < behind:
        stop = min((first // in_group + 1) * in_group, behind)
        for unit in range(first, min(first + ways, stop)):
            last = stop - 1 - (stop - 1 - unit) % ways
            begins = place_of(drive, max(unit * size, start))
            ends = place_of(drive, min((last + 1) * size, end) - 1) + 1
            sense_units(w, drive, index, begins, ends, time)
        first = stop


@handler
def place_of(drive, offset):
    """Place on the flash of byte ``offset`` of the host: without interleaving, that address."""
    ways = drive["interleave"]
    if ways == 1:
        return offset
    size = drive["unit"]
    in_turn = drive["stripe"] // size  # mapping units of a stripe
    number = offset // size
    in_group = number % (in_turn * ways)
    place = number - in_group + in_group % ways * in_turn + in_group // ways
    return place * size + offset % size


@handler
def address_at(drive, place):
    """Address of the host of the byte at a place on the flash: :func:`place_of` the other way."""
    ways = drive["interleave"]
    if ways == 1:
        return place
    size = drive["unit"]
    in_turn = drive["stripe"] // size
    number = place // size
    in_group = number % (in_turn * ways)
    unit = number - in_group + in_group % in_turn * ways + in_group // in_turn
    return unit * size + place % size


@routine
def sense_to_move(w, row, drive, number, length, rest, time):
    """A die senses ``length`` bytes of program unit ``number`` in ``time`` ns, to move them.

    ``rest`` says what for: MOVE, REST or FOLD (slc.py). Their room in the write buffer is taken
    now: what is read must have a place to go.
    """
    drive["buffered"] += length
    index = take_internal(w, STAGE_MOVE_SENSED, row, drive, READ)
    job = w.jobs[index]
    job["priority"] = sensing.priority(w, drive)
    job["length"] = length
    job["rest"] = rest
    job["next_station"] = channel_of(drive, number)
    arrive(w, die_of_unit(drive, number), index, time)


@handler
def is_sensed(w, drive, die, start, end):
    """Return whether a die senses the pages of bytes [start, end) for another read of the host."""
    station = w.stations[die]
    if station["busy"] == 0:
        return False
    job = w.jobs[station["latest"]]
    page = drive["page"]
    begins = job["offset"] // page <= start // page
    last = (job["offset"] + job["length"] - 1) // page
    return job["stage"] == STAGE_SENSED and begins and (end - 1) // page <= last
