"""A drive as its host sees it: command slots, a fixed latency each way, completions.

A command takes one of the drive's slots (NCQ, TCQ; the others wait in the host, first
come first served), reaches the drive after half of the fixed latency, is worked on, and
its completion takes the other half back.

Verbs: :func:`send` a device I/O, :func:`start`, :func:`arrived`; :func:`returned` frees
the slot.
"""

from __future__ import annotations

from raidsim.kernel import disk, heat, ssd
from raidsim.kernel.jit import handler
from raidsim.kernel.station import arrive, leave, seize
from raidsim.kernel.tables import (
    DRIVE_SSD,
    NONE,
    READ,
    STAGE_COMMAND_ARRIVED,
    STAGE_SLOT,
)


@handler
def send(w, index):
    """Send device I/O ``index`` to its drive, as soon as a command slot is free."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    job["row"] = drive["row"]
    job["stage"] = STAGE_SLOT
    if drive["slots"] == NONE or seize(w, drive["slots"], index):
        start(w, drive, index)


@handler
def start(w, drive, index):
    """Ring the doorbell, or send the frame: it reaches the drive after the latency."""
    w.jobs[index]["stage"] = STAGE_COMMAND_ARRIVED
    arrive(w, drive["latency_station"], index, drive["latency"])


@handler
def arrived(w, index):
    """The drive has the command."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    if drive["heated"] == 1:
        heat.wake(w)
    if drive["failed"] == 0:
        if job["op"] == READ:
            drive["host_read"] += job["length"]
        else:
            drive["host_written"] += job["length"]
    if drive["kind"] == DRIVE_SSD:
        ssd.command_arrived(w, index)
    else:
        disk.command_arrived(w, index)


@handler
def returned(w, index):
    """The host has the completion: the slot serves the next command."""
    drive = w.drives[w.jobs[index]["drive"]]
    if drive["slots"] != NONE:
        following = leave(w, drive["slots"], index)
        if following != NONE:
            start(w, drive, following)
