"""The effect of unknown values in words: the range of nine in ten draws of a figure, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidsim import units
from raidsim.report import compared, numbers
from raidsim.report.curves import Curve, half_width, latency_unit
from raidsim.report.phases import duration
from raidsim.result import Compared, Result
from raidsim.result.draws import Figure, PointUnknowns, Share, Unknowns
from raidsim.studies.point_figures import RATE_FROM, TIME, is_of_course, is_time_of_operation
from raidsim.unknowns import spread

BAND = "nine in ten, with what cards do not know"
MEAN_BAND = "nine in ten, of the mean"
MOST = 0.5
"""Share of the variance from which on something is most of it."""

LEAST_SHARE = 0.05
"""Share of the variance from which on a value is named."""


@dataclass(frozen=True)
class Row:
    """One point: where draws have its figures, and what decides its rate most."""

    cells: list[str]
    main: str


@dataclass(frozen=True)
class CourseRow:
    """One figure of the course of events at one point: its range, with its unit, and its name."""

    place: str
    span: str
    name: str


@dataclass(frozen=True)
class Block:
    """The text about one load: a table, one of the course of events, and sentences below them."""

    title: str
    headers: list[str]
    rows: list[Row]
    course: list[CourseRow]
    notes: list[str]


def named(point: PointUnknowns, name: str) -> Figure | None:
    """A figure of a point by its name."""
    return next((one for one in point.figures if one.name == name), None)


def block(curve: Curve, result: Result) -> Block | None:
    """All that is said of a load; None where nothing was drawn, or there is no figure."""
    found, of = result.unknowns, result.compared
    if found is None or of is None or not curve.unknowns:
        return None
    unit, scale = latency_unit(curve.points)
    names, course = _names(curve), list(_course(curve))
    if not names and not course:  # of a load of which all I/Os fail
        return None
    headers = [_header(name, unit) for name in names]
    rows = []
    for point in curve.unknowns:
        figures = [named(point, name) for name in names]
        cells = [
            span(one, scale if one is not None and one.unit == "ms" else 1.0) for one in figures
        ]
        rows.append(Row(cells, _main(figures[0] if figures else None)))
    return Block(_title(found, of), headers, rows, course, list(_notes(curve, found, of)))


def job_file(result: Result) -> bytes:
    """The measurement that would narrow a result most, as a job file of fio."""
    found = [] if result.unknowns is None else result.unknowns.experiments
    none = "; No value of a card stands out: there is no one measurement that would tell most.\n"
    return (found[0].job if found else none).encode()


def axis_cells(curve: Curve) -> list[str]:
    """The position of each row on the axis of its curve, as text."""
    if curve.highest is not None:
        return ["highest"]
    if curve.axis == "rate":
        return [numbers.count(x) for x in curve.x]
    return [f"{x:.0f}" for x in curve.x]


def sentence(curve: Curve) -> str | None:
    """The rate of a load of one point, with both of its intervals; None of others."""
    if len(curve.unknowns) != 1 or (len(curve.points) != 1 and curve.highest is None):
        return None
    rate = named(curve.unknowns[0], "iops")
    if rate is None or rate.low is None:
        return None
    known = f"{span(rate, 1.0)} with what the cards do not know"
    half = half_width(curve.points[0]) if curve.highest is None else None
    measured = "" if half is None else f"±{100 * half:.2g} % measured; "
    return f"{numbers.count(rate.value)} IO/s ({measured}{known})"


def span(figure: Figure | None, scale: float) -> str:
    """From where to where the draws have a figure, to three digits: "2,100 to 3,150"."""
    if figure is None or figure.low is None or figure.high is None:
        return numbers.NOT_MEASURED
    return f"{rounded(figure.low * scale)} to {rounded(figure.high * scale)}"


def rounded(value: float) -> str:
    """A number to three digits, in plain notation: what an interval is known to."""
    if value == 0:
        return "0"
    text = float(f"{value:.3g}")
    if abs(text) >= 100:
        return f"{text:,.0f}"
    digits = 1 if abs(text) >= 10 else 2 if abs(text) >= 1 else 3
    return f"{text:.{digits}f}"


def _course(curve: Curve) -> Iterator[CourseRow]:
    """Yield phases and operations in the order of the course, point after point."""
    for place, point in zip(axis_cells(curve), curve.unknowns, strict=True):
        for figure in point.figures:
            if not is_of_course(figure.name) or figure.low is None or figure.high is None:
                continue
            if is_time_of_operation(figure.name):
                words = f"time of the {figure.name.removesuffix(TIME)}"
                yield CourseRow(place, durations(figure.low, figure.high), words)
            else:
                words = f"from {figure.name.removeprefix(RATE_FROM)}"
                yield CourseRow(place, f"{span(figure, 1.0)} IO/s", words)


def durations(low: float, high: float) -> str:
    """From one time to another, s, for people: "3.36 to 14 days"; "40 h to 2.5 days"."""
    first, last = duration(low), duration(high)
    number, unit = first.split(" ")
    return f"{number if last.endswith(f' {unit}') else first} to {last}"


def _names(curve: Curve) -> list[str]:
    """Figures that a column is given to: of those that any point has."""
    there = {
        figure.name: None
        for point in curve.unknowns
        for figure in point.figures
        if figure.low is not None
    }
    usual = ["iops", "mbps"]
    for kind in (*curve.kinds, "flush"):
        usual += [f"{kind} latency", f"{kind} latency p99"]
    others = [
        name
        for name in there
        if name not in usual
        and not is_of_course(name)
        and "latency" not in name
        and name not in ("outstanding", "rate")
    ]
    return [name for name in usual if name in there] + others


def _header(name: str, unit: str) -> str:
    if name == "iops":
        return "IO/s"
    if name == "mbps":
        return "MB/s"
    if "latency" in name:
        words = name.replace(" latency", "")
        return f"{words}, {unit}" if " " in words else f"{words} mean, {unit}"
    return f"{name}, s"


def _title(found: Unknowns, of: Compared) -> str:
    values = "1 value" if found.values == 1 else f"{found.values} values"
    tails = any(one.name.endswith(" p99") for point in found.points for one in point.figures)
    why = "".join(f"; {one}" for one in compared.reasons(of))
    return (
        f"Intervals with what the cards do not know: nine in ten of {found.draws} draws of"
        f" {values}, widened by {compared.widening(of, tails=tails)} for what the models leave"
        f" out{why}"
    )


def _main(figure: Figure | None) -> str:
    """Return the largest cause of the width of an interval, of draws and models together."""
    if figure is None:
        return numbers.NOT_MEASURED
    left_out = figure.left_out or 0.0
    main = figure.shares[:1]
    if left_out >= MOST or (main and left_out > main[0].share * (1 - left_out)):
        return f"{numbers.percent(left_out)} what the models leave out"
    return _of(main[0], 1 - left_out) if main else numbers.NOT_MEASURED


def _of(share: Share, drawn: float) -> str:
    return f"{numbers.percent(share.share * drawn)} {share.value} of {share.card}"


def _notes(curve: Curve, found: Unknowns, of: Compared) -> Iterator[str]:
    """Yield notes on the causes of the width, on what would narrow it, and on problems."""
    rate = _widest(curve)
    if rate is not None:
        yield from _behind(rate)
    if rate is not None and (rate.left_out or 0.0) >= MOST and (parts := _wide(of)):
        usual = numbers.percent(spread.MODEL)
        yield (
            f"any results of fio of {' and '.join(parts)}, given to raidsim calibrate"
            f" --fio --output, narrow what the models leave out to {usual}"
        )
    for experiment in found.experiments[:1]:
        yield (
            f"to know {experiment.value} of {experiment.card} better, {experiment.text}"
            " (--experiment FILE.fio writes the job)"
        )
    if found.failed:
        why = f": {'; '.join(found.problems)}" if found.problems else ""
        yield f"{found.failed} of {found.draws} draws could not be run{why}"
    saturated = max(point.saturated for point in curve.unknowns)
    if saturated:
        yield f"up to {saturated} of {found.draws} draws do not carry the load"
    if found.drawn_in:
        yield (
            f"in {found.drawn_in} of {found.draws} draws values did not fit together on a card:"
            " they were moved halfway back to its own values until they did"
        )
    yield _held(of)


def _wide(found: Compared) -> list[str]:
    """Parts because of which intervals are wider, as the user would name them."""
    parts = [*found.uncompared, *(f"what {one} stands in for" for one in found.stand_ins)]
    return parts or (["this system"] if found.measured_apart else [])


def _held(found: Compared) -> str:
    """Return a sentence with the share of published figures inside such intervals."""
    low, high = spread.HALF
    half = f"half of what others measured was {low:.2f} to {high:.2f} times the prediction"
    if found.uncompared or found.stand_ins:
        inside, figures = spread.HELD_UNCOMPARED
        of = "figures that others measured on systems of their own"
    elif found.measured_apart:
        inside, figures = spread.HELD_APART
        of = "figures that others measured of parts which are known from other systems"
    else:
        inside, figures = spread.HELD
        of = "published figures of documents that the models were made from"
    return f"such intervals contain {numbers.percent(inside)} of {figures} {of}; {half}"


def _widest(curve: Curve) -> Figure | None:
    """The rate of the point at which it is the least known."""
    found = [named(point, "iops") for point in curve.unknowns]
    known = [one for one in found if one is not None and one.low and one.high]
    return max(known, key=lambda one: (one.high or 0.0) / (one.low or 1.0), default=None)


def _behind(rate: Figure) -> Iterator[str]:
    shares = [one for one in rate.shares if one.share >= LEAST_SHARE]
    where = f"at {numbers.count(rate.value)} IO/s"
    left_out = rate.left_out or 0.0
    of_what = "this"
    if left_out >= LEAST_SHARE:
        of_what = "the rest"
        where += f" {numbers.percent(left_out)} of this is what the models leave out;"
    if not shares:
        if left_out >= LEAST_SHARE:
            yield f"{where} many values and chance cause the rest"
        else:
            yield f"no single value stands out {where}: many values and chance cause the width"
        return
    words = [
        f"{numbers.percent(one.share)} of {of_what} comes from {one.value} of {one.card}"
        f" ({units.plain(one.own, 4)}{_unit(one)}, drawn within"
        f" {units.plain(one.low, 3)} to {units.plain(one.high, 3)})"
        if place == 0
        else f"{numbers.percent(one.share)} from {one.value} of {one.card}"
        for place, one in enumerate(shares)
    ]
    rest = max(1 - sum(one.share for one in shares), 0.0)
    yield f"{where} {', '.join(words)}, {numbers.percent(rest)} from all other values together"


def _unit(share: Share) -> str:
    return "" if share.unit == "1" else f" {share.unit}"
