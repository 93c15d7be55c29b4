"""The results of a validation, as data and as JSON; `tables` and `page` show them to people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raidsim.validate.claims import CardValue, Claim, ScenarioValue
from raidsim.validate.contradictions import contradictions
from raidsim.validate.standing import standing
from raidsim.validate.summary import AgainstFormula, Row, against_formula, summarize
from raidsim.validate.unknowns import Cover, covers
from raidsim.validate.verdict import Verdict
from raidsim.validate.words import commands_of

SCHEMA = "raidsim.validation/1"


@dataclass(frozen=True)
class ValidationReport:
    """The verdicts in the order of the claims, and what they rest on.

    ``provenance`` holds the versions and the hash of the sources as every result states them;
    it is empty when nothing was simulated. ``draws`` is the number of draws behind the intervals,
    ``untested`` the cards of the scenarios that were asked for which no claim is about.
    """

    verdicts: tuple[Verdict, ...]
    version: str
    provenance: dict[str, str]
    runs: int
    draws: int = 0
    untested: tuple[str, ...] = ()

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
    def comparisons(self) -> list[AgainstFormula]:
        """Simulation against planning formula; none where that speaks of no claim."""
        return against_formula(self.verdicts)

    @property
    def covers(self) -> list[Cover]:
        """The shares inside intervals: of all, by document and by kind; none without draws."""
        return covers(self.verdicts)

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
            "draws": self.draws,
            "untested": list(self.untested),
            "intervals": [cover.to_dict() for cover in self.covers],
            "claims": [claim_dict(verdict) for verdict in self.verdicts],
        }


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
        "interval": None if verdict.spread is None else verdict.spread.to_dict(),
        "plain_error": verdict.plain,
        "standing": standing(verdict),
        "determined": verdict.determined or None,
        "seeds": list(verdict.seeds),
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
