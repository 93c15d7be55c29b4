"""FIFO: the line that has been clean for longest is evicted, however often it is used.

A line that comes in, or was dirty or filled up, is the newest when it is clean.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler


@handler
def victim(w, cache, past):
    """The oldest one."""
    return cache["oldest"][0]
