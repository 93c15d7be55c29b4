"""What the threads of software RAID do page by page: stripe heads, and how many threads there are.

A stripe head is a page of every member at the same offset. Times are what the card says times what
is counted here by hand: pages of a strip's height that a write changes, one above the other, and
those of all members that are read and written for it.
"""

from __future__ import annotations

import random

import pytest
from conftest import compiled_only
from small_array import KIB, TOY, SmallArray

from raidsim import Environment, Host, Volume
from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.scenario import from_data

PAGE = 4 * KIB
STRIP = 16 * KIB
HEAD, PAGE_TIME = 100_000, 7_000  # ns
HOST = {"raid.stripe_time": "100 us", "raid.stripe_io_time": "7 us", "cpu.cores": 64}
HEADS_ONLY = {"raid.stripe_time": "100 us", "cpu.cores": 64}
FAST = TOY | {"front_end.command_time": "1 us", "command.latency": "1 us"}
SERIAL = {"raid.serial_time": "30 us"}
SEED = 20


def engines(array):
    """The stations on which the threads of an array work: one for each span."""
    first = array.array["engine"]
    return array.system.world.stations[first : first + array.array["engines"]]


def work(level, drives, op, offset, length, **words):
    """What one I/O takes of the threads, ns."""
    array = SmallArray(level, drives, host=words.pop("host", HOST), **words)
    array.do(op, offset, length)
    array.assert_at_rest()
    return int(engines(array)["served"].sum())


def pages(first, end):
    """Pages that bytes [first, end) lie on."""
    return (end - 1) // PAGE - first // PAGE + 1


@pytest.mark.parametrize(
    ("level", "drives", "offset", "length", "heads", "members"),
    [
        ("raid5", 5, 0, PAGE, 1, 4),  # old data and parity, new data and parity
        ("raid6", 7, 0, PAGE, 1, 6),  # and Q
        ("raid5", 5, 2 * PAGE, 2 * PAGE, 2, 8),
        ("raid5", 5, 512, 512, 1, 4),  # a sector needs its page's head
        ("raid5", 5, PAGE - 512, 1024, 2, 8),  # so do two sectors on two pages
        ("raid5", 5, 0, 4 * STRIP, 4, 20),  # a full stripe: nothing is read
        ("raid6", 7, 0, 5 * STRIP, 4, 28),
        ("raid5", 5, 0, 8 * STRIP, 8, 40),  # two of them
        ("raid50", 6, 0, 4 * STRIP, 8, 24),  # one in each span
    ],
)
def test_a_write_takes_its_stripe_heads_and_the_pages_they_read_and_write(
    level, drives, offset, length, heads, members
):
    found = work(level, drives, t.WRITE, offset, length)
    assert found == heads * HEAD + members * PAGE_TIME


def test_reads_pass_the_stripe_heads_by_unless_they_read_what_is_lost():
    assert work("raid5", 5, t.READ, 0, 4 * STRIP) == 0
    assert work("raid5", 5, t.READ, STRIP, PAGE, failed=[0]) == 0
    # Left-symmetric: the first data strip is on drive 0; three data strips and parity restore it.
    assert work("raid5", 5, t.READ, 0, PAGE, failed=[0]) == HEAD + 4 * PAGE_TIME


def test_a_write_without_its_parity_still_has_stripe_heads():
    """Parity of the first stripe is on the last drive: one write is left, nothing to compute."""
    assert work("raid5", 5, t.WRITE, 0, 2 * PAGE, failed=[4]) == 2 * HEAD + 2 * PAGE_TIME


@pytest.mark.parametrize(("level", "drives"), [("raid0", 4), ("raid1", 2), ("raid10", 4)])
def test_arrays_without_parity_have_no_stripe_heads(level, drives):
    assert work(level, drives, t.WRITE, 0, 2 * STRIP) == 0


def test_parity_is_computed_in_the_stripe_heads_on_the_same_thread():
    """Exclusive or of old data, new data and old parity: 3 us/KiB of 3 x 4 KiB."""
    host = HEADS_ONLY | {"raid.parity_time_per_byte": "3 us/KiB"}
    assert work("raid5", 5, t.WRITE, 0, PAGE, host=host) == HEAD + 3 * 12 * 1000


