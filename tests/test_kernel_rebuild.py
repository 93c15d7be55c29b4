"""Rebuilds and other work that goes through a whole array: times, commands, faults met."""

from __future__ import annotations

import pytest
from conftest import INTERPRETED, compiled_only
from small_array import LATENCY, NO_CPU, SERVICE, TOY, takes
from watching import scheduled

from raidsim.assembly.array import LOCKS
from raidsim.control import Environment, Host, InputError, Load, Volume
from raidsim.intervene import operation
from raidsim.kernel import tables as t

KIB = 1024
STRIP = 1024 * KIB if INTERPRETED else 16 * KIB  # fewer of them
CHUNK = max(256 * KIB, STRIP)
SMALL = TOY | {"recovery.time": "100 ms"}
RECOVERY = 0.1  # s
ROWS = 10**9 // STRIP
CHUNKS = -(-ROWS // (CHUNK // STRIP))
FIXED = {"rebuild.rate": "100 %", "rebuild.size": "256 KiB"}


def array(level, drives, *, depth=1, host=None, on_error="puncture", name="data", **keys):
    env = Environment(seed=3)
    changes = NO_CPU | FIXED | {"rebuild.depth": depth, "rebuild.on_read_error": on_error}
    server = Host(env, "fujitsu-rx2540-m1", changes=changes | (host or {}))
    keys = {"strip": f"{STRIP // KIB} KiB", "state": "fresh"} | keys
    return Volume(
        env, "intel-p3700-800gb", server, name=name, level=level, drives=drives, changes=SMALL,
        **keys,
    )  # fmt: skip


def through(operation):
    """Wait for the end of background work."""
    operation.volume.env.run(operation)
    assert operation.is_over
    return operation


def moved(volume, field):
    """Bytes that each drive of a volume has read or written for those above it."""
    return [int(volume.system.world.drives[row][field]) for row in volume._drives.rows]


def command(size=CHUNK):
    """What one command of a worker occupies its drive for, s."""
    return takes(size) / 1e9


# -- how long it takes ----------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(
    ("level", "drives"),
    [
        ("raid5", 4),
        pytest.param("raid6", 6, marks=compiled_only),
        pytest.param("raid10", 4, marks=compiled_only),
    ],
)
def test_a_worker_reads_the_others_together_and_then_writes_the_new_drive(level, drives):
    data = array(level, drives)
    data.fail(1)
    rebuild = through(data.replace(1))
    rest = ROWS * STRIP - (CHUNKS - 1) * CHUNK
    assert rebuild.state == "done"
    assert data.health == "optimal"
    # In RAID 6 each row reads as many strips as there are data strips: where they are not the
    # same ones, a drive gets its rows in pieces.
    if level != "raid6":
        expected = 2 * ((CHUNKS - 1) * command() + command(rest))
        assert rebuild.seconds == pytest.approx(expected, rel=1e-4)
    assert rebuild.seconds == rebuild.simulated_seconds


def test_a_rebuild_that_begins_at_time_0_never_rests_while_hosts_do_nothing():
    slow, fast = (array("raid1", 2, rebuild_rate=rate) for rate in ("1 %", "100 %"))
    assert slow.fail(1) == fast.fail(1)
    assert through(slow.replace(1)).seconds == through(fast.replace(1)).seconds


@compiled_only
def test_several_workers_keep_the_drives_busy_all_the_time():
    data = array("raid5", 4, depth=4)
    data.fail(0)
    rebuild = through(data.replace(0))
    busy = SERVICE + CHUNK  # of a command; its latency is no work of the drive
    assert rebuild.seconds == pytest.approx(CHUNKS * busy / 1e9, rel=0.02)


@compiled_only
def test_a_limit_of_the_throughput_is_kept():
    data = array("raid1", 2, depth=2, rebuild_limit="20 MB/s")
    data.fail(0)
    rebuild = through(data.replace(0))
    assert rebuild.seconds == pytest.approx(1e9 / 20e6, rel=0.001)


