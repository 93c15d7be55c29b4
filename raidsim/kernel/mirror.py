"""Which copy a read of mirrored data takes.

A read that begins where the last command to one of its drives ended continues a sequential
stream: it stays on that drive while fewer than ``stream_depth`` commands are under way there. So a
mirror streams like one drive at low load and like a stripe at high load. Any other read takes the
copy with the shortest queue, that with the nearest arm, or the next one in turn. Of equal queues
it takes the one whose arm is nearest, or the first one where drives have no arms: Linux md takes
the first of the copies with the fewest commands then (read_balance in raid1.c and raid10.c).

Or each read, whatever came before, takes the copy at the lowest address. Where the second copies
lie in another section of the drives, they are left to writes then, and the first ones are a stripe
over all drives.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import LOWEST_ADDRESS, NEAREST_HEAD, ROUND_ROBIN
from raidsim.kernel.jit import routine
from raidsim.kernel.plans import place, redirect
from raidsim.kernel.tables import NEVER, NONE


@routine
def choose(w, row, good, count):
    """Let each of the ``count`` reads listed in ``accesses`` take its best copy."""
    array = w.arrays[row]
    layout = w.layouts[row]
    for i in range(count):
        access = w.accesses[i]
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
            policy = array["mirror_policy"]
            follows = member["end"] == offset and member["in_flight"] < array["stream_depth"]
            if follows and policy != LOWEST_ADDRESS:
                best = copy
                break
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
        if best != NONE and best != access["copy"]:
            redirect(layout, good, access, best)
        member = w.members[array["first_member"] + access["drive"]]
        member["end"] = access["offset"] + access["length"]
    array["turn"] += 1
