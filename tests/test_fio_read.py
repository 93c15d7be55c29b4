"""Results and logs of fio are read for what they say: units, sums, and what they do not say."""

from __future__ import annotations

import copy
import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim.errors import InputError
from raidsim.fio import bins, log_reader, reader
from raidsim.fio.log_reader import read_log
from raidsim.fio.reader import parse_result, read_result
from raidsim.measured.job import Measured

DATA = Path(__file__).parent / "data" / "fio"
RESULTS = sorted(DATA.glob("*.json"))
OLD = DATA / "fio-2.1.4-old-units.json"
PLUS = json.loads((DATA / "json-plus.json").read_text())
GENERATED = {  # jobs of generated.fio that are outstanding as much as they may: depth x processes
    ("pkb-hist.json", "rand_16k_read_100%-io-depth-1-num-jobs-2"): 2,
    ("fio-2.1.4-old-units.json", "sequential_read"): 64,
    ("fio-2.1.4-old-units.json", "random_read_test"): 1,
    ("fio-2.1.4-old-units.json", "random_read_test_parallel"): 64,
    ("fio-2.1.4-old-units.json", "sequential_write"): 64,
}


def named(path: Path) -> str:
    return path.name


def problem(text: str) -> str:
    with pytest.raises(InputError) as refused:
        parse_result(text, "x.json")
    return str(refused.value)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize(("place", "outstanding"), GENERATED.items(), ids=str)
def test_little_s_law_holds_between_what_was_read(place, outstanding):
    """IO/s times the mean latency are the I/Os outstanding: only if both units are right."""
    file, name = place
    (job,) = (job for job in read_result(DATA / file).jobs if job.name == name)
    found = sum(
        one.iops * one.latencies["lat"].mean / 1e9
        for one in job.directions.values()
        if "lat" in one.latencies
    )
    assert found == pytest.approx(outstanding, rel=0.03)


@pytest.mark.parametrize("path", RESULTS, ids=named)
def test_bytes_over_time_are_the_bandwidth_in_files_of_all_versions(path):
    for job in read_result(path).jobs:
        for one in job.directions.values():
            if one.seconds > 0.5 and job.records == 1:
                assert one.bytes / one.seconds == pytest.approx(one.bytes_per_s, rel=0.01)


def test_fio_2_and_fio_3_are_read_into_the_same_units():
    """16 KiB at random from a cloud disk: KiB and us in the file, bytes and ns here."""
    (job, _) = read_result(DATA / "pkb-hist.json").jobs
    read = job.directions["read"]
    assert read.bytes == 1_294_256 * 1024 == pytest.approx(read.ios * 16_384)
    assert read.latencies["clat"].percentiles[99.0] == 1_352_000
    assert read.latencies["clat"].percentiles[50.0] == pytest.approx(
        read.latencies["clat"].mean, rel=0.7
    )


def test_percentiles_of_fio_2_leave_out_the_zeros_at_the_end_of_its_list():
    job = read_result(OLD).jobs[0]
    assert min(job.directions["write"].latencies["clat"].percentiles) == 1.0


# ---------------------------------------------------------------- jobs


def test_processes_that_fio_did_not_add_up_are_added_up():
    (job,) = read_result(DATA / "two-jobs.json").jobs
    parts = json.loads((DATA / "two-jobs.json").read_text())["jobs"]
    assert job.records == 2
    for kind in ("read", "write"):
        found = job.directions[kind]
        assert found.ios == sum(part[kind]["total_ios"] for part in parts)
        assert found.iops == pytest.approx(sum(part[kind]["iops"] for part in parts))
        latency = found.latencies["clat"]
        assert latency.samples == sum(latency.bins.values()) == found.ios
        assert latency.most == max(part[kind]["clat_ns"]["max"] for part in parts)
        # From the bins alone, which are 1.6 % wide at most:
        mean = sum(value * count for value, count in latency.bins.items()) / latency.samples
        assert latency.mean == pytest.approx(mean, rel=0.016)
        square = sum((v - mean) ** 2 * count for v, count in latency.bins.items())
        assert latency.deviation == pytest.approx((square / latency.samples) ** 0.5, rel=0.03)


def test_percentiles_without_bins_cannot_be_added_up_and_it_is_said():
    measured = read_result(DATA / "plain.json")
    (job,) = measured.jobs
    assert job.directions["read"].latencies["clat"].percentiles == {}
    assert job.directions["read"].latencies["clat"].mean is not None
    assert any("group_reporting" in str(remark) for remark in measured.remarks)


def test_processes_that_fio_added_up_are_told_by_the_option():
    (job,) = read_result(DATA / "two-jobs-grouped.json").jobs
    assert (job.records, job.options["numjobs"]) == (1, "2")
    grouped = json.loads((DATA / "pkb-hist.json").read_text())
    assert grouped["global options"]["group_reporting"] == "1"
    assert read_result(DATA / "pkb-hist.json").jobs[0].grouped


