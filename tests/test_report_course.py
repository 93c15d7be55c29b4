"""Reports of scenarios with events: the table, the picture, the page, CSV, and what check says."""

from __future__ import annotations

import csv
import io
import re

import pytest
from events import DATABASE, at, scenario
from rich.console import Console

from raidsim.report import check_text, csv_file, event_findings, html, phases, plot, table, timeline
from raidsim.report.event_words import lines
from raidsim.report.finding import Severity
from raidsim.result import Course, Interval, Moment, OperationUse, Phase
from raidsim.running import run
from raidsim.scenario import from_data

EVENTS = (
    at("5 s", "drive-failure", drive=2),
    at("6 s", "battery", state="low", for_="1 s"),
)


@pytest.fixture(scope="module")
def result():
    """A drive fails, a spare is rebuilt, and meanwhile the battery is low for a second."""
    return run(scenario(*EVENTS, spares=1, write="back"))


def printed(result, width=160):
    """What run prints of a result."""
    console = Console(file=io.StringIO(), width=width)
    table.print_result(result, console)
    return console.file.getvalue()


def test_the_table_has_a_row_for_each_phase(result):
    text = printed(result)
    section = text.split("from event to event:")[1]
    assert re.search(r"0 +5 +[0-9,]+ .* optimal +start", section)
    words = r"drive 2 of data fails; rebuild of drive 2 of data begins"
    assert re.search(rf"5 +6 +[0-9,]+ .* rebuilding +{words}", section)
    assert "battery of controller as before" in section


def test_operations_stand_below_the_tables_with_what_they_took(result):
    (line,) = phases.lines(result)
    assert re.fullmatch(
        r"rebuild of drive 2 of data: done after [0-9.]+ (min|h), [0-9.]+ MB/s of each drive"
        r" \(2\^20 bytes\),"
        r" extrapolated from [0-9.]+ s simulated",
        line,
    )
    assert line in printed(result, width=300)


def test_a_second_failure_is_said_to_have_lost_data():
    failures = (at("5 s", "drive-failure", drive=2), at("6 s", "drive-failure", drive=0))
    (line,) = phases.lines(run(scenario(*failures, measure={"duration": "8 s"})))
    assert line.startswith("data: data is lost from 6 s on, and figures after that are of the I/Os")


def test_a_course_is_not_called_unconverged(result):
    assert "not converged" not in printed(result)


def test_the_picture_has_units_on_every_axis_and_says_what_happened(result):
    picture = plot.render(result, ".svg").decode()
    for words in ("IO/s", "latency, ms", "cache, MiB", "done, %", "time, s"):
        assert words in picture
    assert "drive 2 of data fails" in picture
    assert "rebuild of drive 2 of data: done" in picture
    assert plot.render(result, ".png").startswith(b"\x89PNG")


def test_one_point_with_events_is_drawn_over_time_only(result):
    assert "outstanding I/Os per worker" not in plot.render(result, ".svg").decode()


def test_a_sweep_with_events_is_drawn_both_ways():
    sweep = {**DATABASE, "outstanding": [1, 4]}
    found = run(scenario(at("1 s", "drive-failure", drive=0), loads=(sweep,)))
    picture = plot.render(found, ".svg").decode()
    assert "outstanding I/Os per worker" in picture
    assert picture.count("drive 0 of data fails") == 2


def test_equal_results_give_equal_pictures(result):
    assert plot.render(result, ".svg") == plot.render(result, ".svg")


def test_the_page_has_the_picture_and_the_phases(result):
    page = html.render(result).decode()
    assert "From event to event" in page
    assert page.count("rebuild of drive 2 of data: done") >= 2  # in the picture and the table
    assert '<td class="text">rebuilding</td>' in page


def test_a_page_without_loads_has_no_figures_of_any():
    spec = from_data(
        {
            "host": {"model": "fujitsu-rx300-s4"},
            "volume": [
                {"name": "data", "level": "raid5", "drives": 4, "drive": "seagate-st373455ss",
                 "spares": 1, "rebuild_sample": "0.1 %"}
            ],
            "event": [at("1 s", "drive-failure", drive=2)],
        }
    )  # fmt: skip
    page = html.render(run(spec)).decode()
    assert "rebuild of drive 2 of data: done" in page
    assert "most I/Os" not in page
    assert "limited by" not in page
    assert page.count("<svg") == 1  # its course


