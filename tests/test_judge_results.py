"""Results of every program are recognised, and judged by the load that they describe.

What is "measured" here are simulated systems, whose figures are written as vdbench, Iometer and
fio would write them.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import status
from conftest import compiled_only
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_texts import FLAT_503, flat, iometer, run

from raidsim.errors import InputError
from raidsim.fio.files import files_of
from raidsim.fio.written import keep_all
from raidsim.judge import Given, judge, read_results, results
from raidsim.judge.judgement import AGREES, NOT_JUDGED
from raidsim.judge.loads import load_of
from raidsim.observe.ios import Keeper
from raidsim.running import run_and_keep
from raidsim.scenario import Scenario, load

DATA = Path(__file__).parent / "data"
FIO, VDBENCH = DATA / "fio", DATA / "vdbench"
MEASURE = {"measure.min_ios": 2000, "measure.max_ios": 6000, "measure.precision": "4 %"}
KINDS = {  # every file of the test data is of one format, and which
    "*.json": results.FIO, "*.log": results.FIO_LOG, "*.fio": results.FIO_JOBS,
    "*.job": results.FIO_JOBS, "flat*.html": "vdbench-flat", "histogram.html": "vdbench-histogram",
    "summary.html": "vdbench-summary", "totals.html": "vdbench-summary",
}  # fmt: skip
FILES = [(path, kind) for pattern, kind in KINDS.items() for path in sorted(DATA.rglob(pattern))
         if path.parent.name in ("fio", "vdbench")]  # fmt: skip


def flash(**of_load: Any) -> Scenario:
    """A database on one NVMe drive."""
    given = {"load.outstanding": 16, **{f"load.{key}": value for key, value in of_load.items()}}
    return load("p3700-database").with_(MEASURE | given)


def table(text: str, tmp_path: Path, name: str, given: Given, scenario: Scenario) -> Any:
    """What the first job of a text is played as."""
    (tmp_path / name).write_text(text)
    (measured,) = read_results([tmp_path / name])
    return load_of(measured.jobs[0], scenario, "data", given)


# ---------------------------------------------------------------- formats


@pytest.mark.parametrize(("path", "kind"), FILES, ids=lambda one: getattr(one, "name", one))
def test_a_file_can_be_of_one_format_only(path, kind):
    assert results._format_of(str(path)).name == kind


@pytest.mark.parametrize("generation", ["2006", "2008", "1.1.0"])
def test_results_of_iometer_are_recognised(tmp_path, generation):
    (tmp_path / "r.csv").write_text(iometer(generation))
    assert results._format_of(str(tmp_path / "r.csv")).name == "iometer"


def test_output_that_a_windows_shell_kept_is_text_of_16_bits(tmp_path):
    (tmp_path / "r.csv").write_bytes(iometer().encode("utf-16"))
    (measured,) = read_results([tmp_path / "r.csv"])
    assert measured.jobs[0].iops == 1000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x.csv: is empty"),
        ("time,value\n1,2\n", "x.csv: is not a result that can be judged: JSON of fio, a job file"),
        ("1, 2, 0, 4096, 0, 0\n", "is not a result that can be judged"),  # a log without its name
        ("a: (g=0): rw=read, bs=(R) 4096B-4096B\nfio-3.33\n", "let fio write JSON"),  # normal
        ("5;fio-3.33;a;0;0;1600;160000\n", "is text output of fio"),  # terse
        (flat(*run()) + iometer(), "could be flatfile.html of vdbench or results of Iometer"),
        ("[a]\nrw=read\n", "has the options of fio, but no measurements"),
    ],
)
def test_what_is_of_no_format_or_of_several_is_refused(tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        read_results(["x.csv"])
    assert words in str(refused.value)


def test_a_format_may_be_named(tmp_path):
    (tmp_path / "x").write_text("warning: something\n" + flat(*run()))
    (measured,) = read_results([tmp_path / "x"], "vdbench-flat")
    assert measured.program == "vdbench"
    with pytest.raises(InputError, match=r'--format: there is no format "vdbench-flt"; did you'):
        read_results([tmp_path / "x"], "vdbench-flt")


def test_a_histogram_alone_has_no_throughput():
    with pytest.raises(InputError, match=r"has no throughput; give it with flatfile"):
        read_results([VDBENCH / "histogram.html"])


# ---------------------------------------------------------------- logs of fio


def test_logs_give_the_percentiles_that_processes_apart_do_not_have():
    """Two processes without json+: their percentiles cannot be added, those of their logs can."""
    logs = [FIO / f"lat_lat.{number}.log" for number in (1, 2)]
    bare = read_results([FIO / "plain.json"])[0].jobs[0]
    (measured,) = read_results([FIO / "plain.json", *logs])
    for kind in ("read", "write"):
        one, before = (job.directions[kind] for job in (measured.jobs[0], bare))
        assert before.latencies["lat"].percentiles == {}
        assert one.latencies["lat"].samples == before.ios
        assert one.latencies["lat"].percentiles[50.0] > 0
        assert one.latencies["lat"].mean == before.latencies["lat"].mean, "that the result has"
        assert one.iops == before.iops
    assert "gives the distribution of lat" in " ".join(map(str, measured.remarks))


def test_a_log_with_more_ios_than_its_job_is_of_another_run():
    """The histogram is one of 31,995 reads; the job that is called as it is had 500."""
    with pytest.raises(InputError, match=r'has 31,995 reads, and job "hist" had 500'):
        read_results([FIO / "json-plus.json", FIO / "hist_clat_hist.1.log"])


def test_a_log_of_none_of_the_jobs_is_refused():
    with pytest.raises(InputError, match=r"prio_lat.1.log: is not a log of one of these jobs"):
        read_results([FIO / "plain.json", FIO / "prio_lat.1.log"])


def test_logs_with_the_job_file_are_all_that_was_measured():
    """The file has three jobs and the logs are of the first: 300 I/Os of a process."""
    (measured,) = read_results(
        [FIO / "generated.fio", FIO / "lat_lat.1.log", FIO / "lat_clat.1.log"]
    )
    job, *others = measured.jobs
    assert job.options["iodepth"] == "4"
    assert sum(one.ios for one in job.directions.values()) == 300
    assert set(job.directions["read"].latencies) == {"lat", "clat"}
    assert all(one.iops == 0 for one in others)


def test_results_of_old_versions_take_their_options_from_the_job_file(tmp_path):
    (tmp_path / "old.fio").write_text(
        "[sequential_read]\nrw=read\nbs=512k\niodepth=64\ndirect=1\nioengine=libaio\n"
    )
    (measured,) = read_results([FIO / "fio-2.1.4-old-units.json", tmp_path / "old.fio"])
    options = {job.name: job.options for job in measured.jobs}
    assert options["sequential_read"]["iodepth"] == "64"
    assert options["sequential_write"] == {}
    assert "old.fio: gives the options of sequential_read" in str(measured.remarks[-1])
    (other,) = read_results([FIO / "plain.json", tmp_path / "old.fio"])
    assert "adds nothing" in str(other.remarks[-1])


def test_logs_alone_say_rate_sizes_and_reads_and_no_more():
    (measured,) = read_results([FIO / "paired_lat.1.log", FIO / "paired_clat.1.log"])
    (job,) = measured.jobs
    told = read_results([FIO / "paired.json"])[0].jobs[0]
    assert job.iops == pytest.approx(told.iops, rel=0.01)
    assert job.bytes_per_s == pytest.approx(told.bytes_per_s, rel=0.01)
    assert job.said.read == pytest.approx(0.7, abs=0.03)
    assert [one.bytes for one in job.said.sizes] == [4096]
    assert (job.said.random, job.said.outstanding) == (None, None)


def test_bandwidth_and_io_logs_give_rates(tmp_path):
    """100 IO/s and 800 KiB/s over two intervals: 8 KiB each."""
    (tmp_path / "x_bw.1.log").write_text("500, 700, 0, 0, 0\n1000, 900, 0, 0, 0\n")
    (tmp_path / "x_iops.1.log").write_text("500, 90, 0, 0, 0\n1000, 110, 0, 0, 0\n")
    (measured,) = read_results(sorted(tmp_path.iterdir()))
    (job,) = measured.jobs
    assert (job.iops, job.bytes_per_s) == (100, 800 * 1024)
    assert job.said.mean_size == 8192
    with pytest.raises(InputError, match="has only the bandwidth"):
        read_results([tmp_path / "x_bw.1.log"])


def test_times_of_a_log_may_be_those_of_the_clock(tmp_path):
    """With log_unix_epoch: three I/Os within a second, whenever that was."""
    rows = [f"{1_700_000_000_000 + ms}, 250, 0, 4096, 0, 0\n" for ms in (0, 500, 1000)]
    (tmp_path / "x_lat.1.log").write_text("".join(rows))
    (measured,) = read_results([tmp_path / "x_lat.1.log"])
    assert measured.jobs[0].iops == 3


def test_the_version_of_a_log_is_that_of_its_result_or_said(tmp_path):
    (tmp_path / "x_lat.1.log").write_text("1, 250, 0, 4096\n10, 350, 0, 4096\n")
    for name, mean in (("fio-2-log", 300e3), ("fio-3-log", 300)):
        (measured,) = read_results([tmp_path / "x_lat.1.log"], name)
        assert measured.jobs[0].directions["read"].latencies["lat"].mean == mean
    with pytest.raises(InputError, match=r"--format fio-2-log or fio-3-log"):
        read_results([tmp_path / "x_lat.1.log"])


row_texts = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 9), min_size=4, max_size=6)
log_texts = st.lists(row_texts.map(lambda row: ", ".join(map(str, row)))).map("\n".join)


@given(st.dictionaries(st.sampled_from(["lat", "clat_hist", "bw", "iops"]), log_texts | st.text()))
@settings(max_examples=80, deadline=None)
def test_any_text_that_is_called_a_log_is_read_or_refused(texts):
    scenario = flash()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"x_{what}.1.log" for what in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        for others in ([], [FIO / "two-jobs-grouped.json"]):
            form = None if others else "fio-3-log"
            with suppress(InputError):
                for measured in read_results([*paths, *others], form):
                    for job in measured.jobs:
                        load_of(job, scenario, "data", Given(1.0, 4))


# ---------------------------------------------------------------- loads


def test_a_run_of_vdbench_is_played_with_its_threads_size_reads_and_seeks(tmp_path):
    figures = {"lunsize": 16.0, "rdpct": 70, "seekpct": 0, "threads": 8, "queue_depth": 8.0}
    found = table(flat(*run(**figures)), tmp_path, "f.html", Given(), flash())
    assert found.table == {
        "size": "8 KiB", "read": "70 %", "random": "0 %", "outstanding": 8,
        "area": {"offset": "0 B", "size": "16 GiB"},
    }  # fmt: skip
    assert any("lunsize=16 GiB" in words for words in found.assumed)


def test_a_rate_that_was_held_is_an_open_load_and_another_a_closed_one(tmp_path):
    held = table(flat(*run(reqrate=1000)), tmp_path, "f.html", Given(), flash())
    assert (held.table["rate"], held.is_at_rate) == ("1 kIO/s", True)
    missed = table(flat(*run(reqrate=2000)), tmp_path, "f.html", Given(), flash())
    assert (missed.table["outstanding"], missed.is_at_rate) == (4, False)


def test_what_a_result_does_not_say_is_asked_for(tmp_path):
    """The scenario's load has 100 % of random accesses, but not this size."""
    text = flat(
        *run(**{"xfersize": 4096, "bytes/io": 4096}), columns=FLAT_503.replace("seekpct", "x")
    )
    refused = table(text, tmp_path, "f.html", Given(), flash()).refused
    assert [note.option for note in refused] == ["random accesses"]
    assert "give --random SHARE" in refused[0].meaning
    assert "no column seekpct" in refused[0].meaning
    found = table(text, tmp_path, "f.html", Given(random=0.5), flash())
    assert found.table["random"] == "50 %"
    assert any("--random" in words for words in found.assumed)


