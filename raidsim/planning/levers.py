"""Which limits determine the cost, and which design is nearest if none meets all limits."""

from __future__ import annotations

import numpy as np

from raidsim.planning.arithmetic import FITS, PRICED, SLACK, Arithmetic
from raidsim.planning.outcome import Lever, Nearest
from raidsim.planning.work import Work

WORTH_SAYING = 0.005
"""Share of the cost from which on a limit is said to cost anything."""


def levers(arithmetic: Arithmetic) -> list[Lever]:
    """The cost of the best design without each limit, by arithmetic and bounds.

    Limits without an effect on the cost are left out. If no design meets all limits, those whose
    removal helps are given.
    """
    grid = arithmetic.space.grid
    broken = np.zeros(grid, np.int8)
    for limit in arithmetic.limits:
        broken += ~(limit.ratio <= 1 + SLACK)
    cost = np.broadcast_to(arithmetic.cost, grid)
    kept = _least(cost, broken == 0)
    found = []
    for limit in arithmetic.limits:
        if limit.name in (FITS, PRICED):
            continue
        alone = (broken == 1) & ~(limit.ratio <= 1 + SLACK)
        without = _least(cost, alone)
        if without is None:
            continue
        if kept is None or without < kept * (1 - WORTH_SAYING):
            found.append(Lever(limit.name, without))
    return sorted(found, key=lambda one: (one.best or 0.0, one.limit))


def _least(cost: np.ndarray[tuple[int, ...], np.dtype[np.float64]], where: object) -> float | None:
    found = cost[np.asarray(where)]
    found = found[np.isfinite(found)]
    return float(found.min()) if len(found) else None


def nearest(work: Work) -> Nearest | None:
    """The design that is nearest to keeping all limits: its worst one is exceeded least."""
    if work.fell:
        number = min(work.fell, key=lambda one: (max(work.fell[one].values()), one))
        return Nearest(number, work.space.design(number).label, dict(work.fell[number]))
    runs = {
        int(work.coarse.numbers[place]): float(work.coarse.over[place])
        for place, one in work.coarse.measured.items()
        if np.isfinite(work.coarse.over[place]) and one.status != "refused"
    }
    if runs:
        number = min(runs, key=lambda one: (runs[one], one))
        lacks = {"rate or latency": runs[number]}
        return Nearest(number, work.space.design(number).label, lacks)
    limits = work.arithmetic.limits
    worst = np.zeros(work.space.grid)
    for limit in limits:
        np.maximum(worst, np.nan_to_num(limit.ratio, nan=np.inf), out=worst)
    number = int(np.argmin(worst))
    if not np.isfinite(worst.ravel()[number]):
        return None
    at = np.unravel_index(number, work.space.grid)
    lacks = {}
    for limit in limits:
        ratio = float(np.broadcast_to(limit.ratio, work.space.grid)[at])
        if ratio > 1 + SLACK:
            lacks[limit.name] = ratio
    return Nearest(number, work.space.design(number).label, lacks)
