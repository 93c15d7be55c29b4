"""Reports of a search say at which load the latency is kept, or that none keeps it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from synthetic import point, result

from raidsim.report import csv_file, html, plot, within
from raidsim.report.curves import curves
from raidsim.result import Highest, Result


def searched(best: int | None, bound: float = 0.5, **changes: Any) -> Result:
    """A sweep of three with the outcome of a search; latencies as in the synthetic points."""
    points = [point(n, within=best is not None and n <= best, within_ms=0.1 * n) for n in (2, 4, 8)]
    found = Highest("database", bound, None, 8 if best != 8 else None)
    for one in points:
        if one.outstanding == best:
            found = replace(
                found, outstanding=best, iops=one.iops, mbps=one.mbps, latency_ms=one.within_ms
            )
    return replace(result(*points), highest=replace(found, **changes))


def line(shown: Result) -> str:
    (curve,) = curves(shown)
    return within.line(curve)


def test_the_answer_names_load_throughput_and_latency() -> None:
    assert line(searched(4)) == (
        "highest load that keeps 500 us on average:"
        " between 4 and 8 outstanding, 33,043 IO/s, 258.2 MB/s"
    )


def test_a_percentile_is_named_as_what_it_is() -> None:
    text = line(searched(8, 2.5, percentile=0.99))
    assert text.startswith("highest load that keeps 99 % within 2.5 ms: ")
    assert text.partition(";")[0].endswith(", p99 800.0 us")


def test_a_sweep_that_stays_within_says_that_more_may_be_possible() -> None:
    assert line(searched(8)).endswith("; the sweep ends there, more may be possible")
    assert "more" not in line(searched(4))


def test_no_answer_names_the_first_load_that_is_beyond() -> None:
    expected = "no load keeps 500 us on average: not even 2 outstanding: mean 200.0 us"
    assert line(searched(None, exceeded_at=2)) == expected


def test_what_nobody_asked_is_not_answered() -> None:
    assert line(result()) == ""


def test_the_answer_is_the_note_that_comes_first_and_a_headline_of_the_page() -> None:
    page = html.render(searched(4)).decode()
    assert page.count("highest load that keeps 500 us on average") == 1
    assert page.count("highest load, 500 us on average") == 1


@pytest.mark.parametrize("shown", [searched(4), searched(8), searched(None)])
def test_a_picture_has_a_line_at_the_latency(shown: Result) -> None:
    root = ET.fromstring(plot.render(shown, ".svg"))
    words = {element.text for element in root.iter() if element.text}
    assert {"500 us on average", "all mean"} <= words


def test_the_line_is_in_the_picture_even_far_above_the_curves() -> None:
    words = plot.render(searched(8, 5_000.0), ".svg").decode()
    assert "5000 ms on average" in words
    assert ">1,000</text>" in words


def test_csv_says_of_each_point_whether_it_is_within() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_file.render(searched(4)).decode())))
    assert [row["within"] for row in rows] == ["yes", "yes", "no"]
    assert float(rows[1]["latency for within [ms]"]) == 0.4
    (row, *_) = csv.DictReader(io.StringIO(csv_file.render(result()).decode()))
    assert row["within"] == row["latency for within [ms]"] == ""
