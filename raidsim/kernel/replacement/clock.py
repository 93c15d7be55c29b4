"""CLOCK: a line that was used since the hand passed it last stays for one more turn.

F. J. Corbató, "A paging experiment with the Multics system", MIT Project MAC (1968). The queue is
the ring, with the hand between its two ends: lines that the hand passes, and new lines, are just
behind it. So it is FIFO with a second chance. The read or write that brings a line in does not set
its mark.

A dirty line leaves the ring. When it is clean again it comes in just behind the hand, with its mark
unchanged, or set if it was used meanwhile.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.replacement.queues import renew
from raidsim.kernel.tables import NONE


@routine
def victim(w, cache, past):
    """The first line from the hand on that has no mark; those before it lose theirs."""
    index = cache["oldest"][0]
    while index != NONE and w.lines[index]["mark"] != 0:
        w.lines[index]["mark"] = 0
        renew(w, cache, index)
        index = cache["oldest"][0]
    return index


@handler
def used(w, cache, index):
    """Mark a line."""
    w.lines[index]["mark"] = 1
