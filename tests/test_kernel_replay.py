"""Traces that the kernel replays: the same requests, at the same times, whatever their number."""

from __future__ import annotations

import numpy as np
import pytest
import traces
from conftest import INTERPRETED

from raidsim.assembly import replay
from raidsim.control import Environment, Host, Volume
from raidsim.control.model import BuiltSystem, build
from raidsim.observe import figures, ios
from raidsim.observe.ios import Ios

IOS = 120 if INTERPRETED else 1500
GIB = 2**30
HARDWARE = {"a disk": traces.DISK, "flash": traces.FLASH}


def played(built: BuiltSystem) -> Ios:
    """Run to the end, with all I/Os noted."""
    system = built.system
    system.log_ios(2 * IOS)
    for stream in built.streams["load"]:
        system.begin(stream)
    system.run()
    return ios.of(system, built.streams["load"], 1)


def in_order(found: Ios) -> np.ndarray:
    """Issue, offset, length and kind of each I/O, in the order of their issue."""
    order = np.lexsort((found.offset, found.issued))
    return np.stack([found.issued, found.offset, found.length, found.op])[:, order]


@pytest.fixture
def small_ring(monkeypatch):
    """A ring that is filled again and again: traces are longer than the kernel's part of them."""
    monkeypatch.setattr(replay, "ROWS", 16)


@pytest.mark.parametrize("hardware", HARDWARE)
def test_requests_are_issued_as_the_trace_has_them(hardware, tmp_path, small_ring):
    wanted = traces.at_random(1, IOS, 2000.0, GIB)
    built = build(traces.replay(HARDWARE[hardware], traces.msr(tmp_path / "t.csv", wanted)))
    found = in_order(played(built))
    times, ops, offsets, sizes = zip(*wanted, strict=True)
    assert found[0].tolist() == [round(time * 1e9) for time in times]
    assert found[1].tolist() == list(offsets)
    assert found[2].tolist() == list(sizes)
    assert found[3].tolist() == [int(op == "Write") for op in ops]


@pytest.mark.parametrize("hardware", HARDWARE)
def test_a_replay_takes_as_long_as_the_same_requests_of_a_model(hardware, tmp_path):
    wanted = traces.at_random(2, IOS // 3, 500.0, GIB)
    built = build(traces.replay(HARDWARE[hardware], traces.msr(tmp_path / "t.csv", wanted)))
    replayed = played(built)

    env = Environment()
    spec = HARDWARE[hardware]
    volume = Volume(env, host=Host(env, spec["host"]["model"]), name="data", **spec["volume"][0])
    taken = []

    def asks(time, op, offset, size):
        yield env.timeout(time)
        begun = env.now
        yield (volume.write if op == "Write" else volume.read)(offset, size)
        taken.append((round(time * 1e9), round((env.now - begun) * 1e9)))

    for one in wanted:
        env.process(asks(*one))
    env.run()
    latencies = sorted(
        zip(replayed.issued.tolist(), (replayed.completed - replayed.issued).tolist(), strict=True)
    )
    # The clock of a model counts in seconds: 1 ns is how it rounds.
    assert np.abs(np.array(latencies) - np.array(sorted(taken))).max() <= 1


@pytest.mark.parametrize("outstanding", [1, 7, 64])
def test_a_closed_replay_keeps_so_many_requests_under_way(outstanding, tmp_path, small_ring):
    path = traces.msr(tmp_path / "t.csv", traces.at_random(3, IOS, 10.0, GIB))
    found = played(
        build(traces.replay(traces.FLASH, path, replay="closed", outstanding=outstanding))
    )
    assert len(found.op) == IOS
    changes = [(time, 1) for time in found.issued] + [(time, -1) for time in found.completed]
    under_way = np.cumsum([change for _, change in sorted(changes)])
    assert under_way.max() == outstanding
    until = np.sort(found.issued)[-1]
    busy = [
        count for (time, _), count in zip(sorted(changes), under_way, strict=True) if time < until
    ]
    assert min(busy[outstanding:]) >= outstanding - 1


def test_the_gaps_of_a_trace_are_kept_behind_the_end_of_each_request(tmp_path, small_ring):
    wanted = traces.at_random(4, IOS, 1000.0, GIB)
    taken = np.full(IOS, 0.0002)
    path = traces.msr(tmp_path / "t.csv", wanted, taken)
    found = played(build(traces.replay(traces.FLASH, path, replay="gaps")))
    times = np.array([time for time, *_ in wanted])
    gaps = np.maximum(np.diff(times) - taken[:-1], 0.0)
    seen = found.issued[1:] - found.completed[:-1]
    assert np.abs(seen - np.rint(gaps * 1e9)).max() <= 1


@pytest.mark.parametrize("speed", [0.5, 4.0])
def test_a_faster_replay_has_the_same_requests_closer_together(speed, tmp_path):
    wanted = traces.at_random(5, IOS, 100.0, GIB)
    path = traces.msr(tmp_path / "t.csv", wanted)
    found = played(build(traces.replay(traces.FLASH, path, speed=speed)))
    times = [round(time * 1e9 / speed) for time, *_ in wanted]
    assert np.abs(np.sort(found.issued) - times).max() <= 1


def test_what_lies_beyond_the_volume_is_wrapped_or_scaled_into_it(tmp_path):
    size = 2 * 73 * 10**9
    wanted = [(0.01 * n, "Read", n * (size // IOS) // 4096 * 4096, 4096) for n in range(IOS)]
    path = traces.msr(tmp_path / "t.csv", wanted)
    for beyond in ("wrap", "scale"):
        built = build(traces.replay(traces.DISK, path, beyond=beyond))
        capacity = int(built.system.world.volumes[0]["size"])
        found = played(built)
        assert (found.offset + found.length).max() <= capacity
        order = np.argsort(found.issued)
        places = found.offset[order]
        if beyond == "scale":
            assert (np.diff(places) > 0).all()
        else:
            assert places.tolist() == [
                offset % capacity if offset + 4096 > capacity else offset
                for _, _, offset, _ in wanted
            ]


def test_a_request_inside_a_sector_takes_the_whole_sectors_that_it_touches(tmp_path):
    wanted = [(0.0, "Read", 100, 50), (0.1, "Read", 500, 600), (0.2, "Write", 512, 512)]
    built = build(traces.replay(traces.DISK, traces.msr(tmp_path / "t.csv", wanted)))
    found = in_order(played(built))
    assert list(zip(found[1].tolist(), found[2].tolist(), strict=True)) == [
        (0, 512), (0, 1536), (512, 512),
    ]  # fmt: skip
    feed = built.system.feeds[0]
    assert feed.changes.rounded == 2


@pytest.mark.parametrize("hardware", HARDWARE)
def test_no_request_of_a_trace_is_lost_or_made_twice(hardware, tmp_path, small_ring):
    path = traces.msr(tmp_path / "t.csv", traces.at_random(6, IOS, 1e6, GIB))
    built = build(traces.replay(HARDWARE[hardware], path))
    played(built)
    counts = figures.counts(built.system, built.streams["load"])
    assert (counts.issued, counts.completed, counts.in_flight) == (IOS, IOS, 0)
