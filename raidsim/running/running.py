"""Running a scenario: each intensity is measured (`raidsim.running.session`), and reported.

A scenario with events is followed through them instead, and one with machines through their boot,
once for each intensity (`raidsim.running.course`).

For a load with a latency limit (``within``), the highest intensity within it is searched
(`raidsim.running.highest_load`). If an open load asks for more than the system can sustain, further
points find the sustained rate (`raidsim.running.sustained_rate`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from raidsim.control.model import Model
from raidsim.errors import InputError, Problem, quote
from raidsim.kernel import SOURCE_HASH
from raidsim.observe import inventory
from raidsim.observe.ios import Keeper
from raidsim.progress import OnPoint, PointProgress
from raidsim.result import Highest, Interrupted, Point, Result
from raidsim.running.busy_cores import with_more_workers
from raidsim.running.course import CourseSession
from raidsim.running.falls import with_reasons
from raidsim.running.highest_load import find_highest, find_highest_alone
from raidsim.running.session import Session
from raidsim.running.sustained_rate import SustainedRates
from raidsim.scenario import Scenario
from raidsim.system.tables import SaturationError
from raidsim.unknowns.compared import compared
from raidsim.version import __version__
from raidsim.workers.engine import execute

Progress = OnPoint | bool | None


def run(scenario: Scenario, *, progress: Progress = None) -> Result:
    """Simulate a scenario: every point of its sweeps, or the search that it asks for.

    The same scenario, seed and version give the same result. An open load that asks for more
    than the system carries is marked ``saturated`` in its point, which says what is carried.

    Parameters
    ----------
    scenario
        What is simulated, from :meth:`raidsim.Scenario.read`.
    progress
        True shows a bar on standard error, as the command line does (nothing where that is no
        terminal). A function is called now and then with how far the run is: an object with
        ``point_index`` (from 0), ``points``, ``label`` (a text), ``fraction`` (of this point,
        0 to 1) and ``iops`` (IO/s so far). Points are measured side by side, so it is called from
        several threads, from one at a time. None or False: nothing.

    Returns
    -------
    Result
        Figures of every point, with units in the names of their fields.

    Raises
    ------
    InputError
        If an argument is wrong, if closed loads or machines have more I/Os under way than can
        be followed, or if the computer has too little memory for it.
    Interrupted
        At a KeyboardInterrupt (Ctrl-C), if any point was finished before it: its ``result`` holds
        these.

    Examples
    --------
    >>> scenario = raidsim.Scenario.read("p3700-database")  # doctest: +SKIP
    >>> raidsim.run(scenario.with_("load.outstanding", 32))  # doctest: +SKIP
    """
    given: Any = scenario
    if not isinstance(given, Scenario):
        cause = f"{quote(given)} is not a Scenario"
        remedy = "give raidsim.Scenario.read(...)"
        raise InputError([Problem("run()", None, "scenario", cause, remedy)])
    with telling(progress) as on_point:
        return _run(scenario, on_point)


def run_and_keep(scenario: Scenario, keeper: Keeper[Any], *, progress: Progress = None) -> Result:
    """Simulate a scenario as :func:`run` does, and keep its I/Os one by one.

    The result is the same as without. The entries of ``keeper.found``, in the order of their keys,
    are those of the points. Points that only find the sustained rate are not among them.

    Raises
    ------
    InputError, Interrupted
        As :func:`run` does; the kept data of finished points stays.
    """
    with telling(progress) as on_point:
        return _run(scenario, on_point, keeper)


@contextmanager
def telling(progress: Progress) -> Iterator[OnPoint | None]:
    """Yield the function that gets the progress of a run, while that is shown."""
    given: Any = progress
    if given is None or given is False:
        yield None
    elif given is True:
        from raidsim.report.progress import Bar  # noqa: PLC0415  (the bar of the layer above)

        with Bar() as bar:
            yield bar.on_point
    elif callable(given):
        yield given
    else:
        cause = f"{quote(given)} is neither true nor false, nor a function"
        raise InputError([Problem("run()", None, "progress", cause, "give True, or leave it out")])


def run_for_answer(scenario: Scenario, *, explained: bool = True) -> Result:
    """Simulate a scenario as :func:`run` does, but of a search only what its answer is made of.

    Parameters
    ----------
    scenario
        What is simulated.
    explained
        Whether points also say where the time of their I/Os goes: stations, stages, limits, the
        course of temperatures, and what is said of several points together. An array has
        thousands of stations.

    Raises
    ------
    InputError
        As :func:`run` does.
    """
    return _run(scenario, None, find=find_highest_alone, explained=explained)


def _run(
    scenario: Scenario,
    on_point: OnPoint | None,
    keeper: Keeper[Any] | None = None,
    *,
    find: Callable[..., Highest] = find_highest,
    explained: bool = True,
) -> Result:
    measured: dict[float, list[Point]] = {}  # by intensity, or by the value that was tried
    highest = None
    try:
        if scenario.searched is None:
            _measure_all(scenario, on_point, keeper, measured, explained)
            if _settles(scenario):
                rates = _sustained_rates(scenario, on_point)
                for intensity in range(scenario.points):
                    measured[intensity] = rates.add_to(measured[intensity], intensity)
        else:
            first = partial(_first, keeper=keeper, explained=explained)
            highest = find(scenario, scenario.searched, first, on_point, measured)
            if highest.iops is None and _settles(scenario):  # what is carried at all?
                for value, points in measured.items():
                    tried = scenario.at(scenario.searched, value)
                    measured[value] = _sustained_rates(tried, on_point).add_to(points, 0)
    except KeyboardInterrupt:
        if not measured:
            raise
        raise Interrupted(_result(scenario, measured, interrupted=True)) from None
    return _result(scenario, measured, highest, explained=explained)


def _measure_all(
    scenario: Scenario,
    on_point: OnPoint | None,
    keeper: Keeper[Any] | None,
    measured: dict[float, list[Point]],
    explained: bool,
) -> None:
    """Simulate every intensity, side by side, and put down the points of each as it ends.

    One after the other where I/Os are kept, since they would all be in memory at a time.
    """
    told = None if on_point is None else _one_at_a_time(on_point)

    def simulate(intensity: int) -> list[Point]:
        return run_point(scenario, intensity, told, keeper, intensity, explained=explained)

    execute(
        range(scenario.points),
        simulate,
        workers=None if keeper is None else 1,
        on_row=measured.__setitem__,
    )


def _one_at_a_time(on_point: OnPoint) -> OnPoint:
    """Return a function for the progress of several threads that passes on one at a time."""
    lock = Lock()

    def tell(at: PointProgress) -> None:
        with lock:
            on_point(at)

    return tell


def _result(
    scenario: Scenario,
    measured: Mapping[float, list[Point]],
    highest: Highest | None = None,
    *,
    interrupted: bool = False,
    explained: bool = True,
) -> Result:
    points = [point for value in sorted(measured) for point in measured[value]]
    if explained:
        points = with_more_workers(with_reasons(points), scenario)
    return Result(
        raidsim=__version__,
        seed=scenario.seed,
        scenario=scenario.resolved(),
        provenance=provenance() | {"cards": cards_hash(scenario)},
        volumes=inventory.volumes(scenario),
        links=inventory.links(scenario),
        power_w=inventory.system_power(scenario),
        points=points,
        highest=highest,
        hybrids=[inventory.hybrid_facts(spec) for spec in scenario.hybrids],
        interrupted=interrupted,
        compared=compared(scenario),
    )


def cards_hash(scenario: Scenario) -> str:
    """Hash of all values of the cards that a scenario uses."""
    digest = hashlib.sha256()
    cards = [part.card for part in scenario.controllers]
    cards += [part.card for part in scenario.volumes]
    for card in (scenario.host.card, *cards):
        digest.update(repr((card.name, sorted(card.values.items()))).encode())
    return digest.hexdigest()[:16]


@cache
def provenance() -> dict[str, str]:
    """Versions and the hash of the sources: what a result depends on beside scenario and cards."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    packages = {name: version(name) for name in ("numba", "numpy", "scipy", "simpy")}
    return packages | {"sources": digest.hexdigest()[:16], "kernel": SOURCE_HASH}


