"""A result as the page shows it: figures for its tables and curves, and its remarks."""

from __future__ import annotations

import io
from typing import Any

from raidsim.report import summary, table
from raidsim.report.console import ReportConsole
from raidsim.report.curves import QUANTILE_LABELS, Curve, curves, figures
from raidsim.result import NO_LOAD, Point, Result


def shown(result: Result) -> dict[str, Any]:
    """Figures and words of a result; all are text or numbers, and none is markup."""
    return {
        "title": summary.title(result.scenario),
        "confidence": summary.confidence(result.scenario),
        "interrupted": result.interrupted,
        "followed": any(point.course for point in result.points),
        "loads": [_load(curve, result) for curve in curves(result) if curve.load != NO_LOAD],
        "printed": printed(result),
    }


def printed(result: Result) -> str:
    """Return the text that ``raidsim run`` prints of a result."""
    stream = io.StringIO()
    table.print_result(result, ReportConsole(stream))
    return stream.getvalue()


def _load(curve: Curve, result: Result) -> dict[str, Any]:
    return {
        "name": curve.load,
        "sentence": summary.load_sentence(result.scenario, curve.load),
        "axis": table.AXIS_WORDS[curve.axis],
        "kinds": list(curve.kinds),
        "quantiles": list(QUANTILE_LABELS.values()),
        "rows": [
            _row(x, table.axis_cell(curve, number), point, result)
            for number, (x, point) in enumerate(zip(curve.x, curve.points, strict=True))
        ],
        "notes": list(table.notes(curve, result)),
    }


def _row(x: float, cell: str, point: Point, result: Result) -> dict[str, Any]:
    return {
        "x": x,
        "at": cell,
        "iops": point.iops.mean,
        "low": point.iops.low,
        "high": point.iops.high,
        "interval": table.interval_cell(point),
        "mbps": point.mbps,
        "latency_ms": {
            kind: list(figures(latency)) for kind, latency in point.latency_ms.items() if latency
        },
        "limit": table.limit(point, result),
        "remarks": table.remarks(point),
    }
