"""A drive by arithmetic: what the card says, added up, is what an I/O takes, to the nanosecond.

Where a test needs one part to be the slowest, it sets the times itself.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from drive_times import KIB, MS, US, OneDrive, pipeline
from hypothesis import given, settings
from hypothesis import strategies as st
from watching import begin, build, scenario, watched

from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

STRIPE = 128 * KIB
UNIT = 64 * KIB  # four planes of 16 KiB
QUIET = {"read_ahead__depth": "0 KiB"}
FEW = 100 if INTERPRETED else 2_000


# -- one read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [512, KIB, 4 * KIB, 8 * KIB, 16 * KIB])
def test_an_idle_read_is_the_sum_of_its_steps(length):
    drive = OneDrive()
    times = drive.times
    expected = (
        times.submit(t.READ, length)
        + times.half_latency
        + times.front_end
        + times.read
        + times.channel_read(0, length)
        + times.path_read(length)
        + times.link(length)
        + times.half_latency
        + times.complete(t.READ, length)
    )
    assert drive.reads(0, length) == expected


def test_whole_frames_cross_the_channel():
    # 1 KiB at 3.5 KiB lies in two frames of 4 KiB.
    drive = OneDrive()
    times = drive.times
    expected = times.front_end + times.page_read(3584, KIB) + times.around(t.READ, KIB)
    assert drive.reads(3584, KIB) == expected
    assert times.channel_read(3584, KIB) == times.channel_read(0, 8 * KIB)


def test_at_half_the_clock_rate_the_cpu_takes_twice_as_long():
    drive = OneDrive()
    times = drive.times
    for station, name in enumerate(drive.system.names):
        if name.kind == "host CPU":
            drive.system.set_speed(station, 0.5)
    cpu = times.submit(t.READ, 4 * KIB) + times.complete(t.READ, 4 * KIB)
    assert drive.reads(0, 4 * KIB) == 2 * cpu + 2 * times.half_latency + times.front_end + (
        times.page_read(0, 4 * KIB)
    )


def test_a_read_that_repeats_finds_its_unit_in_the_sector_buffer():
    drive = OneDrive()
    times = drive.times
    drive.reads(8 * KIB, KIB)
    moved = times.front_end + times.path_read(KIB) + times.link(KIB)
    for offset in (9, 10, 11, 8):
        assert drive.reads(offset * KIB, KIB) == moved + times.around(t.READ, KIB)
    # The next unit comes from the flash.
    expected = times.front_end + times.page_read(12 * KIB, KIB) + times.around(t.READ, KIB)
    assert drive.reads(12 * KIB, KIB) == expected


def test_the_sector_buffer_holds_the_last_unit_of_the_last_read():
    drive = OneDrive(**QUIET)
    drive.reads(0, 8 * KIB)
    before = drive.visits("flash die").sum()
    drive.reads(7 * KIB, KIB)
    assert drive.visits("flash die").sum() == before
    drive.reads(0, KIB)
    assert drive.visits("flash die").sum() == before + 1
    drive.reads(3 * KIB, 2 * KIB)  # across two units: not in the buffer as a whole
    assert drive.visits("flash die").sum() == before + 2


# -- reads of several pages --------------------------------------------------------------------


SLOWEST = {
    "channel": {},
    "data path": {"data_path__read_time_per_byte": "5 us/KiB"},
    "link": {"link__time_per_byte": "6 us/KiB"},
}


@pytest.mark.parametrize("slowest", SLOWEST)
def test_pages_of_a_read_overlap_and_the_slowest_station_sets_the_pace(slowest):
    drive = OneDrive(**SLOWEST[slowest], **QUIET)
    times = drive.times
    page = 16 * KIB
    steps = {
        "channel": times.channel_read(0, page),
        "data path": times.path_read(page),
        "link": times.link(page),
    }
    assert max(steps, key=steps.__getitem__) == slowest
    latency = drive.reads(0, 4 * page)
    base = times.front_end + times.read + times.around(t.READ, 4 * page)
    assert latency == base + pipeline(list(steps.values()), 4)
    assert latency < base + 4 * sum(steps.values())


@pytest.mark.parametrize("op", [t.READ, t.WRITE])
@pytest.mark.parametrize("pages", [1, 4])
def test_a_command_takes_its_share_of_the_link_once_however_many_pages_it_has(op, pages):
    """Frames and the connection of SAS: as many bytes more as the card says."""
    length = pages * 16 * KIB
    latency = {}
    for size in (0, 2 * KIB):
        drive = OneDrive(link__command_size=f"{size} B", **SLOWEST["link"], **QUIET)
        ask = drive.reads if op == t.READ else drive.writes
        latency[size] = ask(0, length)
    assert latency[2 * KIB] - latency[0] == drive.times.link(2 * KIB)


def test_the_planes_of_a_unit_are_sensed_at_once_and_two_units_side_by_side():
    drive = OneDrive(**QUIET)
    times = drive.times
    page = 16 * KIB
    steps = [times.channel_read(0, page), times.path_read(page), times.link(page)]
    # A stripe of two units lies on one channel, on two dies.
    base = times.front_end + times.read + times.around(t.READ, STRIPE)
    assert drive.reads(0, STRIPE) == base + pipeline(steps, 8)
    assert drive.visits("flash die").sum() == 2
    assert np.count_nonzero(drive.visits("flash die")) == 2
    assert np.count_nonzero(drive.visits("flash channel")) == 1


def test_the_parts_of_a_read_across_a_stripe_boundary_come_side_by_side():
    drive = OneDrive(**QUIET)
    times = drive.times
    # One part of 4 KiB and one of 16 KiB, over two channels: the longer one is the last.
    base = times.front_end + times.around(t.READ, 20 * KIB)
    expected = base + times.page_read(STRIPE, 16 * KIB)
    assert drive.reads(STRIPE - 4 * KIB, 20 * KIB) == expected
    assert np.count_nonzero(drive.visits("flash channel")) == 2


def test_where_parts_come_in_turn_the_second_begins_when_the_first_is_at_the_host():
    drive = OneDrive(flash__parts_in_turn=True, **QUIET)
    times = drive.times
    offset = STRIPE - 4 * KIB
    both = times.page_read(offset, 4 * KIB) + times.page_read(STRIPE, 4 * KIB)
    assert drive.reads(offset, 8 * KIB) == times.front_end + both + times.around(t.READ, 8 * KIB)
    # One that ends at the boundary has no second part.
    base = times.front_end + times.around(t.READ, 8 * KIB)
    assert drive.reads(STRIPE - 8 * KIB, 8 * KIB) == base + times.page_read(0, 8 * KIB)


def test_parts_of_many_stripes_are_read_one_after_the_other():
    drive = OneDrive(flash__stripe="64 KiB", flash__parts_in_turn=True, **QUIET)
    times = drive.times
    page = 16 * KIB
    steps = [times.channel_read(0, page), times.path_read(page), times.link(page)]
    # From the last page of a stripe to the first of the next but one.
    parts = [1, 4, 1]
    expected = sum(times.read + pipeline(steps, pages) for pages in parts)
    expected += times.front_end + times.around(t.READ, 6 * page)
    assert drive.reads(3 * page, 6 * page) == expected


def test_a_request_longer_than_a_command_is_split_by_the_host():
    drive = OneDrive(**QUIET)
    times = drive.times
    page = 16 * KIB
    assert drive.card.integer("command.max_transfer") == STRIPE
    steps = [times.channel_read(0, page), times.path_read(page), times.link(page)]
    # Two commands on two channels; the second is decoded after the first, and its last page
    # waits for the other's last page on the data path.
    assert times.front_end < times.path_read(page) < times.channel_read(0, page)
    assert times.link(page) < times.path_read(page)
    expected = times.around(t.READ, 2 * STRIPE, commands=2)
    expected += times.front_end + times.read + pipeline(steps, 8) + times.path_read(page)
    assert drive.reads(0, 2 * STRIPE) == expected
    assert drive.visits("front end").tolist() == [2]


def test_every_device_io_costs_the_host_its_part():
    words = {"size": "1 MiB", "limit": {"ios": 1}}
    costs = {"submit.device_io_time": "3 us", "complete.device_io_time": "1 us"}
    plain, dear = (watch_latency(words, host) for host in ({}, costs))
    assert dear - plain == 8 * 4 * US


def watch_latency(words, host):
    built = build(scenario(words, host=host))
    begin(built)
    built.system.run()
    return int(built.system.world.streams[0]["window_ns"].sum())


# -- several reads -----------------------------------------------------------------------------


def test_reads_wait_for_each_other_at_what_they_share():
    times = OneDrive().times
    # The submissions of one process follow each other; all before the die is faster.
    submit, channel = times.submit(t.READ, 4 * KIB), times.channel_read(0, 4 * KIB)
    assert times.front_end < submit < channel < times.read
    for second, behind in (
        (16 * KIB, times.read),  # another plane of the same die
        (UNIT, channel),  # the next die on the same channel
        (STRIPE, submit),  # another channel
    ):
        drive = OneDrive(**QUIET)
        first, later = drive.wait(*(drive.start(t.READ, o, 4 * KIB) for o in (0, second)))
        alone = times.front_end + times.page_read(0, 4 * KIB) + times.around(t.READ, 4 * KIB)
        assert first.latency == alone
        assert later.latency == alone + behind


def test_a_read_of_a_page_that_is_being_sensed_waits_for_that():
    """Both take it from the register of its die, one after the other over the channel."""
    drive = OneDrive(**QUIET)
    first, later, other = drive.wait(
        *(drive.start(t.READ, n * 4 * KIB, 4 * KIB) for n in (0, 1, 4))
    )
    times = drive.times
    alone = times.front_end + times.page_read(0, 4 * KIB) + times.around(t.READ, 4 * KIB)
    assert first.latency == alone
    assert later.latency == alone + times.channel_read(0, 4 * KIB)
    assert other.latency == alone + times.read  # the page after it has a sense of its own


def test_the_front_end_decodes_one_command_after_the_other():
    drive = OneDrive(front_end__command_time="500 us", **QUIET)
    twin = OneDrive(front_end__command_time="500 us", front_end__cores=2, **QUIET)
    for one, behind in ((drive, 500 * US), (twin, one_submission(twin))):
        first, second = one.wait(*(one.start(t.READ, n * STRIPE, 4 * KIB) for n in range(2)))
        assert second.completed - first.completed == behind


def test_a_look_into_the_map_is_time_of_the_front_end_for_reads_and_not_for_writes():
    plain = OneDrive(**QUIET)
    looking = OneDrive(front_end__read_time="30 us", **QUIET)
    assert looking.reads(0, 4 * KIB) - plain.reads(0, 4 * KIB) == 30 * US
    assert looking.writes(STRIPE, 4 * KIB) == plain.writes(STRIPE, 4 * KIB)


def one_submission(drive):
    return drive.times.submit(t.READ, 4 * KIB)


@compiled_only
def test_an_urgent_command_is_decoded_before_those_that_wait():
    # A hundred commands are in the queue of the front end; only the one in service goes first.
    slow = {"front_end.command_time": "50 us"}
    crowd = {"name": "crowd", "outstanding": 100, "priority": 2}
    waits = {}
    for priority in (1, 2, 3):
        single = {"name": "single", "think": "200 us", "priority": priority}
        built = build(scenario(crowd, single, drive=slow))
        begin(built)
        built.system.run(budget=800)
        stream = built.system.world.streams[1]
        waits[priority] = stream["window_ns"].sum() / max(stream["window_ios"].sum(), 1)
    assert 0 < waits[1] < 400 * US
    assert 4 * MS < waits[2] < 6 * MS
    assert waits[3] == 0  # it never gets its turn


def test_drives_of_one_system_do_not_disturb_each_other():
    alone, pair = OneDrive(), OneDrive(drives=2)
    expected, found = [], []
    for n in range(12):
        expected.append(alone.reads(n * UNIT, UNIT))
        alone.rest()
        found += [pair.reads(n * UNIT, UNIT, volume) for volume in (0, 1)]
        pair.rest()
    assert found[0::2] == found[1::2] == expected
    assert (pair.visits("flash die", 0) == pair.visits("flash die", 1)).all()
    assert pair.system.rows("ssds")["prefetched"].tolist() == [alone.row["prefetched"]] * 2
    assert alone.row["prefetched"] > 0


# -- writes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [512, 4 * KIB, 8 * KIB, 16 * KIB])
def test_an_idle_write_is_acknowledged_from_the_buffer(length):
    drive = OneDrive()
    times = drive.times
    expected = (
        times.submit(t.WRITE, length)
        + times.half_latency
        + times.front_end
        + times.link(length)
        + times.path_write(length)
        + times.half_latency
        + times.complete(t.WRITE, length)
    )
    assert drive.writes(0, length) == expected
    assert times.submit(t.WRITE, length) > times.submit(t.READ, length)


def test_pages_of_a_write_overlap_too():
    drive = OneDrive()
    times = drive.times
    page = 16 * KIB
    steps = [times.link(page), times.path_write(page)]
    # Three pages and a part of a fourth: no unit is full yet.
    expected = times.front_end + pipeline(steps, 3) + times.around(t.WRITE, 3 * page)
    assert drive.writes(page, 3 * page) == expected


def test_a_change_of_direction_on_the_data_path_is_paid_for():
    drive = OneDrive(**QUIET)
    times = drive.times
    read = times.front_end + times.page_read(0, 4 * KIB) + times.around(t.READ, 4 * KIB)
    write = times.front_end + times.link(4 * KIB) + times.path_write(4 * KIB)
    write += times.around(t.WRITE, 4 * KIB)
    assert times.turnaround > 0
    assert drive.reads(0, 4 * KIB) == read  # the first finds it as it wants it
    assert drive.reads(STRIPE, 4 * KIB) == read
    assert drive.writes(0, 4 * KIB) == write + times.turnaround
    assert drive.writes(0, 4 * KIB) == write
    assert drive.reads(0, 4 * KIB) == read + times.turnaround


def test_the_map_is_updated_after_the_acknowledgement():
    # The update keeps the front end from the next command, not the write from its end.
    slow = OneDrive(front_end__write_time="500 us")
    times = slow.times
    write = times.front_end + times.link(4 * KIB) + times.path_write(4 * KIB)
    write += times.around(t.WRITE, 4 * KIB)
    assert times.map_update == 500 * US
    assert slow.writes(0, 4 * KIB) == write
    # From the acknowledgement until the next command is at the front end:
    way = 2 * times.half_latency + times.complete(t.WRITE, 4 * KIB) + times.submit(t.WRITE, 4 * KIB)
    assert slow.writes(0, 4 * KIB) == write + 500 * US - way
    slow.rest()
    read = times.front_end + times.page_read(0, 4 * KIB) + times.around(t.READ, 4 * KIB)
    assert slow.reads(0, 4 * KIB) == read + times.turnaround


def test_a_unit_is_programmed_as_soon_as_it_is_full():
    drive = OneDrive()
    times = drive.times
    page = 16 * KIB
    latency = drive.writes(0, UNIT)
    acknowledged = drive.system.now - times.half_latency - times.complete(t.WRITE, UNIT)
    flushed = pipeline([times.path_flush(page), times.channel_write(page)], 4)
    assert drive.rest() == acknowledged + flushed + times.program
    base = times.front_end + times.around(t.WRITE, UNIT)
    assert latency == base + pipeline([times.link(page), times.path_write(page)], 4)
    assert drive.row["programmed"] == UNIT
    assert drive.row["buffered"] == drive.row["gathered"] == 0


def test_small_writes_are_gathered_into_units():
    drive = OneDrive()
    for n in range(1, 36):
        drive.writes(n * 4 * KIB, 4 * KIB)
        drive.rest()
        assert drive.row["programmed"] == n * 4 * KIB // UNIT * UNIT
        assert drive.row["gathered"] == drive.row["buffered"] == n * 4 * KIB % UNIT
    assert drive.visits("flash die").sum() == 2


def buffer_account(built):
    """Return bytes of the write buffer by what they are: (on their way in, gathered, in flush)."""
    world = built.system.world
    jobs, drive = world.jobs, world.ssds[0]
    of_hosts = [t.STAGE_LINK_WRITE, t.STAGE_PATH_WRITE]
    coming = np.isin(jobs["stage"], [*of_hosts, t.STAGE_MOVE_SENSED, t.STAGE_MOVE_CHANNEL])
    units = (jobs["stage"] == t.STAGE_PROGRAMMED).sum()
    return (
        int(jobs["length"][coming].sum()),
        int(drive["gathered"] + drive["gathered_moved"]),
        int(units * drive["page"] * drive["planes"]),
    )


SMALL_BUFFER = {"buffer.size": "256 KiB", "flash.channels": 2, "flash.dies_per_channel": 1}


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["512 B", "4 KiB", "20 KiB", "128 KiB"]))
def test_every_byte_of_the_buffer_is_reserved_gathered_or_in_flush(seed, size):
    words = {"read": "30 %", "size": size, "align": "512 B", "outstanding": 6}
    words["limit"] = {"ios": 12 if INTERPRETED else 60}
    built = build(scenario(words, seed=seed, drive=SMALL_BUFFER))
    begin(built)
    system = built.system
    drive = system.world.ssds[0]
    while system.state["events"] > 0:
        system.run(horizon=system.next_time)
        coming, gathered, flushing = buffer_account(built)
        assert drive["buffered"] == coming + gathered + flushing
        # What completes units that were written in part comes on top of what was let in.
        read = np.isin(system.world.jobs["stage"], [t.STAGE_MOVE_SENSED, t.STAGE_MOVE_CHANNEL])
        completing = drive["filled"] + system.world.jobs["length"][read].sum()
        assert drive["buffered"] <= drive["buffer"] + completing
    drive = system.world.ssds[0]
    written = system.world.drives[0]["host_written"]
    assert written + drive["filled"] == drive["programmed"] + drive["buffered"]
    assert drive["buffered"] == drive["gathered"] + drive["gathered_moved"]
    # What a power cut would lose, if the buffer were not protected, is what it holds of the host's.
    assert system.world.drives[0]["unsafe"] == drive["gathered"] < UNIT
    assert drive["first_waiting"] == t.NONE


def write_rate(ios, **changes):
    """Return bytes a second that sequential writes get in the end, and the drive."""
    values = {key.replace("__", "."): value for key, value in changes.items()}
    words = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 32}
    built = build(scenario(words, drive=values))
    begin(built)
    built.system.run(budget=ios)
    start, written = built.system.now, int(built.system.world.drives[0]["host_written"])
    built.system.run(budget=2 * ios)
    passed = built.system.now - start
    return (int(built.system.world.drives[0]["host_written"]) - written) / (passed / 1e9)


def test_writes_are_as_fast_as_the_data_path_if_the_dies_are_faster():
    times = OneDrive().times
    page = 16 * KIB
    bound = page / ((times.path_write(page) + times.path_flush(page)) / 1e9)
    dies = 16 * 8 * UNIT / (times.program / 1e9)
    assert dies > 1.5 * bound
    assert write_rate(FEW, buffer__size="32 MiB") == pytest.approx(bound, rel=0.02)


def test_writes_are_as_fast_as_the_dies_if_the_path_is_faster():
    bound = 2 * 2 * UNIT / 20e-3
    few_dies = {"flash__channels": 2, "flash__dies_per_channel": 2}
    rate = write_rate(FEW // 2, flash__program_time="20 ms", buffer__size="1 MiB", **few_dies)
    assert rate == pytest.approx(bound, rel=0.05)


def test_a_buffer_takes_a_burst_at_the_speed_of_the_link_and_then_pushes_back():
    words = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 1}
    values = {"flash.program_time": "100 ms", "flash.channels": 1, "flash.dies_per_channel": 1}
    built = build(scenario(words, drive=values | {"buffer.size": "640 KiB"}))
    begin(built)
    latencies = np.diff(watched(built, ios=16)["time"])
    # Ten units fit; then one write goes in as one unit comes out, every 100 ms.
    assert latencies[:10].max() < 1 * MS
    assert (latencies[11:] == 100 * MS).all()


def test_a_small_write_does_not_overtake_one_that_waits_for_the_buffer():
    drive = OneDrive(buffer__size="192 KiB", flash__channels=1, flash__dies_per_channel=1)
    small = UNIT - 4 * KIB
    for offset in (0, UNIT, 2 * UNIT):
        drive.writes(offset, small)
    # 12 KiB are free: the first page of the next write does not fit, a sector would.
    large = drive.start(t.WRITE, 3 * UNIT, 16 * KIB)
    sector = drive.start(t.WRITE, 5 * UNIT, 512)
    large_done, sector_done = drive.wait(large, sector)
    assert large_done.latency > drive.times.program / 2
    assert sector_done.completed > large_done.completed


def test_a_buffer_that_holds_less_than_three_units_is_refused():
    with pytest.raises(InputError, match="less than three program units"):
        OneDrive(buffer__size="64 KiB")


# -- where things are --------------------------------------------------------------------------


CHANNELS, DIES = 3, 4
FEW_DIES = {"flash__channels": CHANNELS, "flash__dies_per_channel": DIES}


def test_a_stripe_lies_on_one_channel_and_the_next_on_the_next():
    drive = OneDrive(**FEW_DIES, **QUIET)
    for stripe in range(2 * CHANNELS + 1):
        before = drive.visits("flash channel").copy()
        drive.reads(stripe * STRIPE, STRIPE)
        moved = drive.visits("flash channel") - before
        rounds = stripe // CHANNELS  # each begins one channel further
        assert moved.nonzero()[0].tolist() == [(stripe + rounds) % CHANNELS]
        assert moved.sum() == 8  # pages


def test_reads_of_the_whole_address_space_fall_on_all_dies_alike():
    drive = OneDrive(**FEW_DIES, **QUIET)
    # Two units a stripe: after `DIES` stripes on each channel every die has had two.
    for stripe in range(CHANNELS * DIES):
        drive.reads(stripe * STRIPE, STRIPE)
    assert drive.visits("flash die").tolist() == [2] * (CHANNELS * DIES)


def test_units_of_a_channel_go_to_its_dies_in_turn():
    drive = OneDrive(**FEW_DIES, **QUIET)
    order = []
    for unit in range(4):  # two stripes of channel 0
        before = drive.visits("flash die").copy()
        drive.reads((unit // 2 * (2 * CHANNELS - 1)) * STRIPE + unit % 2 * UNIT, 4 * KIB)
        order += (drive.visits("flash die") - before).nonzero()[0].tolist()
    assert order == [0, 1, 2, 3]


def test_units_that_are_written_go_to_channels_and_dies_round_robin():
    drive = OneDrive(**FEW_DIES)
    order = []
    for _ in range(2 * CHANNELS * DIES):
        before = drive.visits("flash die").copy()
        drive.writes(0, UNIT)  # always the same address
        drive.rest()
        order += (drive.visits("flash die") - before).nonzero()[0].tolist()
    once = [channel * DIES + die for die in range(DIES) for channel in range(CHANNELS)]
    assert order == 2 * once


@compiled_only
def test_random_reads_load_all_channels_alike():
    words = {"size": "4 KiB", "outstanding": 64}
    built = build(scenario(words, seed=5))
    begin(built)
    built.system.run(budget=20 * FEW)
    names = built.system.names
    rows = [n for n, name in enumerate(names) if name.kind == "flash channel"]
    visits = built.system.world.stations["arrivals"][rows]
    mean = visits.mean()
    assert len(visits) == 16
    assert np.abs(visits - mean).max() < 4.5 * np.sqrt(mean)


def test_dies_in_step_count_as_one():
    apart = OneDrive(flash__dies_per_channel=8, **QUIET)
    in_step = OneDrive(flash__dies_per_channel=8, flash__dies_in_step=2, **QUIET)
    assert len(apart.visits("flash die")) == 16 * 8
    assert len(in_step.visits("flash die")) == 16 * 4


# -- a drive that fails ------------------------------------------------------------------------


@pytest.mark.parametrize("op", [t.READ, t.WRITE])
def test_a_failed_drive_answers_with_an_error_after_its_front_end(op):
    drive = OneDrive()
    drive.front["failed"] = 1
    (done,) = drive.wait(drive.start(op, 0, 4 * KIB))
    assert done.status == t.FAILED
    assert done.latency == drive.times.front_end + drive.times.around(op, 4 * KIB)
    drive.rest()
    assert drive.visits("flash die").sum() == 0
    assert drive.front["host_read"] == drive.front["host_written"] == drive.row["buffered"] == 0


def test_failed_ios_count_apart_and_have_no_latency():
    built = build(scenario({"outstanding": 4, "size": "256 KiB", "limit": {"ios": 100}}))
    begin(built)
    built.system.run(budget=40)
    built.system.world.drives[0]["failed"] = 1
    built.system.run()
    stream = built.system.world.streams[0]
    assert stream["completed"] + stream["failed"] == stream["issued"] == 100
    assert 55 <= stream["failed"] <= 60
    assert stream["window_ios"].sum() == stream["completed"]
    assert built.system.world.latencies[0].sum() == stream["completed"]


def test_a_drive_that_is_back_serves_as_before():
    drive = OneDrive(**QUIET)
    before = drive.reads(0, 4 * KIB)
    drive.front["failed"] = 1
    drive.wait(drive.start(t.READ, STRIPE, 4 * KIB))
    drive.front["failed"] = 0
    assert drive.reads(2 * STRIPE, 4 * KIB) == before
