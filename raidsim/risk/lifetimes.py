"""Simulated lifetimes of an array: how often data is lost, with effects that no formula contains.

Each lifetime goes from event to event: a drive fails, a rebuild ends, a shock affects all drives.
Ages, wear, spares on the shelf, deliveries and patrol reads are simulated. Many lifetimes are
simulated side by side as rows of arrays.

Loss is rare, so failures are made frequent and each lifetime counts less in return (failure
biasing; P. Heidelberger, "Fast simulation of rare events in queueing and reliability models", ACM
TOMACS 5 (1995)). The hazard of a drive is multiplied by B. While no drive is missing, B gives about
one failure in the lifetime. While a group misses one drive, it gives about one more failure in the
rebuilds of a lifetime. While a group misses more, it gives one failure in each rebuild. The weight
of a lifetime is the product of e^((B-1) H) for each hazard H that a drive passed through, and of
1/B for each failure. Sectors that cannot be read are not drawn: their chance is added to the loss,
and the lifetime continues with the rest of its weight. They are lost when the drive fails that held
their only other source, not when a rebuild finds them. So a slow rebuild cannot delay a loss beyond
the end of the lifetime. The mean of the weighted losses is the probability, for any B; tests
compare it with the Markov chain.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.risk.durations import Duration, Fixed
from raidsim.risk.groups import Redundancy
from raidsim.risk.hazard import Drives, Repair
from raidsim.stats.proportions import Estimate, counted, weighted

AT_A_TIME = 20_000  # lifetimes side by side

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Loss:
    """The losses in simulated lifetimes: any data, and whole groups (too many drives)."""

    any: Estimate
    group: Estimate


def simulate(
    redundancy: Redundancy,
    drives: Drives,
    repair: Repair,
    mission: float,
    *,
    lifetimes: int = 10_000,
    seed: int = 1,
    name: str = "",
    failed: Sequence[int] = (),
    bias: bool = True,
) -> Loss:
    """Live an array many times.

    Parameters
    ----------
    redundancy
        Its groups.
    drives, repair
        How drives fail, and are replaced.
    mission
        Hours of a lifetime.
    lifetimes
        How many.
    seed, name
        The same ones give the same random numbers.
    failed
        Drives that are missing at the start, and about to be replaced.
    bias
        Failure biasing; without it losses are counted one by one.
    """
    digest = hashlib.sha256(f"{seed} lifetimes {name}".encode()).digest()
    random = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    lost, group = [], []
    for first in range(0, lifetimes, AT_A_TIME):
        rows = min(AT_A_TIME, lifetimes - first)
        lived = _Lifetimes(redundancy, drives, repair, mission, rows, random, bias=bias)
        lived.begin(failed)
        lived.run()
        lost.append(lived.lost)
        group.append(lived.group)
    estimate = weighted if bias else _counted
    return Loss(estimate(np.concatenate(lost)), estimate(np.concatenate(group)))


def _counted(weights: Values) -> Estimate:
    return counted(int(np.count_nonzero(weights)), len(weights))


class _Lifetimes:
    """Some lifetimes side by side: a row each, a column for each drive."""

    def __init__(
        self,
        redundancy: Redundancy,
        drives: Drives,
        repair: Repair,
        mission: float,
        rows: int,
        random: np.random.Generator,
        *,
        bias: bool,
    ) -> None:
        self.redundancy, self.drives, self.repair = redundancy, drives, repair
        self.mission, self.random, self.bias = mission, random, bias
        total, groups = redundancy.drives, redundancy.groups
        self.group_of = np.repeat(np.arange(groups), redundancy.group.drives)
        self.sets, self.akin = _sets(redundancy)
        self.kinds = [drives.failures] + ([drives.wear.failures] if drives.wear else [])
        self.lost, self.group = np.zeros(rows), np.zeros(rows)
        # State, of the lifetimes that still run.
        self.row = np.arange(rows)
        self.now = np.zeros(rows)
        self.weight = np.zeros(rows)  # logarithm
        self.rest = np.ones(rows)  # share that has lost no sector
        self.tempt = np.ones(rows)  # failures that are wanted in the rebuild of a drive
        self.back = np.full((rows, total), np.inf)  # when a missing drive is restored
        self.born = np.zeros((len(self.kinds), rows, total))
        self.born[0] = -drives.age
        if drives.wear is not None:
            self.born[1] = -drives.wear.used * drives.wear.life
        self.times = self._multipliers(rows, total)
        self.shelf = np.zeros((rows, max(repair.spares, 1)))  # when each spare is there
        self.free = np.zeros((rows, groups))  # when the group's last rebuild is done

    def _multipliers(self, rows: int, total: int) -> Values:
        """Return the factors of the hazard of each drive: those of a bad batch fail more."""
        times = np.ones((rows, total))
        batch = self.drives.batch
        if batch is not None:
            bad = self.random.random(rows) < batch.bad
            times[bad, : round(batch.share * total)] = batch.multiplier
        return times

    def begin(self, failed: Sequence[int]) -> None:
        """Take drives away at the start."""
        self.tempt = 1 / (1 + self._hazard(np.full(len(self.row), self.mission)).sum(axis=1))
        hit = np.zeros_like(self.back, dtype=bool)
        hit[:, list(failed)] = True
        self._keep(~self._fail(hit))

    def run(self) -> None:
        """Live until all are lost or have passed the mission."""
        while len(self.row):
            self._step()

    # ------------------------------------------------------------ one event

    def _step(self) -> None:
        """Bring every lifetime to its next event."""
        good = np.isinf(self.back)
        speed = self._speeds(good)
        fails = np.where(good, self._waits(speed), np.inf)
        which = fails.argmin(axis=1)
        here = np.arange(len(self.row))
        failing = self.now + fails[here, which]
        done = self.back.argmin(axis=1)
        restored = self.back[here, done]
        shaken, shock_speed = self._shocks()
        until = np.minimum(np.minimum(failing, restored), np.minimum(shaken, self.mission))
        passed = until - self.now
        self._pass(until, good, speed, shock_speed)
        ended: Flags = np.asarray(until >= self.mission)
        shock: Flags = np.asarray(~ended & (shaken <= until))
        fail: Flags = np.asarray(~ended & ~shock & (failing <= until))
        repaired = ~ended & ~shock & ~fail
        if self.bias:
            self.weight[fail] -= np.log(speed[fail, which[fail]])
            self.weight[shock] -= math.log(shock_speed)
        if self.drives.defects:
            self._decay(good, passed)
        self._restore(np.flatnonzero(repaired), done)
        hit = np.zeros_like(good)
        hit[fail, which[fail]] = True
        if self.drives.shock is not None and shock.any():
            kills = self.random.random((int(shock.sum()), hit.shape[1]))
            hit[shock] = (kills < self.drives.shock.kills) & good[shock]
        over = ended | self._fail(hit)
        if over.any():
            self._keep(~over)

    def _speeds(self, good: Flags) -> Values:
        """B of each drive: what its hazard is multiplied by."""
        if not self.bias:
            return np.ones(good.shape)
        exposed = ((~good) @ self.akin) & good
        missing: Flags = np.asarray(~good.all(axis=1))
        last = np.where(good, -np.inf, self.back).max(axis=1)
        # Drives that hold what a missing one held, until all are restored; else all of them.
        within = self._hazard(np.where(missing, last, self.mission))
        in_danger = np.where(missing[:, None], exposed, good)
        expected = np.maximum((within * in_danger).sum(axis=1), 1e-300)
        wanted = np.where((~good).sum(axis=1) == 1, self.tempt, 1.0)
        return np.where(in_danger, np.maximum(wanted / expected, 1.0)[:, None], 1.0)

    def _waits(self, speed: Values) -> Values:
        """Hours until each drive fails, if it is good."""
        waits = np.full(speed.shape, np.inf)
        for kind, born in zip(self.kinds, self.born, strict=True):
            hazard = self.random.standard_exponential(speed.shape) / (speed * self.times)
            waits = np.minimum(waits, kind.wait(self.now[:, None] - born, hazard))
        return waits

    def _hazard(self, until: Values) -> Values:
        """Hazard that each drive passes through from now to a time, if it is good."""
        total = np.zeros(self.times.shape)
        for kind, born in zip(self.kinds, self.born, strict=True):
            total += kind.hazard(until[:, None] - born) - kind.hazard(self.now[:, None] - born)
        return total * self.times

    def _shocks(self) -> tuple[Values, float]:
        """Return the time of the next shock in each row, and the factor on the rate of shocks."""
        shock = self.drives.shock
        if shock is None or shock.rate == 0:
            return np.full(len(self.row), np.inf), 1.0
        speed = max(1 / (shock.rate * self.mission), 1.0) if self.bias else 1.0
        waits = self.random.standard_exponential(len(self.row)) / (shock.rate * speed)
        return self.now + waits, speed

    def _pass(self, until: Values, good: Flags, speed: Values, shock_speed: float) -> None:
        """Let time pass without a failure, and weigh that."""
        if self.bias:
            passed = self._hazard(until) * (speed - 1)
            self.weight += np.where(good, passed, 0.0).sum(axis=1)
            if self.drives.shock is not None:
                self.weight += (shock_speed - 1) * self.drives.shock.rate * (until - self.now)
        self.now = until

    # ------------------------------------------------------------ what happens

    def _fail(self, hit: Flags) -> Flags:
        """Take drives away, and order rebuilds; whether a group is lost.

        Of some sets nothing is left to spare then: what can't be read of them is lost.
        """
        changed = hit.any(axis=1)
        before = (~np.isinf(self.back[changed])).astype(np.int64) @ self.sets
        for drive in np.flatnonzero(hit.any(axis=0)):
            rows = np.flatnonzero(hit[:, drive])
            self.back[rows, drive] = self._restored_at(rows, self.group_of[drive])
        lost = np.zeros(len(self.row), dtype=bool)
        missing = (~np.isinf(self.back[changed])).astype(np.int64) @ self.sets
        tolerated = self.redundancy.group.tolerated
        if tolerated:
            critical = ((missing == tolerated) & (before < tolerated)).sum(axis=1)
            self._unread(np.flatnonzero(changed), critical, hit[changed])
        lost[changed] = (missing > self.redundancy.group.tolerated).any(axis=1)
        gone = np.exp(self.weight[lost])
        self.group[self.row[lost]] += gone
        self.lost[self.row[lost]] += gone * self.rest[lost]
        return lost

    def _restored_at(self, rows: NDArray[np.int64], group: int) -> Values:
        """Return the times at which drives that fail now are restored; each uses a spare."""
        repair, now = self.repair, self.now[rows]
        delivered = now + _duration(repair.delivery).draw(self.random, len(rows))
        if repair.spares:
            slot = self.shelf[rows].argmin(axis=1)
            begins = np.maximum(now, self.shelf[rows, slot])
            self.shelf[rows, slot] = delivered
        else:
            begins = delivered
        hours = _duration(repair.hours)
        if repair.exponential:
            takes = hours.mean * self.random.standard_exponential(len(rows))
        else:
            takes = hours.draw(self.random, len(rows))
        if repair.parallel:
            return np.asarray(begins + takes)
        ends = np.maximum(begins, self.free[rows, group]) + takes
        self.free[rows, group] = ends
        return np.asarray(ends)

    def _restore(self, rows: NDArray[np.int64], done: NDArray[np.int64]) -> None:
        """Drives are as new."""
        drives = done[rows]
        self.back[rows, drives] = np.inf
        self.born[:, rows, drives] = self.now[rows]
        self.times[rows, drives] = 1.0

    def _unread(self, rows: NDArray[np.int64], critical: NDArray[np.int64], hit: Flags) -> None:
        """Lose the unreadable data of sets that have no redundancy left since drives failed.

        These are sectors by UBER, and sectors that became unreadable since the drive was new or the
        last patrol read.
        """
        missing = ~np.isinf(self.back[rows])
        since = self.now[rows][:, None] - self.born[0][rows]
        scrub = self.drives.scrub
        if isinstance(scrub, int | float):
            since = np.minimum(since, (self.now[rows] % scrub)[:, None])
        elif scrub is not None:  # they arise at a constant rate, and each lasts until it is found
            since = scrub.within(since)
        arisen = self.drives.defects * since
        sources = (hit @ self.akin) & ~missing
        mean = (arisen * sources).sum(axis=1) / np.maximum(sources.sum(axis=1), 1)
        self._lose(rows, (mean - math.log1p(-self.drives.unread)) * self._read(critical))

    def _decay(self, good: Flags, passed: Values) -> None:
        """Lose the sectors that have arisen while a set had nothing to spare, in hours passed."""
        tolerated = self.redundancy.group.tolerated
        critical = ((~good).astype(np.int64) @ self.sets == tolerated).sum(axis=1)
        rows = np.flatnonzero(critical) if tolerated else np.zeros(0, dtype=np.int64)
        self._lose(rows, self.drives.defects * passed[rows] * self._read(critical[rows]))

    def _read(self, critical: NDArray[np.int64]) -> Values:
        """Drives that are read to restore what so many sets hold of a drive."""
        return np.asarray(self.redundancy.group.sources * critical / self.sets[0].sum())

    def _lose(self, rows: NDArray[np.int64], errors: Values) -> None:
        """Lose data with the chance that there is any of so many errors on average."""
        unread = np.asarray(-np.expm1(-errors))
        if self.bias:
            chance = unread
        else:
            chance = (self.random.random(len(rows)) < unread).astype(np.float64)
        self.lost[self.row[rows]] += np.exp(self.weight[rows]) * self.rest[rows] * chance
        self.rest[rows] *= 1 - chance

    def _keep(self, running: Flags) -> None:
        """Go on with some lifetimes only."""
        for name in ("row", "now", "weight", "rest", "tempt", "back", "times", "shelf", "free"):
            setattr(self, name, getattr(self, name)[running])
        self.born = self.born[:, running]


def _duration(hours: float | Duration) -> Duration:
    return Fixed(hours) if isinstance(hours, int | float) else hours


def _sets(redundancy: Redundancy) -> tuple[NDArray[np.int64], Flags]:
    """Return drives (rows) by sets (columns), 1 or 0, and flags of pairs that share a set."""
    group = redundancy.group
    one = np.zeros((group.drives, len(group.sets)), dtype=np.int64)
    for column, members in enumerate(group.sets):
        one[list(members), column] = 1
    sets = np.kron(np.eye(redundancy.groups, dtype=np.int64), one)
    return sets, sets @ sets.T > 0
