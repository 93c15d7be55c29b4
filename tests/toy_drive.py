"""A drive as a formula, for tests of validation and calibration: no simulation, no noise.

A command takes ``latency`` and then waits for a station that needs ``service`` per command, so
n outstanding commands give min(n / (latency + service), 1 / service) IO/s.
"""

from __future__ import annotations

from raidsim.result import Counts, Interval, Latency, Limit, Point, Result
from raidsim.result.facts import SystemPower
from raidsim.validate.jobs import Job

KIB = 1024


def rate(outstanding: int, latency: float, service: float) -> float:
    """IO/s of the formula above; times in seconds."""
    return min(outstanding / (latency + service), 1 / service)


def result(
    iops: float, *, size: int = 8 * KIB, read_ms: float = 1.0, converged: bool = True
) -> Result:
    """A result of one point, as a run of one load at one intensity gives it."""
    latency = Latency(mean=read_ms, p50=None, p95=None, p99=None, p999=None, samples=1000)
    point = Point(
        load="toy",
        outstanding=1,
        rate=None,
        workers=1,
        iops=Interval(iops, iops * 0.99, iops * 1.01),
        mbps=iops * size / 2**20,
        latency_ms={"read": latency, "write": None},
        limited_by=Limit("toy: station", "station", 1.0),
        stages={},
        stations=[],
        counts=Counts(1000, 1000, 0, 0, 0, 1000),
        window_s=1.0,
        warmup_s=0.0,
        converged=converged,
    )
    power = SystemPower(0.0, 0.0, [])
    return Result("0", 1, {}, {"sources": "toy"}, [], [], power, [point])


class Toy:
    """Runs jobs by the formula and remembers them; scenario "fast" has half the service time."""

    def __init__(self, latency: float = 90e-6, service: float = 10e-6) -> None:
        self.latency = latency
        self.service = service
        self.ran: list[Job] = []

    def __call__(self, job: Job) -> Result:
        self.ran.append(job)
        service = self.service / 2 if job.scenario == "fast" else self.service
        return result(rate(job.outstanding or 1, self.latency, service))
