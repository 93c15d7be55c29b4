"""What limits a load: the busiest of the parts that its I/Os visit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from raidsim.assembly.volume_rows import below, drives_of
from raidsim.kernel import tables as t
from raidsim.layout.tables import PARITY
from raidsim.observe.station_use import SLOT_KIND
from raidsim.result import Limit, StationUse, owner_and_part
from raidsim.system.system import System

KINDS_THAT_NEVER_LIMIT = ("command latency", SLOT_KIND)
PARALLEL_KINDS = ("flash channel", "flash die")
TIED = 0.01  # difference in use up to which two parts are equally busy
READ_FIRST = 0.1  # bytes read of those written, from which on writes use a link both ways
ALIKE = 1.5  # busiest drive over the mean of a volume's drives, up to which they count as one part


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
    return busiest_part([use for use in used if use.name not in idle], system.volume_of, own)


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


def busiest_part(
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
