"""Faults planted in an entry of its own: rows that are not there, taken in every way.

Run as a program, it prints what comes of each, as JSON: the error, or null. Imported from the
kernel are only the decorators, so that hardly anything is compiled.
"""

from __future__ import annotations

import json

from raidsim.kernel.jit import by_reference, entry, handler, routine
from raidsim.kernel.tables import NONE
from raidsim.system.system import System

WAYS = ("entry", "handler", "routine", "second axis", "slice", "slice without an end", "field")


@handler
def in_handler(w, row):
    w.jobs[row]["stage"] = 1


@routine
def in_routine(w, row):
    w.jobs[row]["stage"] = 2


@entry
def plant(w, way, row):
    w = by_reference(w)
    if way == 0:
        w.jobs[row]["stage"] = 3
    elif way == 1:
        in_handler(w, row)
    elif way == 2:
        in_routine(w, row)
    elif way == 3:
        w.progress[0, row, 0] = 4
    elif way == 4:
        w.good[row : row + 1][0] = 5
    elif way == 5:
        w.good[row:][0] = 6
    else:
        w.streams[0]["window_ios"][row] = 7


def outcome(way: int, row: int) -> str | None:
    """The error that comes of it."""
    try:
        plant(System().world, way, row)
    except IndexError as error:
        return str(error)
    return None


if __name__ == "__main__":
    rows = {"first": 0, "none": NONE, "beyond": 10**6}
    print(
        json.dumps(
            {
                way: {name: outcome(number, row) for name, row in rows.items()}
                for number, way in enumerate(WAYS)
            }
        )
    )
