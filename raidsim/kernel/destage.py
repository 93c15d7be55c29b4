"""Write-back: the data that the cache holds for the drives, and how it gets there.

A write is in the cache when each of its strips has a line. If this would need more dirty lines than
the high water mark allows, the write waits. Dirty lines are in a list ordered by volume and strip
(a skip list: Pugh, "Skip lists", CACM 33 (1990) 6).

Each array has an elevator, which goes upwards through its lines and begins again at the start, and
so has each drive of a JBOD. These *lanes* take turns, as long as their drives accept more. So no
lane waits while others destage. From its current place an elevator takes a contiguous run of dirty
bytes, over several strips if they are whole, so that full stripes of parity levels are written
together. The run becomes a task. Of a stripe of a parity level the elevator takes only one run. It
takes other dirty data of this stripe when it passes again: a task holds the lock of its stripe, and
other tasks would only wait for it.

An elevator works while there is more dirty data than the low water mark. It also works for all
dirty data in three cases: nothing was written for the flush time, power is back, or an array is set
to write through. Such a *flush* ends when as many lines were taken as were dirty at its start,
whatever is written meanwhile. Otherwise a small area that is always written would be destaged again
and again for ever. A flush for an array that writes through continues while it finds lines of this
array, and ends when the array writes back again.

Lines of a lost array are *pinned*: they stay dirty, and take room from all others, until they are
imported or discarded (raidsim.intervene.pinned).

Verbs: :func:`insert` a write, :func:`work` starts destages, :func:`ended` takes one back,
:func:`flush` when the flush time has passed, and :func:`begin_flush` in the other cases;
:func:`begin_through` when an array is set to write through, and :func:`end_through` when none is.
"""

from __future__ import annotations

from raidsim.kernel import agenda, queue
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.cache import find, grain_of, is_clean, key_of, mask, settle, take, unlist, up_to
from raidsim.kernel.cache_tables import GRAINS, LEVELS
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.replacement import dispatch as policy
from raidsim.kernel.station import arrive
from raidsim.kernel.tables import (
    FAILED,
    NONE,
    STAGE_CACHE_FLUSH,
    STAGE_WAITING,
    WRITE,
)
from raidsim.kernel.tasks import add_task
from raidsim.layout.tables import PARITY

# -- the list of dirty lines --------------------------------------------------------------------


@handler
def tower(cache, index):
    """Return the first row in `towers` of the pointers of a line; of the head for NONE."""
    if index == NONE:
        return cache["first_tower"]
    return cache["first_tower"] + (index - cache["first_line"] + 1) * LEVELS


@handler
def height_of(key):
    """Height of a line's tower: one more for each pair of zero bits of its scattered key."""
    scattered = (key * 40503 + (key >> 13)) * 30011 >> 7
    height = 1
    while height < LEVELS and scattered & 3 == 0:
        scattered >>= 2
        height += 1
    return height


@routine
def seek(w, cache, key):
    """First dirty line from ``key`` on, or NONE; the lines before it are left in the last tower."""
    before = cache["first_tower"] + (cache["lines"] + 1) * LEVELS
    here = NONE
    level = LEVELS - 1
    while level >= 0:
        following = w.towers[tower(cache, here) + level]
        while following != NONE and w.lines[following]["key"] < key:
            here = following
            following = w.towers[tower(cache, here) + level]
        w.towers[before + level] = here
        level -= 1
    return w.towers[tower(cache, here)]


@routine
def enlist(w, cache, index):
    """Put a line into the list of dirty ones."""
    line = w.lines[index]
    seek(w, cache, line["key"])
    before = cache["first_tower"] + (cache["lines"] + 1) * LEVELS
    line["height"] = height_of(line["key"])
    own = tower(cache, index)
    for level in range(line["height"]):
        place = tower(cache, w.towers[before + level]) + level
        w.towers[own + level] = w.towers[place]
        w.towers[place] = index
    if cache["errand"] == ERRAND_DESTAGE:
        volume = line["volume"]
        array = w.arrays[w.volumes[volume]["array"]]
        number = lane_of(array, line["strip"] * line["size"])
        make_ready(w, cache, array["first_lane"] + number, volume)


@routine
def strike(w, cache, index):
    """Take a line out of the list of dirty ones."""
    seek(w, cache, w.lines[index]["key"])
    strike_found(w, cache, index)


