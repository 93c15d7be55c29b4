"""What ``raidsim trace fit`` writes and prints: a load, and how near it is to the trace."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from raidsim.report import numbers
from raidsim.report.ruled import ruled
from raidsim.report.trace_words import amount
from raidsim.synthesis.distance import Difference
from raidsim.synthesis.fit import Fit
from raidsim.trace.info import TraceInfo


def heading(info: TraceInfo, fit: Fit) -> str:
    """The comment above the table: where it is from, and what of it is not in the trace."""
    lines = [
        f"Fitted to {info.path} ({info.requests:,} requests).",
        f"The volume has to hold {amount(fit.capacity)}.",
        _caches(fit),
        *fit.remarks,
    ]
    return "".join(f"# {line}\n" for line in lines if line)


def print_fit(fit: Fit, console: Console) -> None:
    """Print the figures of trace and load side by side."""
    table = ruled(3)
    for header in ("", "unit", "trace", "load"):
        table.add_column(header, justify="right" if header in {"trace", "load"} else "left")
    for one in fit.figures:
        table.add_row(one.name, one.unit, numbers.figure(one.trace), numbers.figure(one.load))
    console.print(table)
    console.print(numbers.MB_PER_S)
    if caches := _caches(fit):
        console.print(Text(caches), soft_wrap=True)


def print_differences(found: Sequence[Difference], console: Console) -> None:
    """Print what a replay and the fitted load came to on the same hardware."""
    table = ruled(3)
    for header in ("simulated", "unit", "trace", "load", "load / trace"):
        table.add_column(header, justify="left" if header in {"simulated", "unit"} else "right")
    for one in found:
        ratio = numbers.NOT_MEASURED if one.ratio is None else f"{one.ratio:.2f}"
        values = (numbers.figure(one.replayed), numbers.figure(one.fitted))
        table.add_row(one.name, one.unit, *values, ratio)
    console.print(table)
    console.print(numbers.MB_PER_S)


def _caches(fit: Fit) -> str:
    if fit.caches is None:
        return ""
    return (
        "Misses of LRU caches differ by"
        f" {100 * fit.caches:.1f} points of percent on average over their sizes."
    )
