"""How much is covered, how much holds, and how large the errors are.

Catalogue claims quote cards; they have a row of their own and enter no other. Errors are those
of figures (value, about, ratio), in absolute value; orders, bounds, ranges, equalities
and shapes only hold or do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from raidsim.validate.verdict import Verdict


@dataclass(frozen=True)
class Row:
    """The claims of one document, role or kind, or all of them.

    Errors are relative and absolute; None where no claim of the group has a figure.
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
            "claims": self.claims,
            "coverage": self.coverage,
            "hold": self.hold,
            "share": self.share,
            "figures": self.figures,
            "median_error": self.median,
            "p90_error": self.p90,
            "worst_error": self.worst,
        }


def summarize(verdicts: Sequence[Verdict]) -> list[Row]:
    """Return a row for everything, then one for each role, document and kind."""
    tested = [v for v in verdicts if v.claim.kind != "catalogue"]
    rows = [_row("all", "all claims", tested)] if tested else []
    rows += _rows("role", tested, lambda v: v.claim.role)
    rows += _rows("document", tested, lambda v: v.claim.document)
    return rows + _rows("kind", verdicts, lambda v: v.claim.kind)


def _rows(group: str, verdicts: Sequence[Verdict], name_of: Callable[[Verdict], str]) -> list[Row]:
    names = sorted({name_of(verdict) for verdict in verdicts})
    return [_row(group, name, [v for v in verdicts if name_of(v) == name]) for name in names]


def _row(group: str, name: str, verdicts: Sequence[Verdict]) -> Row:
    errors = [abs(v.error) for v in verdicts if v.claim.counts_in_errors and v.error is not None]
    quantiles = [float(q) for q in np.quantile(errors, (0.5, 0.9, 1.0))] if errors else [None] * 3
    return Row(
        group,
        name,
        claims=len(verdicts),
        simulated=sum(v.simulated is not None for v in verdicts),
        hold=sum(v.holds for v in verdicts),
        figures=len(errors),
        median=quantiles[0],
        p90=quantiles[1],
        worst=quantiles[2],
    )
