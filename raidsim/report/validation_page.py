"""One self-contained HTML page of a validation: it opens offline and loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raidsim.report.pages import filled
from raidsim.report.validation_plot import LEAST_FIGURES, errors_svg, figures_svgs, formula_svg
from raidsim.report.validation_table import skill, untested_text
from raidsim.validate.report import ValidationReport
from raidsim.validate.standing import MEANING, STANDINGS, standing
from raidsim.validate.verdict import Verdict
from raidsim.validate.words import (
    UNEXPLAINED,
    commands_of,
    error_text,
    number_text,
    percent,
    published_text,
    role_text,
)
from raidsim.workers.engine import MANY, OnProgress, execute


@dataclass(frozen=True)
class _Drawn:
    """A document and its verdicts, of which pictures are drawn."""

    name: str
    verdicts: tuple[Verdict, ...]

    def __str__(self) -> str:
        """Return a short label for a progress bar."""
        return f"pictures of {self.name}"


def _pictures(drawn: _Drawn) -> list[str]:
    """The pictures of a document; none where there are too few figures for one to say more."""
    figures = sum(v.claim.counts_in_errors and v.simulated is not None for v in drawn.verdicts)
    if figures < LEAST_FIGURES:
        return []
    return [
        *figures_svgs(drawn.name, drawn.verdicts),
        errors_svg(drawn.name, drawn.verdicts),
    ]


def render(
    report: ValidationReport, on_progress: OnProgress | None = None, *, processes: bool = False
) -> bytes:
    """Return the page, UTF-8; equal reports give equal pages.

    Parameters
    ----------
    report
        What the page is about.
    on_progress
        Called whenever the pictures of a document are drawn.
    processes
        Draw those of many documents in processes, which start the program anew.
    """
    documents = sorted({verdict.claim.document for verdict in report.verdicts})
    drawn = [
        _Drawn(name, tuple(v for v in report.verdicts if v.claim.document == name))
        for name in documents
    ]
    # Matplotlib keeps its settings for the whole process: no two threads may draw.
    workers = None if processes and len(drawn) >= MANY else 1
    pictures = execute(
        drawn, _pictures, workers=workers, on_progress=on_progress, processes=processes
    )
    summary = report.summary
    return filled(
        "validation_page.html.j2",
        report=report,
        summary=[row for row in summary if row.group == "document and role"],
        origins=[row for row in summary if row.group == "origin and role"],
        totals=[row for group in ("role", "all") for row in summary if row.group == group],
        catalogue=[row for row in summary if (row.group, row.name) == ("kind", "catalogue")],
        comparisons=report.comparisons,
        skill=[skill(one) for one in report.comparisons],
        untested=untested_text(report.untested) if report.untested else None,
        standings=[(name, MEANING[name]) for name in STANDINGS],
        formula=formula_svg(report.verdicts) if report.comparisons else None,
        contradictions=report.contradictions,
        published=published_text,
        percent=percent,
        documents=[
            _document(one, found, report) for one, found in zip(drawn, pictures, strict=True)
        ],
    )


def _document(
    drawn: _Drawn, pictures: Sequence[str], report: ValidationReport
) -> dict[str, object]:
    """Return the part of the page about one document."""
    failed = [verdict for verdict in report.failed if verdict.claim.document == drawn.name]
    return {
        "name": drawn.name,
        "title": drawn.verdicts[0].claim.title,
        "pictures": pictures,
        "failed": [_row(verdict) for verdict in failed],
        "rows": [_row(verdict) for verdict in drawn.verdicts],
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
