"""Page writes per second of wall time when a drive is worn in before a run.

Random writes need entries of the map that lie anywhere in it, which is larger than the processor's
cache. The ratio compares such a page with one that is written in sequence.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.measuring import Settings, Tell, repeated
from raidsim.assembly import ftl
from raidsim.scenario import Requests
from raidsim.system.system import System

NAME = "ageing"
SPARES = (0.07, 0.15, 0.28)
UNIT = 4096  # bytes
UNITS = ftl.TARGET_UNITS
WRITES = 2_000_000  # by the host


def worn_in(spare: float) -> tuple[System, int, int]:
    """A full drive in its steady state, the stream that writes to it, and its map."""
    system = System(seed=1)
    which = ftl.add(system, ftl.shape(UNITS, spare))
    stream = system.add_stream("writes", [Requests(UNIT)], area_size=UNITS * UNIT, align=UNIT)
    ftl.fill(system, which, 0, UNITS)
    ftl.overwrite(system, which, UNIT, stream, 0, 3 * UNITS)
    return system, stream, which


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure random writes at several ratios of spare area; moved pages count as well."""
    writes = settings.size(WRITES, 50_000)
    figures: list[dict[str, Any]] = []
    for spare in SPARES:
        tell(f"{spare:.0%} spare area")
        system, stream, which = worn_in(spare)
        row = system.world.ftls[which]
        begun = int(row["appended"])
        spent = repeated(
            partial(ftl.overwrite, system, which, UNIT, stream, 3 * UNITS, writes),
            settings.repeats,
        )
        pages = (int(row["appended"]) - begun) // settings.repeats
        figures.append(
            {
                "spare": spare,
                "pages": pages,
                "write_amplification": pages / writes,
                "cpu_ns_per_page": spent.cpu / pages * 1e9,
                **spent.per(pages),
            }
        )
    tell("in sequence")
    at_random = figures[0]["cpu_ns_per_page"] / 1e9
    return figures, {"ageing_random_to_sequential_page": at_random / in_sequence(settings)}


def in_sequence(settings: Settings) -> float:
    """CPU seconds of a page that is written in sequence to a worn drive."""
    system, _, which = worn_in(SPARES[0])
    units = settings.size(UNITS, 50_000)
    row = system.world.ftls[which]
    begun = int(row["appended"])
    spent = repeated(lambda: ftl.fill(system, which, 0, units), settings.repeats)
    return spent.cpu / ((int(row["appended"]) - begun) // settings.repeats)


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (
            f"Wearing in a drive with {f['spare']:.0%} spare area",
            f"{f['per_second'] / 1e6:.0f} million page writes a second"
            f" (write amplification {f['write_amplification']:.2f})",
        )
        for f in figures
    ]
