"""What passes a controller's memory, and its firmware's work for lines and mirrors: arithmetic."""

from __future__ import annotations

import pytest
from cached_array import KIB, built_system, started

BYTES = 64 * KIB
PLAIN = {
    "cache.copy_time_per_byte": "1000 MB/s",
    "cache.direct_passes": 0,
    "cache.lookup_time": "0 us",
    "cache.line_time": "0 us",
}
PASS = BYTES  # ns: at 1000 MB/s


def one_read(changes, *, io="direct", write="through", offset="0 KiB"):
    """A system that has read 64 KiB once."""
    built = started(
        {
            "read": "100 %",
            "random": "0 %",
            "size": "64 KiB",
            "limit": {"ios": 1},
            "area": {"offset": offset},
        },
        volume={"io": io, "write": write},
        controller=PLAIN | changes,
    )
    built.system.run(10**9)
    assert built.system.world.streams[0]["completed"] == 1
    return built


def latency(changes, io="direct"):
    """ns of that read; the disk gets the command at the same time always."""
    return int(one_read(changes, io=io).system.world.streams[0]["window_ns"].sum())


def firmware(built):
    """ns that the controller's core has worked."""
    kinds = [name.kind for name in built.system.names]
    return int(built.system.world.stations[kinds.index("controller core")]["served"])


def test_a_direct_read_passes_the_memory_as_often_as_the_card_says():
    once, twice, never = (latency({"cache.direct_passes": n}) for n in (1, 2, 0))
    assert once - never == PASS
    assert twice - never == 2 * PASS


def test_a_cached_read_passes_it_as_a_direct_one_and_is_copied_at_its_own_rate():
    def more(changes):
        """Beyond a direct read that goes straight through."""
        return latency(changes, io="cached") - latency({})

    assert more({"cache.keep_time_per_byte": "1000 MB/s"}) == PASS
    assert more({"cache.keep_time_per_byte": "250 MB/s"}) == 4 * PASS
    both = {"cache.keep_time_per_byte": "250 MB/s", "cache.direct_passes": 2}
    assert more(both) == 6 * PASS


@pytest.mark.parametrize(("offset", "lines"), [("0 KiB", 1), ("31.5 KiB", 2)])
def test_firmware_looks_for_each_line_that_a_read_touches(offset, lines):
    def more(write):
        with_it, without = (
            firmware(one_read({"cache.line_time": time}, write=write, offset=offset))
            for time in ("10 us", "0 us")
        )
        return with_it - without

    assert more("back") == lines * 10_000
    assert more("through") == 0  # nothing of the volume can be in the cache


@pytest.mark.parametrize(
    ("size", "lines"),
    [
        ("4 KiB", 4),  # sixteen writes in sequence fill one line, and another 48 three more
        ("64 KiB", 64),
        ("96 KiB", 96),
    ],
)
def test_firmware_works_for_each_line_that_writes_make_dirty(size, lines):
    """Of 64 writes in sequence, each with others behind it: a dirty line costs nothing again."""

    def worked(time):
        built = started(
            {"random": "0 %", "size": size, "outstanding": 16, "limit": {"ios": 64}},
            volume={"write": "back"},
            controller=PLAIN | {"cache.dirty_time": time, "cache.low_mark": "80 %"},
        )
        built.system.run(3 * 10**9)
        assert built.system.world.streams[0]["completed"] == 64
        return firmware(built)

    assert worked("20 us") - worked("0 us") == lines * 20_000


def test_a_write_waits_for_the_lines_that_it_makes_dirty():
    def alone(time):
        built = started(
            {"size": "4 KiB", "limit": {"ios": 1}},
            volume={"write": "back"},
            controller=PLAIN | {"cache.dirty_time": time},
        )
        built.system.run(10**9)
        return int(built.system.world.streams[0]["window_ns"].sum())

    assert alone("20 us") - alone("0 us") == 20_000


def test_the_memory_limits_what_all_disks_together_read():
    """Of many disks each byte passes twice, so that half of what the memory carries is read."""
    built = built_system(
        {"read": "100 %", "random": "0 %", "size": "1 MiB", "outstanding": 16},
        volume={"drives": 12, "io": "direct"},
        controller={"cache.copy_time_per_byte": "600 MB/s", "cache.direct_passes": 2},
    )
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
    built.system.run(3 * 10**9)
    drives = built.system.world.drives
    assert drives["host_read"].sum() / 3 == pytest.approx(300e6, rel=0.05)


@pytest.mark.parametrize(("level", "drives", "copies"), [("raid1", 2, 2), ("raid0", 2, 0)])
def test_each_write_of_a_copy_takes_firmware(level, drives, copies):
    """A mirror writes two copies, a strip none: a write-through of 64 KiB in one strip."""

    def time(mirror):
        built = started(
            {"random": "0 %", "size": "64 KiB", "limit": {"ios": 1}},
            volume={"level": level, "drives": drives, "disk_cache": "on"},
            controller={"mirror.write_time": mirror},
        )
        built.system.run(10**9)
        return firmware(built)

    assert time("100 us") - time("0 us") == copies * 100_000


def test_reads_of_a_mirror_take_no_more_than_reads_of_a_strip():
    def served(mirror):
        built = started(
            {"read": "100 %", "size": "8 KiB", "limit": {"ios": 20}, "area": {"size": "1 MiB"}},
            volume={"level": "raid1", "drives": 2},
            controller={"mirror.write_time": mirror},
        )
        built.system.run(10**9)
        return firmware(built)

    assert served("100 us") == served("0 us")
