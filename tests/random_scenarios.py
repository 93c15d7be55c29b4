"""Scenarios drawn at random: any level, drive, controller and load, each simulated in a moment.

`drawn` gives the words of one, as `raidsim.scenario.from_data` takes them; equal seeds, equal
words. A test that uses it has the seed in its name.
"""

from __future__ import annotations

from random import Random
from typing import Any

RAID = {"name": "raid", "model": "cisco-12g-sas-raid-2gb"}
DISKS = ("cisco-hdd-600gb-15k", "seagate-st373455ss", "nl-sas-2tb")
SSDS = ("cisco-ssd-sas12-ep-1600gb", "fujitsu-ssd-sas12-mlc-400gb")
NVME = ("intel-p3700-800gb",)
LEVELS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("single", (1,)),
    ("raid0", (2, 4)),
    ("raid1", (2,)),
    ("raid1e", (3, 5)),
    ("raid5", (3, 5, 8)),
    ("raid6", (4, 6)),
    ("raid10", (4, 6)),
    ("raid50", (6,)),
    ("raid60", (8,)),
)
ON_CONTROLLER = ("raid0", "raid1", "raid5", "raid6", "raid10", "raid50", "raid60")


def volume(random: Random, **keys: Any) -> dict[str, Any]:
    """Words of one volume: half of them behind the controller, with or without its cache."""
    level, counts = random.choice(LEVELS)
    controlled = level in ON_CONTROLLER and random.random() < 0.5
    words: dict[str, Any] = {
        "name": "data",
        "level": level,
        "drives": random.choice(counts),
        "drive": random.choice(DISKS + SSDS if controlled else DISKS + SSDS + NVME),
    }
    if level not in ("single", "raid1"):
        words["strip"] = random.choice(
            ["64 KiB", "256 KiB"] if controlled else ["16 KiB", "64 KiB"]
        )
    if controlled:
        words |= {"controller": "raid", "write": random.choice(["through", "back"])}
    if words["drive"] not in DISKS:
        words["state"] = "fresh"  # a drive that is filled takes a second to make
    return words | keys


def load(random: Random, **keys: Any) -> dict[str, Any]:
    """Words of one load with a number of outstanding I/Os."""
    words: dict[str, Any] = {
        "name": "load",
        "volume": "data",
        "read": random.choice(["0 %", "30 %", "70 %", "100 %"]),
        "random": random.choice(["0 %", "50 %", "100 %", "100 %"]),
        "size": random.choice(["4 KiB", "8 KiB", "64 KiB", "192 KiB"]),
        "area": {"size": random.choice(["64 MiB", "8 GiB"])},
        "workers": random.choice([1, 1, 3]),
        "outstanding": random.choice([1, 2, 8, 32]),
    }
    return words | keys


def around(
    seed: int, volumes: list[dict[str, Any]], loads: list[dict[str, Any]], **keys: Any
) -> dict[str, Any]:
    """A whole scenario: the server and the controller that these volumes need."""
    controlled = any(one.get("controller") for one in volumes)
    return {
        "seed": seed,
        "host": {"model": "cisco-ucs-c240-m4"},
        "controller": [RAID] if controlled else [],
        "volume": volumes,
        "load": loads,
        "measure": {"precision": "3 %", "min_ios": 1000},
    } | keys


def drawn(seed: int) -> dict[str, Any]:
    """A scenario of one volume under one load."""
    random = Random(seed)
    return around(seed, [volume(random)], [load(random)])
