"""Hybrids: a volume as cache or tier in front of a volume.

A task on a hybrid is divided at the borders of its blocks; contiguous parts of the volume below are
requested together. As a cache::

    read     a block in the front: from there
             else from the back; then, if it is to be promoted, written into the front
    write    back: into the front, once few enough blocks are dirty
             through: into both; around: into the back, and the front forgets it

Blocks are lines of raidsim.kernel.cache. So for each block the valid parts are known, and those on
their way to the back (busy) or into the front (coming). Dirty ones go to the back as
raidsim.kernel.destage says. Blocks that were written back, or only read, may be evicted.

In a tier a block is in one place, which :mod:`raidsim.kernel.tier` decides. All of a block in the
front counts as dirty, since only the front has it.

A front that fails is given up. Data that the back has is read there. For data that only the front
had, reads fail until it is written again.

Verbs: :func:`carry_out` a task, :func:`part_ended` takes a request to front or back back.
"""

from __future__ import annotations

import numpy as np

from raidsim.kernel import agenda, controller, destage, log
from raidsim.kernel.array_tables import ERRAND_BELOW, ERRAND_FILL, ERRAND_WRITE_BACK
from raidsim.kernel.cache import find, mask
from raidsim.kernel.cache_tables import TRAILS
from raidsim.kernel.hybrid_blocks import arrive, expect, forget, give_up, is_spoilt, lose
from raidsim.kernel.hybrid_tables import (
    BACK_LOST,
    FRONT_LOST,
    MODE_TIER,
    NOTHING_LOST,
    WRITE_BACK,
    WRITE_THROUGH,
)
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.replacement import dispatch as policy
from raidsim.kernel.tables import (
    DONE,
    FAILED,
    NONE,
    READ,
    RETRY,
    STAGE_ENDED,
    STAGE_PLAN,
    STAGE_WAITING,
    VOLUME_ARRAY,
    WRITE,
)
from raidsim.kernel.tier import into_tier, warm_up

TO_READ = 0  # halves of a copy between front and back
TO_WRITE = 1


@part("arrays")
@routine
def carry_out(w, index):
    """Begin a task: of a host or controller, or a copy between front and back."""
    job = w.jobs[index]
    hybrid = w.hybrids[w.arrays[w.volumes[job["volume"]]["array"]]["hybrid"]]
    cache = w.caches[hybrid["cache"]]
    waits = False
    job["stage"] = STAGE_WAITING
    if job["waited"] == 0:
        job["fills"] = 0
    if job["errand"] == ERRAND_FILL or job["errand"] == ERRAND_WRITE_BACK:
        job["half"] = TO_READ
        if job["errand"] == ERRAND_FILL and hybrid["mode"] != MODE_TIER:
            job["half"] = TO_WRITE  # the request that missed has read it
        copy(w, hybrid, cache, index)
        return
    if job["stream"] != NONE:
        hybrid["stream"] = job["stream"]
    if job["op"] == READ:
        read(w, hybrid, cache, index)
    else:
        waits = not write(w, hybrid, cache, index)
    ask(w, hybrid, index)
    if job["pending"] == 0 and not waits:
        agenda.put(w, index, STAGE_ENDED)


# -- requests below ------------------------------------------------------------------------------


@routine
def put(w, hybrid, index, op, volume, start, end):
    """Ask a volume below for bytes [start, end), together with those just before them."""
    if hybrid["run_volume"] == volume and hybrid["run_end"] == start and hybrid["run_op"] == op:
        hybrid["run_end"] = end
        return
    ask(w, hybrid, index)
    hybrid["run_volume"] = volume
    hybrid["run_op"] = op
    hybrid["run_start"] = start
    hybrid["run_end"] = end


@handler
def put_front(w, hybrid, cache, index, op, line, low, high):
    """Ask the front for bytes [low, high) of a block."""
    base = (line - cache["first_line"]) * hybrid["block"]
    put(w, hybrid, index, op, hybrid["front"], base + low, base + high)


