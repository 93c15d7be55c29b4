"""Which measurement of a drive shows one of its values, found by simulation.

The table (:mod:`raidsim.studies.experiments`) has for every value a load that depends on little
else. On some drives this load does not depend on the value either: random reads of 128 KiB with 32
outstanding show the channels of a drive on PCIe, but the link of a drive on SATA. So the load is
simulated with the value at both ends of its drawn range. If the rate changes too little for a
measurement, the usual loads of one drive are tried. The first whose rate changes enough is taken,
or else the one whose rate changes most.
"""

from __future__ import annotations

import math

from raidsim.cards import Card
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.cards.posterior import FIGURE
from raidsim.errors import InputError, TableOverflowError
from raidsim.result.draws import Experiment
from raidsim.scenario import Scenario
from raidsim.studies.experiments import (
    Load,
    drive_alone,
    experiment_for,
    load_for,
    loads_of_a_drive,
)
from raidsim.studies.short import measured, shortened
from raidsim.system.tables import SaturationError
from raidsim.unknowns.values import UnknownValue

CLEAR = 6 * FIGURE
"""Least relative change of a rate between the two ends that a measurement shows clearly: six times
the standard deviation of a measured figure."""

LEAST = 2 * FIGURE
"""Least relative change of a rate that a measurement shows at all."""

BETTER = 1.5
"""How many times as much another load must change to be taken in place of that of the table, which
depends on fewer other values."""

IOS = 2_000
"""I/Os of a short run."""


NOTHING = "measure this load itself: no usual load of one drive depends on it enough to tell"


def measurement_of(scenario: Scenario, card: Card, value: UnknownValue) -> Experiment:
    """Return the measurement that shows a value of a card of a scenario.

    For controllers and hosts it is that of the table.
    """
    load = of_table = load_for(card.kind, value.name)
    if card.kind not in DRIVE_KINDS or value.drawn[0] == value.drawn[1]:
        return experiment_for(card, value.name)
    ends = [card.changed({value.name: round(x) if value.step else x}) for x in value.drawn]
    rates = _rates(scenario, card, ends, of_table)
    least = BETTER * _change(rates)
    if _change(rates) < CLEAR:
        for other in loads_of_a_drive(card.kind):
            if other == of_table:
                continue
            found = _rates(scenario, card, ends, other)
            if _change(found) > max(_change(rates), least):
                load, rates = other, found
            if _change(rates) >= CLEAR:
                break
    if rates is None:
        return experiment_for(card, value.name)
    if _change(rates) < LEAST:
        return Experiment(card.name, value.name, NOTHING, "")
    return experiment_for(card, value.name, load, rates)


def _change(rates: tuple[float, float] | None) -> float:
    """Relative change of the rate between both ends; 0 if a rate is missing."""
    return 0.0 if rates is None else abs(math.log(rates[0] / rates[1]))


def _rates(
    scenario: Scenario, card: Card, ends: list[Card], load: Load
) -> tuple[float, float] | None:
    """I/Os a second of a load on one drive with the card at either end; None if one cannot run."""
    first, second = (_rate(scenario, card, end, load) for end in ends)
    return None if first is None or second is None else (first, second)


def _rate(scenario: Scenario, card: Card, end: Card, load: Load) -> float | None:
    changes: dict[str, object] = {
        "controller": None, "link": None, "hybrid": None, "event": None, "machine": None,
        "volume": [drive_alone(card, load)],
        "load": [load.table(card.integer("capacity.user"))],
        "measure": None,
    }  # fmt: skip
    try:
        alone = scenario.with_(changes)
        volumes = tuple(one.model_copy(update={"card": end}) for one in alone.volumes)
        row = measured(shortened(alone.model_copy(update={"volumes": volumes}), IOS))
    except (InputError, SaturationError, TableOverflowError):
        return None
    return row.points[0].get("iops")
