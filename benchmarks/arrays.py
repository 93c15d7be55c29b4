"""Simulated host I/Os per second of wall time on arrays, and how their cost grows with the drives.

A host I/O on an array is several commands to its drives, those that destage a
cache included. What is to stay flat as an array grows is the cost of one of those.
"""

from __future__ import annotations

from typing import Any

from benchmarks.drives import filled, more
from benchmarks.measuring import Settings, Tell, repeated
from raidsim.control.model import build
from raidsim.observe import caching
from raidsim.risk.rebuild import STILL_FILLING
from raidsim.scenario import from_data
from raidsim.system.system import System

NAME = "arrays"
IOS = 200_000
DISK = "seagate-st373455ss"
ARRAYS = {
    "RAID 5 of 8 disks": {
        "volume": {"drive": DISK, "level": "raid5", "drives": 8},
        "outstanding": 32,
    },
    "RAID 60 of 24 disks, write-back": {
        "controller": "cisco-12g-sas-raid-2gb",
        "volume": {"drive": "nl-sas-2tb", "level": "raid60", "drives": 24, "write": "back"},
        "area": "1 TB",
        "outstanding": 64,
    },
    "RAID 0 of 4 SSDs": {
        "volume": {"drive": "intel-p3700-800gb", "level": "raid0", "drives": 4, "filled": "5 %"},
        "area": "32 GiB",
        "outstanding": 32,
    },
}
GROWTH = (8, 24, 96, 240)
PER_DRIVE = 4  # outstanding I/Os
FILLING = 10_000  # I/Os between two looks at the cache


def running(
    volume: dict[str, Any], outstanding: int, area: str = "100 GB", controller: str | None = None
) -> System:
    """Random requests of 8 KiB, two thirds reads, on an array, with queues and cache filled."""
    data: dict[str, Any] = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "controller": [] if controller is None else [{"model": controller}],
        "volume": [volume],
        "load": [
            {
                "read": "67 %",
                "size": "8 KiB",
                "area": {"offset": "0 B", "size": area},
                "outstanding": outstanding,
            }
        ],
    }
    system = filled(build(from_data(data)), outstanding)
    held = -1
    while caching.cached(system) > held + STILL_FILLING * caching.cache_size(system):
        held = caching.cached(system)
        more(system, FILLING)
    return system


def device_ios(system: System) -> int:
    """Commands that the drives of all arrays were given so far."""
    return int(system.world.arrays["commands"][: system.count("arrays")].sum())


def speed(system: System, ios: int, settings: Settings) -> dict[str, float]:
    """How fast so many host I/Os go, and what each of the commands that they cause costs."""
    handled, before = int(system.state["handled"]), device_ios(system)
    spent = repeated(lambda: more(system, ios), settings.repeats)
    every = ios * settings.repeats
    caused = (device_ios(system) - before) / every
    return {
        "ios": ios,
        "device_ios_per_io": caused,
        "events_per_io": (int(system.state["handled"]) - handled) / every,
        "ns_per_device_io": spent.wall / ios / caused * 1e9,
        "cpu_ns_per_device_io": spent.cpu / ios / caused * 1e9,
        **spent.per(ios),
    }


def run(settings: Settings, tell: Tell) -> tuple[dict[str, list[dict[str, Any]]], dict[str, float]]:
    """Measure three arrays, and mirrored pairs of ever more disks."""
    ios = settings.size(IOS, 2_000)
    special: list[dict[str, Any]] = []
    for title, array in ARRAYS.items():
        tell(f"{title}, {array['outstanding']} outstanding")
        found = speed(running(**array), ios, settings)
        special.append({"array": title, "outstanding": array["outstanding"], **found})
    growth: list[dict[str, Any]] = []
    for drives in GROWTH:
        tell(f"RAID 10 of {drives} disks")
        volume = {"drive": DISK, "level": "raid10", "drives": drives}
        found = speed(running(volume, PER_DRIVE * drives), ios, settings)
        growth.append({"drives": drives, "outstanding": PER_DRIVE * drives, **found})
    few = growth[0]["cpu_ns_per_device_io"]
    ratios = {
        f"device_io_of_{one['drives']}_to_{GROWTH[0]}_drives": one["cpu_ns_per_device_io"] / few
        for one in growth[1:]
    }
    return {"special": special, "growth": growth}, ratios


def lines(figures: dict[str, list[dict[str, Any]]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    few = figures["growth"][0]["cpu_ns_per_device_io"]
    special = [
        (
            f"{f['array']}, {f['outstanding']} outstanding",
            f"{f['per_second'] / 1e3:,.0f} thousand I/Os a second"
            f" ({f['per_cpu_second'] / 1e3:,.0f} per CPU second,"
            f" {f['device_ios_per_io']:.1f} commands and {f['events_per_io']:.1f} events each)",
        )
        for f in figures["special"]
    ]
    growth = [
        (
            f"RAID 10 of {f['drives']} disks",
            f"{f['cpu_ns_per_device_io']:,.0f} ns of CPU time a command,"
            f" {f['cpu_ns_per_device_io'] / few:.2f} times that of {GROWTH[0]} disks",
        )
        for f in figures["growth"]
    ]
    return special + growth
