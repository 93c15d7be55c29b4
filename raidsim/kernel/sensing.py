"""A sense of a die (the read of a page): how long it takes, and which work it interrupts.

A cell that holds n bits has a page for each of them. The pages differ in the number of voltages
with which a die compares the cells to find their bit: with three bits one, two and four. The
address of a sense determines its page: program units of a die go through the pages of a word line
in turn. A page whose errors cannot be corrected is sensed again, with shifted voltages, until they
can. The number of repetitions is drawn from a separate random stream of the drive (it is
geometric).

Programs and erases take ten to a hundred times as long as a sense. A die that can suspend them does
so for a sense of the host. It stops within ``suspend_time``, serves the senses that wait, and
continues; each suspension costs ``resume_time``. A program or erase that was suspended often enough
runs to its end. Without these values (``sensing`` of the drive is NONE) all senses take the same
time, and wait for the present work of the die.

Verbs: :func:`begin` a sense; :func:`interrupt` the present work of a die for one.
"""

from __future__ import annotations

import math

from raidsim.kernel import queue
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.random import uniform
from raidsim.kernel.station import account, arrive, round_ns
from raidsim.kernel.tables import NONE, STAGE_ERASED, STAGE_PROGRAMMED

MOST_RETRIES = 64  # then it is given up as it is
LATE = 127  # priority of what gives way at a die: the last that there is


@handler
def begin(w, drive, die, index, offset, time):
    """Sense ``index``, of bytes from ``offset`` on, begins at its die or waits for it.

    ``time`` is what it takes on average: 0 if the die has sensed the page before it was asked for.
    """
    if drive["sensing"] == NONE or time == 0:
        arrive(w, die, index, time)
        return
    sensing = w.sensings[drive["sensing"]]
    time = sensing["read_time"][kind_of(drive, offset, sensing["bits"])]
    if sensing["retried"] > 0.0:
        time *= 1 + retries(sensing)
    time += interrupt(w, drive, die)
    arrive(w, die, index, time)


@handler
def kind_of(drive, offset, bits):
    """Return the page of its word line with byte ``offset``: see die_of of raidsim.kernel.flash."""
    stripe = offset // drive["stripe"]
    unit = drive["page"] * drive["planes"]
    row = stripe // drive["channels"]
    place = row * (drive["stripe"] // unit) + offset % drive["stripe"] // unit
    return place // drive["dies"] % bits


@handler
def retries(sensing):
    """Return the number of further senses of the next page."""
    number = sensing["drawn"]
    sensing["drawn"] = number + 1
    u = uniform(sensing["key"], number)
    if u >= sensing["retried"]:
        return 0
    return min(int(math.log(u + 1e-300) / math.log(sensing["retried"])), MOST_RETRIES)


@handler
def interrupt(w, drive, die):
    """A die stops what it programs or erases for a sense, if the drive does so; ns until it has."""
    if drive["sensing"] == NONE or w.sensings[drive["sensing"]]["suspensions"] == 0:
        return 0
    return suspend(w, w.sensings[drive["sensing"]], die)


@routine
def suspend(w, sensing, die):
    """If a die programs or erases, let that wait; ns until it does."""
    station = w.stations[die]
    if station["busy"] == 0:
        return 0
    job = w.jobs[station["latest"]]
    if job["stage"] != STAGE_PROGRAMMED and job["stage"] != STAGE_ERASED:
        return 0
    now = w.state[0]["now"]
    left = job["finish"] - now
    if job["suspensions"] >= sensing["suspensions"] or left <= sensing["suspend_time"]:
        return 0
    account(station, now)
    job["suspensions"] += 1
    job["serving"] = 0
    job["mark"] += 1  # its end is void
    station["busy"] -= 1
    station["finishes"] += 1
    station["served"] += job["service"] - left
    # It comes again, for the rest, before the programs that wait already.
    job["service"] = round_ns((left + sensing["resume_time"]) * station["speed"])
    job["queued"] = now
    station["arrivals"] += 1
    station["waiting"] += 1
    queue.put_first(w, station, station["latest"])
    return sensing["suspend_time"]


@handler
def priority(w, drive):
    """Priority of a drive's own work at a die: behind the host's senses, if it gives way to them.

    The drive's own senses have it too: among them and its programs, first come is first served.
    """
    if drive["sensing"] != NONE and w.sensings[drive["sensing"]]["suspensions"] > 0:
        return LATE
    return 0
