"""Read-ahead runs for sequential streams, in a drive that has nothing else to do, and for no other.

A segment follows one stream; two commands in sequence make a stream (the card's threshold).
"""

from __future__ import annotations

import numpy as np
import pytest
from drive_times import KIB, MS, OneDrive, pipeline
from watching import begin, build, scenario, watched

from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

MIB = 1024 * KIB
GIB = 1024 * MIB
PAGE = 16 * KIB
STRIPE = 128 * KIB
FEW = 60 if INTERPRETED else 1_000


def load_of(ios=FEW, drive=None, seed=3, **words):
    """Run a load to so many I/Os; the SSD row and the rest of the system."""
    built = build(scenario({"random": "0 %"} | words, seed=seed, drive=drive))
    begin(built)
    built.system.run(budget=ios)
    return built.system.world.ssds[0], built


def read_by(built):
    """Bytes that the host has read."""
    return built.system.world.drives[0]["host_read"]


def response(built):
    """Mean response of the completed I/Os, ns."""
    stream = built.system.world.streams[0]
    return stream["window_ns"].sum() / stream["window_ios"].sum()


def from_memory(drive, length):
    """Latency of a read whose pages are all in the drive's memory."""
    times = drive.times
    steps = [times.path_read(PAGE), times.link(PAGE)]
    moved = pipeline(steps, length // PAGE)
    return times.front_end + moved + times.around(t.READ, length)


# -- one stream --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [PAGE, 64 * KIB, STRIPE])
def test_a_sequential_reader_with_a_pause_finds_all_its_data(size):
    drive = OneDrive()
    latencies = []
    for n in range(12):
        latencies.append(drive.reads(n * size, size))
        drive.rest()
    # Two commands show the sequence (the second is the first to continue), the third too.
    assert min(latencies[:3]) > drive.times.read
    assert set(latencies[3:]) == {from_memory(drive, size)}


@pytest.mark.parametrize("cache_read", [True, False])
def test_cache_reads_hide_the_sense_of_what_continues_a_stream(cache_read):
    # Two outstanding reads leave no time to read ahead: each program unit comes from the flash.
    card = {"flash.cache_read": cache_read}
    row, built = load_of(drive=card, size="64 KiB", outstanding=2)
    names = built.system.names
    dies = [n for n, station in enumerate(names) if station.kind == "flash die"]
    stations = built.system.world.stations[dies]
    assert row["prefetched"] == 0
    # The first command begins the stream, two make it one (the card's threshold).
    senses = 3 if cache_read else stations["finishes"].sum()
    assert stations["served"].sum() == senses * row["read_time"]


@pytest.mark.parametrize("threshold", [1, 2, 5])
def test_so_many_commands_in_sequence_make_a_stream(threshold):
    drive = OneDrive(read_ahead__threshold=threshold)
    for n in range(threshold + 2):
        before = int(drive.row["prefetched"])
        drive.reads(n * PAGE, PAGE)
        drive.rest()
        assert (drive.row["prefetched"] > before) == (n >= threshold)


def test_the_drive_reads_ahead_to_its_depth_and_no_further():
    drive = OneDrive(read_ahead__depth="256 KiB")
    for n in range(3):
        drive.reads(n * PAGE, PAGE)
    drive.rest()
    assert drive.row["prefetched"] == 256 * KIB
    drive.reads(3 * PAGE, PAGE)
    drive.rest()
    assert drive.row["prefetched"] == 256 * KIB + PAGE


def test_a_sequential_reader_at_one_outstanding_is_faster_than_the_flash_alone():
    row, built = load_of(size="64 KiB")
    bare, without = load_of(size="64 KiB", drive={"read_ahead.depth": "0 KiB"})
    assert bare["prefetched"] == 0
    assert row["prefetched"] > 0.9 * read_by(built)
    assert response(built) < 0.6 * response(without)


def test_a_page_that_is_on_its_way_is_waited_for():
    # The second read comes while its data is on its way: later than from memory, and
    # sooner than from flash.
    drive = OneDrive()
    for n in range(3):
        slow = drive.reads(n * 4 * PAGE, 4 * PAGE)
    waited = drive.reads(12 * PAGE, 4 * PAGE)
    assert from_memory(drive, 4 * PAGE) < waited < slow


def test_reads_that_end_a_stream_leave_its_data_for_whoever_goes_on():
    drive = OneDrive()
    for n in range(4):
        drive.reads(n * PAGE, PAGE)
    drive.rest()
    for n in range(3):
        drive.reads(GIB + n * GIB, PAGE)
        drive.rest()
    assert drive.reads(4 * PAGE, PAGE) == from_memory(drive, PAGE)


# -- when it does not run ----------------------------------------------------------------------


def test_at_two_outstanding_it_hardly_runs():
    # With two I/Os always in the drive there is no idle time to read ahead in.
    row, built = load_of(size="64 KiB", outstanding=2)
    assert row["prefetched"] < 0.1 * read_by(built)


def test_with_many_outstanding_it_does_not_run():
    row, built = load_of(size="64 KiB", outstanding=32)
    assert row["prefetched"] < 0.05 * read_by(built)


@pytest.mark.parametrize("outstanding", [1, 8])
@pytest.mark.parametrize("size", ["512 B", "4 KiB", "64 KiB"])
def test_random_reads_never_start_it(size, outstanding):
    row, _ = load_of(size=size, random="100 %", outstanding=outstanding)
    assert row["prefetched"] == 0


@pytest.mark.parametrize("size", ["512 B", "1 KiB", "2 KiB"])
def test_sequential_commands_smaller_than_a_unit_never_start_it(size):
    # They come to the unit of the one before: a repetition starts the count anew.
    row, _ = load_of(size=size)
    assert row["prefetched"] == 0


@pytest.mark.parametrize("size", ["4 KiB", "8 KiB", "16 KiB"])
def test_a_coarse_map_does_not_hide_a_stream(size):
    """Of 16 KiB mapped together a stream of less is one all the same."""
    row, built = load_of(size=size, drive={"mapping.unit": "16 KiB"})
    assert row["prefetched"] > 0.9 * read_by(built)


@pytest.mark.parametrize("size", ["4 KiB", "64 KiB"])
def test_a_stream_that_begins_within_a_unit_is_one_all_the_same(size):
    """A partition that begins at sector 63: each command begins in the unit where one ended."""
    odd = {"offset": "31.5 KiB", "size": "1 GiB"}
    row, built = load_of(size=size, align="512 B", area=odd)
    assert row["prefetched"] > 0.9 * read_by(built)


def test_a_reader_that_goes_half_a_block_back_each_time_is_not_sequential():
    drive = OneDrive(read_ahead__threshold=1)
    for n in range(1, 6):
        drive.reads(n * 4 * KIB, 8 * KIB)
        drive.rest()
    assert drive.row["prefetched"] == 0


def test_writes_do_not_start_it():
    row, _ = load_of(size="64 KiB", read="0 %")
    assert row["prefetched"] == 0


def test_a_reader_that_skips_every_other_block_is_not_sequential():
    row, _ = load_of(size="64 KiB", align="128 KiB")
    assert row["prefetched"] == 0


def test_a_card_without_segments_has_no_read_ahead():
    for none in ({"read_ahead.streams": 0}, {"read_ahead.depth": "0 KiB"}):
        row, _ = load_of(size="64 KiB", drive=none)
        assert row["prefetched"] == 0


# -- several streams ---------------------------------------------------------------------------


def interleaved(streams, rounds, **changes):
    """Read ``streams`` files in turn, one I/O at a time; latencies by round and stream, ns."""
    drive = OneDrive(**changes)
    found = np.zeros((rounds, streams), int)
    for n in range(rounds):
        for s in range(streams):
            found[n, s] = drive.reads(s * GIB + n * 4 * PAGE, 4 * PAGE)
            drive.rest()
    return drive, found


@pytest.mark.parametrize("streams", [2, 7, 8])
def test_as_many_streams_as_there_are_segments_find_their_data(streams):
    drive, latencies = interleaved(streams, 6)
    assert (latencies[3:] == from_memory(drive, 4 * PAGE)).all()


def test_one_stream_more_and_none_is_followed():
    # The segment that was used longest ago is always that of the stream that comes next.
    drive, latencies = interleaved(9, 6)
    assert drive.row["prefetched"] == 0
    assert (latencies > drive.times.read).all()


@pytest.mark.parametrize("place", [GIB // 2, GIB - 2 * PAGE, 2 * GIB])
def test_a_segment_that_is_used_again_forgets_its_last_stream(place):
    drive = OneDrive(read_ahead__streams=1)
    for n in range(4):
        drive.reads(GIB + n * PAGE, PAGE)
        drive.rest()
    latencies = []
    for n in range(6):
        latencies.append(drive.reads(place + n * PAGE, PAGE))
        drive.rest()
    assert min(latencies[:3]) > drive.times.read
    assert set(latencies[3:]) == {from_memory(drive, PAGE)}


def test_random_reads_between_do_not_end_a_stream():
    drive = OneDrive()
    rng = np.random.default_rng(4)
    for n in range(12):
        latency = drive.reads(n * 4 * PAGE, 4 * PAGE)
        drive.rest()
        if n >= 3:
            assert latency == from_memory(drive, 4 * PAGE)
        for offset in rng.integers(10**6, 10**7, size=6):
            drive.reads(int(offset) * STRIPE // 2, 4 * KIB)
            drive.rest()


# -- at the end of the drive -------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [800_000_000_000, 2_000_000_000_000])
def test_nothing_is_read_beyond_the_end_of_the_drive(capacity):
    # The larger one ends in the middle of a flash page.
    drive = OneDrive(capacity__user=f"{capacity // 10**9} GB")
    size = 64 * KIB
    first = capacity - 8 * size
    for n in range(8):
        drive.reads(first + n * size, size)
        drive.rest()
    pages = drive.system.world.slots["page"]
    assert pages.max() == capacity // PAGE - 1
    assert (drive.system.world.segments["in_flight"] == 0).all()
    assert drive.row["prefetched"] <= 8 * size


def test_a_stream_goes_on_after_it_has_gone_round_its_area():
    words = {"size": "64 KiB", "area": {"offset": "0 B", "size": "1 MiB"}}
    built = build(scenario({"random": "0 %", "think": "2 ms"} | words))
    begin(built)
    latencies = np.diff(watched(built, ios=48)["time"]) - 2 * MS
    slow = latencies > OneDrive().times.read
    # Each round starts anew: the jump back to the start is no sequence.
    assert slow.reshape(-1)[: 16 * 2].reshape(2, 16)[:, 3:].sum() == 0
    assert slow.reshape(-1)[: 16 * 2].reshape(2, 16)[:, :2].all()


# -- commands smaller than a mapping unit --------------------------------------------------------


@pytest.mark.parametrize("outstanding", [2, 8, 16, 64])
def test_commands_to_one_mapping_unit_wait_for_one_sense(outstanding):
    """Sectors in sequence: seven of eight find their unit on its way, or in the sector buffer."""
    row, built = load_of(size="512 B", align="512 B", outstanding=outstanding)
    assert row["flash_read"] == pytest.approx(read_by(built) / 8, abs=512 * outstanding)
