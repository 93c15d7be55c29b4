"""From a need to the designs worth buying, in stages.

1. arithmetic: capacity, redundancy, cost and power of all designs (`raidsim.planning.arithmetic`);
2. bounds: their best possible figures (`raidsim.planning.bounds`);
3. coarse runs of designs that could be on the front (`raidsim.planning.coarse`);
4. exact runs of those near it, and the headroom of each (`raidsim.planning.checked`); for the
   winners they continue until caches have settled;
5. runs with a drive missing, and during a rebuild, for the winners.

If a design fails in a later stage, or is worse than expected, designs that only this one had beaten
are considered again.
"""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from raidsim.errors import InputError, Problem, quote
from raidsim.planning import checked as checks
from raidsim.planning import coarse as field_of
from raidsim.planning import doubt
from raidsim.planning.arithmetic import REBUILD, Arithmetic
from raidsim.planning.choice import HOST, space_of
from raidsim.planning.coarse import Field
from raidsim.planning.design import data_of, scenario_of
from raidsim.planning.front import front, layers, usual
from raidsim.planning.kept import Kept
from raidsim.planning.levers import levers, nearest
from raidsim.planning.need import Need, read_need
from raidsim.planning.outcome import Candidate, Plan, Stage
from raidsim.planning.prices import Prices, read_prices
from raidsim.planning.runs import Measured, Runner
from raidsim.planning.why import why
from raidsim.planning.words import asked_of, remarks_of
from raidsim.planning.work import RUNS, Work, known_aims, number_at
from raidsim.studies.arguments import MOST_RUNS, StudyArguments
from raidsim.workers.engine import OnProgress

EXACT = 48
"""Designs that get exact runs in a round."""

ROUNDS = 40
"""Rounds of exact runs, after what fell was made up for."""

DRAWS = 12
"""Draws of what cards do not know, of each design of the front."""

DRAWN = 8
"""Designs of the front that are drawn, the cheapest ones."""


def plan(
    need: str | PathLike[str] | Need,
    *,
    prices: str | PathLike[str] | Prices | None = None,
    runs: int = RUNS,
    unknowns: int = DRAWS,
    workers: int | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
) -> Plan:
    """Find the designs that meet a need, and that no other design is better than.

    Parameters
    ----------
    need
        The file of a need.
    prices
        A file of prices, in place of that which the need names; without either the aims are
        drives and watts.
    runs
        Coarse runs, at most.
    unknowns
        Draws of what cards do not know, of each of the cheapest designs; 0 for none.
    workers
        Runs at a time; None for one per processor.
    cluster
        Address of the scheduler of a Dask cluster that runs them.
    store
        A file that keeps runs, so that the same plan goes on where it was ended.
    on_progress
        Called whenever a run has ended, with ``done``, ``total`` and ``label``.

    Returns
    -------
    Plan
        The front, the cheapest design first; what fell, and where.

    Raises
    ------
    InputError
        With every problem of the files.
    """
    check = StudyArguments("plan()")
    if not isinstance(prices, Prices):
        check.path("prices", prices)
    check.whole("runs", runs, 1, MOST_RUNS)
    check.whole("unknowns", unknowns, 0, doubt.MOST)
    check.runs_on(store=store, cluster=cluster, progress=on_progress)
    check.raise_if_wrong()
    read = need if isinstance(need, Need) else read_need(_path(need))
    known = prices_of(prices, read)
    if unknowns and not doubt.FEWEST <= unknowns <= doubt.MOST:
        cause = f"{unknowns} is too few draws"
        remedy = f"give {doubt.FEWEST} to {doubt.MOST:,}, or 0 for none"
        raise InputError([Problem(None, None, "unknowns", cause, remedy)])
    kept = Kept(None if store is None else Path(store))
    try:
        work = _begin(read, known, Runner(read, workers, cluster, kept, on_progress), runs)
        for _ in range(ROUNDS):
            if not _round(work):
                break
        _finish(work)
        found = [_candidate(work, number) for number in work.front]
        designs = [work.checked[number].design for number in work.front]
        found, settles = doubt.weigh(found, designs, work.need, work.runner, unknowns, DRAWN)
    finally:
        kept.close()
    return _plan(work, found, settles)


