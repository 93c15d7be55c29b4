"""The host: the CPU time of an I/O, before it leaves and after it is back.

Each process has a serial station for submission. Completion is a station that all processes of a
host share: the cores that serve the interrupts of its drives. If a process runs on the core of its
interrupts, both are one station. A service time is a sum: a part per host I/O, per command, per
page of data (the memory that is locked and mapped), and more for a write. A process with nothing to
issue waits, and the scheduler must wake it before it issues again. So the first I/O after a wait
takes longer, and those in the queue behind it do not. The clock rate is the speed of the stations.

Work under way has priority over new submissions: interrupts come first, and the work of software
RAID for a request belongs to its submission. So any number of I/Os that wait to be submitted takes
no time from others.

If CPUs save power, a station has a row in the table of cores. At intervals a governor sets its
speed so that the work of the last interval would have kept it busy for the share `target`:

    speed = work / interval / servers / target, within lowest and highest

and a job that finds it idle for longer than `sleep_after` waits until it is awake. A process that
runs on the CPU of the interrupts is awake as long as this CPU, so submission and completion keep
each other awake; on different CPUs they sleep separately. Clock and sleep are computed when a job
arrives. They need no event of their own, since nothing depends on them before.

Verbs: :func:`submit` takes a new request, :func:`complete` one whose data is there.
"""

from __future__ import annotations

from raidsim.kernel import cpu
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import NONE, STAGE_COMPLETED, STAGE_SUBMITTED, TRIM, WRITE


@handler
def submit(w, index, process, device_ios, driver):
    """Request ``index`` asks the submission station of ``process`` for its CPU time.

    ``driver`` of it (ns) is what the driver of its drive takes.
    """
    job = w.jobs[index]
    pages = pages_of(job, process)
    cost = process["submit_io"] + process["submit_page"] * pages
    cost += process["submit_device_io"] * device_ios + driver
    if job["op"] == WRITE:
        cost += process["submit_write"]
    if w.stations[process["submit"]]["busy"] == 0:
        cost += process["submit_wake"]
    job["stage"] = STAGE_SUBMITTED
    if process["cpu"] != NONE:
        cpu.share(w, process["cpu"])
    if process["submit_core"] != NONE:
        cost += ready(w, process["submit_core"], cost)
    arrive(w, process["submit"], index, round_ns(cost))


@handler
def complete(w, index, process, device_ios):
    """Request ``index`` asks the completion station of its host for its CPU time."""
    job = w.jobs[index]
    pages = pages_of(job, process)
    cost = process["complete_io"] + process["complete_page"] * pages
    cost += process["complete_device_io"] * device_ios
    if job["op"] == WRITE:
        cost += process["complete_write"]
    job["stage"] = STAGE_COMPLETED
    if process["complete_core"] != NONE:
        cost += ready(w, process["complete_core"], cost)
    arrive(w, process["complete"], index, round_ns(cost))


@handler
def pages_of(job, process):
    """Pages of memory that a request carries: a trim names what it is about, and has no data."""
    if job["op"] == TRIM:
        return 0
    return (job["length"] + process["page"] - 1) // process["page"]


@routine
def ready(w, row, cost):
    """Set the speed of core ``row``, wake it, and give it ``cost`` (ns at speed 1) to do.

    What waking takes comes back as a service time at speed 1, too.
    """
    core = w.cores[row]
    station = w.stations[core["station"]]
    now = w.state[0]["now"]
    passed = now - core["looked"]
    if passed >= core["interval"]:
        wanted = core["work"] / (passed * station["servers"] * core["target"])
        station["speed"] = min(max(wanted, core["lowest"]), core["highest"])
        core["looked"] = now
        core["work"] = 0.0
    core["work"] += cost
    sleeper = w.cores[core["sleeper"]]
    waking = 0.0
    if station["busy"] == 0 and now - sleeper["busy_until"] > core["sleep_after"]:
        waking = core["wake"] * station["speed"]
    # All that waits at the station takes its turn.
    ahead = station["busy"] + station["waiting"]
    turns = 1 + ahead // station["servers"]
    end = now + round_ns((cost * turns + waking) / station["speed"])
    sleeper["busy_until"] = max(sleeper["busy_until"], end)
    return waking
