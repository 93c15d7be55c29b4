"""Seek times: from the curve through three seeks of a data sheet, or from a measured curve.

Also the least and the mean time until an arm begins with a random access.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.cards import Card
from raidsim.kernel.mechanics import HALF_SETTLED
from raidsim.units import NS_PER_S

STEPS = 200
"""Points of the integrals over seeks."""


@dataclass(frozen=True)
class SeekCurve:
    """Seek time over d > 0 cylinders, in ns, with n = d - 1.

    fixed + settle n / (n + HALF_SETTLED) + root sqrt(n) + linear n
    """

    fixed: float
    settle: float
    root: float
    linear: float

    def time(self, distance: int) -> float:
        """ns over ``distance`` cylinders."""
        if distance == 0:
            return 0.0
        beyond = distance - 1
        return (
            self.fixed
            + self.settle * beyond / (beyond + HALF_SETTLED)
            + self.root * math.sqrt(beyond)
            + self.linear * beyond
        )


def seek_curve(
    single: float, average: float, full: float, cylinders: int, settle: float = 0.0
) -> SeekCurve:
    """The curve through a single-cylinder and a full-stroke seek, with a given average.

    ``settle`` is the share of average - single that stopping and settling take. Between independent
    uniform cylinders the distance x (share of the stroke) has the density 2 (1 - x), so E[x] = 1/3
    and E[sqrt x] = 8/15: with root' and linear' over the full stroke, and after settling is
    subtracted, root' + linear' = full - single and 8/15 root' + 1/3 linear' = average - single.
    Settling takes no more than leaves root' above zero: a longer seek takes longer. Times in ns.
    """
    stroke = max(cylinders - 2, 1)
    half = HALF_SETTLED / stroke
    at_end = 1 / (1 + half)
    on_average = 1 - 2 * half * ((1 + half) * math.log((1 + half) / half) - 1)
    root = 5 * (average - single) - 5 / 3 * (full - single)
    of_root = 5 * on_average - 5 / 3 * at_end
    settling = min(settle * max(average - single, 0.0), max(root, 0.0) / max(of_root, 1e-9))
    root -= settling * of_root
    linear = full - single - settling * at_end - root
    return SeekCurve(single, settling, root / math.sqrt(stroke), linear / stroke)


def curve(card: Card, op: str, cylinders: int) -> SeekCurve:
    """Seek curve of a card before reads or writes."""
    single, average, full = (
        card.number(f"seek.{op}_{which}") * NS_PER_S for which in ("single", "average", "full")
    )
    return seek_curve(single, average, full, cylinders, card.number("seek.settle"))


def seek_ns(card: Card, op: str, distance: int, cylinders: int) -> float:
    """ns of a seek over ``distance`` cylinders before op "read" or "write"."""
    if card.seek_points is not None:
        return card.seek_points.time(op, distance) * NS_PER_S
    return curve(card, op, cylinders).time(distance)


def head_switch_ns(card: Card, op: str) -> float:
    """ns until another head reads or writes ("read" or "write"): on its track, or after a seek.

    The heads of an arm are not exactly above each other, so the next one has to find its own track.
    A seek that ends at another head therefore takes at least as long as the switch alone.
    """
    key = "geometry.write_head_switch"
    if op == "read" or not card.has(key):
        key = "geometry.head_switch"
    return card.number(key) * NS_PER_S


def positioning(card: Card, op: str, queue: int, share: float = 1.0) -> float:
    """Least mean time of an arm until an access begins, s, with so many commands to choose from.

    A command d cylinders away can begin after its seek and up to a turn: seek(d) + U, U uniform
    over a turn. Of q independent ones the first begins after the integral of P(later)^q. Arms are
    never farther than half the stroke from half of all places; those in the middle never from any.
    The accesses are to a ``share`` of the capacity, taken to be where tracks are longest.
    """
    turn = 1 / card.number("spindle.speed")
    distances = (np.arange(STEPS) + 0.5) / STEPS / 2
    moves, parts = _moves(card, op, distances, share)
    times = np.linspace(0, moves.max() + turn, 4 * STEPS)
    begun = np.clip((times[:, None, None] - moves) / turn, 0, 1).mean(axis=2) @ parts
    return float(np.trapezoid((1 - begun) ** max(queue, 1), times))


def alone(card: Card, op: str, share: float = 1.0) -> float:
    """Mean time of an arm until a random access begins, s, if no other command waits.

    Half a turn, and the mean seek between independent places: their distance x, as a share of the
    stroke that they are on, has the density 2 (1 - x).
    """
    distances = (np.arange(STEPS) + 0.5) / STEPS
    moves, parts = _moves(card, op, distances, share)
    mean = float(np.average(moves, axis=1, weights=1 - distances) @ parts)
    return mean + 0.5 / card.number("spindle.speed")


def _moves(
    card: Card, op: str, distances: NDArray[np.float64], share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times over shares of the stroke that a share of the capacity takes, s, and how many are so.

    The first row is for places under the same head, the second one for those under another head.
    """
    heads = card.integer("geometry.heads")
    outer = card.number("geometry.track_outer")
    track = (outer + card.number("geometry.track_inner")) / 2
    capacity = card.number("capacity.user") / heads
    cylinders = max(int(capacity / track), 2)
    stroke = cylinders if share >= 1 else capacity * share / outer
    seeks = np.array([seek_ns(card, op, max(int(d * stroke), 1), cylinders) for d in distances])
    moves = np.stack([seeks, np.maximum(seeks, head_switch_ns(card, op))]) / NS_PER_S
    return moves, np.array([1, heads - 1]) / heads
