"""What ``raidsim trace info`` prints."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.report.ruled import ruled
from raidsim.report.trace_words import Section, facts, sections
from raidsim.trace.info import TraceInfo

INDENT = 24


def print_info(info: TraceInfo, title: str, console: Console) -> None:
    """Print the figures of a trace, then what is to be known of its file."""
    console.print(Text.assemble((info.path, "bold"), f": {title}"), soft_wrap=True)
    console.print()
    for name, text in facts(info):
        console.print(Text(f"{name:<{INDENT}}{text}"), soft_wrap=True)
    for section in sections(info):
        console.print()
        console.print(_table(section))
        if section.note:
            console.print(Text(section.note, "dim"), soft_wrap=True)
    if info.remarks:
        console.print()
    for remark in info.remarks:
        console.print(Text(remark), soft_wrap=True)


def _table(section: Section) -> Table:
    table = ruled(3)
    for number, header in enumerate(section.headers):
        table.add_column(header, justify="right" if number else "left", no_wrap=True)
    for row in section.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
