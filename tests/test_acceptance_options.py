"""Results are compared with the options that a job file asked for, as fio takes them."""

from __future__ import annotations

import pytest
from delivery import database

from raidsim.acceptance import draw_up
from raidsim.acceptance.asked import different
from raidsim.acceptance.expected import ExpectedJob
from raidsim.measured.job import MeasuredJob


def job_on_all_of(capacity: int | None, **options: str) -> ExpectedJob:
    asked = {"rw": "randrw", "bs": "8k", "rwmixread": "67", "iodepth": "256", "numjobs": "1"}
    return ExpectedJob("one", "one.fio", "one", asked | options, [], capacity, complete=True)


def asked_otherwise(job: ExpectedJob, left_out: str = "", **options: str) -> list[str]:
    """What differs in a result with the options of the job file, but for these."""
    given = {"ioengine": "libaio", "direct": "1"} | job.options | options
    given.pop(left_out, None)
    return list(different(job, MeasuredJob("one", 0, 0, given, {})))


def test_a_share_of_writes_is_compared_as_one_of_reads() -> None:
    job = ExpectedJob("one", "one.fio", "one", {"rw": "randrw", "rwmixread": "67"}, [], 2**40)
    for share, agrees in (("33", True), ("34", False), ("²", False), ("9" * 5000, False)):
        said = asked_otherwise(job, left_out="rwmixread", rwmixwrite=share)
        assert (not any("rwmixread" in one for one in said)) == agrees


ALL_OF_IT = "and all of the device (size=100%) was asked for"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({}, []),
        ({"size": "1t"}, []),
        ({"size": "50%"}, [f"size=50%, {ALL_OF_IT}"]),
        ({"size": "512g"}, [f"size=512g, {ALL_OF_IT}"]),
        ({"offset": "512g"}, ["offset=512g, and offset=0 was asked for"]),
    ],
)
def test_half_of_a_disk_is_not_taken_for_all_of_it(size: dict[str, str], words: list[str]) -> None:
    """A job without `size` is on all of a device."""
    for job in (job_on_all_of(2**40, size="100%"), job_on_all_of(2**40)):
        assert asked_otherwise(job, **size) == words
        if not size:
            assert asked_otherwise(job, left_out="size") == []


def test_all_of_a_device_is_asked_for_where_the_load_has_all_of_the_volume() -> None:
    scenario = database(**{"load.area": None, "volume.drive": "nl-sas-2tb", "volume.filled": None})
    job = draw_up(scenario.with_({"load.outstanding": 1}), 10).expected.jobs[0]
    assert job.options["size"] == "100%"
    assert job.capacity == scenario.volumes[0].capacity


def test_what_a_result_leaves_out_is_what_fio_takes_for_it() -> None:
    job = job_on_all_of(2**40)
    left_out = "iodepth is left out, for which fio takes 1, and iodepth=256 was asked for"
    assert asked_otherwise(job, left_out="iodepth") == [left_out]
    assert asked_otherwise(job, left_out="numjobs") == []
    assert asked_otherwise(job, bs="8192") == []
    with_rate = job_on_all_of(2**40, rate_iops="100,50")
    assert asked_otherwise(with_rate, left_out="rate_iops") == [
        "there is no rate_iops, and rate_iops=100,50 was asked for"
    ]


