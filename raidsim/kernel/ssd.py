"""A solid-state drive, of NVMe, SATA or SAS: command, data path, write buffer, channels and dies.

A command reaches the drive after a fixed latency (doorbell, fetch) and is decoded by the
front end. Data moves in pages of flash, and the pages of one request overlap:

    read    die (sense) -> channel -> data path -> link          (each page on its own)
            Where a drive serves parts in turn, a read that crosses a stripe boundary is split
            there, and its parts follow one another.
    write   buffer space -> link -> data path -> acknowledged
            afterwards a front-end core updates the map
    flush   data path -> channel -> die (program) -> buffer space is free again
            A flush that the host asks for, and a forced write, wait until units of the map that
            say where the data lies are programmed behind it, if a power cut would lose the buffer.
    move    die (sense) -> channel -> buffer -> channel -> die (program): see garbage.py
    map     die (sense) -> channel, before a read, if the map is not in memory: see mapping.py
    fold    the same, out of an SLC cache if the drive has one: see slc.py

The data path between host interface and flash interface is half duplex. In the flush
pass it feeds all channels in step, so it is held for the time that the data takes on
all channels together: that pass is faster on a drive with more channels.

The host reads as if its data lay on the flash as a sequential fill leaves it: ``stripe``
bytes stay on one channel, in program units (``planes`` pages) over the dies of that
channel. Flushed units go to channels and dies round robin, and for each block's worth that
a die has programmed it erases a block. A sense reads the touched pages of one program unit
at once (its planes), and transfers whole ECC frames.

Dies that share a chip enable work as one: they add capacity, not parallelism, and here they
are one station.

Verbs: :func:`command_arrived`, :func:`decode` splits a command, :func:`sensed`,
:func:`to_path`, :func:`to_link`, ... follow a page, :func:`answer` sends the completion back.
"""

from __future__ import annotations

from raidsim.kernel import garbage, mapping, queue, read_ahead, sensing, slc
from raidsim.kernel.flash import address_at, channel_of, die_of_unit, sense, transfer_frames
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child, take_internal
from raidsim.kernel.reply import delay, end_withholding, promise, reached_medium, reply, withhold
from raidsim.kernel.station import arrive, leave, round_ns, seize
from raidsim.kernel.tables import (
    DONE,
    FAILED,
    FLUSH,
    FUA_ASKED,
    FUA_WAITS,
    NONE,
    READ,
    STAGE_CHANNEL_READ,
    STAGE_COMMAND_DECODED,
    STAGE_ERASED,
    STAGE_FLUSH_CHANNEL,
    STAGE_FLUSH_PATH,
    STAGE_LINK_READ,
    STAGE_LINK_WRITE,
    STAGE_MAP_SENSED,
    STAGE_MAPPED,
    STAGE_PATH_READ,
    STAGE_PATH_WRITE,
    STAGE_PROGRAMMED,
    STAGE_WAITING,
    TO_HOST,
    TO_MEDIUM,
    TRIM,
    UNREADABLE,
    WRITE,
)


@handler
def command_arrived(w, index):
    """The drive has fetched the command: the front end decodes it."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    drive["in_hand"] += 1
    job["stage"] = STAGE_COMMAND_DECODED
    time = drive["command_time"] + delay(w, job)
    if job["op"] == READ:
        time += drive["command_read_time"]
    arrive(w, drive["front_end"], index, time)


@handler
def decode(w, index):
    """Split command ``index`` into pages; a failed drive answers with an error."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    if w.drives[job["drive"]]["failed"] == 1:
        job["status"] = FAILED
        answer(w, drive, index)
    elif job["status"] == UNREADABLE:
        answer(w, drive, index)
    elif job["op"] == READ:
        decode_read(w, drive, index)
    elif job["op"] == WRITE:
        decode_write(w, drive, index)
    elif job["op"] == TRIM:
        garbage.forget(w, drive, job["offset"], job["offset"] + job["length"])
        answer(w, drive, index)
    elif w.drives[job["drive"]]["protected"] == 1:
        answer(w, drive, index)
    else:
        job["stage"] = STAGE_WAITING
        queue.append(w, drive, index)
        serve_waiting(w, job["row"], drive)


