"""Reports of arrays: what is alike is said once, and who is worst off is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from matplotlib.figure import Figure
from synthetic import SCENARIO, point, result

from raidsim.observe import limits
from raidsim.report import html
from raidsim.report.course import draw_course
from raidsim.report.curves import OTHERS, curves, stage_groups, stage_time
from raidsim.report.panels import LIGHT, draw_stages
from raidsim.report.table import limit, notes
from raidsim.result import (
    ControllerUse,
    DriveUse,
    Limit,
    Point,
    Result,
    Sample,
    Stage,
    StationUse,
    Temperature,
    WriteMode,
)

MIB = 2**20
USE = DriveUse("data", "ssd", None, None, None, {}, volume="data", protected=True)
CACHE = ControllerUse(
    name="raid",
    cache_bytes=512 * MIB,
    protection="battery",
    battery="good",
    writes={"data": WriteMode("back", "back")},
    reads=1000,
    hits=120,
    dirty_mean=100.0 * MIB,
    dirty_peak=250 * MIB,
    lost_mean=0.0,
    lost_peak=0,
)
VOLUME_OF = {f"data drive {number}": "data" for number in range(24)}


def drives(number: int = 24, **changes: Any) -> list[DriveUse]:
    """The drives of an array; a change that is a function is one of the drive's number."""
    return [
        replace(
            USE,
            name=f"data drive {i}",
            **{key: value(i) if callable(value) else value for key, value in changes.items()},
        )
        for i in range(number)
    ]


def said(*points: Point, of: str = "data") -> list[str]:
    made = result(*points)
    return [text for text in notes(curves(made)[0], made) if text.startswith(of)]


# ---------------------------------------------------------------- drives


def test_24_drives_take_one_line_with_ranges_and_the_worst_drive():
    worn = drives(
        write_amplification=lambda i: 1.0 + 0.001 * i,
        written_per_day_tb=1.0,
        drive_writes_per_day=lambda i: 13.9 if i else 14.3,
        rated_writes_per_day=10.0,
        years_to_rated=lambda i: 3.5 if i == 2 else 3.6,
    )
    assert said(point(32, drives=worn)) == [
        "data, 24 drives: write amplification 1.00 to 1.02, 13.90 to 14.30 drive writes a day each"
        " (rated 10), rated writes reached after 3.500 years (drive 2)"
    ]


def test_what_is_alike_is_said_once():
    worn = drives(2, write_amplification=1.004, drive_writes_per_day=2.0, years_to_rated=5.0)
    (line,) = said(point(32, drives=worn))
    assert line == (
        "data, 2 drives: write amplification 1.00, 2.000 drive writes a day each,"
        " rated writes reached after 5.000 years"
    )


def test_no_drive_is_told_to_last_a_million_years():
    """What is hardly written to would be worn out in a time that no figure stands for."""
    worn = drives(2, write_amplification=1.0, drive_writes_per_day=1e-9, years_to_rated=97963334.0)
    (line,) = said(point(32, drives=worn))
    assert line.endswith("drive writes a day each, rated writes not reached in 100 years")


def test_a_power_cut_costs_what_all_drives_of_a_volume_hold():
    lost = drives(4, protected=False, unsafe_mean=MIB / 2, unsafe_peak=2 * MIB)
    (line,) = said(point(32, drives=lost))
    assert line.startswith("data, 4 drives: a power cut would lose 2,048 KiB on average, 8,192 KiB")


def test_drives_that_throttle_are_counted():
    warm = drives(
        temperature_c=lambda i: Temperature(50.0, 60.0, 68.0 + i, 70.0),
        power_w=20.0,
        throttled=lambda i: 0.25 if i < 3 else 0.0,
        throttles_from_c={"lightly": 75.0},
    )
    assert said(point(32, drives=warm)) == [
        "data, 24 drives: 20.0 W each on average, 68.0 to 70.0 C at most,"
        " 3 of them throttled 25 % of the time"
    ]


