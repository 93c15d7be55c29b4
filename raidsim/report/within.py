"""The result of a search for the highest load within a latency, in words."""

from __future__ import annotations

from dataclasses import replace

from raidsim.report import numbers
from raidsim.report.curves import Curve, offered
from raidsim.result import Highest, Point


def bound(found: Highest) -> str:
    """The latency that was asked for: "2 ms on average", "99 % within 500 us"."""
    if found.percentile is None:
        return f"{_time(found.within_ms)} on average"
    return f"{100 * found.percentile:g} % within {_time(found.within_ms)}"


def judged(found: Highest) -> str:
    """Return the figure that the limit applies to: "mean", "p99"."""
    return "mean" if found.percentile is None else f"p{100 * found.percentile:g}"


def best(curve: Curve) -> Point | None:
    """The point that is the answer; None if there is none."""
    found = curve.highest
    if found is None or found.iops is None:
        return None
    same = (found.outstanding, found.rate)
    return next((p for p in curve.points if (p.outstanding, p.rate) == same), None)


def line(curve: Curve) -> str:
    """The answer as a line below a table; empty where nothing was asked."""
    found = curve.highest
    if found is None:
        return ""
    point = best(curve)
    if point is None:
        first = curve.points[0]
        what = "" if first.within_ms is None else f": {_judged(first, found)}"
        return f"no load keeps {bound(found)}: not even {offered(first)}{what}"
    assert found.iops is not None
    assert found.mbps is not None
    words = [
        where(curve),
        f"{numbers.count(found.iops.mean)} IO/s",
        f"{numbers.mbps(found.mbps)} MB/s",
    ]
    more = ""
    if not found.exceeded_at:
        words.append(_judged(point, found))
        more = "; the sweep ends there, more may be possible"
    return f"highest load that keeps {bound(found)}: {', '.join(words)}{more}"


def where(curve: Curve) -> str:
    """Return the place of the answer: "between 7 and 8 outstanding", or at the last point."""
    found, point = curve.highest, best(curve)
    assert found is not None
    assert point is not None
    if not found.exceeded_at:
        return offered(point)
    low = found.outstanding if found.outstanding is not None else found.rate
    return f"between {low:,.6g} and {_beyond(point, found.exceeded_at)}"


def _beyond(point: Point, value: float) -> str:
    """Return the load of a point, with another value in place of its own."""
    closed = point.outstanding is not None
    return offered(replace(point, **{"outstanding": int(value)} if closed else {"rate": value}))


def _judged(point: Point, found: Highest) -> str:
    assert point.within_ms is not None
    return f"{judged(found)} {numbers.time(point.within_ms)}"


def _time(ms: float) -> str:
    return f"{1000 * ms:g} us" if ms < 1 else f"{ms:g} ms"
