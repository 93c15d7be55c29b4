"""Tables of hard disks: mechanics, what waits for the arm, and what the buffer holds."""

from __future__ import annotations

import numpy as np

DISK = np.dtype(  # a hard disk: mechanics, queue and buffer
    [
        ("drive", "i4"),
        ("controller", "i4"),  # stations
        ("arm", "i4"),
        ("link_to_host", "i4"),
        ("link_to_drive", "i4"),
        ("arm_job", "i4"),
        ("size", "i8"),
        ("sector", "i8"),
        ("physical_sector", "i8"),
        ("command_time", "i8"),
        ("write_time", "i8"),  # what a write takes more of the controller
        ("link_ns", "f8"),  # per byte
        ("revolution", "i8"),
        ("heads", "i8"),
        ("cylinders", "i8"),
        ("first_zone", "i4"),
        ("zones", "i4"),
        ("head_switch", "f8"),
        ("track_skew", "f8"),
        ("cylinder_skew", "f8"),
        ("seek_fixed", "f8", (2,)),  # by kind of access: READ, WRITE
        ("seek_root", "f8", (2,)),
        ("seek_linear", "f8", (2,)),
        ("discipline", "i4"),
        ("heading", "i4"),  # of the elevator: 1 inwards, -1 outwards
        ("ageing", "f8"),
        ("first_task", "i4"),
        ("tasks", "i4"),  # rows of them
        ("waiting", "i4"),  # rows in use
        ("tasks_so_far", "i8"),
        ("cylinder", "i8"),  # where the arm is, or will be when it has done what it does
        ("head", "i8"),
        ("moving", "i4"),  # 1 while an access is under way; it is:
        ("command", "i4"),  # its job; NONE for a write that is answered already
        ("op", "i4"),
        ("active", "i4"),  # segment that it fills, or that is read ahead
        ("offset", "i8"),
        ("length", "i8"),
        ("stop", "i8"),  # byte up to which the arm reads on
        ("rest", "i8"),  # ns of the access after the command has left
        ("first_extent", "i4"),
        ("extents", "i4"),
        ("tick", "i8"),
        ("depth", "i8"),  # bytes of a segment
        ("minimum", "i8"),  # read ahead of a stream whatever waits
        ("ahead", "i4"),  # 1 while it reads ahead:
        ("cached", "i4"),  # 1 if writes are acknowledged from the buffer
        ("ahead_from", "i8"),
        ("ahead_since", "i8"),
        ("ahead_counted", "i8"),  # ns of it that the arm's station has been told
        ("ahead_until", "i8"),
        ("ahead_track", "i8"),  # byte where the track begins on which it was seen last,
        ("ahead_passed", "f8"),  # and the ns from `ahead_since` until that byte comes
        ("cache", "i8"),  # most bytes acknowledged and not written
        ("dirty", "i8"),
        ("entries", "i4"),  # most writes acknowledged and not written
        ("taken", "i4"),
        ("longest_write", "i8"),  # to which writes that continue each other grow
        ("blocked_head", "i4"),  # writes that wait for room in the cache
        ("blocked_tail", "i4"),
    ],
    align=True,
)

ZONE = np.dtype(  # of a disk: tracks of one length
    [
        ("first", "i8"),  # byte
        ("cylinder", "i8"),  # its first
        ("track", "i8"),  # bytes
        ("tracks", "i8"),
        ("byte_time", "f8"),  # ns
        ("angle", "f8"),  # ns from the index mark to its first byte
    ],
    align=True,
)

TASK = np.dtype(  # an access that waits for the arm
    [
        ("command", "i4"),
        ("op", "i4"),
        ("offset", "i8"),
        ("length", "i8"),
        ("cylinder", "i8"),
        ("head", "i8"),
        ("angle", "f8"),
        ("queued", "i8"),
        ("order", "i8"),
    ],
    align=True,
)

EXTENT = np.dtype([("start", "i8"), ("end", "i8"), ("used", "i8")], align=True)
