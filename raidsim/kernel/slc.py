"""An SLC cache: a part of the flash of a drive that holds one bit a cell, in front of the rest.

A cell that holds one bit is programmed several times faster than one that holds three or four. So
program units of the host go into the cache as long as it has room:

    write   buffer -> channel -> die (SLC program) -> buffer space is free again
    fold    die (SLC sense) -> channel -> buffer -> channel -> die (program) -> room in the cache

The oldest data is folded first. A drive folds when it has been idle for a while, until the next
command comes. Some drives also fold under load, when the cache is full: there the hosts wait for
the cache (``waits``). Other drives do not fold then, and program data without room directly into
the flash behind. Dies, channels and buffer are shared with all other work, first come first served,
so folding slows down the host.

Data that was written again meanwhile, or trimmed, is not folded, whether the new copy is in the
cache or not. So a file that is overwritten again and again stays in the cache for any length of
time: the oldest blocks no longer hold valid data of it, and are erased. Each copy that comes in
records its place, so an older copy is recognised by a record with another place. Valid units of
several program units are folded together, as one program unit.

The page map is that of the flash behind. Data gets its place there when its fold ends, so the fold
causes garbage collection and the burst does not. Until then its mapping units wait in a ring. Data
in the cache is on the medium: a power cut loses none of it, and a fold that was under way begins
again.

Verbs: a unit is :func:`taken`, or one that is in the cache :func:`forgotten`; a program unit
:func:`must_wait`, :func:`enters` and is :func:`written`; :func:`let_go` of the oldest ones,
:func:`fold`, :func:`folded`; :func:`rest` when no command is left.
"""

from __future__ import annotations

from raidsim.kernel.flash import die_of_unit, sense_to_move
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_internal
from raidsim.kernel.station import arrive
from raidsim.kernel.tables import NONE, STAGE_ERASED, STAGE_SLC_IDLE, WRITE

# What a program unit, or a sense for the drive's own sake, is for.
MOVE = 0  # garbage collection, or host data that does not go through the cache
REST = 1  # a sense of the rest of a mapping unit that was written in part
FOLD = 2  # data moves out of the cache
ENTER = 3  # data goes into the cache
MAP = 4  # a part of the map itself that a flush waits for
MAP_PAGES = 5  # changed pages of a map on flash that have left memory: see mapping.py


@handler
def is_full(slc, drive):
    """Return whether one more program unit finds no room."""
    unit = drive["page"] * drive["planes"]
    return slc["held"] + slc["reserved"] + unit > slc["size"]


@routine
def taken(w, row, drive, number):
    """Return whether mapping unit ``number`` of the buffer goes into the cache; note it if so."""
    slc = w.slcs[drive["slc"]]
    if slc["waits"] == 0 and is_full(slc, drive):
        let_go(w, row, drive)
    passes_by = slc["waits"] == 0 and is_full(slc, drive)
    if passes_by or slc["size"] == 0 or slc["taken"] - slc["mapped"] == slc["units"]:
        forgotten(w, drive, number)
        return False
    first = slc["first_unit"]
    place = slc["taken"] % slc["units"]
    w.slc_units[first + place]["unit"] = number
    w.slc_units[first + number % slc["units"]]["last"] = place
    slc["taken"] += 1
    return True


@handler
def forgotten(w, drive, number):
    """Mapping unit ``number`` was trimmed, or passed the cache by: no copy of it is folded."""
    slc = w.slcs[drive["slc"]]
    first = slc["first_unit"]
    last = first + w.slc_units[first + number % slc["units"]]["last"]
    if w.slc_units[last]["unit"] == number:
        w.slc_units[last]["unit"] = struck(number)


@handler
def struck(number):
    """The entry for mapping unit ``number`` when its data is not valid; below NONE, as no unit."""
    return NONE - 1 - number