def _path(need: Any) -> str:
    if not isinstance(need, str | PathLike):
        cause = f"{quote(need)} is neither a path nor a need"
        raise InputError([Problem("plan()", None, "need", cause, "give the path of a file")])
    return str(need)


def prices_of(given: str | PathLike[str] | Prices | None, need: Need) -> Prices | None:
    """Return the prices that are given, or those of the need.

    Raises
    ------
    InputError
        Prices are wrong, or a budget is set without any, or in a currency that they do not have.
    """
    budget = need.needed.budget
    path = need.prices if given is None else given
    if path is None:
        if budget is None:
            return None
        cause, remedy = "has no effect without prices", 'add prices = "FILE"'
        raise InputError([Problem(need.path, None, "need.budget", cause, remedy)])
    found = path if isinstance(path, Prices) else read_prices(str(path))
    if budget is not None and found.amount_of(budget) is None:
        cause = f"is in {budget.currency}, and the prices are in {found.currency}"
        remedy = f"write {budget.currency} = ... under [exchange] of {found.path}"
        raise InputError([Problem(need.path, None, "need.budget", cause, remedy)])
    return found


def _begin(need: Need, prices: Prices | None, runner: Runner, most: int) -> Work:
    """Arithmetic and bounds."""
    space = space_of(need, prices)
    arithmetic = Arithmetic(need, space, prices)
    means = [one.within for one in need.latencies if one.percentile is None]
    aims = usual(min(means, default=None), checks.cap_of(need), need.needed.loss)
    with np.errstate(invalid="ignore"):
        found = Field.of(arithmetic, runner, aims)
    return Work(need, space, prices, arithmetic, aims, runner, found, most)


def _round(work: Work) -> bool:
    """Run undecided designs, then those near the front; whether there is more to be done."""
    before = work.runner.count
    work.coarse.search(work.most)
    _spent(work, 2, before)
    before = work.runner.count
    fallen = _exact(work)
    fell, changed = _settle(work)
    fallen |= fell
    _spent(work, 3, before)
    before = work.runner.count
    fallen |= _bad_days(work)
    _spent(work, 4, before)
    work.coarse.reopen(fallen)
    return (bool(fallen) or changed) and work.runner.count > 0


def _spent(work: Work, stage: int, before: int) -> None:
    work.runs[stage] = work.runs.get(stage, 0) + work.runner.count - before


def _exact(work: Work) -> set[int]:
    """Run designs near the front exactly; which of them fall."""
    places = [place for place in work.coarse.passed if number_at(work, place) not in work.fell]
    if not places:
        return set()
    steps = work.aims.steps(np.array([known_aims(work, place) for place in places]))
    near = [places[row] for row in layers(steps, EXACT)]
    near = [place for place in near if number_at(work, place) not in work.exact]
    near, fallen = _rebuilt(work, near)
    designs = [work.space.design(number_at(work, place)) for place in near]
    fallen |= _judged(work, near, checks.exact(designs, work.need, work.runner))
    good = [one for one in designs if one.number not in work.fell]
    ran = [work.exact[one.number] for one in good]
    bounds = np.broadcast_to(work.arithmetic.bounds.rate, work.space.grid)
    most = [float(bounds[np.unravel_index(one.number, work.space.grid)]) for one in good]
    held = checks.headrooms(good, ran, work.need, work.runner, most)
    for design, headroom in zip(good, held, strict=True):
        work.headroom[design.number] = headroom
    return fallen


def _judged(work: Work, places: list[int], ran: list[Measured]) -> set[int]:
    """Keep exact runs of designs under the load; which of them fall."""
    limits, fallen = work.need.limits("healthy"), set()
    for place, measured in zip(places, ran, strict=True):
        number = number_at(work, place)
        work.exact[number] = measured
        over = measured.over(limits)
        if over > 1:
            work.fell[number] = {"rate or latency": over}
            work.fell_in[number] = 3
            fallen.add(place)
    return fallen


