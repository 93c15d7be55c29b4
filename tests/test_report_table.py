"""The table of a run says what was measured, in one unit, at any width."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from synthetic import SCENARIO, latency, point, result

from raidsim.layout.tables import READ
from raidsim.observe import figures
from raidsim.report import numbers, table
from raidsim.report.console import ReportConsole
from raidsim.result import (
    FROM_THE_START,
    Counts,
    Course,
    DriveUse,
    Interval,
    Limit,
    Phase,
    Result,
)
from raidsim.stats import histogram

DATABASE = """\
database: 8 KiB, 67 % read, 100 % random, 32 GiB of data

                         ± at               read latency, ms               write latency, ms
outstanding     IO/s     95 %   MB/s   mean   p50   p95   p99 p99.9   mean   p50   p95   p99 p99.9  limited by
──────────────────────────────────────────────────────────────────────────────────────────────────────────────
          1    9,500   0.50 %   74.2  0.132 0.122 0.224 0.316 0.592  0.053 0.049 0.089 0.126     -  flash 5 %
         32  119,216  !0.50 %  931.4  0.336 0.312 0.570 0.805 1.510  0.134 0.125 0.228 0.322     -  flash 63 %
        512  183,202   0.50 %   1431  3.493 3.249 5.939 8.384 15.72  1.397 1.300 2.376 3.354     -  flash 96 %

IO/s with half the 95 % interval; MB/s of 2^20 bytes
- not shown: fewer than ten samples lie beyond it
! not converged: why is said below
32 outstanding: 7 of 22,000 I/Os timed out, those of the warm-up included

