"""The values of cards after the user's own measurements, and how well they agree with these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raidsim.cards import Card
from raidsim.cards.posterior import FIGURE
from raidsim.judge.figures import Figure
from raidsim.judge.judgement import KNOWN
from raidsim.unknowns.spread import MODEL, NORMAL_90

SCHEMA = "raidsim.learned/1"

MET = math.expm1(NORMAL_90 * math.hypot(FIGURE, MODEL))
"""How far a measured figure may be off the values after: 13 % either way.

In nine cases of ten it is less, if the values are right: a measurement is off by itself
(`FIGURE`), and models leave something out (`MODEL`; these parts are being compared with a
measurement, so it is not that of parts that nothing was compared with)."""

LOW_END, HIGH_END = "low", "high"


@dataclass(frozen=True)
class Learned:
    """One value before and after: base units, and where 95 % of what it may be lie."""

    card: Card
    name: str
    before: float
    before_range: tuple[float, float]
    after: float
    after_range: tuple[float, float]
    slopes: Mapping[str, float]
    is_told: bool
    end: str | None = None
    """Which end of its plausible range it stands at after: "low", "high" or None."""

    def is_spent(self, job: Told) -> bool:
        """Return whether it is at the end of its range, and a job asks for more."""
        slope = self.slopes.get(key_of(job.name), 0.0)  # of the simulated speed
        wanted = slope if job.after > 1 else -slope
        return (self.end == HIGH_END and wanted > 0) or (self.end == LOW_END and wanted < 0)


@dataclass(frozen=True)
class Told:
    """A measured job: speeds (measured over simulated) before and after, and the figure after."""

    name: str
    before: float
    after: float
    figure: Figure | None = None

    @property
    def is_met(self) -> bool:
        """Whether the values after give what was measured, but for errors of both."""
        return 1 / (1 + MET) <= self.after <= 1 + MET

    @property
    def agrees(self) -> bool:
        """Whether it agrees with the values after as `raidsim judge` has it, which is wider."""
        return 1 / (1 + KNOWN) <= self.after <= 1 + KNOWN


@dataclass(frozen=True)
class OwnResults:
    """The knowledge that results give of card values; values with such knowledge come first."""

    scenario: str
    values: tuple[Learned, ...]
    figures: tuple[Told, ...]
    left_out: tuple[str, ...]
    runs: int
    warnings: tuple[str, ...] = ()
    """What makes results doubtful, such as a measurement of three seconds."""

    def of(self, card: str) -> list[Learned]:
        """The values of one card that the results told of."""
        return [one for one in self.values if one.card.name == card and one.is_told]

    def spent(self, job: Told) -> list[Learned]:
        """The values at an end of their ranges beyond which a job would be met better."""
        return [one for one in self.values if one.is_spent(job)]

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain dicts, lists and numbers."""
        return {
            "schema": SCHEMA,
            "scenario": self.scenario,
            "figures": [
                {
                    "name": one.name,
                    "before": one.before,
                    "after": one.after,
                    "figure": one.figure.name if one.figure else None,
                    "unit": one.figure.unit if one.figure else None,
                    "measured": one.figure.measured if one.figure else None,
                    "simulated": one.figure.simulated if one.figure else None,
                    "met": one.is_met,
                    "at_end": []
                    if one.is_met
                    else [{"card": at.card.name, "name": at.name} for at in self.spent(one)],
                }
                for one in self.figures
            ],
            "margin": MET,
            "values": [
                {
                    "card": one.card.name,
                    "name": one.name,
                    "before": one.before,
                    "before_range": list(one.before_range),
                    "after": one.after,
                    "after_range": list(one.after_range),
                    "learned": one.is_told,
                }
                for one in self.values
            ],
            "left_out": list(self.left_out),
            "warnings": list(self.warnings),
            "runs": self.runs,
        }


def key_of(job: str) -> str:
    """The name of a measured job's figure among those that tell of a value."""
    return f"fio: {job}"
