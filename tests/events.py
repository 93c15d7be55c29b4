"""Scenarios with events on small arrays of fast disks, for tests."""

from __future__ import annotations

from typing import Any

from raidsim.result import Course, Point
from raidsim.running import run
from raidsim.scenario import Scenario, load_text

DISK = "seagate-st373455ss"
RAID = {"model": "lsi-megaraid-1078-512"}
FEW_ROWS = "0.02 %"  # of 73 GB: about 15 MB
DATABASE = {"name": "database", "read": "67 %", "size": "8 KiB", "outstanding": 4}


def text(
    *events: dict[str, Any],
    controllers: tuple[dict[str, Any], ...] = (RAID,),
    links: tuple[dict[str, Any], ...] = (),
    loads: tuple[dict[str, Any], ...] = (DATABASE,),
    measure: dict[str, Any] | None = None,
    volumes: tuple[dict[str, Any], ...] = ({},),
    **volume: Any,
) -> str:
    """A scenario of RAID 5 of four disks on a controller; the keys of ``volume`` come on top."""
    built = {"level": "raid5", "drives": 4, "drive": DISK, "rebuild_sample": FEW_ROWS}
    parts = {
        "host": [{"model": "fujitsu-rx300-s4"}],
        "controller": list(controllers),
        "link": list(links),
        "volume": [built | one | volume for one in volumes],
        "load": list(loads),
        "event": list(events),
        "measure": [measure] if measure else [],
    }
    lines = []
    for name, tables in parts.items():
        for table in tables:
            lines.append(f"[{name}]" if name in ("host", "measure") else f"[[{name}]]")
            lines += [f"{key} = {toml(value)}" for key, value in table.items()]
    return "\n".join(lines)


def toml(value: Any) -> str:
    """A value as a file writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def scenario(*events: dict[str, Any], **changes: Any) -> Scenario:
    """The same, loaded."""
    return load_text(text(*events, **changes), "events.toml")


def point(*events: dict[str, Any], **changes: Any) -> Point:
    """What came of the only load at its only point."""
    return run(scenario(*events, **changes)).points[0]


def course(*events: dict[str, Any], **changes: Any) -> Course:
    """What the events did."""
    found = point(*events, **changes).course
    assert found is not None
    return found


def at(time: str, kind: str, **keys: Any) -> dict[str, Any]:
    """An event; ``for_`` is its key ``for``."""
    return {"kind": kind, "at": time, **{key.rstrip("_"): value for key, value in keys.items()}}
