"""What a run says beside its sampling error: how far models may be off, and because of what.

It costs no further run: how far depends on which parts were compared with measurements.
"""

from __future__ import annotations

import math

from raidsim.report import numbers
from raidsim.report.curves import Curve
from raidsim.result import Compared, Point, Result
from raidsim.unknowns.spread import NORMAL_90

LATENCY, RATE = "measured mean latency", "measured rate"
READY = "measured time until a machine is ready"


def line(curve: Curve, result: Result) -> str | None:
    """Say what the ± of a load leaves out.

    None where draws say it, a file does not tell, or there is no figure.
    """
    found = result.compared
    if found is None or result.unknowns is not None:
        return None
    if not any(_has_figures(point) for point in curve.points):
        return None
    is_given = curve.highest is None and any(_gets_its_rate(point) for point in curve.points)
    below, above = (found.faster, found.slower) if is_given else (found.slower, found.faster)
    given = READY if any(point.machines for point in curve.points) else LATENCY
    ends = f"{math.exp(-NORMAL_90 * below):.2f} to {math.exp(NORMAL_90 * above):.2f}"
    why = "; ".join(reasons(found))
    return (
        f"± is the sampling error only: a {given if is_given else RATE} may be {ends} times the"
        f" simulated one, since models are not complete{f' ({why})' if why else ''}; --unknowns"
        " adds what the cards do not know"
    )


def _has_figures(point: Point) -> bool:
    """Whether any I/O was answered: not without a load, and not if all of them fail."""
    return point.iops.mean > 0 or any(point.latency_ms.values())


def _gets_its_rate(point: Point) -> bool:
    """Whether a load has a rate of its own, which it gets from any system that carries it.

    Loads with so many outstanding do not, nor do replays that wait for their I/Os.
    """
    if point.trace is not None:
        return point.trace.replay == "timed"
    return point.outstanding is None and not point.saturated


def reasons(found: Compared) -> list[str]:
    """Say why models may be further off than for a system that was measured as a whole."""
    said = []
    if found.uncompared:
        said.append(f"no measurement was compared with {', '.join(found.uncompared)}")
    if found.stand_ins:
        stand = "stands" if len(found.stand_ins) == 1 else "stand"
        said.append(f"{', '.join(found.stand_ins)} {stand} in for what has no card")
    if found.measured_apart:
        *some, last = found.measured_apart
        said.append(f"{', '.join(some)} and {last} were not measured together")
    return said


def widening(found: Compared, *, tails: bool) -> str:
    """Say by how much intervals are widened: "25 % (40 % where a system is slower)"."""
    more = []
    if found.slower != found.faster:
        more.append(f"{numbers.percent(found.slower)} where a system is slower")
    if tails:
        more.append(f"{numbers.percent(found.tail)} above a p99")
    words = numbers.percent(found.faster)
    return f"{words} ({', '.join(more)})" if more else words
