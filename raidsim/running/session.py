"""The measurement of one point of a scenario: warm-up, window, and account.

1. Warm-up. A pilot runs until every load and every cache has settled (`raidsim.observe.settling`).
   Then all data measured so far is discarded.
2. Window. The run continues until the confidence interval of the throughput is as narrow as
   requested, or until a bound; then the point says that it did not converge.
3. Account. I/Os issued = completed + failed + timed out + in flight. Otherwise the run is refused
   as wrong.

Loads that end by themselves (a limit, given arrivals) are measured from start to end. What results
say of a point is in `raidsim.running.observed`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Protocol

from raidsim.control.model import Model
from raidsim.control.warming import warm_drives
from raidsim.intervene import full_bitmaps, full_caches, window
from raidsim.kernel import tables as t
from raidsim.kernel.heat import TICK
from raidsim.observe import failing, figures, replayed, throttling
from raidsim.observe.settling import (
    LEAST_OF_A_LOAD,
    MOST_PILOT_SHARE,
    Filling,
    Settling,
    Unsettled,
    pilot_of,
)
from raidsim.progress import OnPoint, PointProgress, go_on, so_far
from raidsim.result import FROM_THE_START
from raidsim.running import kept_lines
from raidsim.running.observed import Observed
from raidsim.scenario import LoadSpec
from raidsim.scenario.intensity import label, period_of
from raidsim.scenario.load_spec import share_of_ios
from raidsim.scenario.replays import plan
from raidsim.system.tables import SaturationError
from raidsim.units import NS_PER_S

LEAST_PILOT = 2_000
FIRST_PART = 16  # of a pilot: estimates its length, and so the distance of level readings
GROWTH = 1.5
PROGRESS_STEPS = 200_000  # I/Os between two looks at the bar
LEAST_OF_A_PASS = 0.25
"""Share of a pass of a cache's destages: a window that holds so much goes on until it is whole.

Disks are slower at inner tracks, so the rate of hosts follows the place of destages.
"""
LEAST_OPEN_PASSES = 1.3  # two looks, a pass apart, tell whether a cache fills
PATIENCE = 2.0
"""Times what has passed: a warm-up that would wait longer for a cache to fill has it filled at once
(:mod:`raidsim.intervene.full_caches`), or ends, where that can't be done."""


class Probe(Protocol):
    """What is read off a run now and then."""

    @property
    def due(self) -> int:
        """When it is read next, ns."""

    def take(self) -> None:
        """Read it."""


