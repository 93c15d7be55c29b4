"""What goes straight through a controller's hardware, and what its firmware works on.

The rule is that of MegaRAID manuals: a read of any level, or a write of RAID 0, no longer than a
strip, of a volume that writes through, reads directly and does not read ahead.
"""

from __future__ import annotations

import pytest
from cached_array import built_system, started

TIMES = {"time": 2, "device_io_time": 1, "firmware_time": 14}  # us
NO_SEARCH = {"cache.lookup_time": "0 us", "cache.line_time": "0 us"}
READ, WRITE = "100 %", "0 %"


def work(built):
    """us that the cores of its controller have worked."""
    kinds = [name.kind for name in built.system.names]
    station = built.system.world.stations[kinds.index("controller core")]
    return int(station["served"]) / 1000


def one_io(read, *, offset="0 KiB", drives=4, size="4 KiB", **volume):
    """A controller that has served one I/O of a host, before anything else is destaged."""
    built = started(
        {"read": read, "random": "0 %", "size": size, "limit": {"ios": 1},
         "area": {"offset": offset}},
        volume={"write": "through", "strip": "64 KiB", "drives": drives} | volume,
        controller=NO_SEARCH | {f"command.{name}": f"{us} us" for name, us in TIMES.items()},
    )  # fmt: skip
    built.system.run(10**9)
    assert built.system.world.streams[0]["completed"] == 1
    return built


@pytest.mark.parametrize(
    ("read", "volume", "commands", "passes"),
    [
        (READ, {"level": "raid0"}, 1, 0),
        (READ, {"level": "raid1", "drives": 2}, 1, 0),
        (READ, {"level": "raid5"}, 1, 0),
        (READ, {"level": "raid6"}, 1, 0),
        (WRITE, {"level": "raid0"}, 1, 0),
        (WRITE, {"level": "raid1", "drives": 2}, 2, 2),
        (WRITE, {"level": "raid5"}, 4, 4),  # two strips are read and two are written
        (WRITE, {"level": "raid6", "drives": 8}, 6, 6),
        (READ, {"level": "raid0", "size": "128 KiB"}, 2, 2),  # two strips
        (READ, {"level": "raid0", "offset": "62 KiB"}, 2, 2),  # in two strips
        (READ, {"level": "raid5", "failed": [0]}, 3, 3),  # what is lost, of three that are left
        (READ, {"level": "raid0", "io": "cached"}, 1, 1),
        (READ, {"level": "raid0", "read_ahead": "adaptive"}, 1, 1),
        (READ, {"level": "raid0", "write": "back"}, 1, 1),
    ],
)
def test_firmware_works_on_what_is_not_one_command_past_the_cache(read, volume, commands, passes):
    expected = 2 + 1 * commands + 14 * passes
    assert work(one_io(read, **volume)) == pytest.approx(expected)


def test_a_write_that_the_cache_answers_is_a_pass_and_its_commands_to_drives_are_others():
    built = one_io(WRITE, level="raid5", write="back")
    assert work(built) == pytest.approx(2 + 14)
    built.system.run(20 * 10**9)  # the flush time has passed
    assert int(built.system.world.caches[0]["dirty"]) == 0
    assert work(built) == pytest.approx(2 + 14 + 4 * (1 + 14))


def test_a_read_that_the_cache_has_is_a_pass_too():
    built = started(
        {"read": READ, "random": "0 %", "size": "4 KiB", "limit": {"ios": 2},
         "area": {"size": "4 KiB"}},
        volume={"io": "cached", "strip": "64 KiB"},
        controller=NO_SEARCH | {f"command.{name}": f"{us} us" for name, us in TIMES.items()},
    )  # fmt: skip
    built.system.run(10**9)
    assert int(built.system.world.caches[0]["hits"]) == 1
    assert work(built) == pytest.approx(2 * (2 + 14) + 1)


def test_a_cache_without_its_battery_lets_reads_through_again():
    times = {f"command.{name}": f"{us} us" for name, us in TIMES.items()}
    served = {}
    for battery in "good", "absent":
        built = built_system(
            {"read": READ, "size": "4 KiB", "align": "4 KiB", "limit": {"ios": 1}},
            volume={"write": "back"},
            controller=NO_SEARCH | times,
            battery=battery,
        )
        for streams in built.streams.values():
            for stream in streams:
                built.system.begin(stream)
        built.system.run(10**9)
        served[battery] = work(built)
    assert served == {"good": 2 + 1 + 14, "absent": 2 + 1}