def _rebuilt(work: Work, near: list[int]) -> tuple[list[int], set[int]]:
    """Designs whose drives are rebuilt in time under the load, and those whose are not.

    One run of each shows this before the many runs that find its headroom.
    """
    asked = work.need.needed.rebuild
    if asked is None or work.need.needed.rebuild_while == "idle":
        return near, set()
    designs = [work.space.design(number_at(work, place)) for place in near]
    redundant = [one.shape.failures > 0 for one in designs]
    tables = [checks.rebuilding_of(one, work.need) for one in designs if one.shape.failures > 0]
    found = iter(work.runner.run(tables))
    left, fallen = [], set()
    for place, design, is_redundant in zip(near, designs, redundant, strict=True):
        seconds = next(found).rebuild if is_redundant else 0.0
        over = np.inf if seconds is None else seconds / asked
        if over > 1:
            work.fell[design.number] = {REBUILD: float(over)}
            work.fell_in[design.number] = 3
            fallen.add(place)
        else:
            left.append(place)
    return left, fallen


def _settle(work: Work) -> tuple[set[int], bool]:
    """Run winners on until their caches have settled; which fall, and whether others got worse.

    An exact run is over before a large cache is full, and until then the cache takes up what the
    drives do not. Whoever is on the front instead of those that are worse then is run on as well.
    """
    limits = work.need.limits("healthy")
    fallen: set[int] = set()
    changed = False
    while winners := [place for place in _winners(work) if _ended_early(work, place)]:
        designs = [work.space.design(number_at(work, place)) for place in winners]
        before = [known_aims(work, place) for place in winners]
        ran = checks.exact(designs, work.need, work.runner, settled=True)
        fallen |= _judged(work, winners, ran)
        good = [one for one in designs if one.number not in work.fell]
        # The headroom of what does not settle at all stays as short runs have it.
        good = [one for one in good if not work.exact[one.number].unsettled]
        found = [work.exact[one.number] for one in good]
        most = [work.headroom[one.number].factor for one in good]
        held = checks.headrooms(good, found, work.need, work.runner, most, settled=True)
        for design, headroom in zip(good, held, strict=True):
            work.headroom[design.number] = headroom
        for place, aims, measured in zip(winners, before, ran, strict=True):
            steps = work.aims.steps(np.array([aims, known_aims(work, place)]))
            if place not in fallen and (steps[1] > steps[0]).any():
                work.coarse.correct(place, measured, measured.over(limits))
                changed = True
    return fallen, changed


def _ended_early(work: Work, place: int) -> bool:
    """Return whether the exact run of a design did, and no longer one was made."""
    measured = work.exact[number_at(work, place)]
    return measured.ended_early and not measured.late


def _winners(work: Work) -> list[int]:
    """Places of the designs that no other one is better than, by the best runs of each."""
    places = [
        place
        for place in work.coarse.passed
        if number_at(work, place) in work.headroom and number_at(work, place) not in work.fell
    ]
    if not places:
        return []
    steps = work.aims.steps(np.array([known_aims(work, place) for place in places]))
    return [places[row] for row in front(steps)]


def _bad_days(work: Work) -> set[int]:
    """Check winners against every limit; which of them fall."""
    winners = [place for place in _winners(work) if number_at(work, place) not in work.checked]
    designs = [work.space.design(number_at(work, place)) for place in winners]
    days = checks.bad_days(designs, work.need, work.runner)
    fallen = set()
    for place, design, day in zip(winners, designs, days, strict=True):
        measured = work.exact[design.number]
        watts = work.coarse.watts(place, measured)
        found = checks.check(
            design, work.arithmetic, measured, work.headroom[design.number], day, watts
        )
        work.checked[design.number] = found
        if found.lacks:
            work.fell[design.number] = found.lacks
            work.fell_in[design.number] = 4
            fallen.add(place)
    return fallen


def _finish(work: Work) -> None:
    """The front of all that were checked and keep every limit, the cheapest first."""
    good = [one for one in work.checked.values() if not one.lacks]
    if not good:
        return
    aims = np.array([checks.aims(one) for one in good])
    rows = front(work.aims.steps(aims))
    ordered = sorted(rows, key=lambda row: (*aims[row][:2], good[row].design.number))
    work.front = [good[row].design.number for row in ordered]


