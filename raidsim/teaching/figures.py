"""Figures that questions take from the point of a run, and closed forms that lessons share.

Times are ms, as in results.
"""

from __future__ import annotations

from raidsim.result import Point


def iops(point: Point) -> float:
    """I/Os in a second."""
    return point.iops.mean


def mbps(point: Point) -> float:
    """Throughput in MB/s of 2^20 bytes."""
    return point.mbps


def latency(point: Point, kind: str = "read") -> float:
    """Mean latency of reads or writes, ms."""
    found = point.latency_ms[kind]
    assert found is not None, f"no {kind} was measured"
    return found.mean


def p99(point: Point, kind: str = "read") -> float:
    """Latency that 99 % of the reads or writes do not exceed, ms."""
    found = point.latency_ms[kind]
    assert found is not None, f"no {kind} was measured"
    assert found.p99 is not None, f"too few {kind}s were measured"
    return found.p99


def both(point: Point) -> float:
    """Mean latency of reads and writes together, ms."""
    found = [one for one in point.latency_ms.values() if one is not None]
    return sum(one.mean * one.samples for one in found) / sum(one.samples for one in found)


def device_ios(point: Point) -> float:
    """Commands to drives for each I/O of the host, of all kinds, on its behalf."""
    array = point.arrays[0]
    assert array.per_host_io is not None, "no I/O of the host was measured"
    return sum(sum(kinds.values()) for kinds in array.per_host_io.values())


def busy(point: Point, kind: str) -> float:
    """Busiest of the stations of a kind, in percent."""
    return 100 * max(use.utilisation for use in point.stations if use.kind == kind)


def planned_rate(drives: int, single: float, read: float, penalty: float) -> float:
    """I/Os in a second of an array without a cache, by the planning formula.

    drives * single / (read + (1 - read) * penalty): ``single`` is what one drive does, ``read``
    the share of reads from 0 to 1, ``penalty`` the number of commands of a write.
    """
    return drives * single / (read + (1 - read) * penalty)
