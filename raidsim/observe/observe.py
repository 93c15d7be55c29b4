"""Reading what the kernel counted in the window, as the plain data of results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import below, drives_of, threads_of
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.layout.tables import PARITY
from raidsim.result import Counts, Latency, Limit, Stage, StationUse, owner_and_part
from raidsim.scenario import LoadSpec
from raidsim.stats.histogram import FEW_EXCEEDANCES, exceedances, percentiles
from raidsim.system.system import System
from raidsim.units import MIB, MS_PER_S, NS_PER_MS, NS_PER_S

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
HOST_KIND = "host CPU"
SLOT_KIND = "command slot"
KINDS_THAT_NEVER_LIMIT = ("command latency", SLOT_KIND)
PARALLEL_KINDS = ("flash channel", "flash die")
TIED = 0.01  # difference in use up to which two parts are equally busy
READ_FIRST = 0.1  # bytes read of those written, from which on writes use a link both ways
ALIKE = 1.5  # busiest drive over the mean of a volume's drives, up to which they count as one part


def span(system: System) -> int:
    """Length of the window so far, ns."""
    return system.now - int(system.state["slice_origin"])


def rates(system: System, streams: Sequence[int]) -> tuple[float, float]:
    """IO/s and MB/s (2**20) of these streams together, over the window or since they began."""
    rows = system.world.streams[list(streams)]
    seconds = seconds_of(system, streams)
    if seconds <= 0:
        return 0.0, 0.0
    ios, size = int(rows["window_ios"].sum()), int(rows["window_bytes"].sum())
    return ios / seconds, size / MIB / seconds


def seconds_of(system: System, streams: Sequence[int]) -> float:
    """Return the time for which these streams ran in the window, s."""
    rows = system.world.streams[list(streams)]
    begun = max(int(rows["start"].min()), int(system.state["slice_origin"]))
    # After its last completion a load's rate no longer falls.
    end = int(rows["last"].max()) if system.are_over(streams) else system.now
    return (end - begun) / NS_PER_S


def times(system: System, streams: Sequence[int], op: int) -> NDArray[np.int64]:
    """Return the number of I/Os of a kind in each bin of response times, over these streams."""
    first, *others = system.accounts(streams)
    found: NDArray[np.int64] = system.world.latencies[first, op].copy()
    for account in others:  # a copy of all of them at once would take twice as long
        found += system.world.latencies[account, op]
    return found


def latency(
    system: System, streams: Sequence[int], op: int, histogram: NDArray[np.int64]
) -> Latency | None:
    """Response times of I/Os of a kind (READ, WRITE, FLUSH, TRIM); None if there were none.

    ``histogram`` is that of :func:`times`.
    """
    world = system.world
    rows = list(streams)
    if op >= t.FLUSH:
        samples = int(world.streams["window_others"][rows, op - t.FLUSH].sum())
        passed = int(world.streams["window_others_ns"][rows, op - t.FLUSH].sum())
    else:
        samples = int(world.streams["window_ios"][rows, op].sum())
        passed = int(world.streams["window_ns"][rows, op].sum())
    return latency_of(samples, passed, histogram)


def latency_of(samples: int, passed: int, histogram: NDArray[np.int64]) -> Latency | None:
    """Response times of so many I/Os that took ``passed`` ns in all; None if there were none."""
    if samples == 0:
        return None
    found = percentiles(histogram, list(QUANTILES.values()))
    p50, p95, p99, p999 = (None if value is None else value / NS_PER_MS for value in found)
    return Latency(passed / samples / NS_PER_MS, p50, p95, p99, p999, samples)


def latency_of_all(system: System, streams: Sequence[int], quantile: float | None) -> float | None:
    """Response time of reads and writes together, ms: a quantile, or the mean if that is None.

    None if nothing was measured, or too little beyond the quantile.
    """
    world = system.world
    rows = list(streams)
    if quantile is not None:
        counts = world.latencies[system.accounts(rows), : t.FLUSH].sum(axis=(0, 1))
        (found,) = percentiles(counts, [quantile])
        return None if found is None else found / NS_PER_MS
    samples = int(world.streams["window_ios"][rows].sum())
    return int(world.streams["window_ns"][rows].sum()) / samples / NS_PER_MS if samples else None


def within(
    system: System, load: LoadSpec, streams: Sequence[int]
) -> tuple[bool | None, float | None]:
    """Return whether a load is within the latency it asks for, and what its latency is, in ms."""
    if load.within is None:
        return None, None
    found = latency_of_all(system, streams, load.within_percentile)
    account = counts(system, streams)
    answered = account.failed == account.timed_out == 0
    return found is not None and found <= load.within * MS_PER_S and answered, found


def latencies(
    system: System, load: LoadSpec, streams: Sequence[int]
) -> tuple[dict[str, Latency | None], list[str]]:
    """Response times by kind of I/O, and a warning for each that rests on few samples.

    Flushes and trims are given if the load asks for any, or its trace had any.
    """
    others = system.world.streams["window_others"][list(streams)]
    found: dict[str, Latency | None] = {}
    warnings: list[str] = []
    for kind, op, asked in (
        ("read", t.READ, True),
        ("write", t.WRITE, True),
        ("flush", t.FLUSH, load.flush_every > 0),
        ("trim", t.TRIM, load.trim > 0),
    ):
        if asked or others[:, op - t.FLUSH].any():
            histogram = times(system, streams, op)
            found[kind] = latency(system, streams, op, histogram)
            warnings += percentiles_of_few(histogram, op, kind)
    return found, warnings


def percentiles_of_few(histogram: NDArray[np.int64], op: int, kind: str) -> list[str]:
    """A warning for each percentile that rests on few samples."""
    if not histogram.any():
        return []
    beyond = exceedances(histogram, list(QUANTILES.values()))
    found = percentiles(histogram, list(QUANTILES.values()))
    several = "flushes" if op == t.FLUSH else f"{kind}s"
    return [
        f"{name} of {several} rests on fewer than {FEW_EXCEEDANCES} samples beyond it"
        for name, value, count in zip(QUANTILES, found, beyond, strict=True)
        if value is not None and count < FEW_EXCEEDANCES
    ]


def stations_of(system: System, streams: Sequence[int]) -> tuple[set[int], list[int]]:
    """The stations that the I/Os of these streams visit, and all streams on the same volumes."""
    world = system.world
    rows = world.streams[list(streams)]
    found: set[int] = set()
    for process in set(rows["process"].tolist()):
        found |= {int(world.processes[process][end]) for end in ("submit", "complete")}
    volumes = set(rows["volume"].tolist())
    for volume in volumes:
        found |= set(volume_stations(system, volume))
    every = world.streams["volume"][: system.count("streams")].tolist()
    return found, [stream for stream, volume in enumerate(every) if volume in volumes]


def volume_stations(system: System, volume: int) -> list[int]:
    """The stations of a volume: of its drives and all that leads to them, or of its route."""
    world = system.world
    row = world.volumes[volume]
    if row["kind"] == t.VOLUME_ROUTE:
        steps = world.steps[row["first_step"] : row["first_step"] + row["steps"]]
        return [
            station
            for step in steps
            for station in range(step["station"], step["station"] + step["branches"])
        ]
    parts = below(system, volume)
    found = [station for part in parts for station in volume_stations(system, part)]
    found += [
        station for drive in drives_of(system, volume) for station in drive_stations(system, drive)
    ]
    if row["kind"] == t.VOLUME_ARRAY and not parts:
        array = world.arrays[row["array"]]
        found += threads_of(array)
        if array["shared"] != t.NONE:
            found.append(int(array["shared"]))
    if row["controller"] != t.NONE:
        controller = world.controllers[row["controller"]]
        found += [int(controller[name]) for name in CONTROLLER_STATIONS]
        if controller["cache"] != t.NONE:
            found.append(int(world.caches[controller["cache"]]["copy"]))
    return list(dict.fromkeys(found))


def drive_stations(system: System, index: int) -> list[int]:
    """The stations of a drive, and of the shared links on its way up."""
    world = system.world
    drive = world.drives[index]
    found = [int(drive["latency_station"])]
    if drive["slots"] != t.NONE:
        found.append(int(drive["slots"]))
    hops = world.hops[drive["first_hop"] : drive["first_hop"] + drive["hops"]]
    found += [int(hop[way]) for hop in hops for way in ("up", "down")]
    return [*found, *kind_at(system, index).stations(system, index)]


CONTROLLER_STATIONS = ("commands", "to_host", "to_controller", "replies")


def cached(system: System) -> int:
    """Bytes that the caches of controllers hold, dirty ones counted twice."""
    rows = _of_controllers(system)
    return int(rows["used"].sum() + rows["dirty"].sum())


def cache_size(system: System) -> int:
    """Bytes of the caches of controllers."""
    return int(_of_controllers(system)["size"].sum())


def _of_controllers(system: System) -> Any:
    """Rows of the caches of controllers: the front of a hybrid may take hours to fill."""
    rows = system.world.caches[: system.count("caches")]
    return rows[rows["errand"] == ERRAND_DESTAGE]


def worked(rows: Any) -> Any:
    """Return the time for which the servers of stations did needed work, ns.

    A disk reads ahead while no command wants its arm, and stops at once when one does. As long as
    nobody asks for this data, the time does not count: it delays no command.
    """
    return rows["busy_area"] - np.maximum(rows["unasked"], 0)


def stations(system: System, chosen: Collection[int] | None = None) -> list[StationUse]:
    """Every station (of ``chosen``) used in the window; ``servers`` 0 means a pure delay."""
    passed = span(system)
    if passed == 0:
        return []
    row = system.world.stations[: len(system.names)]
    seen = (row["arrivals"] != 0) | (row["busy_area"] != 0)
    busy = worked(row).tolist()  # as whole columns, which takes a tenth of the time
    queue, servers = row["queue_area"].tolist(), row["servers"].tolist()
    used = []
    for index in np.flatnonzero(seen).tolist():
        if chosen is not None and index not in chosen:
            continue
        of = system.halted.get(index, servers[index])
        delay = of >= t.UNLIMITED
        name = system.names[index]
        used.append(
            StationUse(
                name=name.name,
                kind=name.kind,
                servers=0 if delay else of,
                # Times of read-ahead are rounded: a few ns more may come out than passed.
                utilisation=0.0 if delay else min(busy[index] / passed / of, 1.0),
                queue=queue[index] / passed,
            )
        )
    return used


def stages(system: System, streams: Sequence[int]) -> dict[str, Stage]:
    """Time waited and served by kind of station, per completed I/O of the host.

    All work that an I/O causes counts: the commands of an array, and the work after its answer. A
    station serves all loads alike, so its time is the mean over all of them. This holds for the
    completion of a host; submission is that of these streams' own processes. A command slot is held
    while the stations behind it work and the command waits for them; only the wait for a slot
    counts for the slot itself.
    """
    world = system.world
    own = stations_of(system, streams)[0]
    done = _ios_by_station(system)
    indices = sorted(own)
    rows = world.stations[indices]
    waited: dict[str, float] = {}
    served: dict[str, float] = {}
    serving = (rows["served"] - np.maximum(rows["unasked"], 0)).tolist()
    for index, arrivals, waits, serves in zip(
        indices, rows["arrivals"].tolist(), rows["waited"].tolist(), serving, strict=True
    ):
        kind = system.names[index].kind
        ios = _ios_of_cpu(system, streams, index) if kind == HOST_KIND else done.get(index, 0)
        if ios == 0 or arrivals == 0:
            continue
        work = 0 if kind == SLOT_KIND else serves
        waited[kind] = waited.get(kind, 0.0) + waits / ios / NS_PER_MS
        served[kind] = served.get(kind, 0.0) + work / ios / NS_PER_MS
    return {
        kind: Stage(waited[kind], served[kind])
        for kind in waited
        if served[kind] > 0 or waited[kind] > 0
    }


def _ios_of_cpu(system: System, streams: Sequence[int], station: int) -> int:
    """I/Os in the window of these streams and all others that use a station of a host's CPU."""
    rows = system.world.streams[: system.count("streams")]
    processes = system.world.processes[rows["process"]]
    using = (processes["submit"] == station) | (processes["complete"] == station)
    using[list(streams)] = True
    return int(rows["window_ios"][using].sum())