data: single drive, intel-p3700-800gb, 800 GB, no drive may fail, 4 W idle, at most 25 W
"""  # noqa: E501 - the table as it is


def piped(shown: Result) -> str:
    text = io.StringIO()
    table.print_result(shown, ReportConsole(text))
    return text.getvalue()


def on_terminal(shown: Result, width: int) -> list[str]:
    text = io.StringIO()
    table.print_result(shown, Console(file=text, width=width, force_terminal=True, no_color=True))
    plain = text.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    return [line.rstrip() for line in plain.splitlines()]


def three_points() -> Result:
    late = point(32, converged=False, counts=Counts(22_000, 21_961, 0, 7, 32, 20_000))
    return result(point(1), late, point(512))


def test_the_table_of_a_closed_sweep() -> None:
    assert piped(three_points()) == DATABASE


def test_a_piped_table_is_plain_text() -> None:
    text = piped(result())
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_table_fits_the_terminal(width: int) -> None:
    lines = on_terminal(three_points(), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    assert any("119,216" in line for line in lines)


def test_on_a_narrow_terminal_reads_and_writes_take_a_row_each() -> None:
    rows = [line.split()[-6:] for line in on_terminal(three_points(), 85) if "write" in line]
    assert [row[1] for row in rows] == ["0.053", "0.134", "1.397"]


@pytest.mark.parametrize(
    ("mean_ms", "unit", "shown"),
    [(0.2, "us", "200.0"), (0.3, "ms", "0.300"), (12.0, "ms", "12.00")],
)
def test_a_table_has_one_unit_of_latency(mean_ms: float, unit: str, shown: str) -> None:
    """Microseconds while even the p99.9, here 4.5 means, is below a millisecond."""
    text = piped(result(point(8, latency_ms={"read": latency(mean_ms), "write": None})))
    assert f"read latency, {unit}" in text
    assert shown in text.split()


def test_a_load_of_reads_has_no_columns_for_writes() -> None:
    text = piped(result(point(4, kinds=("read",))))
    assert "read latency" in text
    assert "write" not in text.splitlines()[2]


def test_every_load_has_its_table() -> None:
    lines = piped(result(point(4, load="a"), point(8, load="b"), point(8, load="a"))).splitlines()
    assert [line for line in lines if line in ("a", "b")] == ["a", "b"]
    assert sum("standing" in line for line in lines) == 2


def test_an_open_sweep_is_listed_by_its_offered_rate() -> None:
    text = piped(result(point(None, rate=1000.0), point(None, rate=150_000.0)))
    assert "offered" in text
    assert any(line.split()[:2] == ["150,000", "150,000"] for line in text.splitlines())


def test_a_rate_of_several_workers_is_that_of_each() -> None:
    """1,000 offered and 4,000 that came out were not explained."""
    text = piped(result(point(None, rate=1000.0, workers=4), point(None, rate=2000.0, workers=4)))
    assert "each of the 4 workers is offered that rate" in text
    assert "1,000 IO/s offered x 4 workers" in str(result(point(None, rate=1000.0, workers=4)))
    assert "is offered that rate" not in piped(result(point(None, rate=1000.0)))


def test_a_load_that_stays_the_same_while_another_varies_is_listed_by_step() -> None:
    text = piped(result(point(4), point(4), point(4)))
    rows = [line.split()[0] for line in text.splitlines() if "flash" in line]
    assert rows == ["1", "2", "3"]


def test_several_volumes_are_named_with_what_limits_them() -> None:
    drive = SCENARIO["volume"][0]
    scenario = SCENARIO | {"volume": [drive, drive | {"name": "log"}]}
    text = piped(result(point(4), scenario=scenario))
    assert "data: flash 17 %" in text


def test_what_was_not_measured_is_a_dash() -> None:
    nothing: dict[str, Any] = {"read": None, "write": None}
    empty = point(4, iops=Interval(0.0, None, None), mbps=0.0, latency_ms=nothing, limited_by=None)
    row = next(line for line in piped(result(empty)).splitlines() if line.split()[:1] == ["4"])
    assert row.split() == ["4", "0.0", "-", "0.0", "-"]


def test_warnings_of_a_point_stand_below_the_table() -> None:
    text = piped(result(point(4, warnings=["saturated"]), point(None, rate=2e5, load="open")))
    assert "4 outstanding: saturated" in text


def test_what_did_not_end_well_is_the_first_remark() -> None:
    failed = Counts(100, 90, 10, 0, 0, 0)
    points = [point(n, warnings=["slow"], counts=failed) for n in (1, 2)]
    text = piped(result(*points))
    assert text.index("every point: 10 of 100 I/Os failed") < text.index("every point: slow")


def test_beside_events_failures_are_counted_as_in_the_table_from_event_to_event() -> None:
    rate, health = Interval(450.0, None, None), {"data": "optimal"}
    phases = [
        Phase("start", 0.0, 1.0, health, rate, 3.5, {}, 0, 0),
        Phase("power is cut", 1.0, 2.0, health, rate, 3.5, {}, 8, 2),
    ]
    counts = Counts(1910, 1900, 8, 2, 0, 900)  # 1,000 of them in the warm-up
    text = piped(result(point(4, counts=counts, course=Course([], [], phases, []))))
    assert "8 of 910 I/Os failed\n" in text
    assert "2 of 910 I/Os timed out\n" in text


def test_failures_that_are_counted_from_the_start_are_said_to_be() -> None:
    failed = Counts(100, 90, 10, 0, 0, 80)
    warmed = piped(result(point(4, counts=failed, warmup_s=2.0)))
    assert "10 of 100 I/Os failed, those of the warm-up included" in warmed
    at_once = piped(result(point(4, counts=failed, warmup_s=0.0)))
    assert "10 of 100 I/Os failed\n" in at_once


def test_a_load_with_an_end_has_no_mark_of_what_did_not_converge() -> None:
    ended = {"iops": Interval(9e3, None, None), "converged": False}
    assert "!-" in piped(result(point(4, **ended)))
    text = piped(result(point(4, **ended, warnings=[FROM_THE_START, "stopped at 2 s"])))
    assert "!" not in text


@pytest.mark.parametrize(
    ("station", "share", "words"),
    [
        ("data: data path", 1.0, "data path 63 %, throttled"),
        ("data: data path", 0.25, "data path 63 %, throttled 25 % of the time"),
        ("data: data path", 0.0, "data path 63 %"),
        ("host CPU", 1.0, "data path 63 %"),
    ],
)
def test_a_limit_that_throttling_makes_is_said_to_be_so(
    station: str, share: float, words: str
) -> None:
    drive = DriveUse("data", "ssd", 4.6, None, share, {}, volume="data")
    warm = point(4, drives=[drive], limited_by=Limit(station, "data path", 0.63))
    row = next(line for line in piped(result(warm)).splitlines() if line.split()[:1] == ["4"])
    assert row.endswith(words)


def test_names_are_never_read_as_markup() -> None:
    assert "[red]odd" in piped(result(point(4, load="[red]odd", limited_by=Limit("x", "[b]", 0.5))))


def test_what_is_said_of_several_points_is_said_once() -> None:
    text = piped(result(*(point(n, warnings=["slow"] if n < 4 else []) for n in (1, 2, 4))))
    assert "1, 2 outstanding: slow" in text
    text = piped(result(*(point(n, warnings=["slow"]) for n in (1, 2, 4))))
    assert text.count("slow") == 1
    assert "every point: slow" in text


def test_points_that_differ_only_by_step_are_called_by_it() -> None:
    text = piped(result(point(4), point(4, warnings=["slow"]), point(4)))
    assert "step 2: slow" in text


def test_equal_points_are_still_told_apart() -> None:
    slow = point(4, warnings=["slow"])
    assert "step 2, 3: slow" in piped(result(point(4), slow, slow))


@pytest.mark.parametrize(
    ("value", "rate", "throughput"),
    [(0, "0.0", "0.0"), (0.00164, "0.0016", "0.0016"), (0.0391, "0.039", "0.039"),
     (0.06, "0.1", "0.1"), (99.9, "99.9", "99.9"), (1234.5, "1,234", "1234")],
)  # fmt: skip
def test_what_is_not_zero_does_not_look_so(value, rate, throughput):
    assert (numbers.count(value), numbers.mbps(value)) == (rate, throughput)


@pytest.mark.parametrize(
    ("power", "alone", "below_others"),
    [
        (0.0, "0 W", "0.0"),
        (0.03, "0.03 W", "0.03"),
        (0.18, "0.18 W", "0.18"),
        (0.5, "0.5 W", "0.5"),
        (0.999, "1 W", "1.0"),
        (1.3, "1.3 W", "1.3"),
        (4.0, "4 W", "4.0"),
        (10.2, "10 W", "10.2"),
        (1240.0, "1,240 W", "1,240.0"),
    ],
)
def test_less_than_a_watt_has_digits(power, alone, below_others):
    """A drive of personal computers takes 30 mW when it sleeps, which was told as 0 W."""
    assert numbers.watts(power) == alone
    assert numbers.watts_of_a_column(power) == below_others


@pytest.mark.parametrize(
    ("reads", "uncertain"), [(100_000, []), (99_999, ["p99.9"]), (9_999, ["p99"])]
)
def test_a_remark_on_few_reads_names_the_percentile_as_the_table_does(
    reads: int, uncertain: list[str]
) -> None:
    """Of N reads N/1000 take longer than p99.9; a percentile that is not shown has no remark."""
    counted = np.zeros(histogram.BINS, np.int64)
    counted[histogram.bin_of(100_000)] = reads
    remarks = figures.percentiles_of_few(counted, READ, "read")
    assert [remark.split(" of reads ")[0] for remark in remarks] == uncertain
    assert all(name in DATABASE for name in uncertain)
