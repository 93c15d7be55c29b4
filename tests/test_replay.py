"""Loads that replay a trace: what they refuse, and what their results say."""

from __future__ import annotations

import math

import numpy as np
import pytest
import traces

import raidsim
from raidsim.assembly.replay import TraceFeed
from raidsim.errors import InputError
from raidsim.scenario import from_data
from raidsim.stats.histogram import BINS, bin_of, bins_of, demerit
from raidsim.trace import demerit as demerit_of_times

GIB = 2**30
COUNT = 2000


@pytest.fixture
def trace(tmp_path):
    """A trace of 2,000 requests over 2 s, with response times of 1 to 3 ms."""
    responses = np.random.default_rng(9).uniform(0.001, 0.003, COUNT).round(7)
    wanted = traces.at_random(7, COUNT, 1000.0, GIB)
    return traces.msr(tmp_path / "t.csv", wanted, responses), wanted, responses


def problems(data):
    with pytest.raises(InputError) as caught:
        from_data(data)
    return [(one.key, one.cause) for one in caught.value.problems]


def point_of(scenario):
    (point,) = raidsim.run(scenario).points
    return point


# ---- results


def test_a_trace_is_replayed_from_its_first_to_its_last_request(trace):
    path, wanted, _ = trace
    point = point_of(traces.replay(traces.FLASH, path))
    assert point.counts.issued == point.counts.completed == COUNT
    assert point.window_s == pytest.approx(wanted[-1][0], abs=0.01)
    assert (point.trace.requests, point.trace.issued, point.trace.not_replayed) == (
        COUNT,
        COUNT,
        {},
    )


def test_the_response_times_of_the_trace_stand_beside_those_simulated(trace):
    path, wanted, responses = trace
    point = point_of(traces.replay(traces.FLASH, path))
    for kind in ("read", "write"):
        mine = responses[[op == kind.capitalize() for _, op, *_ in wanted]]
        measured = point.trace.measured_ms[kind]
        assert measured.samples == len(mine) == point.latency_ms[kind].samples
        assert measured.mean == pytest.approx(1e3 * mine.mean(), rel=1e-9)
        assert measured.p95 == pytest.approx(1e3 * np.quantile(mine, 0.95), rel=0.01)


def test_the_stretches_of_a_replay_are_the_whole_of_it(trace):
    path, _, _ = trace
    point = point_of(traces.replay(traces.FLASH, path))
    parts = point.trace.stretches
    assert parts[0].start_s == 0
    assert [one.end_s for one in parts[:-1]] == [one.start_s for one in parts[1:]]
    ios = [one.iops * (one.end_s - one.start_s) for one in parts]
    assert sum(ios) == pytest.approx(COUNT, rel=1e-9)
    means = [
        sum(found.mean * found.samples for found in one.latency_ms.values() if found)
        for one in parts
    ]
    every = sum(found.mean * found.samples for found in point.latency_ms.values() if found)
    assert sum(means) == pytest.approx(every, rel=1e-9)
    assert 64 <= len(parts) <= 129


def test_the_seed_does_not_matter_where_a_trace_says_everything(trace):
    path, _, _ = trace
    scenario = traces.replay(traces.DISK, path)
    one, other = (point_of(scenario.with_("seed", seed)) for seed in (1, 1))
    assert one == other


def test_a_slice_is_replayed_from_its_own_start_on(trace):
    path, wanted, _ = trace
    point = point_of(traces.replay(traces.FLASH, path, slice=["0.5 s", "1.5 s"]))
    inside = [time for time, *_ in wanted if 0.5 <= time < 1.5]
    assert point.counts.issued == len(inside) == point.trace.requests
    assert point.window_s == pytest.approx(inside[-1] - 0.5, abs=0.005)


