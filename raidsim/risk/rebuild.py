"""How long the rebuild of a drive takes.

:func:`simulated` lets the performance model rebuild a sample of a drive, spread over it, with the
settings of the controller (or host). :func:`least` is a lower bound for any rebuild. All used data
of the array is read from the drives that hold it in copies or parity, and written to the new one,
side by side. So the slowest part determines the time:

- a hard disk passes all its tracks, at the mean of its outermost and innermost (capacity over
  radius is about linear), one track a revolution;
- flash is read and written at the slowest of link, data path, channels and dies;
- the data of the drives that are read crosses a link that they share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from raidsim import progress
from raidsim.assembly.drives import kind_at, kind_of
from raidsim.assembly.volume_rows import drives_of, member_of
from raidsim.control.model import BuiltSystem, build
from raidsim.intervene import operation
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t
from raidsim.layout.address import whole_drive
from raidsim.observe import caching, elevator_passes, figures, inventory, saturation
from raidsim.risk.groups import redundancy
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.scenario.intensity import of_a_burst, period_of
from raidsim.scenario.load_spec import Limit
from raidsim.system.system import System
from raidsim.system.tables import SaturationError
from raidsim.units import MIB, NS_PER_S

SAMPLE = 2048 * MIB
"""Bytes of a drive that are rebuilt in a simulation."""

PILOT, MOST_SAMPLE = 64 * MIB, 8192 * MIB
"""Bytes that are rebuilt under a load: at first, to see how long that takes, and at most.

Where a sample goes on at another place of the drive, it loses time that a whole rebuild does not.
"""

WARM = 10_000
"""I/Os of the loads between two looks at the caches, before the rebuild begins."""

STILL_FILLING = 0.01
"""Share of the controllers' caches by which they may still fill from one look to the next."""

PERIODS = 10
"""Periods of the loads' bursts over which a rebuild is simulated at least."""

PASSES = 4
"""How often the destages of a cache go over the disks, at least, while a rebuild is simulated that
would otherwise go along with them."""

IOS = 300_000
"""I/Os of the loads, about, over which a rebuild is simulated: after twice as many, rows so far
count. A sample that is to outlast several passes of destages has twice as many as it may take."""

OUTLASTING_IOS = 10 * IOS
"""I/Os of the loads in a sample that is to outlast them, at most. Destages that go over the disks
more slowly do not pass them often enough to matter."""

LOOK = 20_000
"""I/Os of the loads after which it is looked whether they pile up."""

LARGE = MIB
"""Bytes: an I/O of more counts as so many I/Os, for a simulation takes as much longer. So does what
a hybrid moves or copies between its two parts because of an I/O."""

ELSEWHERE = 2
"""I/Os of loads on other volumes that count as one of those on the volume."""

STEP = 50
"""I/Os of the loads after which they are counted."""

WARM_IOS = 200_000
"""I/Os of the loads before the rebuild, at most."""

LARGER = 1.5
"""By how many times a sample must be larger than one that was simulated to be worth it."""


def simulated(
    scenario: Scenario,
    volume: VolumeSpec,
    *,
    intensity: int | None = None,
    sample: int | None = None,
    rate: float | None = None,
) -> float:
    """Seconds that the rebuild of drive 0 takes, extrapolated from a sample of its rows.

    All others are good, and the new drive is empty. 0 where there is nothing to restore from; inf
    where the loads leave it no step within a great many of their I/Os.

    Parameters
    ----------
    scenario, volume
        The volume, and what is around it.
    intensity
        Number of the point of the scenario's sweep whose loads run meanwhile, from 0 on, and
        before until they have filled the caches of controllers; None: nothing else runs.
    sample
        Bytes of the drive that are rebuilt; None: ``SAMPLE``, or under a load as many as ``IOS``
        of its I/Os take, between ``PILOT`` and ``MOST_SAMPLE``.
    rate
        Share of its time that the rebuild works while hosts do; None: as the volume has it.

    Raises
    ------
    SaturationError
        If open loads ask for more than the volume does while a drive is missing, so that they pile
        up and leave the rebuild no time.
    """
    layout = volume.layout
    if layout is None or volume.failures_tolerated == 0:
        return 0.0
    whole, rows = int(whole_drive(layout)), int(layout["rows"])
    size = sample or (SAMPLE if intensity is None else PILOT)
    longest = PERIODS * max(map(period_of, scenario.loads), default=0.0)
    controller = scenario.controller(volume)
    how = operation.pace(scenario.host.card if controller is None else controller.card, volume)
    how = how if rate is None else replace(how, rate=rate)
    most = 2 * IOS
    while True:
        one = replace(how, sample=min(size / whole, 1.0))
        found = _of_a_sample(scenario, volume, intensity, one, rows, most)
        done, ios = found.progress, found.ios
        if intensity is None or sample or done.done < done.rows:
            break
        wanted = max(min(size * IOS / max(ios, 1), MOST_SAMPLE), size * longest / done.seconds)
        if elevator_passes.go_along(done.seconds * wanted / size, found.pass_time):
            outlasting = size * PASSES * found.pass_time / done.seconds
            enough = math.ceil(2 * ios * outlasting / size)  # or its inner tracks are left out
            if enough <= OUTLASTING_IOS:
                wanted, most = outlasting, max(most, enough)
        if size >= whole or wanted < LARGER * size:
            break
        size = math.ceil(wanted)
    seconds = rows / found.pace if found.pace else math.inf
    if how.limit is not None:
        seconds = max(seconds, whole / how.limit)
    if not found.crowded:
        return seconds
    # That was little of what comes to the volume itself: it is no faster than beside that alone.
    loads = tuple(load for load in scenario.loads if load.name in _on(scenario, volume))
    own = scenario.model_copy(update={"loads": loads})
    alone = simulated(own, volume, intensity=intensity, sample=sample, rate=rate)
    return max(seconds, alone)


