"""LRU: the line that was not used for longest is evicted.

A line that was dirty counts as used when it has been written back.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.replacement.queues import is_clean, renew


@handler
def victim(w, cache, past):
    """The oldest one."""
    return cache["oldest"][0]


@handler
def used(w, cache, index):
    """A clean line becomes the newest one."""
    if is_clean(w.lines[index]):
        renew(w, cache, index)
