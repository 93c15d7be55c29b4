"""I/Os with a timeout: what patience may and may not change."""

from itertools import pairwise

import pytest

from benchmarks.stations import Network, constant
from raidsim.assembly.load import to_ns


def test_a_patience_that_was_not_needed_is_no_time_that_the_load_took():
    net = Network()
    disk = net.station("disk")
    net.arrivals("reads", [0.0, 1.0], [constant(disk, 0.5)], timeout=100.0)
    net.run()
    assert net.system.now == to_ns(1.5)
    assert net.throughput("reads") == pytest.approx(2 / 1.5)


def test_who_times_out_every_time_still_thinks_for_different_times():
    net = Network()
    disk = net.station("disk")
    net.closed("reads", 1, [constant(disk, 10.0)], think=1.0)
    net.stream("reads")["timeout"] = to_ns(0.5)
    ends = []
    for through in range(1, 6):
        net.run(ios=through)
        ends.append(net.system.now)
    assert net.stream("reads")["timed_out"] == 5
    thinks = {later - end for end, later in pairwise(ends)}
    assert len(thinks) == 4
