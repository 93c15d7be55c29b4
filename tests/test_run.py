"""Running a scenario: warm-up, precision, bounds, accounts, and the same bytes every time."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from closed_forms import mm1_mean
from hypothesis import given, settings
from hypothesis import strategies as st
from watching import answers_after, begin, build, in_flight, scenario

from benchmarks.stations import Network, exponential
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.report.json_file import render
from raidsim.running import run, run_point
from raidsim.scenario import load as load_scenario
from raidsim.stats.intervals import mean_interval

ROOT = Path(__file__).resolve().parents[1]
DATABASE = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "area": {"size": "32 GiB"}}
QUICK = {"min_ios": 2_000, "max_ios": 20_000, "precision": "5 %"}


def only(result):
    """Return the one point of a result."""
    (point,) = result.points
    return point


def one(*loads, **keys):
    return only(run(scenario(*loads, **keys)))


def width(point):
    return (point.iops.high - point.iops.low) / 2 / point.iops.mean


# -- warm-up and window ------------------------------------------------------------------------


def test_the_warm_up_is_cut():
    point = one(DATABASE | {"outstanding": 32})
    counts = point.counts
    assert point.warmup_s > 0
    assert 0 < counts.measured < counts.completed
    assert point.iops.mean == pytest.approx(counts.measured / point.window_s, rel=1e-9)


def test_what_an_empty_buffer_takes_is_no_part_of_the_result():
    # 64 units go into the buffer at the speed of the link; after that, dies set the pace.
    drive = {
        "buffer.size": "4 MiB",
        "flash.channels": 2,
        "flash.dies_per_channel": 2,
        "flash.program_time": "10 ms",
    }
    words = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 4}
    point = one(words, drive=drive, measure=QUICK)
    assert point.iops.mean == pytest.approx(400, rel=0.02)
    assert point.latency_ms["write"].mean == pytest.approx(10, rel=0.02)


def test_only_what_completes_inside_the_window_counts():
    asked = scenario(DATABASE | {"outstanding": 8}, measure=QUICK)
    point = only(run(asked))
    # The same run by hand, without any window.
    built = build(asked)
    begin(built)
    system = built.system
    stream = system.world.streams[0]
    opened = round(point.warmup_s * 1e9)
    system.run(horizon=opened)
    before, ns, kinds = int(stream["completed"]), *sums(stream)
    closed = opened + round(point.window_s * 1e9)
    system.run(horizon=closed)
    more, later_kinds = sums(stream)
    assert stream["completed"] - before == point.counts.measured
    done = {kind: latency.samples for kind, latency in point.latency_ms.items()}
    assert list(done.values()) == (later_kinds - kinds).tolist()
    total = sum(latency.mean * latency.samples for latency in point.latency_ms.values())
    assert total == pytest.approx((more - ns) / 1e6, rel=1e-9)


def test_a_new_window_forgets_what_was_measured_and_nothing_else():
    built = build(scenario(DATABASE | {"outstanding": 16}))
    begin(built)
    system = built.system
    system.run(budget=500)
    before = in_flight(built).tolist()
    window.reset(system)
    assert in_flight(built).tolist() == before
    world = system.world
    assert world.streams[0]["completed"] == 500
    for counted in (world.latencies, world.slices, world.streams["window_ns"]):
        assert not counted.any()
    for field in ("arrivals", "finishes", "waited", "served", "busy_area", "queue_area"):
        assert not world.stations[field].any()
    system.run(budget=600)
    assert world.latencies.sum() == world.slices.sum() == 100
    assert world.streams[0]["window_ios"].sum() == 100


def sums(stream):
    """Return the sum of latencies (ns) and the completions by kind so far."""
    return int(stream["window_ns"].sum()), stream["window_ios"].copy()


# -- precision and bounds ----------------------------------------------------------------------


@pytest.mark.parametrize("percent", [5, 1])
def test_a_run_goes_on_until_it_is_as_precise_as_asked(percent):
    point = one(
        DATABASE | {"outstanding": 4}, measure={"min_ios": 500, "precision": f"{percent} %"}
    )
    assert point.converged
    assert width(point) <= percent / 100
    assert not any("not converged" in warning for warning in point.warnings)
    assert point.counts.measured >= 500


def test_more_precision_takes_more_ios():
    needed = [
        one(
            DATABASE | {"outstanding": 4}, measure={"min_ios": 500, "precision": f"{percent} %"}
        ).counts.measured
        for percent in (5, 2, 1)
    ]
    assert needed[0] < needed[1] < needed[2]


BOUNDS = {
    "I/Os": {"min_ios": 1_000, "max_ios": 4_000, "precision": "0.01 %"},
    "time": {"min_ios": 1_000, "max_time": "50 ms", "precision": "0.01 %"},
}


@pytest.mark.parametrize("bound", BOUNDS)
def test_at_a_bound_the_point_says_that_it_did_not_converge(bound):
    point = one(DATABASE | {"outstanding": 4}, measure=BOUNDS[bound])
    assert not point.converged
    assert any("not converged" in warning for warning in point.warnings)
    assert point.iops.low < point.iops.mean < point.iops.high
    if bound == "I/Os":
        assert point.counts.measured == 4_000
    else:
        assert point.window_s == pytest.approx(0.05, rel=0.01)


def test_the_interval_of_a_short_run_has_no_end_below_zero():
    # Ten bursts of a few I/Os each: what is left of their spread is wider than their mean.
    words = {"rate": "100 IO/s", "size": "4 KiB", "burst": {"on": "2 ms", "off": "500 ms"}}
    for seed in range(20):
        measure = {"min_ios": 3, "max_ios": 12, "precision": "1 %"}
        (point,) = run(scenario(words, seed=seed, measure=measure)).points
        if point.iops.low is not None:
            assert 0 <= point.iops.low <= point.iops.mean <= point.iops.high


def test_every_load_must_be_precise():
    point = run(
        scenario(
            DATABASE | {"outstanding": 32, "name": "many"},
            DATABASE | {"outstanding": 1, "name": "few"},
            measure={"min_ios": 1_000, "precision": "3 %"},
        )
    ).points
    assert [p.load for p in point] == ["many", "few"]
    assert all(p.converged and width(p) <= 0.03 for p in point)


# -- loads with an end -------------------------------------------------------------------------


def test_a_load_with_an_end_is_measured_from_its_start():
    point = one({"limit": {"ios": 500}})
    assert point.warmup_s == 0
    assert point.counts.measured == point.counts.completed == point.counts.issued == 500
    assert point.converged
    # One at a time: the rate is one over the mean latency, to rounding.
    assert point.iops.mean == pytest.approx(1e3 / point.latency_ms["read"].mean, rel=1e-9)


def test_a_rate_is_not_diluted_by_what_the_drive_does_after_the_last_io():
    # The flush of the last unit takes a second here; the writes do not wait for it.
    drive = {"flash.program_time": "100 ms"}
    point = one({"read": "0 %", "size": "16 KiB", "limit": {"ios": 32}}, drive=drive)
    assert point.iops.mean == pytest.approx(1e3 / point.latency_ms["write"].mean, rel=1e-9)


def test_a_short_load_beside_an_endless_one_has_its_own_time():
    short, endless = run(
        scenario({"limit": {"ios": 200}, "name": "short"}, {"name": "endless"})
    ).points
    assert short.counts.measured == 200
    assert short.iops.mean == pytest.approx(endless.iops.mean, rel=0.05)
    # It is over when the short one is.
    assert endless.counts.issued == pytest.approx(200, abs=10)


def test_loads_that_end_at_different_times_each_have_their_own():
    loads = [{"limit": {"ios": ios}, "name": f"{ios} I/Os"} for ios in (100, 400)]
    for point in run(scenario(*loads)).points:
        assert point.iops.mean == pytest.approx(1e3 / point.latency_ms["read"].mean, rel=1e-9)


def test_given_arrivals_are_measured_one_by_one():
    point = one({"arrivals": [f"{n} ms" for n in range(40)]})
    assert point.counts.measured == 40
    assert point.latency_ms["read"].p50 == pytest.approx(point.latency_ms["read"].mean, rel=0.01)
    assert point.latency_ms["read"].p99 is None
    assert point.rate is None
    assert point.outstanding is None


def test_a_load_that_does_not_come_to_its_end_says_so():
    point = one({"limit": {"ios": 10**6}}, measure={"max_time": "10 ms"})
    assert not point.converged
    assert any("10 ms" in warning or "0.01 s" in warning for warning in point.warnings)
    assert point.counts.in_flight == 1


# -- open loads above saturation ---------------------------------------------------------------


def capacity():
    """IO/s that one process can submit: 4 KiB reads."""
    host = scenario({}).host.card
    return 1 / (host.number("submit.io_time") + host.number("submit.page_time"))


@pytest.mark.parametrize("factor", [1.02, 1.1, 1.5, 5])
def test_an_open_load_above_saturation_is_marked_with_what_is_carried(factor):
    point = one({"rate": f"{factor * capacity():.0f} IO/s"})
    assert point.saturated
    assert not point.converged
    assert point.carried.rate == pytest.approx(capacity(), rel=0.02)


@pytest.mark.parametrize("factor", [0.5, 0.9, 0.97])
def test_an_open_load_below_saturation_is_served(factor):
    rate = factor * capacity()
    point = one({"rate": f"{rate:.0f} IO/s"})
    assert point.converged
    assert point.iops.mean == pytest.approx(rate, rel=0.02)
    assert point.limited_by.kind == "host CPU"
    assert point.limited_by.utilisation == pytest.approx(factor, rel=0.02)


def test_bursts_above_saturation_are_served_if_the_pauses_are_long_enough():
    rate = 2.5 * capacity()
    words = {"rate": f"{rate:.0f} IO/s", "burst": {"on": "10 ms", "off": "40 ms"}}
    point = one(words, measure={"precision": "20 %"})
    assert point.iops.mean == pytest.approx(rate / 5, rel=0.2)


def test_a_sweep_goes_on_where_it_saturates():
    found = run(scenario({"rate": ["1 kIO/s", "1000 kIO/s", "2 kIO/s"]}, measure=QUICK)).points
    assert [point.saturated for point in found] == [False, True, False]


# -- the same bytes ----------------------------------------------------------------------------


SWEEP = {
    "seed": 7,
    "overrides": ["load.outstanding=[1, 8, 64]", "measure.min_ios=2000", "measure.max_ios=8000"],
}
PROGRAM = """
import sys
from raidsim.report.json_file import render
from raidsim.running import run
from raidsim.scenario import load
overrides = ["load.outstanding=[1, 8, 64]", "measure.min_ios=2000", "measure.max_ios=8000"]
sys.stdout.buffer.write(render(run(load("p3700-database", overrides=overrides, seed=7)).to_dict()))
"""


def in_a_process(program, **settings):
    """Run a program with these environment variables; what it prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | settings
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def here():
    return render(run(load_scenario("p3700-database", **SWEEP)).to_dict())


