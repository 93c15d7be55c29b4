"""How long one pass over the rows takes that fills two drives: about as long as for one."""

from __future__ import annotations

import pytest
from conftest import compiled_only
from small_array import NO_CPU, SERVICE, TOY

from raidsim import Environment, Host, Volume

KIB = 1024
STRIP = 64 * KIB
CHUNK = 256 * KIB
SIZE = 10**9
CHUNKS = SIZE // STRIP // (CHUNK // STRIP)
WHOLE = CHUNKS * (SERVICE + CHUNK) / 1e9  # s that a drive takes for all of it, chunk by chunk
BOUND = 0.02


def array(level: str, drives: int, failed, *, depth: int = 8, **words) -> Volume:
    env = Environment(seed=1)
    pace = {"rebuild.rate": "100 %", "rebuild.size": "256 KiB", "rebuild.depth": depth}
    changes = NO_CPU | {"raid.stripe_cache": 256} | pace
    server = Host(env, "fujitsu-rx2540-m1", changes=changes)
    return Volume(
        env, "intel-p3700-800gb", server, name="data", level=level, drives=drives, changes=TOY,
        state="fresh", failed=failed, strip="64 KiB", **words,
    )  # fmt: skip


def through(volume: Volume, *rebuilds) -> list[float]:
    """What each rebuild takes in all, s."""
    for one in rebuilds:
        if not one.is_over:
            volume.env.run(one)
    assert [one.state for one in rebuilds] == ["done"] * len(rebuilds)
    return [one.seconds for one in rebuilds]


@compiled_only
@pytest.mark.parametrize(
    ("level", "drives", "failed"),
    [("raid6", 8, [0, 1]), ("raid6", 5, [1, 3]), ("raid1", 3, [0, 2]), ("raid10", 6, [0, 3])],
)
def test_two_take_as_long_as_one_where_drives_do_one_chunk_after_the_other(level, drives, failed):
    """All drives go through their rows side by side: survivors read them, new ones write them."""
    one = array(level, drives, failed[:1])
    assert through(one, one.replace(failed[0])) == [pytest.approx(WHOLE, rel=BOUND)]
    two = array(level, drives, failed)
    both = [two.replace(number) for number in failed]
    assert through(two, *both) == [pytest.approx(WHOLE, rel=BOUND)] * 2
    moved = two.system.world.drives[two._drives.rows]
    rows = int(two.system.world.layouts[0]["rows"])
    assert [int(n) // STRIP for n in moved["host_written"]] == [
        rows if number in failed else 0 for number in range(drives)
    ]
    assert max(moved["host_read"]) <= rows * STRIP
    if level == "raid6":
        assert sum(moved["host_read"]) == (drives - 2) * rows * STRIP


@compiled_only
def test_disks_keep_up_with_each_other_if_enough_is_under_way():
    """Two new disks turn on their own: what is under way bridges their differences."""
    hours = {}
    for depth in (4, 8):
        for failed in ([0], [0, 1]):
            env = Environment(seed=1)
            host = Host(env, "linux-xeon-e5-pair", changes={"rebuild.depth": depth})
            data = Volume(
                env, "nl-sas-2tb", host, name="data", level="raid6", drives=8, failed=failed,
                rebuild_sample="0.1 %",
            )  # fmt: skip
            taken = through(data, *[data.replace(number) for number in failed])
            assert max(taken) == min(taken)
            hours[depth, len(failed)] = taken[0] / 3600
    assert hours[8, 2] == pytest.approx(hours[8, 1], rel=BOUND)
    assert 1.05 * hours[4, 1] < hours[4, 2] < 1.25 * hours[4, 1]


@compiled_only
def test_a_limit_is_one_of_each_drive_and_so_the_same_for_two():
    data = array("raid6", 6, [0, 1], depth=2, rebuild_limit="100 MB/s")
    taken = through(data, data.replace(0), data.replace(1))
    assert taken == [pytest.approx(SIZE / 100e6, rel=BOUND)] * 2


@compiled_only
@pytest.mark.parametrize("later", [0.0, 1.0])
def test_a_sample_tells_the_time_of_a_pass_that_a_second_drive_joins(later):
    """What was done before the second one came was done; from then on all is gone through anew."""
    for sample in ("100 %", "40 %"):
        data = array("raid6", 6, [0, 1], rebuild_sample=sample)
        first = data.replace(0)
        if later:
            data.env.run(until=later)
        second = data.replace(1)
        taken = through(data, first, second)
        assert taken == [pytest.approx(later + WHOLE, rel=BOUND), pytest.approx(WHOLE, rel=BOUND)]


@compiled_only
def test_a_sample_tells_when_the_pass_is_through_that_goes_on_without_one_drive():
    for sample in ("100 %", "40 %"):
        data = array("raid6", 6, [0, 1], rebuild_sample=sample)
        first, second = data.replace(0), data.replace(1)
        data.env.run(until=1.0)
        data.fail(1)
        data.env.run(first)
        assert (first.state, second.state) == ("done", "failed")
        assert first.seconds == pytest.approx(WHOLE, rel=2 * BOUND)


@compiled_only
def test_progress_goes_on_and_falls_only_when_all_is_gone_through_anew():
    data = array("raid6", 6, [0, 1])
    first = data.replace(0)
    data.env.run(until=1.0)
    before = first.progress
    assert before == pytest.approx(1.0 / WHOLE, rel=0.05)
    second = data.replace(1)
    data.env.run(until=1.1)
    assert before > first.progress > second.progress > 0
    data.env.run(until=2.0)
    assert first.progress == pytest.approx(2.0 / (1.0 + WHOLE), rel=0.05)
    assert second.progress == pytest.approx(1.0 / WHOLE, rel=0.05)
    assert first.seconds_in_all == pytest.approx(1.0 + WHOLE, rel=2 * BOUND)
    assert second.seconds_in_all == pytest.approx(WHOLE, rel=2 * BOUND)
    through(data, first, second)
    assert first.progress == second.progress == 1.0


@compiled_only
def test_the_rate_is_one_of_the_pass():
    data = array("raid6", 6, [0, 1])
    first, second = data.replace(0, rate="50 %"), data.replace(1)
    first.set_rate("20 %")
    data.env.run(until=0.1)
    assert [first.pace.rate, second.pace.rate] == [0.2, 0.2]
    assert data.system.world.operations["share"][data.system.count("operations") - 1] == 0.2
