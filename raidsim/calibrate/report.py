"""The result of a fit: values, residuals, sensitivities, and undetermined values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from raidsim.calibrate.determined import exchanges, uncertainties
from raidsim.calibrate.fit import Fit
from raidsim.calibrate.parameters import Parameter
from raidsim.calibrate.problem import Vector
from raidsim.validate.verdict import Verdict

SCHEMA = "raidsim.calibration/1"

NEAR = 1.02
"""Factor within which a value counts as being at its bound."""

TELLING = 0.2
"""Share of the greatest sensitivity from which on a claim is said to determine a value."""

MOST_CLAIMS = 6

LEAST_CHANGE = 0.0002
"""Change of a figure for 1 % of a value (0.02 %) below which a card does not mention it.

A factor of two in such a value moves the figure by 1.4 %, which is less than a figure is good for.
"""


@dataclass(frozen=True)
class Fitted:
    """One parameter after a fit.

    Attributes
    ----------
    before, after
        In the unit of the card.
    uncertainty
        Relative change with hardly any effect on the claims, if all other values are fitted again;
        infinite if there is no effect at all.
    weights
        By claim: change of its residual, in its tolerances, when the value grows by 1 %, in the
        form that the card keeps.
    changes
        By claim: relative change of the simulated number when the value grows by 1 %, in the form
        that the card keeps.
    telling
        The claims that are most informative about some value of the fit. For these a card keeps the
        effect of all values: only in this way one can see that two values are only known together.
    """

    parameter: Parameter
    before: float
    after: float
    uncertainty: float
    at_bound: bool
    weights: dict[str, float]
    changes: dict[str, float]
    telling: frozenset[str] = frozenset()

    @property
    def determined(self) -> bool:
        """Whether the claims would notice a factor of two, all other values following."""
        return self.uncertainty < 1

    @property
    def noticed(self) -> bool:
        """Whether they would notice it if all other values stayed."""
        return math.isfinite(self.uncertainty)

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that determine it, the most telling first."""
        if not self.determined:
            return ()
        return _most_telling(self.weights)

    @property
    def sensitivities(self) -> dict[str, float]:
        """The sensitivities for a card: changes of the claims that depend on it, largest first."""
        told = sorted(self.telling, key=lambda c: (-abs(self.weights[c]), c))
        return {c: self.changes[c] for c in told if abs(self.changes[c]) >= LEAST_CHANGE}


def _most_telling(weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the claims that tell most of a value, the most telling first."""
    most = max((abs(w) for w in weights.values()), default=0.0)
    telling = [c for c, w in weights.items() if most and abs(w) >= TELLING * most]
    return tuple(sorted(telling, key=lambda c: (-abs(weights[c]), c))[:MOST_CLAIMS])


@dataclass(frozen=True)
class Traded:
    """Values that the claims determine only together: each with its share of a common change."""

    shares: tuple[tuple[Parameter, float], ...]

    def __str__(self) -> str:
        """Return the parameters and their weights in words."""
        parts = (f"{one.name} {share * 10:+.1f} %" for one, share in self.shares)
        return ", ".join(parts)


@dataclass(frozen=True)
class CalibrationReport:
    """The outcome of a fit.

    ``before`` and ``after`` judge the same claims; ``changed`` names the files of cards that the
    fit says otherwise, ``written`` those of them that were written.
    """

    cards: tuple[str, ...]
    parameters: tuple[Fitted, ...]
    before: tuple[Verdict, ...]
    after: tuple[Verdict, ...]
    cost_before: float
    cost_after: float
    settled: bool
    runs: int
    traded: tuple[Traded, ...] = ()
    changed: tuple[Path, ...] = ()
    written: tuple[Path, ...] = ()

    @property
    def all_hold(self) -> bool:
        """Whether every claim that was fitted to holds."""
        return all(verdict.holds for verdict in self.after)

    @property
    def undetermined(self) -> list[Fitted]:
        """The values that the claims cannot determine; they were left as they are or may drift."""
        return [one for one in self.parameters if not one.determined]

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain dicts, lists and numbers."""
        return {
            "schema": SCHEMA,
            "cards": list(self.cards),
            "cost_before": self.cost_before,
            "cost_after": self.cost_after,
            "settled": self.settled,
            "runs": self.runs,
            "written": [str(path) for path in self.written],
            "parameters": [
                {
                    "card": one.parameter.card.name,
                    "name": one.parameter.name,
                    "unit": one.parameter.unit,
                    "before": one.before,
                    "after": one.after,
                    "uncertainty": one.uncertainty if math.isfinite(one.uncertainty) else None,
                    "determined": one.determined,
                    "at_bound": one.at_bound,
                    "claims": list(one.claims),
                    "range": [
                        one.parameter.shown(end) for end in (one.parameter.low, one.parameter.high)
                    ],
                    "sensitivities": one.changes,
                }
                for one in self.parameters
            ],
            "traded": [
                [
                    {"card": one.card.name, "name": one.name, "share": share}
                    for one, share in traded.shares
                ]
                for traded in self.traded
            ],
            "claims": [
                {
                    "id": after.claim.id,
                    "simulated": after.simulated,
                    "error_before": before.error,
                    "error": after.error,
                    "holds": after.holds,
                }
                for before, after in zip(self.before, self.after, strict=True)
            ],
        }


def fitted(fit: Fit, parameters: list[Parameter]) -> tuple[Fitted, ...]:
    """Return each parameter with its value before and after the fit."""
    claims = [verdict.claim.id for verdict in fit.after.verdicts]
    scales = np.array([math.log(one.high / one.low) / 2 for one in parameters])
    spreads = uncertainties(fit.slopes, scales)
    found = []
    for i, parameter in enumerate(parameters):
        value, spread = fit.after.values[i], spreads[i]
        found.append(
            Fitted(
                parameter,
                before=parameter.written,
                after=parameter.shown(value) if fit.improved else parameter.written,
                uncertainty=math.expm1(spread) if spread < 50 else math.inf,
                at_bound=value <= parameter.low * NEAR or value >= parameter.high / NEAR,
                weights=_for_one_percent(claims, parameter.sign * fit.slopes[:, i]),
                changes=_for_one_percent(claims, parameter.sign * fit.elasticities[:, i]),
            )
        )
    telling = frozenset(c for one in found if one.noticed for c in _most_telling(one.weights))
    return tuple(replace(one, telling=telling) for one in found)


def traded(fit: Fit, parameters: list[Parameter]) -> tuple[Traded, ...]:
    """Return combinations of values that the claims determine although not the single values."""
    return tuple(
        Traded(
            tuple(
                (parameters[i], round(parameters[i].sign * share, 2))
                for i, share in one.shares.items()
            )
        )
        for one in exchanges(fit.slopes)
        if len(one.shares) > 1
    )


def _for_one_percent(claims: list[str], slopes: Vector) -> dict[str, float]:
    return {
        claim: round(float(slope) * 0.01, 6) for claim, slope in zip(claims, slopes, strict=True)
    }