def asked_for(name: str, given: str, asked: str) -> str:
    return f"{name}={given}, and {name}={asked} was asked for"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_distribution": "zipf:1.2"},
         asked_for("random_distribution", "zipf:1.2", "random")),
        ({"percentage_random": "100,10"}, asked_for("percentage_random", "100,10", "100")),
        ({"percentage_random": "100,100,100"}, None),
        ({"fsync": "1"}, asked_for("fsync", "1", "0")),
        ({"fdatasync": "8"}, asked_for("fdatasync", "8", "0")),
        ({"sync": "1"}, asked_for("sync", "1", "none")),
        ({"sync": "0"}, None),
        ({"filesize": "1g"}, f"filesize=1g, {ALL_OF_IT}"),
        ({"filesize": "1t"}, None),
        ({"io_size": "1g"}, "io_size=1g, and no io_size was asked for"),
        ({"io_limit": "2t"}, None),
        ({"io_size": "200%"}, None),
        ({"iodepth_batch": "64"}, asked_for("iodepth_batch_submit", "64", "1")),
        ({"iodepth_batch_submit": "1", "iodepth_batch_complete_min": "0"}, None),
        ({"iodepth_low": "8"}, asked_for("iodepth_low", "8", "256")),
        ({"zero_buffers": "1"}, asked_for("zero_buffers", "1", "0")),
        ({"buffer_compress_percentage": "90"}, asked_for("buffer_compress_percentage", "90", "0")),
        ({"dedupe_percentage": "50"}, asked_for("dedupe_percentage", "50", "0")),
        ({"scramble_buffers": "0"}, asked_for("scramble_buffers", "0", "1")),
        ({"scramble_buffers": "0", "refill_buffers": "1"}, None),
        ({"ba": "4k"}, asked_for("blockalign", "4k", "8k")),
        ({"ba": "8192"}, None),
        ({"thinktime": "1ms"}, asked_for("thinktime", "1ms", "0")),
        ({"latency_target": "5000"}, asked_for("latency_target", "5000", "0")),
        ({"rate_process": "poisson"}, None),
        ({"read_iolog": "x.log"}, "read_iolog=x.log, and no read_iolog was asked for"),
        ({"bs": "8k,8k"}, None),
        ({"rw": "randrw", "random_generator": "tausworthe64"}, None),
    ],
)  # fmt: skip
def test_what_no_job_file_asked_for_is_as_fio_takes_it(
    options: dict[str, str], words: str | None
) -> None:
    """Each of these options changes what drives see; equal values count however written."""
    assert asked_otherwise(job_on_all_of(2**40, size="100%"), **options) == [words] * bool(words)


@pytest.mark.parametrize(
    ("name", "asked", "fio", "alike", "other"),
    [
        ("rate_process", "poisson", "linear", "poisson", "linear"),
        ("random_distribution", "zipf:1.2", "random", "zipf:1.20", "zipf:0.9"),
        ("percentage_random", "60", "100", "60,60", "40"),
        ("blockalign", "4k", "8k", "4096", "512"),
        ("thinktime", "1000", "0", "1ms", "500"),
        ("fsync", "8", "0", "8", "1"),
        ("sync", "dsync", "none", "1", "0"),
    ],
)
def test_what_a_job_file_asks_for_has_to_be_there(
    name: str, asked: str, fio: str, alike: str, other: str
) -> None:
    job = job_on_all_of(2**40, rate_iops="100,50", **{name: asked})
    assert asked_otherwise(job) == asked_otherwise(job, **{name: alike}) == []
    assert asked_otherwise(job, left_out=name) == [
        f"{name} is left out, for which fio takes {fio}, and {name}={asked} was asked for"
    ]
    assert asked_otherwise(job, **{name: other}) == [asked_for(name, other, asked)]


def test_options_that_a_job_does_not_use_are_not_compared() -> None:
    """What buffers hold changes no read, and sequential accesses have no distribution."""
    reads = ExpectedJob("one", "one.fio", "one", {"rw": "read"}, [], 2**40, complete=True)
    unused = {"zero_buffers": "1", "fsync": "1", "random_distribution": "zipf:1.2"}
    assert asked_otherwise(reads, **unused, iodepth_batch_submit="16") == []


def test_an_engine_with_one_io_at_a_time_has_no_depth() -> None:
    words = ["ioengine=psync has one I/O at a time, and iodepth=256 was asked for"]
    assert asked_otherwise(job_on_all_of(2**40), ioengine="psync") == words
    assert asked_otherwise(job_on_all_of(2**40), left_out="ioengine") == words
    assert asked_otherwise(job_on_all_of(2**40, iodepth="1"), ioengine="psync") == []
