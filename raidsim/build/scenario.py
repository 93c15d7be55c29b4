"""From a scenario to a system ready to run at one intensity of its sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.build import ftl
from raidsim.build.drive import add_drive
from raidsim.build.heat import STANDARD_AIR, Air
from raidsim.build.host import add_process
from raidsim.build.load import add_stream
from raidsim.build.system import System
from raidsim.kernel import tables as t
from raidsim.scenario import Scenario, VolumeSpec


@dataclass(frozen=True)
class Machine:
    """A system built from a scenario, with the rows that its parts have.

    ``streams`` maps each load's name to the streams of its workers, in order.
    """

    system: System
    volumes: dict[str, int]
    streams: dict[str, list[int]]


def add_volume(system: System, volume: VolumeSpec, air: Air = STANDARD_AIR) -> int:
    """Add a volume with its drives, as nothing was ever written to them, in some air; its index."""
    drive = add_drive(system, volume.name, volume.card, air)
    return system.add_row(
        "volumes", kind=t.VOLUME_SINGLE, drive=drive, size=volume.card.integer("capacity.user")
    )


def prepare(system: System, volume: VolumeSpec, row: int, streams: Sequence[int] = ()) -> None:
    """Bring the drives of volume ``row`` into the state that it says.

    In the steady state these streams have written to them.
    """
    drive = system.world.drives[system.world.volumes[row]["drive"]]
    if drive["kind"] != t.DRIVE_SSD or volume.state == "fresh":
        return
    ssd = system.world.ssds[drive["row"]]
    ftl.prepare(
        system,
        int(ssd["ftl"]),
        unit=int(ssd["unit"]),
        filled=volume.filled,
        streams=streams if volume.state == "steady" else (),
    )


def build(scenario: Scenario, intensity: int = 0) -> Machine:
    """Build the system of a scenario, with its loads at one point of the sweep."""
    system = System(scenario.seed)
    air = Air(scenario.air.ambient, scenario.air.airflow)
    volumes = {volume.name: add_volume(system, volume, air) for volume in scenario.volumes}
    streams: dict[str, list[int]] = {}
    for load in scenario.loads:
        streams[load.name] = []
        for worker in range(load.workers):
            process = add_process(
                system, f"{load.name} {worker + 1}", scenario.host.card, scenario.host.clock
            )
            streams[load.name].append(
                add_stream(
                    system,
                    load,
                    worker,
                    volume=volumes[load.volume],
                    process=process,
                    intensity=intensity,
                )
            )
    for volume in scenario.volumes:
        row = volumes[volume.name]
        on_it = [s for all_of in streams.values() for s in all_of
                 if system.world.streams[s]["volume"] == row]  # fmt: skip
        prepare(system, volume, row, on_it)
    return Machine(system, volumes, streams)
