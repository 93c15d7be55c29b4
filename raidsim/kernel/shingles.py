"""Shingled recording, managed by the drive: media cache, streams to bands, band rewrites.

Tracks of a band overlap like shingles, so a band can only be written from its start to its end. In
front of the bands, at the outer edge, is a media cache of conventional tracks. Its bytes have
negative addresses, from -media_cache to 0. Those of the host are at the same places as on other
disks.

    write   continues a stream from the start of a band  -> the band
            everything else                              -> the end of the log in the media cache
            a stream that meets its first start of a band within a write  -> first log, then band
    read    each piece where the newest data is: in the log, or in the band

The map is a list of records per band. Records are kept in the order of the log, which is a ring:
the oldest must be removed first, together with its whole band
(:mod:`~raidsim.kernel.band_rewrites`). The writes of a stream need no room.

After A. Aghayev and P. Desnoyers, "Skylight: a window on shingled disk operation" (FAST 2015), who
found such a log, static bands and first-in-first-out cleaning in drives of 5 and 8 TB.

Verbs: :func:`has_room` and :func:`follow` admit a write, :func:`aim`, :func:`destination` and
:func:`landed` place it; :func:`is_scattered` and :func:`next_piece` are for reads; :func:`begin` an
access.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import disk_buffer
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.mechanics import locate, move_time, span, wait_time
from raidsim.kernel.shingle_tables import FOR_HOST, PIECE, RESTING
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import NONE, READ, STAGE_DISK_ARM, WRITE

# -- the log and its map -------------------------------------------------------------------------


@handler
def record_of(w, s, number):
    """The record with this number."""
    return w.records[s["first_record"] + number % s["records"]]


@handler
def address(s, place):
    """Return the address on the medium of a place of the log, in bytes."""
    return place % s["media_cache"] - s["media_cache"]


@handler
def is_full(s):
    """Return whether the media cache takes no more: its tracks are used up, or its map.

    What is on its way to the arm when it becomes full comes on top.
    """
    return s["used"] >= s["media_cache"] or s["kept"] >= s["most_records"]


@handler
def log_end(w, disk, s, length):
    """Place of the log where ``length`` bytes go next: not across its end, which is no track."""
    place = s["head"]
    left = s["media_cache"] - place % s["media_cache"]
    return place if length <= left else place + left


@handler
def whole_sectors(disk, length):
    """Bytes of the whole physical sectors that the log takes for ``length`` bytes."""
    sector = disk["physical_sector"]
    return (length + sector - 1) // sector * sector


@routine
def append(w, s, offset, length, place):
    """Note what the log holds at ``place``, as the newest of its band."""
    if s["kept"] == s["records"]:
        raise TableOverflowError("records")
    number = s["next"]
    record = record_of(w, s, number)
    record["offset"] = offset
    record["length"] = length
    record["place"] = place
    record["next"] = NONE
    record["live"] = 1
    band = w.bands[s["first_band"] + offset // s["band"]]
    if band["first"] == NONE:
        band["first"] = number
    else:
        record_of(w, s, band["last"])["next"] = number
    band["last"] = number
    s["next"] = number + 1
    s["kept"] += 1


@routine
def drop(w, s, band, before, number):
    """A record of a band is needed no more; ``before`` is the one before it, or NONE."""
    record = record_of(w, s, number)
    record["live"] = 0
    if before == NONE:
        band["first"] = record["next"]
    else:
        record_of(w, s, before)["next"] = record["next"]
    if band["last"] == number:
        band["last"] = before
    if s["gather"] == number:
        s["gather"] = record["next"]


@routine
def let_go(w, s):
    """Free the oldest records, as far as they are needed no more, and their room in the log."""
    while s["kept"] > 0 and record_of(w, s, s["oldest"])["live"] == 0:
        s["oldest"] += 1
        s["kept"] -= 1
    s["used"] = 0
    if s["kept"] > 0:
        s["used"] = s["head"] - record_of(w, s, s["oldest"])["place"]


@routine
def overwrite(w, s, start, end, direct):
    """Bytes [start, end) are written anew: records that hold nothing else are needed no more.

    Of those that reach beyond a write to its band, the rest is.
    """
    for number in range(start // s["band"], (end - 1) // s["band"] + 1):
        band = w.bands[s["first_band"] + number]
        before = NONE
        this = band["first"]
        while this != NONE:
            record = record_of(w, s, this)
            following = record["next"]
            last = record["offset"] + record["length"]
            if start <= record["offset"] and last <= end and (direct or record["length"] > 0):
                drop(w, s, band, before, this)
            else:
                if direct and start <= record["offset"] < end:
                    record["place"] += end - record["offset"]
                    record["length"] = last - end
                    record["offset"] = end
                before = this
            this = following
    let_go(w, s)


# -- streams of writes ---------------------------------------------------------------------------


@handler
def stream_at(w, s, offset):
    """The stream whose next write begins at ``offset``, or NONE."""
    for row in range(s["first_frontier"], s["first_frontier"] + s["frontiers"]):
        frontier = w.frontiers[row]
        if frontier["written"] >= 0 and max(frontier["written"], frontier["coming"]) == offset:
            return row
    return NONE


@handler
def has_room(w, disk, job):
    """Return whether a write may come: the media cache has room, or it does not need any.

    To begin a stream needs none, unless another one has to be left for it within a band.
    """
    s = w.shingles[disk["shingles"]]
    if not is_full(s) or stream_at(w, s, job["offset"]) != NONE:
        return True
    if job["offset"] % s["band"] != 0:
        return False
    return not is_half_written(s, w.frontiers[oldest_stream(w, s)])


@handler
def is_half_written(s, frontier):
    """Return whether a stream has come to somewhere within a band."""
    return frontier["written"] > 0 and frontier["written"] % s["band"] != 0


@handler
def oldest_stream(w, s):
    """The stream that was continued least recently."""
    row = s["first_frontier"]
    for other in range(row + 1, row + s["frontiers"]):
        if w.frontiers[other]["used"] < w.frontiers[row]["used"]:
            row = other
    return row


@handler
def band_from(s, offset):
    """Return the first start of a band at or behind ``offset``, in bytes."""
    return (offset + s["band"] - 1) // s["band"] * s["band"]


@routine
def follow(w, disk, job):
    """A write comes: it continues a stream, or it begins one where a band begins within it.

    A stream meets the start of a band, wherever it began itself.
    """
    s = w.shingles[disk["shingles"]]
    row = stream_at(w, s, job["offset"])
    begins = band_from(s, job["offset"])
    if row == NONE and begins >= job["offset"] + job["length"]:
        return
    s["tick"] += 1
    if row == NONE:
        row = stream_at(w, s, begins)
    if row == NONE:
        row = oldest_stream(w, s)
        left = w.frontiers[row]
        if is_half_written(s, left):  # the rest of its band is to be rewritten
            append(w, s, left["written"] // s["band"] * s["band"], 0, s["head"])
        left["written"] = begins
    frontier = w.frontiers[row]
    frontier["coming"] = job["offset"] + job["length"]
    frontier["used"] = s["tick"]


@routine
def may_continue(w, s, start, end):
    """The stream that a write of [start, end) continues in its band now, or NONE.

    Not while the band is rewritten, and not where the log holds a part of it that begins
    before.
    """
    row = s["first_frontier"]
    behind = row + s["frontiers"]
    while row < behind and w.frontiers[row]["written"] != start:
        row += 1
    if row == behind:
        return NONE
    for number in range(start // s["band"], (end - 1) // s["band"] + 1):
        if s["phase"] != RESTING and s["target"] == number:
            return NONE
        this = w.bands[s["first_band"] + number]["first"]
        while this != NONE:
            record = record_of(w, s, this)
            if record["offset"] < start < record["offset"] + record["length"]:
                return NONE
            this = record["next"]
    return row


# -- writes --------------------------------------------------------------------------------------


@routine
def destination(w, disk, start, length):
    """Return where bytes from ``start`` on would be written now, and how many of them at once.

    The part before the band with which a stream begins goes to the log, and then the rest to the
    band.
    """
    s = w.shingles[disk["shingles"]]
    end = start + length
    s["direct"] = may_continue(w, s, start, end)
    s["place"] = start
    s["part"] = length
    if s["direct"] == NONE:
        begins = band_from(s, start)
        if start < begins < end and may_continue(w, s, begins, end) != NONE:
            s["part"] = begins - start
        s["place"] = address(s, log_end(w, disk, s, whole_sectors(disk, s["part"])))
    return locate(w, disk, s["place"])


@handler
def aim(w, disk, task):
    """Return the address on the medium to which a write would go now; the arm moves there."""
    task["cylinder"], task["head"], task["angle"] = destination(
        w, disk, task["offset"], task["length"]
    )


@routine
def aim_all(w, disk):
    """Aim all writes that wait."""
    for row in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
        if w.tasks[row]["op"] == WRITE:
            aim(w, disk, w.tasks[row])


@routine
def in_order(w, disk, chosen):
    """The write to do instead of the chosen one, since streams fill their bands in order."""
    s = w.shingles[disk["shingles"]]
    offset = w.tasks[chosen]["offset"]
    for row in range(s["first_frontier"], s["first_frontier"] + s["frontiers"]):
        frontier = w.frontiers[row]
        written = frontier["written"]
        if not written < offset < frontier["coming"]:
            continue
        for other in range(disk["first_task"], disk["first_task"] + disk["waiting"]):
            task = w.tasks[other]
            if task["op"] != WRITE:
                continue
            if task["offset"] <= written < task["offset"] + task["length"]:
                return other
    return chosen


@handler
def extent(w, disk):
    """First byte of the write under way on the medium, and how many it writes there."""
    s = w.shingles[disk["shingles"]]
    s["doing"] = FOR_HOST
    if s["direct"] == NONE:
        return s["place"], whole_sectors(disk, s["part"])
    return s["place"], s["part"]


@routine
def landed(w, disk):
    """The write under way is on the medium, or the part of it that goes to one place."""
    s = w.shingles[disk["shingles"]]
    start = disk["offset"]
    end = start + s["part"]
    if s["direct"] != NONE:
        frontier = w.frontiers[s["direct"]]
        frontier["written"] = end
        frontier["coming"] = max(frontier["coming"], end)
        s["streamed"] += s["part"]
        overwrite(w, s, start, end, True)
        return
    # A stream that could not be continued ends here: what follows goes to the log as well.
    for row in range(s["first_frontier"], s["first_frontier"] + s["frontiers"]):
        frontier = w.frontiers[row]
        if frontier["written"] < end and start < frontier["coming"]:
            frontier["coming"] = frontier["written"]
    s["logged"] += s["part"]
    overwrite(w, s, start, end, False)
    length = whole_sectors(disk, s["part"])
    where = log_end(w, disk, s, length)
    s["head"] = where + length
    while start < end:
        stop = min(end, (start // s["band"] + 1) * s["band"])
        append(w, s, start, stop - start, where)
        where += stop - start
        start = stop
    let_go(w, s)


# -- reads ---------------------------------------------------------------------------------------


@routine
def is_scattered(w, disk, start, end):
    """Return whether the log holds any of bytes [start, end)."""
    s = w.shingles[disk["shingles"]]
    if s["kept"] == 0:
        return False
    for number in range(start // s["band"], (end - 1) // s["band"] + 1):
        this = w.bands[s["first_band"] + number]["first"]
        while this != NONE:
            record = record_of(w, s, this)
            if record["offset"] < end and start < record["offset"] + record["length"]:
                return True
            this = record["next"]
    return False


@routine
def find(w, disk, start, end):
    """Return the place of byte ``start`` on the medium, and the end up to which it continues there.

    Records are passed from the oldest to the newest: the last word is that of the newest.
    """
    s = w.shingles[disk["shingles"]]
    end = min(end, (start // s["band"] + 1) * s["band"])
    place = start
    stop = end
    this = w.bands[s["first_band"] + start // s["band"]]["first"]
    while this != NONE:
        record = record_of(w, s, this)
        last = record["offset"] + record["length"]
        if record["offset"] <= start < last:
            stop = min(end, last)
            place = address(s, record["place"]) + start - record["offset"]
        elif start < record["offset"] < stop and record["length"] > 0:
            stop = record["offset"]
        this = record["next"]
    return place, stop


@handler
def seat(w, disk, offset, length):
    """Return the address on the medium to which the arm has to move for a read."""
    place, _ = find(w, disk, offset, offset + length)
    return place


@routine
def next_piece(w, disk):
    """Read the next piece of the read that the disk has in hand; False if there is none."""
    if disk["length"] == 0:
        return False
    start = disk["offset"]
    place, stop = find(w, disk, start, start + disk["length"])
    disk["offset"] = stop
    disk["length"] -= stop - start
    begin(w, disk, PIECE, READ, place, stop - start)
    return True


@routine
def begin(w, disk, doing, op, start, length):
    """The arm goes to ``start``, and reads or writes there, past the segments of the buffer."""
    disk_buffer.stop(w, disk)
    s = w.shingles[disk["shingles"]]
    s["doing"] = doing
    cylinder, head, angle = locate(w, disk, start)
    move = move_time(w, disk, op, cylinder, head)
    lead = move + wait_time(disk, w.state[0]["now"], move, angle)
    time = lead + span(w, disk, start, start + length)
    disk["cylinder"], disk["head"], _ = locate(w, disk, start + length - 1)
    disk["active"] = NONE
    disk["op"] = READ
    disk["moving"] = 1
    w.jobs[disk["arm_job"]]["stage"] = STAGE_DISK_ARM
    arrive(w, disk["arm"], disk["arm_job"], round_ns(max(time, 0.0)))
