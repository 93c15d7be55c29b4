"""What a load asks for at one of its intensities."""

from __future__ import annotations

from typing import Any

from raidsim import units
from raidsim.scenario.load_spec import LoadSpec


def offered(load: LoadSpec, intensity: int) -> float:
    """Return the rate that all workers of an open load ask for, IO/s, with pauses of bursts."""
    rate: float = at(load.rate, intensity) * load.workers
    if load.burst is not None:
        rate *= load.burst.on / period_of(load)
    return rate


def transfers(load: LoadSpec, intensity: int) -> float:
    """Reads and writes that an open load asks for, IO/s: a throughput counts no trims."""
    return offered(load, intensity) * (1 - load.trim)


def period_of(load: LoadSpec) -> float:
    """Period of a load's bursts, s; 0 if it has none."""
    return 0.0 if load.burst is None else load.burst.on + load.burst.off


def of_a_burst(load: LoadSpec, intensity: int) -> float:
    """I/Os that arrive in a period of a load's bursts; 0 if it has none, or no rate."""
    return 0.0 if load.rate is None else offered(load, intensity) * period_of(load)


def at(values: tuple[Any, ...] | None, intensity: int) -> Any:
    """The value that holds at a point: the one at its position, or the last of a shorter list."""
    return None if values is None else values[min(intensity, len(values) - 1)]


def label(load: LoadSpec, intensity: int) -> str:
    """The intensity of a load in words."""
    if load.outstanding is not None:
        return f"{at(load.outstanding, intensity)} outstanding"
    if load.rate is not None:
        return f"{units.plain(at(load.rate, intensity), 6)} IO/s"
    return "given arrivals" if load.trace is None else f"trace {load.trace.replay}"
