"""What was read and written through a cache before it is measured: I/Os that take no time.

Entries: :func:`draw` says where a stream writes, and :func:`put` puts writes into a cache;
:func:`draw_all` says what a stream reads and writes, and :func:`leave` what that leaves in a cache.
"""

from __future__ import annotations

from raidsim.kernel import destage
from raidsim.kernel.cache import PRESENT, forget, keep, presence, use
from raidsim.kernel.jit import by_reference, entry
from raidsim.kernel.load import draw_offset, draw_size
from raidsim.kernel.random import uniform


@entry
def draw(w, s, first, starts, ends):
    """First byte of each of the next writes of stream ``s``, and the one behind its last.

    I/Os are numbered from ``first`` on, and those that are no writes are skipped. Returns the
    number of the I/O behind the last one. The stream does not end, and its I/Os need not be random:
    a sequential stream continues from its present place.
    """
    w = by_reference(w)
    stream = w.streams[s]
    n = first
    for i in range(len(starts)):
        size = draw_size(w, stream, n)
        while uniform(stream["key_op"], n) < size["read_share"] + size["trim_share"]:
            n += 1
            size = draw_size(w, stream, n)
        start = draw_offset(w, stream, n, size)
        starts[i] = start
        ends[i] = start + size["bytes"]
        n += 1
    return n


@entry
def draw_all(w, s, first, starts, ends, writes):
    """First byte of each of the next I/Os of stream ``s``, the one behind its last, and its kind.

    As :func:`draw`, but of reads too: ``writes`` is 1 for a write, and 0 for a read.
    """
    w = by_reference(w)
    stream = w.streams[s]
    n = first
    for i in range(len(starts)):
        size = draw_size(w, stream, n)
        kind = uniform(stream["key_op"], n)
        while size["read_share"] <= kind < size["read_share"] + size["trim_share"]:
            n += 1
            size = draw_size(w, stream, n)
            kind = uniform(stream["key_op"], n)
        start = draw_offset(w, stream, n, size)
        starts[i] = start
        ends[i] = start + size["bytes"]
        writes[i] = kind >= size["read_share"]
        n += 1
    return n


@entry
def put(w, which, volumes, starts, ends, most):
    """Put writes into cache ``which``, in order, as long as there is room; how many there was for.

    There is none once ``most`` bytes are dirty. Each is as good as one of a host that the cache has
    answered. Destages begin when the cache is looked at next.
    """
    w = by_reference(w)
    cache = w.caches[which]
    for i in range(len(starts)):
        volume = volumes[i]
        size = w.arrays[w.volumes[volume]["array"]]["line"]
        if cache["dirty"] >= most or not destage.insert(w, cache, volume, size, starts[i], ends[i]):
            return i
    return len(starts)


@entry
def leave(w, which, volumes, starts, ends, writes):
    """Let cache ``which`` keep what these I/Os leave in it; return how many reads were hits.

    They are done in order, each after the drives have all that was written before: nothing of them
    is dirty.
    """
    w = by_reference(w)
    cache = w.caches[which]
    found = 0
    for i in range(len(starts)):
        volume = volumes[i]
        array = w.arrays[w.volumes[volume]["array"]]
        size = array["line"]
        start, end = starts[i], ends[i]
        lines = (end - 1) // size - start // size + 1
        if writes[i] == 1:
            if array["write_back"] == 1 and lines * size <= cache["high"]:
                keep(w, cache, volume, size, start, end)
            else:
                forget(w, cache, volume, size, start, end)
        elif presence(w, cache, volume, size, start, end) == PRESENT:
            use(w, cache, volume, size, start, end)
            found += 1
        elif array["cached"] == 1:
            keep(w, cache, volume, size, start, end)
    return found
