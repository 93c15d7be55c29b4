"""A scenario in a few words, from the resolved dictionary in a result.

A result may come from a file written by another version, so nothing here requires a key: missing
values are not mentioned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def loads(scenario: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The ``[[load]]`` tables of a scenario."""
    return _tables(scenario, "load")


def volumes(scenario: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The ``[[volume]]`` tables of a scenario."""
    return _tables(scenario, "volume")


def several_volumes(scenario: Mapping[str, Any]) -> bool:
    """Return whether names of stations need the volume in front to be told apart."""
    return len(volumes(scenario)) > 1


def title(scenario: Mapping[str, Any]) -> str:
    """The scenario's title, or a plain word where it has none."""
    return str(scenario.get("title") or "raidsim run")


def confidence(scenario: Mapping[str, Any]) -> str:
    """Confidence of the intervals as text, such as "95 %"."""
    measure = scenario.get("measure")
    value = measure.get("confidence") if isinstance(measure, Mapping) else None
    if isinstance(value, str) and value:
        return value
    return f"{100 * value:g} %" if isinstance(value, (int, float)) else "95 %"


def load_sentence(scenario: Mapping[str, Any], name: str) -> str:
    """One load in a line: "8 KiB, 67 % read, 100 % random, 32 GiB of data"."""
    for load in loads(scenario):
        if load.get("name") == name:
            return ", ".join(_load_parts(load, scenario))
    for machine in _tables(scenario, "machine"):
        if machine.get("name") == name:
            return machine_sentence(machine)
    return ""


def machine_sentence(machine: Mapping[str, Any]) -> str:
    """One group in a line: "200 machines, 4000 reads of 64 KiB, 5 s of CPU time"."""
    parts = [f"{machine.get('count', 1)} machines"]
    parts += [
        f"{machine[kind]} {kind} of {machine.get(f'{kind[:-1]}_size')}"
        for kind in ("reads", "writes")
        if machine.get(kind)
    ]
    parts += [
        f"{machine[kind]} {words}"
        for kind, words in (("compute", "of CPU time"), ("wait", "of waiting"))
        if machine.get(kind) not in (None, "0 s")
    ]
    if machine.get("volume"):
        parts.append(f"on {machine['volume']}")
    image = machine.get("image")
    if isinstance(image, Mapping):
        parts.append(f"image on {image.get('volume')}")
    return ", ".join(parts)


def volume_sentence(volume: Mapping[str, Any]) -> str:
    """One volume in a line: "data: single intel-p3700-800gb"."""
    changed = volume.get("set")
    drives = volume.get("drives", 1)
    number = f"{drives} x " if isinstance(drives, int) and drives > 1 else ""
    parts = [f"{volume.get('level', '')} {number}{volume.get('drive', '')}".strip()]
    if isinstance(changed, Mapping) and changed:
        parts.append("with " + ", ".join(f"{key} = {value}" for key, value in changed.items()))
    return f"{volume.get('name', 'volume')}: {' '.join(parts)}"


def controller_sentences(scenario: Mapping[str, Any]) -> list[str]:
    """Each controller in a line: "controller: cisco-12g-sas-raid-2gb, battery low"."""
    sentences = []
    for controller in _tables(scenario, "controller"):
        battery = controller.get("battery")
        state = "" if battery in (None, "good", "absent") else f", battery {battery}"
        name = controller.get("name", "controller")
        sentences.append(f"{name}: {controller.get('model', '')}{state}")
    return sentences


def host_sentence(scenario: Mapping[str, Any]) -> str:
    """The host in a line: "fujitsu-rx2540-m1 at 3.5 GHz"; empty where none is described."""
    host = scenario.get("host")
    if not isinstance(host, Mapping) or not host.get("model"):
        return ""
    return f"{host['model']} at {host['clock']}" if host.get("clock") else str(host["model"])


def air_sentence(scenario: Mapping[str, Any]) -> str:
    """The air in a line: "35 C, 20 % airflow"; empty where none is described."""
    air = scenario.get("air")
    if not isinstance(air, Mapping):
        return ""
    warm = ", drives warm at the start" if air.get("start") == "warm" else ""
    return f"{air.get('ambient', '')}, {air.get('airflow', '')} airflow{warm}"


def _load_parts(load: Mapping[str, Any], scenario: Mapping[str, Any]) -> list[str]:
    trace = load.get("trace")
    if isinstance(trace, Mapping):
        on = f"on {load['volume']}" if load.get("volume") else ""
        return [part for part in (f"trace {trace.get('file')}", on) if part]
    parts = [_sizes(load)]
    if "read" in load:
        parts.append(f"{load['read']} read")
    if "random" in load and not all("random" in size for size in load.get("sizes") or [{}]):
        parts.append(f"{load['random']} random")
    area = load.get("area")
    volume = load.get("volume") or next((v.get("name") for v in volumes(scenario)), None)
    if isinstance(area, Mapping) and area.get("size") not in (None, "rest"):
        parts.append(f"{area['size']} of {volume or 'the volume'}")
    elif volume:
        parts.append(f"on {volume}")
    workers = load.get("workers", 1)
    if isinstance(workers, int) and workers > 1:
        own = ", each on its own part" if load.get("partitions") else ""
        parts.append(f"{workers} workers{own}")
    return [part for part in parts if part]


def _sizes(load: Mapping[str, Any]) -> str:
    sizes = load.get("sizes")
    if isinstance(sizes, list) and sizes:
        return " + ".join(map(_size, sizes))
    return str(load.get("size") or "")


def _size(entry: Mapping[str, Any]) -> str:
    own = ", ".join(f"{entry[key]} {key}" for key in ("read", "random") if key in entry)
    return f"{entry.get('share')} {entry.get('size')}" + (f" ({own})" if own else "")


def _tables(scenario: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    tables = scenario.get(key)
    if not isinstance(tables, list):
        return []
    return [table for table in tables if isinstance(table, Mapping)]
