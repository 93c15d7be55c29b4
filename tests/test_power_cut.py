"""Power cuts in a SimPy model: what is lost, what comes back when, what a resync goes through."""

from __future__ import annotations

import math
from typing import Any

import pytest
from simpy_models import GIB, KIB, MIB, SERVER, computer

from raidsim.control import Controller, Environment, Host, InputError, Load, Volume
from raidsim.intervene import promises
from raidsim.result import PowerCut

DISK = "seagate-st373455ss"
CARD = "lsi-megaraid-1078-512"
SPIN_UP = 15.0  # s, what a card says unless it knows better
STRIP = 64 * KIB


def server(battery: str | None = None, **words: Any) -> tuple[Environment, Volume]:
    """Four disks as RAID 5, of the host or of a controller with a battery in some state."""
    env = Environment()
    host = Host(env, SERVER)
    card = None if battery is None else Controller(env, CARD, name="card", battery=battery)
    rest = {"level": "raid5", "drives": 4, "disk_cache": "off"} | words
    return env, Volume(env, DISK, host, name="data", controller=card, **rest)


def writes(**keys: Any) -> Load:
    """A load of small random writes on 1 GiB."""
    known = {"read": "0 %", "size": "8 KiB", "outstanding": 8, "area": {"size": "1 GiB"}}
    return Load(**(known | keys))


def cut_after(env: Environment, seconds: float) -> PowerCut:
    """Run for some time, and cut the power."""
    env.run(until=env.now + seconds)
    return env.cut_power()


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


# -- what comes back, and when ---------------------------------------------------------------------


def test_ios_under_way_fail_and_loads_go_on_when_disks_and_host_are_ready() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1.0)
    cut = env.cut_power()
    assert cut.time_s == 1.0
    assert cut.of("data").in_flight == 8
    assert (load.counts.failed, load.counts.in_flight) == (8, 0)
    before = load.counts.issued
    env.run(until=100.0)
    on = env.restore_power(boot=40)
    env.run(until=120.0)
    assert load.counts.issued == before
    back = env.run(until=on)
    assert (back.power, back.drives, back.hosts) == (100.0, 100.0 + SPIN_UP, 140.0)
    env.run(until=142.0)
    counts = load.counts
    assert counts.in_flight == 8
    assert counts.completed > before + 50
    assert counts.issued == counts.completed + counts.failed + counts.in_flight


def test_flash_and_a_host_that_is_up_at_once_lose_no_time() -> None:
    env, _ = computer()
    env.cut_power()
    assert env.run(until=env.restore_power()).hosts == 0.0


def test_what_a_process_asks_for_while_the_power_is_off_is_done_when_it_is_back() -> None:
    env, data = server()

    def application() -> Any:
        first = yield data.write(0, 64 * KIB)
        second = yield data.read(0, 64 * KIB)
        return first, second

    asked = env.process(application())
    env.run(until=0.001)
    env.cut_power()
    env.run(until=5.0)
    env.restore_power()
    first, second = env.run(until=asked)
    assert (first.status, first.completed) == ("failed", 0.001)
    assert second.ok
    assert second.issued == 5.0 + SPIN_UP


def test_a_load_started_while_the_power_is_off_begins_when_it_is_back() -> None:
    env, data = server()
    env.cut_power()
    load = data.start(writes(limit={"ios": 20}))
    assert load.counts.issued == 0
    env.restore_power(boot=30)
    env.run(until=load)
    assert load.counts.completed == 20
    assert env.now > 30


def test_arrivals_go_on_as_random_as_before_and_those_of_a_table_are_missed() -> None:
    env, data = computer()
    times = [f"{n} s" for n in (1, 2, 3, 12, 13)]
    table = data.start(Load(read="100 %", size="8 KiB", arrivals=times))
    random = data.start(Load(read="100 %", size="8 KiB", rate="1000 IO/s", limit={"time": "20 s"}))
    env.run(until=2.5)
    env.cut_power()
    env.run(until=10.0)
    env.run(until=env.restore_power())
    env.run(until=table)
    assert (table.counts.completed, table.counts.failed) == (4, 1)
    env.run(until=random)
    assert random.counts.completed == pytest.approx(1000 * 12.5, rel=0.05)


def test_a_rebuild_goes_on_where_it_was() -> None:
    env, data = server("good", spares=1)
    rebuild = data.fail(1)
    assert rebuild is not None
    env.run(until=60.0)
    done = rebuild.progress
    assert done > 0.02
    env.cut_power()
    env.run(until=200.0)
    assert rebuild.progress == done
    assert rebuild.state == "under way"
    env.restore_power(boot=30)
    env.run(until=200.0 + SPIN_UP + 60.0)
    assert rebuild.progress == pytest.approx(2 * done, rel=0.02)
    assert data.health == "rebuilding"