def test_clients_are_read_one_by_one_and_their_sum_is_left_out():
    measured = read_result(DATA / "client-server.json")
    (job,) = measured.jobs
    theirs = json.loads((DATA / "client-server.json").read_text())["client_stats"][-1]
    assert theirs["jobname"] == "All clients"
    assert job.host == "localhost"
    assert job.directions["read"].ios == theirs["read"]["total_ios"]
    assert job.options["bs"] == "4k", "from the global options"
    assert "All clients" in str(measured.remarks[0])


def test_an_option_of_the_job_is_nearer_than_one_for_all():
    jobs = {job.name: job for job in read_result(DATA / "json-plus.json").jobs}
    assert jobs["hist"].options["bs"] == "4k"
    assert jobs["database"].options["bs"] == "8k"
    assert jobs["database"].options["ioengine"] == "libaio"


def test_percentiles_may_stand_with_the_total_latency():
    (job,) = read_result(DATA / "lat-percentiles.json").jobs
    latencies = job.directions["read"].latencies
    assert 99.0 in latencies["lat"].percentiles
    assert not latencies["clat"].percentiles


def test_a_job_that_failed_has_its_error_and_no_latencies():
    measured = read_result(DATA / "failed.json")
    (job,) = measured.jobs
    assert job.error == 2
    assert job.iops == 0
    assert not job.directions["read"].latencies
    assert measured.remarks[0].line == 1, "what fio said before is passed over, and listed"


def test_text_before_and_behind_the_json_is_listed_line_by_line():
    text = (DATA / "text-before.json").read_text()
    behind = parse_result(text + "\nRun status group 0\n", "x.json")
    lines = text.count("\n") + 2
    assert [(one.line, one.file) for one in behind.remarks] == [(1, "x.json"), (lines, "x.json")]


def test_numbers_may_be_texts():
    as_text = copy.deepcopy(PLUS)
    for job in as_text["jobs"]:
        for kind in ("read", "write"):
            job[kind] = {key: str(value) if not isinstance(value, dict) else value
                         for key, value in job[kind].items()}  # fmt: skip
    assert parse_result(json.dumps(as_text), "x").jobs == read_result(DATA / "json-plus.json").jobs


# ---------------------------------------------------------------- what is no result of fio


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("hello", "holds no JSON"),
        ("{}", "holds no result of fio"),
        ('{"fio version": "fio-3.33", "jobs": []}', "holds no job"),
        ('{"fio version": "fio-3.33", "jobs": [1]}', "jobs[0]: is not an object"),
        ('{"fio version": 3, "jobs": []}', "holds no result of fio"),
        ('{"schema": "raidsim.result/1", "points": []}', "holds no result of fio"),
        ('{"fio version": "fio-3.33", "jobs": [', "x.json:1: the JSON is cut off here"),
        ('{"fio version": "fio-3.33",, "jobs": []}', "x.json:1: is not JSON"),
        (json.dumps(PLUS) + "\n" + json.dumps(PLUS), "x.json:2: a second result begins here"),
        ("{" * 100_000, "is not JSON"),
        ('{"a":' * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(text, words):
    assert words in problem(text)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("read", "iops"), "many", 'jobs[0].read.iops: "many" is not a number that fio writes'),
        (("read", "iops"), -1, "jobs[0].read.iops"),
        (("read", "iops"), True, "jobs[0].read.iops"),
        (("read", "clat_ns", "mean"), [], "jobs[0].read.clat_ns.mean"),
        (("read", "clat_ns", "bins"), [1], "jobs[0].read.clat_ns.bins: is not a table"),
        (("read", "clat_ns", "bins"), {"x": 1}, "jobs[0].read.clat_ns.bins.x"),
        (("read", "clat_ns"), 7, "jobs[0].read.clat_ns: is not an object"),
        (("read",), 7, "jobs[0].read: is not an object"),
        (("job options",), 7, "jobs[0].job options: is not an object"),
        (("job options", "bs"), {}, "jobs[0].job options.bs"),
    ],
)
def test_a_wrong_value_is_said_with_its_place(path, value, words):
    wrong = copy.deepcopy(PLUS)
    place = wrong["jobs"][0]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert words in problem(json.dumps(wrong))


