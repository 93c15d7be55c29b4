"""From the figures of draws to an interval around the figure of a full run.

Draws are short runs. Each is divided by the short run of the unchanged cards, with the same random
numbers, and this ratio is applied to the figure of the full run. So properties that all short runs
share, such as an earlier end of the warm-up or a missing rare event, do not count as unknown
values. Percentiles of latency are taken as they are in the draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LOW, HIGH = 0.05, 0.95
"""The ends of an interval: nine in ten of the draws lie between."""

FEWEST = 10
"""Draws that an interval must rest on."""

MODEL = 0.07
"""Standard deviation, relative, by which figures are off though the cards were right.

It is what models leave out: file systems, what a firmware does beside. Estimated of the printed
figures of predictions in five documents, as the least with which nine in ten lie in their
intervals. Taken for each document from the other ones it is 0.06 to 0.10, and 91 % are covered.
"""

APART = 0.15
"""The same of a system whose parts were compared with measurements, but never all together.

The server is another one, or what runs on it. It is the smallest, in steps of 5 %, with which nine
in ten of the rates and means of such parts lie inside, in tests 21 to 28 of
docs/background/measured-elsewhere.md.
"""

UNCOMPARED = 0.25
"""The same of a system with parts whose figures were compared with no measurement
(`raidsim.unknowns.compared`), as most systems of a user's own are.

It holds for the ratio of two systems, and for figures on the side where a system is faster than
simulated; `SLOWER` is for the other side.
"""

SLOWER = 0.40
"""The same on the side where a system is slower than simulated: what models leave out takes time
more often than it saves some.

With both, nine in ten of the figures of tests 21 to 24 of docs/background/measured-elsewhere.md
lie in the intervals of such systems; with tests 25 to 32 it is 78 %, and 85 % without the 43
figures of one nearly full drive (`HELD_UNCOMPARED` is of more tests).
"""

TAIL = 0.80
"""The same for the longer side of the latencies that few I/Os exceed (the 95th percentile and
beyond), of all parts: claims are about rates and means, and much of what nobody simulates happens
only now and then.

In tests 13 to 24 others measured 26 such percentiles of eleven systems, 2.3 times what had been
predicted in the middle. On average 88 % of those of a system lie inside.
"""


class LeftOut(NamedTuple):
    """Standard deviations, of logarithms, of what models leave out of a figure.

    Attributes
    ----------
    slower, faster
        Where a system is slower than simulated, and where it is faster.
    """

    slower: float
    faster: float

    def sides(self, *, grows: bool, is_tail: bool = False) -> tuple[float, float]:
        """Return the allowances below and above a figure: standard deviations of logarithms.

        ``grows`` says whether it is the larger the faster a system is, ``is_tail`` whether it is a
        latency that few I/Os exceed.
        """
        if grows:
            return self
        return self.faster, max(self.slower, TAIL) if is_tail else self.slower


HELD = (0.90, 147)
"""Share of printed figures inside of their intervals, and their number: of predictions in the five
documents that models were made from (docs/validation.md)."""

HELD_APART = (0.93, 44)
"""Share of the rates and means that others measured inside of intervals with `APART` of deviation,
and their number: those of tests 21 to 32 of docs/background/measured-elsewhere.md whose parts were
compared in other systems."""

HELD_UNCOMPARED = (0.81, 1064)
"""Share of the figures that others measured inside of intervals with `SLOWER` and `UNCOMPARED` of
deviation, and their number: those of tests 13 to 32, each widened as if nothing of it had been
compared."""

HALF = (0.67, 1.13)
"""What others measured, in multiples of what was predicted of it: half of those figures between."""

NORMAL_90 = 1.645
"""Standard deviations on either side that hold the middle 90 % of a normal distribution."""


def around(
    value: float, first: float | None, draws: Sequence[float | None], *, as_drawn: bool = False
) -> NDArray[np.float64] | None:
    """Return the figure of a full run as each draw would have it; NaN where a draw has none.

    Parameters
    ----------
    value
        Of the full run.
    first
        Of the short run of the cards as they are.
    draws
        Of the short runs of the draws; None where there was none.
    as_drawn
        Take the figures of the draws without the ratio. This is right for a percentile: where it
        lies between two kinds of times, such as hits and misses of a cache, it jumps from one to
        the other by chance, so the ratio of two runs tells nothing of a third one.

    Returns
    -------
    None where nothing can be compared: without a figure of the cards as they are, or where that
    is zero.
    """
    if first is None or not np.isfinite(first) or first == 0 or not np.isfinite(value):
        return None
    found = np.array([np.nan if one is None else one for one in draws], float)
    return found if as_drawn else value * found / first


def ends(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the 5th and the 95th percentile of what draws gave; None of fewer than ten.

    The percentiles are median-unbiased ones: between the draws beside them, as far as in the
    median over many samples of that size.
    """
    present = values[np.isfinite(values)]
    if present.size < FEWEST:
        return None
    low, high = np.quantile(present, [LOW, HIGH], method="median_unbiased")
    return float(low), float(high)