@pytest.mark.parametrize("battery", [None, "good"])
@pytest.mark.parametrize("kind", ["patrol", "check", "resync", "initialise"])
def test_background_work_with_commands_under_way_comes_to_its_end(
    kind: str, battery: str | None
) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="5 %")
    begun = getattr(data, kind)()
    cut_after(env, 0.1)
    assert 0 < begun.progress < 0.9
    env.restore_power()
    env.run(until=begun | env.timeout(60))
    assert begun.state == "done"


@pytest.mark.parametrize("battery", [None, "good"])
def test_background_work_waits_for_power_and_is_paused_and_stopped_without(
    battery: str | None,
) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="0.5 %", spares=1)
    under_way = data.check()
    cut_after(env, 0.01)
    patrol, check, rebuild = data.patrol(), data.check(), data.fail(1)
    assert rebuild is not None
    for one in under_way, patrol:
        one.pause()
        one.resume()
    check.stop()
    before = [one.progress for one in data.operations]
    env.run(until=env.now + 60)
    assert [one.progress for one in data.operations] == before
    env.restore_power()
    env.run(until=env.now + 60)
    assert [one.state for one in data.operations] == ["done", "done", "stopped", "done"]
    assert data.health == "optimal"


def test_a_load_that_was_stopped_ends_with_the_power() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1)
    load.stop()
    env.cut_power()
    env.run(until=load | env.timeout(1))
    assert load.processed
    assert (load.counts.failed, load.counts.in_flight) == (8, 0)


def test_drives_cool_while_the_power_is_off() -> None:
    env, data = computer()
    data.start(writes(size="256 KiB", outstanding=8, limit={"time": "5 s"}))
    env.run(until=5.0)
    warm = data.temperature
    env.cut_power()
    env.run(until=3000.0)
    cold = data.temperature
    assert cold is not None
    assert warm is not None
    assert cold < warm
    assert cold == pytest.approx(25.0, abs=0.5)
    env.restore_power()
    env.run(until=6000.0)
    idle = data.temperature
    assert idle is not None
    assert cold + 1 < idle < warm


def test_a_second_cut_while_everything_comes_back() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1.0)
    env.cut_power()
    first = env.restore_power()
    assert env.power == "coming"
    env.run(until=1.0 + SPIN_UP / 2)
    env.cut_power()
    env.run(until=50.0)
    assert env.power == "off"
    assert load.counts.in_flight == 0
    env.run(until=env.restore_power())
    assert env.power == "on"
    assert first.triggered  # whoever waits for the loads to go on
    env.run(until=env.now + 1.0)
    assert load.counts.in_flight == 8


def test_after_a_second_cut_at_the_same_instant_the_power_stays_off() -> None:
    env, data = server()
    patrol = data.patrol(sample="0.01 %")
    env.run(until=0.01)
    env.cut_power()
    env.restore_power()
    env.cut_power()
    env.run(until=1000.0)
    assert (env.power, patrol.progress) == ("off", patrol.progress)
    env.run(until=env.restore_power())
    env.run(until=patrol | env.timeout(60))
    assert patrol.state == "done"


@pytest.mark.parametrize("wait", [0.0, 1.0, 8.0, 20.0])
@pytest.mark.parametrize("battery", [None, "absent"])
def test_work_goes_on_once_though_the_power_came_twice(battery: str | None, wait: float) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="0.5 %")
    begun = data.check()
    cut_after(env, 0.01)
    env.restore_power(boot=0.01)
    env.cut_power()
    env.run(until=env.timeout(wait))
    env.run(until=env.restore_power())
    assert env.now == pytest.approx(0.01 + wait + SPIN_UP)
    env.run(until=begun | env.timeout(60))
    assert begun.state == "done"
    assert begun.progress == 1.0


def test_work_that_waits_for_power_takes_another_rate() -> None:
    took = []
    for rate in "10 %", "100 %":
        env, data = server(changes={"capacity.user": "1 GB"})
        data.start(writes(outstanding=1))
        env.cut_power()
        check = data.check(sample="0.5 %")
        check.set_rate(rate)
        begun = env.run(until=env.restore_power()).hosts
        env.run(until=check)
        took.append(env.now - begun)
    assert took[0] > 3 * took[1]


def test_an_io_that_a_power_cut_ends_was_not_issued_after_its_end() -> None:
    """Seconds that are sums of floats may lie between two of the kernel's nanoseconds."""
    for time in 0.1 + 0.007, 0.1 + 0.2, 0.7 + 0.1 + 0.01:
        env, data = server()
        env.run(until=time)
        under_way = data.write(0, 4 * KIB)
        env.cut_power()
        ended = env.run(until=under_way)
        assert ended.status == "failed"
        assert ended.issued <= ended.completed <= env.now
        assert ended.latency == 0.0


# -- the resync ------------------------------------------------------------------------------------