@pytest.mark.parametrize(
    ("level", "drives", "length", "members", "commands"),
    [
        ("raid5", 5, PAGE, 4, 4),  # data and parity are read and written
        ("raid5", 5, 2 * PAGE, 8, 4),  # two pages of each, which are one command
        ("raid6", 7, 5 * STRIP, 28, 7),  # a full stripe: a strip of each member at once
    ],
)
def test_the_threads_pay_for_each_command_to_a_member(level, drives, length, members, commands):
    """Pages that follow each other on a member are one command: 50 us each."""
    host = HOST | {"raid.device_io_time": "50 us"}
    heads = members // commands
    found = work(level, drives, t.WRITE, 0, length, host=host)
    assert found == heads * HEAD + members * PAGE_TIME + commands * 50_000


def test_threads_issue_the_commands_and_the_process_does_not():
    """Four commands of a small write: three beyond the first, 50 us each, on the process."""
    cost = {"raid.device_io_time": "50 us"}

    def submission(host):
        array = SmallArray("raid5", 5, host=host)
        array.do(t.WRITE, 0, PAGE)
        row = array.system.world.processes[0]
        return int(array.system.world.stations[row["submit"]]["served"])

    assert submission(cost) == 3 * 50_000
    assert submission(cost | HEADS_ONLY) == 0


@compiled_only
@pytest.mark.parametrize(("threads", "length"), [(1, PAGE), (3, PAGE), (4, STRIP)])
def test_where_stripe_work_limits_threads_over_its_time_are_carried(threads, length):
    """N threads handle N / (stripe_time x heads) writes a second."""
    load = {"read": "0 %", "random": "100 %", "size": f"{length} B", "outstanding": 8 * threads}
    host = HEADS_ONLY | {"raid.threads": threads}
    array = SmallArray("raid5", 8, load, host=host, drive=FAST)
    array.begin()
    array.system.run(budget=40 * threads)
    start, done = array.system.now, int(engines(array)["finishes"].sum())
    array.system.run(budget=200 * threads)
    passed = array.system.now - start
    handled = int(engines(array)["finishes"].sum()) - done
    each = HEAD * length // PAGE
    assert handled > 100 * threads
    # The window may cut a service at either end of each thread.
    assert handled * each == pytest.approx(threads * passed, abs=2 * threads * each)


def test_one_thread_that_does_all_has_the_serial_part_too():
    assert work("raid5", 5, t.WRITE, 0, 2 * PAGE, host=HEADS_ONLY | SERIAL) == 2 * (HEAD + 30_000)


def test_beside_workers_the_thread_of_the_array_has_it_alone():
    """Two heads: 60 us of that thread before 200 us of a worker."""
    array = SmallArray("raid5", 5, host=HEADS_ONLY | SERIAL, group_thread_cnt=3)
    array.do(t.WRITE, 0, 2 * PAGE)
    array.assert_at_rest()
    thread = array.system.world.stations[array.array["serial"]]
    assert (int(thread["served"]), int(engines(array)["served"].sum())) == (60_000, 200_000)
    assert (thread["servers"], int(engines(array)["servers"].sum())) == (1, 3)


@compiled_only
@pytest.mark.parametrize(
    ("workers", "rate"), [(0, 1 / 130e-6), (1, 1 / 100e-6), (3, 3 / 100e-6), (8, 1 / 30e-6)]
)
def test_workers_help_until_the_thread_that_hands_out_is_busy(workers, rate):
    """Less than N / 100 us of the workers and 1 / 30 us of the thread; one alone needs 130 us."""
    load = {"read": "0 %", "random": "100 %", "outstanding": 64}
    host = HEADS_ONLY | SERIAL
    array = SmallArray("raid5", 8, load, host=host, drive=FAST, group_thread_cnt=workers)
    array.begin()
    array.system.run(budget=1000)
    start, done = array.system.now, int(engines(array)["finishes"].sum())
    array.system.run(budget=3000)
    handled = int(engines(array)["finishes"].sum()) - done
    assert handled > 1500
    assert handled / (array.system.now - start) * 1e9 == pytest.approx(rate, rel=0.01)


