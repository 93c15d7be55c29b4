"""From the data of a file to the checked tables of a scenario, or to all errors in them.

Each table is read in two steps: its keys (`raidsim.scenario.reading`), and their meaning together
with the tables before it (`raidsim.scenario.meaning`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import PydanticCustomError

from raidsim.cards.card import Card
from raidsim.cards.toml_lines import KeyPath
from raidsim.errors import nearest_key, one_line, quote
from raidsim.scenario import load_checks, meaning
from raidsim.scenario.event_checks import Parts, read_events
from raidsim.scenario.fields import Count, Line, Reader, Text
from raidsim.scenario.found import Found, FoundController, FoundHost, FoundHybrid, FoundVolume
from raidsim.scenario.hybrid_checks import check_overlaps
from raidsim.scenario.load_spec import LoadSpec, share_of_ios
from raidsim.scenario.machine_spec import MachineSpec
from raidsim.scenario.models import (
    AirSpec,
    ControllerKeys,
    HostKeys,
    HybridKeys,
    LinkSpec,
    Measure,
    VolumeKeys,
)
from raidsim.scenario.part import Part
from raidsim.scenario.reading import Reading, Values, read_part
from raidsim.scenario.tables import Tables

_TABLES = (
    "title", "description", "seed", "host", "controller", "link", "volume", "hybrid", "load",
    "machine", "air", "measure", "event",
)  # fmt: skip


def read_tables(reading: Reading, folder: Path | None) -> Tables:
    """Check the tables of a scenario.

    Raises
    ------
    InputError : with every problem of them; ``folder`` is where paths of cards are looked for.
    """
    tables = _Loader(reading, folder).tables()
    reading.raise_if_wrong()
    return tables


LEAST_IOS = 400
"""I/Os per point that a scenario without `min_ios` measures, however large they are."""


class _Loader:
    """Reads the tables of one scenario in turn."""

    def __init__(self, reading: Reading, folder: Path | None) -> None:
        self.reading = reading
        self.folder = folder

    def tables(self) -> Tables:
        self._known_keys()
        head = self._head()
        host = self._host()
        controllers = self._controllers()
        links = self._links(controllers)
        volumes = self._volumes(host.card, controllers, links)
        hybrids = self._hybrids(controllers, volumes)
        machines = self._machines(volumes, hybrids)
        loads = self._loads(volumes, hybrids)
        self._names("load", loads)
        self._names("machine", machines)
        self._names_apart("machine", machines, {"load": loads})
        for key, parts in (("volume", volumes), ("hybrid", hybrids)):
            self._names_apart(key, parts, {"controller": controllers, "link": links})
        self._sweeps([load.values for load in loads])
        self._phases([load.values for load in loads])
        air = read_part(self.reading, AirSpec, self.reading.data.get("air", {}), ("air",))
        measure = self._measure()
        things = Parts(controllers, links, volumes, loads, machines)
        events = read_events(self.reading, self._list("event", optional=True), things, measure)
        self.reading.raise_if_wrong()
        specs = tuple(LoadSpec.model_construct(**one.values) for one in loads)
        if "min_ios" not in self.reading.data.get("measure", {}):
            fewer = max(round(measure["min_ios"] * share_of_ios(specs)), LEAST_IOS)
            measure = {**measure, "min_ios": min(fewer, measure["min_ios"])}
        return Tables.model_construct(
            **head,
            host=host.spec(),
            controllers=tuple(one.spec() for one in controllers),
            links=tuple(LinkSpec.model_construct(**one.values) for one in links),
            volumes=tuple(one.spec() for one in volumes),
            hybrids=tuple(one.spec() for one in hybrids),
            loads=specs,
            machines=tuple(MachineSpec.model_construct(**one.values) for one in machines),
            air=AirSpec.model_construct(**air),
            measure=Measure.model_construct(**measure),
            events=tuple(events),
        )

    # ---- the top of the file

    def _known_keys(self) -> None:
        for key in self.reading.data:
            if key not in _TABLES:
                self.reading.problem((key,), "unknown key", nearest_key(key, _TABLES))

    def _head(self) -> Values:
        stem = one_line(Path(self.reading.file.name).stem).strip()[:200]
        return {
            "title": self._top("title", Line(), stem or "scenario"),
            "description": self._top("description", Text(), ""),
            "seed": self._top("seed", Count(0, 2**63 - 1), 1),
        }

    def _top(self, key: str, reader: Reader, default: Any) -> Any:
        try:
            return reader.read(self.reading.data.get(key, default))
        except PydanticCustomError as error:
            context = error.context or {}
            self.reading.problem((key,), context["cause"], context["remedy"])
            return default

    def _read(
        self, key: str, model: type[Part], *, optional: bool = True
    ) -> Iterator[tuple[Values, KeyPath]]:
        """Yield the content of each table of a kind, and its place."""
        for table, path in self._list(key, optional):
            yield read_part(self.reading, model, table, path), path

    def _list(self, key: str, optional: bool = False) -> list[tuple[Any, KeyPath]]:
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

    def _host(self) -> FoundHost:
        table = self.reading.data.get("host")
        if table is None:
            if not self.reading.is_broken(("host",)):
                self.reading.problem(("host",), "is missing", 'write [host] and model = "..."')
            return FoundHost({})
        path: KeyPath = ("host",)
        values = read_part(self.reading, HostKeys, table, path)
        return meaning.host(self.reading, values, path, self.folder)

    def _controllers(self) -> list[FoundController]:
        found = [
            meaning.controller(self.reading, values, path, self.folder)
            for values, path in self._read("controller", ControllerKeys)
        ]
        self._names("controller", found)
        return found

    def _links(self, controllers: Sequence[Found]) -> list[Found]:
        found = [
            meaning.link(self.reading, values, path, controllers, self._links_before(path))
            for values, path in self._read("link", LinkSpec)
        ]
        self._names("link", found)
        return found

    def _links_before(self, path: KeyPath) -> list[str]:
        """Names of the links that stand before one, right or wrong otherwise."""
        before = self.reading.data["link"][: path[-1]]
        names = [one.get("name") for one in before if isinstance(one, dict)]
        return [name for name in names if isinstance(name, str)]

    def _volumes(
        self,
        server: Card | None,
        controllers: Sequence[FoundController],
        links: Sequence[Found],
    ) -> list[FoundVolume]:
        found = [
            meaning.volume(self.reading, values, path, self.folder, server, controllers, links)
            for values, path in self._read("volume", VolumeKeys, optional=False)
        ]
        self._names("volume", found)
        return found

    def _hybrids(
        self, controllers: Sequence[FoundController], volumes: Sequence[FoundVolume]
    ) -> list[FoundHybrid]:
        found = [
            meaning.hybrid(self.reading, values, path, controllers, volumes)
            for values, path in self._read("hybrid", HybridKeys)
        ]
        self._names("hybrid", found)
        for index, key, cause, remedy in check_overlaps(found):
            self.reading.problem(("hybrid", index, key), cause, remedy)
        return found

    def _machines(
        self, volumes: Sequence[FoundVolume], hybrids: Sequence[FoundHybrid]
    ) -> list[Found]:
        return [
            meaning.machines(self.reading, values, path, volumes, hybrids)
            for values, path in self._read("machine", MachineSpec)
        ]

    def _loads(self, volumes: Sequence[FoundVolume], hybrids: Sequence[FoundHybrid]) -> list[Found]:
        return [
            meaning.load(self.reading, values, path, volumes, hybrids, self.folder)
            for values, path in self._read("load", LoadSpec, optional=self._has_a_course())
        ]

    def _has_a_course(self) -> bool:
        """Return whether events or machines are beside the loads, which then need not be there."""
        data = self.reading.data
        return bool(data.get("machine") or data.get("event"))

    def _measure(self) -> Values:
        values = read_part(
            self.reading, Measure, self.reading.data.get("measure", {}), ("measure",)
        )
        if {"min_ios", "max_ios"} <= set(values) and values["min_ios"] > values["max_ios"]:
            cause = f"{values['max_ios']} is less than min_ios, which is {values['min_ios']}"
            self.reading.problem(("measure", "max_ios"), cause, "make it at least as large")
        return values

    # ---- what concerns several of them

    def _names(self, key: str, parts: Sequence[Found]) -> None:
        for index, name in load_checks.repeated([part.name for part in parts]):
            cause = f"{quote(name)} is the name of an earlier [[{key}]] too"
            self.reading.problem((key, index, "name"), cause, "give each its own name")

    def _names_apart(
        self, key: str, parts: Sequence[Found], others: Mapping[str, Sequence[Found]]
    ) -> None:
        """Parts of some kinds must not be called as those of another: names tell them apart."""
        kinds = {one.name: kind for kind in others for one in others[kind]}
        for index, part in enumerate(parts):
            if part.name is not None and part.name in kinds:
                cause = f"{quote(part.name)} is the name of a {kinds[part.name]} too"
                self.reading.problem((key, index, "name"), cause, "give each its own name")

    def _phases(self, loads: Sequence[Values]) -> None:
        for index, key, cause, remedy in load_checks.check_groups(loads, self._has_a_course()):
            self.reading.problem(("load", index, key), cause, remedy)

    def _sweeps(self, loads: Sequence[Values]) -> None:
        found = list(load_checks.check_searches(loads))
        for index, key, cause, remedy in found:
            self.reading.problem(("load", index, key), cause, remedy)
        for index, key, length, first in () if found else load_checks.check_sweeps(loads):
            cause = f"has {length} values, and another load has {first}"
            remedy = "loads go through their values side by side: give each the same number"
            self.reading.problem(("load", index, key), cause, remedy)