@pytest.mark.parametrize("path", RESULTS, ids=named)
def test_a_file_that_is_cut_off_is_refused_wherever_it_is_cut(path):
    text = path.read_text().rstrip()
    for end in range(0, len(text) - 1, max(len(text) // 40, 1)):
        problem(text[:end])


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MOST_BYTES", 2**20)
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_result(path)


@pytest.mark.parametrize("name", ["none.json", ".", "a\0b"])
def test_a_file_that_is_not_there_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        read_result(name)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
places = st.sampled_from(
    [
        ("fio version",), ("global options",), ("jobs",), ("jobs", 0), ("jobs", 0, "jobname"),
        ("jobs", 0, "groupid"), ("jobs", 0, "job options"), ("jobs", 0, "job options", "iodepth"),
        ("jobs", 1, "read"), ("jobs", 1, "read", "total_ios"), ("jobs", 1, "read", "bw_bytes"),
        ("jobs", 1, "read", "clat_ns"), ("jobs", 1, "read", "clat_ns", "N"),
        ("jobs", 1, "read", "clat_ns", "bins"), ("jobs", 1, "read", "clat_ns", "percentile"),
        ("jobs", 1, "read", "clat_ns", "percentile", "99.000000"),
    ]
)  # fmt: skip


@given(places, anything)
@settings(max_examples=120, deadline=None)
def test_whatever_stands_anywhere_in_a_file_is_read_or_refused(path: Any, value: Any) -> None:
    wrong = copy.deepcopy(PLUS)
    place = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with suppress(InputError):
        assert isinstance(parse_result(json.dumps(wrong), "x.json"), Measured)


@given(st.text() | anything.map(json.dumps))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_or_refused(text):
    with suppress(InputError):
        parse_result(text, "x.json")


# ---------------------------------------------------------------- logs


@pytest.mark.parametrize("kind", ["clat", "lat"])
def test_a_log_says_what_the_result_of_the_same_run_says(kind):
    (job,) = read_result(DATA / "paired.json").jobs
    log = read_log(DATA / f"paired_{kind}.1.log")
    assert log.latency == kind
    for name, found in log.directions.items():
        told = job.directions[name].latencies[kind]
        assert (found.samples, found.least, found.most) == (told.samples, told.least, told.most)
        assert found.mean == pytest.approx(told.mean)
        assert found.deviation == pytest.approx(told.deviation, rel=1e-6)
        if told.bins:
            assert found.bins == told.bins
            assert {one: found.percentiles[one] for one in told.percentiles} == told.percentiles


def test_a_histogram_log_counts_the_ios_of_the_latency_log():
    """The same I/Os, up to its last row: fio does not write the interval that a run ends in."""
    rows = [line.split(",") for line in (DATA / "paired_clat.1.log").read_text().splitlines()]
    found = read_log(DATA / "paired_clat_hist.1.log").directions
    for op, name in enumerate(("read", "write")):
        times = [int(row[1]) for row in rows if int(row[2]) == op][: found[name].samples]
        numbers = Counter(int(n) // 4 for n in bins.index_of(np.array(times)))
        assert sorted(numbers.values()) == sorted(found[name].bins.values())
        assert found[name].mean == pytest.approx(np.mean(times), rel=1 / 32)
        assert found[name].percentiles[50.0] == pytest.approx(np.median(times), rel=1 / 16)


def test_histograms_of_fio_2_count_us():
    log = read_log(DATA / "pkb_clat_hist.1.log")
    assert 50_000 < log.directions["read"].mean < 500_000, "a cloud disk, in ns"


def test_counts_of_a_row_are_those_of_one_version_and_coarseness():
    assert len(log_reader._HISTOGRAMS) == 14
    assert min(log_reader._HISTOGRAMS) > log_reader.MOST_COLUMNS - log_reader._HEAD


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x_lat.1.log", "1, 2, 0, 4096\n", "ns (fio 3) or us (fio 2); say which version"),
        ("x_lat.1.log", "1, 2, 0, 4096, 512\n", "say which version of fio wrote it"),
        ("x.log", "1, 2, 0, 4096, 0, 0\n", "does not show that it is a log of latencies"),
        ("x_bw.1.log", "1, 2, 0, 4096, 0, 0\n", "does not show that it is a log of latencies"),
        ("x_lat.1.log", "50, 2, 1, 0, 0, 0\n", "averages over intervals (log_avg_msec)"),
        ("x_lat.1.log", "50, 2, 7, 1, 0, 0\n", "log_window_value=both"),
        ("x_lat.1.log", "1, 2, 0, 4096, 0, 0\n1, 2, 0\n", "x_lat.1.log:2: has 3 columns"),
        ("x_lat.1.log", "1, 2, 0, 4096, 0, 0\nx, 2, 0, 4096, 0, 0\n", ":2: is not a row of a log"),
        (
            "x_lat.1.log",
            "1, -2, 0, 4096, 0, 0\n",
            ":1: has a number that cannot be in a log of fio",
        ),
        ("x_lat.1.log", "1, 2\n", "has 2 columns"),
        ("x_lat.1.log", "\n", "is empty"),
    ],
)
def test_a_log_that_could_be_more_than_one_thing_is_refused(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refused:
        read_log(tmp_path / name)
    assert words in str(refused.value)


def test_who_says_the_version_is_believed(tmp_path):
    (tmp_path / "x_lat.1.log").write_text("1, 250, 0, 4096\n")
    for version, mean in ((2, 250_000), (3, 250)):
        log = read_log(tmp_path / "x_lat.1.log", version=version)
        assert log.directions["read"].mean == mean


def test_averages_are_no_ios():
    with pytest.raises(InputError, match="log_avg_msec"):
        read_log(DATA / "avg_clat.3.log")