def test_what_a_result_does_not_say_is_as_in_a_load_like_it(tmp_path):
    """Same reads and size: its random accesses, its area and its alignment are taken."""
    text = flat(*run(), columns=FLAT_503.replace("seekpct", "x"))
    found = table(text, tmp_path, "f.html", Given(), flash())
    assert found.table["random"] == "100 %"
    assert found.table["area"] == {"offset": "0 B", "size": "32 GiB"}
    assert found.table["align"] == "4 KiB"
    assert found.table["outstanding"] == 4, "that of the result"
    assert any('as in load "database" of the scenario' in words for words in found.assumed)


def test_what_a_result_does_say_counts_before_the_scenario(tmp_path):
    text = flat(*run(lunsize=16.0), columns=FLAT_503.replace("seekpct", "x"))
    found = table(text, tmp_path, "f.html", Given(), flash())
    assert found.table["area"] == {"offset": "0 B", "size": "16 GiB"}
    assert found.assumed[0].startswith('random accesses as in load "database" of the scenario: ')
    assert found.assumed[1].startswith("the area is the first 16 GiB of the volume: lunsize=16")


def test_a_load_with_several_depths_does_not_say_which(tmp_path):
    text = flat(*run(threads="n/a"))
    sweep = flash(outstanding=[1, 2, 4])
    refused = table(text, tmp_path, "f.html", Given(), sweep).refused
    assert "has several: 1 to 4 outstanding I/Os; give --outstanding N" in refused[0].meaning
    found = table(text, tmp_path, "f.html", Given(outstanding=2), sweep)
    assert found.table["outstanding"] == 2


