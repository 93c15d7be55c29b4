"""Tests of figures that others measured: what their tables, and `--unknowns`, say of them."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path
from statistics import median, quantiles

import pytest

from raidsim.resources import data_folder
from raidsim.unknowns import spread
from raidsim.unknowns.spread import HALF, HELD

FOLDER = data_folder("validation").parent / "docs" / "background"
WIDER = {
    "measured-drives-and-software-raid",
    "measured-disks-behind-write-back",
    "measured-latencies-and-mixed-loads",
    "measured-mixed-loads-of-servers",
}
"""Tests that were predicted since parts that nothing was compared with widen intervals."""
TABLES = sorted(FOLDER.glob("measured-*-blind.tsv"))
ROW = re.compile(r"\| (?P<number>\d+) \| \[(?P<title>[^]]+)\]\((?P<page>[^)]+)\) \|(?P<rest>.*)\|")


def name(table: Path) -> str:
    return table.name.removesuffix("-blind.tsv")


def overview() -> dict[str, tuple[str, str, list[str]]]:
    """Number, title and cells of each test in measured-elsewhere.md, by the name of its page."""
    text = (FOLDER / "measured-elsewhere.md").read_text(encoding="utf-8")
    return {
        row["page"].removesuffix(".md"): (
            row["number"],
            row["title"],
            [cell.strip() for cell in row["rest"].split("|")],
        )
        for row in ROW.finditer(text)
    }


def predicted(table: Path) -> list[dict[str, str]]:
    """The rows of a test that was predicted with intervals; none of an older one."""
    with table.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if "low" in row]


def inside(rows: list[dict[str, str]]) -> list[bool]:
    """Whether each figure lies in its interval, of those that have one."""
    return [
        float(row["low"]) <= float(row["measured"]) <= float(row["high"])
        for row in rows
        if row["low"] and row["high"]
    ]


def test_the_share_of_figures_in_their_intervals_is_that_of_the_tables() -> None:
    tables = [table for table in TABLES if name(table) not in WIDER]
    held = [one for table in tables for one in inside(predicted(table))]
    _, _, share, number = HELD
    assert (share, number) == (round(sum(held) / len(held), 2), len(held))


def rewidened(row: dict[str, str]) -> bool:
    """Whether a figure lies in its interval, were it one of parts that nothing was compared with.

    In the tables of tests up to 20 each interval is widened by what is left out of others.
    """
    predicted, measured = float(row["predicted"]), float(row["measured"])
    far = math.log(float(row["low" if measured < predicted else "high"]) / predicted)
    known, more = (spread.NORMAL_90 * one for one in (spread.MODEL, spread.UNCOMPARED))
    drawn = math.sqrt(max(far**2 - known**2, 0.0))
    return abs(math.log(measured / predicted)) <= math.hypot(drawn, more)


def test_the_share_in_wider_intervals_is_that_of_the_tables() -> None:
    held = [
        rewidened(row)
        for table in TABLES
        if name(table) not in WIDER
        for row in predicted(table)
        if row["low"] and row["high"] and float(row["low"]) > 0
    ]
    assert len(held) == HELD[3]
    held += [one for table in TABLES if name(table) in WIDER for one in inside(predicted(table))]
    assert (round(sum(held) / len(held), 2), len(held)) == spread.HELD_UNCOMPARED


def test_half_of_what_was_measured_lay_between_these_multiples_of_what_was_predicted() -> None:
    rows = [row for table in TABLES for row in predicted(table)]
    multiples = [float(row["measured"]) / float(row["predicted"]) for row in rows]
    low, _, high = quantiles(multiples, n=4, method="inclusive")
    assert (round(low, 2), round(high, 2)) == HALF


def test_each_table_has_its_page_and_its_row_in_the_order_of_time() -> None:
    rows = overview()
    assert sorted(rows) == sorted(map(name, TABLES))
    assert [number for number, _, _ in rows.values()] == [str(i + 1) for i in range(len(rows))]
    for page, (number, title, _) in rows.items():
        head = (FOLDER / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0]
        assert head == f"# Measured elsewhere, test {number}: {title}"


@pytest.mark.parametrize("table", [one for one in TABLES if predicted(one)], ids=name)
def test_the_overview_says_what_the_table_of_a_test_says(table: Path) -> None:
    rows = predicted(table)
    _, _, (figures, middle, _, _, held) = overview()[name(table)]
    assert figures == str(len(rows))
    errors = [abs(float(row["predicted"]) / float(row["measured"]) - 1) for row in rows]
    assert abs(float(middle.removesuffix(" %")) - 100 * median(errors)) <= 1
    within = inside(rows)
    assert held == f"{sum(within)} of {len(within)} ({100 * sum(within) / len(within):.0f} %)"
