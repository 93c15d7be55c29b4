"""Processes and threads of a host share its cores, where more are busy than there are.

Expected is work over time: so many cores, and what their second hardware threads add.
"""

from __future__ import annotations

import pytest
from conftest import compiled_only
from small_array import SmallArray

from raidsim.control.model import build
from raidsim.scenario import from_data

COST = 10_000  # ns of a process for an I/O
NULL = {"model": "null-block-device", "drive": {}}
OWN = {"submit.io_time": "10 us"}


def rate(processes, cores, gain=None, *, outstanding=8, budget=30_000):
    """I/Os that are done in the time that a core takes for one of them."""
    host = OWN | {"cpu.cores": cores}
    if gain is not None:
        host["cpu.thread_gain"] = f"{gain} %"
    load = {"read": "100 %", "random": "100 %", "workers": processes, "outstanding": outstanding}
    array = SmallArray("jbod", 2, load, host=host, **NULL)
    array.begin()
    array.system.run(budget=budget)
    start, done = array.system.now, int(array.system.state["completed"])
    array.system.run(budget=3 * budget)
    passed = array.system.now - start
    return (int(array.system.state["completed"]) - done) * COST / passed


@compiled_only
@pytest.mark.parametrize(
    ("processes", "cores", "gain", "work"),
    [
        (4, 4, 30, 4.0),
        (6, 4, 30, 4.6),  # two cores have two threads each, which do 1.3 together
        (8, 4, 30, 5.2),
        (16, 4, 30, 5.2),  # they take turns
        (16, 4, 0, 4.0),
        (16, 4, None, 16.0),  # a card without it: each has a core to itself
    ],
)
def test_busy_processes_do_what_their_cores_do(processes, cores, gain, work):
    assert rate(processes, cores, gain) == pytest.approx(work, rel=0.02)


@compiled_only
def test_processes_that_are_mostly_idle_share_nothing():
    """Sixteen processes on four cores, a fifth of one busy: 20,000 I/Os of 10 us a second."""
    load = {"read": "100 %", "random": "100 %", "workers": 16, "rate": "20000 IO/s"}
    found = []
    for gain in ({}, {"cpu.thread_gain": "0 %"}):
        host = OWN | {"cpu.cores": 4} | gain
        array = SmallArray("jbod", 2, load, host=host, **NULL)
        array.begin()
        array.system.run(budget=5000)
        found.append((array.system.now, int(array.system.state["completed"])))
        shared = array.system.world.cpus["speed"][: array.system.count("cpus")]
        assert (shared == 1.0).all()
    assert found[0] == found[1]


@compiled_only
def test_threads_of_software_raid_take_from_the_same_cores():
    """Eight workers on two cores of one thread each handle what two do."""
    host = {"raid.stripe_time": "100 us", "cpu.cores": 2, "cpu.thread_gain": "0 %"}
    load = {"read": "0 %", "random": "100 %", "workers": 4, "outstanding": 16}
    handled = {}
    for gain in ("0 %", "100 %"):
        words = host | {"cpu.thread_gain": gain}
        array = SmallArray("raid5", 8, load, host=words, group_thread_cnt=8, **NULL)
        engine = array.system.world.stations[array.array["engine"]]
        assert engine["servers"] == 4  # two threads a core
        array.begin()
        array.system.run(budget=2000)
        start, done = array.system.now, int(engine["finishes"])
        array.system.run(budget=8000)
        handled[gain] = (int(engine["finishes"]) - done) / (array.system.now - start)
    assert handled["0 %"] * 100_000 == pytest.approx(2.0, rel=0.03)
    assert handled["100 %"] * 100_000 == pytest.approx(4.0, rel=0.03)


def test_a_speed_that_is_set_counts_beside_what_is_shared():
    """Half the clock rate: half the speed, whatever share of a core each thread has."""
    array = SmallArray("jbod", 2, host=OWN | {"cpu.cores": 4, "cpu.thread_gain": "0 %"})
    array.system.world.cpus[0]["speed"] = 0.5
    submit = int(array.system.world.processes[0]["submit"])
    array.system.set_speed(submit, 0.5)
    assert array.system.world.stations[submit]["speed"] == 0.25


def test_workers_are_no_more_than_hardware_threads():
    def servers(**values):
        spec = {
            "host": {"model": "intel-xeon-8380-pair", "set": {"cpu.nodes": 1} | values},
            "volume": [{"level": "raid5", "drives": 4, "drive": "intel-p4510-4tb"}],
            "load": [{"read": "0 %", "size": "4 KiB", "outstanding": 1}],
        }
        spec["volume"][0] |= {"group_thread_cnt": 64, "state": "fresh"}
        made = build(from_data(spec))
        stations = made.system.world.stations
        return int(stations[made.system.world.arrays[0]["engine"]]["servers"])

    assert servers(**{"cpu.cores": 16}) == 32
