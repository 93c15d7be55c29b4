"""The work of every drive at the end of a command: the completion, and the count of unsafe bytes.

Verbs: :func:`reply` to the host; :func:`promise` and :func:`reached_medium` count the bytes that a
power cut would lose: acknowledged to the host, and not on the medium yet; :func:`withhold` and
:func:`end_withholding` count those of a buffer whose write is not acknowledged before they are on
the medium; :func:`delay` is the additional time of a drive that is slow, or finds a bad sector.

A buffer is emptied in the order in which it was filled, and a forced write waits for all data that
was there before it. So the bytes on their way to the medium beyond the withheld ones were
acknowledged.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.station import arrive
from raidsim.kernel.tables import FUA_BEFORE_FLUSH, FUA_WITH_FLUSH, STAGE_RETURNED, UNREADABLE


@handler
def reply(w, index):
    """Send the completion of command ``index`` to the host."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    job["stage"] = STAGE_RETURNED
    arrive(w, drive["latency_station"], index, drive["latency"])


@handler
def promise(w, drive, job):
    """Write ``job`` is acknowledged from the buffer; its host waits for a flush, if one follows."""
    account(w, drive)
    drive["unsafe"] += job["length"]
    if job["fua"] == FUA_WITH_FLUSH:
        job["fua"] = FUA_BEFORE_FLUSH
        drive["withheld"] += job["length"]
    drive["unsafe_peak"] = max(drive["unsafe_peak"], at_risk(drive))


@handler
def withhold(w, drive, size):
    """``size`` bytes of a forced write are in the buffer: its answer waits until they are safe."""
    account(w, drive)
    drive["unsafe"] += size
    drive["withheld"] += size


@handler
def end_withholding(w, drive, size):
    """A forced write of ``size`` bytes is answered: they are on the medium, or the drive failed."""
    account(w, drive)
    drive["withheld"] -= size


@handler
def reached_medium(w, drive, size):
    """``size`` bytes are on the medium, and safe.

    The first pages of a long write may be there before its last one has come: they are taken off
    here before :func:`promise` or :func:`withhold` adds them, and the account may be below zero
    until then.
    """
    account(w, drive)
    drive["unsafe"] -= size


@handler
def at_risk(drive):
    """Bytes that a power cut would lose."""
    return max(drive["unsafe"] - drive["withheld"], 0)


@handler
def account(w, drive):
    """Bring the integral of unsafe bytes up to now."""
    now = w.state[0]["now"]
    drive["unsafe_area"] += float(at_risk(drive)) * (now - drive["unsafe_changed"])
    drive["unsafe_changed"] = now


@handler
def delay(w, job):
    """The additional time of a command on a drive that is slow, or repeats a bad sector, in ns."""
    drive = w.drives[job["drive"]]
    if job["status"] == UNREADABLE:
        return drive["delay"] + drive["recovery"]
    return drive["delay"]
