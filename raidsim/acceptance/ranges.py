"""Ranges for many figures at once: a system as described is within all of them, 19 times in 20.

The interval of `raidsim run --unknowns` contains a single figure in nine of ten draws. Hardly any
draw has fifty figures within all fifty intervals. So a delivery test with these intervals would
refuse nearly every good system. Here one factor widens all intervals, in logarithms, until 19 in 20
draws are within all of them:

    range = figure * (interval / figure) ** factor

For each draw, the largest distance of any of its figures is taken, in units of the interval of that
figure. The factor is the 95th percentile of these distances, and at least 1. The error of the
models is drawn for each figure separately. Where the caller knows a limit of the hardware, such as
that of links, no range goes beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.studies.point_figures import is_percentile
from raidsim.unknowns import spread

COVERED = 0.95
"""Share of the draws that lie in all ranges."""

LEAST = 0.02
"""Half-width of a range at least, as a share: two measurements of the same differ by as much."""

NO_LIMITS = (math.inf, math.inf)

NOISE_SEED = 1


@dataclass(frozen=True)
class Range:
    """Where a figure must be: the ends, and the figure itself."""

    value: float
    low: float
    high: float


def ranges_of(
    values: Sequence[float],
    drawn: Sequence[NDArray[np.float64]],
    left_out: Sequence[tuple[float, float]] | None = None,
    limits: Sequence[tuple[float, float]] | None = None,
) -> tuple[list[Range | None], float]:
    """The ranges of figures that all must be in, and the factor by which they were stretched.

    Parameters
    ----------
    values
        The figures of the full run.
    drawn
        For each the figure in every draw, in the same order of draws; NaN where a draw has none.
    left_out
        For each the standard deviations, of logarithms, of what models leave out below and above
        it; None is `MODEL` of all.
    limits
        For each by how many times links and platters let it be lower and higher at most, `inf` if
        they do not matter. A range ends `LEAST` beyond.

    Returns
    -------
    A range for each; None where fewer than ten draws have the figure, or it is not above zero.
    """
    random = np.random.default_rng(NOISE_SEED)
    found: list[tuple[float, float, float] | None] = []  # value, and widths below and above
    distances: list[NDArray[np.float64]] = []
    both = left_out or [(spread.MODEL, spread.MODEL)] * len(values)
    for value, draws, (less, more) in zip(values, drawn, both, strict=True):
        normal = random.standard_normal(len(draws))
        noise = np.exp(np.where(normal < 0, less, more) * normal)
        known = np.where(draws > 0, draws, np.nan)
        moved = known * noise
        ends = spread.ends(known) if value > 0 else None
        if ends is None:
            found.append(None)
            continue
        ends = spread.widened(value, ends, less, more)
        below = max(float(np.log(value / ends[0])), LEAST)
        above = max(float(np.log(ends[1] / value)), LEAST)
        found.append((value, below, above))
        off = np.log(moved / value)
        distances.append(np.where(off < 0, -off / below, off / above))
    factor = _factor(distances)
    return [
        None if one is None else _range(*one, factor, limits[place] if limits else NO_LIMITS)
        for place, one in enumerate(found)
    ], factor


def _range(
    value: float, below: float, above: float, factor: float, limits: tuple[float, float]
) -> Range:
    """Stretch widths, in logarithms, as far as limits allow."""
    lower, higher = (math.log(one) + LEAST for one in limits)
    below, above = min(factor * below, lower), min(factor * above, higher)
    return Range(value, value * math.exp(-below), value * math.exp(above))


def _factor(distances: Sequence[NDArray[np.float64]]) -> float:
    """The factor that takes in so many of the draws with all of their figures."""
    if not distances:
        return 1.0
    table = np.vstack(distances)
    furthest = np.nanmax(np.where(np.isfinite(table), table, -np.inf), axis=0)
    present = furthest[np.isfinite(furthest)]
    if present.size == 0:
        return 1.0
    return max(float(np.quantile(present, COVERED, method="median_unbiased")), 1.0)


def moved(
    name: str, value: float, first: float | None, draws: Sequence[float | None]
) -> NDArray[np.float64]:
    """A figure in each draw as the full run would have it; NaN where a draw has none."""
    found = spread.around(value, first, draws, as_drawn=is_percentile(name))
    return np.full(len(draws), np.nan) if found is None else found


WANTED: Mapping[str, str] = {
    "iops": "IO/s",
    "read latency": "ms",
    "read latency p99": "ms",
    "write latency": "ms",
    "write latency p99": "ms",
}
"""Figures that are held against a measurement, with their units."""
