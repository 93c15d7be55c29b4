"""A comparison in words: ratios with their intervals, and sentences about them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from raidsim import units
from raidsim.report import numbers, phases, risk_table
from raidsim.studies.comparison import Comparison, Fact, Line, RatioInDraws, letter
from raidsim.studies.paired import Difference
from raidsim.studies.point_figures import is_time_of_operation

MOST_LEFT = 6
"""Differences that are left open and named."""

SHOWN = ("iops", "read latency", "read latency p99", "write latency", "write latency p99")
WORDS = {
    "iops": "throughput",
    "mbps": "throughput",
    "read latency": "read latency, mean",
    "read latency p50": "read latency, 50 %",
    "read latency p95": "read latency, 95 %",
    "read latency p99": "read latency, 99 %",
    "read latency p999": "read latency, 99.9 %",
    "write latency": "write latency, mean",
    "write latency p50": "write latency, 50 %",
    "write latency p95": "write latency, 95 %",
    "write latency p99": "write latency, 99 %",
    "write latency p999": "write latency, 99.9 %",
}


def letters(comparison: Comparison) -> list[str]:
    """Return the letters of systems in tables and sentences: A, B, C."""
    return [letter(number) for number in range(len(comparison.names))]


def named(comparison: Comparison) -> list[str]:
    """Each letter with the name and title that it stands for."""
    found = []
    for number, (name, title) in enumerate(zip(comparison.names, comparison.titles, strict=True)):
        own = [name] if name != letter(number) else []
        own += [title] if number == 0 or title != comparison.titles[0] or not own else []
        found.append(": ".join(own))
    return found


def words(name: str) -> str:
    """The name of a figure for people."""
    return WORDS.get(name, name)


def heading(line: Line) -> str:
    """The name of a line's figure for people, and its unit unless each value has its own."""
    name = words(line.name)
    return name if is_time_of_operation(line.name) else f"{name}, {line.unit}"


def value(line: Line, number: int) -> str:
    """A value of a line, in its unit; times of operations have their own."""
    found = line.values[number]
    if found is None:
        return numbers.NOT_MEASURED
    if is_time_of_operation(line.name):
        return phases.duration(found)
    return numbers.count(found) if line.unit == "IO/s" else numbers.figure(found)


def ratio(found: Difference | None) -> str:
    """Return a ratio: "1.23 to 1.26", "0.998 to 1.003 (no difference seen)"."""
    if found is None:
        return numbers.NOT_MEASURED
    if found.ratio_low is None or found.ratio_high is None:
        return units.plain(found.ratio, 3)
    text = span(found.ratio_low, found.ratio_high)
    return text if found.is_seen else f"{text} (no difference seen)"


def span(low: float, high: float) -> str:
    """Both ends of an interval, to as many digits as tell them apart, three to five."""
    for digits in (3, 4, 5):
        first, last = _digits(low, digits), _digits(high, digits)
        if first != last:
            return f"{first} to {last}"
    return _digits((low + high) / 2, 3)


def _digits(number: float, digits: int) -> str:
    if number == 0 or not math.isfinite(number):
        return f"{number:.{digits}g}"
    places = max(digits - 1 - math.floor(math.log10(abs(number))), 0)
    return f"{number:,.{places}f}"


def order(found: RatioInDraws | None) -> str:
    """Return whether an order holds in the draws of the cards."""
    if found is None:
        return numbers.NOT_MEASURED
    verdict = "survives" if found.survives else "open"
    return f"{verdict}: {span(found.low, found.high)}, more in {100 * found.ahead:.0f} %"


def fact(found: Fact, number: int) -> str:
    """A fact of a system, in its unit."""
    known = found.values[number]
    if known is None:
        return numbers.NOT_MEASURED
    if found.unit == "h":
        return "never" if math.isinf(known) else risk_table.duration(3600 * known)
    if found.unit == "%":
        return risk_table.chance(known / 100)
    if found.unit == "":
        return f"{known:,.0f}" if known == round(known) else units.plain(known, 3)
    return units.plain(known, 4)


def fact_unit(found: Fact) -> str:
    """The unit of a fact as a column has it; times and chances have their own."""
    return "" if found.unit in ("h", "%") else found.unit


def sentences(comparison: Comparison) -> Iterator[str]:
    """Yield the first sentences: how much more each system carries than the first one."""
    line = headline(comparison)
    if line is None:
        return
    first, *_ = every = letters(comparison)
    where = f"within {comparison.within_words}" if line.at == "within" else f"at {line.at}"
    for number, name in enumerate(every):
        found = line.against[number]
        if number == 0:
            continue
        if found is None:
            yield f"{name} and {first} cannot be compared {where}"
            continue
        if found.ratio_low is not None and not found.is_seen:
            yield f"{name} {_carries(found)} as {first} {where}: no difference is seen"
            continue
        yield f"{name} {_carries(found)} as {first} {where}{_survival(line, number)}"


def survivors(comparison: Comparison) -> Iterator[str]:
    """Yield how many of the seen differences hold in the draws, and which do not."""
    marks = letters(comparison)
    for number in range(1, len(marks)):
        seen = [
            (line, line.orders[number])
            for line in (*comparison.within, *comparison.lines)
            if line.name in SHOWN and line.orders and _is_seen(line, number)
        ]
        known = [(line, found) for line, found in seen if found is not None]
        if not known:
            continue
        left = [f"{words(line.name)} {_where(line)}" for line, found in known if not found.survives]
        text = (
            f"{marks[number]} against {marks[0]}: of {len(known)} differences that are seen"
            f" {len(known) - len(left)} survive what cards do not know"
        )
        more = f" and {len(left) - MOST_LEFT} more" if len(left) > MOST_LEFT else ""
        yield text + (f"; open are {'; '.join(left[:MOST_LEFT])}{more}" if left else "")


def _is_seen(line: Line, number: int) -> bool:
    found = line.against[number]
    return found is not None and found.is_seen


def _where(line: Line) -> str:
    return "within the latency" if line.at == "within" else f"at {line.at}"


def _carries(found: Difference) -> str:
    if found.ratio_low is None or found.ratio_high is None:
        ratio = units.plain(found.ratio, 3)
    else:
        ratio = span(found.ratio_low, found.ratio_high)
    is_one = found.ratio == 1 and found.ratio_low in (None, 1) and found.ratio_high in (None, 1)
    return "carries as much" if is_one else f"carries {ratio} times as much"


def _survival(line: Line, number: int) -> str:
    found = line.orders[number] if line.orders else None
    if found is None:
        return ""
    share = max(found.ahead, 1 - found.ahead)
    if found.survives:
        times = "all" if share == 1 else f"{100 * share:.0f} % of the"
        return f"; that order survives what cards do not know, in {times} draws"
    return (
        "; what cards do not know leaves the order open:"
        f" {span(found.low, found.high)} times in nine of ten draws"
    )


def headline(comparison: Comparison) -> Line | None:
    """The line of the throughput that says most: within a latency, else at the hardest point."""
    for line in comparison.within:
        if line.name == "iops":
            return line
    rates = [line for line in comparison.lines if line.name == "iops"]
    return max(rates, key=lambda line: line.x or 0.0, default=None)
