"""Pictures that teach: real time below sampled work, throttling shaded, figures under the mouse."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from synthetic import point, result

from raidsim.report import html, plot, readings, sweep_plot, timeline
from raidsim.report.embedded import drawn
from raidsim.report.panels import LIGHT
from raidsim.report.real_time import clock_of, is_steady
from raidsim.result import Course, Event, Moment, OperationUse, Sample

SVG = "{http://www.w3.org/2000/svg}"
HOUR = 3600.0


def rebuild(start=20.0, simulated=40.0, seconds=2 * HOUR, **changes):
    values = {
        "kind": "rebuild", "volume": "data", "drive": 2, "started_s": start, "seconds": seconds,
        "simulated_seconds": simulated, "progress": 1.0, "state": "done", "mbps": 7.0, "found": 0,
        "repaired": 0, "punctured": 0,
    }  # fmt: skip
    return OperationUse(**values | changes)


def course(*operations, events=(), warmer=0.0):
    """A hundred seconds: from 20 to 60 s a rebuild."""
    moments = [
        Moment(float(t), 900.0, 7.0, 9.0, {"data": 30.0 + warmer * t / 100}, {}, {})
        for t in range(5, 101, 5)
    ]
    happened = [Event(20.0, "drive-failure", "drive 2 of data fails"), *events]
    return Course(happened, list(operations or [rebuild()]), [], moments)


def texts(figure):
    return {text.get_text() for axes in figure.axes for text in axes.get_xticklabels()}


# ---------------------------------------------------------------- real time


def test_a_sampled_rebuild_takes_its_real_time_and_the_rest_the_simulated_one():
    clock = clock_of(course())
    assert clock.real_of(10) == 10
    assert clock.real_of(40) == 20 + HOUR  # half of the rows
    assert clock.real_of(100) == 20 + 2 * HOUR + 40
    assert clock.sections == [(20.0, 60.0)]
    words = [words for _, words in clock.ticks()]
    assert words == ["0 s", "10 s", "20 s", "0.5 h", "1 h", "1.5 h", "2.01 h", "2.02 h"]


@pytest.mark.parametrize(
    "found",
    [
        course(rebuild(seconds=40.0)),  # all of it was simulated
        course(rebuild(), rebuild(start=30.0)),  # two at a time, each at a pace of its own
        course(events=[Event(40.0, "drive-failure", "drive 5 of data fails")]),
        course(rebuild(state="under way")),
        course(warmer=10.0),  # a drive warms up in its own time
    ],
)
def test_where_no_one_pace_is_right_nothing_is_stretched(found):
    assert clock_of(found) is None


def test_a_load_with_an_end_is_not_stretched():
    assert is_steady({"load": [{"name": "database", "limit": {}}]})
    assert not is_steady({"load": [{"name": "copy", "limit": {"time": "10 s"}}]})
    assert not is_steady({"load": [], "machine": [{"name": "desktops"}]})


def test_the_axis_of_a_course_tells_real_time_only_where_the_load_is_steady():
    for steady, word in ((True, "1 h"), (False, "100")):
        figure = Figure()
        timeline.draw_timeline(figure, point(8, course=course()), LIGHT, steady=steady)
        assert word in texts(figure)


# ---------------------------------------------------------------- throttling


def test_a_course_with_events_shades_the_times_in_which_a_drive_throttled():
    series = [
        Sample(float(t), 900.0, 7.0, {"data": 60.0}, {"data": 9.0}, state)
        for t, state in ((30, {}), (60, {"data": "lightly"}), (90, {}))
    ]
    figure = Figure()
    timeline.draw_timeline(figure, point(8, course=course(), series=series), LIGHT)
    panels = figure.axes[:-1]
    for axes in panels:
        spans = [patch for patch in axes.patches if patch.get_alpha() == pytest.approx(0.13)]
        assert [(one.get_x(), one.get_x() + one.get_width()) for one in spans] == [(30.0, 60.0)]
    assert "throttled lightly" in panels[0].get_legend_handles_labels()[1]


# ---------------------------------------------------------------- one point


def test_one_point_is_drawn_by_percentile_and_station_and_not_as_a_dot_against_the_load():
    for picture in (plot.render(result(point(32)), ".svg"), html.render(result(point(32)))):
        text = picture.decode()
        assert "outstanding I/Os per worker" not in text
        assert all(f">{words}<" in text for words in ("p99.9", "flash", "waiting"))


def test_several_points_are_drawn_against_the_load():
    text = html.render(result(point(8), point(32))).decode()
    assert "outstanding I/Os per worker" in text
    assert text.count("throughput, IO/s") == 1


def test_a_page_has_one_unit_of_latency():
    # The mean write takes less than a millisecond, and p99 of reads more.
    text = html.render(result(point(512))).decode()
    assert "read latency, ms" in text
    assert not re.search(r"[0-9] us<", text)


# ---------------------------------------------------------------- words on an axis


def swept(key, values):
    rows = [
        {key: value, "iops": 100.0 * n, "iops_low": 99.0 * n, "iops_high": 101.0 * n}
        for n, value in enumerate(values, start=1)
    ]
    return SimpleNamespace(title="RAID", keys=(key,), rows=rows, check=lambda *_: None)


def test_a_sweep_over_words_has_bars_and_one_over_numbers_a_line():
    words = sweep_plot.figure(swept("volume.level", ["raid5", "raid6", "raid10"])).axes[0]
    assert [bar.get_height() for bar in words.patches] == [100, 200, 300]
    assert not words.get_lines()
    numbers = sweep_plot.figure(swept("volume.drives", [4, 6, 8])).axes[0]
    assert [list(line.get_ydata()) for line in numbers.get_lines()] == [[100, 200, 300]]
    assert not numbers.patches


# ---------------------------------------------------------------- under the mouse


def shapes_of(draw, kind):
    """A figure on a page, and the shapes of a kind that say something."""
    text = str(drawn(draw, "name", "label", (5, 4)))
    groups = ET.fromstring(text).iter(f"{SVG}g")
    (readings_of_it,) = [one for one in groups if one.get("class") == "readings"]
    return text, list(readings_of_it.iter(f"{SVG}{kind}"))


def test_a_point_says_its_figures_and_the_circle_lies_over_it():
    def draw(figure):
        axes = figure.subplots()
        axes.plot([1, 8, 64], [9_977.4, 57_623, float("nan")], marker="o", label="completed")
        axes.set_xlabel("outstanding I/Os per worker")
        axes.set_ylabel("throughput, IO/s")

    text, circles = shapes_of(draw, "circle")
    assert [one[0].text for one in circles] == [
        "1 outstanding I/Os per worker\ncompleted: 9,977 IO/s",
        "8 outstanding I/Os per worker\ncompleted: 57,623 IO/s",
    ]
    markers = re.findall(
        r'<use xlink:href="[^"]+" x="([\d.]+)" y="([\d.]+)" style="fill: #1f77b4', text
    )
    for circle in circles:  # where matplotlib put the marker
        place = float(circle.get("cx")), float(circle.get("cy"))
        assert any(pytest.approx(place, abs=0.1) == (float(x), float(y)) for x, y in markers)


def test_curves_over_time_say_all_their_figures_at_once():
    def draw(figure):
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot([0, 1, 2], [900, 900, 450], label="throughput")
        below.plot([0, 1, 2], [9, 9, 18.25], label="mean latency")
        above.set_ylabel("IO/s")
        below.set_ylabel("latency, ms")
        below.set_xlabel("time, s")

    _, strips = shapes_of(draw, "rect")
    assert [one[0].text for one in strips] == [
        "time: 1 s\nthroughput: 900 IO/s\nmean latency: 9 ms",
        "time: 2 s\nthroughput: 450 IO/s\nmean latency: 18.25 ms",
    ]


def test_bars_say_what_they_are():
    def draw(figure):
        axes = figure.subplots()
        axes.barh([0, 1], [3.5, 0], label="served")
        axes.set_yticks([0, 1], ["disk arm", "link"])
        axes.set_xlabel("mean time per I/O, ms")

    _, bars = shapes_of(draw, "rect")
    assert [one[0].text for one in bars] == ["disk arm\nserved: 3.5 ms"]


def test_names_in_a_picture_do_not_become_markup():
    def draw(figure):
        figure.subplots().plot([1, 2], [1, 2], marker="o", label="<b>&")

    assert "&lt;b&gt;&amp;: 2" in str(drawn(draw, "name", "label", (5, 4)))


def test_an_empty_figure_has_nothing_under_the_mouse():
    assert readings.of(Figure()) == ""
