"""SIEVE: a hand goes from old to new, and evicts the first line not used since it passed last.

Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson and K. V. Rashmi, "SIEVE is simpler than LRU: an efficient
turn-key eviction algorithm for web caches", NSDI 2024, algorithm 1. Unlike with CLOCK, a line that
the hand passes keeps its place, and new ones come in at the newest end and not at the hand.

A dirty line leaves the queue, and the hand with it goes on to the next newer one. When it is clean
again it joins the newest end, with its mark as it was, or set if it was used meanwhile.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.tables import NONE


@routine
def victim(w, cache, past):
    """The first line from the hand on that has no mark; those before it lose theirs."""
    index = cache["hand"]
    if index == NONE:
        index = cache["oldest"][0]
    while index != NONE and w.lines[index]["mark"] != 0:
        w.lines[index]["mark"] = 0
        index = w.lines[index]["newer"]
        if index == NONE:
            index = cache["oldest"][0]
    cache["hand"] = index
    return index


@handler
def used(w, cache, index):
    """Mark a line."""
    w.lines[index]["mark"] = 1
