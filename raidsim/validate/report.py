"""What a validation found: as tables for the terminal, as JSON and as HTML."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raidsim.validate.claims import CardValue, Claim, Performance, ScenarioValue
from raidsim.validate.summary import Row, summarize
from raidsim.validate.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

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
        """Coverage and errors: all, by role, by document, by kind."""
        return summarize(self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON object as plain dicts, lists and numbers."""
        return {
            "schema": SCHEMA,
            "raidsim": self.version,
            "provenance": dict(self.provenance),
            "runs": self.runs,
            "summary": [row.to_dict() for row in self.summary],
            "claims": [claim_dict(verdict) for verdict in self.verdicts],
        }

    def to_html(self) -> str:
        """Return one self-contained page: summary, plots, what does not hold, every claim."""
        from raidsim.validate.page import render  # noqa: PLC0415  (loads matplotlib)

        return render(self)

    def __rich__(self) -> Group:
        """Return the tables for the terminal."""
        from rich.console import Group  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        causes = [
            Text.assemble((verdict.claim.id, "bold"), f": {verdict.claim.explanation}")
            for verdict in self.failed
            if verdict.claim.explanation
        ]
        return Group(*self.tables(), *causes)

    def tables(self) -> list[Table]:
        """Return the claims that do not hold, if there are any, and the summary."""
        tables = [_summary_table(self.summary)]
        if self.failed:
            tables.insert(0, _claims_table("Claims that do not hold", self.failed))
        return tables

    def claims_table(self) -> Table:
        """Return every claim with its figures."""
        return _claims_table("Claims", self.verdicts)


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
        "commands": [
            shlex.join(words)
            for measurement in claim.subject.measurements()
            for words in measurement.commands()
        ],
    }


# ---------------------------------------------------------------- words and tables


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


def percent(value: float | None, sign: str = "") -> str:
    """Return a share as per cent with one decimal."""
    return "-" if value is None else f"{value * 100:{sign}.1f} %"


def _claims_table(title: str, verdicts: Sequence[Verdict]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=title, title_justify="left")
    table.add_column("claim", overflow="fold")
    for column in ("published", "simulated", "error"):
        table.add_column(column, justify="right")
    for column in ("unit", "role", "holds"):
        table.add_column(column)
    for verdict in verdicts:
        claim = verdict.claim
        table.add_row(
            claim.id,
            published_text(claim),
            number_text(verdict.simulated),
            percent(verdict.error, "+"),
            "" if claim.unit == "1" else claim.unit,
            claim.role,
            ("yes" if verdict.holds else "no") + ("" if verdict.converged else ", not converged"),
        )
    return table


def _summary_table(rows: Sequence[Row]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table(title="Claims and errors of their figures", title_justify="left")
    table.add_column("")
    for column in ("claims", "coverage", "hold", "figures", "median", "90 %", "worst"):
        table.add_column(column, justify="right")
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and before.group != row.group:
            table.add_section()
        table.add_row(
            row.name if row.group == "all" else f"{row.group} {row.name}",
            str(row.claims),
            percent(row.coverage),
            f"{row.hold} ({percent(row.share)})",
            str(row.figures),
            *(percent(error) for error in (row.median, row.p90, row.worst)),
        )
    return table
