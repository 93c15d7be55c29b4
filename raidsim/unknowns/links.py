"""What links and platters of drives carry at most: no interval of a throughput reaches beyond.

Draws keep to it, since the generation of a link fixes its line rate, and the speed and the tracks
of a disk what it reads. What models leave out is added to draws, and knows nothing of it: a drive
on SATA of 6 Gbit/s would have read 800 MB/s.
"""

from __future__ import annotations

from raidsim.cards import Card
from raidsim.cards.plausible import plausible
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.scenario.load_spec import LoadSpec
from raidsim.topology.lanes import is_half_duplex
from raidsim.unknowns.platters import most_of_platters

LINK = "link.time_per_byte"


def most_carried(scenario: Scenario) -> float | None:
    """Return the most bytes a second that loads can read and write; None where nothing says so.

    All that hosts read or write passes the links of the drives, unless something before them keeps
    data: the cache of a controller, or the front of a hybrid.
    """
    if scenario.machines or not scenario.loads:
        return None
    names = [load.volume or scenario.volumes[0].name for load in scenario.loads]
    volumes = {one.name: one for one in scenario.volumes if one.name in names}
    with_cache = {one.name for one in scenario.controllers if one.card.has("cache.size")}
    if set(names) != set(volumes) or with_cache & {one.controller for one in volumes.values()}:
        return None
    if any(load.trace is not None or not load.sizes or load.trim for load in scenario.loads):
        return None
    loads = list(zip(names, scenario.loads, strict=True))
    return sum(
        _of(scenario.host.card, volume, [load for name, load in loads if name == key])
        for key, volume in volumes.items()
    )


def _of(host: Card, volume: VolumeSpec, loads: list[LoadSpec]) -> float:
    """Return what the drives of a volume carry of some loads, in bytes a second.

    Of what is written each drive has its part of the redundancy, too. A link that carries both ways
    at a time may have as much of either; an arm does one thing after the other.
    """
    drives = volume.drives - len(volume.failed)
    read, written = (drives / time for time in _least_times(host, volume))
    platters = most_of_platters(volume, loads)
    if platters is not None:
        read, written = (min(one, drives * platters) for one in (read, written))
    if volume.layout is not None:
        written *= volume.capacity / volume.raw_capacity
    kinds = {_share_of_reads(load, at) for load in loads for at in range(len(load.sizes))}
    if kinds == {1.0}:
        return read
    if kinds == {0.0}:
        return written
    in_turn = is_half_duplex(volume.card.word("link.interface")) or platters is not None
    return read if in_turn else read + written


def _share_of_reads(load: LoadSpec, at: int) -> float:
    own = load.sizes[at].read
    share = load.read if own is None else own
    return 1.0 if share is None else share


def _least_times(host: Card, volume: VolumeSpec) -> tuple[float, float]:
    """Return the least seconds a byte takes that a drive of a volume sends, and one that it gets.

    A drive in a slot of the host is no faster than the slot.
    """
    own = _least(volume.card, LINK)
    in_slot = volume.controller == "host"
    if not in_slot or volume.card.word("link.interface") not in ("pcie", "nvme"):
        return own, own
    sent, got = (max(own, _least(host, f"pcie.{way}_time_per_byte")) for way in ("read", "write"))
    return sent, got


def _least(card: Card, name: str) -> float:
    """Return the least that a value of a card may be."""
    found = plausible(card).get(name)
    return card.number(name) if found is None else found.low