@handler
def put_back(w, hybrid, index, op, start, end):
    """Ask the back for bytes [start, end) of the hybrid."""
    base = hybrid["back_offset"]
    put(w, hybrid, index, op, hybrid["back"], base + start, base + end)


@routine
def ask(w, hybrid, index):
    """Ask a volume below for the bytes that were put together."""
    volume = hybrid["run_volume"]
    if volume == NONE:
        return
    hybrid["run_volume"] = NONE
    w.jobs[index]["pending"] += 1
    child = take_child(w, STAGE_WAITING, index)
    below = w.jobs[child]
    below["errand"] = ERRAND_BELOW
    below["volume"] = volume
    below["op"] = hybrid["run_op"]
    below["offset"] = hybrid["run_start"]
    below["length"] = hybrid["run_end"] - hybrid["run_start"]
    below["parts"] = 1
    below["waiters"] = NONE
    if below["stream"] == NONE:
        below["stream"] = hybrid["stream"]
    if hybrid["log"] == 1 and below["op"] == WRITE and volume == hybrid["back"]:
        send(w, hybrid, np.int64(log.gather(w, hybrid, child)))
    else:
        send(w, hybrid, child)


@routine
def send(w, hybrid, child):
    """Let a request (or NONE) go to front or back."""
    if child == NONE:
        return
    below = w.jobs[child]
    row = w.volumes[below["volume"]]
    if row["controller"] != NONE and hybrid["through"] == 1:
        controller.command(w, child)
    else:
        if row["kind"] == VOLUME_ARRAY:
            below["parts"] = 0
        agenda.put(w, child, STAGE_PLAN)


@part("arrays")
@routine
def part_ended(w, index):
    """A request to front or back has ended; the last one takes its task on."""
    child = w.jobs[index]
    parent = child["parent"]
    job = w.jobs[parent]
    hybrid = w.hybrids[w.arrays[w.volumes[job["volume"]]["array"]]["hybrid"]]
    cache = w.caches[hybrid["cache"]]
    if child["waiters"] != NONE:
        send(w, hybrid, np.int64(log.ended(w, hybrid, index)))
    if child["status"] != DONE:
        if child["volume"] == hybrid["back"]:
            job["status"] = FAILED
        else:
            if hybrid["lost"] != FRONT_LOST and has_failed(w, hybrid["front"]):
                lose(w, hybrid, cache)
            if hybrid["lost"] != FRONT_LOST and is_spoilt(w, hybrid, cache, child):
                job["status"] = FAILED
                hybrid["lost_reads"] += 1
            elif job["status"] == DONE:
                job["status"] = RETRY
    job["parts"] += child["parts"]
    release(w, index)
    job["pending"] -= 1
    if job["pending"] > 0:
        return
    if job["errand"] == ERRAND_FILL or job["errand"] == ERRAND_WRITE_BACK:
        if job["status"] == DONE and job["half"] == TO_READ:
            job["half"] = TO_WRITE
            copy(w, hybrid, cache, parent)
        else:
            copied(w, hybrid, cache, parent)
    elif job["status"] == RETRY:
        job["status"] = DONE
        job["waited"] = 1  # and need not wait again
        agenda.put(w, parent, STAGE_PLAN)
    else:
        if job["fills"] == 1:
            arrive(w, hybrid, cache, parent)
        agenda.put(w, parent, STAGE_ENDED)


@handler
def has_failed(w, volume):
    """Return whether a drive of the front has failed, or its spare is not rebuilt yet.

    A front that can't answer then is lost, and nothing in it is relied on.
    """
    row = w.volumes[volume]
    if row["kind"] != VOLUME_ARRAY:
        return w.drives[row["drive"]]["failed"] == 1
    array = w.arrays[row["array"]]
    layout = w.layouts[row["array"]]
    first = array["first_member"]
    for member in range(first, first + array["drives"]):
        if w.drives[w.members[member]["drive"]]["failed"] == 1:
            return True
        if w.good[member] < layout["rows"] * layout["strip"]:
            return True
    return False


# -- reads ---------------------------------------------------------------------------------------


