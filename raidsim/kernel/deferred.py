"""Cached writes of a disk that does commands before them, in the order of their addresses.

Each waits in a row of ``tasks`` that it keeps until it is written. ``deferred`` has the numbers of
these rows: first those in use, by address, then the free ones. So writes that overlap or continue
another one, and those near the arm, are found without a search through all of them.

The arm only chooses among the nearest ones: firmware can compute for some which sector passes
first, not for thousands.

Verbs: :func:`add` and :func:`remove` a write, :func:`covering` and :func:`ending_at` find one,
:func:`begins_at` asks for one, :func:`choose` the next one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import TableOverflowError
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.mechanics import positioning
from raidsim.kernel.tables import NONE


@handler
def row_at(w, disk, place):
    """The row in ``tasks`` of the write in a place."""
    return w.deferred[disk["first_deferred"] + place]["task"]


@routine
def place_of(w, disk, offset):
    """Return the number of the writes that begin before byte ``offset``."""
    low = 0
    high = disk["cached_waiting"]
    while low < high:
        middle = (low + high) // 2
        if w.tasks[row_at(w, disk, middle)]["offset"] < offset:
            low = middle + 1
        else:
            high = middle
    return low


@routine
def add(w, disk, offset):
    """A row of ``tasks`` for a write that begins at ``offset``; the caller fills it."""
    count = disk["cached_waiting"]
    if count == disk["entries"]:
        raise TableOverflowError("deferred")
    first = disk["first_deferred"]
    place = place_of(w, disk, offset)
    row = w.deferred[first + count]["task"]
    for at in range(first + count, first + place, -1):
        w.deferred[at]["task"] = w.deferred[at - 1]["task"]
    w.deferred[first + place]["task"] = row
    disk["cached_waiting"] += 1
    return row


@routine
def remove(w, disk, row):
    """The write in a row of ``tasks`` waits no more; the row is free."""
    first = disk["first_deferred"]
    place = first + place_of(w, disk, w.tasks[row]["offset"])
    while w.deferred[place]["task"] != row:  # several may begin at one byte
        place += 1
    disk["cached_waiting"] -= 1
    last = first + disk["cached_waiting"]
    for at in range(place, last):
        w.deferred[at]["task"] = w.deferred[at + 1]["task"]
    w.deferred[last]["task"] = row


@routine
def covering(w, disk, start, end):
    """The row of a write that holds all of bytes [start, end); NONE if there is none."""
    longest = max(disk["longest_write"], w.drives[disk["drive"]]["grain"])
    place = place_of(w, disk, start + 1)
    while place > 0:
        place -= 1
        row = row_at(w, disk, place)
        task = w.tasks[row]
        if end <= task["offset"] + task["length"]:
            return row
        if task["offset"] + longest <= start:
            break
    return NONE


@routine
def ending_at(w, disk, start, end):
    """The row of a write that bytes [start, end) continue, and may become one with; or NONE."""
    place = place_of(w, disk, start)
    while place > 0:
        place -= 1
        row = row_at(w, disk, place)
        task = w.tasks[row]
        if end - task["offset"] > disk["longest_write"]:
            break
        if task["offset"] + task["length"] == start:
            return row
    return NONE


@handler
def begins_at(w, disk, offset):
    """Return whether one of the writes begins at byte ``offset``."""
    place = place_of(w, disk, offset)
    if place == disk["cached_waiting"]:
        return False
    return w.tasks[row_at(w, disk, place)]["offset"] == offset


@routine
def alone_from(w, disk, start, until):
    """The row of the write that begins at ``start``, if no other one begins before ``until``."""
    place = place_of(w, disk, start)
    if place == disk["cached_waiting"] or w.tasks[row_at(w, disk, place)]["offset"] != start:
        return NONE
    if place + 1 < disk["cached_waiting"]:
        if w.tasks[row_at(w, disk, place + 1)]["offset"] < until:
            return NONE
    return row_at(w, disk, place)


@routine
def choose(w, disk):
    """The row of the write that comes next: of those that continue one another the first.

    If each of the nearest writes continues another one, it is the first of the run that is best.
    """
    place = nearest(w, disk, False)
    if continues(w, disk, place):
        first = nearest(w, disk, True)
        if first != NONE:
            place = first
        while continues(w, disk, place):
            place -= 1
    return row_at(w, disk, place)


@handler
def continues(w, disk, place):
    """Return whether the write in a place begins where the one before it ends."""
    if place == 0:
        return False
    before = w.tasks[row_at(w, disk, place - 1)]
    return before["offset"] + before["length"] == w.tasks[row_at(w, disk, place)]["offset"]


@routine
def nearest(w, disk, firsts):
    """The place of the write with the least seek and rotation among the nearest ones.

    They are taken from both sides of the arm, each time the one on the nearer cylinder; of two
    equally far ones the one farther out. ``firsts`` leaves out writes that continue another one;
    NONE if that is all of them.
    """
    turned = float(w.state[0]["now"] % disk["revolution"])
    here = disk["cylinder"]
    count = disk["cached_waiting"]
    above = first_from(w, disk, here)
    below = above - 1
    best = NONE
    least = math.inf
    for _ in range(min(disk["aims"], count)):
        outer = inner = disk["cylinders"] + 1
        if below >= 0:
            outer = here - w.tasks[row_at(w, disk, below)]["cylinder"]
        if above < count:
            inner = w.tasks[row_at(w, disk, above)]["cylinder"] - here
        if outer <= inner:
            place = below
            below -= 1
        else:
            place = above
            above += 1
        task = w.tasks[row_at(w, disk, place)]
        cost = positioning(w, disk, task, min(outer, inner), turned)
        if cost < least and not (firsts and continues(w, disk, place)):
            least = cost
            best = place
    return best


@routine
def first_from(w, disk, cylinder):
    """Return the number of the writes on cylinders further out than ``cylinder``."""
    low = 0
    high = disk["cached_waiting"]
    while low < high:
        middle = (low + high) // 2
        if w.tasks[row_at(w, disk, middle)]["cylinder"] < cylinder:
            low = middle + 1
        else:
            high = middle
    return low


def waiting_tasks(world: Any, disk: np.void) -> NDArray[Any]:
    """The rows of ``tasks`` of all that waits for the arm of a disk, cached writes included."""
    first = int(disk["first_task"])
    rows = [*range(first, first + int(disk["waiting"]))]
    if disk["defers"] != NONE:
        first = int(disk["first_deferred"])
        rows += world.deferred[first : first + int(disk["cached_waiting"])]["task"].tolist()
    found: NDArray[Any] = world.tasks[rows]
    return found