@handler
def shares(slc, drive):
    """Return the number of mapping units in the oldest program unit that is not being folded.

    Writes of less than a mapping unit leave more of them in a program unit, and what was in the
    cache before the run has its places already: so each takes its share along.
    """
    unit = drive["page"] * drive["planes"]
    together = max(unit // drive["unit"], 1)
    parts = max((slc["held"] - slc["folding"]) // unit, 1)
    on_the_way = (drive["gathered"] + slc["reserved"]) // drive["unit"]
    left = max(slc["taken"] - slc["seen"] - on_the_way, 0)
    return min((left + parts // 2) // parts, 2 * together)


@routine
def valid(w, slc, share):
    """Return the number of next units with current data; strike off the others."""
    first = slc["first_unit"]
    found = 0
    for number in range(slc["seen"], slc["seen"] + share):
        place = number % slc["units"]
        unit = w.slc_units[first + place]["unit"]
        if unit < 0:
            continue
        last = w.slc_units[first + unit % slc["units"]]["last"]
        there = w.slc_units[first + last]["unit"]
        if last != place and (there == unit or there == struck(unit)):
            w.slc_units[first + place]["unit"] = NONE
        else:
            found += 1
    return found


@routine
def let_go(w, row, drive):
    """Give up the oldest program units of which nothing is valid, until there is room."""
    slc = w.slcs[drive["slc"]]
    unit = drive["page"] * drive["planes"]
    while is_full(slc, drive) and slc["held"] - slc["folding"] >= unit:
        share = shares(slc, drive)
        if share == 0 or valid(w, slc, share) > 0:
            return
        drop(w, row, drive, share)


@routine
def drop(w, row, drive, share):
    """A program unit leaves the cache for nothing, with its ``share`` of the mapping units."""
    slc = w.slcs[drive["slc"]]
    slc["seen"] += share
    slc["dropped"] += drive["page"] * drive["planes"]
    while (
        slc["mapped"] < slc["seen"]
        and w.slc_units[slc["first_unit"] + slc["mapped"] % slc["units"]]["unit"] < 0
    ):
        slc["mapped"] += 1
    leaves(w, row, drive)


@handler
def must_wait(w, row, drive):
    """Return whether a program unit of the host waits in the buffer for room in the cache."""
    if drive["slc"] == NONE:
        return False
    slc = w.slcs[drive["slc"]]
    if slc["waits"] == 0 or slc["size"] == 0 or not is_full(slc, drive):
        return False
    fold(w, row, drive)
    return is_full(slc, drive)


@handler
def enters(w, row, drive):
    """Return whether the host's next program unit goes into the cache; take its room if so."""
    if drive["slc"] == NONE:
        return False
    slc = w.slcs[drive["slc"]]
    if is_full(slc, drive):
        let_go(w, row, drive)
        if is_full(slc, drive):
            return False
    slc["reserved"] += drive["page"] * drive["planes"]
    slc["entered"] += 1
    return True


@routine
def written(w, drive):
    """A program unit is in the cache."""
    slc = w.slcs[drive["slc"]]
    unit = drive["page"] * drive["planes"]
    slc["reserved"] -= unit
    slc["held"] += unit
    slc["programmed"] += unit


@handler
def folds_now(slc, drive):
    """Return whether the drive has a reason to fold: it is idle, or its hosts need room."""
    if drive["in_hand"] == 0 and slc["idle"] == 1:
        return True
    unit = drive["page"] * drive["planes"]
    return slc["waits"] == 1 and slc["held"] + slc["reserved"] + unit > slc["fold_from"]


@handler
def is_last(slc, drive):
    """Return whether units that left the cache go on with this program unit, though not full.

    Nothing is left for them to wait for; or they have waited for so long that the ring of mapping
    units, which has as many rows more than the cache holds as a program unit has bytes, fills up.
    """
    unit = drive["page"] * drive["planes"]
    waiting = slc["seen"] - slc["mapped"]
    if slc["folding"] > 0:
        return False
    if slc["held"] < 2 * unit and (slc["valid"] > 0 or waiting > 0):
        return True
    return waiting > unit // 4


@routine
def fold(w, row, drive):
    """Begin to fold as much as there may be under way."""
    slc = w.slcs[drive["slc"]]
    unit = drive["page"] * drive["planes"]
    while slc["folding"] + unit <= min(slc["depth"], slc["held"]) and folds_now(slc, drive):
        share = shares(slc, drive)
        more = valid(w, slc, share) * drive["unit"] if share > 0 else unit
        slc["valid"] = min(slc["valid"] + more, 2 * unit)
        if slc["valid"] < unit and not is_last(slc, drive):
            drop(w, row, drive, share)
            continue
        slc["valid"] = max(slc["valid"] - unit, 0)
        slc["seen"] += share
        number = slc["begun"]
        slc["begun"] = number + 1
        slc["folding"] += unit
        sense_to_move(w, row, drive, number, unit, FOLD, slc["read_time"])


@routine
def folded(w, row, drive):
    """A program unit has left the cache; how many mapping units get their places behind it."""
    slc = w.slcs[drive["slc"]]
    unit = drive["page"] * drive["planes"]
    under_way = slc["folding"] // unit
    share = (slc["seen"] - slc["mapped"] + under_way - 1) // under_way
    slc["folding"] -= unit
    slc["folded"] += unit
    leaves(w, row, drive)
    return share


@routine
def leaves(w, row, drive):
    """A program unit makes room. A full block of the cache is erased once all of it has left."""
    slc = w.slcs[drive["slc"]]
    slc["held"] -= drive["page"] * drive["planes"]
    number = slc["left"]
    slc["left"] += 1
    all_dies = drive["channels"] * drive["dies"]
    if (number // all_dies + number % all_dies + 1) % slc["pages_per_block"] == 0:
        slc["erased"] += 1
        index = take_internal(w, STAGE_ERASED, row, drive, WRITE)
        w.jobs[index]["suspensions"] = 0
        arrive(w, die_of_unit(drive, number), index, drive["erase_time"])


@handler
def next_unit(w, drive):
    """The mapping unit that gets its place next, or NONE if it is worth nothing any more."""
    slc = w.slcs[drive["slc"]]
    unit = w.slc_units[slc["first_unit"] + slc["mapped"] % slc["units"]]["unit"]
    slc["mapped"] += 1
    return max(unit, NONE)


@routine
def rest(w, row, drive):
    """No command is left: the time begins after which the drive folds."""
    slc = w.slcs[drive["slc"]]
    slc["idle"] = 0
    slc["idle_since"] = w.state[0]["now"]
    if slc["size"] > 0 and slc["ticking"] == 0:
        slc["ticking"] = 1
        index = take_internal(w, STAGE_SLC_IDLE, row, drive, WRITE)
        arrive(w, slc["clock"], index, slc["idle_after"])


@routine
def rested(w, index):
    """The time has passed: fold if the drive was idle for all of it, else wait for the rest."""
    job = w.jobs[index]
    row = job["row"]
    drive = w.ssds[row]
    slc = w.slcs[drive["slc"]]
    left = slc["idle_since"] + slc["idle_after"] - w.state[0]["now"]
    if drive["in_hand"] == 0 and left > 0:
        arrive(w, slc["clock"], index, left)
        return
    release(w, index)
    slc["ticking"] = 0
    if drive["in_hand"] == 0:
        slc["idle"] = 1
        fold(w, row, drive)
