"""A sweep as a table on the terminal: what was varied, the figures that matter, what limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.text import Text

from raidsim import units
from raidsim.report import numbers
from raidsim.report.ruled import titled
from raidsim.studies.effects import Effects
from raidsim.studies.sweep import Row, Sweep

MOST_ROWS = 60
"""Rows that are printed; files have all."""

MOST_LEVELS = 6
LEAST_SHARE = 0.005


def sweep_table(sweep: Sweep) -> Group:
    """The rows of a sweep; of many the first and the last ones."""
    rows = sweep.rows
    table = titled(sweep.title)
    for key in sweep.keys:
        table.add_column(key)
    for head in ("IO/s", "+-", "MB/s", "read ms", "p99", "write ms", "p99"):
        table.add_column(head, justify="right")
    table.add_column("limited by")
    loads = len({row["load"] for row in rows if row["load"] is not None}) > 1
    shown = rows if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS // 2], *rows[-MOST_ROWS // 2 :]]
    for number, row in enumerate(shown):
        if len(shown) < len(rows) and number == MOST_ROWS // 2:
            table.add_row(*["…"] * len(sweep.keys), f"{len(rows) - len(shown):,} more")
        table.add_row(*_cells(sweep, row, loads))
    return Group(table, Text(), Text(_summary(sweep)))


def _cells(sweep: Sweep, row: Row, loads: bool) -> list[str]:
    keys = ["" if row.get(key) is None else str(row[key]) for key in sweep.keys]
    if row["iops"] is None:
        return [*keys, *["-"] * 7, f"{row['status']}: {row['reason']}"]
    low, high = row["iops_low"], row["iops_high"]
    spread = (
        "-" if None in (low, high) else numbers.percent((high - low) / 2 / max(row["iops"], 1e-9))
    )
    figures = [
        numbers.count(row["iops"]),
        spread,
        numbers.mbps(row["mbps"]),
        *(
            numbers.figure(row[name])
            for name in ("read_ms", "read_p99_ms", "write_ms", "write_p99_ms")
        ),
    ]
    words = (
        "" if row["limited_by"] is None else f"{row['limited_by']} {100 * row['utilisation']:.0f} %"
    )
    if row["status"] == "saturated":
        words = f"saturated: {row['reason']}"
    return [*keys, *figures, f"{row['load']}: {words}" if loads else words]


def _summary(sweep: Sweep) -> str:
    counts: dict[str, int] = {}
    for one in sweep.outcomes:
        counts[one.status] = counts.get(one.status, 0) + 1
    words = [f"{len(sweep.outcomes):,} variants"]
    words += [f"{count:,} {status}" for status, count in counts.items() if status != "done"]
    return f"{', '.join(words)}; +- is half the sampling interval of IO/s; {numbers.MB_PER_S}"


def effects_table(found: Effects) -> Group:
    """Return the table of the effects of keys, the largest first."""
    table = titled(f"Influence of keys on {found.figure}, in {found.rows:,} rows")
    table.add_column("key")
    table.add_column("share", justify="right")
    table.add_column("")
    table.add_column("against the mean of all")
    for term in found.terms:
        if term.share < LEAST_SHARE and len(term.keys) > 1:
            continue
        words = _levels(term.levels, found.logarithm)
        noise = "noise" if term.noise else ""
        table.add_row(" with ".join(term.keys), _percent(term.share), noise, words)
    table.add_row("neither keys nor pairs", _percent(found.rest))
    lines: list[Any] = [table]
    if found.by_chance is not None:
        text = f"Errors of the runs explain {_percent(found.by_chance)} of the variance."
        lines += [Text(), Text(text)]
    return Group(*lines)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{units.plain(abs(value), 4)}"


def _levels(levels: Sequence[tuple[Any, float]], logarithm: bool) -> str:
    ordered = sorted(levels, key=lambda level: -level[1])
    shown = ordered
    if len(ordered) > MOST_LEVELS:
        shown = [*ordered[: MOST_LEVELS // 2], *ordered[-MOST_LEVELS // 2 :]]
    words = [
        f"{value} {100 * (effect - 1):+.0f} %" if logarithm else f"{value} {_signed(effect)}"
        for value, effect in shown
    ]
    if len(shown) < len(ordered):
        words.insert(MOST_LEVELS // 2, "…")
    return ", ".join(words)
