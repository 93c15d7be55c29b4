"""From a file (or data) to a :class:`~raidsim.scenario.scenario.Scenario`, or all its problems."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic_core import PydanticCustomError

from raidsim import schemas
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.catalogue import exists, looks_like_path
from raidsim.cards.toml_file import NOT_SO_DEEP, TOO_DEEP, TomlFile, is_deep, parse, read_text
from raidsim.cards.toml_lines import Path
from raidsim.errors import InputError, Problem, one_line, quote, suggest
from raidsim.resources import data_folder
from raidsim.scenario import arrays, checks, hybrids
from raidsim.scenario import overrides as setting
from raidsim.scenario.event import EventSpec
from raidsim.scenario.event_checks import read_events
from raidsim.scenario.fields import Count, Line, Reader, Text
from raidsim.scenario.hardware import attach_card, read_controller
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.machines import Room, check_machines
from raidsim.scenario.models import (
    AirSpec,
    ControllerSpec,
    HostSpec,
    HybridSpec,
    LinkSpec,
    LoadSpec,
    Measure,
    SizeShare,
    VolumeSpec,
)
from raidsim.scenario.part import made_of
from raidsim.scenario.plain import without_none
from raidsim.scenario.reading import Reading, quoted, read_part
from raidsim.scenario.scenario import Scenario, Source
from raidsim.scenario.written import written

WITH = "with_()"
"""What messages name as the file of what :meth:`Scenario.with_` changes."""

_TABLES = (
    "title", "description", "seed", "host", "controller", "link", "volume", "hybrid", "load",
    "machine", "air", "measure", "event",
)  # fmt: skip


def names() -> list[str]:
    """Names of the scenarios that come with raidsim."""
    return sorted(path.stem for path in data_folder("scenarios").rglob("*.toml"))


def find(name: str | FilePath) -> FilePath:
    """File of a scenario: a path that exists, else one of those that come with raidsim.

    Raises
    ------
    InputError : there is none, with the nearest name.
    """
    given = FilePath(name)
    if exists(given) and (looks_like_path(str(name)) or given.is_file()):
        return given
    for path in sorted(data_folder("scenarios").rglob("*.toml")):
        if str(name) == path.stem:
            return path
    if str(name) and (exists(given) or looks_like_path(str(name))):
        remedy = suggest(given.stem, names())
        if exists(given):
            return given  # a folder: reading it says so
        raise InputError([Problem(str(name), None, None, "no such file", remedy)])
    remedy = suggest(str(name), names()) or f"known: {', '.join(names())}"
    raise InputError(
        [Problem(None, None, None, f"no scenario is called {quote(str(name))}", remedy)]
    )


def load(name: str | FilePath, overrides: Iterable[str] = (), seed: int | None = None) -> Scenario:
    """Load a scenario by path or name, or that of a result (a path that ends in .json).

    Parameters
    ----------
    overrides : texts "KEY=VALUE", as ``--set`` gives them.
    seed : in place of the seed of the file.

    Raises
    ------
    InputError : with every problem of the file and of the overrides.
    """
    path = find(name)
    shown = str(name) if looks_like_path(str(name)) else str(path)
    if path.suffix == ".json":
        data = _scenario_of_result(read_text(path, shown), shown)
        return from_data(data, shown, overrides, seed, path.parent)
    return load_text(read_text(path, shown), shown, overrides, seed, path.parent)


def _scenario_of_result(text: str, shown: str) -> Mapping[str, Any]:
    """The scenario that the JSON of a result holds."""
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError([Problem(shown, None, None, "is no JSON", None)]) from None
    if isinstance(result, dict) and schemas.KEY in result:
        result = schemas.up_to_date("result", result, shown)
    found = result.get("scenario") if isinstance(result, dict) else None
    if not isinstance(found, dict):
        cause = "holds no scenario"
        raise InputError([Problem(shown, None, None, cause, "give a scenario, or a result of run")])
    return found


def load_text(
    text: str,
    name: str = "scenario",
    overrides: Iterable[str] = (),
    seed: int | None = None,
    folder: FilePath | None = None,
) -> Scenario:
    """Load the text of a scenario; `name` is what messages call it."""
    return _load(parse(text.replace("\r\n", "\n"), name), overrides, seed, folder)


def from_data(
    data: Mapping[str, Any],
    name: str = "scenario",
    overrides: Iterable[str] = (),
    seed: int | None = None,
    folder: FilePath | None = None,
) -> Scenario:
    """Load what :meth:`Scenario.resolved` gave, for instance from the JSON of a result.

    A key that is None (null in JSON) counts as not given, as in TOML, which has no such value.
    """
    return _load(_file_of(data, name), overrides, seed, folder)


def _file_of(data: Mapping[str, Any], name: str) -> TomlFile:
    """Data as if a file had held it."""
    if is_deep(data):
        raise InputError([Problem(name, None, None, TOO_DEEP, NOT_SO_DEEP)])
    return TomlFile(name, data=without_none(data))


def changed(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Another scenario, with other values of keys: see :meth:`Scenario.with_`."""
    made_from = scenario._source
    if made_from is None:
        raise AssertionError("a scenario that was read knows what it was made from")
    old = made_from.file
    file = TomlFile(old.name, old.text, copy.deepcopy(old.data))
    reading = Reading(file, set(made_from.overridden), WITH)
    setting.put(reading, changes)
    return _checked(reading, made_from.folder)