def _ios_by_station(system: System) -> dict[int, int]:
    """I/Os of the window, of all streams on the volumes that a station belongs to."""
    volumes = system.world.streams["volume"][: system.count("streams")]
    ios = system.world.streams["window_ios"][: system.count("streams")].sum(axis=1)
    done: dict[int, int] = {}
    for volume in set(volumes.tolist()):
        of_volume = int(ios[volumes == volume].sum())
        for station in set(volume_stations(system, volume)):
            done[station] = done.get(station, 0) + of_volume
    return done


def limit_of(system: System, streams: Sequence[int], used: Sequence[StationUse]) -> Limit | None:
    """The station that prevents more I/Os of these streams, of the stations that they visit.

    Traffic of others on a link does not count in a direction that these streams do not use.
    """
    volumes = set(system.world.streams["volume"][list(streams)].tolist())
    latencies = [
        int(system.world.drives[drive]["latency_station"])
        for volume in volumes
        for drive in drives_of(system, volume)
    ]
    own = {owner_and_part(system.names[station].name)[0] for station in latencies}
    idle = {system.names[station].name for station in _unused_ways(system, streams, volumes)}
    return limit([use for use in used if use.name not in idle], system.volume_of, own)


def _unused_ways(system: System, streams: Sequence[int], volumes: Collection[int]) -> set[int]:
    """Stations of shared links and of controllers' in directions that streams do not use.

    Reads come up, and writes go down. Writes to parity have old data read first, and hybrids move
    data by themselves: links of their drives are used both ways.
    """
    world = system.world
    reads, writes = world.streams["window_ios"][list(streams)].any(axis=0).tolist()
    if reads == writes:
        return set()
    of_hop, of_controller = ("down", "to_controller") if reads else ("up", "to_host")
    found = set()
    for volume in volumes:
        place = world.volumes[volume]
        if place["controller"] != t.NONE:
            found.add(int(world.controllers[place["controller"]][of_controller]))
        if not _works_both_ways(system, volume, writes=writes):
            for index in drives_of(system, volume):
                drive = world.drives[index]
                hops = world.hops[drive["first_hop"] : drive["first_hop"] + drive["hops"]]
                # A link that is half duplex is one station.
                found |= set(hops[of_hop][hops["up"] != hops["down"]].tolist())
    return found


