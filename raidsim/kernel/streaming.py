"""Links one behind the other: data crosses the next one while it is still coming over the first.

Frames of at most 8 KiB follow one another through expanders, switches, and controllers without
memory. A controller with a cache passes data through its memory and its links line by line. So the
slowest link on the path determines the time of a large transfer, not the sum of all links. Each
link is busy for the time that the whole data takes on it.

Verbs: :func:`head` sends a job on with the first frames of its data, :func:`tail` is for data that
has been coming for some time.
"""

from __future__ import annotations

from raidsim.kernel.jit import routine
from raidsim.kernel.jobs import take
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import NONE, STAGE_REST

FRAME = 8192
"""B, the most that a frame of Serial ATA holds (Serial ATA 3.0, 10.3.7); SAS has 1 KiB."""


@routine
def head(w, where, index, length, ns, following, piece):
    """Job ``index`` crosses link ``where`` with ``length`` bytes of ``ns`` each, and goes on early.

    It goes on with its first ``piece`` (B). It goes on later if the next link, which takes
    ``following`` ns for its part of the data, would otherwise end before all data has come. The
    rest crosses behind it, as a job that nothing waits for.
    """
    whole = round_ns(length * ns)
    # Service is asked for at speed 1, and what follows takes its time whatever the speed is.
    meanwhile = round_ns(following * w.stations[where]["speed"])
    first = min(max(round_ns(piece * ns), whole - meanwhile), whole)
    arrive(w, where, index, first)
    if first == whole:
        return
    rest = take(w, STAGE_REST, NONE)
    w.jobs[rest]["direction"] = w.jobs[index]["direction"]
    w.jobs[rest]["priority"] = w.jobs[index]["priority"]
    arrive(w, where, rest, whole - first)


@routine
def tail(w, where, index, length, ns, since, piece):
    """Job ``index`` joins link ``where`` with ``length`` bytes that have been coming for some time.

    What the link could pass on ``since`` then is behind it, but for the last ``piece`` (B): as much
    as it was idle, and no other data has taken of that yet. It counts as served.
    """
    station = w.stations[where]
    now = w.state[0]["now"]
    if station["busy"] == 0:
        station["idle"] = now - station["changed"]
        station["idle_until"] = now
    service = round_ns(length * ns)
    last = min(round_ns(piece * ns), service)
    idle = max(min(station["idle"], station["idle_until"] - since), 0)
    passed = min(idle, service - last)
    station["idle"] -= passed
    station["busy_area"] += passed
    station["served"] += passed
    arrive(w, where, index, service - passed)
