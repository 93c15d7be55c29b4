"""Ghosts: the records of evicted lines that a policy keeps, in two queues from new to old.

A ghost has the key and the size of a line, and none of its data. A cache has room for as many
ghosts as for lines; they are found through a hash index. Only caches whose policy needs them have
any.

Verbs: :func:`find` a ghost, :func:`add` one, :func:`forget` one, :func:`forget_oldest` of a queue.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import NONE


@handler
def _place(history, key):
    """Row whose field ``head`` begins the chain of a key."""
    strip = key & (1 << 44) - 1
    scattered = strip * 40503 + (strip >> 15) + (key >> 44) * 7919
    return history["first"] + (scattered & (history["rows"] - 1))


@handler
def of(w, cache):
    """Return the memory of a cache's policy."""
    return w.histories[cache["history"]]


@routine
def find(w, history, key):
    """The ghost of a line, or NONE."""
    if history["count"] == 0:
        return NONE
    index = w.ghosts[_place(history, key)]["head"]
    while index != NONE and w.ghosts[index]["key"] != key:
        index = w.ghosts[index]["chain"]
    return index


@routine
def add(w, history, key, size, queue):
    """Remember a line as the newest of a queue; if there is no room, the oldest ghost goes."""
    if history["most"] == 0:
        return
    if history["count"] == history["most"]:
        forget_oldest(w, history, 1 - queue if history["oldest"][queue] == NONE else queue)
    index = history["free"]
    if index == NONE:
        index = history["fresh"]
        history["fresh"] += 1
    else:
        history["free"] = w.ghosts[index]["chain"]
    ghost = w.ghosts[index]
    ghost["key"] = key
    ghost["size"] = size
    ghost["queue"] = queue
    place = _place(history, key)
    ghost["chain"] = w.ghosts[place]["head"]
    w.ghosts[place]["head"] = index
    newest = history["newest"][queue]
    ghost["newer"] = NONE
    ghost["older"] = newest
    if newest == NONE:
        history["oldest"][queue] = index
    else:
        w.ghosts[newest]["newer"] = index
    history["newest"][queue] = index
    history["bytes"][queue] += size
    history["count"] += 1


@routine
def forget(w, history, index):
    """Remember a line no more."""
    ghost = w.ghosts[index]
    queue = ghost["queue"]
    place = _place(history, ghost["key"])
    if w.ghosts[place]["head"] == index:
        w.ghosts[place]["head"] = ghost["chain"]
    else:
        before = w.ghosts[place]["head"]
        while w.ghosts[before]["chain"] != index:
            before = w.ghosts[before]["chain"]
        w.ghosts[before]["chain"] = ghost["chain"]
    if ghost["newer"] == NONE:
        history["newest"][queue] = ghost["older"]
    else:
        w.ghosts[ghost["newer"]]["older"] = ghost["older"]
    if ghost["older"] == NONE:
        history["oldest"][queue] = ghost["newer"]
    else:
        w.ghosts[ghost["older"]]["newer"] = ghost["newer"]
    history["bytes"][queue] -= ghost["size"]
    history["count"] -= 1
    ghost["chain"] = history["free"]
    history["free"] = index


@handler
def forget_oldest(w, history, queue):
    """Remember the oldest ghost of a queue no more."""
    forget(w, history, history["oldest"][queue])
