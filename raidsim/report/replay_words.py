"""A replayed trace in words: how much of it was replayed, response times beside those simulated."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.report import numbers
from raidsim.report.curves import KINDS, Curve
from raidsim.result import Latency


def lines(curve: Curve) -> Iterator[str]:
    """Yield the number of replayed requests, and traced beside simulated response times."""
    for point in curve.points:
        found = point.trace
        if found is None:
            continue
        speed = "" if found.speed == 1.0 else f" at {found.speed:g} times its speed"
        yield (
            f"trace {found.file} ({found.format}), {found.replay}{speed}:"
            f" {found.issued:,} of {found.requests:,} requests were replayed"
        )
        for kind in KINDS:
            measured, simulated = found.measured_ms.get(kind), point.latency_ms.get(kind)
            if measured is not None and simulated is not None:
                yield f"{kind}s took {_words(measured)} in the trace, {_words(simulated)} simulated"
        if found.demerit is not None:
            yield (
                f"demerit {numbers.percent(found.demerit)}: distance between both distributions of"
                " response times (root mean square), over the mean in the trace"
            )


def _words(latency: Latency) -> str:
    """Mean and percentiles in ms: "0.190 ms (p50 0.180, p95 0.289, p99 0.298)"."""
    parts = [
        f"{name} {numbers.figure(value)}"
        for name in ("p50", "p95", "p99")
        if (value := getattr(latency, name)) is not None
    ]
    return f"{numbers.figure(latency.mean)} ms" + (f" ({', '.join(parts)})" if parts else "")
