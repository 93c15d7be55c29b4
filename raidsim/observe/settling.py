"""Whether the start of a run is over: for every load, every cache and every queue of destages.

Each has a separate series, and is settled when MSER-5 finds its cut in the first half of it. A
cache at its bound is settled, and so is one whose level hardly moves. A load must have done enough
I/Os to be judged at all, so that a busy load does not end the warm-up of a slow one.

A level that takes minutes to fill hardly moves in seconds. So levels are also watched during the
measurement: if one of them moved in a window, this window still belonged to the warm-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.load_tables import CLOSED
from raidsim.observe import elevator_passes, levels
from raidsim.observe.levels import Held, Level, Record
from raidsim.stats.warmup import mser5
from raidsim.system.system import System
from raidsim.units import NS_PER_S

PILOT_PER_OUTSTANDING = 20  # I/Os of a load per slot of its own
LEAST_PER_OUTSTANDING = 5
"""The same of I/Os so large that a few of them are as many commands as twenty usual ones.

Each slot begins with an I/O that finds the system empty. The second one finds it as it is from then
on, and MSER-5 has the other three to tell whether that is so.
"""
LEAST_OF_A_LOAD = 400  # I/Os
STILL = 0.01
"""Share of itself: a level that moves less between the last two quarters of a run is still.

One that grows steadily from nothing moves by a third.
"""
MOVED = 0.01
"""Share of its bound: a level that moves so far from first to last third of a window has not
settled, unless it goes up and down so much that chance alone would do it.
"""
NEARLY_WHOLE = 0.9  # pass: what is dirty when the window ends may be a little more than before
NEARLY = 0.9  # of its bound, or of its pace: what has come so far comes to its end soon
FOUND_ANEW = 1e-4
"""Share of what is read and written. A cache that takes up more for the first time still fills.

One read that goes to a disk takes as long as a hundred from the cache.
"""
KEPT = 0.02
"""Share of what is written. If more than that stays in a cache, the cache fills."""
KEPT_OF_A_PART = 0.1
"""The same for a part of a pass, in which drives may be slower than in the rest of it.