def test_another_process_with_another_hash_seed_writes_the_same_bytes(here):
    assert in_a_process(PROGRAM, PYTHONHASHSEED="12345") == here


def test_points_that_run_side_by_side_find_the_same(here):
    asked = load_scenario("p3700-database", **SWEEP)
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(run, asked) for _ in range(3)]
        points = list(pool.map(lambda n: run_point(asked, n), range(asked.points)))
    assert {render(each.result().to_dict()) for each in runs} == {here}
    found = [point.outstanding for (point,) in points]
    assert found == [1, 8, 64]
    for (point,), row in zip(points, json.loads(here)["points"], strict=True):
        assert point.iops.mean == row["iops"]["mean"]


def test_another_seed_gives_another_run(here):
    other = render(run(load_scenario("p3700-database", **(SWEEP | {"seed": 8}))).to_dict())
    ours, theirs = json.loads(here), json.loads(other)
    for one_point, other_point in zip(ours["points"], theirs["points"], strict=True):
        assert one_point["iops"]["mean"] != other_point["iops"]["mean"]
        assert one_point["iops"]["mean"] == pytest.approx(other_point["iops"]["mean"], rel=0.05)


def test_a_result_can_be_run_again_from_its_json(here):
    from raidsim.scenario import from_data

    document = json.loads(here)
    assert render(run(from_data(document["scenario"])).to_dict()) == here


