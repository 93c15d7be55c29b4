"""Compiled or interpreted, the kernel finds the same bytes: a whole run of every kind of load.

Each case runs here, however this process runs the kernel, and in a second process the
other way. Under coverage this is also what walks through the whole drive.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from raidsim.assembly import ftl
from raidsim.running import run
from raidsim.scenario import from_data

ROOT = Path(__file__).resolve().parents[1]
SHORT = {"ios": 150}  # interpreted, an I/O of many pages takes a millisecond or more
MEASURE = {"min_ios": 100, "max_ios": 150, "precision": "20 %"}

LOADS: dict[str, list[dict[str, Any]]] = {
    "database": [{"read": "67 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 32}],
    "streaming": [
        {
            "read": "100 %",
            "random": "0 %",
            "size": "64 KiB",
            "outstanding": [1, 2],
            "limit": SHORT,
        }
    ],
    "restore": [
        {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 8, "limit": SHORT}
    ],
    "mix of sizes": [
        {
            "read": "50 %",
            "random": "60 %",
            "sizes": [
                {"size": "512 B", "share": "30 %"},
                {"size": "4 KiB", "share": "30 %"},
                {"size": "100 KiB", "share": "40 %"},
            ],
            "align": "512 B",
            "outstanding": 8,
            "limit": SHORT,
        }
    ],
    "bursts": [
        {
            "read": "30 %",
            "size": "4 KiB",
            "rate": "20000 IO/s",
            "burst": {"on": "1 ms", "off": "3 ms"},
            "limit": SHORT,
        }
    ],
    "hot spot with think times": [
        {
            "read": "90 %",
            "size": "4 KiB",
            "hot": {"area": "10 %", "accesses": "90 %"},
            "think": "50 us",
            "think_distribution": "exponential",
            "workers": 4,
            "partitions": True,
            "outstanding": 2,
            "limit": SHORT,
        }
    ],
    "zipf": [{"read": "100 %", "size": "4 KiB", "zipf": 0.9, "outstanding": 4, "limit": SHORT}],
    "priorities and patience": [
        {
            "name": "urgent",
            "read": "100 %",
            "size": "4 KiB",
            "rate": "5000 IO/s",
            "priority": 0,
            "limit": {"time": "20 ms"},
        },
        {
            "name": "patient",
            "read": "0 %",
            "size": "128 KiB",
            "outstanding": 16,
            "priority": 3,
            "timeout": "500 us",
            "limit": {"bytes": "25 MiB"},
        },
    ],
    "garbage collection": [{"read": "30 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 8}],
    "given arrivals": [
        {"read": "50 %", "size": "8 KiB", "arrivals": [f"{20 * n} us" for n in range(200)]}
    ],
    "throttled": [
        {"read": "20 %", "size": "16 KiB", "rate": "250 IO/s", "limit": {"time": "1500 ms"}}
    ],
}
# A drive of next to no mass that throttles from a few degrees above the air's on.
DRIVES: dict[str, dict[str, str]] = {
    "throttled": {
        "heat.inner_capacity": "0.2 J/K",
        "heat.case_capacity": "1 J/K",
        "throttle.light_at": "26.83 C",
        "throttle.heavy_at": "26.86 C",
        "throttle.hysteresis": "0.01 K",
    }
}

DISKS: dict[str, dict[str, Any]] = {
    "disk, first come": {"queue.discipline": "fifo", "read_ahead.minimum": "64 KiB"},
    "disk, shortest seek": {"queue.discipline": "sstf", "write_cache.enabled": True},
    "disk, elevator": {"queue.discipline": "look", "capacity.physical_sector": "4 KiB"},
    "disk, shortest positioning": {"write_cache.enabled": True, "write_cache.entries": 8},
    "disk, ageing": {"queue.ageing": 0.2, "link.interface": "sata"},
}
for _case in DISKS:
    LOADS[_case] = [
        {"read": "60 %", "size": "8 KiB", "align": "512 B", "outstanding": 16, "limit": SHORT},
        {"name": "stream", "read": "100 %", "random": "0 %", "size": "64 KiB", "outstanding": 1},
    ]


SSD = "intel-p3700-800gb"
HDD = "seagate-st373455ss"
ARRAYS: dict[str, dict[str, Any]] = {
    "raid 0": {"level": "raid0", "drives": 3, "drive": SSD},
    "raid 1 of disks": {"level": "raid1", "drives": 3, "drive": HDD},
    "raid 10": {"level": "raid10", "drives": 4, "drive": SSD, "mirror_reads": "round-robin"},
    "raid 5, degraded": {"level": "raid5", "drives": 4, "drive": HDD, "failed": [1]},
    "raid 60, degraded": {"level": "raid60", "drives": 8, "drive": HDD, "failed": [1, 6]},
}
for _case in ARRAYS:
    LOADS[_case] = [
        {"read": "50 %", "size": "24 KiB", "align": "4 KiB", "outstanding": 8,
         "limit": {"ios": 80}},
        {"name": "stream", "read": "100 %", "random": "0 %", "size": "64 KiB", "outstanding": 1,
         "limit": {"ios": 50}},
    ]  # fmt: skip


WORN_IN = "garbage collection"
AREAS = {WORN_IN: {"offset": "4 KiB"}}
SMALL_MAP = 4096  # units; soon written over and over


def state_of(case: str) -> str:
    """What was done to the drive of a case before."""
    return "steady" if case == WORN_IN else "filled"


def volume_of(case: str) -> dict[str, Any]:
    """The volume of a case."""
    if case in ARRAYS:
        return ARRAYS[case] | {"strip": "16 KiB", "state": "filled"}
    if case in DISKS:
        return {"drive": HDD, "set": DISKS[case]}
    return {"drive": SSD, "set": DRIVES.get(case, {}), "state": state_of(case)}


def results(case: str) -> str:
    """The JSON of a case, run in this process, with small maps."""
    data = {
        "title": case,
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [volume_of(case)],
        "load": [load | {"area": AREAS.get(case, {"size": "8 GiB"})} for load in LOADS[case]],
        "measure": MEASURE,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ftl, "TARGET_UNITS", SMALL_MAP)
        result = run(from_data(data, case))
    amplification = result.points[0].drives[0].write_amplification
    assert case != WORN_IN or amplification > 1
    return json.dumps(result.to_dict(), sort_keys=True)


def the_other_way() -> dict[str, str]:
    """All cases, run by a process that interprets the kernel if this one compiles it."""
    setting = "0" if numba.config.DISABLE_JIT else "1"
    done = subprocess.run(
        [sys.executable, __file__],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": setting, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_all_runs_end_in_the_same_bytes_compiled_and_interpreted() -> None:
    """One test, since the second process takes longer than all cases here."""
    other = the_other_way()
    assert [case for case in LOADS if results(case) != other[case]] == []


if __name__ == "__main__":
    print(json.dumps({case: results(case) for case in LOADS}))
