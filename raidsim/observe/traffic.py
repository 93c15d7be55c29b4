"""The commands to the drives that the requests of a load cause, on average, before a run.

A sample of requests, spread evenly over the area of the load, is planned by the same functions that
the kernel runs; see :mod:`raidsim.layout.plan`. Caches are left out, with one exception: writes in
a write-back cache, or in the stripe cache of software RAID, are combined to full stripes at best.
Of random writes a cache combines no more than those of which it may hold neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.address import whole_drive
from raidsim.layout.arrange import POLICIES
from raidsim.layout.plan import bound, plan
from raidsim.layout.tables import ACCESS, CONCATENATED, LOST, MIRRORED, READ, WRITE
from raidsim.scenario import LoadSpec, Scenario, VolumeSpec, arrays

SAMPLES = 256
ACCESSES = 8192  # that a sample plans in all, about
ROWS, STRIPS = 4, 256  # of the longest request that is planned; of longer ones this much, scaled
GOLDEN_RATIO = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Cost:
    """Commands of one host I/O, on average over all of its volume."""

    reads: float
    writes: float
    read_bytes: float
    written_bytes: float

    @property
    def ios(self) -> float:
        """Reads and writes."""
        return self.reads + self.writes


def mean_size(load: LoadSpec) -> float:
    """Mean request size in bytes."""
    return sum(one.size * one.share for one in load.sizes)


def random_size(load: LoadSpec) -> float:
    """Mean request size in bytes of a load that is mostly random, 0 of any other.

    Strips should not be smaller: a request of several strips keeps as many drives busy, and
    fewer are served at a time. Sequential requests gain by that.
    """
    return mean_size(load) if load.random_share >= 0.5 else 0.0


def volumes_of(scenario: Scenario, load: LoadSpec) -> list[VolumeSpec]:
    """The volume that a load runs on, or both of its hybrid."""
    hybrid = scenario.hybrid(load.volume)
    only = load.volume or scenario.volumes[0].name
    names = (only,) if hybrid is None else (hybrid.front, hybrid.back)
    return [one for one in scenario.volumes if one.name in names]


def health(volume: VolumeSpec) -> NDArray[np.int64]:
    """Return the good part of each drive of an array when the run begins, in bytes."""
    good = np.full(volume.drives, whole_drive(_layout(volume)), np.int64)
    good[list(volume.failed)] = 0
    return good


def cost(volume: VolumeSpec, load: LoadSpec, op: int, size: int) -> Cost:
    """Commands that a read or write of ``size`` bytes of a load takes, on average."""
    if volume.layout is None:
        if op == READ:
            return Cost(1.0, 0.0, size, 0.0)
        return Cost(0.0, 1.0, 0.0, size)
    layout, good = volume.layout, health(volume)
    planned = min(size, min(ROWS * volume.drives, STRIPS) * volume.strip)
    accesses = np.zeros(bound(layout, op, planned), ACCESS)
    samples = min(max(ACCESSES // len(accesses), 4), SAMPLES)
    policy = POLICIES[volume.parity_writes]
    totals = np.zeros(4)
    for number in range(samples):
        address = _address(volume, load, number, planned)
        count = plan(layout, good, policy, number % 2, op, address, planned, accesses)
        for access in accesses[: 0 if count == LOST else count]:
            totals[access["op"]] += 1
            totals[2 + access["op"]] += access["length"]
    return Cost(*(float(total) * size / planned / samples for total in totals))


def gathered(volume: VolumeSpec, size: int) -> Cost:
    """Return the least commands of a write, when a cache has joined it to full stripes."""
    if volume.layout is None:
        return Cost(0.0, 1.0, 0.0, size)
    layout = volume.layout
    overhead = int(layout["copies"]) * (1 + int(layout["parity"]) / int(layout["data"]))
    return Cost(0.0, overhead * size / volume.strip, 0.0, overhead * size)


def mean_cost(
    scenario: Scenario, volume: VolumeSpec, load: LoadSpec, at_best: bool = False
) -> Cost:
    """Commands of a host I/O over all sizes, reads and writes of a load.

    With ``at_best`` a write-back cache gathers what it can, and the stripe cache of software RAID
    what comes in sequence.
    """
    parts: list[tuple[float, Cost]] = []
    for one in load.mix:
        parts.append((one.share * one.read, cost(volume, load, READ, one.bytes)))
        write = best = cost(volume, load, WRITE, one.bytes)
        full = gathered(volume, one.bytes)
        if at_best and full.written_bytes < write.written_bytes + write.read_bytes:
            best = full
        whole = 0.0
        if writes_back(scenario, volume):
            whole = 1 - one.random * (1 - _meeting(scenario, volume, load, one.bytes))
        elif has_stripe_cache(scenario, volume):
            whole = 1 - one.random
        writes = one.share * (1 - one.read)
        parts += [(writes * whole, best), (writes * (1 - whole), write)]
    total = Cost(0.0, 0.0, 0.0, 0.0)
    for share, each in parts:
        total = replace(
            total,
            reads=total.reads + share * each.reads,
            writes=total.writes + share * each.writes,
            read_bytes=total.read_bytes + share * each.read_bytes,
            written_bytes=total.written_bytes + share * each.written_bytes,
        )
    return total


def writes_back(scenario: Scenario, volume: VolumeSpec) -> bool:
    """Return whether writes are acknowledged from a controller's cache."""
    controller = scenario.controller(volume)
    if controller is None or not controller.card.has("cache.size"):
        return False
    return arrays.writes_back(volume.write, controller.battery)


