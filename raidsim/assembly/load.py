"""From a load of a scenario to the kernel's streams: one for each worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidsim.assembly import array, replay
from raidsim.assembly.volume_rows import below
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import CLOSED, GIVEN, MANUAL, RATE
from raidsim.scenario import LoadSpec
from raidsim.scenario.intensity import at
from raidsim.system.system import System
from raidsim.units import NS_PER_S


def to_ns(seconds: float) -> int:
    """Seconds to whole nanoseconds."""
    return round(seconds * NS_PER_S)


def add_streams(
    system: System,
    load: LoadSpec,
    *,
    volume: int,
    processes: Sequence[int],
    names: Sequence[str],
    intensity: int = 0,
) -> list[int]:
    """Add a stream for each worker, which are measured as one; their indices.

    Parameters
    ----------
    processes
        Of each worker; NONE for one that only tells what it would do.
    names
        Of each stream, which seed it.
    intensity
        Which entry of the load's sweep (``outstanding`` or ``rate``).
    """
    found: list[int] = []
    for worker, (process, name) in enumerate(zip(processes, names, strict=True)):
        account = int(system.world.streams["account"][found[0]]) if found else None
        found.append(
            _add_stream(
                system, load, worker, volume, process, name, intensity=intensity, account=account
            )
        )
    return found


def _add_stream(
    system: System,
    load: LoadSpec,
    worker: int,
    volume: int,
    process: int,
    name: str,
    *,
    intensity: int,
    account: int | None,
) -> int:
    """Add the stream of one worker; its index."""
    fields = _intensity(system, load, intensity) | _end(system, load, worker)
    capacity = int(system.world.volumes[volume]["size"])
    offset, size = load.extent(capacity, worker)
    if load.burst is not None:
        fields |= {"burst_on": to_ns(load.burst.on), "burst_off": to_ns(load.burst.off)}
    if load.timeout is not None:
        fields["timeout"] = to_ns(load.timeout)
    index = system.add_stream(
        name,
        load.mix,
        zones=zones_of(load),
        account=account,
        volume=volume,
        process=process,
        area_offset=offset,
        area_size=size,
        align=load.align,
        zipf=load.zipf or 0.0,
        once=int(load.once),
        flush_every=load.flush_every,
        fua=int(load.fua),
        think=to_ns(load.think),
        think_law=_law(load.think_distribution),
        priority=load.priority,
        **fields,
    )
    need_room(system, volume, max(one.size for one in load.sizes))
    if load.trace is not None and process != t.NONE:
        replay.add_feed(system, index, load, volume)
    return index


def _intensity(system: System, load: LoadSpec, intensity: int) -> dict[str, Any]:
    """Return the intensity of a stream: a number outstanding, a rate, or given times."""
    if load.outstanding is not None:
        return {"mode": CLOSED, "outstanding": at(load.outstanding, intensity)}
    if load.rate is not None:
        gap = NS_PER_S / at(load.rate, intensity)
        return {"mode": RATE, "gap": gap, "gap_law": _law(load.rate_distribution)}
    if load.arrivals is not None:
        first = system.add_given("arrivals", map(to_ns, load.arrivals))
        return {"mode": GIVEN, "first_arrival": first, "arrivals": len(load.arrivals)}
    return {"mode": MANUAL if load.trace is None else GIVEN}


def _law(distribution: str) -> int:
    """Return the distribution of gaps and pauses about their mean."""
    return t.LAW_EXPONENTIAL if distribution == "exponential" else t.LAW_CONSTANT


def _end(system: System, load: LoadSpec, worker: int) -> dict[str, int]:
    """Return the limits of the stream of one worker, by field of STREAM; empty without a limit."""
    found: dict[str, int] = {}
    if load.limit.ios is not None:
        found["stop_ios"] = share_of(load.limit.ios, load.workers, worker)
    if load.limit.bytes is not None:
        # Requests of one size are shared whole, or each worker would round up its own part.
        grain = load.sizes[0].size if len(load.sizes) == 1 else 1
        grains = -(-load.limit.bytes // grain)
        found["stop_bytes"] = grain * share_of(grains, load.workers, worker)
    if load.limit.time is not None:
        found["stop_time"] = system.now + to_ns(load.limit.time)
    return found


def zones_of(load: LoadSpec) -> Sequence[tuple[float, float]]:
    """Shares of area and random accesses of its zones; none if all places are equal."""
    if load.zones is not None:
        return load.zones
    if load.hot is None or load.hot.area >= 1:
        return ()
    return (load.hot, (1 - load.hot.area, 1 - load.hot.accesses))


def need_room(system: System, volume: int, length: int) -> None:
    """Make sure that one event of an I/O of ``length`` bytes on a volume finds enough jobs.

    The host splits it into commands at one instant; a drive splits a command into pages; a hybrid
    asks for its blocks one by one, and may begin to copy them.
    """
    if parts := below(system, volume):
        row = system.world.arrays[system.world.volumes[volume]["array"]]
        hybrid = system.world.hybrids[row["hybrid"]]
        cache = system.world.caches[hybrid["cache"]]
        length = max(length, *(int(size) for size in (hybrid["block"], cache["destage_size"])))
        length = max(length, int(row["width"])) + int(hybrid["stripe"])  # of a log: at most
        system.need_margin(4 * (length // int(hybrid["block"]) + 2) + int(cache["most_tasks"]))
        for part in parts:
            need_room(system, part, length)
        return
    if system.world.volumes[volume]["kind"] == t.VOLUME_ARRAY:
        array.need_room(system, volume, length)
        return
    drive = system.world.drives[system.world.volumes[volume]["drive"]]
    longest = int(drive["max_transfer"])
    system.need_margin(length // longest + min(length, longest) // int(drive["grain"]))


def share_of(total: int, workers: int, worker: int) -> int:
    """The part of a limit that one worker gets; the parts add up to the whole."""
    return total * (worker + 1) // workers - total * worker // workers