# -- accounts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        {"outstanding": 32},
        {"rate": "100 kIO/s"},
        {"outstanding": 16, "timeout": "150 us"},
        {"read": "0 %", "outstanding": 64, "workers": 3},
    ],
)
def test_issued_is_completed_failed_timed_out_and_in_flight(words):
    counts = one(DATABASE | words, measure=QUICK).counts
    assert counts.issued == counts.completed + counts.failed + counts.timed_out + counts.in_flight
    if "outstanding" in words:
        assert counts.in_flight <= words["outstanding"] * words.get("workers", 1)
    assert (counts.timed_out > 0) == ("timeout" in words)


def waiting_and_served(system):
    """Return, by station, the time that those waiting now have waited, those served been served."""
    jobs = system.world.jobs
    waited, served = (
        np.zeros(len(system.world.stations), int),
        np.zeros(len(system.world.stations), int),
    )
    for index, station in enumerate(system.world.stations[: system.count("stations")]):
        here = station["first_waiting"]
        while here != t.NONE:
            waited[index] += system.now - jobs[here]["queued"]
            here = jobs[here]["next"]
    for job in jobs[(jobs["serving"] == 1) & (jobs["stage"] != t.STAGE_FREE)]:
        served[job["station"]] += system.now - (job["finish"] - job["service"])
    return waited, served


