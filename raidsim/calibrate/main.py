"""``raidsim calibrate``: fits cards to their claims, and writes the values into their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidsim import cards
from raidsim.calibrate import card_file
from raidsim.calibrate.fit import STARTS, Fit, fit
from raidsim.calibrate.meter import Meter, OnEstimate
from raidsim.calibrate.parameters import Parameter, free_parameters
from raidsim.calibrate.problem import FitProblem, about_card, claims_about
from raidsim.calibrate.report import CalibrationReport, Fitted, fitted, traded
from raidsim.cards import Card
from raidsim.validate import schema
from raidsim.validate.jobs import Simulate, simulate
from raidsim.workers.engine import OnProgress


def calibrate(
    card_name: str,
    jointly: Sequence[str] = (),
    *,
    starts: int = STARTS,
    write: bool = True,
    move: bool = True,
    on_progress: OnProgress | None = None,
    on_estimate: OnEstimate | None = None,
    workers: int | None = None,
    folder: Path | None = None,
    simulate: Simulate = simulate,
) -> CalibrationReport:
    """Fit the calibrated values of a card to the calibration claims about it.

    Parameters
    ----------
    card_name
        Path of a card; or its name, if nothing is written.
    jointly
        Further cards whose calibrated values move at the same time, such as the host's beside
        the drive's.
    starts
        Starting points of the fit; the first is the card as it is.
    write
        Whether to write values, claims, residuals and sensitivities into the cards. Nothing is
        written that would change nothing, and values only move if the cost falls by more than
        a tenth. Whatever ends a fit before its end leaves all cards as they were.
    move
        Whether values may move; if not, only residuals and sensitivities are taken anew.
    on_progress
        Called after every run.
    on_estimate
        Called once, early: how many runs it will take, and how long.
    workers
        Threads; None for one per processor.
    folder
        Where the claims are; None for raidsim's own.
    simulate
        What runs a job.

    Raises
    ------
    InputError
        A card or claim is wrong, nothing may be fitted, or a card cannot be written, or is one
        that comes with raidsim and is given by its name.
    """
    fitting = [cards.load(name) for name in dict.fromkeys((card_name, *jointly))]
    parameters = free_parameters(fitting)
    if write:
        card_file.refuse_named((card_name, *jointly))
        card_file.check(card.path for card in fitting)
    claims = claims_about(schema.load(folder), parameters)
    problem = FitProblem(claims, parameters, simulate, workers)
    found = fit(problem, Meter(on_progress, on_estimate), starts=starts, move=move)
    values = fitted(found, parameters)
    texts = {card.path: _text(card, values, parameters, found) for card in fitting}
    changed = {path: new for path, (old, new) in texts.items() if new != old}
    if write:
        card_file.write(changed)
    return CalibrationReport(
        cards=tuple(card.name for card in fitting),
        parameters=values,
        before=found.before.verdicts,
        after=found.after.verdicts,
        cost_before=found.before.cost,
        cost_after=found.after.cost,
        settled=found.settled,
        runs=problem.runs,
        traded=traded(found, parameters),
        changed=tuple(changed),
        written=tuple(changed) if write else (),
    )


def _text(
    card: Card, values: Sequence[Fitted], parameters: Sequence[Parameter], found: Fit
) -> tuple[str, str]:
    """Return the file of a card as it is, and as the fit says it."""
    old = card.path.read_text(encoding="utf-8")
    new = card_file.rewritten(
        old,
        [
            card_file.NewValue(one.parameter.name, one.after, one.claims, one.sensitivities)
            for one in values
            if one.parameter.card.name == card.name
        ],
        {
            verdict.claim.id: verdict.error
            for verdict in found.after.verdicts
            if verdict.error is not None and about_card(verdict.claim, parameters, card)
        },
    )
    return old, new