def test_the_volumes_of_a_trace_lie_one_behind_the_other(tmp_path):
    rows = []
    for n in range(300):
        volume, place = n % 3, 4096 * (n // 3)
        rows.append(f"{traces.EPOCH + n * 10_000},host,{volume},Read,{place},4096,0")
    path = tmp_path / "several.csv"
    path.write_text("\n".join(rows) + "\n", encoding="ascii")
    data = traces.FLASH | {"load": [{"trace": {"file": str(path)}}]}
    ((_, cause),) = problems(data)
    assert "has 3 volumes" in cause
    scenario = traces.replay(traces.FLASH, path, volumes=["host.2", "host.0"])
    (load,) = scenario.loads
    assert load.area.size == 2**20 + 100 * 4096
    assert point_of(scenario).counts.issued == 200


def test_a_load_beside_a_trace_runs_as_long_as_the_trace(trace):
    path, wanted, _ = trace
    data = traces.FLASH | {
        "load": [
            {"name": "trace", "trace": {"file": str(path)}},
            {"name": "beside", "read": "100 %", "size": "8 KiB", "outstanding": 1},
        ]
    }
    first, beside = raidsim.run(from_data(data)).points
    assert first.counts.completed == COUNT
    assert beside.window_s == pytest.approx(wanted[-1][0], abs=0.01)
    assert beside.trace is None


def test_requests_that_come_while_the_power_is_out_count_as_failed(trace):
    path, wanted, _ = trace
    cut = {"kind": "power-cut", "at": "0.5 s", "outage": "0.4 s", "boot": "0.1 s"}
    data = traces.FLASH | {"load": [{"trace": {"file": str(path)}}], "event": [cut]}
    point = point_of(from_data(data))
    assert point.counts.issued == COUNT
    assert point.counts.completed + point.counts.failed == COUNT
    out = sum(0.5 <= time < 1.0 for time, *_ in wanted)
    assert out <= point.counts.failed <= out + 200


def test_a_model_starts_a_trace_as_any_load(trace):
    path, wanted, _ = trace
    env = raidsim.control.Environment()
    volume = raidsim.control.Volume(
        env,
        host=raidsim.control.Host(env, "fujitsu-rx2540-m1"),
        name="data",
        **traces.FLASH["volume"][0],
    )
    load = volume.start(raidsim.control.Load(trace={"file": str(path), "speed": 2.0}))
    env.run()
    assert load.counts.completed == COUNT
    assert env.now == pytest.approx(wanted[-1][0] / 2, abs=0.005)


def test_what_was_written_before_a_run_is_no_wear_of_it():
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"drive": "intel-p3700-800gb"}],
        "load": [{"read": "0 %", "size": "4 KiB", "rate": "20 kIO/s", "limit": {"ios": 30_000}}],
    }
    (ending,) = point_of(from_data(data)).drives
    endless = {**data["load"][0], "limit": {}}
    (steady,) = point_of(from_data(data | {"load": [endless]})).drives
    assert ending.write_amplification == pytest.approx(steady.write_amplification, rel=0.05)
    assert ending.cycles_per_year == pytest.approx(steady.cycles_per_year, rel=0.05)


# ---- what does not fit


@pytest.mark.parametrize(
    ("load", "key", "words"),
    [
        ({"read": "50 %"}, "load.read", "cannot be used with trace"),
        ({"outstanding": 4}, "load.outstanding", "cannot be used with trace"),
        ({"trace": {"replay": "closed"}}, "load.trace", "outstanding is missing"),
        ({"trace": {"outstanding": 3}}, "load.trace", "has outstanding"),
        ({"trace": {"replay": "closed", "outstanding": 1, "speed": 2}}, "load.trace", "a speed"),
        ({"trace": {"slice": ["2 s", "1 s"]}}, "load.trace", "does not end after its beginning"),
        ({"trace": {"slice": ["5 s", "6 s"]}}, "load.trace", "no read, write or flush in this"),
        ({"trace": {"volumes": ["other"]}}, "load.trace", "has no volume"),
        ({"trace": {"format": "nosuch"}}, "load.trace.format", None),
        ({"trace": {"speed": 0}}, "load.trace.speed", "out of range"),
        ({"trace": {"speed": 1e-10}}, "load.trace", "lasts 630 years"),
        ({"trace": {"volumes": ["host.0", "host.0"]}}, "load.trace", "more than once"),
        ({"trace": {"file": "nowhere.csv"}}, "load.trace", "nowhere.csv: no such file"),
        ({"trace": {"fil": "x"}}, "load.trace.fil", "unknown key"),
    ],
)
def test_what_a_trace_does_not_fit_with_is_said(load, key, words, trace):
    path, _, _ = trace
    keys = {"file": str(path), **load.get("trace", {})}
    found = problems(traces.FLASH | {"load": [{**load, "trace": keys}]})
    assert [one for one, _ in found] == [key]
    assert words is None or words in found[0][1]


def test_what_is_wrong_in_a_trace_is_told_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("time [us],op,offset [B],size [B]\n-5,r,0,4096\n")
    load = {"trace": {"file": str(path)}}
    wrong = [cause for _, cause in problems({**traces.FLASH, "load": [load]})]
    assert any(one.startswith("line 2 of the trace: time is") for one in wrong)


def test_what_means_nothing_for_the_format_of_a_trace_is_refused(trace):
    load = {"trace": {"file": str(trace[0]), "sector": "4 KiB"}}
    (found,) = problems({**traces.FLASH, "load": [load]})
    assert found == ("load.trace", "sector: does not apply to the format msr")


