"""Following a scenario through its events and boots: warm-up, then phases from event to event.

1. The scenario is built as a SimPy model (`raidsim.control.model`), and warmed up as in a steady
   state (`raidsim.running.session`), with bitmaps and caches as in a system in use. Loads that end
   by themselves begin with the course, and so do all loads beside machines.
2. The clock of the events begins, and all data measured so far is discarded. Machines are switched
   on.
3. At each event, and when a lasting condition ends, a phase ends. The counts of a phase are the
   difference of two tallies. Samples at equal distances make the timeline; when there are too many,
   every second one is removed.
4. The course ends after `measure.duration`, or when all effects of the events have ended and all
   machines are ready.

A scenario whose machines boot without events is followed in the same way. Its result only says when
the machines were ready.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import simpy

from raidsim import units
from raidsim.control.boot import point_of
from raidsim.control.course import Course, Process
from raidsim.control.model import Model
from raidsim.control.operation import Operation
from raidsim.control.warming import warm_drives
from raidsim.observe import caching, figures
from raidsim.observe import tally as tallies
from raidsim.observe.tally import Tally, tally
from raidsim.progress import OnPoint, PointProgress, go_on
from raidsim.result import (
    NO_LOAD,
    ControllerUse,
    Event,
    Interval,
    Latency,
    Moment,
    OperationUse,
    Phase,
    Point,
)
from raidsim.result import Course as CourseResult
from raidsim.running.sampled import about_samples
from raidsim.running.session import Session
from raidsim.scenario import LoadSpec
from raidsim.scenario.events import LoadStart
from raidsim.scenario.intensity import label
from raidsim.system.tables import SaturationError
from raidsim.units import MIB, NS_PER_S

FIRST_STEP = 1e-3  # s between samples of the timeline; doubled as the course goes on
MOST_SAMPLES = 600
FIRST_LEAP = 1e-3  # s of the warm-up between two looks
MOST_GROWTH = 2.0
START = "start"
LOOKS = 16  # at the samples of operations, until the latest end
TOO_LONG = 1.2  # times what is left: a pace that is slow by chance changes no sample
IN_TIME = 0.8  # of the time that is left: inner tracks take longer


@dataclass(frozen=True)
class _Sample:
    """The state at a moment of the timeline, with the tally of each load so far."""

    time: float
    loads: dict[str, Tally]
    temperature: dict[str, float]
    dirty: dict[str, int]
    progress: dict[str, float]


@dataclass(frozen=True)
class _Stretch:
    """A phase that is over: for each load, what stood at its ends, and its latencies."""

    name: str
    start: float
    end: float
    health: dict[str, str]
    loads: dict[str, tuple[Tally, Tally, dict[str, Latency | None]]]


def _between(before: Tally, after: Tally) -> tuple[Tally, Tally, dict[str, Latency | None]]:
    """Return the part of two tallies that a phase keeps, because histograms are large."""
    found = tallies.latencies(before, after)
    return replace(before, histograms=None), replace(after, histograms=None), found


class CourseSession(Session):
    """One course under way."""

    def __init__(self, model: Model, on_point: OnPoint | None) -> None:
        super().__init__(model, on_point)
        self.model = model
        self.env = model.env
        self.finite = True
        self.course = Course(model, self._before, self._after)
        self.events: list[Event] = []
        self.stretches: list[_Stretch] = []
        self.samples: list[_Sample] = []
        self.step = FIRST_STEP
        self.name: list[str] = []
        self.opened: dict[str, Tally] = {}
        self.health: dict[str, str] = {}
        self.since = 0.0
        self.left: list[str] = []  # what was under way at the end, in words

    # -- measuring --------------------------------------------------------------------------

    def measure(self) -> bool:
        """Warm up, and follow the course; whether all that belongs to it came to its end."""
        scenario = self.scenario
        if scenario.air.start == "warm":
            warm_drives(self.system, self.scenario, self.intensity)
        late = {event.load for event in scenario.events if isinstance(event, LoadStart)}
        at_once = [load for load in scenario.loads if load.name not in late]
        for load in at_once:
            self.model.start(load.name)
        self._note_streams()
        if not scenario.machines:
            if any(load.has_end for load in at_once):
                self.warnings.append("measured from the start: the load has an end")
            elif at_once:
                self._set_bits()
                self._keep_lines()
                self._warm_up()
                self.settling = None  # what moves from now on, events may move
        self.env.reset_window()
        self._open(START)
        over = self.course.begin()
        self.env.process(self._look_on(over))
        if self.course.duration is None:
            self.env.process(self._keep_in_time(over))
        self.env.run(over)
        self._before()
        self._sample()
        self._note_streams()
        return self._came_to_its_end()

    def _note_streams(self) -> None:
        names = [load.name for load in self.scenario.loads]
        self.built.streams.update((name, self._streams(name)) for name in names)
        self.all_streams = [s for streams in self.built.streams.values() for s in streams]

    def _run(self, ios: int) -> bool:
        """Go on until about so many I/Os in all have completed; False at the time bound."""
        leap, end = FIRST_LEAP, self.horizon / NS_PER_S
        while (before := self._completed()) < ios:
            if self.env.now >= end:
                return False
            until = min(self.env.now + leap, end)
            self._run_until(until)
            self._tell()
            if until >= end:
                return False
            done = self._completed() - before
            wanted = (ios - before - done) / done * leap if done else MOST_GROWTH * leap
            leap = max(min(wanted, MOST_GROWTH * leap), FIRST_LEAP)
        return True

    def _run_until(self, end: float) -> None:
        """Go on to a time, in s, with the readings that are due before it."""
        while self.settling is not None and (due := self.settling.record.due / NS_PER_S) < end:
            if due > self.env.now:
                self.env.run(due)
                self.env.sync()
            self.settling.record.take()
        self.env.run(end)
        self.env.sync()

    def _came_to_its_end(self) -> bool:
        measure = self.scenario.measure
        left = [one for one in self.model.operations() if not one.is_over]
        boot = self.model.boot
        if self.course.duration is None and self.env.now - self.course.origin >= measure.max_time:
            self.warnings.append(f"stopped at {measure.max_time:g} s (measure.max_time)")
        self.left = [f"{one.title} was under way at the end" for one in left]
        self.warnings += self.left
        self.warnings += about_samples(self.model, self.course)
        return not left and boot.ready == boot.total

    def _keep_in_time(self, over: simpy.Event) -> Process:
        """Make samples of operations smaller that would not end before the run does.

        Not where sectors cannot be read: each takes seconds, which say nothing of other rows, and
        a patrol and a rebuild have to meet the same ones.
        """
        most = self.scenario.measure.max_time
        while True:
            yield self.env.timeout(most / LOOKS) | over
            if over.triggered:
                return
            if self.system.state["defects"]:
                continue
            left = self.course.origin + most - self.env.now
            for one in self.model.operations():
                too_long = left if one.is_thinned else TOO_LONG * left
                if one.simulated_seconds_to_come > too_long:
                    one.fit_into(IN_TIME * left)
                one.look()

    def stop_short(self, why: SaturationError) -> None:
        """End the course here: more is under way than can be followed."""
        super().stop_short(why)
        self.left = [f"stopped at {max(self.now, 0.0):g} s: {why}"]
        self.warnings += self.left
        if self.opened:
            self._before()
            self._sample()
        self._note_streams()

    def _is_saturated(self, load: LoadSpec, streams: list[int], throughput: Interval) -> bool:
        """Return whether a load is saturated; events may also leave I/Os waiting at the end."""
        return self.overflowed and super()._is_saturated(load, streams, throughput)

    # -- phases -------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Time of the events' clock, s."""
        return self.course.now

    def _since_origin(self, time: float) -> float:
        return round(time - self.course.origin, 9)

    def _tallies(self, *, histograms: bool) -> dict[str, Tally]:
        self.env.sync()
        names = [load.name for load in self.scenario.loads]
        names += self.model.boot.groups
        return {
            name: tally(self.env.system, self._streams(name), histograms=histograms)
            for name in names or [NO_LOAD]
        }

    def _streams(self, name: str) -> list[int]:
        return [] if name == NO_LOAD else self.model.streams(name)

    def _open(self, text: str) -> None:
        self.name = [text]
        self.health = self._health()
        self.since = self.env.now
        self.opened = self._tallies(histograms=True)

    def _before(self) -> None:
        """A phase ends, unless it began just now."""
        if self.env.now <= self.since:
            return
        closed = self._tallies(histograms=True)
        loads = {name: _between(self.opened[name], closed[name]) for name in closed}
        start, end = self._since_origin(self.since), self.now
        self.stretches.append(_Stretch("; ".join(self.name), start, end, self.health, loads))
        self.name, self.since, self.opened = [], self.env.now, closed

    def _after(self, kind: str, text: str) -> None:
        """Something has happened: the phase that begins now is called by it."""
        if self.name == [START]:  # at the very beginning
            self.name = []
        self.name.append(text)
        self.health = self._health()
        self.events.append(Event(self.now, kind, text))

    def _health(self) -> dict[str, str]:
        return {name: volume.health for name, volume in self.model.every.items()}

    # -- the timeline -------------------------------------------------------------------------

    def _look_on(self, over: simpy.Event) -> Process:
        """Take a sample at each multiple of the step.

        Where it is known how long the course is, the step is from the beginning what it would come
        to.
        """
        self._sample()
        while (self.course.duration or 0.0) > MOST_SAMPLES * self.step:
            self.step *= 2
        while True:
            number = round(self.now / self.step) + 1
            yield self.env.timeout(self.course.origin + number * self.step - self.env.now) | over
            if over.triggered:
                return
            self._sample()
            self._tell_of_course()
            if len(self.samples) > MOST_SAMPLES:
                self.samples = self.samples[::2]
                self.step *= 2

    def _sample(self) -> None:
        if self.samples and self.samples[-1].time >= self.now:
            return
        loads = self._tallies(histograms=False)
        temperatures = {name: one.temperature for name, one in self.model.every.items()}
        self.samples.append(
            _Sample(
                self.now,
                loads,
                {name: found for name, found in temperatures.items() if found is not None},
                {
                    name: caching.dirty(self.system, controller.ownership.cache)
                    for name, controller in self.model.controllers.items()
                    if controller.card.has("cache.size")
                },
                {one.title: one.progress for one in self.model.operations() if not one.is_over},
            )
        )

    def _tell_of_course(self) -> None:
        """Say how far it is, if anybody still waits for it."""
        go_on()
        if self.on_point is None:
            return
        load = next(iter(self.scenario.loads), None)
        boot = self.model.boot
        fraction = self.now / self._expected()
        if boot.total:
            what = f"{boot.ready} of {boot.total} machines ready"
            fraction = min(fraction, boot.ready / boot.total)
        else:
            what = NO_LOAD if load is None else f"{load.name} {label(load, self.intensity)}"
        done = self._completed()
        self.on_point(
            PointProgress(
                self.intensity,
                self.scenario.points,
                f"{what}, at {units.plain(self.now, 3)} s",
                min(fraction, 0.99),
                done / self.env.now if self.env.now else 0.0,
            )
        )

    def _expected(self) -> float:
        """Return the estimated end of the course, s."""
        measure = self.scenario.measure
        if self.course.duration is not None:
            return self.course.duration
        first = min((event.at for event in self.scenario.events), default=0.0)
        ends = [event.at + event.span for event in self.scenario.events]
        ends += [event.time_s for event in self.events]
        ends += [
            self.now + one.simulated_seconds * (1 / one.progress - 1)
            for one in self.model.operations()
            if not one.is_over and one.progress > 0
        ]
        return min(max(ends, default=0.0) + max(first, FIRST_STEP), measure.max_time)

    # -- reporting ------------------------------------------------------------------------------

    def points(self, converged: bool) -> list[Point]:
        """A point for each load that has run, and for each group of machines."""
        bound = "measure.max_time" if self.course.duration is None else "measure.duration"
        found = [
            self.point(load, converged) for load in self.scenario.loads if self._streams(load.name)
        ]
        for group in self.model.boot.groups.values():
            point = point_of(self.system, group, bound)
            found.append(replace(point, warnings=[*self.warnings, *point.warnings]))
        if not self.scenario.events:
            return found
        found = found or [self._point_without_load(converged)]
        return [
            replace(
                point,
                course=self._course_of(point.load),
                controllers=[self._as_it_is_now(use) for use in point.controllers],
            )
            for point in found
        ]

    def _as_it_is_now(self, use: ControllerUse) -> ControllerUse:
        """The use of a controller with the battery and the write modes that events have left."""
        now = self.model.controllers[use.name].use
        return replace(now, writes={name: now.writes[name] for name in use.writes})

    def _point_without_load(self, in_time: bool) -> Point:
        """Return the point of a course in which no load has run."""
        return Point(
            load=NO_LOAD,
            outstanding=None,
            rate=None,
            workers=0,
            iops=Interval(0.0, None, None),
            mbps=0.0,
            latency_ms={"read": None, "write": None},
            limited_by=None,
            stages={},
            stations=[],
            counts=figures.counts(self.system, []),
            window_s=figures.span(self.system) / NS_PER_S,
            warmup_s=0.0,
            converged=in_time,
            warnings=list(self.warnings),
        )

    def _course_of(self, name: str) -> CourseResult:
        """Return the course: the events, and their effect on one load or group of machines."""
        load = next(iter(self.opened), NO_LOAD) if name == NO_LOAD else name
        return CourseResult(
            events=self.events,
            operations=[self._use_of(one) for one in self.model.operations()],
            phases=[self._phase(one, load) for one in self.stretches],
            timeline=self._timeline(load),
            losses=self.course.losses,
            power_cuts=self.course.power_cuts,
        )

    def _phase(self, stretch: _Stretch, load: str) -> Phase:
        before, after, latencies = stretch.loads[load]
        iops, megabytes = tallies.rates(before, after)
        return Phase(
            name=stretch.name,
            start_s=stretch.start,
            end_s=stretch.end,
            health=stretch.health,
            iops=tallies.interval(
                self.system,
                self._streams(load),
                before.time,
                after.time,
                iops,
                self.scenario.measure.confidence,
            ),
            mbps=megabytes,
            latency_ms=latencies,
            failed=after.failed - before.failed,
            timed_out=after.timed_out - before.timed_out,
        )

    def _timeline(self, load: str) -> list[Moment]:
        found = []
        samples = self.samples
        if len(samples) > 2 and samples[-1].time - samples[-2].time < self.step / 2:
            samples = [*samples[:-2], samples[-1]]
        for before, after in pairwise(samples):
            earlier, later = before.loads[load], after.loads[load]
            iops, megabytes = tallies.rates(earlier, later)
            found.append(
                Moment(
                    time_s=after.time,
                    iops=iops,
                    mbps=megabytes,
                    latency_ms=tallies.mean_latency(earlier, later),
                    temperature_c=after.temperature,
                    dirty=after.dirty,
                    progress=after.progress,
                )
            )
        return found

    def _use_of(self, operation: Operation) -> OperationUse:
        done, seconds = operation.progress, operation.seconds
        return OperationUse(
            kind=operation.kind,
            volume=operation.volume.name,
            drive=operation.drive,
            started_s=self._since_origin(operation.started),
            seconds=operation.seconds_in_all if done > 0 else None,
            simulated_seconds=operation.simulated_seconds,
            progress=done,
            state=operation.state,
            mbps=operation.size * done / seconds / MIB if seconds > 0 else None,
            found=operation.found,
            repaired=operation.repaired,
            punctured=operation.punctured,
            why=operation.why,
        )