class Session(Observed):
    """The measurement of one point, or of one group of its loads.

    Parameters
    ----------
    model
        The scenario at this intensity.
    on_point
        Told now and then how far it is.
    loads
        Those that are measured from the present time on; None for all of the scenario.
    """

    def __init__(
        self, model: Model, on_point: OnPoint | None, loads: Sequence[LoadSpec] | None = None
    ) -> None:
        super().__init__(model, loads)
        self.on_point = on_point
        self.horizon = self.begun + round(self.scenario.measure.max_time * NS_PER_S)
        if any(load.trace is not None for load in self.loads):
            self.horizon = t.NEVER  # a trace says itself how long it is
        self.too_much: SaturationError | None = None  # why it was ended, if it was
        self.filler = full_caches.Filler(self.system)
        self.failing = failing.Watch(self.system, {})  # loads, from the warm-up on
        self.ended: set[str] = set()  # loads that failed until they were ended
        self.refilled: set[int] = set()  # caches with the lines that a long run would have left

    def measure(self) -> bool:
        """Warm up and measure; whether every load's precision was reached."""
        if self.begun == 0 and self.scenario.air.start == "warm":
            warm_drives(self.system, self.scenario, self.intensity)
        if self.begun > 0 or self.finite:
            window.reset(self.system)  # earlier writes to the drives do not count as its wear
        for stream in self.all_streams:
            row = self.system.world.streams[stream]
            row["stop_time"] += self.begun if row["stop_time"] < t.NEVER else 0
            self.system.begin(stream)
        if self.finite:
            return self._to_the_end()
        self._set_bits()
        self._keep_lines()
        self._warm_up()
        return self._to_precision()

    def leave(self) -> None:
        """Let the loads issue no more, and wait until all their I/Os are back."""
        left = [stream for stream in self.all_streams if not self.system.are_over([stream])]
        for stream in left:
            self.system.world.streams[stream]["ticket"] = stream
            self.system.stop(stream)
        while True:
            if self.system.state["awaited"]:  # the end of a stream, which was asked for above
                list(self.system.awaited())
            if self.system.are_over(left):
                return
            self.system.run()

    def _run(self, ios: int) -> bool:
        """Go on until so many I/Os in all have completed; False at the time bound."""
        probes = self._probes()
        while (done := self._completed()) < ios:
            more = min(ios - done, PROGRESS_STEPS)
            reason = self._run_and_probe(probes, self.done_before + done + more)
            self._tell()
            if reason in (t.RETURN_HORIZON, t.RETURN_IDLE):
                return False
            if reason == t.RETURN_AWAITED:
                list(self.system.awaited())
                break
        return True

    def _run_and_probe(self, probes: Sequence[Probe], budget: int) -> int:
        """Go on until ``budget`` I/Os have completed in all, and take probes; why it came back."""
        while True:
            due = min((probe.due for probe in probes), default=t.NEVER)
            reason = self.system.run(min(due, self.horizon), budget)
            if reason != t.RETURN_HORIZON or due > self.horizon:
                return reason
            for probe in probes:
                if probe.due == due:
                    probe.take()

    def _probes(self) -> list[Probe]:
        """What is to be read off while it runs."""
        settling = [] if self.settling is None else [self.settling.record]
        return [*settling, *self.watches.values()]

    def _tell(self) -> None:
        """Say how far it is, if anybody still waits for it."""
        go_on()
        if self.on_point is None:
            return
        measure = self.scenario.measure
        done = self._completed()
        fraction = so_far(
            done / max(1.25 * measure.min_ios, 1),
            done / max(measure.max_ios, 1),
            (self.system.now - self.begun) / max(self.horizon - self.begun, 1),
        )
        for load in self.loads:
            if load.trace is not None:
                issued = self.system.world.streams[self.built.streams[load.name]]["issued"]
                fraction = int(issued.sum()) / plan(load.trace).survey.requests
        searched = self.scenario.searched
        load = searched if searched in self.loads and searched else self.loads[0]
        self.on_point(
            PointProgress(
                self.intensity,
                self.scenario.points,
                f"{load.name} {label(load, self.intensity)}",
                min(fraction, 0.99),
                done / ((self.system.now - self.begun) / NS_PER_S) if done else 0.0,
            )
        )

    def _set_bits(self) -> None:
        """Let bitmaps have the bits of an array in use, as soon as it is known how fast it is."""
        if self.begun > 0 or not (self.system.rows("arrays")["bitmap"] != t.NONE).any():
            return
        full_bitmaps.Bits(self.system, self.all_streams).begin(
            lambda: self._run(self._completed() + self._least_pilot())
        )

    def _keep_lines(self) -> None:
        """Fill caches with earlier I/Os, when the share of each load in the I/Os is known."""
        caches = kept_lines.caches(self.system, self.all_streams) if self.begun == 0 else []
        if caches:
            horizon, left = self.horizon, self.horizon - self.system.now
            self.horizon = self.system.now + left // FIRST_PART  # of a slow load fewer I/Os do
            self._run(self._completed() + self._least_pilot())
            self.horizon = horizon
        most = self.scenario.measure.max_ios
        for cache in caches:
            if kept_lines.put(self.system, cache, self.all_streams, most):
                self.refilled.add(cache)

    def _least_pilot(self) -> int:
        """I/Os that tell how fast a system is; fewer of large ones."""
        return max(round(LEAST_PILOT * share_of_ios(self.loads)), LEAST_OF_A_LOAD)

    def _warm_up(self) -> None:
        """Let pilots run, each longer than the last one, until all has settled; open the window.

        Loads of which all I/Os fail are ended. A cache that would fill for too long is filled at
        once, and the warm-up begins anew. At the time bound, what has not settled is kept in
        ``unsettled``, and what fills without end in ``overfull``, for the remarks of the result.
        """
        measure = self.scenario.measure
        slots = sum(int(self.system.world.streams[s]["outstanding"]) for s in self.all_streams)
        share = share_of_ios(self.loads)
        pilot = max(self._least_pilot(), pilot_of(slots, share))
        bound = max(pilot, int(MOST_PILOT_SHARE * measure.max_ios))
        streams = {load.name: self.built.streams[load.name] for load in self.loads}
        shares = {load.name: load.read_share for load in self.loads}
        self.failing = failing.Watch(self.system, streams)
        self.settling = Settling(
            self.system, streams, shares, self.filler.filled, self.refilled, share
        )
        before, begun = self._completed(), self.system.now
        going = self._run(before + pilot // FIRST_PART)
        self.settling.watch_warmup(FIRST_PART * (self.system.now - begun))
        while True:
            going = going and self._run(before + pilot)
            failing_loads = self.failing.found() | self.ended  # they have no rate that could settle
            self._end(failing_loads)
            found = [one for one in self.settling.unsettled() if not one.loads <= failing_loads]
            self.unsettled = [one for one in found if one.matters]
            is_least = pilot >= min(measure.min_ios, bound / GROWTH)
            if not found or not going or pilot >= bound or (is_least and not self.unsettled):
                break
            if is_least:
                passed = (self.system.now - self.begun) / NS_PER_S
                patience = PATIENCE * passed
                soon = min(patience, passed * (bound / pilot - 1.0))  # until there is no more time
                late = (one for one in self.settling.filling() if one.full_in > soon)
                if self._fill([one.cache for one in late]):
                    return self._warm_up()
                if any(one.full_in > patience for one in self._filling()):
                    self.overfull, self.unsettled = self._filling(), []
                    break
                if self._is_beyond(self.unsettled):
                    break
            pilot = min(int(pilot * GROWTH) + 1, bound)
        return self._open_window()

    def _open_window(self) -> None:
        """Take all that was until now for warm-up, and measure from now on."""
        passed = self.system.now - self.begun
        self.horizon += passed - self.warmup_ns
        self.warmup_ns = passed
        self.warmup_ios = self._completed()
        window.reset(self.system)
        streams = self.built.streams
        self.before |= {
            one.name: figures.counts(self.system, streams[one.name])
            for one in self.loads
            if one.name not in self.ended  # the remark on it is about the time before
        }
        if self.settling is not None:
            least = self.scenario.measure.min_ios / max(self.warmup_ios, 1)
            self.settling.watch_window(passed * least)

    def _to_precision(self) -> bool:
        """Measure until every load is as precise as requested; False if it comes to a bound.

        The window opens again if something still moves in it: a load that fails is ended, a cache
        that still fills is filled at once, a level that drifts gets more time.
        """
        measure = self.scenario.measure
        warm = self.scenario.air.start == "warm"
        if warm:
            self._open_at_a_turn()
        start = self._completed()
        all_fail = len(self.failing.found()) == len(self.loads)
        wanted = min(failing.LEAST, measure.min_ios) if all_fail else measure.min_ios
        while True:
            going = self._run(start + wanted) and self._to_the_end_of_a_period()
            self.overfull = self._filling() or self.overfull
            full = self._fill([one.cache for one in self.overfull])
            if self.overfull:
                return False
            if warm and going and not full:
                going = self._over_whole_turns(start + measure.max_ios)
            failing_loads = self.failing.found() | self.ended
            if len(failing_loads) == len(self.loads):
                return False
            if self._end(failing_loads):
                self._open_window()
                start, wanted = self._completed(), measure.min_ios
                continue
            moving = [] if self.settling is None else self.settling.moving()
            if full or self._fill([one.filling for one in moving]):
                self._warm_up()
                start, wanted = self._completed(), measure.min_ios
                continue
            if moving:
                if not going or self._completed() >= measure.max_ios or self._is_beyond(moving):
                    self.unsettled = moving
                    return False
                self._open_window()
                start = self._completed()
            elif all(
                load.name in failing_loads or self._precision(load).is_reached
                for load in self.loads
            ):
                longer = self._of_a_pass(start)
                if not (going and wanted < longer <= measure.max_ios):
                    return True
                wanted = longer
                continue
            elif not going or wanted >= measure.max_ios:
                return False
            wanted = min(int(wanted * GROWTH) + 1, measure.max_ios)

    def _end(self, failing_loads: Set[str]) -> bool:
        """End loads of which all I/Os fail beside others; whether any was under way until now.

        Their I/Os come back at once, so there are a thousand of them for one of a disk.
        """
        new = failing_loads - self.ended
        if self.finite or not new or len(failing_loads) == len(self.loads):
            return False
        for name in sorted(new):
            for stream in self.built.streams[name]:
                self.system.stop(stream)
        self.ended |= new
        return True

    def _filling(self) -> list[Filling]:
        """Caches that fill until open loads wait. A closed load waits for them by itself."""
        loads = {load.name for load in self.loads if load.rate is not None}
        found = [] if self.settling is None else self.settling.filling()
        return [one for one in found if one.loads <= loads]

    def _fill(self, caches: Sequence[int | None]) -> bool:
        """Let caches be full at once, as far as that can be done; whether any was filled."""
        found = self.filler.fill([one for one in caches if one is not None], self.all_streams)
        self.overfull = [] if found else self.overfull
        return found

    def _is_beyond(self, unsettled: Sequence[Unsettled]) -> bool:
        """Return whether something fills for longer than a run may take."""
        return any(one.is_beyond(self._so_far()) for one in unsettled)

    def _of_a_pass(self, start: int) -> int:
        """I/Os of a window in which destages go once over all that is dirty; 0 if one holds that.

        Also 0 if that would take many times as long: a window so short asks for no such precision.
        """
        passes = math.inf if self.settling is None else self.settling.passes()
        wanted = LEAST_OPEN_PASSES if any(load.rate is not None for load in self.loads) else 1.0
        if not LEAST_OF_A_PASS <= passes < wanted:
            return 0
        return math.ceil((self._completed() - start) / passes * wanted)

    def _to_the_end_of_a_period(self) -> bool:
        """End the window with a whole period of the bursts; False at the time bound."""
        period = round(max(map(period_of, self.loads)) * NS_PER_S)
        if period == 0:
            return True
        origin = int(self.system.state["slice_origin"])
        end = origin + -(-(self.system.now - origin) // period) * period
        if end > self.horizon:
            return False
        self.system.run(end)
        self.system.advance_clock(end)
        return True

    def _open_at_a_turn(self) -> None:
        """Let the window begin where a drive that throttles now and then begins to, or ends."""
        for index in self._turning()[:1]:
            if self._run_over_turns(index, 1, t.NEVER):
                self._open_window()

    def _over_whole_turns(self, most: int) -> bool:
        """End the window with a whole period of the throttling; False at a bound."""
        for index in self._turning()[:1]:
            turns = throttling.turns(self.system, index)
            periods = math.ceil(turns / throttling.TURNS_PER_PERIOD)
            wanted = throttling.TURNS_PER_PERIOD * max(periods, throttling.LEAST_PERIODS)
            return self._run_over_turns(index, wanted - turns, most)
        return True

    def _run_over_turns(self, index: int, turns: int, ios: int) -> bool:
        """Go on until a drive throttles otherwise for so many times; False at a bound."""
        while turns > 0:
            end = (self.system.now // TICK + 1) * TICK
            if end > self.horizon or self._completed() >= ios:
                return False
            before = int(self.system.world.heats[index]["state"])
            reason = self.system.run(end, min(self.done_before + ios, t.NEVER))
            if reason == t.RETURN_IDLE:
                return False
            if reason == t.RETURN_AWAITED:
                list(self.system.awaited())
            elif reason == t.RETURN_HORIZON:
                self.system.advance_clock(end)
            turns -= int(self.system.world.heats[index]["state"] != before)
            self._tell()
        return True

    def _to_the_end(self) -> bool:
        """Measure from the start until every load that has an end has come to it."""
        self.warnings.append(FROM_THE_START)
        self.watches = {
            load.name: replayed.Watch(self.system, self.built.streams[load.name])
            for load in self.loads
            if load.trace is not None
        }
        ending = [
            stream
            for load in self.loads
            if load.has_end
            for stream in self.built.streams[load.name]
        ]
        for stream in ending:  # the kernel comes back at each end
            self.system.world.streams[stream]["ticket"] = stream
        going = True
        while going and not self.system.are_over(ending):
            going = self._run(t.NEVER)
        if self.system.are_over(ending):
            return True
        self.warnings.append(f"stopped at {self.scenario.measure.max_time:g} s (measure.max_time)")
        return False

    def stop_short(self, why: SaturationError) -> None:
        """End the measuring here: more is under way than can be followed."""
        self.overflowed = True
        self.too_much = why