@compiled_only
@pytest.mark.parametrize("level", ["raid5", "raid1"])
def test_a_sample_with_a_limit_takes_as_long_as_all_of_it(level):
    """Chunks that are cut at the end of a part take their share, and the last one no longer."""
    limited = {"depth": 4, "rebuild_limit": "20 MB/s"}
    parts = [array(level, 3, **limited, rebuild_sample=sample) for sample in ("100 %", "20 %")]
    for data in parts:
        data.fail(0)
    whole, part = (through(data.replace(0)).seconds for data in parts)
    assert whole == pytest.approx(50.0, rel=0.001)
    assert part == pytest.approx(whole, rel=0.004)


@compiled_only
@pytest.mark.parametrize("level", ["raid5", "raid1"])
def test_a_sample_of_the_rows_tells_how_long_all_of_them_take(level):
    whole, part = (array(level, 3, spares=1), array(level, 3, spares=1, rebuild_sample="30 %"))
    seconds = [through(data.fail(2)).seconds for data in (whole, part)]
    last = part.operations[-1]
    assert last.share_simulated < 0.6
    assert last.simulated_seconds == pytest.approx(last.share_simulated * seconds[1])
    assert seconds[1] == pytest.approx(seconds[0], rel=0.02)
    assert part.health == "optimal"


@compiled_only
def test_a_rate_leaves_the_rest_of_the_time_to_the_host():
    """At 25 % a worker rests three times as long as it has worked; without host I/O never."""
    alone = array("raid1", 2, spares=1)
    quiet = through(alone.fail(0)).seconds
    data = array("raid1", 2, spares=1, rebuild_rate="25 %")
    assert through(data.fail(0)).seconds == pytest.approx(quiet, rel=1e-3)
    data = array("raid1", 2, spares=1, rebuild_rate="25 %")
    load = data.start(Load(read="100 %", size="4 KiB", rate="10 IO/s"))  # hardly disturbs
    rebuild = data.fail(0)
    data.env.run(rebuild)
    share = quiet / rebuild.seconds
    assert 0.25 < share < 1.0  # some chunks see no I/O of the host
    data = array("raid1", 2, spares=1, rebuild_rate="25 %")
    load = data.start(Load(read="100 %", size="512 B", outstanding=1))
    rebuild = data.fail(0)
    data.env.run(rebuild)
    # A chunk waits for the one I/O that is under way, on the drive that both read.
    worked = 2 * command() * CHUNKS
    assert 4 * worked < rebuild.seconds < 4 * (worked + CHUNKS * command(512))
    load.stop()


@compiled_only
@pytest.mark.parametrize("seed", [2, 5])
def test_a_read_of_the_host_that_waits_makes_a_rebuild_of_disks_rest(seed):
    """Whether it came with the chunk or long before: sequential chunks keep it from the arm."""
    env = Environment(seed=seed)
    server = Host(env, "linux-xeon-e5-pair")
    data = Volume(
        env, "seagate-st18000nm004j", server, level="raid1", drives=2, failed=[0],
        rebuild_rate="30 %",
    )  # fmt: skip
    load = data.start(Load(read="100 %", size="4 KiB", outstanding=1))
    rebuild = data.rebuild(0)
    env.run(until=20)
    moved = int(data.system.world.drives[data._drives.rows[0]]["host_written"])
    assert 50 < load.iops < 75  # 12.8 ms alone
    assert load.iops * load.latency("read").mean == pytest.approx(1000, rel=0.02)  # Little's law
    assert 0 < moved / 20 < 50e6  # it gets 250 MB/s alone
    assert not rebuild.is_over


def test_no_worker_runs_into_the_timeout_of_a_request_that_had_its_place():
    """Requests are told from each other by a number, which workers do not have."""
    data = array("raid5", 4, depth=4, spares=1)
    load = Load(read="100 %", size="4 KiB", outstanding=8, timeout="1 s", limit={"ios": 64})
    asked = data.start(load)
    data.env.run(asked)
    rebuild = data.fail(0)
    rebuild.pause()
    data.env.run(until=0.5)
    world = data.system.world
    workers = world.workers[:4]
    timers = {subject for _time, kind, subject in scheduled(data.system) if kind == t.EVENT_TIMEOUT}
    there = [int(worker) for worker in workers if int(worker) in timers]
    assert there
    assert (world.jobs["serial"][there] == t.NONE).all(), "no timer is about a worker"
    data.env.run(until=2.0)
    assert not world.jobs["abandoned"][workers].any()
    assert (asked.counts.completed, asked.counts.timed_out) == (64, 0)


