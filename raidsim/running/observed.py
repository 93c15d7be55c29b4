"""What is observed of one point: the state of its measurement, and the points of its result.

:mod:`raidsim.running.session` measures, and changes this state. Here it is only read, for the
result.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidsim.control.model import Model
from raidsim.explain.without_effect import without_effect
from raidsim.intervene import window
from raidsim.observe import (
    array_use,
    caching,
    failing,
    figures,
    hybrid_use,
    limits,
    of_loads,
    replayed,
    saturation,
    station_use,
    thermal,
    throttling,
    wear,
)
from raidsim.observe.precision import Precision
from raidsim.observe.settling import MOST_PILOT_SHARE, Filling, Settling, Unsettled, Warmup
from raidsim.result import Counts, DriveUse, Interval, Limit, Point, Replayed
from raidsim.scenario import LoadSpec
from raidsim.scenario.intensity import at, offered, transfers
from raidsim.scenario.replays import plan
from raidsim.units import NS_PER_S

CROWDED = 0.95  # share of a station's time from which an open load settles slowly
SETTLES_SLOWLY = (
    "an open load this close to saturation settles slowly: latencies depend on how long is measured"
)


class Observed:
    """One point, or one group of it, and what is observed of it.

    Parameters
    ----------
    model
        The scenario at this intensity.
    loads
        Those that are measured from the present time on; None for all of the scenario.

    Attributes
    ----------
    finite
        Whether it is measured from a start to an end, so that its series is no steady state.
    explained
        Whether its points say where the time of their I/Os goes: at which stations, and when.
    """

    def __init__(self, model: Model, loads: Sequence[LoadSpec] | None = None) -> None:
        self.scenario = scenario = model.scenario
        self.loads = scenario.loads if loads is None else loads
        self.built = built = model.built
        self.system = built.system
        self.intensity = model.intensity
        self.all_streams = [s for load in self.loads for s in built.streams[load.name]]
        self.begun = self.system.now
        self.done_before = int(self.system.state["completed"])
        self.warmup_ns = 0
        self.warmup_ios = 0
        self.warnings = [str(idle) for idle in without_effect(scenario)]
        self.finite = any(load.has_end for load in self.loads)
        self.explained = True
        self.overflowed = False  # more was under way than can be followed, and that was the end
        self.settling: Settling | None = None
        self.watches: dict[str, replayed.Watch] = {}  # of loads that replay a trace
        self.unsettled: list[Unsettled] = []
        self.overfull: list[Filling] = []  # caches that fill without end
        self.before: dict[str, Counts] = {}  # the account of each load when the window was opened

    def points(self, converged: bool) -> list[Point]:
        """A point for each load."""
        return [self.point(load, converged) for load in self.loads]

    def point(self, load: LoadSpec, converged: bool) -> Point:
        """What was measured of one load."""
        system, volumes = self.system, self.built.volumes
        window.settle_areas(system)
        streams = self.built.streams[load.name]
        rate, megabytes = figures.rates(system, streams)
        used = []
        if self.explained or load.rate is not None:  # a busy station tells of an open load
            used = station_use.uses(system, station_use.stations_of(system, streams)[0])
        fails = failing.why(system, load, streams, self.before.get(load.name))
        unsettled = [] if fails else self._unsettled_of(load)
        latencies, thin = figures.latencies(system, load, streams)
        drives = wear.drives(system, streams)
        warnings = [*self.warnings, *(one.told(self._so_far()) for one in unsettled), *thin]
        warnings += self._of_the_hardware(load, streams, drives)
        account = figures.counts(system, streams)
        trace = self._replayed(load, streams)
        if trace is not None and load.trace is not None:
            warnings += replayed.warnings(load, trace, plan(load.trace).remarks)
        warnings += [fails] if fails else figures.unanswered(load, account)
        throughput = Interval(rate, None, None)
        if not self.finite:
            throughput = self._precision(load).of_rate(rate)
            converged, more = (False, []) if fails else self._has_converged(load, converged)
            converged = converged and not unsettled
            warnings += more
        busiest = limits.limit_of(system, streams, used) if used and not fails else None
        saturated = self._is_saturated(load, streams, throughput)
        if saturated:
            converged = False
            warnings += saturation.warnings(load, latencies, account, self.overfull)
        elif self._is_crowded(load, busiest):
            converged = converged and (self.finite or not self._is_behind(load, throughput))
            warnings.append(SETTLES_SLOWLY)
        within, within_ms = (False, None) if saturated else figures.within(system, load, streams)
        if load.within is not None and within_ms is None and not (saturated or fails):
            warnings.append("not known to be within: too few I/Os took longer than the percentile")
        return Point(
            load=load.name,
            outstanding=at(load.outstanding, self.intensity),
            rate=at(load.rate, self.intensity),
            workers=load.workers,
            iops=throughput,
            mbps=megabytes,
            latency_ms=latencies,
            limited_by=busiest,
            stages=station_use.stages(system, streams) if self.explained else {},
            stations=used if self.explained else [],
            counts=account,
            window_s=figures.span(system) / NS_PER_S,
            warmup_s=self.warmup_ns / NS_PER_S,
            converged=converged,
            warnings=warnings,
            drives=drives,
            controllers=caching.controllers(system, self.scenario, volumes, load.volume),
            hybrids=hybrid_use.hybrids(system, self.scenario, volumes, load.volume),
            arrays=array_use.arrays(system, volumes, load.volume),
            series=thermal.series(system, streams) if self.explained else [],
            within=None if load.within is None else within,
            within_ms=within_ms,
            saturated=saturated,
            trace=trace,
            unsettled=[one.after(self._so_far()) for one in unsettled],
        )

    def _unsettled_of(self, load: LoadSpec) -> list[Unsettled]:
        """What had not settled of a load when its window was opened."""
        return [one for one in self.unsettled if self.warmup_ns and load.name in one.loads]

    def _of_the_hardware(
        self, load: LoadSpec, streams: list[int], drives: Sequence[DriveUse]
    ) -> list[str]:
        """What drives, hybrids and arrays have to say of a measurement."""
        system, volumes = self.system, self.built.volumes
        found = []
        if self.finite or self.scenario.air.start != "warm":
            found += thermal.warnings(drives)
        found += hybrid_use.warnings(system, self.scenario, volumes)
        found += wear.warnings(system, streams)
        found += array_use.warnings(system, self.scenario, volumes, load.volume)
        return found + of_loads.warnings(self.scenario, load)

    def _has_converged(self, load: LoadSpec, converged: bool) -> tuple[bool, list[str]]:
        """Whether a load has converged, and what it leaves open.

        Of several loads that are measured together each has converged on its own.
        """
        precision = self._precision(load)
        converged = converged or precision.is_reached
        found = [] if converged else [precision.why_not]
        passing = thermal.why_not_converged(self.system, self._turning(load))
        volumes = self.built.volumes
        passing += hybrid_use.why_not_converged(self.system, self.scenario, volumes, load.volume)
        return converged and not passing, [*found, *passing, *self._of_the_caches(load)]

    def _replayed(self, load: LoadSpec, streams: list[int]) -> Replayed | None:
        """What became of the trace of a load; None of a load without."""
        if load.trace is None:
            return None
        watch = self.watches.get(load.name)
        return replayed.replayed(self.system, load, streams, watch.stretches() if watch else [])

    def _of_the_caches(self, load: LoadSpec) -> list[str]:
        """Return warnings about caches of a load that affect its figures."""
        if self.settling is None:
            return []
        ios = self._completed() - self.warmup_ios
        return self.settling.draining(load.name) + self.settling.part_of_a_pass(load.name, ios)

    @staticmethod
    def _is_crowded(load: LoadSpec, busiest: Limit | None) -> bool:
        """Whether a station of an open load is nearly always busy."""
        if load.rate is None or busiest is None:
            return False
        of_one = busiest.busiest_utilisation  # of several drives the busiest
        return (busiest.utilisation if of_one is None else of_one) > CROWDED

    def _is_behind(self, load: LoadSpec, throughput: Interval) -> bool:
        """Whether less comes out than is asked for, even at the upper end of the interval."""
        return throughput.high is None or throughput.high < transfers(load, self.intensity)

    def _is_saturated(self, load: LoadSpec, streams: list[int], throughput: Interval) -> bool:
        """Whether an open load asks for more than the system carries, so that its queue grows."""
        if any(load.name in one.loads for one in self.overfull):
            return True
        if load.rate is None:  # of given arrivals many may wait, as long as they can be followed
            return load.outstanding is None and self.overflowed
        behind = self._is_behind(load, throughput)
        asked, before = offered(load, self.intensity), self.before.get(load.name)
        return saturation.is_saturated(self.system, load, streams, asked, before, behind=behind)

    def _completed(self) -> int:
        """I/Os that have completed since it began."""
        return int(self.system.state["completed"]) - self.done_before

    def _so_far(self) -> Warmup:
        """How long the warm-up has been, or was, and how long it may be."""
        measure = self.scenario.measure
        passed, ios = self.warmup_ns, self.warmup_ios
        if passed == 0:
            passed, ios = self.system.now - self.begun, self._completed()
        most = MOST_PILOT_SHARE * measure.max_ios
        return Warmup(passed / NS_PER_S, ios, measure.max_time, most)

    def _turning(self, load: LoadSpec | None = None) -> list[int]:
        """Drives (of a load) that throttle now and then, as rows of temperatures."""
        streams = self.all_streams if load is None else self.built.streams[load.name]
        return throttling.turning(self.system, thermal.drives_under(self.system, streams))

    def _precision(self, load: LoadSpec) -> Precision:
        measure = self.scenario.measure
        return Precision(self.system, measure, load, self.built.streams[load.name])
