"""Arrays behind a controller with a cache, small enough for tests to follow."""

from __future__ import annotations

from typing import Any

from raidsim.control.model import BuiltSystem, build
from raidsim.scenario import Scenario, from_data

KIB = 1024
MIB = 1024 * KIB
CONTROLLER = "lsi-megaraid-1078-512"
DISK = "seagate-st373455ss"


def scenario(
    load: dict[str, Any],
    *,
    volume: dict[str, Any] | None = None,
    controller: dict[str, Any] | None = None,
    battery: str = "good",
    seed: int = 1,
    measure: dict[str, Any] | None = None,
) -> Scenario:
    """One load on an array of four disks as RAID 0; ``controller`` sets values of its card."""
    return from_data(
        {
            "seed": seed,
            "host": {"model": "fujitsu-rx300-s4"},
            "controller": [{"model": CONTROLLER, "battery": battery, "set": controller or {}}],
            "volume": [{"drive": DISK, "level": "raid0", "drives": 4} | (volume or {})],
            "load": [{"read": "0 %", "size": "8 KiB", "outstanding": 1} | load],
            "measure": measure or {},
        }
    )


def built_system(load: dict[str, Any], **rest: Any) -> BuiltSystem:
    """The same, built."""
    return build(scenario(load, **rest))


def started(load: dict[str, Any], **rest: Any) -> BuiltSystem:
    """The same, with its loads under way."""
    built = built_system(load, **rest)
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
    return built


def cache_of(built: BuiltSystem) -> Any:
    """The row of its cache."""
    return built.system.world.caches[0]


def commands_of(built: BuiltSystem) -> dict[str, int]:
    """Bytes that its drives were asked to read and to write."""
    drives = built.system.world.drives[: built.system.count("drives")]
    return {"read": int(drives["host_read"].sum()), "written": int(drives["host_written"].sum())}
