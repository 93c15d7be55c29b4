"""The bits of a write-intent bitmap, as they are once an array has been in use for a while.

A write waits for the bitmap if the bit of its chunk is not set, and bits are cleared seconds after
the last write. At the beginning none is set, so for seconds more writes wait than in the long run:
a window of less than a second would measure that. So the writes of the seconds before are drawn
from the same loads, and their chunks have the times at which these may have been. An array that
lacks a drive from the beginning keeps its bits until the drive is rebuilt: it is taken to have
lacked it for so long that all but a few of the chunks that random writes go to have theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from raidsim import waits
from raidsim.assembly.intent import EVER_SINCE
from raidsim.intervene.full_caches import AT_A_TIME, is_random
from raidsim.kernel import cache_past
from raidsim.kernel import tables as t
from raidsim.layout.tables import FAR, FAR_SETS
from raidsim.system.system import System, stream_key

HISTORY: Final = 2**42
"""Number of the first I/O before the run: others than those that are measured or fill a cache."""
OFTEN: Final = 8
"""Writes for each chunk after which all but one in three thousand have a bit."""


def fill(system: System, streams: Sequence[int], passed: int) -> None:
    """Set the bits that random writes of these streams would have set before the run.

    Parameters
    ----------
    passed
        For how long the streams have written, ns: before, they did as fast.
    """
    for stream in streams:
        array = _array_of(system, stream)
        if array is None or passed <= 0:
            continue
        if system.writes_at_random(stream) and is_random(system, stream):
            _set(system, stream, array, passed)


def _array_of(system: System, stream: int) -> int | None:
    """The row of the array with a bitmap that a stream writes to."""
    volume = system.world.volumes[system.world.streams["volume"][stream]]
    if volume["kind"] != t.VOLUME_ARRAY:
        return None
    array = int(volume["array"])
    return None if system.world.arrays["bitmap"][array] == t.NONE else array


def _set(system: System, stream: int, array: int, passed: int) -> None:
    row, layout = system.world.arrays[array], system.world.layouts[array]
    chunk, kept = int(row["chunk"]), int(row["clear_after"])
    used = int(layout["rows"]) * int(layout["strip"])
    count = -(-used // chunk)
    first = int(row["first_mark"])
    marks = system.world.marks[first : first + count]
    left = round(int(system.world.streams["window_ios"][stream, t.WRITE]) * kept / passed)
    left = min(left, OFTEN * count)
    if row["missing_since"] == EVER_SINCE and left > 0:
        left = OFTEN * count
    draws = np.random.default_rng(int(stream_key(system.seed, "full bitmap", stream)))
    number = HISTORY
    while left > 0:
        waits.go_on()
        writes = min(left, AT_A_TIME)
        starts, ends = np.zeros(writes, np.int64), np.zeros(writes, np.int64)
        number = cache_past.draw(system.world, stream, number, starts, ends)
        times = system.now - (draws.random(writes) * kept).astype(np.int64)
        for place in _places(layout, starts):
            np.maximum.at(marks, np.minimum(place // chunk, count - 1), times)
        left -= writes


def _places(layout: np.void, starts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Where on the drives these bytes of the volume are, to a row: of far copies all places."""
    used = int(layout["rows"]) * int(layout["strip"])
    copies = int(layout["copies"]) if layout["spread"] in (FAR, FAR_SETS) else 1
    section = int(layout["section"]) * int(layout["strip"])
    here = (starts * (used / copies / int(layout["size"]))).astype(np.int64)
    return [here + copy * section for copy in range(copies)]
