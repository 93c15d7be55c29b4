"""The table that ``raidsim run`` prints: one per load, one row per point.

It takes about 100 columns. On a narrower terminal the figures of reads and of
writes take a row each. When the output is piped, the table is plain text with one
line per point, as wide as it needs to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.report import (
    compared,
    controllers,
    drives,
    hardware,
    hybrids,
    machines,
    numbers,
    phases,
    replay_words,
    unknowns,
    within,
)
from raidsim.report.console import UNBOUNDED
from raidsim.report.curves import (
    QUANTILE_LABELS,
    Curve,
    curves,
    figures,
    half_width,
    latency_unit,
    offered,
)
from raidsim.report.ruled import ruled
from raidsim.report.summary import confidence, load_sentence, several_volumes
from raidsim.result import FROM_THE_START, NO_LOAD, Limit, Point, Result, owner_and_part

AXIS_HEADERS = {"outstanding": "\noutstanding", "rate": "offered\nIO/s", "step": "\nstep"}
AXIS_WORDS = {"outstanding": "outstanding", "rate": "IO/s offered", "step": "step"}
NOT_CONVERGED = "!"
SATURATED = "saturated"
RARELY = 0.01
"""Share of the time up to which throttling is not what limits a load."""
INTERRUPTED = "interrupted: only the points that were finished are here"


def print_result(result: Result, console: Console) -> None:
    """Print every load of a result as a table, with notes on what needs one."""
    for number, curve in enumerate(curves(result)):
        if number:
            console.print()
        print_curve(curve, result, console)
        phases.print_phases(curve, console)
        print_unknowns(curve, result, console)
    if result.interrupted:
        console.print()
        console.print(Text(INTERRUPTED), soft_wrap=True)
    found = [*machines.summary(result), *phases.lines(result), *hardware.lines(result)]
    if found:
        console.print()
    for line in found:
        console.print(Text(line), soft_wrap=not console.is_terminal)


def print_curve(curve: Curve, result: Result, console: Console) -> None:
    """Print the heading, the table and the notes of one load."""
    heading = Text.assemble((curve.load, "bold"))
    sentence = load_sentence(result.scenario, curve.load)
    if sentence:
        heading.append(f": {sentence}")
    console.print(heading, soft_wrap=True)
    if curve.load == NO_LOAD:  # its figures would all be zero
        for text in dict.fromkeys(text for point in curve.points for text in remarks(point)):
            console.print(Text(text), soft_wrap=True)
        return
    console.print()
    console.print(fitting(curve, result, console))
    console.print()
    for note in notes(curve, result):
        console.print(Text(note), soft_wrap=True)


def print_unknowns(curve: Curve, result: Result, console: Console) -> None:
    """Print what the cards do not know of the figures of a load, if that was asked for."""
    found = unknowns.block(curve, result)
    if found is None:
        return
    console.print()
    if (said := unknowns.sentence(curve)) is not None:
        console.print(Text(said, style="bold"), soft_wrap=True)
    console.print(Text(found.title), soft_wrap=True)
    console.print()
    axis = "" if curve.highest is not None else AXIS_WORDS[curve.axis]
    tables = [_of_points(found, axis, curve)] if found.headers else []
    tables += [_course_of_unknowns(found, axis)] if found.course else []
    for table in tables:
        console.print(table, soft_wrap=not console.is_terminal)
        console.print()
    for note in found.notes:
        console.print(Text(note), soft_wrap=True)


def _of_points(found: unknowns.Block, axis: str, curve: Curve) -> Table:
    """Build the table of rates and latencies, a row for each point."""
    table = ruled()
    table.add_column(axis, justify="right", no_wrap=True)
    for header in found.headers:
        table.add_column(header, justify="right", no_wrap=True)
    several = len(found.rows) > 1  # of one a sentence below says what most of it is
    if several:
        table.add_column("most of it is", no_wrap=True)
    for place, row in zip(unknowns.axis_cells(curve), found.rows, strict=True):
        table.add_row(place, *row.cells, *([row.main] if several else []))
    return table


def _course_of_unknowns(found: unknowns.Block, axis: str) -> Table:
    """Build the table of phases and operations, a row each: their names may be long."""
    table = ruled()
    table.add_column(axis, justify="right", no_wrap=True)
    table.add_column("nine in ten", justify="right", no_wrap=True)
    table.add_column("of the course of events", overflow="fold")
    for row in found.course:
        table.add_row(row.place, row.span, Text(row.name))
    return table


def fitting(curve: Curve, result: Result, console: Console) -> Table:
    """Build the table in the roomiest layout that the console is wide enough for."""
    unbounded = console.options.update(width=UNBOUNDED)
    layouts = [layout(curve, result, gap) for layout in (wide, stacked) for gap in (2, 1)]
    for table in layouts:
        if console.measure(table, options=unbounded).maximum <= console.width:
            return table
    return layouts[-1]


def wide(curve: Curve, result: Result, gap: int = 2) -> Table:
    """Build the table with one row per point, for the kinds (read, write) that occurred."""
    unit, scale = latency_unit(curve.points)
    table = _with_throughput(curve, result, gap)
    blocks = []
    for kind in curve.kinds:
        header, rows = _block(curve, kind, scale)
        title = f"{f'{kind} latency, {unit}':^{len(header)}}"
        table.add_column(f"{title}\n{header}", no_wrap=True, min_width=len(header))
        blocks.append(rows)
    table.add_column("\nlimited by", no_wrap=True)
    for number, point in enumerate(curve.points):
        cells = _throughput(curve, number)
        table.add_row(*cells, *(rows[number] for rows in blocks), limit(point, result))
    return table


def stacked(curve: Curve, result: Result, gap: int = 2) -> Table:
    """Build the table with a row each for the reads and the writes of a point."""
    unit, scale = latency_unit(curve.points)
    table = _with_throughput(curve, result, gap)
    blocks = {kind: _block(curve, kind, scale) for kind in curve.kinds}
    if blocks:
        table.add_column("\n", no_wrap=True)
        header = next(iter(blocks.values()))[0]
        title = f"{f'latency, {unit}':^{len(header)}}"
        table.add_column(f"{title}\n{header}", no_wrap=True, min_width=len(header))
    table.add_column("\nlimited by")
    for number, point in enumerate(curve.points):
        cells = _throughput(curve, number)
        last = limit(point, result)
        for kind, (_, rows) in blocks.items():
            table.add_row(*cells, kind, rows[number], last)
            cells, last = [""] * len(cells), ""
        if not blocks:
            table.add_row(*cells, last)
    return table


def limit(point: Point, result: Result) -> str:
    """The part that prevents more I/Os and how busy it is: "front end 98 %".

    For a part that all drives of an array have, the mean, and the busiest if it is written
    differently. A single drive of an array that is the limit is named.
    """
    found = point.limited_by
    if found is None:
        return SATURATED if point.saturated else numbers.NOT_MEASURED
    words = _busy(found, point, result) + _throttled(found, point)
    return f"{words}, {SATURATED}" if point.saturated else words


def _throttled(found: Limit, point: Point) -> str:
    """Words for a limit that is a part of drives which are slow because they are too warm."""
    owner = owner_and_part(found.station)[0]
    shares = [
        drive.throttled or 0.0 for drive in point.drives if owner in (drive.name, drive.volume)
    ]
    most = max(shares, default=0.0)
    if most < RARELY:
        return ""
    return (
        ", throttled" if most > 1 - RARELY else f", throttled {numbers.percent(most)} of the time"
    )


def _busy(found: Limit, point: Point, result: Result) -> str:
    owners = {drive.name for drive in point.drives if drive.name != drive.volume}
    alone = owner_and_part(found.station)[0] in owners
    name = found.station if alone or several_volumes(result.scenario) else found.kind
    mean = numbers.percent(found.utilisation)
    if found.busiest_utilisation is None:
        return f"{name} {mean}"
    busiest = numbers.percent(found.busiest_utilisation)
    return f"{name} {mean}" if busiest == mean else f"{name} {mean}, busiest {busiest}"


def notes(curve: Curve, result: Result) -> Iterator[str]:
    """Answer what was asked, say what the columns mean, then what the rows cannot show."""
    if curve.highest is not None:
        yield within.line(curve)
    yield from machines.lines(curve)
    yield from replay_words.lines(curve)
    yield f"IO/s with half the {confidence(result.scenario)} interval; {numbers.MB_PER_S}"
    if (said := compared.line(curve, result)) is not None:
        yield said
    if any(point.rate is not None and point.workers > 1 for point in curve.points):
        yield f"each of the {curve.points[0].workers} workers is offered that rate"
    if curve.axis == "rate" and curve.counted < 1 and "trim" not in curve.points[0].latency_ms:
        yield f"of that rate {numbers.percent(curve.counted)} are asked for, pauses counted in"
    if any("trim" in point.latency_ms for point in curve.points):
        yield "IO/s that come out are reads and writes; what is asked for has trims too"
    unmeasured = any(
        None in figures(latency)
        for point in curve.points
        for latency in point.latency_ms.values()
        if latency
    )
    if unmeasured:
        yield f"{numbers.NOT_MEASURED} not shown: fewer than ten samples lie beyond it"
    if any(_is_marked(point) for point in curve.points):
        yield f"{NOT_CONVERGED} not converged: why is said below"
    places: dict[str, list[int]] = {}
    for part in (_not_well, _other_remarks):
        for number, point in enumerate(curve.points):
            for text in part(point):
                places.setdefault(text, []).append(number)
    for text, chosen in places.items():
        yield f"{_where(chosen, curve)}: {text}"
    yield from drives.lines(curve, lambda chosen: _where(chosen, curve))
    yield from controllers.lines(curve, lambda chosen: _where(chosen, curve))
    yield from hybrids.lines(curve, lambda chosen: _where(chosen, curve))


def _where(chosen: Sequence[int], curve: Curve) -> str:
    """Name some points of a curve: "1, 2, 4 outstanding"; "step 2"; "every point"."""
    if len(curve.points) == 1:
        return offered(curve.points[0])
    if len(chosen) == len(curve.points):
        return "every point"
    if len(chosen) == 1 and curve.axis != "step":
        return offered(curve.points[chosen[0]])
    cells = ", ".join(axis_cell(curve, number) for number in chosen)
    return f"step {cells}" if curve.axis == "step" else f"{cells} {AXIS_WORDS[curve.axis]}"


def remarks(point: Point) -> list[str]:
    """Return the number of I/Os of a point that failed or timed out, then its warnings."""
    return [*_not_well(point), *_other_remarks(point)]


def _not_well(point: Point) -> list[str]:
    """Say how many I/Os failed or timed out.

    Beside events only what happens after the warm-up counts, as in the table from event to event.
    """
    counts, among = point.counts, ""
    failed, timed_out, issued = counts.failed, counts.timed_out, counts.issued
    if point.course is not None:
        failed = sum(phase.failed for phase in point.course.phases)
        timed_out = sum(phase.timed_out for phase in point.course.phases)
        issued = counts.measured + failed + timed_out
    elif point.warmup_s > 0:
        among = ", those of the warm-up included"
    return [
        f"{number:,} of {issued:,} I/Os {what}{among}"
        for number, what in ((failed, "failed"), (timed_out, "timed out"))
        if number
    ]


def _other_remarks(point: Point) -> list[str]:
    texts = list(point.warnings)
    for kind, several in (("flush", "flushes"), ("trim", "trims")):
        if (found := point.latency_ms.get(kind)) is not None and point.window_s > 0:
            rate = numbers.count(found.samples / point.window_s)
            tail = "" if found.p99 is None else f", p99 {numbers.figure(found.p99)} ms"
            texts.append(f"{rate} {several}/s, which take {numbers.figure(found.mean)} ms{tail}")
    return texts


def axis_cell(curve: Curve, number: int) -> str:
    """The position of a point on its curve's axis, as text."""
    value = curve.x[number]
    return numbers.count(value) if curve.axis == "rate" else f"{value:.0f}"


