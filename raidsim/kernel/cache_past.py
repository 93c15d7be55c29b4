"""What was written into a cache before it is measured: writes that take no time.

Entries: :func:`draw` says where a stream writes, and :func:`put` puts writes into a cache.
"""

from __future__ import annotations

from raidsim.kernel import destage
from raidsim.kernel.jit import by_reference, entry
from raidsim.kernel.load import draw_offset, draw_size
from raidsim.kernel.random import uniform


@entry
def draw(w, s, first, starts, ends):
    """First byte of each of the next writes of stream ``s``, and the one behind its last.

    I/Os are numbered from ``first`` on, and those that are no writes are passed by. Returns the
    number of the I/O behind the last one. The stream does not come to an end, and no I/O of it has
    to be random: where it goes in sequence, it goes on from where it is.
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
def put(w, which, volumes, starts, ends):
    """Put writes into cache ``which``, in order, as long as there is room; how many there was for.

    Each is as good as one of a host that the cache has answered. Destages begin when the cache is
    looked at next.
    """
    w = by_reference(w)
    cache = w.caches[which]
    for i in range(len(starts)):
        volume = volumes[i]
        size = w.arrays[w.volumes[volume]["array"]]["line"]
        if not destage.insert(w, cache, volume, size, starts[i], ends[i]):
            return i
    return len(starts)
