"""Intervals of phases and of rebuilds: in which units and rows a reader sees them."""

from __future__ import annotations

import io

import pytest

import raidsim
from raidsim import Scenario
from raidsim.report import compare_words, html
from raidsim.report import unknowns as words
from raidsim.report.console import ReportConsole
from raidsim.report.curves import curves
from raidsim.report.table import print_unknowns
from raidsim.studies.comparison import Line
from raidsim.studies.point_figures import grows, unit_of

WIDTH = 120
MIRROR = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
level = "raid1"
drives = 2
spares = 1
drive = "nl-sas-2tb"
rebuild_sample = "0.01 %"
[[load]]
read = "70 %"
size = "8 KiB"
outstanding = [1, 2]
[[event]]
kind = "drive-failure"
at = "2 s"
drive = 1
[measure]
min_ios = 1000
precision = "20 %"
"""


@pytest.fixture(scope="module")
def rebuilt() -> raidsim.Result:
    """A mirror that loses a drive and is rebuilt, with ten draws of its cards."""
    return raidsim.run(Scenario.from_text(MIRROR), unknowns=10)


def printed(result: raidsim.Result) -> str:
    stream = io.StringIO()
    for curve in curves(result):
        print_unknowns(curve, result, ReportConsole(stream))
    return stream.getvalue()


def test_the_time_of_a_rebuild_has_an_interval_in_hours_or_days(rebuilt) -> None:
    """As the time of the rebuild itself has: nobody reads "290,000 to 1,210,000" as days."""
    (curve,) = curves(rebuilt)
    found = words.block(curve, rebuilt)
    assert found is not None
    times = [row for row in found.course if row.name == "time of the rebuild of data"]
    assert [row.place for row in times] == ["1", "2"]
    assert all(row.span.endswith((" h", " days")) for row in times)
    figure = words.named(curve.unknowns[0], "rebuild of data, time")
    assert figure is not None
    assert figure.unit == "s"  # in files
    assert figure.low is not None
    assert figure.low > 7200
    assert f"{times[0].span}</td>" in html.render(rebuilt).decode()


def test_ends_of_an_interval_of_times_share_a_unit_where_both_have_it() -> None:
    assert words.durations(290_000, 1_210_000) == "3.36 to 14 days"
    assert words.durations(3600 * 30, 86_400 * 3) == "30 h to 3 days"
    assert words.durations(1.5, 90) == "1.5 to 90 s"


def test_each_phase_has_a_row_so_that_the_table_is_no_wider_than_a_page(rebuilt) -> None:
    text = printed(rebuilt)
    table = text[text.index("outstanding ") : text.index("\nat ")]
    rows = [line for line in table.splitlines() if " IO/s  from " in line]
    assert len(rows) == 6  # three phases of two points
    assert rows[1].endswith("from drive 1 of data fails; rebuild of drive 1 of data begins")
    assert max(map(len, rows)) <= WIDTH


def test_one_point_with_all_its_figures_is_no_wider_than_a_page(rebuilt) -> None:
    scenario = Scenario.from_text(MIRROR).with_("load.outstanding", 2)
    text = printed(raidsim.run(scenario, unknowns=10))
    table = text[text.index("outstanding ") : text.index("\nat ")]
    assert "most of it is" not in table  # the sentence below says it
    assert max(map(len, table.splitlines())) <= WIDTH


def test_a_comparison_says_the_time_of_a_rebuild_in_hours_or_days() -> None:
    line = Line(
        load="load", at="2 outstanding", x=2.0, name="rebuild of data, time", unit="s",
        values=(583_200.0, 7200.0, None), lows=(None,) * 3, highs=(None,) * 3, against=(None,) * 3,
    )  # fmt: skip
    assert compare_words.heading(line) == "rebuild of data, time"
    assert [compare_words.value(line, n) for n in range(3)] == ["6.75 days", "2 h", "-"]


@pytest.mark.parametrize("volume", ["data", "low latency"])
def test_the_time_of_an_operation_is_a_time_whatever_the_volume_is_called(volume) -> None:
    name = f"rebuild of {volume}, time"
    assert unit_of(name) == "s"
    assert not grows(name)


def test_a_rebuild_without_a_load_has_its_interval_too() -> None:
    """Its time is the only figure, so there is no table of rates above it."""
    idle = MIRROR.replace(MIRROR[MIRROR.index("[[load]]") : MIRROR.index("[[event]]")], "")
    found = raidsim.run(Scenario.from_text(idle), unknowns=10)
    text = printed(found)
    assert "time of the rebuild of" in text
    assert "most of it is" not in text
    page = html.render(found).decode()
    assert "time of the rebuild of" in page
    assert "draws of" in page
