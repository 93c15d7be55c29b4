"""When a load issues is what its words say: think times, arrivals, bursts, limits, patience.

And what it issues does not depend on when: common random numbers. P values as in
`test_kernel_load.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from scipy import stats
from watching import answers_after, asked, begin, build, in_flight, scenario, watched

from benchmarks.stations import Network, constant
from benchmarks.stations import given as taking
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

SEED = 20261121
MANY = 1_000 if INTERPRETED else 5_000
LEAST_P = 1e-3
US = 1_000  # ns
MS = 1_000 * US
SECOND = 1_000 * MS


def answering(service, *loads, seed=SEED):
    """Return a system that answers every I/O after ``service`` ns, its loads begun."""
    built = build(scenario(*loads, seed=seed))
    answers_after(built, service)
    begin(built)
    return built


def row(built, stream=0):
    return built.system.world.streams[stream]


def assert_exponential(gaps, mean):
    p = stats.kstest(gaps, stats.expon(scale=mean).cdf).pvalue
    print(f"seed {SEED}: {len(gaps)} gaps of mean {np.mean(gaps):.6g}, P {p:.3g}")
    assert p > LEAST_P


# -- closed loads ------------------------------------------------------------------------------


@pytest.mark.parametrize("outstanding", [1, 7])
def test_a_closed_load_keeps_its_ios_outstanding(outstanding):
    built = answering(10 * US, {"outstanding": outstanding})
    for _ in range(40):
        watched(built, ios=1)
        assert len(in_flight(built)) == outstanding


def test_a_closed_load_without_think_time_issues_at_once():
    issued = watched(answering(10 * US, {"outstanding": 3}), ios=60)
    assert issued["time"].tolist() == [n // 3 * 10 * US for n in range(60)]


def test_outstanding_is_for_each_worker():
    issued = watched(answering(10 * US, {"outstanding": 3, "workers": 4}), until=0)
    assert np.bincount(issued["stream"]).tolist() == [3, 3, 3, 3]


def test_a_constant_think_time_follows_each_completion():
    issued = watched(answering(10 * US, {"think": "25 us", "outstanding": 2}), ios=50)
    assert issued["time"].tolist() == [n // 2 * 35 * US for n in range(50)]


def test_exponential_think_times_have_their_mean_and_do_not_depend_on_each_other():
    built = answering(10 * US, {"think": "50 us", "think_distribution": "exponential"})
    issued = watched(built, ios=MANY)
    thinks = np.diff(issued["time"]) - 10 * US
    assert thinks.min() >= 0
    assert_exponential(thinks, 50 * US)
    p = stats.pearsonr(thinks[:-1], thinks[1:]).pvalue
    assert p > LEAST_P


# -- open loads --------------------------------------------------------------------------------


def test_poisson_arrivals_have_exponential_gaps():
    (found,) = asked({"rate": "20 kIO/s"}, until=MANY / 20_000, seed=SEED)
    p = stats.binomtest(len(found), 2 * MANY, 0.5).pvalue  # a Poisson count, nearly
    assert p > LEAST_P
    assert_exponential(np.diff(found["time"], prepend=0), 50 * US)


def test_arrivals_at_a_constant_rate_are_equally_far_apart():
    words = {"rate": "20 kIO/s", "rate_distribution": "constant"}
    (found,) = asked(words, until=0.05, seed=SEED)
    assert found["time"].tolist() == [n * 50 * US for n in range(1, 1001)]


def test_a_constant_rate_pauses_between_bursts():
    burst = {"on": "1 ms", "off": "4 ms"}
    (found,) = asked(
        {"rate": "4 kIO/s", "rate_distribution": "constant", "burst": burst}, until=0.02
    )
    on = [250, 500, 750, 1000]
    assert (found["time"] // US).tolist()[:7] == [*on[:3], 5000, *(5000 + n for n in on[:3])]


def test_counts_of_poisson_arrivals_are_poisson():
    (found,) = asked({"rate": "20 kIO/s"}, until=MANY / 20_000, seed=SEED)
    counts = np.bincount(found["time"] // (500 * US))[:-1]
    # The index of dispersion of n Poisson counts has a chi-square distribution.
    dispersion = ((counts - counts.mean()) ** 2).sum() / counts.mean()
    p = stats.chi2(len(counts) - 1).cdf(dispersion)
    assert LEAST_P < p < 1 - LEAST_P


def test_arrivals_do_not_wait_for_completions():
    words = {"rate": "1 kIO/s"}
    (never,) = asked(words, until=0.1, seed=SEED)
    promptly = watched(answering(1 * US, words), until=100 * MS)
    assert len(never) > 50
    assert promptly["time"].tolist() == never["time"].tolist()


def test_a_rate_is_for_each_worker():
    found = asked({"rate": "20 kIO/s", "workers": 3}, until=MANY / 20_000, seed=SEED)
    for ios in found:
        assert stats.binomtest(len(ios), 2 * MANY, 0.5).pvalue > LEAST_P
    # And each worker has arrivals of its own.
    assert not set(found[0]["time"]) & set(found[1]["time"]) & set(found[2]["time"])


def test_given_arrivals_are_exact():
    times = [0, 0, 7, 7, 8, 1_000, 123_456_789, 5 * SECOND]  # ns
    (found,) = asked({"arrivals": [f"{time} ns" for time in times]}, until=10, seed=SEED)
    assert found["time"].tolist() == times


def test_given_arrivals_count_from_the_start_of_the_load():
    built = build(scenario({"arrivals": ["1 us", "3 us"]}))
    answers_after(built, 10 * US)
    built.system.advance_clock(5 * MS)
    begin(built)
    issued = watched(built)
    assert issued["time"].tolist() == [5 * MS + 1 * US, 5 * MS + 3 * US]
    assert built.system.now == 5 * MS + 13 * US


def test_a_load_of_given_arrivals_ends_after_the_last():
    built = answering(10 * US, {"arrivals": ["0 us", "30 us"]})
    assert built.system.run() == t.RETURN_IDLE
    assert built.system.now == 40 * US
    assert row(built)["completed"] == 2


# -- bursts ------------------------------------------------------------------------------------

BURST = {"burst": {"on": "2 ms", "off": "3 ms"}}


def test_a_poisson_load_issues_in_the_on_parts_at_its_full_rate():
    periods = MANY // 40
    (found,) = asked(BURST | {"rate": "20 kIO/s"}, until=periods * 0.005, seed=SEED)
    into = found["time"] % (5 * MS)
    assert into.max() <= 2 * MS
    assert stats.binomtest(len(found), 2 * 40 * periods, 0.5).pvalue > LEAST_P
    # With the pauses taken out it is a Poisson process like any other.
    clock = found["time"] // (5 * MS) * 2 * MS + into
    assert_exponential(np.diff(clock, prepend=0), 50 * US)


def test_no_arrival_falls_into_a_pause_not_even_by_a_nanosecond():
    # On-parts of a few ns, so that rounding meets their ends often.
    words = {"rate": "100000 kIO/s", "burst": {"on": "3 ns", "off": "7 ns"}}
    (found,) = asked(words, until=MANY * 1e-8, seed=SEED)
    assert len(found) > MANY // 10
    assert (found["time"] % 10).max() < 3


def test_a_closed_load_issues_in_the_on_parts_only():
    built = answering(300 * US, BURST | {"outstanding": 4})
    issued = watched(built, until=50 * MS - 1)
    into = issued["time"] % (5 * MS)
    assert into.max() < 2 * MS
    # Every period starts with all four, and goes on as fast as they are answered.
    assert into.tolist() == [n // 4 * 300 * US for n in range(28)] * 10


def test_a_think_time_that_ends_in_a_pause_waits_for_the_next_burst():
    issued = watched(answering(1 * MS, BURST | {"think": "1500 us"}), until=14 * MS)
    assert issued["time"].tolist() == [0, 5 * MS, 10 * MS]


def test_bursts_count_from_the_start_of_the_load():
    built = build(scenario(BURST | {"outstanding": 1}))
    answers_after(built, 1500 * US)
    built.system.advance_clock(4 * MS)
    begin(built)
    times = watched(built, until=16 * MS)["time"]
    assert (times / MS).tolist() == [4, 5.5, 9, 10.5, 14, 15.5]


def test_a_burst_without_a_pause_is_no_burst():
    plain, pauseless = (
        asked({"rate": "20 kIO/s"} | words, until=0.01, seed=SEED)[0]
        for words in ({}, {"burst": {"on": "1 ms", "off": "0 ms"}})
    )
    assert plain["time"].tolist() == pauseless["time"].tolist()


# -- limits ------------------------------------------------------------------------------------


LOADS = {
    "closed": {"outstanding": 4},
    "thinking": {"outstanding": 4, "think": "5 us"},
    "Poisson": {"rate": "200 kIO/s"},
}


@pytest.mark.parametrize("kind", LOADS)
def test_a_limit_of_ios_is_exact(kind):
    built = answering(10 * US, LOADS[kind] | {"limit": {"ios": 103}})
    assert built.system.run() == t.RETURN_IDLE
    assert row(built)["issued"] == row(built)["completed"] == 103


@pytest.mark.parametrize("kind", LOADS)
def test_a_limit_of_bytes_is_reached_by_the_last_io(kind):
    words = LOADS[kind] | {"size": "8 KiB", "limit": {"bytes": "1 MiB"}}
    built = answering(10 * US, words)
    assert built.system.run() == t.RETURN_IDLE
    assert row(built)["issued_bytes"] == 2**20
    assert row(built)["completed"] == 128


def test_a_limit_of_bytes_that_no_request_divides_is_passed_by_less_than_one():
    sizes = [{"size": "4 KiB", "share": "50 %"}, {"size": "64 KiB", "share": "50 %"}]
    built = answering(10 * US, {"sizes": sizes, "limit": {"bytes": "1001 KiB"}})
    lengths = watched(built)["length"]
    assert lengths[:-1].sum() < 1001 * 1024 <= lengths.sum()


@pytest.mark.parametrize("kind", LOADS)
def test_a_limit_of_time_ends_the_issues_and_what_is_in_flight_completes(kind):
    built = answering(10 * US, LOADS[kind] | {"limit": {"time": "995 us"}})
    unlimited = watched(answering(10 * US, LOADS[kind]), until=3 * MS)
    issued = watched(built)
    assert issued["time"].tolist() == [time for time in unlimited["time"] if time < 995 * US]
    assert row(built)["completed"] == row(built)["issued"]
    assert built.system.now == issued["time"].max() + 10 * US


def test_the_very_end_of_the_time_is_outside_of_it():
    issued = watched(answering(10 * US, {"limit": {"time": "100 us"}}))
    assert issued["time"].tolist() == [n * 10 * US for n in range(10)]


def test_the_first_limit_that_is_reached_ends_the_load():
    for limit in ({"ios": 5}, {"bytes": "20 KiB"}, {"time": "41 us"}):
        far = {"ios": 10**6, "bytes": "1 GiB", "time": "1 h"}
        built = answering(10 * US, {"limit": far | limit})
        assert built.system.run() == t.RETURN_IDLE
        assert row(built)["completed"] == 5


@pytest.mark.parametrize("workers", [1, 3, 7])
def test_workers_share_a_limit_of_ios(workers):
    built = answering(10 * US, {"workers": workers, "limit": {"ios": 100}})
    built.system.run()
    issued = built.system.world.streams["issued"][:workers]
    assert issued.sum() == 100
    assert issued.max() - issued.min() <= 1


@pytest.mark.parametrize("workers", [1, 3, 4])
@pytest.mark.parametrize("size", ["4 KiB", "60 KiB", "64 KiB", "100 KiB"])
def test_workers_share_a_limit_of_bytes(workers, size):
    words = {"workers": workers, "size": size, "limit": {"bytes": "300 KiB"}}
    built = answering(10 * US, words)
    built.system.run()
    rows = built.system.world.streams[:workers]
    length = int(size.split()[0]) * 1024
    assert rows["issued"].sum() == -(-300 * 1024 // length)


def test_limits_end_given_arrivals_too():
    times = [f"{time} us" for time in (0, 10, 20, 30)]
    for limit in ({"ios": 2}, {"bytes": "8 KiB"}, {"time": "20 us"}):
        issued = watched(answering(5 * US, {"arrivals": times, "limit": limit}))
        assert issued["time"].tolist() == [0, 10 * US]


# -- patience and priority ---------------------------------------------------------------------


def test_patience_ends_to_the_nanosecond():
    for service, timed_out in ((9_999, 0), (10_001, 1)):
        built = answering(service, {"timeout": "10 us", "limit": {"ios": 1}})
        built.system.run(budget=1)
        assert built.system.now == min(service, 10_000)
        assert row(built)["timed_out"] == timed_out
        assert row(built)["completed"] == 1 - timed_out


def test_whoever_timed_out_issues_again_and_the_late_answer_counts_for_nothing():
    built = answering(25 * US, {"timeout": "10 us", "limit": {"ios": 10}})
    issued = watched(built)
    assert issued["time"].tolist() == [n * 10 * US for n in range(10)]
    assert built.system.run() == t.RETURN_IDLE
    assert built.system.now == 115 * US  # the work of the last one
    stream = row(built)
    assert (stream["timed_out"], stream["completed"], stream["in_flight"]) == (10, 0, 0)
    assert stream["window_ios"].sum() == 0
    assert (built.system.world.jobs["stage"] == t.STAGE_FREE).all()


def test_who_thinks_thinks_after_a_timeout_too():
    words = {"timeout": "10 us", "think": "7 us", "limit": {"ios": 5}}
    issued = watched(answering(25 * US, words))
    assert issued["time"].tolist() == [n * 17 * US for n in range(5)]


def order_of_service(discipline):
    """Return who is served when at a station for which a slow load and an urgent one queue."""
    net = Network(SEED)
    disk = net.station("disk", discipline=discipline)
    net.arrivals("patient", [0.0, 0.1, 0.2, 0.3], [constant(disk, 1.0)], priority=3)
    net.arrivals("urgent", [0.5, 0.6], [constant(disk, 1.0)], priority=0)
    net.arrivals("between", [0.4], [taking(disk, [1.0])], priority=1)
    order = []
    for through in range(1, 8):
        before = {name: net.completed(name) for name in net.classes}
        net.run(ios=through)
        order += [name[0] for name in net.classes if net.completed(name) > before[name]]
    return "".join(order)


def test_priority_is_kept_where_a_station_asks_for_it():
    assert order_of_service(t.PRIORITY) == "puubppp"
    assert order_of_service(t.FIFO) == "ppppbuu"


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_loads_that_issue_together_the_more_urgent_goes_first(first):
    names = ["urgent", "patient"] if first == 0 else ["patient", "urgent"]
    loads = [{"name": n, "priority": {"urgent": 1, "patient": 2}[n]} for n in names]
    issued = watched(answering(10 * US, *loads), until=0)
    assert issued["stream"].tolist() == [names.index("urgent"), names.index("patient")]


# -- common random numbers ---------------------------------------------------------------------

MIXED = {
    "name": "mixed",
    "read": "60 %",
    "random": "70 %",
    "sizes": [{"size": "4 KiB", "share": "70 %"}, {"size": "32 KiB", "share": "30 %"}],
    "align": "4 KiB",
    "area": {"size": "1 GiB"},
}
FEW = 60 if INTERPRETED else 400
BEFORE_AND_AFTER = {
    "another drive": ({}, {"flash.read_time": "300 us", "buffer.size": "1 MiB"}),
    "more outstanding": ({"outstanding": 16}, {}),
    "think times": ({"think": "20 us", "think_distribution": "exponential"}, {}),
    "an open load": ({"rate": "30 kIO/s"}, {}),
    "bursts": ({"outstanding": 4, "burst": {"on": "1 ms", "off": "1 ms"}}, {}),
    "impatience": ({"timeout": "60 us", "outstanding": 8}, {}),
    "a priority": ({"priority": 3}, {}),
    "beside other loads": ({"outstanding": 2}, {}),
}
OTHERS = [{"name": "backup", "random": "0 %", "size": "64 KiB"}, {"name": "z", "zipf": 0.9}]


def what(issued, stream=0):
    """Return kind, place and size of every I/O of a stream, in order."""
    return issued[issued["stream"] == stream][["op", "offset", "length"]][:FEW].tolist()


@pytest.fixture(scope="module")
def expected():
    return what(asked(MIXED, ios=FEW, seed=SEED)[0])


@compiled_only
@pytest.mark.parametrize("case", BEFORE_AND_AFTER)
def test_the_nth_io_is_the_same_whatever_else_changes(case, expected):
    words, drive = BEFORE_AND_AFTER[case]
    others = OTHERS if case == "beside other loads" else []
    built = build(scenario(*others, MIXED | words, drive=drive, seed=SEED))
    begin(built)
    issued = watched(built, ios=FEW, stream=len(others))
    assert what(issued, len(others)) == expected


def test_the_kind_of_an_io_does_not_move_it():
    reads, writes = (asked(MIXED | {"read": r}, ios=FEW)[0] for r in ("100 %", "0 %"))
    assert reads[["offset", "length"]].tolist() == writes[["offset", "length"]].tolist()


def test_two_rates_are_the_same_arrivals_drawn_apart():
    slow, fast = (asked({"rate": f"{r} kIO/s"}, until=0.2 / r, seed=SEED)[0] for r in (1, 10))
    assert len(slow) == len(fast) > 100
    assert np.abs(slow["time"] - 10 * fast["time"]).max() <= 10  # ns: each is rounded
