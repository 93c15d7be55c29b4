"""The rates of loads that have one are held on delivery: of all, of reads and of writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import compiled_only

from raidsim.acceptance import draw_up
from raidsim.acceptance.drawn_up import Acceptance
from raidsim.acceptance.expected import ExpectedJob
from raidsim.acceptance.verdict import PASSED, TOO_FAST, TOO_SLOW, verdict_of
from raidsim.measured.job import Direction, Measured, MeasuredJob
from raidsim.scenario import load, load_text

QUICK = {"measure.min_ios": 3000, "measure.max_ios": 12_000, "measure.precision": "4 %"}

pytestmark = compiled_only


def at_a_rate(rate: str, **changes: object) -> Acceptance:
    open_load = {"load.outstanding": None, "load.rate": rate, "load.read": "70 %"}
    return draw_up(load("p3700-database").with_(QUICK | open_load | changes), 10)


def measured_at(job: ExpectedJob, reads: float, writes: float) -> list[tuple[str, str]]:
    """The rates of a job that were not held, with what is wrong, if it did so many IO/s."""
    moved = {"read": Direction(None, None, reads, 0, None),
             "write": Direction(None, None, writes, 0, None)}  # fmt: skip
    measured = MeasuredJob(job.name, 0, 0, {}, moved)
    rates = replace(job, figures=[one for one in job.figures if one.unit == "IO/s"])
    expected = replace(at_a_rate("300 IO/s").expected, jobs=[rates])
    (judgement,) = verdict_of(expected, [Measured("x.json", "fio-3.36", (measured,))]).jobs
    return [(one.expected.name, one.verdict) for one in judgement.figures if one.verdict != PASSED]


def test_reads_and_writes_hold_their_rates_each() -> None:
    """As many I/Os in all, with more reads and fewer writes, are another load."""
    (job,) = at_a_rate("300 IO/s").expected.jobs
    values = {one.name: one.value for one in job.figures if one.unit == "IO/s"}
    assert values == {"iops": 300, "read iops": 210, "write iops": 90}
    assert measured_at(job, 208, 91) == []
    assert measured_at(job, 240, 60) == [("read iops", TOO_FAST), ("write iops", TOO_SLOW)]
    earlier = replace(job, figures=[one for one in job.figures if one.name == "iops"])
    assert measured_at(earlier, 240, 60) == []


def test_a_rate_may_stray_as_far_as_chance_takes_it() -> None:
    """Of 120 writes that come at random 3 standard deviations are 27 %; at fixed times none."""
    random, fixed = (
        at_a_rate("10 IO/s", **{"load.read": "90 %", "load.rate_distribution": distribution})
        for distribution in ("exponential", "constant")
    )
    writes = random.expected.jobs[0].figures[2]
    assert (writes.low, writes.high) == (
        pytest.approx(0.73, abs=0.01),
        pytest.approx(1.27, abs=0.01),
    )
    writes = fixed.expected.jobs[0].figures[2]
    assert (writes.name, writes.low, writes.high) == ("write iops", 0.95, 1 / 0.95)


@pytest.mark.parametrize(("rate", "read"), [("300 IO/s", "100 %"), ("300 IO/s", "0 %")])
def test_a_load_of_one_kind_has_one_rate_to_hold(rate: str, read: str) -> None:
    (job,) = at_a_rate(rate, **{"load.read": read}).expected.jobs
    assert [one.name for one in job.figures if one.unit == "IO/s"] == ["iops"]


def test_no_range_reaches_beyond_what_the_link_of_a_drive_carries() -> None:
    """A stream over PCIe 4.0, 7.2 GB/s: 12.3 GB/s come from the memory of the host, and pass not.

    Two measurements of the same differ by 2 %, and link rates are known to 9 %.
    """
    stream = load_text(
        '[host]\nmodel = "linux-pc"\n[[volume]]\ndrive = "samsung-990-pro-2tb"\n'
        '[[load]]\nread = "100 %"\nrandom = "0 %"\nsize = "128 KiB"\noutstanding = 4\n'
    ).with_(QUICK)
    (job,) = draw_up(stream, 10).expected.jobs
    found = {one.name: one for one in job.figures}
    size, most = 128 * 1024, 1.02 * 1.09 * 7.2e9
    assert found["iops"].low * size < 7.2e9 < found["iops"].high * size < most
    assert found["read latency"].low > 4 * size / most * 1e3  # ms, by Little's law
