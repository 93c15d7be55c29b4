"""Whole rows of small strips are destaged together, as one command to each drive."""

from __future__ import annotations

from typing import Any

import pytest
from cached_array import KIB, started
from conftest import compiled_only
from power_bytes import Bytes, check

from raidsim.control.model import BuiltSystem
from raidsim.kernel import stripe_locks
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_PART, FOR_DESTAGE, TRANSFERS, WRITE_FULL_STRIPE

SEQUENTIAL = {"size": "256 KiB", "random": "0 %", "outstanding": 8}


def destaging(level: str, drives: int, strip: str, **more: Any) -> BuiltSystem:
    """An array whose cache destages a stream all the time."""
    built = started(
        SEQUENTIAL | more.pop("load", {}),
        volume={"level": level, "drives": drives, "strip": strip, "write": "back"} | more,
        controller={"cache.size": "4 MiB", "cache.flush_time": "0.02 s", "cache.low_mark": "0 %"},
    )
    built.system.run(budget=60)
    return built


def end(built: BuiltSystem) -> None:
    """Let the streams end, and all be destaged."""
    system = built.system
    for streams in built.streams.values():
        for stream in streams:
            system.stop(stream)
    system.run(horizon=system.now + 60 * 10**9)


def mean_command(built: BuiltSystem) -> float:
    """Bytes that a command which is full stripes carries to its drive."""
    ios = built.system.world.arrays[0]["device_ios"]
    drives = built.system.world.drives[: built.system.count("drives")]
    assert ios.sum() == ios[FOR_DESTAGE * TRANSFERS + WRITE_FULL_STRIPE], "nothing is read"
    return float(drives["host_written"].sum() / built.system.world.arrays[0]["commands"])


@pytest.mark.parametrize(
    ("level", "drives"), [("raid5", 5), ("raid6", 6), ("raid50", 10), ("raid60", 12)]
)
@pytest.mark.parametrize("strip", [pytest.param("8 KiB", marks=compiled_only), "16 KiB"])
def test_rows_of_small_strips_go_as_one_command_to_each_drive(
    level: str, drives: int, strip: str
) -> None:
    """The strips of a drive in rows one above the other lie together, parity among them."""
    load = {"size": "1 MiB"}
    assert mean_command(destaging(level, drives, strip, load=load)) > 40 * KIB


def test_a_long_strip_goes_alone() -> None:
    assert mean_command(destaging("raid5", 5, "64 KiB")) == pytest.approx(64 * KIB)


def test_a_degraded_array_writes_whole_rows_together_too() -> None:
    """Of a row whose parity is lost there are data alone; they are no longer full stripes."""
    built = destaging("raid5", 5, "8 KiB", failed=[1])
    world = built.system.world
    assert not world.drives["host_read"].any()
    assert world.drives["host_written"].sum() > 40 * KIB * world.arrays[0]["commands"]


def test_what_is_written_and_computed_is_the_same() -> None:
    """Of 32 KiB of data 40 reach the drives; each byte of data goes through the parity engine."""
    built = destaging("raid5", 5, "8 KiB")
    end(built)
    system = built.system
    data = int(system.world.caches[0]["destaged"])
    assert data > 1024 * KIB
    assert system.world.drives["host_written"][:5].sum() == data * 5 // 4
    engine = system.world.stations[system.world.arrays[0]["engine"]]
    parity = float(system.world.arrays[0]["parity_ns"]) * data
    assert engine["served"] == pytest.approx(parity, rel=0.01)


def test_rows_are_taken_together_only_if_nobody_has_their_locks() -> None:
    built = started(SEQUENTIAL, volume={"level": "raid5", "strip": "8 KiB", "write": "back"})
    w = built.system.world
    array, width = w.arrays[0], 24 * KIB

    def stop(start: int, end: int) -> int:
        found = stripe_locks.take_more(w, array, w.layouts[0], start, end)
        w.locks["held"][:] = 0
        return int(found)

    assert stop(0, 100 * width) == 8 * width
    assert stop(0, 3 * width + 1) == 3 * width
    assert stop(width // 2, 100 * width) == width
    assert stop(0, width // 2) == width // 2
    w.locks["held"][stripe_locks.lock_of(array, 5 * width)] = 1
    assert stop(0, 100 * width) == 5 * width
    w.locks["held"][stripe_locks.lock_of(array, 0)] = 1
    assert stop(0, 100 * width) == width


@pytest.mark.parametrize("level", ["raid5", "raid6"])
def test_no_lock_is_left_behind(level: str) -> None:
    built = destaging(level, 4, "8 KiB")
    end(built)
    world = built.system.world
    assert not world.locks["held"].any()
    assert (world.locks["first_waiting"][: built.system.count("locks")] == t.NONE).all()
    assert world.caches[0]["dirty"] == 0


SLOW = {"cache.flush_time": "0.02 s", "cache.low_mark": "0 %", "cache.destage_depth": 1}
"""So few destages that much is dirty when one begins: runs of several rows."""


def is_writing_rows(array: Bytes) -> bool:
    """Whether a part of several rows is under way."""
    jobs = array.system.world.jobs
    rows = jobs["length"] > int(array.system.world.arrays[0]["width"])
    return bool((rows & (jobs["errand"] == ERRAND_PART) & (jobs["stage"] != t.STAGE_FREE)).any())


@pytest.mark.parametrize(
    ("level", "drives", "words"),
    [
        ("raid5", 4, {}),
        ("raid6", 5, {}),
        ("raid5", 3, {"failed": [1]}),
        ("raid5", 4, {"disk_cache": "on"}),
    ],
)
def test_a_power_cut_among_rows_costs_what_it_is_said_to_cost(
    level: str, drives: int, words: dict[str, Any]
) -> None:
    """Byte by byte: all that was acknowledged is there, and each torn row is in the list."""
    array = Bytes(
        level, drives, 3, battery="good", write="back", outstanding=24, controller=SLOW, **words
    )
    for _ in range(2):
        array.run(80)
        while not is_writing_rows(array):
            array.run(1)
        array.run(7)
        cut = array.cut()
        assert "disk_cache" in words or cut.lost_bytes == 0
        check(array, cut)
        array.power_on()