@routine
def strike_found(w, cache, index):
    """Take out of the list the line that was sought last, or the one behind a removed line."""
    line = w.lines[index]
    before = cache["first_tower"] + (cache["lines"] + 1) * LEVELS
    own = tower(cache, index)
    for level in range(line["height"]):
        w.towers[tower(cache, w.towers[before + level]) + level] = w.towers[own + level]
    line["height"] = 0
    cache["taken"] += line["size"]


# -- writes into the cache ------------------------------------------------------------------------


@routine
def insert(w, cache, volume, size, start, end):
    """Put bytes [start, end) of a volume into the cache as dirty; False if they have to wait."""
    first = start // size
    last = (end - 1) // size
    fresh = 0
    dirtied = 0
    reused = 0
    for strip in range(first, last + 1):
        index = find(w, cache, volume, strip)
        if index == NONE:
            fresh += 1
            dirtied += 1
        else:
            line = w.lines[index]
            if line["dirty"] == 0 and line["busy"] == 0:
                dirtied += 1
                if line["coming"] == 0:
                    reused += 1
    if cache["dirty"] + dirtied * size > cache["high"] and dirtied > 0:
        return False
    if cache["size"] - cache["used"] + cache["clean"] < (fresh + reused) * size:
        return False
    # Lines that are there stop being clean before room is made for the others.
    if fresh <= last - first:
        for strip in range(first, last + 1):
            index = find(w, cache, volume, strip)
            if index != NONE:
                if is_clean(w.lines[index]):
                    unlist(w, cache, index)
                soil(w, cache, index, start, end)
                policy.used(w, cache, index)
    if fresh > 0:
        for strip in range(first, last + 1):
            # Of one strip alone it is known already.
            if first == last or find(w, cache, volume, strip) == NONE:
                soil(w, cache, take(w, cache, volume, strip, size), start, end)
    cache["dirtied"] = dirtied
    cache["written"] = w.state[0]["now"]
    if cache["dirty"] > cache["dirty_peak"]:
        cache["dirty_peak"] = cache["dirty"]
    return True


@routine
def soil(w, cache, index, start, end):
    """Mark what bytes [start, end) cover of a line as dirty."""
    line = w.lines[index]
    size = line["size"]
    if line["dirty"] == 0 and line["busy"] == 0:
        count_of_array(w, cache, line["volume"], size)
    base = line["strip"] * size
    line["dirty"] |= mask(size, max(start - base, 0), min(end - base, size))
    line["valid"] |= line["dirty"]
    if line["height"] == 0:
        enlist(w, cache, index)


@routine
def count_of_array(w, cache, volume, size):
    """Count bytes of a volume that become dirty. While any are dirty, its drives take destages.

    A hybrid's blocks in its front are no lines of a controller, and have a cache of their own.
    """
    count(w, cache, size)
    if cache["errand"] != ERRAND_DESTAGE:
        return
    array = w.arrays[w.volumes[volume]["array"]]
    if array["dirty"] == 0:
        cache["wanted"] += array["most_destages"]
    array["dirty"] += size
    if array["dirty"] == 0:
        cache["wanted"] -= array["most_destages"]


@routine
def count(w, cache, size):
    """Count ``size`` bytes that become dirty; they are clean again if it is negative."""
    now = w.state[0]["now"]
    cache["dirty_area"] += float(cache["dirty"]) * (now - cache["dirty_changed"])
    cache["dirty_changed"] = now
    cache["dirty"] += size


# -- and out of it -----------------------------------------------------------------------------


@routine
def work(w, cache):
    """Start as many destages as there may be."""
    is_flushing = cache["taken"] < max(cache["flush_until"], cache["through_until"])
    limit = cache["low"]
    if is_flushing or cache["first_waiting"] != NONE:
        limit = 0
    limit += cache["pinned"]
    most = min(cache["most_tasks"], cache["wanted"])
    while cache["tasks"] < most and cache["dirty"] > limit:
        if cache["errand"] == ERRAND_DESTAGE:
            index = next_of_lanes(w, cache)
        else:
            index = next_of_front(w, cache)
        if index == NONE:  # all that is dirty is on its way, or its drives take no more
            break
        start_one(w, cache, index)
    if cache["dirty"] <= cache["pinned"]:
        cache["flush_until"] = cache["taken"]
        cache["through_until"] = cache["taken"]
    elif cache["armed"] == 0 and not is_flushing and cache["most_tasks"] > 0:
        arm(w, cache, cache["flush_time"])


