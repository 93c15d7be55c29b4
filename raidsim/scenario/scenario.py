"""A scenario as an object: what a file says, checked, with every default filled in."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path as FilePath
from typing import Annotated, Any, overload

from pydantic import PrivateAttr

from raidsim.cards.toml_file import TomlFile
from raidsim.cards.toml_lines import Path
from raidsim.errors import InputError, Problem, quote
from raidsim.scenario.event import EventSpec
from raidsim.scenario.fields import Count, Text, key
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import (
    AirSpec,
    ControllerSpec,
    HostSpec,
    HybridSpec,
    LinkSpec,
    LoadSpec,
    Measure,
    VolumeSpec,
)
from raidsim.scenario.part import Name, Part

_NOTHING: Any = object()  # no value, not even None


@dataclass(frozen=True)
class Source:
    """What a scenario was made from, so that another can be made with other values.

    It is no part of what a scenario is: two that say the same are equal.

    Attributes
    ----------
    file : the data of the file, with what overrides changed in it.
    overridden : the paths of those changes.
    folder : where paths of cards are looked for.
    """

    file: TomlFile = field(compare=False)
    overridden: frozenset[Path] = field(compare=False)
    folder: FilePath | None = field(compare=False)


class Scenario(Part):
    """A scenario that can be run: everything is checked, defaults are filled in.

    Made by :meth:`read` or :meth:`from_text`, and never changed: :meth:`with_` makes another.
    The fields are the tables of the file, with plain numbers in base units: s, bytes, Hz, shares
    from 0 to 1.

    Examples
    --------
    >>> scenario = raidsim.Scenario.read("p3700-database")  # doctest: +SKIP
    >>> deeper = scenario.with_("load.outstanding", [32, 64])  # doctest: +SKIP
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
    path: str | None = key("the file it was read from", None)

    _resolved: dict[str, Any] = PrivateAttr(default_factory=dict)
    _source: Source | None = PrivateAttr(default=None)

    @classmethod
    def read(cls, name: str | PathLike[str]) -> Scenario:
        """Read a scenario, as ``raidsim run`` does.

        Parameters
        ----------
        name
            The path of a file, or the name of a scenario that comes with raidsim, such as
            "p3700-database". A path that ends in .json is that of a result: its scenario.

        Raises
        ------
        InputError
            With every problem of the file.
        """
        from raidsim.scenario.loader import load  # noqa: PLC0415  (which makes scenarios itself)

        given: Any = name
        if not isinstance(given, str | PathLike):
            cause = f"{quote(given)} is neither a name nor a path"
            raise InputError([Problem("Scenario.read()", None, "name", cause, "give a text")])
        return load(FilePath(name) if isinstance(name, PathLike) else name)

    @classmethod
    def from_text(cls, text: str) -> Scenario:
        """Read the text of a scenario, as a file would hold it.

        Raises
        ------
        InputError
            With every problem of the text; messages call it "scenario".
        """
        from raidsim.scenario.loader import load_text  # noqa: PLC0415  (which makes scenarios)

        given: Any = text
        if not isinstance(given, str):
            cause = f"{quote(given)} is no text"
            raise InputError([Problem("Scenario.from_text()", None, "text", cause, "give a text")])
        return load_text(text)

    @overload
    def with_(self, changes: str, value: Any, /) -> Scenario: ...
    @overload
    def with_(self, changes: Mapping[str, Any], /) -> Scenario: ...
    def with_(self, changes: str | Mapping[str, Any], value: Any = _NOTHING, /) -> Scenario:
        """Make a scenario with another value of a key, or with several; this one stays as it is.

        Keys are those of ``--set``: "load.outstanding", "load[1].size" or "load.NAME.size" where
        there are several loads, "load[*].size" for all of them, "volume.set.flash.read_time" for
        a value of a card. Values are those that the file would have: quantities are texts with
        units ("8 KiB"), counts are numbers, sweeps are lists. None takes the key away.

        Parameters
        ----------
        changes
            The key of one value, or a mapping of keys to values. Of two that concern the same
            place the later one wins.
        value
            The value of that one key.

        Raises
        ------
        InputError
            With every problem of the new scenario.

        Examples
        --------
        >>> scenario.with_("volume.level", "raid6")  # doctest: +SKIP
        >>> scenario.with_({"volume.level": "raid6", "volume.drives": 6})  # doctest: +SKIP
        """
        from raidsim.scenario.loader import changed  # noqa: PLC0415  (which makes scenarios itself)

        if isinstance(changes, Mapping) != (value is _NOTHING):
            raise TypeError("with_() takes a key and its value, or a mapping of keys to values")
        return changed(self, changes if isinstance(changes, Mapping) else {changes: value})

    def __repr__(self) -> str:
        lines = [f'<Scenario "{self.title}"', f"  host {self.host.model}"]
        lines += [f"  controller {one.name}: {one.model}" for one in self.controllers]
        lines += [f"  link {one.name}: {one.lanes} x {one.speed}" for one in self.links]
        lines += [
            f"  volume {one.name}: {one.level} of {one.drives} x {one.drive}"
            if one.drives > 1
            else f"  volume {one.name}: {one.level} {one.drive}"
            for one in self.volumes
        ]
        lines += [f"  hybrid {o.name}: {o.front} before {o.back}" for o in self.hybrids]
        lines += [f"  load {one.name} on {one.volume}" for one in self.loads]
        lines += [f"  machines {one.name}: {one.count}" for one in self.machines]
        many = f", {len(self.events)} events" if self.events else ""
        lines += [f"  {self.points} point{'s'[: self.points > 1]}{many}, seed {self.seed}>"]
        return "\n".join(lines)

    __str__ = __repr__

    @property
    def points(self) -> int:
        """Points of the sweep: the length of its longest list."""
        return max((len(load.sweep) or 1 for load in self.loads), default=1)

    @property
    def searched(self) -> LoadSpec | None:
        """The load whose highest intensity within a latency is searched for, if there is one."""
        return next((load for load in self.loads if load.within is not None), None)

    def at(self, searched: LoadSpec, value: float) -> Scenario:
        """The same with one intensity of one load in place of its sweep."""
        key = "rate" if searched.outstanding is None else "outstanding"
        changed = searched.model_copy(update={key: (value,)})
        loads = tuple(changed if load is searched else load for load in self.loads)
        return self.model_copy(update={"loads": loads})

    def volume(self, name: str) -> VolumeSpec:
        """The volume of a name."""
        return next(volume for volume in self.volumes if volume.name == name)

    def hybrid(self, name: str | None) -> HybridSpec | None:
        """The hybrid of a name; None if that is a volume."""
        return next((hybrid for hybrid in self.hybrids if hybrid.name == name), None)

    def controller(self, volume: VolumeSpec | HybridSpec) -> ControllerSpec | None:
        """The controller that a volume is on; None for the host itself."""
        return next((c for c in self.controllers if c.name == volume.controller), None)

    def resolved(self) -> dict[str, Any]:
        """Everything, defaults too, in the form of the file: it can be loaded again."""
        return copy.deepcopy(self._resolved)