It is used for closed loads only. If a cache was filled although it would not have become full, it
drains, and the run comes to the same steady state.
"""
WHOLE_PASSES = 0.8
"""Share of the time watched: two looks at what is dirty, that far apart, are whole passes apart."""
BATCHES = 5  # of each of these thirds, which tell how much that is
CHANCE = 3.0  # standard errors
WANDERS = 0.05
"""Share of itself: a level that moves more than that still moves, however high its waves are."""
LEAST_READ = 8 * BATCHES  # readings whose quarters can be compared
MOST_PILOT_SHARE = 0.5  # of max_ios


@dataclass(frozen=True)
class Unsettled:
    """A level that has not settled yet.

    Attributes
    ----------
    loads
        Those whose figures it touches.
    needs
        When it may have, s since the start, as far as can be told; else None.
    fills
        Whether it rises at the same pace until there is no more to take up. A run that ends before
        that is not in its steady state, however narrow its intervals are.
    filling
        Row of the cache of which more and more is dirty; None if it is something else.
    matters
        Whether figures change with it.
    """

    loads: frozenset[str]
    words: str
    needs: float | None
    fills: bool = False
    filling: int | None = None
    matters: bool = True

    def told(self, warmup: Warmup) -> str:
        """A warning after a warm-up, and what to raise."""
        words = f"no end of the warm-up found: {self.after(warmup)}, so that figures are biased"
        if self.needs is None:
            return f"{words}; raise measure.max_ios or measure.max_time"
        if self.needs > warmup.max_time:
            return f"{words}; raise measure.max_time to about {units.plain(2 * self.needs, 2)} s"
        ios = 2 * self.ios(warmup) / MOST_PILOT_SHARE
        return f"{words}; raise measure.max_ios to about {units.plain(ios, 1)}"

    def after(self, warmup: Warmup) -> str:
        """The fact alone, as a sentence without a stop."""
        return f"{self.words} had not settled after {units.plain(warmup.seconds, 3)} s"

    def ios(self, warmup: Warmup) -> float:
        """I/Os until it may have settled, at the pace of a warm-up."""
        return warmup.ios / warmup.seconds * (self.needs or 0.0)

    def is_beyond(self, warmup: Warmup) -> bool:
        """Return whether it fills, and for longer than a run may take."""
        if not self.fills or self.needs is None:
            return False
        return self.needs > warmup.max_time or self.ios(warmup) > warmup.max_ios


@dataclass(frozen=True)
class Warmup:
    """The length of a warm-up so far, and its longest length.

    Attributes
    ----------
    seconds, ios
        How long it has been, s, and how many I/Os were done.
    max_time, max_ios
        How long it may be at most, s, and how many I/Os may be done.
    """

    seconds: float
    ios: int
    max_time: float
    max_ios: float


@dataclass(frozen=True)
class Filling:
    """A cache to which more is written than its drives take, though it destages all the time.

    Attributes
    ----------
    cache
        Its row.
    loads
        Those that write to it.
    pace
        How much more, B/s.
    full_in
        When it is full at this pace, s from now on.
    """

    cache: int
    loads: frozenset[str]
    words: str
    pace: float
    full_in: float


class Settling:
    """The start of a run, watched.

    Parameters
    ----------
    streams
        The streams of each load that is under way, by its name.
    reads
        Share of reads of each load. What loads that only read find dirty in a cache was written
        before they began, and will go to the drives.
    filled
        Rows of caches that were filled at once. While such a one gives up more than open loads
        write to it, no write waits for it, and how much is dirty matters to nobody; but reads wait
        for the disks that are busy with what drains.
    kept
        Rows of caches in which reads find as much as in the long run. A rise there does not go on
        (:mod:`raidsim.running.kept_lines`).
    share
        Share of the usual number of I/Os that is enough: see :func:`pilot_of`.
    """

    def __init__(
        self,
        system: System,
        streams: Mapping[str, Sequence[int]],
        reads: Mapping[str, float],
        filled: Set[int] = frozenset(),
        kept: Set[int] = frozenset(),
        share: float = 1.0,
    ) -> None:
        self.system = system
        self.share = share
        self.writing = {name for name, share in reads.items() if share < 1}
        self.reading = {name for name, share in reads.items() if share > 0}
        self.filled = filled
        self.kept = kept
        self.streams = {name: list(rows) for name, rows in streams.items() if rows}
        self.loads_of: dict[Level, set[str]] = {}
        for name, rows in self.streams.items():
            for volume in sorted(set(system.world.streams["volume"][rows].tolist())):
                for level in levels.of_volume(system, volume):
                    self.loads_of.setdefault(level, set()).add(name)
        self.is_warming = True
        self.record = Record(system, [])  # from watch_warmup on

    def unsettled(self) -> list[Unsettled]:
        """Return the levels that have not settled yet; none once the warm-up is over."""
        found = [self._of_load(name, rows) for name, rows in self.streams.items()]
        found += [self._of_level(level, names) for level, names in self.loads_of.items()]
        return [one for one in found if one is not None]

    def watch_warmup(self, expected: float) -> None:
        """Watch from now on what fills: for about so long at least, ns."""
        self.record = Record(self.system, list(self.loads_of), expected)

    def watch_window(self, expected: float) -> None:
        """Watch from now on what is measured: for about so long at least, ns."""
        self.is_warming = False
        bounded = [one for one in self.loads_of if one.bound is not None]
        self.record = Record(self.system, bounded, expected)

    def moving(self) -> list[Unsettled]:
        """Return the levels that moved in the window although they seemed to have settled."""
        return [
            self._named(level)
            for level in self.record.levels
            if level.bound is not None
            and level.matters
            and moves(self.record.series(level), level.bound, self._least(level))
            and not self._drains(level)
        ]

    def _are_open(self, names: Set[str]) -> bool:
        """Return whether all of these loads issue I/Os whatever becomes of those before."""
        rows = [row for name in names & self.writing for row in self.streams[name]]
        return bool((self.system.world.streams["mode"][rows] != CLOSED).all())

    def _are_closed(self, names: Set[str]) -> bool:
        """Return whether all of these writing loads wait for their I/Os before issuing others."""
        rows = [row for name in names & self.writing for row in self.streams[name]]
        return bool((self.system.world.streams["mode"][rows] == CLOSED).all())

    def draining(self, load: str) -> list[str]:
        """Return remarks on caches of a load whose dirty data decreases."""
        return [
            f"{level.words} becomes less, slowly: how much is dirty in the long run is not known"
            for level, names in self.loads_of.items()
            if load in names and level in self.record.levels and self._drains(level)
        ]

    def _drains(self, level: Level) -> bool:
        """Return whether a cache filled at once gives up more than it takes, and no load reads."""
        if not level.is_dirty or level.bound is None or self.loads_of[level] & self.reading:
            return False
        series = self.record.series(level)
        third = len(series) // 3
        return (
            level.rows[0] in self.filled
            and third > 0
            and self._are_open(self.loads_of[level])
            and bool(series[-third:].mean() < series[:third].mean() < levels.FULL * level.bound)
        )

    def _named(self, level: Level) -> Unsettled:
        needs = self._needed(level)
        fills = (
            isinstance(level, Held)
            and level.cache not in self.kept
            and goes_on(self.record.series(level), level.bound or 0.0)
        )
        filling = level.rows[0] if level.is_dirty and rises(self.record.series(level)) else None
        loads = frozenset(self.loads_of[level])
        matters = level.matters and not self._is_empty(level)
        return Unsettled(loads, level.words, needs, fills, filling, matters)

    def _is_empty(self, level: Level) -> bool:
        """Return whether nothing was dirty at any look, as when all writes go through."""
        if not level.is_dirty or self.record.series(level).any():
            return False
        return not self.system.world.caches["dirty"][list(level.rows)].any()

    def _least(self, level: Level) -> float:
        """Bytes by which a level rises in the window if it matters, however large its bound is.

        Infinite for levels that are no more than a buffer on the way. What reads find in a cache
        matters the more, the fewer of them miss it: then a few slow ones set the pace.
        """
        if not isinstance(level, Held):
            return math.inf
        rows = [row for name in self.loads_of[level] for row in self.streams[name]]
        moved = float(self.system.world.streams["window_bytes"][rows].sum())
        reads, hits = (self.system.since("caches", level.cache, of) for of in ("reads", "hits"))
        missed = 1.0 - hits / reads if reads else 1.0
        return moved * max(FOUND_ANEW, KEPT * missed)

    def filling(self) -> list[Filling]:
        """Caches that fill, of those that destage all data above the low water mark.

        The rate of their destages depends on their drives, not on the amount of dirty data: so they
        fill until writes have to wait.
        """
        found = [
            (names, level, self._pace(level, names))
            for level, names in self.loads_of.items()
            if level.is_dirty and level in self.record.levels
        ]
        return [
            Filling(
                level.rows[0],
                frozenset(names & self.writing),
                level.words,
                pace,
                ((level.bound or 0.0) - self.record.series(level)[-1]) / pace,
            )
            for names, level, pace in found
            if pace > 0
        ]

    def _pace(self, level: Level, names: set[str]) -> float:
        """The growth of the dirty data, B/s; 0 if it is small, or chance, or not known yet.

        Below the low water mark nothing is destaged, so a series that begins there is not used.
        """
        cache = self.system.world.caches[level.rows[0]]
        series = self.record.series(level)
        if self.is_warming:  # the first pass finds less in its way than those after it
            series = series[len(series) // 2 :]
        if len(series) == 0 or series[-1] <= cache["low"] or series[0] < levels.FULL * cache["low"]:
            return 0.0
        step = self.record.step / NS_PER_S
        apart, least = len(series) - len(series) // 3, KEPT
        one_pass = self._pass_time(level, names) / step
        if one_pass > 0:  # the pace differs within a pass: compare whole ones
            whole = round(one_pass * (WHOLE_PASSES * len(series) // one_pass))
            if whole == 0 and self._are_closed(names):
                least = KEPT_OF_A_PART
            else:
                apart = whole
        size = min(len(series) - apart, len(series) // 3)
        if apart == 0 or size < 2 * BATCHES:
            return 0.0
        rise, chance = difference(series[-apart - size : -apart], series[-size:])
        destaged = self.system.since("caches", level.rows[0], "destaged")
        kept = least * destaged * apart * step / max(self._passed(), step)
        return rise / (apart * step) if rise > max(chance, kept) else 0.0

    def _pass_time(self, level: Level, names: set[str]) -> float:
        """Return the time of one pass of destages over the disks, s; 0 if there are none."""
        passed, passes = self._passed(), self._passes_of(level, names)
        return passed / passes if 0 < passes < math.inf else 0.0

    def _passed(self) -> float:
        """Since figures are counted, s."""
        return (self.system.now - int(self.system.state["slice_origin"])) / NS_PER_S

    def passes(self, load: str | None = None) -> float:
        """Return the passes of destages over all dirty data in the window, for the slowest cache.

        Caches with disks behind them count, of a load or of all. Destages go from low addresses to
        high ones, and begin again. Before the end of the first pass, its length is taken as twice
        the dirty data: nothing is dirty just behind the destages, and most is just ahead.
        """
        return min(
            (
                self._passes_of(level, names)
                for level, names in self.loads_of.items()
                if level.is_dirty and load in {None, *names}
            ),
            default=math.inf,
        )

    def part_of_a_pass(self, load: str, ios: int) -> list[str]:
        """Say so if ``ios`` I/Os measured only a part of a pass of a load's destages."""
        passes = self.passes(load)
        if passes >= NEARLY_WHOLE:
            return []
        return [
            f"measured over {passes:.2g} of the time in which destages go once over the disks; the"
            " rate may go up and down by some per cent meanwhile: raise measure.min_ios to about"
            f" {units.plain(ios / passes, 1)}, or ask for more precision"
        ]

    def _passes_of(self, level: Level, names: set[str]) -> float:
        """Return the passes of destages over all of one cache; infinite if it has no disks.

        Of a controller that has several elevators: how often that one has with most to do.
        """
        (row,) = level.rows
        cache = self.system.world.caches[row]
        table = "caches"
        if cache["errand"] == ERRAND_DESTAGE:
            lane = elevator_passes.busiest_lane(self.system, row)
            if lane != t.NONE and self.system.world.lanes[lane]["last_pass"]:
                table, row = "lanes", lane
        pass_time = float(getattr(self.system.world, table)[row]["last_pass"] or 2 * cache["dirty"])
        destaged = self.system.since(table, row, "destaged")
        return destaged / pass_time if pass_time and destaged and self._seeks(names) else math.inf

    def _seeks(self, names: set[str]) -> bool:
        """Return whether some load goes to disks."""
        streams = [row for name in names for row in self.streams[name]]
        volumes = set(self.system.world.streams["volume"][streams].tolist())
        return any(
            kind_at(self.system, drive).seeks
            for volume in volumes
            for drive in drives_of(self.system, volume)
        )

    def _of_load(self, name: str, streams: list[int]) -> Unsettled | None:
        rows = self.system.world.streams[streams]
        slots = int(rows["outstanding"].sum())
        least = max(LEAST_OF_A_LOAD, pilot_of(slots, self.share))
        done = int(rows["window_ios"].sum())
        if done == 0 and rows["window_others"].any():
            return None  # nothing but trims, which no throughput counts
        series, _ = window.series(self.system, streams)
        if done >= least and len(series) and has_begun(series):
            return None
        needs = self._passed() * least / done if 0 < done < least else None
        return Unsettled(frozenset([name]), f"the throughput of {name}", needs)

    def _of_level(self, level: Level, names: set[str]) -> Unsettled | None:
        series = self.record.series(level)
        is_of_before = level.is_dirty and not names & self.writing
        ended = not is_of_before or (len(series) > 0 and series[-1] == 0)
        # One that began at its value in the long run still follows the dirty data, slowly.
        kept = isinstance(level, Held) and level.cache in self.kept
        still = WANDERS if kept else STILL
        if ended and (is_settled(series, level.bound, still) or self._drains(level)):
            return None
        return self._named(level)

    def _needed(self, level: Level) -> float | None:
        """Return the seconds until a level reaches its bound; None if it does not rise."""
        series = self.record.series(level)
        half = len(series) // 2
        if not half or level.bound is None or series[-1] <= series[-half]:
            return None
        pace = (series[-1] - series[-half]) / (half * self.record.step)
        return float(self.system.now + (level.bound - series[-1]) / pace) / NS_PER_S


