"""Read-ahead of a controller: the next data of a sequential stream is fetched into the cache.

Each volume follows a number of trails: places where a sequential stream would continue. In the mode
"ahead" every read is followed by a fetch of the data behind it. In the mode "adaptive" only the
second read of a trail and those after it are followed by a fetch. A read whose data is on the way
waits for it.

Verbs: :func:`follow` a read, :func:`fetched` when the data is there.
"""

from __future__ import annotations

from raidsim.kernel import agenda, destage
from raidsim.kernel.array_tables import ERRAND_FETCH
from raidsim.kernel.cache import find, is_clean, mask, settle, take, unlist
from raidsim.kernel.cache_tables import ADAPTIVE, TRAILS
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.tables import DONE, NONE, READ, STAGE_LOOKUP
from raidsim.kernel.tasks import add_task


@routine
def follow(w, cache, array, volume, start, end):
    """A read of bytes [start, end) has come: fetch what the stream will ask for next."""
    first = array["first_trail"]
    array["tick"] += 1
    trail = w.trails[first]
    for i in range(first, first + TRAILS):
        row = w.trails[i]
        if row["next"] == start and row["run"] > 0:
            trail = row
            break
        if row["used"] < trail["used"]:
            trail = row
    if trail["next"] != start or trail["run"] == 0:
        trail["run"] = 0
        trail["frontier"] = end
    trail["run"] += 1
    trail["next"] = end
    trail["used"] = array["tick"]
    if array["read_ahead"] == ADAPTIVE and trail["run"] < 2:
        return
    size = array["line"]
    limit = min(end + cache["read_ahead"], w.volumes[volume]["size"])
    here = max(trail["frontier"], end)
    # Whole lines from the one that the stream is in, so that none is fetched twice.
    while here < limit:
        stop = (here // size + 1) * size
        if not fetch(w, cache, volume, size, here, min(stop, w.volumes[volume]["size"])):
            break
        here = stop
    trail["frontier"] = here


@handler
def fetch(w, cache, volume, size, start, end):
    """Fetch bytes [start, end), which lie in one line; False if there is no room."""
    strip = start // size
    index = find(w, cache, volume, strip)
    if index == NONE:
        index = take(w, cache, volume, strip, size)
        if index == NONE:
            return False
    elif is_clean(w.lines[index]):
        unlist(w, cache, index)
    line = w.lines[index]
    held = line["valid"] | line["dirty"] | line["busy"] | line["coming"]
    wanted = mask(size, start - strip * size, end - strip * size)
    if wanted & ~held == 0:
        settle(w, cache, index)
        return True
    line["coming"] |= wanted & ~held
    add_task(w, ERRAND_FETCH, volume, READ, start, end - start)
    return True


@part("arrays")
@routine
def fetched(w, cache, index):
    """A fetch has ended: its data is there, and reads that wait for it search again.

    If another fetch of the same bytes was faster, no read waits any more, and the line may be gone.
    """
    job = w.jobs[index]
    size = w.arrays[w.volumes[job["volume"]]["array"]]["line"]
    strip = job["offset"] // size
    low = job["offset"] - strip * size
    line_index = find(w, cache, job["volume"], strip)
    arrived = 0
    if line_index != NONE:
        arrived = mask(size, low, low + job["length"]) & w.lines[line_index]["coming"]
    if arrived == 0:
        release(w, index)
        return
    line = w.lines[line_index]
    line["coming"] &= ~arrived
    if job["status"] == DONE:
        line["valid"] |= arrived
    waiter = line["waiters"]
    line["waiters"] = NONE
    while waiter != NONE:
        following = w.jobs[waiter]["next"]
        agenda.put(w, waiter, STAGE_LOOKUP)
        waiter = following
    settle(w, cache, line_index)
    release(w, index)
    destage.admit(w, cache)  # what is on its way gives no room, what has come does
