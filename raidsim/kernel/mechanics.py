"""The mechanics of a hard disk: where a byte lies, how long the arm and the platter take.

Geometry: ``heads`` surfaces, cylinders counted from the outer edge, zones of cylinders
whose tracks hold equally many bytes. Bytes run along a track, then along the same
cylinder's other tracks, then on to the next cylinder. Each track begins a little later
round the platter than the one before (track skew, cylinder skew), so that the head
switch, or the seek to the next cylinder, is over when its first byte comes by.

Angles are times: an angle of t ns is where the platter is t ns after the index mark, out
of ``revolution`` ns. The spindle never stops, so the angle under the heads is the time of
day modulo the revolution.

Seek time over d > 0 cylinders: fixed + root sqrt(d - 1) + linear (d - 1), one set for
reads, one for writes, which settle longer. :mod:`raidsim.assembly.hdd` fits the three to
the single-cylinder, average and full-stroke seeks of a data sheet. The square root is the
arm that accelerates and brakes, the linear part its coasting (Ruemmler and Wilkes, "An
introduction to disk drive modeling", IEEE Computer 27(3), 1994).

Times are float ns here, and are rounded once, when the arm starts.
"""

from __future__ import annotations

import math

from raidsim.kernel.jit import handler

GRACE = 1000.0
"""ns: a sector that is this little ahead of its time is not missed. Rounding, not physics."""


@handler
def zone_of(w, disk, offset):
    """Index of the zone that holds byte ``offset``."""
    low = disk["first_zone"]
    high = low + disk["zones"] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if w.zones[middle]["first"] <= offset:
            low = middle
        else:
            high = middle - 1
    return low


@handler
def locate(w, disk, offset):
    """Cylinder, head and angle (ns) of byte ``offset``."""
    zone = w.zones[zone_of(w, disk, offset)]
    inside = offset - zone["first"]
    track = inside // zone["track"]
    cylinder = track // disk["heads"]
    skew = (track - cylinder) * disk["track_skew"] + cylinder * disk["cylinder_skew"]
    angle = zone["angle"] + skew + (inside - track * zone["track"]) * zone["byte_time"]
    turn = float(disk["revolution"])
    angle -= turn * math.floor(angle / turn)
    return zone["cylinder"] + cylinder, track - cylinder * disk["heads"], angle


@handler
def seek_time(disk, op, distance):
    """ns of a seek over ``distance`` cylinders, before an access of kind ``op``."""
    if distance == 0:
        return 0.0
    beyond = float(distance - 1)
    return (
        disk["seek_fixed"][op]
        + disk["seek_root"][op] * math.sqrt(beyond)
        + disk["seek_linear"][op] * beyond
    )


@handler
def seek_reach(disk, op, time):
    """Cylinders beyond which no seek takes ``time`` ns or less; a few too many, never too few.

    The inverse of :func:`seek_time`: s = sqrt(d - 1) solves linear s^2 + root s = time - fixed.
    """
    over = time - disk["seek_fixed"][op]
    if over <= 0.0:
        return 2
    root = disk["seek_root"][op]
    square = root * root + 4.0 * disk["seek_linear"][op] * over
    if square < 0.0 or root + math.sqrt(square) <= 0.0:
        return disk["cylinders"]
    s = 2.0 * over / (root + math.sqrt(square))
    return int(min(s * s, float(disk["cylinders"]))) + 3


@handler
def move_time(disk, op, cylinder, head):
    """ns until the arm is over another track: a seek, a head switch, or nothing."""
    distance = cylinder - disk["cylinder"]
    if distance == 0:
        return 0.0 if head == disk["head"] else disk["head_switch"]
    return seek_time(disk, op, abs(distance))


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
    z = zone_of(w, disk, start)
    zone = w.zones[z]
    track = (start - zone["first"]) // zone["track"]
    while True:
        stop = zone["first"] + (track + 1) * zone["track"]
        if stop >= end:
            return time + (end - start) * zone["byte_time"]
        time += (stop - start) * zone["byte_time"]
        start = stop
        track += 1
        if track % disk["heads"] != 0:
            time += disk["track_skew"]
            continue
        time += disk["cylinder_skew"]
        if track == zone["tracks"]:
            z += 1
            zone = w.zones[z]
            track = 0


@handler
def track_of(w, disk, place):
    """The track of byte ``place``: (where it ends, ns of a byte, ns of the switch behind it)."""
    zone = w.zones[zone_of(w, disk, place)]
    number = (place - zone["first"]) // zone["track"] + 1
    skew = disk["track_skew"] if number % disk["heads"] != 0 else disk["cylinder_skew"]
    return zone["first"] + number * zone["track"], zone["byte_time"], skew
