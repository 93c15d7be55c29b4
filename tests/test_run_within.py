"""The highest load within a latency, against queues whose latency is known in closed form.

One die of one channel reads for 10 ms, next to which host and link are nothing: N outstanding
reads take N times 10 ms, and Poisson arrivals make an M/D/1 queue.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import synthetic
from closed_forms import md1_mean
from watching import scenario

from raidsim.result import Interval
from raidsim.running import run, run_for_answer
from raidsim.running.highest_load import between, find_highest, find_highest_alone
from raidsim.running.observed import SETTLES_SLOWLY

DIE = {"flash.channels": 1, "flash.dies_per_channel": 1, "flash.read_time": "10 ms"}
FOUR_DIES = {"flash.dies_per_channel": 4}
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
    expected = [(1, True), (4, True), (7, True), (8, False), (16, False)]
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
    assert [point.within for point in result.points] == [
        not point.saturated for point in result.points
    ]
    assert result.points[-1].rate == 400
    assert result.is_carried  # as far as was asked: the search is what went beyond


def test_a_first_rate_that_saturates_leaves_no_answer_but_what_is_carried():
    result = search({"rate": ["400 IO/s", "500 IO/s"], "within": "1 s"})
    (point,) = result.points
    assert (point.within, point.within_ms, result.highest.iops) == (False, None, None)
    assert point.carried.rate == pytest.approx(100, rel=0.02)
    assert not result.is_carried


def test_another_load_that_saturates_is_no_part_of_the_search():
    result = run(
        scenario(
            {"rate": "400 IO/s"}, {"outstanding": [1, 2], "within": "1 s", "volume": "data1"},
            drive=DIE, drives=2, measure=QUICK,
        )
    )  # fmt: skip
    assert result.highest.outstanding == 2
    assert not result.is_carried


def test_the_answer_lies_where_the_latency_is_reached_between_two_loads():
    found = search({"outstanding": [1, 2, 3], "within": "10.6 ms"}, drive=DIE | FOUR_DIES)
    one, two, *_ = found.points
    assert one.within_ms < 10.6 < two.within_ms
    share = (10.6 - one.within_ms) / (two.within_ms - one.within_ms)
    highest = found.highest
    assert (highest.outstanding, highest.exceeded_at) == (1, 2)
    assert highest.iops.mean == pytest.approx((1 - share) * one.iops.mean + share * two.iops.mean)
    assert highest.mbps == pytest.approx(highest.iops.mean * 4096 / 2**20, rel=0.01)
    assert one.iops.mean < highest.iops.low < highest.iops.mean < highest.iops.high


def test_the_answer_does_not_jump_with_the_seed_where_a_load_is_just_within():
    """The limit is the very latency of three outstanding, so that chance decides on which side."""
    words = {"drive": DIE | FOUR_DIES, "measure": QUICK}
    load = {"outstanding": [1, 2, 3, 4, 8]}
    limit = run(scenario(load, **words)).points[2].latency_ms["read"].mean
    asked = load | {"within": f"{limit} ms"}
    found = [run(scenario(asked, seed=seed, **words)).highest for seed in range(1, 9)]
    assert {one.outstanding for one in found} == {2, 3}
    rates = [one.iops.mean for one in found]
    assert max(rates) < 1.05 * min(rates)  # from three outstanding to four it is 14 % more


def made_up(iops, ms):
    """A point of so many IO/s, known to 1 %, and this latency."""
    interval = Interval(iops, 0.99 * iops, 1.01 * iops)
    return replace(synthetic.point(1), iops=interval, mbps=iops / 256, within_ms=ms)


def test_intervals_of_both_points_are_in_that_of_the_answer():
    iops, mbps = between(made_up(100.0, 10.0), made_up(200.0, 20.0), 15.0)
    assert (iops.mean, mbps) == (150.0, 150 / 256)
    # 1 % less throughput and, by Little's law, 1 % more latency: 10.1 and 20.2 ms at 99 and 198.
    assert iops.low == pytest.approx(99 + 99 * (15 - 10 / 0.99) / (10 / 0.99), rel=1e-9)
    assert iops.high == pytest.approx(101 + 101 * (15 - 10 / 1.01) / (10 / 1.01), rel=1e-9)


@pytest.mark.parametrize("ms", [None, 14.0])
def test_a_point_beyond_without_a_latency_beyond_tells_nothing(ms):
    best = made_up(100.0, 10.0)
    assert between(best, made_up(200.0, ms), 15.0) == (best.iops, best.mbps)


def test_without_an_interval_of_a_point_the_answer_has_none():
    unknown = replace(made_up(200.0, 20.0), iops=Interval(200.0, None, None))
    assert between(made_up(100.0, 10.0), unknown, 15.0)[0] == Interval(150.0, None, None)


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
    result = run(asked, progress=seen.append)
    assert {at.point_index for at in seen} == set(range(len(result.points)))
    assert all(at.point_index < at.points for at in seen)
    assert seen[-1].points - len(result.points) in (0, 1)


# ---- only the answer


def sweep_on_one_die(sweep, limit="75 ms"):
    return scenario({"outstanding": sweep, "within": limit}, drive=DIE, measure=QUICK)


@pytest.mark.parametrize("sweep", [[1, 2, 4, 8, 16], [2, 4], [4], [1, 16], [8, 16]])
def test_a_search_for_its_answer_alone_comes_to_the_same_answer(sweep):
    wanted = sweep_on_one_die(sweep)
    assert run_for_answer(wanted).highest == run(wanted).highest


def test_a_search_for_its_answer_alone_leaves_out_what_must_be_within_the_latency():
    """One read takes 10 ms, so two take 20 ms at most, and four 40 ms: only eight may take more."""
    found = run_for_answer(sweep_on_one_die([1, 2, 4, 8, 16]))
    assert [point.outstanding for point in found.points if point.outstanding < 4] in ([], [1])


def test_a_run_without_explanations_has_the_same_figures_and_names_no_stations():
    wanted = scenario({"outstanding": [1, 8]}, drive=DIE, measure=QUICK)
    whole, bare = run(wanted).points, run_for_answer(wanted, explained=False).points
    unexplained = {"stations": [], "stages": {}, "series": [], "limited_by": None}
    assert bare == [replace(point, **unexplained) for point in whole]
    assert all(point.stations and point.stages and point.limited_by for point in whole)


def test_without_explanations_too_a_load_near_saturation_is_known_to_settle_slowly():
    """Its drive is busy for 98 % of the time, and only the use of stations tells so."""
    wanted = scenario({"rate": ["98 IO/s"]}, drive=DIE, measure=QUICK)
    (whole,), (bare,) = run(wanted).points, run_for_answer(wanted, explained=False).points
    assert SETTLES_SLOWLY in bare.warnings
    assert (bare.converged, bare.saturated) == (whole.converged, whole.saturated)


def queue(latencies):
    """What measures a load whose reads take as long as a table says, by what is outstanding."""
    seen = []

    def measure(one, _):
        (load,) = one.loads
        n = load.intensities[0]
        seen.append(n)
        ms = latencies[n]
        rate = 1000 * n / ms
        interval = Interval(rate, 0.99 * rate, 1.01 * rate)
        return [
            replace(
                synthetic.point(load=load.name, outstanding=n),
                iops=interval,
                within=ms <= 75,
                within_ms=ms,
                converged=True,
            )
        ]

    return measure, seen


def test_where_more_outstanding_ios_are_slower_every_point_of_the_sweep_is_looked_at():
    """Four take longer than eight would if all of them waited for each other."""
    wanted = sweep_on_one_die([1, 4, 7, 16])
    (load,) = wanted.loads
    latencies = {1: 10, 4: 90, 7: 76, 16: 160} | {2: 20, 3: 80, 5: 90, 6: 90}
    for find in (find_highest, find_highest_alone):
        measure, _ = queue(latencies)
        found = find(wanted, load, measure, None, {})
        assert (found.outstanding, found.exceeded_at) == (2, 3)


def test_no_point_is_simulated_below_one_that_is_within_the_latency_at_any_rate():
    wanted = sweep_on_one_die([1, 2, 4, 16])
    (load,) = wanted.loads
    measure, seen = queue({n: 10 * n for n in range(1, 17)})
    found = find_highest_alone(wanted, load, measure, None, {})
    assert (found.outstanding, found.exceeded_at) == (7, 8)
    assert 2 not in seen
