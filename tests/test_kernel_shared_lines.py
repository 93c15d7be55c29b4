"""What cores share of an array: requests of several processes pass one line after the other.

Expected are products of what a card says: transfers of cache lines, and the time of one.
"""

from __future__ import annotations

import pytest
from conftest import compiled_only
from small_array import KIB, SmallArray

from raidsim import cards, run
from raidsim.assembly.shared_lines import transfer_time
from raidsim.kernel import tables as t
from raidsim.scenario import load_text

NEAR, FAR = 40, 120  # ns
LINES = {"cpu.line_time": "0.04 us", "cpu.remote_line_time": "0.12 us"}
COUNTED = {"raid.request_lines": 3, "raid.mirror_lines": 6, "raid.parity_read_lines": 5}
ONE_NODE = (
    LINES | COUNTED | {"cpu.nodes": 1, "cpu.cores": 64, "pcie.read_time_per_byte": "0 us/KiB"}
)
NULL = {"model": "null-block-device", "drive": {}}


def shared(array):
    """The station of an array's lines."""
    assert array.array["shared"] != t.NONE
    return array.system.world.stations[array.array["shared"]]


def each(level, drives, read, host=ONE_NODE, processes=4):
    """What a request of a loaded array takes of that station, on average (ns)."""
    load = {"read": f"{read} %", "random": "100 %", "workers": processes, "outstanding": 8}
    array = SmallArray(level, drives, load, host=host, **NULL)
    array.begin()
    array.system.run(budget=4000)
    station = shared(array)
    assert station["finishes"] > 1000
    return int(station["served"]) / int(station["finishes"])


@compiled_only
@pytest.mark.parametrize(
    ("level", "drives", "read", "lines"),
    [
        ("raid0", 4, 100, 3),
        ("raid0", 4, 0, 3),
        ("raid1", 2, 100, 6),
        ("raid10", 4, 0, 6),
        ("raid5", 4, 100, 5),
        ("raid6", 5, 100, 5),
        ("raid5", 4, 0, 3),  # the locks of writes to parity are those of their stripe heads
    ],
)
def test_a_request_takes_the_transfers_of_the_line_that_most_wait_for(level, drives, read, lines):
    # Whoever finds others waiting gets the lines from one of them, its own core is in no queue.
    assert each(level, drives, read) == pytest.approx(lines * NEAR, rel=0.01)


@compiled_only
def test_many_processes_do_what_one_line_lets_pass():
    """Sixteen processes whose own work takes no time: one request each 3 x 40 ns."""
    load = {"read": "100 %", "random": "100 %", "workers": 16, "outstanding": 1}
    array = SmallArray("raid0", 8, load, host=ONE_NODE, **NULL)
    array.begin()
    array.system.run(budget=20_000)
    start, done = array.system.now, int(array.system.state["completed"])
    array.system.run(budget=60_000)
    requests = int(array.system.state["completed"]) - done
    assert (array.system.now - start) / requests == pytest.approx(3 * NEAR, rel=0.05)


def test_one_process_has_the_lines_to_itself():
    load = {"read": "100 %", "random": "100 %", "workers": 1, "outstanding": 8}
    array = SmallArray("raid10", 4, load, host=ONE_NODE)
    array.begin()
    array.system.run(budget=400)
    assert int(shared(array)["arrivals"]) == 0


@pytest.mark.parametrize("level", ["raid0", "raid1", "raid5"])
def test_a_host_that_shares_nothing_has_no_such_station(level):
    drives = {"raid0": 2, "raid1": 2, "raid5": 3}[level]
    assert SmallArray(level, drives, host=COUNTED).array["shared"] == t.NONE
    assert SmallArray(level, drives, host=LINES).array["shared"] == t.NONE


def test_drives_that_are_passed_through_share_nothing():
    assert SmallArray("jbod", 2, host=ONE_NODE).array["shared"] == t.NONE


@pytest.mark.parametrize(
    ("nodes", "mean"), [(1, NEAR), (2, (NEAR + FAR) / 2), (4, (NEAR + 3 * FAR) / 4)]
)
def test_a_line_comes_from_any_node_alike(nodes, mean):
    host = ONE_NODE | {"cpu.nodes": nodes}
    array = SmallArray("raid0", 2, host=host)
    assert array.array["read_lines_ns"] == pytest.approx(3 * mean)


def test_a_card_that_does_not_know_of_sockets_has_one_time():
    host = {"cpu.line_time": "0.04 us", "cpu.nodes": 4, "cpu.cores": 64}
    array = SmallArray("raid0", 2, host=COUNTED | host)
    assert array.array["read_lines_ns"] == pytest.approx(3 * NEAR)


@pytest.mark.parametrize(("workers", "on_its_thread"), [(0, 0), (3, 2 * 24 * NEAR)])
def test_a_stripe_head_waits_for_lines_under_the_lock_of_its_array(workers, on_its_thread):
    """Two heads of 24 transfers: on the thread that hands out, or on the only one."""
    host = ONE_NODE | {"raid.stripe_lines": 24, "raid.stripe_time": "1 us"}
    array = SmallArray("raid5", 5, host=host, group_thread_cnt=workers)
    array.do(t.WRITE, 0, 8 * KIB)
    array.assert_at_rest()
    world = array.system.world
    engine = int(world.stations[array.array["engine"]]["served"])
    assert engine == 2 * 1000 + 2 * 24 * NEAR - on_its_thread
    if workers:
        assert int(world.stations[array.array["serial"]]["served"]) == on_its_thread


@compiled_only
def test_a_result_names_the_lines_that_limit():
    """RAID 0 of devices that do nothing, 32 jobs: three transfers of 79.5 ns on two sockets."""
    spec = load_text("""
        [host]
        model = "intel-xeon-8380-pair"
        [[volume]]
        level = "raid0"
        drives = 8
        drive = "null-block-device"
        strip = "64 KiB"
        state = "filled"
        [[load]]
        read = "100 %"
        random = "100 %"
        size = "4 KiB"
        workers = 32
        outstanding = 32
        [measure]
        min_ios = 20_000
        precision = "2 %"
    """)
    (point,) = run(spec).points
    host = cards.load("intel-xeon-8380-pair")
    assert transfer_time(host) == pytest.approx((51e-9 + 108e-9) / 2)
    assert point.limited_by.station == "data: shared lines"
    assert point.iops.mean == pytest.approx(1 / (3 * 79.5e-9), rel=0.02)
    assert "shared cache lines" in point.stages
