"""From cards to better cards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidsim import cards
from raidsim.calibrate import card_file
from raidsim.calibrate.fit import fit
from raidsim.calibrate.parameters import free_parameters
from raidsim.calibrate.problem import FitProblem, Trial
from raidsim.calibrate.report import CalibrationReport, Fitted, fitted
from raidsim.cards import Card
from raidsim.validate import schema
from raidsim.validate.execute import OnProgress, Simulate, simulate


def calibrate(
    card_name: str,
    jointly: Sequence[str] = (),
    *,
    starts: int = 1,
    write: bool = True,
    on_progress: OnProgress | None = None,
    workers: int | None = None,
    folder: Path | None = None,
    simulate: Simulate = simulate,
) -> CalibrationReport:
    """Fit the calibrated values of a card to the calibration claims about it.

    Parameters
    ----------
    card_name
        Name or path of a card.
    jointly
        Further cards whose calibrated values move at the same time, such as the host's beside
        the drive's.
    starts
        Starting points of the fit; the first is the card as it is.
    write
        Whether to write values, claims and residuals into the cards. Nothing is written that
        would change nothing, and values only move if the cost falls by more than 2 %.
    on_progress
        Called after every run.
    workers
        Threads; None for one per processor.
    folder
        Where the claims are; None for raidsim's own.
    simulate
        What runs a job.

    Raises
    ------
    InputError
        A card or claim is wrong, nothing may be fitted, or a card cannot be written.
    """
    fitting = [cards.load(name) for name in dict.fromkeys((card_name, *jointly))]
    parameters = free_parameters(fitting)
    problem = FitProblem(schema.load(folder), parameters, simulate, workers)
    found = fit(problem, starts=starts, on_progress=on_progress)
    values = fitted(found, parameters)
    written = [
        card.path
        for card in fitting
        if write and _update(card, values, found.after, found.improved)
    ]
    return CalibrationReport(
        cards=tuple(card.name for card in fitting),
        parameters=values,
        before=found.before.verdicts,
        after=found.after.verdicts,
        cost_before=found.before.cost,
        cost_after=found.after.cost,
        settled=found.settled,
        trials=problem.trials,
        written=tuple(written),
    )


def _update(card: Card, values: Sequence[Fitted], after: Trial, improved: bool) -> bool:
    """Write what the fit says about one card; False if its file stays as it is."""
    old = card.path.read_text(encoding="utf-8")
    new = card_file.rewritten(
        old,
        [
            card_file.NewValue(
                one.parameter.name, one.after if improved else one.parameter.written, one.claims
            )
            for one in values
            if one.parameter.card.name == card.name
        ],
        {v.claim.id: v.error for v in after.verdicts if v.error is not None},
    )
    if new == old:
        return False
    card_file.write(card.path, new)
    return True
