"""The mechanics of a hard disk: where a byte is, and the times of arm and platter.

Geometry: ``heads`` surfaces, cylinders counted from the outer edge, zones of cylinders whose tracks
hold equally many bytes. Bytes follow each other along a track, then along the same cylinder's other
tracks, then on to the next cylinder. Each track begins at a later angle than the one before (track
skew, cylinder skew), so that the head switch, or the seek to the next cylinder, is over when its
first byte passes. Every other cylinder begins with its last head, so the seek to the next cylinder
is one without a head switch. If sectors are left out (spares, slipped sectors), a zone is several
rows of ``zones``, and each row has the distance to the next.

Angles are times: an angle of t ns is the position of the platter t ns after the index mark, out of
``revolution`` ns. The spindle never stops, so the angle under the heads is the time modulo the
revolution.

Seek time over d > 0 cylinders: fixed + root sqrt(d - 1) + linear (d - 1), one set for reads, one
for writes, which settle longer. :mod:`raidsim.assembly.seeks` fits the three to the
single-cylinder, average and full-stroke seeks of a data sheet. The square root is the arm that
accelerates and brakes, the linear part its coasting (Ruemmler and Wilkes, "An introduction to disk
drive modeling", IEEE Computer 27(3), 1994). A disk whose curve was measured has points, and
straight lines between them.

Times are float ns here, and are rounded once, when the arm starts.
"""

from __future__ import annotations

import math

from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE

GRACE = 1000.0
"""ns: a sector that is this little ahead of its time is not missed. Rounding, not physics."""

HALF_SETTLED = 10.0
"""Cylinders beyond the next one after which half of the time to stop and settle is needed."""


@handler
def zone_of(w, disk, offset):
    """Index of the zone that holds byte ``offset``."""
    last = w.zones[disk["zone"]]
    if last["first"] <= offset < last["end"]:
        return disk["zone"]
    low = disk["first_zone"]
    high = low + disk["zones"] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if w.zones[middle]["first"] <= offset:
            low = middle
        else:
            high = middle - 1
    disk["zone"] = low
    return low


@handler
def locate(w, disk, offset):
    """Cylinder, head and angle (ns) of byte ``offset``."""
    zone = w.zones[zone_of(w, disk, offset)]
    inside = offset - zone["first"] + zone["skip"]
    cylinder = inside // zone["per_cylinder"]
    inside += zone["front"] - cylinder * zone["per_cylinder"]
    head = inside // zone["track"]
    switches = head + cylinder * (disk["heads"] - 1)
    skew = switches * zone["track_skew"] + cylinder * zone["cylinder_skew"]
    angle = zone["angle"] + skew + (inside - head * zone["track"]) * zone["byte_time"]
    turn = float(disk["revolution"])
    angle -= turn * math.floor(angle / turn)
    if zone["turned"] != NONE and cylinder % 2 == zone["turned"]:
        head = disk["heads"] - 1 - head
    return zone["cylinder"] + cylinder, head, angle


@handler
def seek_time(w, disk, op, distance):
    """ns of a seek over ``distance`` cylinders, before an access of kind ``op``."""
    if distance == 0:
        return 0.0
    if disk["first_seek"] != NONE:
        return measured_seek(w, disk, op, distance)
    beyond = float(distance - 1)
    return (
        disk["seek_fixed"][op]
        + disk["seek_settle"][op] * beyond / (beyond + HALF_SETTLED)
        + disk["seek_root"][op] * math.sqrt(beyond)
        + disk["seek_linear"][op] * beyond
    )


@handler
def measured_seek(w, disk, op, distance):
    """ns of a seek on a measured curve: on a line between two points, or the last line."""
    low = disk["first_seek"]
    high = low + disk["seeks"] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if w.seeks[middle]["distance"] <= distance:
            low = middle
        else:
            high = middle - 1
    here = w.seeks[low]
    there = w.seeks[low + 1]
    share = (distance - here["distance"]) / (there["distance"] - here["distance"])
    return here["time"][op] + share * (there["time"][op] - here["time"][op])


