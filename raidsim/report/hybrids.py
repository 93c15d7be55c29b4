"""How the fronts of hybrids served a load, in a line under the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raidsim.report import numbers
from raidsim.report.curves import Curve
from raidsim.report.drives import span
from raidsim.result.facts import HybridFacts
from raidsim.units import capacity_for_people


def lines(curve: Curve, where: Callable[[list[int]], str]) -> Iterator[str]:
    """A line for each hybrid: what its front answered, and what it held for the back."""
    for name in dict.fromkeys(one.name for point in curve.points for one in point.hybrids):
        uses = [
            (number, one)
            for number, point in enumerate(curve.points)
            for one in point.hybrids
            if one.name == name
        ]
        parts = []
        shares = [one.hits / one.reads for _, one in uses if one.reads]
        if shares:
            parts.append(f"{span(shares, numbers.percent)} of reads found in the front")
        writes = [one.past / one.writes for _, one in uses if one.writes]
        if any(writes):
            parts.append(f"{span(writes, numbers.percent)} of writes past it")
        waits = [one.waits / one.writes for _, one in uses if one.writes]
        if any(waits):
            parts.append(f"{span(waits, numbers.percent)} of writes waited for room")
        number, most = max(uses, key=lambda use: (use[1].held_bytes, -use[0]))
        parts.append(f"{_of(most.held_bytes, most.front_bytes)} in use")
        number, most = max(uses, key=lambda use: (use[1].dirty_mean, -use[0]))
        if most.dirty_peak and most.mode == "cache":
            at = f" at {where([number])}" if len(curve.points) > 1 else ""
            mean = _of(most.dirty_mean, most.front_bytes)
            parts.append(
                f"{mean} dirty on average{at}, {_of(most.dirty_peak, most.front_bytes)} at most"
            )
        lost = sum(one.lost_reads for _, one in uses)
        if lost:
            parts.append(f"{lost:,} reads of what only the failed front had")
        yield f"{name}: {', '.join(parts)}"


def facts_line(facts: HybridFacts) -> str:
    """One hybrid in a line: what is in front of what."""
    room, usable = capacity_for_people(facts.front_bytes), capacity_for_people(facts.usable_bytes)
    return (
        f"{facts.name}: {facts.front} as {facts.mode} of {room} in front of {facts.back},"
        f" {usable} usable, blocks of {numbers.size(facts.block_bytes)}"
    )


def _of(part: float, whole: int) -> str:
    return f"{numbers.percent(part / whole)} of the front" if whole else "nothing"
