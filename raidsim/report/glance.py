"""A result at a glance: a few lines, and a small table for notebooks."""

from __future__ import annotations

from html import escape

from raidsim.report import numbers
from raidsim.report.curves import half_width, offered
from raidsim.report.summary import confidence, load_sentence, title
from raidsim.result import Point, Result

MOST_LINES = 6  # of points
MOST_ROWS = 60


def text(result: Result) -> str:
    """A result in a few lines: its title, and a line for each of its first points."""
    points = result.points
    shown = points if len(points) <= MOST_LINES else points[: MOST_LINES - 1]
    lines = [f'<Result "{title(result.scenario)}", seed {result.seed}{_interrupted(result)}']
    lines += [f"  {line(point)}" for point in shown]
    if len(points) > len(shown):
        lines.append(f"  ... and {len(points) - len(shown)} more points")
    return "\n".join(lines) + ">"


def line(point: Point) -> str:
    """A point in a line: "database, 32 outstanding: 143,661 IO/s, 1122 MB/s, read 0.316 ms"."""
    parts = [f"{numbers.count(point.iops.mean)} IO/s", f"{numbers.mbps(point.mbps)} MB/s"]
    parts += [
        f"{kind} {numbers.figure(latency.mean)} ms"
        for kind, latency in point.latency_ms.items()
        if latency is not None
    ]
    if point.limited_by is not None:
        busy = numbers.percent(point.limited_by.utilisation)
        parts.append(f"limited by {point.limited_by.station} {busy}")
    if point.saturated:
        parts.append("saturated")
    return f"{point.load}, {offered(point)}: {', '.join(parts)}"


def html(result: Result) -> str:
    """A result as a small table of HTML: a row for each point."""
    heads = ["load", "offered", "IO/s", f"± at {confidence(result.scenario)}", "MB/s"]
    heads += ["read mean, ms", "read p99, ms", "write mean, ms", "write p99, ms", "limited by"]
    shown = result.points[:MOST_ROWS]
    rows = [_row("th", heads), *(_row("td", _cells(point)) for point in shown)]
    sentences = {point.load: load_sentence(result.scenario, point.load) for point in shown}
    notes = [f"{load}: {words}" for load, words in sentences.items() if words]
    notes.append(numbers.MB_PER_S)
    if len(result.points) > len(shown):
        notes.append(f"and {len(result.points) - len(shown)} more points")
    caption = f"<caption>{escape(title(result.scenario))}{_interrupted(result)}</caption>"
    below = "".join(f"<div>{escape(note)}</div>" for note in notes)
    return f"<div><table>{caption}{''.join(rows)}</table>{below}</div>"


def _cells(point: Point) -> list[str]:
    half = half_width(point)
    cells = [point.load, offered(point), numbers.count(point.iops.mean)]
    cells += [numbers.NOT_MEASURED if half is None else f"{100 * half:.2f} %"]
    cells += [numbers.mbps(point.mbps)]
    for kind in ("read", "write"):
        latency = point.latency_ms.get(kind)
        found = (latency.mean, latency.p99) if latency else (None, None)
        cells += map(numbers.figure, found)
    limit = point.limited_by
    busy = f"{limit.station} {numbers.percent(limit.utilisation)}" if limit else ""
    saturated = "saturated" if point.saturated else ""
    return [*cells, ", ".join(part for part in (busy, saturated) if part)]


def _row(tag: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _interrupted(result: Result) -> str:
    return ", interrupted" if result.interrupted else ""
