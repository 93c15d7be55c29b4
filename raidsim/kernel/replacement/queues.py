"""The queues of clean lines, from the newest to the oldest.

Each line belongs to one of QUEUES queues of its cache, and stands in it while it is clean. Most
policies use the first one only.

Verbs: :func:`push` a line, :func:`pull` it out, :func:`renew` its place, :func:`assign` it to
another queue.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import NONE


@handler
def is_clean(line):
    """Return whether a line may be evicted."""
    return line["dirty"] == 0 and line["busy"] == 0 and line["coming"] == 0


@handler
def push(w, cache, index):
    """Put a line at the newest end of its queue."""
    line = w.lines[index]
    queue = line["queue"]
    newest = cache["newest"][queue]
    line["newer"] = NONE
    line["older"] = newest
    if newest == NONE:
        cache["oldest"][queue] = index
    else:
        w.lines[newest]["newer"] = index
    cache["newest"][queue] = index


@handler
def pull(w, cache, index):
    """Take a line out of its queue; a hand that points to it goes on to the next newer one."""
    line = w.lines[index]
    queue = line["queue"]
    newer = line["newer"]
    older = line["older"]
    if newer == NONE:
        cache["newest"][queue] = older
    else:
        w.lines[newer]["older"] = older
    if older == NONE:
        cache["oldest"][queue] = newer
    else:
        w.lines[older]["newer"] = newer
    if cache["hand"] == index:
        cache["hand"] = newer


@routine
def renew(w, cache, index):
    """Move a clean line to the newest end of its queue."""
    if w.lines[index]["newer"] != NONE:
        pull(w, cache, index)
        push(w, cache, index)


@routine
def assign(w, cache, index, queue):
    """Move a line to the newest end of a queue, or let it join that once it is clean."""
    line = w.lines[index]
    listed = is_clean(line)
    if listed:
        pull(w, cache, index)
    cache["held"][line["queue"]] -= line["size"]
    cache["held"][queue] += line["size"]
    line["queue"] = queue
    if listed:
        push(w, cache, index)
