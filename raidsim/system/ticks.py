"""When the kernel returns to Python: ten times a second, in real time.

While compiled code runs, Python handles no signal, so Ctrl-C would wait until the kernel returns,
which can take minutes. A separate thread counts ticks in an array, and the kernel returns when this
number changes. It may return between any two events: when it is entered again, it continues with
the same next event, so no result depends on the place. An event takes from 30 ns to milliseconds,
so time is counted here, and not events.
"""

from __future__ import annotations

import os
import threading
import time
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim import progress

PERIOD = 0.1
"""Seconds from one tick to the next."""


def count() -> NDArray[Any]:
    """The number of ticks so far, for all runs of this process: an array of one."""
    return _ticking()


def go_on() -> None:
    """Go on with a run, or end it if nobody waits for it any more.

    Raises
    ------
    Stopped
        After :func:`raidsim.progress.stop`.
    """
    progress.go_on()


@cache
def _ticking() -> NDArray[Any]:
    """Begin to count. Should two threads come here at once, both begin, each for itself."""
    number = np.zeros(1, np.int64)
    threading.Thread(target=_tick, args=(number,), name="raidsim ticks", daemon=True).start()
    return number


def _tick(number: NDArray[Any]) -> None:
    while True:
        time.sleep(PERIOD)
        number[0] += 1


if hasattr(os, "register_at_fork"):  # a thread does not outlast a fork
    os.register_at_fork(after_in_child=_ticking.cache_clear)
