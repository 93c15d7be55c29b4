"""Rated figures of a card as claims, each with a scenario that measures the figure.

:mod:`raidsim.calibrate.rated_scenario` says how each is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidsim import units
from raidsim.calibrate.rated_scenario import scenario
from raidsim.cards import Card
from raidsim.cards.attributes import Value
from raidsim.cards.rated import SIMULATED, RatedPerformance
from raidsim.validate.claims import Claim, Measurement, Performance

PREFIX = "rated."
"""What names begin with under which a card refers to its own rated figures."""

EDGES = ("media_rate_outer", "media_rate_inner")
EDGE_SIZE, EDGE_OUTSTANDING = 512 * 1024, 4
_METRICS = {0.5: "p50_latency", 0.95: "p95_latency", 0.99: "p99_latency", 0.999: "p999_latency"}


@dataclass(frozen=True)
class Unfitted:
    """A rated figure that nothing is fitted to, and why."""

    name: str
    why: str


def entries(card: Card) -> tuple[list[RatedPerformance], list[Unfitted]]:
    """Return the rated figures that a run can say, and the others."""
    rated = card.rated
    found: list[RatedPerformance] = []
    left: list[Unfitted] = []
    if rated is None:
        return found, left
    for one in rated.performance:
        if one.quantile is not None and one.quantile not in SIMULATED:
            shown = ", ".join(f"{100 * share:g} %" for share in SIMULATED)
            why = f"a run does not say the quantile {100 * one.quantile:g} %: it says {shown}"
            left.append(Unfitted(one.name, why))
        elif one.quantile is not None and one.read not in (0.0, 1.0):
            why = "reads and writes have quantiles of their own, not one of both"
            left.append(Unfitted(one.name, why))
        else:
            found.append(one)
    for name in EDGES:
        if name in rated.figures:
            figure = rated.figures[name]
            found.append(
                RatedPerformance(
                    name, "bandwidth", figure.value, figure.written, figure.unit, EDGE_SIZE,
                    EDGE_OUTSTANDING, random=0.0, page=figure.page, note=figure.note,
                )
            )  # fmt: skip
    return found, left


def claims(
    card: Card,
    performance: Sequence[RatedPerformance],
    folder: Path,
    changes: Mapping[str, Value],
) -> list[Claim]:
    """Return a claim for each figure; their scenarios are written into a folder.

    ``changes`` are values (base units) that the card is going to have.
    """
    found = []
    for one in performance:
        path = folder / f"{one.name}.toml"
        path.write_text(scenario(card, one, changes), encoding="utf-8")
        found.append(_claim(card, one, path))
    return found


def _claim(card: Card, one: RatedPerformance, path: Path) -> Claim:
    metric, unit, scale = {
        "rate": ("iops", "IO/s", 1.0),
        "bandwidth": ("mbps", "MB/s", 1 / 2**20),
        "latency": (_METRICS.get(one.quantile or 0.0, "latency"), "ms", 1e3),
    }[one.what]
    measurement = Measurement(str(path), (), metric, (None,), "max")
    return Claim(
        id=PREFIX + one.name,
        document=card.name,
        section=one.page,
        relation="about",
        role="calibration",
        published=one.value * scale,
        rounding=0.0,
        tolerance=one.tolerance,
        why="as the card says",
        subject=Performance(measurement),
        unit=unit,
        title=card.title,
        note=one.note,
        path=card.path,
    )


def printed(one: RatedPerformance, simulated: float) -> float:
    """Return a simulated figure, as a claim has it, in the unit in which the sheet prints it."""
    base = {"rate": 1.0, "bandwidth": float(2**20), "latency": 1e-3}[one.what]
    dimension = {"rate": "rate", "bandwidth": "bandwidth", "latency": "time"}[one.what]
    return units.in_unit(simulated * base, one.unit, dimension)