@routine
def next_of_front(w, cache):
    """Return the line that is next in the front of a hybrid, or NONE."""
    index = seek(w, cache, cache["elevator"])
    if index == NONE:
        index = seek(w, cache, 0)
        cache["last_pass"] = cache["destaged"] - cache["pass_begun"]
        cache["pass_begun"] = cache["destaged"]
    return index


@routine
def next_of_lanes(w, cache):
    """Return the line that is next in the next lane that takes a destage, or NONE.

    It is the line that was found last. Lanes that may take a destage are in a queue: each lane with
    a dirty line, unless it has its maximum of destages. Lanes without a possible destage are
    removed here, so that their number does not matter.
    """
    while cache["first_ready"] != NONE:
        row = cache["first_ready"]
        lane = w.lanes[row]
        cache["first_ready"] = lane["next"]
        lane["ready"] = 0
        volume = lane["volume"]
        array = w.arrays[w.volumes[volume]["array"]]
        if lane["destages"] < array["most_destages"] // array["lanes"]:
            number = row - array["first_lane"]
            first = lane_begin(array, volume, number)
            end = lane_begin(array, volume, number + 1)
            index = seek(w, cache, max(lane["elevator"], first))
            is_new = index == NONE or w.lines[index]["key"] >= end
            if is_new:
                index = seek(w, cache, first)
            if index != NONE and w.lines[index]["key"] < end:
                if is_new:
                    lane["last_pass"] = lane["destaged"] - lane["pass_begun"]
                    lane["pass_begun"] = lane["destaged"]
                make_ready(w, cache, row, volume)
                return index
    return NONE


@routine
def make_ready(w, cache, row, volume):
    """Let a lane be the last of those that may take a destage, if it is none of them."""
    lane = w.lanes[row]
    if lane["ready"] == 1:
        return
    lane["ready"] = 1
    lane["volume"] = volume
    lane["next"] = NONE
    if cache["first_ready"] == NONE:
        cache["first_ready"] = row
    else:
        w.lanes[cache["last_ready"]]["next"] = row
    cache["last_ready"] = row


