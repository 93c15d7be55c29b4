"""Workers of a load that read or write the same places, so that caches answer instead of drives.

Processes of fio do the same: each begins where the area begins, unless it has a part of its own.
"""

from __future__ import annotations

from raidsim.observe.traffic import volumes_of
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec

MOSTLY = 0.5
"""Share of random accesses up to which a load counts as sequential."""


def warnings(scenario: Scenario, load: LoadSpec) -> list[str]:
    """Return warnings that a sequential load may exceed what its drives read or write."""
    if load.workers == 1 or load.partitions or load.trace is not None:
        return []
    if load.random_share > MOSTLY:
        return []
    volumes = volumes_of(scenario, load)
    found = []
    if load.read_share > 0 and any(map(_keeps_what_is_read, volumes)):
        found.append(
            f"all {load.workers} workers of {load.name} read in sequence from the same place, so"
            " that most of their data comes from a cache, and they are faster than the drives; with"
            " partitions = true each reads its own part"
        )
    if load.read_share < 1 and any(volume.write == "back" for volume in volumes):
        found.append(
            f"all {load.workers} workers of {load.name} write in sequence to the same place, so"
            " that a write-back cache writes most of their data only once to the drives, and they"
            " are faster than the drives; with partitions = true each writes its own part"
        )
    return found


def _keeps_what_is_read(volume: VolumeSpec) -> bool:
    """Return whether data that one worker has read is still cached when another one asks for it."""
    if volume.read_ahead != "none" or volume.io == "cached":  # modes of a controller's cache
        return True
    segments = "read_ahead.segments"  # of a disk; flash reads ahead, and keeps nothing
    return volume.card.has(segments) and volume.card.integer(segments) > 0