def pilot_of(slots: int, share: float) -> int:
    """I/Os after which a load with so many outstanding can be judged.

    ``share`` is that of the usual number which is enough, 1 or less: large I/Os are thousands of
    commands, so a few of each slot tell as much.
    """
    return round(max(PILOT_PER_OUTSTANDING * share, LEAST_PER_OUTSTANDING) * slots)


def has_begun(series: NDArray[np.float64]) -> bool:
    """Return whether a throughput is steady, or drifts by less than anybody asks for."""
    return mser5(series).ok or (len(series) >= LEAST_READ and is_still(series))


def is_settled(series: NDArray[np.float64], bound: float | None, still: float = STILL) -> bool:
    """Return whether a level has reached its bound, or a constant value apart from chance.

    ``still`` is the share of itself by which a constant level may change.
    """
    quarter = len(series) // 4
    if quarter == 0:
        return False
    if bound is not None and series[-1] >= levels.FULL * bound:
        return True
    if is_still(series, still) or (mser5(series).ok and not climbs(series)):
        return True
    if len(series) < LEAST_READ:
        return False  # too short to tell
    change, chance = difference(series[-2 * quarter : -quarter], series[-quarter:])
    return abs(change) <= min(chance, WANDERS * abs(float(series[-quarter:].mean())))