def run_point(
    scenario: Scenario,
    intensity: int,
    on_point: OnPoint | None = None,
    keeper: Keeper[Any] | None = None,
    key: float = 0,
    *,
    explained: bool = True,
) -> list[Point]:
    """Simulate one intensity: a point for each load.

    A ``keeper`` keeps the I/Os of the point under the ``key``. ``explained``: see
    :func:`run_for_answer`.
    """
    model = Model(scenario, intensity)
    try:
        return _points_of(model, on_point, keeper, key, explained)
    finally:
        model.env.system.close()


def _points_of(
    model: Model,
    on_point: OnPoint | None,
    keeper: Keeper[Any] | None,
    key: float,
    explained: bool,
) -> list[Point]:
    """Measure the loads of a model, group by group."""
    scenario = model.scenario
    if scenario.events or scenario.machines:
        session: Session = CourseSession(model, on_point)
        session.explained = explained
        return _measured(session, keeper, key)
    points: list[Point] = []
    for number, loads in enumerate(scenario.groups):
        session = Session(model, on_point, loads)
        session.explained = explained
        points += _measured(session, keeper, key)
        if session.too_much is not None:  # the next group would never begin
            break
        if number < len(scenario.groups) - 1:
            session.leave()
    return points


def measure_points(scenario: Scenario) -> tuple[list[Point], Highest | None]:
    """Simulate every point of a scenario, or its search, without a look at what is carried.

    Raises
    ------
    InputError
        As :func:`run` does.
    """
    if scenario.searched is None:
        found = [run_point(scenario, number) for number in range(scenario.points)]
        return [point for points in found for point in points], None
    measured: dict[float, list[Point]] = {}
    highest = find_highest(scenario, scenario.searched, _first, None, measured)
    return [point for value in sorted(measured) for point in measured[value]], highest


