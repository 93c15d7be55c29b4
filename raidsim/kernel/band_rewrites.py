"""Band rewrites of a shingled disk: when, and step by step.

A rewrite (cleaning) moves the data that the media cache holds of a band to its place. It reads this
data in the log, reads the band, and writes the whole band. The band of the oldest record comes
first. Rewrites run when no command has come for a while. When the log or its map is full and a
write waits for room, their steps take turns with the other accesses that wait for the arm.

Verbs: :func:`heard` a command, :func:`takes_turn` says whether the arm continues with a rewrite,
:func:`step_done`; :func:`rest` and :func:`timed` wait for idle time.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.shingle_tables import FOR_HOST, GATHERING, READING, RESTING, REWRITE, WRITING
from raidsim.kernel.shingles import address, begin, drop, is_full, let_go, record_of
from raidsim.kernel.station import arrive
from raidsim.kernel.tables import NONE, READ, STAGE_DISK_TIMED, WRITE


@handler
def heard(w, disk):
    """A command has come: bands are not rewritten until it is quiet again."""
    s = w.shingles[disk["shingles"]]
    s["heard"] = w.state[0]["now"]
    s["cleaning"] = 0


@routine
def takes_turn(w, disk):
    """Return whether the arm, which is free, goes on with a rewrite: then it has begun.

    While a write waits for room, rewrites take turns with commands. Otherwise commands go
    first, and rewrites wait until none has come for a while.
    """
    s = w.shingles[disk["shingles"]]
    was = s["doing"]
    s["doing"] = FOR_HOST
    if was != REWRITE:
        s["heard"] = w.state[0]["now"]
    if s["kept"] == 0:
        s["cleaning"] = 0
        return False
    needed = is_full(s) and disk["first_waiting"] != NONE
    if disk["waiting"] > 0 and (was == REWRITE or not needed):
        return False
    if needed or s["cleaning"] == 1:
        step(w, disk, s)
        return True
    rest(w, s)
    return False


@handler
def rest(w, s):
    """Let the timer run until the drive may have been idle for long enough."""
    if s["timing"] == 0 and s["kept"] > 0:
        s["timing"] = 1
        w.jobs[s["timer_job"]]["stage"] = STAGE_DISK_TIMED
        left = s["heard"] + s["idle_after"] - w.state[0]["now"]
        arrive(w, s["timer"], s["timer_job"], max(left, 0))


@part("disks")
@routine
def timed(w, index):
    """The timer of a drive is over: rewrite bands, if nothing was asked meanwhile."""
    disk = w.disks[w.jobs[index]["row"]]
    s = w.shingles[disk["shingles"]]
    s["timing"] = 0
    if disk["moving"] != 0 or disk["waiting"] > 0 or s["kept"] == 0:
        return
    if w.state[0]["now"] - s["heard"] < s["idle_after"]:
        rest(w, s)
        return
    s["cleaning"] = 1
    step(w, disk, s)


@routine
def step(w, disk, s):
    """The next step of a rewrite: of the band that the oldest record belongs to."""
    disk["command"] = NONE
    if s["phase"] == RESTING:
        s["target"] = record_of(w, s, s["oldest"])["offset"] // s["band"]
        s["gather"] = w.bands[s["first_band"] + s["target"]]["first"]
        s["until"] = s["next"]
        s["phase"] = GATHERING
    while s["phase"] == GATHERING and s["gather"] != NONE and s["gather"] < s["until"]:
        record = record_of(w, s, s["gather"])
        s["gather"] = record["next"]
        if record["length"] > 0:
            begin(w, disk, REWRITE, READ, address(s, record["place"]), record["length"])
            return
    if s["phase"] == GATHERING:
        s["phase"] = READING
    start = s["target"] * s["band"]
    length = min(s["band"], disk["size"] - start)
    begin(w, disk, REWRITE, READ if s["phase"] == READING else WRITE, start, length)


@routine
def step_done(w, disk):
    """The arm has done a step: once the band is written, the log holds nothing old of it."""
    s = w.shingles[disk["shingles"]]
    if s["phase"] == READING:
        s["phase"] = WRITING
    elif s["phase"] == WRITING:
        s["phase"] = RESTING
        s["rewrites"] += 1
        band = w.bands[s["first_band"] + s["target"]]
        while band["first"] != NONE and band["first"] < s["until"]:
            drop(w, s, band, NONE, band["first"])
        let_go(w, s)