@handler
def move_time(w, disk, op, cylinder, head):
    """ns until the arm is over another track: a seek, a head switch, or nothing."""
    return reach_time(w, disk, op, abs(cylinder - disk["cylinder"]), head)


@handler
def reach_time(w, disk, op, distance, head):
    """ns until ``head`` reads or writes ``distance`` cylinders away.

    Heads are not exactly above each other: another one has to find its track after a seek as well.
    """
    time = seek_time(w, disk, op, distance)
    return time if head == disk["head"] else max(time, disk["head_switch"][op])


@handler
def wait_time(disk, now, move, angle):
    """ns of rotation between the end of a move of ``move`` ns begun at ``now``, and an angle.

    Below zero, by what rounding makes up, where the angle has just passed: the access then
    ends where the platter says, and roundings do not add up over accesses in a row.
    """
    turn = float(disk["revolution"])
    wait = angle - float(now % disk["revolution"]) - move
    wait -= turn * math.floor(wait / turn)
    return wait - turn if wait > turn - GRACE else wait


@handler
def positioning(w, disk, task, distance, turned):
    """ns of seek and rotation until the first byte of a task ``distance`` cylinders away.

    ``turned`` is how far the present turn of the platter has come, ns.
    """
    turn = float(disk["revolution"])
    cost = reach_time(w, disk, task["op"], distance, task["head"])
    wait = task["angle"] - turned - cost
    wait -= turn * math.floor(wait / turn)
    if wait < turn - GRACE:
        cost += wait
    return cost


@handler
def span(w, disk, start, end):
    """ns in which bytes [start, end) pass under the heads, switches and skews included."""
    if start >= end:
        return 0.0
    return span_on(w, disk, start, 0.0, end)


@handler
def span_on(w, disk, start, time, end):
    """The span up to ``end`` of bytes that had taken ``time`` ns when ``start`` < ``end`` came.

    The same sums in the same order as :func:`span` makes from their beginning on: the same bits.
    """
    while True:
        stop, byte_time, gap = track_of(w, disk, start)
        if stop >= end:
            return time + (end - start) * byte_time
        time += (stop - start) * byte_time
        time += gap
        start = stop


@handler
def track_of(w, disk, place):
    """The track of byte ``place``: (where it ends, ns of a byte, ns to the next byte behind it)."""
    zone = w.zones[zone_of(w, disk, place)]
    inside = place - zone["first"] + zone["skip"]
    inside -= inside // zone["per_cylinder"] * zone["per_cylinder"]
    left = zone["per_cylinder"] - inside
    inside += zone["front"]
    of_track = zone["track"] - (inside - inside // zone["track"] * zone["track"])
    gap = zone["cylinder_gap"]
    if of_track < left:
        left = of_track
        gap = zone["track_gap"]
    stop = place + left
    if stop >= zone["end"]:
        return zone["end"], zone["byte_time"], zone["gap"]
    return stop, zone["byte_time"], gap


@handler
def track_start(w, disk, place):
    """The first byte of the track that byte ``place`` is on."""
    zone = w.zones[zone_of(w, disk, place)]
    inside = place - zone["first"] + zone["skip"]
    inside -= inside // zone["per_cylinder"] * zone["per_cylinder"]
    of_cylinder = inside
    inside += zone["front"]
    of_track = inside - inside // zone["track"] * zone["track"]
    return max(place - min(of_track, of_cylinder), zone["first"])


@handler
def cylinder_end(w, disk, place):
    """The byte behind the last one of the cylinder that byte ``place`` is on."""
    zone = w.zones[zone_of(w, disk, place)]
    inside = place - zone["first"] + zone["skip"]
    inside -= inside // zone["per_cylinder"] * zone["per_cylinder"]
    return min(place + zone["per_cylinder"] - inside, zone["end"])
