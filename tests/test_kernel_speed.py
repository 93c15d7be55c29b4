"""A station whose clock changes while it works: throttling stretches the work under way."""

import numpy as np
import pytest
from conftest import compiled_only
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stations import Network
from benchmarks.stations import given as taking
from raidsim.intervene.window import settle_areas
from raidsim.kernel import tables as t


def ends(services, changes, servers=1):
    """Return when jobs that all come at time 0 end (s), with (time, speed) changes on the way."""
    net = Network()
    cpu = net.station("cpu", servers)
    net.arrivals("jobs", [0.0] * len(services), [taking(cpu, services)])
    for time, speed in changes:
        net.run(until=time)
        net.system.advance_clock(round(time * 1e9))
        net.system.set_speed(cpu, speed)
    seen = []
    for number in range(1, len(services) + 1):
        net.run(ios=number)
        seen.append(net.system.now / 1e9)
    settle_areas(net.system)
    row = net.system.world.stations[cpu]
    assert row["busy_area"] == row["served"]
    assert row["queue_area"] == row["waited"]
    return seen


def test_at_half_speed_the_rest_takes_twice_as_long():
    assert ends([10.0], [(4.0, 0.5)]) == [16.0]


def test_back_at_full_speed_only_the_slow_part_was_longer():
    assert ends([10.0], [(4.0, 0.5), (8.0, 1.0)]) == [12.0]


def test_those_who_wait_are_served_at_the_new_speed():
    assert ends([2.0, 3.0], [(1.0, 0.25)]) == [5.0, 17.0]


def test_every_server_of_the_station_slows_down():
    assert ends([4.0, 6.0], [(2.0, 0.5)], servers=2) == [6.0, 10.0]


def test_an_idle_station_can_change_its_speed():
    assert ends([2.0], [(0.0, 2.0)]) == [1.0]


@compiled_only
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.lists(st.tuples(st.floats(0.01, 5.0), st.sampled_from([0.1, 0.5, 1.0, 2.0])), max_size=5),
)
def test_work_is_the_integral_of_speed_over_time(seed, servers, gaps):
    # Jobs enough to keep all servers busy until the last change and beyond.
    services = np.random.default_rng(seed).uniform(20.0, 60.0, 3 * servers).tolist()
    times = np.cumsum([gap for gap, _ in gaps])
    changes = [(float(time), speed) for time, (_, speed) in zip(times, gaps, strict=True)]
    found = ends(services, changes, servers)

    def reached(work):
        """Time at which a server that never idled has done so much work."""
        now, speed = 0.0, 1.0
        for time, then in changes:
            if work <= (time - now) * speed:
                break
            work -= (time - now) * speed
            now, speed = time, then
        return now + work / speed

    free = [0.0] * servers  # work done by each server
    for service in services:
        first = free.index(min(free))
        free[first] += service
    assert found[-1] == pytest.approx(reached(max(free)), abs=1e-6)


def test_a_change_to_the_same_speed_changes_nothing():
    assert ends([3.0, 1.0], [(1.0, 1.0), (2.0, 1.0)]) == [3.0, 4.0]


def test_jobs_that_end_leave_no_event_behind():
    net = Network()
    cpu = net.station("cpu")
    net.arrivals("jobs", [0.0], [taking(cpu, [10.0])])
    net.run(until=1.0)
    for speed in (0.5, 2.0, 1.0):
        net.system.set_speed(cpu, speed)
    assert net.run() == t.RETURN_IDLE
    assert net.stream("jobs")["completed"] == 1
    assert net.system.state["events"] == 0