def test_csv_has_a_row_for_the_whole_course_and_one_for_each_phase(result):
    (point,) = result.points
    rows = list(csv.DictReader(io.StringIO(csv_file.render(result).decode())))
    assert [row["phase"] for row in rows] == ["", *(one.name for one in point.course.phases)]
    assert rows[1]["health"] == "optimal"
    assert float(rows[1]["phase to [s]"]) == 5.0
    assert float(rows[1]["throughput [IO/s]"]) == point.course.phases[0].iops.mean
    assert rows[0]["limited by"]
    assert not rows[1]["limited by"]


def test_check_says_what_the_events_will_do():
    console = Console(file=io.StringIO(), width=200)
    console.print(check_text._contents(scenario(*EVENTS, spares=1, write="back")))
    text = console.file.getvalue()
    assert "at 5 s: drive 2 of data fails; a hot spare takes its place and is rebuilt" in text
    assert "data falls to write-through, and dirty data goes to the drives; 1 s later" in text
    assert "until all that the events begin is over, and 5 s more, 10 min at most" in text


def test_check_counts_the_drives_that_may_still_fail():
    events = (at("1 s", "drive-failure", drive=0), at("2 s", "drive-failure", drive=1))
    assert [line.split("; ")[1] for line in lines(scenario(*events, level="raid6"))] == [
        "the array is degraded, and any 1 more may fail",
        "the array is degraded, and no other drive may fail",
    ]
    assert list(lines(scenario(*events)))[1].endswith("data may be lost")


def test_check_warns_of_a_failure_beside_a_rebuild():
    events = (at("1 s", "drive-failure", drive=0), at("2 s", "drive-failure", drive=1))
    first, second = lines(scenario(*events, spares=1))
    assert first.endswith("a hot spare takes its place and is rebuilt")
    assert second.endswith("if no hot spare is still being rebuilt: else data may be lost")


def test_while_a_spare_is_rebuilt_raid_6_survives_one_failure_and_no_two():
    events = (at("1 s", "drive-failure", drive=0), at("2 s", "drive-failure", drive=1))
    _, second = lines(scenario(*events, level="raid6", spares=1))
    assert "any 1 more may fail, if no hot spare is still being rebuilt: else data" in second


def test_check_says_where_the_hot_spare_goes_after_a_copy_back():
    first = at("1 s", "drive-failure", drive=0), at("50 s", "replacement", drive=0)
    other = at("52 s", "drive-failure", drive=1)
    _, back, missing = lines(scenario(*first, other, spares=1))
    assert back.endswith("73.41 GB are copied back from the hot spare, which is free then")
    assert missing.endswith("the hot spare takes its place once the copy-back is over")
    found = scenario(*first, at("2 s", "drive-failure", drive=1), level="raid6", spares=1)
    assert list(lines(found))[2].endswith("which is free then, and takes the place of drive 1")
    scenario(*first, other, at("5 min", "drive-failure", drive=1), spares=1)  # it may fail again


def test_check_says_that_a_new_drive_of_software_raid_is_a_spare():
    host = {"controllers": (), "level": "raid6", "spares": 1}
    failed, other = (at(f"{n + 1} s", "drive-failure", drive=n) for n in range(2))
    back, again = at("3 s", "replacement", drive=0), at("4 s", "drive-failure", drive=1)
    assert list(lines(scenario(failed, back, **host)))[1].endswith("the new drive is a hot spare")
    assert list(lines(scenario(failed, back, again, **host)))[2].endswith("and is rebuilt")
    found = scenario(failed, other, back, again, **host)
    text = "the new drive takes the place of drive 1, and 73.41 GB are restored"
    assert list(lines(found))[2].endswith(text)
    assert not list(event_findings.events_that_may_be_refused(found))


@pytest.mark.parametrize("kind", ["copy-back", "rebuild", "replacement", "consistency-check"])
def test_check_warns_of_work_that_a_run_refuses_while_a_spare_is_rebuilt(kind):
    drive = {} if kind == "consistency-check" else {"drive": 0}
    work = at("2 s", kind, **drive)
    first = at("1 s", "drive-failure", drive=0)
    (found,) = event_findings.events_that_may_be_refused(
        scenario(first, work, spares=1, rebuild_sample="100 %")
    )
    assert str(found).startswith(f"event {kind} at 2 s: a run refuses it: drive 0 of data is still")
    later = at("9 min", kind, **drive)
    (found,) = event_findings.events_that_may_be_refused(
        scenario(first, later, spares=1, rebuild_sample="1 %")
    )
    assert found.severity == Severity.info
    assert "if drive 0 of data is still being rebuilt" in str(found)


