"""What each part of a scenario draws, as ``raidsim check`` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from raidsim.observe.inventory import PartPower
from raidsim.report import numbers
from raidsim.report.ruled import ruled

WORDS = {
    "host": "server with fans and memory",
    "controller": "controller",
    "drives": "drives",
    "spares": "hot spares, idle until taken",
}


def table(parts: Sequence[PartPower]) -> Table:
    """A row for each kind of part, and one for all of them."""
    found = ruled(3)
    for header in ("power", "of", "card"):
        found.add_column(header, no_wrap=True)
    for header in ("number", "idle, W", "highest, W"):
        found.add_column(header, justify="right", no_wrap=True)
    for part in parts:
        found.add_row(
            WORDS[part.kind],
            Text("" if part.kind == "host" else part.name),
            Text(part.card),
            str(part.number),
            _watts(part.idle, part.number),
            _watts(part.active, part.number),
        )
    found.add_row(
        Text("all that is known", style="bold"),
        "",
        "",
        "",
        Text(numbers.watts_of_a_column(_sum(parts, "idle")), style="bold"),
        Text(numbers.watts_of_a_column(_sum(parts, "active")), style="bold"),
    )
    return found


def notes(parts: Sequence[PartPower]) -> Iterator[str]:
    """Yield notes on what the sum leaves out."""
    silent = [part.card for part in parts if part.idle is None or part.active is None]
    if silent:
        yield f"not known: {', '.join(dict.fromkeys(silent))} (the card does not say)"
    yield "not counted: enclosures with their fans, and the power of cooling"


def _watts(each: float | None, number: int) -> str:
    return numbers.NOT_MEASURED if each is None else numbers.watts_of_a_column(each * number)


def _sum(parts: Sequence[PartPower], when: str) -> float:
    return sum((getattr(part, when) or 0.0) * part.number for part in parts)
