"""Results made up for the tests of the reports: plausible, and no simulation behind them."""

from __future__ import annotations

from typing import Any

from raidsim.result import Counts, Interval, Latency, Limit, Point, Result, Stage, StationUse
from raidsim.result.facts import Power, SystemPower, VolumeFacts

SCENARIO: dict[str, Any] = {
    "title": "Intel P3700 800 GB, Database",
    "description": "Random 8 KiB, two thirds reads, as in the published table.",
    "seed": 1,
    "host": {"model": "fujitsu-rx2540-m1", "clock": "3.5 GHz"},
    "volume": [{"name": "data", "level": "single", "drive": "intel-p3700-800gb", "set": {}}],
    "load": [
        {
            "name": "database",
            "volume": "data",
            "read": "67 %",
            "random": "100 %",
            "size": "8 KiB",
            "align": "4 KiB",
            "area": {"offset": "0 B", "size": "32 GiB"},
            "workers": 1,
            "outstanding": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
        }
    ],
    "measure": {"precision": "1 %", "confidence": "95 %", "min_ios": 20000},
}

VOLUME = VolumeFacts(
    name="data",
    level="single",
    drives=1,
    drive="intel-p3700-800gb",
    raw_bytes=800 * 10**9,
    usable_bytes=800 * 10**9,
    failures_tolerated=0,
    failed=[],
    power_w=Power(4.0, 25.0),
)


def latency(mean: float, samples: int = 10_000) -> Latency:
    """A distribution with a tail, in ms; no p99.9 from fewer than 10,000 samples."""
    p999 = mean * 4.5 if samples >= 10_000 else None
    return Latency(mean, mean * 0.93, mean * 1.7, mean * 2.4, p999, samples)


def point(
    outstanding: int | None = 32,
    *,
    rate: float | None = None,
    load: str = "database",
    kinds: tuple[str, ...] = ("read", "write"),
    **changes: Any,
) -> Point:
    """One point of a drive that serves 190,000 IO/s at most and needs 0.105 ms when idle."""
    if outstanding is not None:
        iops = 190_000 * outstanding / (outstanding + 19)
        response = outstanding / iops * 1e3
    else:
        iops = min(rate or 50_000.0, 190_000.0)
        response = 0.105 / max(1 - iops / 191_000, 0.01)
    times = {"read": latency(response * 1.25), "write": latency(response * 0.5, 5_000)}
    busy = iops / 190_000
    stations = {"host CPU": 0.55, "front end": 0.4, "flash": 1.0, "link": 0.47}
    values: dict[str, Any] = {
        "load": load,
        "outstanding": outstanding,
        "rate": rate,
        "workers": 1,
        "iops": Interval(iops, iops * 0.995, iops * 1.005),
        "mbps": iops / 128,
        "latency_ms": {kind: times[kind] if kind in kinds else None for kind in times},
        "limited_by": Limit("data: flash", "flash", busy),
        "stages": {
            "host CPU": Stage(0.0012 * busy, 0.0029),
            "link": Stage(0.002 * busy, 0.004),
            "front end": Stage(0.001 * busy, 0.0021),
            "flash": Stage(max(response - 0.105, 0.0), 0.09),
        },
        "stations": [
            StationUse(f"data: {kind}", kind, 1, busy * share, busy * 3)
            for kind, share in stations.items()
        ],
        "counts": Counts(22_000, 21_968, 0, 0, 32, 20_000),
        "window_s": 0.5,
        "warmup_s": 0.01,
        "converged": True,
        "warnings": [],
    }
    return Point(**(values | changes))


def result(*points: Point, scenario: dict[str, Any] | None = None) -> Result:
    """A result of these points; the whole sweep of the database load where none are given."""
    sweep = [point(2**n) for n in range(10)]
    provenance = {"python": "3.11", "numba": "0.68.1", "sources": "0123456789abcdef"}
    return Result(
        "0.1.0",
        1,
        scenario or SCENARIO,
        provenance,
        volumes=[VOLUME],
        links=[],
        power_w=SystemPower(4.0, 25.0, ["fujitsu-rx2540-m1"]),
        points=list(points) or sweep,
    )