def held(scenario: Scenario, volume: VolumeSpec, load: LoadSpec) -> float:
    """Share of its random accesses that caches before the media may answer, or gather, at most.

    A cache may hold what was read as well as what was written, so its size counts twice. Accesses
    that prefer places may all be to what caches hold.
    """
    if not is_scattered(load):
        return 1.0
    caches = volume.drives * volume.card.number("buffer.size")
    controller = scenario.controller(volume)
    if controller is not None and controller.card.has("cache.size"):
        caches += controller.card.number("cache.size")
    return min(2 * caches / (touched(volume, load) * volume.capacity), 1.0)


def is_scattered(load: LoadSpec) -> bool:
    """Whether random accesses come to all places of the area alike."""
    return load.hot is None and load.zones is None and load.zipf is None


def touched(volume: VolumeSpec, load: LoadSpec) -> float:
    """Share of the volume that a load accesses."""
    return load.touched(volume.capacity) / volume.capacity


def _meeting(scenario: Scenario, volume: VolumeSpec, load: LoadSpec, size: int) -> float:
    """Share of the random writes of which others of their stripe may be in a cache, at most."""
    if volume.layout is None:
        return 1.0
    row = int(volume.layout["data"]) * volume.strip
    return min(held(scenario, volume, load) * max(row / size, 1.0), 1.0)


def has_stripe_cache(scenario: Scenario, volume: VolumeSpec) -> bool:
    """Return whether software RAID carries out writes of a stripe together while they wait."""
    if scenario.controller(volume) is not None or volume.layout is None:
        return False
    heads = volume.stripe_cache_size
    if heads is None:
        heads = scenario.host.card.integer("raid.stripe_cache")
    return heads > 0 and int(volume.layout["parity"]) > 0


def straddling(volume: VolumeSpec, load: LoadSpec) -> float:
    """Share of a load's requests that lie in more than one strip, 0 where there are no strips.

    A random request starts at the offset of the area plus a multiple of the alignment, a
    sequential one where the one before ended. So within a strip of S bytes starts lie every
    g = gcd(step, S) bytes, all equally often, and of those S/g a request of s bytes fits behind
    the ones up to S - s.
    """
    if not has_strips(volume):
        return 0.0
    together = gcd(*(one.size for one in load.sizes))
    share = 0.0
    for one in load.mix:
        for step, of_them in ((load.align, one.random), (together, 1 - one.random)):
            crossing = _crossing(volume.strip, one.bytes, step, load.area.offset)
            share += one.share * of_them * crossing
    return share


def has_strips(volume: VolumeSpec) -> bool:
    """Return whether neighbouring strips lie on different drives."""
    if volume.layout is None or volume.layout["family"] == CONCATENATED:
        return False
    if volume.layout["family"] == MIRRORED and volume.layout["spans"] == 1:
        return bool(volume.layout["copies"] < volume.drives)
    return volume.drives > 1


def _crossing(strip: int, size: int, step: int, offset: int) -> float:
    """Share of requests of ``size`` bytes, at ``offset`` plus multiples of ``step``, that cross."""
    every = gcd(step, strip)
    first = offset % every
    fitting = (strip - size - first) // every + 1 if size + first <= strip else 0
    return 1 - fitting / (strip // every)


def _address(volume: VolumeSpec, load: LoadSpec, number: int, size: int) -> int:
    """Return the address of a request of the sample: aligned, and spread by the golden ratio.

    Where parity and copies lie repeats after as many stripes as there are drives, so that much
    is enough; but for JBOD, one drive behind the other.
    """
    offset, extent = load.extent(volume.capacity)
    layout = _layout(volume)
    if layout["family"] != CONCATENATED:
        extent = min(extent, int(layout["data"]) * volume.drives * volume.strip + size)
    step = load.align if load.random_share > 0 else gcd(*(one.size for one in load.sizes))
    blocks = max((extent - size) // step + 1, 1)
    return offset + int(number * GOLDEN_RATIO % 1 * blocks) * step


def _layout(volume: VolumeSpec) -> np.void:
    if volume.layout is None:
        raise AssertionError(f"{volume.name} is one drive on the host")
    return volume.layout
