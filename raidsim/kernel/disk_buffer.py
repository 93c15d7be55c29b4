"""The memory of a hard disk: segments that hold data of reads, and read-ahead that fills them.

Each segment holds one run of bytes. While no access waits, the arm continues to read behind the
last read, into that read's segment, up to ``depth`` bytes; any access interrupts it. This needs no
events: the progress follows from the time that has passed (:func:`catch_up`), counted from the last
known track. So a read-ahead that a stream keeps going for hours costs no more than a short one. If
a stream finds its data here, read-ahead continues when half of the data has been taken, and the
sectors pass again.

A read that begins where a segment ends belongs to a stream. The arm then reads ahead ``minimum``
bytes even if other accesses wait. After a read that continues no other, the arm reads no more than
these bytes, even if no access waits, unless the disk has another rule (``ahead_rule``): after
random reads, the following data is rarely needed. The least recently used segment is replaced
first. With more streams than segments, the segment of each stream is replaced before the stream
returns to it.

The address of a segment is arbitrary, so each comparison with it is as likely true as false, and
the processor would predict a branch on it badly. Searches therefore join the two comparisons of a
segment with ``&``, and branch on the result, which is nearly always the same.

The time of read-ahead counts as work of the arm when somebody asks for the data. Until then it is
recorded as unasked, for the segment and for the arm's station.

Verbs: :func:`find` a byte, :func:`begin_read` and :func:`read_on` fill, :func:`catch_up`,
:func:`stop`, :func:`take` data, :func:`ask` for data that was read ahead, and :func:`forget` data
that was overwritten.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.mechanics import (
    cylinder_end,
    locate,
    move_time,
    span,
    span_on,
    track_of,
    track_start,
    wait_time,
)
from raidsim.kernel.station import round_ns
from raidsim.kernel.tables import (
    AHEAD_CYLINDER,
    AHEAD_DEPTH,
    AHEAD_NEXT_TRACK,
    AHEAD_STREAM,
    NONE,
    READ,
)


@routine
def find(w, disk, offset):
    """The segment that holds byte ``offset``, or is about to read it, or NONE."""
    first = disk["first_extent"]
    for e in range(first, first + disk["extents"]):
        extent = w.extents[e]
        end = extent["end"]
        if disk["ahead"] == 1 and e == disk["active"]:
            end = disk["ahead_until"]
        if (extent["start"] <= offset) & (offset < end):
            return e
    return NONE


@routine
def has_begun(w, disk, offset):
    """Return whether byte ``offset`` is in a segment already, or read into one at this moment."""
    first = disk["first_extent"]
    for e in range(first, first + disk["extents"]):
        end = w.extents[e]["end"]
        if e == disk["active"] and disk["moving"] == 1 and disk["op"] == READ:
            end = disk["stop"]
        if (w.extents[e]["start"] <= offset) & (offset < end):
            return True
    return False


@routine
def catch_up(w, disk):
    """Bring the segment that is being read ahead up to now."""
    if disk["ahead"] == 0:
        return
    passed = w.state[0]["now"] - disk["ahead_since"]
    if passed > 0:
        end = reached(w, disk, float(passed))
        count_reading(w, disk, passed, end)
        extent = w.extents[disk["active"]]
        if end > extent["end"]:
            extent["end"] = end
            trim(disk, extent)


@handler
def reached(w, disk, passed):
    """Byte that read-ahead has come to after ``passed`` ns, in whole sectors.

    Its present track, and the start of this track, are remembered for the next time.
    """
    until = disk["ahead_until"]
    while True:
        place = disk["ahead_track"]
        left = passed - disk["ahead_passed"]
        if left <= 0.0:
            break
        stop, byte_time, gap = track_of(w, disk, place)
        needed = (min(stop, until) - place) * byte_time
        if needed > left:
            place += int(left / byte_time)
            break
        if stop >= until:
            place = until
            break
        disk["ahead_track"] = stop
        disk["ahead_passed"] += needed
        disk["ahead_passed"] += gap
    return max(place // disk["sector"] * disk["sector"], disk["ahead_from"])


@handler
def until_read(w, disk, end):
    """ns from the beginning of read-ahead until it has read up to byte ``end``."""
    return span_on(w, disk, disk["ahead_track"], disk["ahead_passed"], end)


@routine
def count_reading(w, disk, passed, end):
    """The arm is busy while it reads ahead: ``passed`` ns up to byte ``end``, or until all is read.

    The time for all of it is computed once all is read: earlier it would mostly not be needed.
    """
    more = passed
    if end >= disk["ahead_until"] // disk["sector"] * disk["sector"]:
        more = min(passed, round_ns(until_read(w, disk, disk["ahead_until"])))
    more -= disk["ahead_counted"]
    if more > 0 and disk["moving"] != 0:  # while it chooses, which is counted already
        disk["ahead_counted"] += more
    elif more > 0:
        station = w.stations[disk["arm"]]
        station["busy_area"] += more
        station["served"] += more
        station["unasked"] += more
        w.extents[disk["active"]]["unasked"] += more
        disk["ahead_counted"] += more


@handler
def ask(w, disk, e, end):
    """Somebody asks for what segment ``e`` holds up to ``end``: reading it was work of the arm.

    These bytes have their share of the time that reading ahead took.
    """
    extent = w.extents[e]
    asked = extent["asked"]
    if end > asked:
        time = extent["unasked"] * (end - asked) // (extent["end"] - asked)
        extent["asked"] = end
        extent["unasked"] -= time
        w.stations[disk["arm"]]["unasked"] -= time


@handler
def begin_anew(extent, end):
    """Mark the content of a segment up to ``end`` as not read ahead."""
    extent["asked"] = end
    extent["unasked"] = 0


@handler
def is_reading(w, disk, e):
    """Return whether the arm is reading ahead into segment ``e`` at this moment."""
    if disk["ahead"] == 0 or e != disk["active"]:
        return False
    return w.extents[e]["end"] < disk["ahead_until"]


@handler
def trim(disk, extent):
    """A segment keeps what was read last."""
    if extent["end"] - extent["start"] > disk["segment"]:
        extent["start"] = extent["end"] - disk["segment"]


@routine
def stop(w, disk):
    """Another access comes: read-ahead ends, and the arm is where read-ahead has come to.

    Behind the end of a track this is the next track. The switch to it has begun, and sectors there
    are reached as if read-ahead continued. (If the switch began again, it would cost a revolution.)

    Returns the byte that it has come to, or NONE if nothing was read ahead any more.
    """
    if disk["ahead"] == 0:
        return NONE
    catch_up(w, disk)
    disk["ahead"] = 0
    end = w.extents[disk["active"]]["end"]
    if w.state[0]["now"] > disk["ahead_since"]:
        place = end if end == disk["ahead_track"] else end - 1
        place = max(place, disk["ahead_from"])
        cylinder, head, _ = locate(w, disk, min(place, disk["size"] - 1))
        disk["cylinder"] = cylinder
        disk["head"] = head
    return end if end < disk["ahead_until"] else NONE


@routine
def begin_read(w, disk, start, end):
    """The arm reads [start, end): the byte up to which it reads on before anything else."""
    if disk["extents"] == 0:
        disk["active"] = NONE
        return end
    first = disk["first_extent"]
    for e in range(first, first + disk["extents"]):
        extent = w.extents[e]
        if (extent["end"] == start) & (start > extent["start"]):
            disk["tick"] += 1
            extent["used"] = disk["tick"]
            disk["active"] = e
            return min(end + disk["minimum"], disk["size"])
    disk["active"] = take_oldest(w, disk, start, start)
    return end


@handler
def take_oldest(w, disk, start, end):
    """The segment that was used longest ago is given to bytes [start, end)."""
    disk["tick"] += 1
    first = disk["first_extent"]
    oldest = first
    least = disk["tick"]
    for e in range(first, first + disk["extents"]):
        if w.extents[e]["used"] < least:
            least = w.extents[e]["used"]
            oldest = e
    extent = w.extents[oldest]
    extent["start"] = start
    extent["end"] = end
    extent["used"] = disk["tick"]
    begin_anew(extent, end)
    return oldest


@routine
def hold(w, disk, start, end):
    """The data of a write is in a segment, and can be read from there until that is replaced."""
    if disk["extents"] == 0:
        return
    first = disk["first_extent"]
    for e in range(first, first + disk["extents"]):
        extent = w.extents[e]
        if extent["end"] == start and extent["end"] > extent["start"] and e != disk["active"]:
            disk["tick"] += 1
            extent["used"] = disk["tick"]
            extent["end"] = end
            begin_anew(extent, end)
            trim(disk, extent)
            return
    e = take_oldest(w, disk, start, end)
    if e == disk["active"]:
        stop(w, disk)
        disk["active"] = NONE
        w.extents[e]["start"] = start
        w.extents[e]["end"] = end
        begin_anew(w.extents[e], end)
    trim(disk, w.extents[e])


@handler
def keep_from_landing(w, disk, wait):
    """Sectors that pass while the arm waits ``wait`` ns for the first sector are kept as well."""
    if disk["active"] == NONE:
        return
    extent = w.extents[disk["active"]]
    if extent["end"] > extent["start"] or extent["end"] != disk["offset"]:
        return
    start = track_start(w, disk, disk["offset"])
    _, byte_time, _ = track_of(w, disk, disk["offset"])
    passed = int(max(wait, 0.0) / byte_time) // disk["sector"] * disk["sector"]
    extent["start"] = max(start, disk["offset"] - min(passed, disk["segment"]))


@handler
def end_read(w, disk):
    """The arm has read what it had in hand."""
    if disk["active"] != NONE:
        extent = w.extents[disk["active"]]
        extent["end"] = disk["stop"]
        begin_anew(extent, disk["stop"])
        trim(disk, extent)


@routine
def read_on(w, disk):
    """Nothing waits: read ahead where the last read ended."""
    if disk["active"] == NONE or disk["depth"] == 0:
        return
    end = disk["stop"]
    until = read_up_to(w, disk, w.extents[disk["active"]]["start"], disk["offset"] + disk["length"])
    if disk["ahead_rule"] == AHEAD_STREAM and w.extents[disk["active"]]["start"] >= disk["offset"]:
        until = min(until, end + disk["minimum"])  # no stream yet, and perhaps none at all
    if end >= until:
        return
    # The time of the next byte follows from the angle of the platter. Adding up rounded times
    # would drift over a long stream. A head switch to the next track is covered by the skew.
    cylinder, head, angle = locate(w, disk, end)
    disk["cylinder"] = cylinder
    disk["head"] = head
    begin_ahead(w, disk, end, until, wait_time(disk, w.state[0]["now"], 0.0, angle))


@handler
def read_up_to(w, disk, start, end):
    """Byte up to which is read ahead behind a read that ended at ``end``.

    ``start`` is where the data of its segment begins: a stream that has come from the track before
    has one more track read.
    """
    rule = disk["ahead_rule"]
    if rule == AHEAD_DEPTH or rule == AHEAD_STREAM:
        return min(end + disk["depth"], disk["size"])
    if rule == AHEAD_NEXT_TRACK:
        if end >= disk["size"]:
            return disk["size"]
        until, _, _ = track_of(w, disk, end)
        if start < track_start(w, disk, end) and until < disk["size"]:
            until, _, _ = track_of(w, disk, until)
        return min(until, disk["size"])
    if rule == AHEAD_CYLINDER:
        until = cylinder_end(w, disk, end - 1)
    else:
        until, _, _ = track_of(w, disk, end - 1)
    return min(until, end + disk["depth"], disk["size"])


@handler
def begin_ahead(w, disk, start, until, lead):
    """The arm reads ahead [start, until); its first byte comes after ``lead`` ns."""
    disk["coming"] = NONE
    disk["ahead"] = 1
    disk["ahead_counted"] = 0
    disk["ahead_from"] = start
    disk["ahead_track"] = start
    disk["ahead_passed"] = 0.0
    disk["ahead_since"] = w.state[0]["now"] + round_ns(lead)
    disk["ahead_until"] = until


@routine
def take(w, disk, e, end):
    """A read up to byte ``end`` was found in segment ``e``: read-ahead stays ahead of it."""
    ask(w, disk, e, end)
    extent = w.extents[e]
    disk["tick"] += 1
    extent["used"] = disk["tick"]
    if disk["moving"] != 0 or disk["depth"] == 0:
        return
    until = read_up_to(w, disk, extent["start"], end)
    going = is_reading(w, disk, disk["active"])
    if going and e == disk["active"]:
        disk["ahead_until"] = max(disk["ahead_until"], until)
        return
    if going or disk["resumes"] == 0 or extent["end"] >= until:
        return
    by_depth = disk["ahead_rule"] == AHEAD_DEPTH or disk["ahead_rule"] == AHEAD_STREAM
    if not by_depth or extent["end"] - end < disk["depth"] // 2:
        stop(w, disk)
        cylinder, head, angle = locate(w, disk, extent["end"])
        move = move_time(w, disk, READ, cylinder, head)
        lead = move + wait_time(disk, w.state[0]["now"], move, angle)
        disk["active"] = e
        begin_ahead(w, disk, extent["end"], until, lead)


@handler
def due(w, disk, end):
    """ns until read-ahead begins with byte ``end``; below zero if it is a little beyond."""
    passed = w.state[0]["now"] - disk["ahead_since"]
    # Up to behind the byte, less the byte: before the first of a track there is a skew.
    until = until_read(w, disk, end + 1) - span(w, disk, end, end + 1)
    return until - float(passed)


@routine
def forget(w, disk, start, end):
    """Bytes [start, end) are overwritten: no segment holds them any more."""
    catch_up(w, disk)
    first = disk["first_extent"]
    for e in range(first, first + disk["extents"]):
        extent = w.extents[e]
        last = extent["end"]
        filling = e == disk["active"] and disk["moving"] == 1 and disk["op"] == READ
        if filling:
            last = disk["stop"]
        elif disk["ahead"] == 1 and e == disk["active"]:
            last = disk["ahead_until"]
        if (extent["start"] < end) & (start < last):
            if filling:
                disk["active"] = NONE
            elif disk["ahead"] == 1 and e == disk["active"]:
                stop(w, disk)
            extent["end"] = extent["start"]
