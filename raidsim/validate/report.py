"""What a validation found: as tables for the terminal, as JSON and as HTML."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raidsim.validate.claims import CardValue, Claim, Performance, ScenarioValue
from raidsim.validate.contradictions import contradictions
from raidsim.validate.summary import Comparison, Row, compare, summarize
from raidsim.validate.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Group

SCHEMA = "raidsim.validation/1"


@dataclass(frozen=True)
class ValidationReport:
    """The verdicts in the order of the claims, and what they rest on.

    ``provenance`` holds the versions and the hash of the sources as every result states them;
    it is empty when nothing was simulated.
    """

    verdicts: tuple[Verdict, ...]
    version: str
    provenance: dict[str, str]
    runs: int

    @property
    def all_hold(self) -> bool:
        """Whether every claim holds."""
        return all(verdict.holds for verdict in self.verdicts)

    @property
    def failed(self) -> list[Verdict]:
        """The claims that do not hold, the largest error first."""
        failed = [verdict for verdict in self.verdicts if not verdict.holds]
        return sorted(failed, key=lambda v: -abs(v.error if v.error is not None else float("inf")))

    @property
    def summary(self) -> list[Row]:
        """Coverage and errors: all, by role, by document, by both, by kind."""
        return summarize(self.verdicts)

    @property
    def comparisons(self) -> list[Comparison]:
        """Simulation against planning formula; none where that speaks of no claim."""
        return compare(self.verdicts)

    @property
    def contradictions(self) -> list[list[Claim]]:
        """Claims that exclude each other."""
        return contradictions([verdict.claim for verdict in self.verdicts])

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON object as plain dicts, lists and numbers."""
        return {
            "schema": SCHEMA,
            "raidsim": self.version,
            "provenance": dict(self.provenance),
            "runs": self.runs,
            "summary": [row.to_dict() for row in self.summary],
            "planning": [one.to_dict() for one in self.comparisons],
            "contradictions": [[claim.id for claim in group] for group in self.contradictions],
            "claims": [claim_dict(verdict) for verdict in self.verdicts],
        }

    def to_html(self) -> str:
        """Return one self-contained page: summary, plots, what does not hold, every claim."""
        from raidsim.validate.page import render  # noqa: PLC0415  (loads matplotlib)

        return render(self)

    def __rich__(self) -> Group:
        """Return what the terminal shows."""
        from raidsim.validate.tables import everything  # noqa: PLC0415  (loads Rich)

        return everything(self)


def claim_dict(verdict: Verdict) -> dict[str, Any]:
    """Return one claim as the JSON lists it."""
    claim = verdict.claim
    listed: dict[str, Any] = {
        "id": claim.id,
        "document": claim.document,
        "section": claim.section,
        "relation": claim.relation,
        "role": claim.role,
        "kind": claim.kind,
        "unit": claim.unit,
        "published": list(claim.published)
        if isinstance(claim.published, tuple)
        else claim.published,
        "rounding": claim.rounding,
        "simulated": verdict.simulated,
        "error": verdict.error,
        "tolerance": claim.tolerance,
        "holds": verdict.holds,
        "converged": verdict.converged,
        "noise": verdict.noise,
        "decided": verdict.is_decided,
        "planning": None
        if verdict.planned is None
        else {"value": verdict.planned.value, "error": verdict.planned.error},
        "scenario": None,
        "note": claim.note,
    }
    if claim.explanation:
        listed["explanation"] = claim.explanation
    if isinstance(claim.subject, CardValue):
        return listed | {"card": claim.subject.card, "key": claim.subject.key}
    if isinstance(claim.subject, ScenarioValue):
        return listed | {
            "scenario": claim.subject.scenario,
            "set": list(claim.subject.overrides),
            "metric": claim.subject.fact,
        }
    run = claim.subject.run
    return listed | {
        "scenario": run.scenario,
        "set": list(run.overrides),
        "metric": run.metric,
        "outstanding": [at for at in run.intensities if at is not None],
        "within": None if run.latency is None else run.latency.within,
        "commands": commands_of(verdict),
    }


def commands_of(verdict: Verdict) -> list[str]:
    """Return what to type to see the runs of a claim again; nothing if it has none."""
    subject = verdict.claim.subject
    if not isinstance(subject, Performance):
        return []
    return [
        shlex.join(words)
        for one in subject.measurements()
        for words in one.commands(verdict.widened)
    ]


# ---------------------------------------------------------------- words


def published_text(claim: Claim) -> str:
    """Return what is printed, as one short text without its unit."""
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
    """Return how far off a claim is; of one that does not hold never that it is not off."""
    error = verdict.error
    if error is None or verdict.holds or abs(error) >= 0.0005:
        return percent(error, "+")
    return f"{error * 100:+.1g} %" if error else "not above"


def role_text(claim: Claim) -> str:
    """Return the role of a claim; one of the catalogue, which is in no statistic, has none."""
    return "catalogue" if claim.kind == "catalogue" else claim.role


def figures_text(verdict: Verdict) -> str:
    """Return what is printed, what is simulated and how far off that is, as one line."""
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
