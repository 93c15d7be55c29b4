"""Lifetimes of an array once more: one at a time, event by event, nothing biased or weighted.

Slow and plain, for comparison with raidsim.risk.lifetimes; of that it knows the records only.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from raidsim.risk.groups import Redundancy
from raidsim.risk.hazard import Drives, Repair


def losses(
    redundancy: Redundancy,
    drives: Drives,
    repair: Repair,
    mission: float,
    lifetimes: int,
    seed: int,
) -> tuple[float, float]:
    """Shares of lifetimes in which any data was lost, and in which a group was."""
    dice = random.Random(seed)
    found = [live(redundancy, drives, repair, mission, dice) for _ in range(lifetimes)]
    return (
        sum(any_data for any_data, _ in found) / lifetimes,
        sum(group for _, group in found) / lifetimes,
    )


def live(
    redundancy: Redundancy, drives: Drives, repair: Repair, mission: float, dice: random.Random
) -> tuple[bool, bool]:
    """Whether a lifetime lost any data, and a group."""
    one = redundancy.group
    sets = [
        {first + member for member in members}
        for first in range(0, redundancy.drives, one.drives)
        for members in one.sets
    ]
    bad = drives.batch is not None and dice.random() < drives.batch.bad
    first_of_batch = round(drives.batch.share * redundancy.drives) if drives.batch else 0
    fails = [
        lifetime(drives, dice, drives.batch.multiplier if bad and n < first_of_batch else 1.0)
        for n in range(redundancy.drives)
    ]
    born = [-drives.age] * redundancy.drives
    back = [math.inf] * redundancy.drives
    shelf = [0.0] * repair.spares
    free: dict[int, float] = {}
    shock = next_shock(drives, dice, 0.0)
    sector_lost, now = False, 0.0
    while True:
        before, now = now, min(*fails, *back, shock, mission)
        had = gone(back)
        arisen = drives.defects * (now - before)
        sector_lost |= dice.random() < unread(critical(had, sets, one), arisen, one)
        if now >= mission:
            return sector_lost, False
        hit: Iterable[int] = ()
        if now == shock:
            whole = [n for n in range(redundancy.drives) if back[n] == math.inf]
            hit = [n for n in whole if dice.random() < drives.shock.kills]
            shock = next_shock(drives, dice, now)
        elif now in back:
            drive = back.index(now)
            back[drive], born[drive] = math.inf, now
            fails[drive] = now + lifetime(drives, dice, new=True)
        else:
            hit = [fails.index(now)]
        for drive in hit:
            fails[drive] = math.inf
            begins = now + repair.delivery
            if shelf:
                begins = max(now, shelf.pop(shelf.index(min(shelf))))
                shelf.append(now + repair.delivery)
            takes = repair.hours * (dice.expovariate(1) if repair.exponential else 1)
            if not repair.parallel:
                group = drive // one.drives
                begins = max(begins, free.get(group, 0.0))
                free[group] = begins + takes
            back[drive] = begins + takes
        missing = gone(back)
        errors = found(missing - had, missing, sets, drives, born, now)
        left = critical(missing, sets, one, had)
        sector_lost |= dice.random() < unread(left, errors, one)
        if any(len(members & missing) > one.tolerated for members in sets):
            return True, True


def lifetime(
    drives: Drives, dice: random.Random, times: float = 1.0, *, new: bool = False
) -> float:
    """Hours that a drive has left: the first of two Weibull ages, given that it is alive now."""
    left = []
    kinds = [(drives.failures, 0.0 if new else drives.age)]
    if drives.wear is not None:
        kinds.append((drives.wear.failures, 0.0 if new else drives.wear.used * drives.wear.life))
    for kind, age in kinds:
        reached = (age / kind.scale) ** kind.shape + dice.expovariate(1) / times
        left.append(kind.scale * reached ** (1 / kind.shape) - age)
    return min(left)


def next_shock(drives: Drives, dice: random.Random, now: float) -> float:
    """When the next shock comes."""
    return now + dice.expovariate(drives.shock.rate) if drives.shock else math.inf


def gone(back) -> set[int]:
    """Drives that are missing."""
    return {n for n, at in enumerate(back) if at < math.inf}


def critical(missing, sets, one, had=None) -> int:
    """Sets with nothing to spare; only those that had some while ``had`` was missing."""
    return sum(
        len(members & missing) == one.tolerated > 0
        and (had is None or len(members & had) < one.tolerated)
        for members in sets
    )


def found(hit, missing, sets, drives, born, now) -> float:
    """Errors that a drive has on average that is read because of those that were hit."""
    others = set().union(*(members for members in sets if members & hit)) - missing
    patrol = now % drives.scrub if drives.scrub else math.inf
    arisen = sum(drives.defects * min(now - born[n], patrol) for n in others)
    return arisen / max(len(others), 1) - math.log1p(-drives.unread)


def unread(sets_left, errors, one) -> float:
    """Chance that one of these errors is in sets with nothing to spare."""
    of_a_drive = sum(0 in members for members in one.sets)
    return 1 - math.exp(-errors * one.sources * sets_left / of_a_drive)
