"""The risk of data loss with unknown values: failure and error rates, times of rebuilds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.errors import InputError
from raidsim.result.draws import Figure
from raidsim.risk import rebuild
from raidsim.risk.assess import Risk, assess, is_simulated
from raidsim.scenario import Scenario
from raidsim.studies.point_figures import Row
from raidsim.studies.unknown import DRAW_SEED, Draw, Drawn, Teller
from raidsim.system.tables import SaturationError
from raidsim.unknowns.draws import Draws
from raidsim.workers.engine import OnProgress, execute

SAMPLE = 2**29
"""Bytes of a drive that the rebuild of a draw samples."""


@dataclass(frozen=True)
class RiskUnknowns:
    """The uncertainty of a volume's risk that comes from unknown values of cards.

    Attributes
    ----------
    volume : its name.
    draws : how many.
    failed : of these, those that could not be run.
    figures : time of a rebuild on an idle array (s), mean time to data loss (years), chances to
        lose any data and the array (shares).
    """

    volume: str
    draws: int
    failed: int
    figures: tuple[Figure, ...]

    def named(self, name: str) -> Figure | None:
        """A figure by its name."""
        return next((one for one in self.figures if one.name == name), None)


def risks_drawn(
    scenario: Scenario,
    risks: Sequence[Risk],
    count: int,
    *,
    on_progress: OnProgress | None = None,
) -> list[RiskUnknowns]:
    """Return the intervals of the risks of a scenario's volumes, from unknown values of cards.

    Parameters
    ----------
    scenario
        Whose volumes.
    risks
        Of its volumes, in their order, as :func:`raidsim.risk.assess.assess_all` finds them.
    count
        Draws.
    on_progress
        As :func:`raidsim.workers.engine.execute` has it.
    """
    draws = Draws(count, DRAW_SEED)
    variants = [Draw(draws.scenario(scenario, number), number) for number in range(count + 1)]
    rows = execute(variants, _row, on_progress=on_progress)
    drawn = Drawn(draws, scenario, tuple(rows))
    teller = Teller.of(drawn)
    failed = sum(isinstance(row, str) for row in rows)
    return [
        RiskUnknowns(
            risk.volume,
            count,
            failed,
            tuple(
                _possible(teller.figure(name, value, drawn, place))
                for name, value in _figures(risk).items()
            ),
        )
        for place, risk in enumerate(risks)
    ]


def _row(one: Draw) -> Row | str:
    scenario = one.scenario
    try:
        found = []
        for volume in scenario.volumes:
            takes = (
                rebuild.simulated(scenario, volume, sample=SAMPLE) if is_simulated(volume) else 0.0
            )
            found.append(_figures(assess(scenario, volume, seconds=takes, lifetimes=1)))
    except (InputError, SaturationError) as error:
        if one.number == 0:
            raise
        return str(error)
    return Row(tuple(found), ())


def _figures(risk: Risk) -> dict[str, float]:
    found = {
        "rebuild": risk.rebuild,
        "mttdl": risk.mttdl_years,
        "loss of any data": risk.any,
        "loss of the array": risk.array,
    }
    return {name: value for name, value in found.items() if 0 < value < math.inf}


def _possible(figure: Figure) -> Figure:
    """A chance of more than one is one."""
    if figure.unit != "share" or figure.high is None or figure.low is None:
        return figure
    return Figure(
        figure.name, figure.unit, figure.value, min(figure.low, 1.0), min(figure.high, 1.0),
        figure.draws, figure.shares,
    )  # fmt: skip
