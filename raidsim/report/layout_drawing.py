"""Where the strips of arrays lie, as a picture: SVG, a column a drive, a row a strip of each.

The places come from the layout itself (:func:`raidsim.layout.address.held`), not from a second map.
The picture follows the reader's light or dark setting, and fits 1,000 pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import escape

from raidsim import units
from raidsim.errors import InputError, Problem, nearest_name, quote
from raidsim.layout.address import held
from raidsim.layout.arrange import BY_WORD
from raidsim.layout.tables import CONCATENATED, DATA, FAR, FAR_SETS, MIRRORED, PARITY, UNUSED, P
from raidsim.scenario import Scenario, VolumeSpec

WIDTH = 1000
MARGIN = 24
LABELS = 132
"""Room for what rows are called, left of the drives."""
WIDEST, NARROWEST = 84, 40
"""A strip, in pixels."""
HEIGHT = 30
GAP = 4
BETWEEN_SPANS = 14
MOST_ROWS = 64
USUAL_ROWS = 8
"""Rows that are shown unless fewer tell how the parity wanders."""

KINDS = {
    "data": "data, by number of the strip in the volume",
    "copy": "a further copy of data",
    "p": "P, parity of its row",
    "q": "Q, the second parity",
    "spare": "hot spare",
    "lost": "lost: the drive has failed",
    "unused": "not used",
}
STYLE = """
svg { color-scheme: light dark; background: var(--paper); font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
:root, svg { --paper: #ffffff; --ink: #1c2733; --muted: #5b6875; --faint: #d5dbe1; --data: #cfe0f2; --copy: #bfe3d6; --p: #f6cfa8; --q: #dccbf0; --spare: #e8ebee; --lost: #f3c6cd; --on: #1c2733; --edge: #a11d33; }
@media (prefers-color-scheme: dark) { :root, svg { --paper: #14191f; --ink: #e4e9ee; --muted: #9aa7b4; --faint: #36414c; --data: #24496f; --copy: #1d5a4c; --p: #7a4a1d; --q: #553a80; --spare: #333c46; --lost: #6b2532; --on: #f2f5f8; --edge: #f08a9b; } }
text { fill: var(--ink); font-size: 13px; }
.title { font-size: 18px; font-weight: 600; }
.name { font-size: 15px; font-weight: 600; }
.muted { fill: var(--muted); }
.small { font-size: 12px; }
.strip { fill: var(--on); text-anchor: middle; }
.on { fill: var(--on); }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.data { fill: var(--data); } .copy { fill: var(--copy); } .p { fill: var(--p); } .q { fill: var(--q); }
.spare { fill: var(--spare); } .lost { fill: var(--lost); stroke: var(--edge); stroke-dasharray: 4 3; }
.unused { fill: none; stroke: var(--faint); }
.span { stroke: var(--muted); fill: none; }
"""  # noqa: E501 - a style sheet in as few lines as it is read in


@dataclass(frozen=True)
class Cell:
    """A strip: what it is, and what is written into it."""

    kind: str
    text: str


def drawing(scenario: Scenario, volume: str | None = None, rows: int | None = None) -> bytes:
    """Draw the volumes of a scenario.

    Parameters
    ----------
    volume
        Only this one; None for all of them.
    rows
        Rows of strips; None for as many as show how parity and copies wander.

    Raises
    ------
    InputError
        There is no such volume, or the number of rows is not 1 to 64.
    """
    if rows is not None and not 1 <= rows <= MOST_ROWS:
        cause = f"{rows} rows cannot be drawn"
        raise InputError([Problem(None, None, "--rows", cause, f"1 to {MOST_ROWS} can")])
    chosen = _chosen(scenario, volume)
    page = _Page()
    page.text(MARGIN, 0, scenario.title, "title")
    page.down(16)
    for number, spec in enumerate(chosen):
        page.down(44 if number else 22)
        _volume(page, spec, rows)
    kinds = [kind for kind in KINDS if kind in page.seen]
    _legend(page, kinds)
    return page.render(scenario.title).encode("utf-8")


def _chosen(scenario: Scenario, name: str | None) -> list[VolumeSpec]:
    names = [spec.name for spec in scenario.volumes]
    if name is not None and name not in names:
        cause = f"{quote(name)} is not a volume of this scenario"
        raise InputError([Problem(None, None, "--volume", cause, nearest_name(name, names))])
    return [spec for spec in scenario.volumes if name in (None, spec.name)]


class _Page:
    """Lines of SVG, and how far down they go."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.y = MARGIN + 14
        self.seen: set[str] = set()

    def down(self, pixels: float) -> None:
        self.y += int(pixels)

    def text(self, x: float, dy: float, words: str, kind: str = "") -> None:
        self.lines.append(
            f'<text x="{x:g}" y="{self.y + dy:g}" class="{kind}">{escape(words)}</text>'
        )

    def rect(self, x: float, width: float, height: float, kind: str) -> None:
        self.seen.add(kind)
        self.lines.append(
            f'<rect x="{x:g}" y="{self.y:g}" width="{width:g}" height="{height:g}" rx="4"'
            f' class="{kind}"/>'
        )

    def path(self, way: str, kind: str) -> None:
        self.lines.append(f'<path d="{way}" class="{kind}"/>')

    def render(self, title: str) -> str:
        height = self.y + MARGIN
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
                f' width="{WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">',
                f"<title>{escape(title)}</title>",
                f"<style>{STYLE}</style>",
                f'<rect width="{WIDTH}" height="{height}" style="fill: var(--paper)"/>',
                *self.lines,
                "</svg>\n",
            ]
        )


def _volume(page: _Page, spec: VolumeSpec, rows: int | None) -> None:
    """One volume: what it is, its drives with their strips, and what goes on below."""
    page.text(MARGIN, 0, f"{spec.name}: {_sentence(spec)}", "name")
    for line in _facts(spec):
        page.down(19)
        page.text(MARGIN, 0, line, "muted")
    layout = spec.layout
    if layout is None or layout["family"] == CONCATENATED:
        page.down(16)
        _one_after_the_other(page, spec)
        return
    shown = rows_shown(layout, rows)
    wide = _strip_width(layout, spec.spares)
    for drives in _blocks(layout, spec.spares, wide):
        page.down(34)
        _block(page, spec, drives, shown, wide)


def _sentence(spec: VolumeSpec) -> str:
    layout = spec.layout
    if layout is None or spec.level == "single":
        return f"one {spec.drive}"
    level = spec.level.replace("raid", "RAID ").upper()
    spans = int(layout["spans"])
    of = f" in {spans} spans of {int(layout['span_drives'])}" if spans > 1 else ""
    return f"{level} of {spec.drives} x {spec.drive}{of}"


def _facts(spec: VolumeSpec) -> list[str]:
    """Capacity, redundancy, how parity wanders or copies lie, and in which health it is."""
    layout = spec.layout
    if layout is None or layout["family"] == CONCATENATED:
        return [f"{_decimal(spec.capacity)}; its bytes lie one after the other"]
    facts = [f"{_decimal(spec.capacity)} of {_decimal(spec.raw_capacity)}"]
    facts.append(f"strips of {_binary(int(layout['strip']))}")
    if layout["family"] == PARITY and BY_WORD[spec.level].rotation is None:
        facts.append(f"rotation {spec.rotation}")
    if layout["family"] == MIRRORED:
        facts.append(f"{int(layout['copies'])} copies")
        if spec.spread is not None:
            facts.append(f"spread {spec.spread}")
    lines = ["; ".join(facts)]
    tolerated = spec.failures_tolerated
    health = f"any {tolerated} drives may fail" if tolerated > 1 else "any one drive may fail"
    if not tolerated:
        health = "no drive may fail"
    if spec.failed:
        lost = sorted(set(spec.failed))
        numbers = ", ".join(str(drive) for drive in lost)
        health += f" while all are there; failed {'are' if len(lost) > 1 else 'is'} {numbers}"
    return [*lines, health]


def rows_shown(layout: np.void, rows: int | None = None) -> list[int]:
    """Numbers of the rows that are shown: the first ones, and those of further copies."""
    count = int(layout["rows"])
    several = layout["family"] == MIRRORED and int(layout["spread"]) in (FAR, FAR_SETS)
    if several:
        each = max((rows or USUAL_ROWS) // int(layout["copies"]), 1)
        firsts = [number * int(layout["section"]) for number in range(int(layout["copies"]))]
        return [first + row for first in firsts for row in range(min(each, count))]
    usual = USUAL_ROWS
    if layout["family"] == PARITY:
        usual = min(max(int(layout["span_drives"]), 4), 12)  # a round of the parity
    return list(range(min(rows or usual, count)))


def _strip_width(layout: np.void, spares: int) -> int:
    """Pixels of a strip: as wide as the drives of a line allow, within limits.

    If not all drives have room side by side, a line has as many whole spans as have.
    """
    room = WIDTH - 2 * MARGIN - LABELS
    size, spans = int(layout["span_drives"]), int(layout["spans"])
    widths = [
        (room - BETWEEN_SPANS * (number - 1 + bool(extra))) // (number * size + extra) - GAP
        for number, extra in ((spans, spares), *((n, 0) for n in range(spans, 0, -1)))
    ]
    fitting = next((wide for wide in widths if wide >= NARROWEST), NARROWEST)
    return min(fitting, WIDEST)


def _blocks(layout: np.void, spares: int, wide: int) -> Iterator[list[int]]:
    """Drives that stand side by side; numbers beyond the drives are hot spares.

    Spans stay together where they fit.
    """
    drives, size = int(layout["drives"]), int(layout["span_drives"])
    room = WIDTH - 2 * MARGIN - LABELS
    line: list[int] = []
    used = 0
    groups = [list(range(first, first + size)) for first in range(0, drives, size)]
    if spares:
        groups.append(list(range(drives, drives + spares)))
    for group in groups:
        for part in _parts(group, max(room // (wide + GAP), 1)):
            needs = len(part) * (wide + GAP) + BETWEEN_SPANS
            if line and used + needs > room + BETWEEN_SPANS:
                yield line
                line, used = [], 0
            line += part
            used += needs
    yield line


def _parts(group: list[int], most: int) -> Iterator[list[int]]:
    for first in range(0, len(group), most):
        yield group[first : first + most]


def _block(page: _Page, spec: VolumeSpec, drives: list[int], rows: list[int], wide: int) -> None:
    layout = spec.layout
    assert layout is not None
    size, count = int(layout["span_drives"]), int(layout["drives"])
    xs: dict[int, float] = {}
    x = float(MARGIN + LABELS)
    for place, drive in enumerate(drives):
        begins = drive == count or (drive < count and drive % size == 0)
        if place and begins:
            x += BETWEEN_SPANS
        xs[drive] = x
        x += wide + GAP
    if int(layout["spans"]) > 1:
        _span_names(page, layout, xs, wide)
    for drive in drives:
        name = "spare" if drive >= count else f"{'drive ' if wide >= 60 else ''}{drive}"
        page.text(xs[drive] + wide / 2, 0, name, "middle muted")
    page.down(10)
    last = -1
    for row in rows:
        if row != last + 1:
            page.text(MARGIN + LABELS, 14, "...", "muted")
            page.down(22)
        last = row
        offset = _binary(row * int(layout["strip"]))
        page.text(MARGIN, 14, f"row {row:,}")
        page.text(MARGIN, 27, f"from {offset}", "muted small")
        for drive in drives:
            cell = cell_of(layout, drive, row, lost=drive in spec.failed)
            page.rect(xs[drive], wide, HEIGHT, cell.kind)
            page.text(xs[drive] + wide / 2, 20, cell.text, "strip")
        page.down(HEIGHT + GAP)
    left = int(layout["rows"]) - (rows[-1] + 1)
    if left > 0:
        page.text(MARGIN + LABELS, 14, f"... {left:,} more rows", "muted")
        page.down(16)


def _span_names(page: _Page, layout: np.void, xs: dict[int, float], wide: int) -> None:
    size = int(layout["span_drives"])
    for span in range(int(layout["spans"])):
        members = [xs[d] for d in range(span * size, span * size + size) if d in xs]
        if not members:
            continue
        first, last = members[0], members[-1] + wide
        page.path(f"M {first} {page.y + 8} v -5 H {last} v 5", "span")
        page.text((first + last) / 2, -3, f"span {span}", "middle muted")
    page.down(24)


def cell_of(layout: np.void, drive: int, row: int, *, lost: bool = False) -> Cell:
    """Return the content of a row of a drive, lost or not; drives beyond the array are spares."""
    if drive >= int(layout["drives"]):
        return Cell("spare", "")
    role, copy, address = held(layout, drive, row)
    if role == UNUSED:
        return Cell("unused", "")
    if role != DATA:
        kind, text = ("p", "P") if role == P else ("q", "Q")
    else:
        kind, text = ("copy" if copy else "data"), f"{int(address) // int(layout['strip']):,}"
    return Cell("lost" if lost else kind, text)


def _one_after_the_other(page: _Page, spec: VolumeSpec) -> None:
    """Drives without strips: for each a bar, with the first and the last of its bytes."""
    first = 0
    each = spec.capacity // spec.drives
    for drive in range(spec.drives):
        kind = "lost" if drive in spec.failed else "data"
        page.rect(MARGIN + LABELS, WIDTH - 2 * MARGIN - LABELS, HEIGHT, kind)
        page.text(MARGIN, 20, f"drive {drive}", "muted")
        page.text(MARGIN + LABELS + 12, 20, f"from {_decimal(first)}", "on")
        page.text(WIDTH - MARGIN - 12, 20, f"to {_decimal(first + each)}", "on end")
        page.down(HEIGHT + GAP)
        first += each


def _decimal(count: int) -> str:
    """Bytes as makers count them: 73.4 GB."""
    return _scaled(count, 1000, ("B", "kB", "MB", "GB", "TB", "PB"))


def _binary(count: int) -> str:
    """Bytes as strips are counted: 64 KiB."""
    return _scaled(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def _scaled(count: int, step: int, names: Sequence[str]) -> str:
    value, place = float(count), 0
    while value >= step and place < len(names) - 1:
        value, place = value / step, place + 1
    return f"{units.plain(value, 4)} {names[place]}"


def _legend(page: _Page, kinds: Sequence[str]) -> None:
    """Return the meaning of the colours, in lines that fit."""
    page.down(26)
    x = float(MARGIN)
    for kind in kinds:
        words = KINDS[kind]
        needs = 26 + 7.2 * len(words) + 22
        if x > MARGIN and x + needs > WIDTH - MARGIN:
            x = MARGIN
            page.down(24)
        page.rect(x, 18, 16, kind)
        page.text(x + 26, 13, words)
        x += needs
    page.down(16)
