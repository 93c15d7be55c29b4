"""The kernel's tables grow as needed, and what is in flight does not notice.

One event may need many rows at once: a long request of many commands, many streams that are read
ahead, a change of speed of many servers. A full table would lose I/Os, or worse.
"""

from __future__ import annotations

import pytest
from conftest import compiled_only
from drive_times import KIB, US
from watching import answers_after, begin, build, in_flight, scenario

from benchmarks.stations import Network, constant
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

MIB = 1024 * KIB


def ended(words, **keys):
    """Run a load to its end; the system."""
    built = build(scenario(words, **keys))
    begin(built)
    assert built.system.run() == t.RETURN_IDLE
    world = built.system.world
    assert (world.jobs["stage"] == t.STAGE_FREE).all()
    assert built.system.state["free_jobs"] == len(world.jobs)
    assert built.system.state["events"] == 0
    return built


@compiled_only
@pytest.mark.parametrize("size", ["64 KiB", "2 MiB"])
@pytest.mark.parametrize("read", ["0 %", "100 %"])
def test_a_request_of_very_many_commands(read, size):
    words = {"read": read, "size": size, "limit": {"ios": 3}}
    built = ended(words, drive={"command.max_transfer": "4 KiB"})
    assert built.system.world.streams[0]["completed"] == 3


def test_a_request_of_very_many_pages():
    small = {"flash.page": "512 B", "flash.frame": "512 B", "buffer.size": "64 KiB"}
    built = ended({"read": "50 %", "size": "128 KiB", "limit": {"ios": 6}}, drive=small)
    assert built.system.world.streams[0]["completed"] == 6


@compiled_only
def test_a_thousand_outstanding_with_many_pages_each():
    ios = 60 if INTERPRETED else 1_000
    words = {"read": "50 %", "size": "256 KiB", "outstanding": ios, "limit": {"ios": 2 * ios}}
    built = ended(words)
    assert built.system.world.streams[0]["completed"] == 2 * ios


def test_streams_that_are_all_read_ahead_at_once():
    # Nothing is read ahead while there is work; then the drive extends all streams in one go.
    streams, depth = (16, 256 * KIB) if INTERPRETED else (64, MIB)
    words = {"random": "0 %", "size": "4 KiB", "outstanding": 4, "partitions": True}
    words |= {"workers": streams, "limit": {"ios": streams * 8}}
    drive = {
        "flash.planes": 1,
        "flash.page": "4 KiB",
        "read_ahead.streams": streams,
        "read_ahead.depth": f"{depth} B",
    }
    world = ended(words, drive=drive).system.world
    assert world.ssds[0]["prefetched"] == streams * depth
    assert world.segments["in_flight"].sum() == 0
    assert (world.slots["state"] == t.SLOT_READY).sum() == streams * depth // (4 * KIB)


def test_a_change_of_speed_of_a_thousand_servers():
    net = Network()
    disk = net.station("disk", servers=1000)
    net.poisson("reads", 1000.0, [constant(disk, 100.0)], ios=900)
    net.run(until=2.0)
    assert net.stream("reads")["in_flight"] == 900
    for speed in (0.5, 0.25, 2.0, 4.0):
        net.system.set_speed(disk, speed)
    assert net.run() == t.RETURN_IDLE
    assert net.stream("reads")["completed"] == 900


@compiled_only
@pytest.mark.parametrize("outstanding", [1, 255, 256, 257, 1500])
def test_as_many_outstanding_as_are_asked_for(outstanding):
    built = build(scenario({"outstanding": outstanding}))
    answers_after(built, 10 * US)
    begin(built)
    built.system.run(horizon=100 * US - 1)
    assert built.system.world.streams[0]["completed"] == 9 * outstanding
    assert len(in_flight(built)) == outstanding


def test_a_queue_that_grows_for_long_loses_nobody():
    ios = 2_000 if INTERPRETED else 50_000
    net = Network()
    disk = net.station("disk")
    net.arrivals("reads", [0.0] * ios, [constant(disk, 1e-3)])
    assert net.run() == t.RETURN_IDLE
    assert net.stream("reads")["completed"] == ios
    assert net.system.now == ios * 1_000_000
