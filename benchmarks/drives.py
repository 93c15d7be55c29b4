"""Simulated I/Os per second of wall time: the P3700 800 GB under two standard loads."""

from __future__ import annotations

from typing import Any

from benchmarks.measuring import Settings, Tell, repeated
from raidsim.control.model import BuiltSystem, build
from raidsim.kernel import tables as t
from raidsim.scenario import load
from raidsim.system.system import System

NAME = "drives"
LOADS = {"Database": "p3700-database", "File server": "p3700-file-server"}
OUTSTANDING = (1, 32, 512)
IOS = 400_000


def running(scenario: str, outstanding: int) -> System:
    """A system under a load, with its queues filled."""
    return filled(build(load(scenario, overrides=[f"load.outstanding={outstanding}"])), outstanding)


def filled(built: BuiltSystem, outstanding: int) -> System:
    """Start the loads, and go on until the queues are full."""
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
    more(built.system, 20 * outstanding + 2_000)
    return built.system


def more(system: System, ios: int) -> None:
    """Go on until so many more I/Os have completed."""
    system.run(t.NEVER, int(system.state["completed"]) + ios)


def speed(system: System, ios: int, settings: Settings) -> dict[str, float]:
    """How fast so many I/Os go, several times over, and the events that each of them takes."""
    handled = int(system.state["handled"])
    spent = repeated(lambda: more(system, ios), settings.repeats)
    events = int(system.state["handled"]) - handled
    return {"ios": ios, "events_per_io": events / (ios * settings.repeats), **spent.per(ios)}


def speed_text(figure: dict[str, Any]) -> str:
    """A figure of :func:`speed` for the table."""
    return (
        f"{figure['per_second'] / 1e6:.2f} million I/Os a second"
        f" ({figure['per_cpu_second'] / 1e6:.2f} per CPU second,"
        f" {figure['events_per_io']:.1f} events each)"
    )


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure each load at each number of outstanding I/Os."""
    ios = settings.size(IOS, 5_000)
    figures: list[dict[str, Any]] = []
    for title, scenario in LOADS.items():
        for outstanding in OUTSTANDING:
            tell(f"{title}, {outstanding} outstanding")
            found = speed(running(scenario, outstanding), ios, settings)
            figures.append({"load": title, "outstanding": outstanding, **found})
    one, many = (f["per_cpu_second"] for f in figures[:2])
    return figures, {"database_1_to_32_outstanding": one / many}


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [(f"{f['load']}, {f['outstanding']} outstanding", speed_text(f)) for f in figures]
