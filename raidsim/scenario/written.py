"""A scenario in the form of its file again, with every default written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidsim import schemas, units
from raidsim.cards.toml_file import copied
from raidsim.scenario.event import EventSpec
from raidsim.scenario.load_spec import LoadSpec
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
from raidsim.scenario.reading import fields_of
from raidsim.scenario.replays import SAID_BY_THE_TRACE
from raidsim.scenario.tables import Tables


def written(data: Mapping[str, Any], scenario: Tables) -> dict[str, Any]:
    """Plain dicts, lists, texts and numbers that can be loaded again.

    What the file wrote stays as it was written; a default is written as a file would.
    Keys that mean something by their absence, such as ``rate``, are left out.
    """
    clock = units.text(scenario.host.clock or 0.0, "frequency")
    return {
        **schemas.head("scenario"),
        "title": scenario.title,
        "description": scenario.description,
        "seed": scenario.seed,
        "host": _part(HostKeys, data["host"], {"clock": clock}),
        "controller": [
            _part(ControllerKeys, table, {"battery": part.battery})
            for table, part in zip(data.get("controller", []), scenario.controllers, strict=True)
        ],
        "link": [
            _part(LinkSpec, table, {"to": part.to})
            for table, part in zip(data.get("link", []), scenario.links, strict=True)
        ],
        "volume": [
            _part(VolumeKeys, table, {"controller": part.controller, "intent": part.intent})
            for table, part in zip(data["volume"], scenario.volumes, strict=True)
        ],
        **_hybrids(data, scenario),
        "load": [
            _part(LoadSpec, table, _defaults(table, load))
            for table, load in zip(data.get("load", []), scenario.loads, strict=True)
        ],
        "machine": [
            _part(MachineSpec, table, {"volume": part.volume, "area": _area(table)})
            for table, part in zip(data.get("machine", []), scenario.machines, strict=True)
        ],
        "air": _part(AirSpec, data.get("air", {}), {}),
        "measure": _part(Measure, data.get("measure", {}), {}),
        "event": [
            _part(type(event), table, _of_event(event))
            for table, event in zip(data.get("event", []), scenario.events, strict=True)
        ],
    }


def _hybrids(data: Mapping[str, Any], scenario: Tables) -> dict[str, Any]:
    """Hybrids, if there are any."""
    tables = [
        _part(HybridKeys, table, {"controller": part.controller})
        for table, part in zip(data.get("hybrid", []), scenario.hybrids, strict=True)
    ]
    return {"hybrid": tables} if tables else {}


def _defaults(table: Mapping[str, Any], load: LoadSpec) -> dict[str, Any]:
    """Return the defaults of a load's missing keys that depend on other keys."""
    if load.trace is not None:
        return {"volume": load.volume} | dict.fromkeys(SAID_BY_THE_TRACE)
    return {
        "volume": load.volume,
        "align": units.text(load.align, "size"),
        "area": _area(table),
    }


def _area(table: Mapping[str, Any]) -> dict[str, Any]:
    return {"offset": "0 B", "size": "rest", **table.get("area", {})}


def _of_event(event: EventSpec) -> dict[str, Any]:
    """The volume, controller, link or load that an event is about, where it names none."""
    parts = ("volume", "controller", "link", "load")
    return {name: getattr(event, name) for name in parts if hasattr(event, name)}


def _part(
    model: type[Part], table: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """One table with its keys in the order of the reference page."""
    result: dict[str, Any] = {}
    known = model.model_fields
    for name, field in fields_of(model).items():
        value = table.get(name, defaults.get(name, known[field].default))
        if name == "area" and "area" in defaults:
            value = defaults[name]
        if value is not None:
            result[name] = copied(value)
    return result
