"""Passes of the elevator that destages a controller's cache: how long one takes.

A pass goes once over the disks, from low addresses to high ones; then the next one begins. A
rebuild beside it is fast while it is near the place of the pass, since seeks are then short, and
slow while it is far away. A sample of a rebuild also goes over the whole drive. If both take about
the same time, the sample stays near the destages, or far from them, all the time.
"""

from __future__ import annotations

import numpy as np

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.intervene.cache_lines import lanes_of, rows_of
from raidsim.kernel import tables as t
from raidsim.kernel.cache import grain_of
from raidsim.system.system import System

FEW, MANY = 0.3, 3.0
"""Passes of the destages during a sample: between these they may go along with each other."""


def lane_of(system: System, volume: int) -> int:
    """The row of LANES that has the destages to the disks of a volume; NONE if there is none.

    Of a volume that can be rebuilt: these have one.
    """
    world = system.world
    place = world.volumes[volume]
    controller = int(place["controller"])
    seeks = any(kind_at(system, drive).seeks for drive in drives_of(system, volume))
    if controller == t.NONE or not seeks or world.controllers["cache"][controller] == t.NONE:
        return t.NONE
    return int(world.arrays["first_lane"][place["array"]])


def busiest_lane(system: System, cache: int) -> int:
    """The lane of a controller's cache to which most was destaged in the window, or NONE.

    Others may be hardly written to. Their elevators find all that is dirty in a moment, or go round
    once a day, and say nothing about the rates that are measured.
    """
    rows, _ = lanes_of(system, cache)
    if len(rows) == 0:
        return t.NONE
    grown = system.world.lanes["destaged"][rows]
    before = system.at_reset.get("lanes")
    if before is not None:
        known = rows < len(before)
        grown[known] -= before["destaged"][rows[known]]
    return int(rows[grown.argmax()])


def destaged(system: System, lane: int) -> int:
    """Bytes that the destages to a lane have taken up to now; 0 without one."""
    return 0 if lane == t.NONE else int(system.world.lanes[lane]["destaged"])


def seconds(system: System, volume: int, rate: float) -> float:
    """Return the time of one pass over a volume's disks, s; 0 if there are none.

    Before the end of the first pass, its length is taken as twice the dirty data of the volume.

    Parameters
    ----------
    volume
        Its row.
    rate
        Bytes/s that are destaged to it.
    """
    lane = lane_of(system, volume)
    if lane == t.NONE or rate <= 0:
        return 0.0
    return float(system.world.lanes[lane]["last_pass"] or 2 * _dirty(system, volume)) / rate


def _dirty(system: System, volume: int) -> int:
    """Bytes that a cache holds of a volume, and its drives do not: of strips what was written."""
    controller = system.world.volumes[volume]["controller"]
    lines = rows_of(system, int(system.world.controllers["cache"][controller]))
    lines = lines[((lines["dirty"] | lines["busy"]) != 0) & (lines["volume"] == volume)]
    if len(lines) == 0:
        return 0
    masks = (lines["dirty"] | lines["busy"]).view(np.uint64)
    return int(np.bitwise_count(masks).sum()) * int(grain_of(lines["size"][0]))


def go_along(sample: float, pass_time: float) -> bool:
    """Return whether a sample may stay near the destages: its length and their pass, both in s."""
    return pass_time > 0 and FEW * pass_time < sample < MANY * pass_time