@handler
def read(w, hybrid, cache, index):
    """Ask the front for what it holds of a read, and the back for the rest."""
    job = w.jobs[index]
    volume = job["volume"]
    size = hybrid["block"]
    here = job["offset"]
    end = here + job["length"]
    passes = is_sequential(w, hybrid, here, end)
    while here < end:
        strip = here // size
        base = strip * size
        stop = min(base + size, end)
        wanted = mask(size, here - base, stop - base)
        found = find(w, cache, volume, strip)
        hybrid["reads"] += 1
        only = 0  # grains that the back does not have
        held = 0
        if found != NONE:
            line = w.lines[found]
            only = line["dirty"] | line["busy"]
            held = line["valid"] | only
        if hybrid["mode"] == MODE_TIER and not passes:
            warm_up(w, hybrid, cache, volume, strip, found == NONE)
        if hybrid["lost"] == FRONT_LOST:
            if only & wanted != 0:
                job["status"] = FAILED
                hybrid["lost_reads"] += 1
                return
            put_back(w, hybrid, index, READ, here, stop)
        elif wanted & ~held == 0:
            hybrid["hits"] += 1
            policy.used(w, cache, found)
            put_front(w, hybrid, cache, index, READ, found, here - base, stop - base)
        else:
            if only & wanted != 0:
                put_front(w, hybrid, cache, index, READ, found, here - base, stop - base)
            if hybrid["mode"] != MODE_TIER and not passes:
                expect(w, hybrid, cache, index, strip, wanted & ~held)
            put_back(w, hybrid, index, READ, here, stop)
        here = stop


@routine
def is_sequential(w, hybrid, start, end):
    """Return whether a request continues a sequential run that is too long for the front by now."""
    if hybrid["bypass"] == 0:
        return False
    first = hybrid["first_trail"]
    hybrid["tick"] += 1
    trail = w.trails[first]
    longest = 0  # of the runs that end here
    for i in range(first, first + TRAILS):
        row = w.trails[i]
        if row["next"] == start and row["run"] > longest:
            longest = row["run"]
            trail = row
        elif longest == 0 and row["used"] < trail["used"]:
            trail = row
    if longest == 0:
        trail["run"] = 0
    trail["run"] += end - start
    trail["next"] = end
    trail["used"] = hybrid["tick"]
    return trail["run"] > hybrid["bypass"]


# -- writes --------------------------------------------------------------------------------------


@handler
def write(w, hybrid, cache, index):
    """Ask front or back, or both, to write; False if it has to wait for room."""
    job = w.jobs[index]
    passes = False
    if job["waited"] == 0:
        hybrid["writes"] += 1
        passes = is_sequential(w, hybrid, job["offset"], job["offset"] + job["length"])
    if hybrid["lost"] == NOTHING_LOST:
        if hybrid["mode"] == MODE_TIER:
            write_tier(w, hybrid, cache, index, passes)
            return True
        if hybrid["write"] == WRITE_BACK:
            return write_front(w, hybrid, cache, index, passes)
        if hybrid["write"] == WRITE_THROUGH and not passes:
            write_through(w, hybrid, cache, index)
            return True
    write_past(w, hybrid, cache, index)
    return True


@handler
def write_tier(w, hybrid, cache, index, passes):
    """Write each block where it lives."""
    job = w.jobs[index]
    size = hybrid["block"]
    here = job["offset"]
    end = here + job["length"]
    while here < end:
        strip = here // size
        base = strip * size
        stop = min(base + size, end)
        place = into_tier(w, hybrid, cache, job["volume"], strip, here, stop, passes)
        if place == NONE:
            put_back(w, hybrid, index, WRITE, here, stop)
        else:
            put_front(w, hybrid, cache, index, WRITE, place, here - base, stop - base)
        here = stop


