"""One self-contained HTML page of a validation: it opens offline and fetches nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from raidsim.validate.claims import Performance
from raidsim.validate.picture import errors_svg, figures_svg
from raidsim.validate.report import ValidationReport, number_text, percent, published_text
from raidsim.validate.verdict import Verdict


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
    return environment.get_template("page.html.j2").render(
        report=report,
        summary=report.summary,
        failed=[_row(verdict) for verdict in report.failed],
        documents=[
            {
                "name": document,
                "figures": figures_svg(document, report.verdicts),
                "errors": errors_svg(document, report.verdicts),
                "rows": [_row(v) for v in report.verdicts if v.claim.document == document],
            }
            for document in documents
        ],
    )


def _row(verdict: Verdict) -> dict[str, object]:
    claim = verdict.claim
    return {
        "id": claim.id,
        "section": claim.section,
        "relation": claim.relation,
        "role": claim.role if isinstance(claim.subject, Performance) else "catalogue",
        "published": published_text(claim),
        "simulated": number_text(verdict.simulated),
        "unit": "" if claim.unit == "1" else claim.unit,
        "error": percent(verdict.error, "+"),
        "tolerance": percent(claim.tolerance),
        "holds": verdict.holds,
        "note": " ".join(text for text in (claim.note, claim.explanation) if text),
        "commands": [
            shlex.join(words) for one in claim.subject.measurements() for words in one.commands()
        ]
        if isinstance(claim.subject, Performance)
        else [],
    }