def test_littles_law_holds_at_every_station_of_a_drive_to_the_nanosecond():
    built = build(scenario(DATABASE | {"outstanding": 64}, {"read": "0 %", "size": "64 KiB"}))
    begin(built)
    system = built.system
    system.run(budget=5_000)
    window.reset(system)
    waited_before, served_before = waiting_and_served(system)
    rows = system.world.stations
    for ios in (5_001, 6_000, 20_000):
        system.run(budget=ios)
        window.settle_areas(system)
        waited, served = waiting_and_served(system)
        assert (rows["queue_area"] + waited_before == rows["waited"] + waited).all()
        assert (rows["busy_area"] + served_before == rows["served"] + served).all()
    assert (rows["waited"] > 0).sum() > 16


def test_littles_law_holds_for_the_whole():
    # N = X R: so many are outstanding at any time.
    for outstanding in (1, 32):
        point = one(DATABASE | {"outstanding": outstanding})
        samples = list(point.latency_ms.values())
        mean = sum(k.mean * k.samples for k in samples) / sum(k.samples for k in samples)
        assert point.iops.mean * mean / 1e3 == pytest.approx(outstanding, rel=0.002)


def test_utilisation_is_throughput_times_service_time():
    asked = scenario({"outstanding": 32, "size": "8 KiB"})
    point = only(run(asked))
    drive = asked.volumes[0].card
    use = {u.kind: u.utilisation for u in point.stations}
    for kind, service in (
        ("front end", drive.number("front_end.command_time")),
        ("data path", drive.number("data_path.read_time_per_byte") * 8192),
    ):
        assert use[kind] == pytest.approx(point.iops.mean * service, rel=0.005)


def test_of_one_small_read_at_a_time_the_stages_add_up_to_the_latency():
    point = one({"size": "4 KiB", "limit": {"ios": 300}})
    total = sum(stage.waiting + stage.served for stage in point.stages.values())
    assert total == pytest.approx(point.latency_ms["read"].mean, rel=1e-9)
    assert all(stage.waiting == 0 for stage in point.stages.values())


def test_the_slices_of_the_throughput_add_up_to_all_completions():
    built = build(scenario({"outstanding": 4}))
    answers_after(built, 1_000)
    begin(built)
    for ios in (100, 5_000, 40_000):
        built.system.run(budget=ios)
        assert built.system.world.slices.sum() == ios
        series, slice_ns = window.series(built.system, [0])
        # Four I/Os a microsecond, in every slice but the first: the first four take that long.
        assert series[0] == 4 * slice_ns / 1_000 - 4
        assert (series[1:] == 4 * slice_ns / 1_000).all()
        assert 20 < len(series) <= t.SLICES
    assert len(in_flight(built)) <= 4


# -- coverage ----------------------------------------------------------------------------------


SEEDS = 300


def assert_covered(covered, runs):
    print(f"{covered} of {runs} intervals hold the true mean: {covered / runs:.4f}")
    assert 0.92 <= covered / runs <= 0.97