def climbs(series: NDArray[np.float64]) -> bool:
    """Return whether each quarter of a series is higher than the last one, beyond chance.

    Of a steady rise MSER-5 takes the end for steady where chance makes a few readings equal.
    """
    quarter = len(series) // 4
    if len(series) < LEAST_READ:
        return False
    quarters = np.split(series[-4 * quarter :], 4)
    halves = np.split(series[-4 * quarter :], 2)
    means = [float(part.mean()) for part in quarters]
    if means != sorted(means):
        return False
    changes = (difference(*quarters[2:]), difference(*halves))
    return any(change > chance for change, chance in changes)


def is_still(series: NDArray[np.float64], share: float = STILL) -> bool:
    """Return whether the last two quarters of a series have the same mean, within a share."""
    quarter = len(series) // 4
    before, last = series[-2 * quarter : -quarter].mean(), series[-quarter:].mean()
    return bool(abs(last - before) <= share * abs(last))


def goes_on(series: NDArray[np.float64], bound: float) -> bool:
    """Return whether a level rises to a bound that is far, and hardly slower than it did."""
    third = len(series) // 3
    if third == 0 or series[-1] >= NEARLY * bound:
        return False
    first, second, last = (float(part.mean()) for part in np.split(series[-3 * third :], 3))
    return last - second >= NEARLY * (second - first) > 0


