"""Volumes: where a request goes when the host has submitted it.

- A single drive: one phase with a command at the same address, or several if the request is longer
  than the drive's longest command.
- An array, on the host or behind a controller: :mod:`raidsim.kernel.array`,
  :mod:`raidsim.kernel.controller`.

Verbs: :func:`device_ios` says how many commands a request costs the host, :func:`driver` the time
of their driver; :func:`enter` starts it, :func:`send_to_drive` does so on a single drive,
:func:`child_done` takes a command of it back.
"""

from __future__ import annotations

from raidsim.kernel import array, controller
from raidsim.kernel.drive import driver_time, send
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.tables import DONE, FAILED, NONE, STAGE_SLOT, TRIM, VOLUME_ARRAY


@handler
def device_ios(w, index):
    """Number of commands of request ``index``, as the host sees them: an array is one device."""
    job = w.jobs[index]
    volume = w.volumes[job["volume"]]
    if volume["kind"] == VOLUME_ARRAY:
        return 1
    if job["op"] == TRIM:
        return 1  # no data is transferred: none of its bytes counts
    longest = w.drives[volume["drive"]]["max_transfer"]
    if job["length"] <= longest:  # nearly all; a flush is one too
        return 1
    return (job["length"] + longest - 1) // longest


@handler
def driver(w, index):
    """CPU time of the driver of a single drive for request ``index``, ns; arrays: when planned."""
    job = w.jobs[index]
    volume = w.volumes[job["volume"]]
    if volume["kind"] == VOLUME_ARRAY:
        return 0.0
    return driver_time(w.drives[volume["drive"]], job["op"], device_ios(w, index), job["length"])


@handler
def enter(w, index):
    """Send request ``index`` on its road."""
    job = w.jobs[index]
    volume = w.volumes[job["volume"]]
    if volume["kind"] == VOLUME_ARRAY:
        if volume["controller"] == NONE:
            array.begin(w, index)
        else:
            controller.command(w, index)
    else:
        send_to_drive(w, index)


@routine
def send_to_drive(w, index):
    """Send the commands of a request to a single drive."""
    job = w.jobs[index]
    volume = w.volumes[job["volume"]]
    drive = volume["drive"]
    longest = w.drives[drive]["max_transfer"]
    start = job["offset"]
    end = start + job["length"]
    if job["op"] == TRIM:
        longest = job["length"]
    while True:  # once for a flush, which has no bytes
        stop = min(start + longest, end)
        child = take_child(w, STAGE_SLOT, index)
        job["pending"] += 1
        below = w.jobs[child]
        below["drive"] = drive
        below["phase"] = 0
        below["offset"] = start
        below["length"] = stop - start
        below["hop"] = 0
        send(w, child)
        start = stop
        if start >= end:
            return


@handler
def child_done(w, index):
    """Command ``index`` is back: True when that was the last one of the last phase."""
    child = w.jobs[index]
    parent = child["parent"]
    job = w.jobs[parent]
    if child["status"] != DONE:
        job["status"] = FAILED  # nothing else holds what it can't read
    release(w, index)
    job["pending"] -= 1
    return job["pending"] == 0
