"""Systems side by side: their differences, the size of each, and its certainty.

Every system runs with the same seeds, a run for each, and is compared with the first one run by run
(`paired`). Loads at the same position are compared, and points with the same number outstanding or
the same offered rate. Streams of random numbers depend on the names of loads, so loads of the same
name ask for the same I/Os in all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from raidsim import units
from raidsim.errors import InputError, Problem, quote
from raidsim.result import Result
from raidsim.scenario import Scenario
from raidsim.studies.arguments import StudyArguments
from raidsim.studies.compared_runs import Ask, Compared, Runs
from raidsim.studies.comparison import Comparison, letter
from raidsim.studies.costs import Prices
from raidsim.studies.side_by_side import of_results
from raidsim.studies.store import Store
from raidsim.studies.sweep import at_precision, opened, telling
from raidsim.studies.unknown import number_of_draws
from raidsim.workers.engine import OnProgress

SEEDS = 5
"""Runs of each system where nobody says how many."""

MOST_SEEDS = 1000
LEAST_SHARE, MOST_SHARE = 0.5, 0.9999


def compare(
    *systems: Scenario | Result,
    names: Sequence[str] | None = None,
    seeds: int = SEEDS,
    within: str | None = None,
    percentile: float | None = None,
    unknowns: int | bool = False,
    states: bool = True,
    risk: bool = True,
    prices: Prices | None = None,
    precision: str | None = None,
    store: str | PathLike[str] | Store | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: OnProgress | bool | None = None,
) -> Comparison:
    """Compare systems with the first one: what differs, by how much, and how sure that is.

    Parameters
    ----------
    systems
        Two or more scenarios, or two or more results: these are not run again, and not paired.
    names
        What they are called; else "A", "B" and so on.
    seeds
        Runs of each, all with the same seeds; the interval of a difference rests on them.
    within
        A latency such as "2 ms": the highest load within it is searched for as well.
    percentile
        Share of the I/Os, 0 to 1, that must be within it; None: their mean must be.
    unknowns
        Draws of what cards do not know, the same in all systems: which differences survive that.
        True is 64 of them, False none.
    states
        Whether the hardest point is run degraded and while a drive is rebuilt, too.
    risk
        Whether rebuilds and the risk of losing data are assessed.
    prices
        Of drives, controllers, servers and energy, as ``raidsim.planning.prices.read_prices``
        reads them from a file: what the systems cost, to buy and in five years.
    precision, store, workers, cluster, progress
        As for :func:`raidsim.sweep`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        There are not two systems of one kind, an argument is wrong, or one cannot be run.

    Examples
    --------
    >>> raid5 = raidsim.Scenario.read("raid5-disks")  # doctest: +SKIP
    >>> print(raidsim.compare(raid5, raid5.with_("volume.level", "raid6")))  # doctest: +SKIP
    """
    check = StudyArguments("compare()")
    if names is not None:
        check.several("names", names, "give a text for each system")
    check.whole("seeds", seeds, 1, MOST_SEEDS)
    if within is not None:
        _check_latency(check, within)
    if percentile is not None:
        if within is None:
            check.wrong("percentile", "has no effect without within", "give a latency as well")
        share = check.number("percentile", percentile, 0, 1)
        if 0 <= share <= 1 and not LEAST_SHARE <= share <= MOST_SHARE:
            cause = f"{units.plain(100 * share, 6)} % is out of range"
            check.wrong("percentile", cause, "give 50 % to 99.99 %: 0.5 to 0.9999 in Python")
    check.flag("states", states)
    check.flag("risk", risk)
    if prices is not None and not hasattr(prices, "currency"):
        remedy = "give raidsim.planning.prices.read_prices(...)"
        check.wrong("prices", f"{quote(prices)} holds no prices", remedy)
    check.runs_on(store=store, cluster=cluster, progress=progress)
    check.raise_if_wrong()
    called = _names(systems, names)
    if all(isinstance(one, Result) for one in systems):
        _refuse(within=within, percentile=percentile, unknowns=unknowns or None, prices=prices,
                precision=precision)  # fmt: skip
        return of_results([one for one in systems if isinstance(one, Result)], called)
    scenarios = [at_precision(one, precision) for one in systems if isinstance(one, Scenario)]
    with opened(store) as kept, telling(progress) as on_progress:
        ask = Ask(
            seeds=seeds,
            within=within,
            percentile=percentile,
            draws=number_of_draws(unknowns),
            states=states,
            risk=risk,
            prices=prices,
            store=kept,
            workers=workers,
            cluster=cluster,
            on_progress=on_progress,
        )
        made = [Compared(name, one) for name, one in zip(called, scenarios, strict=True)]
        return Runs(made, ask).comparison()


def _names(systems: Sequence[object], names: Sequence[str] | None) -> list[str]:
    """Return the names of systems, once they are known to be comparable."""
    wrong = []
    if len(systems) < 2:
        wrong.append(Problem("compare()", None, "systems", "fewer than two", "name two or more"))
    for one in systems:
        if not isinstance(one, Scenario | Result):
            cause = f"{quote(one)} is neither a Scenario nor a Result"
            wrong.append(Problem("compare()", None, "systems", cause))
    kinds = {isinstance(one, Result) for one in systems}
    if not wrong and len(kinds) > 1:
        cause = "some are scenarios and some are results"
        wrong.append(Problem("compare()", None, "systems", cause, "give one kind of them"))
    if names is not None and len(names) != len(systems):
        cause = f"{len(names)} names for {len(systems)} systems"
        wrong.append(Problem("compare()", None, "names", cause, "give one for each"))
    if wrong:
        raise InputError(wrong)
    given = list(names) if names is not None else [letter(n) for n in range(len(systems))]
    return [
        name if name not in given[:number] else f"{name} ({given[: number + 1].count(name)})"
        for number, name in enumerate(given)
    ]


def _refuse(**given: object) -> None:
    """Refuse what can't be done with results, which are not run again."""
    cause, remedy = (
        "is about runs, and results are not run again",
        "leave it out, or give scenarios",
    )
    wrong = [Problem("compare()", None, name, cause, remedy)
             for name, value in given.items() if value is not None]  # fmt: skip
    if wrong:
        raise InputError(wrong)


def _check_latency(check: StudyArguments, text: str) -> None:
    try:
        seconds = units.parse(text, "time")
    except units.QuantityError as error:
        check.wrong("within", error.cause, error.remedy)
    else:
        if seconds <= 0:
            check.wrong("within", f"{text} is not a latency")