def test_the_temperatures_of_24_drives_are_a_band_and_the_hottest():
    warm = drives(
        temperature_c=lambda i: Temperature(40.0, 50.0 + i, 50.0 + i, 80.0),
        throttled=0.0,
    )
    series = [
        Sample(t, 1.0, 1.0, {one.name: 40.0 + t * i / 10 for i, one in enumerate(warm)}, {}, {})
        for t in range(1, 11)
    ]
    figure = Figure()
    draw_course(figure, point(32, drives=warm, series=series), LIGHT)
    below = figure.axes[1]
    names = [text.get_text() for text in below.get_legend().get_texts()]
    assert names == ["all 24 drives", "data drive 23, the hottest"]
    assert below.lines[0].get_ydata()[-1] == pytest.approx(40.0 + 23)


# ---------------------------------------------------------------- what limits


def arms(*busy: float) -> list[StationUse]:
    return [
        StationUse(f"data drive {number}: arm", "disk arm", 1, share, 0.0)
        for number, share in enumerate(busy, 1)
    ]


def test_arms_that_are_alike_limit_together_by_their_mean():
    assert limits.busiest_part(arms(0.8, 0.9, 1.0), VOLUME_OF) == Limit(
        "data: arm",
        "disk arm",
        pytest.approx(0.9),
        drives=3,
        busiest="data drive 3: arm",
        busiest_utilisation=1.0,
    )


def test_a_drive_that_is_far_busier_than_the_others_limits_alone():
    found = limits.busiest_part(arms(0.1, 0.99, 0.1), VOLUME_OF)
    assert found == Limit("data drive 2: arm", "disk arm", 0.99)


def test_a_part_that_drives_share_limits_once_it_is_busier_than_their_mean():
    link = StationUse("expander: up", "shared link", 1, 0.95, 0.0)
    assert limits.busiest_part([*arms(0.9, 0.96), link], VOLUME_OF).station == "expander: up"
    assert limits.busiest_part([*arms(0.95, 0.96), link], VOLUME_OF).kind == "disk arm"


def test_of_parts_as_busy_as_each_other_those_of_its_own_drives_limit_a_load():
    link = StationUse("expander: up", "shared link", 1, 1.0, 0.0)
    own = [f"data drive {number}" for number in (1, 2)]
    assert limits.busiest_part([link, *arms(0.99, 1.0)], VOLUME_OF).station == "expander: up"
    assert limits.busiest_part([link, *arms(0.99, 1.0)], VOLUME_OF, own).station == "data: arm"
    assert limits.busiest_part([link, *arms(0.95, 0.96)], VOLUME_OF, own).station == "expander: up"


def test_dies_count_by_the_mean_over_each_drive_and_over_the_drives():
    dies = [
        StationUse(f"data drive {drive}: die {number}", "flash die", 1, share, 0.0)
        for drive, shares in ((1, (0.2, 0.4)), (2, (0.4, 0.6)))
        for number, share in enumerate(shares)
    ]
    found = limits.busiest_part(dies, VOLUME_OF)
    assert found.station == "data: flash dies"
    assert found.utilisation == pytest.approx(0.4)
    assert found.busiest == "data drive 2: flash dies"
    assert found.busiest_utilisation == pytest.approx(0.5)


def test_drives_of_two_volumes_are_not_mixed():
    other = [StationUse("log drive 1: arm", "disk arm", 1, 0.97, 0.0)]
    found = limits.busiest_part([*arms(0.9, 0.9), *other], VOLUME_OF | {"log drive 1": "log"})
    assert found.station == "log drive 1: arm"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Limit("data: arm", "disk arm", 0.92, 24, "data drive 3: arm", 0.97),
         "disk arm 92 %, busiest 97 %"),
        (Limit("data: arm", "disk arm", 0.996, 24, "data drive 3: arm", 1.0), "disk arm 100 %"),
        (Limit("data drive 3: arm", "disk arm", 0.97), "data drive 3: arm 97 %"),
        (Limit("raid: cores", "controller core", 0.97), "controller core 97 %"),
    ],
)  # fmt: skip
def test_the_table_says_what_limits_in_few_words(found, words):
    assert limit(point(32, drives=drives(), limited_by=found), result()) == words


# ---------------------------------------------------------------- controllers


def test_a_controller_takes_one_line():
    assert said(point(32, controllers=[CACHE]), of="raid") == [
        "raid: write-back, 12 % of reads found in its cache, 100 of 512 MiB dirty on average,"
        " 250 MiB at most, none of it lost in a power cut"
    ]


