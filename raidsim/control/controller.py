"""Controllers and shared links in a SimPy model: what several volumes have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from raidsim.build import observe, window
from raidsim.build.cache import change_battery
from raidsim.build.controller import add_controller, add_hop
from raidsim.build.fabric import link_part
from raidsim.build.scenario import Shared
from raidsim.cards import Card
from raidsim.cards.toml_file import TomlFile
from raidsim.control.arguments import Arguments, plain
from raidsim.control.environment import Environment
from raidsim.control.speeds import set_speed
from raidsim.errors import quote
from raidsim.result import StationUse
from raidsim.scenario import HybridSpec, LinkSpec, VolumeSpec
from raidsim.scenario.arrays import HOST
from raidsim.scenario.hardware import read_controller
from raidsim.scenario.reading import Reading, read_part

if TYPE_CHECKING:
    from raidsim.control.host import Host


class Part:
    """A controller or a link: some stations with a name, that belong to one environment.

    Attributes
    ----------
    name
        What reports and messages call it.
    """

    env: Environment
    name: str
    _stations: range

    @property
    def stations(self) -> list[StationUse]:
        """Use of its stations that worked in the window, by all volumes."""
        self.env.sync()
        window.settle_areas(self.env.system)
        return observe.stations(self.env.system, self._stations)


class Controller(Part):
    """A RAID controller or host bus adapter, as a scenario's ``[[controller]]`` describes it.

    It is in the server whose volumes it carries. All volumes that are given it share its cores,
    its parity engine, its cache and its link to the host.

    Parameters
    ----------
    env
        The environment.
    model
        Name of a controller card (``raidsim models`` lists them), or the path of one.
    name
        What reports and messages call it; None for "controller1" and so on.
    battery
        State of what keeps its cache in a power cut: "good", "low", "learning" or "absent"; None
        for good if the card has one.
    changes
        Other values for the card, as in a scenario: {"command.time": "8 us"}.

    Attributes
    ----------
    card
        The card with those values, in SI base units.
    battery
        State of its battery, as a scenario words it.

    Raises
    ------
    InputError
        If there is no such card, it isn't a controller's, or a value does not fit it.
    """

    def __init__(
        self,
        env: Environment,
        model: str,
        *,
        name: str | None = None,
        battery: str | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        check = Arguments("Controller()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        self.name = env.check_name(check, "controller", name)
        check.raise_if_wrong()
        self.env = env
        self.model = model
        written = {"name": self.name, "model": model, "battery": battery, "set": table}
        self._table = {key: plain(value) for key, value in written.items() if value is not None}
        reading = Reading(TomlFile("Controller()", data={"controller": [self._table]}))
        values = read_controller(reading, self._table, ("controller", 0), None)
        reading.raise_if_wrong()
        self.card: Card = values["card"]
        self.battery: str = values["battery"]
        self._host: Host | None = None
        self._volumes: list[tuple[VolumeSpec | HybridSpec, int]] = []
        env.sync()
        first = env.system.count("stations")
        self._rows = add_controller(env.system, self.name, self.card)
        self._stations = range(first, env.system.count("stations"))
        env.unique(self.name)

    def __repr__(self) -> str:
        return f"<Controller {self.name}: {self.model}>"

    def set_speed(self, kind: str, speed: float) -> None:
        """Run its stations of a kind at ``speed`` times their built speed from now on.

        Parameters
        ----------
        kind
            "controller core", "parity engine" or "host link".
        speed
            1 as built; 0.5 takes twice as long, work under way included.

        Raises
        ------
        InputError
            If it has no such station, or the speed isn't from 0.001 to 1000.
        """
        check = Arguments(f"{self.name}.set_speed()")
        set_speed(self.env, check, self._stations, kind, speed)

    def set_battery(self, battery: str) -> None:
        """Let its battery be in another state from now on: drained, in a learn cycle, good again.

        Volumes with write = "back" fall to write-through while it is not good; what is dirty then
        goes to the drives.

        Parameters
        ----------
        battery
            "good", "low", "learning" or "absent".

        Raises
        ------
        InputError
            If it has none, or there is no such state.
        """
        table = {**self._table, "battery": plain(battery)}
        reading = Reading(TomlFile("set_battery()", data={"controller": [table]}))
        values = read_controller(reading, table, ("controller", 0), None)
        reading.raise_if_wrong()
        self.battery = values["battery"]
        self._table = table
        self.env.sync()
        if self.card.has("cache.size"):
            for spec, row in self._volumes:
                change_battery(self.env.system, spec, row, self.battery)

    # -- for volumes ------------------------------------------------------------------------

    def carry(self, spec: VolumeSpec | HybridSpec, row: int) -> None:
        """Remember a volume that is on it."""
        self._volumes.append((spec, row))

    def belongs_elsewhere(self, host: Host) -> bool:
        """Whether it is in another server than this one."""
        return self._host is not None and self._host is not host

    def put_into(self, host: Host) -> None:
        """Remember which server it is in."""
        self._host = host


class Link(Part):
    """A link that drives share on their way up, as a scenario's ``[[link]]`` describes it.

    An expander with its wide port, a PCIe switch, a network. Data crosses it whole, one
    transfer after the other in each direction.

    Parameters
    ----------
    env
        The environment.
    name
        What reports and messages call it; None for "link1" and so on.
    speed
        Kind and generation of its lanes, such as "sas-12g" or "pcie-3".
    lanes
        Lanes side by side: the width of the port.
    to
        What it leads to: a :class:`Controller`, another link, or None for the host.

    Attributes
    ----------
    bandwidth
        Payload that it carries each way as built, bytes per second.

    Raises
    ------
    InputError
        If there is no such kind of lanes, or a value is out of range.
    """

    def __init__(
        self,
        env: Environment,
        name: str | None,
        speed: str,
        lanes: int = 1,
        to: Controller | Link | None = None,
    ) -> None:
        check = Arguments("Link()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        check.raise_if_wrong()
        self.name = env.check_name(check, "link", name)
        given: Any = to
        if given is not None and not isinstance(given, Controller | Link):
            cause = f"{quote(given)} is no Controller and no Link"
            check.wrong("to", cause, "give one, or None for the host")
        elif given is not None and given.env is not env:
            check.wrong("to", "belongs to another environment", "make one in this one")
        check.raise_if_wrong()
        self.env = env
        self.to = to
        top = HOST if to is None else to.name
        self._table = {"name": self.name, "speed": speed, "lanes": lanes, "to": top}
        self._table = {key: plain(value) for key, value in self._table.items()}
        reading = Reading(TomlFile("Link()", data={"link": [self._table]}))
        values = read_part(reading, LinkSpec, self._table, ("link", 0))
        reading.raise_if_wrong()
        part = link_part(
            LinkSpec.model_construct(**values), to.card if isinstance(to, Controller) else None
        )
        self.bandwidth = part.bandwidth
        env.sync()
        first = env.system.count("stations")
        self._row = add_hop(env.system, part.edge)
        self._stations = range(first, env.system.count("stations"))
        env.unique(self.name)

    def __repr__(self) -> str:
        return f"<Link {self.name}: {self.bandwidth / 2**20:,.0f} MB/s each way>"

    def set_speed(self, speed: float) -> None:
        """Run it at ``speed`` times its built speed from now on: 0.5 if half of its lanes fail.

        Raises
        ------
        InputError
            If the speed isn't from 0.001 to 1000.
        """
        check = Arguments(f"{self.name}.set_speed()")
        set_speed(self.env, check, self._stations, "shared link", speed)


def way_up(controller: Controller | None, behind: Link | None) -> tuple[Controller | None, Shared]:
    """The controller that drives are on, and rows of all that lies on their way up.

    ``behind`` may lead to a controller that was not given.
    """
    links = list(links_above(behind))
    top = links[-1].to if links else None
    found = top if controller is None and isinstance(top, Controller) else controller
    shared = Shared(links={link.name: link._row for link in links})
    if found is not None:
        shared.controllers[found.name] = found._rows
    return found, shared


def tables(controller: Controller | None, behind: Link | None) -> dict[str, Any]:
    """Controllers and links on the way up, as a scenario would write them: the upper ones first."""
    links = list(links_above(behind))
    controllers = [controller, links[-1].to if links else None]
    found = {part.name: part._table for part in controllers if isinstance(part, Controller)}
    written: dict[str, Any] = {
        "controller": list(found.values()),
        "link": [link._table for link in reversed(links)],
    }
    return {key: value for key, value in written.items() if value}


def links_above(link: Link | None) -> Iterator[Link]:
    """A link, and those that it leads to, one after the other."""
    while isinstance(link, Link):
        yield link
        link = link.to if isinstance(link.to, Link) else None