def test_a_drive_that_failed_without_a_spare_may_be_rebuilt_at_once_but_not_checked():
    failed, back = (at("1 s", "drive-failure", drive=0), at("2 s", "replacement", drive=0))
    assert not list(event_findings.events_that_may_be_refused(scenario(failed, back)))
    check = at("2 s", "consistency-check")
    (found,) = event_findings.events_that_may_be_refused(scenario(failed, check))
    assert "is missing" in str(found)


def test_check_says_what_a_power_cut_costs():
    cut = at("1 s", "power-cut")
    (safe,) = lines(scenario(cut, write="back", disk_cache="off"))
    assert "is lost" not in safe
    (disks,) = lines(scenario(cut, disk_cache="on"))
    assert "what the disks of data have in their write caches is lost" in disks
    (software,) = lines(scenario(cut, controllers=(), controller="host", intent="bitmap"))
    assert "afterwards data is resynced, the chunks last written to" in software


@pytest.mark.parametrize(("level", "resyncs"), [("raid5", False), ("raid6", True)])
def test_check_says_whether_a_degraded_array_is_resynced(level, resyncs):
    found = scenario(at("1 s", "power-cut"), controllers=(), level=level, failed=[0])
    (line,) = lines(found)
    assert ("data is not resynced: nothing is left to compare" in line) != resyncs
    assert ("data is resynced, all of it" in line) == resyncs


def test_check_says_where_nothing_comes_of_an_event():
    (line,) = lines(scenario(at("1 s", "fan-failure", airflow="10 %")))
    assert line.endswith("it has no effect: no card says how its drives warm")


# ---- made-up courses


def moments(*rates: float) -> list[Moment]:
    """A moment for each second."""
    return [Moment(n + 1.0, rate, rate / 128, 1.0, {}, {}, {}) for n, rate in enumerate(rates)]


def test_a_long_timeline_is_thinned_without_losing_ios():
    line = moments(*range(1, 601))
    thin = timeline._thinned(line)
    starts = [0.0, *(one.time_s for one in thin[:-1])]
    assert len(thin) <= timeline.MOST_POINTS
    total = sum(one.iops * (one.time_s - start) for one, start in zip(thin, starts, strict=True))
    assert total == pytest.approx(sum(range(1, 601)))
    assert thin[-1].time_s == 600


def test_a_temperature_is_drawn_only_if_it_moved():
    still = [Moment(n + 1.0, 1, 1, 1, {"data": 40.0 + 0.1 * n}, {}, {}) for n in range(10)]
    warm = [Moment(n + 1.0, 1, 1, 1, {"data": 40.0 + n}, {}, {}) for n in range(10)]
    assert "temperature, C" not in [one.label for one in timeline._panels(still)]
    assert "temperature, C" in [one.label for one in timeline._panels(warm)]


def operation(**changes):
    """A rebuild that was cut off half way."""
    values = {
        "kind": "rebuild", "volume": "data", "drive": 1, "started_s": 10.0, "seconds": 7200.0,
        "simulated_seconds": 36.0, "progress": 0.5, "state": "under way", "mbps": 20.0,
        "found": 3, "repaired": 2, "punctured": 1,
    }  # fmt: skip
    return OperationUse(**(values | changes))


def test_what_was_cut_off_says_how_far_it_came():
    words = phases.operation_words(operation())
    begins = "rebuild of drive 1 of data: under way at 50 %, 2 h for the whole at this pace"
    assert words.startswith(begins)
    assert words.endswith("3 errors found, 2 repaired, 1 row punctured in what was simulated")


def test_lanes_end_where_the_course_does():
    course = Course([], [operation()], [], moments(*[1.0] * 20))
    (lane,) = timeline.lanes_of(course)
    assert (lane.start, lane.end) == (10.0, 20.0)


def test_times_are_told_in_a_unit_for_people():
    assert [phases.duration(s) for s in (12.34, 300, 9000, 400_000)] == [
        "12.3 s", "5 min", "2.5 h", "4.63 days",
    ]  # fmt: skip


def test_phases_of_hours_are_tabled_in_hours():
    phase = Phase("start", 0.0, 72_000.0, {"data": "optimal"}, Interval(1, None, None), 1, {}, 0, 0)
    (row,) = phases.rows(Course([], [], [phase], []))
    assert (row.start, row.end, row.interval) == ("0", "20", "-")
