"""One self-contained HTML page of a validation: it opens offline and fetches nothing."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from raidsim.validate.picture import errors_svg, figures_svgs, formula_svg
from raidsim.validate.report import ValidationReport
from raidsim.validate.standing import MEANING, STANDINGS, standing
from raidsim.validate.tables import UNEXPLAINED, skill, untested_text
from raidsim.validate.verdict import Verdict
from raidsim.validate.words import (
    commands_of,
    error_text,
    number_text,
    percent,
    published_text,
    role_text,
)


def render(report: ValidationReport) -> str:
    """Return the page; equal reports give equal pages."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    documents = sorted({verdict.claim.document for verdict in report.verdicts})
    summary = report.summary
    return environment.get_template("page.html.j2").render(
        report=report,
        summary=[row for row in summary if row.group == "document and role"],
        totals=[row for group in ("role", "all") for row in summary if row.group == group],
        catalogue=[row for row in summary if (row.group, row.name) == ("kind", "catalogue")],
        comparisons=report.comparisons,
        skill=[skill(one) for one in report.comparisons],
        untested=untested_text(report.untested) if report.untested else None,
        standings=[(name, MEANING[name]) for name in STANDINGS],
        formula=formula_svg(report.verdicts) if report.comparisons else None,
        contradictions=report.contradictions,
        published=published_text,
        documents=[_document(name, report) for name in documents],
    )


def _document(name: str, report: ValidationReport) -> dict[str, object]:
    """What the page says of one document."""
    verdicts = [verdict for verdict in report.verdicts if verdict.claim.document == name]
    has_figures = any(v.claim.counts_in_errors and v.simulated is not None for v in verdicts)
    return {
        "name": name,
        "title": verdicts[0].claim.title,
        "pictures": [*figures_svgs(name, verdicts), errors_svg(name, verdicts)]
        if has_figures
        else [],
        "failed": [_row(verdict) for verdict in report.failed if verdict.claim.document == name],
        "rows": [_row(verdict) for verdict in verdicts],
    }


def _row(verdict: Verdict) -> dict[str, object]:
    claim = verdict.claim
    return {
        "id": claim.id,
        "section": claim.section,
        "relation": claim.relation,
        "role": role_text(claim),
        "published": published_text(claim),
        "simulated": number_text(verdict.simulated),
        "unit": "" if claim.unit == "1" else claim.unit,
        "error": error_text(verdict),
        "tolerance": percent(claim.tolerance, digits=0),
        "formula": "" if verdict.planned is None else number_text(verdict.planned.value),
        "holds": verdict.holds,
        "answer": ("yes" if verdict.holds else "no") if verdict.is_decided else "not decided",
        "standing": MEANING[standing(verdict)],
        "note": claim.note,
        "explanation": claim.explanation or ("" if verdict.holds else UNEXPLAINED),
        "again": f"raidsim validate {claim.id}",
        "commands": commands_of(verdict),
    }
