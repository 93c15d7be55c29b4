"""Power cuts in a SimPy model: what is lost, and the write hole."""

from __future__ import annotations

import math
from typing import Any

import pytest
from power_models import DISK, cut_after, server, writes
from simpy_models import GIB, KIB, SERVER, computer

from raidsim.control import Environment, Host, InputError, Volume

# -- what is lost --------------------------------------------------------------------------------


def test_a_good_battery_keeps_what_the_cache_has_acknowledged_and_a_low_one_does_not() -> None:
    found = {}
    for battery in ("good", "low"):
        env, data = server(battery, write="back-bad-battery")
        load = data.start(writes(limit={"ios": 40}, outstanding=1))
        env.run(until=load)
        found[battery] = env.cut_power().of("data")
    assert found["good"].kept_bytes == found["low"].lost_bytes > 30 * 8 * KIB
    assert found["good"].lost_bytes == found["low"].kept_bytes == 0
    assert found["good"].resync == "none"
    assert found["low"].resync == "check"


def test_what_the_battery_kept_is_on_the_drives_soon_after_power_on() -> None:
    env, data = server("good", write="back")
    env.run(until=data.start(writes(limit={"ios": 40}, outstanding=1)))
    before = data.drives[0].written_per_day_tb
    env.cut_power()
    env.run(until=env.now + 3600)
    on = env.restore_power(boot=60)
    env.run(until=on)
    assert env.system.world.caches[0]["dirty"] == 0
    assert data.drives[0].written_per_day_tb * env.now > before
    assert env.cut_power().of("data").kept_bytes == 0


def test_a_disk_cache_loses_what_it_acknowledged_where_it_was_to_go() -> None:
    env, host = Environment(), None
    host = Host(env, SERVER)
    data = Volume(env, DISK, host, level="single", disk_cache="on")
    places = [7 * GIB, 1 * GIB, 3 * GIB]

    def process() -> Any:
        for place in places:
            assert (yield data.write(place, 8 * KIB)).ok

    env.run(until=env.process(process()))
    cut = env.cut_power().volumes[0]
    assert cut.lost_bytes == data.drives[0].unsafe_peak >= 2 * 8 * KIB
    assert set(cut.lost) <= {(place, 8 * KIB) for place in places}
    assert (cut.resync, cut.inconsistent, cut.write_hole) == ("none", [], [])


def test_a_persistent_cache_of_a_disk_loses_nothing_while_its_volatile_cache_is_off() -> None:
    """With the disk cache on the same drive answers from volatile memory, and loses that."""
    for disk_cache in ("on", "off"):
        env = Environment()
        data = Volume(
            env, DISK, Host(env, SERVER), level="single", disk_cache=disk_cache,
            changes={"write_cache.protected_size": "2 MiB"},
        )  # fmt: skip

        def process(volume: Volume = data) -> Any:
            for place in (7 * GIB, 1 * GIB, 3 * GIB):
                assert (yield volume.write(place, 8 * KIB)).latency < 0.001

        env.run(until=env.process(process()))
        cut = env.cut_power().volumes[0]
        assert data.drives[0].unsafe_peak >= 2 * 8 * KIB
        assert (cut.lost_bytes > 0) == (disk_cache == "on")


def flash(
    level: str, drives: int, failed: tuple[int, ...], intent: str = "none"
) -> tuple[Environment, Volume]:
    """An array of flash drives without capacitors on a host."""
    env = Environment()
    words: dict[str, Any] = {} if level == "raid0" else {"intent": intent}
    data = Volume(
        env, "samsung-970-evo-plus-500gb", Host(env, SERVER),
        name="data", level=level, drives=drives, failed=failed, **words,
    )  # fmt: skip
    return env, data


def write_six(env: Environment, data: Volume) -> None:
    """Six writes of 4 KiB, far from each other, one after the other."""

    def process() -> Any:
        for number in range(6):
            assert (yield data.write(number * GIB, 4 * KIB)).ok

    env.run(until=env.process(process()))


def test_a_flash_drive_without_capacitors_loses_bytes_of_which_nobody_knows_where() -> None:
    for protected in (True, False):
        env, data = computer(buffer__protected=protected)

        def process(volume: Volume = data) -> Any:
            yield volume.write(0, 64 * KIB)

        env.run(until=env.process(process()))
        cut = env.cut_power().of("data")
        assert (cut.lost_bytes, cut.lost) == (0 if protected else 64 * KIB, [])
        assert cut.unplaced_bytes == cut.lost_bytes


