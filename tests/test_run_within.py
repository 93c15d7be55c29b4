"""The highest load within a latency, against queues whose latency is known in closed form.

One die of one channel reads for 10 ms, next to which host and link are nothing: N outstanding
reads take N times 10 ms, and Poisson arrivals make an M/D/1 queue.
"""

from __future__ import annotations

import pytest
from closed_forms import md1_mean
from watching import scenario

from raidsim.errors import InputError
from raidsim.run import run

DIE = {"flash.channels": 1, "flash.dies_per_channel": 1, "flash.read_time": "10 ms"}
QUICK = {"min_ios": 2_000, "max_ios": 20_000}
DATABASE = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "area": {"size": "32 GiB"}}


def search(*loads, drive=None, **measure):
    """Search one of the loads, on the drive with one die."""
    return run(scenario(*loads, drive=drive or DIE, measure=QUICK | measure))


def tried(result):
    return [(point.outstanding, point.within) for point in result.points]


def test_reads_that_queue_for_one_die_stay_within_as_many_services():
    result = search({"outstanding": [1, 2, 4, 8, 16], "within": "75 ms"})
    found = result.highest
    assert (found.outstanding, found.exceeded_at) == (7, 8)
    assert found.iops.mean == pytest.approx(100, rel=0.02)
    assert found.latency_ms == pytest.approx(70, rel=0.02)
    assert found.mbps == pytest.approx(100 * 4096 / 2**20, rel=0.02)


def test_points_come_in_the_order_of_the_load_and_end_at_the_first_beyond():
    result = search({"outstanding": [1, 4, 16, 64], "within": "75 ms"})
    expected = [(1, True), (4, True), (7, True), (8, False), (10, False), (16, False)]
    assert tried(result) == expected


def test_each_worker_has_that_many_outstanding():
    load = {"outstanding": [1, 2, 4, 8], "workers": 2, "within": "75 ms"}
    assert search(load).highest.outstanding == 3


def test_a_rate_is_searched_to_the_precision_of_the_measurement():
    # M/D/1: twice the service time at 2/3 of the highest rate.
    assert md1_mean(10, 2 / 3) == pytest.approx(20)
    found = search(
        {"rate": ["20 IO/s", "40 IO/s", "80 IO/s"], "within": "20 ms"},
        min_ios=100_000,
        max_ios=100_000,
        max_time="2 h",
    ).highest
    assert found.outstanding is None
    assert found.rate == pytest.approx(66.7, rel=0.03)
    assert found.rate < found.exceeded_at <= found.rate * 1.01


def test_a_rate_that_saturates_is_beyond_every_latency():
    result = search({"rate": ["50 IO/s", "400 IO/s"], "within": "1 h"}, precision="20 %")
    assert 80 < result.highest.rate < 130
    assert result.highest.exceeded_at > result.points[-1].rate
    assert all(point.within for point in result.points)


def test_a_first_rate_that_saturates_is_refused_as_ever():
    with pytest.raises(InputError, match="saturated at point 1"):
        search({"rate": ["400 IO/s", "500 IO/s"], "within": "1 s"})


def test_a_first_point_beyond_the_latency_leaves_no_answer():
    result = search({"outstanding": [4, 8], "within": "9 ms"})
    found = result.highest
    assert tried(result) == [(4, False)]
    assert (found.outstanding, found.iops, found.exceeded_at) == (None, None, 4)


def test_a_sweep_that_stays_within_ends_with_its_last_point():
    found = search({"outstanding": [1, 2], "within": "1 s"}).highest
    assert (found.outstanding, found.exceeded_at) == (2, None)


def test_the_mean_is_that_of_reads_and_writes_together():
    result = search(
        DATABASE | {"outstanding": [8], "within": "1 ms"}, drive={"buffer.size": "8 MiB"}
    )
    (point,) = result.points
    kinds = point.latency_ms.values()
    whole = sum(one.mean * one.samples for one in kinds) / sum(one.samples for one in kinds)
    assert point.within_ms == pytest.approx(whole, rel=1e-12)


def test_a_percentile_takes_the_place_of_the_mean():
    load = {"size": "8 KiB", "outstanding": [32], "within": "1 ms", "within_percentile": "95 %"}
    (point,) = search(load, drive={"flash.dies_per_channel": 1}).points
    read = point.latency_ms["read"]
    assert point.within_ms == read.p95
    assert read.mean < read.p95


def test_a_percentile_that_rests_on_too_few_counts_as_beyond():
    load = {"outstanding": [1], "within": "1 s", "within_percentile": "99.99 %"}
    (point,) = search(load).points
    assert (point.within, point.within_ms) == (False, None)
    assert any("too few" in warning for warning in point.warnings)


def test_an_io_that_timed_out_was_not_answered_within_anything():
    (point,) = search({"outstanding": [4], "within": "1 s", "timeout": "25 ms"}).points
    assert point.counts.timed_out > 0
    assert point.within is False


def test_other_loads_go_on_beside_the_one_that_is_searched():
    result = search({"outstanding": 2}, {"outstanding": [1, 2, 4, 8], "within": "75 ms"})
    assert result.highest.load == "load 1"
    assert result.highest.outstanding == 5
    beside = [point for point in result.points if point.load == "load 0"]
    assert len(beside) == len(result.points) / 2
    assert all((point.outstanding, point.within) == (2, None) for point in beside)


def test_a_search_does_not_change_what_its_points_measure():
    load = {"outstanding": [1, 4]}
    plain = run(scenario(load, drive=DIE, measure=QUICK)).points
    asked = search(load | {"within": "1 s"}).points
    assert [point.iops for point in asked] == [point.iops for point in plain]
    assert [point.within for point in plain] == [None, None]


def test_a_bar_sees_each_point_and_never_more_than_all():
    seen = []
    asked = scenario({"outstanding": [1, 4, 16], "within": "75 ms"}, drive=DIE, measure=QUICK)
    result = run(asked, on_point=seen.append)
    assert {at.point_index for at in seen} == set(range(len(result.points)))
    assert all(at.point_index < at.points for at in seen)
    assert seen[-1].points - len(result.points) in (0, 1)