def test_intervals_of_the_response_of_an_mm1_are_covered():
    # 40 I/Os a group, 500 groups, after a warm-up of as many I/Os again.
    service, rho, group, groups = 1e-3, 0.8, 40, 500
    covered = 0
    for seed in range(SEEDS):
        net = Network(seed)
        net.poisson("reads", rho / service, [exponential(net.station("disk"), service)])
        net.run(ios=group * groups // 2)
        first = net.completed("reads")
        sums = []
        for n in range(1, groups + 1):
            net.run(ios=first + n * group)
            sums.append(int(net.stream("reads")["window_ns"].sum()))
        found = mean_interval(np.diff(sums) / group / 1e9)
        covered += found.low <= mm1_mean(service, rho) <= found.high
    assert_covered(covered, SEEDS)


def test_intervals_that_a_run_prints_are_covered():
    # An open load gets through what it asks for, whatever the drive: 50,000 IO/s.
    measure = {"min_ios": 1_000, "precision": "4 %"}
    asked = scenario({"rate": "50 kIO/s"}, measure=measure)
    covered = 0
    for seed in range(SEEDS):
        (point,) = run_point(asked.model_copy(update={"seed": seed}), 0)
        covered += point.iops.low <= 50_000 <= point.iops.high
    assert_covered(covered, SEEDS)


# -- memory ------------------------------------------------------------------------------------


MEMORY = """
import resource
from raidsim.running import run
from raidsim.scenario import load
for ios in (100_000, 1_000_000):
    measure = [f"measure.min_ios={ios}", f"measure.max_ios={ios}", "load.outstanding=32"]
    points = run(load("p3700-database", overrides=measure)).points
    assert points[0].counts.measured == ios
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_length_of_a_run():
    short, long = map(int, in_a_process(MEMORY).split())
    print(f"peak {short} KiB after 100,000 I/Os, {long} KiB after 1,000,000")
    assert long - short < 10 * 1024


# -- bursts and what is left out ----------------------------------------------------------------


def test_a_burst_is_measured_over_whole_periods():
    load = {"outstanding": 8, "burst": {"on": "20 ms", "off": "20 ms"}}
    (always,) = run(scenario({"outstanding": 8})).points
    (point,) = run(scenario(load)).points
    periods = point.window_s / 0.04
    assert point.converged
    assert periods >= 10
    assert periods == pytest.approx(round(periods), abs=1e-6)
    assert point.iops.mean == pytest.approx(always.iops.mean / 2, rel=0.02)


def test_a_burst_longer_than_the_run_does_not_converge():
    load = {"outstanding": 8, "burst": {"on": "10 s", "off": "50 s"}}
    (point,) = run(scenario(load, measure={"max_time": "200 ms"})).points
    assert not point.converged
    assert any("periods of the burst" in text for text in point.warnings)


def test_a_load_of_which_nothing_completes_does_not_converge():
    load = {"outstanding": 8, "timeout": "1 us"}
    (point,) = run(scenario(load, measure={"max_ios": 60_000})).points
    assert point.iops.mean == 0
    assert not point.converged
    assert any("leave out" in text for text in point.warnings)


def test_more_than_a_disk_reads_is_said_to_come_from_its_cache():
    """Two processes of fio without offset_increment: each block is read once, and carried twice."""
    load = {"random": "0 %", "size": "64 KiB", "workers": 2}
    apart, together = (
        only(run(scenario(load | {"partitions": own}, model="nl-sas-2tb", measure=QUICK)))
        for own in (True, False)
    )
    medium = 175
    assert together.mbps > 1.5 * medium
    assert apart.mbps < medium
    told = [any("the same place" in text for text in one.warnings) for one in (apart, together)]
    assert told == [False, True]


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.floats(1.0, 40.0), st.integers(1, 30))
def test_slices_are_shared_out_over_whole_periods(seed, slices, periods):
    # At a steady rate each period holds the same; whatever the rate, nothing is lost or doubled.
    count = math.ceil(slices * periods)
    steady = window.over_periods(np.full(count, 7.0), 1.0, slices)
    assert steady[:-1] == pytest.approx(7.0 * slices)
    series = np.random.default_rng(seed).poisson(5.0, count).astype(float)
    found = window.over_periods(series, 1.0, slices)
    assert len(found) >= periods
    whole = np.interp(slices * len(found), np.arange(count + 1), [0.0, *np.cumsum(series)])
    assert found.sum() == pytest.approx(whole)
