"""A cache destages to all arrays of a controller side by side, and to all drives of a JBOD."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from conftest import compiled_only

from raidsim.control.model import build
from raidsim.intervene import cache_lines, full_caches, window
from raidsim.observe import elevator_passes
from raidsim.running import run
from raidsim.scenario import from_data

DISK = "cisco-hdd-1200gb-10k"


def scenario(volumes: list[dict[str, Any]], outstanding: int, **load: Any) -> Any:
    """Random writes to volumes of one controller, which share out so many among them."""
    names = [f"v{number}" for number in range(len(volumes))]
    writes = {"read": "0 %", "size": "16 KiB", "outstanding": outstanding // len(volumes)} | load
    return from_data(
        {
            "seed": 20261126,
            "host": {"model": "linux-xeon-e5-pair"},
            "controller": [
                {
                    "model": "cisco-12g-sas-raid-4gb",
                    "set": {"cache.size": "256 MiB", "drives.max": 240},
                }
            ],
            "volume": [
                {"name": name, "drive": DISK, "write": "back"} | volume
                for name, volume in zip(names, volumes, strict=True)
            ],
            "load": [{"name": f"of {name}", "volume": name} | writes for name in names],
            "measure": {"precision": "3 %", "min_ios": 8000},
        }
    )


def rate(volumes: list[dict[str, Any]], **load: Any) -> float:
    return sum(point.iops.mean for point in run(scenario(volumes, 64, **load)).points)


def test_disks_write_as_much_as_many_volumes_as_as_one() -> None:
    """An elevator that went volume by volume let all disks but those of one volume wait."""
    one = rate([{"level": "raid0", "drives": 8}])
    assert rate([{"level": "raid0", "drives": 4}] * 2) == pytest.approx(one, rel=0.1)
    assert rate([{}] * 8) == pytest.approx(one, rel=0.2)


def test_mirrors_of_their_own_write_as_much_as_one_array_of_them() -> None:
    one = rate([{"level": "raid10", "drives": 8}])
    assert rate([{"level": "raid1", "drives": 2}] * 4) == pytest.approx(one, rel=0.15)


def test_a_disk_of_a_stripe_writes_as_much_as_one_of_a_mirror() -> None:
    """Each has the same to sort from: a write to a mirror is a command to each of its disks."""
    mirror = rate([{"level": "raid1", "drives": 2}])
    stripe = rate([{"level": "raid0", "drives": 2}])
    assert stripe == pytest.approx(2 * mirror, rel=0.15)


def test_a_jbod_writes_as_much_as_a_raid_0() -> None:
    striped, joined = (rate([{"level": level, "drives": 8}]) for level in ("raid0", "jbod"))
    assert joined == pytest.approx(striped, rel=0.2)


def test_a_fast_volume_goes_on_while_a_slow_one_is_destaged_to() -> None:
    """Below the rate of both no write waits for room, whichever drives the others are on."""
    flash = {"drive": "samsung-pm1643-3840gb"}
    both = scenario([{"level": "raid0", "drives": 2}, flash], 2)
    loads = [
        one | {"outstanding": None, "rate": f"{each} IO/s"}
        for one, each in zip(both.written["load"], (200, 8000), strict=True)
    ]
    slow, fast = run(from_data(both.written | {"load": [_given(one) for one in loads]})).points
    assert slow.iops.mean == pytest.approx(200, rel=0.05)
    assert fast.iops.mean == pytest.approx(8000, rel=0.05)
    assert fast.latency_ms["write"].mean < 0.1


def _given(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def test_each_lane_of_a_cache_that_is_filled_rises_from_behind_its_elevator() -> None:
    model = build(scenario([{"level": "jbod", "drives": 2}, {"level": "raid0", "drives": 2}], 64))
    system = model.system
    streams = [one for several in model.streams.values() for one in several]
    window.reset(system)
    for stream in streams:
        system.begin(stream)
    system.run(budget=6000)
    full_caches.fill(system, 0, streams)
    lines = cache_lines.rows_of(system, 0)
    dirty = lines[lines["dirty"] != 0]
    assert system.count("lanes") == 3
    for number in range(2):
        array = system.world.arrays[system.world.volumes[number]["array"]]
        whole = int(system.world.volumes[number]["size"]) // int(array["line"])
        each = whole // int(array["lanes"])
        mine = dirty["strip"][dirty["volume"] == number]
        for lane in range(int(array["lanes"])):
            row = system.world.lanes[int(array["first_lane"]) + lane]
            here = max((int(row["elevator"]) & (2**44 - 1)) - lane * each, 0)
            strips = mine[mine // each == lane] - lane * each
            counts, _ = np.histogram(((strips - here) % each) / each, 4, (0.0, 1.0))
            expected = len(strips) * (1 - (np.arange(4) + 0.5) / 4) / 2
            assert (np.abs(counts - expected) < 6 * np.sqrt(expected)).all(), (number, lane, counts)


def test_how_often_destages_went_over_all_is_told_of_the_busiest_lane() -> None:
    """That of a volume hardly written to goes round with each write."""
    asked = scenario([{"drives": 2, "level": "raid0"}, {}], 64)
    loads = [_given(one) for one in asked.written["load"]]
    loads[1] = _given(loads[1] | {"outstanding": None, "rate": "20 IO/s"})
    model = build(from_data(asked.written | {"load": loads}))
    system = model.system
    for streams in model.streams.values():
        for stream in streams:
            system.begin(stream)
    system.run(budget=40_000)
    busy, quiet = system.world.lanes[:2]
    assert elevator_passes.busiest_lane(system, 0) == 0
    assert 0 < quiet["last_pass"] < 2**20 < busy["last_pass"]
    assert busy["destaged"] + quiet["destaged"] == system.world.caches[0]["destaged"]
    window.reset(system)
    system.run(budget=41_000)
    assert elevator_passes.busiest_lane(system, 0) == 0


def running(asked: Any, ios: int) -> Any:
    """A system that has done so many I/Os."""
    model = build(asked)
    for streams in model.streams.values():
        for stream in streams:
            model.system.begin(stream)
    model.system.run(budget=ios)
    return model.system


def test_a_lane_with_dirty_lines_that_takes_more_is_in_the_queue() -> None:
    system = running(
        scenario([{"level": "jbod", "drives": 3}, {"level": "raid0", "drives": 2}], 64), 0
    )
    cache = system.world.caches[0]
    for budget in range(500, 12_000, 500):
        system.run(budget=budget)
        queued, row = [], int(cache["first_ready"])
        while row >= 0:
            queued.append(row)
            row = int(system.world.lanes[row]["next"])
        lanes = system.world.lanes[:4]
        assert sorted(queued) == np.flatnonzero(lanes["ready"]).tolist()
        lines = cache_lines.rows_of(system, 0)
        listed = lines[lines["height"] > 0]
        for row, lane in enumerate(lanes):
            volume = 0 if row < 3 else 1
            array = system.world.arrays[system.world.volumes[volume]["array"]]
            mine = listed[listed["volume"] == volume]
            each = int(array["lane_size"]) // int(array["line"])
            if volume == 0:
                mine = mine[np.minimum(mine["strip"] // each, 2) == row]
            if len(mine) and lane["destages"] < array["most_destages"] // array["lanes"]:
                assert row in queued
        assert lanes["destages"].sum() == cache["tasks"]


@compiled_only
def test_an_io_takes_no_longer_to_simulate_with_many_lanes() -> None:
    """With 200 drives it took 30 times as long: all of them were asked at each destage."""

    def taken(drives: int) -> float:
        system = running(scenario([{"level": "jbod", "drives": drives}], 512), 20_000)
        begun = time.process_time()
        system.run(budget=60_000)
        return time.process_time() - begun

    taken(8)
    assert taken(200) < 8 * taken(8)