@compiled_only
def test_the_host_waits_longer_while_a_drive_is_rebuilt_at_a_higher_rate():
    latencies = []
    for rate in ("10 %", "100 %"):
        data = array("raid5", 4, depth=4, spares=1, rebuild_rate=rate)
        load = data.start(Load(read="100 %", size="4 KiB", outstanding=2))
        data.env.run(data.fail(0))
        latencies.append(load.latency("read").mean)
        load.stop()
    assert latencies[1] > 1.3 * latencies[0]


# -- what it moves --------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(
    ("level", "drives", "read"),
    [("raid5", 5, 4), ("raid6", 6, 4), ("raid1", 3, 1), ("raid10", 6, 1), ("raid50", 6, 2)],
)
def test_a_rebuild_reads_k_strips_for_each_that_it_writes(level, drives, read):
    data = array(level, drives, depth=3)
    data.fail(2)
    through(data.replace(2))
    whole = ROWS * STRIP
    written, seen = moved(data, "host_written"), moved(data, "host_read")
    assert written == [whole if number == 2 else 0 for number in range(drives)]
    assert sum(seen) == read * whole
    assert max(seen) <= whole


@compiled_only
def test_a_check_reads_everything_once_and_an_initialisation_writes_it():
    data = array("raid6", 5, depth=2)
    through(data.check())
    assert moved(data, "host_read") == [ROWS * STRIP] * 5
    through(data.patrol())
    assert moved(data, "host_read") == [2 * ROWS * STRIP] * 5
    assert moved(data, "host_written") == [0] * 5
    through(data.initialise())
    assert moved(data, "host_written") == [ROWS * STRIP] * 5


@compiled_only
def test_an_initialisation_takes_what_the_drives_take_since_nothing_is_computed_of_zeros():
    """And a check takes what the thread of the operating system takes for the stripe heads."""
    host = {"raid.stripe_time": "40 us", "cpu.cores": 64}
    data = array("raid6", 5, depth=4, host=host)
    busy = SERVICE + CHUNK  # of a command
    assert through(data.initialise()).seconds == pytest.approx(CHUNKS * busy / 1e9, rel=0.02)
    heads = ROWS * STRIP // 4096
    assert through(data.check()).seconds == pytest.approx(heads * 40e-6, rel=0.02)


@compiled_only
def test_a_check_has_no_pages_of_hosts_to_copy():
    host = {"raid.stripe_io_time": "30 us", "raid.stripe_copy_time": "10 us", "cpu.cores": 64}
    pages = 5 * ROWS * STRIP // 4096
    data = array("raid6", 5, depth=4, host=host)
    assert through(data.check()).seconds == pytest.approx(pages * 20e-6, rel=0.02)


@compiled_only
def test_a_fast_initialisation_writes_ten_mebibytes_at_each_end():
    data = array("raid5", 3)
    through(data.initialise(full=False))
    assert moved(data, "host_written") == [20 * 2**20] * 3


@compiled_only
def test_a_resync_of_raid_1_reads_a_copy_and_writes_the_others_and_of_raid_10_reads_all():
    data = array("raid1", 3)
    through(data.resync())
    whole = ROWS * STRIP
    assert sum(moved(data, "host_read")) == 2 * whole  # once for each copy that it writes
    assert moved(data, "host_written") == [0, whole, whole]
    pairs = array("raid10", 4)  # Linux md reads all copies, and writes where they differ
    through(pairs.resync())
    assert moved(pairs, "host_read") == [whole] * 4
    assert moved(pairs, "host_written") == [0] * 4
    part = array("raid5", 3)
    through(part.resync([(10, 20), (500, 501)]))
    assert moved(part, "host_read") == [11 * STRIP] * 3


# -- spares, and drives that are replaced ------------------------------------------------------


