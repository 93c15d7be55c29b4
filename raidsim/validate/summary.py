"""How much is covered, how much holds, and how large the errors are.

Catalogue claims quote cards; they have a row of their own and enter no other. Errors are those
of figures (value, about, ratio), in absolute value; orders, bounds, ranges, equalities
and shapes only hold or do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from raidsim.validate.claims import Claim, Performance
from raidsim.validate.verdict import Verdict

MANY = 32
"""Outstanding I/Os from which on drives of an array are taken to be busy, as formulas have it."""


@dataclass(frozen=True)
class Row:
    """The claims of one document, role or kind, or all of them.

    Errors are relative and absolute; None where no claim of the group has a figure. ``role`` is
    empty unless the row is that of a document and a role.
    """

    group: str
    name: str
    claims: int
    simulated: int
    hold: int
    figures: int
    median: float | None
    p90: float | None
    worst: float | None
    role: str = ""

    @property
    def coverage(self) -> float:
        """Share of the claims for which the simulation gave a number."""
        return self.simulated / self.claims

    @property
    def share(self) -> float:
        """Share of the claims that hold."""
        return self.hold / self.claims

    def to_dict(self) -> dict[str, str | int | float | None]:
        """Return the row as the JSON shows it."""
        return {
            "group": self.group,
            "name": self.name,
            **({"role": self.role} if self.role else {}),
            "claims": self.claims,
            "coverage": self.coverage,
            "hold": self.hold,
            "share": self.share,
            "figures": self.figures,
            "median_error": self.median,
            "p90_error": self.p90,
            "worst_error": self.worst,
        }


@dataclass(frozen=True)
class Errors:
    """How far one way to predict is right: of so many claims some hold, figures have errors."""

    hold: int
    median: float | None
    p90: float | None
    worst: float | None

    def to_dict(self) -> dict[str, int | float | None]:
        """Return it as the JSON shows it."""
        return {
            "hold": self.hold,
            "median_error": self.median,
            "p90_error": self.p90,
            "worst_error": self.worst,
        }


@dataclass(frozen=True)
class Comparison:
    """Simulation and planning formula over the same claims: those of which the formula speaks."""

    name: str
    claims: int
    figures: int
    simulation: Errors
    formula: Errors

    def to_dict(self) -> dict[str, object]:
        """Return it as the JSON shows it."""
        return {
            "name": self.name,
            "claims": self.claims,
            "figures": self.figures,
            "simulation": self.simulation.to_dict(),
            "formula": self.formula.to_dict(),
        }


def summarize(verdicts: Sequence[Verdict]) -> list[Row]:
    """Return a row for everything, then for each role, document, both of them, and kind."""
    tested = [v for v in verdicts if v.claim.kind != "catalogue"]
    rows = [_row("all", "all claims", tested)] if tested else []
    rows += _rows("role", tested, lambda v: v.claim.role)
    rows += _rows("document", tested, lambda v: v.claim.document)
    for document in sorted({v.claim.document for v in tested}):
        inside = [v for v in tested if v.claim.document == document]
        rows += [
            replace(row, group="document and role", name=document, role=row.name)
            for row in _rows("", inside, lambda v: v.claim.role)
        ]
    return rows + _rows("kind", verdicts, lambda v: v.claim.kind)


def compare(verdicts: Sequence[Verdict]) -> list[Comparison]:
    """Return simulation against planning formula: over everything, then for each document.

    In between stand the claims under many outstanding I/Os alone: those that the formula is about.
    """
    spoken = [v for v in verdicts if v.planned is not None and v.error is not None]
    busy = [v for v in spoken if _is_busy(v.claim)]
    groups = {"all claims": spoken, f"{MANY} outstanding or more": busy}
    groups |= {
        name: [v for v in spoken if v.claim.document == name]
        for name in sorted({v.claim.document for v in spoken})
    }
    return [_comparison(name, group) for name, group in groups.items() if group]


def _is_busy(claim: Claim) -> bool:
    """Whether all its runs go up to many outstanding I/Os."""
    return isinstance(claim.subject, Performance) and all(
        max(at or 0 for at in one.intensities) >= MANY for one in claim.subject.measurements()
    )


def _comparison(name: str, verdicts: Sequence[Verdict]) -> Comparison:
    figures = [v for v in verdicts if v.claim.counts_in_errors]
    simulated = _quantiles([abs(v.error) for v in figures if v.error is not None])
    planned = _quantiles([abs(v.planned.error) for v in figures if v.planned is not None])
    return Comparison(
        name,
        claims=len(verdicts),
        figures=len(figures),
        simulation=Errors(sum(v.holds for v in verdicts), *simulated),
        formula=Errors(sum(v.planned is not None and v.planned.holds for v in verdicts), *planned),
    )


def _rows(group: str, verdicts: Sequence[Verdict], name_of: Callable[[Verdict], str]) -> list[Row]:
    names = sorted({name_of(verdict) for verdict in verdicts})
    return [_row(group, name, [v for v in verdicts if name_of(v) == name]) for name in names]


def _row(group: str, name: str, verdicts: Sequence[Verdict]) -> Row:
    errors = _errors(verdicts)
    median, p90, worst = _quantiles(errors)
    return Row(
        group,
        name,
        claims=len(verdicts),
        simulated=sum(v.simulated is not None for v in verdicts),
        hold=sum(v.holds for v in verdicts),
        figures=len(errors),
        median=median,
        p90=p90,
        worst=worst,
    )


def _errors(verdicts: Sequence[Verdict]) -> list[float]:
    """Return the absolute errors of figures; all figures of one system are one, their median."""
    found: dict[tuple[str, str], list[float]] = {}
    for number, v in enumerate(verdicts):
        if v.claim.counts_in_errors and v.error is not None:
            key = (v.claim.document, v.claim.system or f" {number}")
            found.setdefault(key, []).append(abs(v.error))
    return [float(np.median(errors)) for errors in found.values()]


def _quantiles(errors: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Median, 90th percentile and largest."""
    if not errors:
        return None, None, None
    median, p90, worst = (float(q) for q in np.quantile(errors, (0.5, 0.9, 1.0)))
    return median, p90, worst
