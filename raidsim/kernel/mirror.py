"""Which copy a read of mirrored data takes.

A read that begins where the last command to one of its drives ended continues a sequential stream.
It stays on this drive while fewer than ``stream_depth`` commands are under way there. So for one
stream a mirror behaves like one drive at low load and like a stripe at high load. Any other read
takes the copy with the shortest queue, the one with the nearest arm, or the next one in turn. If
queues are equal it takes the copy whose arm is nearest. If drives have no arms it takes the first
one: then Linux md takes the first of the copies with the fewest commands (read_balance in raid1.c
and raid10.c).

With another setting each read takes the copy at the lowest address, whatever came before. If the
second copies are in another section of the drives, only writes use them, and the first copies are a
stripe over all drives.

Linux md has different rules for RAID 1 and for RAID 10 (read_balance in raid1.c and in raid10.c).
RAID 1 never lets a sequential stream leave its drive, so one stream reads no faster than one drive
does. RAID 10 has no rule for streams. Apart from this, both take the copy with the fewest commands
on drives without arms. On disks they take an idle copy, or else the nearest head: the one where the
last completed command ended. Of far and offset copies RAID 10 reads the one at the lowest address.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import (
    LINUX_RAID1,
    LINUX_RAID10,
    LOWEST_ADDRESS,
    NEAREST_HEAD,
    ROUND_ROBIN,
)
from raidsim.kernel.jit import routine
from raidsim.kernel.plans import place, redirect
from raidsim.kernel.tables import NEVER, NONE
from raidsim.layout.tables import NEAR


@routine
def choose(w, row, good, count):
    """Let each of the ``count`` reads listed in ``accesses`` take its best copy."""
    array = w.arrays[row]
    layout = w.layouts[row]
    policy = array["mirror_policy"]
    for i in range(count):
        access = w.accesses[i]
        if policy == LINUX_RAID1 or policy == LINUX_RAID10:
            best = _as_linux(w, array, layout, good, access)
        else:
            best = _of_queues(w, array, layout, good, access)
        if best != NONE and best != access["copy"]:
            redirect(layout, good, access, best)
        member = w.members[array["first_member"] + access["drive"]]
        member["end"] = access["offset"] + access["length"]
    array["turn"] += 1


@routine
def _of_queues(w, array, layout, good, access):
    """Copy by streams and the array's policy; NONE if no drive has it."""
    policy = array["mirror_policy"]
    copies = layout["copies"]
    best = NONE
    shortest = NEVER
    nearest = NEVER
    for turn in range(copies):
        copy = (array["turn"] + turn) % copies
        drive, offset = place(layout, access["address"], copy)
        if offset + access["length"] > good[drive]:
            continue
        member = w.members[array["first_member"] + drive]
        follows = member["end"] == offset and member["in_flight"] < array["stream_depth"]
        if follows and policy != LOWEST_ADDRESS:
            return copy
        queue = member["in_flight"]
        distance = abs(member["end"] - offset) if array["arms"] == 1 else copy
        if policy == ROUND_ROBIN:
            queue = turn
        elif policy == NEAREST_HEAD:
            queue = 0
        elif policy == LOWEST_ADDRESS:
            queue = 0
            distance = offset
        if queue < shortest or (queue == shortest and distance < nearest):
            best = copy
            shortest = queue
            nearest = distance
    return best


@routine
def _as_linux(w, array, layout, good, access):
    """Copy that Linux md reads; NONE if no drive has it."""
    is_raid1 = array["mirror_policy"] == LINUX_RAID1
    near = layout["spread"] == NEAR
    least_busy = NONE
    fewest = NEVER
    closest = NONE
    least = NEVER
    for copy in range(layout["copies"]):
        drive, offset = place(layout, access["address"], copy)
        if offset + access["length"] > good[drive]:
            continue
        member = w.members[array["first_member"] + drive]
        if is_raid1 and (member["end"] == offset or member["head"] == offset):
            return copy
        if member["in_flight"] < fewest:
            least_busy = copy
            fewest = member["in_flight"]
        distance = abs(member["head"] - offset) if near else offset
        if near and member["in_flight"] == 0:
            distance = 0
        if distance < least:
            closest = copy
            least = distance
    return closest if array["arms"] == 1 else least_busy
