"""Python's search for objects that know each other in circles, in processes that are raidsim's own.

Python searches after every 700 new objects, and through all objects once they have become a quarter
more. Scenarios, cards and results are many small objects that know each other in no circle, so
it finds next to nothing, and takes some per cent of the time of short runs. What is large and does
stand in circles, the tables of a system, is given back when its run is over (`System.close`).
"""

from __future__ import annotations

import gc

NEW_OBJECTS = 20_000
"""After so many: some MB at most wait for the search."""

YOUNG, MIDDLE = 50, 100
"""So many searches of the youngest go before one of the middle ones, and so many of those before
one of all."""


def search_seldom() -> None:
    """Let this process search seldom: not for a library, whose process belongs to others."""
    gc.set_threshold(NEW_OBJECTS, YOUNG, MIDDLE)
