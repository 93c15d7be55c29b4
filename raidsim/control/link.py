"""Links in a SimPy model: drives share them on the way to the host, and are lost with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raidsim.assembly.controller import add_hop
from raidsim.assembly.fabric import link_part
from raidsim.assembly.scenario import Shared
from raidsim.control.arguments import Arguments
from raidsim.control.controller import Controller, Part
from raidsim.control.environment import Environment
from raidsim.control.paths import Paths
from raidsim.control.speeds import set_speed
from raidsim.errors import quote
from raidsim.scenario import ControllerSpec, LinkSpec, single
from raidsim.scenario.arrays import HOST
from raidsim.scenario.plain import plain


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
        What it carries each way as built, bytes per second, before frames of SAS, which take 4 %
        of it for data of SAS drives.
    is_lost
        Whether no way leads over it.

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
            cause = f"{quote(given)} is neither a Controller nor a Link"
            check.wrong("to", cause, "give one, or None for the host")
        elif given is not None and given.env is not env:
            check.wrong("to", "belongs to another environment", "make one in this one")
        check.raise_if_wrong()
        top = HOST if to is None else to.name
        written = {"name": self.name, "speed": speed, "lanes": lanes, "to": top}
        table = {key: plain(value) for key, value in written.items()}
        self._make(env, single.link_of(table), to)

    @classmethod
    def of_spec(cls, env: Environment, spec: LinkSpec, to: Controller | Link | None) -> Link:
        """The link that a scenario says, to the part that it leads to."""
        link = cls.__new__(cls)
        link._make(env, spec, to)
        return link

    def _make(self, env: Environment, spec: LinkSpec, to: Controller | Link | None) -> None:
        """Add what was checked to the environment."""
        self.env = env
        self.spec = spec
        self.name = spec.name
        self.to = to
        part = link_part(spec, to.card if isinstance(to, Controller) else None)
        self.bandwidth = part.bandwidth
        env.sync()
        first = env.system.count("stations")
        self._row = add_hop(env.system, part.edge)
        self._stations = range(first, env.system.count("stations"))
        self._below: list[Paths] = []
        self.is_lost = False
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

    def lose(self) -> None:
        """Let no way lead to the drives below it from now on: a cable is out, an expander dead.

        The drives answer with errors. An array that can go on without them does, degraded; one
        that can't is offline as a whole: all its I/Os fail, and what its controller's cache has
        for it is pinned. If it is lost already, nothing changes.
        """
        self.env.sync()
        self.is_lost = True
        for paths in self._below:
            paths.lose(self.name)

    def restore(self) -> None:
        """Restore the link to the drives.

        An array that was offline as a whole is online again, unchanged: at once, or, if its
        controller's cache has pinned data for it, after import or discard. Drives of an array that
        continued without them stay failed: their data is out of date, and they need a rebuild.
        """
        self.env.sync()
        self.is_lost = False
        for paths in self._below:
            paths.restore(self.name)

    def carry(self, paths: Paths) -> None:
        """Remember drives that hang below it."""
        self._below.append(paths)
        if self.is_lost:
            paths.lose(self.name)


def way_up(
    controller: Controller | None, behind: Sequence[Link]
) -> tuple[Controller | None, Shared]:
    """The controller that drives are on, and rows of all that lies on their ways up.

    ``behind`` may lead to a controller that was not given.
    """
    links = [link for lowest in behind for link in links_above(lowest)]
    top = links[-1].to if links else None
    found = top if controller is None and isinstance(top, Controller) else controller
    shared = Shared(links={link.name: link._row for link in links})
    if found is not None:
        shared.controllers[found.name] = found._rows
    return found, shared


def parts_above(
    controller: Controller | None, behind: Sequence[Link]
) -> tuple[tuple[ControllerSpec, ...], tuple[LinkSpec, ...]]:
    """Controllers and links on the ways up, as a scenario would have them: upper links first."""
    links = [link for lowest in behind for link in reversed(list(links_above(lowest)))]
    controllers = [controller, *(link.to for link in links)]
    found = {part.name: part.spec for part in controllers if isinstance(part, Controller)}
    return tuple(found.values()), tuple({link.name: link.spec for link in links}.values())


def links_above(link: Link) -> Iterator[Link]:
    """A link, and those that it leads to, one after the other."""
    yield link
    while isinstance(link.to, Link):
        link = link.to
        yield link