def test_a_resync_goes_through_all_of_the_array_or_a_bitmap_or_a_journal() -> None:
    rows, finished = {}, {}
    for intent in ("none", "bitmap", "journal", "ppl"):
        env, data = server(intent=intent)
        data.start(writes(area={"offset": "30 GiB", "size": "300 MiB"}, outstanding=32))
        cut = cut_after(env, 2.0).of("data")
        rows[intent] = sum(end - first for first, end in cut.resync_rows)
        assert cut.resync == {"none": "full"}.get(intent, intent)
        on = env.run(until=env.restore_power())
        finished[intent] = on.resyncs["data"]
        assert finished[intent].kind == "resync"
    every = data.card.integer("capacity.user") // STRIP
    assert rows["none"] == every
    # 300 MiB of data are 100 MiB of each drive: two or three chunks of 64 MiB.
    assert 2 * 64 * MIB // STRIP <= rows["bitmap"] <= 3 * 64 * MIB // STRIP
    assert 0 < rows["journal"] <= 32
    assert 0 < rows["ppl"] <= 32


@pytest.mark.parametrize(
    ("level", "drives", "failed", "resyncs"),
    [
        ("raid50", 6, [0], True),
        ("raid50", 6, [0, 3], False),
        ("raid60", 8, [0, 1], True),
        ("raid60", 8, [0, 4], True),
        ("raid60", 8, [0, 1, 4, 5], False),
        ("raid10", 4, [0], True),
        ("raid10", 4, [0, 3], False),
        ("raid10", 4, [0, 1], False),  # it has failed
        ("raid1e", 5, [0], True),
        ("raid6", 5, [0], True),
        ("raid6", 5, [0, 1], False),
        ("raid5", 4, [0], False),
        ("raid1", 2, [0], False),
    ],
)
def test_a_degraded_array_is_resynced_where_something_is_left_to_compare(
    level: str, drives: int, failed: list[int], resyncs: bool
) -> None:
    env, data = server(level=level, drives=drives)
    for drive in failed:
        data.fail(drive)
    env.run(until=env.now + 0.1)
    data.start(writes())
    assert cut_after(env, 1.0).of("data").resync == "full"
    on = env.run(until=env.restore_power())
    assert list(on.resyncs) == (["data"] if resyncs else [])
    if resyncs:
        env.run(until=env.now + 1.0)
        assert on.resyncs["data"].state == "under way"
        assert on.resyncs["data"].progress > 0


def test_a_quiet_array_is_clean_and_needs_no_resync() -> None:
    """Software RAID notes 200 ms after the last write that all is on the drives."""
    for wait, resync in ((0.1, "full"), (0.3, "none")):
        env, data = server()
        env.run(until=data.start(writes(limit={"ios": 10})))
        cut = cut_after(env, wait).of("data")
        assert cut.resync == resync
        assert cut.inconsistent == []


def test_a_short_resync_ends_and_leaves_nothing_to_do() -> None:
    env, data = server(intent="bitmap", bitmap_chunk="1 MiB")
    data.start(writes(limit={"time": "1 s"}, area={"size": "12 MiB"}, outstanding=4))
    cut = cut_after(env, 0.9).of("data")
    assert 0 < sum(end - first for first, end in cut.resync_rows) <= 5 * 16
    on = env.run(until=env.restore_power())
    env.run(until=on.resyncs["data"])
    assert on.resyncs["data"].state == "done"
    env.run(until=env.now + 6)
    assert env.cut_power().of("data").resync == "none"


def test_the_hole_stays_open_until_the_resync_is_through() -> None:
    """A second cut before its end has the torn stripes of the first one still."""
    env, data = server()
    load = data.start(writes(outstanding=32))
    first = cut_after(env, 2.0).of("data")
    load.stop()
    env.run(until=env.restore_power())
    env.run(until=env.now + 5.0)
    second = env.cut_power().of("data")
    assert second.in_flight == 0
    assert set(second.inconsistent) <= set(first.inconsistent)
    assert len(second.inconsistent) > 0
    assert second.resync == "full"


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ({"level": "raid1e", "drives": 3}, {(0, 0), (0, 1)}),
        ({"level": "raid10", "drives": 4, "spread": "offset"}, {(0, 0), (0, 1)}),
        ({"level": "raid10", "drives": 4}, {(1, 0)}),
    ],
)
def test_copies_that_differ_are_named_in_every_row_in_which_they_lie(
    words: dict[str, Any], rows: set[tuple[int, int]]
) -> None:
    """A resync writes the further copies anew: it has to go through the rows of these."""
    env, data = server(disk_cache="on", **words)
    data.write(STRIP, 4 * KIB)
    seen = set()
    for _ in range(300):  # until both drives have carried it out, one after the other
        env.run(until=env.now + 0.0001)
        found = promises.volume_cut(env.system, "data", data.row, keeps=False)
        seen.add(frozenset(found.inconsistent))
    assert seen == {frozenset(), frozenset(rows)}


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
        ({"intent": "bitmap", "bitmap_chunk": "96 KiB"}, "no multiple of the strip"),
        ({"intent": "diary"}, 'did you mean|"diary"'),
    ],
)
def test_what_is_noted_of_writes_must_make_sense(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        server(**words)
