"""How shingled disks reach the state that a scenario gives them: by writes, or by a pause.

A disk in the steady state has a full media cache, and its bands were rewritten at many different
times. From an empty media cache only random writes lead to this state. It takes until every band
was rewritten at least once: days, with any number of outstanding I/Os. On a small area with many
records of each band, all bands are rewritten at nearly the same time at first. These times spread
more with each pass over the log.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.assembly import shingles
from raidsim.assembly.drives import kind_of
from raidsim.observe.traffic import mean_cost
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

TURNS = 2.0
"""Turns of the log, each with the rewrites of all bands, until rates are even where a band has few
records."""

DRIFT = 7.0
"""Where a band has more: each turn moves bands apart by the time of one record of theirs, as if by
chance, so it takes the square of their number, over this, until no wave is left."""


@dataclass(frozen=True)
class Needed:
    """The preparation that a volume of shingled disks needs.

    Attributes
    ----------
    size
        Bytes that its loads have to write at random.
    seconds
        How long that takes, about.
    """

    size: int
    seconds: float


def until_steady(
    scenario: Scenario, volume: VolumeSpec, loads: Sequence[LoadSpec], capacity: int
) -> Needed:
    """Writes that bring empty media caches into the steady state, for given loads."""
    card = volume.card
    on_drives, of_host, bytes_on_drives, bytes_of_host, area = 0.0, 0.0, 0.0, 0.0, 0
    for load in loads:
        cost = mean_cost(scenario, volume, load)
        on_drives += cost.writes
        bytes_on_drives += cost.written_bytes
        of_host += sum(one.share * (1 - one.read) for one in load.mix)
        bytes_of_host += sum(one.share * (1 - one.read) * one.bytes for one in load.mix)
        first, size = load.extent(capacity)
        last, more = load.extent(capacity, load.workers - 1)
        area = max(area, last + more - first, size)
    each = bytes_on_drives / on_drives
    sector = card.integer("capacity.physical_sector")
    taken = math.ceil(each / sector) * sector
    log = min(card.number("smr.records"), shingles.media_cache(card) / taken)
    bands = area / capacity * card.number("capacity.user") / card.number("smr.band")
    turns = max(TURNS, (log / bands) ** 2 / DRIFT)
    writes = turns * (log + bands) * volume.drives * of_host / on_drives
    seconds = turns * bands * rewrite_time(volume)
    return Needed(math.ceil(writes * bytes_of_host / of_host), seconds)


def emptying_time(volume: VolumeSpec) -> float:
    """Seconds in which idle disks empty their media caches, if these were full."""
    card = volume.card
    bands = card.number("capacity.user") / card.number("smr.band")
    return min(card.number("smr.records"), bands) * rewrite_time(volume)


def rewrite_time(volume: VolumeSpec) -> float:
    """Seconds that a band rewrite takes: to the log and back, and a band read and written."""
    card = volume.card
    turn = 1 / card.number("spindle.speed")
    inner, outer = (card.number(f"geometry.track_{end}") for end in ("inner", "outer"))
    rate = (inner + outer) / 2 / turn
    seek = card.number("seek.read_average")
    return 2 * card.number("smr.band") / rate + 2 * seek + 1.5 * turn


def are_shingled(volume: VolumeSpec) -> bool:
    """Return whether the drives of a volume have media caches."""
    return not kind_of(volume.card).keeps_map and shingles.is_shingled(volume.card)


def duration(seconds: float) -> str:
    """A duration in hours, or in days where it is some."""
    hours = seconds / 3600
    return f"{hours / 24:.2g} days" if hours >= 48 else f"{max(hours, 1):.2g} hours"
