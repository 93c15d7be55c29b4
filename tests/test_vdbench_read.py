"""Reports of vdbench are read as what they are: in units that Little's law holds in."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_texts import FLAT_503, FLAT_504, FLAT_FILES, flat, run

from raidsim.errors import InputError
from raidsim.measured import vdbench, vdbench_flat, vdbench_histogram, vdbench_summary

DATA = Path(__file__).parent / "data" / "vdbench"
FLAT = DATA / "flatfile-multihost-50303.html"
MIB = 2**20


def jobs(text: str) -> list:
    return list(vdbench_flat.parse(text, "flatfile.html").measured.jobs)


def remarks(text: str) -> str:
    report = vdbench_flat.parse(text, "flatfile.html").measured
    return "\n".join(map(str, report.remarks))


# ---------------------------------------------------------------- units


def test_little_s_law_holds_between_rate_response_time_and_depth_of_a_real_run():
    """IO/s times the response time are the I/Os outstanding: ms and IO/s are what they are."""
    found = vdbench_summary.read(DATA / "totals.html").measured.jobs
    for job, depth in zip(found, (0.3, 2, 2), strict=True):
        found = sum(
            one.iops * one.latencies["lat"].mean / 1e9
            for one in job.directions.values() if one.latencies
        )  # fmt: skip
        assert found == pytest.approx(depth, abs=0.05)


def test_mb_per_s_are_of_2_to_the_20_bytes():
    (job, *_) = vdbench_summary.read(DATA / "totals.html").measured.jobs
    assert job.bytes_per_s == pytest.approx(job.iops * 4096, rel=0.03)  # 0.20 has two digits
    (job,) = vdbench_flat.read(FLAT).measured.jobs
    assert job.bytes_per_s == pytest.approx(job.iops * 4096, rel=1e-3)


@pytest.mark.parametrize("columns", [FLAT_503, FLAT_504], ids=["5.03", "5.04"])
def test_columns_of_all_versions_are_told_by_their_names(columns):
    (job,) = jobs(flat(*run(), columns=columns))
    assert (job.name, job.iops) == ("rd1", 1000)
    assert job.bytes_per_s == 1000 * 8192
    read = job.directions["read"]
    assert (read.iops, read.latencies["lat"].mean) == (670, 5e6)
    assert (job.said.read, job.said.random, job.said.outstanding) == (0.67, 1.0, 4)
    assert [one.bytes for one in job.said.sizes] == [8192]
    assert job.said.rate is None, "9999988 stands for as fast as it can be"


# ---------------------------------------------------------------- intervals and averages


def test_the_first_interval_is_in_no_average():
    """The first is far off here; without a row of averages the others are averaged."""
    rows = run()
    (told,), (made,) = jobs(flat(*rows)), jobs(flat(*rows[:-1]))
    assert told.iops == made.iops == 1000
    assert told.directions["read"].seconds == made.directions["read"].seconds == 4
    assert not told.remarks
    assert "averaged over intervals 2 to 5" in made.remarks[0]


def test_a_row_of_averages_of_any_intervals_counts():
    """With a warm-up of 3 intervals the averages are those of 4 to 6."""
    rows = [{"Interval": n, "rate": 1.0} for n in range(1, 7)]
    (job,) = jobs(flat(*rows, {"Interval": "avg_4-6", "rate": 800.0}))
    assert job.iops == 800
    assert job.directions["read"].seconds == 3


def test_runs_of_one_name_are_told_apart_by_their_intervals():
    """A loop over threads prints the same name again."""
    found = jobs(flat(*run(threads=1, queue_depth=1), *run(threads=8, queue_depth=8)))
    assert [job.said.outstanding for job in found] == [1, 8]
    assert [job.group for job in found] == [0, 1]
    cut = jobs(flat(*run(threads=1, queue_depth=1)[:-1], *run(threads=8, queue_depth=8)))
    assert len(cut) == 2, "of the first the row of averages is missing"


def test_averages_weigh_each_interval_by_its_ios():
    rows = [{"Interval": 1}, {"Interval": 2, "rate": 300.0, "read_resp": 1.0},
            {"Interval": 3, "rate": 100.0, "read_resp": 5.0}]  # fmt: skip
    (job,) = jobs(flat(*rows))
    assert job.iops == 200
    assert job.directions["read"].latencies["lat"].mean == pytest.approx(2e6)


def test_a_real_run_that_is_cut_off_is_near_its_averages_in_the_totals():
    (flat_job,) = vdbench_flat.read(FLAT).measured.jobs
    total = vdbench_summary.read(DATA / "totals.html").measured.jobs[0]
    assert flat_job.iops == pytest.approx(total.iops, rel=0.02)
    for kind in ("read", "write"):
        means = [job.directions[kind].latencies["lat"].mean for job in (flat_job, total)]
        assert means[0] == pytest.approx(means[1], rel=0.05)


def test_a_run_of_one_interval_has_no_averages_and_is_refused():
    (job,) = jobs(flat({"Interval": 1}, {"Interval": "avg_2-1", "rate": 0.0}))
    assert "ended in its first interval" in job.said.refused[0].meaning


def test_runs_that_lay_out_files_or_volumes_are_left_out_and_it_is_said():
    text = flat(*run(Run="SD_format"), *run(Run="format_for_rd1"), *run())
    assert [job.name for job in jobs(text)] == ["rd1"]
    assert "run SD_format is left out" in remarks(text)
    assert "run format_for_rd1 is left out" in remarks(text)


# ---------------------------------------------------------------- what a load is


def test_a_rate_that_was_asked_for_is_the_load():
    (job,) = jobs(flat(*run(reqrate=1000)))
    assert job.said.rate == 1000
    assert any("Poisson" in words for words in job.said.assumed)


@pytest.mark.parametrize(
    ("figures", "part", "words"),
    [
        ({"seekpct": "n/a"}, "random", "seekpct is n/a"),
        ({"xfersize": "n/a"}, "sizes", "workloads had several"),
        ({"bytes/io": 12_000}, "sizes", "it is a mix"),
        ({"threads": "n/a"}, "outstanding", "not in the file; 4.0 I/Os were outstanding"),
        ({"queue_depth": 15.9}, "outstanding", "threads=4 is that of each SD; 15.9 I/Os"),
    ],
)
def test_what_is_not_certain_is_open_with_the_reason(figures, part, words):
    (job,) = jobs(flat(*run(**figures)))
    assert getattr(job.said, part) in (None, ())
    assert words in job.said.why[part]


def test_sequential_runs_have_a_seek_percentage_of_0_or_less():
    for seek in (0, -1, -2):
        assert jobs(flat(*run(seekpct=seek)))[0].said.random == 0
    columns = FLAT_503.replace(" seekpct", "")
    (job,) = jobs(flat(*run(), columns=columns))
    assert job.said.why["random"] == "the file has no column seekpct"


def test_hits_of_a_cache_by_order_make_another_load():
    (job,) = jobs(flat(*run(rhpct=50)))
    assert job.said.refused[0].what == "rhpct=50"


def test_a_run_of_a_file_system_has_rates_of_reads_and_writes():
    """129,593 bytes are an average of 128 KiB, cut to whole bytes; opens are not I/Os."""
    figures = {"Reqrate": 9_999_988, "Read_rate": 300.0, "Read_resp": 2.0, "Write_rate": 100.0,
               "Write_resp": 4.0, "Xfersize": 4095, "Threads": 8, "Open_rate": 10.0,
               "Open_resp": 1.0, "Rate": 400.0, "Resp": 2.5}  # fmt: skip
    rows = [{**figures, "MB/sec": 400 * 4096 / MIB, **row} for row in run()]
    (job,) = jobs(flat(*rows, columns=FLAT_FILES))
    assert (job.iops, job.said.read) == (400, 0.75)
    assert job.directions["write"].latencies["lat"].mean == 4e6
    assert [one.bytes for one in job.said.sizes] == [4096]
    assert job.said.random is None
    assert any(one.what == "file system" for one in job.said.remarks)


# ---------------------------------------------------------------- summaries

SUMMARY = """13:00:00.000 Starting RD=SD_format; I/O rate: Uncontrolled MAX; For loops: threads=2