def test_a_trace_beyond_its_volume_is_refused_with_both_sizes(tmp_path):
    path = traces.msr(tmp_path / "t.csv", [(0.0, "Read", 900 * 10**9, 4096)])
    ((key, cause),) = problems(traces.FLASH | {"load": [{"trace": {"file": str(path)}}]})
    assert key == "load.trace"
    assert "beyond the volume of 800 GB" in cause


def test_a_drive_that_holds_a_little_more_than_its_sheet_prints_is_the_likely_cause(tmp_path):
    """A trace of all of a drive of 800 GB ends at 800.17 GB; one of a larger drive does not."""
    for end, of_the_sheet in ((800_166_076_416, True), (900 * 10**9, False)):
        path = traces.msr(tmp_path / "t.csv", [(0.0, "Read", end - 4096, 4096)])
        with pytest.raises(InputError) as refused:
            from_data(traces.FLASH | {"load": [{"trace": {"file": str(path)}}]})
        assert ("capacity.user" in str(refused.value)) is of_the_sheet


def test_a_trace_that_shrinks_to_its_volume_keeps_whole_units_whole(tmp_path):
    """Writes of whole units of a flash map would else be parts of two, and cost twice as much."""
    seed = 11
    print(f"seed {seed}")
    random = np.random.default_rng(seed)
    sizes = random.choice([512, 4096, 12288, 65536], 400)
    units = np.where(sizes == 12288, 4096, sizes)
    places = random.integers(0, 1500 * 10**9 // units) * units
    rows = [(n / 1000, "Write", int(places[n]), int(sizes[n])) for n in range(len(sizes))]
    path = traces.msr(tmp_path / "t.csv", rows)
    load = {"trace": {"file": str(path), "beyond": "scale"}}
    (spec,) = from_data(traces.FLASH | {"load": [load]}).loads
    feed = TraceFeed(spec, 800 * 10**9, 512, flushes=True, trims=True)
    made = feed.take(len(rows), 0)
    assert (made["length"] == sizes).all()
    assert (made["offset"] % units == 0).all()
    moved = places * (800e9 / feed.plan.size) - made["offset"]
    assert moved.min() >= 0
    assert moved.max() < 65536


def test_a_trace_that_begins_again_at_the_start_of_its_volume_stays_aligned(tmp_path):
    """Also where the capacity, as of some drives, is no multiple of the units of their map."""
    capacity = 800 * 10**9 + 2560
    rows = [(n / 1000, "Write", (200_000_000 + 977 * n) * 4096, 4096) for n in range(300)]
    path = traces.msr(tmp_path / "t.csv", rows)
    load = {"trace": {"file": str(path), "beyond": "wrap"}}
    (spec,) = from_data(traces.FLASH | {"load": [load]}).loads
    made = TraceFeed(spec, capacity, 512, flushes=True, trims=True).take(len(rows), 0)
    assert (made["offset"] % 4096 == 0).all()
    past = np.array([offset for _, _, offset, _ in rows]) - capacity
    assert np.abs(made["offset"] - past).max() < 4096


def test_the_scenario_of_a_result_replays_the_same_trace(trace):
    path, _, _ = trace
    result = raidsim.run(traces.replay(traces.FLASH, path))
    again = from_data(result.scenario)
    assert raidsim.run(again).points == result.points


# ---- the demerit figure


def binned(times: np.ndarray) -> np.ndarray:
    return np.bincount(bins_of(np.rint(times).astype(np.int64)), minlength=BINS)


def test_many_times_fall_into_the_bins_that_each_falls_into():
    times = np.concatenate((np.arange(-3, 3000), 2 ** np.arange(63), 3 ** np.arange(35)))
    assert bins_of(times).tolist() == [bin_of(int(time)) for time in times]


def test_distributions_a_constant_apart_have_that_as_their_demerit():
    times = np.random.default_rng(1).uniform(1e6, 9e6, 5000)
    assert demerit(binned(times), binned(times + 5e5), float(times.mean())) == pytest.approx(
        5e5 / times.mean(), rel=2e-3
    )
    assert demerit(binned(times), binned(times), float(times.mean())) == 0


def test_the_demerit_of_bins_is_that_of_the_times_themselves():
    rng = np.random.default_rng(2)
    one, other = rng.exponential(3e6, 4000), rng.exponential(5e6, 3000) + 1e6
    found = demerit(binned(one), binned(other), float(one.mean()))
    assert found == pytest.approx(demerit_of_times(one, other), rel=2e-3)
    apart = np.sort(one) - np.sort(one[::-1] + 1e6)
    assert demerit_of_times(one, one + 1e6) == pytest.approx(
        math.sqrt(float(np.mean(apart**2))) / one.mean()
    )


def test_of_nothing_there_is_no_demerit():
    nothing = np.zeros(BINS, np.int64)
    assert demerit(nothing, binned(np.array([1e6])), 1e6) is None