def test_a_specification_of_iometer_is_played_line_by_line(tmp_path):
    lines = ("4096,60,80,100,0,1,0,0", "65536,40,0,0,0,1,0,0")
    text = iometer(lines=lines, targets=["E:"] * 2, Starting_Sector=2048, **{"# Disks": 2})
    found = table(text, tmp_path, "r.csv", Given(), flash())
    assert found.table["sizes"] == [
        {"size": "4 KiB", "share": "60 %", "read": "80 %", "random": "100 %"},
        {"size": "64 KiB", "share": "40 %", "read": "0 %", "random": "0 %"},
    ]
    assert (found.table["workers"], found.table["outstanding"]) == (2, 4)
    assert found.table["align"] == "512 B"
    assert found.table["area"] == {"offset": "1 MiB"}


def test_an_area_beyond_the_volume_is_refused(tmp_path):
    text = flat(*run(lunsize=4000.0))
    refused = table(text, tmp_path, "f.html", Given(), flash()).refused
    assert "the volume has 800 GB" in refused[0].meaning


# ---------------------------------------------------------------- verdicts


def as_vdbench(sections, rate):
    """The flat file of vdbench with the mean latencies of a run."""
    read, write = (section["lat_ns"]["mean"] / 1e6 for section in sections)
    share = share_of_reads(sections)
    row = {
        "rate": rate, "read%": 100 * share, "read_resp": read, "write_resp": write, "threads": 16,
        "queue_depth": 16.0, "lunsize": 32.0,
    }  # fmt: skip
    return flat(*run(**row))


