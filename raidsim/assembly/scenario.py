"""From the volumes of a scenario to their rows, and to the initial state of their drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from raidsim.assembly.array import add_array
from raidsim.assembly.controller import add_controller, add_hop
from raidsim.assembly.drive import add_drive
from raidsim.assembly.drives import Past, kind_at, kind_of
from raidsim.assembly.fabric import fabric
from raidsim.assembly.heat import STANDARD_AIR, Air
from raidsim.assembly.hybrid import add_hybrid, streams_below
from raidsim.assembly.volume_rows import drives_of, member_area
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.scenario import Requests, Scenario, Tables, VolumeSpec
from raidsim.system.system import System
from raidsim.topology.graph import Drive, Fabric
from raidsim.topology.lanes import share_of_data


@dataclass
class Shared:
    """The rows that volumes share, by name: controllers with their parity engines, and links."""

    controllers: dict[str, tuple[int, int]] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)


def add_volumes(
    system: System,
    scenario: Tables,
    air: Air = STANDARD_AIR,
    volumes: Sequence[VolumeSpec] | None = None,
    shared: Shared | None = None,
) -> dict[str, int]:
    """Add controllers, links and volumes, as nothing was ever written to them; the volumes' rows.

    ``volumes`` are those of the scenario that are wanted; None for all, and all hybrids of them.
    Controllers and links that are in ``shared`` are there already.
    """
    hybrids = scenario.hybrids if volumes is None else ()
    volumes = scenario.volumes if volumes is None else volumes
    shared = Shared() if shared is None else shared
    wanted = {one.controller for one in volumes} | {one.controller for one in hybrids}
    controllers = shared.controllers | {
        spec.name: add_controller(system, spec.name, spec.card)
        for spec in scenario.controllers
        if spec.name in wanted and spec.name not in shared.controllers
    }
    made = fabric(scenario)
    ways = {volume.name: ways_of(made, volume) for volume in volumes}
    used = {name for found in ways.values() for way in found for name in way}
    links = shared.links | {
        name: add_hop(system, made.upward(name))
        for name in made.parts
        if name in used and name not in shared.links
    }
    rows = {}
    for volume in volumes:
        interface = volume.card.word("link.interface")
        hops = [
            add_way(
                system,
                {links[name]: share_of_data(made.parts[name].speed, interface) for name in way},
            )
            for way in ways[volume.name]
        ]
        if volume.layout is None:
            rows[volume.name] = add_single(system, volume, hops[0], air)
            continue
        controller = scenario.controller(volume)
        row, engine = controllers[controller.name] if controller else (t.NONE, None)
        rows[volume.name] = add_array(
            system,
            volume,
            host=scenario.host.card,
            controller=row,
            controller_spec=controller,
            engine=engine,
            hops=hops,
            air=air,
        )
    for hybrid in hybrids:
        controller = scenario.controller(hybrid)
        rows[hybrid.name] = add_hybrid(
            system,
            hybrid,
            front=rows[hybrid.front],
            back=rows[hybrid.back],
            controller=controllers[controller.name][0] if controller else t.NONE,
            controller_spec=controller,
        )
    return rows


def ways_of(made: Fabric, volume: VolumeSpec) -> list[list[str]]:
    """Names of the links on each path up; the drives of a volume take these paths in turn."""
    turns = max(len(volume.behind), 1)
    return [made.shared_links(Drive(volume.name, number)) for number in range(turns)]


def add_single(system: System, volume: VolumeSpec, hops: Sequence[int], air: Air) -> int:
    """Add a volume of one drive on the host, behind links with these rows of `hops`; its index."""
    drive = add_drive(system, volume.name, volume.card, air)
    if hops:
        system.set_row("drives", drive, first_hop=hops[0], hops=len(hops))
    return system.add_row(
        "volumes",
        kind=t.VOLUME_SINGLE,
        drive=drive,
        controller=t.NONE,
        size=volume.card.integer("capacity.user"),
    )


def add_way(system: System, links: Mapping[int, float]) -> list[int]:
    """Rows of `hops` one behind the other for these links, which others may share.

    Each link comes with the share of it that is data of the drives, after frames of SAS.
    """
    rows = []
    for link, share in links.items():
        hop = system.world.hops[link]
        rows.append(system.add_row("hops", up=hop["up"], down=hop["down"], ns=hop["ns"] / share))
    return rows


def prepare(system: System, volume: VolumeSpec, row: int, streams: Sequence[int] = ()) -> None:
    """Bring the drives of volume ``row`` into the state that it says.

    In the steady state these streams have written to them.
    """
    for member, index in enumerate(drives_of(system, row)):
        if volume.state == "fresh":
            continue
        area_of = partial(member_area, system, row, member)
        steady = volume.state == "steady"
        past = Past(
            f"{volume.name} {member}",
            volume.filled,
            steady,
            streams,
            area_of,
            _longest(system, row),
        )
        kind_at(system, index).prepare(system, index, past)


def _longest(system: System, row: int) -> int:
    """The most bytes that a write takes to one drive of volume ``row``: a strip, or any number."""
    volume = system.world.volumes[row]
    if volume["kind"] != t.VOLUME_ARRAY:
        return t.NEVER
    return int(system.world.layouts[volume["array"]]["strip"]) or t.NEVER


def age(
    system: System,
    scenario: Scenario,
    volumes: Mapping[str, int],
    writers: Mapping[str, Sequence[int]],
) -> None:
    """Bring the drives of all volumes into the state that they begin with, once all parts are made.

    Parameters
    ----------
    volumes
        Rows of the volumes and hybrids by name.
    writers
        By load the streams of it, or like it, that have written to its volume before. What a load
        on a hybrid has written to front and back is added here.
    """
    streams = [stream for found in writers.values() for stream in found]
    streams += [
        stream
        for hybrid in scenario.hybrids
        for load in scenario.loads
        if load.volume == hybrid.name
        for stream in streams_below(
            system, hybrid, load, (volumes[hybrid.front], volumes[hybrid.back])
        )
    ]
    for volume in scenario.volumes:
        row = volumes[volume.name]
        on_it = [s for s in streams if system.world.streams[s]["volume"] == row]
        prepare(system, volume, row, on_it)


def age_alone(system: System, volume: VolumeSpec, row: int) -> None:
    """Bring the drives of volume ``row`` into their state, before it is known what loads will come.

    In the steady state single mapping units have been written at random to all that is filled.
    """
    streams = []
    if volume.state == "steady":
        unit = kind_of(volume.card).map_unit(volume.card)
        size = int(volume.capacity * volume.filled) // max(unit, 1) * unit
        if size > 0:
            streams.append(
                system.add_stream(
                    f"{volume.name}: before",
                    [Requests(unit, read=0.0)],
                    mode=MANUAL,
                    volume=row,
                    area_size=size,
                    align=unit,
                )
            )
    prepare(system, volume, row, streams)