@handler
def decode_read(w, drive, index):
    """Find where the data is, and take it; the read may have to wait for pages of the map."""
    if drive["map"] != NONE:
        waits = mapping.look_up(w, drive, index)
        flush_map_pages(w, w.jobs[index]["row"], drive)
        if waits:
            return
    take_pages(w, drive, index)


@handler
def looked_up(w, index):
    """A page of the map has come: what waited for it goes on."""
    row = w.jobs[index]["row"]
    drive = w.ssds[row]
    table = w.maps[drive["map"]]
    is_change = w.jobs[index]["parent"] == NONE
    end_access(w, drive, table["changes"] if is_change else table["look_ups"], index)
    waited = mapping.arrived(w, drive, index)
    if waited == NONE:
        serve_waiting(w, row, drive)
    elif w.jobs[waited]["pending"] == 0:
        take_pages(w, drive, waited)


@routine
def take_pages(w, drive, index):
    """Take each page from the sector buffer, from read-ahead, or from flash."""
    job = w.jobs[index]
    if read_ahead.serve(w, drive, index):
        job["begun"] = job["offset"] + job["length"]
    else:
        job["begun"] = job["offset"]
        sense_part(w, drive, index)


@handler
def sense_part(w, drive, index):
    """Start the next part of read ``index``: what is left of it up to where reads are split."""
    job = w.jobs[index]
    start = job["begun"]
    split = drive["split"]
    end = min((start // split + 1) * split, job["offset"] + job["length"])
    job["begun"] = end
    sense(w, drive, index, start, end)


@handler
def sensed(w, index):
    """A die has read the touched pages of a program unit: each crosses the channel."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    parent = job["parent"]
    page = drive["page"]
    start = job["offset"]
    end = start + job["length"]
    channel = job["station"]
    channel = drive["first_channel"] + (channel - drive["first_die"]) // drive["dies"]
    drive["flash_read"] += job["length"]
    first = True
    while start < end:
        stop = min((start // page + 1) * page, end)
        if first:
            piece = index
            first = False
        else:
            piece = take_child(w, STAGE_CHANNEL_READ, parent)
            w.jobs[parent]["pending"] += 1
        part = w.jobs[piece]
        part["stage"] = STAGE_CHANNEL_READ
        part["direction"] = TO_HOST
        part["offset"] = address_at(drive, start)
        part["length"] = stop - start
        arrive(w, channel, piece, transfer_frames(drive, start, stop))
        start = stop


@handler
def to_path(w, index):
    """A page is in the drive's memory: it crosses the data path towards the host."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    if job["length"] < drive["unit"] and w.jobs[job["parent"]]["length"] < drive["unit"]:
        read_ahead.share(w, drive, job["parent"])
    job["stage"] = STAGE_PATH_READ
    job["direction"] = TO_HOST
    arrive(w, drive["path"], index, round_ns(job["length"] * drive["path_read_ns"]))


@handler
def to_link(w, index):
    """A page leaves the drive."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    job["stage"] = STAGE_LINK_READ
    size = job["length"] + command_share(w, drive, job)
    arrive(w, drive["link_to_host"], index, round_ns(size * drive["link_ns"]))


@routine
def command_share(w, drive, job):
    """Bytes that a page takes of the link for its command: all of them with its first page."""
    size = drive["link_command_size"]
    if size > 0 and job["offset"] != w.jobs[job["parent"]]["offset"]:
        size = 0
    return size


@handler
def decode_write(w, drive, index):
    """Split a write into pages; each fetches its data as soon as the buffer has room."""
    job = w.jobs[index]
    page = drive["page"]
    start = job["offset"]
    end = start + job["length"]
    while start < end:
        stop = min((start // page + 1) * page, end)
        piece = take_child(w, STAGE_WAITING, index)
        job["pending"] += 1
        part = w.jobs[piece]
        part["offset"] = start
        part["length"] = stop - start
        part["direction"] = TO_MEDIUM
        if drive["first_waiting"] == NONE and drive["buffered"] + part["length"] <= drive["buffer"]:
            fetch(w, drive, piece)
        else:
            queue.append(w, drive, piece)
        start = stop


@routine
def serve_waiting(w, row, drive):
    """Whoever waits for the buffer takes the next step, in order.

    A flush waits until all that was acknowledged is on the flash, and the map that says where; so
    does a write that is to be answered from there. What comes behind it waits too.
    """
    while drive["first_waiting"] != NONE:
        index = drive["first_waiting"]
        if w.jobs[index]["op"] != FLUSH and w.jobs[index]["fua"] != FUA_WAITS:
            if drive["buffered"] + w.jobs[index]["length"] > drive["buffer"]:
                return
            fetch(w, drive, queue.take_first(w, drive))
        elif w.drives[drive["drive"]]["unsafe"] > 0:
            flush_rest(w, row, drive)
            return
        elif drive["map_behind"] == 1:
            write_map(w, row, drive)
            return
        else:
            answer(w, drive, queue.take_first(w, drive))


@handler
def flush_rest(w, row, drive):
    """Flush what is less than a program unit, too: the rest of the unit is filled up."""
    rest = drive["gathered"]
    if rest > 0 and not slc.must_wait(w, row, drive):
        drive["gathered"] = 0
        flush(w, row, drive, rest, slc.ENTER if slc.enters(w, row, drive) else slc.MOVE)


@handler
def write_map(w, row, drive):
    """Program the map, which says where data lies, unit after unit, unless that is under way."""
    if drive["map_left"] == 0:
        drive["map_left"] = drive["map_programs"]
        flush(w, row, drive, 0, slc.MAP)


@handler
def map_written(w, row, drive):
    """A program unit of the map is on the flash; after the last one it is up to date."""
    drive["map_left"] -= 1
    if drive["map_left"] > 0:
        flush(w, row, drive, 0, slc.MAP)
    else:
        drive["map_behind"] = 0


@handler
def fetch(w, drive, index):
    """Reserve buffer space for a page and fetch it over the link."""
    job = w.jobs[index]
    drive["buffered"] += job["length"]
    job["stage"] = STAGE_LINK_WRITE
    size = job["length"] + command_share(w, drive, job)
    arrive(w, drive["link_to_drive"], index, round_ns(size * drive["link_ns"]))


@handler
def to_buffer(w, index):
    """A page has come over the link: it crosses the data path into the buffer."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    job["stage"] = STAGE_PATH_WRITE
    arrive(w, drive["path"], index, round_ns(job["length"] * drive["path_write_ns"]))


@handler
def buffered(w, index):
    """A page is in the buffer; full program units are flushed, whole commands acknowledged."""
    job = w.jobs[index]
    row = job["row"]
    drive = w.ssds[row]
    start = job["offset"]
    length = job["length"]
    drive["stored"] += length
    drive["gathered"] += length
    parent = job["parent"]
    page_done(w, index)
    garbage.store(w, row, drive, start, start + length)
    flush_gathered(w, row, drive)
    flush_moved(w, row, drive)
    if w.jobs[parent]["fua"] == FUA_WAITS:
        serve_waiting(w, row, drive)


@handler
def flush_gathered(w, row, drive):
    """Flush the whole program units of the host, as far as an SLC cache does not hold them up."""
    unit = drive["page"] * drive["planes"]
    while drive["gathered"] >= unit and not slc.must_wait(w, row, drive):
        drive["gathered"] -= unit
        flush(w, row, drive, unit, slc.ENTER if slc.enters(w, row, drive) else slc.MOVE)
    if drive["slc"] != NONE:
        slc.fold(w, row, drive)


@handler
def moved(w, index):
    """Garbage collection has put a piece into the buffer."""
    row = w.jobs[index]["row"]
    drive = w.ssds[row]
    garbage.moved(w, index)
    flush_moved(w, row, drive)


@routine
def flush_moved(w, row, drive):
    """Flush the whole program units of what is not the host's."""
    unit = drive["page"] * drive["planes"]
    while drive["gathered_moved"] >= unit:
        drive["gathered_moved"] -= unit
        flush(w, row, drive, 0, slc.MOVE)
    if drive["slc"] != NONE and w.slcs[drive["slc"]]["gathered"] >= unit:
        w.slcs[drive["slc"]]["gathered"] -= unit
        flush(w, row, drive, 0, slc.FOLD)
    if drive["map"] != NONE:
        flush_map_pages(w, row, drive)


@routine
def end_access(w, drive, where, index):
    """Job ``index`` has done its access to the map: the next one at station ``where`` begins."""
    following = leave(w, where, index)
    if following == NONE:
        return
    if w.jobs[following]["stage"] == STAGE_MAP_SENSED:
        mapping.sense(w, drive, following)
    else:
        send(w, drive, following)


@routine
def flush_map_pages(w, row, drive):
    """Flush the whole program units of changed pages of the map that have left memory."""
    unit = drive["page"] * drive["planes"]
    table = w.maps[drive["map"]]
    while table["gathered"] >= unit:
        table["gathered"] -= unit
        flush(w, row, drive, 0, slc.MAP_PAGES)


@handler
def flush(w, row, drive, host, errand):
    """Send one program unit from the buffer to the next die.

    ``host`` of its bytes are the host's: all, fewer if it is filled up for a flush, or none of
    what the drive moves for itself.
    ``errand`` is MOVE, FOLD, ENTER, MAP or MAP_PAGES: see slc.py.
    """
    if errand == slc.ENTER:
        number = w.slcs[drive["slc"]]["entered"] - 1
    else:
        number = drive["next_unit"]
        drive["next_unit"] = number + 1
    unit = take_internal(w, STAGE_PROGRAMMED, row, drive, WRITE)
    above = w.jobs[unit]
    above["pending"] = drive["planes"]
    above["next_station"] = die_of_unit(drive, number)
    above["suspensions"] = 0
    above["length"] = host
    above["unit"] = number
    above["rest"] = errand
    if errand != slc.MAP_PAGES or seize(w, w.maps[drive["map"]]["changes"], unit):
        send(w, drive, unit)


@routine
def send(w, drive, unit):
    """Send the pages of a program unit to the registers of its die."""
    above = w.jobs[unit]
    for _ in range(drive["planes"]):
        piece = take_child(w, STAGE_FLUSH_PATH, unit)
        part = w.jobs[piece]
        part["direction"] = TO_MEDIUM
        part["length"] = drive["page"]
        part["next_station"] = channel_of(drive, above["unit"])
        if above["length"] > 0:
            arrive(w, drive["path"], piece, round_ns(drive["page"] * drive["path_flush_ns"]))
        else:
            flush_to_channel(w, piece)


@handler
def flush_to_channel(w, index):
    """A page of a program unit crosses its channel into the die's register."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    job["stage"] = STAGE_FLUSH_CHANNEL
    arrive(w, job["next_station"], index, round_ns(job["length"] * drive["channel_write_ns"]))


@handler
def flush_to_die(w, index):
    """The last page of a program unit is in the registers: the die programs them together."""
    job = w.jobs[index]
    unit = job["parent"]
    drive = w.ssds[job["row"]]
    release(w, index)
    above = w.jobs[unit]
    above["pending"] -= 1
    if above["pending"] == 0:
        time = drive["program_time"]
        is_map = above["rest"] == slc.MAP or above["rest"] == slc.MAP_PAGES
        one_bit = is_map and drive["slc"] != NONE
        if above["rest"] == slc.ENTER or one_bit:
            time = w.slcs[drive["slc"]]["program_time"]
        above["priority"] = sensing.priority(w, drive)
        arrive(w, above["next_station"], unit, time)


@handler
def programmed(w, index):
    """A program unit is on the flash: its buffer space serves the pages that wait."""
    job = w.jobs[index]
    drive = w.ssds[job["row"]]
    unit = drive["page"] * drive["planes"]
    drive["programmed"] += unit
    reached_medium(w, w.drives[job["drive"]], job["length"])
    row = job["row"]
    errand = job["rest"]
    if errand == slc.MAP_PAGES:
        end_access(w, drive, w.maps[drive["map"]]["changes"], index)
    if errand == slc.MAP:
        map_written(w, row, drive)
    elif job["length"] > 0:
        drive["buffered"] -= job["length"]
        drive["map_behind"] = min(drive["map_programs"], 1)
    else:
        drive["buffered"] -= unit
    if errand != slc.ENTER and must_erase(drive, job["unit"]):
        job["stage"] = STAGE_ERASED
        job["suspensions"] = 0
        drive["erased"] += 1
        arrive(w, job["next_station"], index, drive["erase_time"])
    else:
        release(w, index)
    serve_waiting(w, row, drive)
    if drive["slc"] != NONE:
        in_cache(w, row, drive, errand)


@routine
def in_cache(w, row, drive, errand):
    """Tell the SLC cache of a drive that a program unit is on the flash."""
    if errand == slc.ENTER:
        slc.written(w, drive)
    elif errand == slc.FOLD:
        garbage.leave_cache(w, row, drive)
        if drive["map"] != NONE:  # which the fold has changed
            flush_map_pages(w, row, drive)
    flush_gathered(w, row, drive)
    serve_waiting(w, row, drive)


@handler
def must_erase(drive, number):
    """Return whether program unit ``number`` filled a block of its die, which then erases another.

    Dies begin at different pages of a block, so that they do not erase all at once.
    """
    all_dies = drive["channels"] * drive["dies"]
    page = number // all_dies + number % all_dies + 1
    return page % drive["pages_per_block"] == 0


@handler
def page_done(w, index):
    """One page of a command is where it should be; the last one ends its part or all of it."""
    parent = w.jobs[index]["parent"]
    release(w, index)
    job = w.jobs[parent]
    job["pending"] -= 1
    if job["pending"] > 0:
        return
    drive = w.ssds[job["row"]]
    if job["op"] == READ and job["begun"] < job["offset"] + job["length"]:
        sense_part(w, drive, parent)
        return
    above = w.drives[job["drive"]]
    if job["op"] == WRITE and job["fua"] == FUA_ASKED and above["protected"] == 0:
        withhold(w, above, job["length"])
        job["fua"] = FUA_WAITS
        job["stage"] = STAGE_WAITING
        queue.append(w, drive, parent)
    else:
        answer(w, drive, parent)


@handler
def answer(w, drive, index):
    """Post the completion entry; a drive without work in hand may read ahead."""
    job = w.jobs[index]
    drive["in_hand"] -= 1
    if job["op"] == READ and job["status"] == DONE:
        drive["held_unit"] = (job["offset"] + job["length"] - 1) // drive["unit"]
    if job["op"] == WRITE and job["fua"] == FUA_WAITS:
        end_withholding(w, w.drives[job["drive"]], job["length"])
    elif job["op"] == WRITE and job["status"] == DONE:
        promise(w, w.drives[job["drive"]], job)
    reply(w, index)
    if (job["op"] == WRITE or job["op"] == TRIM) and drive["command_write_time"] > 0:
        update = take_child(w, STAGE_MAPPED, index)
        w.jobs[update]["parent"] = NONE
        arrive(w, drive["front_end"], update, drive["command_write_time"])
    if drive["in_hand"] == 0:
        read_ahead.run(w, job["row"], drive)
        if drive["slc"] != NONE:
            slc.rest(w, job["row"], drive)
