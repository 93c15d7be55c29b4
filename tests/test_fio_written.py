"""What raidsim writes for fio's users is what fio writes: keys, types, names, and their meaning."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import status
from conftest import compiled_only
from fio_plot.fiolib import dataimport, dataimport_support, jsonimport, jsonparsing

from raidsim import cli
from raidsim.errors import InputError
from raidsim.fio import bins, measures
from raidsim.fio.files import files_of
from raidsim.fio.job_options import options_of
from raidsim.fio.written import keep, keep_all, time_of_writing
from raidsim.observe.ios import Ios, Keeper
from raidsim.running import run, run_and_keep
from raidsim.scenario import Scenario, from_data

DATA = Path(__file__).parent / "data" / "fio"
MEASURE = {"min_ios": 4000, "max_ios": 8000}
LOADS = [
    {"name": "database", "read": "67 %", "size": "8 KiB", "align": "4 KiB", "workers": 2,
     "area": {"offset": "1 GiB", "size": "32 GiB"}, "outstanding": [4, 16]},
    {"name": "backup", "read": "100 %", "random": "0 %", "size": "64 KiB", "outstanding": 1},
]  # fmt: skip

pytestmark = compiled_only


def of(loads: list[dict[str, Any]], **more: Any) -> Scenario:
    """A drive with these loads."""
    return from_data(
        {
            "title": "a drive",
            "host": {"model": "fujitsu-rx2540-m1"},
            "volume": [{"name": "data", "drive": "intel-p3700-800gb"}],
            "load": loads,
            "measure": MEASURE,
        }
        | more
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory):
    """A run with two loads at two points: scenario, result, folder with its files."""
    scenario = of(LOADS)
    keeper = Keeper(keep_all)
    result = run_and_keep(scenario, keeper)
    files = files_of(scenario, result, keeper.found)
    folder = tmp_path_factory.mktemp("fio")
    for name, data in files.contents.items():
        (folder / name).write_bytes(data)
    return scenario, result, folder


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def shape(value: Any, path: str = "") -> dict[str, str]:
    """The type of what stands at each path of a JSON object; options and bins are free."""
    if isinstance(value, dict) and not path.endswith(("options", "bins", "/raidsim")):
        return {p: t for k, v in value.items() for p, t in shape(v, f"{path}/{k}").items()}
    if isinstance(value, list):
        return {p: t for one in value for p, t in shape(one, f"{path}[]").items()}
    return {path: type(value).__name__}


# ---------------------------------------------------------------- beside a file of fio's own


def test_every_key_of_fio_is_there_with_the_type_that_it_has_in_fio(written):
    ours, theirs = shape(read(written[2] / "randrw-4-2.json")), shape(read(DATA / "json-plus.json"))
    assert [key for key in theirs if key not in ours and "disk_util" not in key] == []
    assert {key: kind for key, kind in ours.items() if theirs.get(key, kind) != kind} == {}


def test_nothing_is_there_that_fio_does_not_have_but_what_is_said_of_the_simulation(written):
    ours, theirs = shape(read(written[2] / "randrw-4-2.json")), shape(read(DATA / "json-plus.json"))
    more = {key for key in ours if key not in theirs}
    # With lat_percentiles=1 fio has percentiles of the total latency as well.
    assert {re.sub(r"/(percentile|bins).*", "", key) for key in more} == {
        "/raidsim",
        "/jobs[]/read/lat_ns",
        "/jobs[]/write/lat_ns",
    }


def test_the_order_of_the_keys_is_fios(written):
    ours, theirs = read(written[2] / "randrw-4-2.json"), read(DATA / "json-plus.json")
    assert list(ours["jobs"][0]) == list(theirs["jobs"][0])
    assert list(ours["jobs"][0]["read"]) == list(theirs["jobs"][0]["read"])


def test_the_version_says_that_raidsim_wrote_it_in_the_form_that_parsers_expect(written):
    version = read(written[2] / "randrw-4-2.json")["fio version"]
    assert re.match(r"fio-(\d+)\.(\d+)", version)
    assert "raidsim" in version


# ---------------------------------------------------------------- what it says


def test_the_time_of_writing_is_the_one_that_builds_are_repeated_with(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "253402300799")
    assert time_of_writing().year == 9999
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert time_of_writing().year < 9999


@pytest.mark.parametrize("given", ["253402300800", "9" * 5000, "-1", "1e9", "٣", "today"])
def test_a_time_that_is_none_is_refused_in_a_line_before_anything_runs(
    tmp_path, monkeypatch, capsys, given
):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    with pytest.raises(SystemExit) as end:
        cli.main(["run", "p3700-database", "--fio", str(tmp_path / "points")])
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("SOURCE_DATE_EPOCH: ")
    assert "is not a time; give seconds since 1970" in err
    assert err.count("\n") == 1


def test_rates_are_those_of_the_result(written):
    _, result, folder = written
    for point in result.points:
        depth = 16 if any(p.outstanding == 16 for p in [point]) else 4
        if point.load != "database":
            continue
        job = read(folder / f"randrw-{depth}-2.json")["jobs"][0]
        iops = job["read"]["iops"] + job["write"]["iops"]
        assert iops == pytest.approx(point.iops.mean, rel=1e-6)
        megabytes = (job["read"]["bw_bytes"] + job["write"]["bw_bytes"]) / 2**20
        assert megabytes == pytest.approx(point.mbps, rel=1e-6)


def test_latencies_are_those_of_the_result_to_the_width_of_a_bin_of_fio(written):
    _, result, folder = written
    point = next(p for p in result.points if p.load == "database")
    job = read(folder / "randrw-4-2.json")["jobs"][0]
    for kind, found in point.latency_ms.items():
        assert job[kind]["lat_ns"]["mean"] == pytest.approx(found.mean * 1e6, rel=1e-9)
        assert job[kind]["lat_ns"]["N"] == job[kind]["total_ios"] == found.samples
        median = job[kind]["lat_ns"]["percentile"]["50.000000"]
        assert median == pytest.approx(found.p50 * 1e6, rel=1 / 64)


def test_submission_and_completion_make_up_the_total(written):
    for path in written[2].glob("*.json"):
        for job in read(path)["jobs"]:
            for kind in ("read", "write"):
                of_kind = job[kind]
                parts = of_kind["slat_ns"]["mean"] + of_kind["clat_ns"]["mean"]
                assert parts == pytest.approx(of_kind["lat_ns"]["mean"], rel=1e-6)


def test_submission_is_the_cpu_time_of_the_host_before_the_drive_hears_of_the_io(written):
    """A lone sequential reader: nothing waits, so each submission takes what the card says."""
    scenario, _, folder = written
    job = read(folder / "randrw-4-2.json")["jobs"][1]
    card = scenario.host.card
    pages = 64 * 1024 / card.integer("page.size")
    seconds = card.number("submit.io_time") + pages * card.number("submit.page_time")
    seconds += card.number("submit.wake_time")  # it waits for each of its reads
    assert job["read"]["slat_ns"]["min"] == pytest.approx(seconds * 1e9, rel=0.01)
    assert job["read"]["slat_ns"]["stddev"] == pytest.approx(0, abs=1)


def test_bins_add_up_to_all_ios_and_hold_the_percentiles(written):
    job = read(written[2] / "randrw-16-2.json")["jobs"][0]
    for measure in ("clat_ns", "lat_ns"):
        found = job["read"][measure]
        assert sum(found["bins"].values()) == found["N"]
        assert {str(value) for value in found["percentile"].values()} <= set(found["bins"])


def test_shares_by_latency_and_depth_are_hundred_percent(written):
    for path in written[2].glob("*.json"):
        for job in read(path)["jobs"]:
            shares = [*job["latency_ns"].values(), *job["latency_us"].values()]
            assert sum([*shares, *job["latency_ms"].values()]) == pytest.approx(100, abs=1e-3)
            assert sum(job["iodepth_level"].values()) == pytest.approx(100, abs=1e-3)


def test_a_closed_load_has_as_many_outstanding_as_it_was_asked_for(written):
    job = read(written[2] / "randrw-16-2.json")["jobs"][0]
    assert job["iodepth_level"]["16"] > 99
    assert job["job options"]["iodepth"] == "16"


def test_several_loads_are_several_jobs_of_one_file_called_after_the_first(written):
    assert sorted(path.name for path in written[2].glob("*.json")) == [
        "randrw-16-2.json",
        "randrw-4-2.json",
    ]
    jobs = read(written[2] / "randrw-4-2.json")["jobs"]
    assert [job["jobname"] for job in jobs] == ["database", "backup"]
    assert [job["job options"]["rw"] for job in jobs] == ["randrw", "read"]


def test_a_run_whose_ios_are_kept_gives_the_same_result(written):
    scenario, result, _ = written
    assert run(scenario) == result


def test_what_a_log_leaves_out_is_said():
    scenario = of([LOADS[0] | {"outstanding": 4}])
    keeper = Keeper(keep, most=1000)
    result = run_and_keep(scenario, keeper)
    files = files_of(scenario, result, keeper.found)
    (said,) = files.remarks
    assert "first 1,000 I/Os" in said
    job = json.loads(files.contents["randrw-4-2.json"])["jobs"][0]
    assert job["read"]["lat_ns"]["N"] + job["write"]["lat_ns"]["N"] == 1000
    assert job["read"]["total_ios"] + job["write"]["total_ios"] == result.points[0].counts.measured


def test_points_that_fio_plot_cannot_tell_apart_get_a_number_and_it_is_said():
    open_load = LOADS[0] | {"outstanding": None, "rate": ["100 IO/s", "200 IO/s"]}
    scenario = of([{k: v for k, v in open_load.items() if v}], measure={"min_ios": 300})
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    files = files_of(scenario, result, keeper.found)
    rates = [json.loads(one)["jobs"][0]["job options"]["rate_iops"]
             for one in files.contents.values()]  # fmt: skip
    assert rates == ["67,33", "134,66"]
    depths = {json.loads(one)["jobs"][0]["job options"]["iodepth"]
              for one in files.contents.values()}  # fmt: skip
    assert (len(depths) == 1) == any(".2.json" in name for name in files.contents)
    assert (len(depths) == 1) == bool(files.remarks)


# ---------------------------------------------------------------- its logs


def lines(path: Path) -> list[list[int]]:
    return [[int(cell) for cell in row] for row in csv.reader(path.read_text().splitlines())]


def test_logs_have_the_columns_of_fios_own(written):
    ours = lines(written[2] / "randrw-iodepth-4-numjobs-2_lat.1.log")
    theirs = lines(DATA / "lat_lat.1.log")
    assert {len(row) for row in ours} == {len(row) for row in theirs} == {6}
    times = [row[0] for row in ours]
    assert times == sorted(times)
    assert {row[2] for row in ours} == {0, 1}
    assert {row[3] for row in ours} == {8192}
    assert all(2**30 <= row[4] < 33 * 2**30 and row[4] % 4096 == 0 for row in ours)


def test_logs_have_a_file_for_each_worker_and_add_up_to_the_json(written):
    folder = written[2]
    job = read(folder / "randrw-4-2.json")["jobs"][0]
    rows = [row for one in (1, 2)
            for row in lines(folder / f"randrw-iodepth-4-numjobs-2_lat.{one}.log")]  # fmt: skip
    counted = Counter(row[2] for row in rows)
    assert counted == {0: job["read"]["total_ios"], 1: job["write"]["total_ios"]}
    reads = [row[1] for row in rows if row[2] == 0]
    assert np.mean(reads) == pytest.approx(job["read"]["lat_ns"]["mean"])
    assert max(reads) == job["read"]["lat_ns"]["max"]
    assert (folder / "read-iodepth-1-numjobs-1_lat.3.log").exists(), "the second load's worker"


def test_the_bandwidth_of_one_io_is_its_bytes_over_its_completion(written):
    """As fio 3.33 does it: 8,192 bytes in 512,800 ns are noted as 15,975."""
    assert 8192 * 10**6 // 512_800 == 15_975
    folder = written[2]
    name = "randrw-iodepth-4-numjobs-2_{}.1.log"
    for speed, latency in zip(
        lines(folder / name.format("bw")), lines(folder / name.format("clat")), strict=True
    ):
        assert speed[1] == 8192 * 10**6 // latency[1]


# ---------------------------------------------------------------- read by fio-plot


def test_fio_plot_reads_the_points(written):
    folder = written[2]
    settings = {"input_directory": [str(folder)], "rw": "randrw", "iodepth": [4, 16],
                "numjobs": [2], "filter": ["read"], "compare_graph": False}  # fmt: skip
    dataset = jsonimport.import_json_dataset(settings, jsonimport.list_json_files(settings))
    rows = jsonparsing.parse_json_data(settings, dataset)[0]["data"]
    assert [(row["iodepth"], row["numjobs"]) for row in rows] == [("4", "2"), ("16", "2")]
    jobs = [read(folder / f"randrw-{depth}-2.json")["jobs"] for depth in (4, 16)]
    for row, (database, backup) in zip(rows, jobs, strict=True):
        assert row["iops"] == pytest.approx(database["read"]["iops"] + backup["read"]["iops"])
        assert "raidsim" in row["fio_version"]


def test_fio_plot_reads_the_logs(written):
    folder = written[2]
    settings = {"rw": "randrw", "iodepth": [4], "numjobs": [2], "type": ["lat"],
                "xlabel_segment_size": 1000, "xlabel_parent": 1, "xlabel_depth": 0}  # fmt: skip
    found = dataimport.filterLogFiles(settings, dataimport.list_fio_log_files(str(folder)))
    assert len(found) == 2
    raw = dataimport.readLogDataFromFiles(settings, found)
    assert {len(one["data"]) for one in raw} == {
        len(lines(folder / f"randrw-iodepth-4-numjobs-2_lat.{worker}.log")) for worker in (1, 2)
    }
    merged = dataimport.mergeDataSet(settings, raw)
    assert merged[0]["data"][0]["read"]


def test_fio_plot_is_given_a_log_of_every_kind_that_it_knows(written):
    known = {"iops", "lat", "clat", "slat", "bw"}
    assert all(dataimport_support.getMergeOperation(kind) for kind in known)
    for kind in known:
        assert (written[2] / f"randrw-iodepth-4-numjobs-2_{kind}.1.log").exists()


# ---------------------------------------------------------------- fio's histogram


def test_bins_are_those_of_fio():
    """Middles that fio 3.33 printed for these times: the greatest of three jobs of its own."""
    for job in read(DATA / "two-jobs.json")["jobs"]:
        for kind in ("read", "write"):
            found = job[kind]["clat_ns"]
            for time, middle in (
                (found["min"], min(map(int, found["bins"]))),
                (found["max"], max(map(int, found["bins"]))),
            ):
                assert bins.middle_of(int(bins.index_of(np.array([time]))[0])) == middle


def test_percentiles_of_bins_are_those_that_fio_prints():
    for name in ("json-plus.json", "two-jobs.json", "two-jobs-grouped.json"):
        for job in read(DATA / name)["jobs"]:
            for kind in ("read", "write"):
                found = job[kind]["clat_ns"]
                if found["N"]:
                    counts = {int(value): count for value, count in found["bins"].items()}
                    wanted = [float(one) for one in found["percentile"]]
                    assert list(bins.percentiles(counts, wanted).values()) == list(
                        found["percentile"].values()
                    )


@pytest.mark.parametrize("size", [bins.BINS_NS, bins.BINS_US])
def test_every_bin_has_its_middle_inside(size):
    lows = np.array([bins.low_of(number) for number in range(size)])
    assert (np.diff(lows) > 0).all()
    assert (bins.index_of(lows, size) == np.arange(size)).all()
    middles = np.array([bins.middle_of(number) for number in range(size)])
    assert (bins.index_of(middles, size) == np.arange(size)).all()
    assert bins.index_of(np.array([2**60]), size)[0] == size - 1


# ---------------------------------------------------------------- parts


def ios(issued: list[int], completed: list[int]) -> Ios:
    count = len(issued)
    zero = np.zeros(count, np.int64)
    start = np.array(issued, np.int64)
    return Ios(zero, zero, zero, zero + 4096, start, start, np.array(completed, np.int64),
               (count, 0), (count * 4096, 0), max(completed), max(completed) / 1e9)  # fmt: skip


def test_the_depth_counts_what_is_outstanding_after_each_issue():
    one_after_another = ios([0, 10, 20, 30, 40], [10, 20, 30, 40, 50])
    assert measures.depths(one_after_another).tolist() == [1, 1, 1, 1, 1]
    two_at_a_time = ios([0, 5, 10, 15, 20, 25, 30], [10, 15, 20, 25, 30, 35, 40])
    assert measures.depths(two_at_a_time).tolist() == [1, 2, 2, 2, 2, 2, 2]


def test_shares_by_latency_have_fios_borders():
    """1 us is the second bucket of us (2 to 3 us the next), 999 ns the last of ns."""
    found = measures.latency_shares(ios([0, 0, 0, 0], [999, 1000, 2000, 3_000_000_000]))
    assert found["latency_ns"]["1000"] == found["latency_us"]["2"] == 25
    assert found["latency_us"]["4"] == found["latency_ms"][">=2000"] == 25


@pytest.mark.parametrize(
    ("load", "options"),
    [
        ({"read": "100 %", "random": "0 %", "size": "1 MiB"}, {"rw": "read", "bs": "1m"}),
        ({"read": "0 %", "size": "4 KiB"}, {"rw": "randwrite", "norandommap": "1"}),
        ({"read": "50 %", "random": "0 %", "size": "512 B"}, {"rw": "rw", "bs": "512"}),
        (
            {"read": "100 %", "random": "30 %", "size": "4 KiB"},
            {"rw": "randread", "percentage_random": "30"},
        ),
        (
            {"read": "100 %", "size": "4 KiB", "hot": {"area": "10 %", "accesses": "90 %"}},
            {"random_distribution": "zoned:90/10:10/90"},
        ),
        (
            {"read": "100 %", "size": "4 KiB", "workers": 4, "partitions": True},
            {"size": "195312500k", "offset_increment": "195312500k", "numjobs": "4"},
        ),
        (
            {"read": "100 %", "size": "4 KiB", "limit": {"time": "2 s", "ios": 1000}},
            {"runtime": "2000000us", "time_based": "1", "number_ios": "1000"},
        ),
        (
            {"read": "100 %", "sizes": [{"size": "4 KiB", "share": "60 %"},
                                        {"size": "64 KiB", "share": "40 %"}]},
            {"bs": "64k", "bssplit": "4k/60:64k/40"},
        ),
    ],
)  # fmt: skip
def test_a_load_is_told_in_options_of_fio(load, options):
    (spec,) = of([load | {"outstanding": 8}]).loads
    found, remarks = options_of(spec, 8, None, 800 * 10**9)
    assert found | options == found
    assert remarks == []


def test_fio_itself_takes_these_options():
    """Where fio is installed: a job of ours is one of its own, option by option."""
    if subprocess.run(["which", "fio"], capture_output=True, check=False).returncode:
        pytest.skip("fio is not installed")
    load = LOADS[0] | {"outstanding": 8, "zipf": 1.1, "think": "50 us", "within": "2 ms",
                       "within_percentile": "99 %", "limit": {"time": "1 s"}}  # fmt: skip
    found, _ = options_of(of([load]).loads[0], 8, None, 800 * 10**9)
    arguments = [f"--{name}={value}" for name, value in found.items()]
    said = subprocess.run(
        ["fio", "--parse-only", "--name=x", *arguments], capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stderr) == (0, "")


def test_what_fio_has_no_option_for_is_said():
    load = {"read": "66.5 %", "size": "4 KiB", "rate": "10.5 IO/s", "timeout": "1 s",
            "burst": {"on": "1 s", "off": "1 s"}}  # fmt: skip
    _, remarks = options_of(of([load]).loads[0], 1, 10.5, 800 * 10**9)
    assert len(remarks) == 4


@pytest.mark.parametrize(
    ("load", "option", "text"),
    [
        ({"sizes": [{"size": "4 KiB", "share": "12.5 %"}, {"size": "8 KiB", "share": "37.7 %"},
                    {"size": "64 KiB", "share": "49.8 %"}]},
         "bssplit", "4k/12:8k/38:64k/50"),
        ({"sizes": [{"size": "4 KiB", "share": "99.7 %"}, {"size": "64 KiB", "share": "0.3 %"}]},
         "bssplit", "4k/100"),
        ({"size": "4 KiB", "hot": {"area": "0.5 %", "accesses": "80.2 %"}},
         "random_distribution", "zoned:80/1:20/99"),
        ({"size": "4 KiB", "zones": [{"area": "30.5 %", "accesses": "62.75 %"},
                                     {"area": "69.5 %", "accesses": "37.25 %"}]},
         "random_distribution", "zoned:63/31:37/69"),
    ],
)  # fmt: skip
def test_shares_are_whole_percents_that_add_up_and_the_exact_ones_are_said(load, option, text):
    """fio cuts off what is behind the point, and refuses zones that then lack of 100 %."""
    (spec,) = of([{"read": "100 %", "outstanding": 8} | load]).loads
    found, remarks = options_of(spec, 8, None, 800 * 10**9)
    assert found[option] == text
    (remark,) = remarks
    assert remark.startswith(f"{option} is ")
    assert remark.endswith("; fio has whole percents only")


def test_sizes_of_reads_and_of_writes_each_add_up():
    sizes = [{"size": "4 KiB", "share": "60 %", "read": "75 %"},
             {"size": "64 KiB", "share": "40 %", "read": "50 %"}]  # fmt: skip
    (spec,) = of([{"sizes": sizes, "outstanding": 8}]).loads
    found, remarks = options_of(spec, 8, None, 800 * 10**9)
    assert found["bssplit"] == "4k/69:64k/31,4k/43:64k/57"
    assert [one for one in remarks if "bssplit" in one] == [
        "bssplit is 4k/69.2308:64k/30.7692,4k/42.8571:64k/57.1429; fio has whole percents only"
    ]


# ---------------------------------------------------------------- the command


SCENARIO = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 2
[measure]
min_ios = 500
"""