@handler
def lane_of(array, offset):
    """Return the row of the lane of an array that a byte belongs to."""
    if array["lanes"] == 1:
        return 0
    return min(offset // array["lane_size"], array["lanes"] - 1)


@handler
def lane_begin(array, volume, number):
    """Return the least key of a lane; of the one behind the last that of the next volume."""
    if number == 0:
        return key_of(volume, 0)
    if number == array["lanes"]:
        return key_of(volume + 1, 0)
    size = array["line"]
    return key_of(volume, (number * array["lane_size"] + size - 1) // size)


@handler
def arm(w, cache, time):
    """Look after ``time`` whether anything was written meanwhile."""
    cache["armed"] = 1
    w.jobs[cache["flusher"]]["stage"] = STAGE_CACHE_FLUSH
    arrive(w, cache["clock"], cache["flusher"], time)


@handler
def start_one(w, cache, index):
    """Make a task of the contiguous dirty bytes from the first ones of a line on, sought last."""
    line = w.lines[index]
    size = line["size"]
    volume = line["volume"]
    array = w.arrays[w.volumes[volume]["array"]]
    if array["write_back"] == 0 and cache["errand"] == ERRAND_DESTAGE:
        # Nothing of it may stay: a flush goes on until none of it is met any more.
        begin_through(cache)
    width = array["width"]
    window = max(cache["destage_size"] // width, 1) * width
    grain = grain_of(size)
    first = 0
    while (line["dirty"] >> first) & 1 == 0:
        first += 1
    start = line["strip"] * size + first * grain
    limit = (start // window + 1) * window
    end = start
    here = index
    place = line["key"]
    while here != NONE:
        row = w.lines[here]
        base = row["strip"] * size
        low = end - base
        bit = low // grain
        while bit * grain < size and (row["dirty"] >> bit) & 1 == 1:
            bit += 1
        high = min(bit * grain, size)
        taken = mask(size, low, high)
        row["dirty"] &= ~taken
        row["busy"] |= taken
        row["destages"] += 1
        end = base + high
        place = row["key"] + 1
        if row["dirty"] == 0:
            strike_found(w, cache, here)
        else:
            place = row["key"]
            break
        if high < size or end >= limit:
            break
        here = find(w, cache, volume, row["strip"] + 1)
        if here != NONE and (w.lines[here]["dirty"] & 1) == 0:
            break
    if array["family"] == PARITY:  # its lock is taken: what else is dirty there would wait for it
        place = key_of(volume, ((end - 1) // width + 1) * width // size)
    length = min(end, w.volumes[volume]["size"]) - start
    if cache["errand"] == ERRAND_DESTAGE:
        lane = w.lanes[array["first_lane"] + lane_of(array, line["strip"] * size)]
        lane["elevator"] = place
        lane["destages"] += 1
        lane["destaged"] += length
    else:
        cache["elevator"] = place
    cache["tasks"] += 1
    cache["destaged"] += length
    add_task(w, cache["errand"], volume, WRITE, start, length)


@part("arrays")
@routine
def ended(w, cache, index, size):
    """Destage ``index`` has ended: its lines (``size`` bytes) are clean; waiting writes may enter.

    If the array has lost more drives than it can, its lines are pinned. From then on it writes
    through, and fails, so nothing more is acknowledged.
    """
    job = w.jobs[index]
    volume = job["volume"]
    if job["status"] == FAILED:
        w.arrays[w.volumes[volume]["array"]]["write_back"] = 0
        end = job["offset"] + job["length"]
        for strip in range(job["offset"] // size, (end - 1) // size + 1):
            line = w.lines[find(w, cache, volume, strip)]
            if line["pinned"] == 0:
                line["pinned"] = 1
                cache["pinned"] += size
    else:
        start = job["offset"]
        clean(w, cache, volume, size, start, start + job["length"])
    if job["errand"] == ERRAND_DESTAGE:
        array = w.arrays[w.volumes[volume]["array"]]
        row = array["first_lane"] + lane_of(array, job["offset"] // size * size)
        w.lanes[row]["destages"] -= 1
        make_ready(w, cache, row, volume)
    release(w, index)
    cache["tasks"] -= 1
    admit(w, cache)
    work(w, cache)


@handler
def clean(w, cache, volume, size, start, end):
    """The drives have bytes [start, end) of a volume: their lines are clean, or dirty anew."""
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        if index == NONE:  # of a lost front, and written past it meanwhile
            continue
        line = w.lines[index]
        # A line that was written again may have several destages under way: the last cleans it.
        line["destages"] -= 1
        if line["destages"] > 0:
            continue
        line["busy"] = 0
        if line["dirty"] == 0:
            count_of_array(w, cache, volume, -size)
            settle(w, cache, index)


@routine
def supersede(w, cache, volume, size, start, end):
    """Bytes [start, end) are on the drives, past the cache: what is older need not follow them."""
    grain = grain_of(size)
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        if index == NONE:
            continue
        line = w.lines[index]
        low = max(start - strip * size, 0)
        high = min(end - strip * size, size)
        whole = up_to(GRAINS if high == size else high // grain)
        whole &= ~up_to((low + grain - 1) // grain)
        if line["dirty"] & whole == 0 or line["pinned"] > 0:
            continue
        line["dirty"] &= ~whole
        if line["dirty"] == 0 and line["height"] > 0:
            strike(w, cache, index)
            if line["busy"] == 0:
                count_of_array(w, cache, volume, -size)
                settle(w, cache, index)
    admit(w, cache)


@routine
def block(w, cache, index):
    """A write waits for room, in order."""
    w.jobs[index]["stage"] = STAGE_WAITING
    queue.append(w, cache, index)


@routine
def block_first(w, cache, index):
    """A write that was tried again still has no room: it waits in front of all others."""
    w.jobs[index]["stage"] = STAGE_WAITING
    queue.put_first(w, cache, index)


@routine
def admit(w, cache):
    """Let the first write that waits for room try again."""
    if cache["first_waiting"] != NONE:
        agenda.put(w, queue.take_first(w, cache), cache["again"])


@part("arrays")
@routine
def flush(w, cache):
    """If nothing was written for the flush time, all that is dirty goes to the drives."""
    quiet = w.state[0]["now"] - cache["written"]
    cache["armed"] = 0
    if quiet < cache["flush_time"]:
        arm(w, cache, cache["flush_time"] - quiet)
    else:
        if cache["taken"] >= cache["through_until"]:  # else it goes anyway, while writes go past
            begin_flush(cache)
        work(w, cache)


@handler
def begin_flush(cache):
    """All that is dirty now is to go to the drives."""
    cache["flush_until"] = cache["taken"] + cache["dirty"] - cache["pinned"]


@handler
def begin_through(cache):
    """All that is dirty now is to go to the drives, since an array writes through."""
    cache["through_until"] = cache["taken"] + cache["dirty"] - cache["pinned"]


@handler
def end_through(cache):
    """No array writes through any more: what is dirty may wait, unless another flush is on."""
    cache["through_until"] = cache["taken"]
