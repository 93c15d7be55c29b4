"""A map that is kept on flash: a drive without DRAM has only a part of it in memory.

A map has an entry of some bytes for each mapping unit: a gigabyte for a terabyte. Cheap drives have
no memory for that. They keep the map on flash, in pages of 4 KiB, and have some of these in the
memory of the controller (a megabyte), or in memory that the host lends them (a host memory buffer
of NVMe, tens of megabytes). A page that is not there is read first:

    look-up   die (sense) -> channel -> the read goes on
    change    the same in the background: the write is acknowledged before. Until the page has come
              it takes its room in the write buffer, so it slows down the host.
    leave     a changed page that gives way to another one stays in the write buffer until it is
              programmed, with others, as one program unit: channel -> die

Firmware has some look-ups under way at a time. It makes few changes at a time, often one: reading a
page for a change, or programming pages that leave.

Pages in memory are in sets of WAYS; the number of a page determines its set, in which the page
least recently used gives way. So an area that is no larger than what memory covers is in it as a
whole. A page counts as in memory from when it is asked for: another look-up does not wait for a
page that is on its way, and none is read twice. Pages without an entry are not on flash. Trimming
changes the map in memory only, and reading ahead needs no look-ups: their pages are few. A read of
data that was read ahead does need them.

Firmware keeps the map in cells of one bit, if the drive has an SLC cache.

Verbs: :func:`look_up` the places of a read, :func:`change` the place of a unit; :func:`sense`,
:func:`sensed` and :func:`arrived` follow a page.
"""

from __future__ import annotations

from raidsim.kernel import sensing
from raidsim.kernel.flash import channel_of, die_of_unit, transfer_frames
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child, take_internal
from raidsim.kernel.map_tables import MAP_PAGE, WAYS
from raidsim.kernel.station import arrive, seize
from raidsim.kernel.tables import NONE, READ, STAGE_MAP_READ, STAGE_MAP_SENSED, TO_HOST


@routine
def look_up(w, drive, index):
    """Return whether read ``index`` waits for pages of the map."""
    table = w.maps[drive["map"]]
    job = w.jobs[index]
    first = job["offset"] // drive["unit"] // table["entries"]
    last = (job["offset"] + job["length"] - 1) // drive["unit"] // table["entries"]
    for page in range(first, last + 1):
        if has_entries(w, table, page) and not take_in(w, drive, table, page, 0):
            child = take_child(w, STAGE_MAP_SENSED, index)
            job["pending"] += 1
            fetch(w, drive, table, child, page)
    return job["pending"] > 0


@routine
def change(w, row, drive, number):
    """Mapping unit ``number`` has a new place: its page of the map is changed in memory."""
    table = w.maps[drive["map"]]
    page = number // table["entries"]
    there = take_in(w, drive, table, page, 1)
    is_new = not has_entries(w, table, page)
    w.map_pages[table["first_page"] + page] = 1
    if there or is_new:
        return
    drive["buffered"] += MAP_PAGE
    index = take_internal(w, STAGE_MAP_SENSED, row, drive, READ)
    w.jobs[index]["priority"] = sensing.priority(w, drive)
    fetch(w, drive, table, index, page)


@handler
def has_entries(w, table, page):
    """Return whether a page of the map says where a unit is."""
    return w.map_pages[table["first_page"] + page] == 1


@routine
def take_in(w, drive, table, page, changed):
    """Have a page in memory, where another one gives way to it; whether it was there."""
    first = table["first_slot"] + page % table["sets"] * WAYS
    oldest = first
    table["tick"] += 1
    for place in range(first, first + WAYS):
        slot = w.map_slots[place]
        if slot["page"] == page:
            slot["used"] = table["tick"]
            slot["changed"] = max(slot["changed"], changed)
            return True
        if slot["used"] < w.map_slots[oldest]["used"]:
            oldest = place
    slot = w.map_slots[oldest]
    if slot["changed"] == 1:
        drive["buffered"] += MAP_PAGE
        table["gathered"] += MAP_PAGE
        table["left"] += 1
    slot["page"] = page
    slot["used"] = table["tick"]
    slot["changed"] = changed
    return False


@routine
def fetch(w, drive, table, index, page):
    """Job ``index`` reads a page of the map, once the firmware has time for it."""
    job = w.jobs[index]
    job["offset"] = page * MAP_PAGE
    job["length"] = MAP_PAGE
    if seize(w, table["changes"] if job["parent"] == NONE else table["look_ups"], index):
        sense(w, drive, index)


@routine
def sense(w, drive, index):
    """A die reads the page of job ``index``; pages lie on all dies in turn."""
    job = w.jobs[index]
    page = job["offset"] // MAP_PAGE
    die = die_of_unit(drive, page)
    job["next_station"] = channel_of(drive, page)
    time = w.maps[drive["map"]]["read_time"]
    if job["parent"] != NONE:
        time += sensing.interrupt(w, drive, die)
    arrive(w, die, index, time)


@handler
def sensed(w, index):
    """A page of the map is in the register of its die: it crosses the channel."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    drive["flash_read"] += MAP_PAGE
    job["stage"] = STAGE_MAP_READ
    job["direction"] = TO_HOST
    arrive(w, job["next_station"], index, transfer_frames(drive, 0, MAP_PAGE))


@routine
def arrived(w, drive, index):
    """A page of the map is in memory; the command that waited for it, or NONE."""
    parent = w.jobs[index]["parent"]
    w.maps[drive["map"]]["fetched"] += 1
    release(w, index)
    if parent == NONE:
        drive["buffered"] -= MAP_PAGE
    else:
        w.jobs[parent]["pending"] -= 1
    return parent
