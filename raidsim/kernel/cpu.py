"""The cores of a host: if more threads are busy than there are cores, each thread is slower.

At intervals the average number n of busy processes and threads is computed. If n is at most the
number of cores C, each has a core to itself. If there are more, two share a core, and two hardware
threads of a core together do 1 + g times the work of one. If there are still more, they take turns:

    work = n                   n <= C
           C + g (n - C)       C < n <= 2 C
           C (1 + g)           2 C < n          speed of each = work / n

with g = 0 for cores with one hardware thread. Work that is under way when the speed changes keeps
its old speed; this is a few microseconds. Cores that save power are left out, since their governor
determines their speed.

Verbs: :func:`share` the cores among those that were busy.
"""

from __future__ import annotations

from raidsim.kernel.jit import routine
from raidsim.kernel.station import account
from raidsim.kernel.tables import NONE


@routine
def share(w, row):
    """Count the busy threads on the cores ``row`` since the last count, if it is time for it."""
    cpu = w.cpus[row]
    now = w.state[0]["now"]
    passed = now - cpu["looked"]
    if passed < cpu["interval"]:
        return
    cpu["looked"] = now
    busy = 0.0
    here = cpu["first"]
    while here != NONE:
        user = w.cpu_users[here]
        station = w.stations[user["station"]]
        account(station, now)
        area = float(station["busy_area"])
        if area >= user["area"]:  # less: a new window counts from zero
            busy += (area - user["area"]) / passed
        user["area"] = area
        here = user["next"]
    cores = cpu["cores"]
    work = busy
    if busy > cores:
        work = cores + cpu["gain"] * min(busy - cores, cores)
    speed = work / busy if busy > cores else 1.0
    if speed == cpu["speed"]:
        return
    here = cpu["first"]
    while here != NONE:
        user = w.cpu_users[here]
        w.stations[user["station"]]["speed"] *= speed / cpu["speed"]
        here = user["next"]
    cpu["speed"] = speed
