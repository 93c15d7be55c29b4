"""Heat of the blocks of a tier, and which of them move.

An access adds HEAT to a block. The heat is halved at each interval; this is computed when the block
is next used. A block of the back that has enough heat moves into the front if there is room. If
there is none, the coldest of SAMPLE random blocks of the front is removed, if the other block is
TIMES_WARMER. A search for the coldest of all blocks would take long, and one of the coldest is
enough.

Verbs: :func:`warm_up` a block, :func:`into_tier` for a write.
"""

from __future__ import annotations

import numpy as np

from raidsim.kernel import destage
from raidsim.kernel.array_tables import ERRAND_FILL, ERRAND_WRITE_BACK
from raidsim.kernel.cache import find, is_clean, mask, take, unlist
from raidsim.kernel.hybrid_blocks import forget
from raidsim.kernel.hybrid_tables import HEAT
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import NONE, WRITE
from raidsim.kernel.tasks import add_task

SAMPLE = 64
TIMES_WARMER = 2


@handler
def into_tier(w, hybrid, cache, volume, strip, start, end, passes):
    """The line of a block that lives in the front and is written there; NONE if it does not."""
    found = find(w, cache, volume, strip)
    if not passes:
        warm_up(w, hybrid, cache, volume, strip, found == NONE)
    if found == NONE:
        return NONE
    line = w.lines[found]
    size = hybrid["block"]
    if line["valid"] == 0:  # on its way: it stays where it is written
        forget(w, hybrid, cache, volume, start, end)
        return NONE
    if line["dirty"] == 0:  # it was about to leave
        if is_clean(line):
            unlist(w, cache, found)
            destage.count(w, cache, size)
        line["dirty"] = line["valid"]
    return found


@handler
def heat_of(w, hybrid, strip):
    """Heat of a block now."""
    place = hybrid["first_trace"] + 2 * strip
    passed = w.state[0]["now"] // hybrid["interval"] - w.traces[place + 1]
    return np.int64(w.traces[place]) >> min(passed, 31)


@routine
def warm_up(w, hybrid, cache, volume, strip, in_back):
    """Count an access to a block; one of the back that has become warm enough moves."""
    heat = heat_of(w, hybrid, strip) + HEAT
    place = hybrid["first_trace"] + 2 * strip
    w.traces[place] = min(heat, 2**30)
    w.traces[place + 1] = w.state[0]["now"] // hybrid["interval"]
    if not in_back or heat < hybrid["promote"] * HEAT or hybrid["moving"] >= hybrid["moves"]:
        return
    size = hybrid["block"]
    index = take(w, cache, volume, strip, size)
    if index != NONE:
        w.lines[index]["coming"] = mask(size, 0, size)
        hybrid["moving"] += 1
        add_task(w, ERRAND_FILL, volume, WRITE, strip * size, size)
        return
    coldest = np.int64(NONE)
    least = np.int64(heat)
    for _ in range(min(SAMPLE, cache["lines"])):
        here = cache["first_line"] + hybrid["hand"]
        hybrid["hand"] = (hybrid["hand"] + 1) % cache["lines"]
        line = w.lines[here]
        if line["dirty"] != 0 and line["busy"] == 0:
            warmth = heat_of(w, hybrid, line["strip"]) * TIMES_WARMER
            if warmth < least:
                least = warmth
                coldest = here
    if coldest != NONE:
        line = w.lines[coldest]
        line["busy"] = line["dirty"]
        line["dirty"] = 0
        line["destages"] = 1
        cache["tasks"] += 1
        hybrid["moving"] += 1
        add_task(w, ERRAND_WRITE_BACK, volume, WRITE, line["strip"] * size, size)
