"""A scenario in the form of its file again, with every default written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raidsim import units
from raidsim.scenario.models import HostSpec, LoadSpec, Measure, Part, Scenario, VolumeSpec


def written(data: Mapping[str, Any], scenario: Scenario) -> dict[str, Any]:
    """Plain dicts, lists, texts and numbers that can be loaded again.

    What the file wrote stays as it was written; a default is written as a file would.
    Keys that mean something by their absence, such as ``rate``, are left out.
    """
    result: dict[str, Any] = {
        "title": scenario.title,
        "description": scenario.description,
        "seed": scenario.seed,
        "host": _part(HostSpec, data["host"]),
        "volume": [_part(VolumeSpec, table) for table in data["volume"]],
        "load": [_part(LoadSpec, table) for table in data["load"]],
        "measure": _part(Measure, data.get("measure", {})),
    }
    host = result["host"]
    host.setdefault("clock", units.text(scenario.host.card.number("cpu.clock"), "frequency"))
    for table, load in zip(result["load"], scenario.loads, strict=True):
        table.setdefault("volume", load.volume)
        table.setdefault("align", units.text(load.align, "size"))
        table["area"] = {"offset": "0 B", "size": "rest"} | table["area"]
    return result


def _part(model: type[Part], table: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        value = table[name] if name in table else info.default
        if value is not None:
            result[name] = dict(value) if isinstance(value, dict) else value
    return result
