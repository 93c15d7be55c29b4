"""A controller: the path of a request of the host through cores, cache and host link.

Without a cache, or past it::

    read    core -> task (raidsim.kernel.array) -> host link -> answered
    write   core -> host link -> task -> answered

With one::

    read    core -> in the cache: memory -> host link -> answered
                 -> on its way into it: waits for it
                 -> else from the drives, and kept if the I/O mode is "cached"
    write   core -> host link -> memory -> in the cache, once it has room -> core, for
            lines that it made dirty -> answered (write-back); the drives get it later,
            see raidsim.kernel.destage

Data that passes the memory of the cache takes time there: data that goes into it or comes out of
it, and data that a read in the I/O mode "cached" leaves in it (copied by firmware, at a separate
rate). Some cards have no other path. On these, data that goes directly between drives and host
("direct") takes this time too. A write-through bypasses the cache, which forgets its old data of
this place.

Verbs: :func:`command` takes a request of the host, :func:`decoded`, :func:`look` for a read,
:func:`transferred` (data has crossed the host link), :func:`copied` (or the memory), :func:`insert`
a write, :func:`enlist` the lines that it made dirty, :func:`ended` (the drives have done their
part), :func:`answer`.
"""

from __future__ import annotations

from raidsim.kernel import array as arrays
from raidsim.kernel import destage, prefetch, streaming
from raidsim.kernel.array_tables import HYBRID
from raidsim.kernel.cache import (
    COMING,
    PRESENT,
    forget,
    is_caching,
    keep,
    presence,
    use,
    wait,
)
from raidsim.kernel.cache_tables import NO_READ_AHEAD
from raidsim.kernel.drive import link_ns
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.streaming import FRAME
from raidsim.kernel.tables import (
    FAILED,
    FLUSH,
    NEVER,
    NONE,
    READ,
    STAGE_CACHE_COPY,
    STAGE_CACHE_LINES,
    STAGE_CONTROLLER_ANSWERED,
    STAGE_CONTROLLER_COMMAND,
    STAGE_CONTROLLER_LINK,
    STAGE_WAITING,
    TO_HOST,
    TO_MEDIUM,
    WRITE,
)
from raidsim.layout.tables import CONCATENATED


@handler
def of(w, index):
    """The controller that request ``index`` goes to."""
    return w.controllers[w.volumes[w.jobs[index]["volume"]]["controller"]]


@handler
def array_of(w, index):
    """The array that request ``index`` goes to."""
    return w.arrays[w.volumes[w.jobs[index]["volume"]]["array"]]


@handler
def lines_of(job, size):
    """Return the number of lines, of ``size`` bytes, that a request touches."""
    return (job["offset"] + job["length"] - 1) // size - job["offset"] // size + 1


@handler
def fits(job, array, cache):
    """Return whether a write goes into the cache; it does not where its volume writes through.

    A write of more lines than may be dirty beside those that are pinned goes past the cache, too:
    there would never be room for all of them.
    """
    size = lines_of(job, array["line"]) * array["line"]
    return array["write_back"] == 1 and size <= cache["high"] - cache["pinned"]


@part("arrays")
@handler
def command(w, index):
    """A command of the host waits for one of the cores."""
    controller = of(w, index)
    job = w.jobs[index]
    job["stage"] = STAGE_CONTROLLER_COMMAND
    job["since"] = NEVER
    time = controller["command_time"]
    cost = job["length"] * controller["command_ns"]
    if job["op"] == WRITE:
        time += controller["write_time"]
        cost += job["length"] * controller["write_ns"]
    array = array_of(w, index)
    if is_caching(w, controller["cache"], array):
        cache = w.caches[controller["cache"]]
        time += search_time(cache, array["line"], job)
        if job["op"] == READ or fits(job, array, cache):
            cost += array["firmware_ns"]  # whether the cache has it or not
    arrive(w, controller["commands"], index, time + round_ns(cost))


@handler
def search_time(cache, size, job):
    """ns of a core to look for the lines, of ``size`` bytes, that a request touches."""
    if job["op"] == FLUSH:
        return cache["lookup_time"]
    return cache["lookup_time"] + lines_of(job, size) * cache["line_time"]


@part("arrays")
@handler
def decoded(w, index):
    """A core has taken the command in: a read looks for its data, a write fetches it."""
    job = w.jobs[index]
    if job["op"] == WRITE:
        transfer(w, index)
        return
    if job["op"] == FLUSH:
        flush(w, index)
        return
    row = of(w, index)["cache"]
    array = array_of(w, index)
    if not is_caching(w, row, array):
        arrays.begin(w, index)
        return
    cache = w.caches[row]
    cache["reads"] += 1
    look(w, index)
    if array["read_ahead"] != NO_READ_AHEAD:
        end = job["offset"] + job["length"]
        prefetch.follow(w, cache, array, job["volume"], job["offset"], end)


@handler
def flush(w, index):
    """A flush goes to the drives; a cache that is written back counts as safe, and answers it."""
    if array_of(w, index)["write_back"] == 1:
        answer(w, index)
    else:
        arrays.begin(w, index)


@part("arrays")
@routine
def look(w, index):
    """Look for the data of a read in the cache."""
    job = w.jobs[index]
    cache = w.caches[of(w, index)["cache"]]
    size = array_of(w, index)["line"]
    start = job["offset"]
    end = start + job["length"]
    found = presence(w, cache, job["volume"], size, start, end)
    if found == PRESENT:
        cache["hits"] += 1
        use(w, cache, job["volume"], size, start, end)
        job["since"] = w.state[0]["now"]
        copy(w, cache, index, cache["copy_ns"])
    elif found == COMING:
        job["stage"] = STAGE_WAITING
        wait(w, cache, job["volume"], size, start, end, index)
    else:
        arrays.begin(w, index)


