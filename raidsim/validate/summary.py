"""The coverage of the claims, the share that holds, and the size of the errors.

Catalogue claims quote cards; they have a separate row and are in no other. Errors are those of
figures (value, about, ratio), in absolute value; orders, bounds, ranges, equalities and shapes only
hold or do not.

Plain errors do not use the rounding of print: they are simulated over published, less 1. They leave
out claims that a publication excludes and claims that are true by construction (`standing`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from raidsim.validate.claims import Claim, Performance, origins
from raidsim.validate.standing import STANDINGS, Standing, standing
from raidsim.validate.verdict import Verdict

MANY = 32
"""Outstanding I/Os from which on drives of an array are taken to be busy, as formulas have it."""


@dataclass(frozen=True)
class Plain:
    """Errors of simulated over published: absolute ones, and the share of figures too high."""

    figures: int
    median: float | None = None
    p90: float | None = None
    worst: float | None = None
    too_high: float | None = None

    def to_dict(self) -> dict[str, int | float | None]:
        """Return the values as plain data, as the JSON shows them."""
        return {
            "figures": self.figures,
            "median_error": self.median,
            "p90_error": self.p90,
            "worst_error": self.worst,
            "too_high": self.too_high,
        }


@dataclass(frozen=True)
class Row:
    """The claims of one document, origin, role or kind, or all of them.

    Errors are relative and absolute; None where no claim of the group has a figure. ``role`` is
    empty unless the row is that of a document or origin and a role. ``standings`` says how many
    claims count for what, and how many of them hold.
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
    plain: Plain
    standings: dict[Standing, tuple[int, int]]
    role: str = ""

    @property
    def tests(self) -> tuple[int, int]:
        """The number of claims that test the simulation, and of those that hold."""
        return self.standings["counts"]

    @property
    def coverage(self) -> float:
        """Share of the claims for which the simulation gave a number."""
        return self.simulated / self.claims

    @property
    def share(self) -> float:
        """Share of the claims that hold."""
        return self.hold / self.claims

    def to_dict(self) -> dict[str, object]:
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
            "plain": self.plain.to_dict(),
            "standings": {
                name: {"claims": claims, "hold": hold}
                for name, (claims, hold) in self.standings.items()
            },
        }


@dataclass(frozen=True)
class Errors:
    """The errors of one way to predict: the claims that hold, and the errors of figures."""

    hold: int
    median: float | None
    p90: float | None
    worst: float | None

    def to_dict(self) -> dict[str, int | float | None]:
        """Return the values as plain data, as the JSON shows them."""
        return {
            "hold": self.hold,
            "median_error": self.median,
            "p90_error": self.p90,
            "worst_error": self.worst,
        }


@dataclass(frozen=True)
class Apart:
    """Claims for which one way is right and the other is wrong."""

    simulation: int
    formula: int

    @property
    def chance(self) -> float:
        """The chance that tosses of a coin are as one-sided: a sign test, both sides."""
        number, fewer = self.simulation + self.formula, min(self.simulation, self.formula)
        tail = float(sum(math.comb(number, k) for k in range(fewer + 1)) / 2**number)
        return min(2 * tail, 1.0)


@dataclass(frozen=True)
class AgainstFormula:
    """Simulation and planning formula over the same claims: those of which the formula speaks."""

    name: str
    claims: int
    figures: int
    simulation: Errors
    formula: Errors
    apart: Apart

    def to_dict(self) -> dict[str, object]:
        """Return the values as plain data, as the JSON shows them."""
        return {
            "name": self.name,
            "claims": self.claims,
            "figures": self.figures,
            "simulation": self.simulation.to_dict(),
            "formula": self.formula.to_dict(),
            "only_simulation": self.apart.simulation,
            "only_formula": self.apart.formula,
            "chance": self.apart.chance,
        }


def summarize(verdicts: Sequence[Verdict]) -> list[Row]:
    """Return a row for everything, then for each role, document, both of them, and kind.

    Where there are claims of both origins, each origin and role has a row as well.
    """
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
    for origin in origins(v.claim for v in tested):
        inside = [v for v in tested if v.claim.origin == origin]
        rows += [
            replace(row, group="origin and role", name=origin, role=row.name)
            for row in _rows("", inside, lambda v: v.claim.role)
        ]
    return rows + _rows("kind", verdicts, lambda v: v.claim.kind)


