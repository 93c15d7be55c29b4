"""A scenario with drives that warm: what its result says, and the picture of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import synthetic

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.report import html, plot
from raidsim.report.course import course_of
from raidsim.report.curves import curves
from raidsim.result import DriveUse, Point, Result, Sample, Temperature
from raidsim.running import run

SMALL = {
    "heat.inner_capacity": "0.5 J/K",
    "heat.inner_resistance": "0.25 K/W",
    "heat.case_capacity": "2 J/K",
}


def result(
    air: dict[str, str], seconds: float = 2, changes: dict[str, str] | None = None, **load: Any
) -> Result:
    """Sequential writes to a small 2.5-inch P3700 for a time, in some air."""
    words = {"read": "0 %", "random": "0 %", "size": "256 KiB", "outstanding": 8}
    words["limit"] = {"time": f"{seconds} s"}
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [
            {"drive": "intel-p3700-800gb-sff", "set": SMALL if changes is None else changes}
        ],
        "load": [words | load],
        "air": air,
    }
    return run(scenario.from_data(data))


def point(*arguments: Any, **keys: Any) -> Point:
    return result(*arguments, **keys).points[0]


def test_no_window_has_more_power_than_a_drive_takes_at_most() -> None:
    data = {
        "host": {"model": "intel-xeon-8380-pair"},
        "volume": [{"drive": "intel-p3700-800gb", "state": "fresh"}],
        "load": [{"read": "0 %", "size": "4 KiB", "align": "512 B", "outstanding": 32}],
        "measure": {"precision": "2 %", "min_ios": 20_000},
    }
    (measured,) = run(scenario.from_data(data)).points
    assert measured.window_s < 0.1  # shorter than a step of the heat, which began before it
    assert measured.drives[0].power_w == pytest.approx(25)


def test_what_collection_moves_takes_power_where_a_card_has_no_energies() -> None:
    words = {"read": "0 %", "size": "16 KiB", "outstanding": 32}
    data = {
        "host": {"model": "intel-xeon-8380-pair"},
        "volume": [{"drive": "solidigm-p5336-61440gb"}],
        "load": [words],
        "measure": {"precision": "5 %", "min_ios": 5000, "max_ios": 20_000},
    }
    (use,) = run(scenario.from_data(data)).points[0].drives
    # Steady, it moves four units for each that is written: its channels are busy for two thirds.
    assert use.write_amplification is not None
    assert use.write_amplification > 4
    idle, most = 5, 25
    assert use.power_w == pytest.approx(idle + 0.65 * (most - idle), rel=0.1)


@pytest.fixture(scope="module")
def obstructed() -> Result:
    return run(scenario.load("p3700-obstructed"))


def test_with_obstructed_airflow_a_p3700_throttles_and_stays_below_71_degrees(
    obstructed: Result,
) -> None:
    (found,) = obstructed.points
    (drive,) = found.drives
    assert found.mbps == pytest.approx(1270, rel=0.01)
    assert drive.temperature_c.start == pytest.approx(45.2, abs=0.1)
    assert drive.temperature_c.highest == pytest.approx(70.0, abs=0.1)
    assert drive.throttled == pytest.approx(0.594, abs=0.01)
    assert drive.power_w == pytest.approx(18.9, abs=0.1)
    states = [sample.throttled.get("data", "") for sample in found.series]
    turns = [a for a, b in zip(["-", *states], states, strict=False) if a != b]
    assert turns[:6] == ["-", "", "lightly", "heavily", "lightly", "heavily"]


def test_the_samples_of_a_run_add_up_to_it(obstructed: Result) -> None:
    (found,) = obstructed.points
    times = [0.0, *(sample.time_s for sample in found.series)]
    widths = [b - a for a, b in pairwise(times)]
    assert 300 <= len(found.series) <= 600
    assert widths == pytest.approx([widths[0]] * len(widths))
    ios = sum(s.iops * width for s, width in zip(found.series, widths, strict=True))
    assert ios == pytest.approx(found.counts.completed, rel=2 / len(widths))
    energy = sum(s.power_w["data"] * width for s, width in zip(found.series, widths, strict=True))
    assert energy / times[-1] == pytest.approx(found.drives[0].power_w, rel=0.01)


def test_as_released_a_p3700_writes_at_full_speed_at_25_watts() -> None:
    found = point({"ambient": "35 C", "start": "warm"}, seconds=2, changes={})
    (drive,) = found.drives
    assert drive.power_w == pytest.approx(25, rel=0.02)
    assert drive.throttled == 0
    assert drive.temperature_c.start == pytest.approx(drive.temperature_c.end, abs=0.2)
    assert 60 < drive.temperature_c.end < 68
    assert not any("throttle" in text for text in found.warnings)


def test_a_run_that_is_too_short_says_that_the_drive_would_throttle() -> None:
    found = point({"ambient": "35 C", "airflow": "20 %"}, seconds=1, changes={})
    assert found.drives[0].throttled == 0
    (warning,) = [text for text in found.warnings if "throttle" in text]
    assert "data would reach 99 C and throttle (from 68 C on): simulate longer" in warning


def test_a_drive_that_begins_warm_does_not_begin_beyond_its_throttling() -> None:
    found = point({"ambient": "35 C", "airflow": "0 %", "start": "warm"})
    assert 67 < found.drives[0].temperature_c.start < 70
    assert found.drives[0].temperature_c.highest < 71
    assert found.drives[0].throttled > 0.9


TINY = SMALL | {"heat.inner_capacity": "0.1 J/K", "heat.case_capacity": "0.4 J/K"}
HOT = {"ambient": "35 C", "airflow": "20 %", "start": "warm"}


def measured(air: dict[str, str], **measure: Any) -> Point:
    """Sequential writes to the same drive, measured as a steady state."""
    load = {"read": "0 %", "random": "0 %", "size": "1 MiB", "outstanding": 8}
    return run(
        scenario.from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1"},
                "volume": [{"drive": "intel-p3700-800gb-sff", "set": TINY}],
                "load": [load],
                "air": air,
                "measure": {"precision": "3 %", "min_ios": 2000} | measure,
            }
        )
    ).points[0]


def test_a_drive_that_throttles_and_cools_is_measured_over_whole_periods_of_that() -> None:
    found = measured(HOT)
    long = result(HOT | {"start": "idle"}, 20, TINY, size="1 MiB").points[0]
    later = [sample.iops for sample in long.series if sample.time_s > 2]
    assert found.converged
    assert found.drives[0].throttled > 0.1
    assert found.window_s > 5
    assert found.iops.mean == pytest.approx(sum(later) / len(later), rel=0.03)


def test_too_few_periods_of_throttling_are_said_and_do_not_converge() -> None:
    found = measured(HOT, max_time="1 s")
    assert not found.converged
    (warning,) = [text for text in found.warnings if "throttles and cools" in text]
    assert "where 10 are needed; raise measure.max_time" in warning
    # What a part of a period says is far off, however narrow its interval is.
    assert not measured(HOT | {"start": "idle"}, max_time="100 ms").converged


def test_a_drive_that_finds_a_speed_that_it_can_keep_begins_at_that() -> None:
    found = measured({"ambient": "35 C", "airflow": "40 %", "start": "warm"})
    (drive,) = found.drives
    assert found.converged
    assert drive.throttled == pytest.approx(1)
    assert drive.temperature_c.start == pytest.approx(drive.temperature_c.steady, abs=0.3)


def test_a_measured_load_gets_its_drives_temperature_over_the_window() -> None:
    data = {"read": "100 %", "size": "4 KiB", "outstanding": 1}
    single = run(
        scenario.from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1"},
                "volume": [{"drive": "intel-p3700-800gb"}],
                "load": [data],
                "measure": {"min_ios": 1000, "max_ios": 2000, "precision": "10 %"},
            }
        )
    ).points[0]
    assert single.window_s < 1
    assert single.series == []
    assert 4 < single.drives[0].power_w < 5
    assert single.drives[0].temperature_c.steady == pytest.approx(
        25 + single.drives[0].power_w * 0.45, abs=0.01
    )


@pytest.mark.parametrize(
    ("air", "words"),
    [
        ({"ambient": "200 C"}, "too large"),
        ({"airflow": "-5 %"}, "airflow"),
        ({"start": "hot"}, "idle"),
        ({"wind": "1"}, "unknown key"),
    ],
)
def test_air_that_cannot_be_is_refused(air: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        result(air)


def test_air_is_written_out_and_can_be_set_on_the_command_line() -> None:
    found = scenario.load("p3700-restore", ["air.ambient=31 C"]).resolved()
    assert found["air"] == {"ambient": "31 C", "airflow": "100 %", "start": "idle"}


# -- the picture --------------------------------------------------------------------------------


def warmed(highest: float, throttled: float = 0.0) -> Result:
    """A made-up result of a drive that warms in a straight line, and throttles at its end."""
    states = ["", "lightly", "heavily", ""]
    series = [
        Sample(
            10.0 * n,
            1000.0,
            1000.0 - 50 * n,
            {"data": 40 + (highest - 40) * n / 20},
            {"data": 20.0},
            {"data": state} if throttled and (state := states[n // 6]) else {},
        )
        for n in range(1, 21)
    ]
    drive = DriveUse(
        "data", "ssd", 20.0, Temperature(40.0, highest, highest, highest), throttled,
        {"lightly": 68.0, "heavily": 70.0},
    )  # fmt: skip
    return synthetic.result(synthetic.point(8, drives=[drive], series=series))


def test_a_run_in_which_a_drive_warms_is_drawn_over_time() -> None:
    text = plot.render(warmed(70.0, 0.5), ".svg").decode()
    for words in (
        "time, s",
        "temperature, C",
        "throughput, MB/s",
        "throttles lightly from 68 C",
        "throttles heavily from 70 C",
        ">throttled lightly<",
        ">throttled heavily<",
        "mean of every 10 s",
    ):
        assert words in text
    page = html.render(warmed(70.0, 0.5)).decode()
    assert "Over time" in page
    assert "throttles lightly from 68 C" in page


def test_thresholds_far_above_the_temperature_are_not_drawn() -> None:
    text = plot.render(warmed(46.0), ".svg").decode()
    assert "temperature, C" in text
    assert "throttles" not in text
    assert "throttled" not in text


def test_a_run_in_which_nothing_warms_has_no_picture_over_time() -> None:
    for found in (warmed(41.0), synthetic.result()):
        assert course_of(curves(found)[0]) is None
        assert "temperature" not in plot.render(found, ".svg").decode()


def test_a_long_course_counts_minutes() -> None:
    found = warmed(60.0)
    (one,) = found.points
    series = [replace(sample, time_s=60 * sample.time_s) for sample in one.series]
    text = plot.render(replace(found, points=[replace(one, series=series)]), ".svg").decode()
    assert "time, min" in text