def check_load(table: Mapping[str, Any], name: str) -> None:
    """Check a ``[[load]]`` before it is known which volume it runs on.

    Raises
    ------
    InputError : with every problem that no volume could put right; `name` stands in front.
    """
    reading = Reading(_file_of({"load": [table]}, name))
    _Loader(reading, None).load(reading.data["load"][0], ("load", 0), [], [])
    reading.raise_if_wrong()


def load_on(table: Mapping[str, Any], volume: VolumeSpec | HybridSpec, sector: int) -> LoadSpec:
    """Read a ``[[load]]`` that runs on a volume or a hybrid which has been checked.

    ``sector`` is the size in bytes of what it is addressed in.

    Raises
    ------
    InputError : with every problem of the load on this volume.
    """
    reading = Reading(_file_of({"load": [table]}, "Load()"))
    volumes, made = [], []
    if isinstance(volume, VolumeSpec):
        parts = {"card": volume.card, "layout": volume.layout, "access": volume.access}
        volumes = [{"name": volume.name, **parts}]
    else:
        made = [{"name": volume.name, "capacity": volume.capacity, "sector": sector}]
    values = _Loader(reading, None).load(reading.data["load"][0], ("load", 0), volumes, made)
    reading.raise_if_wrong()
    return made_of(LoadSpec, values)


def _load(
    file: TomlFile, overrides: Iterable[str], seed: int | None, folder: FilePath | None
) -> Scenario:
    reading = Reading(file, problems=list(file.problems))
    if file.complete:
        file.bring_up_to_date("scenario")
        setting.apply(reading, overrides)
        if seed is not None:
            file.data["seed"] = seed
            reading.overridden.add(("seed",))
        return _checked(reading, folder)
    reading.raise_if_wrong()
    raise AssertionError("a file that cannot be read has a problem")


def _checked(reading: Reading, folder: FilePath | None) -> Scenario:
    """The scenario that was read, or every problem of it."""
    scenario = _Loader(reading, folder).scenario()
    reading.raise_if_wrong()
    scenario._source = Source(reading.file, frozenset(reading.overridden), folder)
    return scenario


class _Loader:
    """Reads the tables of one scenario in turn."""

    def __init__(self, reading: Reading, folder: FilePath | None) -> None:
        self.reading = reading
        self.folder = folder

    def scenario(self) -> Scenario:
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
        return _assemble(self.reading, head, host, hardware, work, air, measure, events)

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
        values = read_part(self.reading, HostSpec, table, ("host",))
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
        values = read_part(self.reading, VolumeSpec, table, path)
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
        values = read_part(self.reading, HybridSpec, table, path)
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
            values["largest"] = max(one.size for one in sizes)
            if "align" in values:
                values["align"] = values["align"] or values["largest"]
        for volume in volumes:
            if volume.get("name") == values.get("volume") and {"card", "layout"} <= set(volume):
                layout = volume["layout"]
                own = volume["card"].integer("capacity.user")
                values["capacity"] = own if layout is None else int(layout["size"])
                values["access"] = volume.get("access")
                values["hybrid"] = False
                values["sector"] = volume["card"].integer("capacity.sector")
        for one in made:
            if one.get("name") == values.get("volume") and "capacity" in one:
                values |= {key: one[key] for key in ("capacity", "sector")}
                values["access"] = "read-write"
                values["hybrid"] = True
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


def _mix(values: Mapping[str, Any]) -> tuple[SizeShare, ...]:
    """The request sizes with their shares, also for a single size; empty if they are wrong."""
    if "size" not in values or "sizes" not in values:
        return ()
    if values["sizes"] is not None:
        return tuple(values["sizes"])
    return (SizeShare(values["size"], 1.0),) if values["size"] is not None else ()


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
    reading: Reading,
    head: dict[str, Any],
    host: dict[str, Any],
    hardware: Mapping[str, list[dict[str, Any]]],
    work: Mapping[str, list[dict[str, Any]]],
    air: dict[str, Any],
    measure: dict[str, Any],
    events: list[EventSpec],
) -> Scenario:
    """Put checked values together."""
    scenario = Scenario.model_construct(
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
        path=reading.file.name,
    )
    scenario._resolved = written(reading.data, scenario)
    return scenario