@compiled_only
def test_a_hot_spare_takes_the_place_of_a_drive_and_gives_it_back():
    data = array("raid5", 4, depth=2, spares=1)
    rebuild = data.fail(3)
    assert (data.health, data.spares) == ("rebuilding", 0)
    through(rebuild)
    assert data.health == "optimal"
    assert data.fail(0) is None  # no other spare
    assert data.health == "degraded"
    through(data.replace(0))
    copying = data.replace(3)
    assert copying.kind == "copy-back"
    assert data.health == "optimal"  # it keeps its redundancy meanwhile
    through(copying)
    assert (data.health, data.spares) == ("optimal", 1)


@compiled_only
def test_what_is_written_while_a_drive_is_copied_back_goes_to_both():
    data = array("raid1", 2, spares=1)
    through(data.fail(1))
    spare = data._drives.rows[1]
    before = int(data.system.world.drives[spare]["host_written"])
    copying = data.replace(1)
    data.env.run(until=data.env.now + copying.volume.env.window * 0.2)
    target = int(data.system.world.members[1]["copy"])
    done = int(data.system.world.drives[target]["host_written"])
    data.env.run(data.write(0, STRIP))  # there already
    data.env.run(data.write(data.capacity - STRIP, STRIP))  # not yet
    assert int(data.system.world.drives[spare]["host_written"]) - before == 2 * STRIP
    through(copying)
    whole = ROWS * STRIP
    assert done < whole
    assert int(data.system.world.drives[target]["host_written"]) == whole + STRIP


@compiled_only
def test_a_second_failure_ends_the_rebuild_of_single_parity_and_the_volume():
    data = array("raid5", 4, depth=2)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    data.fail(2)
    through(rebuild)
    assert rebuild.state == "failed"
    assert 0 < rebuild.progress < 1
    assert data.health == "failed"


@compiled_only
def test_double_parity_goes_on_rebuilding_after_a_second_failure():
    data = array("raid6", 5, depth=2)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    data.fail(2)
    assert through(rebuild).state == "done"
    assert data.health == "degraded"
    through(data.replace(2))
    assert data.health == "optimal"


@compiled_only
def test_the_new_drive_fails_too_and_is_replaced_again():
    data = array("raid5", 3)
    data.fail(0)
    first = data.replace(0)
    data.env.run(until=data.env.now + 0.05)
    data.fail(0)
    second = data.replace(0)
    through(second)
    assert (first.is_over, second.state, data.health) == (True, "done", "optimal")


def test_no_request_fails_if_a_drive_is_replaced_while_its_error_is_on_its_way():
    data = array("raid1", 2, rebuild_sample="0.1 %")
    data.fail(1)
    write = data.write(0, 4 * KIB)
    data.env.run(until=(SERVICE + 0.75 * LATENCY) / 1e9)
    rebuild = data.replace(1)
    assert data.env.run(until=write).ok
    assert through(rebuild).state == "done"


@compiled_only
def test_a_spare_that_fails_while_it_is_rebuilt_gives_way_to_the_next_one():
    """What the first one held is not on the second: its rebuild begins at the beginning."""
    alone = array("raid5", 4, spares=1)
    whole = through(alone.fail(0)).seconds
    data = array("raid5", 4, spares=2)
    first = data.fail(0)
    data.env.run(until=0.8 * whole)
    second = data.fail(0)
    data.env.run(until=1.1 * whole)
    assert (first.state, data.health) == ("failed", "rebuilding")
    assert through(second).state == "done"
    assert second.seconds == pytest.approx(whole, rel=0.05)
    assert (data.health, data.spares) == ("optimal", 0)


@compiled_only
def test_a_spare_that_fails_later_leaves_its_place_to_a_new_drive():
    data = array("raid5", 4, spares=1)
    own = data._drives.rows[0]
    through(data.fail(0))
    data.fail(0)
    with pytest.raises(InputError, match=r"hot spare for drive 0 has failed.*replace\(0\)"):
        data.copy_back(0)
    rebuild = through(data.replace(0))
    assert (rebuild.kind, rebuild.state, data.health) == ("rebuild", "done", "optimal")
    assert data._drives.rows[0] == own


@compiled_only
def test_a_spare_that_fails_while_it_is_copied_back_is_none_any_more():
    data = array("raid5", 4, spares=2)
    through(data.fail(0))
    copying = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    rebuild = through(data.fail(0))
    assert (copying.state, rebuild.state, data.health) == ("failed", "done", "optimal")
    assert data.spares == 0
    assert through(data.replace(0)).kind == "copy-back"
    assert (data.health, data.spares) == ("optimal", 1)


