"""The precision of a load's measurement: the interval of its throughput, or why it is wide."""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.intervene import window
from raidsim.observe import figures, of_loads
from raidsim.result import Interval
from raidsim.scenario import LoadSpec
from raidsim.scenario.intensity import period_of
from raidsim.scenario.models import Measure
from raidsim.stats.intervals import MeanInterval, mean_interval
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LEAST_PERIODS = 10  # of a burst, in a window
LEAST_OF_A_LOAD = 200  # I/Os in a window, of each of several loads


@dataclass(frozen=True)
class Precision:
    """The precision of the throughput of a load in a window, beside the requested precision.

    Attributes
    ----------
    system : where it is measured.
    asked : the precision, its confidence and the minimum measurement.
    load : whose throughput.
    streams : its streams.
    """

    system: System
    asked: Measure
    load: LoadSpec
    streams: list[int]

    @property
    def is_reached(self) -> bool:
        """Whether the window is long enough, and the interval of the throughput narrow enough."""
        interval = self.interval
        if interval is None or interval.precision is None or interval.mean == 0:
            return False
        if self._ios < self._least:
            return False
        return self._covers_bursts and interval.precision <= self.asked.precision

    @property
    def why_not(self) -> str:
        """Why it is not reached."""
        if not self._covers_bursts:
            periods = figures.span(self.system) / NS_PER_S / period_of(self.load)
            return (
                f"not converged: measured over {periods:.1f} periods of the burst, where"
                f" {LEAST_PERIODS} are needed; raise measure.max_time or measure.max_ios"
            )
        if self._ios < self._least:
            return of_loads.too_few(self.load, self._ios)
        asked = f"{100 * self.asked.precision:.3g} %"
        return f"not converged: the interval is wider than {asked} of the mean"

    @property
    def interval(self) -> MeanInterval | None:
        """The confidence interval of the throughput; None if nothing was measured."""
        series, width = window.series(self.system, self.streams)
        period = period_of(self.load) * NS_PER_S
        if period > width:  # else each slice would depend on its place in the period
            series = window.over_periods(series, width, period)
        if len(series) == 0:
            return None
        return mean_interval(series, self.asked.confidence)

    def of_rate(self, rate: float) -> Interval:
        """The rate of the whole window, with as wide an interval."""
        found = self.interval
        if found is None or found.low is None or found.high is None or found.mean == 0:
            return Interval(rate, None, None)
        # Its series ends with the last whole slice; the relative width holds for the window.
        # Cut at zero after the precision was judged: no rate is less, and none is left out.
        low = max(found.low / found.mean, 0.0)
        return Interval(rate, rate * low, rate * found.high / found.mean)

    @property
    def _ios(self) -> int:
        return int(self.system.world.streams["window_ios"][self.streams].sum())

    @property
    def _least(self) -> int:
        return min(LEAST_OF_A_LOAD, self.asked.min_ios)

    @property
    def _covers_bursts(self) -> bool:
        """Whether the window covers so many periods of the load's bursts that they average out."""
        return figures.span(self.system) >= LEAST_PERIODS * round(period_of(self.load) * NS_PER_S)
