"""The lines of a controller's cache: finding, taking, evicting them.

A line is found by volume and strip through a hash index. Lines with no dirty data, no destage and
no transfer under way are *clean*. They are in queues, and one of them is evicted when room is
needed. The policy of the cache chooses it (:mod:`raidsim.kernel.replacement`).

Verbs: :func:`find` a line, :func:`take` a fresh one, :func:`settle` puts a line into its queue of
clean ones when it is clean, :func:`unlist` takes it out, :func:`presence` of a range;
:func:`is_caching` says whether the cache is used for a volume.
"""

from __future__ import annotations

import numpy as np

from raidsim.kernel.cache_tables import GRAINS, NO_READ_AHEAD
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.replacement import dispatch as policy
from raidsim.kernel.replacement.queues import is_clean, pull, push
from raidsim.kernel.tables import NONE

LEAST_GRAIN = 512  # bytes

ABSENT = 0
COMING = 1
PRESENT = 2


@handler
def is_caching(w, row, array):
    """Return whether cache ``row`` (NONE: there is none) may hold anything of a volume."""
    if row == NONE or array["offline"] == 1:
        return False
    if array["write_back"] == 1 or array["cached"] == 1 or array["read_ahead"] != NO_READ_AHEAD:
        return True
    return w.caches[row]["dirty"] > 0  # from before its battery failed


@handler
def grain_of(line_size):
    """Bytes of a grain of a line: of the parts whose state is known."""
    return max(line_size // GRAINS, LEAST_GRAIN)


@handler
def mask(line_size, low, high):
    """Bits of the grains of a line that bytes [low, high) of it touch."""
    grain = grain_of(line_size)
    first = low // grain
    end = (high + grain - 1) // grain
    return up_to(end) & ~up_to(first)


@handler
def up_to(grains):
    """Bits of the first ``grains`` grains."""
    if grains >= GRAINS:
        return -1
    return (1 << grains) - 1


@handler
def bucket(cache, volume, strip):
    """Place in the index where the lines of this number begin."""
    scattered = strip * 40503 + (strip >> 15) + np.int64(volume) * 7919
    return cache["first_bucket"] + (scattered & (cache["buckets"] - 1))


@handler
def key_of(volume, strip):
    """Volume and strip in one number: the order of the elevator."""
    return (np.int64(volume) << 44) + strip


@routine
def find(w, cache, volume, strip):
    """The line that holds a strip, or NONE."""
    index = w.buckets_of_lines[bucket(cache, volume, strip)]
    while index != NONE:
        line = w.lines[index]
        if line["strip"] == strip and line["volume"] == volume:
            return index
        index = line["chain"]
    return NONE


@routine
def take(w, cache, volume, strip, size):
    """An empty line for a strip, by evicting clean ones if need be; NONE if there is no room."""
    key = key_of(volume, strip)
    past = policy.missed(w, cache, key, size)
    while cache["used"] + size > cache["size"] or (
        cache["free"] == NONE and cache["fresh"] == cache["end"]
    ):
        gone = policy.victim(w, cache, past)
        if gone == NONE:
            return NONE
        policy.evicted(w, cache, gone, past)
        drop(w, cache, gone)
    index = cache["free"]
    if index == NONE:
        index = cache["fresh"]
        cache["fresh"] += 1
    else:
        cache["free"] = w.lines[index]["chain"]
    line = w.lines[index]
    cache["used"] += size
    line["volume"] = volume
    line["strip"] = strip
    line["size"] = size
    line["valid"] = 0
    line["dirty"] = 0
    line["busy"] = 0
    line["coming"] = 0
    line["destages"] = 0
    line["height"] = 0
    line["waiters"] = NONE
    line["key"] = key
    line["queue"] = 0
    line["mark"] = 0
    place = bucket(cache, volume, strip)
    line["chain"] = w.buckets_of_lines[place]
    w.buckets_of_lines[place] = index
    policy.admitted(w, cache, index, past)
    cache["held"][line["queue"]] += size
    return index


@routine
def drop(w, cache, index):
    """Give up a clean line."""
    unlist(w, cache, index)
    line = w.lines[index]
    place = bucket(cache, line["volume"], line["strip"])
    if w.buckets_of_lines[place] == index:
        w.buckets_of_lines[place] = line["chain"]
    else:
        before = w.buckets_of_lines[place]
        while w.lines[before]["chain"] != index:
            before = w.lines[before]["chain"]
        w.lines[before]["chain"] = line["chain"]
    cache["used"] -= line["size"]
    cache["held"][line["queue"]] -= line["size"]
    line["valid"] = 0
    line["chain"] = cache["free"]
    cache["free"] = index


@routine
def settle(w, cache, index):
    """Put a line that has become clean at the newest end of its queue."""
    line = w.lines[index]
    if not is_clean(line):
        return
    cache["clean"] += line["size"]
    push(w, cache, index)


@routine
def unlist(w, cache, index):
    """Take a clean line out of its queue."""
    cache["clean"] -= w.lines[index]["size"]
    pull(w, cache, index)


@routine
def presence(w, cache, volume, size, start, end):
    """Return the state of bytes [start, end) of a volume: PRESENT, COMING (partly) or ABSENT."""
    answer = PRESENT
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        if index == NONE:
            return ABSENT
        line = w.lines[index]
        wanted = mask(size, max(start - strip * size, 0), min(end - strip * size, size))
        wanted &= ~(line["valid"] | line["dirty"] | line["busy"])
        if wanted & ~line["coming"] != 0:
            return ABSENT
        if wanted != 0:
            answer = COMING
    return answer


@routine
def wait(w, cache, volume, size, start, end, index):
    """Let read ``index`` wait for the first line of [start, end) that is partly on its way."""
    for strip in range(start // size, (end - 1) // size + 1):
        line = w.lines[find(w, cache, volume, strip)]
        wanted = mask(size, max(start - strip * size, 0), min(end - strip * size, size))
        if wanted & ~(line["valid"] | line["dirty"] | line["busy"]) != 0:
            w.jobs[index]["next"] = line["waiters"]
            line["waiters"] = index
            return


@routine
def use(w, cache, volume, size, start, end):
    """Bytes [start, end) of a volume have been used."""
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        if index != NONE:
            policy.used(w, cache, index)


@routine
def keep(w, cache, volume, size, start, end):
    """Keep bytes [start, end), which have been read from the drives, as far as there is room."""
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        known = index != NONE
        if not known:
            index = take(w, cache, volume, strip, size)
            if index == NONE:
                return
        elif is_clean(w.lines[index]):
            unlist(w, cache, index)
        line = w.lines[index]
        line["valid"] |= mask(size, max(start - strip * size, 0), min(end - strip * size, size))
        settle(w, cache, index)
        if known:
            policy.used(w, cache, index)


@routine
def forget(w, cache, volume, size, start, end):
    """Bytes [start, end) are written past the cache: what it holds of them is no longer true."""
    for strip in range(start // size, (end - 1) // size + 1):
        index = find(w, cache, volume, strip)
        if index != NONE:
            line = w.lines[index]
            low = max(start - strip * size, 0)
            line["valid"] &= ~mask(size, low, min(end - strip * size, size))