@dataclass(frozen=True)
class _Sample:
    """A sample of a rebuild.

    ``progress``: how far it came. ``pace``: rows/s. ``ios``: how many I/Os of the loads counted
    meanwhile. ``pass_time``: s that one pass of the controller's destages over its disks takes, 0
    where no sample is to outlast them. ``crowded``: whether those elsewhere set how much was
    simulated.
    """

    progress: operation.Progress
    pace: float
    ios: int
    pass_time: float
    crowded: bool


def _of_a_sample(
    scenario: Scenario,
    volume: VolumeSpec,
    intensity: int | None,
    how: operation.Pace,
    rows: int,
    most: int,
) -> _Sample:
    """Let a sample be rebuilt beside the loads; after ``most`` I/Os it ends, wherever it is."""
    built = _built(scenario, volume, intensity)
    system, row = built.system, built.volumes[volume.name]
    drive = drives_of(system, row)[0]
    kind_at(system, drive).renew(system, drive)
    system.world.good[member_of(system, row, 0)] = 0
    tiered = any(volume.name in (one.front, one.back) for one in scenario.hybrids)
    loads = _Loads(system, *_apart(scenario, volume, built), tiered=tiered)
    for streams in (loads.own, loads.others):
        for stream in streams:
            system.begin(stream)
        if streams:
            _fill_caches(loads)
    one = operation.add_operation(system, row, s.REBUILD, how, (0, rows), ticket=0)
    opened = [load for load in scenario.loads if load.rate is not None and intensity is not None]
    streams = [stream for load in opened for stream in built.streams[load.name]]
    together = sum(of_a_burst(load, intensity or 0) for load in opened)
    before = figures.counts(system, streams)
    counted = loads.counted
    lane = elevator_passes.lane_of(system, row)
    begun, destaged = int(system.now), elevator_passes.destaged(system, lane)
    first: operation.Progress | None = None
    for ios in range(LOOK, most + LOOK, LOOK):
        progress.go_on()
        loads.run(counted + ios)  # and no further than to the end of the operation
        after = figures.counts(system, streams)
        more = after.in_flight - before.in_flight
        if saturation.piles_up(after.issued - before.issued, more, together):
            raise SaturationError("open loads ask for more than the volume does without a drive")
        state = system.world.operations[one]
        if state["ended"] != t.NONE:
            break
        if first is None and state["retired"] >= state["workers"]:
            first = operation.progress(system, one)
    passed = max(int(system.now) - begun, 1) / NS_PER_S
    rate = (elevator_passes.destaged(system, lane) - destaged) / passed
    ios, crowded = loads.counted - counted, loads.are_crowded
    # Beside loads elsewhere that do so many I/Os, no sample can outlast passes.
    pass_time = 0.0 if crowded else elevator_passes.seconds(system, row, rate)
    done = operation.progress(system, one)
    system.close()
    return _Sample(done, _pace(first, done), ios, pass_time, crowded)


def _pace(first: operation.Progress | None, done: operation.Progress) -> float:
    """Rows/s of a sample: where its end is not reached, since all workers had done their first.

    What they did at the beginning counts, and the rest after it does not yet: the first steps of a
    rebuild that rests for most of the time are over at once.
    """
    if first is not None and first.done < done.done < done.rows:
        return (done.done - first.done) / (done.seconds - first.seconds)
    return done.done / done.seconds if done.seconds else 0.0


