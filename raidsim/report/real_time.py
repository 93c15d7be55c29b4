"""Real time on the axis of a course in which work was sampled.

A rebuild of hours is simulated as a sample of its rows, in seconds or minutes. While it runs under
a constant load, the sample represents many more rows, and each simulated moment represents as much
more real time. The curves do not move; the labels below them are the real time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from raidsim.report.phases import duration
from raidsim.result import Course, Moment, OperationUse

MOVED = 2.0  # K, from which a temperature counts as having moved: that takes its own time
BETWEEN = 12  # ticks at most on a whole axis, besides those where something begins
UNITS = (("h", 3600.0), ("min", 60.0), ("s", 1.0))  # of ticks in between
APART = 0.055  # share of the axis that a tick has for itself


@dataclass(frozen=True)
class Clock:
    """Real times, s, that belong to simulated ones: in between both go evenly.

    Attributes
    ----------
    simulated, real : from the start to the end of the course, where the pace changes.
    """

    simulated: tuple[float, ...]
    real: tuple[float, ...]

    def real_of(self, simulated: float) -> float:
        """The real time, s, at a simulated one."""
        return float(np.interp(simulated, self.simulated, self.real))

    @property
    def sections(self) -> list[tuple[float, float]]:
        """The simulated times from when until when more went by than was simulated."""
        return [
            (self.simulated[n], self.simulated[n + 1])
            for n in range(len(self.simulated) - 1)
            if self.real[n + 1] - self.real[n] > 1.01 * (self.simulated[n + 1] - self.simulated[n])
        ]

    def ticks(self) -> list[tuple[float, str]]:
        """Simulated times of the ticks, with the real ones in words.

        They are where the speed changes, as far as there is room, and in between.
        """
        room = APART * self.simulated[-1]
        knots = list(zip(self.simulated, self.real, strict=True))
        found = [
            (place, duration(value))
            for (place, value), (after, _) in pairwise(knots)
            if after - place > room
        ]
        found.append((knots[-1][0], duration(knots[-1][1])))
        for (start, low), (stop, high) in pairwise(knots):
            if start == 0 or (start, stop) in self.sections:
                name, length = next((one for one in UNITS if high >= 2 * one[1]), UNITS[-1])
                bins = max(round(BETWEEN * (stop - start) / self.simulated[-1]), 1)
                locator = MaxNLocator(bins, steps=[1, 2, 5, 10])
                values = np.asarray(locator.tick_values(low / length, high / length))
                places = np.asarray(np.interp(values * length, (low, high), (start, stop)))
                found += [
                    (float(place), f"{value:g} {name}")
                    for place, value in zip(places, values, strict=True)
                    if start + room < place < stop - room
                ]
        return sorted(found)


def is_steady(scenario: Mapping[str, Any]) -> bool:
    """Return whether the loads of a scenario go on as long as one likes.

    What has an end, such as a boot storm, is not stretched by a rebuild beside it.
    """
    loads = scenario.get("load") or []
    ends = ("limit", "arrivals", "trace")
    return not scenario.get("machine") and not any(load.get(key) for load in loads for key in ends)


def clock_of(course: Course) -> Clock | None:
    """The real times of a course; None if all of it was simulated, or no one pace is right.

    No pace is right for two sampled operations at a time, for events while one goes on, or if
    drives become warmer or cooler.
    """
    found = [one for one in course.operations if _is_sampled(one)]
    if not found or not course.timeline or _temperature_moves(course.timeline):
        return None
    end = course.timeline[-1].time_s
    near = 1e-3 * end
    simulated, real = [0.0], [0.0]
    for one in sorted(found, key=lambda operation: operation.started_s):
        start, stop = one.started_s, one.started_s + one.simulated_seconds
        if one.state != "done" or one.seconds is None or start < simulated[-1] - near:
            return None
        if any(start + near < event.time_s < stop - near for event in course.events):
            return None
        simulated += [start, min(stop, end)]
        real += [real[-1] + start - simulated[-3], real[-1] + start - simulated[-3] + one.seconds]
    simulated.append(end)
    real.append(real[-1] + end - simulated[-2])
    return _of_knots(simulated, real, near)


def _of_knots(simulated: Sequence[float], real: Sequence[float], near: float) -> Clock:
    """A clock without knots that stand on each other."""
    kept = [0]
    for number in range(1, len(simulated)):
        if simulated[number] - simulated[kept[-1]] > near:
            kept.append(number)
        else:
            kept[-1] = number if kept[-1] else 0
    return Clock(tuple(simulated[n] for n in kept), tuple(real[n] for n in kept))


def _is_sampled(one: OperationUse) -> bool:
    return one.seconds is not None and one.simulated_seconds < 0.99 * one.seconds


def _temperature_moves(moments: Sequence[Moment]) -> bool:
    return any(
        max(one.temperature_c[name] for one in moments) - low >= MOVED
        for name, low in moments[0].temperature_c.items()
    )