@handler
def copy(w, cache, index, ns):
    """The data of a request passes the memory of the cache, which takes ``ns`` of a byte."""
    job = w.jobs[index]
    job["stage"] = STAGE_CACHE_COPY
    if job["op"] == READ:
        line = array_of(w, index)["line"]
        streaming.tail(w, cache["copy"], index, job["length"], ns, job["since"], line)
    else:
        arrive(w, cache["copy"], index, round_ns(job["length"] * ns))


@part("arrays")
@handler
def copied(w, index):
    """The data has passed the memory: a read goes to the host, a write waits for room there."""
    if w.jobs[index]["op"] == READ:
        transfer(w, index)
        return
    cache = w.caches[of(w, index)["cache"]]
    if cache["first_waiting"] == NONE:
        insert(w, index)
    else:
        destage.block(w, cache, index)


@handler
def transfer(w, index):
    """The data of a request crosses the host link."""
    controller = of(w, index)
    job = w.jobs[index]
    job["stage"] = STAGE_CONTROLLER_LINK
    if job["op"] == READ:
        job["direction"] = TO_HOST
        where = controller["to_host"]
    else:
        job["direction"] = TO_MEDIUM
        where = controller["to_controller"]
    length = job["length"]
    ns = controller["link_ns"]
    row = controller["cache"]
    # A cache takes and gives whole lines; a controller without one passes each frame on.
    piece = FRAME if row == NONE else array_of(w, index)["line"]
    if job["op"] == READ:
        streaming.tail(w, where, index, length, ns, job["since"], piece)
    else:
        streaming.head(w, where, index, length, ns, time_behind(w, row, index), piece)


@handler
def time_behind(w, row, index):
    """ns that a write takes of what is behind the host link: memory of the cache, or drives."""
    job = w.jobs[index]
    array = array_of(w, index)
    if is_caching(w, row, array) and fits(job, array, w.caches[row]):
        return round_ns(job["length"] * w.caches[row]["copy_ns"])
    if array["family"] == HYBRID:  # its parts wait for the whole of a write
        return 0
    return time_to_drives(w, job)


@handler
def time_to_drives(w, job):
    """ns that the links of the drives take for what a write brings to each of them."""
    row = w.volumes[job["volume"]]["array"]
    layout = w.layouts[row]
    wide = layout["drives"] // layout["copies"]
    if layout["family"] == CONCATENATED:
        wide = 1
    elif layout["parity"] > 0:
        wide = layout["spans"] * layout["data"]
    each = min(job["length"], max(layout["strip"], job["length"] // wide))
    first = w.drives[w.members[w.arrays[row]["first_member"]]["drive"]]
    return round_ns(each * link_ns(w, first))


@part("arrays")
@handler
def transferred(w, index):
    """The data is where it should be: a read is answered, a write goes to cache or drives."""
    job = w.jobs[index]
    if job["op"] == READ:
        answer(w, index)
        return
    row = of(w, index)["cache"]
    array = array_of(w, index)
    size = array["line"]
    if is_caching(w, row, array):
        cache = w.caches[row]
        if fits(job, array, cache):
            copy(w, cache, index, cache["copy_ns"])
            return
        forget(w, cache, job["volume"], size, job["offset"], job["offset"] + job["length"])
    arrays.begin(w, index)


@part("arrays")
@routine
def insert(w, index):
    """Put a write into the cache and answer it, or let it wait for room before all others.

    One whose volume writes through by now, since the battery has failed or the array is lost,
    goes on to the drives; so does one for which pinned lines leave no room.
    """
    job = w.jobs[index]
    cache = w.caches[of(w, index)["cache"]]
    array = array_of(w, index)
    end = job["offset"] + job["length"]
    if not fits(job, array, cache):
        forget(w, cache, job["volume"], array["line"], job["offset"], end)
        arrays.begin(w, index)
        destage.admit(w, cache)
    elif destage.insert(w, cache, job["volume"], array["line"], job["offset"], end):
        enlist(w, cache, index)
        destage.admit(w, cache)
    else:
        destage.block_first(w, cache, index)
    destage.work(w, cache)


@part("arrays")
@routine
def enlist(w, cache, index):
    """A core puts lines that a write has made dirty where destages find them; it is answered."""
    time = cache["dirtied"] * cache["dirty_time"]
    if time == 0:
        answer(w, index)
        return
    w.jobs[index]["stage"] = STAGE_CACHE_LINES
    arrive(w, of(w, index)["commands"], index, time)


@part("arrays")
@routine
def ended(w, index):
    """The drives have done their part of a request."""
    job = w.jobs[index]
    array = array_of(w, index)
    row = of(w, index)["cache"]
    end = job["offset"] + job["length"]
    if job["op"] != READ or job["status"] == FAILED:
        written = job["op"] == WRITE and job["status"] != FAILED
        if written and row != NONE and w.caches[row]["dirty"] > 0:
            destage.supersede(w, w.caches[row], job["volume"], array["line"], job["offset"], end)
        answer(w, index)
        return
    if row == NONE:
        transfer(w, index)
        return
    cache = w.caches[row]
    ns = cache["direct_ns"]
    if array["cached"] == 1:
        keep(w, cache, job["volume"], array["line"], job["offset"], end)
        ns += cache["keep_ns"]
    if ns > 0.0:
        copy(w, cache, index, ns)
    else:
        transfer(w, index)


@handler
def answer(w, index):
    """Tell the host that the request is done."""
    controller = of(w, index)
    w.jobs[index]["stage"] = STAGE_CONTROLLER_ANSWERED
    arrive(w, controller["replies"], index, controller["latency"])