def holding(value: float, interval: tuple[float, float]) -> tuple[float, float]:
    """Return an interval that reaches as far as a figure which it has to contain."""
    low, high = interval
    return min(low, value), max(high, value)


def widened(
    value: float, interval: tuple[float, float], below: float = MODEL, above: float | None = None
) -> tuple[float, float]:
    """Return the interval of a figure once something is added that draws know nothing of.

    Parameters
    ----------
    value
        Of the full run.
    interval
        Ends of the draws.
    below, above
        Standard deviation of what is added on either side, of logarithms; ``above`` None is as
        much as below. It is independent of the draws, so the squares add up.
    """
    low, high = interval
    # A median of the draws that is not the figure itself is no centre: each side is its own.
    down = _added(_log(value, low), below)
    up = _added(_log(high, value), below if above is None else above)
    return value * math.exp(-down), value * math.exp(up)


def share_left_out(drawn: tuple[float, float], below: float, above: float) -> float:
    """Return the share of the variance of a figure that is what models leave out: 0..1.

    ``drawn`` are the ends of the draws; ``below`` and ``above`` deviations as of `widened`.
    """
    low, high = drawn
    if min(low, high) <= 0:
        return 0.0
    of_draws = (_log(high, low) / (2 * NORMAL_90)) ** 2
    added = (below**2 + above**2) / 2
    return added / (added + of_draws)


def _added(drawn: float, deviation: float) -> float:
    by = NORMAL_90 * deviation
    return math.hypot(drawn, by) if drawn > 0 else drawn + by


def kept_within(
    value: float,
    interval: tuple[float, float],
    draws: tuple[float, float],
    room: float,
    grows: bool,
) -> tuple[float, float]:
    """Return an interval that does not go where links would carry more than they can.

    Parameters
    ----------
    value
        Of the full run.
    interval, draws
        Ends of the interval, and those of the draws alone, which keep to links by themselves.
    room
        How many times as much as in the full run the links carry at most.
    grows
        Whether the figure is as much larger as more is carried, or as much smaller.
    """
    low, high = interval
    if grows:
        return low, min(high, max(value * room, draws[1]))
    return max(low, min(value / room, draws[0])), high


def with_settled(
    value: float,
    interval: tuple[float, float],
    draws: tuple[float, float],
    settled: float,
    deviation: float,
    grows: bool,
) -> tuple[float, float]:
    """Return an interval whose fast end leaves alone what is settled of the time of an I/O.

    Parameters
    ----------
    value
        Of the full run.
    interval, draws
        Ends of the interval, and those of the draws alone.
    settled
        Share of the time of an I/O that nothing makes shorter, such as half a turn of a platter.
    deviation
        What models leave out where a system is faster: of the rest of the time only.
    grows
        Whether the figure is a rate of one I/O after the other, or the time of one.
    """
    low, high = interval
    fastest = value / draws[1] if grows else draws[0] / value
    if not settled < min(fastest, 1.0):
        return interval  # draws say otherwise: it is no such time
    rest = 1.0 - settled
    least = settled + rest * math.exp(-_added(_log(rest, fastest - settled), deviation))
    return (low, min(high, value / least)) if grows else (max(low, value * least), high)


def _log(larger: float, smaller: float) -> float:
    return math.log(larger / smaller) if smaller > 0 else math.inf


TIE = 1e-3
"""Relative difference up to which two figures are one: a few I/Os of an arrival more or less."""


def share_ahead(ratios: NDArray[np.float64], deviation: float = 0.0) -> float | None:
    """Return in which share of the draws a ratio is above one; a tie counts half.

    ``deviation`` is the standard deviation of the ratio's logarithm by what draws know nothing of.
    """
    present = ratios[np.isfinite(ratios) & (ratios > 0)]
    if present.size == 0:
        return None
    logs = np.log(present)
    logs[np.abs(logs) <= TIE] = 0.0
    if deviation > 0:
        from scipy.special import ndtr  # noqa: PLC0415  (SciPy is slow to load)

        return float(ndtr(logs / deviation).mean())
    ahead = np.count_nonzero(logs > 0) + 0.5 * np.count_nonzero(logs == 0)
    return float(ahead / present.size)
