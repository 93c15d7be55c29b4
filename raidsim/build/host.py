"""From the card of a host to the submission and completion stations of its processes."""

from __future__ import annotations

from raidsim.build.system import System
from raidsim.cards import Card

GIGA = 1e9
COSTS = ("io", "device_io", "page", "write")


def add_process(system: System, name: str, card: Card, clock: float | None = None) -> int:
    """Add a process of a host and its two serial stations; its index.

    Parameters
    ----------
    clock
        Clock rate of the CPU in Hz; None for the rate at which the card's times hold. CPU
        times are inversely proportional to it.
    """
    speed = 1.0 if clock is None else clock / card.number("cpu.clock")
    submit = system.add_station(f"{name}: submission", "host CPU", speed=speed)
    complete = system.add_station(f"{name}: completion", "host CPU", speed=speed)
    costs = {
        f"{step}_{part}": card.number(f"{step}.{part}_time") * GIGA
        for step in ("submit", "complete")
        for part in COSTS
    }
    return system.add_row(
        "processes", submit=submit, complete=complete, page=card.integer("page.size"), **costs
    )
