"""What the I/Os of streams came to in the window: rates, latencies, and their account."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from raidsim.kernel import tables as t
from raidsim.result import Counts, Latency
from raidsim.scenario import LoadSpec
from raidsim.stats.histogram import FEW_EXCEEDANCES, exceedances, percentiles
from raidsim.system.system import System
from raidsim.units import MIB, MS_PER_S, NS_PER_MS, NS_PER_S

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def span(system: System) -> int:
    """Length of the window so far, ns."""
    return system.now - int(system.state["slice_origin"])


def rates(system: System, streams: Sequence[int]) -> tuple[float, float]:
    """IO/s and MB/s (2**20) of these streams together, over the window or since they began."""
    rows = system.world.streams[list(streams)]
    seconds = seconds_of(system, streams)
    if seconds <= 0:
        return 0.0, 0.0
    ios, size = int(rows["window_ios"].sum()), int(rows["window_bytes"].sum())
    return ios / seconds, size / MIB / seconds


def seconds_of(system: System, streams: Sequence[int]) -> float:
    """Return the time for which these streams ran in the window, s."""
    rows = system.world.streams[list(streams)]
    begun = max(int(rows["start"].min()), int(system.state["slice_origin"]))
    # After its last completion a load's rate no longer falls.
    end = int(rows["last"].max()) if system.are_over(streams) else system.now
    return (end - begun) / NS_PER_S


def times(system: System, streams: Sequence[int], op: int) -> NDArray[np.int64]:
    """Return the number of I/Os of a kind in each bin of response times, over these streams."""
    first, *others = system.accounts(streams)
    found: NDArray[np.int64] = system.world.latencies[first, op].copy()
    for account in others:  # a copy of all of them at once would take twice as long
        found += system.world.latencies[account, op]
    return found


def latency(
    system: System, streams: Sequence[int], op: int, histogram: NDArray[np.int64]
) -> Latency | None:
    """Response times of I/Os of a kind (READ, WRITE, FLUSH, TRIM); None if there were none.

    ``histogram`` is that of :func:`times`.
    """
    world = system.world
    rows = list(streams)
    if op >= t.FLUSH:
        samples = int(world.streams["window_others"][rows, op - t.FLUSH].sum())
        passed = int(world.streams["window_others_ns"][rows, op - t.FLUSH].sum())
    else:
        samples = int(world.streams["window_ios"][rows, op].sum())
        passed = int(world.streams["window_ns"][rows, op].sum())
    return latency_of(samples, passed, histogram)


def latency_of(samples: int, passed: int, histogram: NDArray[np.int64]) -> Latency | None:
    """Response times of so many I/Os that took ``passed`` ns in all; None if there were none."""
    if samples == 0:
        return None
    found = percentiles(histogram, list(QUANTILES.values()))
    p50, p95, p99, p999 = (None if value is None else value / NS_PER_MS for value in found)
    return Latency(passed / samples / NS_PER_MS, p50, p95, p99, p999, samples)


def latency_of_all(system: System, streams: Sequence[int], quantile: float | None) -> float | None:
    """Response time of reads and writes together, ms: a quantile, or the mean if that is None.

    None if nothing was measured, or too little beyond the quantile.
    """
    world = system.world
    rows = list(streams)
    if quantile is not None:
        counts = world.latencies[system.accounts(rows), : t.FLUSH].sum(axis=(0, 1))
        (found,) = percentiles(counts, [quantile])
        return None if found is None else found / NS_PER_MS
    samples = int(world.streams["window_ios"][rows].sum())
    return int(world.streams["window_ns"][rows].sum()) / samples / NS_PER_MS if samples else None


def within(
    system: System, load: LoadSpec, streams: Sequence[int]
) -> tuple[bool | None, float | None]:
    """Return whether a load is within the latency it asks for, and what its latency is, in ms."""
    if load.within is None:
        return None, None
    found = latency_of_all(system, streams, load.within_percentile)
    account = counts(system, streams)
    answered = account.failed == account.timed_out == 0
    return found is not None and found <= load.within * MS_PER_S and answered, found


def latencies(
    system: System, load: LoadSpec, streams: Sequence[int]
) -> tuple[dict[str, Latency | None], list[str]]:
    """Response times by kind of I/O, and a warning for each that rests on few samples.

    Flushes and trims are given if the load asks for any, or its trace had any.
    """
    others = system.world.streams["window_others"][list(streams)]
    found: dict[str, Latency | None] = {}
    warnings: list[str] = []
    for kind, op, asked in (
        ("read", t.READ, True),
        ("write", t.WRITE, True),
        ("flush", t.FLUSH, load.flush_every > 0),
        ("trim", t.TRIM, load.trim > 0),
    ):
        if asked or others[:, op - t.FLUSH].any():
            histogram = times(system, streams, op)
            found[kind] = latency(system, streams, op, histogram)
            warnings += percentiles_of_few(histogram, op, kind)
    return found, warnings


def percentiles_of_few(histogram: NDArray[np.int64], op: int, kind: str) -> list[str]:
    """A warning for each percentile that rests on few samples."""
    if not histogram.any():
        return []
    beyond = exceedances(histogram, list(QUANTILES.values()))
    found = percentiles(histogram, list(QUANTILES.values()))
    several = "flushes" if op == t.FLUSH else f"{kind}s"
    return [
        f"p{100 * quantile:g} of {several} is uncertain, because"
        f" fewer than {FEW_EXCEEDANCES} {several} took longer"
        for quantile, value, count in zip(QUANTILES.values(), found, beyond, strict=True)
        if value is not None and count < FEW_EXCEEDANCES
    ]


def counts(system: System, streams: Sequence[int]) -> Counts:
    """The account of the I/Os of these streams since the start.

    Raises
    ------
    AssertionError
        If an I/O was lost or counted twice: an error of the simulator.
    """
    rows = system.world.streams[list(streams)]
    found = Counts(
        issued=int(rows["issued"].sum()),
        completed=int(rows["completed"].sum()),
        failed=int(rows["failed"].sum()),
        timed_out=int(rows["timed_out"].sum()),
        in_flight=int(rows["in_flight"].sum()),
        measured=int(rows["window_ios"].sum()),
    )
    if found.issued != found.completed + found.failed + found.timed_out + found.in_flight:
        raise AssertionError(f"I/Os are not conserved: {found}")
    return found


def unanswered(load: LoadSpec, account: Counts) -> list[str]:
    """Return remarks on I/Os of a load that failed or timed out."""
    if not account.failed and not account.timed_out:
        return []
    found = ["latencies leave out the I/Os that failed or timed out"]
    if account.timed_out and load.rate is None:
        found.append(
            f"{account.timed_out:,} I/Os of {load.name} timed out: drives continue with them,"
            " beside the I/Os that are issued in their place"
        )
    return found
