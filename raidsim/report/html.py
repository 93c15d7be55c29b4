"""A run as one HTML file that opens offline: tables, plots, what limits, and how to run it again.

The plots are SVG inside the page: see :mod:`raidsim.report.embedded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.axes import Axes

from raidsim.report import (
    hardware,
    machines,
    numbers,
    one_point,
    phases,
    replayed,
    summary,
    toml_text,
    unknowns,
    within,
)
from raidsim.report.course import course_of, draw_course
from raidsim.report.curves import (
    QUANTILE_LABELS,
    Curve,
    curves,
    figures,
    latency_unit,
    offered,
    stage_groups,
)
from raidsim.report.embedded import PALETTE, STAGE_STAND_INS, drawn
from raidsim.report.pages import filled
from raidsim.report.panels import draw_latency, draw_stages, draw_throughput
from raidsim.report.ready import draw_ready
from raidsim.report.real_time import is_steady
from raidsim.report.table import AXIS_WORDS, INTERRUPTED, axis_cell, interval_cell, limit, notes
from raidsim.report.timeline import draw_timeline, height
from raidsim.result import NO_LOAD, Point, Result

PANEL_INCHES = (5.4, 3.6)
COURSE_INCHES = (10.8, 4.6)


@dataclass(frozen=True)
class Row:
    """One point as the cells of the page's tables."""

    axis: str
    iops: str
    interval: str
    mbps: str
    latencies: list[str]
    limit: str
    converged: bool
    uses: list[tuple[str, float]]  # utilisation by kind of station: text, and 0..1 for the bar


@dataclass(frozen=True)
class Timeline:
    """The course of a point of a scenario with events."""

    where: str
    picture: Markup
    unit: str  # of the time
    latency_unit: str
    kinds: list[str]
    rows: list[phases.Row]
    operations: list[str]


@dataclass(frozen=True)
class Section:
    """All that the page says about one load; of a run without loads there are no figures."""

    name: str
    sentence: str
    headline: list[tuple[str, str, str]]  # figure, what it is, at which load
    axis: str
    unit: str
    kinds: tuple[str, ...]
    rows: list[Row]
    notes: list[str]
    station_kinds: list[str]
    stage_key: list[tuple[str, int]]  # kind of station (or several), number of its colour
    one: bool  # point, of which there is nothing to draw against the load
    throughput: Markup
    latency: Markup
    course: Markup | None
    ready: Markup | None
    course_where: str
    course_drives: int
    timelines: list[Timeline]
    replays: list[tuple[str, Markup]]  # at which load, and stretch by stretch
    stages: Markup | None
    shares: Markup | None
    unknowns: unknowns.Block | None
    places: list[str]  # of its rows on the axis
    sentence_of_one: str | None  # of a load of one point, with both of its intervals


def render(result: Result) -> bytes:
    """Write the page of a result: UTF-8, self-contained, equal for equal results."""
    return filled(
        "page.html.j2",
        title=summary.title(result.scenario),
        description=str(result.scenario.get("description") or ""),
        facts=_facts(result),
        confidence=summary.confidence(result.scenario),
        quantiles=list(QUANTILE_LABELS.values()),
        sections=[_section(curve, n, result) for n, curve in enumerate(curves(result))],
        provenance={"raidsim": result.raidsim, "seed": str(result.seed)} | result.provenance,
        scenario=toml_text.render(result.scenario),
    )


def _facts(result: Result) -> list[tuple[str, str]]:
    """Hardware and precision in a few lines."""
    scenario = result.scenario
    facts = [("Host", summary.host_sentence(scenario))]
    facts += [("Volume", summary.volume_sentence(one)) for one in summary.volumes(scenario)]
    facts += [("Controller", text) for text in summary.controller_sentences(scenario)]
    facts += [("Hardware", line) for line in hardware.lines(result)]
    if any(drive.temperature_c for point in result.points for drive in point.drives):
        facts.append(("Air", summary.air_sentence(scenario)))
    measure = scenario.get("measure")
    if isinstance(measure, dict) and measure.get("precision"):
        confidence = summary.confidence(scenario)
        facts.append(("Precision asked", f"{measure['precision']} at {confidence} confidence"))
    facts.append(("Seed", str(result.seed)))
    facts.append(("Interrupted", INTERRUPTED if result.interrupted else ""))
    return [(name, text) for name, text in facts if text]


def _section(curve: Curve, number: int, result: Result) -> Section:
    unit, scale = latency_unit(curve.points)
    kinds = list(
        dict.fromkeys(
            use.kind for point in curve.points for use in point.stations if use.utilisation > 0
        )
    )
    stages = stage_groups(curve.points, len(STAGE_STAND_INS))
    course = course_of(curve)
    interval = summary.confidence(result.scenario)
    alone = len(curve.points) == 1
    draw = one_point.draw_percentiles if one_point.is_one(curve) else draw_latency
    timelines = [
        _timeline(point, f"{number}-{n}", steady=is_steady(result.scenario))
        for n, point in enumerate(phases.courses(curve.points))
    ]
    replays = [
        (offered(point), _replay(point, f"{number}-{n}"))
        for n, point in enumerate(replayed.replayed(curve))
    ]
    shown = range(0 if curve.load == NO_LOAD else len(curve.points))
    return Section(
        name=curve.load,
        sentence=summary.load_sentence(result.scenario, curve.load),
        headline=_headline(curve, result) if shown else [],
        axis=AXIS_WORDS[curve.axis],
        unit=unit,
        kinds=curve.kinds,
        rows=[_row(curve, n, scale, kinds, result) for n in shown],
        notes=list(notes(curve, result)),
        station_kinds=kinds,
        stage_key=[] if alone else [(kind, n) for n, kind in enumerate(stages)],
        one=one_point.is_one(curve) and bool(shown) and not (timelines or replays),
        throughput=_svg(
            lambda axes: draw_throughput(axes, curve, PALETTE, interval),
            f"throughput-{number}",
            f"Throughput of {curve.load} against the load",
        ),
        latency=_svg(
            lambda axes: draw(axes, curve, PALETTE),
            f"latency-{number}",
            f"Latency of {curve.load}",
        ),
        course=None if course is None else _course(course, number),
        ready=_ready(curve, number, result),
        course_where="" if course is None else offered(course),
        course_drives=0 if course is None else len(course.drives),
        timelines=timelines,
        replays=replays,
        stages=_stages(curve, number, shares=False) if stages else None,
        shares=_stages(curve, number, shares=True) if stages and not alone else None,
        unknowns=unknowns.block(curve, result),
        places=unknowns.axis_cells(curve),
        sentence_of_one=unknowns.sentence(curve),
    )