@handler
def write_front(w, hybrid, cache, index, passes):
    """Write into the front, and past it what has no place there; False if it has to wait."""
    job = w.jobs[index]
    volume = job["volume"]
    size = hybrid["block"]
    here = job["offset"]
    end = here + job["length"]
    first = here // size
    last = (end - 1) // size
    has_waited = job["waited"] == 1
    busy = 0
    held = False
    for strip in range(first, last + 1):
        found = find(w, cache, volume, strip)
        if found != NONE:
            held = True
            busy |= w.lines[found]["busy"]
    is_past = False
    fits = True
    if (last - first + 1) * size > cache["high"]:
        # It goes past the front, but not while older data is on its way to the back.
        is_past = True
        fits = busy == 0
    elif passes and not held:
        is_past = True
    elif cache["first_waiting"] != NONE and not has_waited:
        fits = False
    else:
        fits = destage.insert(w, cache, volume, size, here, end)
    if not fits:
        if has_waited:
            destage.block_first(w, cache, index)
        else:
            hybrid["waits"] += 1
            job["waited"] = 1
            destage.block(w, cache, index)
        destage.work(w, cache)
        return False
    if has_waited:
        destage.admit(w, cache)
    if is_past:
        write_past(w, hybrid, cache, index)
        return True
    while here < end:
        strip = here // size
        base = strip * size
        stop = min(base + size, end)
        place = find(w, cache, volume, strip)
        if place != NONE:
            put_front(w, hybrid, cache, index, WRITE, place, here - base, stop - base)
        here = stop
    destage.work(w, cache)
    return True


@handler
def write_through(w, hybrid, cache, index):
    """Write into both front and back."""
    job = w.jobs[index]
    size = hybrid["block"]
    start = job["offset"]
    end = start + job["length"]
    forget(w, hybrid, cache, job["volume"], start, end)
    here = start
    while here < end:
        strip = here // size
        base = strip * size
        stop = min(base + size, end)
        place = expect(w, hybrid, cache, index, strip, mask(size, here - base, stop - base))
        if place != NONE:
            put_front(w, hybrid, cache, index, WRITE, place, here - base, stop - base)
        here = stop
    put_back(w, hybrid, index, WRITE, start, end)


@routine
def write_past(w, hybrid, cache, index):
    """Write into the back alone: the front forgets what it held of it."""
    job = w.jobs[index]
    end = job["offset"] + job["length"]
    hybrid["forgotten"] += forget(w, hybrid, cache, job["volume"], job["offset"], end)
    hybrid["past"] += 1
    put_back(w, hybrid, index, WRITE, job["offset"], end)


# -- copies between front and back ---------------------------------------------------------------


@routine
def copy(w, hybrid, cache, index):
    """The next half of a copy: a fill goes from back to front, a write-back the other way."""
    job = w.jobs[index]
    size = hybrid["block"]
    here = job["offset"]
    end = here + job["length"]
    op = READ if job["half"] == TO_READ else WRITE
    from_back = (job["errand"] == ERRAND_FILL) == (op == READ)
    if from_back:
        put_back(w, hybrid, index, op, here, end)
    while not from_back and here < end:
        strip = here // size
        stop = min((strip + 1) * size, end)
        found = find(w, cache, job["volume"], strip)
        if found != NONE:
            base = strip * size
            put_front(w, hybrid, cache, index, op, found, here - base, stop - base)
        here = stop
    ask(w, hybrid, index)
    if job["pending"] == 0:  # it was written past the front meanwhile
        copied(w, hybrid, cache, index)


@routine
def copied(w, hybrid, cache, index):
    """A copy has ended."""
    job = w.jobs[index]
    if hybrid["mode"] == MODE_TIER:
        hybrid["moving"] -= 1
    if job["errand"] == ERRAND_FILL:
        arrive(w, hybrid, cache, index)
        release(w, index)
    elif job["status"] == DONE:
        hybrid["written_back"] += job["length"]
        destage.ended(w, cache, index, hybrid["block"])
    else:
        # The copy failed: the back is lost, or the front, or the front can't read the block. The
        # block stays where it is, and everything else goes on.
        if hybrid["lost"] == NOTHING_LOST and job["half"] == TO_WRITE:
            give_up(w, hybrid, cache, BACK_LOST)
        cache["tasks"] -= 1
        release(w, index)
        destage.work(w, cache)
