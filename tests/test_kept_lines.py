"""What reads find in a cache in the long run is there at once, as hundreds of thousands of I/Os
would have left it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from raidsim.control.model import build
from raidsim.intervene import cache_lines, full_caches, window
from raidsim.result import Point
from raidsim.running import kept_lines, run
from raidsim.scenario import from_data

SEED = 20261130
MIB = 2**20
DISKS = {"level": "raid5", "drives": 8, "drive": "cisco-hdd-10tb", "write": "back"}
CACHED = DISKS | {"io": "cached"}


def scenario(volume: dict[str, Any], load: dict[str, Any], size: str, **measure: Any) -> Any:
    return from_data(
        {
            "seed": SEED,
            "host": {"model": "cisco-ucs-c240-m4"},
            "controller": [{"model": "cisco-12g-sas-raid-2gb", "set": {"cache.size": size}}],
            "volume": [volume],
            "load": [{"name": "load"} | ({} if "rate" in load else {"outstanding": 4}) | load],
            "measure": measure,
        }
    )


def begun(volume: dict[str, Any], load: dict[str, Any], size: str, ios: int = 500) -> Any:
    """A system in which a load has done so many I/Os."""
    model = build(scenario(volume, load, size))
    system, streams = model.system, model.streams["load"]
    window.reset(system)
    for stream in streams:
        system.begin(stream)
    system.run(budget=ios)
    return system, streams


def area(size: int) -> dict[str, str]:
    return {"offset": "0 B", "size": f"{size // MIB} MiB"}


def found(system: Any, ios: int) -> float:
    """The share of the next reads that find their data in the cache."""
    reads, hits = (int(system.world.caches[0][of]) for of in ("reads", "hits"))
    system.run(budget=int(system.state["completed"]) + ios)
    row = system.world.caches[0]
    return float(row["hits"] - hits) / float(row["reads"] - reads)


def test_equally_frequent_reads_find_as_many_lines_as_the_cache_holds_of_the_area() -> None:
    """64 MiB of 256 MiB: one read in four, whatever is evicted first."""
    load = {"read": "100 %", "size": "64 KiB", "area": area(256 * MIB)}
    system, streams = begun(CACHED, load, "64 MiB")
    assert found(system, 200) < 0.2
    kept_lines.put(system, 0, streams)
    share, ios = found(system, 4000), 4000
    assert share == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / ios))


def of_che(lines: int, places: int, exponent: float) -> float:
    """Hits of a cache that evicts what was used least recently (Che et al., IEEE JSAC 20, 2002)."""
    chance = np.arange(1, places + 1) ** -exponent
    chance /= chance.sum()
    time = brentq(lambda t: (1 - np.exp(-chance * t)).sum() - lines, 1, 1e9)
    return float((chance * (1 - np.exp(-chance * time))).sum())


def test_reads_of_popular_places_find_as_much_as_in_theory() -> None:
    """Places whose popularity falls as in a Zipf distribution, and least recently used lines."""
    load = {"read": "100 %", "size": "64 KiB", "zipf": 0.9, "area": area(1024 * MIB)}
    system, streams = begun(CACHED, load, "64 MiB")
    kept_lines.put(system, 0, streams)
    ios = 8000
    expected = of_che(64 * 16, 1024 * 16, 0.9)
    share = found(system, ios)
    assert share == pytest.approx(expected, abs=0.01 + 4 * np.sqrt(0.25 / ios))


def test_a_cache_with_room_for_an_area_holds_all_of_it() -> None:
    """Reads leave nothing here, but what was written at any time is still there."""
    load = {"read": "50 %", "size": "4 KiB", "area": area(48 * MIB)}
    system, streams = begun(DISKS, load, "64 MiB")
    kept_lines.put(system, 0, streams)
    assert found(system, 2000) == 1.0


def test_as_much_is_dirty_as_is_never_destaged() -> None:
    load = {"read": "50 %", "size": "4 KiB", "area": area(1024 * MIB)}
    system, streams = begun(DISKS, load, "64 MiB")
    kept_lines.put(system, 0, streams)
    row, lines = system.world.caches[0], cache_lines.rows_of(system, 0)
    assert 0 <= row["dirty"] - row["low"] <= lines["size"].max()
    unclean = (lines["dirty"] | lines["busy"]) != 0
    assert int(row["dirty"]) == int(lines["size"][unclean].sum())
    assert int(row["used"]) <= int(row["size"])


def test_a_cache_that_destages_when_hosts_pause_stays_empty_of_dirty_data() -> None:
    """One write in ten seconds: all is destaged long before the low water mark."""
    load = {"read": "50 %", "size": "4 KiB", "rate": "0.1 IO/s", "area": area(256 * MIB)}
    system, streams = begun(DISKS, load, "64 MiB", 50)
    before = int(system.world.caches[0]["dirty"])
    kept_lines.put(system, 0, streams)
    assert int(system.world.caches[0]["dirty"]) == before


@pytest.mark.parametrize(
    "load",
    [{"random": "0 %"}, {"random": "50 %"}],
    ids=["in sequence", "half of it"],
)
def test_what_is_not_random_is_left_to_the_run(load: dict[str, Any]) -> None:
    """How much of a stream is read ahead hangs on time."""
    load = {"read": "70 %", "size": "4 KiB", "area": area(256 * MIB)} | load
    system, streams = begun(DISKS, load, "64 MiB")
    assert kept_lines.caches(system, streams) == []


def test_a_cache_in_which_reads_find_next_to_nothing_is_left_as_it_is() -> None:
    system, streams = begun(DISKS, {"read": "70 %", "size": "4 KiB"}, "64 MiB")
    assert kept_lines.caches(system, streams) == []


def test_what_a_load_does_later_is_not_what_the_cache_was_filled_with() -> None:
    """The n-th I/O of a load goes where it went before, whatever happens to the cache."""
    load = {"read": "50 %", "size": "4 KiB", "area": area(1024 * MIB)}
    system, streams = begun(DISKS, load, "64 MiB")
    before = [system.world.streams[one].copy() for one in streams]
    kept_lines.put(system, 0, streams)
    assert all(system.world.streams[one] == row for one, row in zip(streams, before, strict=True))


def test_what_a_cache_keeps_is_drawn_by_the_seed() -> None:
    """Two systems alike to the last byte, of which one has another seed from then on."""

    def kept(seed: int) -> bytes:
        load = {"read": "50 %", "size": "4 KiB", "area": area(1024 * MIB)}
        system, streams = begun(DISKS, load, "64 MiB")
        system.seed = seed
        kept_lines.put(system, 0, streams)
        lines = cache_lines.rows_of(system, 0)
        return np.sort(lines["strip"][lines["valid"] != 0]).tobytes()

    assert kept(1) == kept(1)
    assert kept(1) != kept(2)


def measured(volume: dict[str, Any], load: dict[str, Any], size: str, **measure: Any) -> Point:
    return run(scenario(volume, load, size, **measure)).points[0]


@pytest.mark.parametrize("outstanding", [4, 64])
def test_a_cache_that_was_filled_at_once_is_as_fast_as_one_that_filled(
    monkeypatch: pytest.MonkeyPatch, outstanding: int
) -> None:
    """Drives that carry what is written, and drives that do not: then it is dirty to its bound."""
    load = {"read": "67 %", "size": "8 KiB", "area": area(1024 * MIB), "outstanding": outstanding}
    measure = {"precision": "1 %", "min_ios": 20_000}
    disks = DISKS | {"drive": "cisco-hdd-600gb-15k", "disk_cache": "off"}
    soon = measured(disks, load, "256 MiB", **measure)
    monkeypatch.setattr(kept_lines, "caches", lambda *_: [])
    monkeypatch.setattr(full_caches, "can_be_filled", lambda *_: False)
    late = measured(disks, load, "256 MiB", **measure)
    assert soon.converged
    assert late.converged
    assert soon.warmup_s < late.warmup_s / 2
    assert soon.iops.mean == pytest.approx(late.iops.mean, rel=0.03)
    assert soon.latency_ms["read"].mean == pytest.approx(late.latency_ms["read"].mean, rel=0.05)


def test_a_slow_load_keeps_its_time_for_the_warm_up() -> None:
    """Two I/Os a second: 2,000 of them take longer than a run may."""
    load = {"read": "100 %", "size": "8 KiB", "rate": "2 IO/s", "area": area(1024 * MIB)}
    point = measured(DISKS, load, "64 MiB")
    assert not any("settled" in text for text in point.warnings)
