"""Short runs: the figures of a scenario, measured just long enough for a comparison with others.

Runs of the same seed are compared, so chance mostly affects both in the same way.
"""

from __future__ import annotations

from raidsim.running import measure_points
from raidsim.scenario import Scenario
from raidsim.studies.point_figures import Row, row_of

PER_OUTSTANDING = 20
"""I/Os of a short run for each that is outstanding at a time."""

WARM_UP = 200
"""The I/Os that a short run may take in all until its buffers have settled, over those measured.

A cache, or a drive with a large buffer in a draw, answers writes from memory until the memory is
full. A run that ends before this shows drives that are many times too fast.
"""

ANY = 1.0
"""Relative precision that any window reaches: a short run does not go on for a better one."""


def shortened(scenario: Scenario, ios: int) -> Scenario:
    """A scenario whose points measure so many I/Os, or more where many are outstanding.

    Never more than it asks for itself. Loads with an end, events and machines take as long as ever.
    What comes before the window takes as long as buffers and caches do to settle, within bounds.
    """
    measure = scenario.measure
    wanted = min(max(ios, PER_OUTSTANDING * most_outstanding(scenario)), measure.min_ios)
    bounds: dict[str, float] = {"min_ios": wanted, "max_ios": wanted}
    if scenario.searched is None:  # its precision is also how near the border it comes
        most = max(min(WARM_UP * wanted, measure.max_ios), wanted)
        bounds |= {"max_ios": most, "precision": ANY}
    return scenario.model_copy(update={"measure": measure.model_copy(update=bounds)})


def most_outstanding(scenario: Scenario) -> int:
    """The most I/Os that its closed loads have outstanding at a time."""
    return sum(
        load.workers * int(max(load.outstanding)) for load in scenario.loads if load.outstanding
    )


def measured(scenario: Scenario) -> Row:
    """Run a scenario, and keep its figures."""
    points, highest = measure_points(scenario)
    return row_of(points, highest)
