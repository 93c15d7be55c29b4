"""The catalogue of hardware, and one card with the source of every value, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.cards import Card, Entry
from raidsim.cards.arithmetic import contradictions
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.inherited import other_makers
from raidsim.cards.plausible import plausible, whole
from raidsim.cards.posterior import posterior
from raidsim.cards.rated import Rated
from raidsim.report import numbers
from raidsim.report.console import UNBOUNDED
from raidsim.report.ruled import ruled
from raidsim.units import capacity_for_people

INTERFACES = {"sata": "SATA", "sas": "SAS", "nvme": "NVMe", "pcie": "PCIe"}
NONE = "-"  # what a model has not


def print_catalogue(cards: Sequence[Card], console: Console) -> None:
    """List the cards: the drives with what one picks them by, then the others.

    The titles of the drives are left out where the terminal is too narrow for them.
    """
    drives = [card for card in cards if card.kind in DRIVE_KINDS]
    others = [card for card in cards if card.kind not in DRIVE_KINDS]
    if drives:
        console.print(_drives(drives, console))
    if drives and others:
        console.print()
    if others:
        table = _table("model", "kind", "title")
        for card in others:
            table.add_row(_name(card), card.kind, Text(card.title))
        console.print(table)


def _drives(cards: Sequence[Card], console: Console) -> Table:
    """The table of drives with their titles, or without if that is too wide."""
    unbounded = console.options.update(width=UNBOUNDED)
    table = _main_data(cards, titles=True)
    if console.measure(table, options=unbounded).maximum <= console.width:
        return table
    return _main_data(cards, titles=False)


def _main_data(cards: Sequence[Card], *, titles: bool) -> Table:
    headers = ["model", "kind", "capacity", "link", "body", "medium", "AFR", "DWPD"]
    table = _table(*headers, *(["title"] if titles else []))
    for column in (2, 5, 6, 7):
        table.columns[column].justify = "right"
    for card in cards:
        cells = (
            card.kind,
            capacity_for_people(card.number("capacity.user")),
            INTERFACES[card.word("link.interface")],
            card.word("body.form_factor"),
            _medium(card),
            f"{100 * card.number('reliability.afr'):.2f} %",
            _writes_a_day(card),
        )
        table.add_row(_name(card), *cells, *([Text(card.title)] if titles else []))
    return table


def _writes_a_day(card: Card) -> str:
    """Drive writes a day that it is rated for, to three digits: 1000, and not 1e+03."""
    if not card.has("endurance.dwpd"):
        return NONE
    rounded = float(f"{card.number('endurance.dwpd'):.3g}")
    return f"{rounded:g}"


def _name(card: Card) -> Text:
    return Text(card.name, style="bold")


def _medium(card: Card) -> str:
    """Discs with their speed, or flash."""
    if not card.has("spindle.speed"):
        return "flash"
    return f"{numbers.count(60 * card.number('spindle.speed'))} rpm"


def print_card(card: Card, console: Console, *, why: bool = False) -> None:
    """Print a card: every value as written, its range, where it is from, and what it means.

    With ``why`` the ranges come in a table of their own, with their reasons.
    """
    console.print(Text.assemble((card.name, "bold"), f": {card.title}"), soft_wrap=True)
    for text in (card.about.meaning, card.description):
        if text:
            console.print(Text(text), soft_wrap=not console.is_terminal)
    if head := _head(card):
        console.print(Text(head), soft_wrap=not console.is_terminal)
    for sentence in other_makers(card):
        console.print(Text(f"Of another maker: {sentence}."), soft_wrap=not console.is_terminal)
    console.print()
    if why:
        console.print(_ranges(card))
        return
    console.print(_values(card))
    if card.rated is not None:
        _print_rated(card.rated, console)
    for one in contradictions(card):
        console.print()
        console.print(Text(f"Does not add up: {one}."), soft_wrap=not console.is_terminal)
    _print_fits(card, console)


def _values(card: Card) -> Table:
    """Every value as written, its range, where it is from, and what it means."""
    last = "meaning (where the value is from)"
    table = _table("attribute", "value", "range", "unit", "source", last)
    table.columns[1].justify = "right"
    known = posterior(card)
    section = ""
    for entry in card.entries():
        if section and entry.name.split(".")[0] != section:
            table.add_row()
        section = entry.name.split(".")[0]
        span = _span(entry, known.interval(entry.name)) if entry.name in known.names else ""
        cells = (_value(entry), span, Text(_unit(entry)), _source(entry), _meaning(entry))
        table.add_row(Text(entry.name), *cells)
    return table


def _print_fits(card: Card, console: Console) -> None:
    """Print what fits have used, and what they leave open."""
    if card.sensitivities:
        console.print()
        console.print(
            "Sensitivities of the last fit: change of a figure for 1 % more of a value, by claim:"
        )
        for name, claims in card.sensitivities.items():
            told = ", ".join(f"{claim} {100 * change:+.2f} %" for claim, change in claims.items())
            console.print(Text(f"  {name}: {told}"), soft_wrap=True)
    if card.residuals:
        console.print()
        console.print("Errors that the last fit left, by claim:")
        for claim, error in card.residuals.items():
            console.print(Text(f"  {claim}: {100 * error:+.1f} %"), soft_wrap=True)


def _ranges(card: Card) -> Table:
    """The unknown values: plausible range, what figures leave of it, and the reason."""
    headers = (
        "attribute",
        "value",
        "range",
        "after fits",
        "unit",
        "source",
        "moves with",
        "because",
    )
    table = _table(*headers)
    table.columns[1].justify = "right"
    known = posterior(card)
    entries = {entry.name: entry for entry in card.entries()}
    for number, (name, one) in enumerate(plausible(card).items()):
        entry = entries[name]
        left = _span(entry, known.interval(name)) if known.seen[number] else ""
        cells = (_value(entry), _span(entry, (one.low, one.high)), left, Text(_unit(entry)))
        table.add_row(Text(name), *cells, _source(entry), one.together or NONE, Text(one.because))
    return table


def _span(entry: Entry, ends: tuple[float, float]) -> str:
    """An interval (base units) in the unit of the card, the lower number first."""
    if "/s" in entry.source.unit and not ends[0]:  # a time of none is no bandwidth
        return ""
    dimension = entry.dimension
    ends = whole(dimension, *ends)
    low, high = sorted(units.in_unit(end, entry.source.unit, dimension) for end in ends)
    return " to ".join(f"{float(f'{end:.3g}'):.10g}" for end in (low, high))


def _head(card: Card) -> str:
    """Return a line with the maker, the year of launch and the base of a card."""
    made = ", ".join(str(one) for one in (card.maker, card.year) if one)
    base = f"what its own file does not state is as on {card.base}" if card.base else ""
    return "; ".join(one for one in (made, base) if one)


def _print_rated(rated: Rated, console: Console) -> None:
    console.print()
    console.print(Text(f"Rated, as printed in {', '.join(rated.sheets)}:"), soft_wrap=True)
    table = _table("figure", "printed", "load", "page")
    for figure in rated.figures.values():
        years = f" over {figure.years:g} years" if figure.years else ""
        table.add_row(Text(figure.name), f"{figure}{years}", "", Text(figure.page))
    for one in rated.performance:
        kind = "" if one.quantile is None else f", {100 * one.quantile:g} %"
        load = f"{one.load}, {one.state}{kind}"
        table.add_row(Text(one.name), str(one), Text(load), Text(one.page))
    console.print(table)


def _table(*headers: str) -> Table:
    table = ruled()
    for number, header in enumerate(headers):
        table.add_column(header, no_wrap=number < len(headers) - 1)
    return table


def _value(entry: Entry) -> str:
    value = entry.source.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _unit(entry: Entry) -> str:
    return "" if entry.source.unit == "1" else entry.source.unit


def _source(entry: Entry) -> Text:
    certain = entry.source.source in ("datasheet", "document", "calibrated")
    return Text(entry.source.source, style="" if certain else "yellow")


def _meaning(entry: Entry) -> Text:
    text = Text(entry.meaning)
    if entry.source.claims:
        text.append(f" (fitted to {', '.join(entry.source.claims)})", style="dim")
    if entry.source.note:
        text.append(f" ({entry.source.note})", style="dim")
    return text
