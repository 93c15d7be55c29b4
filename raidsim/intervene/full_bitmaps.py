"""The bits of a write-intent bitmap, as they are after an array has been in use for a while.

A write waits for the bitmap if the bit of its chunk is not set, and bits are cleared seconds after
the last write. At the beginning no bit is set, so for seconds more writes wait than in the long
run. A window of less than a second would measure this. So the writes of the seconds before are
drawn from the same loads, and their chunks get the possible times of these writes. An array that
lacks a drive from the beginning keeps its bits until the drive is rebuilt. It is assumed to have
lacked the drive for so long that nearly all chunks that random writes go to have their bits set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from raidsim import progress
from raidsim.assembly.intent import EVER_SINCE
from raidsim.intervene.full_caches import AT_A_TIME, is_random
from raidsim.kernel import cache_past
from raidsim.kernel import tables as t
from raidsim.layout.tables import FAR, FAR_SETS
from raidsim.system.sizes import writes_at_random
from raidsim.system.system import System, stream_key
from raidsim.units import NS_PER_S

HISTORY: Final = 2**42
"""Number of the first I/O before the run: others than those that are measured or fill a cache."""
OFTEN: Final = 8
"""Writes for each chunk after which all but one in three thousand have a bit."""
FASTER: Final = 1.02
"""Times as fast: writes that gain less from more bits find all that they would find."""


class Bits:
    """The bits that random writes of some streams would have set before the run.

    The rate of these writes is taken from the first ones of the run. These wait for bits that are
    not set yet, so they are slower than the earlier writes were. When bits are set, the next writes
    give a better rate. Other writes wait for no bit, so their rate is not used.
    """

    def __init__(self, system: System, streams: Sequence[int]) -> None:
        self.system = system
        self.streams = [one for one in streams if _array_of(system, one) is not None]
        self.begun = system.now
        self.written = self._written()
        self.pace = 0.0

    def begin(self, go_on: Callable[[], bool]) -> None:
        """Set them; ``go_on`` lets some I/Os complete, and says whether there is time for more."""
        in_time = True
        while in_time:
            in_time = go_on()
            in_time = self.set_if_faster() and in_time

    def set_if_faster(self) -> bool:
        """Set bits for writes as fast as since the last call; False if they were hardly faster."""
        passed, written = self.system.now - self.begun, self._written()
        paces = (written - self.written) / max(passed, 1) * NS_PER_S
        self.begun, self.written = self.system.now, written
        if paces.sum() <= FASTER * self.pace:
            return False
        self.pace = float(paces.sum())
        fill(self.system, dict(zip(self.streams, paces.tolist(), strict=True)))
        return True

    def _written(self) -> NDArray[np.int64]:
        ios = self.system.world.streams["window_ios"]
        return np.array(ios[self.streams, t.WRITE], dtype=np.int64)


def fill(system: System, paces: Mapping[int, float]) -> None:
    """Set the bits that random writes of streams would have set before the run.

    Parameters
    ----------
    paces
        How many writes a second each of them made.
    """
    for stream, pace in paces.items():
        array = _array_of(system, stream)
        if array is not None:
            _set(system, stream, array, pace)


def _array_of(system: System, stream: int) -> int | None:
    """The row of the array with a bitmap that a stream writes to at random."""
    if not (writes_at_random(system, stream) and is_random(system, stream)):
        return None
    volume = system.world.volumes[system.world.streams["volume"][stream]]
    if volume["kind"] != t.VOLUME_ARRAY:
        return None
    array = int(volume["array"])
    return None if system.world.arrays["bitmap"][array] == t.NONE else array


def _set(system: System, stream: int, array: int, pace: float) -> None:
    row, layout = system.world.arrays[array], system.world.layouts[array]
    chunk, kept = int(row["chunk"]), int(row["clear_after"])
    used = int(layout["rows"]) * int(layout["strip"])
    count = -(-used // chunk)
    first = int(row["first_mark"])
    marks = system.world.marks[first : first + count]
    left = min(round(pace * kept / NS_PER_S), OFTEN * count)
    if row["missing_since"] == EVER_SINCE and left > 0:
        left = OFTEN * count
    draws = np.random.default_rng(int(stream_key(system.seed, "full bitmap", stream)))
    number = HISTORY
    while left > 0:
        progress.go_on()
        writes = min(left, AT_A_TIME)
        starts, ends = np.zeros(writes, np.int64), np.zeros(writes, np.int64)
        number = cache_past.draw(system.world, stream, number, starts, ends)
        times = system.now - (draws.random(writes) * kept).astype(np.int64)
        for place in _places(layout, starts):
            np.maximum.at(marks, np.minimum(place // chunk, count - 1), times)
        left -= writes


def _places(layout: np.void, starts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the places of these bytes on the drives, to a row; of far copies all places."""
    used = int(layout["rows"]) * int(layout["strip"])
    copies = int(layout["copies"]) if layout["spread"] in (FAR, FAR_SETS) else 1
    section = int(layout["section"]) * int(layout["strip"])
    here = (starts * (used / copies / int(layout["size"]))).astype(np.int64)
    return [here + copy * section for copy in range(copies)]
