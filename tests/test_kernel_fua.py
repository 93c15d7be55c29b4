"""Forced writes: answered from the medium, where a cache would lose them in a power cut."""

from __future__ import annotations

import pytest
from conftest import INTERPRETED

import raidsim
from raidsim.control.model import BuiltSystem, build
from raidsim.errors import InputError
from raidsim.observe import figures
from raidsim.result import Point
from raidsim.scenario import from_data

IOS = 60 if INTERPRETED else 600
HOST = {"model": "fujitsu-rx2540-m1"}
LOAD = {"read": "0 %", "size": "4 KiB", "outstanding": 1, "area": {"size": "1 GiB"}}
CACHE_ON = {"drive": "seagate-st373355ss", "set": {"write_cache.enabled": True}}
CACHE_OFF = {"drive": "seagate-st373355ss", "set": {"write_cache.enabled": False}}
CLIENT = {"drive": "samsung-970-evo-plus-500gb", "state": "fresh"}
PROTECTED = {"drive": "intel-p3700-800gb", "state": "fresh"}


def run(volume, load=(), **others) -> BuiltSystem:
    built = build(
        from_data({"host": HOST, "volume": [volume], "load": [LOAD | dict(load)], **others})
    )
    for stream in built.streams["load"]:
        built.system.begin(stream)
    built.system.run(budget=IOS)
    return built


def rate(volume, load=(), **others) -> float:
    built = run(volume, load, **others)
    return figures.rates(built.system, built.streams["load"])[0]


def test_a_volatile_disk_cache_is_passed_by():
    assert rate(CACHE_ON, {"fua": True}) == pytest.approx(rate(CACHE_OFF), rel=0.02)
    assert rate(CACHE_ON) > 1.5 * rate(CACHE_ON, {"fua": True})


def test_a_flash_drive_without_capacitors_programs_first():
    forced, flushed = rate(CLIENT, {"fua": True}), rate(CLIENT, {"flush_every": 1})
    assert rate(CLIENT) > 5 * forced
    # The same but for the command that a flush is.
    assert flushed < forced < 1.5 * flushed


SWITCHED_OFF = {"disk_cache": "off"}


@pytest.mark.parametrize("outstanding", [1, 8])
def test_with_its_write_cache_off_a_flash_drive_forces_every_write(outstanding: int) -> None:
    load = {"outstanding": outstanding}
    assert rate(CLIENT | SWITCHED_OFF, load) == rate(CLIENT, load | {"fua": True})
    assert rate(CLIENT | SWITCHED_OFF, load | {"fua": True}) == rate(CLIENT | SWITCHED_OFF, load)


def test_no_flush_is_sent_to_a_drive_whose_write_cache_is_off():
    sata = {"drive": "samsung-870-evo-1tb", "state": "fresh"} | SWITCHED_OFF
    written, flushed = rate(sata), rate(sata, {"flush_every": 1})
    assert flushed == pytest.approx(written, rel=0.05)


def test_what_capacitors_keep_is_answered_from_the_buffer_with_the_cache_off_too():
    assert rate(PROTECTED | SWITCHED_OFF) == rate(PROTECTED)


@pytest.mark.parametrize(("volume", "load"), [(CLIENT, {"fua": True}), (CLIENT | SWITCHED_OFF, {})])
def test_nothing_is_unsafe_while_all_writes_are_forced(
    volume: dict[str, object], load: dict[str, object]
) -> None:
    built = run(volume, load | {"outstanding": 8})
    drive = built.system.world.drives[0]
    assert drive["unsafe"] >= 0
    assert 0 <= drive["withheld"] <= 8 * 4096
    assert drive["unsafe_peak"] == drive["unsafe_area"] == 0
    assert run(CLIENT, {"outstanding": 8}).system.world.drives[0]["unsafe_peak"] > 0
    counts = figures.counts(built.system, built.streams["load"])
    assert counts.issued == counts.completed + counts.in_flight
    assert counts.completed >= IOS


def cut(*loads: dict[str, object]) -> tuple[int, Point]:
    """Bytes that a power cut costs of what was acknowledged, and the first load's point."""
    found = from_data(
        {
            "host": HOST,
            "volume": [CLIENT],
            "load": [LOAD | {"name": f"load {place}"} | one for place, one in enumerate(loads)],
            "event": [{"kind": "power-cut", "at": "50 ms", "outage": "1 ms", "boot": "1 ms"}],
            "measure": {"duration": "60 ms", "min_ios": 100, "max_ios": 1000},
        }
    )
    point = raidsim.run(found).points[0]
    assert point.course is not None
    return point.course.power_cuts[0].volumes[0].lost_bytes, point


@pytest.mark.skipif(INTERPRETED, reason="takes a minute")
def test_a_power_cut_costs_no_forced_write():
    """Those that are under way were counted as acknowledged: 4 KiB of a single one."""
    for outstanding in (1, 16):
        lost, point = cut({"fua": True, "outstanding": outstanding})
        assert lost == 0
        assert point.drives[0].unsafe_mean == point.drives[0].unsafe_peak == 0
    beside, point = cut({"fua": True}, {"outstanding": 4})
    assert 0 <= beside <= point.drives[0].unsafe_peak  # none while the map is written
    assert point.drives[0].unsafe_mean > 0
    assert cut({"outstanding": 4})[0] > 0


def test_with_capacitors_a_forced_write_is_any_write():
    assert rate(PROTECTED, {"fua": True}) == rate(PROTECTED)


def test_members_of_an_array_are_forced_too():
    for level, drives in (("raid1", 2), ("raid5", 3)):
        array = {"level": level, "drives": drives}
        off = rate(CACHE_OFF | array)
        assert rate(CACHE_ON | array, {"fua": True}) == pytest.approx(off, rel=0.05)


@pytest.mark.parametrize(("level", "drives"), [("raid5", 3), ("raid5", 5), ("raid6", 5)])
def test_the_reads_of_a_forced_small_write_do_not_wait_for_the_medium(level, drives):
    """What a parity update reads first: a read that was to be answered from there never ended."""
    forced = rate(CLIENT | {"level": level, "drives": drives}, {"fua": True})
    assert 0.6 * rate(CLIENT, {"fua": True}) < forced < rate(CLIENT, {"fua": True})


def test_a_cache_that_is_written_back_answers():
    raid = {"controller": [{"model": "lsi-megaraid-1078-512"}]}
    back = CACHE_OFF | {"write": "back"}
    assert rate(back, {"fua": True}, **raid) == rate(back, **raid)
    through = CACHE_ON | {"write": "through"}
    off = rate(CACHE_OFF | {"write": "through"}, **raid)
    assert rate(through, {"fua": True}, **raid) == pytest.approx(off, rel=0.02)


def test_a_mix_of_forced_and_other_writes_all_comes_back():
    other = {"name": "other", "read": "50 %", "size": "16 KiB", "outstanding": 4}
    for volume in (CLIENT, CACHE_ON):
        forced = LOAD | {"name": "forced", "fua": True, "read": "30 %", "outstanding": 4}
        built = build(from_data({"host": HOST, "volume": [volume], "load": [forced, other]}))
        for streams in built.streams.values():
            built.system.begin(streams[0])
        built.system.run(budget=IOS)
        for streams in built.streams.values():
            built.system.stop(streams[0])
        built.system.run()
        for streams in built.streams.values():
            counts = figures.counts(built.system, streams)
            assert counts.completed == counts.issued > 0


def test_a_hybrid_and_a_load_of_reads_have_none():
    with pytest.raises(InputError, match="is about writes"):
        run(CLIENT, {"fua": True, "read": "100 %"})