def _works_both_ways(system: System, volume: int, *, writes: bool) -> bool:
    """Return whether reads or writes alone move much data of drives in both directions."""
    place = system.world.volumes[volume]
    if place["kind"] != t.VOLUME_ARRAY:
        return False
    if below(system, volume):
        return True
    if not writes or system.world.arrays[place["array"]]["family"] != PARITY:
        return False
    read, written = (
        sum(int(system.since("drives", drive, field)) for drive in drives_of(system, volume))
        for field in ("host_read", "host_written")
    )
    return read > READ_FIRST * written


def limit(
    used: Sequence[StationUse], volume_of: Mapping[str, str], own: Collection[str] = ()
) -> Limit | None:
    """The busiest part: what stands in the way of more I/Os.

    Channels and dies work in parallel and count by their mean over the whole drive. So do the
    drives of an array: the same part of all that worked is one, by its mean, unless one is far
    busier than that (``ALIKE``).

    Parameters
    ----------
    volume_of
        The volume of each drive of an array, by name.
    own
        Names of drives that go before all else that is as busy, but for ``TIED``.
    """
    parts: dict[tuple[str, str], list[StationUse]] = {}  # of one drive, or of anything else
    for use in used:
        if use.kind in KINDS_THAT_NEVER_LIMIT:
            continue
        owner, part = owner_and_part(use.name)
        part = f"{use.kind}s" if use.kind in PARALLEL_KINDS else part
        parts.setdefault((owner, part), []).append(use)
    alike: dict[tuple[str, str], list[Limit]] = {}  # of a whole volume
    for (owner, part), uses in parts.items():
        mean = sum(use.utilisation for use in uses) / len(uses)
        one = Limit(f"{owner}: {part}" if part else owner, uses[0].kind, mean)
        alike.setdefault((volume_of.get(owner, owner), part), []).append(one)
    found = [_of_drives(volume, part, each) for (volume, part), each in alike.items()]
    busiest = max((one.utilisation for one in found), default=0.0)
    volumes = {volume_of.get(name, name) for name in own}
    mine = [
        one
        for (volume, _), one in zip(alike, found, strict=True)
        if volume in volumes and one.utilisation >= busiest - TIED
    ]
    return max(mine or found, key=lambda one: one.utilisation, default=None)


