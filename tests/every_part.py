"""A system that has a part of every kind."""

from __future__ import annotations

from cached_array import CONTROLLER, DISK

from raidsim.control.model import BuiltSystem, build
from raidsim.scenario import from_data


def everything() -> BuiltSystem:
    """Disks and flash, arrays of a controller and of the host, reads and writes of all kinds."""
    loads = [
        {"name": f"{name} {kind}", "volume": name, "read": read, "random": random,
         "size": "8 KiB", "outstanding": 4, "area": {"size": "256 MiB"}}
        for name in ("cached", "soft", "flash", "disk")
        for kind, read, random in (("mixed", "50 %", "100 %"), ("stream", "100 %", "0 %"))
    ]  # fmt: skip
    disks = {"drive": DISK, "strip": "16 KiB"}
    flash = {"drive": "intel-p3700-800gb", "state": "fresh"}
    return build(
        from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1", "power_plan": "default"},
                "controller": [{"model": CONTROLLER, "name": "card"}],
                "volume": [
                    disks | {"name": "cached", "level": "raid5", "drives": 4, "write": "back",
                             "read_ahead": "adaptive", "io": "cached", "controller": "card"},
                    disks | {"name": "soft", "level": "raid6", "drives": 5, "intent": "bitmap",
                             "disk_cache": "on", "controller": "host"},
                    flash | {"name": "flash", "controller": "host"},
                    {"name": "disk", "drive": DISK, "disk_cache": "on", "controller": "host"},
                ],
                "load": loads,
            }
        )
    )  # fmt: skip


def begin(built: BuiltSystem) -> None:
    """Start all loads."""
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
