"""Tables of parameters on hand-written pages: every value of a model, from its cards.

A page marks the place with ``<!-- parameters of CARD [CARD ...] -->``, the cards of one
series, and ``<!-- end of parameters -->``; what stands between is written from the cards.
"""

from __future__ import annotations

import re
from pathlib import Path

from raidsim import cards
from raidsim.cards.card import Card, Entry
from raidsim.cards.reference import table

DOCS = Path(__file__).resolve().parents[1]
MARKED = re.compile(
    r"<!-- parameters of (?P<cards>[^>]*?) -->\n.*?\n(?=<!-- end of parameters -->)",
    flags=re.DOTALL,
)


def filled(text: str) -> str:
    """A page with its tables of parameters as the cards have them now."""

    def write(place: re.Match[str]) -> str:
        series = [cards.load(name) for name in place["cards"].split()]
        return f"<!-- parameters of {place['cards']} -->\n\n{parameters(series)}\n"

    return MARKED.sub(write, text)


def parameters(series: list[Card]) -> str:
    """Every value of the first card, with what differs on the others."""
    header = ["parameter", "meaning", "value", "source"]
    if len(series) > 1:
        header.insert(3, "on the others")
    rows = []
    for first, *others in zip(*(card.entries() for card in series), strict=True):
        row = [f"`{first.name}`", first.meaning, value(first), source(first)]
        if others:
            found = [value(entry) for entry in others]
            row.insert(3, "" if set(found) == {value(first)} else ", ".join(found))
            row[-1] = "; ".join(dict.fromkeys([source(first), *map(source, others)]))
        rows.append(row)
    return table(header, rows)


def value(entry: Entry) -> str:
    """A value as its card writes it."""
    written = entry.source.value
    if isinstance(written, bool):
        return "yes" if written else "no"
    if isinstance(written, str):
        return written
    return f"{written:g} {entry.source.unit}".removesuffix(" 1")


def source(entry: Entry) -> str:
    """Where a value comes from, and why."""
    note = entry.source.note
    return f"{entry.source.source}: {note}" if note else entry.source.source


def pages() -> list[Path]:
    """The pages that hold such a table."""
    return [page for page in sorted(DOCS.rglob("*.md")) if MARKED.search(page.read_text("utf-8"))]


def refresh() -> None:
    """Write the tables of all pages anew."""
    for page in pages():
        page.write_text(filled(page.read_text("utf-8")), encoding="utf-8")
