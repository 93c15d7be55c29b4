"""Single tables that a program gives, beside parts that have been checked before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raidsim.cards.toml_lines import Path
from raidsim.scenario import hybrids, meaning
from raidsim.scenario.files import file_of
from raidsim.scenario.found import Found, FoundController, FoundHybrid, FoundVolume
from raidsim.scenario.models import HybridKeys, LinkSpec, LoadSpec, VolumeKeys
from raidsim.scenario.reading import Reading, read_part
from raidsim.scenario.specs import ControllerSpec, HybridSpec, VolumeSpec

Table = Mapping[str, Any]


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
    volumes, made = [], []
    if isinstance(volume, VolumeSpec):
        volumes = [FoundVolume.of(volume)]
    else:
        made = [FoundHybrid.of(volume)]
    return LoadSpec.model_construct(**_read_load(table, "Load()", volumes, made).values)


def _read_load(
    table: Table, name: str, volumes: Sequence[FoundVolume], made: Sequence[FoundHybrid]
) -> Found:
    reading = Reading(file_of({"load": [table]}, name))
    path: Path = ("load", 0)
    values = read_part(reading, LoadSpec, reading.data["load"][0], path)
    found = meaning.load(reading, values, path, volumes, made)
    reading.raise_if_wrong()
    return found


def volume_on(
    table: Table, controllers: Sequence[ControllerSpec], links: Sequence[LinkSpec]
) -> VolumeSpec:
    """Read a ``[[volume]]`` that is on some of these controllers and links.

    Raises
    ------
    InputError : with every problem of the volume there.
    """
    reading = Reading(file_of({"volume": [table]}, "Volume()"))
    path: Path = ("volume", 0)
    values = read_part(reading, VolumeKeys, reading.data["volume"][0], path)
    above = [FoundController.of(one) for one in controllers]
    ways = [Found(dict(one)) for one in links]
    found = meaning.volume(reading, values, path, None, above, ways)
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
    path: Path = ("hybrid", len(others))
    values = read_part(reading, HybridKeys, reading.data["hybrid"][-1], path)
    above = [FoundController.of(one) for one in controllers]
    parts = [FoundVolume.of(one) for one in volumes]
    found = meaning.hybrid(reading, values, path, above, parts)
    for index, key, cause, remedy in hybrids.overlaps([*map(FoundHybrid.of, others), found]):
        reading.problem(("hybrid", index, key), cause, remedy)
    reading.raise_if_wrong()
    return found.spec()