def interval_cell(point: Point) -> str:
    """Half the interval of the throughput in percent, behind a mark if it is wider than asked."""
    half = half_width(point)
    text = numbers.NOT_MEASURED if half is None else f"{100 * half:.2f} %"
    return f"{NOT_CONVERGED}{text}" if _is_marked(point) else text


def _is_marked(point: Point) -> bool:
    """Return whether the mark of what did not converge belongs to a point; others say it in words.

    A load that has an end asks for no precision.
    """
    ends = FROM_THE_START in point.warnings
    return not (point.converged or point.saturated or point.course or ends)


def _with_throughput(curve: Curve, result: Result, gap: int) -> Table:
    """An empty table with the columns that every layout begins with, ``gap`` spaces apart."""
    table = ruled(gap)
    headers = (
        AXIS_HEADERS[curve.axis],
        "\nIO/s",
        f"± at\n{confidence(result.scenario)}",
        "\nMB/s",
    )
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def _throughput(curve: Curve, number: int) -> list[str | Text]:
    point = curve.points[number]
    return [
        axis_cell(curve, number),
        Text(numbers.count(point.iops.mean), style="bold"),
        Text(interval_cell(point), style="" if point.converged else "yellow"),
        numbers.mbps(point.mbps),
    ]


def _block(curve: Curve, kind: str, scale: float) -> tuple[str, list[str]]:
    """Latency figures of one kind as one aligned block: its header and a line per point."""
    lines: list[Sequence[str]] = [list(QUANTILE_LABELS.values())]
    for point in curve.points:
        latency = point.latency_ms.get(kind)
        values: Iterable[float | None] = figures(latency) if latency else [None] * 5
        lines.append([numbers.figure(None if v is None else v * scale) for v in values])
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    texts = [
        " ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        for line in lines
    ]
    return texts[0], texts[1:]
