"""Single tables that a program gives, read together with parts that were checked before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidsim.cards.card import Card
from raidsim.cards.toml_file import TomlFile
from raidsim.cards.toml_lines import KeyPath
from raidsim.scenario import hardware, meaning
from raidsim.scenario.files import file_of
from raidsim.scenario.found import Found, FoundController, FoundHybrid, FoundVolume
from raidsim.scenario.hybrid_checks import check_overlaps
from raidsim.scenario.load_spec import LoadSpec
from raidsim.scenario.models import (
    AirSpec,
    ControllerKeys,
    HostKeys,
    HybridKeys,
    LinkSpec,
    VolumeKeys,
)
from raidsim.scenario.part import Part
from raidsim.scenario.reading import LISTS, Reading, Values, read_part
from raidsim.scenario.specs import ControllerSpec, HostSpec, HybridSpec, VolumeSpec

Table = Mapping[str, Any]


def host_of(table: Table) -> HostSpec:
    """Read a ``[host]``.

    Raises
    ------
    InputError : with every problem of it.
    """
    reading, values = _opened("host", HostKeys, table, "Host()")
    found = meaning.host(reading, values, ("host",), None)
    reading.raise_if_wrong()
    return found.spec()


def clock_of(table: Table) -> float | None:
    """Read the clock rate of a ``[host]``.

    Raises
    ------
    InputError : with every problem of the table but those of its card.
    """
    reading, values = _opened("host", HostKeys, table, "Host()")
    reading.raise_if_wrong()
    clock: float | None = values["clock"]
    return clock


def controller_of(table: Table) -> ControllerSpec:
    """Read a ``[[controller]]``.

    Raises
    ------
    InputError : with every problem of it.
    """
    reading, values = _opened("controller", ControllerKeys, table, "Controller()")
    found = meaning.controller(reading, values, ("controller", 0), None)
    reading.raise_if_wrong()
    return found.spec()


def battery_of(table: Table, card: Card) -> str:
    """Read the state of the battery of a ``[[controller]]`` whose card is known.

    Raises
    ------
    InputError : with every problem of the table but those of its card.
    """
    reading, values = _opened("controller", ControllerKeys, table, "set_battery()")
    state = hardware.battery_of(reading, values.get("battery"), card, ("controller", 0))
    reading.raise_if_wrong()
    return state


def link_of(table: Table) -> LinkSpec:
    """Read a ``[[link]]``; what it leads to is known to be there.

    Raises
    ------
    InputError : with every problem of it.
    """
    reading, values = _opened("link", LinkSpec, table, "Link()")
    reading.raise_if_wrong()
    return LinkSpec.model_construct(**values)


def air_of(table: Table, call: str) -> AirSpec:
    """Read an ``[air]``; ``call`` is what messages name.

    Raises
    ------
    InputError : with every problem of it.
    """
    reading, values = _opened("air", AirSpec, table, call)
    reading.raise_if_wrong()
    return AirSpec.model_construct(**values)


def _opened(key: str, model: type[Part], table: Table, call: str) -> tuple[Reading, Values]:
    """A reading of one table, and what is written in it; ``call`` is what messages name.

    What is None in the table is wrong here, and is not left out as it is of loads and volumes.
    """
    several = key in LISTS
    reading = Reading(TomlFile(call, data={key: [table] if several else table}))
    path: KeyPath = (key, 0) if several else (key,)
    return reading, read_part(reading, model, table, path)


def check_load(table: Table, name: str) -> None:
    """Check a ``[[load]]`` before it is known which volume it runs on.

    Raises
    ------
    InputError : with every problem that no volume could put right; `name` stands in front.
    """
    _read_load(table, name, [], [])


def load_on(table: Table, volume: VolumeSpec | HybridSpec) -> LoadSpec:
    """Read a ``[[load]]`` that runs on a volume or a hybrid which has been checked.

    Raises
    ------
    InputError : with every problem of the load on this volume.
    """
    volumes, hybrids = [], []
    if isinstance(volume, VolumeSpec):
        volumes = [FoundVolume.of(volume)]
    else:
        hybrids = [FoundHybrid.of(volume)]
    return LoadSpec.model_construct(**_read_load(table, "Load()", volumes, hybrids).values)


def _read_load(
    table: Table, name: str, volumes: Sequence[FoundVolume], hybrids: Sequence[FoundHybrid]
) -> Found:
    reading = Reading(file_of({"load": [table]}, name))
    path: KeyPath = ("load", 0)
    values = read_part(reading, LoadSpec, reading.data["load"][0], path)
    found = meaning.load(reading, values, path, volumes, hybrids)
    reading.raise_if_wrong()
    return found


def volume_on(
    table: Table, server: Card, controllers: Sequence[ControllerSpec], links: Sequence[LinkSpec]
) -> VolumeSpec:
    """Read a ``[[volume]]`` that is on some of these controllers and links of a host.

    Raises
    ------
    InputError : with every problem of the volume there.
    """
    reading = Reading(file_of({"volume": [table]}, "Volume()"))
    path: KeyPath = ("volume", 0)
    values = read_part(reading, VolumeKeys, reading.data["volume"][0], path)
    above = [FoundController.of(one) for one in controllers]
    ways = [Found(dict(one)) for one in links]
    found = meaning.volume(reading, values, path, None, server, above, ways)
    reading.raise_if_wrong()
    return found.spec()


def hybrid_of(
    table: Table,
    controllers: Sequence[ControllerSpec],
    volumes: Sequence[VolumeSpec],
    others: Sequence[HybridSpec],
) -> HybridSpec:
    """Read a ``[[hybrid]]`` of two of these volumes, beside others that use the same ones.

    Raises
    ------
    InputError : with every problem of the hybrid beside those.
    """
    reading = Reading(file_of({"hybrid": [*({} for _ in others), table]}, "Hybrid()"))
    path: KeyPath = ("hybrid", len(others))
    values = read_part(reading, HybridKeys, reading.data["hybrid"][-1], path)
    above = [FoundController.of(one) for one in controllers]
    parts = [FoundVolume.of(one) for one in volumes]
    found = meaning.hybrid(reading, values, path, above, parts)
    for index, key, cause, remedy in check_overlaps([*map(FoundHybrid.of, others), found]):
        reading.problem(("hybrid", index, key), cause, remedy)
    reading.raise_if_wrong()
    return found.spec()
