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


def most_carried(scenario: Scenario, name: str | None = None) -> float | None:
    """Return the most bytes a second that a load can read and write; None where nothing says so.

    All that hosts read or write passes the links of the drives, unless something before them keeps
    data: the cache of a controller, or the front of a hybrid. Platters carry less than links, but
    what one load on a disk has read, another one may find in its buffer.

    Parameters
    ----------
    scenario
        The system and its loads.
    name
        The load; None for the first.
    """
    if scenario.machines or not scenario.loads:
        return None
    first = scenario.volumes[0].name
    load = next((one for one in scenario.loads if one.name == name), scenario.loads[0])
    place = load.volume or first
    beside = [one for one in scenario.loads if (one.volume or first) == place]
    with_cache = {one.name for one in scenario.controllers if one.card.has("cache.size")}
    volume = next((one for one in scenario.volumes if one.name == place), None)
    if volume is None or volume.controller in with_cache:
        return None
    if any(one.trace is not None or not one.sizes or one.trim for one in beside):
        return None
    return _of(scenario.host.card, volume, load, beside)


def _of(host: Card, volume: VolumeSpec, load: LoadSpec, beside: list[LoadSpec]) -> float:
    """Return the rate at which the drives of a volume carry a load, in bytes a second.

    Of what is written each drive has its part of the redundancy, too. A link that carries both ways
    at a time may have as much of either; an arm does one thing after the other. ``beside`` are all
    loads of the volume, with this one.
    """
    drives = volume.drives - len(volume.failed)
    read, written = (drives / time for time in _least_times(host, volume))
    platters = most_of_platters(volume, beside)
    if platters is not None:
        read, written = (min(one, drives * platters) for one in (read, written))
    if volume.layout is not None:
        written *= volume.capacity / volume.raw_capacity
    kinds = {_share_of_reads(load, at) for at in range(len(load.sizes))}
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
