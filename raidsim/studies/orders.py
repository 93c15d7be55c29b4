"""Two scenarios under the same draws: which is better, and how certain this is.

A card that both use is the same in both, draw by draw. So its unknown values move both alike, and
an order can be certain although neither figure is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from raidsim import units
from raidsim.errors import InputError, Problem
from raidsim.scenario import Scenario
from raidsim.studies.comparison import RatioInDraws
from raidsim.studies.point_figures import is_throughput
from raidsim.studies.unknown import DRAW_SEED, DRAWS, IOS, Drawn, draw, number_of_draws
from raidsim.unknowns import spread
from raidsim.unknowns.compared import left_out_of_ratio


@dataclass(frozen=True)
class Order:
    """The order of two scenarios in one figure of one point.

    Attributes
    ----------
    figure : its name, as in :class:`raidsim.result.draws.Figure`.
    ratio : of the first scenario to the second with the cards as they are.
    low, high : where nine in ten of the draws have that ratio.
    ahead : share of the draws in which it is above 1; a tie counts half.
    draws : that have the figure of both.
    """

    figure: str
    ratio: float
    low: float
    high: float
    ahead: float
    draws: int

    def __str__(self) -> str:
        """Return the order as a line of text."""
        return (
            f"{self.figure}: {units.plain(self.ratio, 3)} times as much"
            f" ({units.plain(self.low, 3)} to {units.plain(self.high, 3)}),"
            f" and more in {100 * self.ahead:.0f} % of {self.draws} draws"
        )


def orders_of(
    one: Scenario,
    other: Scenario,
    *,
    figure: str = "iops",
    unknowns: int = DRAWS,
) -> list[Order]:
    """Return the order of two scenarios at each point, under the same draws of all cards.

    Parameters
    ----------
    one, other
        With as many points.
    figure
        Which figure: "iops", "mbps", "read latency", "read latency p99" and so on.
    unknowns
        How many draws.

    Raises
    ------
    InputError
        The two have different numbers of points, or lack the figure.
    """
    count = number_of_draws(unknowns)
    found = [draw(scenario, count, seed=DRAW_SEED, ios=IOS) for scenario in (one, other)]
    numbers = [len(drawn.first.points) for drawn in found]
    if numbers[0] != numbers[1]:
        cause = f"one has {numbers[0]} points, the other {numbers[1]}"
        raise InputError([Problem("orders_of()", None, "other", cause, "give both the same sweep")])
    return [_order(found[0], found[1], place, figure) for place in range(numbers[0])]


def in_draws(
    one: Drawn,
    place: int,
    other: Drawn,
    other_place: int,
    figure: str,
    ratio: float | None = None,
) -> RatioInDraws | None:
    """The ratio of a figure of two points in the same draws; None where too few have it.

    ``ratio`` is that of the cards as they are; None takes the median of the draws for it.
    """
    pairs = zip(one.figure(place, figure), other.figure(other_place, figure), strict=True)
    ratios = np.array([a / b if a and b else np.nan for a, b in pairs])
    deviation = deviation_of(one, place, other, other_place, figure)
    ends, ahead = spread.ends(ratios), spread.share_ahead(ratios, deviation)
    if ends is None or ahead is None:
        return None
    if deviation:
        middle = float(np.nanmedian(ratios)) if ratio is None else ratio
        ends = spread.widened(middle, ends, deviation)
    return RatioInDraws(*ends, ahead, int(np.isfinite(ratios).sum()))


def deviation_of(one: Drawn, place: int, other: Drawn, other_place: int, figure: str) -> float:
    """Relative standard deviation of the models' error in the ratio of a figure of two points.

    This is the error of the parts that they do not share. It is zero for a throughput that all
    loads of both ask for and get: a system can only be below it, and the draws show this.
    """
    if is_throughput(figure) and _gets_its_rate(one, place) and _gets_its_rate(other, other_place):
        return 0.0
    return left_out_of_ratio(one.scenario, other.scenario)


def _gets_its_rate(drawn: Drawn, place: int) -> bool:
    """Return whether all loads have a given rate, and the rate of a point is carried."""
    scenario = drawn.scenario
    asked = all(load.rate is not None for load in scenario.loads) and not scenario.machines
    return asked and scenario.searched is None and not drawn.first.saturated[place]


def _order(one: Drawn, other: Drawn, place: int, figure: str) -> Order:
    known = [drawn.first.points[place] for drawn in (one, other)]
    if any(figure not in point for point in known):
        there = sorted(set(known[0]) & set(known[1]))
        cause, remedy = f"{figure} is not a figure of both", f"known: {', '.join(there)}"
        raise InputError([Problem("orders_of()", None, "figure", cause, remedy)])
    ratio = known[0][figure] / known[1][figure]
    found = in_draws(one, place, other, place, figure, ratio)
    if found is None:
        cause = f"fewer than {spread.FEWEST} draws have it in both"
        raise InputError([Problem("orders_of()", None, "figure", cause, "ask for more draws")])
    return Order(figure, ratio, found.low, found.high, found.ahead, found.draws)
