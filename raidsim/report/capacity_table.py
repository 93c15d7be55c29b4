"""Where the bytes of the drives go, as ``raidsim check`` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from raidsim.observe.waterfall import Waterfall
from raidsim.report.ruled import ruled


def table(waterfalls: Sequence[Waterfall]) -> Table:
    """A row for each step of each volume, in TB of 10^12 and TiB of 2^40 bytes."""
    found = ruled(3)
    found.add_column("capacity", no_wrap=True)
    found.add_column("", no_wrap=True)
    for header in ("TB", "TiB"):
        found.add_column(header, justify="right", no_wrap=True)
    found.add_column("")
    for one in waterfalls:
        for number, step in enumerate(one.steps):
            style = "bold" if step.is_total else ""
            found.add_row(
                Text("" if number else one.volume),
                Text(step.text, style=style),
                Text(amount(step.bytes / 1e12), style=style),
                Text(amount(step.bytes / 2**40), style=style),
                "assumed" if step.is_assumed else "",
            )
    return found


def notes(waterfalls: Sequence[Waterfall]) -> Iterator[str]:
    """Yield notes on what the figures leave open."""
    if any(step.is_assumed for one in waterfalls for step in one.steps):
        yield (
            "assumed: usual figures that no card states; they do not make the simulated volume"
            " smaller"
        )


def amount(number: float) -> str:
    """A capacity to four digits, and a thousandth at the finest: 40.01, -0.011, -0.000."""
    text = f"{number:,.3f}" if abs(number) < 10 else f"{number:,.2f}"
    return "-0" if text == "-0.000" else text
