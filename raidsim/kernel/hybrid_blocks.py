"""The content of the front of a hybrid: which blocks come in, and what happens to them.

A block is a line of :mod:`raidsim.kernel.cache`. A grain of it may agree with the back (valid), may
not be in the back yet (dirty), may be on its way to the back (busy), or may be expected (coming).

Verbs: :func:`expect` grains of a block, :func:`arrive` when they are there, :func:`forget` data
that is written past the front; :func:`give_up`, :func:`lose` and :func:`is_spoilt` for faults.
"""

from __future__ import annotations

import numpy as np

from raidsim.kernel import destage
from raidsim.kernel.array_tables import ERRAND_FILL
from raidsim.kernel.cache import drop, find, grain_of, is_clean, mask, settle, take, unlist, up_to
from raidsim.kernel.cache_tables import GRAINS
from raidsim.kernel.hybrid_tables import FRONT_LOST, MODE_TIER
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.replacement import dispatch as policy
from raidsim.kernel.tables import DONE, NONE, READ, WRITE
from raidsim.kernel.tasks import add_task


@routine
def expect(w, hybrid, cache, index, strip, grains):
    """Let a block of the front expect these grains, if it may; its line, or NONE."""
    volume = w.jobs[index]["volume"]
    found = find(w, cache, volume, strip)
    known = found != NONE
    if not known:
        if not is_wanted(w, hybrid, strip):
            return NONE
        found = take(w, cache, volume, strip, hybrid["block"])
        if found == NONE:
            return NONE
    elif is_clean(w.lines[found]):
        unlist(w, cache, found)
    line = w.lines[found]
    if grains & ~line["coming"] != 0:
        line["coming"] |= grains
        w.jobs[index]["fills"] = 1
    if known:
        policy.used(w, cache, found)
    return found


@handler
def is_wanted(w, hybrid, strip):
    """Return whether a block that is missed has been missed often enough."""
    if hybrid["promote"] != 2:
        return hybrid["promote"] == 1
    place = hybrid["first_trace"] + ((strip * 40503 + (strip >> 15)) & (hybrid["traces"] - 1))
    if w.traces[place] == strip + 1:
        w.traces[place] = 0
        return True
    w.traces[place] = strip + 1
    return False


@routine
def arrive(w, hybrid, cache, index):
    """The expected data of the blocks of a task is there.

    A read has it from the back, and the front gets it now. A write or a copy has put it into the
    front. Data that was meanwhile written past the front is no longer expected.
    """
    job = w.jobs[index]
    volume = job["volume"]
    size = hybrid["block"]
    here = job["offset"]
    end = here + job["length"]
    while here < end:
        strip = here // size
        base = strip * size
        stop = min(base + size, end)
        found = find(w, cache, volume, strip)
        grains = 0
        if found != NONE:
            grains = w.lines[found]["coming"] & mask(size, here - base, stop - base)
        if grains != 0:
            line = w.lines[found]
            if job["op"] == READ and job["status"] == DONE:
                add_task(w, ERRAND_FILL, volume, WRITE, here, stop - here)
            else:
                line["coming"] &= ~grains
                if job["status"] == DONE:
                    line["valid"] |= grains
                    if job["errand"] == ERRAND_FILL:
                        hybrid["promoted"] += stop - here
                        if hybrid["mode"] == MODE_TIER:
                            land(w, cache, size, line)
                settle_or_drop(w, cache, found)
        here = stop
    if cache["first_waiting"] != NONE:  # a write may have waited for this block to be evicted
        destage.admit(w, cache)


@handler
def land(w, cache, size, line):
    """A block has moved into the front: all of it, or it stays where it was."""
    if line["valid"] == mask(size, 0, size):
        line["dirty"] = line["valid"]
        destage.count(w, cache, size)
        cache["dirty_peak"] = max(cache["dirty_peak"], cache["dirty"])
    else:
        line["valid"] = 0


@routine
def settle_or_drop(w, cache, index):
    """A block that may be evicted joins the list of those, or goes if nothing of it is valid."""
    settle(w, cache, index)
    line = w.lines[index]
    if line["valid"] == 0 and is_clean(line):
        drop(w, cache, index)


@routine
def forget(w, hybrid, cache, volume, start, end):
    """Bytes [start, end) are written into the back: what the front has of them is out of date.

    A grain that is dirty and only partly written stays dirty. Gives how many bytes are forgotten.
    """
    size = hybrid["block"]
    grain = grain_of(size)
    gone = 0
    for strip in range(start // size, (end - 1) // size + 1):
        found = find(w, cache, volume, strip)
        if found == NONE:
            continue
        line = w.lines[found]
        if is_clean(line):
            unlist(w, cache, found)
        low = max(start - strip * size, 0)
        high = min(end - strip * size, size)
        touched = mask(size, low, high)
        begin = (low + grain - 1) // grain
        whole = 0
        if high // grain > begin:
            whole = up_to(high // grain) & ~up_to(begin)
        only = line["dirty"] | line["busy"]
        line["coming"] &= ~touched
        line["dirty"] &= ~whole
        if hybrid["lost"] == FRONT_LOST:
            line["busy"] &= ~whole
        left = line["dirty"] | line["busy"]
        held = line["valid"]
        line["valid"] = (held & ~touched) | left
        gone += grain * count(held & ~line["valid"])
        if line["dirty"] == 0 and line["height"] > 0:
            destage.strike(w, cache, found)
        if only != 0 and left == 0:
            destage.count(w, cache, -size)
        settle_or_drop(w, cache, found)
    return gone


@handler
def count(grains):
    """Return the number of grains in a mask."""
    number = 0
    for bit in range(GRAINS):
        number += (grains >> bit) & 1
    return number


@handler
def is_spoilt(w, hybrid, cache, child):
    """Return whether blocks of the front that cannot be accessed have data that is nowhere else.

    Blocks whose data is also in the back are dropped, so the front is not asked for them again.
    """
    first = cache["first_line"] + child["offset"] // hybrid["block"]
    last = cache["first_line"] + (child["offset"] + child["length"] - 1) // hybrid["block"]
    spoilt = False
    for index in range(first, last + 1):
        line = w.lines[index]
        if line["dirty"] | line["busy"] != 0:
            spoilt = True
        elif line["valid"] != 0:
            if is_clean(line):
                unlist(w, cache, index)
            line["valid"] = 0
            settle_or_drop(w, cache, index)
    return spoilt


@routine
def give_up(w, hybrid, cache, what):
    """Front or back is lost: nothing is copied any more, and writes go to the back."""
    hybrid["lost"] = what
    cache["most_tasks"] = 0
    hybrid["moves"] = 0
    while cache["first_waiting"] != NONE:
        destage.admit(w, cache)


@handler
def lose(w, hybrid, cache):
    """The front has failed: only what the back does not have is kept account of."""
    give_up(w, hybrid, cache, FRONT_LOST)
    grain = grain_of(hybrid["block"])
    for place in range(cache["first_bucket"], cache["first_bucket"] + cache["buckets"]):
        index = np.int64(w.buckets_of_lines[place])
        while index != NONE:
            line = w.lines[index]
            following = line["chain"]
            if is_clean(line):
                unlist(w, cache, index)
            line["coming"] = 0
            line["valid"] = line["dirty"] | line["busy"]
            for bit in range(GRAINS):
                hybrid["lost_bytes"] += ((line["valid"] >> bit) & 1) * grain
            settle_or_drop(w, cache, index)
            index = following
