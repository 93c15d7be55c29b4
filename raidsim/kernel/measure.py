"""The counts that are made when a request ends.

Latencies go into a log-linear histogram per account and kind, completions into a series of time
slices per account. There is one account for all workers of a load. The series has a fixed number of
slices: when time passes the last one, neighbours are merged and slices become twice as wide, so
memory does not grow with the length of a run. Flushes and trims have latencies, and are no I/Os of
the series.

If the table of I/Os has been given room, each I/O is also recorded there, until it is full.

Verbs: :func:`record` counts one completed request.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import FLUSH, SLICES
from raidsim.stats import histogram

bin_of = handler(histogram.bin_of)


@handler
def record(w, index):
    """Count completed request ``index``."""
    state = w.state[0]
    job = w.jobs[index]
    stream = w.streams[job["stream"]]
    latency = state["now"] - job["issued"]
    op = job["op"]
    w.latencies[stream["account"], op, bin_of(latency)] += 1
    if op >= FLUSH:
        stream["window_others"][op - FLUSH] += 1
        stream["window_others_ns"][op - FLUSH] += latency
        return
    stream["window_ios"][op] += 1
    stream["window_bytes"][op] += job["length"]
    stream["window_ns"][op] += latency
    place = (state["now"] - state["slice_origin"]) // state["slice_width"]
    while place >= SLICES:
        fold(w)
        place >>= 1
    w.slices[stream["account"], place] += 1
    row = state["logged"]
    if row < len(w.ios):
        note(w.ios[row], job, state["now"])
        state["logged"] = row + 1


@routine
def note(io, job, now):
    """Keep what a completed request was, and when."""
    io["issued"] = job["issued"]
    io["submitted"] = job["held"]
    io["completed"] = now
    io["offset"] = job["offset"]
    io["length"] = job["length"]
    io["stream"] = job["stream"]
    io["op"] = job["op"]


@routine
def fold(w):
    """Merge neighbouring slices, and make them twice as wide."""
    w.state[0]["slice_width"] *= 2
    slices = w.slices
    for s in range(slices.shape[0]):
        for i in range(SLICES // 2):
            slices[s, i] = slices[s, 2 * i] + slices[s, 2 * i + 1]
        for i in range(SLICES // 2, SLICES):
            slices[s, i] = 0