def test_a_sweep_says_where_most_is_dirty():
    little = replace(CACHE, hits=10, dirty_mean=1.5 * MIB, dirty_peak=9 * MIB)
    (line,) = said(point(1, controllers=[little]), point(32, controllers=[CACHE]), of="raid")
    assert "1 % to 12 % of reads found" in line
    assert "100 of 512 MiB dirty on average at 32 outstanding" in line


@pytest.mark.parametrize(
    ("mode", "state", "words"),
    [
        (("back", "back"), ("battery", "good"), "write-back,"),
        (("back", "through"), ("battery", "low"), "write-through because its battery is low,"),
        (("back", "through"), ("flash", "learning"),
         "write-through because its flash module is in a learn cycle,"),
        (("back", "through"), ("none", "absent"), "write-through because it has no battery,"),
        (("back", "back"), ("battery", "absent"), "write-back although its battery is absent,"),
        (("through", "through"), ("battery", "low"), "write-through,"),
        (("back", "through"), ("flash", "good"), "write-through because the array is lost,"),
    ],
)  # fmt: skip
def test_the_mode_in_effect_is_said_and_why_it_is_not_what_was_asked(mode, state, words):
    protection, battery = state
    one = replace(CACHE, writes={"data": WriteMode(*mode)}, protection=protection, battery=battery)
    (line,) = said(point(32, controllers=[one]), of="raid")
    assert line.startswith(f"raid: {words}")


def test_what_a_power_cut_would_take_is_said():
    bad = replace(CACHE, battery="absent", lost_mean=100.0 * MIB, lost_peak=250 * MIB)
    (line,) = said(point(32, controllers=[bad]), of="raid")
    assert line.endswith("all of it lost in a power cut (strips count as a whole)")
    while_it_learned = replace(CACHE, lost_mean=1.0 * MIB, lost_peak=40 * MIB)
    (line,) = said(point(32, controllers=[while_it_learned]), of="raid")
    assert line.endswith("up to 40 MiB of it lost in a power cut (strips count as a whole)")


def test_what_waits_for_a_lost_array_is_said():
    waiting = replace(CACHE, pinned=30 * MIB)
    (line,) = said(point(32, controllers=[waiting]), of="raid")
    assert line.endswith(", 30 MiB pinned for an array that is lost")


def test_a_controller_without_a_cache_says_nothing():
    bare = replace(CACHE, cache_bytes=0, reads=0, hits=0, dirty_mean=0.0, dirty_peak=0)
    assert said(point(32, controllers=[bare]), of="raid") == []


def test_the_page_names_the_controller():
    scenario = SCENARIO | {"controller": [{"name": "raid", "model": "some-raid", "battery": "low"}]}
    page = html.render(result(point(1, controllers=[CACHE]), scenario=scenario)).decode()
    assert "raid: some-raid, battery low" in page
    assert "12 % of reads found in its cache" in page


# ---------------------------------------------------------------- where the time goes


def many_kinds() -> Result:
    stages = {f"kind {number}": Stage(0.0, float(number)) for number in range(1, 13)}
    return result(point(32, stages=stages))


def test_more_kinds_of_station_than_colours_leave_the_smallest_to_one_group():
    made = many_kinds()
    groups = stage_groups(made.points, 8)
    assert list(groups) == [*(f"kind {number}" for number in range(6, 13)), OTHERS]
    assert groups[OTHERS] == tuple(f"kind {number}" for number in range(1, 6))
    total = stage_time(made.points[0], made.points[0].stages)
    assert sum(stage_time(made.points[0], kinds) for kinds in groups.values()) == total


def test_no_two_groups_share_a_colour_and_the_bars_hold_all_the_time():
    axes = Figure().subplots()
    draw_stages(axes, curves(many_kinds())[0], LIGHT, shares=False)
    bars = [bar for bar in axes.patches if bar.get_height() > 0]
    assert len({bar.get_facecolor() for bar in bars}) == len(bars) == 8
    assert sum(bar.get_height() for bar in bars) == pytest.approx(sum(range(1, 13)))
