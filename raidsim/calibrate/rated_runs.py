"""Rated figures of a card as claims, each with a scenario that measures the figure.

A drive is measured alone, on a host that is no bottleneck for it (:data:`HOST`), in the state that
its sheet means:

=========  ===================================================================================
sustained  its past is that of the same load until its write amplification is steady; an SLC
           cache is full
burst      nothing was written before, so that caches take the writes; of loads that only read,
           all of it was
fresh      the same
=========  ===================================================================================

The rates of a disk's media at both edges are sequential reads there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raidsim import units
from raidsim.cards import Card
from raidsim.cards.attributes import Attribute, Value
from raidsim.cards.rated import SIMULATED, RatedPerformance
from raidsim.validate.claims import Claim, Measurement, Performance

PREFIX = "rated."
"""Of the names under which a card refers to its own rated figures."""

HOST: dict[str, Any] = {
    "cpu.cores": 256,
    "interrupts.cores": 256,
    "submit.io_time": "1 us",
    "submit.device_io_time": "0 us",
    "submit.page_time": "0 us",
    "submit.write_time": "0 us",
    "complete.io_time": "1 us",
    "complete.device_io_time": "0 us",
    "complete.page_time": "0 us",
    "complete.write_time": "0 us",
    "pcie.read_time_per_byte": "0 us/KiB",
    "pcie.write_time_per_byte": "0 us/KiB",
}
"""Other values for the card of the host, whichever it is."""

HOST_CARD = "fujitsu-rx2540-m1"
HOST_WORDS = (
    "a host that is no bottleneck: each I/O takes 1 us of CPU time to submit and 1 us to complete,"
    " which an interface with shared rings of a system of today takes; each worker has a core, and"
    " completions have one each"
)

EDGES = {"media_rate_outer": "0 %", "media_rate_inner": "inner"}
EDGE_SIZE, EDGE_OUTSTANDING = 512 * 1024, 4
MEASURE = {"precision": "1 %", "min_ios": 5000, "max_ios": 200_000}
"""Enough for a fit: all of its runs have the same random numbers."""

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


# ---- scenarios


def scenario(card: Card, one: RatedPerformance, changes: Mapping[str, Value]) -> str:
    """Return the text of the scenario that measures a rated figure of a card."""
    lines = [f"title = {_text(f'{card.name}: {one.name}')}"]
    lines += ["[host]", f"model = {_text(HOST_CARD)}", "[host.set]", *_pairs(HOST)]
    lines += ["[[volume]]", f"drive = {_text(card.path.resolve())}", *_state(card, one)]
    if changes:
        by_name = card.about.by_name
        written = {name: _written(value, by_name[name]) for name, value in changes.items()}
        lines += ["[volume.set]", *_pairs(written)]
    lines += ["[[load]]", *_load(one), *_edge(card, one)]
    lines += ["[measure]", *_pairs(MEASURE)]
    return "\n".join(lines) + "\n"


def _state(card: Card, one: RatedPerformance) -> Iterable[str]:
    if card.kind != "ssd" or one.state == "sustained":
        return ()
    return [f"state = {_text('fresh' if one.read == 0 else 'filled')}"]


def _load(one: RatedPerformance) -> Iterable[str]:
    return _pairs(
        {
            "read": f"{100 * one.read:.10g} %",
            "random": f"{100 * one.random:.10g} %",
            "size": f"{one.size} B",
            "workers": one.workers,
            "outstanding": one.outstanding,
        }
    )


def _edge(card: Card, one: RatedPerformance) -> Iterable[str]:
    """Say which part of a disk is read: for the rate at the inner edge the tracks there."""
    if one.name != "media_rate_inner":
        return ()
    size = card.integer("capacity.user")
    part = size // card.integer("geometry.zones") // 2 // 2**20 * 2**20
    offset = (size - part) // 2**20 * 2**20
    return [f'area = {{ offset = "{offset} B", size = "{part} B" }}']


def _written(value: Value, attribute: Attribute) -> Any:
    """Return a value of a card as a scenario sets it."""
    if not attribute.is_number or attribute.dimension == "count":
        return value
    return units.text(float(value), attribute.dimension)


def _pairs(values: dict[str, Any]) -> list[str]:
    return [
        f"{_key(key)} = {_text(value) if isinstance(value, str) else value}"
        for key, value in values.items()
    ]


def _key(key: str) -> str:
    return f'"{key}"' if "." in key else key


def _text(value: object) -> str:
    """Return a text as TOML writes it."""
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def printed(one: RatedPerformance, simulated: float) -> float:
    """Return a simulated figure, as a claim has it, in the unit in which the sheet prints it."""
    base = {"rate": 1.0, "bandwidth": float(2**20), "latency": 1e-3}[one.what]
    dimension = {"rate": "rate", "bandwidth": "bandwidth", "latency": "time"}[one.what]
    return units.in_unit(simulated * base, one.unit, dimension)
