"""Writes that hard disks answer from a cache that survives a power cut, if their card assumes one.

Few sheets print this cache. With it, a disk whose volatile cache is off answers thousands of writes
a second; without it, about one in every revolution.
"""

from __future__ import annotations

from raidsim import units
from raidsim.assembly.disk_cache import cache_size, is_protected
from raidsim.observe.same_place import MOSTLY
from raidsim.observe.traffic import volumes_of, writes_back
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec, arrays
from raidsim.scenario.replays import plan


def warnings(scenario: Scenario, load: LoadSpec) -> list[str]:
    """A sentence for each model of disk that answers writes of a load so.

    Returns
    -------
    list
        Sentences without an end; empty if none does, or if another cache answers first.
    """
    if not _writes(load):
        return []
    sizes = {
        volume.card.name: cache_size(volume.card)
        for volume in _answering(scenario, load)
        if _assumes_it(volume) and not writes_back(scenario, volume)
    }
    return [
        f"{name} answers the writes of {load.name} from a cache that survives a power cut, of"
        f" {units.text(size, 'size')}, assumed by its card; {_without(load)}"
        for name, size in sizes.items()
    ]


def _writes(load: LoadSpec) -> bool:
    """Return whether a load writes."""
    if load.trace is not None:
        return plan(load.trace).survey.writes > 0
    return any(one.share > 0 and one.read + one.trim < 1 for one in load.mix)


def _answering(scenario: Scenario, load: LoadSpec) -> list[VolumeSpec]:
    """The volumes that a load waits for when it writes."""
    volumes, hybrid = volumes_of(scenario, load), scenario.hybrid(load.volume)
    if hybrid is None:
        return volumes
    above = scenario.controller(hybrid)
    if above is not None and arrays.writes_back(hybrid.buffer, above.battery):
        return []
    back = hybrid.mode == "tier" or hybrid.write != "back"
    return [one for one in volumes if back or one.name == hybrid.front]


def _assumes_it(volume: VolumeSpec) -> bool:
    card = volume.card
    if not card.has("write_cache.protected_size") or not is_protected(card):
        return False
    return card.sources["write_cache.protected_size"].source == "assumed"


def _without(load: LoadSpec) -> str:
    """Return the losses that there would be without that cache."""
    if load.trace is not None or load.random_share > MOSTLY:
        return "without it each waits until it is on the medium"
    return "without it about one write a turn, for each that is outstanding"