def _headline(curve: Curve, result: Result) -> list[tuple[str, str, str]]:
    """The figures that a reader looks for first."""
    best = max(curve.points, key=lambda point: point.iops.mean)
    first = curve.points[0]
    unit, scale = latency_unit(curve.points)  # that of the table
    cells = []
    found = curve.highest
    if found is not None and found.iops is not None and within.best(curve) is not None:
        what = f"highest load, {within.bound(found)}"
        cells.append((f"{numbers.count(found.iops.mean)} IO/s", what, within.where(curve)))
    cells += [
        (f"{numbers.count(best.iops.mean)} IO/s", "most I/Os", offered(best)),
        (f"{numbers.mbps(best.mbps)} MB/s", "throughput there", offered(best)),
    ]
    for kind in curve.kinds:
        latency = first.latency_ms.get(kind)
        if latency:
            words = f"{numbers.figure(latency.mean * scale)} {unit}"
            cells.append((words, f"mean {kind}", offered(first)))
    if best.limited_by:
        cells.append((limit(best, result), "limits it", offered(best)))
    return cells


def _row(curve: Curve, number: int, scale: float, kinds: Iterable[str], result: Result) -> Row:
    point = curve.points[number]
    latencies: list[str] = []
    for kind in curve.kinds:
        latency = point.latency_ms.get(kind)
        values = figures(latency) if latency else (None,) * 5
        latencies += [numbers.figure(None if v is None else v * scale) for v in values]
    return Row(
        axis=axis_cell(curve, number),
        iops=numbers.count(point.iops.mean),
        interval=interval_cell(point),
        mbps=numbers.mbps(point.mbps),
        latencies=latencies,
        limit=limit(point, result),
        converged=point.converged,
        uses=[_use(point, kind) for kind in kinds],
    )


def _use(point: Point, kind: str) -> tuple[str, float]:
    """Utilisation of the busiest station of a kind."""
    busy = [use.utilisation for use in point.stations if use.kind == kind]
    if not busy:
        return numbers.NOT_MEASURED, 0.0
    return numbers.percent(max(busy)), min(max(busy), 1.0)


def _stages(curve: Curve, number: int, *, shares: bool) -> Markup:
    name = "shares" if shares else "stages"

    def draw(axes: Axes) -> None:
        if len(curve.points) == 1:
            one_point.draw_times(axes, curve, PALETTE)
        else:
            draw_stages(axes, curve, PALETTE, shares=shares)

    return _svg(
        draw,
        f"{name}-{number}",
        f"Mean time per I/O of {curve.load} by kind of station",
    )


def _ready(curve: Curve, number: int, result: Result) -> Markup | None:
    """The curve of all machines, under the first of their groups."""
    groups = machines.groups_of(result)
    if not groups or groups[0].load != curve.load:
        return None
    return drawn(
        lambda figure: draw_ready(figure.subplots(), groups, PALETTE),
        f"ready-{number}",
        "Share of the machines that was ready against time",
        COURSE_INCHES,
    )


def _course(point: Point, number: int) -> Markup:
    return drawn(
        lambda figure: draw_course(figure, point, PALETTE),
        f"course-{number}",
        f"Throughput and temperature of {point.load} over time",
        COURSE_INCHES,
    )


def _replay(point: Point, number: str) -> Markup:
    return drawn(
        lambda figure: replayed.draw_replayed(figure, point, PALETTE),
        f"replay-{number}",
        f"Throughput and latency of {point.load} over the time of the replay",
        COURSE_INCHES,
    )


def _timeline(point: Point, number: str, *, steady: bool) -> Timeline:
    course = point.course
    assert course is not None
    return Timeline(
        where=offered(point),
        picture=drawn(
            lambda figure: draw_timeline(figure, point, PALETTE, steady=steady),
            f"timeline-{number}",
            f"The course of {point.load}, with what happened",
            (COURSE_INCHES[0], height(point)),
        ),
        unit=phases.unit_of(course.phases[-1].end_s)[0] if course.phases else "s",
        latency_unit=phases.latency_unit(course)[0],
        kinds=phases.kinds_of(course),
        rows=phases.rows(course),
        operations=[
            *(phases.cut_words(one) for cut in course.power_cuts for one in cut.volumes),
            *(phases.operation_words(one) for one in course.operations),
        ],
    )


def _svg(draw: Callable[[Axes], None], name: str, label: str) -> Markup:
    """Draw one panel as an element of the page, in the colours of its style sheet."""
    return drawn(lambda figure: draw(figure.subplots()), name, label, PANEL_INCHES)
