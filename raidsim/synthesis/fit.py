"""The `[[load]]` that is nearest to a trace, of all that a table can express."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from raidsim import units
from raidsim.errors import InputError, Problem
from raidsim.scenario.replays import APART
from raidsim.stats.shares import rounded_shares
from raidsim.synthesis.popularity import (
    EXPONENTS,
    HOT_ACCESSES,
    HOT_AREAS,
    Popularity,
    hot,
    percent,
    uniform,
    zipf,
    zones,
)
from raidsim.trace.info import NEARLY_ALL, SizeInfo, TraceInfo

MOST_SIZES = 12
MOST_ZONES = 10
MOST_CACHES = 12
SECTOR = 512
MB = 2**20  # in MB/s, as in results
ALIGN = 4096
FEW = 0.05
EVEN = 0.3
BURSTY = 2.0
BETTER = 0.01
"""How much nearer another distribution has to be to be taken in place of a simpler one."""


@dataclass(frozen=True)
class Figure:
    """A figure of the trace beside that of the load."""

    name: str
    unit: str
    trace: float
    load: float


@dataclass(frozen=True)
class Fit:
    """A load that is like a trace.

    Attributes
    ----------
    table : keys of `[[load]]`, with values as scenarios have them.
    figures : of the trace, and what they come to under the load.
    caches : mean difference of the misses of LRU caches, 0 to 1; None where there are no accesses.
    capacity : what the volume has to hold at least, in bytes.
    remarks : what the load does not say of the trace.
    """

    table: dict[str, Any]
    figures: tuple[Figure, ...]
    caches: float | None
    capacity: int
    remarks: tuple[str, ...]


def fit(info: TraceInfo, name: str = "load") -> Fit:
    """The load nearest to a trace: its rate, sizes, shares of reads and places.

    Parameters
    ----------
    info
        Figures of the trace; ask for those of one volume if it has several.
    name
        What the load is called.

    Raises
    ------
    InputError
        The trace has no reads and writes, or all come at once, so that it has no rate.
    """
    if not info.sizes:
        raise InputError([Problem(info.path, None, None, "has no reads and no writes")])
    if info.rate is None:
        cause = "has no time between its requests, and so no rate"
        raise InputError([Problem(info.path, None, None, cause)])
    sizes = _kept(info.sizes)
    shares = rounded_shares(np.array([one.requests for one in sizes], float))
    largest = max(one.size for one in sizes)
    align = _align(info.sizes)
    end = -(-max(_reach(info), largest) // align) * align
    place, apart = _nearest(info, end, align)
    data = info.ops["read"] + info.ops["write"]
    rate = float(f"{info.rate * data / info.requests:.4g}")
    even = info.gap_variation is not None and info.gap_variation < EVEN
    table: dict[str, Any] = {"name": name}
    if len(sizes) == 1:
        table |= {
            "read": percent(sizes[0].read_share),
            "random": percent(1 - sizes[0].sequential_share),
            "size": units.text(sizes[0].size, "size"),
        }
    else:
        table["sizes"] = [
            {
                "size": units.text(one.size, "size"),
                "share": percent(share),
                "read": percent(one.read_share),
                "random": percent(1 - one.sequential_share),
            }
            for one, share in zip(sizes, shares, strict=True)
            if share > 0
        ]
    table |= {
        "align": units.text(align, "size"),
        "area": {"size": units.text(end, "size")},
        **place.keys,
        "rate": units.text(rate, "rate"),
        "rate_distribution": "constant" if even else "exponential",
    }
    return Fit(
        table=table,
        figures=_figures(info, sizes, shares, rate),
        caches=apart,
        capacity=end,
        remarks=tuple(_remarks(info, align, place, even)),
    )


def _kept(sizes: tuple[SizeInfo, ...]) -> list[SizeInfo]:
    """The most frequent sizes; the others join the nearest of these, and all are whole sectors."""
    kept = sorted(sizes[:MOST_SIZES], key=lambda one: one.size)
    borders = np.array([math.sqrt(a.size * b.size) for a, b in pairwise(kept)])
    sums = np.zeros((len(kept), 4))
    for one in sizes:
        place = int(np.searchsorted(borders, one.size))
        sums[place] += one.requests * np.array([1, one.size, one.read_share, one.sequential_share])
    found: dict[int, np.ndarray[Any, Any]] = {}
    for requests, total, reads, sequential in sums[sums[:, 0] > 0].tolist():
        size = max(SECTOR, round(total / requests / SECTOR) * SECTOR)
        found[size] = found.get(size, np.zeros(3)) + np.array([requests, reads, sequential])
    return [
        SizeInfo(size, int(one[0]), float(one[1] / one[0]), float(one[2] / one[0]))
        for size, one in sorted(found.items())
    ]


def _align(sizes: tuple[SizeInfo, ...]) -> int:
    """The largest power of two at multiples of which nearly all reads and writes begin."""
    most = sum(one.requests for one in sizes)
    align = SECTOR
    while sum(one.requests for one in sizes if one.align > align) >= NEARLY_ALL * most:
        align *= 2
    return align


def _reach(info: TraceInfo) -> int:
    """The bytes of its volumes, one behind the other as a replay has them."""
    if len(info.volumes) < 2:
        return info.end
    return sum(-(-one.end // APART) * APART for one in info.volumes)


def _nearest(info: TraceInfo, end: int, align: int) -> tuple[Popularity, float | None]:
    """Return the places of accesses with which caches miss as with the trace, and the error."""
    # Blocks of one aligned place are accessed together, so a place counts as one of them.
    unit = max(align, info.block)
    blocks = float(max(1, end // unit))
    step = max(1, len(info.caches) // MOST_CACHES)
    caches = np.array([one.size / unit for one in info.caches[::step]])
    measured = np.array([one.miss_ratio for one in info.caches[::step]])
    accesses = float(info.reuse.accesses) * info.block / unit

    # What goes on from another access comes to a new block as often as it has gone through one.
    data = info.ops["read"] + info.ops["write"]
    going_on = info.sequential_share or 0.0
    new = min(1.0, (info.mean_size or 0.0) / unit * data / max(accesses, 1.0))

    def apart(one: Popularity) -> float:
        at_random = accesses * (1 - going_on)
        misses = one.miss_ratios(at_random, caches) if at_random >= 1 else np.zeros(len(caches))
        return float(np.abs(misses * (1 - going_on) + new * going_on - measured).mean())

    best = uniform(blocks)
    if not len(caches) or accesses <= 0:
        return best, None
    distance = apart(best)
    counts = np.array(info.addresses.counts, float)
    # Those counts are of all volumes, one upon the other.
    tried = [zones(blocks, counts, MOST_ZONES)] if len(info.volumes) < 2 else []
    tried += [hot(blocks, area, share) for area in HOT_AREAS for share in HOT_ACCESSES]
    # Ranks are of aligned places, scattered over the area: of smaller ones a block has several.
    if align >= info.block and blocks > 1:
        tried += [zipf(blocks, exponent) for exponent in EXPONENTS]
    found = [(apart(one), number) for number, one in enumerate(tried) if one is not None]
    if found:
        nearest, number = min(found)
        one = tried[number]
        if one is not None and nearest < distance - BETTER:
            return one, nearest
    return best, distance


def _figures(
    info: TraceInfo, sizes: list[SizeInfo], shares: list[float], rate: float
) -> tuple[Figure, ...]:
    def mean(values: list[float]) -> float:
        return float(np.dot(shares, values) / np.sum(shares))

    data = info.ops["read"] + info.ops["write"]
    size = mean([float(one.size) for one in sizes])
    own = (info.rate or 0.0) * data / info.requests
    return (
        Figure("reads and writes", "IO/s", own, rate),
        Figure("throughput", "MB/s", own * (info.mean_size or 0) / MB, rate * size / MB),
        Figure("reads", "%", 100 * (info.read_share or 0),
               100 * mean([one.read_share for one in sizes])),
        Figure("mean size", "KiB", (info.mean_size or 0) / 1024, size / 1024),
        Figure("sequential", "%", 100 * (info.sequential_share or 0),
               100 * mean([one.sequential_share for one in sizes])),
    )  # fmt: skip


def _remarks(info: TraceInfo, align: int, place: Popularity, even: bool) -> list[str]:
    said = [f"Places: {place.words}."]
    if len(info.volumes) > 1:
        said.append(
            f"The trace has {len(info.volumes):,} volumes, and the load is of all, one behind the"
            " other: with --volume it is of one."
        )
    for name, number in (("trims", info.ops["trim"]), ("flushes", info.ops["flush"])):
        if number:
            said.append(f"A load at a rate has no {name}: {number:,} are left out.")
    bursts = [peak for peak in info.peaks if peak.dispersion is not None]
    bursts = [peak for peak in bursts if (peak.dispersion or 0) > BURSTY]
    if bursts:
        worst = max(bursts, key=lambda peak: peak.dispersion or 0)
        said.append(
            f"The trace comes in bursts: over windows of {worst.window:g} s the variance of its"
            f" arrivals is {units.plain(worst.dispersion or 0.0, 3)} times their mean, and that of"
            f" the load {'nearly 0' if even else '1'} times. The load waits less in queues."
        )
    if align < ALIGN and info.counts.unaligned_4k:
        said.append(
            f"{100 * info.counts.unaligned_4k / info.requests:.3g} % of the requests do not begin"
            " and end at multiples of 4 KiB, so the load is aligned to"
            f" {units.text(align, 'size')}."
        )
    data = sum(one.requests for one in info.sizes)
    coarser = [one for one in info.sizes if one.align > align and one.requests >= FEW * data]
    if coarser:
        one = coarser[0]
        said.append(
            f"Requests of {units.text(one.size, 'size')} begin at multiples of"
            f" {units.text(one.align, 'size')} in the trace, and of {units.text(align, 'size')} in"
            " the load, for all sizes of a load have one alignment."
        )
    if len(info.sizes) > MOST_SIZES:
        said.append(f"{len(info.sizes):,} sizes were put together to {MOST_SIZES} or fewer.")
    return said
