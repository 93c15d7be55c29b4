"""Reads of data that was never written to a solid state drive: here they take the time of flash.

A real drive finds in its map that there is no data, and answers in a fraction of this time.
"""

from __future__ import annotations

from raidsim import units
from raidsim.assembly.drives import kind_of
from raidsim.observe.traffic import volumes_of
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec


def warnings(scenario: Scenario, load: LoadSpec) -> list[str]:
    """A sentence for each volume of which a load reads such places.

    Nothing is said of traces, whose reads follow writes of their own, nor of the front of a
    hybrid, which holds what was brought there.

    Returns
    -------
    list
        Sentences without an end; empty if it reads none.
    """
    if load.trace is not None or load.read_share == 0 or _is_written_before(scenario, load):
        return []
    hybrid = scenario.hybrid(load.volume)
    found = []
    for volume in volumes_of(scenario, load):
        if (hybrid and volume.name == hybrid.front) or not kind_of(volume.card).keeps_map:
            continue
        if volume.state == "fresh":
            where, remedy = 'state = "fresh"', 'set state = "filled" to read data'
        elif _reaches_beyond(scenario, load, volume):
            share = units.text(volume.filled, "share")
            where, remedy = f"filled = {share}", "raise filled, or let its area end there"
        else:
            continue
        found.append(
            f"{load.name} reads data never written to {volume.name} ({where}): here this takes the"
            f" time of flash, but a drive answers from its map in a fraction of it; {remedy}"
        )
    return found


def _is_written_before(scenario: Scenario, load: LoadSpec) -> bool:
    """Return whether a load that is over when this one begins has written to the same volume."""
    by_name = {one.name: one for one in scenario.loads}
    while load.after is not None:
        before = by_name[load.after]
        if before.volume == load.volume and (before.trace is not None or _writes(before)):
            return True
        load = before
    return False


def _reaches_beyond(scenario: Scenario, load: LoadSpec, volume: VolumeSpec) -> bool:
    """Return whether a load reads beyond ``filled``, where nothing wrote before the run."""
    loads = [one for one in scenario.loads if one.volume == load.volume]
    if volume.state == "steady" and any(_writes(one) and one.random_share > 0 for one in loads):
        return False  # that is how it became steady
    if load.partitions and load.area.size is not None:
        return False  # a file in each part: filled gives the amount, and not the places
    hybrid = scenario.hybrid(load.volume)
    capacity = volume.capacity if hybrid is None else hybrid.capacity
    last = load.workers - 1 if load.partitions else 0
    first, size = load.extent(capacity, last)
    begin = 0 if hybrid is None else hybrid.back_offset
    return begin + first + size > volume.filled * volume.capacity + load.align


def _writes(load: LoadSpec) -> bool:
    return any(one.share > 0 and one.read + one.trim < 1 for one in load.mix)
