"""Stations: the one queueing element of the simulator.

A station has servers, a queue and an order of service; host cores, controller cores,
links, channels and dies are all stations. A job arrives with the service time that it
asks for (at speed 1), waits, is served, and its ``FINISH`` event hands it to the
engine. Half-duplex stations add a turnaround whenever the direction changes.

Two independent accounts are kept: areas under the curves of busy servers and waiting
jobs over time, and sums of waiting and service times over jobs. Little's law says that
they agree.
"""

from __future__ import annotations

from raidsim.kernel import queue
from raidsim.kernel.event_list import schedule
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import (
    EVENT_FINISH,
    FIFO,
    LIFO,
    NO_DIRECTION,
    NONE,
    STAGE_SUBMITTED,
    SUBMISSIONS_LAST,
)


@handler
def account(station, now):
    """Bring the two areas up to ``now``."""
    passed = now - station["changed"]
    station["busy_area"] += passed * station["busy"]
    station["queue_area"] += passed * station["waiting"]
    station["changed"] = now


@routine
def arrive(w, where, index, service):
    """Job ``index`` joins station ``where`` and asks for ``service`` ns at speed 1.

    It is called from many places: compiled into each of them it would only make the code longer.
    """
    station = w.stations[where]
    job = w.jobs[index]
    now = w.state[0]["now"]
    account(station, now)
    station["arrivals"] += 1
    job["station"] = where
    job["service"] = service
    job["queued"] = now
    if station["busy"] < station["servers"]:
        start(w, station, index)
    else:
        enqueue(w, station, index)


@handler
def start(w, station, index):
    """A server takes job ``index``."""
    job = w.jobs[index]
    now = w.state[0]["now"]
    if station["speed"] != 1.0:
        # Stored here, inside the branch: else LLVM would divide for every service.
        job["service"] = round_ns(job["service"] / station["speed"])
    if station["turnaround"] > 0:
        if station["direction"] != job["direction"]:
            if station["direction"] != NO_DIRECTION:
                job["service"] += station["turnaround"]
            station["direction"] = job["direction"]
    station["busy"] += 1
    station["starts"] += 1
    station["latest"] = index
    station["waited"] += now - job["queued"]
    job["serving"] = 1
    job["finish"] = now + job["service"]
    job["mark"] += 1
    schedule(w, job["finish"], job["priority"], EVENT_FINISH, index, job["mark"])


@handler
def finish(w, index):
    """The service of job ``index`` is over; the next one in the queue starts."""
    job = w.jobs[index]
    station = w.stations[job["station"]]
    now = w.state[0]["now"]
    account(station, now)
    job["serving"] = 0
    station["busy"] -= 1
    station["finishes"] += 1
    station["served"] += job["service"]
    if station["first_waiting"] != NONE:
        start(w, station, unqueue_first(w, station))


@handler
def seize(w, where, index):
    """Job ``index`` asks for a server of ``where`` to hold until it leaves; whether it has it."""
    station = w.stations[where]
    job = w.jobs[index]
    now = w.state[0]["now"]
    account(station, now)
    station["arrivals"] += 1
    job["queued"] = now
    if station["busy"] < station["servers"]:
        hold(w, station, index)
        return True
    enqueue(w, station, index)
    return False


@handler
def wait(w, where, index):
    """Job ``index`` joins the queue of ``where``, though a server may be free."""
    station = w.stations[where]
    now = w.state[0]["now"]
    account(station, now)
    station["arrivals"] += 1
    w.jobs[index]["queued"] = now
    enqueue(w, station, index)


@handler
def hold(w, station, index):
    """Job ``index`` has a server, until :func:`leave`."""
    job = w.jobs[index]
    now = w.state[0]["now"]
    station["busy"] += 1
    station["starts"] += 1
    station["waited"] += now - job["queued"]
    job["held"] = now
    station["held_since"] += now


@handler
def leave(w, where, index):
    """Job ``index`` gives its server back; the job that has it now, or NONE."""
    give_back(w, where, index)
    station = w.stations[where]
    if station["first_waiting"] == NONE:
        return NONE
    return hold_first(w, station)


@handler
def give_back(w, where, index):
    """Job ``index`` gives its server back, and nobody takes it."""
    station = w.stations[where]
    now = w.state[0]["now"]
    account(station, now)
    station["busy"] -= 1
    station["finishes"] += 1
    station["served"] += now - w.jobs[index]["held"]
    station["held_since"] -= w.jobs[index]["held"]


@handler
def hold_first(w, station):
    """The first job of the queue takes a server; its index."""
    following = unqueue_first(w, station)
    hold(w, station, following)
    return following


@handler
def unqueue_first(w, station):
    """Take the first job out of the queue; its index."""
    station["waiting"] -= 1
    return queue.take_first(w, station)


@handler
def enqueue(w, station, index):
    """Put job ``index`` into the queue, at the place that the discipline gives it."""
    station["waiting"] += 1
    if station["discipline"] == FIFO or station["first_waiting"] == NONE:
        queue.append(w, station, index)
    elif station["discipline"] == LIFO:
        queue.put_first(w, station, index)
    else:
        enqueue_by_rank(w, station, index)


@handler
def rank(w, station, index):
    """The rank of a job at a station that does not serve jobs in order of arrival: lowest first."""
    job = w.jobs[index]
    if station["discipline"] == SUBMISSIONS_LAST:
        return 1 if job["stage"] == STAGE_SUBMITTED else 0
    return job["priority"]


@routine
def enqueue_by_rank(w, station, index):
    """Behind the last job of the same or a lower rank."""
    job = w.jobs[index]
    own = rank(w, station, index)
    if rank(w, station, station["last_waiting"]) <= own:
        queue.append(w, station, index)
        return
    before = NONE
    here = station["first_waiting"]
    while rank(w, station, here) <= own:
        before = here
        here = w.jobs[here]["next"]
    job["next"] = here
    if before == NONE:
        station["first_waiting"] = index
    else:
        w.jobs[before]["next"] = index


@routine
def set_speed(w, where, speed):
    """Run station ``where`` at ``speed`` from now on, work under way included.

    The remaining service of every job in service is stretched or shortened; its old
    event stays on the list and is void.
    """
    station = w.stations[where]
    now = w.state[0]["now"]
    old = station["speed"]
    station["speed"] = speed
    if station["busy"] == 0:
        return
    for index in range(len(w.jobs)):
        job = w.jobs[index]
        if job["serving"] == 1 and job["station"] == where:
            remaining = round_ns((job["finish"] - now) * old / speed)
            job["service"] += remaining - (job["finish"] - now)
            job["finish"] = now + remaining
            job["mark"] += 1
            schedule(w, job["finish"], job["priority"], EVENT_FINISH, index, job["mark"])


@handler
def round_ns(time):
    """A time in float ns to the nearest whole one."""
    return int(time + 0.5)
