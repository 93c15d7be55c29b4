"""A sweep as a picture: one column over another, a line for each value of a third."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from raidsim.errors import InputError, Problem
from raidsim.report.panels import LIGHT, legend, paint, plain_label
from raidsim.report.plot import PANEL_INCHES, Picture, drawing, encoded
from raidsim.studies.figures import COLUMN
from raidsim.studies.sweep import Row, Sweep
from raidsim.studies.vary import number_of

MOST_LINES = 12


def render(sweep: Sweep, suffix: str, x: str | None, y: str, by: str | None) -> bytes:
    """Draw as PNG or SVG; the same bytes for the same sweep."""
    with drawing():
        return encoded(_figure(sweep, x, y, by), suffix, "raidsim sweep")


def figure(sweep: Sweep, x: str | None = None, y: str = "iops", by: str | None = None) -> Figure:
    """Draw as a figure that notebooks show."""
    with drawing():
        return _figure(sweep, x, y, by)


def axes_of(sweep: Sweep, x: str | None, y: str, by: str | None) -> tuple[str, str, str | None]:
    """Return the axes of the picture; those that are not given are chosen.

    Raises
    ------
    InputError
        There is no such column.
    """
    rows = sweep.rows

    def values(key: str) -> int:
        return len({str(row.get(key)) for row in rows})

    for name, option in ((x, "--x"), (y, "--y"), (by, "--by")):
        if name is not None:
            sweep.check(name, option)
    numeric = [key for key in sweep.keys if key not in (by, y) and _are_numbers(rows, key)]
    if x is None:
        choice = numeric or [key for key in sweep.keys if key not in (by, y)] or ["outstanding"]
        x = max(choice, key=values)
    if by is None:
        others = [key for key in sweep.keys if key not in (x, y) and 1 < values(key) <= MOST_LINES]
        by = max(others, key=values) if others else None
    return x, y, by


def _are_numbers(rows: Sequence[Row], key: str) -> bool:
    return all(number_of(row.get(key)) is not None for row in rows)


def _figure(sweep: Sweep, x: str | None, y: str, by: str | None) -> Figure:
    x, y, by = axes_of(sweep, x, y, by)
    rows = [row for row in sweep.rows if number_of(row.get(y)) is not None]
    if not rows:
        cause = f"no variant has a figure for {y}"
        raise InputError([Problem(None, None, "--y", cause, "draw another column")])
    lines = list(dict.fromkeys(row.get(by) if by else "" for row in rows))
    if len(lines) > MOST_LINES:
        cause = f"{by} has {len(lines)} values, too many for one picture"
        raise InputError([Problem(None, None, "--by", cause, f"give at most {MOST_LINES}")])
    drawn = Picture(figsize=(1.5 * PANEL_INCHES[0], 1.3 * PANEL_INCHES[1]), layout="constrained")
    drawn.suptitle(sweep.title, fontsize=12, fontweight="bold")
    axes = drawn.subplots()
    places = _places(rows, x)
    rest = [
        key for key in sweep.keys if key not in (x, by) and len({str(r.get(key)) for r in rows}) > 1
    ]
    for number, line in enumerate(lines):
        own = [row for row in rows if by is None or row.get(by) == line]
        own.sort(key=lambda row: places[_key(row, x)])
        colour = LIGHT.stages[number % len(LIGHT.stages)]
        label = f"{by} {line}" if by else None
        if rest or _are_numbers(rows, x):
            _draw(axes, own, x, y, places, colour, label, joined=not rest)
        else:
            _draw_bars(axes, own, x, y, places, colour, label, place=number, of=len(lines))
    _finish(axes, rows, x, y, places)
    if by is not None:
        legend(axes, LIGHT)
    return drawn


def _draw(
    axes: Axes, rows: Sequence[Row], x: str, y: str, places: dict[Any, float], colour: str,
    label: str | None, *, joined: bool,
) -> None:  # fmt: skip
    """One line, with the intervals of throughput; points alone, where other keys vary as well."""
    across = [places[_key(row, x)] for row in rows]
    up = [float(row[y]) for row in rows]
    style = "-" if joined else ""
    axes.plot(across, up, marker="o", linestyle=style, color=colour, label=label)
    if y == "iops":
        known = [
            (place, row) for place, row in zip(across, rows, strict=True)
            if row["iops_low"] is not None and row["iops_high"] is not None
        ]  # fmt: skip
        axes.vlines(
            [place for place, _ in known],
            [row["iops_low"] for _, row in known],
            [row["iops_high"] for _, row in known],
            color=colour,
            linewidth=1,
        )


def _draw_bars(
    axes: Axes, rows: Sequence[Row], x: str, y: str, places: dict[Any, float], colour: str,
    label: str | None, *, place: int, of: int,
) -> None:  # fmt: skip
    """One line as bars: between words there is nothing that a line could lead over."""
    width = 0.8 / of
    across = [places[_key(row, x)] + (place + 0.5) * width - 0.4 for row in rows]
    axes.bar(across, [float(row[y]) for row in rows], 0.9 * width, color=colour, label=label)
    known = [(at, row) for at, row in zip(across, rows, strict=True) if y == "iops"]
    for at, row in known:
        if row["iops_low"] is not None and row["iops_high"] is not None:
            axes.vlines(at, row["iops_low"], row["iops_high"], color=LIGHT.ink, linewidth=1)


def _key(row: Row, x: str) -> Any:
    value = row.get(x)
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _places(rows: Sequence[Row], x: str) -> dict[Any, float]:
    """Return the position of each value on the axis: its number, or else its rank."""
    values = list(dict.fromkeys(_key(row, x) for row in rows))
    found = [number_of(value) for value in values]
    if all(number is not None for number in found):
        return {
            value: number for value, number in zip(values, found, strict=True) if number is not None
        }
    return {value: float(place) for place, value in enumerate(values)}


def _finish(axes: Axes, rows: Sequence[Row], x: str, y: str, places: dict[Any, float]) -> None:
    top = max(float(row[y]) for row in rows)
    bottom = min(float(row[y]) for row in rows)
    axes.set_ylim(min(0.0, 1.08 * bottom), 1.08 * top if top > 0 else 1)
    axes.yaxis.set_major_formatter(FuncFormatter(plain_label))
    axes.set_ylabel(words(y))
    axes.set_xlabel(words(x))
    numeric = _are_numbers(rows, x)
    ordered = sorted(places.items(), key=lambda item: item[1])
    at = [place for _, place in ordered]
    if numeric and min(at) > 0 and max(at) / min(at) >= 16:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
    written = any(isinstance(value, str) for value, _ in ordered)
    if len(at) <= 12 or not numeric:
        axes.set_xticks(
            at, [str(value) if written else plain_label(place) for value, place in ordered]
        )
    else:
        axes.xaxis.set_major_formatter(FuncFormatter(plain_label))
    axes.grid(axis="y", color=LIGHT.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, LIGHT)


def words(name: str) -> str:
    """Return the meaning of a column, with its unit."""
    return COLUMN[name].words if name in COLUMN else name
