"""From the data of a file to the checked tables of a scenario, or all that is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic_core import PydanticCustomError

from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.toml_lines import Path
from raidsim.errors import one_line, quote, suggest
from raidsim.scenario import arrays, checks, hybrids
from raidsim.scenario.event import EventSpec
from raidsim.scenario.event_checks import read_events
from raidsim.scenario.fields import Count, Line, Reader, Text
from raidsim.scenario.files import file_of
from raidsim.scenario.hardware import attach_card, read_controller
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.machines import Room, check_machines
from raidsim.scenario.models import (
    AirSpec,
    HostKeys,
    HybridKeys,
    LinkSpec,
    LoadSpec,
    Measure,
    VolumeKeys,
)
from raidsim.scenario.part import made_of
from raidsim.scenario.reading import Reading, quoted, read_part
from raidsim.scenario.specs import ControllerSpec, HostSpec, HybridSpec, VolumeSpec
from raidsim.scenario.tables import Tables

_TABLES = (
    "title", "description", "seed", "host", "controller", "link", "volume", "hybrid", "load",
    "machine", "air", "measure", "event",
)  # fmt: skip


def read_tables(reading: Reading, folder: FilePath | None) -> Tables:
    """Check the tables of a scenario.

    Raises
    ------
    InputError : with every problem of them; ``folder`` is where paths of cards are looked for.
    """
    tables = _Loader(reading, folder).tables()
    reading.raise_if_wrong()
    return tables


def check_load(table: Mapping[str, Any], name: str) -> None:
    """Check a ``[[load]]`` before it is known which volume it runs on.

    Raises
    ------
    InputError : with every problem that no volume could put right; `name` stands in front.
    """
    reading = Reading(file_of({"load": [table]}, name))
    _Loader(reading, None).load(reading.data["load"][0], ("load", 0), [], [])
    reading.raise_if_wrong()


def load_on(table: Mapping[str, Any], volume: VolumeSpec | HybridSpec, sector: int) -> LoadSpec:
    """Read a ``[[load]]`` that runs on a volume or a hybrid which has been checked.

    ``sector`` is the size in bytes of what it is addressed in.

    Raises
    ------
    InputError : with every problem of the load on this volume.
    """
    reading = Reading(file_of({"load": [table]}, "Load()"))
    volumes, made = [], []
    if isinstance(volume, VolumeSpec):
        parts = {"card": volume.card, "layout": volume.layout, "access": volume.access}
        volumes = [{"name": volume.name, **parts}]
    else:
        made = [{"name": volume.name, "capacity": volume.capacity, "sector": sector}]
    values = _Loader(reading, None).load(reading.data["load"][0], ("load", 0), volumes, made)
    reading.raise_if_wrong()
    return made_of(LoadSpec, values)


class _Loader:
    """Reads the tables of one scenario in turn."""

    def __init__(self, reading: Reading, folder: FilePath | None) -> None:
        self.reading = reading
        self.folder = folder

    def tables(self) -> Tables:
        data = self.reading.data
        for key in data:
            if key not in _TABLES:
                remedy = suggest(key, _TABLES) or f"known: {', '.join(_TABLES)}"
                self.reading.problem((key,), "unknown key", remedy)
        stem = one_line(FilePath(self.reading.file.name).stem).strip()[:200]
        head = {
            "title": self._top("title", Line(), stem or "scenario"),
            "description": self._top("description", Text(), ""),
            "seed": self._top("seed", Count(0, 2**63 - 1), 1),
        }
        host = self._host()
        controllers = [
            read_controller(self.reading, *one, self.folder)
            for one in self._list("controller", optional=True)
        ]
        self._names("controller", controllers)
        links = [self._link(*one, controllers) for one in self._list("link", optional=True)]
        self._names("link", links)
        volumes = [self._volume(*one, controllers, links) for one in self._list("volume")]
        self._names("volume", volumes)
        made = [
            self._hybrid(*one, controllers, volumes) for one in self._list("hybrid", optional=True)
        ]
        self._names("hybrid", made)
        for index, key, cause, remedy in hybrids.overlaps(made):
            self.reading.problem(("hybrid", index, key), cause, remedy)
        machines = [
            self._machine(*one, volumes, made) for one in self._list("machine", optional=True)
        ]
        some = bool(self.reading.data.get("machine") or self.reading.data.get("event"))
        loads = [
            self.load(table, path, volumes, made)
            for table, path in self._list("load", optional=some)
        ]
        self._names("load", loads)
        self._names("machine", machines)
        self._names_apart("machine", machines, {"load": loads})
        for key, parts in (("volume", volumes), ("hybrid", made)):
            self._names_apart(key, parts, {"controller": controllers, "link": links})
        self._sweeps(loads)
        air = read_part(self.reading, AirSpec, self.reading.data.get("air", {}), ("air",))
        measure = self._measure()
        hardware = {"controllers": controllers, "links": links, "volumes": volumes}
        work = {"loads": loads, "machines": machines}
        events = read_events(
            self.reading, self._list("event", optional=True), {**hardware, **work}, measure
        )
        self.reading.raise_if_wrong()
        hardware["hybrids"] = made
        return _assemble(head, host, hardware, work, air, measure, events)

    # ---- the top of the file

    def _top(self, key: str, reader: Reader, default: Any) -> Any:
        try:
            return reader.read(self.reading.data.get(key, default))
        except PydanticCustomError as error:
            context = error.context or {}
            self.reading.problem((key,), context["cause"], context["remedy"])
            return default

    def _list(self, key: str, optional: bool = False) -> list[tuple[Any, Path]]:
        tables = self.reading.data.get(key)
        if optional and (tables is None or tables == []):
            return []
        if tables is None:
            if not self.reading.is_broken((key,)):
                self.reading.problem((key,), "is missing", f"write [[{key}]] and its keys")
            return []
        if not isinstance(tables, list) or not tables:
            self.reading.problem(
                (key,), "is not a list of tables", f"write [[{key}]], in two brackets"
            )
            return []
        return [(table, (key, index)) for index, table in enumerate(tables)]

    # ---- its tables

    def _host(self) -> dict[str, Any]:
        table = self.reading.data.get("host")
        if table is None:
            if not self.reading.is_broken(("host",)):
                self.reading.problem(("host",), "is missing", 'write [host] and model = "..."')
            return {}
        values = read_part(self.reading, HostKeys, table, ("host",))
        attach_card(self.reading, values, "model", ("host",), ("host",), self.folder)
        if "card" in values and "clock" in values:
            values["clock"] = values["clock"] or values["card"].number("cpu.clock")
        return values

    def _link(self, table: Any, path: Path, controllers: list[dict[str, Any]]) -> dict[str, Any]:
        values = read_part(self.reading, LinkSpec, table, path)
        names = [c["name"] for c in controllers if "name" in c]
        earlier = self.reading.data["link"][: path[-1]]
        links = [one.get("name") for one in earlier if isinstance(one, dict)]
        known = [arrays.HOST, *names, *(name for name in links if isinstance(name, str))]
        found = list(arrays.check_reference(values, "to", known, "part (further up)"))
        for key, cause, remedy in (*checks.taken(values.get("name"), names), *found):
            self.reading.problem((*path, key), cause, remedy)
        if "to" in values and values["to"] is None:
            values["to"] = self._controller_of(path, "to", names)
        return values

    def _controller_of(self, path: Path, key: str, names: list[str]) -> str:
        """The controller that is meant where none is named."""
        found = arrays.default_controller(names)
        if found is None:
            cause = f"is missing, and there are {len(names)} controllers"
            self.reading.problem((*path, key), cause, f'one of {quoted(names)}, or "host"')
        return found or arrays.HOST

    def _volume(
        self,
        table: Any,
        path: Path,
        controllers: list[dict[str, Any]],
        links: list[dict[str, Any]],
    ) -> dict[str, Any]:
        values = read_part(self.reading, VolumeKeys, table, path)
        attach_card(self.reading, values, "drive", DRIVE_KINDS, path, self.folder)
        names = [c["name"] for c in controllers if "name" in c]
        found = list(
            arrays.check_reference(values, "controller", [arrays.HOST, *names], "controller")
        )
        upward: dict[str, str | None] = {
            link["name"]: link.get("to") for link in links if "name" in link
        }
        found += arrays.check_reference(values, "behind", list(upward), "link")
        if not found and "controller" in values and "behind" in values:
            tops = {link: _top_of(link, upward) for link in values["behind"]}
            if values["controller"] is None and tops:
                values["controller"] = next(iter(tops.values()))
            if values["controller"] is None:
                values["controller"] = self._controller_of(path, "controller", names)
            for link, top in tops.items():
                if top != values["controller"]:
                    leads = f"{quote(link)} leads to {quote(top)}"
                    on = f"the volume is on {quote(values['controller'])}"
                    found.append(("behind", leads, on))
        controlled = values.get("controller") in names
        card = next(
            (c.get("card") for c in controllers if c.get("name") == values.get("controller")), None
        )
        if not controlled or card is not None:
            found += arrays.check_volume(values, card)
        _set_disk_cache(values)
        above = [one for one in links if one.get("name") in values.get("behind", ())]
        ports = [one["speed"] for one in above if one.get("speed")]
        if not ports and card is not None:
            ports = [card.word("ports.speed")]
        for port in ports if "card" in values else ():
            values["card"] = arrays.at_speed_of(values["card"], port)
        if not any(key in ("level", "drives", "strip", "spans", "spread") for key, _, _ in found):
            values["layout"], wrong = arrays.lay_out(values, controlled)
            found += [wrong] if wrong else []
        for key, cause, remedy in found:
            self.reading.problem((*path, key), cause, remedy)
        return values

    def _hybrid(
        self,
        table: Any,
        path: Path,
        controllers: list[dict[str, Any]],
        volumes: list[dict[str, Any]],
    ) -> dict[str, Any]:
        values = read_part(self.reading, HybridKeys, table, path)
        if values.get("controller", "") is None:
            values["controller"] = arrays.HOST
        named = {c["name"]: c.get("card") for c in controllers if "name" in c}
        known = {volume["name"]: volume for volume in volumes if "name" in volume}
        found = list(
            arrays.check_reference(values, "controller", [arrays.HOST, *named], "controller")
        )
        if values.get("name") in known:
            cause = f"{quote(values['name'])} is the name of a volume too"
            found.append(("name", cause, "give each its own name"))
        card = named.get(values.get("controller", ""))
        found += hybrids.check_parts(values, known)
        if not found and (card is not None or values.get("controller") == arrays.HOST):
            found += hybrids.check_hybrid(values, known, card)
        if not found and set(hybrids.MEASURED) <= set(values):
            parts = [known[values[key]] for key in ("front", "back")]
            if all({"card", "layout"} <= set(part) for part in parts):
                sizes = map(hybrids.capacity_of, parts)
                values["blocks"], values["capacity"] = hybrids.measure(values, *sizes)
                values["sector"] = max(part["card"].integer("capacity.sector") for part in parts)
        for key, cause, remedy in found:
            self.reading.problem((*path, key), cause, remedy)
        return values

    def load(
        self,
        table: Any,
        path: Path,
        volumes: list[dict[str, Any]],
        made: list[dict[str, Any]],
    ) -> dict[str, Any]:
        """The values of a load; without volumes nothing that concerns those is checked."""
        values = read_part(self.reading, LoadSpec, table, path)
        inside = {one.get(key): one.get("name") for one in made for key in ("front", "back")}
        volume_names = [v["name"] for v in volumes if "name" in v and v["name"] not in inside]
        volume_names += [one["name"] for one in made if "name" in one]
        known = volumes and all("capacity" in one for one in made)
        found = list(checks.check_volume_of(values, volume_names)) if known else []
        if values.get("volume") is not None and values.get("volume") in inside:
            cause = f"{quote(values['volume'])} is a part of {quote(inside[values['volume']])}"
            found = [
                ("volume", cause, "name the hybrid: what is in its front would be out of date")
            ]
        if not found and "volume" in values and volume_names:
            values["volume"] = values["volume"] or volume_names[0]
        sizes = _mix(values)
        if sizes:
            values["largest"] = max(size for size, _ in sizes)
            if "align" in values:
                values["align"] = values["align"] or values["largest"]
        for volume in volumes:
            if volume.get("name") == values.get("volume") and {"card", "layout"} <= set(volume):
                layout = volume["layout"]
                own = volume["card"].integer("capacity.user")
                values["capacity"] = own if layout is None else int(layout["size"])
                values["access"] = volume.get("access")
                values["sector"] = volume["card"].integer("capacity.sector")
        for one in made:
            if one.get("name") == values.get("volume") and "capacity" in one:
                values |= {key: one[key] for key in ("capacity", "sector")}
                values["access"] = "read-write"
        for key, cause, remedy in [*found, *checks.check_load(_complete(values))]:
            self.reading.problem((*path, key), cause, remedy)
        if sizes:
            values["sizes"] = sizes
        return values

    def _measure(self) -> dict[str, Any]:
        values = read_part(
            self.reading, Measure, self.reading.data.get("measure", {}), ("measure",)
        )
        if {"min_ios", "max_ios"} <= set(values) and values["min_ios"] > values["max_ios"]:
            cause = f"{values['max_ios']} is less than min_ios, which is {values['min_ios']}"
            self.reading.problem(("measure", "max_ios"), cause, "make it at least as large")
        return values

    # ---- what concerns several of them

    def _names(self, key: str, parts: list[dict[str, Any]]) -> None:
        for index, name in checks.repeated([part.get("name") for part in parts]):
            cause = f"{quote(name)} is the name of an earlier [[{key}]] too"
            self.reading.problem((key, index, "name"), cause, "give each its own name")

    def _names_apart(
        self, key: str, parts: list[dict[str, Any]], others: Mapping[str, list[dict[str, Any]]]
    ) -> None:
        """Parts of some kinds must not be called as those of another: names tell them apart."""
        kinds = {one["name"]: kind for kind in others for one in others[kind] if "name" in one}
        for index, part in enumerate(parts):
            if "name" in part and part["name"] in kinds:
                cause = f"{quote(part['name'])} is the name of a {kinds[part['name']]} too"
                self.reading.problem((key, index, "name"), cause, "give each its own name")

    def _machine(
        self,
        table: Any,
        path: Path,
        volumes: list[dict[str, Any]],
        made: list[dict[str, Any]],
    ) -> dict[str, Any]:
        values = read_part(self.reading, MachineSpec, table, path)
        inside = {one.get(key) for one in made for key in ("front", "back")}
        rooms = {v["name"]: _room(v) for v in volumes if "name" in v and v["name"] not in inside}
        rooms |= {one["name"]: Room(one.get("capacity"), None) for one in made if "name" in one}
        if len(rooms) == 1 and "volume" in values:
            values["volume"] = values["volume"] or next(iter(rooms))
        for key, cause, remedy in check_machines(values, rooms):
            self.reading.problem((*path, key), cause, remedy)
        return values

    def _sweeps(self, loads: list[dict[str, Any]]) -> None:
        found = list(checks.several_searches(loads))
        for index, key, cause, remedy in found:
            self.reading.problem(("load", index, key), cause, remedy)
        for index, key, length, first in () if found else checks.uneven_sweeps(loads):
            cause = f"a sweep of {length} beside one of {first}"
            remedy = "sweeps run side by side: make them equally long"
            self.reading.problem(("load", index, key), cause, remedy)


def _room(volume: Mapping[str, Any]) -> Room:
    """What checks need to know of a volume."""
    if not {"card", "layout"} <= set(volume):
        return Room(None, volume.get("access"))
    layout = volume["layout"]
    own = volume["card"].integer("capacity.user")
    return Room(own if layout is None else int(layout["size"]), volume.get("access"))


def _mix(values: Mapping[str, Any]) -> tuple[tuple[int, float], ...]:
    """The request sizes with their shares, also for a single size; empty if they are wrong."""
    if "size" not in values or "sizes" not in values:
        return ()
    if values["sizes"] is not None:
        return tuple(values["sizes"])
    return ((values["size"], 1.0),) if values["size"] is not None else ()


def _complete(values: dict[str, Any]) -> dict[str, Any]:
    """Values for the checks: an alignment that is not known yet is left out."""
    return {k: v for k, v in values.items() if not (k == "align" and v is None)}


def _top_of(link: str, upward: Mapping[str, str | None]) -> str | None:
    """Where a chain of links ends: a controller or the host."""
    seen: set[str] = set()
    name: str | None = link
    while name is not None and name in upward and name not in seen:
        seen.add(name)
        name = upward[name]
    return name


def _set_disk_cache(values: dict[str, Any]) -> None:
    """Let the card of the drives say what the volume says of their write caches."""
    wanted = values.get("disk_cache")
    if wanted is not None and "card" in values and arrays.can_switch(values["card"]):
        values["card"] = values["card"].changed({"write_cache.enabled": wanted == "on"})


def _assemble(
    head: dict[str, Any],
    host: dict[str, Any],
    hardware: Mapping[str, list[dict[str, Any]]],
    work: Mapping[str, list[dict[str, Any]]],
    air: dict[str, Any],
    measure: dict[str, Any],
    events: list[EventSpec],
) -> Tables:
    """Put checked values together."""
    return Tables.model_construct(
        **head,
        host=made_of(HostSpec, host),
        controllers=tuple(made_of(ControllerSpec, values) for values in hardware["controllers"]),
        links=tuple(made_of(LinkSpec, values) for values in hardware["links"]),
        volumes=tuple(made_of(VolumeSpec, values) for values in hardware["volumes"]),
        hybrids=tuple(made_of(HybridSpec, values) for values in hardware["hybrids"]),
        loads=tuple(made_of(LoadSpec, values) for values in work["loads"]),
        machines=tuple(made_of(MachineSpec, values) for values in work["machines"]),
        air=made_of(AirSpec, air),
        measure=made_of(Measure, measure),
        events=tuple(events),
    )
