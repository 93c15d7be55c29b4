"""Running a scenario: each intensity is measured (`raidsim.session`), and reported.

A scenario with events is followed through them instead, once for each intensity
(`raidsim.course`); in one with machines those boot, and that is measured (`raidsim.control.boot`).

A load that asks for a latency (``within``) is searched: its sweep is climbed up to the first
point that is not within it, and further points halve the step before that one until its ends
are as near to each other as the throughput is to be precise.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

from raidsim import __version__
from raidsim.build import inventory
from raidsim.build.scenario import build
from raidsim.build.system import SaturationError
from raidsim.control.boot import Boot
from raidsim.course import follow
from raidsim.errors import InputError, Problem
from raidsim.falls import with_reasons
from raidsim.kernel import SOURCE_HASH
from raidsim.result import Highest, Point, Result
from raidsim.scenario import LoadSpec, Scenario
from raidsim.session import MS_PER_S, OnPoint, PointProgress, Session
from raidsim.stats import search


def run(scenario: Scenario, *, on_point: OnPoint | None = None) -> Result:
    """Simulate every point of a scenario.

    Raises
    ------
    InputError
        If an open load asks for more than the system can do.
    """
    points: list[Point] = []
    highest = None
    if scenario.searched is None:
        for intensity in range(scenario.points):
            points += run_point(scenario, intensity, on_point)
    else:
        points, highest = _search(scenario, scenario.searched, on_point)
    return Result(
        raidsim=__version__,
        seed=scenario.seed,
        scenario=scenario.resolved(),
        provenance=provenance() | {"cards": cards_hash(scenario)},
        volumes=inventory.volumes(scenario),
        links=inventory.links(scenario),
        power_w=inventory.system_power(scenario),
        points=with_reasons(points),
        highest=highest,
        hybrids=[inventory.hybrid_facts(spec) for spec in scenario.hybrids],
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
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    packages = {name: version(name) for name in ("numba", "numpy", "scipy", "simpy")}
    return packages | {"sources": digest.hexdigest()[:16], "kernel": SOURCE_HASH}


def run_point(scenario: Scenario, intensity: int, on_point: OnPoint | None = None) -> list[Point]:
    """Simulate one intensity: a point for each load."""
    try:
        if scenario.events:
            return follow(scenario, intensity, on_point)
        return _measure_point(scenario, intensity, on_point)
    except SaturationError as error:
        raise _saturated(scenario, intensity, error) from None


def _measure_point(scenario: Scenario, intensity: int, on_point: OnPoint | None) -> list[Point]:
    session = Session(scenario, build(scenario, intensity), intensity, on_point)
    if scenario.machines:
        return _boot(session)
    converged = session.measure()
    return [session.point(load, converged) for load in scenario.loads]


def _boot(session: Session) -> list[Point]:
    """Let machines boot, and say of them and of the loads beside them what was measured."""
    session.finite = True  # from the start to the end of the boot
    boot = Boot(session.scenario, session.machine)
    over = boot.run(session.tell)
    return [*(session.point(load, over) for load in session.scenario.loads), *boot.points()]


def _saturated(scenario: Scenario, intensity: int, error: SaturationError) -> InputError:
    cause = f"saturated at point {intensity + 1}: {error}"
    return InputError([Problem(scenario.path, None, "load.rate", cause, "ask for a lower rate")])


def _search(
    scenario: Scenario, load: LoadSpec, on_point: OnPoint | None
) -> tuple[list[Point], Highest]:
    """Simulate the points that tell the highest intensity of a load within its latency."""
    measured: dict[float, list[Point]] = {}  # a rate that saturates the system has no points

    def is_within(value: float, left: int) -> bool:
        number = len(measured)

        def tell(at: PointProgress) -> None:
            if on_point is not None:
                on_point(replace(at, point_index=number, points=number + 1 + left))

        try:
            measured[value] = _measure_point(scenario.at(load, value), 0, tell)
        except SaturationError as error:
            if not measured:
                raise _saturated(scenario, 0, error) from None
            return False
        return bool(_of(load, measured[value]).within)

    border = search.highest(
        load.sweep,
        is_within,
        whole=load.outstanding is not None,
        resolution=scenario.measure.precision,
    )
    points = [point for value in sorted(measured) for point in measured[value]]
    highest = Highest(
        load.name, (load.within or 0.0) * MS_PER_S, load.within_percentile, border.exceeded
    )
    if border.holds is None:
        return points, highest
    best = _of(load, measured[border.holds])
    return points, replace(
        highest,
        outstanding=best.outstanding,
        rate=best.rate,
        iops=best.iops,
        mbps=best.mbps,
        latency_ms=best.within_ms,
    )


def _of(load: LoadSpec, points: list[Point]) -> Point:
    return next(point for point in points if point.load == load.name)