def _candidate(work: Work, number: int) -> Candidate:
    found = work.checked[number]
    design, need = found.design, work.need
    at = np.unravel_index(number, work.space.grid)
    usable = float(np.broadcast_to(work.space.capacity, work.space.grid)[at]) * design.arrays
    healthy = checks.state_of(found.healthy, need, "healthy")
    assert healthy is not None
    title = f"{need.title}: {design.label}"[:200]
    data = data_of(design, need, title=title)
    return Candidate(
        number=number,
        label=design.label,
        keys=design.keys,
        drives=design.arrays * (design.shape.drives + design.spares),
        last_drives=found.last_drives,
        usable=round(usable),
        rack_units=found.rack_units,
        watts=found.watts,
        cost=found.money,
        healthy=healthy,
        degraded=checks.state_of(found.degraded, need, "degraded"),
        rebuilding=checks.state_of(found.rebuilding, need, "rebuilding"),
        limit=found.healthy.limit,
        utilisation=found.healthy.utilisation,
        headroom=found.headroom,
        more=found.more,
        rebuild=found.rebuild,
        loss=found.loss,
        years=found.years,
        breaks=checks.breaks(need, usable, found.headroom, found.more),
        arrays=found.arrays,
        scenario=scenario_of(data, need),
    )


def _plan(work: Work, found: list[Candidate], settles: str) -> Plan:
    prices = work.prices
    where = None
    if prices is not None:
        name = prices.title or prices.path
        where = f"{name} ({Path(prices.path).name}, {prices.date}): {prices.source}"
    return Plan(
        title=work.need.title,
        path=work.need.path,
        asked=asked_of(work.need, None if prices is None else prices.currency),
        currency=None if prices is None else prices.currency,
        prices=where,
        unpriced=work.arithmetic.costs.unpriced,
        designs=work.space.size,
        funnel=_funnel(work),
        front=found,
        levers=levers(work.arithmetic),
        nearest=None if found else nearest(work),
        settles=settles,
        remarks=remarks_of(work, HOST),
        ask=partial(why, work),
    )


def _funnel(work: Work) -> list[Stage]:
    limits, fallen = work.arithmetic.limits, work.arithmetic.fallen()
    counts = np.bincount((fallen.ravel() + 1).astype(np.int64), minlength=len(limits) + 1)[1:]
    stages, came = [], work.space.size
    for number, name in enumerate(("arithmetic", "bounds")):
        fell = {
            one.name: int(count)
            for one, count in zip(limits, counts, strict=True)
            if one.stage == number and count
        }
        stages.append(Stage(name, came, fell))
        came = stages[-1].left
    state = work.coarse.state
    later = set(work.fell_in)
    # Designs that failed later count there; those beaten in the end count at their present stage.
    failed = int((state == field_of.FELL).sum()) - len(later)
    fell = {
        "rate or latency": failed,
        "no better than another in any aim": int((state == field_of.BEATEN).sum()),
        "not run": int((state == field_of.OPEN).sum()),
    }
    stages.append(_stage(work, "coarse runs", came, fell, 2))
    exact = set(work.exact)
    passed = {number_at(work, place) for place in work.coarse.passed} | later
    fell = _reasons(work, 3)
    beaten = len(passed - exact - later) + len(exact - later - set(work.checked))
    fell["no better than another in any aim"] = beaten
    stages.append(_stage(work, "exact runs, and rebuilds", stages[-1].left, fell, 3))
    fell = _reasons(work, 4)
    beaten = len(set(work.checked) - set(work.fell_in) - set(work.front))
    fell["no better than another in any aim"] = beaten
    stages.append(_stage(work, "with a drive missing", stages[-1].left, fell, 4))
    return stages


def _reasons(work: Work, stage: int) -> dict[str, int]:
    """Return the number of designs that a stage drops, by the limit that each misses most."""
    found: dict[str, int] = {}
    for number, fell_in in work.fell_in.items():
        if fell_in == stage:
            name = max(work.fell[number], key=lambda one: work.fell[number][one])
            found[name] = found.get(name, 0) + 1
    return found


def _stage(work: Work, name: str, came: int, fell: dict[str, int], number: int) -> Stage:
    there = {reason: count for reason, count in fell.items() if count}
    return Stage(name, came, there, work.runs.get(number, 0))