def as_iometer(sections, rate):
    """The results of Iometer with the mean latencies of a run, and how many I/Os took how long."""
    read, write = (section["lat_ns"]["mean"] / 1e6 for section in sections)
    share = share_of_reads(sections)
    names = {50: "0 to 50 uS", 100: "50 to 100 uS", 200: "100 to 200 uS", 500: "200 to 500 uS"}
    bins = dict.fromkeys([*names.values(), "0.5 to 1 mS"], 0)
    for section in sections:
        for middle, count in section["lat_ns"]["bins"].items():
            end = next((one for one in names if int(middle) <= 1000 * one), None)
            bins[names.get(end, "0.5 to 1 mS")] += count
    reads, writes = round(share * rate * 60), round((1 - share) * rate * 60)
    cells = {
        "IOps": rate, "Read IOps": share * rate, "Write IOps": (1 - share) * rate,
        "Average Read Response Time": read, "Average Write Response Time": write,
        "Bytes Read": reads * 8192, "Bytes Written": writes * 8192, "Read I/Os": reads,
        "Write I/Os": writes, "Queue Depth": 16, "Maximum Size": 32 * 2**30 // 512,
    }  # fmt: skip
    return iometer(bins=bins, **cells)


def share_of_reads(sections):
    return sections[0]["total_ios"] / sum(one["total_ios"] for one in sections)


@pytest.fixture(scope="module")
def same_run_by_each_program(tmp_path_factory):
    """One simulated run, as vdbench, as Iometer and as a log of fio alone; as judged."""
    folder = tmp_path_factory.mktemp("results")
    scenario = flash()
    keeper = Keeper(keep_all)
    result = run_and_keep(scenario, keeper)
    point, (kept,) = result.points[0], next(iter(keeper.found.values())).values()
    sections = [kept.measured[kind] for kind in ("read", "write")]
    (folder / "flatfile.html").write_text(as_vdbench(sections, point.iops.mean))
    (folder / "results.csv").write_text(as_iometer(sections, point.iops.mean))
    for name, content in files_of(scenario, result, keeper.found).contents.items():
        if name.endswith("_lat.1.log"):
            (folder / "mine_lat.1.log").write_bytes(content)
    found = judge(scenario, read_results(sorted(folder.iterdir())))
    return {job.program: job for job in found.jobs}


