"""A write-back cache that would take minutes to fill is filled at once, as those minutes would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raidsim.control.model import build
from raidsim.intervene import cache_lines, full_caches, window
from raidsim.result import Point
from raidsim.running import run
from raidsim.scenario import from_data

SEED = 20261126
DISKS = {"level": "raid5", "drives": 8, "drive": "cisco-hdd-10tb", "write": "back"}
PARITY = {"command.firmware_time": "0 us", "parity.time_per_byte": "1.15 us/KiB"}
"""A controller that takes writes in faster than its parity engine lets them out."""
FLASH = {"level": "raid5", "drives": 8, "drive": "cisco-ssd-sas12-ep-1600gb", "write": "back"}


def scenario(volume: dict[str, Any], load: dict[str, Any], size: str, **measure: Any) -> Any:
    return from_data(
        {
            "seed": SEED,
            "host": {"model": "cisco-ucs-c240-m4"},
            "controller": [
                {"model": "cisco-12g-sas-raid-2gb", "set": PARITY | {"cache.size": size}}
            ],
            "volume": [volume],
            "load": [{"name": "load", "read": "0 %", "size": "4 KiB"} | load],
            "measure": measure,
        }
    )


def begun(volume: dict[str, Any], load: dict[str, Any], size: str, ios: int) -> Any:
    """A system in which a load has done so many I/Os."""
    model = build(scenario(volume, load, size))
    system, streams = model.system, model.streams["load"]
    window.reset(system)
    for stream in streams:
        system.begin(stream)
    system.run(budget=ios)
    return system, streams


def test_what_is_dirty_rises_evenly_from_behind_the_elevator_to_just_ahead_of_it() -> None:
    """Over a whole round of addresses from where it stands, the share of dirty lines falls."""
    system, streams = begun(DISKS, {"rate": "900 IO/s"}, "64 MiB", 3000)
    full_caches.fill(system, 0, streams)
    row = system.world.caches[0]
    assert row["high"] - row["dirty"] < row["high"] // 100
    lines = cache_lines.rows_of(system, 0)
    dirty = lines[lines["dirty"] != 0]
    whole = int(system.world.volumes[0]["size"]) // int(dirty["size"][0])
    (lane,) = system.world.lanes[: system.count("lanes")]
    ahead = ((dirty["strip"] - int(lane["elevator"])) % whole) / whole
    counts, _ = np.histogram(ahead, bins=10, range=(0.0, 1.0))
    expected = len(dirty) * (1 - (np.arange(10) + 0.5) / 10) / 5
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all(), counts


def test_the_lists_and_sums_of_a_cache_that_was_filled_are_those_of_its_lines() -> None:
    system, streams = begun(DISKS, {"rate": "900 IO/s", "zipf": 0.8}, "64 MiB", 3000)
    full_caches.fill(system, 0, streams)
    row, lines = system.world.caches[0], cache_lines.rows_of(system, 0)
    unclean = (lines["dirty"] | lines["busy"]) != 0
    assert int(row["dirty"]) == int(lines["size"][unclean].sum())
    assert int(row["used"]) <= int(row["size"])
    system.run(budget=int(system.state["completed"]) + 20_000)
    assert 0 < int(row["dirty"]) <= int(row["high"])


def test_what_a_load_writes_later_is_not_what_the_cache_was_filled_with() -> None:
    """The n-th I/O of a load goes where it went before, whatever happens to the cache."""
    system, streams = begun(DISKS, {"rate": "900 IO/s"}, "64 MiB", 3000)
    before = [system.world.streams[one].copy() for one in streams]
    full_caches.fill(system, 0, streams)
    assert all(system.world.streams[one] == row for one, row in zip(streams, before, strict=True))


@pytest.mark.parametrize(
    "load",
    [{"random": "0 %"}, {"random": "50 %"}, {"read": "100 %"}],
    ids=["in sequence", "half of it", "reads"],
)
def test_what_does_not_only_write_at_random_fills_no_cache_at_once(load: dict[str, Any]) -> None:
    """Writes in sequence are not kept for a round of the elevator, so nobody knows what is left."""
    system, streams = begun(DISKS, {"outstanding": 4} | load, "64 MiB", 3000)
    assert not full_caches.can_be_filled(system, 0, streams)


def test_a_cache_is_filled_once_only() -> None:
    system, streams = begun(DISKS, {"rate": "900 IO/s"}, "64 MiB", 3000)
    caches = full_caches.Filler(system)
    assert caches.fill([0], streams)
    assert not caches.fill([0], streams)


def test_which_writes_a_cache_keeps_is_drawn_by_the_seed() -> None:
    """Two systems alike to the last byte, of which one has another seed from then on."""

    def kept(seed: int) -> bytes:
        system, streams = begun(DISKS, {"rate": "900 IO/s"}, "64 MiB", 3000)
        system.seed = seed
        full_caches.fill(system, 0, streams)
        lines = cache_lines.rows_of(system, 0)
        return np.sort(lines["strip"][lines["dirty"] != 0]).tobytes()

    assert kept(1) == kept(1)
    assert kept(1) != kept(2)


def measured(volume: dict[str, Any], load: dict[str, Any], size: str, **measure: Any) -> Point:
    return run(scenario(volume, load, size, **measure)).points[0]


def test_flash_behind_a_cache_that_was_filled_at_once_is_as_fast_as_when_it_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reads beside writes; the cache takes 6 s to fill if nobody fills it."""
    load = {"read": "67 %", "size": "8 KiB", "outstanding": 128}
    measure = {"precision": "1 %", "min_ios": 50_000}
    soon = measured(FLASH, load, "2 GiB", **measure)
    monkeypatch.setattr(full_caches, "can_be_filled", lambda *_: False)
    late = measured(FLASH, load, "2 GiB", **measure)
    assert soon.converged
    assert late.converged
    assert soon.warmup_s < 2
    assert late.warmup_s > 5
    assert soon.iops.mean == pytest.approx(late.iops.mean, rel=0.02)
    # A few writes wait long for room, and most do not at all: their mean takes longer to tell.
    for kind, far in {"read": 0.03, "write": 0.15}.items():
        assert soon.latency_ms[kind].mean == pytest.approx(late.latency_ms[kind].mean, rel=far)


def test_an_open_load_that_a_full_cache_carries_is_not_saturated_and_says_that_it_drains() -> None:
    """A little less than a full cache carries, and more than one that has begun to fill."""
    most = measured(DISKS, {"outstanding": 64}, "2 GiB", precision="2 %", min_ios=300_000)
    rate = f"{0.985 * most.iops.mean:.0f} IO/s"
    point = measured(DISKS, {"rate": rate}, "2 GiB", precision="2 %", min_ios=100_000)
    assert not point.saturated
    assert point.latency_ms["write"].mean < 1
    assert any("becomes less, slowly" in text for text in point.warnings)


def test_reads_beside_a_cache_that_drains_are_not_told_as_those_of_later() -> None:
    """Twelve disks carry the load with ease, and are busy until the full cache has drained.

    Meanwhile a read takes ten times as long: 218 ms, and 21 from then on.
    """
    load = {"read": "70 %", "size": "8 KiB", "rate": "500 IO/s"}
    volume = DISKS | {"drives": 12, "level": "raid6", "drive": "seagate-st8000nm000a"}
    soon, late = (
        measured(volume, load, "2 GiB", precision="50 %", min_ios=20_000, **bound)
        for bound in ({"max_ios": 20_000}, {})
    )
    assert soon.latency_ms["read"].mean > 4 * late.latency_ms["read"].mean
    assert soon.unsettled
    assert not late.unsettled
