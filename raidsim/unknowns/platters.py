"""What the platters of disks settle, whatever models leave out: their speed, and their tracks.

A disk reads no faster than its longest track passes under a head. An arm that comes to a random
place when nothing else waits finds its sector half a revolution away, on average. Draws keep to
both; what models leave out is added to draws, and may only take from what is not settled.
"""

from __future__ import annotations

from raidsim.cards import Card
from raidsim.cards.plausible import plausible
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.scenario.load_spec import LoadSpec

HELD = 1 / 16
"""Share of the accessed data that caches may hold, at most, if its rates are those of platters."""


def has_platters(card: Card) -> bool:
    """Return whether a card is of a drive with platters."""
    return "spindle.speed" in card.about.by_name


def most_of_platters(volume: VolumeSpec, loads: list[LoadSpec]) -> float | None:
    """Return the most bytes a second that go to and from the platters of one disk of a volume.

    None if it is no disk, or if caches may answer more than a little of what loads ask for. What
    the buffers of the disks hold of the data comes from there.
    """
    if not has_platters(volume.card):
        return None
    held = _held(volume, loads, volume.card.number("buffer.size") * volume.drives)
    alone = len(loads) == 1 and (loads[0].workers == 1 or loads[0].partitions)
    if held is None or not (alone or all(load.random_share == 1 for load in loads)):
        return None  # what one stream has read, another one may find in a buffer
    found = plausible(volume.card).get("geometry.track_outer")
    track = volume.card.number("geometry.track_outer") if found is None else found.high
    return track * volume.card.number("spindle.speed") / (1 - held)


def half_turn(scenario: Scenario) -> float | None:
    """Return the mean seconds that a read waits for the platter, if one I/O is under way at a time.

    None if reads do not all come to random places of disks, or if caches may hold their data.
    """
    if len(scenario.loads) != 1 or scenario.machines or scenario.hybrids or scenario.events:
        return None
    (load,) = scenario.loads
    if load.outstanding is None or load.workers > 1 or load.trace is not None:
        return None
    if load.think or load.burst is not None or load.flush_every:
        return None  # it is not always an I/O that it waits for
    volume = scenario.volume(load.volume or scenario.volumes[0].name)
    if not has_platters(volume.card) or load.random_share < 1:
        return None
    cached = volume.card.number("buffer.size") * volume.drives
    for controller in scenario.controllers:
        if controller.name == volume.controller and controller.card.has("cache.size"):
            cached += controller.card.number("cache.size")
    held = _held(volume, [load], cached)
    return None if held is None else (1 - held) / (2 * volume.card.number("spindle.speed"))


def _held(volume: VolumeSpec, loads: list[LoadSpec], cached: float) -> float | None:
    """Return the share of accesses that find their data in so many bytes; None if it matters."""
    if any(load.hot or load.zones or load.zipf or load.has_end for load in loads):
        return None
    held = cached / max(min(load.touched(volume.capacity) for load in loads), 1)
    return held if held <= HELD else None