@pytest.mark.parametrize(
    ("level", "drives", "failed", "share"),
    [
        ("raid1", 2, (), 1 / 2), ("raid1", 3, (), 1 / 3), ("raid1", 3, (1,), 1 / 2),
        ("raid10", 4, (), 1 / 2), ("raid5", 4, (), 3 / 4), ("raid5", 4, (2,), 1),
        ("raid0", 2, (), 1),
    ],
)  # fmt: skip
def test_each_byte_that_buffers_of_an_array_lose_counts_once(level, drives, failed, share) -> None:
    """Copies were counted each by itself: a mirror lost twice what was written to it."""
    env, data = flash(level, drives, failed)
    write_six(env, data)
    buffered = sum(int(drive["unsafe"]) for drive in env.system.rows("drives"))
    cut = env.cut_power().of("data")
    assert buffered > 0
    assert cut.unplaced_bytes == cut.lost_bytes == math.ceil(share * buffered)
    if level in {"raid0", "raid1"}:
        assert cut.lost_bytes == 6 * 4 * KIB


def test_a_journal_has_what_buffers_of_flash_drives_lose() -> None:
    for intent in ("none", "journal"):
        env, data = flash("raid5", 4, (), intent)
        write_six(env, data)
        cut = env.cut_power().of("data")
        assert (cut.lost_bytes > 0) == (intent == "none")


# -- the write hole --------------------------------------------------------------------------------


def test_small_writes_under_way_leave_a_write_hole_in_software_raid() -> None:
    """A torn stripe endangers every data strip of it, in the columns that were written."""
    env, data = server()
    data.start(writes(outstanding=32))
    cut = cut_after(env, 2.0).of("data")
    assert cut.lost_bytes == 0
    assert 0 < len(cut.inconsistent) <= cut.in_flight
    by_drive = [cut.hole_of(drive) for drive in range(4)]
    assert sum(by_drive) == len(cut.inconsistent) * 3 * 8 * KIB
    assert all(hole.length == 8 * KIB for hole in cut.write_hole)


@pytest.mark.parametrize("battery", ["good", "low"])
def test_a_controller_finishes_stripes_only_if_its_cache_outlasts_the_cut(battery: str) -> None:
    env, data = server(battery, write="through")
    data.start(writes(outstanding=32))
    cut = cut_after(env, 2.0).of("data")
    assert cut.lost_bytes == 0
    assert (cut.finished > 0) == (battery == "good")
    assert (len(cut.inconsistent) > 0) == (battery == "low")


def test_a_degraded_array_pays_for_the_write_hole_at_once() -> None:
    env, data = server(failed=[2])
    data.start(writes(outstanding=32))
    cut = cut_after(env, 2.0).of("data")
    assert cut.lost_bytes > 0
    assert cut.lost_bytes % (8 * KIB) == 0
    assert cut.write_hole == [], "another loss costs everything anyway"


def test_a_journal_closes_the_write_hole_even_then() -> None:
    env, data = server(failed=[2], intent="journal")
    data.start(writes(outstanding=32))
    cut = cut_after(env, 2.0).of("data")
    assert (cut.lost_bytes, cut.inconsistent) == (0, [])
    assert cut.finished > 0


# -- mistakes --------------------------------------------------------------------------------------


def test_power_goes_only_where_it_is_and_comes_only_where_it_is_not() -> None:
    env, _ = computer()
    with pytest.raises(InputError, match="power: is not off"):
        env.restore_power()
    env.cut_power()
    with pytest.raises(InputError, match="power: is off already"):
        env.cut_power()
    with pytest.raises(InputError, match="boot"):
        env.restore_power(boot=-1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"level": "raid0", "intent": "bitmap"}, "raid0 has no redundancy"),
        ({"level": "raid1", "drives": 2, "intent": "journal"}, "raid1 has no parity"),
        ({"level": "raid6", "intent": "ppl"}, "raid6 has no log of partial parity"),
        ({"battery": "good", "intent": "bitmap"}, "RAID by software"),
        ({"intent": "bitmap", "bitmap_chunk": "96 KiB"}, "not a multiple of the strip"),
        ({"intent": "diary"}, 'did you mean|"diary"'),
    ],
)
def test_what_is_noted_of_writes_must_make_sense(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        server(**words)