def _of_drives(volume: str, part: str, drives: Sequence[Limit]) -> Limit:
    """The same part of several drives as one, or that of the busiest if they are not alike."""
    busiest = max(drives, key=lambda one: one.utilisation)
    mean = sum(one.utilisation for one in drives) / len(drives)
    if len(drives) == 1 or busiest.utilisation > ALIKE * mean:
        return busiest
    return Limit(
        f"{volume}: {part}",
        busiest.kind,
        mean,
        drives=len(drives),
        busiest=busiest.station,
        busiest_utilisation=busiest.utilisation,
    )


def counts(system: System, streams: Sequence[int]) -> Counts:
    """The account of the I/Os of these streams since the start.

    Raises
    ------
    AssertionError
        If an I/O was lost or counted twice: an error of the simulator.
    """
    rows = system.world.streams[list(streams)]
    found = Counts(
        issued=int(rows["issued"].sum()),
        completed=int(rows["completed"].sum()),
        failed=int(rows["failed"].sum()),
        timed_out=int(rows["timed_out"].sum()),
        in_flight=int(rows["in_flight"].sum()),
        measured=int(rows["window_ios"].sum()),
    )
    if found.issued != found.completed + found.failed + found.timed_out + found.in_flight:
        raise AssertionError(f"I/Os are not conserved: {found}")
    return found


def unanswered(load: LoadSpec, account: Counts) -> list[str]:
    """Return remarks on I/Os of a load that failed or timed out."""
    if not account.failed and not account.timed_out:
        return []
    found = ["latencies leave out the I/Os that failed or timed out"]
    if account.timed_out and load.rate is None:
        found.append(
            f"{account.timed_out:,} I/Os of {load.name} timed out: drives continue with them,"
            " beside the I/Os that are issued in their place"
        )
    return found
