"""Which places a load returns to: distributions of accesses that `[[load]]` can express.

A distribution is a few classes of blocks that are accessed alike. The miss ratio of an LRU cache of
some size under it has a closed form, which is a good approximation: a block stays for the time T in
which as many different blocks are used as the cache holds (Che and others, 2002).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from raidsim.stats.shares import rounded_shares

ZIPF_CLASSES = 200
HOT_AREAS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
HOT_ACCESSES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
EXPONENTS = tuple(round(0.5 + 0.05 * step, 2) for step in range(21))


@dataclass(frozen=True)
class Popularity:
    """The distribution of accesses over blocks.

    Attributes
    ----------
    keys : what the load says for it.
    words : the same for people.
    blocks : number of blocks in each class.
    share : of the accesses that go to each class.
    """

    keys: Mapping[str, Any]
    words: str
    blocks: NDArray[np.float64]
    share: NDArray[np.float64]

    def miss_ratios(self, accesses: float, caches: NDArray[np.float64]) -> NDArray[np.float64]:
        """Misses of LRU caches of so many blocks, empty at first, over so many accesses."""
        each = self.share / self.blocks  # chance of a block to be the next one
        return np.array([self._miss_ratio(each, accesses, float(cache)) for cache in caches])

    def _miss_ratio(self, each: NDArray[np.float64], accesses: float, cache: float) -> float:
        def held(time: float) -> float:
            return float((self.blocks * -np.expm1(-each * time)).sum())

        stay = accesses
        if held(accesses) > cache:
            stay = float(brentq(lambda time: held(time) - cache, 0.0, accesses))
        # Until a block could have left the cache it misses when it comes for the first time; from
        # then on when it was not used for the time that blocks stay.
        first = float((self.blocks * -np.expm1(-each * stay)).sum())
        later = float((self.share * np.exp(-each * stay)).sum()) * (accesses - stay)
        return min(1.0, (first + later) / accesses)


def uniform(blocks: float) -> Popularity:
    """All blocks alike."""
    return Popularity({}, "all places alike", np.array([blocks]), np.array([1.0]))


def hot(blocks: float, area: float, accesses: float) -> Popularity | None:
    """A part of the area that gets more than its share; None if that is less than a block."""
    if area * blocks < 1 or accesses <= area:
        return None
    return Popularity(
        {"hot": {"area": percent(area), "accesses": percent(accesses)}},
        f"{percent(accesses)} of the accesses go to {percent(area)} of the area",
        np.array([area, 1 - area]) * blocks,
        np.array([accesses, 1 - accesses]),
    )


def zipf(blocks: float, exponent: float) -> Popularity:
    """Blocks that are accessed the less the higher their rank."""
    edges = np.unique(np.floor(np.geomspace(1, blocks + 1, ZIPF_CLASSES)))
    number = np.diff(edges)
    # The sum of rank ** -exponent over a class, as an integral about the middles of its ranks.
    low, high = edges[:-1] - 0.5, edges[1:] - 0.5
    if math.isclose(exponent, 1):
        weight = np.log(high / low)
    else:
        weight = (high ** (1 - exponent) - low ** (1 - exponent)) / (1 - exponent)
    return Popularity(
        {"zipf": exponent}, f"Zipf with exponent {exponent}", number, weight / weight.sum()
    )


def zones(blocks: float, counts: NDArray[np.float64], most: int) -> Popularity | None:
    """Parts of the area in order, each with its share; None if one would do for all.

    Parameters
    ----------
    counts
        Accesses in equal parts of the area.
    most
        How many zones there may be.
    """
    total = float(counts.sum())
    if total <= 0 or len(counts) < 2:
        return None
    borders = [0, *_borders(counts, most), len(counts)]
    area = rounded_shares(np.diff(borders) / len(counts), least=1)
    accesses = rounded_shares(np.array([counts[a:b].sum() for a, b in pairwise(borders)]) / total)
    if len(area) < 2:
        return None
    keys = [
        {"area": percent(a), "accesses": percent(b)} for a, b in zip(area, accesses, strict=True)
    ]
    return Popularity(
        {"zones": keys}, f"{len(keys)} zones", np.array(area) * blocks, np.array(accesses)
    )


def _borders(counts: NDArray[np.float64], most: int) -> list[int]:
    """Return the borders, sorted; each is set where it explains most of the remaining variance."""
    borders: list[int] = []
    sums = np.concatenate(([0.0], np.cumsum(counts)))
    squares = np.concatenate(([0.0], np.cumsum(counts**2)))

    def spread(a: int, b: NDArray[np.int64] | int) -> Any:
        return squares[b] - squares[a] - (sums[b] - sums[a]) ** 2 / np.maximum(np.subtract(b, a), 1)

    whole = float(spread(0, len(counts)))
    while len(borders) < most - 1:
        best: tuple[float, int] = (0.0, -1)
        edges = [0, *sorted(borders), len(counts)]
        for a, b in pairwise(edges):
            if b - a < 2:
                continue
            cuts = np.arange(a + 1, b)
            right = squares[b] - squares[cuts] - (sums[b] - sums[cuts]) ** 2 / (b - cuts)
            gain = float(spread(a, b)) - (spread(a, cuts) + right)
            place = int(np.argmax(gain))
            if gain[place] > best[0]:
                best = (float(gain[place]), int(cuts[place]))
        if best[1] < 0 or best[0] < 0.02 * whole:
            break
        borders.append(best[1])
    return sorted(borders)


def percent(share: float) -> str:
    """A share as scenarios have it, to 0.01 %: "12.5 %"."""
    return f"{round(100 * share, 2):g} %"