5月 10, 2023    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth
13:00:01.000           1      320.0    40.00  131072   0.00    0.055    0.000    0.055     0.00     0.54    0.059    0.0
13:00:01.010     avg_2-1        0.0     0.00       0   0.00    0.000    0.000    0.000     0.00     0.00    0.000    0.0

<a name="_1"></a><i><b>13:00:02.000 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: xfersize=8k threads=4.0 rdpct=50</b></i>

5月 10, 2023    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth
13:00:03.000           1       10.0     0.08    8192  54.02   99.000   99.000   99.000     0.09     0.16    0.028    0.0
13:00:05.000     avg_2-3      100.0     0.78    8192  50.00    3.000    2.000    4.000     9.00     8.00    0.022    0.3
13:00:05.000     std_2-3
13:00:06.000 Vdbench execution completed successfully
"""  # noqa: E501


def test_columns_of_a_summary_are_told_by_their_two_words():
    """5.04 has two maxima where 5.03 has one, and no columns of the CPU where it is not known."""
    report = vdbench_summary.parse(SUMMARY, "summary.html").measured
    (job,) = report.jobs
    assert (job.name, job.iops, job.said.rate) == ("rd1", 100, 100)
    read, write = (job.directions[kind].latencies["lat"] for kind in ("read", "write"))
    assert (read.mean, read.most, write.mean, write.most) == (2e6, 9e6, 4e6, 8e6)
    assert ([one.bytes for one in job.said.sizes], job.said.outstanding) == ([8192], 4)
    assert (job.said.read, job.said.random) == (0.5, None)
    assert [str(one) for one in report.remarks] == [
        "summary.html:1: run SD_format is left out: it prepares what later runs use"
    ]


def test_rows_that_are_cut_off_are_listed_with_their_lines():
    cut = SUMMARY[: SUMMARY.index("     std_2-3") - 60]
    report = vdbench_summary.parse(cut + "\n13:00:09.000 *** something failed\n", "s.html")
    words = "\n".join(map(str, report.measured.remarks))
    assert "s.html:13: is left out" in words
    assert "something failed" in words


def test_a_summary_without_runs_is_refused():
    with pytest.raises(InputError, match=r"summary.html: holds no run"):
        vdbench_summary.read(DATA / "summary.html")


def test_a_summary_of_a_file_system_asks_for_the_flat_file():
    text = "13:00:00.000 Starting RD=rd1; elapsed=20\nMar 11, 2021 .Interval. .ReqstdOps...\n"
    with pytest.raises(InputError, match=r"run rd1 is left out: it is one of a file system"):
        vdbench_summary.parse(text, "summary.html")


# ---------------------------------------------------------------- histograms


def test_a_histogram_counts_the_ios_behind_the_first_interval():
    """50.02 IO/s over the 59 s of the averages: its count, and shares as the file prints them."""
    found = vdbench_histogram.read(DATA / "histogram.html")
    ((name, kinds),) = found.runs
    both = kinds["both"]
    assert name == "rd1"
    assert both.samples == pytest.approx(50.02 * 59, abs=1)
    assert both.within[0.4e6] == pytest.approx(0.216198, abs=1e-6)
    assert both.within[20e6] == pytest.approx(0.910539, abs=1e-6)
    assert 'histogram.html:43: "Reads:" of run rd1 is left out' in str(found.remarks[0])


def test_a_histogram_goes_to_the_run_of_its_name_and_folder():
    report = vdbench_flat.read(FLAT)
    totals = vdbench_summary.read(DATA / "totals.html")
    first, others = vdbench.joined(
        [totals, report], [vdbench_histogram.read(DATA / "histogram.html")]
    )
    assert first.jobs[0].together["lat"].samples == 2951
    assert [job.name for job in others.jobs] == ["rd2", "rd3"], "rd1 is in both files"
    assert "are skipped" in str(others.remarks[0])


# ---------------------------------------------------------------- hostile files

READERS = (vdbench_flat, vdbench_summary, vdbench_histogram)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x.html: is empty"),
        ("<pre>\n* tod\n", "has no line of column names"),
        (flat(), "holds no run"),
        (flat({"Interval": 1, "rate": "n/a"}, {"Interval": 2, "rate": "NaN"}), "has no rates"),
    ],
)
def test_what_is_no_flat_file_is_refused_with_the_reason(text, words):
    with pytest.raises(InputError) as refused:
        vdbench_flat.parse(text, "x.html")
    assert words in str(refused.value)


@pytest.mark.parametrize("name", [path.name for path in sorted(DATA.glob("*.html"))])
def test_a_file_that_is_cut_anywhere_is_read_as_far_as_it_goes_or_refused(name):
    text = (DATA / name).read_text()
    for end in range(0, len(text), max(len(text) // 25, 1)):
        for reader in READERS:
            with suppress(InputError):
                reader.parse(text[:end], name)


words = st.sampled_from(
    ["tod", "Run", "Interval", "rate", "MB/sec", "1", "avg_2-5", "avg_9999999999-1", "n/a", "NaN",
     "-5", "1e999", "13:49:01.260", "rd1", "Starting RD=", "Reads:", "\n", "0.1 < max 3", "<", "٣"]
)  # fmt: skip


@given(st.lists(words | st.text(max_size=4), max_size=60).map(" ".join))
@settings(max_examples=80, deadline=None)
def test_any_text_is_read_or_refused(text):
    for reader in READERS:
        with suppress(InputError):
            reader.parse(flat(*run()) + text, "x")
        with suppress(InputError):
            reader.parse(text, "x")


@given(
    st.dictionaries(st.sampled_from(FLAT_503), st.floats() | st.integers() | st.text("9-e.,/n a"))
)
@settings(max_examples=80, deadline=None)
def test_any_value_of_a_row_is_read_or_refused(figures):
    with suppress(InputError):
        jobs(flat(*run(**{"MB/sec": 1, **figures})))
