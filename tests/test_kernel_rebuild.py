"""Rebuilds and other work that goes through a whole array: times, commands, refusals."""

from __future__ import annotations

import pytest
from conftest import compiled_only
from rebuilds import CHUNK, CHUNKS, KIB, ROWS, STRIP, array, command, moved, through
from small_array import SERVICE
from watching import scheduled

from raidsim.control import Environment, Host, InputError, Load, Volume
from raidsim.kernel import tables as t

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
        (lambda: data.copy_back(1), "software RAID has no copy-back"),
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
        (lambda: data.initialise(full="no"), "not a bool"),
        (lambda: data.add_defects(0, 512), "not a list"),
        (lambda: data.resync(5), "not a list"),
        (lambda: data.resync([(0, 5), 7]), "not a pair of rows"),
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


@compiled_only
@pytest.mark.parametrize("drives", [4, 8])
def test_linux_md_limits_a_check_of_raid_10_by_the_addresses_of_the_array(drives):
    """A rebuild of a drive may go through twice or four times as much of it."""
    data = array("raid10", drives, depth=2, rebuild_limit="20 MB/s")
    checked = through(data.check())
    assert checked.seconds == pytest.approx(drives / 2 * 1e9 / 20e6, rel=0.001)
    data.fail(0)
    rebuilt = through(data.replace(0))
    assert rebuilt.seconds == pytest.approx(1e9 / 20e6, rel=0.001)


@compiled_only
@pytest.mark.parametrize("level", ["raid1", "raid5"])
def test_it_limits_checks_of_other_arrays_by_the_addresses_of_a_drive(level):
    data = array(level, 4, depth=2, rebuild_limit="20 MB/s")
    checked = through(data.check())
    assert checked.seconds == pytest.approx(1e9 / 20e6, rel=0.001)


@compiled_only
def test_a_controller_limits_a_check_of_raid_10_on_each_drive():
    data = array("raid10", 4, depth=2, card="dell-perc-h730", rebuild_limit="20 MB/s")
    checked = through(data.check())
    assert checked.seconds == pytest.approx(1e9 / 20e6, rel=0.001)
