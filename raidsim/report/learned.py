"""What ``raidsim calibrate --fio`` prints: figures, and values before and after."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.calibrate.learned import HIGH_END, MET, Learned, OwnResults, Told
from raidsim.cards import Card
from raidsim.report.ruled import ruled
from raidsim.unknowns.compared import was_compared


def print_learned(found: OwnResults, console: Console) -> None:
    """Print how far figures were missed, and what they told of which value."""
    figures = _table("measured", "over simulated before", "after")
    for job in found.figures:
        figures.add_row(Text(job.name), f"{job.before:.3f}", f"{job.after:.3f}")
    console.print(figures)
    console.print()
    told = [one for one in found.values if one.is_told]
    if told:
        values = _table("card", "value", "before", "after")
        for one in told:
            before = _cell(one, one.before, one.before_range)
            after = _cell(one, one.after, one.after_range)
            values.add_row(Text(one.card.name), Text(one.name), before, after)
        console.print(values)
    for job in found.figures:
        if not job.is_met:
            console.print(Text(_missed(job, found.spent(job))), soft_wrap=True)
    for text in found.left_out:
        console.print(Text(f"Left out: {text}"), soft_wrap=True)
    for text in found.warnings:
        console.print(Text(text), soft_wrap=True)
    rest = len(found.values) - len(told)
    if rest:
        words = "value stays as it is" if rest == 1 else "values stay as they are"
        console.print(f"{rest} {words}: these measurements tell little or nothing of them.")


def print_written(
    found: OwnResults, written: Mapping[str, Card], parts: Sequence[Card], console: Console
) -> None:
    """Print where the cards are, and what was learned or measured of parts without one.

    ``written`` has them by their paths; ``parts`` are the cards of all that was measured.
    """
    for path in written:
        console.print(Text(f"Wrote {path}."), soft_wrap=True)
    there = {card.name for card in written.values()}
    others = [one for one in found.values if one.is_told and one.card.name not in there]
    for name, values in itertools.groupby(others, key=lambda one: one.card.name):
        keys = ", ".join(f'"{one.name}" = "{_written(one)}"' for one in values)
        text = (
            f"This card does not hold what was learned of {name}, but the speeds after need it."
            f" Write into the table set of {name} in your scenario: {keys}."
        )
        console.print(Text(text), soft_wrap=True)
    missing = [card.name for card in parts if card.name not in there and not was_compared(card)]
    if missing:
        text = (
            f"{' and '.join(missing)} took part in the measurement: --output FOLDER writes a card"
            " of every part, and only all of them narrow what the models leave out."
        )
        console.print(Text(text), soft_wrap=True)


def _missed(job: Told, spent: Sequence[Learned]) -> str:
    """Return advice on a measurement that no plausible values give.

    ``spent`` are values that have come to the end of their ranges on the way to it.
    """
    figure = job.figure
    if figure is None or figure.measured is None or figure.simulated is None:
        return (
            f"{job.name}: not compared: a job with a given rate is judged by its latency,"
            " and this one has none"
        )
    times, than = (job.after, "fast") if job.after > 1 else (1 / job.after, "slow")
    measured, simulated = (
        f"{float(f'{one:.4g}'):,.10g}" for one in (figure.measured, figure.simulated)
    )
    text = (
        f"{job.name}: {figure.name} {measured} {figure.unit} measured, {simulated} simulated after:"
        f" still {times:.3g} times as {than}. A measurement and the models may be {100 * MET:.2g} %"
        " apart; no values within their plausible ranges were found that come so near. What this"
        " job told of values is doubtful."
    )
    for one in spent:
        end = "upper" if one.end == HIGH_END else "lower"
        text += f" {one.name} of {one.card.name} is at the {end} end of its range."
    return text if job.agrees else f"{text} Was it measured on what the scenario describes?"


def _cell(one: Learned, value: float, ends: tuple[float, float]) -> Text:
    """A value with its range: ``12 (1 to 64)``, in the unit of the card."""
    source, attribute = one.card.sources[one.name], one.card.about.by_name[one.name]
    unit = source.unit if value and ends[0] else attribute.unit
    shown = [units.in_unit(x, unit, attribute.dimension) for x in (value, *sorted(ends))]
    number, low, high = (f"{float(f'{x:.3g}'):.10g}" for x in (shown[0], *sorted(shown[1:])))
    return Text(f"{number} ({low} to {high})" + (f" {unit}" if unit != "1" else ""))


def _written(one: Learned) -> str:
    """The value after as a scenario has it."""
    source, attribute = one.card.sources[one.name], one.card.about.by_name[one.name]
    number = units.in_unit(one.after, source.unit, attribute.dimension)
    return f"{float(f'{number:.4g}'):.10g}" + (f" {source.unit}" if source.unit != "1" else "")


def _table(*headers: str) -> Table:
    table = ruled()
    for header in headers:
        table.add_column(header, no_wrap=True)
    return table