@compiled_only
@pytest.mark.parametrize("program", ["fio", "vdbench", "Iometer"])
def test_a_system_that_is_as_the_scenario_says_agrees(same_run_by_each_program, program):
    job = same_run_by_each_program[program]
    assert job.verdict == AGREES
    assert job.speed == pytest.approx(1, rel=0.05)
    for figure in job.figures:
        if figure.name.endswith("mean") or "within" in figure.name:
            assert figure.ratio == pytest.approx(1, rel=0.06), figure.name


@compiled_only
def test_a_log_without_its_job_is_taken_for_the_load_of_the_scenario(same_run_by_each_program):
    log = same_run_by_each_program["fio"]
    assert any('in load "database" of the scenario' in words for words in log.assumed)


@compiled_only
def test_a_run_at_a_rate_is_judged_by_its_mean_response_time(tmp_path):
    figures = {"reqrate": 1000, "read_resp": 9.0, "write_resp": 9.0, "queue_depth": 0.1}
    (tmp_path / "flatfile.html").write_text(flat(*run(**figures)))
    (job,) = judge(flash(), read_results([tmp_path / "flatfile.html"])).jobs
    assert job.by == "latency"
    assert job.speed < 0.1


@compiled_only
def test_response_times_of_reads_and_writes_together_are_enough_at_a_rate(tmp_path):
    """Old versions have one response time; an option that no run needs is said to be unused."""
    columns = FLAT_503.replace("read_resp write_resp", "")
    text = flat(*run(reqrate=1000, resp=0.08, queue_depth=0.1), columns=columns)
    (tmp_path / "flatfile.html").write_text(text)
    judgement = judge(flash(), read_results([tmp_path / "flatfile.html"]), given=Given(1.0, None))
    (job,) = judgement.jobs
    assert job.by == "latency"
    (latency,) = (figure for figure in job.figures if "latency" in figure.name)
    assert latency.measured == pytest.approx(0.08)
    assert job.speed == pytest.approx(1 / latency.ratio)
    assert "--random has no effect: the results give it for all judged loads" in judgement.remarks


@compiled_only
def test_runs_that_cannot_be_judged_stand_beside_those_that_can(tmp_path):
    rows = [*run(rhpct=50), *run(threads=16, queue_depth=16.0)]
    (tmp_path / "flatfile.html").write_text(flat(*rows))
    refused, other = judge(flash(), read_results([tmp_path / "flatfile.html"])).jobs
    assert refused.verdict == NOT_JUDGED
    assert refused.refused[0].option == "rhpct"
    assert other.verdict != NOT_JUDGED


# ---------------------------------------------------------------- the command


@compiled_only
def test_the_command_says_what_is_taken_from_where(tmp_path, capsys):
    (tmp_path / "flatfile.html").write_text(flat(*run(seekpct="n/a"), *run(Run="format_for_x")))
    quick = [text for key in ("min_ios", "max_ios") for text in ("--set", f"measure.{key}=2000")]
    name = str(tmp_path / "flatfile.html")
    assert status("judge", "p3700-database", name, *quick, "--random", "100%") == 1
    out = capsys.readouterr().out
    assert "rd1: xfersize=8192, threads=4, rdpct=67, seekpct=n/a, iorate=max" in out
    assert "taken: random accesses as --random says: seekpct is n/a" in out
    assert "run format_for_x is left out" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([str(VDBENCH / "summary.html")], "summary.html: holds no run"),
        ([str(VDBENCH / "totals.html")], "give --random SHARE, as in --random 100%"),
        ([str(FIO / "paired_lat.1.log")], "give --outstanding N"),
        ([str(FIO / "README.md")], "is not a result that can be judged"),
        ([str(FIO / "plain.json"), "--format", "fi"], "--format: there is no format"),
        ([str(FIO / "plain.json"), "--random", "50"], '--random: "50" has no unit'),
        ([str(FIO)], "is a folder"),
    ],
)
def test_wrong_input_is_said_in_a_line(capsys, arguments, words):
    assert status("judge", "p3700-database", *arguments) == 2
    assert words in capsys.readouterr().err
