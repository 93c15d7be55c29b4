"""The hardware of a controller, and which controller serves its volumes.

A volume finds its controller's stations and times through rows of tables. If these rows get the
values of another controller, the other one's hardware does the work. The cache row, with its lines,
stays the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from raidsim.assembly.array import on_controller
from raidsim.assembly.volume_rows import below, drives_of
from raidsim.cards import Card
from raidsim.intervene.halt import drain, go_on, halt, send
from raidsim.kernel import controller as road
from raidsim.kernel import tables as t
from raidsim.system.system import System

STATIONS = ("commands", "to_host", "to_controller", "replies")
TIMES = ("command_time", "write_time", "command_ns", "write_ns", "latency", "link_ns")
MEMORY = ("copy", "copy_ns", "keep_ns", "direct_ns", "lookup_time", "line_time", "dirty_time")
REQUESTS = (
    t.STAGE_CONTROLLER_COMMAND,
    t.STAGE_CONTROLLER_LINK,
    t.STAGE_CONTROLLER_ANSWERED,
    t.STAGE_CACHE_COPY,
    t.STAGE_CACHE_LINES,
)
"""Stages in which a request of a host is in a controller's hands."""


@dataclass(frozen=True)
class Hardware:
    """The parts of a controller.

    Attributes
    ----------
    card : its card.
    engine : station of its parity engine.
    controller : fields of its CONTROLLER row, but for the cache.
    memory : fields of its CACHE row that are its memory's; empty without a cache.
    """

    card: Card
    engine: int
    controller: dict[str, Any]
    memory: dict[str, Any]

    @property
    def stations(self) -> list[int]:
        """All its stations."""
        found = [int(self.controller[name]) for name in STATIONS]
        found.append(self.engine)
        return found + ([int(self.memory["copy"])] if self.memory else [])


def hardware_of(system: System, row: int, engine: int, card: Card) -> Hardware:
    """The hardware of a controller as it was built."""
    controller = system.world.controllers[row]
    memory = {}
    if controller["cache"] != t.NONE:
        cache = system.world.caches[controller["cache"]]
        memory = {name: cache[name].item() for name in MEMORY}
    fields = {name: controller[name].item() for name in STATIONS + TIMES}
    return Hardware(card, engine, fields, memory)


def serve_with(system: System, row: int, volumes: Collection[int], hardware: Hardware) -> None:
    """Let this hardware serve the volumes of controller ``row`` from now on."""
    system.set_row("controllers", row, **hardware.controller)
    cache = int(system.world.controllers[row]["cache"])
    if cache != t.NONE:
        system.set_row("caches", cache, **hardware.memory)
    for volume in volumes:
        array = int(system.world.volumes[volume]["array"])
        fields = on_controller(
            hardware.card,
            cores=int(hardware.controller["commands"]),
            engine=hardware.engine,
            layout=system.world.layouts[array],
        )
        system.set_row("arrays", array, **fields)


def wires(system: System, volumes: Collection[int]) -> list[int]:
    """The stations through which commands reach the drives of volumes, and come back.

    They are those of all existing drives, including spares and replaced drives. So the stations
    that continue are those that had stopped, whatever the drives are used for by then.
    """
    drives: list[int] = []
    for volume in volumes:
        for part in below(system, volume) or (volume,):
            drives += system.bays.get(part, drives_of(system, part))
    return [int(station) for station in system.world.drives["latency_station"][drives]]


def stop(system: System, hardware: Hardware, volumes: Collection[int]) -> None:
    """Let a controller stop at once: nothing of it goes on, and nothing reaches its drives."""
    halt(system, [*hardware.stations, *wires(system, volumes)])


def hand_over(
    system: System,
    row: int,
    volumes: Sequence[int],
    old: Hardware,
    new: Hardware,
) -> None:
    """Let ``new`` serve the volumes of controller ``row``, which had stopped with ``old``.

    Hosts send their requests once more, in the order in which they first did; what the drives were
    doing goes on where it was.
    """
    places = dict(zip(old.stations, new.stations, strict=False))
    requests: list[int] = []
    tasks: list[tuple[int, int]] = []  # station of the new one, job
    for where in old.stations:
        for index in drain(system, where) if where in system.halted else []:
            job = system.world.jobs[index]
            if job["volume"] not in volumes:
                send(system, where, index)
            elif job["stage"] in REQUESTS:
                requests.append(index)
            else:
                tasks.append((places[where], index))
    serve_with(system, row, volumes, new)
    if new is old:
        go_on(system, old.stations)
    go_on(system, wires(system, volumes))
    for where, index in tasks:
        send(system, where, index)
    issued = system.world.jobs["issued"]
    for index in sorted(requests, key=lambda one: (int(issued[one]), one)):
        system.have_room()
        system.world.jobs["status"][index] = t.DONE
        with np.errstate(over="ignore"):
            road.command(system.world, index)
