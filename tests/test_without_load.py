"""A scenario that only rebuilds: no load runs, and the result tells of the rebuild."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.report import csv_file, html, json_file, plot
from raidsim.report.table import print_result
from raidsim.running import run

RAID = """\
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "seagate-st373455ss"
level = "raid5"
drives = 4
failed = [1]
rebuild_sample = "0.02 %"
"""
REBUILD = '[[event]]\nkind = "replacement"\nat = "0 s"\ndrive = 1\n'
LOAD = '[[load]]\nname = "mail"\nread = "100 %"\nsize = "8 KiB"\noutstanding = 1\n'


@pytest.fixture(scope="module")
def result():
    return run(scenario.load_text(RAID + REBUILD))


def test_a_rebuild_needs_no_load(result):
    (point,) = result.points
    assert (point.load, point.workers, point.iops.mean) == ("no load", 0, 0.0)
    (operation,) = point.course.operations
    assert (operation.kind, operation.state, operation.progress) == ("rebuild", "done", 1.0)
    assert point.converged
    # A disk of 73 GB at 75 to 125 MB/s, outer to inner, all of it, and nothing else to do.
    assert 73.4e9 / 125e6 < operation.seconds < 73.4e9 / 75e6


def test_it_is_as_fast_as_before_a_load_that_starts_once_it_is_done(result):
    text = RAID + REBUILD + LOAD + '[[event]]\nkind = "load-start"\nat = "1 s"\n'
    (point,) = run(scenario.load_text(text, overrides=["measure.duration=1.1 s"])).points
    (mine,), (operation,) = result.points[0].course.operations, point.course.operations
    assert point.load == "mail"
    assert operation.seconds == mine.seconds


def test_every_report_tells_of_it(result):
    assert json.loads(json_file.render(result.to_dict()))["points"][0]["load"] == "no load"
    rows = list(csv.DictReader(io.StringIO(csv_file.render(result).decode())))
    assert rows[1]["phase"] == "drive 1 of data is replaced"
    assert b"rebuild of drive 1 of data" in html.render(result)
    assert b"rebuild of drive 1 of data" in plot.render(result, ".svg")
    console = Console(file=io.StringIO(), width=120)
    print_result(result, console)
    printed = console.file.getvalue()
    assert "rebuild of drive 1 of data: done after" in printed
    assert "0.0" in printed  # of the phase: nobody asked for anything
    assert "limited by" not in printed


def test_its_result_can_be_run_again(result):
    again = run(scenario.from_data(result.scenario))
    assert again.to_dict() == result.to_dict()


def test_without_events_there_must_be_a_load():
    with pytest.raises(InputError, match="load: is missing"):
        scenario.load_text(RAID)
