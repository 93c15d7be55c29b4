"""Reads of a disk: streams, segments, the order of service, short strokes and deep queues.

Each against arithmetic with what the card says; where bytes lie comes from the walk over all
tracks in :mod:`oracle.disk`.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from conftest import INTERPRETED, compiled_only
from drive_times import KIB, MS, US
from one_disk import NO_SEEK, SMALL, OneDisk, loaded
from oracle.disk import Platter
from watching import begin, build, scenario

from raidsim.control.model import BuiltSystem
from raidsim.kernel import tables as t

AHEAD = {"read_ahead__segments": 4, "read_ahead__depth": "1 MiB"}
BLOCK = 64 * KIB
OVERHEAD = 70 * US  # of a command to the small disk: 20 us of latency, 50 us of its controller
ROUNDING = 20  # ns
TURN = 6 * MS
FEW = 60 if INTERPRETED else 400


@cache
def platter() -> Platter:
    """The tracks of the small disk."""
    return Platter(OneDisk(**SMALL).card)


def link(length: int) -> int:
    """Time on the link of the small disk, ns."""
    return 3 * US * length // KIB


def stream(disk: OneDisk, count: int, size: int = BLOCK, start: int = 0, pause: int = 0):
    """Read one block after the other; when each was back, ns."""
    times = []
    for n in range(count):
        disk.reads(start + n * size, size)
        times.append(disk.system.now)
        disk.until(disk.system.now + pause)
    return times


def arm_starts(disk: OneDisk) -> int:
    """Tasks that the arm has been given so far."""
    return int(disk.row["tasks_so_far"])


# -- streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [8 * KIB, 37 * 512, BLOCK, 700 * KIB])
def test_a_sequential_reader_streams_at_media_rate(size):
    # One outstanding: while one block is on the link, the arm reads the next.
    disk = OneDisk(**SMALL, **AHEAD)
    count = min(FEW, 20_000 * KIB // size)
    times = stream(disk, count, size, start=5 * 512)
    medium = platter().transfer(5 * 512 + size, (count - 1) * size)
    assert times[-1] - times[0] == pytest.approx(medium, abs=ROUNDING)


def test_media_rate_is_a_cylinder_over_its_turns_and_skews():
    # H tracks in H turns, H - 1 head switches and one step to the next cylinder.
    heads, track = 4, 301 * KIB
    turns = heads * TURN + (heads - 1) * 0.717 * MS + 0.913 * MS
    cylinders = 3
    size = heads * track // 28
    assert size % 512 == 0
    disk = OneDisk(**SMALL, **AHEAD)
    times = stream(disk, 28 * cylinders + 1, size)
    assert times[-1] - times[0] == pytest.approx(cylinders * turns, abs=ROUNDING)


@pytest.mark.parametrize("pause", [100 * US, 700 * US])
def test_a_reader_that_pauses_less_than_a_block_takes_still_streams(pause):
    # 64 KiB pass under the head in 1.27 ms; the reader is back in time for the next.
    disk = OneDisk(**SMALL, **AHEAD)
    times = stream(disk, FEW, pause=pause)
    medium = platter().transfer(BLOCK, (FEW - 1) * BLOCK)
    assert times[-1] - times[0] == pytest.approx(medium, abs=ROUNDING)


def test_a_slow_reader_finds_every_block_in_the_buffer():
    disk = OneDisk(**SMALL, **AHEAD)
    disk.reads(0, BLOCK)
    disk.until(disk.system.now + 50 * MS)
    for n in range(1, FEW):
        assert disk.reads(n * BLOCK, BLOCK) == OVERHEAD + link(BLOCK)
        disk.until(disk.system.now + 20 * MS)
    # Half a segment is refilled at a time, and nothing is fetched twice.
    assert arm_starts(disk) == 1


def test_without_read_ahead_every_block_of_a_stream_costs_a_revolution():
    disk = OneDisk(**SMALL)
    # None of these blocks begins with a track: there, the skew would give it time.
    times = stream(disk, min(FEW, 290))
    plain = platter()
    for n, gap in enumerate(np.diff(times), 1):
        passed = plain.transfer((n - 1) * BLOCK, 2 * BLOCK) - plain.transfer((n - 1) * BLOCK, BLOCK)
        assert gap == pytest.approx(TURN + passed, abs=ROUNDING)


def test_read_ahead_ends_after_a_segment_and_at_the_end_of_the_drive():
    disk = OneDisk(**SMALL, **AHEAD)
    disk.reads(0, BLOCK)
    disk.until(disk.system.now + 200 * MS)
    # One segment behind the read is there, and not a byte more.
    before = arm_starts(disk)
    mib = 1024 * KIB
    assert disk.reads(mib, BLOCK) == OVERHEAD + link(BLOCK)
    assert arm_starts(disk) == before
    fresh = OneDisk(**SMALL, **AHEAD)
    size = int(fresh.row["size"])
    end = size // 512 * 512
    fresh.reads(end - 2 * BLOCK, BLOCK)
    fresh.until(fresh.system.now + 50 * MS)
    assert fresh.reads(end - BLOCK, BLOCK) == OVERHEAD + link(BLOCK)


# -- segments ----------------------------------------------------------------------------------


def hits_of_streams(streams: int, segments: int, rounds: int = 12) -> list[int]:
    """Take turns reading from several streams; how many blocks of each were in the buffer."""
    disk = OneDisk(**SMALL | {"read_ahead__segments": segments, "read_ahead__depth": "1 MiB"})
    hits = [0] * streams
    for n in range(rounds):
        for s in range(streams):
            latency = disk.reads(s * 100_000 * KIB + n * BLOCK, BLOCK)
            hits[s] += latency == OVERHEAD + link(BLOCK)
            disk.until(disk.system.now + 40 * MS)  # a quiet while: the arm reads ahead
    return hits


def test_as_many_streams_as_segments_stream_side_by_side():
    assert hits_of_streams(4, segments=4) == [11] * 4
    assert hits_of_streams(1, segments=1) == [11]


def test_one_stream_more_than_segments_and_all_of_them_thrash():
    assert hits_of_streams(5, segments=4) == [0] * 5
    assert hits_of_streams(2, segments=1) == [0] * 2


@pytest.mark.parametrize("blocks", [0, 1, 4])
def test_a_minimum_is_read_ahead_of_a_stream_even_if_others_wait(blocks):
    disk = OneDisk(**SMALL, **AHEAD, read_ahead__minimum=f"{blocks * 64} KiB")
    rng = np.random.default_rng(1)
    hits = []
    for n in range(31):
        # A read somewhere else waits already when the block has been read.
        other = int(rng.integers(100_000, 900_000)) * KIB
        block, _ = disk.wait(disk.start(t.READ, n * BLOCK, BLOCK), disk.start(t.READ, other, 512))
        hits.append(block.latency == OVERHEAD + link(BLOCK))
    # The first two show that it is a stream; then one access of the arm fetches 1 + blocks.
    expected = [False] + [n % (blocks + 1) != 0 for n in range(30)]
    assert hits == expected


def test_a_read_that_goes_on_from_no_other_has_the_minimum_read_behind_it():
    """By its rule for streams; the next one in sequence shows that it is one."""
    least = {"read_ahead__until": "stream", "read_ahead__minimum": f"{BLOCK} B"}
    disk = OneDisk(**SMALL, **AHEAD, **least)
    disk.reads(0, BLOCK)
    disk.until(disk.system.now + 50 * MS)
    assert disk.reads(2 * BLOCK, BLOCK) > OVERHEAD + link(BLOCK) + MS  # beyond the minimum
    stream_of_two = OneDisk(**SMALL, **AHEAD, **least)
    for n in range(10):
        latency = stream_of_two.reads(n * BLOCK, BLOCK)
        assert n == 0 or latency == OVERHEAD + link(BLOCK)
        stream_of_two.until(stream_of_two.system.now + 50 * MS)
    assert arm_starts(stream_of_two) == 1


def test_random_reads_of_a_small_area_are_not_found_in_the_buffer_because_the_disk_was_idle():
    """A controller's cache measured elsewhere: 207 reads a second of files of 1 GB, not 642."""
    rng = np.random.default_rng(3)
    means = {}
    for rule in ("stream", "depth"):
        disk = OneDisk(**SMALL, **AHEAD, read_ahead__until=rule, read_ahead__minimum="8 KiB")
        places = rng.integers(0, 16 * 1024 // 4, FEW) * 4 * KIB  # of 16 MiB
        found = []
        for place in places.tolist():
            found.append(disk.reads(place, 4 * KIB))
            disk.until(disk.system.now + 30 * MS)
        means[rule] = np.mean(found)
    assert means["depth"] < 0.9 * means["stream"]
    assert means["stream"] > TURN / 2


def test_a_minimum_beyond_the_end_of_a_track_waits_for_the_skew():
    # The second read ends with the track: what is read behind it comes after the head switch.
    disk = OneDisk(**SMALL, **AHEAD, read_ahead__minimum="64 KiB")
    disk.reads(0, 150 * KIB)
    second = disk.start(t.READ, 150 * KIB, 151 * KIB)
    elsewhere = disk.start(t.READ, 500_000 * KIB, 512)
    disk.wait(second)
    assert disk.row["stop"] == (301 + 64) * KIB
    ends = int(disk.system.world.jobs[disk.row["arm_job"]]["finish"])
    assert ends % TURN == pytest.approx(platter().angle((301 + 64) * KIB), abs=ROUNDING)
    disk.wait(elsewhere)


@pytest.mark.parametrize("choose", ["0 ms", "0.1 ms", "0.5 ms", "0.8 ms", "1 ms"])
@pytest.mark.parametrize("first", [290, 301])
def test_a_read_that_the_head_is_on_its_way_to_over_the_end_of_a_track_loses_no_turn(first, choose):
    # The track has 301 KiB. While the firmware chooses, the head reads on and goes over to the next
    # one, where 20 KiB are passed over. Were it to go over anew, it would come too late for the
    # rest: a RAID 5 whose strips of parity lie there lost an eighth of its sequential reads.
    disk = OneDisk(**SMALL, **AHEAD, queue__discipline="sptf", queue__choose_time=choose)
    start = (301 + 20) * KIB
    one, two = disk.replay([(0, t.READ, 0, first * KIB), (0, t.READ, start, BLOCK)])
    medium = platter().transfer(0, start + BLOCK) - platter().transfer(0, first * KIB)
    assert two - one == pytest.approx(medium, abs=ROUNDING)


def test_a_read_that_was_overwritten_is_read_anew():
    disk = OneDisk(**SMALL, **AHEAD)
    disk.reads(0, BLOCK)
    disk.rest()
    assert disk.reads(0, BLOCK) == OVERHEAD + link(BLOCK)
    disk.writes(4 * KIB, 512)
    disk.rest()
    assert disk.reads(0, BLOCK) > OVERHEAD + link(BLOCK) + MS


def test_a_part_that_is_in_the_buffer_is_not_read_again():
    disk = OneDisk(**SMALL | {"read_ahead__segments": 1, "read_ahead__depth": "64 KiB"})
    disk.reads(0, BLOCK)
    # 64 KiB behind it are read ahead, and the segment keeps those.
    disk.until(disk.system.now + 50 * MS)
    arm = disk.visits("disk arm").tolist()
    latency = disk.reads(BLOCK, 2 * BLOCK)
    assert disk.visits("disk arm")[0] > arm[0]
    # Of 128 KiB one half comes from the medium: at most a seek, a turn and that half.
    half = platter().transfer(2 * BLOCK, BLOCK)
    assert latency < OVERHEAD + 0.913 * MS + TURN + half + link(2 * BLOCK)
    assert disk.row["offset"] == 2 * BLOCK
    assert disk.row["length"] == BLOCK


# -- the order of service ----------------------------------------------------------------------


ORDERS = {
    # From cylinder 500, where the arm goes first, inwards.
    "fifo": [500, 100, 900, 480, 520, 510],
    "sstf": [500, 510, 520, 480, 100, 900],
    "look": [500, 510, 520, 900, 480, 100],
}


@pytest.mark.parametrize("discipline", ORDERS)
def test_a_queue_is_served_in_the_order_of_its_discipline(discipline):
    disk = OneDisk(queue__discipline=discipline)
    track = 4096 * KIB
    asked = {disk.start(t.READ, c * track, 512): c for c in ORDERS["fifo"]}
    done = dict(zip(asked, disk.wait(*asked), strict=True))
    order = sorted(asked, key=lambda ticket: done[ticket].completed)
    assert [asked[ticket] for ticket in order] == ORDERS[discipline]


def test_shortest_positioning_takes_the_far_sector_that_comes_by_first():
    # On one cylinder: the near one in bytes has just passed when the arm is free.
    for discipline, first in (("sstf", 0), ("sptf", 1)):
        disk = OneDisk(queue__discipline=discipline)
        quarter = 1024 * KIB
        disk.reads(2 * quarter, 512)
        just_passed, next_one = (disk.start(t.READ, n * quarter, 512) for n in (1, 3))
        busy = disk.start(t.READ, 2 * quarter + 512, 512)
        both = disk.wait(just_passed, next_one, busy)
        assert (both[0].completed < both[1].completed) == (first == 0)


@compiled_only
@pytest.mark.parametrize("ageing", [0.1, 0.5])
def test_ageing_bounds_the_time_that_a_request_waits(ageing):
    # One request far away, and a crowd that never leaves the outer edge.
    crowd = {"outstanding": 8, "area": {"size": "64 MiB"}}
    disk = {"queue__discipline": "sptf", "queue__ageing": ageing}
    far = {"area": {"offset": "1900 GB", "size": "1 GiB"}, "limit": {"ios": 1}}
    built = loaded(crowd, far, **disk)
    built.system.run(horizon=3_000 * MS)
    assert built.system.world.streams[1]["completed"] == 1
    waited = int(built.system.world.streams[1]["window_ns"].sum())
    # It goes before one that came with it once its waiting outweighs a full seek and a turn;
    # those of the crowd that are older than it are at most seven.
    access = 9.8 * MS + 8.34 * MS
    assert waited <= access / ageing + 8 * access


@compiled_only
@pytest.mark.parametrize("discipline", ["sptf", "sstf"])
@pytest.mark.parametrize("passes", [3, 10])
def test_a_far_request_goes_first_once_so_many_have_gone_before_it(discipline, passes):
    crowd = {"outstanding": 8, "area": {"size": "64 MiB"}}
    far = {"area": {"offset": "1900 GB", "size": "1 GiB"}, "limit": {"ios": 1}}
    built = loaded(crowd, far, queue__discipline=discipline, queue__passes=passes)
    streams = built.system.world.streams
    while streams[1]["completed"] == 0:
        assert streams[0]["completed"] < 1000
        built.system.run(budget=int(built.system.state["completed"]) + 1)
    before = int(streams[0]["completed"])
    assert 9 * passes - 9 <= before <= 9 * passes + 9  # nine wait: it, and the crowd


@compiled_only
def test_a_random_reader_is_served_beside_a_stream():
    """Little's law holds of what is measured: no read waits outside of the figures."""
    stream = {"outstanding": 4, "size": "512 KiB", "random": "0 %", "area": {"size": "1 TB"}}
    reader = {"outstanding": 1, "size": "4 KiB"}
    built = loaded(stream, reader)
    built.system.run(horizon=20_000 * MS)
    row = built.system.world.streams[1]
    assert row["completed"] > 20 * 3  # three a second, at least
    assert row["window_ns"].sum() == pytest.approx(20_000 * MS, rel=0.05)


@pytest.mark.parametrize("choose", ["0 ms", "0.25 ms"])
@pytest.mark.parametrize("op", [t.READ, t.WRITE])
@pytest.mark.parametrize("seed", range(5))
def test_commands_that_continue_one_another_are_done_in_one_go(op, choose, seed):
    # They come in any order while the arm is busy elsewhere. By rotation alone it would begin
    # amid them as a rule, and come back for those in front: one more turn.
    disk = OneDisk(**SMALL, queue__discipline="sptf", queue__choose_time=choose)
    rng = np.random.default_rng(seed)
    start, size, count = 512 * int(rng.integers(1_000_000)), 16 * KIB, 12
    order = rng.permutation(count)
    asked = [(0, t.READ, 512 * int(rng.integers(1_000_000)), KIB)]
    asked += [(MS, op, start + int(n) * size, size) for n in order]
    times = dict(zip(order.tolist(), disk.replay(asked)[1:], strict=True))
    assert sorted(times, key=times.get) == list(range(count))
    medium = platter().transfer(start + size, (count - 1) * size)
    assert times[count - 1] - times[0] == pytest.approx(medium, abs=ROUNDING)


@pytest.mark.parametrize("choose", ["0 ms", "0.3 ms", "0.65 ms", "1 ms"])
@pytest.mark.parametrize("outstanding", [1, 2, 4])
def test_a_reader_that_passes_over_a_part_of_the_drive_loses_no_turn(outstanding, choose):
    # Two blocks of three are read, as the rebuild of RAID 6 does. The head reads on over the third
    # one; when the firmware has chosen, it is in the midst of the next block, and stays there.
    segments = AHEAD | {"read_ahead__minimum": "64 KiB"}
    disk = OneDisk(**SMALL, **segments, queue__discipline="sptf", queue__choose_time=choose)
    places = [n * BLOCK for n in range(300) if n % 3 < 2]
    asked = {disk.start(t.READ, place, BLOCK) for place in places[:outstanding]}
    later = iter(places[outstanding:])
    while asked:
        assert disk.system.run() == t.RETURN_AWAITED
        for ticket, *_ in disk.system.awaited():
            asked.remove(ticket)
            if (place := next(later, None)) is not None:
                asked.add(disk.start(t.READ, place, BLOCK))
    medium = platter().transfer(0, places[-1] + BLOCK)
    assert disk.system.now < 1.02 * medium + TURN


# -- short strokes and deep queues ---------------------------------------------------------------


def drive_146(outstanding: int, area: dict[str, str]) -> BuiltSystem:
    """Random 8 KiB reads on the 146 GB drive, running."""
    load = {"size": "8 KiB", "outstanding": outstanding, "area": area}
    built = build(scenario(load, model="fujitsu-hdd-sas2-15k-146gb"))
    begin(built)
    return built


def rate(built: BuiltSystem, ios: int = 30_000) -> float:
    """IO/s."""
    system = built.system
    system.run(budget=1000)
    before = system.now
    system.run(budget=1000 + ios)
    return ios / (system.now - before) * 1e9


@compiled_only
def test_a_short_stroke_saves_the_seeks_that_it_does_not_make():
    spec = scenario({}, model="fujitsu-hdd-sas2-15k-146gb")
    plain = Platter(spec.volumes[0].card)
    rng = np.random.default_rng(1)
    means = []
    for area in (32 * 2**30, spec.volumes[0].card.integer("capacity.user")):
        places = rng.integers(0, area // 8192, (20_000, 2)) * 8192
        seeks = [
            plain.seek(t.READ, abs(plain.track(int(a)).cylinder - plain.track(int(b)).cylinder))
            for a, b in places
        ]
        # Beside the seek: half a turn, the block, and what the command costs.
        means.append(float(np.mean(seeks)))
    short, whole = (1e9 / rate(drive_146(1, a)) for a in ({"size": "32 GiB"}, {"size": "rest"}))
    assert whole - short == pytest.approx(means[1] - means[0], rel=0.03)
    assert means[0] < 0.6 * means[1]
    rest = short - means[0]
    assert 2.0 * MS < rest < 2.5 * MS


@compiled_only
def test_a_deep_queue_lets_the_arm_choose():
    area = {"size": "32 GiB"}
    rates = [rate(drive_146(q, area)) for q in (1, 2, 4, 8, 16, 32, 64)]
    assert rates == sorted(rates)
    assert rates[5] > 2 * rates[0]


# -- failures ----------------------------------------------------------------------------------


def test_a_failed_drive_answers_with_errors_until_it_is_repaired():
    disk = OneDisk(**SMALL)
    disk.front["failed"] = 1
    for op in (t.READ, t.WRITE):
        (done,) = disk.wait(disk.start(op, 0, BLOCK))
        assert done.status == t.FAILED
        # As soon as the command is decoded, which takes 13 us longer for a write.
        assert done.latency == OVERHEAD + (13 * US if op == t.WRITE else 0)
    assert arm_starts(disk) == 0
    disk.front["failed"] = 0
    disk.reads(0, BLOCK)
    assert disk.front["host_read"] == BLOCK


def test_half_duplex_sata_takes_turns_where_full_duplex_sas_does_not():
    # A read from the buffer and a write into it, at the same time.
    ends = {}
    length = 512 * KIB
    for interface in ("sas", "sata"):
        disk = OneDisk(**SMALL | AHEAD, link__interface=interface, write_cache__enabled=True)
        disk.reads(0, length)
        disk.rest()
        tickets = [disk.start(t.READ, 0, length), disk.start(t.WRITE, 500_000 * KIB, length)]
        read, write = disk.wait(*tickets)
        assert read.latency == OVERHEAD + link(length)
        ends[interface] = write.latency
    # The write is decoded 63 us after the read, which is on the link by then.
    assert ends["sas"] == OVERHEAD + 63 * US + link(length)
    assert ends["sata"] == OVERHEAD + 2 * link(length)
    assert math.isclose(ends["sata"] - ends["sas"], link(length) - 63 * US)


@compiled_only
def test_two_outstanding_are_two_to_choose_from():
    # No seeks; a choice of c, then what is left of a turn of T. Of one command that is T/2 on
    # average. Of two the nearer is taken, and the other waits on: reckoned here turn by turn.
    turn, choice = 8.333, 0.6
    rng = np.random.default_rng(5)
    place, now, left = 0.0, 0.0, rng.random() * turn
    rounds = 40_000
    for fresh in rng.random(rounds) * turn:
        place = (now + choice) % turn
        waits = sorted(((one - place) % turn, one) for one in (left, fresh))
        now += choice + waits[0][0]
        left = waits[1][1]
    two = rounds / now * 1e3
    one = 1e3 / (choice + turn / 2)
    still = NO_SEEK | {"queue__discipline": "sptf", "queue__choose_time": f"{choice} ms"}
    for outstanding, expected in ((1, one), (2, two)):
        built = loaded({"outstanding": outstanding}, **still)
        built.system.run(horizon=60_000 * MS)
        done = int(built.system.world.streams[0]["completed"])
        assert done / 60 == pytest.approx(expected, rel=0.02)
