"""Terminals of any width show all of every figure: tables come in parts, and nothing is cut."""

from __future__ import annotations

import io
import re

import pytest
from array_scenarios import array
from rich.console import Group
from rich.table import Table
from synthetic import result

from raidsim.report.check_text import print_checked
from raidsim.report.checked import Checked
from raidsim.report.console import ReportConsole
from raidsim.report.table import print_result
from raidsim.risk.assess import assess_all

WIDTHS = [30, 40, 50, 65, 80]


def terminal(width: int) -> ReportConsole:
    """A terminal that writes to memory."""
    stream = io.StringIO()
    stream.isatty = lambda: True  # type: ignore[method-assign]
    console = ReportConsole(stream)
    console.width = width
    assert console.is_terminal
    return console


def shown(console: ReportConsole) -> str:
    """What stands there, without colours."""
    assert isinstance(console.file, io.StringIO)
    return re.sub("\x1b\\[[0-9;]*m", "", console.file.getvalue())


def table() -> Table:
    """A label, figures of many digits, and a text."""
    made = Table()
    made.add_column("what it is", no_wrap=True)
    for number in range(6):
        made.add_column(f"figure {number}", justify="right", no_wrap=True)
    made.add_column("why", no_wrap=True)
    for row in range(3):
        figures = [f"{row}{number}0,123,456" for number in range(6)]
        made.add_row(f"the row {row} of it", *figures, "because it has to be so")
    return made


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_of_a_table_is_whole_and_no_line_longer_than_the_terminal(width: int) -> None:
    console = terminal(width)
    console.print(Group(table()))
    text = shown(console)
    assert "…" not in text
    for row in range(3):
        for number in range(6):
            assert text.count(f"{row}{number}0,123,456") == 1
    assert max(map(len, text.splitlines())) <= width


def test_where_all_has_room_a_table_is_as_it_was() -> None:
    console, plain = terminal(200), terminal(200)
    console.print(table())
    super(ReportConsole, plain).print(table())
    assert shown(console) == shown(plain)


@pytest.mark.parametrize("width", WIDTHS)
def test_reports_cut_no_figure(width: int) -> None:
    console = terminal(width)
    scenario = array(level="raid6", drives=8)
    print_checked(Checked.of(scenario, assess_all(scenario)), console)
    print_result(result(), console)
    assert "…" not in shown(console)