@compiled_only
def test_what_begins_without_power_waits_for_it():
    data = array("raid5", 4, spares=1)
    env = data.env
    env.cut_power()
    rebuild = data.fail(0)
    rebuild.pause()
    rebuild.resume()
    env.run(until=2.0)
    assert (rebuild.state, rebuild.progress) == ("under way", 0)
    assert moved(data, "host_read") == [0] * 4
    env.run(env.restore_power())
    assert (through(rebuild).state, data.health) == ("done", "optimal")


def test_what_is_given_up_without_power_is_over_when_it_is_back():
    data = array("raid5", 4)
    data.env.cut_power()
    check = data.check()
    check.stop()
    data.env.run(data.env.restore_power())
    assert (check.is_over, check.state, check.progress) == (True, "stopped", 0)


@pytest.mark.parametrize("spans", [1, 2, 3])
@pytest.mark.parametrize("stride", [4096, 8200, 3 * 4096 - 5, 6000, 100_000])
def test_rows_of_a_sample_that_workers_have_in_hand_have_locks_of_their_own(stride, spans):
    """A row waits in one block for none in the next, where later rows wait for it to retire."""
    block, apart = operation._apart(256, stride, 64, spans)
    assert block < apart <= stride
    assert apart > stride - 256
    ends, begins = range(block - 64, block), range(apart, apart + 64)
    locks = [{row * spans % LOCKS for row in rows} for rows in (ends, begins)]
    assert not locks[0] & locks[1]


@compiled_only
@pytest.mark.parametrize(("name", "at"), [("v0", 0.28), ("v4", 0.26), ("v5", 0.24), ("v5", 0.26)])
def test_two_rebuilds_whose_rows_share_locks_both_come_to_their_end(name, at):
    """Blocks of the samples that are a multiple of the number of locks apart, reached at once."""
    data = array("raid6", 6, depth=4, spares=2, rebuild_sample="20 %", name=name)
    env = data.env
    sizes = [{"size": size, "share": "50 %"} for size in ("4 KiB", "96 KiB")]
    load = data.start(Load(read="50 %", sizes=sizes, outstanding=6))
    first = data.fail(0)
    while first.progress < at:
        env.run(until=env.timeout(0.01))
    second = data.fail(1)
    env.run(until=env.all_of([first, second]) | env.timeout(10))
    assert (first.state, second.state) == ("done", "done")
    load.stop()
    env.run(until=load | env.timeout(1))
    assert load.counts.in_flight == 0
    assert data.health == "optimal"


@compiled_only
def test_a_rebuild_can_pause_and_be_given_up():
    data = array("raid5", 3)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    rebuild.pause()
    data.env.run(until=data.env.now + 0.1)
    before = rebuild.progress
    data.env.run(until=data.env.now + 1.0)
    assert (rebuild.state, rebuild.progress) == ("paused", before)
    rebuild.resume()
    data.env.run(until=data.env.now + 0.1)
    assert rebuild.progress > before
    rebuild.stop()
    assert through(rebuild).state == "stopped"
    assert data.health == "degraded"
    through(data.rebuild(0))
    assert data.health == "optimal"


@compiled_only
def test_no_write_misses_a_strip_that_is_restored_already():
    """Whatever is written to a stripe while workers are at it, its parity comes last."""
    data = array("raid5", 4, depth=4, spares=1)
    data.start(Load(read="0 %", size="4 KiB", outstanding=8))
    rebuild = data.fail(1)
    system, world = data.system, data.system.world
    row = data._drives.rows[1]
    frontier = 0
    while not rebuild.triggered:
        data.env.run(until=data.env.now + 0.01)
        good = int(system.world.good[1])
        assert good >= frontier  # it never goes back
        frontier = good
        for job in world.jobs[world.jobs["stage"] != t.STAGE_FREE]:
            # Commands to the new drive are those of the rebuild, or behind its frontier.
            if job["drive"] == row and job["op"] == t.WRITE and job["member"] == 1:
                in_operation = job["length"] % STRIP == 0
                assert in_operation or job["offset"] + job["length"] <= good
        if data.env.now > 3:
            break
    assert frontier > 0