def test_the_command_writes_a_folder_of_files(tmp_path, capsys):
    (tmp_path / "my.toml").write_text(SCENARIO)
    folder = tmp_path / "out"
    assert status("run", str(tmp_path / "my.toml"), "--fio", str(folder)) == 0
    assert [path.name for path in folder.iterdir()] == ["randread-2-1.json"]
    assert "IO/s" in capsys.readouterr().out
    assert status("run", str(tmp_path / "my.toml"), "--fio", str(folder), "--fio-logs") == 0
    assert (folder / "randread-iodepth-2-numjobs-1_lat.1.log").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fio-logs"], "give --fio FOLDER as well"),
        (["--fio", "my.toml"], "is a file; name a folder"),
        (["--fio", "no/such"], "there is no folder"),
        (["--fio", "out", "--json", "out/a.json"], "is in the folder of --fio"),
    ],
)
def test_a_folder_that_cannot_be_written_is_refused_before_the_run(
    tmp_path, monkeypatch, capsys, arguments, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text(SCENARIO)
    (tmp_path / "out").mkdir()
    monkeypatch.setitem(sys.modules, "raidsim.running", None)
    assert status("run", "my.toml", *arguments) == 2
    assert words in capsys.readouterr().err


def test_memory_for_ios_is_asked_for_like_any_other(monkeypatch):
    from raidsim.system import memory

    scenario = of([LOADS[0]])
    monkeypatch.setattr(memory, "most", lambda: 512 * 2**20)
    with pytest.raises(InputError, match="I/Os to be kept one by one"):
        run_and_keep(scenario, Keeper(keep, most=10**8))
