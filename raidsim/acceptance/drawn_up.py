"""From a scenario to the figures that a system built from it must reach."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidsim import units
from raidsim.acceptance.expected import Expected, ExpectedFigure, ExpectedJob
from raidsim.acceptance.jobs import (
    COMPARED,
    RUN_S,
    job_files,
    preparation,
    refuse_what_fio_cannot,
    variables_of,
)
from raidsim.acceptance.ranges import COVERED, NO_LIMITS, WANTED, moved, ranges_of
from raidsim.errors import InputError, Problem
from raidsim.fio import values
from raidsim.measured.said import RATE_HELD
from raidsim.progress import OnPoint
from raidsim.result import Point, Result
from raidsim.running import run
from raidsim.scenario import Scenario
from raidsim.studies.point_figures import row_of, sides
from raidsim.studies.unknown import Drawn, Teller, draw
from raidsim.unknowns.compared import left_out
from raidsim.workers.engine import OnProgress

RATE_ONLY = ("iops",)

STRAYED = 3.0
"""Standard deviations by which a Poisson process may be off its rate by chance."""


@dataclass(frozen=True)
class Acceptance:
    """An acceptance as it is drawn up: expectations, and job files by name."""

    expected: Expected
    files: dict[str, str]


def draw_up(
    scenario: Scenario,
    draws: int,
    *,
    on_point: OnPoint | None = None,
    on_progress: OnProgress | None = None,
) -> Acceptance:
    """Say what to measure on a system that was built as a scenario says, and what it must show.

    Parameters
    ----------
    scenario
        The system and its loads; of a load with ``within`` the highest intensity within it.
    draws
        Of what the cards do not know.
    on_point, on_progress
        Told how far the run is, then how far the draws are.

    Raises
    ------
    InputError
        Something in it is no job of fio, or it asks for more than the system carries.
    """
    refuse_what_fio_cannot(scenario)
    fixed = _without_search(scenario, on_point)
    result = run(fixed, progress=on_point)
    _refuse_saturated(fixed, result)
    drawn = draw(fixed, draws, on_progress=on_progress)
    files, remarks = job_files(fixed, result.points)
    prepare, steps = preparation(fixed)
    contents = {file.name: file.text for file in files}
    if prepare is not None:
        contents["prepare.fio"] = prepare
    options = {place: one for file in files for place, one in file.jobs.values()}
    held = [
        list(_held(point, options[place])) if point.rate is not None else []
        for place, point in enumerate(result.points)
    ]
    figures, factor = _figures(result, drawn, held)
    jobs = [
        ExpectedJob(
            name,
            file.name,
            result.points[place].load,
            {key: options[key] for key in COMPARED if key in options},
            figures[place],
            file.capacities[name],
            complete=True,
        )
        for file in files
        for name, (place, options) in file.jobs.items()
    ]
    devices = {variable: volume for volume, variable in variables_of(fixed).items()}
    expected = Expected(
        title=scenario.title,
        draws=draws,
        factor=factor,
        coverage=COVERED,
        devices=devices,
        jobs=jobs,
        remarks=remarks,
        scenario=scenario.resolved(),
        preparation=steps,
    )
    return Acceptance(expected, contents)


def _without_search(scenario: Scenario, on_point: OnPoint | None) -> Scenario:
    """The scenario at the highest intensity within its latency, if it asks for one."""
    searched = scenario.searched
    if searched is None:
        return scenario
    found = run(scenario, progress=on_point).highest
    value = None if found is None else (found.outstanding or found.rate)
    if value is None:
        cause = f"even the lowest load is not within {1e3 * (searched.within or 0):g} ms"
        raise InputError([Problem(scenario.path, None, f"load.{searched.name}", cause)])
    fixed = scenario.at(searched, value)
    free = tuple(
        load.model_copy(update={"within": None, "within_percentile": None}) for load in fixed.loads
    )
    return fixed.model_copy(update={"loads": free})


def _refuse_saturated(scenario: Scenario, result: Result) -> None:
    wrong = []
    for point in result.points:
        if point.saturated:
            carried = (
                ""
                if point.carried is None
                else f"; {units.plain(point.carried.rate, 4)} IO/s are carried"
            )
            asked = units.plain(point.rate or 0.0, 6)
            cause = f"asks for {asked} IO/s, more than the system carries{carried}"
            key = f"load.{point.load}.rate"
            wrong.append(Problem(scenario.path, None, key, cause, "ask for less"))
    if wrong:
        raise InputError(wrong)


def _figures(
    result: Result, drawn: Drawn, held: Sequence[Sequence[ExpectedFigure]]
) -> tuple[list[list[ExpectedFigure]], float]:
    """The figures of each point with their ranges, and by what these were stretched.

    Those of each point begin with the rates that have to be held.
    """
    full = row_of(result.points, None)
    keys = [
        (place, name)
        for place, figures in enumerate(full.points)
        for name in WANTED
        if name in figures and _is_wanted(result.points[place], name)
    ]
    values = [full.points[place][name] for place, name in keys]
    first = drawn.first.points
    arrays = [
        moved(name, value, first[place].get(name), drawn.figure(place, name))
        for value, (place, name) in zip(values, keys, strict=True)
    ]
    deviations = left_out(drawn.scenario)
    told = Teller.of(drawn)
    limits = [
        _limits(name, told.room(name, full.points[place], result.points[place].load))
        for place, name in keys
    ]
    widths = [sides(deviations, name) for _, name in keys]
    ranges, factor = ranges_of(values, arrays, widths, limits)
    found = [list(rates) for rates in held]
    for (place, name), one in zip(keys, ranges, strict=True):
        if one is not None:
            found[place].append(ExpectedFigure(name, WANTED[name], one.value, one.low, one.high))
    return found, factor


def _limits(name: str, room: float | None) -> tuple[float, float]:
    """By how many times a figure may be lower and higher: a rate is higher, a time is shorter."""
    if room is None:
        return NO_LIMITS
    return (math.inf, room) if name == "iops" else (room, math.inf)


def _held(point: Point, options: Mapping[str, str]) -> Iterator[ExpectedFigure]:
    """The rate of an open load, which only has to be held: of all, and of reads and of writes.

    Reads and writes have the rates that the job file asks for, in whole numbers; 0 is no limit.
    """
    seconds = values.seconds(options.get("runtime", str(RUN_S)))
    by_chance = options.get("rate_process") == "poisson"

    def figure(name: str, rate: float) -> ExpectedFigure:
        strayed = STRAYED / math.sqrt(rate * seconds) if by_chance else 0.0
        held = min(RATE_HELD, max(1 - strayed, 0.0))
        most = max(1 / RATE_HELD, 1 + strayed)
        return ExpectedFigure(name, "IO/s", rate, held * rate, most * rate)

    yield figure("iops", (point.rate or 0.0) * point.workers)
    parts = options["rate_iops"].split(",")
    if len(parts) > 1:
        for name, part in zip(("read iops", "write iops"), parts, strict=False):
            if int(part) > 0:
                yield figure(name, float(int(part) * point.workers))


def _is_wanted(point: Point, name: str) -> bool:
    """Return whether a figure is of the system: the rate of an open load is not."""
    return point.rate is None or name not in RATE_ONLY