def _measured(session: Session, keeper: Keeper[Any] | None, key: float) -> list[Point]:
    """Measure what a session is about: a point for each of its loads."""
    scenario = session.scenario
    if keeper is not None:
        keeper.begin(session.system)
    try:
        converged = session.measure()
    except SaturationError as error:
        converged = False
        session.stop_short(error)
    points = session.points(converged)
    told = scenario.events or any(point.saturated for point in points)
    if session.too_much is not None and not told:
        raise _too_much(scenario, session.intensity, session.too_much)
    if keeper is not None:
        streams = session.built.streams
        loads = {load.name: (streams[load.name], load.workers) for load in session.loads}
        keeper.take(key, session.system, loads)
    return points


def _first(
    scenario: Scenario,
    on_point: OnPoint | None,
    keeper: Keeper[Any] | None = None,
    *,
    explained: bool = True,
) -> list[Point]:
    """Simulate what a search tries: the one intensity of a scenario."""
    searched = scenario.searched
    key = searched.intensities[0] if searched is not None else 0
    return run_point(scenario, 0, on_point, keeper, key, explained=explained)


def _settles(scenario: Scenario) -> bool:
    """Return whether it has a steady state, in which a rate is carried or not."""
    has_end = any(load.has_end for load in scenario.loads)
    return not (scenario.events or scenario.machines or has_end)


def _sustained_rates(scenario: Scenario, on_point: OnPoint | None) -> SustainedRates:
    told = None if on_point is None else _one_at_a_time(on_point)
    return SustainedRates(scenario, partial(_trial, points=scenario.points, on_point=told))


def _trial(
    scenario: Scenario, intensity: int, points: int, on_point: OnPoint | None
) -> list[Point]:
    """Simulate a rate that may be carried; told as the end of the point that it is for."""

    def tell(at: PointProgress) -> None:
        if on_point is not None:
            words = f"what is carried, {at.label}"
            on_point(replace(at, label=words, points=points, fraction=0.99))

    return run_point(scenario, intensity, tell, explained=False)


def _too_much(scenario: Scenario, intensity: int, error: SaturationError) -> InputError:
    cause = f"point {intensity + 1}: {error}"
    remedy = "let fewer I/Os be outstanding"
    if any(load.timeout is not None for load in scenario.loads):
        remedy += (
            ", or raise timeout: what ends by it is issued again, and the drives go on with both"
        )
    return InputError([Problem(scenario.path, None, "load", cause, remedy)])
