"""Reading what the kernel counted in the window, as the plain data of results."""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.build.system import System
from raidsim.kernel import tables as t
from raidsim.result import Counts, Latency, Limit, Stage, StationUse
from raidsim.stats.histogram import FEW_EXCEEDANCES, exceedances, percentiles

NS_PER_S = 1e9
NS_PER_MS = 1e6
MIB = 2**20
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
KINDS_THAT_NEVER_LIMIT = ("command latency",)
PARALLEL_KINDS = ("flash channel", "flash die")


def span(system: System) -> int:
    """Length of the window so far, ns."""
    return system.now - int(system.state["slice_origin"])


def rates(system: System, streams: Sequence[int]) -> tuple[float, float]:
    """IO/s and MB/s (2**20) of these streams together, over the window or since they began."""
    rows = system.world.streams[list(streams)]
    begun = max(int(rows["start"].min()), int(system.state["slice_origin"]))
    # After its last completion a load's rate no longer falls.
    end = int(rows["last"].max()) if system.are_over(streams) else system.now
    seconds = (end - begun) / NS_PER_S
    if seconds <= 0:
        return 0.0, 0.0
    ios, size = int(rows["window_ios"].sum()), int(rows["window_bytes"].sum())
    return ios / seconds, size / MIB / seconds


def latency(system: System, streams: Sequence[int], op: int) -> Latency | None:
    """Response times of the I/Os of kind ``op`` (READ, WRITE); None if there were none."""
    world = system.world
    rows = list(streams)
    samples = int(world.streams["window_ios"][rows, op].sum())
    if samples == 0:
        return None
    found = percentiles(world.latencies[rows, op].sum(axis=0), list(QUANTILES.values()))
    p50, p95, p99, p999 = (None if value is None else value / NS_PER_MS for value in found)
    mean = int(world.streams["window_ns"][rows, op].sum()) / samples / NS_PER_MS
    return Latency(mean, p50, p95, p99, p999, samples)


def uncertain_percentiles(system: System, streams: Sequence[int], op: int, kind: str) -> list[str]:
    """A warning for each percentile that rests on few samples."""
    histogram = system.world.latencies[list(streams), op].sum(axis=0)
    if not histogram.any():
        return []
    beyond = exceedances(histogram, list(QUANTILES.values()))
    found = percentiles(histogram, list(QUANTILES.values()))
    return [
        f"{name} of {kind}s rests on fewer than {FEW_EXCEEDANCES} samples beyond it"
        for name, value, count in zip(QUANTILES, found, beyond, strict=True)
        if value is not None and count < FEW_EXCEEDANCES
    ]


def stations(system: System) -> list[StationUse]:
    """Every station that was used in the window; ``servers`` 0 stands for a pure delay."""
    passed = span(system)
    used = []
    for row, name in zip(system.world.stations, system.names, strict=False):
        if passed == 0 or (row["arrivals"] == 0 and row["busy_area"] == 0):
            continue
        servers = int(row["servers"])
        delay = servers >= t.UNLIMITED
        used.append(
            StationUse(
                name=name.name,
                kind=name.kind,
                servers=0 if delay else servers,
                utilisation=0.0 if delay else int(row["busy_area"]) / passed / servers,
                queue=int(row["queue_area"]) / passed,
            )
        )
    return used


def stages(system: System, streams: Sequence[int]) -> dict[str, Stage]:
    """Time waited and served at the stations of each kind, per completed I/O of these streams."""
    done = int(system.world.streams["window_ios"][list(streams)].sum())
    if done == 0:
        return {}
    waited: dict[str, int] = {}
    served: dict[str, int] = {}
    for row, name in zip(system.world.stations, system.names, strict=False):
        waited[name.kind] = waited.get(name.kind, 0) + int(row["waited"])
        served[name.kind] = served.get(name.kind, 0) + int(row["served"])
    return {
        kind: Stage(waited[kind] / done / NS_PER_MS, served[kind] / done / NS_PER_MS)
        for kind in waited
        if served[kind] > 0
    }


def limit(used: Sequence[StationUse]) -> Limit | None:
    """The busiest station: what stands in the way of more I/Os.

    Channels and dies work in parallel and count by their mean over the whole drive.
    """
    groups: dict[str, list[StationUse]] = {}
    for use in used:
        if use.kind in KINDS_THAT_NEVER_LIMIT:
            continue
        owner = use.name.partition(":")[0]
        name = f"{owner}: {use.kind}s" if use.kind in PARALLEL_KINDS else use.name
        groups.setdefault(name, []).append(use)
    if not groups:
        return None
    mean = {name: sum(u.utilisation for u in group) / len(group) for name, group in groups.items()}
    busiest = max(mean, key=lambda name: mean[name])
    return Limit(busiest, groups[busiest][0].kind, mean[busiest])


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
