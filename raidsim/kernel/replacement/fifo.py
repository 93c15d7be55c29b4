"""FIFO: the line that has been clean for longest gives its place, however often it is used.

One that comes in, or was dirty or filled up, is the newest when it is clean.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler


@handler
def victim(w, cache, past):
    """The oldest one."""
    return cache["oldest"][0]
