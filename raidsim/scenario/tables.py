"""The content of a scenario: all its tables, checked, with every default filled in."""

from __future__ import annotations

from typing import Annotated

from raidsim.errors import InputError, Problem, quote
from raidsim.scenario.event import EventSpec
from raidsim.scenario.fields import Count, Text, key
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import AirSpec, LinkSpec, Measure
from raidsim.scenario.part import Name, Part
from raidsim.scenario.specs import ControllerSpec, HostSpec, HybridSpec, VolumeSpec


class Tables(Part):
    """The tables of a scenario, with plain numbers in base units.

    s, bytes, Hz, and shares from 0 to 1.
    """

    title: Name = key("title of reports", None, "the name of the file")
    description: Annotated[str, Text()] = key("what it is about", "")
    seed: Annotated[int, Count(0, 2**63 - 1)] = key("seed of all random numbers", 1)
    host: HostSpec = key("the server")
    controllers: tuple[ControllerSpec, ...] = key("the controllers, if there are any")
    links: tuple[LinkSpec, ...] = key("expanders, switches and networks, if there are any")
    volumes: tuple[VolumeSpec, ...] = key("the volumes")
    hybrids: tuple[HybridSpec, ...] = key("volumes in front of volumes, if there are any", ())
    loads: tuple[LoadSpec, ...] = key("the loads")
    machines: tuple[MachineSpec, ...] = key("virtual machines that boot, if there are any")
    air: AirSpec = key("the air that the drives stand in")
    measure: Measure = key("how to measure")
    events: tuple[EventSpec, ...] = key("what happens meanwhile", ())

    @property
    def points(self) -> int:
        """Points of the sweep: the length of its longest list."""
        return max((len(load.intensities) or 1 for load in self.loads), default=1)

    @property
    def groups(self) -> list[tuple[LoadSpec, ...]]:
        """Its loads group by group: those of one begin together, once the one before is over."""
        number: dict[str, int] = {}
        for load in self.loads:
            number[load.name] = 0 if load.after is None else number[load.after] + 1
        last = max(number.values(), default=-1)
        return [
            tuple(load for load in self.loads if number[load.name] == group)
            for group in range(last + 1)
        ]

    @property
    def searched(self) -> LoadSpec | None:
        """The load whose highest intensity within a latency is searched for, if there is one."""
        return next((load for load in self.loads if load.within is not None), None)

    def volume(self, name: str) -> VolumeSpec:
        """The volume of a name.

        Raises
        ------
        InputError
            No volume is called so.
        """
        for volume in self.volumes:
            if volume.name == name:
                return volume
        known = ", ".join(volume.name for volume in self.volumes)
        cause = f"no volume is called {quote(name)}; there are {known}"
        raise InputError([Problem("Scenario.volume()", None, "name", cause)])

    def hybrid(self, name: str | None) -> HybridSpec | None:
        """The hybrid of a name; None if that is a volume."""
        return next((hybrid for hybrid in self.hybrids if hybrid.name == name), None)

    def controller(self, volume: VolumeSpec | HybridSpec) -> ControllerSpec | None:
        """The controller that a volume is on; None for the host itself."""
        return next((c for c in self.controllers if c.name == volume.controller), None)