def test_work_is_conserved_over_any_writes():
    """The threads have worked for all pages of all writes, and for nothing else."""
    print("seed", SEED)
    numbers = random.Random(SEED)
    array = SmallArray("raid5", 5, host=HEADS_ONLY)
    width = 4 * STRIP
    expected = 0
    for _ in range(40):
        offset = numbers.randrange(0, 200) * 512
        length = numbers.randrange(1, 200) * 512
        array.start(t.WRITE, offset, length)
        end = offset + length
        for stripe in range(offset // width, (end - 1) // width + 1):
            low, high = max(offset, stripe * width), min(end, (stripe + 1) * width)
            if low // STRIP == (high - 1) // STRIP:
                expected += pages(low % STRIP, low % STRIP + high - low)
            else:  # parity is brought up to date over the whole strip
                expected += STRIP // PAGE
    array.rest()
    array.assert_at_rest()
    assert int(engines(array)["served"].sum()) == expected * HEAD


def built_system(volume=None, **host):
    """Software RAID 5 in a server of two NUMA nodes with eight cores."""
    values = {"cpu.nodes": 2, "cpu.cores": 8} | host.pop("set", {})
    words = {"level": "raid5", "drives": 4, "drive": "intel-p3700-800gb", "state": "fresh"}
    load = {"read": "0 %", "size": "4 KiB", "outstanding": 1}
    return build(
        from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1", "set": values} | host,
                "volume": [words | (volume or {})],
                "load": [load],
            }
        )
    )


def threads_of(made):
    stations = made.system.world.stations
    return stations[made.system.world.arrays[0]["engine"]]["servers"]


@pytest.mark.parametrize(
    ("words", "values", "threads"),
    [
        ({}, {}, 1),  # as Linux has it unless it is told otherwise
        ({}, {"raid.threads": 3}, 3),
        ({"group_thread_cnt": 0}, {"raid.threads": 3}, 1),
        ({"group_thread_cnt": 1}, {}, 2),  # one in each node
        ({"group_thread_cnt": 3}, {}, 6),
        ({"group_thread_cnt": 5}, {}, 8),  # no more than there are cores
    ],
)
def test_workers_are_group_thread_cnt_in_each_node(words, values, threads):
    assert threads_of(built_system(words, set=values)) == threads


def test_group_thread_cnt_is_refused_on_a_controller():
    words = {"group_thread_cnt": 2, "drive": "cisco-hdd-4tb", "controller": "card"}
    with pytest.raises(InputError, match="RAID by software"):
        from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1"},
                "controller": [{"name": "card", "model": "cisco-12g-sas-raid-2gb"}],
                "volume": [{"level": "raid5", "drives": 4} | words],
                "load": [{"read": "0 %", "size": "4 KiB", "outstanding": 1}],
            }
        )


@pytest.mark.parametrize("level", ["raid4", "raid5", "raid6"])
@pytest.mark.parametrize(
    "size", [*(pytest.param(one, marks=compiled_only) for one in ("16 KiB", "32 KiB")), "64 KiB"]
)
def test_a_rebuild_takes_each_stripe_head_once_however_many_rows_it_does_at_a_time(level, size):
    """It reads all rows of a batch before it writes them; the heads are pages of a member."""
    env = Environment(seed=SEED)
    keys = {"raid.stripe_time": "100 us", "rebuild.size": size, "rebuild.rate": "100 %"}
    data = Volume(
        env, "intel-p3700-800gb", Host(env, "fujitsu-rx2540-m1", changes=keys), level=level,
        drives=5, strip="16 KiB", state="fresh", changes=FAST | {"capacity.user": "10 MB"},
    )  # fmt: skip
    data.fail(1)
    env.run(data.replace(1))
    heads = 10_000_000 // STRIP * (STRIP // PAGE)
    station = env.system.world.stations[env.system.world.arrays[data.row]["engine"]]
    assert int(station["served"]) == pytest.approx(heads * HEAD, rel=0.06)  # and parity


def test_parity_is_computed_at_the_clock_rate_of_the_host():
    """The times of the card hold at 3.5 GHz; at 1.75 GHz the threads run at half their speed."""
    for clock, speed in (("3.5 GHz", 1.0), ("1.75 GHz", 0.5), ("4.2 GHz", 1.2)):
        made = built_system(clock=clock)
        row = made.system.world.stations[made.system.world.arrays[0]["engine"]]
        assert row["speed"] == pytest.approx(speed)
