"""Draw docs/pictures/write-amplification.svg: simulated drives against the closed form."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.special import lambertw

from raidsim.assembly import ftl
from raidsim.report.plot import drawing, save_svg
from raidsim.scenario import Requests
from raidsim.system.system import System

UNIT = 4096
UNITS = ftl.TARGET_UNITS
SPARES = (0.05, 0.07, 0.09, 0.12, 0.15, 0.2, 0.28, 0.4, 0.55, 0.75, 1.0)


def closed_form(spare: float, n: int) -> float:
    """Greedy collection of blocks of ``n`` units (Desnoyers 2012)."""
    alpha, c = 1 + spare, 1 + 1 / (2 * n)
    valid = 0.5 - n / alpha * lambertw(-c * alpha * math.exp(-c * alpha)).real
    return float(n / (n - valid + 1))


def simulated(spare: float) -> float:
    """Uniform random writes on a full drive with the map that every run uses."""
    system = System(seed=1)
    which = ftl.add(system, ftl.shape(UNITS, spare))
    stream = system.add_stream("writes", [Requests(UNIT)], area_size=UNITS * UNIT, align=UNIT)
    ftl.fill(system, which, 0, UNITS)
    ftl.overwrite(system, which, UNIT, stream, 0, 4 * UNITS)
    row = system.world.ftls[which]
    written, moved = int(row["written"]), int(row["moved"])
    ftl.overwrite(system, which, UNIT, stream, 4 * UNITS, 4 * UNITS)
    return 1 + (int(row["moved"]) - moved) / (int(row["written"]) - written)


def draw() -> bytes:
    """The picture as SVG."""
    with drawing():
        figure = Figure(figsize=(6.4, 3.8), layout="constrained")
        axes = figure.subplots()
        line = np.geomspace(SPARES[0], SPARES[-1], 200)
        n = ftl.BLOCK_UNITS
        axes.plot(
            100 * line,
            [closed_form(s, n) for s in line],
            color="#888888",
            label=f"closed form, {n} units a block",
        )
        axes.plot(
            [100 * s for s in SPARES],
            [simulated(s) for s in SPARES],
            "o",
            color="#1f6fb4",
            label="simulated",
        )
        axes.set_xscale("log")
        axes.set_xticks([5, 10, 20, 50, 100], ["5", "10", "20", "50", "100"])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("spare area, % of the capacity")
        axes.set_ylabel("write amplification")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.suptitle("Uniform random writes over a full drive", fontweight="bold")
        return save_svg(figure, "write amplification")


if __name__ == "__main__":
    place = Path(__file__).with_name("write-amplification.svg")
    place.write_bytes(draw())
    print(f"written: {place.name}")
