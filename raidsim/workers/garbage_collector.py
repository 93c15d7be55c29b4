"""Python's garbage collector, in processes that belong to raidsim.

The collector searches for objects that refer to each other in cycles: among the new ones after
every 700 new objects, and among all when these have grown by a quarter. Scenarios, cards and
results are many small objects without cycles. So the collector finds nearly nothing, and takes some
per cent of the time of short runs. The tables of a system are large and do have cycles; they are
freed when its run ends (`System.close`).
"""

from __future__ import annotations

import gc

NEW_OBJECTS = 20_000
"""New objects after which the collector runs. Until then they take some MB at most."""

YOUNG, MIDDLE = 50, 100
"""Collections of the young generation before one of the middle, and of the middle before one of
all objects."""


def run_seldom() -> None:
    """Let the collector of this process run seldom; a library leaves its process as it is."""
    gc.set_threshold(NEW_OBJECTS, YOUNG, MIDDLE)