# -- drives and arrays that are slow, or fail ------------------------------------------------------


def test_a_slow_drive_slows_every_stripe_that_it_is_in():
    data = array("raid5", 4)
    data.set_delay(0.05, 2)
    times = [data.env.run(data.read(i * STRIP, 4 * KIB)).latency for i in range(12)]
    assert sorted({round(time * 1e3) for time in times}) == [1, 51]
    data.set_delay(0.0)
    assert data.env.run(data.read(2 * STRIP, 4 * KIB)).latency < 0.01


def test_what_goes_through_an_array_fails_with_it():
    data = array("raid5", 3, rebuild_rate="1 %")
    check = data.check()
    data.env.run(until=0.1)
    data.fail(0)
    assert check.state == "under way"
    data.fail(1)
    patrol = data.patrol()
    data.env.run(until=5.0)
    assert (check.state, patrol.state) == ("failed", "failed")
    assert check.progress < 0.9
    assert patrol.progress == 0.0


@compiled_only
def test_a_pause_and_another_rate_hold_for_all_ranges_of_rows():
    def took(rate):
        data = array("raid5", 3)
        data.start(Load(read="100 %", size="4 KiB", outstanding=1))
        resync = data.resync([(row, row + CHUNK // STRIP) for row in (0, 100, 200)])
        resync.set_rate(rate)
        data.env.run(until=command() / 2)  # in the middle of the first range
        resync.pause()
        data.env.run(until=1.0)
        assert resync.state == "paused"
        assert resync.progress == pytest.approx(1 / 3)
        resync.resume()
        data.env.run(until=resync)
        return data.env.now - 1.0

    assert took("1 %") > 20 * took("100 %")


# -- what is refused ---------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused_with_a_remedy():
    data = array("raid5", 3)
    degraded = array("raid6", 5)
    degraded.fail(2)
    striped = array("raid0", 2)
    single = array("single", 1)
    for call, part in (
        (lambda: data.replace(1), "has not failed"),
        (lambda: data.rebuild(1), "holds all that it should"),
        (lambda: data.copy_back(1), "no hot spare stands in"),
        (lambda: data.fail(3), "out of range"),
        (lambda: data.add_defects(0, [100]), "not a multiple of 512"),
        (lambda: data.set_delay(-1.0), "out of range"),
        (lambda: data.check(rate="0 %"), "too small"),
        (lambda: data.check(sample="many"), "many"),
        (striped.check, "nothing to compare"),
        (degraded.check, "rebuild it first"),
        (lambda: striped.fail(0) or striped.replace(0), "no redundancy"),
        (single.patrol, "one drive on the host"),
        (lambda: single.initialise(full=False), "one drive on the host"),
        (lambda: single.rebuild(0), "nothing to rebuild from"),
        (lambda: striped.rebuild(1), "nothing to rebuild from"),
        (lambda: data.initialise(full="no"), "no bool"),
        (lambda: data.add_defects(0, 512), "no list"),
        (lambda: data.resync(5), "no list"),
        (lambda: data.resync([(0, 5), 7]), "no pair of rows"),
        (lambda: array("raid0", 2, spares=1), "no redundancy to rebuild from"),
    ):
        with pytest.raises(InputError) as refused:
            call()
        assert part in str(refused.value)


@compiled_only
@pytest.mark.parametrize(("spans", "drives"), [(2, 8), (4, 16)])
def test_a_span_is_rebuilt_by_its_own_thread_as_an_array_is(spans: int, drives: int) -> None:
    """Threads of other spans do not help: RAID 50 is RAID 0 over arrays of RAID 5."""
    host = {"raid.stripe_time": "30 us", "raid.threads": 1}

    def time(level: str, drives: int, **words: object) -> float:
        made = array(level, drives, depth=4, host=host, failed=[1], rebuild_sample="20 %", **words)
        return through(made.replace(1)).seconds

    alone = time("raid5", 4)
    heads = ROWS * STRIP // 4096
    assert alone == pytest.approx(heads * 30e-6, rel=0.02)  # the thread is what takes the time
    assert time("raid50", drives, spans=spans) == pytest.approx(alone, rel=0.02)