def moves(series: NDArray[np.float64], bound: float, least: float = math.inf) -> bool:
    """Return whether a level that is below its bound is somewhere else than it was.

    ``least`` is how much of a rise matters, however little it is of the bound. Small caches go up
    and down by a quarter of their size, about where they stay. What fills them moves all the way,
    and its batches differ little from what a third of the way is.
    """
    third = len(series) // 3
    if third == 0:
        return False
    ends = series[:third], series[-third:]
    before, last = (float(end.mean()) for end in ends)
    much = min(MOVED * bound, least) if last > before else MOVED * bound
    nearly_all = least == math.inf and last >= levels.FULL * bound and before >= NEARLY * bound
    if nearly_all or abs(last - before) <= much:
        return False
    if third < 2 * BATCHES:
        return True  # too short to tell
    change, chance = difference(*ends)
    return abs(change) > chance


def rises(series: NDArray[np.float64]) -> bool:
    """Return whether a level is higher at the end than chance alone would have it."""
    third = len(series) // 3
    if third < 2 * BATCHES:
        return False
    change, chance = difference(series[:third], series[-third:])
    return change > chance


def difference(before: NDArray[np.float64], last: NDArray[np.float64]) -> tuple[float, float]:
    """By how much the mean of the last readings is above that before, and what chance may do."""
    variances = [float(batch_means(end, BATCHES).var(ddof=1)) for end in (before, last)]
    return float(last.mean() - before.mean()), CHANCE * math.sqrt(sum(variances) / BATCHES)


def batch_means(series: NDArray[np.float64], batches: int) -> NDArray[np.float64]:
    """Means of so many equal parts of a series, as far as it goes on from its end."""
    size = len(series) // batches
    found: NDArray[np.float64] = series[-size * batches :].reshape(batches, size).mean(axis=1)
    return found
