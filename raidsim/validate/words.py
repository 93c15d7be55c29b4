"""Claims and verdicts in words: what terminal, page and documents say alike."""

from __future__ import annotations

import shlex

from raidsim.validate.claims import Claim, Performance
from raidsim.validate.verdict import Verdict


def commands_of(verdict: Verdict) -> list[str]:
    """Return the commands that repeat the runs of a claim; empty if it has none."""
    subject = verdict.claim.subject
    if not isinstance(subject, Performance):
        return []
    return [
        shlex.join(words)
        for one in subject.measurements()
        for words in one.commands(verdict.widened)
    ]


def published_text(claim: Claim) -> str:
    """Return the printed figure as a short text without its unit."""
    if isinstance(claim.published, tuple):
        return f"{claim.published[0]:g} to {claim.published[1]:g}"
    figure = f"{claim.published:.10g}"
    if claim.relation == "shape" and isinstance(claim.subject, Performance):
        return claim.subject.shape.kind if claim.subject.shape is not None else figure
    signs = {"about": "about ", "at_least": "≥ ", "at_most": "≤ ", "order": "> ", "equal": "= "}
    return signs.get(claim.relation, "") + figure


def number_text(value: float | None) -> str:
    """Return a simulated number with about five digits."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 10000 else f"{value:.5g}"


def percent(value: float | None, sign: str = "", *, digits: int = 1) -> str:
    """Return a share as per cent."""
    return "-" if value is None else f"{value * 100:{sign}.{digits}f} %"


def error_text(verdict: Verdict) -> str:
    """Return the error of a claim as text; if the claim does not hold, never "0 %"."""
    error = verdict.error
    if error is None or verdict.holds or abs(error) >= 0.0005:
        return percent(error, "+")
    return f"{error * 100:+.1g} %" if error else "not above"


def role_text(claim: Claim) -> str:
    """Return the role of a claim; one of the catalogue, which is in no statistic, has none."""
    return "catalogue" if claim.kind == "catalogue" else claim.role


UNEXPLAINED = "no explanation yet"
"""Said of a claim that does not hold, and of which no file says why."""

CHANCE = 0.05
"""How often chance may make a difference that is called skill."""


def skill_text(name: str, simulation: int, formula: int, chance: float, claims: int) -> str:
    """Return in words whether the simulation says more than the planning formula.

    Parameters
    ----------
    name
        Of the claims: a document, or all.
    simulation, formula
        Claims for which only the one is right.
    chance
        How often tosses of a coin are as one-sided.
    claims
        All of which the formula speaks.
    """
    apart = (
        f"of {claims} claims {simulation} hold only by simulation and {formula} only by the formula"
    )
    if chance >= CHANCE:
        return f"On {name} the simulation shows no skill: {apart}, which chance does too."
    if simulation > formula:
        return f"On {name} the simulation shows skill: {apart}."
    return f"On {name} the simulation is worse than the formula: {apart}."


def figures_text(verdict: Verdict) -> str:
    """Return the printed and the simulated figure with the error, as one line."""
    claim = verdict.claim
    unit = "" if claim.unit == "1" else f" {claim.unit}"
    here = "simulated" if isinstance(claim.subject, Performance) else "raidsim has"
    number = number_text(verdict.simulated) if verdict.simulated is not None else "nothing"
    text = f"published {published_text(claim)}{unit}, {here} {number}"
    if verdict.error is not None:
        text += f" ({error_text(verdict)}, {percent(claim.tolerance, digits=0)} allowed)"
    if verdict.planned is not None:
        text += f", planning formula {number_text(verdict.planned.value)}"
    if not verdict.is_decided:
        text += f", not decided: the runs are known to ±{percent(verdict.noise)}"
    return text if verdict.converged else f"{text}, not converged"
