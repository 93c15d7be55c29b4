"""The elevator of the host: in which order requests get the command slots of a drive.

Requests without a slot wait in the host. Linux' mq-deadline (``block/mq-deadline.c``, its tunables
in Documentation/block/deadline-iosched.rst) sends them in batches:

- A batch has one direction, in order of address, ``fifo_batch`` requests at most. It ends early if
  no request is ahead.
- The next batch is one of reads if any wait, unless ``writes_starved`` batches of reads have gone
  before waiting writes.
- A batch continues where the last one of its direction ended. Or it begins with the oldest request,
  if that is overdue (``read_expire``, ``write_expire``) or no request is ahead.

It only knows as many requests of a drive as there are tags (``nr_requests``, those in slots
included). The others wait for a tag in order of arrival. A flush does not wait for other requests.
Adjacent requests stay separate here; Linux would join them.

Verbs: :func:`bring_forward` the request that is sent next.
"""

from __future__ import annotations

from raidsim.kernel import queue
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import FLUSH, NONE, READ, WRITE


@routine
def bring_forward(w, drive):
    """Let the request that the elevator chooses be the first of those that wait for a slot."""
    station = w.stations[drive["slots"]]
    if station["waiting"] == 0:
        return
    row = w.elevators[drive["elevator"]]
    chosen = choose(w, row, station)
    job = w.jobs[chosen]
    if job["op"] != FLUSH:
        row["end"][way_of(job)] = job["offset"] + job["length"]
    before = NONE
    here = station["first_waiting"]
    while here != chosen:
        before = here
        here = w.jobs[here]["next"]
    if before == NONE:
        return
    w.jobs[before]["next"] = job["next"]
    if station["last_waiting"] == chosen:
        station["last_waiting"] = before
    queue.put_first(w, station, chosen)


@handler
def way_of(job):
    """READ or WRITE: a trim is a write."""
    return READ if job["op"] == READ else WRITE


@routine
def choose(w, row, station):
    """The request that is sent next; the batch that it is of is noted."""
    left = row["requests"] - station["busy"]
    oldest_read = NONE
    oldest_write = NONE
    next_read = NONE
    next_write = NONE
    here = station["first_waiting"]
    while here != NONE and left > 0:
        job = w.jobs[here]
        if job["op"] == FLUSH:
            return here
        if way_of(job) == READ:
            oldest_read = here if oldest_read == NONE else oldest_read
            if is_nearer(w, job, row["end"][READ], next_read):
                next_read = here
        else:
            oldest_write = here if oldest_write == NONE else oldest_write
            if is_nearer(w, job, row["end"][WRITE], next_write):
                next_write = here
        left -= 1
        here = job["next"]
    following = next_read if row["direction"] == READ else next_write
    if row["direction"] != NONE and following != NONE and row["sent"] < row["batch"]:
        row["sent"] += 1
        return following
    way = READ
    if oldest_read == NONE:
        way = WRITE
    elif oldest_write != NONE:
        if row["passed"] >= row["starved"]:
            way = WRITE
        else:
            row["passed"] += 1
    if way == WRITE:
        row["passed"] = 0
    row["direction"] = way
    row["sent"] = 1
    oldest = oldest_read if way == READ else oldest_write
    following = next_read if way == READ else next_write
    overdue = w.state[0]["now"] - w.jobs[oldest]["queued"] >= row["expire"][way]
    return oldest if following == NONE or overdue else following


@handler
def is_nearer(w, job, end, best):
    """Return whether a request lies ahead of ``end``, and nearer to it than the best one so far."""
    if job["offset"] < end:
        return False
    return best == NONE or job["offset"] < w.jobs[best]["offset"]
