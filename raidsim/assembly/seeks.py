"""Seek times: from the curve through three seeks of a data sheet, or from a measured curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidsim.cards import Card
from raidsim.units import NS_PER_S


@dataclass(frozen=True)
class SeekCurve:
    """Seek time over d > 0 cylinders: fixed + root sqrt(d - 1) + linear (d - 1), in ns."""

    fixed: float
    root: float
    linear: float

    def time(self, distance: int) -> float:
        """ns over ``distance`` cylinders."""
        if distance == 0:
            return 0.0
        return self.fixed + self.root * math.sqrt(distance - 1) + self.linear * (distance - 1)


def seek_curve(single: float, average: float, full: float, cylinders: int) -> SeekCurve:
    """The curve through a single-cylinder and a full-stroke seek, with a given average.

    Between independent uniform cylinders the distance x (share of the stroke) has the density
    2 (1 - x), so E[x] = 1/3 and E[sqrt x] = 8/15: with root' and linear' over the full stroke,
    root' + linear' = full - single and 8/15 root' + 1/3 linear' = average - single. Times in ns.
    """
    root = 5 * (average - single) - 5 / 3 * (full - single)
    stroke = max(cylinders - 2, 1)
    return SeekCurve(single, root / math.sqrt(stroke), (full - single - root) / stroke)


def curve(card: Card, op: str, cylinders: int) -> SeekCurve:
    """Seek curve of a card before reads or writes."""
    single, average, full = (
        card.number(f"seek.{op}_{which}") * NS_PER_S for which in ("single", "average", "full")
    )
    return seek_curve(single, average, full, cylinders)


def seek_ns(card: Card, op: str, distance: int, cylinders: int) -> float:
    """ns of a seek over ``distance`` cylinders before op "read" or "write"."""
    if card.seek_points is not None:
        return card.seek_points.time(op, distance) * NS_PER_S
    return curve(card, op, cylinders).time(distance)