def against_formula(verdicts: Sequence[Verdict]) -> list[AgainstFormula]:
    """Return simulation against planning formula: over everything, then for each document.

    In between stand the claims under many outstanding I/Os alone: those that the formula is about.
    """
    spoken = [v for v in verdicts if v.planned is not None and v.error is not None]
    spoken = [v for v in spoken if standing(v) in ("counts", "far", "lacks")]
    busy = [v for v in spoken if _is_busy(v.claim)]
    groups = {"all claims": spoken, f"{MANY} outstanding or more": busy}
    groups |= {
        name: [v for v in spoken if v.claim.document == name]
        for name in sorted({v.claim.document for v in spoken})
    }
    return [_comparison(name, group) for name, group in groups.items() if group]


def _is_busy(claim: Claim) -> bool:
    """Return whether all its runs go up to many outstanding I/Os."""
    return isinstance(claim.subject, Performance) and all(
        max(at or 0 for at in one.intensities) >= MANY for one in claim.subject.measurements()
    )


def _comparison(name: str, verdicts: Sequence[Verdict]) -> AgainstFormula:
    figures = [v for v in verdicts if v.claim.counts_in_errors]
    simulated = _quantiles([abs(v.error) for v in figures if v.error is not None])
    planned = _quantiles([abs(v.planned.error) for v in figures if v.planned is not None])
    return AgainstFormula(
        name,
        claims=len(verdicts),
        figures=len(figures),
        simulation=Errors(sum(v.holds for v in verdicts), *simulated),
        formula=Errors(sum(v.planned is not None and v.planned.holds for v in verdicts), *planned),
        apart=Apart(
            sum(v.holds and not (v.planned and v.planned.holds) for v in verdicts),
            sum(bool(v.planned and v.planned.holds) and not v.holds for v in verdicts),
        ),
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
        plain=plain(verdicts),
        standings=standings(verdicts),
    )


def _errors(verdicts: Sequence[Verdict]) -> list[float]:
    """Return the absolute errors of figures; all figures of one system are one, their median."""
    return [float(np.median(np.abs(errors))) for errors in _by_system(verdicts, _error)]


def _by_system(
    verdicts: Sequence[Verdict], error_of: Callable[[Verdict], float | None]
) -> list[list[float]]:
    """Return the errors of figures, those of one system together."""
    found: dict[tuple[str, str], list[float]] = {}
    for number, verdict in enumerate(verdicts):
        error = error_of(verdict)
        if error is not None:
            key = (verdict.claim.document, verdict.claim.system or f" {number}")
            found.setdefault(key, []).append(error)
    return list(found.values())


def _error(verdict: Verdict) -> float | None:
    """The error beyond the rounding in print of a figure, None of what is none."""
    return verdict.error if verdict.claim.counts_in_errors else None


def _plain(verdict: Verdict) -> float | None:
    """The error without rounding, None of what is no figure or counts for nothing."""
    return None if standing(verdict) in ("contradicted", "determined") else verdict.plain


def plain(verdicts: Sequence[Verdict]) -> Plain:
    """Return the plain errors of the figures among some claims; those of one system are one."""
    systems = _by_system(verdicts, _plain)
    if not systems:
        return Plain(0)
    errors = [float(np.median(np.abs(one))) for one in systems]
    high = sum(float(np.median(one)) > 0 for one in systems) / len(systems)
    return Plain(len(errors), *_quantiles(errors), high)


def standings(verdicts: Sequence[Verdict]) -> dict[Standing, tuple[int, int]]:
    """Return the number of claims of each standing, and how many of these hold."""
    found = [(standing(verdict), verdict.holds) for verdict in verdicts]
    return {
        name: (
            sum(one == name for one, _ in found),
            sum(one == name and held for one, held in found),
        )
        for name in STANDINGS
    }


def _quantiles(errors: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Median, 90th percentile and largest."""
    if not errors:
        return None, None, None
    median, p90, worst = (float(q) for q in np.quantile(errors, (0.5, 0.9, 1.0)))
    return median, p90, worst