class _Loads:
    """The loads of a system, and their I/Os, as far as they affect the progress of a rebuild.

    Large I/Os count as several. Fast drives elsewhere do a million I/Os while a few thousand go to
    the volume that is rebuilt. So these few thousand are counted, and the others only if they are
    many times more.
    """

    def __init__(
        self, system: System, own: Sequence[int], others: Sequence[int], *, tiered: bool
    ) -> None:
        self.system, self.own, self.others = system, list(own), list(others)
        self.tiered = tiered  # the volume is a part of a hybrid

    @property
    def counted(self) -> int:
        """I/Os that are complete; as many as they are times ``LARGE``, if that is more."""
        streams, completed = self.system.world.streams, int(self.system.state["completed"])
        asked = int(streams["window_bytes"].sum()) + self._moved
        every = max(completed, asked // LARGE)
        if not self.others:
            return every
        return max(self._own, every // ELSEWHERE)

    @property
    def _moved(self) -> int:
        """Bytes that hybrids have moved or copied between their parts."""
        hybrids = self.system.world.hybrids
        return int(hybrids["promoted"].sum() + hybrids["written_back"].sum())

    @property
    def _own(self) -> int:
        own = self.system.world.streams[self.own]
        done = int(own["completed"].sum() + own["failed"].sum() + own["timed_out"].sum())
        asked = int(own["window_bytes"].sum()) + (self._moved if self.tiered else 0)
        return max(done, asked // LARGE)

    @property
    def are_crowded(self) -> bool:
        """Whether those elsewhere do so many more that they are what counts."""
        return bool(self.others) and self.counted > self._own

    def run(self, until: int) -> None:
        """Let them run until so many are counted, or something ends."""
        reason = t.RETURN_BUDGET
        while self.counted < until and reason == t.RETURN_BUDGET:
            done = int(self.system.state["completed"])
            step = done - done % STEP + STEP
            reason = self.system.run(budget=step if self.others else min(step, until))


def _on(scenario: Scenario, volume: VolumeSpec) -> set[str]:
    """The names of the loads on a volume, alone or in a hybrid."""
    names = {volume.name}
    names |= {one.name for one in scenario.hybrids if volume.name in (one.front, one.back)}
    return {load.name for load in scenario.loads if load.volume in names}


def _apart(
    scenario: Scenario, volume: VolumeSpec, built: BuiltSystem
) -> tuple[list[int], list[int]]:
    """The streams on a volume, and those elsewhere; all of them, where none is on it."""
    on_it = _on(scenario, volume)
    own = [one for name, streams in built.streams.items() if name in on_it for one in streams]
    every = [one for streams in built.streams.values() for one in streams]
    return (own, [one for one in every if one not in own]) if own else (every, [])


def _fill_caches(loads: _Loads) -> None:
    """Let the loads run until the caches of controllers no longer fill."""
    system, held = loads.system, -1.0
    enough = STILL_FILLING * caching.cache_size(system)
    begun = loads.counted
    for counted in range(WARM, WARM_IOS + 1, WARM):
        loads.run(begun + counted)
        before, held = held, caching.cached(system)
        if held - before <= enough:
            break


def _built(scenario: Scenario, volume: VolumeSpec, intensity: int | None) -> BuiltSystem:
    """The system, with the loads of a point of the sweep or with the volume alone.

    A rebuild takes hours: loads go on, whatever their limit.
    """
    volumes = tuple(
        one.model_copy(update={"failed": (), "state": "filled"}) for one in scenario.volumes
    )
    loads = tuple(load.model_copy(update={"limit": Limit()}) for load in scenario.loads)
    whole = scenario.model_copy(update={"volumes": volumes, "loads": loads})
    if intensity is not None:
        return build(whole, intensity)
    alone = whole.model_copy(
        update={"volumes": (whole.volume(volume.name),), "hybrids": (), "loads": ()}
    )
    return build(alone)


def least(scenario: Scenario, volume: VolumeSpec) -> float:
    """Seconds that a rebuild takes at least; 0 where there is nothing to restore from."""
    layout = volume.layout
    if layout is None or volume.failures_tolerated == 0:
        return 0.0
    sources = redundancy(volume).group.sources
    rates = [
        *kind_of(volume.card).mean_rates(volume.card),
        *(link / sources for link in _links(scenario, volume)),
    ]
    return int(whole_drive(layout)) / min(rates)


def _links(scenario: Scenario, volume: VolumeSpec) -> list[float]:
    """Bandwidths of the links that the drives of a volume are connected to, bytes/s.

    If the drives are spread over several, each counts as if all drives were on such links.
    """
    known = {link.name: link for link in inventory.links(scenario)}
    ways: dict[str, int] = {}  # how many of the ways up lead over a link
    for lowest in volume.behind:
        name = lowest
        while name in known and name != volume.controller:
            ways[name] = ways.get(name, 0) + 1
            name = known[name].to
    return [known[name].mbps * MIB * len(volume.behind) / n for name, n in ways.items()]
